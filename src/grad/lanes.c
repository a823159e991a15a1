/* lanes.c - see lanes.h. */
#include "grad/lanes.h"

#include <string.h>

#include "base/alloc.h"

static KT__HOT_LOCAL kt__streams *home_now; /* of the innermost run of backward */

void kt__node_keep_streams(kt_node *n)
{
    kt__streams *s = kt__streams_ref(kt__streams_now);
    memcpy((char *)n + n->bytes - KT__STREAMS_ROOM, &s, sizeof s);
    n->streamed = true;
}

void kt__lanes_note_home(kt__lanes *l)
{
    l->home = kt__streams_ref(kt__streams_now);
    l->outer = home_now;
    home_now = l->home;
}

static kt_status grow(kt__lanes *l)
{
    const size_t  bytes = l->capacity * sizeof *l->used;
    kt__streams **more = kt__system_get(2 * bytes);
    if (!more)
        return kt__fail_memory(2 * bytes);
    memcpy(more, l->used, bytes);
    if (l->used != l->few)
        kt__system_put(l->used, bytes);
    l->used = more;
    l->capacity *= 2;
    return KT_OK;
}

/* Every gradient descends from the roots', which the caller's streams make: by the waits where gradients cross, work anywhere
 * begins after what the caller queued before backward. */
static kt_status use(kt__lanes *l, kt__streams *s)
{
    uint32_t i = 0;
    while (i < l->n && l->used[i] != s)
        i++;
    if (s == l->home || i < l->n)
        return KT_OK;
    if (l->n == l->capacity && grow(l))
        return kt_error_status();
    l->used[l->n++] = kt__streams_ref(s);
    return KT_OK;
}

kt_status kt__lane_enter(kt__lanes *l, const kt_node *node, kt__streams **outer)
{
    kt__streams *s = kt__node_streams(node);
    if (use(l, s))
        return kt_error_status();
    *outer = kt__streams_now;
    kt__streams_now = kt__streams_ref(s);
    return KT_OK;
}

void kt__lane_leave(kt__streams *outer)
{
    kt__streams_unref(kt__streams_now);
    kt__streams_now = outer;
}

kt_status kt__lane_cross(kt__lanes *l, const kt_node *node, const kt_tensor *grad)
{
    kt__streams *s = kt__node_streams(node);
    if (s == kt__streams_now)
        return KT_OK;
    if (use(l, s) || kt__streams_after(s, kt__streams_now))
        return kt_error_status();
    if (grad)
        kt__used_on_streams(grad, s);
    return KT_OK;
}

void kt__lane_mark(const kt_tensor *grad)
{
    if (kt__streams_now == home_now)
        return;
    kt__used_on_streams(grad, kt__streams_now);
    kt__used_on_streams(grad, home_now);
}

kt_status kt__lanes_join(kt__lanes *l, kt_status so_far)
{
    for (uint32_t i = 0; i < l->n; i++) {
        const kt_status status = kt__streams_after(l->home, l->used[i]);
        so_far = so_far ? so_far : status;
        kt__streams_unref(l->used[i]);
    }
    if (l->used != l->few)
        kt__system_put(l->used, l->capacity * sizeof *l->used);
    home_now = l->outer;
    kt__streams_unref(l->home);
    return so_far;
}
