/* rows_f32.cu - the elementwise kernels of compute type float32. The functions are those of src/math, in the same arithmetic
 * as on the CPU (no fused multiply-add), so that the bits are the CPU's; in powers of ten and in the rows of math/special.c
 * CUDA's own double functions take part. */
#define ROWS_NAME rows_f32
#include "dev/rows_f32.cuh"
