/* lines.c - plans along lines: scans, sorts, ranks and searches. */
#include <string.h>

#include "parts.h"
#include "radix.h"

/* The first `outer` dims, inner to outer; false: more than the kernels count. */
static bool outer_of(const kt_plan *plan, int outer, uint32_t *nd, uint32_t *size, int64_t (*stride)[ARG_DIMS],
                     const int *operand)
{
    if (outer > ARG_DIMS || plan->numel >= (int64_t)1 << 31)
        return false;
    *nd = outer > 0 ? (uint32_t)outer : 0;
    for (int d = 0; d < outer; d++) {
        size[outer - 1 - d] = (uint32_t)plan->size[d];
        for (int i = 0; i < 3; i++)
            if (operand[i] >= 0)
                stride[i][outer - 1 - d] = plan->stride[operand[i]][d];
    }
    return true;
}

/* The dims before the last, which is that of the lines. */
static bool lines_of(const kt_plan *plan, uint32_t *nd, uint32_t *size, int64_t (*stride)[ARG_DIMS], int64_t *step,
                     const int *operand)
{
    const int last = plan->nd - 1;
    for (int i = 0; i < 3; i++)
        step[i] = operand[i] >= 0 && last >= 0 ? plan->stride[operand[i]][last] : 0;
    return outer_of(plan, last, nd, size, stride, operand);
}

static int64_t length_of(const kt_plan *plan) { return plan->nd ? plan->size[plan->nd - 1] : 1; }

/* ---- scans ---- */
/* Operand k lies dense along its lines, and each thread's elements are aligned. */
static bool lies_in_vectors(const scan_args *g, int k, uint32_t each)
{
    const int64_t bytes = (int64_t)each * g->width[k];
    bool          good = each > 1 && g->step[k] == g->width[k] && is_aligned(g->at[k], bytes);
    for (uint32_t d = 0; d < g->nd; d++)
        good &= g->stride[k][d] % (bytes < 16 ? bytes : 16) == 0;
    return good;
}

/* Parts of whole multiples of `unit`, of about as many as `wanted` of all lines together. */
static void cut_lines(scan_args *g, uint64_t unit, uint64_t wanted)
{
    const uint64_t most = blocks_of(g->length, 2 * unit), parts = wanted / g->lines < most ? wanted / g->lines : most;
    g->part = blocks_of(blocks_of(g->length, parts ? parts : 1), unit) * unit;
    g->parts = (uint32_t)blocks_of(g->length, g->part);
}

/* Of many lines a thread has one, where neighbours lie side by side or are short. */
static bool is_abreast(const scan_args *g)
{
    enum { MANY = 1024, SHORT = 32 };
    const bool beside = g->nd && g->size[0] >= 32 && g->stride[2][0] == g->width[2] && g->step[2] != g->width[2];
    return g->lines >= MANY && (beside || g->length <= SHORT);
}

static kt_status launch_scan(const kt_plan *plan, const void *what)
{
    enum { BLOCKS = 8 * 132, THREADS = 1 << 17, STEPS = 32 };
    static const kt_dtype selves[KT_NUM_COMPUTE] = {[KT_IN_F32] = KT_F32, [KT_IN_F64] = KT_F64, [KT_IN_I32] = KT_I32,
                                                    [KT_IN_I64] = KT_I64, [KT_IN_C64] = KT_C64, [KT_IN_C128] = KT_C128};
    const known_dtypes known = {scan_reads[plan->compute], scan_writes[plan->compute] | 1u << KT_I64, selves[plan->compute]};
    const scan_way    *way = what;
    const int          in = plan->n_out, operand[3] = {0, plan->n_out > 1 ? 1 : -1, in};
    scan_args          g = {.length = (uint64_t)length_of(plan)};
    size_t             granted = 0;
    void              *states = NULL;
    kt_status          status = KT_OK;
    if (plan->numel == 0)
        return KT_OK;
    if (plan->n_out > 1 && plan->arg[1].is != KT_I64) /* a policy permits it; places are written as they are */
        return KT_DECLINED;
    if (!operands_known(plan, &known))
        return launch_converted(plan, &known, launch_scan, what);
    if (plan->n_out > 2 || plan->arg[in].immediate || !lines_of(plan, &g.nd, g.size, g.stride, g.step, operand))
        return KT_DECLINED;
    for (int i = 0; i < 3; i++) {
        g.at[i] = operand[i] < 0 ? NULL : plan->arg[operand[i]].data;
        g.width[i] = operand[i] < 0 ? 0 : (uint8_t)width_of(plan->arg[operand[i]].is);
    }
    g.is = plan->arg[in].is;
    g.out_is[0] = plan->arg[0].is;
    g.out_is[1] = KT_I64;
    g.lines = (uint32_t)((uint64_t)plan->numel / g.length);
    for (int i = 0; i < 3; i++)
        g.vectors |= (uint8_t)((g.at[i] && lies_in_vectors(&g, i, way->each)) << i);
    const bool abreast = is_abreast(&g);
    cut_lines(&g, abreast ? STEPS : (uint64_t)ARG_THREADS * way->each, abreast ? THREADS : BLOCKS);
    const uint64_t parts = (uint64_t)g.lines * g.parts, blocks = abreast ? blocks_of(parts, ARG_THREADS) : parts;
    if (g.parts > 1)
        status = memory_alloc(NULL, plan->device_index, plan->stream, (size_t)parts * way->state, &states, &granted);
    g.states = states;
    if (!status && g.parts > 1)
        status = launch_kernel(way->fold[abreast], blocks, &g, plan);
    if (!status)
        status = launch_kernel(way->scan[abreast], blocks, &g, plan);
    if (states)
        memory_free(NULL, plan->device_index, states, granted);
    return status;
}

/* ---- sorts ---- */
static uint64_t elements_of(const sort_args *g) { return (uint64_t)g->lines * g->length; }

/* Keys of the elements' bits. */
static void set_keys(sort_args *g, bool largest_first)
{
    g->bits = (uint8_t)(8 * g->width);
    g->mask = ~UINT64_C(0) >> (64 - g->bits);
    g->flip = largest_first ? g->mask : 0;
    g->first = g->first ? g->first : g->length;
}

/* The bits that a sort by digits looks at: those of a key, and of a line's number above it. 0: the other way is to be taken. */
static int digits_of(const sort_args *g)
{
    int bits = g->bits;
    for (uint32_t most = g->lines - 1; most; most /= 2)
        bits++;
    return g->length > SORT_CHUNK && bits <= 64 ? bits : 0;
}

static void swap_buffers(sort_args *g)
{
    void     *keys = g->keys[0];
    uint32_t *from = g->from[0];
    g->keys[0] = g->keys[1], g->keys[1] = keys;
    g->from[0] = g->from[1], g->from[1] = from;
}

static kt_status order_by_merging(sort_args *g, const kt_plan *plan)
{
    const uint64_t blocks = blocks_of(elements_of(g), ARG_THREADS);
    kt_status      status = launch_kernel(sort_chunks_kernel, blocks_of(g->length, SORT_CHUNK) * g->lines, g, plan);
    for (g->run = SORT_CHUNK; g->run < g->length && !status; g->run *= 2) {
        status = launch_kernel(merge_runs_kernel, blocks, g, plan);
        swap_buffers(g);
    }
    return status;
}

static kt_status order_by_digits(sort_args *g, const kt_plan *plan, int bits)
{
    const uint32_t n = (uint32_t)elements_of(g);
    size_t         bytes = 0, granted = 0;
    void          *room = NULL;
    int            at = 0;
    g->narrow = bits <= 32;
    kt_status status = check((cudaError_t)radix_sort(NULL, &bytes, g->narrow, g->keys, g->from, n, bits, &at, NULL), "a sort");
    if (!status)
        status = memory_alloc(NULL, plan->device_index, plan->stream, bytes, &room, &granted);
    if (status)
        return status;
    status = launch_kernel(make_keys_kernel, blocks_of(n, ARG_THREADS), g, plan);
    if (!status)
        status = check((cudaError_t)radix_sort(room, &bytes, g->narrow, g->keys, g->from, n, bits, &at, stream_at(plan->stream)),
                       "a sort");
    if (at)
        swap_buffers(g);
    memory_free(NULL, plan->device_index, room, granted);
    return status;
}

static kt_status put_order(sort_args *g, const kt_plan *plan)
{
    return launch_kernel(put_sorted_kernel, blocks_of((uint64_t)g->lines * g->first, ARG_THREADS), g, plan);
}

static kt_status put_ranks(sort_args *g, const kt_plan *plan)
{
    kt_status status = KT_OK;
    if (g->rank == RANK_MODE) {
        const size_t bytes = g->lines * sizeof *g->longest;
        status = check(cudaMemsetAsync(g->longest, 0, bytes, stream_at(plan->stream)), "memory is cleared");
        if (!status)
            status = launch_kernel(longest_runs_kernel, blocks_of(elements_of(g), ARG_THREADS), g, plan);
    }
    return status ? status : launch_kernel(put_ranked_kernel, blocks_of(g->lines, ARG_THREADS), g, plan);
}

/* A block has whole lines; NULL: they are too long. */
static const void *short_kernel(short_args *s)
{
    const sort_args *g = &s->sort;
    uint32_t         most = ARG_THREADS * SHORT_LEAST;
    s->bits = g->bits;
    s->lines = 1;
    while ((s->lines + 1) * (uint64_t)g->length <= most && s->lines < g->lines && s->bits < 64) { /* a bit: twice the lines */
        const uint32_t twice = 2 * s->lines, fit = most / g->length;
        s->lines = twice < fit ? twice : fit;
        s->bits++;
    }
    const bool wide = s->bits > 32;
    for (int i = 0; i < (wide ? SHORT_EACH_WIDE : SHORT_EACH_NARROW); i++, most *= 2)
        if (g->length <= most)
            return (wide ? short_wide_kernels : short_narrow_kernels)[i];
    return NULL;
}

/* Sorts keys of the lines, then does what is wanted with them. */
static kt_status with_order(sort_args *g, const kt_plan *plan, kt_status (*then)(sort_args *, const kt_plan *))
{
    const uint64_t n = elements_of(g);
    const int      digits = digits_of(g);
    short_args     few = {.sort = *g, .puts = then == put_order};
    const void    *kernel = short_kernel(&few);
    if (kernel && few.puts)
        return launch_kernel(kernel, blocks_of(g->lines, few.lines), &few, plan);
    const size_t   bytes = n * 2 * (sizeof(uint64_t) + sizeof(uint32_t)) + g->lines * sizeof *g->longest;
    void          *room = NULL;
    size_t         granted = 0;
    kt_status      status = memory_alloc(NULL, plan->device_index, plan->stream, bytes, &room, &granted);
    if (status)
        return status;
    g->longest = room;
    g->keys[0] = g->longest + g->lines, g->keys[1] = (uint64_t *)g->keys[0] + n;
    g->from[0] = (uint32_t *)((uint64_t *)g->keys[1] + n), g->from[1] = g->from[0] + n;
    memcpy(&few.sort, g, sizeof *g);
    status = kernel   ? launch_kernel(kernel, blocks_of(g->lines, few.lines), &few, plan)
             : digits ? order_by_digits(g, plan, digits)
                      : order_by_merging(g, plan);
    if (!status)
        status = then(g, plan);
    memory_free(NULL, plan->device_index, room, granted);
    return status;
}

/* Values of the input's dtype with a key, and int64 for their places. */
static bool is_sortable(const kt_plan *plan)
{
    const kt_operand *in = &plan->arg[plan->n_out];
    return in->is <= KT_F64 && plan->arg[0].is == in->is && in->as == in->is && (plan->n_out < 2 || plan->arg[1].is == KT_I64) &&
           !in->bits && !in->immediate && plan->arg[0].data != in->data;
}

static kt_status launch_sort(const kt_plan *plan, const void *what)
{
    (void)what;
    static const int  operand[3] = {0, 1, 2};
    const kt_operand *in = &plan->arg[2];
    sort_args         g = {.is = in->is, .width = (uint8_t)width_of(in->is), .length = (uint32_t)length_of(plan)};
    if (plan->numel == 0)
        return KT_OK;
    if (plan->n_out != 2 || !is_sortable(plan) || !lines_of(plan, &g.nd, g.size, g.stride, g.step, operand))
        return KT_DECLINED;
    for (int i = 0; i < 3; i++)
        g.at[i] = plan->arg[i].data;
    g.lines = (uint32_t)((uint64_t)plan->numel / g.length);
    set_keys(&g, plan->n_param && plan->param[0].v.i);
    return with_order(&g, plan, put_order);
}

/* The dims of a plan: those of lines, the first of a line (of outputs alone), its elements (of the input alone). A block finds
 * them in a line. Lines are sorted where that is quicker: short ones, a few that are long, and where much of them is wanted. */
static kt_status launch_top(const kt_plan *plan, const void *what)
{
    (void)what;
    enum { SHORT = 1024, LONG = 8192, FEW = 128, MUCH = 256 };
    static const int  operand[3] = {0, 1, 2};
    const kt_operand *in = &plan->arg[2];
    const int         last = plan->nd - 1;
    sort_args         g = {.is = in->is, .width = (uint8_t)width_of(in->is), .length = (uint32_t)plan->size[last],
                           .first = (uint32_t)plan->size[last - 1]};
    if (!is_sortable(plan) || !outer_of(plan, last - 1, &g.nd, g.size, g.stride, operand))
        return KT_DECLINED;
    for (int i = 0; i < 3; i++) {
        g.at[i] = plan->arg[i].data;
        g.step[i] = plan->stride[i][i < 2 ? last - 1 : last];
    }
    g.lines = (uint32_t)((uint64_t)plan->numel / g.length);
    set_keys(&g, plan->param[0].v.i != 0);
    const bool fits = g.length <= SHORT || (g.first >= MUCH && g.length <= 4 * SHORT && g.width <= 4);
    if (g.first > TOP_MOST || fits || (g.length > LONG && g.lines < FEW))
        return with_order(&g, plan, put_order);
    return launch_kernel(put_top_kernel, g.lines, &g, plan);
}

kt_status sort_lines(const lines_to_sort *l, const kt_plan *plan)
{
    sort_args g = {.at = {l->values, l->places, l->from}, .is = l->is, .width = (uint8_t)width_of(l->is), .lines = l->lines,
                   .length = l->length, .nd = 1, .size = {l->lines}};
    const int64_t width[3] = {g.width, sizeof(int64_t), g.width};
    for (int i = 0; i < 3; i++) {
        g.step[i] = width[i];
        g.stride[i][0] = width[i] * l->length;
    }
    set_keys(&g, l->largest_first);
    return with_order(&g, plan, put_order);
}

/* ---- ranks ---- */

/* A dim in which the values have stride 0 belongs to a line. False: more dims than the kernels count. */
static bool split_lines(sort_args *g, const kt_plan *plan)
{
    const int in = plan->n_out;
    g->length = g->lines = 1;
    for (int d = plan->nd - 1; d >= 0; d--) {
        const bool along = plan->stride[0][d] == 0;
        uint32_t  *nd = along ? &g->along_nd : &g->nd;
        if (*nd == ARG_DIMS)
            return false;
        if (along) {
            g->along_size[*nd] = (uint32_t)plan->size[d];
            g->along_stride[*nd] = plan->stride[in][d];
            g->length *= (uint32_t)plan->size[d];
        } else {
            g->size[*nd] = (uint32_t)plan->size[d];
            for (int k = 0; k < in; k++)
                g->stride[k][*nd] = plan->stride[k][d];
            g->stride[2][*nd] = plan->stride[in][d];
            g->lines *= (uint32_t)plan->size[d];
        }
        ++*nd;
    }
    g->step[2] = g->along_nd ? g->along_stride[0] : 0;
    return true;
}

static kt_status launch_rank(const kt_plan *plan, const void *what)
{
    const kt_operand *in = &plan->arg[plan->n_out];
    sort_args         g = {.is = in->is, .width = (uint8_t)width_of(in->is), .rank = (uint8_t)*(const rank_kind *)what};
    if (plan->numel == 0 || plan->numel >= (int64_t)1 << 31 || plan->n_out > 2 || !is_sortable(plan) || !split_lines(&g, plan))
        return KT_DECLINED;
    for (int i = 0; i < plan->n_out; i++)
        g.at[i] = plan->arg[i].data;
    g.at[2] = in->data;
    if (g.rank == RANK_GIVEN)
        g.given = (uint32_t)(plan->param[0].v.i - 1);
    set_keys(&g, false);
    return with_order(&g, plan, put_ranks);
}

/* ---- searches ---- */
static bool is_dense(const kt_plan *plan, int at)
{
    const int64_t width = width_of(plan->arg[at].is);
    return (plan->size[1] == 1 || plan->stride[at][1] == width) &&
           (plan->size[0] == 1 || plan->stride[at][0] == width * plan->size[1]);
}

static kt_status launch_search(const kt_plan *plan, const void *what)
{
    (void)what;
    const kt_operand *v = &plan->arg[1], *b = &plan->arg[2];
    search_args       g = {.to = plan->arg[0].data, .values = v->data, .lines = b->data, .n = (uint64_t)plan->numel,
                           .line = (uint64_t)plan->size[1], .length = plan->param[0].v.i, .lines_by = plan->stride[2][0],
                           .is = v->is, .width = (uint8_t)width_of(v->is), .narrow = plan->arg[0].is == KT_I32,
                           .past = plan->param[1].v.i != 0, .nan_is_last = plan->param[2].v.i != 0};
    if (plan->numel == 0)
        return KT_OK;
    const bool known = v->is <= KT_F64 && b->is == v->is && v->as == v->is && b->as == v->is && !v->bits && !b->bits;
    if (plan->nd != 2 || !known || v->immediate || b->immediate || !is_dense(plan, 0) || !is_dense(plan, 1))
        return KT_DECLINED;
    if (plan->n_in == 3)
        g.order = plan->arg[3].data, g.order_by = plan->stride[3][0];
    return launch_kernel(search_kernel, blocks_of(g.n, ARG_THREADS), &g, plan);
}

void lines_open(void)
{
    static const struct {
        const char *name;
        rank_kind   kind;
    } ranks[] = {{"kthvalue", RANK_GIVEN}, {"median", RANK_MEDIAN}, {"median_with_index", RANK_MEDIAN},
                 {"nanmedian", RANK_NANMEDIAN}, {"nanmedian_with_index", RANK_NANMEDIAN}, {"mode_with_index", RANK_MODE}};
    launch_serve_all("search", launch_search, NULL);
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        launch_serve_all(ranks[i].name, launch_rank, &ranks[i].kind);
    static const char *const names[SCAN_KINDS] = {"cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"};
    for (int compute = 0; compute < KT_NUM_COMPUTE; compute++) {
        for (int kind = 0; kind < SCAN_KINDS; kind++)
            if (scan_kernels[compute][kind].state)
                launch_serve(names[kind], (kt_compute)compute, launch_scan, &scan_kernels[compute][kind]);
        if (compute > KT_IN_I64)
            continue;
        launch_serve("sort", (kt_compute)compute, launch_sort, NULL);
        launch_serve("top", (kt_compute)compute, launch_top, NULL);
    }
}
