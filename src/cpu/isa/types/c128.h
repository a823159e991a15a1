/* c128.h - compute type complex128: its names for the templates, and its functions, which are made of those of its
 * parts. Included before a template, which may be stamped of several types one after another: types/end.h takes the names
 * back. */
#include "cpu/isa/types/f64.h"
#include "cpu/isa/types/end.h"
#include "math/special_complex.h"

#define T             kt__c128
#define A             kt__c128
#define ID            c128
#define SELF          KT_C128
#define KT_IS_INTEGER 0
#define KT_IS_COMPLEX 1
#define PICK(X, Y, Z) Z
#define MUL(x, y)     FN(mul)(x, y)
#ifndef KT_FUNCTIONS_C128
#define KT_FUNCTIONS_C128
#define R             double
#define RBITS         uint64_t
#define RFN(f)        f##_f64
#include "math/complex.inc.c"
#undef R
#undef RBITS
#undef RFN
#endif
