/* call.c - one operator call from its arguments to its results: the only way in, for C wrappers, bindings and formulas.
 * In: a kt_call. Out: owned results. It knows no kernel and no tape by name. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "call/autocast.h"
#include "call/finite.h"
#include "call/refuse.h"
#include "call/shown.h"
#include "call/target.h"
#include "call/wrap.h"

KT__HOT_LOCAL const kt_call *kt__frame;
KT__HOT_LOCAL kt__naming     kt__named;

/* ---- the tape's part ---- */

/* Of what is written to: KT_T_FOLLOWED. */
KT__HOT static uint32_t target_flags(const kt_call *call)
{
    uint32_t flags = 0;
    if (call->form == KT_PLAIN)
        return 0;
    if (call->form == KT_INPLACE)
        return kt__grad_flags(call->arg[0].t) & KT_T_FOLLOWED;
    for (int i = 0; i < kt__n_results(call->row); i++)
        flags |= kt__grad_flags(call->out[i]) & KT_T_FOLLOWED;
    return flags;
}

/* Tangents are written as what has them is, whoever made them. */
KT__COLD static kt_status before_dual(kt_call *call, const kt_plan *plan, bool records, int floor, kt__taping *taping)
{
    kt__transform  *now = kt__transform_now;
    kt__transform_now = NULL;
    const kt_status status = kt__tape.before_dual(call, plan, records, floor, &taping->token, &taping->forward);
    kt__transform_now = now;
    return status;
}

KT__COLD static kt_status after_dual(kt_call *call, const kt__taping *taping, kt_status so_far)
{
    kt__transform  *now = kt__transform_now;
    kt__transform_now = NULL;
    const kt_status status = kt__tape.after_dual(call, taping->token, taping->forward, so_far);
    kt__transform_now = now;
    return status;
}

static inline kt_status tape_before(kt_call *call, const kt_plan *plan, uint32_t any, int floor, kt__taping *taping)
{
    taping->on = false;
    any |= target_flags(call);
    if (KT__LIKELY(!any))
        return KT_OK;
    const uint64_t mode = kt__mode();
    const bool     records = any & KT_T_REQUIRES_GRAD && mode & KT_M_GRAD, dual = any & KT_T_DUAL && kt__ceiling(mode);
    if (!kt__tape.before || !(records || dual) || kt__born_flags)
        return KT_OK;
    taping->token = taping->forward = NULL;
    taping->on = true;
    if (KT__UNLIKELY(dual))
        return before_dual(call, plan, records, floor, taping);
    return kt__tape.before(call, plan, &taping->token);
}

KT__HOT kt_status kt__tape_before(kt_call *call, const kt_plan *plan, uint32_t any, kt__taping *taping)
{
    return tape_before(call, plan, any, 0, taping);
}

kt_status kt__tape_before_above(kt_call *call, const kt_plan *plan, uint32_t any, int floor, kt__taping *taping)
{
    return tape_before(call, plan, any, floor, taping);
}

kt_status kt__unfollowed(kt_tensor *view)
{
    kt__view_made(view, kt__born_flags ? KT_T_IN_INFERENCE : KT_T_UNFOLLOWED);
    return kt__tape.note && kt__grad_flags(view) & KT_T_REQUIRES_GRAD ? kt__tape.note(view) : KT_OK;
}

KT__HOT kt_status kt__tape_after(kt_call *call, const kt_plan *plan, kt__taping *taping, kt_status so_far)
{
    if (!taping->on)
        return so_far;
    if (KT__UNLIKELY(taping->forward != NULL))
        return after_dual(call, taping, so_far);
    if (!taping->token)
        return so_far;
    if (so_far) {
        kt__tape.cancel(taping->token);
        return so_far;
    }
    return kt__tape.after(call, plan, taping->token);
}

kt_status kt__finish_several(kt_call *call, const kt_plan *plan, kt__taping *taping, kt_tensor *const *out, int n,
                             kt_status status)
{
    kt_tensor *given[KT_MAX_RESULTS];
    for (int i = 0; i < n; i++) {
        given[i] = call->out[i];
        call->out[i] = out[i];
        if (!status && call->form != KT_PLAIN)
            kt__wrote(out[i]);
    }
    call->n_out = (uint8_t)n;
    status = kt__tape_after(call, plan, taping, status);
    for (int i = 0; i < n && status; i++) {
        kt__unref(out[i]);
        call->out[i] = given[i];
    }
    return status;
}

KT__HOT kt_status kt__finish(kt_call *call, const kt_plan *plan, kt__taping *taping, kt_tensor *out, kt_status status)
{
    kt_tensor *given = call->out[0];
    if (!status && call->form != KT_PLAIN)
        kt__wrote(out);
    call->out[0] = out;
    call->n_out = 1;
    status = kt__tape_after(call, plan, taping, status);
    if (KT__UNLIKELY(status)) {
        kt__unref(out);
        call->out[0] = given;
    }
    return status;
}

uint32_t kt__input_flags(const kt_call *call)
{
    const kt__input_map *map = &call->row->inputs;
    uint32_t             flags = 0;
    for (int i = 0; i < map->n; i++) {
        int at = map->at[i];
        if (!kt__given(call, at) || call->scalars >> at & 1)
            continue;
        if (!(map->lists >> i & 1)) {
            flags |= call->arg[at].t ? kt__grad_flags(call->arg[at].t) : 0;
            continue;
        }
        for (int64_t k = 0; k < call->arg[at].ts.n; k++)
            flags |= call->arg[at].ts.t[k] ? kt__grad_flags(call->arg[at].ts.t[k]) : 0;
    }
    return flags & KT_T_FOLLOWED;
}

bool kt__is_watched(const kt_call *call)
{
    return kt__tape.rules && kt__mode() & KT_M_GRAD && !kt__born_flags &&
           (kt__input_flags(call) | target_flags(call)) & KT_T_REQUIRES_GRAD;
}

kt_status kt__check_history(const kt_call *call)
{
    return call->form == KT_OUT && kt__is_watched(call) ? kt__tape.rules(call) : KT_OK;
}

/* ---- writes in place ---- */

/* The name of PyTorch's overload; a number is a tensor for most. */
KT__COLD static kt_status fail_captured(const kt_call *call)
{
    const char *name = kt__schema_display_name(call->row), *overload = name + strcspn(name, ".(");
    const bool  either = kt__n_args(call->row) > 1 && kt__arg_spec(call->row, 1)->kind == KT_ARG_TENSOR_OR_SCALAR;
    const bool  number = call->row->id == KT_OP_fill && call->scalars >> 1 & 1;
    return kt_fail(KT_ERR_RUNTIME,
                   "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
                   "(aten::%.*s_%.*s%s) that would mutate a captured Tensor. This is not supported; please rewrite the function "
                   "being transformed to explicitly accept the mutated Tensor(s) as inputs.",
                   (int)(overload - name), name, *overload == '.' ? (int)strcspn(overload, "(") : 0, overload,
                   !either || *overload == '.' ? "" : number ? ".Scalar" : ".Tensor");
}

/* Refuses what was there before the innermost transform, which was not given it. */
KT__COLD static kt_status check_captured(const kt_call *call)
{
    const kt__transform *now = kt__transform_now;
    if (call->form != KT_INPLACE || kt__arg_spec(call->row, 0)->kind != KT_ARG_TENSOR)
        return KT_OK;
    const kt_storage *written = call->arg[0].t->storage;
    bool              captured = written->born < now->id;
    for (int64_t i = 0; i < now->n && captured; i++)
        captured = now->given[i] != written;
    return captured ? fail_captured(call) : KT_OK;
}

/* Inference tensors have no version counter: outside inference mode they must not be written to. */
static bool writes_inference(const kt_call *call)
{
    const bool       itself = call->form == KT_INPLACE && kt__arg_spec(call->row, 0)->kind == KT_ARG_TENSOR;
    kt_tensor *const one = itself ? call->arg[0].t : NULL;
    kt_tensor *const *t = call->form == KT_OUT ? call->out : &one;
    for (int i = 0; i < (call->form == KT_OUT ? kt__n_results(call->row) : 1) && !kt__born_flags; i++)
        if (t[i] && t[i]->flags & KT_T_INFERENCE)
            return true;
    return false;
}

KT__COLD static kt_status refuse(const kt_call *call, int i, const char *why)
{
    return kt_fail(KT_ERR_TYPE, "%s(): argument '%s' (position %d) %s", call->row->name, kt__arg_spec(call->row, i)->name,
                   i + 1, why);
}

static bool is_number(kt_scalar s, bool optional) { return s.kind ? s.kind <= KT_SCALAR_COMPLEX : optional; }

/* Checks give the flags of the tensors they have seen, so that a call knows of all without a second look. */
enum { KT_T_REFUSED = 1u << 31 }; /* none of theirs: an error is pending */

static uint32_t check_list(const kt_call *call, int i)
{
    const int64_t n = call->arg[i].ts.n;
    uint32_t      flags = 0;
    if (!kt__is_list(n, call->arg[i].ts.t, sizeof(kt_tensor *))) {
        kt_fail(KT_ERR_TYPE, "%s(): argument '%s' (position %d) holds no tensors: %lld at %s", call->row->name,
                kt__arg_spec(call->row, i)->name, i + 1, (long long)n, call->arg[i].ts.t ? "an address" : "NULL");
        return KT_T_REFUSED;
    }
    for (int64_t k = 0; k < n; k++)
        if (call->arg[i].ts.t[k]) {
            flags |= call->arg[i].ts.t[k]->flags;
        } else if (!kt__arg_spec(call->row, i)->holes) {
            kt_fail(KT_ERR_TYPE, "%s(): element %lld of argument '%s' is NULL", call->row->name, (long long)k,
                    kt__arg_spec(call->row, i)->name);
            return KT_T_REFUSED;
        }
    return flags;
}

static kt_status check_scalars(const kt_call *call, int i)
{
    const int64_t n = call->arg[i].ss.n;
    if (!kt__is_list(n, call->arg[i].ss.s, sizeof(kt_scalar)))
        return refuse(call, i, "holds no numbers");
    for (int64_t k = 0; k < n; k++)
        if (!is_number(call->arg[i].ss.s[k], false))
            return kt_fail(KT_ERR_TYPE, "%s(): element %lld of argument '%s' is no number", call->row->name, (long long)k,
                           kt__arg_spec(call->row, i)->name);
    return KT_OK;
}

/* An argument that is no tensor. */
static inline __attribute__((always_inline)) kt_status check_value(const kt_call *call, int i, const kt_arg_spec *spec)
{
    const kt_value *v = &call->arg[i];
    switch (spec->kind) {
    case KT_ARG_TENSOR_OR_SCALAR: return is_number(v->s, false) ? KT_OK : refuse(call, i, "is no number");
    case KT_ARG_SCALAR: return is_number(v->s, spec->optional) ? KT_OK : refuse(call, i, "is no number");
    case KT_ARG_SCALARS: return check_scalars(call, i);
    case KT_ARG_INTS: return kt__is_list(v->ints.n, v->ints.d, sizeof(int64_t)) ? KT_OK : refuse(call, i, "holds no ints");
    case KT_ARG_DTYPE:
        return v->dtype == KT_NONE || kt__dtype_valid(v->dtype)
                   ? KT_OK
                   : kt_fail(KT_ERR_TYPE, "%s(): argument '%s' (position %d) is no dtype: %d", call->row->name, spec->name,
                             i + 1, (int)v->dtype);
    case KT_ARG_FORMAT: return (uint32_t)v->format <= KT_CHANNELS_LAST_3D ? KT_OK : refuse(call, i, "is no memory format");
    case KT_ARG_STRING: return v->str || spec->optional ? KT_OK : refuse(call, i, "must be str, not NULL");
    default: return KT_OK;
    }
}

/* Checks one given argument for validity; its value is checked by the operator. */
static inline uint32_t check_argument(const kt_call *call, int i, const kt_arg_spec *spec)
{
    if (spec->kind == KT_ARG_TENSOR || (spec->kind == KT_ARG_TENSOR_OR_SCALAR && !(call->scalars >> i & 1))) {
        const kt_tensor *t = call->arg[i].t;
        if (KT__LIKELY(t != NULL))
            return t->flags;
        refuse(call, i, "must be Tensor, not NULL");
        return KT_T_REFUSED;
    }
    if (spec->kind == KT_ARG_TENSORS)
        return check_list(call, i);
    return check_value(call, i, spec) ? KT_T_REFUSED : 0;
}

static uint32_t check_arguments(const kt_call *call)
{
    const uint32_t missing = call->row->required & ~call->given;
    uint32_t       flags = 0;
    for (uint32_t left = (call->given & call->row->checked) | missing; left; left &= left - 1) {
        const int          i = __builtin_ctz(left);
        const kt_arg_spec *spec = kt__arg_spec(call->row, i);
        if (KT__UNLIKELY(missing >> i & 1)) {
            kt_fail(KT_ERR_TYPE, "%s() missing 1 required positional arguments: \"%s\"", call->row->name, spec->name);
            return KT_T_REFUSED;
        }
        flags |= check_argument(call, i, spec);
        if (KT__UNLIKELY(flags & KT_T_REFUSED))
            return flags;
    }
    for (int i = 0; call->form == KT_OUT && i < kt__n_results(call->row); i++) {
        if (!call->out[i]) {
            kt_fail(KT_ERR_TYPE, "%s(): argument 'out' must be Tensor, not NULL", call->row->name);
            return KT_T_REFUSED;
        }
        flags |= call->out[i]->flags;
    }
    return flags;
}

void kt_call_begin(kt_call *call, const kt_row *row, kt_form form)
{
    if (!call)
        return;
    kt__open(call, 0, form);
    call->row = row;
    for (int i = 1; i < KT_MAX_RESULTS; i++)
        call->out[i] = NULL;
    call->n_out = 0;
    call->list = NULL;
    call->n_list = 0;
}

KT__HOT static inline kt_status run_way(kt_call *call)
{
    if (call->form != KT_PLAIN && !call->row->way->broadcasts) {
        const kt__sharing sharing = kt__sharing_of(call, NULL);
        if (sharing == SHARING_REFUSED && !call->row->target.checked_in_body)
            return kt__fail_shared();
        if (sharing == SHARING_COPIED)
            return kt__run_apart(call);
    }
    return call->row->way->run(call);
}

KT__HOT static inline __attribute__((always_inline)) kt_status run_here(kt_call *call)
{
    const bool framed = !call->row->way->straight;
    kt__outer  outer = {NULL, NULL};
    if (kt__refuse(call, STAGE_CALL))
        return kt_error_status();
    if (framed)
        outer = kt__frame_open(call);
    kt_status status = run_way(call);
    if (framed)
        kt__frame_close(outer);
    return status;
}

static inline kt_status tell_of_write(const kt_call *call)
{
    if (KT__UNLIKELY(kt__transform_now != NULL) && check_captured(call))
        return kt_error_status();
    kt__write_watch *watch = atomic_load_explicit(&kt__about_to_write, memory_order_relaxed);
    return KT__UNLIKELY(watch != NULL) ? watch(call) : KT_OK;
}

static kt_status run_row(kt_call *call) { return run_here(call); } /* for those that take a function */
static kt_status run_shown(kt_call *call) { return kt__run_shown(call, run_row); }
static kt_status run_batched(kt_call *call) { return kt__batching.run(call, run_row); }

/* Under autocast, with tensors that stand for one example of many, shown to a watcher, or in search of values that are not
 * finite. `flags`: of the call's tensors. */
KT__COLD static kt_status run_in_modes(kt_call *call, uint32_t flags)
{
    kt_status (*const run)(kt_call *call) = kt__mode_word & KT_M_LEVELS || flags & KT_T_BATCHED ? run_batched
                                            : kt__mode_word & KT_M_SHOWN                        ? run_shown
                                                                                                : run_row;
    const kt_status status = kt__mode_word & KT_M_AUTOCAST
                                 ? kt__run_under_autocast(call, flags, run)
                                 : run(call);
    if (!status && kt__mode_word & KT_M_SEARCH)
        kt__search_call(call);
    return status;
}

KT__COLD kt_status kt__fail_inference(void)
{
    return kt_fail(KT_ERR_RUNTIME,
                   "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get "
                   "a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more "
                   "details.");
}

/* A call that writes to an inference tensor is refused as in PyTorch: where a version would be counted, after the write, and
 * without a history. So the operator's own errors come first. */
KT__COLD static kt_status write_inference(kt_call *call, bool in_modes, uint32_t flags)
{
    kt_tensor *given[KT_MAX_RESULTS];
    memcpy(given, call->out, sizeof given);
    if (kt__check_history(call))
        return kt_error_status();
    const uint64_t mode = kt__mode_word;
    kt__mode_word = mode & ~(uint64_t)KT_M_GRAD;
    const kt_status status = in_modes ? run_in_modes(call, flags) : run_here(call);
    kt__mode_word = mode;
    if (status)
        return status;
    for (int i = 0; i < call->n_out; i++) {
        kt__unref(call->out[i]);
        call->out[i] = given[i];
    }
    return kt__fail_inference();
}

static kt_status run_any(kt_call *call)
{
    if (call->form > KT_OUT || !(call->row->forms >> call->form & 1))
        return kt_fail(KT_ERR_TYPE, "%s has no %s form", call->row->name,
                       call->form == KT_INPLACE ? "in-place" : "out=");
    const uint32_t flags = check_arguments(call);
    if (KT__UNLIKELY(flags & KT_T_REFUSED) || (call->form != KT_PLAIN && tell_of_write(call)))
        return kt_error_status();
    kt_status  status;
    const bool in_modes = (kt__mode_word & (KT_M_AUTOCAST | KT_M_LEVELS | KT_M_SEARCH | KT_M_SHOWN)) | (flags & KT_T_BATCHED);
    if (KT__UNLIKELY(flags & KT_T_INFERENCE) && call->form != KT_PLAIN && writes_inference(call))
        status = write_inference(call, in_modes, flags);
    else if (KT__UNLIKELY(in_modes))
        status = run_in_modes(call, flags);
    else
        status = run_here(call);
    return KT__UNLIKELY(status && call->form != KT_PLAIN) ? kt__report_first_error(call) : status;
}

static inline __attribute__((always_inline)) kt_status run_call(kt_call *call)
{
    kt_status status = KT_OK;
    if (!(KT__LIKELY(call->given == 3 && !call->scalars && call->form == KT_PLAIN &&
                     call->row->operands.pair && call->arg[0].t && call->arg[1].t) &&
          kt__run_pair(call, &status)))
        status = run_any(call);
    if (KT__UNLIKELY(status))
        kt__explain_failure(call);
    return status;
}

static KT__COLD kt_status run_seen(kt_call *call)
{
    kt_span span = {.kind = KT_SPAN_CALL, .call = call};
    if (!kt__is_seen())
        return run_call(call);
    kt__tell_enter(&span);
    const kt_status status = run_call(call);
    kt__tell_leave(&span, status);
    return status;
}

KT__HOT kt_status kt_call_run(kt_call *call)
{
    if (KT__UNLIKELY(!call || !call->row))
        return kt_fail(KT_ERR_TYPE, "a call of no operator");
    return KT__UNLIKELY(kt__is_watching()) ? run_seen(call) : run_call(call);
}

void kt_call_free_list(kt_call *call)
{
    if (!call)
        return;
    for (int64_t i = 0; i < call->n_list; i++)
        kt__unref(call->list[i]);
    kt__system_put(call->list, (size_t)call->n_list * sizeof *call->list);
    call->list = NULL;
    call->n_list = 0;
}

/* ---- typed wrappers ---- */

/* A shorter struct lacks the last options; in a longer one unknown members must be zero. */
KT__COLD const void *kt__other_options(const void *opts, void *own, size_t known)
{
    enum { MOST = 4096 };
    const size_t size = *(const size_t *)opts;
    if (size < sizeof size || size > MOST) {
        kt_fail(KT_ERR_VALUE, "options: size is %zu: set it to the sizeof of the struct", size);
        return NULL;
    }
    memset(own, 0, known);
    memcpy(own, opts, size < known ? size : known);
    for (size_t i = known; i < size; i++)
        if (((const char *)opts)[i]) {
            kt_fail(KT_ERR_VALUE, "options: one is set that this version of Karat does not know");
            return NULL;
        }
    return own;
}

int64_t kt__close_list(kt_call *c, kt_tensor **results, int64_t room)
{
    if (kt__failed())
        return -1;
    if (!kt__is_list(room, results, sizeof *results)) {
        kt_fail(KT_ERR_VALUE, "%s: room for %lld tensors at %s", c->row->name, (long long)room, results ? "an address" : "NULL");
        return -1;
    }
    if (kt_call_run(c))
        return -1;
    int64_t n = c->n_list, given = 0;
    if (n > room)
        kt_fail(KT_ERR_VALUE, "%s gives %lld tensors, there is room for %lld", c->row->name, (long long)n,
                (long long)room);
    for (; given < n && !kt__failed(); given++) {
        if (kt__scope_add(c->list[given]))
            break;
        results[given] = kt__ref(c->list[given]); /* the scope's reference; the list's own is dropped below */
    }
    kt_call_free_list(c);
    return kt__failed() ? -1 : n;
}

void kt__close_several(kt_call *c, kt_tensor **results, int n)
{
    for (int i = 0; i < n; i++)
        c->out[i] = results[i];
    bool ran = !kt__failed() && !kt_call_run(c);
    for (int i = 0; i < n; i++)
        results[i] = ran ? c->out[i] : NULL;
    if (!ran)
        return;
    bool kept = true; /* all results enter the scope, or none is returned */
    for (int i = 0; i < n; i++)
        if (c->form == KT_OUT || kt__scope_add(c->out[i])) {
            kept &= c->form == KT_OUT;
            kt__unref(c->out[i]);
        }
    for (int i = 0; i < n && !kept; i++)
        results[i] = NULL;
}

kt_status kt__close_written(kt_call *c)
{
    if (kt__failed() || kt_call_run(c))
        return kt_error_status();
    kt_call_free_list(c);
    return KT_OK;
}

/* ---- calls from inside ---- */

kt_status kt__call1(int op, kt_tensor *a, kt_tensor **result)
{
    kt_call c;
    kt__open(&c, op, KT_PLAIN);
    kt__put_tensor(&c, 0, a);
    if (kt_call_run(&c))
        return kt_error_status();
    *result = c.out[0];
    return KT_OK;
}

kt_status kt__call2(int op, kt_tensor *a, kt_tensor *b, kt_tensor **result)
{
    kt_call c;
    kt__open(&c, op, KT_PLAIN);
    kt__put_tensor(&c, 0, a);
    kt__put_tensor(&c, 1, b);
    if (kt_call_run(&c))
        return kt_error_status();
    *result = c.out[0];
    return KT_OK;
}

kt_status kt__call2s(int op, kt_tensor *a, kt_scalar b, kt_tensor **result)
{
    kt_call c;
    kt__open(&c, op, KT_PLAIN);
    kt__put_tensor(&c, 0, a);
    kt__put_either(&c, 1, b);
    if (kt_call_run(&c))
        return kt_error_status();
    *result = c.out[0];
    return KT_OK;
}

/* ---- arguments ---- */

kt_status kt__wrap_dim(int64_t *dim, int64_t rank)
{
    int64_t n = rank ? rank : 1;
    if (*dim < -n || *dim >= n)
        return kt_fail(KT_ERR_INDEX, "Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)",
                       (long long)-n, (long long)n - 1, (long long)*dim);
    *dim += *dim < 0 ? n : 0;
    return KT_OK;
}

kt_status kt__arg_device(const kt_call *c, int i, kt_device *device)
{
    *device = kt__default_device(kt__given(c, i) ? c->arg[i].device : (kt_device){KT_DEVICE_DEFAULT, 0});
    return kt_device_check(*device);
}
