/* profile.c - a profile: the recorded events with PyTorch's names, what is inside calls named as there, conversions as events.
 * In: the lists of record.c. Out: one list, as karat/profiler.h describes it.
 *
 * Where tables/inner.def says what PyTorch shows inside a call, the operators that the call is made of here are not shown, but
 * their kernels are: the innermost part that has the kernels' time is their parent. */
#include "prof/prof.h"

#include <karat/plugin/site.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

typedef struct made {
    kt_profile_event event;
    uint32_t         site;
} made;

struct kt_profile {
    kt__thread_events *threads;
    kt__arena          arena; /* names, inputs */
    made              *at;
    size_t             bytes; /* of `at` */
    int64_t            n, lost;
    uint64_t           begin, end;
    struct called     *called; /* modules */
};

typedef struct called {
    struct called *next;
    const char    *type;
    const void    *object;
    const char    *name;
} called;

typedef struct family { /* the events inside an event of the thread's list */
    uint32_t first, last, next; /* counted from 1; 0: none */
    const char *name;
} family;

typedef struct making {
    kt_profile              *p;
    const kt__thread_events *t;
    family                  *of;
    bool                     failed; /* there was no memory */
} making;

static int64_t put(making *m, int64_t parent, const kt__recorded_event *e, kt_profile_kind kind, const char *name)
{
    kt_profile *p = m->p;
    if ((size_t)p->n * sizeof *p->at == p->bytes && !kt__grow((void **)&p->at, &p->bytes, 256 * sizeof *p->at)) {
        m->failed = true;
        return -1;
    }
    p->at[p->n] = (made){.site = e->site,
                         .event = {.kind = kind, .name = name ? name : "", .parent = parent, .begin = e->begin, .end = e->end,
                                   .thread = m->t->thread, .failed = e->failed, .n_stack = e->n_stack, .stack = e->stack,
                                   .dtype = (kt_dtype)e->dtype, .sequence = -1}};
    m->failed |= !name;
    return p->n++;
}

static kt_profile_event *event_at(making *m, int64_t i) { return &m->p->at[i].event; }

static void make(making *m, uint32_t i, int64_t parent);

/* ---- conversions ---- */
static int64_t put_part(making *m, int64_t parent, const kt__recorded_event *e, const char *name, kt_profile_kind kind,
                        uint64_t begin, uint64_t end)
{
    const int64_t at = put(m, parent, e, kind, name);
    if (at >= 0) {
        event_at(m, at)->begin = begin;
        event_at(m, at)->end = end;
    }
    return at;
}

static void set_inputs(making *m, int64_t at, const kt_profile_input *first, int tensors, int n)
{
    kt_profile_input *in = at < 0 ? NULL : kt__arena_get(&m->p->arena, (size_t)n * sizeof *in);
    if (!in)
        return;
    memset(in, 0, (size_t)n * sizeof *in);
    for (int i = 0; i < tensors; i++)
        in[i] = *first;
    event_at(m, at)->inputs = in;
    event_at(m, at)->n_inputs = n;
}

/* A kernel converts as it reads: the time is the conversion's share of what the kernel moves. */
static uint64_t share(const kt__recorded_event *plan, const kt__conversion_seen *c)
{
    const double part = plan->bytes > 0 ? (double)c->bytes / (double)plan->bytes : 0;
    return (uint64_t)((double)(plan->end - plan->begin) * (part < 1 ? part : 1));
}

/* The argument that is converted: it has the sizes that the program gave it, a plan has them collapsed. */
static kt_profile_input argument_of(making *m, const kt__recorded_event *plan, const kt__conversion_seen *c)
{
    kt_profile_input in = {.dtype = (kt_dtype)c->from, .tensor = true, .shape = {c->ndim, c->sizes}};
    const kt__recorded_event *call = plan->parent ? kt__recorded_at(m->t, plan->parent - 1) : NULL;
    int64_t bytes;
    for (int i = 0; call && call->kind == KT_PROFILE_CALL && i < call->n_inputs; i++) {
        const kt_profile_input *one = &call->inputs[i];
        bytes = (int64_t)kt_dtype_size(one->dtype);
        for (int64_t d = 0; d < one->shape.n; d++)
            bytes *= one->shape.d[d];
        if (one->tensor && one->dtype == in.dtype && bytes == c->bytes)
            return *one;
    }
    return in;
}

static void make_conversions(making *m, const kt__recorded_event *plan, int64_t parent)
{
    uint64_t begin = plan->begin;
    for (int i = 0; i < plan->n_conversions && !m->failed; i++) {
        const kt__conversion_seen *c = &plan->conversions[i];
        if (c->why == KT_WHY_EXPLICIT)
            continue; /* the call itself */
        uint64_t end = begin + share(plan, c);
        end = end < plan->end ? end : plan->end;
        const kt_profile_input in = argument_of(m, plan, c);
        const int64_t          to = put_part(m, parent, plan, "aten::to", KT_PROFILE_CONVERSION, begin, end);
        if (to < 0)
            return;
        event_at(m, to)->bytes = c->bytes;
        event_at(m, to)->why = (kt_reason)c->why;
        event_at(m, to)->dtype = (kt_dtype)c->to;
        set_inputs(m, to, &in, 1, 5);
        const int64_t copy = put_part(m, to, plan, "aten::_to_copy", KT_PROFILE_INNER, begin, end);
        set_inputs(m, copy, &in, 1, 7);
        set_inputs(m, put_part(m, copy, plan, "aten::empty_strided", KT_PROFILE_INNER, begin, begin), &in, 0, 6);
        set_inputs(m, put_part(m, copy, plan, "aten::copy_", KT_PROFILE_INNER, begin, end), &in, 2, 3);
        begin = end;
    }
}

static void device_text(kt_device d, char *text, size_t room)
{
    if (d.kind == KT_CPU)
        snprintf(text, room, "%s", kt_device_name(d));
    else
        snprintf(text, room, "%s:%d", kt_device_name(d), d.index);
}

static void make_plan(making *m, const kt__recorded_event *e, int64_t parent)
{
    char        room[96], from[40] = "", on[40];
    const bool  moves = e->from.kind != e->device.kind || e->from.index != e->device.index;
    const char *with = moves ? "" : e->name ? e->name : e->device.kind == KT_CPU ? kt_cpu_isa() : "";
    if (moves)
        device_text(e->from, from, sizeof from);
    device_text(e->device, on, sizeof on);
    snprintf(room, sizeof room, "%s%s%s%s%s%s", from, moves ? " to " : "", on, *with ? " " : "", with, e->tf32 ? " tf32" : "");
    char *where = kt__arena_get(&m->p->arena, strlen(room) + 1);
    const int64_t at = put(m, parent, e, KT_PROFILE_PLAN, kt_kernel_name(e->kernel));
    if (at < 0 || !where)
        return;
    strcpy(where, room);
    kt_profile_event *out = event_at(m, at);
    out->where = where;
    out->bytes = e->bytes;
    out->device = e->device;
    make_conversions(m, e, at);
}

/* ---- inside a call ---- */
typedef struct extent {
    int      plans;
    uint64_t begin, end; /* of the kernels, and of what else is seen inside; end 0: there is nothing */
} extent;

static void measure(making *m, uint32_t i, extent *x)
{
    for (uint32_t k = m->of[i].first; k; k = m->of[k - 1].next) {
        const kt__recorded_event *e = kt__recorded_at(m->t, k - 1);
        if (e->kind == KT_PROFILE_CALL) {
            measure(m, k - 1, x);
            continue;
        }
        x->plans += e->kind == KT_PROFILE_PLAN;
        x->begin = x->end ? x->begin : e->begin;
        x->end = e->end;
    }
}

/* What is inside event i, without the operators' calls. */
static void make_kernels(making *m, uint32_t i, int64_t parent)
{
    for (uint32_t k = m->of[i].first; k && !m->failed; k = m->of[k - 1].next)
        if (kt__recorded_at(m->t, k - 1)->kind == KT_PROFILE_CALL)
            make_kernels(m, k - 1, parent);
        else
            make(m, k - 1, parent);
}

typedef struct tree {
    making                   *m;
    const kt__recorded_event *call;
    uint32_t                  i;
    const char               *at; /* what has not been read */
    extent                    kernels;
    uint64_t                  now; /* when parts without a time of their own are said to be */
    bool                      done; /* the kernels are made */
} tree;

/* "2", "1t", "rf": an argument, or the result, as it is, transposed, as a matrix, as a batch of matrices. */
static kt_profile_input read_input(tree *t)
{
    kt_profile_input  in = {0};
    const char        c = *t->at++;
    const int         i = c - '0';
    const kt_profile_input *from = c == 'r' ? t->call->result : c != '_' && i < t->call->n_inputs ? &t->call->inputs[i] : NULL;
    const char        as = *t->at == ',' || *t->at == ')' ? 0 : *t->at++;
    if (!from || !from->tensor)
        return in;
    in = *from;
    const int64_t n = from->shape.n, *d = from->shape.d;
    if (as == 0 || n < 2)
        return in;
    const int64_t keep = as == 't' ? n : as == 'f' ? 2 : 3;
    int64_t      *sizes = kt__arena_get(&t->m->p->arena, (size_t)keep * sizeof *sizes);
    if (!sizes || n < keep)
        return in;
    memcpy(sizes + (as == 't' ? 0 : 1), d + (as == 't' ? 0 : n - keep + 1), (size_t)(keep - (as == 't' ? 0 : 1)) * sizeof *sizes);
    if (as == 't') {
        sizes[n - 2] = d[n - 1];
        sizes[n - 1] = d[n - 2];
    } else {
        sizes[0] = 1;
        for (int64_t k = 0; k <= n - keep; k++)
            sizes[0] *= d[k];
    }
    in.shape = (kt_shape){keep, sizes};
    return in;
}

static void read_inputs(tree *t, int64_t at)
{
    kt_profile_input read[16];
    int              n = 0;
    while (*t->at != ')') {
        t->at++; /* "(" or "," */
        if (*t->at != ')')
            read[n++] = read_input(t);
    }
    t->at++;
    kt_profile_input *in = n ? kt__arena_get(&t->m->p->arena, (size_t)n * sizeof *in) : NULL;
    if (!in || at < 0)
        return;
    memcpy(in, read, (size_t)n * sizeof *in);
    event_at(t->m, at)->inputs = in;
    event_at(t->m, at)->n_inputs = n;
}

/* Does the bracket that opens here have a part with the kernels' time? */
static bool goes_deeper(const char *at)
{
    int depth = 0;
    if (*at != '[')
        return false;
    for (; *at; at++) {
        depth += *at == '[' ? 1 : *at == ']' ? -1 : 0;
        if (*at == '*')
            return true;
        if (!depth)
            break;
    }
    return false;
}

static void read_parts(tree *t, int64_t parent)
{
    while (*t->at && *t->at != ']' && !t->m->failed) {
        const bool   main = *t->at == '*';
        t->at += main;
        const size_t n = strcspn(t->at, "(");
        char        *name = kt__arena_get(&t->m->p->arena, n + 7);
        if (!name) {
            t->m->failed = true;
            return;
        }
        strcpy(name, "aten::");
        strncat(name, t->at, n);
        t->at += n;
        const bool    timed = main && t->kernels.end;
        const int64_t at = put_part(t->m, parent, t->call, name, KT_PROFILE_INNER, timed ? t->kernels.begin : t->now,
                                    timed ? t->kernels.end : t->now);
        read_inputs(t, at);
        if (at < 0)
            return;
        kt_profile_event *e = event_at(t->m, at);
        e->flops = kt__flops_of(name, e->inputs, e->n_inputs, t->call->result);
        const bool deeper = goes_deeper(t->at);
        if (main)
            t->now = timed ? t->kernels.begin : t->now;
        if (*t->at == '[') {
            t->at++;
            read_parts(t, at);
            t->at++;
        }
        if (main && !deeper) {
            make_kernels(t->m, t->i, at);
            t->done = true;
            t->now = timed ? t->kernels.end : t->now;
        }
        t->at += *t->at == ' ';
    }
}

static void make_inside(making *m, uint32_t i, int64_t parent)
{
    for (uint32_t k = m->of[i].first; k && !m->failed; k = m->of[k - 1].next)
        make(m, k - 1, parent);
}

/* As many as PyTorch shows; those that the row does not have are no tensors. */
static void show_inputs(making *m, kt_profile_event *out, const kt__recorded_event *e)
{
    const int         n = kt__arguments_shown(e);
    kt_profile_input *in = n > e->n_inputs ? kt__arena_get(&m->p->arena, (size_t)n * sizeof *in) : NULL;
    if (in) {
        memset(in, 0, (size_t)n * sizeof *in);
        if (e->n_inputs)
            memcpy(in, e->inputs, e->n_inputs * sizeof *in);
    }
    out->inputs = in ? in : e->inputs;
    out->n_inputs = in || n < e->n_inputs ? n : e->n_inputs;
}

/* A function of torch.nn.functional, which calls the operator of its name: PyTorch shows the operator alone. */
static bool passes_on(const making *m, uint32_t i)
{
    for (uint32_t k = m->of[i].first; k; k = m->of[k - 1].next)
        if (m->of[k - 1].name && strcmp(m->of[k - 1].name, m->of[i].name) == 0)
            return true;
    return false;
}

static void make_call(making *m, uint32_t i, int64_t parent)
{
    const kt__recorded_event *e = kt__recorded_at(m->t, i);
    extent                    x = {0};
    measure(m, i, &x);
    if (kt__is_hidden(e, x.plans) || passes_on(m, i)) {
        make_inside(m, i, parent);
        return;
    }
    const int64_t at = put(m, parent, e, KT_PROFILE_CALL, m->of[i].name);
    if (at < 0)
        return;
    kt_profile_event *out = event_at(m, at);
    show_inputs(m, out, e);
    out->sequence = e->sequence;
    const char *inner = e->failed ? NULL : kt__inner_of(e, x.plans);
    out->flops = kt__flops_of(out->name, e->inputs, e->n_inputs, e->result);
    if (!inner) {
        make_inside(m, i, at);
        return;
    }
    tree t = {.m = m, .call = e, .i = i, .at = inner, .kernels = x, .now = e->begin};
    read_parts(&t, at);
    if (!t.done)
        make_kernels(m, i, at);
}

/* ---- other events ---- */
static const char *joined(making *m, const char *a, const char *b, const char *c)
{
    char *text = kt__arena_get(&m->p->arena, strlen(a) + strlen(b) + strlen(c) + 1);
    return text ? strcat(strcat(strcpy(text, a), b), c) : NULL;
}

static const char *node_name(making *m, const char *name, const char *before)
{
    const bool own = strcmp(name, "AccumulateGrad") == 0 || strcmp(name, "CopySlices") == 0 || strcmp(name, "GraphRoot") == 0;
    return joined(m, before, own ? "torch::autograd::" : "", name);
}

/* "nn.Module: Linear_1" */
static const char *module_name(making *m, const kt__recorded_event *e)
{
    int number = 0;
    for (const called *c = m->p->called; c; c = c->next)
        if (strcmp(c->type, e->name) == 0) {
            if (c->object == e->object)
                return c->name;
            number++;
        }
    char digits[16];
    snprintf(digits, sizeof digits, "_%d", number);
    called *one = kt__arena_get(&m->p->arena, sizeof *one);
    if (!one)
        return NULL;
    *one = (called){m->p->called, e->name, e->object, joined(m, "nn.Module: ", e->name, digits)};
    m->p->called = one;
    return one->name;
}

static void make(making *m, uint32_t i, int64_t parent)
{
    const kt__recorded_event *e = kt__recorded_at(m->t, i);
    int64_t                   at = -1;
    if (m->failed)
        return;
    switch (e->kind) {
    case KT_PROFILE_CALL:
        make_call(m, i, parent);
        return;
    case KT_PROFILE_PLAN:
        make_plan(m, e, parent);
        return;
    case KT_PROFILE_MEMORY:
        at = put(m, parent, e, KT_PROFILE_MEMORY, "[memory]");
        if (at >= 0) {
            event_at(m, at)->bytes = e->bytes;
            event_at(m, at)->address = e->object;
            event_at(m, at)->device = e->device;
        }
        return;
    case KT_PROFILE_NODE:
        at = put(m, parent, e, KT_PROFILE_NODE, node_name(m, e->name, "autograd::engine::evaluate_function: "));
        break;
    case KT_PROFILE_FORMULA:
        at = put(m, parent, e, KT_PROFILE_FORMULA, node_name(m, e->name, ""));
        break;
    case KT_PROFILE_MODULE:
        at = put(m, parent, e, KT_PROFILE_MODULE, module_name(m, e));
        break;
    case KT_PROFILE_READ:
        at = put(m, parent, e, KT_PROFILE_READ, "aten::item");
        break;
    default:
        at = put(m, parent, e, (kt_profile_kind)e->kind, e->name);
        break;
    }
    if (at < 0)
        return;
    event_at(m, at)->sequence = e->sequence;
    event_at(m, at)->object = e->object;
    event_at(m, at)->inputs = e->inputs;
    event_at(m, at)->n_inputs = e->n_inputs;
    if (e->kind == KT_PROFILE_READ && (at = put(m, at, e, KT_PROFILE_INNER, "aten::_local_scalar_dense")) >= 0) {
        event_at(m, at)->inputs = e->inputs;
        event_at(m, at)->n_inputs = e->n_inputs;
    }
    make_inside(m, i, at);
}

/* ---- threads ---- */

/* The names of calls; those of one row and form are made once. */
static void name_calls(making *m)
{
    enum { SLOTS = 1024 };
    struct named {
        const kt_row *row;
        int           form;
        const char   *name;
    } *slot = kt__zeroed(SLOTS * sizeof *slot);
    m->failed |= !slot;
    for (uint32_t i = 0; i < m->t->n && !m->failed; i++) {
        const kt__recorded_event *e = kt__recorded_at(m->t, i);
        if (e->kind != KT_PROFILE_CALL)
            continue;
        struct named *s = &slot[((uintptr_t)e->row / 64 * 4 + e->form) % SLOTS];
        if (s->row != e->row || s->form != e->form)
            *s = (struct named){e->row, e->form, kt__row_trace_name(&m->p->arena, e->row, e->form)};
        m->of[i].name = s->name;
    }
    kt__system_put(slot, SLOTS * sizeof *slot);
}

static void make_thread(kt_profile *p, const kt__thread_events *t, bool *failed)
{
    making m = {.p = p, .t = t, .of = t->n ? kt__zeroed(t->n * sizeof *m.of) : NULL, .failed = *failed};
    m.failed |= t->n && !m.of;
    for (uint32_t i = 0; i < t->n && !m.failed; i++) {
        const uint32_t parent = kt__recorded_at(t, i)->parent;
        if (!parent)
            continue;
        family *f = &m.of[parent - 1];
        if (f->last)
            m.of[f->last - 1].next = i + 1;
        else
            f->first = i + 1;
        f->last = i + 1;
    }
    if (!m.failed)
        name_calls(&m);
    for (uint32_t i = 0; i < t->n && !m.failed; i++)
        if (!kt__recorded_at(t, i)->parent)
            make(&m, i, -1);
    p->lost += t->lost;
    *failed = m.failed;
    kt__system_put(m.of, t->n * sizeof *m.of);
}

kt_profile *kt__profile_make(kt__thread_events *threads, uint64_t begin, uint64_t end)
{
    kt_profile *p = kt__zeroed(sizeof *p);
    bool        failed = !p;
    if (p) {
        p->begin = begin;
        p->end = end;
    }
    for (const kt__thread_events *t = threads; t && !failed; t = t->next)
        make_thread(p, t, &failed);
    if (failed) {
        kt_profile_free(p);
        kt__fail_memory(sizeof *p);
        return NULL;
    }
    p->threads = threads;
    return p;
}

/* ---- reading ---- */
void kt_profile_free(kt_profile *p)
{
    if (!p)
        return;
    kt__thread_events_free(p->threads);
    kt__arena_free(&p->arena);
    kt__system_put(p->at, p->bytes);
    kt__system_put(p, sizeof *p);
}

int64_t kt_profile_count(const kt_profile *p) { return p ? p->n : 0; }
int64_t kt_profile_lost(const kt_profile *p) { return p ? p->lost : 0; }

void kt_profile_span(const kt_profile *p, uint64_t *begin, uint64_t *end)
{
    if (begin)
        *begin = p ? p->begin : 0;
    if (end)
        *end = p ? p->end : 0;
}

bool kt_profile_read(const kt_profile *p, int64_t i, kt_profile_event *out)
{
    if (!p || !out || i < 0 || i >= p->n)
        return false;
    kt_profile_event full = p->at[i].event;
    full.size = out->size;
    full.file = p->at[i].site ? kt_site_file(p->at[i].site, &full.line) : NULL;
    memcpy(out, &full, out->size < sizeof full ? out->size : sizeof full);
    return true;
}

const char *kt_profile_kind_name(kt_profile_kind kind)
{
    static const char *const names[] = {
        [KT_PROFILE_CALL] = "cpu_op", [KT_PROFILE_INNER] = "inner", [KT_PROFILE_CONVERSION] = "conversion",
        [KT_PROFILE_PLAN] = "kernel", [KT_PROFILE_NODE] = "node", [KT_PROFILE_FORMULA] = "formula",
        [KT_PROFILE_RANGE] = "user_annotation", [KT_PROFILE_MODULE] = "module", [KT_PROFILE_MEMORY] = "memory",
        [KT_PROFILE_READ] = "read",
    }; /* ORDER PROFILE_KIND */
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "?";
}
