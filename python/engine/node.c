/* node.c - grad_fn: nodes of the recorded graph, their next_functions and metadata, and a call of one.
 *
 * In: nodes of the engine's graph. Out: objects whose type has PyTorch's name of the node. Independent of: formulas. */
#include "core/binding.h"

#include <karat/plugin/node.h>

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
    PyObject_GC_UnTrack(self);
    forget((kp_node *)self);
    kt_node_drop(((kp_node *)self)->node);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

/* A hook, or something in `metadata`, may refer to the node. */
static int node_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return kp_node_hooks_traverse(((kp_node *)self)->node, visit, arg);
}

static int node_clear(PyObject *self)
{
    kt_node_hooks_clear(((kp_node *)self)->node);
    return 0;
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
    PyType_Slot slots[] = {{Py_tp_dealloc, node_dealloc}, /* subtype_dealloc would release the type twice */
                           {Py_tp_traverse, node_traverse},
                           {Py_tp_clear, node_clear},
                           {0, NULL}};
    PyType_Spec spec = {.name = full, .basicsize = sizeof(kp_node),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, .slots = slots};
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
    kp_node      *self = type ? PyObject_GC_New(kp_node, type) : NULL;
    if (!self) {
        kt_node_drop(node);
        return NULL;
    }
    self->node = node;
    PyObject_GC_Track(self);
    PyObject *address = PyLong_FromVoidPtr(self);
    if (!address || PyDict_SetItem(alive, key, address))
        Py_CLEAR(self);
    Py_XDECREF(address);
    return (PyObject *)self;
}

PyObject *kp_node_object(kt_node *node)
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

static void release_token(PyObject *token) { kt_node_drop(PyCapsule_GetPointer(token, "karat.node")); }

PyObject *kp_get_grad_fn(PyObject *self, void *unused)
{
    (void)unused;
    kt_node *node = kt_grad_fn(kp_tensor_of(self));
    if (!node)
        return kt_failed() ? kp_raise() : Py_NewRef(Py_None);
    PyObject *dict = kp_get_dict(self, NULL); /* the node's hooks may refer to the tensor: from now on it is tracked */
    if (!dict) {
        kt_node_drop(node);
        return NULL;
    }
    Py_DECREF(dict);
    return kp_node_object(node);
}

int kp_node_of(PyObject *o, kt_node **node)
{
    if (PyObject_TypeCheck(o, &kp_node_type)) {
        *node = ((kp_node *)o)->node;
        return 1;
    }
    if (!PyObject_TypeCheck(o, &kp_context_type))
        return 0;
    *node = kp_context_node(o);
    if (*node)
        return 1;
    PyErr_Format(PyExc_RuntimeError, "the node of %s has been freed", Py_TYPE(o)->tp_name);
    return -1;
}

/* gradient_edge(t): what takes the gradient of t, which of its results t is, and what keeps a Function's node alive. */
static PyObject *gradient_edge(PyObject *module, PyObject *o)
{
    (void)module;
    kt_tensor *t = kp_is_tensor(o) ? kp_tensor_of(o) : NULL;
    int64_t    result = 0;
    kt_node   *node = t ? kt_gradient_node(t, &result) : NULL;
    if (!t)
        return PyErr_Format(PyExc_TypeError, "expected a Tensor, not %s", Py_TYPE(o)->tp_name);
    if (!node)
        return kt_failed() ? kp_raise() : Py_NewRef(Py_None);
    PyObject *token = NULL, *context = kp_context_of(node), *triple = NULL;
    if (context && (token = PyCapsule_New(node, "karat.node", release_token)))
        node = NULL; /* the token's */
    if (!context)
        context = kp_node_object(node);
    else if (node)
        kt_node_drop(node);
    if (context && !PyErr_Occurred())
        triple = Py_BuildValue("(OLO)", context, (long long)result, token ? token : Py_None);
    Py_XDECREF(context);
    Py_XDECREF(token);
    return triple;
}

/* ---- what made its inputs ---- */

PyObject *kp_next_functions(const kt_node *node)
{
    PyObject *all = PyTuple_New((Py_ssize_t)kt_node_inputs(node));
    for (Py_ssize_t i = 0; all && i < PyTuple_GET_SIZE(all); i++) {
        int64_t   result = 0;
        kt_node  *input = kt_node_input(node, i, &result);
        PyObject *from = input ? kp_node_object(input) : Py_NewRef(Py_None);
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

/* ---- hooks, metadata and what it keeps ---- */

static PyObject *node_register_hook(PyObject *self, PyObject *function)
{
    return kp_node_register(((kp_node *)self)->node, function, false);
}

static PyObject *node_register_prehook(PyObject *self, PyObject *function)
{
    return kp_node_register(((kp_node *)self)->node, function, true);
}

static PyObject *node_sequence(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(kt_node_sequence(((kp_node *)self)->node));
}

/* The node owns the dict: another object of the same node has the same. */
static PyObject *get_metadata(PyObject *self, void *unused)
{
    (void)unused;
    kt_node  *node = ((kp_node *)self)->node;
    PyObject *dict = kt_node_data(node);
    if (dict)
        return Py_NewRef(dict);
    dict = PyDict_New();
    if (dict && kt_node_set_data(node, Py_NewRef(dict), kp_release_object)) {
        Py_DECREF(dict);
        Py_DECREF(dict);
        return kp_raise();
    }
    return dict;
}

static PyObject *get_input_metadata(PyObject *self, void *unused)
{
    (void)unused;
    return kp_input_metadata(((kp_node *)self)->node);
}

static PyObject *get_requires_grad(PyObject *self, void *unused)
{
    (void)self, (void)unused;
    Py_RETURN_TRUE;
}

/* What only some nodes have. */
static PyObject *node_getattr(PyObject *self, PyObject *name)
{
    kt_node   *node = ((kp_node *)self)->node;
    kt_tensor *leaf = kt_node_leaf(node);
    if (leaf && PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "variable") == 0)
        return kp_wrap_borrowed(leaf);
    PyObject *kept = kp_kept(node, name);
    return kept || PyErr_Occurred() ? kept : PyObject_GenericGetAttr(self, name);
}

static PyObject *node_dir(PyObject *self, PyObject *unused)
{
    (void)unused;
    PyObject *names = PyObject_Dir((PyObject *)Py_TYPE(self));
    PyObject *variable = names && kt_node_leaf(((kp_node *)self)->node) ? PyUnicode_FromString("variable") : NULL;
    if (names && ((variable && PyList_Append(names, variable)) || kp_kept_names(((kp_node *)self)->node, names) ||
                  PyList_Sort(names)))
        Py_CLEAR(names);
    Py_XDECREF(variable);
    return names;
}

/* ---- a call: the gradients of the inputs, of those of the results ---- */

static PyObject *gradients_of(kt_node *node, kt_tensor **grads, Py_ssize_t n, kt_tensor **d)
{
    const Py_ssize_t n_in = (Py_ssize_t)kt_node_inputs(node);
    const kp_entry   before = kp_enter_any();
    kt_status        status = kt_node_run(node, grads, n, d, n_in);
    kp_leave(before);
    status = kp_after(NULL, status);
    PyObject *all = status ? kp_raise() : PyTuple_New(n_in);
    for (Py_ssize_t i = 0; i < n_in; i++) {
        PyObject *one = status ? NULL : d[i] ? kp_wrap(d[i]) : Py_NewRef(Py_None);
        if (all && one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_XDECREF(one);
        if (!one)
            Py_CLEAR(all);
    }
    if (!all || n_in != 1)
        return all;
    PyObject *only = Py_NewRef(PyTuple_GET_ITEM(all, 0));
    Py_DECREF(all);
    return only;
}

static PyObject *node_call(PyObject *self, PyObject *args, PyObject *keywords)
{
    kt_node         *node = ((kp_node *)self)->node;
    const Py_ssize_t n = PyTuple_GET_SIZE(args), wanted = (Py_ssize_t)kt_node_results(node);
    if (keywords && PyDict_GET_SIZE(keywords))
        return PyErr_Format(PyExc_TypeError, "keyword arguments are not supported");
    if (n != wanted)
        return PyErr_Format(PyExc_TypeError, "expected %zd arguments, got %zd instead", wanted, n);
    for (Py_ssize_t i = 0; i < n; i++)
        if (PyTuple_GET_ITEM(args, i) != Py_None && !kp_is_tensor(PyTuple_GET_ITEM(args, i)))
            return PyErr_Format(PyExc_TypeError, "argument %zd is not a Variable", i);
    kt_tensor **room = PyMem_Calloc((size_t)(n + kt_node_inputs(node)) + 1, sizeof *room);
    if (!room)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < n; i++)
        room[i] = PyTuple_GET_ITEM(args, i) == Py_None ? NULL : kp_tensor_of(PyTuple_GET_ITEM(args, i));
    PyObject *result = gradients_of(node, room, n, room + n);
    PyMem_Free(room);
    return result;
}

static PyMethodDef node_methods[] = {
    {"name", node_name, METH_NOARGS, "the name of the operator's backward"},
    {"register_hook", node_register_hook, METH_O,
     "register_hook(f): f(grad_inputs, grad_outputs) after the node has run; a tuple that it returns replaces grad_inputs"},
    {"register_prehook", node_register_prehook, METH_O,
     "register_prehook(f): f(grad_outputs) before the node runs; a tuple that it returns replaces them"},
    {"_sequence_nr", node_sequence, METH_NOARGS, "backward runs nodes with larger numbers first"},
    {"__dir__", node_dir, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef node_getset[] = {
    {"next_functions", get_next, NULL, "what made its inputs: (node, which of its results)", NULL},
    {"metadata", get_metadata, NULL, "a dict for the user's notes", NULL},
    {"_input_metadata", get_input_metadata, NULL, "dtype, shape and device of each of its results", NULL},
    {"requires_grad", get_requires_grad, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject kp_node_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.Node",
    .tp_doc = PyDoc_STR("What made a tensor, as the tape recorded it."),
    .tp_basicsize = sizeof(kp_node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = node_dealloc,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
    .tp_repr = node_repr,
    .tp_call = node_call,
    .tp_getattro = node_getattr,
    .tp_methods = node_methods,
    .tp_getset = node_getset,
};

PyMethodDef kp_node_functions[] = {
    {"gradient_edge", gradient_edge, METH_O,
     "gradient_edge(t): (node, which of its results, what keeps it alive); None: no gradient"},
    {NULL, NULL, 0, NULL},
};
