/* values.c - copying elements between tensors and the C program's memory. Reading waits for the device. */
#include <string.h>

#include "base/fills.h"
#include "call/call.h"
#include "tensor/device.h"
#include "call/wrap.h"

static kt_tensor *given(kt_tensor *t)
{
    if (t && kt__scope_add(t)) {
        kt__unref(t);
        return NULL;
    }
    return t;
}

kt_tensor *kt_from(const void *elements, kt_shape shape, kt_dtype dtype)
{
    if (kt__failed())
        return NULL;
    if (!kt__dtype_valid(dtype)) {
        kt_fail(KT_ERR_TYPE, "there is no dtype %d", (int)dtype);
        return NULL;
    }
    kt_tensor *t = kt__tensor_new(dtype, (kt_device){KT_CPU, 0}, shape);
    if (!t)
        return NULL;
    if (t->numel && !elements) {
        kt__unref(t);
        kt_fail(KT_ERR_VALUE, "kt_from: elements is NULL");
        return NULL;
    }
    if (t->numel)
        memcpy(t->data, elements, (size_t)t->numel * kt__itemsize(t));
    t->lineage = KT__RECORD(KT_BORN, "kt_from", KT_NONE, dtype, 0);
    return given(t);
}

kt_status kt_make(kt_dtype dtype, kt_shape shape, const char *maker, kt_tensor **result)
{
    if (!kt__dtype_valid(dtype))
        return kt_fail(KT_ERR_TYPE, "there is no dtype %d", (int)dtype);
    if (!result)
        return kt_fail(KT_ERR_VALUE, "the pointer for the result is NULL");
    *result = kt__tensor_new(dtype, (kt_device){KT_CPU, 0}, shape);
    if (!*result)
        return kt_error_status();
    (*result)->lineage = KT__RECORD(KT_BORN, maker, KT_NONE, dtype, 0);
    return KT_OK;
}

/* An integer stays int64, since the common dtype may hold what the other operand's cannot: -1 / uint8 is computed in float32. A
 * float takes the other operand's dtype where that is a float, so that no digit is lost on the way. A bool stays bool, which some
 * rows refuse, beside every dtype that promotes. */
static kt_dtype dtype_beside(kt_scalar number, const kt_tensor *beside)
{
    const kt_dtype    own = kt__dtype_of_number(number), other = beside ? (kt_dtype)beside->dtype : own;
    const kt_category kind = kt_dtype_category(other);
    bool              takes = kind == KT_CAT_COMPLEX || (kind == KT_CAT_FLOAT && number.kind == KT_SCALAR_FLOAT);
    if (number.kind == KT_SCALAR_BOOL) {
        takes = !kt_promote_types(KT_BOOL, other);
        kt_clear();
    }
    if (takes)
        return other;
    return number.kind == KT_SCALAR_COMPLEX && kind == KT_CAT_FLOAT ? kt_dtype_complex(other) : own;
}

kt_status kt_number_beside(kt_scalar number, const kt_tensor *beside, kt_tensor **t)
{
    kt_call call;
    if (!t)
        return kt_fail(KT_ERR_VALUE, "the pointer for the result is NULL");
    if (kt__failed())
        return kt_error_status();
    kt_call_begin(&call, &kt__rows[KT_OP_scalar_tensor], KT_PLAIN);
    call.arg[0].s = number;
    call.arg[1].dtype = dtype_beside(number, beside);
    call.arg[2].device = beside ? kt__device(beside) : (kt_device){KT_CPU, 0}; /* wherever others are made */
    call.given = 7;
    if (kt_call_run(&call))
        return kt_error_status();
    *t = call.out[0];
    (*t)->flags |= KT_T_WRAPPED;
    return KT_OK;
}

/* Bytes from the first element to the last one that the geometry reaches. */
static kt_status reach(kt_dtype dtype, kt_shape shape, kt_shape strides, size_t *bytes)
{
    int64_t last = 0, numel = 1, step = 0;
    if (kt__count(shape, &numel))
        return kt_error_status();
    for (int64_t i = 0; numel && i < shape.n; i++)
        if (strides.d[i] < 0 || __builtin_mul_overflow(shape.d[i] - 1, strides.d[i], &step) ||
            __builtin_add_overflow(last, step, &last))
            return kt_fail(KT_ERR_RUNTIME, "Storage size calculation overflowed");
    *bytes = numel ? (size_t)(last + 1) * kt_dtype_size(dtype) : 0;
    return KT_OK;
}

kt_status kt_make_over(void *memory, kt_dtype dtype, kt_shape shape, kt_shape strides, const char *maker,
                       void (*release)(void *owner), void *owner, kt_tensor **result)
{
    return kt_make_over_on((kt_device){KT_CPU, 0}, memory, dtype, shape, strides, maker, release, owner, result);
}

kt_status kt_make_over_on(kt_device device, void *memory, kt_dtype dtype, kt_shape shape, kt_shape strides, const char *maker,
                          void (*release)(void *owner), void *owner, kt_tensor **result)
{
    size_t      bytes = 0;
    kt_backend *b = kt__backend(device.kind);
    if (!b || device.index < 0 || device.index >= b->count(b))
        return kt_fail(KT_ERR_RUNTIME, "there is no such device");
    if (!kt__dtype_valid(dtype))
        return kt_fail(KT_ERR_TYPE, "there is no dtype %d", (int)dtype);
    if (!result)
        return kt_fail(KT_ERR_VALUE, "the pointer for the result is NULL");
    if (strides.n != shape.n || (strides.n && !strides.d))
        return kt_fail(KT_ERR_VALUE, "%lld sizes and %lld strides", (long long)shape.n, (long long)strides.n);
    if (reach(dtype, shape, strides, &bytes))
        return kt_error_status();
    kt_tensor *t = kt__tensor_wrap_on(device, memory, bytes, dtype, shape, NULL, NULL);
    if (!t)
        return kt_error_status();
    if (kt__tensor_set_geometry(t, shape, strides, 0)) {
        kt__unref(t);
        return kt_error_status();
    }
    t->storage->release = release; /* set last: on failure the caller keeps the owner */
    t->storage->owner = owner;
    t->lineage = KT__RECORD(KT_BORN_INTEROP, maker, KT_NONE, dtype, 0);
    *result = t;
    return KT_OK;
}

kt_tensor *kt_wrap(void *memory, kt_shape shape, kt_dtype dtype, void (*release)(void *owner), void *owner)
{
    int64_t numel = 1;
    if (kt__failed())
        return NULL;
    if (!kt__dtype_valid(dtype)) {
        kt_fail(KT_ERR_TYPE, "there is no dtype %d", (int)dtype);
        return NULL;
    }
    if (kt__count(shape, &numel))
        return NULL;
    if (numel && !memory) {
        kt_fail(KT_ERR_VALUE, "kt_wrap: memory is NULL");
        return NULL;
    }
    kt_tensor *t = kt__tensor_wrap(memory, (size_t)numel * kt_dtype_size(dtype), dtype, shape, release, owner);
    if (t)
        t->lineage = KT__RECORD(KT_BORN_INTEROP, "kt_wrap", KT_NONE, dtype, 0);
    return given(t);
}

kt_status kt_read(const kt_tensor *tensor, void *elements, size_t bytes)
{
    kt_tensor *t = (kt_tensor *)(uintptr_t)tensor;
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (t->flags & KT_T_BATCHED)
        return kt_fail(KT_ERR_RUNTIME,
                       "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a "
                       "Tensor, please try to rewrite what you're doing with other operations. If error is occurring somewhere "
                       "inside PyTorch internals, please file a bug report.");
    size_t needed = (size_t)t->numel * kt__itemsize(t);
    if (bytes != needed)
        return kt_fail(KT_ERR_VALUE, "the tensor has %zu bytes, the buffer %zu", needed, bytes);
    if (kt__backend(t->backend)->stores_nothing)
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "Cannot copy out of meta tensor; no data!");
    if (needed == 0)
        return KT_OK;
    if (!elements)
        return kt_fail(KT_ERR_VALUE, "the pointer for the result is NULL");
    if (kt__backend(t->backend)->addressable && kt__is_contiguous(t) && !(t->flags & (KT_T_CONJ | KT_T_NEG))) {
        kt__fill_settle(t->data);
        memcpy(elements, t->data, needed);
        return KT_OK;
    }
    kt_tensor *buffer = kt__tensor_wrap(elements, bytes, (kt_dtype)t->dtype, kt__sizes(t), NULL, NULL);
    kt_status  status = buffer ? kt__copy_into(buffer, t, KT_WHY_NONE, KT_ROUND_TORCH) : kt_error_status();
    kt__unref(buffer);
    return status;
}

static kt_scalar read_item(const kt_tensor *t)
{
    unsigned char element[16] __attribute__((aligned(16)));
    kt_scalar     none = {{0}, 0, 0, 0};
    if (!t || t->numel != 1) {
        if (!kt__failed())
            kt_fail(KT_ERR_RUNTIME, "a Tensor with %lld elements cannot be converted to Scalar",
                    t ? (long long)t->numel : 0LL);
        return none;
    }
    if (kt__backend(t->backend)->stores_nothing) {
        kt_fail(KT_ERR_RUNTIME, "Tensor.item() cannot be called on meta tensors");
        return none;
    }
    if (kt_read(t, element, kt__itemsize(t)))
        return none;
    return kt_scalar_load(element, (kt_dtype)t->dtype);
}

kt_status kt_pin(kt_tensor *t, kt_device d, kt_tensor **pinned)
{
    if (!pinned)
        return kt_fail(KT_ERR_TYPE, "expected a place for the tensor, got NULL");
    *pinned = NULL;
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (t->backend != KT_CPU)
        return kt_fail(KT_ERR_RUNTIME, "cannot pin '%s' only dense CPU tensors can be pinned", kt_device_name(kt__device(t)));
    if (d.kind == KT_DEVICE_DEFAULT)
        d = kt_device_accelerator();
    if (kt__pinned_by(t) == d.kind) {
        *pinned = kt__ref(t);
        return KT_OK;
    }
    kt_tensor *made = kt__tensor_pinned((kt_dtype)t->dtype, kt__sizes(t), d.kind);
    if (!made || kt__copy_into(made, t, KT_WHY_NONE, KT_ROUND_TORCH)) {
        kt__unref(made);
        return kt_error_status();
    }
    made->lineage = t->lineage;
    *pinned = made;
    return KT_OK;
}

static KT__COLD kt_scalar read_item_seen(const kt_tensor *t)
{
    kt_tensor *const one = (kt_tensor *)(uintptr_t)t; /* watchers read it */
    kt_span          span = {.kind = KT_SPAN_READ, .name = "item", .grads = &one, .n_grads = 1};
    kt__tell_enter(&span);
    const kt_scalar s = read_item(t);
    kt__tell_leave(&span, s.kind ? KT_OK : kt_error_status());
    return s;
}

kt_scalar kt_item_scalar(const kt_tensor *t)
{
    return KT__UNLIKELY(kt__is_watching()) && kt__is_seen() && t ? read_item_seen(t) : read_item(t);
}

double kt_item(const kt_tensor *t)
{
    kt_scalar s = kt_item_scalar(t);
    if (!s.kind)
        return __builtin_nan("");
    if (s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX)
        return s.v.re;
    return s.is_unsigned ? (double)(uint64_t)s.v.i : (double)s.v.i;
}
