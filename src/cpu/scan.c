/* scan.c - cumulative sums, products, logsumexp, minima and maxima along the last dim of a plan.
 *
 * In: plans of the family "scans" (plugin/backend.h). Out: the outputs. One wide type per category serves every dtype:
 * PyTorch accumulates float32 in float64 too. Adjacent lines are processed together, a block at a time: the running
 * values of a block are a row. Independent of: tensors, operators. */
#include "cpu/scan.h"

#include <complex.h>
#include <string.h>

#include "base/error.h"
#include "base/thread.h"
#include "cpu/kernels.h"
#include "math/core.h"
#include "math/special_complex.h"
#include "dtype/value.h"
#include "tables/kernels/scan.h"

enum { VALUES, INDICES, MOST_OPERANDS = 3, SIDE_BY_SIDE = 128, TILE = 256 };

typedef struct job {
    const kt_plan *plan;
    int            in;      /* operand that is read */
    int64_t        length, columns;
    ptrdiff_t      step[MOST_OPERANDS], aside[MOST_OPERANDS]; /* bytes along a line, and to the line beside it */
    int            is, as;  /* of the input */
    int            bits;
    kt_dtype       into;
} job;

/* Values are rounded to `as`, which the operator must see, before widening. */
static void load(void *wide, kt_dtype type, size_t size, const job *j, const char *x, ptrdiff_t step, int n)
{
    char seen[TILE * 16];
    if (j->as == j->is || j->as == (int)type) {
        kt__convert(wide, type, (ptrdiff_t)size, x, (kt_dtype)j->is, step, n);
        return;
    }
    const ptrdiff_t between = kt__dtype_rows[j->as].size;
    kt__convert(seen, (kt_dtype)j->as, between, x, (kt_dtype)j->is, step, n);
    kt__convert(wide, type, (ptrdiff_t)size, seen, (kt_dtype)j->as, between, n);
}

/* Where a policy permits it the target of places has another dtype. */
static void store_indices(const job *j, char *y, ptrdiff_t step, const int64_t *index, int n)
{
    kt__convert(y, (kt_dtype)j->plan->arg[INDICES].is, step, index, KT_I64, sizeof *index, n);
}

/* log(e^a + e^b) */
static double log_add_f64(double a, double b)
{
    const double most = a < b ? b : a, least = a < b ? a : b;
    if (isnan(a) || isnan(b))
        return a + b;
    return isinf(most) || least == -INFINITY ? most : most + log1p(exp(least - most));
}

static double complex log_add_c128(double complex a, double complex b) { return kt__complex_logaddexp(b, a); }

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define FN(name)    JOIN(name, ID)

#define T    double
#define ID   f64
#define WIDE KT_F64
#define IS_NAN(x) isnan(x)
#define LOG_OF_NOTHING -INFINITY
#define KT_ORDERED 1
#include "cpu/scan.inc.c"
#define T    int64_t
#define ID   i64
#define WIDE KT_I64
#define IS_NAN(x) false
#define KT_ORDERED 1
#define LOG_OF_NOTHING 0
#define log_add_i64(a, b) (a)
#include "cpu/scan.inc.c"
#define T    uint64_t
#define ID   u64
#define WIDE KT_U64
#define IS_NAN(x) false
#define KT_ORDERED 1
#define LOG_OF_NOTHING 0
#define log_add_u64(a, b) (a)
#include "cpu/scan.inc.c"
#define T    double complex
#define ID   c128
#define WIDE KT_C128
#define LOG_OF_NOTHING -INFINITY
#define KT_ORDERED 0
#include "cpu/scan.inc.c"

/* ---- lines ---- */

static void block(const job *j, char *const *at, int n)
{
    switch (j->plan->compute) {
    case KT_IN_F32:
    case KT_IN_F64: scan_f64(j, at, n); break;
    case KT_IN_I32:
    case KT_IN_I64: scan_i64(j, at, n); break;
    case KT_IN_U64: scan_u64(j, at, n); break;
    default:        scan_c128(j, at, n); break;
    }
}

/* Lines [begin, end): the dims before the last count them, and the last of those lies beside. */
static void part(void *ctx, int64_t begin, int64_t end)
{
    const job     *j = ctx;
    const kt_plan *plan = j->plan;
    while (begin < end) {
        char   *at[MOST_OPERANDS];
        int64_t column = begin % j->columns, row = begin / j->columns, n = j->columns - column;
        n = n < end - begin ? n : end - begin;
        n = n < SIDE_BY_SIDE ? n : SIDE_BY_SIDE;
        for (int i = 0; i <= j->in; i++)
            at[i] = plan->arg[i].data + column * j->aside[i];
        for (int d = plan->nd - 3; d >= 0; d--) {
            for (int i = 0; i <= j->in; i++)
                at[i] += row % plan->size[d] * plan->stride[i][d];
            row /= plan->size[d];
        }
        block(j, at, (int)n);
        begin += n;
    }
}

kt_status kt__cpu_scan(const kt_plan *plan)
{
    const int last = plan->nd - 1, in = plan->n_out;
    job       j = {.plan = plan, .in = in, .length = plan->size[last], .columns = last ? plan->size[last - 1] : 1};
    for (int i = 0; i <= in; i++) {
        j.step[i] = plan->stride[i][last];
        j.aside[i] = last ? plan->stride[i][last - 1] : 0;
    }
    j.is = plan->arg[in].is;
    j.as = plan->arg[in].as;
    j.bits = plan->arg[in].bits;
    j.into = (kt_dtype)plan->arg[VALUES].is;
    const int64_t lines = plan->numel / j.length;
    if (plan->numel <= KT__GRAIN)
        part(&j, 0, lines);
    else
        kt__parallel(lines, 1 + KT__GRAIN / j.length, part, &j);
    return KT_OK;
}
