/* loops_arithmetic.c - the loops of the kernels in tables/kernels/arithmetic.def. */
#define LOOPS_OF arithmetic
#define ROWS     "tables/kernels/arithmetic.def"
#include "cpu/isa/family.inc.c"
