/* data.c - numbers and nested sequences of numbers into a new tensor, with PyTorch's inference of dtype.
 *
 * In: a number, or lists, tuples and arrays of equal lengths. Out: a new tensor, born at the caller's line. The dtype,
 * where none is asked for: all bool gives bool, all int int64, any float the default float, any complex the complex of
 * that; NumPy's numbers and tensors bring their own. Must not know: operators. */
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
    if (PyList_Check(o) || PyTuple_Check(o))
        return true;
    if (!PySequence_Check(o) || kp_is_tensor(o) || PyUnicode_Check(o) || PyBytes_Check(o))
        return false;
    if (!kp_is_array(o))
        return true;
    Py_ssize_t n = PyObject_Size(o); /* an array of no dims has none */
    PyErr_Clear();
    return n >= 0;
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
        if (PyUnicode_Check(now) || PyBytes_Check(now)) {
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
    if (PyFloat_CheckExact(o)) {
        *d = kt_get_default_dtype();
    } else if (PyBool_Check(o)) {
        *d = KT_BOOL;
    } else if (PyLong_Check(o)) {
        *d = KT_I64;
    } else if (kp_is_tensor(o)) {
        *d = kt_dtype_of(kp_tensor_of(o));
    } else if (kp_is_numpy_number(o) || kp_is_array(o)) { /* before floats: NumPy's float64 is one */
        return kp_numpy_dtype(o, d);
    } else if (PyFloat_Check(o)) {
        *d = kt_get_default_dtype();
    } else if (PyComplex_Check(o)) {
        *d = kt_dtype_complex(kt_get_default_dtype());
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

/* Promotes `*d` (KT_NONE: nothing seen) by all that data holds. A list in itself has no end: no tensor is so deep. */
static int find_dtype(PyObject *data, kt_dtype *d, int depth)
{
    kt_dtype one;
    if (!is_sequence(data))
        return dtype_of_element(data, &one) ? -1 : join(d, one);
    if (kp_is_array(data) && PyObject_Size(data) > 0)
        return kp_numpy_dtype(data, &one) ? -1 : join(d, one);
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

static int refuse_too_large(PyObject *o, kt_dtype dtype)
{
    const int negative = PyLong_Check(o) ? PyObject_RichCompareBool(o, Py_False, Py_LT) : 0;
    PyErr_Clear();
    if (dtype == KT_U64 && negative)
        PyErr_SetString(PyExc_OverflowError, "can't convert negative int to unsigned");
    else
        PyErr_SetString(PyExc_ValueError, "Overflow when unpacking long long");
    return -1;
}

/* An object that is no number but can give one (__float__, __index__). */
static int ask_for_number(PyObject *o, kt_category category, kt_scalar *s)
{
    if (category == KT_CAT_BOOL) {
        int truth = PyObject_IsTrue(o);
        *s = KT_FLAG(truth > 0);
        return truth < 0 ? -1 : 0;
    }
    if (category == KT_CAT_INT) {
        PyObject *index = PyNumber_Index(o);
        int       found = index ? kp_to_scalar(index, s) : -1;
        Py_XDECREF(index);
        return found > 0 ? 0 : -1;
    }
    double d = PyFloat_AsDouble(o);
    *s = KT_FLOAT(d);
    return d == -1.0 && PyErr_Occurred() ? -1 : 0;
}

static int number_of(PyObject *o, kt_dtype dtype, kt_scalar *s)
{
    if (kp_is_tensor(o))
        return kp_only_element(o, s);
    const kt_category category = kt_dtype_category(dtype);
    if (PyLong_Check(o) && !PyBool_Check(o) && category & (KT_CAT_FLOAT | KT_CAT_COMPLEX)) {
        double d = PyLong_AsDouble(o); /* any int that a double reaches */
        *s = KT_FLOAT(d);
        return d == -1.0 && PyErr_Occurred() ? -1 : 0;
    }
    int found = kp_is_array(o) ? kp_numpy_number(o, s) : kp_to_scalar(o, s);
    if (dtype == KT_BOOL && found < 0 && PyLong_Check(o)) { /* too large a number: only its truth matters */
        PyErr_Clear();
        *s = KT_FLAG(true);
        return 0;
    }
    if ((found < 0 && PyLong_Check(o)) ||
        (found > 0 && s->kind == KT_SCALAR_INT && category == KT_CAT_INT &&
         (s->is_unsigned ? dtype != KT_U64 : dtype == KT_U64 && s->v.i < 0)))
        return refuse_too_large(o, dtype);
    if (found > 0 && s->kind == KT_SCALAR_COMPLEX && category & (KT_CAT_INT | KT_CAT_FLOAT)) {
        PyErr_SetString(PyExc_TypeError, "must be real number, not complex");
        return -1;
    }
    return found ? (found > 0 ? 0 : -1) : ask_for_number(o, category, s);
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

kt_tensor *kp_from_data(PyObject *data, kt_dtype dtype, const char *maker)
{
    plan       p = {.dtype = dtype};
    kt_tensor *t = NULL;
    if (PyUnicode_Check(data) || PyBytes_Check(data)) {
        PyErr_Format(PyExc_TypeError, "new(): invalid data type '%s'", Py_TYPE(data)->tp_name);
        return NULL;
    }
    if (find_sizes(data, &p) || (dtype == KT_NONE && find_dtype(data, &p.dtype, 0)))
        return NULL;
    if (p.dtype == KT_NONE)
        p.dtype = kt_get_default_dtype();
    p.itemsize = kt_dtype_size(p.dtype);
    uint8_t   before = kp_enter();
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
