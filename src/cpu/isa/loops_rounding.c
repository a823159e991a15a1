/* loops_rounding.c - the loops of the kernels in tables/kernels/rounding.def. */
#define LOOPS_OF rounding
#define ROWS     "tables/kernels/rounding.def"
#include "cpu/isa/family.inc.c"
