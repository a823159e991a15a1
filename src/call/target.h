/* target.h - what a call may write into: out= and in-place targets. All rules about sizes, dtypes and memory overlap of a
 * target are here. A way first makes all checks, then binds the targets, then writes.
 *
 *   check (nothing changed) -> kt__bind_target (resized) -> the kernel, or kt__store of a result that was made apart */
#ifndef KT_CALL_TARGET_H
#define KT_CALL_TARGET_H

#include "call/call.h"

/* ---- memory ---- */
bool        kt__has_sizes(const kt_tensor *t, kt_shape shape);
/* The overlap after `out` has been resized to `shape` (row-major). */
kt__overlap kt__overlap_once(const kt_tensor *out, kt_shape shape, const kt_tensor *t);
/* Rows that read each element where they write it: `out` may be an input, but must not overlap one in part. */
kt_status kt__check_written(const kt_tensor *out, kt_tensor *const *inputs, int n);
/* Rows that read and write in different orders: `out` and `from` must not overlap. */
kt_status kt__check_apart(const kt_tensor *out, const kt_tensor *from);
kt_status kt__fail_shared(void);

/* The checks that PyTorch makes before promotion: overlap, broadcasting. */
kt_status kt__check_shapes(const kt_call *call, const kt__gathered *g);

/* ---- dtypes. Checks every target against the results' dtypes: first refusals.def (stage OUT), then the row's column
 * `forms` ---- */
kt_status kt__check_out(const kt_call *call, kt_dtype result, kt_dtype second);

/* ---- one target ---- */
kt_status kt__check_target(const kt_call *call, const kt__gathered *g, const kt__decision *d, int at, kt_shape shape);
/* The target of a result that is written part by part, each from one of these tensors: none may share an element with it. */
kt_status kt__check_parts(const kt_call *call, kt_dtype result, kt_shape shape, kt_tensor *const *t, int64_t n);
/* Resizes `out`, dense in the order of `strides` (NULL: row-major). Warns if it had elements, as PyTorch does. */
kt_status kt__bind_target(kt_tensor *out, kt_shape shape, const int64_t *strides);
/* Copies `made` into `out`, which is resized to its sizes. The two may share memory. Takes no reference. kt_store is for
 * bindings. */
kt_status kt__store(kt_tensor *out, kt_tensor *made);
kt_status kt__store_several(kt_tensor *const *out, kt_tensor *const *made, int n); /* none is written if one is refused */

/* ---- the outputs of a reduction, a scan or a product: new tensors, or the targets of out= ---- */
kt_status kt__outputs_of(kt_call *call, const kt__gathered *g, const kt__decision *d, kt_shape shape, const int64_t *strides,
                         kt_tensor **out, int n); /* strides: for resized targets; NULL: row-major */

/* The addend must be broadcastable to [batch, m, n], or to [m, n] if batches are summed. */
kt_status kt__check_batch_addend(const kt_tensor *c, const kt_tensor *a, const kt_tensor *b, bool summed);

/* ---- calls that would read what they have written ---- */
/* Overlap of operands and targets under the row's rule: refused as in PyTorch, or the operand is copied before anything is
 * written. `shape`: the sizes that the targets will have; NULL: those they have now. */
typedef enum kt__sharing { SHARING_NONE, SHARING_COPIED, SHARING_REFUSED } kt__sharing;
kt__sharing kt__sharing_of(const kt_call *call, const kt_shape *shape);
/* For bodies of rows with the word `checked_in_body`: they call it after the checks that PyTorch makes earlier.
 * kt__check_memory also checks that the target does not overlap itself. */
kt_status kt__check_sharing(const kt_call *call, const kt_shape *shape);
kt_status kt__check_memory(const kt_call *call, const kt_shape *shape);
/* Does an operand overlap a target of these sizes? `in_place`: an operand that is the first target does not count. */
bool      kt__reads_target(const kt_call *call, kt_shape shape, bool in_place);
/* elementwise rows: overlap that PyTorch's check does not find */
bool      kt__reads_strided(const kt_call *call, const kt__gathered *g);
kt_status kt__run_apart(kt_call *call); /* runs the call on copies of the operands that overlap */

#endif
