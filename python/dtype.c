/* dtype.c - dtype objects: one per dtype, printed as PyTorch prints them, and what can be asked of pairs of them.
 *
 * In: names and facts of the engine's table. Out: karat.float32 and its kin. Must not know: tensors. */
#include "binding.h"

typedef struct kp_dtype {
    PyObject_HEAD
    kt_dtype d;
} kp_dtype;

static PyObject *objects[KT_NUM_DTYPES];

static kt_dtype of(PyObject *self) { return ((kp_dtype *)self)->d; }

static PyObject *dtype_repr(PyObject *self) { return PyUnicode_FromFormat("torch.%s", kt_dtype_name(of(self))); }

/* For pickle and copy: the name, looked up in the package again. */
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
    kt_dtype d = kt_dtype_complex(of(self));
    return d ? kp_dtype_object(d) : kt_failed() ? kp_raise() : Py_NewRef(Py_None);
}

static PyGetSetDef dtype_getset[] = {
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

/* Python's own types stand for the dtypes PyTorch takes them for. */
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

static int two_dtypes(const char *name, const char *const *names, PyObject *const *argv, Py_ssize_t n, kt_dtype *d)
{
    if (n != 2) {
        PyErr_Format(PyExc_TypeError, "%s() takes 2 positional arguments but %zd were given", name, n);
        return -1;
    }
    for (int i = 0; i < 2; i++)
        if (!kp_to_dtype(argv[i], &d[i])) {
            PyErr_Format(PyExc_TypeError, "%s(): argument '%s' (position %d) must be torch.dtype, not %s", name,
                         names[i], i + 1, Py_TYPE(argv[i])->tp_name);
            return -1;
        }
    return 0;
}

static PyObject *promote_types(PyObject *module, PyObject *const *argv, Py_ssize_t n)
{
    (void)module;
    kt_dtype d[2];
    if (two_dtypes("promote_types", (const char *const[]){"type1", "type2"}, argv, n, d))
        return NULL;
    kt_dtype result = kt_promote_types(d[0], d[1]);
    return result ? kp_dtype_object(result) : kp_raise();
}

static PyObject *can_cast(PyObject *module, PyObject *const *argv, Py_ssize_t n)
{
    (void)module;
    kt_dtype d[2];
    if (two_dtypes("can_cast", (const char *const[]){"from_", "to"}, argv, n, d))
        return NULL;
    return PyBool_FromLong(kt_can_cast(d[0], d[1]));
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
        PyErr_SetString(PyExc_TypeError, "invalid dtype object");
        return NULL;
    }
    return kt_set_default_dtype(d) ? kp_raise() : Py_NewRef(Py_None);
}

/* ---- limits, as a dict that karat/limits.py gives its shape ---- */

static PyObject *float_limits(PyObject *module, PyObject *o)
{
    (void)module;
    kt_dtype d;
    kt_finfo f;
    if (!kp_to_dtype(o, &d)) {
        PyErr_Format(PyExc_TypeError, "finfo(): argument 'type' (position 1) must be torch.dtype, not %s",
                     Py_TYPE(o)->tp_name);
        return NULL;
    }
    if (kt_dtype_finfo(d, &f))
        return kp_raise();
    return Py_BuildValue("{s:d, s:d, s:d, s:d, s:d, s:d, s:s, s:i}", "resolution", f.resolution, "min", f.min, "max",
                         f.max, "eps", f.eps, "smallest_normal", f.smallest_normal, "tiny", f.tiny, "dtype", f.dtype,
                         "bits", f.bits);
}

static PyObject *int_limits(PyObject *module, PyObject *o)
{
    (void)module;
    kt_dtype d;
    kt_iinfo i;
    if (!kp_to_dtype(o, &d)) {
        PyErr_Format(PyExc_TypeError, "iinfo(): argument 'type' (position 1) must be torch.dtype, not %s",
                     Py_TYPE(o)->tp_name);
        return NULL;
    }
    if (kt_dtype_iinfo(d, &i))
        return kp_raise();
    return Py_BuildValue("{s:L, s:K, s:s, s:i}", "min", (long long)i.min, "max", (unsigned long long)i.max, "dtype",
                         i.dtype, "bits", i.bits);
}

PyMethodDef kp_dtype_functions[] = {
    {"float_limits", float_limits, METH_O, "the limits of a floating dtype, by name"},
    {"int_limits", int_limits, METH_O, "the limits of an integer dtype, by name"},
    {"promote_types", KP_FUNCTION(promote_types), METH_FASTCALL,
     "promote_types(type1, type2): the dtype that holds both"},
    {"can_cast", KP_FUNCTION(can_cast), METH_FASTCALL, "can_cast(from_, to): does the kind allow it?"},
    {"get_default_dtype", get_default_dtype, METH_NOARGS, "the dtype of Python's floats"},
    {"set_default_dtype", set_default_dtype, METH_O, "set the dtype of Python's floats"},
    {NULL, NULL, 0, NULL},
};
