/* ctc.inc.c - connectionist temporal classification (CTC) in compute type T. A template: the includer defines T, ID and SELF.
 *
 * In: plans of ctc_loss and ctc_loss_backward (tables/kernels/recurrent.h). Out: the negative logarithm of how likely the targets
 * are, and what the gradient needs: the logarithms of all beginnings; or the gradient. A target of n labels is a line of 2 n + 1
 * places, with blanks between; one step of time is one pass over the line, all places at once. Threads share out samples.
 * Independent of: dtypes, operators.
 *
 * A. Graves, S. Fernandez, F. Gomez and J. Schmidhuber, Connectionist Temporal Classification, ICML 2006, whose forward and
 * backward variables these are. */

typedef struct FN(ctc) {
    const kt_plan *plan;
    int64_t        steps, batch, classes, places, blank; /* places: of the longest target */
    const int64_t *targets, *inputs, *lengths, *begins;  /* labels; of each sample: steps, labels, its first label */
    const T       *log_probs;                            /* [steps, batch, classes] */
    T             *loss, *alpha;                         /* [batch], [batch, steps, places] */
    const T       *from;                                 /* [batch]: what flows back */
    T             *grad;                                 /* [steps, batch, classes] */
    bool           forgives;                             /* zero_infinity */
    bool           failed;
} FN(ctc);

typedef struct FN(line) { /* of one sample */
    int64_t  n;
    int64_t *label;         /* of each place */
    T       *skips, *log_p; /* 0 where a place may follow the one before its blank, else -infinity; log_probs of the places */
    T       *beta[2], *share;
} FN(line);

/* log(e^a + e^b + e^c) */
KT_ALWAYS T FN(ctc_log_sum)(T a, T b, T c)
{
    const T most = FN(maximum)(FN(maximum)(a, b), c), from = most == -INFINITY ? 0 : most;
    return FN(log)(FN(exp)(a - from) + FN(exp)(b - from) + FN(exp)(c - from)) + from;
}

static int64_t FN(ctc_label)(const FN(ctc) *x, int64_t sample, int64_t place)
{
    const int64_t label = place % 2 ? x->targets[x->begins[sample] + place / 2] : x->blank;
    return label < 0 || label >= x->classes ? -1 : label;
}

static void FN(ctc_lay)(const FN(ctc) *x, FN(line) *l, int64_t sample)
{
    l->n = 2 * x->lengths[sample] + 1;
    for (int64_t s = 0; s < l->n; s++) {
        l->label[s] = FN(ctc_label)(x, sample, s);
        l->skips[s] = s % 2 && s > 1 && l->label[s] != l->label[s - 2] ? 0 : -INFINITY;
    }
}

/* A label that is no class is never seen. */
static void FN(ctc_read)(const FN(ctc) *x, const FN(line) *l, int64_t sample, int64_t t)
{
    const T *row = x->log_probs + (t * x->batch + sample) * x->classes;
    for (int64_t s = 0; s < l->n; s++)
        l->log_p[s] = l->label[s] < 0 ? -INFINITY : row[l->label[s]];
}

/* ---- forward ---- */

static void FN(ctc_step)(T *now, const T *was, const T *skips, const T *log_p, int64_t n)
{
    now[0] = was[0] + log_p[0];
    if (n > 1)
        now[1] = FN(ctc_log_sum)(was[1], was[0], -INFINITY) + log_p[1];
    KT_EACH
    for (int64_t s = 2; s < n; s++)
        now[s] = FN(ctc_log_sum)(was[s], was[s - 1], was[s - 2] + skips[s]) + log_p[s];
}

static void FN(ctc_forward)(const FN(ctc) *x, FN(line) *l, int64_t sample)
{
    T            *alpha = x->alpha + sample * x->steps * x->places;
    const int64_t steps = x->inputs[sample];
    FN(ctc_lay)(x, l, sample);
    for (int64_t i = 0; i < x->steps * x->places; i++)
        alpha[i] = -INFINITY;
    for (int64_t t = 0; t < steps; t++) {
        FN(ctc_read)(x, l, sample, t);
        if (t)
            FN(ctc_step)(alpha + t * x->places, alpha + (t - 1) * x->places, l->skips, l->log_p, l->n);
        else
            for (int64_t s = 0; s < 2 && s < l->n; s++)
                alpha[s] = l->log_p[s];
    }
    if (steps == 0) {
        x->loss[sample] = l->n == 1 ? -(T)0 : INFINITY;
        return;
    }
    const T *end = alpha + (steps - 1) * x->places + l->n - 1;
    x->loss[sample] = -(l->n > 1 ? FN(ctc_log_sum)(end[0], end[-1], -INFINITY) : end[0]);
}

/* ---- back: endings as beginnings, the other way round; their product is how likely a place is at a time ---- */

static void FN(ctc_step_back)(T *now, const T *was, const T *skips, const T *log_p, int64_t n)
{
    KT_EACH
    for (int64_t s = 0; s < n - 2; s++)
        now[s] = FN(ctc_log_sum)(was[s], was[s + 1], was[s + 2] + skips[s + 2]) + log_p[s];
    if (n > 1)
        now[n - 2] = FN(ctc_log_sum)(was[n - 2], was[n - 1], -INFINITY) + log_p[n - 2];
    now[n - 1] = was[n - 1] + log_p[n - 1];
}

static void FN(ctc_grad)(const FN(ctc) *x, const FN(line) *l, int64_t sample, int64_t t, const T *beta)
{
    const T *alpha = x->alpha + (sample * x->steps + t) * x->places;
    const T *row = x->log_probs + (t * x->batch + sample) * x->classes;
    const T  loss = x->loss[sample], from = x->from[sample];
    T       *to = x->grad + (t * x->batch + sample) * x->classes;
    KT_EACH
    for (int64_t s = 0; s < l->n; s++)
        l->share[s] = FN(exp)(alpha[s] + beta[s] - l->log_p[s] + loss);
    KT_EACH
    for (int64_t c = 0; c < x->classes; c++) /* what is infinite has no slope */
        to[c] = FN(exp)(row[c]) + (row[c] - row[c]) + (loss - loss);
    for (int64_t s = 0; s < l->n; s++)
        if (l->label[s] >= 0)
            to[l->label[s]] -= l->share[s];
    for (int64_t c = 0; c < x->classes; c++)
        to[c] *= from;
}

static void FN(ctc_back)(const FN(ctc) *x, FN(line) *l, int64_t sample)
{
    const bool    forgiven = x->forgives && x->loss[sample] == INFINITY;
    const int64_t steps = forgiven ? 0 : x->inputs[sample];
    FN(ctc_lay)(x, l, sample);
    for (int64_t t = x->steps - 1; t >= steps; t--)
        memset(x->grad + (t * x->batch + sample) * x->classes, 0, (size_t)x->classes * sizeof(T));
    for (int64_t t = steps - 1; t >= 0; t--) {
        T *beta = l->beta[t % 2];
        FN(ctc_read)(x, l, sample, t);
        if (t < steps - 1)
            FN(ctc_step_back)(beta, l->beta[!(t % 2)], l->skips, l->log_p, l->n);
        else
            for (int64_t s = 0; s < l->n; s++)
                beta[s] = s >= l->n - 2 ? l->log_p[s] : -INFINITY;
        FN(ctc_grad)(x, l, sample, t, beta);
    }
}

/* ---- plans ---- */

static void FN(ctc_samples)(void *ctx, int64_t begin, int64_t end)
{
    FN(ctc)     *x = ctx;
    const size_t bytes = (size_t)x->places * (5 * sizeof(T) + sizeof(int64_t));
    size_t       granted;
    int64_t     *room = kt__block_get(bytes, &granted);
    if (!room) {
        __atomic_store_n(&x->failed, true, __ATOMIC_RELAXED);
        return;
    }
    T       *of = (T *)(void *)(room + x->places);
    FN(line) l = {.label = room, .skips = of, .log_p = of + x->places, .share = of + 2 * x->places,
                  .beta = {of + 3 * x->places, of + 4 * x->places}};
    for (int64_t i = begin; i < end; i++)
        if (x->grad)
            FN(ctc_back)(x, &l, i);
        else
            FN(ctc_forward)(x, &l, i);
    kt__block_put(room, granted);
}

static kt_status FN(ctc_run)(const kt_plan *plan)
{
    const bool        back = plan->kernel == KT_K_ctc_loss_backward;
    const kt_operand *in = plan->arg + plan->n_out;
    const int64_t    *sizes = (const int64_t *)(const void *)in[KT__CTC_LENGTHS].data;
    FN(ctc)           x = {.plan = plan, .steps = plan->param[KT__CTC_STEPS].v.i, .batch = plan->param[KT__CTC_BATCH].v.i,
                           .classes = plan->param[KT__CTC_CLASSES].v.i, .places = plan->param[KT__CTC_PLACES].v.i,
                           .blank = plan->param[KT__CTC_BLANK].v.i, .forgives = plan->param[KT__CTC_FORGIVES].v.i != 0};
    x.targets = (const int64_t *)(const void *)in[KT__CTC_TARGETS].data;
    x.inputs = sizes, x.lengths = sizes + x.batch, x.begins = sizes + 2 * x.batch;
    x.log_probs = (const T *)(const void *)in[KT__CTC_LOG_PROBS].data;
    x.loss = (T *)(void *)(back ? in[KT__CTC_LOSS].data : plan->arg[0].data);
    x.alpha = (T *)(void *)(back ? in[KT__CTC_ALPHA].data : plan->arg[1].data);
    x.from = back ? (const T *)(const void *)in[KT__CTC_FROM].data : NULL;
    x.grad = back ? (T *)(void *)plan->arg[0].data : NULL;
    kt__parallel(x.batch, KT__GRAIN / (16 * x.steps * x.places + 1) + 1, FN(ctc_samples), &x);
    return x.failed ? kt__fail_memory((size_t)x.places * (5 * sizeof(T) + sizeof(int64_t))) : KT_OK;
}
