/* windows.c - windows and frequencies: tensors made out of nothing. In: calls of MAKE rows of fourier.def. Out: a new tensor.
 *
 * The steps, and the dtype that they are rounded to, are those that give PyTorch's last bits. */
#include <math.h>

#include "call/deterministic.h"
#include "call/made.h"
#include "call/refuse.h"
#include "ops/make/make.h"

#define PI 3.14159265358979323846

/* ---- windows: (window_length, periodic, ..., dtype, device, requires_grad) ---- */

typedef struct window {
    kt__make_options o;
    int64_t          n; /* points of the symmetric one; a periodic one leaves out the last */
    bool             periodic;
    kt_tensor       *k; /* 0, 1, ... n - 1; NULL: the window is made already */
    kt_tensor       *made;
} window;

static kt_status begin(kt_call *call, int options_at, window *w)
{
    const int64_t length = call->arg[0].i;
    if (kt__read_options(call, options_at, kt_get_default_dtype(), NULL, &w->o))
        return kt_error_status();
    if (kt__dtype_rows[w->o.dtype].category == KT_CAT_COMPLEX)
        return kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"arange_cpu\" not implemented for '%s'",
                              kt_dtype_torch_name(w->o.dtype));
    if (kt__dtype_rows[w->o.dtype].category != KT_CAT_FLOAT)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "%s expects floating point dtypes, got: TensorOptions(dtype=%s, device=cpu, "
                              "layout=Strided (default), requires_grad=false (default), pinned_memory=false, "
                              "memory_format=(nullopt))", call->row->name, kt_dtype_c_name(w->o.dtype));
    if (length < 0)
        return kt_fail(KT_ERR_RUNTIME, "%s requires non-negative window_length, got window_length=%lld", call->row->name,
                       (long long)length);
    w->periodic = kt__arg_bool(call, 1);
    w->n = length + w->periodic;
    if (length <= 1) {
        w->made = kt_ones(KT_SHAPE(length), .dtype = w->o.dtype, .device = w->o.device);
        return w->made ? KT_OK : kt_error_status();
    }
    w->k = kt_arange(KT_INT(0), KT_INT(w->n), .dtype = w->o.dtype, .device = w->o.device);
    return w->k ? KT_OK : kt_error_status();
}

static kt_status end(kt_call *call, window *w, kt_tensor *made)
{
    if (made && w->periodic && w->k)
        made = kt_clone(kt_narrow(made, 0, 0, w->n - 1));
    return kt__born(call, made ? kt__ref(made) : NULL, &w->o, KT_OK);
}

kt_status kt__body_bartlett_window(kt_call *call)
{
    KT_SCOPE;
    window w = {0};
    if (begin(call, 2, &w))
        return kt_error_status();
    if (w.made)
        return end(call, &w, w.made);
    const int64_t half = (w.n - 1) / 2 + 1;
    kt_tensor    *rise = kt_mul_s(w.k, KT_FLOAT(2.0 / (double)(w.n - 1)));
    kt_tensor    *fall = kt_rsub_s(kt_narrow(rise, 0, half, w.n - half), KT_INT(2));
    kt_tensor    *parts[] = {kt_narrow(rise, 0, 0, half), fall};
    return end(call, &w, parts[0] && fall ? kt_cat(parts, 2) : NULL);
}

/* alpha - beta cos(2 pi k / (n - 1)) */
static kt_status raised_cosine(kt_call *call, int options_at, double alpha, double beta)
{
    KT_SCOPE;
    window w = {0};
    if (begin(call, options_at, &w))
        return kt_error_status();
    if (w.made)
        return end(call, &w, w.made);
    kt_tensor *cosine = kt_cos(kt_mul_s(w.k, KT_FLOAT(PI * 2.0 / (double)(w.n - 1))));
    return end(call, &w, kt_add_s(kt_mul_s(cosine, KT_FLOAT(-beta)), KT_FLOAT(alpha)));
}

kt_status kt__body_hann_window(kt_call *call) { return raised_cosine(call, 2, 0.5, 0.5); }
kt_status kt__body_hamming_window(kt_call *call)
{
    return raised_cosine(call, 4, kt__arg(call, 2)->f, kt__arg(call, 3)->f);
}

kt_status kt__body_blackman_window(kt_call *call)
{
    KT_SCOPE;
    window w = {0};
    if (begin(call, 2, &w))
        return kt_error_status();
    if (w.made)
        return end(call, &w, w.made);
    kt_tensor *angle = kt_mul_s(w.k, KT_FLOAT(PI / (double)(w.n - 1)));
    kt_tensor *fourth = kt_mul_s(kt_cos(kt_mul_s(angle, KT_INT(4))), KT_FLOAT(0.08));
    kt_tensor *second = kt_mul_s(kt_cos(kt_mul_s(angle, KT_INT(2))), KT_FLOAT(0.5));
    return end(call, &w, kt_add_s(kt_sub(fourth, second), KT_FLOAT(0.42)));
}

/* I0(beta sqrt(1 - x x)) / I0(beta), x from -1 to 1 */
kt_status kt__body_kaiser_window(kt_call *call)
{
    KT_SCOPE;
    window       w = {0};
    const double beta = kt__arg(call, 2)->f;
    if (begin(call, 3, &w))
        return kt_error_status();
    if (w.made)
        return end(call, &w, w.made);
    const kt_dtype wide = w.o.dtype == KT_F64 ? KT_F64 : KT_F32;
    kt_tensor     *x = kt_add_s(kt_mul_s(kt__converted_inside(w.k, wide, KT_WHY_PROMOTION), KT_FLOAT(2.0 / (double)(w.n - 1))),
                                KT_INT(-1));
    kt_tensor *bell = kt_i0(kt_mul_s(kt_sqrt(kt_rsub_s(kt_mul(x, x), KT_INT(1))), KT_FLOAT(beta)));
    kt_tensor *peak = kt_i0(kt_full(KT_SHAPE(), KT_FLOAT(beta), .dtype = wide, .device = w.o.device));
    return end(call, &w, kt__converted_inside(kt_div(bell, peak), w.o.dtype, KT_WHY_RESULT));
}

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
