/* optim.c - what optimizers need beside operators: the state of a parameter in the parameter's dtype.
 *
 * In: tensors. Out: tensors; a conversion has the reason "loading", so that policies judge it and lineage shows it. */
#include "core/binding.h"

static PyObject *load_state(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *value, *like;
    if (!PyArg_ParseTuple(args, "O!O!", kp_tensor_type, &value, kp_tensor_type, &like))
        return NULL;
    const kt_dtype dtype = kt_dtype_of(kp_tensor_of(like));
    if (kt_dtype_of(kp_tensor_of(value)) == dtype)
        return Py_NewRef(value);
    kt_tensor      *loaded = NULL;
    const kp_entry  before = kp_enter_any();
    const kt_status status = kt_convert(kp_tensor_of(value), dtype, KT_WHY_LOADING, &loaded);
    kp_leave(before);
    return kp_after(NULL, status) ? kp_raise() : kp_wrap(loaded);
}

PyMethodDef kp_optim_functions[] = {
    {"load_state", load_state, METH_VARARGS,
     "load_state(value, like): value in the dtype of like; a conversion's reason is loading"},
    {NULL, NULL, 0, NULL},
};
