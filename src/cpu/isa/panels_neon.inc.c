/* panels_neon.inc.c - register tiles of matrix products by packed panels (gemm/panels.h), on aarch64.
 *
 * A panel is SIDE rows of k elements, in units of k: float32 [k][SIDE], bfloat16 [k / 4][SIDE][4], as the instructions read them.
 * A tile is SIDE x SIDE sums in 16 registers. Sums of bfloat16 are made four terms at a time by BFMMLA, which rounds to odd and
 * takes denormal numbers for 0; so its bits are its own. Independent of: blocks, threads. */
#include <arm_neon.h>

enum { SIDE = 8, HALF = SIDE / 2, TERMS = 4, SOON = 96 }; /* SOON: float32s that are asked for ahead */

/* ---- float32 ---- */

/* Four numbers of a matrix of float32, float16 or bfloat16. */
KT_ALWAYS float32x4_t load_four(const char *from, const kt__pack_from dtype)
{
    if (dtype == KT__PACK_F16)
        return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16((const uint16_t *)(const void *)from)));
    if (dtype == KT__PACK_BF16)
        return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16((const uint16_t *)(const void *)from), 16));
    return vld1q_f32((const float *)(const void *)from);
}

KT_ALWAYS float load_one(const char *from, const kt__pack_from dtype)
{
    if (dtype == KT__PACK_SAME)
        return *(const float *)(const void *)from;
    const uint16_t bits = *(const uint16_t *)(const void *)from;
    return dtype == KT__PACK_F16 ? kt__decode_F16(bits) : kt__decode_BF16(bits);
}

KT_ALWAYS void turn_quarter(float *to, const char *from, int64_t by_row, const kt__pack_from dtype)
{
    const float32x4_t a = load_four(from, dtype), b = load_four(from + by_row, dtype), c = load_four(from + 2 * by_row, dtype),
                      d = load_four(from + 3 * by_row, dtype);
    const float32x4_t ab = vtrn1q_f32(a, b), cd = vtrn1q_f32(c, d), ba = vtrn2q_f32(a, b), dc = vtrn2q_f32(c, d);
    vst1q_f32(to, vcombine_f32(vget_low_f32(ab), vget_low_f32(cd)));
    vst1q_f32(to + SIDE, vcombine_f32(vget_low_f32(ba), vget_low_f32(dc)));
    vst1q_f32(to + 2 * SIDE, vcombine_f32(vget_high_f32(ab), vget_high_f32(cd)));
    vst1q_f32(to + 3 * SIDE, vcombine_f32(vget_high_f32(ba), vget_high_f32(dc)));
}

/* Into the second cache: what the next panels take of a row, or the same rows further on. They are too far apart for the
 * processor to foresee. Asking past the end of the memory does no harm. */
enum { LINE = 64 };
KT_ALWAYS void ask_for(const char *from, int bytes)
{
    __builtin_prefetch((const char *)((uintptr_t)from + (uintptr_t)bytes), 0, 2);
}

/* Distances in elements. */
KT_ALWAYS void pack_into_f32(float *to, const char *from, int64_t by_row, int64_t by_k, int64_t rows, int64_t k,
                             const kt__pack_from dtype)
{
    const int item = dtype == KT__PACK_SAME ? 4 : 2;
    int64_t   l = 0;
    for (; rows == SIDE && by_row == 1 && l < k; l++, to += SIDE) {
        ask_for(from + l * by_k * item, 2 * LINE);
        vst1q_f32(to, load_four(from + l * by_k * item, dtype));
        vst1q_f32(to + HALF, load_four(from + (l * by_k + HALF) * item, dtype));
    }
    for (; rows == SIDE && by_k == 1 && l + 4 <= k; l += 4, to += 4 * SIDE) {
        for (int i = 0; l % (LINE / item) == 0 && i < SIDE; i++)
            ask_for(from + (i * by_row + l) * item, 16 * LINE);
        turn_quarter(to, from + l * item, by_row * item, dtype);
        turn_quarter(to + HALF, from + (l + HALF * by_row) * item, by_row * item, dtype);
    }
    for (; l < k; l++, to += SIDE)
        for (int64_t i = 0; i < SIDE; i++)
            to[i] = i < rows ? load_one(from + (i * by_row + l * by_k) * item, dtype) : 0;
}

#define PACK(name, dtype)                                                                                              \
    static void name(void *panel, const void *matrix, int64_t by_row, int64_t by_k, int64_t rows, int64_t k)           \
    {                                                                                                                  \
        pack_into_f32(panel, matrix, by_row, by_k, rows, k, dtype);                                                    \
    }
PACK(pack_f32, KT__PACK_SAME)
PACK(pack_f32_from_f16, KT__PACK_F16)
PACK(pack_f32_from_bf16, KT__PACK_BF16)
#undef PACK

typedef struct step_f32 {
    float32x4_t x[2], y[2];
} step_f32;

KT_ALWAYS step_f32 load_f32(const float *a, const float *b)
{
    return (step_f32){{vld1q_f32(a), vld1q_f32(a + HALF)}, {vld1q_f32(b), vld1q_f32(b + HALF)}};
}

KT_ALWAYS void add_f32(float32x4_t sum[SIDE][2], step_f32 s)
{
#pragma GCC unroll 8
    for (int i = 0; i < SIDE; i++)
#pragma GCC unroll 2
        for (int j = 0; j < 2; j++)
            sum[i][j] = vfmaq_n_f32(sum[i][j], s.y[j], s.x[i / HALF][i % HALF]);
}

static void tile_f32(float *c, int64_t ldc, const void *panel_a, const void *panel_b, int64_t k, bool adds)
{
    const float *a = panel_a, *b = panel_b;
    float32x4_t  sum[SIDE][2];
#pragma GCC unroll 8
    for (int i = 0; i < SIDE; i++)
#pragma GCC unroll 2
        for (int j = 0; j < 2; j++)
            sum[i][j] = adds ? vld1q_f32(c + i * ldc + j * HALF) : vdupq_n_f32(0);
    int64_t  l = 0;
    step_f32 one = load_f32(a, b); /* a step is loaded before the one ahead of it is multiplied */
    for (; l + 2 < k; l += 2, a += 2 * SIDE, b += 2 * SIDE) {
        const step_f32 two = load_f32(a + SIDE, b + SIDE);
        __builtin_prefetch(a + SOON, 0, 3); /* panels of a come from the second cache: b stays */
        add_f32(sum, one);
        one = load_f32(a + 2 * SIDE, b + 2 * SIDE);
        add_f32(sum, two);
    }
    for (; l < k; l++, a += SIDE, b += SIDE)
        add_f32(sum, load_f32(a, b));
#pragma GCC unroll 8
    for (int i = 0; i < SIDE; i++)
#pragma GCC unroll 2
        for (int j = 0; j < 2; j++)
            vst1q_f32(c + i * ldc + j * HALF, sum[i][j]);
}

/* ---- bfloat16 ---- */
#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC

/* Four rows of SIDE elements become SIDE rows of four. */
KT_ALWAYS void turn_terms(uint16_t *to, const uint16_t *from, int64_t by_k)
{
    const uint16x8_t a = vld1q_u16(from), b = vld1q_u16(from + by_k), c = vld1q_u16(from + 2 * by_k),
                     d = vld1q_u16(from + 3 * by_k);
    const uint32x4_t ab = vreinterpretq_u32_u16(vzip1q_u16(a, b)), cd = vreinterpretq_u32_u16(vzip1q_u16(c, d)),
                     ab_high = vreinterpretq_u32_u16(vzip2q_u16(a, b)), cd_high = vreinterpretq_u32_u16(vzip2q_u16(c, d));
    vst1q_u16(to, vreinterpretq_u16_u32(vzip1q_u32(ab, cd)));
    vst1q_u16(to + 8, vreinterpretq_u16_u32(vzip2q_u32(ab, cd)));
    vst1q_u16(to + 16, vreinterpretq_u16_u32(vzip1q_u32(ab_high, cd_high)));
    vst1q_u16(to + 24, vreinterpretq_u16_u32(vzip2q_u32(ab_high, cd_high)));
}

static void pack_bf16(void *panel, const void *matrix, int64_t by_row, int64_t by_k, int64_t rows, int64_t k)
{
    uint16_t       *to = panel;
    const uint16_t *from = matrix;
    int64_t         l = 0;
    if (rows == SIDE && by_k == 1)
        for (; l + TERMS <= k; l += TERMS, to += SIDE * TERMS)
#pragma GCC unroll 8
            for (int i = 0; i < SIDE; i++)
                memcpy(to + i * TERMS, from + i * by_row + l, TERMS * sizeof *to);
    else if (rows == SIDE && by_row == 1)
        for (; l + TERMS <= k; l += TERMS, to += SIDE * TERMS)
            turn_terms(to, from + l * by_k, by_k);
    for (; l < k; l += TERMS, to += SIDE * TERMS)
        for (int64_t i = 0; i < SIDE * TERMS; i++)
            to[i] = i / TERMS < rows && l + i % TERMS < k ? from[i / TERMS * by_row + (l + i % TERMS) * by_k] : 0;
}

/* sum[i][j] holds rows 2i and 2i + 1, columns 2j and 2j + 1. */
static void tile_bf16(float *c, int64_t ldc, const void *panel_a, const void *panel_b, int64_t k, bool adds)
{
    const bfloat16_t *a = panel_a, *b = panel_b;
    float32x4_t       sum[HALF][HALF];
#pragma GCC unroll 4
    for (int i = 0; i < HALF; i++)
#pragma GCC unroll 4
        for (int j = 0; j < HALF; j++) {
            const float *at = c + 2 * i * ldc + 2 * j;
            sum[i][j] = adds ? vcombine_f32(vld1_f32(at), vld1_f32(at + ldc)) : vdupq_n_f32(0);
        }
    for (int64_t l = 0; l < k; l += TERMS, a += SIDE * TERMS, b += SIDE * TERMS) {
        const bfloat16x8_t x[HALF] = {vld1q_bf16(a), vld1q_bf16(a + 8), vld1q_bf16(a + 16), vld1q_bf16(a + 24)},
                           y[HALF] = {vld1q_bf16(b), vld1q_bf16(b + 8), vld1q_bf16(b + 16), vld1q_bf16(b + 24)};
#pragma GCC unroll 4
        for (int i = 0; i < HALF; i++)
#pragma GCC unroll 4
            for (int j = 0; j < HALF; j++)
                sum[i][j] = vbfmmlaq_f32(sum[i][j], x[i], y[j]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < HALF; i++)
#pragma GCC unroll 4
        for (int j = 0; j < HALF; j++) {
            float *at = c + 2 * i * ldc + 2 * j;
            vst1_f32(at, vget_low_f32(sum[i][j])), vst1_f32(at + ldc, vget_high_f32(sum[i][j]));
        }
}
#define BF16_PANEL                                                                                                     \
    {.rows = SIDE, .columns = SIDE, .unit = TERMS, .pack_a = {pack_bf16}, .pack_b = {pack_bf16}, .tile = tile_bf16}
#else
#define BF16_PANEL {.tile = NULL}
#endif
#define PACKED_F32 {pack_f32, pack_f32_from_f16, pack_f32_from_bf16}
#define F32_PANEL  {.rows = SIDE, .columns = SIDE, .unit = 1, .pack_a = PACKED_F32, .pack_b = PACKED_F32, .tile = tile_f32}
