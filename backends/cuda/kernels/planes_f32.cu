/* planes_f32.cu - batch, group and instance norms in compute type float32, of float32, bfloat16 and float16. */
#include "dev/dtype.cuh"

#define COMPUTE     float
#define PLANES_NAME planes_f32
#define OF_DTYPES(X) X(F32) X(BF16) X(F16)
#include "dev/planes.cuh"
