/* convolution.c - convolutions on the CPU, forward and back: as matrix products, tile by tile.
 *
 * In: plans of the three convolution kernels. Out: their results, by kt__product_run. A tile is a box of positions of the
 * result. What the window sees from there is copied into columns, one for each position (a 1x1 window sees the image itself,
 * and nothing is copied), and the weights times the columns are the tile. Copies and products convert dtypes and read any
 * strides, so channels-last images need no pass of their own: their columns have the channels innermost. Row-major images in
 * float32 and narrower floats need no columns (direct.h).
 *
 * The gradient of the image is a convolution too. With stride s its positions fall into s classes in each dim, by which taps
 * of the weight reach them; each class is a grid of its own, with a step of s, and a pass of its own.
 *
 * Work is divided by sizes alone, so the number of threads does not change the bits. Independent of: how products are made. */
#include "cpu/window/window.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/gemm/products.h"
#include "cpu/window/pass.h"
#include "cpu/window/pool.h"
#include "cpu/window/relaid.h"
#include "cpu/window/within.h"
#include "tables/kernels/product.h"
#include "tables/kernels/reduce.h"
#include "tables/kernels/window.h"

#include <string.h>

enum { TILE_BYTES = 1 << 18, LEAST_POSITIONS = 64, MOST_POSITIONS = 4096, PARTIAL_SUMS = 1 << 23 };

/* ---- operands ---- */

typedef struct geometry {
    int64_t stride[SPACE], padding[SPACE], dilation[SPACE], groups;
} geometry;

static geometry geometry_of(const kt_plan *plan)
{
    geometry  g = {.groups = plan->param[10].v.i};
    const int absent = SPACE - kt__space_of(plan);
    for (int d = 0; d < SPACE; d++) {
        const int at = d - absent;
        g.stride[d] = at < 0 ? 1 : plan->param[1 + at].v.i;
        g.padding[d] = at < 0 ? 0 : plan->param[4 + at].v.i;
        g.dilation[d] = at < 0 ? 1 : plan->param[7 + at].v.i;
    }
    return g;
}

static weight weight_of(const kt_plan *plan, int at)
{
    const int first = at * (2 + kt__space_of(plan));
    weight    w = {.x = plan->arg[at], .outer = plan->size[first], .inner = plan->size[first + 1],
                   .by_outer = plan->stride[at][first], .by_inner = plan->stride[at][first + 1]};
    kt__read_space(plan, at, first, w.size, w.step);
    return w;
}

static kt_dtype dtype_of(const kt_plan *plan)
{
    static const kt_dtype of[KT_NUM_COMPUTE] = {[KT_IN_F32] = KT_F32, [KT_IN_F64] = KT_F64, [KT_IN_I32] = KT_I32,
                                                [KT_IN_I64] = KT_I64, [KT_IN_U64] = KT_U64, [KT_IN_C64] = KT_C64,
                                                [KT_IN_C128] = KT_C128};
    return of[plan->compute];
}

/* Positions p read p * stride - padding + k * dilation. One position does not move: the stride may be any integer then. */
static reach reach_forward(const geometry *g, int d, int64_t positions, int64_t taps)
{
    return (reach){.step = 1, .count = positions, .tap_step = 1, .taps = taps, .from = -g->padding[d],
                   .move = positions > 1 ? g->stride[d] : 1, .by_tap = g->dilation[d]};
}

static int64_t modulo(int64_t a, int64_t n) { return a % n + (a % n < 0 ? n : 0); }

static int64_t common_divisor(int64_t a, int64_t b) { return b ? common_divisor(b, a % b) : a; }

/* Class c of the positions i: those with (i + padding) % stride == c, which taps k with k * dilation % stride == c reach. */
static reach reach_back(const geometry *g, int d, int64_t c, int64_t positions, int64_t taps)
{
    const int64_t s = g->stride[d], divisor = common_divisor(g->dilation[d], s), apart = s / divisor;
    reach         r = {.first = modulo(c - g->padding[d], s), .step = s, .tap_step = apart, .move = 1};
    r.count = r.first < positions ? (positions - r.first - 1) / s + 1 : 0;
    while (r.tap < apart && r.tap < taps && r.tap * g->dilation[d] % s != c)
        r.tap++;
    r.taps = r.tap < apart && r.tap < taps ? (taps - r.tap - 1) / apart + 1 : 0;
    r.from = (r.first + g->padding[d] - r.tap * g->dilation[d]) / s;
    r.by_tap = -(g->dilation[d] / divisor);
    return r;
}

/* ---- boxes ---- */

/* Whole rows, whole planes as far as they fit; of equal sizes as far as possible. */
static void cut_boxes(pass *p)
{
    const int64_t column = p->depth * p->taps * p->width;
    int64_t       room = TILE_BYTES / (column > 0 ? column : 1);
    room = room < LEAST_POSITIONS ? LEAST_POSITIONS : room > MOST_POSITIONS ? MOST_POSITIONS : room;
    for (int d = SPACE - 1; d >= 0; d--) {
        const int64_t count = p->reach[d].count, n = pieces(count, room);
        p->box_size[d] = n ? pieces(count, n) : 1;
        p->boxes[d] = pieces(count, p->box_size[d]);
        room = room / p->box_size[d] > 0 ? room / p->box_size[d] : 1;
    }
}

/* Do the positions of a box lie at one distance? `step`: from element to element of the operand, in each dim. */
static bool evenly(const box *b, const int64_t *step, int64_t *apart)
{
    int64_t next = -1;
    *apart = 0;
    for (int d = SPACE - 1; d >= 0; d--) {
        if (b->size[d] == 1)
            continue;
        if (next >= 0 && step[d] != next)
            return false;
        *apart = next < 0 ? step[d] : *apart;
        next = step[d] * b->size[d];
    }
    return true;
}

/* ---- columns ---- */

/* The positions of the box at which tap t reads the image, not what lies beyond it. */
static bool seen_by(const reach *r, int64_t t, int64_t first, int64_t count, int64_t size, int64_t *low, int64_t *high)
{
    const int64_t from = r->from + r->by_tap * t + r->move * first;
    *low = from < 0 ? pieces(-from, r->move) : 0;
    *high = from < size ? pieces(size - from, r->move) : 0;
    *high = *high < count ? *high : count;
    return *low < *high;
}

static bool sees_edges(const pass *p, const box *b)
{
    for (int d = 0; d < SPACE; d++)
        for (int end = 0; end < 2; end++) {
            const reach *r = &p->reach[d];
            int64_t      low, high;
            if (!seen_by(r, end ? r->taps - 1 : 0, b->first[d], b->size[d], p->from.size[d], &low, &high) || low > 0 ||
                high < b->size[d])
                return true;
        }
    return false;
}

/* One tap of all channels from `channel` on. */
static kt_status copy_tap(const pass *p, const box *b, int64_t n, int64_t channel, int64_t channels, const int64_t *tap,
                          int64_t at, char *columns)
{
    const int64_t width = p->width, by_channel = p->channels_inner ? width : p->taps * kt__volume(b->size) * width,
                  by_tap = p->channels_inner ? channels * width : kt__volume(b->size) * width;
    int64_t       position = p->channels_inner ? channels * p->taps * width : width;
    int64_t       step[SPACE], low[SPACE], high[SPACE];
    char         *to = columns + at * by_tap;
    const char   *from = p->from.x.data + n * p->from.by_batch + channel * p->from.by_channel;
    for (int d = SPACE - 1; d >= 0; d--) {
        const reach *r = &p->reach[d];
        if (!seen_by(r, tap[d], b->first[d], b->size[d], p->from.size[d], &low[d], &high[d]))
            return KT_OK;
        step[d] = position;
        position *= b->size[d];
        to += low[d] * step[d];
        from += (r->from + r->by_tap * tap[d] + r->move * (b->first[d] + low[d])) * p->from.step[d];
    }
    kt_operand target = computed(p, to), source = p->from.x;
    kt_plan    copy;
    source.data = (char *)(uintptr_t)from;
    copy_begin(&copy, &target, &source);
    if (!p->channels_inner)
        copy_dim(&copy, channels, by_channel, p->from.by_channel);
    for (int d = 0; d < SPACE; d++)
        copy_dim(&copy, high[d] - low[d], step[d], p->reach[d].move * p->from.step[d]);
    if (p->channels_inner)
        copy_dim(&copy, channels, by_channel, p->from.by_channel);
    return kt__cpu_run_with(p->build, &copy);
}

static kt_status fill_columns(const pass *p, const box *b, int64_t n, int64_t channel, int64_t channels, char *columns)
{
    int64_t   tap[SPACE];
    kt_status status = KT_OK;
    if (sees_edges(p, b))
        memset(columns, 0, (size_t)(channels * p->taps * kt__volume(b->size) * p->width));
    for (int64_t at = 0; at < p->taps && !status; at++) {
        int64_t rest = at;
        for (int d = SPACE - 1; d >= 0; d--) {
            tap[d] = rest % p->reach[d].taps;
            rest /= p->reach[d].taps;
        }
        status = copy_tap(p, b, n, channel, channels, tap, at, columns);
    }
    return status;
}

/* ---- weights as a matrix ---- */

/* The dense one, in the order of the columns. */
static packing packing_of(const pass *p)
{
    packing k;
    int64_t step = p->width;
    if (p->channels_inner)
        k.by_channel = step, step *= p->depth;
    for (int d = SPACE - 1; d >= 0; d--)
        k.by_tap[d] = step, step *= p->reach[d].taps;
    if (!p->channels_inner)
        k.by_channel = step, step *= p->depth;
    k.by_row = step;
    k.by_group = step * p->rows;
    return k;
}

static void copy_weights(kt_plan *copy, const pass *p, const packing *to, const packing *from)
{
    copy_dim(copy, p->groups, to->by_group, from->by_group);
    copy_dim(copy, p->rows, to->by_row, from->by_row);
    if (!p->channels_inner)
        copy_dim(copy, p->depth, to->by_channel, from->by_channel);
    for (int d = 0; d < SPACE; d++)
        copy_dim(copy, p->reach[d].taps, to->by_tap[d], from->by_tap[d]);
    if (p->channels_inner)
        copy_dim(copy, p->depth, to->by_channel, from->by_channel);
}

static bool lie_alike(const pass *p, const packing *a, const packing *b)
{
    bool alike = p->depth <= 1 || a->by_channel == b->by_channel;
    for (int d = 0; d < SPACE; d++)
        alike = alike && (p->reach[d].taps <= 1 || a->by_tap[d] == b->by_tap[d]);
    return alike;
}

/* In place if they are dense, else as a copy in `made`. */
static kt_status lay_weights(pass *p, const weight *w, bool back, void **made, size_t *granted)
{
    const packing  is = packed_as(p, w, back), dense = packing_of(p);
    kt_operand     source = w->x;
    const bool     plain = source.is == p->dtype && source.as == p->dtype && !source.bits;
    const int64_t  bytes = p->groups * dense.by_group;
    for (int d = 0; d < SPACE; d++)
        source.data += p->reach[d].taps ? p->reach[d].tap * w->step[d] : 0;
    if (bytes == 0 || (plain && lie_alike(p, &is, &dense))) {
        p->weights = source.data, p->by_group = is.by_group, p->by_row = is.by_row;
        return KT_OK;
    }
    if (!(*made = kt__block_get((size_t)bytes, granted)))
        return kt__fail_memory((size_t)bytes);
    kt_operand target = computed(p, *made);
    kt_plan    copy;
    copy_begin(&copy, &target, &source);
    copy_weights(&copy, p, &dense, &is);
    p->weights = *made, p->by_group = dense.by_group, p->by_row = dense.by_row;
    return copy.numel ? kt__cpu_run_with(p->build, &copy) : KT_OK;
}

/* ---- products ---- */

static void set_matrix(kt_plan *plan, int at, const matrix *x, int row, int column)
{
    plan->arg[at] = x->x;
    plan->stride[at][0] = plan->stride[at][1] = plan->stride[at][2] = 0;
    plan->stride[at][row] = x->by_row;
    plan->stride[at][column] = x->by_column;
}

kt_status kt__multiply(const pass *p, const matrix *out, const matrix *a, const matrix *b, const matrix *c, int64_t m, int64_t n,
                       int64_t k)
{
    kt_plan plan;
    kt__plan_clear(&plan);
    plan.kernel = KT_K_matmul, plan.compute = p->plan->compute, plan.rounding = KT_ROUND_TORCH;
    plan.n_out = 1, plan.n_in = c ? 3 : 2, plan.nd = 3, plan.numel = m * n;
    plan.size[0] = m, plan.size[1] = n, plan.size[2] = k;
    set_matrix(&plan, 0, out, 0, 1);
    set_matrix(&plan, 1, a, 0, 2);
    set_matrix(&plan, 2, b, 2, 1);
    if (c)
        set_matrix(&plan, 3, c, 0, 1);
    return kt__product_run(p->build, &plan);
}

/* The columns of a box as [channel and tap, position]. */
static matrix columns_of(const pass *p, const box *b, const char *columns, int64_t channels)
{
    const int64_t length = channels * p->taps * p->width, positions = kt__volume(b->size) * p->width;
    return p->channels_inner ? (matrix){computed(p, columns), p->width, length}
                             : (matrix){computed(p, columns), positions, p->width};
}

/* The image itself where the window has one tap: [channel, position]; false if the positions do not lie evenly. */
static bool image_as_columns(const pass *p, const box *b, int64_t n, int64_t channel, matrix *m)
{
    int64_t step[SPACE], begin = n * p->from.by_batch + channel * p->from.by_channel;
    if (p->taps != 1 || sees_edges(p, b))
        return false;
    for (int d = 0; d < SPACE; d++) {
        step[d] = p->reach[d].move * p->from.step[d];
        begin += (p->reach[d].from + p->reach[d].move * b->first[d]) * p->from.step[d];
    }
    m->x = p->from.x;
    if (m->x.data) /* NULL: no channels */
        m->x.data += begin;
    m->by_row = p->from.by_channel;
    return evenly(b, step, &m->by_column);
}

/* Room for the columns of a box, or its part of the image, and for its results. */
static bool scratch_get(scratch *s, const pass *p, int64_t channels)
{
    if (p->sums && p->directly) {
        s->columns = s->made = kt__block_get((size_t)kt__weight_room(p), &s->granted);
        return s->made != NULL;
    }
    const int64_t positions = kt__volume(p->box_size), seen = p->directly ? p->direct.padded : channels * p->taps * positions;
    const int64_t columns = (seen * p->width + 63) / 64 * 64;
    s->bytes = (size_t)(columns + p->rows * positions * p->width);
    s->made = kt__block_get(s->bytes, &s->granted);
    s->columns = s->made;
    s->tile = s->columns + columns;
    return s->made != NULL;
}

static kt_status run_box(const pass *p, const scratch *s, int64_t n, int64_t group, const box *b)
{
    const int64_t positions = kt__volume(b->size), depth = p->depth * p->taps;
    int64_t       step[SPACE], dense[SPACE], apart;
    const matrix  weights = {computed(p, p->weights + group * p->by_group), p->by_row, p->width};
    matrix        columns, out = {p->to.x, p->to.by_channel, 0}, bias = {p->bias, p->by_bias, 0};
    out.x.data = box_in_result(p, b, n, group * p->rows, step);
    bias.x.data += p->bias.data ? group * p->rows * p->by_bias : 0;
    if (!image_as_columns(p, b, n, group * p->depth, &columns)) {
        if (fill_columns(p, b, n, group * p->depth, p->depth, s->columns))
            return kt_error_status();
        columns = columns_of(p, b, s->columns, p->depth);
    }
    const matrix *add = p->bias.data ? &bias : NULL;
    if (evenly(b, step, &apart)) {
        out.by_column = apart;
        return kt__multiply(p, &out, &weights, &columns, add, p->rows, positions, depth);
    }
    const int64_t row = tile_steps(p, b, dense);
    const matrix  tile = {computed(p, s->tile), row, p->width};
    kt_status     status = kt__multiply(p, &tile, &weights, &columns, add, p->rows, positions, depth);
    return status ? status : move_tile(p, b, &out.x, step, p->to.by_channel, &tile.x, dense, row);
}

/* ---- the image: batch times groups times boxes ---- */

static void run_boxes(void *ctx, int64_t begin, int64_t end)
{
    pass         *p = ctx;
    const int64_t boxes = kt__volume(p->boxes);
    scratch       s;
    bool          ok = scratch_get(&s, p, p->depth);
    for (int64_t i = begin; ok && i < end; i++) {
        const int64_t at = p->cuts > 1 ? i / p->cuts : i, n = at / boxes / p->groups, group = at / boxes % p->groups;
        const box     b = box_at(p, at % boxes);
        ok = (p->directly ? kt__run_directly(p, &s, n, group, &b, i % p->cuts) : run_box(p, &s, n, group, &b)) == KT_OK;
    }
    if (!ok)
        __atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
    kt__block_put(s.made, s.granted);
}

/* Without the first and last taps that see the image from nowhere, as of a window that is larger than the image. In float32
 * alone: a zero beyond the image times an infinite weight is left out there, and is NaN in float64, as in PyTorch. */
static void leave_unseen(pass *p)
{
    if (p->dtype != KT_F32)
        return;
    for (int d = 0; d < SPACE; d++) {
        reach  *r = &p->reach[d];
        int64_t low, high;
        while (r->taps > 1 && !seen_by(r, r->taps - 1, 0, r->count, p->from.size[d], &low, &high))
            r->taps--;
        while (r->taps > 1 && !seen_by(r, 0, 0, r->count, p->from.size[d], &low, &high))
            r->taps--, r->tap += r->tap_step, r->from += r->by_tap;
    }
}

static kt_status run_pass(pass *p, const weight *w, bool back)
{
    void  *made = NULL;
    size_t granted = 0;
    leave_unseen(p);
    p->taps = p->reach[0].taps * p->reach[1].taps * p->reach[2].taps;
    const bool beside = kt__fits_beside(p);
    if (!beside && kt__fits_bf16(p, w))
        return kt__run_bf16(p, w, back);
    const bool together = !beside && kt__fits_together(p, false);
    if (beside || together) {
        p->channels_inner = p->channels_inner && beside;
        kt_status status = lay_weights(p, w, back, &made, &granted);
        if (!status)
            status = beside ? kt__run_beside(p) : kt__run_together(p);
        kt__block_put(made, granted);
        return status;
    }
    if (!(p->directly = kt__fits_directly(p)))
        cut_boxes(p);
    const int64_t boxes = kt__volume(p->boxes), whole = p->to.batch * p->groups * boxes;
    p->cuts = p->directly ? kt__direct_cuts(p, whole) : 1;
    const int64_t items = whole * p->cuts, work = p->rows * p->depth * p->taps * kt__volume(p->box_size) / p->cuts + 1;
    kt_status status = lay_weights(p, w, back, &made, &granted);
    if (!status && p->directly)
        status = kt__begin_directly(p);
    if (!status && items > 0)
        kt__parallel(items, (1 << 18) / work + 1, run_boxes, p);
    if (p->directly)
        kt__direct_end(&p->direct);
    kt__block_put(made, granted);
    return p->failed ? kt__fail_memory(TILE_BYTES) : status;
}

static pass pass_of(const kt__cpu_build *build, const kt_plan *plan, const geometry *g)
{
    pass p = {.build = build, .plan = plan, .dtype = dtype_of(plan), .to = kt__image_of(plan, 0), .from = kt__image_of(plan, 1),
              .groups = g->groups};
    p.width = kt__dtype_rows[p.dtype].size;
    p.rows = p.to.channels / g->groups;
    p.depth = p.from.channels / g->groups;
    p.channels_inner = kt__channels_last(&p.from);
    if (plan->n_in == 3) {
        p.bias = plan->arg[3];
        p.by_bias = plan->stride[3][3 * (2 + kt__space_of(plan))];
    }
    return p;
}

static kt_status run_forward(const kt__cpu_build *build, const kt_plan *plan)
{
    const geometry g = geometry_of(plan);
    const weight   w = weight_of(plan, 2);
    pass           p = pass_of(build, plan, &g);
    for (int d = 0; d < SPACE; d++)
        p.reach[d] = reach_forward(&g, d, p.to.size[d], w.size[d]);
    return run_pass(&p, &w, false);
}

/* Again without what lies beyond the image, if that made NaN. */
static kt_status run_class(const pass *p, const weight *w)
{
    pass      plain = *p;
    bool      nan = false;
    kt_status status = run_pass(&plain, w, true);
    if (!status)
        status = kt__has_nan_at_corners(p, &nan);
    return nan ? kt__run_within(p, w, run_pass) : status;
}

static kt_status run_back(const kt__cpu_build *build, const kt_plan *plan)
{
    const geometry g = geometry_of(plan);
    const weight   w = weight_of(plan, 2);
    pass           p = pass_of(build, plan, &g);
    kt_status      status = KT_OK;
    int64_t        classes[SPACE]; /* that have positions: a stride may be larger than the image */
    for (int d = 0; d < SPACE; d++)
        classes[d] = g.stride[d] < p.to.size[d] ? g.stride[d] : p.to.size[d];
    for (int64_t i = 0; i < kt__volume(classes) && !status; i++) {
        int64_t rest = i;
        for (int d = SPACE - 1; d >= 0; d--) {
            const int64_t first = rest % classes[d];
            p.reach[d] = reach_back(&g, d, modulo(first + g.padding[d], g.stride[d]), p.to.size[d], w.size[d]);
            rest /= classes[d];
        }
        if (p.reach[0].count && p.reach[1].count && p.reach[2].count)
            status = run_class(&p, &w);
    }
    return status;
}

/* ---- the weight ---- */

/* One part of the batch, one group, one block of channels: the sum over all its boxes. */
static kt_status sum_boxes(const pass *p, const scratch *s, int64_t part, int64_t group, int64_t block)
{
    const int64_t first = block * p->block, channels = p->depth - first < p->block ? p->depth - first : p->block,
                  line = p->depth * p->taps * p->width, boxes = kt__volume(p->boxes);
    /* with the channels innermost a block is a block of each tap: then there is one */
    char         *at = p->sums + (part * p->groups + group) * p->rows * line + first * p->taps * p->width;
    const matrix  sums = {computed(p, at), line, p->width};
    kt_status     status = KT_OK;
    if (p->directly)
        kt__weight_begin(p, s->columns);
    for (int64_t n = p->to.batch * part / p->parts; n < p->to.batch * (part + 1) / p->parts; n++)
        for (int64_t i = 0; i < boxes && !status; i++) {
            const box b = box_at(p, i);
            if (p->directly) {
                status = kt__sum_weight_directly(p, s->columns, n, group, &b);
                continue;
            }
            int64_t step[SPACE], dense[SPACE];
            matrix  columns, back = {p->to.x, p->to.by_channel, 0};
            back.x.data = box_in_result(p, &b, n, group * p->rows, step);
            if (!evenly(&b, step, &back.by_column)) {
                const int64_t row = tile_steps(p, &b, dense);
                const matrix  tile = {computed(p, s->tile), row, p->width};
                status = move_tile(p, &b, &tile.x, dense, row, &back.x, step, p->to.by_channel);
                back = tile;
            }
            if (!status && !image_as_columns(p, &b, n, group * p->depth + first, &columns)) {
                status = fill_columns(p, &b, n, group * p->depth + first, channels, s->columns);
                columns = columns_of(p, &b, s->columns, channels);
            }
            const matrix turned = {columns.x, columns.by_column, columns.by_row};
            if (!status)
                status = kt__multiply(p, &sums, &back, &turned, &sums, p->rows, channels * p->taps, kt__volume(b.size));
        }
    if (p->directly)
        kt__weight_end(p, s->columns, at);
    return status;
}

static void sum_parts(void *ctx, int64_t begin, int64_t end)
{
    pass   *p = ctx;
    scratch s;
    bool    ok = scratch_get(&s, p, p->block);
    for (int64_t i = begin; ok && i < end; i++)
        ok = sum_boxes(p, &s, i / p->blocks / p->groups, i / p->blocks % p->groups, i % p->blocks) == KT_OK;
    if (!ok)
        __atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
    kt__block_put(s.made, s.granted);
}

/* Taps that see the image from nowhere have a gradient of zero. */
static kt_status clear_weight(const pass *p, const weight *w)
{
    const char zero[sizeof(kt__c128)] __attribute__((aligned(64))) = {0};
    kt_operand source = computed(p, zero);
    kt_plan    copy;
    copy_begin(&copy, &w->x, &source);
    copy_dim(&copy, w->outer, w->by_outer, 0);
    copy_dim(&copy, w->inner, w->by_inner, 0);
    for (int d = 0; d < SPACE; d++)
        copy_dim(&copy, w->size[d], w->step[d], 0);
    return copy.numel ? kt__cpu_run_with(p->build, &copy) : KT_OK;
}

/* The parts' sums become the weight. */
static kt_status add_parts(const pass *p, const weight *w)
{
    const packing dense = packing_of(p), is = packed_as(p, w, false);
    kt_operand    source = computed(p, p->sums), target = w->x;
    kt_plan       sum;
    if (p->taps < kt__volume(w->size) && clear_weight(p, w))
        return kt_error_status();
    for (int d = 0; d < SPACE; d++)
        target.data += p->reach[d].tap * w->step[d];
    copy_begin(&sum, &target, &source);
    if (p->parts > 1) {
        sum.kernel = KT_K_sum, sum.compute = p->plan->compute, sum.origin = 0xff;
        sum.nd = 1, sum.size[0] = p->parts, sum.numel = p->parts;
        sum.stride[0][0] = 0, sum.stride[1][0] = p->groups * dense.by_group;
    }
    copy_weights(&sum, p, &is, &dense);
    return kt__cpu_run_with(p->build, &sum);
}

static kt_status run_weight(const kt__cpu_build *build, const kt_plan *plan)
{
    const geometry g = geometry_of(plan);
    const weight   w = weight_of(plan, 0);
    pass           p = {.build = build, .plan = plan, .dtype = dtype_of(plan), .to = kt__image_of(plan, 1),
                        .from = kt__image_of(plan, 2), .groups = g.groups};
    size_t         granted = 0;
    p.width = kt__dtype_rows[p.dtype].size;
    p.rows = p.to.channels / g.groups;
    p.depth = p.from.channels / g.groups;
    p.channels_inner = kt__channels_last(&p.from);
    for (int d = 0; d < SPACE; d++)
        p.reach[d] = reach_forward(&g, d, p.to.size[d], w.size[d]);
    p.taps = kt__volume(w.size);
    const bool beside = kt__fits_beside(&p);
    bool       again = true;
    kt_status  status = KT_OK;
    if (!beside && kt__weight_fits_bf16(&p, &w))
        status = kt__run_weight_bf16(&p, &w, &again);
    if (status || !again)
        return status;
    if (!beside)
        leave_unseen(&p);
    p.taps = p.reach[0].taps * p.reach[1].taps * p.reach[2].taps;
    const bool together = !beside && kt__fits_together(&p, true);
    p.channels_inner = p.channels_inner && !together;
    if (!beside && !together && !(p.directly = kt__weight_fits_directly(&p)))
        cut_boxes(&p);
    const int64_t bytes = p.groups * packing_of(&p).by_group, most = PARTIAL_SUMS / (bytes ? bytes : 1) + 1;
    p.parts = together ? 1 : p.to.batch < PARTS ? p.to.batch : PARTS;
    p.parts = p.parts < most ? p.parts : most;
    p.parts = p.parts < 1 ? 1 : p.parts;
    const int64_t wanted = p.channels_inner || p.directly ? 1 : pieces(PARTS, p.parts * p.groups);
    p.block = pieces(p.depth, wanted < p.depth ? wanted : p.depth);
    p.blocks = pieces(p.depth, p.block);
    if (!(p.sums = kt__block_get((size_t)(p.parts * bytes), &granted)))
        return kt__fail_memory((size_t)(p.parts * bytes));
    memset(p.sums, 0, (size_t)(p.parts * bytes));
    const int64_t work = p.rows * p.block * p.taps * kt__volume(p.to.size) * (p.to.batch / p.parts + 1) + 1;
    if (beside)
        kt__sum_weight_beside(&p);
    else if (together)
        status = kt__sum_weight_together(&p);
    else
        kt__parallel(p.parts * p.groups * p.blocks, (1 << 18) / work + 1, sum_parts, &p);
    if (!status)
        status = p.failed ? kt__fail_memory(TILE_BYTES) : add_parts(&p, &w);
    kt__block_put(p.sums, granted);
    return status;
}

static kt_status run(const kt__cpu_build *build, const kt_plan *plan, kt__window_fn *by)
{
    const kt__layout layout = kt__layout_for(build, plan, geometry_of(plan).groups);
    return layout ? kt__run_relaid(build, plan, by, layout) : by(build, plan);
}

kt_status kt__cpu_window(const kt__cpu_build *build, const kt_plan *plan)
{
    switch (plan->kernel) {
    case KT_K_convolution:        return run(build, plan, run_forward);
    case KT_K_convolution_input:  return run(build, plan, run_back);
    case KT_K_convolution_weight: return run(build, plan, run_weight);
    default:                      return kt__cpu_pool(build, plan);
    }
}
