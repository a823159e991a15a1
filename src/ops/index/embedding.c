/* embedding.c - rows of a table by index (embedding), and indices as rows (one_hot). In: integer tensors. Out: one tensor.
 * Made of the rows of tables/ops/index.def. */
#include "call/check.h"
#include "call/end.h"
#include "call/move.h"
#include "call/refuse.h"
#include "ops/index/bags.h"
#include "ways/index.h"

#include <string.h>

/* ---- rows of a table ---- */

static kt_status check_embedding(const kt_call *call, const kt_tensor *weight, const kt_tensor *indices)
{
    if (weight->ndim != 2)
        return kt_fail(KT_ERR_RUNTIME, "'weight' must be 2-D");
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    if (kt__arg_bool(call, 4))
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "embedding: there are no sparse gradients (sparse=True)");
    if (indices->ndim == KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    return KT_OK;
}

/* PyTorch selects rows, and looks at their number first. */
static kt_status has_rows(const kt_tensor *weight, const kt_tensor *indices)
{
    return weight->sizes[0] > 0 || indices->numel == 0
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "index_select(): self indexing axis dim should be positive");
}

kt_status kt__body_embedding(kt_call *call)
{
    kt_tensor *weight = call->arg[0].t, *indices = call->arg[1].t, *from = NULL;
    int64_t    sizes[KT_MAX_DIMS];
    if (check_embedding(call, weight, indices) || kt__one_device((kt_tensor *[]){weight, indices}, 2) ||
        has_rows(weight, indices) || kt__plain_of(weight, &from))
        return kt_error_status();
    memcpy(sizes, indices->sizes, (size_t)indices->ndim * sizeof *sizes);
    sizes[indices->ndim] = weight->sizes[1];
    kt_tensor *out = kt__tensor_new((kt_dtype)weight->dtype, kt__device(weight), (kt_shape){indices->ndim + 1, sizes});
    kt_status  status = out ? KT_OK : kt_error_status();
    if (!status) {
        kt__along a = {.nd = out->ndim, .t = {out, from, indices}, .limit = from->sizes[0], .step = from->strides[0],
                       .says = KT_FAULT_INDEX_SELF};
        for (int d = 0; d < a.nd; d++) {
            a.size[d] = out->sizes[d];
            a.stride[ALONG_OUT][d] = out->strides[d];
            a.stride[ALONG_FROM][d] = d < indices->ndim ? 0 : from->strides[1];
            a.stride[ALONG_INDEX][d] = d < indices->ndim ? indices->strides[d] : 0;
        }
        status = kt__run_along(KT_K_index_take, &a);
    }
    kt__unref(from);
    return kt__end_made(call, out, weight, status);
}

/* Indices count from the end, too; of those that are beyond the table the least is named. On a device, which must not wait, the
 * write below checks them. */
static kt_status check_shortened(kt_tensor *weight, kt_tensor *input)
{
    const int64_t rows = weight->sizes[0];
    if (input->backend != KT_CPU || !input->numel)
        return KT_OK;
    int64_t *index = kt__read_ints(input), least = INT64_MAX;
    if (!index)
        return kt_error_status();
    for (int64_t i = 0; i < input->numel; i++)
        if ((index[i] < -rows || index[i] >= rows) && index[i] < least)
            least = index[i];
    kt__free_ints(index, input);
    return least == INT64_MAX ? KT_OK
                              : kt_fail(KT_ERR_INDEX, "select(): index %lld out of range for tensor of size %s at dimension 0",
                                        (long long)least, KT__SIZES_TEXT(weight));
}

static kt_status check_rows(const kt_call *call, kt_tensor *weight, kt_tensor *input)
{
    static const char when[] = "(while checking arguments for embedding_renorm_)";
    const kt_dtype    d = (kt_dtype)weight->dtype;
    if (weight->ndim != 2)
        return kt_fail(KT_ERR_RUNTIME, "Expected 2-dimensional tensor, but got %d-dimensional tensor for argument #1 'self' %s",
                       weight->ndim, when);
    if (!kt__is_index(input))
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "Expected tensor for argument #2 'indices' to have one of the following "
                              "scalar types: Long, Int; but got torch.%sTensor instead %s",
                              kt_dtype_torch_name((kt_dtype)input->dtype), when);
    if (input->numel && !(kt__dtype_rows[d].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX)))
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "norm(): input dtype should be either floating point or complex. Got %s "
                              "instead.", kt_dtype_torch_name(d));
    return check_shortened(weight, input);
}

/* What each row is multiplied by: less than 1 where it is used and its norm exceeds `most`. */
static kt_tensor *shortening(kt_tensor *weight, kt_tensor *input, double most, double p)
{
    kt_tensor *flags = kt_zeros(KT_SHAPE(weight->sizes[0]), .dtype = KT_BOOL, .device = kt__device(weight));
    kt_tensor *row = kt_reshape(input, KT_SHAPE(input->numel));
    kt_tensor *used = kt_index_put(flags, &row, 1, kt_ones(KT_SHAPE(1), .dtype = KT_BOOL, .device = kt__device(weight)));
    kt_tensor *norms = kt_linalg_vector_norm(weight, .ord = KT_FLOAT(p), .dim = KT_SHAPE(1));
    kt_tensor *shorter = kt_mul_s(kt_reciprocal(kt_add_s(norms, KT_FLOAT(1e-7))), KT_FLOAT(most));
    kt_tensor *scale = kt_where(kt_logical_and(used, kt_gt_s(norms, KT_FLOAT(most))), shorter, kt_ones_like(norms));
    return kt_unsqueeze(scale, 1);
}

/* Renormalizes used rows whose norm exceeds max_norm, in place. No derivative sees it: neither the tape nor tangents. */
kt_status kt__shorten_rows(const kt_call *call, kt_tensor *weight, kt_tensor *input, double most, double p)
{
    KT_SCOPE;
    if (check_rows(call, weight, input))
        return kt_error_status();
    uint64_t mode = kt__mode();
    kt__mode_word = (mode & ~(uint64_t)KT_M_GRAD) | KT_M_NO_FORWARD;
    kt_mul_(weight, shortening(weight, input, most, p));
    kt__mode_word = mode;
    return kt__failed() ? kt_error_status() : KT_OK;
}

kt_status kt__body_embedding_renorm(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *self = call->arg[0].t, *indices = call->arg[1].t;
    if (check_rows(call, self, indices) || kt__one_device((kt_tensor *[]){self, indices}, 2))
        return kt_error_status();
    if (!indices->numel)
        return kt__end(call, self);
    return kt__end(call, kt_mul(self, shortening(self, indices, kt__arg(call, 2)->f, kt__arg(call, 3)->f)));
}

kt_status kt__body_nn_embedding(kt_call *call)
{
    kt_tensor *input = call->arg[0].t, *weight = call->arg[1].t;
    int64_t    padding = kt__given(call, 2) ? call->arg[2].i : -1, rows = weight->ndim ? weight->sizes[0] : 0;
    if (kt__given(call, 2) && (padding < -rows || padding >= rows))
        return kt_fail(KT_ERR_ASSERTION, "Padding_idx must be within num_embeddings");
    padding += kt__given(call, 2) && padding < 0 ? rows : 0;
    if (kt__given(call, 3) && kt__shorten_rows(call, weight, input, call->arg[3].f, kt__arg(call, 4)->f))
        return kt_error_status();
    kt_call c;
    kt__open(&c, KT_OP_embedding, KT_PLAIN);
    kt__put_tensor(&c, 0, weight);
    kt__put_tensor(&c, 1, input);
    kt__put(&c, 2, i, padding);
    kt__put(&c, 3, b, kt__arg_bool(call, 5));
    kt__put(&c, 4, b, kt__arg_bool(call, 6));
    return kt__run_as(call, &c);
}

/* ---- indices as rows ---- */

/* The number of classes that the values need: what shapes the result must be known. */
static kt_status find_classes(kt_tensor *t, int64_t *classes)
{
    kt_tensor *most = NULL;
    if (kt__backend(t->backend)->stores_nothing)
        return kt_fail(KT_ERR_RUNTIME, "Tensor.item() cannot be called on meta tensors");
    const kt_status status = kt__call1(KT_OP_max, t, &most);
    *classes = status ? 0 : kt_item_scalar(most).v.i + 1;
    kt__unref(most);
    return kt__failed() ? kt_error_status() : KT_OK;
}

static kt_status check_classes(kt_tensor *t, int64_t *classes)
{
    if (t->numel == 0)
        return *classes > 0 ? KT_OK : kt_fail(KT_ERR_RUNTIME, "Can not infer total number of classes from empty tensor.");
    if (kt__check_not_negative(t, KT_FAULT_CLASS_NEGATIVE))
        return kt_error_status();
    if (*classes == -1)
        return find_classes(t, classes);
    if (kt__check_range(&t, 1, &(kt__range){.low = KT_INT(0), .high = KT_INT(*classes - 1), .says = {KT_FAULT_CLASS_LARGE}}))
        return kt_error_status();
    return *classes > 0 ? KT_OK : kt_fail(KT_ERR_RUNTIME, "num_classes should be positive"); /* reached where checks are late */
}

kt_status kt__body_nn_one_hot(kt_call *call)
{
    kt_tensor *t = call->arg[0].t, *place = NULL;
    int64_t    classes = kt__given(call, 1) ? call->arg[1].i : -1, sizes[KT_MAX_DIMS];
    if (check_classes(t, &classes))
        return kt_error_status();
    if (t->ndim == KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    memcpy(sizes, t->sizes, (size_t)t->ndim * sizeof *sizes);
    sizes[t->ndim] = classes;
    kt_tensor *out = kt__tensor_new(KT_I64, kt__device(t), (kt_shape){t->ndim + 1, sizes});
    kt_status  status = out ? kt__fill_with(out, KT_INT(0)) : kt_error_status();
    status = status ? status : kt__call_int(KT_OP_unsqueeze, t, -1, &place);
    if (!status) {
        kt_call c;
        kt__open(&c, KT_OP_scatter_value, KT_INPLACE);
        kt__put_tensor(&c, 0, out);
        kt__put(&c, 1, i, -1);
        kt__put_tensor(&c, 2, place);
        kt__put(&c, 3, s, KT_INT(1));
        status = kt_call_run(&c);
        if (!status)
            kt__unref(c.out[0]);
    }
    kt__unref(place);
    if (!status)
        out->lineage = KT__RECORD(KT_BORN, "one_hot", KT_NONE, KT_I64, 0);
    return kt__end_made(call, out, NULL, status);
}
