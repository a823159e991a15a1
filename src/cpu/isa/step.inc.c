/* step.inc.c - the steps of optimizers in compute type T. A template: the names of T are those of types/, tile.h is included.
 *
 * In: plans of the family optimizer. Out: parameters, states and gradients, updated in one pass over memory; other dtypes pass
 * through tiles in L1. Each fma stands where PyTorch's vectors have one, so that float32 and float64 have its bits.
 * Independent of: tensors, lists, which step of a training it is. */

enum { FN(step_arrays) = 5 }; /* parameter, up to three states, gradient */

typedef struct FN(step_job) {
    int      kernel, flags;
    int      n, gradient;                /* arrays; which of them is the gradient */
    FN(lens) lens[FN(step_arrays)];
    T        scale, rate, decay;         /* decay: a factor of the parameter where it is decoupled */
    T        weight, mean_base, square, square_rest, root, eps; /* adam; eps: adagrad's too */
    T        momentum, share;            /* sgd; share: of the gradient in the buffer */
    bool     decays, from_gradient;      /* from_gradient: the average is nearer to it */
    kt__rows rows;
} FN(step_job);

/* ---- the loops: n dense elements ---- */

static void FN(step_unscale)(T *g, int n, T scale)
{
    for (int i = 0; i < n; i++)
        g[i] /= scale;
}

/* The gradient that a step follows: negated, and with the decay of weights in it. */
KT_ALWAYS T FN(followed)(T g, T p, T sign, T decay, bool decays)
{
    g = sign * g;
    return decays ? FN(fma)(p, decay, g) : g;
}

KT_ALWAYS void FN(adam_loop)(T *restrict p, T *restrict m, T *restrict v, T *restrict x, const T *g, int n,
                             const FN(step_job) *job, bool amsgrad, bool decoupled)
{
    const T    sign = job->flags & KT__STEP_MAXIMIZES ? -1 : 1, decay = job->decay, weight = job->weight;
    const T    square = job->square, rest = job->square_rest, root = job->root, eps = job->eps, rate = job->rate;
    const bool decays = job->decays && !decoupled, shrinks = job->decays && decoupled, from_gradient = job->from_gradient;
    KT_EACH
    for (int i = 0; i < n; i++) {
        const T gradient = FN(followed)(g[i], p[i], sign, decay, decays);
        const T parameter = shrinks ? p[i] * decay : p[i];
        const T mean = FN(fma)(weight, gradient - m[i], from_gradient ? gradient : m[i]);
        const T variance = FN(fma)(square * gradient, gradient, v[i] * rest);
        T       largest = variance;
        m[i] = mean;
        v[i] = variance;
        if (amsgrad) {
            largest = x[i] > variance || x[i] != x[i] ? x[i] : variance;
            x[i] = largest;
        }
        p[i] = parameter - rate * mean / (MATH(sqrt)(largest) / root + eps);
    }
}

static void FN(adam_tile)(const FN(step_job) *job, T *const *at, int n)
{
    const T   *g = at[job->gradient];
    const bool decoupled = (job->flags & KT__STEP_DECOUPLED) != 0;
    if (job->flags & KT__STEP_AMSGRAD) {
        if (decoupled)
            FN(adam_loop)(at[0], at[1], at[2], at[3], g, n, job, true, true);
        else
            FN(adam_loop)(at[0], at[1], at[2], at[3], g, n, job, true, false);
    } else if (decoupled) {
        FN(adam_loop)(at[0], at[1], at[2], NULL, g, n, job, false, true);
    } else {
        FN(adam_loop)(at[0], at[1], at[2], NULL, g, n, job, false, false);
    }
}

static void FN(sgd_plain)(T *restrict p, const T *g, int n, const FN(step_job) *job)
{
    const T    sign = job->flags & KT__STEP_MAXIMIZES ? -1 : 1, decay = job->decay, rate = -job->rate;
    const bool decays = job->decays;
    KT_EACH
    for (int i = 0; i < n; i++)
        p[i] = FN(fma)(rate, FN(followed)(g[i], p[i], sign, decay, decays), p[i]);
}

static void FN(sgd_momentum)(T *restrict p, T *restrict b, const T *g, int n, const FN(step_job) *job)
{
    const T    sign = job->flags & KT__STEP_MAXIMIZES ? -1 : 1, decay = job->decay, rate = -job->rate;
    const T    momentum = job->momentum, share = job->share;
    const bool decays = job->decays, first = (job->flags & KT__STEP_FIRST) != 0;
    const bool nesterov = (job->flags & KT__STEP_NESTEROV) != 0;
    KT_EACH
    for (int i = 0; i < n; i++) {
        const T gradient = FN(followed)(g[i], p[i], sign, decay, decays);
        const T buffer = first ? gradient : FN(fma)(gradient, share, b[i] * momentum);
        b[i] = buffer;
        p[i] = FN(fma)(rate, nesterov ? FN(fma)(buffer, momentum, gradient) : buffer, p[i]);
    }
}

static void FN(adagrad_loop)(T *restrict p, T *restrict s, const T *g, int n, const FN(step_job) *job)
{
    const T    sign = job->flags & KT__STEP_MAXIMIZES ? -1 : 1, decay = job->decay, rate = job->rate, eps = job->eps;
    const bool decays = job->decays;
    KT_EACH
    for (int i = 0; i < n; i++) {
        const T gradient = FN(followed)(g[i], p[i], sign, decay, decays);
        const T sum = FN(fma)(gradient, gradient, s[i]);
        s[i] = sum;
        p[i] -= rate * gradient / (MATH(sqrt)(sum) + eps);
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
            FN(step_unscale)(in[job->gradient], m, job->scale);
            if (!job->lens[job->gradient].direct) { /* a store may round its tile, and the step sees what was not rounded */
                T copy[TILE];
                memcpy(copy, tile[job->gradient], (size_t)m * sizeof(T));
                FN(store_tile)(at[job->gradient] + done * job->lens[job->gradient].step, &job->lens[job->gradient], copy, m);
            }
        }
        if (job->kernel == KT_K_adam)
            FN(adam_tile)(job, in, m);
        else if (job->kernel == KT_K_adagrad)
            FN(adagrad_loop)(in[0], in[1], in[job->gradient], m, job);
        else if (job->flags & KT__STEP_MOMENTUM)
            FN(sgd_momentum)(in[0], in[1], in[job->gradient], m, job);
        else
            FN(sgd_plain)(in[0], in[job->gradient], m, job);
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

/* ---- the numbers of a step, calculated in float64 and rounded once ---- */

static void FN(adam_numbers)(FN(step_job) *job, const kt_plan *plan, double rate, double step)
{
    enum { BETA1 = 2, BETA2, DECAY, EPS };
    const double beta1 = kt__scalar_f64(&plan->param[BETA1]), beta2 = kt__scalar_f64(&plan->param[BETA2]);
    const double decay = kt__scalar_f64(&plan->param[DECAY]);
    const T      weight = (T)(1 - beta1);
    job->from_gradient = weight >= (T)0.5;
    job->weight = job->from_gradient ? weight - 1 : weight;
    job->square = (T)(1 - beta2);
    job->square_rest = (T)beta2;
    job->decays = decay != 0;
    job->decay = (T)(job->flags & KT__STEP_DECOUPLED ? 1 - rate * decay : decay);
    job->rate = (T)(rate / (1 - kt__power_f64(beta1, step)));
    job->root = (T)__builtin_sqrt(1 - kt__power_f64(beta2, step));
    job->eps = (T)kt__scalar_f64(&plan->param[EPS]);
}

static void FN(sgd_numbers)(FN(step_job) *job, const kt_plan *plan, double rate)
{
    enum { DECAY = 2, MOMENTUM, DAMPENING };
    job->decay = (T)kt__scalar_f64(&plan->param[DECAY]);
    job->decays = kt__scalar_f64(&plan->param[DECAY]) != 0;
    job->momentum = (T)kt__scalar_f64(&plan->param[MOMENTUM]);
    job->share = (T)(1 - kt__scalar_f64(&plan->param[DAMPENING]));
    job->rate = (T)rate;
}

static void FN(adagrad_numbers)(FN(step_job) *job, const kt_plan *plan, double rate, double step)
{
    enum { RATE_DECAY = 2, DECAY, EPS };
    job->decay = (T)kt__scalar_f64(&plan->param[DECAY]);
    job->decays = kt__scalar_f64(&plan->param[DECAY]) != 0;
    job->rate = (T)(rate / (1 + (step - 1) * kt__scalar_f64(&plan->param[RATE_DECAY])));
    job->eps = (T)kt__scalar_f64(&plan->param[EPS]);
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
    job.scale = job.flags & KT__STEP_SCALED ? (T)kt__operand_f64(plan, next++) : 1;
    if (job.flags & KT__STEP_WATCHED && kt__operand_f64(plan, next) == 1)
        return KT_OK;
    if (plan->kernel == KT_K_adam)
        FN(adam_numbers)(&job, plan, rate, step);
    else if (plan->kernel == KT_K_adagrad)
        FN(adagrad_numbers)(&job, plan, rate, step);
    else
        FN(sgd_numbers)(&job, plan, rate);
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
        found |= !(g[i] - g[i] == 0);
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
    const float     one = 1;
    kt__rows_of(&job.rows, plan);
    job.lens = FN(lens_of)(&plan->arg[GRADIENT], job.rows.step[GRADIENT]);
    kt__parallel(plan->numel, KT__GRAIN, FN(unscale_part), &job);
    if (job.found)
        memcpy(plan->arg[FOUND].data, &one, sizeof one);
    return KT_OK;
}
