/* make.h - what rows that make tensors out of nothing have in common: the options they end with, and the birth. */
#ifndef KT_OPS_MAKE_MAKE_H
#define KT_OPS_MAKE_MAKE_H

#include "call/call.h"

typedef struct kt__make_options {
    kt_dtype  dtype;
    kt_device device;
    bool      requires_grad;
} kt__make_options;

/* dtype=, device= and requires_grad=, which stand at `at` and after; without dtype= it is `fallback`. */
kt_status kt__read_options(const kt_call *call, int at, kt_dtype fallback, const kt_tensor *like, kt__make_options *o);
/* Ends the call with t, which it takes over; t is NULL, or status says so, where making it failed. */
kt_status kt__born(kt_call *call, kt_tensor *t, const kt__make_options *o, kt_status status);

#endif
