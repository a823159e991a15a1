/* transforms.c - torch.fft's names, made of the kernel's rows: which dims, how many points, which normalization.
 *
 * In: calls of the rows fft_*. Out: results, or PyTorch's refusals, in its order. */
#include "call/made.h"
#include "call/target.h"
#include "ops/fourier/fourier.h"

#include <string.h>

enum { SELF, POINTS, DIM, NORM }; /* arguments of the rows of one dim; of others POINTS are `s` */

typedef struct span { /* dims, and how many points of each are transformed */
    int     n;
    int64_t dim[KT_MAX_DIMS], points[KT_MAX_DIMS];
} span;

static kt_shape dims_of(const span *s) { return (kt_shape){s->n, s->dim}; }

static kt_status fail_points(int64_t n)
{
    return kt_fail(KT_ERR_RUNTIME, "Invalid number of data points (%lld) specified", (long long)n);
}

/* `norm` says which direction is divided. */
static kt_status read_norm(const kt_call *call, bool forward, int64_t *normalization)
{
    const char *norm = kt__given(call, NORM) ? call->arg[NORM].str : NULL;
    const bool  none = !norm || strcmp(norm, "backward") == 0;
    if (!none && strcmp(norm, "forward") != 0 && strcmp(norm, "ortho") != 0)
        return kt_fail(KT_ERR_RUNTIME, "Invalid normalization mode: \"%s\"", norm);
    *normalization = norm && norm[0] == 'o' ? KT__NORM_BY_ROOT : none == forward ? KT__NORM_NONE : KT__NORM_BY_COUNT;
    return KT_OK;
}

/* As floats: integers become the default one, which a policy judges; complex ones, if the row wants those, are the row's own. */
static kt_tensor *as_floats(kt_tensor *t, bool complex)
{
    if (kt__dtype_rows[t->dtype].category & (KT_CAT_BOOL | KT_CAT_INT))
        t = kt__converted(t, kt_get_default_dtype(), KT_WHY_PROMOTION);
    if (!t || !complex || kt__dtype_rows[t->dtype].category == KT_CAT_COMPLEX)
        return t;
    return kt__converted_inside(t, t->dtype == KT_F64 ? KT_C128 : KT_C64, KT_WHY_PROMOTION);
}

/* Dims longer than that are cut, shorter ones get zeros at their ends. */
static kt_tensor *with_points(kt_tensor *t, const span *s)
{
    int64_t pad[2 * KT_MAX_DIMS] = {0};
    bool    pads = false;
    for (int i = 0; i < s->n && t; i++) {
        const int64_t have = t->sizes[s->dim[i]];
        pads |= s->points[i] > have;
        if (s->points[i] > have)
            pad[2 * (t->ndim - 1 - s->dim[i]) + 1] = s->points[i] - have;
        else if (s->points[i] < have)
            t = kt_slice(t, .dim = s->dim[i], .end = KT_SOME(s->points[i]));
    }
    return pads && t ? kt_constant_pad_nd(t, ((kt_shape){2 * (int64_t)t->ndim, pad})) : t;
}

static kt_status check_all_points(const span *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->points[i] < 1)
            return fail_points(s->points[i]);
    return KT_OK;
}

/* The operand as it is transformed; NULL: refused. */
static kt_tensor *prepared(const kt_call *call, bool forward, bool complex, const span *s, int64_t *normalization)
{
    if (check_all_points(s) || read_norm(call, forward, normalization))
        return NULL;
    kt_tensor *x = as_floats(call->arg[SELF].t, complex);
    return x ? with_points(x, s) : NULL;
}

/* A target that gets the result's sizes lies in rows, however the result does. */
static kt_status transformed(kt_call *call, kt_tensor *y)
{
    if (y && call->form == KT_OUT && (kt__check_ends(call, &y, 1) || kt__bind_target(call->out[0], kt__sizes(y), NULL)))
        return kt_error_status();
    return kt__end(call, y);
}

/* The other direction of real numbers is the conjugate; a target is written as by any elementwise operator. */
static kt_status conjugated(kt_call *call, kt_tensor *y)
{
    kt_call c;
    if (!y || call->form != KT_OUT)
        return kt__end(call, y ? kt_conj(y) : NULL);
    kt__open(&c, KT_OP_conj_physical, KT_OUT);
    kt__put_tensor(&c, 0, y);
    return kt__run_as(call, &c);
}

/* ---- one dim ---- */

static kt_status read_one(const kt_call *call, span *s)
{
    const kt_tensor *self = call->arg[SELF].t;
    s->n = 1;
    s->dim[0] = kt__arg_int(call, DIM);
    if (self->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)s->dim[0]);
    if (kt__wrap_dim(&s->dim[0], self->ndim))
        return kt_error_status();
    s->points[0] = kt__given(call, POINTS) ? call->arg[POINTS].i : self->sizes[s->dim[0]];
    return KT_OK;
}

/* half: of real numbers, whose other half follows from it. */
static kt_status transform(kt_call *call, bool forward, bool half)
{
    KT_SCOPE;
    span    s;
    int64_t normalization;
    if (read_one(call, &s))
        return kt_error_status();
    kt_tensor *x = prepared(call, forward, false, &s, &normalization);
    if (!x)
        return kt_error_status();
    const bool complex = kt__dtype_rows[x->dtype].category == KT_CAT_COMPLEX;
    kt_tensor *y = complex ? kt_fft_c2c(x, dims_of(&s), normalization, forward)
                           : kt_fft_r2c(x, dims_of(&s), normalization, half);
    return complex || forward ? transformed(call, y) : conjugated(call, y);
}

static kt_status real_of_half(kt_call *call, bool forward)
{
    KT_SCOPE;
    span    s;
    int64_t normalization;
    if (read_one(call, &s))
        return kt_error_status();
    const int64_t n = kt__given(call, POINTS) ? s.points[0] : 2 * (s.points[0] - 1);
    if (n < 1)
        return fail_points(n);
    s.points[0] = n / 2 + 1;
    kt_tensor *x = prepared(call, forward, true, &s, &normalization);
    x = x && forward ? kt_conj(x) : x;
    return transformed(call, x ? kt_fft_c2r(x, dims_of(&s), normalization, n) : NULL);
}

kt_status kt__body_fft_fft(kt_call *call) { return transform(call, true, false); }
kt_status kt__body_fft_ifft(kt_call *call) { return transform(call, false, false); }
kt_status kt__body_fft_rfft(kt_call *call) { return transform(call, true, true); }
kt_status kt__body_fft_ihfft(kt_call *call) { return transform(call, false, true); }
kt_status kt__body_fft_irfft(kt_call *call) { return real_of_half(call, false); }
kt_status kt__body_fft_hfft(kt_call *call) { return real_of_half(call, true); }

/* ---- several dims ---- */

static kt_status read_given_dims(const kt_call *call, kt_shape given, span *s)
{
    const kt_tensor *self = call->arg[SELF].t;
    s->n = (int)given.n;
    if (given.n > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "FFT dims must be unique");
    for (int i = 0; i < s->n; i++) {
        s->dim[i] = given.d[i];
        if (self->ndim == 0)
            return kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)given.d[i]);
        if (kt__wrap_dim(&s->dim[i], self->ndim))
            return kt_error_status();
    }
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < i; k++)
            if (s->dim[i] == s->dim[k])
                return kt_fail(KT_ERR_RUNTIME, "FFT dims must be unique");
    return KT_OK;
}

/* Without dims: the last ones, as many as there are sizes; without either all. The rows of two dims have a default.
 * needs_one: the name of a row that transforms at least one; NULL: it may be none. */
static kt_status read_several(const kt_call *call, bool has_dims, const char *needs_one, span *s)
{
    const kt_tensor *self = call->arg[SELF].t;
    const bool       sized = kt__given(call, POINTS), named = has_dims || kt__given(call, DIM);
    const kt_shape   sizes = sized ? call->arg[POINTS].ints : (kt_shape){0, NULL};
    int64_t          last[KT_MAX_DIMS];
    kt_shape         given = named ? kt__arg_ints(call, DIM) : (kt_shape){sized ? sizes.n : self->ndim, last};
    if (!named && given.n > self->ndim)
        return kt_fail(KT_ERR_RUNTIME, "Got shape with %lld values but input tensor only has %d dimensions.", (long long)given.n,
                       self->ndim);
    for (int64_t i = 0; i < given.n && !named; i++)
        last[i] = self->ndim - given.n + i;
    if (read_given_dims(call, given, s))
        return kt_error_status();
    if (sized && sizes.n != given.n)
        return kt_fail(KT_ERR_RUNTIME, "When given, dim and shape arguments must have the same length");
    for (int i = 0; i < s->n; i++) {
        s->points[i] = sized && sizes.d[i] != -1 ? sizes.d[i] : self->sizes[s->dim[i]];
        if (s->points[i] < 1 && (sized || i < s->n - 1))
            return fail_points(s->points[i]);
    }
    return s->n || !needs_one ? KT_OK : kt_fail(KT_ERR_RUNTIME, "%s must transform at least one axis", needs_one);
}

static kt_status transform_all(kt_call *call, bool has_dims, bool forward)
{
    KT_SCOPE;
    span    s;
    int64_t normalization;
    if (read_several(call, has_dims, NULL, &s))
        return kt_error_status();
    kt_tensor *x = prepared(call, forward, true, &s, &normalization);
    return transformed(call, x ? kt_fft_c2c(x, dims_of(&s), normalization, forward) : NULL);
}

/* The last dim becomes its first half; of the inverse, what that gives is conjugated before the other dims are transformed. */
static kt_status half_of_reals(kt_call *call, bool has_dims, bool forward)
{
    KT_SCOPE;
    span    s;
    int64_t normalization;
    if (read_several(call, has_dims, forward ? "rfftn" : "ihfftn", &s))
        return kt_error_status();
    kt_tensor *x = prepared(call, forward, false, &s, &normalization);
    if (!x)
        return kt_error_status();
    if (forward)
        return transformed(call, kt_fft_r2c(x, dims_of(&s), normalization, true));
    kt_tensor *y = kt_fft_r2c(x, ((kt_shape){1, s.dim + s.n - 1}), normalization, true);
    if (!y || !(y = kt_conj(y)))
        return kt_error_status();
    return transformed(call, s.n == 1 ? y : kt_fft_c2c(y, ((kt_shape){s.n - 1, s.dim}), normalization, false));
}

static kt_status reals_of_half(kt_call *call, bool has_dims, bool forward)
{
    KT_SCOPE;
    span    s;
    int64_t normalization;
    if (read_several(call, has_dims, forward ? "hfftn" : "irfftn", &s))
        return kt_error_status();
    const int  last = s.n - 1;
    const bool said = kt__given(call, POINTS) && call->arg[POINTS].ints.d[last] != -1;
    const int64_t n = said ? s.points[last] : 2 * (s.points[last] - 1);
    if (n < 1)
        return fail_points(n);
    s.points[last] = n / 2 + 1;
    kt_tensor *x = prepared(call, forward, true, &s, &normalization);
    if (!x)
        return kt_error_status();
    if (!forward)
        return transformed(call, kt_fft_c2r(x, dims_of(&s), normalization, n));
    if (last > 0 && !(x = kt_fft_c2c(x, ((kt_shape){last, s.dim}), normalization, true)))
        return kt_error_status();
    x = kt_conj(x);
    return transformed(call, x ? kt_fft_c2r(x, ((kt_shape){1, s.dim + last}), normalization, n) : NULL);
}

kt_status kt__body_fft_fft2(kt_call *call) { return transform_all(call, true, true); }
kt_status kt__body_fft_ifft2(kt_call *call) { return transform_all(call, true, false); }
kt_status kt__body_fft_rfft2(kt_call *call) { return half_of_reals(call, true, true); }
kt_status kt__body_fft_ihfft2(kt_call *call) { return half_of_reals(call, true, false); }
kt_status kt__body_fft_irfft2(kt_call *call) { return reals_of_half(call, true, false); }
kt_status kt__body_fft_hfft2(kt_call *call) { return reals_of_half(call, true, true); }
kt_status kt__body_fft_fftn(kt_call *call) { return transform_all(call, false, true); }
kt_status kt__body_fft_ifftn(kt_call *call) { return transform_all(call, false, false); }
kt_status kt__body_fft_rfftn(kt_call *call) { return half_of_reals(call, false, true); }
kt_status kt__body_fft_ihfftn(kt_call *call) { return half_of_reals(call, false, false); }
kt_status kt__body_fft_irfftn(kt_call *call) { return reals_of_half(call, false, false); }
kt_status kt__body_fft_hfftn(kt_call *call) { return reals_of_half(call, false, true); }

/* ---- shifts: half of each dim, rounded down, or, back, up ---- */

static kt_status shift(kt_call *call, bool back)
{
    KT_SCOPE;
    kt_tensor     *self = call->arg[SELF].t;
    int64_t        all[KT_MAX_DIMS], by[KT_MAX_DIMS];
    const kt_shape given = kt__given(call, 1) ? call->arg[1].ints : (kt_shape){self->ndim, all};
    for (int i = 0; i < self->ndim; i++)
        all[i] = i;
    if (given.n > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "shifts and dimensions must align. shifts: %lld, dims:%lld", (long long)given.n,
                       (long long)given.n);
    for (int64_t i = 0; i < given.n; i++) {
        int64_t dim = given.d[i];
        if (kt__wrap_dim(&dim, self->ndim))
            return kt_error_status();
        const int64_t size = self->ndim ? self->sizes[dim] : 1;
        by[i] = back ? (size + 1) / 2 : size / 2;
    }
    return kt__end(call, given.n ? kt_roll(self, ((kt_shape){given.n, by}), .dims = given) : kt_clone(self));
}

kt_status kt__body_fft_fftshift(kt_call *call) { return shift(call, false); }
kt_status kt__body_fft_ifftshift(kt_call *call) { return shift(call, true); }
