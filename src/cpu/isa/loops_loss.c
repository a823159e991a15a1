/* loops_loss.c - the loops of the kernels in tables/kernels/loss.def. */
#define LOOPS_OF loss
#define ROWS     "tables/kernels/loss.def"
#include "cpu/isa/family.inc.c"
