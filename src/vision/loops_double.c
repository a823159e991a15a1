/* loops_double.c - the loops in double; see vision.h. */
#define T double
#define FN(name) name##_double
#include "vision/loops.inc.c"
