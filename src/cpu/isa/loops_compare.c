/* loops_compare.c - the loops of the kernels in tables/kernels/compare.def. */
#define LOOPS_OF compare
#define ROWS     "tables/kernels/compare.def"
#include "cpu/isa/family.inc.c"
