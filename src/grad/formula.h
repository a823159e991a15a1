/* formula.h - the names that derivatives are written with. G is dL/dy; A, B, C are the saved operands, Y and Z the first two
 * saved results, RESULT(i) any of them, L(i) the saved tensors of lists. The engine skips gradients that are not needed,
 * sums out broadcast dims and casts to the input's dtype, so a formula is only mathematics.
 *
 * A row with several results has a gradient for each: c->grads[i], NULL if none arrived (G is c->grads[0]); result_grad(c,
 * i) gives zeros then. A row with lists has c->n_inputs inputs: need(c, i) says whether the gradient of input i is needed,
 * and c->d[i] takes it. A formula's gradients belong to the scope, as typed wrappers return them. */
#ifndef KT_GRAD_FORMULA_H
#define KT_GRAD_FORMULA_H

#include <assert.h>

#include "base/scope.h"
#include "call/made.h"
#include "grad/grad.h"

static inline kt_tensor *saved(const kt_back *c, uint32_t place)
{
    kt_tensor *t = NULL;
    bool       borrowed = false;
    if (kt__failed() || kt__unpack(c->node, place, c->create_graph, &t, &borrowed))
        return NULL;
    if (!borrowed && kt__scope_add(t)) {
        kt__unref(t);
        return NULL;
    }
    return t;
}
static inline bool need(const kt_back *c, int64_t i) { return c->needs[i]; }

/* Is what the formula gives differentiated again, by the tape or by forward mode? Then a saved result that is a constant for both
 * (factors of a matrix, statistics) must not stand for a function of the inputs. */
static inline bool goes_on(const kt_back *c)
{
    uint32_t flags = 0;
    for (int64_t i = 0; i < c->n_results; i++)
        flags |= c->grads[i] ? kt__all_grad_flags(c->grads[i]) : 0;
    for (uint32_t i = 0, n = kt__n_saved(c->node); i < n; i++) {
        const kt__saved *s = kt__is_saved(c->node, i) ? kt__saved_at(c->node, i) : NULL;
        flags |= s && s->t && s->kind != SAVED_PACKED ? kt__all_grad_flags(s->t) : 0;
    }
    return c->create_graph || kt__are_dual(flags);
}

/* A saved operand in the dtype of what was computed. Policy permissive may have promoted it, and what flows back may flow under
 * another policy, which would refuse the mix. */
static inline kt_tensor *like(const kt_tensor *computed, kt_tensor *t)
{
    return computed ? kt__converted_inside(t, (kt_dtype)computed->dtype, KT_WHY_GRADIENT) : t;
}

#define G  (c->grads[0])
#define A  saved(c, 0)
#define B  saved(c, 1)
#define C  saved(c, 2)
#define Y  saved(c, SAVED_Y)
#define Z  saved(c, SAVED_Y + 1)
#define RESULT(i) saved(c, SAVED_Y + (i))
#define L(i) saved(c, SAVED_LISTED + (uint32_t)(i))
#define dA if (need(c, 0)) c->d[0]
#define dB if (need(c, 1)) c->d[1]
#define dC if (need(c, 2)) c->d[2]

/* The derivative of the row `op`, or one that several rows share. The generator writes this name into every row that names a
 * node. */
#define GRAD(op) void kt__grad_##op(const kt_back *c)
/* A row with the derivative of another, from any file. */
#define GRAD_AS(op, formula) \
    GRAD(formula);           \
    GRAD(op) { kt__grad_##formula(c); }
/* PyTorch names a node but has no derivative. */
#define GRAD_MISSING(op) GRAD_AS(op, missing)

/* Argument i of the recorded call. */
static inline const kt_value *arg(const kt_back *c, int i)
{
    const kt_node *n = c->node;
    return n->arg && n->given >> i & 1 ? &n->arg[i] : &kt__arg_spec(n->row, i)->value;
}
static inline bool     number(const kt_back *c, int i) { return c->node->scalars >> i & 1; }
static inline bool     given(const kt_back *c, int i) { return c->node->arg && c->node->given >> i & 1; }
static inline kt_scalar factor(const kt_back *c, int i) /* a number that multiplied an operand, conjugated for the gradient */
{
    kt_scalar s = arg(c, i)->s;
    s.im = -s.im;
    return s;
}
/* An input whose gradient is needed, or a tensor of a list: sizes, device and dtype of others are not kept. */
static inline const kt__edge *in_edge(const kt_back *c, int64_t i)
{
#ifdef KT__GRAD_CHECKS
    assert(c->node->edge[i].sizes && "a formula asks for the sizes of an input that needs no gradient");
#endif
    return &c->node->edge[i];
}
static inline kt_shape  in_sizes(const kt_back *c, int64_t i) { return (kt_shape){in_edge(c, i)->ndim, in_edge(c, i)->sizes}; }
static inline kt_device in_device(const kt_back *c, int64_t i) { return (kt_device){in_edge(c, i)->kind, in_edge(c, i)->index}; }

/* The dtype of its gradient; g: a gradient that arrived. */
static inline kt_dtype in_dtype(const kt_back *c, int64_t i, const kt_tensor *g)
{
    return kt__gradient_dtype(in_edge(c, i)->dtype, g);
}

/* Applies the recorded view (or the view of a recorded *_copy or *_scatter) to another tensor. `skip`: arguments before the
 * view's own. */
kt_tensor *kt__seen_alike(const kt_back *c, kt_tensor *t, int skip);

/* The slope of the p-norm n of t, sgn(t) (|t| / n)^(p - 1), by each element, of finite orders but 0 and 1: no power of a
 * magnitude alone, which may overflow. 0 where t or n is, NaN where n is. */
kt_tensor *kt__norm_slope(kt_tensor *t, kt_tensor *n, double p);

/* One of the gradients that arrived; there is at least one. */
static inline kt_tensor *any_grad(const kt_back *c)
{
    uint32_t i = 0;
    while (i + 1 < c->node->n_results && !c->grads[i])
        i++;
    return c->grads[i];
}

/* The gradient of result i; zeros if none arrived. */
static inline kt_tensor *result_grad(const kt_back *c, int64_t i)
{
    const kt__form *form = &c->node->results[i];
    return c->grads[i] ? c->grads[i]
                    : kt_zeros(((kt_shape){form->ndim, form->sizes}),
                               .dtype = kt__gradient_dtype(form->dtype, any_grad(c)),
                               .device = form->device);
}

static inline bool is_complex(const kt_tensor *t) { return t && kt__dtype_rows[t->dtype].category == KT_CAT_COMPLEX; }

/* A real tensor is returned itself. */
static inline kt_tensor *conjugate(kt_tensor *t)
{
    return is_complex(t) ? kt_conj(t) : t;
}

/* Resets the version of a gradient that the formula wrote in place while computing it. */
static inline kt_tensor *as_new(kt_tensor *t)
{
    if (t)
        kt__count_anew(t);
    return t;
}

/* Memory that `from` is written into: with room for its examples, if it has some (src/batch). */
static inline kt_tensor *room_for(kt_tensor *t, const kt_tensor *from)
{
    return KT__UNLIKELY(t && from && from->flags & KT_T_BATCHED) ? kt__batching.room(t, from) : t;
}

/* Where the derivative differs from the formula (a zero, a tie, the end of a domain): mask the slope, not its product with
 * g, and pass 1 to the formula there. 0 times an infinite slope would be NaN, in the second derivative if not in the first. */
static inline kt_tensor *zero_unless(kt_tensor *holds, kt_tensor *t) { return kt_where_s(holds, t, KT_INT(0)); }
static inline kt_tensor *one_unless(kt_tensor *holds, kt_tensor *t) { return kt_where_s(holds, t, KT_INT(1)); }

#endif
