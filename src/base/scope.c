/* scope.c - the stack of scopes of a thread: one array of owned pointers and one of marks into it.
 *
 * In: tensors, as plain pointers. Out: drops. Independent of: what a tensor is.
 *
 * A drop may run foreign code (hooks, finalizers) that opens scopes, adds to this one or closes it: only indexes are kept
 * across a drop, and an item leaves the stack before it is dropped. */
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

static kt__scope_mark no_scope = {NULL, UINT64_MAX}; /* no guard has this token */

KT__HOT_LOCAL kt__scope_stack kt__scopes = {.top = &no_scope, .marks = &no_scope, .last = &no_scope};

void kt__scope_set_drop(void (*drop)(kt_tensor *t))
{
    drop_item = drop;
}

static void close_other(uint64_t token);

/* Closes the innermost scope: drops what it owns, last in, first out. */
static inline void close_innermost(kt__scope_stack *s, kt__scope_mark *mark)
{
    const uint64_t token = mark->token;
    while (s->next > mark->base) {
        drop_item(*--s->next);
        if (KT__UNLIKELY(s->top != mark)) {
            close_other(token); /* the drop closed the scope, or made the marks move */
            return;
        }
    }
    s->top = mark - 1;
}

/* Closing an outer scope closes those inside it; one that is already closed is ignored. */
KT__COLD static void close_other(uint64_t token)
{
    kt__scope_stack *s = &kt__scopes;
    for (size_t i = (size_t)(s->top - s->marks); i > 0 && s->marks[i].token >= token; i--) {
        if (s->marks[i].token == token) {
            while (s->top >= s->marks + i)
                close_innermost(s, s->top);
            return;
        }
    }
}

static void end_thread(kt__exit_hook *hook)
{
    (void)hook;
    kt__scope_stack *s = &kt__scopes;
    while (s->top > s->marks)
        close_innermost(s, s->top);
    kt__system_put(s->items, (size_t)((char *)s->end - (char *)s->items));
    if (s->marks != &no_scope)
        kt__system_put(s->marks, (size_t)((char *)(s->last + 1) - (char *)s->marks));
    *s = (kt__scope_stack){.top = &no_scope, .marks = &no_scope, .last = &no_scope};
}

/* Doubles an array, or allocates the first; the old bytes are copied and released. NULL when out of memory. */
static void *grow(void *old, size_t old_bytes, size_t first_bytes, size_t *new_bytes)
{
    kt__scope_stack *s = &kt__scopes;
    if (!s->hooked && !(s->hooked = kt__on_thread_exit(&s->at_exit, end_thread)))
        return NULL;
    *new_bytes = old_bytes ? old_bytes * 2 : first_bytes;
    void *p = kt__system_get(*new_bytes);
    if (p && old_bytes) {
        memcpy(p, old, old_bytes);
        kt__system_put(old, old_bytes);
    }
    return p;
}

static bool more_items(kt__scope_stack *s)
{
    const size_t count = (size_t)(s->end - s->items);
    uintptr_t    moved_from = (uintptr_t)s->items;
    size_t       bytes;
    kt_tensor  **items = grow(s->items, count * sizeof *items, FIRST_ITEMS * sizeof *items, &bytes);
    if (!items) {
        kt_fail(KT_ERR_MEMORY, "no memory for a scope of %zu tensors", count + 1);
        return false;
    }
    for (kt__scope_mark *m = s->marks + 1; m <= s->top; m++)
        m->base = items + ((uintptr_t)m->base - moved_from) / sizeof *items;
    s->next = items + count;
    s->end = items + bytes / sizeof *items;
    s->items = items;
    return true;
}

KT__COLD kt_status kt__scope_add_slow(kt_tensor *t)
{
    kt__scope_stack *s = &kt__scopes;
    if (s->top == s->marks) {
        return kt_fail(KT_ERR_RUNTIME, "no scope is open: a tensor given to C code belongs to a scope; write KT_SCOPE; "
                                       "at the top of the block (or call kt_scope_open and kt_scope_close)");
    }
    if (!more_items(s))
        return kt_error_status();
    *s->next++ = t;
    return KT_OK;
}

/* Room for another mark. Tokens of a thread start at its own number: a guard closed on another thread finds nothing. */
static bool more_marks(kt__scope_stack *s)
{
    static uint64_t threads;
    const size_t    count = s->marks != &no_scope ? (size_t)(s->last + 1 - s->marks) : 0;
    size_t          bytes;
    kt__scope_mark *marks = grow(s->marks, count * sizeof *marks, FIRST_MARKS * sizeof *marks, &bytes);
    if (!marks) {
        kt_fail(KT_ERR_MEMORY, "no memory to open a scope inside %zu others", count ? count - 1 : 0);
        return false;
    }
    if (!count) {
        marks[0] = no_scope;
        s->serial = (__atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED) + 1) << SERIAL_BITS;
    }
    s->top = marks + (count ? count - 1 : 0);
    s->last = marks + bytes / sizeof *marks - 1;
    s->marks = marks;
    return true;
}

static inline kt_guard open_one(kt__scope_stack *s)
{
    *++s->top = (kt__scope_mark){s->next, ++s->serial};
    return (kt_guard){s->serial};
}

KT__COLD static kt_guard open_slow(kt__scope_stack *s)
{
    return more_marks(s) ? open_one(s) : (kt_guard){0};
}

KT__HOT kt_guard kt_scope_open(void)
{
    kt__scope_stack *s = &kt__scopes;
    return KT__LIKELY(s->top != s->last) ? open_one(s) : open_slow(s);
}

KT__HOT void kt_scope_close(kt_guard *guard)
{
    kt__scope_stack *s = &kt__scopes;
    const uint64_t   token = guard ? guard->token : 0; /* no scope has this one */
    kt__scope_mark  *mark = s->top;
    if (KT__UNLIKELY(mark->token != token)) {
        close_other(token);
    } else {
        close_innermost(s, mark);
    }
}

kt_tensor *kt_escape(kt_tensor *t)
{
    kt__scope_stack *s = &kt__scopes;
    if (!t)
        return NULL;
    const size_t open = (size_t)(s->top - s->marks);
    if (open < 2) {
        kt_fail(KT_ERR_RUNTIME, open ? "kt_escape: no scope encloses the open one: open one outside, or kt_keep the "
                                       "tensor and kt_drop it later"
                                     : "kt_escape: no scope is open");
        return NULL;
    }
    kt_tensor **base = s->top->base;
    for (kt_tensor **item = s->next; item-- > base;) {
        if (*item == t) {
            *item = *base;
            *base = t; /* now the last of the enclosing scope */
            s->top->base++;
            return t;
        }
    }
    kt_fail(KT_ERR_RUNTIME, "kt_escape: the tensor does not belong to the innermost scope: it was made in another one, "
                            "or escaped already");
    return NULL;
}
