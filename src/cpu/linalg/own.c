/* own.c - linear algebra without LAPACK, for machines that have none: short algorithms, in complex128 whatever the dtype.
 *
 * In: one matrix at a time (solver.h). Out: as LAPACK, with its conventions of pivots, reflectors and info. Slow beside it, and
 * as exact. Eigenvalues of general matrices are not here. Independent of: plans, threads.
 *
 * G. H. Golub and C. F. Van Loan, Matrix Computations (4th ed., 2013): sections 3.4 (LU), 4.2 (Cholesky), 5.1 and 5.2
 * (reflectors), 8.5 (Jacobi); singular values by one-sided rotations: M. R. Hestenes, Journal of SIAM 6 (1958). */
#include <math.h>
#include <string.h>

#include "cpu/linalg/own.h"

static void store_reals(kt_dtype d, void *to, const double *from, int n)
{
    const kt_dtype real = kt__real_of(d);
    kt__convert(to, real, (ptrdiff_t)kt__width_of(real), from, KT_F64, sizeof(double), n);
}


/* ---- triangles ---- */

/* Solves with a triangle of `a`, in place: op(A) X = B. */
static void solve_left(const work *a, char uplo, char trans, char diag, work *b)
{
    const int  n = b->rows;
    const bool forward = (uplo == 'L') == (trans == 'N');
    for (int c = 0; c < b->columns; c++) {
        number *x = column(b, c);
        for (int s = 0; s < n; s++) {
            const int i = forward ? s : n - 1 - s;
            number    sum = x[i];
            for (int k = forward ? 0 : i + 1; k < (forward ? i : n); k++)
                sum -= (trans == 'N' ? AT(*a, i, k) : turned(AT(*a, k, i), trans)) * x[k];
            x[i] = diag == 'U' ? sum : sum / turned(AT(*a, i, i), trans);
        }
    }
}

static void transpose_into(work *to, const work *from)
{
    for (int j = 0; j < from->columns; j++)
        for (int i = 0; i < from->rows; i++)
            AT(*to, j, i) = AT(*from, i, j);
}

static int triangular_solve(kt_dtype d, char side, char uplo, char trans, char diag, int m, int n, const void *a, int ld, void *b,
                            int ldb)
{
    const int order = side == 'L' ? m : n;
    work      t = {0}, x = {0}, xt = {0};
    int       info = KT__NO_MEMORY;
    if (copy_in(&t, d, order, order, a, ld) && copy_in(&x, d, m, n, b, ldb) && take(&xt, n, m)) {
        if (side == 'L') {
            solve_left(&t, uplo, trans, diag, &x);
        } else { /* X op(A) = B is op(A)^T X^T = B^T */
            transpose_into(&xt, &x);
            if (trans == 'C') /* conj(A) X^T = B^T */
                for (size_t i = 0; i < (size_t)order * (size_t)order; i++)
                    t.p[i] = conj(t.p[i]);
            solve_left(&t, uplo, trans == 'N' ? 'T' : 'N', diag, &xt);
            transpose_into(&x, &xt);
        }
        narrow_to(&x, d, b, ldb);
        info = 0;
    }
    give_back(&xt), give_back(&x), give_back(&t);
    return info;
}

/* ---- LU ---- */
static int lu(kt_dtype d, int m, int n, void *a, int ld, int *pivots)
{
    const int k = m < n ? m : n;
    int       info = 0;
    work      w;
    if (!copy_in(&w, d, m, n, a, ld))
        return KT__NO_MEMORY;
    for (int s = 0; s < k; s++) {
        int best = s;
        for (int i = s + 1; i < m; i++)
            if (fabs(creal(AT(w, i, s))) + fabs(cimag(AT(w, i, s))) > fabs(creal(AT(w, best, s))) + fabs(cimag(AT(w, best, s))))
                best = i;
        pivots[s] = best + 1;
        exchange_rows(&w, s, best);
        const number pivot = AT(w, s, s);
        if (pivot == 0) {
            info = info ? info : s + 1;
            continue;
        }
        for (int i = s + 1; i < m; i++)
            AT(w, i, s) /= pivot;
        for (int j = s + 1; j < n; j++)
            for (int i = s + 1; i < m; i++)
                AT(w, i, j) -= AT(w, i, s) * AT(w, s, j);
    }
    narrow_to(&w, d, a, ld);
    give_back(&w);
    return info;
}

static void solve_factored(const work *f, char trans, const int *pivots, work *x)
{
    const int n = x->rows;
    for (int i = 0; trans == 'N' && i < n; i++)
        exchange_rows(x, i, pivots[i] - 1);
    solve_left(f, trans == 'N' ? 'L' : 'U', trans, trans == 'N' ? 'U' : 'N', x);
    solve_left(f, trans == 'N' ? 'U' : 'L', trans, trans == 'N' ? 'N' : 'U', x);
    for (int i = n - 1; trans != 'N' && i >= 0; i--)
        exchange_rows(x, i, pivots[i] - 1);
}

static int lu_solve(kt_dtype d, char trans, int n, int columns, const void *a, int ld, const int *pivots, void *b, int ldb)
{
    work f = {0}, x = {0};
    int  info = KT__NO_MEMORY;
    if (copy_in(&f, d, n, n, a, ld) && copy_in(&x, d, n, columns, b, ldb)) {
        solve_factored(&f, trans, pivots, &x);
        narrow_to(&x, d, b, ldb);
        info = 0;
    }
    give_back(&x), give_back(&f);
    return info;
}

static int lu_invert(kt_dtype d, int n, void *a, int ld, const int *pivots)
{
    work f = {0}, x = {0};
    int  info = KT__NO_MEMORY;
    if (copy_in(&f, d, n, n, a, ld) && take(&x, n, n)) {
        for (int i = 0; i < n; i++)
            AT(x, i, i) = 1;
        solve_factored(&f, 'N', pivots, &x);
        narrow_to(&x, d, a, ld);
        info = 0;
    }
    give_back(&x), give_back(&f);
    return info;
}

/* ---- Cholesky: the lower factor is computed; an upper one is its adjoint ---- */
static int cholesky(kt_dtype d, char uplo, int n, void *a, int ld)
{
    int  info = 0;
    work w;
    if (!copy_in(&w, d, n, n, a, ld))
        return KT__NO_MEMORY;
    const bool upper = uplo == 'U';
#define L(i, j) (*(upper ? &AT(w, j, i) : &AT(w, i, j))) /* upper: of conj(L), which satisfies the same equations conjugated */
    for (int j = 0; j < n && !info; j++) {
        double left = creal(L(j, j));
        for (int k = 0; k < j; k++)
            left -= creal(L(j, k)) * creal(L(j, k)) + cimag(L(j, k)) * cimag(L(j, k));
        if (left <= 0) {
            info = j + 1;
            break;
        }
        L(j, j) = sqrt(left);
        for (int i = j + 1; i < n; i++) {
            number sum = L(i, j);
            for (int k = 0; k < j; k++)
                sum -= L(i, k) * conj(L(j, k));
            L(i, j) = sum / L(j, j);
        }
    }
#undef L
    narrow_to(&w, d, a, ld);
    give_back(&w);
    return info;
}

static void solve_positive(const work *l, char uplo, work *x)
{
    solve_left(l, uplo, uplo == 'L' ? 'N' : 'C', 'N', x);
    solve_left(l, uplo, uplo == 'L' ? 'C' : 'N', 'N', x);
}

static int cholesky_solve(kt_dtype d, char uplo, int n, int columns, const void *a, int ld, void *b, int ldb)
{
    work l = {0}, x = {0};
    int  info = KT__NO_MEMORY;
    if (copy_in(&l, d, n, n, a, ld) && copy_in(&x, d, n, columns, b, ldb)) {
        solve_positive(&l, uplo, &x);
        narrow_to(&x, d, b, ldb);
        info = 0;
    }
    give_back(&x), give_back(&l);
    return info;
}

static int cholesky_invert(kt_dtype d, char uplo, int n, void *a, int ld)
{
    work l = {0}, x = {0};
    int  info = KT__NO_MEMORY;
    if (copy_in(&l, d, n, n, a, ld) && take(&x, n, n)) {
        info = 0;
        for (int i = 0; i < n; i++) {
            AT(x, i, i) = 1;
            if (AT(l, i, i) == 0 && !info)
                info = i + 1;
        }
        if (!info) {
            solve_positive(&l, uplo, &x);
            narrow_to(&x, d, a, ld);
        }
    }
    give_back(&x), give_back(&l);
    return info;
}

/* ---- QR: reflectors I - tau v v^H, v below the diagonal with 1 on it ---- */
static void apply_reflector(work *w, int s, number tau, const number *v, int first)
{
    for (int j = first; j < w->columns; j++) {
        number sum = AT(*w, s, j);
        for (int i = s + 1; i < w->rows; i++)
            sum += conj(v[i]) * AT(*w, i, j);
        sum *= tau;
        AT(*w, s, j) -= sum;
        for (int i = s + 1; i < w->rows; i++)
            AT(*w, i, j) -= v[i] * sum;
    }
}

static int reflect(kt_dtype d, int m, int n, void *a, int ld, void *taus)
{
    const int k = m < n ? m : n;
    work      w = {0}, t = {0};
    if (!copy_in(&w, d, m, n, a, ld) || !take(&t, k, 1)) {
        give_back(&w);
        return KT__NO_MEMORY;
    }
    for (int s = 0; s < k; s++) {
        number *v = column(&w, s), alpha = v[s];
        double  rest = 0;
        for (int i = s + 1; i < m; i++)
            rest = hypot(rest, size_of(v[i]));
        if (rest == 0 && cimag(alpha) == 0)
            continue; /* tau is 0: nothing to reflect */
        const double beta = -copysign(hypot(size_of(alpha), rest), creal(alpha));
        const number tau = (beta - alpha) / beta;
        for (int i = s + 1; i < m; i++)
            v[i] /= alpha - beta;
        t.p[s] = tau;
        apply_reflector(&w, s, conj(tau), v, s + 1);
        v[s] = beta;
    }
    narrow_to(&w, d, a, ld);
    narrow_to(&t, d, taus, k ? k : 1);
    give_back(&t), give_back(&w);
    return 0;
}

static int orthogonal(kt_dtype d, int m, int n, int k, void *a, int ld, const void *taus)
{
    work v = {0}, t = {0}, q = {0};
    int  info = KT__NO_MEMORY;
    if (copy_in(&v, d, m, n, a, ld) && copy_in(&t, d, k, 1, taus, k ? k : 1) && take(&q, m, n)) {
        for (int i = 0; i < n; i++)
            AT(q, i, i) = 1;
        for (int s = k - 1; s >= 0; s--)
            apply_reflector(&q, s, t.p[s], column(&v, s), 0);
        narrow_to(&q, d, a, ld);
        info = 0;
    }
    give_back(&q), give_back(&t), give_back(&v);
    return info;
}

/* Q is H1 H2 ... Hk: from the left Hk comes first, from the right H1; of its adjoint the other way round. */
static int turn(kt_dtype d, char side, char trans, int m, int n, int k, void *a, int ld, const void *taus, void *c, int ldc)
{
    const int  order = side == 'L' ? m : n;
    const bool last_first = (side == 'L') == (trans == 'N');
    work       v = {0}, t = {0}, x = {0}, xt = {0};
    int        info = KT__NO_MEMORY;
    if (copy_in(&v, d, order, k, a, ld) && copy_in(&t, d, k, 1, taus, k ? k : 1) && copy_in(&x, d, m, n, c, ldc) &&
        take(&xt, n, m)) {
        if (side == 'R') /* C H = (H^H C^H)^H */
            adjoint_into(&xt, &x);
        work *on = side == 'L' ? &x : &xt;
        for (int s = 0; s < k; s++) {
            const int    i = last_first ? k - 1 - s : s;
            const number tau = (side == 'L') == (trans == 'N') ? t.p[i] : conj(t.p[i]);
            apply_reflector(on, i, tau, column(&v, i), 0);
        }
        if (side == 'R')
            adjoint_into(&x, &xt);
        narrow_to(&x, d, c, ldc);
        info = 0;
    }
    give_back(&xt), give_back(&x), give_back(&t), give_back(&v);
    return info;
}

/* ---- Jacobi's rotations ---- */
enum { SWEEPS = 60 };

/* Columns p and q of w become cos p - sin conj(phase) q, sin phase p + cos q. */
static void rotate_columns(work *w, int p, int q, double cosine, double sine, number phase)
{
    for (int i = 0; i < w->rows; i++) {
        const number x = AT(*w, i, p), y = AT(*w, i, q);
        AT(*w, i, p) = cosine * x - sine * conj(phase) * y;
        AT(*w, i, q) = sine * phase * x + cosine * y;
    }
}

/* The rotation after which the Gram matrix [a, c; conj c, b] of two columns is diagonal. */
static void rotation_of(double a, double b, number c, double *cosine, double *sine, number *phase)
{
    const double size = size_of(c), ratio = (b - a) / (2 * size);
    const double tangent = copysign(1, ratio) / (fabs(ratio) + hypot(1, ratio));
    *phase = c / size;
    *cosine = 1 / hypot(1, tangent);
    *sine = tangent * *cosine;
}

/* One-sided: rotates columns of w until they are orthogonal, and those of v with them. Is it done? */
static bool orthogonalise(work *w, work *v)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool rotated = false;
        for (int p = 0; p + 1 < w->columns; p++)
            for (int q = p + 1; q < w->columns; q++) {
                double a = 0, b = 0;
                number c = 0;
                for (int i = 0; i < w->rows; i++) {
                    const number x = AT(*w, i, p), y = AT(*w, i, q);
                    a += creal(x) * creal(x) + cimag(x) * cimag(x);
                    b += creal(y) * creal(y) + cimag(y) * cimag(y);
                    c += conj(x) * y;
                }
                if (size_of(c) <= 1e-15 * sqrt(a * b) || size_of(c) == 0)
                    continue;
                double cosine, sine;
                number phase;
                rotation_of(a, b, c, &cosine, &sine, &phase);
                rotate_columns(w, p, q, cosine, sine, phase);
                rotate_columns(v, p, q, cosine, sine, phase);
                rotated = true;
            }
        if (!rotated)
            return true;
    }
    return false;
}

static void exchange_columns(work *w, int a, int b)
{
    for (int i = 0; i < w->rows; i++) {
        const number x = AT(*w, i, a);
        AT(*w, i, a) = AT(*w, i, b);
        AT(*w, i, b) = x;
    }
}

/* Values in order, columns with them. */
static void sort_values(double *values, int n, bool ascending, work *first, work *second)
{
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int j = i + 1; j < n; j++)
            if (ascending ? values[j] < values[best] : values[j] > values[best])
                best = j;
        const double x = values[i];
        values[i] = values[best];
        values[best] = x;
        if (best != i) {
            exchange_columns(first, i, best);
            if (second)
                exchange_columns(second, i, best);
        }
    }
}

/* Two-sided rotations of a Hermitian matrix. */
static bool diagonalise(work *a, work *v)
{
    const int n = a->rows;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0, on = 0;
        for (int j = 0; j < n; j++)
            for (int i = 0; i <= j; i++)
                *(i == j ? &on : &off) = hypot(i == j ? on : off, size_of(AT(*a, i, j)));
        if (off <= 1e-16 * on || off == 0)
            return true;
        for (int p = 0; p + 1 < n; p++)
            for (int q = p + 1; q < n; q++) {
                double cosine, sine;
                number phase;
                if (size_of(AT(*a, p, q)) == 0)
                    continue;
                rotation_of(creal(AT(*a, p, p)), creal(AT(*a, q, q)), AT(*a, p, q), &cosine, &sine, &phase);
                rotate_columns(a, p, q, cosine, sine, phase);
                for (int j = 0; j < n; j++) { /* the rows, conjugated */
                    const number x = AT(*a, p, j), y = AT(*a, q, j);
                    AT(*a, p, j) = cosine * x - sine * phase * y;
                    AT(*a, q, j) = sine * conj(phase) * x + cosine * y;
                }
                rotate_columns(v, p, q, cosine, sine, phase);
            }
    }
    return false;
}

static int symmetric(kt_dtype d, bool vectors, char uplo, int n, void *a, int ld, void *values)
{
    work w = {0}, v = {0}, s = {0};
    int  info = KT__NO_MEMORY;
    if (copy_in(&w, d, n, n, a, ld) && take(&v, n, n) && take(&s, n, 1)) {
        double *found = (double *)s.p;
        for (int j = 0; j < n; j++) {
            AT(v, j, j) = 1;
            AT(w, j, j) = creal(AT(w, j, j));
            for (int i = j + 1; i < n; i++) {
                if (uplo == 'L')
                    AT(w, j, i) = conj(AT(w, i, j));
                else
                    AT(w, i, j) = conj(AT(w, j, i));
            }
        }
        info = diagonalise(&w, &v) ? 0 : n - 1;
        for (int i = 0; i < n; i++)
            found[i] = creal(AT(w, i, i));
        sort_values(found, n, true, &v, NULL);
        store_reals(d, values, found, n);
        if (vectors)
            narrow_to(&v, d, a, ld);
    }
    give_back(&s), give_back(&v), give_back(&w);
    return info;
}

/* The columns from `have` on become orthonormal to those before them: unit vectors, less what lies along the others. */
static void complete(work *u, int have)
{
    for (int j = have, unit = 0; j < u->columns && unit < u->rows; unit++) {
        number *x = column(u, j);
        memset(x, 0, (size_t)u->rows * sizeof *x);
        x[unit] = 1;
        for (int twice = 0; twice < 2; twice++)
            for (int k = 0; k < j; k++) {
                number along = 0;
                for (int i = 0; i < u->rows; i++)
                    along += conj(AT(*u, i, k)) * x[i];
                for (int i = 0; i < u->rows; i++)
                    x[i] -= along * AT(*u, i, k);
            }
        double size = 0;
        for (int i = 0; i < u->rows; i++)
            size = hypot(size, size_of(x[i]));
        if (size < 0.5 / sqrt((double)u->rows + 1))
            continue;
        for (int i = 0; i < u->rows; i++)
            x[i] /= size;
        j++;
    }
}

/* A = U diag(s) V^H of a matrix with at least as many rows as columns; u has the columns that are wanted. */
static bool decompose(work *a, work *u, work *v, double *s)
{
    const int n = a->columns;
    for (int i = 0; i < n; i++)
        AT(*v, i, i) = 1;
    const bool done = orthogonalise(a, v);
    for (int j = 0; j < n; j++) {
        s[j] = 0;
        for (int i = 0; i < a->rows; i++)
            s[j] = hypot(s[j], size_of(AT(*a, i, j)));
    }
    sort_values(s, n, false, a, v);
    int have = 0;
    while (have < n && s[have] > 0)
        have++;
    for (int j = 0; j < have; j++)
        for (int i = 0; i < a->rows; i++)
            AT(*u, i, j) = AT(*a, i, j) / s[j];
    complete(u, have);
    return done;
}

static int singular(kt_dtype d, char job, int m, int n, void *a, int ld, void *s, void *u, int ldu, void *vh, int ldvh)
{
    const bool wide = m < n; /* then A^H = V diag(s) U^H is decomposed */
    const int  tall = wide ? n : m, slim = wide ? m : n, left_columns = job == 'A' ? tall : slim;
    work       in = {0}, w = {0}, left = {0}, right = {0}, values = {0}, turn = {0};
    int        info = KT__NO_MEMORY;
    if (copy_in(&in, d, m, n, a, ld) && take(&w, tall, slim) && take(&left, tall, left_columns) && take(&right, slim, slim) &&
        take(&values, slim, 1) && take(&turn, wide ? left_columns : slim, wide ? tall : slim)) {
        if (wide)
            adjoint_into(&w, &in);
        else
            memcpy(w.p, in.p, (size_t)m * (size_t)n * sizeof(number));
        info = decompose(&w, &left, &right, (double *)values.p) ? 0 : 1;
        store_reals(d, s, (const double *)values.p, slim);
        if (job != 'N') {
            adjoint_into(&turn, wide ? &left : &right);
            narrow_to(wide ? &right : &left, d, u, ldu);
            narrow_to(&turn, d, vh, ldvh);
        }
    }
    give_back(&turn), give_back(&values), give_back(&right), give_back(&left), give_back(&w), give_back(&in);
    return info;
}

/* By singular values, whichever driver is asked for: small ones count as 0. */
static int least_squares(kt_dtype d, int driver, int m, int n, int columns, void *a, int ld, void *b, int ldb, double rcond,
                         int *rank, void *s)
{
    const bool wide = m < n;
    const int  tall = wide ? n : m, slim = wide ? m : n;
    work       in = {0}, w = {0}, left = {0}, right = {0}, values = {0}, rhs = {0}, x = {0};
    int        info = KT__NO_MEMORY;
    (void)driver;
    if (copy_in(&in, d, m, n, a, ld) && take(&w, tall, slim) && take(&left, tall, slim) && take(&right, slim, slim) &&
        take(&values, slim, 1) && copy_in(&rhs, d, m, columns, b, ldb) && take(&x, n, columns)) {
        double *value = (double *)values.p;
        if (wide)
            adjoint_into(&w, &in);
        else
            memcpy(w.p, in.p, (size_t)m * (size_t)n * sizeof(number));
        info = decompose(&w, &left, &right, value) ? 0 : 1;
        if (rcond < 0)
            rcond = kt__is_single(d) ? 0x1p-23 : 0x1p-52;
        const work *u = wide ? &right : &left, *v = wide ? &left : &right;
        *rank = 0;
        for (int k = 0; k < slim && value[k] > rcond * value[0]; k++, ++*rank)
            for (int c = 0; c < columns; c++) {
                number along = 0;
                for (int i = 0; i < m; i++)
                    along += conj(AT(*u, i, k)) * AT(rhs, i, c);
                for (int i = 0; i < n; i++)
                    AT(x, i, c) += AT(*v, i, k) * (along / value[k]);
            }
        narrow_to(&x, d, b, ldb);
        store_reals(d, s, value, slim);
    }
    give_back(&x), give_back(&rhs), give_back(&values), give_back(&right), give_back(&left), give_back(&w), give_back(&in);
    return info;
}

const kt__solver kt__own_solver = {
    .lu = lu,
    .lu_solve = lu_solve,
    .lu_invert = lu_invert,
    .cholesky = cholesky,
    .cholesky_solve = cholesky_solve,
    .cholesky_invert = cholesky_invert,
    .triangular_solve = triangular_solve,
    .reflect = reflect,
    .orthogonal = orthogonal,
    .turn = turn,
    .indefinite = kt__own_indefinite,
    .indefinite_solve = kt__own_indefinite_solve,
    .symmetric = symmetric,
    .singular = singular,
    .least_squares = least_squares,
};
