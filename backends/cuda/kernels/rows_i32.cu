/* rows_i32.cu - the elementwise kernels of compute type int32. The functions are those of src/math; the bits are the CPU's. */
#include "dev/dtype.cuh"

#define FN(name) name##_i32
#define T        int32_t
#include "math/int.inc.c"

#define SELF KT_I32
#define VECTOR 4
#define ELEMENTS 8
#define STRIDED 4
#define IS_INTEGER 1
#define PICK(X, Y, Z) Y
#define ROWS_NAME rows_i32
#define NEAR(name)
#define READS  KNOWN(KT_I32) KNOWN(KT_BOOL) KNOWN(KT_U8) KNOWN(KT_I8) KNOWN(KT_I16)
#define WRITES KNOWN(KT_I32) KNOWN(KT_BOOL) KNOWN(KT_U8) KNOWN(KT_I8) KNOWN(KT_I16)
#include "dev/rows.cuh"
