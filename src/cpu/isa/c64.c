/* c64.c - the kernels of compute type complex64, and so of complex32. */
#include "cpu/isa/types/c64.h"

#include "cpu/isa/tile.inc.c"

#include "cpu/isa/elementwise.inc.c"
#include "cpu/isa/cast.inc.c"
#include "cpu/isa/matmul.inc.c"
#include "cpu/isa/export.inc.c"
