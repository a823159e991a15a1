/* grid.c - images sampled at the places of a grid, what flows back, and the grid of an affine map. In: calls of the grid rows of
 * tables/ops/resample.def. Out: one plan for each, other operators for the affine map, or PyTorch's refusals, in its order. */
#include "ops/resample/resample.h"

#include <string.h>

#include "call/deterministic.h"
#include "call/refuse.h"
#include "ops/window/pool.h"
#include "tables/kernels/resample.h"

enum { INPUT, GRID, MODE, PADDING, ALIGN };

/* ---- checks ---- */

static kt_status check_pair(const kt_tensor *input, const kt_tensor *grid)
{
    if (input->ndim == 0 || grid->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as 0 but tensor has no dimensions");
    if (input->sizes[0] != grid->sizes[0])
        return kt_fail(KT_ERR_RUNTIME, "grid_sampler(): expected grid and input to have same batch size, but got input with "
                       "sizes %s and grid with sizes %s", KT__SIZES_TEXT(input), KT__SIZES_TEXT(grid));
    if (grid->sizes[grid->ndim - 1] != input->ndim - 2)
        return kt_fail(KT_ERR_RUNTIME, "grid_sampler(): expected grid to have size %d in last dimension, but got grid with "
                       "sizes %s", input->ndim - 2, KT__SIZES_TEXT(grid));
    for (int i = 2; i < input->ndim; i++)
        if (input->sizes[i] == 0)
            return kt_fail(KT_ERR_RUNTIME, "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
                           "sizes %s with dimension %d being empty", KT__SIZES_TEXT(input), i);
    return KT_OK;
}

static kt_status check_dims(const kt_tensor *input, const kt_tensor *grid, int dims, int64_t mode)
{
    if (input->ndim != dims + 2 || grid->ndim != dims + 2)
        return kt_fail(KT_ERR_RUNTIME, "grid_sampler(): expected %dD input and grid with same number of dimensions, but got "
                       "input with sizes %s and grid with sizes %s", dims + 2, KT__SIZES_TEXT(input), KT__SIZES_TEXT(grid));
    return dims == 3 && mode == KT__GRID_CUBIC
               ? kt_fail(KT_ERR_RUNTIME, "grid_sampler(): bicubic interpolation only supports 4D input")
               : KT_OK;
}

/* ---- the plan: the outputs, then what flowed back (if anything did), image and grid ---- */

/* A mode that does not exist is bilinear in two dims and nearest in three; a padding that does not exist is zeros. */
static void set_modes(kt_plan *plan, const kt_call *call, int first, int dims)
{
    const int64_t mode = kt__arg_int(call, first), padding = kt__arg_int(call, first + 1);
    const bool    known = mode >= KT__GRID_LINEAR && mode <= KT__GRID_CUBIC;
    kt__push_int(plan, dims);
    kt__push_int(plan, known ? mode : dims == 2 ? KT__GRID_LINEAR : KT__GRID_NEAREST);
    kt__push_int(plan, padding >= KT__GRID_ZEROS && padding <= KT__GRID_REFLECTION ? padding : KT__GRID_ZEROS);
    kt__push_int(plan, kt__arg_bool(call, first + 2));
}

static void begin(kt_plan *plan, kt_call *call, int kernel, const kt__decision *d, kt_tensor *const *t, int n_out, int n_in)
{
    kt__plan_begin(plan, kt__row_called(call), kernel, d->compute, n_in, t[0]);
    plan->n_out = (uint8_t)n_out;
    plan->origin = d->origin;
    plan->numel = t[0]->numel;
    plan->nd = 0;
    for (int i = 0; i < n_out + n_in; i++) {
        const bool in = i >= n_out;
        kt__set_operand(plan, i, t[i], in ? (kt_dtype)d->as[i - n_out] : (kt_dtype)t[i]->dtype,
                        in ? (kt_reason)d->why[i - n_out] : KT_WHY_NONE);
        kt__plan_block(plan, i, n_out + n_in, t[i]);
    }
}

static kt_status sample(kt_call *call, int dims)
{
    kt_tensor   *input = call->arg[INPUT].t, *grid = call->arg[GRID].t;
    const char  *missing = dims == 2 ? "grid_sampler_2d_cpu_kernel_impl" : "grid_sampler3d_cpu";
    kt__decision room;
    int64_t      sizes[KT_MAX_DIMS];
    kt_plan      plan;
    if (kt__one_device((kt_tensor *[]){input, grid}, 2) || check_pair(input, grid) ||
        check_dims(input, grid, dims, kt__arg_int(call, MODE)) ||
        kt__pool_takes_dtype(call, kt__seen_dtype(call, INPUT), KT__NO_INTS, true, missing))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d)
        return kt_error_status();
    kt_tensor *out = kt__new_in_format(input, (kt_dtype)d->result, kt__pooled_sizes(input, grid->sizes + 1, dims, sizes),
                                       KT_CONTIGUOUS_FORMAT);
    if (!out)
        return kt_error_status();
    begin(&plan, call, KT_K_grid_sample, d, (kt_tensor *[]){out, input, grid}, 1, 2);
    set_modes(&plan, call, MODE, dims);
    kt__trace_fold(call, input, d, &out, 1);
    return kt__end_made(call, out, NULL, kt__launch_long(&plan, out));
}

kt_status kt__body_grid_sampler_2d(kt_call *call) { return sample(call, 2); }
kt_status kt__body_grid_sampler_3d(kt_call *call) { return sample(call, 3); }

kt_status kt__body_grid_sampler(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *input = call->arg[INPUT].t, *grid = call->arg[GRID].t;
    const int64_t mode = kt__arg_int(call, MODE), padding = kt__arg_int(call, PADDING);
    const bool    align = kt__arg_bool(call, ALIGN);
    if (kt__one_device((kt_tensor *[]){input, grid}, 2) || check_pair(input, grid))
        return kt_error_status();
    return kt__end(call, input->ndim == 4 ? kt_grid_sampler_2d(input, grid, mode, padding, align)
                                          : kt_grid_sampler_3d(input, grid, mode, padding, align));
}

/* ---- back: (grad_output, input, grid, modes, output_mask) ---- */

enum { GRAD, BACK_INPUT, BACK_GRID, BACK_MODE, BACK_MASK = BACK_MODE + 3 };

static kt_status sample_back(kt_call *call, int dims)
{
    kt_tensor     *grad = call->arg[GRAD].t, *input = call->arg[BACK_INPUT].t, *grid = call->arg[BACK_GRID].t;
    const kt_shape mask = kt__arg_ints(call, BACK_MASK);
    kt__decision   room;
    int64_t        sizes[KT_MAX_DIMS];
    kt_plan        plan;
    if (kt__one_device((kt_tensor *[]){grad, input, grid}, 3) || check_pair(input, grid) ||
        check_dims(input, grid, dims, kt__arg_int(call, BACK_MODE)) ||
        kt__check_sizes(grad, kt__pooled_sizes(input, grid->sizes + 1, dims, sizes)) ||
        kt__pool_takes_dtype(call, kt__seen_dtype(call, BACK_INPUT), KT__NO_INTS, true, call->row->missing))
        return kt_error_status();
    if (kt__device(input).kind == KT_CUDA && /* its sums are atomic, here as in PyTorch */
        kt__alert_nondeterministic(dims == 2 ? "grid_sampler_2d_backward_cuda" : "grid_sampler_3d_backward_cuda"))
        return kt_error_status();
    if (mask.n != 2)
        return kt_fail(KT_ERR_RUNTIME, "output_mask must have 2 elements, not %lld", (long long)mask.n);
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d)
        return kt_error_status();
    KT_SCOPE;
    const int64_t none[] = {0};
    kt_tensor    *made[2], *t[5];
    int           n = 0, bits = 0;
    for (int i = 0; i < 2; i++) {
        const kt_shape of = mask.d[i] ? kt__sizes(i ? grid : input) : (kt_shape){1, none};
        made[i] = kt__scoped(kt__new_in_format(input, (kt_dtype)d->result, of, KT_CONTIGUOUS_FORMAT));
        if (!made[i])
            return kt_error_status();
        bits |= mask.d[i] ? 1 << i : 0;
        if (mask.d[i])
            t[n++] = made[i];
    }
    kt__trace_fold(call, input, d, made, 2);
    if (n > 0) {
        memcpy(t + n, (kt_tensor *[]){grad, input, grid}, 3 * sizeof *t);
        begin(&plan, call, KT_K_grid_sample_backward, d, t, n, 3);
        plan.numel = input->numel > grid->numel ? input->numel : grid->numel; /* one of the outputs may be empty */
        set_modes(&plan, call, BACK_MODE, dims);
        kt__push_int(&plan, bits);
        if (kt__launch_long(&plan, t[0]))
            return kt_error_status();
    }
    return kt__end_several(call, made, 2);
}

kt_status kt__body_grid_sampler_2d_backward(kt_call *call) { return sample_back(call, 2); }
kt_status kt__body_grid_sampler_3d_backward(kt_call *call) { return sample_back(call, 3); }

/* ---- the grid of an affine map ---- */

/* Centres of n elements between -1 and 1, or, with align_corners, n numbers from -1 to 1. One element is in the middle. */
static kt_tensor *places(kt_tensor *like, int64_t n, bool align)
{
    const kt_device on = {like->backend, like->index};
    if (n <= 1)
        return kt_zeros(KT_SHAPE(n < 0 ? 0 : n), .dtype = (kt_dtype)like->dtype, .device = on);
    kt_tensor *ends = kt_linspace(KT_INT(-1), KT_INT(1), n, .dtype = (kt_dtype)like->dtype, .device = on);
    if (align)
        return ends;
    return kt__converted_inside(kt_div_s(kt_mul_s(ends, KT_INT(n - 1)), KT_INT(n)), (kt_dtype)like->dtype, KT_WHY_RESULT);
}

/* [batch, positions, coordinates and 1] */
kt_tensor *kt__affine_base(kt_tensor *like, kt_shape size, bool align)
{
    const int dims = (int)size.n - 2;
    int64_t   sizes[KT_MAX_DIMS] = {size.d[0]}, positions = 1;
    for (int i = 0; i < dims; i++)
        positions *= sizes[1 + i] = size.d[2 + i];
    sizes[1 + dims] = dims + 1;
    kt_tensor *base = kt_ones(((kt_shape){dims + 2, sizes}), .dtype = (kt_dtype)like->dtype,
                              .device = (kt_device){like->backend, like->index});
    for (int i = 0; i < dims; i++) { /* coordinate i is that of the dim in space dims - 1 - i */
        kt_tensor *line = places(like, sizes[dims - i], align);
        for (int k = 0; k < i; k++)
            line = kt_unsqueeze(line, -1);
        kt_copy_(kt_select(base, -1, i), line);
    }
    return kt_reshape(base, KT_SHAPE(size.d[0], positions, dims + 1));
}

kt_status kt__body_affine_grid_generator(kt_call *call)
{
    KT_SCOPE;
    kt_tensor     *theta = call->arg[0].t;
    const kt_shape size = kt__arg_ints(call, 1);
    int64_t        sizes[KT_MAX_DIMS];
    if (size.n != 4 && size.n != 5)
        return kt_fail(KT_ERR_RUNTIME, "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.");
    const int dims = (int)size.n - 2;
    for (int i = 2; i < size.n; i++) /* PyTorch's number for the one place has no narrow dtype */
        if (size.d[i] <= 1 && (theta->dtype == KT_F16 || theta->dtype == KT_BF16))
            return kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"tensor_cpu\" not implemented for '%s'",
                                  kt_dtype_torch_name((kt_dtype)theta->dtype));
    kt_tensor *grid = kt_bmm(kt__affine_base(theta, size, kt__arg_bool(call, 2)), kt_transpose(theta, 1, 2));
    for (int i = 0; i < dims; i++)
        sizes[1 + i] = size.d[2 + i];
    sizes[0] = size.d[0];
    sizes[1 + dims] = dims;
    return kt__end(call, kt_unsafe_view(grid, ((kt_shape){dims + 2, sizes})));
}
