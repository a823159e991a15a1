/* softmax_f32.cu - softmax and its kin in compute type float32, of float32, bfloat16 and float16. The exponential is CUDA's, at
 * most 1 ulp off like src/math's exp, in a third of its instructions: that decides the time. */
#include "dev/dtype.cuh"

#define COMPUTE   float
#define EXP       expf
#define SOFT_NAME soft_f32
#define OF_DTYPES(X) X(F32) X(BF16) X(F16)
#include "dev/softmax.cuh"
