/* plugin.c - the CUDA backend: the vtable of karat/plugin/backend.h over the parts of this folder.
 *
 * In: plans, copies, streams. Out: work of NVIDIA GPUs. Independent of: all of Karat but plugin/backend.h; the kernels are
 * stamped from src/tables and src/math. On a machine without a driver or a GPU it loads and has no devices. */
#include <stdio.h>
#include <string.h>

#include "parts.h"

static int count(kt_backend *self)
{
    (void)self;
    return device_count();
}

static kt_status sync(kt_backend *self, int index)
{
    (void)self;
    if (use_device(index) || check(cudaDeviceSynchronize(), "the host waits for the device"))
        return KT_ERR_RUNTIME;
    return fault_take(index);
}

static void used_on(kt_backend *self, int index, void *data, kt_handle stream)
{
    (void)self;
    if (!pinned_used_on(index, data, stream))
        memory_used_on(index, data, stream);
}

static kt_status facts(kt_backend *self, int index, kt_device_properties *out)
{
    (void)self;
    struct cudaDeviceProp p;
    if (check(cudaGetDeviceProperties(&p, index), "a device is asked for its properties"))
        return KT_ERR_RUNTIME;
    *out = (kt_device_properties){.major = p.major, .minor = p.minor, .memory = p.totalGlobalMem,
                                  .multiprocessors = p.multiProcessorCount, .warp = p.warpSize,
                                  .threads = p.maxThreadsPerMultiProcessor, .threads_of_block = p.maxThreadsPerBlock,
                                  .registers = p.regsPerMultiprocessor, .shared = p.sharedMemPerMultiprocessor,
                                  .shared_of_block = p.sharedMemPerBlock, .shared_of_block_at_will = p.sharedMemPerBlockOptin,
                                  .cache = (size_t)p.l2CacheSize, .bus_width = p.memoryBusWidth, .pci_bus = p.pciBusID,
                                  .pci_device = p.pciDeviceID, .pci_domain = p.pciDomainID, .integrated = p.integrated,
                                  .shares_board = p.isMultiGpuBoard};
    memcpy(out->uuid, p.uuid.bytes, sizeof out->uuid);
    snprintf(out->name, sizeof out->name, "%.127s", p.name);
    snprintf(out->architecture, sizeof out->architecture, "sm_%d%d", p.major, p.minor);
    return KT_OK;
}

static void about(kt_backend *self, int index, char *text, size_t room)
{
    (void)self;
    int driver = 0, runtime = 0;
    if (use_device(index)) /* whose libraries' handles are made here, if nobody has yet */
        host->clear();
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    const int n = snprintf(text, room, "CUDA %d.%d, driver for %d.%d\n", runtime / 1000, runtime % 1000 / 10, driver / 1000,
                           driver % 1000 / 10);
    const size_t used = n > 0 && (size_t)n < room ? (size_t)n : 0;
    blas_about(index, text + used, room - used);
    const size_t more = used + strlen(text + used);
    dnn_about(index, text + more, room - more);
    const size_t last = more + strlen(text + more);
    graphs_about(text + last, room - last);
}

static kt_backend cuda = {
    .layout = KT_LAYOUT,
    .name = "cuda",
    .count = count,
    .alloc = memory_alloc,
    .free = memory_free,
    .run = launch_plan,
    .copy = copy_bytes,
    .sync = sync,
    .has = launch_has,
    .late = 1,
    .dlpack = 2,
    .used_on = used_on,
    .host_alloc = pinned_alloc,
    .host_free = pinned_free,
    .draws = random_draws,
    .facts = facts,
    .about = about,
    .run_list = launch_list,
    .streams = &stream_calls,
    .captures = &capture_calls,
    .memory = &memory_calls,
};

KT_PLUGIN(from)
{
    host = from;
    return launch_open() ? NULL : &cuda;
}
