/* cast_cache.c - autocast's cache: a weight is cast once, however often it is used, and the cast is one node of the tape.
 * In: a tensor and a dtype. Out: the tensor in that dtype. Independent of: which tensors to cache.
 *
 * The cache belongs to the thread. An entry holds the tensor itself, so that no other takes its address, and the memory that was
 * cast: one that was written to, or was given other memory, is cast anew. The outermost scope that is left clears it. */
#include "call/autocast.h"

#include <string.h>

#include "base/alloc.h"

typedef struct entry {
    kt_tensor *of;   /* NULL: free */
    kt_tensor *seen; /* an alias: the memory that `of` had */
    kt_tensor *cast;
    uint32_t   version; /* and how often it had been written to */
} entry;

typedef struct cache {
    kt__exit_hook at_exit;
    entry        *at; /* open addressing by tensor and dtype */
    size_t        n, room; /* room: a power of two, more than half of it free */
} cache;

static _Thread_local cache *casts;
static _Thread_local int    entered;

static void drop(entry *e)
{
    kt__unref(e->of);
    kt__unref(e->seen);
    kt__unref(e->cast);
}

/* Entries are removed first: freeing may run a binding's code. */
static void clear(cache *c)
{
    entry       *at = c->at;
    const size_t room = c->room;
    c->at = NULL;
    c->n = c->room = 0;
    for (size_t i = 0; i < room; i++)
        if (at[i].of)
            drop(&at[i]);
    kt__system_put(at, room * sizeof *at);
}

static void forget(kt__exit_hook *hook)
{
    cache *c = (cache *)(void *)hook; /* the hook is its first member */
    casts = NULL;
    clear(c);
    kt__system_put(c, sizeof *c);
}

/* Out of memory: nothing is cached. */
static cache *own_cache(void)
{
    if (casts)
        return casts;
    cache *c = kt__system_get(sizeof *c);
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    if (!kt__on_thread_exit(&c->at_exit, forget)) {
        kt__system_put(c, sizeof *c);
        return NULL;
    }
    return casts = c;
}

/* Where the cast of t to the dtype is, or would be. */
static entry *place(entry *at, size_t room, const kt_tensor *t, kt_dtype dtype)
{
    size_t i = ((uintptr_t)t >> 4 ^ (uintptr_t)t >> 12 ^ (uintptr_t)dtype) & (room - 1);
    while (at[i].of && (at[i].of != t || (kt_dtype)at[i].cast->dtype != dtype))
        i = (i + 1) & (room - 1);
    return &at[i];
}

static bool grow(cache *c)
{
    const size_t room = c->room ? 2 * c->room : 64;
    entry       *at = kt__system_get(room * sizeof *at);
    if (!at)
        return false;
    memset(at, 0, room * sizeof *at);
    for (size_t i = 0; i < c->room; i++)
        if (c->at[i].of)
            *place(at, room, c->at[i].of, (kt_dtype)c->at[i].cast->dtype) = c->at[i];
    kt__system_put(c->at, c->room * sizeof *at);
    c->at = at;
    c->room = room;
    return true;
}

static bool is_fresh(const entry *e)
{
    return e->of->storage == e->seen->storage && e->of->data == e->seen->data && kt__version(e->of) == e->version;
}

static void keep(kt_tensor *t, kt_tensor *cast)
{
    cache *c = own_cache();
    if (!c || (2 * (c->n + 1) > c->room && !grow(c)))
        return;
    kt_error_state *aside = kt_error_push();
    kt_tensor      *seen = aside ? kt__tensor_alias(t) : NULL;
    if (aside)
        kt_error_pop(aside);
    if (!seen)
        return;
    entry      *e = place(c->at, c->room, t, (kt_dtype)cast->dtype);
    const entry stale = *e;
    c->n += !e->of;
    *e = (entry){kt__ref(t), seen, kt__ref(cast), kt__version(t)};
    drop((entry *)&stale);
}

/* The cast is recorded in any grad mode: a later use may require grad. */
kt_tensor *kt__cached_cast(kt_tensor *t, kt_dtype dtype)
{
    if (casts && casts->room) {
        const entry *e = place(casts->at, casts->room, t, dtype);
        if (e->of && is_fresh(e))
            return kt__ref(e->cast);
    }
    const uint64_t mode = kt__mode();
    kt_tensor     *made = NULL;
    kt__mode_word = mode | KT_M_GRAD;
    kt_convert(t, dtype, KT_WHY_AUTOCAST, &made);
    kt__mode_word = mode;
    if (made)
        keep(t, made);
    return made;
}

int kt_autocast_enter(void) { return ++entered; }

int kt_autocast_leave(void)
{
    entered -= entered > 0;
    if (entered == 0)
        kt_autocast_clear_cache();
    return entered;
}

void kt_autocast_clear_cache(void)
{
    if (casts)
        clear(casts);
}
