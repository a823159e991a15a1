/* loops_exponential.c - the loops of the kernels in tables/kernels/exponential.def. */
#define LOOPS_OF exponential
#define ROWS     "tables/kernels/exponential.def"
#include "cpu/isa/family.inc.c"
