/* optim.c - what optimizers need beside operators: the state of a parameter in the parameter's dtype, and L-BFGS, whose step
 * calls the user's function.
 *
 * In: tensors, a function. Out: tensors; a conversion has the reason "loading": policies judge it and lineage shows it. */
#include "core/binding.h"

#include <karat/optim.h>

static PyObject *load_state(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject   *value, *like;
    const char *op;
    if (!PyArg_ParseTuple(args, "O!O!s", kp_tensor_type, &value, kp_tensor_type, &like, &op))
        return NULL;
    const kt_dtype dtype = kt_dtype_of(kp_tensor_of(like));
    if (kt_dtype_of(kp_tensor_of(value)) == dtype)
        return Py_NewRef(value);
    kt_tensor      *loaded = NULL;
    const kp_entry  before = kp_enter_any();
    const kt_status status = kt_convert(kp_tensor_of(value), dtype, KT_WHY_LOADING, &loaded);
    if (!status)
        kt_lineage_like(loaded, kp_tensor_of(like), op);
    kp_leave(before);
    return kp_after(NULL, status) ? kp_raise() : kp_wrap(loaded);
}

/* ---- L-BFGS ---- */

typedef struct loss_function {
    PyObject *function; /* gives the loss as a float */
} loss_function;

static kt_status evaluate(void *context, double *loss)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject        *given = PyObject_CallNoArgs(((const loss_function *)context)->function);
    kt_status        status = KT_OK;
    if (given)
        *loss = PyFloat_AsDouble(given);
    if (!given || PyErr_Occurred())
        status = kp_fail_with_exception();
    Py_XDECREF(given);
    PyGILState_Release(gil);
    return status;
}

/* A tensor, or NULL for None. */
static int tensor_or_none(PyObject *object, void *to)
{
    if (object != Py_None && !kp_is_tensor(object)) {
        PyErr_Format(PyExc_TypeError, "expected a Tensor or None, got %s", Py_TYPE(object)->tp_name);
        return 0;
    }
    *(kt_tensor **)to = object == Py_None ? NULL : kp_tensor_of(object);
    return 1;
}

/* The tensors of a list, kept; as many as there is room for. */
static Py_ssize_t keep_list(PyObject *list, kt_tensor **to, Py_ssize_t room)
{
    const Py_ssize_t n = PyList_GET_SIZE(list);
    if (n > room) {
        PyErr_Format(PyExc_ValueError, "L-BFGS has room for %zd steps, got %zd", room, n);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (!kp_is_tensor(PyList_GET_ITEM(list, i))) {
            PyErr_SetString(PyExc_TypeError, "the history of L-BFGS is made of tensors");
            return -1;
        }
    for (Py_ssize_t i = 0; i < n; i++)
        to[i] = kt_keep(kp_tensor_of(PyList_GET_ITEM(list, i)));
    return n;
}

static PyObject *new_list(kt_tensor *const *t, int64_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (int64_t i = 0; i < n && list; i++) {
        PyObject *one = kp_wrap_borrowed(t[i]);
        if (one)
            PyList_SET_ITEM(list, i, one);
        else
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *or_none(kt_tensor *t) { return t ? kp_wrap_borrowed(t) : Py_NewRef(Py_None); }

static PyObject *state_as_tuple(const kt_lbfgs_state *s)
{
    return Py_BuildValue("LLddNNNNNN", (long long)s->func_evals, (long long)s->n_iter, s->t, s->prev_loss, or_none(s->d),
                         or_none(s->prev_flat_grad), or_none(s->diagonal), new_list(s->dirs, s->n), new_list(s->steps, s->n),
                         new_list(s->ro, s->n));
}

static PyObject *lbfgs_step(PyObject *module, PyObject *args)
{
    (void)module;
    loss_function    f;
    PyObject        *params, *dirs, *steps, *ro, *result = NULL;
    kt_lbfgs_options o = {.size = sizeof o};
    kt_lbfgs_state   s = {.size = sizeof s};
    long long        most, most_evals, history, evals, iterations;
    int              wolfe;
    if (!PyArg_ParseTuple(args, "OO!(dddLLLp)(LLddO&O&O&O!O!O!):lbfgs_step", &f.function, &PyList_Type, &params, &o.lr,
                          &o.tolerance_grad, &o.tolerance_change, &most, &most_evals, &history, &wolfe, &evals, &iterations, &s.t,
                          &s.prev_loss, tensor_or_none, &s.d, tensor_or_none, &s.prev_flat_grad, tensor_or_none, &s.diagonal,
                          &PyList_Type, &dirs, &PyList_Type, &steps, &PyList_Type, &ro))
        return NULL;
    enum { MOST_HISTORY = 1 << 20 };
    const Py_ssize_t n = PyList_GET_SIZE(params), room = history < 0 ? 0 : history > MOST_HISTORY ? MOST_HISTORY : history;
    o.max_iter = most, o.max_eval = most_evals, o.history_size = room, o.strong_wolfe = wolfe;
    s.func_evals = evals, s.n_iter = iterations;
    kt_tensor **all = PyMem_Calloc((size_t)(n + 3 * room) + 1, sizeof *all);
    if (!all)
        return PyErr_NoMemory();
    s.dirs = all + n, s.steps = s.dirs + room, s.ro = s.steps + room;
    kt_keep(s.d), kt_keep(s.prev_flat_grad), kt_keep(s.diagonal);
    const Py_ssize_t kept[] = {keep_list(dirs, s.dirs, room), keep_list(steps, s.steps, room), keep_list(ro, s.ro, room)};
    if (!PyErr_Occurred() && (kept[0] != kept[1] || kept[0] != kept[2]))
        PyErr_SetString(PyExc_ValueError, "the lists of L-BFGS's history have different lengths");
    for (Py_ssize_t i = 0; i < n && !PyErr_Occurred(); i++) {
        if (!kp_is_tensor(PyList_GET_ITEM(params, i)))
            PyErr_SetString(PyExc_TypeError, "the parameters of L-BFGS are tensors");
        else
            all[i] = kp_tensor_of(PyList_GET_ITEM(params, i));
    }
    if (!PyErr_Occurred()) {
        s.n = kept[0];
        const kp_entry  before = kp_enter_any();
        const kt_status status = kt_lbfgs_step(&s, &o, all, n, evaluate, &f);
        kp_leave(before);
        result = kp_after(NULL, status) ? kp_raise() : state_as_tuple(&s);
    } else {
        for (int k = 0; k < 3; k++)
            for (Py_ssize_t i = 0; i < kept[k]; i++)
                kt_drop((k == 0 ? s.dirs : k == 1 ? s.steps : s.ro)[i]);
    }
    kt_lbfgs_forget(&s);
    PyMem_Free(all);
    return result;
}

PyMethodDef kp_optim_functions[] = {
    {"lbfgs_step", lbfgs_step, METH_VARARGS, "lbfgs_step(function, params, options, state): a step of L-BFGS; the new state"},
    {"load_state", load_state, METH_VARARGS,
     "load_state(value, like, op): value in the dtype of like; a conversion's reason is loading, and it has both histories"},
    {NULL, NULL, 0, NULL},
};
