/* warn.h - what a call has to say although it did not fail.
 *
 * In: a text, PyTorch's word for word. Out: the process's handler hears it; without one nobody does. Must not know: who listens.
 *
 * KT__WARN_ONCE speaks the first time that its line is reached, unless kt_set_warn_always: what PyTorch says once a process. */
#ifndef KT_BASE_WARN_H
#define KT_BASE_WARN_H

#include "base/local.h"

#include <karat/base.h>

extern KT__HOT_LOCAL int kt__warn_muted; /* above 0: a call is only tried, and warns nobody */

void kt__warn(const char *format, ...) KT_PRINTF(1, 2);
bool kt__warn_now(bool *said); /* shall a text that is said once be said? Then it has been */

#define KT__WARN_ONCE(...)                                                                                                       \
    do {                                                                                                                         \
        static bool kt__said;                                                                                                    \
        if (kt__warn_now(&kt__said))                                                                                             \
            kt__warn(__VA_ARGS__);                                                                                               \
    } while (0)

#endif
