/* dtype.cuh - dtypes in device code: one struct a row of tables/dtypes.def, over the conversions of dtype/convert.h.
 *
 * In: a dtype known at compile time. Out: its storage S, its compute type C, get and put. Independent of: layouts, kernels. */
#ifndef KARAT_CUDA_DTYPE_CUH
#define KARAT_CUDA_DTYPE_CUH

#include <karat/dtype.h>

#include "dtype/convert.h"

template <int D> struct dtype;
#define DT(ID, NAME, TORCH, CXX, STORAGE, COMPUTE, ...)                                           \
    template <> struct dtype<KT_##ID> {                                                           \
        typedef STORAGE       S;                                                                  \
        typedef kt__##COMPUTE C;                                                                  \
        static __device__ __forceinline__ C get(S s) { return kt__decode_##ID(s); }               \
        static __device__ __forceinline__ S put(float x) { return kt__encode_f32_##ID(x); }       \
        static __device__ __forceinline__ S put(double x) { return kt__encode_f64_##ID(x); }      \
        static __device__ __forceinline__ S put(int32_t x) { return kt__encode_i32_##ID(x); }     \
        static __device__ __forceinline__ S put(int64_t x) { return kt__encode_i64_##ID(x); }     \
        static __device__ __forceinline__ S put(uint64_t x) { return kt__encode_u64_##ID(x); }    \
        static __device__ __forceinline__ S put(kt__c64 x) { return kt__encode_c64_##ID(x); }     \
        static __device__ __forceinline__ S put(kt__c128 x) { return kt__encode_c128_##ID(x); }   \
    };
#include "tables/dtypes.def"

/* From a dtype's compute type to the one that a kernel computes in. */
template <class T> struct to;
#define KT__FROM_ALL(T, ID)                                                                       \
    template <> struct to<T> {                                                                    \
        static __device__ __forceinline__ T of(float x) { return kt__to_##ID##_f32(x); }          \
        static __device__ __forceinline__ T of(double x) { return kt__to_##ID##_f64(x); }         \
        static __device__ __forceinline__ T of(int32_t x) { return kt__to_##ID##_i32(x); }        \
        static __device__ __forceinline__ T of(int64_t x) { return kt__to_##ID##_i64(x); }        \
        static __device__ __forceinline__ T of(uint64_t x) { return kt__to_##ID##_u64(x); }       \
    };
KT__FROM_ALL(float, f32)
KT__FROM_ALL(double, f64)
KT__FROM_ALL(int32_t, i32)
KT__FROM_ALL(int64_t, i64)
template <> struct to<kt__c64> {
    static __device__ __forceinline__ kt__c64 of(float x) { return kt__to_c64_f32(x); }
    static __device__ __forceinline__ kt__c64 of(int32_t x) { return kt__to_c64_i32(x); }
    static __device__ __forceinline__ kt__c64 of(kt__c64 x) { return x; }
};
template <> struct to<kt__c128> {
    static __device__ __forceinline__ kt__c128 of(float x) { return kt__to_c128_f32(x); }
    static __device__ __forceinline__ kt__c128 of(double x) { return kt__to_c128_f64(x); }
    static __device__ __forceinline__ kt__c128 of(int32_t x) { return kt__to_c128_i32(x); }
    static __device__ __forceinline__ kt__c128 of(kt__c128 x) { return x; }
};
#undef KT__FROM_ALL

#endif
