/* compare.c - equal and allclose: two tensors compared to one Python bool.
 *
 * In: Tensors. Out: True or False. The comparison is an operator of the engine; this file reduces it to a bool. */
#include "core/binding.h"

/* Is no element true? Steals the reference; -1: exception. */
static int none_true(kt_tensor *t)
{
    kt_call call;
    kt_call_begin(&call, kp_rows.sum, KT_PLAIN);
    call.arg[0].t = t;
    call.given = 1;
    kt_status status = kp_run(&call, kp_is_large(t, NULL));
    kt_drop(t);
    if (status) {
        kp_raise();
        return -1;
    }
    kt_scalar count = kp_item(call.out[0]);
    kt_drop(call.out[0]);
    if (!count.kind) {
        kp_raise();
        return -1;
    }
    return count.v.i == 0;
}

static PyObject *answer(int truth) { return truth < 0 ? NULL : PyBool_FromLong(truth); }

static bool same_sizes(const kt_tensor *a, const kt_tensor *b)
{
    const kt_shape x = kt_sizes(a), y = kt_sizes(b);
    return x.n == y.n && (x.n == 0 || memcmp(x.d, y.d, (size_t)x.n * sizeof *x.d) == 0);
}

static PyObject *equal(bool method, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    static kp_signature signature = {.name = "equal", .spec = {{.name = "self", .kind = KT_ARG_TENSOR},
                                                               {.name = "other", .kind = KT_ARG_TENSOR}}};
    kp_args             a;
    kt_call             call;
    if (kp_parse(&a, &signature, method, argv, n, keywords))
        return NULL;
    kt_tensor *x = a.call.arg[0].t, *y = a.call.arg[1].t;
    kp_args_free(&a);
    if (!same_sizes(x, y))
        Py_RETURN_FALSE;
    kt_call_begin(&call, kp_rows.ne, KT_PLAIN);
    call.arg[0].t = x;
    call.arg[1].t = y;
    call.given = 3;
    return kp_run(&call, kp_is_large(x, NULL)) ? kp_raise() : answer(none_true(call.out[0]));
}

static PyObject *all_close(bool method, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    static kp_signature signature = {
        .name = "allclose",
        .spec = {{.name = "self", .kind = KT_ARG_TENSOR}, {.name = "other", .kind = KT_ARG_TENSOR},
                 {.name = "rtol", .kind = KT_ARG_FLOAT, .has_default = 1},
                 {.name = "atol", .kind = KT_ARG_FLOAT, .has_default = 1},
                 {.name = "equal_nan", .kind = KT_ARG_BOOL, .has_default = 1}}};
    kp_args a;
    if (kp_parse(&a, &signature, method, argv, n, keywords))
        return NULL;
    kt_call call;
    kt_call_begin(&call, kp_rows.isclose, KT_PLAIN);
    memcpy(call.arg, a.call.arg, 5 * sizeof *call.arg);
    call.given = a.call.given;
    kp_args_free(&a);
    if (kp_run(&call, kp_is_large(call.arg[0].t, NULL)))
        return kp_raise();
    kt_tensor *where = call.out[0];
    kt_call_begin(&call, kp_rows.logical_not, KT_PLAIN);
    call.arg[0].t = where;
    call.given = 1;
    kt_status status = kp_run(&call, kp_is_large(where, NULL));
    kt_drop(where);
    return status ? kp_raise() : answer(none_true(call.out[0]));
}

/* ---- as functions and as methods: there the tensor comes first ---- */

#define BOTH(name)                                                                                                    \
    static PyObject *name##_function(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)      \
    {                                                                                                                 \
        (void)module;                                                                                                 \
        return name(false, argv, n, keywords);                                                                        \
    }                                                                                                                 \
    PyObject *kp_##name(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)                      \
    {                                                                                                                 \
        PyObject *all[8] = {self};                                                                                    \
        if (n + (keywords ? PyTuple_GET_SIZE(keywords) : 0) > 7)                                                      \
            return PyErr_Format(PyExc_TypeError, #name "(): too many arguments");                                     \
        memcpy(all + 1, argv, (size_t)(n + (keywords ? PyTuple_GET_SIZE(keywords) : 0)) * sizeof *all);               \
        return name(true, all, n + 1, keywords);                                                                      \
    }
BOTH(equal)
BOTH(all_close)

PyMethodDef kp_compare_functions[] = {
    {"equal", KP_FUNCTION(equal_function), METH_FASTCALL | METH_KEYWORDS,
     "equal(input, other): the same sizes and elements?"},
    {"allclose", KP_FUNCTION(all_close_function), METH_FASTCALL | METH_KEYWORDS,
     "allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False): is every element close?"},
    {NULL, NULL, 0, NULL},
};
