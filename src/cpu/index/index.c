/* index.c - gather, scatter and masks: elements moved by index.
 *
 * In: plans of the family "indexing" (plugin/backend.h). Out: the output's bytes; an index out of range is an error,
 * found before anything is written to a tensor that had values before. Elements are units of bytes: only accumulation
 * (index/combine.c) depends on a dtype. Independent of: tensors, operators. */
#include "cpu/index/index.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/kernels.h"
#include "dtype/fault.h"
#include "math/core.h"
#include "tables/kernels/index.h"

/* ---- one index ---- */

typedef struct job {
    kt__rows         rows;
    const kt_plan   *plan;
    ptrdiff_t        width, step;  /* bytes of an element; bytes from one index to the next */
    int64_t          size;         /* indices lie in [0, size), or [-size, size) where they wrap */
    bool             wraps, narrow; /* narrow: int32 */
    kt__combine_fn  *combine;      /* NULL: overwrite */
    _Atomic int64_t *bad;          /* position of the first index that is out of range, in row order; numel: none */
} job;

KT_ALWAYS int64_t load_index(const job *j, const char *at)
{
    int64_t wide;
    int32_t narrow;
    if (j->narrow) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* The index counted from 0; -1: out of range. */
KT_ALWAYS int64_t place(const job *j, const char *at)
{
    int64_t i = load_index(j, at);
    if (KT__LIKELY((uint64_t)i < (uint64_t)j->size))
        return i;
    return j->wraps && i < 0 && i >= -j->size ? i + j->size : -1;
}

static void note_bad(const job *j, int64_t position)
{
    int64_t seen = atomic_load(j->bad);
    while (position < seen && !atomic_compare_exchange_weak(j->bad, &seen, position)) {
    }
}

/* ---- whole rows by index: of a plan of two dims with one index for each row ---- */

static bool moves_rows(const kt_plan *plan)
{
    return plan->nd == 2 && plan->stride[2][1] == 0 && !plan->arg[1].immediate && !plan->arg[2].immediate;
}

static const char *index_of(const job *j, int64_t row) { return j->plan->arg[2].data + row * j->plan->stride[2][0]; }

/* Asks for a row that will be reached SOON: rows lie anywhere, so the processor does not foresee them. Into the second cache: the
 * first one has too few places for lines on their way, and waits. */
enum { SOON = 2 };
static void fetch(const char *row, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += 64)
        __builtin_prefetch(row + i, 0, 2);
}

/* ---- taking ---- */

KT_ALWAYS void take_each(const job *j, char *const *at, int64_t n, int64_t position, size_t width)
{
    const ptrdiff_t *step = j->rows.step;
    for (int64_t i = 0; i < n; i++) {
        int64_t p = place(j, at[2] + i * step[2]);
        if (KT__UNLIKELY(p < 0)) {
            note_bad(j, position + i);
            return;
        }
        memcpy(at[0] + i * step[0], at[1] + i * step[1] + p * j->step, width);
    }
}

KT_ALWAYS void move_each(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, int64_t n, size_t width)
{
    for (int64_t i = 0; i < n; i++)
        memmove(to + i * to_step, from + i * from_step, width);
}

static void move_row(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, int64_t n, ptrdiff_t width)
{
    if (to_step == width && from_step == width) {
        memmove(to, from, (size_t)(n * width));
        return;
    }
    switch (width) {
    case 1:  move_each(to, to_step, from, from_step, n, 1); break;
    case 2:  move_each(to, to_step, from, from_step, n, 2); break;
    case 4:  move_each(to, to_step, from, from_step, n, 4); break;
    case 8:  move_each(to, to_step, from, from_step, n, 8); break;
    default: move_each(to, to_step, from, from_step, n, 16); break;
    }
}

static void take_row(void *ctx, char *const *at, int64_t n, int64_t position)
{
    const job *j = ctx;
    if (j->rows.step[2] == 0) { /* one index for the whole row */
        int64_t p = place(j, at[2]);
        if (p < 0)
            note_bad(j, position);
        else
            move_row(at[0], j->rows.step[0], at[1] + p * j->step, j->rows.step[1], n, j->width);
        return;
    }
    switch (j->width) {
    case 1:  take_each(j, at, n, position, 1); break;
    case 2:  take_each(j, at, n, position, 2); break;
    case 4:  take_each(j, at, n, position, 4); break;
    case 8:  take_each(j, at, n, position, 8); break;
    default: take_each(j, at, n, position, 16); break;
    }
}

/* Elements [begin, end), which are whole rows. */
static void take_rows(const job *j, int64_t begin, int64_t end)
{
    const kt_plan *plan = j->plan;
    const int64_t  n = plan->size[1], last = end / n;
    for (int64_t row = begin / n; row < last; row++) {
        const char *from = plan->arg[1].data + row * plan->stride[1][0];
        if (row + SOON < last)
            fetch(from + SOON * plan->stride[1][0] + place(j, index_of(j, row + SOON)) * j->step, n * j->width);
        const int64_t p = place(j, index_of(j, row));
        if (p < 0) {
            note_bad(j, row * n);
            return;
        }
        memcpy(plan->arg[0].data + row * plan->stride[0][0], from + p * j->step, (size_t)(n * j->width));
    }
}

static void take_part(void *ctx, int64_t begin, int64_t end)
{
    job           *j = ctx;
    const kt_plan *plan = j->plan;
    if (moves_rows(plan) && j->rows.inner == 1 && j->rows.step[0] == j->width && j->rows.step[1] == j->width &&
        begin % plan->size[1] == 0 && end % plan->size[1] == 0) {
        take_rows(j, begin, end);
        return;
    }
    kt__rows_walk(&j->rows, begin, end, take_row, j);
}

/* ---- sums of indices: places by several index tensors ---- */

static void add_row(void *ctx, char *const *at, int64_t n, int64_t position)
{
    const job *j = ctx;
    for (int64_t i = 0; i < n; i++) {
        int64_t p = place(j, at[1] + i * j->rows.step[1]), sum;
        if (p < 0) {
            note_bad(j, position + i);
            return;
        }
        memcpy(&sum, at[0] + i * j->rows.step[0], sizeof sum);
        sum += p * j->step;
        memcpy(at[0] + i * j->rows.step[0], &sum, sizeof sum);
    }
}

static void add_part(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    kt__rows_walk(&j->rows, begin, end, add_row, j);
}

/* ---- putting ---- */

static void check_row(void *ctx, char *const *at, int64_t n, int64_t position)
{
    const job *j = ctx;
    for (int64_t i = 0; i < n; i++)
        if (place(j, at[0] + i * j->rows.step[0]) < 0) {
            note_bad(j, position + i);
            return;
        }
}

static void check_part(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    kt__rows_walk(&j->rows, begin, end, check_row, j);
}

/* All indices were checked before the first is used, but another thread may have written to them since: one that is now
 * out of range is skipped. */
KT_ALWAYS void put_each(const job *j, char *const *at, int64_t n, size_t width)
{
    const ptrdiff_t *step = j->rows.step;
    for (int64_t i = 0; i < n; i++) {
        int64_t p = place(j, at[2] + i * step[2]);
        if (KT__LIKELY(p >= 0))
            memcpy(at[0] + i * step[0] + p * j->step, at[1] + i * step[1], width);
    }
}

/* Accumulates in batches: offsets first, so that the arithmetic is one loop. */
static void combine_row(const job *j, char *const *at, int64_t n)
{
    enum { SOME = 256 };
    const ptrdiff_t *step = j->rows.step;
    ptrdiff_t        places[SOME];
    kt__combined     c = {.to = at[0], .to_step = step[0], .from = at[1], .from_step = step[1], .n = n,
                          .dtype = (kt_dtype)j->plan->arg[0].is};
    if (step[2] == 0) {
        int64_t p = place(j, at[2]);
        c.to += p * j->step;
        if (p >= 0)
            j->combine(&c);
        return;
    }
    c.place = places;
    for (int64_t begin = 0; begin < n; begin += SOME) {
        c.n = n - begin < SOME ? n - begin : SOME;
        c.from = at[1] + begin * step[1];
        int64_t i = 0, p;
        for (; i < c.n && (p = place(j, at[2] + (begin + i) * step[2])) >= 0; i++)
            places[i] = (begin + i) * step[0] + p * j->step;
        c.n = i;
        j->combine(&c);
    }
}

static void put_row(void *ctx, char *const *at, int64_t n, int64_t position)
{
    (void)position;
    const job       *j = ctx;
    const ptrdiff_t *step = j->rows.step;
    if (j->combine) {
        combine_row(j, at, n);
        return;
    }
    if (step[2] == 0 && step[0] != 0) {
        int64_t p = place(j, at[2]);
        if (p >= 0)
            move_row(at[0] + p * j->step, step[0], at[1], step[1], n, j->width);
        return;
    }
    switch (j->width) {
    case 1:  put_each(j, at, n, 1); break;
    case 2:  put_each(j, at, n, 2); break;
    case 4:  put_each(j, at, n, 4); break;
    case 8:  put_each(j, at, n, 8); break;
    default: put_each(j, at, n, 16); break;
    }
}

/* A dim along which addresses are distinct for any indices: its parts can be written in parallel, and duplicates stay in
 * row order. -1: none. */
static int apart_dim(const kt_plan *plan)
{
    int best = -1;
    for (int d = 0; d < plan->nd; d++)
        if (plan->stride[0][d] != 0 && plan->size[d] > 1 && (best < 0 || plan->size[d] > plan->size[best]))
            best = d;
    return best;
}

typedef struct put_job {
    job j;
    int dim;
} put_job;

/* A plan has room for the largest call: what is not in use is not copied. */
static void copy_plan(kt_plan *to, const kt_plan *from)
{
    const size_t n = (size_t)(from->n_out + from->n_in), row = from->nd * sizeof from->size[0];
    memcpy(to, from, offsetof(kt_plan, arg));
    memcpy(to->arg, from->arg, n * sizeof from->arg[0]);
    memcpy(to->param, from->param, from->n_param * sizeof from->param[0]);
    memcpy(to->size, from->size, row);
    for (size_t i = 0; i < n; i++)
        memcpy(to->stride[i], from->stride[i], row);
}

static void put_part(void *ctx, int64_t begin, int64_t end)
{
    const put_job *all = ctx;
    kt_plan        part;
    job            j = all->j;
    copy_plan(&part, all->j.plan);
    if (all->dim >= 0) {
        part.numel = part.numel / part.size[all->dim] * (end - begin);
        part.size[all->dim] = end - begin;
        for (int i = 0; i < 3; i++)
            part.arg[i].data += begin * part.stride[i][all->dim];
    }
    j.plan = &part;
    kt__rows_in_order(&j.rows, &part);
    kt__rows_walk(&j.rows, 0, part.numel, put_row, &j);
}

/* ---- whole rows, added to rows of a table that is larger than the caches ----
 * They are added part by part of the table: memory is reached in order, and threads share out the parts. Within a part the
 * order is that of the indices, so that duplicates are added as ever. */
enum { PARTS = 512, LEAST_ROWS = 256, LEAST_TABLE = 1 << 22 };

typedef struct sorted {
    const job *j;
    int64_t    first[PARTS + 1]; /* in `row`, of each part */
    int64_t   *row;              /* which rows are added, part by part; those without a place come last */
} sorted;

static bool adds_rows_far_apart(const job *j)
{
    const kt_plan *plan = j->plan;
    return j->combine && moves_rows(plan) && plan->stride[0][0] == 0 && plan->size[0] >= LEAST_ROWS &&
           j->size * plan->size[1] * j->width >= LEAST_TABLE;
}

static int part_of(const job *j, int64_t row)
{
    const int64_t p = place(j, index_of(j, row));
    return p < 0 ? PARTS : (int)(p * PARTS / j->size);
}

static void sort_rows(sorted *s, int16_t *part)
{
    const int64_t n = s->j->plan->size[0];
    int64_t       next[PARTS + 1] = {0};
    for (int64_t i = 0; i < n; i++)
        next[part[i] = (int16_t)part_of(s->j, i)]++;
    for (int k = 0; k < PARTS; k++) {
        s->first[k + 1] = s->first[k] + next[k];
        next[k] = s->first[k];
    }
    next[PARTS] = s->first[PARTS];
    for (int64_t i = 0; i < n; i++)
        s->row[next[part[i]]++] = i;
}

static void add_parts(void *ctx, int64_t begin, int64_t end)
{
    const sorted  *s = ctx;
    const job     *j = s->j;
    const kt_plan *plan = j->plan;
    kt__combined   c = {.to_step = plan->stride[0][1], .from_step = plan->stride[1][1], .n = plan->size[1],
                        .dtype = (kt_dtype)plan->arg[0].is};
    for (int64_t i = s->first[begin]; i < s->first[end]; i++) {
        const int64_t row = s->row[i], p = place(j, index_of(j, row));
        if (i + SOON < s->first[end]) {
            fetch(plan->arg[0].data + place(j, index_of(j, s->row[i + SOON])) * j->step, c.n * j->width);
            fetch(plan->arg[1].data + s->row[i + SOON] * plan->stride[1][0], c.n * j->width);
        }
        c.to = plan->arg[0].data + p * j->step, c.from = plan->arg[1].data + row * plan->stride[1][0];
        if (p >= 0)
            j->combine(&c);
    }
}

static bool add_sorted(const job *j)
{
    const size_t n = (size_t)j->plan->size[0];
    size_t       granted;
    sorted       s = {.j = j, .row = kt__block_get(n * (sizeof *s.row + sizeof(int16_t)), &granted)};
    if (!s.row)
        return false;
    sort_rows(&s, (int16_t *)(void *)(s.row + n));
    kt__parallel(PARTS, PARTS * KT__GRAIN / j->plan->numel + 1, add_parts, &s);
    kt__block_put(s.row, granted);
    return true;
}

static void put_all(const job *j)
{
    if (adds_rows_far_apart(j) && add_sorted(j))
        return;
    put_job   all = {*j, apart_dim(j->plan)};
    const int d = all.dim;
    if (d < 0) {
        put_part(&all, 0, 1);
        return;
    }
    const int64_t rest = j->plan->numel / j->plan->size[d];
    kt__parallel(j->plan->size[d], rest >= KT__GRAIN ? 1 : KT__GRAIN / rest, put_part, &all);
}

/* ---- what went wrong ---- */

static const char *element_at(const kt_plan *plan, int operand, int64_t position)
{
    const char *at = plan->arg[operand].data;
    for (int d = plan->nd - 1; d >= 0; d--) {
        at += position % plan->size[d] * plan->stride[operand][d];
        position /= plan->size[d];
    }
    return at;
}

/* Positions count in row order, where the row's dim comes last. */
static kt_status out_of_range(const job *j, const kt_plan *plan, int operand, int64_t position)
{
    kt_plan turned = *plan;
    for (int d = j->rows.inner; d >= 0 && d + 1 < plan->nd; d++) {
        turned.size[d] = plan->size[d + 1];
        turned.stride[operand][d] = plan->stride[operand][d + 1];
    }
    if (plan->nd > 0 && j->rows.inner >= 0) {
        turned.size[plan->nd - 1] = plan->size[j->rows.inner];
        turned.stride[operand][plan->nd - 1] = plan->stride[operand][j->rows.inner];
    }
    const int64_t index = load_index(j, element_at(&turned, operand, position));
    return kt__fail_fault(&(kt_fault){.kind = (int32_t)plan->param[3].v.i, .dim = (int32_t)(plan->param[2].v.i >> 1),
                                      .value = index, .size = j->size});
}

/* The indices alone, each once: dims along which they repeat are left out. */
static kt_status check_indices(const job *given)
{
    kt_plan alone;
    job     j = *given;
    copy_plan(&alone, given->plan);
    alone.n_out = 1;
    alone.n_in = 0;
    alone.arg[0] = given->plan->arg[2];
    alone.nd = 0;
    alone.numel = 1;
    for (int d = 0; d < given->plan->nd; d++) {
        if (given->plan->stride[2][d] == 0)
            continue;
        alone.size[alone.nd] = given->plan->size[d];
        alone.stride[0][alone.nd++] = given->plan->stride[2][d];
        alone.numel *= given->plan->size[d];
    }
    _Atomic int64_t bad = alone.numel;
    j.bad = &bad;
    kt__rows_of(&j.rows, &alone);
    kt__parallel(alone.numel, KT__GRAIN, check_part, &j);
    return bad < alone.numel ? out_of_range(&j, &alone, 0, bad) : KT_OK;
}

kt_status kt__cpu_index(const kt_plan *plan)
{
    const bool      sums = plan->kernel == KT_K_index_offsets, takes = plan->kernel == KT_K_index_take || sums;
    const int       index = sums ? 1 : 2;
    _Atomic int64_t bad = plan->numel;
    job             j = {.plan = plan, .width = (ptrdiff_t)kt_dtype_size((kt_dtype)plan->arg[0].is), .bad = &bad,
                         .size = plan->param[0].v.i, .step = plan->param[1].v.i, .wraps = plan->param[2].v.i & 1,
                         .narrow = plan->arg[index].is == KT_I32};
    if (!takes && plan->kernel != KT_K_index_put)
        j.combine = kt__cpu_combine((kt_dtype)plan->arg[0].is, plan->kernel);
    if (!takes) {
        if (check_indices(&j))
            return kt_error_status();
        put_all(&j);
        return KT_OK;
    }
    kt__rows_of(&j.rows, plan);
    kt__parallel(plan->numel, KT__GRAIN, sums ? add_part : take_part, &j);
    return bad < plan->numel ? out_of_range(&j, plan, index, bad) : KT_OK;
}

/* ---- masks ---- */

KT_ALWAYS void masked_each(char *const *at, const ptrdiff_t *step, int64_t n, size_t width)
{
    for (int64_t i = 0; i < n; i++)
        if (at[2][i * step[2]])
            memcpy(at[0] + i * step[0], at[1] + i * step[1], width);
}

static void masked_row(void *ctx, char *const *at, int64_t n, int64_t position)
{
    (void)position;
    const job *j = ctx;
    switch (j->width) {
    case 1:  masked_each(at, j->rows.step, n, 1); break;
    case 2:  masked_each(at, j->rows.step, n, 2); break;
    case 4:  masked_each(at, j->rows.step, n, 4); break;
    case 8:  masked_each(at, j->rows.step, n, 8); break;
    default: masked_each(at, j->rows.step, n, 16); break;
    }
}

static void masked_part(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    kt__rows_walk(&j->rows, begin, end, masked_row, j);
}

kt_status kt__cpu_masked(const kt_plan *plan)
{
    job j = {.plan = plan, .width = (ptrdiff_t)kt_dtype_size((kt_dtype)plan->arg[0].is)};
    kt__rows_of(&j.rows, plan);
    kt__parallel(plan->numel, KT__GRAIN, masked_part, &j);
    return KT_OK;
}

/* ---- where a mask holds ---- */

typedef struct finding {
    const kt_plan *plan;
    const char    *mask;
    int64_t        piece, *count; /* elements of a piece; true elements before each */
    int64_t        most;          /* places that there is room for */
} finding;

static void count_pieces(void *ctx, int64_t begin, int64_t end)
{
    const finding *f = ctx;
    for (int64_t p = begin; p < end; p++) {
        int64_t stop = (p + 1) * f->piece < f->plan->numel ? (p + 1) * f->piece : f->plan->numel, n = 0;
        for (int64_t i = p * f->piece; i < stop; i++)
            n += f->mask[i] != 0;
        f->count[p + 1] = n;
    }
}

static void write_place(const finding *f, int64_t k, int64_t place)
{
    const kt_plan *plan = f->plan;
    for (int d = plan->nd - 1; d >= 0; d--) {
        int64_t at = d ? place % plan->size[d] : place;
        memcpy(plan->arg[0].data + k * (int64_t)sizeof at + d * plan->param[0].v.i, &at, sizeof at);
        place /= plan->size[d];
    }
}

static void find_pieces(void *ctx, int64_t begin, int64_t end)
{
    const finding *f = ctx;
    for (int64_t p = begin; p < end; p++) {
        int64_t stop = (p + 1) * f->piece < f->plan->numel ? (p + 1) * f->piece : f->plan->numel, k = f->count[p];
        for (int64_t i = p * f->piece; i < stop; i++)
            if (f->mask[i] && k < f->most)
                write_place(f, k++, i);
    }
}

kt_status kt__cpu_nonzero(const kt_plan *plan)
{
    finding      f = {.plan = plan, .mask = plan->arg[1].data, .piece = KT__GRAIN, .most = plan->param[1].v.i};
    int64_t      pieces = (plan->numel + f.piece - 1) / f.piece;
    size_t       granted;
    const size_t bytes = (size_t)(pieces + 1) * sizeof(int64_t);
    if (plan->nd == 0)
        return KT_OK;
    f.count = kt__block_get(bytes, &granted);
    if (!f.count)
        return kt__fail_memory(bytes);
    f.count[0] = 0;
    kt__parallel(pieces, 1, count_pieces, &f);
    for (int64_t p = 0; p < pieces; p++)
        f.count[p + 1] += f.count[p];
    kt__parallel(pieces, 1, find_pieces, &f);
    for (int64_t k = f.count[pieces]; k < f.most; k++) /* the mask has changed since it was counted */
        write_place(&f, k, 0);
    kt__block_put(f.count, granted);
    return KT_OK;
}
