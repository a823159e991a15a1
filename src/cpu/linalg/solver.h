/* solver.h - what is asked of a library of linear algebra: one matrix at a time, column-major, in float32, float64, complex64 or
 * complex128. In: matrices that may be overwritten, `ld` from column to column in elements. Out: LAPACK's info (0: done), or
 * KT__NO_MEMORY. Independent of: plans, batches, threads.
 *
 * LAPACK through OpenBLAS (lapack.c) is asked; without it our own algorithms serve (own.c). */
#ifndef KT_CPU_LINALG_SOLVER_H
#define KT_CPU_LINALG_SOLVER_H

#include <limits.h>

#include "cpu/kernels.h"

#define KT__NO_MEMORY INT_MIN

/* The letters are LAPACK's: trans 'N', 'T', 'C'; uplo 'L', 'U'; diag 'N', 'U'; side 'L', 'R'. */
typedef struct kt__solver {
    int (*lu)(kt_dtype d, int m, int n, void *a, int ld, int *pivots);
    int (*lu_solve)(kt_dtype d, char trans, int n, int columns, const void *lu, int ld, const int *pivots, void *b, int ldb);
    int (*lu_invert)(kt_dtype d, int n, void *lu, int ld, const int *pivots);
    int (*cholesky)(kt_dtype d, char uplo, int n, void *a, int ld); /* the other triangle is not read, and kept */
    int (*cholesky_solve)(kt_dtype d, char uplo, int n, int columns, const void *l, int ld, void *b, int ldb);
    int (*cholesky_invert)(kt_dtype d, char uplo, int n, void *l, int ld); /* one triangle of the inverse */
    int (*triangular_solve)(kt_dtype d, char side, char uplo, char trans, char diag, int m, int n, const void *a, int ld, void *b,
                            int ldb);
    int (*reflect)(kt_dtype d, int m, int n, void *a, int ld, void *tau);             /* geqrf: R above reflectors */
    int (*orthogonal)(kt_dtype d, int m, int n, int k, void *a, int ld, const void *tau); /* orgqr: m by n of Q, from k of them */
    /* ormqr: c, m by n, becomes op(Q) c or c op(Q), of k reflectors */
    int (*turn)(kt_dtype d, char side, char trans, int m, int n, int k, void *a, int ld, const void *tau, void *c, int ldc);
    int (*indefinite)(kt_dtype d, bool hermitian, int n, void *a, int ld, int *pivots); /* sytrf, hetrf of the lower triangle */
    int (*indefinite_solve)(kt_dtype d, bool hermitian, int n, int columns, const void *a, int ld, const int *pivots, void *b,
                            int ldb);
    int (*symmetric)(kt_dtype d, bool vectors, char uplo, int n, void *a, int ld, void *values); /* vectors replace a */
    int (*general)(kt_dtype d, int n, void *a, int ld, void *values, void *vectors,
                   int ldv); /* complex; vectors NULL: none. Itself NULL: cannot */
    /* job 'N': none of u, vh; 'S': the first min(m, n) columns and rows; 'A': all. a is spoilt. */
    int (*singular)(kt_dtype d, char job, int m, int n, void *a, int ld, void *s, void *u, int ldu, void *vh, int ldvh);
    /* driver 0 gels, 1 gelsy, 2 gelsd, 3 gelss. b: max(m, n) rows. a is spoilt; s has min(m, n) numbers. */
    int (*least_squares)(kt_dtype d, int driver, int m, int n, int columns, void *a, int ld, void *b, int ldb, double rcond,
                         int *rank, void *s);
} kt__solver;

const kt__solver *kt__solver_in_use(void);
extern const kt__solver kt__own_solver;
const kt__solver *kt__lapack(void); /* NULL: there is none */

void kt__solver_choose(const kt__solver *solver); /* for tests; NULL: the best */

static inline size_t kt__width_of(kt_dtype d) { return kt__dtype_rows[d].size; }
static inline kt_dtype kt__real_of(kt_dtype d) { return d == KT_C64 ? KT_F32 : d == KT_C128 ? KT_F64 : d; }
static inline bool     kt__is_single(kt_dtype d) { return d == KT_F32 || d == KT_C64; }
static inline bool     kt__is_complex(kt_dtype d) { return d == KT_C64 || d == KT_C128; }

#endif
