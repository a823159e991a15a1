/* vision.c - see vision.h: what the bodies share. */
#include "vision/vision.h"

#include <karat/autocast.h>

#include "base/error.h"

kt_dtype kt__vision_computes(kt_dtype d) { return d == KT_F64 ? KT_F64 : KT_F32; }

bool kt__vision_takes(kt_dtype d) { return d == KT_F64 || d == KT_F32 || d == KT_F16; }

bool kt__vision_is_meta(const kt_tensor *t) { return kt_device_of(t).kind == KT_META; }

bool kt__vision_autocast(const kt_tensor *t)
{
    const kt_device_kind own = (kt_device_kind)kt_device_of(t).kind, kind = own == KT_META ? kt_autocast_meta() : own;
    return kind != KT_DEVICE_DEFAULT && kt_autocast_enabled(kind);
}

kt_tensor *kt__vision_operand(kt_tensor *t, kt_dtype computed)
{
    return kt_contiguous(kt_resolve_neg(kt_to(kt_detach(t), .dtype = computed, .device = {KT_CPU, 0})));
}

kt_tensor *kt__vision_room(kt_shape shape, kt_dtype dtype)
{
    return kt_zeros(shape, .dtype = dtype, .device = {KT_CPU, 0});
}

kt_tensor *kt__vision_done(kt_tensor *made, kt_dtype dtype, kt_device device)
{
    return kt_keep(kt_to(made, .dtype = dtype, .device = device));
}

/* A tensor's type as PyTorch's checks of types print it. */
static const char *type_name(kt_dtype d, char *room, size_t n)
{
    const bool plain = d != KT_BF16 && d != KT_C32 && d != KT_C64 && d != KT_C128;
    snprintf(room, n, plain ? "torch.%sTensor" : "CPU%sType", kt_dtype_torch_name(d));
    return room;
}

kt_status kt__vision_same_dtype(const kt_tensor *a, const char *name, const kt_tensor *b, const char *other, const char *kernel)
{
    char one[48], two[48];
    if (kt_dtype_of(a) == kt_dtype_of(b))
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME,
                   "Expected tensor for argument #1 '%s' to have the same type as tensor for argument #2 '%s'; but type %s does "
                   "not equal %s (while checking arguments for %s)",
                   name, other, type_name(kt_dtype_of(a), one, sizeof one), type_name(kt_dtype_of(b), two, sizeof two),
                   kernel);
}

kt_status kt__vision_has_kernel(const kt_tensor *t, const char *kernel)
{
    return kt__vision_takes(kt_dtype_of(t)) ? KT_OK
                                             : kt_fail(KT_ERR_NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", kernel,
                                                       kt_dtype_torch_name(kt_dtype_of(t)));
}
