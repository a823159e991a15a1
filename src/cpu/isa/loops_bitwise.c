/* loops_bitwise.c - the loops of the kernels in tables/kernels/bitwise.def. */
#define LOOPS_OF bitwise
#define ROWS     "tables/kernels/bitwise.def"
#include "cpu/isa/family.inc.c"
