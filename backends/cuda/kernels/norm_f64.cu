/* norm_f64.cu - norms in compute type float64. */
#include "dev/dtype.cuh"

#define COMPUTE   double
#define NORM_NAME norm_f64
#define OF_DTYPES(X) X(F64)
#define IN_WARPS(D, DG, N) NULL
#define NARROW_GRADIENTS
#include "dev/norm.cuh"
