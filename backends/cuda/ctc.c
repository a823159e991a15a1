/* ctc.c - plans of CTC losses and what flows back.
 *
 * In: plans whose operands are dense, of float32 or float64. Out: a launch with a block for each sample. Independent of: what the
 * kernels calculate. */
#include <string.h>

#include "ctc.h"
#include "parts.h"
#include "tables/kernels/recurrent.h"

static kt_status launch_ctc(const kt_plan *plan, const void *what)
{
    const ctc_kernels *k = what;
    const bool         back = plan->n_out == 1;
    const kt_operand  *in = plan->arg + plan->n_out;
    ctc_args g = {.steps = plan->param[KT__CTC_STEPS].v.i, .batch = plan->param[KT__CTC_BATCH].v.i,
                  .classes = plan->param[KT__CTC_CLASSES].v.i, .places = plan->param[KT__CTC_PLACES].v.i,
                  .blank = plan->param[KT__CTC_BLANK].v.i, .forgives = plan->param[KT__CTC_FORGIVES].v.i != 0,
                  .targets = (const int64_t *)(const void *)in[KT__CTC_TARGETS].data,
                  .lengths = (const int64_t *)(const void *)in[KT__CTC_LENGTHS].data, .log_probs = in[KT__CTC_LOG_PROBS].data};
    for (int i = 0; i < plan->n_out + plan->n_in; i++) {
        const bool of_places = i == plan->n_out + KT__CTC_TARGETS || i == plan->n_out + KT__CTC_LENGTHS;
        if (plan->arg[i].is != (of_places ? KT_I64 : k->self) || plan->arg[i].as != plan->arg[i].is || plan->arg[i].immediate ||
            plan->arg[i].bits)
            return KT_DECLINED;
    }
    if (g.batch == 0 || g.places > INT32_MAX || g.batch > INT32_MAX)
        return g.batch ? KT_DECLINED : KT_OK;
    g.loss = back ? in[KT__CTC_LOSS].data : plan->arg[0].data;
    g.alpha = back ? in[KT__CTC_ALPHA].data : plan->arg[1].data;
    if (!back)
        return launch_kernel(k->forward, (uint64_t)g.batch, &g, plan);
    g.from = in[KT__CTC_FROM].data;
    g.grad = plan->arg[0].data;
    const size_t places = (size_t)(g.batch * g.places), width = (size_t)width_of((int)k->self);
    size_t       granted = 0;
    void        *room = NULL;
    kt_status    status = memory_alloc(NULL, plan->device_index, plan->stream, places * (3 * width + 2 * sizeof *g.chain), &room,
                                       &granted);
    if (status)
        return status;
    g.room = room;
    g.chain = (int32_t *)(void *)(g.room + 3 * places * width);
    status = launch_kernel(k->back, (uint64_t)g.batch, &g, plan);
    memory_free(NULL, plan->device_index, room, granted);
    return status;
}

void ctc_open(void)
{
    for (int compute = KT_IN_F32; compute <= KT_IN_F64; compute++) {
        const ctc_kernels *k = &ctc_tables[compute == KT_IN_F64];
        launch_serve("ctc_loss", (kt_compute)compute, launch_ctc, k);
        launch_serve("ctc_loss_backward", (kt_compute)compute, launch_ctc, k);
    }
}
