/* choose.c - plans that draw and look at tensors: bernoulli with a probability for each element, counts with a rate for each,
 * categories by weight; and permutations.
 *
 * In: plans. Out: launches; memory for the work alone. A permutation is the order of numbers of 64 bits. Bernoulli and categories
 * draw as PyTorch was seen to do; permutations have numbers of their own. */
#include "parts.h"

static kt_kernel_id bernoulli_each, poisson, permutation, categories;

/* Of a plan of categories, [rows, categories, samples]. */
static bool replaces(const kt_plan *plan) { return plan->param[0].v.i != 0; }
static uint64_t weights_of(const kt_plan *plan) { return (uint64_t)plan->size[0] * (uint64_t)plan->size[1]; }

/* Steps of all threads, each of four draws. */
static uint64_t moves(int index, uint64_t n, uint64_t per)
{
    const uint64_t a_step = random_threads(index, n) * per;
    return (n + a_step - 1) / a_step * DRAWS;
}

bool choose_draws(const kt_plan *plan, uint64_t *by)
{
    *by = plan->kernel == poisson ? POISSON_DRAWS : EACH_DRAWS;
    if (plan->kernel == permutation)
        *by = moves(plan->device_index, (uint64_t)plan->numel, 2);
    else if (plan->kernel == categories)
        *by = replaces(plan) ? DRAWS : moves(plan->device_index, weights_of(plan), plan->arg[1].is == KT_F64 ? 2 : 4);
    return plan->kernel == bernoulli_each || plan->kernel == poisson || plan->kernel == permutation || plan->kernel == categories;
}

static bool is_float(const kt_operand *x)
{
    return (x->is == KT_F32 || x->is == KT_F64 || x->is == KT_BF16 || x->is == KT_F16) && !x->bits && !x->immediate;
}

/* Both dense, or one number for all. false: not for kernels. */
static bool read_each(const kt_plan *plan, each_args *g)
{
    const kt_operand *to = &plan->arg[0], *from = &plan->arg[1];
    *g = (each_args){.to = to->data, .from = from->data, .is = to->is, .width = (uint8_t)width_of(to->is), .from_is = from->is,
                     .step = width_of(from->is), .n = (uint64_t)plan->numel, .seed = plan->seed, .offset = plan->offset};
    if (plan->n_in != 1 || !plan->contiguous || !is_float(from) ||
        (plan->nd == 1 && plan->size[0] > 1 && plan->stride[0][0] != g->width))
        return false;
    if (plan->nd == 1 && plan->stride[1][0] == 0)
        g->step = 0;
    return true;
}

static kt_status launch_each(const kt_plan *plan, each_args *g, const void *kernel, int per)
{
    if (fault_expect(plan, &g->fault) || capture_replay_place(plan->device_index, plan->stream, &g->replay))
        return KT_ERR_MEMORY;
    return launch_kernel(kernel, blocks_of(g->n, (uint64_t)(ARG_THREADS * per)), g, plan);
}

static kt_status launch_bernoulli(const kt_plan *plan, const void *what)
{
    (void)what;
    const each_kernels *k = each_table;
    each_args           g;
    while (k->kernel && !(k->dtypes >> plan->arg[0].is & 1))
        k++;
    return k->kernel && read_each(plan, &g) ? launch_each(plan, &g, k->kernel, DRAWS) : KT_DECLINED;
}

static kt_status launch_poisson(const kt_plan *plan, const void *what)
{
    (void)what;
    const int is = plan->arg[0].is;
    each_args g;
    if (plan->n_in != 1 || plan->arg[1].is != is || !is_float(&plan->arg[0]) || !read_each(plan, &g))
        return KT_DECLINED;
    return launch_each(plan, &g, poisson_kernels[is == KT_F64], 1);
}

/* ---- what needs room ---- */
static kt_status with_room(const kt_plan *plan, size_t bytes, void *g, kt_status (*work)(const kt_plan *, void *g, char *room))
{
    void     *room = NULL;
    size_t    granted = 0;
    kt_status status = memory_alloc(NULL, plan->device_index, plan->stream, bytes, &room, &granted);
    if (status)
        return status;
    status = work(plan, g, room);
    memory_free(NULL, plan->device_index, room, granted);
    return status;
}

static kt_status permute(const kt_plan *plan, void *args, char *room)
{
    draw_args    *g = args;
    lines_to_sort l = {.values = room + g->n * sizeof(int64_t), .places = plan->arg[0].data, .from = room, .is = KT_I64,
                       .lines = 1, .length = (uint32_t)g->n};
    g->to = room;
    const kt_status status = launch_kernel(draw_wide_kernel, g->threads / DRAW_THREADS, g, plan);
    return status ? status : sort_lines(&l, plan);
}

static kt_status launch_permutation(const kt_plan *plan, const void *what)
{
    (void)what;
    draw_args g = {.is = KT_I64, .width = sizeof(int64_t), .n = (uint64_t)plan->numel, .seed = plan->seed, .offset = plan->offset,
                   .threads = random_threads(plan->device_index, (uint64_t)plan->numel)};
    if (plan->arg[0].is != KT_I64 || plan->numel >= INT32_MAX || plan->stride[0][0] != (int64_t)sizeof(int64_t))
        return KT_DECLINED;
    if (capture_replay_place(plan->device_index, plan->stream, &g.replay))
        return KT_ERR_MEMORY;
    return with_room(plan, 2 * g.n * sizeof(int64_t), &g, permute);
}

static kt_status choose(const kt_plan *plan, void *args, char *room)
{
    choose_args          *g = args;
    const bool            wide = g->is == KT_F64;
    const choose_kernels *k = &choose_table[wide];
    const uint64_t        n = g->rows * g->categories, blocks = blocks_of(g->rows * g->samples, ARG_THREADS);
    const size_t          width = wide ? sizeof(double) : sizeof(float);
    g->room = room;
    if (replaces(plan)) {
        const kt_status status = launch_kernel(k->sum_up, g->rows, g, plan);
        return status ? status : launch_kernel(pick_kernel, blocks, g, plan);
    }
    lines_to_sort l = {.places = room, .from = room + n * sizeof(int64_t), .values = room + n * (sizeof(int64_t) + width),
                       .is = wide ? KT_F64 : KT_F32, .largest_first = true, .lines = (uint32_t)g->rows,
                       .length = (uint32_t)g->categories};
    g->room = l.from;
    g->order = (const int64_t *)(const void *)room;
    kt_status status = launch_kernel(k->weigh, g->rows, g, plan);
    if (!status)
        status = sort_lines(&l, plan);
    return status ? status : launch_kernel(take_first_kernel, blocks, g, plan);
}

static kt_status launch_categories(const kt_plan *plan, const void *what)
{
    (void)what;
    const kt_operand *to = &plan->arg[0], *from = &plan->arg[1];
    choose_args       g = {.to = (int64_t *)(void *)to->data, .weights = from->data, .row_apart = plan->stride[1][0],
                           .apart = plan->stride[1][1], .is = from->is, .rows = (uint64_t)plan->size[0],
                           .categories = (uint64_t)plan->size[1], .samples = (uint64_t)plan->size[2], .seed = plan->seed,
                           .offset = plan->offset, .threads = random_threads(plan->device_index, weights_of(plan))};
    if (to->is != KT_I64 || !is_float(from) || g.rows * g.categories >= INT32_MAX || g.rows * g.samples >= INT32_MAX)
        return KT_DECLINED;
    if (fault_expect(plan, &g.fault) || capture_replay_place(plan->device_index, plan->stream, &g.replay))
        return KT_ERR_MEMORY;
    return with_room(plan, g.rows * g.categories * (sizeof(int64_t) + 2 * sizeof(double)), &g, choose);
}

void choose_open(void)
{
    bernoulli_each = host->kernel("bernoulli_tensor");
    permutation = host->kernel("randperm");
    categories = host->kernel("multinomial");
    launch_serve_all("bernoulli_tensor", launch_bernoulli, NULL);
    poisson = host->kernel("poisson");
    if (poisson_kernels[0])
        launch_serve_all("poisson", launch_poisson, NULL);
    launch_serve("randperm", KT_IN_I64, launch_permutation, NULL);
    launch_serve("multinomial", KT_IN_I64, launch_categories, NULL);
}
