/* elementwise.inc.c - the rows of unary.def, binary.def and ternary.def in compute type T. A template: T, ID, SELF
 * and PICK(real, integer, complex), which chooses the column, are defined by the includer, tile.inc.c is included;
 * KT_LOOP_HOOK(z, a, n, kernel), if defined, may take a whole loop over.
 *
 * In: a plan of one output and up to three inputs over the same dims. Out: the output. One pass over memory: inputs
 * pass through tiles in L1 where they are not dense Ts already. */
#include "base/thread.h"
#include "cpu/write.h"

enum { NO }; /* an absent expression; its loop is dropped */

KT_ALWAYS T FN(apply)(int kernel, T a, T b, T c, T p0, T p1, T p2, T p3)
{
    (void)b, (void)c, (void)p0, (void)p1, (void)p2, (void)p3;
    switch (kernel) {
#define UN(name, ...) case KT_K_##name: return (T)(PICK(__VA_ARGS__));
#include "tables/unary.def"
#define BIN(name, ...) case KT_K_##name: return (T)(PICK(__VA_ARGS__));
#include "tables/binary.def"
#define TER(name, ...) case KT_K_##name: return (T)(PICK(__VA_ARGS__));
#include "tables/ternary.def"
    }
    return 0;
}

/* Rows that go a vector at a time, and what is left at the end as a vector that is filled up: a loop in the compiler's manner
 * holds its expression for vectors, for shorter ones and for single elements, and these rows are long or many. */
KT_ALWAYS bool FN(goes_by_lanes)(int kernel)
{
    if (KT_VEC_BYTES <= 16) /* there the compiler's loop is the shorter one */
        return false;
    switch (kernel) {
    case KT_K_acos: case KT_K_acosh: case KT_K_asin: case KT_K_asinh: case KT_K_atan: case KT_K_atan2: case KT_K_atanh:
    case KT_K_cosh: case KT_K_erf: case KT_K_erfc: case KT_K_exp2: case KT_K_expm1: case KT_K_hypot: case KT_K_log10:
    case KT_K_log1p: case KT_K_log2: case KT_K_logaddexp: case KT_K_logaddexp2: case KT_K_pow: case KT_K_sinh: case KT_K_xlogy:
        return SELF == KT_F32; /* of the others most call the C library */
    case KT_K_elu: case KT_K_gelu: case KT_K_gelu_tanh: case KT_K_hardshrink: case KT_K_hardsigmoid: case KT_K_hardswish:
    case KT_K_leaky_relu: case KT_K_mish: case KT_K_silu: case KT_K_softplus: case KT_K_softshrink: case KT_K_threshold:
    case KT_K_elu_backward: case KT_K_elu_backward_result: case KT_K_gate: case KT_K_glu: case KT_K_gelu_backward:
    case KT_K_gelu_tanh_backward: case KT_K_hardsigmoid_backward: case KT_K_hardswish_backward:
    case KT_K_leaky_relu_backward: case KT_K_prelu: case KT_K_shrink_backward: case KT_K_silu_backward:
    case KT_K_softplus_backward: return true;
    }
    return false;
}

enum { FN(lanes) = KT_VEC_BYTES / sizeof(T) };
typedef void FN(lanes_fn)(T *z, const T *a, const T *b, ptrdiff_t n, const T *p); /* n: whole vectors */

KT_ALWAYS void FN(by_lanes)(T *z, const T *a, const T *b, ptrdiff_t n, const T *p, int kernel)
{
    const T p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
    for (ptrdiff_t done = 0; done < n; done += FN(lanes)) {
        const T *x = a + done, *y = b + done;
        T       *to = z + done;
        KT_EACH_LANE
        for (int i = 0; i < FN(lanes); i++)
            to[i] = FN(apply)(kernel, x[i], y[i], y[i], p0, p1, p2, p3);
    }
}

static void __attribute__((noinline, unused)) FN(filled_up)(T *z, const T *a, const T *b, ptrdiff_t n, const T *p,
                                                            FN(lanes_fn) *lanes)
{
    const ptrdiff_t whole = n - n % FN(lanes), rest = n - whole;
    T               room[3][FN(lanes)] = {{0}};
    lanes(z, a, b, whole, p);
    if (!rest)
        return;
    memcpy(room[0], a + whole, (size_t)rest * sizeof(T));
    memcpy(room[1], b + whole, (size_t)rest * sizeof(T));
    lanes(room[2], room[0], room[1], FN(lanes), p);
    memcpy(z + whole, room[2], (size_t)rest * sizeof(T));
}

KT_ALWAYS void FN(loop)(T *z, const T *a, const T *b, const T *c, ptrdiff_t n, const T *p, int kernel)
{
#ifdef KT_LOOP_HOOK
    if (KT_LOOP_HOOK(z, a, n, kernel))
        return;
#endif
    const T p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
    KT_EACH
    for (ptrdiff_t i = 0; i < n; i++)
        z[i] = FN(apply)(kernel, a[i], b[i], c[i], p0, p1, p2, p3);
}

/* Stamp: one loop a row. */
#define STAMP(name)                                                                                                    \
    static void FN(lanes_##name)(T * z, const T *a, const T *b, ptrdiff_t n, const T *p)                               \
    {                                                                                                                  \
        FN(by_lanes)(z, a, b, n, p, KT_K_##name);                                                                      \
    }                                                                                                                  \
    static void FN(loop_##name)(T * z, const T *a, const T *b, const T *c, ptrdiff_t n, const T *p)                    \
    {                                                                                                                  \
        if (FN(goes_by_lanes)(KT_K_##name))                                                                            \
            FN(filled_up)(z, a, b, n, p, FN(lanes_##name));                                                            \
        else                                                                                                           \
            FN(loop)(z, a, b, c, n, p, KT_K_##name);                                                                   \
    }
#define UN(name, ...) STAMP(name)
#include "tables/unary.def"
#define BIN(name, ...) STAMP(name)
#include "tables/binary.def"
#define TER(name, ...) STAMP(name)
#include "tables/ternary.def"
#undef STAMP

typedef void FN(loop_fn)(T *z, const T *a, const T *b, const T *c, ptrdiff_t n, const T *p);

#define TEXT_(...)       #__VA_ARGS__
#define TEXT(...)        TEXT_(__VA_ARGS__)
#define ENTRY(name, ...) [KT_K_##name] = sizeof(TEXT(PICK(__VA_ARGS__))) == sizeof "NO" ? NULL : FN(loop_##name),
static FN(loop_fn) *const FN(loops)[KT_K_elementwise_end] = {
#define UN ENTRY
#include "tables/unary.def"
#define BIN ENTRY
#include "tables/binary.def"
#define TER ENTRY
#include "tables/ternary.def"
};
#undef ENTRY
#undef TEXT
#undef TEXT_

static bool FN(has)(kt_kernel_id kernel)
{
    return kernel > KT_K_none && kernel < KT_K_elementwise_end && FN(loops)[kernel] != NULL;
}

/* Integers alone: these rows look for zero divisors first. */
KT_ALWAYS bool FN(divides)(kt_kernel_id k)
{
    return KT_IS_INTEGER && (k == KT_K_div_trunc || k == KT_K_div_floor || k == KT_K_fmod || k == KT_K_remainder);
}

typedef struct FN(job) {
    FN(loop_fn) *loop;
    int          n_in;
    bool         divides;
    int          divided_by_zero;
    kt__writing  writing;
    FN(lens)     lens[4];   /* the output, then the inputs */
    ptrdiff_t    fetched[4]; /* bytes of an element of an input that is fetched ahead, else 0 */
    T            p[KT_MAX_PARAMS];
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

/* p3 of the tables: which narrow float the result is, told by the low bits of T that it lacks; of a narrow integer the
 * smallest number. */
static T FN(narrower)(int as)
{
    if (KT_IS_INTEGER)
        return (T)(as == KT_I8 ? INT8_MIN : as == KT_I16 ? INT16_MIN : 0);
    return (T)(as == KT_F16 ? 13 : as == KT_BF16 ? 16 : 0);
}

static kt_status __attribute__((noinline)) FN(run_tiled)(const kt_plan *plan, FN(loop_fn) *loop)
{
    FN(job)       job;
    kt__range_fn *part = plan->contiguous ? FN(contiguous_part) : FN(part);
    job.loop = loop;
    job.n_in = plan->n_in;
    job.divided_by_zero = 0;
    job.divides = FN(divides)(plan->kernel);
    if (!plan->contiguous)
        kt__rows_of(&job.rows, plan);
    for (int i = 0; i < plan->n_in + 1; i++) {
        const bool imm = plan->arg[i].immediate;
        job.base[i] = imm ? (char *)plan->imm[i].bytes : plan->arg[i].data;
        job.lens[i] = FN(lens_of)(&plan->arg[i], !plan->contiguous      ? job.rows.step[i]
                                                 : imm || plan->nd == 0 ? 0
                                                                        : plan->stride[i][0]);
    }
    for (int i = 0; i < KT_MAX_PARAMS; i++)
        job.p[i] = i < plan->n_param ? FN(scalar)(&plan->param[i]) : 0;
    job.p[3] = FN(narrower)(plan->arg[0].as);
    job.writing = kt__writing_of(plan, job.lens[0].step);
    for (int i = 1; i < plan->n_in + 1; i++)
        job.fetched[i] = kt__fetched_of(plan, i, job.lens[i].step, job.writing);
    if (plan->numel <= KT__GRAIN)
        part(&job, 0, plan->numel);
    else
        kt__parallel(plan->numel, KT__GRAIN, part, &job);
    if (job.divided_by_zero)
        return kt_fail(KT_ERR_RUNTIME, "ZeroDivisionError");
    return KT_OK;
}

/* Small, dense, and of type T throughout: straight to the loop. What costs anything is left to run_tiled. */
static kt_status FN(elementwise)(const kt_plan *plan)
{
    static const T none[KT_MAX_PARAMS];
    FN(loop_fn)   *loop = FN(loops)[plan->kernel];
    const int64_t  n = plan->numel;
    const T       *in[3];
    if (KT_IS_INTEGER && plan->kernel == KT_K_bitwise_not && plan->arg[0].as == KT_BOOL)
        loop = FN(loops)[KT_K_logical_not];
    if (loop == NULL)
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "the CPU has no such kernel for this dtype");
    if (n == 0)
        return KT_OK;
    if (!plan->contiguous || n > KT__GRAIN || plan->n_param != 0 || FN(divides)(plan->kernel))
        return FN(run_tiled)(plan, loop);
    const kt_operand *z = plan->arg;
    bool              plain = z->is == SELF && z->as == SELF;
    for (int k = 0; k < plan->n_in; k++) {
        const kt_operand *x = &plan->arg[k + 1];
        plain &= x->is == SELF && x->as == SELF && x->bits == 0
            && (n == 1 || (!x->immediate && plan->stride[k + 1][0] == (int64_t)sizeof(T)));
        in[k] = (const T *)(const void *)(x->immediate ? (const char *)plan->imm[k + 1].bytes : x->data);
    }
    if (!plain)
        return FN(run_tiled)(plan, loop);
    loop((T *)(void *)z->data, in[0], in[plan->n_in > 1], in[plan->n_in > 2 ? 2 : 0], n, none);
    return KT_OK;
}
