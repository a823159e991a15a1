/* beside.c - convolutions whose groups have one channel each way (depthwise), of images whose channels lie side by side.
 *
 * In: a pass in float32 or narrower floats. Out: its results, or the sums of the weight's gradient. A position is made for all
 * channels at once: a list says which taps see the image from there, and what is beyond the image is left out. Rows of other
 * dtypes are converted into a buffer, one row of the window at a time. Independent of: threads; columns. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/window/pass.h"

#include <string.h>

typedef struct work {
    pass        *p;
    float       *weights; /* [taps, channels] */
    const float *bias;    /* NULL: none */
    int64_t      lines, line; /* rows of the image that a row of results sees; elements of one */
} work;

typedef struct room { /* of a thread */
    float        *seen, *row; /* lines of the image, a row of results: where their dtype is another */
    const float **from, **by; /* of a position: what its taps see, and their weights */
    const float **line;       /* what the window sees of each of its lines; NULL: nothing */
    float       **sums;
    void         *made;
    size_t        granted;
} room;

static bool plain_f32(const kt_operand *x) { return x->is == KT_F32 && x->as == KT_F32 && x->bits == 0; }

bool kt__fits_beside(const pass *p)
{
    const image *a = &p->from, *b = &p->to;
    const bool   single = p->rows == 1 && p->depth == 1 && p->groups > 1 && p->taps > 0,
                 dense = a->by_channel == kt__dtype_rows[a->x.is].size && b->by_channel == kt__dtype_rows[b->x.is].size;
    return p->build->beside->make && p->dtype == KT_F32 && single && dense && kt__channels_last(a) && kt__channels_last(b);
}

static work work_of(pass *p)
{
    return (work){.p = p, .lines = p->reach[0].taps * p->reach[1].taps, .line = p->from.size[2] * p->groups};
}

static bool room_get(room *r, const work *k, bool sums)
{
    const pass   *p = k->p;
    const int64_t seen = plain_f32(&p->from.x) ? 0 : k->lines * k->line,
                  row = plain_f32(&p->to.x) ? 0 : p->reach[2].count * p->groups,
                  total = sums ? p->taps * p->groups : 0, pointers = 3 * p->taps + k->lines;
    char         *at = r->made = kt__block_get((size_t)pointers * sizeof(float *) + (size_t)(seen + row + total) * sizeof(float),
                                               &r->granted);
    if (!at)
        return false;
    r->from = (const float **)(void *)at, r->by = r->from + p->taps, r->sums = (float **)(void *)(r->by + p->taps);
    r->line = (const float **)(void *)(r->sums + p->taps);
    float *const numbers = (float *)(void *)(r->line + k->lines);
    r->seen = seen ? numbers : NULL, r->row = row ? numbers + seen : NULL;
    for (int64_t t = 0; sums && t < p->taps; t++)
        r->sums[t] = numbers + seen + row + t * p->groups;
    return true;
}

/* The lines of image n that the row (z, y) of positions sees. */
static kt_status find_lines(const work *k, room *r, int64_t n, int64_t z, int64_t y)
{
    const pass   *p = k->p;
    const int64_t at[2] = {p->reach[0].from + p->reach[0].move * z, p->reach[1].from + p->reach[1].move * y};
    kt_status     status = KT_OK;
    for (int64_t l = 0; l < k->lines && !status; l++) {
        const int64_t i = at[0] + p->reach[0].by_tap * (l / p->reach[1].taps),
                      j = at[1] + p->reach[1].by_tap * (l % p->reach[1].taps);
        const bool    there = i >= 0 && i < p->from.size[0] && j >= 0 && j < p->from.size[1];
        kt_operand    source = p->from.x;
        source.data += there ? n * p->from.by_batch + i * p->from.step[0] + j * p->from.step[1] : 0;
        r->line[l] = !there ? NULL : r->seen ? r->seen + l * k->line : (const float *)(const void *)source.data;
        if (!there || !r->seen)
            continue;
        kt_operand target = computed(p, (const char *)r->line[l]);
        kt_plan    copy;
        copy_begin(&copy, &target, &source);
        copy_dim(&copy, p->from.size[2], p->groups * p->width, p->from.step[2]);
        copy_dim(&copy, p->groups, p->width, p->from.by_channel);
        status = kt__cpu_run_with(p->build, &copy);
    }
    return status;
}

/* What the taps see from position x of the row; how many see anything. */
static int64_t find_taps(const work *k, room *r, int64_t x, float **sums, float *const *all)
{
    const reach  *across = &k->p->reach[2];
    const int64_t step = r->seen ? k->p->groups : k->p->from.step[2] / (int64_t)sizeof(float),
                  first = across->from + across->move * x;
    int64_t       n = 0;
    for (int64_t l = 0; l < k->lines; l++)
        for (int64_t t = 0; r->line[l] && t < across->taps; t++) {
            const int64_t at = first + across->by_tap * t, tap = l * across->taps + t;
            if (at < 0 || at >= k->p->from.size[2])
                continue;
            r->from[n] = r->line[l] + at * step;
            if (all)
                sums[n++] = all[tap];
            else
                r->by[n++] = k->weights + tap * k->p->groups;
        }
    return n;
}

/* ---- results: batch times rows of positions ---- */

static kt_status make_row(const work *k, room *r, int64_t n, int64_t z, int64_t y)
{
    const pass *p = k->p;
    const box   b = {{z, y, 0}, {1, 1, p->reach[2].count}};
    int64_t     step[SPACE];
    char       *to = box_in_result(p, &b, n, 0, step);
    if (find_lines(k, r, n, z, y))
        return kt_error_status();
    for (int64_t x = 0; x < p->reach[2].count; x++) {
        const int64_t taps = find_taps(k, r, x, NULL, NULL);
        float *const  out = r->row ? r->row + x * p->groups : (float *)(void *)(to + x * step[2]);
        p->build->beside->make(out, k->bias, r->by, r->from, taps, p->groups);
    }
    if (!r->row)
        return KT_OK;
    kt_operand target = p->to.x, source = computed(p, (const char *)r->row);
    kt_plan    copy;
    target.data = to;
    copy_begin(&copy, &target, &source);
    copy_dim(&copy, p->reach[2].count, step[2], p->groups * p->width);
    copy_dim(&copy, p->groups, p->to.by_channel, p->width);
    return kt__cpu_run_with(p->build, &copy);
}

static void make_rows(void *ctx, int64_t begin, int64_t end)
{
    const work   *k = ctx;
    const int64_t high = k->p->reach[0].count, rows = k->p->reach[1].count;
    room          r;
    bool          ok = room_get(&r, k, false);
    for (int64_t i = begin; ok && i < end; i++)
        ok = make_row(k, &r, i / rows / high, i / rows % high, i % rows) == KT_OK;
    if (!ok)
        __atomic_store_n(&k->p->failed, true, __ATOMIC_RELAXED);
    kt__block_put(r.made, r.granted);
}

kt_status kt__run_beside(pass *p)
{
    work          k = work_of(p);
    const int64_t items = p->to.batch * p->reach[0].count * p->reach[1].count, numbers = p->taps * p->groups;
    const size_t  bytes = (size_t)(numbers + (p->bias.data ? p->groups : 0)) * sizeof(float);
    size_t        granted;
    kt_status     status = KT_OK;
    if (!(k.weights = kt__block_get(bytes, &granted)))
        return kt__fail_memory(bytes);
    for (int64_t g = 0; g < p->groups; g++)
        for (int64_t t = 0; t < p->taps; t++)
            k.weights[t * p->groups + g] = ((const float *)(const void *)(p->weights + g * p->by_group))[t];
    if (p->bias.data) {
        kt_operand target = computed(p, (const char *)(k.weights + numbers)), source = p->bias;
        kt_plan    copy;
        k.bias = k.weights + numbers;
        copy_begin(&copy, &target, &source);
        copy_dim(&copy, p->groups, p->width, p->by_bias);
        status = kt__cpu_run_with(p->build, &copy);
    }
    if (!status && items > 0)
        kt__parallel(items, (1 << 16) / (numbers * p->reach[2].count + 1) + 1, make_rows, &k);
    kt__block_put(k.weights, granted);
    return p->failed ? kt__fail_memory(bytes) : status;
}

/* ---- the weight: parts of the batch ---- */

static kt_status sum_row(const work *k, room *r, int64_t n, int64_t z, int64_t y, float **sums)
{
    const pass *p = k->p;
    const box   b = {{z, y, 0}, {1, 1, p->reach[2].count}};
    int64_t     step[SPACE];
    kt_operand  source = p->to.x;
    source.data = box_in_result(p, &b, n, 0, step);
    if (find_lines(k, r, n, z, y))
        return kt_error_status();
    if (r->row) {
        kt_operand target = computed(p, (const char *)r->row);
        kt_plan    copy;
        copy_begin(&copy, &target, &source);
        copy_dim(&copy, p->reach[2].count, p->groups * p->width, step[2]);
        copy_dim(&copy, p->groups, p->width, p->to.by_channel);
        if (kt__cpu_run_with(p->build, &copy))
            return kt_error_status();
    }
    for (int64_t x = 0; x < p->reach[2].count; x++) {
        const int64_t taps = find_taps(k, r, x, sums, r->sums);
        const float  *back = r->row ? r->row + x * p->groups : (const float *)(const void *)(source.data + x * step[2]);
        p->build->beside->add(sums, back, r->from, taps, p->groups);
    }
    return KT_OK;
}

static bool sum_part(const work *k, room *r, int64_t part)
{
    const pass   *p = k->p;
    const int64_t first = p->to.batch * part / p->parts, end = p->to.batch * (part + 1) / p->parts, taps = p->taps;
    float *const  to = (float *)(void *)p->sums + part * p->groups * taps, **const sums = (float **)(void *)r->by;
    bool          ok = true;
    memset(r->sums[0], 0, (size_t)(taps * p->groups) * sizeof **r->sums);
    for (int64_t n = first; n < end; n++)
        for (int64_t z = 0; z < p->reach[0].count; z++)
            for (int64_t y = 0; ok && y < p->reach[1].count; y++)
                ok = sum_row(k, r, n, z, y, sums) == KT_OK;
    for (int64_t g = 0; g < p->groups; g++)
        for (int64_t t = 0; t < taps; t++)
            to[g * taps + t] = r->sums[t][g];
    return ok;
}

static void sum_parts(void *ctx, int64_t begin, int64_t end)
{
    const work *k = ctx;
    room        r;
    bool        ok = room_get(&r, k, true);
    for (int64_t part = begin; ok && part < end; part++)
        ok = sum_part(k, &r, part);
    if (!ok)
        __atomic_store_n(&k->p->failed, true, __ATOMIC_RELAXED);
    kt__block_put(r.made, r.granted);
}

void kt__sum_weight_beside(pass *p)
{
    work          k = work_of(p);
    const int64_t cost = p->taps * p->groups * kt__volume(p->to.size) * (p->to.batch / p->parts + 1) + 1;
    kt__parallel(p->parts, (1 << 16) / cost + 1, sum_parts, &k);
}
