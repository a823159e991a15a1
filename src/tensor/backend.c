/* backend.c - the registry of devices: append-only, read without locks. The CPU and the meta device are registered at
 * start; plugins by kt_backend_load or from the folders of KARAT_BACKEND_PATH. */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tables/kernels/families.h"
#include "tensor/tensor.h"

kt_backend *_Atomic    kt__backends[KT_MAX_BACKENDS];
static _Atomic int32_t count = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local kt_device chosen; /* kind 0: the CPU */

kt_device kt_get_default_device(void) { return chosen.kind == KT_DEVICE_DEFAULT ? (kt_device){KT_CPU, 0} : chosen; }

kt_device kt__default_device(kt_device d) { return d.kind == KT_DEVICE_DEFAULT ? kt_get_default_device() : d; }

kt_status kt_set_default_device(kt_device d)
{
    if (d.kind != KT_DEVICE_DEFAULT && !kt__backend(d.kind))
        return kt_fail(KT_ERR_RUNTIME, "there is no such device");
    chosen = d;
    return KT_OK;
}

/* ---- plugins: nothing of one runs before its structs are known to lie as ours do ---- */

static kt_status check_layout(const kt_layout *theirs, const char *who)
{
    static const kt_layout   ours = KT_LAYOUT;
    static const char *const names[] = {"kt_host", "kt_backend", "kt_plan", "kt_operand"};
    const uint32_t           size[] = {ours.host, ours.backend, ours.plan, ours.operand};
    const uint32_t           other[] = {theirs->host, theirs->backend, theirs->plan, theirs->operand};
    if (theirs->abi != ours.abi)
        return kt_fail(KT_ERR_RUNTIME, "%s was built for backend interface %u, and this library has %u: it must be built anew",
                       who, (unsigned)theirs->abi, (unsigned)ours.abi);
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        if (other[i] != size[i])
            return kt_fail(KT_ERR_RUNTIME, "%s was built with a %s of %u bytes, and here it has %u: it must be built anew", who,
                           names[i], (unsigned)other[i], (unsigned)size[i]);
    return KT_OK;
}

kt_status kt_backend_register(kt_backend *backend)
{
    if (!backend)
        return kt_fail(KT_ERR_TYPE, "expected a backend, got NULL");
    if (check_layout(&backend->layout, "a backend"))
        return kt_error_status();
    kt_status status = KT_OK;
    pthread_mutex_lock(&lock);
    int32_t at = atomic_load(&count);
    for (int32_t i = 1; i < at; i++)
        if (strcmp(atomic_load(&kt__backends[i])->name, backend->name) == 0)
            status = kt_fail(KT_ERR_RUNTIME, "a backend named '%s' is registered already", backend->name);
    if (!status && at == KT_MAX_BACKENDS)
        status = kt_fail(KT_ERR_RUNTIME, "there is room for %d backends", KT_MAX_BACKENDS - 1);
    if (!status) {
        atomic_store_explicit(&kt__backends[at], backend, memory_order_release);
        atomic_store_explicit(&count, at + 1, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static _Thread_local const char *opening; /* the plugin that is being opened; NULL once it asked for a kernel that is not there */

static kt_kernel_id kernel_asked(const char *name)
{
    const kt_kernel_id kernel = kt_kernel_find(name);
    if (kernel)
        return kernel;
    if (opening)
        kt_fail(KT_ERR_RUNTIME, "%s asks for a kernel '%s', and this library has none of that name", opening,
                name ? name : "NULL");
    else
        kt_fail(KT_ERR_RUNTIME, "unknown kernel '%s'", name ? name : "NULL");
    opening = NULL;
    return kernel;
}

static kt_status open_plugin(void *library, const char *path)
{
    static kt_host host = {kt_fail, kernel_asked, kt_kernel_name, KT_K_end, NULL};
    kt_backend *(*open)(const kt_host *) = NULL;
    const kt_layout *layout = dlsym(library, "kt_plugin_layout");
    void            *symbol = dlsym(library, "kt_plugin_open");
    if (!symbol)
        return kt_fail(KT_ERR_OS, "%s is not a plugin: it lacks kt_plugin_open", path);
    if (!layout)
        return kt_fail(KT_ERR_RUNTIME,
                       "%s was built for a backend interface before %d (it has no kt_plugin_layout): it must be built anew",
                       path, KT_BACKEND_ABI);
    if (check_layout(layout, path))
        return kt_error_status();
    host.cpu = kt__backend(KT_CPU);
    memcpy(&open, &symbol, sizeof symbol);
    opening = path;
    kt_backend *backend = open(&host);
    const bool  knows_all = opening != NULL;
    opening = NULL;
    if (!knows_all)
        return kt_error_status();
    if (!backend)
        return kt__failed() ? kt_error_status() : kt_fail(KT_ERR_OS, "%s: kt_plugin_open returned no backend", path);
    return kt_backend_register(backend);
}

kt_status kt_backend_load(const char *path)
{
    if (!path)
        return kt_fail(KT_ERR_TYPE, "expected the path of a backend, got NULL");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return kt_fail(KT_ERR_OS, "cannot load the backend %s: %s", path, dlerror());
    const kt_status status = open_plugin(library, path);
    if (status)
        dlclose(library); /* a registered backend is never unloaded */
    return status;
}

/* Every plugin of the folders in a colon-separated list. One that cannot be loaded is reported on stderr and skipped: the
 * CPU must work without it. */
void kt__backends_load(const char *folders)
{
    char path[4096];
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        snprintf(path, sizeof path, "%.*s", (int)length, folders);
        DIR *folder = length && length < sizeof path ? opendir(path) : NULL;
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            size_t n = strlen(entry->d_name);
            if (n < 3 || strcmp(entry->d_name + n - 3, ".so") != 0)
                continue;
            snprintf(path, sizeof path, "%.*s/%s", (int)length, folders, entry->d_name);
            if (kt_backend_load(path)) {
                fprintf(stderr, "karat: %s\n", kt_error());
                kt_clear();
            }
        }
        if (folder)
            closedir(folder);
        folders += length + (folders[length] == ':');
    }
}

/* "cpu" or "cpu:0": a name and an optional index. */
static bool is_device_string(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    name += strspn(name, letters);
    if (*name != ':')
        return *name == 0;
    return name[1] && strspn(name + 1, "0123456789") == strlen(name + 1);
}

kt_device kt_device_find(const char *name)
{
    if (!name) {
        kt_fail(KT_ERR_TYPE, "expected the name of a device, got NULL");
        return (kt_device){-1, 0};
    }
    if (!is_device_string(name) || !*name) {
        kt_fail(KT_ERR_RUNTIME, *name ? "Invalid device string: '%s'" : "Device string must not be empty%s", name);
        return (kt_device){-1, 0};
    }
    const char *colon = strchr(name, ':');
    size_t      length = colon ? (size_t)(colon - name) : strlen(name);
    long        index = colon ? strtol(colon + 1, NULL, 10) : 0;
    for (int kind = 1; kt__backend(kind); kind++) {
        kt_backend *b = kt__backend(kind);
        if (strlen(b->name) != length || memcmp(b->name, name, length) != 0)
            continue;
        if (index < 0 || index >= b->count(b)) {
            kt_fail(KT_ERR_RUNTIME, "device index %ld is out of range: there are %d '%s' devices", index, b->count(b),
                    b->name);
            return (kt_device){-1, 0};
        }
        return (kt_device){kind, (int32_t)index};
    }
    char known[256] = "";
    for (int kind = 1; kt__backend(kind); kind++) {
        size_t at = strlen(known);
        snprintf(known + at, sizeof known - at, "%s%s", kind > 1 ? ", " : "", kt__backend(kind)->name);
    }
    kt_fail(KT_ERR_RUNTIME,
            "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, "
            "mps, meta, hpu, mtia, privateuseone device type at start of device string: %s\n  devices here: %s",
            name, known);
    return (kt_device){-1, 0};
}

const char *kt_device_name(kt_device d)
{
    kt_backend *b = kt__backend(kt__default_device(d).kind);
    return b ? b->name : "?";
}

kt_status kt_device_sync(kt_device d)
{
    d = kt__default_device(d);
    kt_backend *b = kt__backend(d.kind);
    return b ? b->sync(b, d.index) : kt_fail(KT_ERR_RUNTIME, "there is no such device");
}
