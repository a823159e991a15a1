/* results.c - the named tuples of rows with several results: torch.return_types.max with values and indices, with out=
 * torch.return_types.max_out.
 *
 * In: a row. Out: a type made once when the module starts. Independent of: single operators. */
#include "core/binding.h"
#include "tables/schema.h"

/* PyTorch's repr: one line per field. */
static PyObject *repr(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject     *names = PyDict_GetItemString(type->tp_dict, "__match_args__"), *text; /* borrowed */
    if (!names || !PyTuple_Check(names))
        return PyErr_Format(PyExc_SystemError, "%s has no fields", type->tp_name);
    text = PyUnicode_FromFormat("%s(", type->tp_name);
    for (Py_ssize_t i = 0; text && i < PyTuple_GET_SIZE(self); i++)
        Py_SETREF(text, PyUnicode_FromFormat("%U%s\n%U=%R", text, i ? "," : "", PyTuple_GET_ITEM(names, i),
                                             PyTuple_GET_ITEM(self, i)));
    if (text)
        Py_SETREF(text, PyUnicode_FromFormat("%U)", text));
    return text;
}

/* Pickled as PyTorch does, by its type; by the operator's name where no module of the type's name can be imported. */
static PyObject *reduce(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (!strcmp(kp_package, "torch"))
        return Py_BuildValue("(O(N{}))", Py_TYPE(self), PySequence_Tuple(self));
    PyObject   *package = PyImport_ImportModule("karat.copying");
    PyObject   *rebuild = package ? PyObject_GetAttrString(package, "result") : NULL, *items = PySequence_Tuple(self);
    const char *name = strrchr(Py_TYPE(self)->tp_name, '.');
    PyObject   *answer = rebuild && items ? Py_BuildValue("(O(sO))", rebuild, name ? name + 1 : "", items) : NULL;
    Py_XDECREF(package);
    Py_XDECREF(rebuild);
    Py_XDECREF(items);
    return answer;
}

static PyMethodDef reduce_method = {"__reduce__", reduce, METH_NOARGS, NULL};

static PyObject *types; /* by operator name: a function and a method of one name share the type */

static PyTypeObject *new_type(const kt_row *row, PyObject *called)
{
    PyStructSequence_Field field[KT_MAX_RESULTS + 1] = {{NULL, NULL}};
    char                   name[128];
    const int              n = kt_row_n_results(row);
    for (int i = 0; i < n; i++)
        field[i].name = kt_row_result_name(row, i);
    PyOS_snprintf(name, sizeof name, "torch.return_types.%s", PyUnicode_AsUTF8(called));
    PyStructSequence_Desc description = {.name = name, .fields = field, .n_in_sequence = n};
    PyTypeObject         *type = PyStructSequence_NewType(&description);
    if (!type)
        return NULL;
    type->tp_repr = repr;
    PyObject *by_name = PyDescr_NewMethod(type, &reduce_method);
    int       status = by_name ? PyDict_SetItemString(type->tp_dict, "__reduce__", by_name) : -1;
    Py_XDECREF(by_name);
    PyType_Modified(type);
    status = status ? status : PyDict_SetItem(types, called, (PyObject *)type);
    Py_DECREF(type); /* the dict keeps it */
    return status ? NULL : type;
}

/* Result names that begin with "result" exist for C alone: PyTorch returns a plain tuple then, unless LAPACK's info is one. */
PyTypeObject *kp_result_type(const kt_row *row, kt_form form)
{
    const char *schema = kt_row_schema(row);
    if (kt_row_n_results(row) < 2 || (strncmp(kt_row_result_name(row, 0), "result", 6) == 0 &&
                                        strcmp(kt_row_result_name(row, kt_row_n_results(row) - 1), "info") != 0))
        return NULL;
    PyObject *operator = PyUnicode_FromStringAndSize(schema, schema_name_length(schema));
    PyObject *name = operator ? PyUnicode_FromFormat(form == KT_OUT ? "%U_out" : "%U", operator) : NULL;
    Py_XDECREF(operator);
    if (!name)
        return NULL;
    PyTypeObject *type = (PyTypeObject *)PyDict_GetItemWithError(types, name);
    if (!type && !PyErr_Occurred())
        type = new_type(row, name);
    Py_DECREF(name);
    return type;
}

int kp_results_start(PyObject *module)
{
    if (!types && !(types = PyDict_New()))
        return -1;
    for (int i = 0; kt_row_at(i); i++) /* all of them, for unpickling */
        if ((!kp_result_type(kt_row_at(i), KT_PLAIN) ||
             (kt_row_has_form(kt_row_at(i), KT_OUT) && !kp_result_type(kt_row_at(i), KT_OUT))) &&
            PyErr_Occurred())
            return -1;
    return PyModule_AddObjectRef(module, "return_types", types);
}
