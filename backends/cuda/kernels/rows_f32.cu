/* rows_f32.cu - the elementwise kernels of compute type float32. The functions are those of src/math, in the same arithmetic
 * as on the CPU (no fused multiply-add), so that the bits are the CPU's; in powers of ten and in the rows of math/special.c
 * CUDA's own double functions take part. */
#define ROWS_NAME rows_f32
#define NEAR(name)                                                                                                        \
    if (!(name##_beyond_f32(a) >> 31))                                                                                    \
        return name##_near_f32(a);
#define READS  KNOWN(KT_F32) KNOWN(KT_BF16) KNOWN(KT_F16) KNOWN(KT_BOOL) KNOWN(KT_I64)
#define WRITES KNOWN(KT_F32) KNOWN(KT_BF16) KNOWN(KT_F16) KNOWN(KT_BOOL)
#include "dev/rows.cuh"
#include "dev/rows_f32.cuh"
