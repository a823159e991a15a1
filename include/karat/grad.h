/* grad.h - gradients: who wants one, and backward. */
#ifndef KARAT_GRAD_H
#define KARAT_GRAD_H

#include <karat/tensor.h>

KT_BEGIN

KT_API kt_status   kt_set_requires_grad(kt_tensor *t, bool on); /* floating and complex leaves only */
KT_API bool        kt_requires_grad(const kt_tensor *t);
KT_API bool        kt_is_leaf(const kt_tensor *t);
KT_API kt_tensor  *kt_grad(const kt_tensor *t);                 /* borrowed; NULL when there is none */
KT_API kt_status   kt_set_grad(kt_tensor *t, kt_tensor *grad);  /* NULL clears it */
KT_API const char *kt_grad_fn_name(const kt_tensor *t);         /* "MulBackward0"; NULL for a leaf */

typedef struct kt_backward_opts {
    size_t           size;
    const kt_tensor *gradient;     /* needed unless t has one element */
    bool             retain_graph;
    bool             create_graph;
} kt_backward_opts;
KT_API kt_status kt_backward_kw(kt_tensor *t, const kt_backward_opts *opts);
#define kt_backward(t, ...) kt_backward_kw(t, &(kt_backward_opts){.size = sizeof(kt_backward_opts), __VA_ARGS__})

/* The gradients of the outputs' sum with respect to the inputs, given to the caller (owned: kt_drop them; NULL where
 * unused); the leaves' own stay as they are. gradients: one per output, or NULL; its entries may be NULL too. */
typedef struct kt_gradients_opts {
    size_t size;
    bool   retain_graph;
    bool   create_graph;
    bool   allow_unused; /* an input that had no part gives NULL, no error */
} kt_gradients_opts;
KT_API kt_status kt_gradients(kt_tensor *const *outputs, kt_tensor *const *gradients, int64_t n_outputs,
                              kt_tensor *const *inputs, int64_t n_inputs, const kt_gradients_opts *opts,
                              kt_tensor **results);

KT_END
#endif
