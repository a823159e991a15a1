/* function.c - every row of the operator table as a Python function and as a method of Tensor: one object a name, no
 * wrapper written by hand.
 *
 * In: the table, read once when the module starts. Out: module.functions (a dict by name), one more dict for each
 * family whose names begin alike (nn_, linalg_, special_, fft_), and methods in the Tensor type. A name with several
 * rows (sum, sum.dim) is one object that tries them in order. A name that ends in "_" is the in-place form of its row.
 * Must not know: any operator by name. */
#include "binding.h"

enum { MOST_ROWS = 4 };

typedef struct kp_function {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject      *name;
    const char    *text; /* of name */
    kp_row_facts   row[MOST_ROWS];
    uint8_t        n_rows, form, method;
} kp_function;

/* ---- a call ---- */

static void raise_no_overload(const kp_function *f, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    const kp_row_facts *rows[MOST_ROWS];
    for (int i = 0; i < f->n_rows; i++)
        rows[i] = &f->row[i];
    kp_raise_no_overload(f->text, rows, f->n_rows, f->method, argv, n, keywords);
}

/* PyTorch counts: an overload that takes as many arguments as there are says what is wrong with them; if there is not
 * exactly one of those, all are listed. Makers of a size have a second overload there, with names=. */
static int takes_so_many(const kp_row_facts *row, Py_ssize_t n)
{
    int needed = 0;
    for (int i = 0; i < row->n_args; i++)
        needed += !row->spec[i].has_default && !row->spec[i].optional;
    const int  most = row->n_args + kt_row_has_form(row->row, KT_OUT);
    const bool maker = row->device_at >= 0 && row->spec[0].kind == KT_ARG_INTS && strcmp(row->spec[0].name, "size") == 0;
    return (n >= needed && n <= most) + (maker && n > needed && n <= most + 1) + (maker && n < needed ? 2 : 0);
}

static void raise_best(const kp_function *f, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    const Py_ssize_t given = n + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
    int              fitting = 0, best = 0;
    for (int i = 0; i < f->n_rows; i++) {
        int fits = takes_so_many(&f->row[i], given);
        best = fits ? i : best;
        fitting += fits;
    }
    kp_args    a;
    kp_mistake mistake = {0};
    for (int i = f->n_rows - 1; i >= 0; i--) { /* a sequence that began well is taken at its word */
        int bound = kp_bind(&a, &f->row[i], (kt_form)f->form, f->method, argv, n, keywords, &mistake);
        if (bound < 0)
            return;
        if (bound > 0) /* arguments that changed their mind between two questions */
            kp_args_free(&a);
        if (mistake.what == KP_WRONG_ELEMENT && mistake.element > 0) {
            kp_raise_mistake(f->text, &f->row[i], f->method, n, &mistake);
            return;
        }
    }
    if (fitting > 1 || (f->n_rows > 1 && fitting != 1)) {
        raise_no_overload(f, argv, n, keywords);
        return;
    }
    int bound = kp_bind(&a, &f->row[best], (kt_form)f->form, f->method, argv, n, keywords, &mistake);
    if (bound > 0)
        kp_args_free(&a);
    if (bound >= 0)
        kp_raise_mistake(f->text, &f->row[best], f->method, n, &mistake);
}

static PyObject *call_function(PyObject *self, PyObject *const *argv, size_t nargsf, PyObject *keywords)
{
    const kp_function *f = (kp_function *)self;
    const Py_ssize_t   n = PyVectorcall_NARGS(nargsf);
    kp_args            a;
    kp_mistake         mistake = {0};
    if (f->method && (n == 0 || !kp_is_tensor(argv[0]))) {
        PyErr_Format(PyExc_TypeError, "descriptor '%U' for 'karat.Tensor' objects doesn't apply to a '%s' object",
                     f->name, n ? Py_TYPE(argv[0])->tp_name : "no");
        return NULL;
    }
    PyObject *answer;
    if (KP_UNLIKELY(kp_any_may_override(argv, n + (keywords ? PyTuple_GET_SIZE(keywords) : 0))) &&
        kp_override_call(f->text, f->method, self, argv, n, keywords, &answer))
        return answer;
    for (int i = 0; i < f->n_rows; i++) {
        int bound = kp_bind(&a, &f->row[i], (kt_form)f->form, f->method, argv, n, keywords, &mistake);
        if (bound < 0)
            return NULL;
        if (!bound)
            continue;
        const bool large = a.work > KP_LARGE_NUMEL;
        if (KP_UNLIKELY(kp_flights != NULL) && kp_wait_for_others(&a.call, large)) {
            kp_args_free(&a);
            return NULL;
        }
        kt_status status = kp_run(&a.call, large);
        kp_args_free(&a);
        return status ? kp_raise() : kp_call_results(&a.call, f->row[i].results);
    }
    raise_best(f, argv, n, keywords);
    return NULL;
}

/* ---- the objects ---- */

static void function_dealloc(PyObject *self)
{
    Py_XDECREF(((kp_function *)self)->name);
    PyObject_Free(self);
}

static PyObject *function_repr(PyObject *self)
{
    const kp_function *f = (kp_function *)self;
    return PyUnicode_FromFormat("<built-in %s %U of karat>", f->method ? "method" : "function", f->name);
}

static PyObject *get_name(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(((kp_function *)self)->name);
}

static PyObject *get_doc(PyObject *self, void *unused)
{
    (void)unused;
    const kp_function *f = (kp_function *)self;
    PyObject          *text = PyUnicode_FromFormat("%s.", kt_row_doc(f->row[0].row));
    for (int i = 0; text && i < f->n_rows; i++) {
        PyObject *one = kp_signature_text(&f->row[i], f->method);
        if (one)
            Py_SETREF(text, PyUnicode_FromFormat("%U\n%U%U", text, f->name, one));
        else
            Py_CLEAR(text);
        Py_XDECREF(one);
    }
    return text;
}

static PyObject *get_schemas(PyObject *self, void *unused)
{
    (void)unused;
    const kp_function *f = (kp_function *)self;
    PyObject          *all = PyTuple_New(f->n_rows);
    for (int i = 0; all && i < f->n_rows; i++) {
        PyObject *one = PyUnicode_FromString(kt_row_schema(f->row[i].row));
        if (one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}

static PyObject *get_module(PyObject *self, void *unused)
{
    (void)self, (void)unused;
    return PyUnicode_FromString("karat");
}

static PyGetSetDef function_getset[] = {
    {"__name__", get_name, NULL, NULL, NULL},
    {"__qualname__", get_name, NULL, NULL, NULL},
    {"__module__", get_module, NULL, NULL, NULL},
    {"__doc__", get_doc, NULL, NULL, NULL},
    {"schemas", get_schemas, NULL, "the rows of the operator table behind the name", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject *method_get(PyObject *self, PyObject *instance, PyObject *owner)
{
    (void)owner;
    return instance && instance != Py_None ? PyMethod_New(self, instance) : Py_NewRef(self);
}

#define FUNCTION_PARTS                                                                                                 \
    .tp_basicsize = sizeof(kp_function), .tp_dealloc = function_dealloc, .tp_repr = function_repr,                     \
    .tp_call = PyVectorcall_Call, .tp_vectorcall_offset = offsetof(kp_function, vectorcall),                           \
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

/* ---- the table ---- */

/* Names with such a beginning live in a module of their own; some of PyTorch's messages say the whole name. */
typedef struct family {
    const char *prefix, *functions;
    bool        said_whole;
    PyObject   *names;
} family;
static family families[] = {{"nn_", "nn_functions", false, NULL},
                            {"linalg_", "linalg_functions", true, NULL},
                            {"special_", "special_functions", true, NULL},
                            {"fft_", "fft_functions", true, NULL}};
enum { N_FAMILIES = sizeof families / sizeof *families };

static const family *family_of(const kt_row *row)
{
    for (int i = 0; i < N_FAMILIES; i++)
        if (strncmp(kt_row_schema(row), families[i].prefix, strlen(families[i].prefix)) == 0)
            return &families[i];
    return NULL;
}

/* "sum.dim(Tensor self, ..." is the name sum. */
static PyObject *python_name(const kt_row *row, kt_form form, size_t skip)
{
    const char *schema = kt_row_schema(row) + skip;
    PyObject   *name = PyUnicode_FromStringAndSize(schema, (Py_ssize_t)strcspn(schema, ".("));
    if (name && form == KT_INPLACE)
        Py_SETREF(name, PyUnicode_FromFormat("%U_", name));
    return name;
}

static int put_row(kp_function *f, const kt_row *row)
{
    kp_row_facts *facts = &f->row[f->n_rows++];
    if (kp_row_facts_of(facts, row))
        return -1;
    facts->results = kp_result_type(row);
    return PyErr_Occurred() ? -1 : 0;
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
        return put_row(f, row);
    }
    if (known || PyErr_Occurred()) { /* the type has something better already */
        Py_DECREF(name);
        return PyErr_Occurred() ? -1 : 0;
    }
    kp_function *f = PyObject_New(kp_function, type);
    if (!f) {
        Py_DECREF(name);
        return -1;
    }
    f->vectorcall = call_function;
    f->name = of && of->said_whole ? python_name(row, form, 0) : Py_NewRef(name);
    f->text = f->name ? PyUnicode_AsUTF8(f->name) : NULL;
    f->n_rows = 0;
    f->form = (uint8_t)form;
    f->method = type == &kp_method_type;
    int status = f->text && put_row(f, row) == 0 ? PyDict_SetItem(names, name, (PyObject *)f) : -1;
    Py_DECREF(f);
    Py_DECREF(name);
    return status;
}

static int add_forms(PyObject *functions, const kt_row *row)
{
    const family      *of = family_of(row);
    const kt_arg_spec *first = kt_row_arg(row, 0);
    const bool         is_method = !of && first && first->kind == KT_ARG_TENSOR && strcmp(first->name, "self") == 0;
    for (int form = KT_PLAIN; form <= KT_INPLACE; form++)
        if (kt_row_has_form(row, (kt_form)form) &&
            (add_row(of ? of->names : functions, &kp_function_type, row, (kt_form)form, of) ||
             (is_method && add_row(kp_tensor_type->tp_dict, &kp_method_type, row, (kt_form)form, NULL))))
            return -1;
    return 0;
}

/* The same rows under a second name, in place too. */
static int add_alias(PyObject *names, const char *name, const char *of, const char *ending)
{
    PyObject *key = PyUnicode_FromFormat("%s%s", of, ending), *known = key ? PyDict_GetItemWithError(names, key) : NULL;
    int       status = PyErr_Occurred() ? -1 : 0;
    Py_XDECREF(key);
    if (!known || (!Py_IS_TYPE(known, &kp_function_type) && !Py_IS_TYPE(known, &kp_method_type)))
        return status; /* no such row, or not yet */
    kp_function *f = PyObject_New(kp_function, Py_TYPE(known)), *from = (kp_function *)known;
    if (!f)
        return -1;
    f->vectorcall = call_function;
    f->name = PyUnicode_FromFormat("%s%s", name, ending);
    f->text = f->name ? PyUnicode_AsUTF8(f->name) : NULL;
    memcpy(f->row, from->row, sizeof f->row);
    f->n_rows = from->n_rows;
    f->form = from->form;
    f->method = from->method;
    status = f->text ? PyDict_SetItem(names, f->name, (PyObject *)f) : -1;
    Py_DECREF(f);
    return status;
}

static int add_aliases(PyObject *names)
{
    static const char *const aliases[][2] = {
#define ALIAS(name, of) {#name, #of},
#include "aliases.def"
#undef ALIAS
    };
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (add_alias(names, aliases[i][0], aliases[i][1], "") || add_alias(names, aliases[i][0], aliases[i][1], "_"))
            return -1;
    return 0;
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
    if (!status && (add_aliases(functions) || add_aliases(kp_tensor_type->tp_dict)))
        status = -1;
    PyType_Modified(kp_tensor_type);
    Py_XDECREF(functions);
    return status;
}
