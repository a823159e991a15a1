/* custom.c - torch.autograd.Function: a class of the user's as a node of the tape.
 *
 * In: the class and the arguments of apply(). Out: what forward returned, attached to a node that calls backward. The context
 * `ctx` is the object that grad_fn shows. The node owns it, and it knows its node without owning it, so that neither keeps the
 * other alive. Independent of: operators, the order of backward. */
#include "core/binding.h"

#include <karat/plugin/node.h>

typedef struct kp_context {
    PyObject_HEAD
    PyObject *dict, *weak;
    kt_node  *node;       /* borrowed; NULL before apply() has made it and after it was freed */
    PyObject *needs;      /* needs_input_grad: a tuple of bools, or what the user has set */
    PyObject *to_save, *dirty, *constant, *for_forward; /* what the user gave to save_for_backward and so on; may be NULL */
    PyObject *metadata;   /* a dict; NULL: nobody has asked for it */
    PyObject *early;      /* a list of hooks that wait for the node: (handle, function, before) */
    int32_t  *edge_of;    /* by argument: which input of the node, or -1: no tensor */
    int32_t  *result_of;  /* by output: which result of the node, or -1: no tensor */
    int32_t   n_args, n_outputs, n_saved;
    bool      leaves_out; /* set_materialize_grads(False): a gradient that did not arrive is None */
    bool      leaves_out_constants; /* the same for what no gradient reaches (mark_non_differentiable) alone */
    bool      applied;    /* there is or was a node */
    bool      ahead;      /* jvp runs: saved_tensors are what save_for_forward was given */
    bool      whole;      /* the last backward added to every leaf */
} kp_context;

/* ---- the node ---- */

static PyObject *context_of(const kt_node *node) /* borrowed */
{
    return *(PyObject **)kt_node_context((kt_node *)(uintptr_t)node);
}

static const char *name_of(const kt_node *node) { return Py_TYPE(context_of(node))->tp_name; }

static void release(kt_node *node)
{
    kp_context *self = (kp_context *)context_of(node);
    if (!self || !Py_IsInitialized())
        return;
    PyGILState_STATE gil = PyGILState_Ensure();
    self->node = NULL;
    Py_DECREF(self);
    PyGILState_Release(gil);
}

/* What was freed or written to is found when backward asks for it. */
static kt_status check(kt_node *node)
{
    (void)node;
    return KT_OK;
}

static PyObject *arrived(const kp_context *self, const kt_back *b) /* the arguments of backward */
{
    PyObject *all = PyTuple_New(self->n_outputs);
    for (int32_t i = 0; all && i < self->n_outputs; i++) {
        const int32_t at = self->result_of[i];
        PyObject     *one = at >= 0 && b->grads[at] ? kp_wrap_borrowed(b->grads[at]) : Py_NewRef(Py_None);
        if (one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}

static bool all_none(PyObject *tuple, Py_ssize_t from)
{
    for (Py_ssize_t i = from; i < PyTuple_GET_SIZE(tuple); i++)
        if (PyTuple_GET_ITEM(tuple, i) != Py_None)
            return false;
    return true;
}

static int give_back(const kp_context *self, const kt_back *b, PyObject *tuple)
{
    const char *name = Py_TYPE(self)->tp_name;
    Py_ssize_t  n = PyTuple_GET_SIZE(tuple);
    if (n < self->n_args || !all_none(tuple, self->n_args)) {
        PyErr_Format(PyExc_RuntimeError, "function %s returned an incorrect number of gradients (expected %d, got %zd)", name,
                     (int)self->n_args, n);
        return -1;
    }
    for (int32_t i = 0; i < self->n_args; i++) {
        PyObject     *one = PyTuple_GET_ITEM(tuple, i);
        const int32_t edge = self->edge_of[i];
        if (one == Py_None)
            continue;
        if (edge < 0) {
            PyErr_Format(PyExc_RuntimeError,
                         "function %s returned a gradient different than None at position %d, but the corresponding forward "
                         "input was not a Variable",
                         name, (int)i + 1);
            return -1;
        }
        if (!kp_is_tensor(one)) {
            PyErr_Format(PyExc_RuntimeError, "expected Variable or None (got %s)", Py_TYPE(one)->tp_name);
            return -1;
        }
        b->d[edge] = kt_keep(kp_tensor_of(one)); /* also of inputs that want none: hooks of the node are shown it */
    }
    return 0;
}

static PyObject *as_tuple(PyObject *o) /* steals the reference; NULL gives NULL */
{
    if (!o || PyTuple_Check(o))
        return o;
    PyObject *tuple = PyTuple_Pack(1, o);
    Py_DECREF(o);
    return tuple;
}

static kt_status run(const kt_back *b)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    kp_context      *self = (kp_context *)Py_NewRef(context_of(b->node));
    self->whole = b->whole;
    PyObject        *grads = arrived(self, b), *method = grads ? PyObject_GetAttrString((PyObject *)self, "apply") : NULL;
    PyObject        *answer = as_tuple(method ? PyObject_CallObject(method, grads) : NULL);
    kt_status        status = KT_OK;
    if (!answer || give_back(self, b, answer))
        status = kp_fail_with_exception();
    Py_XDECREF(answer);
    Py_XDECREF(method);
    Py_XDECREF(grads);
    Py_DECREF(self);
    PyGILState_Release(gil);
    return status;
}

#define NODE_TYPE(bits)                                                                                                \
    {.abi = KT_NODE_ABI, .size = sizeof(kt_node_type), .flags = (bits), .context = sizeof(PyObject *),                  \
     .name = "FunctionBackward", .name_of = name_of, .run = run, .check = check, .release = release}
static const kt_node_type plain_type = NODE_TYPE(KT_NODE_ALWAYS), zeros_type = NODE_TYPE(KT_NODE_ZEROS);

static bool is_ours(const kt_node *node)
{
    const kt_node_type *type = kt_node_type_of(node);
    return type == &plain_type || type == &zeros_type;
}

PyObject *kp_context_of(kt_node *node) { return is_ours(node) ? Py_NewRef(context_of(node)) : NULL; }

kt_node *kp_context_node(PyObject *context) { return ((const kp_context *)context)->node; }

Py_ssize_t kp_context_outputs(const kt_node *node, const int32_t **result_of, int64_t n)
{
    const kp_context *self = is_ours(node) ? (const kp_context *)context_of(node) : NULL;
    *result_of = self ? self->result_of : NULL;
    return self ? self->n_outputs : (Py_ssize_t)n;
}

int kp_context_traverse(const kt_tensor *t, visitproc visit, void *arg)
{
    const kt_node *node = kt_node_of(t);
    return node && is_ours(node) && !kt_node_is_shared(node) ? visit(context_of(node), arg) : 0;
}

/* ---- apply: the arguments ---- */

typedef struct kp_applied {
    kp_context  *context;
    PyObject    *outputs;    /* a tuple */
    PyObject   **argv;
    kt_tensor  **inputs;     /* the tensors among the arguments */
    int64_t      n_inputs;
    bool         single;     /* forward returned no tuple */
    bool         records;
    uint64_t     levels;     /* of forward mode, that the arguments have tangents of */
    uint32_t    *versions;   /* by argument: how often its tangent had been written to when jvp was called */
    kt_node     *node;       /* made before forward, which may change the arguments; NULL: nothing is recorded */
} kp_applied;

static int take_arguments(kp_applied *a, Py_ssize_t n)
{
    kp_context *self = a->context;
    self->needs = PyTuple_New(n);
    self->edge_of = PyMem_Malloc(sizeof(int32_t) * (size_t)(n + 1));
    a->inputs = PyMem_Malloc(sizeof(kt_tensor *) * (size_t)(n + 1));
    if (!self->needs || !self->edge_of || !a->inputs) {
        PyErr_NoMemory();
        return -1;
    }
    self->n_args = (int32_t)n;
    for (Py_ssize_t i = 0; i < n; i++) {
        const bool tensor = kp_is_tensor(a->argv[i]), needs = tensor && kt_requires_grad(kp_tensor_of(a->argv[i]));
        self->edge_of[i] = tensor ? (int32_t)a->n_inputs : -1;
        if (tensor) {
            a->levels |= kt_dual_levels(kp_tensor_of(a->argv[i]));
            a->inputs[a->n_inputs++] = kp_tensor_of(a->argv[i]);
        }
        a->records |= needs;
        PyTuple_SET_ITEM(self->needs, i, PyBool_FromLong(needs));
    }
    for (int64_t i = 0; i < a->n_inputs; i++) /* tangents from around a vmap are followed by its rule, which forward calls */
        a->levels = a->levels >> kt_batch_floor(a->inputs[i]) << kt_batch_floor(a->inputs[i]);
    a->records = a->records && kt_grad_enabled();
    return 0;
}

static PyObject *name_forward, *name_setup, *name_backward_class, *base_setup; /* base_setup: Function.setup_context */

static PyObject *run_forward(PyObject *cls, kp_applied *a, Py_ssize_t n)
{
    PyObject *forward = PyObject_GetAttr(cls, name_forward), *setup = forward ? PyObject_GetAttr(cls, name_setup) : NULL;
    PyObject *answer = NULL;
    if (!setup) {
        Py_XDECREF(forward);
        return NULL;
    }
    kt_mode_guard off = kt_no_grad_open();
    kt_set_forward_enabled(false);
    if (setup == base_setup) {
        PyObject **all = PyMem_Malloc(sizeof(PyObject *) * (size_t)(n + 1));
        if (all) {
            all[0] = (PyObject *)a->context;
            memcpy(all + 1, a->argv, sizeof(PyObject *) * (size_t)n);
            answer = PyObject_Vectorcall(forward, all, (size_t)n + 1, NULL);
            PyMem_Free(all);
        } else {
            PyErr_NoMemory();
        }
    } else if ((answer = PyObject_Vectorcall(forward, a->argv, (size_t)n, NULL))) {
        PyObject *arguments = PyTuple_New(n);
        for (Py_ssize_t i = 0; arguments && i < n; i++)
            PyTuple_SET_ITEM(arguments, i, Py_NewRef(a->argv[i]));
        PyObject *done = arguments ? PyObject_CallFunctionObjArgs(setup, a->context, arguments, answer, NULL) : NULL;
        if (!done)
            Py_CLEAR(answer);
        Py_XDECREF(done);
        Py_XDECREF(arguments);
    }
    kt_mode_close(&off);
    Py_DECREF(forward);
    Py_DECREF(setup);
    return answer;
}

/* ---- apply: the results ---- */

static bool is_among_first(Py_ssize_t n, PyObject *tuple, PyObject *o)
{
    for (Py_ssize_t i = 0; i < n; i++)
        if (PyTuple_GET_ITEM(tuple, i) == o)
            return true;
    return false;
}

static bool is_among(PyObject *tuple, PyObject *o) { return tuple && is_among_first(PyTuple_GET_SIZE(tuple), tuple, o); }

static int64_t input_that_is(const kp_applied *a, const kt_tensor *t)
{
    for (int64_t i = 0; i < a->n_inputs; i++)
        if (a->inputs[i] == t)
            return i;
    return -1;
}

/* Are all that one of ctx's functions was given tensors? -1 and an exception: `refusal`, or without it PyTorch's of what is
 * saved, of which None is accepted. */
static int check_tensors(PyObject *tuple, const char *refusal)
{
    for (Py_ssize_t i = 0; tuple && i < PyTuple_GET_SIZE(tuple); i++) {
        PyObject *one = PyTuple_GET_ITEM(tuple, i);
        if (kp_is_tensor(one) || (!refusal && one == Py_None))
            continue;
        if (refusal)
            PyErr_SetString(PyExc_RuntimeError, refusal);
        else
            PyErr_Format(PyExc_TypeError, "save_for_backward can only save variables, but argument %zd is of type %s", i,
                         Py_TYPE(one)->tp_name);
        return -1;
    }
    return 0;
}

static int check_dirty(const kp_applied *a)
{
    PyObject *dirty = a->context->dirty;
    if (check_tensors(dirty, "mark_dirty can only accept variables, but argument ") ||
        check_tensors(a->context->constant, "mark_non_differentiable only accepts variable arguments, but got "))
        return -1;
    for (Py_ssize_t i = 0; dirty && i < PyTuple_GET_SIZE(dirty); i++)
        if (!is_among(a->outputs, PyTuple_GET_ITEM(dirty, i))) {
            PyErr_SetString(PyExc_RuntimeError,
                            "Some elements marked as dirty during the forward method were not returned as output. The inputs "
                            "that are modified inplace must all be outputs of the Function.");
            return -1;
        }
    return 0;
}

/* Warns of a tensor that was no input; one that is a view, whose base would have been written to as well, is refused. */
static int refuse_dirty(const kt_tensor *t)
{
    const char *text = "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
                       "should be passed to ctx.mark_dirty().";
    if (!kt_is_view(t))
        return PyErr_WarnEx(PyExc_UserWarning, text, 1);
    PyErr_SetString(PyExc_RuntimeError, text);
    return -1;
}

/* A subclass makes its view itself. */
static PyObject *alias_of(PyObject *output, bool detached)
{
    kt_tensor *t = kp_tensor_of(output);
    if (detached || !kp_may_override(output)) {
        kt_tensor *alias = kp_run_row(detached ? kp_rows.detach : kp_rows.alias, t);
        return alias ? kp_wrap(alias) : NULL;
    }
    PyObject *made = PyObject_CallMethod(output, "view_as", "O", output);
    if (!made || kp_is_tensor(made))
        return made;
    PyErr_Format(PyExc_TypeError, "view_as of a %s gave no tensor, but a %s", Py_TYPE(output)->tp_name, Py_TYPE(made)->tp_name);
    Py_DECREF(made);
    return NULL;
}

/* Output i, a tensor, as apply() returns it: an input is returned as a view of it, unless it was written to, and what no gradient
 * reaches has no history. `from`: as kt_node_attach takes it. */
static PyObject *settle(const kp_applied *a, Py_ssize_t i, int64_t *from)
{
    PyObject     *output = PyTuple_GET_ITEM(a->outputs, i);
    kt_tensor    *t = kp_tensor_of(output);
    const int64_t input = input_that_is(a, t);
    const bool    written = is_among(a->context->dirty, output);
    const bool    constant = !a->records || is_among(a->context->constant, output) || !kt_may_require_grad(kt_dtype_of(t));
    *from = constant ? KT_RESULT_CONSTANT : written && input >= 0 ? input : KT_RESULT_MADE;
    if (constant && kt_requires_grad(t) && !kt_is_view(t) && input < 0)
        return kt_detach_(t) ? Py_NewRef(output) : kp_raise();
    if (written && input < 0 && a->records && refuse_dirty(t))
        return NULL;
    if (written && !is_among_first(i, a->outputs, output))
        kt_increment_version(t);
    if (input < 0 || (written && !(constant && kt_requires_grad(t))))
        return Py_NewRef(output);
    kt_mode_guard off = kt_no_grad_open();
    kt_set_forward_enabled(false);
    PyObject *alias = alias_of(output, constant && kt_requires_grad(t));
    kt_mode_close(&off);
    return alias;
}

static int save_all(kp_applied *a, kt_node *node)
{
    PyObject *all = a->context->to_save;
    for (Py_ssize_t i = 0; all && i < PyTuple_GET_SIZE(all); i++) {
        PyObject *one = PyTuple_GET_ITEM(all, i);
        if (one != Py_None && kt_node_save(node, i, kp_tensor_of(one))) {
            kp_raise();
            return -1;
        }
    }
    Py_CLEAR(a->context->to_save);
    return 0;
}

/* Hooks that forward registered on its ctx. */
static int put_early_hooks(kp_context *self, kt_node *node)
{
    PyObject *early = self->early;
    int       failed = 0;
    self->early = NULL;
    for (Py_ssize_t i = 0; early && i < PyList_GET_SIZE(early) && !failed; i++) {
        PyObject *one = PyList_GET_ITEM(early, i);
        failed = kp_handle_put(PyTuple_GET_ITEM(one, 0), node, PyTuple_GET_ITEM(one, 1), PyTuple_GET_ITEM(one, 2) == Py_True);
    }
    Py_XDECREF(early);
    return failed;
}

/* The node owns the context from here on. Results are tracked by the garbage collector if an attribute of the context may lead
 * back to them. */
static int record(kp_applied *a, PyObject *settled, kt_tensor *const *results, const int64_t *from, int64_t n)
{
    kp_context *self = a->context;
    int         failed = 0;
    self->n_saved = self->to_save ? (int32_t)PyTuple_GET_SIZE(self->to_save) : 0;
    if (kt_node_settle(&a->node, self->leaves_out ? &plain_type : &zeros_type, self->n_saved)) {
        kp_raise();
        return -1;
    }
    kt_node *node = a->node;
    a->node = NULL;
    *(PyObject **)kt_node_context(node) = Py_NewRef(self);
    self->node = node;
    self->applied = true;
    if (n && kt_node_attach(node, results, from, n)) {
        kp_raise();
        failed = -1;
    }
    failed = failed || save_all(a, node) || put_early_hooks(self, node) ? -1 : 0;
    kt_node_drop(node);
    for (Py_ssize_t i = 0; !failed && self->dict && i < PyTuple_GET_SIZE(settled); i++)
        if (self->result_of[i] >= 0) {
            PyObject *dict = kp_get_dict(PyTuple_GET_ITEM(settled, i), NULL);
            failed = dict ? 0 : -1;
            Py_XDECREF(dict);
        }
    return failed;
}

static PyObject *settle_all(kp_applied *a)
{
    kp_context      *self = a->context;
    const Py_ssize_t n = PyTuple_GET_SIZE(a->outputs);
    PyObject        *settled = PyTuple_New(n);
    kt_tensor      **results = PyMem_Malloc(sizeof *results * (size_t)(n + 1));
    int64_t         *from = PyMem_Malloc(sizeof *from * (size_t)(n + 1)), n_results = 0;
    self->result_of = PyMem_Malloc(sizeof(int32_t) * (size_t)(n + 1));
    self->n_outputs = (int32_t)n;
    if (!settled || !results || !from || !self->result_of) {
        PyErr_NoMemory();
        Py_CLEAR(settled);
    }
    for (Py_ssize_t i = 0; settled && i < n; i++) {
        PyObject  *output = PyTuple_GET_ITEM(a->outputs, i);
        const bool tensor = kp_is_tensor(output);
        PyObject  *one = tensor ? settle(a, i, &from[n_results]) : Py_NewRef(output);
        const bool shown = tensor && !(self->leaves_out_constants && one && from[n_results] == KT_RESULT_CONSTANT);
        self->result_of[i] = shown ? (int32_t)n_results : -1;
        if (!one) {
            Py_CLEAR(settled);
            break;
        }
        PyTuple_SET_ITEM(settled, i, one);
        if (tensor)
            results[n_results++] = kp_tensor_of(one);
    }
    if (settled && a->records && record(a, settled, results, from, n_results))
        Py_CLEAR(settled);
    PyMem_Free(results);
    PyMem_Free(from);
    return settled;
}

/* ---- apply: forward mode ---- */

static PyObject *tangent_of(const kp_applied *a, int64_t input, int64_t level)
{
    kt_tensor *tangent = NULL;
    if (kt_tangent_of(a->inputs[input], level, &tangent))
        return kp_raise();
    if (!tangent && (a->context->leaves_out || !kt_may_require_grad(kt_dtype_of(a->inputs[input]))))
        return Py_NewRef(Py_None);
    return tangent ? kp_wrap(tangent) : kp_wrap(kp_run_row(kp_rows.zeros_like, a->inputs[input]));
}

static PyObject *tangents_of(const kp_applied *a, int64_t level) /* the arguments of jvp */
{
    const kp_context *self = a->context;
    PyObject         *all = PyTuple_New(self->n_args);
    for (int32_t i = 0; all && i < self->n_args; i++) {
        PyObject *one = self->edge_of[i] < 0 ? Py_NewRef(Py_None) : tangent_of(a, self->edge_of[i], level);
        if (one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}

/* Forward returned a view of this input: the tangent must be one of the input's tangent. */
static int check_view(const kp_applied *a, int64_t input, PyObject *tangents, const kt_tensor *tangent)
{
    if (!kt_is_view(tangent)) {
        PyErr_SetString(PyExc_RuntimeError, "A custom Function's forward is returning a view (or an input as-is) but the jvp is "
                                            "not returning a view.");
        return -1;
    }
    for (int32_t i = 0; i < a->context->n_args; i++) {
        PyObject *given = PyTuple_GET_ITEM(tangents, i);
        if (a->context->edge_of[i] != input || given == Py_None || kt_shares_storage(tangent, kp_tensor_of(given)))
            continue;
        PyErr_Format(PyExc_RuntimeError, "A custom Function is returning a view but the jvp is not returning a view of the %s.",
                     kt_is_view(kp_tensor_of(given)) ? "same base as the given grad input" : "given grad input");
        return -1;
    }
    return 0;
}

/* jvp must treat the tangent as forward treats the tensor: what is written in place, and what is a view. */
static int check_tangent(const kp_applied *a, PyObject *output, kt_tensor *result, PyObject *tangents, kt_tensor *tangent)
{
    const int64_t input = input_that_is(a, kp_tensor_of(output));
    if (!is_among(a->context->dirty, output)) {
        int64_t seen = 0;
        while (seen < a->n_inputs && !(kt_is_view(result) && kt_shares_storage(result, a->inputs[seen])))
            seen++;
        return seen < a->n_inputs ? check_view(a, seen, tangents, tangent) : 0;
    }
    for (int32_t i = 0; input >= 0 && i < a->context->n_args; i++)
        if (a->context->edge_of[i] == input && PyTuple_GET_ITEM(tangents, i) != Py_None &&
            kp_tensor_of(PyTuple_GET_ITEM(tangents, i)) == tangent && kt_tensor_version(tangent) != a->versions[i])
            return 0;
    PyErr_SetString(PyExc_RuntimeError,
                    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying "
                    "an input inplace, then the jvp function must modify the corresponding gradient inplace.");
    return -1;
}

static int set_tangent(const kp_applied *a, PyObject *settled, PyObject *tangents, PyObject *answer, Py_ssize_t i, int64_t level)
{
    PyObject  *output = PyTuple_GET_ITEM(a->outputs, i), *given = PyTuple_GET_ITEM(answer, i);
    const bool tensor = kp_is_tensor(output);
    const bool sloped = tensor && kt_dtype_category(kt_dtype_of(kp_tensor_of(output))) & (KT_CAT_FLOAT | KT_CAT_COMPLEX) &&
                        !is_among(a->context->constant, output);
    if (given != Py_None && !kp_is_tensor(given)) {
        PyErr_Format(PyExc_RuntimeError, "expected Variable or None (got %s) for grad output %zd.", Py_TYPE(given)->tp_name, i);
        return -1;
    }
    if (!sloped && given != Py_None) {
        PyErr_Format(PyExc_RuntimeError, "Function's jvp returned a gradient at position %zd, but  the corresponding forward "
                                         "output is not a differentiable Tensor.You should return None at that position "
                                         "instead.", i);
        return -1;
    }
    if (!sloped)
        return 0;
    if (given == Py_None) {
        PyErr_SetString(PyExc_RuntimeError, "Expected both tensor and its forward grad to be floating point or complex");
        return -1;
    }
    kt_tensor *result = kp_tensor_of(PyTuple_GET_ITEM(settled, i)), *tangent = kp_tensor_of(given);
    if (check_tangent(a, output, result, tangents, tangent))
        return -1;
    if (!kt_tangent_set(result, tangent, level, is_among(a->context->dirty, output)))
        return 0;
    kp_raise();
    return -1;
}

static int note_versions(kp_applied *a, PyObject *tangents)
{
    if (!a->versions && !(a->versions = PyMem_Calloc((size_t)a->context->n_args + 1, sizeof *a->versions))) {
        PyErr_NoMemory();
        return -1;
    }
    for (int32_t i = 0; i < a->context->n_args; i++)
        if (PyTuple_GET_ITEM(tangents, i) != Py_None)
            a->versions[i] = kt_tensor_version(kp_tensor_of(PyTuple_GET_ITEM(tangents, i)));
    return 0;
}

static int run_level(kp_applied *a, PyObject *settled, int64_t level)
{
    kp_context   *self = a->context;
    kt_mode_guard below = kt_below_level_open(level);
    PyObject     *tangents = tangents_of(a, level);
    const bool    noted = tangents && note_versions(a, tangents) == 0;
    PyObject     *method = noted ? PyObject_GetAttrString((PyObject *)self, "apply_jvp") : NULL;
    self->ahead = true;
    PyObject *answer = as_tuple(method ? PyObject_CallObject(method, tangents) : NULL);
    self->ahead = false;
    int failed = answer ? 0 : -1;
    if (answer && PyTuple_GET_SIZE(answer) != PyTuple_GET_SIZE(settled)) {
        PyErr_Format(PyExc_RuntimeError,
                     "Function's jvp returned an invalid number of forward gradients (expected %zd but got %zd)",
                     PyTuple_GET_SIZE(settled), PyTuple_GET_SIZE(answer));
        failed = -1;
    }
    for (Py_ssize_t i = 0; !failed && i < PyTuple_GET_SIZE(settled); i++)
        failed = set_tangent(a, settled, tangents, answer, i, level);
    kt_mode_close(&below);
    Py_XDECREF(answer);
    Py_XDECREF(method);
    Py_XDECREF(tangents);
    return failed;
}

static int look_ahead(kp_applied *a, PyObject *settled)
{
    for (uint64_t left = a->levels; left; left &= left - 1)
        if (run_level(a, settled, __builtin_ctzll(left)))
            return -1;
    return 0;
}

static int make_node(kp_applied *a)
{
    if (!a->records)
        return 0;
    const kp_entry  before = kp_enter(); /* the node has the user's line */
    const kt_status made = kt_node_make(&zeros_type, a->inputs, a->n_inputs, 0, &a->node);
    kp_leave(before);
    if (!made)
        return 0;
    kp_raise();
    return -1;
}

static PyObject *finish(kp_applied *a, PyObject *answer) /* steals the reference */
{
    PyObject *settled = NULL;
    a->single = !PyTuple_Check(answer);
    a->outputs = as_tuple(answer);
    if (a->outputs && check_dirty(a) == 0 && (!a->records || check_tensors(a->context->to_save, NULL) == 0))
        settled = settle_all(a);
    if (settled && a->levels && look_ahead(a, settled))
        Py_CLEAR(settled);
    if (!settled || !a->single)
        return settled;
    PyObject *only = Py_NewRef(PyTuple_GET_ITEM(settled, 0));
    Py_DECREF(settled);
    return only;
}

static PyObject *apply_to(PyObject *cls, PyObject *const *argv, Py_ssize_t n)
{
    kp_applied a = {.argv = (PyObject **)(uintptr_t)argv};
    PyObject  *type = PyObject_GetAttr(cls, name_backward_class), *answer = NULL;
    if (type && !(PyType_Check(type) && PyType_IsSubtype((PyTypeObject *)type, &kp_context_type)))
        PyErr_Format(PyExc_TypeError, "%R is no class of a node", type);
    else if (type)
        a.context = (kp_context *)((PyTypeObject *)type)->tp_alloc((PyTypeObject *)type, 0);
    Py_XDECREF(type);
    if (a.context && take_arguments(&a, n) == 0 && make_node(&a) == 0 && (answer = run_forward(cls, &a, n)))
        answer = finish(&a, answer);
    kt_node_drop(a.node);
    PyMem_Free(a.inputs);
    PyMem_Free(a.versions);
    Py_XDECREF(a.outputs);
    Py_XDECREF(a.context);
    return answer;
}

static PyObject *context_apply(PyObject *cls, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    if (keywords && PyTuple_GET_SIZE(keywords)) {
        PyErr_SetString(PyExc_TypeError, "apply() takes no keyword arguments");
        return NULL;
    }
    const kp_entry before = kp_enter(); /* the range has the user's line */
    const uint64_t range = kt_range_begin(((PyTypeObject *)cls)->tp_name);
    kp_leave(before);
    PyObject *result = apply_to(cls, argv, n);
    if (KP_UNLIKELY(range))
        kt_range_end(range);
    return result;
}

static PyObject *set_function_base(PyObject *module, PyObject *setup)
{
    (void)module;
    if ((!name_forward && !(name_forward = PyUnicode_InternFromString("forward"))) ||
        (!name_setup && !(name_setup = PyUnicode_InternFromString("setup_context"))) ||
        (!name_backward_class && !(name_backward_class = PyUnicode_InternFromString("_backward_cls"))))
        return NULL;
    Py_XSETREF(base_setup, Py_NewRef(setup));
    Py_RETURN_NONE;
}

/* ---- the context ---- */

static PyObject *get_saved(PyObject *o, void *unused)
{
    (void)unused;
    const kp_context *self = (const kp_context *)o;
    if (self->ahead)
        return self->for_forward ? Py_NewRef(self->for_forward) : PyTuple_New(0);
    PyObject         *all = PyTuple_New(self->n_saved);
    if (all && self->applied && !self->node) {
        Py_DECREF(all);
        kt_fail_freed();
        return kp_raise();
    }
    for (int32_t i = 0; all && i < self->n_saved; i++) {
        kt_tensor *t = NULL;
        if (kt_node_saved(self->node, i, &t)) {
            Py_DECREF(all);
            return kp_raise();
        }
        PyObject *one = t ? kp_wrap(t) : Py_NewRef(Py_None);
        if (one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}

static PyObject *forget_saved(PyObject *o, PyObject *unused)
{
    (void)unused;
    const kp_context *self = (const kp_context *)o;
    for (int32_t i = 0; self->node && i < self->n_saved; i++)
        if (kt_node_save(self->node, i, NULL))
            return kp_raise();
    Py_RETURN_NONE;
}

/* What the user gives to ctx.save_for_backward(...) and the like is a tuple, which can be set as an attribute, too. */
static PyObject **list_at(PyObject *o, void *offset) { return (PyObject **)(void *)((char *)o + (size_t)(uintptr_t)offset); }

static PyObject *get_list(PyObject *o, void *offset)
{
    PyObject *list = *list_at(o, offset);
    return Py_NewRef(list ? list : Py_None);
}

static int set_list(PyObject *o, PyObject *value, void *offset)
{
    if (value && value != Py_None && !PyTuple_Check(value)) {
        PyErr_Format(PyExc_TypeError, "expected a tuple of tensors, got %s", Py_TYPE(value)->tp_name);
        return -1;
    }
    Py_XSETREF(*list_at(o, offset), value && value != Py_None ? Py_NewRef(value) : NULL);
    return 0;
}

static int set_needs(PyObject *o, PyObject *value, void *unused)
{
    (void)unused;
    Py_XSETREF(((kp_context *)o)->needs, Py_XNewRef(value));
    return 0;
}

#define KEEPS(name, field)                                                                                             \
    static PyObject *name(PyObject *o, PyObject *tensors)                                                              \
    {                                                                                                                  \
        return set_list(o, tensors, (void *)offsetof(kp_context, field)) ? NULL : Py_NewRef(Py_None);                  \
    }
KEEPS(save_for_backward, to_save)
KEEPS(mark_dirty, dirty)
KEEPS(mark_non_differentiable, constant)

static PyObject *save_for_forward(PyObject *o, PyObject *tensors)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tensors); i++)
        if (!kp_is_tensor(PyTuple_GET_ITEM(tensors, i)) && PyTuple_GET_ITEM(tensors, i) != Py_None)
            return PyErr_Format(PyExc_AssertionError, "save_for_forward expects all arguments to be tensors; you should save "
                                                      "non-tensors as attributes on ctx.");
    return set_list(o, tensors, (void *)offsetof(kp_context, for_forward)) ? NULL : Py_NewRef(Py_None);
}

static int set_left_out(bool *left_out, PyObject *value, const char *name)
{
    if (!value || !PyBool_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s received an invalid combination of arguments - got (), but expected (bool)", name);
        return -1;
    }
    *left_out = value == Py_False;
    return 0;
}

static int set_materialize(PyObject *o, PyObject *value, void *unused)
{
    (void)unused;
    return set_left_out(&((kp_context *)o)->leaves_out, value, "set_materialize_grads");
}

static int set_materialize_constants(PyObject *o, PyObject *value, void *unused)
{
    (void)unused;
    return set_left_out(&((kp_context *)o)->leaves_out_constants, value, "set_materialize_non_diff_grads");
}

static PyObject *set_materialize_grads(PyObject *o, PyObject *value)
{
    return set_materialize(o, value, NULL) ? NULL : Py_NewRef(Py_None);
}

static PyObject *context_name(PyObject *o, PyObject *unused)
{
    (void)unused;
    return PyUnicode_FromString(Py_TYPE(o)->tp_name);
}

static PyObject *get_next(PyObject *o, void *unused)
{
    (void)unused;
    const kp_context *self = (const kp_context *)o;
    if (self->node)
        return kp_next_functions(self->node);
    PyErr_SetString(PyExc_RuntimeError,
                    "Attribute 'next_functions' is invalid for this instance of _C._FunctionBase. Accessing this attribute "
                    "directly on an instance of autograd.Function is a legacy access pattern that is no longer supported. For "
                    "examples on how to use new\xe2\x80\x91style autograd functions, see "
                    "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function ");
    return NULL;
}

/* ---- as a node ---- */

static PyObject *register_on(PyObject *o, PyObject *function, bool before)
{
    kp_context *self = (kp_context *)o;
    if (self->node)
        return kp_node_register(self->node, function, before);
    PyObject *handle = kp_node_register(NULL, function, before);
    if (self->applied) /* its node is freed: the hook will not run */
        return handle;
    PyObject *one = handle ? PyTuple_Pack(3, handle, function, before ? Py_True : Py_False) : NULL;
    if (!one || (!self->early && !(self->early = PyList_New(0))) || PyList_Append(self->early, one))
        Py_CLEAR(handle);
    Py_XDECREF(one);
    return handle;
}

static PyObject *context_register_hook(PyObject *o, PyObject *function) { return register_on(o, function, false); }
static PyObject *context_register_prehook(PyObject *o, PyObject *function) { return register_on(o, function, true); }

static PyObject *context_sequence(PyObject *o, PyObject *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(kt_node_sequence(((const kp_context *)o)->node));
}

static PyObject *get_metadata(PyObject *o, void *unused)
{
    (void)unused;
    kp_context *self = (kp_context *)o;
    if (self->applied && !self->node)
        return PyErr_Format(PyExc_RuntimeError,
                            "You attempted to access the anomaly metadata of a custom autograd function but the underlying "
                            "PyNode has already been deallocated.  The most likely reason this occurred is because you assigned "
                            "x.grad_fn to a local variable and then let the original variable get deallocated.  Don't do that!  "
                            "If you really have no way of restructuring your code so this is the case, please file an issue "
                            "reporting that you are affected by this.");
    if (!self->metadata)
        self->metadata = PyDict_New();
    return Py_XNewRef(self->metadata);
}

static PyObject *get_input_metadata(PyObject *o, void *unused)
{
    (void)unused;
    return kp_input_metadata(((const kp_context *)o)->node);
}

static PyObject *get_requires_grad(PyObject *o, void *unused)
{
    (void)o, (void)unused;
    Py_RETURN_TRUE;
}

static PyObject *get_raw_saved(PyObject *o, void *unused)
{
    (void)unused;
    const kp_context *self = (const kp_context *)o;
    PyObject         *all = PyTuple_New(self->node ? self->n_saved : 0);
    for (Py_ssize_t i = 0; all && i < PyTuple_GET_SIZE(all); i++) {
        PyObject *one = kp_raw_saved(self->node, i);
        if (one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}

static PyObject *get_whole(PyObject *o, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((const kp_context *)o)->whole);
}

static int context_traverse(PyObject *o, visitproc visit, void *arg)
{
    const kp_context *self = (const kp_context *)o; /* subtype_traverse visits the class */
    Py_VISIT(self->dict);
    Py_VISIT(self->needs);
    Py_VISIT(self->to_save);
    Py_VISIT(self->dirty);
    Py_VISIT(self->constant);
    Py_VISIT(self->for_forward);
    Py_VISIT(self->metadata);
    Py_VISIT(self->early);
    return 0;
}

static int context_clear(PyObject *o)
{
    kp_context *self = (kp_context *)o;
    Py_CLEAR(self->dict);
    Py_CLEAR(self->to_save);
    Py_CLEAR(self->dirty);
    Py_CLEAR(self->constant);
    Py_CLEAR(self->for_forward);
    Py_CLEAR(self->metadata);
    Py_CLEAR(self->early);
    return 0;
}

static void context_dealloc(PyObject *o)
{
    kp_context *self = (kp_context *)o;
    PyObject_GC_UnTrack(o);
    if (self->weak)
        PyObject_ClearWeakRefs(o);
    context_clear(o);
    Py_CLEAR(self->needs);
    PyMem_Free(self->edge_of);
    PyMem_Free(self->result_of);
    Py_TYPE(o)->tp_free(o); /* subtype_dealloc releases the class */
}

static PyMethodDef context_methods[] = {
    {"apply", KP_FUNCTION(context_apply), METH_FASTCALL | METH_KEYWORDS | METH_CLASS, "runs forward, and records backward"},
    {"name", context_name, METH_NOARGS, "the name of the class, with Backward"},
    {"register_hook", context_register_hook, METH_O, "as of any node"},
    {"register_prehook", context_register_prehook, METH_O, "as of any node"},
    {"_sequence_nr", context_sequence, METH_NOARGS, "backward runs nodes with larger numbers first"},
    {"save_for_backward", save_for_backward, METH_VARARGS, "save_for_backward(*tensors): for ctx.saved_tensors in backward"},
    {"save_for_forward", save_for_forward, METH_VARARGS, "save_for_forward(*tensors): for ctx.saved_tensors in jvp"},
    {"mark_dirty", mark_dirty, METH_VARARGS, "mark_dirty(*tensors): inputs that forward has written to"},
    {"mark_non_differentiable", mark_non_differentiable, METH_VARARGS, "outputs that no gradient reaches"},
    {"_forget_saved", forget_saved, METH_NOARGS, "frees what save_for_backward was given"},
    {"set_materialize_grads", set_materialize_grads, METH_O, "False: a gradient that did not arrive is None, not zeros"},
    {NULL, NULL, 0, NULL},
};

#define LIST(name, field, doc) {name, get_list, set_list, doc, (void *)offsetof(kp_context, field)}
static PyGetSetDef context_getset[] = {
    {"saved_tensors", get_saved, NULL, "what save_for_backward was given, with its history", NULL},
    {"next_functions", get_next, NULL, "what made the inputs: (node, which of its results)", NULL},
    {"metadata", get_metadata, NULL, "a dict for the user's notes", NULL},
    {"_input_metadata", get_input_metadata, NULL, "dtype, shape and device of each result", NULL},
    {"_raw_saved_tensors", get_raw_saved, NULL, "the places of saved_tensors", NULL},
    {"requires_grad", get_requires_grad, NULL, NULL, NULL},
    {"adds_to_all_leaves", get_whole, NULL, "does this backward compute the gradients of all leaves?", NULL},
    {"materialize_grads", NULL, set_materialize, "as set_materialize_grads", NULL},
    {"_materialize_non_diff_grads", NULL, set_materialize_constants, "as materialize_grads, of what no gradient reaches", NULL},
    {"needs_input_grad", get_list, set_needs, "one bool an argument: does it require grad?",
     (void *)offsetof(kp_context, needs)},
    LIST("to_save", to_save, "as save_for_backward was given them; None once they are saved"),
    LIST("dirty_tensors", dirty, "as mark_dirty was given them"),
    LIST("non_differentiable", constant, "as mark_non_differentiable was given them"),
    LIST("saved_for_forward", for_forward, "as save_for_forward was given them"),
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject kp_context_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat._C._FunctionBase",
    .tp_doc = PyDoc_STR("What torch.autograd.Function and the contexts of its calls are made of."),
    .tp_basicsize = sizeof(kp_context),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_dictoffset = offsetof(kp_context, dict),
    .tp_weaklistoffset = offsetof(kp_context, weak),
    .tp_new = PyType_GenericNew,
    .tp_dealloc = context_dealloc,
    .tp_traverse = context_traverse,
    .tp_clear = context_clear,
    .tp_methods = context_methods,
    .tp_getset = context_getset,
};

PyMethodDef kp_custom_functions[] = {
    {"set_function_base", set_function_base, METH_O, "set_function_base(f): f is Function.setup_context"},
    {NULL, NULL, 0, NULL},
};
