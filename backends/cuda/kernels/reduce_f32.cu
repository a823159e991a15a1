/* reduce_f32.cu - the reductions of compute type float32. */
#define COMPUTE     float
#define IS_INTEGER  0
#define REDUCE_NAME reduce_f32
#include <stdint.h>

#include "dev/reduce.cuh"
