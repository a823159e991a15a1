/* print.c - set_printoptions: the process's print options, from Python and back.
 *
 * In: set_printoptions' arguments. Out: the engine's options. karat/printing.py defines the profiles. */
#include "core/binding.h"

static PyObject *get_print_options(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    kt_print_options o = {.size = sizeof o};
    kt_get_print_options(&o);
    PyObject *sci = o.sci_mode < 0 ? Py_NewRef(Py_None) : PyBool_FromLong(o.sci_mode);
    return Py_BuildValue("{s:i, s:L, s:L, s:i, s:N}", "precision", o.precision, "threshold", (long long)o.threshold,
                         "edgeitems", (long long)o.edgeitems, "linewidth", o.linewidth, "sci_mode", sci);
}

/* threshold and edgeitems may be float("inf"), as in PyTorch. */
static int to_count(PyObject *o, int64_t *to)
{
    double d = PyFloat_AsDouble(o);
    if (d == -1.0 && PyErr_Occurred())
        return -1;
    *to = d >= 9e18 ? INT64_MAX : d > -9e18 ? (int64_t)d : INT64_MIN; /* a NaN is not above either */
    return 0;
}

static PyObject *set_print_options(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char     *names[] = {"precision", "threshold", "edgeitems", "linewidth", "sci_mode", NULL};
    PyObject        *threshold = Py_None, *edge = Py_None, *sci = Py_None;
    kt_print_options o = {.size = sizeof o};
    kt_get_print_options(&o);
    int64_t width = o.linewidth;
    PyObject *line = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|iOOOO", names, &o.precision, &threshold, &edge, &line, &sci) ||
        (threshold != Py_None && to_count(threshold, &o.threshold)) ||
        (edge != Py_None && to_count(edge, &o.edgeitems)) || (line != Py_None && to_count(line, &width)))
        return NULL;
    o.linewidth = width > INT32_MAX ? INT32_MAX : (int)width;
    int on = sci == Py_None ? -1 : PyObject_IsTrue(sci);
    if (sci != Py_None && on < 0)
        return NULL;
    o.sci_mode = on;
    return kt_set_print_options(&o) ? kp_raise() : Py_NewRef(Py_None);
}

PyMethodDef kp_print_functions[] = {
    {"get_print_options", get_print_options, METH_NOARGS, "the options by name"},
    {"set_print_options", KP_FUNCTION(set_print_options), METH_VARARGS | METH_KEYWORDS,
     "set_print_options(precision, threshold, edgeitems, linewidth, sci_mode=None): those not given stay"},
    {NULL, NULL, 0, NULL},
};
