/* custom.h - what the tape needs of custom nodes, for appended rows with their own node type. */
#ifndef KT_GRAD_CUSTOM_H
#define KT_GRAD_CUSTOM_H

#include "call/append.h"
#include "grad/run.h"

uint32_t  kt__context_bytes(const kt_node_type *type); /* size of its context in a node's memory */
void      kt__custom_begin(kt_node *node);          /* clears its context and its saved places */
kt_status kt__attach(kt_node *node, kt_tensor *t, uint32_t result, int64_t from); /* one result, as in kt_node_attach */

#endif
