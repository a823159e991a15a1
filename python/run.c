/* run.c - calls that leave Python for long, and what a call gave as Python objects.
 *
 * In: a kt_call whose arguments the caller keeps alive. Out: a status, or the results. Must not know: which row it
 * is. */
#include "binding.h"

kt_status kp_run_released(kt_call *call)
{
    kp_entry before = kp_here;
    kp_site_capture(&kp_here);
    PyThreadState *thread = PyEval_SaveThread();
    kt_status      status = kt_call_run(call);
    PyEval_RestoreThread(thread);
    kp_here = before;
    return status;
}

static PyObject *list_results(kt_call *call)
{
    PyObject *all = PyTuple_New(call->n_list);
    for (int64_t i = 0; all && i < call->n_list; i++) {
        PyObject *one = kp_wrap_borrowed(call->list[i]);
        if (one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    kt_call_free_list(call);
    return all;
}

PyObject *kp_call_results(kt_call *call, PyTypeObject *type)
{
    if (KP_LIKELY(call->out[0] && call->n_out <= 1))
        return kp_wrap(call->out[0]);
    if (!call->out[0] && call->form == KT_INPLACE) { /* a list written in place gives nothing back */
        kt_call_free_list(call);
        Py_RETURN_NONE;
    }
    if (!call->out[0])
        return list_results(call);
    PyObject *all = type ? PyStructSequence_New(type) : PyTuple_New(call->n_out);
    for (int i = 0; i < call->n_out; i++) {
        PyObject *one = kp_wrap(call->out[i]); /* each is taken over, whatever happened before */
        if (all && one) {
            PyTuple_SET_ITEM(all, i, one); /* a named tuple is a tuple */
        } else {
            Py_XDECREF(one);
            Py_CLEAR(all);
        }
    }
    return all;
}
