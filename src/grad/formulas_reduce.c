/* formulas_reduce.c - the derivatives of what folds dims away. */
#include "grad/formula.h"

GRAD(sum)        { dA = kt_expand(G, in_sizes(c, 0)); }
GRAD(sum_dim)
{
    kt_tensor *g = G;
    kt_shape   dims = arg(c, 1)->ints;
    if (!arg(c, 2)->b && dims.n) { /* the summed dims come back with one element each */
        int64_t  sizes[KT_MAX_DIMS];
        kt_shape in = in_sizes(c, 0);
        for (int64_t i = 0; i < in.n; i++)
            sizes[i] = in.d[i];
        for (int64_t i = 0; i < dims.n; i++)
            sizes[dims.d[i] < 0 ? dims.d[i] + in.n : dims.d[i]] = 1;
        g = kt_reshape(g, (kt_shape){in.n, sizes});
    }
    dA = kt_expand(g, in_sizes(c, 0));
}

const kt__formula_row kt__formulas_reduce[] = {
    F(sum), F(sum_dim),
    KT__NO_MORE_FORMULAS,
};
