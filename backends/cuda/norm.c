/* norm.c - plans of layer and root-mean-square norms, forward and back: how the work is cut.
 *
 * In: plans over [rows, elements of a row], dense; param: eps, and which of a kernel's operands there are. Out: launches.
 * Independent of: what a kernel calculates. */
#include <string.h>

#include "parts.h"

/* Of what flows back: blocks at most, which a large card has all at once, and rows of one at least: sizes alone decide. */
enum { BLOCKS = 264, LEAST_ROWS = 4 };
enum { FORWARD_PLACES = 6, BACK_PLACES = 8, MOST_PLACES = 8 };

static const norm_table *const norms[KT_NUM_COMPUTE] = {[KT_IN_F32] = &norm_f32, [KT_IN_F64] = &norm_f64};

typedef struct norm_kind {
    bool back, centred;
} norm_kind;

/* By place: the operand, or -1. */
static int read_places(const kt_plan *plan, int places, int *at)
{
    const int64_t has = plan->param[1].v.i;
    int           n = 0;
    for (int k = 0; k < places; k++)
        at[k] = has >> k & 1 ? n++ : -1;
    return n;
}

static char *data_at(const kt_plan *plan, int operand) { return operand < 0 ? NULL : plan->arg[operand].data; }
static uint8_t dtype_at(const kt_plan *plan, int operand) { return operand < 0 ? (uint8_t)KT_NONE : plan->arg[operand].is; }

/* Rows lie behind each other, and of one number a row there is one behind the other. */
static bool is_plain(const kt_plan *plan, int operand, int as, int64_t by_row, int64_t by_element)
{
    if (operand < 0)
        return true;
    const kt_operand *x = &plan->arg[operand];
    const int64_t     width = width_of(x->is);
    return x->as == as && !x->bits && !x->immediate &&
           (plan->size[0] == 1 || plan->stride[operand][0] == by_row * width) &&
           (plan->size[1] == 1 || plan->stride[operand][1] == by_element * width);
}

/* What flows in is of the dtype of x, or narrower: then it is seen as x is. */
static bool is_flow_of(const kt_plan *plan, int grad, int is)
{
    const int g = dtype_at(plan, grad);
    return grad < 0 || g == is || (is == KT_F32 && (g == KT_BF16 || g == KT_F16));
}

static bool is_either(const kt_plan *plan, int operand, int dtype, int self)
{
    return operand < 0 || plan->arg[operand].is == dtype || plan->arg[operand].is == self;
}

/* Vectors of this many elements may be loaded everywhere. */
static bool has_vectors(const norm_args *g, int vector)
{
    const char *const rows[] = {g->x, g->y}, *const weights[] = {g->weight, g->bias};
    const uint8_t     is[] = {g->weight_is, g->bias_is};
    bool              good = g->length % (uint32_t)vector == 0 && (!g->grad || is_aligned(g->grad, g->grad_width * vector));
    for (int i = 0; i < 2; i++)
        good &= is_aligned(rows[i], g->width * vector);
    for (int i = 0; i < 2; i++)
        good &= !weights[i] || is_aligned(weights[i], width_of(is[i]) * vector);
    return good;
}

/* Of rows that are in registers: the kernel that knows their length, where there is one. */
static const void *kept_of(const norm_args *g, const norm_kernels *k)
{
    const uint32_t part = g->lanes * NORM_LANE / NORM_WHOLE;
    const bool     affine = g->weight && g->bias && g->weight_is == g->is && g->bias_is == g->is;
    return affine && g->length % part == 0 ? k->whole[g->lanes > 32][g->length / part - 1] : k->kept;
}

static kt_status launch_forward(norm_args *g, const norm_table *table, const norm_kernels *k, const kt_plan *plan)
{
    enum { BRIEF_BYTES = 2 << 20 };
    const bool brief = g->rows * g->length * g->width < BRIEF_BYTES;
    g->log_lanes = g->length <= 32 * NORM_LANE ? 5 : 8;
    g->lanes = 1u << g->log_lanes;
    if (g->length <= ARG_THREADS * NORM_LANE && has_vectors(g, 16 / g->width))
        return launch_early(kept_of(g, k), blocks_of(g->rows, ARG_THREADS >> g->log_lanes), g, plan, brief);
    return launch_early(table->any, g->rows, g, plan, brief);
}

/* The kernel that has whole rows in registers, if there is one. */
static const void *kept_back(const norm_args *g, const norm_back_kernels *k)
{
    const uint32_t part = ARG_THREADS / NORM_BACK_ROWS * NORM_BACK_VECTOR;
    const uint32_t of_warp = 32 * NORM_BACK_VECTOR;
    while (k->dtype && ((int)k->dtype != g->is || (int)k->grad != g->grad_is))
        k++;
    if (k->dtype && has_vectors(g, NORM_BACK_VECTOR) && g->length % of_warp == 0 && g->length / of_warp <= NORM_BACK_WARPS &&
        k->warps[g->length / of_warp - 1])
        return k->warps[g->length / of_warp - 1];
    if (!k->dtype || !has_vectors(g, NORM_BACK_VECTOR) || g->length > ARG_THREADS * NORM_BACK_VECTOR * NORM_BACK_MOST)
        return NULL;
    return g->length <= part * NORM_BACK_SHORT ? k->beside[(g->length - 1) / part] : k->kept;
}

static kt_status launch_back(norm_args *g, const norm_table *table, const kt_plan *plan)
{
    const bool  sums = g->to[0] || g->to[1];
    const void *kept = kept_back(g, table->back);
    void       *partial = NULL;
    size_t         granted = 0;
    g->block_rows = blocks_of(g->rows, BLOCKS);
    g->block_rows = g->block_rows < LEAST_ROWS ? LEAST_ROWS : g->block_rows;
    g->blocks = (uint32_t)blocks_of(g->rows, g->block_rows);
    kt_status status = KT_OK;
    if (sums)
        status = memory_alloc(NULL, plan->device_index, plan->stream,
                              (size_t)g->blocks * 2 * g->length * (size_t)width_of((int)table->self), &partial, &granted);
    g->partial = partial;
    if (!status)
        status = kept ? launch_early(kept, g->blocks, g, plan, false) : launch_kernel(table->back_any, g->blocks, g, plan);
    if (!status && sums)
        status = launch_early(table->total, blocks_of(g->length, ARG_THREADS / NORM_TOTAL_ROWS), g, plan, false);
    if (partial)
        memory_free(NULL, plan->device_index, partial, granted);
    return status;
}

static kt_status launch_norm(const kt_plan *plan, const void *what)
{
    enum { Y, MEAN, RSTD, X, WEIGHT, BIAS };                                     /* forward */
    enum { TO_X, TO_WEIGHT, TO_BIAS, GRAD, BACK_X, BACK_MEAN, BACK_RSTD, BACK_WEIGHT }; /* back */
    const norm_kind  *kind = what;
    const norm_table *table = norms[plan->compute];
    int               at[MOST_PLACES];
    if (plan->nd != 2 || read_places(plan, kind->back ? BACK_PLACES : FORWARD_PLACES, at) != plan->n_out + plan->n_in)
        return KT_DECLINED;
    const int           x = at[kind->back ? (int)BACK_X : (int)X], mean = at[kind->back ? (int)BACK_MEAN : (int)MEAN];
    const int           rstd = at[kind->back ? (int)BACK_RSTD : (int)RSTD], y = at[0];
    const int           weight = at[kind->back ? (int)BACK_WEIGHT : (int)WEIGHT], bias = kind->back ? -1 : at[BIAS];
    const int           grad = kind->back ? at[GRAD] : -1;
    const int           to[2] = {kind->back ? at[TO_WEIGHT] : -1, kind->back ? at[TO_BIAS] : -1};
    const int           is = plan->arg[x].is, n = (int)plan->size[1], others[] = {weight, bias, mean, rstd, to[0], to[1]};
    const norm_kernels *k = table->of;
    bool                good = plan->size[1] > 0 && plan->size[1] < INT32_MAX && plan->size[0] < INT32_MAX;
    while (k->dtype && (int)k->dtype != is)
        k++;
    good &= k->dtype && is_plain(plan, x, is, n, 1) && is_plain(plan, y, is, n, 1) && is_plain(plan, grad, is, n, 1);
    good &= dtype_at(plan, y) == (y < 0 ? (int)KT_NONE : is) && is_flow_of(plan, grad, is);
    for (int i = 0; i < 6; i++) {
        const bool of_rows = i == 2 || i == 3;
        good &= is_either(plan, others[i], is, (int)table->self) &&
                is_plain(plan, others[i], dtype_at(plan, others[i]), of_rows, !of_rows);
    }
    if (!good || (kind->back && rstd < 0))
        return KT_DECLINED;
    norm_args g = {.y = data_at(plan, y), .mean = data_at(plan, mean), .rstd = data_at(plan, rstd), .x = data_at(plan, x),
                   .grad = data_at(plan, grad), .weight = data_at(plan, weight), .bias = data_at(plan, bias),
                   .to = {data_at(plan, to[0]), data_at(plan, to[1])}, .rows = (uint64_t)plan->size[0], .length = (uint32_t)n,
                   .is = (uint8_t)is, .width = (uint8_t)width_of(is), .grad_is = dtype_at(plan, grad),
                   .weight_is = dtype_at(plan, weight),
                   .bias_is = dtype_at(plan, bias), .mean_is = dtype_at(plan, mean), .rstd_is = dtype_at(plan, rstd),
                   .to_is = {dtype_at(plan, to[0]), dtype_at(plan, to[1])}, .centred = kind->centred,
                   .eps = number_of(&plan->param[0]), .share = 1 / (double)n};
    g.mean_width = mean < 0 ? 0 : (uint8_t)width_of(g.mean_is);
    g.grad_width = grad < 0 ? 0 : (uint8_t)width_of(g.grad_is);
    g.rstd_width = rstd < 0 ? 0 : (uint8_t)width_of(g.rstd_is);
    return kind->back ? launch_back(&g, table, plan) : launch_forward(&g, table, k, plan);
}

void norm_open(void)
{
    static const norm_kind layer = {false, true}, layer_back = {true, true}, rms = {false, false}, rms_back = {true, false};
    for (int compute = 0; compute < KT_NUM_COMPUTE; compute++) {
        if (!norms[compute])
            continue;
        launch_serve("layer_norm", (kt_compute)compute, launch_norm, &layer);
        launch_serve("layer_norm_backward", (kt_compute)compute, launch_norm, &layer_back);
        launch_serve("rms_norm", (kt_compute)compute, launch_norm, &rms);
        launch_serve("rms_norm_backward", (kt_compute)compute, launch_norm, &rms_back);
    }
}
