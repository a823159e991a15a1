/* random.cu - draws: Philox4x32-10 (Salmon et al. 2011), counted as PyTorch 2.11 was seen to do: a seed gives its numbers.
 *
 * Thread t is subsequence t of the seed; in each step it draws four numbers, for the elements t, t + threads, t + 2 * threads and
 * t + 3 * threads of that step, or two of 64 bits, for the first two. Logarithm, sine and cosine are CUDA's: PyTorch's bits. */
#include "args.h"
#include "dev/values.cuh"

static __device__ __forceinline__ uint4 philox(uint64_t seed, uint64_t subsequence, uint64_t step)
{
    uint4    c = make_uint4((uint32_t)step, (uint32_t)(step >> 32), (uint32_t)subsequence, (uint32_t)(subsequence >> 32));
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xd2511f53u * c.x, b = (uint64_t)0xcd9e8d57u * c.z;
        c = make_uint4((uint32_t)(b >> 32) ^ c.y ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ c.w ^ k1, (uint32_t)a);
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return c;
}

/* ---- what the four numbers of a step become: `per` values of type W ---- */
static __device__ __forceinline__ float unit(uint32_t draw) { return (float)draw * 0x1p-32f + 0x1p-33f; } /* in (0, 1] */
static __device__ __forceinline__ double unit(uint32_t low, uint32_t high)
{
    return (double)((uint64_t)low ^ (uint64_t)high << 21) * 0x1p-53 + 0x1p-54;
}

/* The upper end becomes the lower one. */
static __device__ __forceinline__ float spread(float u, const draw_args &g)
{
    const float from = (float)g.param[0], to = (float)g.param[1], x = fmaf(u, to - from, from);
    return x == to ? from : x;
}
static __device__ __forceinline__ double spread(double u, const draw_args &g)
{
    const double x = fma(u, g.param[1] - g.param[0], g.param[0]);
    return x == g.param[1] ? g.param[0] : x;
}

template <class T> struct uniform_of;
template <> struct uniform_of<float> {
    typedef float W;
    enum { per = 4 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        v[0] = spread(unit(d.x), g), v[1] = spread(unit(d.y), g), v[2] = spread(unit(d.z), g), v[3] = spread(unit(d.w), g);
    }
};
template <> struct uniform_of<double> {
    typedef double W;
    enum { per = 2 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        v[0] = spread(unit(d.x, d.y), g), v[1] = spread(unit(d.z, d.w), g);
    }
};

struct bernoulli_of {
    typedef float W;
    enum { per = 4 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        const float p = (float)g.param[0];
        v[0] = unit(d.x) <= p, v[1] = unit(d.y) <= p, v[2] = unit(d.z) <= p, v[3] = unit(d.w) <= p;
    }
};
struct bernoulli_int_of {
    typedef int64_t W;
    enum { per = 4 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        const float p = (float)g.param[0];
        v[0] = unit(d.x) <= p, v[1] = unit(d.y) <= p, v[2] = unit(d.z) <= p, v[3] = unit(d.w) <= p;
    }
};
struct bernoulli_f64_of {
    typedef double W;
    enum { per = 2 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        v[0] = unit(d.x, d.y) <= g.param[0], v[1] = unit(d.z, d.w) <= g.param[0];
    }
};

/* Box and Muller, of two numbers each. */
static __device__ __forceinline__ void normal_pair(float *v, uint32_t a, uint32_t b, const draw_args &g)
{
    const float turn = 0x1.921fb6p-30f, angle = fmaf((float)b, turn, turn / 2), radius = sqrtf(-2.0f * logf(unit(a)));
    float       sine, cosine;
    __sincosf(angle, &sine, &cosine);
    v[0] = fmaf(sine * radius, (float)g.param[1], (float)g.param[0]);
    v[1] = fmaf(cosine * radius, (float)g.param[1], (float)g.param[0]);
}
struct normal_of {
    typedef float W;
    enum { per = 4 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        normal_pair(v, d.x, d.y, g);
        normal_pair(v + 2, d.z, d.w, g);
    }
};

struct exponential_of {
    typedef float W;
    enum { per = 4 };
    static __device__ __forceinline__ float one(uint32_t draw, const draw_args &g)
    {
        const float u = unit(draw), l = u >= 1 - 0x1p-24f ? -0x1p-24f : __logf(u); /* a draw is never 0 */
        return -1.0f / (float)g.param[0] * l;
    }
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        v[0] = one(d.x, g), v[1] = one(d.y, g), v[2] = one(d.z, g), v[3] = one(d.w, g);
    }
};

struct random_int_of {
    typedef int64_t W;
    enum { per = 4 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        const uint32_t each[per] = {d.x, d.y, d.z, d.w};
#pragma unroll
        for (int k = 0; k < per; k++)
            v[k] = (W)((uint64_t)g.least + (g.many ? each[k] % g.many : each[k]));
    }
};
struct random_wide_of {
    typedef int64_t W;
    enum { per = 2 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        const uint64_t each[per] = {(uint64_t)d.x << 32 | d.y, (uint64_t)d.z << 32 | d.w};
#pragma unroll
        for (int k = 0; k < per; k++)
            v[k] = (W)((uint64_t)g.least + (g.many ? each[k] % g.many : each[k]));
    }
};

template <class F> static __global__ void __launch_bounds__(DRAW_THREADS) draw(const __grid_constant__ draw_args g)
{
    typedef typename F::W W;
    const uint64_t t = (uint64_t)blockIdx.x * DRAW_THREADS + threadIdx.x;
    if (t >= g.threads)
        return;
    const uint64_t seed = g.replay ? g.replay[0] : g.seed, offset = g.offset + (g.replay ? g.replay[1] : 0);
    uint64_t       step = offset / DRAWS;
    for (uint64_t at = t; at < g.n; at += F::per * g.threads, step++) {
        W v[F::per];
        F::of(v, philox(seed, t, step), g);
#pragma unroll
        for (int k = 0; k < F::per; k++)
            if (at + k * g.threads < g.n)
                values<W>::store(g.to + (at + k * g.threads) * g.width, g.is, v[k]);
    }
}

#define DRAW(name, wide, F, DTYPES) {name, wide, F::per, DTYPES, (const void *)draw<F>},
const draw_kernels draw_table[] = {
    DRAW("uniform", 0, uniform_of<float>, 1u << KT_F32 | 1u << KT_F16 | 1u << KT_BF16)
    DRAW("uniform", 0, uniform_of<double>, 1u << KT_F64)
    DRAW("bernoulli", 0, bernoulli_of, values<float>::writes)
    DRAW("bernoulli", 0, bernoulli_int_of, values<int64_t>::writes)
    DRAW("bernoulli", 0, bernoulli_f64_of, 1u << KT_F64)
    DRAW("normal", 0, normal_of, 1u << KT_F32 | 1u << KT_F16 | 1u << KT_BF16)
    DRAW("exponential", 0, exponential_of, 1u << KT_F32 | 1u << KT_F16 | 1u << KT_BF16)
    DRAW("random_int", 0, random_int_of, values<int64_t>::writes)
    DRAW("random_int", 1, random_wide_of, values<int64_t>::writes)
    {NULL, 0, 0, 0, NULL},
};
