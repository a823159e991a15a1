/* f32.c - the kernels of compute type float32, and so of every float of at most 32 bits. */
#include "cpu/isa/types/f32.h"

#define KT_FAST_LOAD  fast_load_f32
#define KT_FAST_STORE fast_store_f32
#include "cpu/isa/tile.inc.c"

#include "cpu/isa/elementwise.inc.c"
#include "cpu/isa/cast.inc.c"
#include "cpu/isa/matmul.inc.c"
#include "cpu/isa/export.inc.c"
