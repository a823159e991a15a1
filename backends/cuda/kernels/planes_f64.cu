/* planes_f64.cu - batch, group and instance norms in compute type float64. */
#include "dev/dtype.cuh"

#define COMPUTE     double
#define PLANES_NAME planes_f64
#define OF_DTYPES(X) X(F64)
#include "dev/planes.cuh"
