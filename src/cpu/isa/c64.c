/* c64.c - the kernels of compute type complex64, and so of complex32. First the functions of its parts. */
#include "cpu/isa/names.h"
#define T       float
#define ID      f32
#define MATH(name) __builtin_##name##f
#include "cpu/math_f32.h"
#include "cpu/math_real.inc.c"
#undef T
#undef ID
#undef MATH

#define T              kt__c64
#define A              kt__c128
#define ID             c64
#define SELF           KT_C64
#define KT_IS_INTEGER  0
#define KT_IS_COMPLEX  1
#define PICK(X, Y, Z)  Z
#define MUL(x, y)      FN(mul)(x, y)
#define R              float
#define RBITS          uint32_t
#define RFN(f)         f##_f32
#include "cpu/isa/tile.inc.c"

#include "cpu/math_complex.inc.c"
#undef R

#include "cpu/isa/elementwise.inc.c"
#include "cpu/isa/cast.inc.c"
#include "cpu/isa/reduce.inc.c"
#include "cpu/isa/matmul.inc.c"
#include "cpu/isa/export.inc.c"
