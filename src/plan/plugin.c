/* plugin.c - devices by name, and the plugins that bring them.
 *
 * In: "cuda:1". Out: its kind and index. A name that is not registered is looked for as libkarat_<name>.so or <name>.so in the
 * folders of KARAT_BACKEND_PATH, and as libkarat_<name>.so beside this library, once. Files that are loaded name devices: beside
 * this library there may be any other, and it must not be opened because of such a name. Independent of: what a device does. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/error.h"
#include "dtype/fault.h"
#include "plan/launch.h"
#include "plan/observe.h"
#include "tables/kernels/families.h"
#include "tensor/device.h"

/* ---- late errors ---- */
static kt_status fail_late(const kt_late_error *error)
{
    char site[512] = "", op[64] = "", room[64], fault[256];
    const kt_status code = error->fault ? kt__fault_text(error->fault, fault, sizeof fault) : error->code;
    if (error->site && kt__lineage.site_text)
        kt__lineage.site_text(error->site, site, sizeof site);
    if (error->row)
        snprintf(op, sizeof op, " by %s",
                 kt__row_display_name(error->row, kt__lineage.in_binding && kt__lineage.in_binding(), room, sizeof room));
    if (kt__failed()) /* of two the first is told */
        return kt_error_status();
    kt_fail(code, "%s%s%s%s%s", error->fault ? fault : error->text, site[0] || op[0] ? "\n  launched" : "", op,
            site[0] ? " at " : "", site);
    kt__error_set_device_code(error->device_code);
    return kt_error_status();
}

/* ---- opening a plugin ---- */
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

static bool is_deterministic(void) { return kt_deterministic() != KT_NOT_ASKED; }

static kt_status open_plugin(void *library, const char *path)
{
    static kt_host host = {.fail = kt_fail, .fail_late = fail_late, .error = kt_error, .clear = kt_clear, .kernel = kernel_asked,
                           .kernel_name = kt_kernel_name, .kernels = KT_K_end, .deterministic = is_deterministic};
    kt_backend *(*open)(const kt_host *) = NULL;
    const kt_layout *layout = dlsym(library, "kt_plugin_layout");
    void            *symbol = dlsym(library, "kt_plugin_open");
    if (!symbol)
        return kt_fail(KT_ERR_OS, "%s is not a plugin: it lacks kt_plugin_open", path);
    if (!layout)
        return kt_fail(KT_ERR_RUNTIME,
                       "%s was built for a backend interface before 3 (it has no kt_plugin_layout): it must be built anew",
                       path);
    if (kt__check_layout(layout, path))
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

/* ---- looking for one by its name ---- */
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"; /* no path */
static pthread_mutex_t searching = PTHREAD_MUTEX_INITIALIZER;

/* Opens folder/libkarat_<name>.so or, in a folder of plugins, folder/<name>.so. False: neither is there. */
static bool open_in(const char *folder, size_t length, bool of_plugins, const char *name, size_t name_length, kt_status *status)
{
    static const char *const forms[] = {"%.*s/libkarat_%.*s.so", "%.*s/%.*s.so"};
    char                     path[4096];
    for (size_t i = 0; i < (of_plugins ? 2 : 1); i++) {
        const int n = snprintf(path, sizeof path, forms[i], (int)length, folder, (int)name_length, name);
        if (n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0) {
            *status = kt_backend_load(path);
            return true;
        }
    }
    return false;
}

/* False: there is no such plugin. An error of one that is there is pending. */
static bool open_by_name(const char *name, size_t length)
{
    kt_status   status = KT_OK;
    bool        found = false;
    const char *folders = kt__env("KARAT_BACKEND_PATH");
    Dl_info     own;
    while (folders && *folders && !found) {
        const size_t n = strcspn(folders, ":");
        found = n > 0 && open_in(folders, n, true, name, length, &status);
        folders += n + (folders[n] == ':');
    }
    if (!found && dladdr((void *)(uintptr_t)kt_device_find, &own) && own.dli_fname && strrchr(own.dli_fname, '/'))
        found = open_in(own.dli_fname, (size_t)(strrchr(own.dli_fname, '/') - own.dli_fname), false, name, length, &status);
    return found && status == KT_OK;
}

static int kind_of(const char *name, size_t length)
{
    for (int kind = 1; kind < KT_MAX_BACKENDS; kind++) {
        /* acquire: what belongs to the backend was set before it was registered */
        const kt_backend *b = atomic_load_explicit(&kt__backends[kind], memory_order_acquire);
        if (b && strlen(b->name) == length && memcmp(b->name, name, length) == 0)
            return kind;
    }
    return 0;
}

/* 0: there is none. An error is pending if its plugin could not be opened. */
static int find_kind(const char *name, size_t length)
{
    int kind = kind_of(name, length);
    if (kind || !length || strspn(name, letters) < length)
        return kind;
    pthread_mutex_lock(&searching);
    kind = kind_of(name, length); /* another thread may have opened it meanwhile */
    if (!kind && open_by_name(name, length))
        kind = kind_of(name, length);
    pthread_mutex_unlock(&searching);
    return kind;
}

/* "cpu" or "cpu:0": a name and an optional index. */
static bool is_device_string(const char *name)
{
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
    const int   kind = find_kind(name, length);
    if (kind) {
        kt_backend *b = kt__backend(kind);
        const long  index = colon ? strtol(colon + 1, NULL, 10) : kt_device_index(kind);
        if (index >= 0 && index < b->count(b))
            return (kt_device){kind, (int32_t)index};
        kt_fail(KT_ERR_RUNTIME, "device index %ld is out of range: there are %d '%s' devices", index, b->count(b), b->name);
        return (kt_device){-1, 0};
    }
    if (kt_failed())
        return (kt_device){-1, 0};
    char known[256] = "";
    for (int k = 1; k < KT_MAX_BACKENDS; k++) {
        size_t at = strlen(known);
        if (kt__backend(k))
            snprintf(known + at, sizeof known - at, "%s%s", k > 1 ? ", " : "", kt__backend(k)->name);
    }
    kt_fail(KT_ERR_RUNTIME,
            "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, "
            "mps, meta, hpu, mtia, privateuseone device type at start of device string: %s\n  devices here: %s",
            name, known);
    return (kt_device){-1, 0};
}

int kt_device_count(const char *name)
{
    const bool failed = kt_failed();
    const int  kind = name ? find_kind(name, strlen(name)) : 0;
    if (!failed && kt_failed()) /* a plugin that cannot be opened brings no devices */
        kt_clear();
    return kind ? kt__backend(kind)->count(kt__backend(kind)) : 0;
}

/* ---- their numbers in DLPack ---- */
enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3 }; /* pinned memory is host memory */

int kt_device_dlpack(kt_device d)
{
    const kt_backend *b = kt__backend(kt__default_device(d).kind);
    return !b ? 0 : b->addressable ? DL_CPU : b->dlpack;
}

kt_device kt_device_from_dlpack(int type, int index)
{
    if (type == DL_CPU || type == DL_CUDA_HOST)
        return (kt_device){KT_CPU, 0};
    if (type == DL_CUDA)
        kt_device_count("cuda"); /* which looks for it */
    for (int kind = KT_CUDA; kind < KT_MAX_BACKENDS && type; kind++) {
        kt_backend *b = kt__backend(kind);
        if (b && b->dlpack == type && index >= 0 && index < b->count(b))
            return (kt_device){kind, index};
    }
    return (kt_device){-1, 0};
}

kt_device kt_device_accelerator(void)
{
    if (kt_device_count("cuda") > 0)
        return (kt_device){KT_CUDA, kt_device_index(KT_CUDA)};
    for (int kind = KT_FIRST_OTHER; kind < KT_MAX_BACKENDS; kind++)
        if (kt__backend(kind) && kt__backend(kind)->count(kt__backend(kind)) > 0)
            return (kt_device){kind, kt_device_index(kind)};
    return (kt_device){-1, 0};
}
