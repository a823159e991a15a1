/* reduce_i64.c - the reductions of compute type int64. */
#include "cpu/isa/types/i64.h"

#include "cpu/isa/tile.h"

#include "cpu/isa/reduce.inc.c"

const kt__cpu_reductions SHARED(reductions) = {
    .reduce  = FN(reduce),
    .reduces = FN(reduces),
};
