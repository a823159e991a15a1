/* loss.c - see loss.h. In: arguments of losses. Out: how to reduce, or PyTorch's words. */
#include "op/loss.h"

#include <string.h>

/* The old booleans speak before the string. Neither given: the string holds. */
static const char *old_words(const kt_call *call, int size_average)
{
    const int  reduce = size_average + 1;
    const bool average = !kt__given(call, size_average) || call->arg[size_average].b;
    const bool folds = !kt__given(call, reduce) || call->arg[reduce].b;
    if (!kt__given(call, size_average) && !kt__given(call, reduce))
        return NULL;
    const char *word = !folds ? "none" : average ? "mean" : "sum";
    kt__warn("size_average and reduce args will be deprecated, please use reduction='%s' instead.", word);
    return word;
}

kt_status kt__reduction_of(const kt_call *call, int size_average, int reduction, kt__reduction *how)
{
    static const char *const words[] = {"none", "mean", "sum"};
    const char *word = size_average < 0 ? NULL : old_words(call, size_average);
    word = word ? word : kt__arg(call, reduction)->str;
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
