/* attention_f64.c - attention in compute type float64. */
#include "cpu/isa/types/f64.h"

#include "cpu/isa/tile.h"

#include "cpu/isa/attention_tile.inc.c"
#include "cpu/isa/attention.inc.c"
#include "cpu/isa/attention_back.inc.c"
#include "cpu/isa/attention_mask.inc.c"

const kt__cpu_attends SHARED(attention) = {
    .forward       = FN(attention_forward),
    .backward      = FN(attention_backward),
    .mask_backward = FN(attention_mask_backward),
};
