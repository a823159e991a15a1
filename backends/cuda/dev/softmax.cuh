/* softmax.cuh - softmax, log_softmax, cross entropy and what flows back through them, in one compute type. A template: the
 * includer defines COMPUTE, EXP, SOFT_NAME, the table, and OF_DTYPES, the dtypes that have kernels of their own.
 *
 * In: soft_args. Out: the output. One thread, a warp or a block works at a line; a short dense line stays in registers, another
 * is read twice: greatest value and sum are found together. Shares are calculated in the compute type; their sum is a double to
 * which those of a vector are added at once. */
#include "args.h"
#include "dev/folds.cuh"
#include "dev/group.cuh"
#include "dev/values.cuh"
#include "dev/walk.cuh"

typedef COMPUTE T;
enum soft_kind { SOFTMAX, LOG_SOFTMAX, SOFTMAX_BACKWARD, LOG_SOFTMAX_BACKWARD, SHARES }; /* SHARES: of softmax, known already */
enum { V = SOFT_VECTOR, N = SOFT_KEPT };

struct soft_top {
    T    v = least_of<T>();
    __device__ void join(const soft_top &other) { v = other.v > v ? other.v : v; }
};

/* The greatest value, and the sum of the shares relative to it. */
struct soft_sum {
    double s = 0;
    T      top = least_of<T>();
    __device__ void raise(T to)
    {
        if (to > top) {
            s = s == 0 ? 0 : s * EXP(top - to);
            top = to;
        }
    }
    __device__ void join(const soft_sum &other)
    {
        soft_sum later = other;
        raise(later.top);
        later.raise(top);
        s += later.s;
    }
};

/* ---- a value ---- */
template <int K> static __device__ __forceinline__ T share_of(T x, T y, T top)
{
    return K == LOG_SOFTMAX_BACKWARD ? x : K == SOFTMAX_BACKWARD ? x * y : EXP(x - top);
}

template <int K> static __device__ __forceinline__ T total_of(double sum)
{
    return (T)(K == SOFTMAX ? 1 / sum : K == LOG_SOFTMAX ? log(sum) : sum);
}

template <int K> static __device__ __forceinline__ T result_of(T x, T y, T top, T total)
{
    return K == SHARES             ? x * total
           : K == SOFTMAX          ? EXP(x - top) * total
           : K == LOG_SOFTMAX      ? x - top - total
           : K == SOFTMAX_BACKWARD ? (x - total) * y
                                   : x - EXP(y) * total;
}

/* ---- where a line is ---- */
struct soft_line {
    char    *at[3];
    uint64_t number;
    uint32_t lane;
    bool     mine;
};

static __device__ __forceinline__ soft_line line_of(const soft_args &g)
{
    const uint64_t thread = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x;
    soft_line      l = {{g.at[0], g.at[1], g.at[2]}, thread / g.lanes, (uint32_t)(thread % g.lanes), false};
    l.mine = l.number < g.lines;
    if (l.mine)
        walk((uint32_t)l.number, g.nd, g.size, g.stride, l.at);
    return l;
}

/* ---- some values of a line ---- */

/* An operand's dtype and width, which the kernels of one dtype know. */
enum { ANY_DTYPE = KT_NONE };
template <int D> static __device__ __forceinline__ int is_of(const soft_args &g, int at) { return D ? D : g.is[at]; }
template <int D> static __device__ __forceinline__ int width_of(const soft_args &g, int at)
{
    return D == KT_F64 ? 8 : D == KT_F32 ? 4 : D ? 2 : g.width[at];
}

template <int K, int M> static __device__ __forceinline__ void add_shares(soft_sum &sum, const T (&x)[M], const T (&y)[M])
{
    if (K == SOFTMAX || K == LOG_SOFTMAX) {
        T most = x[0];
#pragma unroll
        for (int i = 1; i < M; i++)
            most = x[i] > most || is_nan(most) ? x[i] : most; /* a NaN makes the sum one */
        sum.raise(most);
        if (sum.top == least_of<T>()) { /* nothing but -infinity and NaN so far: what is -infinity adds nothing, whatever comes */
#pragma unroll
            for (int i = 0; i < M; i++)
                sum.s = is_nan(x[i]) ? (double)x[i] : sum.s;
            return;
        }
    }
    T share[M];
#pragma unroll
    for (int i = 0; i < M; i++)
        share[i] = share_of<K>(x[i], y[i], sum.top);
    sum.s += (double)in_pairs(share);
}

template <int K> static __device__ __forceinline__ soft_sum of_all_lanes(soft_sum sum, uint32_t lanes)
{
    if (K == SOFTMAX_BACKWARD || K == LOG_SOFTMAX_BACKWARD)
        sum.top = 0; /* sums alone */
    join_lanes(sum, lanes);
    return to_all_lanes(sum, lanes);
}

template <int M> static __device__ __forceinline__ void load_values(T (&v)[M], const char *p, int width, int is)
{
    raw<M> r;
    raw_load(r, p, width);
    values<T>::decode(v, r, is);
}

template <int K, int D = ANY_DTYPE, int M>
static __device__ __forceinline__ void store_results(char *p, int width, int is, const T (&x)[M], const T (&y)[M], T top, T total)
{
    raw<M> r;
    T      z[M];
#pragma unroll
    for (int i = 0; i < M; i++)
        z[i] = result_of<K>(x[i], y[i], top, total);
    encode_as<D>(r, z, is);
    raw_store(r, p, width);
}

/* ---- lines in registers. All loads are on their way before the first is decoded, where the dtype says what they are ---- */
template <int K, int D = ANY_DTYPE>
static __global__ void __launch_bounds__(ARG_THREADS) soft_kept(ARGUMENTS(soft_args) g)
{
    enum { BACK = K == SOFTMAX_BACKWARD || K == LOG_SOFTMAX_BACKWARD };
    const soft_line l = line_of(g);
    T               x[N][V], y[BACK ? N : 1][V];
    raw<V>          r[2][N];
    soft_top        top;
    plain_sum       sum;
#pragma unroll
    for (int k = 0; k < N; k++) {
        const uint32_t at = (k * g.lanes + l.lane) * V;
        if (!l.mine || at >= g.length)
            continue;
        raw_load(r[0][k], l.at[1] + (uint64_t)at * width_of<D>(g, 1), width_of<D>(g, 1));
        if (BACK)
            raw_load(r[1][k], l.at[2] + (uint64_t)at * width_of<D>(g, 2), width_of<D>(g, 2));
        if (D == ANY_DTYPE) {
            values<T>::decode(x[k], r[0][k], g.is[1]);
            if (BACK)
                values<T>::decode(y[BACK ? k : 0], r[1][k], g.is[2]);
        }
    }
#pragma unroll
    for (int k = 0; k < N && D != ANY_DTYPE; k++) {
        decode_as<D>(x[k], r[0][k]);
        if (BACK)
            decode_as<D>(y[BACK ? k : 0], r[1][k]);
    }
    if (!BACK) {
#pragma unroll
        for (int k = 0; k < N; k++)
            if (l.mine && (k * g.lanes + l.lane) * V < g.length)
#pragma unroll
                for (int i = 0; i < V; i++)
                    top.v = x[k][i] > top.v ? x[k][i] : top.v; /* a NaN makes the sum one */
        join_lanes(top, g.lanes);
        top = to_all_lanes(top, g.lanes);
    }
#pragma unroll
    for (int k = 0; k < N; k++)
        if (l.mine && (k * g.lanes + l.lane) * V < g.length) {
            T share[V];
#pragma unroll
            for (int i = 0; i < V; i++) {
                share[i] = share_of<K>(x[k][i], y[BACK ? k : 0][i], top.v);
                x[k][i] = K == SOFTMAX ? share[i] : x[k][i];
            }
            sum.s += (double)in_pairs(share);
        }
    join_lanes(sum, g.lanes);
    const T total = total_of<K>(to_all_lanes(sum, g.lanes).s);
#pragma unroll
    for (int k = 0; k < N; k++) {
        const uint32_t at = (k * g.lanes + l.lane) * V;
        if (l.mine && at < g.length)
            store_results<K == SOFTMAX ? SHARES : K, D>(l.at[0] + (uint64_t)at * width_of<D>(g, 0), width_of<D>(g, 0),
                                                        is_of<D>(g, 0), x[k], y[BACK ? k : 0], top.v, total);
    }
}

/* ---- any line: read twice ---- */
static __device__ __forceinline__ T value_at(const soft_args &g, const soft_line &l, int operand, uint32_t i)
{
    return values<T>::load(l.at[operand] + (int64_t)i * g.step[operand], g.is[operand]);
}

/* Dense operands, those in [from, operands), of one width whose lines begin at one distance from a multiple of 16 bytes: how many
 * elements come before the first that vectors can be loaded from. -1: there is none. */
static __device__ __forceinline__ int64_t before_vectors(const soft_args &g, const soft_line &l, int from, int operands)
{
    const uint32_t off = (uint32_t)(uintptr_t)l.at[1] & 15;
    bool           good = off % g.width[1] == 0;
    for (int i = from; i < operands; i++)
        good &= g.step[i] == g.width[i] && g.width[i] == g.width[1] && ((uint32_t)(uintptr_t)l.at[i] & 15) == off;
    const uint32_t head = (16 - off) % 16 / g.width[1];
    return good && g.length >= head + V ? (int64_t)head : -1;
}

/* The elements of a line: those before the vectors, or all; the vectors; those behind them. */
struct soft_parts {
    uint32_t first, last, end;
};
static __device__ __forceinline__ soft_parts parts_of(const soft_args &g, const soft_line &l, int from, int operands)
{
    const uint32_t end = l.mine ? g.length : 0;
    const int64_t  head = l.mine && g.lanes > 1 ? before_vectors(g, l, from, operands) : -1;
    const uint32_t first = head < 0 ? end : (uint32_t)head;
    return soft_parts{first, head < 0 ? end : first + (end - first) / V * V, end};
}

template <int K, int D = ANY_DTYPE>
static __device__ __forceinline__ soft_sum sum_of(const soft_args &g, const soft_line &l, const soft_parts &p)
{
    enum { BACK = K == SOFTMAX_BACKWARD || K == LOG_SOFTMAX_BACKWARD };
    const uint32_t first = p.first, last = p.last, end = p.end;
    soft_sum       sum;
    T              x[V], y[V];
    for (uint32_t i = l.lane; i < first; i += g.lanes) {
        const T one[1] = {value_at(g, l, 1, i)}, other[1] = {BACK ? value_at(g, l, 2, i) : (T)0};
        add_shares<K>(sum, one, other);
    }
    for (uint32_t i = first + l.lane * V; i < last; i += g.lanes * V) {
        load_values(x, l.at[1] + (uint64_t)i * width_of<D>(g, 1), width_of<D>(g, 1), is_of<D>(g, 1));
        if (BACK)
            load_values(y, l.at[2] + (uint64_t)i * width_of<D>(g, 2), width_of<D>(g, 2), is_of<D>(g, 2));
        add_shares<K>(sum, x, y);
    }
    for (uint32_t i = last + l.lane; i < end; i += g.lanes) {
        const T one[1] = {value_at(g, l, 1, i)}, other[1] = {BACK ? value_at(g, l, 2, i) : (T)0};
        add_shares<K>(sum, one, other);
    }
    return of_all_lanes<K>(sum, g.lanes);
}

/* ---- elements of 16 bits: their shares are sums of so many that the last bits of each do not matter ---- */
static __device__ __forceinline__ float quick_exp(float x)
{
    const float turns = x * 1.44269504f; /* of 2 */
#ifdef __CUDA_ARCH__
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(turns));
    return y;
#else
    return exp2f(turns);
#endif
}

/* The same as sum_of for log_softmax, several vectors at once, which are on their way together. */
template <int D>
static __device__ __forceinline__ soft_sum quick_sum_of(const soft_args &g, const soft_line &l, const soft_parts &p)
{
    enum { AHEAD = 4, W = 2 };
    soft_sum       sum;
    const uint32_t step = g.lanes * V;
    for (uint32_t i = l.lane; i < p.end; i += g.lanes)
        if (i < p.first || i >= p.last) {
            const T one[1] = {value_at(g, l, 1, i)}, other[1] = {0};
            add_shares<LOG_SOFTMAX>(sum, one, other);
        } else {
            i += (p.last - 1 - i) / g.lanes * g.lanes; /* to the last of the vectors */
        }
    for (uint32_t i = p.first + l.lane * V; i < p.last; i += AHEAD * step) {
        raw<V> r[AHEAD];
        T      x[V], most = sum.top;
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const uint32_t at = i + k * step;
            raw_load(r[k], l.at[1] + (uint64_t)(at < p.last ? at : i) * W, W);
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            decode_as<D>(x, r[k]);
#pragma unroll
            for (int j = 0; j < V; j++)
                most = fmaxf(most, x[j]); /* a NaN makes the sum one */
        }
        sum.raise(most);
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            if (i + k * step >= p.last)
                break;
            decode_as<D>(x, r[k]);
            if (sum.top == least_of<T>()) {
#pragma unroll
                for (int j = 0; j < V; j++)
                    sum.s = is_nan(x[j]) ? (double)x[j] : sum.s;
                continue;
            }
#pragma unroll
            for (int j = 0; j < V; j++)
                x[j] = quick_exp(x[j] - sum.top);
            sum.s += (double)in_pairs(x);
        }
    }
    return of_all_lanes<LOG_SOFTMAX>(sum, g.lanes);
}

template <int K> static __global__ void __launch_bounds__(ARG_THREADS) soft_any(ARGUMENTS(soft_args) g)
{
    enum { BACK = K == SOFTMAX_BACKWARD || K == LOG_SOFTMAX_BACKWARD };
    const soft_line  l = line_of(g);
    const soft_parts p = parts_of(g, l, 0, BACK ? 3 : 2);
    const uint32_t   first = p.first, last = p.last, end = p.end;
    const soft_sum   sum = sum_of<K>(g, l, p);
    const T          total = total_of<K>(sum.s);
    T                x[V], y[V];
    for (uint32_t i = first + l.lane * V; i < last; i += g.lanes * V) {
        load_values(x, l.at[1] + (uint64_t)i * g.width[1], g.width[1], g.is[1]);
        if (BACK)
            load_values(y, l.at[2] + (uint64_t)i * g.width[2], g.width[2], g.is[2]);
        store_results<K>(l.at[0] + (uint64_t)i * g.width[0], g.width[0], g.is[0], x, y, sum.top, total);
    }
    for (uint32_t i = l.lane; i < end; i += g.lanes) {
        if (i >= first && i < last)
            i += (last - i + g.lanes - 1) / g.lanes * g.lanes;
        if (i < end)
            values<T>::store(l.at[0] + (int64_t)i * g.step[0], g.is[0],
                             result_of<K>(value_at(g, l, 1, i), BACK ? value_at(g, l, 2, i) : (T)0, sum.top, total));
    }
}

/* ---- cross entropy: the log_softmax at one place of a line, of a dtype D that is seen as AS: D or the compute type's ---- */
template <int D, int AS> static __device__ __forceinline__ char *taken_at(const entropy_args &g, uint64_t line)
{
    return g.taken + line * (AS == D ? width_of<D>(g.soft, 1) : sizeof(T));
}

template <int D, int AS> static __global__ void __launch_bounds__(ARG_THREADS) entropy(ARGUMENTS(entropy_args) g)
{
    const soft_line l = line_of(g.soft);
    soft_sum        sum;
    if constexpr (D == KT_BF16 || D == KT_F16)
        sum = quick_sum_of<D>(g.soft, l, parts_of(g.soft, l, 1, 2));
    else
        sum = sum_of<LOG_SOFTMAX, D>(g.soft, l, parts_of(g.soft, l, 1, 2));
    const T         total = total_of<LOG_SOFTMAX>(sum.s);
    if (!l.mine || l.lane != 0)
        return;
    const int64_t k = g.classes[l.number];
    T             taken = 0;
    if (k >= 0 && k < g.soft.length)
        taken = result_of<LOG_SOFTMAX>(value_at(g.soft, l, 1, (uint32_t)k), 0, sum.top, total);
    values<T>::store(taken_at<D, AS>(g, l.number), AS, taken);
    ((T *)g.top)[l.number] = sum.top;
    ((T *)g.total)[l.number] = total;
}

/* The log_softmax is rounded to the dtype that the logits are seen in, as if it had been stored. */
template <int AS, int M>
static __device__ __forceinline__ void flow_back(T (&z)[M], const T (&x)[M], T top, T total, T grad, int64_t k)
{
    raw<M> r;
    T      y[M];
#pragma unroll
    for (int i = 0; i < M; i++)
        y[i] = result_of<LOG_SOFTMAX>(x[i], 0, top, total);
    if (AS != values<T>::self) {
        values<T>::encode(r, y, AS);
        values<T>::decode(y, r, AS);
    }
#pragma unroll
    for (int i = 0; i < M; i++)
        z[i] = result_of<LOG_SOFTMAX_BACKWARD>(i == k ? grad : (T)0, y[i], 0, grad);
}

template <int D, int AS> static __global__ void __launch_bounds__(ARG_THREADS) entropy_back(ARGUMENTS(entropy_args) g)
{
    const soft_args &s = g.soft;
    const soft_line  l = line_of(s);
    const soft_parts p = parts_of(s, l, 0, 2);
    if (!l.mine)
        return;
    const T       top = ((const T *)g.top)[l.number], total = ((const T *)g.total)[l.number];
    const T       grad = values<T>::load(taken_at<D, AS>(g, l.number), AS);
    const int64_t k = g.classes[l.number];
    const uint32_t begin = p.first + l.lane * V, step = s.lanes * V;
    raw<V>         next;
    if (begin < p.last)
        raw_load(next, l.at[1] + (uint64_t)begin * width_of<D>(s, 1), width_of<D>(s, 1));
    for (uint32_t i = begin; i < p.last; i += step) {
        T      x[V], z[V];
        raw<V> r;
        decode_as<D>(x, next);
        if (i + step < p.last) /* on its way while this one is calculated */
            raw_load(next, l.at[1] + (uint64_t)(i + step) * width_of<D>(s, 1), width_of<D>(s, 1));
        flow_back<AS>(z, x, top, total, grad, k - i);
        encode_as<D>(r, z, D);
        raw_store(r, l.at[0] + (uint64_t)i * width_of<D>(s, 0), width_of<D>(s, 0));
    }
    for (uint32_t i = l.lane; i < p.end; i += s.lanes) {
        if (i >= p.first && i < p.last)
            i += (p.last - i + s.lanes - 1) / s.lanes * s.lanes;
        if (i >= p.end)
            break;
        const T one[1] = {value_at(s, l, 1, i)};
        T       z[1];
        flow_back<AS>(z, one, top, total, grad, k - i);
        values<T>::store(l.at[0] + (int64_t)i * s.step[0], D, z[0]);
    }
}

#define ENTROPY_AS(D, AS) {KT_##D, AS, (const void *)entropy<KT_##D, AS>, (const void *)entropy_back<KT_##D, AS>},
#define ENTROPY(D)        ENTROPY_AS(D, KT_##D)
#define ENTROPY_WIDE(D)   ENTROPY_AS(D, (kt_dtype)values<T>::self)
static const entropy_kernels entropies[] = {OF_DTYPES(ENTROPY) OF_DTYPES(ENTROPY_WIDE){KT_NONE, KT_NONE, NULL, NULL}};

/* Arrays of their own, no members of a template: those would be one in the whole library, for all compute types. */
#define KEPT(K, D) {KT_##D, (const void *)soft_kept<K, KT_##D>},
#define KEPT_SOFTMAX(D)              KEPT(SOFTMAX, D)
#define KEPT_LOG_SOFTMAX(D)          KEPT(LOG_SOFTMAX, D)
#define KEPT_SOFTMAX_BACKWARD(D)     KEPT(SOFTMAX_BACKWARD, D)
#define KEPT_LOG_SOFTMAX_BACKWARD(D) KEPT(LOG_SOFTMAX_BACKWARD, D)
#define KEPT_KERNELS(K) \
    static const soft_kept_kernel kept_##K[] = {OF_DTYPES(KEPT_##K){KT_NONE, (const void *)soft_kept<K>}};
KEPT_KERNELS(SOFTMAX)
KEPT_KERNELS(LOG_SOFTMAX)
KEPT_KERNELS(SOFTMAX_BACKWARD)
KEPT_KERNELS(LOG_SOFTMAX_BACKWARD)
#define SOFT(name, K) {name, kept_##K, (const void *)soft_any<K>},
static const soft_kernels table[] = {
    SOFT("softmax", SOFTMAX)
    SOFT("log_softmax", LOG_SOFTMAX)
    SOFT("softmax_backward", SOFTMAX_BACKWARD)
    SOFT("log_softmax_backward", LOG_SOFTMAX_BACKWARD)
    {NULL, NULL, NULL},
};
const soft_table SOFT_NAME = {table, entropies, (kt_dtype)values<T>::self, values<T>::reads, values<T>::writes};
