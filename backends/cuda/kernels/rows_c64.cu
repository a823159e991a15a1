/* rows_c64.cu - the elementwise kernels of compute type complex64. What is made of sums and products has the CPU's bits;
 * functions are those of CUDA's complex numbers, in double. */
#include "dev/dtype.cuh"

#define FN(name)   name##_f32
#define MATH(name) name##f
#define T          float
#include "math/f32.h"
#include "math/real.inc.c"
#include "math/special.c"
#include "math/incomplete.c"
#undef FN
#undef MATH
#undef T

#include "dev/complex.cuh"
#include "math/special_complex.c"

#define FN(name)  name##_c64
#define RFN(name) name##_f32
#define T         kt__c64
#define R         float
#define RBITS     uint32_t
#include "math/complex.inc.c"

#define SELF KT_C64
#define VECTOR 2
#define ELEMENTS 2
#define STRIDED 1
#define IS_INTEGER 0
#define PICK(X, Y, Z) Z
#define ROWS_NAME rows_c64
#define NEAR(name)
#define READS  KNOWN(KT_C64) KNOWN(KT_F32) KNOWN(KT_BOOL)
#define WRITES KNOWN(KT_C64) KNOWN(KT_F32) KNOWN(KT_BOOL)
#include "dev/rows.cuh"
