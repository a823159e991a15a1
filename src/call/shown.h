/* shown.h - calls that are shown to a watcher of the user's, behind the mode bit KT_M_SHOWN (kt_call_watch_push). */
#ifndef KT_CALL_SHOWN_H
#define KT_CALL_SHOWN_H

#include "call/call.h"

kt_status kt__run_shown(kt_call *call, kt_status (*run)(kt_call *call)); /* `run`, unless a watcher gives the results */

#endif
