/* task.c - one run of backward, as Python sees it: its number, whether it keeps the graph, what is called at its end.
 *
 * In: the runs that grad.c makes, which may be nested (a hook may call backward). Out: queue_callback and its like; and the hooks
 * of saved tensors are, after a run, those of before it. Independent of: what a run computes. */
#include "core/binding.h"

#include <karat/plugin/node.h>

#include <stdatomic.h>

static __thread kp_task *innermost; /* the run that this thread is in; NULL: none */
static atomic_long       n_runs;

void kp_task_begin(kp_task *task, bool keeps_graph)
{
    *task = (kp_task){.outer = innermost, .number = atomic_fetch_add(&n_runs, 1), .n_hooks = kt_saved_hooks_count(),
                      .keeps_graph = keeps_graph};
    innermost = task;
}

/* A callback may queue others. */
static int call_back(const kp_task *task)
{
    for (Py_ssize_t i = 0; task->callbacks && i < PyList_GET_SIZE(task->callbacks); i++) {
        PyObject *function = Py_NewRef(PyList_GET_ITEM(task->callbacks, i)), *answer = PyObject_CallNoArgs(function);
        Py_DECREF(function);
        if (!answer)
            return -1;
        Py_DECREF(answer);
    }
    return 0;
}

int kp_task_end(kp_task *task, bool done)
{
    while (kt_saved_hooks_count() > task->n_hooks) /* entered by a hook, and not left */
        Py_XDECREF((PyObject *)kt_saved_hooks_pop());
    const int failed = done ? call_back(task) : 0;
    innermost = task->outer;
    Py_CLEAR(task->callbacks);
    return failed;
}

static PyObject *queue_callback(PyObject *module, PyObject *function)
{
    (void)module;
    if (!innermost) {
        PyErr_SetString(PyExc_RuntimeError, "Final callbacks can only be installed during backward pass.");
        return NULL;
    }
    if ((!innermost->callbacks && !(innermost->callbacks = PyList_New(0))) || PyList_Append(innermost->callbacks, function))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *task_number(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromLong(innermost ? innermost->number : -1);
}

static PyObject *task_keeps_graph(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(!innermost || innermost->keeps_graph);
}

PyMethodDef kp_task_functions[] = {
    {"queue_callback", queue_callback, METH_O, "queue_callback(f): f() is called at the end of this run of backward"},
    {"task_number", task_number, METH_NOARGS, "the number of the run of backward that this thread is in; -1: none"},
    {"task_keeps_graph", task_keeps_graph, METH_NOARGS, "does the run of backward that this thread is in keep the graph?"},
    {NULL, NULL, 0, NULL},
};
