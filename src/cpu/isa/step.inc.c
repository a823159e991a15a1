/* step.inc.c - the steps of optimizers in compute type T. A template: the names of T are those of types/, tile.h is included.
 *
 * In: plans of the family optimizer. Out: parameters, states and gradients, updated in one pass over memory; other dtypes pass
 * through tiles in L1. What happens to an element stands in math/step.inc.c. Independent of: tensors, lists, which step of a
 * training it is. */

enum { FN(step_arrays) = 5 }; /* parameter, up to three states, gradient */

typedef struct FN(step_job) {
    int              kernel, flags;
    int              n, gradient; /* arrays; which of them is the gradient */
    FN(lens)         lens[FN(step_arrays)];
    FN(step_numbers) by;
    kt__rows         rows;
} FN(step_job);

/* ---- the loops: n dense elements ---- */

static void FN(step_unscale)(T *g, int n, T scale)
{
    for (int i = 0; i < n; i++)
        g[i] /= scale;
}

KT_ALWAYS void FN(adam_loop)(T *restrict p, T *restrict m, T *restrict v, T *restrict x, const T *g, int n,
                             const FN(step_numbers) *by, bool amsgrad, bool decoupled)
{
    const T    sign = by->sign, decay = by->decay, weight = by->weight;
    const T    square = by->square, rest = by->square_rest, root = by->root, eps = by->eps, rate = by->rate;
    const bool decays = by->decays && !decoupled, shrinks = by->decays && decoupled, from_gradient = by->from_gradient;
    KT_EACH
    for (int i = 0; i < n; i++) {
        const T gradient = FN(followed)(g[i], p[i], sign, decay, decays);
        const T parameter = shrinks ? p[i] * decay : p[i];
        const T mean = FN(adam_mean)(m[i], gradient, weight, from_gradient);
        const T variance = FN(adam_variance)(v[i], gradient, square, rest);
        T       largest = variance;
        m[i] = mean;
        v[i] = variance;
        if (amsgrad) {
            largest = FN(adam_largest)(x[i], variance);
            x[i] = largest;
        }
        p[i] = FN(adam_parameter)(parameter, mean, largest, rate, root, eps);
    }
}

static void FN(adam_tile)(const FN(step_job) *job, T *const *at, int n)
{
    const T   *g = at[job->gradient];
    const bool decoupled = (job->flags & KT__STEP_DECOUPLED) != 0;
    if (job->flags & KT__STEP_AMSGRAD) {
        if (decoupled)
            FN(adam_loop)(at[0], at[1], at[2], at[3], g, n, &job->by, true, true);
        else
            FN(adam_loop)(at[0], at[1], at[2], at[3], g, n, &job->by, true, false);
    } else if (decoupled) {
        FN(adam_loop)(at[0], at[1], at[2], NULL, g, n, &job->by, false, true);
    } else {
        FN(adam_loop)(at[0], at[1], at[2], NULL, g, n, &job->by, false, false);
    }
}

static void FN(sgd_plain)(T *restrict p, const T *g, int n, const FN(step_numbers) *by)
{
    const T    sign = by->sign, decay = by->decay, rate = by->rate;
    const bool decays = by->decays;
    KT_EACH
    for (int i = 0; i < n; i++)
        p[i] = FN(sgd_parameter)(p[i], FN(followed)(g[i], p[i], sign, decay, decays), rate);
}

static void FN(sgd_momentum)(T *restrict p, T *restrict b, const T *g, int n, const FN(step_job) *job)
{
    const T    sign = job->by.sign, decay = job->by.decay, rate = job->by.rate;
    const T    momentum = job->by.momentum, share = job->by.share;
    const bool decays = job->by.decays, first = (job->flags & KT__STEP_FIRST) != 0;
    const bool nesterov = (job->flags & KT__STEP_NESTEROV) != 0;
    KT_EACH
    for (int i = 0; i < n; i++) {
        const T gradient = FN(followed)(g[i], p[i], sign, decay, decays);
        const T buffer = FN(sgd_buffer)(b[i], gradient, momentum, share, first);
        b[i] = buffer;
        p[i] = FN(sgd_parameter)(p[i], FN(sgd_direction)(buffer, gradient, momentum, nesterov), rate);
    }
}

static void FN(adagrad_loop)(T *restrict p, T *restrict s, const T *g, int n, const FN(step_numbers) *by)
{
    const T    sign = by->sign, decay = by->decay, rate = by->rate, eps = by->eps;
    const bool decays = by->decays;
    KT_EACH
    for (int i = 0; i < n; i++) {
        const T gradient = FN(followed)(g[i], p[i], sign, decay, decays);
        const T sum = FN(adagrad_sum)(s[i], gradient);
        s[i] = sum;
        p[i] = FN(adagrad_parameter)(p[i], gradient, sum, rate, eps);
    }
}

/* ---- a row, tile by tile ---- */

static void FN(step_row)(void *ctx, char *const *at, int64_t n, int64_t index)
{
    (void)index;
    const FN(step_job) *job = ctx;
    const bool          scaled = (job->flags & KT__STEP_SCALED) != 0;
    T                   tile[FN(step_arrays)][TILE], *in[FN(step_arrays)];
    for (int64_t done = 0; done < n; done += TILE) {
        const int m = n - done < TILE ? (int)(n - done) : TILE;
        for (int k = 0; k < job->n; k++) {
            char *place = at[k] + done * job->lens[k].step;
            in[k] = job->lens[k].direct ? (T *)(void *)place : tile[k];
            if (!job->lens[k].direct)
                FN(load_tile)(tile[k], &job->lens[k], place, m);
        }
        if (scaled) {
            FN(step_unscale)(in[job->gradient], m, job->by.scale);
            if (!job->lens[job->gradient].direct) { /* a store may round its tile, and the step sees what was not rounded */
                T copy[TILE];
                memcpy(copy, tile[job->gradient], (size_t)m * sizeof(T));
                FN(store_tile)(at[job->gradient] + done * job->lens[job->gradient].step, &job->lens[job->gradient], copy, m);
            }
        }
        if (job->kernel == KT_K_adam)
            FN(adam_tile)(job, in, m);
        else if (job->kernel == KT_K_adagrad)
            FN(adagrad_loop)(in[0], in[1], in[job->gradient], m, &job->by);
        else if (job->flags & KT__STEP_MOMENTUM)
            FN(sgd_momentum)(in[0], in[1], in[job->gradient], m, job);
        else
            FN(sgd_plain)(in[0], in[job->gradient], m, &job->by);
        for (int k = 0; k < job->gradient; k++)
            if (!job->lens[k].direct)
                FN(store_tile)(at[k] + done * job->lens[k].step, &job->lens[k], tile[k], m);
    }
}

static void FN(step_part)(void *ctx, int64_t begin, int64_t end)
{
    FN(step_job) *job = ctx;
    kt__rows_walk(&job->rows, begin, end, FN(step_row), job);
}

/* ---- the numbers of a step ---- */

static double FN(step_param)(const kt_plan *plan, int i) { return kt__scalar_f64(&plan->param[i]); }

static void FN(numbers_of)(FN(step_job) *job, const kt_plan *plan, double rate, double step)
{
    const double a = FN(step_param)(plan, 2), b = FN(step_param)(plan, 3), c = FN(step_param)(plan, 4);
    job->by.sign = job->flags & KT__STEP_MAXIMIZES ? -1 : 1;
    if (plan->kernel == KT_K_adam)
        FN(adam_numbers)(&job->by, (job->flags & KT__STEP_DECOUPLED) != 0, rate, a, b, kt__power_f64(a, step),
                         kt__power_f64(b, step), c, FN(step_param)(plan, 5));
    else if (plan->kernel == KT_K_adagrad)
        FN(adagrad_numbers)(&job->by, rate, step, a, b, c);
    else
        FN(sgd_numbers)(&job->by, rate, a, b, c);
}

static kt_status FN(step)(const kt_plan *plan)
{
    enum { FLAGS, RATE };
    FN(step_job) job;
    int          next;
    double       step = 1, rate = kt__scalar_f64(&plan->param[RATE]);
    job.kernel = plan->kernel;
    job.flags = (int)plan->param[FLAGS].v.i;
    job.gradient = plan->kernel == KT_K_adam      ? 3 + ((job.flags & KT__STEP_AMSGRAD) != 0)
                   : plan->kernel == KT_K_adagrad ? 2
                                                  : 1 + ((job.flags & KT__STEP_MOMENTUM) != 0);
    job.n = next = job.gradient + 1;
    if (plan->kernel != KT_K_sgd)
        step = kt__operand_f64(plan, next++);
    if (job.flags & KT__STEP_RATE)
        rate = kt__operand_f64(plan, next++);
    job.by.scale = job.flags & KT__STEP_SCALED ? (T)kt__operand_f64(plan, next++) : 1;
    if (job.flags & KT__STEP_WATCHED && kt__operand_f64(plan, next) == 1)
        return KT_OK;
    FN(numbers_of)(&job, plan, rate, step);
    kt__rows_of(&job.rows, plan);
    for (int i = 0; i < job.n; i++)
        job.lens[i] = FN(lens_of)(&plan->arg[i], job.rows.step[i]);
    kt__parallel(plan->numel, KT__GRAIN / 4, FN(step_part), &job); /* two quotients and a root weigh as much as four sums */
    return KT_OK;
}

/* ---- what a scaled loss has made of gradients ---- */

typedef struct FN(unscale_job) {
    FN(lens) lens;
    T        factor;
    int      found;
    kt__rows rows;
} FN(unscale_job);

static bool FN(any_endless)(const T *g, int n)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        found |= FN(is_endless)(g[i]);
    return found != 0;
}

static void FN(unscale_row)(void *ctx, char *const *at, int64_t n, int64_t index)
{
    (void)index;
    FN(unscale_job) *job = ctx;
    const T          factor = job->factor;
    T                tile[TILE];
    for (int64_t done = 0; done < n; done += TILE) {
        const int m = n - done < TILE ? (int)(n - done) : TILE;
        char     *place = at[0] + done * job->lens.step;
        T        *g = job->lens.direct ? (T *)(void *)place : tile;
        if (!job->lens.direct)
            FN(load_tile)(tile, &job->lens, place, m);
        if (FN(any_endless)(g, m))
            __atomic_store_n(&job->found, 1, __ATOMIC_RELAXED);
        if (factor == 1)
            continue;
        for (int i = 0; i < m; i++)
            g[i] *= factor;
        if (!job->lens.direct)
            FN(store_tile)(place, &job->lens, tile, m);
    }
}

static void FN(unscale_part)(void *ctx, int64_t begin, int64_t end)
{
    FN(unscale_job) *job = ctx;
    kt__rows_walk(&job->rows, begin, end, FN(unscale_row), job);
}

static kt_status FN(unscale)(const kt_plan *plan)
{
    enum { GRADIENT, FOUND, FACTOR };
    FN(unscale_job) job = {.factor = (T)kt__operand_f64(plan, FACTOR)};
    kt__rows_of(&job.rows, plan);
    job.lens = FN(lens_of)(&plan->arg[GRADIENT], job.rows.step[GRADIENT]);
    kt__parallel(plan->numel, KT__GRAIN, FN(unscale_part), &job);
    if (job.found) { /* plans of other gradients may write it at the same time */
        const float one = 1;
        uint32_t    bits;
        memcpy(&bits, &one, sizeof bits);
        __atomic_store_n((uint32_t *)(void *)plan->arg[FOUND].data, bits, __ATOMIC_RELAXED);
    }
    return KT_OK;
}
