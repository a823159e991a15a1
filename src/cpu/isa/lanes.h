/* lanes.h - 64 bytes of Ts as one value, and sums, differences and products of its lanes. A template: T and ID come from types/.
 *
 * In and out: FN(lanes). A vector of 64 bytes where the compiler keeps it in registers; on aarch64, where it would lie on the
 * stack, four of 16 bytes. TIMES_PLUS has one rounding on aarch64, where every build has the instruction, and two elsewhere.
 * Lanes, and so all bits, are the same in all builds of an architecture. Independent of: what the lanes hold. */
#include "cpu/isa/names.h"

#ifdef __aarch64__
#include <arm_neon.h>
#endif

enum { LANES = 64 / sizeof(T) };

#ifdef __aarch64__
typedef T FN(quarter) __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));
typedef struct FN(lanes) {
    FN(quarter) a, b, c, d;
} FN(lanes);

enum { QUARTER = LANES / 4 };
#define QUARTER_AT(p) (*(FN(quarter) *)(uintptr_t)(p))

KT_ALWAYS FN(lanes) FN(lanes_at)(const T *p)
{
    return (FN(lanes)){QUARTER_AT(p), QUARTER_AT(p + QUARTER), QUARTER_AT(p + 2 * QUARTER), QUARTER_AT(p + 3 * QUARTER)};
}

KT_ALWAYS void FN(lanes_to)(T *p, FN(lanes) x)
{
    QUARTER_AT(p) = x.a, QUARTER_AT(p + QUARTER) = x.b, QUARTER_AT(p + 2 * QUARTER) = x.c, QUARTER_AT(p + 3 * QUARTER) = x.d;
}

KT_ALWAYS FN(lanes) FN(lanes_all)(T x)
{
    const FN(quarter) v = x - (FN(quarter)){0};
    return (FN(lanes)){v, v, v, v};
}

KT_ALWAYS FN(lanes) FN(lanes_plus)(FN(lanes) x, FN(lanes) y)
{
    return (FN(lanes)){x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d};
}

KT_ALWAYS FN(lanes) FN(lanes_less)(FN(lanes) x, FN(lanes) y)
{
    return (FN(lanes)){x.a - y.a, x.b - y.b, x.c - y.c, x.d - y.d};
}

KT_ALWAYS FN(lanes) FN(lanes_times)(FN(lanes) x, FN(lanes) y)
{
    return (FN(lanes)){x.a * y.a, x.b * y.b, x.c * y.c, x.d * y.d};
}

KT_ALWAYS float  number_times_plus_f32(float x, float y, float z)    { return __builtin_fmaf(x, y, z); }
KT_ALWAYS double number_times_plus_f64(double x, double y, double z) { return __builtin_fma(x, y, z); }
KT_ALWAYS float32x4_t fused_f32(float32x4_t x, float32x4_t y, float32x4_t z) { return vfmaq_f32(z, x, y); }
KT_ALWAYS float64x2_t fused_f64(float64x2_t x, float64x2_t y, float64x2_t z) { return vfmaq_f64(z, x, y); }

KT_ALWAYS FN(lanes) FN(lanes_times_plus)(FN(lanes) x, FN(lanes) y, FN(lanes) z)
{
    return (FN(lanes)){FN(fused)(x.a, y.a, z.a), FN(fused)(x.b, y.b, z.b), FN(fused)(x.c, y.c, z.c), FN(fused)(x.d, y.d, z.d)};
}

/* The upper half of the lanes is added to the lower one, until one is left. */
KT_ALWAYS T FN(across)(const FN(lanes) *x)
{
    const FN(quarter) c = (x->a + x->c) + (x->b + x->d);
    return sizeof(T) == 8 ? c[0] + c[1] : (c[0] + c[2 % QUARTER]) + (c[1] + c[3 % QUARTER]);
}

#define LANES_AT(p)     FN(lanes_at)(p)
#define LANES_TO(p, x)  FN(lanes_to)(p, x)
#define ALL(x)          FN(lanes_all)(x)
#define PLUS(x, y)      FN(lanes_plus)(x, y)
#define LESS(x, y)      FN(lanes_less)(x, y)
#define TIMES(x, y)     FN(lanes_times)(x, y)
#define TIMES_PLUS(x, y, z)        FN(lanes_times_plus)(x, y, z)
#define NUMBER_TIMES_PLUS(x, y, z) FN(number_times_plus)(x, y, z)
/* Lanes that can be reached one by one, and what becomes of them: apart, so that the others stay in registers. */
#define OPENED(lane, x) T lane[LANES]; LANES_TO(lane, x)
#define CLOSED(x, lane) ((void)((x) = LANES_AT(lane)))
#else
typedef T FN(lanes) __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
typedef T FN(lanes32) __attribute__((vector_size(32)));
typedef T FN(lanes16) __attribute__((vector_size(16)));

KT_ALWAYS T FN(across)(const FN(lanes) *lanes)
{
    FN(lanes32) a, b;
    FN(lanes16) c, d;
    memcpy(&a, lanes, 32), memcpy(&b, (const char *)lanes + 32, 32);
    a += b;
    memcpy(&c, &a, 16), memcpy(&d, (const char *)&a + 16, 16);
    c += d;
    return sizeof(T) == 8 ? c[0] + c[1] : (c[0] + c[2 % (16 / sizeof(T))]) + (c[1] + c[3 % (16 / sizeof(T))]);
}

/* Not functions: a vector that is wider than the build's may not be passed by value. */
#define LANES_AT(p)     (*(FN(lanes) *)(uintptr_t)(p))
#define LANES_TO(p, x)  ((void)(*(FN(lanes) *)(uintptr_t)(p) = (x)))
#define ALL(x)          (x)
#define PLUS(x, y)      ((x) + (y))
#define LESS(x, y)      ((x) - (y))
#define TIMES(x, y)     ((x) * (y))
#define TIMES_PLUS(x, y, z)        ((x) * (y) + (z))
#define NUMBER_TIMES_PLUS(x, y, z) ((x) * (y) + (z))
#define OPENED(lane, x) FN(lanes) lane = (x)
#define CLOSED(x, lane) ((void)((x) = (lane)))
#endif
