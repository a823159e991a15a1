/* take.c - converts one Python object to one argument of a call, by its kind.
 *
 * In: an object and the parameter it is for. Out: the value in the call, whose objects are kept alive; 1 taken, 0 wrong
 * type, -1 exception. Independent of: single operators, which parameter comes next.
 *
 * Only the first element of a list decides whether it is taken; errors in later elements, and integers that are too
 * large, are deferred until the form is chosen. */
#include "core/binding.h"

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

void kp_mistake_free(kp_mistake *m)
{
    Py_CLEAR(m->got);
    Py_CLEAR(m->value);
}

void kp_args_free(kp_args *a)
{
    for (int i = 0; i < a->n_held; i++)
        Py_DECREF(a->held[i]);
    for (int i = 0; i < a->n_owned; i++)
        PyMem_Free(a->owned[i]);
    if (KP_UNLIKELY(a->late.what))
        kp_mistake_free(&a->late);
}

/* Keeps the first deferred mistake. */
static int later(kp_args *a, const kp_mistake *m, int what, Py_ssize_t element, PyObject *got)
{
    if (!a->late.what) {
        a->late = *m;
        a->late.what = what;
        a->late.element = element;
        a->late.got = Py_NewRef(Py_TYPE(got));
        a->late.value = Py_NewRef(got);
    }
    return 1;
}

/* Items for a loop that may run Python code, which could change the list: copied into a tuple first, unless they are
 * plain ints, whose conversion runs none. */
static PyObject *const *steady_items(kp_args *a, PyObject *o, Py_ssize_t *n)
{
    *n = PySequence_Fast_GET_SIZE(o);
    Py_ssize_t plain = PyTuple_Check(o) ? *n : 0;
    while (plain < *n && PyLong_CheckExact(PyList_GET_ITEM(o, plain)))
        plain++;
    static PyObject *const none[1]; /* for an empty list */
    if (plain == *n)
        return *n ? PySequence_Fast_ITEMS(o) : none;
    PyObject *all = PyList_AsTuple(o);
    if (!all)
        return NULL;
    *n = PyTuple_GET_SIZE(all);
    a->held[a->n_held++] = all;
    return &PyTuple_GET_ITEM(all, 0);
}

/* ---- one value: 1 taken, 0 of the wrong type, -1 exception ---- */

static inline void count_work(kp_args *a, const kt_tensor *t)
{
    a->work += (uint64_t)kt_numel(t);
}

static inline bool holds_number(const kt_tensor *t) { return kt_ndim(t) == 0 && !kt_requires_grad(t); }

/* A Python or NumPy integer, or an integer tensor of one element. */
static bool is_int(PyObject *o)
{
    if (PyLong_Check(o))
        return !PyBool_Check(o);
    if (kp_is_tensor(o))
        return holds_number(kp_tensor_of(o)) && kt_dtype_category(kt_dtype_of(kp_tensor_of(o))) == KT_CAT_INT;
    return PyIndex_Check(o) && kp_is_numpy_number(o);
}

/* Anything with __index__: what elements of lists may be. */
bool kp_is_index(PyObject *o)
{
    if (kp_is_tensor(o))
        return kt_numel(kp_tensor_of(o)) == 1 && kt_dtype_category(kt_dtype_of(kp_tensor_of(o))) == KT_CAT_INT;
    return !PyBool_Check(o) && PyIndex_Check(o);
}

static int read_int(kp_args *a, PyObject *o, int64_t *i, const kp_mistake *m, Py_ssize_t element)
{
    if (KP_LIKELY(PyLong_CheckExact(o))) {
        *i = PyLong_AsLongLong(o);
        if (KP_LIKELY(*i != -1) || !PyErr_Occurred())
            return 1;
        PyErr_Clear();
        return later(a, m, KP_TOO_LARGE, element, o);
    }
    PyObject *number = PyNumber_Index(o);
    if (!number) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError))
            return -1;
        PyErr_Clear();
        return element > 0 ? later(a, m, KP_WRONG_ELEMENT, element, o) : 0;
    }
    *i = PyLong_AsLongLong(number);
    Py_DECREF(number);
    if (*i != -1 || !PyErr_Occurred())
        return 1;
    PyErr_Clear();
    return later(a, m, KP_TOO_LARGE, element, o);
}

static int take_int(kp_args *a, const kt_arg_spec *spec, PyObject *o, int64_t *i, const kp_mistake *m)
{
    return is_int(o) || (spec->alone && !kp_is_tensor(o) && kp_is_index(o)) ? read_int(a, o, i, m, -1) : 0;
}

int kp_take_ints(kp_args *a, PyObject *const *items, Py_ssize_t n, kt_shape *shape, kp_mistake *m)
{
    int64_t *d = room_for(a, n);
    if (!d)
        return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        int taken = i || kp_is_index(items[i]) ? read_int(a, items[i], &d[i], m, i) : 0;
        if (taken <= 0) {
            m->what = KP_WRONG_ELEMENT;
            m->element = i;
            if (!m->unasked)
                m->got = Py_NewRef(Py_TYPE(items[i]));
            return taken;
        }
        if (a->late.what)
            break;
    }
    *shape = (kt_shape){n, d};
    return 1;
}

/* A list, or one integer where the schema says int[1]. */
static int take_list_of_ints(kp_args *a, const kt_arg_spec *spec, PyObject *o, kt_shape *shape, kp_mistake *m)
{
    if (PyList_Check(o) || PyTuple_Check(o)) {
        Py_ssize_t       n;
        PyObject *const *items = steady_items(a, o, &n);
        return items ? kp_take_ints(a, items, n, shape, m) : -1;
    }
    if (!spec->alone || !kp_is_index(o))
        return 0;
    int64_t *d = room_for(a, spec->alone);
    if (!d)
        return -1;
    *shape = (kt_shape){spec->alone, d};
    const int taken = read_int(a, o, d, m, -1);
    for (int i = 1; i < spec->alone; i++)
        d[i] = d[0];
    return taken;
}

/* An element that is not a tensor is an error at once, whatever other forms take, as in PyTorch. */
static int take_tensors(kp_args *a, const kt_arg_spec *spec, PyObject *o, kt_value *value, const kp_mistake *m)
{
    if (!PyList_Check(o) && !PyTuple_Check(o))
        return 0;
    Py_ssize_t       n;
    PyObject *const *items = steady_items(a, o, &n);
    kt_tensor      **t = items ? room_for(a, n) : NULL;
    if (!t)
        return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *one = items[i];
        t[i] = NULL;
        if (spec->holes && one == Py_None)
            continue;
        if (!kp_is_tensor(one)) {
            PyErr_Format(PyExc_TypeError, "expected Tensor as element %zd in argument %d, but got %s", i,
                         m->arg - a->method,
                         Py_TYPE(one)->tp_name);
            return -1;
        }
        t[i] = kp_tensor_of(one);
        count_work(a, t[i]);
    }
    value->ts.t = t;
    value->ts.n = n;
    return 1;
}

/* A number, or a tensor of one element. */
static int take_scalar(PyObject *o, kt_scalar *s)
{
    int taken = kp_to_operand(o, s);
    if (taken || !kp_is_tensor(o) || !holds_number(kp_tensor_of(o)))
        return taken;
    *s = kp_item(kp_tensor_of(o));
    if (s->kind)
        return 1;
    kp_raise();
    return -1;
}

/* A list of numbers alone: where elements are tensors, another form takes it. */
static int take_scalars(kp_args *a, const kt_arg_spec *spec, PyObject *o, kt_value *value)
{
    enum { WORDS = sizeof(kt_scalar) / sizeof(int64_t) };
    if (!PyList_Check(o) && !PyTuple_Check(o))
        return 0;
    Py_ssize_t       n;
    PyObject *const *items = steady_items(a, o, &n);
    if (!items)
        return -1;
    if (n && kp_is_tensor(items[0]))
        return 0;
    kt_scalar *s = room_for(a, n * WORDS);
    if (!s)
        return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        const int taken = kp_to_operand(items[i], &s[i]);
        if (taken <= 0)
            return taken;
        if (spec->element == KT_SCALAR_FLOAT && s[i].kind < KT_SCALAR_FLOAT)
            s[i] = KT_FLOAT(s[i].is_unsigned ? (double)(uint64_t)s[i].v.i : (double)s[i].v.i);
        if (spec->element && s[i].kind != spec->element)
            return 0;
    }
    value->ss.s = s;
    value->ss.n = n;
    return 1;
}

/* A number of any size: one that is too large is an error only if its form is chosen. */
static int take_number(kp_args *a, PyObject *o, kt_scalar *s, const kp_mistake *m)
{
    int taken = take_scalar(o, s);
    if (taken >= 0 || !PyErr_ExceptionMatches(PyExc_OverflowError))
        return taken;
    PyErr_Clear();
    return later(a, m, KP_TOO_LARGE, -2, o);
}

static int take_float(kp_args *a, PyObject *o, double *f, const kp_mistake *m)
{
    kt_scalar s;
    if (KP_LIKELY(PyFloat_CheckExact(o))) {
        *f = PyFloat_AS_DOUBLE(o);
        return 1;
    }
    if (PyComplex_Check(o))
        return 0;
    if (PyLong_Check(o)) { /* any size is accepted here */
        *f = PyLong_AsDouble(o);
        return *f == -1 && PyErr_Occurred() ? -1 : 1;
    }
    int taken = take_number(a, o, &s, m);
    if (taken <= 0 || a->late.what)
        return taken;
    if (s.kind == KT_SCALAR_COMPLEX && s.im != 0) {
        PyErr_SetString(PyExc_RuntimeError, "value cannot be converted to type double without overflow");
        return -1;
    }
    *f = s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re
         : s.is_unsigned                                          ? (double)(uint64_t)s.v.i
                                                                  : (double)s.v.i;
    return 1;
}

static int take_bool(PyObject *o, bool *b)
{
    if (!PyBool_Check(o))
        return 0;
    *b = o == Py_True;
    return 1;
}

static int take_text(kp_args *a, PyObject *o, const char **text)
{
    PyObject *kept;
    *text = kp_text(o, &kept);
    if (*text)
        a->held[a->n_held++] = kept;
    return *text ? 1 : -1;
}

static int take_truth(PyObject *o, bool *b)
{
    const int truth = PyObject_IsTrue(o);
    *b = truth > 0;
    return truth < 0 ? -1 : 1;
}

static int take_word(kp_args *a, PyObject *o, const char **text)
{
    PyObject *word = PyObject_Str(o);
    const int taken = word ? take_text(a, word, text) : -1;
    Py_XDECREF(word);
    return taken;
}

/* The schemas of losses number what their functions say in words. */
static int take_reduction(kp_args *a, const kt_arg_spec *spec, PyObject *o, const char **text, const kp_mistake *m)
{
    static const char *const words[] = {"none", "mean", "sum"};
    int64_t                  i = -1;
    const int                taken = take_int(a, spec, o, &i, m);
    *text = taken > 0 && i >= 0 && i < 3 ? words[i] : NULL;
    return taken > 0 && !*text ? 0 : taken;
}

static int take_device(PyObject *o, kt_device *d)
{
    if (PyLong_Check(o) || !is_int(o) || kp_is_tensor(o))
        return kp_to_device(o, d);
    PyObject *number = PyNumber_Index(o); /* NumPy's */
    int       taken = number ? kp_to_device(number, d) : -1;
    Py_XDECREF(number);
    return taken;
}

/* No tensor has named dims: the argument fits, and the name is not found. */
static int take_name(kp_args *a, PyObject *o, const kp_mistake *m)
{
    return PyUnicode_Check(o) ? later(a, m, KP_NO_NAME, -1, o) : 0;
}

static int take_names(kp_args *a, PyObject *o, const kp_mistake *m)
{
    if (PyUnicode_Check(o))
        return take_name(a, o, m);
    if ((!PyList_Check(o) && !PyTuple_Check(o)) || PySequence_Fast_GET_SIZE(o) == 0)
        return 0;
    return take_name(a, PySequence_Fast_GET_ITEM(o, 0), m);
}

/* out=: a Tensor, or a tuple with one per result. */
static int take_outs(kp_args *a, const kp_row_facts *form, PyObject *o, kp_mistake *m)
{
    const int n = form->row ? kt_row_n_results(form->row) : 0;
    if ((!PyTuple_Check(o) && !PyList_Check(o)) || !form->row)
        return 0;
    Py_ssize_t       given;
    PyObject *const *items = steady_items(a, o, &given);
    if (items && given != n)
        PyErr_Format(PyExc_TypeError, "expected tuple of %d elements but got %zd", n, given);
    if (!items || given != n)
        return -1;
    for (int i = 0; i < n; i++) {
        PyObject *one = items[i];
        if (!kp_is_tensor(one))
            return later(a, m, KP_WRONG_ELEMENT, i, one);
        a->call.out[i] = kp_tensor_of(one);
    }
    a->call.form = KT_OUT;
    return 1;
}

static int take_like(kp_args *a, const kp_row_facts *form, int at, PyObject *o)
{
    if (!kp_is_tensor(o))
        return 0;
    a->call.arg[at].dtype = kt_dtype_of(kp_tensor_of(o));
    a->call.arg[form->device_at].device = kt_device_of(kp_tensor_of(o));
    a->call.given |= 1u << form->device_at;
    return 1;
}

/* A single element is refused by the row. */
static int take_ends(kp_args *a, int at, PyObject *o, kp_mistake *m)
{
    if (!PyTuple_Check(o) && !PyList_Check(o))
        return 0;
    Py_ssize_t       n;
    PyObject *const *items = steady_items(a, o, &n);
    if (!items)
        return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        double    end;
        const int taken = take_float(a, items[i], &end, m);
        if (taken <= 0)
            return taken;
        if (i < 2) {
            a->call.arg[at + i].f = end;
            a->call.given |= 1u << (at + i);
        }
    }
    if (n > 2)
        PyErr_Format(PyExc_RuntimeError, "a range should have 2 elements, but got %zd", n);
    return n > 2 ? -1 : 1;
}

static int take_own_kind(kp_args *a, const kp_row_facts *form, int at, int kind, PyObject *o, kt_value *value, kp_mistake *m)
{
    switch (kind) {
    case KP_ARG_OBJECT: value->t = (kt_tensor *)(void *)o; return 1;
    case KP_ARG_OUT:
        if (!kp_is_tensor(o))
            return 0;
        if (form->row && kt_row_has_form(form->row, KT_OUT)) {
            a->call.form = KT_OUT;
            a->call.out[at == KP_NOWHERE ? 0 : at - KP_FIRST_TARGET] = kp_tensor_of(o);
        } else {
            a->into = o;
        }
        return 1;
    case KP_ARG_OUTS: return take_outs(a, form, o, m);
    case KP_ARG_CPU: return kp_to_cpu(o);
    case KP_ARG_LAYOUT: return kp_to_layout(o);
    case KP_ARG_LIKE: return take_like(a, form, at, o);
    case KP_ARG_ENDS: return take_ends(a, at, o, m);
    case KP_ARG_NO_NAME:
    case KP_ARG_NAME: return take_name(a, o, m);
    case KP_ARG_NAMES: return take_names(a, o, m);
    case KP_ARG_TRUTH: return take_truth(o, &value->b);
    case KP_ARG_WORD: return take_word(a, o, &value->str);
    default: return 0;
    }
}

/* A number in this form, where the row takes a tensor or either. */
static int take_operand(kp_args *a, const kp_row_facts *form, int at, PyObject *o, kt_value *value, const kp_mistake *m)
{
    int taken = kp_to_operand(o, &value->s);
    if (taken < 0 && PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        return later(a, m, KP_TOO_LARGE, -2, o);
    }
    if (taken > 0 && form->row && kt_row_arg(form->row, at)->kind == KT_ARG_TENSOR)
        a->numbers |= 1u << at;
    else if (taken > 0)
        a->call.scalars |= 1u << at;
    return taken;
}

/* A tensor in this form, where the row takes a number. */
static int take_its_number(kp_args *a, PyObject *o, kt_scalar *s, const kp_mistake *m)
{
    if (kt_ndim(kp_tensor_of(o)))
        return later(a, m, KP_HAS_DIMS, -1, o);
    *s = kp_item(kp_tensor_of(o));
    if (!s->kind)
        kp_raise();
    return s->kind ? 1 : -1;
}

/* One example of a vmap in the place of a number, where the row takes a tensor, or a tensor too. */
static bool is_example_of(const kp_row_facts *form, int at, PyObject *o)
{
    if (at >= KP_FIRST_TARGET || !form->row || !kp_is_tensor(o))
        return false;
    const int kind = kt_row_arg(form->row, at)->kind;
    return (kind == KT_ARG_TENSOR || kind == KT_ARG_TENSOR_OR_SCALAR) && kt_is_batched(kp_tensor_of(o));
}

int kp_take(kp_args *a, const kp_row_facts *form, int i, PyObject *o, kp_mistake *m)
{
    const kt_arg_spec *spec = &form->spec[i];
    const int          at = form->at[i];
    kt_value           dropped, *value = at >= KP_FIRST_TARGET ? &dropped : &a->call.arg[at];
    if (KP_UNLIKELY(spec->kind >= KP_ARG_OBJECT))
        return take_own_kind(a, form, at, spec->kind, o, value, m);
    switch ((kt_arg_kind)spec->kind) {
    case KT_ARG_TENSOR_OR_SCALAR:
        if (!kp_is_tensor(o))
            return take_operand(a, form, at, o, value, m);
        /* fall through */
    case KT_ARG_TENSOR:
        if (!kp_is_tensor(o))
            return 0;
        if (KP_UNLIKELY(at != KP_NOWHERE && form->row && kt_row_arg(form->row, at)->kind == KT_ARG_SCALAR))
            return take_its_number(a, o, &value->s, m);
        if (KP_UNLIKELY(at != KP_NOWHERE && form->row && kt_row_arg(form->row, at)->kind == KT_ARG_INT)) {
            if (!is_int(o))
                return later(a, m, KP_NO_INDEX, -1, o);
            return read_int(a, o, &value->i, m, -1);
        }
        value->t = kp_tensor_of(o);
        count_work(a, value->t);
        return 1;
    case KT_ARG_TENSORS: return take_tensors(a, spec, o, value, m);
    case KT_ARG_SCALAR:
        if (at != KP_NOWHERE && form->row && kt_row_arg(form->row, at)->kind != KT_ARG_SCALAR && !kp_is_tensor(o))
            return take_operand(a, form, at, o, value, m);
        else if (is_example_of(form, at, o)) { /* which has no number: the row takes the tensor, too */
            value->t = kp_tensor_of(o);
            return 1;
        } else {
            int taken = take_number(a, o, &value->s, m);
            if (taken > 0 && at != KP_NOWHERE && form->row && kt_row_arg(form->row, at)->kind == KT_ARG_TENSOR_OR_SCALAR)
                a->call.scalars |= 1u << at;
            return taken;
        }
    case KT_ARG_INT:
        if (at != KP_NOWHERE && form->row && kt_row_arg(form->row, at)->kind == KT_ARG_INTS) {
            int64_t *d = room_for(a, 1);
            if (!d)
                return -1;
            value->ints = (kt_shape){1, d};
            return take_int(a, spec, o, d, m);
        }
        if (at < KP_FIRST_TARGET && form->row && kt_row_arg(form->row, at)->kind == KT_ARG_STRING)
            return take_reduction(a, spec, o, &value->str, m);
        return take_int(a, spec, o, &value->i, m);
    case KT_ARG_SCALARS: return take_scalars(a, spec, o, value);
    case KT_ARG_INTS: return take_list_of_ints(a, spec, o, &value->ints, m);
    case KT_ARG_FLOAT: return take_float(a, o, &value->f, m);
    case KT_ARG_BOOL:
        a->pins |= i == form->pin_at && o == Py_True;
        return take_bool(o, &value->b);
    case KT_ARG_DTYPE: return kp_to_dtype(o, &value->dtype);
    case KT_ARG_DEVICE: return take_device(o, &value->device);
    case KT_ARG_FORMAT: return kp_to_format(o, &value->format);
    case KT_ARG_STRING:
        if (!PyUnicode_Check(o))
            return 0;
        return take_text(a, o, &value->str);
    case KT_ARG_GENERATOR: return kp_to_generator(o, &value->generator);
    }
    return 0;
}
