/* kernel.c - Python functions as kernels of appended rows: what torch.library is made of.
 *
 * In: a schema, and functions for devices. Out: a row of the engine's table (plugin/operator.h), whose kernels call the
 * functions. Their exceptions pass through the engine unchanged. Independent of: what torch.library allows. */
#include "core/binding.h"

#include <karat/plugin/operator.h>

typedef struct kp_kernel { /* a kernel's context */
    PyObject *function;
    PyObject *fresh; /* results must share no memory with arguments: how the refusal begins; NULL: they may */
    bool      whole; /* the function is given all arguments; else those that the caller gave */
} kp_kernel;

static void release(void *context)
{
    kp_kernel *k = context;
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_XDECREF(k->function);
    Py_XDECREF(k->fresh);
    PyMem_Free(k);
    PyGILState_Release(gil);
}

/* ---- arguments ---- */

static PyObject *list_of(int64_t n, PyObject *(*item)(const kt_value *v, int64_t i), const kt_value *v)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (int64_t i = 0; list && i < n; i++) {
        PyObject *one = item(v, i);
        if (one)
            PyList_SET_ITEM(list, i, one);
        else
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *tensor_object(kt_tensor *t) { return t ? kp_wrap_borrowed(t) : Py_NewRef(Py_None); }
static PyObject *tensor_item(const kt_value *v, int64_t i) { return tensor_object(v->ts.t[i]); }
static PyObject *int_item(const kt_value *v, int64_t i) { return PyLong_FromLongLong(v->ints.d[i]); }
static PyObject *scalar_item(const kt_value *v, int64_t i) { return kp_from_scalar(v->ss.s[i]); }

static PyObject *argument_object(const kt_call *call, int i)
{
    const kt_arg_spec *spec = kt_row_arg(call->row, i);
    const kt_value    *v = kt_call_arg(call, i);
    if (!(call->given >> i & 1) && spec->absent)
        Py_RETURN_NONE;
    switch ((kt_arg_kind)spec->kind) {
    case KT_ARG_TENSOR_OR_SCALAR: return call->scalars >> i & 1 ? kp_from_scalar(v->s) : tensor_object(v->t);
    case KT_ARG_TENSOR: return tensor_object(v->t);
    case KT_ARG_TENSORS: return list_of(v->ts.n, tensor_item, v);
    case KT_ARG_SCALAR: return v->s.kind ? kp_from_scalar(v->s) : Py_NewRef(Py_None);
    case KT_ARG_SCALARS: return list_of(v->ss.n, scalar_item, v);
    case KT_ARG_INT: return PyLong_FromLongLong(v->i);
    case KT_ARG_INTS: return list_of(v->ints.n, int_item, v);
    case KT_ARG_FLOAT: return PyFloat_FromDouble(v->f);
    case KT_ARG_BOOL: return PyBool_FromLong(v->b);
    case KT_ARG_DTYPE: return kp_dtype_object(v->dtype);
    case KT_ARG_DEVICE: return kp_device_object_of(v->device);
    case KT_ARG_STRING: return v->str ? PyUnicode_FromString(v->str) : Py_NewRef(Py_None);
    default:
        return PyErr_Format(PyExc_NotImplementedError, "%s: its argument '%s' has no Python object", kt_row_name(call->row),
                            spec->name);
    }
}

static bool same_numbers(const kt_value *a, const kt_value *b)
{
    if (a->ss.n != b->ss.n)
        return false;
    for (int64_t i = 0; i < a->ss.n; i++)
        if (a->ss.s[i].kind != b->ss.s[i].kind || a->ss.s[i].v.i != b->ss.s[i].v.i || a->ss.s[i].im != b->ss.s[i].im)
            return false;
    return true;
}

/* As in PyTorch, a function is not given what is its default by the schema. */
static bool is_default(const kt_call *call, int i)
{
    const kt_arg_spec *spec = kt_row_arg(call->row, i);
    const kt_value    *v = &call->arg[i], *own = &spec->value;
    if (!spec->has_default)
        return false;
    if (!(call->given >> i & 1))
        return true;
    if (spec->absent)
        return false;
    switch ((kt_arg_kind)spec->kind) {
    case KT_ARG_INT: return v->i == own->i;
    case KT_ARG_FLOAT: return v->f == own->f;
    case KT_ARG_BOOL: return v->b == own->b;
    case KT_ARG_SCALAR: return v->s.kind == own->s.kind && v->s.v.i == own->s.v.i && v->s.im == own->s.im;
    case KT_ARG_SCALARS: return same_numbers(v, own);
    case KT_ARG_INTS:
        return v->ints.n == own->ints.n &&
               (v->ints.n == 0 || memcmp(v->ints.d, own->ints.d, sizeof(int64_t) * (size_t)v->ints.n) == 0);
    case KT_ARG_DTYPE: return v->dtype == own->dtype;
    case KT_ARG_STRING: return v->str && own->str && strcmp(v->str, own->str) == 0;
    default: return false;
    }
}

/* The positional ones up to the last that is no default, or all. */
PyObject *kp_positional(const kt_call *call, bool whole)
{
    int n = 0;
    for (int i = 0; i < kt_row_n_args(call->row) && !kt_row_arg(call->row, i)->keyword_only; i++)
        if (whole || !is_default(call, i))
            n = i + 1;
    PyObject *all = PyTuple_New(n);
    for (int i = 0; all && i < n; i++) {
        PyObject *one = argument_object(call, i);
        if (one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}

PyObject *kp_by_name(const kt_call *call, bool whole)
{
    PyObject *all = PyDict_New();
    for (int i = 0; all && i < kt_row_n_args(call->row); i++) {
        const kt_arg_spec *spec = kt_row_arg(call->row, i);
        if (!spec->keyword_only || (!whole && is_default(call, i)))
            continue;
        PyObject *one = argument_object(call, i);
        if (!one || PyDict_SetItemString(all, spec->name, one))
            Py_CLEAR(all);
        Py_XDECREF(one);
    }
    return all;
}

/* ---- results ---- */

static int take_tensor(PyObject *o, kt_tensor **t)
{
    if (kp_is_tensor(o)) {
        *t = kt_keep(kp_tensor_of(o));
        return 0;
    }
    PyErr_Format(PyExc_RuntimeError, "Unable to cast %S to Tensor", o);
    return -1;
}

static int take_number(const kt_call *call, int kind, PyObject *o, kt_tensor **t)
{
    kt_scalar      s;
    const int      taken = kp_to_scalar(o, &s);
    const kt_dtype dtype = kind == KT_ARG_FLOAT ? KT_F64
                           : kind == KT_ARG_INT ? KT_I64
                           : kind == KT_ARG_BOOL || s.kind == KT_SCALAR_BOOL ? KT_BOOL
                           : s.kind == KT_SCALAR_INT ? KT_I64
                                                     : KT_F64;
    const bool     fits = taken > 0 && s.kind != KT_SCALAR_COMPLEX && !(kind == KT_ARG_INT && s.kind == KT_SCALAR_FLOAT) &&
                      !(kind == KT_ARG_BOOL && s.kind != KT_SCALAR_BOOL);
    if (taken < 0)
        return -1;
    if (!fits) {
        PyErr_Format(PyExc_RuntimeError, "%s: its kernel returned %R where the schema has a number of another type",
                     kt_row_name(call->row), o);
        return -1;
    }
    if (kt_make(dtype, KT_SCALAR, "number", t)) {
        kp_raise();
        return -1;
    }
    const bool real = s.kind == KT_SCALAR_FLOAT;
    void      *at = kt_data(*t);
    if (dtype == KT_F64)
        *(double *)at = real ? s.v.re : (double)s.v.i;
    else if (dtype == KT_I64)
        *(int64_t *)at = s.v.i;
    else
        *(uint8_t *)at = s.v.i != 0;
    return 0;
}

static int take_string(PyObject *o, kt_tensor **t)
{
    Py_ssize_t  n = 0;
    const char *text = PyUnicode_Check(o) ? PyUnicode_AsUTF8AndSize(o, &n) : NULL;
    if (!text) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_RuntimeError, "Unable to cast %S to str", o);
        return -1;
    }
    if (kt_make(KT_U8, KT_SHAPE(n), "string", t)) {
        kp_raise();
        return -1;
    }
    memcpy(kt_data(*t), text, (size_t)n);
    return 0;
}

static int take_list(kt_call *call, PyObject *answer)
{
    PyObject *all = PyList_Check(answer) || PyTuple_Check(answer) ? PySequence_Tuple(answer) : NULL;
    if (!all) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_RuntimeError, "Unable to cast %S to List[Tensor]", answer);
        return -1;
    }
    int status = kt_call_make_list(call, PyTuple_GET_SIZE(all)) ? -1 : 0;
    if (status)
        kp_raise();
    for (Py_ssize_t i = 0; !status && i < PyTuple_GET_SIZE(all); i++)
        status = take_tensor(PyTuple_GET_ITEM(all, i), &call->list[i]);
    Py_DECREF(all);
    return status;
}

static int take_one(kt_call *call, int i, PyObject *o)
{
    const int kind = kt_row_result_kind(call->row, i);
    if (o == Py_None && kt_row_result_optional(call->row, i))
        return 0;
    return kind == KT_ARG_TENSOR ? take_tensor(o, &call->out[i])
           : kind == KT_ARG_STRING  ? take_string(o, &call->out[i])
                                 : take_number(call, kind, o, &call->out[i]);
}

static int take_results(kt_call *call, PyObject *answer)
{
    const int n = kt_row_n_results(call->row);
    if (n == 0) {
        if (answer == Py_None)
            return 0;
        PyErr_Format(PyExc_RuntimeError, "Expected PythonKernelHolder for %s to return None but it returned something else "
                                         "instead.",
                     kt_row_name(call->row));
        return -1;
    }
    if (kt_row_result_kind(call->row, 0) == KT_ARG_TENSORS)
        return take_list(call, answer);
    if (n == 1)
        return take_one(call, 0, answer);
    if (!PyTuple_Check(answer) && !PyList_Check(answer)) {
        PyErr_Format(PyExc_TypeError, "Object of type '%s' is not an instance of 'sequence'", Py_TYPE(answer)->tp_name);
        return -1;
    }
    if (PySequence_Fast_GET_SIZE(answer) != n) {
        PyErr_Format(PyExc_RuntimeError, "%s: its kernel returned %zd results where the schema has %d", kt_row_name(call->row),
                     PySequence_Fast_GET_SIZE(answer), n);
        return -1;
    }
    for (int i = 0; i < n; i++)
        if (take_one(call, i, PySequence_Fast_GET_ITEM(answer, i)))
            return -1;
    return 0;
}

/* ---- results that may share no memory ---- */

static bool is_among_arguments(const kt_call *call, const kt_tensor *t)
{
    for (int i = 0; i < kt_row_n_args(call->row); i++) {
        const int kind = kt_row_arg(call->row, i)->kind;
        if (!(call->given >> i & 1) || call->scalars >> i & 1)
            continue;
        if ((kind == KT_ARG_TENSOR || kind == KT_ARG_TENSOR_OR_SCALAR) && call->arg[i].t && kt_shares_storage(t, call->arg[i].t))
            return true;
        for (int64_t k = 0; kind == KT_ARG_TENSORS && k < call->arg[i].ts.n; k++)
            if (call->arg[i].ts.t[k] && kt_shares_storage(t, call->arg[i].ts.t[k]))
                return true;
    }
    return false;
}

static int check_fresh(const kt_call *call, PyObject *beginning)
{
    const int     n = kt_row_n_results(call->row);
    const bool    list = kt_row_result_kind(call->row, 0) == KT_ARG_TENSORS;
    const int64_t many = list ? call->n_list : n;
    for (int64_t i = 0; i < many; i++) {
        const kt_tensor *t = list ? call->list[i] : call->out[i];
        bool             shares = t && is_among_arguments(call, t);
        for (int64_t k = 0; t && k < i && !shares; k++) {
            const kt_tensor *other = list ? call->list[k] : call->out[k];
            shares = other && kt_shares_storage(t, other);
        }
        if (!shares)
            continue;
        PyErr_Format(PyExc_RuntimeError,
                     "%U: The output of this custom operator (1) must not also be an input to this custom operator and (2) may "
                     "not alias any inputs to this custom operator or other returns. The most common way to trigger this error "
                     "is if we have y = custom_op(x) and y and x are the same Tensor. Please instead return a clone of the "
                     "offending output tensor(s) (e.g. return x.clone()) or refactor the custom operator to not return y.",
                     beginning);
        return -1;
    }
    return 0;
}

/* ---- a run ---- */

static kt_status run(kt_call *call, void *context)
{
    const kp_kernel *k = context;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject        *args = kp_positional(call, k->whole), *names = args ? kp_by_name(call, k->whole) : NULL;
    PyObject        *answer = names ? PyObject_Call(k->function, args, names) : NULL;
    kt_status        status = KT_OK;
    if (!answer || take_results(call, answer) || (k->fresh && check_fresh(call, k->fresh)))
        status = kp_fail_with_exception();
    Py_XDECREF(answer);
    Py_XDECREF(names);
    Py_XDECREF(args);
    PyGILState_Release(gil);
    return status;
}

/* ---- for torch.library ---- */

static int check_arguments(const kt_row *row)
{
    for (int i = 0; i < kt_row_n_args(row); i++) {
        const int kind = kt_row_arg(row, i)->kind;
        if (kind == KT_ARG_GENERATOR || kind == KT_ARG_FORMAT) {
            PyErr_Format(PyExc_NotImplementedError, "karat passes no Generator and no MemoryFormat to a Python kernel: argument "
                                                    "'%s' of %s",
                         kt_row_arg(row, i)->name, kt_row_name(row));
            return -1;
        }
    }
    return 0;
}

/* define_operator(name, schema, rule, accepts): the row is composite, so that a function's operators are recorded unless another
 * function stands above it. */
static PyObject *define_operator(PyObject *module, PyObject *args)
{
    kt_operator   op = {.size = sizeof op, .composite = true};
    const kt_row *row = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "sszz", &op.name, &op.schema, &op.dtypes, &op.accepts))
        return NULL;
    if (kt_row_append(&op, &row))
        return kp_raise();
    if (check_arguments(row)) {
        kt_row_withdraw(row);
        return NULL;
    }
    Py_RETURN_NONE;
}

static const kt_row *named(const char *name)
{
    const kt_row *row = kt_row_find(name);
    if (!row)
        PyErr_Format(PyExc_RuntimeError, "operator %s does not exist", name);
    return row;
}

static PyObject *load_operators(PyObject *module, PyObject *space)
{
    (void)module;
    const char *name = PyUnicode_AsUTF8(space);
    if (!name)
        return NULL;
    if (kt_operators_load(name))
        return kp_raise();
    Py_RETURN_NONE;
}

static PyObject *operators_known(PyObject *module, PyObject *space)
{
    (void)module;
    const char *name = PyUnicode_AsUTF8(space);
    return name ? PyBool_FromLong(kt_operators_known(name)) : NULL;
}

static PyObject *withdraw_operator(PyObject *module, PyObject *args)
{
    const char *name;
    (void)module;
    if (!PyArg_ParseTuple(args, "s", &name))
        return NULL;
    const kt_row *row = kt_row_find(name);
    if (row && kt_row_withdraw(row))
        return kp_raise();
    Py_RETURN_NONE;
}

/* set_kernel(name, device, function, takes, above, whole, fresh); device None: any. */
static PyObject *set_kernel(PyObject *module, PyObject *args)
{
    const char *name;
    PyObject   *function, *fresh;
    int         above, whole;
    kt_kernel   kernel = {.size = sizeof kernel, .run = run, .release = release, .program = true};
    (void)module;
    if (!PyArg_ParseTuple(args, "szOzppO", &name, &kernel.device, &function, &kernel.takes, &above, &whole, &fresh))
        return NULL;
    const kt_row *row = named(name);
    kp_kernel    *k = row ? PyMem_Malloc(sizeof *k) : NULL;
    if (!k)
        return row ? PyErr_NoMemory() : NULL;
    *k = (kp_kernel){Py_NewRef(function), fresh == Py_None ? NULL : Py_NewRef(fresh), whole};
    kernel.context = k;
    kernel.above = above;
    if (kt_row_kernel(row, &kernel) == KT_OK)
        Py_RETURN_NONE;
    release(k);
    return kp_raise();
}

static PyObject *remove_kernel(PyObject *module, PyObject *args)
{
    const char *name, *device;
    int         above;
    (void)module;
    if (!PyArg_ParseTuple(args, "szp", &name, &device, &above))
        return NULL;
    const kt_row *row = kt_row_find(name);
    if (row && kt_row_remove_kernel(row, device, above))
        return kp_raise();
    Py_RETURN_NONE;
}

static PyObject *has_operator(PyObject *module, PyObject *args)
{
    const char *name;
    (void)module;
    return PyArg_ParseTuple(args, "s", &name) ? PyBool_FromLong(kt_row_find(name) != NULL) : NULL;
}

static PyObject *has_kernel(PyObject *module, PyObject *args)
{
    const char *name, *device;
    int         above;
    (void)module;
    if (!PyArg_ParseTuple(args, "szp", &name, &device, &above))
        return NULL;
    return PyBool_FromLong(kt_row_has_kernel(kt_row_find(name), device, above));
}

/* ---- scopes below ---- */

static PyObject *open_below(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromUnsignedLongLong(kt_below_open().saved);
}

static PyObject *close_below(PyObject *module, PyObject *mode)
{
    kt_mode_guard guard = {PyLong_AsUnsignedLongLong(mode)};
    (void)module;
    if (PyErr_Occurred())
        return NULL;
    kt_mode_close(&guard);
    Py_RETURN_NONE;
}

static PyObject *is_below(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(kt_is_below());
}

PyMethodDef kp_kernel_functions[] = {
    {"define_operator", define_operator, METH_VARARGS, "define_operator(name, schema, rule, accepts)"},
    {"load_operators", load_operators, METH_O, "appends the operators of another project that Karat brings"},
    {"operators_known", operators_known, METH_O, "does Karat bring the operators of that project?"},
    {"withdraw_operator", withdraw_operator, METH_VARARGS, "ends an operator; its name may be defined anew"},
    {"has_operator", has_operator, METH_VARARGS, "is there a row of that name?"},
    {"set_kernel", set_kernel, METH_VARARGS, "set_kernel(name, device, function, takes, above, whole, fresh)"},
    {"remove_kernel", remove_kernel, METH_VARARGS, "remove_kernel(name, device, above)"},
    {"has_kernel", has_kernel, METH_VARARGS, "has_kernel(name, device, above): is there one of its own?"},
    {"open_below", open_below, METH_NOARGS, "from here on functions that stand above others are skipped; for close_below"},
    {"close_below", close_below, METH_O, "the end of open_below"},
    {"is_below", is_below, METH_NOARGS, "are functions that stand above others skipped?"},
    {NULL, NULL, 0, NULL},
};
