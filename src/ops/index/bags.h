/* bags.h - what embedding_bag and its gradient share. */
#ifndef KT_OPS_INDEX_BAGS_H
#define KT_OPS_INDEX_BAGS_H

#include "call/call.h"

enum { BAG_SUM, BAG_MEAN, BAG_MAX }; /* mode */

/* Which indices count: those of a bag, of which there are `bags`, that are not the padding (-1: there is none). */
kt_tensor *kt__bag_kept(kt_tensor *indices, kt_tensor *bag, int64_t bags, int64_t padding);
/* Scales the rows that are used and longer than `most` down to it, in place and without recording (embedding.c). */
kt_status  kt__shorten_rows(const kt_call *call, kt_tensor *weight, kt_tensor *input, double most, double p);

#endif
