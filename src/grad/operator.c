/* operator.c - the node of an operator: its row's formula turns the gradients of its results into those of its inputs.
 * Independent of: order, accumulation and fitting of gradients. */
#include <string.h>

#include "grad/formula.h"
#include "grad/run.h"
#include "tables/kernels/recurrent.h"
#include "tables/schema.h"

/* ---- the name ---- */

/* What PyTorch makes of several operators has the name of the last one. */
static const char *rms_norm_name(const kt_node *n)
{
    const bool widened = n->results[0].dtype == KT_F16 || n->results[0].dtype == KT_BF16;
    return widened ? "ToCopyBackward0" : "MulBackward0";
}

static const char *recurrence_name(const kt_node *n)
{
    const kt_dtype dtype = (kt_dtype)n->results[0].dtype;
    const bool     projected = n->n_edges == 5; /* gates, two states, two weights */
    if (n->arg[3].ints.n)
        return "CatBackward0";
    return n->arg[4].i == KT__LSTM && !projected && (dtype == KT_F32 || dtype == KT_BF16) ? NULL : "StackBackward0";
}

static const char *convolution_name(const kt_node *n)
{
    bool complex = false;
    for (uint32_t i = 0; i < n->n_edges; i++)
        complex |= n->edge[i].to && kt__dtype_rows[n->edge[i].dtype].category == KT_CAT_COMPLEX;
    return complex ? "AddBackward0" : NULL;
}

/* Overloads that share a row here and have separate node names in PyTorch; NULL: others. */
static const char *overload_name(const kt_node *n)
{
    static const char *const fills[] = {"FillBackward0", "FillBackward1", "FillBackward2", "FillBackward3"};
    const kt_value          *values = n->arg;
    switch (n->row->id) {
    case KT_OP_fill: return fills[(n->form == KT_INPLACE ? 2 : 0) + !n->scalars];
    case KT_OP_div: return n->given & 4 && values && values[2].str ? "DivBackward2" : NULL;
    case KT_OP_round: return n->given & 2 ? "RoundBackward1" : NULL;
    case KT_OP_squeeze_dim: return values && values[1].ints.n != 1 ? "SqueezeBackward2" : NULL;
    case KT_OP_fused_rms_norm: return rms_norm_name(n);
    case KT_OP_recurrence: return recurrence_name(n);
    case KT_OP_convolution: return convolution_name(n);
    default: return NULL;
    }
}

/* PyTorch's overload for a number has another node name: x ** 2 is PowBackward0, x ** y PowBackward1. So has an in-place
 * form whose derivative uses its result, or that has one operand. */
static const char *op_name(const kt_node *n)
{
    const char *overload = overload_name(n);
    if (overload)
        return overload;
    const char  *name = n->row->node;
    const size_t end = strlen(name) + 1;
    const bool   alone = n->row->saves & SAVES_R || n->row->inputs.n == 1;
    const bool   second = n->scalars || (alone && n->form == KT_INPLACE);
    return second && n->row->node_bytes > end ? name + end : name;
}

static const char *name_of(const kt_node *n)
{
    return n->row->node && n->form != KT_OUT ? op_name(n) : "NotImplemented";
}

/* ---- no derivative ---- */

/* A node without a derivative, which only fails; out= may leave one too. */
static bool is_opaque(const kt_node *node) { return !node->row->grad || node->form == KT_OUT; }

KT__HOT_LOCAL bool kt__lacks_derivative;

static kt_status refuse_opaque(const kt_node *node)
{
    kt__lacks_derivative = true;
    if (node->row->appended)
        return kt_fail(KT_ERR_RUNTIME, "derivative for %s is not implemented", node->row->name);
    const char *name = kt__schema_display_name(node->row);
    return kt_fail(KT_ERR_RUNTIME, "derivative for aten::%.*s%s is not implemented", schema_name_length(name), name,
                   node->form == KT_INPLACE ? "_" : "");
}

/* PyTorch's other message: it names a derivative and does not have it. */
GRAD(missing)
{
    kt__lacks_derivative = true;
    const char *name = kt__schema_display_name(c->node->row);
    kt_fail(KT_ERR_NOT_IMPLEMENTED, "the derivative for '%.*s' is not implemented.", schema_name_length(name), name);
}

/* ---- a run ---- */

static kt_status check(kt_node *node)
{
    if (is_opaque(node))
        return refuse_opaque(node);
    return node->released ? kt__fail_freed() : kt__check_places(node);
}

/* A formula may read only some of the saved tensors; PyTorch checks all of them. Factors saved for each other's gradient
 * are all read, and so checked, unless some gradients are not needed. */
KT__HOT static kt_status run(const kt_back *b)
{
    kt_node *node = b->node;
    if (KT__UNLIKELY(is_opaque(node)))
        return refuse_opaque(node);
    if (KT__UNLIKELY(node->released))
        return kt__fail_freed();
    const kt_row *row = node->row;
    if (!(row->saves & SAVES_READ && !b->part) && kt__check_places(node))
        return kt_error_status();
    if (KT__UNLIKELY(node->packed))
        kt__unpack_all(node, b->create_graph);
    if (KT__LIKELY(!kt__failed()))
        row->grad(b);
    if (KT__UNLIKELY(node->packed))
        kt__unpack_end(node);
    if (KT__UNLIKELY(kt__failed())) {
        for (int64_t i = 0; i < b->n_inputs; i++)
            b->d[i] = NULL; /* owned by the scope */
        return kt_error_status();
    }
    for (int64_t i = 0; i < b->n_inputs; i++)
        b->d[i] = !b->d[i] || kt__scope_take(b->d[i]) ? b->d[i] : kt__ref(b->d[i]);
    return KT_OK;
}

const kt_node_type kt__node_operator = {
    .abi = KT_NODE_ABI, .size = sizeof(kt_node_type), .name_of = name_of, .run = run, .check = check,
};
