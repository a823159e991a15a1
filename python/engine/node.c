/* node.c - grad_fn: nodes of the recorded graph and their next_functions.
 *
 * In: nodes of the engine's graph. Out: objects whose type has PyTorch's name of the node. Independent of: formulas. */
#include "core/binding.h"

typedef struct kp_node {
    PyObject_HEAD
    kt_node *node; /* owned */
} kp_node;

/* Live objects by node address: one object per node. */
static PyObject *alive;

static void forget(const kp_node *self)
{
    PyObject *type, *value, *trace, *key;
    PyErr_Fetch(&type, &value, &trace); /* an exception may be pending during deallocation */
    key = PyLong_FromVoidPtr(self->node);
    if (!key || (alive && PyDict_DelItem(alive, key)))
        PyErr_Clear();
    Py_XDECREF(key);
    PyErr_Restore(type, value, trace);
}

/* Nodes that PyTorch writes by hand in C++ show their namespace. */
static PyObject *node_name(PyObject *self, PyObject *unused)
{
    (void)unused;
    const char *name = kt_node_name(((kp_node *)self)->node);
    const bool  by_hand = strcmp(name, "AccumulateGrad") == 0 || strcmp(name, "CopySlices") == 0 ||
                          strcmp(name, "CopyBackwards") == 0 || strcmp(name, "NotImplemented") == 0;
    return PyUnicode_FromFormat("%s%s", by_hand ? "torch::autograd::" : "", name);
}

static PyObject *node_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<%s object at %p>", kt_node_name(((kp_node *)self)->node), (void *)((kp_node *)self)->node);
}

static void node_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    forget((kp_node *)self);
    kt_node_drop(((kp_node *)self)->node);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* ---- one type per name, created when first needed ---- */

static PyObject *types; /* by name */

static PyTypeObject *type_of(const char *name) /* borrowed */
{
    if (!types && !(types = PyDict_New()))
        return NULL;
    PyObject *known = PyDict_GetItemString(types, name);
    if (known)
        return (PyTypeObject *)known;
    char        full[128];
    PyType_Slot slots[] = {{Py_tp_dealloc, node_dealloc}, {0, NULL}}; /* subtype_dealloc would release the type twice */
    PyType_Spec spec = {.name = full, .basicsize = sizeof(kp_node), .flags = Py_TPFLAGS_DEFAULT, .slots = slots};
    PyOS_snprintf(full, sizeof full, "builtins.%s", name); /* as PyTorch: no module is shown */
    PyObject *type = PyType_FromSpecWithBases(&spec, (PyObject *)&kp_node_type);
    if (!type || PyDict_SetItemString(types, name, type)) {
        Py_XDECREF(type);
        return NULL;
    }
    ((PyTypeObject *)type)->tp_name = name; /* the engine's string: messages show no module */
    Py_DECREF(type); /* the dict keeps it */
    return (PyTypeObject *)type;
}

static PyObject *new_node(kt_node *node, PyObject *key) /* steals the reference to the node */
{
    PyTypeObject *type = type_of(kt_node_name(node));
    kp_node      *self = type ? PyObject_New(kp_node, type) : NULL;
    if (!self) {
        kt_node_drop(node);
        return NULL;
    }
    self->node = node;
    PyObject *address = PyLong_FromVoidPtr(self);
    if (!address || PyDict_SetItem(alive, key, address))
        Py_CLEAR(self);
    Py_XDECREF(address);
    return (PyObject *)self;
}

static PyObject *wrap_node(kt_node *node) /* steals the reference */
{
    PyObject *context = kp_context_of(node);
    if (context) {
        kt_node_drop(node);
        return context;
    }
    PyObject *key = alive || (alive = PyDict_New()) ? PyLong_FromVoidPtr(node) : NULL;
    PyObject *known = key ? PyDict_GetItemWithError(alive, key) : NULL, *object = NULL;
    if (known)
        object = Py_NewRef((PyObject *)PyLong_AsVoidPtr(known)); /* removed before it is freed */
    if (!known && key && !PyErr_Occurred())
        object = new_node(node, key);
    else
        kt_node_drop(node);
    Py_XDECREF(key);
    return object;
}

PyObject *kp_get_grad_fn(PyObject *self, void *unused)
{
    (void)unused;
    kt_node *node = kt_grad_fn(kp_tensor_of(self));
    if (!node)
        return kt_failed() ? kp_raise() : Py_NewRef(Py_None);
    return wrap_node(node);
}

/* ---- what made its inputs ---- */

PyObject *kp_next_functions(const kt_node *node)
{
    PyObject *all = PyTuple_New((Py_ssize_t)kt_node_inputs(node));
    for (Py_ssize_t i = 0; all && i < PyTuple_GET_SIZE(all); i++) {
        int64_t   result = 0;
        kt_node  *input = kt_node_input(node, i, &result);
        PyObject *from = input ? wrap_node(input) : Py_NewRef(Py_None);
        PyObject *pair = from ? Py_BuildValue("(NL)", from, (long long)result) : NULL;
        if (pair)
            PyTuple_SET_ITEM(all, i, pair);
        else
            Py_CLEAR(all);
    }
    return all;
}

static PyObject *get_next(PyObject *self, void *unused)
{
    (void)unused;
    return kp_next_functions(((kp_node *)self)->node);
}

static PyObject *get_variable(PyObject *self, void *unused)
{
    (void)unused;
    kt_tensor *leaf = kt_node_leaf(((kp_node *)self)->node);
    if (!leaf) {
        PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute 'variable'", Py_TYPE(self)->tp_name);
        return NULL;
    }
    return kp_wrap_borrowed(leaf);
}

static PyMethodDef node_methods[] = {
    {"name", node_name, METH_NOARGS, "the name of the operator's backward"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef node_getset[] = {
    {"next_functions", get_next, NULL, "what made its inputs: (node, which of its results)", NULL},
    {"variable", get_variable, NULL, "the leaf that collects here", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject kp_node_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.Node",
    .tp_doc = PyDoc_STR("What made a tensor, as the tape recorded it."),
    .tp_basicsize = sizeof(kp_node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = node_dealloc,
    .tp_repr = node_repr,
    .tp_methods = node_methods,
    .tp_getset = node_getset,
};
