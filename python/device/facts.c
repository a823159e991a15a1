/* facts.c - functions about devices: how many there are, which is current, their memory and properties, and what made the host
 * wait. The modules of python/karat/_device are made of them.
 *
 * In: a device, as object or string. Out: numbers and dicts. Independent of: tensors, which device it is. */
#include "core/binding.h"

/* A device that a function needs: 0; -1 and an exception. */
static int needed(PyObject *o, kt_device *d)
{
    const int known = kp_to_device(o, d);
    if (known == 0)
        PyErr_Format(PyExc_TypeError, "a device is needed, not %s", Py_TYPE(o)->tp_name);
    return known > 0 ? 0 : -1;
}

static PyObject *said(kt_status status) { return status ? kp_raise() : Py_NewRef(Py_None); }

/* ---- which there are ---- */
static PyObject *device_count(PyObject *module, PyObject *name)
{
    (void)module;
    const char *text = PyUnicode_AsUTF8(name);
    return text ? PyLong_FromLong(kt_device_count(text)) : NULL;
}

static PyObject *accelerator(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    const kt_device d = kt_device_accelerator();
    return d.kind < 0 ? Py_NewRef(Py_None) : kp_device_object_of((kt_device){d.kind, -1});
}

static PyObject *set_device_index(PyObject *module, PyObject *o)
{
    (void)module;
    kt_device d;
    return needed(o, &d) ? NULL : said(kt_device_set_index(d));
}

static PyObject *device_index(PyObject *module, PyObject *o)
{
    (void)module;
    kt_device d;
    return needed(o, &d) ? NULL : PyLong_FromLong(kt_device_index(d.kind));
}

static PyObject *device_sync(PyObject *module, PyObject *o)
{
    (void)module;
    kt_device d;
    if (needed(o, &d))
        return NULL;
    const kp_entry  before = kp_enter();
    const kt_status status = kt_device_sync(d);
    kp_leave(before);
    return said(status);
}

/* At the end of the program: an error of queued work that nobody has read is printed, as an uncaught exception is. */
static PyObject *devices_finish(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    const kp_entry  before = kp_enter();
    const kt_status status = kt_devices_finish();
    kp_leave(before);
    if (status) {
        kp_raise();
        PyErr_Print();
    }
    Py_RETURN_NONE;
}

static PyObject *device_properties(PyObject *module, PyObject *o)
{
    (void)module;
    kt_device            d;
    kt_device_properties p = {.size = sizeof p};
    if (needed(o, &d))
        return NULL;
    if (kt_device_ask(d, &p))
        return kp_raise();
    return Py_BuildValue(
        "{ss ss si si sn si si si si si sn sn sn sn si si si si si si sy#}", "name", p.name, "gcnArchName", p.architecture,
        "major", p.major, "minor", p.minor, "total_memory", (Py_ssize_t)p.memory, "multi_processor_count", p.multiprocessors,
        "warp_size", p.warp, "max_threads_per_multi_processor", p.threads, "max_threads_per_block", p.threads_of_block,
        "regs_per_multiprocessor", p.registers, "shared_memory_per_multiprocessor", (Py_ssize_t)p.shared,
        "shared_memory_per_block", (Py_ssize_t)p.shared_of_block, "shared_memory_per_block_optin",
        (Py_ssize_t)p.shared_of_block_at_will, "L2_cache_size", (Py_ssize_t)p.cache, "memory_bus_width", p.bus_width,
        "pci_bus_id", p.pci_bus, "pci_device_id", p.pci_device, "pci_domain_id", p.pci_domain, "is_integrated",
        (int)p.integrated, "is_multi_gpu_board", (int)p.shares_board, "uuid", (const char *)p.uuid, (Py_ssize_t)sizeof p.uuid);
}

/* ---- memory ---- */
static PyObject *device_memory(PyObject *module, PyObject *o)
{
    (void)module;
    kt_device        d;
    kt_device_memory m = {.size = sizeof m};
    if (needed(o, &d))
        return NULL;
    if (kt_device_memory_ask(d, &m))
        return kp_raise();
    return Py_BuildValue("{sn sn sK sK sK sK sK sK sn sn sn sn sK}", "allocated", (Py_ssize_t)m.allocated, "allocated_peak",
                         (Py_ssize_t)m.allocated_peak, "allocated_total", (unsigned long long)m.allocated_total, "freed_total",
                         (unsigned long long)m.freed_total, "count", (unsigned long long)m.count, "count_peak",
                         (unsigned long long)m.count_peak, "count_total", (unsigned long long)m.count_total, "count_freed",
                         (unsigned long long)m.count_freed, "reserved", (Py_ssize_t)m.reserved, "reserved_peak",
                         (Py_ssize_t)m.reserved_peak, "free", (Py_ssize_t)m.free, "total", (Py_ssize_t)m.total, "out_of_memory",
                         (unsigned long long)m.out_of_memory);
}

/* {"allocation.all": (current, peak, allocated, freed), ...} and four numbers beside; None: the device has no pools. */
static PyObject *device_memory_pools(PyObject *module, PyObject *o)
{
    static const char *const names[KT_MEMORY_KINDS] = {
        "allocation", "segment", "active", "inactive_split", "allocated_bytes", "reserved_bytes", "active_bytes",
        "inactive_split_bytes", "requested_bytes"}; /* PyTorch's: ORDER MEMORY_KIND */
    (void)module;
    kt_device       d;
    kt_memory_pools m = {.size = sizeof m};
    if (needed(o, &d))
        return NULL;
    if (kt_device_memory_pools(d, &m))
        return kp_raise();
    if (!m.known)
        Py_RETURN_NONE;
    PyObject *pools = Py_BuildValue("{sL sL sL sL}", "retries", m.retries, "taken", m.taken, "given", m.given, "waits", m.waits);
    for (int pool = 0; pools && pool < KT_MEMORY_POOLS; pool++)
        for (int kind = 0; pools && kind < KT_MEMORY_KINDS; kind++) {
            static const char *const words[KT_MEMORY_POOLS] = {"all", "large_pool", "small_pool"};
            const kt_memory_count *c = &m.of[pool][kind];
            PyObject *key = PyUnicode_FromFormat("%s.%s", names[kind], words[pool]);
            PyObject *counts = key ? Py_BuildValue("(LLLL)", c->now, c->most, c->came, c->went) : NULL;
            if (!counts || PyDict_SetItem(pools, key, counts))
                Py_CLEAR(pools);
            Py_XDECREF(key);
            Py_XDECREF(counts);
        }
    return pools;
}

static PyObject *changed_memory(PyObject *o, kt_status (*change)(kt_device))
{
    kt_device d;
    kt_status status;
    if (needed(o, &d))
        return NULL;
    Py_BEGIN_ALLOW_THREADS /* it may wait for the device */
    status = change(d);
    Py_END_ALLOW_THREADS
    return said(status);
}

static PyObject *device_memory_empty(PyObject *module, PyObject *o)
{
    (void)module;
    return changed_memory(o, kt_device_memory_empty);
}

static PyObject *device_memory_reset_peaks(PyObject *module, PyObject *o)
{
    (void)module;
    return changed_memory(o, kt_device_memory_reset_peaks);
}

static PyObject *device_memory_reset_totals(PyObject *module, PyObject *o)
{
    (void)module;
    return changed_memory(o, kt_device_memory_reset_totals);
}

static PyObject *device_memory_limit(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject          *o;
    unsigned long long bytes;
    kt_device          d;
    if (!PyArg_ParseTuple(args, "OK:device_memory_limit", &o, &bytes) || needed(o, &d))
        return NULL;
    return said(kt_device_memory_limit(d, (size_t)bytes));
}

/* ---- what costs time without being asked for ---- */
static PyObject *host_waits(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromUnsignedLongLong(kt_host_waits());
}

static PyObject *fallbacks(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromUnsignedLongLong(kt_fallbacks());
}

static PyObject *get_wait_mode(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromLong(kt_get_wait_mode());
}

static PyObject *set_wait_mode(PyObject *module, PyObject *mode)
{
    (void)module;
    const long n = PyLong_AsLong(mode);
    if (n == -1 && PyErr_Occurred())
        return NULL;
    if (n < KT_WAIT_SILENT || n > KT_WAIT_FAILS)
        return PyErr_Format(PyExc_ValueError, "a mode is 0, 1 or 2, not %ld", n);
    kt_set_wait_mode((kt_wait_mode)n);
    Py_RETURN_NONE;
}

PyMethodDef kp_facts_functions[] = {
    {"accelerator", accelerator, METH_NOARGS, "the first device that is not the CPU or meta, or None"},
    {"device_count", device_count, METH_O, "device_count(name): how many devices of that name there are"},
    {"device_index", device_index, METH_O, "device_index(device): the index that its name alone means"},
    {"set_device_index", set_device_index, METH_O, "set_device_index(device): its name alone means this one"},
    {"device_sync", device_sync, METH_O, "device_sync(device): wait for all its work"},
    {"devices_finish", devices_finish, METH_NOARGS, "wait for all devices that were used; an error of their work is printed"},
    {"device_properties", device_properties, METH_O, "device_properties(device): a dict"},
    {"device_memory", device_memory, METH_O, "device_memory(device): its figures, a dict"},
    {"device_memory_pools", device_memory_pools, METH_O, "device_memory_pools(device): figures by pool, a dict, or None"},
    {"device_memory_empty", device_memory_empty, METH_O, "give back what is kept for later"},
    {"device_memory_reset_peaks", device_memory_reset_peaks, METH_O, "peaks are what is in use now"},
    {"device_memory_reset_totals", device_memory_reset_totals, METH_O, "totals are 0"},
    {"device_memory_limit", device_memory_limit, METH_VARARGS, "device_memory_limit(device, bytes): more is an error"},
    {"host_waits", host_waits, METH_NOARGS, "how often a call made the host wait for a device; syncs are not counted"},
    {"fallbacks", fallbacks, METH_NOARGS, "how many kernels ran on the CPU because their device lacks them"},
    {"get_wait_mode", get_wait_mode, METH_NOARGS, "what a call that makes the host wait does: 0, 1 warns, 2 fails"},
    {"set_wait_mode", set_wait_mode, METH_O, "set it"},
    {NULL, NULL, 0, NULL},
};
