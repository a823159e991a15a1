/* pool_f64.c - pooling in compute type float64. */
#include "cpu/isa/types/f64.h"

#define INDEX int64_t
#include "cpu/isa/tile.h"

#include "cpu/isa/pool.inc.c"
