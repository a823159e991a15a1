/* reduce_i32.cu - the reductions of compute type int32. */
#define COMPUTE     int32_t
#define IS_INTEGER  1
#define REDUCE_NAME reduce_i32
#include <stdint.h>

#include "dev/reduce.cuh"
