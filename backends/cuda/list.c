/* list.c - plans of one elementwise row, each over a tensor of its own, in one launch: what a list of parameters takes of the
 * host is then one launch's time, and small tensors fill the device together.
 *
 * In: packed plans that do not touch each other's results. Out: a launch of the first that are alike: the same row, dtypes and
 * kinds of operands. Independent of: what a row calculates. */
#include <stdlib.h>
#include <string.h>

#include "parts.h"

enum { BLOCKS = 2048, MOST_TIMES = 16 }; /* blocks that fill a device; vectors of a thread, at most */

static const list_kernel **lists; /* by kernel id, in compute type float32 */

kt_status list_open(void)
{
    many_open();
    if (!(lists = calloc(host->kernels, sizeof *lists)))
        return host->fail(KT_ERR_MEMORY, "no memory for the table of kernels");
    for (const list_kernel *row = lists_f32.row; row->name; row++)
        if (row->kernel)
            lists[host->kernel(row->name)] = row;
    return KT_OK;
}

/* ---- packed plans (kt_plan_parts) as they stand: to unpack each would take as long as all else ---- */

/* Fields before `arg`, and the operands that it has, stand where a plan has them. */
static const kt_plan *head_of(const char *packed) { return (const kt_plan *)packed; }

/* Are they the same but for addresses and sizes? */
static bool plans_alike(const char *a, const char *b)
{
    const kt_plan *x = head_of(a), *y = head_of(b);
    const size_t   n = (size_t)(x->n_out + x->n_in), row = x->nd * sizeof x->size[0];
    const size_t   at = offsetof(kt_plan, arg) + n * sizeof x->arg[0];
    const size_t   values = x->n_param * sizeof x->param[0] + n * sizeof x->imm[0], strides = at + values + row;
    bool alike = x->kernel == y->kernel && x->compute == y->compute && x->n_out == y->n_out && x->n_in == y->n_in &&
                 x->n_param == y->n_param && x->nd == y->nd && x->contiguous == y->contiguous;
    for (size_t i = 0; alike && i < n; i++)
        alike = memcmp(&x->arg[i].is, &y->arg[i].is, sizeof x->arg[i] - offsetof(kt_operand, is)) == 0;
    return alike && memcmp(a + at, b + at, values) == 0 && memcmp(a + strides, b + strides, n * row) == 0;
}

/* ---- lists of other kernels: steps and chains ---- */
kt_status gather(const gatherer *how, void *list, const void *plans, int64_t n, int64_t *taken)
{
    const char *at = plans, *before = NULL; /* before: the plan that was added last */
    int64_t     count = 0;
    kt_plan     plan;
    *taken = 0;
    for (int64_t i = 0; i < n && count < how->most; i++) {
        const kt_plan *head = head_of(at);
        const char    *here = at;
        at += kt_plan_bytes(head);
        if (!how->serves(head))
            break;
        if (head->numel) {
            /* Of one element strides say nothing: such a plan may be dense where larger ones are not. */
            const bool like = before && (head->numel > 1) == (head_of(before)->numel > 1) && plans_alike(here, before) &&
                              how->add_like(list, head, head_of(before));
            if (!like)
                kt_plan_unpack(&plan, here);
            if (!like && !how->add(list, &plan))
                break;
            before = here;
            count++;
        }
        *taken = i + 1;
    }
    if (!count)
        return KT_OK;
    kt_status status = fault_take(plan.device_index);
    if (!status)
        status = use_device(plan.device_index);
    if (!status)
        status = how->launch(list, &plan);
    if (status == KT_DECLINED)
        *taken = 0;
    return status == KT_DECLINED ? KT_OK : status;
}

uint64_t cut_list(const uint64_t *n, uint32_t count, uint32_t once, uint32_t *chunk, uint32_t *first_block)
{
    uint64_t all = 0, times = 1, blocks = 0;
    for (uint32_t i = 0; i < count; i++)
        all += blocks_of(n[i], once);
    while (times < MOST_TIMES && all / times > BLOCKS)
        times *= 2;
    *chunk = (uint32_t)(once * times);
    for (uint32_t i = 0; i < count; i++) {
        first_block[i] = (uint32_t)blocks;
        blocks += blocks_of(n[i], *chunk);
    }
    return blocks;
}

uint32_t set_dims(const kt_plan *plan, int arrays, uint32_t *size, int64_t (*stride)[ARG_DIMS])
{
    uint32_t nd = 0;
    for (int d = plan->nd - 1; d >= 0; d--, nd++) {
        size[nd] = (uint32_t)plan->size[d];
        for (int i = 0; i < arrays; i++)
            stride[i][nd] = plan->stride[i][d];
    }
    return nd;
}

/* ---- what a launch takes of a plan ---- */

static const list_kernel *kernel_of(const kt_plan *plan) { return plan->compute == KT_IN_F32 ? lists[plan->kernel] : NULL; }

/* The plan as arguments of a launch of its own. false: not for lists. */
static bool read_plan(const kt_plan *plan, const list_kernel *row, launch_args *one)
{
    const known_dtypes known = {lists_f32.reads, lists_f32.writes, lists_f32.self};
    if (plan->n_out != 1 || plan->n_in != row->inputs || !plan->contiguous || !set_params(one, plan) ||
        !operands_known(plan, &known) || (row->table && plan->numel >= LOOKUP_LEAST))
        return false;
    for (int i = 0; i <= row->inputs; i++) {
        operand_arg *x = &one->at[i];
        set_operand(x, plan, i, width_of(plan->arg[i].is), lists_f32.vector);
        if (!x->whole && (i == 0 || !x->same))
            return false;
    }
    return true;
}

static uint8_t kind_of(const operand_arg *x) { return x->whole ? LIST_DENSE : x->data ? LIST_AT : LIST_VALUE; }

static bool is_alike(const list_args *g, const launch_args *one, int inputs)
{
    bool alike = memcmp(&g->param[1], &one->param[1], sizeof g->param - sizeof g->param[0]) == 0;
    for (int i = 0; i <= inputs; i++)
        alike &= g->is[i] == one->at[i].is && g->kind[i] == kind_of(&one->at[i]);
    return alike;
}

static void set_alike(list_args *g, const launch_args *one, int inputs)
{
    memcpy(g->param, one->param, sizeof g->param);
    for (int i = 0; i <= inputs; i++) {
        g->is[i] = one->at[i].is;
        g->width[i] = one->at[i].width;
        g->kind[i] = kind_of(&one->at[i]);
    }
}

static void add(list_args *g, const launch_args *one, int inputs, uint64_t n, uint64_t first_block)
{
    const uint32_t at = g->count++;
    g->first_block[at] = (uint32_t)first_block;
    g->n[at] = n;
    g->own_param[at] = one->param[0];
    for (int i = 0; i <= inputs; i++) {
        g->at[at][i] = (uint64_t)(uintptr_t)one->at[i].data;
        if (g->kind[i] == LIST_VALUE)
            memcpy(&g->at[at][i], one->at[i].value, sizeof g->at[at][i]);
    }
}

/* A plan like the one that was added last, but for addresses and sizes. false: it is not aligned as that was, or of one element,
 * which may be dense where more of them are one value. */
static bool add_like(list_args *g, const kt_plan *head, int inputs, uint64_t first_block)
{
    const uint32_t at = g->count;
    if ((head->numel > 1) != (g->n[at - 1] > 1))
        return false;
    for (int i = 0; i <= inputs; i++) {
        const char *data = head->arg[i].data;
        if (g->kind[i] == LIST_DENSE && !is_aligned(data, g->width[i] * lists_f32.vector))
            return false;
        g->at[at][i] = g->kind[i] == LIST_VALUE ? g->at[at - 1][i] : (uint64_t)(uintptr_t)data;
    }
    g->first_block[at] = (uint32_t)first_block;
    g->n[at] = (uint64_t)head->numel;
    g->own_param[at] = g->own_param[at - 1];
    g->count++;
    return true;
}

kt_status launch_list(kt_backend *self, const void *plans, int64_t n, int64_t *taken)
{
    (void)self;
    const uint64_t     of_a_block = (uint64_t)(ARG_THREADS * lists_f32.elements), most_blocks = INT32_MAX;
    const char        *at = plans, *before = NULL; /* before: the plan that was added last */
    const list_kernel *row = kernel_of(head_of(plans));
    const kt_handle    stream = head_of(plans)->stream;
    const int          index = head_of(plans)->device_index;
    uint64_t           blocks = 0;
    list_args          g;
    g.count = 0;
    *taken = 0;
    if (n > 0 && is_step(head_of(plans)))
        return launch_steps(plans, n, taken);
    if (n > 0 && is_chain(head_of(plans)))
        return launch_chains(plans, n, taken);
    if (n > 1 && is_many_norms(head_of(plans)))
        return launch_many_norms(plans, n, taken);
    if (n > 1 && is_many_copies(head_of(plans)))
        return launch_many_copies(plans, n, taken);
    for (int64_t i = 0; i < n && g.count < LIST_MOST; i++) {
        const kt_plan *head = head_of(at);
        const uint64_t more = blocks_of((uint64_t)head->numel, of_a_block);
        if (!row || kernel_of(head) != row || blocks + more > most_blocks)
            break;
        if (head->numel && !(before && plans_alike(at, before) && !(row->table && head->numel >= LOOKUP_LEAST) &&
                             add_like(&g, head, row->inputs, blocks))) {
            launch_args one = {.n = 0};
            kt_plan     plan;
            kt_plan_unpack(&plan, at);
            if (!read_plan(&plan, row, &one) || (g.count && !is_alike(&g, &one, row->inputs)))
                break;
            if (!g.count)
                set_alike(&g, &one, row->inputs);
            add(&g, &one, row->inputs, (uint64_t)plan.numel, blocks);
        }
        before = head->numel ? at : before;
        blocks += more;
        at += kt_plan_bytes(head);
        *taken = i + 1;
    }
    if (g.count < 2) {
        *taken = 0;
        return KT_OK;
    }
    kt_status status = fault_take(index);
    if (!status)
        status = use_device(index);
    return status ? status : launch_wide(row->kernel, blocks, &g, index, stream, false);
}
