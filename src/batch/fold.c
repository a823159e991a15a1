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
        kt_tensor *made = l->inner.out[i];
        sizes[0] = l->size, sizes[1] = n;
        memcpy(sizes + 2, made->sizes + 1, (size_t)(made->ndim - 1) * sizeof *sizes);
        kt_tensor *parted = kt_reshape(made, ((kt_shape){made->ndim + 1, sizes}));
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

/* Images with channels: [n, c, ...] of the rank that the row's line says, or one alone, which has a place for the examples. */
kt_status kt__batch_images(kt__lift *l)
{
    const kt_call *call = l->call;
    const int      rank = kt__batch_line_of(call->row).rank[0], has = call->arg[0].t->ndim;
    bool           fits = (has == rank || has == rank - 1) && !call->row->inputs.lists;
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
    if (kt__failed() || kt_call_run(&l->inner))
        return kt_error_status();
    return has == rank ? part(l, call->arg[0].t->sizes[0]) : KT_OK;
}

/* A convolution of images by weights that all examples share. */
kt_status kt__batch_convolution(kt__lift *l)
{
    const kt_call *call = l->call;
    kt_tensor     *input = call->arg[0].t;
    int            first = 0;
    int64_t        sizes[KT_MAX_DIMS];
    if (kt__count_lifted(l, &first) != 1 || first || !l->size || input->ndim != call->arg[1].t->ndim || !input->ndim)
        return kt__batch_loop(l);
    kt__put_tensor(&l->inner, 0, joined(l, input));
    for (int i = 0; i < kt__n_args(call->row); i++) {
        if (strcmp(kt__arg_spec(call->row, i)->name, "input_size") != 0)
            continue;
        const kt_shape size = call->arg[i].ints;
        memcpy(sizes, size.d, (size_t)size.n * sizeof *sizes);
        sizes[0] *= l->size;
        kt__put(&l->inner, i, ints, ((kt_shape){size.n, sizes}));
    }
    if (kt__failed() || kt_call_run(&l->inner))
        return kt_error_status();
    return part(l, input->sizes[0]);
}

/* The last dims are normalized, by parameters that all examples share. */
kt_status kt__batch_normalized(kt__lift *l)
{
    int       first = 0;
    const int n = kt__count_lifted(l, &first);
    return n == 1 && !first ? kt__batch_itself(l) : kt__batch_loop(l);
}
