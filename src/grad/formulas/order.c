/* order.c - the derivatives of sorts and ranks: a gradient goes to where the element came from. */
#include "grad/formula.h"

/* ---- those that have the derivative of another ---- */
GRAD_AS(sort_stable, cummax)
GRAD_AS(sort, cummax)
GRAD_AS(topk, cummax)
GRAD_AS(kthvalue, indexed)
GRAD_AS(median_dim, indexed)
GRAD_AS(nanmedian_dim, indexed)
GRAD_AS(mode, indexed)
GRAD_AS(median, extreme_of_all)
GRAD_AS(nanmedian, extreme_of_all)
