/* append.h - rows that are appended to the table while a program runs: what a row of theirs has that one of the table has not. */
#ifndef KT_CALL_APPEND_H
#define KT_CALL_APPEND_H

#include <karat/plugin/operator.h>

#include "call/row.h"

enum { KT_MOST_APPENDED = 4096 }; /* their ids follow those of the table, and fit the 16 bits of the resolver's key */

typedef struct kt__appended {
    kt_status (*body)(kt_call *call);
    kt_status (*setup)(kt_node *node, const kt_call *call); /* or NULL */
    const kt_node_type *node;                               /* or NULL */
    uint32_t            n_saved;
} kt__appended;

const kt_row *kt__appended_at(int index); /* NULL past the end */

enum { KT_NODE_MOST = 1 << 26 }; /* inputs, results, saved tensors, bytes of context: a node's size fits 32 bits */
kt_status kt__check_node_type(const kt_node_type *type); /* may nodes be made of it? */

#endif
