/* grid.c - see grid.h. */
#include "cpu/resample/grid.h"

static kt__grid grid_of(const kt_plan *plan, int at)
{
    const int dims = kt__space_of(plan), first = at * (2 + dims), absent = KT__SPACE_DIMS - dims;
    kt__grid  g = {.x = plan->arg[at], .by_batch = plan->stride[at][first], .by_coordinate = plan->stride[at][first + 1 + dims]};
    for (int d = 0; d < KT__SPACE_DIMS; d++) {
        g.size[d] = d < absent ? 1 : plan->size[first + 1 + d - absent];
        g.step[d] = d < absent ? 0 : plan->stride[at][first + 1 + d - absent];
    }
    return g;
}

kt__sampling kt__sampling_of(const kt_plan *plan)
{
    const bool   back = plan->kernel == KT_K_grid_sample_backward;
    kt__sampling s = {.dims = kt__space_of(plan),
                      .mode = (kt__grid_mode)plan->param[1].v.i,
                      .padding = (kt__grid_padding)plan->param[2].v.i,
                      .align = plan->param[3].v.i};
    const int    in = plan->n_out, bits = back ? (int)plan->param[4].v.i : 0;
    s.samples = kt__image_of(plan, back ? in : 0);
    s.image = kt__image_of(plan, in + back);
    s.grid = grid_of(plan, in + back + 1);
    if (bits & KT__TO_IMAGE)
        s.to_image = kt__image_of(plan, 0);
    if (bits & KT__TO_GRID)
        s.to_grid = grid_of(plan, in - 1);
    s.positions = kt__volume(s.grid.size);
    return s;
}
