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

/* Rows of a table that all examples share; else one by one. */
kt_status kt__batch_lookup(kt__lift *l)
{
    return kt__at_level(l->call->arg[0].t, l->level) ? kt__batch_loop(l) : kt__batch_itself(l);
}

/* The index is the same for all; or each example has its own, which gather takes. */
kt_status kt__batch_select_rows(kt__lift *l)
{
    kt_tensor *self = l->call->arg[0].t, *index = l->call->arg[2].t;
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
