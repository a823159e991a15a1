/* planes.c - plans of batch, group and instance norms, forward and back: how the work is cut.
 *
 * In: plans over [outer, groups, planes, elements of a plane]; param: eps, which of a kernel's operands there are, whether the
 * statistics are constants. Out: launches. Independent of: what a kernel calculates. */
#include <string.h>

#include "parts.h"

enum { BLOCKS = 528, LEAST_TIMES = 8 }; /* of parts: how many there should be; what each thread of one has at least */
enum { LONG_PLANE = 2048, MANY_PARTS = 128 }; /* elements of a plane, parts of a group: a block's, not a warp's */

static const plane_table *const planes[KT_NUM_COMPUTE] = {[KT_IN_F32] = &planes_f32, [KT_IN_F64] = &planes_f64};

typedef enum plane_kind { FORWARD, GIVEN, BACK } plane_kind;
static const plane_kind kinds[] = {FORWARD, GIVEN, BACK};

/* ---- what a plan says ---- */

static bool read_operand(const kt_plan *plan, int at, const plane_table *table, plane_operand *to)
{
    const kt_operand *x = &plan->arg[at];
    *to = (plane_operand){.at = x->data, .is = x->is, .width = width_of(x->is)};
    for (int d = 0; d < PLANE_DIMS; d++)
        to->stride[d] = plan->stride[at][d];
    return !x->bits && !x->immediate && (x->as == x->is || x->as == table->self) &&
           ((at < plan->n_out ? table->writes : table->reads) >> x->is & 1);
}

/* In the order of tables/kernels/norm.def. */
static bool read_operands(const kt_plan *plan, plane_kind kind, const plane_table *table, plane_args *g)
{
    plane_operand *const forward[] = {&g->y, &g->mean, &g->rstd, &g->variance, &g->x, &g->weight, &g->bias};
    plane_operand *const given[] = {&g->y, &g->x, &g->use_mean, &g->use_rstd, &g->weight, &g->bias};
    plane_operand *const back[] = {&g->y, &g->to_weight, &g->to_bias, &g->grad, &g->x, &g->mean, &g->rstd, &g->weight};
    plane_operand *const *list = kind == BACK ? back : kind == GIVEN ? given : forward;
    const int             n = kind == BACK ? 8 : kind == GIVEN ? 6 : 7;
    int                   at = 0;
    for (int k = 0; k < n; k++)
        if (plan->param[1].v.i >> k & 1 && !read_operand(plan, at++, table, list[k]))
            return false;
    return at == plan->n_out + plan->n_in && g->x.at;
}

/* Vectors along dim d: dense there, and aligned wherever they begin. */
static bool has_vectors(const plane_args *g, int d)
{
    const plane_operand *const list[] = {&g->x, &g->y, &g->grad};
    bool                       good = g->size[d] % PLANE_VECTOR == 0;
    for (int i = 0; i < 3; i++) {
        const plane_operand *x = list[i];
        const int64_t        bytes = (int64_t)x->width * PLANE_VECTOR;
        if (!x->at)
            continue;
        good &= x->stride[d] == x->width && is_aligned(x->at, bytes);
        for (int k = 0; k < PLANE_DIMS; k++)
            good &= k == d || g->size[k] == 1 || is_aligned((const void *)(uintptr_t)x->stride[k], bytes);
    }
    return good;
}

/* The planes of a group share its weight. */
static bool is_abreast(const plane_args *g)
{
    const plane_operand *const own[] = {&g->weight, &g->bias, &g->to_weight, &g->to_bias};
    bool                       shared = true;
    for (int i = 0; i < 4; i++)
        shared &= !own[i]->at || own[i]->stride[PLANE_PLANE] == 0;
    return shared && g->size[PLANE_OUTER] == 1 && g->size[PLANE_ELEMENT] == 1 && g->size[PLANE_GROUP] > 1;
}

/* ---- launches ---- */

typedef struct plane_work {
    plane_args           g;
    const plane_table   *table;
    const plane_ways    *k;
    const kt_plan       *plan;
    bool                 abreast;
    uint64_t             vector;
    void                *sums, *numbers;
    size_t               granted[2];
} plane_work;

static kt_status get_memory(plane_work *w, size_t sums)
{
    const kt_plan *plan = w->plan;
    kt_status status = memory_alloc(NULL, plan->device_index, plan->stream, sums * sizeof(double), &w->sums, &w->granted[0]);
    if (!status)
        status = memory_alloc(NULL, plan->device_index, plan->stream,
                              2 * w->g.groups * (size_t)width_of((int)w->table->self), &w->numbers, &w->granted[1]);
    w->g.sums = w->sums;
    w->g.numbers = w->numbers;
    return status;
}

static void free_memory(plane_work *w)
{
    if (w->sums)
        memory_free(NULL, w->plan->device_index, w->sums, w->granted[0]);
    if (w->numbers)
        memory_free(NULL, w->plan->device_index, w->numbers, w->granted[1]);
}

/* Cuts n steps of each of `blocks` blocks' work into parts. */
static void cut(plane_args *g, uint64_t blocks, uint64_t n, uint64_t of_a_step)
{
    const uint64_t most = n / (of_a_step * LEAST_TIMES), wanted = BLOCKS / (blocks ? blocks : 1);
    uint64_t       parts = wanted < most ? wanted : most;
    parts = parts < 1 ? 1 : parts;
    g->part = (uint32_t)blocks_of(n, parts);
    g->parts = (uint32_t)blocks_of(n, g->part);
}

static kt_status launch_elements(const void *kernel, plane_work *w)
{
    plane_args    *g = &w->g;
    const uint64_t vectors = g->size[PLANE_ELEMENT] / w->vector;
    g->lanes = vectors < 32 ? 1 : 32;
    g->units = (uint32_t)blocks_of(vectors, g->lanes * PLANE_AHEAD);
    const uint64_t n = w->abreast ? g->groups / w->vector * blocks_of(g->count, PLANE_AHEAD)
                                  : g->groups * g->size[PLANE_PLANE] * g->units * g->lanes;
    return launch_kernel(kernel, blocks_of(n, ARG_THREADS), g, w->plan);
}

/* The kernels of the image's dtype, if all have that one, and of vectors, if they may be loaded. */
static const plane_kernels *kernels_of(const plane_work *w)
{
    const plane_args    *g = &w->g;
    const bool           vectors = has_vectors(g, w->abreast ? PLANE_GROUP : PLANE_ELEMENT);
    const bool           alike = (!g->y.at || g->y.is == g->x.is) && (!g->grad.at || g->grad.is == g->x.is);
    const plane_kernels *k = w->table->of;
    while (k->vector != 1 && (!vectors || (k->dtype != KT_NONE && (!alike || (int)k->dtype != g->x.is))))
        k++;
    return k;
}

/* The statistics that were made, for the elements. */
static void use_numbers(plane_work *w)
{
    const int      width = width_of((int)w->table->self);
    plane_operand *mean = &w->g.use_mean, *rstd = &w->g.use_rstd;
    *mean = (plane_operand){.at = w->g.numbers, .is = (int32_t)w->table->self, .width = width};
    mean->stride[PLANE_GROUP] = 2 * width;
    mean->stride[PLANE_OUTER] = 2 * width * (int64_t)w->g.size[PLANE_GROUP];
    *rstd = *mean;
    rstd->at += width;
}

/* The parts of each group become one. */
static kt_status launch_join(const void *kernel, plane_work *w)
{
    w->g.lanes = w->g.parts >= MANY_PARTS ? ARG_THREADS : 32;
    return launch_kernel(kernel, blocks_of(w->g.groups * w->g.lanes, ARG_THREADS), &w->g, w->plan);
}

static kt_status run_forward(plane_work *w)
{
    plane_args *g = &w->g;
    uint64_t    blocks = g->groups;
    if (w->abreast) {
        blocks = blocks_of(g->groups, PLANE_ABREAST * w->vector);
        cut(g, blocks, g->count, ARG_THREADS / PLANE_ABREAST);
    } else {
        cut(g, blocks, g->count / w->vector, ARG_THREADS);
    }
    if (!w->abreast && g->parts == 1)
        return launch_kernel(w->k->moments, blocks, g, w->plan);
    kt_status status = get_memory(w, 3 * g->groups * g->parts);
    if (!status)
        status = launch_kernel(w->k->moments, blocks * g->parts, g, w->plan);
    if (!status)
        status = launch_join(w->table->join, w);
    use_numbers(w);
    return status ? status : launch_elements(w->k->apply, w);
}

static kt_status run_back(plane_work *w)
{
    plane_args    *g = &w->g;
    const uint64_t rows = g->groups * g->size[PLANE_PLANE], blocks = blocks_of(g->groups, PLANE_ABREAST * w->vector);
    kt_status      status;
    g->lanes = g->size[PLANE_ELEMENT] >= LONG_PLANE ? ARG_THREADS : 32;
    if (w->abreast) {
        cut(g, blocks, g->count, ARG_THREADS / PLANE_ABREAST);
        status = get_memory(w, 2 * g->groups * g->parts);
        if (!status)
            status = launch_kernel(w->k->sums, blocks * g->parts, g, w->plan);
        if (!status)
            status = launch_join(w->table->join_abreast_back, w);
    } else {
        const plane_operand *to = g->to_weight.at ? &g->to_weight : &g->to_bias;
        const uint64_t       outers = to->stride[PLANE_OUTER] ? g->size[PLANE_OUTER] : 1;
        const uint64_t       each = to->stride[PLANE_PLANE] ? g->size[PLANE_PLANE] : 1;
        status = get_memory(w, 2 * rows);
        if (!status)
            status = launch_kernel(w->k->sums, blocks_of(rows * g->lanes, ARG_THREADS), g, w->plan);
        if (!status && g->y.at)
            status = launch_kernel(w->table->join_back, blocks_of(g->groups * 32, ARG_THREADS), g, w->plan);
        if (!status && to->at)
            status = launch_kernel(w->table->total, blocks_of(outers * g->size[PLANE_GROUP] * each * 32, ARG_THREADS), g,
                                   w->plan);
    }
    return status || !g->y.at ? status : launch_elements(w->k->flow, w);
}

static kt_status launch_planes(const kt_plan *plan, const void *what)
{
    const plane_kind kind = *(const plane_kind *)what;
    plane_work       w = {.table = planes[plan->compute], .plan = plan, .vector = 1};
    plane_args      *g = &w.g;
    if (plan->nd != PLANE_DIMS || !read_operands(plan, kind, w.table, g))
        return KT_DECLINED;
    for (int d = 0; d < PLANE_DIMS; d++)
        g->size[d] = (uint64_t)plan->size[d];
    g->count = g->size[PLANE_PLANE] * g->size[PLANE_ELEMENT];
    g->groups = g->size[PLANE_OUTER] * g->size[PLANE_GROUP];
    g->eps = number_of(&plan->param[0]);
    g->given = kind == BACK && plan->n_param > 2 && plan->param[2].v.i;
    if (g->count == 0 || g->groups == 0 || g->count * g->groups > INT32_MAX * (uint64_t)ARG_THREADS || g->count > UINT32_MAX ||
        g->groups > INT32_MAX || g->groups * g->size[PLANE_PLANE] > INT32_MAX)
        return KT_DECLINED;
    w.abreast = is_abreast(g);
    const plane_kernels *kernels = kernels_of(&w);
    w.vector = (uint64_t)kernels->vector;
    w.k = w.abreast ? &kernels->abreast : &kernels->by;
    const kt_status status = kind == FORWARD ? run_forward(&w) : kind == BACK ? run_back(&w) : launch_elements(w.k->apply, &w);
    free_memory(&w);
    return status;
}

void planes_open(void)
{
    for (int compute = 0; compute < KT_NUM_COMPUTE; compute++) {
        if (!planes[compute])
            continue;
        launch_serve("group_norm", (kt_compute)compute, launch_planes, &kinds[FORWARD]);
        launch_serve("group_norm_given", (kt_compute)compute, launch_planes, &kinds[GIVEN]);
        launch_serve("group_norm_backward", (kt_compute)compute, launch_planes, &kinds[BACK]);
    }
}
