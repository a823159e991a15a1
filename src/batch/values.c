/* values.c - the values of a call's tensors, with their examples in dim 0. In: tensors of a level, and others. Out: views, which
 * an outer graph records if it wants a gradient. */
#include <string.h>

#include "base/alloc.h"
#include "batch/batch.h"

/* Nobody records it: a view without the path of a call. */
static kt_tensor *plainly(kt_tensor *value, int dim, int pad)
{
    int64_t sizes[KT_MAX_DIMS], strides[KT_MAX_DIMS];
    int     n = 0;
    sizes[n] = value->sizes[dim];
    strides[n++] = value->strides[dim];
    for (; n <= pad; n++) {
        sizes[n] = 1;
        strides[n] = 1;
    }
    for (int i = 0; i < value->ndim; i++)
        if (i != dim) {
            sizes[n] = value->sizes[i];
            strides[n++] = value->strides[i];
        }
    kt_tensor *t = kt__tensor_view(value, (kt_shape){n, sizes}, (kt_shape){n, strides}, kt__offset(value));
    if (t && kt__scope_add(t)) {
        kt__unref(t);
        return NULL;
    }
    return t;
}

static kt_tensor *recorded(kt_tensor *value, int dim, int pad)
{
    kt_tensor *t = dim ? kt_movedim(value, KT_SHAPE(dim), KT_SHAPE(0)) : value;
    for (int i = 0; i < pad; i++)
        t = kt_unsqueeze(t, 1);
    return t;
}

kt_tensor *kt__lifted(const kt__lift *l, kt_tensor *t, int rank)
{
    if (!kt__at_level(t, l->level))
        return t;
    const kt__example *b = kt__example_of(t);
    const int          pad = rank > t->ndim ? rank - t->ndim : 0;
    if (!b->dim && !pad)
        return b->value;
    if (b->value->ndim + pad > KT_MAX_DIMS) {
        kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
        return NULL;
    }
    const bool plain = !kt__wants_grad(b->value) && !(b->value->flags & (KT_T_BATCHED | KT_T_VIEW | KT_T_INFERENCE));
    return plain ? plainly(b->value, b->dim, pad) : recorded(b->value, b->dim, pad);
}

kt_tensor *kt__lifted_all(const kt__lift *l, kt_tensor *t)
{
    int64_t sizes[KT_MAX_DIMS + 1];
    if (!t || kt__at_level(t, l->level))
        return kt__lifted(l, t, -1);
    sizes[0] = l->size;
    memcpy(sizes + 1, t->sizes, t->ndim * sizeof *sizes);
    return kt_expand(t, ((kt_shape){t->ndim + 1, sizes}));
}

static kt_tensor *lift(const kt__lift *l, kt_tensor *t, int rank, bool all)
{
    return all ? kt__lifted_all(l, t) : kt__lifted(l, t, rank);
}

/* Room for n tensors, until the call ends. */
static kt_tensor **room_for(kt__lift *l, int64_t n)
{
    if (!l->listed) {
        l->n_listed = 1;
        const kt__input_map *map = &l->call->row->inputs;
        for (int i = 0; i < map->n; i++)
            if (map->lists >> i & 1 && kt__given(l->call, map->at[i]))
                l->n_listed += l->call->arg[map->at[i]].ts.n;
        if (!(l->listed = kt__system_get((size_t)l->n_listed * sizeof *l->listed))) {
            kt__fail_memory((size_t)l->n_listed * sizeof *l->listed);
            return NULL;
        }
    }
    kt_tensor **room = l->listed + l->n_used;
    l->n_used += n;
    return room;
}

static kt_status lift_list(kt__lift *l, int at, int rank, bool all)
{
    const int64_t n = l->call->arg[at].ts.n;
    kt_tensor   **t = room_for(l, n);
    if (!t)
        return kt_error_status();
    for (int64_t i = 0; i < n; i++) {
        kt_tensor *one = l->call->arg[at].ts.t[i];
        if (!(t[i] = lift(l, one, rank, all)) && one)
            return kt_error_status();
    }
    l->inner.arg[at].ts.t = t;
    return KT_OK;
}

kt_status kt__lift_tensors(kt__lift *l, int rank, bool all)
{
    l->n_used = 0;
    const kt__input_map *map = &l->call->row->inputs;
    for (int i = 0; i < map->n; i++) {
        const int at = map->at[i];
        if (!kt__given(l->call, at) || l->call->scalars >> at & 1)
            continue;
        if (map->lists >> i & 1) {
            if (lift_list(l, at, rank, all))
                return kt_error_status();
            continue;
        }
        kt_tensor *t = l->call->arg[at].t;
        if (t && !(l->inner.arg[at].t = lift(l, t, rank, all)))
            return kt_error_status();
    }
    return KT_OK;
}

int kt__count_lifted(const kt__lift *l, int *first)
{
    const kt__input_map *map = &l->call->row->inputs;
    int                  n = 0;
    for (int i = 0; i < map->n; i++) {
        const int at = map->at[i], before = n;
        if (!kt__given(l->call, at) || l->call->scalars >> at & 1)
            continue;
        if (!(map->lists >> i & 1))
            n += kt__at_level(l->call->arg[at].t, l->level);
        else
            for (int64_t k = 0; k < l->call->arg[at].ts.n; k++)
                n += kt__at_level(l->call->arg[at].ts.t[k], l->level);
        if (first && !before && n)
            *first = at;
    }
    return n;
}
