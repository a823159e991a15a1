/* window.h - helpers of the bodies of this folder: geometry by dims, and operands of different sizes in one plan. */
#ifndef KT_OPS_WINDOW_WINDOW_H
#define KT_OPS_WINDOW_WINDOW_H

#include "call/made.h"
#include "call/move.h"

enum { KT__SPACE = 3 }; /* dims in space, at most */

/* Writes a list of one or `dims` integers to `to`: one stands for all. `what`: of the message for another length. */
kt_status kt__per_dim(kt_shape list, int dims, const char *what, int64_t *to);
void      kt__push_dims(kt_plan *plan, const int64_t *values, int dims); /* three parameters: absent ones are 0 */
void      kt__push_int(kt_plan *plan, int64_t value);

/* Does the weight lie so, or an input that need not be made contiguous? Then results and gradients lie so, too. */
bool kt__convolved_lines_end_in_channels(const kt_tensor *input, const kt_tensor *weight);

/* The row `convolution`; bias may be NULL. Owned by the scope; NULL in gives NULL out, for a pending error. */
kt_tensor *kt__convolved(kt_tensor *input, kt_tensor *weight, kt_tensor *bias, kt_shape stride, kt_shape padding,
                         kt_shape dilation, bool transposed, kt_shape output_padding, int64_t groups);

/* conv_tbc: which times of the input the tap k sees, and which of the result it gives; n <= 0: none. */
typedef struct kt__tap {
    int64_t from, to, n;
} kt__tap;
kt__tap kt__tap_of(int64_t in, int64_t out, int64_t pad, int64_t k);

/* Unbatched images get a batch of one. NULL: neither; the error names `op`. Owned by the scope. */
kt_tensor *kt__batched(kt_tensor *input, int dims, const char *op, bool *unbatched);

#endif
