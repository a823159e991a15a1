/* taps.inc.c - which elements a resized dim reads for each result, and with which weights. A template: T is a float, the names
 * are those of types/.
 *
 * In: a kt__along. Out: lists of elements and weights, one for each result; of what flows back one for each element, transposed.
 * Positions are computed as PyTorch computes them, in T, products and sums in one rounding where its build fuses them; the
 * nearest element depends on that. Elements beyond an end are the last ones: a list may name an element twice. */
#include "base/alloc.h"
#include "base/error.h"
#include "cpu/resample/resample.h"
#include "math/fma.h"

#include <string.h>

typedef struct FN(taps) {
    int64_t  n, most;  /* lists; entries of the longest */
    int64_t *start;    /* list i has the entries [start[i], start[i + 1]) */
    int64_t *at;
    T       *weight;
    void    *made;
    size_t   granted;
} FN(taps);

static T FN(apart)(const kt__along *a)
{
    if (a->align)
        return a->to > 1 ? (T)(a->from - 1) / (T)(a->to - 1) : 0;
    return a->scale > 0 ? (T)(1.0 / a->scale) : (T)a->from / (T)a->to;
}

/* A position as an element; what is not in the image is its first or last. */
static int64_t FN(within)(T position, int64_t size)
{
    return !(position > 0) ? 0 : position < (T)(size - 1) ? (int64_t)position : size - 1;
}

/* PyTorch's kernels differ in type, formula and short cuts, and so, at the border of two cells, in the element. */
static int64_t FN(nearest)(const kt__along *a, int64_t i)
{
    const bool exact = a->filter == KT__NEAREST_EXACT;
    if (!a->back && !a->by_channels) {
        const T apart = FN(apart)(a);
        const T at = exact ? FN(fma)(apart, (T)i + (T)0.5, (T)-0.5) + (T)0.5 : (T)i * apart;
        return FN(within)((T)__builtin_floorf((float)at), a->from);
    }
    const float apart = a->scale > 0 ? (float)(1.0 / a->scale) : (float)a->from / (float)a->to;
    if (!exact && a->from == a->to)
        return i;
    if (!exact && a->to == 2 * a->from)
        return i >> 1;
    return FN(within)((T)__builtin_floorf((exact ? (float)i + 0.5f : (float)i) * apart), a->from);
}

static T FN(source)(const kt__along *a, T apart, int64_t i)
{
    return a->align ? apart * (T)i : FN(fma)(apart, (T)i + (T)0.5, (T)-0.5);
}

/* ---- weights of elements by their distance ---- */

static T FN(tent)(T x)
{
    x = x < 0 ? -x : x;
    return x < 1 ? 1 - x : 0;
}

static T FN(bump)(T x, T a)
{
    x = x < 0 ? -x : x;
    return x < 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((x - 5) * x + 8) * x * a - 4 * a : 0;
}

/* Elements with their weights for result i; returns how many. `at` and `weight` may be NULL. */
static int64_t FN(linear_taps)(const kt__along *a, T apart, int64_t i, int64_t *at, T *weight)
{
    const bool    same = a->from == a->to;
    const T       source = same ? 0 : FN(source)(a, apart, i), real = source > 0 ? source : 0;
    const int64_t first = same ? i : FN(within)(real, a->from), second = same || first == a->from - 1 ? first : first + 1;
    const T       beyond = real - (T)first, part = same || !(beyond > 0) ? 0 : beyond < 1 ? beyond : 1;
    if (at) {
        at[0] = first;
        at[1] = second;
        weight[0] = 1 - part;
        weight[1] = part;
    }
    return 2;
}

static int64_t FN(cubic_taps)(const kt__along *a, T apart, int64_t i, int64_t *at, T *weight)
{
    const T    real = FN(source)(a, apart, i), floor = MATH(floor)(real), last = (T)(a->from - 1);
    const T    first = floor < last ? floor : last, beyond = real - first, part = !(beyond > 0) ? 0 : beyond < 1 ? beyond : 1;
    for (int k = 0; at && k < 4; k++) {
        at[k] = FN(within)(first + (T)(k - 1), a->from);
        weight[k] = FN(bump)(k < 2 ? part + (T)(1 - k) : (T)(k - 1) - part, (T)-0.75);
    }
    return 4;
}

/* Weights as wide as the cells of the result, where they are wider than elements; they add up to one. */
static int64_t FN(wide_taps)(const kt__along *a, T apart, int64_t i, int64_t *at, T *weight)
{
    const bool    cubic = a->filter == KT__CUBIC, shrinks = apart >= 1;
    const T       reach = (cubic ? 2 : 1) * (shrinks ? apart : 1), inverse = shrinks ? 1 / apart : 1;
    const T       centre = apart * ((T)i + (T)0.5);
    const T       low = centre - reach + (T)0.5, high = centre + reach + (T)0.5;
    const int64_t first = !(low > 0) ? 0 : low < (T)a->from ? (int64_t)low : a->from;
    const int64_t end = !(high > 0) ? 0 : high < (T)a->from ? (int64_t)high : a->from;
    T             sum = 0;
    for (int64_t k = 0; at && k < end - first; k++) {
        const T x = ((T)(k + first) - centre + (T)0.5) * inverse;
        at[k] = first + k;
        weight[k] = cubic ? FN(bump)(x, (T)-0.5) : FN(tent)(x);
        sum += weight[k];
    }
    for (int64_t k = 0; at && sum != 0 && k < end - first; k++)
        weight[k] /= sum;
    return end > first ? end - first : 0;
}

static int64_t FN(taps_at)(const kt__along *a, T apart, int64_t i, int64_t *at, T *weight)
{
    if (!a->copies && a->filter >= KT__LINEAR)
        return a->antialias              ? FN(wide_taps)(a, apart, i, at, weight)
               : a->filter == KT__LINEAR ? FN(linear_taps)(a, apart, i, at, weight)
                                         : FN(cubic_taps)(a, apart, i, at, weight);
    if (at) {
        at[0] = a->copies ? i : FN(nearest)(a, i);
        weight[0] = 1;
    }
    return 1;
}

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
