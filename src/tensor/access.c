/* access.c - the public accessors of tensors. A NULL tensor is an error, unless one is already pending. */
#include <karat/grad.h>

#include <karat/plugin/call.h>
#include <karat/plugin/storage.h>

#include <karat/lineage.h>

#include "base/error.h"
#include "base/fills.h"
#include "base/scope.h"
#include "tensor/tensor.h"

static bool missing(const kt_tensor *t)
{
    if (!t)
        kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    return !t;
}

kt_tensor *kt_keep(kt_tensor *t) { return t ? kt__ref(t) : NULL; }
void       kt_drop(kt_tensor *t) { kt__unref(t); }

kt_dtype  kt_dtype_of(const kt_tensor *t) { return missing(t) ? KT_NONE : (kt_dtype)t->dtype; }
kt_device kt_device_of(const kt_tensor *t) { return missing(t) ? (kt_device){-1, 0} : kt__device(t); }
int64_t   kt_ndim(const kt_tensor *t) { return missing(t) ? -1 : t->ndim; }
int64_t   kt_numel(const kt_tensor *t) { return missing(t) ? -1 : t->numel; }
kt_shape  kt_sizes(const kt_tensor *t) { return missing(t) ? KT_SCALAR : kt__sizes(t); }
kt_shape  kt_strides(const kt_tensor *t) { return missing(t) ? KT_SCALAR : kt__strides(t); }
int64_t   kt_storage_offset(const kt_tensor *t) { return missing(t) ? -1 : kt__offset(t); }
bool      kt_is_contiguous(const kt_tensor *t) { return !missing(t) && kt__is_contiguous(t); }
bool      kt_is_view(const kt_tensor *t) { return !missing(t) && (t->flags & KT_T_VIEW); }
bool      kt_is_conj(const kt_tensor *t) { return !missing(t) && (t->flags & KT_T_CONJ); }
bool      kt_is_neg(const kt_tensor *t) { return !missing(t) && (t->flags & KT_T_NEG); }
void    **kt_tensor_wrapper(kt_tensor *t) { return missing(t) ? NULL : &t->wrapper; }
bool      kt_is_shared(const kt_tensor *t) { return !missing(t) && atomic_load_explicit(&t->refs, memory_order_acquire) > 1; }
int       kt_owner_count(const kt_tensor *t)
{
    return missing(t) ? 0 : (int)atomic_load_explicit(&t->refs, memory_order_acquire);
}
bool      kt_wrapper_drop(kt_tensor *t, void *object)
{
    if (missing(t))
        return true;
    const bool named = object && t->wrapper == object, kept = named && kt_is_shared(t);
    if (named)
        t->wrapper = kept ? (void *)((uintptr_t)object | 1) : NULL;
    kt__unref(t);
    return !kept;
}
void      kt_on_wrapper_left(kt_wrapper_left left) { kt__wrapper_left = left; }
bool      kt_is_inference(const kt_tensor *t) { return !missing(t) && t->flags & KT_T_INFERENCE; }
bool      kt_inference(void) { return kt__born_flags & KT_T_INFERENCE; }
void      kt_set_inference(bool on) { kt__born_flags = on ? KT_T_INFERENCE : 0; }
uint32_t  kt_tensor_version(const kt_tensor *t) { return missing(t) ? 0 : kt__version(t); }

kt_tensor *kt_base(const kt_tensor *t) { return missing(t) || !(t->flags & KT_T_VIEW) ? NULL : t->base; }
size_t     kt_storage_bytes(const kt_tensor *t) { return missing(t) ? 0 : t->storage->bytes; }
const void *kt_storage_identity(const kt_tensor *t)
{
    return missing(t) ? NULL : t->storage;
}

void      *kt_storage_data(const kt_tensor *t)
{
    if (missing(t))
        return NULL;
    if (t->flags & KT_T_BATCHED)
        kt__fail_batched();
    if (t->flags & KT_T_BATCHED)
        return NULL;
    kt__fill_settle(t->storage->data);
    return t->storage->data;
}

uint32_t kt_lineage_of(const kt_tensor *t) { return t ? t->lineage : 0; }

bool kt_shares_storage(const kt_tensor *a, const kt_tensor *b)
{
    return !missing(a) && !missing(b) && a->storage == b->storage;
}

static int64_t dim_value(const kt_tensor *t, int64_t dim, const int64_t *values)
{
    int64_t rank = t->ndim ? t->ndim : 1;
    if (dim < -rank || dim >= rank || !t->ndim) {
        kt_fail(KT_ERR_INDEX, "Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)",
                (long long)-rank, (long long)rank - 1, (long long)dim);
        return -1;
    }
    return values[dim < 0 ? dim + rank : dim];
}

int64_t kt_size(const kt_tensor *t, int64_t dim) { return missing(t) ? -1 : dim_value(t, dim, t->sizes); }
int64_t kt_stride(const kt_tensor *t, int64_t dim) { return missing(t) ? -1 : dim_value(t, dim, t->strides); }

bool kt_is_contiguous_as(const kt_tensor *t, kt_memory_format format)
{
    int64_t want[KT_MAX_DIMS];
    if (missing(t))
        return false;
    if (format != KT_CHANNELS_LAST && format != KT_CHANNELS_LAST_3D)
        return kt__is_contiguous(t);
    if (!kt__format_strides(kt__sizes(t), format, want))
        return false;
    for (int i = 0; i < t->ndim; i++)
        if (t->sizes[i] != 1 && t->strides[i] != want[i])
            return false;
    return true;
}

void *kt_data(kt_tensor *t)
{
    if (missing(t))
        return NULL;
    if (t->flags & KT_T_BATCHED) {
        kt__fail_batched();
        return NULL;
    }
    if (kt__backend(t->backend)->addressable) {
        kt__fill_settle(t->data);
        return t->data;
    }
    kt_fail(KT_ERR_RUNTIME, "the memory of a tensor on device '%s' cannot be read from the host: use kt_read",
            kt_device_name(kt__device(t)));
    return NULL;
}
