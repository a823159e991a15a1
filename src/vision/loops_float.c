/* loops_float.c - the loops in float; see vision.h. */
#define T float
#define FN(name) name##_float
#include "vision/loops.inc.c"
