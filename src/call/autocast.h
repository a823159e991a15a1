/* autocast.h - autocast's part of a call, behind the mode bit KT_M_AUTOCAST. */
#ifndef KT_CALL_AUTOCAST_H
#define KT_CALL_AUTOCAST_H

#include "call/call.h"

/* The step before gathering: casts the call's tensors by the row's autocast class and runs it without autocast. Ways that
 * convert in their kernels are left to the resolver. `flags`: of the call's tensors; where the dtype of one is pinned, the others
 * are cast to it. */
kt_status kt__run_under_autocast(kt_call *call, uint32_t flags, kt_status (*run)(kt_call *call));

/* The class of a row in this mode, on the CPU or elsewhere. */
static inline kt__autocast kt__autocast_class(const kt_row *row, uint64_t mode, bool elsewhere)
{
    const uint8_t *changed = kt__autocast_classes[kt__autocast_states[(mode & KT_M_STATE) >> 8].classes];
    if (KT__UNLIKELY(changed != NULL) && row->id < KT_NUM_OPS)
        return (kt__autocast)changed[2 * row->id + elsewhere];
    return (kt__autocast)row->autocast[elsewhere];
}

/* autocast_seen.c: where this thread's calls under autocast are counted; NULL: nowhere. */
extern KT__HOT_LOCAL kt_autocast_counts **kt__counting;
void kt__count_call(const kt_row *row, kt_autocast_class class_, const kt_tensor *result, bool narrow_weights);
void kt__count_backward(void);
/* A call that has run, not in backward: the user's, or one inside it that has a class. `mode`: kt__mode_of_call. */
static inline void kt__count_under_autocast(const kt_call *call, uint64_t mode, kt_autocast_class class_, bool narrow_weights)
{
    if (kt__counting && mode & KT_M_AUTOCAST && !kt__named.node && call->n_out && call->out[0] &&
        (!kt__frame || class_ != KT_AUTOCAST_AS_IT_COMES))
        kt__count_call(call->row, class_, call->out[0], narrow_weights);
}

/* The resolver's part: the operands' dtypes under autocast, and the reasons. `mode`: kt__mode_of_call. */
kt_status kt__autocast_dtypes(const kt_call *call, kt__gathered *g, uint64_t mode, uint8_t *why);

/* A body whose class is SET_DTYPE asks: are its tensors to be seen as float32? KT_NONE: as they are. Autocast is still on. */
kt_dtype  kt__autocast_wants(const kt_call *call);
/* Such a body that does not convert as it reads: run with its tensors cast, and autocast off. */
kt_status kt__run_cast(kt_call *call, kt_status (*run)(kt_call *call));

const kt_tensor *kt__first_tensor(const kt_call *call); /* NULL: the call has none */
/* The tensor whose device decides which autocast applies: the first, but 0-dim CPU tensors follow the others to their device. */
const kt_tensor *kt__home_tensor(const kt_call *call);

/* cast_cache.c: `t` cast to `dtype`, once per entered autocast region. Owned; NULL after an error. */
kt_tensor *kt__cached_cast(kt_tensor *t, kt_dtype dtype);

#endif
