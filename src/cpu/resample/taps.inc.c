/* taps.inc.c - which elements a resized dim reads for each result, and with which weights. A template: T is a float, the names
 * are those of types/.
 *
 * In: a kt__along. Out: lists of elements and weights, one for each result; of what flows back one for each element, transposed.
 * What stands in a list is math/taps.inc.c's. */
#include "base/alloc.h"
#include "base/error.h"
#include "cpu/resample/resample.h"
#include "math/fma.h"
#include "math/taps.inc.c"

#include <string.h>

typedef struct FN(taps) {
    int64_t  n, most;  /* lists; entries of the longest */
    int64_t *start;    /* list i has the entries [start[i], start[i + 1]) */
    int64_t *at;
    T       *weight;
    void    *made;
    size_t   granted;
} FN(taps);

/* ---- lists ---- */

static bool FN(taps_room)(FN(taps) *t, int64_t n, int64_t entries)
{
    const size_t bytes = sizeof(int64_t) * (size_t)(n + 1 + entries) + sizeof(T) * (size_t)entries;
    t->made = kt__block_get(bytes, &t->granted);
    if (!t->made)
        return !kt__fail_memory(bytes);
    t->n = n;
    t->start = t->made;
    t->at = t->start + n + 1;
    t->weight = (T *)(void *)(t->at + entries);
    return true;
}

static void FN(taps_free)(FN(taps) *t)
{
    if (t->made)
        kt__block_put(t->made, t->granted);
    t->made = NULL;
}

static void FN(taps_measure)(FN(taps) *t)
{
    t->most = 0;
    for (int64_t i = 0; i < t->n; i++)
        if (t->start[i + 1] - t->start[i] > t->most)
            t->most = t->start[i + 1] - t->start[i];
}

/* For each element the results that read it, in their order. */
static bool FN(taps_transposed)(FN(taps) *to, const FN(taps) *t, int64_t elements)
{
    const int64_t entries = t->start[t->n];
    if (!FN(taps_room)(to, elements, entries))
        return false;
    memset(to->start, 0, sizeof(int64_t) * (size_t)(elements + 1));
    for (int64_t e = 0; e < entries; e++)
        to->start[t->at[e] + 1]++;
    for (int64_t i = 0; i < elements; i++)
        to->start[i + 1] += to->start[i];
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t e = t->start[i]; e < t->start[i + 1]; e++) {
            const int64_t place = to->start[t->at[e]]++;
            to->at[place] = i;
            to->weight[place] = t->weight[e];
        }
    memmove(to->start + 1, to->start, sizeof(int64_t) * (size_t)elements); /* each begin has become the next one's */
    to->start[0] = 0;
    return true;
}

static bool FN(taps_make)(FN(taps) *t, const kt__along *a)
{
    const T  apart = FN(apart)(a);
    FN(taps) ahead = {0};
    int64_t  entries = 0;
    for (int64_t i = 0; i < a->to; i++)
        entries += FN(taps_at)(a, apart, i, NULL, NULL);
    if (!FN(taps_room)(&ahead, a->to, entries))
        return false;
    ahead.start[0] = 0;
    for (int64_t i = 0; i < a->to; i++)
        ahead.start[i + 1] = ahead.start[i] + FN(taps_at)(a, apart, i, ahead.at + ahead.start[i], ahead.weight + ahead.start[i]);
    bool made = true;
    if (a->back) {
        made = FN(taps_transposed)(t, &ahead, a->from);
        FN(taps_free)(&ahead);
    } else {
        *t = ahead;
    }
    if (made)
        FN(taps_measure)(t);
    return made;
}
