/* lineage.c - where a tensor's dtype came from, as data and as text.
 *
 * In: a Tensor. Out: its chain of records, newest first, or the engine's explanation. */
#include "binding.h"

static kt_tensor *the_tensor(const char *name, PyObject *o)
{
    if (kp_is_tensor(o))
        return kp_tensor_of(o);
    PyErr_Format(PyExc_TypeError, "%s(): argument 'input' (position 1) must be Tensor, not %s", name,
                 Py_TYPE(o)->tp_name);
    return NULL;
}

static PyObject *record_object(const kt_lineage_record *r)
{
    PyObject *from = kp_dtype_object(r->from), *to = kp_dtype_object(r->to), *result = NULL;
    if (from && to)
        result = Py_BuildValue("{s:s, s:z, s:O, s:O, s:z, s:i}", "why", kt_reason_name(r->why), "op", r->op, "from",
                               from, "to", to, "file", r->file, "line", r->line);
    Py_XDECREF(from);
    Py_XDECREF(to);
    return result;
}

static PyObject *chain_object(uint32_t id)
{
    PyObject         *list = PyList_New(0);
    kt_lineage_record record = {.size = sizeof record};
    for (; list && id && kt_lineage_read(id, &record); id = record.parent) {
        PyObject *one = record_object(&record);
        if (!one || PyList_Append(list, one))
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *operand_object(const char *name, kt_dtype dtype, uint32_t lineage)
{
    PyObject *type = kp_dtype_object(dtype), *chain = type ? chain_object(lineage) : NULL;
    PyObject *result = chain ? Py_BuildValue("{s:s, s:O, s:O}", "name", name, "dtype", type, "lineage", chain) : NULL;
    Py_XDECREF(type);
    Py_XDECREF(chain);
    return result;
}

PyObject *kp_mistake_object(void)
{
    kt_mistake m = {.size = sizeof m};
    if (!kt_error_mistake(&m))
        Py_RETURN_NONE;
    PyObject *operands = PyList_New(0);
    for (int i = 0; operands && i < m.n; i++) {
        PyObject *one = operand_object(m.operand[i].name, m.operand[i].dtype, m.operand[i].lineage);
        if (!one || PyList_Append(operands, one))
            Py_CLEAR(operands);
        Py_XDECREF(one);
    }
    PyObject *result = operands ? Py_BuildValue("{s:s, s:O}", "op", m.op, "operands", operands) : NULL;
    Py_XDECREF(operands);
    return result;
}

static PyObject *lineage(PyObject *module, PyObject *o)
{
    (void)module;
    kt_tensor *t = the_tensor("lineage", o);
    return t ? chain_object(kt_lineage_of(t)) : NULL;
}

static PyObject *explain(PyObject *module, PyObject *o)
{
    (void)module;
    kt_tensor *t = the_tensor("explain", o);
    if (!t)
        return NULL;
    char *text = kt_explain(t);
    if (!text)
        return kp_raise();
    PyObject *result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    kt_free_string(text);
    return result;
}

PyMethodDef kp_lineage_functions[] = {
    {"lineage", lineage, METH_O, "lineage(t): the records of how t came to its dtype, newest first"},
    {"explain", explain, METH_O, "explain(t): the same as text"},
    {NULL, NULL, 0, NULL},
};
