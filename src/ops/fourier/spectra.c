/* spectra.c - Fourier transforms of overlapping parts of a signal, and the signal that they belong to.
 *
 * In: calls of stft and istft. Out: results made of other operators, or PyTorch's refusals, which show the whole call. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "call/made.h"
#include "call/policy.h"
#include "call/refuse.h"
#include "ops/fourier/fourier.h"

/* ---- the call as its errors show it ---- */

enum { TEXT = 512 };

static const char *optional(const kt_call *call, int at, bool flag, char *room, size_t size)
{
    if (!kt__given(call, at))
        return "None";
    snprintf(room, size, "%" PRId64, flag ? (int64_t)call->arg[at].b : call->arg[at].i);
    return room;
}

static const char *window_text(const kt_call *call, int at, char *room, size_t size)
{
    char             type[64];
    const kt_tensor *w = kt__given(call, at) ? call->arg[at].t : NULL;
    if (!w)
        return "None";
    snprintf(room, size, "%s{%s}", kt__type_text((kt_dtype)w->dtype, type, sizeof type), KT__SIZES_TEXT(w));
    return room;
}

/* ---- parts of a signal: (input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex,
 * align_to_window) ---- */

enum { INPUT, N_FFT, HOP, LENGTH, WINDOW, CENTER, PAD_MODE, NORMALIZED, ONESIDED, RETURN_COMPLEX, ALIGN };

typedef struct parts {
    int64_t n, hop, length; /* points of a part, from part to part, points of the window */
    kt_tensor *window;      /* of n points; NULL: all ones */
} parts;

static bool is_complex(const kt_tensor *t) { return t && kt__dtype_rows[t->dtype].category == KT_CAT_COMPLEX; }

static void read_parts(const kt_call *call, parts *p)
{
    p->n = call->arg[N_FFT].i;
    p->hop = kt__given(call, HOP) ? call->arg[HOP].i : p->n / 4;
    p->length = kt__given(call, LENGTH) ? call->arg[LENGTH].i : p->n;
    p->window = kt__given(call, WINDOW) ? call->arg[WINDOW].t : NULL;
}

/* A window shorter than a part stands in its middle. */
static kt_tensor *around(kt_tensor *t, const parts *p, int64_t dim_size)
{
    const int64_t before = (p->n - p->length) / 2, pad[] = {before, p->n - dim_size - before};
    return t && p->length < p->n ? kt_constant_pad_nd(t, ((kt_shape){2, pad})) : t;
}

static kt_status fail_parts(const kt_call *call, const kt_tensor *input, const parts *p, const char *what)
{
    char type[64], window[128], onesided[32], complex[32], align[32];
    return kt_fail(KT_ERR_RUNTIME, "stft(%s%s, n_fft=%lld, hop_length=%lld, win_length=%lld, window=%s, normalized=%d, "
                   "onesided=%s, return_complex=%s, align_to_window=%s) : expected %s",
                   kt__type_text((kt_dtype)input->dtype, type, sizeof type),
                   KT__SIZES_TEXT(input), (long long)p->n, (long long)p->hop, (long long)p->length,
                   window_text(call, WINDOW, window, sizeof window), (int)kt__arg_bool(call, NORMALIZED),
                   optional(call, ONESIDED, true, onesided, sizeof onesided),
                   optional(call, RETURN_COMPLEX, true, complex, sizeof complex),
                   optional(call, ALIGN, true, align, sizeof align), what);
}

static kt_status check_parts(const kt_call *call, const kt_tensor *input, const parts *p, int64_t points)
{
    char what[TEXT];
    if (!(kt__dtype_rows[input->dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX)))
        return fail_parts(call, input, p, "a tensor of floating point or complex values");
    if (input->ndim > 2 || input->ndim < 1)
        return fail_parts(call, input, p, "a 1D or 2D tensor");
    if (p->n <= 0 || p->n > points) {
        snprintf(what, sizeof what, "0 < n_fft < %lld, but got n_fft=%lld", (long long)points, (long long)p->n);
        return fail_parts(call, input, p, what);
    }
    if (p->hop <= 0) {
        snprintf(what, sizeof what, "hop_length > 0, but got hop_length=%lld", (long long)p->hop);
        return fail_parts(call, input, p, what);
    }
    if (p->length <= 0 || p->length > p->n) {
        snprintf(what, sizeof what, "0 < win_length <= n_fft, but got win_length=%lld", (long long)p->length);
        return fail_parts(call, input, p, what);
    }
    if (p->window && (p->window->ndim != 1 || p->window->sizes[0] != p->length)) {
        snprintf(what, sizeof what, "a 1D window tensor of size equal to win_length=%lld, but got window with size %s",
                 (long long)p->length, KT__SIZES_TEXT(p->window));
        return fail_parts(call, input, p, what);
    }
    return KT_OK;
}

/* Half a part before and after the signal. */
static kt_tensor *centered(kt_tensor *input, int64_t n, const char *how)
{
    const int64_t pad[] = {n / 2, n / 2};
    int64_t       sizes[KT_MAX_DIMS] = {1, 1};
    const int     ndim = input->ndim > 3 ? input->ndim : 3, lacks = ndim - input->ndim;
    for (int i = 0; i < ndim; i++)
        sizes[i] = i < lacks ? 1 : input->sizes[i - lacks];
    kt_tensor *padded = kt_nn_pad(kt_view(input, ((kt_shape){ndim, sizes})), ((kt_shape){2, pad}), .mode = how);
    if (!padded)
        return NULL;
    for (int i = lacks; i < ndim; i++)
        sizes[i - lacks] = padded->sizes[i];
    return kt_view(padded, ((kt_shape){input->ndim, sizes}));
}

/* What the product of parts and window will convert, as the policy judges it: it may be made of temporaries, which none does. */
static kt_status judge(const kt_call *call)
{
    const int      at[] = {INPUT, WINDOW};
    const kt_value both[] = {{.t = call->arg[INPUT].t}, {.t = call->arg[WINDOW].t}};
    kt_dtype       common;
    if (kt_result_type(both, 2, 0, &common))
        return kt_error_status();
    for (int i = 0; i < 2; i++)
        if (kt__allow(kt__mode(), call, kt__arg_spec(call->row, at[i])->name, both[i].t, common, KT_WHY_PROMOTION))
            return kt_error_status();
    return KT_OK;
}

kt_status kt__body_stft(kt_call *call)
{
    KT_SCOPE;
    parts      p;
    kt_tensor *input = call->arg[INPUT].t;
    const bool center = kt__arg_bool(call, CENTER);
    read_parts(call, &p);
    if (center && kt__given(call, ALIGN))
        return kt_fail(KT_ERR_RUNTIME, "stft align_to_window should only be set when center = false");
    if (!p.window)
        KT__WARN_ONCE("A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. "
                      "Other windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral "
                      "leakage.To suppress this warning and use a rectangular window, explicitly set "
                      "`window=torch.ones(n_fft, device=<device>)`.");
    if (center && !(input = centered(input, p.n, kt__arg(call, PAD_MODE)->str)))
        return kt_error_status();
    const bool any_complex = is_complex(input) || is_complex(p.window);
    const bool complex_out = kt__given(call, RETURN_COMPLEX) ? call->arg[RETURN_COMPLEX].b : any_complex;
    if (!kt__given(call, RETURN_COMPLEX) && !complex_out)
        return kt_fail(KT_ERR_RUNTIME, "stft requires the return_complex parameter be given for real inputs, and will further "
                       "require that return_complex=True in a future PyTorch release.");
    if (!complex_out)
        KT__WARN_ONCE("stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex "
                      "tensors for all inputs, and return_complex=False will raise an error.\nNote: you can still call "
                      "torch.view_as_real on the complex output to recover the old return format.");
    const bool aligned = kt__given(call, ALIGN) && call->arg[ALIGN].b && !center;
    int64_t    points = input->ndim ? input->sizes[input->ndim - 1] : 0;
    if (check_parts(call, input, &p, aligned ? points + p.n - p.length : points) || (p.window && judge(call)))
        return kt_error_status();
    const bool single = input->ndim == 1;
    if (single)
        input = kt_unsqueeze(input, 0);
    if (aligned && p.length < p.n)
        input = around(input, &(parts){.n = points + p.n - p.length, .length = points}, points);
    if (!input)
        return kt_error_status();
    points = input->sizes[1];
    const int64_t count = 1 + (points - p.n) / p.hop;
    kt_tensor *x = kt_as_strided(input, KT_SHAPE(input->sizes[0], count, p.n),
                                 KT_SHAPE(input->strides[0], p.hop * input->strides[1], input->strides[1]));
    kt_tensor *window = p.window;
    if (!window && p.length < p.n)
        window = kt_ones(KT_SHAPE(p.length), .dtype = (kt_dtype)input->dtype, .device = kt__device(input));
    window = around(window, &p, p.length);
    if (window)
        x = kt_mul(x, window);
    if (!x)
        return kt_error_status();
    const bool    complex = is_complex(x);
    const bool    onesided = kt__given(call, ONESIDED) ? call->arg[ONESIDED].b : !complex;
    const int64_t how = kt__arg_bool(call, NORMALIZED) ? KT__NORM_BY_ROOT : KT__NORM_NONE;
    if (complex && onesided)
        return kt_fail(KT_ERR_RUNTIME, "Cannot have onesided output if window or input is complex");
    x = complex ? kt_fft_c2c(x, KT_SHAPE(2), how, true) : kt_fft_r2c(x, KT_SHAPE(2), how, onesided);
    x = x ? kt_transpose(x, 1, 2) : NULL;
    if (single && x)
        x = kt_squeeze_dim(x, KT_SHAPE(0));
    if (!complex_out && x)
        x = kt_view_as_real(x);
    return kt__end(call, x);
}

/* ---- back: (input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex) ---- */

enum { BACK_NORMALIZED = 6, BACK_ONESIDED, BACK_LENGTH, BACK_COMPLEX };

static kt_status fail_back(const kt_call *call, const parts *p, const char *what)
{
    const kt_tensor *input = call->arg[INPUT].t;
    char             type[64], window[128], onesided[32], length[32];
    return kt_fail(KT_ERR_RUNTIME, "istft(%s%s, n_fft=%lld, hop_length=%lld, win_length=%lld, window=%s, center=%d, "
                   "normalized=%d, onesided=%s, length=%s, return_complex=%d) %s",
                   kt__type_text((kt_dtype)input->dtype, type, sizeof type),
                   KT__SIZES_TEXT(input), (long long)p->n, (long long)p->hop, (long long)p->length,
                   window_text(call, WINDOW, window, sizeof window), (int)kt__arg_bool(call, CENTER),
                   (int)kt__arg_bool(call, BACK_NORMALIZED), optional(call, BACK_ONESIDED, true, onesided, sizeof onesided),
                   optional(call, BACK_LENGTH, false, length, sizeof length), (int)kt__arg_bool(call, BACK_COMPLEX), what);
}

static kt_status check_back(const kt_call *call, const parts *p, int64_t frequencies, bool onesided)
{
    const kt_tensor *input = call->arg[INPUT].t;
    char             what[TEXT];
    if (!input->numel)
        return fail_back(call, p, ": input tensor cannot be empty.");
    if (input->ndim != 2 && input->ndim != 3) {
        snprintf(what, sizeof what, ": expected a tensor with 3 or 4 dimensions, but got %d", input->ndim + 1);
        return fail_back(call, p, what);
    }
    if (frequencies != (onesided ? p->n / 2 + 1 : p->n)) {
        snprintf(what, sizeof what, ": expected the frequency dimension (3rd to the last) of the input tensor to match n_fft%s "
                 "when onesided=%s, but got %lld", onesided ? " / 2 + 1" : "", onesided ? "True" : "False",
                 (long long)frequencies);
        return fail_back(call, p, what);
    }
    if (p->length <= 0 || p->length > p->n)
        return fail_back(call, p, ": expected 0 < win_length <= n_fft");
    if (p->hop <= 0 || p->hop > p->length)
        return fail_back(call, p, ": expected 0 < hop_length <= win_length");
    if (p->window && (p->window->ndim != 1 || p->window->sizes[0] != p->length))
        return fail_back(call, p, ": Invalid window shape. window has to be 1D and length of `win_length`");
    return KT_OK;
}

/* Parts [batch, count, n] added up where they lie, hop by hop. */
static kt_tensor *added_up(kt_tensor *x, const parts *p, int64_t points)
{
    const kt_device on = kt__device(x);
    kt_tensor *starts = kt_arange(KT_INT(0), KT_INT(x->sizes[1] * p->hop), .step = KT_INT(p->hop), .device = on);
    kt_tensor *within = kt_arange(KT_INT(0), KT_INT(p->n), .device = on);
    kt_tensor *places = kt_reshape(kt_add(kt_unsqueeze(starts, 1), within), KT_SHAPE(-1));
    kt_tensor *sums = kt_zeros(KT_SHAPE(x->sizes[0], points), .dtype = (kt_dtype)x->dtype, .device = on);
    return kt_index_add(sums, 1, places, kt_reshape(x, KT_SHAPE(x->sizes[0], x->sizes[1] * p->n)));
}

kt_status kt__body_istft(kt_call *call)
{
    KT_SCOPE;
    enum { FREQUENCY = 1, PART };
    parts      p;
    kt_tensor *input = call->arg[INPUT].t;
    const bool center = kt__arg_bool(call, CENTER), complex_out = kt__arg_bool(call, BACK_COMPLEX);
    read_parts(call, &p);
    if (!p.window)
        KT__WARN_ONCE("A window was not provided. A rectangular window will be applied.Please provide the same window used by "
                      "stft to make the inversion lossless.To suppress this warning and use a rectangular window, explicitly set "
                      "`window=torch.ones(n_fft, device=<device>)`.");
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    if (input->ndim < 2)
        return kt_fail(KT_ERR_INDEX, "Dimension out of range (expected to be in range of [%d, %d], but got -3)",
                       -(input->ndim + 1), input->ndim);
    const int64_t frequencies = input->sizes[input->ndim - 2], count = input->sizes[input->ndim - 1];
    const bool    onesided = kt__given(call, BACK_ONESIDED) ? call->arg[BACK_ONESIDED].b : frequencies != p.n;
    const int64_t points = p.n + p.hop * (count - 1);
    if (check_back(call, &p, frequencies, onesided))
        return kt_error_status();
    if (complex_out && onesided)
        return kt_fail(KT_ERR_RUNTIME, "Cannot have onesided output if window or input is complex");
    if (!complex_out && is_complex(p.window))
        return kt_fail(KT_ERR_RUNTIME, "Complex windows are incompatible with return_complex=False");
    const bool     single = input->ndim == 2;
    const kt_dtype real = kt_dtype_real((kt_dtype)input->dtype);
    kt_tensor     *window = p.window ? p.window : kt_ones(KT_SHAPE(p.length), .dtype = real, .device = kt__device(input));
    window = around(window, &p, p.length);
    if (single)
        input = kt_unsqueeze(input, 0);
    kt_tensor    *x = kt_transpose(input, FREQUENCY, PART);
    const int64_t how = kt__arg_bool(call, BACK_NORMALIZED) ? KT__NORM_BY_ROOT : KT__NORM_BY_COUNT;
    if (!complex_out && !onesided && x)
        x = kt_slice(x, .dim = 2, .end = KT_SOME(p.n / 2 + 1));
    x = !x ? NULL : complex_out ? kt_fft_c2c(x, KT_SHAPE(2), how, false) : kt_fft_c2r(x, KT_SHAPE(2), how, p.n);
    kt_tensor *envelope = window ? kt_expand(kt_mul(window, window), KT_SHAPE(1, count, p.n)) : NULL;
    if (!x || !envelope)
        return kt_error_status();
    kt_tensor *signal = added_up(kt_mul(x, window), &p, points), *weights = added_up(envelope, &p, points);
    const int64_t begin = center ? p.n / 2 : 0;
    const int64_t end = kt__given(call, BACK_LENGTH) ? begin + call->arg[BACK_LENGTH].i : points - begin;
    signal = kt_slice(signal, .dim = 1, .start = KT_SOME(begin), .end = KT_SOME(end));
    weights = kt_slice(weights, .dim = 1, .start = KT_SOME(begin), .end = KT_SOME(end));
    if (!signal || !weights)
        return kt_error_status();
    kt_tensor   *apart = kt__device(weights).kind == KT_META ? NULL : kt_any(kt_le_s(kt_abs(weights), KT_FLOAT(1e-11)));
    const double gap = apart ? kt_item(apart) : 0;
    if (kt__failed())
        return kt_error_status();
    if (gap != 0)
        return fail_back(call, &p, "window overlap add min: 1");
    signal = kt_true_divide(signal, weights);
    if (single)
        signal = kt_squeeze_dim(signal, KT_SHAPE(0));
    if (end > points && signal) {
        KT__WARN_ONCE("The length of signal is shorter than the length parameter. Result is being padded with zeros in the "
                      "tail. Please check your center and hop_length settings.");
        const int64_t pad[] = {0, end - points};
        signal = kt_constant_pad_nd(signal, ((kt_shape){2, pad}));
    }
    return kt__end(call, signal);
}
