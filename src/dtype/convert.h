/* convert.h - one value from any dtype to any other: always-inline functions without branches, for loops to vectorize.
 *
 * In: tables/dtypes.def. Out, stamped for every row ID (storage type S, compute type C) and every compute type F:
 *     C kt__decode_ID(S bits)       the value in its compute type; exact
 *     S kt__encode_F_ID(F value)    the cast rule (docs/dtype_rules.md, Casts)
 *     T kt__to_T_F(F value)         the same rule between compute types
 * A cast of an element is decode, then encode from that compute type:  kt__encode_f32_I8(kt__decode_F16(x)).
 * The rule: to a float narrower than float32 through float32, each step to nearest even; float to integer truncates,
 * saturates, NaN is 0; integer to integer wraps; to bool is != 0 (NaN is true, so is a complex with either part not 0);
 * complex to real drops the imaginary part. Same bits on every ISA, provided the compiler flags of the kernels
 * (-ffp-contract=off -fno-trapping-math -fwrapv). NaNs: sign and leading payload bits survive in the IEEE types of 16
 * bits and more, made quiet; 8-bit types have one NaN (per sign, where they have signs).
 * Independent of: tensors, strides, loops (dtype/rows.h has those that compilers do not vectorize). */
#ifndef KT_DTYPE_CONVERT_H
#define KT_DTYPE_CONVERT_H

#include "dtype/types.h"

#include <stdbool.h>
#include <string.h>

#define KT__INLINE KT_ALWAYS

KT__INLINE uint32_t kt__bits_f32(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

KT__INLINE float kt__f32_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

KT__INLINE uint64_t kt__bits_f64(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

KT__INLINE double kt__f64_bits(uint64_t u)
{
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}

/* ---- floats of at most 16 bits, from the numbers of their row; all arguments but the value are constants ---- */

/* The exponent bias of a row. */
#define KT__BIAS(E, SPECIALS) ((1 << ((E)-1)) - 1 + ((SPECIALS) == KT__FNUZ))

KT__INLINE float kt__mini_decode(uint32_t b, int E, int M, kt__specials specials)
{
    if (specials == KT__E8M0)
        return kt__f32_bits(b == 0xff ? 0x7fc00000u : b ? b << 23 : 0x00400000u);
    if (E == 8) /* float32's own exponents: a shift, exact below the normal range too */
        return kt__f32_bits(b << (23 - M));
    const uint32_t mag = b & ((1u << (E + M)) - 1), sign = (b ^ mag) << (31 - E - M);
    const int bias = KT__BIAS(E, specials), unit = 1 - bias - M; /* 2^unit is the step of the subnormal numbers */
    const uint32_t norm = (mag << (23 - M)) + ((uint32_t)(127 - bias) << 23);
    const uint32_t sub = kt__bits_f32((float)(int32_t)mag * kt__f32_bits((uint32_t)(unit + 127) << 23));
    const uint32_t r = mag >> M ? norm : sub;
    const uint32_t ones = (1u << (E + M)) - 1, top = ((1u << E) - 1) << M;
    if (specials == KT__FNUZ)
        return kt__f32_bits(b == ones + 1 ? 0x7fc00000u : sign | r);
    const uint32_t quiet = specials == KT__IEEE && mag > top ? 0x400000u : 0;
    const bool special = specials == KT__IEEE ? mag >= top : mag == ones;
    return kt__f32_bits(sign | (special ? 0x7f800000u | mag << (23 - M) | quiet : r));
}

KT__INLINE uint32_t kt__mini_encode(float f, int E, int M, kt__specials specials)
{
    const uint32_t u = kt__bits_f32(f), a = u & 0x7fffffffu;
    if (specials == KT__E8M0) {
        /* PyTorch's rule: ties go up, and below 2^-126 everything above 2^-127 does. */
        const uint32_t e = a >> 23, half = 0x400000u + (e == 0);
        return a >= 0x7f800000u ? 0xffu : e + ((a & 0x7fffffu) >= half);
    }
    const int bias = KT__BIAS(E, specials), cut = 23 - M;
    if (E == 8) { /* float32's own exponents: rounding carries into them, up to infinity */
        const uint32_t rounded = u + (1u << (cut - 1)) - 1 + (u >> cut & 1);
        return (f != f ? u | 0x400000u : rounded) >> cut;
    }
    const uint32_t sign = (u ^ a) >> (31 - E - M);
    const uint32_t norm = ((a + (1u << (cut - 1)) - 1 + (a >> cut & 1)) >> cut) - ((uint32_t)(127 - bias) << M);
    /* Below the normal range, adding a large number rounds at the right bit (F. Giesen, Float->half variants, 2012). */
    const uint32_t low = (uint32_t)(128 - bias) << 23, magic = (uint32_t)(151 - bias - M) << 23;
    const uint32_t sub = kt__bits_f32(kt__f32_bits(a) + kt__f32_bits(magic)) - magic;
    const uint32_t r = a >= low ? norm : sub;
    const uint32_t ones = (1u << (E + M)) - 1, inf = ((1u << E) - 1) << M;
    if (specials == KT__FN)
        return sign | (r < ones ? r : ones);
    if (specials == KT__FNUZ)
        return r > ones ? ones + 1 : r ? sign | r : 0;
    const uint32_t nan = E + M == 7 ? ones : inf | 1u << (M - 1) | (a >> cut & ((1u << M) - 1));
    return sign | (a > 0x7f800000u ? nan : r < inf ? r : inf);
}

/* float16 by the processor's conversion instructions; same bits as above, quiet NaNs included. */
#if defined(__CUDACC__) && !defined(KT_ON_CPU)
/* Its instructions know one NaN only: the others by selects, since a branch is dear. */
#define KT__FAST_F16 0
KT__INLINE float kt__f16_decode(uint16_t b)
{
    const uint32_t nan = (b & 0x8000u) << 16 | 0x7fc00000u | (b & 0x7fffu) << 13;
    float          f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(b));
    return (b & 0x7fffu) > 0x7c00u ? kt__f32_bits(nan) : f;
}

KT__INLINE uint16_t kt__f16_encode(float f)
{
    const uint32_t u = kt__bits_f32(f);
    uint16_t       b;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(b) : "f"(f));
    return f != f ? (uint16_t)((u >> 16 & 0x8000u) | 0x7e00u | (u >> 13 & 0x3ffu)) : b;
}
#elif defined(__aarch64__)
#define KT__FAST_F16 1
KT__INLINE float kt__f16_decode(uint16_t b)
{
    __fp16 h;
    memcpy(&h, &b, sizeof h);
    return (float)h;
}

KT__INLINE uint16_t kt__f16_encode(float f)
{
    const __fp16 h = (__fp16)f;
    uint16_t b;
    memcpy(&b, &h, sizeof b);
    return b;
}
#else
#define KT__FAST_F16 0
KT__INLINE float kt__f16_decode(uint16_t b)
{
    return kt__mini_decode(b, 5, 10, KT__IEEE);
}

KT__INLINE uint16_t kt__f16_encode(float f)
{
    return (uint16_t)kt__mini_encode(f, 5, 10, KT__IEEE);
}
#endif

KT__INLINE float kt__small_decode(uint32_t b, int E, int M, kt__specials specials)
{
    if (E == 5 && M == 10)
        return kt__f16_decode((uint16_t)b);
    if (!KT__FAST_F16 || E > 5 || (E == 5 && specials != KT__IEEE))
        return kt__mini_decode(b, E, M, specials);
    /* A narrower float's exponent and mantissa bits, placed in a float16, give the value times a power of two. */
    const uint32_t ones = (1u << (E + M)) - 1, mag = b & ones, sign = b ^ mag;
    const float f = kt__f16_decode((uint16_t)(sign << (15 - E - M) | mag << (10 - M)));
    if (E == 5)
        return f;
    const uint32_t r = kt__bits_f32(f * (float)(1 << (15 - KT__BIAS(E, specials))));
    if (specials == KT__FNUZ)
        return kt__f32_bits(b == ones + 1 ? 0x7fc00000u : r);
    return kt__f32_bits(mag == ones ? r | 0x7f800000u | mag << (23 - M) : r);
}

KT__INLINE uint32_t kt__small_encode(float f, int E, int M, kt__specials specials)
{
    return E == 5 && M == 10 ? kt__f16_encode(f) : kt__mini_encode(f, E, M, specials);
}

/* ---- float to integer ----
 * Ranges are tested on the bits, as integers: compilers vectorize that well and NaN falls into place. The value that
 * reaches the C conversion is always in range, so nothing here is undefined. */

KT__INLINE int32_t kt__to_i32_f32(float x)
{
    const uint32_t u = kt__bits_f32(x), a = u & 0x7fffffffu;
    const bool fits = a < 0x4f000000u; /* |x| < 2^31 */
    const uint32_t beyond = a > 0x7f800000u ? 0 : (uint32_t)INT32_MAX + (u >> 31);
    const int32_t r = (int32_t)kt__f32_bits(fits ? u : 0);
    return fits ? r : (int32_t)beyond;
}

KT__INLINE uint32_t kt__to_u32_f32(float x)
{
    const uint32_t u = kt__bits_f32(x);
    const bool fits = u < 0x4f800000u; /* not negative and < 2^32 */
    const uint32_t r = (uint32_t)kt__f32_bits(fits ? u : 0);
    return fits ? r : u > 0x7f800000u ? 0 : UINT32_MAX;
}

KT__INLINE int32_t kt__to_i32_f64(double x)
{
    const uint64_t u = kt__bits_f64(x), a = u & 0x7fffffffffffffffu;
    const bool fits = a < 0x41e0000000000000u;
    const uint64_t beyond = a > 0x7ff0000000000000u ? 0 : (uint64_t)INT32_MAX + (u >> 63);
    const int32_t r = (int32_t)kt__f64_bits(fits ? u : 0);
    return fits ? r : (int32_t)beyond;
}

KT__INLINE uint32_t kt__to_u32_f64(double x)
{
    const uint64_t u = kt__bits_f64(x);
    const bool fits = u < 0x41f0000000000000u;
    const uint32_t r = (uint32_t)(int64_t)kt__f64_bits(fits ? u : 0);
    return fits ? r : u > 0x7ff0000000000000u ? 0 : UINT32_MAX;
}

KT__INLINE int64_t kt__to_i64_f64(double x)
{
    const uint64_t u = kt__bits_f64(x), a = u & 0x7fffffffffffffffu;
    const bool fits = a < 0x43e0000000000000u;
    const uint64_t beyond = a > 0x7ff0000000000000u ? 0 : (uint64_t)INT64_MAX + (u >> 63);
    const int64_t r = (int64_t)kt__f64_bits(fits ? u : 0);
    return fits ? r : (int64_t)beyond;
}

KT__INLINE uint64_t kt__to_u64_f64(double x)
{
    const uint64_t u = kt__bits_f64(x);
    const bool fits = u < 0x43f0000000000000u;
    const uint64_t r = (uint64_t)kt__f64_bits(fits ? u : 0);
    return fits ? r : u > 0x7ff0000000000000u ? 0 : UINT64_MAX;
}

/* Widening is exact, and the machines that convert float64 lanes to int64 lanes widen float32 lanes first. */
KT__INLINE int64_t kt__to_i64_f32(float x)
{
    return kt__to_i64_f64((double)x);
}

KT__INLINE uint64_t kt__to_u64_f32(float x)
{
    return kt__to_u64_f64((double)x);
}

KT__INLINE int32_t kt__clamp_i32(int32_t x, int32_t lo, int32_t hi)
{
    const int32_t y = x < lo ? lo : x;
    return y > hi ? hi : y;
}

/* ---- between compute types ---- */

#define KT__TO(T, F, expr)                \
    KT__INLINE kt__##T kt__to_##T##_##F(kt__##F x) \
    {                                     \
        return expr;                      \
    }
/* Conversions that the C language defines as we want them. */
#define KT__TO_AS_C(T, F) KT__TO(T, F, (kt__##T)x)

KT__TO_AS_C(f32, f32)
KT__TO_AS_C(f32, f64)
KT__TO_AS_C(f32, i32)
KT__TO_AS_C(f32, i64)
KT__TO_AS_C(f32, u64)
KT__TO_AS_C(f64, f32)
KT__TO_AS_C(f64, f64)
KT__TO_AS_C(f64, i32)
KT__TO_AS_C(f64, i64)
KT__TO_AS_C(f64, u64)
KT__TO_AS_C(i32, i32)
KT__TO_AS_C(i32, i64)
KT__TO_AS_C(i32, u64)
KT__TO_AS_C(i64, i32)
KT__TO_AS_C(i64, i64)
KT__TO_AS_C(i64, u64)
KT__TO_AS_C(u64, i32)
KT__TO_AS_C(u64, i64)
KT__TO_AS_C(u64, u64)
#define KT__TO_REAL(T)                          \
    KT__TO(T, c64, kt__to_##T##_f32(KT__REAL(x))) \
    KT__TO(T, c128, kt__to_##T##_f64(KT__REAL(x)))
KT__TO_REAL(f32)
KT__TO_REAL(f64)
KT__TO_REAL(i32)
KT__TO_REAL(i64)
KT__TO_REAL(u64)
#define KT__TO_COMPLEX(F)                                            \
    KT__TO(c64, F, KT__C64(kt__to_f32_##F(x), 0.0f))                 \
    KT__TO(c128, F, KT__C128(kt__to_f64_##F(x), 0.0))
KT__TO_COMPLEX(f32)
KT__TO_COMPLEX(f64)
KT__TO_COMPLEX(i32)
KT__TO_COMPLEX(i64)
KT__TO_COMPLEX(u64)
KT__TO(c64, c64, x)
KT__TO(c128, c128, x)
KT__TO(c64, c128, KT__C64((float)KT__REAL(x), (float)KT__IMAG(x)))
KT__TO(c128, c64, KT__C128((double)KT__REAL(x), (double)KT__IMAG(x)))

/* ---- decode, one per row ---- */

KT__INLINE kt__c64 kt__unpack_c32(kt__c32 x)
{
    return KT__C64(kt__f16_decode(x.re), kt__f16_decode(x.im));
}

#define KT__UNPACK_C32(x)  kt__unpack_c32(x)
#define KT__UNPACK_C64(x)  (x)
#define KT__UNPACK_C128(x) (x)
#define KT__DECODE_BOOL(ID, C, E, M, SPECIALS) ((kt__##C)(b != 0))
#define KT__DECODE_INT(ID, C, E, M, SPECIALS)  ((kt__##C)b)
#define KT__DECODE_MINI(ID, C, E, M, SPECIALS) kt__small_decode(b, E, M, KT__##SPECIALS)
#define KT__DECODE_REAL(ID, C, E, M, SPECIALS) (b)
#define KT__DECODE_CPLX(ID, C, E, M, SPECIALS) KT__UNPACK_##ID(b)

#define DT(ID, NAME, TORCH, CXX, S, C, KIND, E, M, SPECIALS, ...)  \
    typedef S kt__storage_##ID;                                    \
    typedef kt__##C kt__compute_##ID;                              \
    KT__INLINE kt__##C kt__decode_##ID(S b)                        \
    {                                                              \
        return KT__DECODE_##KIND(ID, C, E, M, SPECIALS);           \
    }
#include "tables/dtypes.def"

/* ---- encode, one per row and compute type ---- */

#define KT__TRUTH_REAL(x) ((x) != 0)
#define KT__TRUTH_CPLX(x) ((KT__REAL(x) != 0) | (KT__IMAG(x) != 0))

KT__INLINE kt__c32 kt__pack_c32(kt__c64 x)
{
    const kt__c32 z = {kt__f16_encode(KT__REAL(x)), kt__f16_encode(KT__IMAG(x))};
    return z;
}

#define KT__PACK_C32(F)  kt__pack_c32(kt__to_c64_##F(x))
#define KT__PACK_C64(F)  kt__to_c64_##F(x)
#define KT__PACK_C128(F) kt__to_c128_##F(x)

/* Saturating casts of floats, by target: narrow ones from the type's own ends. */
#define KT__SATURATE_U8(F)  (uint8_t)kt__clamp_i32(kt__to_i32_##F(x), 0, UINT8_MAX)
#define KT__SATURATE_I8(F)  (int8_t)kt__clamp_i32(kt__to_i32_##F(x), INT8_MIN, INT8_MAX)
#define KT__SATURATE_I16(F) (int16_t)kt__clamp_i32(kt__to_i32_##F(x), INT16_MIN, INT16_MAX)
#define KT__SATURATE_U16(F) (uint16_t)kt__clamp_i32(kt__to_i32_##F(x), 0, UINT16_MAX)
#define KT__SATURATE_I32(F) kt__to_i32_##F(x)
#define KT__SATURATE_I64(F) kt__to_i64_##F(x)
#define KT__SATURATE_U32(F) kt__to_u32_##F(x)
#define KT__SATURATE_U64(F) kt__to_u64_##F(x)

#define KT__ENCODE(F, ID, S, expr)                \
    KT__INLINE S kt__encode_##F##_##ID(kt__##F x) \
    {                                             \
        return expr;                              \
    }
/* Complex to real: encode the real part. */
#define KT__ENCODE_REAL_PART(ID, S)                                   \
    KT__ENCODE(c64, ID, S, kt__encode_f32_##ID(KT__REAL(x)))          \
    KT__ENCODE(c128, ID, S, kt__encode_f64_##ID(KT__REAL(x)))
#define KT__ENCODE_REALS(ID, S, WAY, E, M, SPECIALS)                  \
    KT__ENCODE(f32, ID, S, WAY(f32, E, M, SPECIALS))                  \
    KT__ENCODE(f64, ID, S, WAY(f64, E, M, SPECIALS))                  \
    KT__ENCODE(i32, ID, S, WAY(i32, E, M, SPECIALS))                  \
    KT__ENCODE(i64, ID, S, WAY(i64, E, M, SPECIALS))                  \
    KT__ENCODE(u64, ID, S, WAY(u64, E, M, SPECIALS))

#define KT__WAY_MINI(F, E, M, SPECIALS) (kt__mini_storage) kt__small_encode(kt__to_f32_##F(x), E, M, KT__##SPECIALS)
#define KT__WAY_BOOL(F, E, M, SPECIALS) KT__TRUTH_REAL(x)
#define KT__WAY_f32(F, E, M, SPECIALS)  kt__to_f32_##F(x)
#define KT__WAY_f64(F, E, M, SPECIALS)  kt__to_f64_##F(x)

#define KT__STAMP_BOOL(ID, S, C, E, M, SPECIALS)                      \
    KT__ENCODE_REALS(ID, S, KT__WAY_BOOL, E, M, SPECIALS)             \
    KT__ENCODE(c64, ID, S, KT__TRUTH_CPLX(x))                         \
    KT__ENCODE(c128, ID, S, KT__TRUTH_CPLX(x))
#define KT__STAMP_INT(ID, S, C, E, M, SPECIALS)                       \
    KT__ENCODE(i32, ID, S, (S)x)                                      \
    KT__ENCODE(i64, ID, S, (S)x)                                      \
    KT__ENCODE(u64, ID, S, (S)x)                                      \
    KT__ENCODE(f32, ID, S, KT__SATURATE_##ID(f32))                    \
    KT__ENCODE(f64, ID, S, KT__SATURATE_##ID(f64))                    \
    KT__ENCODE_REAL_PART(ID, S)
#define KT__STAMP_MINI(ID, S, C, E, M, SPECIALS)                      \
    KT__ENCODE_REALS(ID, S, KT__WAY_MINI, E, M, SPECIALS)             \
    KT__ENCODE_REAL_PART(ID, S)
#define KT__STAMP_REAL(ID, S, C, E, M, SPECIALS)                      \
    KT__ENCODE_REALS(ID, S, KT__WAY_##C, E, M, SPECIALS)              \
    KT__ENCODE_REAL_PART(ID, S)
#define KT__STAMP_CPLX(ID, S, C, E, M, SPECIALS)                      \
    KT__ENCODE(f32, ID, S, KT__PACK_##ID(f32))                        \
    KT__ENCODE(f64, ID, S, KT__PACK_##ID(f64))                        \
    KT__ENCODE(i32, ID, S, KT__PACK_##ID(i32))                        \
    KT__ENCODE(i64, ID, S, KT__PACK_##ID(i64))                        \
    KT__ENCODE(u64, ID, S, KT__PACK_##ID(u64))                        \
    KT__ENCODE(c64, ID, S, KT__PACK_##ID(c64))                        \
    KT__ENCODE(c128, ID, S, KT__PACK_##ID(c128))

typedef uint16_t kt__mini_storage; /* wide enough for every MINI row; the return type narrows it */

#define DT(ID, NAME, TORCH, CXX, S, C, KIND, E, M, SPECIALS, ...) KT__STAMP_##KIND(ID, S, C, E, M, SPECIALS)
#include "tables/dtypes.def"

#endif
