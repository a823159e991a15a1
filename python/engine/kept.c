/* kept.c - what a node keeps, as attributes with PyTorch's names: _saved_self, _raw_saved_self, _saved_dim, _input_metadata.
 *
 * In: nodes. Out: tensors, numbers, and objects that stand for a saved tensor or for the form of a result. Independent of:
 * formulas, how a node is shown. */
#include "core/binding.h"

#include <karat/plugin/node.h>
#include <structmember.h>

/* ---- a place that holds a saved tensor ---- */

typedef struct kp_saved {
    PyObject_HEAD
    kt_node *node; /* owned */
    int64_t  place;
} kp_saved;

PyObject *kp_raw_saved(kt_node *node, int64_t place)
{
    kp_saved *self = PyObject_New(kp_saved, &kp_saved_type);
    if (!self)
        return NULL;
    self->node = kt_node_keep(node);
    self->place = place;
    return (PyObject *)self;
}

static void saved_dealloc(PyObject *o)
{
    kt_node_drop(((kp_saved *)o)->node);
    PyObject_Free(o);
}

static PyObject *saved_tensor(kt_node *node, int64_t place)
{
    kt_tensor *t = NULL;
    if (kt_node_saved(node, place, &t))
        return kp_raise();
    return t ? kp_wrap(t) : Py_NewRef(Py_None);
}

static PyObject *get_data(PyObject *o, void *unused)
{
    (void)unused;
    return saved_tensor(((kp_saved *)o)->node, ((kp_saved *)o)->place);
}

static PyObject *register_hooks(PyObject *o, PyObject *args)
{
    PyObject *pack, *unpack;
    if (!PyArg_ParseTuple(args, "OO:register_hooks", &pack, &unpack))
        return NULL;
    if (!PyCallable_Check(pack) || !PyCallable_Check(unpack))
        return PyErr_Format(PyExc_TypeError, "register_hooks(): incompatible function arguments: two functions are needed");
    const kt_status status = kp_pack_place(((kp_saved *)o)->node, ((kp_saved *)o)->place, pack, unpack);
    return status ? kp_raise() : Py_NewRef(Py_None);
}

static PyMethodDef saved_methods[] = {
    {"register_hooks", register_hooks, METH_VARARGS,
     "register_hooks(pack, unpack): what pack gives is kept, and unpack gives the tensor back"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef saved_getset[] = {
    {"data", get_data, NULL, "the tensor", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject kp_saved_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.SavedTensor",
    .tp_doc = PyDoc_STR("A place of a node that holds a tensor for backward."),
    .tp_basicsize = sizeof(kp_saved),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = saved_dealloc,
    .tp_methods = saved_methods,
    .tp_getset = saved_getset,
};

/* ---- the form of a result ---- */

typedef struct kp_form {
    PyObject_HEAD
    PyObject *dtype, *device, *shape;
} kp_form;

static void form_dealloc(PyObject *o)
{
    kp_form *self = (kp_form *)o;
    Py_XDECREF(self->dtype);
    Py_XDECREF(self->device);
    Py_XDECREF(self->shape);
    PyObject_Free(o);
}

static PyObject *list_of(kt_shape sizes)
{
    PyObject *list = PyList_New((Py_ssize_t)sizes.n);
    for (Py_ssize_t i = 0; list && i < sizes.n; i++) {
        PyObject *one = PyLong_FromLongLong(sizes.d[i]);
        if (one)
            PyList_SET_ITEM(list, i, one);
        else
            Py_CLEAR(list);
    }
    return list;
}

PyObject *kp_input_metadata(const kt_node *node)
{
    kt_dtype   dtype;
    kt_device  device;
    kt_shape   sizes;
    Py_ssize_t n = (Py_ssize_t)kt_node_results(node);
    PyObject  *all = PyTuple_New(kt_node_result(node, 0, &dtype, &device, &sizes) ? n : 0);
    for (Py_ssize_t i = 0; all && i < PyTuple_GET_SIZE(all) && kt_node_result(node, i, &dtype, &device, &sizes); i++) {
        kp_form *one = PyObject_New(kp_form, &kp_form_type);
        if (one) {
            one->dtype = kp_dtype_object(dtype);
            one->device = kp_device_object(device);
            one->shape = list_of(sizes);
            PyTuple_SET_ITEM(all, i, (PyObject *)one);
        }
        if (!one || !one->dtype || !one->device || !one->shape)
            Py_CLEAR(all);
    }
    return all;
}

static PyObject *get_false(PyObject *o, void *unused)
{
    (void)o, (void)unused;
    Py_RETURN_FALSE;
}

static PyMemberDef form_members[] = {
    {"dtype", T_OBJECT, offsetof(kp_form, dtype), READONLY, NULL},
    {"device", T_OBJECT, offsetof(kp_form, device), READONLY, NULL},
    {"shape", T_OBJECT, offsetof(kp_form, shape), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyGetSetDef form_getset[] = {
    {"is_nested_tensor", get_false, NULL, NULL, NULL},
    {"is_cpp_nested_tensor", get_false, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject kp_form_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat._InputMetadata",
    .tp_doc = PyDoc_STR("The form of a node's result, and of the gradient that it takes."),
    .tp_basicsize = sizeof(kp_form),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = form_dealloc,
    .tp_members = form_members,
    .tp_getset = form_getset,
};

/* ---- by name ---- */

/* PyTorch shows every integer that a node keeps as one without a sign: dim=-1 is 18446744073709551615. */
static PyObject *shown_int(int64_t i) { return PyLong_FromUnsignedLongLong((unsigned long long)i); }

static PyObject *tuple_of(kt_shape ints)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)ints.n);
    for (Py_ssize_t i = 0; tuple && i < (Py_ssize_t)ints.n; i++) {
        PyObject *one = shown_int(ints.d[i]);
        if (one)
            PyTuple_SET_ITEM(tuple, i, one);
        else
            Py_CLEAR(tuple);
    }
    return tuple;
}

/* PyTorch's tensor for a number has the widest dtype of its kind. */
static PyObject *wrapped_number(kt_scalar s)
{
    static const kt_dtype dtypes[] = {KT_NONE, KT_BOOL, KT_I64, KT_F64, KT_C128}; /* by kt_scalar_kind */
    kt_tensor            *t = NULL;
    if (kt_make(dtypes[s.kind], KT_SCALAR, "number", &t))
        return kp_raise();
    if (s.kind == KT_SCALAR_BOOL)
        *(bool *)kt_data(t) = s.v.i != 0;
    else
        memcpy(kt_data(t), &s, s.kind == KT_SCALAR_COMPLEX ? 2 * sizeof(double) : sizeof s.v); /* re and im, or i */
    return kp_wrap(t);
}

static PyObject *value_object(const kt_kept *k)
{
    const kt_value *v = k->value;
    if (k->absent)
        Py_RETURN_NONE;
    switch (k->kind) {
    case KT_ARG_SCALAR:
        return !v->s.kind ? Py_NewRef(Py_None) : k->wrapped ? wrapped_number(v->s) : kp_from_scalar(v->s);
    case KT_ARG_INT: return shown_int(v->i);
    case KT_ARG_INTS: return tuple_of(v->ints);
    case KT_ARG_FLOAT: return PyFloat_FromDouble(v->f);
    case KT_ARG_BOOL: return PyBool_FromLong(v->b);
    case KT_ARG_DTYPE: return kp_dtype_object(v->dtype);
    case KT_ARG_STRING: return v->str ? PyUnicode_FromString(v->str) : Py_NewRef(Py_None);
    default: Py_RETURN_NONE;
    }
}

static PyObject *list_object(kt_node *node, const kt_kept *k, PyObject *(*each)(kt_node *, int64_t))
{
    PyObject *all = PyTuple_New((Py_ssize_t)k->n);
    for (Py_ssize_t i = 0; all && i < k->n; i++) {
        PyObject *one = each(node, k->place + i);
        if (one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}

static bool starts_with(const char *text, const char *with, const char **rest)
{
    const size_t n = strlen(with);
    *rest = text + n;
    return strncmp(text, with, n) == 0;
}

PyObject *kp_kept(kt_node *node, PyObject *name)
{
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL, *key;
    kt_kept     k;
    if (!text || text[0] != '_')
        return NULL;
    const bool raw = starts_with(text, "_raw_saved_", &key);
    if (!raw && !starts_with(text, "_saved_", &key))
        return NULL;
    for (int64_t i = 0; kt_node_kept(node, i, &k); i++) {
        if (strcmp(k.name, key) != 0 || (raw && k.place < 0))
            continue;
        if (k.place < 0)
            return value_object(&k);
        PyObject *(*each)(kt_node *, int64_t) = raw ? kp_raw_saved : saved_tensor;
        return k.n < 0 ? each(node, k.place) : list_object(node, &k, each);
    }
    return NULL;
}

int kp_kept_names(const kt_node *node, PyObject *list)
{
    kt_kept k;
    for (int64_t i = 0; kt_node_kept(node, i, &k); i++)
        for (int raw = 0; raw <= (k.place >= 0); raw++) {
            PyObject *name = PyUnicode_FromFormat(raw ? "_raw_saved_%s" : "_saved_%s", k.name);
            if (!name || PyList_Append(list, name)) {
                Py_XDECREF(name);
                return -1;
            }
            Py_DECREF(name);
        }
    return 0;
}
