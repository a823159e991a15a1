/* own_indefinite.c - LDL factors without LAPACK: D has blocks of 1 and of 2. J. R. Bunch and L. Kaufman, Some stable methods for
 * calculating inertia and solving symmetric linear systems, Mathematics of Computation 31 (1977).
 *
 * In: one matrix at a time, of which the lower triangle is read (solver.h). Out: as sytrf and hetrf: L below D, pivots that are
 * negative and equal for a block of 2, rows of L as they were when their column was made. Independent of: plans, threads. */
#include "cpu/linalg/own.h"

static number other_half(number x, bool hermitian) { return hermitian ? conj(x) : x; }

static double weight_of(number x) { return fabs(creal(x)) + fabs(cimag(x)); } /* by which LAPACK chooses */

/* The whole matrix from its lower triangle. */
static void mirror(work *w, bool hermitian)
{
    for (int j = 0; j < w->columns; j++) {
        if (hermitian)
            AT(*w, j, j) = creal(AT(*w, j, j));
        for (int i = j + 1; i < w->rows; i++)
            AT(*w, j, i) = other_half(AT(*w, i, j), hermitian);
    }
}

/* Rows and columns a and b of what is left from `from` on. */
static void exchange(work *w, int from, int a, int b)
{
    for (int j = from; a != b && j < w->columns; j++) {
        const number x = AT(*w, a, j);
        AT(*w, a, j) = AT(*w, b, j);
        AT(*w, b, j) = x;
    }
    for (int i = from; a != b && i < w->rows; i++) {
        const number x = AT(*w, i, a);
        AT(*w, i, a) = AT(*w, i, b);
        AT(*w, i, b) = x;
    }
}

/* The largest element of column j from row `from` on, but for row j. */
static double largest(const work *w, int j, int from, int *at)
{
    double most = 0;
    for (int i = from; i < w->rows; i++)
        if (i != j && weight_of(AT(*w, i, j)) > most) {
            most = weight_of(AT(*w, i, j));
            *at = i;
        }
    return most;
}

/* How many columns step k takes, and which row comes to its last. */
static int choose(const work *w, int k, int *row)
{
    const double share = (1 + sqrt(17)) / 8, here = weight_of(AT(*w, k, k));
    int          far = k, beyond = k;
    const double below = largest(w, k, k + 1, &far);
    *row = k;
    if (here >= share * below)
        return 1;
    const double across = largest(w, far, k, &beyond);
    if (here >= share * below * (below / across))
        return 1;
    *row = far;
    return weight_of(AT(*w, far, far)) >= share * across ? 1 : 2;
}

static void eliminate_one(work *w, int k)
{
    const number d = AT(*w, k, k);
    for (int j = k + 1; j < w->columns; j++) {
        const number factor = AT(*w, k, j) / d;
        for (int i = k + 1; i < w->rows; i++)
            AT(*w, i, j) -= AT(*w, i, k) * factor;
    }
    for (int i = k + 1; i < w->rows; i++)
        AT(*w, i, k) /= d;
}

static void eliminate_two(work *w, int k)
{
    const number a = AT(*w, k, k), b = AT(*w, k, k + 1), c = AT(*w, k + 1, k), d = AT(*w, k + 1, k + 1),
                 det = a * d - b * c;
    for (int j = k + 2; j < w->columns; j++) { /* what is left, less X D^-1 X^H */
        const number x = AT(*w, k, j), y = AT(*w, k + 1, j), first = (d * x - b * y) / det,
                     second = (a * y - c * x) / det;
        for (int i = k + 2; i < w->rows; i++)
            AT(*w, i, j) -= AT(*w, i, k) * first + AT(*w, i, k + 1) * second;
    }
    for (int i = k + 2; i < w->rows; i++) { /* L is X D^-1 */
        const number x = AT(*w, i, k), y = AT(*w, i, k + 1);
        AT(*w, i, k) = (x * d - y * c) / det;
        AT(*w, i, k + 1) = (y * a - x * b) / det;
    }
}

int kt__own_indefinite(kt_dtype d, bool hermitian, int n, void *a, int ld, int *pivots)
{
    work w;
    int  info = 0;
    if (!copy_in(&w, d, n, n, a, ld))
        return KT__NO_MEMORY;
    mirror(&w, hermitian);
    for (int k = 0, row, step; k < n; k += step) {
        step = choose(&w, k, &row);
        if (step == 1 && row == k && AT(w, k, k) == 0) { /* nothing below it either */
            info = info ? info : k + 1;
            pivots[k] = k + 1;
            continue;
        }
        exchange(&w, k, k + step - 1, row);
        if (step == 1) {
            eliminate_one(&w, k);
            pivots[k] = row + 1;
        } else {
            eliminate_two(&w, k);
            pivots[k] = pivots[k + 1] = -(row + 1);
        }
    }
    for (int j = 1; j < n; j++) /* the upper triangle is kept as it was */
        kt__convert(column(&w, j), KT_C128, sizeof(number), (const char *)a + (size_t)j * (size_t)ld * kt__width_of(d),
                    d, (ptrdiff_t)kt__width_of(d), j);
    narrow_to(&w, d, a, ld);
    give_back(&w);
    return info;
}

/* Rows below `from` less their part of column k of L. */
static void subtract_column(const work *l, int k, int from, work *x)
{
    for (int c = 0; c < x->columns; c++)
        for (int i = from; i < x->rows; i++)
            AT(*x, i, c) -= AT(*l, i, k) * AT(*x, k, c);
}

/* Row k less what the rows from `from` on have of it, by the other half of L. */
static void subtract_row(const work *l, int k, int from, bool hermitian, work *x)
{
    for (int c = 0; c < x->columns; c++)
        for (int i = from; i < x->rows; i++)
            AT(*x, k, c) -= other_half(AT(*l, i, k), hermitian) * AT(*x, i, c);
}

int kt__own_indefinite_solve(kt_dtype d, bool hermitian, int n, int columns, const void *a, int ld, const int *pivots,
                             void *b, int ldb)
{
    work l = {0}, x = {0};
    if (!copy_in(&l, d, n, n, a, ld) || !copy_in(&x, d, n, columns, b, ldb)) {
        give_back(&x), give_back(&l);
        return KT__NO_MEMORY;
    }
    for (int k = 0, step; k < n; k += step) {
        step = pivots[k] > 0 ? 1 : 2;
        exchange_rows(&x, k + step - 1, (pivots[k] > 0 ? pivots[k] : -pivots[k + 1]) - 1);
        for (int i = 0; i < step; i++)
            subtract_column(&l, k + i, k + step, &x);
        for (int c = 0; c < columns; c++) {
            if (step == 1) {
                AT(x, k, c) /= AT(l, k, k);
                continue;
            }
            const number p = AT(l, k, k), r = AT(l, k + 1, k), q = other_half(r, hermitian), s = AT(l, k + 1, k + 1);
            const number y = AT(x, k, c), z = AT(x, k + 1, c), det = p * s - q * r;
            AT(x, k, c) = (s * y - q * z) / det;
            AT(x, k + 1, c) = (p * z - r * y) / det;
        }
    }
    for (int k = n - 1, step; k >= 0; k -= step) {
        step = pivots[k] > 0 ? 1 : 2;
        for (int i = 0; i < step; i++)
            subtract_row(&l, k - i, k + 1, hermitian, &x);
        exchange_rows(&x, k, (pivots[k] > 0 ? pivots[k] : -pivots[k]) - 1);
    }
    narrow_to(&x, d, b, ldb);
    give_back(&x), give_back(&l);
    return 0;
}
