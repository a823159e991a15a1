/* rows_f64.cu - the elementwise kernels of compute type float64. The functions are those of src/math, with the
 * fused multiply-adds they spell out and no others; where they call the C library, and for large angles, CUDA's stand in, whose
 * last bit may be another. */
#include "dev/dtype.cuh"

#define FN(name)   name##_f64
#define MATH(name) name
#define T          double
#include "math/f64.h"
#include "math/real.inc.c"
#include "math/activation.inc.c"
#include "math/special.c"

#define SELF KT_F64
#define VECTOR 2 /* its functions are long */
#define ELEMENTS 2
#define STRIDED 1
#define IS_INTEGER 0
#define PICK(X, Y, Z) X
#define ROWS_NAME rows_f64
#define NEAR(name)                                                                                                        \
    if (!(name##_beyond_f64(a) >> 63))                                                                                    \
        return name##_near_f64(a);
#define READS  KNOWN(KT_F64) KNOWN(KT_F32) KNOWN(KT_BOOL) KNOWN(KT_I64)
#define WRITES KNOWN(KT_F64) KNOWN(KT_BOOL)
#include "dev/rows.cuh"
