/* own.h - what our own algorithms of linear algebra share: copies in complex128, column-major. In: one matrix. Out: the same, or
 * false where there is no memory. Independent of: which algorithm it is. */
#ifndef KT_CPU_LINALG_OWN_H
#define KT_CPU_LINALG_OWN_H

#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/linalg/solver.h"
#include "dtype/value.h"

typedef double _Complex number;

typedef struct work { /* a column-major copy in complex128 */
    number *p;
    size_t  granted;
    int     rows, columns;
} work;

static inline bool take(work *w, int rows, int columns)
{
    const size_t count = (size_t)rows * (size_t)columns;
    *w = (work){.rows = rows, .columns = columns};
    w->p = kt__block_get((count ? count : 1) * sizeof(number), &w->granted);
    if (w->p)
        memset(w->p, 0, count * sizeof(number));
    return w->p != NULL;
}
static inline void give_back(work *w)
{
    if (w->p)
        kt__block_put(w->p, w->granted);
}

static inline number *column(const work *w, int j) { return w->p + (size_t)j * (size_t)w->rows; }
#define AT(w, i, j) ((w).p[(size_t)(j) * (size_t)(w).rows + (size_t)(i)])

static inline void widen(work *w, kt_dtype d, const void *a, int ld)
{
    for (int j = 0; j < w->columns; j++)
        kt__convert(column(w, j), KT_C128, sizeof(number), (const char *)a + (size_t)j * (size_t)ld * kt__width_of(d),
                    d, (ptrdiff_t)kt__width_of(d), w->rows);
}
static inline void narrow_to(const work *w, kt_dtype d, void *a, int ld)
{
    for (int j = 0; j < w->columns; j++)
        kt__convert((char *)a + (size_t)j * (size_t)ld * kt__width_of(d), d, (ptrdiff_t)kt__width_of(d), column(w, j),
                    KT_C128, sizeof(number), w->rows);
}
static inline bool copy_in(work *w, kt_dtype d, int rows, int columns, const void *a, int ld)
{
    if (!take(w, rows, columns))
        return false;
    widen(w, d, a, ld);
    return true;
}
static inline double size_of(number x) { return hypot(creal(x), cimag(x)); }
static inline number turned(number x, char trans) { return trans == 'C' ? conj(x) : x; }

static inline void exchange_rows(work *w, int a, int b)
{
    for (int j = 0; a != b && j < w->columns; j++) {
        const number x = AT(*w, a, j);
        AT(*w, a, j) = AT(*w, b, j);
        AT(*w, b, j) = x;
    }
}

static inline void adjoint_into(work *to, const work *from)
{
    for (int j = 0; j < from->columns; j++)
        for (int i = 0; i < from->rows; i++)
            AT(*to, j, i) = conj(AT(*from, i, j));
}

/* own_indefinite.c, for the table of own.c */
int kt__own_indefinite(kt_dtype d, bool hermitian, int n, void *a, int ld, int *pivots);
int kt__own_indefinite_solve(kt_dtype d, bool hermitian, int n, int columns, const void *a, int ld, const int *pivots,
                             void *b, int ldb);

#endif
