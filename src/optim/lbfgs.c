/* lbfgs.c - L-BFGS: steps by an estimate of the second derivatives, with a line search that meets the strong conditions of Wolfe.
 *
 * In: parameters with gradients, a function that evaluates the loss and its gradients, what the steps so far have left. Out:
 * parameters, moved. It is written as a user would: what is made of vectors are the operators kt_lbfgs_*. Independent of: who
 * keeps the state, how the loss is evaluated.
 *
 * J. Nocedal, Updating quasi-Newton matrices with limited storage, Mathematics of Computation 35 (1980). */
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

/* ---- the line search ----
 *
 * J. Nocedal and S. J. Wright, Numerical Optimization (2nd ed., 2006), algorithms 3.5 and 3.6, as one loop: first outward, until
 * a point shows that a minimum lies before it, then between the two ends of an interval that becomes narrower. */

enum { SLOTS = 4 }; /* the start, the two ends, and one that is looked at */

typedef struct search {
    run   *r;
    point  slot[SLOTS];
    point *start, *end[2]; /* end[1] is NULL on the way outward, where end[0] is the last point */
    int    low;            /* the end with the lower loss */
    int    steps, most;    /* looks after the first */
    bool   stalled;        /* the last point lay near an end */
} search;

static point *spare(search *s)
{
    for (int i = 0; i < SLOTS; i++)
        if (&s->slot[i] != s->start && &s->slot[i] != s->end[0] && &s->slot[i] != s->end[1])
            return &s->slot[i];
    return NULL;
}

/* The minimum of the cubic that has the losses and slopes of two points, brought into [low, high]: equation 3.59. */
static double lowest_of_cubic(const point *a, const point *b, double low, double high)
{
    const point *left = a->t <= b->t ? a : b, *right = left == a ? b : a;
    const double d1 = left->slope + right->slope - 3 * (left->f - right->f) / (left->t - right->t);
    const double square = d1 * d1 - left->slope * right->slope;
    if (!(square >= 0)) /* the cubic has no minimum */
        return (low + high) / 2;
    const double d2 = sqrt(square), share = (right->slope + d2 - d1) / (right->slope - left->slope + 2 * d2);
    return fmin(fmax(right->t - (right->t - left->t) * share, low), high);
}

/* Further out than the last point: by a hundredth of the last step at least, ten times as far at most. */
static double outward(const point *before, const point *last)
{
    return lowest_of_cubic(before, last, last->t + 0.01 * (last->t - before->t), last->t * 10);
}

/* Between the ends. The second point in a row that lies near an end, within a tenth of the width, is moved away from it, as is
 * one at an end. */
static double between(search *s)
{
    const double left = fmin(s->end[0]->t, s->end[1]->t), right = fmax(s->end[0]->t, s->end[1]->t), margin = 0.1 * (right - left);
    const double t = lowest_of_cubic(s->end[0], s->end[1], left, right), to_left = t - left, to_right = right - t;
    const bool   near = fmin(to_left, to_right) < margin, moves = near && (s->stalled || to_left <= 0 || to_right <= 0);
    s->stalled = near && !moves;
    return !moves ? t : to_right < to_left ? right - margin : left + margin;
}

/* Against the first condition of Wolfe: the loss does not fall enough from the start, or not below another point. */
static bool is_high(const search *s, const point *p, const point *than)
{
    return p->f > s->start->f + 1e-4 * p->t * s->start->slope || (than && p->f >= than->f);
}

/* The second condition, the strong one. */
static bool is_flat(const search *s, const point *p) { return fabs(p->slope) <= -0.9 * s->start->slope; }

static void set_ends(search *s, point *first, point *second)
{
    s->end[0] = first;
    s->end[1] = second;
    s->low = first->f > second->f;
}

/* What a point on the way outward says. Returns whether it meets both conditions; PyTorch compares it with the point before from
 * the third on. */
static bool take_outward(search *s, point *p)
{
    const bool falls = !is_high(s, p, s->steps > 1 ? s->end[0] : NULL), found = falls && is_flat(s, p);
    if (found || (falls && p->slope < 0))
        s->end[0] = p;
    else
        set_ends(s, s->end[0], p);
    return found;
}

/* The same of a point between the ends. */
static bool take_between(search *s, point *p)
{
    point **best = &s->end[s->low], **other = &s->end[1 - s->low];
    if (is_high(s, p, *best)) {
        *other = p;
        set_ends(s, s->end[0], s->end[1]);
        return false;
    }
    const bool found = is_flat(s, p);
    if (!found && p->slope * ((*other)->t - (*best)->t) >= 0) /* the minimum lies on the side of the best point so far */
        *other = *best;
    *best = p;
    return found;
}

/* Looks until a point meets both conditions, the width is too small for a change of `reach` times it to count, or there were
 * enough looks: end[low] is the result. */
static kt_status find_point(search *s, double t, double reach)
{
    for (;; s->steps++) {
        point *now = spare(s), *before = s->end[0];
        if (look(s->r, t, now))
            return kt_error_status();
        const bool enough = s->steps >= s->most;
        if (!s->end[1] && enough)
            set_ends(s, s->start, now);
        else if (s->end[1] ? take_between(s, now) : take_outward(s, now))
            return KT_OK;
        if (enough || (s->end[1] && fabs(s->end[1]->t - s->end[0]->t) * reach < s->r->options->tolerance_change))
            return KT_OK;
        t = s->end[1] ? between(s) : outward(before, now);
    }
}

/* A point that lowers the loss enough and is flat enough: its loss and gradient, and how far it is. */
static kt_status search_line(run *r, double slope, double *t)
{
    const int64_t left = r->options->max_eval - r->evaluations;
    search        s = {.r = r, .most = left < 25 ? (int)left : 25};
    s.start = s.end[0] = &s.slot[0];
    *s.start = (point){0, r->loss, slope, kt_keep(r->gradient)};
    for (int64_t i = 0; i < r->n; i++)
        r->room[r->n + i] = kt_clone(r->params[i]);
    const double reach = largest(r->state->d);
    kt_status    status = kt_failed() ? kt_error_status() : find_point(&s, *t, reach);
    if (!status) {
        const point *found = s.end[s.low];
        *t = found->t;
        r->loss = found->f;
        replace(&r->gradient, found->gradient);
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
