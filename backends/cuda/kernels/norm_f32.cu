/* norm_f32.cu - norms in compute type float32, of float32, bfloat16 and float16. */
#include "dev/dtype.cuh"

#define COMPUTE   float
#define NORM_NAME norm_f32
#define OF_DTYPES(X) X(F32) X(BF16) X(F16)
#define IN_WARPS(D, DG, N) (const void *)norm_back_warps<KT_##D, KT_##DG, N>
#define NARROW_GRADIENTS BACK(F32, BF16) BACK(F32, F16)
#include "dev/norm.cuh"
