/* resample.inc.c - images resized, in compute type T. A template: the names of T are those of types/.
 *
 * In: a kt__resizing. Out: its result. The rows that a row of results reads are summed first, with the weights of the outer dims,
 * into one row as wide as the input; then sums along it give the results. With channels inner, a row holds a block of channels
 * for each position. Independent of: dtypes, operators, what the weights mean. */
#include "base/alloc.h"
#include "base/thread.h"
#include "cpu/resample/taps.inc.c"

#ifndef RESAMPLE_FOR_ALL_TYPES
#define RESAMPLE_FOR_ALL_TYPES
enum { GRAIN_SUMS = 1 << 15, ROW_ROOM = 1 << 16 }; /* elements of a row, with its channels, if there are many */
#endif

typedef struct FN(resize) {
    const kt__resizing *r;
    FN(taps)            along[KT__SPACE_DIMS];
    /* The lists of the last dim, all as long as the longest: entry k of list i stands at [k][i]. What is missing reads the zero
     * behind the row. NULL: they would be too long. */
    int32_t *at;
    T       *weight;
    void    *made;
    size_t   granted;
    bool     padded;         /* something is missing */
    int64_t  block, blocks;  /* channels that go together; 1 with positions inner */
    bool     failed;
} FN(resize);

typedef struct FN(resize_work) { /* one thread's */
    const FN(resize) *j;
    FN(lens)          in, out;     /* along a row: positions or channels */
    int64_t           runs, run;   /* a row of the input is that many pieces, of that many elements, */
    ptrdiff_t         apart;       /* and they are so many bytes apart */
    T                *row;
    T                 x[TILE], y[TILE];
} FN(resize_work);

/* ---- sums of rows ---- */

static void FN(add_rows)(T *restrict v, const T *restrict x, const T *restrict y, T a, T b, int64_t n, bool begun)
{
    if (begun && y) {
        KT_EACH
        for (int64_t i = 0; i < n; i++)
            v[i] += a * x[i] + b * y[i];
    } else if (begun) {
        KT_EACH
        for (int64_t i = 0; i < n; i++)
            v[i] += a * x[i];
    } else if (y) {
        KT_EACH
        for (int64_t i = 0; i < n; i++)
            v[i] = a * x[i] + b * y[i];
    } else {
        KT_EACH
        for (int64_t i = 0; i < n; i++)
            v[i] = a * x[i];
    }
}

static const T *FN(part_of)(const FN(lens) *l, T *room, const char *at, int64_t n)
{
    if (l->direct)
        return (const T *)(const void *)at;
    FN(load_tile)(room, l, at, (int)n);
    return room;
}

/* One row, or two, with their weights. */
static void FN(sum_two)(FN(resize_work) *w, const char *x, const char *y, T a, T b, bool begun)
{
    for (int64_t run = 0; run < w->runs; run++)
        for (int64_t done = 0; done < w->run; done += TILE) {
            const int64_t   n = w->run - done < TILE ? w->run - done : TILE;
            const ptrdiff_t at = run * w->apart + done * w->in.step;
            FN(add_rows)(w->row + run * w->run + done, FN(part_of)(&w->in, w->x, x + at, n),
                         y ? FN(part_of)(&w->in, w->y, y + at, n) : NULL, a, b, n, begun);
        }
}

/* The rows that results at (d, h) read, of an image that begins at `from`, as one; an image that is not resized in these dims is
 * read where it lies. */
static const T *FN(sum_of_rows)(FN(resize_work) *w, const char *from, int64_t d, int64_t h)
{
    const FN(resize) *j = w->j;
    const kt__image  *in = &j->r->in;
    const FN(taps)   *deep = &j->along[0], *high = &j->along[1];
    const int64_t     d0 = deep->start[d], d1 = deep->start[d + 1], h0 = high->start[h], h1 = high->start[h + 1];
    bool              begun = false;
    if (d1 - d0 == 1 && h1 - h0 == 1 && deep->weight[d0] * high->weight[h0] == 1 && w->in.direct && w->runs == 1 && !j->padded)
        return (const T *)(const void *)(from + deep->at[d0] * in->step[0] + high->at[h0] * in->step[1]);
    for (int64_t e = d0; e < d1; e++)
        for (int64_t k = h0; k < h1; k += 2) {
            const char *plane = from + deep->at[e] * in->step[0], *x = plane + high->at[k] * in->step[1];
            const bool  two = k + 1 < h1;
            FN(sum_two)(w, x, two ? plane + high->at[k + 1] * in->step[1] : NULL, deep->weight[e] * high->weight[k],
                        two ? deep->weight[e] * high->weight[k + 1] : 0, begun);
            begun = true;
        }
    if (!begun)
        memset(w->row, 0, sizeof(T) * (size_t)(w->runs * w->run));
    w->row[w->runs * w->run] = 0;
    return w->row;
}

/* ---- sums along a row ---- */

static void FN(along_two)(T *restrict o, const T *restrict v, const int32_t *restrict at, const T *restrict weight, int64_t all,
                          int64_t n)
{
    int64_t i = 0;
    for (; i + FN(lanes) <= n; i += FN(lanes))
        FN(put_vec)(o + i, FN(vec_at)(weight + i) * FN(gather)(v, at + i) +
                               FN(vec_at)(weight + all + i) * FN(gather)(v, at + all + i));
    for (; i < n; i++)
        o[i] = weight[i] * v[at[i]] + weight[all + i] * v[at[all + i]];
}

static void FN(along_more)(T *restrict o, const T *restrict v, const int32_t *restrict at, const T *restrict weight, int64_t n)
{
    int64_t i = 0;
    for (; i + FN(lanes) <= n; i += FN(lanes))
        FN(put_vec)(o + i, FN(vec_at)(o + i) + FN(vec_at)(weight + i) * FN(gather)(v, at + i));
    for (; i < n; i++)
        o[i] += weight[i] * v[at[i]];
}

/* Results [first, first + n) of a row with positions inner. */
static void FN(along_row)(const FN(resize) *j, T *o, const T *v, int64_t first, int64_t n)
{
    const FN(taps) *t = &j->along[2];
    const int64_t   all = t->n;
    if (!j->at) {
        for (int64_t i = 0; i < n; i++) {
            T sum = 0;
            for (int64_t e = t->start[first + i]; e < t->start[first + i + 1]; e++)
                sum += t->weight[e] * v[t->at[e]];
            o[i] = sum;
        }
        return;
    }
    const int32_t *at = j->at + first;
    const T       *weight = j->weight + first;
    if (t->most == 1) {
        KT_EACH
        for (int64_t i = 0; i < n; i++)
            o[i] = weight[i] * v[at[i]];
        return;
    }
    FN(along_two)(o, v, at, weight, all, n);
    for (int64_t k = 2; k < t->most; k++)
        FN(along_more)(o, v, at + k * all, weight + k * all, n);
}

static void FN(row_of_positions)(FN(resize_work) *w, const T *v, char *to)
{
    const int64_t width = w->j->r->out.size[2];
    if (w->out.direct) {
        FN(along_row)(w->j, (T *)(void *)to, v, 0, width);
        return;
    }
    for (int64_t i = 0; i < width; i += TILE) {
        const int64_t n = width - i < TILE ? width - i : TILE;
        FN(along_row)(w->j, w->x, v, i, n);
        FN(store_tile)(to + i * w->out.step, &w->out, w->x, (int)n);
    }
}

/* With channels inner: count of them. */
static void FN(row_of_channels)(FN(resize_work) *w, const T *v, char *to, int64_t count)
{
    const FN(taps)  *t = &w->j->along[2];
    const kt__image *out = &w->j->r->out;
    for (int64_t i = 0; i < t->n; i++) {
        char *place = to + i * out->step[2];
        T    *sums = w->out.direct ? (T *)(void *)place : w->x;
        bool  begun = false;
        for (int64_t e = t->start[i]; e < t->start[i + 1]; e += 2) {
            const bool two = e + 1 < t->start[i + 1];
            FN(add_rows)(sums, v + t->at[e] * count, two ? v + t->at[e + 1] * count : NULL, t->weight[e],
                         two ? t->weight[e + 1] : 0, count, begun);
            begun = true;
        }
        if (!begun)
            memset(sums, 0, sizeof(T) * (size_t)count);
        if (!w->out.direct)
            FN(store_tile)(place, &w->out, w->x, (int)count);
    }
}

/* ---- work: rows of results ---- */

static void FN(resize_row)(FN(resize_work) *w, int64_t i)
{
    const FN(resize) *j = w->j;
    const kt__image  *in = &j->r->in, *out = &j->r->out;
    const int64_t     h = i % out->size[1], plane = i / out->size[1], d = plane % out->size[0], blocks = plane / out->size[0];
    const int64_t     n = blocks / j->blocks, first = blocks % j->blocks * j->block;
    const int64_t     count = out->channels - first < j->block ? out->channels - first : j->block;
    const bool        one_run = !j->r->channels_inner || (count == in->channels && in->step[2] == count * w->in.step);
    w->runs = one_run ? 1 : in->size[2];
    w->run = one_run ? in->size[2] * count : count;
    w->apart = in->step[2];
    const T *v = FN(sum_of_rows)(w, in->x.data + n * in->by_batch + first * in->by_channel, d, h);
    char    *to = out->x.data + n * out->by_batch + first * out->by_channel + d * out->step[0] + h * out->step[1];
    if (j->r->channels_inner)
        FN(row_of_channels)(w, v, to, count);
    else
        FN(row_of_positions)(w, v, to);
}

static void FN(resize_rows)(void *ctx, int64_t begin, int64_t end)
{
    FN(resize)       *j = ctx;
    const kt__image  *in = &j->r->in, *out = &j->r->out;
    const bool        inner = j->r->channels_inner;
    size_t            granted;
    FN(resize_work)  *w = kt__block_get(sizeof *w + sizeof(T) * (size_t)(in->size[2] * j->block + 1), &granted);
    if (!w) {
        __atomic_store_n(&j->failed, true, __ATOMIC_RELAXED);
        return;
    }
    w->j = j;
    w->row = (T *)(void *)(w + 1);
    w->in = FN(lens_of)(&in->x, inner ? in->by_channel : in->step[2]);
    w->out = FN(lens_of)(&out->x, inner ? out->by_channel : out->step[2]);
    for (int64_t i = begin; i < end; i++)
        FN(resize_row)(w, i);
    kt__block_put(w, granted);
}

/* Lists of one length, for vectors; without them if that would be much longer than the lists are. */
static bool FN(lengthen)(FN(resize) *j)
{
    const FN(taps) *t = &j->along[2];
    const int64_t   row = j->r->in.size[2], entries = t->start[t->n], all = t->n * t->most;
    if (j->r->channels_inner || row >= INT32_MAX || all > 4 * entries + 1024 || t->most == 0)
        return true;
    const size_t bytes = (sizeof(T) + sizeof(int32_t)) * (size_t)all;
    j->made = kt__block_get(bytes, &j->granted);
    if (!j->made)
        return !kt__fail_memory(bytes);
    j->weight = j->made;
    j->at = (int32_t *)(void *)(j->weight + all);
    j->padded = all > entries;
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t k = 0; k < t->most; k++) {
            const int64_t e = t->start[i] + k;
            const bool    there = e < t->start[i + 1];
            j->at[k * t->n + i] = there ? (int32_t)t->at[e] : (int32_t)row;
            j->weight[k * t->n + i] = there ? t->weight[e] : 0;
        }
    return true;
}

static kt_status FN(resize_image)(const kt__resizing *r)
{
    const kt__image *in = &r->in, *out = &r->out;
    FN(resize)       j = {.r = r, .block = 1};
    bool             made = true;
    if (r->channels_inner) {
        j.block = ROW_ROOM / in->size[2] < 16 ? 16 : ROW_ROOM / in->size[2];
        j.block = j.block < TILE ? j.block : TILE;
        j.block = j.block < out->channels ? j.block : out->channels;
    }
    j.blocks = (out->channels + j.block - 1) / j.block;
    for (int d = 0; d < KT__SPACE_DIMS && made; d++)
        made = FN(taps_make)(&j.along[d], &r->along[d]);
    made = made && FN(lengthen)(&j);
    if (made) {
        const int64_t rows = out->batch * j.blocks * out->size[0] * out->size[1];
        const int64_t work = j.block * (in->size[2] * j.along[0].most * j.along[1].most + out->size[2] * j.along[2].most);
        kt__parallel(rows, GRAIN_SUMS / (work + 1) + 1, FN(resize_rows), &j);
        made = !j.failed || !kt__fail_memory(sizeof(T) * (size_t)(in->size[2] * j.block));
    }
    for (int d = 0; d < KT__SPACE_DIMS; d++)
        FN(taps_free)(&j.along[d]);
    if (j.made)
        kt__block_put(j.made, j.granted);
    return made ? KT_OK : kt_error_status();
}
