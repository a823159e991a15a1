/* unique.c - unique, unique_dim and unique_consecutive. In: a tensor. Out: the values (or slices), inverse indices and
 * counts; the latter two empty unless requested. Elements are sorted and runs of equal ones shortened; NaN equals
 * nothing. */
#include "call/made.h"
#include "plan/meta.h"
#include "tables/kernels/search.h"
#include "ways/index.h"

enum { VALUES, INVERSE, COUNTS, N_RESULTS };

/* Where runs of equal slices of the first dim begin; there is at least one. */
static kt_tensor *beginnings(kt_tensor *rows)
{
    const int64_t n = rows->sizes[0];
    kt_tensor    *first = kt_ones(KT_SHAPE(1), .dtype = KT_BOOL, .device = kt__device(rows));
    kt_tensor    *differ = kt_ne(kt_narrow(rows, 0, 1, n - 1), kt_narrow(rows, 0, 0, n - 1));
    if (differ && differ->ndim > 1)
        differ = kt_any_dim(kt_reshape(differ, KT_SHAPE(n - 1, rows->numel / n)), 1);
    return kt_cat(((kt_tensor *[]){first, differ}), 2);
}

static kt_tensor *none(const kt_tensor *like, kt_dtype dtype)
{
    return kt_empty(KT_SHAPE(0), .dtype = dtype, .device = kt__device(like));
}

/* `rows` in order, which stood at `order` (NULL: as they came). */
static void shorten(kt_tensor *rows, kt_tensor *order, bool inverse, bool counts, kt_tensor **made)
{
    kt_tensor *begins = beginnings(rows), *at = kt_select(kt_nonzero(begins), 1, 0);
    made[VALUES] = kt_index_select(rows, 0, at);
    if (inverse) {
        kt_tensor *run = kt_sub_s(kt_cumsum(begins, 0), KT_INT(1));
        made[INVERSE] = order ? kt_scatter(kt_empty_like(run), 0, order, run) : run;
    }
    if (counts)
        made[COUNTS] = kt_diff(at, .append = kt_full(KT_SHAPE(1), KT_INT(rows->sizes[0]), .device = kt__device(rows)));
}

static kt_status end_with(kt_call *call, kt_tensor **made)
{
    kt_tensor *self = call->arg[0].t;
    for (int i = INVERSE; i < N_RESULTS; i++)
        made[i] = made[i] ? made[i] : none(self, KT_I64);
    if (!kt__failed())
        made[VALUES]->lineage = self->lineage;
    return kt__end_several(call, made, N_RESULTS);
}

/* `op`: as PyTorch names it where there are no values. */
static kt_status admit(const kt_call *call, const char *op)
{
    kt__decision room;
    if (kt__backend(call->arg[0].t->backend)->stores_nothing)
        return kt__fail_on_meta(op);
    return kt__resolve_in_body(call, &room) ? KT_OK : kt_error_status();
}

/* ---- elements ---- */

static kt_status unique_elements(kt_call *call, bool in_order, bool inverse, bool counts)
{
    kt_tensor *self = call->arg[0].t, *made[N_RESULTS] = {NULL, NULL, NULL}, *order = NULL;
    kt_tensor *row = kt_reshape(self, KT_SHAPE(self->numel));
    if (row && !in_order) {
        kt_sort_results sorted = kt_sort(row);
        row = sorted.values;
        order = sorted.indices;
    }
    if (!row)
        return kt_error_status();
    if (row->numel)
        shorten(row, order, inverse, counts, made);
    else
        made[VALUES] = none(self, (kt_dtype)self->dtype);
    if (inverse)
        made[INVERSE] = kt_unsafe_view(made[INVERSE] ? made[INVERSE] : none(self, KT_I64), kt__sizes(self));
    return end_with(call, made);
}

kt_status kt__body_unique(kt_call *call)
{
    KT_SCOPE;
    return admit(call, "_unique2") ? kt_error_status()
                                   : unique_elements(call, false, kt__arg_bool(call, 2), kt__arg_bool(call, 3));
}

/* ---- slices of a dim ---- */

static kt_status check_slices(const kt_tensor *self, int64_t *dim)
{
    int zeros = 0;
    for (int d = 0; d < self->ndim; d++)
        zeros += self->sizes[d] == 0;
    if (self->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)*dim);
    if (kt__wrap_dim(dim, self->ndim))
        return kt_error_status();
    if (self->sizes[*dim] == 0 && zeros > 1)
        return kt_fail(KT_ERR_RUNTIME, "Number of zero sized dimensions is more than one, so unique cannot be applied ");
    return self->sizes[*dim] && zeros
               ? kt_fail(KT_ERR_RUNTIME, "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
               : KT_OK;
}

/* The sorted order of the rows of a dense matrix. */
static kt_tensor *order_of(kt_tensor *rows)
{
    const int64_t n = rows->sizes[0], columns = rows->numel / n, width = (int64_t)kt__itemsize(rows);
    kt_plan       plan;
    kt_tensor    *order = kt_empty(KT_SHAPE(n), .dtype = KT_I64, .device = kt__device(rows));
    if (!order)
        return NULL;
    kt__plan_begin(&plan, kt__row_served(KT_OP_unique_dim), KT_K_sort_rows, kt__dtype_rows[rows->dtype].compute, 1, order);
    kt__set_operand(&plan, 0, order, KT_I64, KT_WHY_NONE);
    kt__set_operand(&plan, 1, rows, (kt_dtype)rows->dtype, KT_WHY_NONE);
    plan.numel = rows->numel;
    plan.nd = 2;
    plan.size[0] = n;
    plan.size[1] = columns;
    plan.stride[0][0] = (int64_t)sizeof(int64_t);
    plan.stride[0][1] = 0;
    plan.stride[1][0] = columns * width;
    plan.stride[1][1] = width;
    return kt__launch(&plan, order) ? NULL : order;
}

/* A dense copy whose first dim is `dim`. */
static kt_tensor *with_first(kt_tensor *self, int64_t dim)
{
    kt_tensor *moved = kt_movedim(self, KT_SHAPE(dim), KT_SHAPE(0));
    kt_tensor *rows = moved ? kt_empty(kt__sizes(moved), .dtype = (kt_dtype)self->dtype, .device = kt__device(self)) : NULL;
    return rows && !kt__copy_into(rows, moved, KT_WHY_NONE, KT_ROUND_TORCH) ? rows : NULL;
}

/* The dims of `rows` as those of self, in memory as they are: a tensor of its own. */
static kt_tensor *moved_back(kt_tensor *rows, int64_t dim)
{
    kt_tensor *view = kt_movedim(rows, KT_SHAPE(0), KT_SHAPE(dim));
    kt_tensor *out =
        view ? kt__scoped(kt__tensor_new_strided((kt_dtype)view->dtype, kt__device(view), kt__sizes(view), kt__strides(view)))
             : NULL;
    return out && !kt__copy_into(out, view, KT_WHY_NONE, KT_ROUND_TORCH) ? out : NULL;
}

static kt_status unique_slices(kt_call *call, int64_t dim, bool in_order, bool inverse, bool counts)
{
    kt_tensor *self = call->arg[0].t, *made[N_RESULTS] = {NULL, NULL, NULL}, *order = NULL;
    if (check_slices(self, &dim))
        return kt_error_status();
    if (self->numel == 0) {
        made[VALUES] = kt_empty(kt__sizes(self), .dtype = (kt_dtype)self->dtype, .device = kt__device(self));
        return end_with(call, made);
    }
    kt_tensor *rows = with_first(self, dim);
    if (rows && !in_order) {
        order = order_of(rows);
        rows = kt_index_select(rows, 0, order);
    }
    if (!rows)
        return kt_error_status();
    shorten(rows, order, inverse, counts, made);
    made[VALUES] = made[VALUES] ? moved_back(made[VALUES], dim) : NULL;
    return end_with(call, made);
}

kt_status kt__body_unique_dim(kt_call *call)
{
    KT_SCOPE;
    return admit(call, "unique_dim")
               ? kt_error_status()
               : unique_slices(call, call->arg[1].i, false, kt__arg_bool(call, 3), kt__arg_bool(call, 4));
}

kt_status kt__body_unique_consecutive(kt_call *call)
{
    KT_SCOPE;
    const bool inverse = kt__arg_bool(call, 1), counts = kt__arg_bool(call, 2);
    if (admit(call, "unique_consecutive"))
        return kt_error_status();
    return kt__given(call, 3) ? unique_slices(call, call->arg[3].i, true, inverse, counts)
                              : unique_elements(call, true, inverse, counts);
}
