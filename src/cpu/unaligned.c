/* unaligned.c - operands in unaligned foreign memory: a NumPy array, a buffer, a DLPack capsule or kt_wrap may begin at
 * any byte, and is still shared.
 *
 * In: plans. Out: their results, computed by the same kernels on aligned copies of such operands; outputs are copied back
 * if the kernel succeeded. Independent of: what a kernel calculates. */
#include "cpu/unaligned.h"

#include "base/alloc.h"
#include "base/error.h"
#include "tables/kernels/copy.h"

/* Kernels load at most 8 bytes at a time as one number; strides are multiples of an element's size. */
static bool is_odd(const kt_operand *o)
{
    const uintptr_t size = kt__dtype_rows[o->is].size, unit = size < 8 ? size : 8;
    return !o->immediate && (uintptr_t)o->data & (unit - 1);
}

/* Indexing and searching address memory beyond the plan's dims; they and plain copies move elements as bytes. */
static bool moves_bytes(const kt_plan *plan)
{
    const kt_operand *to = &plan->arg[0], *from = &plan->arg[1];
    if (plan->kernel == KT_K_copy)
        return to->is == from->is && to->as == to->is && from->as == from->is && !from->bits && !from->immediate;
    return KT__FAMILY_OF(plan->kernel) == KT_FAMILY_index || KT__FAMILY_OF(plan->kernel) == KT_FAMILY_search;
}

bool kt__is_unaligned(const kt_plan *plan)
{
    for (int i = 0; i < plan->n_out + plan->n_in; i++)
        if (is_odd(&plan->arg[i]))
            return !moves_bytes(plan);
    return false;
}

/* A plan that copies operand i to dense memory, and the operand's new strides: dims of stride 0 are not copied and keep
 * stride 0. */
static void lay_out(kt_plan *plan, int i, kt_plan *in)
{
    const uint8_t is = plan->arg[i].is;
    int64_t       step = kt__dtype_rows[is].size;
    kt__plan_clear(in);
    in->kernel = KT_K_copy, in->compute = plan->compute, in->n_out = in->n_in = 1, in->numel = 1;
    in->arg[0] = in->arg[1] = (kt_operand){.is = is, .as = is};
    for (int d = 0; d < plan->nd; d++)
        if (plan->stride[i][d] != 0) {
            in->size[in->nd] = plan->size[d];
            in->stride[1][in->nd++] = plan->stride[i][d];
        }
    for (int d = plan->nd - 1, at = in->nd; d >= 0; d--)
        if (plan->stride[i][d] != 0) {
            in->stride[0][--at] = plan->stride[i][d] = step;
            step *= plan->size[d];
            in->numel *= plan->size[d];
        }
    in->arg[1].data = plan->arg[i].data;
}

static void turn_round(kt_plan *copy)
{
    char *to = copy->arg[0].data;
    copy->arg[0].data = copy->arg[1].data;
    copy->arg[1].data = to;
    for (int d = 0; d < copy->nd; d++) {
        const int64_t stride = copy->stride[0][d];
        copy->stride[0][d] = copy->stride[1][d];
        copy->stride[1][d] = stride;
    }
}

/* Operand by operand; the copies of all live until the kernel, called innermost, has run. */
static kt_status run_from(const kt__cpu_build *build, kt_plan *plan, int i)
{
    while (i < plan->n_out + plan->n_in && !is_odd(&plan->arg[i]))
        i++;
    if (i == plan->n_out + plan->n_in)
        return kt__cpu_run_with(build, plan);
    kt_plan copy;
    lay_out(plan, i, &copy);
    size_t       granted = 0;
    const size_t bytes = (size_t)copy.numel * kt__dtype_rows[copy.arg[0].is].size;
    copy.arg[0].data = kt__block_get(bytes, &granted);
    if (!copy.arg[0].data)
        return kt__fail_memory(bytes);
    void     *piece = plan->arg[i].data = copy.arg[0].data;
    kt_status status = copy.numel ? build->bytes->copy(&copy) : KT_OK;
    if (!status)
        status = run_from(build, plan, i + 1);
    if (!status && i < plan->n_out && copy.numel) {
        turn_round(&copy);
        status = build->bytes->copy(&copy);
    }
    kt__block_put(piece, granted);
    return status;
}

kt_status kt__run_aligned(const kt__cpu_build *build, const kt_plan *plan)
{
    kt_plan mine = *plan;
    return run_from(build, &mine, 0);
}
