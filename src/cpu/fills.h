/* fills.h - plans beside blocks that are filled late (base/fills.h). In: plans. Out: their results. */
#ifndef KT_CPU_FILLS_H
#define KT_CPU_FILLS_H

#include "base/fills.h"
#include "cpu/kernels.h"

/* Fills a new block, or notes that it is to be filled. The plan's output is all of it, and nobody else has its address. */
kt_status kt__fill_late(const kt__cpu_build *build, const kt_plan *plan);

/* Makes sure that the plan's kernel finds its operands. The result is the plan, or *mine: the same with operands that repeat the
 * first bytes of their block. */
const kt_plan *kt__beside_fills(const kt_plan *plan, kt_plan *mine);

static inline bool kt__meets_fills(const kt_plan *plan) /* false: no operand is in such a block; an immediate has no address */
{
    for (int i = 0; i < plan->n_out + plan->n_in; i++)
        if (kt__fill_may_have(plan->arg[i].data))
            return true;
    return false;
}

#endif
