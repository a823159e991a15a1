/* lbfgs.c - L-BFGS: steps by an estimate of the second derivatives, with a line search that meets the strong conditions of Wolfe.
 *
 * In: parameters with gradients, a function that evaluates the loss and its gradients, what the steps so far have left. Out:
 * parameters, moved. It is written as a user would: what is made of vectors are the operators kt_lbfgs_*. Independent of: who
 * keeps the state, how the loss is evaluated. */
#include <math.h>
#include <string.h>

#include <karat/grad.h>
#include <karat/mode.h>

#include "base/alloc.h"
#include "optim/kinds.h"

typedef struct point { /* a place on the line */
    double     t, f, slope; /* how far, the loss, and the gradient's part along the line */
    kt_tensor *gradient;    /* kept */
} point;

typedef struct run {
    const kt_lbfgs_options *options;
    kt_lbfgs_state         *state;
    kt_tensor *const       *params;
    kt_tensor             **room; /* n gradients, then n values of parameters */
    int64_t                 n, evaluations;
    kt_evaluate            *evaluate;
    void                   *context;
    kt_tensor              *gradient; /* kept: of all parameters, as one vector */
    double                  loss;
} run;

static void replace(kt_tensor **place, kt_tensor *t)
{
    kt_tensor *before = *place;
    *place = kt_keep(t);
    kt_drop(before);
}

static double largest(const kt_tensor *t) { return kt_item(kt_amax(kt_abs(t))); }

/* ---- evaluations ---- */

static kt_status evaluate(run *r, double *loss, kt_tensor **gradient)
{
    KT_SCOPE;
    {
        const bool     before = kt_grad_enabled();
        kt_set_grad_enabled(true);
        const kt_status status = r->evaluate(r->context, loss);
        kt_set_grad_enabled(before);
        if (status)
            return status;
    }
    for (int64_t i = 0; i < r->n; i++)
        r->room[i] = kt_grad(r->params[i]);
    kt_tensor *flat = kt_lbfgs_flat(r->params, r->n, r->room, r->n);
    if (!flat)
        return kt_error_status();
    replace(gradient, flat);
    return KT_OK;
}

static kt_status move(const run *r, double t) { return kt_lbfgs_move_(r->params, r->n, r->state->d, t); }

/* The loss and its gradient at t; the parameters are back at the start of the line afterwards. */
static kt_status look(run *r, double t, point *p)
{
    KT_SCOPE;
    kt_status status = move(r, t);
    p->t = t;
    if (!status)
        status = evaluate(r, &p->f, &p->gradient);
    if (!status)
        p->slope = kt_item(kt_dot(p->gradient, r->state->d));
    for (int64_t i = 0; i < r->n && !status; i++)
        status = kt_copy_(r->params[i], r->room[r->n + i]) ? KT_OK : kt_error_status();
    return kt_failed() ? kt_error_status() : status;
}

/* ---- the line search ---- */

/* Where the cubic through two points with these slopes has its minimum, between the bounds. */
static double lowest_of_cubic(const point *a, const point *b, double low, double high)
{
    const double d1 = a->slope + b->slope - 3 * (a->f - b->f) / (a->t - b->t), square = d1 * d1 - a->slope * b->slope;
    if (!(square >= 0))
        return (low + high) / 2;
    const double d2 = sqrt(square);
    const double at = a->t <= b->t ? b->t - (b->t - a->t) * ((b->slope + d2 - d1) / (b->slope - a->slope + 2 * d2))
                                   : a->t - (a->t - b->t) * ((a->slope + d2 - d1) / (a->slope - b->slope + 2 * d2));
    return fmin(fmax(at, low), high);
}

enum { SLOTS = 4 }; /* the start, the two ends of a bracket, and one that is looked at */

typedef struct search {
    run   *r;
    point  slot[SLOTS];
    point *start, *end[2]; /* of the bracket; end[1] NULL: end[0] is what was looked for */
    int    steps, most;
    bool   done;
} search;

static point *spare(search *s, const point *used)
{
    for (int i = 0; i < SLOTS; i++)
        if (&s->slot[i] != s->start && &s->slot[i] != s->end[0] && &s->slot[i] != s->end[1] && &s->slot[i] != used)
            return &s->slot[i];
    return NULL;
}

/* Does the loss not fall enough from the start, or not below another point? */
static bool is_high(const search *s, const point *p, const point *than)
{
    return p->f > s->start->f + 1e-4 * p->t * s->start->slope || (than && p->f >= than->f);
}

static bool is_flat(const search *s, const point *p) { return fabs(p->slope) <= -0.9 * s->start->slope; }

static kt_status find_bracket(search *s, double t)
{
    point *before = s->start, *now = spare(s, NULL);
    if (look(s->r, t, now))
        return kt_error_status();
    for (;; s->steps++) {
        if (s->steps == s->most) {
            s->end[0] = s->start;
            s->end[1] = now;
            return KT_OK;
        }
        s->done = !is_high(s, now, s->steps > 1 ? before : NULL) && is_flat(s, now);
        if (s->done || is_high(s, now, s->steps > 1 ? before : NULL) || now->slope >= 0) {
            s->end[0] = s->done ? now : before;
            s->end[1] = s->done ? NULL : now;
            return KT_OK;
        }
        const double next = lowest_of_cubic(before, now, now->t + 0.01 * (now->t - before->t), now->t * 10);
        before = now;
        now = spare(s, before);
        if (look(s->r, next, now))
            return kt_error_status();
    }
}

/* A place between the ends, not too near to one of them twice in a row. */
static double next_place(const search *s, bool *stalled)
{
    const point *a = s->end[0], *b = s->end[1];
    const double left = fmin(a->t, b->t), right = fmax(a->t, b->t), margin = 0.1 * (right - left);
    double       t = lowest_of_cubic(a, b, left, right);
    const bool   near = fmin(right - t, t - left) < margin;
    if (near && (*stalled || t >= right || t <= left)) {
        t = fabs(t - right) < fabs(t - left) ? right - margin : left + margin;
        *stalled = false;
    } else {
        *stalled = near;
    }
    return t;
}

static kt_status narrow_bracket(search *s, double reach, int *low)
{
    bool stalled = false;
    *low = s->end[1] && s->end[0]->f > s->end[1]->f;
    for (; !s->done && s->steps < s->most; s->steps++) {
        if (fabs(s->end[1]->t - s->end[0]->t) * reach < s->r->options->tolerance_change)
            break;
        point *now = spare(s, NULL);
        if (look(s->r, next_place(s, &stalled), now))
            return kt_error_status();
        const int high = 1 - *low;
        if (is_high(s, now, s->end[*low])) {
            s->end[high] = now;
            *low = s->end[0]->f > s->end[1]->f;
            continue;
        }
        s->done = is_flat(s, now);
        if (!s->done && now->slope * (s->end[high]->t - s->end[*low]->t) >= 0)
            s->end[high] = s->end[*low];
        s->end[*low] = now;
    }
    return KT_OK;
}

/* A point that lowers the loss enough and is flat enough: its loss and gradient, and how far it is. */
static kt_status search_line(run *r, double slope, double *t)
{
    const int64_t left = r->options->max_eval - r->evaluations;
    search        s = {.r = r, .most = left < 25 ? (int)left : 25};
    int           low = 0;
    s.start = &s.slot[0];
    *s.start = (point){0, r->loss, slope, kt_keep(r->gradient)};
    for (int64_t i = 0; i < r->n; i++)
        r->room[r->n + i] = kt_clone(r->params[i]);
    kt_status status = kt_failed() ? kt_error_status() : find_bracket(&s, *t);
    if (!status)
        status = narrow_bracket(&s, largest(r->state->d), &low);
    if (!status) {
        *t = s.end[low]->t;
        r->loss = s.end[low]->f;
        replace(&r->gradient, s.end[low]->gradient);
        r->evaluations += s.steps + 1;
        r->state->func_evals += s.steps + 1;
    }
    for (int i = 0; i < SLOTS; i++)
        kt_drop(s.slot[i].gradient);
    return status;
}

/* ---- the history ---- */

static void forget_oldest(kt_lbfgs_state *state)
{
    kt_tensor **const list[] = {state->dirs, state->steps, state->ro};
    for (int k = 0; k < 3; k++) {
        kt_drop(list[k][0]);
        memmove(list[k], list[k] + 1, (size_t)(state->n - 1) * sizeof *list[k]);
    }
    state->n--;
}

static kt_status direct(run *r)
{
    KT_SCOPE;
    kt_lbfgs_state *state = r->state;
    if (state->n_iter == 1) {
        while (state->n)
            forget_oldest(state);
        replace(&state->diagonal, NULL);
        kt_tensor *d = kt_neg(r->gradient);
        replace(&state->d, d);
        return d ? KT_OK : kt_error_status();
    }
    const kt_lbfgs_pair_results pair = kt_lbfgs_pair(r->gradient, state->prev_flat_grad, state->d, state->t);
    if (kt_failed())
        return kt_error_status();
    if (kt_item(pair.ys) > 1e-10 && r->options->history_size > 0) {
        if (state->n == r->options->history_size)
            forget_oldest(state);
        kt_tensor *ro = kt_reciprocal(pair.ys), *diagonal = kt_true_divide(pair.ys, pair.yy);
        if (!ro || !diagonal)
            return kt_error_status();
        state->dirs[state->n] = kt_keep(pair.y);
        state->steps[state->n] = kt_keep(pair.s);
        state->ro[state->n++] = kt_keep(ro);
        replace(&state->diagonal, diagonal);
    }
    kt_tensor *one = state->diagonal ? state->diagonal : kt_ones(KT_SCALAR, .dtype = kt_dtype_of(r->gradient));
    kt_tensor *d = kt_lbfgs_direction(r->gradient, state->dirs, state->n, state->steps, state->n, state->ro, state->n, one);
    replace(&state->d, d);
    return d ? KT_OK : kt_error_status();
}

/* ---- a step ---- */

/* One iteration; *done: there is nothing more to do. */
static kt_status iterate(run *r, int64_t iteration, bool *done)
{
    KT_SCOPE;
    const kt_lbfgs_options *o = r->options;
    kt_lbfgs_state         *state = r->state;
    state->n_iter++;
    *done = true;
    if (direct(r))
        return kt_error_status();
    replace(&state->prev_flat_grad, kt_clone(r->gradient));
    state->prev_loss = r->loss;
    state->t = o->lr;
    if (state->n_iter == 1) {
        const double first = kt_item(kt_reciprocal(kt_sum(kt_abs(r->gradient))));
        state->t *= first < 1 ? first : 1;
    }
    const double slope = kt_item(kt_dot(r->gradient, state->d));
    if (kt_failed() || slope > -o->tolerance_change)
        return kt_error_status();
    kt_status status = KT_OK;
    if (o->strong_wolfe) {
        status = search_line(r, slope, &state->t) || move(r, state->t) ? kt_error_status() : KT_OK;
    } else {
        status = move(r, state->t);
        if (!status && iteration != o->max_iter) {
            status = evaluate(r, &r->loss, &r->gradient);
            r->evaluations++;
            state->func_evals++;
        }
    }
    const bool looked = o->strong_wolfe || iteration != o->max_iter;
    if (status || iteration == o->max_iter || r->evaluations >= o->max_eval)
        return status;
    *done = (looked && largest(r->gradient) <= o->tolerance_grad) ||
            largest(state->d) * fabs(state->t) <= o->tolerance_change || fabs(r->loss - state->prev_loss) < o->tolerance_change;
    return kt_failed() ? kt_error_status() : KT_OK;
}

kt_status kt_lbfgs_step(kt_lbfgs_state *state, const kt_lbfgs_options *options, kt_tensor *const *params, int64_t n,
                        kt_evaluate *evaluate_loss, void *context)
{
    enum { MOST = 1 << 20 };
    if (kt_failed())
        return kt_error_status();
    if (!state || state->size != sizeof *state || !options || options->size != sizeof *options || !evaluate_loss)
        return kt_fail(KT_ERR_VALUE, "a step of L-BFGS needs a state, options (with their sizes) and a function");
    if (n < 1 || n > MOST || !params || state->n < 0 || state->n > options->history_size ||
        (options->history_size && (!state->dirs || !state->steps || !state->ro)))
        return kt_fail(KT_ERR_VALUE, "a step of L-BFGS needs parameters, and a state with room for its history");
    const size_t bytes = (size_t)(2 * n) * sizeof(kt_tensor *);
    run          r = {.options = options, .state = state, .params = params, .n = n, .evaluate = evaluate_loss, .context = context,
                      .evaluations = 1, .room = kt__system_get(bytes)};
    if (!r.room)
        return kt_fail(KT_ERR_MEMORY, "L-BFGS needs %zu bytes", bytes);
    KT_SCOPE;
    KT_NO_GRAD;
    kt_status status = evaluate(&r, &r.loss, &r.gradient);
    bool      done = status != KT_OK;
    if (!status) {
        state->func_evals++;
        done = largest(r.gradient) <= options->tolerance_grad;
    }
    for (int64_t i = 1; i <= options->max_iter && !done && !status; i++)
        status = iterate(&r, i, &done);
    kt_drop(r.gradient);
    kt__system_put(r.room, bytes);
    return kt_failed() ? kt_error_status() : status;
}

void kt_lbfgs_forget(kt_lbfgs_state *state)
{
    if (!state || state->size != sizeof *state)
        return;
    while (state->n > 0)
        forget_oldest(state);
    replace(&state->d, NULL);
    replace(&state->prev_flat_grad, NULL);
    replace(&state->diagonal, NULL);
    *state = (kt_lbfgs_state){.size = sizeof *state, .dirs = state->dirs, .steps = state->steps, .ro = state->ro};
}
