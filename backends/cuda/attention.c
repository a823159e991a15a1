/* attention.c - plans of attention, forward and back: by cuDNN (graphs.c), or by kernels of our own.
 *
 * In: plans whose operands have dims of their own, [batch, head, row, column], logarithms of sums three; param: causal, scale
 * and,
 * with draws, the share of the weights that is kept. Out: launches. Draws are {seed, offset} in the device's memory; states of
 * the
 * CPU's generator are for the CPU. Independent of: what the kernels calculate. */
#include <string.h>

#include "attention.h"
#include "parts.h"

enum { DIMS = ATTEND_DIMS, SUM_DIMS = 3, SEED_WORDS = 4 };
static kt_kernel_id seed_kernel;

/* ---- a plan's operands, one after the other ---- */
typedef struct reader {
    const kt_plan *plan;
    int            at, first; /* the next operand, where its dims begin */
    bool           good;
} reader;

static attend_matrices next_of(reader *r, int64_t *size)
{
    const kt_operand *x = &r->plan->arg[r->at];
    attend_matrices   m = {.data = x->data, .is = x->is};
    for (int d = 0; d < DIMS; d++) {
        const int64_t n = r->plan->size[r->first + d];
        m.step[d] = n == 1 ? 0 : r->plan->stride[r->at][r->first + d];
        if (size)
            size[d] = n;
    }
    r->good &= x->is == x->as && !x->bits && !x->immediate;
    r->at++, r->first += DIMS;
    return m;
}

static void next_sums(reader *r, attend_args *g, int self)
{
    const kt_operand *x = &r->plan->arg[r->at];
    g->sums = x->data;
    for (int d = 0; d < SUM_DIMS; d++)
        g->sums_step[d] = r->plan->stride[r->at][r->first + d];
    r->good &= x->is == self && x->as == self;
    r->at++, r->first += SUM_DIMS;
}

static bool is_read(const attend_table *table, int is)
{
    return is == (int)table->self || is == KT_F32 || (table->self == KT_F32 && (is == KT_BF16 || is == KT_F16));
}

enum { FORWARD, BACK, OF_MASK };

/* False: not for kernels of a device. */
static bool read_plan(attend_args *g, const kt_plan *plan, const attend_table *table, int what)
{
    reader  r = {plan, 0, 0, true};
    int64_t query[DIMS], key[DIMS], value[DIMS], mask[DIMS] = {0};
    *g = (attend_args){.causal = plan->param[0].v.i != 0, .scale = number_of(&plan->param[1]), .keep = 1};
    if (what == OF_MASK) {
        g->to_mask = next_of(&r, mask);
    } else if (what == BACK) {
        g->to_query = next_of(&r, NULL);
        g->to_key = next_of(&r, NULL);
        g->to_value = next_of(&r, NULL);
    } else {
        g->out = next_of(&r, NULL);
        next_sums(&r, g, (int)table->self);
    }
    if (what != FORWARD)
        g->grad = next_of(&r, NULL);
    g->query = next_of(&r, query);
    g->key = next_of(&r, key);
    g->value = next_of(&r, value);
    if (what != FORWARD) {
        g->out = next_of(&r, NULL);
        next_sums(&r, g, (int)table->self);
    }
    const bool drops = plan->n_param > 2;
    if (r.at + drops < plan->n_out + plan->n_in)
        g->mask = next_of(&r, NULL);
    if (drops) {
        r.good &= plan->size[r.first] == SEED_WORDS;
        g->draws = (const uint64_t *)(const void *)plan->arg[r.at].data;
        g->keep = number_of(&plan->param[2]);
    }
    for (int d = 0; d < DIMS; d++) {
        r.good &= query[d] <= INT32_MAX && key[d] <= INT32_MAX && value[d] <= INT32_MAX;
        g->mask_size[d] = (uint32_t)mask[d];
    }
    g->batch = (uint32_t)query[0], g->heads = (uint32_t)query[1], g->queries = (uint32_t)query[2], g->depth = (uint32_t)query[3];
    g->keys = (uint32_t)key[2], g->width = (uint32_t)value[3];
    g->group = key[1] ? (uint32_t)(query[1] / key[1]) : 1;
    return r.good && is_read(table, g->query.is) && (!g->mask.data || g->mask.is == KT_BOOL || is_read(table, g->mask.is)) &&
           (what != OF_MASK || is_read(table, g->to_mask.is));
}

/* ---- our own kernels ---- */

/* The narrowest that has all columns at once, else the widest. */
static const attend_kernels *kernels_for(const attend_table *table, uint32_t columns)
{
    const attend_kernels *k = table->of;
    while (k->columns < columns && k + 1 < table->of + ATTEND_WIDTHS && k[1].columns)
        k++;
    return k;
}

/* By tensor cores, of as many columns at most; NULL: by other kernels. */
static const attend_kernels *kernels_of_warps(const attend_args *g, bool back)
{
    const uint32_t        widest = g->depth > g->width ? g->depth : g->width;
    const attend_kernels *k = g->query.is == KT_BF16  ? attend_bf16
                              : g->query.is == KT_F16 ? attend_f16
                              : g->query.is == KT_F32 ? attend_two
                                                      : NULL;
    for (int i = 0; k && i < ATTEND_WIDTHS; i++)
        if (widest <= k[i].columns)
            return back && !k[i].query ? NULL : &k[i];
    return NULL;
}

static kt_status launch_tiles(const void *kernel, attend_args *g, uint32_t heads, uint32_t rows, uint32_t columns,
                              const attend_kernels *k, uint32_t tile, const kt_plan *plan)
{
    g->parts = (uint32_t)blocks_of(columns, k->columns);
    g->blocks = blocks_of(rows, tile) * g->parts * g->batch * heads;
    return g->blocks > INT32_MAX ? KT_DECLINED : launch_kernel(kernel, g->blocks, g, plan);
}

static kt_status launch_forward(attend_args *g, const attend_table *table, const kt_plan *plan)
{
    const attend_kernels *narrow = kernels_of_warps(g, false), *k = narrow ? narrow : kernels_for(table, g->width);
    return launch_tiles(k->forward, g, g->heads, g->queries, g->width, k, narrow ? ATTEND_ROWS : table->tile, plan);
}

static kt_status launch_gradients(attend_args *g, const attend_table *table, const kt_plan *plan)
{
    const uint32_t        widest = g->depth > g->width ? g->depth : g->width, heads = g->heads / g->group;
    const attend_kernels *narrow = kernels_of_warps(g, true), *of_query = narrow ? narrow : kernels_for(table, g->depth);
    const attend_kernels *of_key = narrow ? narrow : kernels_for(table, widest);
    const uint32_t        tile = narrow ? ATTEND_ROWS : table->tile;
    const kt_status       status = launch_tiles(of_query->query, g, g->heads, g->queries, g->depth, of_query, tile, plan);
    return status ? status : launch_tiles(of_key->key, g, heads, g->keys, widest, of_key, tile, plan);
}

static kt_status launch_mask(attend_args *g, const attend_table *table, const kt_plan *plan)
{
    const uint32_t *n = g->mask_size;
    g->blocks = (uint64_t)n[0] * n[1] * blocks_of(n[2], table->tile) * blocks_of(n[3], table->tile);
    return g->blocks > INT32_MAX ? KT_DECLINED : launch_kernel(table->mask, g->blocks, g, plan);
}

static kt_status launch_back(attend_args *g, const attend_table *table, const kt_plan *plan, int what)
{
    const uint64_t rows = (uint64_t)g->batch * g->heads * g->queries;
    void          *delta = NULL;
    size_t         granted = 0;
    const size_t   bytes = 3 * rows * (size_t)width_of((int)table->self);
    const attend_kernels *narrow = what == OF_MASK ? NULL : kernels_of_warps(g, true);
    kt_status      status = memory_alloc(NULL, plan->device_index, plan->stream, bytes, &delta, &granted);
    if (status)
        return status;
    g->delta = delta;
    status = launch_kernel(narrow ? narrow->delta : table->delta, blocks_of(rows, ARG_THREADS / 32), g, plan);
    if (!status)
        status = what == OF_MASK ? launch_mask(g, table, plan) : launch_gradients(g, table, plan);
    memory_free(NULL, plan->device_index, delta, granted);
    return status;
}

/* ---- by the library ---- */

/* Rows of vectors of 16 bytes, which lie apart by such. */
static bool is_for_graphs(const attend_matrices *m, int64_t columns)
{
    enum { WIDTH = 2, VECTOR = 16 };
    bool good = m->step[3] == WIDTH && columns * WIDTH % VECTOR == 0 && (uintptr_t)m->data % VECTOR == 0;
    for (int d = 0; d < 3; d++)
        good &= m->step[d] % VECTOR == 0 && m->step[d] >= 0;
    return good;
}

static kt_status launch_graph(const attend_args *g, const kt_plan *plan, bool back)
{
    const attend_matrices *of_depth[] = {&g->query, &g->key, &g->to_query, &g->to_key};
    const attend_matrices *of_width[] = {&g->value, &g->out, &g->grad, &g->to_value};
    bool good = (g->query.is == KT_BF16 || g->query.is == KT_F16) && !g->mask.data && !g->draws && g->scale > 0;
    for (int i = 0; i < 4 && good; i++)
        good = (!of_depth[i]->data || is_for_graphs(of_depth[i], g->depth)) &&
               (!of_width[i]->data || is_for_graphs(of_width[i], g->width));
    return good ? graphs_attend(g, plan, back) : KT_DECLINED;
}

/* ---- plans ---- */
static kt_status launch_attention(const kt_plan *plan, const void *what)
{
    const int           kind = *(const int *)what;
    const attend_table *table = plan->compute == KT_IN_F64 ? &attend_f64 : &attend_f32;
    attend_args         g;
    if (!read_plan(&g, plan, table, kind))
        return KT_DECLINED;
    const kt_status status = kind == OF_MASK ? KT_DECLINED : launch_graph(&g, plan, kind == BACK);
    if (status != KT_DECLINED)
        return status;
    return kind == FORWARD ? launch_forward(&g, table, plan) : launch_back(&g, table, plan, kind);
}

static kt_status launch_seed(const kt_plan *plan, const void *what)
{
    (void)what;
    attend_seed_args g = {.to = (uint64_t *)(void *)plan->arg[0].data, .seed = plan->seed, .offset = plan->offset};
    if (capture_replay_place(plan->device_index, plan->stream, &g.replay))
        return KT_ERR_MEMORY;
    return launch_kernel(attend_seed, 1, &g, plan);
}

static kt_status launch_kept(const kt_plan *plan, const void *what)
{
    (void)what;
    attend_kept_args g = {.to = plan->arg[0].data, .draws = (const uint64_t *)(const void *)plan->arg[1].data,
                          .keep = number_of(&plan->param[0]), .n = (uint64_t)plan->numel, .keys = (uint32_t)plan->size[3]};
    if (plan->size[DIMS] != SEED_WORDS || g.keys == 0)
        return KT_DECLINED;
    return launch_kernel(attend_kept, blocks_of(g.n, ARG_THREADS), &g, plan);
}

/* All draws of a call are of one step. */
bool attention_draws(const kt_plan *plan, uint64_t *by)
{
    *by = DRAWS;
    return plan->kernel == seed_kernel;
}

void attention_open(void)
{
    static const int forward = FORWARD, back = BACK, of_mask = OF_MASK;
    seed_kernel = host->kernel("attention_seed");
    for (int compute = KT_IN_F32; compute <= KT_IN_F64; compute++) {
        launch_serve("attention", (kt_compute)compute, launch_attention, &forward);
        launch_serve("attention_backward", (kt_compute)compute, launch_attention, &back);
        launch_serve("attention_mask_backward", (kt_compute)compute, launch_attention, &of_mask);
    }
    launch_serve("attention_seed", KT_IN_I32, launch_seed, NULL);
    launch_serve("attention_kept", KT_IN_I32, launch_kept, NULL);
}
