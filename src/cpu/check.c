/* check.c - kernels that look at values and write nothing.
 *
 * In: plans of the family "checks" (plugin/backend.h). Out: success, or the fault of the first element in row-major order that is
 * out of bounds. One pass, split among threads. Independent of: tensors, operators. */
#include "cpu/check.h"

#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/thread.h"
#include "dtype/fault.h"
#include "dtype/value.h"
#include "tables/kernels/check.h"

typedef struct job {
    kt__rows              rows;
    const kt_plan        *plan;
    const kt__cpu_bounds *loops;
    kt__bounds            b;
    _Atomic int64_t       bad[2]; /* for each operand, the position of the first element out of bounds; numel: none */
} job;

static void bounds_of(kt__bounds *b, const kt_plan *plan)
{
    const kt_scalar *low = &plan->param[0], *high = &plan->param[1], *exempt = plan->n_param > 4 ? &plan->param[4] : low;
    *b = (kt__bounds){.low = kt__scalar_f64(low), .high = kt__scalar_f64(high), .exempt = kt__scalar_f64(exempt),
                      .low_int = low->v.i, .high_int = high->v.i, .exempt_int = exempt->v.i, .exempts = exempt != low};
}

/* ---- a row of one operand ---- */
enum { TILE = 512 };

/* float32, float64 and int64 are compared as they are; other dtypes are widened to one of these. */
static kt_dtype compared_as(kt_dtype d, uint8_t bits)
{
    if (kt__dtype_rows[d].category == KT_CAT_FLOAT)
        return d == KT_F32 && !bits ? KT_F32 : KT_F64;
    return KT_I64;
}

static int64_t look_at(const job *j, const void *x, kt_dtype as, int64_t n)
{
    switch (as) {
    case KT_F32: return j->loops->f32(x, n, &j->b);
    case KT_F64: return j->loops->f64(x, n, &j->b);
    default:     return j->loops->i64(x, n, &j->b);
    }
}

static int64_t first_in_row(const job *j, const kt_operand *o, const char *at, ptrdiff_t step, int64_t n)
{
    const kt_dtype is = (kt_dtype)o->is, as = compared_as(is, o->bits);
    const ptrdiff_t width = kt__dtype_rows[as].size;
    double          tile[TILE];
    if (is == as && step == width && !o->bits)
        return look_at(j, at, as, n);
    for (int64_t done = 0; done < n; done += TILE) {
        const int64_t m = n - done < TILE ? n - done : TILE;
        kt__convert(tile, as, width, at + done * step, is, step, m);
        for (int64_t i = 0; o->bits & KT_BIT_NEG && i < m; i++)
            tile[i] = -tile[i];
        const int64_t bad = look_at(j, tile, as, m);
        if (bad < m)
            return done + bad;
    }
    return n;
}

/* ---- the whole plan ---- */
static void note_bad(_Atomic int64_t *bad, int64_t position)
{
    int64_t seen = atomic_load(bad);
    while (position < seen && !atomic_compare_exchange_weak(bad, &seen, position)) {
    }
}

static void check_row(void *ctx, char *const *at, int64_t n, int64_t position)
{
    job *j = ctx;
    for (int i = 0; i < j->plan->n_in; i++) {
        const int64_t bad = first_in_row(j, &j->plan->arg[i], at[i], j->rows.step[i], n);
        if (bad < n)
            note_bad(&j->bad[i], position + bad);
    }
}

static void check_part(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    kt__rows_walk(&j->rows, begin, end, check_row, j);
}

static int64_t integer_at(const kt_plan *plan, int operand, int64_t position)
{
    const char *at = plan->arg[operand].data;
    int64_t     value = 0;
    if (kt__dtype_rows[plan->arg[operand].is].category == KT_CAT_FLOAT)
        return 0;
    for (int d = plan->nd - 1; d >= 0; d--) {
        at += position % plan->size[d] * plan->stride[operand][d];
        position /= plan->size[d];
    }
    kt__convert(&value, KT_I64, 0, at, (kt_dtype)plan->arg[operand].is, 0, 1);
    return value;
}

static kt_status check_range(const kt__cpu_build *build, const kt_plan *plan)
{
    job j = {.plan = plan, .loops = build->bounds};
    bounds_of(&j.b, plan);
    kt__rows_in_order(&j.rows, plan);
    atomic_init(&j.bad[0], plan->numel);
    atomic_init(&j.bad[1], plan->numel);
    kt__parallel(plan->numel, KT__GRAIN, check_part, &j);
    const int64_t first = j.bad[0], second = j.bad[1];
    if (first == plan->numel && second == plan->numel)
        return KT_OK;
    const int which = second < first;
    return kt__fail_fault(&(kt_fault){.kind = (int32_t)plan->param[2 + which].v.i,
                                      .value = integer_at(plan, which, which ? second : first),
                                      .size = (int64_t)((uint64_t)plan->param[1].v.i + 1)});
}

/* ---- does a dtype hold the values? ---- */
typedef struct fitting {
    const kt_plan *plan;
    ptrdiff_t      step;
    bool           fits;
} fitting;

static void fit_row(void *ctx, char *const *at, int64_t n, int64_t position)
{
    (void)position;
    fitting         *f = ctx;
    const kt_operand *o = &f->plan->arg[0];
    for (int64_t i = 0; i < n && f->fits; i++) {
        kt_scalar x = kt_scalar_load(at[0] + i * f->step, (kt_dtype)o->is);
        if (o->bits & KT_BIT_NEG)
            x.v.re = -x.v.re, x.im = -x.im;
        f->fits = kt__holds(x, (kt_dtype)f->plan->param[0].v.i);
    }
}

static kt_status check_fits(const kt_plan *plan)
{
    kt__rows rows;
    fitting  f = {.plan = plan, .fits = true};
    kt__rows_of(&rows, plan);
    f.step = rows.step[0];
    kt__rows_walk(&rows, 0, plan->numel, fit_row, &f);
    return f.fits ? KT_OK : kt__fail_fault(&(kt_fault){.kind = KT_FAULT_OVERFLOW, .dim = (int32_t)plan->param[0].v.i});
}

bool kt__cpu_checks(kt_kernel_id kernel, kt_compute compute)
{
    return kernel == KT_K_check_fits || (kernel == KT_K_check_range && compute < KT_IN_U64);
}

kt_status kt__cpu_check(const kt__cpu_build *build, const kt_plan *plan)
{
    if (!kt__cpu_checks(plan->kernel, (kt_compute)plan->compute))
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "the CPU has no kernel '%s' for this dtype", kt_kernel_name(plan->kernel));
    return plan->kernel == KT_K_check_range ? check_range(build, plan) : check_fits(plan);
}
