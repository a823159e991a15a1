/* make.c - karat.tensor: numbers and nested sequences of numbers into a tensor, with PyTorch's inference of dtype.
 *
 * In: a number, or lists and tuples of equal lengths. Out: a new tensor, born at the caller's line. The dtype, where
 * none is asked for: all bool gives bool, all int int64, any float the default float, any complex the complex of
 * that. Must not know: operators. */
#include "binding.h"

typedef struct plan {
    kt_dtype dtype;
    int64_t  sizes[KT_MAX_DIMS];
    int      rank;
    size_t   itemsize;
    char    *at; /* where the next element goes */
} plan;

static bool is_sequence(PyObject *o)
{
    return PyList_Check(o) || PyTuple_Check(o) || (PySequence_Check(o) && !kp_is_tensor(o) && !PyUnicode_Check(o));
}

/* ---- sizes: those of the first element of each sequence ---- */

static int find_sizes(PyObject *data, plan *p)
{
    PyObject *now = Py_NewRef(data);
    p->rank = 0;
    while (is_sequence(now)) {
        Py_ssize_t n = PySequence_Size(now);
        if (n < 0)
            goto failed;
        if (p->rank == KT_MAX_DIMS) {
            PyErr_Format(PyExc_ValueError, "too many dimensions '%s'", Py_TYPE(now)->tp_name);
            goto failed;
        }
        p->sizes[p->rank++] = n;
        if (n == 0)
            break;
        Py_SETREF(now, PySequence_GetItem(now, 0));
        if (!now)
            return -1;
        if (PyUnicode_Check(now)) {
            PyErr_Format(PyExc_ValueError, "too many dimensions '%s'", Py_TYPE(now)->tp_name);
            goto failed;
        }
    }
    Py_DECREF(now);
    return 0;
failed:
    Py_DECREF(now);
    return -1;
}

/* ---- dtype ---- */

static int dtype_of_element(PyObject *o, kt_dtype *d)
{
    if (PyFloat_Check(o)) {
        *d = kt_get_default_dtype();
    } else if (PyBool_Check(o)) {
        *d = KT_BOOL;
    } else if (PyLong_Check(o)) {
        *d = KT_I64;
    } else if (PyComplex_Check(o)) {
        *d = kt_dtype_complex(kt_get_default_dtype());
    } else if (kp_is_tensor(o)) {
        *d = kt_dtype_of(kp_tensor_of(o));
    } else if (PyUnicode_Check(o)) {
        PyErr_Format(PyExc_TypeError, "new(): invalid data type '%s'", Py_TYPE(o)->tp_name);
        return -1;
    } else {
        PyErr_Format(PyExc_RuntimeError, "Could not infer dtype of %s", Py_TYPE(o)->tp_name);
        return -1;
    }
    return 0;
}

/* Promotes `*d` (KT_NONE: nothing seen) by all that data holds. A list in itself has no end: no tensor is so deep. */
static int find_dtype(PyObject *data, kt_dtype *d, int depth)
{
    if (!is_sequence(data)) {
        kt_dtype one;
        if (dtype_of_element(data, &one))
            return -1;
        *d = *d == KT_NONE || *d == one ? one : kt_promote_types(*d, one);
        if (*d == KT_NONE)
            kp_raise();
        return *d == KT_NONE ? -1 : 0;
    }
    if (depth > KT_MAX_DIMS) {
        PyErr_SetString(PyExc_TypeError, "new(): self-referential lists are incompatible");
        return -1;
    }
    PyObject *fast = PySequence_Fast(data, "not a sequence");
    if (!fast)
        return -1;
    int status = 0;
    for (Py_ssize_t i = 0; !status && i < PySequence_Fast_GET_SIZE(fast); i++)
        status = find_dtype(PySequence_Fast_GET_ITEM(fast, i), d, depth + 1);
    Py_DECREF(fast);
    return status;
}

/* ---- elements ---- */

static int number_of(PyObject *o, kt_dtype dtype, kt_scalar *s)
{
    if (kp_is_tensor(o)) {
        if (kt_numel(kp_tensor_of(o)) != 1) {
            PyErr_SetString(PyExc_ValueError, "only one element tensors can be converted to Python scalars");
            return -1;
        }
        *s = kt_item_scalar(kp_tensor_of(o));
        if (!s->kind)
            kp_raise();
        return s->kind ? 0 : -1;
    }
    const kt_category category = kt_dtype_category(dtype);
    if (PyLong_Check(o) && !PyBool_Check(o) && (category == KT_CAT_FLOAT || category == KT_CAT_COMPLEX)) {
        double d = PyLong_AsDouble(o); /* any int that a double reaches */
        *s = KT_FLOAT(d);
        return d == -1.0 && PyErr_Occurred() ? -1 : 0;
    }
    int found = kp_to_scalar(o, s);
    if (found < 0 || (found > 0 && s->is_unsigned && dtype != KT_U64 && dtype != KT_BOOL)) {
        if (dtype == KT_BOOL) { /* only its truth matters */
            PyErr_Clear();
            *s = KT_FLAG(true);
            return 0;
        }
        PyErr_Clear();
        PyErr_SetString(PyExc_ValueError, "Overflow when unpacking long long");
        return -1;
    }
    if (found > 0 && s->kind == KT_SCALAR_COMPLEX && category != KT_CAT_COMPLEX && category != KT_CAT_BOOL) {
        PyErr_SetString(PyExc_TypeError, "must be real number, not complex");
        return -1;
    }
    if (found)
        return 0;
    if (category == KT_CAT_INT)
        PyErr_Format(PyExc_TypeError, "'%s' object cannot be interpreted as an integer", Py_TYPE(o)->tp_name);
    else
        PyErr_Format(PyExc_TypeError, "must be real number, not %s", Py_TYPE(o)->tp_name);
    return -1;
}

static int store(plan *p, PyObject *o)
{
    if (p->dtype == KT_F32 && PyFloat_CheckExact(o)) {
        float f = (float)PyFloat_AS_DOUBLE(o);
        memcpy(p->at, &f, sizeof f);
    } else {
        kt_scalar s;
        if (number_of(o, p->dtype, &s))
            return -1;
        if (kt_dtype_category(p->dtype) == KT_CAT_INT && !kt_scalar_fits(s, p->dtype)) {
            PyErr_Format(PyExc_RuntimeError, "value cannot be converted to type %s without overflow",
                         kt_dtype_name(p->dtype));
            return -1;
        }
        if (kt_dtype_category(p->dtype) == KT_CAT_INT && s.kind == KT_SCALAR_INT && s.v.i < 0 &&
            !kt_dtype_is_signed(p->dtype) && !s.is_unsigned) { /* a negative number wraps into an unsigned type */
            memcpy(p->at, &s.v.i, p->itemsize);
        } else {
            kt_scalar_store(p->at, p->dtype, s);
        }
    }
    p->at += p->itemsize;
    return 0;
}

static int store_all(plan *p, PyObject *data, int dim)
{
    if (dim == p->rank)
        return store(p, data);
    PyObject *fast = PySequence_Fast(data, "not a sequence");
    if (!fast)
        return -1;
    int        status = 0;
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    if (n != p->sizes[dim]) {
        PyErr_Format(PyExc_ValueError, "expected sequence of length %lld at dim %d (got %zd)", (long long)p->sizes[dim],
                     dim, n);
        status = -1;
    }
    for (Py_ssize_t i = 0; !status && i < n && i < PySequence_Fast_GET_SIZE(fast); i++)
        status = store_all(p, PySequence_Fast_GET_ITEM(fast, i), dim + 1);
    Py_DECREF(fast);
    return status;
}

static kt_tensor *from_data(PyObject *data, kt_dtype dtype)
{
    plan       p = {.dtype = dtype};
    kt_tensor *t = NULL;
    if (PyUnicode_Check(data)) {
        PyErr_Format(PyExc_TypeError, "new(): invalid data type '%s'", Py_TYPE(data)->tp_name);
        return NULL;
    }
    if (find_sizes(data, &p) || (dtype == KT_NONE && find_dtype(data, &p.dtype, 0)))
        return NULL;
    if (p.dtype == KT_NONE)
        p.dtype = kt_get_default_dtype();
    p.itemsize = kt_dtype_size(p.dtype);
    uint8_t   before = kp_enter();
    kt_status status = kt_make(p.dtype, (kt_shape){p.rank, p.sizes}, "tensor", &t);
    kp_leave(before);
    if (status || !(p.at = kt_data(t))) {
        kp_raise();
        kt_drop(t);
        return NULL;
    }
    if (kt_numel(t) && store_all(&p, data, 0)) {
        kt_drop(t);
        return NULL;
    }
    return t;
}

/* Of a tensor: a copy of its values, without its history. */
static kt_tensor *from_tensor(PyObject *data, kt_dtype dtype)
{
    const kt_row *to = kp_row("to"), *detach = kp_row("detach");
    kt_call       call;
    if (!to || !detach)
        return NULL;
    kt_call_begin(&call, to, KT_PLAIN);
    call.arg[0].t = kp_tensor_of(data);
    call.arg[1].dtype = dtype ? dtype : kt_dtype_of(call.arg[0].t);
    call.arg[3].b = true; /* copy */
    call.given = 1 | 2 | 8;
    if (kp_run(&call, kp_is_large(kp_tensor_of(data), NULL))) {
        kp_raise();
        return NULL;
    }
    kt_tensor *copy = call.out[0];
    kt_call_begin(&call, detach, KT_PLAIN);
    call.arg[0].t = copy;
    call.given = 1;
    kt_status status = kp_run(&call, false);
    kt_drop(copy);
    if (status)
        kp_raise();
    return status ? NULL : call.out[0];
}

static kt_tensor *onto(kt_tensor *t, kt_device device)
{
    kt_call       call;
    const kt_row *to = kp_row("to");
    if (!to) {
        kt_drop(t);
        return NULL;
    }
    kt_call_begin(&call, to, KT_PLAIN);
    call.arg[0].t = t;
    call.arg[2].device = device;
    call.given = 1 | 4;
    kt_status status = kp_run(&call, false);
    kt_drop(t);
    if (status)
        kp_raise();
    return status ? NULL : call.out[0];
}

static PyObject *make_tensor(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    (void)module;
    PyObject *data = n > 0 ? argv[0] : NULL;
    kt_dtype  dtype = KT_NONE;
    kt_device device = {KT_DEVICE_DEFAULT, 0};
    bool      wants_grad = false;
    if (n > 1) {
        PyErr_Format(PyExc_TypeError, "tensor() takes 1 positional argument but %zd were given", n);
        return NULL;
    }
    for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); k++) {
        PyObject   *name = PyTuple_GET_ITEM(keywords, k), *value = argv[n + k];
        const char *expected = NULL;
        if (!data && PyUnicode_CompareWithASCIIString(name, "data") == 0) {
            data = value;
        } else if (PyUnicode_CompareWithASCIIString(name, "dtype") == 0) {
            expected = value == Py_None || kp_to_dtype(value, &dtype) ? NULL : "torch.dtype";
        } else if (PyUnicode_CompareWithASCIIString(name, "device") == 0) {
            int found = value == Py_None ? 1 : kp_to_device(value, &device);
            if (found < 0)
                return NULL;
            expected = found ? NULL : "torch.device";
        } else if (PyUnicode_CompareWithASCIIString(name, "requires_grad") == 0) {
            expected = PyBool_Check(value) ? NULL : "bool";
            wants_grad = value == Py_True;
        } else {
            PyErr_Format(PyExc_TypeError, "tensor() got an unexpected keyword argument '%U'", name);
            return NULL;
        }
        if (expected) {
            PyErr_Format(PyExc_TypeError, "tensor(): argument '%U' must be %s, not %s", name, expected,
                         Py_TYPE(value)->tp_name);
            return NULL;
        }
    }
    if (!data) {
        PyErr_SetString(PyExc_TypeError, "tensor() missing 1 required positional arguments: \"data\"");
        return NULL;
    }
    kt_tensor *t = kp_is_tensor(data) ? from_tensor(data, dtype) : from_data(data, dtype);
    if (t && device.kind != KT_DEVICE_DEFAULT && device.kind != KT_CPU)
        t = onto(t, device);
    if (t && wants_grad && kp_want_grad(t)) {
        kt_drop(t);
        return NULL;
    }
    return kp_wrap(t);
}

PyMethodDef kp_make_functions[] = {
    {"tensor", KP_FUNCTION(make_tensor), METH_FASTCALL | METH_KEYWORDS,
     "tensor(data, *, dtype=None, device=None, requires_grad=False): numbers or nested sequences of them as a new "
     "tensor"},
    {NULL, NULL, 0, NULL},
};
