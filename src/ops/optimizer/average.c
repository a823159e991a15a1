/* average.c - averages of weights along a training: exponential, or of all that came so far.
 *
 * In: calls of the rows _ema_* and _swa_*. Out: averages; in lists, written in place. Independent of: which weights they are. */
#include "call/made.h"
#include "call/move.h"

static bool takes_lerp(const kt_tensor *t)
{
    return kt__dtype_rows[t->dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX);
}

static kt_tensor *blend(kt_tensor *average, kt_tensor *current, double decay)
{
    return kt_add_(kt_mul_s(average, KT_FLOAT(decay)), current, .alpha = KT_FLOAT(1 - decay));
}

static kt_status check_lists(const kt_call *call)
{
    if (call->arg[0].ts.n != call->arg[1].ts.n)
        return kt_fail(KT_ERR_RUNTIME, "Tensor lists must have the same number of tensors, got %lld and %lld",
                       (long long)call->arg[0].ts.n, (long long)call->arg[1].ts.n);
    return KT_OK;
}

/* The first tensor says whether the list is of floats. */
kt_status kt__body_ema_update(kt_call *call)
{
    kt_tensor *const *averages = call->arg[0].ts.t, *const *currents = call->arg[1].ts.t;
    const int64_t     n = call->arg[0].ts.n;
    const double      decay = kt__arg(call, 2)->f;
    kt_status         status = check_lists(call);
    if (!status && n && takes_lerp(averages[0]))
        return kt__list_done(call, kt_foreach_lerp_(averages, n, currents, n, KT_FLOAT(1 - decay)));
    for (int64_t i = 0; i < n && !status; i++) {
        KT_SCOPE;
        kt_tensor *moved = takes_lerp(averages[i]) ? kt_lerp_s(averages[i], currents[i], KT_FLOAT(1 - decay))
                                                   : blend(averages[i], currents[i], decay);
        status = kt_copy_(averages[i], moved) ? KT_OK : kt_error_status();
    }
    return kt__list_done(call, status);
}

/* Integers are refused by the operators that PyTorch's formula has. */
static kt_status move_integers(kt_tensor *average, kt_tensor *current, double count, bool of_tensor)
{
    KT_SCOPE;
    kt_tensor *difference = kt_sub(current, average), *moved;
    if (of_tensor)
        moved = kt_addcdiv_(average, difference, kt_full(KT_SCALAR, KT_INT((int64_t)count + 1), .device = kt_device_of(average)));
    else
        moved = kt_add_(average, difference, .alpha = KT_FLOAT(1 / (count + 1)));
    return moved ? KT_OK : kt_error_status();
}

kt_status kt__body_swa_update(kt_call *call)
{
    kt_tensor *const *averages = call->arg[0].ts.t, *const *currents = call->arg[1].ts.t;
    const int64_t     n = call->arg[0].ts.n;
    const double      count = kt__arg(call, 2)->f;
    const bool        of_tensor = kt__arg_bool(call, 3);
    kt_status         status = check_lists(call);
    if (!status && n && takes_lerp(averages[0])) {
        const double share = of_tensor ? (double)(1 / (float)(count + 1)) : 1 / (count + 1);
        return kt__list_done(call, kt_foreach_lerp_(averages, n, currents, n, KT_FLOAT(share)));
    }
    for (int64_t i = 0; i < n && !status; i++)
        status = move_integers(averages[i], currents[i], count, of_tensor);
    return kt__list_done(call, status);
}

kt_status kt__body_ema_average(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, blend(call->arg[0].t, call->arg[1].t, kt__arg(call, 2)->f));
}

kt_status kt__body_swa_average(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *average = call->arg[0].t, *difference = kt_sub(call->arg[1].t, average), *share;
    if (call->scalars >> 2 & 1)
        share = kt_true_divide_s(difference, KT_FLOAT(kt__as_double(call->arg[2].s) + 1));
    else
        share = kt_true_divide(difference, kt_add_s(call->arg[2].t, KT_INT(1)));
    return kt__end(call, kt_add(share, average));
}
