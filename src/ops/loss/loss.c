/* loss.c - see loss.h. In: arguments of losses. Out: how to reduce, or PyTorch's words. */
#include "ops/loss/loss.h"

#include <string.h>

/* size_average= and reduce= override reduction= if given. */
bool kt__reduction_old(const kt_call *call, kt__reduction_args at)
{
    return at.size_average >= 0 && (kt__given(call, at.size_average) || kt__given(call, at.reduce));
}

static const char *old_words(const kt_call *call, kt__reduction_args at)
{
    if (!kt__reduction_old(call, at))
        return NULL;
    const bool  average = !kt__given(call, at.size_average) || call->arg[at.size_average].b;
    const bool  folds = !kt__given(call, at.reduce) || call->arg[at.reduce].b;
    const char *word = !folds ? "none" : average ? "mean" : "sum";
    kt__warn("size_average and reduce args will be deprecated, please use reduction='%s' instead.", word);
    return word;
}

kt_status kt__reduction_of(const kt_call *call, kt__reduction_args at, kt__reduction *how)
{
    static const char *const words[] = {[REDUCE_NONE] = "none", [REDUCE_MEAN] = "mean", [REDUCE_SUM] = "sum"};
    const char *word = old_words(call, at);
    word = word ? word : kt__arg(call, at.reduction)->str;
    for (int i = REDUCE_NONE; i <= REDUCE_SUM; i++)
        if (word && strcmp(word, words[i]) == 0) {
            *how = (kt__reduction)i;
            return KT_OK;
        }
    if (word && strcmp(word, "elementwise_mean") == 0) {
        kt__warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.");
        *how = REDUCE_MEAN;
        return KT_OK;
    }
    return kt_fail(KT_ERR_VALUE, "%s is not a valid value for reduction", word ? word : "None");
}

kt_status kt__check_reduction(int64_t given)
{
    return given >= REDUCE_NONE && given <= REDUCE_SUM
               ? KT_OK
               : kt_fail(KT_ERR_VALUE, "reduction is 0 (none), 1 (mean) or 2 (sum), not %lld", (long long)given);
}

kt_tensor *kt__reduced(kt_tensor *loss, kt__reduction how)
{
    return how == REDUCE_NONE ? loss : how == REDUCE_SUM ? kt_sum(loss) : kt_mean(loss);
}

bool kt__wants_slope(const kt_tensor *t)
{
    return t && kt__mode() & KT_M_GRAD && kt__all_grad_flags(t) & KT_T_REQUIRES_GRAD;
}

kt_status kt__no_slope(const kt_tensor *t, const char *function, const char *argument)
{
    if (!kt__wants_slope(t))
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME,
                   "The function '%s' is not differentiable with respect to argument '%s'. This input cannot have requires_grad "
                   "True.",
                   function, argument);
}
