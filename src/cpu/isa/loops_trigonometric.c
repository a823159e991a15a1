/* loops_trigonometric.c - the loops of the kernels in tables/kernels/trigonometric.def. */
#define LOOPS_OF trigonometric
#define ROWS     "tables/kernels/trigonometric.def"
#include "cpu/isa/family.inc.c"
