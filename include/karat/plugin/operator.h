/* operator.h - operators of others: rows that a program or a binding appends to the table while it runs. Versioned apart from the
 * stable headers.
 *
 * An appended row is called as any other (plugin/call.h: kt_row_find, kt_call_begin, kt_call_run). Before its body runs, its
 * operands are checked and converted as its dtype rule says, under the policy in force; a refusal explains itself as every dtype
 * error does. What the body gives back is checked against the rule too. Rows never move and are never taken back: a pointer to
 * one is good for the life of the process. Any thread may append while others call. */
#ifndef KARAT_PLUGIN_OPERATOR_H
#define KARAT_PLUGIN_OPERATOR_H

#include <karat/plugin/call.h>
#include <karat/plugin/node.h>

KT_BEGIN

typedef struct kt_operator {
    size_t      size;    /* sizeof(kt_operator) */
    const char *name;    /* "mylib::scale": no other row has it */
    const char *schema;  /* PyTorch's notation: "scale(Tensor self, Tensor|Scalar by=1) -> Tensor" */
    const char *dtypes;  /* the dtype rule, in the words of src/tables/rules.def: "PROMOTE"; NULL: NONE, nothing is asked */
    const char *accepts; /* categories of the common dtype that it takes: of "BIFC" (bool, int, float, complex); NULL: all */
    const char *doc;     /* one line; or NULL */
    /* In: arguments, tensors in the dtypes of the rule. Out: call->out[0] and on, owned by the caller (kt_keep what a typed
     * wrapper gave), and KT_OK; or an error. */
    kt_status (*body)(kt_call *call);
    /* The derivative: the type of the node that a call is recorded as, whose run gives the gradients of the tensors among the
     * arguments, in order, those of lists one by one. NULL: a call that is asked for one says that there is none, unless the body
     * is made of operators that have theirs (`composite`). */
    const kt_node_type *node;
    kt_status (*setup)(kt_node *node, const kt_call *call); /* after the body: saves what run needs (kt_node_save); or NULL */
    int64_t     n_saved; /* places for that */
    bool        composite;
} kt_operator;

/* Nothing is appended where it fails. Texts are copied; the node's type, where there is one, lives on. */
KT_API kt_status kt_row_append(const kt_operator *op, const kt_row **row);

/* Argument i of a call: as it was given, or its default. NULL where the row has no such argument. */
KT_API const kt_value *kt_call_arg(const kt_call *call, int i);
/* Argument i of the call that a node of an appended row stands for; tensors are not kept there. NULL where there is none. */
KT_API const kt_value *kt_node_arg(const kt_node *node, int i);

KT_END
#endif
