/* amx.h - tiles of AMX: eight registers of 16 rows of 64 bytes, and products of bfloat16 that are added to sums in float32.
 *
 * In: memory. Out: sums [16, 16] += a [16, 32] times b, whose rows are pairs: [16, 16, 2]. Compiled where KT_AMX is defined;
 * run only where the processor has what AMX_NEEDS says. A function that uses tiles is marked KT_AMX; its thread calls amx_begin
 * first and amx_end last, so that the system need not save tiles that nobody uses. Independent of: what is multiplied. */
#ifndef KT_CPU_ISA_AMX_H
#define KT_CPU_ISA_AMX_H

#if defined(__AVX512F__) && (defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11)
#include "base/cpu.h"

#include <immintrin.h>
#include <stdint.h>

#ifdef KT_AMX_IN_C
#include "cpu/isa/amx_in_c.h"
#define KT_AMX
enum { AMX_NEEDS = KT__CPU_AVX512 };
#else
#define KT_AMX __attribute__((target("amx-tile,amx-bf16")))
enum { AMX_NEEDS = KT__CPU_AMX_BF16 };
#endif

enum { AMX_ROWS = 16, AMX_BYTES = 64, AMX_SUMS = 16, AMX_TERMS = 32 }; /* of a tile: rows, bytes of a row, float32s, bfloat16s */

typedef struct amx_shape {
    uint8_t  palette, start, reserved[14];
    uint16_t bytes[16]; /* of a row */
    uint8_t  rows[16];
} amx_shape;

static const amx_shape amx_whole __attribute__((aligned(64), unused)) = {
    .palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 16, 16, 16, 16, 16, 16}};

/* GCC does not know how much memory the instructions read: a shape that is made on the stack, or numbers that are stored in the
 * function that loads them as tiles, need this in between. */
#define AMX_STORED() __asm__ volatile("" ::: "memory")

KT_AMX static inline void __attribute__((unused)) amx_begin(const amx_shape *shape) { _tile_loadconfig(shape); }
KT_AMX static inline void __attribute__((unused)) amx_end(void) { _tile_release(); }

#endif
#endif
