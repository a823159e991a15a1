/* tbc.c - convolution of [time, batch, channel]: for each tap of the window a product of matrices, added to the result. In: calls
 * of conv_tbc. Out: a new tensor, or PyTorch's refusals. */
#include "ops/window/window.h"

enum { SELF, WEIGHT, BIAS, PAD };

kt__tap kt__tap_of(int64_t in, int64_t out, int64_t pad, int64_t k)
{
    const kt__tap at = {.from = k > pad ? k - pad : 0, .to = pad > k ? pad - k : 0};
    const int64_t end = in + pad - k < out ? in + pad - k : out;
    return (kt__tap){at.from, at.to, end - at.to};
}

static kt_status check_channels(const kt_tensor *self, const kt_tensor *weight, const kt_tensor *bias)
{
    if (self->ndim != 3)
        return kt_fail(KT_ERR_RUNTIME, "Input must have 3 dims: time, batch, in_channel");
    if (weight->ndim != 3)
        return kt_fail(KT_ERR_RUNTIME, "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.");
    if (bias->ndim != 1)
        return kt_fail(KT_ERR_RUNTIME, "Bias must be 1-D");
    if (self->sizes[2] != weight->sizes[1])
        return kt_fail(KT_ERR_RUNTIME, "Input dim 2 (input channels) is not == dim 1 in the weight tensor");
    if (weight->sizes[2] != bias->sizes[0])
        return kt_fail(KT_ERR_RUNTIME, "Bias size must equal dim 2 in the weight tensor (output channels).");
    return KT_OK;
}

static kt_tensor *flat(kt_tensor *t) { return t ? kt_view(t, KT_SHAPE(t->sizes[0] * t->sizes[1], t->sizes[2])) : NULL; }

kt_status kt__body_conv_tbc(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *self = call->arg[SELF].t, *weight = call->arg[WEIGHT].t, *bias = call->arg[BIAS].t;
    const int64_t pad = kt__arg_int(call, PAD), most = INT64_MAX / 8;
    if (check_channels(self, weight, bias) || kt__one_device((kt_tensor *[]){self, weight, bias}, 3))
        return kt_error_status();
    if (pad > most || pad < -most)
        return kt_fail(KT_ERR_RUNTIME, "conv_tbc: pad %lld is too large", (long long)pad);
    const int64_t length = self->sizes[0] - weight->sizes[0] + 1 + 2 * pad, sizes[] = {length, self->sizes[1], weight->sizes[2]};
    if (length < 0)
        return kt_fail(KT_ERR_RUNTIME, "Trying to create tensor with negative dimension %lld: %s", (long long)length,
                       KT__SHAPE_TEXT(((kt_shape){3, sizes})));
    kt_tensor *seen = kt_expand(kt__converted(bias, (kt_dtype)self->dtype, KT_WHY_PROMOTION), ((kt_shape){3, sizes}));
    kt_tensor *out = kt_clone(seen, .memory_format = KT_CONTIGUOUS_FORMAT);
    for (int64_t k = 0; k < weight->sizes[0] && out && !kt__failed(); k++) {
        const kt__tap tap = kt__tap_of(self->sizes[0], length, pad, k);
        if (tap.n > 0)
            kt_addmm_(flat(kt_narrow(out, 0, tap.to, tap.n)), flat(kt_narrow(self, 0, tap.from, tap.n)), kt_select(weight, 0, k));
    }
    if (!out || kt__failed())
        return kt_error_status();
    kt__count_anew(out);
    return kt__end(call, out);
}
