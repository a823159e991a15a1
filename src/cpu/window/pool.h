/* pool.h - pooling: one number for what a window sees of an image, the largest or the average, and what flows back.
 *
 * In: plans of the kernels of tables/kernels/window.def that pool. Out: their results. Independent of: tensors, operators; the
 * loops are stamped per compute type and instruction set from cpu/isa/pool.inc.c. */
#ifndef KT_CPU_WINDOW_POOL_H
#define KT_CPU_WINDOW_POOL_H

#include "cpu/window/image.h"

/* What a window sees in one dim: elements first + step * k, k < count. extent: with its padding. */
typedef struct kt__window {
    int64_t first, count, step, extent;
} kt__window;

typedef struct kt__pool {
    kt__image whole, few;  /* the image, and the numbers: one of the two is the result */
    kt__image index;       /* where each largest number stood, row-major among the dims in space; no data: nobody asks */
    kt__image samples;     /* where windows stand, in [0, 1): one number for each plane and dim; no data: they move evenly */
    int64_t   kernel[KT__SPACE_DIMS], stride[KT__SPACE_DIMS], padding[KT__SPACE_DIMS], dilation[KT__SPACE_DIMS];
    bool      adaptive;    /* windows divide the image evenly; there is no geometry */
    bool      largest, back, channels_inner;
    bool      sets;        /* back: numbers are put to their places, not added */
    bool      with_padding; /* of averages: padding counts */
    int64_t   divisor;      /* of averages: this one; 0: the elements */
    int64_t   volume;       /* positions of the image */
    int64_t   block, span;  /* with positions inner, how many results go together, and how many columns they see */
    /* windows by position, and up to which position windows along a line see as much; NULL: too many to be kept */
    const kt__window *see[KT__SPACE_DIMS];
    const int64_t    *until;
    bool      failed;       /* no memory */
    bool      beyond;       /* an index is not in the image */
} kt__pool;

static inline kt__window kt__pool_make_window(const kt__pool *p, int d, int64_t at)
{
    const int64_t size = p->whole.size[d], few = p->few.size[d];
    if (p->adaptive) {
        const int64_t first = at / few * size + at % few * size / few, next = at + 1;
        const int64_t end = next / few * size + (next % few * size + few - 1) / few;
        return (kt__window){first, end - first, 1, end - first};
    }
    const int64_t apart = p->dilation[d], start = at * p->stride[d] - p->padding[d];
    const int64_t skipped = start < 0 ? (apart == 1 ? -start : (apart - 1 - start) / apart) : 0;
    const int64_t within = start >= size ? 0 : apart == 1 ? size - start : (size - start + apart - 1) / apart;
    const int64_t taps = within < p->kernel[d] ? within : p->kernel[d];
    const int64_t end = start + p->kernel[d], most = size + p->padding[d];
    return (kt__window){start + skipped * apart, taps > skipped ? taps - skipped : 0, apart, (end < most ? end : most) - start};
}

static inline kt__window kt__pool_window(const kt__pool *p, int d, int64_t at)
{
    return p->see[d] ? p->see[d][at] : kt__pool_make_window(p, d, at);
}

/* Without dilation every window sees an element, because padding is at most half of it. */
static inline bool kt__pool_dilated(const kt__pool *p)
{
    return p->dilation[0] > 1 || p->dilation[1] > 1 || p->dilation[2] > 1;
}

/* An index beyond the image: may it be that of a window that saw padding alone? What flows back to it is dropped. */
static inline bool kt__pool_begins_beyond(const kt__pool *p, int64_t index)
{
    return index >= p->volume && !p->sets && kt__pool_dilated(p);
}

/* Up to which position, at most `end`, windows along a line see as much as that at `at`. */
static inline int64_t kt__pool_until(const kt__pool *p, int64_t at, int64_t end)
{
    if (p->until)
        return p->until[at] < end ? p->until[at] : end;
    const kt__window first = kt__pool_make_window(p, KT__SPACE_DIMS - 1, at);
    while (++at < end) {
        const kt__window next = kt__pool_make_window(p, KT__SPACE_DIMS - 1, at);
        if (next.count != first.count || next.extent != first.extent)
            break;
    }
    return at;
}

kt_status kt__cpu_pool(const kt__cpu_build *build, const kt_plan *plan);
bool      kt__cpu_pools(kt_kernel_id kernel, kt_compute compute); /* false: a pooling kernel of a type that has none */

#endif
