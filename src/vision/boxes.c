/* boxes.c - suppression of boxes that overlap a better one; see vision.h. */
#include "vision/vision.h"

#include "base/error.h"

enum { BOXES, SCORES, THRESHOLD };

static kt_status check(const kt_tensor *boxes, const kt_tensor *scores)
{
    if (kt_ndim(boxes) != 2)
        return kt_fail(KT_ERR_RUNTIME, "boxes should be a 2d tensor, got %lldD", (long long)kt_ndim(boxes));
    if (kt_size(boxes, 1) != 4)
        return kt_fail(KT_ERR_RUNTIME, "boxes should have 4 elements in dimension 1, got %lld", (long long)kt_size(boxes, 1));
    if (kt_ndim(scores) != 1)
        return kt_fail(KT_ERR_RUNTIME, "scores should be a 1d tensor, got %lldD", (long long)kt_ndim(scores));
    if (kt_size(boxes, 0) != kt_size(scores, 0))
        return kt_fail(KT_ERR_RUNTIME, "boxes and scores should have same number of elements in dimension 0, got %lld and %lld",
                       (long long)kt_size(boxes, 0), (long long)kt_size(scores, 0));
    return KT_OK;
}

kt_status kt__vision_nms(kt_call *call)
{
    kt_tensor *boxes = call->arg[BOXES].t, *scores = call->arg[SCORES].t;
    if (check(boxes, scores))
        return kt_error_status();
    if (kt__vision_is_meta(boxes))
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "torchvision::nms: how many boxes are kept depends on their values, which meta "
                                               "tensors do not have");
    const kt_device device = kt_device_of(boxes);
    kt_dtype        dtype = kt_dtype_of(boxes);
    if (kt__vision_autocast(boxes) && dtype != KT_F64)
        dtype = KT_F32; /* autocast's cast of both */
    else if (dtype != kt_dtype_of(scores))
        return kt_fail(KT_ERR_RUNTIME, "dets should have the same type as scores");
    if (kt_numel(boxes) && dtype != KT_F32 && dtype != KT_F64)
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "\"nms_kernel\" not implemented for '%s'", kt_dtype_torch_name(dtype));
    const int64_t n = kt_size(boxes, 0);
    kt_tensor    *box = kt__vision_operand(boxes, dtype), *score = kt__vision_operand(scores, dtype);
    kt_tensor    *order = kt_sort(score, .dim = KT_SOME(0), .descending = true).indices;
    kt_tensor    *kept = kt__vision_room(KT_SHAPE(n), KT_I64);
    if (kt_failed())
        return kt_error_status();
    const int64_t count = n == 0 ? 0
                          : dtype == KT_F64
                              ? kt__suppress_double(kt_data(box), kt_data(order), n, call->arg[THRESHOLD].f, kt_data(kept))
                              : kt__suppress_float(kt_data(box), kt_data(order), n, call->arg[THRESHOLD].f, kt_data(kept));
    call->out[0] = kt__vision_done(kt_clone(kt_narrow(kept, 0, 0, count)), KT_I64, device);
    return kt_error_status();
}
