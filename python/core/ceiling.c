/* ceiling.c - a baseline for benchmarks: what an empty binding of the same shape costs in Python.
 *
 * In: no tensors. Out: Empty, whose + returns a new object of a Tensor's size from the free list; nothing(a, b), a
 * function of two arguments. */
#include "core/binding.h"

static PyObject *empty_add(PyObject *a, PyObject *b)
{
    if (!Py_IS_TYPE(a, &kp_empty_type) || !Py_IS_TYPE(b, &kp_empty_type))
        Py_RETURN_NOTIMPLEMENTED;
    return kp_new_shell();
}

static PyNumberMethods empty_number = {.nb_add = empty_add};

PyTypeObject kp_empty_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat._karat.Empty",
    .tp_doc = PyDoc_STR("Empty() + Empty() costs what any binding of the operator must."),
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_as_number = &empty_number,
};

static PyObject *nothing(PyObject *module, PyObject *const *argv, Py_ssize_t n)
{
    (void)module;
    if (n == 2)
        return Py_NewRef(argv[0]);
    PyErr_Format(PyExc_TypeError, "nothing() takes 2 positional arguments but %zd were given", n);
    return NULL;
}

PyMethodDef kp_ceiling_functions[] = {
    {"nothing", KP_FUNCTION(nothing), METH_FASTCALL, "nothing(a, b): a, at the cost of a call"},
    {NULL, NULL, 0, NULL},
};
