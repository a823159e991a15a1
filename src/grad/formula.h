/* formula.h - the vocabulary of the derivatives. G is dL/dy; A, B, C the saved operands, Y the saved result. The engine skips
 * what nobody needs, sums away broadcasting and casts to the input's dtype, so a formula is only mathematics. */
#ifndef KT_GRAD_FORMULA_H
#define KT_GRAD_FORMULA_H

#include "base/scope.h"
#include "grad/grad.h"
#include "op/wrap.h"

static inline kt_tensor *saved(kt__back *c, int which)
{
    kt_tensor *t = NULL;
    bool       borrowed = false;
    if (kt__failed() || kt__unpack(c->node, which, c->history, &t, &borrowed))
        return NULL;
    if (!borrowed && kt__scope_add(t)) {
        kt__unref(t);
        return NULL;
    }
    return t;
}

#define G  (c->g)
#define A  saved(c, 0)
#define B  saved(c, 1)
#define C  saved(c, 2)
#define Y  saved(c, 3)
#define dA if (c->need & 1) c->d[0]
#define dB if (c->need & 2) c->d[1]
#define dC if (c->need & 4) c->d[2]
#define GRAD(op) static void grad_##op(kt__back *c)

/* Rows of a file's table: the formula of an operator, under its own name or another's. */
#define F(op)                {KT_OP_##op, grad_##op}
#define AS(op, formula)      {KT_OP_##op, grad_##formula}
#define KT__NO_MORE_FORMULAS {0, NULL}

/* Argument i of the recorded call. */
static inline const kt_value *arg(const kt__back *c, int i)
{
    const kt_node *n = c->node;
    return n->arg && n->given >> i & 1 ? &n->arg[i] : &kt__arg_spec(n->row, i)->value;
}
static inline bool     number(const kt__back *c, int i) { return c->node->scalars >> i & 1; }
static inline bool     given(const kt__back *c, int i) { return c->node->arg && c->node->given >> i & 1; }
static inline kt_shape in_sizes(const kt__back *c, int i)
{
    return (kt_shape){c->node->edge[i].ndim, c->node->edge[i].sizes};
}

/* Of a real tensor nothing is made. */
static inline kt_tensor *conjugate(kt_tensor *t)
{
    return t && kt__dtype_rows[t->dtype].category == KT_CAT_COMPLEX ? kt_conj(t) : t;
}

#endif
