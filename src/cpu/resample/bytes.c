/* bytes.c - see resample.h: sums of uint8. Weights are integers with as many bits as 16 hold, and each dim is rounded to uint8
 * before the next, the last dim in space first: PyTorch's results, which are Pillow's. */
#include <math.h>

#include "base/thread.h"
#include "cpu/isa/names.h"
#include "cpu/resample/resample.h"

#define T          double
#define ID         f64
#define MATH(name) __builtin_##name
#include "cpu/resample/taps.inc.c"

enum { GRAIN_SUMS = 1 << 16 };

typedef struct fixed { /* weights of one dim */
    taps_f64 t;
    int32_t *weight; /* as integers: they take the place of t.weight */
    int      bits;   /* 1 is 1 << bits */
} fixed;

typedef struct summing {
    const kt__resizing *r;
    fixed               high, wide;
    bool                failed;
} summing;

/* ---- weights ---- */

/* With how many bits behind the point the largest weight, rounded, still has 15 altogether; no more than 21. */
static int bits_behind_point(double largest)
{
    int          exponent;
    const double rounded_up = frexp(largest, &exponent) + 1.0 / (1 << 16);
    const int    bits = 15 - exponent - (rounded_up >= 1);
    return bits < 0 ? 0 : bits > 21 ? 21 : bits;
}

/* An element at the border may be named several times: what it weighs altogether is rounded once. */
static void join_neighbours(taps_f64 *t)
{
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t e = t->start[i] + 1; e < t->start[i + 1]; e++)
            if (t->at[e] == t->at[e - 1]) {
                t->weight[e] += t->weight[e - 1];
                t->weight[e - 1] = 0;
            }
}

static bool fix(fixed *f, const kt__along *a)
{
    if (!taps_make_f64(&f->t, a))
        return false;
    join_neighbours(&f->t);
    const int64_t entries = f->t.start[f->t.n];
    double        largest = 0;
    for (int64_t e = 0; e < entries; e++)
        largest = fmax(largest, f->t.weight[e]);
    f->bits = bits_behind_point(largest);
    f->weight = (int32_t *)(void *)f->t.weight;
    for (int64_t e = 0; e < entries; e++) { /* in place: an integer is narrower than what is read next */
        const int32_t w = (int32_t)lround(ldexp(f->t.weight[e], f->bits));
        memcpy(f->weight + e, &w, sizeof w);
    }
    return true;
}

static uint8_t rounded(int32_t sum, int bits)
{
    const int32_t v = sum >> bits;
    return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/* ---- a plane: rows become as wide as the result's, then as many ---- */

static void widen_row(uint8_t *to, const char *from, int64_t step, const fixed *f)
{
    const int32_t half = f->bits ? 1 << (f->bits - 1) : 0;
    for (int64_t i = 0; i < f->t.n; i++) {
        int32_t sum = half;
        for (int64_t e = f->t.start[i]; e < f->t.start[i + 1]; e++)
            sum += f->weight[e] * *(const uint8_t *)(from + f->t.at[e] * step);
        to[i] = rounded(sum, f->bits);
    }
}

static void sum_rows(int32_t *sums, char *to, int64_t step, const uint8_t *rows, int64_t i, int64_t width, const fixed *f)
{
    for (int64_t x = 0; x < width; x++)
        sums[x] = f->bits ? 1 << (f->bits - 1) : 0;
    for (int64_t e = f->t.start[i]; e < f->t.start[i + 1]; e++) {
        const uint8_t *row = rows + f->t.at[e] * width;
        const int32_t  w = f->weight[e];
        for (int64_t x = 0; x < width; x++)
            sums[x] += w * row[x];
    }
    for (int64_t x = 0; x < width; x++)
        *(uint8_t *)(to + x * step) = rounded(sums[x], f->bits);
}

static void sum_planes(void *ctx, int64_t begin, int64_t end)
{
    summing             *s = ctx;
    const kt__image     *out = &s->r->out, *in = &s->r->in;
    const int64_t        width = out->size[2];
    size_t               granted;
    int32_t             *sums = kt__block_get((size_t)width * sizeof *sums + (size_t)(width * in->size[1]), &granted);
    if (!sums) {
        __atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
        return;
    }
    uint8_t *rows = (uint8_t *)(sums + width);
    for (int64_t i = begin; i < end; i++) {
        const int64_t n = i / out->channels, c = i % out->channels;
        const char   *from = in->x.data + n * in->by_batch + c * in->by_channel;
        char         *to = out->x.data + n * out->by_batch + c * out->by_channel;
        for (int64_t h = 0; h < in->size[1]; h++)
            widen_row(rows + h * width, from + h * in->step[1], in->step[2], &s->wide);
        for (int64_t h = 0; h < out->size[1]; h++)
            sum_rows(sums, to + h * out->step[1], out->step[2], rows, h, width, &s->high);
    }
    kt__block_put(sums, granted);
}

kt_status kt__resample_bytes(const kt__resizing *r)
{
    summing s = {.r = r};
    bool    made = fix(&s.wide, &r->along[2]) && fix(&s.high, &r->along[1]);
    if (made) {
        const int64_t work = r->out.size[2] * (r->in.size[1] * s.wide.t.most + r->out.size[1] * s.high.t.most);
        kt__parallel(r->out.batch * r->out.channels, GRAIN_SUMS / (work + 1) + 1, sum_planes, &s);
        made = !s.failed || !kt__fail_memory((size_t)(r->out.size[2] * r->in.size[1]));
    }
    taps_free_f64(&s.wide.t);
    taps_free_f64(&s.high.t);
    return made ? KT_OK : kt_error_status();
}
