/* rows_c128.cu - the elementwise kernels of compute type complex128. What is made of sums and products has the CPU's bits;
 * functions are those of CUDA's complex numbers. */
#define RAW_WIDEST 16
#include "dev/dtype.cuh"

#define FN(name)   name##_f64
#define MATH(name) name
#define T          double
#include "math/f64.h"
#include "math/real.inc.c"
#include "math/special.c"
#include "math/incomplete.c"
#undef FN
#undef MATH
#undef T

#include "dev/complex.cuh"
#include "math/special_complex.c"

#define FN(name)  name##_c128
#define RFN(name) name##_f64
#define T         kt__c128
#define R         double
#define RBITS     uint64_t
#include "math/complex.inc.c"

#define SELF KT_C128
#define VECTOR 1
#define ELEMENTS 1
#define STRIDED 1
#define IS_INTEGER 0
#define PICK(X, Y, Z) Z
#define ROWS_NAME rows_c128
#define NEAR(name)
#define READS  KNOWN(KT_C128) KNOWN(KT_F64) KNOWN(KT_BOOL)
#define WRITES KNOWN(KT_C128) KNOWN(KT_F64) KNOWN(KT_BOOL)
#include "dev/rows.cuh"
