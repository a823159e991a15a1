/* finite.h - the search for what first makes a value that is not finite, behind the mode bit KT_M_SEARCH. */
#ifndef KT_CALL_FINITE_H
#define KT_CALL_FINITE_H

#include "call/call.h"

void kt__search_call(const kt_call *call); /* a call has run, outside of other calls and of nodes or not */
/* A node of this name and site has run: the gradients that it was given, some NULL, and those that it gave. */
void kt__search_node(const char *name, uint32_t site, kt_tensor *const *in, int64_t n_in, kt_tensor *const *out, int64_t n_out);

#endif
