/* move.h - helpers for bodies that move elements: copies from and to parts of tensors, without creating views and without
 * the tape, which records such a row as one node. */
#ifndef KT_CALL_MOVE_H
#define KT_CALL_MOVE_H

#include "call/call.h"
#include "call/wrap.h"

/* A part of a tensor, for copies and fills. It owns nothing, is not reference-counted, and must not outlive the tensor. */
typedef struct kt__part {
    kt_tensor t;
    int64_t   sizes[KT_MAX_DIMS], strides[KT_MAX_DIMS];
} kt__part;

void kt__part_of(kt__part *part, const kt_tensor *t); /* all of it; narrow it next */
void kt__part_narrow(kt__part *part, int dim, int64_t start, int64_t length);
void kt__part_reverse(kt__part *part, int dim); /* reversed: negative stride */
void kt__part_drop(kt__part *part, int dim); /* removes a dim: its index 0 */

static inline kt_status kt__part_copy(kt__part *to, kt__part *from)
{
    return kt__copy_into(&to->t, &from->t, KT_WHY_NONE, KT_ROUND_TORCH);
}

/* The memory format that a layout suggests, dense or not: channels last if the strides have that order. */
kt_memory_format kt__suggested_format(const kt_tensor *t);
/* Would [batch, channels, length] as an image of one row be channels last? PyTorch convolves lines as such images. */
bool kt__lines_end_in_channels(const kt_tensor *t);
kt_tensor       *kt__new_in_format(const kt_tensor *like, kt_dtype dtype, kt_shape sizes, kt_memory_format format);

/* The view row that a *_copy row copies from and a *_scatter row writes to; -1: none. */
int kt__view_behind(int op);

kt_status kt__one_device(kt_tensor *const *t, int64_t n); /* all on the device of the first */
/* Can every element be set to this number, as by fill_ and full? One element of a narrow float is converted from double, and
 * may become infinite; for several elements the number must fit the dtype (complex64 for complex32). */
kt_status kt__check_filled(const kt_call *call, const kt_tensor *to, kt_scalar value);

/* ---- calls from inside with integers, owned results ---- */
kt_status kt__call_int(int op, kt_tensor *t, int64_t a, kt_tensor **result);
kt_status kt__call_int2(int op, kt_tensor *t, int64_t a, int64_t b, kt_tensor **result);
kt_status kt__call_int3(int op, kt_tensor *t, int64_t a, int64_t b, int64_t c, kt_tensor **result);
kt_status kt__call_ints(int op, kt_tensor *t, kt_shape ints, kt_tensor **result);
kt_status kt__call_narrow(kt_tensor *t, int64_t dim, int64_t start, int64_t length, kt_tensor **result);
kt_status kt__call_list(int op, kt_tensor *const *t, int64_t n, int64_t dim, kt_tensor **result); /* cat, stack */
kt_status kt__run_list_as(kt_call *call, int op, kt_tensor *const *t, int64_t n, int64_t dim); /* kt__run_as of such a call */
/* Drops *t and replaces it by `next`, taking over the reference: for chains of calls. */
static inline void kt__take(kt_tensor **t, kt_tensor *next)
{
    kt__unref(*t);
    *t = next;
}
kt_status kt__call_clone(kt_tensor *t, kt_memory_format format, kt_tensor **result);
/* Writes host integers into `to`, converted to its dtype, on any device. */
kt_status kt__fill_from(kt_tensor *to, const int64_t *values);
/* Copies a tensor's integers to the host; NULL and an error on failure. */
int64_t *kt__read_ints(kt_tensor *t);
void     kt__free_ints(int64_t *values, const kt_tensor *of);

/* ---- lists ---- */
kt_status kt__list_of(kt_call *call, int64_t n);             /* allocates n results, all NULL */
kt_status kt__list_done(kt_call *call, kt_status status);    /* ends a LIST row; on failure drops the results made so far */
/* runs another row and takes its list; `second`: argument 1, or NULL */
kt_status kt__list_as(kt_call *call, int op, const kt_value *second);

#endif
