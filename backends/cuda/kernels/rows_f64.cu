/* rows_f64.cu - the elementwise kernels of compute type float64. The functions are those of src/math, with the
 * fused multiply-adds they spell out and no others; where they call the C library, and for large angles, CUDA's stand in, whose
 * last bit may be another. */
#define ROWS_NAME rows_f64
#include "dev/rows_f64.cuh"
