/* warn.c - warnings, passed to the handler that a binding or a program set. In: texts. Out: calls of the handler, on the
 * thread that warns. Independent of: Python. */
#include "base/warn.h"

#include "base/local.h"
#include "base/str.h"

#include <stdarg.h>

enum { TEXT_BYTES = 2048 };

static kt_warning_fn *handler;
static bool           always;
KT__HOT_LOCAL int     kt__warn_muted;

void kt_on_warning(kt_warning_fn *fn)
{
    __atomic_store_n(&handler, fn, __ATOMIC_RELEASE);
}

void kt_set_warn_always(bool on)
{
    __atomic_store_n(&always, on, __ATOMIC_RELAXED);
}

bool kt_warn_always(void)
{
    return __atomic_load_n(&always, __ATOMIC_RELAXED);
}

void kt__warn(const char *format, ...)
{
    kt_warning_fn *fn = __atomic_load_n(&handler, __ATOMIC_ACQUIRE);
    if (!fn || kt__warn_muted)
        return;
    char    text[TEXT_BYTES];
    kt__str s = kt__str_in(text, sizeof text);
    va_list args;
    va_start(args, format);
    kt__str_addv(&s, format, args);
    va_end(args);
    fn(s.text);
}

bool kt__warn_now(bool *said)
{
    return !kt__warn_muted && (!__atomic_exchange_n(said, true, __ATOMIC_RELAXED) || kt_warn_always());
}
