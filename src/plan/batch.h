/* batch.h - many plans as one piece of work: what a list operator makes of a list of tensors.
 *
 * In: plans, each with the tensor on whose device it runs. Out: all have run, as if launched one after the other. Tensors of a
 * list are often small: threads share them out as whole plans, and a device takes several in one launch (kt_backend.run_list),
 * where no plan writes what another touches. Independent of: operators, kernels, what a plan computes. */
#ifndef KT_PLAN_BATCH_H
#define KT_PLAN_BATCH_H

#include "plan/launch.h"

typedef struct kt__batch {
    struct kt__batched *item;
    int64_t             n, room;
    int64_t             expected; /* plans that will be added, about; 0: not known */
    char               *packed; /* the plans, one behind the other (kt_plan_pack) */
    size_t              used, bytes;
    const char         *shared; /* a place that every plan may write the same value to, or leave; NULL: none */
} kt__batch; /* zeros: an empty one */

/* Adds a copy of the plan. `on`, its first output, is the caller's, and must outlive the batch. */
kt_status kt__batch_add(kt__batch *batch, const kt_plan *plan, kt_tensor *on);
/* Runs and removes what was added. After an error nothing that was added later than the failed plan need have run. */
kt_status kt__batch_run(kt__batch *batch);
void      kt__batch_free(kt__batch *batch);

#endif
