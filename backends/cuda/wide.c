/* wide.c - launches of any number of blocks. The driver is asked itself, since the runtime looks the kernel up at every call;
 * what it would find is kept by thread. Independent of: plans, kernels. */
#include <cuda.h>
#include <pthread.h>

#include "parts.h"

/* NULL: the runtime launches. */
static CUresult (*launch_ex)(const CUlaunchConfig *how, CUfunction function, void **args, void **extra);
static bool           kernels_wait; /* those that were compiled for an older architecture do not wait for what is before them */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void ask(void)
{
    struct cudaFuncAttributes of;
    const cudaError_t         error = cudaFuncGetAttributes(&of, fill_kernel);
    kernels_wait = error == cudaSuccess && of.ptxVersion >= 90;
    if (error != cudaSuccess)
        cudaGetLastError();
    *(void **)&launch_ex = driver_function("cuLaunchKernelEx", 11060);
}

/* NULL: the runtime does not say. */
static CUfunction function_of(const void *kernel, int index)
{
    enum { KEPT = 256 };
    static _Thread_local struct {
        const void *kernel;
        CUfunction  function;
        int         index;
    } kept[KEPT];
    const uint64_t at = ((uint64_t)(uintptr_t)kernel + (uint64_t)index) * UINT64_C(0x9e3779b97f4a7c15) >> 56;
    if (kept[at].kernel == kernel && kept[at].index == index)
        return kept[at].function;
    cudaFunction_t function = NULL;
    if (cudaGetFuncBySymbol(&function, kernel) != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    kept[at].kernel = kernel;
    kept[at].function = (CUfunction)function;
    kept[at].index = index;
    return kept[at].function;
}

static cudaError_t launch_by_runtime(const void *kernel, unsigned blocks, void **args, kt_handle stream, bool early)
{
    cudaLaunchAttribute      attribute = {.id = cudaLaunchAttributeProgrammaticStreamSerialization,
                                          .val.programmaticStreamSerializationAllowed = 1};
    const cudaLaunchConfig_t how = {.gridDim = {blocks, 1, 1}, .blockDim = {ARG_THREADS, 1, 1}, .stream = stream_at(stream),
                                    .attrs = &attribute, .numAttrs = early};
    return cudaLaunchKernelExC(&how, kernel, args);
}

kt_status launch_wide(const void *kernel, uint64_t blocks, void *args, int index, kt_handle stream, bool early)
{
    void *list[] = {args};
    pthread_once(&once, ask);
    early &= kernels_wait;
    const CUfunction function = launch_ex ? function_of(kernel, index) : NULL;
    if (!function)
        return check(launch_by_runtime(kernel, (unsigned)blocks, list, stream, early), "a kernel is launched");
    CUlaunchAttribute    attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                      .value.programmaticStreamSerializationAllowed = 1};
    const CUlaunchConfig how = {.gridDimX = (unsigned)blocks, .gridDimY = 1, .gridDimZ = 1, .blockDimX = ARG_THREADS,
                                .blockDimY = 1, .blockDimZ = 1, .hStream = (CUstream)stream_at(stream), .attrs = &attribute,
                                .numAttrs = early};
    return check((cudaError_t)launch_ex(&how, function, list, NULL), "a kernel is launched"); /* errors have the same numbers */
}
