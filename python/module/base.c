/* base.c - the base of torch.nn.Module: its attributes and its call.
 *
 * In: the tables that Module.__init__ puts into an object's __dict__: _parameters, _buffers, _modules, and those of hooks. They
 * are real dicts, which programs read and change. Out: the type ModuleBase. Independent of: layers, tensors' values.
 *
 * Everything is looked up when it is used, since programs replace tables and methods. An assignment that concerns a table
 * goes to Module._set_registered, a call with hooks to Module._call_with_hooks. */
#include "core/binding.h"

#include <karat/autocast.h>
#include <karat/module.h>
#include <karat/plugin/node.h>
#include <karat/plugin/watch.h>

enum { N_TABLES = 3, N_HOOKS = 4 };

/* With a field of its own the type is the base that decides the layout of a class with mixins, wherever it stands among the
 * bases: so module.__class__ can be set to such a class, as where Module is written in Python. */
typedef struct module_object {
    PyObject_HEAD
    PyObject       *weak_references;
    kt_conversions *conversions; /* of its calls; NULL: there were none */
} module_object;

typedef struct frame { /* a call of a module that runs on this thread */
    PyObject           *module;
    const struct frame *outer;
} frame;
static __thread const frame *innermost;

static PyObject *table_name[N_TABLES], *hook_name[N_HOOKS]; /* interned */
static PyObject *not_persistent, *forward_name, *with_hooks, *set_registered, *pinned_dtype;
static PyObject *global_hooks; /* a tuple of the dicts of all modules' hooks; NULL: not set yet */
static PyObject *own_get;      /* ModuleBase.__getattr__ */
static PyObject *own_call;     /* ModuleBase.__call__ */
static PyObject *own_get_any;  /* ModuleBase.__getattribute__, which is object's */
static PyObject *name_layer;   /* a function of (error, modules): adds the path to an operator's error; NULL: not set yet */

/* Borrowed: an entry of the object's __dict__ that is a dict; NULL without an exception: there is none. */
static PyObject *table_of(PyObject *own, PyObject *name)
{
    PyObject *table = PyDict_GetItemWithError(own, name);
    return table && PyDict_Check(table) ? table : NULL;
}

/* Borrowed: what a parameter, buffer or child of that name is; NULL: none, or an exception. */
static PyObject *registered(PyObject *own, PyObject *name, PyObject **in)
{
    for (int i = 0; i < N_TABLES; i++) {
        PyObject *table = table_of(own, table_name[i]);
        PyObject *found = table ? PyDict_GetItemWithError(table, name) : NULL;
        if (found) {
            if (in)
                *in = table;
            return found;
        }
        if (PyErr_Occurred())
            return NULL;
    }
    return NULL;
}

/* ---- attributes ---- */

static PyObject *look_up(PyObject *self, PyObject *name)
{
    if (!PyUnicode_Check(name))
        return PyErr_Format(PyExc_TypeError, "attribute name must be string, not '%s'", Py_TYPE(name)->tp_name);
    PyObject *own = PyObject_GenericGetDict(self, NULL);
    if (!own)
        return NULL;
    PyObject *found = registered(own, name, NULL);
    Py_XINCREF(found);
    Py_DECREF(own);
    if (!found && !PyErr_Occurred())
        PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute '%U'", _PyType_Name(Py_TYPE(self)), name);
    return found;
}

static PyObject *get_attribute(PyObject *self, PyObject *name)
{
    PyObject *found = _PyObject_GenericGetAttrWithDict(self, name, NULL, 1);
    return found || PyErr_Occurred() ? found : look_up(self, name);
}

/* 1: done by Module._set_registered; 0: a plain attribute; -1: an exception. */
static int set_in_table(PyObject *self, PyObject *name, PyObject *value)
{
    if (!PyObject_TypeCheck(value, kp_tensor_type) && !PyObject_TypeCheck(value, &kp_module_type)) {
        PyObject *own = PyObject_GenericGetDict(self, NULL);
        if (!own)
            return -1;
        const bool known = registered(own, name, NULL) != NULL;
        Py_DECREF(own);
        if (!known)
            return PyErr_Occurred() ? -1 : 0;
    }
    PyObject *done = PyObject_CallMethodObjArgs(self, set_registered, name, value, NULL);
    const int answer = done ? PyObject_IsTrue(done) : -1;
    Py_XDECREF(done);
    return answer;
}

static int delete_from_table(PyObject *self, PyObject *name)
{
    PyObject *own = PyObject_GenericGetDict(self, NULL), *table, *set;
    int       answer = -1;
    if (!own)
        return -1;
    if (!registered(own, name, &table)) {
        answer = PyErr_Occurred() ? -1 : 0;
    } else if (!PyDict_DelItem(table, name)) {
        answer = 1;
        set = PyDict_GetItemWithError(own, not_persistent);
        if (set && PySet_Check(set) && PySet_Discard(set, name) < 0)
            answer = -1;
    }
    Py_DECREF(own);
    return answer;
}

/* __setattr__ and __delattr__ are methods and no slots of the type: object.__setattr__, with which programs pass the tables by,
 * refuses a type that has a slot of its own. */
static PyObject *set_attribute(PyObject *self, PyObject *const *argv, Py_ssize_t n)
{
    if (n != 2)
        return PyErr_Format(PyExc_TypeError, "__setattr__() takes 2 arguments, %zd given", n);
    const int done = set_in_table(self, argv[0], argv[1]);
    return done < 0 || (!done && PyObject_GenericSetAttr(self, argv[0], argv[1])) ? NULL : Py_NewRef(Py_None);
}

static PyObject *delete_attribute(PyObject *self, PyObject *name)
{
    const int done = delete_from_table(self, name);
    return done < 0 || (!done && PyObject_GenericSetAttr(self, name, NULL)) ? NULL : Py_NewRef(Py_None);
}

/* ---- the call ---- */

/* Is a hook set, of this module or of all? -1: an exception. */
static int has_hooks(PyObject *self)
{
    for (Py_ssize_t i = 0; global_hooks && i < PyTuple_GET_SIZE(global_hooks); i++)
        if (PyDict_GET_SIZE(PyTuple_GET_ITEM(global_hooks, i)))
            return 1;
    PyObject *own = PyObject_GenericGetDict(self, NULL);
    int       answer = own ? 0 : -1;
    for (int i = 0; i < N_HOOKS && !answer; i++) {
        PyObject *table = table_of(own, hook_name[i]);
        if (!table && !PyErr_Occurred()) /* Module.__init__ did not run */
            PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute '%U'", _PyType_Name(Py_TYPE(self)), hook_name[i]);
        answer = table ? PyDict_GET_SIZE(table) > 0 : -1;
    }
    Py_XDECREF(own);
    return answer;
}

static PyObject *call_with_hooks(PyObject *self, PyObject *args, PyObject *keywords)
{
    PyObject *none = keywords ? NULL : PyDict_New();
    PyObject *result = keywords || none
                           ? PyObject_CallMethodObjArgs(self, with_hooks, args, keywords ? keywords : none, NULL)
                           : NULL;
    Py_XDECREF(none);
    return result;
}

/* The modules whose calls run, the outermost first. */
static PyObject *running(void)
{
    PyObject *modules = PyList_New(0);
    for (const frame *f = innermost; f && modules; f = f->outer)
        if (PyList_Append(modules, f->module))
            Py_CLEAR(modules);
    if (modules && PyList_Reverse(modules))
        Py_CLEAR(modules);
    return modules;
}

/* The pending exception, if it is an operator's and names no layer yet, names this one. */
static void tell_layer(void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (name_layer && value && PyObject_HasAttrString(value, "karat")) {
        PyObject *modules = running(), *done = modules ? PyObject_CallFunctionObjArgs(name_layer, value, modules, NULL) : NULL;
        Py_XDECREF(modules);
        Py_XDECREF(done);
        PyErr_Clear(); /* the exception stays as it was */
    }
    PyErr_Restore(type, value, trace);
}

static PyObject *call_plain(PyObject *self, PyObject *args, PyObject *keywords)
{
    PyObject *forward = PyObject_GetAttr(self, forward_name);
    PyObject *result = forward ? PyObject_Call(forward, args, keywords) : NULL;
    Py_XDECREF(forward);
    return result;
}

/* KT_NONE: it is not pinned, or its floats have several dtypes. */
static kt_dtype pinned_dtype_of(PyObject *self)
{
    PyObject *own = PyObject_GenericGetDict(self, NULL);
    PyObject *found = own ? PyDict_GetItemWithError(own, pinned_dtype) : NULL;
    kt_dtype  dtype = KT_NONE;
    if (found && Py_IS_TYPE(found, &kp_dtype_type))
        (void)kp_to_dtype(found, &dtype);
    Py_XDECREF(own);
    PyErr_Clear();
    return dtype;
}

static kt_collecting enter(PyObject *self, int phase)
{
    return kt_collect(KT_COLLECT_MODULE, (kt_collecting){&((module_object *)self)->conversions, phase});
}

/* 0: nobody watches. */
static inline uint64_t begin_span(PyObject *self)
{
    const uint64_t span = kt_module_begin(Py_TYPE(self)->tp_name, self);
    if (KP_UNLIKELY(span) && kp_note_module(self))
        PyErr_Clear(); /* its path will not be known */
    return span;
}

static PyObject *call(PyObject *self, PyObject *args, PyObject *keywords)
{
    const int hooks = has_hooks(self);
    if (hooks < 0)
        return NULL;
    const frame         here = {self, innermost};
    const kt_collecting collecting = enter(self, KT_PHASE_FORWARD);
    const kt_dtype      pinned = KP_UNLIKELY(kt_autocast_is_on()) ? pinned_dtype_of(self) : KT_NONE;
    kt_mode_guard       mode;
    if (pinned)
        mode = kt_autocast_lower_to(pinned);
    innermost = &here;
    const uint64_t span = begin_span(self);
    PyObject *result = hooks ? call_with_hooks(self, args, keywords) : call_plain(self, args, keywords);
    if (KP_UNLIKELY(!result))
        tell_layer();
    innermost = here.outer;
    if (KP_UNLIKELY(span))
        kt_range_end(span);
    if (pinned)
        kt_mode_close(&mode);
    kt_collect(KT_COLLECT_MODULE, collecting);
    return result;
}

/* What the innermost call of a module does from now on: KT_PHASE_*. */
static PyObject *set_phase(PyObject *module, PyObject *phase)
{
    (void)module;
    const long p = PyLong_AsLong(phase);
    if (p == -1 && PyErr_Occurred())
        return NULL;
    if (innermost)
        enter(innermost->module, (int)p);
    Py_RETURN_NONE;
}

static PyObject *conversions_of(PyObject *module, PyObject *of)
{
    (void)module;
    if (!PyObject_TypeCheck(of, &kp_module_type)) {
        PyErr_SetString(PyExc_TypeError, "a module is expected");
        return NULL;
    }
    return kp_conversions_list(((module_object *)of)->conversions);
}

/* ---- the type ---- */

static void free_module(PyObject *self)
{
    if (((module_object *)self)->weak_references)
        PyObject_ClearWeakRefs(self);
    kt_conversions_free(((module_object *)self)->conversions);
    Py_TYPE(self)->tp_free(self);
}

/* __call__ is a method, not a slot's wrapper, for inspect.signature of a module: it is (*args, **kwargs). */
static PyObject *call_method(PyObject *self, PyObject *args, PyObject *keywords) { return call(self, args, keywords); }

/* A class that overrides neither __getattr__ nor __getattribute__ needs no call of either: Python would make both. Nor one
 * of __call__. Python takes the shortcut away when one of them is assigned later, to the class or to a base. */
static PyObject *init_subclass(PyObject *class, PyObject *args, PyObject *keywords)
{
    PyTypeObject *type = (PyTypeObject *)class;
    if (PyTuple_GET_SIZE(args) || (keywords && PyDict_GET_SIZE(keywords))) {
        PyErr_Format(PyExc_TypeError, "%s.__init_subclass__() takes no keyword arguments", _PyType_Name(type));
        return NULL;
    }
    PyObject *get = PyObject_GetAttrString(class, "__getattr__"), *all = PyObject_GetAttrString(class, "__getattribute__");
    if (get && all && get == own_get && all == own_get_any)
        type->tp_getattro = get_attribute;
    PyObject *called = PyErr_Occurred() ? NULL : PyObject_GetAttrString(class, "__call__");
    if (called && called == own_call)
        type->tp_call = call;
    Py_XDECREF(called);
    Py_XDECREF(all);
    Py_XDECREF(get);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* What module.py gives: the tables of the hooks of all modules, and the function that names a layer in an error. */
static PyObject *set_up(PyObject *class, PyObject *args)
{
    (void)class;
    PyObject *tables, *function;
    if (!PyArg_ParseTuple(args, "O!O", &PyTuple_Type, &tables, &function))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tables); i++)
        if (!PyDict_Check(PyTuple_GET_ITEM(tables, i))) {
            PyErr_SetString(PyExc_TypeError, "a tuple of dicts is expected");
            return NULL;
        }
    Py_XSETREF(global_hooks, Py_NewRef(tables));
    Py_XSETREF(name_layer, Py_NewRef(function));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"__getattr__", look_up, METH_O, "a parameter, buffer or child of that name"},
    {"__setattr__", KP_FUNCTION(set_attribute), METH_FASTCALL, NULL},
    {"__delattr__", delete_attribute, METH_O, NULL},
    {"__call__", KP_FUNCTION(call_method), METH_VARARGS | METH_KEYWORDS | METH_COEXIST,
     "__call__($self, /, *args, **kwargs)\n--\n\nforward, with the hooks around it."},
    {"__init_subclass__", KP_FUNCTION(init_subclass), METH_CLASS | METH_VARARGS | METH_KEYWORDS, NULL},
    {"_set_up", set_up, METH_CLASS | METH_VARARGS, "the tables of the hooks of all modules; what names a layer in an error"},
    {NULL, NULL, 0, NULL},
};

PyTypeObject kp_module_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.nn.modules.module.Module", /* whose source it has, as the half of it in C */
    .tp_doc = PyDoc_STR("The base of torch.nn.Module: attributes and calls."),
    .tp_basicsize = sizeof(module_object),
    .tp_weaklistoffset = offsetof(module_object, weak_references),
    .tp_dealloc = free_module,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_call = call,
    .tp_methods = methods,
};

/* Module.to's arguments: (device or None, dtype or None, non_blocking, memory format or None). */
static PyObject *parse_to(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    (void)module;
#define FLAG(called) {.name = called, .kind = KT_ARG_BOOL, .has_default = 1}
#define FORMAT {.name = "memory_format", .kind = KT_ARG_FORMAT, .has_default = 1, .optional = 1, .keyword_only = 1}
    static kp_signature overloads[] = {
        {.name = "to",
         .spec = {{.name = "device", .kind = KT_ARG_DEVICE, .has_default = 1, .optional = 1},
                  {.name = "dtype", .kind = KT_ARG_DTYPE, .has_default = 1, .optional = 1},
                  FLAG("non_blocking"), FLAG("copy"), FORMAT}},
        {.name = "to", .spec = {{.name = "dtype", .kind = KT_ARG_DTYPE}, FLAG("non_blocking"), FLAG("copy"), FORMAT}},
        {.name = "to", .spec = {{.name = "tensor", .kind = KT_ARG_TENSOR}, FLAG("non_blocking"), FLAG("copy"), FORMAT}}};
#undef FLAG
#undef FORMAT
    enum { TO_DEVICE, TO_DTYPE, AS_TENSOR };
    kp_args   a;
    const int which = kp_parse_any(&a, overloads, 3, argv, n, keywords);
    if (which < 0)
        return NULL;
    const int       flags = which == TO_DEVICE ? 2 : 1;
    const uint32_t  given = (uint32_t)a.call.given;
    const kt_tensor *like = which == AS_TENSOR ? a.call.arg[0].t : NULL;
    PyObject        *result = NULL;
    if (given >> (flags + 1) & 1 && a.call.arg[flags + 1].b) {
        PyErr_SetString(PyExc_RuntimeError, ".to() does not accept copy argument");
    } else {
        const bool has_device = like || (which == TO_DEVICE && given & 1);
        const int  dtype_at = which == TO_DEVICE ? 1 : 0;
        const bool has_dtype = like || given >> dtype_at & 1;
        const kt_device on = like ? kt_device_of(like) : a.call.arg[0].device;
        const kt_dtype  as = like ? kt_dtype_of(like) : a.call.arg[dtype_at].dtype;
        const bool      non_blocking = given >> flags & 1 && a.call.arg[flags].b;
        PyObject  *device = has_device ? kp_device_object_of(on) : Py_NewRef(Py_None);
        PyObject  *dtype = has_dtype ? kp_dtype_object(as) : Py_NewRef(Py_None);
        PyObject  *format = given >> (flags + 2) & 1 ? kp_format_object(a.call.arg[flags + 2].format) : Py_NewRef(Py_None);
        if (device && dtype && format)
            result = Py_BuildValue("(OOOO)", device, dtype, non_blocking ? Py_True : Py_False, format);
        Py_XDECREF(device);
        Py_XDECREF(dtype);
        Py_XDECREF(format);
    }
    kp_args_free(&a);
    return result;
}

/* The tensors of a tuple, passed through a node that changes nothing: (that node or None, the tensors). */
static PyObject *through_identity(PyObject *module, PyObject *tensors)
{
    (void)module;
    const Py_ssize_t n = PyTuple_Check(tensors) ? PyTuple_GET_SIZE(tensors) : -1;
    for (Py_ssize_t i = 0; i < n; i++)
        if (!kp_is_tensor(PyTuple_GET_ITEM(tensors, i)))
            return PyErr_Format(PyExc_TypeError, "expected a tuple of tensors");
    kt_tensor **t = n < 0 ? NULL : PyMem_Calloc((size_t)(2 * n) + 1, sizeof *t);
    kt_node    *node = NULL;
    if (!t)
        return n < 0 ? PyErr_Format(PyExc_TypeError, "expected a tuple of tensors") : PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < n; i++)
        t[i] = kp_tensor_of(PyTuple_GET_ITEM(tensors, i));
    const kp_entry  before = kp_enter_any();
    const kt_status status = kt_node_identity(t, n, t + n, &node);
    kp_leave(before);
    PyObject *result = NULL;
    if (kp_after(NULL, status)) {
        kp_raise();
    } else {
        result = PyTuple_New(n);
        for (Py_ssize_t i = 0; i < n; i++) {
            PyObject *one = kp_wrap(t[n + i]);
            if (result && one)
                PyTuple_SET_ITEM(result, i, one);
            else
                Py_CLEAR(result);
        }
    }
    PyMem_Free(t);
    PyObject *shown = !result ? NULL : node ? kp_node_object(node) : Py_NewRef(Py_None);
    if (!result)
        kt_node_drop(node);
    return result ? Py_BuildValue("NN", shown, result) : NULL;
}

PyMethodDef kp_module_functions[] = {
    {"module_phase", set_phase, METH_O,
     "module_phase(phase): where the innermost call of a module is: 0 in a hook before forward, 1 in forward, 2 in one after it"},
    {"module_conversions", conversions_of, METH_O,
     "module_conversions(module): [(phase, op, from, to, why, file, line, count, bytes)] of its calls"},
    {"through_identity", through_identity, METH_O, "the tensors of a tuple, passed through one node that changes nothing"},
    {"parse_to", KP_FUNCTION(parse_to), METH_FASTCALL | METH_KEYWORDS, "the arguments of Module.to"},
    {NULL, NULL, 0, NULL},
};

int kp_module_start(PyObject *module)
{
    static const char *const tables[N_TABLES] = {"_parameters", "_buffers", "_modules"};
    static const char *const hooks[N_HOOKS] = {"_backward_hooks", "_backward_pre_hooks", "_forward_hooks", "_forward_pre_hooks"};
    for (int i = 0; i < N_TABLES; i++)
        if (!(table_name[i] = PyUnicode_InternFromString(tables[i])))
            return -1;
    for (int i = 0; i < N_HOOKS; i++)
        if (!(hook_name[i] = PyUnicode_InternFromString(hooks[i])))
            return -1;
    not_persistent = PyUnicode_InternFromString("_non_persistent_buffers_set");
    forward_name = PyUnicode_InternFromString("forward");
    with_hooks = PyUnicode_InternFromString("_call_with_hooks");
    set_registered = PyUnicode_InternFromString("_set_registered");
    pinned_dtype = PyUnicode_InternFromString("_pinned_dtype");
    kp_module_type.tp_new = PyBaseObject_Type.tp_new; /* object.__new__(a class of modules), which old pickles call */
    if (!pinned_dtype || !not_persistent ||
        !forward_name || !with_hooks || !set_registered || PyType_Ready(&kp_module_type) ||
        PyDict_DelItemString(kp_module_type.tp_dict, "__new__") || /* object's: a base after this one may have its own */
        PyModule_AddObjectRef(module, "ModuleBase", (PyObject *)&kp_module_type))
        return -1;
    PyType_Modified(&kp_module_type);
    own_get = PyObject_GetAttrString((PyObject *)&kp_module_type, "__getattr__");
    own_call = PyObject_GetAttrString((PyObject *)&kp_module_type, "__call__");
    own_get_any = PyObject_GetAttrString((PyObject *)&kp_module_type, "__getattribute__");
    return own_get && own_call && own_get_any ? 0 : -1;
}
