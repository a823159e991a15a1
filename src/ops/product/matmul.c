/* matmul.c - products that choose among the kernels' own by rank: matmul, linear, bilinear, addbmm, addr, powers. In: calls
 * of their rows. Out: results of mm and kin; none has a derivative of its own. Where the kernel takes it no copy is made. */
#include "call/end.h"
#include "call/refuse.h"
#include "call/target.h"
#include "call/wrap.h"

kt_status kt__body_linalg_matrix_power(kt_call *call);

/* Runs the outer call as one product, with its form and target. */
static kt_status run_as(kt_call *call, int op, kt_tensor *a, kt_tensor *b)
{
    kt_call c;
    kt__open(&c, op, (kt_form)call->form);
    kt__put_tensor(&c, 0, a);
    kt__put_tensor(&c, 1, b);
    c.out[0] = call->out[0];
    const bool      batched = (a->flags | b->flags) & KT_T_BATCHED;
    const kt_status status = KT__UNLIKELY(batched) ? kt_call_run(&c) : kt__run_matmul(&c);
    return kt__end_itself(call, status ? NULL : c.out[0], status);
}

/* Can one plan do it? Calls with errors take the other path, whose parts report them as PyTorch does. */
static bool in_one_plan(const kt_call *call, const kt_tensor *a, const kt_tensor *b)
{
    if (call->form != KT_PLAIN || (a->ndim < 3 && b->ndim < 3))
        return false;
    return b->ndim > 2 || (a->dtype == b->dtype && a->dtype != KT_BOOL && a->sizes[a->ndim - 1] == b->sizes[0]);
}

/* A batch times one matrix or vector is one larger product. */
static kt_tensor *folded(kt_tensor *a, kt_tensor *b)
{
    int64_t sizes[KT_MAX_DIMS], rows = 1, n = a->ndim - 1, k = a->sizes[a->ndim - 1];
    for (int i = 0; i < n; i++)
        rows *= sizes[i] = a->sizes[i];
    kt_tensor *flat = kt_reshape(a, KT_SHAPE(rows, k)), *product = b->ndim == 2 ? kt_mm(flat, b) : kt_mv(flat, b);
    if (b->ndim == 2)
        sizes[n++] = b->sizes[1];
    return kt_view(product, (kt_shape){n, sizes});
}

kt_status kt__body_matmul(kt_call *call)
{
    kt_tensor *a = call->arg[0].t, *b = call->arg[1].t;
    if (KT__UNLIKELY(call->form == KT_OUT) && kt__check_history(call))
        return kt_error_status();
    if (KT__LIKELY(a->ndim == 2 && b->ndim == 2))
        return run_as(call, KT_OP_mm, a, b);
    if (a->ndim == 0 || b->ndim == 0)
        return kt_fail(KT_ERR_RUNTIME, "both arguments to matmul need to be at least 1D, but they are %dD and %dD",
                       a->ndim, b->ndim);
    if (a->ndim <= 2 && b->ndim == 1)
        return run_as(call, a->ndim == 1 ? KT_OP_dot : KT_OP_mv, a, b);
    if (in_one_plan(call, a, b))
        return run_as(call, KT_OP_matmul_batched, a, b);
    if (a->dtype != b->dtype && kt__check_out(call, (kt_dtype)(b->ndim > 2 ? b->dtype : a->dtype), KT_NONE))
        return kt_error_status();
    KT_SCOPE;
    kt_tensor *y = b->ndim > 2    ? kt_matmul_batched(a, b)
                   : a->ndim == 1 ? kt_unsafe_squeeze(kt_mm(kt_unsqueeze(a, 0), b), 0)
                                  : folded(a, b);
    return kt__end(call, y);
}

/* ---- linear ---- */

/* input @ weight' + bias in one pass where the input is a matrix, or can be seen as one. */
static kt_tensor *flat_linear(kt_tensor *input, kt_tensor *weight, kt_tensor *bias)
{
    int64_t sizes[KT_MAX_DIMS], rows = 1, n = input->ndim - 1;
    for (int i = 0; i < n; i++)
        rows *= sizes[i] = input->sizes[i];
    kt_tensor *flat = kt_view(input, KT_SHAPE(rows, input->sizes[n])), *y = kt_addmm(bias, flat, kt_t(weight));
    sizes[n] = weight->sizes[0];
    return kt_view(y, (kt_shape){n + 1, sizes});
}

/* 1-dim, or at most one dim of size other than 1. */
static bool is_line(const kt_tensor *t)
{
    int longer = 0;
    for (int i = 0; i < t->ndim; i++)
        longer += t->sizes[i] != 1;
    return t->ndim == 1 || longer == 1;
}

kt_status kt__body_linear(kt_call *call)
{
    kt_tensor *input = call->arg[0].t, *weight = call->arg[1].t, *bias = kt__given(call, 2) ? call->arg[2].t : NULL;
    KT_SCOPE;
    if (kt__check_history(call))
        return kt_error_status();
    if (input->ndim == 0 || weight->ndim == 0)
        return kt_fail(KT_ERR_RUNTIME, "both arguments to linear need to be at least 1D, but they are %dD and %dD",
                       input->ndim, weight->ndim);
    const bool fits = weight->ndim == 2 && input->sizes[input->ndim - 1] == weight->sizes[1] &&
                      !(bias && input->ndim == 2 && bias->dtype != input->dtype); /* sizes of the bias come last */
    if ((fits || input->dtype != weight->dtype) && kt__check_out(call, (kt_dtype)input->dtype, KT_NONE))
        return kt_error_status();
    if (bias && input->ndim == 2)
        return kt__end(call, kt_addmm(bias, input, kt_t(weight)));
    if (bias && is_line(bias) && kt__is_contiguous(bias) && kt__is_contiguous(input)) /* a weight that is no matrix is refused */
        return kt__end(call, flat_linear(input, weight, bias));
    kt_tensor *y = kt_matmul(input, kt_t(weight)), *sum = y;
    if (y && bias) /* written into the product, whose dtype it must fit; `permissive` promotes instead */
        sum = kt__policy(kt__mode()) == KT_PERMISSIVE ? kt_add(y, bias) : kt_add_(y, bias);
    if (sum && !kt__same_sizes(sum, y)) {
        return kt_fail(KT_ERR_RUNTIME, "output with shape %s doesn't match the broadcast shape %s",
                       KT__SIZES_TEXT(y), KT__SIZES_TEXT(sum));
    }
    return kt__end(call, sum);
}

/* ---- bilinear ---- */

static kt_status bilinear_sizes(const kt_tensor *x, const kt_tensor *y, const kt_tensor *weight, const kt_tensor *bias)
{
    int64_t dims[2] = {1, 2};
    if (x->ndim != y->ndim)
        return kt_fail(KT_ERR_RUNTIME, "bilinear(): input dimensions do not match: got %d and %d", x->ndim, y->ndim);
    for (int i = 0; i + 1 < x->ndim; i++)
        if (x->sizes[i] != y->sizes[i])
            return kt_fail(KT_ERR_RUNTIME,
                           "bilinear(): input batch dimensions do not match at dim %d: got %lld and %lld", i,
                           (long long)x->sizes[i], (long long)y->sizes[i]);
    if (x->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as -1 but tensor has no dimensions");
    if (weight->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as 1 but tensor has no dimensions");
    for (int i = 0; i < 2; i++) {
        const kt_tensor *in = i ? y : x;
        if (kt__wrap_dim(&dims[i], weight->ndim))
            return kt_error_status();
        if (in->sizes[in->ndim - 1] != weight->sizes[i + 1])
            return kt_fail(KT_ERR_RUNTIME,
                           "bilinear(): input%d size does not match weight size: got %lld but expected %lld", i + 1,
                           (long long)in->sizes[in->ndim - 1], (long long)weight->sizes[i + 1]);
    }
    if (weight->ndim != 3)
        return kt_fail(KT_ERR_RUNTIME, "number of dimensions must match");
    if (bias && bias->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as 0 but tensor has no dimensions");
    if (bias && bias->sizes[0] != weight->sizes[0])
        return kt_fail(KT_ERR_RUNTIME, "bilinear(): bias size does not match weight size: got %lld but expected %lld",
                       (long long)bias->sizes[0], (long long)weight->sizes[0]);
    return KT_OK;
}

/* [rows, j] @ [j, o * i], then a vector of i for each row and output: so all three gradients are row-major, as PyTorch's. */
static kt_tensor *bilinear(kt_tensor *x, kt_tensor *y, kt_tensor *weight)
{
    int64_t i = weight->sizes[1], j = weight->sizes[2], o = weight->sizes[0], rows = 1, sizes[KT_MAX_DIMS];
    int     n = x->ndim - 1;
    for (int d = 0; d < n; d++)
        rows *= sizes[d] = x->sizes[d];
    sizes[n] = o;
    kt_tensor *flat = kt_reshape(kt_contiguous(weight), KT_SHAPE(o * i, j));
    kt_tensor *right = kt_mm(kt_reshape(kt_contiguous(y), KT_SHAPE(rows, j)), kt_t(flat));
    kt_tensor *z = kt_bmm(kt_view(right, KT_SHAPE(rows, o, i)), kt_reshape(kt_contiguous(x), KT_SHAPE(rows, i, 1)));
    return kt_view(z, (kt_shape){n + 1, sizes});
}

kt_status kt__body_bilinear(kt_call *call)
{
    kt_tensor *x = call->arg[0].t, *y = call->arg[1].t, *weight = call->arg[2].t;
    kt_tensor *bias = kt__given(call, 3) ? call->arg[3].t : NULL;
    if (bilinear_sizes(x, y, weight, bias))
        return kt_error_status();
    const bool complex = kt__dtype_rows[x->dtype].category == KT_CAT_COMPLEX;
    if (complex && kt__mode() & KT_M_GRAD && (kt__wants_grad(x) || kt__wants_grad(y) || kt__wants_grad(weight)))
        return kt_fail(KT_ERR_RUNTIME, "_trilinear does not support automatic differentiation for outputs with complex dtype.");
    KT_SCOPE;
    kt_tensor *z = bilinear(x, y, weight);
    return kt__end(call, z && bias ? kt_add(z, bias) : z);
}

/* ---- addbmm: one product over batch and inner dim together ---- */

static kt_status addbmm_sizes(const kt_tensor *self, const kt_tensor *a, const kt_tensor *b)
{
    if (kt__check_batch_addend(self, a, b, true))
        return kt_error_status();
    if (a->ndim != 3 || b->ndim != 3)
        return kt_fail(KT_ERR_RUNTIME, "batch%d must be a 3D tensor", a->ndim != 3 ? 1 : 2);
    if (a->sizes[0] != b->sizes[0])
        return kt_fail(KT_ERR_RUNTIME, "batch1 and batch2 must have same number of batches, got %lld and %lld",
                       (long long)a->sizes[0], (long long)b->sizes[0]);
    if (a->sizes[2] != b->sizes[1])
        return kt_fail(KT_ERR_RUNTIME, "Incompatible matrix sizes for bmm (%lldx%lld and %lldx%lld)",
                       (long long)a->sizes[1], (long long)a->sizes[2], (long long)b->sizes[1], (long long)b->sizes[2]);
    return KT_OK;
}

kt_status kt__body_addbmm(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *a = call->arg[1].t, *b = call->arg[2].t;
    if (addbmm_sizes(self, a, b) || (call->form == KT_INPLACE && kt__check_written(self, NULL, 0)))
        return kt_error_status();
    KT_SCOPE;
    int64_t    m = a->sizes[1], n = b->sizes[2], inner = a->sizes[0] * a->sizes[2];
    kt_tensor *c = kt_expand(self, KT_SHAPE(m, n));
    kt_tensor *left = kt_reshape(kt_permute(a, KT_SHAPE(1, 0, 2)), KT_SHAPE(m, inner));
    kt_tensor *right = kt_reshape(b, KT_SHAPE(inner, n));
    if (!c || !left || !right)
        return kt_error_status();
    kt__decision room;
    if (kt__refuse(call, STAGE_AFTER) || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    const bool fits = self->ndim == 2 && self->sizes[0] == m && self->sizes[1] == n;
    const bool quietly = call->form == KT_OUT && !kt__has_sizes(call->out[0], KT_SHAPE(m, n));
    const bool here = (call->form == KT_INPLACE && fits) || quietly;
    kt_call    whole_call = *call; /* form, buffer, beta and alpha as they are */
    whole_call.row = &kt__rows[KT_OP_addmm];
    whole_call.form = here ? KT_PLAIN : call->form;
    whole_call.arg[0].t = call->form == KT_INPLACE ? self : c;
    whole_call.arg[1].t = left;
    whole_call.arg[2].t = right;
    if (!here)
        return kt__run_as(call, &whole_call);
    const kt_status status = kt_call_run(&whole_call);
    return kt__end_made(call, status ? NULL : whole_call.out[0], NULL, status);
}

/* ---- powers ---- */

static kt_tensor *power_of(kt_tensor *a, int64_t n)
{
    if (n == 3)
        return kt_matmul(kt_matmul(a, a), a);
    kt_tensor *result = NULL, *square = a;
    for (;; square = kt_matmul(square, square)) {
        if (n & 1)
            result = result ? kt_matmul(result, square) : square;
        n >>= 1;
        if (!n)
            return result;
    }
}

/* `a` gets a gradient of zeros, as in PyTorch, where it is overwritten. */
static kt_tensor *identities(kt_tensor *a)
{
    kt_tensor *eye = kt_eye(a->sizes[a->ndim - 1], .dtype = (kt_dtype)a->dtype, .device = kt__device(a));
    return kt_copy_(kt_clone(a, .memory_format = KT_CONTIGUOUS_FORMAT), eye);
}

kt_status kt__body_linalg_matrix_power(kt_call *call)
{
    kt_tensor *a = call->arg[0].t;
    int64_t    n = call->arg[1].i;
    if (a->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "linalg.matrix_power: The input tensor A must have at least 2 dimensions.");
    if (a->sizes[a->ndim - 1] != a->sizes[a->ndim - 2])
        return kt_fail(KT_ERR_RUNTIME,
                       "linalg.matrix_power: A must be batches of square matrices, but they are %lld by %lld matrices",
                       (long long)a->sizes[a->ndim - 2], (long long)a->sizes[a->ndim - 1]);
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    KT_SCOPE;
    if (n < 0) {
        if (!(a = kt_linalg_inv(a)))
            return kt_error_status();
        n = n == INT64_MIN ? INT64_MAX : -n;
        if (n == 1)
            return kt__end(call, a);
    }
    if (n > 1 && call->form == KT_OUT && kt__is_watched(call)) /* the first powers are copies, others products */
        return kt__refuse_recording(call);
    if (n == 0)
        return kt__end(call, identities(a));
    if (n == 1)
        return kt__end(call, kt_clone(a, .memory_format = KT_CONTIGUOUS_FORMAT));
    kt_tensor *power = power_of(a, n);
    return power && kt__refuse_known(call, NULL, (kt_dtype)power->dtype) ? kt_error_status() : kt__end(call, power);
}

kt_status kt__body_matrix_power(kt_call *call) { return kt__body_linalg_matrix_power(call); }
