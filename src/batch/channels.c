/* channels.c - rules of rows that treat each channel, or each group of channels, by itself: the examples become channels.
 *
 * In: images [n, channels, ...], and weights or statistics that begin with the channels. Out: the call of
 * [n, examples * channels, ...], and its results as they were. So one call serves weights that differ from example to example. */
#include <string.h>

#include "batch/batch.h"

static bool is_image(const kt_arg_spec *spec, const kt_tensor *t)
{
    static const char *const not_images[] = {"weight", "bias", "running"};
    for (size_t i = 0; i < sizeof not_images / sizeof *not_images; i++)
        if (strcmp(spec->name, not_images[i]) == 0)
            return false;
    return t->ndim > 1;
}

/* [examples, n, channels, ...] as [n, examples * channels, ...]; [examples, channels, ...] as [examples * channels, ...]. */
static kt_tensor *with_channels(const kt__lift *l, kt_tensor *t, bool image)
{
    int64_t    sizes[KT_MAX_DIMS];
    kt_tensor *value = kt__lifted_all(l, t);
    memcpy(sizes, t->sizes, t->ndim * sizeof *sizes);
    sizes[image] *= l->size;
    if (image)
        value = value ? kt_movedim(value, KT_SHAPE(0), KT_SHAPE(1)) : NULL;
    return value ? kt_reshape(value, ((kt_shape){t->ndim, sizes})) : NULL;
}

/* And back. */
static kt_tensor *without_channels(const kt__lift *l, kt_tensor *t, bool image)
{
    int64_t sizes[KT_MAX_DIMS + 1];
    int     n = 0;
    if (image)
        sizes[n++] = t->sizes[0];
    sizes[n++] = l->size;
    sizes[n++] = t->sizes[image] / l->size;
    memcpy(sizes + n, t->sizes + image + 1, (size_t)(t->ndim - image - 1) * sizeof *sizes);
    kt_tensor *parted = kt_reshape(t, ((kt_shape){t->ndim + 1, sizes}));
    return image && parted ? kt_movedim(parted, KT_SHAPE(1), KT_SHAPE(0)) : parted;
}

static kt_status put_results(kt__lift *l, bool images)
{
    for (int i = 0; i < l->inner.n_out; i++) {
        kt_tensor *made = l->inner.out[i], *shown;
        if (!made->numel && made->ndim == 1) /* was not asked for */
            shown = kt__lifted_all(l, made);
        else
            shown = without_channels(l, made, images && made->ndim > 1);
        kt__unref(made);
        l->inner.out[i] = shown ? kt__ref(shown) : NULL;
    }
    return kt__failed() ? kt_error_status() : KT_OK;
}

/* Arguments that count channels, or list sizes with them. `sizes` has room for one list. */
static void count_channels(kt__lift *l, int64_t *sizes)
{
    for (int i = 0; i < kt__n_args(l->call->row); i++) {
        const char *name = kt__arg_spec(l->call->row, i)->name;
        const bool  of_image = strcmp(name, "input_size") == 0, of_weight = strcmp(name, "weight_size") == 0;
        if (strcmp(name, "groups") == 0 || strcmp(name, "group") == 0 || strcmp(name, "C") == 0) {
            kt__put(&l->inner, i, i, kt__arg_int(l->call, i) * l->size);
        } else if (of_image || of_weight) {
            const kt_shape given = l->call->arg[i].ints;
            memcpy(sizes, given.d, (size_t)given.n * sizeof *sizes);
            sizes[of_image] *= l->size;
            kt__put(&l->inner, i, ints, ((kt_shape){given.n, sizes}));
        }
    }
}

static bool has_channels(const kt_arg_spec *spec, const kt_tensor *t) { return !t || t->ndim > is_image(spec, t); }

static bool all_have_channels(const kt_call *call)
{
    const kt__input_map *map = &call->row->inputs;
    bool                 fits = true;
    for (int k = 0; k < map->n && fits; k++) {
        const int at = map->at[k];
        if (!kt__given(call, at))
            continue;
        if (!(map->lists >> k & 1))
            fits = has_channels(kt__arg_spec(call->row, at), call->arg[at].t);
        else
            for (int64_t j = 0; j < call->arg[at].ts.n && fits; j++)
                fits = has_channels(kt__arg_spec(call->row, at), call->arg[at].ts.t[j]);
    }
    return fits && call->arg[0].t->ndim >= 2;
}

/* Statistics that the call writes have to be the examples' own, where they lie. */
static bool writes_statistics(const kt__lift *l)
{
    const kt_row *row = l->call->row;
    for (int i = 0; i < kt__n_args(row); i++)
        if (strcmp(kt__arg_spec(row, i)->name, "training") == 0 && kt__arg_bool(l->call, i))
            return l->call->arg[3].ts.n > 0;
    return false;
}

static kt_status lift_channels(kt__lift *l, kt_tensor **listed, int64_t room)
{
    const kt_call       *call = l->call;
    const kt__input_map *map = &call->row->inputs;
    for (int k = 0; k < map->n; k++) {
        const int          at = map->at[k];
        const kt_arg_spec *spec = kt__arg_spec(call->row, at);
        if (!kt__given(call, at))
            continue;
        if (!(map->lists >> k & 1)) {
            kt_tensor *t = call->arg[at].t;
            if (t)
                kt__put_tensor(&l->inner, at, with_channels(l, t, is_image(spec, t)));
            continue;
        }
        const int64_t n = call->arg[at].ts.n;
        for (int64_t j = 0; j < n && j < room; j++) {
            kt_tensor *t = call->arg[at].ts.t[j];
            listed[j] = t ? with_channels(l, t, is_image(spec, t)) : NULL;
        }
        l->inner.arg[at].ts.t = listed;
    }
    return kt__failed() ? kt_error_status() : KT_OK;
}

kt_status kt__batch_channels(kt__lift *l)
{
    enum { MOST_LISTED = 2 }; /* a mean and a variance */
    kt_tensor *listed[MOST_LISTED];
    int64_t    sizes[KT_MAX_DIMS];
    if (!all_have_channels(l->call) || !l->size || writes_statistics(l))
        return kt__batch_loop(l);
    count_channels(l, sizes);
    if (lift_channels(l, listed, MOST_LISTED) || kt_call_run(&l->inner))
        return kt_error_status();
    return put_results(l, l->call->row->id != KT_OP_convolution_weight);
}

/* ---- convolutions ---- */

static int64_t groups_of(const kt_call *call)
{
    for (int i = 0; i < kt__n_args(call->row); i++)
        if (strcmp(kt__arg_spec(call->row, i)->name, "groups") == 0)
            return kt__arg_int(call, i);
    return 0;
}

/* Images that all examples share, seen by the weights of each: more channels of the result, of one group. */
static kt_status see_the_same(kt__lift *l)
{
    enum { WEIGHT = 1, BIAS };
    const kt_call *call = l->call;
    kt__put_tensor(&l->inner, WEIGHT, with_channels(l, call->arg[WEIGHT].t, false));
    if (kt__given(call, BIAS) && call->arg[BIAS].t)
        kt__put_tensor(&l->inner, BIAS, with_channels(l, call->arg[BIAS].t, false));
    return kt__failed() || kt_call_run(&l->inner) ? kt_error_status() : put_results(l, true);
}

kt_status kt__batch_convolution(kt__lift *l)
{
    enum { TRANSPOSED = 6 };
    const kt_call *call = l->call;
    const bool     same_rank = call->arg[0].t->ndim == call->arg[1].t->ndim && call->arg[0].t->ndim > 2;
    int            first = 0;
    if (!same_rank || !l->size)
        return kt__batch_loop(l);
    const int n = kt__count_lifted(l, &first);
    if (n == 1 && first == 0 && call->row->id != KT_OP_convolution_weight)
        return kt__batch_joined(l);
    if (call->row->id == KT_OP_convolution && !kt__at_level(call->arg[0].t, l->level) && groups_of(call) == 1 &&
        !kt__arg_bool(call, TRANSPOSED))
        return see_the_same(l);
    return kt__batch_channels(l);
}
