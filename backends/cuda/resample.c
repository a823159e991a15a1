/* resample.c - plans of images that are resized, or sampled at the places of a grid, forward and back.
 *
 * In: plans whose operands have dims of their own. Out: launches, or KT_DECLINED for sums of uint8. Independent of: what a weight
 * is. */
#include <math.h>
#include <string.h>

#include "parts.h"
#include "tables/kernels/resample.h"

static const resize_table *const resizes[KT_NUM_COMPUTE] = {[KT_IN_F32] = &resize_f32, [KT_IN_F64] = &resize_f64};
static const grid_table *const   grids[KT_NUM_COMPUTE] = {[KT_IN_F32] = &grid_f32, [KT_IN_F64] = &grid_f64};

static uint64_t elements_of(uint64_t batch, uint64_t channels, const pool_image *x)
{
    return batch * channels * x->size[0] * x->size[1] * x->size[2];
}

static bool is_channels_last(const pool_image *x, uint32_t channels)
{
    return channels > 1 && (x->size[2] == 1 || x->by_channel < x->step[2]);
}

static kt_status launch_over(const void *kernel, uint64_t n, void *args, const kt_plan *plan)
{
    return n == 0 ? KT_OK : n > INT32_MAX ? KT_DECLINED : launch_kernel(kernel, blocks_of(n, ARG_THREADS), args, plan);
}

/* ---- resized ---- */

/* Each result is an element. */
static bool moves(const kt_plan *plan)
{
    const kt_operand *out = &plan->arg[0], *in = &plan->arg[1];
    return plan->param[1].v.i <= KT__NEAREST_EXACT && !(plan->param[2].v.i & KT__FLOWS_BACK) && out->is == in->is &&
           in->as == in->is && out->as == out->is && !in->bits;
}

/* As the CPU reads a plan: cpu/resample/resample.c. */
static void read_dims(const kt_plan *plan, resize_args *g)
{
    const int  dims = (int)plan->param[0].v.i, absent = POOL_SPACE - dims, bits = (int)plan->param[2].v.i;
    const bool back = bits & KT__FLOWS_BACK, antialias = bits & KT__ANTIALIAS;
    bool       same = true;
    for (int d = 0; d < POOL_SPACE; d++) {
        const pool_image *from = back ? &g->out : &g->in, *to = back ? &g->in : &g->out;
        g->along[d] = (kt__along){.from = from->size[d], .to = to->size[d], .filter = (int)plan->param[1].v.i,
                                  .scale = d < absent ? 0 : plan->param[3 + d - absent].v.re, .align = bits & KT__ALIGN_CORNERS,
                                  .antialias = antialias, .back = back, .by_channels = bits & KT__BY_CHANNELS};
        same &= from->size[d] == to->size[d];
    }
    for (int d = 0; d < POOL_SPACE; d++) {
        kt__along *a = &g->along[d];
        const bool cubic = a->filter == KT__CUBIC && back && !antialias && same;
        a->copies = d < absent || cubic || (antialias && a->filter >= KT__LINEAR && !back && a->from == a->to);
    }
}

/* How many elements a result reads at most. */
static double most_of(const kt__along *a)
{
    if (a->copies || a->filter < KT__LINEAR)
        return 1;
    if (!a->antialias)
        return a->filter == KT__LINEAR ? 2 : 4;
    const double apart = a->align ? (a->to > 1 ? (double)(a->from - 1) / (double)(a->to - 1) : 0)
                         : a->scale > 0 ? 1.0 / a->scale : (double)a->from / (double)a->to;
    const double most = ceil(2 * (a->filter == KT__CUBIC ? 2 : 1) * (apart < 1 ? 1 : apart)) + 2;
    return most < (double)a->from ? most : (double)a->from;
}

/* Memory for the lists: entries, weights, shares and ranges behind each other. */
static kt_status make_lists(resize_args *g, const resize_table *t, int width, void **made, size_t *granted, const kt_plan *plan)
{
    int64_t entries = 0, elements = 0, longest = 0;
    for (int d = 0; d < POOL_SPACE; d++) {
        const double most = most_of(&g->along[d]);
        if (most * (double)g->along[d].to > 1e9)
            return KT_DECLINED;
        g->most[d] = most < 1 ? 1 : (uint32_t)most;
        entries += g->most[d] * g->along[d].to;
        elements += g->along[d].from;
        longest = g->along[d].to > longest ? g->along[d].to : longest;
        longest = g->along[d].from > longest ? g->along[d].from : longest;
    }
    const int64_t shares = g->along[0].back ? elements * RESIZE_SHARES : 0;
    const size_t  bytes = (size_t)entries * sizeof(int64_t) + (size_t)(entries + shares) * (size_t)width +
                         (size_t)elements * 2 * sizeof(int32_t);
    kt_status     status = memory_alloc(NULL, plan->device_index, plan->stream, bytes, made, granted);
    if (status)
        return status;
    int64_t *at = *made;
    char    *weight = (char *)(at + entries), *share = weight + entries * width;
    int32_t *range = (int32_t *)(void *)(share + shares * width);
    for (int d = 0; d < POOL_SPACE; d++) {
        const int64_t n = g->most[d] * g->along[d].to;
        g->at[d] = at, g->weight[d] = weight, g->range[d] = range, g->share[d] = share;
        at += n, weight += n * width, range += 2 * g->along[d].from;
        share += g->along[d].from * RESIZE_SHARES * width;
    }
    status = launch_over(t->taps, (uint64_t)longest, g, plan);
    return status || !g->along[0].back ? status : launch_over(t->ranges, (uint64_t)longest, g, plan);
}

static bool is_square(const resize_args *g) { return g->most[0] == 1 && g->most[1] == 2 && g->most[2] == 2; }

/* What is known of a place serves several channels, which lie a share of all apart, so that neighbours lie side by side. */
static kt_status launch_channels(const void *const *kernels, resize_args *g, const kt_plan *plan)
{
    const bool several = g->channels % RESIZE_CHANNELS == 0;
    g->channel_step = several ? g->channels / RESIZE_CHANNELS : 0;
    if (several) {
        g->n /= RESIZE_CHANNELS;
        g->by_channels = divider_of((uint32_t)g->channel_step);
    }
    return launch_over(kernels[several], g->n, g, plan);
}

static kt_status launch_resize(const kt_plan *plan, const void *what)
{
    (void)what;
    const bool          moved = moves(plan), back = plan->param[2].v.i & KT__FLOWS_BACK;
    const kt_compute    compute = moved ? (plan->arg[1].is == KT_F64 ? KT_IN_F64 : KT_IN_F32) : (kt_compute)plan->compute;
    const resize_table *t = resizes[compute];
    resize_args         g;
    int64_t             batch[2], channels[2];
    void               *made = NULL;
    size_t              granted = 0;
    memset(&g, 0, sizeof g);
    if (!t || !read_image(plan, 0, &g.out, &batch[0], &channels[0]) || !read_image(plan, 1, &g.in, &batch[1], &channels[1]) ||
        batch[0] != batch[1] || channels[0] != channels[1] || batch[0] * channels[0] > INT32_MAX)
        return KT_DECLINED;
    for (int i = 0; i < 2 && !moved; i++)
        if (plan->arg[i].as != plan->arg[i].is || !((i ? t->reads : t->writes) >> plan->arg[i].is & 1))
            return KT_DECLINED;
    g.batch = (uint32_t)batch[0], g.channels = (uint32_t)channels[0];
    g.channels_inner = is_channels_last(&g.out, g.channels) && is_channels_last(&g.in, g.channels);
    g.width = (uint8_t)width_of(plan->arg[0].is);
    if (moved && g.width > 8)
        return KT_DECLINED;
    g.n = elements_of(g.batch, g.channels, &g.out);
    dividers_of(g.by_size, &g.out);
    g.by_channels = divider_of(g.channels);
    read_dims(plan, &g);
    kt_status status = make_lists(&g, t, compute == KT_IN_F64 ? 8 : 4, &made, &granted, plan);
    if (!status)
        status = moved ? launch_over(t->move, g.n, &g, plan)
                 : back || is_square(&g) ? launch_channels(back ? t->back : t->square, &g, plan)
                                         : launch_over(t->sum, g.n, &g, plan);
    if (made)
        memory_free(NULL, plan->device_index, made, granted);
    return status;
}

/* ---- a grid ---- */

static bool read_grid(const kt_plan *plan, int at, pool_image *x)
{
    const int dims = (int)plan->param[0].v.i, first = at * (2 + dims), absent = POOL_SPACE - dims;
    bool      good = !plan->arg[at].bits && !plan->arg[at].immediate;
    *x = (pool_image){.at = plan->arg[at].data, .is = plan->arg[at].is, .by_batch = plan->stride[at][first],
                      .by_channel = plan->stride[at][first + 1 + dims]};
    for (int d = 0; d < POOL_SPACE; d++) {
        const int64_t size = d < absent ? 1 : plan->size[first + 1 + d - absent];
        x->size[d] = (uint32_t)size;
        x->step[d] = d < absent ? 0 : plan->stride[at][first + 1 + d - absent];
        good &= size <= INT32_MAX;
    }
    return good;
}

static bool are_known(const kt_plan *plan, const grid_table *t)
{
    bool good = true;
    for (int i = 0; i < plan->n_out + plan->n_in; i++)
        good &= plan->arg[i].as == plan->arg[i].is && ((i < plan->n_out ? t->writes : t->reads) >> plan->arg[i].is & 1);
    return good;
}

/* Channels of a thread: few, where there are few places. */
static void cut_channels(grid_args *g, bool whole)
{
    enum { ENOUGH = 1 << 17 };
    const uint64_t places = elements_of(g->batch, 1, &g->grid);
    uint64_t       chunks = whole || !places ? 1 : ENOUGH / places;
    chunks = chunks < 1 ? 1 : chunks > g->channels ? g->channels : chunks;
    g->chunk = (uint32_t)blocks_of(g->channels, chunks ? chunks : 1);
    g->chunk = g->chunk ? g->chunk : 1;
    g->chunks = (uint32_t)blocks_of(g->channels, g->chunk);
    g->chunks = g->chunks ? g->chunks : 1;
    g->n = places * g->chunks;
    dividers_of(g->by_size, &g->grid);
    g->by_channels = divider_of(g->chunks);
}

static void cut_image(grid_args *g, uint64_t n)
{
    g->n = n;
    dividers_of(g->by_size, &g->to_image);
    g->by_channels = divider_of(g->channels);
}

/* Sums are made in the compute type: where the image has another, beside it. */
static kt_status launch_to_image(grid_args *g, const grid_table *t, const kt_plan *plan)
{
    const int      self = plan->compute == KT_IN_F64 ? KT_F64 : KT_F32, width = width_of(self);
    const uint64_t n = elements_of(g->batch, g->channels, &g->to_image);
    grid_args      a = *g;
    void          *made = NULL;
    size_t         granted = 0;
    kt_status      status = KT_OK;
    if (a.to_image.is != self) {
        status = memory_alloc(NULL, plan->device_index, plan->stream, n * (size_t)width, &made, &granted);
        a.to_image.at = made, a.to_image.is = self;
        int64_t step = width;
        for (int d = POOL_SPACE - 1; d >= 0; d--) {
            a.to_image.step[d] = step;
            step *= a.to_image.size[d];
        }
        a.to_image.by_channel = step, a.to_image.by_batch = step * a.channels;
    }
    cut_image(&a, n);
    if (!status)
        status = launch_over(t->clear, n, &a, plan);
    cut_channels(&a, false);
    if (!status)
        status = launch_over(t->to_image, a.n, &a, plan);
    if (!status && made) {
        a.image = a.to_image, a.to_image = g->to_image;
        cut_image(&a, n);
        status = launch_over(t->convert, n, &a, plan);
    }
    if (made)
        memory_free(NULL, plan->device_index, made, granted);
    return status;
}

static kt_status launch_grid(const kt_plan *plan, const void *what)
{
    const bool        back = *(const bool *)what;
    const grid_table *t = grids[plan->compute];
    const int         in = plan->n_out, bits = back ? (int)plan->param[4].v.i : 0;
    grid_args         g;
    int64_t           batch, channels, other[2];
    memset(&g, 0, sizeof g);
    if (!are_known(plan, t) || !read_image(plan, back ? in : 0, &g.samples, &other[0], &other[1]) ||
        !read_image(plan, in + back, &g.image, &batch, &channels) || !read_grid(plan, in + back + 1, &g.grid) ||
        (bits & KT__TO_IMAGE && !read_image(plan, 0, &g.to_image, &other[0], &other[1])) ||
        (bits & KT__TO_GRID && !read_grid(plan, in - 1, &g.to_grid)) || batch * channels > INT32_MAX ||
        (uint64_t)g.image.size[0] * g.image.size[1] * g.image.size[2] >= INT32_MAX)
        return KT_DECLINED;
    g.batch = (uint32_t)batch, g.channels = (uint32_t)channels, g.dims = (uint32_t)plan->param[0].v.i;
    g.mode = (uint8_t)plan->param[1].v.i, g.padding = (uint8_t)plan->param[2].v.i, g.align = plan->param[3].v.i != 0;
    cut_channels(&g, back);
    if (!back)
        return g.channels ? launch_over(t->sample, g.n, &g, plan) : KT_OK;
    kt_status status = bits & KT__TO_GRID ? launch_over(t->to_grid, g.n, &g, plan) : KT_OK;
    if (!status && bits & KT__TO_IMAGE)
        status = launch_to_image(&g, t, plan);
    return status;
}

void resample_open(void)
{
    static const bool forward = false, back = true;
    for (int compute = 0; compute <= KT_IN_I32; compute++)
        launch_serve("resample", (kt_compute)compute, launch_resize, NULL);
    for (int compute = 0; compute < KT_NUM_COMPUTE; compute++) {
        if (!grids[compute])
            continue;
        launch_serve("grid_sample", (kt_compute)compute, launch_grid, &forward);
        launch_serve("grid_sample_backward", (kt_compute)compute, launch_grid, &back);
    }
}
