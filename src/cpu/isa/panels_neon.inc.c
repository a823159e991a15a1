/* panels_neon.inc.c - register tiles of matrix products by packed panels (gemm/panels.h), on aarch64.
 *
 * A panel is SIDE rows of k elements, in units of k: float32 [k][SIDE], bfloat16 [k / 4][SIDE][4], as the instructions read them.
 * A tile is SIDE x SIDE sums in 16 registers. Sums of bfloat16 are made four terms at a time by BFMMLA, which rounds to odd and
 * takes denormal numbers for 0; so its bits are its own. Independent of: blocks, threads. */
#include <arm_neon.h>

enum { SIDE = 8, HALF = SIDE / 2, TERMS = 4 };

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

/* Into the second cache: what the next panels take of a row, or the rows of the next panel. They are too far apart for the
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
            ask_for(from + ((i + SIDE) * by_row + l) * item, 0);
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

/* A column of tiles in assembly, in which sums have v0 to v15, row by row, and two vectors of each panel one of four buffers, v16
 * to v31: they are loaded two steps before they are multiplied, the first ones of a tile by the last steps of the tile before. A
 * Neoverse V1 multiplies at its full speed with loads at these places, and at 0.94 to 0.97 of it in the order of the compiler
 * (panels in the first cache). */
#define PRODUCT(sum, y, x, lane) "fmla v" #sum ".4s, v" #y ".4s, v" #x ".s[" #lane "]\n\t"
#define LOAD(to, from, at)       "ldr q" #to ", [%[" #from "], #" #at "]\n\t"
#define ADD_STEP(x, xx, y, yy, load_x, load_xx, load_y, load_yy)                                                       \
    PRODUCT(0, y, x, 0) PRODUCT(1, yy, x, 0) PRODUCT(2, y, x, 1) PRODUCT(3, yy, x, 1) load_x                           \
    PRODUCT(4, y, x, 2) PRODUCT(5, yy, x, 2) PRODUCT(6, y, x, 3) PRODUCT(7, yy, x, 3) load_xx                          \
    PRODUCT(8, y, xx, 0) PRODUCT(9, yy, xx, 0) PRODUCT(10, y, xx, 1) PRODUCT(11, yy, xx, 1) load_y                     \
    PRODUCT(12, y, xx, 2) PRODUCT(13, yy, xx, 2) PRODUCT(14, y, xx, 3) load_yy PRODUCT(15, yy, xx, 3)
#define ADD_LAST_STEP(x, xx, y, yy) ADD_STEP(x, xx, y, yy, "", "", "", "")
#define ADD_STEPS_0_1                                                                                                  \
    ADD_STEP(16, 17, 18, 19, LOAD(24, a, 64), LOAD(25, a, 80), LOAD(26, b, 64), LOAD(27, b, 80))                       \
    ADD_STEP(20, 21, 22, 23, LOAD(28, a, 96), LOAD(29, a, 112), LOAD(30, b, 96), LOAD(31, b, 112))
#define LOAD_0_1                                                                                                       \
    LOAD(16, a, 0) LOAD(17, a, 16) LOAD(18, b, 0) LOAD(19, b, 16) LOAD(20, a, 32) LOAD(21, a, 48) LOAD(22, b, 32) LOAD(23, b, 48)
/* The last step of a tile and its sums, which give way to the next tile's as soon as they are made. */
#define END_WITH(row)                                                                                                  \
    PRODUCT(0, 30, 28, 0) PRODUCT(1, 31, 28, 0) PRODUCT(2, 30, 28, 1) PRODUCT(3, 31, 28, 1) LOAD(20, a, 32)            \
    PRODUCT(4, 30, 28, 2) PRODUCT(5, 31, 28, 2) PRODUCT(6, 30, 28, 3) PRODUCT(7, 31, 28, 3) LOAD(21, a, 48)            \
    PRODUCT(8, 30, 29, 0) PRODUCT(9, 31, 29, 0) WRITE_ROW(0, 1) row(0, 1)                                              \
    PRODUCT(10, 30, 29, 1) PRODUCT(11, 31, 29, 1) LOAD(22, b, 32) WRITE_ROW(2, 3) row(2, 3)                            \
    PRODUCT(12, 30, 29, 2) PRODUCT(13, 31, 29, 2) WRITE_ROW(4, 5) row(4, 5)                                            \
    PRODUCT(14, 30, 29, 3) PRODUCT(15, 31, 29, 3) LOAD(23, b, 48) WRITE_ROW(6, 7) row(6, 7)                            \
    WRITE_ROW(8, 9) row(8, 9) WRITE_ROW(10, 11) row(10, 11) WRITE_ROW(12, 13) row(12, 13) WRITE_ROW(14, 15) row(14, 15)
#define EACH_ROW(what) what(0, 1) what(2, 3) what(4, 5) what(6, 7) what(8, 9) what(10, 11) what(12, 13) what(14, 15)
#define READ_ROW(x, y)                                                                                                 \
    "ldp q" #x ", q" #y ", [%[row]]\n\tprfm pldl1keep, [%[row], %[below]]\n\tadd %[row], %[row], %[by]\n\t"
#define CLEAR_ROW(x, y) "movi v" #x ".4s, #0\n\tmovi v" #y ".4s, #0\n\t"
#define WRITE_ROW(x, y) "stp q" #x ", q" #y ", [%[c]]\n\tadd %[c], %[c], %[by]\n\t"

static void tiles_f32(float *c, int64_t ldc, const void *a, int64_t by_panel, int64_t count, const void *b, int64_t k, bool adds,
                      const char *soon, int64_t bytes)
{
    const float  *row = c;
    const void   *panel = a;
    const int64_t fours = k / 4, rest = k % 4, by = ldc * (int64_t)sizeof *c;
    const int64_t share = fours ? bytes / (fours * count) : 0; /* asked for in four steps */
    int64_t       l;
    __asm__ volatile("cbz %w[adds], 1f\n\t"
                     EACH_ROW(READ_ROW)
                     "b 2f\n"
                     "1:\n\t"
                     EACH_ROW(CLEAR_ROW)
                     "2:\n\t" /* a tile of which nothing is loaded */
                     "mov %[a], %[panel]\n\t"
                     "mov %[b], %[begin]\n\t"
                     "add %[panel], %[panel], %[by_panel]\n\t"
                     "cbz %[fours], 8f\n\t"
                     LOAD_0_1
                     "3:\n\t"
                     "subs %[l], %[fours], #1\n\t"
                     "b.eq 5f\n\t"
                     ".p2align 5\n"
                     "4:\n\t" /* panels of a come from the second cache: b stays */
                     "prfm pldl1keep, [%[soon]]\n\t"
                     ADD_STEPS_0_1
                     "prfm pldl1keep, [%[a], #384]\n\t"
                     ADD_STEP(24, 25, 26, 27, LOAD(16, a, 128), LOAD(17, a, 144), LOAD(18, b, 128), LOAD(19, b, 144))
                     "prfm pldl1keep, [%[a], #448]\n\t"
                     ADD_STEP(28, 29, 30, 31, LOAD(20, a, 160), LOAD(21, a, 176), LOAD(22, b, 160), LOAD(23, b, 176))
                     "add %[a], %[a], #128\n\t"
                     "add %[b], %[b], #128\n\t"
                     "add %[soon], %[soon], %[share]\n\t"
                     "subs %[l], %[l], #1\n\t"
                     "b.ne 4b\n"
                     "5:\n\t"
                     ADD_STEPS_0_1
                     "sub %[count], %[count], #1\n\t"
                     "cbnz %[rest], 7f\n\t"
                     "cbz %[count], 7f\n\t"
                     "mov %[a], %[panel]\n\t"
                     "mov %[b], %[begin]\n\t"
                     "add %[panel], %[panel], %[by_panel]\n\t"
                     ADD_STEP(24, 25, 26, 27, LOAD(16, a, 0), LOAD(17, a, 16), LOAD(18, b, 0), LOAD(19, b, 16))
                     "cbnz %w[adds], 6f\n\t"
                     END_WITH(CLEAR_ROW)
                     "b 3b\n"
                     "6:\n\t"
                     END_WITH(READ_ROW)
                     "b 3b\n"
                     "7:\n\t"
                     ADD_LAST_STEP(24, 25, 26, 27) ADD_LAST_STEP(28, 29, 30, 31)
                     "add %[a], %[a], #128\n\t"
                     "add %[b], %[b], #128\n\t"
                     "cbz %[rest], 11f\n\t"
                     "b 9f\n"
                     "8:\n\t" /* no fours */
                     "sub %[count], %[count], #1\n"
                     "9:\n\t"
                     "mov %[l], %[rest]\n"
                     "10:\n\t"
                     LOAD(16, a, 0) LOAD(17, a, 16) LOAD(18, b, 0) LOAD(19, b, 16) ADD_LAST_STEP(16, 17, 18, 19)
                     "add %[a], %[a], #32\n\t"
                     "add %[b], %[b], #32\n\t"
                     "subs %[l], %[l], #1\n\t"
                     "b.ne 10b\n"
                     "11:\n\t"
                     EACH_ROW(WRITE_ROW)
                     "cbz %[count], 12f\n\t"
                     "cbz %w[adds], 1b\n\t"
                     EACH_ROW(READ_ROW)
                     "b 2b\n"
                     "12:\n\t"
                     : [a] "=&r"(a), [b] "=&r"(b), [c] "+&r"(c), [row] "+&r"(row), [l] "=&r"(l), [count] "+&r"(count),
                       [panel] "+&r"(panel), [soon] "+&r"(soon)
                     : [share] "r"(share), [by] "r"(by), [below] "r"(SIDE * by), [adds] "r"((int)adds), [begin] "r"(b),
                       [by_panel] "r"(by_panel), [fours] "r"(fours), [rest] "r"(rest)
                     : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
                       "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
                       "v29", "v30", "v31");
}
#undef WRITE_ROW
#undef CLEAR_ROW
#undef READ_ROW
#undef EACH_ROW
#undef END_WITH
#undef LOAD_0_1
#undef ADD_STEPS_0_1
#undef ADD_LAST_STEP
#undef ADD_STEP
#undef LOAD
#undef PRODUCT

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
TILES(tiles_bf16, tile_bf16, SIDE, SIDE)
#define BF16_PANEL                                                                                                     \
    {.rows = SIDE, .columns = SIDE, .unit = TERMS, .pack_a = {pack_bf16}, .pack_b = {pack_bf16}, .tiles = tiles_bf16}
#else
#define BF16_PANEL {.tiles = NULL}
#endif
#define PACKED_F32 {pack_f32, pack_f32_from_f16, pack_f32_from_bf16}
#define F32_PANEL  {.rows = SIDE, .columns = SIDE, .unit = 1, .pack_a = PACKED_F32, .pack_b = PACKED_F32, .tiles = tiles_f32}
