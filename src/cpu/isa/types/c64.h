/* c64.h - compute type complex64: its names for the templates, and its functions, which are made of those of its
 * parts. Included before a template, which may be stamped of several types one after another: types/end.h takes the names
 * back. */
#include "cpu/isa/types/f32.h"
#include "cpu/isa/types/end.h"
#include "math/special_complex.h"

#define T             kt__c64
#define A             kt__c128
#define ID            c64
#define SELF          KT_C64
#define KT_IS_INTEGER 0
#define KT_IS_COMPLEX 1
#define PICK(X, Y, Z) Z
#define MUL(x, y)     FN(mul)(x, y)
#ifndef KT_FUNCTIONS_C64
#define KT_FUNCTIONS_C64
#define R             float
#define RBITS         uint32_t
#define RFN(f)        f##_f32
#include "math/complex.inc.c"
#undef R
#undef RBITS
#undef RFN
#endif
