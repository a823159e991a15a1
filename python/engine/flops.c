/* flops.c - what torch.utils.flop_counter is told: each call of the thread that counts, with its operations and the numbers of
 * the nodes that it belongs to.
 *
 * In: plugin/watch.h. Out: the function below, which calls back. Independent of: modules, formulas of the user, tables. */
#include "core/binding.h"

#include <karat/plugin/node.h>
#include <karat/plugin/watch.h>

static PyObject       *told;     /* callback(name, flops, row, backward, recorded, arguments, results) */
static PyObject       *wanted;   /* a set: rows whose arguments are told, too */
static __thread bool   counting;
static __thread int    inside;   /* of calls that are counted as a whole */
enum { DEEPEST = 32 };
static __thread int64_t formula[DEEPEST]; /* the numbers of the nodes whose formulas run, one inside the other */
static __thread int     formulas;

static void enter(const kt_span *span, void *context)
{
    (void)context;
    if (!counting)
        return;
    if (span->kind == KT_SPAN_FORMULA)
        formula[formulas++ % DEEPEST] = (int64_t)span->sequence;
    else if (span->kind == KT_SPAN_CALL && kt_call_counts_flops(span->call))
        inside++;
}

/* Tensors, and numbers that stand in a tensor's place. */
static PyObject *tensors(const kt_call *call)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < kt_row_n_args(call->row); i++) {
        const uint8_t kind = kt_row_arg(call->row, i)->kind;
        if (kind != KT_ARG_TENSOR && kind != KT_ARG_TENSOR_OR_SCALAR)
            continue;
        PyObject *one = call->scalars >> i & 1                        ? kp_from_scalar(call->arg[i].s)
                        : call->given >> i & 1 && call->arg[i].t ? kp_wrap_borrowed(call->arg[i].t)
                                                                 : Py_NewRef(Py_None);
        if (!one || PyList_Append(list, one))
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *results(const kt_call *call)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < call->n_out && call->out[i]; i++) {
        PyObject *one = kp_wrap_borrowed(call->out[i]);
        if (!one || PyList_Append(list, one))
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static void tell(const kt_call *call, int64_t flops, const char *name)
{
    kt_node        *node = call->out[0] ? kt_grad_fn(call->out[0]) : NULL;
    const long long backward = formulas ? (long long)formula[(formulas - 1) % DEEPEST] : -1;
    const long long recorded = node ? (long long)kt_node_sequence(node) : -1;
    kt_node_drop(node);
    PyObject       *row = PyUnicode_FromString(kt_row_name(call->row));
    const int       asks = row && wanted ? PySet_Contains(wanted, row) : 0;
    PyObject       *in = asks > 0 ? tensors(call) : Py_NewRef(Py_None), *out = asks > 0 ? results(call) : Py_NewRef(Py_None);
    PyObject       *answer = row && in && out
                                 ? PyObject_CallFunction(told, "sLOLLOO", name, (long long)flops, row, backward,
                                                         recorded, in, out)
                                 : NULL;
    if (!answer)
        PyErr_WriteUnraisable(told);
    Py_XDECREF(answer);
    Py_XDECREF(row);
    Py_XDECREF(in);
    Py_XDECREF(out);
}

static void leave(const kt_span *span, kt_status status, void *context)
{
    (void)context;
    if (!counting)
        return;
    if (span->kind == KT_SPAN_FORMULA && formulas)
        formulas--;
    if (span->kind != KT_SPAN_CALL)
        return;
    if (inside && kt_call_counts_flops(span->call))
        inside--;
    if (status)
        return;
    const char      *name = "";
    const int64_t    flops = inside ? 0 : kt_call_flops(span->call, &name);
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject        *error[3];
    PyErr_Fetch(&error[0], &error[1], &error[2]);
    counting = false; /* what the callback calls is not the program's */
    if (told)
        tell(span->call, flops, name);
    counting = true;
    PyErr_Restore(error[0], error[1], error[2]);
    PyGILState_Release(gil);
}

static const kt_watcher watcher = {
    .abi = KT_WATCH_ABI, .size = sizeof watcher, .enter = enter, .leave = leave,
};

static PyObject *count(PyObject *module, PyObject *args)
{
    PyObject *callback, *rows;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &callback, &rows))
        return NULL;
    const bool on = callback != Py_None;
    if (on && !told && kt_watch(&watcher))
        return kp_raise();
    if (!on && told && kt_unwatch(&watcher))
        return kp_raise();
    Py_XSETREF(told, on ? Py_NewRef(callback) : NULL);
    Py_XSETREF(wanted, on ? Py_NewRef(rows) : NULL);
    counting = on;
    inside = formulas = 0;
    Py_RETURN_NONE;
}

PyMethodDef kp_flops_functions[] = {
    {"count_flops", count, METH_VARARGS,
     "count_flops(callback, rows): callback(name, flops, row, backward, recorded, tensors, results) after each call of this "
     "thread; None: no more"},
    {NULL, NULL, 0, NULL},
};
