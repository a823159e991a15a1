/* c128.c - the kernels of compute type complex128. */
#include "cpu/isa/types/c128.h"

#include "cpu/isa/tile.inc.c"

#include "cpu/isa/elementwise.inc.c"
#include "cpu/isa/cast.inc.c"
#include "cpu/isa/matmul.inc.c"
#include "cpu/isa/export.inc.c"
