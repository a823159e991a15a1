/* multi_margin.c - margins between classes: multi_margin_loss and multilabel_margin_loss, each with its gradient. In: scores of
 * classes, and which class is right, or which are. Out: the loss or its gradient. Each is one node of the tape; one class that is
 * right is compared with all others at a time, so that no more memory than a few scores is held. */
#include "call/check.h"
#include "ops/loss/loss.h"

/* 1 in the dtype of t where something is true, else 0. */
static kt_tensor *one_where(kt_tensor *condition, kt_tensor *t)
{
    return kt_where_s(condition, t ? kt_ones_like(t) : NULL, KT_INT(0));
}

static kt_status check_scores(const kt_tensor *x)
{
    const bool fits = x->ndim == 2 ? x->sizes[1] != 0 : x->ndim == 0 || (x->ndim == 1 && x->sizes[0] != 0);
    return fits ? KT_OK
                : kt_fail(KT_ERR_RUNTIME, "Expected non-empty vector or matrix with optional 0-dim batch size, but got: %s",
                          KT__SIZES_TEXT(x));
}

static kt_status check_dtypes(const kt_call *call, const kt_tensor *x, const kt_tensor *target, const char *missing)
{
    if (x->dtype != KT_F32 && x->dtype != KT_F64)
        return kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", missing,
                              kt_dtype_torch_name((kt_dtype)x->dtype));
    if (target->dtype != KT_I64)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "expected scalar type Long but found %s",
                              kt_dtype_torch_name((kt_dtype)target->dtype));
    return KT_OK;
}

/* Rows of scores: one without a batch. */
static kt_tensor *as_rows(kt_tensor *x, int64_t *rows, int64_t *classes)
{
    *rows = x->ndim == 2 ? x->sizes[0] : 1;
    *classes = x->ndim == 2 ? x->sizes[1] : x->numel;
    return kt_reshape(x, KT_SHAPE(*rows, *classes));
}

/* ---- one class is right ---- */

typedef struct margins {
    kt_tensor *z;      /* by how much a class is not `margin` below the right one; 0 if it is, and for the right one itself */
    kt_tensor *right;  /* [rows, 1] */
    kt_tensor *factor; /* [rows, 1] the weights of the right classes, or NULL */
    int64_t    rows, classes;
} margins;

static kt_status check_weight_size(const kt_tensor *weight, int64_t classes)
{
    if (!weight || (weight->numel == classes && weight->ndim <= 1))
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME, "inconsistent weight size, expected %lld but got %s", (long long)classes,
                   KT__SIZES_TEXT(weight));
}

static kt_status check_weight_dtype(const kt_call *call, const kt_tensor *x, const kt_tensor *weight)
{
    return !weight || weight->dtype == x->dtype
               ? KT_OK
               : kt__fail_dtype(call, KT_ERR_RUNTIME, "expected scalar type %s but found %s",
                                kt_dtype_torch_name((kt_dtype)x->dtype), kt_dtype_torch_name((kt_dtype)weight->dtype));
}

static kt_status find_margins(const kt_call *call, kt_tensor *x, kt_tensor *target, kt_tensor *weight, int64_t p, double margin,
                              margins *m)
{
    if (check_scores(x))
        return kt_error_status();
    kt_tensor *scores = as_rows(x, &m->rows, &m->classes);
    if (p != 1 && p != 2)
        return kt_fail(KT_ERR_RUNTIME, "only p == 1 and p == 2 supported");
    if (target->ndim > 1 || target->numel != m->rows)
        return kt_fail(KT_ERR_RUNTIME, "inconsistent target size, expected %lld but got %s", (long long)m->rows,
                       KT__SIZES_TEXT(target));
    if (check_weight_size(weight, m->classes) || check_dtypes(call, x, target, "multi_margin_loss_cpu_kernel") ||
        check_weight_dtype(call, x, weight))
        return kt_error_status();
    const kt__range range = {.low = KT_INT(0), .high = KT_INT(m->classes - 1), .says = {KT_FAULT_TARGET_RANGE}};
    if (kt__check_range(&target, 1, &range))
        return kt_error_status();
    m->right = kt_reshape(target, KT_SHAPE(m->rows, 1));
    kt_tensor *z = kt_add(kt_rsub_s(kt_gather(scores, 1, m->right), KT_FLOAT(margin)), scores);
    m->z = kt_scatter_value(kt_where_s(kt_gt_s(z, KT_INT(0)), z, KT_INT(0)), 1, m->right, KT_INT(0));
    m->factor = weight ? kt_reshape(kt_index_select(kt_reshape(weight, KT_SHAPE(m->classes)), 0,
                                                    kt_reshape(target, KT_SHAPE(m->rows))), KT_SHAPE(m->rows, 1))
                       : NULL;
    return m->z && (!weight || m->factor) ? KT_OK : kt_error_status();
}

kt_status kt__body_multi_margin_loss(kt_call *call)
{
    enum { INPUT, TARGET, P, MARGIN, WEIGHT, REDUCTION };
    KT_SCOPE;
    const int64_t p = (int64_t)kt__as_double(kt__arg_scalar(call, P));
    kt_tensor    *target = call->arg[TARGET].t;
    margins       m;
    if (find_margins(call, call->arg[INPUT].t, target, kt__given(call, WEIGHT) ? call->arg[WEIGHT].t : NULL, p,
                     kt__as_double(kt__arg_scalar(call, MARGIN)), &m))
        return kt_error_status();
    kt_tensor *z = p == 2 ? kt_mul(m.z, m.z) : m.z;
    z = kt_true_divide_s(kt_sum_dim(m.factor ? kt_mul(z, m.factor) : z, KT_SHAPE(1)), KT_INT(m.classes));
    const kt__reduction how = (kt__reduction)kt__arg_int(call, REDUCTION);
    return kt__end(call, how == REDUCE_NONE ? kt_reshape(z, kt__sizes(target)) : kt__reduced(z, how));
}

kt_status kt__body_multi_margin_loss_backward(kt_call *call)
{
    enum { GRAD, INPUT, TARGET, P, MARGIN, WEIGHT, REDUCTION };
    KT_SCOPE;
    const int64_t p = (int64_t)kt__as_double(kt__arg_scalar(call, P));
    const bool    each = kt__arg_int(call, REDUCTION) == REDUCE_NONE, mean = kt__arg_int(call, REDUCTION) == REDUCE_MEAN;
    kt_tensor    *x = call->arg[INPUT].t, *g = call->arg[GRAD].t;
    margins       m;
    if (find_margins(call, x, call->arg[TARGET].t, kt__given(call, WEIGHT) ? call->arg[WEIGHT].t : NULL, p,
                     kt__as_double(kt__arg_scalar(call, MARGIN)), &m))
        return kt_error_status();
    kt_tensor *slope = p == 2 ? kt_mul_s(m.z, KT_INT(2)) : one_where(kt_gt_s(m.z, KT_INT(0)), m.z);
    slope = kt_true_divide_s(m.factor ? kt_mul(slope, m.factor) : slope, KT_INT(m.classes * (mean ? m.rows : 1)));
    slope = kt_scatter(slope, 1, m.right, kt_neg(kt_sum_dim(slope, KT_SHAPE(1), .keepdim = true)));
    return kt__end(call, kt_reshape(kt_mul(slope, each ? kt_reshape(g, KT_SHAPE(m.rows, 1)) : g), kt__sizes(x)));
}

kt_status kt__body_nn_multi_margin_loss(kt_call *call)
{
    enum { INPUT, TARGET, P, MARGIN, WEIGHT };
    KT_SCOPE;
    const double  p = kt__as_double(kt__arg_scalar(call, P));
    kt_tensor    *weight = kt__given(call, WEIGHT) ? call->arg[WEIGHT].t : NULL;
    kt__reduction how;
    if (kt__reduction_of(call, (kt__reduction_args){5, 6, 7}, &how))
        return kt_error_status();
    if (p != 1 && p != 2)
        return kt_fail(KT_ERR_VALUE, "only p == 1 and p == 2 supported");
    if (weight && weight->ndim != 1)
        return kt_fail(KT_ERR_VALUE, "weight must be one-dimensional");
    if (kt__no_slope(weight, "multi_margin_loss", "weight"))
        return kt_error_status();
    return kt__end(call, kt_multi_margin_loss(call->arg[INPUT].t, call->arg[TARGET].t, .p = KT_INT((int64_t)p),
                                              .margin = kt__arg_scalar(call, MARGIN), .weight = weight,
                                              .reduction = KT_SOME((int64_t)how)));
}

/* ---- several are right: those that a row lists up to the first -1 ---- */

typedef struct labels {
    kt_tensor *scores, *index, *listed; /* [rows, classes]; index: 0 where nothing is listed */
    kt_tensor *others;                  /* is the class not listed anywhere in its row? */
    int64_t    rows, classes;
} labels;

static kt_status find_labels(const kt_call *call, kt_tensor *x, kt_tensor *target, labels *l)
{
    if (check_scores(x))
        return kt_error_status();
    if (!kt__same_sizes(x, target) && !(x->ndim <= 1 && target->ndim <= 1 && x->numel == target->numel))
        return kt_fail(KT_ERR_RUNTIME, "inconsistent target size: %s for input of size: %s", KT__SIZES_TEXT(target),
                       KT__SIZES_TEXT(x));
    l->scores = as_rows(x, &l->rows, &l->classes);
    if (kt__dtype_rows[target->dtype].category == KT_CAT_COMPLEX)
        return kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"min_all\" not implemented for '%s'",
                              kt_dtype_torch_name((kt_dtype)target->dtype));
    /* PyTorch looks at the labels first; but what a device says late must not follow a call that was refused. */
    const kt__range range = {.low = KT_INT(-1), .high = KT_INT(l->classes - 1), .says = {KT_FAULT_LABEL}};
    if (check_dtypes(call, x, target, "multilabel_margin_loss_forward_out_frame") || kt__check_range(&target, 1, &range))
        return kt_error_status();
    target = kt_reshape(target, KT_SHAPE(l->rows, l->classes));
    kt_tensor *ends = kt_cumsum(kt_lt_s(target, KT_INT(0)), 1);
    l->listed = kt_eq_s(ends, KT_INT(0));
    l->index = kt_where_s(l->listed, target, KT_INT(0));
    kt_tensor *times = kt_scatter_add(kt_zeros_like(ends), 1, l->index, one_where(l->listed, ends));
    l->others = kt_eq_s(times, KT_INT(0));
    return l->scores && l->others ? KT_OK : kt_error_status();
}

/* What column j of the lists is compared with: by how much each other class is not 1 below it, 0 where it is; *some: is anything
 * listed there? The device says so, which makes the host wait. */
static kt_tensor *column(const labels *l, int64_t j, kt_tensor **at, bool *some)
{
    kt_tensor *listed = kt_narrow(l->listed, 1, j, 1), *any = kt_any(listed);
    *some = any && kt_item(any) != 0;
    if (!*some)
        return NULL;
    *at = kt_narrow(l->index, 1, j, 1);
    kt_tensor *z = kt_add(kt_rsub_s(kt_gather(l->scores, 1, *at), KT_INT(1)), l->scores);
    return kt_where_s(kt_logical_and(kt_logical_and(listed, l->others), kt_gt_s(z, KT_INT(0))), z, KT_INT(0));
}

kt_status kt__body_multilabel_margin_loss(kt_call *call)
{
    enum { INPUT, TARGET, REDUCTION };
    KT_SCOPE;
    kt_tensor *x = call->arg[INPUT].t, *at, *sum = NULL;
    labels     l;
    bool       some = true;
    if (find_labels(call, x, call->arg[TARGET].t, &l) ||
        !(sum = kt_zeros(KT_SHAPE(l.rows), .dtype = (kt_dtype)x->dtype, .device = kt__device(x))))
        return kt_error_status();
    for (int64_t j = 0; j < l.classes && some && !kt__backend(x->backend)->stores_nothing; j++) {
        KT_SCOPE;
        kt_tensor *z = column(&l, j, &at, &some);
        if (some && !kt_add_(sum, kt_sum_dim(z, KT_SHAPE(1))))
            return kt_error_status();
    }
    kt_tensor          *each = kt_true_divide_s(sum, KT_INT(l.classes));
    const kt__reduction how = (kt__reduction)kt__arg_int(call, REDUCTION);
    return kt__end(call, how != REDUCE_NONE ? kt__reduced(each, how) : x->ndim < 2 ? kt_reshape(each, KT_SCALAR) : each);
}

kt_status kt__body_multilabel_margin_loss_backward(kt_call *call)
{
    enum { GRAD, INPUT, TARGET, REDUCTION };
    KT_SCOPE;
    kt_tensor *g = call->arg[GRAD].t, *x = call->arg[INPUT].t, *at, *slope = NULL;
    labels     l;
    bool       some = true;
    if (find_labels(call, x, call->arg[TARGET].t, &l) ||
        !(slope = kt_zeros_like(l.scores, .memory_format = KT_CONTIGUOUS_FORMAT)))
        return kt_error_status();
    for (int64_t j = 0; j < l.classes && some && !kt__backend(x->backend)->stores_nothing; j++) {
        KT_SCOPE;
        kt_tensor *z = column(&l, j, &at, &some);
        kt_tensor *one = some ? one_where(kt_gt_s(z, KT_INT(0)), z) : NULL;
        if (some && (!kt_add_(slope, one) ||
                     !kt_scatter_add_(slope, 1, at, kt_neg(kt_sum_dim(one, KT_SHAPE(1), .keepdim = true)))))
            return kt_error_status();
    }
    const bool mean = kt__arg_int(call, REDUCTION) == REDUCE_MEAN, each = kt__arg_int(call, REDUCTION) == REDUCE_NONE;
    slope = kt_true_divide_s(slope, KT_INT(l.classes * (mean ? l.rows : 1)));
    return kt__end(call, kt_reshape(kt_mul(slope, each ? kt_reshape(g, KT_SHAPE(l.rows, 1)) : g), kt__sizes(x)));
}

kt_status kt__body_nn_multilabel_margin_loss(kt_call *call)
{
    KT_SCOPE;
    kt__reduction how;
    if (kt__reduction_of(call, (kt__reduction_args){2, 3, 4}, &how))
        return kt_error_status();
    return kt__end(call, kt_multilabel_margin_loss(call->arg[0].t, call->arg[1].t, .reduction = KT_SOME((int64_t)how)));
}
