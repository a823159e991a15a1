/* data.c - builds a tensor from numbers and nested sequences, with PyTorch's dtype inference.
 *
 * In: a number, or lists, tuples and arrays of equal lengths. Out: a new tensor whose lineage begins at the caller's
 * line. Without dtype=: all bool gives bool, all int int64, any float the default dtype, any complex its complex dtype;
 * NumPy numbers and tensors keep theirs. Independent of: operators. */
#include "core/binding.h"

typedef struct plan {
    kt_dtype dtype;
    int64_t  sizes[KT_MAX_DIMS];
    int      rank;
    size_t   itemsize;
    char    *at; /* where the next element goes */
} plan;

static bool is_sequence(PyObject *o) /* bytes are a sequence of ints */
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
        PyObject *first = PySequence_GetItem(now, 0);
        if (!first) {
            PyErr_Clear();
            PyErr_Format(PyExc_ValueError, "could not determine the shape of object type '%s'", Py_TYPE(now)->tp_name);
            goto failed;
        }
        Py_SETREF(now, first);
        if (PyUnicode_Check(now)) {
            PyErr_SetString(PyExc_ValueError, "too many dimensions 'str'");
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
    if (PyFloat_CheckExact(o)) {
        *d = kt_get_default_dtype();
    } else if (PyBool_Check(o)) {
        *d = KT_BOOL;
    } else if (PyLong_Check(o)) {
        *d = KT_I64;
    } else if (kp_is_tensor(o)) {
        *d = kt_dtype_of(kp_tensor_of(o));
    } else if (kp_is_numpy_number(o) || kp_is_array(o)) { /* before floats: numpy.float64 is a float */
        return kp_numpy_dtype(o, d);
    } else if (PyFloat_Check(o)) {
        *d = kt_get_default_dtype();
    } else if (PyComplex_Check(o)) {
        const kt_dtype real = kt_get_default_dtype();
        *d = kt_dtype_complex(real);
        if (kt_dtype_real(*d) != real) { /* PyTorch infers a dtype here and then fails to store it */
            PyErr_SetString(PyExc_RuntimeError, "invalid default scalar type for complex");
            return -1;
        }
    } else if (PyUnicode_Check(o) || PyBytes_Check(o)) {
        PyErr_Format(PyExc_TypeError, "new(): invalid data type '%s'", Py_TYPE(o)->tp_name);
        return -1;
    } else {
        PyErr_Format(PyExc_RuntimeError, "Could not infer dtype of %s", Py_TYPE(o)->tp_name);
        return -1;
    }
    return 0;
}

static int join(kt_dtype *d, kt_dtype one)
{
    *d = *d == KT_NONE || *d == one ? one : kt_promote_types(*d, one);
    if (*d == KT_NONE)
        kp_raise();
    return *d == KT_NONE ? -1 : 0;
}

/* Promotes `*d` (KT_NONE: no element yet) with every element. The depth limit ends a list that contains itself. */
static int find_dtype(PyObject *data, kt_dtype *d, int depth)
{
    kt_dtype one;
    if (!is_sequence(data) || PyBytes_Check(data))
        return dtype_of_element(data, &one) ? -1 : join(d, one);
    if (kp_is_array(data))
        return kp_numpy_dtype(data, &one) ? -1 : join(d, one);
    if (depth > KT_MAX_DIMS) {
        PyErr_SetString(PyExc_TypeError, "new(): self-referential lists are incompatible");
        return -1;
    }
    PyObject *fast = PySequence_Fast(data, "not a sequence");
    if (!fast)
        return -1;
    int status = 0;
    for (Py_ssize_t i = 0; !status && i < PySequence_Fast_GET_SIZE(fast); i++) {
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(fast, i)); /* reading it may run code that changes the list */
        status = find_dtype(item, d, depth + 1);
        Py_DECREF(item);
    }
    Py_DECREF(fast);
    return status;
}

/* ---- elements: conversion of an object by kind of dtype ---- */

static int refuse_too_large(void)
{
    PyErr_SetString(PyExc_ValueError, "Overflow when unpacking long long");
    return -1;
}

static int as_unsigned_long(PyObject *o, kt_scalar *s)
{
    PyObject *index = kp_is_numpy_number(o) ? PyNumber_Index(o) : NULL; /* PyTorch cannot store the dtype it infers here */
    PyErr_Clear();
    uint64_t value = PyLong_AsUnsignedLongLong(index ? index : o); /* only an int is accepted */
    Py_XDECREF(index);
    *s = KT_INT((int64_t)value);
    s->is_unsigned = 1;
    return PyErr_Occurred() ? -1 : 0;
}

static int as_integer(PyObject *o, kt_scalar *s)
{
    if (PyFloat_Check(o)) {
        *s = KT_FLOAT(PyFloat_AS_DOUBLE(o));
        return 0;
    }
    PyObject *index = PyNumber_Index(o);
    int       overflow, status = index ? 0 : -1;
    if (index) {
        *s = KT_INT(PyLong_AsLongLongAndOverflow(index, &overflow));
        status = overflow ? refuse_too_large() : 0;
    }
    Py_XDECREF(index);
    return status;
}

static int as_truth(PyObject *o, kt_scalar *s)
{
    kt_dtype   d = KT_NONE;
    const bool is_plain = PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o);
    if (!is_plain && kp_is_numpy_number(o) && kp_numpy_dtype(o, &d))
        PyErr_Clear();
    PyObject *number = is_plain || d == KT_BOOL ? Py_NewRef(o) : PyNumber_Index(o);
    int       truth = number ? PyObject_IsTrue(number) : -1;
    Py_XDECREF(number);
    *s = KT_FLAG(truth > 0);
    return truth < 0 ? -1 : 0;
}

static int as_real(PyObject *o, kt_scalar *s)
{
    *s = KT_FLOAT(PyFloat_AsDouble(o));
    return s->v.re == -1.0 && PyErr_Occurred() ? -1 : 0;
}

static int as_complex(PyObject *o, kt_scalar *s)
{
    Py_complex z = PyComplex_AsCComplex(o);
    *s = KT_COMPLEX(z.real, z.imag);
    return z.real == -1.0 && PyErr_Occurred() ? -1 : 0;
}

static int number_of(PyObject *o, kt_dtype dtype, kt_scalar *s)
{
    switch (kt_dtype_category(dtype)) {
    case KT_CAT_BOOL: return as_truth(o, s);
    case KT_CAT_INT: return dtype == KT_U64 ? as_unsigned_long(o, s) : as_integer(o, s);
    case KT_CAT_FLOAT: return as_real(o, s);
    default: return as_complex(o, s);
    }
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
            !kt_dtype_is_signed(p->dtype) && !s.is_unsigned) { /* negative numbers wrap into unsigned dtypes */
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
    int status = 0;
    for (Py_ssize_t i = 0; !status; i++) { /* reading an element may change the length */
        const Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
        if (n != p->sizes[dim]) {
            PyErr_Format(PyExc_ValueError, "expected sequence of length %lld at dim %d (got %zd)", (long long)p->sizes[dim],
                         dim, n);
            status = -1;
        }
        if (status || i == n)
            break;
        PyObject *one = Py_NewRef(PySequence_Fast_GET_ITEM(fast, i));
        status = store_all(p, one, dim + 1);
        Py_DECREF(one);
    }
    Py_DECREF(fast);
    return status;
}

/* PyTorch warns once. */
static int warn_of_arrays(PyObject *data)
{
    static bool warned; /* under the GIL */
    if (!PyList_Check(data) || PyList_GET_SIZE(data) == 0 || !kp_is_array(PyList_GET_ITEM(data, 0)))
        return 0;
    return kp_warn_once(&warned, "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting "
                                 "the list to a single numpy.ndarray with numpy.array() before converting to a tensor.");
}

kt_tensor *kp_from_data(PyObject *data, kt_dtype dtype, const char *maker)
{
    plan       p = {.dtype = dtype};
    kt_tensor *t = NULL;
    if (PyUnicode_Check(data) || PyBytes_Check(data)) {
        PyErr_Format(PyExc_TypeError, "new(): invalid data type '%s'", Py_TYPE(data)->tp_name);
        return NULL;
    }
    if (find_sizes(data, &p) || warn_of_arrays(data) || (dtype == KT_NONE && find_dtype(data, &p.dtype, 0)))
        return NULL;
    if (p.dtype == KT_NONE)
        p.dtype = kt_get_default_dtype();
    p.itemsize = kt_dtype_size(p.dtype);
    kp_entry  before = kp_enter();
    kt_status status = kt_make(p.dtype, (kt_shape){p.rank, p.sizes}, maker, &t);
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
