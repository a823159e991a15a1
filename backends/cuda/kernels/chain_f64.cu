/* chain_f64.cu - chains of elementwise rows over arrays in float64. */
#include "dev/rows_f64.cuh"

#define CHAINS_NAME chains_f64
#define CHAIN_DTYPES(X) X(F64)
#include "dev/chain.cuh"
