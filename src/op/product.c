/* product.c - matrix products: mm, bmm, mv, dot. In: a call whose row says MATMUL. Out: a plan over the dims [b, m, n, k], with
 * stride 0 where an operand lacks the dim. */
#include "op/call.h"

typedef struct product {
    int64_t size[4];
    int     rank[2]; /* of the operands */
    int     out_rank;
    int8_t  dim[3][4]; /* for out, a, b: which of its dims is b, m, n, k; -1: none */
} product;

static kt_status product_shape(const kt_call *call, const kt_tensor *a, const kt_tensor *b, product *p)
{
    static const product mm = {.rank = {2, 2}, .out_rank = 2, .dim = {{-1, 0, 1, -1}, {-1, 0, -1, 1}, {-1, -1, 1, 0}}};
    static const product bmm = {.rank = {3, 3}, .out_rank = 3, .dim = {{0, 1, 2, -1}, {0, 1, -1, 2}, {0, -1, 2, 1}}};
    static const product mv = {
        .rank = {2, 1}, .out_rank = 1, .dim = {{-1, 0, -1, -1}, {-1, 0, -1, 1}, {-1, -1, -1, 0}}};
    static const product dot = {
        .rank = {1, 1}, .out_rank = 0, .dim = {{-1, -1, -1, -1}, {-1, -1, -1, 0}, {-1, -1, -1, 0}}};
    int op = call->row->id;
    *p = op == KT_OP_mm ? mm : op == KT_OP_bmm ? bmm : op == KT_OP_mv ? mv : dot;
    if (a->ndim != p->rank[0] || b->ndim != p->rank[1]) {
        if (op == KT_OP_mm)
            return kt_fail(KT_ERR_RUNTIME, "%s must be a matrix", a->ndim != 2 ? "self" : "mat2");
        if (op == KT_OP_bmm)
            return kt_fail(KT_ERR_RUNTIME, "%s must be a 3D tensor", a->ndim != 3 ? "batch1" : "batch2");
        if (op == KT_OP_mv)
            return kt_fail(KT_ERR_RUNTIME, "vector + matrix @ vector expected, got 1, %d, %d", a->ndim, b->ndim);
        return kt_fail(KT_ERR_RUNTIME, "1D tensors expected, but got %dD and %dD tensors", a->ndim, b->ndim);
    }
    for (int d = 0; d < 4; d++) {
        int     ia = p->dim[1][d], ib = p->dim[2][d];
        int64_t sa = ia >= 0 ? a->sizes[ia] : 1, sb = ib >= 0 ? b->sizes[ib] : 1;
        p->size[d] = ia >= 0 ? sa : sb;
        if (ia < 0 || ib < 0 || sa == sb)
            continue;
        if (op == KT_OP_mm)
            return kt_fail(KT_ERR_RUNTIME, "mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)",
                           (long long)a->sizes[0], (long long)a->sizes[1], (long long)b->sizes[0],
                           (long long)b->sizes[1]);
        if (op == KT_OP_bmm)
            return kt_fail(
                KT_ERR_RUNTIME,
                "Expected size for first two dimensions of batch2 tensor to be: [%lld, %lld] but got: [%lld, %lld].",
                (long long)a->sizes[0], (long long)a->sizes[2], (long long)b->sizes[0], (long long)b->sizes[1]);
        if (op == KT_OP_mv)
            return kt_fail(KT_ERR_RUNTIME, "size mismatch, got input (%lld), mat (%lldx%lld), vec (%lld)",
                           (long long)a->sizes[0], (long long)a->sizes[0], (long long)a->sizes[1],
                           (long long)b->sizes[0]);
        return kt_fail(
            KT_ERR_RUNTIME,
            "inconsistent tensor size, expected tensor [%lld] and src [%lld] to have the same number of elements, but "
            "got %lld and %lld elements respectively",
            (long long)sa, (long long)sb, (long long)sa, (long long)sb);
    }
    return KT_OK;
}

kt_status kt__run_matmul(kt_call *call)
{
    kt__gathered g;
    kt__decision room;
    kt_plan      plan;
    kt__taping   taping;
    product      p;
    kt__gather(call, &g);
    kt_tensor          *a = g.t[0], *b = g.t[1], *out = NULL;
    const kt__decision *d = kt__resolve(call, &g, kt__mode(), &room);
    if (!d || product_shape(call, a, b, &p))
        return kt_error_status();
    if (a->backend != b->backend || a->index != b->index)
        return kt_fail(KT_ERR_RUNTIME,
                       "Expected all tensors to be on the same device, but found at least two devices, %s and %s!",
                       kt_device_name(kt__device(a)), kt_device_name(kt__device(b)));
    if (kt__tape_before(call, kt__seen_as(&plan, &g, d), g.any_grad, &taping))
        return kt_error_status();
    int64_t sizes[3];
    for (int i = 0; i < 4; i++)
        if (p.dim[0][i] >= 0)
            sizes[p.dim[0][i]] = p.size[i];
    kt_status status = KT_OK;
    if (call->form == KT_OUT && call->out[0]->dtype != d->result)
        status = kt__fail_dtype(call, KT_ERR_RUNTIME, "Expected out tensor to have dtype %s, but got %s instead",
                                kt_dtype_c_name(d->result), kt_dtype_c_name(call->out[0]->dtype));
    if (!status)
        status = kt__output_of(call, &g, d, (kt_shape){p.out_rank, sizes}, &out);
    kt_tensor *apart = NULL; /* a product reads its inputs many times: what is written over one is made beside it first */
    if (!status && (kt__overlap_of(out, a) != KT_OVERLAP_NONE || kt__overlap_of(out, b) != KT_OVERLAP_NONE)) {
        apart = kt__tensor_new((kt_dtype)d->result, kt__device(a), kt__sizes(out));
        status = apart ? KT_OK : kt_error_status();
    }
    if (status) {
        kt__unref(out);
        return kt__tape_after(call, NULL, &taping, status);
    }
    kt__plan_begin(&plan, call->row, g.kernel, d->compute, 2, a);
    plan.origin = d->origin;
    plan.nd = 4;
    plan.numel = p.size[0] * p.size[1] * p.size[2]; /* results: an empty k is launched too */
    kt_tensor *all[3] = {apart ? apart : out, a, b};
    for (int i = 0; i < 3; i++) {
        kt__set_operand(&plan, i, all[i], (kt_dtype)(i ? d->as[i - 1] : d->result),
                        i ? (kt_reason)d->why[i - 1] : KT_WHY_NONE);
        for (int k = 0; k < 4; k++)
            plan.stride[i][k] = p.dim[i][k] < 0 ? 0 : all[i]->strides[p.dim[i][k]] * (int64_t)kt__itemsize(all[i]);
    }
    for (int k = 0; k < 4; k++)
        plan.size[k] = p.size[k];
    status = kt__launch(&plan, all[0]);
    if (apart && !status)
        status = kt__copy_into(out, apart, KT_WHY_EXPLICIT, KT_ROUND_TORCH);
    kt__unref(apart);
#ifndef KT_NO_LINEAGE
    if (call->form == KT_PLAIN)
        out->lineage = d->origin != 0xff
                           ? g.t[d->origin]->lineage
                           : KT__RECORD(KT_WHY_PROMOTION, call->row->name, a->dtype, d->result, a->lineage);
#endif
    return kt__finish(call, &plan, &taping, out, status);
}
