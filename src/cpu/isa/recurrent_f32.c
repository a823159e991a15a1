/* recurrent_f32.c - recurrent layers and CTC in compute type float32. */
#include "cpu/isa/types/f32.h"

#include "cpu/isa/tile.h"
#include "cpu/isa/vectors.h"

#include "cpu/isa/recurrent.inc.c"
#include "cpu/isa/ctc.inc.c"

static kt_status FN(run)(const kt_plan *plan)
{
    const bool layer = plan->kernel == KT_K_recurrence || plan->kernel == KT_K_recurrence_backward;
    return layer ? FN(recur)(plan) : FN(ctc_run)(plan);
}

const kt__cpu_recurrences SHARED(recurrences) = {.run = FN(run)};
