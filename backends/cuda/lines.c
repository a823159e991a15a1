/* lines.c - plans along lines: scans, sorts, ranks and searches. */
#include <string.h>

#include "parts.h"

/* The dims before the last, inner to outer; false: more than the kernels count. */
static bool lines_of(const kt_plan *plan, uint32_t *nd, uint32_t *size, int64_t (*stride)[ARG_DIMS], int64_t *step,
                     const int *operand)
{
    const int last = plan->nd - 1;
    if (last > ARG_DIMS || plan->numel >= (int64_t)1 << 31)
        return false;
    *nd = last > 0 ? (uint32_t)last : 0;
    for (int i = 0; i < 3; i++) {
        if (operand[i] < 0)
            continue;
        step[i] = last >= 0 ? plan->stride[operand[i]][last] : 0;
        for (int d = 0; d < last; d++)
            stride[i][last - 1 - d] = plan->stride[operand[i]][d];
    }
    for (int d = 0; d < last; d++)
        size[last - 1 - d] = (uint32_t)plan->size[d];
    return true;
}

static int64_t length_of(const kt_plan *plan) { return plan->nd ? plan->size[plan->nd - 1] : 1; }

/* ---- scans ---- */
static kt_status launch_scan(const kt_plan *plan, const void *what)
{
    static const kt_dtype selves[KT_NUM_COMPUTE] = {[KT_IN_F32] = KT_F32, [KT_IN_F64] = KT_F64, [KT_IN_I32] = KT_I32,
                                                    [KT_IN_I64] = KT_I64, [KT_IN_C64] = KT_C64, [KT_IN_C128] = KT_C128};
    const known_dtypes    known = {scan_reads[plan->compute], scan_writes[plan->compute] | 1u << KT_I64, selves[plan->compute]};
    const int             in = plan->n_out, operand[3] = {0, plan->n_out > 1 ? 1 : -1, in};
    scan_args             g = {.length = (uint64_t)length_of(plan)};
    if (plan->numel == 0)
        return KT_OK;
    if (plan->n_out > 1 && plan->arg[1].is != KT_I64) /* a policy permits it; places are written as they are */
        return KT_DECLINED;
    if (!operands_known(plan, &known))
        return launch_converted(plan, &known, launch_scan, what);
    if (plan->n_out > 2 || plan->arg[in].immediate || !lines_of(plan, &g.nd, g.size, g.stride, g.step, operand))
        return KT_DECLINED;
    for (int i = 0; i < 3; i++)
        g.at[i] = operand[i] < 0 ? NULL : plan->arg[operand[i]].data;
    g.is = plan->arg[in].is;
    g.out_is[0] = plan->arg[0].is;
    g.out_is[1] = KT_I64;
    return launch_kernel(*(const void *const *)what, (uint64_t)plan->numel / g.length, &g, plan);
}

/* ---- sorts ---- */
static kt_status order_lines(sort_args *g, const kt_plan *plan)
{
    const uint64_t blocks = blocks_of((uint64_t)plan->numel, ARG_THREADS);
    kt_status      status = launch_kernel(sort_chunks_kernel, blocks_of(g->length, SORT_CHUNK) * g->lines, g, plan);
    for (g->run = SORT_CHUNK; g->run < g->length && !status; g->run *= 2) {
        status = launch_kernel(merge_runs_kernel, blocks, g, plan);
        uint64_t *keys = g->keys[0];
        uint32_t *from = g->from[0];
        g->keys[0] = g->keys[1], g->keys[1] = keys;
        g->from[0] = g->from[1], g->from[1] = from;
    }
    return status;
}

static kt_status put_order(sort_args *g, const kt_plan *plan)
{
    return launch_kernel(put_sorted_kernel, blocks_of((uint64_t)plan->numel, ARG_THREADS), g, plan);
}

static kt_status put_ranks(sort_args *g, const kt_plan *plan)
{
    kt_status status = KT_OK;
    if (g->rank == RANK_MODE) {
        const size_t bytes = g->lines * sizeof *g->longest;
        status = check(cudaMemsetAsync(g->longest, 0, bytes, stream_at(plan->stream)), "memory is cleared");
        if (!status)
            status = launch_kernel(longest_runs_kernel, blocks_of((uint64_t)plan->numel, ARG_THREADS), g, plan);
    }
    return status ? status : launch_kernel(put_ranked_kernel, blocks_of(g->lines, ARG_THREADS), g, plan);
}

/* Sorts keys of the lines, then does what is wanted with them. */
static kt_status with_order(sort_args *g, const kt_plan *plan, kt_status (*then)(sort_args *, const kt_plan *))
{
    const uint64_t n = (uint64_t)plan->numel;
    const size_t   bytes = n * 2 * (sizeof(uint64_t) + sizeof(uint32_t)) + g->lines * sizeof *g->longest;
    void          *room = NULL;
    size_t         granted = 0;
    kt_status      status = memory_alloc(NULL, plan->device_index, plan->stream, bytes, &room, &granted);
    if (status)
        return status;
    g->keys[0] = room, g->keys[1] = g->keys[0] + n;
    g->longest = g->keys[1] + n;
    g->from[0] = (uint32_t *)(g->longest + g->lines), g->from[1] = g->from[0] + n;
    status = order_lines(g, plan);
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
    g.flip = plan->n_param && plan->param[0].v.i ? ~UINT64_C(0) : 0;
    return with_order(&g, plan, put_order);
}

kt_status sort_lines(const lines_to_sort *l, const kt_plan *plan)
{
    sort_args g = {.at = {l->values, l->places, l->from}, .is = l->is, .width = (uint8_t)width_of(l->is), .lines = l->lines,
                   .length = l->length, .nd = 1, .size = {l->lines}, .flip = l->largest_first ? ~UINT64_C(0) : 0};
    const int64_t width[3] = {g.width, sizeof(int64_t), g.width};
    for (int i = 0; i < 3; i++) {
        g.step[i] = width[i];
        g.stride[i][0] = width[i] * l->length;
    }
    kt_plan all = *plan;
    all.numel = (int64_t)l->lines * l->length;
    return with_order(&g, &all, put_order);
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
            if (scan_kernels[compute][kind])
                launch_serve(names[kind], (kt_compute)compute, launch_scan, &scan_kernels[compute][kind]);
        if (compute <= KT_IN_I64)
            launch_serve("sort", (kt_compute)compute, launch_sort, NULL);
    }
}
