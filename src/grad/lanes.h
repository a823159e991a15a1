/* lanes.h - backward on the streams of forward: each node runs on those that its call was recorded on, a gradient that crosses to
 * others makes them wait, and at the end the caller's wait for all.
 *
 * In: nodes about to run, gradients about to be passed. Out: the thread's current streams, and events. Independent of: what a
 * node computes, in which order nodes run. All of it is skipped while nobody leaves the default streams. */
#ifndef KT_GRAD_LANES_H
#define KT_GRAD_LANES_H

#include "grad/grad.h"

enum { KT_LANES_FEW = 8 };

typedef struct kt__lanes {
    kt__streams  *home;   /* the caller's */
    kt__streams  *outer;  /* of a run of backward that this one is part of: its `home` */
    kt__streams **used;   /* others that work was queued on */
    uint32_t      n, capacity;
    kt__streams  *few[KT_LANES_FEW];
} kt__lanes;

void      kt__lanes_note_home(kt__lanes *l);
kt_status kt__lanes_join(kt__lanes *l, kt_status so_far);

static inline void kt__lanes_begin(kt__lanes *l)
{
    l->home = l->outer = NULL;
    l->used = l->few;
    l->n = 0;
    l->capacity = KT_LANES_FEW;
    if (kt__streams_differ())
        kt__lanes_note_home(l);
}

static inline kt_status kt__lanes_end(kt__lanes *l, kt_status so_far) /* the caller's streams wait for all work of this run */
{
    return kt__streams_differ() ? kt__lanes_join(l, so_far) : so_far;
}

/* Does anything need to be done before work for this node? */
static inline bool kt__changes_lane(const kt_node *node)
{
    return kt__streams_differ() && (node->streamed || kt__streams_now);
}

/* The thread goes over to the node's streams, and back. */
kt_status kt__lane_enter(kt__lanes *l, const kt_node *node, kt__streams **outer);
void      kt__lane_leave(kt__streams *outer);
/* A gradient that was made on the thread's streams is used on the node's. NULL: none was, but the node comes after. */
kt_status kt__lane_cross(kt__lanes *l, const kt_node *node, const kt_tensor *grad);
/* The caller gets this gradient, which the thread's streams write. */
void               kt__lane_mark(const kt_tensor *grad);
static inline void kt__lane_hand_out(const kt_tensor *grad)
{
    if (kt__streams_differ())
        kt__lane_mark(grad);
}

#endif
