/* saved.c - torch.autograd.graph.saved_tensors_hooks: Python functions that keep something else instead of saved tensors.
 *
 * In: a function that packs and one that unpacks, for a with block. Out: the engine's hooks (plugin/node.h) call them.
 * Independent of: what is saved, and why. */
#include "core/binding.h"

#include <karat/plugin/node.h>

/* `kept` is a tuple (unpack, what pack gave). */
static kt_status call_pack(kt_tensor *t, void *context, void **kept)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject        *pair = context, *shown = kp_wrap_borrowed(t);
    PyObject        *packed = shown ? PyObject_CallOneArg(PyTuple_GET_ITEM(pair, 0), shown) : NULL;
    kt_status        status = KT_OK;
    *kept = packed ? PyTuple_Pack(2, PyTuple_GET_ITEM(pair, 1), packed) : NULL;
    if (!*kept)
        status = kp_fail_with_exception();
    Py_XDECREF(shown);
    Py_XDECREF(packed);
    PyGILState_Release(gil);
    return status;
}

static kt_status call_unpack(void *kept, kt_tensor **t)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject        *pair = Py_NewRef((PyObject *)kept);
    PyObject        *given = PyObject_CallOneArg(PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1));
    kt_status        status = KT_OK;
    if (given && !kp_is_tensor(given))
        PyErr_Format(PyExc_TypeError,
                     "Output of saved tensor unpack_hook expected to be a Tensor but got result of type %s",
                     Py_TYPE(given)->tp_name);
    if (!given || PyErr_Occurred())
        status = kp_fail_with_exception();
    else
        *t = kt_keep(kp_tensor_of(given));
    Py_XDECREF(given);
    Py_DECREF(pair);
    PyGILState_Release(gil);
    return status;
}

static void release(void *kept)
{
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF((PyObject *)kept);
    PyGILState_Release(gil);
}

static const kt_saved_hooks hooks = {call_pack, call_unpack, release};

static __thread PyObject *refusal; /* owned: why hooks are refused on this thread; NULL: they are not */

static PyObject *refuse(void)
{
    PyErr_SetObject(PyExc_RuntimeError, refusal);
    return NULL;
}

kt_status kp_pack_place(kt_node *node, int64_t place, PyObject *pack, PyObject *unpack)
{
    PyObject       *pair = PyTuple_Pack(2, pack, unpack);
    const kt_status status = pair ? kt_node_pack(node, place, &hooks, pair) : kp_fail_with_exception();
    Py_XDECREF(pair);
    return status;
}

static PyObject *push_saved_hooks(PyObject *module, PyObject *args)
{
    PyObject *pack, *unpack;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO:saved_tensors_hooks", &pack, &unpack))
        return NULL;
    if (refusal)
        return refuse();
    PyObject *pair = PyTuple_Pack(2, pack, unpack);
    if (!pair)
        return NULL;
    if (kt_saved_hooks_push(&hooks, pair)) {
        Py_DECREF(pair);
        return kp_raise();
    }
    Py_RETURN_NONE;
}

static PyObject *pop_saved_hooks(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject *pair = kt_saved_hooks_pop();
    Py_XDECREF(pair);
    Py_RETURN_NONE;
}

/* refuse_saved_hooks(text): what was the text before, or None. Hooks that are there already are refused, too. */
static PyObject *refuse_saved_hooks(PyObject *module, PyObject *text)
{
    (void)module;
    PyObject *before = refusal ? refusal : Py_NewRef(Py_None);
    refusal = text == Py_None ? NULL : Py_NewRef(text);
    if (!refusal || !kt_has_saved_hooks())
        return before;
    refuse();
    Py_DECREF(refusal);
    refusal = before == Py_None ? NULL : before;
    if (!refusal)
        Py_DECREF(before);
    return NULL;
}

static PyObject *mutation_begin(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return kt_mutation_begin() ? kp_raise() : Py_NewRef(Py_None);
}

static PyObject *mutation_clear(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return kt_mutation_clear() ? kp_raise() : Py_NewRef(Py_None);
}

static PyObject *mutation_end(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    kt_mutation_end();
    Py_RETURN_NONE;
}

static PyObject *increment_version(PyObject *module, PyObject *t)
{
    (void)module;
    if (!kp_is_tensor(t)) {
        PyErr_Format(PyExc_TypeError, "increment_version expects a Tensor, got %s", Py_TYPE(t)->tp_name);
        return NULL;
    }
    kt_increment_version(kp_tensor_of(t));
    Py_RETURN_NONE;
}

PyMethodDef kp_saved_functions[] = {
    {"push_saved_hooks", push_saved_hooks, METH_VARARGS, "push_saved_hooks(pack, unpack)"},
    {"pop_saved_hooks", pop_saved_hooks, METH_NOARGS, "ends what push_saved_hooks began"},
    {"refuse_saved_hooks", refuse_saved_hooks, METH_O, "refuse_saved_hooks(text or None): the text before"},
    {"mutation_begin", mutation_begin, METH_NOARGS, "from now on, what is saved may be written to"},
    {"mutation_clear", mutation_clear, METH_NOARGS, "forgets what was kept because of that"},
    {"mutation_end", mutation_end, METH_NOARGS, "ends what mutation_begin began"},
    {"increment_version", increment_version, METH_O, "its memory was written to by other means than an operator"},
    {NULL, NULL, 0, NULL},
};
