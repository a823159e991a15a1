/* random.c - rules of rows that draw random numbers: the level says whether for every example, once for all, or not at all. */
#include <string.h>

#include "batch/batch.h"

static kt_status fail_random(void)
{
    return kt_fail(KT_ERR_RUNTIME,
                   "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
                   "randomness flags on vmap or perform the randomness operation out of vmap");
}

/* The sizes of a row that makes a tensor of them; the argument, or -1. */
static int sizes_of(const kt_row *row)
{
    for (int i = 0; i < kt__n_args(row); i++)
        if (kt__arg_spec(row, i)->kind == KT_ARG_INTS && strcmp(kt__arg_spec(row, i)->name, "size") == 0)
            return i;
    return -1;
}

static kt_status repeat_results(kt__lift *l)
{
    for (int i = 0; i < l->inner.n_out; i++) {
        kt_tensor *all = kt__lifted_all(l, l->inner.out[i]);
        kt__unref(l->inner.out[i]);
        l->inner.out[i] = all ? kt__ref(all) : NULL;
    }
    return kt__failed() ? kt_error_status() : KT_OK;
}

kt_status kt__batch_drawn(kt__lift *l)
{
    const int at = sizes_of(l->call->row);
    int64_t   sizes[KT_MAX_DIMS + 1];
    if (l->randomness == KT_RANDOM_ERROR)
        return fail_random();
    if (l->randomness == KT_RANDOM_SAME)
        return kt_call_run(&l->inner) ? kt_error_status() : repeat_results(l);
    if (at < 0 || l->call->arg[at].ints.n >= KT_MAX_DIMS)
        return kt__batch_loop(l);
    sizes[0] = l->size;
    memcpy(sizes + 1, l->call->arg[at].ints.d, (size_t)l->call->arg[at].ints.n * sizeof *sizes);
    l->inner.arg[at].ints = (kt_shape){l->call->arg[at].ints.n + 1, sizes};
    return kt_call_run(&l->inner);
}

/* The row's first tensor, whose elements are drawn; NULL: it was not given. */
static kt_tensor *drawn_of(const kt_call *call)
{
    const int at = call->row->inputs.n ? call->row->inputs.at[0] : -1;
    return at >= 0 && kt__given(call, at) ? call->arg[at].t : NULL;
}

/* Drawn once, for tensors that differ from example to example: each is drawn with the numbers of the first. */
static kt_status draw_same(kt__lift *l)
{
    const kt_tensor *first = drawn_of(l->call);
    if (l->call->form != KT_PLAIN && kt__at_level(first, l->level)) {
        kt_tensor *value = kt__lifted(l, l->call->arg[0].t, -1), *one = value ? kt_empty_like(kt_select(value, 0, 0)) : NULL;
        kt__put_tensor(&l->inner, 0, one);
        if (!one || kt_call_run(&l->inner))
            return kt_error_status();
        kt_copy_(value, one);
        return kt__failed() ? kt_error_status() : KT_OK;
    }
    if (!kt__count_lifted(l, NULL))
        return kt_call_run(&l->inner) ? kt_error_status() : repeat_results(l);
    return kt_fail(KT_ERR_RUNTIME,
                   "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with "
                   "functorch");
}

/* Of sizes alone: once drawn, it is the same for all. */
kt_status kt__batch_drawn_shaped(kt__lift *l)
{
    kt_tensor *self = l->call->arg[0].t;
    if (l->randomness != KT_RANDOM_SAME || !kt__at_level(self, l->level) || !l->size)
        return kt__batch_drawn_like(l);
    kt__put_tensor(&l->inner, 0, kt_select(kt__example_of(self)->value, kt__example_of(self)->dim, 0));
    return kt__failed() || kt_call_run(&l->inner) ? kt_error_status() : repeat_results(l);
}

static bool is_training(const kt_call *call)
{
    for (int i = 0; i < kt__n_args(call->row); i++)
        if (strncmp(kt__arg_spec(call->row, i)->name, "train", 5) == 0)
            return !kt__given(call, i) || kt__arg_bool(call, i);
    return true;
}

kt_status kt__batch_dropped(kt__lift *l) { return is_training(l->call) ? kt__batch_drawn_like(l) : kt__batch_itself(l); }

kt_status kt__batch_drawn_like(kt__lift *l)
{
    const bool batched = kt__at_level(drawn_of(l->call), l->level);
    if (l->randomness == KT_RANDOM_ERROR)
        return fail_random();
    if (l->randomness == KT_RANDOM_SAME)
        return draw_same(l);
    if (l->call->form == KT_INPLACE && !batched)
        return kt_fail(KT_ERR_RUNTIME,
                       "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same "
                       "randomness. If this is necessary for your usage, please file an issue with functorch.");
    if (kt__lift_tensors(l, -1, true))
        return kt_error_status();
    return kt_call_run(&l->inner);
}

/* Examples that are matrices are one of more rows. */
kt_status kt__batch_drawn_rows(kt__lift *l)
{
    const kt_tensor *rows = drawn_of(l->call);
    if (l->randomness != KT_RANDOM_DIFFERENT || l->call->form != KT_PLAIN || !rows || rows->ndim != 2)
        return kt__batch_drawn_like(l);
    if (kt__lift_tensors(l, -1, true))
        return kt_error_status();
    kt_tensor *all = kt_reshape(l->inner.arg[0].t, KT_SHAPE(l->size * rows->sizes[0], rows->sizes[1]));
    kt__put_tensor(&l->inner, 0, all);
    if (!all || kt_call_run(&l->inner))
        return kt_error_status();
    kt_tensor *drawn = l->inner.out[0], *each = kt_reshape(drawn, KT_SHAPE(l->size, rows->sizes[0], drawn->sizes[1]));
    l->inner.out[0] = each ? kt__ref(each) : NULL;
    kt__unref(drawn);
    return each ? KT_OK : kt_error_status();
}
