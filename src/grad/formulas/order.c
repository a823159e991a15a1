/* order.c - derivatives of sorting and ranks: a gradient is scattered to its element's index. */
#include "grad/formula.h"

/* ---- rows that share another's derivative ---- */
GRAD_AS(sort_stable, cummax)
GRAD_AS(sort, cummax)
GRAD_AS(topk, cummax)
GRAD_AS(kthvalue, indexed)
GRAD_AS(median_dim, indexed)
GRAD_AS(nanmedian_dim, indexed)
GRAD_AS(mode, indexed)
GRAD_AS(median, extreme_of_all)
GRAD_AS(nanmedian, extreme_of_all)
