/* complex.cuh - complex numbers in device code: C's operators, and the functions of <complex.h> by those of C++, under the names
 * that src/math calls. Independent of: dtypes, rows. */
#ifndef KARAT_CUDA_COMPLEX_CUH
#define KARAT_CUDA_COMPLEX_CUH

#include "dtype/types.h"

#ifdef KT_ON_CPU
#include <complex>
namespace library = std;
#else
#include <cuda/std/complex>
namespace library = cuda::std;
#endif

/* A real number beside a complex one has no imaginary part, not even 0: it would take the sign of a zero away. */
#define COMPLEX_OPERATORS(C, R)                                                                                           \
    static __device__ __forceinline__ C    operator-(C a) { return C(-a.re, -a.im); }                                      \
    static __device__ __forceinline__ C    operator+(C a, C b) { return C(a.re + b.re, a.im + b.im); }                     \
    static __device__ __forceinline__ C    operator-(C a, C b) { return C(a.re - b.re, a.im - b.im); }                     \
    static __device__ __forceinline__ C    operator+(R a, C b) { return C(a + b.re, b.im); }                               \
    static __device__ __forceinline__ C    operator-(R a, C b) { return C(a - b.re, -b.im); }                              \
    static __device__ __forceinline__ bool operator==(C a, C b) { return a.re == b.re && a.im == b.im; }                   \
    static __device__ __forceinline__ bool operator!=(C a, C b) { return !(a == b); }
COMPLEX_OPERATORS(kt__c64, float)
COMPLEX_OPERATORS(kt__c128, double)

static __device__ __forceinline__ double creal(kt__c128 z) { return z.re; }
static __device__ __forceinline__ double cimag(kt__c128 z) { return z.im; }

typedef library::complex<double> library_complex;
static __device__ __forceinline__ library_complex to_library(kt__c128 z) { return library_complex(z.re, z.im); }
static __device__ __forceinline__ kt__c128 of_library(library_complex z) { return kt__c128(z.real(), z.imag()); }

static __device__ __forceinline__ kt__c128 operator*(kt__c128 a, kt__c128 b) { return of_library(to_library(a) * to_library(b)); }

#define COMPLEX_FUNCTION(name)                                                                                            \
    static __device__ __noinline__ kt__c128 c##name(kt__c128 z) { return of_library(library::name(to_library(z))); }
COMPLEX_FUNCTION(acos)
COMPLEX_FUNCTION(acosh)
COMPLEX_FUNCTION(asin)
COMPLEX_FUNCTION(asinh)
COMPLEX_FUNCTION(atan)
COMPLEX_FUNCTION(atanh)
COMPLEX_FUNCTION(cos)
COMPLEX_FUNCTION(cosh)
COMPLEX_FUNCTION(exp)
COMPLEX_FUNCTION(log)
COMPLEX_FUNCTION(sin)
COMPLEX_FUNCTION(sinh)
COMPLEX_FUNCTION(sqrt)
COMPLEX_FUNCTION(tan)
COMPLEX_FUNCTION(tanh)
#undef COMPLEX_FUNCTION

#endif
