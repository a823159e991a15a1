/* attention_f32.cu - attention of float32, bfloat16 and float16, calculated in float32; where its dropout begins, and what it
 * keeps. */
#include "dev/attention.cuh"

const attend_table attend_f32 = {{ATTEND_OF(float, 4), ATTEND_OF(float, 8)}, (const void *)attend_delta<float, by_e>,
                                 (const void *)attend_mask<float>, tile_of<float>::N, KT_F32};

static __global__ void __launch_bounds__(ARG_THREADS) seed_of_attention(ARGUMENTS(attend_seed_args) g)
{
    if (threadIdx.x || blockIdx.x)
        return;
    g.to[0] = seed_of(g);
    g.to[1] = first_step(g) * DRAWS;
}

static __global__ void __launch_bounds__(ARG_THREADS) kept_by_attention(ARGUMENTS(attend_kept_args) g)
{
    const uint64_t i = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x;
    if (i >= g.n)
        return;
    const uint64_t row = i / g.keys;
    const uint32_t key = (uint32_t)(i - row * g.keys);
    g.to[i] = is_kept(draws_of(g.draws, g.keys, row, key), key, (float)g.keep);
}

const void *const attend_seed = (const void *)seed_of_attention, *const attend_kept = (const void *)kept_by_attention;
