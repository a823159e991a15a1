/* reduce_i32.c - the reductions of compute type int32. */
#include "cpu/isa/types/i32.h"

#include "cpu/isa/tile.h"

#include "cpu/isa/reduce.inc.c"

const kt__cpu_reductions SHARED(reductions) = {
    .reduce  = FN(reduce),
    .reduces = FN(reduces),
};
