/* reduce_i64.cu - the reductions of compute type int64. */
#define COMPUTE     int64_t
#define IS_INTEGER  1
#define REDUCE_NAME reduce_i64
#include <stdint.h>

#include "dev/reduce.cuh"
