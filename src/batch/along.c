/* along.c - rules of rows whose arguments name dims or list sizes: the examples are dim 0, so that a dim of one example is the
 * next of the value. Which arguments these are is in the schema: dims have the names below. */
#include <string.h>

#include "batch/batch.h"

enum role { ROLE_OTHER, ROLE_DIM, ROLE_SIZES, ROLE_TIMES };

static enum role role_of(const kt_arg_spec *spec)
{
    static const char *const dims[] = {"dim", "dim0", "dim1", "dim2", "dims", "dimension"};
    if (spec->kind != KT_ARG_INT && spec->kind != KT_ARG_INTS)
        return ROLE_OTHER;
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++)
        if (strcmp(spec->name, dims[i]) == 0)
            return ROLE_DIM;
    if (spec->kind == KT_ARG_INTS && strcmp(spec->name, "size") == 0)
        return ROLE_SIZES;
    return spec->kind == KT_ARG_INTS && strcmp(spec->name, "repeats") == 0 ? ROLE_TIMES : ROLE_OTHER;
}

typedef struct along {
    kt__lift *l;
    int       rank;  /* of one example, as its dims are counted */
    bool      alone; /* an example has no dims, but the row counts one */
    int       rows;  /* lists written so far */
    int64_t   ints[2][KT_MAX_DIMS + 1];
} along;

static const kt_tensor *first_tensor(const kt_call *call)
{
    const int at = call->row->inputs.n ? call->row->inputs.at[0] : -1;
    if (at < 0)
        return NULL;
    return !(call->row->inputs.lists & 1) ? call->arg[at].t : call->arg[at].ts.n ? call->arg[at].ts.t[0] : NULL;
}

static kt_status shift_one(along *a, int i)
{
    int64_t dim = kt__arg(a->l->call, i)->i;
    if (kt__wrap_dim(&dim, a->rank))
        return kt_error_status();
    a->l->inner.arg[i].i = dim + 1;
    a->l->inner.given |= 1u << i;
    return KT_OK;
}

static kt_status put_ints(along *a, int i, int64_t n)
{
    a->l->inner.arg[i].ints = (kt_shape){n, a->ints[a->rows++]};
    a->l->inner.given |= 1u << i;
    return KT_OK;
}

static kt_status check_room(const along *a, int64_t n)
{
    return n >= KT_MAX_DIMS || a->rows > 1
               ? kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS)
               : KT_OK;
}

static kt_status shift_list(along *a, int i)
{
    const kt_shape dims = kt__arg(a->l->call, i)->ints;
    if (check_room(a, dims.n))
        return kt_error_status();
    for (int64_t k = 0; k < dims.n; k++) {
        int64_t dim = dims.d[k];
        if (kt__wrap_dim(&dim, a->rank))
            return kt_error_status();
        a->ints[a->rows][k] = dim + 1;
    }
    return put_ints(a, i, dims.n);
}

/* All dims of one example. */
static kt_status list_all(along *a, int i)
{
    const int n = a->rank ? a->rank : 1;
    if (check_room(a, n))
        return kt_error_status();
    for (int k = 0; k < n; k++)
        a->ints[a->rows][k] = k + 1;
    return put_ints(a, i, n);
}

static kt_status begin_with(along *a, int i, int64_t size)
{
    const kt_shape sizes = kt__arg(a->l->call, i)->ints;
    if (check_room(a, sizes.n))
        return kt_error_status();
    a->ints[a->rows][0] = size;
    memcpy(a->ints[a->rows] + 1, sizes.d, (size_t)sizes.n * sizeof(int64_t));
    return put_ints(a, i, sizes.n + 1);
}

/* Is the argument a dim that was not said? Of a list that is empty, too, except where that is what a list of none means. */
static bool is_left_out(const kt_call *call, int i)
{
    const kt_arg_spec *spec = kt__arg_spec(call->row, i);
    if (spec->kind == KT_ARG_INT)
        return spec->optional && !kt__given(call, i);
    return kt__arg(call, i)->ints.n == 0;
}

static kt_status set_argument(along *a, int i)
{
    const kt_call     *call = a->l->call;
    const kt_arg_spec *spec = kt__arg_spec(call->row, i);
    switch (role_of(spec)) {
    case ROLE_DIM:
        if (is_left_out(call, i))
            return list_all(a, i); /* of a list: kt__batch_along has looked */
        return spec->kind == KT_ARG_INT ? shift_one(a, i) : shift_list(a, i);
    case ROLE_SIZES: return begin_with(a, i, a->l->size);
    case ROLE_TIMES: return begin_with(a, i, 1);
    default: return KT_OK;
    }
}

/* Can dims that are left out not be written as a list? */
static bool is_unsaid(const kt_call *call)
{
    for (int i = 0; i < kt__n_args(call->row); i++) {
        const kt_arg_spec *spec = kt__arg_spec(call->row, i);
        if (role_of(spec) != ROLE_DIM || !is_left_out(call, i))
            continue;
        const bool all = call->row->way == &kt__way_reduce && spec->kind == KT_ARG_INTS && !kt__given(call, i);
        if (!all)
            return true;
    }
    return false;
}

static bool names_dims(const kt_row *row)
{
    for (int i = 0; i < kt__n_args(row); i++)
        if (role_of(kt__arg_spec(row, i)) == ROLE_DIM)
            return true;
    return false;
}

/* The dim that an example without dims was given goes again. */
static kt_status lower(kt__lift *l)
{
    for (int i = 0; i < l->inner.n_out && l->call->form == KT_PLAIN; i++) {
        kt_tensor *t = l->inner.out[i];
        if (t->ndim < 2)
            continue;
        kt_tensor *lower = kt_select(t, 1, 0);
        kt__unref(t);
        l->inner.out[i] = lower ? kt__ref(lower) : NULL;
    }
    return kt__failed() ? kt_error_status() : KT_OK;
}

static kt_status run_along(kt__lift *l, bool all, int more)
{
    const kt_tensor *first = first_tensor(l->call);
    along            a = {.l = l};
    int              at = 0;
    const int        n = kt__count_lifted(l, &at);
    const bool       other = !all && (n != 1 || !kt__at_level(first, l->level));
    if (!first || other || is_unsaid(l->call))
        return kt__batch_loop(l);
    a.rank = first->ndim + more;
    a.alone = !more && !first->ndim && names_dims(l->call->row);
    for (int i = 0; i < kt__n_args(l->call->row); i++)
        if (set_argument(&a, i))
            return kt_error_status();
    if (kt__lift_tensors(l, a.alone ? 1 : -1, all) || kt_call_run(&l->inner))
        return kt_error_status();
    return a.alone ? lower(l) : KT_OK;
}

kt_status kt__batch_along(kt__lift *l) { return run_along(l, false, 0); }
kt_status kt__batch_along_new(kt__lift *l) { return run_along(l, false, 1); }

/* A list may have tensors of another rank: cat leaves those of size (0,) out. */
static bool ranks_differ(const kt_call *call)
{
    const int at = call->row->inputs.lists & 1 ? call->row->inputs.at[0] : -1;
    for (int64_t i = 1; at >= 0 && i < call->arg[at].ts.n; i++)
        if (call->arg[at].ts.t[i]->ndim != call->arg[at].ts.t[0]->ndim)
            return true;
    return false;
}

kt_status kt__batch_all_along(kt__lift *l)
{
    return first_tensor(l->call)->ndim && !ranks_differ(l->call) ? run_along(l, true, 0) : kt__batch_loop(l);
}
kt_status kt__batch_all_along_new(kt__lift *l) { return run_along(l, true, 1); }

/* The sizes may have more dims than one example. */
kt_status kt__batch_expand(kt__lift *l)
{
    along a = {.l = l};
    for (int i = 0; i < kt__n_args(l->call->row); i++)
        if (role_of(kt__arg_spec(l->call->row, i)) > ROLE_DIM) {
            const int64_t n = kt__arg(l->call, i)->ints.n;
            kt__put_tensor(&l->inner, 0, kt__lifted(l, l->call->arg[0].t, (int)n));
            if (set_argument(&a, i))
                return kt_error_status();
        }
    return kt__failed() ? kt_error_status() : kt_call_run(&l->inner);
}

kt_status kt__batch_itself(kt__lift *l)
{
    if (kt__lift_tensors(l, -1, false))
        return kt_error_status();
    return kt_call_run(&l->inner);
}

/* Dims counted from the last, as many as the argument has pairs. */
kt_status kt__batch_padded(kt__lift *l)
{
    return l->call->arg[1].ints.n <= 2 * (int64_t)l->call->arg[0].t->ndim ? kt__batch_itself(l) : kt__batch_loop(l);
}

/* The last three dims. */
kt_status kt__batch_planes(kt__lift *l) { return l->call->arg[0].t->ndim >= 3 ? kt__batch_itself(l) : kt__batch_loop(l); }

/* A result that was not asked for has no elements, nor the dims of a batch: it gets the examples. */
static kt_status fill_out(kt__lift *l)
{
    for (int i = 0; i < l->inner.n_out; i++) {
        kt_tensor *made = l->inner.out[i];
        if (made->numel || made->ndim != 1)
            continue;
        kt_tensor *all = kt__lifted_all(l, made);
        kt__unref(made);
        l->inner.out[i] = all ? kt__ref(all) : NULL;
    }
    return kt__failed() ? kt_error_status() : KT_OK;
}

/* Does an example count as the row counts its value? One that is no matrix is refused by the row, which would take its value for
 * one; of several tensors the batches are broadcast from their ends. */
static bool are_matrices(const kt_call *call)
{
    const kt__input_map *map = &call->row->inputs;
    bool                 plain = call->arg[0].t->ndim >= 2;
    for (int i = 0; map->n > 1 && i < map->n && plain; i++)
        plain = !kt__given(call, map->at[i]) || call->arg[map->at[i]].t->ndim <= 2;
    return plain;
}

kt_status kt__batch_matrices(kt__lift *l)
{
    if (!are_matrices(l->call))
        return kt__batch_loop(l);
    return kt__lift_tensors(l, -1, true) || kt_call_run(&l->inner) ? kt_error_status() : fill_out(l);
}

/* ---- all dims at once ---- */

static int argument_named(const kt_row *row, const char *name)
{
    for (int i = 0; i < kt__n_args(row); i++)
        if (strcmp(kt__arg_spec(row, i)->name, name) == 0)
            return i;
    return -1;
}

/* The call of a row that reduces one dim, with the arguments of that name. */
static kt_status reduce_flat(kt__lift *l, const kt_row *by)
{
    static const int64_t one = 1;
    const kt_call       *call = l->call;
    kt_tensor           *value = kt__lifted(l, call->arg[0].t, 1);
    if (value && value->ndim > 2)
        value = kt_reshape(value, KT_SHAPE(l->size, call->arg[0].t->numel));
    if (!value)
        return kt_error_status();
    kt_call_begin(&l->inner, by, KT_PLAIN);
    kt__put_tensor(&l->inner, 0, value);
    for (int i = 1; i < kt__n_args(call->row); i++) {
        const int at = argument_named(by, kt__arg_spec(call->row, i)->name);
        if (at > 0 && kt__given(call, i)) {
            l->inner.arg[at] = call->arg[i];
            l->inner.given |= 1u << at;
        }
    }
    const int dim = argument_named(by, "dim");
    if (kt__arg_spec(by, dim)->kind == KT_ARG_INT)
        kt__put(&l->inner, dim, i, 1);
    else
        kt__put(&l->inner, dim, ints, ((kt_shape){1, &one}));
    return kt_call_run(&l->inner);
}

/* keepdim leaves one dim where the example had some. */
static kt_status keep_dims(kt__lift *l)
{
    const kt_call *call = l->call;
    const int      at = argument_named(call->row, "keepdim");
    int64_t        sizes[KT_MAX_DIMS];
    if (at < 0 || !kt__arg_bool(call, at))
        return KT_OK;
    for (int i = 0; i < call->arg[0].t->ndim; i++)
        sizes[1 + i] = 1;
    sizes[0] = l->size;
    for (int i = 0; i < l->inner.n_out; i++) {
        kt_tensor *kept = kt_reshape(l->inner.out[i], ((kt_shape){1 + call->arg[0].t->ndim, sizes}));
        kt__unref(l->inner.out[i]);
        l->inner.out[i] = kept ? kt__ref(kept) : NULL;
    }
    return kt__failed() ? kt_error_status() : KT_OK;
}

kt_status kt__batch_whole(kt__lift *l)
{
    const kt_row *row = l->call->row, *by = &kt__rows[kt__batch_line_of(row).row];
    const int     dim = argument_named(row, "dim");
    if (dim >= 0 && kt__given(l->call, dim))
        return kt__batch_along(l);
    if (reduce_flat(l, by))
        return kt_error_status();
    for (int i = kt__n_results(row); i < l->inner.n_out; i++)
        kt__unref(l->inner.out[i]); /* the index that only the other row gives */
    l->inner.n_out = (uint8_t)kt__n_results(row);
    return keep_dims(l);
}

/* ---- views of their own kind ---- */

kt_status kt__batch_turn(kt__lift *l)
{
    kt_tensor *t = l->call->arg[0].t;
    if (t->ndim > 2)
        return kt_fail(KT_ERR_RUNTIME, "t() expects a tensor with <= 2 dimensions, but self is %dD", t->ndim);
    kt_tensor *value = kt__lifted(l, t, -1);
    kt_tensor *turned = t->ndim == 2 ? kt_transpose(value, 1, 2) : kt_alias(value);
    l->inner.out[0] = turned ? kt__ref(turned) : NULL;
    l->inner.n_out = 1;
    return turned ? KT_OK : kt_error_status();
}

kt_status kt__batch_permute(kt__lift *l)
{
    const kt_shape dims = l->call->arg[1].ints;
    along          a = {.l = l, .rank = l->call->arg[0].t->ndim};
    if (dims.n != a.rank)
        return kt_fail(KT_ERR_RUNTIME,
                       "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
                       "ordering of dimensions i.e. input.dim() = %d is not equal to len(dims) = %lld",
                       a.rank, (long long)dims.n);
    if (check_room(&a, dims.n))
        return kt_error_status();
    a.ints[0][0] = 0;
    for (int64_t i = 0; i < dims.n; i++) {
        int64_t dim = dims.d[i];
        if (kt__wrap_dim(&dim, a.rank))
            return kt_error_status();
        a.ints[0][i + 1] = dim + 1;
    }
    kt__put_tensor(&l->inner, 0, kt__lifted(l, l->call->arg[0].t, -1));
    put_ints(&a, 1, dims.n + 1);
    return kt__failed() ? kt_error_status() : kt_call_run(&l->inner);
}

kt_status kt__batch_squeeze(kt__lift *l)
{
    kt_tensor *t = l->call->arg[0].t;
    int64_t    dims[KT_MAX_DIMS];
    int        n = 0;
    for (int i = 0; i < t->ndim; i++)
        if (t->sizes[i] == 1)
            dims[n++] = i + 1;
    kt_tensor *value = kt__lifted(l, t, -1);
    l->inner.row = &kt__rows[kt__batch_line_of(l->call->row).row];
    kt__put_tensor(&l->inner, 0, value);
    kt__put(&l->inner, 1, ints, ((kt_shape){n, dims}));
    return value ? kt_call_run(&l->inner) : kt_error_status();
}

/* Sizes, strides and offset are of the storage, in which the examples are as far apart as those of the value. */
kt_status kt__batch_strided(kt__lift *l)
{
    const kt_call *call = l->call;
    kt_tensor     *value = kt__lifted(l, call->arg[0].t, -1);
    const kt_shape size = call->arg[1].ints, stride = call->arg[2].ints;
    int64_t        sizes[KT_MAX_DIMS + 1], strides[KT_MAX_DIMS + 1];
    if (!value)
        return kt_error_status();
    if (size.n != stride.n)
        return kt_fail(KT_ERR_RUNTIME, "mismatch in length of strides and shape");
    if (size.n >= KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    sizes[0] = l->size;
    strides[0] = value->strides[0];
    memcpy(sizes + 1, size.d, (size_t)size.n * sizeof *sizes);
    memcpy(strides + 1, stride.d, (size_t)size.n * sizeof *strides);
    kt__put_tensor(&l->inner, 0, value);
    kt__put(&l->inner, 1, ints, ((kt_shape){size.n + 1, sizes}));
    kt__put(&l->inner, 2, ints, ((kt_shape){size.n + 1, strides}));
    return kt_call_run(&l->inner);
}
