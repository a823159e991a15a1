/* append.h - rows appended at run time: what they have in addition to the table's rows. */
#ifndef KT_CALL_APPEND_H
#define KT_CALL_APPEND_H

#include <karat/plugin/operator.h>

#include "call/row.h"

enum { KT_MOST_APPENDED = 4096 }; /* their ids follow the table's and fit the 16 bits in the resolver's key */

typedef struct kt__appended {
    kt_status (*body)(kt_call *call);
    kt_status (*setup)(kt_node *node, const kt_call *call); /* or NULL */
    const kt_node_type *node;                               /* or NULL */
    uint32_t            n_saved;
} kt__appended;

const kt_row *kt__appended_at(int index); /* NULL past the end */

enum { KT_NODE_MOST = 1 << 26 }; /* limit of inputs, results, saved tensors and context bytes: a node's size fits 32 bits */
kt_status kt__check_node_type(const kt_node_type *type); /* is it a valid node type? */

#endif
