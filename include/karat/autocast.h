/* autocast.h - operators choose their dtypes by class: matrix products run in a narrow float, what needs the range in float32.
 * Thread-local and scoped, for each kind of device apart.
 *
 *     { KT_AUTOCAST(KT_BF16);
 *       y = kt_linear(x, w);            // bfloat16; gradients arrive in the dtypes of x and w
 *     }
 *
 * A float32 leaf that requires grad is cast once, however often it is used, until the outermost scope is closed, the leaf is
 * written to, or the cache is cleared. Tensors on the meta device are cast as those of the kind that the innermost scope was
 * opened for: PyTorch leaves them alone, and a model tried out there tells nothing about its dtypes. */
#ifndef KARAT_AUTOCAST_H
#define KARAT_AUTOCAST_H

#include <karat/mode.h>
#include <karat/tensor.h>

KT_BEGIN

/* On, until the guard is closed. dtype: what it lowers to, KT_NONE for the kind's default (bfloat16 on the CPU, else float16). */
KT_API kt_mode_guard kt_autocast_open(kt_device_kind kind, kt_dtype dtype);
KT_API kt_mode_guard kt_autocast_open_everywhere(kt_dtype dtype); /* for all kinds of devices */
KT_API void          kt_autocast_close(kt_mode_guard *guard);
#if defined(__GNUC__)
#define KT_AUTOCAST(...) /* (kind, dtype), or (dtype) for all kinds of devices */                  \
    kt_mode_guard KT_CAT(kt_autocast_, __LINE__) __attribute__((cleanup(kt_autocast_close), unused)) = \
        KT_AUTOCAST_BY_COUNT(__VA_ARGS__, kt_autocast_open, kt_autocast_open_everywhere, )(__VA_ARGS__)
#define KT_AUTOCAST_BY_COUNT(one, two, open, ...) open
#endif

/* Until kt_mode_close, autocast lowers to this dtype on every kind of device where it is on; where it is off, it stays off. A
 * module with a pinned dtype runs in this. */
KT_API kt_mode_guard kt_autocast_lower_to(kt_dtype dtype);

/* ---- what it does: classes of operators, and counts of calls ---- */
typedef enum kt_autocast_class {
    KT_AUTOCAST_AS_IT_COMES,    /* operands unchanged */
    KT_AUTOCAST_LOWER,          /* cast to the dtype that autocast lowers to */
    KT_AUTOCAST_FLOAT32,        /* cast to float32 */
    KT_AUTOCAST_WIDEST,         /* cast to the widest dtype among them */
    KT_AUTOCAST_FLOAT32_RESULT, /* as with dtype=float32, unless dtype= is given */
    KT_AUTOCAST_KEEP,           /* operands unchanged, also of the operators inside */
    KT_AUTOCAST_REFUSED,
    KT_AUTOCAST_PINNED          /* of a counted call: the dtype of an operand is pinned, the others were cast to it */
} kt_autocast_class;
KT_API const char       *kt_autocast_class_name(kt_autocast_class c); /* "lower" */
/* Of an operator on that kind of device; there are two lists, the CPU's and that of all others. */
KT_API kt_autocast_class kt_autocast_class_of(const char *op, kt_device_kind kind);
/* For this thread, until a scope that was open is closed. c: one of the first four. */
KT_API kt_status         kt_set_autocast_class(const char *op, kt_device_kind kind, kt_autocast_class c);

typedef struct kt_autocast_counts kt_autocast_counts;
typedef struct kt_autocast_counted {
    size_t            size;  /* of this struct, set by the caller */
    const char       *op;
    kt_autocast_class class_;
    kt_dtype          dtype; /* of the result; KT_NONE: it has none */
    uint64_t          count;
    bool              narrow_weights; /* calls with leaves that require grad and are no wider than 16 bits: weights are best
                                         kept in float32 under autocast */
    const char       *file;  /* of the first such call; NULL: unknown */
    int               line;
} kt_autocast_counted;
/* This thread's calls under autocast are counted there; *into is made by the first; NULL: no longer. Returns what it was. */
KT_API kt_autocast_counts **kt_autocast_count(kt_autocast_counts **into);
KT_API bool kt_autocast_counts_read(const kt_autocast_counts *c, int64_t i, kt_autocast_counted *out); /* false past the end */
KT_API bool kt_autocast_counts_recorded(const kt_autocast_counts *c); /* did the tape record one of the calls? */
/* Did backward run under autocast? If so, from where first. */
KT_API bool kt_autocast_counts_backward(const kt_autocast_counts *c, const char **file, int *line);
KT_API void kt_autocast_counts_free(kt_autocast_counts *c);

/* What scopes are made of. */
KT_API bool      kt_autocast_is_on(void); /* for any kind of device */
KT_API bool      kt_autocast_enabled(kt_device_kind kind);
KT_API kt_status kt_set_autocast_enabled(kt_device_kind kind, bool on);
KT_API kt_dtype  kt_autocast_dtype(kt_device_kind kind); /* KT_NONE and an error where there is no such device */
KT_API kt_status kt_set_autocast_dtype(kt_device_kind kind, kt_dtype dtype);
/* The kind whose classes and dtype meta tensors get: the one that was last turned on, and need not be here. KT_DEVICE_DEFAULT:
 * none, they are left alone. */
KT_API kt_device_kind kt_autocast_meta(void);
KT_API kt_status kt_set_autocast_meta(kt_device_kind kind);
KT_API bool      kt_autocast_cache_enabled(void);
KT_API void      kt_set_autocast_cache_enabled(bool on);
KT_API int       kt_autocast_enter(void); /* how many scopes are open now */
KT_API int       kt_autocast_leave(void); /* the same; the last one out clears the cache */
KT_API void      kt_autocast_clear_cache(void);

KT_END
#endif
