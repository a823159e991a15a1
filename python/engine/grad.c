/* grad.c - autograd in Python: grad, requires_grad, backward, autograd.grad.
 *
 * In: Tensors. Out: the engine's answers. Independent of: how a graph is kept. */
#include "core/binding.h"

#include <karat/plugin/node.h>

PyObject *kp_get_grad(PyObject *self, void *unused)
{
    (void)unused;
    kt_tensor *t = kp_tensor_of(self), *grad = kt_grad(t);
    if (!grad && kt_requires_grad(t) && !kt_is_leaf(t) && !kt_retains_grad(t) &&
        PyErr_WarnEx(PyExc_UserWarning,
                     "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
                     "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
                     "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
                     "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information.",
                     1))
        return NULL;
    return grad ? kp_wrap_borrowed(grad) : Py_NewRef(Py_None);
}

int kp_set_grad(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    if (value && value != Py_None && !kp_is_tensor(value)) {
        PyErr_Format(PyExc_TypeError, "assigned grad expected to be a Tensor or None but got grad of type %s",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    if (value == self) {
        PyErr_SetString(PyExc_RuntimeError, "can't assign Variable as its own grad");
        return -1;
    }
    const kp_entry  before = kp_enter();
    const kt_status status = kt_set_grad(kp_tensor_of(self), value && value != Py_None ? kp_tensor_of(value) : NULL);
    kp_leave(before);
    if (!status)
        return 0;
    kp_raise();
    return -1;
}

PyObject *kp_get_grad_dtype(PyObject *self, void *unused)
{
    (void)unused;
    const kt_dtype dtype = kt_grad_dtype(kp_tensor_of(self));
    return kt_failed() ? kp_raise() : kp_dtype_object(dtype);
}

int kp_set_grad_dtype(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    kt_dtype dtype = KT_NONE;
    if (!value || (value != Py_None && kp_to_dtype(value, &dtype) != 1)) {
        PyErr_Format(PyExc_RuntimeError, "grad_dtype must be a torch.dtype or None, but got %s",
                     value ? Py_TYPE(value)->tp_name : "nothing: it cannot be deleted");
        return -1;
    }
    if (!kt_set_grad_dtype(kp_tensor_of(self), dtype))
        return 0;
    kp_raise();
    return -1;
}

PyObject *kp_get_requires_grad(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(kt_requires_grad(kp_tensor_of(self)));
}

/* Within a call, so that the error has the user's line. */
static int refuse_grad(const kt_tensor *t, const char *op, kt_fix_kind fix, const char *text)
{
    const kp_entry    before = kp_enter();
    kt_lineage_record born = {.size = sizeof born};
    if (fix == KT_FIX_DTYPE && kt_lineage_read(kt_lineage_of(t), &born) && born.op)
        op = born.op;
    kt_refuse_grad(t, op, fix, text);
    kp_leave(before);
    kp_raise();
    return -1;
}

static bool can_have_grad(const kt_tensor *t)
{
    return kt_may_require_grad(kt_dtype_of(t));
}

int kp_set_requires_grad(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    kt_tensor *t = kp_tensor_of(self);
    if (!value || !PyBool_Check(value)) {
        PyErr_SetString(PyExc_RuntimeError, "requires_grad must be a bool");
        return -1;
    }
    if (value == Py_True && !can_have_grad(t))
        return refuse_grad(t, "requires_grad_", KT_FIX_CAST,
                           "only Tensors of floating point and complex dtype can require gradients");
    if (value == Py_True && !kt_is_leaf(t)) { /* requires_grad_() lets it pass: it asks already */
        PyErr_SetString(PyExc_RuntimeError, "you can only change requires_grad flags of leaf variables.");
        return -1;
    }
    if (kt_set_requires_grad(t, value == Py_True)) {
        kp_raise();
        return -1;
    }
    return 0;
}

int kp_want_grad_of(kt_tensor *t, const char *class)
{
    if (!can_have_grad(t))
        return refuse_grad(t, class ? class : "requires_grad_", class ? KT_FIX_CAST : KT_FIX_DTYPE,
                           "Only Tensors of floating point and complex dtype can require gradients");
    if (!kt_set_requires_grad(t, true))
        return 0;
    kp_raise();
    return -1;
}

int kp_want_grad(kt_tensor *t) { return kp_want_grad_of(t, NULL); }

PyObject *kp_requires_grad_(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"requires_grad", NULL};
    PyObject    *on = Py_True;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:requires_grad_", names, &on))
        return NULL;
    if (!PyBool_Check(on)) {
        PyErr_Format(PyExc_TypeError, "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not %s",
                     Py_TYPE(on)->tp_name);
        return NULL;
    }
    if (on == Py_True && kp_in_transform()) {
        PyErr_SetString(PyExc_RuntimeError,
                        "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* "
                        "APIs) inside of a function being transformed by a functorch transform. This is unsupported, please "
                        "attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call "
                        "requires_grad_() outside of a function being transformed instead.");
        return NULL;
    }
    const kp_entry  before = kp_enter();
    const kt_status status = kt_set_requires_grad(kp_tensor_of(self), on == Py_True);
    kp_leave(before);
    return status ? kp_raise() : Py_NewRef(self);
}

PyObject *kp_get_is_leaf(PyObject *self, void *unused)
{
    (void)unused;
    kt_tensor *t = kp_tensor_of(self);
    const bool leaf = kt_is_leaf(t);
    if (!leaf && kt_is_view(t)) { /* an invalid view's history cannot be read */
        kt_node_drop(kt_grad_fn(t));
        if (kt_failed())
            return kp_raise();
    }
    return PyBool_FromLong(leaf);
}

/* ---- the user's tensors as tuples and as arrays for the engine ---- */

static PyObject *edge_class; /* torch.autograd.graph.GradientEdge */

static PyObject *set_edge_class(PyObject *module, PyObject *class)
{
    (void)module;
    Py_XSETREF(edge_class, Py_NewRef(class));
    Py_RETURN_NONE;
}

static bool is_edge(PyObject *o) { return edge_class && Py_IS_TYPE(o, (PyTypeObject *)edge_class); }

/* An edge (node, which of its results, ...) as a tensor that stands for it; others themselves. New reference. */
static PyObject *stands_for(PyObject *o)
{
    kt_node   *node = NULL;
    kt_tensor *t = NULL;
    if (!is_edge(o))
        return Py_NewRef(o);
    const long long result = PyLong_AsLongLong(PyTuple_GET_ITEM(o, 1));
    if (result == -1 && PyErr_Occurred())
        return NULL;
    const int found = kp_node_of(PyTuple_GET_ITEM(o, 0), &node);
    if (found == 0)
        PyErr_Format(PyExc_TypeError, "a GradientEdge begins with a node, not with %s", Py_TYPE(PyTuple_GET_ITEM(o, 0))->tp_name);
    if (found != 1)
        return NULL;
    return kt_node_tensor(node, result, &t) ? kp_raise() : kp_wrap(t);
}

typedef enum kp_role { KP_ROOTS, KP_GRADIENTS, KP_INPUTS } kp_role;

static PyObject *raise_no_tensor(PyObject *o, kp_role role)
{
    const char *type = Py_TYPE(o)->tp_name;
    if (role == KP_ROOTS)
        return PyErr_Format(PyExc_AssertionError, "Expected output to be a torch.Tensor");
    if (role == KP_GRADIENTS)
        return PyErr_Format(PyExc_TypeError, "gradients can be either Tensors or None, but got %s", type);
    return PyErr_Format(PyExc_RuntimeError, "all inputs have to be Tensors or GradientEdges, but got %s", type);
}

/* A tensor or an edge, or a sequence of them (or None, of gradients), as a new tuple of tensors. */
static PyObject *tensors_of(PyObject *o, kp_role role)
{
    PyObject *all = kp_is_tensor(o) || is_edge(o) ? PyTuple_Pack(1, o) : PySequence_Tuple(o);
    if (all && Py_REFCNT(all) > 1) { /* the caller's own */
        PyObject *copy = PyTuple_New(PyTuple_GET_SIZE(all));
        for (Py_ssize_t i = 0; copy && i < PyTuple_GET_SIZE(all); i++)
            PyTuple_SET_ITEM(copy, i, Py_NewRef(PyTuple_GET_ITEM(all, i)));
        Py_SETREF(all, copy);
    }
    for (Py_ssize_t i = 0; all && i < PyTuple_GET_SIZE(all); i++) {
        PyObject *one = stands_for(PyTuple_GET_ITEM(all, i));
        if (!one) {
            Py_DECREF(all);
            return NULL;
        }
        Py_DECREF(PyTuple_GET_ITEM(all, i));
        PyTuple_SET_ITEM(all, i, one);
        if (!kp_is_tensor(one) && !(role == KP_GRADIENTS && one == Py_None)) {
            raise_no_tensor(one, role);
            Py_CLEAR(all);
        }
    }
    return all;
}

static void unwrap_all(PyObject *tuple, kt_tensor **t)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        PyObject *one = PyTuple_GET_ITEM(tuple, i);
        t[i] = one == Py_None ? NULL : kp_tensor_of(one);
    }
}

/* ---- backward ---- */

static int keeps_graph(PyObject *retain, int create)
{
    return retain == Py_None ? create : PyObject_IsTrue(retain);
}

/* room: space for roots, gradients and inputs. */
static PyObject *run_backward(PyObject *roots, PyObject *given, PyObject *inputs, int keep, int create)
{
    const Py_ssize_t n = PyTuple_GET_SIZE(roots), n_in = inputs ? PyTuple_GET_SIZE(inputs) : 0;
    kt_tensor      **room = PyMem_Calloc((size_t)(2 * n + n_in) + 1, sizeof *room);
    if (!room)
        return PyErr_NoMemory();
    unwrap_all(roots, room);
    if (given)
        unwrap_all(given, room + n);
    if (inputs)
        unwrap_all(inputs, room + 2 * n);
    kt_backward_opts options = {.size = sizeof options, .retain_graph = keep, .create_graph = create,
                                .inputs = inputs ? room + 2 * n : NULL, .n_inputs = n_in};
    kp_task task;
    kp_task_begin(&task, keep);
    kp_entry  before = kp_enter_any();
    kt_status status = kt_backward_many(room, room + n, n, &options);
    kp_leave(before);
    status = kp_after(NULL, status);
    PyMem_Free(room);
    PyObject *result = status ? kp_raise() : Py_NewRef(Py_None);
    if (kp_task_end(&task, result))
        Py_CLEAR(result);
    return result;
}

/* One gradient for each of n tensors; extra ones are ignored. */
static int fit_to(PyObject **given, Py_ssize_t n)
{
    if (PyTuple_GET_SIZE(*given) < n) {
        PyErr_Format(PyExc_RuntimeError, "got %zd tensors and %zd gradients", n, PyTuple_GET_SIZE(*given));
        return -1;
    }
    PyObject *first = PyTuple_GetSlice(*given, 0, n);
    if (first)
        Py_SETREF(*given, first);
    return first ? 0 : -1;
}

static PyObject *backward_of(PyObject *tensors, PyObject *gradients, PyObject *retain, int create, PyObject *only)
{
    PyObject *roots = NULL, *given = NULL, *inputs = NULL, *result = NULL;
    if (kp_in_transform()) {
        PyErr_SetString(PyExc_RuntimeError,
                        "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
                        "functorch.vjp instead or call backward() outside of functorch transforms.");
        return NULL;
    }
    int       keep = keeps_graph(retain, create);
    if (keep < 0 || !(roots = tensors_of(tensors, KP_ROOTS)))
        goto done;
    if (gradients != Py_None && !(given = tensors_of(gradients, KP_GRADIENTS)))
        goto done;
    if (only != Py_None && !(inputs = tensors_of(only, KP_INPUTS)))
        goto done;
    if (inputs && PyTuple_GET_SIZE(inputs) == 0) {
        PyErr_SetString(PyExc_RuntimeError, "`inputs` argument to `backward()` cannot be empty.");
        goto done;
    }
    if (given && fit_to(&given, PyTuple_GET_SIZE(roots)))
        goto done;
    result = run_backward(roots, given, inputs, keep, create);
done:
    Py_XDECREF(roots);
    Py_XDECREF(given);
    Py_XDECREF(inputs);
    return result;
}

PyObject *kp_backward(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"gradient", "retain_graph", "create_graph", "inputs", NULL};
    PyObject    *gradient = Py_None, *retain = Py_None, *inputs = Py_None;
    int          create = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OOpO:backward", names, &gradient, &retain, &create, &inputs))
        return NULL;
    return backward_of(self, gradient, retain, create, inputs);
}

static PyObject *backward_many(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"tensors", "grad_tensors", "retain_graph", "create_graph", "grad_variables", "inputs", NULL};
    PyObject    *tensors, *gradients = Py_None, *retain = Py_None, *older = Py_None, *inputs = Py_None;
    int          create = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OOpOO:backward", names, &tensors, &gradients, &retain, &create, &older,
                                     &inputs))
        return NULL;
    if (older != Py_None) {
        if (PyErr_WarnEx(PyExc_FutureWarning, "`grad_variables` is deprecated. Use `grad_tensors` instead.", 1))
            return NULL;
        if (gradients != Py_None)
            return PyErr_Format(PyExc_RuntimeError, "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                                                    "`backward()`. Please only use `grad_tensors`.");
        gradients = older;
    }
    return backward_of(tensors, gradients, retain, create, inputs);
}

/* ---- autograd.grad ---- */

/* All arguments are tuples; room holds n_out outputs, n_out gradients, n_in inputs and n_in results. */
static PyObject *run_gradients(PyObject *outputs, PyObject *inputs, PyObject *given, const kt_gradients_opts *options)
{
    const Py_ssize_t n_out = PyTuple_GET_SIZE(outputs), n_in = PyTuple_GET_SIZE(inputs);
    kt_tensor      **room = PyMem_Calloc((size_t)(2 * n_out + 2 * n_in) + 1, sizeof *room);
    if (!room)
        return PyErr_NoMemory();
    kt_tensor **in = room + 2 * n_out, **result = in + n_in;
    unwrap_all(outputs, room);
    unwrap_all(inputs, in);
    if (given)
        unwrap_all(given, room + n_out);
    kp_task task;
    kp_task_begin(&task, options->retain_graph);
    kp_entry  before = kp_enter_any();
    kt_status status = kt_gradients(room, room + n_out, n_out, in, n_in, options, result);
    kp_leave(before);
    if (!status && (status = kp_after(NULL, KT_OK))) { /* a warning filter raised an exception */
        for (Py_ssize_t i = 0; i < n_in; i++)
            kt_drop(result[i]);
    } else if (status) {
        kp_after(NULL, status);
    }
    PyObject *all = status ? kp_raise() : PyTuple_New(n_in);
    for (Py_ssize_t i = 0; !status && i < n_in; i++) {
        PyObject *one = result[i] ? kp_wrap(result[i]) : Py_NewRef(Py_None); /* stolen, even after an exception */
        if (all && one) {
            PyTuple_SET_ITEM(all, i, one);
        } else {
            Py_XDECREF(one);
            Py_CLEAR(all);
        }
    }
    PyMem_Free(room);
    if (kp_task_end(&task, all))
        Py_CLEAR(all);
    return all;
}

static PyObject *gradients(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"outputs", "inputs", "grad_outputs", "retain_graph", "create_graph", "allow_unused", NULL};
    PyObject    *outs, *ins, *gives = Py_None, *retain = Py_None, *unused = Py_None, *result = NULL;
    int          create = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|OOpO:grad", names, &outs, &ins, &gives, &retain, &create,
                                     &unused))
        return NULL;
    int keep = keeps_graph(retain, create);
    int allow = unused == Py_None ? 0 : PyObject_IsTrue(unused);
    if (keep < 0 || allow < 0)
        return NULL;
    PyObject *outputs = tensors_of(outs, KP_ROOTS), *inputs = outputs ? tensors_of(ins, KP_INPUTS) : NULL;
    PyObject *given = inputs && gives != Py_None ? tensors_of(gives, KP_GRADIENTS) : NULL;
    if (!inputs || (!given && gives != Py_None))
        goto done;
    if (PyTuple_GET_SIZE(inputs) == 0) {
        PyErr_SetString(PyExc_ValueError, "grad requires non-empty inputs.");
        goto done;
    }
    if (given && fit_to(&given, PyTuple_GET_SIZE(outputs)))
        goto done;
    kt_gradients_opts options = {.size = sizeof options, .retain_graph = keep, .create_graph = create, .allow_unused = allow};
    result = run_gradients(outputs, inputs, given, &options);
done:
    Py_XDECREF(outputs);
    Py_XDECREF(inputs);
    Py_XDECREF(given);
    return result;
}

/* ---- anomalies, and the run of backward ---- */

static PyObject *set_anomaly(PyObject *module, PyObject *args)
{
    int on, check_nan;
    (void)module;
    if (!PyArg_ParseTuple(args, "pp:set_anomaly_enabled", &on, &check_nan))
        return NULL;
    kt_set_anomaly(on, check_nan);
    Py_RETURN_NONE;
}

static PyObject *search_not_finite(PyObject *module, PyObject *on)
{
    (void)module;
    const int truth = PyObject_IsTrue(on);
    if (truth < 0)
        return NULL;
    kt_search_not_finite(truth);
    Py_RETURN_NONE;
}

static PyObject *first_not_finite(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    kt_not_finite f = {.size = sizeof f};
    if (!kt_first_not_finite(&f))
        Py_RETURN_NONE;
    return Py_BuildValue("{sssssisOss}", "op", f.op, "file", f.file, "line", f.line, "backward", f.backward ? Py_True : Py_False,
                         "value", f.nan ? "nan" : "inf");
}

static PyObject *is_anomaly_enabled(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(kt_anomaly());
}

static PyObject *is_anomaly_check_nan_enabled(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(kt_anomaly_checks_nan());
}

static PyObject *backward_id(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromUnsignedLongLong(kt_backward_id());
}

static PyObject *backward_runs(PyObject *module, PyObject *o)
{
    kt_node *node = NULL;
    (void)module;
    const int found = kp_node_of(o, &node);
    if (found == 0)
        PyErr_Format(PyExc_TypeError, "expected a node, not %s", Py_TYPE(o)->tp_name);
    if (found != 1)
        return NULL;
    const bool runs = kt_backward_runs(node);
    return kt_failed() ? kp_raise() : PyBool_FromLong(runs);
}

PyMethodDef kp_grad_functions[] = {
    {"set_edge_class", set_edge_class, METH_O, "set_edge_class(GradientEdge): what backward and grad take for a tensor, too"},
    {"set_anomaly_enabled", set_anomaly, METH_VARARGS, "set_anomaly_enabled(on, check_nan)"},
    {"search_not_finite", search_not_finite, METH_O, "search_not_finite(on): look for the first value that is not finite"},
    {"first_not_finite", first_not_finite, METH_NOARGS, "a dict of op, file, line, backward and value; None: there was none"},
    {"is_anomaly_enabled", is_anomaly_enabled, METH_NOARGS, "does backward look for anomalies?"},
    {"is_anomaly_check_nan_enabled", is_anomaly_check_nan_enabled, METH_NOARGS, "is NaN one of them?"},
    {"backward_id", backward_id, METH_NOARGS, "a number of the run of backward that this thread is in; 0: none"},
    {"backward_runs", backward_runs, METH_O, "backward_runs(node): does that run come to the node?"},
    {"backward", KP_FUNCTION(backward_many), METH_VARARGS | METH_KEYWORDS,
     "backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None): "
     "gradients of the sum, added to the leaves"},
    {"gradients", KP_FUNCTION(gradients), METH_VARARGS | METH_KEYWORDS,
     "grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=None): gradients of "
     "the outputs' sum with respect to the inputs"},
    {NULL, NULL, 0, NULL},
};
