/* mistake.c - arguments that fit no row, in PyTorch's words.
 *
 * In: what bind.c found. Out: TypeErrors, and signatures as they print them. Must not know: any operator by name. */
#include "binding.h"

const char *kp_kind_name(int kind)
{
    if (kind == KP_ARG_OBJECT)
        return "object";
    switch ((kt_arg_kind)kind) {
    case KT_ARG_TENSOR:
    case KT_ARG_TENSOR_OR_SCALAR: return "Tensor";
    case KT_ARG_TENSORS: return "tuple of Tensors";
    case KT_ARG_SCALAR: return "Number";
    case KT_ARG_INT: return "int";
    case KT_ARG_INTS: return "tuple of ints";
    case KT_ARG_FLOAT: return "float";
    case KT_ARG_BOOL: return "bool";
    case KT_ARG_DTYPE: return "torch.dtype";
    case KT_ARG_DEVICE: return "torch.device";
    case KT_ARG_FORMAT: return "torch.memory_format";
    case KT_ARG_STRING: return "str";
    case KT_ARG_GENERATOR: return "torch.Generator";
    }
    return "?";
}

static PyObject *default_text(const kt_arg_spec *spec)
{
    switch ((kt_arg_kind)spec->kind) {
    case KT_ARG_SCALAR:
    case KT_ARG_TENSOR_OR_SCALAR:
        if (spec->value.s.kind) {
            PyObject *number = kp_from_scalar(spec->value.s);
            PyObject *text = number ? PyObject_Repr(number) : NULL;
            Py_XDECREF(number);
            return text;
        }
        break;
    case KT_ARG_INT:
        if (!spec->optional)
            return PyUnicode_FromFormat("%lld", (long long)spec->value.i);
        break;
    case KT_ARG_FLOAT:
        if (!spec->optional) {
            PyObject *number = PyFloat_FromDouble(spec->value.f);
            PyObject *text = number ? PyObject_Repr(number) : NULL;
            Py_XDECREF(number);
            return text;
        }
        break;
    case KT_ARG_BOOL: return PyUnicode_FromString(spec->value.b ? "True" : "False");
    case KT_ARG_STRING:
        if (spec->value.str)
            return PyUnicode_FromFormat("\"%s\"", spec->value.str);
        break;
    default: break;
    }
    return PyUnicode_FromString("None");
}

static PyObject *argument_text(const kt_arg_spec *spec, bool method)
{
    const char *name = kp_arg_name(spec, method);
    if (!spec->has_default)
        return PyUnicode_FromFormat("%s %s", kp_kind_name(spec->kind), name);
    PyObject *value = default_text(spec);
    if (!value)
        return NULL;
    PyObject *text = PyUnicode_FromFormat("%s %s = %U", kp_kind_name(spec->kind), name, value);
    Py_DECREF(value);
    return text;
}

static int append(PyObject *parts, PyObject *text) /* takes over text */
{
    int status = text ? PyList_Append(parts, text) : -1;
    Py_XDECREF(text);
    return status;
}

PyObject *kp_signature_text(const kp_row_facts *row, bool method)
{
    PyObject *parts = PyList_New(0), *result = NULL;
    bool      star = false;
    if (!parts)
        return NULL;
    for (int i = method ? 1 : 0; i < row->n_args; i++) {
        const kt_arg_spec *spec = &row->spec[i];
        if (spec->keyword_only && !star) {
            if (append(parts, PyUnicode_FromString("*")))
                goto done;
            star = true;
        }
        if (append(parts, argument_text(spec, method)))
            goto done;
    }
    if (row->row && kt_row_has_form(row->row, KT_OUT) && !method) {
        if ((!star && append(parts, PyUnicode_FromString("*"))) ||
            append(parts, PyUnicode_FromString(kt_row_n_results(row->row) > 1 ? "tuple of Tensors out = None"
                                                                             : "Tensor out = None")))
            goto done;
    }
    PyObject *comma = PyUnicode_FromString(", ");
    PyObject *joined = comma ? PyUnicode_Join(comma, parts) : NULL;
    result = joined ? PyUnicode_FromFormat("(%U)", joined) : NULL;
    Py_XDECREF(comma);
    Py_XDECREF(joined);
done:
    Py_DECREF(parts);
    return result;
}

static void raise_missing(const char *name, const kp_row_facts *row, bool method, const kp_mistake *m)
{
    PyObject *list = PyUnicode_FromString("");
    int       left = m->n_missing;
    for (int i = m->arg; list && left; i++) {
        const kt_arg_spec *spec = &row->spec[i];
        if (!spec->has_default && !spec->optional) {
            Py_SETREF(list, PyUnicode_FromFormat("%U%s\"%s\"", list, left == m->n_missing ? "" : ", ",
                                                 kp_arg_name(spec, method)));
            left--;
        }
    }
    if (list)
        PyErr_Format(PyExc_TypeError, "%s() missing %d required positional argument%s: %U", name, m->n_missing,
                     m->n_missing == 1 ? "s" : "", list); /* PyTorch's own plural, the wrong way round */
    Py_XDECREF(list);
}

/* Positions are counted as the user wrote them: a method's self is not among them. */
void kp_raise_mistake(const char *name, const kp_row_facts *row, bool method, Py_ssize_t n_given, const kp_mistake *m)
{
    const kt_arg_spec *spec = m->arg >= 0 ? &row->spec[m->arg] : NULL;
    const char        *arg = spec ? kp_arg_name(spec, method) : "out";
    const char        *kind = spec ? kp_kind_name(spec->kind) : "Tensor";
    const Py_ssize_t   position = m->position - (method ? 1 : 0);
    const int          n_positional = row->n_positional - method;
    switch (m->what) {
    case KP_TOO_MANY:
        if (method && row->n_args == 1) {
            PyErr_Format(PyExc_TypeError, "TensorBase.%s() takes no arguments (%zd given)", name, n_given - 1);
            break;
        }
        PyErr_Format(PyExc_TypeError, "%s() takes %d positional argument%s but %zd %s given", name, n_positional,
                     n_positional == 1 ? "" : "s", n_given - method, n_given - method == 1 ? "was" : "were");
        break;
    case KP_MISSING: raise_missing(name, row, method, m); break;
    case KP_UNKNOWN: PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", name, m->got); break;
    case KP_TWICE: PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", name, m->got); break;
    case KP_WRONG_ELEMENT:
        if (spec && spec->kind == KT_ARG_TENSORS)
            PyErr_Format(PyExc_TypeError, "expected Tensor as element %zd in argument %d, but got %s", m->element,
                         m->arg, ((PyTypeObject *)m->got)->tp_name);
        else
            PyErr_Format(
                PyExc_TypeError,
                "%s(): argument '%s' failed to unpack the object at pos %zd with error \"type must be %s,but got %s\"",
                name, arg, m->element + 1, kind, ((PyTypeObject *)m->got)->tp_name);
        break;
    default:
        if (m->position)
            PyErr_Format(PyExc_TypeError, "%s(): argument '%s' (position %zd) must be %s, not %s", name, arg, position,
                         kind, ((PyTypeObject *)m->got)->tp_name);
        else
            PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be %s, not %s", name, arg, kind,
                         ((PyTypeObject *)m->got)->tp_name);
    }
}

/* ---- none of several overloads ---- */

static PyObject *describe_given(PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    PyObject *list = PyUnicode_FromString("");
    for (Py_ssize_t i = 0; list && i < n; i++)
        Py_SETREF(list, PyUnicode_FromFormat("%U%s%s", list, i ? ", " : "", Py_TYPE(argv[i])->tp_name));
    for (Py_ssize_t k = 0; list && keywords && k < PyTuple_GET_SIZE(keywords); k++)
        Py_SETREF(list, PyUnicode_FromFormat("%U%s%U=%s", list, n || k ? ", " : "", PyTuple_GET_ITEM(keywords, k),
                                             Py_TYPE(argv[n + k])->tp_name));
    if (list && !n && keywords && PyTuple_GET_SIZE(keywords)) /* PyTorch's own comma */
        Py_SETREF(list, PyUnicode_FromFormat("%U, ", list));
    return list;
}

void kp_raise_no_overload(const char *name, const kp_row_facts *const *rows, int n_rows, bool method,
                          PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    PyObject *given = describe_given(argv + method, n - method, keywords);
    PyObject *wanted = PyUnicode_FromString("");
    for (int i = 0; wanted && i < n_rows; i++) {
        PyObject *one = kp_signature_text(rows[i], method);
        if (one)
            Py_SETREF(wanted, PyUnicode_FromFormat("%U * %U\n", wanted, one));
        else
            Py_CLEAR(wanted);
        Py_XDECREF(one);
    }
    if (given && wanted)
        PyErr_Format(PyExc_TypeError,
                     "%s() received an invalid combination of arguments - got (%U), but expected one of:\n%U", name,
                     given, wanted);
    Py_XDECREF(given);
    Py_XDECREF(wanted);
}
