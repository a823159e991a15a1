/* bodies.c - the ways of rows that have a C body of their own: views, makers, operators made of others, lists. In: a call. Out:
 * the body's results, with a history where a gradient is wanted. It does not know what a body does. */
#include <string.h>

#include "ways/body.h"

/* Inference tensors have no views for the tape. */
static bool looked_into(const kt_call *call) { return !(call->arg[0].t->flags & KT_T_INFERENCE); }

/* The first argument of a view's row is its only tensor. */
KT__HOT static kt_status run_view(kt_call *call)
{
    kt__taping taping = {.on = false};
    const uint32_t any = looked_into(call) ? kt__grad_flags(call->arg[0].t) & KT_T_FOLLOWED : 0;
    if (KT__UNLIKELY(any || call->form != KT_PLAIN) && kt__tape_before(call, NULL, any, &taping))
        return kt_error_status();
    kt_status status = call->row->body(call);
    if (status)
        return kt__tape_after(call, NULL, &taping, status);
    if ((!(kt__mode() & KT_M_GRAD) || kt__born_flags) && call->out[0]->flags & KT_T_VIEW)
        status = kt__unfollowed(call->out[0]);
    if (KT__LIKELY(!status && !taping.on && call->form == KT_PLAIN)) {
        call->n_out = 1;
        return KT_OK;
    }
    return kt__finish(call, NULL, &taping, call->out[0], status);
}

/* Resets the version of a body's result: for the caller it is new, whatever the body wrote to it. */
static void born(kt_tensor *t)
{
    if (t && !kt_is_shared(t) && !(t->flags & (KT_T_VIEW | KT_T_INFERENCE)) &&
        atomic_load_explicit(&t->storage->refs, memory_order_acquire) == 1)
        kt__count_anew(t);
}

KT__HOT static kt_status run_body(kt_call *call)
{
    call->list = NULL;
    call->n_list = 0;
    kt_tensor *given[KT_MAX_RESULTS];
    memcpy(given, call->out, sizeof given);
    kt_status status = call->row->body(call);
    if (KT__UNLIKELY(status)) /* the body's results were dropped; restore the targets for the explanation */
        memcpy(call->out, given, sizeof given);
    const bool made = call->out[0] || (call->row->appended && !call->list); /* an appended row's first result may be none */
    call->n_out = !status && made ? (uint8_t)kt__n_results(call->row) : 0;
    for (int i = 0; i < call->n_out && call->form == KT_PLAIN; i++)
        born(call->out[i]);
    return status;
}

/* Views made together (split, unbind): in-place writes are refused, since each would change the history of all. */
static kt_status mark_views(kt_call *call)
{
    kt_status status = KT_OK;
    for (int64_t i = 0; i < call->n_list && !status; i++) {
        if (!(call->list[i]->flags & KT_T_VIEW))
            continue;
        if (kt__mode() & KT_M_GRAD && !kt__born_flags)
            kt__view_made(call->list[i], KT_T_ONE_OF_MANY); /* the body ran below the tape, where all are unfollowed */
        else
            status = kt__unfollowed(call->list[i]);
    }
    return status;
}

/* A body with a derivative runs below the tape, which records the call, not the operators inside. */
static kt_status run_derived(kt_call *call)
{
    kt__taping taping;
    kt_tensor *given[KT_MAX_RESULTS];
    int        n = kt__n_results(call->row);
    bool       list = call->row->way->lists;
    if (kt__tape_before(call, NULL, !list || looked_into(call) ? kt__input_flags(call) : 0, &taping))
        return kt_error_status();
    const uint64_t mode = kt__mode();
    uint32_t version[KT_MAX_RESULTS] = {0};
    for (int i = 0; i < n; i++) {
        given[i] = call->out[i];
        if (call->form != KT_PLAIN && !list)
            version[i] = kt__version(call->form == KT_INPLACE ? call->arg[0].t : call->out[i]);
    }
    kt__mode_word = mode & ~(uint64_t)KT_M_GRAD;
    kt_status status = run_body(call);
    kt__mode_word = mode;
    for (int i = 0; i < n && !status && !list && call->form != KT_PLAIN; i++) {
        if (call->out[i]->version) /* however often the body wrote, the call is one write */
            atomic_store_explicit(call->out[i]->version, version[i], memory_order_relaxed);
        kt__wrote(call->out[i]);
    }
    if (!status && list)
        status = mark_views(call);
    bool ran = !status;
    status = kt__tape_after(call, NULL, &taping, status);
    if (ran && status && !list)
        for (int i = 0; i < n; i++) {
            kt__unref(call->out[i]);
            call->out[i] = given[i];
        }
    if (status && list)
        kt_call_free_list(call);
    return status;
}

const kt__decision *kt__resolve_in_body_as(const kt_call *call, kt_dtype want, kt__decision *room)
{
    kt__gathered g;
    kt_call      numbered;
    if (KT__UNLIKELY(call->row->operands.numbers)) {
        numbered = *call;
        numbered.scalars |= call->row->operands.numbers;
        call = &numbered;
    }
    kt__gather(call, &g);
    g.want = (uint8_t)want;
    g.asked = want != KT_NONE;
    const kt__decision *d = kt__resolve(call, &g, kt__mode(), room);
    if (d && d != room) /* the operators that the body calls may take its slot of the cache */
        *room = *d;
    return d ? room : NULL;
}

const kt__decision *kt__resolve_in_body(const kt_call *call, kt__decision *room)
{
    const int dtype = call->row->fold.dtype;
    return kt__resolve_in_body_as(call, dtype >= 0 ? kt__arg_dtype(call, dtype) : KT_NONE, room);
}

static kt_status resolved(kt_call *call)
{
    const kt_row *row = call->row;
    kt__decision  room;
    return row->rule == RULE_NONE || row->resolved_by_body || kt__resolve_in_body(call, &room) ? KT_OK : kt_error_status();
}

kt_status kt__run_in_parts(kt_call *call) { return resolved(call) ? kt_error_status() : run_body(call); }

/* A row that names a node has a derivative of its own; out= may be recorded as a node that cannot be run. */
KT__HOT static kt_status run_row(kt_call *call)
{
    const bool opaque = call->form == KT_OUT && call->row->target.grad == TARGET_OPAQUE;
    if (resolved(call))
        return kt_error_status();
    return call->row->node || opaque ? run_derived(call) : run_body(call);
}

const kt__way kt__way_view = {.run = run_view, .views = true, .straight = true};
const kt__way kt__way_make = {.run = run_row, .makes = true};
const kt__way kt__way_body = {.run = run_row, .composes = true};
const kt__way kt__way_list = {.run = run_row, .lists = true};
