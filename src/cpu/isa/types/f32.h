/* f32.h - compute type float32: its names for the templates, and its functions. Included before a template,
 * which may be stamped of several types one after another: types/end.h takes the names back. */
#include "cpu/isa/names.h"
#include "math/f32.h"

#define T             float
#define A             double
#define ID            f32
#define SELF          KT_F32
#define KT_IS_INTEGER 0
#define KT_IS_COMPLEX 0
#define PICK(X, Y, Z) X
#define MUL(x, y)     ((x) * (y))
#define MATH(name)    __builtin_##name##f
/* The forms of the rows of loop NEAR: isa/loops.inc.c. */
#define NEAR_FORMS(PLAIN, PIECES, EIGHT)                                                                               \
    PLAIN(exp) PLAIN(exp2) PLAIN(log) PLAIN(log2) PLAIN(log10) PLAIN(sin) PLAIN(cos) PLAIN(erf) PLAIN(erfc)            \
    PIECES(tan, 2, tan) EIGHT(atan, atan) EIGHT(gelu, gelu) EIGHT(sigmoid, sigmoid) EIGHT(silu, silu) EIGHT(tanh, tanh)
#define KT_FROM_HALVES /* bfloat16s can be read as Ts where they are: isa/half_group.h */
#if KT_VEC_BYTES >= 32
#define KT_HAS_HALVES /* isa/halves.inc.c */
#endif
/* The columns of the rows of loop BRIEF: isa/brief.inc.c. */
#if KT_VEC_BYTES == 64
#define BRIEF_FORMS(BRIEF) BRIEF(exp, 1) BRIEF(exp2, 1) BRIEF(gelu, 3) BRIEF(sigmoid, 4) BRIEF(silu, 4) BRIEF(tanh, 3)
#endif
#ifndef KT_FUNCTIONS_F32
#define KT_FUNCTIONS_F32
#include "math/real.inc.c"
#include "math/activation.inc.c"
#endif
