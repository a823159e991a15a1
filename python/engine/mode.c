/* mode.c - the thread's modes, memory and thread settings; the context managers are in karat/modes.py.
 *
 * In: names and flags. Out: the engine's settings. */
#include "core/binding.h"

#include <karat/attention.h>

static PyObject *get_policy(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyUnicode_FromString(kt_policy_name(kt_get_policy()));
}

static PyObject *set_policy(PyObject *module, PyObject *o)
{
    (void)module;
    PyObject   *kept = NULL;
    const char *name = PyUnicode_Check(o) ? kp_text(o, &kept) : NULL;
    int         policy = name ? kt_policy_find(name) : -1;
    Py_XDECREF(kept);
    if (PyErr_Occurred())
        return NULL;
    if (policy < 0) {
        PyErr_Format(PyExc_ValueError, "policy must be \"strict\", \"safe\", \"torch\" or \"permissive\", not %R", o);
        return NULL;
    }
    kt_set_policy((kt_policy)policy);
    Py_RETURN_NONE;
}

static PyObject *is_grad_enabled(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(kt_grad_enabled());
}

static PyObject *set_grad(PyObject *module, PyObject *o)
{
    (void)module;
    int on = PyObject_IsTrue(o);
    if (on < 0)
        return NULL;
    kt_set_grad_enabled(on);
    Py_RETURN_NONE;
}

static PyObject *is_inference_mode_enabled(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(kt_inference());
}

static PyObject *set_inference(PyObject *module, PyObject *o)
{
    (void)module;
    int on = PyObject_IsTrue(o);
    if (on < 0)
        return NULL;
    kt_set_inference(on);
    Py_RETURN_NONE;
}

static PyObject *memory_stats(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    kt_memory_stats s = {.size = sizeof s};
    kt_memory_read(&s);
    return Py_BuildValue("{s:K, s:K, s:K, s:K, s:K, s:K}", "live_bytes", s.live_bytes, "live_blocks", s.live_blocks,
                         "cached_bytes", s.cached_bytes, "peak_bytes", s.peak_bytes, "total_allocations",
                         s.total_allocations, "system_allocations", s.system_allocations);
}

static PyObject *get_num_threads(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromLong(kt_get_num_threads());
}

static PyObject *set_num_threads(PyObject *module, PyObject *o)
{
    (void)module;
    if (!PyLong_Check(o) || PyBool_Check(o))
        return PyErr_Format(PyExc_RuntimeError, "set_num_threads expects an int, but got %s", Py_TYPE(o)->tp_name);
    int       overflow;
    long long n = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow)
        return PyErr_Format(PyExc_ValueError, "Overflow when unpacking long long");
    if (n != (int)n)
        return PyErr_Format(PyExc_ValueError, "Overflow when unpacking long");
    return kt_set_num_threads((int)n) ? kp_raise() : Py_NewRef(Py_None);
}

static PyObject *get_deterministic(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromLong(kt_deterministic());
}

static PyObject *set_deterministic(PyObject *module, PyObject *o)
{
    (void)module;
    const long mode = PyLong_AsLong(o);
    if (mode == -1 && PyErr_Occurred())
        return NULL;
    kt_set_deterministic(mode <= 0 ? KT_NOT_ASKED : mode == 1 ? KT_DETERMINISTIC_WARN : KT_DETERMINISTIC);
    Py_RETURN_NONE;
}

static PyObject *get_fill_unwritten(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(kt_fill_unwritten());
}

static PyObject *set_fill_unwritten(PyObject *module, PyObject *o)
{
    (void)module;
    if (!PyBool_Check(o))
        return PyErr_Format(PyExc_RuntimeError, "expected a bool, but got %s", Py_TYPE(o)->tp_name);
    kt_set_fill_unwritten(o == Py_True);
    Py_RETURN_NONE;
}

static PyObject *memory_fail_after(PyObject *module, PyObject *o)
{
    (void)module;
    long long n = PyLong_AsLongLong(o);
    if (n == -1 && PyErr_Occurred())
        return NULL;
    kt_memory_fail_after(n);
    Py_RETURN_NONE;
}

static PyObject *get_precision(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    const char *name = kt_get_float32_matmul_precision();
    return name ? PyUnicode_FromString(name) : kp_raise();
}

static PyObject *set_precision(PyObject *module, PyObject *o)
{
    (void)module;
    PyObject   *kept = NULL;
    const char *name = PyUnicode_Check(o) ? kp_text(o, &kept) : NULL;
    kt_status   status = name ? kt_set_float32_matmul_precision(name) : KT_OK;
    Py_XDECREF(kept);
    if (!name)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "a str is needed, not %s", Py_TYPE(o)->tp_name);
    return status ? kp_raise() : Py_NewRef(Py_None);
}

static PyObject *get_fp32_precision(PyObject *module, PyObject *args)
{
    (void)module;
    const char *backend, *op;
    if (!PyArg_ParseTuple(args, "ss", &backend, &op))
        return NULL;
    const char *name = kt_get_fp32_precision(backend, op);
    return name ? PyUnicode_FromString(name) : kp_raise();
}

static PyObject *set_fp32_precision(PyObject *module, PyObject *args)
{
    (void)module;
    const char *backend, *op, *precision;
    if (!PyArg_ParseTuple(args, "sss", &backend, &op, &precision))
        return NULL;
    return kt_set_fp32_precision(backend, op, precision) ? kp_raise() : Py_NewRef(Py_None);
}

static PyObject *tf32_allowed(PyObject *module, PyObject *o)
{
    (void)module;
    bool       allowed;
    const long of = PyLong_AsLong(o);
    if (of == -1 && PyErr_Occurred())
        return NULL;
    return kt_tf32_allowed(of ? KT_TF32_CONVOLUTIONS : KT_TF32_PRODUCTS, &allowed) ? kp_raise() : PyBool_FromLong(allowed);
}

static PyObject *allow_tf32(PyObject *module, PyObject *args)
{
    (void)module;
    int of, allowed;
    if (!PyArg_ParseTuple(args, "ip", &of, &allowed))
        return NULL;
    kt_allow_tf32(of ? KT_TF32_CONVOLUTIONS : KT_TF32_PRODUCTS, allowed);
    Py_RETURN_NONE;
}

static PyObject *allow_attention(PyObject *module, PyObject *args)
{
    (void)module;
    int way, allowed;
    if (!PyArg_ParseTuple(args, "ip", &way, &allowed))
        return NULL;
    kt_allow_attention((kt_attention_way)way, allowed);
    Py_RETURN_NONE;
}

static PyObject *attention_allowed(PyObject *module, PyObject *o)
{
    (void)module;
    const long way = PyLong_AsLong(o);
    if (way == -1 && PyErr_Occurred())
        return NULL;
    return PyBool_FromLong(kt_attention_allowed((kt_attention_way)way));
}

/* The first call loads the libraries, so it is not made at import. */
static PyObject *product_libraries(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject   *names = PyList_New(0);
    const char *name;
    for (int i = 0; names && (name = kt_cpu_matmul(i))[0]; i++) {
        PyObject *text = PyUnicode_FromString(name);
        if (!text || PyList_Append(names, text))
            Py_CLEAR(names);
        Py_XDECREF(text);
    }
    return names;
}

PyMethodDef kp_mode_functions[] = {
    {"get_float32_matmul_precision", get_precision, METH_NOARGS, "how float32 products are computed"},
    {"set_float32_matmul_precision", set_precision, METH_O, "set it"},
    {"get_fp32_precision", get_fp32_precision, METH_VARARGS, "to what float32 may be rounded: backend, operation"},
    {"set_fp32_precision", set_fp32_precision, METH_VARARGS, "set it: backend, operation, name"},
    {"tf32_allowed", tf32_allowed, METH_O, "may GPUs round float32 to TF32? 0: in products, 1: in convolutions"},
    {"allow_tf32", allow_tf32, METH_VARARGS, "allow it, or forbid it: 0 or 1, a bool"},
    {"allow_attention", allow_attention, METH_VARARGS, "allow a way of attention, or forbid it: its number, a bool"},
    {"attention_allowed", attention_allowed, METH_O, "is it allowed?"},
    {"product_libraries", product_libraries, METH_NOARGS, "the libraries found for matrix products, by name"},
    {"get_deterministic", get_deterministic, METH_NOARGS, "0 not asked for, 1 warn, 2 refuse"},
    {"set_deterministic", set_deterministic, METH_O, "set it"},
    {"get_fill_unwritten", get_fill_unwritten, METH_NOARGS, "is memory that nobody has written filled, in that mode?"},
    {"set_fill_unwritten", set_fill_unwritten, METH_O, "set it"},
    {"memory_fail_after", memory_fail_after, METH_O, "tests: the n-th allocation from now fails; -1: none"},
    {"get_policy", get_policy, METH_NOARGS, "the name of the cast policy of this thread"},
    {"set_policy", set_policy, METH_O, "set it"},
    {"is_grad_enabled", is_grad_enabled, METH_NOARGS, "are operators recorded for backward on this thread?"},
    {"set_grad", set_grad, METH_O, "record them, or not"},
    {"is_inference_mode_enabled", is_inference_mode_enabled, METH_NOARGS, "is the thread in inference_mode?"},
    {"set_inference", set_inference, METH_O, "enter it, or leave it"},
    {"memory_stats", memory_stats, METH_NOARGS, "what the caching allocator knows, in bytes and blocks"},
    {"get_num_threads", get_num_threads, METH_NOARGS, "how many threads a large operator may use"},
    {"set_num_threads", set_num_threads, METH_O, "set it"},
    {NULL, NULL, 0, NULL},
};
