/* fills.c - see fills.h. Kernels that read an operand of any strides read the first bytes of the block again and again,
 * which stay in the caches; a copy to all of a block, or a fill, leaves nothing of it to write; other plans find it written. */
#include "cpu/fills.h"

#include "cpu/unaligned.h"
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
    const size_t      width = kt__dtype_rows[to->is].size;
    kt__late_fill     f = {to->data, (size_t)plan->numel * width, width, write_rest, {{0}}};
    if (!plan->contiguous || to->bits != 0 || f.bytes < KT__FILL_LEAST || f.bytes > KT__FILL_MOST)
        return build->bytes->fill(plan);
    memcpy(f.value.bytes, &e, sizeof e);
    const kt_status status = fill(f.block, KT__FILL_FIRST, &e);
    if (!status)
        kt__fill_note(&f);
    return status;
}

/* An elementwise kernel, for which one element of the input does. */
static bool takes_a_number(const kt_plan *plan) { return KT__FAMILY_OF(plan->kernel) < KT_FAMILY_elementwise_end; }

/* A kernel that reads lines of its inputs, wherever they are. */
static bool takes_lines(const kt_plan *plan)
{
    return plan->kernel == KT_K_softmax_backward || plan->kernel == KT_K_log_softmax_backward ||
           plan->kernel == KT_K_layer_norm_backward || plan->kernel == KT_K_rms_norm_backward;
}

/* Operand i reads the first bytes of its block, over and over, unless it sees parts of elements, or its lines are longer. A line
 * of adjacent elements stays one, so that the kernel makes its sums as it would have done. */
static bool repeat(kt_plan *plan, int i, const kt__late_fill *f)
{
    kt_operand   *o = &plan->arg[i];
    const int64_t item = kt__dtype_rows[o->is].size;
    const bool    lines = takes_lines(plan);
    int64_t       reach = item;
    for (int d = 0; lines && d < plan->nd; d++)
        if (plan->stride[i][d] == item && plan->size[d] * item > reach)
            reach = plan->size[d] * item;
    if ((size_t)item % f->width != 0 || (size_t)(o->data - f->block) % f->width != 0 || reach > KT__FILL_FIRST)
        return false;
    for (int d = plan->nd - 1; d >= 0; d--) {
        int64_t      *stride = &plan->stride[i][d];
        const int64_t more = (plan->size[d] - 1) * *stride;
        if (lines && *stride == item)
            continue;
        if (lines && *stride >= 0 && more <= KT__FILL_FIRST - reach)
            reach += more;
        else
            *stride = 0;
    }
    o->data = f->block;
    return true;
}

/* A plan that cannot fail writes all of the block, and reads nothing of it. Copies from unaligned memory may want memory. */
static bool overwrites(const kt_plan *plan, const kt__late_fill *f)
{
    const kt_operand *to = &plan->arg[0], *from = &plan->arg[1];
    if (!plan->contiguous || to->data != f->block || (size_t)plan->numel * kt__dtype_rows[to->is].size < f->bytes)
        return false;
    return plan->kernel == KT_K_fill || (plan->kernel == KT_K_copy && !kt__is_unaligned(plan) &&
                                         (uintptr_t)from->data - (uintptr_t)f->block >= f->bytes);
}

const kt_plan *kt__beside_fills(const kt_plan *plan, kt_plan *mine)
{
    const kt_plan *run = plan;
    for (int i = 0; i < plan->n_out + plan->n_in; i++) {
        kt__late_fill f;
        if (!kt__fill_may_have(plan->arg[i].data) || !kt__fill_find(plan->arg[i].data, &f))
            continue;
        const bool reads = i >= plan->n_out && (takes_a_number(plan) || takes_lines(plan));
        if (reads && run == plan)
            run = memcpy(mine, plan, sizeof *mine);
        if (reads && repeat(mine, i, &f))
            continue;
        if (i < plan->n_out && overwrites(plan, &f))
            kt__fill_forget(f.block);
        else
            kt__fill_write(f.block);
    }
    return run;
}
