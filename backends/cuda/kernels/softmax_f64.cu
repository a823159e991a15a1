/* softmax_f64.cu - softmax and its kin in compute type float64. */
#include "dev/dtype.cuh"

#define COMPUTE   double
#define EXP       exp
#define SOFT_NAME soft_f64
#define OF_DTYPES(X) X(F64)
#include "dev/softmax.cuh"
