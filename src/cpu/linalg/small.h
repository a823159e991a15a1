/* small.h - LU and Cholesky factors of small real matrices, for batches of many: a call of LAPACK takes as long as arithmetic
 * with dozens of numbers, and OpenBLAS's calls for Cholesky factors wait for each other.
 *
 * In: one matrix, column-major, of at most KT__SMALL rows and columns. Out: as LAPACK's getrf, getrs, getri, potrf and potrs,
 * with its pivots and info. Independent of: plans, threads, LAPACK. */
#ifndef KT_CPU_LINALG_SMALL_H
#define KT_CPU_LINALG_SMALL_H

#include "cpu/linalg/solver.h"

enum { KT__SMALL = 8 };

static inline bool kt__is_small(kt_dtype d, int m, int n)
{
    return m <= KT__SMALL && n <= KT__SMALL && (d == KT_F32 || d == KT_F64);
}

int  kt__small_lu(kt_dtype d, int m, int n, void *a, int ld, int *pivots);
void kt__small_lu_solve(kt_dtype d, bool turned, int n, int columns, const void *lu, int ld, const int *pivots, void *b, int ldb);
void kt__small_lu_invert(kt_dtype d, int n, void *lu, int ld, const int *pivots);
int  kt__small_cholesky(kt_dtype d, bool upper, int n, void *a, int ld);
void kt__small_cholesky_solve(kt_dtype d, bool upper, int n, int columns, const void *l, int ld, void *b, int ldb);

#endif
