/* saved.c - saved tensors: stored with the version that was seen, unpacked in the dtype that the forward kernel saw;
 * results are stored without their history, so that no node keeps itself alive. */
#include <string.h>

#include <karat/grad.h>

#include "grad/run.h"

kt_status kt__refuse_inference(void)
{
    return kt_fail(KT_ERR_RUNTIME,
                   "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
                   "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it "
                   "in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.");
}

/* The call will overwrite the tensor: save a copy of its value, with its history for second derivatives. */
kt_status kt__save_copy(kt_node *n, uint32_t place, kt_tensor *t, uint8_t as)
{
    kt_tensor *copy = NULL;
    if (kt__call1(KT_OP_clone, t, &copy))
        return kt_error_status();
    kt__save_input(n, place, copy, as);
    kt__unref(copy);
    return KT_OK;
}

kt_status kt__save_output(kt_node *n, uint32_t place, kt_tensor *out, uint32_t result)
{
    kt_tensor *alias = kt__tensor_alias(out);
    if (!alias)
        return kt_error_status();
    *kt__saved_at(n, place) = (kt__saved){{alias}, kt__version(out), (uint16_t)result, out->dtype, SAVED_RESULT, ALIAS_NONE};
    if (place < n->n_fixed)
        n->holds |= (uint16_t)(1 << place);
    return KT_OK;
}

static kt_status stale(const kt_node *n, const kt__saved *s)
{
    char        shape[256], type[64], site[128] = "", output[96] = "";
    const char *maker = s->kind == SAVED_RESULT ? kt__node_name(n) : kt_grad_fn_name(s->t);
    if (s->kind == SAVED_RESULT && !(kt__dtype_rows[s->t->dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX)))
        maker = NULL; /* index tensors have no history */
    if (s->kind != SAVED_RESULT && s->alias) {
        const uint16_t writer = atomic_load_explicit(&s->t->storage->writer, memory_order_relaxed);
        maker = s->alias == ALIAS_OF_VIEW      ? "AsStridedBackward0"
                : writer == KT_WRITER_SLICES ? "CopySlices"
                : writer == KT_WRITER_CUSTOM ? NULL
                                             : kt_row_at(writer)->node;
    }
    if (s->kind != SAVED_RESULT && (s->alias || kt__view_stale(s->t)) && kt__view_rules(s->t, false))
        return kt_error_status(); /* a view without a history */
    uint32_t    result = s->kind == SAVED_RESULT ? s->result : s->t->autograd ? s->t->autograd->result : 0;
    kt__shape_text(shape, sizeof shape, kt__sizes(s->t));
    if (maker && *maker) /* nodes that PyTorch writes by hand show their namespace */
        snprintf(output, sizeof output, ", which is output %u of %s,", result, kt__title_of(maker));
    kt_fail(KT_ERR_RUNTIME,
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            "[%s %s]%s "
            "is at version %u; expected version %u instead. Hint: %s",
            kt__type_text((kt_dtype)s->t->dtype, type, sizeof type), shape, output, kt__version(s->t), s->version,
            kt_anomaly() ? "the backtrace further above shows the operation that failed to compute its gradient. The variable in "
                           "question was changed in there or anywhere later. Good luck!"
                         : "enable anomaly detection to find the operation that failed to compute its gradient, with "
                           "torch.autograd.set_detect_anomaly(True, check_nan=False).");
    uint32_t write = atomic_load_explicit(&s->t->storage->written_at, memory_order_relaxed);
    if (kt__lineage.site_text && kt__lineage.site_text(write, site, sizeof site))
        kt_fail_more("\n  written to at %s", site);
    return KT_ERR_RUNTIME;
}

/* Restores a history, only in this handle: a node must not keep itself alive. */
kt_status kt__with_history(kt_tensor *t, kt_node *node, uint32_t result, kt_tensor **out)
{
    kt_tensor          *again = kt__tensor_alias(t);
    struct kt_autograd *a = again ? kt__autograd_of(again) : NULL;
    if (!a) {
        kt__unref(again);
        return kt_error_status();
    }
    a->node = kt__node_ref(node);
    a->result = result;
    again->flags |= KT_T_REQUIRES_GRAD;
    if (!kt__is_accumulator(node))
        again->flags &= ~(uint32_t)KT_T_LEAF;
    if (KT__UNLIKELY(kt__is_dual(t)) && kt__share_tangents(again, t)) {
        kt__unref(again);
        return kt_error_status();
    }
    *out = again;
    return KT_OK;
}

/* Is its version the one that was saved? */
KT__HOT kt_status kt__check_saved(const kt_node *n, uint32_t place)
{
    const kt__saved *s = kt__saved_at(n, place);
    if (!s->t || KT__UNLIKELY(s->kind == SAVED_PACKED)) /* hooks keep it: its version is not known */
        return KT_OK;
    if (KT__UNLIKELY(s->kind == SAVED_MADE && s->t->flags & KT_T_LEAF && !(s->t->flags & KT_T_VIEW) && !s->alias))
        return kt_fail(KT_ERR_RUNTIME, "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
                                       "This is not supported, please use out-of-place `.detach()` instead");
    return KT__UNLIKELY(kt__version(s->t) != s->version) ? stale(n, s) : KT_OK;
}

/* As it was saved. *borrowed: the node owns it; else the caller. */
static kt_status unpack(kt_node *n, uint32_t place, bool history, kt_tensor **t, bool *borrowed)
{
    kt__saved *s = kt__saved_at(n, place);
    *t = NULL;
    *borrowed = true;
    if (!s->t) /* the list had NULL here */
        return KT_OK;
    if (kt__check_saved(n, place))
        return kt_error_status();
    const bool constant = n->aside || (place > SAVED_Y && n->row && n->row->saves & SAVES_F);
    *borrowed = false;
    if (KT__UNLIKELY(s->kind == SAVED_PACKED))
        return kt__packed_tensor(n, s, history && !constant, t);
    if (s->kind == SAVED_RESULT && history && !constant && kt__dtype_rows[s->t->dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX))
        return n->within ? kt__written_with_history(n, s->t, t) : kt__with_history(s->t, n, s->result, t);
    *t = s->t;
    *borrowed = true;
    return KT_OK;
}

/* The forward pass saw it converted, and that was decided there. */
static kt_status converted(kt_tensor *plain, uint8_t as, kt_tensor **t, bool *borrowed)
{
    const kt_status status = kt__convert_inside(plain, (kt_dtype)as, KT_WHY_GRADIENT, t);
    if (!*borrowed)
        kt__unref(plain);
    *borrowed = false;
    return status;
}

KT__HOT kt_status kt__unpack(kt_node *n, uint32_t place, bool history, kt_tensor **t, bool *borrowed)
{
    const kt__saved *s = kt__saved_at(n, place);
    *t = NULL;
    *borrowed = false;
    if (KT__UNLIKELY(!(place < n->n_fixed ? n->holds >> place & 1 : place < kt__n_saved(n))))
        return kt_fail(KT_ERR_RUNTIME, "the backward of %s asks for a tensor that it did not save", kt__node_name(n));
    const uint8_t as = s->as;
    if (KT__LIKELY(s->kind < SAVED_RESULT && s->t && as == s->t->dtype)) { /* an operand as it is */
        if (kt__check_saved(n, place))
            return kt_error_status();
        *t = s->t;
        *borrowed = true;
        return KT_OK;
    }
    if (unpack(n, place, history, t, borrowed))
        return kt_error_status();
    return !*t || as == (*t)->dtype ? KT_OK : converted(*t, as, t, borrowed);
}

kt_status kt__unpack_as_saved(kt_node *n, uint32_t place, bool history, kt_tensor **t)
{
    bool borrowed = true;
    *t = NULL;
    if (place < n->n_fixed && !(n->holds >> place & 1))
        return KT_OK;
    if (unpack(n, place, history, t, &borrowed))
        return kt_error_status();
    if (borrowed && *t)
        kt__ref(*t);
    return KT_OK;
}
