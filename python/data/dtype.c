/* dtype.c - dtype objects: one per dtype, printed as in PyTorch; promote_types, can_cast, result_type.
 *
 * In: the engine's dtype table. Out: karat.float32 and the others. Independent of: tensors. */
#include "core/binding.h"

typedef struct kp_dtype {
    PyObject_HEAD
    kt_dtype d;
} kp_dtype;

static PyObject *objects[KT_NUM_DTYPES];

static kt_dtype of(PyObject *self) { return ((kp_dtype *)self)->d; }

static PyObject *dtype_repr(PyObject *self) { return PyUnicode_FromFormat("torch.%s", kt_dtype_name(of(self))); }

/* For pickle and copy: by name in the package. */
static PyObject *dtype_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyUnicode_FromString(kt_dtype_name(of(self)));
}

static PyObject *get_itemsize(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(kt_dtype_size(of(self)));
}

static PyObject *get_category(PyObject *self, void *category)
{
    return PyBool_FromLong((kt_dtype_category(of(self)) & (uintptr_t)category) != 0);
}

static PyObject *get_is_signed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(kt_dtype_is_signed(of(self)));
}

static PyObject *to_real(PyObject *self, PyObject *unused)
{
    (void)unused;
    return kp_dtype_object(kt_dtype_real(of(self)));
}

static PyObject *to_complex(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (!(kt_dtype_category(of(self)) & (KT_CAT_FLOAT | KT_CAT_COMPLEX)))
        return PyErr_Format(PyExc_RuntimeError, "Unknown Complex ScalarType for %s", kt_dtype_torch_name(of(self)));
    kt_dtype d = kt_dtype_complex(of(self));
    return d ? kp_dtype_object(d) : kt_failed() ? kp_raise() : Py_NewRef(Py_None);
}

/* What pickle writes before the name: without it, it would look through all modules for one that has it. */
PyObject *kp_home_of(PyObject *self, void *unused)
{
    (void)unused;
    const char *name = Py_TYPE(self)->tp_name;
    return PyUnicode_FromStringAndSize(name, strchr(name, '.') - name);
}

static PyGetSetDef dtype_getset[] = {
    {"__module__", kp_home_of, NULL, NULL, NULL},
    {"itemsize", get_itemsize, NULL, "bytes of one element", NULL},
    {"is_floating_point", get_category, NULL, "is it a real float?", (void *)(uintptr_t)KT_CAT_FLOAT},
    {"is_complex", get_category, NULL, "is it complex?", (void *)(uintptr_t)KT_CAT_COMPLEX},
    {"is_signed", get_is_signed, NULL, "can it hold negative numbers?", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef dtype_methods[] = {
    {"to_real", to_real, METH_NOARGS, "the dtype of its real part"},
    {"to_complex", to_complex, METH_NOARGS, "the complex dtype of such parts"},
    {"__reduce__", dtype_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

PyTypeObject kp_dtype_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.dtype",
    .tp_doc = PyDoc_STR("The type of a tensor's elements."),
    .tp_basicsize = sizeof(kp_dtype),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_repr = dtype_repr,
    .tp_getset = dtype_getset,
    .tp_methods = dtype_methods,
};

PyObject *kp_dtype_object(kt_dtype d)
{
    if (d <= KT_NONE || d >= KT_NUM_DTYPES)
        Py_RETURN_NONE;
    if (!objects[d]) {
        kp_dtype *o = PyObject_New(kp_dtype, &kp_dtype_type);
        if (!o)
            return NULL;
        o->d = d;
        objects[d] = (PyObject *)o;
    }
    return Py_NewRef(objects[d]);
}

/* float, int, bool and complex are accepted, as in PyTorch. */
int kp_to_dtype(PyObject *o, kt_dtype *d)
{
    if (Py_IS_TYPE(o, &kp_dtype_type))
        *d = of(o);
    else if (o == (PyObject *)&PyFloat_Type)
        *d = KT_F64;
    else if (o == (PyObject *)&PyLong_Type)
        *d = KT_I64;
    else if (o == (PyObject *)&PyBool_Type)
        *d = KT_BOOL;
    else if (o == (PyObject *)&PyComplex_Type)
        *d = KT_C128;
    else
        return 0;
    return 1;
}

/* ---- functions ---- */

#define OF_TYPE(called) {.name = called, .kind = KT_ARG_DTYPE}

static PyObject *promote_types(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    (void)module;
    static kp_signature signature = {.name = "promote_types", .spec = {OF_TYPE("type1"), OF_TYPE("type2")}};
    kp_args             a;
    if (kp_parse(&a, &signature, false, argv, n, keywords))
        return NULL;
    kp_args_free(&a);
    kt_dtype result = kt_promote_types(a.call.arg[0].dtype, a.call.arg[1].dtype);
    return result ? kp_dtype_object(result) : kp_raise();
}

static PyObject *can_cast(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    (void)module;
    static kp_signature signature = {.name = "can_cast", .spec = {OF_TYPE("from_"), OF_TYPE("to")}};
    kp_args             a;
    if (kp_parse(&a, &signature, false, argv, n, keywords))
        return NULL;
    kp_args_free(&a);
    return PyBool_FromLong(kt_can_cast(a.call.arg[0].dtype, a.call.arg[1].dtype));
}

/* PyTorch's four overloads, told apart by argument names. A tensor is tried as one before it is read as a number. */
static PyObject *result_type(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
#define TENSOR(called) {.name = called, .kind = KT_ARG_TENSOR}
#define NUMBER(called) {.name = called, .kind = KT_ARG_SCALAR}
    static kp_signature overloads[] = {{.name = "result_type", .spec = {TENSOR("tensor"), TENSOR("other")}},
                                       {.name = "result_type", .spec = {TENSOR("tensor"), NUMBER("other")}},
                                       {.name = "result_type", .spec = {NUMBER("scalar"), TENSOR("tensor")}},
                                       {.name = "result_type", .spec = {NUMBER("scalar1"), NUMBER("scalar2")}}};
#undef TENSOR
#undef NUMBER
    PyObject *answer, *self;
    if (KP_UNLIKELY(kp_any_may_override(argv, n + (keywords ? PyTuple_GET_SIZE(keywords) : 0)))) {
        if (!(self = PyObject_GetAttrString(module, "result_type")))
            return NULL;
        const int asked = kp_override_call("result_type", false, self, argv, n, keywords, &answer);
        Py_DECREF(self);
        if (asked)
            return answer;
    }
    kp_args  a;
    kt_dtype result;
    int      at = kp_parse_any(&a, overloads, 4, argv, n, keywords);
    if (at < 0)
        return NULL;
    kp_args_free(&a);
    const uint32_t scalars = at == 0 ? 0 : at == 1 ? 2 : at == 2 ? 1 : 3;
    return kt_result_type(a.call.arg, 2, scalars, &result) ? kp_raise() : kp_dtype_object(result);
}

static PyObject *get_default_dtype(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return kp_dtype_object(kt_get_default_dtype());
}

static PyObject *set_default_dtype(PyObject *module, PyObject *o)
{
    (void)module;
    kt_dtype d;
    if (!kp_to_dtype(o, &d)) {
        PyErr_SetString(PyExc_TypeError,
                        "invalid dtype object: only floating-point types are supported as the default type");
        return NULL;
    }
    return kt_set_default_dtype(d) ? kp_raise() : Py_NewRef(Py_None);
}

/* ---- limits, as dicts for karat/limits.py ---- */

static PyObject *float_limits(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    (void)module;
    static kp_signature signature = {
        .name = "finfo", .spec = {{.name = "type", .kind = KT_ARG_DTYPE, .optional = 1, .has_default = 1}}};
    kp_args  a;
    kt_finfo f;
    if (kp_parse(&a, &signature, false, argv, n, keywords))
        return NULL;
    kp_args_free(&a);
    if (kt_dtype_finfo(a.call.given & 1 ? a.call.arg[0].dtype : kt_get_default_dtype(), &f))
        return kp_raise();
    return Py_BuildValue("{s:d, s:d, s:d, s:d, s:d, s:d, s:s, s:i}", "resolution", f.resolution, "min", f.min, "max",
                         f.max, "eps", f.eps, "smallest_normal", f.smallest_normal, "tiny", f.tiny, "dtype", f.dtype,
                         "bits", f.bits);
}

static PyObject *int_limits(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    (void)module;
    static kp_signature signature = {.name = "iinfo", .spec = {OF_TYPE("type")}};
    kp_args             a;
    kt_iinfo            i;
    if (kp_parse(&a, &signature, false, argv, n, keywords))
        return NULL;
    kp_args_free(&a);
    if (kt_dtype_iinfo(a.call.arg[0].dtype, &i))
        return kp_raise();
    return Py_BuildValue("{s:L, s:K, s:s, s:i}", "min", (long long)i.min, "max", (unsigned long long)i.max, "dtype",
                         i.dtype, "bits", i.bits);
}

static PyObject *torch_name(PyObject *module, PyObject *o)
{
    (void)module;
    kt_dtype d;
    if (!kp_to_dtype(o, &d)) {
        PyErr_Format(PyExc_TypeError, "torch_name() takes a dtype, not %s", Py_TYPE(o)->tp_name);
        return NULL;
    }
    return PyUnicode_FromString(kt_dtype_torch_name(d));
}

PyMethodDef kp_dtype_functions[] = {
    {"torch_name", torch_name, METH_O, "PyTorch's ScalarType: Float for float32"},
    {"float_limits", KP_FUNCTION(float_limits), METH_FASTCALL | METH_KEYWORDS, "the limits of a floating dtype, by name"},
    {"int_limits", KP_FUNCTION(int_limits), METH_FASTCALL | METH_KEYWORDS, "the limits of an integer dtype, by name"},
    {"promote_types", KP_FUNCTION(promote_types), METH_FASTCALL | METH_KEYWORDS,
     "promote_types(type1, type2): the dtype that holds both"},
    {"can_cast", KP_FUNCTION(can_cast), METH_FASTCALL | METH_KEYWORDS, "can_cast(from_, to): does the kind allow it?"},
    {"result_type", KP_FUNCTION(result_type), METH_FASTCALL | METH_KEYWORDS,
     "result_type(tensor, other): the dtype that an operator on both would give"},
    {"get_default_dtype", get_default_dtype, METH_NOARGS, "the dtype of Python's floats"},
    {"set_default_dtype", set_default_dtype, METH_O, "set the dtype of Python's floats"},
    {NULL, NULL, 0, NULL},
};
