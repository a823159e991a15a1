/* attention_bf16.cu - attention of bfloat16 by tensor cores. */
#include "dev/attention_warp.cuh"

const attend_kernels attend_bf16[ATTEND_WIDTHS] = {ATTEND_BY_WARPS(KT_BF16, 64), ATTEND_BY_WARPS(KT_BF16, 128)};
