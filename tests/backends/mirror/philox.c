/* philox.c - numbers of the mirror's own generators: Philox4x32-10 (Salmon et al. 2011) counted as PyTorch does on a GPU, for the
 * kernel `uniform` in float32. A GPU of one multiprocessor is assumed, so that small tensors take more than one step. */
#include "mirror.h"

#include <string.h>

enum { BLOCK = 256, MOST_BLOCKS = 2048 / BLOCK, DRAWS = 4 };

bool is_drawn_here(kt_kernel_id kernel)
{
    static kt_kernel_id uniform;
    if (!uniform)
        uniform = host->kernel("uniform");
    return kernel == uniform;
}

static int64_t threads_of(int64_t n)
{
    const int64_t blocks = (n + BLOCK - 1) / BLOCK;
    return (blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS) * BLOCK;
}

static int64_t steps_of(int64_t n)
{
    const int64_t a_step = threads_of(n) * DRAWS;
    return (n + a_step - 1) / a_step;
}

uint64_t mirror_draws(kt_backend *self, const kt_plan *plan)
{
    (void)self;
    return (uint64_t)steps_of(plan->numel) * DRAWS;
}

static void philox(uint64_t seed, uint64_t subsequence, uint64_t offset, uint32_t out[DRAWS])
{
    uint32_t c[4] = {(uint32_t)offset, (uint32_t)(offset >> 32), (uint32_t)subsequence, (uint32_t)(subsequence >> 32)};
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xd2511f53u * c[0], b = (uint64_t)0xcd9e8d57u * c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a};
        memcpy(c, next, sizeof c);
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    memcpy(out, c, sizeof c);
}

/* In (0, 1], then turned so that 1 becomes the lower bound. */
static float between(uint32_t draw, float from, float to)
{
    const float x = (float)draw * 0x1p-32f + 0x1p-33f;
    const float y = x == 1.0f ? 0.0f : x;
    return y * (to - from) + from;
}

static double number(const kt_scalar *s) { return s->kind == KT_SCALAR_FLOAT ? s->v.re : (double)s->v.i; }

kt_status draw_uniform(const kt_plan *plan)
{
    const int64_t threads = threads_of(plan->numel);
    const float   from = (float)number(&plan->param[0]), to = (float)number(&plan->param[1]);
    if (plan->arg[0].is != KT_F32 || !plan->contiguous)
        return KT_DECLINED;
    for (int64_t step = 0; step < steps_of(plan->numel); step++)
        for (int64_t t = 0; t < threads; t++) {
            uint32_t draw[DRAWS];
            philox(plan->seed, (uint64_t)t, plan->offset / DRAWS + (uint64_t)step, draw);
            for (int64_t k = 0; k < DRAWS; k++) {
                const int64_t at = t + (step * DRAWS + k) * threads;
                const float   value = between(draw[k], from, to);
                if (at < plan->numel)
                    memcpy(plan->arg[0].data + at * 4, &value, sizeof value);
            }
        }
    return KT_OK;
}
