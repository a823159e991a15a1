/* u64.c - the kernels of compute type uint64. */
#define T              uint64_t
#define A              uint64_t
#define ID             u64
#define SELF           KT_U64
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
