/* scalar.c - conversion between Python numbers and kt_scalar.
 *
 * In: bool, int, float, complex and their subclasses, and NumPy's numbers. Out: weak numbers of the same kind; bool is
 * tested before int, of which it is a subclass. An int beyond 64 bits raises Python's OverflowError, as in PyTorch. */
#include "core/binding.h"

static int from_long(PyObject *o, kt_scalar *s)
{
    int       overflow;
    long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (KP_LIKELY(!overflow)) {
        *s = KT_INT(value);
        return value == -1 && PyErr_Occurred() ? -1 : 1;
    }
    if (overflow < 0) {
        PyErr_SetString(PyExc_OverflowError, "can't convert negative int to unsigned");
        return -1;
    }
    unsigned long long big = PyLong_AsUnsignedLongLong(o);
    if (big == (unsigned long long)-1 && PyErr_Occurred())
        return -1;
    *s = KT_INT((int64_t)big);
    s->is_unsigned = 1;
    return 1;
}

int kp_to_scalar(PyObject *o, kt_scalar *s)
{
    if (PyFloat_CheckExact(o)) {
        *s = KT_FLOAT(PyFloat_AS_DOUBLE(o));
        return 1;
    }
    if (PyBool_Check(o)) {
        *s = KT_FLAG(o == Py_True);
        return 1;
    }
    if (PyLong_Check(o))
        return from_long(o, s);
    if (PyFloat_Check(o)) {
        *s = KT_FLOAT(PyFloat_AS_DOUBLE(o));
        return 1;
    }
    if (PyComplex_Check(o)) {
        Py_complex z = PyComplex_AsCComplex(o);
        *s = KT_COMPLEX(z.real, z.imag);
        return 1;
    }
    return PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE) || !kp_is_numpy_number(o) ? 0 : kp_numpy_number(o, s);
}

/* PyTorch's operators take a NumPy complex by its real part, unless it is a Python complex too (complex128). */
int kp_to_operand(PyObject *o, kt_scalar *s)
{
    int found = kp_to_scalar(o, s);
    if (found > 0 && s->kind == KT_SCALAR_COMPLEX && !PyComplex_Check(o))
        *s = KT_FLOAT(s->v.re);
    return found;
}

PyObject *kp_from_scalar(kt_scalar s)
{
    switch (s.kind) {
    case KT_SCALAR_BOOL: return PyBool_FromLong(s.v.i != 0);
    case KT_SCALAR_INT:
        return s.is_unsigned ? PyLong_FromUnsignedLongLong((uint64_t)s.v.i) : PyLong_FromLongLong(s.v.i);
    case KT_SCALAR_FLOAT: return PyFloat_FromDouble(s.v.re);
    case KT_SCALAR_COMPLEX: return PyComplex_FromDoubles(s.v.re, s.im);
    default: return kp_raise();
    }
}
