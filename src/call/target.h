/* target.h - what a call may write into: out= and in-place targets. Every rule about sizes, dtypes and shared memory of a target
 * is here; a way asks first, binds the targets when nothing can be refused any more, and writes last.
 *
 *   check (nothing changed) -> kt__bind_target (resized) -> the kernel, or kt__store of a result that was made apart */
#ifndef KT_CALL_TARGET_H
#define KT_CALL_TARGET_H

#include "call/call.h"

/* ---- memory ---- */
bool        kt__has_sizes(const kt_tensor *t, kt_shape shape);
/* As it will be when out has these sizes, row-major if resized. */
kt__overlap kt__overlap_once(const kt_tensor *out, kt_shape shape, const kt_tensor *t);
/* Rows that read each element where they write it: out may be an input, but must not meet one otherwise. */
kt_status kt__check_written(const kt_tensor *out, kt_tensor *const *inputs, int n);
/* Rows that read and write in different orders: no element may be shared. */
kt_status kt__check_apart(const kt_tensor *out, const kt_tensor *from);
kt_status kt__fail_shared(void);

/* What PyTorch looks at before it promotes. */
kt_status kt__check_shapes(const kt_call *call, const kt__gathered *g);

/* ---- dtypes of every target of the call, whose results have these: the lines of stage OUT speak first, then the column */
kt_status kt__check_out(const kt_call *call, kt_dtype result, kt_dtype second);

/* ---- one target ---- */
kt_status kt__check_target(const kt_call *call, const kt__gathered *g, const kt__decision *d, int at, kt_shape shape);
/* Gives out these sizes, dense in the order of `strides` (NULL: row-major), with a warning where elements are lost. */
kt_status kt__bind_target(kt_tensor *out, kt_shape shape, const int64_t *strides);
/* Writes what was made apart into out, which takes its sizes; the two may share memory. Takes no reference. */
kt_status kt__store(kt_tensor *out, kt_tensor *made); /* kt_store is the binding's */
kt_status kt__store_several(kt_tensor *const *out, kt_tensor *const *made, int n); /* all or, where one is refused, none */

/* ---- the outputs of a reduction, a scan or a product: fresh, or the targets of out= ---- */
kt_status kt__outputs_of(kt_call *call, const kt__gathered *g, const kt__decision *d, kt_shape shape, const int64_t *strides,
                         kt_tensor **out, int n); /* strides: of what is resized; NULL: row-major */

/* The addend must grow to [batch, m, n], or of batches that are summed to [m, n]. */
kt_status kt__check_batch_addend(const kt_tensor *c, const kt_tensor *a, const kt_tensor *b, bool summed);

/* ---- calls that would read what they have written ---- */
/* What operands share with the targets, as PyTorch sees it: by the row's rule it is refused, or copied before anything is
 * written. `shape`: the sizes that the targets will have; NULL: as they come. */
typedef enum kt__sharing { SHARING_NONE, SHARING_COPIED, SHARING_REFUSED } kt__sharing;
kt__sharing kt__sharing_of(const kt_call *call, const kt_shape *shape);
/* Rows with the word `late`: their bodies ask when PyTorch does, behind arguments that it looks at before. kt__check_memory also
 * asks whether elements of the target share their memory. */
kt_status kt__check_sharing(const kt_call *call, const kt_shape *shape);
kt_status kt__check_memory(const kt_call *call, const kt_shape *shape);
/* Would an operand share an element with a target of these sizes? `in_place`: the first target itself does no harm. */
bool      kt__reads_target(const kt_call *call, kt_shape shape, bool in_place);
bool      kt__reads_strided(const kt_call *call, const kt__gathered *g); /* of an elementwise row, where PyTorch does not look */
kt_status kt__run_apart(kt_call *call); /* runs it on copies of such operands */

#endif
