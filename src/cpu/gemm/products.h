/* products.h - matrix products on the CPU: who makes them, and what a foreign library is asked.
 *
 * In: a product plan. Out: its result, by our own kernels (src/cpu/isa/matmul.inc.c), oneDNN or OpenBLAS. The libraries
 * are known to one file each, onednn.c and openblas.c, and see dense matrices of one dtype alone. */
#ifndef KT_CPU_GEMM_PRODUCTS_H
#define KT_CPU_GEMM_PRODUCTS_H

#include "cpu/kernels.h"

/* c = alpha a b + beta c, row by row: c[i * ldc + j]. a is [m, k] with lda from row to row, or stored the other way round
 * with lda from k to k; b likewise. Distances in elements. beta = 0: c is not read. Only oneDNN is asked for a batch. */
typedef struct kt__gemm {
    kt_dtype    dtype; /* that is multiplied */
    kt_dtype    a_is, b_is; /* the same, or for our own tiles one that they convert while they pack */
    kt_dtype    to;    /* of c: the same, or float32 where those are bfloat16 */
    int64_t     batch, m, n, k;
    const char *a, *b;
    char       *c;
    int64_t     lda, ldb, ldc;
    int64_t     a_batch, b_batch, c_batch; /* from matrix to matrix; of a and b 0: one for all */
    bool        ta, tb;         /* stored the other way round */
    bool        conj_a, conj_b; /* only with ta, tb */
    kt__c128    alpha, beta;
    int         threads; /* that the library may use: 1 inside kt__parallel */
    const kt__cpu_panels *panels; /* our own tiles */
} kt__gemm;

/* ---- the libraries: opened at first use, by whichever thread comes first ---- */
bool        kt__onednn_serves(kt_dtype dtype); /* is it there, and quick at this? */
bool        kt__onednn_gemm(const kt__gemm *g); /* false: it could not, and c is as it was */
const char *kt__onednn_name(void);              /* "oneDNN 2.6.3"; NULL: not found */
bool        kt__openblas_serves(kt_dtype dtype);
bool        kt__openblas_gemm(const kt__gemm *g);
void       *kt__openblas_symbol(const char *of); /* any routine of it; NULL: not found */
const char *kt__openblas_name(void);            /* "OpenBLAS 0.3.21 (SapphireRapids)" */

/* ---- the choice ---- */
typedef enum kt__product_maker { KT__MAKER_AUTO, KT__MAKER_OWN, KT__MAKER_ONEDNN, KT__MAKER_OPENBLAS } kt__product_maker;

void kt__product_choose(kt__product_maker maker); /* what KARAT_MATMUL says at start; one library alone: for tests */

kt_status kt__product_run(const kt__cpu_build *build, const kt_plan *plan);

#endif
