/* pool_i32.c - pooling in compute type int32. */
#include "cpu/isa/types/i32.h"

#define INDEX int32_t
#include "cpu/isa/tile.h"

#include "cpu/isa/pool.inc.c"
