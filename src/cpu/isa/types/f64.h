/* f64.h - compute type float64: its names for the templates, and its functions. Included before a template,
 * which may be stamped of several types one after another: types/end.h takes the names back. */
#include "cpu/isa/names.h"
#include "math/f64.h"
#include "dtype/convert.h"

#define T             double
#define A             double
#define ID            f64
#define SELF          KT_F64
#define KT_IS_INTEGER 0
#define KT_IS_COMPLEX 0
#define PICK(X, Y, Z) X
#define MUL(x, y)     ((x) * (y))
#define MATH(name)    __builtin_##name
#define NEAR_FORMS(PLAIN, PIECES, EIGHT)                                                                               \
    PLAIN(exp2) PLAIN(sin) PLAIN(cos) PLAIN(sigmoid) PLAIN(silu) PLAIN(gelu)                                           \
    PIECES(exp, 2, exp) PIECES(log, 3, log) PIECES(log2, 3, log2) PIECES(log10, 3, log10) PIECES(tanh, 2, tanh)        \
    PIECES(tan, 2, tan) PIECES(atan, 4, atan) PIECES(erf, 19, erf_far) PIECES(erfc, 20, erfc_far)
#ifndef KT_FUNCTIONS_F64
#define KT_FUNCTIONS_F64
#include "math/real.inc.c"
#include "math/activation.inc.c"
#endif
