/* cast.inc.c - copies that change the dtype, or whose source carries bits, and ranges. A template like the others: T
 * is the compute type of the source (cast) or of the result (range).
 *
 * In: a plan of one output and one input over the same dims (cast), of one output alone (range). Out: the output. */
#include "cpu/write.h"
#include "tables/kernels/copy.h"

typedef struct FN(cast_job) {
    FN(lens)    to, from;
    kt_rounding rounding;
    uint64_t    seed;
    kt__writing writing;
    ptrdiff_t   fetched; /* bytes of an element of the source, if that is fetched ahead, else 0 */
    kt__rows    rows;
} FN(cast_job);

/* The roundings that the caller asked for by name are rare: through the plain conversions of dtype/value.h. */
static void FN(cast_rounding)(const FN(cast_job) *job, char *y, T *tile, int n, int64_t index)
{
    kt__round_rng rng = {job->seed, (uint64_t)index};
    kt__convert_rounding(y, (kt_dtype)job->to.is, job->to.step, tile, SELF, (ptrdiff_t)sizeof(T), n, job->rounding,
                         &rng);
}

static void FN(cast_row)(void *ctx, char *const *at, int64_t n, int64_t index)
{
    const FN(cast_job) *job = ctx;
    const FN(lens)     *to = &job->to, *from = &job->from;
    T                   tile[TILE];
    char                line[TILE * 16] __attribute__((aligned(CACHE_LINE)));
    if (from->step == 0) {
        FN(load_tile)(tile, from, at[1], 1);
        for (int i = 1; i < TILE && i < n; i++)
            tile[i] = tile[0];
    }
    const int most = job->writing == KT__WRITE_PLAIN ? TILE : SHORT_TILE;
    for (int64_t done = 0; done < n; done += most) {
        const int    m = n - done < most ? (int)(n - done) : most;
        const char  *x = at[1] + done * from->step;
        char        *place = at[0] + done * to->step;
        const size_t bytes = (size_t)(m * to->step);
        const bool   past = job->writing == KT__WRITE_PAST && can_write_past(place, bytes);
        char        *y = past ? line : place;
        fetch_for_reading(x + m * job->fetched, (size_t)(m * job->fetched));
        if (job->writing == KT__WRITE_FETCHED)
            fetch_for_writing(place + bytes, bytes);
        if (job->rounding != KT_ROUND_TORCH) {
            if (from->step != 0)
                FN(load_tile)(tile, from, x, m);
            FN(cast_rounding)(job, y, tile, m, index + done);
        } else if (to->direct && from->step != 0) {
            FN(load_tile)((T *)(void *)y, from, x, m);
        } else if (from->direct && !to->rounds && to->step == kt__dtype_rows[to->is].size) {
            FN(stores)[to->is](y, (const T *)(const void *)x, m);
        } else {
            if (from->step != 0)
                FN(load_tile)(tile, from, x, m);
            FN(store_tile)(y, to, tile, m);
        }
        if (past)
            write_past(place, line, bytes);
    }
}

static void FN(cast_part)(void *ctx, int64_t begin, int64_t end)
{
    FN(cast_job) *job = ctx;
    kt__rows_walk(&job->rows, begin, end, FN(cast_row), job);
    if (job->writing == KT__WRITE_PAST)
        write_past_end();
}

static kt_status FN(cast)(const kt_plan *plan)
{
    FN(cast_job) job;
    const bool   small = plan->contiguous && plan->numel <= KT__GRAIN;
    const bool   imm = plan->arg[1].immediate, alone = plan->nd == 0;
    job.rounding = (kt_rounding)plan->rounding;
    job.seed = plan->seed;
    if (!small)
        kt__rows_of(&job.rows, plan);
    job.to = FN(lens_of)(&plan->arg[0], !small ? job.rows.step[0] : alone ? 0 : plan->stride[0][0]);
    kt_operand from = plan->arg[1];
    if (from.as == plan->arg[0].is && !job.to.rounds)
        from.as = from.is; /* the store is that cast */
    job.from = FN(lens_of)(&from, !small ? job.rows.step[1] : alone || imm ? 0 : plan->stride[1][0]);
    job.writing = kt__writing_of(plan, job.to.step);
    job.fetched = kt__fetched_of(plan, 1, job.from.step, job.writing);
    if (small) {
        char *at[2] = {plan->arg[0].data, imm ? (char *)plan->imm[1].bytes : plan->arg[1].data};
        FN(cast_row)(&job, at, plan->numel, 0);
        return KT_OK;
    }
    kt__parallel(plan->numel, KT__GRAIN, FN(cast_part), &job);
    return KT_OK;
}

/* ---- arange, linspace, logspace: in double, whatever T is, except that integers count exactly ---- */
#if KT_IS_COMPLEX
#define WIDE c128
#else
#define WIDE f64
#endif
#define WIDE_ KT_CAT(kt__, WIDE)
#if !KT_IS_INTEGER && !KT_IS_COMPLEX
static T FN(fit_if)(T x, T cut) { return cut != 0 ? FN(fit)(x, cut) : x; }

/* linspace steps in the float of the result itself, from both ends; a wide one rounds product and sum at once. */
static T FN(step_at)(const kt_plan *plan, int64_t i, T cut)
{
    const int64_t last = plan->numel - 1;
    const bool    near = i < plan->numel / 2;
    const T       a = FN(fit_if)(FN(scalar)(&plan->param[0]), cut), b = FN(fit_if)(FN(scalar)(&plan->param[1]), cut);
    const T       by = last > 0 ? FN(fit_if)(FN(fit_if)(b - a, cut) / FN(fit_if)((T)last, cut), cut) : 0;
    if (last < 1)
        return a;
    if (cut == 0)
        return (T)(near ? fma(by, (double)i, a) : fma(-by, (double)(last - i), b));
    return near ? a + FN(fit)(by * FN(fit)((T)i, cut), cut) : b - FN(fit)(by * FN(fit)((T)(last - i), cut), cut);
}

/* The exponents of logspace: ends and step are the result's, the rest is wide; a single one is not rounded at all. */
static double FN(exponent_at)(const kt_plan *plan, int64_t i, T cut)
{
    const int64_t last = plan->numel - 1;
    if (last < 1)
        return kt__scalar_f64(&plan->param[0]);
    const T      a = FN(fit_if)(FN(scalar)(&plan->param[0]), cut), b = FN(fit_if)(FN(scalar)(&plan->param[1]), cut);
    const double by = (double)((b - a) / (T)last);
    return i < plan->numel / 2 ? (double)a + (double)i * by : (double)b - (double)(last - i) * by;
}
#endif

static T FN(range_at)(const kt_plan *plan, int64_t i)
{
#if KT_IS_INTEGER
    if (plan->kernel == KT_K_arange)
        return FN(scalar)(&plan->param[0]) + (T)i * FN(scalar)(&plan->param[1]);
#endif
#if !KT_IS_INTEGER && !KT_IS_COMPLEX
    const T cut = FN(narrower)(plan->arg[0].as);
    if (plan->kernel == KT_K_linspace)
        return FN(step_at)(plan, i, cut);
    if (plan->kernel == KT_K_logspace)
        return (T)kt__power_f64(kt__scalar_f64(&plan->param[2]), FN(exponent_at)(plan, i, cut));
#endif
    const WIDE_ start = FN__(kt__scalar, WIDE)(&plan->param[0]), other = FN__(kt__scalar, WIDE)(&plan->param[1]);
    if (plan->kernel == KT_K_arange)
        return TO__(ID, WIDE)(start + (double)i * other);
    const int64_t last = plan->numel - 1;
    const WIDE_   step = last > 0 ? (other - start) / (double)last : 0;
    const bool    near = last < 1 || i < plan->numel / 2;
#if !KT_IS_COMPLEX
    if (plan->kernel == KT_K_linspace)
        return TO__(ID, WIDE)(near ? fma(step, (double)i, start) : fma(-step, (double)(last - i), other));
#endif
    const WIDE_ x = near ? start + (double)i * step : other - (double)(last - i) * step;
    if (plan->kernel == KT_K_linspace)
        return TO__(ID, WIDE)(x);
    return TO__(ID, WIDE)(FN__(kt__power, WIDE)(FN__(kt__scalar, WIDE)(&plan->param[2]), x));
}
#undef WIDE_
#undef WIDE

static void FN(range_part)(void *ctx, int64_t begin, int64_t end)
{
    const kt_plan *plan = ctx;
    const FN(lens) to = FN(lens_of)(&plan->arg[0], plan->nd != 0 ? plan->stride[0][0] : 0);
    T              tile[TILE];
    for (int64_t done = begin; done < end; done += TILE) {
        const int m = end - done < TILE ? (int)(end - done) : TILE;
        for (int i = 0; i < m; i++)
            tile[i] = FN(range_at)(plan, done + i);
        FN(store_tile)(plan->arg[0].data + done * to.step, &to, tile, m);
    }
}

static kt_status FN(range)(const kt_plan *plan)
{
    kt__parallel(plan->numel, KT__GRAIN, FN(range_part), (void *)(uintptr_t)plan);
    return KT_OK;
}
