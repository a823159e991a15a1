/* f32.c - the kernels of compute type float32, and so of every float of at most 32 bits. */
#define T              float
#define A              double
#define ID             f32
#define SELF           KT_F32
#define KT_IS_INTEGER  0
#define KT_IS_COMPLEX  0
#define PICK(X, Y, Z)  X
#define MUL(x, y)      ((x) * (y))
#define MATH(name)     __builtin_##name##f
#define KT_FAST_LOAD   fast_load_f32
#define KT_FAST_STORE  fast_store_f32
#include "cpu/isa/tile.inc.c"

#include "cpu/math_f32.h"
#include "cpu/math_real.inc.c"
#include "cpu/math_activation.inc.c"

/* Beyond the reach of math_core.h's reduction by pi/2 the loop asks the C library, element by element; those within
 * reach get the same bits as in any other company. */
static void trig_far(float *z, const float *a, ptrdiff_t n, float (*far)(float), float (*near)(float))
{
    for (ptrdiff_t i = 0; i < n; i++)
        z[i] = fabsf(a[i]) < (float)CORE_TRIG_MAX ? near(a[i]) : far(a[i]);
}

static float near_sin(float a) { return sin_f32(a); }
static float near_cos(float a) { return cos_f32(a); }
static float near_tan(float a) { return tan_f32(a); }

#define KT_LOOP_HOOK far_loop
KT_ALWAYS bool far_loop(float *z, const float *a, ptrdiff_t n, int kernel)
{
    if (kernel != KT_K_sin && kernel != KT_K_cos && kernel != KT_K_tan)
        return false;
    int any = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        any |= !(fabsf(a[i]) < (float)CORE_TRIG_MAX);
    if (any && kernel == KT_K_sin)
        trig_far(z, a, n, kt__sin_far, near_sin);
    if (any && kernel == KT_K_cos)
        trig_far(z, a, n, kt__cos_far, near_cos);
    if (any && kernel == KT_K_tan)
        trig_far(z, a, n, kt__tan_far, near_tan);
    return any != 0;
}

#include "cpu/isa/elementwise.inc.c"
#include "cpu/isa/cast.inc.c"
#include "cpu/isa/reduce.inc.c"
#include "cpu/isa/softmax.inc.c"
#include "cpu/isa/matmul.inc.c"
#include "cpu/isa/export.inc.c"
