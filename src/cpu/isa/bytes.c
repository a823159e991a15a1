/* bytes.c - copies and fills without conversion: elements are units of 1, 2, 4, 8 or 16 bytes.
 *
 * In: plans whose operands have one dtype (copy) or one value (fill, eye). Out: the output's bytes. */
#include "base/thread.h"
#include "cpu/isa/names.h"
#include "cpu/kernels.h"
#include "math/core.h"
#include "cpu/write.h"

enum {
    SIDE = 32,          /* of a block of a transposing copy */
    PAST_FROM = 4 << 20, /* bytes that it writes past the caches: its lines lie too far apart to be fetched in time */
#ifdef __PRFCHW__
    FETCH_FROM = 2 << 20, /* dense bytes whose lines are asked for before they are written: a quarter faster than memcpy */
    LINES_FROM = FETCH_FROM /* dense bytes that are filled a line at a time */
#else
    FETCH_FROM = 0, /* there is no way to ask */
    LINES_FROM = 4096
#endif
};

typedef struct unit16 { uint64_t half[2]; } unit16;

/* ---- rows ---- */
KT_ALWAYS void copy_strided(char *restrict y, ptrdiff_t ys, const char *restrict x, ptrdiff_t xs, int64_t n,
                            size_t width)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(y + i * ys, x + i * xs, width);
}

/* From the end: one call a constant width, so that rows are turned in registers. */
KT_ALWAYS void copy_backwards(char *restrict y, const char *restrict x, int64_t n, size_t width)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(y + (size_t)i * width, x - (size_t)i * width, width);
}

KT_ALWAYS void copy_any_row(char *y, ptrdiff_t ys, const char *x, ptrdiff_t xs, int64_t n, size_t width)
{
    if (ys == (ptrdiff_t)width && xs == -(ptrdiff_t)width)
        copy_backwards(y, x, n, width);
    else
        copy_strided(y, ys, x, xs, n, width);
}

static void copy_dense(char *restrict y, const char *restrict x, size_t bytes) { memcpy(y, x, bytes); }

/* From the first whole line of y on, a line at a time. */
static void copy_fetched(char *restrict y, const char *restrict x, size_t bytes)
{
    size_t done = (CACHE_LINE - (uintptr_t)y % CACHE_LINE) % CACHE_LINE;
    memcpy(y, x, done);
    for (; done + CACHE_LINE <= bytes; done += CACHE_LINE) {
        fetch_ahead(x + done, y + done);
        memcpy(y + done, x + done, CACHE_LINE);
    }
    memcpy(y + done, x + done, bytes - done);
}

static void copy_row(char *y, ptrdiff_t ys, const char *x, ptrdiff_t xs, int64_t n, ptrdiff_t width)
{
    if (ys == width && xs == width) {
        (FETCH_FROM > 0 && n * width >= FETCH_FROM ? copy_fetched : copy_dense)(y, x, (size_t)(n * width));
        return;
    }
    switch (width) {
    case 1:  copy_any_row(y, ys, x, xs, n, 1); break;
    case 2:  copy_any_row(y, ys, x, xs, n, 2); break;
    case 4:  copy_any_row(y, ys, x, xs, n, 4); break;
    case 8:  copy_any_row(y, ys, x, xs, n, 8); break;
    default: copy_any_row(y, ys, x, xs, n, 16); break;
    }
}

typedef struct copy_job {
    kt__rows  rows;
    ptrdiff_t width;
} copy_job;

static void copy_one_row(void *ctx, char *const *at, int64_t n, int64_t index)
{
    (void)index;
    const copy_job *job = ctx;
    copy_row(at[0], job->rows.step[0], at[1], job->rows.step[1], n, job->width);
}

static void copy_rows(void *ctx, int64_t begin, int64_t end)
{
    copy_job *job = ctx;
    kt__rows_walk(&job->rows, begin, end, copy_one_row, job);
}

/* ---- crossed layouts: dense along one dim in the source, along another in the target ---- */
typedef struct cross_job {
    const kt_plan *plan;
    int            p, q;     /* dims: the source is dense along p, the target along q */
    int64_t        np, nq;   /* blocks along them */
    ptrdiff_t      width;
    bool           past;     /* the caches */
} cross_job;

/* Small squares of one vector a row. */
#if KT_VEC_BYTES == 64
typedef uint32_t sixteen32 __attribute__((vector_size(64), may_alias));

/* In four rounds, of which each exchanges what is 1, 2, 4, 8 off the diagonal. */
KT_ALWAYS void transpose_16x16(char *y, const char *x, ptrdiff_t xq) /* units of 4 bytes; y's rows are SIDE units apart */
{
    sixteen32 row[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        memcpy(&row[i], x + i * xq, sizeof row[i]);
#define EXCHANGE(off, low, high)                                                                                       \
    _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) if (!(i & off))                                              \
    {                                                                                                                  \
        const sixteen32 a = row[i], b = row[i + off];                                                                  \
        row[i] = low, row[i + off] = high;                                                                             \
    }
    EXCHANGE(1, __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),
             __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31))
    EXCHANGE(2, __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),
             __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31))
    EXCHANGE(4, __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),
             __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31))
    EXCHANGE(8, __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
             __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
#undef EXCHANGE
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        *(sixteen32 *)(void *)(y + i * SIDE * 4) = row[i];
}
enum { SQUARE32 = 16 };
#define transpose_32 transpose_16x16
#else
typedef uint32_t four32 __attribute__((vector_size(16), may_alias));

KT_ALWAYS void transpose_4x4(char *y, const char *x, ptrdiff_t xq) /* units of 4 bytes; y's rows are SIDE units apart */
{
    four32 a, b, c, d;
    memcpy(&a, x, 16), memcpy(&b, x + xq, 16), memcpy(&c, x + 2 * xq, 16), memcpy(&d, x + 3 * xq, 16);
    const four32 ac0 = __builtin_shufflevector(a, c, 0, 4, 1, 5), ac1 = __builtin_shufflevector(a, c, 2, 6, 3, 7);
    const four32 bd0 = __builtin_shufflevector(b, d, 0, 4, 1, 5), bd1 = __builtin_shufflevector(b, d, 2, 6, 3, 7);
    *(four32 *)(void *)y = __builtin_shufflevector(ac0, bd0, 0, 4, 1, 5);
    *(four32 *)(void *)(y + SIDE * 4) = __builtin_shufflevector(ac0, bd0, 2, 6, 3, 7);
    *(four32 *)(void *)(y + SIDE * 8) = __builtin_shufflevector(ac1, bd1, 0, 4, 1, 5);
    *(four32 *)(void *)(y + SIDE * 12) = __builtin_shufflevector(ac1, bd1, 2, 6, 3, 7);
}
enum { SQUARE32 = 4 };
#define transpose_32 transpose_4x4
#endif

typedef uint64_t two64 __attribute__((vector_size(16), may_alias));

KT_ALWAYS void transpose_2x2(char *y, const char *x, ptrdiff_t xq) /* units of 8 bytes */
{
    two64 a, b;
    memcpy(&a, x, 16), memcpy(&b, x + xq, 16);
    *(two64 *)(void *)y = __builtin_shufflevector(a, b, 0, 2);
    *(two64 *)(void *)(y + SIDE * 8) = __builtin_shufflevector(a, b, 1, 3);
}

/* Rows of units of 4 bytes are too far apart for the processor to foresee: the same ones are asked for two blocks further on,
 * once a line. Asking past the end of the memory does no harm. */
KT_ALWAYS void ask_ahead(const char *from, ptrdiff_t xq, int rows, int i)
{
    for (int r = 0; i % (CACHE_LINE / 4) == 0 && r < rows; r++)
        __builtin_prefetch((const char *)((uintptr_t)from + (uintptr_t)(r * xq) + 2 * SIDE * 4), 0, 3);
}

/* One row of a block; row is aligned to lines where a row is whole lines. */
KT_ALWAYS void put_row(char *y, const char *row, size_t bytes, bool past)
{
    if (past && can_write_past(y, bytes))
        write_past(y, row, bytes);
    else
        memcpy(y, row, bytes);
}

/* Through a buffer, so that both sides are touched in whole cache lines, whatever their strides. */
KT_ALWAYS void cross_block(char *y, ptrdiff_t yp, const char *x, ptrdiff_t xq, int p, int q, size_t width, bool past)
{
    char buffer[SIDE * SIDE * 16] __attribute__((aligned(CACHE_LINE)));
    const bool whole = p == SIDE && q == SIDE;
    const int  unit = whole && width == 4 ? SQUARE32 : whole && width == 8 ? 2 : 1;
    for (int j = 0; j < q; j += unit)
        for (int i = 0; i < p; i += unit) {
            char       *to = buffer + ((size_t)i * SIDE + (size_t)j) * width;
            const char *from = x + j * xq + (ptrdiff_t)((size_t)i * width);
            if (unit == SQUARE32) {
                ask_ahead(from, xq, unit, i);
                transpose_32(to, from, xq);
            } else if (unit == 2)
                transpose_2x2(to, from, xq);
            else
                memcpy(to, from, width);
        }
    for (int i = 0; i < p; i++)
        put_row(y + i * yp, buffer + (size_t)i * SIDE * width, (size_t)q * width, past);
}

KT_ALWAYS void cross_any(char *y, ptrdiff_t yp, const char *x, ptrdiff_t xq, int p, int q, size_t width, bool past)
{
    if (p == SIDE && q == SIDE)
        cross_block(y, yp, x, xq, SIDE, SIDE, width, past);
    else
        cross_block(y, yp, x, xq, p, q, width, past);
}

static void cross_blocks(void *ctx, int64_t begin, int64_t end)
{
    const cross_job *job = ctx;
    const kt_plan   *plan = job->plan;
    for (int64_t u = begin; u < end; u++) {
        const int64_t i = u % job->np * SIDE, j = u / job->np % job->nq * SIDE; /* along the source's rows: a prefetcher helps */
        int64_t       rest = u / job->np / job->nq;
        char         *y = plan->arg[0].data + i * plan->stride[0][job->p] + j * job->width;
        const char   *x = plan->arg[1].data + i * job->width + j * plan->stride[1][job->q];
        for (int d = plan->nd - 1; d >= 0; d--) {
            if (d == job->p || d == job->q)
                continue;
            y += rest % plan->size[d] * plan->stride[0][d];
            x += rest % plan->size[d] * plan->stride[1][d];
            rest /= plan->size[d];
        }
        const int       p = (int)(plan->size[job->p] - i < SIDE ? plan->size[job->p] - i : SIDE);
        const int       q = (int)(plan->size[job->q] - j < SIDE ? plan->size[job->q] - j : SIDE);
        const ptrdiff_t yp = plan->stride[0][job->p], xq = plan->stride[1][job->q];
        switch (job->width) {
        case 1:  cross_any(y, yp, x, xq, p, q, 1, job->past); break;
        case 2:  cross_any(y, yp, x, xq, p, q, 2, job->past); break;
        case 4:  cross_any(y, yp, x, xq, p, q, 4, job->past); break;
        case 8:  cross_any(y, yp, x, xq, p, q, 8, job->past); break;
        default: cross_any(y, yp, x, xq, p, q, 16, job->past); break;
        }
    }
    if (job->past)
        write_past_end();
}

static int dense_dim(const kt_plan *plan, int operand, ptrdiff_t width)
{
    for (int d = plan->nd - 1; d >= 0; d--)
        if (plan->stride[operand][d] == width && plan->size[d] >= 4)
            return d;
    return -1;
}

static bool copy_crossed(const kt_plan *plan, ptrdiff_t width)
{
    cross_job job = {.plan = plan, .width = width, .past = plan->numel * width >= PAST_FROM};
    job.p = dense_dim(plan, 1, width), job.q = dense_dim(plan, 0, width);
    if (job.p < 0 || job.q < 0 || job.p == job.q)
        return false;
    job.np = (plan->size[job.p] + SIDE - 1) / SIDE, job.nq = (plan->size[job.q] + SIDE - 1) / SIDE;
    const int64_t rest = plan->numel / plan->size[job.p] / plan->size[job.q];
    kt__parallel(rest * job.np * job.nq, KT__GRAIN / (SIDE * SIDE), cross_blocks, &job);
    return true;
}

static kt_status copy(const kt_plan *plan)
{
    const ptrdiff_t width = kt__dtype_rows[plan->arg[0].is].size;
    const bool dense = plan->nd == 0 || (plan->nd == 1 && plan->stride[0][0] == width && plan->stride[1][0] == width);
    if (dense && plan->numel <= KT__GRAIN) {
        memcpy(plan->arg[0].data, plan->arg[1].data, (size_t)(plan->numel * width));
        return KT_OK;
    }
    if (plan->nd >= 2 && copy_crossed(plan, width))
        return KT_OK;
    copy_job job = {.width = width};
    kt__rows_of(&job.rows, plan);
    kt__parallel(plan->numel, KT__GRAIN, copy_rows, &job);
    return KT_OK;
}

/* ---- one value everywhere ---- */
typedef struct fill_job {
    kt__rows      rows;
    ptrdiff_t     width;
    bool          uniform; /* every byte is the same */
    unsigned char unit[16];
} fill_job;

KT_ALWAYS void fill_strided(char *y, ptrdiff_t ys, const unsigned char *unit, int64_t n, size_t width)
{
    unsigned char u[16];
    memcpy(u, unit, width);
    if (ys == (ptrdiff_t)width)
        for (int64_t i = 0; i < n; i++)
            memcpy(y + i * (ptrdiff_t)width, u, width);
    else
        for (int64_t i = 0; i < n; i++)
            memcpy(y + i * ys, u, width);
}

/* y is aligned to the unit, so that every whole line is the same. */
static void fill_lines(char *y, const unsigned char *unit, size_t bytes, size_t width)
{
    char   line[2 * CACHE_LINE];
    size_t done = (CACHE_LINE - (uintptr_t)y % CACHE_LINE) % CACHE_LINE;
    for (size_t i = 0; i < sizeof line; i += width)
        memcpy(line + i, unit, width);
    memcpy(y, line, done);
    for (; done + CACHE_LINE <= bytes; done += CACHE_LINE) {
        if (FETCH_FROM > 0)
            fetch_pair_for_writing(y + done + WRITE_AHEAD, CACHE_LINE);
        memcpy(y + done, line, CACHE_LINE);
    }
    memcpy(y + done, line, bytes - done);
}

static void fill_row(void *ctx, char *const *at, int64_t n, int64_t index)
{
    (void)index;
    const fill_job *job = ctx;
    const ptrdiff_t step = job->rows.step[0];
    const bool      dense = step == job->width, by_memset = dense && job->uniform && (FETCH_FROM == 0 || n * step < FETCH_FROM);
    if (dense && !by_memset && n * step >= LINES_FROM && (uintptr_t)at[0] % (uintptr_t)step == 0) {
        fill_lines(at[0], job->unit, (size_t)(n * step), (size_t)step);
        return;
    }
    if (dense && job->uniform) {
        memset(at[0], job->unit[0], (size_t)(n * job->width));
        return;
    }
    switch (job->width) {
    case 1:  fill_strided(at[0], step, job->unit, n, 1); break;
    case 2:  fill_strided(at[0], step, job->unit, n, 2); break;
    case 4:  fill_strided(at[0], step, job->unit, n, 4); break;
    case 8:  fill_strided(at[0], step, job->unit, n, 8); break;
    default: fill_strided(at[0], step, job->unit, n, 16); break;
    }
}

static void fill_rows(void *ctx, int64_t begin, int64_t end)
{
    fill_job *job = ctx;
    kt__rows_walk(&job->rows, begin, end, fill_row, job);
}

/* The value in the dtype that was computed, then in the one that is stored. */
static void make_unit(fill_job *job, const kt_operand *to, kt_scalar value)
{
    kt_scalar_store(job->unit, (kt_dtype)to->as, value);
    if (to->as != to->is)
        kt_scalar_store(job->unit, (kt_dtype)to->is, kt_scalar_load(job->unit, (kt_dtype)to->as));
    job->width = kt__dtype_rows[to->is].size;
    job->uniform = true;
    for (int i = 1; i < job->width; i++)
        job->uniform &= job->unit[i] == job->unit[0];
}

static kt_status fill(const kt_plan *plan)
{
    fill_job job;
    make_unit(&job, &plan->arg[0], plan->param[0]);
    if (plan->contiguous && plan->numel <= KT__GRAIN) {
        char *at[1] = {plan->arg[0].data};
        job.rows.step[0] = job.width;
        fill_row(&job, at, plan->numel, 0);
        return KT_OK;
    }
    kt__rows_of(&job.rows, plan);
    kt__parallel(plan->numel, KT__GRAIN, fill_rows, &job);
    return KT_OK;
}

static kt_status eye(const kt_plan *plan)
{
    fill_job job;
    make_unit(&job, &plan->arg[0], KT_INT(0));
    kt__rows_of(&job.rows, plan);
    kt__parallel(plan->numel, KT__GRAIN, fill_rows, &job);
    make_unit(&job, &plan->arg[0], KT_INT(1));
    const int64_t n = plan->size[0] < plan->size[1] ? plan->size[0] : plan->size[1];
    for (int64_t i = 0; i < n; i++)
        memcpy(plan->arg[0].data + i * (plan->stride[0][0] + plan->stride[0][1]), job.unit, (size_t)job.width);
    return KT_OK;
}

/* ---- matrices between two diagonals ---- */
typedef struct band_job {
    const kt_plan *plan;
    ptrdiff_t      width;
    int64_t        rows, columns, low, high; /* diagonals that are kept */
} band_job;

static void zero_row(char *y, ptrdiff_t step, int64_t n, ptrdiff_t width)
{
    if (step == width)
        memset(y, 0, (size_t)(n * width));
    else
        for (int64_t i = 0; i < n; i++)
            memset(y + i * step, 0, (size_t)width);
}

/* 0 to columns: where a diagonal crosses row i. The ends of int64 stand for no limit. */
static int64_t crossing(int64_t i, int64_t diagonal, int64_t columns)
{
    int64_t at;
    if (__builtin_add_overflow(i, diagonal, &at))
        return columns;
    return at < 0 ? 0 : at > columns ? columns : at;
}

static void band_row(const band_job *job, char *y, const char *x, int64_t i)
{
    const ptrdiff_t ys = job->plan->stride[0][job->plan->nd - 1], xs = job->plan->stride[1][job->plan->nd - 1];
    const int64_t   begin = crossing(i, job->low, job->columns);
    const int64_t   end = job->high == INT64_MAX ? job->columns : crossing(i, job->high + 1, job->columns);
    zero_row(y, ys, begin, job->width);
    if (x != y && end > begin)
        copy_row(y + begin * ys, ys, x + begin * xs, xs, end - begin, job->width);
    if (end < job->columns)
        zero_row(y + (end > begin ? end : begin) * ys, ys, job->columns - (end > begin ? end : begin), job->width);
}

static void band_rows(void *ctx, int64_t first, int64_t last)
{
    const band_job *job = ctx;
    const kt_plan  *plan = job->plan;
    for (int64_t r = first; r < last; r++) {
        const int64_t i = r % job->rows;
        int64_t       rest = r / job->rows;
        char         *y = plan->arg[0].data + i * plan->stride[0][plan->nd - 2];
        const char   *x = plan->arg[1].data + i * plan->stride[1][plan->nd - 2];
        for (int d = plan->nd - 3; d >= 0; d--) {
            y += rest % plan->size[d] * plan->stride[0][d];
            x += rest % plan->size[d] * plan->stride[1][d];
            rest /= plan->size[d];
        }
        band_row(job, y, x, i);
    }
}

static kt_status band(const kt_plan *plan)
{
    band_job job = {.plan = plan,
                    .width = kt__dtype_rows[plan->arg[0].is].size,
                    .rows = plan->size[plan->nd - 2],
                    .columns = plan->size[plan->nd - 1],
                    .low = plan->param[0].v.i,
                    .high = plan->param[1].v.i};
    kt__parallel(plan->numel / job.columns, KT__GRAIN / job.columns + 1, band_rows, &job);
    return KT_OK;
}

const kt__cpu_bytes KT__CPU_SYMBOL(bytes, KT_ISA) = {.copy = copy, .fill = fill, .eye = eye, .band = band};
