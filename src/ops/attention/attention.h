/* attention.h - what the bodies of this folder share: the arguments of attention, and which way a call goes. */
#ifndef KT_OPS_ATTENTION_ATTENTION_H
#define KT_OPS_ATTENTION_ATTENTION_H

#include "call/made.h"

typedef struct kt__attended {
    kt_tensor *query, *key, *value, *mask; /* mask: NULL without one */
    double     scale, dropout;
    bool       causal, grouped; /* grouped: heads of key and value serve several of query */
    int        product_dims;    /* of the products that PyTorch makes of it; 0: it has a kernel */
} kt__attended;

/* 1 / sqrt(dim), unless argument `at` of the call says another. */
double kt__scale_of(const kt_call *call, int at, const kt_tensor *query);
bool   kt__is_attended_dtype(const kt_tensor *t); /* one that the kernel computes with */

typedef struct kt__folded {
    kt__attended four; /* the same operands with four dims */
    int          n;    /* dims of the result, and its sizes */
    int64_t      sizes[KT_MAX_DIMS];
} kt__folded;
/* Sizes of 1 are repeated as products repeat them. False: the operands do not fit together, or an error. */
bool kt__attention_folded(const kt__attended *a, kt__folded *f);

/* fits: four dims, sizes that fit, a mask of two or four dims; takes: the kernel can run on that device. */
bool kt__attention_fits(const kt__attended *a);
bool kt__attention_takes(const kt__attended *a);
/* Does its device draw for dropout by itself? Such a one runs all of attention's kernels. */
bool kt__attention_is_whole(const kt_tensor *query);
/* Of the operands of one width whose rows lie together PyTorch's kernel takes care, which has no second derivative. */
static inline bool kt__attention_is_dense(const kt_tensor *query, const kt_tensor *key, const kt_tensor *value)
{
    return query->sizes[3] == value->sizes[3] && query->strides[3] == 1 && key->strides[3] == 1 && value->strides[3] == 1;
}
/* [0] the output, [1] the logarithms; owned by the scope, NULLs after an error. */
void kt__attend(const kt__attended *a, kt_tensor **results);
/* Made of products and a softmax, on the tape: [0] the output, [1] the weights; owned by the scope, NULLs after an error. */
void kt__attend_by_parts(const kt__attended *a, kt_tensor *dropout_mask, kt_tensor **results);

#endif
