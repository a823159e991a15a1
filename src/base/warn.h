/* warn.h - warnings.
 *
 * In: a text, PyTorch's word for word. Out: a call of the process's handler; without one, warnings are dropped. Independent
 * of: what the handler does.
 *
 * KT__WARN_ONCE warns the first time its line is reached, or every time under kt_set_warn_always: PyTorch's
 * once-per-process warnings. */
#ifndef KT_BASE_WARN_H
#define KT_BASE_WARN_H

#include "base/local.h"

#include <karat/base.h>

extern KT__HOT_LOCAL int kt__warn_muted; /* above 0: a dry run, which does not warn */

void kt__warn(const char *format, ...) KT_PRINTF(1, 2);
bool kt__warn_now(bool *said); /* true if a once-only warning is due; marks it as given */

#define KT__WARN_ONCE(...)                                                                                                       \
    do {                                                                                                                         \
        static bool kt__said;                                                                                                    \
        if (kt__warn_now(&kt__said))                                                                                             \
            kt__warn(__VA_ARGS__);                                                                                               \
    } while (0)

#endif
