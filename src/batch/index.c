/* index.c - rules of indexing by tensors: the examples are one more index, or one more dim of the indices. */
#include <string.h>

#include "base/alloc.h"
#include "batch/batch.h"

typedef struct indexing {
    kt_tensor *const *given; /* the user's list */
    int64_t           n;
    int               rank;     /* of the indices together, of one example */
    int               first;    /* where they begin */
    bool              together; /* no dim lies between them: their dims stand where they were, else in front */
    bool              batched;  /* an index has examples */
    bool              masked;   /* one is a mask */
} indexing;

static bool is_mask(const kt_tensor *t) { return t->dtype == KT_BOOL || t->dtype == KT_U8; }

static indexing look_at(const kt__lift *l, kt_tensor *const *list, int64_t n)
{
    indexing x = {.given = list, .n = n, .first = -1, .together = true};
    bool     gap = false;
    for (int64_t i = 0; i < n; i++) {
        const kt_tensor *t = list[i];
        if (!t) {
            gap |= x.first >= 0;
            continue;
        }
        x.first = x.first < 0 ? (int)i : x.first;
        x.together &= !gap;
        x.batched |= kt__at_level(t, l->level);
        x.masked |= is_mask(t);
        x.rank = t->ndim > x.rank ? t->ndim : x.rank;
    }
    return x;
}

static kt_status fail_mask(void)
{
    return kt_fail(KT_ERR_RUNTIME, "vmap: We do not support batching operators that can support dynamic shape. Attempting to "
                                   "batch over indexing with a boolean mask.");
}

static bool has_batched_mask(const kt__lift *l, const indexing *x)
{
    for (int64_t i = 0; i < x->n; i++)
        if (x->given[i] && is_mask(x->given[i]) && kt__at_level(x->given[i], l->level))
            return true;
    return false;
}

/* The list for values that have the examples in dim 0 (`lead`), or nowhere. */
static int64_t lift_indices(kt__lift *l, const indexing *x, bool lead, kt_tensor **list)
{
    int64_t n = 0;
    if (lead && x->batched) {
        int64_t sizes[KT_MAX_DIMS], beside = 0;
        for (int i = 0; i <= x->rank; i++)
            sizes[i] = i ? 1 : l->size;
        while (!x->given[beside])
            beside++;
        kt_tensor *each = kt_arange(KT_INT(0), KT_INT(l->size), .dtype = KT_I64, .device = kt_device_of(x->given[beside]));
        list[n++] = kt_reshape(each, ((kt_shape){x->rank + 1, sizes}));
    } else if (lead) {
        list[n++] = NULL;
    }
    for (int64_t i = 0; i < x->n; i++)
        list[n++] = x->given[i] ? kt__lifted(l, x->given[i], x->rank) : NULL;
    return n;
}

/* The indices' dims came in front of `first` dims that stand before them. */
static kt_status put_back(kt__lift *l, const indexing *x)
{
    kt_tensor *made = l->inner.out[0];
    int64_t    order[KT_MAX_DIMS];
    int        n = 0;
    order[n++] = 0;
    for (int i = 0; i < x->first; i++)
        order[n++] = 1 + x->rank + i;
    for (int i = 0; i < x->rank; i++)
        order[n++] = 1 + i;
    for (; n < made->ndim; n++)
        order[n] = n;
    kt_tensor *turned = kt_permute(made, ((kt_shape){n, order}));
    kt__unref(made);
    l->inner.out[0] = turned ? kt__ref(turned) : NULL;
    return turned ? KT_OK : kt_error_status();
}

kt_status kt__batch_index(kt__lift *l)
{
    kt_call   *call = l->call;
    kt_tensor *self = call->arg[0].t, *list[KT_MAX_DIMS + 1];
    const bool lead = kt__at_level(self, l->level);
    indexing   x = look_at(l, call->arg[1].ts.t, call->arg[1].ts.n);
    if (has_batched_mask(l, &x))
        return fail_mask();
    if ((x.masked && x.batched) || x.n >= KT_MAX_DIMS || x.n > self->ndim || (x.masked && !x.together))
        return kt__batch_loop(l);
    kt__put_tensor(&l->inner, 0, kt__lifted(l, self, -1));
    const int64_t n = lift_indices(l, &x, lead, list);
    kt__put_tensors(&l->inner, 1, list, n);
    if (kt__failed() || kt_call_run(&l->inner))
        return kt_error_status();
    if (!lead)
        l->dim = x.together ? x.first : 0;
    else if (!x.batched)
        l->dim = x.together ? 0 : x.rank;
    else if (x.together && x.first > 0)
        return put_back(l, &x);
    return KT_OK;
}

kt_status kt__batch_index_put(kt__lift *l)
{
    kt_call   *call = l->call;
    kt_tensor *self = call->arg[0].t, *values = call->arg[2].t, *list[KT_MAX_DIMS + 1];
    indexing   x = look_at(l, call->arg[1].ts.t, call->arg[1].ts.n);
    const bool fits = x.batched ? x.first == 0 || !x.together : x.together;
    if (x.masked || !fits || x.n >= KT_MAX_DIMS || x.n > self->ndim)
        return kt__batch_loop(l);
    int taken = 0;
    for (int64_t i = 0; i < x.n; i++)
        taken += x.given[i] != NULL;
    kt__put_tensor(&l->inner, 0, kt__lifted_all(l, self));
    kt__put_tensors(&l->inner, 1, list, lift_indices(l, &x, true, list));
    kt__put_tensor(&l->inner, 2, kt__lifted(l, values, self->ndim - taken + x.rank));
    return kt__failed() ? kt_error_status() : kt_call_run(&l->inner);
}

/* A row that says why it refuses the examples: what another would say of all of them names other sizes. */
static kt_status or_one_by_one(kt__lift *l, kt_status status)
{
    if (!status)
        return KT_OK;
    kt_clear();
    return kt__batch_loop(l);
}

/* An index [examples, n] for each element of what it picks: [examples, before..., n, after...] of `like`, whose dim it counts. */
static kt_tensor *spread(const kt__lift *l, kt_tensor *index, const kt_tensor *like, int64_t dim)
{
    int64_t ones[KT_MAX_DIMS + 1], sizes[KT_MAX_DIMS + 1];
    for (int i = 0; i < like->ndim; i++) {
        ones[1 + i] = i == dim ? index->sizes[0] : 1;
        sizes[1 + i] = i == dim ? index->sizes[0] : like->sizes[i];
    }
    ones[0] = sizes[0] = l->size;
    kt_tensor *each = kt_reshape(kt__lifted(l, index, -1), ((kt_shape){like->ndim + 1, ones}));
    return each ? kt_expand(each, ((kt_shape){like->ndim + 1, sizes})) : NULL;
}

/* Gradients pass by a row, or are divided by how often a row is read: a gather does neither. */
static bool has_own_gradient(const kt_call *call)
{
    const int padding = 2, scaled = 3;
    const bool by_frequency = kt__given(call, scaled) && kt__arg_bool(call, scaled);
    return by_frequency || (kt__given(call, padding) && kt__arg_int(call, padding) >= 0);
}

/* Rows of a table that all examples share, or each of its own. */
kt_status kt__batch_lookup(kt__lift *l)
{
    kt_tensor *table = l->call->arg[0].t, *index = l->call->arg[1].t;
    int64_t    sizes[KT_MAX_DIMS + 2];
    if (!kt__at_level(table, l->level))
        return kt__batch_itself(l);
    if (has_own_gradient(l->call) || table->ndim != 2 || index->ndim >= KT_MAX_DIMS || index->dtype != KT_I64)
        return kt__batch_loop(l);
    sizes[0] = l->size;
    memcpy(sizes + 1, index->sizes, index->ndim * sizeof *sizes);
    sizes[1 + index->ndim] = table->sizes[1];
    kt_tensor *flat = kt_reshape(kt__lifted_all(l, index), KT_SHAPE(l->size, index->numel, 1));
    flat = flat ? kt_expand(flat, KT_SHAPE(l->size, index->numel, table->sizes[1])) : NULL;
    kt_tensor *rows = flat ? kt_gather(kt__lifted(l, table, -1), 1, flat) : NULL;
    rows = rows ? kt_reshape(rows, ((kt_shape){index->ndim + 2, sizes})) : NULL;
    l->inner.out[0] = rows ? kt__ref(rows) : NULL;
    l->inner.n_out = 1;
    return or_one_by_one(l, rows ? KT_OK : kt_error_status());
}

/* ---- writing at an index along a dim: (self, dim, index, source or value) ---- */

enum { SELF, DIM, INDEX, SOURCE };

static bool is_tensor(const kt_call *call, int i)
{
    return kt__arg_spec(call->row, i)->kind == KT_ARG_TENSOR && kt__given(call, i) && !(call->scalars >> i & 1);
}

/* Each example has an index of its own: as if every element had one. */
static kt_status write_each(kt__lift *l, int64_t dim)
{
    const kt_call *call = l->call;
    kt_tensor     *self = call->arg[SELF].t, *index = call->arg[INDEX].t, *source = is_tensor(call, SOURCE) ? call->arg[SOURCE].t
                                                                                                       : NULL;
    const kt_form  form = (kt_form)call->form;
    kt_tensor     *to = kt__lifted_all(l, self), *at = spread(l, index, source ? source : self, dim);
    kt_tensor     *from = source ? kt__lifted_all(l, source) : NULL;
    const int      alpha = 4;
    if (call->row->id == KT_OP_index_add && from && kt__given(call, alpha))
        from = kt_mul_s(from, kt__arg_scalar(call, alpha));
    kt_call_begin(&l->inner, &kt__rows[kt__batch_line_of(call->row).row], form);
    kt__put_tensor(&l->inner, SELF, to);
    kt__put(&l->inner, DIM, i, dim + 1);
    kt__put_tensor(&l->inner, INDEX, at);
    if (source)
        kt__put_tensor(&l->inner, SOURCE, from);
    else
        kt__put(&l->inner, SOURCE, s, kt__arg_scalar(call, SOURCE));
    return kt__failed() ? kt_error_status() : kt_call_run(&l->inner);
}

kt_status kt__batch_index_write(kt__lift *l)
{
    const kt_call *call = l->call;
    kt_tensor     *self = call->arg[SELF].t, *index = call->arg[INDEX].t, *source = is_tensor(call, SOURCE) ? call->arg[SOURCE].t
                                                                                                       : NULL;
    int64_t        dim = call->arg[DIM].i;
    if (!self->ndim || index->ndim != 1 || (source && (source->ndim != self->ndim || source->dtype != self->dtype)))
        return kt__batch_loop(l);
    if (kt__wrap_dim(&dim, self->ndim))
        return kt_error_status();
    if (kt__at_level(index, l->level)) {
        const bool fits = index->dtype == KT_I64 && (!source || source->sizes[dim] == index->sizes[0]);
        return fits ? or_one_by_one(l, write_each(l, dim)) : kt__batch_loop(l);
    }
    kt__put_tensor(&l->inner, SELF, kt__lifted_all(l, self));
    kt__put(&l->inner, DIM, i, dim + 1);
    if (source)
        kt__put_tensor(&l->inner, SOURCE, kt__lifted_all(l, source));
    return kt__failed() ? kt_error_status() : kt_call_run(&l->inner);
}

kt_status kt__batch_one_hot(kt__lift *l)
{
    return kt__given(l->call, 1) && l->call->arg[1].i >= 0 ? kt__batch_itself(l) : kt__batch_loop(l);
}

/* The index is the same for all; or each example has its own, which gather takes. */
kt_status kt__batch_select_rows(kt__lift *l)
{
    kt_tensor *self = l->call->arg[0].t, *index = l->call->arg[2].t;
    if (!self->ndim && index->numel != 1) /* refused of one example */
        return kt__batch_loop(l);
    if (!kt__at_level(index, l->level))
        return kt__batch_along(l);
    int64_t dim = l->call->arg[1].i;
    if (!self->ndim || index->ndim != 1)
        return kt__batch_loop(l);
    if (kt__wrap_dim(&dim, self->ndim))
        return kt_error_status();
    kt_tensor *list[KT_MAX_DIMS];
    for (int64_t i = 0; i < dim; i++)
        list[i] = NULL;
    list[dim] = index;
    kt_call *const call = l->call;
    kt_call        whole = *call;
    whole.row = &kt__rows[KT_OP_index];
    kt__put_tensors(&whole, 1, list, dim + 1);
    whole.given = 3;
    l->call = &whole;
    l->inner = whole;
    const kt_status status = kt__batch_index(l);
    l->call = call;
    return status;
}

/* One line for all examples takes the values as they lie. Lines of their own go with as many dims of values. */
kt_status kt__batch_search(kt__lift *l)
{
    const int            at = kt__batch_line_of(l->call->row).rank[1] ? 1 : 0;
    const kt__input_map *map = &l->call->row->inputs;
    const kt_tensor     *sorted = l->call->arg[at].t, *values = l->call->arg[1 - at].t;
    bool                 shared = sorted->ndim == 1;
    for (int i = 0; i < map->n && shared; i++) /* its order, too */
        shared = map->at[i] == 1 - at || !kt__given(l->call, map->at[i]) || !kt__at_level(l->call->arg[map->at[i]].t, l->level);
    if (shared)
        return kt__batch_itself(l);
    if (at || !sorted->ndim || values->ndim != sorted->ndim)
        return kt__batch_loop(l);
    return kt__lift_tensors(l, -1, true) || kt_call_run(&l->inner) ? kt_error_status() : KT_OK;
}
