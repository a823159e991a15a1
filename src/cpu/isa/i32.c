/* i32.c - the kernels of compute type int32, and so of bool and of the integers of at most 16 bits. */
#include "cpu/isa/types/i32.h"

#include "cpu/isa/tile.inc.c"

#include "cpu/isa/elementwise.inc.c"
#include "cpu/isa/cast.inc.c"
#include "cpu/isa/matmul.inc.c"
#include "cpu/isa/export.inc.c"
