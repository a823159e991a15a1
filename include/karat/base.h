/* base.h - status codes, errors, scopes: what every other header of Karat stands on.
 *
 * Ownership, one sentence: a tensor you are given belongs to the innermost open scope and dies with it, unless you
 * kt_keep it (then you kt_drop it) or kt_escape it to the enclosing scope.
 *
 * Errors: functions that make things return them or NULL; functions that do things return a status. The first failure on
 * a thread is kept, with its message; while it is pending, operators return NULL, so one check per step is enough. NULL
 * where a tensor is expected is such a failure; functions that ask, release or close accept NULL.
 *
 * Text: a function that returns text never returns NULL. "" means none; text that could not be allocated is a fixed
 * message. */
#ifndef KARAT_BASE_H
#define KARAT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
#define KT_BEGIN extern "C" {
#define KT_END   }
#else
#define KT_BEGIN
#define KT_END
#endif

#if defined(__GNUC__)
#define KT_API              __attribute__((visibility("default")))
#define KT_PRINTF(fmt, arg) __attribute__((format(printf, fmt, arg)))
#define KT_MUST_CHECK       __attribute__((warn_unused_result))
#else
#define KT_API
#define KT_PRINTF(fmt, arg)
#define KT_MUST_CHECK
#endif

KT_BEGIN

/* ---- option structs: size first, the other members by name ----
 * kt_sum(x, 1) must not compile: an empty struct stands before every option, so that no positional value fits (clang), and
 * the struct is marked designated_init (gcc). C++ has no call macros: its structs are plain. */
#if defined(__GNUC__) && !defined(__cplusplus)
__extension__ typedef struct kt_by_name {
} kt_by_name;
#define KT_BY_NAME       kt_by_name by_name;
#define KT_AFTER(option) kt_by_name after_##option;
#else
#define KT_BY_NAME
#define KT_AFTER(option)
#endif
#if defined(__GNUC__) && !defined(__clang__) && !defined(__cplusplus)
#pragma GCC diagnostic error "-Wdesignated-init"
#define KT_OPTIONS __attribute__((designated_init))
#else
#define KT_OPTIONS
#endif
#if defined(__clang__) && !defined(__cplusplus)
#pragma clang diagnostic error "-Wexcess-initializers"
#endif
#define KT_KW(type, ...) (&(type){.size = sizeof(type), __VA_ARGS__})

/* Each code is named after the Python exception it becomes. */
typedef enum kt_status {
    KT_OK                  = 0,
    KT_ERR_RUNTIME         = -1, /* RuntimeError */
    KT_ERR_TYPE            = -2, /* TypeError */
    KT_ERR_VALUE           = -3, /* ValueError */
    KT_ERR_INDEX           = -4, /* IndexError */
    KT_ERR_NOT_IMPLEMENTED = -5, /* NotImplementedError */
    KT_ERR_MEMORY          = -6, /* MemoryError */
    KT_ERR_OS              = -7, /* OSError */
    KT_ERR_FOREIGN         = -8, /* a binding's exception, carried as the payload */
    KT_ERR_ASSERTION       = -10, /* AssertionError; -9 is linalg.h's */
    KT_ERR_ZERO_DIVISION   = -11 /* ZeroDivisionError */
} kt_status;

typedef struct kt_tensor kt_tensor;

/* ---- errors (thread-local) ---- */
KT_API bool        kt_failed(void);                   /* is an error pending on this thread? */
KT_API kt_status   kt_error_status(void);             /* KT_OK when none */
KT_API int         kt_error_device_code(void);        /* what a device's runtime calls it; 0: it is no error of a device */
KT_API const char *kt_error(void);                    /* the whole text; its first line is PyTorch's. "" when none */
KT_API void        kt_clear(void);                    /* forget the pending error */
KT_API int         kt_report(FILE *to);               /* print the pending error, if any; returns 0 or 1 (an exit code) */
KT_API kt_status   kt_fail(kt_status code, const char *format, ...) KT_PRINTF(2, 3); /* first failure wins; returns its code */
KT_API void        kt_fail_more(const char *format, ...) KT_PRINTF(1, 2);            /* append to the pending text */

typedef struct kt_error_state kt_error_state;         /* a fresh error state around finalizers, hooks and callbacks */
KT_API kt_error_state *kt_error_push(void);           /* NULL when there is no memory: the old state stays */
KT_API void            kt_error_pop(kt_error_state *state);

/* ---- warnings (of the process) ---- */
typedef void kt_warning_fn(const char *text);
KT_API void kt_on_warning(kt_warning_fn *handler);    /* called on the thread that warns, in the middle of a call: it must
                                                         not call operators. NULL, as at the start: warnings are dropped */
KT_API void kt_set_warn_always(bool always);          /* repeat once-per-process warnings too */
KT_API bool kt_warn_always(void);

/* ---- determinism (of the process) ---- */
/* Every operator gives the same bits for any number of threads. In deterministic mode, operators that PyTorch calls
 * nondeterministic (put_) warn or fail as there, and uninitialized elements (empty, resize_) are filled with NaN or the
 * largest integer. */
typedef enum kt_determinism { KT_NOT_ASKED, KT_DETERMINISTIC_WARN, KT_DETERMINISTIC } kt_determinism;
KT_API void           kt_set_deterministic(kt_determinism mode); /* another value is an error and changes nothing */
KT_API kt_determinism kt_deterministic(void);
KT_API void           kt_set_fill_unwritten(bool on); /* true (the default): fill uninitialized elements in deterministic mode */
KT_API bool           kt_fill_unwritten(void);

/* ---- scopes (thread-local) ---- */
typedef struct kt_guard {
    uint64_t token;
} kt_guard;
KT_API kt_guard   kt_scope_open(void);
KT_API void       kt_scope_close(kt_guard *guard);    /* drops what the scope still owns */
KT_API kt_tensor *kt_keep(kt_tensor *t);              /* one more owner: you; NULL passes through */
KT_API void       kt_drop(kt_tensor *t);              /* one owner less; NULL is fine */
KT_API kt_tensor *kt_escape(kt_tensor *t);            /* hand t to the enclosing scope */

#define KT_CAT_(a, b) a##b
#define KT_CAT(a, b)  KT_CAT_(a, b)
#if defined(__GNUC__)
#define KT_SCOPE kt_guard KT_CAT(kt_scope_, __LINE__) __attribute__((cleanup(kt_scope_close), unused)) = kt_scope_open()
#endif

/* ---- version ---- */
#define KT_VERSION_MAJOR 0
#define KT_VERSION_MINOR 1
#define KT_VERSION_PATCH 0
KT_API const char *kt_version(void);                  /* "0.1.0" */

/* ---- memory: what the caching allocator knows ---- */
typedef struct kt_memory_stats {
    size_t   size;                                    /* of this struct, set by the caller */
    uint64_t live_bytes, live_blocks;                 /* handed out now */
    uint64_t cached_bytes;                            /* held for reuse */
    uint64_t peak_bytes;                              /* most live_bytes since start or the last reset */
    uint64_t total_allocations;                       /* ever */
    uint64_t system_allocations;                      /* those that reached the system */
} kt_memory_stats;
KT_API void      kt_memory_read(kt_memory_stats *stats);
KT_API void      kt_memory_reset_peak(void);
KT_API void      kt_memory_limit(uint64_t bytes);     /* 0: no limit. KARAT_MEMORY_LIMIT sets it at start */
KT_API void      kt_memory_trim(void);                /* return cached blocks of this thread and the shared cache to the system */
KT_API void      kt_memory_fail_after(int64_t n);     /* tests: the n-th allocation from now fails (0: the next); -1: never */

/* ---- threads ---- */
KT_API int       kt_get_num_threads(void);
KT_API kt_status kt_set_num_threads(int n);

/* ---- environment variables ---- */
typedef struct kt_variable {
    const char *name;    /* "KARAT_POLICY" */
    const char *values;  /* accepted values */
    const char *meaning; /* one sentence */
} kt_variable;
KT_API const kt_variable *kt_variable_at(int index);  /* NULL past the end */

/* ---- instruction set of the CPU kernels ---- */
KT_API const char *kt_cpu_isa(void);                  /* the build in use, e.g. "avx512" */

/* ---- matrix products ---- */
/* "highest": float32 throughout; "high": GPUs may round to TF32 before they multiply, with float32 sums; "medium": that, and the
 * CPU to bfloat16, where a loaded library is faster that way. Process-wide. Any other text is an error and has no effect. */
KT_API kt_status   kt_set_float32_matmul_precision(const char *name);
KT_API const char *kt_get_float32_matmul_precision(void); /* NULL and an error: what was set below contradicts it */
/* May GPUs round float32 to TF32? Convolutions may unless that is forbidden, products if it is allowed, as in PyTorch. */
typedef enum kt_tf32_use { KT_TF32_PRODUCTS, KT_TF32_CONVOLUTIONS } kt_tf32_use;
KT_API void      kt_allow_tf32(kt_tf32_use of, bool allowed);
KT_API kt_status kt_tf32_allowed(kt_tf32_use of, bool *allowed); /* an error: what was set below contradicts it */
/* The same by places, by PyTorch's names: backend "generic", "cuda", "mkldnn"; op "all", "matmul", "conv", "rnn"; precision
 * "ieee", "tf32", "bf16" (not of cuda), or "none": as the place above says. */
KT_API kt_status   kt_set_fp32_precision(const char *backend, const char *op, const char *precision);
KT_API const char *kt_get_fp32_precision(const char *backend, const char *op); /* what holds there; NULL and an error: no place */
KT_API const char *kt_cpu_matmul(int index);          /* the libraries found for products: "oneDNN 2.6.3"; "" past the end */

KT_END
#endif
