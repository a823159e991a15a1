/* fills.c - see fills.h. Kernels that read an operand of any strides read the first bytes of the block again and again,
 * which stay in the caches; a copy to all of a block, or a fill, leaves nothing of it to write; other plans find it written. */
#include "cpu/fills.h"

#include "tables/kernels/copy.h"
#include "tables/kernels/families.h"
#include "tables/kernels/norm.h"
#include "tables/kernels/softmax.h"

#include <string.h>

typedef struct element {
    const kt__cpu_build *build;
    kt_scalar            value;
    uint8_t              is, as;
} element;
_Static_assert(sizeof(element) <= sizeof((kt__late_fill *)0)->value, "an element fits");

static kt_status fill(char *to, size_t bytes, const element *e)
{
    kt_plan plan;
    kt__plan_clear(&plan);
    plan.kernel = KT_K_fill, plan.compute = kt__dtype_rows[e->is].compute, plan.n_out = plan.n_param = plan.nd = 1;
    plan.contiguous = 1;
    plan.arg[0] = (kt_operand){.data = to, .is = e->is, .as = e->as};
    plan.param[0] = e->value;
    plan.stride[0][0] = kt__dtype_rows[e->is].size;
    plan.numel = plan.size[0] = (int64_t)bytes / plan.stride[0][0];
    return e->build->bytes->fill(&plan);
}

static void write_rest(const kt__late_fill *f)
{
    element e;
    memcpy(&e, f->value.bytes, sizeof e);
    fill(f->block + KT__FILL_FIRST, f->bytes - KT__FILL_FIRST, &e);
}

kt_status kt__fill_late(const kt__cpu_build *build, const kt_plan *plan)
{
    const kt_operand *to = &plan->arg[0];
    const element     e = {build, plan->param[0], to->is, to->as};
    kt__late_fill     f = {to->data, (size_t)plan->numel * kt__dtype_rows[to->is].size, write_rest, {{0}}};
    if (!plan->contiguous || to->bits != 0 || f.bytes < KT__FILL_LATER)
        return build->bytes->fill(plan);
    memcpy(f.value.bytes, &e, sizeof e);
    const kt_status status = fill(f.block, KT__FILL_FIRST, &e);
    if (!status)
        kt__fill_note(&f);
    return status;
}

/* Do the plan's kernels read an input at any strides? */
static bool reads_any_strides(const kt_plan *plan)
{
    const int family = KT__FAMILY_OF(plan->kernel);
    return family < KT_FAMILY_elementwise_end || plan->kernel == KT_K_softmax_backward ||
           plan->kernel == KT_K_log_softmax_backward || plan->kernel == KT_K_layer_norm_backward ||
           plan->kernel == KT_K_rms_norm_backward;
}

/* Operand i reads the first bytes of its block: the outer dims stay where they are. */
static void repeat(kt_plan *plan, int i, char *block)
{
    int64_t reach = kt__dtype_rows[plan->arg[i].is].size;
    plan->arg[i].data = block;
    for (int d = plan->nd - 1; d >= 0; d--) {
        const int64_t stride = plan->stride[i][d], more = (plan->size[d] - 1) * stride;
        if (stride < 0 || more > KT__FILL_FIRST - reach)
            plan->stride[i][d] = 0;
        else
            reach += more;
    }
}

static bool overwrites(const kt_plan *plan, const char *block, size_t bytes)
{
    const kt_operand *to = &plan->arg[0];
    if ((plan->kernel != KT_K_copy && plan->kernel != KT_K_fill) || !plan->contiguous || to->data != block)
        return false;
    const uintptr_t from = (uintptr_t)plan->arg[1].data;
    return (size_t)plan->numel * kt__dtype_rows[to->is].size >= bytes &&
           (plan->n_in == 0 || from - (uintptr_t)block >= bytes);
}

const kt_plan *kt__beside_fills(const kt_plan *plan, kt_plan *mine)
{
    const kt_plan *run = plan;
    for (int i = 0; i < plan->n_out + plan->n_in; i++) {
        size_t bytes;
        char  *block = kt__fill_may_have(plan->arg[i].data) ? kt__fill_block(plan->arg[i].data, &bytes) : NULL;
        if (!block)
            continue;
        if (i >= plan->n_out && reads_any_strides(plan)) {
            if (run == plan)
                run = memcpy(mine, plan, sizeof *mine);
            repeat(mine, i, block);
        } else if (i < plan->n_out && overwrites(plan, block, bytes)) {
            kt__fill_forget(block);
        } else {
            kt__fill_write(block);
        }
    }
    return run;
}
