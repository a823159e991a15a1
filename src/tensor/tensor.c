/* tensor.c - allocation and release of tensors and storages. In: a dtype, a device, sizes and strides. Out: an owned
 * record. Memory comes from the device's backend, records from the pool. */
#include "tensor/tensor.h"

#include "base/warn.h"

#include <karat/plugin/call.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "tensor/device.h"

void (*kt__autograd_release)(kt_tensor *t);
kt_status (*kt__autograd_moves)(kt_tensor *t);
kt__memory_watch *kt__memory_seen;

/* To whom it was given, to whom it is taken back: the bytes that were asked for, foreign memory and what holds none left out. */
static KT__COLD void tell_memory(const kt_storage *s, bool freed)
{
    kt__memory_watch *tell = KT__PEEK(kt__memory_seen);
    if (tell && !s->release && s->bytes && !kt__backend(s->backend)->stores_nothing)
        tell((kt_device){s->backend, s->index}, s->data, freed ? -(int64_t)s->bytes : (int64_t)s->bytes);
}

static inline bool memory_is_seen(void) { return KT__UNLIKELY(KT__PEEK(kt__memory_seen) != NULL); }

/* The usual tensor: record, storage header and small data in one pool allocation. */
typedef struct kt_block {
    kt_tensor     tensor;
    kt_storage    storage;
    unsigned char data[KT_INLINE_BYTES] __attribute__((aligned(16)));
} kt_block;

static kt_block *block_of_storage(kt_storage *s)
{
    return (kt_block *)(void *)((char *)s - offsetof(kt_block, storage));
}

static inline void block_put(kt_block *b)
{
    if (KT__LIKELY(b->storage.block_bytes == sizeof(kt_block)))
        kt__pool_put(b, sizeof(kt_block));
    else
        kt__pool_put(b, offsetof(kt_block, data));
}

static void storage_unhold(kt_storage *s)
{
    if (atomic_fetch_sub_explicit(&s->held, 1, memory_order_acq_rel) != 1)
        return;
    if (s->block_bytes)
        block_put(block_of_storage(s));
    else
        kt__pool_put(s, sizeof *s);
}

static inline kt_status memory_get(kt_backend *backend, kt_device d, size_t bytes, void **data, size_t *granted)
{
    return KT__LIKELY(backend->addressable) ? backend->alloc(backend, d.index, 0, bytes, data, granted)
                                            : kt__device_alloc(d, bytes, data, granted);
}

static inline void memory_put(kt_device d, void *data, size_t granted)
{
    kt_backend *backend = kt__backend(d.kind);
    if (KT__LIKELY(backend->addressable))
        backend->free(backend, d.index, data, granted);
    else
        kt__device_free(d, data, granted);
}

static inline void storage_free_memory(kt_storage *s)
{
    if (memory_is_seen())
        tell_memory(s, true);
    if (KT__UNLIKELY(s->release != NULL))
        s->release(s->owner);
    else if (s->granted)
        memory_put((kt_device){s->backend, s->index}, s->data, s->granted);
}

static void storage_unref(kt_storage *s)
{
    if (!kt__count_down(&s->refs))
        return;
    storage_free_memory(s);
    storage_unhold(s);
}

static inline kt_status set_dims(kt_tensor *t, kt_shape shape)
{
    t->ndim = (uint8_t)shape.n;
    t->sizes = t->dims;
    t->strides = t->dims + KT_INLINE_DIMS;
    if (shape.n <= KT_INLINE_DIMS)
        return KT_OK;
    int64_t *both = kt__pool_get((size_t)shape.n * 2 * sizeof(int64_t));
    if (!both)
        return kt__fail_memory((size_t)shape.n * 2 * sizeof(int64_t));
    t->sizes = both;
    t->strides = both + shape.n;
    return KT_OK;
}

static inline void free_dims(kt_tensor *t)
{
    if (t->sizes != t->dims)
        kt__pool_put(t->sizes, (size_t)t->ndim * 2 * sizeof(int64_t));
}

/* ---- version counters of their own, not the storage's ---- */

typedef struct counter {
    _Atomic int32_t  refs;
    _Atomic uint32_t version;
} counter;

static counter *counter_of(const kt_tensor *t)
{
    return (counter *)(void *)((char *)t->version - offsetof(counter, version));
}

static kt_storage *counting_storage(const kt_tensor *t)
{
    return (kt_storage *)(void *)((char *)t->version - offsetof(kt_storage, version));
}

static void counter_ref(const kt_tensor *t)
{
    if (t->flags & KT_T_STORED_COUNTER)
        atomic_fetch_add_explicit(&counting_storage(t)->held, 1, memory_order_relaxed);
    else
        kt__count_up(&counter_of(t)->refs);
}

static void counter_unref(kt_tensor *t)
{
    if (t->flags & KT_T_STORED_COUNTER) {
        storage_unhold(counting_storage(t));
        return;
    }
    counter *c = counter_of(t);
    if (kt__count_down(&c->refs))
        kt__pool_put(c, sizeof *c);
}

void kt__tensor_keep_counter(kt_tensor *t)
{
    if (!t->version || t->flags & KT_T_OWN_COUNTER)
        return;
    t->flags |= KT_T_OWN_COUNTER | KT_T_STORED_COUNTER;
    counter_ref(t);
}

kt_status kt__tensor_own_counter(kt_tensor *t, uint32_t version)
{
    counter *c = kt__pool_get(sizeof *c);
    if (!c)
        return kt__fail_memory(sizeof *c);
    atomic_init(&c->refs, 1);
    atomic_init(&c->version, version);
    if (t->flags & KT_T_OWN_COUNTER)
        counter_unref(t);
    t->version = &c->version;
    t->flags = (t->flags | KT_T_OWN_COUNTER) & ~(uint32_t)KT_T_STORED_COUNTER;
    return KT_OK;
}

KT__HOT_LOCAL uint32_t kt__born_flags;

static inline void init_record(kt_tensor *t, kt_dtype dtype, kt_device device)
{
    atomic_init(&t->refs, 1);
    t->dtype = (uint8_t)dtype;
    t->backend = (uint8_t)device.kind;
    t->index = (uint8_t)device.index;
    t->flags = KT_T_LEAF | kt__born_flags;
    t->lineage = 0;
    t->base = NULL;
    t->autograd = NULL;
    t->wrapper = NULL;
}

KT__HOT_LOCAL kt__transform *kt__transform_now;
_Atomic uint32_t             kt__transforms_begun;

static inline void init_storage(kt_storage *s, kt_device device, size_t bytes, size_t block_bytes)
{
    atomic_init(&s->refs, 1);
    atomic_init(&s->version, 0);
    atomic_init(&s->written_at, 0);
    s->born = atomic_load_explicit(&kt__transforms_begun, memory_order_relaxed);
    atomic_init(&s->writer, 0);
    s->bytes = bytes;
    s->granted = 0;
    s->release = NULL;
    s->owner = NULL;
    s->backend = (uint8_t)device.kind;
    s->index = (uint8_t)device.index;
    s->block_bytes = (uint16_t)block_bytes;
    atomic_init(&s->held, block_bytes ? 2 : 1);
    s->fixed = false;
    s->pinned_by = 0;
}

kt_status kt__check_rank(kt_shape shape)
{
    if (shape.n > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    return KT_OK;
}

/* A block for numel elements, with memory; the caller sets sizes and strides. */
static inline __attribute__((always_inline)) kt_tensor *new_block(kt_dtype dtype, kt_device device, kt_shape shape,
                                                                  int64_t numel)
{
    size_t      bytes = (size_t)numel * kt__dtype_rows[dtype].size;
    kt_backend *backend = kt__backend(device.kind);
    bool        inside = backend->addressable && bytes <= KT_INLINE_BYTES;
    size_t      size = inside ? sizeof(kt_block) : offsetof(kt_block, data);
    kt_block   *b =
        inside ? kt__pool_get(sizeof(kt_block)) : kt__pool_get(offsetof(kt_block, data)); /* constant sizes fold */
    if (KT__UNLIKELY(!b)) {
        kt__fail_memory(size);
        return NULL;
    }
    init_record(&b->tensor, dtype, device);
    init_storage(&b->storage, device, bytes, size);
    b->tensor.flags |= KT_T_BLOCK;
    b->tensor.numel = numel;
    b->tensor.storage = &b->storage;
    b->tensor.version = &b->storage.version;
    b->storage.data = (char *)b->data;
    if (!inside) {
        void *data = NULL;
        if (memory_get(backend, device, bytes, &data, &b->storage.granted)) {
            kt__pool_put(b, size);
            return NULL;
        }
        b->storage.data = data;
    }
    b->tensor.data = b->storage.data;
    if (memory_is_seen())
        tell_memory(&b->storage, false);
    if (set_dims(&b->tensor, shape)) {
        storage_free_memory(&b->storage);
        kt__pool_put(b, size);
        return NULL;
    }
    return &b->tensor;
}

KT__COLD void kt__warn_of_complex_half(void)
{
    KT__WARN_ONCE("ComplexHalf support is experimental and many operators don't support it yet.");
}

KT__HOT kt_tensor *kt__tensor_new(kt_dtype dtype, kt_device device, kt_shape shape)
{
    int64_t numel = 1;
    if (kt__count(shape, &numel) || (!numel && kt__check_strides(shape)))
        return NULL;
    if (numel > (int64_t)(INT64_MAX / 16)) {
        kt_fail(KT_ERR_RUNTIME, "Storage size calculation overflowed with sizes=%s", KT__SHAPE_TEXT(shape));
        return NULL;
    }
    if (KT__UNLIKELY(dtype == KT_C32))
        kt__warn_of_complex_half();
    kt_tensor *t = new_block(dtype, device, shape, numel);
    if (!t)
        return NULL;
    for (int64_t i = 0; i < shape.n; i++)
        t->sizes[i] = shape.d[i];
    kt__dense_strides(shape, t->strides);
    t->flags |= KT_T_CONTIGUOUS;
    return t;
}

static __attribute__((noinline)) kt_tensor *like_any(const kt_tensor *like, kt_dtype dtype)
{
    kt_shape shape = kt__sizes(like);
    if (KT__UNLIKELY(dtype == KT_C32))
        kt__warn_of_complex_half();
    kt_tensor *t = new_block(dtype, kt__device(like), shape, like->numel);
    if (!t)
        return NULL;
    memcpy(t->sizes, shape.d, (size_t)shape.n * sizeof(int64_t));
    kt__dense_strides(shape, t->strides);
    t->flags |= KT_T_CONTIGUOUS;
#ifndef KT_NO_LINEAGE
    t->lineage = like->lineage;
#endif
    return t;
}

/* The result of a small operator: one block, everything inlined. */
KT__HOT kt_tensor *kt__tensor_like(const kt_tensor *like, kt_dtype dtype)
{
    size_t    bytes = (size_t)like->numel * kt__dtype_rows[dtype].size;
    kt_block *b = NULL;
    if (KT__UNLIKELY(like->backend != KT_CPU || bytes > KT_INLINE_BYTES || like->ndim > KT_INLINE_DIMS ||
                     !(b = kt__pool_get(sizeof(kt_block)))))
        return like_any(like, dtype);
    kt_device cpu = {KT_CPU, 0};
    init_record(&b->tensor, dtype, cpu);
    init_storage(&b->storage, cpu, bytes, sizeof(kt_block));
    b->tensor.flags |= KT_T_BLOCK | KT_T_CONTIGUOUS;
    b->tensor.ndim = like->ndim;
    b->tensor.numel = like->numel;
    b->tensor.storage = &b->storage;
    b->tensor.version = &b->storage.version;
    b->tensor.data = b->storage.data = (char *)b->data;
    if (memory_is_seen())
        tell_memory(&b->storage, false);
    b->tensor.sizes = b->tensor.dims;
    b->tensor.strides = b->tensor.dims + KT_INLINE_DIMS;
#ifndef KT_NO_LINEAGE
    b->tensor.lineage = like->lineage;
#endif
    int64_t step = 1; /* not like's strides: those of dims of size 1 may be arbitrary */
    for (int i = like->ndim - 1; i >= 0; i--) {
        int64_t size = b->tensor.dims[i] = like->sizes[i];
        b->tensor.dims[KT_INLINE_DIMS + i] = step;
        step *= size > 1 ? size : 1;
    }
    return &b->tensor;
}

KT__HOT kt_tensor *kt__tensor_new_strided(kt_dtype dtype, kt_device device, kt_shape shape, kt_shape strides)
{
    kt_tensor *t = kt__tensor_new(dtype, device, shape);
    if (!t)
        return NULL;
    for (int64_t i = 0; i < shape.n; i++)
        t->strides[i] = strides.d[i];
    if (!kt__is_row_major(shape, strides))
        t->flags &= ~(uint32_t)KT_T_CONTIGUOUS;
    return t;
}

static KT__COLD kt_status fail_span(kt_shape shape, kt_shape strides)
{
    return kt_fail(KT_ERR_RUNTIME, "Storage size calculation overflowed with sizes=%s and strides=%s",
                   KT__SHAPE_TEXT(shape), KT__SHAPE_TEXT(strides));
}

/* How many elements of storage the sizes and strides reach, counted from the first element. */
static kt_status span_of(kt_shape shape, kt_shape strides, int64_t offset, int64_t *span)
{
    int64_t last = offset;
    for (int64_t i = 0; i < shape.n; i++) {
        if (shape.d[i] == 0) {
            *span = 0;
            return KT_OK;
        }
        int64_t reach = 0;
        if (__builtin_mul_overflow(shape.d[i] - 1, strides.d[i], &reach) || __builtin_add_overflow(last, reach, &last))
            return fail_span(shape, strides);
    }
    *span = last + 1;
    return KT_OK;
}

kt_tensor *kt__tensor_new_spread(kt_dtype dtype, kt_device device, kt_shape shape, kt_shape strides)
{
    int64_t numel = 1, span = 0;
    if (kt__count_view(shape, &numel) || span_of(shape, strides, 0, &span))
        return NULL;
    for (int64_t i = 0; i < strides.n; i++) {
        if (strides.d[i] < 0) {
            fail_span(shape, strides);
            return NULL;
        }
    }
    kt_tensor *t = kt__tensor_new(dtype, device, (kt_shape){1, &span});
    if (t && kt__tensor_set_geometry(t, shape, strides, 0)) {
        kt__unref(t);
        return NULL;
    }
    return t;
}

kt_status kt__tensor_set_geometry(kt_tensor *t, kt_shape shape, kt_shape strides, int64_t offset)
{
    int64_t numel = 1, span = 0;
    if (span_of(shape, strides, offset, &span))
        return kt_error_status();
    int64_t item = (int64_t)kt__itemsize(t), bytes = 0;
    if (__builtin_mul_overflow(span, item, &bytes) || offset < 0)
        return fail_span(shape, strides);
    if ((size_t)bytes > t->storage->bytes) {
        char sizes[256], steps[256];
        kt__shape_text(sizes, sizeof sizes, shape);
        kt__shape_text(steps, sizeof steps, strides);
        return kt_fail(
            KT_ERR_RUNTIME,
            "setStorage: sizes %s, strides %s, storage offset %lld, and itemsize %lld requiring a storage size of "
            "%lld are out of bounds for storage of size %zu",
            sizes, steps, (long long)offset, (long long)item, (long long)bytes, t->storage->bytes);
    }
    if (kt__count_view(shape, &numel))
        return kt_error_status();
    if (shape.n > KT_INLINE_DIMS || t->sizes != t->dims) {
        kt_tensor fresh = *t;
        if (set_dims(&fresh, shape))
            return kt_error_status();
        memmove(fresh.sizes == fresh.dims ? t->dims : fresh.sizes, shape.d, (size_t)shape.n * sizeof(int64_t));
        memmove(fresh.sizes == fresh.dims ? t->dims + KT_INLINE_DIMS : fresh.strides, strides.d,
                (size_t)shape.n * sizeof(int64_t));
        free_dims(t);
        t->sizes = fresh.sizes == fresh.dims ? t->dims : fresh.sizes;
        t->strides = fresh.sizes == fresh.dims ? t->dims + KT_INLINE_DIMS : fresh.strides;
        t->ndim = (uint8_t)shape.n;
    } else {
        t->ndim = (uint8_t)shape.n;
        for (int64_t i = 0; i < shape.n; i++) {
            t->sizes[i] = shape.d[i];
            t->strides[i] = strides.d[i];
        }
    }
    t->numel = numel;
    t->data = (char *)((uintptr_t)t->storage->data + (uintptr_t)(offset * item));
    t->flags &= ~(uint32_t)KT_T_CONTIGUOUS;
    if (kt__is_row_major(shape, strides))
        t->flags |= KT_T_CONTIGUOUS;
    return KT_OK;
}

/* A record of `bytes` that shares the storage of another; the caller sets sizes and strides. */
static kt_tensor *sharing_record(kt_tensor *of, size_t bytes)
{
    kt_tensor *t = kt__pool_get(bytes);
    if (!t) {
        kt__fail_memory(bytes);
        return NULL;
    }
    init_record(t, of->dtype, kt__device(of));
    kt__count_up(&of->storage->refs);
    t->storage = of->storage;
    t->version = of->version;
    t->sizes = t->dims;
    t->strides = t->dims + KT_INLINE_DIMS;
    t->ndim = 0;
    t->data = of->data;
    t->numel = 0;
    t->flags = KT_T_LEAF | (of->flags & (KT_T_CONJ | KT_T_NEG | KT_T_INFERENCE | KT_T_OWN_COUNTER | KT_T_STORED_COUNTER));
    if (KT__UNLIKELY(of->flags & KT_T_OWN_COUNTER))
        counter_ref(of);
    t->lineage = of->lineage;
    return t;
}

/* ---- one example of many ---- */

/* Sets sizes and strides without a look at the storage: a batch of no examples has no memory for one. */
static kt_status show_example(kt_tensor *t, const kt_tensor *value, int dim)
{
    int64_t sizes[KT_MAX_DIMS], strides[KT_MAX_DIMS], numel = 1;
    int     n = 0;
    for (int i = 0; i < value->ndim; i++) {
        if (i == dim)
            continue;
        sizes[n] = value->sizes[i];
        strides[n++] = value->strides[i];
    }
    if (kt__count_view((kt_shape){n, sizes}, &numel))
        return kt_error_status();
    free_dims(t);
    t->sizes = t->dims;
    if (set_dims(t, (kt_shape){n, sizes}))
        return kt_error_status();
    memcpy(t->sizes, sizes, (size_t)n * sizeof *sizes);
    memcpy(t->strides, strides, (size_t)n * sizeof *strides);
    t->numel = numel;
    t->data = value->data;
    t->flags &= ~(uint32_t)KT_T_CONTIGUOUS;
    if (kt__is_row_major((kt_shape){n, sizes}, (kt_shape){n, strides}))
        t->flags |= KT_T_CONTIGUOUS;
    return KT_OK;
}

kt_tensor *kt__tensor_batched(kt_tensor *value, int dim, uint32_t level)
{
    kt_tensor *t = sharing_record(value, sizeof(kt__example));
    if (!t)
        return NULL;
    t->flags |= KT_T_BATCHED;
    kt__example_of(t)->value = kt__ref(value);
    kt__example_of(t)->level = level;
    kt__example_of(t)->dim = (uint8_t)dim;
    if (show_example(t, value, dim)) {
        kt__unref(t);
        return NULL;
    }
    return t;
}

kt_status kt__fail_batched(void)
{
    return kt_fail(KT_ERR_RUNTIME, "Cannot access data pointer of Tensor that doesn't have storage");
}

bool kt__has_levels(const kt_tensor *t, const kt_tensor *beside)
{
    for (; beside->flags & KT_T_BATCHED; beside = kt__example_of(beside)->value) {
        const kt_tensor *at = t;
        while (at->flags & KT_T_BATCHED && kt__example_of(at)->level != kt__example_of(beside)->level)
            at = kt__example_of(at)->value;
        if (!(at->flags & KT_T_BATCHED))
            return false;
    }
    return true;
}

kt_status kt__tensor_show_batch(kt_tensor *t) { return show_example(t, kt__example_of(t)->value, kt__example_of(t)->dim); }

/* The same view of every example. Nothing is recorded for the value: the rules of src/batch are for that. */
static KT__COLD kt_tensor *view_of_batched(kt_tensor *of, kt_shape shape, kt_shape strides, int64_t offset)
{
    const kt__example *b = kt__example_of(of);
    int64_t            sizes[KT_MAX_DIMS + 1], steps[KT_MAX_DIMS + 1];
    sizes[0] = b->value->sizes[b->dim];
    steps[0] = b->value->strides[b->dim];
    memcpy(sizes + 1, shape.d, (size_t)shape.n * sizeof *sizes);
    memcpy(steps + 1, strides.d, (size_t)shape.n * sizeof *steps);
    kt_tensor *value = kt__tensor_view(b->value, (kt_shape){shape.n + 1, sizes}, (kt_shape){shape.n + 1, steps}, offset);
    kt_tensor *t = value ? kt__tensor_batched(value, 0, b->level) : NULL;
    kt__unref(value);
    if (!t || of->flags & KT_T_INFERENCE)
        return t;
    t->base = kt__ref(of->base ? of->base : of);
    t->flags |= KT_T_VIEW | (of->flags & (KT_T_VIEW_MADE | KT_T_PINNED_DTYPE));
    return t;
}

kt_tensor *kt__tensor_view(kt_tensor *of, kt_shape shape, kt_shape strides, int64_t offset)
{
    if (KT__UNLIKELY(of->flags & KT_T_BATCHED))
        return view_of_batched(of, shape, strides, offset);
    kt_tensor *t = sharing_record(of, sizeof *t);
    if (!t)
        return NULL;
    if (kt__tensor_set_geometry(t, shape, strides, offset)) {
        kt__unref(t);
        return NULL;
    }
    if (KT__UNLIKELY(of->flags & KT_T_INFERENCE))
        return t;
    t->base = kt__ref(of->base ? of->base : of);
    t->flags |= KT_T_VIEW | (of->flags & (KT_T_VIEW_MADE | KT_T_PINNED_DTYPE));
    return t;
}

kt_status kt__tensor_become(kt_tensor *t, const kt_tensor *view)
{
    if (kt__tensor_set_geometry(t, kt__sizes(view), kt__strides(view), kt__offset(view)))
        return kt_error_status();
    if (KT__UNLIKELY(t->flags & KT_T_BATCHED)) {
        kt__example *to = kt__example_of(t);
        kt_tensor   *before = to->value;
        to->value = kt__ref(kt__example_of(view)->value);
        to->dim = kt__example_of(view)->dim;
        kt__unref(before);
    }
    return KT_OK;
}

kt_tensor *kt__tensor_alias(kt_tensor *of)
{
    if (KT__UNLIKELY(of->flags & KT_T_BATCHED))
        return kt__tensor_batched(kt__example_of(of)->value, kt__example_of(of)->dim, kt__example_of(of)->level);
    kt_tensor *t = sharing_record(of, sizeof *t);
    if (t && kt__tensor_set_geometry(t, kt__sizes(of), kt__strides(of), kt__offset(of))) {
        kt__unref(t);
        return NULL;
    }
    return t;
}

kt_status kt_lend(kt_tensor *t, bool fixed, kt_tensor **lent)
{
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (!lent)
        return kt_fail(KT_ERR_VALUE, "the pointer for the result is NULL");
    if (t->flags & KT_T_BATCHED)
        return kt__fail_batched();
    *lent = kt__tensor_alias(t);
    if (*lent && fixed)
        t->storage->fixed = true;
    return *lent ? KT_OK : kt_error_status();
}

kt_tensor *kt__tensor_wrap(void *memory, size_t bytes, kt_dtype dtype, kt_shape shape, void (*release)(void *),
                           void *owner)
{
    return kt__tensor_wrap_on((kt_device){KT_CPU, 0}, memory, bytes, dtype, shape, release, owner);
}

kt_tensor *kt__tensor_wrap_on(kt_device device, void *memory, size_t bytes, kt_dtype dtype, kt_shape shape,
                              void (*release)(void *), void *owner)
{
    int64_t numel = 1;
    if (kt__count(shape, &numel))
        return NULL;
    kt_block *b = kt__pool_get(offsetof(kt_block, data));
    if (!b) {
        kt__fail_memory(sizeof *b);
        return NULL;
    }
    init_record(&b->tensor, dtype, device);
    init_storage(&b->storage, device, bytes, offsetof(kt_block, data));
    b->tensor.flags |= KT_T_BLOCK;
    b->storage.data = memory;
    b->tensor.numel = numel;
    b->tensor.storage = &b->storage;
    b->tensor.version = &b->storage.version;
    b->tensor.data = memory;
    if (set_dims(&b->tensor, shape)) {
        kt__pool_put(b, offsetof(kt_block, data));
        return NULL;
    }
    for (int64_t i = 0; i < shape.n; i++)
        b->tensor.sizes[i] = shape.d[i];
    kt__dense_strides(shape, b->tensor.strides);
    b->tensor.flags |= KT_T_CONTIGUOUS;
    b->storage.release = release;
    b->storage.owner = owner;
    if (device.kind == KT_CPU && (uintptr_t)memory & 7)
        __atomic_store_n(&kt__odd_memory, true, __ATOMIC_RELAXED);
    return &b->tensor;
}

/* An alias of t that the tape does not track, nor the writes through it (x.data). */
kt_status kt_get_data(kt_tensor *t, kt_tensor **data)
{
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (!data)
        return kt_fail(KT_ERR_VALUE, "the pointer for the result is NULL");
    if (t->flags & KT_T_BATCHED)
        return kt__fail_batched();
    kt_tensor *alias = kt__tensor_alias(t);
    if (!alias || kt__tensor_own_counter(alias, 0)) {
        kt__unref(alias);
        return kt_error_status();
    }
    *data = alias;
    return KT_OK;
}

/* t keeps its record, its place in the graph and its version counter; it takes the storage, sizes, dtype and device of `from`. */
kt_status kt_set_data(kt_tensor *t, kt_tensor *from)
{
    if (!t || !from)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if ((t->flags | from->flags) & KT_T_BATCHED)
        return kt__fail_batched();
    if ((t->backend == KT_META) != (from->backend == KT_META))
        return kt_fail(KT_ERR_RUNTIME, "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have "
                                       "incompatible tensor type.");
    if (kt__grad_flags(t) & KT_T_REQUIRES_GRAD && !(kt_dtype_category((kt_dtype)from->dtype) & (KT_CAT_FLOAT | KT_CAT_COMPLEX)))
        return kt_fail(KT_ERR_RUNTIME,
                       "data set to a tensor that requires gradients must be floating point or complex dtype");
    if (t->flags & KT_T_PINNED_DTYPE && t->dtype != from->dtype)
        return kt_fail(KT_ERR_RUNTIME, "the dtype of this tensor is pinned to %s (pin_dtype): data of %s cannot take its place",
                       kt_dtype_name((kt_dtype)t->dtype), kt_dtype_name((kt_dtype)from->dtype));
    if (t->autograd && !kt__same_sizes(t, from) && kt__autograd_moves(t))
        return kt_error_status();
    kt_storage   *before = t->storage;
    const uint8_t dtype = t->dtype, backend = t->backend, index = t->index;
    kt__count_up(&from->storage->refs);
    t->storage = from->storage;
    t->dtype = from->dtype;
    t->backend = from->backend;
    t->index = from->index;
    if (kt__tensor_set_geometry(t, kt__sizes(from), kt__strides(from), kt__offset(from))) {
        t->storage = before;
        t->dtype = dtype;
        t->backend = backend;
        t->index = index;
        storage_unref(from->storage);
        return kt_error_status();
    }
    t->flags = (t->flags & ~(uint32_t)(KT_T_CONJ | KT_T_NEG)) | (from->flags & (KT_T_CONJ | KT_T_NEG));
    t->lineage = from->lineage;
    kt__tensor_keep_counter(t);
    storage_unref(before);
    return KT_OK;
}

void kt_pin_dtype(kt_tensor *t, bool pinned)
{
    if (t)
        t->flags = pinned ? t->flags | KT_T_PINNED_DTYPE : t->flags & ~(uint32_t)KT_T_PINNED_DTYPE;
}

bool kt_has_pinned_dtype(const kt_tensor *t) { return t && t->flags & KT_T_PINNED_DTYPE; }

/* A larger storage for t. */
static kt_storage *larger_storage(const kt_tensor *t, size_t bytes)
{
    kt_backend *backend = kt__backend(t->backend);
    kt_storage *s = kt__pool_get(sizeof *s);
    void       *data = NULL;
    if (!s) {
        kt__fail_memory(sizeof *s);
        return NULL;
    }
    init_storage(s, kt__device(t), bytes, 0);
    if (memory_get(backend, kt__device(t), bytes, &data, &s->granted)) {
        kt__pool_put(s, sizeof *s);
        return NULL;
    }
    s->data = data;
    if (memory_is_seen())
        tell_memory(s, false);
    return s;
}

/* Other tensors keep sharing the old storage. */
kt_status kt__tensor_resize(kt_tensor *t, kt_shape shape, const int64_t *strides)
{
    int64_t numel = 1, row_major[KT_MAX_DIMS], offset = kt__offset(t), bytes;
    if (kt__count(shape, &numel) || kt__check_strides(shape))
        return kt_error_status();
    if (__builtin_add_overflow(offset, numel, &bytes) || __builtin_mul_overflow(bytes, (int64_t)kt__itemsize(t), &bytes))
        return kt_fail(KT_ERR_RUNTIME, "Storage size calculation overflowed with sizes=%s", KT__SHAPE_TEXT(shape));
    kt_storage *before = t->storage, *larger = NULL;
    if ((size_t)bytes > before->bytes) {
        if (before->release || before->fixed)
            return kt_fail(KT_ERR_RUNTIME, "Trying to resize storage that is not resizable");
        if (!(larger = larger_storage(t, (size_t)bytes)))
            return kt_error_status();
        t->storage = larger;
    }
    if (!strides)
        kt__dense_strides(shape, row_major);
    if (kt__tensor_set_geometry(t, shape, (kt_shape){shape.n, strides ? strides : row_major}, offset)) {
        t->storage = before;
        if (larger)
            storage_unref(larger);
        return kt_error_status();
    }
    if (larger) {
        kt__tensor_keep_counter(t);
        storage_unref(before);
    }
    return KT_OK;
}

bool (*kt__wrapper_left)(kt_tensor *t);

static bool is_taken_over(kt_tensor *t)
{
    int32_t none = 0; /* two owners left at once; else the count was not updated */
    atomic_compare_exchange_strong_explicit(&t->refs, &none, 1, memory_order_acq_rel, memory_order_acquire);
    return kt__wrapper_left(t);
}

KT__HOT void kt__tensor_free(kt_tensor *t)
{
    if (KT__UNLIKELY(t->wrapper != NULL) && kt__wrapper_left && is_taken_over(t))
        return;
    if (t->autograd)
        kt__autograd_release(t);
    kt__unref(t->base);
    free_dims(t);
    if (KT__UNLIKELY(t->flags & KT_T_OWN_COUNTER))
        counter_unref(t);
    kt_storage *s = t->storage;
    if (!(t->flags & KT_T_BLOCK)) {
        storage_unref(s);
        if (KT__LIKELY(!(t->flags & KT_T_BATCHED))) {
            kt__pool_put(t, sizeof *t);
            return;
        }
        kt__unref(kt__example_of(t)->value);
        kt__pool_put(t, sizeof(kt__example));
        return;
    }
    kt_block *b = (kt_block *)(void *)t;
    if (s == &b->storage && atomic_load_explicit(&s->refs, memory_order_acquire) == 1 &&
        atomic_load_explicit(&s->held, memory_order_acquire) == 2) {
        storage_free_memory(s); /* no view shares the storage: one free for the whole block */
        block_put(b);
        return;
    }
    storage_unref(s);
    storage_unhold(&b->storage);
}
