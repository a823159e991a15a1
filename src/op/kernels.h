/* kernels.h - names of the kernels: one enumerator a row of the kernel tables, then those with loops of their own.
 * Read by the resolver (which names one in each plan) and by the backends (which look one up). */
#ifndef KT_OP_KERNELS_H
#define KT_OP_KERNELS_H

enum kt__kernel {
    KT_K_none,
#define UN(name, ...) KT_K_##name,
#include "tables/unary.def"
#define BIN(name, ...) KT_K_##name,
#include "tables/binary.def"
#define TER(name, ...) KT_K_##name,
#include "tables/ternary.def"
    KT_K_elementwise_end,
    KT_K_copy = KT_K_elementwise_end, /* any dtype, any layout; `rounding` says how */
    KT_K_fill,                        /* param[0] into the output */
    KT_K_arange,                      /* param[0] + i * param[1] */
    KT_K_linspace,                    /* param[0] .. param[1] in size[0] steps */
    KT_K_logspace,                    /* param[2] to the power of linspace */
    KT_K_eye,
    KT_K_band,                        /* matrices from diagonal param[0] to param[1], zeros outside */
    /* Reductions: stride 0 in the outputs says which dims go. Two results in one pass where two are named. */
    KT_K_sum,
    KT_K_nansum,
    KT_K_prod,
    KT_K_mean,
    KT_K_nanmean,
    KT_K_amax,
    KT_K_amin,
    KT_K_argmax,                      /* int64: row-major over the reduced dims in the plan's order; the first wins */
    KT_K_argmin,
    KT_K_max_with,                    /* values, indices as argmax gives them */
    KT_K_min_with,
    KT_K_aminmax,                     /* least, greatest */
    KT_K_any,
    KT_K_all,
    KT_K_count_nonzero,
    KT_K_norm,                        /* param[0]: p, or infinity of either sign */
    KT_K_var,                         /* param[0]: correction; a second output takes the mean */
    KT_K_std,
    KT_K_logsumexp,
    KT_K_reduce_end,
    /* Reductions by rank: outputs as above, the values' own bytes. A NaN ranks highest. Indices as argmax gives them. */
    KT_K_rank_begin = KT_K_reduce_end,
    KT_K_kthvalue = KT_K_rank_begin,  /* values, indices; param[0]: k, from 1 */
    KT_K_median_with,                 /* values, indices: the lower of two, or the first NaN */
    KT_K_nanmedian_with,
    KT_K_mode_with,                   /* the smallest of the most frequent, and where it stands last */
    KT_K_median,
    KT_K_nanmedian,
    KT_K_rank_end,
    /* Scans: along the plan's last dim. */
    KT_K_cumsum = KT_K_rank_end,
    KT_K_cumprod,
    KT_K_logcumsumexp,
    KT_K_cummax,                      /* values, indices: the last of equals */
    KT_K_cummin,
    KT_K_sort,                        /* values, indices; param[0]: the largest first? Equals keep their order */
    KT_K_scan_end,
    /* Sums over the plan's last dim, and a result for each element. */
    KT_K_softmax = KT_K_scan_end,
    KT_K_log_softmax,
    KT_K_softmax_back,                /* in: the gradient, the softmax */
    KT_K_log_softmax_back,
    KT_K_softmax_end,
    KT_K_matmul = KT_K_softmax_end,
    /* Random: drawn from plan->generator, which the caller has locked. Only the CPU has these, and runs them at once. */
    KT_K_random_begin,
    KT_K_uniform = KT_K_random_begin, /* param: from, to */
    KT_K_normal,                      /* param: mean, std, 1 to draw by sixteens (a dense row-major output) */
    KT_K_random_int,                  /* param: least, how many (0: 2^64), 1 for draws of 64 bits */
    KT_K_bernoulli,                   /* param: p */
    KT_K_bernoulli_each,              /* in: the p of each element */
    KT_K_exponential,                 /* param: lambda */
    KT_K_cauchy,                      /* param: median, sigma */
    KT_K_log_normal,                  /* param: mean, std */
    KT_K_geometric,                   /* param: p */
    KT_K_poisson,                     /* in: the rate of each element */
    KT_K_randperm,                    /* a dense row */
    KT_K_multinomial,                 /* in: weights [rows, n]; out: int64 [rows, k]; dims [rows, k, n]; param: replace? */
    KT_K_random_end,
    /* Places named by index tensors, or by masks. */
    KT_K_index_take = KT_K_random_end,
    KT_K_index_put,
    KT_K_index_add,
    KT_K_index_multiply,
    KT_K_index_amax,                  /* a NaN wins */
    KT_K_index_amin,
    KT_K_index_offsets,               /* bytes, summed up over several index tensors */
    KT_K_masked_put,
    KT_K_nonzero,
    /* Places found in ordered lines. */
    KT_K_search,                      /* out, values, lines[, order]; param: length of a line, past equals? */
    KT_K_sort_rows,                   /* int64: the order of rows, compared column by column */
    KT_K_count
};

/* How an index that is out of range is told: param[3] of the kernels that look at indices. */
enum kt__index_says {
    KT_INDEX_SAYS_DIM,                /* an IndexError that names index, dimension and size */
    KT_INDEX_SAYS_DIM_RUNTIME,        /* the same as a RuntimeError */
    KT_INDEX_SAYS_COPY,               /* the first, of index_copy_() */
    KT_INDEX_SAYS_SELF,               /* "index out of range in self" */
    KT_INDEX_SAYS_DATA,               /* "INDICES element is out of DATA bounds" */
    KT_INDEX_SAYS_ELEMENTS            /* against the number of elements of the whole */
};

#endif
