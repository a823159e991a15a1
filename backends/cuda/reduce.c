/* reduce.c - plans of reductions and of softmax and its kin: how the work is cut, for any layout.
 *
 * In: plans. Out: launches. How many parts a result is cut into follows from the sizes alone, not from the card, so that the bits
 * of a sum are the same on every card. Independent of: what is calculated. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

enum { ENOUGH_THREADS = 1 << 18, MOST_PARTS = 4096 }; /* a large card has no more at once */

static const reduce_table *const reductions[KT_NUM_COMPUTE] = {
    [KT_IN_F32] = &reduce_f32, [KT_IN_F64] = &reduce_f64, [KT_IN_I32] = &reduce_i32, [KT_IN_I64] = &reduce_i64,
    [KT_IN_C64] = &reduce_c64, [KT_IN_C128] = &reduce_c128};
static const soft_table *const softs[KT_NUM_COMPUTE] = {[KT_IN_F32] = &soft_f32, [KT_IN_F64] = &soft_f64};

static kt_kernel_id norm, sum, mean;
static struct {
    const char  *name;
    int          result; /* of places or counts, which kernels write as int64 */
    kt_kernel_id kernel;
} counting[] = {{.name = "argmax"}, {.name = "argmin"}, {.name = "count_nonzero"}, {.name = "max_with_index", .result = 1},
                {.name = "min_with_index", .result = 1}};
enum { COUNTING = sizeof counting / sizeof *counting };

/* ---- reductions ---- */
/* Norms of some orders need no powers. */
static const reduce_kernels *norm_of(const reduce_table *table, const reduce_kernels *any, double p)
{
    const int order = p == 0 ? NORM_0 : p == 1 ? NORM_1 : p == 2 ? NORM_2 : p == INFINITY ? NORM_LARGEST : NORM_SMALLEST;
    return p == 0 || p == 1 || p == 2 || isinf(p) ? &table->norm[order] : any;
}

/* False: too many dims or elements for the kernels' counters. */
static bool split_dims(reduce_args *g, const kt_plan *plan)
{
    const int in = plan->n_out;
    g->results = g->gone = 1;
    for (int d = plan->nd - 1; d >= 0; d--) {
        const bool goes = plan->stride[0][d] == 0;
        uint32_t  *nd = goes ? &g->gone_nd : &g->kept_nd;
        if (*nd == ARG_DIMS || plan->size[d] > UINT32_MAX)
            return false;
        *(goes ? &g->gone : &g->results) *= (uint64_t)plan->size[d];
        if (goes) {
            g->gone_size[*nd] = (uint32_t)plan->size[d];
            g->gone_stride[*nd] = plan->stride[in][d];
        } else {
            g->kept_size[*nd] = (uint32_t)plan->size[d];
            for (int k = 0; k < in; k++)
                g->kept_stride[k][*nd] = plan->stride[k][d];
            g->kept_stride[2][*nd] = plan->stride[in][d];
        }
        ++*nd;
    }
    if (g->gone_nd == 0)
        g->gone_nd = 1; /* one value */
    return g->results <= UINT32_MAX && (g->gone_nd == 1 || g->gone <= UINT32_MAX);
}

/* Vectors lie dense and aligned in the innermost dim that goes, for every result. */
static bool has_vectors(const reduce_args *g, int vector)
{
    const int64_t bytes = (int64_t)g->width * vector;
    bool          good = g->gone_stride[0] == g->width && g->gone >= (uint64_t)vector && is_aligned(g->in, bytes);
    good &= g->gone_nd == 1 || g->gone_size[0] % (uint32_t)vector == 0;
    for (uint32_t d = 1; d < g->gone_nd; d++)
        good &= is_aligned((const void *)(uintptr_t)g->gone_stride[d], bytes);
    for (uint32_t d = 0; d < g->kept_nd; d++)
        good &= is_aligned((const void *)(uintptr_t)g->kept_stride[2][d], bytes);
    return good;
}

static uint64_t clamp(uint64_t x, uint64_t low, uint64_t high) { return x < low ? low : x > high ? high : x; }
static int64_t  size_of(int64_t stride) { return stride < 0 ? -stride : stride; }

/* Results and their elements lie side by side in vectors, and all other distances are multiples of those. */
static bool has_columns(const reduce_args *g, int vector)
{
    const int64_t bytes = (int64_t)g->width * vector;
    bool          good = g->kept_nd && g->kept_stride[2][0] == g->width && g->kept_size[0] % (uint32_t)vector == 0;
    good &= is_aligned(g->in, bytes) && g->gone > 1;
    for (uint32_t d = 0; d < g->gone_nd; d++)
        good &= is_aligned((const void *)(uintptr_t)g->gone_stride[d], bytes);
    for (uint32_t d = 1; d < g->kept_nd; d++)
        good &= is_aligned((const void *)(uintptr_t)g->kept_stride[2][d], bytes);
    return good;
}

/* The same for columns, of which a thread has a vector. */
static void cut_columns(reduce_args *g, int vector)
{
    enum { LEAST_ROWS = 16, ENOUGH = ENOUGH_THREADS / 4 }; /* each of them has several vectors on their way */
    const uint64_t threads = g->results / (uint64_t)vector;
    g->lanes = 1;
    g->parts = threads >= ENOUGH ? 1 : clamp(ENOUGH / threads, 1, clamp(g->gone / LEAST_ROWS, 1, MOST_PARTS));
    g->part = (g->gone + g->parts - 1) / g->parts;
    g->parts = (g->gone + g->part - 1) / g->part;
}

/* How many threads work at a result, and how many parts it has. */
static void cut(reduce_args *g, int vector)
{
    const bool columns = g->kept_nd && size_of(g->kept_stride[2][0]) < size_of(g->gone_stride[0]) && g->results >= 32;
    const uint64_t at_once = g->vectors ? (uint64_t)vector : 1;
    if (columns || g->gone <= 8)
        g->lanes = 1;
    else
        g->lanes = g->gone <= 2048 * at_once || g->results >= 8192 ? 32 : ARG_THREADS;
    if (g->lanes == 1)
        g->vectors = 0;
    const uint64_t threads = g->results * g->lanes, least = g->lanes * (g->vectors ? at_once : 1) * 8;
    g->parts = threads >= ENOUGH_THREADS ? 1 : clamp(ENOUGH_THREADS / threads, 1, clamp(g->gone / least, 1, MOST_PARTS));
    g->part = (g->gone + g->parts - 1) / g->parts;
    g->part = (g->part + (uint64_t)vector - 1) / (uint64_t)vector * (uint64_t)vector;
    g->parts = (g->gone + g->part - 1) / g->part;
}

static kt_status launch_fold(const reduce_kernels *k, reduce_args *g, const kt_plan *plan, int vector)
{
    const bool columns = k->columns && has_columns(g, vector);
    void      *states = NULL;
    size_t    granted = 0;
    kt_status status = KT_OK;
    if (columns)
        cut_columns(g, vector);
    else
        cut(g, vector);
    g->result_apart = columns ? 1 : g->parts;
    g->part_apart = columns ? g->results : 1;
    if (g->parts > 1)
        status = memory_alloc(NULL, plan->device_index, plan->stream, g->results * g->parts * k->state, &states, &granted);
    g->states = states;
    const uint64_t threads = columns ? g->results / (uint64_t)vector * g->parts : g->results * g->parts * g->lanes;
    if (!status)
        status = launch_kernel(columns ? k->columns : k->fold, blocks_of(threads, ARG_THREADS), g, plan);
    if (!status && g->parts > 1) {
        g->lanes = g->parts > 128 && g->results < 1024 ? ARG_THREADS : 32;
        status = launch_kernel(k->join, blocks_of(g->results * g->lanes, ARG_THREADS), g, plan);
    }
    if (states)
        memory_free(NULL, plan->device_index, states, granted);
    return status;
}

/* ---- sums of columns by kernels of their own: float32 and narrower, dense rows ---- */
static const void *columns_kernel_of(const reduce_args *g, const kt_plan *plan)
{
    enum { LEAST_COLUMNS = 128, LEAST_ROWS = 64 };
    const columns_kernel *k = columns_table;
    const bool plain = plan->compute == KT_IN_F32 && (plan->kernel == sum || plan->kernel == mean) && g->n_out == 1 &&
                       g->kept_nd == 1 && g->gone_nd == 1 && g->results >= LEAST_COLUMNS && g->gone >= LEAST_ROWS;
    while (k->dtype && (int)k->dtype != g->is)
        k++;
    return plain && has_columns(g, COLUMNS_VECTOR) ? k->sum : NULL;
}

static kt_status launch_columns(const void *kernel, const reduce_args *g, const kt_plan *plan)
{
    enum { BLOCKS = 396, OF_WARPS = 32 * COLUMNS_VECTOR, LEAST_ROWS = 32 };
    columns_args c = {.in = g->in, .out = g->out[0], .rows = g->gone, .apart = g->gone_stride[0],
                      .out_apart = g->kept_stride[0][0], .columns = (uint32_t)g->results, .out_is = g->out_is[0],
                      .divisor = plan->kernel == mean ? g->about.count : 1};
    void  *states = NULL;
    size_t granted = 0;
    c.groups = (uint32_t)blocks_of(c.columns, OF_WARPS);
    c.part = blocks_of(c.rows, clamp(BLOCKS / c.groups, 1, blocks_of(c.rows, LEAST_ROWS)));
    c.parts = (uint32_t)blocks_of(c.rows, c.part);
    kt_status status = memory_alloc(NULL, plan->device_index, plan->stream, (size_t)c.columns * c.parts * sizeof(double), &states,
                                    &granted);
    c.states = states;
    if (!status)
        status = launch_early(kernel, (uint64_t)c.groups * c.parts, &c, plan, false);
    if (!status)
        status = launch_early(join_columns_kernel, blocks_of(c.columns, 32), &c, plan, false);
    if (states)
        memory_free(NULL, plan->device_index, states, granted);
    return status;
}

/* Is a result of places or counts int64? A policy may permit another dtype. */
static bool counts_fit(const kt_plan *plan)
{
    bool fit = true;
    for (int i = 0; i < COUNTING; i++)
        fit &= plan->kernel != counting[i].kernel || plan->arg[counting[i].result].is == KT_I64;
    return fit;
}

static kt_status launch_reduction(const kt_plan *plan, const void *what)
{
    const reduce_kernels *k = what;
    const reduce_table   *table = reductions[plan->compute];
    const kt_operand     *in = &plan->arg[plan->n_out];
    const double          param = plan->n_param ? number_of(&plan->param[0]) : 0;
    reduce_args           g = {.in = in->data, .is = in->is, .width = (uint8_t)width_of(in->is), .n_out = plan->n_out};
    const known_dtypes    known = {table->reads, table->writes | 1u << KT_I64, table->self};
    if (!counts_fit(plan))
        return KT_DECLINED;
    if (!operands_known(plan, &known))
        return launch_converted(plan, &known, launch_reduction, what);
    if (plan->n_out > 2 || in->immediate || !split_dims(&g, plan))
        return KT_DECLINED;
    for (int i = 0; i < plan->n_out; i++) {
        g.out[i] = plan->arg[i].data;
        g.out_is[i] = plan->arg[i].is;
    }
    if (g.results == 0)
        return KT_OK;
    g.about = (fold_about){(double)g.gone, param};
    const void *columns = columns_kernel_of(&g, plan);
    if (columns)
        return launch_columns(columns, &g, plan);
    g.vectors = table->vector > 1 && has_vectors(&g, table->vector);
    return launch_fold(plan->kernel == norm ? norm_of(table, k, param) : k, &g, plan, table->vector);
}

/* ---- softmax ---- */
static bool soft_vectors(const soft_args *g, int operands)
{
    bool good = g->length % SOFT_VECTOR == 0;
    for (int i = 0; i < operands; i++) {
        const int64_t bytes = (int64_t)g->width[i] * SOFT_VECTOR;
        good &= g->step[i] == g->width[i] && is_aligned(g->at[i], bytes);
        for (uint32_t d = 0; d < g->nd; d++)
            good &= is_aligned((const void *)(uintptr_t)g->stride[i][d], bytes);
    }
    return good;
}

/* False: more dims or elements than the kernels count. */
static bool soft_sizes(soft_args *g, const kt_plan *plan)
{
    const int last = plan->nd - 1;
    if (last < 0 || last > ARG_DIMS || plan->size[last] > INT32_MAX)
        return false;
    g->lines = (uint64_t)(plan->size[last] ? plan->numel / plan->size[last] : 0);
    g->nd = (uint32_t)last;
    g->length = (uint32_t)plan->size[last];
    for (int d = 0; d < last; d++)
        g->size[last - 1 - d] = (uint32_t)plan->size[d];
    return g->lines <= UINT32_MAX;
}

static void soft_operand(soft_args *g, int at, const kt_plan *plan, int operand)
{
    const int last = plan->nd - 1;
    g->at[at] = plan->arg[operand].data;
    g->is[at] = plan->arg[operand].is;
    g->width[at] = (uint8_t)width_of(g->is[at]);
    g->step[at] = plan->stride[operand][last];
    for (int d = 0; d < last; d++)
        g->stride[at][last - 1 - d] = plan->stride[operand][d];
}

/* How many threads work at a line. */
static uint32_t soft_lanes(const soft_args *g)
{
    const bool     abreast = g->nd && size_of(g->stride[1][0]) < size_of(g->step[1]);
    const uint32_t warp_keeps = 32 * SOFT_VECTOR * SOFT_KEPT;
    return abreast && g->lines >= 4096 ? 1 : g->length <= warp_keeps || g->lines >= 65536 ? 32 : ARG_THREADS;
}

/* The kernel of the operands' one dtype, or the one of any. */
static const void *kept_kernel(const soft_kernels *k, const soft_args *g, int operands)
{
    const soft_kept_kernel *one = k->kept;
    bool                    same = true;
    for (int i = 1; i < operands; i++)
        same &= g->is[i] == g->is[0];
    while (one->dtype && !(same && g->is[0] == one->dtype))
        one++;
    return one->kernel;
}

static kt_status launch_soft(const kt_plan *plan, const void *what)
{
    const soft_kernels *k = what;
    const soft_table   *table = softs[plan->compute];
    const int           operands = 1 + plan->n_in;
    const known_dtypes  known = {table->reads, table->writes, table->self};
    soft_args           g = {.lines = 0};
    if (operands > 3 || !soft_sizes(&g, plan))
        return KT_DECLINED;
    if (!operands_known(plan, &known))
        return launch_converted(plan, &known, launch_soft, what);
    for (int i = 0; i < operands; i++)
        soft_operand(&g, i, plan, i);
    g.vectors = soft_vectors(&g, operands);
    g.lanes = soft_lanes(&g);
    const bool kept = g.vectors && g.length <= g.lanes * SOFT_VECTOR * SOFT_KEPT;
    return launch_kernel(kept ? kept_kernel(k, &g, operands) : k->any, blocks_of(g.lines * g.lanes, ARG_THREADS), &g, plan);
}

/* What a line has one of: dense, in the order of lines. */
static bool is_of_lines(const kt_plan *plan, int at, kt_dtype dtype)
{
    const kt_operand *x = &plan->arg[at];
    return x->is == dtype && x->as == dtype && !x->bits && !x->immediate &&
           (plan->size[0] == 1 || plan->stride[at][0] == width_of((int)dtype));
}

/* Forward a warp has a line, which waits for no other warp, where there are lines enough for all. */
static uint32_t entropy_lanes(const soft_args *g, bool back)
{
    enum { ENOUGH = 1 << 14 };
    const uint32_t lanes = soft_lanes(g);
    return !back && lanes > 32 && g->lines >= ENOUGH ? 32 : lanes;
}

static kt_status launch_entropy(const kt_plan *plan, const void *what)
{
    enum { TAKEN, TOP, TOTAL, LOGITS, CLASSES };
    static const int  forward[] = {TAKEN, TOP, TOTAL, LOGITS, CLASSES}, backward[] = {5, 3, 4, 1, 2};
    const soft_table *table = softs[plan->compute];
    const bool        back = plan->n_out == 1;
    const int        *at = back ? backward : forward;
    const kt_operand *logits = &plan->arg[at[LOGITS]];
    const kt_dtype    dtype = (kt_dtype)logits->is, as = (kt_dtype)logits->as;
    entropy_args      g = {.soft = {.lines = 0}};
    const entropy_kernels *k = table->entropy;
    (void)what;
    while (k->dtype && (k->dtype != dtype || k->as != as))
        k++;
    if (plan->nd != 2 || !k->dtype || logits->bits || logits->immediate || !soft_sizes(&g.soft, plan) ||
        (back && plan->arg[0].is != dtype) ||
        !is_of_lines(plan, at[TAKEN], as) || !is_of_lines(plan, at[TOP], table->self) ||
        !is_of_lines(plan, at[TOTAL], table->self) || !is_of_lines(plan, at[CLASSES], KT_I64))
        return KT_DECLINED;
    soft_operand(&g.soft, 0, plan, back ? 0 : at[LOGITS]);
    soft_operand(&g.soft, 1, plan, at[LOGITS]);
    g.soft.lanes = entropy_lanes(&g.soft, back);
    g.classes = (const int64_t *)(const void *)plan->arg[at[CLASSES]].data;
    g.taken = plan->arg[at[TAKEN]].data;
    g.top = plan->arg[at[TOP]].data;
    g.total = plan->arg[at[TOTAL]].data;
    return launch_kernel(back ? k->back : k->forward, blocks_of(g.soft.lines * g.soft.lanes, ARG_THREADS), &g, plan);
}

void reduce_open(void)
{
    norm = host->kernel("norm");
    sum = host->kernel("sum");
    mean = host->kernel("mean");
    for (int i = 0; i < COUNTING; i++)
        counting[i].kernel = host->kernel(counting[i].name);
    for (int compute = 0; compute < KT_NUM_COMPUTE; compute++) {
        for (const reduce_kernels *k = reductions[compute] ? reductions[compute]->row : NULL; k && k->name; k++)
            launch_serve(k->name, (kt_compute)compute, launch_reduction, k);
        for (const soft_kernels *k = softs[compute] ? softs[compute]->row : NULL; k && k->name; k++)
            launch_serve(k->name, (kt_compute)compute, launch_soft, k);
        if (softs[compute]) {
            launch_serve("cross_entropy", (kt_compute)compute, launch_entropy, NULL);
            launch_serve("cross_entropy_backward", (kt_compute)compute, launch_entropy, NULL);
        }
    }
}
