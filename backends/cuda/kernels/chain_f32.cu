/* chain_f32.cu - chains of elementwise rows over arrays in float32, bfloat16 and float16: the default steps of optimizers. The
 * bits are those of the rows one by one. */
#include "dev/rows_f32.cuh"

#define CHAINS_NAME chains_f32
#define CHAIN_DTYPES(X) X(F32) X(BF16) X(F16)
#include "dev/chain.cuh"
