/* fit.c - fits a gradient to its tensor: sums out broadcast dims, casts to the tensor's dtype, and brings the gradient of a
 * 0-dim tensor, which travelled by value, to the tensor's device. */
#include "grad/run.h"

#include "call/wrap.h"

/* Sums over the dims that the forward pass broadcast. */
static kt_status unbroadcast(kt_tensor **g, const kt_node *node, uint32_t input)
{
    const kt__edge *e = &node->edge[input];
    int64_t         dims[KT_MAX_DIMS];
    int             lead = (*g)->ndim - e->ndim, n = 0;
    for (int i = 0; i < (*g)->ndim; i++)
        if (i < lead || (e->sizes[i - lead] == 1 && (*g)->sizes[i] != 1))
            dims[n++] = i;
    for (int i = 0; lead >= 0 && i < e->ndim; i++)
        if (e->sizes[i] != 1 && (*g)->sizes[i + lead] != e->sizes[i])
            lead = -1;
    if (lead < 0) {
        return kt_fail(KT_ERR_RUNTIME,
                       "Function %s returned an invalid gradient at index %u - got %s but expected shape compatible with %s",
                       kt__node_title(node), input, KT__SIZES_TEXT(*g), KT__SHAPE_TEXT((kt_shape){e->ndim, e->sizes}));
    }
    if (!n)
        return KT_OK;
    kt_call c;
    kt__open(&c, KT_OP_sum_dim, KT_PLAIN);
    kt__put_tensor(&c, 0, *g);
    kt__put(&c, 1, ints, ((kt_shape){n, dims}));
    kt__put(&c, 2, b, n > lead);
    if (kt_call_run(&c))
        return kt_error_status();
    kt__unref(*g);
    *g = c.out[0];
    if (lead == 0 || n == lead)
        return KT_OK;
    kt__open(&c, KT_OP_view, KT_PLAIN);
    kt__put_tensor(&c, 0, *g);
    kt__put(&c, 1, ints, ((kt_shape){e->ndim, e->sizes}));
    if (kt_call_run(&c))
        return kt_error_status();
    kt__unref(*g);
    *g = c.out[0];
    return KT_OK;
}

static bool is_complex(uint8_t dtype) { return kt__dtype_rows[dtype].category == KT_CAT_COMPLEX; }

/* The gradient of a real tensor is the real part, taken as a view: a cast would warn. */
static kt_status take_real_part(kt_tensor **g)
{
    kt_tensor *part = NULL;
    if (kt__call1(KT_OP_real, *g, &part))
        return kt_error_status();
    part->lineage = KT__RECORD(KT_WHY_GRADIENT, "convert", (*g)->dtype, part->dtype, (*g)->lineage);
    kt__unref(*g);
    *g = part;
    return KT_OK;
}

/* The gradient's floating dtype; for complex the dtype of the parts, for integers the default dtype. */
kt_dtype kt__gradient_of_integer(const kt_tensor *g)
{
    const kt_category category = kt__dtype_rows[g->dtype].category;
    return category == KT_CAT_FLOAT || category == KT_CAT_COMPLEX ? kt_dtype_real((kt_dtype)g->dtype) : kt_get_default_dtype();
}

kt_status kt__fit_device(kt_tensor **g, kt_device device, const char *whose, uint32_t which)
{
    const kt_device is = kt__device(*g);
    kt_call         c;
    if (is.kind == device.kind && is.index == device.index)
        return KT_OK;
    if ((*g)->ndim) {
        char            has[64], wants[64];
        const kt_tensor there = {.backend = (uint8_t)device.kind, .index = (uint8_t)device.index};
        return kt_fail(KT_ERR_RUNTIME, "%s%s%sinvalid gradient at index %u - expected device %s but got %s",
                       whose ? "Function " : "", whose ? whose : "", whose ? " returned an " : "", which,
                       kt__device_text(&there, wants, sizeof wants), kt__device_text(*g, has, sizeof has));
    }
    kt__open(&c, KT_OP_to_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, *g);
    kt__put(&c, 2, device, device);
    if (kt_call_run(&c))
        return kt_error_status();
    kt__unref(*g);
    *g = c.out[0];
    return KT_OK;
}

/* The engine takes the real part for an operator's formula; what the user wrote has to do that itself, as in PyTorch. */
static bool is_operators(const kt_node *node)
{
    const kt_node *of = kt__inner(node) ? node->inner : node;
    return of->type == &kt__node_operator;
}

/* A gradient always gets its tensor's dtype (for an integer tensor a floating one), or the leaf's grad_dtype. No policy refuses
 * this conversion: the forward one that it mirrors was allowed. */
static kt_status fit_dtype(kt_tensor **g, const kt_node *node, const kt__edge *e)
{
    const bool     own = e->to && e->to->own_dtype;
    const kt_dtype to = own ? kt__own_gradient_dtype(e->to->leaf, *g) : kt__gradient_dtype(e->dtype, *g);
    if ((kt_dtype)(*g)->dtype == to)
        return KT_OK;
    const bool halves = is_complex((*g)->dtype) && !is_complex((uint8_t)to);
    if (halves && !is_complex(e->dtype) && !is_operators(node))
        return kt_fail(KT_ERR_RUNTIME,
                       "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but "
                       "got false.  (Could this error message be improved?  If so, please report an enhancement request to "
                       "PyTorch.)");
    if (halves && take_real_part(g))
        return kt_error_status();
    if ((kt_dtype)(*g)->dtype == to)
        return KT_OK;
    kt_tensor *cast = NULL;
    if (kt__convert_inside(*g, to, KT_WHY_GRADIENT, &cast))
        return kt_error_status();
    kt__unref(*g);
    *g = cast;
    return KT_OK;
}

kt_status kt__fits_made(const kt_tensor *g, const kt_node *made_by, uint32_t result, const char *whose, uint32_t which)
{
    kt_dtype  dtype;
    kt_device device;
    kt_shape  sizes;
    if (!kt_node_result(made_by, result, &dtype, &device, &sizes))
        return KT_OK;
    const int64_t lead = g->ndim - sizes.n;
    bool          fits = lead >= 0;
    for (int64_t i = 0; i < sizes.n && fits; i++)
        fits = sizes.d[i] == 1 || sizes.d[i] == g->sizes[i + lead];
    if (fits)
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME, "%s%s%sinvalid gradient at index %u - got %s but expected shape compatible with %s",
                   whose ? "Function " : "", whose ? whose : "", whose ? " returned an " : "", which, KT__SIZES_TEXT(g),
                   KT__SHAPE_TEXT(sizes));
}

kt_status kt__fit(kt_tensor **g, const kt_node *node, uint32_t input)
{
    const kt__edge *e = &node->edge[input];
    if (unbroadcast(g, node, input) || fit_dtype(g, node, e) ||
        (e->to && e->to->moved && kt__fits_made(*g, e->to, e->result, kt__node_title(node), input)))
        return kt_error_status();
    return kt__fit_device(g, (kt_device){e->kind, e->index}, kt__node_title(node), input);
}
