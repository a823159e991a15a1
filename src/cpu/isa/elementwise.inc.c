/* elementwise.inc.c - plans of elementwise kernels in compute type T. A template: the names of T are those of types/,
 * tile.inc.c is included. The loops are other objects, one for each family of kernels (family.inc.c).
 *
 * In: a plan of one output and up to three inputs over the same dims. Out: the output. One pass over memory: inputs
 * pass through tiles in L1 where they are not dense Ts already. */
#include "base/thread.h"
#include "cpu/loops.h"
#include "cpu/write.h"
#include "dtype/fault.h"

static const kt__loops FN(no_loops);
#define ELEMENTWISE(family) extern const kt__loops KT__LOOPS(family, ID);
#define FAMILY(family)
#include "tables/kernels/families.def"
static const kt__loops *const FN(families)[KT_FAMILY_elementwise_end] = {
    [KT_FAMILY_none] = &FN(no_loops),
#define ELEMENTWISE(family) [KT_FAMILY_##family] = &KT__LOOPS(family, ID),
#define FAMILY(family)
#include "tables/kernels/families.def"
};

static bool FN(has)(kt_kernel_id kernel)
{
    return kernel < KT_K_elementwise_end && FN(families)[KT__FAMILY_OF(kernel)]->loop[KT__PLACE_OF(kernel)] != NULL;
}

static kt__loop_fn *FN(loop_of)(kt_kernel_id kernel)
{
    return FN(families)[KT__FAMILY_OF(kernel)]->loop[KT__PLACE_OF(kernel)];
}

/* Integers alone: some rows look for zero divisors first. */
KT_ALWAYS bool FN(divides)(kt_kernel_id kernel)
{
    return KT_IS_INTEGER && (FN(families)[KT__FAMILY_OF(kernel)]->divides >> KT__PLACE_OF(kernel) & 1) != 0;
}

/* Elements below which a second thread costs more than it brings: fewer in long rows, by how few of them make a vector. */
enum { FN(long_grain) = KT__GRAIN / 32 * KT_VEC_BYTES / sizeof(T) };

KT_ALWAYS bool FN(is_long)(kt_kernel_id kernel)
{
    return (FN(families)[KT__FAMILY_OF(kernel)]->longs >> KT__PLACE_OF(kernel) & 1) != 0;
}
KT_ALWAYS int64_t FN(grain)(kt_kernel_id kernel) { return FN(is_long)(kernel) ? FN(long_grain) : KT__GRAIN; }

typedef struct FN(job) {
    kt__loop_fn *loop;
    int          n_in;
    bool         divides;
    bool         untiled;   /* all operands are dense Ts, and nothing is to be done between tiles */
    int          divided_by_zero;
    kt__writing  writing;
    FN(lens)     lens[4];   /* the output, then the inputs */
    ptrdiff_t    fetched[4]; /* bytes of an element of an input that is fetched ahead, else 0 */
    T            p[KT__LOOP_PARAMS];
    char        *base[4];   /* of a contiguous plan, which needs no rows */
    kt__rows     rows;
} FN(job);

static bool FN(any_zero)(const T *b, int n)
{
    int zeros = 0;
    for (int i = 0; i < n; i++)
        zeros |= b[i] == 0;
    return zeros != 0;
}

/* One row, or a part of one: tile by tile. An operand of stride 0 is spread over its tile once. */
static void FN(row)(void *ctx, char *const *at, int64_t n, int64_t index)
{
    (void)index;
    FN(job)   *job = ctx;
    T          tile[4][TILE];
    char       line[TILE * 16] __attribute__((aligned(CACHE_LINE)));
    const int  n_in = job->n_in, first = n < TILE ? (int)n : TILE;
    const T   *in[3] = {tile[1], tile[1], tile[1]};
    if (job->untiled) {
        for (int k = 0; k < n_in; k++)
            in[k] = (const T *)(const void *)at[k + 1];
        job->loop(at[0], in[0], in[n_in > 1], in[n_in > 2 ? 2 : 0], n, job->p);
        return;
    }
    for (int k = 0; k < n_in; k++) {
        in[k] = tile[k + 1];
        if (job->lens[k + 1].step == 0) {
            FN(load_tile)(tile[k + 1], &job->lens[k + 1], at[k + 1], 1);
            for (int i = 1; i < first; i++)
                tile[k + 1][i] = tile[k + 1][0];
        }
    }
    const int most = job->writing == KT__WRITE_PLAIN ? TILE : SHORT_TILE;
    for (int64_t done = 0; done < n; done += most) {
        const int m = n - done < most ? (int)(n - done) : most;
        for (int k = 0; k < n_in; k++) {
            const FN(lens) *l = &job->lens[k + 1];
            const char     *x = at[k + 1] + done * l->step;
            fetch_for_reading(x + m * job->fetched[k + 1], (size_t)(m * job->fetched[k + 1]));
            if (l->direct)
                in[k] = (const T *)(const void *)x;
            else if (l->step != 0)
                FN(load_tile)(tile[k + 1], l, x, m);
        }
        if (job->divides && FN(any_zero)(in[1], m)) {
            __atomic_store_n(&job->divided_by_zero, 1, __ATOMIC_RELAXED);
            break;
        }
        char        *place = at[0] + done * job->lens[0].step;
        const size_t bytes = (size_t)(m * job->lens[0].step);
        const bool   past = job->writing == KT__WRITE_PAST && can_write_past(place, bytes);
        char        *z = past ? line : place;
        T           *out = job->lens[0].direct ? (T *)(void *)z : tile[0];
        if (job->writing == KT__WRITE_FETCHED)
            fetch_for_writing(place + bytes, bytes);
        job->loop(out, in[0], in[1], in[2], m, job->p);
        if (!job->lens[0].direct)
            FN(store_tile)(z, &job->lens[0], tile[0], m);
        if (past)
            write_past(place, line, bytes);
    }
    if (job->writing == KT__WRITE_PAST)
        write_past_end();
}

static void FN(part)(void *ctx, int64_t begin, int64_t end)
{
    FN(job) *job = ctx;
    kt__rows_walk(&job->rows, begin, end, FN(row), job);
}

static void FN(contiguous_part)(void *ctx, int64_t begin, int64_t end)
{
    FN(job) *job = ctx;
    char    *at[4];
    for (int i = 0; i < job->n_in + 1; i++)
        at[i] = job->base[i] + begin * job->lens[i].step;
    FN(row)(job, at, end - begin, begin);
}

#include "cpu/isa/joined.inc.c"

/* p3 of the tables: which narrow float the result is, told by the low bits of T that it lacks; of a narrow integer the
 * smallest number. */
static T FN(narrower)(int as)
{
    if (KT_IS_INTEGER)
        return (T)(as == KT_I8 ? INT8_MIN : as == KT_I16 ? INT16_MIN : 0);
    return (T)(as == KT_F16 ? 13 : as == KT_BF16 ? 16 : 0);
}

static void FN(params_of)(T *p, const kt_plan *plan)
{
    for (int i = 0; i < KT__LOOP_PARAMS; i++)
        p[i] = i < plan->n_param ? FN(scalar)(&plan->param[i]) : 0;
    p[3] = FN(narrower)(plan->arg[0].as);
}

static kt_status FN(divided_by_zero)(void)
{
    return kt__fail_fault(&(kt_fault){.kind = KT_FAULT_DIVISION});
}

static kt_status __attribute__((noinline)) FN(run_tiled)(const kt_plan *plan, kt__loop_fn *loop)
{
    FN(job)       job;
    const bool    joins = !plan->contiguous && FN(joins_rows)(plan);
    kt__range_fn *part = plan->contiguous ? FN(contiguous_part) : joins ? FN(joined_part) : FN(part);
    bool          converts = false;
    job.loop = loop;
    job.n_in = plan->n_in;
    job.divided_by_zero = 0;
    job.divides = FN(divides)(plan->kernel);
    if (joins)
        kt__rows_in_order(&job.rows, plan);
    else if (!plan->contiguous)
        kt__rows_of(&job.rows, plan);
    for (int i = 0; i < plan->n_in + 1; i++) {
        const bool imm = plan->arg[i].immediate;
        job.base[i] = imm ? (char *)plan->imm[i].bytes : plan->arg[i].data;
        job.lens[i] = FN(lens_of)(&plan->arg[i], !plan->contiguous      ? job.rows.step[i]
                                                 : imm || plan->nd == 0 ? 0
                                                                        : plan->stride[i][0]);
        converts |= !job.lens[i].direct && job.lens[i].step != 0;
    }
    FN(params_of)(job.p, plan);
    /* Long rows fetch ahead themselves. What they write comes too slowly to gain from going past the caches. */
    job.writing = FN(is_long)(plan->kernel) && !converts ? KT__WRITE_PLAIN : kt__writing_of(plan, job.lens[0].step);
    job.untiled = job.writing == KT__WRITE_PLAIN && !job.divides;
    for (int i = 0; i < plan->n_in + 1; i++)
        job.untiled &= job.lens[i].direct;
    for (int i = 1; i < plan->n_in + 1; i++)
        job.fetched[i] = kt__fetched_of(plan, i, job.lens[i].step, job.writing);
    kt__parallel(plan->numel, FN(grain)(plan->kernel), part, &job);
    return job.divided_by_zero ? FN(divided_by_zero)() : KT_OK;
}

/* A contiguous plan of one short tile: no rows, no second thread, nothing to fetch ahead. */
static kt_status __attribute__((noinline)) FN(run_short)(const kt_plan *plan, kt__loop_fn *loop)
{
    T         tile[4][SHORT_TILE], p[KT__LOOP_PARAMS];
    const int n = (int)plan->numel;
    const T  *in[3];
    FN(params_of)(p, plan);
    for (int k = 0; k < plan->n_in; k++) {
        const kt_operand *x = &plan->arg[k + 1];
        const char       *at = x->immediate ? (const char *)plan->imm[k + 1].bytes : x->data;
        const FN(lens)    l = FN(lens_of)(x, x->immediate || plan->nd == 0 ? 0 : plan->stride[k + 1][0]);
        in[k] = l.direct ? (const T *)(const void *)at : tile[k + 1];
        if (!l.direct)
            FN(load_tile)(tile[k + 1], &l, at, l.step == 0 ? 1 : n);
        for (int i = 1; i < n && l.step == 0; i++)
            tile[k + 1][i] = tile[k + 1][0];
    }
    if (FN(divides)(plan->kernel) && FN(any_zero)(in[1], n))
        return FN(divided_by_zero)();
    const FN(lens) l = FN(lens_of)(&plan->arg[0], plan->nd == 0 ? 0 : plan->stride[0][0]);
    loop(l.direct ? (T *)(void *)plan->arg[0].data : tile[0], in[0], in[plan->n_in > 1], in[plan->n_in > 2 ? 2 : 0], n, p);
    if (!l.direct)
        FN(store_tile)(plan->arg[0].data, &l, tile[0], n);
    return KT_OK;
}

/* ---- dense 16-bit floats, without tiles: halves.inc.c ---- */

/* The plan's operands are one 16-bit float throughout, or one number instead of one of two inputs. */
static bool FN(are_halves)(const kt_plan *plan, uint8_t dtype)
{
    int numbers = 0;
    if (!plan->contiguous || plan->nd != 1 || plan->n_in > 3)
        return false;
    for (int i = 0; i < plan->n_in + 1; i++) {
        const kt_operand *x = &plan->arg[i];
        const bool        is_number = i > 0 && (x->immediate || plan->stride[i][0] == 0);
        if (!is_number && (x->is != dtype || x->as != dtype || plan->stride[i][0] != 2))
            return false;
        if (x->bits != 0)
            return false;
        numbers += is_number;
    }
    return numbers == 0 || (numbers == 1 && plan->n_in == 2);
}

static kt__half_fn *FN(half_loop)(const kt_plan *plan)
{
    const uint8_t dtype = plan->arg[0].is;
    if (SELF != KT_F32 || (dtype != KT_BF16 && dtype != KT_F16) || plan->kernel >= KT_K_elementwise_end)
        return NULL;
    kt__half_fn *loop = FN(families)[KT__FAMILY_OF(plan->kernel)]->halves[dtype == KT_F16][KT__PLACE_OF(plan->kernel)];
    return loop != NULL && FN(are_halves)(plan, dtype) ? loop : NULL;
}

static bool FN(takes_halves)(const kt_plan *plan) { return FN(half_loop)(plan) != NULL; }

typedef struct FN(half_job) {
    kt__half_fn *loop;
    int          n_in;
    uint16_t    *to;
    kt__halves   in;
    T            p[KT__LOOP_PARAMS];
} FN(half_job);

/* The last group is filled up: with elements of its own, so that nothing is calculated that was not asked for. */
static void FN(half_part)(void *ctx, int64_t begin, int64_t end)
{
    const FN(half_job) *job = ctx;
    const int64_t       n = end - begin, whole = n - n % KT__HALF_GROUP, rest = n - whole;
    kt__halves          in = job->in;
    uint16_t            room[4][KT__HALF_GROUP];
    for (int k = 0; k < job->n_in; k++)
        in.at[k] = in.at[k] != NULL ? in.at[k] + begin : NULL;
    job->loop(job->to + begin, &in, whole, job->p);
    if (rest == 0)
        return;
    for (int k = 0; k < job->n_in; k++) {
        for (int i = 0; i < KT__HALF_GROUP && in.at[k] != NULL; i++)
            room[k][i] = in.at[k][whole + i % rest];
        in.at[k] = in.at[k] != NULL ? room[k] : NULL;
    }
    job->loop(room[3], &in, KT__HALF_GROUP, job->p);
    memcpy(job->to + begin + whole, room[3], (size_t)rest * sizeof room[3][0]);
}

static kt_status __attribute__((noinline)) FN(run_halves)(const kt_plan *plan, kt__half_fn *loop)
{
    FN(half_job) job = {.loop = loop, .n_in = plan->n_in, .to = (uint16_t *)(void *)plan->arg[0].data};
    for (int k = 0; k < plan->n_in; k++) {
        const kt_operand *x = &plan->arg[k + 1];
        if (!x->immediate && plan->stride[k + 1][0] != 0) {
            job.in.at[k] = (const uint16_t *)(const void *)x->data;
            continue;
        }
        const FN(lens) l = FN(lens_of)(x, 0);
        T              number;
        FN(load_tile)(&number, &l, x->immediate ? (const char *)plan->imm[k + 1].bytes : x->data, 1);
        job.in.number = (float)number;
    }
    FN(params_of)(job.p, plan);
    kt__parallel(plan->numel, KT__GRAIN, FN(half_part), &job);
    return KT_OK;
}

/* Small, dense, and of type T throughout: straight to the loop. What costs anything is left to the others. */
static kt_status FN(elementwise)(const kt_plan *plan)
{
    static const T none[KT__LOOP_PARAMS];
    kt__loop_fn   *loop = FN(families)[KT__FAMILY_OF(plan->kernel)]->loop[KT__PLACE_OF(plan->kernel)];
    const int64_t  n = plan->numel;
    const T       *in[3];
    if (loop == NULL)
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "the CPU has no such kernel for this dtype");
    if (n == 0)
        return KT_OK;
    kt__half_fn *half = SELF == KT_F32 && plan->arg[0].is != KT_F32 ? FN(half_loop)(plan) : NULL;
    if (half != NULL)
        return FN(run_halves)(plan, half);
    if (!plan->contiguous || (n > FN(long_grain) && n > FN(grain)(plan->kernel)))
        return FN(run_tiled)(plan, loop);
    if (plan->n_param != 0 || FN(divides)(plan->kernel))
        return n <= SHORT_TILE ? FN(run_short)(plan, loop) : FN(run_tiled)(plan, loop);
    const kt_operand *z = plan->arg;
    bool              plain = z->is == SELF && z->as == SELF;
    for (int k = 0; k < plan->n_in; k++) {
        const kt_operand *x = &plan->arg[k + 1];
        plain &= x->is == SELF && x->as == SELF && x->bits == 0
            && (n == 1 || (!x->immediate && plan->stride[k + 1][0] == (int64_t)sizeof(T)));
        in[k] = (const T *)(const void *)(x->immediate ? (const char *)plan->imm[k + 1].bytes : x->data);
    }
    if (!plain)
        return n <= SHORT_TILE ? FN(run_short)(plan, loop) : FN(run_tiled)(plan, loop);
    loop(z->data, in[0], in[plan->n_in > 1], in[plan->n_in > 2 ? 2 : 0], n, none);
    return KT_OK;
}
