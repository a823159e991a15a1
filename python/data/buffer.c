/* buffer.c - karat.frombuffer: a tensor over the memory of any object with Python's buffer protocol.
 *
 * In: the object, a dtype, count and offset. Out: a 1-dim tensor without a copy. The buffer stays exported while a tensor
 * uses it, so that it cannot be freed or resized. Independent of: what the object is. */
#include "core/binding.h"

/* The last tensor may be freed on any thread, with or without the GIL; after finalization of the interpreter there is
 * nothing to do. */
static void let_go(void *owner)
{
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyBuffer_Release(owner);
    PyMem_Free(owner);
    PyGILState_Release(gil);
}

static int warn_read_only(void)
{
    static bool warned; /* once a process, as PyTorch does; under the GIL */
    return kp_warn_once(&warned,
                        "The given buffer is not writable, and PyTorch does not support non-writable tensors. This "
                        "means you can write to the underlying (supposedly non-writable) buffer using the tensor. You "
                        "may want to copy the buffer to protect its data or make it writable before converting it to a "
                        "tensor. This type of warning will be suppressed for the rest of this program.");
}

static Py_buffer *export_of(PyObject *object)
{
    if (!PyObject_CheckBuffer(object)) {
        PyErr_SetString(PyExc_ValueError, "object does not implement Python buffer protocol.");
        return NULL;
    }
    Py_buffer *view = PyMem_Malloc(sizeof *view);
    if (!view)
        return (void *)PyErr_NoMemory();
    if (PyObject_GetBuffer(object, view, PyBUF_WRITABLE) == 0)
        return view;
    PyErr_Clear();
    if (PyObject_GetBuffer(object, view, PyBUF_SIMPLE)) {
        PyMem_Free(view);
        PyErr_SetString(PyExc_RuntimeError, "could not retrieve buffer from object");
        return NULL;
    }
    if (warn_read_only()) {
        PyBuffer_Release(view);
        PyMem_Free(view);
        return NULL;
    }
    return view;
}

/* Number of elements; -1 with an exception. */
static Py_ssize_t count_elements(const Py_buffer *view, Py_ssize_t itemsize, Py_ssize_t count, Py_ssize_t offset)
{
    if (view->len == 0 || count == 0)
        PyErr_Format(PyExc_ValueError, "both buffer length (%zd) and count (%zd) must not be 0", view->len, count);
    else if (offset < 0 || offset >= view->len)
        PyErr_Format(PyExc_ValueError,
                     "offset (%zd bytes) must be non-negative and no greater than buffer length (%zd bytes) minus 1",
                     offset, view->len);
    else if (count < 0 && (view->len - offset) % itemsize)
        PyErr_Format(PyExc_ValueError,
                     "buffer length (%zd bytes) after offset (%zd bytes) must be a multiple of element size (%zd)",
                     view->len - offset, offset, itemsize);
    else if (count < 0)
        return (view->len - offset) / itemsize;
    else if (count > (view->len - offset) / itemsize)
        PyErr_Format(PyExc_ValueError,
                     "requested buffer length (%zd * %zd bytes) after offset (%zd bytes) must not be greater than "
                     "actual buffer length (%zd bytes)",
                     count, itemsize, offset, view->len);
    else
        return count;
    return -1;
}

/* A tensor on memory that `release(owner)` frees; called here on failure. */
PyObject *kp_wrap_memory(void *memory, kt_dtype dtype, kt_shape shape, kt_shape strides, const char *maker,
                         void (*release)(void *), void *owner)
{
    kt_tensor *t = NULL;
    kp_entry   before = kp_enter();
    kt_status  status = kt_make_over(memory, dtype, shape, strides, maker, release, owner, &t);
    kp_leave(before);
    if (!status)
        return kp_wrap(t);
    kp_raise();
    release(owner);
    return NULL;
}

PyObject *kp_from_buffer(PyObject *object, kt_dtype dtype, Py_ssize_t count, Py_ssize_t offset, const char *maker)
{
    Py_buffer *view = export_of(object);
    if (!view)
        return NULL;
    Py_ssize_t n = count_elements(view, (Py_ssize_t)kt_dtype_size(dtype), count, offset);
    if (n < 0) {
        let_go(view);
        return NULL;
    }
    int64_t size = n, stride = 1;
    return kp_wrap_memory((char *)view->buf + offset, dtype, (kt_shape){1, &size}, (kt_shape){1, &stride}, maker, let_go,
                          view);
}

static PyObject *from_buffer(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    (void)module;
    static kp_signature signature = {
        .name = "frombuffer",
        .spec = {{.name = "buffer", .kind = KP_ARG_OBJECT}, {.name = "dtype", .kind = KT_ARG_DTYPE, .keyword_only = 1},
                 {.name = "count", .kind = KT_ARG_INT, .has_default = 1, .keyword_only = 1},
                 {.name = "offset", .kind = KT_ARG_INT, .has_default = 1, .keyword_only = 1},
                 {.name = "requires_grad", .kind = KT_ARG_BOOL, .has_default = 1, .keyword_only = 1}}};
    kp_args a;
    if (kp_parse(&a, &signature, false, argv, n, keywords))
        return NULL;
    PyObject     *object = (PyObject *)(void *)a.call.arg[0].t;
    const int64_t count = a.call.given & 4 ? a.call.arg[2].i : -1, offset = a.call.given & 8 ? a.call.arg[3].i : 0;
    const bool    wants_grad = a.call.given & 16 && a.call.arg[4].b;
    kp_args_free(&a);
    PyObject *tensor = kp_from_buffer(object, a.call.arg[1].dtype, count, offset, "frombuffer");
    if (tensor && wants_grad && kp_want_grad(kp_tensor_of(tensor)))
        Py_CLEAR(tensor);
    return tensor;
}

PyMethodDef kp_buffer_functions[] = {
    {"frombuffer", KP_FUNCTION(from_buffer), METH_FASTCALL | METH_KEYWORDS,
     "frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False): a 1-dim tensor on the buffer's own memory"},
    {NULL, NULL, 0, NULL},
};
