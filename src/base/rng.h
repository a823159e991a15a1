/* rng.h - the generator itself: mt19937 by blocks, 32- and 64-bit draws, uniform and normal doubles; {seed, offset} of a device
 * that draws by itself.
 *
 * In: a seed or a state. Out: the stream of PyTorch's CPU generator. Independent of: tensors, dtypes, distributions other
 * than uniform and normal.
 *
 * The functions that draw numbers expect the generator to be locked. */
#ifndef KT_BASE_RNG_H
#define KT_BASE_RNG_H

#include <karat/random.h>
#include <pthread.h>

#include "base/count.h"

enum { KT__MT_WORDS = 624 };

struct kt_generator {
    _Atomic int32_t refs; /* not counted if it lasts */
    bool            lasts; /* a default generator, the CPU's or a device's: never freed */
    kt_generator   *after; /* of those that last */
    pthread_mutex_t lock;
    uint64_t        seed;
    uint32_t        next;                /* how many of `ready` are used up */
    bool            fresh;               /* seeded and nothing drawn: the first draw makes the first block */
    uint32_t        word[KT__MT_WORDS];  /* the state of mt19937 */
    uint32_t        ready[KT__MT_WORDS]; /* the numbers of this block */
    bool            has_normal;          /* normals are drawn in pairs: the second one is kept here */
    double          normal;
    bool            has_normal_f32; /* a slot of the exchanged state that CPU operators do not use */
    float           normal_f32;
    /* A generator of a device that draws by itself is {seed, offset} alone. */
    uint8_t         kind, index; /* of that device; kind 0: the CPU's, mt19937 */
    uint64_t        offset;
};

static inline void kt__rng_lock(kt_generator *g) { pthread_mutex_lock(&g->lock); }
static inline void kt__rng_unlock(kt_generator *g) { pthread_mutex_unlock(&g->lock); }

kt_generator *kt__rng_new_on(int kind, int index); /* owned: {seed, offset}; NULL and an error without memory */
void kt__rng_make_default(kt_generator *g); /* it lasts, and is seeded by kt_manual_seed, which may have been called before */
/* n draws of such a generator: its seed, and the offset where they begin. */
void kt__rng_take(kt_generator *g, uint64_t n, uint64_t *seed, uint64_t *offset);
/* A stream of mt19937 for the draws that begin at {seed, offset}, where the CPU makes them. It need not be dropped. */
void kt__rng_derive(kt_generator *stream, uint64_t seed, uint64_t offset);

void   kt__rng_refill(kt_generator *g);
/* A stream that goes on from the words of a generator, `next` of whose numbers are used up. It need not be dropped. */
void   kt__rng_resume(kt_generator *stream, const uint32_t *words, uint32_t next);
void   kt__rng_fill(kt_generator *g, uint32_t *to, int64_t n); /* n draws of 32 bits */
double kt__rng_normal(kt_generator *g);                        /* of mean 0, deviation 1 */

static inline uint32_t kt__rng_u32(kt_generator *g)
{
    if (g->next == KT__MT_WORDS)
        kt__rng_refill(g);
    return g->ready[g->next++];
}

static inline uint64_t kt__rng_u64(kt_generator *g)
{
    const uint64_t high = kt__rng_u32(g);
    return high << 32 | kt__rng_u32(g);
}

/* In [0, 1), a multiple of 2^-53. */
static inline double kt__rng_uniform(kt_generator *g) { return (double)(kt__rng_u64(g) & 0x1fffffffffffffu) * 0x1p-53; }

#endif
