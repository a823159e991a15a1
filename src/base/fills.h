/* fills.h - large new blocks of one value, of which most bytes are not written until somebody asks for them.
 *
 * Memory that is filled is often read once, overwritten, or not looked at: zeros that become a result, the ones that backward
 * begins with. To write it costs as much as to read it twice. Such a block is noted here, and only its first bytes are written.
 * Whoever reads or writes other bytes calls kt__fill_write before; who needs no more than the value reads the first ones.
 *
 * In: blocks and how to fill them. Out: which block has an address. Independent of: values, tensors, plans. Threads: who has got
 * a tensor from another thread finds its block here. Who asks of a block that is being written waits for it. */
#ifndef KT_BASE_FILLS_H
#define KT_BASE_FILLS_H

#include "base/local.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KT__FILL_FIRST = 1 << 16, /* bytes that are written: a line of most tensors */
    KT__FILL_LEAST = 1 << 20, /* bytes of a block that is noted: a smaller one is still near when it is read, */
    KT__FILL_MOST = 1 << 26,  /* and while a larger one is written for a small call, a binding holds its lock for too long */
    KT__FILLS_MOST = 4        /* blocks at a time; one more, and the oldest is written */
};

typedef struct kt__late_fill {
    char  *block;
    size_t bytes, width; /* what repeats has `width` bytes */
    void (*write)(const struct kt__late_fill *f); /* writes all but the first bytes */
    union { unsigned char bytes[48]; double align; } value; /* for `write` */
} kt__late_fill;

typedef struct kt__fill_bounds { /* atomic, each by itself: all blocks lie between them */
    uintptr_t low, high;         /* high 0: there are none */
} kt__fill_bounds;
extern KT__HIDDEN kt__fill_bounds kt__fills_within;

/* Any address of a block will do; the address of other memory does nothing. */
void kt__fill_note(const kt__late_fill *f);
bool kt__fill_find(const void *at, kt__late_fill *f); /* the block that has the address, and may lack bytes */
void kt__fill_write(const void *at);                  /* writes what its block lacks */
void kt__fill_forget(const void *at);                 /* its block is overwritten, or freed */
bool kt__fill_may_be_at(const void *at);              /* without a lock; false: no block has the address */

static inline bool kt__fills_wait(void) { return KT__UNLIKELY(__atomic_load_n(&kt__fills_within.high, __ATOMIC_ACQUIRE) != 0); }

static inline bool kt__fill_may_have(const void *at) /* as kt__fill_may_be_at */
{
    return KT__UNLIKELY((uintptr_t)at < __atomic_load_n(&kt__fills_within.high, __ATOMIC_ACQUIRE)) &&
           (uintptr_t)at >= __atomic_load_n(&kt__fills_within.low, __ATOMIC_RELAXED) && kt__fill_may_be_at(at);
}

static inline void kt__fill_settle(const void *at)
{
    if (kt__fill_may_have(at))
        kt__fill_write(at);
}

#endif
