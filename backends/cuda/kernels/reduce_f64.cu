/* reduce_f64.cu - the reductions of compute type float64. */
#define COMPUTE     double
#define IS_INTEGER  0
#define REDUCE_NAME reduce_f64
#include <stdint.h>

#include "dev/reduce.cuh"
