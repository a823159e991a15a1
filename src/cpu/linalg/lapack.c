/* lapack.c - LAPACK's Fortran routines, found in OpenBLAS when they are first needed.
 *
 * In: one matrix at a time (solver.h). Out: LAPACK's info. A routine is called on the calling thread alone. Workspace is what the
 * routine asks for. Independent of: plans, threads. */
#include "base/alloc.h"
#include "cpu/gemm/products.h"
#include "cpu/linalg/small.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

/* Everything is passed by address; the lengths of characters follow at the end, as Fortran compilers pass them. */
#define I const int *
#define K const char *
typedef void lu_fn(I m, I n, void *a, I lda, int *pivots, int *info);
typedef void lu_solve_fn(K trans, I n, I columns, const void *lu, I ld, I pivots, void *b, I ldb, int *info, size_t);
typedef void lu_invert_fn(I n, void *lu, I ld, I pivots, void *work, I lwork, int *info);
typedef void cholesky_fn(K uplo, I n, void *a, I lda, int *info, size_t);
typedef void cholesky_solve_fn(K uplo, I n, I columns, const void *l, I ld, void *b, I ldb, int *info, size_t);
typedef void triangular_fn(K side, K uplo, K trans, K diag, I m, I n, const void *alpha, const void *a, I lda, void *b, I ldb,
                           size_t, size_t, size_t, size_t);
typedef void reflect_fn(I m, I n, void *a, I lda, void *tau, void *work, I lwork, int *info);
typedef void orthogonal_fn(I m, I n, I k, void *a, I lda, const void *tau, void *work, I lwork, int *info);
typedef void turn_fn(K side, K trans, I m, I n, I k, void *a, I lda, const void *tau, void *c, I ldc, void *work,
                     I lwork, int *info, size_t, size_t);
typedef void indefinite_fn(K uplo, I n, void *a, I lda, int *pivots, void *work, I lwork, int *info, size_t);
typedef void indefinite_solve_fn(K uplo, I n, I columns, const void *a, I lda, I pivots, void *b, I ldb, int *info, size_t);
typedef void symmetric_fn(K job, K uplo, I n, void *a, I lda, void *w, void *work, I lwork, int *iwork, I liwork, int *info,
                          size_t, size_t);
typedef void hermitian_fn(K job, K uplo, I n, void *a, I lda, void *w, void *work, I lwork, void *rwork, I lrwork, int *iwork,
                          I liwork, int *info, size_t, size_t);
typedef void general_fn(K left, K right, I n, void *a, I lda, void *wr, void *wi, void *vl, I ldvl, void *vr, I ldvr, void *work,
                        I lwork, int *info, size_t, size_t);
typedef void general_complex_fn(K left, K right, I n, void *a, I lda, void *w, void *vl, I ldvl, void *vr, I ldvr, void *work,
                                I lwork, void *rwork, int *info, size_t, size_t);
typedef void singular_fn(K job, I m, I n, void *a, I lda, void *s, void *u, I ldu, void *vh, I ldvh, void *work, I lwork,
                         int *iwork, int *info, size_t);
typedef void singular_complex_fn(K job, I m, I n, void *a, I lda, void *s, void *u, I ldu, void *vh, I ldvh, void *work, I lwork,
                                 void *rwork, int *iwork, int *info, size_t);
typedef void gels_fn(K trans, I m, I n, I columns, void *a, I lda, void *b, I ldb, void *work, I lwork, int *info, size_t);
typedef void gelsy_fn(I m, I n, I columns, void *a, I lda, void *b, I ldb, int *pivots, const void *rcond, int *rank, void *work,
                      I lwork, int *info);
typedef void gelsy_complex_fn(I m, I n, I columns, void *a, I lda, void *b, I ldb, int *pivots, const void *rcond, int *rank,
                              void *work, I lwork, void *rwork, int *info);
typedef void gelsd_fn(I m, I n, I columns, void *a, I lda, void *b, I ldb, void *s, const void *rcond, int *rank, void *work,
                      I lwork, int *iwork, int *info);
typedef void gelsd_complex_fn(I m, I n, I columns, void *a, I lda, void *b, I ldb, void *s, const void *rcond, int *rank,
                              void *work, I lwork, void *rwork, int *iwork, int *info);
typedef void gelss_fn(I m, I n, I columns, void *a, I lda, void *b, I ldb, void *s, const void *rcond, int *rank, void *work,
                      I lwork, int *info);
typedef void gelss_complex_fn(I m, I n, I columns, void *a, I lda, void *b, I ldb, void *s, const void *rcond, int *rank,
                              void *work, I lwork, void *rwork, int *info);
#undef I
#undef K

/* One routine for each dtype: float32, float64, complex64, complex128. */
enum { S, D, C, Z, TYPES };
static struct {
    lu_fn             *lu[TYPES];
    lu_solve_fn       *lu_solve[TYPES];
    lu_invert_fn      *lu_invert[TYPES];
    cholesky_fn       *cholesky[TYPES], *cholesky_invert[TYPES];
    cholesky_solve_fn *cholesky_solve[TYPES];
    triangular_fn     *triangular[TYPES];
    reflect_fn        *reflect[TYPES];
    orthogonal_fn     *orthogonal[TYPES];
    turn_fn           *turn[TYPES];
    indefinite_fn       *indefinite[TYPES], *hermitian_indefinite[2];
    indefinite_solve_fn *indefinite_solve[TYPES], *hermitian_indefinite_solve[2];
    gels_fn           *gels[TYPES];
    symmetric_fn        *symmetric[2];
    hermitian_fn        *hermitian[2];
    general_fn          *general[2];
    general_complex_fn  *general_complex[2];
    singular_fn         *singular[2];
    singular_complex_fn *singular_complex[2];
    gelsy_fn            *gelsy[2];
    gelsy_complex_fn    *gelsy_complex[2];
    gelsd_fn            *gelsd[2];
    gelsd_complex_fn    *gelsd_complex[2];
    gelss_fn            *gelss[2];
    gelss_complex_fn    *gelss_complex[2];
} f;
static bool           found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool find(void *at, const char *name)
{
    return (*(void **)at = kt__openblas_symbol(name)) != NULL;
}
#define FOUR(member, name) \
    (find(&f.member[S], "s" name) && find(&f.member[D], "d" name) && find(&f.member[C], "c" name) && find(&f.member[Z], "z" name))
#define REAL(member, name)    (find(&f.member[0], "s" name) && find(&f.member[1], "d" name))
#define COMPLEX(member, name) (find(&f.member[0], "c" name) && find(&f.member[1], "z" name))

static void find_all(void)
{
    found = FOUR(lu, "getrf_") && FOUR(lu_solve, "getrs_") && FOUR(lu_invert, "getri_") && FOUR(cholesky, "potrf_") &&
            FOUR(cholesky_invert, "potri_") && FOUR(cholesky_solve, "potrs_") && FOUR(triangular, "trsm_") &&
            FOUR(reflect, "geqrf_") && REAL(orthogonal, "orgqr_") && find(&f.orthogonal[C], "cungqr_") &&
            find(&f.orthogonal[Z], "zungqr_") && REAL(turn, "ormqr_") && find(&f.turn[C], "cunmqr_") &&
            find(&f.turn[Z], "zunmqr_") && FOUR(indefinite, "sytrf_") && COMPLEX(hermitian_indefinite, "hetrf_") &&
            FOUR(indefinite_solve, "sytrs_") && COMPLEX(hermitian_indefinite_solve, "hetrs_") && FOUR(gels, "gels_") &&
            REAL(symmetric, "syevd_") && COMPLEX(hermitian, "heevd_") && REAL(general, "geev_") &&
            COMPLEX(general_complex, "geev_") && REAL(singular, "gesdd_") && COMPLEX(singular_complex, "gesdd_") &&
            REAL(gelsy, "gelsy_") && COMPLEX(gelsy_complex, "gelsy_") && REAL(gelsd, "gelsd_") &&
            COMPLEX(gelsd_complex, "gelsd_") && REAL(gelss, "gelss_") && COMPLEX(gelss_complex, "gelss_");
}

static int type_of(kt_dtype d) { return d == KT_F32 ? S : d == KT_F64 ? D : d == KT_C64 ? C : Z; }
static int precision_of(kt_dtype d) { return !kt__is_single(d); } /* where only real or only complex routines stand */

/* ---- workspace: a routine first says how much it wants ---- */
typedef struct space {
    void  *p;
    size_t granted;
} space;

static bool take(space *s, int64_t count, size_t width)
{
    s->p = kt__block_get((size_t)(count > 0 ? count : 1) * width, &s->granted);
    return s->p != NULL;
}
static void give_back(space *s)
{
    if (s->p)
        kt__block_put(s->p, s->granted);
}

typedef union number { float f[2]; double d[2]; } number; /* in the dtype of the matrix */

/* A float above 2^24 may be the count rounded down, which the routine then refuses: the next float is at least the count. */
static int size_in(const number *n, kt_dtype d)
{
    double count = n->d[0];
    if (kt__is_single(d))
        count = n->f[0] < 0x1p24f ? n->f[0] : nextafterf(n->f[0], INFINITY);
    return count < INT_MAX ? (int)count : INT_MAX;
}

/* ---- the routines ---- */
static int lu(kt_dtype d, int m, int n, void *a, int ld, int *pivots)
{
    int info = 0;
    if (kt__is_small(d, m, n))
        return kt__small_lu(d, m, n, a, ld, pivots);
    f.lu[type_of(d)](&m, &n, a, &ld, pivots, &info);
    return info;
}

static int lu_solve(kt_dtype d, char trans, int n, int columns, const void *l, int ld, const int *pivots, void *b, int ldb)
{
    int info = 0;
    if (kt__is_small(d, n, columns)) {
        kt__small_lu_solve(d, trans != 'N', n, columns, l, ld, pivots, b, ldb);
        return 0;
    }
    f.lu_solve[type_of(d)](&trans, &n, &columns, l, &ld, pivots, b, &ldb, &info, 1);
    return info;
}

static int lu_invert(kt_dtype d, int n, void *l, int ld, const int *pivots)
{
    int    info = 0, ask = -1;
    number wants = {{0}};
    space  work;
    if (kt__is_small(d, n, n)) {
        kt__small_lu_invert(d, n, l, ld, pivots);
        return 0;
    }
    f.lu_invert[type_of(d)](&n, l, &ld, pivots, &wants, &ask, &info);
    const int lwork = size_in(&wants, d);
    if (!take(&work, lwork, kt__width_of(d)))
        return KT__NO_MEMORY;
    f.lu_invert[type_of(d)](&n, l, &ld, pivots, work.p, &lwork, &info);
    give_back(&work);
    return info;
}

static int cholesky(kt_dtype d, char uplo, int n, void *a, int ld)
{
    if (kt__is_small(d, n, n))
        return kt__small_cholesky(d, uplo == 'U', n, a, ld);
    int info = 0;
    f.cholesky[type_of(d)](&uplo, &n, a, &ld, &info, 1);
    return info;
}

static int cholesky_solve(kt_dtype d, char uplo, int n, int columns, const void *l, int ld, void *b, int ldb)
{
    if (kt__is_small(d, n, columns)) {
        kt__small_cholesky_solve(d, uplo == 'U', n, columns, l, ld, b, ldb);
        return 0;
    }
    int info = 0;
    f.cholesky_solve[type_of(d)](&uplo, &n, &columns, l, &ld, b, &ldb, &info, 1);
    return info;
}

static int cholesky_invert(kt_dtype d, char uplo, int n, void *l, int ld)
{
    int info = 0;
    f.cholesky_invert[type_of(d)](&uplo, &n, l, &ld, &info, 1);
    return info;
}

static int triangular_solve(kt_dtype d, char side, char uplo, char trans, char diag, int m, int n, const void *a, int ld, void *b,
                            int ldb)
{
    number one = {{0}};
    if (kt__is_single(d))
        one.f[0] = 1;
    else
        one.d[0] = 1;
    f.triangular[type_of(d)](&side, &uplo, &trans, &diag, &m, &n, &one, a, &ld, b, &ldb, 1, 1, 1, 1);
    return 0;
}

static int reflect(kt_dtype d, int m, int n, void *a, int ld, void *tau)
{
    int    info = 0, ask = -1;
    number wants = {{0}};
    space  work;
    f.reflect[type_of(d)](&m, &n, a, &ld, tau, &wants, &ask, &info);
    const int lwork = size_in(&wants, d);
    if (!take(&work, lwork, kt__width_of(d)))
        return KT__NO_MEMORY;
    f.reflect[type_of(d)](&m, &n, a, &ld, tau, work.p, &lwork, &info);
    give_back(&work);
    return info;
}

static int orthogonal(kt_dtype d, int m, int n, int k, void *a, int ld, const void *tau)
{
    int    info = 0, ask = -1;
    number wants = {{0}};
    space  work;
    f.orthogonal[type_of(d)](&m, &n, &k, a, &ld, tau, &wants, &ask, &info);
    const int lwork = size_in(&wants, d);
    if (!take(&work, lwork, kt__width_of(d)))
        return KT__NO_MEMORY;
    f.orthogonal[type_of(d)](&m, &n, &k, a, &ld, tau, work.p, &lwork, &info);
    give_back(&work);
    return info;
}

static int turn(kt_dtype d, char side, char trans, int m, int n, int k, void *a, int ld, const void *tau, void *c, int ldc)
{
    int        info = 0, ask = -1;
    number     wants = {{0}};
    space      work;
    const char how = trans == 'C' && !kt__is_complex(d) ? 'T' : trans;
    f.turn[type_of(d)](&side, &how, &m, &n, &k, a, &ld, tau, c, &ldc, &wants, &ask, &info, 1, 1);
    const int lwork = size_in(&wants, d);
    if (!take(&work, lwork, kt__width_of(d)))
        return KT__NO_MEMORY;
    f.turn[type_of(d)](&side, &how, &m, &n, &k, a, &ld, tau, c, &ldc, work.p, &lwork, &info, 1, 1);
    give_back(&work);
    return info;
}

static int indefinite(kt_dtype d, bool hermitian, int n, void *a, int ld, int *pivots)
{
    int            info = 0, ask = -1;
    number         wants = {{0}};
    space          work;
    const char     uplo = 'L';
    indefinite_fn *factor = hermitian && kt__is_complex(d) ? f.hermitian_indefinite[precision_of(d)] : f.indefinite[type_of(d)];
    factor(&uplo, &n, a, &ld, pivots, &wants, &ask, &info, 1);
    const int lwork = size_in(&wants, d);
    if (!take(&work, lwork, kt__width_of(d)))
        return KT__NO_MEMORY;
    factor(&uplo, &n, a, &ld, pivots, work.p, &lwork, &info, 1);
    give_back(&work);
    return info;
}

static int indefinite_solve(kt_dtype d, bool hermitian, int n, int columns, const void *a, int ld, const int *pivots, void *b,
                            int ldb)
{
    int                  info = 0;
    const char           uplo = 'L';
    indefinite_solve_fn *solve =
        hermitian && kt__is_complex(d) ? f.hermitian_indefinite_solve[precision_of(d)] : f.indefinite_solve[type_of(d)];
    solve(&uplo, &n, &columns, a, &ld, pivots, b, &ldb, &info, 1);
    return info;
}

static void run_symmetric(kt_dtype d, char job, char uplo, int n, void *a, int ld, void *w, void *work, int lwork, void *rwork,
                          int lrwork, int *iwork, int liwork, int *info)
{
    if (kt__is_complex(d))
        f.hermitian[precision_of(d)](&job, &uplo, &n, a, &ld, w, work, &lwork, rwork, &lrwork, iwork, &liwork, info, 1, 1);
    else
        f.symmetric[precision_of(d)](&job, &uplo, &n, a, &ld, w, work, &lwork, iwork, &liwork, info, 1, 1);
}

static int symmetric(kt_dtype d, bool vectors, char uplo, int n, void *a, int ld, void *values)
{
    int    info = 0, liwork = 0;
    number wants = {{0}}, wants_real = {{0}};
    char   job = vectors ? 'V' : 'N';
    space  work = {0}, rwork = {0}, iwork = {0};
    run_symmetric(d, job, uplo, n, a, ld, values, &wants, -1, &wants_real, -1, &liwork, -1, &info);
    const int lwork = size_in(&wants, d), lrwork = size_in(&wants_real, d);
    if (take(&work, lwork, kt__width_of(d)) && take(&rwork, lrwork, kt__width_of(kt__real_of(d))) &&
        take(&iwork, liwork, sizeof(int)))
        run_symmetric(d, job, uplo, n, a, ld, values, work.p, lwork, rwork.p, lrwork, iwork.p, liwork, &info);
    else
        info = KT__NO_MEMORY;
    give_back(&iwork), give_back(&rwork), give_back(&work);
    return info;
}

/* Eigenvalues of a real matrix come as real and imaginary parts; of a complex pair the vectors' columns are the parts of one. */
#define JOIN_PARTS(name, real)                                                                                                  \
    static void name(int n, const real *wr, const real *wi, const real *vr, real *values, real *vectors, int ldv)              \
    {                                                                                                                           \
        for (int j = 0; j < n; j++)                                                                                             \
            values[2 * j] = wr[j], values[2 * j + 1] = wi[j];                                                                   \
        for (int j = 0; vectors && j < n; j++) {                                                                                \
            const bool  second = wi[j] < 0 && j > 0, single = wi[j] == 0;                                                       \
            const real *re = vr + (size_t)(second ? j - 1 : j) * (size_t)n, *im = re + n;                                       \
            real       *to = vectors + 2 * (size_t)j * (size_t)ldv;                                                             \
            for (int i = 0; i < n; i++)                                                                                         \
                to[2 * i] = re[i], to[2 * i + 1] = single ? 0 : second ? -im[i] : im[i];                                        \
        }                                                                                                                       \
    }
JOIN_PARTS(join_f32, float)
JOIN_PARTS(join_f64, double)

static int general_real(kt_dtype d, int n, void *a, int ld, void *values, void *vectors, int ldv)
{
    const size_t width = kt__width_of(d);
    int          info = 0, ask = -1, one = 1;
    number       wants = {{0}};
    const char   left = 'N', right = vectors ? 'V' : 'N';
    space        parts = {0}, work = {0};
    if (!take(&parts, 2 * (int64_t)n + (vectors ? (int64_t)n * n : 0), width))
        return KT__NO_MEMORY;
    char *wr = parts.p, *wi = wr + (size_t)n * width, *vr = wi + (size_t)n * width;
    f.general[precision_of(d)](&left, &right, &n, a, &ld, wr, wi, NULL, &one, vr, &n, &wants, &ask, &info, 1, 1);
    const int lwork = size_in(&wants, d);
    if (!take(&work, lwork, width)) {
        give_back(&parts);
        return KT__NO_MEMORY;
    }
    f.general[precision_of(d)](&left, &right, &n, a, &ld, wr, wi, NULL, &one, vr, &n, work.p, &lwork, &info, 1, 1);
    if (d == KT_F32)
        join_f32(n, (float *)wr, (float *)wi, (float *)vr, values, vectors, ldv);
    else
        join_f64(n, (double *)wr, (double *)wi, (double *)vr, values, vectors, ldv);
    give_back(&work), give_back(&parts);
    return info;
}

static int general(kt_dtype d, int n, void *a, int ld, void *values, void *vectors, int ldv)
{
    int        info = 0, ask = -1, one = 1;
    number     wants = {{0}};
    const char left = 'N', right = vectors ? 'V' : 'N';
    space      work = {0}, rwork = {0};
    if (!kt__is_complex(d))
        return general_real(d, n, a, ld, values, vectors, ldv);
    if (!vectors)
        ldv = 1;
    if (!take(&rwork, 2 * (int64_t)n, kt__width_of(kt__real_of(d))))
        return KT__NO_MEMORY;
    general_complex_fn *geev = f.general_complex[precision_of(d)];
    geev(&left, &right, &n, a, &ld, values, NULL, &one, vectors, &ldv, &wants, &ask, rwork.p, &info, 1, 1);
    const int lwork = size_in(&wants, d);
    if (take(&work, lwork, kt__width_of(d)))
        geev(&left, &right, &n, a, &ld, values, NULL, &one, vectors, &ldv, work.p, &lwork, rwork.p, &info, 1, 1);
    else
        info = KT__NO_MEMORY;
    give_back(&work), give_back(&rwork);
    return info;
}

static void run_singular(kt_dtype d, char job, int m, int n, void *a, int ld, void *s, void *u, int ldu, void *vh, int ldvh,
                         void *work, int lwork, void *rwork, int *iwork, int *info)
{
    if (kt__is_complex(d))
        f.singular_complex[precision_of(d)](&job, &m, &n, a, &ld, s, u, &ldu, vh, &ldvh, work, &lwork, rwork, iwork, info, 1);
    else
        f.singular[precision_of(d)](&job, &m, &n, a, &ld, s, u, &ldu, vh, &ldvh, work, &lwork, iwork, info, 1);
}

static int singular(kt_dtype d, char job, int m, int n, void *a, int ld, void *s, void *u, int ldu, void *vh, int ldvh)
{
    const int64_t least = m < n ? m : n, most = m < n ? n : m;
    const int64_t first = 5 * least + 7, second = 2 * most + 2 * least + 1;
    const int64_t reals = job == 'N' ? 7 * least : least * (first > second ? first : second); /* as gesdd documents */
    int           info = 0;
    number        wants = {{0}};
    space         work = {0}, rwork = {0}, iwork = {0};
    if (!take(&iwork, 8 * least, sizeof(int)) || !take(&rwork, kt__is_complex(d) ? reals : 0, kt__width_of(kt__real_of(d)))) {
        give_back(&iwork);
        return KT__NO_MEMORY;
    }
    run_singular(d, job, m, n, a, ld, s, u, ldu, vh, ldvh, &wants, -1, rwork.p, iwork.p, &info);
    const int lwork = size_in(&wants, d);
    if (take(&work, lwork, kt__width_of(d)))
        run_singular(d, job, m, n, a, ld, s, u, ldu, vh, ldvh, work.p, lwork, rwork.p, iwork.p, &info);
    else
        info = KT__NO_MEMORY;
    give_back(&work), give_back(&rwork), give_back(&iwork);
    return info;
}

/* ---- least squares ---- */
typedef struct squares {
    kt_dtype d;
    int      driver, m, n, columns, ld, ldb;
    void    *a, *b, *s, *rwork;
    int     *pivots; /* or integer workspace */
    number   rcond;
} squares;

enum { GELS, GELSY, GELSD }; /* ORDER DRIVERS; gelss is the last */

static void run_squares(squares *q, void *work, int lwork, int *rank, int *info)
{
    const int  t = type_of(q->d), p = precision_of(q->d), m = q->m, n = q->n, c = q->columns, ld = q->ld, ldb = q->ldb;
    const bool complex = kt__is_complex(q->d);
    const char trans = 'N';
    if (q->driver == GELS)
        f.gels[t](&trans, &m, &n, &c, q->a, &ld, q->b, &ldb, work, &lwork, info, 1);
    else if (q->driver == GELSY && complex)
        f.gelsy_complex[p](&m, &n, &c, q->a, &ld, q->b, &ldb, q->pivots, &q->rcond, rank, work, &lwork, q->rwork, info);
    else if (q->driver == GELSY)
        f.gelsy[p](&m, &n, &c, q->a, &ld, q->b, &ldb, q->pivots, &q->rcond, rank, work, &lwork, info);
    else if (q->driver == GELSD && complex)
        f.gelsd_complex[p](&m, &n, &c, q->a, &ld, q->b, &ldb, q->s, &q->rcond, rank, work, &lwork, q->rwork, q->pivots, info);
    else if (q->driver == GELSD)
        f.gelsd[p](&m, &n, &c, q->a, &ld, q->b, &ldb, q->s, &q->rcond, rank, work, &lwork, q->pivots, info);
    else if (complex)
        f.gelss_complex[p](&m, &n, &c, q->a, &ld, q->b, &ldb, q->s, &q->rcond, rank, work, &lwork, q->rwork, info);
    else
        f.gelss[p](&m, &n, &c, q->a, &ld, q->b, &ldb, q->s, &q->rcond, rank, work, &lwork, info);
}

/* What gelsd wants of reals and integers is no more than this: LAPACK's formula with its smallest leaf, 25, and at most 32 levels
 * of halves. */
enum { LEAF = 25, LEVELS = 32 };

static int least_squares(kt_dtype d, int driver, int m, int n, int columns, void *a, int ld, void *b, int ldb, double rcond,
                         int *rank, void *s)
{
    const int64_t least = m < n ? m : n, most = m < n ? n : m;
    const bool    alone = columns == 0 && driver >= GELSD; /* which LAPACK refuses, or takes for one: one column of zeros */
    columns += alone;
    const int64_t reals = 10 * most + 2 * most * LEAF + 8 * least * LEVELS + 3 * LEAF * (int64_t)columns +
                          (LEAF + 1) * (int64_t)(LEAF + 1) + (int64_t)n * (1 + columns) + 2 * (int64_t)columns;
    const int64_t integers = 3 * least * LEVELS + 11 * least + n;
    int           info = 0;
    number        wants = {{0}};
    space         work = {0}, rwork = {0}, iwork = {0}, zeros = {0};
    squares       q = {
              .d = d, .driver = driver, .m = m, .n = n, .columns = columns, .ld = ld, .ldb = ldb, .a = a, .b = b, .s = s};
    if (kt__is_single(d))
        q.rcond.f[0] = (float)rcond;
    else
        q.rcond.d[0] = rcond;
    if (!take(&iwork, integers, sizeof(int)) || !take(&rwork, kt__is_complex(d) ? reals : 0, kt__width_of(kt__real_of(d))) ||
        !take(&zeros, alone ? most : 0, kt__width_of(d))) {
        give_back(&rwork), give_back(&iwork);
        return KT__NO_MEMORY;
    }
    if (alone)
        q.b = memset(zeros.p, 0, (size_t)most * kt__width_of(d));
    q.pivots = iwork.p, q.rwork = rwork.p;
    memset(q.pivots, 0, (size_t)(integers > 0 ? integers : 1) * sizeof(int)); /* gelsy: every column is free to move */
    run_squares(&q, &wants, -1, rank, &info);
    const int lwork = size_in(&wants, d);
    if (take(&work, lwork, kt__width_of(d)))
        run_squares(&q, work.p, lwork, rank, &info);
    else
        info = KT__NO_MEMORY;
    give_back(&work), give_back(&zeros), give_back(&rwork), give_back(&iwork);
    return info;
}

static const kt__solver solver = {
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
    .indefinite = indefinite,
    .indefinite_solve = indefinite_solve,
    .symmetric = symmetric,
    .general = general,
    .singular = singular,
    .least_squares = least_squares,
};

const kt__solver *kt__lapack(void)
{
    pthread_once(&once, find_all);
    return found ? &solver : NULL;
}
