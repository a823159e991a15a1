/* rows_f32.cuh - the elementwise rows of compute type float32 (rows.cuh): which functions they call, which dtypes they read. The
 * includer defines ROWS_NAME or LISTS_NAME, or no table. */
#include "dev/dtype.cuh"

#define FN(name)   name##_f32
#define MATH(name) name##f
#define T          float
#include "math/f32.h"
#include "math/real.inc.c"
#include "math/activation.inc.c"
#include "math/special.c"
#include "math/incomplete.c"
#include "math/airy.c"
#include "math/polynomials.c"

#define SELF KT_F32
#define VECTOR 8
#define ELEMENTS 8
#define STRIDED 4
#define IS_INTEGER 0
#define PICK(X, Y, Z) X
#define NEAR(name)                                                                                                        \
    if (!(name##_beyond_f32(a) >> 31))                                                                                    \
        return name##_near_f32(a);
#define READS  KNOWN(KT_F32) KNOWN(KT_BF16) KNOWN(KT_F16) KNOWN(KT_BOOL) KNOWN(KT_I64)
#define WRITES KNOWN(KT_F32) KNOWN(KT_BF16) KNOWN(KT_F16) KNOWN(KT_BOOL)
#include "dev/rows.cuh"
