/* fold.c - rules of rows whose tensors have a batch dim already, images among them: the examples join it. */
#include <string.h>

#include "batch/batch.h"

static kt_tensor *joined(const kt__lift *l, kt_tensor *t)
{
    int64_t    sizes[KT_MAX_DIMS];
    kt_tensor *value = kt__lifted_all(l, t);
    sizes[0] = l->size * t->sizes[0];
    memcpy(sizes + 1, t->sizes + 1, (size_t)(t->ndim - 1) * sizeof *sizes);
    return value ? kt_reshape(value, ((kt_shape){t->ndim, sizes})) : NULL;
}

/* [examples * n, ...] as [examples, n, ...]. */
static kt_status part(kt__lift *l, int64_t n)
{
    int64_t sizes[KT_MAX_DIMS + 1];
    for (int i = 0; i < l->inner.n_out; i++) {
        kt_tensor *made = l->inner.out[i], *parted;
        if (!made->numel && made->ndim == 1) { /* was not asked for */
            parted = kt__lifted_all(l, made);
        } else {
            sizes[0] = l->size, sizes[1] = n;
            memcpy(sizes + 2, made->sizes + 1, (size_t)(made->ndim - 1) * sizeof *sizes);
            parted = kt_reshape(made, ((kt_shape){made->ndim + 1, sizes}));
        }
        kt__unref(made);
        l->inner.out[i] = parted ? kt__ref(parted) : NULL;
    }
    return kt__failed() ? kt_error_status() : KT_OK;
}

static kt_tensor *tensor_at(const kt_call *call, int k)
{
    const int at = call->row->inputs.at[k];
    return kt__given(call, at) ? call->arg[at].t : NULL;
}

/* Sizes of images in an argument: of all examples. `sizes` has room for them. */
static void count_images(kt__lift *l, int rank, int64_t *sizes)
{
    for (int i = 0; i < kt__n_args(l->call->row); i++) {
        const kt_shape given = l->call->arg[i].ints;
        if (strcmp(kt__arg_spec(l->call->row, i)->name, "input_size") != 0 || given.n != rank)
            continue;
        memcpy(sizes, given.d, (size_t)given.n * sizeof *sizes);
        sizes[0] *= l->size;
        kt__put(&l->inner, i, ints, ((kt_shape){given.n, sizes}));
    }
}

/* Images with channels: [n, c, ...] of the rank that the row's line says, or one alone, which has a place for the examples where
 * the row takes both. */
kt_status kt__batch_images(kt__lift *l)
{
    const kt_call       *call = l->call;
    const kt__batch_line line = kt__batch_line_of(call->row);
    const int            rank = line.rank[0], has = call->arg[0].t->ndim;
    int64_t              sizes[KT_MAX_DIMS];
    bool                 fits = (has == rank || (has == rank - 1 && !line.rank[1])) && !call->row->inputs.lists;
    for (int k = 0; k < call->row->inputs.n && fits; k++) {
        const kt_tensor *t = tensor_at(call, k);
        fits = !t || (t->ndim == has && (has < rank || t->sizes[0] == call->arg[0].t->sizes[0]));
    }
    if (!fits || !l->size)
        return kt__batch_loop(l);
    for (int k = 0; k < call->row->inputs.n; k++) {
        kt_tensor *t = tensor_at(call, k);
        if (t)
            kt__put_tensor(&l->inner, call->row->inputs.at[k], has == rank ? joined(l, t) : kt__lifted_all(l, t));
    }
    count_images(l, rank, sizes);
    if (kt__failed() || kt_call_run(&l->inner))
        return kt_error_status();
    return has == rank ? part(l, call->arg[0].t->sizes[0]) : KT_OK;
}

/* Input k of a call of attention; NULL: it is not given. `listed`: in a list. */
static kt_tensor *attended_at(const kt_call *call, int k, bool *listed)
{
    const int at = call->row->inputs.at[k];
    *listed = call->row->inputs.lists >> k & 1;
    if (!kt__given(call, at))
        return NULL;
    return !*listed ? call->arg[at].t : call->arg[at].ts.n ? call->arg[at].ts.t[0] : NULL;
}

/* How the examples of input k join the batch of `n`: 1 they do; 0 it is a mask that all share; -1 they cannot. */
static int joins(const kt__lift *l, int k, int64_t n)
{
    bool             listed;
    const kt_row    *row = l->call->row;
    const kt_tensor *t = attended_at(l->call, k, &listed);
    if (!t)
        return 0;
    if (strcmp(kt__arg_spec(row, row->inputs.at[k])->name, "attn_mask") != 0)
        return !listed && t->ndim >= 3 && t->sizes[0] == n ? 1 : -1;
    if (row->id != KT_OP_attention_mask_backward && !kt__at_level(t, l->level) && (t->ndim < 4 || t->sizes[0] == 1))
        return 0;
    return t->ndim == 4 && t->sizes[0] == n ? 1 : -1;
}

/* Attention, or what flows back: [batch, head, length, ...], and a mask, in a list or alone. Draws are a list too. */
kt_status kt__batch_attended(kt__lift *l)
{
    const kt_call       *call = l->call;
    const kt__input_map *map = &call->row->inputs;
    const kt_tensor     *first = call->arg[map->at[0]].t;
    const int64_t        n = first->ndim ? first->sizes[0] : 0;
    kt_tensor           *mask;
    bool                 fits = n && l->size, listed;
    for (int k = 0; k < map->n && fits; k++)
        fits = joins(l, k, n) >= 0;
    if (!fits)
        return kt__batch_loop(l);
    for (int k = 0; k < map->n; k++)
        if (joins(l, k, n)) {
            kt_tensor *t = joined(l, attended_at(call, k, &listed));
            if (listed)
                mask = t, kt__put_tensors(&l->inner, map->at[k], &mask, 1);
            else
                kt__put_tensor(&l->inner, map->at[k], t);
        }
    return kt__failed() || kt_call_run(&l->inner) ? kt_error_status() : part(l, n);
}

/* A convolution of images by weights that all examples share. */
kt_status kt__batch_joined(kt__lift *l)
{
    kt_tensor *input = l->call->arg[0].t;
    int64_t    sizes[KT_MAX_DIMS];
    kt__put_tensor(&l->inner, 0, joined(l, input));
    count_images(l, input->ndim, sizes);
    if (kt__failed() || kt_call_run(&l->inner))
        return kt_error_status();
    return part(l, input->sizes[0]);
}
