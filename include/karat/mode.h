/* mode.h - the thread's modes: cast policy and recording of gradients; autocast has a header of its own. Scoped, thread-local; a
 * new thread starts from the process default (KARAT_POLICY sets the policy's). */
#ifndef KARAT_MODE_H
#define KARAT_MODE_H

#include <karat/dtype.h>

KT_BEGIN

/* Ordered: what one policy accepts, the next accepts too, with the same result. Explicit casts are always allowed. */
typedef enum kt_policy {
    KT_STRICT     = 0, /* no implicit conversion; numbers never force one */
    KT_SAFE       = 1, /* what torch accepts, minus every conversion that can lose a value */
    KT_TORCH      = 2, /* PyTorch's rules: the default */
    KT_PERMISSIVE = 3  /* mixes that PyTorch rejects are promoted */
} kt_policy;

KT_API kt_policy   kt_get_policy(void);
KT_API void        kt_set_policy(kt_policy policy);
KT_API const char *kt_policy_name(kt_policy policy);
KT_API int         kt_policy_find(const char *name); /* -1 if unknown */

KT_API bool kt_grad_enabled(void);
KT_API void kt_set_grad_enabled(bool on);

/* Guards that restore the mode at the end of the block. */
typedef struct kt_mode_guard {
    uint64_t saved;
} kt_mode_guard;
KT_API kt_mode_guard kt_policy_open(kt_policy policy);
KT_API kt_mode_guard kt_no_grad_open(void);
KT_API void          kt_mode_close(kt_mode_guard *guard);
#if defined(__GNUC__)
#define KT_POLICY(p) \
    kt_mode_guard KT_CAT(kt_policy_, __LINE__) __attribute__((cleanup(kt_mode_close), unused)) = kt_policy_open(p)
#define KT_NO_GRAD kt_mode_guard KT_CAT(kt_no_grad_, __LINE__) __attribute__((cleanup(kt_mode_close), unused)) = kt_no_grad_open()
#endif

KT_END
#endif
