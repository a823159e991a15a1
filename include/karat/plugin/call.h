/* call.h - one operator call as data: what a binding, a test or a tool uses to call any row of the operator table by
 * name. Versioned separately from the stable headers. Calls made this way return owned references (kt_drop them) and a
 * status; scopes and the pending-error rule belong to the typed wrappers of ops.h. */
#ifndef KARAT_PLUGIN_CALL_H
#define KARAT_PLUGIN_CALL_H

#include <karat/lineage.h>
#include <karat/grad.h>
#include <karat/plugin/backend.h>
#include <karat/random.h>
#include <karat/tensor.h>

KT_BEGIN

enum { KT_MAX_ARGS = 24, KT_MAX_RESULTS = 8 };

typedef enum kt_arg_kind {
    KT_ARG_TENSOR,
    KT_ARG_TENSOR_OR_SCALAR, /* "Tensor|Scalar": a bit of kt_call.scalars says which */
    KT_ARG_TENSORS,
    KT_ARG_SCALAR,
    KT_ARG_INT,
    KT_ARG_INTS,
    KT_ARG_FLOAT,
    KT_ARG_BOOL,
    KT_ARG_DTYPE,
    KT_ARG_DEVICE,
    KT_ARG_FORMAT, /* memory format */
    KT_ARG_STRING,
    KT_ARG_GENERATOR,
    KT_ARG_SCALARS
} kt_arg_kind;

typedef union kt_value {
    kt_tensor *t;
    struct {
        kt_tensor *const *t;
        int64_t           n;
    } ts;
    kt_scalar   s;
    struct {
        const kt_scalar *s;
        int64_t          n;
    } ss;
    int64_t     i;
    kt_shape    ints;
    double      f;
    bool        b;
    kt_dtype    dtype;
    kt_device   device;
    int32_t     format;
    const char *str;
    kt_generator *generator;
} kt_value;

typedef struct kt_arg_spec {
    const char *name;
    uint8_t     kind;         /* kt_arg_kind */
    uint8_t     optional;     /* may be None */
    uint8_t     has_default;
    uint8_t     keyword_only;
    uint8_t     written;      /* "Tensor(a!)": written even by the plain form */
    uint8_t     holes;        /* "Tensor?[]": an element of the list may be NULL */
    uint8_t     alone;        /* "int[2]": 2; Python may pass one integer for a list of so many; "SymInt": 1, anything with
                                 __index__ */
    uint8_t     element;      /* "float[]", "bool[]": the kt_scalar_kind that all numbers of the list have; 0: any */
    uint8_t     absent;       /* an optional argument whose default is None, or that has none */
    kt_value    value;        /* the default; an absent optional is kind 0, NULL or KT_NONE */
} kt_arg_spec;

typedef enum kt_form { KT_PLAIN = 0, KT_INPLACE = 1, KT_OUT = 2 } kt_form; /* ORDER FORM */

typedef struct kt_row kt_row; /* one operator; opaque, read by the functions below */

typedef struct kt_call {
    const kt_row *row;
    uint8_t       form;       /* kt_form */
    uint8_t       n_out;      /* results */
    uint32_t      given;      /* bit i: argument i was given; else its default is used */
    uint32_t      scalars;    /* bit i: a Tensor|Scalar argument holds a scalar */
    kt_value      arg[KT_MAX_ARGS];
    kt_tensor    *out[KT_MAX_RESULTS]; /* in: the targets of KT_OUT (borrowed); out: the results, owned by the caller */
    kt_tensor   **list;       /* of a row that returns Tensor[]: owned results, and the array itself (kt_call_free_list) */
    int64_t       n_list;
} kt_call;

KT_API const kt_row      *kt_row_find(const char *name);   /* NULL if there is no such operator; sets no error */
KT_API const kt_row      *kt_row_at(int index);            /* NULL past the end */
KT_API const char        *kt_row_name(const kt_row *row);
KT_API const char        *kt_row_schema(const kt_row *row);
KT_API const char        *kt_row_doc(const kt_row *row);
KT_API const char        *kt_row_section(const kt_row *row);    /* "matrix products": its heading */
KT_API bool               kt_row_is_internal(const kt_row *row); /* used by other operators, not by users */
KT_API const char        *kt_row_dtype_rule(const kt_row *row); /* of the result */
KT_API unsigned           kt_row_takes(const kt_row *row);      /* kt_category bits: of its first tensor, or dtype= */
KT_API const char        *kt_row_derivative(const kt_row *row); /* "AddBackward0", or why there is none */
KT_API int                kt_row_n_args(const kt_row *row);
KT_API const kt_arg_spec *kt_row_arg(const kt_row *row, int index);
KT_API int                kt_row_n_results(const kt_row *row); /* 1 unless the row names several; 1 for a list too */
KT_API const char        *kt_row_result_name(const kt_row *row, int index); /* "" if the row has one result */
/* KT_ARG_TENSOR, KT_ARG_TENSORS, or of an appended row a number: KT_ARG_INT, _FLOAT, _BOOL or _SCALAR, which the call gives as
 * a 0-dim tensor on the CPU, of int64, float64 or bool; or KT_ARG_STRING, a uint8 tensor there with the string's bytes.
 * -1: there is no such result. */
KT_API int                kt_row_result_kind(const kt_row *row, int index);
KT_API bool               kt_row_result_optional(const kt_row *row, int index); /* a call may give NULL for it */
KT_API bool               kt_row_has_form(const kt_row *row, kt_form form);
KT_API bool               kt_row_is_view(const kt_row *row);

KT_API void      kt_call_begin(kt_call *call, const kt_row *row, kt_form form);
KT_API kt_status kt_call_run(kt_call *call);
KT_API void      kt_call_free_list(kt_call *call);          /* drops the results of a Tensor[] row */
KT_API kt_status kt_call_make_list(kt_call *call, int64_t n); /* for a body: room for n results in call->list, all NULL */

/* Watchers of this thread's calls, from push to pop. An operator as PyTorch has them (not what is made of others, not inside
 * another operator, in grad mode) is shown before it runs, when the watcher may put owned results into call->out and set *given:
 * nothing is computed then, and these get the call's history; and after, with its results. Views, calls in place and calls that
 * convert an operand run whatever was given; lists of results are not shown. The last pushed comes first. A watcher that fails
 * ends the call. */
typedef enum kt_call_moment { KT_CALL_BEGINS, KT_CALL_ENDED } kt_call_moment;
typedef kt_status (*kt_call_watcher)(kt_call *call, kt_call_moment moment, bool *given, void *context);
KT_API kt_status kt_call_watch_push(kt_call_watcher see, void *context);
KT_API void     *kt_call_watch_pop(void); /* the context of the one that ends; NULL: there was none */

/* For bindings: a new tensor to be filled through kt_data, whose lineage begins with `maker` (a string that is never
 * freed); and the slot for a binding's object, so that one tensor is one object. */
KT_API kt_status kt_make(kt_dtype dtype, kt_shape shape, const char *maker, kt_tensor **result); /* owned; on the CPU */
/* On foreign memory, strides in elements; `release(owner)` runs when no tensor uses it any more; not on failure. */
KT_API kt_status kt_make_over(void *memory, kt_dtype dtype, kt_shape shape, kt_shape strides, const char *maker,
                              void (*release)(void *owner), void *owner, kt_tensor **result);    /* owned; on the CPU */
KT_API kt_status kt_make_over_on(kt_device device, void *memory, kt_dtype dtype, kt_shape shape, kt_shape strides,
                                 const char *maker, void (*release)(void *owner), void *owner, kt_tensor **result);
/* Exports a tensor's memory by address: a new tensor that keeps the storage alive, even if t gets another one. `fixed`:
 * the storage is never resized from now on, as in PyTorch for memory shared with NumPy. */
KT_API kt_status kt_lend(kt_tensor *t, bool fixed, kt_tensor **lent);                            /* owned */
KT_API void    **kt_tensor_wrapper(kt_tensor *t);                                                /* NULL and an error for NULL */
KT_API bool      kt_is_shared(const kt_tensor *t);          /* does it have owners besides the caller? false for NULL */
KT_API int       kt_owner_count(const kt_tensor *t);        /* the caller among them; 0 for NULL */
/* The object in the slot has lost its last reference, and drops its own to t. False: t has other owners and owns the object from
 * now on; the lowest bit of the slot says so. True: t, or what its slot named, has nothing to do with it any more. */
KT_API bool      kt_wrapper_drop(kt_tensor *t, void *object);
/* `left` is called when a tensor whose slot is not NULL loses its last owner, on any thread. True: that reference belongs to the
 * binding now, and the tensor lives on. */
typedef bool (*kt_wrapper_left)(kt_tensor *t);
KT_API void      kt_on_wrapper_left(kt_wrapper_left left);
/* For a binding's garbage collector: visits the contexts of hooks that would be freed with t, if the caller is its only owner; a
 * binding knows its own by their `release`. A nonzero result of a visit ends the traversal and is returned. */
typedef int (*kt_hook_visit)(void (*release)(void *context), void *context, void *with);
KT_API int       kt_hooks_visit(const kt_tensor *t, kt_hook_visit visit, void *with);
KT_API void      kt_hooks_clear(kt_tensor *t);              /* removes them and releases their contexts */
KT_API bool      kt_has_hooks(const kt_tensor *t);

/* May a tensor of the dtype require grad? Floating and complex ones may; integers under the policy `permissive`, where
 * the gradient has the dtype they were first cast to. */
KT_API bool      kt_may_require_grad(kt_dtype dtype);

/* Writes the result of a row without an out= form into `out`, by the rules of PyTorch's out= for that row: `out` is
 * resized, unless the row is a range with as many elements. On an error `out` is unchanged. */
KT_API kt_status kt_store(const kt_row *row, kt_tensor *out, kt_tensor *made);

/* Conversions that the user did not write: modules, optimizers, loaders and bindings name their reason. */
KT_API kt_status kt_convert(kt_tensor *t, kt_dtype dtype, kt_reason why, kt_tensor **result); /* owned */
KT_API kt_status kt_copy_why(kt_tensor *to, kt_tensor *from, kt_reason why);

/* A binding's exception is carried as the payload of an error with status KT_ERR_FOREIGN. `release` is called once,
 * unless the payload is taken: it then belongs to the caller, and the error stays pending. */
KT_API kt_status kt_fail_foreign(void *payload, void (*release)(void *payload));
KT_API void     *kt_error_take_foreign(void); /* NULL if there is none */

/* Fails because of t's dtype outside any operator: `op` is what the user called, `wanted` a dtype that is accepted: by a
 * cast of t (KT_FIX_CAST), by dtype= where t is created (KT_FIX_DTYPE), or if t had been created with it (KT_FIX_MAKE). */
KT_API kt_status kt_refuse_dtype(kt_status status, const kt_tensor *t, const char *op, kt_fix_kind fix, kt_dtype wanted,
                                 const char *text);
/* Fails because two tensors, by their names as arguments, do not have one dtype: the fixes are casts to that of the other. */
KT_API kt_status kt_refuse_unlike(kt_status status, const char *op, const kt_tensor *a, const char *a_name, const kt_tensor *b,
                                  const char *b_name, const char *text);
/* As kt_refuse_dtype where t cannot require grad: the fix is the default dtype, or a policy that allows it. */
KT_API kt_status kt_refuse_grad(const kt_tensor *t, const char *op, kt_fix_kind fix, const char *text);
/* The user's spelling of the next cast, for lineage: "half", "double". The string must never be freed; NULL: none. */
KT_API void kt_call_set_display_name(const char *name);

/* The promoted dtype of these operands, as in an arithmetic operator; bit i of `scalars`: operand i is a number. */
KT_API kt_status kt_result_type(const kt_value *operand, int n, uint32_t scalars, kt_dtype *result);

KT_END
#endif
