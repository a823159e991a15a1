/* softmax_quarters.inc.c - the steps of softmax_rows.inc.c and softmax_halves.inc.c on aarch64, for lines of whole groups of 32
 * values. A template of softmax.inc.c for T = float, included by softmax_rows.inc.c.
 *
 * In: lines, dense float32s, or (`halves`) bfloat16s that are read and written where they are. Out: largest values, sums and
 * results, with the bits of those files. A group is eight vectors of 16 bytes, which the compiler keeps in registers where
 * they are spelled out, and in memory where they are an array of 32 lanes. Vectors k and k + 4 of a group go together: of
 * bfloat16s they are the lower and the upper halves of the same words. Memory is asked for ahead where there are exponentials to
 * make; where there are none the processor's own prefetch is faster alone, and lines that are asked for to be written are read
 * first (Neoverse V1: softmax's gradient takes 1.6 times as long). Independent of: plans, threads. */
#include "cpu/isa/half_group.h"

enum { QUARTERED = 32 }; /* values of a group */

typedef struct quarters {
    float32x4_t a, b;
} quarters;

/* Vectors k and k + 4 of the group at i. */
KT_ALWAYS quarters quarters_at(const float *x, ptrdiff_t i, int k, bool halves)
{
    const uint16_t *h = (const uint16_t *)(const void *)x + i + 8 * k;
    const float    *f = x + i + 4 * k;
    return halves ? (quarters){even_halves(h), odd_halves(h)} : (quarters){vld1q_f32(f), vld1q_f32(f + 16)};
}

KT_ALWAYS void put_quarters(float *z, ptrdiff_t i, int k, quarters v, bool halves)
{
    if (halves)
        put_halves((uint16_t *)(void *)z + i + 8 * k, v.a, v.b);
    else
        vst1q_f32(z + i + 4 * k, v.a), vst1q_f32(z + i + 4 * k + 16, v.b);
}

/* A step of a group goes over all its vectors: the processor does not look far ahead past an operation that waits (Neoverse V1:
 * softmax's gradient takes 0.84 times as long as with one vector after the other). */
#define EACH_PAIR _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++)

KT_ALWAYS quarters plus_pair(quarters u, quarters v)  { return (quarters){vaddq_f32(u.a, v.a), vaddq_f32(u.b, v.b)}; }
KT_ALWAYS quarters times_pair(quarters u, quarters v) { return (quarters){vmulq_f32(u.a, v.a), vmulq_f32(u.b, v.b)}; }
KT_ALWAYS quarters less_of_pair(quarters u, float32x4_t x) { return (quarters){vsubq_f32(u.a, x), vsubq_f32(u.b, x)}; }

/* Line k of several, each `apart` elements behind the last. */
KT_ALWAYS float *line_of(const float *x, int k, ptrdiff_t apart, bool halves)
{
    return (float *)((uintptr_t)x + (uintptr_t)(k * apart * (halves ? 2 : 4)));
}

/* What a sum begins with, in a register of its own: for a copy of a register the processor takes the time of a sum, and none for
 * a load beside sums (Neoverse V1: exponentials take 0.8 times as long). Without `volatile` the compiler would load it once. */
KT_ALWAYS float32x4_t begun_with(const float *four)
{
    float32x4_t v;
    __asm__ volatile("ldr %q0, %1" : "=w"(v) : "m"(*(const float32x4_t *)(const void *)four));
    return v;
}

/* 0, likewise: the processor makes it where it renames registers. */
KT_ALWAYS float32x4_t nothing(void)
{
    float32x4_t v;
    __asm__ volatile("movi %0.2d, #0" : "=w"(v));
    return v;
}

/* exp_share_near_f32 of a group, step by step: one vector alone is a chain of operations that wait for each other, and of eight
 * an exponent, a power and a sum fit into registers. Factors are lanes of one. Where group follows group the next one begins
 * before this one ends (Neoverse V1: four exponentials take 5.2 cycles so, 5.8 with one group after the other, 7.1 by half
 * groups). */
enum { VECTORS = QUARTERED / 4 };
#define EACH_VECTOR _Pragma("GCC unroll 8") for (int k = 0; k < VECTORS; k++)

#define FOUR_OF(x) {x, x, x, x}
static const float exp_addends[][4] __attribute__((aligned(16))) = {
    FOUR_OF(ROUND_F32(0)), FOUR_OF(EXP_5_F32), FOUR_OF(EXP_4_F32), FOUR_OF(EXP_3_F32), FOUR_OF(EXP_2_F32), FOUR_OF(1),
};
#undef FOUR_OF
static const float exp_factors[4] __attribute__((aligned(16))) = {LOG2E_F32, EXP_LN2_F32, EXP_LN2_LOW_F32, EXP_6_F32};

KT_ALWAYS void exps_begin(float32x4_t *t, const float32x4_t *x, float32x4_t f)
{
    EACH_VECTOR t[k] = vfmaq_laneq_f32(begun_with(exp_addends[0]), x[k], f, 0);
}

/* p = e^r of x, which has no use then. */
KT_ALWAYS void exps_go_on(float32x4_t *p, float32x4_t *x, const float32x4_t *t, float32x4_t f)
{
    const float32x4_t round = begun_with(exp_addends[0]);
    EACH_VECTOR p[k] = vsubq_f32(t[k], round);
    EACH_VECTOR x[k] = vfmsq_laneq_f32(x[k], p[k], f, 1);
    EACH_VECTOR x[k] = vfmsq_laneq_f32(x[k], p[k], f, 2);
    EACH_VECTOR p[k] = vfmaq_laneq_f32(begun_with(exp_addends[1]), x[k], f, 3);
    EACH_VECTOR p[k] = vfmaq_f32(begun_with(exp_addends[2]), p[k], x[k]);
    EACH_VECTOR p[k] = vfmaq_f32(begun_with(exp_addends[3]), p[k], x[k]);
    EACH_VECTOR p[k] = vfmaq_f32(begun_with(exp_addends[4]), p[k], x[k]);
    EACH_VECTOR p[k] = vfmaq_f32(begun_with(exp_addends[5]), p[k], x[k]);
    EACH_VECTOR p[k] = vfmaq_f32(begun_with(exp_addends[5]), p[k], x[k]);
}

/* 2^k times p: k goes to where the exponent is by a product with 2^23. */
KT_ALWAYS void exps_end(float32x4_t *p, const float32x4_t *t)
{
    static const uint32_t place[4] __attribute__((aligned(16))) = {1u << 23, 1u << 23, 1u << 23, 1u << 23};
    const uint32x4_t      to = vreinterpretq_u32_f32(begun_with((const float *)(const void *)place));
    EACH_VECTOR p[k] = vreinterpretq_f32_u32(vmlaq_u32(vreinterpretq_u32_f32(p[k]), vreinterpretq_u32_f32(t[k]), to));
}

KT_ALWAYS void group_at(float32x4_t *v, const float *x, ptrdiff_t i, bool halves)
{
    quarters u[4];
    EACH_PAIR u[k] = quarters_at(x, i, k, halves);
    EACH_PAIR v[k] = u[k].a, v[k + 4] = u[k].b;
}

KT_ALWAYS void group_less(float32x4_t *v, float32x4_t x) { EACH_VECTOR v[k] = vsubq_f32(v[k], x); }

/* Where the group after the one at i is; at the end there is none, and the last one stands in for it. */
KT_ALWAYS ptrdiff_t next_group(ptrdiff_t i, ptrdiff_t n) { return i + QUARTERED < n ? i + QUARTERED : i; }

/* ---- the largest values ---- */

typedef struct quarters_span {
    quarters most, least;
} quarters_span;

KT_ALWAYS void span_quarters(quarters_span *s, const float *x, ptrdiff_t i, int k)
{
    const quarters v = quarters_at(x, i, k, false);
    s->most.a = vmaxnmq_f32(s->most.a, v.a), s->most.b = vmaxnmq_f32(s->most.b, v.b);
    s->least.a = vminnmq_f32(s->least.a, v.a), s->least.b = vminnmq_f32(s->least.b, v.b);
}

KT_ALWAYS quarters_span span_of_quarters(const float *x, int k)
{
    const quarters v = quarters_at(x, 0, k, false);
    return (quarters_span){v, v};
}

KT_ALWAYS quarters_span joined_spans(quarters_span s, quarters_span t)
{
    return (quarters_span){{vmaxnmq_f32(s.most.a, t.most.a), vmaxnmq_f32(s.most.b, t.most.b)},
                           {vminnmq_f32(s.least.a, t.least.a), vminnmq_f32(s.least.b, t.least.b)}};
}

/* NaN is passed over, or taken: it spoils the sum either way. */
static ROWS_NOINLINE void quarters_tops(FN(rows) *r)
{
    float32x4_t low = vdupq_n_f32(0);
    for (int k = 0; k < r->count; k++) {
        const float  *x = r->x + k * r->of_x;
        quarters_span a = span_of_quarters(x, 0), b = span_of_quarters(x, 1), c = span_of_quarters(x, 2),
                      d = span_of_quarters(x, 3);
        for (ptrdiff_t i = QUARTERED; i < r->n; i += QUARTERED)
            span_quarters(&a, x, i, 0), span_quarters(&b, x, i, 1), span_quarters(&c, x, i, 2), span_quarters(&d, x, i, 3);
        a = joined_spans(joined_spans(a, b), joined_spans(c, d));
        const float top = vmaxnmvq_f32(vmaxnmq_f32(a.most.a, a.most.b)) + 0;
        low = vminnmq_f32(low, vsubq_f32(vminnmq_f32(a.least.a, a.least.b), vdupq_n_f32(top)));
        r->top[k] = top;
    }
    r->low = vminnmvq_f32(low);
}

/* Of bfloat16s as integers: as signed ones positive numbers are in order, and negative ones, which are below, in the opposite
 * one; as unsigned ones, negative numbers are above. If there are none, 0 is as good as the least: it is not larger. */
static ROWS_NOINLINE void quarters_halves_tops(FN(rows) *r)
{
    float low = 0;
    for (int k = 0; k < r->count; k++) {
        const uint16_t *x = (const uint16_t *)(const void *)r->x + k * r->of_x;
        int16x8_t       most[2] = {vdupq_n_s16(INT16_MIN), vdupq_n_s16(INT16_MIN)};
        int16x8_t       least[2] = {vdupq_n_s16(INT16_MAX), vdupq_n_s16(INT16_MAX)};
        uint16x8_t      far[2] = {vdupq_n_u16(0), vdupq_n_u16(0)};
        for (ptrdiff_t i = 0; i < r->n; i += QUARTERED) {
            const uint16x8_t a = vld1q_u16(x + i), b = vld1q_u16(x + i + 8), c = vld1q_u16(x + i + 16), d = vld1q_u16(x + i + 24);
            const int16x8_t  sa = vreinterpretq_s16_u16(a), sb = vreinterpretq_s16_u16(b);
            const int16x8_t  sc = vreinterpretq_s16_u16(c), sd = vreinterpretq_s16_u16(d);
            most[0] = vmaxq_s16(most[0], vmaxq_s16(sa, sb)), most[1] = vmaxq_s16(most[1], vmaxq_s16(sc, sd));
            least[0] = vminq_s16(least[0], vminq_s16(sa, sb)), least[1] = vminq_s16(least[1], vminq_s16(sc, sd));
            far[0] = vmaxq_u16(far[0], vmaxq_u16(a, b)), far[1] = vmaxq_u16(far[1], vmaxq_u16(c, d));
        }
        const int16_t  above = vmaxvq_s16(vmaxq_s16(most[0], most[1])), below = vminvq_s16(vminq_s16(least[0], least[1]));
        const uint16_t last = vmaxvq_u16(vmaxq_u16(far[0], far[1]));
        r->top[k] = kt__decode_BF16((uint16_t)(above >= 0 ? above : below)) + 0;
        const float off = (last >= 0x8000 ? kt__decode_BF16(last) : 0) - r->top[k];
        low = off < low ? off : low;
    }
    r->low = low;
}

/* ---- sums ---- */

/* The lower half of four lanes and the upper one, then what is left. */
KT_ALWAYS float across_quarter(float32x4_t v)
{
    const float32x2_t two = vadd_f32(vget_low_f32(v), vget_high_f32(v));
    return vpadds_f32(two);
}

/* In the order of line_joined: upper lanes are added to lower ones. bfloat16s: each half of the lanes for itself. */
KT_ALWAYS float joined_quarters(quarters a, quarters b, quarters c, quarters d, bool halves)
{
    if (halves)
        return across_quarter(vaddq_f32(vaddq_f32(a.a, c.a), vaddq_f32(b.a, d.a))) +
               across_quarter(vaddq_f32(vaddq_f32(a.b, c.b), vaddq_f32(b.b, d.b)));
    a.a = vaddq_f32(a.a, a.b), b.a = vaddq_f32(b.a, b.b), c.a = vaddq_f32(c.a, c.b), d.a = vaddq_f32(d.a, d.b);
    return across_quarter(vaddq_f32(vaddq_f32(a.a, c.a), vaddq_f32(b.a, d.a)));
}

KT_ALWAYS float quarters_sum_line(const float *x, const float *y, ptrdiff_t n, FN(sum_of) of, bool halves)
{
    const float32x4_t zero = vdupq_n_f32(0);
    quarters          s[4] = {{zero, zero}, {zero, zero}, {zero, zero}, {zero, zero}}, u[4], v[4];
    for (ptrdiff_t i = 0; i < n; i += QUARTERED) {
        EACH_PAIR u[k] = quarters_at(x, i, k, halves);
        if (of == FN(PRODUCTS)) {
            EACH_PAIR v[k] = quarters_at(y, i, k, halves);
            EACH_PAIR u[k] = times_pair(u[k], v[k]);
        }
        EACH_PAIR s[k] = plus_pair(s[k], u[k]);
    }
    return joined_quarters(s[0], s[1], s[2], s[3], halves);
}

KT_ALWAYS void quarters_sum(FN(rows) *r, FN(sum_of) of, bool halves)
{
    for (int l = 0; l < r->count; l++) {
        const float *x = line_of(r->x, l, r->of_x, halves), *y = line_of(r->y, l, r->of_y, halves);
        r->sum[l] = (double)quarters_sum_line(x, y, r->n, of, halves);
    }
}

/* Of exponentials, which are no -0: nothing is added to the first ones. */
KT_ALWAYS float quarters_sum_kept(const float *e, ptrdiff_t n, bool joins_halves)
{
    quarters s[4];
    EACH_PAIR s[k] = quarters_at(e, 0, k, false);
    for (ptrdiff_t i = QUARTERED; i < n; i += QUARTERED)
        EACH_PAIR s[k] = plus_pair(s[k], quarters_at(e, i, k, false));
    return joined_quarters(s[0], s[1], s[2], s[3], joins_halves);
}

/* What is asked for beside exponentials. */
typedef struct soon {
    const char *in, *out;
    ptrdiff_t   ahead; /* bytes of a group */
} soon;

KT_ALWAYS soon soon_of(const FN(rows) *r) { return (soon){r->soon[1], r->soon[0], QUARTERED * r->width}; }

KT_ALWAYS void ask(soon *s, bool later)
{
    fetch_pair(s->in, s->ahead, later);
    if (!later) /* else nothing is written */
        fetch_pair_for_writing(s->out, s->ahead);
    s->in += s->ahead, s->out += s->ahead;
}

KT_ALWAYS void exps_of_line(float *e, const float *x, ptrdiff_t n, float top, float32x4_t f, soon *s, bool halves)
{
    const float32x4_t less = vdupq_n_f32(top);
    float32x4_t       v[VECTORS], t[VECTORS], p[VECTORS];
    group_at(v, x, 0, halves), group_less(v, less);
    exps_begin(t, v, f);
    for (ptrdiff_t i = 0; i < n; i += QUARTERED) {
        ask(s, false);
        exps_go_on(p, v, t, f);
        group_at(v, x, next_group(i, n), halves), group_less(v, less);
        exps_end(p, t);
        exps_begin(t, v, f);
        EACH_VECTOR vst1q_f32(e + i + 4 * k, p[k]);
    }
}

/* The exponentials of a line are made, then summed: sums beside them would have no room in registers. */
KT_ALWAYS void quarters_sum_exps(FN(rows) *r, bool halves)
{
    const float32x4_t f = vld1q_f32(exp_factors);
    soon              s = soon_of(r);
    for (int l = 0; l < r->count; l++) {
        float *e = r->e + l * r->n;
        exps_of_line(e, line_of(r->x, l, r->of_x, halves), r->n, r->top[l], f, &s, halves);
        r->sum[l] = (double)quarters_sum_kept(e, r->n, halves);
    }
}

/* Of exponentials, in double: eight vectors of two for one half of the lanes. */
typedef struct wide_quarters {
    float64x2_t a, b;
} wide_quarters;

KT_ALWAYS wide_quarters wide_sum(wide_quarters s, float32x4_t v)
{
    return (wide_quarters){vaddq_f64(s.a, vcvt_f64_f32(vget_low_f32(v))), vaddq_f64(s.b, vcvt_high_f64_f32(v))};
}

KT_ALWAYS wide_quarters wide_plus(wide_quarters s, wide_quarters t)
{
    return (wide_quarters){vaddq_f64(s.a, t.a), vaddq_f64(s.b, t.b)};
}

KT_ALWAYS double across_wide(wide_quarters s) { return vpaddd_f64(vaddq_f64(s.a, s.b)); }

/* Of bfloat16s: even values are in the first four vectors of a group, odd ones in the others, and stand side by side in the line.
 * Each half of the lanes is joined for itself. */
KT_ALWAYS double wide_sum_of_half(const float *e, ptrdiff_t n)
{
    const wide_quarters none = {vdupq_n_f64(0), vdupq_n_f64(0)};
    wide_quarters       s[4] = {none, none, none, none};
    for (ptrdiff_t i = 0; i < n; i += QUARTERED)
        EACH_PAIR s[k] = wide_sum(s[k], vld1q_f32(e + i + 4 * k));
    return across_wide(wide_plus(wide_plus(s[0], s[2]), wide_plus(s[1], s[3])));
}

KT_ALWAYS void quarters_wide_sum(FN(rows) *r)
{
    const float32x4_t f = vld1q_f32(exp_factors);
    soon              s = soon_of(r);
    float             e[TILE] __attribute__((aligned(64)));
    for (int l = 0; l < r->count; l++) {
        exps_of_line(e, line_of(r->x, l, r->of_x, true), r->n, r->top[l], f, &s, true);
        r->sum[l] = wide_sum_of_half(e, r->n) + wide_sum_of_half(e + 16, r->n);
    }
}

/* Of float32s: eight are added in float, two by two, before they go to double: none is below 0, so that digits are lost to three
 * roundings and no more. */
KT_ALWAYS void quarters_exps_of(FN(rows) *r, bool later)
{
    const float32x4_t f = vld1q_f32(exp_factors);
    const ptrdiff_t   n = r->n;
    soon              s = soon_of(r);
    for (int l = 0; l < r->count; l++) {
        const float      *x = line_of(r->x, l, r->of_x, false);
        const float32x4_t top = vdupq_n_f32(r->top[l]);
        float32x4_t       v[VECTORS], t[VECTORS], p[VECTORS];
        wide_quarters     sum = {vdupq_n_f64(0), vdupq_n_f64(0)};
        group_at(v, x, 0, false), group_less(v, top);
        exps_begin(t, v, f);
        for (ptrdiff_t i = 0; i < n; i += QUARTERED) {
            ask(&s, later);
            exps_go_on(p, v, t, f);
            group_at(v, x, next_group(i, n), false), group_less(v, top);
            exps_end(p, t);
            exps_begin(t, v, f);
#pragma GCC unroll 3
            for (int half = 1; half < VECTORS; half *= 2)
#pragma GCC unroll 4
                for (int k = 0; k < VECTORS; k += 2 * half)
                    p[k] = vaddq_f32(p[k], p[k + half]);
            sum = wide_sum(sum, p[0]);
        }
        r->sum[l] = across_wide(sum);
    }
}

static ROWS_NOINLINE KT_IN_REGISTERS void quarters_exps(FN(rows) *r)             { quarters_exps_of(r, false); }
static ROWS_NOINLINE KT_IN_REGISTERS void quarters_long_exps(FN(rows) *r)        { quarters_exps_of(r, true); }
static ROWS_NOINLINE KT_IN_REGISTERS void quarters_kept_exps(FN(rows) *r)        { quarters_sum_exps(r, false); }
static ROWS_NOINLINE void quarters_products(FN(rows) *r)         { quarters_sum(r, FN(PRODUCTS), false); }
static ROWS_NOINLINE void quarters_values(FN(rows) *r)           { quarters_sum(r, FN(VALUES), false); }
static ROWS_NOINLINE KT_IN_REGISTERS void quarters_halves_exps(FN(rows) *r)      { quarters_wide_sum(r); }
static ROWS_NOINLINE KT_IN_REGISTERS void quarters_halves_kept_exps(FN(rows) *r) { quarters_sum_exps(r, true); }
static ROWS_NOINLINE void quarters_halves_products(FN(rows) *r)  { quarters_sum(r, FN(PRODUCTS), true); }
static ROWS_NOINLINE void quarters_halves_values(FN(rows) *r)    { quarters_sum(r, FN(VALUES), true); }

static FN(sum_of) quarters_sum_of(int kernel)
{
    switch (kernel) {
    case KT_K_softmax:          return FN(KEPT_EXPS);
    case KT_K_log_softmax:      return FN(EXPS);
    case KT_K_softmax_backward: return FN(PRODUCTS);
    default:                    return FN(VALUES);
    }
}

/* Sums of lines of whole groups, where they have a form here; else false. */
static bool quarters_sums(FN(rows) *r, FN(sum_of) of, bool halves)
{
    if (r->n % QUARTERED != 0 || r->n > TILE || (!r->near && (of == FN(EXPS) || of == FN(KEPT_EXPS))))
        return false;
    switch (of) {
    case FN(EXPS):      (halves ? quarters_halves_exps : r->later ? quarters_long_exps : quarters_exps)(r); break;
    case FN(KEPT_EXPS): (halves ? quarters_halves_kept_exps : quarters_kept_exps)(r); break;
    case FN(PRODUCTS):  (halves ? quarters_halves_products : quarters_products)(r); break;
    default:            (halves ? quarters_halves_values : quarters_values)(r);
    }
    return true;
}

/* ---- results ---- */

typedef enum quarters_result { SCALED, LESS_BOTH, TURNED, LESS_EXPS } quarters_result;

KT_ALWAYS void result_group(quarters u[4], quarters v[4], float32x4_t top, float32x4_t total, quarters_result what)
{
    const quarters totals = {total, total};
    switch (what) {
    case SCALED:
        EACH_PAIR u[k] = times_pair(u[k], totals);
        return;
    case LESS_BOTH:
        EACH_PAIR u[k] = less_of_pair(u[k], top);
        EACH_PAIR u[k] = less_of_pair(u[k], total);
        return;
    default:
        EACH_PAIR u[k] = less_of_pair(u[k], total);
        EACH_PAIR u[k] = times_pair(u[k], v[k]);
    }
}

KT_ALWAYS void quarters_made(const FN(rows) *r, quarters_result what, bool halves)
{
    const ptrdiff_t n = r->n;
    for (int l = 0; l < r->count; l++) {
        const float      *x = what == SCALED ? r->e + l * n : line_of(r->x, l, r->of_x, halves);
        const float      *y = line_of(r->y, l, r->of_y, halves);
        float            *z = line_of(r->z, l, r->of_z, halves);
        const float32x4_t top = vdupq_n_f32(r->top[l]), total = vdupq_n_f32(r->total[l]);
        for (ptrdiff_t i = 0; i < n; i += QUARTERED) {
            quarters u[4], v[4];
            EACH_PAIR u[k] = quarters_at(x, i, k, halves && what != SCALED);
            EACH_PAIR v[k] = what == TURNED ? quarters_at(y, i, k, halves) : u[k];
            result_group(u, v, top, total, what);
            EACH_PAIR put_quarters(z, i, k, u[k], halves);
        }
    }
}

/* x - total * e^y */
KT_ALWAYS void quarters_made_of_exps(const FN(rows) *r, bool halves)
{
    const float32x4_t f = vld1q_f32(exp_factors);
    const ptrdiff_t   n = r->n;
    for (int l = 0; l < r->count; l++) {
        const float      *x = line_of(r->x, l, r->of_x, halves), *y = line_of(r->y, l, r->of_y, halves);
        float            *z = line_of(r->z, l, r->of_z, halves);
        const float32x4_t total = vdupq_n_f32(r->total[l]);
        float32x4_t       v[VECTORS], t[VECTORS], p[VECTORS];
        group_at(v, y, 0, halves);
        exps_begin(t, v, f);
        for (ptrdiff_t i = 0; i < n; i += QUARTERED) {
            exps_go_on(p, v, t, f);
            group_at(v, y, next_group(i, n), halves);
            exps_end(p, t);
            exps_begin(t, v, f);
            EACH_VECTOR p[k] = vmulq_f32(p[k], total);
            EACH_PAIR {
                const quarters u = quarters_at(x, i, k, halves);
                put_quarters(z, i, k, (quarters){vsubq_f32(u.a, p[k]), vsubq_f32(u.b, p[k + 4])}, halves);
            }
        }
    }
}

static ROWS_NOINLINE void quarters_scaled(const FN(rows) *r)           { quarters_made(r, SCALED, false); }
static ROWS_NOINLINE void quarters_less(const FN(rows) *r)             { quarters_made(r, LESS_BOTH, false); }
static ROWS_NOINLINE void quarters_turned(const FN(rows) *r)           { quarters_made(r, TURNED, false); }
static ROWS_NOINLINE KT_IN_REGISTERS void quarters_less_exps(const FN(rows) *r)        { quarters_made_of_exps(r, false); }
static ROWS_NOINLINE void quarters_halves_scaled(const FN(rows) *r)    { quarters_made(r, SCALED, true); }
static ROWS_NOINLINE void quarters_halves_less(const FN(rows) *r)      { quarters_made(r, LESS_BOTH, true); }
static ROWS_NOINLINE void quarters_halves_turned(const FN(rows) *r)    { quarters_made(r, TURNED, true); }
static ROWS_NOINLINE KT_IN_REGISTERS void quarters_halves_less_exps(const FN(rows) *r) { quarters_made_of_exps(r, true); }

static quarters_result quarters_result_of(int kernel)
{
    switch (kernel) {
    case KT_K_softmax:          return SCALED;
    case KT_K_log_softmax:      return LESS_BOTH;
    case KT_K_softmax_backward: return TURNED;
    default:                    return LESS_EXPS;
    }
}

static bool quarters_results(const FN(rows) *r, quarters_result what, bool halves)
{
    if (r->n % QUARTERED != 0 || (!r->near && what == LESS_EXPS))
        return false;
    switch (what) {
    case SCALED:    (halves ? quarters_halves_scaled : quarters_scaled)(r); break;
    case LESS_BOTH: (halves ? quarters_halves_less : quarters_less)(r); break;
    case TURNED:    (halves ? quarters_halves_turned : quarters_turned)(r); break;
    default:        (halves ? quarters_halves_less_exps : quarters_less_exps)(r);
    }
    return true;
}

/* ---- cross entropy ---- */

KT_ALWAYS float32x4_t least_of_group(float32x4_t least, const float32x4_t *v)
{
    EACH_VECTOR least = vminq_f32(least, v[k]);
    return least;
}

/* What flows back to the first of n logits, z = 0 - g * e^(x - top - total), in whole groups; returns how many. 0: an exponential
 * has no short form, and what was written is to be made anew. */
static ROWS_NOINLINE KT_IN_REGISTERS int quarters_flow(float *z, const float *x, float top, float total, float g, int n)
{
    const int         whole = n / QUARTERED * QUARTERED;
    const float32x4_t f = vld1q_f32(exp_factors);
    const float32x4_t less = vdupq_n_f32(top), less_more = vdupq_n_f32(total), times = vdupq_n_f32(g);
    float32x4_t       v[VECTORS], t[VECTORS], p[VECTORS], least = vdupq_n_f32(0);
    if (whole == 0)
        return 0;
    group_at(v, x, 0, false), group_less(v, less), group_less(v, less_more);
    least = least_of_group(least, v);
    exps_begin(t, v, f);
    for (int i = 0; i < whole; i += QUARTERED) {
        exps_go_on(p, v, t, f);
        group_at(v, x, next_group(i, whole), false), group_less(v, less), group_less(v, less_more);
        least = least_of_group(least, v);
        exps_end(p, t);
        exps_begin(t, v, f);
        EACH_VECTOR p[k] = vfmsq_f32(nothing(), p[k], times);
        EACH_VECTOR vst1q_f32(z + i + 4 * k, p[k]);
    }
    return FN(exp_is_near)(vminvq_f32(least), 0) ? whole : 0; /* NaN is not */
}
#undef EACH_VECTOR
#undef EACH_PAIR
