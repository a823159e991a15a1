/* tensor.h - the tensor record (ARCHITECTURE explains it field by field). One allocation holds tensor, storage header and
 * up to 64 bytes of data; a view holds the tensor alone. This layer knows dtypes and backends' memory.
 * Independent of: operators, the tape, Python. */
#ifndef KT_TENSOR_TENSOR_H
#define KT_TENSOR_TENSOR_H

#include <karat/plugin/backend.h>
#include <karat/tensor.h>
#include <stdatomic.h>

#include "base/count.h"
#include "base/local.h"
#include "dtype/dtype.h"

enum { KT_INLINE_DIMS = 5, KT_INLINE_BYTES = 64 };

enum kt__tensor_flag {
    KT_T_REQUIRES_GRAD = 1 << 0, /* a leaf that accumulates a gradient, or the result of a recorded operator */
    KT_T_LEAF          = 1 << 1,
    KT_T_VIEW          = 1 << 2,
    KT_T_CONJ          = 1 << 3,
    KT_T_NEG           = 1 << 4,
    KT_T_INFERENCE     = 1 << 5,
    KT_T_BATCHED       = 1 << 6, /* one example of many: the record is that of a kt__example */
    KT_T_PINNED_DTYPE  = 1 << 7, /* its dtype may not change, and autocast leaves it (kt_pin_dtype) */
    KT_T_CONTIGUOUS    = 1 << 8, /* row-major and dense; kept true by kt__tensor_set_geometry */
    KT_T_WRAPPED       = 1 << 9, /* stands for a Python number: weak in promotion */
    KT_T_BLOCK         = 1 << 10, /* the record begins a block that holds a storage too */
    /* How a view was made, where the tape cannot follow a write; views of the view inherit the flag. */
    KT_T_UNFOLLOWED    = 1 << 11, /* under no_grad: no gradient flows through it */
    KT_T_ONE_OF_MANY   = 1 << 12, /* one of several results (split, unbind): the tape refuses in-place writes */
    KT_T_IN_INFERENCE  = 1 << 13, /* in inference mode, of a normal tensor */
    KT_T_OWN_COUNTER   = 1 << 14, /* `version` is a counter of its own, reference-counted, not the storage's */
    KT_T_TURNED        = 1 << 15, /* a view that changed lazy bits or dtype, not sizes or strides */
    KT_T_DUAL          = 1 << 16, /* has tangents: forward mode follows it */
    KT_T_PART          = 1 << 17, /* a view that was written through: its node is the write's, which made the whole base */
    KT_T_STORED_COUNTER = 1 << 18, /* with KT_T_OWN_COUNTER: the counter is that of another storage, whose record it holds */
    KT_T_IN_FUNCTION   = 1 << 19, /* how a view was made, too: by a user's node, whose derivative a write would pass by */
    KT_T_FOLLOWED      = KT_T_REQUIRES_GRAD | KT_T_DUAL,
    KT_T_VIEW_MADE     = KT_T_UNFOLLOWED | KT_T_ONE_OF_MANY | KT_T_IN_INFERENCE | KT_T_IN_FUNCTION
};

typedef struct kt_storage {
    _Atomic int32_t  refs;
    _Atomic uint32_t version;    /* bumped by each in-place write; shared by views and detached tensors */
    _Atomic uint32_t written_at; /* site of the last in-place write; 0: unknown */
    uint32_t         born;       /* transforms that had begun when it was made (kt__transform) */
    char            *data;       /* start of the memory, a device address */
    size_t           bytes;      /* usable bytes */
    size_t           granted;    /* allocated bytes; 0: foreign memory */
    void           (*release)(void *owner); /* foreign memory */
    void            *owner;
    uint8_t          backend, index;
    uint16_t         block_bytes; /* size of the block that it is part of; 0: a separate allocation */
    _Atomic uint32_t held;       /* who needs this record: the storage, in a block its tensor, and who counts writes here */
    uint8_t          pinned_by;  /* pinned host memory: the kind of the backend that made it; else 0 */
    uint8_t          fixed;      /* its address was exported (NumPy): never resized */
    _Atomic uint16_t writer;     /* what recorded the last in-place write: a row id, or a mark of the tape */
} kt_storage;

/* Told of memory that tensors get (bytes > 0) and give back (bytes < 0), while a watcher asks for it (plan/watch.c); or NULL. */
typedef void kt__memory_watch(kt_device device, const void *data, int64_t bytes);
extern KT__HIDDEN kt__memory_watch *kt__memory_seen;

/* A function that differentiates another calls it now (grad.h). What the other writes in place it has made, or was given. */
typedef struct kt__transform {
    struct kt__transform *outer;
    uint32_t              id; /* what is born with a lower number was there before */
    int64_t               n;
    kt_storage           *given[];
} kt__transform;
extern KT__HOT_LOCAL kt__transform *kt__transform_now;    /* the innermost of this thread; NULL: none */
extern KT__HIDDEN _Atomic uint32_t  kt__transforms_begun; /* of all threads */

/* A tensor with a wrapper loses its last owner. True: the binding takes the reference over. */
extern KT__HIDDEN bool (*kt__wrapper_left)(kt_tensor *t);

struct kt_tensor {
    _Atomic int32_t refs;
    uint8_t         dtype;       /* kt_dtype */
    uint8_t         backend;     /* kt_device_kind: index into the registry of backends */
    uint8_t         index;       /* which device of that backend */
    uint8_t         ndim;
    uint32_t        flags;       /* kt__tensor_flag */
    uint32_t        lineage;     /* id of the record that says where the dtype came from */
    char           *data;        /* address of the first element */
    int64_t         numel;
    int64_t        *sizes;       /* `dims`, or pool memory for more than KT_INLINE_DIMS */
    int64_t        *strides;     /* in elements */
    kt_storage     *storage;
    _Atomic uint32_t *version;   /* the storage's, unless KT_T_OWN_COUNTER; NULL: none */
    kt_tensor      *base;        /* of a view: the tensor it is a view of */
    struct kt_autograd *autograd; /* NULL without grad; owned, freed through the hook below */
    void           *wrapper;     /* a binding's object: the same tensor is the same object there */
    int64_t         dims[2 * KT_INLINE_DIMS];
};

/* A tensor inside a vmap (src/batch): a dim of `value` counts examples, and the record shows what one example has: sizes without
 * that dim, the strides and the address of the first. Storage and version counter are the value's: a write to either is seen by
 * both. */
typedef struct kt__example {
    kt_tensor  t;
    kt_tensor *value; /* owned; may be batched itself, at a lower level */
    uint32_t   level; /* which vmap; an inner one has a higher number */
    uint8_t    dim;   /* of `value` */
} kt__example;

static inline kt__example *kt__example_of(const kt_tensor *t) { return (kt__example *)(uintptr_t)t; } /* KT_T_BATCHED is set */

/* Releases the autograd part of a tensor; set by the grad layer. */
extern KT__HIDDEN void (*kt__autograd_release)(kt_tensor *t);
/* The tensor, which has such a part, is about to get other sizes without a record of it; set by the grad layer. */
extern KT__HIDDEN kt_status (*kt__autograd_moves)(kt_tensor *t);

/* ---- life ---- */
kt_tensor *kt__tensor_new(kt_dtype dtype, kt_device device, kt_shape shape); /* dense row-major, uninitialised; owned */
void       kt__warn_of_complex_half(void); /* PyTorch's once-per-process warning that ComplexHalf is experimental */
kt_tensor *kt__tensor_like(const kt_tensor *like, kt_dtype dtype); /* the same, with the sizes and lineage of `like`, which is
                                                                    * dense */
kt_tensor *kt__tensor_new_strided(kt_dtype dtype, kt_device device, kt_shape shape, kt_shape strides); /* strides dense */
kt_tensor *kt__tensor_new_spread(kt_dtype dtype, kt_device device, kt_shape shape, kt_shape strides);  /* any strides */
/* offset: absolute, in elements. A view of an inference tensor is one too: it has no version counter. */
kt_tensor *kt__tensor_view(kt_tensor *of, kt_shape shape, kt_shape strides, int64_t offset);
kt_status  kt__tensor_become(kt_tensor *t, const kt_tensor *view); /* t gets the sizes, strides and offset of a view of it */
kt_tensor *kt__tensor_alias(kt_tensor *of);          /* same storage, sizes and strides; not a view for the tape */
kt_tensor *kt__tensor_batched(kt_tensor *value, int dim, uint32_t level); /* no view for the tape either; owned */
kt_tensor *kt__tensor_wrap(void *memory, size_t bytes, kt_dtype dtype, kt_shape shape, void (*release)(void *), void *owner);
kt_tensor *kt__tensor_wrap_on(kt_device device, void *memory, size_t bytes, kt_dtype dtype, kt_shape shape,
                              void (*release)(void *), void *owner); /* memory of that device */
kt_status  kt__tensor_own_counter(kt_tensor *t, uint32_t version); /* gives t a version counter of its own */
/* t gets another storage and counts on where it did: its views and aliases, which keep the old one, see its writes. */
void       kt__tensor_keep_counter(kt_tensor *t);
kt_status  kt__tensor_set_geometry(kt_tensor *t, kt_shape shape, kt_shape strides, int64_t offset);
extern KT__HOT_LOCAL uint32_t kt__born_flags; /* flags of this thread's new tensors: KT_T_INFERENCE in inference mode */
/* Grows the storage if needed; contents undefined. Dense in the order of `strides`, row-major if NULL. */
kt_status  kt__tensor_resize(kt_tensor *t, kt_shape shape, const int64_t *strides);
void       kt__tensor_free(kt_tensor *t);            /* the count reached zero */

kt_status  kt__fail_batched(void); /* its memory is that of all examples: PyTorch's error for who asks for it */
bool       kt__has_levels(const kt_tensor *t, const kt_tensor *beside); /* every vmap that `beside` has examples of */
/* Shows the geometry that `value` has now, after it was changed in place. */
kt_status  kt__tensor_show_batch(kt_tensor *t);

static inline kt_tensor *kt__ref(kt_tensor *t)
{
    kt__count_up(&t->refs);
    return t;
}

static inline void kt__unref(kt_tensor *t)
{
    if (t && kt__count_down(&t->refs))
        kt__tensor_free(t);
}
/* What stands at a place that others can see is replaced before it is dropped: a binding's code may run then, and look there.
 * Steals the reference. */
static inline void kt__replace(kt_tensor **place, kt_tensor *by)
{
    kt_tensor *was = *place;
    *place = by;
    kt__unref(was);
}

/* ---- geometry ---- */
static inline kt_shape  kt__sizes(const kt_tensor *t) { return (kt_shape){t->ndim, t->sizes}; }
static inline kt_shape  kt__strides(const kt_tensor *t) { return (kt_shape){t->ndim, t->strides}; }
static inline size_t    kt__itemsize(const kt_tensor *t) { return kt__dtype_rows[t->dtype].size; }
static inline kt_device kt__device(const kt_tensor *t) { return (kt_device){t->backend, t->index}; }
static inline bool      kt__is_contiguous(const kt_tensor *t) { return (t->flags & KT_T_CONTIGUOUS) != 0; }
static inline int64_t   kt__offset(const kt_tensor *t)
{
    return (int64_t)((uintptr_t)t->data - (uintptr_t)t->storage->data) / (int64_t)kt__itemsize(t);
}
/* Bytes from the first element to the end of the storage. */
static inline int64_t kt__bytes_from(const kt_tensor *t)
{
    return (int64_t)t->storage->bytes - (int64_t)((uintptr_t)t->data - (uintptr_t)t->storage->data);
}
static inline bool kt__same_sizes(const kt_tensor *a, const kt_tensor *b)
{
    if (a->ndim != b->ndim)
        return false;
    for (int i = 0; i < a->ndim; i++)
        if (a->sizes[i] != b->sizes[i])
            return false;
    return true;
}
static inline uint32_t kt__version(const kt_tensor *t)
{
    return t->version ? atomic_load_explicit(t->version, memory_order_relaxed) : 0;
}
/* Resets the version of a new tensor: writes that made it do not count. */
static inline void kt__count_anew(kt_tensor *t)
{
    if (t->version)
        atomic_store_explicit(t->version, 0, memory_order_relaxed);
}
static inline void kt__bump_version(kt_tensor *t)
{
    if (t->version)
        atomic_fetch_add_explicit(t->version, 1, memory_order_relaxed);
}

/* The newest flag replaces the others, except KT_T_IN_INFERENCE, which stays. */
static inline void kt__view_made(kt_tensor *view, uint32_t how)
{
    if (!(view->flags & KT_T_IN_INFERENCE))
        view->flags = (view->flags & ~(uint32_t)KT_T_VIEW_MADE) | how;
}

/* A view follows its base: it requires grad, or has a tangent, if its base does. */
static inline uint32_t kt__grad_flags(const kt_tensor *t)
{
    return t->flags | (t->flags & KT_T_VIEW ? t->base->flags & KT_T_FOLLOWED : 0);
}
/* The same of t and of the values that it shows one example of. */
static inline uint32_t kt__all_grad_flags(const kt_tensor *t)
{
    uint32_t flags = kt__grad_flags(t);
    for (; t->flags & KT_T_BATCHED; flags |= kt__grad_flags(t))
        t = kt__example_of(t)->value;
    return flags;
}

/* ---- stride arithmetic (strides.c) ---- */
kt_status kt__count(kt_shape shape, int64_t *numel);                     /* refuses too many dims, negative sizes, overflow */
kt_status kt__count_view(kt_shape shape, int64_t *numel);                /* the same for a view of existing memory */
kt_status kt__check_rank(kt_shape shape);
kt_status kt__check_strides(kt_shape shape);                             /* strides fit int64, of empty tensors too */
void      kt__dense_strides(kt_shape shape, int64_t *strides);           /* row-major */
bool      kt__format_strides(kt_shape shape, kt_memory_format format, int64_t *strides); /* false: rank does not fit */
bool      kt__is_dense(kt_shape shape, kt_shape strides);                /* every address in its span occurs once: no gap, no
                                                                          * overlap */
bool      kt__is_row_major(kt_shape shape, kt_shape strides);
/* The order in which dims are walked, the outermost first, as n tensors lie in memory, of whose strides each list begins
 * KT_MAX_DIMS behind the last. Returns whether it is that of the dims. */
bool      kt__order_dims(const int64_t *sizes, const int64_t *strides, int n, int rank, uint8_t *order);
/* No gaps; a size of 0 leaves no stride to the dims outside it. */
void      kt__strides_in_order(const int64_t *sizes, const uint8_t *order, int rank, int64_t *strides);
void      kt__preserved_strides(kt_shape shape, kt_shape strides, int64_t *out); /* empty_like's rule */
bool      kt__overlaps_itself(const kt_tensor *t);                       /* two indices may reach one element */
/* FULL: the same elements in the same order. PARTIAL: dense tensors that overlap. SOME: others that do, or may. */
typedef enum kt__overlap { KT_OVERLAP_NONE, KT_OVERLAP_FULL, KT_OVERLAP_PARTIAL, KT_OVERLAP_SOME } kt__overlap;
kt__overlap kt__overlap_of(const kt_tensor *a, const kt_tensor *b);
bool      kt__view_strides(kt_shape from, kt_shape strides, kt_shape to, int64_t *out); /* false: needs a copy */
const char *kt__shape_text(char *buffer, size_t size, kt_shape shape);   /* "[2, 3]"; the buffer */
/* The same in memory of the enclosing block, for a message. */
enum { KT__SHAPE_ROOM = 256 };
#define KT__SHAPE_TEXT(...) kt__shape_text((char[KT__SHAPE_ROOM]){0}, KT__SHAPE_ROOM, __VA_ARGS__)
#define KT__SIZES_TEXT(t)   KT__SHAPE_TEXT(kt__sizes(t))

/* ---- the registry of backends (backend.c) ---- */
enum { KT_MAX_BACKENDS = 16 };
extern KT__HIDDEN kt_backend *_Atomic kt__backends[KT_MAX_BACKENDS]; /* by kt_device_kind; append-only; 0 stays empty */
static inline kt_backend *kt__backend(int kind) /* NULL: none */
{
    return (unsigned)kind < KT_MAX_BACKENDS ? atomic_load_explicit(&kt__backends[kind], memory_order_relaxed) : NULL;
}
kt_device   kt__default_device(kt_device d); /* KT_DEVICE_DEFAULT resolved */
kt_status   kt__check_layout(const kt_layout *theirs, const char *who); /* were its structs compiled as ours? */

#endif
