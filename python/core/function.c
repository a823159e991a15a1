/* function.c - every row of the operator table as a Python function and as a method of Tensor: one object per name, no
 * handwritten wrappers.
 *
 * In: the table, read once when the module starts. Out: module.functions (a dict by name), one dict per family of names
 * with a common prefix (nn_, linalg_, special_, fft_), and methods in the Tensor type. A name with several rows (sum,
 * sum.dim) is one object that tries them in order. A name that ends in "_" is the in-place form of its row. Independent
 * of: any operator by name. */
#include "core/binding.h"
#include "tables/schema.h"

enum { MOST_ROWS = 4 };

typedef struct kp_function {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject      *name;
    PyObject      *dict;   /* NULL before the first attribute that is set */
    const char    *text;   /* of name */
    const char    *module; /* where it is at home, below the package: "", "nn.functional" */
    kp_row_facts  *forms; /* NULL before the first call */
    int            n_forms;
    uint8_t        n_rows, form, method;
    const kt_row  *row[MOST_ROWS];
    char           plain[48], otherwise[48]; /* keys of its forms: its name without "_", and the name it is an alias of */
} kp_function;

static int find_forms(kp_function *f)
{
    if (!f->forms)
        f->forms = kp_forms_of(f->plain, f->otherwise[0] ? f->otherwise : NULL, f->row, f->n_rows, (kt_form)f->form, f->method,
                               &f->n_forms);
    return f->forms ? 0 : -1;
}

/* ---- a call ---- */

/* A form that PyTorch has and no row serves. */
static PyObject *refuse_form(const kp_function *f, int which)
{
    PyObject *text = kp_signature_text(&f->forms[which], f->method);
    if (text)
        PyErr_Format(PyExc_NotImplementedError, "karat does not have this form of %s yet: %s%U", f->text, f->text, text);
    Py_XDECREF(text);
    return NULL;
}

/* PyTorch's check: neither a factory function's out= nor its tensor arguments may require grad. */
static bool is_followed(const kp_function *f, const kp_row_facts *form, const kp_args *a)
{
    bool operands = false, wanted = kt_requires_grad(kp_tensor_of(a->into));
    for (int i = 0; i < kt_row_n_args(form->row); i++)
        if (kt_row_arg(form->row, i)->kind == KT_ARG_TENSOR && a->call.given >> i & 1) {
            operands = true;
            wanted |= kt_requires_grad(a->call.arg[i].t);
        }
    if (!wanted || !kt_grad_enabled())
        return false;
    PyErr_Format(PyExc_RuntimeError,
                 "%s%s(): functions with out=... arguments don't support automatic differentiation, but one of the "
                 "arguments requires grad.",
                 operands ? "" : "aten::", f->text);
    return true;
}

/* What a factory function does to the requires_grad of its out=: most set it, to false by default. */
enum { LEAVES_GRAD, WANTS_NO_GRAD, WANTS_GRAD };

/* A factory function with out=: the result takes dtype and device of out, which is resized and overwritten. */
static int ask_as_out_is(const kp_function *f, const kp_row_facts *form, kp_args *a)
{
    const kt_tensor *out = kp_tensor_of(a->into);
    int              wants_grad = LEAVES_GRAD;
    for (int i = 0; i < kt_row_n_args(form->row); i++) {
        const int kind = kt_row_arg(form->row, i)->kind;
        if (kind == KT_ARG_DTYPE && (a->call.given >> i & 1) && a->call.arg[i].dtype != kt_dtype_of(out)) {
            PyErr_Format(PyExc_RuntimeError, "dtype %s does not match dtype of out parameter (%s)",
                         kt_dtype_torch_name(a->call.arg[i].dtype), kt_dtype_torch_name(kt_dtype_of(out)));
            return -1;
        }
        if (kind == KT_ARG_DEVICE && (a->call.given >> i & 1) && a->call.arg[i].device.kind != kt_device_of(out).kind) {
            PyObject *asked = kp_device_object(a->call.arg[i].device), *there = kp_device_object(kt_device_of(out));
            if (asked && there)
                PyErr_Format(PyExc_RuntimeError, "device type %S does not match device type of out parameter (%S)", asked,
                             there);
            Py_XDECREF(asked);
            Py_XDECREF(there);
            return -1;
        }
        if (kind == KT_ARG_DTYPE)
            a->call.arg[i].dtype = kt_dtype_of(out);
        else if (kind == KT_ARG_DEVICE)
            a->call.arg[i].device = kt_device_of(out);
        else {
            if (strcmp(kt_row_arg(form->row, i)->name, "requires_grad") == 0) {
                wants_grad = (a->call.given >> i & 1) && a->call.arg[i].b ? WANTS_GRAD : WANTS_NO_GRAD;
                a->call.given &= ~(1u << i);
            }
            continue;
        }
        a->call.given |= 1u << i;
    }
    return is_followed(f, form, a) ? -1 : wants_grad;
}

static bool set_grad(kt_tensor *out, int wants_grad)
{
    if (wants_grad == WANTS_GRAD)
        return !kp_want_grad(out);
    return wants_grad == LEAVES_GRAD || !kt_requires_grad(out) || !kt_is_leaf(out) || !kt_set_requires_grad(out, false);
}

static PyObject *write_into(const kt_row *row, PyObject *out, PyObject *made, int wants_grad) /* steals `made` */
{
    kt_tensor *target = kp_tensor_of(out);
    if (made && kp_wait_for(target) == 0) {
        const kt_status status = kt_store(row, target, kp_tensor_of(made));
        if (!kp_say_warnings(NULL, status) && set_grad(target, wants_grad)) {
            Py_DECREF(made);
            return Py_NewRef(out);
        }
        if (!PyErr_Occurred())
            kp_raise();
    }
    Py_XDECREF(made);
    return NULL;
}

static PyObject *run_form(kp_function *f, int which, kp_args *a)
{
    const kp_row_facts *form = &f->forms[which];
    if (KP_UNLIKELY(form->deprecated) && kp_warn_deprecated(f->text, f->forms, f->n_forms, which, f->method)) {
        kp_args_free(a);
        return NULL;
    }
    int wants_grad = KP_LIKELY(!a->into) ? LEAVES_GRAD : ask_as_out_is(f, form, a);
    if (KP_UNLIKELY(wants_grad < 0)) {
        kp_args_free(a);
        return NULL;
    }
    const bool large = a->work > KP_LARGE_NUMEL;
    kt_status status = kp_run(&a->call, large);
    kp_args_free(a);
    PyTypeObject *type = a->call.form == KT_OUT ? form->results_out : form->results;
    if (KP_UNLIKELY(a->pins) && !status && a->call.form == KT_PLAIN && !(a->call.out[0] = kp_pin_made(a->call.out[0])))
        return NULL;
    PyObject *result = status ? kp_raise() : kp_call_results(&a->call, type);
    return KP_LIKELY(!a->into) ? result : write_into(form->row, a->into, result, wants_grad);
}

/* PyTorch's _foreach functions in place return the list they were given; the other functions of lists return None. */
static PyObject *or_its_list(const kp_function *f, PyObject *none, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    if (f->form != KT_INPLACE || strncmp(f->text, "_foreach_", 9) != 0)
        return none;
    for (Py_ssize_t k = 0; n == 0 && keywords && k < PyTuple_GET_SIZE(keywords); k++)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, k), "self") == 0)
            argv += k;
    Py_DECREF(none);
    return Py_NewRef(argv[0]);
}

static PyObject *call_form(kp_function *f, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    PyObject        *self = (PyObject *)f;
    kp_args          a;
    kp_mistake       mistake = {.unasked = true};
    if (f->method && (n == 0 || !kp_is_tensor(argv[0]))) {
        PyErr_Format(PyExc_TypeError, "descriptor '%U' for 'karat.Tensor' objects doesn't apply to a '%s' object",
                     f->name, n ? Py_TYPE(argv[0])->tp_name : "no");
        return NULL;
    }
    PyObject *answer;
    if (KP_UNLIKELY(kp_any_may_override(argv, n + (keywords ? PyTuple_GET_SIZE(keywords) : 0))) &&
        kp_override_call(f->text, f->method, self, argv, n, keywords, &answer))
        return answer;
    if (KP_UNLIKELY(!f->forms) && find_forms(f))
        return NULL;
    for (int i = 0; i < f->n_forms; i++) {
        if (n > f->forms[i].n_positional && !f->forms[i].spread)
            continue;
        int bound = kp_bind(&a, f->text, &f->forms[i], (kt_form)f->form, f->method, argv, n, keywords, &mistake);
        if (bound < 0)
            return NULL;
        if (bound && f->forms[i].row) {
            PyObject *result = run_form(f, i, &a);
            return KP_LIKELY(result != Py_None) ? result : or_its_list(f, result, argv, n, keywords);
        }
        if (bound) {
            kp_args_free(&a);
            return refuse_form(f, i);
        }
    }
    kp_raise_mistakes(f->text, f->forms, f->n_forms, f->method, argv, n, keywords);
    return NULL;
}

static PyObject *call_function(PyObject *self, PyObject *const *argv, size_t nargsf, PyObject *keywords)
{
    kp_function     *f = (kp_function *)self;
    const Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    PyObject        *result = call_form(f, argv, n, keywords);
    return KP_LIKELY(result != NULL) ? result : kp_tell(f->text, f->forms, argv, n);
}

/* ---- the objects ---- */

static void function_dealloc(PyObject *self)
{
    Py_XDECREF(((kp_function *)self)->name);
    Py_XDECREF(((kp_function *)self)->dict);
    PyMem_Free(((kp_function *)self)->forms);
    PyObject_Free(self);
}

static PyObject *get_name(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((kp_function *)self)->name);
}

/* No tensor has named dims: such a form only accepts names=None. */
static bool asks_for_names(const kp_row_facts *form)
{
    bool asks = false;
    for (int i = 0; i < form->n_args; i++)
        asks |= form->spec[i].kind == KP_ARG_NAMES;
    return asks;
}

static PyObject *get_doc(PyObject *self, void *unused)
{
    (void)unused;
    kp_function *f = (kp_function *)self;
    if (find_forms(f))
        return NULL;
    PyObject *text = PyUnicode_FromFormat("%s.", kt_row_doc(f->row[0]));
    for (int i = 0; text && i < f->n_forms; i++) {
        if (!f->forms[i].row || f->forms[i].deprecated || asks_for_names(&f->forms[i]))
            continue;
        PyObject *one = kp_signature_text(&f->forms[i], f->method);
        if (one)
            Py_SETREF(text, PyUnicode_FromFormat("%U\n%U%U", text, f->name, one));
        else
            Py_CLEAR(text);
        Py_XDECREF(one);
    }
    const char *rule = kt_row_dtype_rule(f->row[0]);
    if (text && *rule)
        Py_SETREF(text, PyUnicode_FromFormat("%U\nResult dtype: %s.", text, rule));
    return text;
}

static PyObject *get_schemas(PyObject *self, void *unused)
{
    (void)unused;
    const kp_function *f = (kp_function *)self;
    PyObject          *all = PyTuple_New(f->n_rows);
    for (int i = 0; all && i < f->n_rows; i++) {
        PyObject *one = PyUnicode_FromString(kt_row_schema(f->row[i]));
        if (one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}

static PyObject *text_of(schema_span s) { return PyUnicode_FromStringAndSize(s.s ? s.s : "", s.s ? s.n : 0); }

/* (type, may be None, name, default or "", keyword-only) */
static PyObject *signature_arg(const schema_arg *a)
{
    const bool one = a->alone && schema_is(a->type, "int[]");
    return Py_BuildValue("(NONNO)", one ? PyUnicode_FromString("int[1]") : text_of(a->type), a->optional ? Py_True : Py_False,
                         text_of(a->name), text_of(a->value), a->keyword ? Py_True : Py_False);
}

static PyObject *signature_of(const kt_row *row)
{
    schema_text t;
    if (!schema_read(&t, kt_row_schema(row)))
        return PyErr_Format(PyExc_SystemError, "%s: %s", kt_row_schema(row), t.mistake);
    PyObject *args = PyTuple_New(t.n_args), *results = PyTuple_New(t.n_results > 1 ? t.n_results : 0);
    for (int i = 0; args && i < t.n_args; i++) {
        PyObject *one = signature_arg(&t.arg[i]);
        if (one)
            PyTuple_SET_ITEM(args, i, one);
        else
            Py_CLEAR(args);
    }
    for (int i = 0; results && t.n_results > 1 && i < t.n_results; i++) {
        PyObject *one = text_of(t.result[i]);
        if (one)
            PyTuple_SET_ITEM(results, i, one);
        else
            Py_CLEAR(results);
    }
    if (!args || !results) {
        Py_XDECREF(args);
        Py_XDECREF(results);
        return NULL;
    }
    return Py_BuildValue("(NNO)", args, results, t.list ? Py_True : Py_False);
}

/* For tools: each row's schema as tables/schema.h reads it: (arguments, names of several results, returns a list?). */
static PyObject *get_signatures(PyObject *self, void *unused)
{
    (void)unused;
    const kp_function *f = (kp_function *)self;
    PyObject          *all = PyTuple_New(f->n_rows);
    for (int i = 0; all && i < f->n_rows; i++) {
        PyObject *one = signature_of(f->row[i]);
        if (one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}

static PyObject *asked_signatures(PyObject *self, const char *what)
{
    PyObject *signatures = PyImport_ImportModule("karat._signatures");
    PyObject *found = signatures ? PyObject_CallMethod(signatures, what, "O", self) : NULL;
    Py_XDECREF(signatures);
    return found;
}

/* Of functions that are Python's in PyTorch, so that they have one there; inspect.signature asks for it. */
static PyObject *get_signature(PyObject *self, void *unused)
{
    (void)unused;
    return asked_signatures(self, "of");
}

/* Where PyTorch has it: functions of torch.nn.functional that are C there are in torch._C._nn. */
static PyObject *get_module(PyObject *self, void *unused)
{
    (void)unused;
    const char *below = ((kp_function *)self)->module;
    if (!strcmp(below, "nn.functional")) {
        PyObject *in_python = asked_signatures(self, "has");
        if (!in_python)
            return NULL;
        below = in_python == Py_True ? below : "_C._nn";
        Py_DECREF(in_python);
    }
    return PyUnicode_FromFormat("%s%s%s", kp_package, *below ? "." : "", below);
}

static PyGetSetDef function_getset[] = {
    {"__name__", get_name, NULL, NULL, NULL},
    {"__qualname__", get_name, NULL, NULL, NULL},
    {"__module__", get_module, NULL, NULL, NULL},
    {"__signature__", get_signature, NULL, NULL, NULL},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {"__doc__", get_doc, NULL, NULL, NULL},
    {"schemas", get_schemas, NULL, "the rows of the operator table behind the name", NULL},
    {"signatures", get_signatures, NULL, "the schemas, read: (arguments, names of several results, whether a list)", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject *method_get(PyObject *self, PyObject *instance, PyObject *owner)
{
    (void)owner;
    return instance && instance != Py_None ? PyMethod_New(self, instance) : Py_NewRef(self);
}

static PyObject *function_repr(PyObject *self);

#define FUNCTION_PARTS                                                                                                 \
    .tp_basicsize = sizeof(kp_function), .tp_dealloc = function_dealloc, .tp_repr = function_repr,                     \
    .tp_call = PyVectorcall_Call, .tp_vectorcall_offset = offsetof(kp_function, vectorcall),                           \
    .tp_dictoffset = offsetof(kp_function, dict), .tp_setattro = PyObject_GenericSetAttr,                              \
    .tp_getset = function_getset

PyTypeObject kp_function_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.function",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_VECTORCALL,
    FUNCTION_PARTS,
};

PyTypeObject kp_method_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.method",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_VECTORCALL |
                Py_TPFLAGS_METHOD_DESCRIPTOR,
    .tp_descr_get = method_get,
    FUNCTION_PARTS,
};

static PyObject *function_repr(PyObject *self)
{
    const kp_function *f = (kp_function *)self;
    if (f->method)
        return PyUnicode_FromFormat("<method '%U' of '%s._C.TensorBase' objects>", f->name, kp_package);
    if (*f->module)
        return PyUnicode_FromFormat("<built-in function %U>", f->name);
    return PyUnicode_FromFormat("<built-in method %U of type object at %p>", f->name, (void *)&kp_function_type);
}

/* ---- the table ---- */

/* Names with these prefixes belong to a submodule; some of PyTorch's messages show the whole name. */
typedef struct family {
    const char *prefix, *functions, *module;
    bool        said_whole;
    PyObject   *names;
} family;
static family families[] = {{"nn_", "nn_functions", "nn.functional", false, NULL},
                            {"linalg_", "linalg_functions", "_C._linalg", true, NULL},
                            {"special_", "special_functions", "_C._special", true, NULL},
                            {"fft_", "fft_functions", "_C._fft", true, NULL}};
enum { N_FAMILIES = sizeof families / sizeof *families };
static PyObject *all_functions; /* the names of no family */

static const family *family_of(const char *name)
{
    for (int i = 0; i < N_FAMILIES; i++)
        if (strncmp(name, families[i].prefix, strlen(families[i].prefix)) == 0)
            return &families[i];
    return NULL;
}

/* "sum.dim(Tensor self, ..." is the name sum. */
static PyObject *python_name(const kt_row *row, kt_form form, size_t skip)
{
    const char *schema = kt_row_schema(row) + skip;
    PyObject   *name = PyUnicode_FromStringAndSize(schema, schema_name_length(schema));
    if (name && form == KT_INPLACE)
        Py_SETREF(name, PyUnicode_FromFormat("%U_", name));
    return name;
}

static kp_function *new_function(PyTypeObject *type, kt_form form, PyObject *name) /* steals the name */
{
    kp_function *f = name ? PyObject_New(kp_function, type) : NULL;
    if (!f) {
        Py_XDECREF(name);
        return NULL;
    }
    memset((char *)f + sizeof(PyObject), 0, sizeof *f - sizeof(PyObject));
    f->vectorcall = call_function;
    f->name = name;
    f->module = "";
    f->form = (uint8_t)form;
    f->method = type == &kp_method_type;
    f->text = PyUnicode_AsUTF8(name);
    if (f->text)
        return f;
    Py_DECREF(f);
    return NULL;
}

static int add_row(PyObject *names, PyTypeObject *type, const kt_row *row, kt_form form, const family *of)
{
    PyObject *name = python_name(row, form, of ? strlen(of->prefix) : 0);
    if (!name)
        return -1;
    PyObject *known = PyDict_GetItemWithError(names, name);
    if (known && Py_IS_TYPE(known, type)) {
        kp_function *f = (kp_function *)known;
        Py_DECREF(name);
        if (f->n_rows == MOST_ROWS) {
            PyErr_Format(PyExc_SystemError, "more than %d rows of one name: %s", MOST_ROWS, kt_row_name(row));
            return -1;
        }
        f->row[f->n_rows++] = row;
        return 0;
    }
    if (known || PyErr_Occurred()) { /* the type defines it already */
        Py_DECREF(name);
        return PyErr_Occurred() ? -1 : 0;
    }
    kp_function *f = new_function(type, form, of && of->said_whole ? python_name(row, form, 0) : Py_NewRef(name));
    int          status = f ? 0 : -1;
    if (f) {
        f->module = of ? of->module : "";
        const char *schema = kt_row_schema(row);
        PyOS_snprintf(f->plain, sizeof f->plain, "%.*s", schema_name_length(schema), schema);
        f->row[f->n_rows++] = row;
        status = PyDict_SetItem(names, name, (PyObject *)f);
    }
    Py_XDECREF(f);
    Py_DECREF(name);
    return status;
}

static int add_forms(PyObject *functions, const kt_row *row)
{
    const family      *of = family_of(kt_row_schema(row));
    bool               is_method = false; /* has a tensor argument named self */
    for (int i = 0; i < kt_row_n_args(row) && !of; i++) {
        const kt_arg_spec *spec = kt_row_arg(row, i);
        is_method |= (spec->kind == KT_ARG_TENSOR || (i && spec->kind == KT_ARG_TENSOR_OR_SCALAR)) &&
                     strcmp(spec->name, "self") == 0;
    }
    for (int form = KT_PLAIN; form <= KT_INPLACE; form++)
        if (kt_row_has_form(row, (kt_form)form) &&
            (add_row(of ? of->names : functions, &kp_function_type, row, (kt_form)form, of) ||
             (is_method && add_row(kp_tensor_type->tp_dict, &kp_method_type, row, (kt_form)form, NULL))))
            return -1;
    return 0;
}

/* The rows of `from[row_name]` under a second name, as into[key]. */
static int add_alias(PyObject *from, const char *row_name, PyObject *into, const char *key, const char *name, const char *ending,
                     const char *module)
{
    PyObject *row_key = PyUnicode_FromFormat("%s%s", row_name, ending);
    PyObject *known = row_key ? PyDict_GetItemWithError(from, row_key) : NULL;
    int       status = PyErr_Occurred() ? -1 : 0;
    Py_XDECREF(row_key);
    if (!known || (!Py_IS_TYPE(known, &kp_function_type) && !Py_IS_TYPE(known, &kp_method_type)))
        return status; /* no such row, or not yet */
    kp_function *original = (kp_function *)known;
    kp_function *f = new_function(Py_TYPE(known), (kt_form)original->form, PyUnicode_FromFormat("%s%s", name, ending));
    PyObject    *alias_key = f ? PyUnicode_FromFormat("%s%s", key, ending) : NULL;
    if (alias_key) {
        memcpy(f->row, original->row, sizeof f->row);
        f->n_rows = original->n_rows;
        f->module = module;
        PyOS_snprintf(f->plain, sizeof f->plain, "%s", name);
        PyOS_snprintf(f->otherwise, sizeof f->otherwise, "%s", row_name);
    }
    status = alias_key ? PyDict_SetItem(into, alias_key, (PyObject *)f) : -1;
    Py_XDECREF(alias_key);
    Py_XDECREF(f);
    return status;
}

static int add_aliases(PyObject *functions, PyObject *methods)
{
    static const char *const aliases[][2] = {
#define ALIAS(name, of) {#name, #of},
#include "tables/aliases.def"
#undef ALIAS
    };
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        const char   *name = aliases[i][0], *of = aliases[i][1];
        const family *module = family_of(name);
        int           status = 0;
        if (module)
            status = add_alias(functions, of, module->names, name + strlen(module->prefix), name, "", module->module);
        for (int in_place = 0; !module && !status && in_place < 2; in_place++) {
            const char *ending = in_place ? "_" : "";
            status = add_alias(functions, of, functions, name, name, ending, "") ||
                     add_alias(methods, of, methods, name, name, ending, "");
        }
        if (status)
            return -1;
    }
    return 0;
}

int kp_rows_named(const char *name, const kt_row *const **rows, kt_form *form)
{
    const family *of = family_of(name);
    PyObject     *found = PyDict_GetItemString(all_functions, name);
    if (!found && of)
        found = PyDict_GetItemString(of->names, name + strlen(of->prefix));
    if (!found)
        found = PyDict_GetItemString(families[0].names, name); /* nn */
    if (!found || !Py_IS_TYPE(found, &kp_function_type))
        return 0;
    const kp_function *f = (const kp_function *)found;
    *rows = f->row;
    *form = (kt_form)f->form;
    return f->n_rows;
}

int kp_functions_start(PyObject *module)
{
    PyObject     *functions = PyDict_New();
    const kt_row *row;
    int           status = functions ? PyModule_AddObjectRef(module, "functions", functions) : -1;
    for (int i = 0; !status && i < N_FAMILIES; i++) {
        Py_XSETREF(families[i].names, PyDict_New());
        status = families[i].names ? PyModule_AddObjectRef(module, families[i].functions, families[i].names) : -1;
    }
    for (int i = 0; !status && (row = kt_row_at(i)); i++)
        status = add_forms(functions, row);
    if (!status && add_aliases(functions, kp_tensor_type->tp_dict))
        status = -1;
    PyType_Modified(kp_tensor_type);
    Py_XSETREF(all_functions, functions);
    return status;
}
