/* lists_f32.cu - the elementwise rows of compute type float32 over lists of tensors: one launch for many of them. The bits are
 * those of the kernels for one tensor. */
#define LISTS_NAME lists_f32
#include "dev/rows_f32.cuh"
