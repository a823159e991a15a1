/* current.c - which streams a thread works on, and how long a stream lives.
 *
 * In: streams. Out: sets of them, one for each device that is not on its default stream. A set never changes, and two equal sets
 * are one object: a thread has one, the tape's nodes keep those that they were recorded with, and a comparison of pointers says
 * whether two pieces of work are on the same streams. Independent of: what is queued. */
#include <pthread.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/local.h"
#include "tensor/device.h"

typedef struct current_stream {
    uint8_t   kind, index;
    kt_handle handle;
} current_stream;

struct kt__streams {
    _Atomic int32_t refs;
    int32_t         n, room; /* room: for how many it was allocated */
    kt__streams    *next; /* of all */
    current_stream  at[];
};

/* A stream that the engine made. Its owner may drop it while sets name it: it goes with the last of them. */
typedef struct made_stream {
    kt_stream           stream;
    int                 refs; /* the owner and the sets */
    bool                owned;
    struct made_stream *next;
} made_stream;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards both lists, and a set's last reference */
static kt__streams    *sets;
static made_stream    *made;

KT__HOT_LOCAL kt__streams *kt__streams_now;
_Atomic bool               kt__streams_ever;

void kt__streams_hold(void) { pthread_mutex_lock(&lock); }
void kt__streams_release(void) { pthread_mutex_unlock(&lock); }

static size_t bytes_for(int room) { return sizeof(kt__streams) + (size_t)room * sizeof(current_stream); }
static void   free_set(kt__streams *s) { kt__system_put(s, bytes_for(s->room)); }

/* ---- lives of streams, with the lock held ---- */
static made_stream **find_made(kt_device d, kt_handle handle)
{
    made_stream **at = &made;
    for (; *at; at = &(*at)->next) {
        const kt_stream *s = &(*at)->stream;
        if (s->handle == handle && s->device.kind == d.kind && s->device.index == d.index)
            break;
    }
    return at;
}

static void ref_stream(const current_stream *s)
{
    made_stream *m = *find_made((kt_device){s->kind, s->index}, s->handle);
    if (m)
        m->refs++;
}

static void unref_stream(kt_device d, kt_handle handle)
{
    made_stream **at = find_made(d, handle), *m = *at;
    if (!m || --m->refs)
        return;
    *at = m->next;
    kt__system_put(m, sizeof *m);
    kt_backend *b = kt__backend(d.kind);
    if (!kt__devices_lost)
        b->streams->drop(b, d.index, handle);
}

kt_status kt__stream_made(kt_stream s)
{
    made_stream *m = kt__system_get(sizeof *m);
    if (!m)
        return kt__fail_memory(sizeof *m);
    pthread_mutex_lock(&lock);
    *m = (made_stream){.stream = s, .refs = 1, .owned = true, .next = made};
    made = m;
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

void kt__stream_disowned(kt_stream s)
{
    pthread_mutex_lock(&lock);
    made_stream *m = *find_made(s.device, s.handle);
    if (m && m->owned) {
        m->owned = false;
        unref_stream(s.device, s.handle);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- sets ---- */
kt__streams *kt__streams_ref(kt__streams *s)
{
    if (s)
        atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

static void delete_set(kt__streams *s)
{
    kt__streams **at = &sets;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    for (int i = 0; i < s->n; i++)
        unref_stream((kt_device){s->at[i].kind, s->at[i].index}, s->at[i].handle);
    free_set(s);
}

/* The last reference goes with the lock held: another thread may find the set meanwhile. */
void kt__streams_unref(kt__streams *s)
{
    int32_t refs = s ? atomic_load_explicit(&s->refs, memory_order_relaxed) : 0;
    while (refs > 1)
        if (atomic_compare_exchange_weak_explicit(&s->refs, &refs, refs - 1, memory_order_release, memory_order_relaxed))
            return;
    if (!s)
        return;
    pthread_mutex_lock(&lock);
    if (atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) == 1)
        delete_set(s);
    pthread_mutex_unlock(&lock);
}

static bool equal(const kt__streams *a, const kt__streams *b)
{
    bool same = a->n == b->n;
    for (int i = 0; i < a->n && same; i++)
        same = a->at[i].kind == b->at[i].kind && a->at[i].index == b->at[i].index && a->at[i].handle == b->at[i].handle;
    return same;
}

/* The one set that is equal to s, which is taken over. Owned. */
static kt__streams *interned(kt__streams *s)
{
    pthread_mutex_lock(&lock);
    kt__streams *known = sets;
    while (known && !equal(known, s))
        known = known->next;
    if (known) {
        kt__streams_ref(known);
        free_set(s);
    } else {
        known = s;
        s->next = sets;
        sets = s;
        for (int i = 0; i < s->n; i++)
            ref_stream(&s->at[i]);
    }
    pthread_mutex_unlock(&lock);
    return known;
}

static bool comes_before(const current_stream *s, kt_device d)
{
    return s->kind != d.kind ? s->kind < d.kind : s->index < d.index;
}

/* The set of `from` with another stream of one device, in the order of devices. */
static kt_status with_stream(const kt__streams *from, kt_device d, kt_handle handle, kt__streams **result)
{
    const int    n = from ? from->n : 0;
    kt__streams *s = kt__system_get(bytes_for(n + 1));
    int          i = 0;
    if (!s)
        return kt__fail_memory(bytes_for(n + 1));
    atomic_init(&s->refs, 1);
    s->n = 0;
    s->room = n + 1;
    for (; i < n && comes_before(&from->at[i], d); i++)
        s->at[s->n++] = from->at[i];
    if (handle)
        s->at[s->n++] = (current_stream){(uint8_t)d.kind, (uint8_t)d.index, handle};
    i += i < n && from->at[i].kind == d.kind && from->at[i].index == d.index;
    for (; i < n; i++)
        s->at[s->n++] = from->at[i];
    *result = NULL;
    if (s->n)
        *result = interned(s);
    else
        free_set(s);
    return KT_OK;
}

kt_handle kt__stream_in(const kt__streams *s, int kind, int index)
{
    for (int i = 0; s && i < s->n; i++)
        if (s->at[i].kind == kind && s->at[i].index == index)
            return s->at[i].handle;
    return 0;
}

kt_handle kt__stream_now(int kind, int index) { return kt__stream_in(kt__streams_now, kind, index); }

/* ---- a thread's ---- */
static void leave_thread(kt__exit_hook *hook)
{
    (void)hook;
    kt__streams_unref(kt__streams_now);
    kt__streams_now = NULL;
}

kt_status kt__stream_set_now(kt_device d, kt_handle handle)
{
    static _Thread_local kt__exit_hook hook;
    static _Thread_local bool          hooked;
    kt__streams                       *next = NULL;
    if (kt__stream_now(d.kind, d.index) == handle)
        return KT_OK;
    if (with_stream(kt__streams_now, d, handle, &next))
        return kt_error_status();
    hooked = hooked || kt__on_thread_exit(&hook, leave_thread);
    atomic_store_explicit(&kt__streams_ever, true, memory_order_relaxed);
    kt__streams_unref(kt__streams_now);
    kt__streams_now = next;
    return KT_OK;
}

/* ---- order between two sets ---- */
static kt_status after_on(kt_device d, const kt__streams *later, const kt__streams *earlier)
{
    const kt_handle to = kt__stream_in(later, d.kind, d.index), from = kt__stream_in(earlier, d.kind, d.index);
    return to == from ? KT_OK : kt_stream_after((kt_stream){d, to}, (kt_stream){d, from});
}

kt_status kt__streams_after(const kt__streams *later, const kt__streams *earlier)
{
    for (int i = 0; later && i < later->n; i++)
        if (after_on((kt_device){later->at[i].kind, later->at[i].index}, later, earlier))
            return kt_error_status();
    for (int i = 0; earlier && i < earlier->n; i++) {
        const kt_device d = {earlier->at[i].kind, earlier->at[i].index};
        if (!kt__stream_in(later, d.kind, d.index) && after_on(d, later, earlier))
            return kt_error_status();
    }
    return KT_OK;
}

void kt__used_on_streams(const kt_tensor *t, const kt__streams *s)
{
    kt_backend *b = kt__backend(t->backend);
    if (b->used_on && t->storage->granted && !kt__devices_lost)
        b->used_on(b, t->index, t->storage->data, kt__stream_in(s, t->backend, t->index));
}
