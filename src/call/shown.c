/* shown.c - watchers of a thread's calls (kt_call_watch_push). In: a call that is about to run. Out: its results, computed or as
 * a watcher gave them, with the history that the tape gives them. Independent of: what is done with what is seen; selective
 * checkpoints (python/karat/utils/_selective.py) are the first to use it.
 *
 * What is shown are operators as PyTorch has them: rows with a node of their own, or without parts. The operators inside one run
 * below the tape, without grad mode, and are not shown; those that a composite is made of are. */
#include "call/shown.h"

#include "base/alloc.h"

typedef struct watch {
    struct watch   *outer;
    kt_call_watcher see;
    void           *context;
} watch;

static _Thread_local watch *innermost;

kt_status kt_call_watch_push(kt_call_watcher see, void *context)
{
    if (!see)
        return kt_fail(KT_ERR_TYPE, "kt_call_watch_push: the watcher is NULL");
    watch *w = kt__system_get(sizeof *w);
    if (!w)
        return kt__fail_memory(sizeof *w);
    *w = (watch){innermost, see, context};
    innermost = w;
    kt__mode_word = kt__mode() | KT_M_SHOWN;
    return KT_OK;
}

void *kt_call_watch_pop(void)
{
    watch *w = innermost;
    if (!w)
        return NULL;
    void *context = w->context;
    innermost = w->outer;
    kt__system_put(w, sizeof *w);
    if (!innermost)
        kt__mode_word = kt__mode() & ~KT_M_SHOWN;
    return context;
}

/* An appended row is an operator where its kernels run, below what records the call. */
static bool is_operator(const kt_call *call)
{
    const kt_row  *row = call->row;
    const uint64_t mode = kt__mode();
    if (row->way->lists)
        return false;
    return row->appended ? mode & KT_M_BELOW : mode & KT_M_GRAD && (row->node || !row->way->composes);
}

/* The tape saves operands as the kernel saw them, and nothing has seen these: none may have been converted. */
static bool can_be_given(const kt_call *call)
{
    const kt__input_map *map = &call->row->inputs;
    for (int i = 0; i < map->n; i++) {
        const int at = map->at[i];
        if (!kt__given(call, at) || call->scalars >> at & 1)
            continue;
        if (map->lists >> i & 1)
            return false;
        const kt_tensor *t = call->arg[at].t;
        if (t && kt__dtype_rows[t->dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX) && t->dtype != call->out[0]->dtype)
            return false;
    }
    return call->form == KT_PLAIN && !call->row->way->views;
}

static void drop(kt_call *call)
{
    for (int i = 0; i < kt__n_results(call->row); i++) {
        kt__unref(call->out[i]);
        call->out[i] = NULL;
    }
}

static kt_status record(kt_call *call)
{
    kt__taping     taping;
    const uint32_t any = call->row->appended ? 0 : kt__input_flags(call);
    if (kt__tape_before(call, NULL, any, &taping))
        return kt_error_status();
    call->n_out = (uint8_t)kt__n_results(call->row);
    return kt__tape_after(call, NULL, &taping, KT_OK);
}

static kt_status run_within(kt_call *call, const watch *w, kt_status (*run)(kt_call *call))
{
    if (!w)
        return run(call);
    bool given = false;
    if (w->see(call, KT_CALL_BEGINS, &given, w->context))
        return kt_error_status();
    kt_status status = KT_OK;
    if (given && can_be_given(call)) {
        status = record(call);
    } else {
        if (given)
            drop(call);
        status = run_within(call, w->outer, run);
    }
    return status ? status : w->see(call, KT_CALL_ENDED, &given, w->context);
}

kt_status kt__run_shown(kt_call *call, kt_status (*run)(kt_call *call))
{
    return is_operator(call) ? run_within(call, innermost, run) : run(call);
}
