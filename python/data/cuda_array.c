/* cuda_array.c - exchange of tensors on CUDA devices by __cuda_array_interface__ (version 3), without a copy.
 *
 * In: a Tensor, or another library's object that has the attribute. Out: the dict that describes the memory and the stream whose
 * work it belongs to, or a Tensor on the other library's memory, for which our stream waits for theirs. */
#include "core/binding.h"

enum { VERSION = 3, DEFAULT_STREAM = 1, STREAM_OF_THREAD = 2 };

static const struct {
    kt_dtype    dtype;
    const char *text;
} types[] = {{KT_BOOL, "|b1"}, {KT_U8, "|u1"},  {KT_I8, "|i1"},  {KT_U16, "<u2"}, {KT_I16, "<i2"}, {KT_U32, "<u4"},
             {KT_I32, "<i4"},  {KT_U64, "<u8"}, {KT_I64, "<i8"}, {KT_F16, "<f2"}, {KT_F32, "<f4"}, {KT_F64, "<f8"},
             {KT_C64, "<c8"},  {KT_C128, "<c16"}, {KT_BF16, "<V2"}};
enum { N_TYPES = sizeof types / sizeof *types };

/* ---- out ---- */
static PyObject *tuple_of(kt_shape numbers, int64_t times)
{
    PyObject *tuple = PyTuple_New(numbers.n);
    for (Py_ssize_t i = 0; tuple && i < numbers.n; i++) {
        PyObject *number = PyLong_FromLongLong(numbers.d[i] * times);
        if (!number) {
            Py_DECREF(tuple);
            return NULL;
        }
        PyTuple_SET_ITEM(tuple, i, number);
    }
    return tuple;
}

static const char *text_of(kt_dtype dtype)
{
    for (int i = 0; i < N_TYPES; i++)
        if (types[i].dtype == dtype)
            return types[i].text;
    return NULL;
}

PyObject *kp_cuda_array_interface(PyObject *self, void *unused)
{
    (void)unused;
    kt_tensor    *t = kp_tensor_of(self);
    const int64_t width = (int64_t)kt_dtype_size(kt_dtype_of(t));
    const char   *type = text_of(kt_dtype_of(t));
    kt_stream     now;
    if (kt_device_of(t).kind != KT_CUDA) {
        PyObject *name = PyObject_CallMethod(self, "type", NULL);
        if (name)
            PyErr_Format(PyExc_AttributeError,
                         "Can't get __cuda_array_interface__ on non-CUDA tensor type: %U If CUDA data is required use "
                         "tensor.cuda() to copy tensor to device memory.",
                         name);
        Py_XDECREF(name);
        return NULL;
    }
    if (kt_requires_grad(t))
        return PyErr_Format(PyExc_RuntimeError, "Can't get __cuda_array_interface__ on Variable that requires grad. If gradients "
                                                "aren't required, use var.detach() to get Variable that doesn't require grad.");
    if (!type || kt_is_conj(t) || kt_is_neg(t))
        return PyErr_Format(PyExc_AttributeError, "__cuda_array_interface__ cannot describe %s",
                            type ? "a lazy conjugate or negative: call resolve_conj() or resolve_neg()"
                                 : kt_dtype_name(kt_dtype_of(t)));
    if (kt_stream_current(kt_device_of(t), &now)) {
        kp_raise();
        return NULL;
    }
    char     *memory = kt_numel(t) ? kt_storage_data(t) : NULL;
    PyObject *shape = tuple_of(kt_sizes(t), 1);
    PyObject *strides = kt_is_contiguous(t) ? Py_NewRef(Py_None) : tuple_of(kt_strides(t), width);
    PyObject *made = NULL;
    memory = memory ? memory + kt_storage_offset(t) * width : NULL;
    if (shape && strides)
        made = Py_BuildValue("{s:O,s:s,s:(KO),s:O,s:i,s:K}", "shape", shape, "typestr", type, "data",
                             (unsigned long long)(uintptr_t)memory, Py_False, "strides", strides, "version", VERSION, "stream",
                             (unsigned long long)(now.handle ? now.handle : DEFAULT_STREAM));
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    return made;
}

/* ---- in ---- */
static void release_object(void *owner)
{
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)owner);
    PyGILState_Release(state);
}

/* Reads a tuple of integers; -1 and an exception: it is none. */
static int read_numbers(PyObject *tuple, int64_t *to)
{
    const Py_ssize_t n = PyTuple_Check(tuple) ? PyTuple_GET_SIZE(tuple) : KT_MAX_DIMS + 1;
    for (Py_ssize_t i = 0; i < n && n <= KT_MAX_DIMS; i++)
        to[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i));
    if (n > KT_MAX_DIMS)
        PyErr_SetString(PyExc_TypeError, "__cuda_array_interface__: shape and strides must be tuples of integers");
    return PyErr_Occurred() ? -1 : (int)n;
}

static kt_dtype dtype_called(const char *text)
{
    for (int i = 0; i < N_TYPES; i++)
        if (!strcmp(types[i].text, text))
            return types[i].dtype;
    return KT_NONE;
}

/* Our stream waits for theirs; None: they have waited. */
static int wait_for(PyObject *stream, kt_device d)
{
    kt_stream now;
    if (!stream || stream == Py_None)
        return 0;
    const unsigned long long raw = PyLong_AsUnsignedLongLong(stream);
    if (PyErr_Occurred())
        return -1;
    const kt_stream theirs = {d, raw == DEFAULT_STREAM || raw == STREAM_OF_THREAD ? 0 : (kt_handle)raw};
    if (kt_stream_current(d, &now) || (now.handle != theirs.handle && kt_stream_after(now, theirs))) {
        kp_raise();
        return -1;
    }
    return 0;
}

static kt_tensor *take(PyObject *o, PyObject *dict)
{
    int64_t            sizes[KT_MAX_DIMS], strides[KT_MAX_DIMS], step = 1;
    PyObject          *shape = PyDict_GetItemString(dict, "shape"), *type = PyDict_GetItemString(dict, "typestr");
    PyObject          *data = PyDict_GetItemString(dict, "data"), *apart = PyDict_GetItemString(dict, "strides");
    PyObject          *mask = PyDict_GetItemString(dict, "mask");
    unsigned long long address = 0;
    int                read_only = 0;
    kt_tensor         *t = NULL;
    if (!shape || !type || !data || !PyUnicode_Check(type) || !PyTuple_Check(data) || (mask && mask != Py_None)) {
        PyErr_SetString(PyExc_TypeError, "__cuda_array_interface__ needs shape, typestr and data, and no mask");
        return NULL;
    }
    const int      n = read_numbers(shape, sizes);
    const char    *text = PyUnicode_AsUTF8(type);
    const kt_dtype dtype = text ? dtype_called(text) : KT_NONE;
    if (n < 0 || !text || !PyArg_ParseTuple(data, "Kp", &address, &read_only))
        return NULL;
    if (dtype == KT_NONE) {
        PyErr_Format(PyExc_TypeError, "__cuda_array_interface__: there is no dtype for %U", type);
        return NULL;
    }
    for (int i = n; i-- > 0; step *= sizes[i])
        strides[i] = step;
    if (apart && apart != Py_None) {
        const int64_t width = (int64_t)kt_dtype_size(dtype);
        if (read_numbers(apart, strides) != n) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "__cuda_array_interface__: as many strides as sizes are needed");
            return NULL;
        }
        for (int i = 0; i < n; i++) {
            if (strides[i] % width) {
                PyErr_SetString(PyExc_ValueError, "given array strides not a multiple of the element byte size. Make a copy of "
                                                  "the array to reallocate the memory.");
                return NULL;
            }
            strides[i] /= width;
        }
    }
    const kt_device d = kt_device_find("cuda");
    if (kt_failed()) {
        kp_raise();
        return NULL;
    }
    if (wait_for(PyDict_GetItemString(dict, "stream"), d))
        return NULL;
    kp_entry        before = kp_enter();
    const kt_status status = kt_make_over_on(d, (void *)(uintptr_t)address, dtype, (kt_shape){n, sizes}, (kt_shape){n, strides},
                                             "as_tensor", release_object, Py_NewRef(o), &t);
    kp_leave(before);
    if (status) {
        Py_DECREF(o);
        kp_raise();
    }
    return t;
}

kt_tensor *kp_from_cuda_array(PyObject *o)
{
    PyObject  *dict = PyObject_GetAttrString(o, "__cuda_array_interface__");
    kt_tensor *t = NULL;
    if (dict && !PyDict_Check(dict))
        PyErr_SetString(PyExc_TypeError, "`__cuda_array_interface__` must be a dict");
    else if (dict)
        t = take(o, dict);
    Py_XDECREF(dict);
    return t;
}
