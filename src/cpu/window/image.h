/* image.h - an operand of a plan of windows as an image: [batch, channels, three dims in space].
 *
 * In: a plan whose operands have blocks of dims of their own. Out: sizes, and strides in bytes. Independent of: what moves over
 * the image. */
#ifndef KT_CPU_WINDOW_IMAGE_H
#define KT_CPU_WINDOW_IMAGE_H

#include "cpu/kernels.h"

enum { KT__SPACE_DIMS = 3 }; /* absent ones, which are the first, have size 1 */

typedef struct kt__image {
    kt_operand x;
    int64_t    batch, channels, size[KT__SPACE_DIMS];
    int64_t    by_batch, by_channel, step[KT__SPACE_DIMS];
} kt__image;

static inline int kt__space_of(const kt_plan *plan) { return (int)plan->param[0].v.i; }

/* The dims in space of operand `at`, whose block begins at dim `first`. */
static inline void kt__read_space(const kt_plan *plan, int at, int first, int64_t *size, int64_t *step)
{
    const int absent = KT__SPACE_DIMS - kt__space_of(plan);
    for (int d = 0; d < KT__SPACE_DIMS; d++) {
        size[d] = d < absent ? 1 : plan->size[first + 2 + d - absent];
        step[d] = d < absent ? 0 : plan->stride[at][first + 2 + d - absent];
    }
}

static inline kt__image kt__image_of(const kt_plan *plan, int at)
{
    const int first = at * (2 + kt__space_of(plan));
    kt__image i = {.x = plan->arg[at], .batch = plan->size[first], .channels = plan->size[first + 1],
                   .by_batch = plan->stride[at][first], .by_channel = plan->stride[at][first + 1]};
    kt__read_space(plan, at, first, i.size, i.step);
    return i;
}

/* Are the channels of a position nearer than the next position? */
static inline bool kt__channels_last(const kt__image *i)
{
    return i->channels > 1 && (i->size[KT__SPACE_DIMS - 1] == 1 || i->by_channel < i->step[KT__SPACE_DIMS - 1]);
}

static inline int64_t kt__volume(const int64_t *size) { return size[0] * size[1] * size[2]; }

#endif
