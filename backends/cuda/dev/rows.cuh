/* rows.cuh - the elementwise rows of src/tables in one compute type: each an expression, a kernel for dense operands and one
 * for any layout. A template: the includer defines T, the compute type, SELF, its dtype, IS_INTEGER, PICK, which chooses T's
 * column of a row, NEAR, what rows do that have a shorter form within a reach, VECTOR, what a thread loads at once of dense
 * operands, ELEMENTS, what it has of them in all, STRIDED, what it loads at once along the innermost dim of others, READS and
 * WRITES, the dtypes that the kernels know, ROWS_NAME, the table, or LISTS_NAME, the table of kernels for several launches in
 * one, or neither, if it wants the expressions alone; it includes dev/dtype.cuh and the functions.
 *
 * In: launch_args, strided_args or list_args, in the kernel's arguments. Out: the output. Independent of: plans, streams. */
#include "args.h"
#include "dev/dtype.cuh"
#include "dev/early.cuh"
#include "dev/fault.cuh"
#include "dev/raw.cuh"
#include "dev/walk.cuh"
#include "tables/kernels/elementwise.h"

enum no_expression { NO };
enum loop_column { LOOP__, LOOP_HALVES, LOOP_LONG, LOOP_LANES, LOOP_MANY, LOOP_NEAR, LOOP_BRIEF, LOOP_DIVIDES };

/* Rows that are a times a function of b, no more. */
static constexpr bool is_same(const char *a, const char *b) { return *a == *b && (!*a || is_same(a + 1, b + 1)); }
static constexpr bool is_factor(const char *name)
{
    return is_same(name, "gelu_backward") || is_same(name, "gelu_tanh_backward") || is_same(name, "silu_backward") ||
           is_same(name, "mish_backward") || is_same(name, "softplus_backward") || is_same(name, "glu");
}

/* ---- expressions ---- */
template <int K> struct row;
#define TEXT_(...) #__VA_ARGS__
#define TEXT(...)  TEXT_(__VA_ARGS__)
#define STAMP(name, ins, how, ...)                                                                                        \
    template <> struct row<KT_K_##name> {                                                                                 \
        enum {                                                                                                            \
            exists = sizeof(TEXT(PICK(__VA_ARGS__))) != sizeof "NO",                                                      \
            inputs = ins,                                                                                                 \
            divides = IS_INTEGER && LOOP_##how == LOOP_DIVIDES,                                                           \
            is_near = LOOP_##how == LOOP_NEAR || LOOP_##how == LOOP_BRIEF,                                                \
            is_long = LOOP_##how == LOOP_LONG || LOOP_##how == LOOP_LANES || is_near,                                     \
            table = ins == 1 && is_long ? RESULTS : is_factor(#name) ? FACTORS : NO_TABLE                                 \
        };                                                                                                                \
        static __device__ __forceinline__ T of(T a, T b, T c, T p0, T p1, T p2, T p3)                                     \
        {                                                                                                                 \
            (void)a, (void)b, (void)c, (void)p0, (void)p1, (void)p2, (void)p3;                                            \
            NEAR_##how(name) return (T)(PICK(__VA_ARGS__));                                                                \
        }                                                                                                                 \
    };
#define NEAR__(name)
#define NEAR_HALVES(name)
#define NEAR_LONG(name)
#define NEAR_LANES(name)
#define NEAR_MANY(name)
#define NEAR_DIVIDES(name)
#define NEAR_NEAR(name)  NEAR(name) /* the includer's */
#define NEAR_BRIEF(name) NEAR(name)
#define UN(name, ...)  STAMP(name, 1, __VA_ARGS__)
#define BIN(name, ...) STAMP(name, 2, __VA_ARGS__)
#define TER(name, ...) STAMP(name, 3, __VA_ARGS__)
#include "tables/kernels/elementwise.def"

/* ---- values ---- */
template <int V> static __device__ __forceinline__ void decode(T (&v)[V], const raw<V> &r, int is)
{
    switch (is) {
#define KNOWN(D)                                                                                                          \
    case D:                                                                                                               \
        _Pragma("unroll") for (int i = 0; i < V; i++) v[i] = to<T>::of(dtype<D>::get(raw_get<dtype<D>::S>(r, i)));        \
        break;
        READS
#undef KNOWN
    }
}

template <int V> static __device__ __forceinline__ void encode(raw<V> &r, const T (&v)[V], int is)
{
    switch (is) {
#define KNOWN(D)                                                                                                          \
    case D:                                                                                                               \
        _Pragma("unroll") for (int i = 0; i < V; i++) raw_set<dtype<D>::S>(r, i, dtype<D>::put(v[i]));                    \
        break;
        WRITES
#undef KNOWN
    }
}

static __device__ __forceinline__ T of_bits(uint64_t bits) /* T: of at most 8 bytes */
{
    T p;
    memcpy(&p, &bits, sizeof p < sizeof bits ? sizeof p : sizeof bits);
    return p;
}

/* Parameter i of a row. Of a compute type of 16 bytes there are three. */
static __device__ __forceinline__ T param_of(const launch_args &g, int i)
{
    T p = (T)0;
    if (sizeof(T) <= 8)
        return of_bits(g.param[i]);
    if (i < 3)
        memcpy(&p, &g.param[sizeof(T) / 8 * i], sizeof p);
    return p;
}

/* An operand that is one value, away from where it begins: an immediate stands in the arguments, aligned to 8 bytes alone. */
template <int V> static __device__ __forceinline__ void spread(raw<V> &r, const operand_arg &x, int64_t away)
{
    uint64_t bits[2];
    memcpy(bits, x.value, sizeof bits);
    if (RAW_WIDEST == 8 || x.width < 16) {
        raw_spread(r, x.data ? load_one(x.data + away, x.width) : bits[0], x.width);
    } else if (x.data) {
        raw_gather(r, x.data + away, x.width, 0, V);
    } else {
#pragma unroll
        for (int i = 0; i < V; i++)
            memcpy(&r.word[RAW_WIDEST / 4 * i], bits, RAW_WIDEST);
    }
}

/* n of V elements. */
template <int K, int V>
static __device__ __forceinline__ void apply(T (&z)[V], const T (&v)[row<K>::inputs][V], const launch_args &g, int n)
{
    enum { N = row<K>::inputs };
    const T p0 = param_of(g, 0), p1 = param_of(g, 1), p2 = param_of(g, 2), p3 = param_of(g, 3);
#pragma unroll
    for (int i = 0; i < V; i++) {
        if (row<K>::divides && v[N > 1][i] == 0) {
            z[i] = 0;
            if (i < n)
                report(g.fault, kt_fault{KT_FAULT_DIVISION, 0, 0, 0});
        } else {
            z[i] = row<K>::of(v[0][i], v[N > 1][i], v[N > 2 ? 2 : 0][i], p0, p1, p2, p3);
        }
    }
}

/* The same from raw operands. */
template <int K, int V>
static __device__ __forceinline__ void compute(raw<V> &out, const raw<V> (&in)[row<K>::inputs], const launch_args &g, int n)
{
    enum { N = row<K>::inputs };
    T v[N][V], z[V];
#pragma unroll
    for (int k = 0; k < N; k++)
        decode(v[k], in[k], g.at[k + 1].is);
    apply<K>(z, v, g, n);
    encode(out, z, g.at[0].is);
}

/* ---- kernels ---- */
template <int K> static __global__ void __launch_bounds__(ARG_THREADS) flat(ARGUMENTS(launch_args) g)
{
    enum { V = VECTOR, U = ELEMENTS / VECTOR, N = row<K>::inputs };
    const uint64_t first = ((uint64_t)blockIdx.x * (ARG_THREADS * U) + threadIdx.x) * V;
    raw<V>         in[U][N], out;
    after_earlier();
#pragma unroll
    for (int u = 0; u < U; u++) {
        const uint64_t at = first + (uint64_t)u * (ARG_THREADS * V);
        if (at >= g.n)
            break;
        const int n = g.n - at < V ? (int)(g.n - at) : V;
#pragma unroll
        for (int k = 0; k < N; k++) {
            const operand_arg &x = g.at[k + 1];
            if (x.whole && n == V)
                raw_load(in[u][k], x.data + at * x.width, x.width);
            else if (x.same)
                spread(in[u][k], x, 0);
            else
                raw_gather(in[u][k], x.data + at * x.width, x.width, x.width, n);
        }
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        const uint64_t at = first + (uint64_t)u * (ARG_THREADS * V);
        if (at >= g.n)
            break;
        const int          n = g.n - at < V ? (int)(g.n - at) : V;
        const operand_arg &z = g.at[0];
        compute<K, V>(out, in[u], g, n);
        if (z.whole && n == V)
            raw_store(out, z.data + at * z.width, z.width);
        else
            raw_scatter(out, z.data + at * z.width, z.width, z.width, n);
    }
}

/* Dense operands of the compute type's own dtype, or one value of it: no dtype to be looked at, which is what a small launch
 * waits for. */
template <int K> static __global__ void __launch_bounds__(ARG_THREADS) own(ARGUMENTS(launch_args) g)
{
    enum { V = 16 / sizeof(T), U = ELEMENTS / V, N = row<K>::inputs };
    const uint64_t first = ((uint64_t)blockIdx.x * (ARG_THREADS * U) + threadIdx.x) * V;
    T              v[U][N][V], z[V];
    after_earlier();
#pragma unroll
    for (int u = 0; u < U; u++) {
        const uint64_t at = first + (uint64_t)u * (ARG_THREADS * V);
#pragma unroll
        for (int k = 0; k < N; k++) {
            const operand_arg &x = g.at[k + 1];
            if (x.same) {
                T one;
                if (x.data)
                    one = *(const T *)x.data;
                else
                    memcpy(&one, x.value, sizeof one);
#pragma unroll
                for (int i = 0; i < V; i++)
                    v[u][k][i] = one;
            } else if (at + V <= g.n) {
                const uint4 four = *(const uint4 *)((const T *)x.data + at);
                memcpy(v[u][k], &four, sizeof four);
            } else {
#pragma unroll
                for (int i = 0; i < V; i++)
                    v[u][k][i] = at + i < g.n ? ((const T *)x.data)[at + i] : (T)1;
            }
        }
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        const uint64_t at = first + (uint64_t)u * (ARG_THREADS * V);
        if (at >= g.n)
            break;
        const int n = g.n - at < V ? (int)(g.n - at) : V;
        T        *to = (T *)g.at[0].data + at;
        apply<K>(z, v[u], g, n);
        if (n == V) {
            uint4 four;
            memcpy(&four, z, sizeof four);
            *(uint4 *)to = four;
        } else {
#pragma unroll
            for (int i = 0; i < V; i++)
                if (i < n)
                    to[i] = z[i];
        }
    }
}

/* Several launches: whose block is it, then as `flat`. */
template <int K> static __global__ void __launch_bounds__(ARG_THREADS) list(ARGUMENTS(list_args) g)
{
    enum { V = VECTOR, U = ELEMENTS / VECTOR, N = row<K>::inputs };
    const uint32_t which = owner_of_block(g.first_block, g.count);
    const uint64_t n_all = g.n[which], block = blockIdx.x - g.first_block[which];
    const uint64_t first = (block * (ARG_THREADS * U) + threadIdx.x) * V;
    const T p0 = of_bits(g.own_param[which]), p1 = of_bits(g.param[1]), p2 = of_bits(g.param[2]), p3 = of_bits(g.param[3]);
    raw<V>  in[U][N], out;
    T       v[N][V], z[V];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const uint64_t at = first + (uint64_t)u * (ARG_THREADS * V);
        if (at >= n_all)
            break;
        const int n = n_all - at < V ? (int)(n_all - at) : V;
#pragma unroll
        for (int k = 0; k < N; k++) {
            const uint64_t x = g.at[which][k + 1];
            const int      width = g.width[k + 1];
            if (g.kind[k + 1] != LIST_DENSE)
                raw_spread(in[u][k], g.kind[k + 1] == LIST_AT ? load_one((const char *)x, width) : x, width);
            else if (n == V)
                raw_load(in[u][k], (const char *)x + at * width, width);
            else
                raw_gather(in[u][k], (const char *)x + at * width, width, width, n);
        }
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        const uint64_t at = first + (uint64_t)u * (ARG_THREADS * V);
        if (at >= n_all)
            break;
        const int n = n_all - at < V ? (int)(n_all - at) : V;
        char     *to = (char *)g.at[which][0] + at * g.width[0];
#pragma unroll
        for (int k = 0; k < N; k++)
            decode(v[k], in[u][k], g.is[k + 1]);
#pragma unroll
        for (int i = 0; i < V; i++)
            z[i] = row<K>::of(v[0][i], v[N > 1][i], v[N > 2 ? 2 : 0][i], p0, p1, p2, p3);
        encode(out, z, g.is[0]);
        if (n == V)
            raw_store(out, to, g.width[0]);
        else
            raw_scatter(out, to, g.width[0], g.width[0], n);
    }
}

/* A vector along the innermost dim. */
template <int K, int V> static __device__ __forceinline__ void one_vector(const strided_args &g)
{
    enum { N = row<K>::inputs };
    const operand_arg &z = g.flat.at[0];
    int64_t            at[N + 1];
    raw<V>             in[N], out;
    if (!place(g, at))
        return;
#pragma unroll
    for (int k = 0; k < N; k++) {
        const operand_arg &x = g.flat.at[k + 1];
        if (V > 1 && x.whole)
            raw_load(in[k], x.data + at[k + 1], x.width);
        else if (V == 1 || g.step[k + 1] == 0)
            spread(in[k], x, at[k + 1]);
        else
            raw_gather(in[k], x.data + at[k + 1], x.width, g.step[k + 1], V);
    }
    compute<K, V>(out, in, g.flat, V);
    if (V > 1 && z.whole)
        raw_store(out, z.data + at[0], z.width);
    else
        raw_scatter(out, z.data + at[0], z.width, g.step[0], V);
}

template <int K> static __global__ void __launch_bounds__(ARG_THREADS) strided(ARGUMENTS(strided_args) g)
{
    if (STRIDED > 1 && g.vector > 1)
        one_vector<K, STRIDED>(g);
    else
        one_vector<K, 1>(g);
}

/* ---- the table ---- */
#ifdef LISTS_NAME
template <int K, bool EXISTS = row<K>::exists && !row<K>::divides> struct kernels_of {
    static const void *list_one() { return NULL; }
};
template <int K> struct kernels_of<K, true> {
    static const void *list_one() { return (const void *)list<K>; }
};
#define ENTRY(name, ...) {#name, kernels_of<KT_K_##name>::list_one(), row<KT_K_##name>::inputs, row<KT_K_##name>::table},
#define UN  ENTRY
#define BIN ENTRY
#define TER ENTRY
static const list_kernel table[] = {
#include "tables/kernels/elementwise.def"
    {NULL, NULL, 0, 0},
};
#define KNOWN(D) | 1u << D
const list_table LISTS_NAME = {table, SELF, VECTOR, ELEMENTS, 0 READS, 0 WRITES};
#undef KNOWN
#elif defined ROWS_NAME
template <int K, bool EXISTS = row<K>::exists> struct kernels_of {
    static const void *own_one() { return NULL; }
    static const void *flat_one() { return NULL; }
    static const void *strided_one() { return NULL; }
};
template <int K> struct kernels_of<K, true> {
    static const void *own_one() { return (const void *)own<K>; }
    static const void *flat_one() { return (const void *)flat<K>; }
    static const void *strided_one() { return (const void *)strided<K>; }
};
#define ENTRY(name, ...)                                                                                                  \
    {#name, kernels_of<KT_K_##name>::own_one(), kernels_of<KT_K_##name>::flat_one(), kernels_of<KT_K_##name>::strided_one(), \
     row<KT_K_##name>::inputs, row<KT_K_##name>::divides, row<KT_K_##name>::table},
#define UN  ENTRY
#define BIN ENTRY
#define TER ENTRY
static const row_kernels table[] = {
#include "tables/kernels/elementwise.def"
    {NULL, NULL, NULL, NULL, 0, 0, 0},
};
#define KNOWN(D) | 1u << D
const row_table ROWS_NAME = {table, SELF, VECTOR, ELEMENTS, STRIDED, 0 READS, 0 WRITES};
#undef KNOWN
#endif
