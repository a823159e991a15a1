/* lbfgs.c - what L-BFGS makes of vectors: the gradients of all parameters as one, a direction from the history of steps, and a
 * move of the parameters along it. Who decides how far to go is the caller: it evaluates the function in between.
 *
 * In: calls of the rows _lbfgs_*. Out: vectors; parameters, written in place. Independent of: line searches. */
#include "call/made.h"
#include "call/move.h"

/* ---- parameters as one vector ---- */

static bool is_complex(const kt_tensor *t) { return kt__dtype_rows[t->dtype].category == KT_CAT_COMPLEX; }

static int64_t length_of(const kt_tensor *t) { return is_complex(t) ? 2 * t->numel : t->numel; }

kt_status kt__body_lbfgs_flat(kt_call *call)
{
    enum { PARAMS, GRADS, MOST = 1 << 20 };
    const kt_value *params = &call->arg[PARAMS], *grads = &call->arg[GRADS];
    const int64_t   n = params->ts.n;
    if (grads->ts.n != n || n < 1 || n > MOST)
        return kt_fail(KT_ERR_RUNTIME, "L-BFGS needs as many gradients as parameters, got %lld and %lld", (long long)grads->ts.n,
                       (long long)n);
    KT_SCOPE;
    kt_tensor *flat = NULL;
    for (int64_t i = 0; i < n; i++) {
        kt_tensor *g = grads->ts.t[i];
        if (!g)
            g = kt_new_zeros(params->ts.t[i], KT_SHAPE(params->ts.t[i]->numel));
        else
            g = kt_reshape(g, KT_SHAPE(-1));
        g = g && is_complex(g) ? kt_reshape(kt_view_as_real(g), KT_SHAPE(-1)) : g;
        if (!g)
            return kt_error_status();
        kt_tensor *both[2] = {flat, g};
        flat = flat ? kt_cat(both, 2) : g;
    }
    return kt__end(call, n == 1 ? kt_clone(flat) : flat);
}

kt_status kt__body_lbfgs_move(kt_call *call)
{
    enum { PARAMS, UPDATE, T };
    kt_tensor    *update = call->arg[UPDATE].t;
    const double  t = kt__arg(call, T)->f;
    int64_t       at = 0;
    kt_status     status = KT_OK;
    if (update->ndim != 1)
        status = kt_fail(KT_ERR_RUNTIME, "the direction of L-BFGS must be a vector");
    for (int64_t i = 0; i < call->arg[PARAMS].ts.n && !status; i++) {
        KT_SCOPE;
        kt_tensor    *p = call->arg[PARAMS].ts.t[i];
        const int64_t n = length_of(p);
        p = is_complex(p) ? kt_view_as_real(p) : p;
        if (!kt_add_(p, kt_view_as(kt_narrow(update, 0, at, n), p), .alpha = KT_FLOAT(t)))
            status = kt_error_status();
        at += n;
    }
    return kt__list_done(call, status);
}

/* ---- the history ---- */

kt_status kt__body_lbfgs_pair(kt_call *call)
{
    enum { GRAD, PREVIOUS, DIRECTION, T };
    KT_SCOPE;
    kt_tensor *y = kt_sub(call->arg[GRAD].t, call->arg[PREVIOUS].t);
    kt_tensor *s = kt_mul_s(call->arg[DIRECTION].t, KT_FLOAT(kt__arg(call, T)->f));
    kt_tensor *made[] = {y, s, kt_dot(y, s), kt_dot(y, y)};
    return kt__failed() ? kt_error_status() : kt__end_several(call, made, 4);
}

/* Two passes over the history, the last step first, then the first one first: the gradient times an estimate of the inverse of
 * the second derivatives. J. Nocedal and S. J. Wright, Numerical Optimization (2nd ed., 2006), algorithm 7.4. `shares` has what
 * the first pass took. */
kt_status kt__body_lbfgs_direction(kt_call *call)
{
    enum { GRAD, DIRS, STEPS, RO, DIAGONAL, MOST = 1000 };
    const int64_t n = call->arg[DIRS].ts.n;
    double        shares[MOST];
    if (n > MOST || call->arg[STEPS].ts.n != n || call->arg[RO].ts.n != n)
        return kt_fail(KT_ERR_RUNTIME, "L-BFGS keeps at most %d steps, with as many differences of gradients and products",
                       (int)MOST);
    KT_SCOPE;
    kt_tensor *const *dirs = call->arg[DIRS].ts.t, *const *steps = call->arg[STEPS].ts.t, *const *ro = call->arg[RO].ts.t;
    kt_tensor        *q = kt_neg(call->arg[GRAD].t);
    for (int64_t i = n - 1; i >= 0 && q; i--) {
        KT_SCOPE;
        shares[i] = kt_item(kt_mul(kt_dot(steps[i], q), ro[i]));
        if (!kt_add_(q, dirs[i], .alpha = KT_FLOAT(-shares[i])))
            return kt_error_status();
    }
    q = kt_mul(q, call->arg[DIAGONAL].t);
    for (int64_t i = 0; i < n && q; i++) {
        KT_SCOPE;
        const double took = kt_item(kt_mul(kt_dot(dirs[i], q), ro[i]));
        if (!kt_add_(q, steps[i], .alpha = KT_FLOAT(shares[i] - took)))
            return kt_error_status();
    }
    return kt__end(call, q);
}
