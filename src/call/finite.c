/* finite.c - the search for the first operator, or node of backward, whose result is not finite though its inputs are
 * (kt_search_not_finite). In: calls and nodes that have run. Out: one note: its name and line. Independent of: what they compute.
 *
 * What an operator does inside is not looked at, nor what a formula of backward computes on its way: infinities there are often
 * meant, and dropped again. A number that is not finite counts as an input: masked_fill(-inf) is meant. */
#include "call/finite.h"

#include <karat/grad.h>
#include <karat/ops.h>
#include <karat/plugin/site.h>
#include <math.h>
#include <string.h>

#include "plan/launch.h"

typedef struct note {
    const char *op; /* NULL: nothing was found */
    uint32_t    site;
    bool        backward, nan;
} note;

static _Thread_local note first;

void kt_search_not_finite(bool on)
{
    const uint64_t mode = kt__mode();
    if (on)
        first = (note){0};
    kt__mode_word = on ? mode | KT_M_SEARCH : mode & ~(uint64_t)KT_M_SEARCH;
}

bool kt_first_not_finite(kt_not_finite *out)
{
    if (!out || !first.op)
        return false;
    kt_not_finite full = {.size = out->size, .op = first.op, .backward = first.backward, .nan = first.nan};
    full.file = first.site ? kt_site_file(first.site, &full.line) : NULL;
    memcpy(out, &full, out->size < sizeof full ? out->size : sizeof full);
    return true;
}

/* ---- values ---- */

static bool any_is(int question, kt_tensor *t)
{
    kt_tensor *answers = NULL, *any = NULL;
    const bool found = !kt__call1(question, t, &answers) && !kt__call1(KT_OP_any, answers, &any) && kt_item(any) != 0;
    kt__unref(answers);
    kt__unref(any);
    return found;
}

enum { NAN_THERE = 1, INF_THERE = 2 };

/* 0: finite, or not known. */
static unsigned not_finite(kt_tensor *t)
{
    if (!t || !t->numel || t->backend == KT_META || !(kt__dtype_rows[t->dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX)))
        return 0;
    while (t->flags & KT_T_BATCHED) /* any example */
        t = kt__example_of(t)->value;
    return (any_is(KT_OP_isnan, t) ? NAN_THERE : 0) | (any_is(KT_OP_isinf, t) ? INF_THERE : 0);
}

static unsigned any_not_finite(kt_tensor *const *t, int64_t n)
{
    unsigned found = 0;
    for (int64_t i = 0; i < n; i++)
        found |= not_finite(t[i]);
    return found;
}

/* Of what a call in place has written. Lists are those of optimizers and scalers, which only pass on what is in them. */
static unsigned written_not_finite(const kt_call *call)
{
    return kt__arg_spec(call->row, 0)->kind == KT_ARG_TENSORS ? 0 : not_finite(call->arg[0].t);
}

static bool number_is_finite(kt_scalar s)
{
    return (s.kind != KT_SCALAR_FLOAT && s.kind != KT_SCALAR_COMPLEX) || (isfinite(s.v.re) && isfinite(s.im));
}

static bool argument_is_finite(const kt_call *call, int at)
{
    const kt_value *v = &call->arg[at];
    switch (kt__arg_spec(call->row, at)->kind) {
    case KT_ARG_TENSOR:
    case KT_ARG_TENSOR_OR_SCALAR:
        return call->scalars >> at & 1 ? number_is_finite(v->s) : !not_finite(v->t);
    case KT_ARG_TENSORS:
        return !any_not_finite(v->ts.t, v->ts.n);
    case KT_ARG_SCALAR:
        return number_is_finite(v->s);
    case KT_ARG_FLOAT:
        return isfinite(v->f);
    default:
        return true;
    }
}

/* Calls made here are nobody's: no watcher sees them, the tape does not record them, no error is left. */
typedef struct aside {
    uint64_t        mode;
    bool            unseen;
    kt_error_state *error;
} aside;

static aside step_aside(void)
{
    const aside a = {kt__mode(), kt__unseen, kt_error_push()};
    kt__mode_word = kt__without_autocast(a.mode) & ~(uint64_t)(KT_M_SEARCH | KT_M_GRAD);
    kt__unseen = true;
    return a;
}

static void step_back(aside a)
{
    kt_clear();
    if (a.error)
        kt_error_pop(a.error);
    kt__unseen = a.unseen;
    kt__mode_word = a.mode;
}

/* ---- who made it ---- */

static bool inputs_are_finite(const kt_call *call)
{
    for (int i = call->form == KT_INPLACE ? 1 : 0; i < kt__n_args(call->row); i++) /* what it wrote to is not what it was */
        if (kt__given(call, i) && !argument_is_finite(call, i))
            return false;
    return true;
}

/* Of an elementwise call: is an element of the result not finite where all inputs are? An exp of which one input is -inf, as a
 * mask has it, may overflow at another. */
static bool an_element_became(const kt_call *call)
{
    KT_SCOPE;
    kt_tensor *became = call->n_out ? kt_logical_not(kt_isfinite(call->out[0])) : NULL;
    for (int i = 0; i < kt__n_args(call->row) && became; i++) {
        const kt_arg_spec *spec = kt__arg_spec(call->row, i);
        const bool         number = call->scalars >> i & 1 || spec->kind == KT_ARG_SCALAR;
        if (!kt__given(call, i) || (!number && spec->kind != KT_ARG_TENSOR && spec->kind != KT_ARG_TENSOR_OR_SCALAR))
            continue;
        if (number ? !number_is_finite(call->arg[i].s) : !call->arg[i].t)
            return false;
        if (!number)
            became = kt_logical_and(became, kt_isfinite(call->arg[i].t));
    }
    return became && kt_item(kt_any(became)) != 0;
}

static bool is_its_doing(const kt_call *call)
{
    if (inputs_are_finite(call))
        return true;
    return call->form == KT_PLAIN && call->row->way->fuses && call->row->way->broadcasts && an_element_became(call);
}

KT__COLD void kt__search_call(const kt_call *call)
{
    if (first.op || kt__frame || kt__named.node)
        return;
    const aside a = step_aside();
    unsigned    found = call->form == KT_INPLACE ? written_not_finite(call) : 0;
    found |= any_not_finite(call->out, call->n_out);
    if (found && is_its_doing(call)) {
        char       room[64];
        const bool in_binding = kt__lineage.in_binding && kt__lineage.in_binding();
        const char *name = kt__row_display_name(call->row, in_binding, room, sizeof room);
        first = (note){kt__lineage.keep_text ? kt__lineage.keep_text(name) : call->row->name, KT__SITE(), false,
                       found & NAN_THERE};
    }
    step_back(a);
}

KT__COLD void kt__search_node(const char *name, uint32_t site, kt_tensor *const *in, int64_t n_in, kt_tensor *const *out,
                              int64_t n_out)
{
    if (first.op)
        return;
    const aside a = step_aside();
    unsigned    found = 0, given = 0;
    for (int64_t i = 0; i < n_out; i++)
        found |= not_finite(out[i]);
    for (int64_t i = 0; i < n_in && found; i++)
        given |= not_finite(in[i]);
    if (found && !given)
        first = (note){kt__lineage.keep_text ? kt__lineage.keep_text(name) : "", site, true, found & NAN_THERE};
    step_back(a);
}
