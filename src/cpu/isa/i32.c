/* i32.c - the kernels of compute type int32, and so of bool and of the integers of at most 16 bits. */
#define T              int32_t
#define A              int64_t
#define ID             i32
#define SELF           KT_I32
#define KT_IS_INTEGER  1
#define KT_IS_COMPLEX  0
#define PICK(X, Y, Z)  Y
#define MUL(x, y)      ((x) * (y))
#include "cpu/isa/tile.inc.c"

#include "cpu/math_int.inc.c"

#include "cpu/isa/elementwise.inc.c"
#include "cpu/isa/cast.inc.c"
#include "cpu/isa/reduce.inc.c"
#include "cpu/isa/matmul.inc.c"
#include "cpu/isa/export.inc.c"
