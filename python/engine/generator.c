/* generator.c - Generator objects, and seed and state functions of the default ones.
 *
 * In: seeds, states as uint8 tensors. Out: the engine's generators as Python objects, the same numbers as PyTorch's.
 * Independent of: the operators that draw. */
#include "core/binding.h"

typedef struct kp_generator {
    PyObject_HEAD
    kt_generator *g;
} kp_generator;

static PyObject *the_default; /* the one object of the default generator */
static PyObject *defaults;    /* those of devices: a dict from their address */

int kp_to_generator(PyObject *o, kt_generator **g)
{
    if (!PyObject_TypeCheck(o, &kp_generator_type))
        return 0;
    *g = ((kp_generator *)o)->g;
    return 1;
}

static kt_generator *of(PyObject *self) { return ((kp_generator *)self)->g; }

static PyObject *new_generator_as(PyTypeObject *type, kt_generator *g) /* takes over the reference */
{
    kp_generator *self = g ? (kp_generator *)type->tp_alloc(type, 0) : NULL;
    if (!self) {
        kt_generator_drop(g);
        return g ? NULL : kp_raise();
    }
    self->g = g;
    return (PyObject *)self;
}

static PyObject *new_generator(kt_generator *g) { return new_generator_as(&kp_generator_type, g); }

static PyObject *generator_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"device", NULL};
    PyObject    *device = NULL;
    kt_device    d = {KT_CPU, 0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:Generator", names, &device))
        return NULL;
    int known = device && device != Py_None ? kp_to_device(device, &d) : 1;
    if (known < 0)
        return NULL;
    if (!known) {
        PyErr_Format(PyExc_TypeError, "Generator(): argument 'device' (position 1) must be torch.device, not %s",
                     Py_TYPE(device)->tp_name);
        return NULL;
    }
    if (d.kind == KT_META) {
        PyErr_SetString(PyExc_RuntimeError, "META device type not an accelerator.");
        return NULL;
    }
    kt_generator *g = NULL;
    return kt_generator_new_on(d, &g) ? kp_raise() : new_generator_as(type, g);
}

static void generator_dealloc(PyObject *self)
{
    kt_generator_drop(of(self));
    Py_TYPE(self)->tp_free(self);
}

/* ---- seeds ---- */

/* A signed or unsigned 64-bit integer. */
static int to_seed(PyObject *number, uint64_t *seed)
{
    *seed = PyLong_AsUnsignedLongLong(number);
    if (!PyErr_Occurred())
        return 0;
    PyErr_Clear();
    *seed = (uint64_t)PyLong_AsLongLong(number);
    if (!PyErr_Occurred() && (int64_t)*seed < 0)
        return 0;
    PyErr_SetString(PyExc_ValueError, "Overflow when unpacking long long");
    return -1;
}

static PyObject *manual_seed(PyObject *self, PyObject *number)
{
    uint64_t seed;
    if (!PyLong_Check(number)) {
        PyErr_Format(PyExc_RuntimeError, "manual_seed expected a long, but got %s", Py_TYPE(number)->tp_name);
        return NULL;
    }
    if (to_seed(number, &seed))
        return NULL;
    kt_generator_manual_seed(of(self), seed);
    return Py_NewRef(self);
}

static PyObject *seed(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(kt_generator_seed(of(self)));
}

static PyObject *get_device(PyObject *self, void *unused)
{
    (void)unused;
    return kp_device_object(kt_generator_device(of(self)));
}

static PyObject *initial_seed(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(kt_generator_initial_seed(of(self)));
}

/* ---- states ---- */

static PyObject *get_state(PyObject *self, PyObject *unused)
{
    (void)unused;
    kt_tensor *t = NULL;
    if (kt_make(KT_U8, KT_SHAPE((int64_t)kt_generator_state_bytes(of(self))), "get_state", &t))
        return kp_raise();
    kt_generator_get_state(of(self), kt_data(t));
    return kp_wrap(t);
}

static PyObject *set_state(PyObject *self, PyObject *state)
{
    if (!kp_is_tensor(state)) {
        PyErr_Format(PyExc_TypeError, "expected a torch.ByteTensor, but got %s", Py_TYPE(state)->tp_name);
        return NULL;
    }
    kt_tensor *t = kp_tensor_of(state);
    if (kt_dtype_of(t) != KT_U8 || kt_device_of(t).kind != KT_CPU) {
        PyErr_SetString(PyExc_TypeError, "RNG state must be a torch.ByteTensor");
        return NULL;
    }
    if (!kt_is_contiguous(t)) {
        PyErr_SetString(PyExc_RuntimeError, "RNG state must be contiguous");
        return NULL;
    }
    if (kt_generator_set_state(of(self), kt_data(t), (size_t)kt_numel(t)))
        return kp_raise();
    return Py_NewRef(self);
}

static PyObject *clone_state(PyObject *self, PyObject *unused)
{
    (void)unused;
    unsigned char state[KT_GENERATOR_STATE];
    kt_generator *g = NULL;
    if (kt_generator_new_on(kt_generator_device(of(self)), &g))
        return kp_raise();
    kt_generator_get_state(of(self), state);
    kt_generator_set_state(g, state, kt_generator_state_bytes(g));
    return new_generator(g);
}

/* ---- offsets: of a device's own generator ---- */

static bool has_offset(PyObject *self)
{
    if (kt_generator_device(of(self)).kind != KT_CPU)
        return true;
    PyErr_SetString(PyExc_RuntimeError, "CPU Generator does not use offset");
    return false;
}

static PyObject *get_offset(PyObject *self, PyObject *unused)
{
    (void)unused;
    return has_offset(self) ? PyLong_FromUnsignedLongLong(kt_generator_offset(of(self))) : NULL;
}

static PyObject *set_offset(PyObject *self, PyObject *number)
{
    uint64_t offset;
    if (!PyLong_Check(number))
        return PyErr_Format(PyExc_RuntimeError, "manual_offset expected a long, but got %s", Py_TYPE(number)->tp_name);
    if (!has_offset(self) || to_seed(number, &offset))
        return NULL;
    return kt_generator_set_offset(of(self), offset) ? kp_raise() : Py_NewRef(self);
}

/* ---- pickles: the generator of a device, and (seed, offset, state) ---- */

static PyObject *reduce(PyObject *self, PyObject *unused)
{
    const bool on_host = kt_generator_device(of(self)).kind == KT_CPU;
    return Py_BuildValue("(O(N)(NNN))", Py_TYPE(self), get_device(self, NULL), initial_seed(self, NULL),
                         on_host ? Py_NewRef(Py_None) : get_offset(self, NULL), get_state(self, unused));
}

static PyObject *restore(PyObject *self, PyObject *state)
{
    PyObject *seed, *offset, *content;
    if (!PyArg_Parse(state, "(OOO);a generator's state is its seed, its offset and a tensor", &seed, &offset, &content))
        return NULL;
    PyObject *done = set_state(self, content); /* it has the seed and the offset too */
    Py_XDECREF(done);
    return done ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, NULL},
    {"__setstate__", restore, METH_O, NULL},
    {"manual_seed", manual_seed, METH_O, "manual_seed(seed): begin the stream of this seed; gives the generator"},
    {"seed", seed, METH_NOARGS, "seed from the system, and tell the seed"},
    {"initial_seed", initial_seed, METH_NOARGS, "the seed of the stream"},
    {"get_state", get_state, METH_NOARGS, "the state as a uint8 tensor in PyTorch's layout: 5,056 bytes, on a device 16"},
    {"set_state", set_state, METH_O, "set_state(state): go on from a state"},
    {"clone_state", clone_state, METH_NOARGS, "another generator at the same place of the same stream"},
    {"get_offset", get_offset, METH_NOARGS, "of a device's own generator: where its draws are"},
    {"set_offset", set_offset, METH_O, "set_offset(offset): go on from there"},
    {"__copy__", clone_state, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getset[] = {
    {"device", get_device, NULL, "where it draws: the CPU, unless a device draws by itself", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject kp_generator_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.Generator",
    .tp_doc = "Generator(device='cpu'): a stream of random numbers",
    .tp_basicsize = sizeof(kp_generator),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = generator_new,
    .tp_dealloc = generator_dealloc,
    .tp_methods = methods,
    .tp_getset = getset,
};

/* ---- the default generator's ---- */

/* Seeds go to the default generators of devices too. */
static PyObject *default_manual_seed(PyObject *module, PyObject *number)
{
    (void)module;
    uint64_t  seed;
    PyObject *whole = PyLong_Check(number) ? Py_NewRef(number) : PyObject_CallOneArg((PyObject *)&PyLong_Type, number);
    const int bad = whole ? to_seed(whole, &seed) : -1;
    Py_XDECREF(whole);
    if (bad)
        return NULL;
    kt_manual_seed(seed);
    return Py_NewRef(the_default);
}

static PyObject *default_seed(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromUnsignedLongLong(kt_seed());
}

static PyObject *default_initial_seed(PyObject *module, PyObject *unused)
{
    (void)module;
    return initial_seed(the_default, unused);
}

static PyObject *get_rng_state(PyObject *module, PyObject *unused)
{
    (void)module;
    return get_state(the_default, unused);
}

static PyObject *set_rng_state(PyObject *module, PyObject *state)
{
    (void)module;
    PyObject *done = set_state(the_default, state);
    Py_XDECREF(done);
    return done ? Py_NewRef(Py_None) : NULL;
}

/* One object for each: PyTorch's programs compare them. */
static PyObject *object_of(kt_generator *lasting)
{
    PyObject *key = PyLong_FromVoidPtr(lasting), *object = key ? Py_XNewRef(PyDict_GetItemWithError(defaults, key)) : NULL;
    if (key && !object && !PyErr_Occurred()) {
        object = new_generator(lasting);
        if (object && PyDict_SetItem(defaults, key, object))
            Py_CLEAR(object);
    }
    Py_XDECREF(key);
    return object;
}

static PyObject *default_generator_of(PyObject *module, PyObject *o)
{
    (void)module;
    kt_device d;
    if (kp_to_device(o, &d) <= 0)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "a device is needed, not %s", Py_TYPE(o)->tp_name);
    kt_generator *g = kt_default_generator_of(d);
    return g == kt_default_generator() ? Py_NewRef(the_default) : object_of(g);
}

PyMethodDef kp_random_functions[] = {
    {"default_generator_of", default_generator_of, METH_O, "default_generator_of(device): the CPU's where it has none"},
    {"manual_seed", default_manual_seed, METH_O, "manual_seed(seed): seed the default generators of all devices"},
    {"seed", default_seed, METH_NOARGS, "seed the default generators of all devices from the system, and tell the seed"},
    {"initial_seed", default_initial_seed, METH_NOARGS, "the seed of the default generator's stream"},
    {"get_rng_state", get_rng_state, METH_NOARGS, "the default generator's state as a uint8 tensor"},
    {"set_rng_state", set_rng_state, METH_O, "set_rng_state(state): the default generator goes on from a state"},
    {NULL, NULL, 0, NULL},
};

int kp_generator_start(PyObject *module)
{
    if (PyModule_AddType(module, &kp_generator_type))
        return -1;
    the_default = new_generator(kt_default_generator());
    defaults = PyDict_New();
    return the_default && defaults ? PyModule_AddObjectRef(module, "default_generator", the_default) : -1;
}
