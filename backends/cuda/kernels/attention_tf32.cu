/* attention_tf32.cu - attention of float32 by tensor cores, each number as two. What flows back from more columns than 64 would
 * not have room in registers. */
#include "dev/attention_warp.cuh"

const attend_kernels attend_two[ATTEND_WIDTHS] = {ATTEND_BY_WARPS(KT_F32, 64),
                                                   {(const void *)attend_forward_warp<KT_F32, 128>, NULL, NULL, NULL, 128}};
