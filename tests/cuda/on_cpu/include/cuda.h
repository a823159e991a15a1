/* cuda.h - the part of the CUDA driver that backends/cuda calls, for a build whose kernels run on the CPU: types alone, since
 * that build has no driver. Names and meanings are NVIDIA's. */
#ifndef KARAT_ON_CPU_DRIVER_H
#define KARAT_ON_CPU_DRIVER_H

#include "cuda_runtime_api.h"

typedef enum { CUDA_SUCCESS } CUresult;
typedef cudaFunction_t  CUfunction;
typedef cudaGraphExec_t CUgraphExec;
typedef cudaGraphNode_t CUgraphNode;
typedef cudaStream_t    CUstream;
typedef struct CUDA_KERNEL_NODE_PARAMS {
    CUfunction func;
    unsigned   gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void     **kernelParams, **extra;
} CUDA_KERNEL_NODE_PARAMS;
typedef enum { CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6 } CUlaunchAttributeID;
typedef struct CUlaunchAttribute {
    CUlaunchAttributeID id;
    struct {
        int programmaticStreamSerializationAllowed;
    } value;
} CUlaunchAttribute;
typedef struct CUlaunchConfig {
    unsigned           gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream           hStream;
    CUlaunchAttribute *attrs;
    unsigned           numAttrs;
} CUlaunchConfig;

#endif
