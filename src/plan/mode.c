/* mode.c - policy, grad mode, the state of autocast, and their guards. */
#include "plan/mode.h"

#include <karat/plugin/call.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"

KT__HOT_LOCAL uint64_t  kt__mode_word;
static _Atomic uint64_t process_default = KT_TORCH | KT_M_GRAD;

static const char *const names[] = {
    [KT_STRICT] = "strict", [KT_SAFE] = "safe", [KT_TORCH] = "torch", [KT_PERMISSIVE] = "permissive",
};

uint64_t kt__mode_start(void)
{
    if (!(kt__mode_word & KT_M_READY))
        kt__mode_word = atomic_load(&process_default) | KT_M_READY;
    return kt__mode_word;
}

void kt__modes_init(void)
{
    const char *wanted = kt__env("KARAT_POLICY");
    if (wanted)
        atomic_store(&process_default, (uint64_t)kt_policy_find(wanted) | KT_M_GRAD);
}

const char *kt_policy_name(kt_policy policy) { return (unsigned)policy < 4 ? names[policy] : "?"; }

int kt_policy_find(const char *name)
{
    for (int i = 0; name && i < 4; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

kt_policy kt_get_policy(void) { return kt__policy(kt__mode()); }
void kt_set_policy(kt_policy policy)
{
    if ((unsigned)policy > KT_PERMISSIVE)
        kt_fail(KT_ERR_VALUE, "unknown policy %d: kt_set_policy takes KT_STRICT, KT_SAFE, KT_TORCH or KT_PERMISSIVE",
                (int)policy);
    else
        kt__mode_word = (kt__mode() & ~(uint64_t)KT_M_POLICY) | (uint64_t)policy;
}
bool kt_grad_enabled(void) { return (kt__mode() & KT_M_GRAD) != 0; }

void kt_set_grad_enabled(bool on) { kt__mode_word = on ? kt__mode() | KT_M_GRAD : kt__mode() & ~(uint64_t)KT_M_GRAD; }

kt_mode_guard kt_policy_open(kt_policy policy)
{
    kt_mode_guard g = {kt__mode()};
    kt_set_policy(policy);
    return g;
}

kt_mode_guard kt_no_grad_open(void)
{
    kt_mode_guard g = {kt__mode()};
    kt_set_grad_enabled(false);
    return g;
}

void kt_mode_close(kt_mode_guard *guard)
{
    if (guard)
        kt__mode_word = guard->saved;
}

bool kt_may_require_grad(kt_dtype dtype)
{
    const int may = KT_CAT_FLOAT | KT_CAT_COMPLEX | (kt_get_policy() == KT_PERMISSIVE ? KT_CAT_INT : 0);
    return kt_dtype_category(dtype) & may;
}

/* ---- the state of autocast ---- */

kt__autocast_state     kt__autocast_states[KT__MOST_STATES]; /* the first is that of a new thread */
static int             n_states = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int interned(const kt__autocast_state *s)
{
    pthread_mutex_lock(&lock);
    int id = 0;
    while (id < n_states && memcmp(&kt__autocast_states[id], s, sizeof *s) != 0)
        id++;
    if (id == n_states && n_states < KT__MOST_STATES)
        kt__autocast_states[n_states++] = *s;
    pthread_mutex_unlock(&lock);
    return id < KT__MOST_STATES ? id : -1;
}

const uint8_t *kt__autocast_classes[KT__MOST_STATES];
static int     n_classes = 1; /* the first is the table's */

static const kt__autocast_state *state_of(uint64_t mode) { return &kt__autocast_states[(mode & KT_M_STATE) >> 8]; }

static kt_status enter_state(const kt__autocast_state *s)
{
    const int id = interned(s);
    if (id < 0)
        return kt_fail(KT_ERR_RUNTIME, "autocast: more than %d different settings in one process", KT__MOST_STATES);
    kt__mode_word = kt__without_autocast(kt__mode()) | (uint64_t)id << 8 | (s->on ? KT_M_AUTOCAST : 0);
    return KT_OK;
}

kt_status kt__use_autocast_classes(uint8_t *classes)
{
    kt__autocast_state s = *state_of(kt__mode());
    pthread_mutex_lock(&lock);
    const int id = n_classes < KT__MOST_STATES ? n_classes++ : 0;
    if (id)
        kt__autocast_classes[id] = classes;
    pthread_mutex_unlock(&lock);
    if (!id) {
        free(classes);
        return kt_fail(KT_ERR_RUNTIME, "autocast: more than %d changes of classes in one process", KT__MOST_STATES);
    }
    s.classes = (uint16_t)id;
    return enter_state(&s);
}

static kt_status check_kind(kt_device_kind kind)
{
    const bool known = kind == KT_CUDA || (kind != KT_META && kt__backend((int)kind)); /* meta tensors may stand for CUDA's */
    return known
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "unknown device type for autocast in get_autocast_dispatch_key_from_device_type");
}

static void stand_for(kt__autocast_state *s, int kind)
{
    const uint16_t bit = 1u << KT_META;
    s->meta = (uint16_t)kind;
    s->on = (uint16_t)(kind ? s->on | bit : s->on & ~bit);
}

kt_dtype kt__lower_dtype(uint64_t mode, int kind)
{
    const kt_dtype said = (kt_dtype)state_of(mode)->dtype[kind];
    return said ? said : kind == KT_CPU ? KT_BF16 : KT_F16;
}

bool kt_autocast_enabled(kt_device_kind kind) { return !check_kind(kind) && state_of(kt__mode())->on >> (int)kind & 1; }

kt_status kt_set_autocast_enabled(kt_device_kind kind, bool on)
{
    if (check_kind(kind))
        return kt_error_status();
    kt__autocast_state s = *state_of(kt__mode());
    const uint16_t     bit = (uint16_t)(1u << (int)kind);
    s.on = (uint16_t)(on ? s.on | bit : s.on & ~bit);
    if (on || s.meta == (int)kind)
        stand_for(&s, on ? (int)kind : 0);
    return enter_state(&s);
}

kt_device_kind kt_autocast_meta(void) { return (kt_device_kind)state_of(kt__mode())->meta; }

kt_status kt_set_autocast_meta(kt_device_kind kind)
{
    if (kind != KT_DEVICE_DEFAULT && check_kind(kind))
        return kt_error_status();
    kt__autocast_state s = *state_of(kt__mode());
    stand_for(&s, (int)kind);
    return enter_state(&s);
}

kt_dtype kt_autocast_dtype(kt_device_kind kind) { return check_kind(kind) ? KT_NONE : kt__lower_dtype(kt__mode(), (int)kind); }

kt_status kt_set_autocast_dtype(kt_device_kind kind, kt_dtype dtype)
{
    if (check_kind(kind))
        return kt_error_status();
    if (!kt__dtype_valid(dtype))
        return kt_fail(KT_ERR_TYPE, "there is no dtype %d", (int)dtype);
    kt__autocast_state s = *state_of(kt__mode());
    s.dtype[kind] = (uint8_t)dtype;
    return enter_state(&s);
}

bool kt_autocast_cache_enabled(void) { return !(kt__mode() & KT_M_NO_CAST_CACHE); }

void kt_set_autocast_cache_enabled(bool on)
{
    kt__mode_word = on ? kt__mode() & ~(uint64_t)KT_M_NO_CAST_CACHE : kt__mode() | KT_M_NO_CAST_CACHE;
}

bool kt_autocast_is_on(void) { return kt__mode() & KT_M_AUTOCAST; }

kt_mode_guard kt_autocast_lower_to(kt_dtype dtype)
{
    const kt_mode_guard g = {kt__mode()};
    kt__autocast_state  s = *state_of(g.saved);
    if (!kt__dtype_valid(dtype)) {
        kt_fail(KT_ERR_TYPE, "there is no dtype %d", (int)dtype);
        return g;
    }
    for (int kind = 0; kind < KT_MAX_BACKENDS; kind++)
        if (s.on >> kind & 1 || (s.meta && s.meta == kind))
            s.dtype[kind] = (uint8_t)dtype;
    if (s.on)
        enter_state(&s);
    return g;
}

/* A refusal leaves the mode as it was; the guard is to be closed all the same. */
kt_mode_guard kt_autocast_open(kt_device_kind kind, kt_dtype dtype)
{
    kt_mode_guard g = {kt__mode()};
    kt_autocast_enter();
    if (dtype == KT_NONE || !kt_set_autocast_dtype(kind, dtype))
        kt_set_autocast_enabled(kind, true);
    return g;
}

kt_mode_guard kt_autocast_open_everywhere(kt_dtype dtype)
{
    const kt_mode_guard g = {kt__mode()};
    kt__autocast_state  s = *state_of(g.saved);
    kt_autocast_enter();
    if (dtype != KT_NONE && !kt__dtype_valid(dtype)) {
        kt_fail(KT_ERR_TYPE, "there is no dtype %d", (int)dtype);
        return g;
    }
    for (int kind = 0; kind < KT_MAX_BACKENDS; kind++)
        if (kind != KT_META && kt__backend(kind)) {
            s.on = (uint16_t)(s.on | 1u << kind);
            s.dtype[kind] = (uint8_t)dtype;
        }
    stand_for(&s, kt__backend(KT_CUDA) ? KT_CUDA : KT_CPU);
    enter_state(&s);
    return g;
}

void kt_autocast_close(kt_mode_guard *guard)
{
    if (!guard)
        return;
    kt_autocast_leave();
    kt_mode_close(guard);
}
