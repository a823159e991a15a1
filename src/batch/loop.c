/* loop.c - the rule that is right for every row: the call of each example, and the results side by side. */
#include <string.h>

#include "base/alloc.h"
#include "batch/batch.h"

typedef struct looped {
    kt__lift   *l;
    bool        apart;   /* each example in memory of its own */
    int64_t     n;       /* results of one example: tensors, or elements of a list */
    kt_tensor **results; /* n of each example, by example; owned */
    size_t      bytes;
} looped;

static kt_tensor *example(const looped *a, kt_tensor *t, int64_t i)
{
    if (!kt__at_level(t, a->l->level))
        return t;
    kt_tensor *one = kt_select(kt__example_of(t)->value, kt__example_of(t)->dim, i);
    return a->apart ? kt_clone(one, .memory_format = KT_CONTIGUOUS_FORMAT) : one;
}

/* The call of example i; `listed` has room for the elements of lists. */
static kt_status call_one(const looped *a, int64_t i, kt_tensor **listed, kt_call *one)
{
    const kt__lift      *l = a->l;
    const kt__input_map *map = &l->call->row->inputs;
    *one = *l->call;
    one->list = NULL;
    one->n_list = 0;
    one->n_out = 0;
    for (int k = 0; k < map->n; k++) {
        const int at = map->at[k];
        if (!kt__given(one, at) || one->scalars >> at & 1)
            continue;
        if (!(map->lists >> k & 1)) {
            one->arg[at].t = example(a, l->call->arg[at].t, i);
            continue;
        }
        const int64_t n = l->call->arg[at].ts.n;
        for (int64_t j = 0; j < n; j++)
            listed[j] = example(a, l->call->arg[at].ts.t[j], i);
        one->arg[at].ts.t = listed;
        listed += n;
    }
    return kt__failed() ? kt_error_status() : kt_call_run(one);
}

static kt_status fail_sizes(const kt__lift *l)
{
    return kt_fail(KT_ERR_RUNTIME, "vmap: %s gives results of different sizes for the examples", l->call->row->name);
}

/* Takes over the results of one example. */
static kt_status keep(looped *a, kt_call *one, int64_t i)
{
    const bool    list = one->row->way->lists;
    const int64_t n = list ? one->n_list : one->n_out;
    if (i == 0) {
        a->n = n;
        a->bytes = (size_t)(n * a->l->size) * sizeof *a->results;
        if (n && !(a->results = kt__system_get(a->bytes)))
            return kt__fail_memory(a->bytes);
        if (n)
            memset(a->results, 0, a->bytes);
    }
    if (n != a->n)
        return fail_sizes(a->l);
    for (int64_t k = 0; k < n; k++)
        if (list || one->out[k]) /* an appended row may give none */
            a->results[k * a->l->size + i] = kt__ref(list ? one->list[k] : one->out[k]);
    return KT_OK;
}

static void drop(kt_call *one)
{
    for (int k = 0; k < one->n_out; k++)
        kt__unref(one->out[k]);
    if (one->row->way->lists)
        kt_call_free_list(one);
}

static kt_tensor *side_by_side(const looped *a, int64_t k)
{
    kt_tensor *const *t = a->results + k * a->l->size;
    for (int64_t i = 1; i < a->l->size; i++)
        if (!t[i] != !t[0] || (t[0] && !kt__same_sizes(t[i], t[0]))) {
            fail_sizes(a->l);
            return NULL;
        }
    kt_tensor *all = t[0] ? kt_stack(t, a->l->size) : NULL;
    return all ? kt__ref(all) : NULL;
}

static kt_status put_together(looped *a)
{
    kt_call *inner = &a->l->inner;
    if (inner->row->way->lists) {
        if (!(inner->list = kt__system_get((size_t)(a->n ? a->n : 1) * sizeof *inner->list)))
            return kt__fail_memory((size_t)a->n * sizeof *inner->list);
        for (inner->n_list = 0; inner->n_list < a->n; inner->n_list++)
            if (!(inner->list[inner->n_list] = side_by_side(a, inner->n_list)))
                return kt_error_status();
        return KT_OK;
    }
    for (; inner->n_out < a->n; inner->n_out++) {
        inner->out[inner->n_out] = side_by_side(a, inner->n_out);
        if (kt__failed())
            return kt_error_status();
    }
    return KT_OK;
}

static kt_status fail_empty(const kt__lift *l)
{
    const char *name = kt__schema_display_name(l->call->row);
    return kt_fail(KT_ERR_RUNTIME,
                   "The fallback path does not support vmap over dims of size 0: aten::%.*s", (int)strcspn(name, "(."), name);
}

static kt_status loop(kt__lift *l, bool apart)
{
    looped     a = {.l = l, .apart = apart};
    kt_tensor *few[16], **listed = few;
    int64_t    n = 0;
    for (int k = 0; k < l->call->row->inputs.n; k++)
        if (l->call->row->inputs.lists >> k & 1 && kt__given(l->call, l->call->row->inputs.at[k]))
            n += l->call->arg[l->call->row->inputs.at[k]].ts.n;
    if (!l->size)
        return fail_empty(l);
    if (n > 16 && !(listed = kt__system_get((size_t)n * sizeof *listed)))
        return kt__fail_memory((size_t)n * sizeof *listed);
    kt_status status = KT_OK;
    for (int64_t i = 0; i < l->size && !status; i++) {
        KT_SCOPE;
        kt_call one;
        status = call_one(&a, i, listed, &one);
        if (status)
            break;
        if (l->call->form != KT_INPLACE)
            status = keep(&a, &one, i);
        drop(&one);
    }
    if (!status && l->call->form != KT_INPLACE)
        status = put_together(&a);
    for (int64_t i = 0; i < a.n * l->size && a.results; i++)
        kt__unref(a.results[i]);
    if (a.results)
        kt__system_put(a.results, a.bytes);
    if (listed != few)
        kt__system_put(listed, (size_t)n * sizeof *listed);
    return status;
}

kt_status kt__batch_loop(kt__lift *l) { return loop(l, false); }
kt_status kt__batch_loop_apart(kt__lift *l) { return loop(l, l->call->form == KT_PLAIN); }

kt_status kt__batch_by_mask(kt__lift *l)
{
    if (kt__at_level(l->call->arg[1].t, l->level))
        return kt_fail(KT_ERR_RUNTIME,
                       "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because "
                       "for each batch this would return a differently shaped Tensor. Please voice your support in "
                       "https://github.com/pytorch/functorch/issues/256");
    return kt__batch_loop(l);
}

kt_status kt__batch_dynamic(kt__lift *l)
{
    const char *name = kt__schema_display_name(l->call->row);
    return kt_fail(KT_ERR_RUNTIME,
                   "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
                   "aten::%.*s. Please voice your support in "
                   "https://github.com/pytorch/functorch/issues/256",
                   (int)strcspn(name, "(."), name);
}
