/* cast.cu - copies that change the dtype, or whose source carries bits, and copies of any layout. One kernel a pair of dtypes for
 * dense operands; one a source for any layout. The rule is dtype/convert.h's; the bits are the CPU's. */
#include <karat/plugin/backend.h>

#include "dev/dtype.cuh"

#include "args.h"
#include "dev/early.cuh"
#include "dev/walk.cuh"

/* ---- dense: vectors as wide as the wider dtype allows ---- */
template <class S, int V> struct alignas(sizeof(S) * V) several {
    S at[V];
};

template <int FROM, int TO> static __global__ void __launch_bounds__(ARG_THREADS) cast(ARGUMENTS(launch_args) g)
{
    typedef typename dtype<FROM>::S F;
    typedef typename dtype<TO>::S   S;
    enum { WIDEST = sizeof(F) > sizeof(S) ? sizeof(F) : sizeof(S), V = 16 / WIDEST, U = CAST_STEPS };
    const uint64_t first = ((uint64_t)blockIdx.x * (ARG_THREADS * U) + threadIdx.x) * V;
    const F       *from = (const F *)g.at[1].data;
    S             *to = (S *)g.at[0].data;
    several<F, V>  in[U];
    after_earlier();
#pragma unroll
    for (int u = 0; u < U; u++) {
        const uint64_t at = first + (uint64_t)u * (ARG_THREADS * V);
        if (at + V <= g.n)
            in[u] = *(const several<F, V> *)(from + at);
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        const uint64_t at = first + (uint64_t)u * (ARG_THREADS * V);
        several<S, V>  out;
        if (at + V <= g.n) {
#pragma unroll
            for (int i = 0; i < V; i++)
                out.at[i] = dtype<TO>::put(dtype<FROM>::get(in[u].at[i]));
            *(several<S, V> *)(to + at) = out;
        } else {
            for (uint64_t i = at; i < g.n; i++)
                to[i] = dtype<TO>::put(dtype<FROM>::get(from[i]));
        }
    }
}

/* ---- any layout ---- */
template <class C> static __device__ __forceinline__ C flipped(C x, int bits) { return bits & KT_BIT_NEG ? (C)-x : x; }
template <class C> static __device__ __forceinline__ C flipped_complex(C x, int bits)
{
    x.im = bits & KT_BIT_CONJ ? -x.im : x.im;
    return bits & KT_BIT_NEG ? C{-x.re, -x.im} : x;
}
static __device__ __forceinline__ kt__c64  flipped(kt__c64 x, int bits) { return flipped_complex(x, bits); }
static __device__ __forceinline__ kt__c128 flipped(kt__c128 x, int bits) { return flipped_complex(x, bits); }

template <int FROM> static __global__ void __launch_bounds__(ARG_THREADS) cast_any(ARGUMENTS(strided_args) g)
{
    int64_t at[2];
    if (!place(g, at))
        return;
    const typename dtype<FROM>::C x =
        flipped(dtype<FROM>::get(*(const typename dtype<FROM>::S *)(memory_of(g.flat.at[1]) + at[1])), g.flat.at[1].bits);
    char *to = g.flat.at[0].data + at[0];
    switch (g.flat.at[0].is) {
#define DT(ID, ...)                                                                                                       \
    case KT_##ID:                                                                                                         \
        *(dtype<KT_##ID>::S *)to = dtype<KT_##ID>::put(x);                                                                \
        break;
#include "tables/dtypes.def"
    }
}

/* ---- the tables ---- */
#define PAIR(FROM, TO) (const void *)cast<KT_##FROM, KT_##TO>
#define TO_ALL(FROM)                                                                                                      \
    {NULL, PAIR(FROM, BOOL), PAIR(FROM, U8), PAIR(FROM, I8), PAIR(FROM, I16), PAIR(FROM, I32), PAIR(FROM, I64),           \
     PAIR(FROM, U16), PAIR(FROM, U32), PAIR(FROM, U64), PAIR(FROM, F16), PAIR(FROM, BF16), PAIR(FROM, F32),               \
     PAIR(FROM, F64), PAIR(FROM, C32), PAIR(FROM, C64), PAIR(FROM, C128), PAIR(FROM, E4M3FN), PAIR(FROM, E5M2),           \
     PAIR(FROM, E4M3FNUZ), PAIR(FROM, E5M2FNUZ), PAIR(FROM, E8M0FNU)},
const void *const cast_kernels[][KT_NUM_DTYPES] = {
    {NULL},
#define DT(ID, ...) TO_ALL(ID)
#include "tables/dtypes.def"
};
const void *const cast_any_kernels[] = {
    NULL,
#define DT(ID, ...) (const void *)cast_any<KT_##ID>,
#include "tables/dtypes.def"
};
