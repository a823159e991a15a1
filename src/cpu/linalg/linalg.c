/* linalg.c - kernels over batches of matrices.
 *
 * In: plans of the family product but for matmul (tables/kernels/product.def). Out: factors, solutions, values. Inputs may lie
 * anyhow; a kernel copies what LAPACK would overwrite into the output, or into scratch memory, column by column. Outputs are
 * dense, each matrix column-major. Matrices of a batch are distributed over threads, each is one call of the
 * solver on one thread. Independent of: tensors, operators, who solves (solver.h). */
#include "cpu/linalg/linalg.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/ran.h"
#include "base/thread.h"
#include "cpu/linalg/finite.h"
#include "cpu/linalg/solver.h"
#include "tables/kernels/product.h"

/* ---- operands ---- */
typedef struct matrix {
    char     *data;
    int64_t   batch, rows, columns;
    ptrdiff_t step, down, right; /* bytes from matrix to matrix, row to row, column to column */
    kt_dtype  dtype;
    uint8_t   bits;
} matrix;

enum { DIMS = 3 }; /* of every operand */

static matrix operand(const kt_plan *plan, int i)
{
    const int64_t *size = plan->size + DIMS * i, *stride = plan->stride[i] + DIMS * i;
    return (matrix){plan->arg[i].data, size[0],   size[1], size[2], stride[0], stride[1], stride[2],
                    (kt_dtype)plan->arg[i].is, plan->arg[i].bits};
}

static int least(const matrix *a) { return (int)(a->rows < a->columns ? a->rows : a->columns); }
static int ld_of(const matrix *a) { return a->rows > 1 ? (int)a->rows : 1; } /* of a dense matrix */
static int ld_for(int64_t rows) { return rows > 1 ? (int)rows : 1; }

/* Matrix `at` of an output. */
static void *there(const matrix *a, int64_t at)
{
    return a->data + at * a->rows * a->columns * (ptrdiff_t)kt__width_of(a->dtype);
}

/* ---- elements ---- */
static void gather_column(char *to, const char *from, ptrdiff_t down, int64_t n, size_t width)
{
    if (n == 0)
        return; /* a matrix without rows may have no memory */
    if (down == (ptrdiff_t)width) {
        memcpy(to, from, (size_t)n * width);
        return;
    }
    switch (width) {
    case 4:
        for (int64_t i = 0; i < n; i++)
            memcpy(to + 4 * i, from + i * down, 4);
        break;
    case 8:
        for (int64_t i = 0; i < n; i++)
            memcpy(to + 8 * i, from + i * down, 8);
        break;
    default:
        for (int64_t i = 0; i < n; i++)
            memcpy(to + 16 * i, from + i * down, 16);
    }
}

static void apply_bits(char *at, int64_t n, kt_dtype d, uint8_t bits)
{
    const bool conj = bits & KT_BIT_CONJ && kt__is_complex(d), neg = bits & KT_BIT_NEG;
    const int  parts = kt__is_complex(d) ? 2 : 1;
    for (int64_t i = 0; (conj || neg) && i < n; i++)
        for (int p = 0; p < parts; p++) {
            const bool flip = neg != (conj && p == 1);
            if (kt__is_single(d) && flip)
                ((float *)at)[parts * i + p] = -((float *)at)[parts * i + p];
            else if (flip)
                ((double *)at)[parts * i + p] = -((double *)at)[parts * i + p];
        }
}

/* Matrix `at` of an input to dense columns that are `ld` elements apart. */
static void load(const matrix *a, int64_t at, void *to, int ld)
{
    const size_t width = kt__width_of(a->dtype);
    for (int64_t j = 0; j < a->columns; j++) {
        char *column = (char *)to + (size_t)j * (size_t)ld * width;
        gather_column(column, a->data + at * a->step + j * a->right, a->down, a->rows, width);
        if (a->bits)
            apply_bits(column, a->rows, a->dtype, a->bits);
    }
}

/* One triangle and the diagonal are kept. */
static void clear_triangle(char *a, int64_t rows, int64_t columns, int ld, size_t width, bool keep_upper)
{
    for (int64_t j = 0; j < columns; j++) {
        char *column = a + (size_t)j * (size_t)ld * width;
        if (keep_upper && j + 1 < rows)
            memset(column + (size_t)(j + 1) * width, 0, (size_t)(rows - j - 1) * width);
        else if (!keep_upper)
            memset(column, 0, (size_t)(j < rows ? j : rows) * width);
    }
}

/* The other triangle of a Hermitian matrix. */
static void mirror_triangle(char *a, int n, kt_dtype d, bool from_upper)
{
    const size_t width = kt__width_of(d);
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++) {
            char *lower = a + ((size_t)j * (size_t)n + (size_t)i) * width,
                 *upper = a + ((size_t)i * (size_t)n + (size_t)j) * width;
            memcpy(from_upper ? lower : upper, from_upper ? upper : lower, width);
            apply_bits(from_upper ? lower : upper, 1, d, KT_BIT_CONJ);
        }
}

/* Columns of the identity, for a matrix without columns of its own. */
static void set_identity(char *a, int64_t rows, int64_t columns, kt_dtype d)
{
    const size_t width = kt__width_of(d);
    if (rows == 0 || columns == 0)
        return;
    memset(a, 0, (size_t)(rows * columns) * width);
    for (int64_t i = 0; i < rows && i < columns; i++) {
        char *at = a + (size_t)(i * rows + i) * width;
        if (kt__is_single(d))
            *(float *)at = 1;
        else
            *(double *)at = 1;
    }
}

/* ---- scratch memory ---- */
typedef struct scratch {
    char  *p;
    size_t granted;
    _Alignas(16) char few[128]; /* for what is small */
} scratch;

static bool take(scratch *s, size_t bytes)
{
    s->granted = 0;
    s->p = bytes <= sizeof s->few ? s->few : kt__block_get(bytes, &s->granted);
    return s->p != NULL;
}
static void give_back(scratch *s)
{
    if (s->p && s->p != s->few)
        kt__block_put(s->p, s->granted);
}

static size_t bytes_of(const matrix *a) { return (size_t)(a->rows * a->columns) * kt__width_of(a->dtype); }

/* Sets matrix `at` of an output to 0; one without elements may have no memory. */
static void clear(const matrix *a, int64_t at)
{
    if (bytes_of(a))
        memset(there(a, at), 0, bytes_of(a));
}

/* Matrix `at` of an input that is only read: itself if LAPACK can read it there, else a copy. NULL: no memory. */
static const void *borrow(const matrix *a, int64_t at, scratch *s, int *ld)
{
    const ptrdiff_t width = (ptrdiff_t)kt__width_of(a->dtype);
    const bool      fits = a->right % width == 0 && a->right / width >= ld_of(a) && a->right / width <= INT_MAX;
    s->p = NULL;
    if (!a->bits && (a->down == width || a->rows <= 1) && (fits || a->columns <= 1)) {
        *ld = a->columns > 1 ? (int)(a->right / width) : ld_of(a);
        return a->data + at * a->step;
    }
    *ld = ld_of(a);
    if (!take(s, bytes_of(a)))
        return NULL;
    load(a, at, s->p, *ld);
    return s->p;
}

/* ---- one matrix: each returns LAPACK's info ---- */
typedef struct job {
    const kt_plan    *plan;
    const kt__solver *solver;
    kt_dtype          dtype;
    matrix            arg[KT_MAX_OPERANDS];
    int (*run)(const struct job *j, int64_t at);
    int              info; /* the output that takes it; -1: none */
    _Atomic bool     starved;
} job;

static int64_t param(const job *j, int i) { return j->plan->param[i].v.i; }
static char    uplo(bool upper) { return upper ? 'U' : 'L'; }
static char    trans_of(int64_t how) { return how == 0 ? 'N' : how == 1 ? 'T' : 'C'; }

static int lu_factor(const job *j, int64_t at)
{
    const matrix *lu = &j->arg[0], *pivots = &j->arg[1];
    load(&j->arg[3], at, there(lu, at), ld_of(lu));
    if (!lu->rows || !lu->columns)
        return 0;
    return j->solver->lu(j->dtype, (int)lu->rows, (int)lu->columns, there(lu, at), ld_of(lu), there(pivots, at));
}

/* Rows were exchanged one after the other. */
static int lu_permutation(const job *j, int64_t at)
{
    const matrix *places = &j->arg[0], *pivots = &j->arg[1];
    int64_t      *to = there(places, at);
    for (int64_t i = 0; i < places->rows; i++)
        to[i] = i;
    for (int64_t i = 0; i < pivots->rows; i++) {
        int32_t pivot;
        memcpy(&pivot, pivots->data + at * pivots->step + i * pivots->down, sizeof pivot);
        if (i < places->rows && pivot >= 1 && pivot <= places->rows) {
            const int64_t other = to[pivot - 1];
            to[pivot - 1] = to[i];
            to[i] = other;
        }
    }
    return 0;
}

static int lu_solve(const job *j, int64_t at)
{
    const matrix *x = &j->arg[0], *lu = &j->arg[1], *pivots = &j->arg[2];
    scratch       own = {0}, rows = {0};
    int           ld, info = KT__NO_MEMORY;
    load(&j->arg[3], at, there(x, at), ld_of(x));
    if (!x->rows || !x->columns)
        return 0;
    const void *a = borrow(lu, at, &own, &ld);
    if (a && take(&rows, (size_t)pivots->rows * sizeof(int32_t))) {
        for (int64_t i = 0; i < pivots->rows; i++)
            memcpy(rows.p + 4 * i, pivots->data + at * pivots->step + i * pivots->down, 4);
        for (int64_t i = 0; i < pivots->rows; i++) { /* what the user passes must not lead outside the matrix */
            int32_t *pivot = (int32_t *)rows.p + i;
            *pivot = *pivot < 1 ? 1 : *pivot > x->rows ? (int32_t)x->rows : *pivot;
        }
        info = j->solver->lu_solve(j->dtype, trans_of(param(j, 0)), (int)x->rows, (int)x->columns, a, ld, (const int *)rows.p,
                                   there(x, at), ld_of(x));
    }
    give_back(&rows), give_back(&own);
    return info;
}

/* Of a singular matrix, given by its factors: what solving with them gives, infinities and NaN. */
static int solved_all_the_same(const job *j, void *factors, int n, const int *pivots)
{
    const size_t bytes = (size_t)n * (size_t)n * kt__width_of(j->dtype);
    scratch      lu;
    if (!take(&lu, bytes))
        return KT__NO_MEMORY;
    memcpy(lu.p, factors, bytes);
    set_identity(factors, n, n, j->dtype);
    j->solver->lu_solve(j->dtype, trans_of(0), n, n, lu.p, n, pivots, factors, n);
    give_back(&lu);
    return 0;
}

static int inverse(const job *j, int64_t at)
{
    const matrix *x = &j->arg[0];
    const int     n = (int)x->rows;
    scratch       pivots;
    load(&j->arg[2], at, there(x, at), ld_of(x));
    if (!n)
        return 0;
    if (!take(&pivots, (size_t)n * sizeof(int)))
        return KT__NO_MEMORY;
    int info = j->solver->lu(j->dtype, n, n, there(x, at), n, (int *)pivots.p);
    if (info == 0)
        info = j->solver->lu_invert(j->dtype, n, there(x, at), n, (const int *)pivots.p);
    else if (info > 0)
        info = solved_all_the_same(j, there(x, at), n, (const int *)pivots.p) ? KT__NO_MEMORY : info;
    give_back(&pivots);
    return info;
}

static int cholesky(const job *j, int64_t at)
{
    const matrix *l = &j->arg[0];
    const int     n = (int)l->rows;
    const bool    upper = param(j, 0) != 0;
    load(&j->arg[2], at, there(l, at), ld_of(l));
    int info = n ? j->solver->cholesky(j->dtype, uplo(upper), n, there(l, at), n) : 0;
    info = info ? info : kt__unordered_at(j->dtype, there(l, at), n);
    clear_triangle(there(l, at), n, n, ld_of(l), kt__width_of(j->dtype), upper);
    return info;
}

static int cholesky_solve(const job *j, int64_t at)
{
    const matrix *x = &j->arg[0];
    scratch       own = {0};
    int           ld;
    load(&j->arg[2], at, there(x, at), ld_of(x));
    if (!x->rows || !x->columns)
        return 0;
    const void *l = borrow(&j->arg[1], at, &own, &ld);
    const int   info = l ? j->solver->cholesky_solve(j->dtype, uplo(param(j, 0) != 0), (int)x->rows, (int)x->columns, l, ld,
                                                     there(x, at), ld_of(x))
                         : KT__NO_MEMORY;
    give_back(&own);
    return info;
}

static int cholesky_inverse(const job *j, int64_t at)
{
    const matrix *x = &j->arg[0];
    const int     n = (int)x->rows;
    const bool    upper = param(j, 0) != 0;
    load(&j->arg[2], at, there(x, at), ld_of(x));
    const int info = n ? j->solver->cholesky_invert(j->dtype, uplo(upper), n, there(x, at), n) : 0;
    mirror_triangle(there(x, at), n, j->dtype, upper);
    return info;
}

static int triangular_solve(const job *j, int64_t at)
{
    const matrix *x = &j->arg[0];
    const char    diag = param(j, 2) ? 'U' : 'N', side = param(j, 3) ? 'R' : 'L';
    scratch       own = {0};
    int           ld;
    load(&j->arg[2], at, there(x, at), ld_of(x));
    if (!x->rows || !x->columns)
        return 0;
    const void *a = borrow(&j->arg[1], at, &own, &ld);
    const int   info = a ? j->solver->triangular_solve(j->dtype, side, uplo(param(j, 0) != 0), trans_of(param(j, 1)), diag,
                                                       (int)x->rows, (int)x->columns, a, ld, there(x, at), ld_of(x))
                         : KT__NO_MEMORY;
    give_back(&own);
    return info;
}

static int qr(const job *j, int64_t at)
{
    const bool    wants_q = j->plan->n_out == 2;
    const matrix *r = &j->arg[0], *a = &j->arg[j->plan->n_out], *q = wants_q ? &j->arg[1] : NULL;
    const size_t  width = kt__width_of(j->dtype);
    const int     m = (int)a->rows, n = (int)a->columns, k = least(a);
    scratch       work;
    if (k == 0) {
        clear(r, at);
        if (q)
            set_identity(there(q, at), q->rows, q->columns, j->dtype);
        return 0;
    }
    if (!take(&work, bytes_of(a) + (size_t)k * width))
        return KT__NO_MEMORY;
    char *tau = work.p + bytes_of(a);
    load(a, at, work.p, m);
    int info = j->solver->reflect(j->dtype, m, n, work.p, m, tau);
    for (int64_t c = 0; c < n; c++)
        memcpy((char *)there(r, at) + (size_t)(c * r->rows) * width, work.p + (size_t)(c * m) * width, (size_t)r->rows * width);
    clear_triangle(there(r, at), r->rows, r->columns, ld_of(r), width, true);
    if (q && info == 0) {
        const int64_t shared = q->columns < n ? q->columns : n;
        clear(q, at);
        memcpy(there(q, at), work.p, (size_t)(shared * m) * width);
        info = j->solver->orthogonal(j->dtype, m, (int)q->columns, k, there(q, at), m, tau);
    }
    give_back(&work);
    return info;
}

static int reflectors(const job *j, int64_t at)
{
    const matrix *r = &j->arg[0];
    load(&j->arg[2], at, there(r, at), ld_of(r));
    if (!least(r))
        return 0;
    return j->solver->reflect(j->dtype, (int)r->rows, (int)r->columns, there(r, at), ld_of(r), there(&j->arg[1], at));
}

static int reflected(const job *j, int64_t at)
{
    const matrix *q = &j->arg[0], *tau = &j->arg[2];
    scratch       taus;
    load(&j->arg[1], at, there(q, at), ld_of(q));
    if (!q->columns)
        return 0;
    if (!take(&taus, bytes_of(tau)))
        return KT__NO_MEMORY;
    load(tau, at, taus.p, ld_of(tau));
    const int info =
        j->solver->orthogonal(j->dtype, (int)q->rows, (int)q->columns, (int)tau->rows, there(q, at), ld_of(q), taus.p);
    give_back(&taus);
    return info;
}

static int reflect(const job *j, int64_t at)
{
    const matrix *x = &j->arg[0], *a = &j->arg[1], *tau = &j->arg[2];
    const char    side = param(j, 1) ? 'R' : 'L';
    scratch       own = {0}, taus = {0};
    int           info = KT__NO_MEMORY;
    load(&j->arg[3], at, there(x, at), ld_of(x));
    if (!x->rows || !x->columns || !tau->rows)
        return 0;
    if (take(&own, bytes_of(a)) && take(&taus, bytes_of(tau))) {
        load(a, at, own.p, ld_of(a));
        load(tau, at, taus.p, ld_of(tau));
        info = j->solver->turn(j->dtype, side, trans_of(param(j, 0)), (int)x->rows, (int)x->columns, (int)tau->rows,
                               own.p, ld_of(a), taus.p, there(x, at), ld_of(x));
    }
    give_back(&taus), give_back(&own);
    return info;
}

static int ldl_factor(const job *j, int64_t at)
{
    const matrix *ld = &j->arg[0];
    const int     n = (int)ld->rows;
    load(&j->arg[3], at, there(ld, at), ld_of(ld));
    const int info = n ? j->solver->indefinite(j->dtype, param(j, 0) != 0, n, there(ld, at), n, there(&j->arg[1], at)) : 0;
    clear_triangle(there(ld, at), n, n, ld_of(ld), kt__width_of(j->dtype), false);
    return info;
}

/* What the user passes must not lead outside the matrix: a negative pivot stands for two rows, and both are negative. */
static void load_block_pivots(const matrix *pivots, int64_t at, int *to, int n)
{
    int row = 0;
    for (int i = 0; i < n; i++) {
        int32_t pivot;
        memcpy(&pivot, pivots->data + at * pivots->step + i * pivots->down, sizeof pivot);
        const int64_t size = pivot < 0 ? -(int64_t)pivot : pivot;
        const bool    second = row == 1, pair = second || (pivot < 0 && i + 1 < n);
        to[i] = (pair ? -1 : 1) * (int)(size < 1 ? 1 : size > n ? n : size);
        row = pair && !second ? 1 : 0;
    }
}

static int ldl_solve(const job *j, int64_t at)
{
    const matrix *x = &j->arg[0];
    const int     n = (int)x->rows;
    scratch       own = {0}, pivots = {0};
    int           ld, info = KT__NO_MEMORY;
    load(&j->arg[3], at, there(x, at), ld_of(x));
    if (!n || !x->columns)
        return 0;
    const void *a = borrow(&j->arg[1], at, &own, &ld);
    if (a && take(&pivots, (size_t)n * sizeof(int))) {
        load_block_pivots(&j->arg[2], at, (int *)pivots.p, n);
        info = j->solver->indefinite_solve(j->dtype, param(j, 0) != 0, n, (int)x->columns, a, ld, (const int *)pivots.p,
                                           there(x, at), ld_of(x));
    }
    give_back(&pivots), give_back(&own);
    return info;
}

static int eigh(const job *j, int64_t at)
{
    const bool    wanted = j->plan->n_out == 3;
    const matrix *a = &j->arg[j->plan->n_out];
    const int     n = (int)a->rows;
    scratch       work = {0};
    if (!wanted && !take(&work, bytes_of(a)))
        return KT__NO_MEMORY;
    void *vectors = wanted ? there(&j->arg[2], at) : work.p;
    load(a, at, vectors, ld_for(n));
    const bool upper = param(j, 0) != 0;
    int        info = 0;
    /* LAPACK's answer to NaN is that no off-diagonal element vanished, by two algorithms; some versions print, or loop. */
    if (n > 1 && !kt__finite_triangle(vectors, upper, n, j->dtype)) {
        kt__set_nan(there(&j->arg[0], at), n, kt__is_single(j->dtype));
        kt__set_nan(vectors, (int64_t)n * n * (kt__is_complex(j->dtype) ? 2 : 1), kt__is_single(j->dtype));
        info = n == 2 ? 0 : wanted ? n - 1 : n - 2;
    } else if (n) {
        info = j->solver->symmetric(j->dtype, wanted, uplo(upper), n, vectors, n, there(&j->arg[0], at));
    }
    give_back(&work);
    return info;
}

static int eig(const job *j, int64_t at)
{
    const bool    wanted = j->plan->n_out == 3;
    const matrix *a = &j->arg[j->plan->n_out];
    const int     n = (int)a->rows;
    scratch       work;
    if (n == 0)
        return 0;
    if (!take(&work, bytes_of(a)))
        return KT__NO_MEMORY;
    load(a, at, work.p, n);
    const int info = kt__finite_numbers(work.p, (int64_t)n * n, j->dtype)
                         ? j->solver->general(j->dtype, n, work.p, n, there(&j->arg[0], at),
                                              wanted ? there(&j->arg[2], at) : NULL, n)
                         : -1;
    give_back(&work);
    return info;
}

static int svd(const job *j, int64_t at)
{
    const bool    wanted = j->plan->n_out == 4;
    const matrix *a = &j->arg[j->plan->n_out], *u = wanted ? &j->arg[2] : NULL, *vh = wanted ? &j->arg[3] : NULL;
    const int     m = (int)a->rows, n = (int)a->columns;
    scratch       work;
    if (least(a) == 0) {
        if (wanted) {
            set_identity(there(u, at), u->rows, u->columns, j->dtype);
            set_identity(there(vh, at), vh->rows, vh->columns, j->dtype);
        }
        return 0;
    }
    if (!take(&work, bytes_of(a)))
        return KT__NO_MEMORY;
    load(a, at, work.p, m);
    const char extent = !wanted ? 'N' : u->columns == m && vh->rows == n ? 'A' : 'S';
    int        info = -4; /* gesdd's: argument 4 is not finite */
    if (kt__finite_numbers(work.p, (int64_t)m * n, j->dtype))
        info = j->solver->singular(j->dtype, extent, m, n, work.p, m, there(&j->arg[0], at), wanted ? there(u, at) : NULL, m,
                                   wanted ? there(vh, at) : NULL, wanted ? ld_of(vh) : 1);
    else if (!wanted && !kt__some_nan(work.p, (int64_t)m * n, j->dtype)) { /* of infinities the values alone are given */
        kt__set_nan(there(&j->arg[0], at), least(a), kt__is_single(j->dtype));
        info = 0;
    }
    give_back(&work);
    return info;
}

static int least_squares(const job *j, int64_t at)
{
    const matrix *x = &j->arg[0], *a = &j->arg[4], *b = &j->arg[5];
    const int     m = (int)a->rows, n = (int)a->columns, columns = (int)b->columns;
    int64_t      *rank = there(&j->arg[1], at);
    scratch       work;
    int           found = 0;
    clear(x, at);
    load(b, at, there(x, at), ld_of(x));
    *rank = 0;
    if (!m || !n) {
        clear(x, at);
        return 0;
    }
    if (!take(&work, bytes_of(a) + (size_t)least(a) * sizeof(double)))
        return KT__NO_MEMORY;
    load(a, at, work.p, m);
    void     *values = j->arg[2].rows ? there(&j->arg[2], at) : work.p + bytes_of(a);
    const int info = kt__finite_numbers(work.p, (int64_t)m * n, j->dtype)
                         ? j->solver->least_squares(j->dtype, (int)param(j, 0), m, n, columns, work.p, m, there(x, at), ld_of(x),
                                                    j->plan->param[1].v.re, &found, values)
                         : -1;
    *rank = found;
    give_back(&work);
    return info;
}

/* ---- batches ---- */
static const struct {
    int (*run)(const job *j, int64_t at);
    int8_t info; /* which output takes what LAPACK says; -1: none */
} kernels[] = {
#define AT(name) [KT__PLACE_OF(KT_K_##name)]
    AT(lu_factor) = {lu_factor, 2},
    AT(lu_permutation) = {lu_permutation, -1},
    AT(lu_solve) = {lu_solve, -1},
    AT(inverse) = {inverse, 1},
    AT(cholesky) = {cholesky, 1},
    AT(cholesky_solve) = {cholesky_solve, -1},
    AT(cholesky_inverse) = {cholesky_inverse, 1},
    AT(triangular_solve) = {triangular_solve, -1},
    AT(qr) = {qr, -1},
    AT(eigh) = {eigh, 1},
    AT(eig) = {eig, 1},
    AT(svd) = {svd, 1},
    AT(least_squares) = {least_squares, 3},
    AT(reflectors) = {reflectors, -1},
    AT(reflected) = {reflected, -1},
    AT(reflect) = {reflect, -1},
    AT(ldl_factor) = {ldl_factor, 2},
    AT(ldl_solve) = {ldl_solve, -1},
#undef AT
};

static void run_part(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    for (int64_t at = begin; at < end; at++) {
        const int info = j->run(j, at);
        if (info == KT__NO_MEMORY)
            j->starved = true;
        else if (j->info >= 0)
            memcpy(there(&j->arg[j->info], at), &info, sizeof info);
    }
}

/* Work of one matrix, in elements that a thread could add meanwhile. */
static int64_t grain_of(const job *j)
{
    int64_t most = 1, least_side = 1;
    for (int i = 0; i < j->plan->n_out + j->plan->n_in; i++) {
        const int64_t size = j->arg[i].rows * j->arg[i].columns, side = least(&j->arg[i]);
        most = size > most ? size : most;
        least_side = side > least_side ? side : least_side;
    }
    enum { CALL = 64 }; /* what a matrix without elements takes */
    const int64_t work = most * least_side / 4 + CALL;
    return work >= KT__GRAIN ? 1 : KT__GRAIN / work;
}

/* Products and permutations are there for every dtype. */
bool kt__cpu_has_linalg(kt_kernel_id kernel, kt_compute compute)
{
    return kernel == KT_K_matmul || kernel == KT_K_lu_permutation || compute == KT_IN_F32 || compute == KT_IN_F64 ||
           compute == KT_IN_C64 || compute == KT_IN_C128;
}

kt_status kt__cpu_linalg(const kt_plan *plan)
{
    static const kt_dtype dtypes[KT_NUM_COMPUTE] = {
        [KT_IN_F32] = KT_F32, [KT_IN_F64] = KT_F64, [KT_IN_C64] = KT_C64, [KT_IN_C128] = KT_C128};
    const int place = KT__PLACE_OF(plan->kernel);
    job       j = {.plan = plan, .dtype = dtypes[plan->compute], .run = kernels[place].run, .info = kernels[place].info};
    for (int i = 0; i < plan->n_out + plan->n_in; i++) {
        j.arg[i] = operand(plan, i);
        if (j.arg[i].rows > INT_MAX || j.arg[i].columns > INT_MAX)
            return kt_fail(KT_ERR_RUNTIME, "a matrix of %lld by %lld elements is too large for LAPACK", (long long)j.arg[i].rows,
                           (long long)j.arg[i].columns);
    }
    j.solver = kt__solver_in_use();
    if (plan->kernel == KT_K_eig && !j.solver->general)
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "linalg.eig: eigenvalues of general matrices need LAPACK: install libopenblas0");
    atomic_init(&j.starved, false);
    kt__ran_with = j.solver == &kt__own_solver ? NULL : "LAPACK (OpenBLAS)";
    kt__parallel(j.arg[0].batch, grain_of(&j), run_part, &j);
    return j.starved ? kt_fail(KT_ERR_MEMORY, "not enough memory to factor a matrix") : KT_OK;
}

/* ---- who solves ---- */
static _Atomic(const kt__solver *) chosen;

const kt__solver *kt__solver_in_use(void)
{
    const kt__solver *solver = atomic_load(&chosen);
    if (solver)
        return solver;
    solver = kt__lapack();
    return solver ? solver : &kt__own_solver;
}

void kt__solver_choose(const kt__solver *solver) { atomic_store(&chosen, solver); }
