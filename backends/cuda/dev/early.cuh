/* early.cuh - kernels whose blocks may stand ready before the kernel before them has ended (launch_early of parts.h): what a
 * launch takes is hidden behind the end of the one before. Independent of: what a kernel does. */
#ifndef KARAT_CUDA_EARLY_CUH
#define KARAT_CUDA_EARLY_CUH

/* Waits until all earlier work of the stream is done and seen. Before it nothing is read or written but arguments. The next
 * kernel may come as soon as blocks of this one leave. */
static __device__ __forceinline__ void after_earlier()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Blocks of the next kernel may come from now on, where there is room beside this one's, all of which have come. */
static __device__ __forceinline__ void let_next_come()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#endif
