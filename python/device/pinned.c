/* pinned.c - methods of Tensor about memory that a device reads or uses late: pin_memory, is_pinned, record_stream.
 *
 * In: a Tensor. Out: it or a copy in pinned host memory; the engine knows which streams use its memory. */
#include "core/binding.h"

#define SELF   {.name = "self", .kind = KT_ARG_TENSOR}
#define DEVICE {.name = "device", .kind = KT_ARG_DEVICE, .optional = 1, .has_default = 1}

static int warn_of_device(const kp_signature *signature)
{
    return PyErr_WarnFormat(PyExc_DeprecationWarning, 1,
                            "The argument 'device' of Tensor.%s() is deprecated. Please do not pass this argument.",
                            signature->name);
}

/* Whose pinned memory it is; device= is deprecated. */
static int pinned_for(PyObject *self, kp_signature *signature, PyObject *const *argv, Py_ssize_t n, PyObject *keywords,
                      kt_device *d)
{
    kp_args a;
    *d = (kt_device){KT_DEVICE_DEFAULT, 0};
    if (!n && !keywords)
        return 0;
    if (kp_parse_method(&a, signature, 1, self, argv, n, keywords) < 0)
        return -1;
    kp_args_free(&a);
    if (!(a.call.given & 2))
        return 0;
    *d = a.call.arg[1].device;
    return warn_of_device(signature);
}

kt_tensor *kp_pinned(kt_tensor *t, kt_device d)
{
    kt_tensor *pinned = NULL;
    if (d.kind == KT_CPU || d.kind == KT_META) {
        PyErr_Format(PyExc_RuntimeError, "%s device type not an accelerator.", d.kind == KT_CPU ? "CPU" : "META");
        return NULL;
    }
    const kp_entry before = kp_enter();
    if (kt_pin(t, d, &pinned))
        kp_raise();
    kp_leave(before);
    return pinned;
}

kt_tensor *kp_pin_made(kt_tensor *t)
{
    if (kt_device_of(t).kind == KT_META)
        return t;
    kt_tensor *pinned = kp_pinned(t, (kt_device){KT_DEVICE_DEFAULT, 0});
    if (pinned && kt_requires_grad(t) && kp_want_grad(pinned)) {
        kt_drop(pinned);
        pinned = NULL;
    }
    kt_drop(t);
    return pinned;
}

PyObject *kp_pin_memory(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    static kp_signature signature = {.name = "pin_memory", .spec = {SELF, DEVICE}};
    kt_device           d;
    kt_tensor          *t = pinned_for(self, &signature, argv, n, keywords, &d) ? NULL : kp_pinned(kp_tensor_of(self), d);
    return t == kp_tensor_of(self) ? (kt_drop(t), Py_NewRef(self)) : kp_wrap(t);
}

PyObject *kp_is_pinned(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    static kp_signature signature = {.name = "is_pinned", .spec = {SELF, DEVICE}};
    kt_device           d = {KT_CPU, 0};
    const bool          by_name = !n && keywords && PyTuple_GET_SIZE(keywords) == 1 &&
                         PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, 0), "device") == 0;
    const bool          absent = ((n == 1 && !keywords) || by_name) && kp_is_absent_device(argv[0]);
    if (absent ? warn_of_device(&signature) : pinned_for(self, &signature, argv, n, keywords, &d))
        return NULL;
    return PyBool_FromLong(d.kind != KT_CPU && d.kind != KT_META && kt_is_pinned(kp_tensor_of(self)));
}

PyObject *kp_record_stream(PyObject *self, PyObject *stream)
{
    kt_stream        s;
    const kt_tensor *t = kp_tensor_of(self);
    if (!kp_to_stream(stream, &s))
        return PyErr_Format(PyExc_TypeError, "record_stream(): argument 's' (position 1) must be Stream, not %s",
                            Py_TYPE(stream)->tp_name);
    if (kt_device_of(t).kind == KT_CPU || kt_device_of(t).kind == KT_META)
        return PyErr_Format(PyExc_NotImplementedError,
                            "Could not run 'aten::record_stream' with arguments from the '%s' backend.",
                            kt_device_of(t).kind == KT_CPU ? "CPU" : "Meta");
    return kt_used_on(kp_tensor_of(self), s) ? kp_raise() : Py_NewRef(Py_None);
}
