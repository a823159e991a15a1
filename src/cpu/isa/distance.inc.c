/* distance.inc.c - the distance of every two lines in compute type T, by the norms of order 1, 2 and infinity. A template: the
 * names of T are those of types/, tile.h is included.
 *
 * In: plans over [batch, lines, other lines, elements of a line]. Out: one number for each pair. A block of the other lines is
 * turned, so that what all of them have at one place lies side by side, and a line is compared with them at once. The sum of a
 * pair is over its elements in order. Independent of: operators, threads. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"

#include <string.h>

#ifndef DISTANCE_FOR_ALL_TYPES
#define DISTANCE_FOR_ALL_TYPES
enum { LINE_BATCH, LINE, OTHER, LINE_ELEMENT, LINE_DIMS, AT_ONCE = 8, OTHERS = 64 };
typedef enum measure { CITY, STRAIGHT, FARTHEST } measure;
#endif

typedef struct FN(distances) {
    const kt_plan *plan;
    measure        by;
    FN(lens)       to, line, other;
    int64_t        blocks; /* of other lines */
    bool           failed;
} FN(distances);

KT_ALWAYS void FN(add_apart)(T *restrict sum, T x, const T *restrict others, measure by)
{
    for (int j = 0; j < AT_ONCE; j++) {
        const T apart = x - others[j];
        const T size = by == STRAIGHT ? apart * apart
                                      : (T)(sizeof(T) == 4 ? __builtin_fabsf((float)apart) : __builtin_fabs(apart));
        sum[j] = by == FARTHEST ? (size > sum[j] ? size : sum[j]) /* no NaN, as in PyTorch */ : sum[j] + size;
    }
}

KT_ALWAYS void FN(compare)(T *to, const T *x, const T *turned, int64_t n, measure by)
{
    T sum[AT_ONCE] = {0};
    for (int64_t k = 0; k < n; k++)
        FN(add_apart)(sum, x[k], turned + k * OTHERS, by);
    for (int j = 0; j < AT_ONCE; j++)
        to[j] = by == STRAIGHT ? (T)(sizeof(T) == 4 ? (double)__builtin_sqrtf((float)sum[j]) : __builtin_sqrt((double)sum[j]))
                               : sum[j];
}

static void FN(compare_all)(T *to, const T *x, const T *turned, int64_t n, int64_t others, measure by)
{
    for (int64_t j = 0; j < others; j += AT_ONCE)
        switch (by) {
        case CITY:     FN(compare)(to + j, x, turned + j, n, CITY); break;
        case STRAIGHT: FN(compare)(to + j, x, turned + j, n, STRAIGHT); break;
        case FARTHEST: FN(compare)(to + j, x, turned + j, n, FARTHEST); break;
        }
}

/* [elements, OTHERS]: those beyond the last are 0. */
static void FN(turn_others)(const FN(distances) *d, T *turned, T *room, const char *from, int64_t others)
{
    const int64_t n = d->plan->size[LINE_ELEMENT], width = (others + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
    for (int64_t j = 0; j < width; j++) {
        const T *line = (const T *)(const void *)(from + j * d->plan->stride[2][OTHER]);
        if (j < others && !d->other.direct) {
            FN(load_line)(room, &d->other, (const char *)line, n);
            line = room;
        }
        for (int64_t k = 0; k < n; k++)
            turned[k * OTHERS + j] = j < others ? line[k] : 0;
    }
}

static void FN(compare_block)(const FN(distances) *d, int64_t batch, int64_t block, T *turned, T *room)
{
    const kt_plan *plan = d->plan;
    const int64_t  first = block * OTHERS, left = plan->size[OTHER] - first, others = left < OTHERS ? left : OTHERS;
    const char    *lines = plan->arg[1].data + batch * plan->stride[1][LINE_BATCH];
    char          *to = plan->arg[0].data + batch * plan->stride[0][LINE_BATCH] + first * plan->stride[0][OTHER];
    T              made[OTHERS];
    FN(turn_others)(d, turned, room, plan->arg[2].data + batch * plan->stride[2][LINE_BATCH] + first * plan->stride[2][OTHER],
                    others);
    for (int64_t i = 0; i < plan->size[LINE]; i++) {
        const char *at = lines + i * plan->stride[1][LINE];
        const T    *x = (const T *)(const void *)at;
        char       *place = to + i * plan->stride[0][LINE];
        if (!d->line.direct) {
            FN(load_line)(room, &d->line, at, plan->size[LINE_ELEMENT]);
            x = room;
        }
        const bool in_place = d->to.direct && others % AT_ONCE == 0;
        FN(compare_all)(in_place ? (T *)(void *)place : made, x, turned, plan->size[LINE_ELEMENT], others, d->by);
        if (!in_place)
            FN(store_tile)(place, &d->to, made, (int)others);
    }
}

static void FN(compare_blocks)(void *ctx, int64_t begin, int64_t end)
{
    FN(distances) *d = ctx;
    const int64_t  n = d->plan->size[LINE_ELEMENT];
    size_t         granted;
    T             *turned = kt__block_get((size_t)(n * (OTHERS + 1)) * sizeof(T), &granted);
    for (int64_t i = begin; turned && i < end; i++)
        FN(compare_block)(d, i / d->blocks, i % d->blocks, turned, turned + n * OTHERS);
    if (!turned)
        __atomic_store_n(&d->failed, true, __ATOMIC_RELAXED);
    else
        kt__block_put(turned, granted);
}

static kt_status FN(distances_run)(const kt_plan *plan)
{
    const double  order = kt__scalar_f64(&plan->param[0]);
    const int64_t n = plan->size[LINE_ELEMENT];
    FN(distances) d = {.plan = plan, .by = order == 1 ? CITY : order == 2 ? STRAIGHT : FARTHEST,
                       .to = FN(lens_of)(&plan->arg[0], plan->stride[0][OTHER]),
                       .line = FN(lens_of)(&plan->arg[1], plan->stride[1][LINE_ELEMENT]),
                       .other = FN(lens_of)(&plan->arg[2], plan->stride[2][LINE_ELEMENT]),
                       .blocks = (plan->size[OTHER] + OTHERS - 1) / OTHERS};
    const int64_t work = plan->size[LINE] * OTHERS * n + 1;
    kt__parallel(plan->size[LINE_BATCH] * d.blocks, KT__GRAIN / work + 1, FN(compare_blocks), &d);
    return d.failed ? kt__fail_memory((size_t)(n * (OTHERS + 1)) * sizeof(T)) : KT_OK;
}
