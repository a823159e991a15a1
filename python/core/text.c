/* text.c - a str as a C string for the engine: UTF-8 without embedded NUL.
 *
 * In: a str. Out: its bytes and what holds them. Independent of: what the text means. */
#include "core/binding.h"

const char *kp_text(PyObject *text, PyObject **kept)
{
    Py_ssize_t  n;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &n);
    *kept = NULL;
    if (!bytes) {
        if (PyErr_ExceptionMatches(PyExc_UnicodeError)) /* a lone surrogate: PyTorch's text */
            PyErr_SetString(PyExc_RuntimeError, "error unpacking string as utf-8");
        return NULL;
    }
    if (KP_LIKELY(strlen(bytes) == (size_t)n)) {
        *kept = Py_NewRef(text);
        return bytes;
    }
    PyObject *nul = PyUnicode_FromStringAndSize("", 1), *mark = PyUnicode_FromString("\xef\xbf\xbd");
    *kept = nul && mark ? PyUnicode_Replace(text, nul, mark, -1) : NULL;
    Py_XDECREF(nul);
    Py_XDECREF(mark);
    return *kept ? PyUnicode_AsUTF8(*kept) : NULL;
}
