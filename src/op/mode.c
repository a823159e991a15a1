/* mode.c - policy, grad mode and their guards. */
#include "op/mode.h"

#include <karat/plugin/call.h>

#include <stdatomic.h>
#include <string.h>

#include "base/env.h"

KT__HOT_LOCAL uint64_t  kt__mode_word;
static _Atomic uint64_t process_default = KT_TORCH | KT_M_GRAD;

static const char *const names[] = {"strict", "safe", "torch", "permissive"};

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
        kt_fail(KT_ERR_VALUE, "there is no policy %d: kt_set_policy takes KT_STRICT, KT_SAFE, KT_TORCH or KT_PERMISSIVE",
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
