/* resample.c - see resample.h. Reads the plan, and chooses the loops. */
#include "cpu/resample/resample.h"

#include "base/error.h"

kt__resizing kt__resizing_of(const kt_plan *plan)
{
    const int    dims = kt__space_of(plan), absent = KT__SPACE_DIMS - dims;
    const int    bits = (int)plan->param[2].v.i;
    const bool   back = bits & KT__FLOWS_BACK, antialias = bits & KT__ANTIALIAS;
    kt__resizing r = {.out = kt__image_of(plan, 0), .in = kt__image_of(plan, 1)};
    bool         same = true;
    for (int d = 0; d < KT__SPACE_DIMS; d++) {
        const kt__image *from = back ? &r.out : &r.in, *to = back ? &r.in : &r.out;
        r.along[d] = (kt__along){.from = from->size[d],
                                 .to = to->size[d],
                                 .scale = d < absent ? 0 : plan->param[3 + d - absent].v.re,
                                 .filter = (kt__filter)plan->param[1].v.i,
                                 .align = bits & KT__ALIGN_CORNERS,
                                 .antialias = antialias,
                                 .back = back,
                                 .by_channels = bits & KT__BY_CHANNELS};
        same = same && from->size[d] == to->size[d];
    }
    /* where PyTorch leaves a dim, or the image, as it is whatever the scale */
    for (int d = 0; d < KT__SPACE_DIMS; d++) {
        const bool cubic = r.along[d].filter == KT__CUBIC && back && !antialias && same;
        r.along[d].copies = d < absent || cubic ||
                            ((antialias || r.in.x.is == KT_U8) && r.along[d].filter >= KT__LINEAR && !back &&
                             r.along[d].from == r.along[d].to);
    }
    r.channels_inner = kt__channels_last(&r.out) && kt__channels_last(&r.in);
    return r;
}

bool kt__cpu_resamples(kt_kernel_id kernel, kt_compute compute)
{
    return compute == KT_IN_F32 || compute == KT_IN_F64 || (kernel == KT_K_resample && compute == KT_IN_I32);
}

static bool moves(const kt_plan *plan)
{
    const kt_operand *out = &plan->arg[0], *in = &plan->arg[1];
    return plan->param[1].v.i <= KT__NEAREST_EXACT && !(plan->param[2].v.i & KT__FLOWS_BACK) && out->is == in->is &&
           in->as == in->is && out->as == out->is && !in->bits;
}

kt_status kt__cpu_resample(const kt__cpu_build *build, const kt_plan *plan)
{
    const kt__cpu_resamplers *floats = build->resamplers[plan->compute];
    if (!kt__cpu_resamples(plan->kernel, (kt_compute)plan->compute))
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "the CPU resamples floats and uint8");
    if (plan->kernel != KT_K_resample)
        return plan->kernel == KT_K_grid_sample ? floats->sample(plan) : floats->sample_back(plan);
    const kt__resizing r = kt__resizing_of(plan);
    return moves(plan) ? kt__resample_moves(&r) : floats ? floats->resize(&r) : kt__resample_bytes(&r);
}
