/* index.c - x[...], x[...] = y, len(x), iteration: integers, slices, None, Ellipsis and tuples of them, as views.
 *
 * In: a Tensor and an index. Out: a view made by select, slice and unsqueeze, like any other call; assignment copies
 * into that view. Must not know: strides. Indexing by tensors is not here. */
#include "binding.h"

static const kt_row *row_select, *row_slice, *row_unsqueeze, *row_alias, *row_unbind, *row_copy, *row_fill,
    *row_number;

int kp_index_start(void)
{
    return (row_select = kp_row("select")) && (row_slice = kp_row("slice")) && (row_unsqueeze = kp_row("unsqueeze")) &&
                   (row_alias = kp_row("alias")) && (row_unbind = kp_row("unbind")) && (row_copy = kp_row("copy")) &&
                   (row_fill = kp_row("fill")) && (row_number = kp_row("scalar_tensor"))
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

/* Owned; the bounds are checked here because indexing says it in other words than select(). `named` is the dim as
 * the user counts it. */
static kt_tensor *select_at(kt_tensor *t, int64_t dim, int64_t index, int64_t named)
{
    kt_call call;
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

static kt_tensor *slice_at(kt_tensor *t, int64_t dim, PyObject *slice)
{
    Py_ssize_t start, stop, step;
    kt_call    call;
    if (PySlice_Unpack(slice, &start, &stop, &step))
        return NULL;
    if (step <= 0) {
        PyErr_SetString(PyExc_ValueError, "step must be greater than zero");
        return NULL;
    }
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

static bool is_integer(PyObject *o)
{
    if (PyBool_Check(o))
        return false;
    return PyLong_Check(o) || (PyIndex_Check(o) && !kp_is_tensor(o)) ||
           (kp_is_tensor(o) && kt_ndim(kp_tensor_of(o)) == 0 &&
            kt_dtype_category(kt_dtype_of(kp_tensor_of(o))) == KT_CAT_INT);
}

/* One step; `*dim` is the dim it applies to, moved past what it leaves, `*used` that dim in the tensor indexed. The
 * view before is given up. */
static kt_tensor *step(kt_tensor *t, PyObject *index, int64_t *dim, int64_t *used, int64_t left)
{
    kt_tensor *next = NULL;
    if (is_integer(index)) {
        Py_ssize_t i = PyNumber_AsSsize_t(index, PyExc_IndexError);
        if (i != -1 || !PyErr_Occurred())
            next = select_at(t, *dim, i, (*used)++);
    } else if (PySlice_Check(index)) {
        next = slice_at(t, (*dim)++, index);
        (*used)++;
    } else if (index == Py_None) {
        next = new_dim(t, (*dim)++);
    } else if (index == Py_Ellipsis) {
        *dim += left;
        *used += left;
        return t;
    } else if (PyUnicode_Check(index)) {
        PyErr_Format(PyExc_TypeError, "new(): invalid data type '%s'", Py_TYPE(index)->tp_name);
    } else if (kp_is_tensor(index) || PyBool_Check(index) || PySequence_Check(index)) {
        PyErr_SetString(PyExc_NotImplementedError,
                        "indexing by tensors, lists and booleans is not part of this version of karat");
    } else {
        PyErr_Format(
            PyExc_IndexError,
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got %s)",
            Py_TYPE(index)->tp_name);
    }
    kt_drop(t);
    return next;
}

/* Owned: the view that the index names. */
static kt_tensor *view_of(PyObject *self, PyObject *index)
{
    kt_tensor        *t = kp_tensor_of(self);
    const int64_t     rank = kt_ndim(t);
    const bool        many = PyTuple_Check(index);
    const Py_ssize_t  n = many ? PyTuple_GET_SIZE(index) : 1;
    int64_t           used = 0, dim = 0, real = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *one = many ? PyTuple_GET_ITEM(index, i) : index;
        used += one != Py_None && one != Py_Ellipsis;
    }
    if (used > rank) {
        if (rank == 0 && n == 1)
            PyErr_SetString(PyExc_IndexError, "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                                              "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
        else
            PyErr_Format(PyExc_IndexError, "too many indices for tensor of dimension %lld", (long long)rank);
        return NULL;
    }
    if (!many && PyLong_CheckExact(index)) { /* x[i] */
        Py_ssize_t i = PyNumber_AsSsize_t(index, PyExc_IndexError);
        return i == -1 && PyErr_Occurred() ? NULL : select_at(t, 0, i, 0);
    }
    t = kt_keep(t);
    for (Py_ssize_t i = 0; i < n && t; i++)
        t = step(t, many ? PyTuple_GET_ITEM(index, i) : index, &dim, &real, rank - used);
    if (t == kp_tensor_of(self)) { /* x[...] and x[()]: another view, not x itself */
        kt_call call;
        kt_drop(t);
        begin(&call, row_alias, t);
        t = run_one(&call);
    }
    return t;
}

static PyObject *subscript(PyObject *self, PyObject *index) { return kp_wrap(view_of(self, index)); }

static int assign(PyObject *self, PyObject *index, PyObject *value)
{
    kt_call call;
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "Tensor does not support deleting items");
        return -1;
    }
    bool is_number = !kp_is_tensor(value);
    if (is_number) {
        int found = kp_to_scalar(value, &call.arg[1].s);
        if (found < 0)
            return -1;
        if (!found) {
            PyErr_Format(PyExc_TypeError, "can't assign a %s to a torch.%sTensor", Py_TYPE(value)->tp_name,
                         kt_dtype_torch_name(kt_dtype_of(kp_tensor_of(self))));
            return -1;
        }
    } else {
        call.arg[1].t = kp_tensor_of(value);
    }
    kt_tensor *view = view_of(self, index), *number = NULL;
    if (!view)
        return -1;
    if (is_number) { /* by way of a tensor, as PyTorch: what fill_ refuses may overflow here */
        kt_scalar given = call.arg[1].s;
        kt_call_begin(&call, row_number, KT_PLAIN);
        call.arg[0].s = given;
        call.arg[1].dtype = kt_dtype_of(view);
        call.given = 3;
        number = run_one(&call);
        if (!number) {
            kt_drop(view);
            return -1;
        }
        call.arg[1].t = number;
    }
    kt_tensor *from = call.arg[1].t;
    kt_call_begin(&call, is_number ? row_fill : row_copy, KT_INPLACE);
    call.arg[0].t = view;
    call.arg[1].t = from;
    call.given = 3;
    kt_status status = kp_run(&call, kp_is_large(view, NULL));
    if (!status)
        kt_drop(call.out[0]);
    kt_drop(view);
    kt_drop(number);
    if (status)
        kp_raise();
    return status ? -1 : 0;
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

const PyType_Slot kp_index_slots[] = {
    {Py_mp_length, length}, {Py_mp_subscript, subscript}, {Py_mp_ass_subscript, assign},
    {Py_sq_length, length}, {Py_tp_iter, iterate},        {0, NULL},
};
