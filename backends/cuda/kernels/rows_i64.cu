/* rows_i64.cu - the elementwise kernels of compute type int64. The functions are those of src/math; the bits are the CPU's. */
#include "dev/dtype.cuh"

#define FN(name) name##_i64
#define T        int64_t
#include "math/int.inc.c"

#define SELF KT_I64
#define VECTOR 4
#define ELEMENTS 8
#define STRIDED 4
#define IS_INTEGER 1
#define PICK(X, Y, Z) Y
#define ROWS_NAME rows_i64
#define NEAR(name)
#define READS  KNOWN(KT_I64) KNOWN(KT_BOOL) KNOWN(KT_I32) KNOWN(KT_U8)
#define WRITES KNOWN(KT_I64) KNOWN(KT_BOOL)
#include "dev/rows.cuh"
