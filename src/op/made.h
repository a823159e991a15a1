/* made.h - for bodies that are written in the vocabulary of ops.h: the result leaves the body's scope and belongs to the call. */
#ifndef KT_OP_MADE_H
#define KT_OP_MADE_H

#include "base/scope.h"
#include "op/wrap.h"

kt_status kt__made(kt_call *call, kt_tensor *t);      /* NULL: a step before failed, and the error says why */
kt_status kt__made_into(kt_call *call, kt_tensor *t); /* the same for out=, which takes the size and a copy */

#endif
