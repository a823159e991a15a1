/* values.cuh - elements in memory of a dtype known at run time, as values of a compute type: one by one, or V at a time from
 * registers. For kernels that are not stamped from rows of src/tables, which have their own (rows.cuh).
 *
 * In: addresses or raw vectors, and a dtype of the compute type's READS or WRITES. Out: values. Independent of: layouts. */
#ifndef KARAT_CUDA_VALUES_CUH
#define KARAT_CUDA_VALUES_CUH

#include "dev/dtype.cuh"
#include "dev/raw.cuh"

#define READS_f32(X)  X(F32) X(BF16) X(F16) X(I64)
#define WRITES_f32(X) X(F32) X(BF16) X(F16) X(BOOL) X(U8)
#define READS_f64(X)  X(F64) X(F32) X(I64)
#define WRITES_f64(X) X(F64) X(F32) X(BOOL) X(U8)
#define READS_i32(X)  X(I32) X(BOOL) X(U8) X(I8) X(I16)
#define WRITES_i32(X) X(I32) X(BOOL) X(U8) X(I8) X(I16) X(I64)
#define READS_i64(X)  X(I64) X(BOOL) X(U8) X(I8) X(I16) X(I32)
#define WRITES_i64(X) X(I64) X(BOOL) X(U8) X(I8) X(I16) X(I32)
#define READS_c64(X)   X(C64)
#define WRITES_c64(X)  X(C64) X(F32) X(BOOL) X(U8)
#define READS_c128(X)  X(C128)
#define WRITES_c128(X) X(C128) X(F64) X(BOOL) X(U8)

#define VALUE_BIT(ID) | 1u << KT_##ID
#define LOAD_VALUE(ID)                                                                                                    \
    case KT_##ID:                                                                                                         \
        return to<W>::of(dtype<KT_##ID>::get(*(const dtype<KT_##ID>::S *)p));
#define STORE_VALUE(ID)                                                                                                   \
    case KT_##ID:                                                                                                         \
        *(dtype<KT_##ID>::S *)p = dtype<KT_##ID>::put(v);                                                                 \
        break;
#define DECODE_VALUES(ID)                                                                                                 \
    case KT_##ID:                                                                                                         \
        _Pragma("unroll") for (int i = 0; i < V; i++) v[i] = to<W>::of(dtype<KT_##ID>::get(raw_get<dtype<KT_##ID>::S>(r, i))); \
        break;
#define ENCODE_VALUES(ID)                                                                                                 \
    case KT_##ID:                                                                                                         \
        _Pragma("unroll") for (int i = 0; i < V; i++) raw_set<dtype<KT_##ID>::S>(r, i, dtype<KT_##ID>::put(v[i]));        \
        break;

/* reads, writes: which dtypes those are, as bits; self: the dtype whose values are those of the compute type. */
template <class T> struct values;
#define VALUES(T, NAME, SELF)                                                                                             \
    template <> struct values<T> {                                                                                        \
        typedef T W;                                                                                                      \
        enum : uint32_t { reads = 0 READS_##NAME(VALUE_BIT), writes = 0 WRITES_##NAME(VALUE_BIT) };                       \
        enum { self = KT_##SELF };                                                                                        \
        static __device__ __forceinline__ T load(const char *p, int is)                                                   \
        {                                                                                                                 \
            switch (is) { READS_##NAME(LOAD_VALUE) }                                                                      \
            return T(0);                                                                                                  \
        }                                                                                                                 \
        static __device__ __forceinline__ void store(char *p, int is, T v)                                                \
        {                                                                                                                 \
            switch (is) { WRITES_##NAME(STORE_VALUE) }                                                                    \
        }                                                                                                                 \
        template <int V> static __device__ __forceinline__ void decode(T (&v)[V], const raw<V> &r, int is)                \
        {                                                                                                                 \
            switch (is) { READS_##NAME(DECODE_VALUES) }                                                                   \
        }                                                                                                                 \
        template <int V> static __device__ __forceinline__ void encode(raw<V> &r, const T (&v)[V], int is)                \
        {                                                                                                                 \
            switch (is) { WRITES_##NAME(ENCODE_VALUES) }                                                                  \
        }                                                                                                                 \
    };
VALUES(float, f32, F32)
VALUES(double, f64, F64)
VALUES(int32_t, i32, I32)
VALUES(int64_t, i64, I64)
VALUES(kt__c64, c64, C64)
VALUES(kt__c128, c128, C128) /* one by one: vectors have elements of 8 bytes at most */

/* use(load): the dtypes that a compute type most often reads are known at compile time. */
template <class T, class F> static __device__ __forceinline__ void with_loads(int is, F use)
{
    if (is == values<T>::self)
        use([](const char *p) { return *(const T *)p; });
    else if (values<T>::self == KT_F32 && is == KT_BF16)
        use([](const char *p) { return to<T>::of(dtype<KT_BF16>::get(*(const dtype<KT_BF16>::S *)p)); });
    else
        use([is](const char *p) { return values<T>::load(p, is); });
}

/* Vectors of one dtype by the machine's own conversions, for kernels where it does not matter which NaN comes out. */
#ifdef __CUDA_ARCH__
template <int D, class T, int M> static __device__ __forceinline__ void decode_as(T (&v)[M], const raw<M> &r)
{
    if constexpr (D == KT_F16) {
#pragma unroll
        for (int i = 0; i < M; i++)
            asm("cvt.f32.f16 %0, %1;" : "=f"(v[i]) : "h"((uint16_t)(r.word[i / 2] >> 16 * (i % 2))));
    } else {
        values<T>::decode(v, r, D);
    }
}
template <int D, class T, int M> static __device__ __forceinline__ void encode_as(raw<M> &r, const T (&v)[M], int is)
{
    if constexpr (D == KT_BF16 && M % 2 == 0) {
#pragma unroll
        for (int i = 0; i < M; i += 2)
            asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r.word[i / 2]) : "f"(v[i + 1]), "f"(v[i]));
    } else if constexpr (D == KT_F16 && M % 2 == 0) {
#pragma unroll
        for (int i = 0; i < M; i += 2)
            asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r.word[i / 2]) : "f"(v[i + 1]), "f"(v[i]));
    } else {
        values<T>::encode(r, v, is);
    }
}
#else
template <int D, class T, int M> static __device__ void decode_as(T (&v)[M], const raw<M> &r) { values<T>::decode(v, r, D); }
template <int D, class T, int M> static __device__ void encode_as(raw<M> &r, const T (&v)[M], int is)
{
    values<T>::encode(r, v, is);
}
#endif

#endif
