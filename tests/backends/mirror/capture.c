/* capture.c - work of the mirror that is recorded and replayed: a list of pieces of work, in the order of their launches. */
#include "mirror.h"

#include <stdlib.h>
#include <string.h>

void record_work(graph *g, work *w)
{
    *g->last = w;
    g->last = &w->next;
}

static void free_graph(graph *g)
{
    for (work *w = g->first, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    for (block *b = g->memory, *next; b; b = next) {
        next = b->next;
        for (int i = 0; i < g->n_replayed_on; i++)
            use_block(b, g->replayed_on[i]);
        drop_block_of_graph(b);
    }
    free(g);
}

static kt_status begin(kt_backend *self, int index, kt_handle handle)
{
    (void)self;
    graph *g = calloc(1, sizeof *g);
    if (!g)
        return host->fail(KT_ERR_MEMORY, "mirror: no memory for a graph");
    g->last = &g->first;
    pthread_mutex_lock(&lock);
    stream    *s = stream_of(index, handle);
    const bool taken = s->capturing != NULL;
    if (!taken)
        s->capturing = g;
    pthread_mutex_unlock(&lock);
    if (!taken)
        return KT_OK;
    free(g);
    return host->fail(KT_ERR_RUNTIME, "mirror: this stream captures already");
}

static kt_status end(kt_backend *self, int index, kt_handle handle, kt_handle *made)
{
    (void)self;
    pthread_mutex_lock(&lock);
    graph *g = stream_of(index, handle)->capturing;
    leave_capture(g);
    pthread_mutex_unlock(&lock);
    *made = (kt_handle)(uintptr_t)g;
    return g ? KT_OK : host->fail(KT_ERR_RUNTIME, "mirror: this stream does not capture");
}

/* Draws of a recorded plan begin where this replay's do. */
static void move_draws(work *w, uint64_t seed, uint64_t offset)
{
    kt_plan plan;
    if (w->kind != WORK_RUN)
        return;
    kt_plan_unpack(&plan, w + 1);
    if (!is_random(plan.kernel))
        return;
    plan.seed = seed;
    plan.offset += offset;
    kt_plan_pack(w + 1, &plan);
}

static kt_status replay(kt_backend *self, int index, kt_handle handle, kt_handle on, uint64_t seed, uint64_t offset)
{
    (void)self;
    graph     *g = (graph *)(uintptr_t)handle;
    kt_status  code = late_error(index);
    const work *from = g->first;
    if (code)
        return code;
    pthread_mutex_lock(&lock);
    stream *s = stream_of(index, on);
    bool    known = false;
    for (int i = 0; i < g->n_replayed_on; i++)
        known |= g->replayed_on[i] == s;
    if (!known && g->n_replayed_on == MOST_USERS)
        drain(g->replayed_on[--g->n_replayed_on]);
    if (!known)
        g->replayed_on[g->n_replayed_on++] = s;
    for (; from && !code; from = from->next) {
        work *w = new_work(from->kind, from->room);
        if (w) {
            memcpy(w, from, sizeof *w + from->room);
            w->next = NULL;
            move_draws(w, seed, offset);
            enqueue(s, w);
        } else {
            code = KT_ERR_MEMORY;
        }
    }
    pthread_mutex_unlock(&lock);
    return code ? host->fail(code, "mirror: no memory to replay a graph") : KT_OK;
}

static void drop(kt_backend *self, int index, kt_handle handle)
{
    (void)self, (void)index;
    pthread_mutex_lock(&lock);
    free_graph((graph *)(uintptr_t)handle);
    pthread_mutex_unlock(&lock);
}

const kt_capture_calls capture_calls = {.begin = begin, .end = end, .replay = replay, .drop = drop};
