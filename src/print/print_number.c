/* print_number.c - how the numbers of one tensor look when printed.
 *
 * In: elements and the print options. Out: one style for all of them, and the text of each, whose decimal point is a
 * point whatever the locale. Independent of: tensors, brackets, lines. */
#include "print/print.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_WHOLE = 330 }; /* digits of the largest double, sign, point, exponent and some air */

size_t kt__number_room(int precision)
{
    return (size_t)precision + LONGEST_WHOLE;
}

/* C's printf writes the locale's decimal point, perhaps of several bytes: what is no part of a number becomes ".". */
static int64_t force_point(char *text, int64_t length)
{
    int64_t to = 0;
    bool    in_point = false;
    for (int64_t from = 0; from < length; from++) {
        const char c = text[from];
        if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e') {
            text[to++] = c;
            in_point = false;
        } else if (!in_point) {
            text[to++] = '.';
            in_point = true;
        }
    }
    text[to] = '\0';
    return to;
}

static int64_t write_name(char *to, const char *name)
{
    const size_t n = strlen(name);
    memcpy(to, name, n + 1);
    return (int64_t)n;
}

static int64_t write_float(char *to, size_t room, const kt__number_style *style, double x)
{
    if (isnan(x))
        return write_name(to, "nan");
    if (isinf(x))
        return write_name(to, x > 0 ? "inf" : "-inf");
    int n = 0;
    if (style->look == KT__LOOK_SCIENTIFIC)
        n = snprintf(to, room, "%.*e", style->precision, x);
    else if (style->look == KT__LOOK_FIXED)
        n = snprintf(to, room, "%.*f", style->precision, x);
    else
        n = snprintf(to, room, "%.0f.", x);
    if (n < 0 || (size_t)n >= room) { /* the C library found no memory for its digits */
        kt__fail_memory(room);
        return -1;
    }
    return force_point(to, n);
}

static double float_part(kt_scalar element, int part)
{
    return part ? element.im : element.v.re;
}

int64_t kt__number_write(char *to, size_t room, const kt__number_style *style, kt_scalar element, int part)
{
    if (style->look == KT__LOOK_BOOL)
        return write_name(to, element.v.i ? "True" : "False");
    if (style->look != KT__LOOK_INT)
        return write_float(to, room, style, float_part(element, part));
    if (element.is_unsigned)
        return snprintf(to, room, "%llu", (unsigned long long)element.v.i);
    return snprintf(to, room, "%lld", (long long)element.v.i);
}

static kt_scalar load(const kt__printable *p, int64_t i)
{
    return kt_scalar_load(p->elements + (size_t)i * kt_dtype_size(p->dtype), p->dtype);
}

/* Zeros and non-finite values have no say in how floats look. float8_e8m0fnu is odd, and PyTorch's text shows it: its
 * least number, which a zero is stored as, counts as a zero, and a NaN of it does have a say. */
static bool counts(const kt__printable *p, double x)
{
    if (p->dtype == KT_E8M0FNU)
        return x != 0x1p-127;
    return isfinite(x) && x != 0;
}

/* A tensor of nothing that counts is "whole". */
static kt__look float_look(const kt__printable *p, int64_t n, int part, int sci_mode)
{
    double least = INFINITY, most = 0;
    bool   any = false, whole = true, ordered = true;
    for (int64_t i = 0; i < n; i++) {
        const double x = float_part(load(p, i), part), size = fabs(x);
        if (!counts(p, x))
            continue;
        any = true;
        ordered = ordered && !isnan(x);
        least = size < least ? size : least;
        most = size > most ? size : most;
        whole = whole && x == ceil(x);
    }
    if (!any)
        return KT__LOOK_WHOLE;
    const bool spread = ordered && (most / least > 1000.0 || most > 1e8 || least < 1e-4);
    if (sci_mode < 0 ? spread : sci_mode != 0)
        return KT__LOOK_SCIENTIFIC;
    return whole ? KT__LOOK_WHOLE : KT__LOOK_FIXED;
}

bool kt__number_style_of(kt__number_style *style, const kt__printable *p, int64_t n, int part,
                         const kt_print_options *options, char *scratch)
{
    const kt_category category = kt_dtype_category(p->dtype);
    const bool        is_float = category == KT_CAT_FLOAT || category == KT_CAT_COMPLEX;
    *style = (kt__number_style){category == KT_CAT_INT ? KT__LOOK_INT : KT__LOOK_BOOL, options->precision, 1};
    if (is_float)
        style->look = float_look(p, n, part, options->sci_mode);
    for (int64_t i = 0; i < n; i++) {
        const kt_scalar element = load(p, i);
        if (is_float && !counts(p, float_part(element, part)))
            continue;
        const int64_t width = kt__number_write(scratch, kt__number_room(options->precision), style, element, part);
        if (width < 0)
            return false;
        style->width = width > style->width ? width : style->width;
    }
    return true;
}
