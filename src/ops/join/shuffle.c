/* shuffle.c - channels and pixels that change places: pixel_shuffle, pixel_unshuffle, channel_shuffle. In: images [..., channels,
 * height, width]. Out: the same elements in another order, laid out as the input suggests. */
#include "call/made.h"
#include "call/move.h"

/* t's elements in the order of `dims`, then seen with these sizes. */
static kt_status end_shuffled(kt_call *call, kt_tensor *t, kt_shape dims, kt_shape sizes)
{
    const kt_memory_format format = kt__suggested_format(call->arg[0].t);
    kt_tensor             *made = kt_unsafe_view(kt_clone(kt_permute(t, dims), .memory_format = KT_CONTIGUOUS_FORMAT), sizes);
    return kt__end(call, format == KT_CONTIGUOUS_FORMAT ? made : kt_clone(made, .memory_format = format));
}

static kt_status check_pixels(const kt_tensor *x, int64_t factor, const char *name, const char *argument)
{
    if (x->ndim < 3)
        return kt_fail(KT_ERR_RUNTIME, "%s expects input to have at least 3 dimensions, but got input with %d dimension(s)", name,
                       x->ndim);
    return factor > 0 ? KT_OK
                      : kt_fail(KT_ERR_RUNTIME, "%s expects a positive %s, but got %lld", name, argument, (long long)factor);
}

/* The dims before the last three stay. */
static void lead(const kt_tensor *x, int64_t *sizes, int64_t *dims)
{
    for (int d = 0; d < x->ndim - 3; d++) {
        sizes[d] = x->sizes[d];
        dims[d] = d;
    }
}

kt_status kt__body_pixel_shuffle(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *x = call->arg[0].t;
    const int64_t r = kt__arg_int(call, 1);
    int64_t       square, split[KT_MAX_DIMS], order[KT_MAX_DIMS], sizes[KT_MAX_DIMS];
    if (check_pixels(x, r, "pixel_shuffle", "upscale_factor"))
        return kt_error_status();
    if (__builtin_mul_overflow(r, r, &square))
        return kt_fail(KT_ERR_VALUE, "upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor=%lld",
                       (long long)r);
    const int     at = x->ndim - 3;
    const int64_t channels = x->sizes[at], height = x->sizes[at + 1], width = x->sizes[at + 2];
    if (channels % square)
        return kt_fail(KT_ERR_RUNTIME, "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                       "upscale_factor, but input.size(-3)=%lld is not divisible by %lld", (long long)channels,
                       (long long)square);
    if (x->ndim + 2 > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    lead(x, split, order);
    lead(x, sizes, order);
    const int64_t parts[] = {channels / square, r, r, height, width}, places[] = {0, 3, 1, 4, 2};
    for (int i = 0; i < 5; i++) {
        split[at + i] = parts[i];
        order[at + i] = at + places[i];
    }
    sizes[at] = channels / square;
    sizes[at + 1] = height * r;
    sizes[at + 2] = width * r;
    return end_shuffled(call, kt_reshape(x, ((kt_shape){at + 5, split})), (kt_shape){at + 5, order}, (kt_shape){at + 3, sizes});
}

kt_status kt__body_pixel_unshuffle(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *x = call->arg[0].t;
    const int64_t r = kt__arg_int(call, 1);
    int64_t       split[KT_MAX_DIMS], order[KT_MAX_DIMS], sizes[KT_MAX_DIMS];
    if (check_pixels(x, r, "pixel_unshuffle", "downscale_factor"))
        return kt_error_status();
    const int     at = x->ndim - 3;
    const int64_t channels = x->sizes[at], height = x->sizes[at + 1], width = x->sizes[at + 2];
    if (height % r || width % r)
        return kt_fail(KT_ERR_RUNTIME, "pixel_unshuffle expects %s to be divisible by downscale_factor, but input.size(%d)=%lld "
                       "is not divisible by %lld", height % r ? "height" : "width", height % r ? -2 : -1,
                       (long long)(height % r ? height : width), (long long)r);
    if (x->numel == 0 && x->backend == KT_CPU) /* with the sizes of the input, as PyTorch has it on this device alone */
        return kt__end(call, kt_clone(x));
    if (x->ndim + 2 > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    lead(x, split, order);
    lead(x, sizes, order);
    const int64_t parts[] = {channels, height / r, r, width / r, r}, places[] = {0, 2, 4, 1, 3};
    for (int i = 0; i < 5; i++) {
        split[at + i] = parts[i];
        order[at + i] = at + places[i];
    }
    sizes[at] = channels * r * r;
    sizes[at + 1] = height / r;
    sizes[at + 2] = width / r;
    return end_shuffled(call, kt_reshape(x, ((kt_shape){at + 5, split})), (kt_shape){at + 5, order}, (kt_shape){at + 3, sizes});
}

/* ---- channels ---- */

kt_status kt__body_channel_shuffle(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *x = call->arg[0].t;
    const int64_t groups = kt__arg_int(call, 1);
    int64_t       split[KT_MAX_DIMS], order[KT_MAX_DIMS];
    if (x->ndim < 3)
        return kt_fail(KT_ERR_RUNTIME, "channel_shuffle expects input with > 2 dims, but got input with sizes %s",
                       KT__SIZES_TEXT(x));
    if (groups <= 0)
        return kt_fail(KT_ERR_RUNTIME, "Number of groups to divide channels in must be positive. Value of groups:%lld",
                       (long long)groups);
    if (x->sizes[1] % groups)
        return kt_fail(KT_ERR_RUNTIME, "Number of channels must be divisible by groups. Got %lld channels and %lld groups.",
                       (long long)x->sizes[1], (long long)groups);
    if (x->ndim + 1 > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    split[0] = x->sizes[0];
    split[1] = groups;
    split[2] = x->sizes[1] / groups;
    for (int d = 0; d <= x->ndim; d++) {
        split[d] = d > 2 ? x->sizes[d - 1] : split[d];
        order[d] = d == 1 ? 2 : d == 2 ? 1 : d;
    }
    const kt_shape whole = {x->ndim + 1, split};
    return end_shuffled(call, kt_reshape(x, whole), (kt_shape){x->ndim + 1, order}, kt__sizes(x));
}

kt_status kt__body_native_channel_shuffle(kt_call *call) { return kt__body_channel_shuffle(call); }
