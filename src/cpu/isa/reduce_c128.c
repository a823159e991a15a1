/* reduce_c128.c - the reductions of compute type complex128. */
#include "cpu/isa/types/c128.h"

#include "cpu/isa/tile.h"

#include "cpu/isa/reduce.inc.c"

const kt__cpu_reductions SHARED(reductions) = {
    .reduce  = FN(reduce),
    .reduces = FN(reduces),
};
