/* index.c - plans of the family "indexing": taking, putting and combining by index, masks, the places where a mask holds.
 *
 * In: plans. Out: launches. Rows that move whole are moved in units of up to 16 bytes. Independent of: what an index means. */
#include <string.h>

#include "parts.h"

/* The largest unit, up to 16 bytes, in which the innermost dim moves whole: one index for all of it, out and from dense. */
static int unit_of(const kt_plan *plan, int width)
{
    const int last = plan->nd - 1;
    int       unit = last < 0 || plan->stride[2][last] != 0 ? width : piece_of(plan, width);
    while (unit > width && plan->param[1].v.i % unit)
        unit /= 2;
    return unit;
}

static kt_status index_args_of(const kt_plan *plan, strided_args *g, int operands, int width)
{
    for (int i = 0; i < operands; i++)
        set_operand(&g->flat.at[i], plan, i, i + 1 == operands ? width_of(plan->arg[i].is) : width, 1);
    g->vector = 1;
    g->flat.param[0] = (uint64_t)plan->param[0].v.i;
    g->flat.param[1] = (uint64_t)plan->param[1].v.i;
    g->flat.param[2] = INDEX_SAYS(plan->param[3].v.i, plan->param[2].v.i >> 1, plan->param[2].v.i & 1);
    return fault_expect(plan, &g->flat.fault);
}

/* ---- in order: the same bits at every run ---- */

/* The dims that decide where an element goes, and the others. False: more than the kernels count. */
static bool split_dims(const kt_plan *plan, kt_plan *outer, ordered_args *g)
{
    g->n = g->inner = 1;
    outer->nd = 0;
    for (int d = plan->nd - 1; d >= 0; d--) {
        const int64_t size = plan->size[d];
        if (plan->stride[2][d] == 0 && plan->stride[0][d] != 0) {
            if (g->inner_nd == ARG_DIMS)
                return false;
            g->inner_size[g->inner_nd] = (uint32_t)size;
            g->inner_stride[0][g->inner_nd] = plan->stride[0][d];
            g->inner_stride[1][g->inner_nd++] = plan->stride[1][d];
            g->inner *= (uint64_t)size;
        } else {
            if (g->nd == ARG_DIMS)
                return false;
            g->size[g->nd] = (uint32_t)size;
            g->stride[0][g->nd++] = plan->stride[1][d];
            g->n *= (uint64_t)size;
        }
    }
    int64_t step = sizeof(int64_t);
    for (int d = plan->nd - 1, at = (int)g->nd - 1; d >= 0; d--) {
        if (plan->stride[2][d] == 0 && plan->stride[0][d] != 0)
            continue;
        outer->size[at] = plan->size[d];
        outer->stride[0][at] = plan->stride[0][d];
        outer->stride[1][at] = step;
        outer->stride[2][at--] = plan->stride[2][d];
        step *= plan->size[d];
    }
    outer->nd = (uint8_t)g->nd;
    outer->numel = (int64_t)g->n;
    return g->n < (uint64_t)1 << 31 && g->inner < (uint64_t)1 << 31;
}

/* Sorts the places, then runs the kernel, which has one thread for those of a place. */
static kt_status launch_ordered(const kt_plan *plan, const void *kernel)
{
    ordered_args g = {.from = plan->arg[1].data, .is = plan->arg[0].is};
    strided_args where = {.vector = 1};
    void        *room = NULL;
    size_t       granted = 0;
    kt_plan      outer;
    memcpy(&outer, plan, sizeof outer);
    if (plan->arg[1].immediate || !split_dims(plan, &outer, &g))
        return KT_DECLINED;
    kt_status status = memory_alloc(NULL, plan->device_index, plan->stream, 3 * g.n * sizeof(int64_t), &room, &granted);
    if (status)
        return status;
    int64_t *const unsorted = room, *const sorted = unsorted + g.n, *const which = sorted + g.n;
    outer.arg[1] = (kt_operand){.data = (char *)unsorted, .is = KT_I64, .as = KT_I64};
    status = index_args_of(&outer, &where, 3, sizeof(int64_t));
    if (!status)
        status = launch_pieces(targets_kernel, &where, &outer, 3, 0);
    const lines_to_sort lines = {.values = (char *)sorted, .places = (char *)which, .from = (char *)unsorted, .is = KT_I64,
                                 .lines = 1, .length = (uint32_t)g.n};
    if (!status)
        status = sort_lines(&lines, plan);
    g.to = sorted;
    g.which = which;
    if (!status)
        status = launch_kernel(kernel, blocks_of(g.n * g.inner, ARG_THREADS), &g, plan);
    memory_free(NULL, plan->device_index, room, granted);
    return status;
}

/* Sums of integers, and what is largest, have one result in any order. */
static bool order_matters(const kt_plan *plan, int how)
{
    const int is = plan->arg[0].is;
    return how < 2 && (is == KT_F16 || is == KT_BF16 || is == KT_F32 || is == KT_F64) && host->deterministic();
}

static kt_status launch_by_width(const kt_plan *plan, const void *what)
{
    const void *const *kernels = what;
    strided_args       g = {.vector = 1};
    const int          width = width_of(plan->arg[0].is), unit = unit_of(plan, width);
    if (plan->arg[0].is != plan->arg[1].is)
        return KT_DECLINED;
    if (kernels == put_kernels && plan->numel && host->deterministic())
        return launch_ordered(plan, put_last_kernels[log_of_width(width)]);
    if (index_args_of(plan, &g, 3, unit))
        return KT_ERR_MEMORY;
    if (unit == width)
        return launch_pieces(kernels[log_of_width(width)], &g, plan, 3, 0);
    kt_plan wide;
    in_pieces(&wide, plan, width, unit);
    return launch_pieces(kernels[log_of_width(unit)], &g, &wide, 3, 0);
}

/* ---- one integer added at few places: counts, histograms ---- */
static bool is_tally(const kt_plan *plan, int how)
{
    enum { LEAST = 1 << 13 };
    const int is = plan->arg[0].is;
    return how == 0 && (is == KT_I64 || is == KT_I32) && plan->nd == 1 && plan->numel >= LEAST && plan->stride[0][0] == 0 &&
           plan->stride[1][0] == 0 && plan->param[0].v.i <= TALLY_PLACES;
}

static kt_status launch_tally(const kt_plan *plan, const strided_args *g)
{
    enum { BLOCKS = 528, AT_ONCE = 4 * ARG_THREADS };
    tally_args t = {.of = *g, .n = (uint64_t)plan->numel, .step = plan->stride[2][0]};
    t.block = blocks_of(blocks_of(t.n, BLOCKS), AT_ONCE) * AT_ONCE;
    return launch_kernel(tally_kernel, blocks_of(t.n, t.block), &t, plan);
}

static kt_status launch_combined(const kt_plan *plan, const void *what)
{
#define BIT(ID) | 1u << KT_##ID
    static const uint32_t known = 0 COMBINED(BIT);
#undef BIT
    strided_args g = {.vector = 1};
    const int how = (int)((const void *const *)what - combine_kernels);
    if (plan->arg[0].is != plan->arg[1].is || !(known >> plan->arg[0].is & 1))
        return KT_DECLINED;
    if (plan->numel && order_matters(plan, how))
        return launch_ordered(plan, ordered_kernels[how]);
    if (index_args_of(plan, &g, 3, width_of(plan->arg[0].is)))
        return KT_ERR_MEMORY;
    if (is_tally(plan, how))
        return launch_tally(plan, &g);
    return launch_pieces(*(const void *const *)what, &g, plan, 3, 0);
}

static kt_status launch_offsets(const kt_plan *plan, const void *what)
{
    (void)what;
    strided_args g = {.vector = 1};
    if (index_args_of(plan, &g, 2, 8))
        return KT_ERR_MEMORY;
    return launch_pieces(offsets_kernel, &g, plan, 2, 0);
}

static kt_status launch_masked(const kt_plan *plan, const void *what)
{
    (void)what;
    strided_args g = {.vector = 1};
    const int    width = width_of(plan->arg[0].is);
    if (plan->arg[0].is != plan->arg[1].is)
        return KT_DECLINED;
    for (int i = 0; i < 3; i++)
        set_operand(&g.flat.at[i], plan, i, i < 2 ? width : 1, 1);
    return launch_pieces(masked_kernels[log_of_width(width)], &g, plan, 3, 0);
}

static kt_status launch_nonzero(const kt_plan *plan, const void *what)
{
    (void)what;
    enum { MOST_BLOCKS = 1024, AT_ONCE = ARG_THREADS * MASK_EACH };
    nonzero_args g = {.mask = plan->arg[1].data, .to = plan->arg[0].data, .n = (uint64_t)plan->numel,
                      .most = (uint64_t)plan->param[1].v.i, .aligned = is_aligned(plan->arg[1].data, MASK_EACH),
                      .step = plan->param[0].v.i, .nd = plan->nd};
    void     *counts = NULL;
    size_t    granted = 0;
    if (plan->nd == 0 || plan->numel == 0)
        return KT_OK;
    for (int d = 0; d < plan->nd; d++)
        g.size[d] = (uint64_t)plan->size[d];
    g.block = blocks_of(blocks_of(g.n, MOST_BLOCKS), AT_ONCE) * AT_ONCE;
    const uint64_t blocks = blocks_of(g.n, g.block);
    kt_status status = memory_alloc(NULL, plan->device_index, plan->stream, blocks * sizeof *g.counts, &counts, &granted);
    if (status)
        return status;
    g.counts = counts;
    status = launch_kernel(count_true_kernel, blocks, &g, plan);
    if (!status)
        status = launch_kernel(write_true_kernel, blocks, &g, plan);
    memory_free(NULL, plan->device_index, counts, granted);
    return status;
}

void index_open(void)
{
    launch_serve_all("index_take", launch_by_width, take_kernels);
    launch_serve_all("index_put", launch_by_width, put_kernels);
    launch_serve_all("index_add", launch_combined, &combine_kernels[0]);
    launch_serve_all("index_multiply", launch_combined, &combine_kernels[1]);
    launch_serve_all("index_amax", launch_combined, &combine_kernels[2]);
    launch_serve_all("index_amin", launch_combined, &combine_kernels[3]);
    launch_serve_all("index_offsets", launch_offsets, NULL);
    launch_serve_all("masked_put", launch_masked, NULL);
    launch_serve_all("nonzero", launch_nonzero, NULL);
}
