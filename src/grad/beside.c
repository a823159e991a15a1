/* beside.c - results that nothing flows to, in the history of what they were made beside.
 *
 * PyTorch makes all results of a list in one call, and the gradients of a convolution in one: each requires grad if any input
 * does, though it may depend on none. In: such results, and the inputs. Out: results that require no grad yet have a node whose
 * edges lead to the inputs; no gradient passes it. Independent of: operators. */
#include "grad/beside.h"

#include "base/alloc.h"
#include "base/error.h"

#include <karat/plugin/node.h>

static kt_status pass_nothing(const kt_back *back)
{
    (void)back;
    return KT_OK;
}

/* A node's context is its name, a constant. */
static const char *name_of(const kt_node *node) { return *(const char *const *)kt_node_context((kt_node *)(uintptr_t)node); }

static const kt_node_type beside = {.abi = KT_NODE_ABI, .size = sizeof(kt_node_type), .context = sizeof(const char *),
                                    .name_of = name_of, .run = pass_nothing};

static bool is_open(const kt_tensor *t)
{
    return t && kt__dtype_rows[t->dtype].category >= KT_CAT_FLOAT && !kt__wants_grad(t);
}

kt_status kt__place_beside(const char *name, kt_tensor *const *results, int64_t n, kt_tensor *const *inputs, int64_t n_inputs)
{
    kt_node  *node = NULL;
    kt_status status = KT_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        if (!is_open(results[i]))
            continue;
        status = kt_node_make(&beside, inputs, n_inputs, 0, &node);
        if (!status) {
            *(const char **)kt_node_context(node) = name;
            status = kt_node_attach(node, &results[i], NULL, 1);
        }
        kt_node_drop(node);
        node = NULL;
    }
    return status;
}

/* The tensors of a call: of its lists, and others. How many; `to` NULL: only counts. */
static int64_t tensors_of(const kt_call *call, kt_tensor **to)
{
    const kt__input_map *map = &call->row->inputs;
    int64_t              n = 0;
    for (int i = 0; i < map->n; i++) {
        const kt_value *given = &call->arg[map->at[i]];
        const bool      list = map->lists >> i & 1;
        if (!kt__given(call, map->at[i]) || call->scalars >> map->at[i] & 1)
            continue;
        for (int64_t k = 0; k < (list ? given->ts.n : 1); k++, n++)
            if (to)
                to[n] = list ? given->ts.t[k] : given->t;
    }
    return n;
}

kt_status kt__place_list_beside(kt_call *call)
{
    const int64_t n = tensors_of(call, NULL);
    const size_t  bytes = (size_t)n * sizeof(kt_tensor *);
    kt_tensor   **inputs = n ? kt__system_get(bytes) : NULL;
    if (!inputs)
        return n ? kt__fail_memory(bytes) : KT_OK;
    tensors_of(call, inputs);
    const kt_status status = kt__place_beside("ForeachBackward0", call->list, call->n_list, inputs, n);
    kt__system_put(inputs, bytes);
    return status;
}
