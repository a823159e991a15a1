/* windows.c - windows and frequencies: tensors made out of nothing. In: calls of MAKE rows of fourier.def. Out: a new tensor.
 *
 * The steps, and the dtype that they are rounded to, are those that give PyTorch's last bits. */
#include "call/made.h"
#include "call/refuse.h"
#include "ops/make/make.h"

#define PI 3.14159265358979323846

/* ---- windows: (window_length, periodic, ..., dtype, device, requires_grad) ---- */

typedef struct window {
    kt_dtype dtype;
    int64_t  n; /* points of the symmetric one; a periodic one leaves out the last */
    double   numbers[2];
} window;

typedef kt_tensor *values_fn(const window *w, kt_tensor *k); /* at the points k: 0, 1, ... n - 1; there are two at least */

static kt_status check_window(const kt_call *call, kt_dtype dtype)
{
    const int64_t length = call->arg[0].i;
    if (kt__dtype_rows[dtype].category == KT_CAT_COMPLEX)
        return kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"arange_cpu\" not implemented for '%s'",
                              kt_dtype_torch_name(dtype));
    if (kt__dtype_rows[dtype].category != KT_CAT_FLOAT)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "%s expects floating point dtypes, got: TensorOptions(dtype=%s, device=cpu, "
                              "layout=Strided (default), requires_grad=false (default), pinned_memory=false, "
                              "memory_format=(nullopt))", call->row->name, kt_dtype_c_name(dtype));
    return length < 0 ? kt_fail(KT_ERR_RUNTIME, "%s requires non-negative window_length, got window_length=%lld",
                                call->row->name, (long long)length)
                      : KT_OK;
}

static kt_status make_window(kt_call *call, int options_at, values_fn *values, double first, double second)
{
    KT_SCOPE;
    const int64_t    length = call->arg[0].i;
    kt__make_options o;
    if (kt__read_options(call, options_at, kt_get_default_dtype(), NULL, &o) || check_window(call, o.dtype))
        return kt_error_status();
    const bool   periodic = kt__arg_bool(call, 1);
    const window w = {o.dtype, length + periodic, {first, second}};
    kt_tensor   *made;
    if (length <= 1) {
        made = kt_ones(KT_SHAPE(length), .dtype = o.dtype, .device = o.device);
    } else {
        kt_tensor *k = kt_arange(KT_INT(0), KT_INT(w.n), .dtype = o.dtype, .device = o.device);
        made = k ? values(&w, k) : NULL;
        made = made && periodic ? kt_clone(kt_narrow(made, 0, 0, length)) : made;
    }
    return kt__born(call, made ? kt__ref(made) : NULL, &o, KT_OK);
}

static kt_tensor *triangle(const window *w, kt_tensor *k)
{
    const int64_t half = (w->n - 1) / 2 + 1;
    kt_tensor    *rise = kt_mul_s(k, KT_FLOAT(2.0 / (double)(w->n - 1)));
    kt_tensor    *fall = kt_rsub_s(kt_narrow(rise, 0, half, w->n - half), KT_INT(2));
    kt_tensor    *parts[] = {kt_narrow(rise, 0, 0, half), fall};
    return parts[0] && fall ? kt_cat(parts, 2) : NULL;
}

/* alpha - beta cos(2 pi k / (n - 1)) */
static kt_tensor *raised_cosine(const window *w, kt_tensor *k)
{
    kt_tensor *cosine = kt_cos(kt_mul_s(k, KT_FLOAT(PI * 2.0 / (double)(w->n - 1))));
    return kt_add_s(kt_mul_s(cosine, KT_FLOAT(-w->numbers[1])), KT_FLOAT(w->numbers[0]));
}

static kt_tensor *three_cosines(const window *w, kt_tensor *k)
{
    kt_tensor *angle = kt_mul_s(k, KT_FLOAT(PI / (double)(w->n - 1)));
    kt_tensor *fourth = kt_mul_s(kt_cos(kt_mul_s(angle, KT_INT(4))), KT_FLOAT(0.08));
    kt_tensor *second = kt_mul_s(kt_cos(kt_mul_s(angle, KT_INT(2))), KT_FLOAT(0.5));
    return kt_add_s(kt_sub(fourth, second), KT_FLOAT(0.42));
}

/* I0(beta sqrt(|1 - x x|)) / I0(beta), x from -1 to 1, or beyond by a rounding: whole numbers are far apart in bfloat16 */
static kt_tensor *bessels(const window *w, kt_tensor *k)
{
    const kt_scalar beta = KT_FLOAT(w->numbers[0]);
    const kt_dtype  wide = w->dtype == KT_F64 ? KT_F64 : KT_F32;
    kt_tensor      *steps = kt_mul_s(kt__converted_inside(k, wide, KT_WHY_PROMOTION), KT_FLOAT(2.0 / (double)(w->n - 1)));
    kt_tensor      *x = kt_add_s(steps, KT_INT(-1));
    kt_tensor      *bell = kt_i0(kt_mul_s(kt_sqrt(kt_abs(kt_rsub_s(kt_mul(x, x), KT_INT(1)))), beta));
    kt_tensor      *peak = kt_i0(kt_full(KT_SHAPE(), beta, .dtype = wide, .device = kt__device(k)));
    return kt__converted_inside(kt_div(bell, peak), w->dtype, KT_WHY_RESULT);
}

kt_status kt__body_bartlett_window(kt_call *call) { return make_window(call, 2, triangle, 0, 0); }
kt_status kt__body_blackman_window(kt_call *call) { return make_window(call, 2, three_cosines, 0, 0); }
kt_status kt__body_hann_window(kt_call *call) { return make_window(call, 2, raised_cosine, 0.5, 0.5); }
kt_status kt__body_hamming_window(kt_call *call)
{
    return make_window(call, 4, raised_cosine, kt__arg(call, 2)->f, kt__arg(call, 3)->f);
}
kt_status kt__body_kaiser_window(kt_call *call) { return make_window(call, 3, bessels, kt__arg(call, 2)->f, 0); }

/* ---- frequencies: (n, d, dtype, device, requires_grad) ---- */

static kt_status frequencies(kt_call *call, bool half)
{
    KT_SCOPE;
    const int64_t    n = call->arg[0].i;
    const double     per_step = 1.0 / ((double)n * kt__arg(call, 1)->f);
    kt__make_options o;
    if (kt__read_options(call, 2, kt_get_default_dtype(), NULL, &o))
        return kt_error_status();
    if (!(kt__dtype_rows[o.dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX)))
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "%s requires a floating point or complex dtype",
                              half ? "rfftfreq" : "fftfreq");
    const int64_t positive = half ? n / 2 + 1 : (n + 1) / 2;
    kt_tensor    *steps = kt_arange(KT_INT(0), KT_INT(positive), .dtype = o.dtype, .device = o.device);
    if (!half && steps) {
        kt_tensor *parts[] = {steps, kt_arange(KT_INT(-(n / 2)), KT_INT(0), .dtype = o.dtype, .device = o.device)};
        steps = parts[1] ? kt_cat(parts, 2) : NULL;
    }
    kt_tensor *made = steps ? kt_mul_s(steps, KT_FLOAT(per_step)) : NULL;
    return kt__born(call, made ? kt__ref(made) : NULL, &o, KT_OK);
}

kt_status kt__body_fft_fftfreq(kt_call *call) { return frequencies(call, false); }
kt_status kt__body_fft_rfftfreq(kt_call *call) { return frequencies(call, true); }
