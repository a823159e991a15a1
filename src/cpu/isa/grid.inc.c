/* grid.inc.c - images sampled at the places of a grid, in compute type T, and what flows back. A template: the names of T are
 * those of types/.
 *
 * In: a kt__sampling. Out: the samples, or what flows back to image and grid. For a block of places the elements that are read
 * and their weights are computed once for each dim, then used for all channels. An element beyond the image has the place -1
 * and counts as zero. Independent of: dtypes, operators. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/resample/grid.h"
#include "math/grid.inc.c"

#include <string.h>

#ifndef GRID_FOR_ALL_TYPES
#define GRID_FOR_ALL_TYPES
enum { PLACES = 1024, TAPS = 4, LINES = 4, CHANNELS_TOGETHER = 16, GRAIN_SAMPLES = 1 << 13 };
#endif

typedef struct FN(grid_dim) { /* one dim of a block of places */
    int32_t at[TAPS][PLACES]; /* elements from the beginning of the plane, or -1 */
    T       weight[TAPS][PLACES], slope[TAPS][PLACES]; /* slope: of the weight by the coordinate in the grid */
} FN(grid_dim);

typedef struct FN(grid_work) { /* one thread's */
    kt__sampling *s;
    int           taps, lines;       /* elements that are read in each dim; lines of them: in the dims but the last */
    bool          back;              /* slopes are wanted */
    int64_t       step[KT__SPACE_DIMS]; /* of the plane that is read, in elements */
    FN(grid_dim)  dim[KT__SPACE_DIMS];
    /* of each line: where it begins, its weight, and the slopes of that by the outer dims */
    int32_t       line_at[LINES][PLACES];
    T             line_weight[LINES][PLACES], line_slope[2][LINES][PLACES];
    T             coordinate[PLACES], slope[PLACES], sum[PLACES], sloped[PLACES], tile[PLACES], flow[PLACES];
    T             room[TILE];
} FN(grid_work);

/* ---- positions [first, first + n) of an operand that has the grid's dims in space ---- */

/* How many from `first` on lie one step apart. */
static int64_t FN(grid_run)(const int64_t *size, const int64_t *step, int64_t first, int64_t n)
{
    const bool flat = (size[1] == 1 || step[1] == size[2] * step[2]) && (size[0] == 1 || step[0] == size[1] * size[2] * step[2]);
    const int64_t rest = flat ? n : size[2] - first % size[2], run = n < rest ? n : rest;
    return run < TILE ? run : TILE;
}

static ptrdiff_t FN(grid_place)(const int64_t *size, const int64_t *step, int64_t i)
{
    return i / size[2] / size[1] * step[0] + i / size[2] % size[1] * step[1] + i % size[2] * step[2];
}

static void FN(grid_load)(T *to, const kt_operand *x, const char *from, const int64_t *size, const int64_t *step, int64_t first,
                          int64_t n)
{
    const FN(lens) l = FN(lens_of)(x, step[2]);
    for (int64_t done = 0, run; done < n; done += run) {
        run = FN(grid_run)(size, step, first + done, n - done);
        FN(load_tile)(to + done, &l, from + FN(grid_place)(size, step, first + done), (int)run);
    }
}

static void FN(grid_store)(T *from, const kt_operand *x, char *to, const int64_t *size, const int64_t *step, int64_t first,
                           int64_t n)
{
    const FN(lens) l = FN(lens_of)(x, step[2]);
    for (int64_t done = 0, run; done < n; done += run) {
        run = FN(grid_run)(size, step, first + done, n - done);
        FN(store_tile)(to + FN(grid_place)(size, step, first + done), &l, from + done, (int)run);
    }
}

/* ---- coordinates ---- */

/* The grid's dtype is narrower than T: places and cubic weights are then rounded to it step by step, as in PyTorch, because the
 * rounding decides which elements are read. Sums are computed in T. */
KT_ALWAYS bool FN(grid_is_narrow)(const FN(grid_work) *w) { return w->s->grid.x.as != SELF; }

static void FN(grid_round)(const FN(grid_work) *w, T *x, int64_t n)
{
    const uint8_t  dtype = w->s->grid.x.as;
    const FN(lens) l = {kt__dtype_rows[dtype].size, dtype, dtype, 0, false, false};
    char           raw[TILE * sizeof(T)];
    for (int64_t done = 0; done < n; done += TILE) {
        const int m = n - done < TILE ? (int)(n - done) : TILE;
        FN(store_tile)(raw, &l, x + done, m);
        FN(load_tile)(x + done, &l, raw, m);
    }
}

/* x = x * by + plus, of floats that are narrower than T. */
static void FN(grid_step)(const FN(grid_work) *w, T *x, const T *by, T plus, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] *= by[i];
    FN(grid_round)(w, x, n);
    if (plus == 0)
        return;
    for (int64_t i = 0; i < n; i++)
        x[i] += plus;
    FN(grid_round)(w, x, n);
}

/* From [-1, 1] to elements; the slope of that. */
static void FN(grid_places)(FN(grid_work) *w, int64_t size, int64_t n)
{
    const bool align = w->s->align;
    const T    half = (T)(align ? size - 1 : size) / 2, shift = align ? 0 : (T)0.5;
    T         *x = w->coordinate, *slope = w->slope;
    for (int64_t i = 0; i < n; i++)
        slope[i] = half;
    if (FN(grid_is_narrow)(w)) {
        FN(grid_round)(w, slope, n);
        for (int64_t i = 0; i < n; i++)
            x[i] += 1;
        FN(grid_round)(w, x, n);
        FN(grid_step)(w, x, slope, -shift, n);
    } else if (w->s->dims == 2) { /* as PyTorch's kernels do: in one rounding; the nearest element depends on it */
        KT_EACH
        for (int64_t i = 0; i < n; i++)
            x[i] = FN(fma)(x[i] + 1, half, -shift);
    } else {
        KT_EACH
        for (int64_t i = 0; i < n; i++)
            x[i] = (x[i] + 1) * half - shift;
    }
}

static void FN(grid_reflect)(const FN(grid_work) *w, T *x, T *slope, T size, int64_t n)
{
    const bool align = w->s->align;
    T          low = align ? 0 : (T)-0.5, span = align ? size - 1 : size;
    if (!FN(grid_is_narrow)(w)) {
        KT_EACH
        for (int64_t i = 0; i < n; i++)
            x[i] = FN(reflected)(x[i], size, align, &slope[i]);
        return;
    }
    FN(grid_round)(w, &span, 1);
    for (int64_t i = 0; i < n; i++)
        x[i] -= low;
    FN(grid_round)(w, x, n);
    for (int64_t i = 0; i < n; i++)
        x[i] = FN(reflected)(x[i], span + 1, true, &slope[i]);
    FN(grid_round)(w, x, n);
    for (int64_t i = 0; i < n; i++)
        x[i] += low;
    FN(grid_round)(w, x, n);
}

static void FN(grid_coordinates)(FN(grid_work) *w, int64_t size, int64_t n)
{
    const kt__sampling *s = w->s;
    const T             last = (T)(size - 1);
    const bool          volume = s->dims == 3;
    T                  *x = w->coordinate, *slope = w->slope;
    FN(grid_places)(w, size, n);
    if (s->mode == KT__GRID_CUBIC)
        return;
    if (s->padding == KT__GRID_ZEROS) {
        for (int64_t i = 0; i < n && volume; i++)
            x[i] = FN(seen)(x[i], (T)size);
        return;
    }
    if (s->padding == KT__GRID_REFLECTION)
        FN(grid_reflect)(w, x, slope, (T)size, n);
    for (int64_t i = 0; i < n && volume; i++) /* PyTorch takes NaN for the end of a volume, for the beginning of an image */
        x[i] = x[i] == x[i] ? x[i] : last;
    KT_EACH
    for (int64_t i = 0; i < n; i++)
        x[i] = FN(clipped)(x[i], last, &slope[i]);
}

/* ---- elements and weights in one dim ---- */

static void FN(grid_taps_at)(int32_t *at, const T *x, T beside, T size, int32_t step, int64_t n)
{
    KT_EACH
    for (int64_t i = 0; i < n; i++) {
        const T    place = x[i] + beside;
        const bool inside = place >= 0 && place < size;
        at[i] = inside ? (int32_t)(inside ? place : 0) * step : -1;
    }
}

static void FN(grid_nearest)(FN(grid_work) *w, FN(grid_dim) *d, T size, int32_t step, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        w->coordinate[i] = MATH(rint)(w->coordinate[i]);
        d->weight[0][i] = 1;
        d->slope[0][i] = 0;
    }
    FN(grid_taps_at)(d->at[0], w->coordinate, 0, size, step, n);
}

static void FN(grid_linear)(FN(grid_work) *w, FN(grid_dim) *d, T size, int32_t step, int64_t n)
{
    T *x = w->coordinate;
    KT_EACH
    for (int64_t i = 0; i < n; i++) {
        const T first = MATH(floor)(x[i]), part = x[i] - first;
        x[i] = first;
        d->weight[0][i] = 1 - part;
        d->weight[1][i] = part;
        d->slope[0][i] = -w->slope[i];
        d->slope[1][i] = w->slope[i];
    }
    FN(grid_taps_at)(d->at[0], x, 0, size, step, n);
    FN(grid_taps_at)(d->at[1], x, 1, size, step, n);
}

/* The weights of distances w->tile of floats that are narrower than T, where terms cancel: by Horner's scheme. */
static void FN(grid_cubic_steps)(FN(grid_work) *w, T *weight, const T factor[4], int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        weight[i] = factor[0];
    for (int k = 1; k < 4; k++)
        FN(grid_step)(w, weight, w->tile, factor[k], n);
}

static void FN(grid_cubic_narrow)(FN(grid_work) *w, FN(grid_dim) *d, const T *part, int64_t n)
{
    static const T near[] = {(T)1.25, (T)-2.25, 0, 1}, far[] = {(T)-0.75, (T)3.75, -6, 3};
    for (int right = 0; right < 2; right++) {
        for (int64_t i = 0; i < n; i++)
            w->tile[i] = right ? 1 - part[i] : part[i];
        FN(grid_round)(w, w->tile, n);
        FN(grid_cubic_steps)(w, d->weight[1 + right], near, n);
        for (int64_t i = 0; i < n; i++)
            w->tile[i] += 1;
        FN(grid_round)(w, w->tile, n);
        FN(grid_cubic_steps)(w, d->weight[3 * right], far, n);
    }
}

static void FN(grid_cubic)(FN(grid_work) *w, FN(grid_dim) *d, T size, int32_t step, int64_t n)
{
    const kt__sampling *s = w->s;
    T                  *x = w->coordinate;
    KT_EACH
    for (int64_t i = 0; i < n; i++) {
        const T first = MATH(floor)(x[i]), part = x[i] - first, slope = w->slope[i];
        x[i] = first;
        d->weight[0][i] = FN(cubic_far)(part + 1);
        d->weight[1][i] = FN(cubic_near)(part);
        d->weight[2][i] = FN(cubic_near)(1 - part);
        d->weight[3][i] = FN(cubic_far)(2 - part);
        d->slope[0][i] = slope * FN(cubic_far_slope)(part + 1);
        d->slope[1][i] = slope * FN(cubic_near_slope)(part);
        d->slope[2][i] = -slope * FN(cubic_near_slope)(1 - part);
        d->slope[3][i] = -slope * FN(cubic_far_slope)(2 - part);
        w->flow[i] = part;
    }
    if (FN(grid_is_narrow)(w))
        FN(grid_cubic_narrow)(w, d, w->flow, n);
    for (int k = 0; k < 4; k++) {
        if (s->padding == KT__GRID_ZEROS) {
            FN(grid_taps_at)(d->at[k], x, (T)(k - 1), size, step, n);
            continue;
        }
        for (int64_t i = 0; i < n; i++)
            w->tile[i] = x[i] + (T)(k - 1);
        if (s->padding == KT__GRID_REFLECTION)
            FN(grid_reflect)(w, w->tile, w->slope, size, n);
        for (int64_t i = 0; i < n; i++)
            w->tile[i] = FN(clipped)(w->tile[i], size - 1, &w->slope[i]);
        FN(grid_taps_at)(d->at[k], w->tile, 0, size, step, n);
    }
}

/* ---- a block of places ---- */

static void FN(grid_lines)(FN(grid_work) *w, int64_t n)
{
    const bool          flat = w->s->dims == 2;
    const int           deep = flat ? 1 : w->taps;
    const FN(grid_dim) *z = &w->dim[0], *y = &w->dim[1];
    for (int a = 0; a < deep; a++)
        for (int b = 0; b < w->taps; b++) {
            const int line = a * w->taps + b;
            if (flat) {
                memcpy(w->line_at[line], y->at[b], sizeof(int32_t) * (size_t)n);
                memcpy(w->line_weight[line], y->weight[b], sizeof(T) * (size_t)n);
                memcpy(w->line_slope[1][line], y->slope[b], sizeof(T) * (size_t)n);
                continue;
            }
            KT_EACH
            for (int64_t i = 0; i < n; i++) {
                w->line_at[line][i] = (z->at[a][i] | y->at[b][i]) < 0 ? -1 : z->at[a][i] + y->at[b][i];
                w->line_weight[line][i] = z->weight[a][i] * y->weight[b][i];
                w->line_slope[0][line][i] = z->slope[a][i] * y->weight[b][i];
                w->line_slope[1][line][i] = z->weight[a][i] * y->slope[b][i];
            }
        }
}

static void FN(grid_block)(FN(grid_work) *w, int64_t batch, int64_t first, int64_t n)
{
    const kt__sampling *s = w->s;
    for (int d = KT__SPACE_DIMS - s->dims; d < KT__SPACE_DIMS; d++) {
        const int64_t size = s->image.size[d];
        FN(grid_load)(w->coordinate, &s->grid.x, s->grid.x.data + batch * s->grid.by_batch + (2 - d) * s->grid.by_coordinate,
                      s->grid.size, s->grid.step, first, n);
        FN(grid_coordinates)(w, size, n);
        if (s->mode == KT__GRID_NEAREST)
            FN(grid_nearest)(w, &w->dim[d], (T)size, (int32_t)w->step[d], n);
        else if (s->mode == KT__GRID_LINEAR)
            FN(grid_linear)(w, &w->dim[d], (T)size, (int32_t)w->step[d], n);
        else
            FN(grid_cubic)(w, &w->dim[d], (T)size, (int32_t)w->step[d], n);
    }
    FN(grid_lines)(w, n);
}

/* ---- reading a line ---- */

/* One tap of the lists `at` and `weight` at place i: a vector of places, or one. */
#define TAP(k)     (FN(vec_at)(weight[k] + i) * FN(gather_or_zero)(x, line + i, at[k] + i))
#define ONE_TAP(k) (weight[k][i] * FN(read_or_zero)(x, line[i], at[k][i]))

/* Sums along a line that begins at line[i], by weights that are given for each tap. */
static void FN(grid_sums)(const FN(grid_work) *w, T *restrict sum, const T *restrict x, const int32_t *restrict line,
                          const T (*weight)[PLACES], int64_t n)
{
    const int32_t(*at)[PLACES] = w->dim[2].at;
    int64_t i = 0;
    if (w->taps == 1) {
        for (; i + FN(lanes) <= n; i += FN(lanes))
            FN(put_vec)(sum + i, TAP(0));
        for (; i < n; i++)
            sum[i] = ONE_TAP(0);
    } else if (w->taps == 2) {
        for (; i + FN(lanes) <= n; i += FN(lanes))
            FN(put_vec)(sum + i, TAP(0) + TAP(1));
        for (; i < n; i++)
            sum[i] = ONE_TAP(0) + ONE_TAP(1);
    } else {
        for (; i + FN(lanes) <= n; i += FN(lanes))
            FN(put_vec)(sum + i, TAP(0) + TAP(1) + TAP(2) + TAP(3));
        for (; i < n; i++)
            sum[i] = ONE_TAP(0) + ONE_TAP(1) + ONE_TAP(2) + ONE_TAP(3);
    }
}
#undef TAP
#undef ONE_TAP

static void FN(grid_samples)(FN(grid_work) *w, T *restrict to, const T *x, int64_t n)
{
    for (int line = 0; line < w->lines; line++) {
        const T *weight = w->line_weight[line], *sum = w->sum;
        FN(grid_sums)(w, w->sum, x, w->line_at[line], w->dim[2].weight, n);
        if (line == 0 && w->taps == 1) {
            memcpy(to, sum, sizeof(T) * (size_t)n);
            continue;
        }
        KT_EACH
        for (int64_t i = 0; i < n; i++)
            to[i] = line == 0 ? weight[i] * sum[i] : to[i] + weight[i] * sum[i];
    }
}

/* ---- planes ---- */

/* Can its elements be read where they are, by numbers of 32 bits? */
static bool FN(grid_direct)(const kt__image *i)
{
    const int64_t width = (int64_t)sizeof(T);
    int64_t       reach = 0;
    bool          whole = i->x.is == SELF && i->x.as == SELF && !i->x.bits;
    for (int d = 0; d < KT__SPACE_DIMS; d++) {
        const int64_t steps = i->step[d] / width;
        whole = whole && i->step[d] >= 0 && i->step[d] % width == 0 && steps < INT32_MAX && i->size[d] < INT32_MAX;
        reach = whole ? reach + steps * (i->size[d] - 1) : 0;
        whole = whole && reach < INT32_MAX;
    }
    return whole;
}

static void FN(grid_steps)(FN(grid_work) *w, const kt__image *i, bool direct)
{
    for (int d = 0; d < KT__SPACE_DIMS; d++)
        w->step[d] = direct ? i->step[d] / (int64_t)sizeof(T) : d == 2 ? 1 : d == 1 ? i->size[2] : i->size[1] * i->size[2];
}

static char *FN(grid_plane)(const kt__image *i, int64_t n, int64_t c) { return i->x.data + n * i->by_batch + c * i->by_channel; }

static FN(grid_work) *FN(grid_begin)(kt__sampling *s, bool back, int64_t more, size_t *granted)
{
    FN(grid_work) *w = kt__block_get(sizeof *w + sizeof(T) * (size_t)more, granted);
    if (!w) {
        __atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
        return NULL;
    }
    w->s = s;
    w->back = back;
    w->taps = s->mode == KT__GRID_NEAREST ? 1 : s->mode == KT__GRID_LINEAR ? 2 : 4;
    w->lines = s->dims == 3 ? w->taps * w->taps : w->taps;
    return w;
}

static int64_t FN(grid_rest)(const kt__sampling *s, int64_t first)
{
    return s->positions - first < PLACES ? s->positions - first : PLACES;
}

/* ---- samples ---- */

static void FN(grid_write)(FN(grid_work) *w, const T *x, int64_t n, int64_t c, int64_t first, int64_t count)
{
    const kt__image *o = &w->s->samples;
    FN(grid_samples)(w, w->tile, x, count);
    FN(grid_store)(w->tile, &o->x, FN(grid_plane)(o, n, c), o->size, o->step, first, count);
}

static void FN(sample_blocks)(void *ctx, int64_t begin, int64_t end)
{
    kt__sampling  *s = ctx;
    const int64_t  blocks = (s->positions + PLACES - 1) / PLACES;
    size_t         granted;
    FN(grid_work) *w = FN(grid_begin)(s, false, 0, &granted);
    if (!w)
        return;
    FN(grid_steps)(w, &s->image, true);
    for (int64_t i = begin; i < end; i++) {
        const int64_t n = i / blocks, first = i % blocks * PLACES, count = FN(grid_rest)(s, first);
        FN(grid_block)(w, n, first, count);
        for (int64_t c = 0; c < s->image.channels; c++)
            FN(grid_write)(w, (const T *)(const void *)FN(grid_plane)(&s->image, n, c), n, c, first, count);
    }
    kt__block_put(w, granted);
}

static void FN(sample_planes)(void *ctx, int64_t begin, int64_t end) /* each is converted first */
{
    kt__sampling    *s = ctx;
    const kt__image *x = &s->image;
    const int64_t    volume = kt__volume(x->size);
    size_t           granted;
    FN(grid_work)   *w = FN(grid_begin)(s, false, volume, &granted);
    if (!w)
        return;
    T *plane = (T *)(void *)(w + 1);
    FN(grid_steps)(w, x, false);
    for (int64_t i = begin; i < end; i++) {
        const int64_t n = i / x->channels, c = i % x->channels;
        FN(grid_load)(plane, &x->x, FN(grid_plane)(x, n, c), x->size, x->step, 0, volume);
        for (int64_t first = 0; first < s->positions; first += PLACES) {
            const int64_t count = FN(grid_rest)(s, first);
            FN(grid_block)(w, n, first, count);
            FN(grid_write)(w, plane, n, c, first, count);
        }
    }
    kt__block_put(w, granted);
}

static kt_status FN(grid_done)(const kt__sampling *s)
{
    return s->failed ? kt__fail_memory(sizeof(FN(grid_work))) : KT_OK;
}

static kt_status FN(grid_too_large)(void)
{
    return kt_fail(KT_ERR_RUNTIME, "grid_sampler(): a channel of the input has more than %d elements", INT32_MAX - 1);
}

static kt_status FN(sample)(const kt_plan *plan)
{
    kt__sampling  s = kt__sampling_of(plan);
    const int64_t blocks = (s.positions + PLACES - 1) / PLACES, channels = s.image.channels;
    if (kt__volume(s.image.size) >= INT32_MAX)
        return FN(grid_too_large)();
    if (FN(grid_direct)(&s.image))
        kt__parallel(s.image.batch * blocks, GRAIN_SAMPLES / (PLACES * channels + 1) + 1, FN(sample_blocks), &s);
    else
        kt__parallel(s.image.batch * channels, GRAIN_SAMPLES / (s.positions + 1) + 1, FN(sample_planes), &s);
    return FN(grid_done)(&s);
}

/* ---- back to the image: planes, to which one thread adds in the order of the places ---- */

static void FN(grid_scatter)(const FN(grid_work) *w, T *plane, const T *flow, int64_t n)
{
    const FN(grid_dim) *d = &w->dim[2];
    for (int64_t i = 0; i < n; i++)
        for (int line = 0; line < w->lines; line++) {
            const int32_t begin = w->line_at[line][i];
            const T       weight = flow[i] * w->line_weight[line][i];
            for (int k = 0; k < w->taps && begin >= 0; k++)
                if (d->at[k][i] >= 0)
                    plane[begin + d->at[k][i]] += weight * d->weight[k][i];
        }
}

static void FN(grid_to_image)(void *ctx, int64_t begin, int64_t end)
{
    kt__sampling    *s = ctx;
    const kt__image *to = &s->to_image, *g = &s->samples;
    const bool       direct = to->x.is == SELF && FN(grid_direct)(to);
    const int64_t    volume = kt__volume(to->size), block = direct ? CHANNELS_TOGETHER : 1;
    const int64_t    blocks = (to->channels + block - 1) / block;
    size_t           granted;
    FN(grid_work)   *w = FN(grid_begin)(s, true, direct ? 0 : volume, &granted);
    if (!w)
        return;
    FN(grid_steps)(w, to, false); /* new memory is dense */
    for (int64_t i = begin; i < end; i++) {
        const int64_t n = i / blocks, c0 = i % blocks * block, c1 = c0 + block < to->channels ? c0 + block : to->channels;
        T            *own = (T *)(void *)(w + 1);
        for (int64_t c = c0; c < c1; c++)
            memset(direct ? FN(grid_plane)(to, n, c) : (char *)own, 0, sizeof(T) * (size_t)volume);
        for (int64_t first = 0; first < s->positions; first += PLACES) {
            const int64_t count = FN(grid_rest)(s, first);
            FN(grid_block)(w, n, first, count);
            for (int64_t c = c0; c < c1; c++) {
                FN(grid_load)(w->flow, &g->x, FN(grid_plane)(g, n, c), g->size, g->step, first, count);
                FN(grid_scatter)(w, direct ? (T *)(void *)FN(grid_plane)(to, n, c) : own, w->flow, count);
            }
        }
        if (!direct)
            FN(grid_store)(own, &to->x, FN(grid_plane)(to, n, c0), to->size, to->step, 0, volume);
    }
    kt__block_put(w, granted);
}

/* ---- back to the grid: sums over the channels ---- */

/* Adds what channel x gives to the coordinates of a block; `to` has PLACES numbers for each dim. */
static void FN(grid_slopes)(FN(grid_work) *w, T (*to)[PLACES], const T *x, int64_t n)
{
    const T *flow = w->flow, *sum = w->sum, *sloped = w->sloped;
    for (int line = 0; line < w->lines; line++) {
        const T *weight = w->line_weight[line], *by_z = w->line_slope[0][line], *by_y = w->line_slope[1][line];
        FN(grid_sums)(w, w->sum, x, w->line_at[line], w->dim[2].weight, n);
        FN(grid_sums)(w, w->sloped, x, w->line_at[line], w->dim[2].slope, n);
        KT_EACH
        for (int64_t i = 0; i < n; i++) {
            to[0][i] += flow[i] * (weight[i] * sloped[i]);
            to[1][i] += flow[i] * (by_y[i] * sum[i]);
        }
        if (w->s->dims == 3) {
            KT_EACH
            for (int64_t i = 0; i < n; i++)
                to[2][i] += flow[i] * (by_z[i] * sum[i]);
        }
    }
}

static void FN(grid_store_slopes)(FN(grid_work) *w, T (*from)[PLACES], int64_t n, int64_t first, int64_t count)
{
    const kt__grid *to = &w->s->to_grid;
    for (int d = 0; d < w->s->dims; d++)
        FN(grid_store)(from[d], &to->x, to->x.data + n * to->by_batch + d * to->by_coordinate, to->size, to->step, first, count);
}

static void FN(grid_to_grid)(void *ctx, int64_t begin, int64_t end)
{
    kt__sampling    *s = ctx;
    const kt__image *x = &s->image, *g = &s->samples;
    const int64_t    blocks = (s->positions + PLACES - 1) / PLACES;
    size_t           granted;
    FN(grid_work)   *w = FN(grid_begin)(s, true, KT__SPACE_DIMS * PLACES, &granted);
    if (!w)
        return;
    T (*sums)[PLACES] = (T(*)[PLACES])(void *)(w + 1);
    FN(grid_steps)(w, x, true);
    for (int64_t i = begin; i < end; i++) {
        const int64_t n = i / blocks, first = i % blocks * PLACES, count = FN(grid_rest)(s, first);
        memset(sums, 0, sizeof(T) * KT__SPACE_DIMS * PLACES);
        FN(grid_block)(w, n, first, count);
        for (int64_t c = 0; c < x->channels && w->taps > 1; c++) {
            FN(grid_load)(w->flow, &g->x, FN(grid_plane)(g, n, c), g->size, g->step, first, count);
            FN(grid_slopes)(w, sums, (const T *)(const void *)FN(grid_plane)(x, n, c), count);
        }
        FN(grid_store_slopes)(w, sums, n, first, count);
    }
    kt__block_put(w, granted);
}

static void FN(grid_to_grid_by_planes)(void *ctx, int64_t begin, int64_t end) /* images, whose planes are converted */
{
    kt__sampling    *s = ctx;
    const kt__image *x = &s->image, *g = &s->samples;
    const int64_t    volume = kt__volume(x->size), blocks = (s->positions + PLACES - 1) / PLACES;
    size_t           granted;
    FN(grid_work)   *w = FN(grid_begin)(s, true, volume + blocks * KT__SPACE_DIMS * PLACES, &granted);
    if (!w)
        return;
    T *plane = (T *)(void *)(w + 1);
    T (*sums)[PLACES] = (T(*)[PLACES])(void *)(plane + volume);
    FN(grid_steps)(w, x, false);
    for (int64_t n = begin; n < end; n++) {
        memset(sums, 0, sizeof(T) * (size_t)(blocks * KT__SPACE_DIMS * PLACES));
        for (int64_t c = 0; c < x->channels && w->taps > 1; c++) {
            FN(grid_load)(plane, &x->x, FN(grid_plane)(x, n, c), x->size, x->step, 0, volume);
            for (int64_t b = 0; b < blocks; b++) {
                const int64_t count = FN(grid_rest)(s, b * PLACES);
                FN(grid_block)(w, n, b * PLACES, count);
                FN(grid_load)(w->flow, &g->x, FN(grid_plane)(g, n, c), g->size, g->step, b * PLACES, count);
                FN(grid_slopes)(w, sums + b * KT__SPACE_DIMS, plane, count);
            }
        }
        for (int64_t b = 0; b < blocks; b++)
            FN(grid_store_slopes)(w, sums + b * KT__SPACE_DIMS, n, b * PLACES, FN(grid_rest)(s, b * PLACES));
    }
    kt__block_put(w, granted);
}

static kt_status FN(sample_back)(const kt_plan *plan)
{
    kt__sampling  s = kt__sampling_of(plan);
    const int64_t blocks = (s.positions + PLACES - 1) / PLACES, channels = s.image.channels;
    if (kt__volume(s.image.size) >= INT32_MAX)
        return FN(grid_too_large)();
    if (s.to_image.x.data) {
        const int64_t together = s.to_image.x.is == SELF ? CHANNELS_TOGETHER : 1;
        kt__parallel(s.image.batch * ((channels + together - 1) / together), GRAIN_SAMPLES / (s.positions * together + 1) + 1,
                     FN(grid_to_image), &s);
    }
    if (s.to_grid.x.data && FN(grid_direct)(&s.image))
        kt__parallel(s.image.batch * blocks, GRAIN_SAMPLES / (PLACES * channels + 1) + 1, FN(grid_to_grid), &s);
    else if (s.to_grid.x.data)
        kt__parallel(s.image.batch, GRAIN_SAMPLES / (s.positions * channels + 1) + 1, FN(grid_to_grid_by_planes), &s);
    return FN(grid_done)(&s);
}
