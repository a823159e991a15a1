/* matrices.h - the words in which derivatives of linear algebra are written: ^H is the adjoint. In: batches of matrices, in
 * the last two dims. Out: tensors of the scope; NULL in gives NULL out. */
#ifndef KT_GRAD_FORMULAS_MATRICES_H
#define KT_GRAD_FORMULAS_MATRICES_H

#include "grad/formula.h"

static inline kt_tensor *adjoint(kt_tensor *t) { return t ? conjugate(kt_transpose(t, -2, -1)) : NULL; }
static inline kt_tensor *mm(kt_tensor *a, kt_tensor *b) { return kt_matmul(a, b); }
static inline kt_tensor *diagonal(kt_tensor *t) { return kt_diagonal(t, .dim1 = -2, .dim2 = KT_SOME(-1)); }
static inline kt_tensor *each(kt_tensor *t)
{
    return t ? kt_unsqueeze(kt_unsqueeze(t, -1), -1) : NULL;
} /* a number for each matrix */
static inline kt_tensor *plus(kt_tensor *a, kt_tensor *b)
{
    return !a ? b : !b ? a : kt_add(a, b);
} /* NULL: nothing arrived */
static inline int64_t rows_in(const kt_tensor *t) { return t ? t->sizes[t->ndim - 2] : 0; }
static inline int64_t columns_in(const kt_tensor *t) { return t ? t->sizes[t->ndim - 1] : 0; }

/* A^-1 B and A^-H B with a triangle of A; B A^-1 and B A^-H. */
typedef struct triangle {
    kt_tensor *t;
    bool       upper, unit;
} triangle;
static inline kt_tensor *solve_adjoint(triangle a, kt_tensor *b)
{
    return kt_linalg_solve_triangular(adjoint(a.t), b, !a.upper, .unitriangular = a.unit);
}
static inline kt_tensor *solve_adjoint_right(triangle a, kt_tensor *b)
{
    return kt_linalg_solve_triangular(adjoint(a.t), b, !a.upper, .left = KT_SOME(false), .unitriangular = a.unit);
}
static inline kt_tensor *solve_right(triangle a, kt_tensor *b)
{
    return kt_linalg_solve_triangular(a.t, b, a.upper, .left = KT_SOME(false), .unitriangular = a.unit);
}

/* Vectors of complex matrices are given up to a factor e^{i phi}. Does a loss depend on it? `turn`: how much for each vector;
 * `room`: how much is taken for rounding. What cannot be read here (no values, many examples) does not. */
static inline bool depends_on_phase(const kt_back *c, kt_tensor *turn, kt_tensor *room)
{
    bool       holds = true;
    kt_tensor *all = c->for_any ? NULL : kt_all(kt_le(kt_abs(turn), room));
    if (!all || all->backend == KT_META || all->flags & KT_T_BATCHED)
        return false;
    return kt_read(all, &holds, sizeof holds) == KT_OK && !holds;
}

/* `along`: V^H g_V. Transforms do not ask, as in PyTorch (of singular vectors they do). */
static inline bool refuses_phase(const kt_back *c, kt_tensor *along, const char *who)
{
    if (!is_complex(along) || kt__transform_now)
        return false;
    kt_tensor *turn = kt_imag(diagonal(along));
    if (depends_on_phase(c, turn, kt_full_like(turn, KT_FLOAT(0.01))))
        kt_fail(KT_ERR_RUNTIME, "%s: The eigenvectors in the complex case are specified up to multiplication by e^{i phi}. The "
                                "specified loss function depends on this quantity, so it is ill-defined.", who);
    return kt__failed();
}

#endif
