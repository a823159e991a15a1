/* operator.h - custom operators: rows that a program or a binding appends to the table at run time. Versioned apart from the
 * stable headers.
 *
 * An appended row is called like any other (plugin/call.h: kt_row_find, kt_call_begin, kt_call_run). Before its body runs,
 * its operands are checked and converted by its dtype rule under the current policy; dtype errors are explained as for every
 * row. The dtypes of the body's results are checked against the rule too. Rows never move and are never removed: a pointer
 * to a row is valid until the process ends. Threads may append rows while others call operators. */
#ifndef KARAT_PLUGIN_OPERATOR_H
#define KARAT_PLUGIN_OPERATOR_H

#include <karat/plugin/call.h>
#include <karat/plugin/node.h>

KT_BEGIN

typedef struct kt_operator {
    size_t      size;    /* sizeof(kt_operator) */
    const char *name;    /* "mylib::scale": unique among all rows */
    const char *schema;  /* PyTorch's notation: "scale(Tensor self, Tensor|Scalar by=1) -> Tensor" */
    const char *dtypes;  /* the dtype rule, a name of src/tables/rules.def: "PROMOTE"; NULL: NONE, no conversion, no check */
    const char *accepts; /* supported categories of the common dtype: letters of "BIFC" (bool, int, float, complex); NULL: all */
    const char *doc;     /* one line; or NULL */
    /* In: the arguments, tensors converted by the rule. Out: call->out[0], out[1], ..., owned by the caller (kt_keep a
     * tensor that a typed wrapper returned), and KT_OK; or an error. */
    kt_status (*body)(kt_call *call);
    /* The derivative: the type of the node that records a call. Its `run` computes the gradients of the tensor arguments in
     * order; each element of a list counts as one. NULL: backward reports that there is no derivative, unless `composite` is
     * set: then the operators that the body calls are recorded. */
    const kt_node_type *node;
    /* runs after the body and saves tensors for `run` (kt_node_save); or NULL */
    kt_status (*setup)(kt_node *node, const kt_call *call);
    int64_t     n_saved; /* number of places for kt_node_save */
    bool        composite;
} kt_operator;

/* On failure nothing is appended. Strings are copied; the node's type must stay valid. */
KT_API kt_status kt_row_append(const kt_operator *op, const kt_row **row);

/* Argument i of a call, or its default. NULL if the row has no such argument. */
KT_API const kt_value *kt_call_arg(const kt_call *call, int i);
/* Argument i of the call that a node of an appended row recorded; tensors are not kept. NULL if there is none. */
KT_API const kt_value *kt_node_arg(const kt_node *node, int i);

KT_END
#endif
