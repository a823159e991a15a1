/* deterministic.c - the process's setting of determinism, and what follows from it.
 *
 * In: the setting. Out: filled memory, warnings, refusals, in PyTorch's words. Independent of: which operators ask. */
#include "call/deterministic.h"

#include <math.h>

#include "base/warn.h"
#include "call/call.h"

static int  mode; /* kt_determinism */
static bool fills = true;

void kt_set_deterministic(kt_determinism asked)
{
    if ((unsigned)asked > KT_DETERMINISTIC)
        kt_fail(KT_ERR_VALUE, "there is no determinism %d", (int)asked);
    else
        __atomic_store_n(&mode, (int)asked, __ATOMIC_RELAXED);
}

kt_determinism kt_deterministic(void) { return (kt_determinism)__atomic_load_n(&mode, __ATOMIC_RELAXED); }

void kt_set_fill_unwritten(bool on) { __atomic_store_n(&fills, on, __ATOMIC_RELAXED); }
bool kt_fill_unwritten(void) { return __atomic_load_n(&fills, __ATOMIC_RELAXED); }

static kt_scalar telling_value(kt_dtype dtype)
{
    int64_t   min;
    uint64_t  max;
    kt_scalar value = KT_FLOAT(NAN);
    if (dtype == KT_BOOL)
        return KT_FLAG(true);
    if (kt__int_range(dtype, &min, &max)) {
        value = KT_INT((int64_t)max);
        value.is_unsigned = max > INT64_MAX;
    }
    return value;
}

kt_status kt__fill_unwritten(kt_tensor *t)
{
    if (!t || KT__LIKELY(kt_deterministic() == KT_NOT_ASKED) || !kt_fill_unwritten() || t->numel == 0)
        return t ? KT_OK : kt_error_status();
    return kt__fill_with(t, telling_value((kt_dtype)t->dtype));
}

kt_status kt__alert_nondeterministic(const char *name)
{
    const kt_determinism asked = kt_deterministic();
    if (asked == KT_DETERMINISTIC)
        return kt_fail(KT_ERR_RUNTIME,
                       "%s does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True)'. "
                       "You can turn off determinism just for this operation, or you can use the 'warn_only=True' option, if "
                       "that's acceptable for your application. You can also file an issue at "
                       "https://github.com/pytorch/pytorch/issues to help us prioritize adding deterministic support for this "
                       "operation.",
                       name);
    if (asked == KT_DETERMINISTIC_WARN)
        kt__warn("%s does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True, "
                 "warn_only=True)'. You can file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize "
                 "adding deterministic support for this operation.",
                 name);
    return KT_OK;
}
