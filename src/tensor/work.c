/* work.c - see work.h. */
#include "tensor/work.h"

#include <karat/plugin/work.h>
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

static kt_status run(kt_backend *backend, const kt_plan *plan, kt_generator *draws)
{
    if (!draws)
        return backend->run(backend, plan);
    kt__rng_lock(draws);
    kt_status status = backend->run(backend, plan);
    kt__rng_unlock(draws);
    return status;
}

kt_status kt__run_open(kt_backend *backend, const kt_plan *plan, kt_generator *draws)
{
    const kt_work_lock *bindings = __atomic_load_n(&lock, __ATOMIC_ACQUIRE);
    void               *opened = bindings ? bindings->open(false) : NULL;
    kt_status           status = run(backend, plan, draws);
    if (opened)
        bindings->shut(opened);
    return status;
}

void kt__wait_turn(void)
{
    const kt_work_lock *bindings = __atomic_load_n(&lock, __ATOMIC_ACQUIRE);
    void               *opened = bindings ? bindings->open(true) : NULL;
    sched_yield();
    if (opened)
        bindings->shut(opened);
}
