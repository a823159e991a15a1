/* pool_f32.c - pooling in compute type float32. */
#include "cpu/isa/types/f32.h"

#define INDEX int32_t
#include "cpu/isa/tile.h"

#include "cpu/isa/pool.inc.c"
