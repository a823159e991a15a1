/* work.c - see work.h. */
#include "tensor/work.h"

#include <sched.h>

#include "base/error.h"

static const kt_work_lock *lock; /* the binding's, set once; atomic */

kt_status kt_work_register(const kt_work_lock *given)
{
    const kt_work_lock *known = NULL;
    if (!given || given->abi != KT_WORK_ABI || given->size < sizeof *given)
        return kt_fail(KT_ERR_RUNTIME, "a lock of abi %d is needed, this one has %u", KT_WORK_ABI,
                       given ? (unsigned)given->abi : 0u);
    if (!__atomic_compare_exchange_n(&lock, &known, given, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) && known != given)
        return kt_fail(KT_ERR_RUNTIME, "there is a lock already");
    return KT_OK;
}

void *kt__open_lock(kt_work why)
{
    const kt_work_lock *bindings = __atomic_load_n(&lock, __ATOMIC_ACQUIRE);
    return bindings ? bindings->open(why) : NULL;
}

void kt__shut_lock(void *opened)
{
    if (opened)
        __atomic_load_n(&lock, __ATOMIC_ACQUIRE)->shut(opened);
}

void kt__wait_turn(void)
{
    void *opened = kt__open_lock(KT_WORK_OTHERS);
    sched_yield();
    kt__shut_lock(opened);
}
