/* i32.h - compute type int32: its names for the templates, and its functions. Included before a template,
 * which may be stamped of several types one after another: types/end.h takes the names back. */
#include "cpu/isa/names.h"
#include "math/core.h"
#include "dtype/convert.h"

#define T             int32_t
#define A             int64_t
#define ID            i32
#define SELF          KT_I32
#define KT_IS_INTEGER 1
#define KT_IS_COMPLEX 0
#define PICK(X, Y, Z) Y
#define MUL(x, y)     ((x) * (y))
#ifndef KT_FUNCTIONS_I32
#define KT_FUNCTIONS_I32
#include "math/int.inc.c"
#endif
