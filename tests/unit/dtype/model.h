/* model.h - what a cast must give, by definition: exact numbers in integers, no code shared with the library.
 *
 * A number is sign * m * 2^e exactly. Floats of at most 16 bits are rounded by searching the sorted list of the numbers
 * they hold; float32 and float64 by dropping bits of an integer. The formats' numbers stand here again, on purpose. */
#ifndef KARAT_TESTS_DTYPE_MODEL_H
#define KARAT_TESTS_DTYPE_MODEL_H

#include "harness.h"

#include <karat/dtype.h>
#include <math.h>
#include <stdlib.h>

typedef unsigned __int128 u128;

typedef enum form { BOOLEAN, INTEGER, UNSIGNED, IEEE, FN, FNUZ, E8M0 } form;

typedef struct format {
    kt_dtype d;
    form     form;
    int      size;    /* bytes of one part */
    int      parts;   /* 2: complex */
    int      E, M, bias;
} format;

static const format formats[] = {
    {KT_BOOL, BOOLEAN, 1, 1, 0, 0, 0},   {KT_U8, UNSIGNED, 1, 1, 0, 0, 0},    {KT_I8, INTEGER, 1, 1, 0, 0, 0},
    {KT_I16, INTEGER, 2, 1, 0, 0, 0},    {KT_I32, INTEGER, 4, 1, 0, 0, 0},    {KT_I64, INTEGER, 8, 1, 0, 0, 0},
    {KT_U16, UNSIGNED, 2, 1, 0, 0, 0},   {KT_U32, UNSIGNED, 4, 1, 0, 0, 0},   {KT_U64, UNSIGNED, 8, 1, 0, 0, 0},
    {KT_F16, IEEE, 2, 1, 5, 10, 15},     {KT_BF16, IEEE, 2, 1, 8, 7, 127},    {KT_F32, IEEE, 4, 1, 8, 23, 127},
    {KT_F64, IEEE, 8, 1, 11, 52, 1023},  {KT_C32, IEEE, 2, 2, 5, 10, 15},     {KT_C64, IEEE, 4, 2, 8, 23, 127},
    {KT_C128, IEEE, 8, 2, 11, 52, 1023}, {KT_E4M3FN, FN, 1, 1, 4, 3, 7},      {KT_E5M2, IEEE, 1, 1, 5, 2, 15},
    {KT_E4M3FNUZ, FNUZ, 1, 1, 4, 3, 8},  {KT_E5M2FNUZ, FNUZ, 1, 1, 5, 2, 16}, {KT_E8M0FNU, E8M0, 1, 1, 8, 0, 127},
};
enum { NUM_FORMATS = sizeof formats / sizeof *formats };

typedef struct number {
    enum { FINITE, INFINITE, NOT_A_NUMBER } kind;
    bool negative;
    u128 m; /* below 2^64 */
    int  e;
} number;

static inline bool is_float(const format *f)
{
    return f->form >= IEEE;
}

static inline uint64_t read_bits(const void *at, int size)
{
    uint64_t bits = 0;
    memcpy(&bits, at, (size_t)size); /* little-endian, as all of Karat's machines */
    return bits;
}

/* ---- what bits mean ---- */

static inline number decode(uint64_t bits, const format *f)
{
    number x = {FINITE, false, 0, 0};
    const int width = 8 * f->size;
    if (f->form == BOOLEAN) {
        x.m = bits != 0;
        return x;
    }
    if (f->form == UNSIGNED) {
        x.m = bits;
        return x;
    }
    if (f->form == INTEGER) {
        x.negative = bits >> (width - 1);
        x.m = x.negative ? ((u128)1 << width) - bits : bits;
        return x;
    }
    if (f->form == E8M0) {
        x.m = 1;
        x.e = (int)bits - 127;
        if (bits == 255)
            x.kind = NOT_A_NUMBER;
        return x;
    }
    const uint64_t mantissa = bits & (((uint64_t)1 << f->M) - 1), top = ((uint64_t)1 << f->E) - 1;
    const uint64_t exponent = bits >> f->M & top;
    x.negative = bits >> (width - 1);
    if (f->form == FNUZ && bits == (uint64_t)1 << (width - 1)) {
        x.kind = NOT_A_NUMBER;
        x.negative = false;
        return x;
    }
    if (f->form == IEEE && exponent == top) {
        x.kind = mantissa ? NOT_A_NUMBER : INFINITE;
        return x;
    }
    if (f->form == FN && exponent == top && mantissa == ((uint64_t)1 << f->M) - 1) {
        x.kind = NOT_A_NUMBER;
        return x;
    }
    x.m = exponent ? mantissa | (uint64_t)1 << f->M : mantissa;
    x.e = (exponent ? (int)exponent : 1) - f->bias - f->M;
    return x;
}

/* ---- nearest even, by dropping bits ---- */

static inline int bit_length(u128 m)
{
    int n = 0;
    for (; m; m >>= 1)
        n++;
    return n;
}

/* To the precision and range of an IEEE format: the bits, or infinity's. */
static inline uint64_t round_ieee(number x, const format *f)
{
    const uint64_t sign = (uint64_t)x.negative << (8 * f->size - 1), infinity = (((uint64_t)1 << f->E) - 1) << f->M;
    if (x.kind == NOT_A_NUMBER)
        return sign | infinity | (uint64_t)1 << (f->M - 1);
    if (x.kind == INFINITE)
        return sign | infinity;
    if (!x.m)
        return sign;
    const int lowest = 1 - f->bias - f->M; /* exponent of the last bit of the smallest numbers */
    int last = bit_length(x.m) + x.e - 1 - f->M;
    if (last < lowest)
        last = lowest;
    int drop = last - x.e;
    u128 kept;
    if (drop <= 0) {
        kept = x.m << -drop;
    } else if (drop > 100) {
        kept = 0;
    } else {
        kept = x.m >> drop;
        const u128 rest = x.m - (kept << drop), half = (u128)1 << (drop - 1);
        kept += rest > half || (rest == half && (kept & 1));
    }
    if (kept >> (f->M + 1)) {
        kept >>= 1;
        last++;
    }
    if (!(kept >> f->M))
        return sign | (uint64_t)kept;
    const int exponent = last + f->M + f->bias;
    if (exponent >= (1 << f->E) - 1)
        return sign | infinity;
    return sign | (uint64_t)exponent << f->M | ((uint64_t)kept & (((uint64_t)1 << f->M) - 1));
}

static inline const format *format_of(kt_dtype d)
{
    for (int i = 0; i < NUM_FORMATS; i++)
        if (formats[i].d == d)
            return &formats[i];
    return NULL;
}

static inline double to_double(number x) /* exact for what fits float32 */
{
    double magnitude = x.kind == INFINITE ? INFINITY : NAN;
    if (x.kind == FINITE)
        magnitude = ldexp((double)(uint64_t)x.m, x.e);
    return x.negative ? -magnitude : magnitude;
}

/* The sign of zero does not count; NaN is NaN. */
static inline bool same_number(number x, number y)
{
    if (x.kind != y.kind || x.kind == NOT_A_NUMBER)
        return x.kind == y.kind;
    if (x.kind == INFINITE)
        return x.negative == y.negative;
    for (; x.m && !(x.m & 1); x.e++)
        x.m >>= 1;
    for (; y.m && !(y.m & 1); y.e++)
        y.m >>= 1;
    return x.m == y.m && (!x.m || (x.e == y.e && x.negative == y.negative));
}

/* ---- nearest even, by searching ---- */

/* The finite numbers >= 0 of a float of at most 16 bits, in order; code i is the i-th. One more follows: what would
 * come next, where overflow begins. */
typedef struct ladder {
    const format *f;
    int           n; /* the finite ones */
    double       *value;
} ladder;

static inline const ladder *ladder_of(const format *f)
{
    static ladder ladders[NUM_FORMATS];
    ladder *l = &ladders[f - formats];
    if (l->value)
        return l;
    const int codes = f->form == E8M0 ? 256 : 1 << (8 * f->size - 1);
    l->f = f;
    l->value = malloc(sizeof(double) * (size_t)(codes + 1));
    while (l->value && l->n < codes) {
        const number x = decode((uint64_t)l->n, f);
        if (x.kind != FINITE)
            break;
        l->value[l->n++] = to_double(x);
    }
    if (l->value)
        l->value[l->n] = f->form == E8M0 ? 2 * l->value[l->n - 1] : 2 * l->value[l->n - 1] - l->value[l->n - 2];
    return l;
}

static inline uint64_t special_code(const format *f, bool nan, bool negative)
{
    const uint64_t sign = (uint64_t)negative << (8 * f->size - 1), ones = ((uint64_t)1 << (8 * f->size - 1)) - 1;
    switch (f->form) {
    case FN: return sign | ones;
    case FNUZ: return ones + 1;
    case E8M0: return 255;
    default: break;
    }
    const uint64_t infinity = (((uint64_t)1 << f->E) - 1) << f->M;
    if (!nan)
        return sign | infinity;
    return sign | (f->size == 1 ? ones : infinity | (uint64_t)1 << (f->M - 1));
}

/* The code whose number is nearest to x; codes of a tie: the even one. E8M0, as PyTorch: ties up; in its lowest
 * interval always up; nothing below. */
static inline uint64_t round_small(double x, const format *f)
{
    const ladder *l = ladder_of(f);
    const double a = fabs(x);
    if (x != x || isinf(x))
        return special_code(f, x != x, signbit(x));
    int low = 0, high = l->n; /* value[low] <= a < value[high], or above all */
    if (a >= l->value[l->n])
        return special_code(f, false, signbit(x));
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (a >= l->value[middle])
            low = middle;
        else
            high = middle;
    }
    const double half = (l->value[low] + l->value[low + 1]) / 2;
    int code = low;
    if (f->form == E8M0)
        code += low == 0 ? a > l->value[0] : a >= half;
    else
        code += a > half || (a == half && (low & 1));
    if (code >= l->n)
        return special_code(f, false, signbit(x));
    if (f->form == E8M0 || (f->form == FNUZ && code == 0))
        return (uint64_t)code;
    return (uint64_t)signbit(x) << (8 * f->size - 1) | (uint64_t)code;
}

/* ---- the cast ---- */

static inline uint64_t to_float(number x, const format *to)
{
    if (to->size >= 4)
        return round_ieee(x, to);
    const format *f32 = format_of(KT_F32);
    return round_small(to_double(decode(round_ieee(x, f32), f32)), to);
}

static inline uint64_t to_integer(number x, bool from_float, const format *to)
{
    const int width = 8 * to->size;
    const uint64_t all = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
    if (!from_float) /* wraps */
        return (x.negative ? (uint64_t)0 - (uint64_t)x.m : (uint64_t)x.m) & all;
    const uint64_t most = to->form == UNSIGNED ? all : all >> 1;
    const uint64_t least = to->form == UNSIGNED ? 0 : most + 1; /* as a magnitude, and as bits */
    if (x.kind == NOT_A_NUMBER)
        return 0;
    u128 whole;
    if (x.kind == INFINITE || (x.m && bit_length(x.m) + x.e > 70))
        whole = (u128)1 << 70;
    else
        whole = x.e >= 0 ? x.m << x.e : x.e < -127 ? 0 : x.m >> -x.e;
    if (x.negative)
        return whole >= least ? least : (0 - (uint64_t)whole) & all;
    return whole > most ? most : (uint64_t)whole;
}

typedef struct element {
    uint8_t byte[16];
} element;

static inline element model_cast(const void *source, const format *from, const format *to)
{
    element out = {{0}};
    number part[2] = {{FINITE, false, 0, 0}, {FINITE, false, 0, 0}};
    for (int p = 0; p < from->parts; p++)
        part[p] = decode(read_bits((const char *)source + p * from->size, from->size), from);
    for (int p = 0; p < to->parts; p++) {
        uint64_t bits;
        if (to->form == BOOLEAN)
            bits = part[0].kind != FINITE || part[0].m || part[1].kind != FINITE || part[1].m;
        else if (is_float(to))
            bits = to_float(part[p], to);
        else
            bits = to_integer(part[p], is_float(from), to);
        memcpy(out.byte + p * to->size, &bits, (size_t)to->size);
    }
    return out;
}

/* The same bits, or both NaN where NaN has more than one form. */
static inline bool same_element(const void *got, const element *want, const format *to)
{
    for (int p = 0; p < to->parts; p++) {
        const uint64_t g = read_bits((const char *)got + p * to->size, to->size);
        const uint64_t w = read_bits(want->byte + p * to->size, to->size);
        if (g == w)
            continue;
        if (!is_float(to) || to->size == 1)
            return false;
        const number a = decode(g, to), b = decode(w, to);
        if (a.kind != NOT_A_NUMBER || b.kind != NOT_A_NUMBER || a.negative != b.negative)
            return false;
    }
    return true;
}

static inline const char *hex(const void *at, int size)
{
    static char text[4][40];
    static int turn;
    char *to = text[turn = (turn + 1) % 4];
    for (int i = 0; i < size; i++)
        snprintf(to + 2 * i, 3, "%02x", ((const uint8_t *)at)[size - 1 - i]);
    return to;
}

#endif
