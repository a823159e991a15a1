/* autocast.h - operators choose their dtypes by class: matrix products run in a narrow float, what needs the range in float32.
 * Thread-local and scoped, for each kind of device apart.
 *
 *     { KT_AUTOCAST(KT_CPU, KT_BF16);
 *       y = kt_linear(x, w);            // bfloat16; gradients arrive in the dtypes of x and w
 *     }
 *
 * A float32 leaf that requires grad is cast once, however often it is used, until the outermost scope is closed, the leaf is
 * written to, or the cache is cleared. Tensors on the meta device are left alone. */
#ifndef KARAT_AUTOCAST_H
#define KARAT_AUTOCAST_H

#include <karat/mode.h>
#include <karat/tensor.h>

KT_BEGIN

/* On, until the guard is closed. dtype: what it lowers to, KT_NONE for the kind's default (bfloat16 on the CPU, else float16). */
KT_API kt_mode_guard kt_autocast_open(kt_device_kind kind, kt_dtype dtype);
KT_API void          kt_autocast_close(kt_mode_guard *guard);
#if defined(__GNUC__)
#define KT_AUTOCAST(kind, dtype)                                                                  \
    kt_mode_guard KT_CAT(kt_autocast_, __LINE__) __attribute__((cleanup(kt_autocast_close), unused)) = \
        kt_autocast_open(kind, dtype)
#endif

/* What scopes are made of. */
KT_API bool      kt_autocast_enabled(kt_device_kind kind);
KT_API kt_status kt_set_autocast_enabled(kt_device_kind kind, bool on);
KT_API kt_dtype  kt_autocast_dtype(kt_device_kind kind); /* KT_NONE and an error where there is no such device */
KT_API kt_status kt_set_autocast_dtype(kt_device_kind kind, kt_dtype dtype);
KT_API bool      kt_autocast_cache_enabled(void);
KT_API void      kt_set_autocast_cache_enabled(bool on);
KT_API int       kt_autocast_enter(void); /* how many scopes are open now */
KT_API int       kt_autocast_leave(void); /* the same; the last one out clears the cache */
KT_API void      kt_autocast_clear_cache(void);

KT_END
#endif
