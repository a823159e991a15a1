/* draws.c - the loops of the random kernels that are worth vectors: uniform and normal float32 from raw draws.
 *
 * In: rows of draws. Out: rows of float32, bit for bit PyTorch's. Its float32 normals come from the single-precision
 * logarithm and sine of Moshier's Cephes, whose coefficients these are, with each product and sum that can be fused
 * fused: hence the explicit fma, which gives the same bits where a build lacks the instruction.
 * Independent of: tensors, generators, strides. */
#include "cpu/kernels.h"
#include "math/core.h"

static void draw_uniform(float *restrict to, const uint32_t *restrict raw, int n, uint32_t mask, float range, float from)
{
    const float unit = 1.0f / ((float)mask + 1.0f);
    if (range == 1.0f && from == 0.0f) {
        for (int i = 0; i < n; i++)
            to[i] = (float)(int32_t)(raw[i] & mask) * unit;
        return;
    }
    for (int i = 0; i < n; i++)
        to[i] = __builtin_fmaf((float)(int32_t)(raw[i] & mask) * unit, range, from);
}

/* Of a positive normal number. */
KT_ALWAYS float cephes_log(float x)
{
    const uint32_t bits = kt__bits_f32(x);
    float          m = kt__f32_bits((bits & 0x7fffffu) | 0x3f000000u); /* in [0.5, 1) */
    float          e = (float)((int32_t)(bits >> 23) - 126);
    const bool     low = m < 0.707106781186547524f;
    e = low ? e - 1.0f : e;
    m = low ? m + m - 1.0f : m - 1.0f;
    const float z = m * m;
    float       y = 7.0376836292e-2f;
    y = __builtin_fmaf(y, m, -1.1514610310e-1f);
    y = __builtin_fmaf(y, m, 1.1676998740e-1f);
    y = __builtin_fmaf(y, m, -1.2420140846e-1f);
    y = __builtin_fmaf(y, m, 1.4249322787e-1f);
    y = __builtin_fmaf(y, m, -1.6668057665e-1f);
    y = __builtin_fmaf(y, m, 2.0000714765e-1f);
    y = __builtin_fmaf(y, m, -2.4999993993e-1f);
    y = __builtin_fmaf(y, m, 3.3333331174e-1f);
    y = __builtin_fmaf(y * m, z, e * -2.12194440e-4f);
    y = __builtin_fmaf(-0.5f, z, y);
    return __builtin_fmaf(e, 0.693359375f, m + y);
}

/* Of an angle in [0, 2 pi). */
KT_ALWAYS void cephes_sincos(float x, float *sine, float *cosine)
{
    const int32_t eighth = ((int32_t)(x * 1.27323954473516f) + 1) & ~1;
    const float   k = (float)eighth;
    float         r = __builtin_fmaf(k, -0.78515625f, x);
    r = __builtin_fmaf(k, -2.4187564849853515625e-4f, r);
    r = __builtin_fmaf(k, -3.77489497744594108e-8f, r);
    const float z = r * r;
    float       c = 2.443315711809948e-5f;
    c = __builtin_fmaf(c, z, -1.388731625493765e-3f);
    c = __builtin_fmaf(c, z, 4.166664568298827e-2f);
    c = __builtin_fmaf(c * z, z, -0.5f * z) + 1.0f;
    float s = -1.9515295891e-4f;
    s = __builtin_fmaf(s, z, 8.3321608736e-3f);
    s = __builtin_fmaf(s, z, -1.6666654611e-1f);
    s = __builtin_fmaf(s * z, r, r);
    const bool crossed = (eighth & 2) != 0;
    const float a = crossed ? c : s, b = crossed ? s : c;
    *sine = eighth & 4 ? -a : a;
    *cosine = (eighth - 2) & 4 ? b : -b;
}

enum { MOST = KT__DRAW_TILE / 2 };

/* Box and Muller: of each sixteen uniforms, eight give the radius and eight the angle. */
static void draw_normal(float *restrict tile, int n, float mean, float std)
{
    float     first[MOST], second[MOST];
    const int half = n / 2;
    for (int b = 0; b < half; b += 8)
        for (int j = 0; j < 8; j++) {
            first[b + j] = tile[2 * b + j];
            second[b + j] = tile[2 * b + 8 + j];
        }
    for (int i = 0; i < half; i++) {
        float       sine, cosine;
        const float radius = sqrtf(-2.0f * cephes_log(1.0f - first[i]));
        cephes_sincos(6.283185307179586f * second[i], &sine, &cosine);
        first[i] = __builtin_fmaf(radius * cosine, std, mean);
        second[i] = __builtin_fmaf(radius * sine, std, mean);
    }
    for (int b = 0; b < half; b += 8)
        for (int j = 0; j < 8; j++) {
            tile[2 * b + j] = first[b + j];
            tile[2 * b + 8 + j] = second[b + j];
        }
}

const kt__cpu_draws KT__CPU_SYMBOL(draws, KT_ISA) = {.uniform = draw_uniform, .normal = draw_normal};
