/* softmax.c - softmax and log_softmax along a dim, what flows back through them, and the forms of nn.functional, which choose
 * a dim where none is named. In: calls of the softmax rows of tables/ops/loss.def. Out: one tensor, row-major. */
#include <string.h>

#include "call/made.h"
#include "call/refuse.h"
#include "call/target.h"
#include "tables/kernels/softmax.h"
#include "ways/index.h"

enum { OUT, FIRST, SECOND, MOST }; /* operands of a plan */

/* ---- the plan ---- */

static kt_status run_lines(kt_call *call, const kt__gathered *g, const kt__decision *d, int64_t dim, kt_tensor **out)
{
    kt_plan    plan;
    kt_tensor *t[MOST], *self = g->t[0];
    if (kt__one_device(g->t, g->n) || kt__outputs_of(call, g, d, kt__sizes(self), NULL, out, 1))
        return kt_error_status();
    t[OUT] = *out;
    kt__plan_begin(&plan, kt__row_called(call), g->kernel, d->compute, g->n, self);
    plan.origin = d->origin;
    plan.numel = self->numel;
    kt__set_operand(&plan, OUT, t[OUT], (kt_dtype)t[OUT]->dtype, KT_WHY_NONE);
    for (int i = 0; i < g->n; i++) {
        t[FIRST + i] = g->t[i];
        kt__set_operand(&plan, FIRST + i, g->t[i], (kt_dtype)d->as[i], (kt_reason)d->why[i]);
    }
    kt__plan_lines(&plan, t, g->n + 1, dim);
    kt__trace_fold(call, self, d, out, 1);
    return kt__launch(&plan, t[OUT]);
}

static kt_status along_dim(kt_call *call, const kt__gathered *g, const kt__decision *d, int64_t dim)
{
    kt_tensor *out = NULL;
    kt_status  status = run_lines(call, g, d, dim, &out);
    return kt__end_itself(call, out, status);
}

/* `halves`: half_to_float=, which PyTorch has on other devices. */
static const kt__decision *decide(const kt_call *call, kt__gathered *g, int64_t *dim, bool halves, kt__decision *room)
{
    kt_tensor *self = call->arg[0].t;
    kt__gather(call, g);
    *dim = kt__arg_int(call, call->row->fold.dim);
    if (kt__refine_fold(call, g) || kt__wrap_dim(dim, self->ndim))
        return NULL;
    if (halves) {
        kt_fail(KT_ERR_RUNTIME, "softmax with half to float conversion is not supported on CPU");
        return NULL;
    }
    if (*dim + 1 < self->ndim) /* PyTorch has a kernel along the last dim and one along any */
        g->missing += strlen(g->missing) + 1;
    const kt__decision *d = kt__resolve(call, g, kt__mode(), room);
    if (!d || kt__check_out(call, (kt_dtype)d->result, KT_NONE) || kt__refuse_known(call, g, (kt_dtype)d->result))
        return NULL;
    return d;
}

/* ---- rows with a node ---- */

static kt_status softmax_along(kt_call *call)
{
    kt__gathered g;
    kt__decision room;
    int64_t      dim;
    const kt__decision *d = decide(call, &g, &dim, kt__arg_bool(call, 2), &room);
    return d ? along_dim(call, &g, d, dim) : kt_error_status();
}

kt_status kt__body_softmax_along(kt_call *call) { return softmax_along(call); }
kt_status kt__body_log_softmax_along(kt_call *call) { return softmax_along(call); }

static kt_status flow_back(kt_call *call)
{
    kt_tensor   *grad = call->arg[0].t, *output = call->arg[1].t;
    kt__gathered g;
    kt__decision room;
    int64_t      dim;
    if (!kt__same_sizes(grad, output)) {
        return kt_fail(KT_ERR_RUNTIME,
                       "Expected tensor for argument #1 'grad' to have same size as tensor for argument #2 'output'; but %s does "
                       "not equal %s (while checking arguments for %ssoftmax_backward)",
                       KT__SIZES_TEXT(grad), KT__SIZES_TEXT(output), call->row->kernel == KT_K_softmax_backward ? "" : "log_");
    }
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    const kt__decision *d = decide(call, &g, &dim, false, &room);
    return d ? along_dim(call, &g, d, dim) : kt_error_status();
}

kt_status kt__body_softmax_backward_data(kt_call *call) { return flow_back(call); }
kt_status kt__body_log_softmax_backward_data(kt_call *call) { return flow_back(call); }

/* ---- with dtype= ---- */

/* When recorded, conversion and softmax are two nodes; else the kernel converts. */
static kt_status softmax(kt_call *call, int along)
{
    kt__gathered g;
    kt__decision room;
    int64_t      dim;
    const kt__decision *d = decide(call, &g, &dim, false, &room);
    if (!d)
        return kt_error_status();
    if (call->form == KT_OUT && kt__reads_target(call, kt__sizes(call->arg[0].t), true))
        return kt__run_apart(call);
    const bool warns = kt_dtype_category((kt_dtype)g.dtype[0]) == KT_CAT_COMPLEX; /* a copy says what it loses */
    const bool recorded = kt__are_followed(g.any_grad) || g.t[0]->flags & KT_T_BATCHED;
    if (call->form == KT_OUT || (!recorded && !warns))
        return along_dim(call, &g, d, dim);
    kt_tensor *seen = NULL;
    if (kt__convert_inside(g.t[0], (kt_dtype)d->as[0], (kt_reason)d->why[0], &seen))
        return kt_error_status();
    kt_call c;
    kt__open(&c, along, KT_PLAIN);
    kt__put_tensor(&c, 0, seen);
    kt__put(&c, 1, i, dim);
    kt__put(&c, 2, b, false);
    kt_status status = kt_call_run(&c);
    kt__unref(seen);
    return kt__end_itself(call, status ? NULL : c.out[0], status);
}

kt_status kt__body_softmax(kt_call *call) { return softmax(call, KT_OP_softmax_along); }
kt_status kt__body_log_softmax(kt_call *call) { return softmax(call, KT_OP_log_softmax_along); }

/* ---- other names ---- */

kt_status kt__body_special_softmax(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, kt_softmax(call->arg[0].t, call->arg[1].i, .dtype = kt__arg_dtype(call, 2)));
}

kt_status kt__body_special_log_softmax(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, kt_log_softmax(call->arg[0].t, call->arg[1].i, .dtype = kt__arg_dtype(call, 2)));
}

enum { DIM = 1, DTYPE = 3 };

/* PyTorch's implicit dim: 0 for 0-, 1- and 3-dim tensors, else 1. */
static int64_t chosen_dim(const kt_call *call, const char *name)
{
    const int rank = call->arg[0].t->ndim;
    if (kt__given(call, DIM))
        return call->arg[DIM].i;
    kt__warn("Implicit dimension choice for %s has been deprecated. Change the call to include dim=X as an argument.", name);
    return rank == 0 || rank == 1 || rank == 3 ? 0 : 1;
}

kt_status kt__body_nn_softmax(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, kt_softmax(call->arg[0].t, chosen_dim(call, "softmax"), .dtype = kt__arg_dtype(call, DTYPE)));
}

kt_status kt__body_nn_log_softmax(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, kt_log_softmax(call->arg[0].t, chosen_dim(call, "log_softmax"), .dtype = kt__arg_dtype(call, DTYPE)));
}

kt_status kt__body_nn_softmin(kt_call *call)
{
    KT_SCOPE;
    const int64_t dim = chosen_dim(call, "softmin");
    return kt__end(call, kt_softmax(kt_neg(call->arg[0].t), dim, .dtype = kt__arg_dtype(call, DTYPE)));
}
