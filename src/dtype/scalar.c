/* scalar.c - scalars: read from an element, written to one, and whether a dtype can hold one.
 *
 * In: kt_scalar, elements, dtypes. Out: kt_scalar_load, kt_scalar_store, kt_scalar_fits, the dtype that a number has.
 * Independent of: tensors; which operators ask. */
#include "dtype/dtype.h"
#include "dtype/value.h"

#include <math.h>
#include <string.h>

kt_scalar kt_scalar_load(const void *element, kt_dtype d)
{
    const kt_scalar none = {{0}, 0.0, 0, 0};
    if (!element)
        return none;
    switch (kt_dtype_category(d)) {
    case KT_CAT_BOOL: return KT_FLAG(*(const uint8_t *)element != 0);
    case KT_CAT_INT: {
        int64_t i;
        kt__convert(&i, KT_I64, 0, element, d, 0, 1);
        kt_scalar s = KT_INT(i);
        s.is_unsigned = d == KT_U64 && i < 0;
        return s;
    }
    case KT_CAT_FLOAT: {
        double x;
        kt__convert(&x, KT_F64, 0, element, d, 0, 1);
        return KT_FLOAT(x);
    }
    case KT_CAT_COMPLEX: {
        double z[2];
        kt__convert(z, KT_C128, 0, element, d, 0, 1);
        return KT_COMPLEX(z[0], z[1]);
    }
    }
    return none;
}

void kt_scalar_store(void *element, kt_dtype d, kt_scalar value)
{
    if (!element || !kt__dtype_valid(d))
        return;
    switch (value.kind) {
    case KT_SCALAR_FLOAT: kt__convert(element, d, 0, &value.v.re, KT_F64, 0, 1); break;
    case KT_SCALAR_COMPLEX: {
        const double z[2] = {value.v.re, value.im};
        kt__convert(element, d, 0, z, KT_C128, 0, 1);
        break;
    }
    default: kt__convert(element, d, 0, &value.v.i, value.is_unsigned ? KT_U64 : KT_I64, 0, 1);
    }
}

static bool int_fits(kt_scalar s, int64_t min, uint64_t max)
{
    const int64_t i = s.v.i;
    if (s.is_unsigned || i >= 0)
        return (uint64_t)i <= max;
    if (min == 0) /* PyTorch lets a negative number wrap into an unsigned type of its size */
        return -(uint64_t)i <= max;
    return i >= min;
}

/* Infinity and NaN fit every float. */
static bool part_fits(double x, double largest)
{
    return !isfinite(x) || fabs(x) <= largest;
}

/* PyTorch's rule, as fill_ and full apply it: a real float narrower than float32 takes any number (it may become
 * infinite there), float32 and the complex types refuse what their range does not hold. */
bool kt_scalar_fits(kt_scalar value, kt_dtype d)
{
    if (!kt__dtype_valid(d))
        return false;
    const kt__dtype_row *row = &kt__dtype_rows[d];
    if (row->kind == KT__KIND_BOOL)
        return true;
    const bool is_int = value.kind != KT_SCALAR_FLOAT && value.kind != KT_SCALAR_COMPLEX;
    double re = value.v.re, im = value.kind == KT_SCALAR_COMPLEX ? value.im : 0.0;
    if (is_int)
        re = value.is_unsigned ? (double)(uint64_t)value.v.i : (double)value.v.i;
    if (row->category != KT_CAT_COMPLEX && im != 0)
        return false;
    int64_t min;
    uint64_t max;
    if (kt__int_range(d, &min, &max))
        return is_int ? int_fits(value, min, max) : re >= (double)min && re <= (double)max;
    if (row->category == KT_CAT_FLOAT && d != KT_F32)
        return true;
    kt_finfo info;
    return kt_dtype_finfo(d, &info) == KT_OK && part_fits(re, info.max) && part_fits(im, info.max);
}

/* ---- numbers beside dtypes ---- */

kt_dtype kt__dtype_of_number(kt_scalar s)
{
    switch (s.kind) {
    case KT_SCALAR_BOOL: return KT_BOOL;
    case KT_SCALAR_INT: return KT_I64;
    case KT_SCALAR_FLOAT: return kt_get_default_dtype();
    default: return kt_dtype_complex(kt_get_default_dtype());
    }
}

double kt__as_double(kt_scalar s)
{
    return s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re : (double)s.v.i;
}

bool kt__holds(kt_scalar s, kt_dtype d)
{
    kt_finfo f;
    if (!kt_scalar_fits(s, d))
        return false;
    if (kt__dtype_rows[d].category != KT_CAT_FLOAT || d == KT_F64 || kt_dtype_finfo(d, &f))
        return true;
    const double x = kt__as_double(s);
    return !isfinite(x) || fabs(x) <= f.max;
}

kt_dtype kt__arithmetic_of(kt_dtype d)
{
    return kt__dtype_rows[d].category == KT_CAT_FLOAT && kt_dtype_size(d) < 4 ? KT_F32 : d;
}
