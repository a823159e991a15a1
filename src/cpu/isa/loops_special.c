/* loops_special.c - the loops of the kernels in tables/kernels/special.def. */
#define LOOPS_OF special
#define ROWS     "tables/kernels/special.def"
#include "math/airy.h"
#include "math/polynomials.h"

#include "cpu/isa/family.inc.c"
