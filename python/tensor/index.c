/* index.c - x[...], x[...] = y, len(x), iteration, `in`: every kind of index that PyTorch accepts.
 *
 * In: a Tensor and an index. Out: a view made by select, slice and unsqueeze; tensors, lists, arrays and bools among the
 * indices then index that view by the row `index`. Assignment copies into the view, or calls `index_put`. Independent of:
 * strides, what an index tensor means. */
#include "core/binding.h"

static const kt_row *row_select, *row_slice, *row_unsqueeze, *row_alias, *row_unbind, *row_copy, *row_fill,
    *row_number, *row_index, *row_index_put, *row_reshape, *row_expand, *row_eq, *row_any;

int kp_index_start(void)
{
    return (row_select = kp_row("select")) && (row_slice = kp_row("slice")) && (row_unsqueeze = kp_row("unsqueeze")) &&
                   (row_alias = kp_row("alias")) && (row_unbind = kp_row("unbind")) && (row_copy = kp_row("copy")) &&
                   (row_fill = kp_row("fill")) && (row_number = kp_row("scalar_tensor")) && (row_index = kp_row("index")) &&
                   (row_index_put = kp_row("index_put")) && (row_reshape = kp_row("reshape")) &&
                   (row_expand = kp_row("expand")) && (row_eq = kp_row("eq")) && (row_any = kp_row("any"))
               ? 0
               : -1;
}

static inline void begin(kt_call *call, const kt_row *row, kt_tensor *self)
{
    kt_call_begin(call, row, KT_PLAIN);
    call->arg[0].t = self;
    call->given = 1;
}

static inline void put_int(kt_call *call, int at, int64_t value)
{
    call->arg[at].i = value;
    call->given |= 1u << at;
}

static kt_tensor *run_one(kt_call *call)
{
    if (kp_run(call, false)) {
        kp_raise();
        return NULL;
    }
    return call->out[0];
}

/* Owned. Bounds are checked here: indexing has another message than select(). `named` is the dim that the message shows. */
static kt_tensor *select_at(kt_tensor *t, int64_t dim, int64_t index, int64_t named)
{
    kt_call call;
    if (dim >= kt_ndim(t)) { /* __index__ of the index resized the tensor */
        PyErr_Format(PyExc_IndexError, "too many indices for tensor of dimension %d", kt_ndim(t));
        return NULL;
    }
    int64_t n = kt_sizes(t).d[dim];
    if (index < -n || index >= n) {
        PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for dimension %lld with size %lld",
                     (long long)index, (long long)named, (long long)n);
        return NULL;
    }
    begin(&call, row_select, t);
    put_int(&call, 1, dim);
    put_int(&call, 2, index);
    return run_one(&call);
}

static kt_tensor *slice_at(kt_tensor *t, int64_t dim, PyObject *slice, bool whole_is_nothing)
{
    Py_ssize_t start, stop, step;
    kt_call    call;
    if (PySlice_Unpack(slice, &start, &stop, &step))
        return NULL;
    if (step <= 0) {
        PyErr_SetString(PyExc_ValueError, "step must be greater than zero");
        return NULL;
    }
    if (whole_is_nothing && start == 0 && step == 1 && dim < kt_ndim(t) && stop >= kt_sizes(t).d[dim])
        return kt_keep(t);
    begin(&call, row_slice, t);
    put_int(&call, 1, dim);
    put_int(&call, 2, start);
    put_int(&call, 3, stop);
    put_int(&call, 4, step);
    return run_one(&call);
}

static kt_tensor *new_dim(kt_tensor *t, int64_t dim)
{
    kt_call call;
    begin(&call, row_unsqueeze, t);
    put_int(&call, 1, dim);
    return run_one(&call);
}

/* ---- one index after the other ---- */

/* 0; -1 and an exception, PyTorch's where the integer overflows. */
static int integer_of(PyObject *index, int64_t *i)
{
    *i = PyNumber_AsSsize_t(index, PyExc_OverflowError);
    if (*i != -1 || !PyErr_Occurred())
        return 0;
    if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        PyErr_SetString(PyExc_ValueError, "Overflow when unpacking long long");
    }
    return -1;
}

/* The state of parsing an index: the view so far, and the index tensors of its dims, with holes. */
typedef struct looking {
    kt_tensor *view;              /* owned */
    kt_tensor *index[KT_MAX_DIMS]; /* owned; NULL: the dim stays */
    int        n;
    int64_t    covered;           /* dims of the view that `index` covers */
    int64_t    dim;               /* dim of the view that the next item applies to */
    int64_t    place;             /* position of the item in the index: the dim that PyTorch's out-of-range message shows */
    int64_t    left;              /* how many dims an Ellipsis covers */
    bool       many;              /* a tuple, or an assignment: a full slice then makes no view of its own */
} looking;

static void looking_done(looking *l)
{
    for (int i = 0; i < l->n; i++)
        kt_drop(l->index[i]);
    kt_drop(l->view);
}

static bool is_mask(const kt_tensor *t) { return kt_dtype_of(t) == KT_BOOL || kt_dtype_of(t) == KT_U8; }

/* A 0-dim integer tensor counts as an integer; bool and uint8 are masks. */
static bool is_integer(PyObject *o)
{
    if (PyBool_Check(o))
        return false;
    if (kp_is_tensor(o))
        return kt_ndim(kp_tensor_of(o)) == 0 && !is_mask(kp_tensor_of(o)) && !kt_is_batched(kp_tensor_of(o)) &&
               kt_dtype_category(kt_dtype_of(kp_tensor_of(o))) == KT_CAT_INT;
    return PyLong_Check(o) || (PyIndex_Check(o) && !kp_is_array(o));
}

static int next_view(looking *l, kt_tensor *view)
{
    if (!view)
        return -1;
    kt_drop(l->view);
    l->view = view;
    return 0;
}

/* Steals the tensor. */
static int record(looking *l, kt_tensor *index)
{
    const int64_t dims = is_mask(index) ? kt_ndim(index) : 1;
    while (l->covered < l->dim && l->n < KT_MAX_DIMS) {
        l->index[l->n++] = NULL;
        l->covered++;
    }
    if (l->n == KT_MAX_DIMS) {
        kt_drop(index);
        PyErr_Format(PyExc_IndexError, "too many indices for tensor of dimension %d", kt_ndim(l->view));
        return -1;
    }
    l->index[l->n++] = index;
    l->covered += dims;
    l->dim = l->covered;
    return 0;
}

/* True, False and 0-dim masks: a new dim of size 1 or 0. */
static int record_flag(looking *l, bool flag)
{
    kt_tensor *place = NULL;
    if (next_view(l, new_dim(l->view, l->dim)))
        return -1;
    if (kt_make(KT_I64, KT_SHAPE(flag), "index", &place)) {
        kp_raise();
        return -1;
    }
    if (flag)
        *(int64_t *)kt_data(place) = 0;
    return record(l, place);
}

static int record_tensor(looking *l, kt_tensor *index)
{
    if (kt_ndim(index) != 0 || !is_mask(index))
        return record(l, kt_keep(index));
    kt_scalar value = kp_item(index);
    if (kt_failed()) {
        kp_raise();
        return -1;
    }
    return record_flag(l, value.v.i != 0);
}

/* Owned; steals `t`: masks unchanged, anything else as int64. */
static kt_tensor *as_index(kt_tensor *t)
{
    kt_tensor *index = NULL;
    if (!t || is_mask(t))
        return t;
    const kp_entry  before = kp_enter_any();
    const kt_status status = kt_convert(t, KT_I64, KT_WHY_INDEX, &index);
    kp_leave(before);
    if (status)
        kp_raise();
    kt_drop(t);
    return index;
}

/* Owned: bools and uint8 arrays are masks, everything else is read as int64, floats too. */
static kt_tensor *index_of_sequence(PyObject *o)
{
    if (kp_is_array(o))
        return as_index(kp_from_array(o, "index", false));
    kt_tensor *made = kp_from_data(o, KT_NONE, "index");
    if (!made || (is_mask(made) && kt_numel(made)))
        return made;
    kt_drop(made);
    return kp_from_data(o, KT_I64, "index");
}

static int record_sequence(looking *l, PyObject *o)
{
    kt_tensor *made = index_of_sequence(o);
    if (!made)
        return -1;
    if (kt_ndim(made) == 0 && !is_mask(made)) {
        kt_scalar at = kp_item(made);
        kt_drop(made);
        return next_view(l, select_at(l->view, l->dim, at.v.i, l->place));
    }
    int status = record_tensor(l, made);
    kt_drop(made);
    return status;
}

static int raise_kind(PyObject *index)
{
    PyErr_Format(
        PyExc_IndexError,
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got %s)",
        Py_TYPE(index)->tp_name);
    return -1;
}

static int64_t dims_of(PyObject *index);

/* A second Ellipsis skips as many dims again, past the last one, where PyTorch reads out of bounds. */
static int check_dim(const looking *l, PyObject *index)
{
    const bool      adds = index == Py_None || PyBool_Check(index);
    const long long rank = kt_ndim(l->view), ends = adds ? rank + 1 : rank ? rank : 1, dim = l->dim;
    if (dim + dims_of(index) <= rank || index == Py_Ellipsis)
        return 0;
    PyErr_Format(PyExc_IndexError, "Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)", -ends,
                 ends - 1, dim);
    return -1;
}

static int step(looking *l, PyObject *index)
{
    if ((l->dim >= kt_ndim(l->view) || kp_is_tensor(index)) && check_dim(l, index))
        return -1;
    if (is_integer(index)) {
        int64_t i;
        return integer_of(index, &i) ? -1 : next_view(l, select_at(l->view, l->dim, i, l->place));
    }
    if (PySlice_Check(index))
        return next_view(l, slice_at(l->view, l->dim++, index, l->many));
    if (index == Py_None)
        return next_view(l, new_dim(l->view, l->dim++));
    if (index == Py_Ellipsis) {
        l->dim += l->left;
        return 0;
    }
    if (PyBool_Check(index))
        return record_flag(l, index == Py_True);
    if (kp_is_tensor(index))
        return record_tensor(l, kp_tensor_of(index));
    return PySequence_Check(index) ? record_sequence(l, index) : raise_kind(index);
}

/* ---- the whole index ---- */

/* How many dims of the tensor an index covers. */
static int64_t dims_of(PyObject *index)
{
    if (index == Py_None || index == Py_Ellipsis || PyBool_Check(index))
        return 0;
    return kp_is_tensor(index) && is_mask(kp_tensor_of(index)) ? kt_ndim(kp_tensor_of(index)) : 1;
}

/* A short sequence that contains anything but numbers is treated as a tuple: 1, else 0; -1 and an exception. */
static int is_tuple_in_disguise(PyObject *index)
{
    int found = 0;
    if (PyTuple_Check(index) || kp_is_tensor(index) || kp_is_array(index) || !PySequence_Check(index))
        return 0;
    Py_ssize_t n = PySequence_Size(index);
    if (n < 0)
        PyErr_Clear();
    for (Py_ssize_t i = 0; i < n && n < 32 && !found; i++) {
        PyObject *one = PySequence_GetItem(index, i);
        if (!one)
            return -1;
        found = kp_is_tensor(one) || PySlice_Check(one) || one == Py_Ellipsis || one == Py_None || PySequence_Check(one);
        Py_DECREF(one);
    }
    if (found &&
        PyErr_WarnEx(PyExc_UserWarning,
                     "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch "
                     "2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, "
                     "x[torch.tensor(seq)], which will result either in an error or a different result",
                     1))
        return -1;
    return found;
}

/* An integer or a slice on a 0-dim tensor: PyTorch has a message for each. */
static void raise_no_dim(PyObject *index)
{
    Py_ssize_t start, stop, step;
    int64_t    i;
    if (PySlice_Check(index) && !PySlice_Unpack(index, &start, &stop, &step))
        PyErr_SetString(step > 0 ? PyExc_IndexError : PyExc_ValueError,
                        step > 0 ? "slice() cannot be applied to a 0-dim tensor." : "step must be greater than zero");
    if (PySlice_Check(index) || integer_of(index, &i))
        return;
    if (i)
        PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for dimension 0 with size 0", (long long)i);
    else
        PyErr_SetString(PyExc_IndexError, "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                                          "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
}

static int check_dims(PyObject *self, PyObject *const *index, Py_ssize_t n, bool many, int64_t *left)
{
    const int64_t rank = kt_ndim(kp_tensor_of(self));
    int64_t       used = 0;
    for (Py_ssize_t i = 0; i < n; i++)
        used += dims_of(index[i]);
    *left = rank - used;
    if (used <= rank)
        return 0;
    if (rank == 0 && !many && (PySlice_Check(index[0]) || (is_integer(index[0]) && !kp_is_tensor(index[0]))))
        raise_no_dim(index[0]);
    else
        PyErr_Format(PyExc_IndexError, "too many indices for tensor of dimension %lld", (long long)rank);
    return -1;
}

/* The view and the index tensors that the index names. */
static int look(PyObject *self, PyObject *index, bool writes, looking *l)
{
    const int        disguised = is_tuple_in_disguise(index);
    PyObject        *tuple = disguised < 0 ? NULL : disguised ? PySequence_Tuple(index) : Py_NewRef(index);
    const bool       many = tuple && PyTuple_Check(tuple);
    PyObject *const *each = many ? &PyTuple_GET_ITEM(tuple, 0) : &tuple;
    const Py_ssize_t n = many ? PyTuple_GET_SIZE(tuple) : 1;
    l->view = NULL;
    l->n = 0;
    l->covered = l->dim = l->place = 0;
    l->many = many || writes;
    if (!tuple)
        return -1;
    int status = check_dims(self, each, n, many, &l->left);
    if (!status)
        l->view = kt_keep(kp_tensor_of(self));
    for (; l->place < n && !status; l->place++)
        status = step(l, each[l->place]);
    Py_DECREF(tuple);
    if (status)
        looking_done(l);
    return status;
}

static void put_list(kt_call *call, const looking *l)
{
    call->arg[1].ts.t = l->index;
    call->arg[1].ts.n = l->n;
    call->given |= 2;
}

static PyObject *item_at(PyObject *self, PyObject *index)
{
    kt_tensor *t = kp_tensor_of(self);
    looking    l;
    kt_call    call;
    if (PyLong_CheckExact(index) && kt_ndim(t)) { /* x[i] */
        int64_t i;
        return integer_of(index, &i) ? NULL : kp_wrap(select_at(t, 0, i, 0));
    }
    if (look(self, index, false, &l))
        return NULL;
    if (l.n) {
        begin(&call, row_index, l.view);
        put_list(&call, &l);
        kt_status status = kp_run(&call, kp_is_large(l.view, l.index[l.n - 1]));
        looking_done(&l);
        return status ? kp_raise() : kp_wrap(call.out[0]);
    }
    if (l.view != t)
        return kp_wrap(l.view);
    kt_drop(l.view);
    begin(&call, row_alias, t); /* x[...] and x[()]: a new view, not x itself */
    return kp_wrap(run_one(&call));
}

static PyObject *subscript(PyObject *self, PyObject *index)
{
    PyObject *result = item_at(self, index);
    return KP_LIKELY(result != NULL) ? result : kp_tell("__getitem__", NULL, (PyObject *[]){self, index}, 2);
}

/* ---- assignment ---- */

/* Python numbers, and NumPy's that are Python's too or integers. */
static bool is_plain_number(PyObject *o)
{
    return PyFloat_Check(o) || PyLong_Check(o) || PyComplex_Check(o) ||
           (kp_is_numpy_number(o) && PyIndex_Check(o) && strncmp(Py_TYPE(o)->tp_name, "numpy.bool", 10) != 0);
}

/* The number does not fit the dtype of `self`: the error of the number's conversion becomes that of the assignment, with
 * the fix to create `self` with a dtype that holds both. */
static kt_tensor *refuse_number(PyObject *self)
{
    const kt_status  status = kt_error_status();
    const kt_tensor *t = kp_tensor_of(self);
    kt_mistake       m = {.size = sizeof m};
    char             text[256];
    if (status == KT_ERR_RUNTIME && kt_error_mistake(&m) && m.n_fixes && m.fix[0].kind == KT_FIX_DTYPE) {
        const kt_dtype holds = kt_promote_types(kt_dtype_of(t), m.fix[0].dtype);
        PyOS_snprintf(text, sizeof text, "%.*s", (int)strcspn(kt_error(), "\n"), kt_error());
        kt_clear();
        const kp_entry before = kp_enter();
        kt_refuse_dtype(status, t, "__setitem__", KT_FIX_MAKE, holds, text);
        kp_leave(before);
    }
    kp_raise();
    return NULL;
}

/* Owned: a tensor unchanged; a number in the target's dtype. As in PyTorch, numbers that fill_ refuses may overflow here. */
static kt_tensor *value_tensor(PyObject *self, PyObject *value, bool *is_number)
{
    kt_call call;
    *is_number = !kp_is_tensor(value);
    if (!*is_number)
        return kt_keep(kp_tensor_of(value));
    kt_call_begin(&call, row_number, KT_PLAIN);
    int found = is_plain_number(value) ? kp_to_scalar(value, &call.arg[0].s) : 0;
    if (found < 0 || (found && call.arg[0].s.kind == KT_SCALAR_INT && call.arg[0].s.is_unsigned)) {
        if (found > 0 || PyErr_ExceptionMatches(PyExc_OverflowError))
            PyErr_SetString(PyExc_ValueError, "Overflow when unpacking long long");
        return NULL;
    }
    if (!found) {
        PyErr_Format(PyExc_TypeError, "can't assign a %s to a torch.%sTensor", Py_TYPE(value)->tp_name,
                     kt_dtype_torch_name(kt_dtype_of(kp_tensor_of(self))));
        return NULL;
    }
    call.arg[1].dtype = kt_dtype_of(kp_tensor_of(self));
    call.given = 3;
    return kp_run(&call, false) ? refuse_number(self) : call.out[0];
}

/* Owned: without leading dims of size 1, for broadcasting; steals `value`. */
static kt_tensor *without_front(kt_tensor *value)
{
    kt_shape sizes = kt_sizes(value);
    int64_t  skip = 0;
    kt_call  call;
    while (skip < sizes.n && sizes.d[skip] == 1)
        skip++;
    if (skip == 0)
        return value;
    begin(&call, row_reshape, value);
    call.arg[1].ints = (kt_shape){sizes.n - skip, sizes.d + skip};
    call.given |= 2;
    kt_tensor *less = run_one(&call);
    kt_drop(value);
    return less;
}

static bool same_sizes(kt_shape a, kt_shape b)
{
    for (int64_t i = 0; i < a.n && a.n == b.n; i++)
        if (a.d[i] != b.d[i])
            return false;
    return a.n == b.n;
}

/* Owned: expanded to the view's sizes, with expand's error if it cannot be; steals `value`. */
static kt_tensor *expanded(kt_tensor *value, kt_tensor *view)
{
    kt_call call;
    if (!value || same_sizes(kt_sizes(value), kt_sizes(view)))
        return value;
    begin(&call, row_expand, value);
    call.arg[1].ints = kt_sizes(view);
    call.given |= 2;
    kt_tensor *wide = run_one(&call);
    kt_drop(value);
    return wide;
}

/* Steals `value`. */
static int write_value(looking *l, kt_tensor *value, bool is_number)
{
    kt_call call;
    const bool one = !l->n && kt_ndim(value) == 0 && kt_ndim(l->view); /* PyTorch's choice too */
    if (!is_number)
        value = without_front(value);
    if (!l->n && !one)
        value = expanded(value, l->view);
    if (!value)
        return -1;
    kt_call_begin(&call, l->n ? row_index_put : one ? row_fill : row_copy, KT_INPLACE);
    call.arg[0].t = l->view;
    call.arg[l->n ? 2 : 1].t = value;
    call.given = l->n ? 5 : 3;
    if (l->n)
        put_list(&call, l);
    kt_status status = kp_run(&call, kp_is_large(l->view, NULL));
    if (status)
        kp_raise();
    else
        kt_drop(call.out[0]);
    kt_drop(value);
    return status ? -1 : 0;
}

static int put_at(PyObject *self, PyObject *index, PyObject *value)
{
    bool    is_number = false;
    looking l;
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "Tensor does not support deleting items");
        return -1;
    }
    kt_tensor *from = value_tensor(self, value, &is_number);
    if (!from)
        return -1;
    if (index == Py_False) { /* x[False] = y writes nothing */
        kt_drop(from);
        return 0;
    }
    if (look(self, index == Py_True ? Py_None : index, true, &l)) {
        kt_drop(from);
        return -1;
    }
    int status = write_value(&l, from, is_number);
    looking_done(&l);
    return status;
}

static int assign(PyObject *self, PyObject *index, PyObject *value)
{
    const int status = put_at(self, index, value);
    if (status)
        kp_tell("__setitem__", NULL, (PyObject *[]){self, index, value ? value : Py_None}, 3);
    return status;
}

static Py_ssize_t length(PyObject *self)
{
    kt_tensor *t = kp_tensor_of(self);
    if (kt_ndim(t) == 0) {
        PyErr_SetString(PyExc_TypeError, "len() of a 0-d tensor");
        return -1;
    }
    return (Py_ssize_t)kt_sizes(t).d[0];
}

static PyObject *iterate(PyObject *self)
{
    kt_call call;
    if (kt_ndim(kp_tensor_of(self)) == 0) {
        PyErr_SetString(PyExc_TypeError, "iteration over a 0-d tensor");
        return NULL;
    }
    begin(&call, row_unbind, kp_tensor_of(self));
    if (kp_run(&call, false))
        return kp_raise();
    PyObject *all = kp_call_results(&call, NULL);
    if (!all)
        return NULL;
    PyObject *iterator = PyObject_GetIter(all);
    Py_DECREF(all);
    return iterator;
}

/* x in t: does any element equal it? */
static int contains(PyObject *self, PyObject *value)
{
    kt_call call;
    begin(&call, row_eq, kp_tensor_of(self));
    call.given = 3;
    if (kp_is_tensor(value)) { /* in PyTorch's operand order, which a size mismatch shows */
        call.arg[0].t = kp_tensor_of(value);
        call.arg[1].t = kp_tensor_of(self);
    } else {
        int found = kp_to_scalar(value, &call.arg[1].s);
        call.scalars = 2;
        if (found < 0)
            return -1;
        if (!found || kp_is_numpy_bool(value)) {
            PyErr_Format(PyExc_RuntimeError, "Tensor.__contains__ only supports Tensor or scalar, but you passed in a %R.",
                         Py_TYPE(value));
            return -1;
        }
        kp_to_operand(value, &call.arg[1].s);
    }
    kt_tensor *equal = run_one(&call);
    if (!equal)
        return -1;
    begin(&call, row_any, equal);
    kt_tensor *any = run_one(&call);
    kt_drop(equal);
    if (!any)
        return -1;
    kt_scalar answer = kp_item(any);
    kt_drop(any);
    if (kt_failed()) {
        kp_raise();
        return -1;
    }
    return answer.v.i != 0;
}

const PyType_Slot kp_index_slots[] = {
    {Py_mp_length, length}, {Py_mp_subscript, subscript}, {Py_mp_ass_subscript, assign},
    {Py_sq_length, length}, {Py_tp_iter, iterate},        {Py_sq_contains, contains},
    {0, NULL},
};
