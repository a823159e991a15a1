/* index_mask.c - elements by a mask: masked_fill, masked_select, masked_scatter; and where elements differ from zero: nonzero and
 * kin, whose shapes depend on values, which the meta device does not have. In: tensors. Out: one, or a list. */
#include "call/end.h"
#include "call/refuse.h"
#include "plan/meta.h"
#include "tensor/work.h"
#include "ways/index.h"

/* ---- where a mask holds ---- */

/* A large mask is copied: another thread may write to it between counting and searching, which must agree. What runs late writes
 * no more places than were counted. */
static kt_status truth_of(kt_tensor *t, kt_tensor **result)
{
    const bool stays = t->numel <= KT__LONG_NUMEL || kt__backend(t->backend)->late;
    if (t->dtype == KT_BOOL && kt__is_contiguous(t) && stays) {
        *result = kt__ref(t);
        return KT_OK;
    }
    *result = kt__tensor_new(KT_BOOL, kt__device(t), kt__sizes(t));
    return *result ? kt__copy_into(*result, t, KT_WHY_INDEX, KT_ROUND_TORCH) : kt_error_status();
}

static kt_status count_true(kt_tensor *mask, int64_t *n)
{
    kt_tensor *count = NULL;
    if (kt__call1(KT_OP_count_nonzero, mask, &count))
        return kt_error_status();
    *n = kt_item_scalar(count).v.i;
    kt__unref(count);
    return kt__failed() ? kt_error_status() : KT_OK;
}

static kt_status write_places(kt_tensor *out, kt_tensor *mask)
{
    kt_plan plan;
    kt__plan_begin(&plan, kt__row_served(KT_OP_nonzero), KT_K_nonzero, KT_IN_I64, 1, out);
    plan.numel = mask->numel;
    plan.nd = mask->ndim;
    plan.n_param = 2;
    plan.param[0] = KT_INT(out->strides[1] * (int64_t)sizeof(int64_t));
    plan.param[1] = KT_INT(out->sizes[0]);
    kt__set_operand(&plan, 0, out, KT_I64, KT_WHY_NONE);
    kt__set_operand(&plan, 1, mask, KT_BOOL, KT_WHY_NONE);
    for (int d = 0; d < mask->ndim; d++) {
        plan.size[d] = mask->sizes[d];
        plan.stride[0][d] = 0;
        plan.stride[1][d] = mask->strides[d];
    }
    return kt__launch(&plan, out);
}

kt_status kt__nonzero(kt_tensor *t, kt_tensor **result)
{
    kt_tensor *mask = NULL, *out = NULL;
    int64_t    n = 0;
    if (kt__backend(t->backend)->stores_nothing)
        return kt_fail(
            KT_ERR_NOT_IMPLEMENTED,
            "The register_meta function for torch.nonzero() raises unimplemented by default, as a correct data-independent "
            "implementation does not exist. This implementation returns a fake value, assuming all elements of the tensor are "
            "non-zero. To enable this registration, please set "
            "'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' to True.");
    kt_status status = truth_of(t, &mask);
    status = status ? status : count_true(mask, &n);
    if (!status) {
        out = kt__tensor_new_strided(KT_I64, kt__device(t), KT_SHAPE(n, t->ndim), KT_SHAPE(1, n));
        status = !out ? kt_error_status() : n ? write_places(out, mask) : KT_OK;
    }
    kt__unref(mask);
    if (status)
        kt__unref(out);
    else
        *result = out;
    return status;
}

kt_status kt__body_nonzero(kt_call *call)
{
    kt_tensor *places = NULL;
    kt_status  status = kt__check_memory(call, NULL);
    status = status ? status : kt__nonzero(call->arg[0].t, &places);
    if (!status)
        places->lineage = KT__RECORD(KT_BORN, "nonzero", KT_NONE, KT_I64, 0);
    return kt__end_made(call, places, NULL, status);
}
kt_status kt__body_argwhere(kt_call *call) { return kt__body_nonzero(call); }

kt_status kt__body_nonzero_static(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *places = NULL;
    int64_t    size = call->arg[1].i;
    if (size < 0)
        return kt_fail(KT_ERR_RUNTIME, "nonzero_static: 'size' must be an non-negative integer");
    if (kt__check_out(call, KT_I64, KT_NONE) || kt__check_memory(call, &KT_SHAPE(size, self->ndim)))
        return kt_error_status();
    kt_tensor *out = kt__tensor_new(KT_I64, kt__device(self), KT_SHAPE(size, self->ndim));
    kt_status  status = out ? kt__fill_with(out, KT_INT(kt__arg_int(call, 2))) : kt_error_status();
    if (!status && !kt__backend(self->backend)->stores_nothing)
        status = kt__nonzero(self, &places);
    if (!status && places) {
        int64_t  n = places->sizes[0] < size ? places->sizes[0] : size;
        kt__part to, from;
        kt__part_of(&to, out);
        kt__part_of(&from, places);
        kt__part_narrow(&to, 0, 0, n);
        kt__part_narrow(&from, 0, 0, n);
        status = kt__part_copy(&to, &from);
    }
    kt__unref(places);
    if (!status)
        out->lineage = KT__RECORD(KT_BORN, "nonzero_static", KT_NONE, KT_I64, 0);
    return kt__end_made(call, out, NULL, status);
}

kt_status kt__body_nonzero_numpy(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *row = NULL, *places = NULL;
    kt_status  status = self->ndim ? KT_OK : kt__call_ints(KT_OP_reshape, self, KT_SHAPE(1), &row);
    status = status ? status : kt__call1(KT_OP_nonzero, row ? row : self, &places);
    status = status ? status : kt__list_of(call, kt__rank_of(self));
    for (int64_t d = 0; d < call->n_list && !status; d++)
        status = kt__call_int2(KT_OP_select, places, 1, d, &call->list[d]);
    kt__unref(places);
    kt__unref(row);
    return kt__list_done(call, status);
}
kt_status kt__body_where_self(kt_call *call) { return kt__body_nonzero_numpy(call); }

/* ---- a value where it holds ---- */

/* Writes a 0-dim value, or the element at the same index, where the broadcast mask is true. */
static kt_status put_where(kt_tensor *work, kt_tensor *mask, kt_tensor *value)
{
    kt__along a = {.nd = work->ndim, .t = {work, value, mask}};
    for (int d = 0; d < work->ndim; d++) {
        int at = d - (work->ndim - mask->ndim);
        a.size[d] = work->sizes[d];
        a.stride[ALONG_OUT][d] = work->strides[d];
        a.stride[ALONG_INDEX][d] = at < 0 || mask->sizes[at] != work->sizes[d] ? 0 : mask->strides[at];
    }
    return kt__run_along(KT_K_masked_put, &a);
}

/* What a masked row writes: self in place, which must have the broadcast shape; else a dense copy that has it. */
static kt_status masked_target(kt_call *call, kt_tensor *mask, kt_tensor **work)
{
    kt_tensor *self = call->arg[0].t, *both[2] = {self, mask}, *turned[2] = {mask, self};
    int64_t    sizes[KT_MAX_DIMS];
    int        rank = 0;
    *work = NULL;
    if (kt__one_device(both, 2) || kt__broadcast(call->form == KT_INPLACE ? both : turned, 2, sizes, &rank))
        return kt_error_status();
    bool same = rank == self->ndim;
    for (int d = 0; d < rank && same; d++)
        same = sizes[d] == self->sizes[d];
    if (call->form == KT_INPLACE && !same) {
        return kt_fail(KT_ERR_RUNTIME, "output with shape %s doesn't match the broadcast shape %s",
                       KT__SIZES_TEXT(self), KT__SHAPE_TEXT((kt_shape){rank, sizes}));
    }
    if (call->form == KT_INPLACE || same)
        return kt__begin_write(call, false, work);
    *work = kt__tensor_new((kt_dtype)self->dtype, kt__device(self), (kt_shape){rank, sizes});
    if (!*work || kt__copy_into(*work, self, KT_WHY_NONE, KT_ROUND_TORCH)) {
        kt__take(work, NULL);
        return kt_error_status();
    }
    (*work)->lineage = self->lineage;
    return KT_OK;
}

/* `from`: a 0-dim tensor; NULL: the number counts. */
static kt_status fill_where(kt_call *call, kt_tensor *from, kt_scalar number)
{
    kt_tensor *mask = call->arg[1].t, *value = NULL, *work = NULL;
    const bool in_place = call->form == KT_INPLACE; /* else the mask is broadcast first */
    if (in_place && (kt__refuse(call, STAGE_AFTER) || kt__check_sharing(call, NULL)))
        return kt_error_status();
    if (in_place)
        kt__warn_if_expanded(call->arg[0].t, "masked_fill_", "tensor[mask] = scalar");
    kt_status status = masked_target(call, mask, &work);
    status = status || in_place ? status : kt__refuse(call, STAGE_AFTER);
    if (!status)
        status = from ? kt__value_of(call, work, from, &value) : kt__value_like(call, work, number, &value);
    status = status ? status : put_where(work, mask, value);
    kt__unref(value);
    return kt__end_write(call, work, status);
}

kt_status kt__body_masked_fill(kt_call *call) { return fill_where(call, NULL, call->arg[2].s); }

kt_status kt__body_masked_fill_tensor(kt_call *call)
{
    kt_tensor *value = call->arg[2].t;
    return kt__check_value("masked_fill_", value) ? kt_error_status() : fill_where(call, value, KT_INT(0));
}

/* ---- masked_select ---- */

/* As one dense row, spread to the sizes; owned. */
static kt_status row_of(kt_tensor *t, kt_shape sizes, kt_tensor **row)
{
    kt_tensor *wide = NULL, *dense = kt__tensor_new((kt_dtype)t->dtype, kt__device(t), sizes);
    kt_status  status = dense ? kt__call_ints(KT_OP_expand, t, sizes, &wide) : kt_error_status();
    status = status ? status : kt__copy_into(dense, wide, KT_WHY_NONE, KT_ROUND_TORCH);
    status = status ? status : kt__call_ints(KT_OP_reshape, dense, KT_SHAPE(-1), row);
    kt__unref(wide);
    kt__unref(dense);
    return status;
}

/* Flat indices where the broadcast mask is true; [n]. */
static kt_status places_in_row(kt_tensor *mask, kt_shape sizes, kt_tensor **places)
{
    kt_tensor *row = NULL, *all = NULL;
    kt_status  status = row_of(mask, sizes, &row);
    status = status ? status : kt__nonzero(row, &all);
    status = status ? status : kt__call_int2(KT_OP_select, all, 1, 0, places);
    kt__unref(row);
    kt__unref(all);
    return status;
}

kt_status kt__body_masked_select(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *mask = call->arg[1].t, *row = NULL, *places = NULL, *chosen = NULL;
    int64_t    sizes[KT_MAX_DIMS];
    int        rank = 0;
    if (kt__check_out(call, (kt_dtype)self->dtype, KT_NONE) || kt__check_memory(call, NULL) ||
        kt__one_device((kt_tensor *[]){self, mask}, 2) ||
        kt__broadcast((kt_tensor *[]){mask, self}, 2, sizes, &rank))
        return kt_error_status();
    if (kt__backend(self->backend)->stores_nothing)
        return kt__fail_on_meta("masked_select");
    kt_status status = row_of(self, (kt_shape){rank, sizes}, &row);
    status = status ? status : places_in_row(mask, (kt_shape){rank, sizes}, &places);
    status = status ? status : kt__call2(KT_OP_take, row, places, &chosen);
    kt__unref(row);
    kt__unref(places);
    return kt__end_made(call, chosen, self, status);
}

/* ---- masked_scatter ---- */

static kt_status scatter_where(kt_tensor *work, kt_tensor *mask, kt_tensor *source)
{
    kt_tensor *places = NULL, *from = NULL, *few = NULL;
    if (kt__backend(work->backend)->stores_nothing)
        return KT_OK;
    kt_status status = places_in_row(mask, kt__sizes(work), &places);
    if (!status && places->numel > source->numel)
        status = kt_fail(KT_ERR_RUNTIME, "Number of elements of source < number of ones in mask");
    status = status ? status : row_of(source, kt__sizes(source), &from);
    status = status ? status : kt__call_narrow(from, 0, 0, places->numel, &few);
    if (!status) {
        kt_call c;
        kt__open(&c, KT_OP_put, KT_INPLACE);
        kt__put_tensor(&c, 0, work);
        kt__put_tensor(&c, 1, places);
        kt__put_tensor(&c, 2, few);
        status = c.row->body(&c);
        if (!status)
            kt__unref(c.out[0]);
    }
    kt__unref(places);
    kt__unref(from);
    kt__unref(few);
    return status;
}

static kt_status check_scattered(const kt_call *call)
{
    if (call->arg[1].t->dtype == KT_U8)
        kt__warn("masked_scatter_ received a mask with dtype torch.uint8, this behavior is now deprecated,please use a mask with "
                 "dtype torch.bool instead.");
    return kt__refuse(call, STAGE_AFTER);
}

kt_status kt__body_masked_scatter(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *mask = call->arg[1].t, *source = call->arg[2].t, *work = NULL;
    const bool in_place = call->form == KT_INPLACE; /* else the mask is broadcast first */
    if (in_place && check_scattered(call))
        return kt_error_status();
    if (in_place && mask->ndim > self->ndim) {
        return kt_fail(KT_ERR_RUNTIME,
                       "expand(CPUBoolType{%s}, size=%s): the number of sizes provided (%d) must be greater or equal to the "
                       "number of dimensions in the tensor (%d)",
                       KT__SIZES_TEXT(mask), KT__SIZES_TEXT(self), self->ndim, mask->ndim);
    }
    if (kt__one_device((kt_tensor *[]){self, mask, source}, 3))
        return kt_error_status();
    kt_status status = masked_target(call, mask, &work);
    status = status || in_place ? status : check_scattered(call);
    status = status ? status : scatter_where(work, mask, source);
    return kt__end_write(call, work, status);
}
