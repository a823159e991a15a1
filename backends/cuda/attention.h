/* attention.h - what a launch of attention hands to its kernels: read by the C compiler and by nvcc. */
#ifndef KARAT_CUDA_ATTENTION_H
#define KARAT_CUDA_ATTENTION_H

#include "args.h"

/* A tile has 16 x 16 threads, of ATTEND_ROWS rows and columns each; results are made ATTEND_WIDTH columns at a time, sums over
 * columns go ATTEND_DEPTH at a time. */
enum { ATTEND_SIDE = 16, ATTEND_DEPTH = 32, ATTEND_DIMS = 4, ATTEND_WIDTHS = 2,
       ATTEND_ROWS = 128 }; /* of a block of kernels by tensor cores */

/* [batch, head, row, column]; steps in bytes, 0 where it is repeated. */
typedef struct attend_matrices {
    char   *data; /* NULL: there is none */
    int64_t step[ATTEND_DIMS];
    uint8_t is; /* kt_dtype */
} attend_matrices;

typedef struct attend_args {
    attend_matrices query, key, value, mask, out, grad, to_query, to_key, to_value, to_mask;
    char           *sums;    /* [batch, head, row] of the compute type, by the steps below */
    int64_t         sums_step[3];
    char           *delta;   /* back: three numbers of the compute type for each row, all first ones first: what its result and
                                its gradient have in common; two whose sum is the logarithm of the row's sum, as powers go */
    uint64_t        blocks;
    uint32_t        batch, heads, group; /* of the queries; `group` of them share a head of the keys and values */
    uint32_t        queries, keys, depth, width; /* columns of query and key; of value and out */
    uint32_t        parts;   /* of the columns of a result, a block for each */
    uint32_t        mask_size[ATTEND_DIMS]; /* of what flows back to a mask */
    uint8_t         causal;
    double          scale, keep; /* keep: the share of the weights that is kept, 1 without dropout */
    const uint64_t *draws;   /* {seed, offset}; NULL: without dropout */
} attend_args;

typedef struct attend_seed_args {
    uint64_t       *to;
    uint64_t        seed, offset;
    const uint64_t *replay;
} attend_seed_args;

typedef struct attend_kept_args {
    char           *to; /* bools [batch, head, query, key] */
    const uint64_t *draws;
    double          keep;
    uint64_t        n;
    uint32_t        keys;
} attend_kept_args;

/* Of float32, which reads 16 bits too, and of float64. A block has `tile` rows of the queries (forward, query), or of the keys
 * (key); of what flows back to a mask, `tile` of both. Results have `columns` of the kernel at a time. */
typedef struct attend_kernels {
    const void *forward, *query, *key, *delta; /* NULL: not for what flows back */
    uint32_t    columns;                       /* 0: there is none */
} attend_kernels;
typedef struct attend_table {
    attend_kernels of[ATTEND_WIDTHS]; /* from the narrowest on */
    const void    *delta, *mask;
    uint32_t       tile;
    kt_dtype       self;
} attend_table;

#ifdef __cplusplus
extern "C" {
#endif
extern const attend_table   attend_f32, attend_f64;
extern const attend_kernels attend_bf16[ATTEND_WIDTHS], attend_f16[ATTEND_WIDTHS]; /* by tensor cores: all columns at once */
extern const attend_kernels attend_two[ATTEND_WIDTHS]; /* of float32, each number as two */
extern const void *const    attend_seed, *const attend_kept;
#ifdef __cplusplus
}
#endif

#endif
