/* lookup.c - elementwise rows of a 16-bit float, by table: lookup.h.
 *
 * A row of one operand, its dtype and its parameters define 65,536 results. A long row takes 2 to 20 ns to compute one, 0.4 ns to
 * look it up. The table is filled by the computed loop, so the bits are the same. A few rows of two operands are a product, a
 * gradient times a slope: their table holds the factor in float32, and the product remains to be computed.
 *
 * A table is made when the row has been asked for twice as many elements as it holds: it costs half of what computing them does.
 * The call that reaches that number makes it; until it is published, other threads compute. Nobody waits, and a call that finds a
 * table takes no lock. Tables are never freed, since readers do not say when they have finished. Without memory for one, the row
 * computes and the count begins again. A child that was forked while a table was being made computes what it has no table for. */
#include "cpu/lookup.h"

#include "base/alloc.h"
#include "base/thread.h"
#include "cpu/loops.h"
#include "tables/kernels/elementwise.h"

typedef struct table {
    /* A result takes 32 bits, too: Neoverse N1 loads it 20 % faster than one of 16, and data touches a few KiB either way. */
    uint32_t      entry[KT__LOOKUP_INPUTS];
    int           n_param;
    kt_scalar     param[KT__LOOP_PARAMS];
    struct table *next; /* of the same row with other parameters */
} table;

enum { MOST_TABLES = 4 }; /* of a row: selu is elu, and logsigmoid is softplus, with parameters of their own */

typedef struct slot {
    table  *first; /* atomic */
    int64_t asked; /* atomic: elements of all calls that found no table, since the last one was made */
} slot;

static slot slots[2][KT_K_elementwise_end]; /* bfloat16, float16 */

/* Of one operand: the rows whose loops are long, by the column `loop` of the tables. Of two: a times a function of b, no more. */
enum { NOTHING, RESULTS, FACTORS };
enum {
    HOLDS__ = NOTHING, HOLDS_HALVES = NOTHING, HOLDS_MANY = NOTHING,
    HOLDS_LONG = RESULTS, HOLDS_LANES = RESULTS, HOLDS_NEAR = RESULTS, HOLDS_BRIEF = RESULTS,
};
static const uint8_t holds[KT_K_elementwise_end] = {
#define UN(name, loop, ...) [KT_K_##name] = HOLDS_##loop,
#define BIN(...)
#define TER(...)
#include "tables/kernels/elementwise.def"
    [KT_K_gelu_backward] = FACTORS,
    [KT_K_gelu_tanh_backward] = FACTORS,
    [KT_K_glu] = FACTORS,
    [KT_K_mish_backward] = FACTORS,
    [KT_K_silu_backward] = FACTORS,
    [KT_K_softplus_backward] = FACTORS,
};

bool kt__lookup_serves(kt_kernel_id kernel)
{
    return kernel < KT_K_elementwise_end && holds[kernel] != NOTHING;
}

/* One 16-bit dtype throughout, nothing converted on the way. The tiles of a product are parts of a dense row. */
static bool can_look_up(const kt_plan *plan)
{
    const uint8_t dtype = plan->arg[0].is;
    if (!kt__lookup_serves(plan->kernel) || (dtype != KT_BF16 && dtype != KT_F16) || plan->compute != KT_IN_F32 ||
        plan->n_param > KT__LOOP_PARAMS || (holds[plan->kernel] == FACTORS && !plan->contiguous))
        return false;
    for (int i = 0; i < plan->n_in + 1; i++) {
        const kt_operand *x = &plan->arg[i];
        if (x->is != dtype || x->as != dtype || x->bits != 0 || x->immediate)
            return false;
    }
    return true;
}

static slot *slot_of(const kt_plan *plan)
{
    return &slots[plan->arg[0].is == KT_F16][plan->kernel];
}

static table *find(const kt_plan *plan)
{
    const size_t bytes = plan->n_param * sizeof plan->param[0];
    table       *t = __atomic_load_n(&slot_of(plan)->first, __ATOMIC_ACQUIRE);
    while (t != NULL && (t->n_param != plan->n_param || memcmp(t->param, plan->param, bytes) != 0))
        t = t->next;
    return t;
}

uint32_t *kt__lookup_entries(const kt_plan *plan)
{
    table *t = can_look_up(plan) ? find(plan) : NULL;
    return t != NULL ? t->entry : NULL;
}

/* ---- making a table ---- */
enum { TILE = 1024 }; /* elements computed at a time */

/* A dense plan of our own: the operands' dtypes and addresses follow. */
static void plan_like(kt_plan *mine, const kt_plan *plan, int kernel)
{
    kt__plan_clear(mine);
    mine->row = plan->row, mine->kernel = (kt_kernel_id)kernel, mine->compute = plan->compute;
    mine->n_out = mine->nd = mine->contiguous = 1;
    mine->n_in = plan->n_in;
}

static void set_operand(kt_plan *mine, int i, const void *data, uint8_t dtype, int64_t step)
{
    mine->arg[i] = (kt_operand){.data = (char *)(uintptr_t)data, .is = dtype, .as = dtype};
    mine->stride[i][0] = step;
}

typedef struct filling {
    const kt__cpu_build *build;
    const kt_plan       *plan;
    table               *to;
} filling;

/* Results are stored in their dtype first: it rounds. A factor is what the row makes of 1. */
static void fill(void *ctx, int64_t begin, int64_t end)
{
    static const float one = 1;
    const filling     *f = ctx;
    const uint8_t      dtype = f->plan->arg[0].is;
    const bool         factors = holds[f->plan->kernel] == FACTORS;
    uint16_t           in[TILE], out[TILE];
    kt_plan            plan;
    plan_like(&plan, f->plan, f->plan->kernel);
    plan.n_param = f->plan->n_param;
    memcpy(plan.param, f->plan->param, plan.n_param * sizeof plan.param[0]);
    set_operand(&plan, 0, out, dtype, sizeof out[0]);
    set_operand(&plan, 1, &one, KT_F32, 0);
    set_operand(&plan, plan.n_in, in, dtype, sizeof in[0]);
    for (int64_t done = begin; done < end; done += TILE) {
        const int n = end - done < TILE ? (int)(end - done) : TILE;
        uint32_t *entry = f->to->entry + done;
        plan.numel = plan.size[0] = n;
        if (factors)
            set_operand(&plan, 0, entry, KT_F32, sizeof entry[0]);
        for (int i = 0; i < n; i++)
            in[i] = (uint16_t)(done + i);
        kt__cpu_run_with(f->build, &plan); /* cannot fail: the row exists, and allocates nothing */
        for (int i = 0; i < n && !factors; i++)
            entry[i] = out[i];
    }
}

static table *make(const kt__cpu_build *build, const kt_plan *plan)
{
    table  *t = kt__system_get(sizeof *t);
    filling f = {build, plan, t};
    if (t == NULL)
        return NULL;
    t->n_param = plan->n_param;
    memcpy(t->param, plan->param, plan->n_param * sizeof plan->param[0]);
    kt__parallel(KT__LOOKUP_INPUTS, KT__LOOKUP_INPUTS / 8, fill, &f);
    return t;
}

static int length(const table *t)
{
    return t == NULL ? 0 : 1 + length(t->next);
}

/* The only thread here for this slot: the count lets no other through until it begins again. */
static table *make_and_publish(slot *s, const kt__cpu_build *build, const kt_plan *plan)
{
    table *t = find(plan); /* it may have been made since this call looked */
    if (t == NULL && (t = make(build, plan)) != NULL) {
        t->next = s->first;
        __atomic_store_n(&s->first, t, __ATOMIC_RELEASE);
    }
    if (length(s->first) < MOST_TABLES)
        __atomic_store_n(&s->asked, 0, __ATOMIC_RELEASE);
    return t;
}

static table *table_for(const kt__cpu_build *build, const kt_plan *plan)
{
    slot  *s = slot_of(plan);
    table *t = find(plan);
    if (KT__LIKELY(t != NULL))
        return t;
    const int64_t before = __atomic_fetch_add(&s->asked, plan->numel, __ATOMIC_ACQUIRE);
    if (before >= KT__LOOKUP_PAYS || plan->numel < KT__LOOKUP_PAYS - before)
        return NULL;
    return make_and_publish(s, build, plan);
}

/* ---- results ---- */
typedef struct job {
    const uint32_t      *entry;
    const kt__cpu_build *build;
    const kt_plan       *plan;
    kt__rows             rows;
} job;

static inline uint16_t half_at(const char *x)
{
    uint16_t h;
    memcpy(&h, x, sizeof h);
    return h;
}

static inline uint64_t four(const uint32_t *entry, uint64_t x)
{
    const uint64_t a = entry[x & 0xffff], b = entry[x >> 16 & 0xffff], c = entry[x >> 32 & 0xffff], d = entry[x >> 48];
    return (a | b << 16) | (c | d << 16) << 32;
}

/* Four elements are one load and one store, a cache line is one turn. What is not a whole line is left to the caller. */
static int64_t look_up_lines(const uint32_t *entry, char *to, const char *from, int64_t n)
{
    enum { LINE = 64, AHEAD = 1024 };
    const int64_t bytes = 2 * n / LINE * LINE;
    for (int64_t line = 0; line < bytes; line += LINE) {
        __builtin_prefetch(from + line + AHEAD);
#pragma GCC unroll 8
        for (int i = 0; i < LINE; i += 8) {
            uint64_t x;
            memcpy(&x, from + line + i, sizeof x);
            x = four(entry, x);
            memcpy(to + line + i, &x, sizeof x);
        }
    }
    return bytes / 2;
}

static void look_up_row(void *ctx, char *const *at, int64_t n, int64_t index)
{
    (void)index;
    const job      *j = ctx;
    const uint32_t *entry = j->entry;
    const ptrdiff_t to_step = j->rows.step[0], from_step = j->rows.step[1];
    char           *to = at[0];
    const char     *from = at[1];
    int64_t         i = to_step == 2 && from_step == 2 ? look_up_lines(entry, to, from, n) : 0;
    if (from_step == 0 && to_step == 2) {
        const uint64_t results = entry[half_at(from)] * 0x0001000100010001u;
        for (; i <= n - 4; i += 4)
            memcpy(to + 2 * i, &results, sizeof results);
    }
    for (; i < n; i++) {
        const uint16_t result = (uint16_t)entry[half_at(from + i * from_step)];
        memcpy(to + i * to_step, &result, sizeof result);
    }
}

static void look_up_part(void *ctx, int64_t begin, int64_t end)
{
    job *j = ctx;
    kt__rows_walk(&j->rows, begin, end, look_up_row, j);
}

/* ---- products with a factor ---- */
static void gather(uint32_t *to, const uint32_t *entry, const char *from, ptrdiff_t step, int n)
{
    int i = 0;
    if (step == 0 && n > 0) {
        const uint32_t number = entry[half_at(from)];
        for (; i < n; i++)
            to[i] = number;
    }
    for (; step == 2 && i <= n - 4; i += 4) {
        uint64_t x;
        memcpy(&x, from + 2 * i, sizeof x);
        const uint32_t a = entry[x & 0xffff], b = entry[x >> 16 & 0xffff], c = entry[x >> 32 & 0xffff], d = entry[x >> 48];
        to[i] = a, to[i + 1] = b, to[i + 2] = c, to[i + 3] = d;
    }
    for (; i < n; i++)
        to[i] = entry[half_at(from + i * step)];
}

static void multiply_part(void *ctx, int64_t begin, int64_t end)
{
    const job      *j = ctx;
    const uint8_t   dtype = j->plan->arg[0].is;
    const ptrdiff_t to_step = j->plan->stride[0][0], a_step = j->plan->stride[1][0], b_step = j->plan->stride[2][0];
    uint32_t        factor[TILE];
    kt_plan         plan;
    plan_like(&plan, j->plan, KT_K_mul);
    set_operand(&plan, 2, factor, KT_F32, sizeof factor[0]);
    for (int64_t done = begin; done < end; done += TILE) {
        const int n = end - done < TILE ? (int)(end - done) : TILE;
        gather(factor, j->entry, j->plan->arg[2].data + done * b_step, b_step, n);
        plan.numel = plan.size[0] = n;
        set_operand(&plan, 0, j->plan->arg[0].data + done * to_step, dtype, to_step);
        set_operand(&plan, 1, j->plan->arg[1].data + done * a_step, dtype, a_step);
        kt__cpu_run_with(j->build, &plan);
    }
}

bool kt__lookup(const kt__cpu_build *build, const kt_plan *plan)
{
    if (!can_look_up(plan) || build->type[KT_IN_F32]->takes_halves(plan))
        return false;
    const table *t = table_for(build, plan);
    if (t == NULL)
        return false;
    job j = {.entry = t->entry, .build = build, .plan = plan};
    if (holds[plan->kernel] == FACTORS) {
        kt__parallel(plan->numel, KT__GRAIN / 2, multiply_part, &j);
    } else {
        kt__rows_of(&j.rows, plan);
        kt__parallel(plan->numel, KT__GRAIN, look_up_part, &j);
    }
    return true;
}
