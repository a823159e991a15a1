/* shown.c - calls that are shown to a Python function (watch_calls). In: the engine's calls, by kt_call_watch_push. Out: what the
 * function gives in place of running them. Independent of: what the function does with them. */
#include "core/binding.h"

#include <karat/plugin/call.h>

/* (results of an ended call): a tuple of tensors */
static PyObject *results_of(const kt_call *call)
{
    PyObject *all = PyTuple_New(call->n_out);
    for (int i = 0; all && i < call->n_out; i++) {
        PyObject *one = call->out[i] ? kp_wrap_borrowed(call->out[i]) : Py_NewRef(Py_None);
        if (one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}

static int take(kt_call *call, PyObject *answer, bool *given)
{
    const int n = kt_row_n_results(call->row);
    if (answer == Py_None)
        return 0;
    if (!PyTuple_Check(answer) || PyTuple_GET_SIZE(answer) != n) {
        PyErr_Format(PyExc_TypeError, "%s: a watcher of calls gives a tuple of %d tensors, or None", kt_row_name(call->row), n);
        return -1;
    }
    for (int i = 0; i < n; i++)
        if (!kp_is_tensor(PyTuple_GET_ITEM(answer, i))) {
            PyErr_Format(PyExc_TypeError, "%s: a watcher of calls gives tensors, not %R", kt_row_name(call->row),
                         PyTuple_GET_ITEM(answer, i));
            return -1;
        }
    for (int i = 0; i < n; i++)
        call->out[i] = kt_keep(kp_tensor_of(PyTuple_GET_ITEM(answer, i)));
    *given = true;
    return 0;
}

static kt_status see(kt_call *call, kt_call_moment moment, bool *given, void *function)
{
    if (call->form == KT_OUT)
        return KT_OK;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *args = kp_positional(call, false), *names = args ? kp_by_name(call, false) : NULL;
    PyObject *results = !names ? NULL : moment == KT_CALL_ENDED ? results_of(call) : Py_NewRef(Py_None);
    PyObject *answer = results ? PyObject_CallFunction(function, "ssOOOO", kt_row_name(call->row), kt_row_schema(call->row),
                                                       call->form == KT_INPLACE ? Py_True : Py_False, args, names, results)
                               : NULL;
    const int failed = answer ? moment == KT_CALL_BEGINS ? take(call, answer, given) : 0 : -1;
    const kt_status status = failed ? kp_fail_with_exception() : KT_OK;
    Py_XDECREF(answer);
    Py_XDECREF(results);
    Py_XDECREF(names);
    Py_XDECREF(args);
    PyGILState_Release(gil);
    return status;
}

static PyObject *watch_calls(PyObject *module, PyObject *function)
{
    (void)module;
    if (kt_call_watch_push(see, function))
        return kp_raise();
    Py_INCREF(function);
    Py_RETURN_NONE;
}

static PyObject *unwatch_calls(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    Py_XDECREF(kt_call_watch_pop());
    Py_RETURN_NONE;
}

PyMethodDef kp_shown_functions[] = {
    {"watch_calls", watch_calls, METH_O,
     "watch_calls(f): operators are shown to f(row, schema, in_place, args, kwargs, results), before they run with results None: "
     "then it may give a tuple of results in place of that"},
    {"unwatch_calls", unwatch_calls, METH_NOARGS, "the end of the last watch_calls"},
    {NULL, NULL, 0, NULL},
};
