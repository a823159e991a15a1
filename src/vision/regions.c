/* regions.c - parts of images, each as a grid of bins: roi_align, roi_pool and the position-sensitive ones, and what flows back;
 * see vision.h. */
#include "vision/vision.h"

#include "base/error.h"

typedef kt_status loop(const kt__regions *r, const kt__region_arrays *a);

/* What the four differ in. Their arguments: (input, rois, spatial_scale, rows, columns, [sampling_ratio], [aligned]). */
typedef struct kind {
    const char *kernel, *back;        /* PyTorch's names, as its messages have them */
    loop       *run[2], *run_back[2]; /* in float32, in float64 */
    bool        samples;              /* bins are averages of samples */
    bool        by_position, has_aligned, has_place;
    bool        cast; /* autocast runs it in float32 on the CPU too */
} kind;

#define KERNELS(name) #name "_forward_kernel", #name "_backward_kernel"
#define LOOPS(which)                                                       \
    {kt__##which##_regions_float, kt__##which##_regions_double},           \
    {kt__##which##_back_float, kt__##which##_back_double}
static const kind roi_align = {KERNELS(roi_align), LOOPS(align), .samples = true, .has_aligned = true, .cast = true};
static const kind roi_pool = {KERNELS(roi_pool), LOOPS(pool), .has_place = true};
static const kind ps_roi_align = {KERNELS(ps_roi_align), LOOPS(align), .samples = true, .by_position = true, .has_place = true};
static const kind ps_roi_pool = {KERNELS(ps_roi_pool), LOOPS(average), .by_position = true, .has_place = true};
#undef LOOPS
#undef KERNELS

enum { INPUT, ROIS, SCALE, ROWS, COLUMNS, SAMPLING, ALIGNED };

static kt_status check_rois(const kt_tensor *rois, bool by_position)
{
    if (kt_ndim(rois) < 2)
        return kt_fail(KT_ERR_INDEX, "Dimension out of range (expected to be in range of [%lld, %lld], but got 1)",
                       (long long)-kt_ndim(rois), (long long)kt_ndim(rois) - 1);
    if (kt_ndim(rois) == 2 && kt_size(rois, 1) == 5)
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME, by_position ? "Tensor rois should have shape as Tensor[K, 5]"
                                               : "rois must have shape as Tensor[K, 5]");
}

static kt_status check_sizes(const kt__regions *r)
{
    if (r->rows < 0 || r->columns < 0)
        return kt_fail(KT_ERR_RUNTIME, "zeros: Dimension size must be non-negative.");
    if (r->by_position && (r->rows * r->columns == 0 || r->channels % (r->rows * r->columns)))
        return kt_fail(KT_ERR_RUNTIME, "input channels must be a multiple of pooling height * pooling width");
    return KT_OK;
}

/* Each region names an image; PyTorch reads beyond the images where there is none. */
static kt_status check_images(const kt__regions *r, kt_tensor *rois, kt_dtype computed)
{
    const double *f64 = computed == KT_F64 ? kt_data(rois) : NULL;
    const float  *f32 = computed == KT_F64 ? NULL : kt_data(rois);
    for (int64_t k = 0; k < r->n && !kt_failed(); k++) {
        const double image = f64 ? f64[5 * k] : (double)f32[5 * k];
        if (!(image > -1 && image < (double)r->batch))
            return kt_fail(KT_ERR_INDEX, "region %lld is of image %g, and there are %lld", (long long)k, image,
                           (long long)r->batch);
    }
    if (r->n && r->height * r->width == 0)
        return kt_fail(KT_ERR_RUNTIME, "the images of regions have no elements: [%lld, %lld]", (long long)r->height,
                       (long long)r->width);
    return kt_error_status();
}

static kt_shape result_sizes(const kt__regions *r, int64_t *room)
{
    room[0] = r->n;
    room[1] = r->by_position ? r->channels / (r->rows * r->columns) : r->channels;
    room[2] = r->rows;
    room[3] = r->columns;
    return (kt_shape){4, room};
}

/* ---- forward ---- */

static kt_status check_forward(const kind *k, const kt_tensor *input, const kt_tensor *rois)
{
    const bool cast = k->cast && kt__vision_autocast(input);
    if (check_rois(rois, k->by_position) || (!cast && kt__vision_same_dtype(input, "input", rois, "rois", k->kernel)))
        return kt_error_status();
    if (kt_ndim(input) < 4)
        return kt_fail(KT_ERR_INDEX, "Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)",
                       (long long)-kt_ndim(input), (long long)kt_ndim(input) - 1, (long long)kt_ndim(input));
    return cast && kt_dtype_of(input) == KT_BF16 ? KT_OK : kt__vision_has_kernel(input, k->kernel);
}

static kt_status forward(kt_call *call, const kind *k)
{
    kt_tensor *input = call->arg[INPUT].t, *rois = call->arg[ROIS].t;
    if (check_forward(k, input, rois))
        return kt_error_status();
    const kt__regions r = {.batch = kt_size(input, 0), .channels = kt_size(input, 1), .height = kt_size(input, 2),
                           .width = kt_size(input, 3), .n = kt_size(rois, 0), .rows = call->arg[ROWS].i,
                           .columns = call->arg[COLUMNS].i, .sampling = k->samples ? call->arg[SAMPLING].i : 0,
                           .scale = call->arg[SCALE].f, .by_position = k->by_position,
                           .aligned = k->has_aligned ? call->arg[ALIGNED].b : k->by_position,
                           .least_one = k->has_aligned && !call->arg[ALIGNED].b};
    const kt_dtype    dtype = kt_dtype_of(input), computed = kt__vision_computes(dtype);
    const kt_device   device = kt_device_of(input);
    int64_t           room[4];
    if (check_sizes(&r))
        return kt_error_status();
    const kt_shape sizes = result_sizes(&r, room);
    if (kt__vision_is_meta(input)) {
        call->out[0] = kt_keep(kt_empty(sizes, .dtype = dtype, .device = device));
        call->out[1] = k->has_place ? kt_keep(kt_empty(sizes, .dtype = KT_I32, .device = device)) : NULL;
        return kt_error_status();
    }
    kt_tensor *image = kt__vision_operand(input, computed), *region = kt__vision_operand(rois, computed);
    kt_tensor *result = kt__vision_room(sizes, computed), *place = k->has_place ? kt__vision_room(sizes, KT_I32) : NULL;
    if (kt_failed() || check_images(&r, region, computed))
        return kt_error_status();
    const kt__region_arrays a = {.image = kt_data(image), .region = kt_data(region), .result = kt_data(result),
                                 .place = place ? kt_data(place) : NULL};
    if (kt_numel(result) && k->run[computed == KT_F64](&r, &a))
        return kt_error_status();
    call->out[0] = kt__vision_done(result, dtype, device);
    call->out[1] = place ? kt__vision_done(place, KT_I32, device) : NULL;
    return kt_error_status();
}

kt_status kt__vision_roi_align(kt_call *call) { return forward(call, &roi_align); }
kt_status kt__vision_roi_pool(kt_call *call) { return forward(call, &roi_pool); }
kt_status kt__vision_ps_roi_align(kt_call *call) { return forward(call, &ps_roi_align); }
kt_status kt__vision_ps_roi_pool(kt_call *call) { return forward(call, &ps_roi_pool); }

/* ---- back: (grad, rois, [place], spatial_scale, rows, columns, the others in an order of their own) ---- */

static bool has_sizes(const kt_tensor *t, kt_shape sizes)
{
    for (int64_t i = 0; i < sizes.n; i++)
        if (kt_ndim(t) != sizes.n || kt_size(t, i) != sizes.d[i])
            return false;
    return true;
}

static kt_status back(kt_call *call, const kind *k, const kt__regions *of)
{
    kt_tensor  *grad = call->arg[0].t, *rois = call->arg[1].t, *from = k->has_place ? call->arg[2].t : NULL;
    kt__regions r = *of;
    int64_t     room[4];
    if (check_rois(rois, k->by_position) || kt__vision_same_dtype(grad, "grad", rois, "rois", k->back) ||
        kt__vision_has_kernel(grad, k->back) || check_sizes(&r))
        return kt_error_status();
    r.n = kt_size(rois, 0);
    const kt_dtype  dtype = kt_dtype_of(grad), computed = kt__vision_computes(dtype);
    const kt_device device = kt_device_of(grad);
    const kt_shape  sizes = KT_SHAPE(r.batch, r.channels, r.height, r.width), flowed = result_sizes(&r, room);
    if (!has_sizes(grad, flowed) || (from && !has_sizes(from, flowed)))
        return kt_fail(KT_ERR_RUNTIME, "%s: what flowed back has other sizes than the result", kt_row_name(call->row));
    if (kt__vision_is_meta(grad)) {
        call->out[0] = kt_keep(kt_empty(sizes, .dtype = dtype, .device = device));
        return kt_error_status();
    }
    kt_tensor *flow = kt__vision_operand(grad, computed), *region = kt__vision_operand(rois, computed);
    kt_tensor *place = from ? kt__vision_operand(from, KT_I32) : NULL, *to = kt__vision_room(sizes, computed);
    if (kt_failed() || check_images(&r, region, computed))
        return kt_error_status();
    const kt__region_arrays a = {.region = kt_data(region), .flow = kt_data(flow), .from = place ? kt_data(place) : NULL,
                                 .to_image = kt_data(to)};
    if (kt_numel(flow) && k->run_back[computed == KT_F64](&r, &a))
        return kt_error_status();
    call->out[0] = kt__vision_done(to, dtype, device);
    return kt_error_status();
}

/* The four sizes of the images stand one after the other. */
static kt__regions images_at(const kt_call *call, int at, int scale)
{
    return (kt__regions){.batch = call->arg[at].i, .channels = call->arg[at + 1].i, .height = call->arg[at + 2].i,
                         .width = call->arg[at + 3].i, .scale = call->arg[scale].f, .rows = call->arg[scale + 1].i,
                         .columns = call->arg[scale + 2].i};
}

kt_status kt__vision_roi_align_back(kt_call *call)
{
    kt__regions r = images_at(call, 5, 2);
    r.sampling = call->arg[9].i;
    r.aligned = call->arg[10].b;
    r.least_one = !r.aligned;
    return back(call, &roi_align, &r);
}

kt_status kt__vision_roi_pool_back(kt_call *call)
{
    const kt__regions r = images_at(call, 6, 3);
    return back(call, &roi_pool, &r);
}

kt_status kt__vision_ps_roi_align_back(kt_call *call)
{
    kt__regions r = images_at(call, 7, 3);
    r.sampling = call->arg[6].i;
    r.aligned = r.by_position = true;
    return back(call, &ps_roi_align, &r);
}

kt_status kt__vision_ps_roi_pool_back(kt_call *call)
{
    kt__regions r = images_at(call, 6, 3);
    r.by_position = true;
    return back(call, &ps_roi_pool, &r);
}

/* ---- derivatives: a node saves the regions, and the places where there are any; its context are the sizes of the images ---- */

enum { SAVED_ROIS, SAVED_PLACE };

kt_status kt__regions_save(kt_node *node, const kt_call *call)
{
    int64_t *sizes = kt_node_context(node);
    for (int i = 0; i < 4; i++)
        sizes[i] = kt_size(call->arg[INPUT].t, i);
    if (kt_node_save(node, SAVED_ROIS, call->arg[ROIS].t))
        return kt_error_status();
    return kt_node_n_saved(node) > 1 ? kt_node_save(node, SAVED_PLACE, call->out[1]) : KT_OK;
}

typedef struct back_call { /* a call of the row back, as its arguments are put in */
    kt_call call;
    int     n;
} back_call;

static void put(back_call *b, kt_value value)
{
    b->call.given |= 1u << b->n;
    b->call.arg[b->n++] = value;
}

static void put_recorded(back_call *b, const kt_back *of, int from, int to)
{
    for (int i = from; i < to; i++)
        put(b, *kt_node_arg(of->node, i));
}

static void put_sizes(back_call *b, const kt_back *of)
{
    for (int i = 0; i < 4; i++)
        put(b, (kt_value){.i = ((int64_t *)kt_node_context(of->node))[i]});
}

static kt_status flow_back(const kt_back *of, const char *row, const kind *k)
{
    back_call  b = {.n = 0};
    kt_tensor *rois = NULL, *place = NULL;
    if (!of->grads[0] || !of->needs[INPUT])
        return KT_OK;
    if (kt_node_saved(of->node, SAVED_ROIS, &rois) || (k->has_place && kt_node_saved(of->node, SAVED_PLACE, &place))) {
        kt_drop(rois);
        return kt_error_status();
    }
    kt_call_begin(&b.call, kt_row_find(row), KT_PLAIN);
    const kt_dtype dtype = kt_dtype_of(of->grads[0]);
    put(&b, (kt_value){.t = dtype == KT_BF16 ? kt_to(of->grads[0], .dtype = KT_F32) : of->grads[0]});
    put(&b, (kt_value){.t = kt_to(rois, .dtype = dtype == KT_BF16 ? KT_F32 : dtype)}); /* under autocast they differed */
    if (place)
        put(&b, (kt_value){.t = place});
    put_recorded(&b, of, SCALE, SAMPLING);
    if (k->samples && k->by_position)
        put_recorded(&b, of, SAMPLING, ALIGNED);
    put_sizes(&b, of);
    if (k->has_aligned)
        put_recorded(&b, of, SAMPLING, ALIGNED + 1);
    const kt_status status = kt_failed() ? kt_error_status() : kt_call_run(&b.call);
    kt_drop(rois);
    kt_drop(place);
    of->d[INPUT] = status ? NULL : b.call.out[0];
    return status;
}

static kt_status roi_align_flows(const kt_back *of) { return flow_back(of, "torchvision::_roi_align_backward", &roi_align); }
static kt_status roi_pool_flows(const kt_back *of) { return flow_back(of, "torchvision::_roi_pool_backward", &roi_pool); }
static kt_status ps_roi_align_flows(const kt_back *of)
{
    return flow_back(of, "torchvision::_ps_roi_align_backward", &ps_roi_align);
}
static kt_status ps_roi_pool_flows(const kt_back *of)
{
    return flow_back(of, "torchvision::_ps_roi_pool_backward", &ps_roi_pool);
}

#define NODE(function, shown)                                                                                      \
    const kt_node_type kt__##function##_node = {.abi = KT_NODE_ABI, .size = sizeof kt__##function##_node,          \
                                                .context = 4 * sizeof(int64_t), .name = shown, .run = function##_flows}
NODE(roi_align, "torch::autograd::CppNode<vision::ops::(anonymous namespace)::ROIAlignFunction>");
NODE(roi_pool, "torch::autograd::CppNode<vision::ops::(anonymous namespace)::ROIPoolFunction>");
NODE(ps_roi_align, "torch::autograd::CppNode<vision::ops::(anonymous namespace)::PSROIAlignFunction>");
NODE(ps_roi_pool, "torch::autograd::CppNode<vision::ops::(anonymous namespace)::PSROIPoolFunction>");
