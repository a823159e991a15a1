/* rows_f64.cuh - the elementwise rows of compute type float64 (rows.cuh): which functions they call, which dtypes they read. The
 * includer defines ROWS_NAME, or no table. */
#include "dev/dtype.cuh"

#define FN(name)   name##_f64
#define MATH(name) name
#define T          double
#include "math/f64.h"
#include "math/real.inc.c"
#include "math/activation.inc.c"
#include "math/special.c"
#include "math/incomplete.c"
#include "math/airy.c"
#include "math/polynomials.c"

#define SELF KT_F64
#define VECTOR 2 /* its functions are long */
#define ELEMENTS 2
#define STRIDED 1
#define IS_INTEGER 0
#define PICK(X, Y, Z) X
#define NEAR(name)                                                                                                        \
    if (!(name##_beyond_f64(a) >> 63))                                                                                    \
        return name##_near_f64(a);
#define READS  KNOWN(KT_F64) KNOWN(KT_F32) KNOWN(KT_BOOL) KNOWN(KT_I64)
#define WRITES KNOWN(KT_F64) KNOWN(KT_BOOL)
#include "dev/rows.cuh"
