/* driver.c - see driver.h. The runtime is linked in whole; it looks for the driver by itself, so that this library can be loaded
 * on a machine without one. */
#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const kt_host *host;

static int            count;
static bool           forked; /* a child of a process that had used the device: the driver does not work there */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void in_child(void) { forked = true; }

static void find_devices(void)
{
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError(); /* it is kept, and would be taken for that of the next launch */
        count = 0;
    }
    count = count > MOST_DEVICES ? MOST_DEVICES : count;
    if (count > 0)
        pthread_atfork(NULL, NULL, in_child);
}

int device_count(void)
{
    pthread_once(&once, find_devices);
    return count;
}

kt_status use_device(int index)
{
    static _Thread_local int current = -1; /* asking the runtime costs more than to remember */
    if (forked)
        return host->fail(KT_ERR_RUNTIME, "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you "
                                          "must use the 'spawn' start method");
    if (current == index)
        return KT_OK;
    const kt_status status = check(cudaSetDevice(index), "a device is chosen");
    current = status ? -1 : index;
    return status;
}

kt_status failed(cudaError_t error, const char *what)
{
    char text[512];
    cudaGetLastError();
    snprintf(text, sizeof text, "CUDA error: %s (%s) while %s", cudaGetErrorString(error), cudaGetErrorName(error), what);
    return host->fail_late(&(kt_late_error){.code = error == cudaErrorMemoryAllocation ? KT_ERR_MEMORY : KT_ERR_RUNTIME,
                                            .text = text, .device_code = (int32_t)error});
}

static void *open_in(const char *folder, const char *const *names, int how)
{
    char  path[1024];
    void *library = NULL;
    for (; *names && !library; names++) {
        snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", *names);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL | how);
    }
    return library;
}

/* NVIDIA's own packages for Python, where this library is in a package beside them. */
static void *open_in_packages(const char *const *names)
{
    static const char *const folders[] = {"nvidia/cu13/lib", "nvidia/cudnn/lib", "nvidia/cublas/lib"};
    Dl_info                  own;
    void                    *library = NULL;
    if (!dladdr((void *)(uintptr_t)library_open, &own) || !own.dli_fname || !strrchr(own.dli_fname, '/'))
        return NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !library; i++) {
        char      folder[900];
        const int length = (int)(strrchr(own.dli_fname, '/') - own.dli_fname);
        snprintf(folder, sizeof folder, "%.*s/../%s", length, own.dli_fname, folders[i]);
        library = open_in(folder, names, 0);
    }
    return library;
}

void *library_open(const char *const *names)
{
    const char *named = getenv("KARAT_CUDA_LIBS");
    void       *library = open_in("", names, RTLD_NOLOAD);
    library = library || !named ? library : open_in(named, names, 0);
    library = library ? library : open_in_packages(names);
    library = library ? library : open_in("", names, 0);
    return library ? library : open_in("/usr/local/cuda/lib64", names, 0);
}

void *library_beside(const char *name)
{
    Dl_info own;
    char    path[1024];
    if (!dladdr((void *)(uintptr_t)library_open, &own) || !own.dli_fname || !strrchr(own.dli_fname, '/'))
        return NULL;
    snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(own.dli_fname, '/') - own.dli_fname), own.dli_fname, name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void library_about(const char *name, size_t version, void *function, char *text, size_t room)
{
    Dl_info found;
    if (function && dladdr(function, &found) && found.dli_fname)
        snprintf(text, room, "%s %zu, %s\n", name, version, found.dli_fname);
    else
        snprintf(text, room, "%s was not found: KARAT_CUDA_LIBS may name its folder\n", name);
}

void *driver_function(const char *name, unsigned since)
{
    void                                *function = NULL;
    enum cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &function, since, cudaEnableDefault, &found);
#else
    (void)since;
    const cudaError_t error = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
    if (error != cudaSuccess)
        cudaGetLastError();
    return error == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : NULL;
}
