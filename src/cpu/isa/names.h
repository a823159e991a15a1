/* names.h - how templates name what they stamp: FN(add) is add_f32 where ID is f32. Included by every template. */
#ifndef KT_CPU_ISA_NAMES_H
#define KT_CPU_ISA_NAMES_H

#include <karat/dtype.h>

/* The widest vectors of this build, for the templates that spell theirs out. */
#if defined(__AVX512F__)
#define KT_VEC_BYTES 64
#elif defined(__AVX__)
#define KT_VEC_BYTES 32
#else
#define KT_VEC_BYTES 16
#endif

/* An output may be one of the inputs, but an element never meets its neighbours. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* not every row can be vectorised */
#define KT_EACH _Pragma("clang loop vectorize(assume_safety)")
#define KT_EACH_LANE KT_EACH
#else
#define KT_EACH _Pragma("GCC ivdep")
#define KT_EACH_LANE _Pragma("GCC ivdep") _Pragma("GCC unroll 4") /* at most four vectors, to the end: else they lie in memory */
#endif

/* A function whose sums stay in registers. GCC moves them from one to another where it schedules instructions before it allocates
 * registers, and the sums wait for the moves. */
#if defined(__GNUC__) && !defined(__clang__)
#define KT_IN_REGISTERS __attribute__((optimize("no-schedule-insns")))
#else
#define KT_IN_REGISTERS
#endif

#define FN_(name, id)  name##_##id
#define FN__(name, id) FN_(name, id)
#define FN(name)       FN__(name, ID)
#define TO_(id, C)     kt__to_##id##_##C
#define TO__(id, C)    TO_(id, C)
#define TO(C)          TO__(ID, C)     /* from compute type C to T */
#define ENC_(id, I)    kt__encode_##id##_##I
#define ENC__(id, I)   ENC_(id, I)
#define ENC(I)         ENC__(ID, I)    /* from T to dtype I */

#endif
