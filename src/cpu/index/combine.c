/* combine.c - accumulation of two elements: addition and multiplication in the dtype's arithmetic, rounded after each
 * step as in PyTorch; maximum and minimum, by their keys.
 *
 * In: rows of elements of one dtype. Out: the first row, changed. Independent of: plans, indices. */
#include "cpu/index/index.h"

#include <complex.h>
#include <string.h>

#include "math/core.h"
#include "cpu/order/order.h"
#include "dtype/value.h"
#include "tables/kernels/index.h"

typedef void one_fn(char *to, const char *from);

KT_ALWAYS void row(one_fn *one, const kt__combined *c)
{
    char            *to = c->to;
    const ptrdiff_t *place = c->place, to_step = c->to_step, from_step = c->from_step;
    const char      *from = c->from;
    for (int64_t i = 0, n = place ? c->n : 0; i < n; i++)
        one(to + place[i], from + i * from_step);
    for (int64_t i = 0, n = place ? 0 : c->n; i < n; i++)
        one(to + i * to_step, from + i * from_step);
}

/* For one C type; unsigned integers wrap like signed ones, bit for bit. */
#define COMBINE_ONE(name, type, expression)                                                                            \
    KT_ALWAYS void name##_one(char *to, const char *from)                                                              \
    {                                                                                                                  \
        type a, b;                                                                                                     \
        memcpy(&a, to, sizeof a);                                                                                      \
        memcpy(&b, from, sizeof b);                                                                                    \
        a = (type)(expression);                                                                                        \
        memcpy(to, &a, sizeof a);                                                                                      \
    }

#define COMBINE_EACH(name, type, expression)                                                                           \
    COMBINE_ONE(name, type, expression)                                                                                \
    static void name(const kt__combined *c) { row(name##_one, c); }

/* Dense elements by vectors. */
#define COMBINE(name, type, expression)                                                                                \
    typedef type name##_vector __attribute__((vector_size(32)));                                                       \
    COMBINE_ONE(name, type, expression)                                                                                \
    COMBINE_ONE(name##_some, name##_vector, expression)                                                                \
    static void name(const kt__combined *c)                                                                            \
    {                                                                                                                  \
        const ptrdiff_t width = sizeof(type), some = sizeof(name##_vector) / sizeof(type);                             \
        kt__combined    rest = *c;                                                                                     \
        for (; !c->place && c->to_step == width && c->from_step == width && rest.n >= some; rest.n -= some) {          \
            name##_some_one(rest.to, rest.from);                                                                       \
            rest.to += sizeof(name##_vector), rest.from += sizeof(name##_vector);                                      \
        }                                                                                                              \
        row(name##_one, &rest);                                                                                        \
    }

COMBINE(add_8, uint8_t, a + b)
COMBINE(add_16, uint16_t, a + b)
COMBINE(add_32, uint32_t, a + b)
COMBINE(add_64, uint64_t, a + b)
COMBINE(add_f32, float, a + b)
COMBINE(add_f64, double, a + b)
COMBINE_EACH(add_c64, float _Complex, a + b)
COMBINE_EACH(add_c128, double _Complex, a + b)
COMBINE_EACH(add_bool, uint8_t, a || b)
COMBINE(mul_8, uint8_t, a * b)
COMBINE_EACH(mul_16, uint16_t, (uint32_t)a * b)
COMBINE(mul_32, uint32_t, a * b)
COMBINE(mul_64, uint64_t, a * b)
COMBINE(mul_f32, float, a * b)
COMBINE(mul_f64, double, a * b)
COMBINE_EACH(mul_c64, float _Complex, a * b)
COMBINE_EACH(mul_c128, double _Complex, a * b)
COMBINE_EACH(mul_bool, uint8_t, a && b)

/* Narrow floats: through float32 (complex32: complex64) and back. */
static void narrow_each(const kt__combined *c, bool multiply)
{
    const bool     pair = kt_dtype_category(c->dtype) == KT_CAT_COMPLEX;
    const kt_dtype wide = pair ? KT_C64 : KT_F32;
    for (int64_t i = 0; i < c->n; i++) {
        char          *to = c->to + (c->place ? c->place[i] : i * c->to_step);
        float _Complex a = 0, b = 0;
        float          x, y;
        kt__convert(&a, wide, 8, to, c->dtype, 0, 1);
        kt__convert(&b, wide, 8, c->from + i * c->from_step, c->dtype, 0, 1);
        memcpy(&x, &a, sizeof x);
        memcpy(&y, &b, sizeof y);
        x = multiply ? x * y : x + y;
        a = multiply ? a * b : a + b;
        kt__convert(to, c->dtype, 0, pair ? (void *)&a : (void *)&x, wide, 8, 1);
    }
}

static void narrow(const kt__combined *c, bool multiply)
{
    enum { SOME = 128 };
    float x[SOME], y[SOME];
    if (c->place || c->to_step == 0 || kt_dtype_category(c->dtype) == KT_CAT_COMPLEX) {
        narrow_each(c, multiply);
        return;
    }
    for (int64_t i = 0, n; i < c->n; i += n) {
        n = c->n - i < SOME ? c->n - i : SOME;
        kt__convert(x, KT_F32, sizeof *x, c->to + i * c->to_step, c->dtype, c->to_step, n);
        kt__convert(y, KT_F32, sizeof *y, c->from + i * c->from_step, c->dtype, c->from_step, n);
        for (int64_t k = 0; k < n; k++)
            x[k] = multiply ? x[k] * y[k] : x[k] + y[k];
        kt__convert(c->to + i * c->to_step, c->dtype, c->to_step, x, KT_F32, sizeof *x, n);
    }
}
static void add_narrow(const kt__combined *c) { narrow(c, false); }
static void mul_narrow(const kt__combined *c) { narrow(c, true); }

/* Keeps the larger (or smaller) element; NaN always stays. */
KT_ALWAYS void choose_each(const kt__combined *c, kt_dtype dtype, size_t width, bool least)
{
    uint64_t   nan;
    const bool has_nan = kt__order_nan(dtype, &nan);
    for (int64_t i = 0; i < c->n; i++) {
        char          *to = c->to + (c->place ? c->place[i] : i * c->to_step);
        const char    *from = c->from + i * c->from_step;
        const uint64_t a = kt__order_key_of(to, dtype), b = kt__order_key_of(from, dtype);
        if (has_nan && (a == nan || b == nan) ? b == nan : least ? b < a : b > a)
            memcpy(to, from, width);
    }
}

static void choose(const kt__combined *c, bool least)
{
    switch (c->dtype) {
    case KT_F32: choose_each(c, KT_F32, 4, least); break;
    case KT_F64: choose_each(c, KT_F64, 8, least); break;
    case KT_I64: choose_each(c, KT_I64, 8, least); break;
    default:     choose_each(c, c->dtype, kt_dtype_size(c->dtype), least); break;
    }
}
static void choose_greatest(const kt__combined *c) { choose(c, false); }
static void choose_least(const kt__combined *c) { choose(c, true); }

kt__combine_fn *kt__cpu_combine(kt_dtype dtype, kt_kernel_id kernel)
{
    const bool multiply = kernel == KT_K_index_multiply;
    if (kernel == KT_K_index_amax || kernel == KT_K_index_amin)
        return kernel == KT_K_index_amax ? choose_greatest : choose_least;
    static kt__combine_fn *const ints[2][4] = {{add_8, add_16, add_32, add_64}, {mul_8, mul_16, mul_32, mul_64}};
    switch (dtype) {
    case KT_BOOL: return multiply ? mul_bool : add_bool;
    case KT_F32: return multiply ? mul_f32 : add_f32;
    case KT_F64: return multiply ? mul_f64 : add_f64;
    case KT_C64: return multiply ? mul_c64 : add_c64;
    case KT_C128: return multiply ? mul_c128 : add_c128;
    default: break;
    }
    if (kt_dtype_category(dtype) != KT_CAT_INT)
        return multiply ? mul_narrow : add_narrow;
    const size_t size = kt_dtype_size(dtype);
    return ints[multiply][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
}
