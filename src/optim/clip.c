/* clip.c - gradients of parameters made smaller: together by their norm, or each by its elements.
 *
 * In: parameters. Out: their gradients, written in place. Independent of: optimizers. */
#include <karat/grad.h>
#include <karat/mode.h>
#include <karat/optim.h>

#include "base/alloc.h"

typedef struct gradients {
    kt_tensor **t;
    int64_t     n, room;
} gradients;

static kt_status gather(kt_tensor *const *params, int64_t n, gradients *g)
{
    enum { MOST = 1 << 24 };
    if (kt_failed())
        return kt_error_status();
    if (n < 0 || n > MOST || (n && !params))
        return kt_fail(KT_ERR_VALUE, "the number of parameters is %lld", (long long)n);
    g->room = n ? n : 1;
    g->t = kt__system_get((size_t)g->room * sizeof *g->t);
    if (!g->t)
        return kt_fail(KT_ERR_MEMORY, "no memory for a list of gradients");
    for (int64_t i = 0; i < n; i++) {
        kt_tensor *grad = params[i] ? kt_grad(params[i]) : NULL;
        if (grad)
            g->t[g->n++] = grad;
    }
    return KT_OK;
}

static void put_back(gradients *g)
{
    if (g->t)
        kt__system_put(g->t, (size_t)g->room * sizeof *g->t);
}

kt_tensor *kt_clip_grad_norm(kt_tensor *const *params, int64_t n, double max_norm, double norm_type)
{
    gradients g = {NULL, 0, 0};
    if (gather(params, n, &g))
        return NULL;
    KT_NO_GRAD;
    kt_tensor *total = kt_total_norm(g.t, g.n, .norm_type = KT_SOME(norm_type));
    if (total && g.n)
        kt_clip_with_norm_(g.t, g.n, total, max_norm);
    put_back(&g);
    return kt_failed() ? NULL : total;
}

kt_status kt_clip_grad_value(kt_tensor *const *params, int64_t n, double most)
{
    gradients g = {NULL, 0, 0};
    if (gather(params, n, &g))
        return kt_error_status();
    KT_NO_GRAD;
    kt_status status = kt_foreach_clamp_min_(g.t, g.n, KT_FLOAT(-most));
    if (!status)
        status = kt_foreach_clamp_max_(g.t, g.n, KT_FLOAT(most));
    put_back(&g);
    return status;
}
