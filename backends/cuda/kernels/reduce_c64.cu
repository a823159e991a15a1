/* reduce_c64.cu - the reductions of compute type complex64. */
#define COMPUTE     kt__c64
#define IS_COMPLEX  1
#define REDUCE_NAME reduce_c64
#include <stdint.h>

#include "dev/reduce.cuh"
