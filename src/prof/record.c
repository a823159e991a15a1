/* record.c - the recorder: a watcher that writes down plans and spans as they come.
 *
 * In: what plugin/watch.h tells. Out: a list of events for each thread, in the order in which they began. Independent of: names,
 * what is made of the events. A thread writes to its own list, without a lock; the first event of a thread takes one. Out of
 * memory: events are lost and counted. */
#include "prof/prof.h"

#include <karat/plugin/node.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/local.h"
#include "base/ran.h"
#include "plan/observe.h"
#include "plan/site.h"

typedef struct session {
    kt_watcher          watcher;
    kt_profiler_options    opts;
    const void         *owner;   /* the thread that started it, by the address of its `mine` */
    uint64_t            id, begin;
    pthread_mutex_t     lock;    /* of `threads`, with all_threads */
    kt__thread_events  *threads;
} session;

/* ---- memory ---- */
void *kt__zeroed(size_t bytes)
{
    void *p = kt__system_get(bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

bool kt__grow(void **list, size_t *bytes, size_t first)
{
    const size_t more = *bytes ? 2 * *bytes : first;
    void        *larger = kt__system_get(more);
    if (!larger)
        return false;
    if (*list) {
        memcpy(larger, *list, *bytes);
        kt__system_put(*list, *bytes);
    }
    *list = larger;
    *bytes = more;
    return true;
}

typedef struct kt__arena_part {
    struct kt__arena_part *before;
    size_t                 room;
    char                   at[];
} kt__arena_part;
enum { ARENA_PART = 1 << 16, PART_BYTES = KT__EVENTS_A_PART * sizeof(kt__recorded_event) };

void *kt__arena_get(kt__arena *a, size_t bytes)
{
    bytes = (bytes + 7) & ~(size_t)7;
    if (!a->last || a->last->room - a->used < bytes) {
        const size_t    room = bytes > ARENA_PART ? bytes : ARENA_PART;
        kt__arena_part *part = kt__system_get(sizeof *part + room);
        if (!part)
            return NULL;
        part->before = a->last;
        part->room = room;
        a->last = part;
        a->used = 0;
    }
    void *p = a->last->at + a->used;
    a->used += bytes;
    return p;
}

void kt__arena_free(kt__arena *a)
{
    while (a->last) {
        kt__arena_part *before = a->last->before;
        kt__system_put(a->last, sizeof *a->last + a->last->room);
        a->last = before;
    }
}

void kt__thread_events_free(kt__thread_events *t)
{
    while (t) {
        kt__thread_events *next = t->next;
        for (uint32_t i = 0; i * KT__EVENTS_A_PART < t->n; i++)
            kt__system_put(t->part[i], PART_BYTES);
        kt__system_put(t->part, t->part_bytes);
        kt__arena_free(&t->arena);
        kt__system_put(t, sizeof *t);
        t = next;
    }
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the thread's list ---- */
static KT__HOT_LOCAL session *mine;
static KT__HOT_LOCAL struct {
    uint64_t           session;
    kt__thread_events *list;
} latest; /* of a session of all threads */

static kt__thread_events *new_list(session *s)
{
    kt__thread_events *t = kt__zeroed(sizeof *t);
    if (!t)
        return NULL;
    t->thread = (uint64_t)syscall(SYS_gettid);
    pthread_mutex_lock(&s->lock);
    t->next = s->threads;
    s->threads = t;
    pthread_mutex_unlock(&s->lock);
    return t;
}

static kt__thread_events *list_of(session *s)
{
    if (!s->opts.all_threads)
        return s->owner == &mine ? s->threads : NULL;
    if (latest.session != s->id) {
        latest.list = new_list(s);
        latest.session = s->id;
    }
    return latest.list;
}

static kt__recorded_event *add(kt__thread_events *t, kt_profile_kind kind)
{
    const uint32_t part = t->n / KT__EVENTS_A_PART;
    if (t->n % KT__EVENTS_A_PART == 0) {
        const bool full = part * sizeof *t->part == t->part_bytes;
        if ((full && !kt__grow((void **)&t->part, &t->part_bytes, 16 * sizeof *t->part)) ||
            !(t->part[part] = kt__system_get(PART_BYTES))) {
            t->lost++;
            return NULL;
        }
    }
    kt__recorded_event *e = &t->part[part][t->n++ % KT__EVENTS_A_PART];
    memset(e, 0, sizeof *e);
    e->kind = (uint8_t)kind;
    e->parent = t->open;
    e->sequence = -1;
    return e;
}

static void open_event(kt__thread_events *t) { t->open = t->n; }

/* Ends the open event of that span, and what was begun inside and has not ended. */
static kt__recorded_event *close_event(kt__thread_events *t, uint64_t id, kt_status status, uint64_t at)
{
    uint32_t i = t->open;
    while (i && kt__recorded_at(t, i - 1)->id != id)
        i = kt__recorded_at(t, i - 1)->parent;
    if (!i)
        return NULL;
    for (uint32_t k = t->open;; k = kt__recorded_at(t, k - 1)->parent) {
        kt__recorded_event *e = kt__recorded_at(t, k - 1);
        e->end = at;
        e->failed = status != KT_OK;
        if (k == i)
            break;
    }
    kt__recorded_event *e = kt__recorded_at(t, i - 1);
    t->open = e->parent;
    return e;
}

/* ---- what events hold ---- */
static const char *copy_text(kt__thread_events *t, const char *text)
{
    const size_t n = strlen(text) + 1;
    char        *copy = kt__arena_get(&t->arena, n);
    return copy ? memcpy(copy, text, n) : "";
}

static void set_input(kt__arena *arena, kt_profile_input *in, const kt_tensor *t)
{
    in->dtype = kt_dtype_of(t);
    in->tensor = true;
    const kt_shape shape = kt_sizes(t);
    int64_t       *sizes = shape.n ? kt__arena_get(arena, (size_t)shape.n * sizeof *sizes) : NULL;
    if (!sizes)
        return;
    memcpy(sizes, shape.d, (size_t)shape.n * sizeof *sizes);
    in->shape = (kt_shape){shape.n, sizes};
}

static kt_dtype number_dtype(kt_scalar s)
{
    switch (s.kind) {
    case KT_SCALAR_BOOL: return KT_BOOL;
    case KT_SCALAR_INT: return KT_I64;
    case KT_SCALAR_COMPLEX: return KT_C128;
    default: return s.kind ? KT_F64 : KT_NONE;
    }
}

static void note_arguments(kt__thread_events *t, kt__recorded_event *e, const kt_call *call)
{
    const int         n = kt_row_n_args(call->row);
    kt_profile_input *in = n ? kt__arena_get(&t->arena, (size_t)n * sizeof *in) : NULL;
    if (!in)
        return;
    memset(in, 0, (size_t)n * sizeof *in);
    e->inputs = in;
    e->n_inputs = (uint8_t)n;
    for (int i = 0; i < n; i++) {
        const int kind = kt_row_arg(call->row, i)->kind;
        if (!(call->given >> i & 1))
            continue;
        const bool number = call->scalars >> i & 1 || kind == KT_ARG_SCALAR;
        if (number)
            in[i].dtype = number_dtype(call->arg[i].s);
        else if ((kind == KT_ARG_TENSOR || kind == KT_ARG_TENSOR_OR_SCALAR) && call->arg[i].t)
            set_input(&t->arena, &in[i], call->arg[i].t);
    }
}

static void note_result(kt__thread_events *t, kt__recorded_event *e, const kt_call *call)
{
    const kt_tensor  *first = call->n_out ? call->out[0] : NULL;
    kt_profile_input *result = first ? kt__arena_get(&t->arena, sizeof *result) : NULL;
    if (!result)
        return;
    memset(result, 0, sizeof *result);
    set_input(&t->arena, result, first);
    e->result = result;
    e->dtype = (uint8_t)result->dtype;
    const kt_node *node = kt_node_of(first);
    e->sequence = node ? (int64_t)kt_node_sequence(node) : -1;
}

static void note_grads(kt__thread_events *t, kt__recorded_event *e, const kt_span *span)
{
    const int         n = span->n_grads > 16 ? 16 : (int)span->n_grads;
    kt_profile_input *in = n && span->grads ? kt__arena_get(&t->arena, (size_t)n * sizeof *in) : NULL;
    if (!in)
        return;
    memset(in, 0, (size_t)n * sizeof *in);
    e->inputs = in;
    e->n_inputs = (uint8_t)n;
    for (int i = 0; i < n; i++)
        if (span->grads[i])
            set_input(&t->arena, &in[i], span->grads[i]);
    e->dtype = (uint8_t)in[0].dtype;
}

/* The lines that led here: of the outermost call, which those inside share. */
static void note_place(session *s, kt__thread_events *t, kt__recorded_event *e)
{
    const kt__recorded_event *outer = e->parent ? kt__recorded_at(t, e->parent - 1) : NULL;
    if (outer && (outer->kind == KT_PROFILE_CALL || outer->kind == KT_PROFILE_NODE || outer->kind == KT_PROFILE_FORMULA)) {
        e->site = outer->site;
        e->stack = outer->stack;
        e->n_stack = outer->n_stack;
        return;
    }
    e->site = e->site ? e->site : KT__SITE();
    uint32_t  lines[64];
    const int n = s->opts.stacks && kt__lineage.stack ? kt__lineage.stack(lines, 64) : 0;
    uint32_t *copy = n > 0 ? kt__arena_get(&t->arena, (size_t)n * sizeof *copy) : NULL;
    if (!copy)
        return;
    memcpy(copy, lines, (size_t)n * sizeof *copy);
    e->stack = copy;
    e->n_stack = (uint8_t)n;
}

/* ---- spans ---- */
static void enter(const kt_span *span, void *context)
{
    static const uint8_t kinds[] = {[KT_SPAN_CALL] = KT_PROFILE_CALL, [KT_SPAN_NODE] = KT_PROFILE_NODE,
                                    [KT_SPAN_FORMULA] = KT_PROFILE_FORMULA, [KT_SPAN_RANGE] = KT_PROFILE_RANGE,
                                    [KT_SPAN_MODULE] = KT_PROFILE_MODULE, [KT_SPAN_READ] = KT_PROFILE_READ};
    session           *s = context;
    kt__thread_events *t = span->kind != KT_SPAN_MODULE || s->opts.modules ? list_of(s) : NULL;
    const uint64_t     at = now();
    kt__recorded_event *e = t ? add(t, (kt_profile_kind)kinds[span->kind]) : NULL;
    if (!e)
        return;
    e->begin = at;
    e->id = span->id;
    if (span->kind == KT_SPAN_CALL) {
        e->row = span->call->row;
        e->form = span->call->form;
        note_arguments(t, e, span->call);
    } else {
        e->name = copy_text(t, span->name);
        e->object = span->object;
        e->site = span->site;
        if (span->kind == KT_SPAN_NODE || span->kind == KT_SPAN_FORMULA)
            e->sequence = (int64_t)span->sequence;
        if (span->kind == KT_SPAN_FORMULA || span->kind == KT_SPAN_READ)
            note_grads(t, e, span);
    }
    note_place(s, t, e);
    open_event(t);
}

static void leave(const kt_span *span, kt_status status, void *context)
{
    const uint64_t      at = now();
    kt__thread_events  *t = list_of(context);
    kt__recorded_event *e = t ? close_event(t, span->id, status, at) : NULL;
    if (e && span->kind == KT_SPAN_CALL && !status)
        note_result(t, e, span->call);
}

/* ---- plans ---- */
static int64_t bytes_of(const kt_plan *plan, int at)
{
    int64_t n = (int64_t)kt_dtype_size((kt_dtype)plan->arg[at].is);
    for (int d = 0; d < plan->nd; d++)
        n *= plan->stride[at][d] || plan->size[d] == 0 ? plan->size[d] : 1; /* a broadcast element counts once */
    return plan->arg[at].immediate ? 0 : n;
}

static void note_conversions(kt__thread_events *t, kt__recorded_event *e, const kt_plan *plan)
{
    int n = 0;
    for (int i = plan->n_out; i < plan->n_out + plan->n_in; i++)
        n += plan->arg[i].is != plan->arg[i].as && plan->arg[i].why != KT_WHY_NONE;
    kt__conversion_seen *c = n ? kt__arena_get(&t->arena, (size_t)n * sizeof *c) : NULL;
    if (!c)
        return;
    e->conversions = c;
    for (int i = plan->n_out; i < plan->n_out + plan->n_in; i++) {
        const kt_operand *o = &plan->arg[i];
        if (o->is == o->as || o->why == KT_WHY_NONE)
            continue;
        int64_t *sizes = kt__arena_get(&t->arena, (size_t)(plan->nd ? plan->nd : 1) * sizeof *sizes);
        for (int d = 0; sizes && d < plan->nd; d++)
            sizes[d] = plan->size[d];
        *c++ = (kt__conversion_seen){o->is, o->as, o->why, sizes ? plan->nd : 0, bytes_of(plan, i), sizes};
        e->n_conversions++;
    }
}

static void before(const kt_plan *plan, void *context)
{
    kt__thread_events  *t = list_of(context);
    kt__recorded_event *e = t ? add(t, KT_PROFILE_PLAN) : NULL;
    if (!e)
        return;
    e->row = plan->row;
    e->kernel = plan->kernel;
    e->site = plan->site;
    e->dtype = plan->n_out ? plan->arg[0].as : plan->n_in ? plan->arg[0].is : KT_NONE;
    e->tf32 = plan->tf32 && (e->dtype == KT_F32 || e->dtype == KT_C64);
    e->device = (kt_device){plan->device_kind, plan->device_index};
    e->from = (kt_device){plan->from_kind, plan->from_index};
    for (int i = 0; i < plan->n_out + plan->n_in; i++) {
        e->bytes += bytes_of(plan, i);
        e->n_numbers += plan->arg[i].immediate;
    }
    note_conversions(t, e, plan);
    open_event(t);
    kt__ran_with = NULL;
    e->begin = now();
}

/* The innermost open event is this plan's, if it was seen when it began. */
static void after(const kt_plan *plan, kt_status status, void *context)
{
    const uint64_t      at = now();
    kt__thread_events  *t = list_of(context);
    kt__recorded_event *e = t && t->open ? kt__recorded_at(t, t->open - 1) : NULL;
    if (!e || e->kind != KT_PROFILE_PLAN || e->row != plan->row || e->kernel != plan->kernel)
        return;
    e->end = at;
    e->failed = status != KT_OK;
    e->name = kt__ran_with;
    t->open = e->parent;
}

static void memory(kt_device device, const void *data, int64_t bytes, void *context)
{
    kt__thread_events  *t = list_of(context);
    kt__recorded_event *e = t ? add(t, KT_PROFILE_MEMORY) : NULL;
    if (!e)
        return;
    e->begin = e->end = now();
    e->bytes = bytes;
    e->object = data;
    e->device = device;
}

/* ---- start and stop ---- */
static void drop(session *s)
{
    kt__thread_events_free(s->threads);
    pthread_mutex_destroy(&s->lock);
    kt__system_put(s, sizeof *s);
}

static session *stop(void)
{
    session *s = mine;
    mine = NULL;
    if (s && kt_unwatch(&s->watcher))
        return NULL; /* it cannot be freed: a watcher calls this, and may still use it */
    return s;
}

/* A thread that ends without stopping it. */
static void end_of_thread(kt__exit_hook *hook)
{
    (void)hook;
    session *s = stop();
    if (s)
        drop(s);
}

static bool await_end(void)
{
    static KT__HOT_LOCAL kt__exit_hook hook;
    static KT__HOT_LOCAL bool          set;
    return set || (set = kt__on_thread_exit(&hook, end_of_thread));
}

kt_status kt_profiler_start_kw(const kt_profiler_options *opts)
{
    static _Atomic uint64_t sessions;
    session                *s = kt__zeroed(sizeof *s), *earlier = mine ? stop() : NULL;
    if (earlier)
        drop(earlier);
    if (!s || !await_end()) {
        kt__system_put(s, sizeof *s);
        return kt__fail_memory(sizeof *s);
    }
    if (opts)
        memcpy(&s->opts, opts, opts->size < sizeof s->opts ? opts->size : sizeof s->opts);
    pthread_mutex_init(&s->lock, NULL);
    s->watcher = (kt_watcher){.abi = KT_WATCH_ABI, .size = sizeof s->watcher, .before = before, .after = after, .context = s,
                              .enter = enter, .leave = leave, .memory = s->opts.memory ? memory : NULL};
    s->owner = &mine;
    s->id = ++sessions;
    if (!s->opts.all_threads && !new_list(s)) {
        drop(s);
        return kt__fail_memory(sizeof *s->threads);
    }
    s->begin = now();
    if (kt_watch(&s->watcher)) {
        drop(s);
        return kt_error_status();
    }
    mine = s;
    return KT_OK;
}

bool kt_profiler_is_on(void) { return mine != NULL; }

kt_profile *kt_profiler_stop(void)
{
    if (!mine) {
        kt_fail(KT_ERR_RUNTIME, "Can't disable Kineto profiler when it's not running");
        return NULL;
    }
    const uint64_t end = now();
    session       *s = stop();
    if (!s)
        return NULL;
    for (kt__thread_events *t = s->threads; t; t = t->next)
        for (uint32_t i = 0; i < t->n; i++) {
            kt__recorded_event *e = kt__recorded_at(t, i);
            e->end = e->end ? e->end : end;
        }
    kt_profile *profile = kt__profile_make(s->threads, s->begin, end);
    if (profile)
        s->threads = NULL;
    drop(s);
    return profile;
}
