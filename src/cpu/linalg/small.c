/* small.c - see small.h. */
#include "cpu/linalg/small.h"

#include <math.h>
#include <string.h>

#define T       float
#define FN(x)   x##_f32
#define ABS     fabsf
#define SQRT    sqrtf
#include "cpu/linalg/small.inc.c"
#undef T
#undef FN
#undef ABS
#undef SQRT
#define T       double
#define FN(x)   x##_f64
#define ABS     fabs
#define SQRT    sqrt
#include "cpu/linalg/small.inc.c"

int kt__small_lu(kt_dtype d, int m, int n, void *a, int ld, int *pivots)
{
    return d == KT_F32 ? lu_f32(m, n, a, ld, pivots) : lu_f64(m, n, a, ld, pivots);
}

void kt__small_lu_solve(kt_dtype d, bool turned, int n, int columns, const void *lu, int ld, const int *pivots, void *b, int ldb)
{
    if (d == KT_F32)
        lu_solve_f32(turned, n, columns, lu, ld, pivots, b, ldb);
    else
        lu_solve_f64(turned, n, columns, lu, ld, pivots, b, ldb);
}

void kt__small_lu_invert(kt_dtype d, int n, void *lu, int ld, const int *pivots)
{
    if (d == KT_F32)
        lu_invert_f32(n, lu, ld, pivots);
    else
        lu_invert_f64(n, lu, ld, pivots);
}

int kt__small_cholesky(kt_dtype d, bool upper, int n, void *a, int ld)
{
    return d == KT_F32 ? cholesky_f32(upper, n, a, ld) : cholesky_f64(upper, n, a, ld);
}

void kt__small_cholesky_solve(kt_dtype d, bool upper, int n, int columns, const void *l, int ld, void *b, int ldb)
{
    if (d == KT_F32)
        cholesky_solve_f32(upper, n, columns, l, ld, b, ldb);
    else
        cholesky_solve_f64(upper, n, columns, l, ld, b, ldb);
}
