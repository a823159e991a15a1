/* clip.c - gradients made smaller together: the norm of a list of tensors, and what scales them to it.
 *
 * In: calls of the rows _total_norm and _clip_with_norm. Out: a norm; tensors, written in place. Independent of: whose gradients
 * they are. */
#include "base/alloc.h"
#include "call/made.h"
#include "call/move.h"

static bool same_device(const kt_tensor *a, const kt_tensor *b) { return a->backend == b->backend && a->index == b->index; }

static bool on_one_device(kt_tensor *const *t, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (!same_device(t[0], t[i]))
            return false;
    return true;
}

/* The norms of all, owned by the scope, on the device of the first. */
static kt_status norms_of(kt_tensor *const *t, int64_t n, double order, kt_tensor **norms)
{
    if (on_one_device(t, n))
        return kt_foreach_norm(t, n, norms, n, .ord = KT_FLOAT(order)) < 0 ? kt_error_status() : KT_OK;
    for (int64_t i = 0; i < n; i++) {
        norms[i] = kt_linalg_vector_norm(t[i], .ord = KT_FLOAT(order));
        norms[i] = kt_to(norms[i], .device = kt_device_of(t[0]));
        if (!norms[i])
            return kt_error_status();
    }
    return KT_OK;
}

kt_status kt__body_total_norm(kt_call *call)
{
    kt_tensor *const *t = call->arg[0].ts.t;
    const int64_t     n = call->arg[0].ts.n;
    const double      order = kt__arg(call, 1)->f;
    KT_SCOPE;
    if (n == 0)
        return kt__end(call, kt_zeros(KT_SCALAR));
    const size_t bytes = (size_t)n * sizeof(kt_tensor *);
    kt_tensor  **norms = kt__system_get(bytes), *total = NULL;
    if (!norms)
        return kt__fail_memory(bytes);
    if (!norms_of(t, n, order, norms))
        total = kt_linalg_vector_norm(kt_stack(norms, n), .ord = KT_FLOAT(order));
    kt__system_put(norms, bytes);
    return kt__end(call, total);
}

kt_status kt__body_clip_with_norm(kt_call *call)
{
    enum { SELF, NORM, MOST };
    kt_tensor *const *t = call->arg[SELF].ts.t;
    kt_tensor        *norm = call->arg[NORM].t;
    const int64_t     n = call->arg[SELF].ts.n;
    KT_SCOPE;
    kt_tensor *inverse = kt_reciprocal(kt_add_s(norm, KT_FLOAT(1e-6)));
    kt_tensor *factor = kt_clamp_max_s(kt_mul_s(inverse, KT_FLOAT(kt__arg(call, MOST)->f)), KT_FLOAT(1));
    kt_status  status = factor ? KT_OK : kt_error_status();
    if (!status && n && on_one_device(t, n) && same_device(t[0], factor))
        status = kt_foreach_mul_tensor_(t, n, factor);
    else
        for (int64_t i = 0; i < n && !status; i++)
            status = kt_mul_(t[i], kt_to(factor, .device = kt_device_of(t[i]))) ? KT_OK : kt_error_status();
    return kt__list_done(call, status);
}
