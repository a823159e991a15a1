/* pool.c - plans of pooling, forward and back.
 *
 * In: plans whose operands have dims of their own. Out: launches, or KT_DECLINED for integers that no image of which flows back
 * is made of. Independent of: what a kernel calculates. */
#include <string.h>

#include "parts.h"

typedef enum pool_kind { LARGEST, LARGEST_BACK, AVERAGE, AVERAGE_BACK, FRACTION, PUT_BACK } pool_kind;
static const pool_kind kinds[] = {LARGEST, LARGEST_BACK, AVERAGE, AVERAGE_BACK, FRACTION, PUT_BACK};

/* ---- what a plan says ---- */

/* x / by = (high half of x * factor, plus x) >> shift. */
divider divider_of(uint32_t by)
{
    divider d = {.by = by ? by : 1};
    while (d.shift < 31 && (UINT32_C(1) << d.shift) < d.by)
        d.shift++;
    d.factor = (uint32_t)(((UINT64_C(1) << 32) * ((UINT64_C(1) << d.shift) - d.by)) / d.by + 1);
    return d;
}

void dividers_of(divider *by, const pool_image *x)
{
    for (int d = 0; d < POOL_SPACE; d++)
        by[d] = divider_of(x->size[d]);
}

bool read_image(const kt_plan *plan, int at, pool_image *x, int64_t *batch, int64_t *channels)
{
    const int dims = (int)plan->param[0].v.i, first = at * (2 + dims), absent = POOL_SPACE - dims;
    bool      good = !plan->arg[at].bits && !plan->arg[at].immediate;
    *x = (pool_image){.at = plan->arg[at].data, .is = plan->arg[at].is, .by_batch = plan->stride[at][first],
                      .by_channel = plan->stride[at][first + 1]};
    *batch = plan->size[first];
    *channels = plan->size[first + 1];
    for (int d = 0; d < POOL_SPACE; d++) {
        const int64_t size = d < absent ? 1 : plan->size[first + 2 + d - absent];
        x->size[d] = (uint32_t)size;
        x->step[d] = d < absent ? 0 : plan->stride[at][first + 2 + d - absent];
        good &= size <= INT32_MAX / 4;
    }
    return good;
}

static bool read_geometry(const kt_plan *plan, pool_args *g)
{
    const int absent = POOL_SPACE - (int)plan->param[0].v.i;
    bool      good = true;
    for (int d = 0; d < POOL_SPACE; d++) {
        int32_t *const to[] = {&g->kernel[d], &g->stride[d], &g->padding[d], &g->dilation[d]};
        for (int k = 0; k < 4; k++) {
            const int64_t v = d < absent ? k != 2 : plan->param[1 + 3 * k + d - absent].v.i;
            *to[k] = (int32_t)v;
            good &= v >= 0 && v <= INT32_MAX / 8;
        }
        good &= (int64_t)g->few.size[d] * g->stride[d] <= INT32_MAX / 2;
        good &= (int64_t)g->kernel[d] * g->dilation[d] <= INT32_MAX / 4;
    }
    g->adaptive = g->kernel[POOL_SPACE - 1] == 0;
    g->with_padding = plan->param[13].v.i != 0;
    g->divisor = plan->param[14].v.i;
    g->dims = (uint32_t)plan->param[0].v.i;
    for (int d = 0; d < POOL_SPACE; d++) { /* windows that were drawn have none */
        g->stride[d] = g->stride[d] ? g->stride[d] : 1;
        g->dilation[d] = g->dilation[d] ? g->dilation[d] : 1;
        g->by_stride[d] = divider_of((uint32_t)g->stride[d]);
    }
    return good;
}

/* Most windows are 2 x 2 or 3 x 3, and few of them lie over each other: these have loops of known length. */
static void read_shape(pool_args *g)
{
    const bool plane = !g->adaptive && g->kernel[0] == 1 && g->whole.size[0] == 1 && g->few.size[0] == 1;
    g->small = g->laps = plane;
    for (int d = 1; d < POOL_SPACE; d++) {
        g->small &= g->kernel[d] >= 1 && g->kernel[d] <= POOL_SMALL;
        g->laps &= g->dilation[d] * (g->kernel[d] - 1) / g->stride[d] < POOL_LAP;
        g->by_whole[d - 1] = divider_of(g->whole.size[d]);
    }
}

/* Are the channels of a position nearer than the next position? */
static bool is_channels_last(const pool_args *g)
{
    const pool_image *x = &g->whole;
    return g->channels > 1 && !g->samples.at && (x->size[2] == 1 || x->by_channel < x->step[2]);
}

static bool is_known(const kt_plan *plan, int at, const pool_table *t)
{
    const kt_operand *x = &plan->arg[at];
    return x->as == x->is && ((at < plan->n_out ? t->writes : t->reads) >> x->is & 1);
}

static bool read_plan(const kt_plan *plan, pool_kind kind, const pool_table *t, pool_args *g)
{
    const bool back = kind == LARGEST_BACK || kind == AVERAGE_BACK || kind == PUT_BACK;
    const bool of_largest = kind != AVERAGE && kind != AVERAGE_BACK;
    const int  whole = back ? 0 : plan->n_out, few = back ? 1 : 0, index = back ? 2 : 1;
    int64_t    batch, channels, few_batch, few_channels, other[2];
    bool       good = read_image(plan, whole, &g->whole, &batch, &channels) && is_known(plan, whole, t);
    good = good && read_image(plan, few, &g->few, &few_batch, &few_channels) && is_known(plan, few, t);
    if (good && of_largest && (back || plan->n_out == 2))
        good = read_image(plan, index, &g->index, &other[0], &other[1]) && plan->arg[index].is == KT_I64;
    if (good && kind == FRACTION)
        good = read_image(plan, 3, &g->samples, &other[0], &other[1]) && is_known(plan, 3, t);
    good = good && read_geometry(plan, g) && batch == few_batch && channels == few_channels && batch * channels <= INT32_MAX;
    g->batch = (uint32_t)batch;
    g->channels = (uint32_t)channels;
    g->whole_width = (uint8_t)width_of(g->whole.is);
    g->few_width = (uint8_t)width_of(g->few.is);
    if (good)
        read_shape(g);
    g->volume = (uint64_t)g->whole.size[0] * g->whole.size[1] * g->whole.size[2];
    return good;
}

/* Numbers of POOL_RUN channels, or of elements of a row, are loaded or stored at once. */
static bool has_runs(const pool_image *x, int width, bool of_channels)
{
    const int64_t run = (int64_t)width * POOL_RUN;
    bool          good = (of_channels ? x->by_channel : x->step[2]) == width && is_aligned(x->at, run);
    good &= is_aligned((const void *)(uintptr_t)x->by_batch, run);
    good &= is_aligned((const void *)(uintptr_t)(of_channels ? x->step[2] : x->by_channel), run);
    for (int d = 0; d < 2; d++)
        good &= is_aligned((const void *)(uintptr_t)x->step[d], run);
    return good;
}

/* A thread may have POOL_RUN elements of the image, of a row or of its channels. */
static bool goes_by_runs(const pool_args *g)
{
    if (!g->channels_inner)
        return !g->adaptive && g->whole.size[2] % POOL_RUN == 0 && has_runs(&g->whole, g->whole_width, false);
    return g->channels % POOL_RUN == 0 && has_runs(&g->whole, g->whole_width, true) && has_runs(&g->few, g->few_width, true) &&
           (!g->index.at || has_runs(&g->index, sizeof(int64_t), true));
}

/* ---- launches ---- */

static kt_status launch_over(const void *kernel, pool_args *g, const pool_image *x, const kt_plan *plan)
{
    g->n = (uint64_t)g->batch * g->channels * x->size[0] * x->size[1] * x->size[2];
    dividers_of(g->by_size, x);
    g->by_channels = divider_of(g->channels);
    return g->n == 0 ? KT_OK : g->n > INT32_MAX ? KT_DECLINED : launch_kernel(kernel, blocks_of(g->n, ARG_THREADS), g, plan);
}

static kt_status launch_back(const void *kernel, const void *const *runs, pool_args *g, const kt_plan *plan)
{
    if (!goes_by_runs(g))
        return launch_over(kernel, g, &g->whole, plan);
    pool_args      by = *g;
    const uint64_t n = (uint64_t)g->batch * g->channels * g->volume / POOL_RUN;
    dividers_of(by.by_size, &g->whole);
    by.by_channels = divider_of(g->channels_inner ? g->channels / POOL_RUN : g->channels);
    if (!g->channels_inner)
        by.by_size[2] = divider_of(g->whole.size[2] / POOL_RUN);
    by.n = n;
    if (n > INT32_MAX)
        return KT_DECLINED;
    return n ? launch_kernel(runs[g->channels_inner], blocks_of(n, ARG_THREADS), &by, plan) : KT_OK;
}

/* Windows first, whose numbers go to the elements that they stand over; then indices that name another. */
static kt_status launch_largest_back(const pool_back_table *t, pool_args *g, const kt_plan *plan)
{
    const int is = g->whole.is;
    if (is != KT_F32 && is != KT_F64 && is != KT_F16 && is != KT_BF16 && is != KT_I32 && is != KT_I64)
        return KT_DECLINED;
    kt_status status = launch_back(t->largest, t->largest_run, g, plan);
    if (!status)
        status = fault_expect(plan, &g->fault) ? KT_ERR_MEMORY : launch_over(t->strays, g, &g->few, plan);
    return status;
}

static kt_status launch_put_back(const pool_table *t, pool_args *g, const kt_plan *plan)
{
    for (int d = 0; d < POOL_SPACE; d++)
        if (g->whole.size[d] >= 1u << KT_FAULT_SIZE_BITS)
            return KT_DECLINED;
    kt_status status = launch_over(t->clear, g, &g->whole, plan);
    if (!status)
        status = fault_expect(plan, &g->fault) ? KT_ERR_MEMORY : launch_over(t->put_back, g, &g->few, plan);
    return status;
}

static kt_status launch_pool(const kt_plan *plan, const void *what)
{
    const pool_kind   kind = *(const pool_kind *)what;
    const pool_table *t = &pool_tables[plan->compute];
    const pool_back_table *back = &pool_back_tables[plan->compute];
    pool_args         g;
    memset(&g, 0, sizeof g);
    if (!read_plan(plan, kind, t, &g) || (kind == FRACTION && !t->fraction))
        return KT_DECLINED;
    g.channels_inner = is_channels_last(&g);
    switch (kind) {
    case LARGEST: return launch_over(t->largest, &g, &g.few, plan);
    case LARGEST_BACK: return launch_largest_back(back, &g, plan);
    case AVERAGE: return launch_over(t->average, &g, &g.few, plan);
    case AVERAGE_BACK: return launch_back(back->average, back->average_run, &g, plan);
    case PUT_BACK: return launch_put_back(t, &g, plan);
    case FRACTION: return launch_over(t->fraction, &g, &g.few, plan);
    }
    return KT_DECLINED;
}

void pool_open(void)
{
    static const char *const names[] = {"max_pool",          "max_pool_backward",   "avg_pool",
                                        "avg_pool_backward", "fractional_max_pool", "max_unpool"};
    for (int i = 0; i < 6; i++)
        for (int compute = 0; compute < KT_IN_U64; compute++)
            launch_serve(names[i], (kt_compute)compute, launch_pool, &kinds[i]);
}
