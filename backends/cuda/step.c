/* step.c - plans of the steps of optimizers and of the scale of a loss.
 *
 * In: plans, of a list one behind the other. Out: one launch for all parameters that are dense and alike, or one for each.
 * Independent of: what a step calculates. */
#include <string.h>

#include "parts.h"
#include "tables/kernels/optimizer.h"

static const step_table *const steps[KT_NUM_COMPUTE] = {[KT_IN_F32] = &steps_f32, [KT_IN_F64] = &steps_f64};
static kt_kernel_id adam, sgd, adagrad, unscale;

bool is_step(const kt_plan *plan)
{
    const kt_kernel_id k = plan->kernel;
    return (k == adam || k == sgd || k == adagrad || k == unscale) && steps[plan->compute];
}

/* ---- what a plan says ---- */

typedef struct one_step {
    enum step_kind kind;
    int            arrays;
    bool           dense, whole; /* whole: all arrays are of the compute type's dtype */
    step_common    common;
    uint64_t       own;
} one_step;

static bool is_number(int dtype)
{
    return dtype == KT_F32 || dtype == KT_F64 || dtype == KT_F16 || dtype == KT_BF16 || dtype == KT_I64 || dtype == KT_I32;
}

/* false: of a dtype that kernels do not read. */
static bool read_number(const kt_plan *plan, int at, step_number *to)
{
    const kt_operand *x = &plan->arg[at];
    if (x->bits || !is_number(x->is))
        return false;
    *to = (step_number){.at = x->data, .is = x->is};
    if (!x->immediate)
        return true;
    float f;
    memcpy(&f, plan->imm[at].bytes, sizeof f);
    if (x->is == KT_F64)
        memcpy(&to->value, plan->imm[at].bytes, sizeof to->value);
    else
        to->value = f;
    *to = (step_number){.value = to->value};
    return x->is == KT_F64 || x->is == KT_F32;
}

/* The numbers of a step come after its arrays. */
static bool read_step_numbers(const kt_plan *plan, one_step *s)
{
    step_common *c = &s->common;
    step_number  step;
    int          next = s->arrays;
    bool         good = true;
    c->flags = (uint32_t)plan->param[0].v.i;
    c->rate.value = number_of(&plan->param[1]);
    for (int i = 2; i < plan->n_param && i - 2 < STEP_PARAMS; i++)
        c->param[i - 2] = number_of(&plan->param[i]);
    if (plan->kernel != sgd) {
        good &= read_number(plan, next++, &step);
        c->step_is = step.at ? (uint8_t)step.is : KT_NONE;
        if (step.at)
            s->own = (uint64_t)(uintptr_t)step.at;
        else
            memcpy(&s->own, &step.value, sizeof s->own);
    }
    if (c->flags & KT__STEP_RATE)
        good &= read_number(plan, next++, &c->rate);
    if (c->flags & KT__STEP_SCALED)
        good &= read_number(plan, next++, &c->scale);
    if (c->flags & KT__STEP_WATCHED)
        good &= read_number(plan, next++, &c->found);
    return good && next == plan->n_out + plan->n_in;
}

static void read_kind(const kt_plan *plan, one_step *s)
{
    const int64_t flags = plan->kernel == unscale ? 0 : plan->param[0].v.i;
    s->kind = plan->kernel == unscale   ? STEP_UNSCALE
              : plan->kernel == adagrad ? STEP_ADAGRAD
              : plan->kernel == adam    ? (flags & KT__STEP_AMSGRAD ? STEP_AMSGRAD : STEP_ADAM)
                                        : (flags & KT__STEP_MOMENTUM ? STEP_BUFFERED : STEP_SGD);
    static const int arrays[STEP_KINDS] = {[STEP_ADAM] = 4, [STEP_AMSGRAD] = 5, [STEP_SGD] = 2,
                                           [STEP_BUFFERED] = 3, [STEP_ADAGRAD] = 3, [STEP_UNSCALE] = 1};
    s->arrays = arrays[s->kind];
}

/* false: kernels do not know a dtype of it. */
static bool read_step(const kt_plan *plan, one_step *s)
{
    const step_table *table = steps[plan->compute];
    memset(s, 0, sizeof *s); /* `common` is compared as bytes */
    read_kind(plan, s);
    s->dense = plan->nd <= 1;
    s->whole = true;
    for (int k = 0; k < s->arrays; k++) {
        const kt_operand *x = &plan->arg[k];
        if (x->bits || x->immediate || !(table->reads >> x->is & table->writes >> x->is & 1))
            return false;
        s->common.is[k] = x->is;
        s->whole &= x->is == (plan->compute == KT_IN_F64 ? KT_F64 : KT_F32);
        s->common.width[k] = (uint8_t)width_of(x->is);
        s->dense &= (plan->nd == 0 || plan->numel == 1 || plan->stride[k][0] == s->common.width[k]) &&
                    is_aligned(x->data, s->common.width[k] * STEP_VECTOR);
    }
    if (s->kind != STEP_UNSCALE)
        return read_step_numbers(plan, s);
    s->own = (uint64_t)(uintptr_t)plan->arg[1].data;
    return read_number(plan, 2, &s->common.rate);
}

/* ---- launches ---- */

static kt_status launch_made(step_args *g, const void *kernel, const kt_plan *plan)
{
    step_list     *l = &g->list;
    const uint64_t blocks = cut_list(l->n, l->count, ARG_THREADS * STEP_VECTOR, &l->chunk, l->first_block);
    return blocks > INT32_MAX ? KT_DECLINED : launch_wide(kernel, blocks, g, plan->device_index, plan->stream, false);
}

static void add(step_args *g, const kt_plan *plan, const one_step *s)
{
    const uint32_t at = g->list.count++;
    g->list.n[at] = (uint64_t)plan->numel;
    g->list.own[at] = s->own;
    for (int k = 0; k < s->arrays; k++)
        g->at[k][at] = plan->arg[k].data;
}

static const void *dense_kernel(const step_table *table, const one_step *s)
{
    return (s->whole ? table->own : table->dense)[s->kind];
}

static kt_status launch_step(const kt_plan *plan, const void *what)
{
    (void)what;
    one_step  s;
    step_args g;
    if (plan->numel == 0)
        return KT_OK;
    if (!read_step(plan, &s) || (!s.dense && (plan->nd > ARG_DIMS || plan->numel > INT32_MAX)))
        return KT_DECLINED;
    g.list.common = s.common;
    g.list.count = 0;
    add(&g, plan, &s);
    g.list.nd = s.dense ? 0 : set_dims(plan, s.arrays, g.list.size, g.list.stride);
    const step_table *table = steps[plan->compute];
    return launch_made(&g, s.dense ? dense_kernel(table, &s) : table->any[s.kind], plan);
}

/* ---- lists ---- */
typedef struct gathered {
    step_args   g;
    one_step    s; /* the last that was read whole */
    const void *kernel;
} gathered;

/* Of the addresses those of arrays and of the number that each parameter has of its own may differ. */
static bool add_like(void *list, const kt_plan *head, const kt_plan *before)
{
    gathered      *l = list;
    one_step      *s = &l->s;
    const bool     has_own = s->kind == STEP_UNSCALE || s->common.step_is != KT_NONE;
    for (int k = s->arrays + has_own; k < head->n_out + head->n_in; k++)
        if (head->arg[k].data != before->arg[k].data)
            return false;
    for (int k = 0; k < s->arrays; k++)
        if (!is_aligned(head->arg[k].data, s->common.width[k] * STEP_VECTOR))
            return false;
    s->own = has_own ? (uint64_t)(uintptr_t)head->arg[s->arrays].data : s->own;
    add(&l->g, head, s);
    return true;
}

static bool add_read(void *list, const kt_plan *plan)
{
    gathered *l = list;
    one_step   s;
    if (!read_step(plan, &s) || !s.dense)
        return false;
    const void *its = dense_kernel(steps[plan->compute], &s);
    if (l->g.list.count && (its != l->kernel || memcmp(&l->g.list.common, &s.common, sizeof s.common) != 0))
        return false;
    l->kernel = its;
    l->s = s;
    l->g.list.common = s.common;
    add(&l->g, plan, &s);
    return true;
}

static kt_status launch_added(void *list, const kt_plan *plan)
{
    gathered *l = list;
    return launch_made(&l->g, l->kernel, plan);
}

kt_status launch_steps(const void *plans, int64_t n, int64_t *taken)
{
    static const gatherer how = {STEP_MOST, is_step, add_like, add_read, launch_added};
    gathered              l;
    l.g.list.count = 0;
    l.g.list.nd = 0;
    return gather(&how, &l, plans, n, taken);
}

/* ---- the scale of a loss ---- */

static kt_status launch_update(const kt_plan *plan, const void *what)
{
    (void)what;
    scale_args g = {.scale = (float *)(void *)plan->arg[0].data, .steps = (int32_t *)(void *)plan->arg[1].data,
                    .growth = number_of(&plan->param[0]), .backoff = number_of(&plan->param[1]), .interval = plan->param[2].v.i};
    return read_number(plan, 2, &g.found) ? launch_kernel(update_scale_kernel, 1, &g, plan) : KT_DECLINED;
}

void step_open(void)
{
    static const char *const names[] = {"adam", "sgd", "adagrad", "unscale"};
    kt_kernel_id *const      ids[] = {&adam, &sgd, &adagrad, &unscale};
    for (int i = 0; i < 4; i++) {
        *ids[i] = host->kernel(names[i]);
        launch_serve(names[i], KT_IN_F32, launch_step, NULL);
        launch_serve(names[i], KT_IN_F64, launch_step, NULL);
    }
    launch_serve("update_scale", KT_IN_F32, launch_update, NULL);
}
