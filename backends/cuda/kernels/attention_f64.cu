/* attention_f64.cu - attention of float64. */
#include "dev/attention.cuh"

const attend_table attend_f64 = {{ATTEND_OF(double, 4)}, (const void *)attend_delta<double, by_e>,
        (const void *)attend_mask<double>,
                                 tile_of<double>::N, KT_F64};
