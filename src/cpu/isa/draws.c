/* draws.c - the loops of the random kernels that are worth vectors: uniform and normal float32 from raw draws.
 *
 * In: rows of draws. Out: rows of float32, bit for bit PyTorch's. Its logarithm, sine and cosine are the minimax polynomials of
 * S. L. Moshier's Cephes Mathematical Library for single precision, with one rounding for each product and sum: hence the
 * explicit fma, which gives the same bits where a build lacks the instruction. Independent of: tensors, generators, strides. */
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

/* A polynomial in z by Horner's rule, its terms from the highest to the constant one, each step rounded once. */
#define POLYNOMIAL(terms, z) polynomial(terms, (int)(sizeof(terms) / sizeof *(terms)), z)

KT_ALWAYS float polynomial(const float *terms, int n, float z)
{
    float sum = terms[0];
    for (int i = 1; i < n; i++)
        sum = __builtin_fmaf(sum, z, terms[i]);
    return sum;
}

/* ln(x) of a positive normal number: x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), and ln(1 + f) = f - f^2 / 2 + f^3
 * P(f). ln(2) comes in two parts, of which k times the first is exact. */
KT_ALWAYS float log_of(float x)
{
    static const float P[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,  -1.2420140846e-1f, 1.4249322787e-1f,
                              -1.6668057665e-1f, 2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
    const uint32_t     bits = kt__bits_f32(x), root_of_half = kt__bits_f32(0.707106781186547524f);
    const int32_t      exponent = (int32_t)(bits - root_of_half) >> 23;
    const float        k = (float)exponent, f = kt__f32_bits(bits - ((uint32_t)exponent << 23)) - 1.0f, square = f * f;
    const float        higher = __builtin_fmaf(POLYNOMIAL(P, f) * f, square, k * -2.12194440e-4f);
    return __builtin_fmaf(k, 0.693359375f, f + __builtin_fmaf(-0.5f, square, higher));
}

/* Sine and cosine of an angle in [0, 2 pi): it is q quarter turns, q to the nearest, and a rest r of at most an eighth of a turn.
 * A quarter turn, as twice an eighth, comes in three parts. */
KT_ALWAYS void sine_and_cosine_of(float angle, float *sine, float *cosine)
{
    static const float S[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
    static const float C[] = {2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f};
    static const float eighth[] = {0.78515625f, 2.4187564849853515625e-4f, 3.77489497744594108e-8f};
    const int32_t      q = ((int32_t)(angle * 1.27323954473516f) + 1) / 2;
    float              r = angle;
    for (int i = 0; i < 3; i++)
        r = __builtin_fmaf((float)(2 * q), -eighth[i], r);
    const float square = r * r;
    const float s = __builtin_fmaf(POLYNOMIAL(S, square) * square, r, r);
    const float c = __builtin_fmaf(POLYNOMIAL(C, square) * square, square, -0.5f * square) + 1.0f;
    const float of_sine = q & 1 ? c : s, of_cosine = q & 1 ? s : c;
    *sine = q & 2 ? -of_sine : of_sine;
    *cosine = (q + 1) & 2 ? -of_cosine : of_cosine;
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
        const float radius = sqrtf(-2.0f * log_of(1.0f - first[i]));
        sine_and_cosine_of(6.283185307179586f * second[i], &sine, &cosine);
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
