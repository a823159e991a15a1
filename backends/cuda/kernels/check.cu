/* check.cu - values that are looked at, and nothing is written unless one is out of bounds. Any layout, any real dtype. */
#include "dev/dtype.cuh"

#include "args.h"
#include "dev/fault.cuh"
#include "dev/walk.cuh"

/* An element in the type W in which it is compared: double or int64. */
template <class W> static __device__ W element(const operand_arg &x, const char *at)
{
    switch (x.is) {
#define REAL(ID)                                                                                                          \
    case KT_##ID:                                                                                                         \
        return to<W>::of(dtype<KT_##ID>::get(*(const dtype<KT_##ID>::S *)at));
        REAL(BOOL) REAL(U8) REAL(I8) REAL(I16) REAL(I32) REAL(I64) REAL(U16) REAL(U32) REAL(F16) REAL(BF16) REAL(F32) REAL(F64)
        REAL(E4M3FN) REAL(E5M2) REAL(E4M3FNUZ) REAL(E5M2FNUZ) REAL(E8M0FNU)
#undef REAL
    }
    return 0;
}

template <class W> static __device__ __forceinline__ W bound(const launch_args &g, int i)
{
    W b;
    memcpy(&b, &g.param[i], sizeof b);
    return b;
}

template <class W> static __device__ __forceinline__ void check(const strided_args &g, bool is_int)
{
    const W        low = bound<W>(g.flat, 0), high = bound<W>(g.flat, 1), exempt = bound<W>(g.flat, 2);
    const uint64_t says = g.flat.param[3];
    int64_t        at[2];
    if (!place(g, at))
        return;
    for (int k = 0; k < CHECK_INPUTS(says); k++) {
        const operand_arg &x = g.flat.at[k];
        const W            v = element<W>(x, memory_of(x) + at[k]); /* a NaN is out of bounds */
        if (!(v >= low && v <= high) && !(CHECK_EXEMPTS(says) && v == exempt))
            report(g.flat.fault, kt_fault{CHECK_FAULT(says, k), 0, is_int ? (int64_t)v : 0, is_int ? (int64_t)high + 1 : 0});
    }
}

static __global__ void __launch_bounds__(ARG_THREADS) check_float(ARGUMENTS(strided_args) g)
{
    check<double>(g, false);
}

static __global__ void __launch_bounds__(ARG_THREADS) check_int(ARGUMENTS(strided_args) g)
{
    check<int64_t>(g, true);
}

const void *const check_float_kernel = (const void *)check_float;
const void *const check_int_kernel = (const void *)check_int;
