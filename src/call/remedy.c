/* remedy.c - finds fixes for a call that was refused for its dtypes.
 *
 * In: the call. Out: a few changes after which it is accepted, those that keep every value first. Nothing here knows a
 * rule: a change is proposed because the same call succeeded with it on the meta device. So a proposed fix cannot
 * disagree with what the engine accepts. Independent of: how a fix is worded; kernels. Runs only after a failure; a try
 * leaves no trace on the caller's tensors, error, modes or warnings. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "call/autocast.h"

#include <karat/lineage.h>

KT__HOT_LOCAL bool kt__trying, kt__refused, kt__narrowed;

enum {
    LIKELY      = 11,       /* dtypes worth a try */
    MOST_LISTED = 64,       /* elements of lists in one call that is tried */
    MOST_COPIED = 1 << 12,  /* elements that are copied for an operator that must see values */
    MOST_BYTES  = 1 << 20   /* of what it may make of them */
};

typedef struct change { /* what a try does differently */
    uint16_t  operands; /* bits: these are of `dtype` */
    uint8_t   dtype, want, form, policy; /* want: dtype=, KT_NONE: as it was */
    bool      sees_values;               /* the refusal was for values: nothing is learnt from a try without them */
} change;

/* ---- one try ---- */

typedef struct stage { /* the call's operands without their data */
    kt_call    call;
    kt_tensor *made[KT_MAX_ARGS + KT_MAX_RESULTS + MOST_LISTED];
    kt_tensor *listed[MOST_LISTED];
    int        n_made, n_listed;
    bool       with_values;
} stage;

static kt_tensor *stand_in(stage *s, kt_tensor *t, kt_dtype dtype)
{
    const kt_device where = s->with_values ? (kt_device){KT_CPU, 0} : (kt_device){KT_META, 0};
    kt_tensor      *twin = kt__tensor_new(dtype, where, kt__sizes(t));
    if (!twin)
        return NULL;
    twin->flags |= t->flags & KT_T_WRAPPED;
    s->made[s->n_made++] = twin;
    return s->with_values && kt__copy_into(twin, t, KT_WHY_EXPLICIT, KT_ROUND_TORCH) ? NULL : twin;
}

/* Is `t` the operand i of the mistake, and what does the change make of it? */
static kt_dtype dtype_in(const kt__mistake *m, const change *c, const kt_tensor *t, const char *name, int element)
{
    for (int i = 0; i < m->n; i++)
        if (c->operands >> i & 1 && m->operand[i].tensor == t && m->operand[i].element == element &&
            strcmp(m->operand[i].name, name) == 0)
            return (kt_dtype)c->dtype;
    return (kt_dtype)t->dtype;
}

static bool stage_list(stage *s, const kt__mistake *m, const change *c, int at, const char *name)
{
    const kt_value list = s->call.arg[at];
    if (s->n_listed + list.ts.n > MOST_LISTED)
        return false;
    s->call.arg[at].ts.t = s->listed + s->n_listed;
    for (int64_t k = 0; k < list.ts.n; k++) {
        kt_tensor *t = list.ts.t[k];
        s->listed[s->n_listed] = t ? stand_in(s, t, dtype_in(m, c, t, name, (int)k + 1)) : NULL;
        if (t && !s->listed[s->n_listed++])
            return false;
    }
    return true;
}

static bool stage_arguments(stage *s, const kt__mistake *m, const change *c)
{
    kt_call       *call = &s->call;
    const kt_row  *row = call->row;
    const kt_device nowhere = {s->with_values ? KT_CPU : KT_META, 0};
    for (int i = 0; i < kt__n_args(row); i++) {
        const kt_arg_spec *spec = kt__arg_spec(row, i);
        const bool         given = kt__given(call, i), number = call->scalars >> i & 1;
        if (spec->kind == KT_ARG_DEVICE && (given || row->way->makes)) {
            call->arg[i].device = nowhere;
            call->given |= 1u << i;
        } else if (spec->kind == KT_ARG_DTYPE && c->want) {
            call->arg[i].dtype = (kt_dtype)c->want;
            call->given |= 1u << i;
        } else if (given && spec->kind == KT_ARG_TENSORS) {
            if (!stage_list(s, m, c, i, spec->name))
                return false;
        } else if (given && !number && (spec->kind == KT_ARG_TENSOR || spec->kind == KT_ARG_TENSOR_OR_SCALAR) &&
                   call->arg[i].t) {
            call->arg[i].t = stand_in(s, call->arg[i].t, dtype_in(m, c, call->arg[i].t, spec->name, 0));
            if (!call->arg[i].t)
                return false;
        }
    }
    const int results = kt__n_results(row);
    for (int i = 0; i < results; i++)
        if (c->form != KT_OUT) {
            call->out[i] = NULL;
        } else if (call->out[i]) {
            call->out[i] = stand_in(s, call->out[i], dtype_in(m, c, call->out[i], "out", results > 1 ? i + 1 : 0));
            if (!call->out[i])
                return false;
        }
    call->form = c->form;
    return true;
}

static void drop_results(kt_call *call)
{
    if (call->row->way->lists) {
        kt_call_free_list(call);
        return;
    }
    for (int i = 0; i < kt__n_results(call->row); i++)
        kt__unref(call->out[i]);
}

/* Runs the call so changed. KT_OK: accepted, with the dtype of its result in *result. */
static kt_status run_changed(const kt_call *call, const kt__mistake *m, const change *c, bool with_values, kt_dtype *result)
{
    stage      s = {.call = *call, .with_values = with_values};
    kt_status  status = KT_ERR_MEMORY;
    const bool unseen = kt__unseen;
    kt__unseen = true;
    s.call.list = NULL;
    s.call.n_list = 0;
    if (stage_arguments(&s, m, c)) {
        status = kt_call_run(&s.call);
        if (!status && !call->row->way->lists && s.call.out[0])
            *result = (kt_dtype)s.call.out[0]->dtype;
        if (!status)
            drop_results(&s.call);
    }
    for (int i = 0; i < s.n_made; i++)
        kt__unref(s.made[i]);
    kt__unseen = unseen;
    return status;
}

/* Autocast is that of the device where the call's own tensors lie. */
static uint64_t tried_under(uint64_t mode, const kt_call *call)
{
    const kt_tensor *t = kt__home_tensor(call);
    return t && t->backend != KT_META ? kt__dry_run_mode(mode, t->backend) : mode;
}

/* Random operators are not run on values: the caller's generator would advance. */
static bool may_copy(const kt__mistake *m)
{
    int64_t numel = 0;
    for (int i = 0; i < kt__n_args(m->row); i++)
        if (kt__arg_spec(m->row, i)->kind == KT_ARG_GENERATOR)
            return false;
    for (int i = 0; i < m->n; i++)
        numel += m->operand[i].tensor ? m->operand[i].tensor->numel : 0;
    return numel <= MOST_COPIED;
}

static bool accepted(const kt_call *call, const kt__mistake *m, const change *c, kt_dtype *result)
{
    kt_error_state *aside = kt_error_push();
    if (!aside)
        return false;
    const kt_call *frame = kt__frame;
    const uint64_t mode = kt__mode();
    kt__decided   *decisions = kt__decisions;
    kt_dtype       ignored = KT_NONE;
    kt__frame = NULL;
    kt__decisions = NULL; /* decided anew: what is converted on the way is noted */
    kt__trying = true;
    kt__refused = kt__narrowed = false;
    kt__warn_muted++;
    kt__mode_word = tried_under((mode & ~(uint64_t)(KT_M_GRAD | KT_M_POLICY)) | c->policy, call);
    kt_status status = c->sees_values ? KT_ERR_VALUE : run_changed(call, m, c, false, result ? result : &ignored);
    if (status && !kt__refused && may_copy(m)) { /* not for a dtype: it may have to see values */
        kt_clear();
        kt__block_most = MOST_BYTES;
        status = run_changed(call, m, c, true, result ? result : &ignored);
        kt__block_most = 0;
    }
    kt__mode_word = mode;
    kt__warn_muted--;
    kt__trying = false;
    kt__decisions = decisions;
    kt__frame = frame;
    kt_error_pop(aside);
    return status == KT_OK;
}

/* ---- the search ---- */

typedef struct search {
    const kt_call *call;
    kt__mistake   *m;
    change         as_is;
    uint16_t       free;    /* operands that may be converted: inputs, not what is written to */
    uint16_t       targets; /* those of out= */
    uint16_t       follows; /* a gradient: its dtype is decided by that of the others */
    kt__fix        lossy[KT__FOUND];
    int            n_lossy;
} search;

static bool keeps_values(const kt__mistake *m, uint16_t operands, kt_dtype to)
{
    for (int i = 0; i < m->n; i++)
        if (operands >> i & 1 && !kt_can_cast_level((kt_dtype)m->operand[i].dtype, to, KT_CAST_SAFE))
            return false;
    return true;
}

/* Would a float become an integer, a complex number real? */
static bool lowers_kind(const kt__mistake *m, const kt__fix *fix)
{
    for (int i = 0; i < m->n; i++)
        if (fix->operands >> i & 1 &&
            kt_dtype_category((kt_dtype)fix->dtype) < kt_dtype_category((kt_dtype)m->operand[i].dtype))
            return true;
    return false;
}

static int found(const search *s) { return s->m->n_fixes + s->n_lossy; }

/* The operands, and those that are the same tensors: x in f(x, x) is cast once for both if the call accepts that and nothing
 * becomes of a lower kind: in x[x] only the index becomes an integer. */
static uint16_t with_the_same(const search *s, uint16_t operands, kt_dtype to)
{
    const kt__mistake *m = s->m;
    change             c = s->as_is;
    c.dtype = (uint8_t)to;
    c.operands = operands;
    for (int i = 0; i < m->n; i++)
        for (int k = 0; k < m->n && operands >> i & 1; k++)
            c.operands |= (uint16_t)((m->operand[k].tensor == m->operand[i].tensor && s->free >> k & 1) << k);
    const kt__fix all = {.operands = c.operands, .dtype = (uint8_t)to};
    return c.operands != operands && !lowers_kind(m, &all) && accepted(s->call, m, &c, NULL) ? c.operands : operands;
}

static void propose(search *s, kt_fix_kind kind, uint16_t operands, kt_dtype dtype, kt_policy policy, bool loses)
{
    operands = kind == KT_FIX_CAST ? with_the_same(s, operands, dtype) : operands;
    for (int i = 0; i < found(s); i++) {
        const kt__fix *fix = i < s->m->n_fixes ? &s->m->fix[i] : &s->lossy[i - s->m->n_fixes];
        if (fix->kind == kind && fix->operands == operands && fix->dtype == dtype)
            return;
    }
    kt__fix *to = loses ? s->lossy : s->m->fix;
    int     *n = loses ? &s->n_lossy : &s->m->n_fixes;
    if (found(s) < KT__FOUND - 1) /* one place is kept for a policy */
        to[(*n)++] = (kt__fix){.kind = (uint8_t)kind,
                               .operands = operands,
                               .dtype = (uint8_t)dtype,
                               .policy = (uint8_t)policy,
                               .loses = loses};
}

static bool try_cast(search *s, uint16_t operands, kt_dtype to)
{
    change c = s->as_is;
    c.operands = operands;
    c.dtype = (uint8_t)to;
    if (operands && accepted(s->call, s->m, &c, NULL))
        return true;
    c.operands |= s->follows;
    return operands && s->follows && accepted(s->call, s->m, &c, NULL);
}

static bool cast_proposed(const search *s, uint16_t within, kt_dtype to)
{
    for (int i = 0; i < found(s); i++) {
        const kt__fix *fix = i < s->m->n_fixes ? &s->m->fix[i] : &s->lossy[i - s->m->n_fixes];
        if (fix->kind == KT_FIX_CAST && fix->dtype == to && (fix->operands & ~within) == 0)
            return true;
    }
    return false;
}

static uint16_t other_than(const search *s, kt_dtype d, unsigned categories)
{
    uint16_t operands = 0;
    for (int i = 0; i < s->m->n; i++)
        if (s->free >> i & 1 && s->m->operand[i].dtype != d &&
            kt_dtype_category((kt_dtype)s->m->operand[i].dtype) & categories)
            operands |= (uint16_t)(1u << i);
    return operands;
}

/* Operands of different dtypes: one becomes what another is, or all become what one is. */
static void make_alike(search *s)
{
    const kt__mistake *m = s->m;
    for (int sets = 0; sets < 3; sets++) {
        uint32_t seen = 0;
        for (int k = 0; k < m->n; k++) {
            const kt_dtype to = (kt_dtype)m->operand[k].dtype;
            if (!m->operand[k].tensor || seen >> to & 1)
                continue;
            seen |= 1u << to;
            for (int i = 0; i < (sets ? 1 : m->n); i++) {
                const kt__fix fix = {.dtype = (uint8_t)to,
                                     .operands = sets == 0   ? (uint16_t)(s->free & (m->operand[i].dtype != to) << i)
                                                 : sets == 1 ? other_than(s, to, KT_CAT_FLOAT | KT_CAT_COMPLEX)
                                                             : other_than(s, to, ~0u)};
                const bool    last_resort = sets && lowers_kind(m, &fix);
                if (!cast_proposed(s, fix.operands, to) && !(last_resort && found(s)) && try_cast(s, fix.operands, to))
                    propose(s, KT_FIX_CAST, fix.operands, to, KT_TORCH, !keeps_values(m, fix.operands, to));
            }
        }
    }
}

/* The dtypes that are asked for when no operand has the right one, the likelier first: integers stay integers if they may. */
static int likely(bool of_integers, kt_dtype *to)
{
    static const uint8_t more[] = {KT_F32, KT_I64, KT_BOOL, KT_F64, KT_C64, KT_I32, KT_U8, KT_C128};
    int                  n = 0;
    if (of_integers)
        to[n++] = KT_I64;
    to[n++] = kt_get_default_dtype();
    for (size_t i = 0; i < sizeof more; i++)
        if (more[i] != to[0] && more[i] != to[n > 1])
            to[n++] = (kt_dtype)more[i];
    return n;
}

static bool all_integers(const kt__mistake *m, uint16_t operands)
{
    for (int i = 0; i < m->n; i++)
        if (operands >> i & 1 &&
            !(kt_dtype_category((kt_dtype)m->operand[i].dtype) & (KT_CAT_BOOL | KT_CAT_INT)))
            return false;
    return true;
}

/* The first that keeps every value, and before it at most one that may not. */
static bool make_likely(search *s, uint16_t operands)
{
    kt_dtype  to[LIKELY];
    const int n = likely(all_integers(s->m, operands), to);
    bool      lossy = false, any = false, mended = found(s);
    for (int i = 0; i < n && operands; i++) {
        const kt__fix fix = {.operands = operands, .dtype = (uint8_t)to[i]};
        const bool    keeps = keeps_values(s->m, operands, to[i]);
        if ((lossy && !keeps) || (mended && lowers_kind(s->m, &fix)) || cast_proposed(s, operands, to[i]) ||
            !try_cast(s, operands, to[i]))
            continue;
        propose(s, KT_FIX_CAST, operands, to[i], KT_TORCH, !keeps);
        any = true;
        if (keeps)
            return true;
        lossy = true;
    }
    return any;
}

static void make_acceptable(search *s)
{
    bool any = false;
    for (int i = 0; i < s->m->n; i++)
        any |= make_likely(s, (uint16_t)(s->free & 1u << i));
    if (!any && (s->free & (s->free - 1)))
        make_likely(s, s->free);
}

/* An in-place target that no other fix preserves: create it with another dtype, of a lower category if nothing else
 * helps. */
static void make_written(search *s)
{
    kt_dtype  to[LIKELY];
    const int n = s->as_is.form == KT_INPLACE && s->m->n && s->m->operand[0].tensor ? likely(false, to) : 0;
    for (int lower = 0; lower < 2 && (lower ? found(s) : s->m->n_fixes) == 0; lower++)
        for (int i = 0; i < n && s->m->n_fixes == 0 && (!lower || !found(s)); i++) {
            const kt__fix fix = {.operands = 1, .dtype = (uint8_t)to[i]};
            change        c = s->as_is;
            c.operands = 1;
            c.dtype = (uint8_t)to[i];
            if (lowers_kind(s->m, &fix) == lower && accepted(s->call, s->m, &c, NULL))
                propose(s, KT_FIX_MAKE, 1, to[i], KT_TORCH, lower);
        }
}

static void give_new(search *s)
{
    change c = s->as_is;
    c.form = KT_PLAIN;
    if (s->as_is.form == KT_INPLACE && s->call->row->forms & 1 << KT_PLAIN && accepted(s->call, s->m, &c, NULL))
        propose(s, KT_FIX_OUT_OF_PLACE, 0, KT_NONE, KT_TORCH, false);
}

static void make_target(search *s)
{
    change   c = s->as_is;
    kt_dtype result = KT_NONE;
    c.form = KT_PLAIN;
    if (!s->targets || s->targets & (s->targets - 1) || !accepted(s->call, s->m, &c, &result) || !result)
        return;
    c = s->as_is;
    c.operands = s->targets;
    c.dtype = (uint8_t)result;
    if (accepted(s->call, s->m, &c, NULL))
        propose(s, KT_FIX_MAKE, s->targets, result, KT_TORCH, false);
}

/* Is the number another one as a `d`, beyond the rounding of a fraction's digits? A bool keeps 0 and 1 alone. */
static bool changes(kt_scalar s, kt_dtype d)
{
    kt_finfo          f;
    const kt_category kind = kt_dtype_category(d);
    const bool        whole = s.kind == KT_SCALAR_BOOL || s.kind == KT_SCALAR_INT;
    if (s.kind == KT_SCALAR_COMPLEX && s.im != 0)
        return kind != KT_CAT_COMPLEX || !kt__holds(KT_FLOAT(s.v.re), kt_dtype_real(d)) ||
               !kt__holds(KT_FLOAT(s.im), kt_dtype_real(d));
    if (kind == KT_CAT_BOOL)
        return whole ? s.is_unsigned || (s.v.i != 0 && s.v.i != 1) : s.v.re != 0 && s.v.re != 1;
    if (kind == KT_CAT_INT)
        return !kt__holds(s, d) || (!whole && s.v.re != trunc(s.v.re));
    d = kind == KT_CAT_COMPLEX ? kt_dtype_real(d) : d;
    return !kt__holds(s, d) || (whole && !kt_dtype_finfo(d, &f) && (s.is_unsigned || fabs((double)s.v.i) > 2 / f.eps));
}

static bool changes_numbers(const kt_call *call, kt_dtype d)
{
    for (int i = 0; i < kt__n_args(call->row); i++)
        if (kt__given(call, i) && (kt__arg_spec(call->row, i)->kind == KT_ARG_SCALAR || call->scalars >> i & 1) &&
            call->arg[i].s.kind && changes(call->arg[i].s, d))
            return true;
    return false;
}

/* A dtype of the kind that was asked for, if any was, comes before the others: 300 as uint8 becomes int64. One in which a
 * number of the call is another is none. */
static void say_dtype(search *s)
{
    const kt_call *call = s->call;
    kt_dtype       asked = KT_NONE, to[LIKELY];
    bool           takes = false;
    for (int i = 0; i < kt__n_args(call->row); i++)
        if (kt__arg_spec(call->row, i)->kind == KT_ARG_DTYPE) {
            takes = true;
            asked = kt__arg_dtype(call, i);
        }
    int n = takes ? likely(false, to) : 0;
    if (n && asked && kt_dtype_category(asked) == KT_CAT_FLOAT) { /* the digits that were asked for, of a complex number too */
        memmove(to + 1, to, (size_t)n++ * sizeof *to);
        to[0] = kt_dtype_complex(asked);
    }
    for (int other_kinds = asked == KT_NONE; other_kinds < 2; other_kinds++)
        for (int i = 0; i < n; i++) {
            change c = s->as_is;
            c.want = (uint8_t)to[i];
            if ((!other_kinds && kt_dtype_category(to[i]) != kt_dtype_category(asked)) || changes_numbers(call, to[i]))
                continue;
            if (accepted(call, s->m, &c, NULL)) {
                propose(s, KT_FIX_DTYPE, 0, to[i], KT_TORCH, !keeps_values(s->m, s->free, to[i]));
                return;
            }
        }
}

/* Do all that were found give up a kind, so that a cast to a higher one is still worth looking for? */
static bool only_lower(const search *s)
{
    for (int i = 0; i < s->n_lossy; i++)
        if (!lowers_kind(s->m, &s->lossy[i]))
            return false;
    return s->m->n_fixes == 0;
}

/* Fixes that can lose values come last; those to a lower category only if no other cast helps. */
static void add_lossy(search *s)
{
    kt__mistake *m = s->m;
    bool         mended = false;
    for (int lower = 0; lower < 2; lower++) {
        for (int i = 0; i < m->n_fixes; i++)
            mended |= m->fix[i].kind == KT_FIX_CAST || m->fix[i].kind == KT_FIX_DTYPE;
        for (int i = 0; i < s->n_lossy && !(lower && mended); i++)
            if (lowers_kind(m, &s->lossy[i]) == lower)
                m->fix[m->n_fixes++] = s->lossy[i];
    }
}

/* Is what the call would give as a new tensor stored in one that cannot hold it? */
static bool stores_narrower(const search *s, kt_policy policy)
{
    const kt_tensor *to = s->as_is.form == KT_INPLACE ? s->call->arg[0].t : s->as_is.form == KT_OUT ? s->call->out[0] : NULL;
    change           c = s->as_is;
    kt_dtype         result = KT_NONE;
    c.policy = (uint8_t)policy;
    c.form = KT_PLAIN;
    return to && s->call->row->forms & 1 << KT_PLAIN && accepted(s->call, s->m, &c, &result) && result &&
           !kt_can_cast_level(result, (kt_dtype)to->dtype, KT_CAST_SAFE);
}

/* Does the result's dtype not hold a number of the call, which then wraps? */
static bool wraps_number(const kt_call *call, kt_dtype result)
{
    for (int i = 0; i < kt__n_args(call->row) && result && kt_dtype_category(result) != KT_CAT_BOOL; i++)
        if (call->given & call->scalars & 1u << i && !kt__holds(call->arg[i].s, result))
            return true;
    return false;
}

/* The next policy that accepts the call unchanged. `safe` and `torch` differ only in conversions that can lose values. */
static void run_under(search *s)
{
    for (int policy = s->as_is.policy + 1; policy <= KT_PERMISSIVE && s->m->n_fixes < KT__FOUND; policy++) {
        change   c = s->as_is;
        kt_dtype result = KT_NONE;
        c.policy = (uint8_t)policy;
        if (accepted(s->call, s->m, &c, &result)) {
            const bool loses = policy == KT_TORCH || kt__narrowed || wraps_number(s->call, result) ||
                               stores_narrower(s, (kt_policy)policy);
            s->m->fix[s->m->n_fixes++] = (kt__fix){.kind = KT_FIX_POLICY, .policy = (uint8_t)policy, .loses = loses};
            return;
        }
    }
}

static void find_free(search *s)
{
    const kt_row *row = s->call->row;
    for (int i = 0; i < s->m->n; i++) {
        const kt__operand_note *o = &s->m->operand[i];
        bool                    written = s->as_is.form == KT_INPLACE && i == 0;
        for (int k = 0; k < kt__n_args(row); k++)
            written |= kt__arg_spec(row, k)->written && strcmp(kt__arg_spec(row, k)->name, o->name) == 0;
        if (!o->tensor)
            continue;
        if (strcmp(o->name, "grad_output") == 0)
            s->follows |= (uint16_t)(1u << i);
        else if (s->as_is.form == KT_OUT && strcmp(o->name, "out") == 0)
            s->targets |= (uint16_t)(1u << i);
        else if (!written)
            s->free |= (uint16_t)(1u << i);
    }
}

void kt__find_fixes(const kt_call *call, kt__mistake *m, uint16_t convert, kt_dtype to)
{
    search s = {.call = call,
                .m = m,
                .as_is = {.form = call->form, .policy = (uint8_t)kt__policy(kt__mode())}};
    s.as_is.sees_values = accepted(call, m, &s.as_is, NULL);
    find_free(&s);
    convert &= s.free;
    if (try_cast(&s, convert, to))
        propose(&s, KT_FIX_CAST, convert, to, KT_TORCH, !keeps_values(m, convert, to));
    bool sure = found(&s);
    make_target(&s);
    if (!sure)
        make_alike(&s);
    if (call->form == KT_INPLACE && kt_is_view(call->arg[0].t)) /* what it is a view of cannot become another tensor */
        make_written(&s);
    give_new(&s);
    if (!sure && found(&s) && only_lower(&s))
        make_written(&s);
    if (!sure && only_lower(&s))
        make_acceptable(&s);
    if (!convert)
        say_dtype(&s);
    if (!found(&s))
        make_written(&s);
    add_lossy(&s);
    run_under(&s);
}
