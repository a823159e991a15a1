/* formulas_sets.c - the derivatives of what treats tensors as collections of values: PyTorch has none for every value once. */
#include <string.h>

#include "grad/formula.h"

GRAD(unique)
{
    const char *schema = c->node->row->schema;
    kt_fail(KT_ERR_NOT_IMPLEMENTED, "the derivative for '%.*s' is not implemented.", (int)strcspn(schema, ".("), schema);
}

const kt__formula_row kt__formulas_sets[] = {
    F(unique), AS(unique_dim, unique), AS(unique_consecutive, unique),
    KT__NO_MORE_FORMULAS,
};
