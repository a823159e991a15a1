/* loops_activation.c - the loops of the kernels in tables/kernels/activation.def. */
#define LOOPS_OF activation
#define ROWS     "tables/kernels/activation.def"
#include "cpu/isa/family.inc.c"
