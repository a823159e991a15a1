/* ahead.cuh - copies from the device's memory to shared memory that take no registers on their way: a thread begins them, does
 * other work, and waits for its own. Independent of: what is copied. */
#ifndef KARAT_CUDA_AHEAD_CUH
#define KARAT_CUDA_AHEAD_CUH

#include <stdint.h>
#include <string.h>

/* Of 4, 8 or 16 bytes, aligned to as many. What they overwrite was used by this thread alone, and is used no more. */
template <int BYTES> static __device__ __forceinline__ void copy_ahead(char *to, const char *from)
{
#ifdef __CUDA_ARCH__
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(to);
    if constexpr (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(BYTES) : "memory");
#else
    memcpy(to, from, BYTES);
#endif
}

/* All copies that this thread began have come; others' are not looked at. */
static __device__ __forceinline__ void wait_for_copies()
{
#ifdef __CUDA_ARCH__
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#endif
