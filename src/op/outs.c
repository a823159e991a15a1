/* outs.c - what out= means where somebody wants a gradient: refused, recorded as a copy, or recorded as a node that cannot be
 * run. In: a call with out=. Out: which of these PyTorch does in the row's place, and the operator that it says is to blame. It
 * looks at no memory and no dtype: target.c does. */
#include <string.h>

#include "op/call.h"
#include "op/move.h"

/* ---- the part of a composite that writes ---- */

static const char *writer_of(const kt_call *call)
{
    switch (call->row->id) {
    case KT_OP_argsort_stable:
    case KT_OP_msort: return "sort";
    case KT_OP_chain_matmul:
    case KT_OP_linalg_multi_dot: return "mm";
    case KT_OP_diag: return "diag_embed";
    case KT_OP_diff: return "sub";
    case KT_OP_float_power: return "pow";
    case KT_OP_inner:
    case KT_OP_kron: return "mul";
    case KT_OP_linalg_matrix_power:
    case KT_OP_matrix_power: return "matmul";
    case KT_OP_linalg_vecdot: return call->arg[0].t->ndim == 1 && call->arg[1].t->ndim == 1 ? "vdot" : "sum";
    case KT_OP_log_sigmoid: return "log_sigmoid_forward";
    case KT_OP_max_other: return "maximum";
    case KT_OP_min_other: return "minimum";
    case KT_OP_nanmean: return "nansum";
    case KT_OP_norm:
    case KT_OP_norm_str: return "linalg_vector_norm";
    case KT_OP_true_divide: return "div";
    default: return kt__schema_said(call->row);
    }
}

/* ---- what becomes of the gradient ---- */

static bool is_matrix_power(int op) { return op == KT_OP_linalg_matrix_power || op == KT_OP_matrix_power; }

kt__out_way kt__out_way_of(const kt_call *call)
{
    switch (call->row->id) {
    case KT_OP_aminmax:
    case KT_OP_bitwise_and:
    case KT_OP_bitwise_left_shift:
    case KT_OP_bitwise_not:
    case KT_OP_bitwise_or:
    case KT_OP_bitwise_right_shift:
    case KT_OP_bitwise_xor:
    case KT_OP_conj_physical:
    case KT_OP_conj_physical_of:
    case KT_OP_diag:
    case KT_OP_floor_divide:
    case KT_OP_gcd:
    case KT_OP_heaviside:
    case KT_OP_lcm:
    case KT_OP_log_softmax:
    case KT_OP_narrow_copy:
    case KT_OP_nonzero_static:
    case KT_OP_scatter_combine:
    case KT_OP_scatter_value_combine:
    case KT_OP_softmax: return OUT_OPAQUE;
    case KT_OP_linalg_matrix_norm:
    case KT_OP_linalg_matrix_norm_str:
    case KT_OP_linalg_norm:
    case KT_OP_linalg_norm_str:
    case KT_OP_nanquantile:
    case KT_OP_nanquantile_number:
    case KT_OP_quantile:
    case KT_OP_quantile_number:
    case KT_OP_tensordot: return OUT_RECORDED;
    case KT_OP_inner: return call->arg[0].t->ndim && call->arg[1].t->ndim ? OUT_RECORDED : OUT_REFUSED;
    default: break;
    }
    if (is_matrix_power(call->row->id)) /* the first powers are copies */
        return call->arg[1].i < 2 ? OUT_RECORDED : OUT_REFUSED;
    return kt__view_behind(call->row->id) >= 0 ? OUT_OPAQUE : OUT_REFUSED;
}

kt_status kt__refuse_out(const kt_call *call)
{
    const char *name = writer_of(call);
    return kt_fail(KT_ERR_RUNTIME,
                   "%s%.*s(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
                   "requires grad.",
                   kt__out_way_of(call) == OUT_OPAQUE ? "aten::" : "", (int)strcspn(name, ".("), name);
}
