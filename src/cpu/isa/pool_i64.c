/* pool_i64.c - pooling in compute type int64. */
#include "cpu/isa/types/i64.h"

#define INDEX int64_t
#include "cpu/isa/tile.h"

#include "cpu/isa/pool.inc.c"
