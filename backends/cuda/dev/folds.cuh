/* folds.cuh - what reductions calculate: a state, what a value does to it, how two states are joined, and the results of it.
 * Sums accumulate in double or int64, as on the CPU (cpu/isa/reduce_ops.inc.c), whose results these are but for the order in
 * which they were added. Of equal values the one of the lowest index wins; a NaN beats every number.
 *
 * A new reduction is a struct here and a line in kernels/reduce.cuh. Independent of: layouts, threads, dtypes. */
#ifndef KARAT_CUDA_FOLDS_CUH
#define KARAT_CUDA_FOLDS_CUH

#include <math.h>
#include <stdint.h>

#include "args.h"

template <class T> struct wider { typedef int64_t type; };
template <> struct wider<float> { typedef double type; };
template <> struct wider<double> { typedef double type; };

template <class T> static __device__ __forceinline__ bool is_nan(T x) { return x != x; }
template <class T> static __device__ __forceinline__ T least_of();
template <> __device__ __forceinline__ float   least_of<float>() { return -INFINITY; }
template <> __device__ __forceinline__ double  least_of<double>() { return -INFINITY; }
template <> __device__ __forceinline__ int32_t least_of<int32_t>() { return INT32_MIN; }
template <> __device__ __forceinline__ int64_t least_of<int64_t>() { return INT64_MIN; }
template <class T> static __device__ __forceinline__ T most_of() { return sizeof(T) == 4 ? (T)INT32_MAX : (T)INT64_MAX; }
template <> __device__ __forceinline__ float  most_of<float>() { return INFINITY; }
template <> __device__ __forceinline__ double most_of<double>() { return INFINITY; }

/* A fold whose take is many instructions says so, and takes one value at a time. */
struct light { enum { heavy = 0, pairs = 0 }; }; /* pairs: two vectors are loaded before the first is taken */
struct weighty { enum { heavy = 1, pairs = 0 }; };

/* Results go through `out`: put(k, value) in the compute type, whole(k, integer). */

/* ---- sums and products ---- */
template <class T> struct fold_sum : light {
    enum { pairs = 1 };
    typename wider<T>::type s = 0;
    __device__ void take(T x, int64_t, const fold_about &) { s += x; }
    __device__ void join(const fold_sum &later) { s += later.s; }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, (T)s); }
};
template <class T> struct fold_nansum : fold_sum<T> {
    __device__ void take(T x, int64_t, const fold_about &) { this->s += is_nan(x) ? 0 : x; }
};
template <class T> struct fold_mean : fold_sum<T> {
    template <class O> __device__ void end(const fold_about &about, O &out) const { out.put(0, (T)(this->s / about.count)); }
};
template <class T> struct fold_nanmean : light {
    double s = 0, n = 0;
    __device__ void take(T x, int64_t, const fold_about &) { s += is_nan(x) ? 0 : x, n += is_nan(x) ? 0 : 1; }
    __device__ void join(const fold_nanmean &later) { s += later.s, n += later.n; }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, (T)(s / n)); }
};
template <class T> struct fold_prod : light {
    typename wider<T>::type s = 1;
    __device__ void take(T x, int64_t, const fold_about &) { s *= x; }
    __device__ void join(const fold_prod &later) { s *= later.s; }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, (T)s); }
};

/* ---- order ---- */
template <class T> static __device__ __forceinline__ T larger(T a, T b) { return is_nan(b) ? b : b > a ? b : a; }
template <class T> static __device__ __forceinline__ T smaller(T a, T b) { return is_nan(b) ? b : b < a ? b : a; }

template <class T> struct fold_amax : light {
    T v = least_of<T>();
    __device__ void take(T x, int64_t, const fold_about &) { v = is_nan(v) ? v : larger(v, x); }
    __device__ void join(const fold_amax &later) { v = is_nan(v) ? v : larger(v, later.v); }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, v); }
};
template <class T> struct fold_amin : light {
    T v = most_of<T>();
    __device__ void take(T x, int64_t, const fold_about &) { v = is_nan(v) ? v : smaller(v, x); }
    __device__ void join(const fold_amin &later) { v = is_nan(v) ? v : smaller(v, later.v); }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, v); }
};
template <class T> struct fold_aminmax : light {
    fold_amin<T> low;
    fold_amax<T> high;
    __device__ void take(T x, int64_t i, const fold_about &a) { low.take(x, i, a), high.take(x, i, a); }
    __device__ void join(const fold_aminmax &later) { low.join(later.low), high.join(later.high); }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, low.v), out.put(1, high.v); }
};

/* A value and its index; -1: none yet. */
template <class T, bool LEAST> struct fold_place : light {
    int64_t at = -1;
    T       v = 0;
    static __device__ __forceinline__ bool before(T a, T b) { return LEAST ? a < b : a > b; }
    __device__ void take_at(T x, int64_t i)
    {
        const bool same = x == v || (is_nan(x) && is_nan(v));
        const bool wins = at < 0 || (same ? i < at : !is_nan(v) && (is_nan(x) || before(x, v)));
        v = wins ? x : v, at = wins ? i : at;
    }
    __device__ void take(T x, int64_t i, const fold_about &) { take_at(x, i); }
    /* Of a vector the best, by places of 32 bits, before it is compared with what there is. */
    template <int V> __device__ void take_all(const T (&x)[V], int64_t i)
    {
        T   best = x[0];
        int k = 0;
#pragma unroll
        for (int j = 1; j < V; j++) {
            const bool wins = !is_nan(best) && (is_nan(x[j]) || before(x[j], best));
            best = wins ? x[j] : best, k = wins ? j : k;
        }
        take_at(best, i + k);
    }
    __device__ void join(const fold_place &later)
    {
        if (later.at >= 0)
            take_at(later.v, later.at);
    }
};
template <class T, bool LEAST> struct fold_arg : fold_place<T, LEAST> {
    template <class O> __device__ void end(const fold_about &, O &out) const { out.whole(0, this->at); }
};
template <class T, bool LEAST> struct fold_with_index : fold_place<T, LEAST> {
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, this->v), out.whole(1, this->at); }
};

/* ---- truth ---- */
template <class T> struct fold_count : light {
    int64_t n = 0;
    __device__ void take(T x, int64_t, const fold_about &) { n += x != 0; }
    __device__ void join(const fold_count &later) { n += later.n; }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.whole(0, n); }
};
template <class T> struct fold_any : fold_count<T> {
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, (T)(this->n != 0)); }
};
template <class T> struct fold_all : fold_count<T> {
    template <class O> __device__ void end(const fold_about &about, O &out) const
    {
        out.put(0, (T)((double)this->n == about.count));
    }
};

/* ---- norms ---- */
template <class T> struct fold_norm0 : fold_count<T> {
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, (T)this->n); }
};
template <class T> struct fold_norm1 : fold_sum<T> {
    __device__ void take(T x, int64_t, const fold_about &) { this->s += fabs((double)x); }
};
template <class T> struct fold_norm2 : fold_sum<T> {
    __device__ void take(T x, int64_t, const fold_about &) { this->s += (double)x * (double)x; }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, (T)sqrt(this->s)); }
};
template <class T> struct fold_normp : fold_sum<T> {
    enum { heavy = 1 };
    __device__ void take(T x, int64_t, const fold_about &about) { this->s += pow(fabs((double)x), about.param); }
    template <class O> __device__ void end(const fold_about &about, O &out) const
    {
        out.put(0, (T)pow(this->s, 1 / about.param));
    }
};
template <class T> struct fold_norm_largest : fold_amax<T> {
    __device__ void take(T x, int64_t i, const fold_about &a) { fold_amax<T>::take(x < 0 ? -x : x == 0 ? 0 : x, i, a); }
    template <class O> __device__ void end(const fold_about &about, O &out) const { out.put(0, about.count == 0 ? 0 : this->v); }
};
template <class T> struct fold_norm_smallest : fold_amin<T> {
    __device__ void take(T x, int64_t i, const fold_about &a) { fold_amin<T>::take(x < 0 ? -x : x == 0 ? 0 : x, i, a); }
};

/* ---- variance: a number near the mean, the sums of the distances from it and of their squares ----
 * A thread takes its first value for that number, if it is finite: the mean of an infinity is one. What is joined is moved to one
 * number of the two: of float32 and narrower dtypes in double nothing is lost by that; float64 has the mean there (T. F. Chan,
 * G. H. Golub and R. J. LeVeque, The American Statistician 37, 1983), which takes divisions. */
template <class T> struct fold_var : light {
    double n = 0, near = 0, s = 0, q = 0;
    __device__ void take(T x, int64_t, const fold_about &)
    {
        near = n == 0 ? ((double)x - (double)x == 0 ? (double)x : 0) : near;
        const double d = (double)x - near;
        n += 1, s += d, q = fma(d, d, q);
    }
    __device__ double mean() const { return near + s / n; }
    __device__ double squares() const /* infinite if they are too large, NaN of infinite values alone */
    {
        const double less = q - s / n * s; /* s * s may be too large where q is not */
        return q - q != 0 && s - s == 0 ? q : less < 0 ? 0 : less;
    }
    __device__ void   join(const fold_var &later)
    {
        if (n == 0) {
            *this = later;
        } else if (sizeof(T) == 4) {
            const double apart = later.n == 0 ? 0 : later.near - near;
            q += later.q + apart * (2 * later.s + later.n * apart);
            s += later.s + later.n * apart, n += later.n;
        } else if (later.n != 0) {
            const double share = later.n / (n + later.n), here = mean(), apart = later.mean() - here;
            q = squares() + later.squares() + apart * apart * (n * share);
            near = apart - apart == 0 ? here + apart * share : here + later.mean();
            s = 0, n += later.n;
        }
    }
    template <class O> __device__ void end_as(const fold_about &about, O &out, bool root) const
    {
        const double freedom = about.count > about.param ? about.count - about.param : 0, v = squares() / freedom;
        out.put(0, (T)(root ? sqrt(v) : v));
        out.put(1, (T)mean());
    }
    template <class O> __device__ void end(const fold_about &about, O &out) const { end_as(about, out, false); }
};
template <class T> struct fold_std : fold_var<T> {
    template <class O> __device__ void end(const fold_about &about, O &out) const { this->end_as(about, out, true); }
};

/* ---- log(sum(exp)): the greatest value, and the sum of the powers of e relative to it ---- */
template <class T> struct fold_logsumexp : weighty {
    double m = -INFINITY, s = 0;
    static __device__ __forceinline__ double origin(double m) { return m - m == 0 ? m : 0; } /* infinities and NaN: none */
    __device__ void raise(double to)
    {
        const double was = origin(m);
        m = is_nan(m) ? m : larger(m, to);
        const double now = origin(m);
        s = s == 0 || was == now ? s : s * exp(was - now);
    }
    __device__ void take(T x, int64_t, const fold_about &)
    {
        raise((double)x);
        s += exp((double)x - origin(m));
    }
    __device__ void join(const fold_logsumexp &later)
    {
        raise(later.m);
        s += later.s == 0 ? 0 : later.s * exp(origin(later.m) - origin(m));
    }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, (T)(origin(m) + log(s))); }
};

#endif
