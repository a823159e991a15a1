/* error.c - the engine's pending error as a Python exception.
 *
 * In: the thread's pending error. Out: an exception of the class its status names, with the whole text: the first line is
 * PyTorch's, what follows explains. A dtype error also has its facts as data in the attribute `karat` (None for other
 * errors). The pending error is cleared. Independent of: what failed. */
#include "core/binding.h"

#include <karat/linalg.h>

static PyObject *out_of_memory; /* torch.OutOfMemoryError */
static PyObject *linalg_error;  /* torch.linalg.LinAlgError */

/* Errors of a device: PyTorch's class. One that has another class on the CPU is of both. */
static PyObject *of_device, *index_of_device, *value_of_device;

static int make_device_class(PyObject *module, PyObject **made, const char *name, PyObject *beside)
{
    char full[64];
    snprintf(full, sizeof full, "karat%s.%s", beside ? "._karat" : "", name);
    PyObject *bases = *made ? NULL : beside ? PyTuple_Pack(2, beside, of_device) : Py_NewRef(PyExc_RuntimeError);
    if (bases)
        *made = PyErr_NewExceptionWithDoc(full, "A device found an error, in a call or in work that was queued before. "
                                                "error_code: the number that its runtime has for it.", bases, NULL);
    Py_XDECREF(bases);
    return *made ? PyModule_AddObjectRef(module, name, *made) : -1;
}

int kp_error_start(PyObject *module)
{
    if (make_device_class(module, &of_device, "AcceleratorError", NULL) ||
        make_device_class(module, &index_of_device, "AcceleratorIndexError", PyExc_IndexError) ||
        make_device_class(module, &value_of_device, "AcceleratorValueError", PyExc_ValueError))
        return -1;
    if (!linalg_error)
        linalg_error = PyErr_NewExceptionWithDoc("karat._C._LinAlgError",
                                                 "A matrix is singular, or an algorithm of torch.linalg did not converge.",
                                                 PyExc_RuntimeError, NULL);
    if (!linalg_error || PyModule_AddObjectRef(module, "_LinAlgError", linalg_error))
        return -1;
    if (!out_of_memory)
        out_of_memory = PyErr_NewExceptionWithDoc("karat.OutOfMemoryError", "There is not enough memory for a tensor.",
                                                  PyExc_RuntimeError, NULL);
    return out_of_memory ? PyModule_AddObjectRef(module, "OutOfMemoryError", out_of_memory) : -1;
}

static PyObject *class_of(kt_status status, int device_code)
{
    if (status == KT_ERR_LINALG)
        return linalg_error;
    if (device_code)
        switch (status) {
        case KT_ERR_RUNTIME: return of_device;
        case KT_ERR_INDEX: return index_of_device;
        case KT_ERR_VALUE: return value_of_device;
        default: break;
        }
    switch (status) {
    case KT_ERR_TYPE: return PyExc_TypeError;
    case KT_ERR_VALUE: return PyExc_ValueError;
    case KT_ERR_INDEX: return PyExc_IndexError;
    case KT_ERR_NOT_IMPLEMENTED: return PyExc_NotImplementedError;
    case KT_ERR_MEMORY: return out_of_memory;
    case KT_ERR_OS: return PyExc_OSError;
    case KT_ERR_ASSERTION: return PyExc_AssertionError;
    case KT_ERR_ZERO_DIVISION: return PyExc_ZeroDivisionError;
    default: return PyExc_RuntimeError;
    }
}

/* A Python exception carried through the engine and raised unchanged at the other end. */
static void release_exception(void *payload)
{
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF((PyObject *)payload);
    PyGILState_Release(gil);
}

kt_status kp_fail_with_exception(void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value && trace)
        PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return kt_fail_foreign(value, release_exception);
}

/* What the engine adds to the user's own exception, the forward line of a node for example, is a note, which tracebacks show. */
static void add_notes(PyObject *exception)
{
    for (const char *line = kt_error(); *line;) {
        line += strspn(line, "\n ");
        const size_t n = strcspn(line, "\n");
        PyObject    *said = n ? PyObject_CallMethod(exception, "add_note", "s#", line, (Py_ssize_t)n) : NULL;
        if (n && !said)
            PyErr_Clear(); /* a class may have an add_note of its own */
        Py_XDECREF(said);
        line += n;
    }
}

static bool raise_foreign(void)
{
    PyObject *exception = kt_error_take_foreign();
    if (!exception)
        return false;
    add_notes(exception);
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_DECREF(exception);
    kt_clear();
    return true;
}

PyObject *kp_raise(void)
{
    kt_status status = kt_error_status();
    if (status == KT_ERR_FOREIGN && raise_foreign())
        return NULL;
    if (status == KT_OK) {
        PyErr_SetString(PyExc_SystemError, "a call failed without saying why");
        return NULL;
    }
    const char *text = kt_error();
    const int   device_code = kt_error_device_code();
    PyObject   *class = class_of(status, device_code);
    PyObject   *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    PyObject   *error = message ? PyObject_CallOneArg(class, message) : NULL;
    PyObject   *mistake = error ? kp_mistake_object() : NULL;
    PyObject   *number = mistake ? PyLong_FromLong(device_code) : NULL;
    if (number && PyObject_SetAttrString(error, "karat", mistake) == 0 &&
        (!device_code || PyObject_SetAttrString(error, "error_code", number) == 0))
        PyErr_SetObject(class, error);
    Py_XDECREF(number);
    Py_XDECREF(message);
    Py_XDECREF(error);
    Py_XDECREF(mistake);
    kt_clear();
    return NULL;
}

PyObject *kp_refuse_dtype(kt_status status, const kt_tensor *t, const char *op, kt_dtype wanted, const char *text)
{
    const kp_entry before = kp_enter();
    kt_refuse_dtype(status, t, op, KT_FIX_CAST, wanted, text);
    kp_leave(before);
    return kp_raise();
}

const kt_row *kp_row(const char *name)
{
    const kt_row *row = kt_row_find(name);
    if (!row)
        PyErr_Format(PyExc_SystemError, "the operator table has no row %s", name);
    return row;
}
