/* attention_f16.cu - attention of float16 by tensor cores. */
#include "dev/attention_16.cuh"

const attend_kernels attend_f16[ATTEND_WIDTHS] = {ATTEND_16(KT_F16, 64), ATTEND_16(KT_F16, 128)};
