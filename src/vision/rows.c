/* rows.c - the rows of torchvision's operators, under its names and schemas; see vision.h. */
#include "vision/vision.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"

#define REGIONS "Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width"
#define SIZES   "SymInt batch_size, SymInt channels, SymInt height, SymInt width"
#define POOLED  "float spatial_scale, SymInt pooled_height, SymInt pooled_width"
#define WINDOWS "SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, "         \
                "SymInt groups, SymInt offset_groups, bool use_mask"

static kt_status no_version(kt_call *call)
{
    kt_tensor *none = kt_scalar_tensor(KT_INT(-1), .dtype = KT_I64, .device = {KT_CPU, 0});
    call->out[0] = kt_keep(none);
    return kt_error_status();
}

static kt_status quantized(kt_call *call)
{
    return kt_fail(KT_ERR_NOT_IMPLEMENTED, "%s: models are not quantized here", kt_row_name(call->row));
}

static const kt_operator rows[] = {
#define ROW(name_, rest, body_, ...)                                                                                          \
    {.size = sizeof(kt_operator), .name = "torchvision::" name_, .schema = name_ rest, .body = body_, __VA_ARGS__}
    ROW("nms", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", kt__vision_nms,
        .doc = "the boxes that stay when those that overlap a better one are left out: their indices, best first"),
    ROW("roi_align", "(" REGIONS ", int sampling_ratio, bool aligned) -> Tensor", kt__vision_roi_align,
        .node = &kt__roi_align_node, .setup = kt__regions_save, .n_saved = 1,
        .doc = "regions of images as grids of bins: averages of interpolated samples"),
    ROW("roi_pool", "(" REGIONS ") -> (Tensor, Tensor)", kt__vision_roi_pool, .node = &kt__roi_pool_node,
        .setup = kt__regions_save, .n_saved = 2, .doc = "regions of images as grids of bins: the largest element, and its place"),
    ROW("ps_roi_align", "(" REGIONS ", int sampling_ratio) -> (Tensor, Tensor)", kt__vision_ps_roi_align,
        .node = &kt__ps_roi_align_node, .setup = kt__regions_save, .n_saved = 2,
        .doc = "roi_align, each bin of channels of its own"),
    ROW("ps_roi_pool", "(" REGIONS ") -> (Tensor, Tensor)", kt__vision_ps_roi_pool, .node = &kt__ps_roi_pool_node,
        .setup = kt__regions_save, .n_saved = 2,
        .doc = "regions of images as grids of bins: averages, each of channels of its own"),
    ROW("deform_conv2d", "(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, " WINDOWS ") -> Tensor",
        kt__vision_deform, .node = &kt__deform_node, .setup = kt__deform_save, .n_saved = 5,
        .doc = "convolution whose windows' taps are moved by offsets and weighed by a mask"),
    ROW("_roi_align_backward", "(Tensor grad, Tensor rois, " POOLED ", " SIZES ", int sampling_ratio, bool aligned) -> Tensor",
        kt__vision_roi_align_back),
    ROW("_roi_pool_backward", "(Tensor grad, Tensor rois, Tensor argmax, " POOLED ", " SIZES ") -> Tensor",
        kt__vision_roi_pool_back),
    ROW("_ps_roi_align_backward", "(Tensor grad, Tensor rois, Tensor channel_mapping, " POOLED ", int sampling_ratio, " SIZES
        ") -> Tensor", kt__vision_ps_roi_align_back),
    ROW("_ps_roi_pool_backward", "(Tensor grad, Tensor rois, Tensor channel_mapping, " POOLED ", " SIZES ") -> Tensor",
        kt__vision_ps_roi_pool_back),
    ROW("_deform_conv2d_backward", "(Tensor grad, Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, " WINDOWS
        ") -> (Tensor, Tensor, Tensor, Tensor, Tensor)", kt__vision_deform_back),
    ROW("_cuda_version", "() -> int", no_version, .composite = true, .doc = "-1: not compiled with CUDA"),
    ROW("qnms", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", quantized),
    ROW("qroi_align", "(Tensor input, Tensor rois, float input_scale, int input_zero_point, float rois_scale, "
        "int rois_zero_point, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, "
        "bool aligned) -> Tensor", quantized),
};

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

bool kt_operators_known(const char *space) { return space && strcmp(space, "torchvision") == 0; }

kt_status kt_operators_load(const char *space)
{
    if (!kt_operators_known(space))
        return kt_fail(KT_ERR_VALUE, "karat has no operators of '%s'", space ? space : "");
    pthread_mutex_lock(&loading);
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !kt_failed(); i++) {
        const kt_row *row;
        if (!kt_row_find(rows[i].name))
            kt_row_append(&rows[i], &row);
    }
    pthread_mutex_unlock(&loading);
    return kt_error_status();
}
