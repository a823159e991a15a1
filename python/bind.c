/* bind.c - Python arguments to the arguments of any row, by the packed table that the rows come with.
 *
 * In: positionals and keywords as vectorcall gives them. Out: a kt_call ready to run, or a description of what does not
 * fit, which becomes an exception only when no other overload takes the call. Must not know: any operator by name.
 *
 * A list of integers may be spread over the last positionals (x.view(2, 3)), and so may one of tensors; one integer
 * stands for a list of one. In functions the argument `self` is called `input`; NumPy's names for some arguments are
 * understood. */
#include "binding.h"

static const struct {
    const char *numpy, *name;
} synonyms[] = {{"axis", "dim"}, {"keepdims", "keepdim"}, {"x", "input"},
                {"a", "input"},  {"x1", "input"},         {"x2", "other"}};

const char *kp_arg_name(const kt_arg_spec *spec, bool method)
{
    return !method && strcmp(spec->name, "self") == 0 ? "input" : spec->name;
}

/* ---- memory of one binding ---- */

static void *room_for(kp_args *a, Py_ssize_t n) /* n words of 8 bytes */
{
    _Static_assert(sizeof(kt_tensor *) == sizeof(int64_t), "the pool serves both");
    if (n <= (Py_ssize_t)(sizeof a->pool / sizeof *a->pool) - a->pool_used) {
        void *at = a->pool + a->pool_used;
        a->pool_used += (int)n;
        return at;
    }
    void *memory = PyMem_Malloc((size_t)n * sizeof(int64_t));
    if (!memory)
        return PyErr_NoMemory();
    return a->owned[a->n_owned++] = memory;
}

void kp_args_free(kp_args *a)
{
    for (int i = 0; i < a->n_held; i++)
        Py_DECREF(a->held[i]);
    for (int i = 0; i < a->n_owned; i++)
        PyMem_Free(a->owned[i]);
}

/* ---- one value: 1 taken, 0 of the wrong type, -1 exception ---- */

static inline void count_work(kp_args *a, const kt_tensor *t)
{
    a->work += (uint64_t)kt_numel(t);
}

static int take_int(PyObject *o, int64_t *i)
{
    if (PyBool_Check(o) || !(PyLong_Check(o) || PyIndex_Check(o)))
        return 0;
    if (kp_is_tensor(o) &&
        (kt_numel(kp_tensor_of(o)) != 1 || kt_dtype_category(kt_dtype_of(kp_tensor_of(o))) != KT_CAT_INT))
        return 0;
    PyObject *number = PyNumber_Index(o);
    if (!number)
        return -1;
    *i = PyLong_AsLongLong(number);
    Py_DECREF(number);
    return *i == -1 && PyErr_Occurred() ? -1 : 1;
}

static int take_ints(kp_args *a, PyObject *const *items, Py_ssize_t n, kt_shape *shape, Py_ssize_t *wrong)
{
    int64_t *d = room_for(a, n);
    if (!d)
        return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        int taken = take_int(items[i], &d[i]);
        if (taken <= 0) {
            *wrong = i;
            return taken;
        }
    }
    *shape = (kt_shape){n, d};
    return 1;
}

static int take_each_tensor(kp_args *a, PyObject *const *items, Py_ssize_t n, kt_value *value, kp_mistake *m)
{
    kt_tensor **t = room_for(a, n);
    if (!t)
        return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *one = items[i];
        if (!kp_is_tensor(one)) {
            m->what = KP_WRONG_ELEMENT;
            m->element = i;
            m->got = (PyObject *)Py_TYPE(one);
            return 0;
        }
        t[i] = kp_tensor_of(one);
        count_work(a, t[i]);
    }
    value->ts.t = t;
    value->ts.n = n;
    return 1;
}

static int take_tensors(kp_args *a, PyObject *o, kt_value *value, kp_mistake *m)
{
    if (!PyList_Check(o) && !PyTuple_Check(o))
        return 0;
    PyObject *all = PySequence_Tuple(o); /* a list may change while the call runs */
    if (!all)
        return -1;
    a->held[a->n_held++] = all;
    return take_each_tensor(a, ((PyTupleObject *)all)->ob_item, PyTuple_GET_SIZE(all), value, m);
}

/* A number, or a tensor that holds one. */
static int take_scalar(PyObject *o, kt_scalar *s)
{
    int taken = kp_to_scalar(o, s);
    if (taken || !kp_is_tensor(o) || kt_ndim(kp_tensor_of(o)) != 0 || kt_requires_grad(kp_tensor_of(o)))
        return taken;
    *s = kt_item_scalar(kp_tensor_of(o));
    if (s->kind)
        return 1;
    kp_raise();
    return -1;
}

static int take(kp_args *a, int at, const kt_arg_spec *spec, PyObject *o, kp_mistake *m)
{
    kt_value *value = &a->call.arg[at];
    if (KP_UNLIKELY(spec->kind == KP_ARG_OBJECT)) {
        value->t = (kt_tensor *)(void *)o;
        return 1;
    }
    switch ((kt_arg_kind)spec->kind) {
    case KT_ARG_TENSOR_OR_SCALAR:
        if (!kp_is_tensor(o)) {
            int taken = kp_to_scalar(o, &value->s);
            a->call.scalars |= taken > 0 ? 1u << at : 0;
            return taken;
        }
        /* fall through */
    case KT_ARG_TENSOR:
        if (!kp_is_tensor(o))
            return 0;
        value->t = kp_tensor_of(o);
        count_work(a, value->t);
        return 1;
    case KT_ARG_TENSORS: return take_tensors(a, o, value, m);
    case KT_ARG_SCALAR: return take_scalar(o, &value->s);
    case KT_ARG_INT: return take_int(o, &value->i);
    case KT_ARG_INTS:
        if (PyList_Check(o) || PyTuple_Check(o)) {
            int taken = take_ints(a, PySequence_Fast_ITEMS(o), PySequence_Fast_GET_SIZE(o), &value->ints, &m->element);
            if (!taken) {
                m->what = KP_WRONG_ELEMENT;
                m->got = (PyObject *)Py_TYPE(PySequence_Fast_GET_ITEM(o, m->element));
            }
            return taken;
        }
        return take_ints(a, &o, 1, &value->ints, &m->element);
    case KT_ARG_FLOAT:
        if (PyBool_Check(o) || !(PyFloat_Check(o) || PyLong_Check(o)))
            return 0;
        value->f = PyFloat_AsDouble(o);
        return value->f == -1.0 && PyErr_Occurred() ? -1 : 1;
    case KT_ARG_BOOL:
        if (!PyBool_Check(o))
            return 0;
        value->b = o == Py_True;
        return 1;
    case KT_ARG_DTYPE: return kp_to_dtype(o, &value->dtype);
    case KT_ARG_DEVICE: return kp_to_device(o, &value->device);
    case KT_ARG_FORMAT: return kp_to_format(o, &value->format);
    case KT_ARG_STRING:
        if (!PyUnicode_Check(o))
            return 0;
        return (value->str = PyUnicode_AsUTF8(o)) ? 1 : -1;
    case KT_ARG_GENERATOR: return kp_to_generator(o, &value->generator);
    }
    return 0;
}

/* None leaves an argument at its default where the schema allows it. */
static int put(kp_args *a, int at, const kt_arg_spec *spec, Py_ssize_t position, PyObject *o, kp_mistake *m)
{
    if (o == Py_None && (spec->optional || (spec->has_default && spec->kind != KT_ARG_BOOL)))
        return 1;
    m->what = KP_WRONG_TYPE;
    m->arg = at;
    m->position = position;
    m->got = (PyObject *)Py_TYPE(o);
    int taken = take(a, at, spec, o, m);
    if (taken > 0) {
        a->call.given |= 1u << at;
        m->what = KP_FITS;
    }
    return taken;
}

/* ---- all of them ---- */

static int find_keyword(const kp_row_facts *row, PyObject *keyword, bool method)
{
    const char *wanted = PyUnicode_AsUTF8(keyword);
    for (int pass = 0; wanted && pass < 2; pass++) {
        for (int i = 0; i < row->n_args; i++)
            if (strcmp(kp_arg_name(&row->spec[i], method), wanted) == 0)
                return i;
        const char *known = NULL;
        for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms && !known; i++)
            known = strcmp(synonyms[i].numpy, wanted) == 0 ? synonyms[i].name : NULL;
        wanted = known;
    }
    PyErr_Clear();
    return -1;
}

/* out= is a Tensor, or a tuple of as many as the row has results. */
static int put_out(kp_args *a, const kp_row_facts *row, PyObject *o, kp_mistake *m)
{
    const int n = kt_row_n_results(row->row);
    if (o == Py_None)
        return 1;
    if (n == 1 ? !kp_is_tensor(o) : !PyTuple_Check(o) && !PyList_Check(o)) {
        *m = (kp_mistake){.what = KP_WRONG_TYPE, .arg = -1, .got = (PyObject *)Py_TYPE(o)};
        return 0;
    }
    a->call.form = KT_OUT;
    if (n == 1) {
        a->call.out[0] = kp_tensor_of(o);
        return 1;
    }
    if (PySequence_Fast_GET_SIZE(o) != n) {
        PyErr_Format(PyExc_TypeError, "expected tuple of %d elements but got %zd", n, PySequence_Fast_GET_SIZE(o));
        return -1;
    }
    for (int i = 0; i < n; i++) {
        PyObject *one = PySequence_Fast_GET_ITEM(o, i);
        if (!kp_is_tensor(one)) {
            PyErr_Format(PyExc_TypeError, "expected Tensor as element %d in argument %d, but got %s", i, row->n_args,
                         Py_TYPE(one)->tp_name);
            return -1;
        }
        a->call.out[i] = kp_tensor_of(one);
    }
    return 1;
}

/* Where a dtype is expected and the row takes a device too, a device may stand there, or a tensor that has both. */
static int put_place(kp_args *a, const kp_row_facts *row, int at, Py_ssize_t position, PyObject *o, kp_mistake *m)
{
    if (!kp_is_tensor(o))
        return put(a, row->device_at, &row->spec[row->device_at], position, o, m);
    a->call.arg[at].dtype = kt_dtype_of(kp_tensor_of(o));
    a->call.arg[row->device_at].device = kt_device_of(kp_tensor_of(o));
    a->call.given |= 1u << at | 1u << row->device_at;
    return 1;
}

static bool is_place(PyObject *o) { return PyUnicode_Check(o) || Py_IS_TYPE(o, &kp_device_type) || kp_is_tensor(o); }

/* Keywords of PyTorch that change nothing here: the one layout, memory that is not pinned, copies that wait. */
static int takes_for_granted(const kp_row_facts *row, PyObject *name, PyObject *value)
{
    if (row->device_at < 0)
        return 0;
    if (PyUnicode_CompareWithASCIIString(name, "layout") == 0)
        return value == Py_None || Py_IS_TYPE(value, &kp_layout_type);
    if (PyUnicode_CompareWithASCIIString(name, "pin_memory") == 0)
        return value == Py_None || value == Py_False;
    return PyUnicode_CompareWithASCIIString(name, "non_blocking") == 0 && PyBool_Check(value);
}

static int bind_all(kp_args *a, const kp_row_facts *row, bool method, PyObject *const *argv, Py_ssize_t n,
                    PyObject *keywords, kp_mistake *m)
{
    const int n_args = row->n_args, n_positional = row->n_positional;
    uint32_t  seen = 0;
    int       at = 0;
    for (Py_ssize_t i = 0; i < n; i++, at++) {
        bool last = at == n_positional - 1;
        if (at >= n_positional) {
            m->what = KP_TOO_MANY;
            return 0;
        }
        if (row->spec[at].kind == KT_ARG_DTYPE && row->device_at >= 0 && is_place(argv[i]) &&
            !(seen >> row->device_at & 1)) {
            int taken = put_place(a, row, at, i + 1, argv[i], m);
            if (taken <= 0)
                return taken;
            seen |= 1u << row->device_at | (kp_is_tensor(argv[i]) ? 1u << at : 0);
            at -= !kp_is_tensor(argv[i]); /* the dtype may follow */
            continue;
        }
        if (last && n > n_positional && row->spec[at].kind == KT_ARG_INTS && !PyList_Check(argv[i]) &&
            !PyTuple_Check(argv[i])) { /* spread over the rest */
            Py_ssize_t wrong = 0;
            int        taken = take_ints(a, argv + i, n - i, &a->call.arg[at].ints, &wrong);
            if (taken <= 0) {
                *m = (kp_mistake){.what = wrong ? KP_WRONG_ELEMENT : KP_WRONG_TYPE, .arg = at, .position = i + 1,
                                  .element = wrong, .got = (PyObject *)Py_TYPE(argv[i + wrong])};
                return taken;
            }
            a->call.given |= 1u << at;
            seen |= 1u << at;
            break;
        }
        if (last && row->spec[at].kind == KT_ARG_TENSORS && kp_is_tensor(argv[i])) { /* block_diag(a, b) */
            *m = (kp_mistake){.arg = at, .position = i + 1};
            int taken = take_each_tensor(a, argv + i, n - i, &a->call.arg[at], m);
            if (taken <= 0)
                return taken;
            a->call.given |= 1u << at;
            seen |= 1u << at;
            break;
        }
        int taken = put(a, at, &row->spec[at], i + 1, argv[i], m);
        if (taken <= 0)
            return taken;
        seen |= 1u << at;
    }
    for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); k++) {
        PyObject *name = PyTuple_GET_ITEM(keywords, k), *value = argv[n + k];
        int       taken;
        at = find_keyword(row, name, method);
        if (at < 0 && a->call.form != KT_INPLACE && row->row && kt_row_has_form(row->row, KT_OUT) &&
            PyUnicode_CompareWithASCIIString(name, "out") == 0) {
            taken = put_out(a, row, value, m);
        } else if (at < 0 && takes_for_granted(row, name, value)) {
            taken = 1;
        } else if (at < 0 || seen >> at & 1) {
            *m = (kp_mistake){.what = at < 0 ? KP_UNKNOWN : KP_TWICE, .arg = at, .got = name};
            return 0;
        } else {
            taken = put(a, at, &row->spec[at], 0, value, m);
            seen |= 1u << at;
        }
        if (taken <= 0)
            return taken;
    }
    for (int i = 0; i < n_args; i++) {
        const kt_arg_spec *spec = &row->spec[i];
        if (!(seen >> i & 1) && !spec->has_default && !spec->optional) {
            *m = (kp_mistake){.what = KP_MISSING, .arg = i};
            for (; i < n_args; i++) /* as PyTorch counts: all that is needed from there on */
                m->n_missing += !row->spec[i].has_default && !row->spec[i].optional;
            return 0;
        }
    }
    return 1;
}

int kp_row_facts_of(kp_row_facts *facts, const kt_row *row)
{
    *facts = (kp_row_facts){.row = row, .spec = kt_row_arg(row, 0), .n_args = kt_row_n_args(row), .device_at = -1};
    for (int i = 0; i < facts->n_args; i++) {
        if (kt_row_arg(row, i) != facts->spec + i) {
            PyErr_Format(PyExc_SystemError, "the arguments of %s do not stand together", kt_row_name(row));
            return -1;
        }
        facts->n_positional += !facts->spec[i].keyword_only;
        if (facts->spec[i].kind == KT_ARG_DEVICE)
            facts->device_at = i;
    }
    return 0;
}

int kp_bind(kp_args *a, const kp_row_facts *row, kt_form form, bool method, PyObject *const *argv, Py_ssize_t n,
            PyObject *keywords, kp_mistake *mistake)
{
    if (KP_LIKELY(row->row != NULL))
        kt_call_begin(&a->call, row->row, form);
    else
        a->call.given = a->call.scalars = 0;
    a->work = 0;
    a->n_held = a->n_owned = a->pool_used = 0;
    mistake->what = KP_FITS;
    int bound = bind_all(a, row, method, argv, n, keywords, mistake);
    if (bound <= 0)
        kp_args_free(a);
    return bound;
}
