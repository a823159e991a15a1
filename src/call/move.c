/* move.c - see move.h. In: tensors. Out: parts of them, formats, small calls. It knows no kernel but copy and fill. */
#include "call/move.h"

#include <string.h>

#include "base/alloc.h"
#include "call/end.h"

/* ---- parts ---- */

void kt__part_of(kt__part *part, const kt_tensor *t)
{
    memset(&part->t, 0, sizeof part->t);
    part->t.dtype = t->dtype;
    part->t.backend = t->backend;
    part->t.index = t->index;
    part->t.ndim = t->ndim;
    part->t.flags = t->flags & (KT_T_CONJ | KT_T_NEG);
    part->t.data = t->data;
    part->t.numel = t->numel;
    part->t.storage = t->storage;
    part->t.sizes = part->sizes;
    part->t.strides = part->strides;
    for (int i = 0; i < t->ndim; i++) {
        part->sizes[i] = t->sizes[i];
        part->strides[i] = t->strides[i];
    }
}

void kt__part_narrow(kt__part *part, int dim, int64_t start, int64_t length)
{
    kt_tensor *t = &part->t;
    t->data += start * t->strides[dim] * (int64_t)kt__itemsize(t);
    t->numel = t->sizes[dim] ? t->numel / t->sizes[dim] * length : 0;
    t->sizes[dim] = length;
}

void kt__part_reverse(kt__part *part, int dim)
{
    kt_tensor *t = &part->t;
    if (t->numel == 0)
        return;
    t->data += (t->sizes[dim] - 1) * t->strides[dim] * (int64_t)kt__itemsize(t);
    t->strides[dim] = -t->strides[dim];
}

void kt__part_drop(kt__part *part, int dim)
{
    kt_tensor *t = &part->t;
    kt__part_narrow(part, dim, 0, 1);
    for (int i = dim; i + 1 < t->ndim; i++) {
        t->sizes[i] = t->sizes[i + 1];
        t->strides[i] = t->strides[i + 1];
    }
    t->ndim--;
}

/* ---- layouts ---- */

/* Walking from the fastest dim to the slowest, no stride may fall below what lies under it. Where nothing lies under the
 * batch but the channels' own stride, the layout says nothing and counts as row-major. */
static bool follows(const kt_tensor *t, const int8_t *order)
{
    int64_t under = 0;
    if (t->strides[1] == 0)
        return false;
    for (int i = 0; i < t->ndim; i++) {
        int64_t size = t->sizes[order[i]], stride = t->strides[order[i]];
        if (size == 0 || stride < under || (order[i] == 0 && under == t->strides[1]))
            return false;
        under = stride * (size > 1 ? size : 1);
    }
    return true;
}

kt_memory_format kt__suggested_format(const kt_tensor *t)
{
    static const int8_t last_2d[] = {1, 3, 2, 0}, last_3d[] = {1, 4, 3, 2, 0};
    if (t->ndim == 4 && follows(t, last_2d))
        return KT_CHANNELS_LAST;
    return t->ndim == 5 && follows(t, last_3d) ? KT_CHANNELS_LAST_3D : KT_CONTIGUOUS_FORMAT;
}

bool kt__lines_end_in_channels(const kt_tensor *t)
{
    static const int8_t last_1d[] = {1, 2, 0};
    return t->ndim == 3 && follows(t, last_1d);
}

kt_tensor *kt__new_in_format(const kt_tensor *like, kt_dtype dtype, kt_shape sizes, kt_memory_format format)
{
    int64_t strides[KT_MAX_DIMS];
    if (format == KT_CONTIGUOUS_FORMAT || sizes.n > KT_MAX_DIMS || !kt__format_strides(sizes, format, strides))
        return kt__tensor_new(dtype, kt__device(like), sizes);
    return kt__tensor_new_strided(dtype, kt__device(like), sizes, (kt_shape){sizes.n, strides});
}

/* ---- devices ---- */

kt_status kt__one_device(kt_tensor *const *t, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (t[i]->backend != t[0]->backend || t[i]->index != t[0]->index)
            return kt__refuse_devices(t[0], t[i]);
    return KT_OK;
}

/* ---- calls from inside ---- */

static kt_status run(kt_call *c, kt_tensor **result)
{
    kt_status status = kt_call_run(c);
    *result = status ? NULL : c->out[0];
    return status;
}

kt_status kt__call_int(int op, kt_tensor *t, int64_t a, kt_tensor **result)
{
    kt_call c;
    kt__open(&c, op, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put(&c, 1, i, a);
    return run(&c, result);
}

kt_status kt__call_int2(int op, kt_tensor *t, int64_t a, int64_t b, kt_tensor **result)
{
    kt_call c;
    kt__open(&c, op, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put(&c, 1, i, a);
    kt__put(&c, 2, i, b);
    return run(&c, result);
}

kt_status kt__call_int3(int op, kt_tensor *t, int64_t a, int64_t b, int64_t c, kt_tensor **result)
{
    kt_call call;
    kt__open(&call, op, KT_PLAIN);
    kt__put_tensor(&call, 0, t);
    kt__put(&call, 1, i, a);
    kt__put(&call, 2, i, b);
    kt__put(&call, 3, i, c);
    return run(&call, result);
}

kt_status kt__call_ints(int op, kt_tensor *t, kt_shape ints, kt_tensor **result)
{
    kt_call c;
    kt__open(&c, op, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put(&c, 1, ints, ints);
    return run(&c, result);
}

kt_status kt__call_narrow(kt_tensor *t, int64_t dim, int64_t start, int64_t length, kt_tensor **result)
{
    return kt__call_int3(KT_OP_narrow, t, dim, start, length, result);
}

kt_status kt__call_list(int op, kt_tensor *const *t, int64_t n, int64_t dim, kt_tensor **result)
{
    kt_call c;
    kt__open(&c, op, KT_PLAIN);
    kt__put_tensors(&c, 0, t, n);
    kt__put(&c, 1, i, dim);
    return run(&c, result);
}

kt_status kt__run_list_as(kt_call *call, int op, kt_tensor *const *t, int64_t n, int64_t dim)
{
    kt_call c;
    kt__open(&c, op, (kt_form)call->form);
    kt__put_tensors(&c, 0, t, n);
    kt__put(&c, 1, i, dim);
    return kt__run_as(call, &c);
}

kt_status kt__call_clone(kt_tensor *t, kt_memory_format format, kt_tensor **result)
{
    kt_call c;
    kt__open(&c, KT_OP_clone, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put(&c, 1, format, (int32_t)format);
    return run(&c, result);
}

/* ---- integers ---- */

kt_status kt__fill_from(kt_tensor *to, const int64_t *values)
{
    if (to->numel == 0 || kt__backend(to->backend)->stores_nothing)
        return KT_OK;
    kt_tensor *host = kt__tensor_wrap((void *)(uintptr_t)values, (size_t)to->numel * sizeof *values, KT_I64, kt__sizes(to),
                                      NULL, NULL);
    kt_status  status = host ? kt__copy_into(to, host, KT_WHY_RESULT, KT_ROUND_TORCH) : kt_error_status();
    kt__unref(host);
    return status;
}

static size_t ints_bytes(const kt_tensor *t) { return (size_t)(t->numel ? t->numel : 1) * sizeof(int64_t); }

void kt__free_ints(int64_t *values, const kt_tensor *of)
{
    if (values)
        kt__system_put(values, ints_bytes(of));
}

int64_t *kt__read_ints(kt_tensor *t)
{
    kt_tensor *wide = NULL;
    if (kt_convert(t, KT_I64, KT_WHY_INDEX, &wide))
        return NULL;
    int64_t *values = kt__system_get(ints_bytes(t));
    if (!values)
        kt__fail_memory(ints_bytes(t));
    if (values && kt_read(wide, values, (size_t)t->numel * sizeof *values)) {
        kt__free_ints(values, t);
        values = NULL;
    }
    kt__unref(wide);
    return values;
}

/* ---- lists ---- */

kt_status kt__list_of(kt_call *call, int64_t n)
{
    call->n_list = n;
    call->list = n >= 0 && n <= INT64_MAX / 64 ? kt__system_get((size_t)n * sizeof *call->list) : NULL;
    if (!call->list) {
        call->n_list = 0;
        return n ? kt__fail_memory((size_t)n * sizeof *call->list) : KT_OK;
    }
    memset(call->list, 0, (size_t)n * sizeof *call->list);
    return KT_OK;
}

kt_status kt__list_done(kt_call *call, kt_status status)
{
    if (status)
        kt_call_free_list(call);
    return status;
}
