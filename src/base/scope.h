/* scope.h - ownership of tensors returned to C code: the innermost open scope.
 *
 * In: tensors, as plain pointers. Out: a call of the drop function for each, when its scope closes. Independent of: what
 * a tensor is; the tensor layer says how to drop one. Thread-local throughout. */
#ifndef KT_BASE_SCOPE_H
#define KT_BASE_SCOPE_H

#include "base/local.h"

#include <karat/base.h>

typedef struct kt__scope_mark {
    kt_tensor **base;  /* the scope owns the items from here on, up to the next mark */
    uint64_t    token; /* never used twice */
} kt__scope_mark;

/* Both arrays may move when they grow; marks[0] is no scope, `top` the innermost one. */
typedef struct kt__scope_stack {
    kt_tensor     **items, **next, **end;
    kt__scope_mark *marks, *top, *last;
    uint64_t        serial;
    kt__exit_hook   at_exit;
    bool            hooked; /* at_exit is registered */
} kt__scope_stack;

extern KT__HOT_LOCAL kt__scope_stack kt__scopes; /* written only by scope.c and the line below */

void kt__scope_set_drop(void (*drop)(kt_tensor *t)); /* set once, by the tensor layer, before the first scope closes */

kt_status kt__scope_add_slow(kt_tensor *t);

/* Hands one owned reference to the innermost scope. On failure (no scope open, no memory) the reference is still the
 * caller's, who drops it. */
static inline kt_status kt__scope_add(kt_tensor *t)
{
    kt__scope_stack *s = &kt__scopes;
    if (KT__UNLIKELY(s->top == s->marks || s->next == s->end))
        return kt__scope_add_slow(t);
    *s->next++ = t;
    return KT_OK;
}

/* Takes the reference to t back from the innermost scope if t is among its last few: the caller then owns it. Else false. */
static inline bool kt__scope_take(const kt_tensor *t)
{
    kt__scope_stack *s = &kt__scopes;
    for (kt_tensor **at = s->next; at > s->top->base && at > s->next - 4;) {
        if (*--at == t) {
            *at = *--s->next;
            return true;
        }
    }
    return false;
}

#endif
