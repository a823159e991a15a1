/* formulas_product.c - the derivatives of matrix products. */
#include "grad/formula.h"

static kt_tensor *adjoint(kt_tensor *t) { return conjugate(kt_transpose(t, -2, -1)); }
GRAD(mm)         { dA = kt_mm(G, adjoint(B)); dB = kt_mm(adjoint(A), G); }
GRAD(bmm)        { dA = kt_bmm(G, adjoint(B)); dB = kt_bmm(adjoint(A), G); }
GRAD(mv)         { dA = kt_mul(kt_unsqueeze(G, 1), kt_unsqueeze(conjugate(B), 0)); dB = kt_mv(adjoint(A), G); }
GRAD(dot)        { dA = kt_mul(G, conjugate(B)); dB = kt_mul(G, conjugate(A)); }

const kt__formula_row kt__formulas_product[] = {
    F(mm), F(bmm), F(mv), F(dot),
    KT__NO_MORE_FORMULAS,
};
