/* reduce_f32.c - the reductions of compute type float32, and softmax. */
#include "cpu/isa/types/f32.h"

#include "cpu/isa/tile.h"

#include "cpu/isa/reduce.inc.c"
#include "cpu/isa/softmax.inc.c"

const kt__cpu_reductions SHARED(reductions) = {
    .reduce  = FN(reduce),
    .reduces = FN(reduces),
    .softmax = FN(softmax),
};
