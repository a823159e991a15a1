/* row_major.c - convolutions of few channels a group, of images whose channels lie side by side: run on row-major copies.
 *
 * In: a plan of a convolution, and who runs it. Out: its results, where they belong. What a group sees of a position is a few
 * numbers between those of the other groups; a channel of a row-major image is dense, and copying both images takes a fraction of
 * the time that this saves. Independent of: what the window does. */
#include "cpu/window/row_major.h"

#include "base/alloc.h"
#include "base/error.h"
#include "cpu/window/pass.h"
#include "tables/kernels/window.h"

/* Channels of a group that are worth it; of bfloat16s, which are multiplied where the channels lie. What a convolution has of
 * images. */
enum { FEW = 16, FEW_BF16 = 4, IMAGES = 2 };

typedef struct laid { /* an image, and its copy */
    int       at; /* which operand */
    kt__image is;
    int64_t   by_channel, step[SPACE];
    char     *data;
    size_t    granted;
} laid;

bool kt__runs_row_major(const kt_plan *plan, int64_t groups)
{
    const int       first = plan->kernel == KT_K_convolution_weight;
    const kt__image a = kt__image_of(plan, first), b = kt__image_of(plan, first + 1);
    const int64_t   most = (a.x.is == KT_BF16 ? FEW_BF16 : FEW) * groups;
    const bool      few = a.channels <= most && b.channels <= most, single = a.channels == groups && b.channels == groups;
    return groups > 1 && few && !single && kt__channels_last(&a) && kt__channels_last(&b) && !a.x.immediate && !b.x.immediate;
}

static bool lay_out(kt_plan *plan, int at, laid *l)
{
    const int     first = at * (2 + kt__space_of(plan)), space = kt__space_of(plan);
    const int64_t width = kt__dtype_rows[plan->arg[at].is].size;
    int64_t       dense = width;
    l->at = at, l->is = kt__image_of(plan, at);
    for (int d = SPACE - 1; d >= 0; dense *= l->is.size[d--])
        l->step[d] = dense;
    l->by_channel = dense;
    if (!(l->data = kt__block_get((size_t)(dense * l->is.channels * l->is.batch), &l->granted)))
        return false;
    plan->arg[at].data = l->data;
    plan->stride[at][first] = dense * l->is.channels, plan->stride[at][first + 1] = dense;
    for (int d = 0; d < space; d++)
        plan->stride[at][first + 2 + d] = l->step[SPACE - space + d];
    return true;
}

/* Bytes as they are; the operand's conversions are made where it is read. */
static kt_status move(const kt__cpu_build *build, const laid *l, bool back)
{
    const kt__image *i = &l->is;
    kt_operand       here = i->x, copy = {.data = l->data, .is = i->x.is, .as = i->x.is};
    kt_plan          plan;
    here.as = here.is, here.bits = 0;
    copy_begin(&plan, back ? &here : &copy, back ? &copy : &here);
    const int64_t by_batch = l->by_channel * i->channels;
    copy_dim(&plan, i->batch, back ? i->by_batch : by_batch, back ? by_batch : i->by_batch);
    copy_dim(&plan, i->channels, back ? i->by_channel : l->by_channel, back ? l->by_channel : i->by_channel);
    for (int d = 0; d < SPACE; d++)
        copy_dim(&plan, i->size[d], back ? i->step[d] : l->step[d], back ? l->step[d] : i->step[d]);
    return kt__cpu_run_with(build, &plan);
}

kt_status kt__run_row_major(const kt__cpu_build *build, const kt_plan *plan, kt__window_fn *run)
{
    const int first = plan->kernel == KT_K_convolution_weight;
    laid      both[IMAGES] = {0};
    kt_plan   rows = *plan;
    bool      ok = true;
    kt_status status = KT_OK;
    for (int i = 0; ok && i < IMAGES; i++)
        ok = lay_out(&rows, first + i, &both[i]);
    for (int i = 0; ok && !status && i < IMAGES; i++)
        if (first + i > 0)
            status = move(build, &both[i], false);
    if (ok && !status)
        status = run(build, &rows);
    if (ok && !status && first == 0)
        status = move(build, &both[0], true);
    for (int i = 0; i < IMAGES; i++)
        kt__block_put(both[i].data, both[i].granted);
    return ok ? status : run(build, plan); /* for want of memory where they lie */
}
