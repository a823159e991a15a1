/* f64.c - the kernels of compute type float64. */
#define T              double
#define A              double
#define ID             f64
#define SELF           KT_F64
#define KT_IS_INTEGER  0
#define KT_IS_COMPLEX  0
#define PICK(X, Y, Z)  X
#define MUL(x, y)      ((x) * (y))
#define MATH(name)     __builtin_##name
#include "cpu/isa/tile.inc.c"

#include "cpu/math_f64.h"
#include "cpu/math_real.inc.c"
#include "cpu/math_activation.inc.c"

#include "cpu/isa/elementwise.inc.c"
#include "cpu/isa/cast.inc.c"
#include "cpu/isa/reduce.inc.c"
#include "cpu/isa/softmax.inc.c"
#include "cpu/isa/matmul.inc.c"
#include "cpu/isa/export.inc.c"
