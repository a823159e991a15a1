/* random.c - plans that draw, from the device's own generator: {seed, offset}.
 *
 * In: plans of uniform, normal, bernoulli, exponential, random_int and dropout, dense. Out: PyTorch's numbers on the same card.
 * Other random kernels run on the CPU, from the same generator. The grid is part of the numbers: it follows from the card's
 * size. */
#include <string.h>

#include "parts.h"

static kt_kernel_id random_int;

/* ---- the grid ---- */
static uint64_t most_blocks(int index)
{
    static int cached[MOST_DEVICES];
    int        blocks = __atomic_load_n(&cached[index], __ATOMIC_RELAXED), processors = 0, threads = 0;
    if (blocks)
        return (uint64_t)blocks;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, index);
    cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, index);
    blocks = processors * (threads / DRAW_THREADS);
    blocks = blocks > 0 ? blocks : 1;
    __atomic_store_n(&cached[index], blocks, __ATOMIC_RELAXED);
    return (uint64_t)blocks;
}

uint64_t random_threads(int index, uint64_t n)
{
    const uint64_t most = most_blocks(index), blocks = (n + DRAW_THREADS - 1) / DRAW_THREADS;
    return (blocks < most ? blocks : most) * DRAW_THREADS;
}

static uint64_t threads_of(const kt_plan *plan) { return random_threads(plan->device_index, (uint64_t)plan->numel); }

/* NULL: the CPU draws. */
static const draw_kernels *draw_of(const kt_plan *plan)
{
    const draw_kernels *k = draw_table;
    const char         *name = host->kernel_name(plan->kernel);
    const uint8_t       wide = plan->kernel == random_int && plan->param[2].v.i != 0;
    if (!plan->contiguous || plan->n_in)
        return NULL;
    while (k->name && (k->wide != wide || !(k->dtypes >> plan->arg[0].is & 1) || strcmp(k->name, name) != 0))
        k++;
    return k->name ? k : NULL;
}

uint64_t random_draws(kt_backend *self, const kt_plan *plan)
{
    (void)self;
    uint64_t by;
    if (choose_draws(plan, &by) || attention_draws(plan, &by))
        return by;
    const draw_kernels *k = draw_of(plan);
    const uint64_t      a_step = threads_of(plan) * (k ? k->per : DRAWS);
    return a_step ? ((uint64_t)plan->numel + a_step - 1) / a_step * DRAWS : 0;
}

/* ---- a launch ---- */
static kt_status launch_draw(const kt_plan *plan, const void *what)
{
    (void)what;
    const draw_kernels *k = draw_of(plan);
    draw_args g = {.to = plan->arg[0].data, .is = plan->arg[0].is, .width = (uint8_t)width_of(plan->arg[0].is),
                   .n = (uint64_t)plan->numel, .threads = threads_of(plan), .seed = plan->seed, .offset = plan->offset};
    if (!k)
        return KT_DECLINED;
    if (plan->kernel == random_int) {
        g.least = plan->param[0].v.i;
        g.many = (uint64_t)plan->param[1].v.i;
    }
    for (int i = 0; i < plan->n_param && i < 2; i++)
        g.param[i] = number_of(&plan->param[i]);
    if (capture_replay_place(plan->device_index, plan->stream, &g.replay))
        return KT_ERR_MEMORY;
    return launch_kernel(k->kernel, g.threads / DRAW_THREADS, &g, plan);
}

/* Dense operands that lie alike. Their elements divide into vectors, or the order is that of bernoulli. */
static kt_status launch_drop(const kt_plan *plan, const void *what)
{
    (void)what;
    const kt_operand   *in = &plan->arg[2];
    const drop_kernels *k = drop_table;
    const int           width = width_of(in->is);
    drop_args           g = {.to = plan->arg[0].data, .mask = plan->arg[1].data, .from = in->data, .n = (uint64_t)plan->numel,
                             .threads = threads_of(plan), .seed = plan->seed, .offset = plan->offset,
                             .keep = number_of(&plan->param[0]), .scale = number_of(&plan->param[1])};
    while (k->dtype && k->dtype != in->is)
        k++;
    if (!k->dtype || !plan->contiguous || in->bits || in->immediate || plan->arg[0].is != in->is)
        return KT_DECLINED;
    if (capture_replay_place(plan->device_index, plan->stream, &g.replay))
        return KT_ERR_MEMORY;
    const bool vectors = plan->numel * width % 16 == 0 && is_aligned(in->data, 16) && is_aligned(g.to, 16);
    return launch_kernel(vectors ? k->vectors : k->any, g.threads / DRAW_THREADS, &g, plan);
}

void random_open(void)
{
    choose_open();
    random_int = host->kernel("random_int");
    launch_serve("dropout", KT_IN_F32, launch_drop, NULL);
    launch_serve("dropout", KT_IN_F64, launch_drop, NULL);
    for (const draw_kernels *k = draw_table; k->name; k++)
        launch_serve_all(k->name, launch_draw, NULL);
}
