/* body.h - bodies run as what they are made of. */
#ifndef KT__WAYS_BODY_H
#define KT__WAYS_BODY_H

#include "call/call.h"

/* The body of a call without the row's own node: the operators inside are recorded in its place. */
kt_status kt__run_in_parts(kt_call *call);

#endif
