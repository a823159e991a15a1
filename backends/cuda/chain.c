/* chain.c - plans of chains of elementwise rows: the default steps of optimizers.
 *
 * In: plans, of a list one behind the other. Out: one launch for all parameters that are dense and have the same links, or one
 * for each. Independent of: what a chain calculates. */
#include <string.h>

#include "parts.h"
#include "tables/kernels/optimizer.h"

static const chain_kernels *const chains[KT_NUM_COMPUTE] = {[KT_IN_F32] = chains_f32, [KT_IN_F64] = chains_f64};
static kt_kernel_id chain;

bool is_chain(const kt_plan *plan) { return plan->kernel == chain && chains[plan->compute]; }

/* ---- what a plan says ---- */

/* Into what is zero. */
static void read_links(const kt_plan *plan, chain_common *c)
{
    static const struct {
        uint8_t inputs, numbers, rounds;
    } kinds[KT__NUM_LINK_KINDS] = {
#define LINK(name, kernel, row, inputs, numbers, rounds) [KT__LINK_##name] = {inputs, numbers, rounds},
#include "tables/kernels/chain.def"
#undef LINK
    };
    for (int i = 0; i < plan->n_param; i++) {
        const int64_t packed = plan->param[i].v.i;
        const int     kind = KT__LINK_PART(packed, 0), to = KT__LINK_PART(packed, 1);
        const float   narrow = (float)plan->param[i].im;
        if (plan->compute == KT_IN_F64)
            memcpy(&c->number[i], &plan->param[i].im, sizeof c->number[i]);
        else
            memcpy(&c->number[i], &narrow, sizeof narrow);
        if (!packed)
            continue;
        c->link[c->links++] = (chain_link){
            .kind = (uint8_t)kind, .to = (uint8_t)to, .inputs = kinds[kind].inputs, .numbers = kinds[kind].numbers,
            .first = (uint8_t)KT__LINK_PART(packed, 5), .rounds = kinds[kind].rounds,
            .in = {(uint8_t)KT__LINK_PART(packed, 2), (uint8_t)KT__LINK_PART(packed, 3), (uint8_t)KT__LINK_PART(packed, 4)}};
        if (to < plan->n_out)
            c->writes |= (uint8_t)(1 << to);
    }
}

/* NULL: kernels do not know it. */
static const chain_kernels *read_chain(const kt_plan *plan, chain_common *c, bool *dense)
{
    const chain_kernels *k = chains[plan->compute];
    while (k->dtype != KT_NONE && k->dtype != plan->arg[0].is)
        k++;
    const int arrays = plan->n_out + plan->n_in, width = width_of(plan->arg[0].is);
    if (k->dtype == KT_NONE || arrays > CHAIN_ARRAYS || plan->n_param > CHAIN_LINKS)
        return NULL;
    memset(c, 0, sizeof *c); /* it is compared as bytes */
    *dense = plan->nd <= 1;
    for (int i = 0; i < arrays; i++) {
        const kt_operand *x = &plan->arg[i];
        if (x->bits || x->immediate || x->is != k->dtype)
            return NULL;
        *dense &= (plan->nd == 0 || plan->numel == 1 || plan->stride[i][0] == width) && is_aligned(x->data, 16);
    }
    c->arrays = (uint8_t)arrays;
    read_links(plan, c);
    return k;
}

/* ---- launches ---- */

static void add(chain_args *g, const kt_plan *plan)
{
    const uint32_t at = g->count++;
    g->n[at] = (uint64_t)plan->numel;
    for (int k = 0; k < CHAIN_ARRAYS; k++)
        g->at[at][k] = k < g->common.arrays ? plan->arg[k].data : NULL;
}

static int elements_of(const kt_plan *plan) /* of a block, at once */
{
    return ARG_THREADS * CHAIN_BYTES / (plan->compute == KT_IN_F64 ? (int)sizeof(double) : (int)sizeof(float));
}

static kt_status launch_made(chain_args *g, const void *kernel, int once, const kt_plan *plan)
{
    const uint64_t blocks = cut_list(g->n, g->count, (uint32_t)once, &g->chunk, g->first_block);
    return blocks > INT32_MAX ? KT_DECLINED : launch_wide(kernel, blocks, g, plan->device_index, plan->stream, false);
}

static kt_status launch_chain(const kt_plan *plan, const void *what)
{
    (void)what;
    chain_args           g;
    bool                 dense;
    const chain_kernels *k = read_chain(plan, &g.common, &dense);
    if (plan->numel == 0)
        return KT_OK;
    if (!k || (!dense && (plan->nd > ARG_DIMS || plan->numel > INT32_MAX)))
        return KT_DECLINED;
    g.count = 0;
    add(&g, plan);
    memset(g.stride, 0, sizeof g.stride);
    g.nd = dense ? 0 : set_dims(plan, g.common.arrays, g.size, g.stride);
    return launch_made(&g, dense ? k->dense : k->any, dense ? elements_of(plan) : ARG_THREADS, plan);
}

/* ---- lists ---- */
typedef struct chain_list {
    chain_args           g;
    const chain_kernels *kernels;
} chain_list;

static bool add_like(void *list, const kt_plan *head, const kt_plan *before)
{
    chain_args *g = &((chain_list *)list)->g;
    (void)before;
    for (int k = 0; k < g->common.arrays; k++)
        if (!is_aligned(head->arg[k].data, 16))
            return false;
    add(g, head);
    return true;
}

static bool add_read(void *list, const kt_plan *plan)
{
    chain_list          *l = list;
    chain_common         common;
    bool                 dense;
    const chain_kernels *its = read_chain(plan, &common, &dense);
    if (!its || !dense || (l->g.count && (its != l->kernels || memcmp(&l->g.common, &common, sizeof common) != 0)))
        return false;
    l->kernels = its;
    l->g.common = common;
    add(&l->g, plan);
    return true;
}

static kt_status launch_added(void *list, const kt_plan *plan)
{
    chain_list *l = list;
    return launch_made(&l->g, l->kernels->dense, elements_of(plan), plan);
}

kt_status launch_chains(const void *plans, int64_t n, int64_t *taken)
{
    static const gatherer how = {CHAIN_MOST, is_chain, add_like, add_read, launch_added};
    chain_list            l;
    l.g.count = 0;
    l.g.nd = 0;
    return gather(&how, &l, plans, n, taken);
}

void chain_open(void)
{
    chain = host->kernel("chain");
    launch_serve("chain", KT_IN_F32, launch_chain, NULL);
    launch_serve("chain", KT_IN_F64, launch_chain, NULL);
}
