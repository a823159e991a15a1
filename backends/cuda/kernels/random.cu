/* random.cu - draws: Philox4x32-10 (Salmon et al. 2011), counted as PyTorch 2.11 was seen to do: a seed gives its numbers.
 *
 * Thread t is subsequence t of the seed; in each step it draws four numbers, for the elements t, t + threads, t + 2 * threads and
 * t + 3 * threads of that step, or two of 64 bits, for the first two. Logarithm, sine and cosine are CUDA's: PyTorch's bits. */
#include "args.h"
#include "dev/philox.cuh"
#include "dev/values.cuh"

/* ---- what the four numbers of a step become: `per` values of type W ---- */
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

/* Four values of four draws. */
template <class W, class F> static __device__ __forceinline__ void each(W (&v)[4], uint4 d, F of)
{
    v[0] = of(d.x), v[1] = of(d.y), v[2] = of(d.z), v[3] = of(d.w);
}

template <class T> struct uniform_of;
template <> struct uniform_of<float> {
    typedef float W;
    enum { per = 4 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        each(v, d, [&](uint32_t draw) { return spread(unit(draw), g); });
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

template <class T> struct bernoulli_of {
    typedef T W;
    enum { per = 4 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        each(v, d, [&](uint32_t draw) { return unit(draw) <= (float)g.param[0]; });
    }
};
template <> struct bernoulli_of<double> {
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
/* The same of two numbers of 53 bits. */
static __device__ __forceinline__ void normal_pair(double *v, uint4 d, const draw_args &g)
{
    const double turn = (double)((uint64_t)d.z ^ (uint64_t)d.w << 21) * 0x1p-52 + 0x1p-53;
    const double radius = sqrt(-2.0 * log(unit(d.x, d.y)));
    double       sine, cosine;
    sincospi(turn, &sine, &cosine);
    v[0] = fma(sine * radius, g.param[1], g.param[0]);
    v[1] = fma(cosine * radius, g.param[1], g.param[0]);
}
template <class T> struct normal_of;
template <> struct normal_of<float> {
    typedef float W;
    enum { per = 4 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        normal_pair(v, d.x, d.y, g);
        normal_pair(v + 2, d.z, d.w, g);
    }
};
template <> struct normal_of<double> {
    typedef double W;
    enum { per = 2 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g) { normal_pair(v, d, g); }
};
template <class T> struct log_normal_of : normal_of<T> {
    static __device__ __forceinline__ void of(T (&v)[normal_of<T>::per], uint4 d, const draw_args &g)
    {
        normal_of<T>::of(v, d, g);
#pragma unroll
        for (int k = 0; k < normal_of<T>::per; k++)
            v[k] = sizeof(T) == 4 ? __expf(v[k]) : exp(v[k]);
    }
};

/* Distributions by inversion: what F::one makes of a number in (0, 1]. */
template <class T, class F> struct inverted_of;
template <class F> struct inverted_of<float, F> {
    typedef float W;
    enum { per = 4 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        each(v, d, [&](uint32_t draw) { return F::one(unit(draw), g); });
    }
};
template <class F> struct inverted_of<double, F> {
    typedef double W;
    enum { per = 2 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        v[0] = F::one(unit(d.x, d.y), g), v[1] = F::one(unit(d.z, d.w), g);
    }
};

struct as_cauchy {
    static __device__ __forceinline__ float one(float u, const draw_args &g)
    {
        return fmaf((float)g.param[1], __tanf((float)M_PI * (u - 0.5f)), (float)g.param[0]);
    }
    static __device__ __forceinline__ double one(double u, const draw_args &g)
    {
        return fma(g.param[1], tan(M_PI * (u - 0.5)), g.param[0]);
    }
};
struct as_geometric {
    static __device__ __forceinline__ float one(float u, const draw_args &g)
    {
        return ceilf(logf(u) / log1pf(-(float)g.param[0]));
    }
    static __device__ __forceinline__ double one(double u, const draw_args &g) { return ceil(log(u) / log1p(-g.param[0])); }
};

struct as_exponential {
    template <class W> static __device__ __forceinline__ W one(W u, const draw_args &g) { return exponential(u, (W)g.param[0]); }
};
template <class T> using exponential_of = inverted_of<T, as_exponential>;
template <class T> using cauchy_of = inverted_of<T, as_cauchy>;
template <class T> using geometric_of = inverted_of<T, as_geometric>;

struct random_int_of {
    typedef int64_t W;
    enum { per = 4 };
    static __device__ __forceinline__ void of(W (&v)[per], uint4 d, const draw_args &g)
    {
        each(v, d, [&](uint32_t draw) { return (W)((uint64_t)g.least + (g.many ? draw % g.many : draw)); });
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

template <class F> static __global__ void __launch_bounds__(DRAW_THREADS) draw(ARGUMENTS(draw_args) g)
{
    typedef typename F::W W;
    const uint64_t t = (uint64_t)blockIdx.x * DRAW_THREADS + threadIdx.x;
    if (t >= g.threads)
        return;
    const uint64_t seed = seed_of(g);
    uint64_t       step = first_step(g);
    for (uint64_t at = t; at < g.n; at += F::per * g.threads, step++) {
        W v[F::per];
        F::of(v, philox(seed, t, step), g);
#pragma unroll
        for (int k = 0; k < F::per; k++)
            if (at + k * g.threads < g.n)
                values<W>::store(g.to + (at + k * g.threads) * g.width, g.is, v[k]);
    }
}

/* ---- dropout: what is kept is multiplied. A thread draws for the V elements of its vector, four numbers at a time ---- */
template <int D, int V> static __global__ void __launch_bounds__(DRAW_THREADS) drop(ARGUMENTS(drop_args) g)
{
    typedef typename dtype<D>::S S;
    typedef typename dtype<D>::C W;
    struct alignas(sizeof(S) * V) elements { S at[V]; };
    struct alignas(V) truths { uint8_t at[V]; };
    enum { BLOCKS = (V + DRAWS - 1) / DRAWS };
    const uint64_t t = (uint64_t)blockIdx.x * DRAW_THREADS + threadIdx.x;
    const uint64_t seed = seed_of(g);
    uint64_t       step = first_step(g);
    if (t >= g.threads)
        return;
    for (uint64_t i = t; i < g.n / V; i += g.threads, step += BLOCKS) {
        elements e = ((const elements *)g.from)[i];
        truths   kept;
#pragma unroll
        for (int b = 0; b < BLOCKS; b++) {
            const uint4    d = philox(seed, t, step + b);
            const uint32_t draw[DRAWS] = {d.x, d.y, d.z, d.w};
#pragma unroll
            for (int k = 0; k < DRAWS && b * DRAWS + k < V; k++) {
                S *x = &e.at[b * DRAWS + k];
                kept.at[b * DRAWS + k] = (W)unit(draw[k]) < (W)g.keep;
                *x = dtype<D>::put(dtype<D>::get(*x) * (kept.at[b * DRAWS + k] ? (W)g.scale : 0));
            }
        }
        ((elements *)g.to)[i] = e;
        ((truths *)g.mask)[i] = kept;
    }
}

/* The order of bernoulli. */
template <int D> static __global__ void __launch_bounds__(DRAW_THREADS) drop_any(ARGUMENTS(drop_args) g)
{
    typedef typename dtype<D>::S S;
    typedef typename dtype<D>::C W;
    const uint64_t t = (uint64_t)blockIdx.x * DRAW_THREADS + threadIdx.x;
    const uint64_t seed = seed_of(g);
    uint64_t       step = first_step(g);
    if (t >= g.threads)
        return;
    for (uint64_t at = t; at < g.n; at += DRAWS * g.threads, step++) {
        const uint4    d = philox(seed, t, step);
        const uint32_t draw[DRAWS] = {d.x, d.y, d.z, d.w};
#pragma unroll
        for (int k = 0; k < DRAWS; k++) {
            const uint64_t i = at + k * g.threads;
            if (i >= g.n)
                break;
            const bool kept = (W)unit(draw[k]) < (W)g.keep;
            g.mask[i] = kept;
            ((S *)g.to)[i] = dtype<D>::put(dtype<D>::get(((const S *)g.from)[i]) * (kept ? (W)g.scale : 0));
        }
    }
}

#define DROP(D) {KT_##D, (const void *)drop<KT_##D, 16 / sizeof(dtype<KT_##D>::S)>, (const void *)drop_any<KT_##D>},
const drop_kernels drop_table[] = {DROP(F32) DROP(BF16) DROP(F16) DROP(F64) {KT_NONE, NULL, NULL}};

#define DRAW(name, wide, F, DTYPES) {name, wide, F::per, DTYPES, (const void *)draw<F>},
#define OF_FLOATS(name, OF)                                                      \
    DRAW(name, 0, OF<float>, 1u << KT_F32 | 1u << KT_F16 | 1u << KT_BF16)        \
    DRAW(name, 0, OF<double>, 1u << KT_F64)
const draw_kernels draw_table[] = {
    OF_FLOATS("uniform", uniform_of)
    DRAW("bernoulli", 0, bernoulli_of<float>, values<float>::writes)
    DRAW("bernoulli", 0, bernoulli_of<int64_t>, values<int64_t>::writes)
    DRAW("bernoulli", 0, bernoulli_of<double>, 1u << KT_F64)
    OF_FLOATS("normal", normal_of)
    OF_FLOATS("log_normal", log_normal_of)
    OF_FLOATS("exponential", exponential_of)
    OF_FLOATS("cauchy", cauchy_of)
    OF_FLOATS("geometric", geometric_of)
    DRAW("random_int", 0, random_int_of, values<int64_t>::writes)
    DRAW("random_int", 1, random_wide_of, values<int64_t>::writes)
    {NULL, 0, 0, 0, NULL},
};
const void *const draw_wide_kernel = (const void *)draw<random_wide_of>;
