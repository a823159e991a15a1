/* override.c - __torch_function__: an argument whose class overrides a call is asked first.
 *
 * In: a function and its arguments, subclasses of Tensor or any object with __torch_function__ among them. Out: what
 * their classes return. Tensor's own __torch_function__ runs the call and converts the result to the subclass. Plain
 * tensors pay one type check.
 *
 * A function mode (torch.overrides.TorchFunctionMode) that a thread has entered is asked before all arguments, whatever they are:
 * the innermost first, which is out of sight while it answers.
 *
 * Functions of the table and operators call this file. The other methods and attributes of a subclass do so through its
 * tp_getattro, which Tensor's __init_subclass__ sets. Independent of: operators. */
#include "core/binding.h"

enum { MOST_TYPES = 16 };

__thread int kp_override_off; /* depth of DisableTorchFunction scopes */

int          kp_modes_open;
static __thread PyObject *modes; /* this thread's, a list, the innermost last; NULL: there never were any */

static PyObject *override_name, *disabled;
static PyObject *disabled_override(PyObject *self, PyObject *args, PyObject *keywords);

static PyMethodDef disabled_definition = {"_disabled_torch_function_impl", KP_FUNCTION(disabled_override),
                                          METH_VARARGS | METH_KEYWORDS,
                                          "a class's __torch_function__ = this: results are plain tensors"};

/* ---- who wants to be asked ---- */

typedef struct askers {
    PyObject *type[MOST_TYPES]; /* owned: calling one may release another; subclasses come before their bases */
    int       n;
} askers;

static void askers_done(askers *all)
{
    while (all->n)
        Py_DECREF(all->type[--all->n]);
}

/* Does the type override? Not Tensor itself, and not one that disabled it. */
static bool overrides(PyTypeObject *type)
{
    if (type == kp_tensor_type || !PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE))
        return false;
    PyObject *method = PyObject_GetAttr((PyObject *)type, override_name);
    if (!method)
        PyErr_Clear();
    Py_XDECREF(method); /* the class holds it, or it is bound anew for every call */
    return method && method != disabled;
}

bool kp_overrides(PyObject *o) { return overrides(Py_TYPE(o)); }

static void note(askers *all, PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    int           at = all->n;
    for (int i = 0; i < all->n; i++)
        if (all->type[i] == (PyObject *)type)
            return;
    if (all->n == MOST_TYPES)
        return;
    Py_INCREF(type);
    if (!overrides(type)) {
        Py_DECREF(type);
        return;
    }
    for (int i = all->n - 1; i >= 0; i--)
        if (PyType_IsSubtype(type, (PyTypeObject *)all->type[i]))
            at = i;
    memmove(all->type + at + 1, all->type + at, (size_t)(all->n - at) * sizeof *all->type);
    all->type[at] = (PyObject *)type;
    all->n++;
}

static askers find_askers(PyObject *const *argv, Py_ssize_t n)
{
    askers all = {.n = 0};
    for (Py_ssize_t i = 0; i < n; i++) {
        if (PyList_CheckExact(argv[i]) || PyTuple_CheckExact(argv[i]))
            for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(argv[i]); k++)
                note(&all, PySequence_Fast_GET_ITEM(argv[i], k));
        else
            note(&all, argv[i]);
    }
    return all;
}

bool kp_any_may_override(PyObject *const *argv, Py_ssize_t n)
{
    if (KP_UNLIKELY(kp_modes_open))
        return true;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (kp_may_override(argv[i]))
            return true;
        if (PyList_CheckExact(argv[i]) || PyTuple_CheckExact(argv[i]))
            for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(argv[i]); k++)
                if (kp_may_override(PySequence_Fast_GET_ITEM(argv[i], k)))
                    return true;
    }
    return false;
}

/* ---- asking ---- */

static PyObject *tuple_of(PyObject *const *items, Py_ssize_t n)
{
    PyObject *tuple = PyTuple_New(n);
    for (Py_ssize_t i = 0; tuple && i < n; i++)
        PyTuple_SET_ITEM(tuple, i, Py_NewRef(items[i]));
    return tuple;
}

static PyObject *dict_of(PyObject *const *values, PyObject *names)
{
    PyObject *dict = PyDict_New();
    for (Py_ssize_t i = 0; dict && i < PyTuple_GET_SIZE(names); i++)
        if (PyDict_SetItem(dict, PyTuple_GET_ITEM(names, i), values[i]))
            Py_CLEAR(dict);
    return dict;
}

static PyObject *ask_one(PyObject *who, PyObject *function, PyObject *types, PyObject *args, PyObject *keywords)
{
    PyObject *method = PyObject_GetAttr(who, override_name);
    PyObject *answer = method ? PyObject_CallFunctionObjArgs(method, function, types, args, keywords, NULL) : NULL;
    Py_XDECREF(method);
    return answer;
}

static bool has_mode(void) { return modes && PyList_GET_SIZE(modes) > 0; }

/* The innermost mode's answer; NotImplemented: it declines. */
static PyObject *ask_mode(PyObject *function, PyObject *types, PyObject *args, PyObject *keywords)
{
    const Py_ssize_t last = PyList_GET_SIZE(modes) - 1;
    PyObject        *mode = Py_NewRef(PyList_GET_ITEM(modes, last)), *answer = NULL;
    if (PyList_SetSlice(modes, last, last + 1, NULL) == 0) {
        PyObject *none = keywords ? NULL : PyDict_New();
        answer = keywords || none ? ask_one(mode, function, types, args, keywords ? keywords : none) : NULL;
        Py_XDECREF(none);
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        if (PyList_Append(modes, mode))
            Py_CLEAR(answer);
        else
            PyErr_Restore(type, value, trace);
    }
    Py_DECREF(mode);
    return answer;
}

int kp_override(PyObject *function, PyObject *const *argv, Py_ssize_t n, PyObject *keywords, PyObject **answer)
{
    const Py_ssize_t n_keywords = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    askers           all = kp_override_off ? (askers){.n = 0} : find_askers(argv, n + n_keywords);
    const bool       in_mode = kp_modes_open && has_mode();
    if (!all.n && !in_mode)
        return KP_NOT_ASKED;
    PyObject *types = tuple_of(all.type, all.n), *args = tuple_of(argv, n);
    PyObject *given = n_keywords ? dict_of(argv + n, keywords) : NULL;
    *answer = types && args && (given || !n_keywords) ? Py_NewRef(Py_NotImplemented) : NULL;
    if (*answer && in_mode)
        Py_SETREF(*answer, ask_mode(function, types, args, given));
    for (int i = 0; i < all.n && *answer == Py_NotImplemented; i++)
        Py_SETREF(*answer, ask_one(all.type[i], function, types, args, given));
    askers_done(&all);
    Py_XDECREF(types);
    Py_XDECREF(args);
    Py_XDECREF(given);
    return *answer == Py_NotImplemented ? KP_DECLINED : KP_ANSWERED;
}

/* As kp_override, but all declining is an exception. 1: *answer is the result; 0: no argument overrides. */
int kp_override_call(const char *name, bool method, PyObject *function, PyObject *const *argv, Py_ssize_t n,
                     PyObject *keywords, PyObject **answer)
{
    int asked = kp_override(function, argv, n, keywords, answer);
    if (asked == KP_DECLINED) {
        askers    all = find_askers(argv, n + (keywords ? PyTuple_GET_SIZE(keywords) : 0));
        PyObject *mode = has_mode() ? PyList_GET_ITEM(modes, PyList_GET_SIZE(modes) - 1) : NULL; /* borrowed */
        PyObject *who = mode ? PyUnicode_FromFormat("\n  - mode object %R", mode) : PyUnicode_FromString("");
        for (int i = 0; who && i < all.n; i++)
            Py_SETREF(who, PyUnicode_FromFormat("%U\n  - tensor subclass %R", who, all.type[i]));
        askers_done(&all);
        Py_CLEAR(*answer);
        if (who)
            PyErr_Format(PyExc_TypeError, "Multiple dispatch failed for 'torch.%s%s'; all __torch_function__ handlers returned "
                                          "NotImplemented:\n%U", method ? "Tensor." : "", name, who);
        Py_XDECREF(who);
    }
    return asked != KP_NOT_ASKED;
}

/* For operators: the function is the method of Tensor; all declining is NotImplemented. */
int kp_override_operator(const char *name, PyObject *a, PyObject *b, PyObject **answer)
{
    PyObject *argv[2] = {a, b}, *function = PyDict_GetItemString(kp_tensor_type->tp_dict, name);
    if (!function || (kp_override_off && !has_mode()))
        return 0;
    return kp_override(function, argv, b ? 2 : 1, NULL, answer) != KP_NOT_ASKED;
}

/* ---- Tensor.__torch_function__: runs the call and converts the result to the class ---- */

static PyObject *as_class(PyObject *tensor, PyTypeObject *type) /* a new object on the same memory */
{
    kt_tensor *alias = kp_run_row(kp_rows.alias, kp_tensor_of(tensor));
    return alias ? kp_wrap_as(alias, type) : NULL;
}

/* Converts tensors in a result, in lists and tuples too, to the class. Steals the reference. */
static PyObject *convert(PyObject *given, PyTypeObject *type)
{
    if (!given || type == kp_tensor_type)
        return given;
    if (kp_is_tensor(given)) {
        if (!PyObject_TypeCheck(given, type))
            Py_SETREF(given, as_class(given, type));
    } else if ((PyTuple_Check(given) && !Py_IS_TYPE(given, &kp_size_type)) || PyList_CheckExact(given)) {
        PyObject *list = PySequence_List(given); /* a tuple subclass may alias the given one */
        for (Py_ssize_t i = 0; list && i < PyList_GET_SIZE(list); i++) {
            PyObject *one = convert(Py_NewRef(PyList_GET_ITEM(list, i)), type);
            if (!one || PyList_SetItem(list, i, one))
                Py_CLEAR(list);
        }
        Py_SETREF(given, list && !PyList_CheckExact(given) ? PyObject_CallOneArg((PyObject *)Py_TYPE(given), list)
                                                           : Py_XNewRef(list));
        Py_XDECREF(list);
    }
    return given;
}

/* .grad and ._base are returned as they are, whatever the class. */
static bool is_itself(PyObject *function)
{
    static const char *const names[] = {"grad", "_base"};
    PyObject                *of = PyObject_GetAttrString(function, "__self__");
    bool                     found = false;
    PyErr_Clear();
    for (size_t i = 0; of && i < sizeof names / sizeof *names; i++)
        found |= of == PyDict_GetItemString(kp_tensor_type->tp_dict, names[i]);
    Py_XDECREF(of);
    return found;
}

static PyObject *run_plainly(PyObject *function, PyObject *args, PyObject *keywords)
{
    PyObject *tuple = args ? PySequence_Tuple(args) : PyTuple_New(0);
    kp_override_off++;
    PyObject *result = tuple ? PyObject_Call(function, tuple, keywords && keywords != Py_None ? keywords : NULL) : NULL;
    kp_override_off--;
    Py_XDECREF(tuple);
    return result;
}

static int read_question(PyObject *args, PyObject *keywords, PyObject **function, PyObject **types, PyObject **given,
                         PyObject **named)
{
    static char *names[] = {"func", "types", "args", "kwargs", NULL};
    return PyArg_ParseTupleAndKeywords(args, keywords, "OO|OO:__torch_function__", names, function, types, given, named) ? 0
                                                                                                                       : -1;
}

/* __torch_function__(cls, func, types, args=(), kwargs=None) */
PyObject *kp_torch_function(PyObject *cls, PyObject *args, PyObject *keywords)
{
    PyObject *function, *types, *given = NULL, *named = NULL;
    if (read_question(args, keywords, &function, &types, &given, &named))
        return NULL;
    PyObject *all = PySequence_Tuple(types);
    for (Py_ssize_t i = 0; all && i < PyTuple_GET_SIZE(all); i++) {
        int is_base = PyObject_IsSubclass(cls, PyTuple_GET_ITEM(all, i));
        if (is_base <= 0) { /* unrelated classes among the types: decline */
            Py_DECREF(all);
            return is_base < 0 ? NULL : Py_NewRef(Py_NotImplemented);
        }
    }
    if (!all)
        return NULL;
    Py_DECREF(all);
    PyObject *result = run_plainly(function, given, named);
    return result && is_itself(function) ? result : convert(result, (PyTypeObject *)cls);
}

static PyObject *disabled_override(PyObject *self, PyObject *args, PyObject *keywords)
{
    (void)self;
    PyObject *function, *types, *given = NULL, *named = NULL;
    return read_question(args, keywords, &function, &types, &given, &named) ? NULL : run_plainly(function, given, named);
}

/* ---- making objects of a class ---- */

static int check_class(PyObject *cls)
{
    if (!PyType_Check(cls))
        PyErr_Format(PyExc_TypeError, "cls must be a type (got %s)", Py_TYPE(cls)->tp_name);
    else if (!PyType_IsSubtype((PyTypeObject *)cls, kp_tensor_type))
        PyErr_SetString(PyExc_TypeError, "Creating a Tensor subclass from a class that does not inherit from Tensor is not "
                                         "possible. Make sure your class inherits from Tensor.");
    else
        return 0;
    return -1;
}

PyObject *kp_as_subclass(PyObject *self, PyObject *cls)
{
    return check_class(cls) ? NULL : as_class(self, (PyTypeObject *)cls);
}

/* _make_subclass(cls, data, require_grad=False): shares the data's memory, without history */
PyObject *kp_make_subclass(PyObject *unused, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"cls", "data", "require_grad", NULL};
    PyObject    *cls, *data;
    int          wants_grad = 0;
    (void)unused;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|p:_make_subclass", names, &cls, &data, &wants_grad) ||
        check_class(cls))
        return NULL;
    if (!kp_is_tensor(data))
        return PyErr_Format(PyExc_TypeError, "_make_subclass(): argument 'data' (position 2) must be Tensor, not %s",
                            Py_TYPE(data)->tp_name);
    kt_tensor *of = kp_tensor_of(data);
    if (wants_grad && !kt_may_require_grad(kt_dtype_of(of)) && kp_want_grad_of(of, _PyType_Name((PyTypeObject *)cls)))
        return NULL; /* of what the program has, not of what is made of it */
    kt_tensor *plain = kp_run_row(kp_rows.detach, of);
    PyObject  *made = plain ? kp_wrap_as(plain, (PyTypeObject *)cls) : NULL;
    if (made && wants_grad && kp_want_grad_of(kp_tensor_of(made), _PyType_Name((PyTypeObject *)cls)))
        Py_CLEAR(made);
    return made;
}

/* ---- methods and attributes of a subclass's objects ---- */

typedef struct kp_asking { /* a bound C method that asks for overrides before it runs */
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject      *method, *self; /* owned */
} kp_asking;

static PyObject *call_asking(PyObject *o, PyObject *const *argv, size_t nargsf, PyObject *keywords)
{
    const kp_asking *m = (kp_asking *)o;
    const Py_ssize_t n = PyVectorcall_NARGS(nargsf), all = n + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
    PyObject       **with_self = PyMem_New(PyObject *, all + 1), *name, *answer = NULL;
    if (!with_self)
        return PyErr_NoMemory();
    with_self[0] = m->self;
    memcpy(with_self + 1, argv, (size_t)all * sizeof *argv);
    name = PyObject_GetAttrString(m->method, "__name__");
    const char *text = name ? PyUnicode_AsUTF8(name) : NULL;
    if (text && !kp_override_call(text, true, m->method, with_self, n + 1, keywords, &answer))
        answer = PyObject_Vectorcall(m->method, with_self, (size_t)n + 1, keywords);
    Py_XDECREF(name);
    PyMem_Free(with_self);
    return answer;
}

static void asking_dealloc(PyObject *o)
{
    Py_DECREF(((kp_asking *)o)->method);
    Py_DECREF(((kp_asking *)o)->self);
    PyObject_Free(o);
}

static PyObject *asking_getattr(PyObject *o, PyObject *name) /* __name__, __doc__ are the method's */
{
    return PyObject_GetAttr(((kp_asking *)o)->method, name);
}

PyTypeObject kp_asking_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.bound_method",
    .tp_basicsize = sizeof(kp_asking),
    .tp_dealloc = asking_dealloc,
    .tp_getattro = asking_getattr,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(kp_asking, vectorcall),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_VECTORCALL,
};

static PyObject *bind_asking(PyObject *method, PyObject *self)
{
    kp_asking *m = PyObject_New(kp_asking, &kp_asking_type);
    if (!m)
        return NULL;
    m->vectorcall = call_asking;
    m->method = Py_NewRef(method);
    m->self = Py_NewRef(self);
    return (PyObject *)m;
}

/* Tensor's own attribute of this name; NULL if the object or a class before Tensor defines another. */
static PyObject *tensors_own(PyObject *self, PyObject *name)
{
    PyObject *mro = Py_TYPE(self)->tp_mro, *dict = ((kp_tensor *)self)->dict;
    if (dict && PyDict_Contains(dict, name))
        return NULL;
    for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *type = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        PyObject     *found = type->tp_dict ? PyDict_GetItemWithError(type->tp_dict, name) : NULL;
        if (found || type == kp_tensor_type)
            return type == kp_tensor_type ? found : NULL;
    }
    return NULL;
}

/* What no class is told of: every object has the first, NumPy asks for the second. */
static bool is_untold(PyObject *name)
{
    return !PyUnicode_CompareWithASCIIString(name, "__dict__") || !PyUnicode_CompareWithASCIIString(name, "__array_priority__");
}

static PyObject *subclass_getattr(PyObject *self, PyObject *name)
{
    const bool asks = has_mode() || (!kp_override_off && overrides(Py_TYPE(self)));
    PyObject  *own = asks ? tensors_own(self, name) : NULL, *answer = NULL;
    PyErr_Clear();
    if (own && Py_IS_TYPE(own, &PyMethodDescr_Type) && PyUnicode_CompareWithASCIIString(name, "as_subclass"))
        return bind_asking(own, self);
    if (own && Py_IS_TYPE(own, &PyGetSetDescr_Type) && !is_untold(name)) {
        PyObject *get = PyObject_GetAttrString(own, "__get__");
        int       asked = get ? kp_override_call("__get__", true, get, &self, 1, NULL, &answer) : 1;
        Py_XDECREF(get);
        if (asked)
            return answer;
    }
    return PyObject_GenericGetAttr(self, name);
}

/* Before an attribute of Tensor that can be written is written or deleted (value NULL): 1 answered, 0 nobody was asked. */
int kp_override_setattr(PyObject *self, PyObject *name, PyObject *value)
{
    const bool asks = has_mode() || (!kp_override_off && overrides(Py_TYPE(self)));
    PyObject  *own = asks ? tensors_own(self, name) : NULL, *argv[2] = {self, value}, *answer = NULL;
    PyErr_Clear();
    if (!own || !Py_IS_TYPE(own, &PyGetSetDescr_Type) || !((PyGetSetDescrObject *)own)->d_getset->set || is_untold(name))
        return 0;
    const char *called = value ? "__set__" : "__delete__";
    PyObject   *set = PyObject_GetAttrString(own, called);
    const int   asked = set ? kp_override_call(called, true, set, argv, value ? 2 : 1, NULL, &answer) : -1;
    Py_XDECREF(set);
    Py_XDECREF(answer);
    return asked > 0 && !answer ? -1 : asked;
}

/* A class with its own __getattribute__ keeps it. */
PyObject *kp_init_subclass(PyObject *cls, PyObject *args, PyObject *keywords)
{
    PyTypeObject *type = (PyTypeObject *)cls;
    PyObject     *next = PyObject_CallFunctionObjArgs((PyObject *)&PySuper_Type, (PyObject *)kp_tensor_type, cls, NULL);
    PyObject     *method = next ? PyObject_GetAttrString(next, "__init_subclass__") : NULL;
    PyObject     *done = method ? PyObject_Call(method, args, keywords) : NULL;
    Py_XDECREF(next);
    Py_XDECREF(method);
    if (done && type->tp_getattro == PyObject_GenericGetAttr)
        type->tp_getattro = subclass_getattr;
    if (done)
        kp_life_of_subclass(type);
    return done;
}

/* Plain tensors ask before an attribute is read only while a mode is entered somewhere. */
static void count_modes(int by)
{
    kp_modes_open += by;
    kp_tensor_type->tp_getattro = kp_modes_open ? subclass_getattr : PyObject_GenericGetAttr;
    PyType_Modified(kp_tensor_type); /* the interpreter keeps what it found */
}

/* ---- functions of the module ---- */

static PyObject *turn_off(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    kp_override_off++;
    Py_RETURN_NONE;
}

static PyObject *turn_on(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    kp_override_off--;
    Py_RETURN_NONE;
}

static PyObject *is_on(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(!kp_override_off);
}

static PyObject *has_override(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *all = PySequence_Tuple(arguments);
    if (!all)
        return NULL;
    askers     who = kp_override_off ? (askers){.n = 0} : find_askers(((PyTupleObject *)all)->ob_item, PyTuple_GET_SIZE(all));
    const bool found = who.n || has_mode();
    askers_done(&who);
    Py_DECREF(all);
    return PyBool_FromLong(found);
}

/* ask(public_api, relevant_args, args, kwargs): what torch.overrides.handle_torch_function is made of. */
static PyObject *ask(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *function, *relevant, *args, *keywords, *answer = NULL;
    if (!PyArg_ParseTuple(arguments, "OOO!O!", &function, &relevant, &PyTuple_Type, &args, &PyDict_Type, &keywords))
        return NULL;
    PyObject *who = PySequence_Tuple(relevant);
    if (!who)
        return NULL;
    askers    all = find_askers(((PyTupleObject *)who)->ob_item, PyTuple_GET_SIZE(who));
    PyObject *types = tuple_of(all.type, all.n);
    answer = types ? Py_NewRef(Py_NotImplemented) : NULL;
    if (answer && has_mode())
        Py_SETREF(answer, ask_mode(function, types, args, keywords));
    for (int i = 0; i < all.n && answer == Py_NotImplemented; i++)
        Py_SETREF(answer, ask_one(all.type[i], function, types, args, keywords));
    askers_done(&all);
    Py_XDECREF(types);
    Py_DECREF(who);
    return answer;
}

static PyObject *push_mode(PyObject *module, PyObject *mode)
{
    (void)module;
    if ((!modes && !(modes = PyList_New(0))) || PyList_Append(modes, mode))
        return NULL;
    count_modes(1);
    Py_RETURN_NONE;
}

static PyObject *pop_mode(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    if (!has_mode())
        return PyErr_Format(PyExc_RuntimeError, "no function mode is entered on this thread");
    const Py_ssize_t last = PyList_GET_SIZE(modes) - 1;
    PyObject        *mode = Py_NewRef(PyList_GET_ITEM(modes, last));
    if (PyList_SetSlice(modes, last, last + 1, NULL)) {
        Py_DECREF(mode);
        return NULL;
    }
    count_modes(-1);
    return mode;
}

static PyObject *all_modes(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return modes ? PyList_AsTuple(modes) : PyTuple_New(0);
}

PyMethodDef kp_override_functions[] = {
    {"override_off", turn_off, METH_NOARGS, "from now on on this thread nobody's __torch_function__ is asked"},
    {"override_on", turn_on, METH_NOARGS, "ends what override_off began"},
    {"override_enabled", is_on, METH_NOARGS, "is anybody's __torch_function__ asked on this thread?"},
    {"push_function_mode", push_mode, METH_O, "enters a mode, whose __torch_function__ is asked from now on on this thread"},
    {"pop_function_mode", pop_mode, METH_NOARGS, "leaves the innermost mode, and gives it"},
    {"function_modes", all_modes, METH_NOARGS, "the modes of this thread, the innermost last"},
    {"has_override", has_override, METH_O, "has_override(arguments): does one of them want to be asked?"},
    {"ask_override", ask, METH_VARARGS, "ask_override(function, relevant, args, kwargs): an answer, or NotImplemented"},
    {NULL, NULL, 0, NULL},
};

int kp_override_start(PyObject *module)
{
    if (!override_name && !(override_name = PyUnicode_InternFromString("__torch_function__")))
        return -1;
    if (!disabled && !(disabled = PyCFunction_New(&disabled_definition, NULL)))
        return -1;
    if (PyType_Ready(&kp_asking_type))
        return -1;
    return PyModule_AddObjectRef(module, "_disabled_torch_function_impl", disabled);
}
