/* operator.h - custom operators: rows that a program or a binding appends to the table at run time. Versioned apart from the
 * stable headers. Python's torch.library is a client of this header.
 *
 *   kt_operator op = {.size = sizeof op, .name = "mylib::scale", .schema = "scale(Tensor self, float by=2.0) -> Tensor",
 *                     .dtypes = "SAME", .node = &scale_node};
 *   kt_row_append(&op, &row);                             a schema, a dtype rule, a derivative
 *   kt_kernel cpu = {.size = sizeof cpu, .device = "cpu", .takes = "self: float32 contiguous", .run = scale_cpu};
 *   kt_row_kernel(row, &cpu);                             and a kernel for each device; for "meta" it is the fake one
 *
 * An appended row is called like any other (plugin/call.h: kt_row_find, kt_call_begin, kt_call_run). Before a kernel runs, the
 * operands are checked and converted by the row's dtype rule under the current policy, and checked against what the kernel takes;
 * errors about dtypes are explained as for every row. The dtypes of results are checked against the rule too. Rows never move: a
 * pointer to a row is valid until the process ends. Threads may append rows and add kernels while others call operators. */
#ifndef KARAT_PLUGIN_OPERATOR_H
#define KARAT_PLUGIN_OPERATOR_H

#include <karat/plugin/call.h>
#include <karat/plugin/node.h>

KT_BEGIN

typedef struct kt_operator {
    size_t      size;    /* sizeof(kt_operator) */
    const char *name;    /* "mylib::scale", of an overload "mylib::scale.out": unique among all rows */
    const char *schema;  /* PyTorch's notation: "scale(Tensor self, Tensor|Scalar by=1) -> Tensor". "Tensor(a!)" is written to */
    const char *dtypes;  /* the dtype rule, a name of src/tables/rules.def: "PROMOTE"; NULL: NONE, no conversion, no check */
    const char *accepts; /* supported categories of the common dtype: letters of "BIFC" (bool, int, float, complex); NULL: all */
    const char *doc;     /* one line; or NULL */
    /* A kernel for every device that has none of its own; NULL: there are only those of kt_row_kernel. In: the arguments, tensors
     * converted by the rule. Out: call->out[0], out[1], ..., owned by the caller (kt_keep a tensor that a typed wrapper returned;
     * of Tensor[] kt_call_make_list), and KT_OK; or an error. */
    kt_status (*body)(kt_call *call);
    /* The derivative: the type of the node that records a call. Its `run` computes the gradients of the tensor arguments in
     * order; each element of a list counts as one. NULL: backward reports that there is no derivative, unless `composite` is
     * set: then the operators that the kernel calls are recorded. */
    const kt_node_type *node;
    /* runs after the body and saves tensors for `run` (kt_node_save); or NULL */
    kt_status (*setup)(kt_node *node, const kt_call *call);
    int64_t     n_saved; /* number of places for kt_node_save */
    bool        composite;
} kt_operator;

/* On failure nothing is appended. Strings are copied; the node's type must stay valid. */
KT_API kt_status kt_row_append(const kt_operator *op, const kt_row **row);
/* Ends an appended operator: it has no kernels any more, kt_row_find does not find it, and its name may be appended anew. */
KT_API kt_status kt_row_withdraw(const kt_row *row);
KT_API bool      kt_row_is_withdrawn(const kt_row *row);

/* Operators of other projects that Karat brings: "torchvision", whose operators are then rows, "torchvision::nms". The project's
 * own are written against PyTorch's C++. They are appended at the first load. */
KT_API kt_status kt_operators_load(const char *space);
KT_API bool      kt_operators_known(const char *space); /* is there such a project? */

/* ---- kernels ---- */

typedef struct kt_kernel {
    size_t      size;   /* sizeof(kt_kernel) */
    const char *device; /* "cpu", "cuda", ...; "meta": the fake, which gives results without values. NULL: every device that has
                         * none of its own, meta too */
    /* What it can read, by argument: dtypes, and `contiguous`. "self: float32 float64 contiguous; index: int64", or "*: float32"
     * of all tensors. Other tensors are refused before it runs, and so are those of other devices; a conjugate or negated view
     * is resolved. NULL: anything. */
    const char *takes;
    kt_status (*run)(kt_call *call, void *context); /* as `body` of kt_operator */
    void       *context;
    void      (*release)(void *context); /* once, when it is replaced or removed and no call runs it; not on failure. Or NULL */
    /* It runs in place of those of devices, and records what it likes itself (kt_node_make). It reaches them by the same call
     * below (kt_below_open). `device` is NULL then, and the row is composite. */
    bool        above;
    bool        program; /* a binding's function: errors name the operators that it calls, which the user wrote */
} kt_kernel;

/* Replaces what the row has for the same device. */
KT_API kt_status kt_row_kernel(const kt_row *row, const kt_kernel *kernel);
KT_API kt_status kt_row_remove_kernel(const kt_row *row, const char *device, bool above); /* none there: nothing happens */
KT_API bool      kt_row_has_kernel(const kt_row *row, const char *device, bool above);    /* of its own */

/* Until kt_mode_close, this thread's calls skip kernels that are `above`. Inference mode skips them too. */
KT_API kt_mode_guard kt_below_open(void);
KT_API bool          kt_is_below(void);

/* ---- arguments ---- */

/* Argument i of a call, or its default. NULL if the row has no such argument. */
KT_API const kt_value *kt_call_arg(const kt_call *call, int i);
/* Argument i of the call that a node of an appended row recorded; tensors are not kept. NULL if there is none. */
KT_API const kt_value *kt_node_arg(const kt_node *node, int i);

KT_END
#endif
