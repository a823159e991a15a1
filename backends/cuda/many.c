/* many.c - plans of norms and of copies, each over a tensor of its own, together: gradients that are clipped, tensors that are
 * joined.
 *
 * In: packed plans that do not touch each other's results. Out: two launches for the first norms that are alike, one for copies.
 * Independent of: what a norm is, dtypes of copies. */
#include <math.h>
#include <string.h>

#include "parts.h"

static kt_kernel_id norm;

void many_open(void) { norm = host->kernel("norm"); }

/* An operand whose elements lie side by side. */
static bool is_dense(const kt_plan *plan, int at, int width)
{
    const kt_operand *x = &plan->arg[at];
    bool              dense = !x->bits && !x->immediate;
    int64_t           step = width;
    for (int d = plan->nd - 1; d >= 0; d--) {
        dense &= plan->size[d] == 1 || plan->stride[at][d] == step;
        step *= plan->size[d];
    }
    return dense;
}

/* ---- norms ---- */
typedef struct gathered_norms {
    norms_args g;
    int        kind, is;
} gathered_norms;

bool is_many_norms(const kt_plan *head) { return head->kernel == norm && head->compute == KT_IN_F32; }

static int kind_of(double p) { return p == 1 ? NORMS_1 : p == 2 ? NORMS_2 : p == INFINITY ? NORMS_LARGEST : NORMS_KINDS; }
static int of_dtype(int is) { return is == KT_F32 ? 0 : is == KT_BF16 ? 1 : is == KT_F16 ? 2 : -1; }

static void add_tensor(norms_args *g, const kt_plan *head)
{
    const uint32_t at = g->count++;
    g->n[at] = (uint64_t)head->numel;
    g->in[at] = head->arg[1].data;
    g->out[at] = head->arg[0].data;
}

static bool is_aligned_to_vectors(const kt_plan *head)
{
    return is_aligned(head->arg[1].data, width_of(head->arg[1].is) * NORMS_VECTOR);
}

static bool add_like_norm(void *list, const kt_plan *head, const kt_plan *before)
{
    gathered_norms *l = list;
    (void)before;
    if (!is_aligned_to_vectors(head) || head->nd > 1)
        return false;
    add_tensor(&l->g, head);
    return true;
}

static bool add_norm(void *list, const kt_plan *plan)
{
    gathered_norms  *l = list;
    const kt_operand *out = &plan->arg[0], *in = &plan->arg[1];
    const int        kind = plan->n_param ? kind_of(number_of(&plan->param[0])) : NORMS_KINDS;
    bool             good = plan->n_out == 1 && plan->n_in == 1 && kind != NORMS_KINDS;
    good = good && of_dtype(in->is) >= 0 && in->as == KT_F32 && is_dense(plan, 1, width_of(in->is));
    good = good && is_aligned_to_vectors(plan) && !out->bits && of_dtype(out->is) >= 0;
    for (int d = 0; d < plan->nd; d++)
        good &= plan->stride[0][d] == 0 || plan->size[d] == 1;
    if (!good || (l->g.count && (kind != l->kind || in->is != l->is || out->is != l->g.out_is)))
        return false;
    l->kind = kind, l->is = in->is, l->g.out_is = out->is;
    add_tensor(&l->g, plan);
    return true;
}

static kt_status launch_norms_of(void *list, const kt_plan *plan)
{
    gathered_norms      *l = list;
    norms_args          *g = &l->g;
    const norms_kernels *k = &norms_table[l->kind];
    void                *states = NULL;
    size_t               granted = 0;
    g->blocks = (uint32_t)cut_list(g->n, g->count, ARG_THREADS * NORMS_VECTOR * 4, &g->chunk, g->first_block);
    kt_status status = memory_alloc(NULL, plan->device_index, plan->stream, (size_t)g->blocks * k->state, &states, &granted);
    g->states = states;
    if (!status)
        status = launch_wide(k->fold[of_dtype(l->is)], g->blocks, g, plan->device_index, plan->stream, false);
    if (!status)
        status = launch_wide(k->end, g->count, g, plan->device_index, plan->stream, !captures_run());
    if (states)
        memory_free(NULL, plan->device_index, states, granted);
    return status;
}

kt_status launch_many_norms(const void *plans, int64_t n, int64_t *taken)
{
    static const gatherer how = {LIST_MOST, is_many_norms, add_like_norm, add_norm, launch_norms_of};
    gathered_norms        l;
    l.g.count = 0;
    return gather(&how, &l, plans, n, taken);
}

/* ---- copies ---- */
bool is_many_copies(const kt_plan *head)
{
    return head->kernel == copy_kernel && head->n_in == 1 && head->arg[0].is == head->arg[1].is &&
           head->arg[0].as == head->arg[0].is && head->arg[1].as == head->arg[1].is;
}

static void add_bytes(copies_args *g, const kt_plan *head)
{
    const uint32_t at = g->count++;
    g->bytes[at] = (uint64_t)(head->numel * width_of(head->arg[0].is));
    g->from[at] = head->arg[1].data;
    g->to[at] = head->arg[0].data;
}

static bool add_like_copy(void *list, const kt_plan *head, const kt_plan *before)
{
    (void)before;
    if (head->nd > 1)
        return false;
    add_bytes(list, head);
    return true;
}

static bool add_copy(void *list, const kt_plan *plan)
{
    const int width = width_of(plan->arg[0].is);
    if (!is_dense(plan, 0, width) || !is_dense(plan, 1, width))
        return false;
    add_bytes(list, plan);
    return true;
}

static kt_status launch_copies_of(void *list, const kt_plan *plan)
{
    copies_args *g = list;
    uint64_t     blocks = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        g->first_block[i] = (uint32_t)blocks;
        blocks += blocks_of(g->bytes[i], COPIES_CHUNK);
    }
    return blocks > INT32_MAX ? KT_DECLINED
                              : launch_wide(copies_kernel, blocks, g, plan->device_index, plan->stream, !captures_run());
}

kt_status launch_many_copies(const void *plans, int64_t n, int64_t *taken)
{
    static const gatherer how = {LIST_MOST, is_many_copies, add_like_copy, add_copy, launch_copies_of};
    copies_args           g;
    g.count = 0;
    return gather(&how, &g, plans, n, taken);
}
