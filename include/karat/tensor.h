/* tensor.h - shapes, devices, tensors: creating them from memory, accessors, reading elements. */
#ifndef KARAT_TENSOR_H
#define KARAT_TENSOR_H

#include <karat/dtype.h>

KT_BEGIN

/* Sizes or strides, outer to inner. The pointer is borrowed for the call. */
typedef struct kt_shape {
    int64_t        n;
    const int64_t *d;
} kt_shape;
#define KT_SHAPE(...) \
    ((kt_shape){(int64_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__}})
#define KT_SCALAR ((kt_shape){0, NULL})

/* Other plugins' kinds follow, in the order in which they were loaded. */
typedef enum kt_device_kind { KT_DEVICE_DEFAULT = 0, KT_CPU = 1, KT_META = 2, KT_CUDA = 3, KT_FIRST_OTHER = 4 } kt_device_kind;
typedef struct kt_device {
    int32_t kind;
    int32_t index;
} kt_device;
/* "cpu", "meta", "mirror:0"; kind -1 and an error if unknown. A name that is not known yet is looked for among plugins. */
KT_API kt_device   kt_device_find(const char *name);
KT_API const char *kt_device_name(kt_device d);            /* "cpu" */
KT_API kt_status   kt_device_sync(kt_device d);
KT_API kt_status   kt_device_check(kt_device d);           /* KT_OK, or the error of whoever makes a tensor there */
/* The device of this thread's new tensors when none is given; initially the CPU; KT_DEVICE_DEFAULT resets it. A CUDA device need
 * not be there. */
KT_API kt_status   kt_set_default_device(kt_device d);
KT_API kt_device   kt_get_default_device(void);

typedef enum kt_memory_format {
    KT_FORMAT_NONE = 0,
    KT_PRESERVE_FORMAT,
    KT_CONTIGUOUS_FORMAT,
    KT_CHANNELS_LAST,
    KT_CHANNELS_LAST_3D
} kt_memory_format;

/* ---- asking ---- */
KT_API kt_dtype    kt_dtype_of(const kt_tensor *t);
KT_API kt_device   kt_device_of(const kt_tensor *t);
KT_API int64_t     kt_ndim(const kt_tensor *t);
KT_API int64_t     kt_numel(const kt_tensor *t);
KT_API int64_t     kt_size(const kt_tensor *t, int64_t dim);    /* dim may be negative; -1 and an error if out of range */
KT_API int64_t     kt_stride(const kt_tensor *t, int64_t dim);  /* in elements */
KT_API kt_shape    kt_sizes(const kt_tensor *t);                /* borrowed from t */
KT_API kt_shape    kt_strides(const kt_tensor *t);
KT_API int64_t     kt_storage_offset(const kt_tensor *t);       /* in elements */
KT_API bool        kt_is_contiguous(const kt_tensor *t);
KT_API bool        kt_is_contiguous_as(const kt_tensor *t, kt_memory_format format);
KT_API bool        kt_is_view(const kt_tensor *t);
KT_API bool        kt_is_conj(const kt_tensor *t);
KT_API bool        kt_is_neg(const kt_tensor *t);
KT_API bool        kt_shares_storage(const kt_tensor *a, const kt_tensor *b);
KT_API uint32_t    kt_tensor_version(const kt_tensor *t);       /* counts in-place writes */
KT_API kt_tensor  *kt_base(const kt_tensor *t);                 /* borrowed: the base of a view; NULL: not a view */
KT_API size_t      kt_storage_bytes(const kt_tensor *t);        /* of the whole storage */
KT_API void       *kt_storage_data(const kt_tensor *t);         /* start of the storage, a device address: for comparisons */
KT_API kt_status   kt_get_data(kt_tensor *t, kt_tensor **data); /* owned: same storage, no history; has its own version counter */
KT_API kt_status   kt_set_data(kt_tensor *t, kt_tensor *from);  /* t takes the storage, sizes and dtype of from; keeps its place
                                                                 * in the graph and its version */
/* A pinned dtype stays: kt_set_data with another one is an error, conversions of modules pass the tensor over, and under autocast
 * an operator runs in that dtype: its other operands are cast to it. Views of the tensor are pinned too, copies are not. */
KT_API void        kt_pin_dtype(kt_tensor *t, bool pinned);
KT_API bool        kt_has_pinned_dtype(const kt_tensor *t);

/* ---- values in and out ---- */
KT_API kt_tensor  *kt_from(const void *elements, kt_shape shape, kt_dtype dtype);   /* copies, row-major */
KT_API kt_tensor  *kt_wrap(void *memory, kt_shape shape, kt_dtype dtype,
                           void (*release)(void *owner), void *owner);              /* no copy; release runs when unused */
/* owned: 0-dim, as weak in promotion as the number itself; beside: the other operand, or NULL */
KT_API kt_status   kt_number_beside(kt_scalar number, const kt_tensor *beside, kt_tensor **t);
KT_API kt_status   kt_read(const kt_tensor *t, void *elements, size_t bytes);       /* copies out, row-major; waits */
KT_API void       *kt_data(kt_tensor *t);                  /* the first element, host memory only; NULL and an error else */
KT_API double      kt_item(const kt_tensor *t);            /* the one element as a double; NaN on error */
KT_API kt_scalar   kt_item_scalar(const kt_tensor *t);     /* exact; kind 0 on error */

/* ---- printing ---- */
typedef struct KT_OPTIONS kt_print_options {
    size_t  size;
    KT_BY_NAME
    int     precision;   /* 4 */
    int64_t threshold;   /* 1000 */
    int64_t edgeitems;   /* 3 */
    int     linewidth;   /* 80 */
    int     sci_mode;    /* -1: decide; 0; 1 */
} kt_print_options;
KT_API void      kt_get_print_options(kt_print_options *out);
KT_API kt_status kt_set_print_options(const kt_print_options *options);
KT_API char     *kt_to_string(const kt_tensor *t);         /* as PyTorch prints; kt_free_string it */
KT_API char     *kt_to_string_as(const kt_tensor *t, const char *name); /* the same, name(...) in place of tensor(...) */
KT_API void      kt_free_string(char *text);
KT_API kt_status kt_print(const kt_tensor *t, FILE *to);   /* the string and a newline */

KT_END
#endif
