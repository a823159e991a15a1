/* fault.cuh - how a kernel tells the host that a value is wrong. The first of a launch is told; the work goes on. */
#ifndef KARAT_CUDA_FAULT_CUH
#define KARAT_CUDA_FAULT_CUH

#include "args.h"

static __device__ __noinline__ void report(const fault_place &place, kt_fault fault)
{
    const uint64_t at = place.launch % FAULT_PLACES;
    if (atomicExch((unsigned long long *)&place.claimed[at], (unsigned long long)place.launch) == place.launch)
        return;
    place.board->at[at].fault = fault;
    place.board->at[at].launch = place.launch;
    __threadfence_system();
    place.board->latest = place.launch;
}

#endif
