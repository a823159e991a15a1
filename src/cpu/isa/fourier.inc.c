/* fourier.inc.c - Fourier transforms of lines, in compute type T. A template: the names of T are those of types/.
 *
 * In: plans of the family fourier. Out: their results. Several lines are transformed side by side: point k of line l stands at
 * [k * lines + l], real and imaginary parts in arrays of their own, so that a pass is the same arithmetic for neighbours in
 * memory. The inverse is the same with both parts exchanged. Independent of: how roots are made (cpu/fourier/roots.c). */
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/fourier/fourier.h"

#ifndef FOURIER_FOR_ALL_TYPES
#define FOURIER_FOR_ALL_TYPES
enum {
    MOST_LINES = 16,        /* side by side */
    CACHED_BYTES = 1 << 18, /* of their points */
    THIN = 8                /* fewer neighbours than this, and a pass runs along its points */
};
#endif

typedef struct FN(field) { /* complex numbers, parts apart */
    T *re, *im;
} FN(field);

KT_ALWAYS FN(field) FN(exchanged)(FN(field) x)
{
    return (FN(field)){x.im, x.re};
}

/* ---- passes ---- */

typedef struct FN(pass) {
    int64_t  rest, beside; /* points that are left after it; how many numbers of one kind lie side by side */
    const T *re, *im;      /* roots, [radix - 1][rest] */
    FN(field) to, from;
} FN(pass);

/* b[k] = sum over j of a[j] exp(-2 pi i j k / radix) */
KT_ALWAYS void FN(pair)(T ar, T ai, T br, T bi, T *sr, T *si, T *dr, T *di)
{
    *sr = ar + br, *si = ai + bi, *dr = ar - br, *di = ai - bi;
}

KT_ALWAYS void FN(four)(const T *ar, const T *ai, T *br, T *bi)
{
    T er, ei, fr, fi, gr, gi, hr, hi;
    FN(pair)(ar[0], ai[0], ar[2], ai[2], &er, &ei, &fr, &fi);
    FN(pair)(ar[1], ai[1], ar[3], ai[3], &gr, &gi, &hr, &hi);
    FN(pair)(er, ei, gr, gi, &br[0], &bi[0], &br[2], &bi[2]);
    br[1] = fr + hi, bi[1] = fi - hr; /* the fourth root is -i */
    br[3] = fr - hi, bi[3] = fi + hr;
}

/* Of an odd radix: j and radix - j have the same cosine and opposite sines. */
KT_ALWAYS void FN(odd)(int radix, const T *ar, const T *ai, T *br, T *bi)
{
    static const double turn[KT__MOST_RADIX + 1][2][KT__MOST_RADIX / 2] = {
        [3] = {{-0.5}, {0.86602540378443864676}},
        [5] = {{0.30901699437494742410, -0.80901699437494742410}, {0.95105651629515357212, 0.58778525229247312917}},
        [7] = {{0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624},
               {0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048}},
        [11] = {{0.84125353283118116886, 0.41541501300188642553, -0.14231483827328514044, -0.65486073394528506406,
                 -0.95949297361449738989},
                {0.54064081745559758211, 0.90963199535451837141, 0.98982144188093273238, 0.75574957435425828377,
                 0.28173255684142969771}},
        [13] = {{0.88545602565320989590, 0.56806474673115580251, 0.12053668025532305335, -0.35460488704253562597,
                 -0.74851074817110109863, -0.97094181742605202716},
                {0.46472317204376854566, 0.82298386589365639458, 0.99270887409805399280, 0.93501624268541482344,
                 0.66312265824079520238, 0.23931566428755776715}},
    };
    const int half = radix / 2;
    T         sr[KT__MOST_RADIX / 2 + 1], si[KT__MOST_RADIX / 2 + 1], dr[KT__MOST_RADIX / 2 + 1], di[KT__MOST_RADIX / 2 + 1];
    br[0] = ar[0], bi[0] = ai[0];
    _Pragma("GCC unroll 16")
    for (int j = 1; j <= half; j++) {
        FN(pair)(ar[j], ai[j], ar[radix - j], ai[radix - j], &sr[j], &si[j], &dr[j], &di[j]);
        br[0] += sr[j], bi[0] += si[j];
    }
    _Pragma("GCC unroll 16")
    for (int k = 1; k <= half; k++) {
        T er = ar[0], ei = ai[0], hr = 0, hi = 0;
        _Pragma("GCC unroll 16")
        for (int j = 1; j <= half; j++) {
            const int at = j * k % radix, near = at <= half ? at : radix - at;
            const T   c = (T)turn[radix][0][near - 1], s = (T)(at <= half ? turn[radix][1][near - 1] : -turn[radix][1][near - 1]);
            er += c * sr[j], ei += c * si[j];
            hr += s * dr[j], hi += s * di[j];
        }
        br[k] = er + hi, bi[k] = ei - hr;
        br[radix - k] = er - hi, bi[radix - k] = ei + hr;
    }
}

/* Point p of the pass and neighbour q: radix numbers of `from` become as many of `to`. */
KT_ALWAYS void FN(step)(int radix, const FN(pass) *w, int64_t p, int64_t q)
{
    T ar[KT__MOST_RADIX], ai[KT__MOST_RADIX], br[KT__MOST_RADIX], bi[KT__MOST_RADIX];
    _Pragma("GCC unroll 16")
    for (int j = 0; j < radix; j++) {
        const int64_t at = q + w->beside * (p + w->rest * j);
        ar[j] = w->from.re[at], ai[j] = w->from.im[at];
    }
    if (radix == 4)
        FN(four)(ar, ai, br, bi);
    else if (radix == 2)
        FN(pair)(ar[0], ai[0], ar[1], ai[1], &br[0], &bi[0], &br[1], &bi[1]);
    else
        FN(odd)(radix, ar, ai, br, bi);
    _Pragma("GCC unroll 16")
    for (int k = 0; k < radix; k++) {
        const int64_t at = q + w->beside * (radix * p + k);
        const T       c = k ? w->re[(k - 1) * w->rest + p] : 1, s = k ? w->im[(k - 1) * w->rest + p] : 0;
        w->to.re[at] = k ? br[k] * c - bi[k] * s : br[0];
        w->to.im[at] = k ? br[k] * s + bi[k] * c : bi[0];
    }
}

KT_ALWAYS void FN(all_steps)(int radix, const FN(pass) *given)
{
    const FN(pass) w = *given; /* so that stores are seen not to change it */
    if (w.beside < THIN) {
        for (int64_t q = 0; q < w.beside; q++)
            KT_EACH
            for (int64_t p = 0; p < w.rest; p++)
                FN(step)(radix, &w, p, q);
        return;
    }
    for (int64_t p = 0; p < w.rest; p++)
        KT_EACH
        for (int64_t q = 0; q < w.beside; q++)
            FN(step)(radix, &w, p, q);
}

static void FN(run_pass)(int radix, const FN(pass) *w)
{
    switch (radix) {
    case 2:  FN(all_steps)(2, w); break;
    case 3:  FN(all_steps)(3, w); break;
    case 4:  FN(all_steps)(4, w); break;
    case 5:  FN(all_steps)(5, w); break;
    case 7:  FN(all_steps)(7, w); break;
    case 11: FN(all_steps)(11, w); break;
    default: FN(all_steps)(13, w); break;
    }
}

/* ---- whole lengths: x is spoilt, the result is in x or in room ---- */

static FN(field) FN(by_passes)(const kt__roots *r, FN(field) x, FN(field) room, int64_t lines)
{
    FN(pass) w = {.rest = r->n, .beside = lines, .re = r->re, .im = r->im};
    for (int i = 0; i < r->passes; i++) {
        const int radix = r->radix[i];
        w.rest /= radix;
        w.from = x, w.to = room;
        FN(run_pass)(radix, &w);
        w.re += (radix - 1) * w.rest, w.im += (radix - 1) * w.rest;
        w.beside *= radix;
        room = x, x = w.to;
    }
    return x;
}

/* x[k] *= by[k], for all lines */
static void FN(times)(FN(field) x, const T *re, const T *im, int64_t n, int64_t lines)
{
    for (int64_t k = 0; k < n; k++)
        KT_EACH
        for (int64_t l = 0; l < lines; l++) {
            const int64_t at = k * lines + l;
            const T       xr = x.re[at], xi = x.im[at];
            x.re[at] = xr * re[k] - xi * im[k];
            x.im[at] = xr * im[k] + xi * re[k];
        }
}

/* Two transforms of the chirp's length, the second of them back. */
static FN(field) FN(by_chirp)(const kt__roots *r, FN(field) x, FN(field) room, int64_t lines)
{
    const kt__roots *wide = r->inner;
    FN(times)(x, r->re, r->im, r->n, lines);
    memset(x.re + r->n * lines, 0, (size_t)((wide->n - r->n) * lines) * sizeof(T));
    memset(x.im + r->n * lines, 0, (size_t)((wide->n - r->n) * lines) * sizeof(T));
    FN(field) y = FN(by_passes)(wide, x, room, lines), other = y.re == x.re ? room : x;
    FN(times)(y, r->image_re, r->image_im, wide->n, lines);
    y = FN(exchanged)(FN(by_passes)(wide, FN(exchanged)(y), FN(exchanged)(other), lines));
    FN(times)(y, r->re, r->im, r->n, lines);
    return y;
}

static FN(field) FN(points)(const kt__roots *r, FN(field) x, FN(field) room, int64_t lines)
{
    return r->inner ? FN(by_chirp)(r, x, room, lines) : FN(by_passes)(r, x, room, lines);
}

static bool FN(points_of_one)(const kt__roots *r, void *re, void *im, void *room_re, void *room_im)
{
    return FN(points)(r, (FN(field)){re, im}, (FN(field)){room_re, room_im}, 1).re != (T *)re;
}

/* ---- memory ---- */

typedef struct FN(lines_of) { /* of one operand */
    char     *at;
    ptrdiff_t step, aside; /* bytes from element to element, and from line to line */
    int64_t   n;           /* elements of a line */
    bool      conj, neg;
} FN(lines_of);

static bool FN(is_dense)(const FN(lines_of) *m, int64_t lines, int numbers)
{
    return lines == 1 && m->step == (ptrdiff_t)(numbers * sizeof(T));
}

/* Elements of a line that are moved before those of the next: one where lines lie side by side. */
static int64_t FN(block_of)(const FN(lines_of) *m)
{
    return m->aside < m->step ? 1 : 64 / (int64_t)sizeof(T);
}

/* A block of a line's elements at a time, and all lines side by side: either way memory is read as it lies. */
static void FN(load_complex)(FN(field) x, const FN(lines_of) *m, int64_t n, int64_t lines)
{
    const T  by_re = m->neg ? -1 : 1, by_im = m->neg != m->conj ? -1 : 1;
    const T *from = (const T *)(const void *)m->at;
    if (FN(is_dense)(m, lines, 2)) {
        KT_EACH
        for (int64_t k = 0; k < n; k++) {
            x.re[k] = from[2 * k] * by_re;
            x.im[k] = from[2 * k + 1] * by_im;
        }
        return;
    }
    const int64_t block = FN(block_of)(m);
    for (int64_t first = 0; first < n; first += block)
        for (int64_t l = 0; l < lines; l++)
            for (int64_t k = first; k < n && k < first + block; k++) {
                const T *at = (const T *)(const void *)(m->at + k * m->step + l * m->aside);
                x.re[k * lines + l] = at[0] * by_re;
                x.im[k * lines + l] = at[1] * by_im;
            }
}

/* Elements first + k * every of each line, k < n. */
static void FN(load_real)(T *x, const FN(lines_of) *m, int64_t first, int64_t every, int64_t n, int64_t lines)
{
    const T  by = m->neg ? -1 : 1;
    const T *from = (const T *)(const void *)m->at + first;
    if (FN(is_dense)(m, lines, 1)) {
        KT_EACH
        for (int64_t k = 0; k < n; k++)
            x[k] = from[k * every] * by;
        return;
    }
    const int64_t block = FN(block_of)(m);
    for (int64_t begin = 0; begin < n; begin += block)
        for (int64_t l = 0; l < lines; l++)
            for (int64_t k = begin; k < n && k < begin + block; k++)
                x[k * lines + l] = *(const T *)(const void *)(m->at + (first + k * every) * m->step + l * m->aside) * by;
}

static void FN(store_complex)(const FN(lines_of) *m, FN(field) x, int64_t n, int64_t lines, T scale)
{
    T *to = (T *)(void *)m->at;
    if (FN(is_dense)(m, lines, 2)) {
        KT_EACH
        for (int64_t k = 0; k < n; k++) {
            to[2 * k] = x.re[k] * scale;
            to[2 * k + 1] = x.im[k] * scale;
        }
        return;
    }
    const int64_t block = FN(block_of)(m);
    for (int64_t first = 0; first < n; first += block)
        for (int64_t l = 0; l < lines; l++)
            for (int64_t k = first; k < n && k < first + block; k++) {
                T *at = (T *)(void *)(m->at + k * m->step + l * m->aside);
                at[0] = x.re[k * lines + l] * scale;
                at[1] = x.im[k * lines + l] * scale;
            }
}

static void FN(store_real)(const FN(lines_of) *m, const T *x, int64_t first, int64_t every, int64_t n, int64_t lines, T scale)
{
    const int64_t block = FN(block_of)(m);
    for (int64_t begin = 0; begin < n; begin += block)
        for (int64_t l = 0; l < lines; l++)
            for (int64_t k = begin; k < n && k < begin + block; k++)
                *(T *)(void *)(m->at + (first + k * every) * m->step + l * m->aside) = x[k * lines + l] * scale;
}

static void FN(clear)(T *x, int64_t numbers)
{
    memset(x, 0, (size_t)numbers * sizeof(T));
}

/* ---- the kinds of lines ---- */

typedef struct FN(transform) {
    const kt_plan   *plan;
    const kt__roots *roots;
    int64_t          n, lines, columns; /* lines: side by side; columns: of the last dim before the lengths */
    T                scale;
    bool             inverse, failed;
} FN(transform);

static void FN(complex_to_complex)(const FN(transform) *t, const FN(lines_of) *out, const FN(lines_of) *in, FN(field) x,
                                   FN(field) room, int64_t lines)
{
    FN(load_complex)(x, in, t->n, lines);
    if (t->inverse)
        x = FN(exchanged)(x), room = FN(exchanged)(room);
    x = FN(points)(t->roots, x, room, lines);
    FN(store_complex)(out, t->inverse ? FN(exchanged)(x) : x, t->n, lines, t->scale);
}

/* The spectrum of n / 2 complex numbers z, made of pairs of real ones, at k and n / 2 - k: that of the even ones is (Z[k] +
 * conj Z[n / 2 - k]) / 2, that of the odd ones the difference by 2i. */
static void FN(unfold)(const FN(transform) *t, const FN(lines_of) *out, FN(field) z, int64_t k, int64_t lines)
{
    const int64_t half = t->n / 2, back = half - k;
    const T       c = ((const T *)t->roots->re)[k], s = ((const T *)t->roots->im)[k], by = t->scale / 2;
    for (int64_t l = 0; l < lines; l++) {
        const int64_t a = (k == half ? 0 : k) * lines + l, b = (back == half ? 0 : back) * lines + l;
        const T er = z.re[a] + z.re[b], ei = z.im[a] - z.im[b];
        const T hr = z.im[a] + z.im[b], hi = z.re[b] - z.re[a];
        const T yr = (er + hr * c - hi * s) * by, yi = (ei + hr * s + hi * c) * by;
        T *at = (T *)(void *)(out->at + k * out->step + l * out->aside);
        at[0] = yr, at[1] = yi;
        if (out->n == t->n && k > 0 && k < half) { /* the other half, which is the conjugate */
            T *mirror = (T *)(void *)(out->at + (t->n - k) * out->step + l * out->aside);
            mirror[0] = yr, mirror[1] = -yi;
        }
    }
}

static void FN(real_to_complex)(const FN(transform) *t, const FN(lines_of) *out, const FN(lines_of) *in, FN(field) x,
                                FN(field) room, int64_t lines)
{
    if (t->roots->folds) {
        const int64_t half = t->n / 2;
        FN(load_real)(x.re, in, 0, 2, half, lines);
        FN(load_real)(x.im, in, 1, 2, half, lines);
        x = FN(points)(t->roots->inner, x, room, lines);
        for (int64_t k = 0; k <= half; k++)
            FN(unfold)(t, out, x, k, lines);
        return;
    }
    FN(load_real)(x.re, in, 0, 1, t->n, lines);
    FN(clear)(x.im, t->n * lines);
    x = FN(points)(t->roots, x, room, lines);
    FN(store_complex)(out, x, out->n, lines, t->scale);
}

/* Of an even length: what `unfold` does, the other way. The first and the middle number count with their real parts alone. */
static void FN(fold)(const FN(transform) *t, FN(field) z, FN(field) x, int64_t lines)
{
    const int64_t half = t->n / 2;
    for (int64_t k = 0; k < half; k++) {
        const T c = ((const T *)t->roots->re)[k], s = -((const T *)t->roots->im)[k];
        KT_EACH
        for (int64_t l = 0; l < lines; l++) {
            const int64_t a = k * lines + l, b = (half - k) * lines + l;
            const T       ai = k ? x.im[a] : 0, bi = k ? x.im[b] : 0;
            const T       er = x.re[a] + x.re[b], ei = ai - bi, dr = x.re[a] - x.re[b], di = ai + bi;
            z.re[a] = er - (dr * s + di * c);
            z.im[a] = ei + (dr * c - di * s);
        }
    }
}

/* The real line of a spectrum of n / 2 + 1 numbers, back from it. */
static void FN(complex_to_real)(const FN(transform) *t, const FN(lines_of) *out, const FN(lines_of) *in, FN(field) x,
                                FN(field) room, int64_t lines)
{
    const int64_t half = t->n / 2;
    FN(load_complex)(x, in, half + 1, lines);
    if (t->roots->folds) {
        FN(fold)(t, room, x, lines);
        x = FN(exchanged)(FN(points)(t->roots->inner, FN(exchanged)(room), FN(exchanged)(x), lines));
        FN(store_real)(out, x.re, 0, 2, half, lines, t->scale);
        FN(store_real)(out, x.im, 1, 2, half, lines, t->scale);
        return;
    }
    FN(clear)(x.im, lines);
    for (int64_t k = 1; k <= half; k++)
        for (int64_t l = 0; l < lines; l++) {
            x.re[(t->n - k) * lines + l] = x.re[k * lines + l];
            x.im[(t->n - k) * lines + l] = -x.im[k * lines + l];
        }
    x = FN(exchanged)(FN(points)(t->roots, FN(exchanged)(x), FN(exchanged)(room), lines));
    FN(store_real)(out, x.re, 0, 1, t->n, lines, t->scale);
}

/* ---- a plan ---- */

static bool FN(complex_in)(const kt_plan *plan, int i)
{
    return kt__dtype_rows[plan->arg[i].is].category == KT_CAT_COMPLEX;
}

static int64_t FN(room_of)(const FN(transform) *t) /* numbers of an array, one line */
{
    const int64_t room = kt__roots_room(t->roots);
    return room > t->n / 2 + 1 ? room : t->n / 2 + 1;
}

static void FN(some_lines)(void *ctx, int64_t begin, int64_t end)
{
    FN(transform) *t = ctx;
    const kt_plan *plan = t->plan;
    const int      dims = plan->nd - 2;
    const bool     from_real = !FN(complex_in)(plan, 1), to_real = !FN(complex_in)(plan, 0);
    const int64_t  array = FN(room_of)(t) * t->lines;
    size_t         granted;
    T             *room = kt__block_get(4 * (size_t)array * sizeof(T), &granted);
    if (!room) {
        __atomic_store_n(&t->failed, true, __ATOMIC_RELAXED);
        return;
    }
    const FN(field) x = {room, room + array}, y = {room + 2 * array, room + 3 * array};
    while (begin < end) {
        int64_t column = begin % t->columns, row = begin / t->columns, n = t->columns - column;
        n = n < end - begin ? n : end - begin;
        n = n < t->lines ? n : t->lines;
        FN(lines_of) m[2];
        for (int i = 0; i < 2; i++) {
            const ptrdiff_t aside = dims ? plan->stride[i][dims - 1] : 0;
            m[i] = (FN(lines_of)){.at = plan->arg[i].data + column * aside, .aside = aside,
                                  .step = plan->stride[i][dims + i], .n = plan->size[dims + i],
                                  .conj = plan->arg[i].bits & KT_BIT_CONJ, .neg = plan->arg[i].bits & KT_BIT_NEG};
        }
        for (int d = dims - 2; d >= 0; d--) {
            for (int i = 0; i < 2; i++)
                m[i].at += row % plan->size[d] * plan->stride[i][d];
            row /= plan->size[d];
        }
        (from_real ? FN(real_to_complex) : to_real ? FN(complex_to_real) : FN(complex_to_complex))(t, &m[0], &m[1], x, y, n);
        begin += n;
    }
    kt__block_put(room, granted);
}

/* Short lines, and lines whose elements lie apart, go side by side. */
static int64_t FN(lines_at_once)(const FN(transform) *t)
{
    const kt_plan *plan = t->plan;
    const int      dims = plan->nd - 2;
    const int64_t  bytes = 4 * FN(room_of)(t) * (int64_t)sizeof(T);
    int64_t        n = CACHED_BYTES / bytes;
    if (dims == 0)
        return 1;
    n = n < MOST_LINES ? n : MOST_LINES;
    n = n < t->columns ? n : t->columns;
    return n < 1 ? 1 : n;
}

static kt_status FN(transform_lines)(const kt_plan *plan)
{
    const int     dims = plan->nd - 2;
    FN(transform) t = {.plan = plan, .n = plan->param[0].v.i, .scale = (T)plan->param[1].v.re, .inverse = plan->param[2].v.i,
                       .columns = dims ? plan->size[dims - 1] : 1};
    const bool real = !FN(complex_in)(plan, 0) || !FN(complex_in)(plan, 1);
    t.roots = kt__roots_get(t.n, (kt_compute)plan->compute, real, FN(points_of_one));
    if (!t.roots)
        return kt__fail_memory((size_t)t.n * 4 * sizeof(T));
    t.lines = FN(lines_at_once)(&t);
    const int64_t lines = plan->numel / plan->size[dims];
    if (plan->numel < KT__GRAIN / 4)
        FN(some_lines)(&t, 0, lines);
    else
        kt__parallel(lines, 1 + KT__GRAIN / 4 / t.n, FN(some_lines), &t);
    kt__roots_put(t.roots);
    return t.failed ? kt__fail_memory(4 * (size_t)FN(room_of)(&t) * t.lines * sizeof(T)) : KT_OK;
}
