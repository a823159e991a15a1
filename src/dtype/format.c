/* format.c - numbers to text by exact integer arithmetic.
 *
 * In: a double, an integer, a scalar. Out: see format.h. The digits come from the classic free-format method: the
 * interval of reals that round to x is held as exact fractions, and digits are taken until what is left lies inside.
 * Independent of: everything but numbers.
 *
 * G. L. Steele and J. L. White, How to print floating-point numbers accurately, PLDI 1990; R. G. Burger and R. K. Dybvig,
 * Printing floating-point numbers quickly and accurately, PLDI 1996. */
#include "dtype/format.h"

#include <math.h>
#include <string.h>

/* ---- non-negative integers of up to 40 * 32 bits: enough for 2^1024 * 4 and for 10^324 * 2^56 ---- */

enum { LIMBS = 40 };
typedef struct big {
    int      n; /* limbs in use; the highest is not 0 */
    uint32_t limb[LIMBS];
} big;

static void big_set(big *a, uint64_t x)
{
    a->n = 0;
    for (; x; x >>= 32)
        a->limb[a->n++] = (uint32_t)x;
}

static void big_scale(big *a, uint32_t by)
{
    uint64_t carry = 0;
    for (int i = 0; i < a->n; i++) {
        carry += (uint64_t)a->limb[i] * by;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        a->limb[a->n++] = (uint32_t)carry;
}

static void big_times_pow2(big *a, int power)
{
    for (; power >= 31; power -= 31)
        big_scale(a, 1u << 31);
    big_scale(a, 1u << power);
}

static void big_times_pow10(big *a, int power)
{
    for (; power >= 9; power -= 9)
        big_scale(a, 1000000000u);
    for (; power > 0; power--)
        big_scale(a, 10);
}

static int big_compare(const big *a, const big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static void big_subtract(big *a, const big *b) /* a >= b */
{
    int64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->n ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->n && !a->limb[a->n - 1])
        a->n--;
}

static int big_compare_sum(const big *a, const big *b, const big *c) /* a + b against c */
{
    big sum = *a;
    uint64_t carry = 0;
    for (int i = 0; i < b->n || carry; i++) {
        if (i == sum.n)
            sum.limb[sum.n++] = 0;
        carry += (uint64_t)sum.limb[i] + (i < b->n ? b->limb[i] : 0);
        sum.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return big_compare(&sum, c);
}

/* ---- the shortest digits ---- */

/* Digits of x > 0, finite, as characters; returns how many. The value is 0.d1d2... * 10^*point. */
static int shortest(double x, char digits[20], int *point)
{
    int e;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(x, &e), 53); /* x = mantissa * 2^(e - 53) */
    int power = e - 53;
    uint64_t m = mantissa;
    if (power < -1074) { /* subnormal: the unit is 2^-1074 */
        m >>= -1074 - power;
        power = -1074;
    }
    const bool even = !(m & 1); /* then the interval's ends read back as x too */
    const bool uneven = m == (uint64_t)1 << 52 && power > -1074; /* the neighbour below is half as far */
    /* x = r / s; the interval reaches from (r - down) / s to (r + up) / s */
    big r, s, up, down;
    big_set(&r, m);
    big_set(&s, 1);
    big_set(&up, 1);
    big_set(&down, 1);
    const int extra = uneven ? 2 : 1;
    big_times_pow2(&r, extra + (power > 0 ? power : 0));
    big_times_pow2(&s, extra + (power < 0 ? -power : 0));
    big_times_pow2(&up, extra - 1 + (power > 0 ? power : 0));
    big_times_pow2(&down, power > 0 ? power : 0);

    int k = (int)ceil((e - 1) * 0.30102999566398119 - 1e-10); /* log10(x) rounded up, or one too small */
    if (k > 0) {
        big_times_pow10(&s, k);
    } else {
        big_times_pow10(&r, -k);
        big_times_pow10(&up, -k);
        big_times_pow10(&down, -k);
    }
    const int top = big_compare_sum(&r, &up, &s);
    if (top > 0 || (top == 0 && even)) {
        k++;
        big_scale(&s, 10);
    }
    int n = 0;
    for (;;) {
        big_scale(&r, 10);
        big_scale(&up, 10);
        big_scale(&down, 10);
        int digit = 0;
        for (; big_compare(&r, &s) >= 0; digit++)
            big_subtract(&r, &s);
        const int below = big_compare(&r, &down), above = big_compare_sum(&r, &up, &s);
        const bool low = below < 0 || (below == 0 && even), high = above > 0 || (above == 0 && even);
        if (low || high) {
            const int half = big_compare_sum(&r, &r, &s);
            digit += high && (!low || half > 0 || (half == 0 && digit & 1));
            digits[n++] = (char)('0' + digit);
            break;
        }
        digits[n++] = (char)('0' + digit);
    }
    *point = k;
    return n;
}

/* ---- layout ---- */

static int put_text(char *text, const char *what)
{
    const size_t n = strlen(what);
    memcpy(text, what, n + 1);
    return (int)n;
}

static char *put_run(char *at, char c, int n)
{
    memset(at, c, (size_t)n);
    return at + n;
}

static char *put_digits(char *at, const char *digits, int n)
{
    memcpy(at, digits, (size_t)n);
    return at + n;
}

/* Python's float text; a complex number's parts have no ".0". */
static int put_double(char *text, double x, bool point_zero)
{
    if (x != x)
        return put_text(text, "nan");
    char *at = text;
    if (signbit(x))
        *at++ = '-';
    if (isinf(x))
        return (int)(at - text) + put_text(at, "inf");
    char digits[20] = "0";
    int point = 1, n = 1;
    if (x != 0)
        n = shortest(fabs(x), digits, &point);
    if (point > 16 || point < -3) {
        *at++ = digits[0];
        if (n > 1) {
            *at++ = '.';
            at = put_digits(at, digits + 1, n - 1);
        }
        int exponent = point - 1;
        *at++ = 'e';
        *at++ = exponent < 0 ? '-' : '+';
        if (exponent < 0)
            exponent = -exponent;
        if (exponent < 10)
            *at++ = '0';
        return (int)(at - text) + kt__format_int(at, exponent);
    }
    if (point <= 0) {
        *at++ = '0';
        *at++ = '.';
        at = put_run(at, '0', -point);
        at = put_digits(at, digits, n);
    } else if (n <= point) {
        at = put_digits(at, digits, n);
        at = put_run(at, '0', point - n);
        if (point_zero) {
            *at++ = '.';
            *at++ = '0';
        }
    } else {
        at = put_digits(at, digits, point);
        *at++ = '.';
        at = put_digits(at, digits + point, n - point);
    }
    *at = '\0';
    return (int)(at - text);
}

int kt__format_double(char *text, double x)
{
    return put_double(text, x, true);
}

int kt__format_uint(char *text, uint64_t x)
{
    char reversed[20];
    int n = 0;
    do
        reversed[n++] = (char)('0' + x % 10);
    while (x /= 10);
    for (int i = 0; i < n; i++)
        text[i] = reversed[n - 1 - i];
    text[n] = '\0';
    return n;
}

int kt__format_int(char *text, int64_t x)
{
    if (x >= 0)
        return kt__format_uint(text, (uint64_t)x);
    text[0] = '-';
    return 1 + kt__format_uint(text + 1, -(uint64_t)x);
}

static int put_complex(char *text, double re, double im)
{
    char *at = text;
    const bool imaginary = re == 0 && !signbit(re);
    if (!imaginary) {
        *at++ = '(';
        at += put_double(at, re, false);
        if (im != im || !signbit(im))
            *at++ = '+';
    }
    at += put_double(at, im, false);
    *at++ = 'j';
    if (!imaginary)
        *at++ = ')';
    *at = '\0';
    return (int)(at - text);
}

int kt__format_scalar(char *text, kt_scalar value)
{
    switch (value.kind) {
    case KT_SCALAR_BOOL: return put_text(text, value.v.i ? "True" : "False");
    case KT_SCALAR_INT:
        return value.is_unsigned ? kt__format_uint(text, (uint64_t)value.v.i) : kt__format_int(text, value.v.i);
    case KT_SCALAR_FLOAT: return kt__format_double(text, value.v.re);
    case KT_SCALAR_COMPLEX: return put_complex(text, value.v.re, value.im);
    default: return put_text(text, "None");
    }
}

int kt__format_element(char *text, const void *element, kt_dtype d)
{
    return kt__format_scalar(text, kt_scalar_load(element, d));
}
