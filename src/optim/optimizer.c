/* optimizer.c - optimizers for C: groups of parameters, their states, steps.
 *
 * In: parameters with gradients. Out: parameters, updated. A group's tensors go to the step in lists, so that they are one batch.
 * It is written as a user would: on the operators of ops.h. Independent of: what a step calculates (kinds.h). */
#include <math.h>
#include <string.h>

#include <karat/grad.h>
#include <karat/mode.h>

#include "base/alloc.h"
#include "optim/kinds.h"

typedef struct member {
    kt_tensor *param, *state[KT__MOST_STATES]; /* kept */
    kt_tensor *master;                         /* kept: of a narrow parameter, its float32 */
    bool       started;                        /* its states were made */
    bool       steps;                          /* in the step that runs now */
} member;

typedef struct group {
    kt__settings settings;
    int64_t      n;
    member      *member;
    kt_tensor  **room; /* of the lists: n each of parameters, gradients and states */
} group;

struct kt_optimizer {
    kt_optimizer_kind kind;
    kt__settings      settings;
    group            *group;
    int64_t           n_groups;
};

enum { LISTS = 2 + KT__MOST_STATES };

static void *zeroed(size_t bytes)
{
    void *p = kt__system_get(bytes ? bytes : 1);
    if (p)
        memset(p, 0, bytes);
    else
        kt_fail(KT_ERR_MEMORY, "an optimizer needs %zu bytes", bytes);
    return p;
}

/* ---- making ---- */

kt_optimizer *kt_optimizer_make_kw(kt_optimizer_kind kind, const kt_optimizer_opts *opts)
{
    kt__settings settings;
    if (kt_failed() || kt__settings_of(kind, opts, &settings))
        return NULL;
    kt_optimizer *o = zeroed(sizeof *o);
    if (o) {
        o->kind = kind;
        o->settings = settings;
    }
    return o;
}

static void drop_group(group *g)
{
    for (int64_t i = 0; i < g->n; i++) {
        kt_drop(g->member[i].param);
        kt_drop(g->member[i].master);
        for (int k = 0; k < KT__MOST_STATES; k++)
            kt_drop(g->member[i].state[k]);
    }
    kt__system_put(g->member, (size_t)(g->n ? g->n : 1) * sizeof *g->member);
    kt__system_put(g->room, (size_t)(g->n ? g->n : 1) * LISTS * sizeof *g->room);
}

void kt_optimizer_drop(kt_optimizer *o)
{
    if (!o)
        return;
    for (int64_t i = 0; i < o->n_groups; i++)
        drop_group(&o->group[i]);
    kt__system_put(o->group, (size_t)o->n_groups * sizeof *o->group);
    kt__system_put(o, sizeof *o);
}

static bool holds(const kt_optimizer *o, const kt_tensor *t)
{
    for (int64_t g = 0; g < o->n_groups; g++)
        for (int64_t i = 0; i < o->group[g].n; i++)
            if (o->group[g].member[i].param == t)
                return true;
    return false;
}

static kt_status check_params(const kt_optimizer *o, kt_tensor *const *params, int64_t n)
{
    enum { MOST = 1 << 24 };
    if (!o || n < 0 || n > MOST || (n && !params))
        return kt_fail(KT_ERR_VALUE, o ? "the number of parameters is %lld" : "expected an optimizer, got NULL", (long long)n);
    if (n == 0)
        return kt_fail(KT_ERR_VALUE, "optimizer got an empty parameter list");
    for (int64_t i = 0; i < n; i++) {
        if (!params[i])
            return kt_fail(KT_ERR_TYPE, "optimizer can only optimize Tensors, but one of the params is NULL");
        if (!kt_is_leaf(params[i]) && !kt_retains_grad(params[i]))
            return kt_fail(KT_ERR_VALUE, "can't optimize a non-leaf Tensor");
        if (holds(o, params[i]))
            return kt_fail(KT_ERR_VALUE, "some parameters appear in more than one parameter group");
    }
    return KT_OK;
}

kt_status kt_optimizer_add_kw(kt_optimizer *o, kt_tensor *const *params, int64_t n, const kt_optimizer_opts *opts)
{
    kt__settings settings;
    if (kt_failed() || check_params(o, params, n) || kt__settings_of(o->kind, opts, &settings))
        return kt_error_status();
    const size_t had = (size_t)o->n_groups * sizeof *o->group;
    group        g = {.settings = opts ? settings : o->settings, .n = n};
    group       *more = zeroed(had + sizeof g);
    g.member = zeroed((size_t)n * sizeof *g.member);
    g.room = zeroed((size_t)n * LISTS * sizeof *g.room);
    if (!more || !g.member || !g.room) {
        kt__system_put(more, had + sizeof g);
        kt__system_put(g.member, (size_t)n * sizeof *g.member);
        kt__system_put(g.room, (size_t)n * LISTS * sizeof *g.room);
        return kt_error_status();
    }
    for (int64_t i = 0; i < n; i++)
        g.member[i].param = kt_keep(params[i]);
    if (had)
        memcpy(more, o->group, had);
    more[o->n_groups] = g;
    kt__system_put(o->group, had);
    o->group = more;
    o->n_groups++;
    return KT_OK;
}

kt_status kt_optimizer_add_module(kt_optimizer *o, const kt_module *m)
{
    const int64_t n = kt_module_parameters(m, NULL, 0);
    kt_tensor   **params = kt_failed() ? NULL : zeroed((size_t)n * sizeof *params);
    if (!params)
        return kt_error_status();
    kt_module_parameters(m, params, n);
    const kt_status status = kt_optimizer_add(o, params, n);
    kt__system_put(params, (size_t)(n ? n : 1) * sizeof *params);
    return status;
}

/* ---- a step ---- */

static kt_status start(const kt_optimizer *o, const group *g, member *m, kt_tensor *stepped)
{
    KT_SCOPE;
    kt_tensor *made[KT__MOST_STATES] = {NULL};
    for (int k = 0; k < KT__MOST_STATES && kt__kinds[o->kind].state[k]; k++)
        made[k] = kt__kinds[o->kind].make(&g->settings, stepped, k);
    if (kt_failed())
        return kt_error_status();
    for (int k = 0; k < KT__MOST_STATES; k++)
        m->state[k] = made[k] ? kt_keep(made[k]) : NULL;
    m->started = true;
    return KT_OK;
}

static bool steps_in_float32(const group *g, const kt_tensor *param)
{
    const kt_dtype d = kt_dtype_of(param);
    return (g->settings.masters || g->settings.stochastic) && (d == KT_BF16 || d == KT_F16);
}

/* Puts a parameter, or its float32, into the lists. */
static kt_status list(const kt_optimizer *o, const group *g, member *m, kt__lists *l)
{
    const bool wide = steps_in_float32(g, m->param);
    kt_tensor *stepped = !wide ? m->param : m->master ? m->master : kt_to(m->param, .dtype = KT_F32);
    kt_tensor *grad = wide ? kt_to(kt_grad(m->param), .dtype = KT_F32) : kt_grad(m->param);
    if (!stepped || !grad || (!m->started && start(o, g, m, stepped)))
        return kt_error_status();
    l->params[l->n] = stepped;
    l->grads[l->n] = grad;
    for (int k = 0; k < KT__MOST_STATES; k++)
        l->state[k][l->n] = m->state[k];
    l->n++;
    return KT_OK;
}

/* A narrow parameter, from its float32 after the step. */
static kt_status narrow(const group *g, member *m, kt_tensor *stepped)
{
    const char *rounding = g->settings.stochastic ? "stochastic" : "torch";
    kt_tensor  *made = kt_to(stepped, .dtype = kt_dtype_of(m->param), .rounding = rounding);
    if (!made || !kt_copy_(m->param, made))
        return kt_error_status();
    if (g->settings.masters && !m->master)
        m->master = kt_keep(stepped);
    return KT_OK;
}

/* Those that have a gradient, and are, or are not, in their first step. */
static kt_status step_some(const kt_optimizer *o, group *g, bool first)
{
    KT_SCOPE;
    kt__lists l = {.params = g->room, .grads = g->room + g->n, .first = first};
    kt_status status = KT_OK;
    for (int k = 0; k < KT__MOST_STATES; k++)
        l.state[k] = g->room + (2 + k) * g->n;
    for (int64_t i = 0; i < g->n && !status; i++) {
        member *m = &g->member[i];
        m->steps = kt_grad(m->param) && m->started != first;
        if (m->steps)
            status = list(o, g, m, &l);
    }
    if (!status && l.n)
        status = kt__kinds[o->kind].step(&g->settings, &l);
    for (int64_t i = 0, at = 0; i < g->n && !status && l.n; i++)
        if (g->member[i].steps && steps_in_float32(g, g->member[i].param))
            status = narrow(g, &g->member[i], l.params[at++]);
        else
            at += g->member[i].steps;
    return status;
}

kt_status kt_optimizer_step(kt_optimizer *o)
{
    if (kt_failed() || !o)
        return kt_failed() ? kt_error_status() : kt_fail(KT_ERR_TYPE, "expected an optimizer, got NULL");
    KT_NO_GRAD;
    for (int64_t i = 0; i < o->n_groups; i++) /* those with states first: a first step gives states */
        if (step_some(o, &o->group[i], false) || step_some(o, &o->group[i], true))
            return kt_error_status();
    return KT_OK;
}

kt_status kt_optimizer_zero_grad(kt_optimizer *o)
{
    if (!o)
        return kt_fail(KT_ERR_TYPE, "expected an optimizer, got NULL");
    for (int64_t g = 0; g < o->n_groups; g++)
        for (int64_t i = 0; i < o->group[g].n; i++)
            if (kt_set_grad(o->group[g].member[i].param, NULL))
                return kt_error_status();
    return KT_OK;
}

/* ---- what it holds ---- */

int64_t kt_optimizer_parameters(const kt_optimizer *o, kt_tensor **out, int64_t room)
{
    int64_t n = 0;
    for (int64_t g = 0; o && g < o->n_groups; g++)
        for (int64_t i = 0; i < o->group[g].n; i++, n++)
            if (out && n < room)
                out[n] = o->group[g].member[i].param;
    return n;
}

static group *group_of(const kt_optimizer *o, int64_t i)
{
    if (o && i >= 0 && i < o->n_groups)
        return &o->group[i];
    kt_fail(KT_ERR_VALUE, o ? "there is no parameter group %lld" : "expected an optimizer, got NULL", (long long)i);
    return NULL;
}

int64_t kt_optimizer_groups(const kt_optimizer *o) { return o ? o->n_groups : 0; }

double kt_optimizer_lr(const kt_optimizer *o, int64_t i)
{
    const group *g = group_of(o, i);
    return g ? g->settings.lr : NAN;
}

kt_status kt_optimizer_set_lr(kt_optimizer *o, int64_t i, double lr)
{
    group *g = group_of(o, i);
    if (!g)
        return kt_error_status();
    g->settings.lr = lr;
    return KT_OK;
}

kt_tensor *kt_optimizer_state(const kt_optimizer *o, const kt_tensor *param, const char *name)
{
    for (int64_t g = 0; o && name && g < o->n_groups; g++)
        for (int64_t i = 0; i < o->group[g].n; i++) {
            const member *m = &o->group[g].member[i];
            if (m->param == param && strcmp(name, "float32_master") == 0)
                return m->master;
            for (int k = 0; m->param == param && k < KT__MOST_STATES && kt__kinds[o->kind].state[k]; k++)
                if (strcmp(kt__kinds[o->kind].state[k], name) == 0)
                    return m->state[k];
        }
    return NULL;
}
