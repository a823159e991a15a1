/* mutation.c - saved tensors that may be written to: a write copies first what nodes still need. In: what nodes save while this
 * is allowed on a thread (as hooks of saved tensors), and calls that are about to write. Out: tensors as they were saved.
 * Independent of: which operator writes. */
#include "grad/hooks.h"

typedef struct kept kept;

typedef struct region { /* from kt_mutation_begin to kt_mutation_end, or to kt_mutation_clear */
    _Atomic int64_t refs; /* itself, and what was kept in it */
    bool            open;
    kept           *first;
} region;

struct kept {
    region    *of;
    kt_tensor *t;      /* owned: shares the memory of what was saved, or is the copy */
    bool       copied;
    kept      *next, **at;
};

static _Thread_local region *now;

static void region_unref(region *r)
{
    if (atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) == 1)
        kt__pool_put(r, sizeof *r);
}

/* ---- as hooks of saved tensors ---- */

static kt_status pack(kt_tensor *t, void *context, void **out)
{
    region *r = now; /* there is one: these hooks are pushed with it */
    kept   *k = kt__pool_get(sizeof *k);
    (void)context;
    if (!k)
        return kt__fail_memory(sizeof *k);
    *k = (kept){.of = r, .t = kt__tensor_alias(t), .next = r->first, .at = &r->first};
    if (!k->t) {
        kt__pool_put(k, sizeof *k);
        return kt_error_status();
    }
    if (k->next)
        k->next->at = &k->next;
    r->first = k;
    atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
    *out = k;
    return KT_OK;
}

static kt_status unpack(void *what, kt_tensor **t)
{
    const kept *k = what;
    if (!k->of->open)
        return kt_fail(KT_ERR_ASSERTION, "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
                                         "in which the graph was originally recorded.");
    *t = kt__ref(k->t);
    return KT_OK;
}

static void release(void *what)
{
    kept *k = what;
    *k->at = k->next;
    if (k->next)
        k->next->at = k->at;
    kt__unref(k->t);
    region_unref(k->of);
    kt__pool_put(k, sizeof *k);
}

static const kt_saved_hooks hooks = {pack, unpack, release};

/* ---- before a write ---- */

static kt_status copy(kept *k)
{
    kt_tensor      *own = NULL;
    kt_mode_guard   off = kt_no_grad_open();
    const kt_status status = kt__call1(KT_OP_clone, k->t, &own);
    kt_mode_close(&off);
    if (status)
        return status;
    k->copied = true;
    kt__replace(&k->t, own);
    return KT_OK;
}

static kt_status copy_those_of(const kt_tensor *written)
{
    /* what was kept shares the storage, so that it has another owner */
    if (!written || atomic_load_explicit(&written->storage->refs, memory_order_acquire) < 2)
        return KT_OK;
    for (kept *k = now->first; k; k = k->next)
        if (!k->copied && k->t->storage == written->storage && copy(k))
            return kt_error_status();
    return KT_OK;
}

static kt_status watch(const kt_call *call)
{
    kt_status status = KT_OK;
    if (!now || !now->first)
        return KT_OK;
    if (call->form == KT_OUT) {
        for (int i = 0; i < kt__n_results(call->row) && !status; i++)
            status = copy_those_of(call->out[i]);
    } else if (kt__arg_spec(call->row, 0)->kind == KT_ARG_TENSORS) {
        for (int64_t i = 0; i < call->arg[0].ts.n && !status; i++)
            status = copy_those_of(call->arg[0].ts.t[i]);
    } else {
        status = copy_those_of(call->arg[0].t);
    }
    return status;
}

/* ---- the region ---- */

static region *region_new(void)
{
    region *r = kt__pool_get(sizeof *r);
    if (!r)
        kt__fail_memory(sizeof *r);
    else
        *r = (region){.refs = 1, .open = true};
    return r;
}

static void end(region *r)
{
    r->open = false;
    region_unref(r);
}

kt_status kt_mutation_begin(void)
{
    if (now)
        return kt_fail(KT_ERR_RUNTIME, "allow_mutation_on_saved_tensors contexts cannot be nested");
    if (!(now = region_new()))
        return kt_error_status();
    if (kt_saved_hooks_push(&hooks, NULL)) {
        end(now);
        now = NULL;
        return kt_error_status();
    }
    atomic_store_explicit(&kt__about_to_write, watch, memory_order_relaxed);
    return KT_OK;
}

kt_status kt_mutation_clear(void)
{
    region *fresh = now ? region_new() : NULL;
    if (now && !fresh)
        return kt_error_status();
    if (now)
        end(now);
    now = fresh;
    return KT_OK;
}

void kt_mutation_end(void)
{
    if (!now)
        return;
    kt_saved_hooks_pop();
    end(now);
    now = NULL;
}
