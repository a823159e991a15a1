/* types.h - the types that dtypes are stored and computed in, and how an inline function is declared. What is made of these alone
 * (dtype/convert.h, src/math) is read by the C compiler and, for the kernels of backends/cuda, by nvcc.
 *
 * Independent of: the table of dtypes, tensors, kernels. */
#ifndef KT_DTYPE_TYPES_H
#define KT_DTYPE_TYPES_H

#include <stdint.h>

/* Storage of complex32: the bits of two float16. */
typedef struct kt__c32 {
    uint16_t re, im;
} kt__c32;

#ifdef __CUDACC__
#define KT_ALWAYS static __device__ __forceinline__
/* On the device they are structs, in a file of their own
 * since that is C++. A real number becomes a complex one
 * by itself, as in C, and a narrow complex one a wide
 * one. */

#include "dtype/complex_structs.h"
#define KT__REAL(z) ((z).re)
#define KT__IMAG(z) ((z).im)
#define KT__C64(re, im)  (kt__c64{(re), (im)})
#define KT__C128(re, im) (kt__c128{(re), (im)})
#else
#define KT_ALWAYS static inline __attribute__((always_inline, unused))
typedef float _Complex  kt__c64;
typedef double _Complex kt__c128;
#define KT__REAL(z) __real__(z)
#define KT__IMAG(z) __imag__(z)
#define KT__C64(re, im)  __builtin_complex((float)(re), (float)(im))
#define KT__C128(re, im) __builtin_complex((double)(re), (double)(im))
#endif

typedef float    kt__f32;
typedef double   kt__f64;
typedef int32_t  kt__i32;
typedef int64_t  kt__i64;
typedef uint64_t kt__u64;

/* What a float's encodings beyond the numbers mean: the column `specials` of tables/dtypes.def. */
typedef enum kt__specials { KT__NA, KT__IEEE, KT__FN, KT__FNUZ, KT__E8M0 } kt__specials;

#endif
