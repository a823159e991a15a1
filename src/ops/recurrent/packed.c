/* packed.c - batches of sequences of different lengths: packed (the rows of all steps, step by step, without padding) and padded.
 * In: calls of their rows. Out: rows moved by their indices, which the host makes from lengths or batch_sizes, in any dtype. */
#include <string.h>

#include "base/alloc.h"
#include "ops/recurrent/recurrent.h"

static kt_status check_lengths(const kt_tensor *t)
{
    char device[32];
    if (t->dtype == KT_I64 && t->ndim == 1 && t->backend == KT_CPU)
        return KT_OK;
    kt__device_text(t, device, sizeof device);
    device[strcspn(device, ":")] = 0;
    return kt_fail(KT_ERR_RUNTIME, "'lengths' argument should be a 1D CPU int64 tensor, but got %dD %s %s tensor", t->ndim,
                   device, kt_dtype_torch_name((kt_dtype)t->dtype));
}

static kt_tensor *ints_as_tensor(const int64_t *values, int64_t n, kt_device device)
{
    kt_tensor *t = kt__scoped(kt__tensor_new(KT_I64, device, KT_SHAPE(n)));
    return t && kt__fill_from(t, values) ? NULL : t;
}

/* Where the rows of a packed sequence stand in a padded batch, as rows of [time * batch] or, with batch_first, [batch * time].
 * Steps beyond `time` have none. */
static kt_tensor *places_of(const int64_t *sizes, int64_t steps, int64_t time, int64_t batch, bool batch_first, kt_device device)
{
    int64_t n = 0, at = 0;
    size_t  granted;
    for (int64_t t = 0; t < steps && t < time; t++)
        n += sizes[t];
    int64_t *room = kt__block_get((size_t)(n ? n : 1) * sizeof *room, &granted);
    if (!room) {
        kt__fail_memory((size_t)n * sizeof *room);
        return NULL;
    }
    for (int64_t t = 0; t < steps && t < time; t++)
        for (int64_t i = 0; i < sizes[t]; i++)
            room[at++] = batch_first ? i * time + t : t * batch + i;
    kt_tensor *places = ints_as_tensor(room, n, device);
    kt__block_put(room, granted);
    return places;
}

/* The first two dims as one. */
static kt_tensor *as_rows(kt_tensor *t)
{
    int64_t sizes[KT_MAX_DIMS];
    if (!t)
        return NULL;
    sizes[0] = t->sizes[0] * t->sizes[1];
    memcpy(sizes + 1, t->sizes + 2, sizeof *sizes * (size_t)(t->ndim - 2));
    return kt_reshape(t, ((kt_shape){t->ndim - 1, sizes}));
}

/* ---- pack ---- */

static kt_status check_padded(const kt_tensor *input, const int64_t *lengths, int64_t n, bool batch_first)
{
    if (input->ndim < 2)
        return kt_fail(KT_ERR_INDEX, "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
    const int64_t batch = input->sizes[!batch_first];
    if (n != batch)
        return kt_fail(KT_ERR_RUNTIME, "Expected `len(lengths)` to be equal to batch_size, but got %lld (batch_size=%lld)",
                       (long long)n, (long long)batch);
    if (n > 0 && lengths[n - 1] <= 0)
        return kt_fail(KT_ERR_RUNTIME, "Length of all samples has to be greater than 0, but found an element in 'lengths' that "
                       "is <= 0");
    for (int64_t i = 1; i < n; i++)
        if (lengths[i] > lengths[i - 1])
            return kt_fail(KT_ERR_RUNTIME, "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. "
                           "You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
                           "requirement if you do not need ONNX exportability.");
    return KT_OK;
}

static kt_status pack(kt_call *call, kt_tensor *input, const int64_t *lengths, bool batch_first)
{
    kt__decision room;
    const int64_t batch = input->sizes[!batch_first], time = input->sizes[batch_first], steps = lengths[0];
    size_t        granted;
    kt_tensor    *batch_sizes = kt__scoped(kt__tensor_new(KT_I64, (kt_device){KT_CPU, 0}, KT_SHAPE(steps)));
    int64_t      *sizes = batch_sizes ? kt__block_get((size_t)steps * sizeof *sizes, &granted) : NULL;
    if (!sizes)
        return batch_sizes ? kt__fail_memory((size_t)steps * sizeof *sizes) : kt_error_status();
    for (int64_t t = 0; t < steps; t++) {
        sizes[t] = 0;
        while (sizes[t] < batch && lengths[sizes[t]] > t)
            sizes[t]++;
    }
    kt_tensor *places = places_of(sizes, steps, time, batch, batch_first, kt__device(input));
    const kt_status status = kt__fill_from(batch_sizes, sizes);
    kt__block_put(sizes, granted);
    kt_tensor *data = places && !status && kt__resolve_in_body(call, &room) ? kt_index_select(as_rows(input), 0, places) : NULL;
    return data ? kt__end_several(call, (kt_tensor *[]){data, batch_sizes}, 2) : kt_error_status();
}

kt_status kt__body_pack_padded_sequence(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *input = call->arg[0].t, *given = call->arg[1].t;
    const bool batch_first = kt__arg_bool(call, 2);
    if (input->numel == 0)
        return kt_fail(KT_ERR_RUNTIME, "Cannot pack empty tensors.");
    if (check_lengths(given))
        return kt_error_status();
    int64_t *lengths = kt__read_ints(given);
    if (!lengths)
        return kt_error_status();
    kt_status status = check_padded(input, lengths, given->numel, batch_first);
    status = status ? status : pack(call, input, lengths, batch_first);
    kt__free_ints(lengths, given);
    return status;
}

/* Sizes that a batch can have had: of each step no more than of the one before. */
static kt_status check_steps(const kt_tensor *data, const int64_t *sizes, int64_t steps)
{
    int64_t rows = 0;
    if (steps == 0)
        return kt_fail(KT_ERR_RUNTIME, "batch_sizes can not be empty");
    for (int64_t t = 0; t < steps; t++) {
        if (sizes[t] < 0 || sizes[t] > sizes[t ? t - 1 : 0])
            return kt_fail(KT_ERR_RUNTIME, "batch_sizes must not increase, but step %lld has %lld after %lld", (long long)t,
                           (long long)sizes[t], (long long)sizes[t ? t - 1 : 0]);
        rows += sizes[t];
    }
    if (data->ndim < 1 || rows > data->sizes[0])
        return kt_fail(KT_ERR_RUNTIME, "batch_sizes say %lld rows, but data has size %s", (long long)rows, KT__SIZES_TEXT(data));
    return KT_OK;
}

/* Inside a vmap the sizes must be the same for every example, since they say what a result is made of. NULL: they are not, or an
 * error is pending. The scope's, or the tensor itself. */
static kt_tensor *sizes_of_all(kt_tensor *t)
{
    while (t && t->flags & KT_T_BATCHED) {
        const kt__example *b = kt__example_of(t);
        kt_tensor         *one = kt_select(b->value, b->dim, 0), *same = kt_all(kt_eq(b->value, kt_unsqueeze(one, b->dim)));
        while (same && same->flags & KT_T_BATCHED)
            same = kt_all(kt__example_of(same)->value);
        if (same && kt_item(same) == 0)
            kt_fail(KT_ERR_RUNTIME, "vmap: packed sequences whose lengths differ from example to example");
        t = kt__failed() ? NULL : one;
    }
    return t;
}

kt_status kt__body_pack_padded_sequence_backward(kt_call *call)
{
    KT_SCOPE;
    kt_tensor     *grad = call->arg[0].t, *batch_sizes = sizes_of_all(call->arg[2].t);
    const kt_shape size = kt__arg_ints(call, 1);
    const bool     batch_first = kt__arg_bool(call, 3);
    if (!batch_sizes || check_lengths(batch_sizes))
        return kt_error_status();
    if (size.n < 2 || grad->ndim != size.n - 1)
        return kt_fail(KT_ERR_RUNTIME, "a gradient of %s does not fit a batch of sequences %s", KT__SIZES_TEXT(grad),
                       KT__SHAPE_TEXT(size));
    int64_t *sizes = kt__read_ints(batch_sizes);
    if (!sizes)
        return kt_error_status();
    const int64_t time = size.d[batch_first], batch = size.d[!batch_first];
    int64_t       steps_first[KT_MAX_DIMS] = {time, batch};
    for (int64_t i = 2; i < size.n; i++)
        steps_first[i] = size.d[i];
    const kt_shape laid = {size.n, steps_first}; /* in memory time comes first, as in PyTorch */
    kt_tensor     *zeros = kt_zeros(laid, .dtype = (kt_dtype)grad->dtype, .device = kt__device(grad)), *places = NULL;
    if (zeros && !check_steps(grad, sizes, batch_sizes->numel))
        places = sizes[0] > batch ? (kt_fail(KT_ERR_RUNTIME, "batch_sizes say %lld sequences, but there are %lld",
                                             (long long)sizes[0], (long long)batch), NULL)
                                  : places_of(sizes, batch_sizes->numel, time, batch, false, kt__device(grad));
    kt__free_ints(sizes, batch_sizes);
    kt_tensor *padded = places ? kt_reshape(kt_index_copy(as_rows(zeros), 0, places, grad), laid) : NULL;
    return kt__end(call, padded && batch_first ? kt_transpose(padded, 0, 1) : padded);
}

/* ---- pad ---- */

kt_status kt__body_pad_packed_sequence(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *data = call->arg[0].t, *batch_sizes = sizes_of_all(call->arg[1].t), *places = NULL, *lengths = NULL;
    const bool    batch_first = kt__arg_bool(call, 2);
    const int64_t total = kt__arg_int(call, 4), steps = call->arg[1].t->numel;
    int64_t       shape[KT_MAX_DIMS], batch = 0;
    if (!batch_sizes || check_lengths(batch_sizes))
        return kt_error_status();
    if (total > 0 && total < steps)
        return kt_fail(KT_ERR_RUNTIME, "Expected total_length to be at least the length of the longest sequence in input, but "
                       "got total_length=%lld and max sequence length being %lld", (long long)total, (long long)steps);
    int64_t *sizes = kt__read_ints(batch_sizes);
    if (!sizes)
        return kt_error_status();
    const int64_t time = total > 0 ? total : steps;
    if (!check_steps(data, sizes, steps)) {
        size_t   granted;
        batch = sizes[0];
        int64_t *ends = kt__block_get((size_t)(batch ? batch : 1) * sizeof *ends, &granted);
        for (int64_t i = 0; ends && i < batch; i++) {
            ends[i] = 0;
            while (ends[i] < steps && sizes[ends[i]] > i)
                ends[i]++;
        }
        if (!ends)
            kt__fail_memory((size_t)batch * sizeof *ends);
        else
            lengths = ints_as_tensor(ends, batch, (kt_device){KT_CPU, 0});
        kt__block_put(ends, granted);
        places = lengths ? places_of(sizes, steps, time, batch, false, kt__device(data)) : NULL;
    }
    kt__free_ints(sizes, batch_sizes);
    if (!places)
        return kt_error_status();
    shape[0] = time, shape[1] = batch;
    memcpy(shape + 2, data->sizes + 1, sizeof *shape * (size_t)(data->ndim - 1));
    const kt_shape whole = {data->ndim + 1, shape};
    kt_tensor     *padded = kt_full(whole, kt__arg_scalar(call, 3), .dtype = (kt_dtype)data->dtype, .device = kt__device(data));
    kt_tensor     *filled = kt_index_copy(as_rows(padded), 0, places, kt_narrow(data, 0, 0, places->numel));
    kt_tensor     *output = filled ? kt_reshape(filled, whole) : NULL;
    output = output && batch_first ? kt_transpose(output, 0, 1) : output;
    return output ? kt__end_several(call, (kt_tensor *[]){output, lengths}, 2) : kt_error_status();
}

kt_status kt__body_pad_sequence(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *const *t = call->arg[0].ts.t;
    const int64_t     n = call->arg[0].ts.n;
    const bool        batch_first = kt__arg_bool(call, 1);
    const char       *side = kt__arg(call, 3)->str;
    int64_t           sizes[KT_MAX_DIMS], longest = 0;
    if (n == 0)
        return kt_fail(KT_ERR_RUNTIME, "received an empty list of sequences");
    const bool left = strcmp(side, "left") == 0;
    if (!left && strcmp(side, "right") != 0)
        return kt_fail(KT_ERR_RUNTIME, "Expected padding_side to be one of left or right, but got %s.", side);
    for (int64_t i = 0; i < n; i++) {
        if (t[i]->ndim == 0)
            return kt_fail(KT_ERR_RUNTIME, "ArrayRef: invalid slice, N = 1; size = 0");
        longest = t[i]->sizes[0] > longest ? t[i]->sizes[0] : longest;
    }
    if (t[0]->ndim + 1 > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    sizes[batch_first] = longest, sizes[!batch_first] = n;
    memcpy(sizes + 2, t[0]->sizes + 1, sizeof *sizes * (size_t)(t[0]->ndim - 1));
    kt_tensor *out = kt_full(((kt_shape){t[0]->ndim + 1, sizes}), KT_FLOAT(kt__arg(call, 2)->f), .dtype = (kt_dtype)t[0]->dtype,
                             .device = kt__device(t[0]));
    for (int64_t i = 0; i < n && out; i++)
        out = t[i]->flags & KT_T_BATCHED ? kt__batching.room(out, t[i]) : out;
    for (int64_t i = 0; i < n && out; i++) {
        const int64_t length = t[i]->sizes[0];
        kt_tensor    *to = kt_select(out, !batch_first, i);
        if (!to || !kt_copy_(kt_narrow(to, 0, left ? longest - length : 0, length), t[i]))
            return kt_error_status();
    }
    return kt__end(call, out);
}
