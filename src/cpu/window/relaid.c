/* relaid.c - convolutions that are run on copies of their images in the other layout.
 *
 * In: a plan of a convolution, and who runs it. Out: its results, where they belong. Of few channels a group, whose channels lie
 * side by side: what a group sees of a position is a few numbers between those of the other groups, and a channel of a row-major
 * image is dense. Of one channel a group, in row-major images with few positions: beside.c makes a position for all channels at
 * once. Copying both images takes a fraction of the time that this saves. Independent of: what the window does. */
#include "cpu/window/relaid.h"

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/error.h"
#include "cpu/window/direct_bf16.h"
#include "cpu/window/pass.h"
#include "tables/kernels/window.h"

/* Channels of a group that are worth it; of bfloat16s, which are multiplied where the channels lie. Positions of an image, at
 * most, where channels are to lie side by side; of the image's gradient, which strides cut into classes. What a convolution has
 * of images. */
enum { FEW = 16, FEW_BF16 = 4, FEW_POSITIONS = 200, FEW_OF_STRIDES = 1200, IMAGES = 2 };

typedef struct laid { /* an image, and its copy */
    int       at; /* which operand */
    kt__image is;
    int64_t   by_batch, by_channel, step[SPACE];
    char     *data;
    size_t    granted;
} laid;

/* Is bfloat16 multiplied in tiles? Then it is better off as it lies. */
static bool multiplies_bf16(const kt__cpu_build *build)
{
    return build->direct_bf16->multiply && (kt__cpu_bits() & build->direct_bf16->needs);
}

static bool strides(const kt_plan *plan)
{
    bool any = false;
    for (int d = 0; d < kt__space_of(plan); d++)
        any = any || plan->param[1 + d].v.i > 1;
    return any;
}

kt__layout kt__layout_for(const kt__cpu_build *build, const kt_plan *plan, int64_t groups)
{
    const int       first = plan->kernel == KT_K_convolution_weight;
    const kt__image a = kt__image_of(plan, first), b = kt__image_of(plan, first + 1);
    const int64_t   most = (a.x.is == KT_BF16 ? FEW_BF16 : FEW) * groups;
    const bool      few = a.channels <= most && b.channels <= most, single = a.channels == groups && b.channels == groups,
                    last = kt__channels_last(&a) && kt__channels_last(&b);
    if (groups <= 1 || a.x.immediate || b.x.immediate)
        return KT__LAYOUT_AS_IS;
    if (!single)
        return few && last ? KT__LAYOUT_ROW_MAJOR : KT__LAYOUT_AS_IS;
    const int64_t limit = plan->kernel == KT_K_convolution_input && strides(plan) ? FEW_OF_STRIDES : FEW_POSITIONS;
    const bool    small = plan->kernel == KT_K_convolution_weight || kt__volume(a.size) <= limit,
                  tiles = a.x.is == KT_BF16 && multiplies_bf16(build);
    return !last && small && !tiles && plan->compute == KT_IN_F32 && build->beside->make ? KT__LAYOUT_CHANNELS_LAST
                                                                                        : KT__LAYOUT_AS_IS;
}

static bool lay_out(kt_plan *plan, int at, kt__layout layout, laid *l)
{
    const int     first = at * (2 + kt__space_of(plan)), space = kt__space_of(plan);
    const bool    last = layout == KT__LAYOUT_CHANNELS_LAST;
    int64_t       dense = kt__dtype_rows[plan->arg[at].is].size;
    l->at = at, l->is = kt__image_of(plan, at);
    if (last)
        l->by_channel = dense, dense *= l->is.channels;
    for (int d = SPACE - 1; d >= 0; dense *= l->is.size[d--])
        l->step[d] = dense;
    if (!last)
        l->by_channel = dense, dense *= l->is.channels;
    l->by_batch = dense;
    if (!(l->data = kt__block_get((size_t)(dense * l->is.batch), &l->granted)))
        return false;
    plan->arg[at].data = l->data;
    plan->stride[at][first] = l->by_batch, plan->stride[at][first + 1] = l->by_channel;
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
    copy_dim(&plan, i->batch, back ? i->by_batch : l->by_batch, back ? l->by_batch : i->by_batch);
    copy_dim(&plan, i->channels, back ? i->by_channel : l->by_channel, back ? l->by_channel : i->by_channel);
    for (int d = 0; d < SPACE; d++)
        copy_dim(&plan, i->size[d], back ? i->step[d] : l->step[d], back ? l->step[d] : i->step[d]);
    return kt__cpu_run_with(build, &plan);
}

kt_status kt__run_relaid(const kt__cpu_build *build, const kt_plan *plan, kt__window_fn *run, kt__layout layout)
{
    const int first = plan->kernel == KT_K_convolution_weight;
    laid      both[IMAGES] = {0};
    kt_plan   rows = *plan;
    bool      ok = true;
    kt_status status = KT_OK;
    for (int i = 0; ok && i < IMAGES; i++)
        ok = lay_out(&rows, first + i, layout, &both[i]);
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
