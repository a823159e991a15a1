/* draws.c - dropout of attention without a matrix of its mask. In: a generator. Out: its states, one where each block of queries
 * begins, from which any block's draws can be made again, by any thread.
 *
 * An element's draw is that of bernoulli over [batch, head, query, key] in row-major order, so the numbers are those of dropout
 * of the whole matrix. Memory: 2500 bytes for 64 queries. Independent of: compute types, instruction sets. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "cpu/attention/attention.h"

enum { WORDS_OF_DRAW = 2, NEXT = KT__MT_WORDS }; /* a state: the words, and how many are used up */
_Static_assert(KT__ATTENTION_STATE == KT__MT_WORDS + 1, "a state and its place");

static int64_t blocks_of(int64_t queries) { return (queries + KT__ATTENTION_QUERIES - 1) / KT__ATTENTION_QUERIES; }

static int64_t rows_of(int64_t queries, int64_t block)
{
    const int64_t left = queries - block * KT__ATTENTION_QUERIES;
    return left < KT__ATTENTION_QUERIES ? left : KT__ATTENTION_QUERIES;
}

static void pass_over(kt_generator *g, int64_t n)
{
    while (n > 0) {
        if (g->next == KT__MT_WORDS)
            kt__rng_refill(g);
        const int64_t left = KT__MT_WORDS - g->next, take = n < left ? n : left;
        g->next += (uint32_t)take;
        n -= take;
    }
}

/* out: states; param: heads of all batches, queries, keys. */
kt_status kt__cpu_attention_draws(const kt_plan *plan)
{
    const int64_t heads = plan->param[0].v.i, queries = plan->param[1].v.i, keys = plan->param[2].v.i;
    kt_generator *g = plan->generator;
    uint32_t     *to = (uint32_t *)(void *)plan->arg[0].data;
    for (int64_t i = 0; i < heads * blocks_of(queries); i++, to += KT__ATTENTION_STATE) {
        memcpy(to, g->word, sizeof g->word);
        to[NEXT] = g->next;
        pass_over(g, WORDS_OF_DRAW * keys * rows_of(queries, i % blocks_of(queries)));
    }
    return KT_OK;
}

void kt__attention_kept(const uint32_t *state, double keep, int64_t rows, int64_t keys, uint64_t *kept)
{
    kt_generator   g;
    const uint64_t bound = (uint64_t)ceil(keep * 0x1p53), all = (UINT64_C(1) << 53) - 1; /* draws are multiples of 2^-53 */
    kt__rng_resume(&g, state, state[NEXT]);
    memset(kept, 0, sizeof *kept * (size_t)keys);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < keys; j++)
            kept[j] |= (uint64_t)((kt__rng_u64(&g) & all) < bound) << i;
}
