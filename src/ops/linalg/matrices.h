/* matrices.h - what the bodies of linear algebra share: PyTorch's checks of shapes, results in the layout of LAPACK, plans.
 *
 * In: tensors whose last dims are matrices (2), vectors (1) or one number for each matrix (0). Out: errors in PyTorch's words,
 * new tensors of the body's scope, launched plans. Independent of: which kernel it is. */
#ifndef KT_OPS_LINALG_MATRICES_H
#define KT_OPS_LINALG_MATRICES_H

#include "call/made.h"
#include "tables/kernels/product.h"

/* ---- shapes ---- */
static inline int64_t kt__rows_in(const kt_tensor *t) { return t->sizes[t->ndim - 2]; }
static inline int64_t kt__columns_in(const kt_tensor *t) { return t->sizes[t->ndim - 1]; }
static inline int64_t kt__least_side(const kt_tensor *t)
{
    return kt__rows_in(t) < kt__columns_in(t) ? kt__rows_in(t) : kt__columns_in(t);
}
static inline kt_shape kt__batch_of(const kt_tensor *t) { return (kt_shape){t->ndim - 2, t->sizes}; }

/* `who`: as the message begins; `name`: of the argument. */
kt_status kt__check_matrices(const kt_tensor *t, const char *who, const char *name);
kt_status kt__check_square(const kt_tensor *t, const char *who);
/* A X = B, or X A = B. */
kt_status kt__check_equation(const kt_tensor *a, const kt_tensor *b, bool left, const char *who);
/* The batch that those of a and b broadcast to. */
kt_status kt__meet_batches(const kt_tensor *a, const kt_tensor *b, int64_t *sizes, kt_shape *batch);
/* t with that batch, its last `rank` dims kept; a view. */
kt_tensor *kt__with_batch(kt_tensor *t, kt_shape batch, int rank);

/* ---- results, in the device of `like` ---- */
kt_tensor *kt__new_matrices(const kt_tensor *like, kt_dtype dtype, kt_shape batch, int64_t rows,
                            int64_t columns); /* column-major */
kt_tensor *kt__new_vectors(const kt_tensor *like, kt_dtype dtype, kt_shape batch, int64_t n);
kt_tensor *kt__new_numbers(const kt_tensor *like, kt_dtype dtype, kt_shape batch);
kt_tensor *kt__nothing_like(const kt_tensor *like, kt_dtype dtype); /* of no elements, 1-dim: what was not asked for */
static inline kt_dtype kt__real_dtype(kt_dtype d) { return d == KT_C64 ? KT_F32 : d == KT_C128 ? KT_F64 : d; }
static inline bool     kt__is_recorded_matrix(const kt_tensor *t) { return kt__are_followed(kt__all_grad_flags(t)); }
static inline kt_dtype kt__complex_dtype(kt_dtype d) { return d == KT_F32 ? KT_C64 : d == KT_F64 ? KT_C128 : d; }

/* Ends with column-major matrices. An out= that has to grow becomes row-major, as PyTorch resizes it; with `lent` an empty one of
 * the result's dtype takes their layout. */
kt_status kt__end_matrices(kt_call *call, kt_tensor *made, bool lent);

/* ---- plans ---- */
typedef struct kt__matrix_arg {
    kt_tensor *t;
    int        rank; /* how many of its last dims belong to one matrix */
} kt__matrix_arg;

enum { KT__MOST_MATRICES = 6 };

/* The operands of one kernel, outputs first; all outputs are new. `like`: the input whose dtype is computed in. */
kt_status kt__run_matrices(kt_call *call, int kernel, const kt_tensor *like, const kt__matrix_arg *arg, int n_out, int n_in,
                           const kt_scalar *param, int n_param);

/* ---- what LAPACK said of each matrix ---- */
typedef enum kt__info_text {
    KT__NOT_INVERTIBLE,
    KT__NOT_POSITIVE,
    KT__NOT_SOLVABLE,
    KT__ZERO_PIVOT,
    KT__SINGULAR_BLOCK,
    KT__NO_EIGENVALUES,
    KT__NO_GENERAL_EIGENVALUES, /* a negative number: the matrix is not finite */
    KT__NO_LEAST_SQUARES,       /* the same */
    KT__NO_SINGULAR_VALUES /* a negative number: the matrix is not finite */
} kt__info_text;

/* All are 0, else PyTorch's error; `who`: as it begins. Waits for a device, as in PyTorch; on meta there is nothing to check. */
kt_status kt__check_info(const kt_tensor *info, kt__info_text text, const char *who);

static inline kt_tensor *kt__adjoint(kt_tensor *t) { return t ? kt_conj(kt_transpose(t, -2, -1)) : NULL; }

#endif
