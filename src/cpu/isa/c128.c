/* c128.c - the kernels of compute type complex128. First the functions of its parts. */
#include "cpu/isa/names.h"
#define T       double
#define ID      f64
#define MATH(name) __builtin_##name
#include "cpu/math_f64.h"
#include "cpu/math_real.inc.c"
#undef T
#undef ID
#undef MATH

#define T              kt__c128
#define A              kt__c128
#define ID             c128
#define SELF           KT_C128
#define KT_IS_INTEGER  0
#define KT_IS_COMPLEX  1
#define PICK(X, Y, Z)  Z
#define MUL(x, y)      FN(mul)(x, y)
#define R              double
#define RBITS          uint64_t
#define RFN(f)         f##_f64
#include "cpu/isa/tile.inc.c"

#include "cpu/math_complex.inc.c"
#undef R

#include "cpu/isa/elementwise.inc.c"
#include "cpu/isa/cast.inc.c"
#include "cpu/isa/reduce.inc.c"
#include "cpu/isa/matmul.inc.c"
#include "cpu/isa/export.inc.c"
