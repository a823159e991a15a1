/* attention_f16.cu - attention of float16 by tensor cores. */
#include "dev/attention_warp.cuh"

const attend_kernels attend_f16[ATTEND_WIDTHS] = {ATTEND_BY_WARPS(KT_F16, 64), ATTEND_BY_WARPS(KT_F16, 128)};
