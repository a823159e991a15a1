/* size.c - Size: a tuple of ints that stays a Size when sliced, concatenated and repeated.
 *
 * In: an iterable of ints, or a kt_shape. Out: a Size. Independent of: tensors, except as integers. */
#include "core/binding.h"

/* A Size of a tuple's items; steals the tuple. */
static PyObject *of_tuple(PyObject *tuple)
{
    if (!tuple || !PyTuple_CheckExact(tuple))
        return tuple;
    PyObject *size = kp_size_type.tp_alloc(&kp_size_type, PyTuple_GET_SIZE(tuple));
    for (Py_ssize_t i = 0; size && i < PyTuple_GET_SIZE(tuple); i++)
        PyTuple_SET_ITEM(size, i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
    Py_DECREF(tuple);
    return size;
}

static PyObject *size_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *size = PyTuple_Type.tp_new(type, args, keywords);
    for (Py_ssize_t i = 0; size && i < PyTuple_GET_SIZE(size); i++) {
        PyObject *item = PyTuple_GET_ITEM(size, i);
        if (PyLong_Check(item) && !PyBool_Check(item))
            continue;
        PyObject *number = PyIndex_Check(item) ? PyNumber_Index(item) : NULL;
        if (number) {
            PyTuple_SET_ITEM(size, i, number);
            Py_DECREF(item);
            continue;
        }
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "torch.Size() takes an iterable of 'int' (item %zd is '%s')", i,
                     Py_TYPE(item)->tp_name);
        Py_CLEAR(size);
    }
    return size;
}

static PyObject *size_repr(PyObject *self)
{
    PyObject *list = PySequence_List(self);
    if (!list)
        return NULL;
    PyObject *text = PyUnicode_FromFormat("torch.Size(%R)", list);
    Py_DECREF(list);
    return text;
}

/* (3,) + size is a Size too: Python tries the subclass's method first. */
static PyObject *size_add(PyObject *a, PyObject *b)
{
    if (!PyTuple_Check(a))
        Py_RETURN_NOTIMPLEMENTED;
    if (!PyTuple_Check(b)) {
        const PyNumberMethods *own = Py_TYPE(b)->tp_as_number;
        PyObject              *sum = own && own->nb_add ? own->nb_add(a, b) : Py_NewRef(Py_NotImplemented); /* its __radd__ */
        if (sum != Py_NotImplemented)
            return sum;
        Py_DECREF(sum);
        return PyErr_Format(PyExc_TypeError, "can only concatenate tuple (not %s) to torch.Size", Py_TYPE(b)->tp_name);
    }
    return of_tuple(PyTuple_Type.tp_as_sequence->sq_concat(a, b));
}

static PyObject *size_repeat(PyObject *self, Py_ssize_t n)
{
    return of_tuple(PyTuple_Type.tp_as_sequence->sq_repeat(self, n));
}

static PyObject *size_subscript(PyObject *self, PyObject *index)
{
    PyObject *part = PyTuple_Type.tp_as_mapping->mp_subscript(self, index);
    return PySlice_Check(index) ? of_tuple(part) : part;
}

static PyObject *size_numel(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *product = PyLong_FromLong(1);
    for (Py_ssize_t i = 0; product && i < PyTuple_GET_SIZE(self); i++)
        Py_SETREF(product, PyNumber_Multiply(product, PyTuple_GET_ITEM(self, i)));
    return product;
}

/* For pickle and copy. */
static PyObject *size_reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_BuildValue("O(N)", Py_TYPE(self), PyTuple_GetSlice(self, 0, PyTuple_GET_SIZE(self)));
}

static PyMethodDef size_methods[] = {
    {"numel", size_numel, METH_NOARGS, "how many elements a tensor of this size has"},
    {"__reduce__", size_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyNumberMethods   size_number = {.nb_add = size_add};
static PySequenceMethods size_sequence = {.sq_concat = size_add, .sq_repeat = size_repeat};
static PyMappingMethods  size_mapping = {.mp_subscript = size_subscript};

PyTypeObject kp_size_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.Size",
    .tp_doc = PyDoc_STR("The sizes of a tensor's dims, outer to inner."),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &PyTuple_Type,
    .tp_new = size_new,
    .tp_repr = size_repr,
    .tp_as_number = &size_number,
    .tp_as_sequence = &size_sequence,
    .tp_as_mapping = &size_mapping,
    .tp_methods = size_methods,
};

PyObject *kp_size_object(kt_shape shape)
{
    PyObject *size = kp_size_type.tp_alloc(&kp_size_type, (Py_ssize_t)shape.n);
    for (int64_t i = 0; size && i < shape.n; i++) {
        PyObject *n = PyLong_FromLongLong(shape.d[i]);
        if (n)
            PyTuple_SET_ITEM(size, i, n);
        else
            Py_CLEAR(size);
    }
    return size;
}
