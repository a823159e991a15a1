/* backend.c - the registry of devices: append-only, read without locks. The CPU and the meta device are registered at
 * start, plugins when somebody asks for them (plan/plugin.c). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tables/kernels/families.h"
#include "tensor/device.h"

kt_backend *_Atomic    kt__backends[KT_MAX_BACKENDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local kt_device chosen; /* kind 0: the CPU */

kt_device kt_get_default_device(void) { return chosen.kind == KT_DEVICE_DEFAULT ? (kt_device){KT_CPU, 0} : chosen; }

kt_device kt__default_device(kt_device d) { return d.kind == KT_DEVICE_DEFAULT ? kt_get_default_device() : d; }

kt_status kt_set_default_device(kt_device d)
{
    if (d.kind != KT_DEVICE_DEFAULT && d.kind != KT_CUDA && !kt__backend(d.kind))
        return kt_fail(KT_ERR_RUNTIME, "there is no such device");
    chosen = d;
    return KT_OK;
}

kt_status kt_device_check(kt_device d)
{
    d = kt__default_device(d);
    kt_backend *b = kt__backend(d.kind);
    const int   n = b && d.kind > KT_META ? b->count(b) : 0;
    if (b && (d.kind <= KT_META || (d.index >= 0 && d.index < n)))
        return KT_OK;
    if (d.kind == KT_CUDA && !b)
        return kt_fail(KT_ERR_ASSERTION, "Torch not compiled with CUDA enabled");
    if (d.kind == KT_CUDA && !n)
        return kt_fail(KT_ERR_RUNTIME, "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and "
                                       "installed a driver from http://www.nvidia.com/Download/index.aspx");
    return kt_fail(KT_ERR_RUNTIME, "there is no such device");
}

/* ---- nothing of a plugin runs before its structs are known to lie as ours do ---- */

/* A plugin that was built before has fewer sizes; it differs in one of those that it has, so the others are not read. */
kt_status kt__check_layout(const kt_layout *theirs, const char *who)
{
    static const struct {
        const char *name;
        size_t      at;
    } sizes[] = {{"kt_host", offsetof(kt_layout, host)},         {"kt_backend", offsetof(kt_layout, backend)},
                 {"kt_plan", offsetof(kt_layout, plan)},         {"kt_operand", offsetof(kt_layout, operand)},
                 {"kt_transfer", offsetof(kt_layout, transfer)}, {"kt_late_error", offsetof(kt_layout, late_error)}};
    static const kt_layout ours = KT_LAYOUT;
    if (theirs->abi != ours.abi)
        return kt_fail(KT_ERR_RUNTIME, "%s was built for backend interface %u, and this library has %u: it must be built anew",
                       who, (unsigned)theirs->abi, (unsigned)ours.abi);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t here, there;
        memcpy(&here, (const char *)&ours + sizes[i].at, sizeof here);
        memcpy(&there, (const char *)theirs + sizes[i].at, sizeof there);
        if (here != there)
            return kt_fail(KT_ERR_RUNTIME, "%s was built with a %s of %u bytes, and here it has %u: it must be built anew", who,
                           sizes[i].name, (unsigned)there, (unsigned)here);
    }
    return KT_OK;
}

/* Names that PyTorch has too are always the same kind, whatever was registered before; other names follow. */
static const char *const fixed_names[] = {[KT_CPU] = "cpu", [KT_META] = "meta", [KT_CUDA] = "cuda"};

/* 0 and an error: the name is taken, or there is no room. */
static int free_kind(const char *name)
{
    int kind = KT_FIRST_OTHER;
    for (int k = 1; k < KT_MAX_BACKENDS; k++)
        if (kt__backend(k) && strcmp(kt__backend(k)->name, name) == 0) {
            kt_fail(KT_ERR_RUNTIME, "a backend named '%s' is registered already", name);
            return 0;
        }
    for (int k = KT_CPU; k < KT_FIRST_OTHER; k++)
        if (strcmp(fixed_names[k], name) == 0)
            return k;
    while (kind < KT_MAX_BACKENDS && kt__backend(kind))
        kind++;
    if (kind < KT_MAX_BACKENDS)
        return kind;
    kt_fail(KT_ERR_RUNTIME, "there is room for %d backends", KT_MAX_BACKENDS - KT_FIRST_OTHER);
    return 0;
}

/* Its table of kernels and the state of its devices: never freed, as a backend is never removed. */
static kt_status equip(kt_backend *backend, int kind)
{
    uint8_t *kernels = calloc(KT_K_end, 1);
    if (!kernels)
        return kt__fail_memory(KT_K_end);
    for (int k = 1; k < KT_K_end; k++)
        for (int compute = 0; compute < KT_NUM_COMPUTE; compute++)
            kernels[k] |= (uint8_t)(backend->has(backend, (kt_kernel_id)k, (kt_compute)compute) << compute);
    if (kt__devices_begin(kind, backend->count(backend), backend->draws != NULL)) {
        free(kernels);
        return kt_error_status();
    }
    backend->kernels = kernels;
    return KT_OK;
}

kt_status kt_backend_register(kt_backend *backend)
{
    if (!backend)
        return kt_fail(KT_ERR_TYPE, "expected a backend, got NULL");
    if (kt__check_layout(&backend->layout, "a backend"))
        return kt_error_status();
    if (!backend->alloc || !backend->free || !backend->run || !backend->copy || !backend->sync || !backend->has)
        return kt_fail(KT_ERR_RUNTIME, "a backend named '%s' lacks one of alloc, free, run, copy, sync and has", backend->name);
    pthread_mutex_lock(&lock);
    const int kind = free_kind(backend->name);
    kt_status status = kind ? KT_OK : kt_error_status();
    if (!status && !backend->addressable && !backend->stores_nothing)
        status = equip(backend, kind);
    if (!status)
        atomic_store_explicit(&kt__backends[kind], backend, memory_order_release);
    pthread_mutex_unlock(&lock);
    return status;
}

const char *kt_device_name(kt_device d)
{
    kt_backend *b = kt__backend(kt__default_device(d).kind);
    return b ? b->name : "?";
}
