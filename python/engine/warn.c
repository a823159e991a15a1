/* warn.c - the engine's warnings as Python warnings.
 *
 * In: texts, in the middle of a call that may run without the GIL. Out: UserWarnings after the call, with the user's
 * line. Independent of: what they say. A warning that a filter turns into an exception becomes the call's failure. */
#include "core/binding.h"

typedef struct kp_warning {
    struct kp_warning *next;
    char               text[];
} kp_warning;

static __thread kp_warning *warned;
int                         kp_warnings_waiting;

/* Out of memory: the warning is dropped. */
static void keep(const char *text)
{
    kp_warning **last = &warned;
    const size_t bytes = strlen(text) + 1;
    kp_warning  *one = malloc(sizeof *one + bytes);
    if (!one)
        return;
    memcpy(one->text, text, bytes);
    one->next = NULL;
    while (*last)
        last = &(*last)->next;
    *last = one;
    __atomic_add_fetch(&kp_warnings_waiting, 1, __ATOMIC_RELAXED);
}

static int say_all(void)
{
    int status = 0;
    while (warned) {
        kp_warning *one = warned;
        warned = one->next;
        __atomic_sub_fetch(&kp_warnings_waiting, 1, __ATOMIC_RELAXED);
        status = status ? status : PyErr_WarnEx(PyExc_UserWarning, one->text, 1);
        free(one);
    }
    return status;
}

static void forget_results(kt_call *call)
{
    for (int i = 0; i < call->n_out; i++) {
        kt_drop(call->out[i]);
        call->out[i] = NULL;
    }
    if (call->list)
        kt_call_free_list(call);
}

kt_status kp_say_warnings(kt_call *call, kt_status status)
{
    kt_error_state *failure = status ? kt_error_push() : NULL; /* showing a warning may call operators */
    if (say_all()) {
        if (status) {
            PyErr_Clear(); /* the call's failure has priority */
        } else {
            if (call)
                forget_results(call);
            status = kp_fail_with_exception();
        }
    }
    if (failure)
        kt_error_pop(failure);
    return status;
}

int kp_warn_start(void)
{
    kt_on_warning(keep);
    return 0;
}

int kp_warn_once(bool *said, const char *text)
{
    if (*said && !kt_warn_always())
        return 0;
    *said = true;
    return PyErr_WarnEx(PyExc_UserWarning, text, 1);
}

/* For once-only warnings of the package's Python code: a set of those given. */
static bool is_ours(PyFrameObject *frame)
{
    PyObject   *globals = PyFrame_GetGlobals(frame), *name = globals ? PyDict_GetItemString(globals, "__name__") : NULL;
    const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    const bool  ours = text && strncmp(text, "karat", 5) == 0 && (text[5] == '.' || !text[5]);
    Py_XDECREF(globals);
    return ours;
}

/* The level of the innermost frame that is not the package's, as warnings count them. */
static int users_level(void)
{
    PyFrameObject *frame = PyEval_GetFrame();
    int            level = 1;
    Py_XINCREF(frame);
    while (frame && is_ours(frame)) {
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_SETREF(frame, back);
        level++;
    }
    Py_XDECREF(frame);
    return level;
}

static PyObject *warn_once(PyObject *module, PyObject *text)
{
    static PyObject *texts;
    (void)module;
    if (!PyUnicode_Check(text))
        return PyErr_Format(PyExc_TypeError, "a text is needed, not %s", Py_TYPE(text)->tp_name);
    if (!texts && !(texts = PySet_New(NULL)))
        return NULL;
    const int known = PySet_Contains(texts, text);
    if (known < 0 || PySet_Add(texts, text))
        return NULL;
    if (known && !kt_warn_always())
        Py_RETURN_NONE;
    return PyErr_WarnFormat(PyExc_UserWarning, users_level(), "%U", text) ? NULL : Py_NewRef(Py_None);
}

static PyObject *set_warn_always(PyObject *module, PyObject *on)
{
    (void)module;
    if (!PyBool_Check(on))
        return PyErr_Format(PyExc_RuntimeError, "setWarnOnlyOnce expects a bool, but got %s", Py_TYPE(on)->tp_name);
    kt_set_warn_always(on == Py_True);
    Py_RETURN_NONE;
}

static PyObject *is_warn_always_enabled(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(kt_warn_always());
}

PyMethodDef kp_warn_functions[] = {
    {"set_warn_always", set_warn_always, METH_O, "set_warn_always(b): also what is said once a process, each time"},
    {"warn_once", warn_once, METH_O, "warn_once(text): a UserWarning, once a process unless set_warn_always"},
    {"is_warn_always_enabled", is_warn_always_enabled, METH_NOARGS, "was that asked for?"},
    {NULL, NULL, 0, NULL},
};
