/* reduce_c128.cu - the reductions of compute type complex128. */
#define COMPUTE     kt__c128
#define IS_COMPLEX  1
#define REDUCE_NAME reduce_c128
#include <stdint.h>

#include "dev/reduce.cuh"
