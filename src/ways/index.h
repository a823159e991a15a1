/* index.h - what the bodies that move elements by index tensors share: a walk over dims in which one operand is addressed by
 * an index, and the tensor that a row writes to. */
#ifndef KT_WAYS_INDEX_H
#define KT_WAYS_INDEX_H

#include <karat/plugin/fault.h>

#include "call/move.h"
#include "call/target.h"
#include "tables/kernels/index.h"

enum { ALONG_OUT, ALONG_FROM, ALONG_INDEX }; /* operands of a walk */

/* Over `nd` dims, strides in elements. The addressed operand (the source of a take, else the target) moves `step` elements
 * with the index, which lies below `limit`. */
typedef struct kt__along {
    int        nd;
    int64_t    size[KT_MAX_DIMS];
    kt_tensor *t[3];
    int64_t    stride[3][KT_MAX_DIMS];
    int64_t    limit, step, dim; /* dim: as an error names it */
    bool       wraps;            /* negative indices count from the end */
    int        says;             /* kt_fault_kind: how an index out of range is reported */
} kt__along;

kt_status kt__run_along(int kernel, const kt__along *a);

/* A 0-dim tensor counts as a row of one. */
static inline int     kt__rank_of(const kt_tensor *t) { return t->ndim ? t->ndim : 1; }
static inline int64_t kt__size_at(const kt_tensor *t, int d) { return t->ndim ? t->sizes[d] : 1; }
static inline int64_t kt__stride_at(const kt_tensor *t, int d) { return t->ndim ? t->strides[d] : 1; }

static inline bool kt__is_index(const kt_tensor *t) { return t->dtype == KT_I64 || t->dtype == KT_I32; }

/* What is written more than once though one value would do: PyTorch warns, and writes. `says` is what it calls it. */
void kt__warn_if_expanded(const kt_tensor *self, const char *op, const char *says);
kt_status kt__body_masked_fill_tensor(kt_call *call);
kt_status kt__plain_of(kt_tensor *t, kt_tensor **result); /* without lazy bits; owned */

/* What a row writes: a copy of self, or self itself (or, of a lazy one, a copy that goes back at the end). */
kt_status kt__begin_write(kt_call *call, bool keep_layout, kt_tensor **work);
kt_status kt__end_write(kt_call *call, kt_tensor *work, kt_status status); /* takes over `work` */

kt_status kt__check_value(const char *op, const kt_tensor *value); /* it must be 0-dim */
/* A number as a 0-dim tensor of the dtype and on the device of `like`; owned. */
kt_status kt__value_like(const kt_call *call, const kt_tensor *like, kt_scalar value, kt_tensor **result);
/* The same of a 0-dim tensor: a conversion of the user's tensor, which policy and plans see. */
kt_status kt__value_of(const kt_call *call, const kt_tensor *like, kt_tensor *value, kt_tensor **result);

kt_status kt__nonzero(kt_tensor *t, kt_tensor **result);          /* [n, ndim], a column after the other; owned */

#endif
