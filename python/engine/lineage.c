/* lineage.c - where a tensor's dtype came from, as data and as text.
 *
 * In: a Tensor. Out: its chain of records, oldest first, or the engine's text. */
#include "core/binding.h"

static kt_tensor *the_tensor(const char *name, PyObject *o)
{
    if (kp_is_tensor(o))
        return kp_tensor_of(o);
    PyErr_Format(PyExc_TypeError, "%s(): argument 'input' (position 1) must be Tensor, not %s", name,
                 Py_TYPE(o)->tp_name);
    return NULL;
}

static PyObject *chain_object(uint32_t id);

static PyObject *record_object(const kt_lineage_record *r)
{
    PyObject *from = kp_dtype_object(r->from), *to = kp_dtype_object(r->to), *result = NULL;
    if (from && to)
        result = Py_BuildValue("{s:s, s:z, s:O, s:O, s:z, s:i}", "why", kt_reason_name(r->why), "op", r->op, "from",
                               from, "to", to, "file", r->file, "line", r->line);
    Py_XDECREF(from);
    Py_XDECREF(to);
    if (result && r->like) {
        PyObject *like = chain_object(r->like);
        if (!like || PyDict_SetItemString(result, "like", like))
            Py_CLEAR(result);
        Py_XDECREF(like);
    }
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
    if (list && PyList_Reverse(list)) /* the engine returns the newest first */
        Py_CLEAR(list);
    return list;
}

/* ---- an error as data ---- */

/* Steals the value; NULL propagates an exception. */
static int put(PyObject *dict, const char *key, PyObject *value)
{
    const int status = dict && value ? PyDict_SetItemString(dict, key, value) : -1;
    Py_XDECREF(value);
    return status;
}

static int append(PyObject *list, PyObject *value)
{
    const int status = value ? PyList_Append(list, value) : -1;
    Py_XDECREF(value);
    return status;
}

static PyObject *text_or_none(const char *text)
{
    return text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : Py_NewRef(Py_None);
}

static PyObject *operand_object(const char *name, kt_dtype dtype, kt_shape shape, uint32_t lineage)
{
    PyObject  *o = PyDict_New();
    const bool number = dtype == KT_NONE;
    if (!o || put(o, "name", PyUnicode_FromString(name)) || put(o, "dtype", kp_dtype_object(dtype)) ||
        put(o, "shape", number ? Py_NewRef(Py_None) : kp_size_object(shape)) || put(o, "lineage", chain_object(lineage)))
        Py_CLEAR(o);
    return o;
}

static PyObject *fix_object(const kt_mistake *m, const kt_fix *fix)
{
    PyObject *o = PyDict_New(), *operands = PyList_New(0);
    for (int i = 0; operands && i < m->n; i++)
        if (fix->operands >> i & 1 && append(operands, PyUnicode_FromString(m->operand[i].name)))
            Py_CLEAR(operands);
    const bool policy = fix->kind == KT_FIX_POLICY;
    if (put(o, "operands", operands) || put(o, "action", PyUnicode_FromString(kt_fix_kind_name(fix->kind))) ||
        put(o, "dtype", kp_dtype_object(fix->dtype)) ||
        put(o, "policy", policy ? PyUnicode_FromString(kt_policy_name(fix->policy)) : Py_NewRef(Py_None)) ||
        put(o, "can_lose_values", PyBool_FromLong(fix->loses)) || put(o, "text", text_or_none(fix->text)))
        Py_CLEAR(o);
    return o;
}

PyObject *kp_mistake_object(void)
{
    kt_mistake m = {.size = sizeof m};
    if (!kt_error_mistake(&m))
        m = (kt_mistake){.size = sizeof m};
    PyObject *file = m.file ? text_or_none(m.file) : NULL, *o = PyDict_New();
    PyObject *operands = PyList_New(0), *fixes = PyList_New(0);
    int       line = m.line;
    if (!m.file)
        file = kp_site_place(&line);
    for (int i = 0; operands && i < m.n; i++)
        if (append(operands, operand_object(m.operand[i].name, m.operand[i].dtype, m.operand[i].shape, m.operand[i].lineage)))
            Py_CLEAR(operands);
    for (int i = 0; fixes && i < m.n_fixes; i++)
        if (append(fixes, fix_object(&m, &m.fix[i])))
            Py_CLEAR(fixes);
    int status = put(o, "op", text_or_none(m.op));
    status |= put(o, "file", file) | put(o, "line", PyLong_FromLong(line));
    status |= put(o, "operands", operands) | put(o, "fixes", fixes) | put(o, "module", Py_NewRef(Py_None));
    if (status)
        Py_CLEAR(o);
    return o;
}

/* ---- exceptions raised by the binding ---- */

static PyObject *argument_object(const kp_row_facts *form, Py_ssize_t i, PyObject *argument)
{
    static const char *const of_indexing[] = {"self", "index", "value"};
    const char *name = !form ? of_indexing[i < 3 ? i : 2] : i < form->n_args ? PyUnicode_AsUTF8(form->name[i]) : "...";
    if (!name)
        return NULL;
    const kt_tensor *t = kp_tensor_of(argument);
    return operand_object(name, kt_dtype_of(t), kt_sizes(t), kt_lineage_of(t));
}

static PyObject *told_object(const char *op, const kp_row_facts *form, PyObject *const *argv, Py_ssize_t n)
{
    int       line;
    PyObject *o = PyDict_New(), *operands = PyList_New(0);
    for (Py_ssize_t i = 0; operands && i < n; i++)
        if (kp_is_tensor(argv[i]) && append(operands, argument_object(form, i, argv[i])))
            Py_CLEAR(operands);
    PyObject *file = kp_site_place(&line);
    int       status = put(o, "op", text_or_none(op)) | put(o, "file", file) | put(o, "line", PyLong_FromLong(line));
    status |= put(o, "operands", operands) | put(o, "fixes", PyList_New(0)) | put(o, "module", Py_NewRef(Py_None));
    if (status)
        Py_CLEAR(o);
    return o;
}

/* An exception with a traceback was raised by Python code: it is left unchanged. */
PyObject *kp_tell(const char *op, const kp_row_facts *form, PyObject *const *argv, Py_ssize_t n)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (trace || !type || !PyErr_GivenExceptionMatches(type, PyExc_Exception)) {
        PyErr_Restore(type, value, trace);
        return NULL;
    }
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *known = value ? PyObject_GetAttrString(value, "karat") : NULL;
    PyErr_Clear();
    PyObject *told = value && !known ? told_object(op, form, argv, n) : NULL;
    if (told)
        PyObject_SetAttrString(value, "karat", told);
    PyErr_Clear(); /* out of memory: the exception stays without the attribute */
    Py_XDECREF(known);
    Py_XDECREF(told);
    PyErr_Restore(type, value, trace);
    return NULL;
}

/* The same for an exception that the package's Python code is about to raise. */
static PyObject *told(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject   *error, *self;
    const char *op;
    if (!PyArg_ParseTuple(args, "OsO", &error, &op, &self))
        return NULL;
    PyObject *karat = told_object(op, NULL, &self, 1);
    int       status = karat ? PyObject_SetAttrString(error, "karat", karat) : -1;
    Py_XDECREF(karat);
    return status ? NULL : Py_NewRef(error);
}

static PyObject *refuse_unlike(PyObject *module, PyObject *args)
{
    (void)module;
    const char *text, *op, *name[2];
    PyObject   *first, *second;
    if (!PyArg_ParseTuple(args, "sssO!sO!", &text, &op, &name[0], kp_tensor_type, &first, &name[1], kp_tensor_type, &second))
        return NULL;
    const kp_entry before = kp_enter();
    kt_refuse_unlike(KT_ERR_VALUE, op, kp_tensor_of(first), name[0], kp_tensor_of(second), name[1], text);
    kp_leave(before);
    return kp_raise();
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
    if (kt_failed())
        return kp_raise();
    PyObject *result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    kt_free_string(text);
    return result;
}

static PyObject *lineage_say(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject   *t;
    const char *op;
    if (!PyArg_ParseTuple(args, "O!s", kp_tensor_type, &t, &op))
        return NULL;
    const kp_entry before = kp_enter();
    kt_lineage_say(kp_tensor_of(t), op);
    kp_leave(before);
    Py_RETURN_NONE;
}

static PyObject *pin_dtype(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *t;
    int       pinned;
    if (!PyArg_ParseTuple(args, "O!p", kp_tensor_type, &t, &pinned))
        return NULL;
    kt_pin_dtype(kp_tensor_of(t), pinned);
    Py_RETURN_NONE;
}

static PyObject *has_pinned_dtype(PyObject *module, PyObject *t)
{
    (void)module;
    return PyBool_FromLong(PyObject_TypeCheck(t, kp_tensor_type) && kt_has_pinned_dtype(kp_tensor_of(t)));
}

static PyObject *lineage_loaded(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject   *t;
    const char *op;
    if (!PyArg_ParseTuple(args, "O!s", kp_tensor_type, &t, &op))
        return NULL;
    const kp_entry before = kp_enter();
    kt_lineage_born(kp_tensor_of(t), KT_BORN_LOADED, op);
    kp_leave(before);
    Py_RETURN_NONE;
}

static PyObject *copy_why(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject   *to, *from;
    const char *why;
    if (!PyArg_ParseTuple(args, "O!O!s", kp_tensor_type, &to, kp_tensor_type, &from, &why))
        return NULL;
    kt_reason reason = KT_WHY_NONE;
    while (reason < KT_NUM_REASONS && strcmp(kt_reason_name(reason), why))
        reason++;
    if (reason == KT_NUM_REASONS) {
        PyErr_Format(PyExc_ValueError, "there is no reason %s", why);
        return NULL;
    }
    const kp_entry  before = kp_enter_any();
    const kt_status status = kt_copy_why(kp_tensor_of(to), kp_tensor_of(from), reason);
    kp_leave(before);
    return kp_after(NULL, status) ? kp_raise() : Py_NewRef(Py_None);
}

PyMethodDef kp_lineage_functions[] = {
    {"lineage_say", lineage_say, METH_VARARGS, "lineage_say(t, op): it was op that gave t its dtype"},
    {"pin_dtype", pin_dtype, METH_VARARGS, "pin_dtype(t, pinned): its dtype stays, or no longer"},
    {"has_pinned_dtype", has_pinned_dtype, METH_O, "has_pinned_dtype(t)"},
    {"lineage_loaded", lineage_loaded, METH_VARARGS, "lineage_loaded(t, op): t came from a file, by op"},
    {"copy_why", copy_why, METH_VARARGS, "copy_why(to, from, why): copies values; a conversion has that reason"},
    {"lineage", lineage, METH_O,
     "lineage($module, t, /)\n--\n\n"
     "How the tensor t came to its dtype: a list of records, oldest first.\n\n"
     "Each record is a dict: why (\"born\", \"explicit\" for a cast, \"promotion\", \"scalar\", ...), op (what did it),\n"
     "from and to (dtypes; from is None at a birth), file and line of the program. A result that has the dtype of an\n"
     "operand shares its records. An empty list: the origin is unknown. explain(t) prints the same."},
    {"refuse_unlike", refuse_unlike, METH_VARARGS,
     "refuse_unlike(text, op, name, t, name, t): raises a ValueError, explained: the two tensors ought to have one dtype"},
    {"told", told, METH_VARARGS, "told(error, op, self): the error, with op and the tensor self in its attribute karat"},
    {"explain", explain, METH_O, "explain($module, t, /)\n--\n\nThe text that karat.explain(t) prints."},
    {NULL, NULL, 0, NULL},
};
