/* scope.c - the stack of scopes of a thread: one array of owned pointers and one of marks into it.
 *
 * In: tensors, as plain pointers. Out: drops. Must not know: what a tensor is.
 *
 * A drop may run anybody's code (hooks, finalizers), which may open scopes, add to this one, even close it: nothing is
 * remembered across a drop but indexes, and the item leaves the stack before it is dropped. */
#include "base/scope.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

enum { FIRST_ITEMS = 256, FIRST_MARKS = 32, SERIAL_BITS = 40 };

static void drop_nothing(kt_tensor *t)
{
    (void)t;
}

static void (*drop_item)(kt_tensor *t) = drop_nothing;

KT__HOT_LOCAL kt__scope_stack      kt__scopes;
static KT__HOT_LOCAL kt__exit_hook at_exit;
static KT__HOT_LOCAL bool          hooked;

void kt__scope_set_drop(void (*drop)(kt_tensor *t))
{
    drop_item = drop;
}

/* Drops what the scopes from `level` up own, last come first. */
static void close_down_to(size_t level)
{
    kt__scope_stack *s = &kt__scopes;
    while (s->depth > level) {
        const size_t at = s->depth - 1;
        while (s->depth > at && s->count > s->marks[at].base) {
            drop_item(s->items[--s->count]);
        }
        if (s->depth > at) {
            s->depth = at;
        }
    }
}

static void end_thread(kt__exit_hook *hook)
{
    (void)hook;
    kt__scope_stack *s = &kt__scopes;
    close_down_to(0);
    kt__system_put(s->items, s->capacity * sizeof *s->items);
    kt__system_put(s->marks, s->marks_capacity * sizeof *s->marks);
    memset(s, 0, sizeof *s);
    hooked = false;
}

static void *grow(void *old, size_t *capacity, size_t first, size_t item_size)
{
    const size_t now = *capacity, next = now ? now * 2 : first;
    if (!hooked && !(hooked = kt__on_thread_exit(&at_exit, end_thread))) {
        return NULL;
    }
    void *p = kt__system_get(next * item_size);
    if (!p) {
        return NULL;
    }
    if (now) {
        memcpy(p, old, now * item_size);
        kt__system_put(old, now * item_size);
    }
    *capacity = next;
    return p;
}

KT__COLD kt_status kt__scope_add_slow(kt_tensor *t)
{
    kt__scope_stack *s = &kt__scopes;
    if (s->depth == 0) {
        return kt_fail(KT_ERR_RUNTIME, "no scope is open: a tensor given to C code belongs to a scope; write KT_SCOPE; "
                                       "at the top of the block (or call kt_scope_open and kt_scope_close)");
    }
    kt_tensor **items = grow(s->items, &s->capacity, FIRST_ITEMS, sizeof *items);
    if (!items) {
        return kt_fail(KT_ERR_MEMORY, "no memory for a scope of %zu tensors", s->count + 1);
    }
    s->items = items;
    s->items[s->count++] = t;
    return KT_OK;
}

/* Room for another mark. Tokens of a thread start at its own number: a guard closed on another thread finds nothing. */
KT__COLD static bool more_marks(kt__scope_stack *s)
{
    static uint64_t threads;
    kt__scope_mark *marks = grow(s->marks, &s->marks_capacity, FIRST_MARKS, sizeof *marks);
    if (!marks) {
        kt_fail(KT_ERR_MEMORY, "no memory to open a scope inside %zu others", s->depth);
        return false;
    }
    s->marks = marks;
    if (s->serial == 0) {
        s->serial = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED) << SERIAL_BITS;
    }
    return true;
}

kt_guard kt_scope_open(void)
{
    kt__scope_stack *s = &kt__scopes;
    if (KT__UNLIKELY(s->depth == s->marks_capacity) && !more_marks(s)) {
        return (kt_guard){0};
    }
    s->marks[s->depth++] = (kt__scope_mark){s->count, ++s->serial};
    return (kt_guard){s->serial};
}

/* Not the innermost: closing an outer scope closes those inside it; one that is closed already is left. */
KT__COLD static void close_other(uint64_t token)
{
    const kt__scope_stack *s = &kt__scopes;
    for (size_t i = s->depth; token && i-- > 0;) {
        if (s->marks[i].token == token) {
            close_down_to(i);
            return;
        }
    }
}

void kt_scope_close(kt_guard *guard)
{
    kt__scope_stack *s = &kt__scopes;
    const uint64_t   token = guard->token;
    const size_t     depth = s->depth;
    guard->token = 0;
    if (KT__UNLIKELY(depth == 0 || s->marks[depth - 1].token != token)) {
        close_other(token);
    } else {
        close_down_to(depth - 1);
    }
}

kt_tensor *kt_escape(kt_tensor *t)
{
    kt__scope_stack *s = &kt__scopes;
    if (!t) {
        return NULL;
    }
    if (s->depth < 2) {
        kt_fail(KT_ERR_RUNTIME, s->depth ? "kt_escape: no scope encloses the open one: open one outside, or kt_keep the "
                                           "tensor and kt_drop it later"
                                         : "kt_escape: no scope is open");
        return NULL;
    }
    kt__scope_mark *mark = &s->marks[s->depth - 1];
    for (size_t i = s->count; i-- > mark->base;) {
        if (s->items[i] == t) {
            s->items[i] = s->items[mark->base];
            s->items[mark->base++] = t; /* now the last of the enclosing scope */
            return t;
        }
    }
    kt_fail(KT_ERR_RUNTIME, "kt_escape: the tensor does not belong to the innermost scope: it was made in another one, "
                            "or escaped already");
    return NULL;
}
