/* pool.h - one plan of pooling, for the bodies of pool.c and adaptive.c. */
#ifndef KT_OPS_WINDOW_POOL_H
#define KT_OPS_WINDOW_POOL_H

#include "ops/window/window.h"

typedef struct kt__pooling {
    int     dims;
    int64_t kernel[KT__SPACE], stride[KT__SPACE], padding[KT__SPACE], dilation[KT__SPACE]; /* kernel 0: adaptive */
    bool    with_padding; /* of averages: padding counts */
    int64_t divisor;      /* of averages; 0: what the window sees */
} kt__pooling;

/* Integers that a kernel takes beside the floats. */
typedef enum kt__pooled_ints { KT__NO_INTS, KT__LONG, KT__ALL_INTS } kt__pooled_ints;

/* `missing`: PyTorch's name of the kernel that does not take the dtype of t. */
kt_status kt__pool_takes(const kt_call *call, const kt_tensor *t, kt__pooled_ints ints, bool halves, const char *missing);
kt_status kt__pool_takes_dtype(const kt_call *call, kt_dtype d, kt__pooled_ints ints, bool halves, const char *missing);
/* PyTorch's name of the kernel that runs: it has one for channels last. */
const char *kt__pool_kernel(const kt_tensor *t, int dims, const char *plain, const char *last);

/* The sizes of t but for its last dims, which are `space`. */
kt_shape kt__pooled_sizes(const kt_tensor *t, const int64_t *space, int dims, int64_t *room);

/* A new image in the layout of `like`; its dims in space are `space`. Batched or not. `plain`: row-major. */
kt_tensor *kt__new_pooled(const kt_tensor *like, kt_dtype dtype, const int64_t *space, int dims, bool plain);

/* Runs the kernel: t are its outputs, then its inputs. */
kt_status kt__run_pool(kt_call *call, int kernel, const kt__decision *d, kt_tensor *const *t, int n_out, int n_in,
                       const kt__pooling *g);

/* The geometry of adaptive pooling and its kin: sizes alone. */
static inline const kt__pooling *kt__even(int dims)
{
    static const kt__pooling even[] = {{0}, {0}, {.dims = 2}, {.dims = 3}};
    return &even[dims];
}

/* Ends with what flows back to the elements that the indices name, in the layout of self; `plain`: row-major. */
kt_status kt__largest_back(kt_call *call, const kt__decision *d, kt_tensor *grad, const kt_tensor *self, kt_tensor *indices,
                           int dims, bool plain);

/* ---- one dim: PyTorch's checks, which name `op` ---- */
kt_status kt__pool_one_rank(const kt_tensor *self, const char *op);
kt_status kt__pool_one_list(kt_shape list, bool may_be_empty, const char *op, const char *what);

/* ---- what flows back: checks that PyTorch makes ---- */
kt_status kt__check_sizes(const kt_tensor *t, kt_shape want); /* "Expected a tensor of dimension ..." */

#endif
