/* autocast.c - one step in the call: the tensors of a row that has a class are cast before the row sees them. In: a call under
 * autocast. Out: the call run on what its tensors were cast to, each cast a node of the tape; in place and with out= nothing is
 * cast. Elementwise operators and reductions convert in their kernels instead, as the resolver asks here, and so may a body.
 * Independent of: what a row does. */
#include "call/autocast.h"

#include "base/alloc.h"
#include "call/policy.h"

/* Every float but float64. */
static bool is_eligible(kt_dtype d) { return kt__dtype_rows[d].category & KT_CAT_FLOAT && d != KT_F64; }

static kt__autocast class_of(const kt_row *row, uint64_t mode)
{
    return mode & KT_M_AUTOCAST ? kt__autocast_class(row, mode, (mode & KT_M_NOT_CPU) != 0) : AUTOCAST__;
}

/* The widest dtype of the operands so far and the next one: float32, or the dtype that autocast lowers to. In a pinned module
 * that may be float32 or float64; then it is the widest. */
static kt_status widest(const kt_call *call, kt_dtype next, kt_dtype lower, kt_dtype *so_far)
{
    if (!is_eligible(next) || *so_far == KT_F32 || *so_far == KT_F64 || next == lower)
        return KT_OK;
    if (next != KT_F32 && !kt__named.node) /* what a formula of backward joins is not the user's to choose */
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "Unexpected floating ScalarType in at::autocast::prioritize");
    *so_far = KT_F32;
    return KT_OK;
}

/* ---- the resolver's part ---- */

kt_status kt__autocast_dtypes(const kt_call *call, kt__gathered *g, uint64_t mode, uint8_t *why)
{
    const kt_dtype     lower = kt__lower_dtype(mode, kt__autocast_kind(mode, kt__home_of(g, false)));
    const kt__autocast how = class_of(call->row, mode);
    kt_dtype to = how == AUTOCAST_FP32 ? KT_F32 : how == AUTOCAST_WIDEST || how == AUTOCAST_LOWER ? lower : KT_NONE;
    if (how == AUTOCAST_SET_DTYPE && !g->want && is_eligible((kt_dtype)g->dtype[0]) && g->dtype[0] != KT_F32)
        g->want = KT_F32, why[0] = KT_WHY_AUTOCAST;
    for (int i = 0; i < g->n && how == AUTOCAST_WIDEST; i++)
        if (g->t[i] && widest(call, (kt_dtype)g->dtype[i], lower, &to))
            return kt_error_status();
    for (int i = 0; i < g->n && to; i++)
        if (g->t[i] && is_eligible((kt_dtype)g->dtype[i]) && g->dtype[i] != to) {
            g->dtype[i] = (uint8_t)to;
            why[i] = KT_WHY_AUTOCAST;
        }
    return KT_OK;
}

/* ---- the step ---- */

/* The first tensor that is not a 0-dim CPU tensor, if those are to be passed over and there is another. */
static const kt_tensor *find_tensor(const kt_call *call, bool passing_over)
{
    const kt__input_map *map = &call->row->inputs;
    const kt_tensor     *first = NULL;
    for (int i = 0; i < map->n; i++) {
        const int at = map->at[i];
        if (!kt__given(call, at) || call->scalars >> at & 1)
            continue;
        const bool              list = map->lists >> i & 1;
        kt_tensor *const *const t = list ? call->arg[at].ts.t : &call->arg[at].t;
        for (int64_t k = 0; k < (list ? call->arg[at].ts.n : 1); k++) {
            first = first ? first : t[k];
            if (t[k] && (!passing_over || t[k]->backend != KT_CPU || t[k]->ndim))
                return t[k];
        }
    }
    return first;
}

const kt_tensor *kt__first_tensor(const kt_call *call) { return find_tensor(call, false); }
const kt_tensor *kt__home_tensor(const kt_call *call) { return find_tensor(call, true); }

typedef struct casting {
    kt_call *call;
    kt_value given[KT_MAX_ARGS]; /* the arguments that were replaced */
    uint32_t replaced;           /* bit i: argument i, a tensor or a list of its own */
    uint64_t mode;               /* of the call, autocast on */
    int      kind;               /* of device: tensors elsewhere are left alone */
    kt_dtype to, lower;
    kt_dtype pinned;             /* of the first tensor whose dtype is pinned; KT_NONE: none is */
} casting;

static bool is_cast(const casting *c, const kt_tensor *t)
{
    return t && is_eligible((kt_dtype)t->dtype) && (kt_dtype)t->dtype != c->to && !(t->flags & KT_T_PINNED_DTYPE) &&
           kt__autocast_kind(c->mode, t) == c->kind;
}

/* Owned. Only weights are cached: float32 leaves that require grad and are not views. */
static kt_tensor *cast(const casting *c, kt_tensor *t, int at)
{
    enum { WEIGHT = KT_T_REQUIRES_GRAD | KT_T_LEAF, NONE = KT_T_VIEW | KT_T_INFERENCE | KT_T_DUAL };
    kt_tensor *made = NULL;
    if (kt__allow(c->mode, c->call, kt__arg_spec(c->call->row, at)->name, t, c->to, KT_WHY_AUTOCAST))
        return NULL;
    if (c->to == c->lower && t->dtype == KT_F32 && (t->flags & (WEIGHT | NONE)) == WEIGHT && !kt__born_flags &&
        !(c->mode & KT_M_NO_CAST_CACHE))
        return kt__cached_cast(t, c->to);
    return kt_convert(t, c->to, KT_WHY_AUTOCAST, &made) ? NULL : made;
}

static kt_status cast_list(casting *c, int at)
{
    const kt_value list = c->call->arg[at];
    int64_t        n = 0;
    while (n < list.ts.n && !is_cast(c, list.ts.t[n]))
        n++;
    if (n == list.ts.n)
        return KT_OK;
    const size_t bytes = (size_t)list.ts.n * sizeof(kt_tensor *);
    kt_tensor  **own = kt__system_get(bytes);
    if (!own)
        return kt__fail_memory(bytes);
    for (n = 0; n < list.ts.n; n++) {
        kt_tensor *t = list.ts.t[n];
        own[n] = !t ? NULL : is_cast(c, t) ? cast(c, t, at) : kt__ref(t);
        if (t && !own[n])
            break;
    }
    if (n < list.ts.n) {
        while (n > 0)
            kt__unref(own[--n]);
        kt__system_put(own, bytes);
        return kt_error_status();
    }
    c->given[at] = list;
    c->call->arg[at].ts.t = own;
    c->replaced |= 1u << at;
    return KT_OK;
}

static kt_status cast_one(casting *c, int at)
{
    kt_tensor *t = c->call->arg[at].t, *made;
    if (!is_cast(c, t))
        return KT_OK;
    if (!(made = cast(c, t, at)))
        return kt_error_status();
    c->given[at] = c->call->arg[at];
    c->call->arg[at].t = made;
    c->replaced |= 1u << at;
    return KT_OK;
}

static bool is_list(const kt_call *call, int at) { return kt__arg_spec(call->row, at)->kind == KT_ARG_TENSORS; }

/* Restores the call's arguments. */
static void put_back(casting *c)
{
    for (uint32_t left = c->replaced; left; left &= left - 1) {
        const int      at = __builtin_ctz(left);
        const kt_value made = c->call->arg[at];
        c->call->arg[at] = c->given[at];
        if (!is_list(c->call, at)) {
            kt__unref(made.t);
            continue;
        }
        for (int64_t k = 0; k < made.ts.n; k++)
            kt__unref(made.ts.t[k]);
        kt__system_put((void *)(uintptr_t)made.ts.t, (size_t)made.ts.n * sizeof(kt_tensor *));
    }
}

static kt_status each_tensor(const kt_call *call, kt_status (*look)(const kt_tensor *t, void *context), void *context)
{
    const kt__input_map *map = &call->row->inputs;
    for (int i = 0; i < map->n; i++) {
        const int at = map->at[i];
        if (!kt__given(call, at) || call->scalars >> at & 1)
            continue;
        const bool              list = map->lists >> i & 1;
        kt_tensor *const *const t = list ? call->arg[at].ts.t : &call->arg[at].t;
        for (int64_t k = 0; k < (list ? call->arg[at].ts.n : 1); k++)
            if (t[k] && look(t[k], context))
                return kt_error_status();
    }
    return KT_OK;
}

static kt_status widen(const kt_tensor *t, void *context)
{
    casting *c = context;
    return widest(c->call, (kt_dtype)t->dtype, c->lower, &c->to);
}

static kt_status take_pinned(const kt_tensor *t, void *context)
{
    kt_dtype *first = context;
    if (*first == KT_NONE && t->flags & KT_T_PINNED_DTYPE)
        *first = (kt_dtype)t->dtype;
    return KT_OK;
}

static kt_status cast_all(casting *c)
{
    const kt_call       *call = c->call;
    const kt__input_map *map = &call->row->inputs;
    for (int i = 0; i < map->n; i++) {
        const int at = map->at[i];
        if (kt__given(call, at) && !(call->scalars >> at & 1) && (map->lists >> i & 1 ? cast_list(c, at) : cast_one(c, at)))
            return kt_error_status();
    }
    return KT_OK;
}

/* Refusals and casts are those of a call under autocast; the row sees neither. */
static kt_status cast_arguments(casting *c, kt__autocast how)
{
    c->kind = kt__autocast_kind(c->mode, kt__home_tensor(c->call));
    c->lower = kt__lower_dtype(c->mode, c->kind);
    c->to = c->pinned ? c->pinned : how == AUTOCAST_FP32 ? KT_F32 : c->lower;
    if (how == AUTOCAST_WIDEST && !c->pinned && each_tensor(c->call, widen, c))
        return kt_error_status();
    const kt__outer outer = kt__frame_open(c->call); /* errors and plans of the casts name this call */
    kt_status       status = cast_all(c);
    kt__frame_close(outer);
    return status;
}

/* PyTorch's words, which know one such operator. */
static kt_status refuse_unsafe(const kt_call *call)
{
    return kt__fail_dtype(
        call, KT_ERR_RUNTIME,
        "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
        "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
        "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
        "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
        "safe to autocast.");
}

static kt_status run_cast(kt_call *call, uint64_t mode, kt__autocast how, kt_dtype pinned, kt_status (*run)(kt_call *call))
{
    const uint64_t before = kt__mode();
    casting        c = {.call = call, .mode = mode, .pinned = pinned};
    kt_status      status = call->form == KT_PLAIN && how != AUTOCAST_KEEP ? cast_arguments(&c, how) : KT_OK;
    if (!status) {
        kt__mode_word = kt__without_autocast(before);
        status = run(call);
        kt__mode_word = before;
    }
    put_back(&c);
    return status;
}

static kt_status run_in_class(kt_call *call, uint64_t mode, kt__autocast how, bool pinned, kt_status (*run)(kt_call *call))
{
    const bool plain = call->form == KT_PLAIN;
    kt_dtype   to_pinned = KT_NONE;
    if (pinned)
        each_tensor(call, take_pinned, &to_pinned);
    if ((how == AUTOCAST__ && !to_pinned) || (plain && !to_pinned && (call->row->way->fuses || how == AUTOCAST_SET_DTYPE)))
        return run(call);
    if (how == AUTOCAST_UNSAFE)
        return refuse_unsafe(call);
    return run_cast(call, mode, how, to_pinned, run);
}

/* ---- bodies that may convert as they read ---- */
static kt_status see_narrow(const kt_tensor *t, void *seen)
{
    *(bool *)seen |= is_eligible((kt_dtype)t->dtype) && t->dtype != KT_F32;
    return KT_OK;
}

kt_dtype kt__autocast_wants(const kt_call *call)
{
    bool narrow = false;
    if (call->form != KT_PLAIN || class_of(call->row, kt__mode_of_call(kt__mode(), kt__home_tensor(call))) != AUTOCAST_SET_DTYPE)
        return KT_NONE;
    each_tensor(call, see_narrow, &narrow);
    return narrow ? KT_F32 : KT_NONE;
}

kt_status kt__run_cast(kt_call *call, kt_status (*run)(kt_call *call))
{
    return run_cast(call, kt__mode_of_call(kt__mode(), kt__home_tensor(call)), AUTOCAST_FP32, KT_NONE, run);
}

enum { WEIGHT_FLAGS = KT_T_REQUIRES_GRAD | KT_T_LEAF };

static kt_status see_narrow_weight(const kt_tensor *t, void *seen)
{
    *(bool *)seen |= (t->flags & WEIGHT_FLAGS) == WEIGHT_FLAGS && is_eligible((kt_dtype)t->dtype) && t->dtype != KT_F32;
    return KT_OK;
}

kt_status kt__run_under_autocast(kt_call *call, uint32_t flags, kt_status (*run)(kt_call *call))
{
    const uint64_t     mode = kt__mode_of_call(kt__mode(), kt__home_tensor(call));
    const kt__autocast how = class_of(call->row, mode);
    const kt_status    status = run_in_class(call, mode, how, (flags & KT_T_PINNED_DTYPE) != 0, run);
    bool               narrow = false;
    if (status || !kt__counting)
        return status;
    if (how == AUTOCAST_LOWER && (flags & WEIGHT_FLAGS) == WEIGHT_FLAGS)
        each_tensor(call, see_narrow_weight, &narrow);
    kt__count_under_autocast(call, mode, flags & KT_T_PINNED_DTYPE ? KT_AUTOCAST_PINNED : (kt_autocast_class)how, narrow);
    return status;
}
