/* folds_complex.cuh - what reductions of complex numbers calculate, as folds.cuh has it for real ones: in double, with the CPU's
 * results (cpu/isa/reduce_ops.inc.c) but for the order of sums. A real result stands in the real part. Independent of: layouts,
 * threads, dtypes. */
#ifndef KARAT_CUDA_FOLDS_COMPLEX_CUH
#define KARAT_CUDA_FOLDS_COMPLEX_CUH

#include "dev/folds.cuh"
#include "dtype/types.h"

/* A compute type of a double or two. */
template <class T> struct complex_of;
template <> struct complex_of<kt__c64> {
    static __device__ __forceinline__ kt__c64 make(double re, double im) { return kt__c64((float)re, (float)im); }
};
template <> struct complex_of<kt__c128> {
    static __device__ __forceinline__ kt__c128 make(double re, double im) { return kt__c128(re, im); }
};

/* ---- sums and products ---- */
template <class T> struct fold_complex_sum : light {
    double re = 0, im = 0;
    __device__ void take(T x, int64_t, const fold_about &) { re += x.re, im += x.im; }
    __device__ void join(const fold_complex_sum &later) { re += later.re, im += later.im; }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, complex_of<T>::make(re, im)); }
};
template <class T> struct fold_complex_mean : fold_complex_sum<T> {
    template <class O> __device__ void end(const fold_about &about, O &out) const
    {
        out.put(0, complex_of<T>::make(this->re / about.count, this->im / about.count));
    }
};
template <class T> struct fold_complex_prod : light {
    double re = 1, im = 0;
    __device__ void times(double u, double v)
    {
        const double x = re, y = im;
        re = x * u - y * v, im = x * v + y * u;
    }
    __device__ void take(T x, int64_t, const fold_about &) { times(x.re, x.im); }
    __device__ void join(const fold_complex_prod &later) { times(later.re, later.im); }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, complex_of<T>::make(re, im)); }
};

/* ---- truth ---- */
template <class T> struct fold_complex_count : light {
    int64_t n = 0;
    __device__ void take(T x, int64_t, const fold_about &) { n += x.re != 0 || x.im != 0; }
    __device__ void join(const fold_complex_count &later) { n += later.n; }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.whole(0, n); }
};
template <class T> struct fold_complex_any : fold_complex_count<T> {
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, complex_of<T>::make(this->n != 0, 0)); }
};
template <class T> struct fold_complex_all : fold_complex_count<T> {
    template <class O> __device__ void end(const fold_about &about, O &out) const
    {
        out.put(0, complex_of<T>::make((double)this->n == about.count, 0));
    }
};

/* ---- norms: those of the magnitudes. F: the real one ---- */
template <class T> struct real_results {
    T *into;
    __device__ void put(int, double v) { *into = complex_of<T>::make(v, 0); }
};
template <class T, class F> struct fold_of_sizes : F {
    __device__ void take(T x, int64_t i, const fold_about &about) { F::take(hypot((double)x.re, (double)x.im), i, about); }
    template <class O> __device__ void end(const fold_about &about, O &out) const
    {
        T               v;
        real_results<T> real = {&v};
        F::end(about, real);
        out.put(0, v);
    }
};
/* A number with an infinite part is infinitely large, whatever the other part is. */
template <class T> struct fold_complex_norm2 : fold_of_sizes<T, fold_norm2<double>> {
    __device__ void take(T x, int64_t, const fold_about &)
    {
        const double re = x.re, im = x.im;
        this->s += isinf(re) || isinf(im) ? INFINITY : re * re + im * im;
    }
};

/* ---- variance: those of both parts ---- */
template <class T> struct fold_complex_var : light {
    fold_var<double> re, im;
    __device__ void take(T x, int64_t i, const fold_about &a) { re.take(x.re, i, a), im.take(x.im, i, a); }
    __device__ void join(const fold_complex_var &later) { re.join(later.re), im.join(later.im); }
    template <class O> __device__ void end_as(const fold_about &about, O &out, bool root) const
    {
        const double freedom = about.count > about.param ? about.count - about.param : 0;
        const double v = (re.squares() + im.squares()) / freedom;
        out.put(0, complex_of<T>::make(root ? sqrt(v) : v, 0));
        out.put(1, complex_of<T>::make(re.mean(), im.mean()));
    }
    template <class O> __device__ void end(const fold_about &about, O &out) const { end_as(about, out, false); }
};
template <class T> struct fold_complex_std : fold_complex_var<T> {
    template <class O> __device__ void end(const fold_about &about, O &out) const { this->end_as(about, out, true); }
};

#endif
