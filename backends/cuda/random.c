/* random.c - plans that draw, from the device's own generator: {seed, offset}.
 *
 * In: plans of uniform, bernoulli (float32) and random_int (int64), dense. Out: PyTorch's numbers on the same card. Other random
 * kernels run on the CPU, from the same generator. The grid is part of the numbers: it follows from the card's size. */
#include "parts.h"

static kt_kernel_id uniform, bernoulli, random_int;

void random_open(void)
{
    uniform = host->kernel("uniform");
    bernoulli = host->kernel("bernoulli");
    random_int = host->kernel("random_int");
}

bool random_has(kt_kernel_id kernel, kt_compute compute)
{
    return kernel == random_int ? compute == KT_IN_I64 : (kernel == uniform || kernel == bernoulli) && compute == KT_IN_F32;
}

bool random_is(kt_kernel_id kernel) { return kernel == uniform || kernel == bernoulli || kernel == random_int; }

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

static uint64_t threads_of(const kt_plan *plan)
{
    const uint64_t most = most_blocks(plan->device_index), blocks = ((uint64_t)plan->numel + DRAW_THREADS - 1) / DRAW_THREADS;
    return (blocks < most ? blocks : most) * DRAW_THREADS;
}

uint64_t random_draws(kt_backend *self, const kt_plan *plan)
{
    (void)self;
    const uint64_t a_step = threads_of(plan) * DRAWS;
    return a_step ? ((uint64_t)plan->numel + a_step - 1) / a_step * DRAWS : 0;
}

/* ---- a launch ---- */
static double number(const kt_scalar *s) { return s->kind == KT_SCALAR_FLOAT ? s->v.re : (double)s->v.i; }

kt_status random_launch(const kt_plan *plan)
{
    const bool ints = plan->kernel == random_int;
    draw_args  g = {.to = plan->arg[0].data, .n = (uint64_t)plan->numel, .threads = threads_of(plan), .seed = plan->seed,
                    .offset = plan->offset};
    if (!plan->contiguous || plan->n_in || plan->arg[0].is != (ints ? KT_I64 : KT_F32) || (ints && plan->param[2].v.i))
        return KT_DECLINED;
    if (ints) {
        g.least = plan->param[0].v.i;
        g.many = (uint64_t)plan->param[1].v.i;
    } else {
        for (int i = 0; i < plan->n_param && i < 2; i++)
            g.param[i] = number(&plan->param[i]);
    }
    if (capture_replay_place(plan->device_index, plan->stream, &g.replay))
        return KT_ERR_MEMORY;
    return launch_kernel(ints ? random_int_kernel : plan->kernel == uniform ? uniform_kernel : bernoulli_kernel,
                         g.threads / DRAW_THREADS, &g, plan);
}
