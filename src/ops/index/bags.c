/* bags.c - embedding_bag: rows of a table, summed, averaged or compared within bags. In: a table, indices, where each bag begins.
 * Out: a row for each bag, and what its gradient needs. Made of the rows of tables/ops/index.def; narrow floats are summed in
 * float32. */
#include <string.h>

#include "call/check.h"
#include "call/made.h"
#include "call/move.h"
#include "ops/index/bags.h"

/* ---- checks ---- */

static bool is_index(const kt_tensor *t) { return t->dtype == KT_I64 || t->dtype == KT_I32; }

static kt_status check_index(const kt_call *call, const kt_tensor *t)
{
    char text[64];
    return is_index(t) ? KT_OK
                       : kt__fail_dtype(call, KT_ERR_RUNTIME, "Expected tensor for argument #1 'indices' to have one of the "
                                        "following scalar types: Long, Int; but got %s instead (while checking "
                                        "arguments for embedding_bag)", kt__type_text((kt_dtype)t->dtype, text, sizeof text));
}

/* In PyTorch's order. It reads a matrix of indices as if it were a vector; that is refused here. */
static kt_status check_dims(const kt_tensor *weight, const kt_tensor *indices, const kt_tensor *offsets, const kt_tensor *each)
{
    if (indices->ndim != 1 && indices->ndim != 2)
        return kt_fail(KT_ERR_RUNTIME, "input has to be a 1D or 2D Tensor, but got Tensor of dimension %d", indices->ndim);
    if (indices->ndim == 1 && offsets->ndim != 1)
        return kt_fail(KT_ERR_RUNTIME, "offsets has to be a 1D Tensor, but got Tensor of dimension %d", offsets->ndim);
    if (weight->ndim != 2)
        return kt_fail(KT_ERR_RUNTIME, "weight has to be a 2D Tensor, but got Tensor of dimension %d", weight->ndim);
    return indices->ndim == 1 && (!each || each->ndim == 1)
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "embedding_bag takes a matrix, and vectors of indices, offsets and weights");
}

static kt_status check_table(const kt_call *call, const kt_tensor *weight, const kt_tensor *each)
{
    const kt_dtype d = (kt_dtype)weight->dtype;
    char           text[64], other[64];
    if (d != KT_F32 && d != KT_F64 && d != KT_F16 && d != KT_BF16)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "Expected tensor for argument #1 'weight' to have one of the following "
                              "scalar types: Half, BFloat16, Float, Double; but got %s instead (while checking arguments for "
                              "embedding_bag)", kt__type_text(d, text, sizeof text));
    if (each && each->dtype != weight->dtype)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "Expected tensor for argument #1 'weight' to have the same type as tensor "
                              "for argument #1 'per_sample_weights'; but type %s does not equal %s (while checking arguments for "
                              "embedding_bag)", kt__type_text(d, text, sizeof text),
                              kt__type_text((kt_dtype)each->dtype, other, sizeof other));
    return KT_OK;
}

static kt_status check_begins(const int64_t *begin, int64_t n, int64_t length)
{
    if (n && begin[0] != 0)
        return kt_fail(KT_ERR_RUNTIME, "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
                       "position 0. However, got %lld", (long long)begin[0]);
    if (n && begin[n - 1] > length)
        return kt_fail(KT_ERR_RUNTIME, "offsets[-1] can not be greater than input's length %lld but got offsets[-1] of %lld",
                       (long long)length, (long long)begin[n - 1]);
    for (int64_t i = 1; i < n; i++)
        if (begin[i] < begin[i - 1])
            return kt_fail(KT_ERR_RUNTIME, "Expected i < index_size to be true, but got false.  (Could this error message be "
                           "improved?  If so, please report an enhancement request to PyTorch.)");
    return KT_OK;
}

/* PyTorch says where the index is, unless its slower kernel finds it. */
static kt_status check_rows(const int64_t *index, int64_t n, int64_t rows, bool slower)
{
    for (int64_t i = 0; i < n; i++)
        if (slower && (index[i] < 0 || index[i] >= rows))
            return kt_fail(KT_ERR_RUNTIME, "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be %lld",
                           (long long)index[i]);
        else if (index[i] < 0 || index[i] >= rows)
            return kt_fail(KT_ERR_RUNTIME, "Index %lld of input takes value %lld which is not in the valid range [0, %lld)",
                           (long long)i, (long long)index[i], (long long)rows);
    return KT_OK;
}

/* The values of integers: on the CPU all of them, with their places; on a device, which must not wait, the indices. */
static kt_status check_values(kt_tensor *indices, kt_tensor *offsets, int64_t rows, bool slower)
{
    if (indices->backend != KT_CPU)
        return kt__check_range(&indices, 1, &(kt__range){.low = KT_INT(0), .high = KT_INT(rows - 1),
                                                         .says = {KT_FAULT_BAG_INDEX}});
    int64_t  *index = kt__read_ints(indices), *begin = index || !indices->numel ? kt__read_ints(offsets) : NULL;
    kt_status status = (indices->numel && !index) || (offsets->numel && !begin) ? kt_error_status()
                       : check_begins(begin, offsets->numel, indices->numel)    ? kt_error_status()
                                                                                : check_rows(index, indices->numel, rows, slower);
    if (index)
        kt__free_ints(index, indices);
    if (begin)
        kt__free_ints(begin, offsets);
    return status;
}

/* ---- the bags ---- */

kt_tensor *kt__bag_kept(kt_tensor *indices, kt_tensor *bag, int64_t bags, int64_t padding)
{
    kt_tensor *kept = kt_lt_s(bag, KT_INT(bags));
    return padding >= 0 ? kt_logical_and(kept, kt_ne_s(indices, KT_INT(padding))) : kept;
}

/* PyTorch asks of each row whether it is larger: NaN stays where it is the first of its bag, and is passed over elsewhere. */
static kt_tensor *without_later_nans(kt_tensor *rows, kt_tensor *place, kt_tensor *bag, kt_tensor *kept, int64_t bags)
{
    const int64_t n = rows->sizes[0];
    kt_tensor    *none = kt_full(KT_SHAPE(bags), KT_INT(n), .dtype = KT_I64, .device = kt__device(rows));
    kt_tensor    *first = kt_index_reduce(none, 0, bag, kt_where_s(kept, place, KT_INT(n)), "amin");
    kt_tensor    *later = kt_gt(place, kt_index_select(first, 0, bag));
    return kt_masked_fill(rows, kt_logical_and(kt_isnan(rows), kt_unsqueeze(later, 1)), KT_FLOAT(-__builtin_inf()));
}

/* The first row of each bag that is largest, for each column. rows: [n, columns], of those that are not kept the least. */
static kt_tensor *largest_row(kt_tensor *rows, kt_tensor *most, kt_tensor *bag, kt_tensor *indices, kt_tensor *kept)
{
    const int64_t n = rows->sizes[0];
    kt_tensor    *place = kt_unsqueeze(kt_arange(KT_INT(0), KT_INT(n), .device = kt__device(rows)), 1);
    kt_tensor    *largest = kt_logical_or(kt_eq(rows, kt_index_select(most, 0, bag)), kt_isnan(rows));
    kt_tensor    *same = kt_logical_and(largest, kt_unsqueeze(kept, 1));
    kt_tensor    *first = kt_where_s(same, kt_expand(place, kt__sizes(rows)), KT_INT(n));
    kt_tensor    *none = kt_full_like(most, KT_INT(n), .dtype = KT_I64);
    kt_tensor    *found = kt_index_reduce(none, 0, bag, first, "amin");
    kt_tensor    *some = kt_lt_s(found, KT_INT(n)), *at = kt_where_s(some, found, KT_INT(0));
    kt_tensor    *row = n ? kt_reshape(kt_index_select(indices, 0, kt_reshape(at, KT_SHAPE(-1))), kt__sizes(most)) : at;
    return kt_where_s(some, row, KT_INT(0));
}

kt_status kt__body_embedding_bag_of(kt_call *call)
{
    enum { TABLE, AT, FACTORS, BEGINS, BY_FREQUENCY, HOW, WITH_END, LEFT_OUT };
    KT_SCOPE;
    kt_tensor     *weight = call->arg[TABLE].t, *indices = call->arg[AT].t, *offsets = call->arg[BEGINS].t;
    kt_tensor     *each = kt__given(call, FACTORS) ? call->arg[FACTORS].t : NULL;
    const int64_t  mode = kt__arg_int(call, HOW), padding = kt__arg_int(call, LEFT_OUT);
    const bool     last = kt__arg_bool(call, WITH_END);
    const kt_dtype dtype = (kt_dtype)weight->dtype, wide = dtype == KT_F64 ? KT_F64 : KT_F32;
    const bool     is_dense = weight->ndim != 2 || weight->strides[1] == 1;
    const bool     is_slower = mode == BAG_MAX || dtype == KT_F64 || padding >= 0 || !is_dense;
    if (check_dims(weight, indices, offsets, each) || check_index(call, indices) || check_index(call, offsets) ||
        check_table(call, weight, each))
        return kt_error_status();
    if (each && each->numel != indices->numel)
        return kt_fail(KT_ERR_RUNTIME, "embedding_bag: per_sample_weights must have one element for each index");
    if (mode < BAG_SUM || mode > BAG_MAX)
        return kt_fail(KT_ERR_RUNTIME, "mode has to be one of sum, mean or max");
    if (last && offsets->numel < 1)
        return kt_fail(KT_ERR_RUNTIME, "include_last_offset: number of offset should be at least 1");
    if (kt__one_device((kt_tensor *[]){weight, indices, offsets, each ? each : weight}, 4) ||
        check_values(indices, offsets, weight->sizes[0], is_slower))
        return kt_error_status();
    const int64_t   bags = offsets->numel - last, columns = weight->sizes[1], n = indices->numel, most = weight->sizes[0];
    const kt_device device = kt__device(weight);
    indices = kt__converted_inside(indices, KT_I64, KT_WHY_PROMOTION);
    offsets = kt__converted_inside(offsets, KT_I64, KT_WHY_PROMOTION);
    kt_tensor *place = kt_arange(KT_INT(0), KT_INT(n), .device = device);
    kt_tensor *bag = kt_sub_s(kt_searchsorted(offsets, place, .right = true), KT_INT(1));
    if (last && is_slower && bags) /* PyTorch's slower kernel does not ask where the last bag ends */
        bag = kt_clamp_max_s(bag, KT_INT(bags - 1));
    kt_tensor *kept = kt__bag_kept(indices, bag, bags, padding);
    kt_tensor *at = kt_clamp_max_s(bag, KT_INT(bags ? bags - 1 : 0)), *count, *out, *rows, *top;
    if (!bags || !n || !most) { /* nothing to sum; of no rows, where indices cannot be looked at or are refused late */
        out = kt_zeros(KT_SHAPE(bags, columns), .dtype = dtype, .device = device);
        count = kt_zeros(KT_SHAPE(bags), .dtype = KT_I64, .device = device);
        top = kt_zeros(KT_SHAPE(bags, columns), .dtype = KT_I64, .device = device);
        return kt__end_several(call, (kt_tensor *[]){out, bag, count, top}, 4);
    }
    count = kt_index_add(kt_zeros(KT_SHAPE(bags), .dtype = KT_I64, .device = device), 0, at,
                         kt__converted_inside(kept, KT_I64, KT_WHY_PROMOTION));
    if (indices->backend != KT_CPU) /* one report of a wrong index is enough */
        indices = kt_clamp_max_s(kt_clamp_min_s(indices, KT_INT(0)), KT_INT(most - 1));
    rows = kt__converted_inside(kt_index_select(weight, 0, indices), wide, KT_WHY_PROMOTION);
    if (each)
        rows = kt_mul(rows, kt_unsqueeze(kt__converted_inside(each, wide, KT_WHY_PROMOTION), 1));
    kt_tensor *dropped = kt_unsqueeze(kt_logical_not(kept), 1), *column = kt_unsqueeze(count, 1);
    if (mode == BAG_MAX) {
        rows = without_later_nans(kt_masked_fill(rows, dropped, KT_FLOAT(-__builtin_inf())), place, at, kept, bags);
        out = kt_full(KT_SHAPE(bags, columns), KT_FLOAT(-__builtin_inf()), .dtype = wide, .device = device);
        out = kt_index_reduce(out, 0, at, rows, "amax");
        top = largest_row(rows, out, at, indices, kept);
        out = kt_masked_fill(out, kt_eq_s(column, KT_INT(0)), KT_INT(0));
    } else {
        out = kt_zeros(KT_SHAPE(bags, columns), .dtype = wide, .device = device);
        out = kt_index_add(out, 0, at, kt_masked_fill(rows, dropped, KT_INT(0)));
        out = mode == BAG_MEAN ? kt_true_divide(out, kt_clamp_min_s(column, KT_INT(1))) : out;
        top = kt_zeros(KT_SHAPE(0), .dtype = KT_I64, .device = device);
    }
    return kt__end_several(call, (kt_tensor *[]){kt__converted_inside(out, dtype, KT_WHY_RESULT), bag, count, top}, 4);
}

/* ---- PyTorch's function: what it returns beside the rows depends on what its kernels need ---- */

enum { WEIGHT, INDICES, OFFSETS, FREQUENCY, MODE, SPARSE, EACH, LAST, PADDING };

/* The results belong to the body's scope. */
static kt_status run_bags(const kt_call *call, int64_t padding, kt_tensor **r)
{
    kt_call    c;
    kt_tensor *factors[] = {call->arg[WEIGHT].t, kt__given(call, EACH) ? call->arg[EACH].t : NULL};
    if (kt__is_mix(factors, 2) && kt__cast_together(factors, 2))
        return kt_error_status();
    kt__open(&c, KT_OP_embedding_bag_of, KT_PLAIN);
    kt__put_tensor(&c, 0, factors[0]);
    kt__put_tensor(&c, 1, call->arg[INDICES].t);
    if (factors[1])
        kt__put_tensor(&c, 2, factors[1]);
    kt__put_tensor(&c, 3, call->arg[OFFSETS].t);
    kt__put(&c, 4, b, kt__arg_bool(call, FREQUENCY));
    kt__put(&c, 5, i, kt__arg_int(call, MODE));
    kt__put(&c, 6, b, kt__arg_bool(call, LAST));
    kt__put(&c, 7, i, padding);
    kt_status status = kt_call_run(&c);
    for (int i = 0; i < 4 && !status; i++)
        r[i] = kt__scoped(c.out[i]);
    return status ? status : kt__failed() ? kt_error_status() : KT_OK;
}

kt_status kt__body_embedding_bag(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *weight = call->arg[WEIGHT].t, *offsets = call->arg[OFFSETS].t;
    const int64_t mode = kt__arg_int(call, MODE), rows = weight->ndim ? weight->sizes[0] : 0;
    int64_t       padding = kt__given(call, PADDING) ? call->arg[PADDING].i : -1;
    if (kt__given(call, PADDING) && (padding < -rows || padding >= rows))
        return kt_fail(KT_ERR_RUNTIME, "padding_idx must be within the number of embeddings, -%lld through %lld, but got %lld",
                       (long long)rows, (long long)(rows - 1), (long long)padding);
    padding += kt__given(call, PADDING) && padding < 0 ? rows : 0;
    if (kt__arg_bool(call, SPARSE) && kt__wants_grad(weight))
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "embedding_bag: there are no sparse gradients (sparse=True)");
    kt_tensor *r[4];
    if (run_bags(call, padding, r))
        return kt_error_status();
    kt_tensor *none = kt_zeros(KT_SHAPE(offsets->numel), .dtype = (kt_dtype)call->arg[INDICES].t->dtype,
                               .device = kt__device(weight));
    kt_tensor *bag = mode == BAG_SUM && padding < 0 ? kt_narrow(r[1], 0, 0, 0) : r[1];
    kt_tensor *count = mode == BAG_SUM ? none : r[2], *top = mode == BAG_MAX ? r[3] : count;
    return kt__end_several(call, (kt_tensor *[]){r[0], bag, count, top}, 4);
}

/* ---- nn.functional ---- */

static kt_status check_given(const kt_tensor *input, const kt_tensor *weight, const kt_tensor *offsets, const kt_tensor *each)
{
    if (each && !kt__same_sizes(each, input))
        return kt_fail(KT_ERR_VALUE, "embedding_bag: If per_sample_weights (torch.Size(%s)) is not None, then it must have the "
                       "same shape as the input (torch.Size(%s))", KT__SIZES_TEXT(each), KT__SIZES_TEXT(input));
    if (weight->ndim != 2)
        return kt_fail(KT_ERR_VALUE, "weight has to be a 2D Tensor, but got Tensor of dimension %d", weight->ndim);
    if (input->ndim != 1 && input->ndim != 2)
        return kt_fail(KT_ERR_VALUE, "input has to be 1D or 2D Tensor, but got Tensor of dimension %d", input->ndim);
    if (input->ndim == 2 && offsets)
        return kt_fail(KT_ERR_VALUE, "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
                       "length sequences. However, found offsets of type <class 'torch.Tensor'>");
    if (input->ndim == 1 && !offsets)
        return kt_fail(KT_ERR_VALUE, "offsets has to be a 1D Tensor but got None");
    if (input->ndim == 1 && offsets->ndim != 1)
        return kt_fail(KT_ERR_VALUE, "offsets has to be a 1D Tensor");
    return KT_OK;
}

static kt_status mode_of(const char *word, bool frequency, bool sparse, int64_t *mode)
{
    static const char *const words[] = {[BAG_SUM] = "sum", [BAG_MEAN] = "mean", [BAG_MAX] = "max"};
    for (*mode = BAG_SUM; *mode <= BAG_MAX; ++*mode)
        if (strcmp(word, words[*mode]) == 0)
            break;
    if (*mode > BAG_MAX)
        return kt_fail(KT_ERR_VALUE, "mode has to be one of sum, mean or max");
    if (*mode == BAG_MAX && frequency)
        return kt_fail(KT_ERR_VALUE, "max mode does not support scaling the gradient by the frequency");
    if (*mode == BAG_MAX && sparse)
        return kt_fail(KT_ERR_VALUE, "max mode does not support sparse weights");
    return KT_OK;
}

kt_status kt__body_nn_embedding_bag(kt_call *call)
{
    enum {
        NN_INPUT, NN_WEIGHT, NN_OFFSETS, NN_MAX_NORM, NN_NORM_TYPE, NN_FREQUENCY, NN_MODE, NN_SPARSE, NN_EACH, NN_LAST, NN_PADDING
    };
    KT_SCOPE;
    kt_tensor  *input = call->arg[NN_INPUT].t, *weight = call->arg[NN_WEIGHT].t;
    kt_tensor  *offsets = kt__given(call, NN_OFFSETS) ? call->arg[NN_OFFSETS].t : NULL;
    kt_tensor  *each = kt__given(call, NN_EACH) ? call->arg[NN_EACH].t : NULL;
    const char *word = kt__arg(call, NN_MODE)->str;
    const bool  frequency = kt__arg_bool(call, NN_FREQUENCY), sparse = kt__arg_bool(call, NN_SPARSE);
    bool        last = kt__arg_bool(call, NN_LAST);
    int64_t     mode;
    if (weight->dtype == KT_I64 && kt__dtype_rows[input->dtype].category == KT_CAT_FLOAT) {
        kt_tensor *first = input;
        kt__warn("Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
                 "deprecated, and should now be `embedding_bag(input, weight, ...)`.");
        input = weight;
        weight = first;
    }
    if (check_given(input, weight, offsets, each))
        return kt_error_status();
    if (input->ndim == 2 && input->sizes[1] == 0) /* of the bags' beginnings */
        return kt_fail(KT_ERR_RUNTIME, "step must be nonzero");
    if (mode_of(word, frequency, sparse, &mode))
        return kt_error_status();
    if (input->ndim == 2) {
        offsets = kt_arange(KT_INT(0), KT_INT(input->numel), .step = KT_INT(input->sizes[1]), .dtype = (kt_dtype)input->dtype,
                            .device = kt__device(input));
        input = kt_reshape(input, KT_SHAPE(-1));
        each = each ? kt_reshape(each, KT_SHAPE(-1)) : NULL;
        last = false;
        if (!offsets || !input || (kt__given(call, NN_EACH) && !each))
            return kt_error_status();
    }
    if (kt__given(call, NN_MAX_NORM) &&
        kt__shorten_rows(call, weight, input, call->arg[NN_MAX_NORM].f, kt__arg(call, NN_NORM_TYPE)->f))
        return kt_error_status();
    if (each && mode != BAG_SUM)
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "embedding_bag: per_sample_weights was not None. per_sample_weights is only "
                       "supported for mode='sum' (got mode='%s'). Please open a feature request on GitHub.", word);
    const kt_opt_int padding = {kt__given(call, NN_PADDING), kt__given(call, NN_PADDING) ? call->arg[NN_PADDING].i : 0};
    const kt_embedding_bag_results r = kt_embedding_bag(weight, input, offsets, .scale_grad_by_freq = frequency, .mode = mode,
                                                        .sparse = sparse, .per_sample_weights = each, .include_last_offset = last,
                                                        .padding_idx = padding);
    return kt__end(call, r.output);
}
