/* search.c - searchsorted, bucketize and isin. In: tensors or numbers. Out: indices, or bools. */
#include <math.h>
#include <string.h>

#include "call/check.h"
#include "call/made.h"
#include "call/refuse.h"
#include "tables/kernels/search.h"
#include "ways/index.h"

/* ---- numbers as tensors ---- */

/* Not of the common dtype yet: there it may wrap, as in PyTorch. */
static kt_tensor *number_on(const kt_tensor *like, kt_scalar s)
{
    return kt_scalar_tensor(s, .dtype = kt__dtype_of_number(s), .device = kt__device(like));
}

/* ---- searching ---- */

typedef struct search {
    kt_tensor *lines, *values, *sorter; /* sorter: NULL, or the order of each line */
    bool       right, narrow;
    bool       ranks_nans; /* NaN ranks above everything; else it is never found, as in PyTorch */
} search;

static kt_status check_side(const kt_call *call, int at, bool *right)
{
    const char *side = kt__given(call, at) ? call->arg[at].str : NULL;
    if (!side)
        return KT_OK;
    if (strcmp(side, "left") != 0 && strcmp(side, "right") != 0)
        return kt_fail(KT_ERR_RUNTIME, "torch.searchsorted(): side can only be 'left' or 'right' but got %s", side);
    if (*right && strcmp(side, "left") == 0)
        return kt_fail(KT_ERR_RUNTIME, "torch.searchsorted(): side and right can't be set to opposites, got side of %s while "
                                       "right was True", side);
    *right = strcmp(side, "right") == 0;
    return KT_OK;
}

static kt_status check_sorter(const kt_call *call, const search *s)
{
    if (!s->sorter)
        return KT_OK;
    if (!kt__same_sizes(s->lines, s->sorter)) {
        char lines[256], sorter[256];
        kt__shape_text(lines, sizeof lines, kt__sizes(s->lines));
        kt__shape_text(sorter, sizeof sorter, kt__sizes(s->sorter));
        return kt_fail(KT_ERR_RUNTIME,
                       "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor %sand got "
                       "sorter tensor %s",
                       lines, sorter);
    }
    return kt__refuse(call, STAGE_AFTER);
}

static kt_status check_order(const search *s)
{
    if (!s->sorter)
        return KT_OK;
    const int64_t length = s->sorter->ndim ? s->sorter->sizes[s->sorter->ndim - 1] : 1;
    return kt__check_range((kt_tensor *[]){s->sorter}, 1, &(kt__range){.low = KT_INT(0), .high = KT_INT(length - 1),
                                                                       .says = {KT_FAULT_SORTER}});
}

static kt_status check_shapes(const search *s)
{
    const kt_tensor *lines = s->lines, *values = s->values;
    if (values->ndim == 0 && lines->ndim != 1)
        return kt_fail(KT_ERR_RUNTIME,
                       "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
                       "boundaries tensor dim(%d) and input value's dim(%d) numel(%lld)",
                       lines->ndim, values->ndim, (long long)values->numel);
    if (lines->ndim == 0)
        return kt_fail(KT_ERR_RUNTIME,
                       "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension");
    bool match = lines->ndim == 1 || lines->ndim == values->ndim;
    for (int d = 0; match && lines->ndim > 1 && d < lines->ndim - 1; d++)
        match = lines->sizes[d] == values->sizes[d];
    if (match)
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME,
                   "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
                   "tensor and input value tensor must match, but we got boundaries tensor %s and input value tensor %s",
                   KT__SIZES_TEXT(lines), KT__SIZES_TEXT(values));
}

/* Dense and without lazy bits, as the kernel reads it, and of a dtype that was decided. */
static kt_tensor *dense(kt_tensor *t, kt_dtype dtype, kt_reason why)
{
    t = kt__converted_inside(t, dtype, why);
    if (!t || (kt__is_contiguous(t) && !(t->flags & (KT_T_CONJ | KT_T_NEG))))
        return t;
    kt_tensor *copy = kt_empty(kt__sizes(t), .dtype = (kt_dtype)t->dtype, .device = kt__device(t));
    return copy && !kt__copy_into(copy, t, KT_WHY_NONE, KT_ROUND_TORCH) ? copy : NULL;
}

#define WARN_OF_A_COPY(t, what)                                                                                         \
    if ((t) && !kt__is_contiguous(t))                                                                                  \
    KT__WARN_ONCE("torch.searchsorted(): " what " tensor is non-contiguous, this will lower the performance due to "   \
                  "extra data copy when converting non-contiguous tensor to contiguous, please use contiguous " what   \
                  " tensor if possible. This message will only appear once per program.")

static void warn_of_copies(const search *s)
{
    WARN_OF_A_COPY(s->values, "input value");
    WARN_OF_A_COPY(s->lines, "boundary");
    WARN_OF_A_COPY(s->sorter, "sorter");
}

/* Everything dense. One line for all values, or one for each of their lines. */
static kt_status run(const search *s, kt_tensor *out)
{
    kt_tensor    *t[] = {out, s->values, s->lines, s->sorter};
    const int64_t length = s->lines->sizes[s->lines->ndim - 1];
    const bool    one = s->lines->ndim == 1;
    const int64_t n = one ? out->numel : out->sizes[out->ndim - 1];
    kt_plan       plan;
    if (out->numel == 0)
        return KT_OK;
    const int compute = kt__dtype_rows[s->values->dtype].compute;
    kt__plan_begin(&plan, kt__row_served(KT_OP_searchsorted), KT_K_search, compute, s->sorter ? 3 : 2, out);
    plan.numel = out->numel;
    plan.nd = 2;
    plan.size[0] = out->numel / n;
    plan.size[1] = n;
    for (int i = 0; i < 1 + plan.n_in; i++) {
        const int64_t width = (int64_t)kt__itemsize(t[i]);
        kt__set_operand(&plan, i, t[i], (kt_dtype)t[i]->dtype, KT_WHY_NONE);
        plan.stride[i][0] = i < 2 ? n * width : one ? 0 : length * width;
        plan.stride[i][1] = i < 2 ? width : 0;
    }
    plan.n_param = 3;
    plan.param[0] = KT_INT(length);
    plan.param[1] = KT_INT(s->right);
    plan.param[2] = KT_INT(s->ranks_nans);
    return kt__launch(&plan, out);
}

/* What was found, in the scope; what is searched for has been checked. */
static kt_tensor *found(search s, kt_dtype common, kt_reason why)
{
    s.values = dense(s.values, common, why);
    s.lines = s.values ? dense(s.lines, common, why) : NULL;
    s.sorter = s.lines && s.sorter ? dense(s.sorter, KT_I64, KT_WHY_INDEX) : s.sorter;
    if (kt__failed() || !s.lines)
        return NULL;
    kt_tensor *out =
        kt_empty(kt__sizes(s.values), .dtype = s.narrow ? KT_I32 : KT_I64, .device = kt__device(s.lines));
    return out && !run(&s, out) ? out : NULL;
}

static kt_status search_for(kt_call *call, search *s)
{
    kt_tensor     *all[] = {s->lines, s->values, s->sorter};
    const kt_dtype places = s->narrow ? KT_I32 : KT_I64;
    kt__decision   room;
    if (!s->values)
        return kt_error_status();
    const bool late = kt__backend(s->lines->backend)->late; /* then nothing may fail after the check: it would be told twice */
    if (check_sorter(call, s) || (!late && check_order(s)) || check_shapes(s) || kt__check_out(call, places, KT_NONE) ||
        kt__one_device(all, s->sorter ? 3 : 2))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body_as(call, places, &room);
    if (!d || (late && check_order(s)))
        return kt_error_status();
    warn_of_copies(s);
    return kt__end(call, found(*s, (kt_dtype)d->common, (kt_reason)d->why_result));
}

static kt_status searchsorted(kt_call *call, kt_tensor *values)
{
    search s = {.lines = call->arg[0].t, .values = values, .narrow = kt__arg_bool(call, 2), .right = kt__arg_bool(call, 3),
                .sorter = kt__given(call, 5) ? call->arg[5].t : NULL};
    return check_side(call, 4, &s.right) ? kt_error_status() : search_for(call, &s);
}

kt_status kt__body_searchsorted(kt_call *call)
{
    KT_SCOPE;
    return searchsorted(call, call->arg[1].t);
}

kt_status kt__body_searchsorted_number(kt_call *call)
{
    KT_SCOPE;
    return searchsorted(call, number_on(call->arg[0].t, call->arg[1].s));
}

static kt_status bucketize(kt_call *call, kt_tensor *values)
{
    search s = {.lines = call->arg[1].t, .values = values, .narrow = kt__arg_bool(call, 2), .right = kt__arg_bool(call, 3)};
    if (s.lines->ndim != 1)
        return kt_fail(KT_ERR_RUNTIME, "boundaries tensor must be 1 dimension, but got dim(%d)", s.lines->ndim);
    return search_for(call, &s);
}

kt_status kt__body_bucketize(kt_call *call)
{
    KT_SCOPE;
    return bucketize(call, call->arg[0].t);
}

kt_status kt__body_bucketize_number(kt_call *call)
{
    KT_SCOPE;
    return bucketize(call, number_on(call->arg[1].t, call->arg[0].s));
}

/* ---- is it among them? ---- */

/* Sorts both together: an element that is among the tests has an equal neighbour after it. With assume_unique=True
 * duplicates among the elements also match, as in PyTorch. */
static kt_tensor *has_equal_behind(kt_tensor *elements, kt_tensor *tests)
{
    const int64_t   n = elements->numel, total = n + tests->numel;
    kt_tensor      *row = kt_reshape(elements, KT_SHAPE(n)), *others = kt_reshape(tests, KT_SHAPE(tests->numel));
    kt_sort_results all = kt_sort(kt_cat(((kt_tensor *[]){row, others}), 2));
    kt_tensor      *equal = kt_eq(kt_narrow(all.values, 0, 1, total - 1), kt_narrow(all.values, 0, 0, total - 1));
    kt_tensor      *last = kt_zeros(KT_SHAPE(1), .dtype = KT_BOOL, .device = kt__device(elements));
    kt_tensor      *marks = kt_cat(((kt_tensor *[]){equal, last}), 2);
    return kt_unsafe_view(kt_narrow(kt_scatter(kt_empty_like(marks), 0, all.indices, marks), 0, 0, n), kt__sizes(elements));
}

static kt_tensor *among(kt_tensor *elements, kt_tensor *tests)
{
    kt_tensor *row = kt_sort(kt_reshape(tests, KT_SHAPE(tests->numel))).values;
    if (!row || row->numel == 0)
        return row ? kt_zeros(kt__sizes(elements), .dtype = KT_BOOL, .device = kt__device(elements)) : NULL;
    kt_tensor *at = found((search){.lines = row, .values = elements, .ranks_nans = true}, (kt_dtype)row->dtype, KT_WHY_NONE);
    return kt_eq(kt_take(row, kt_clamp_max_s(at, KT_INT(row->numel - 1))), elements);
}

static kt_status isin(kt_call *call, kt_tensor *elements, kt_tensor *tests)
{
    kt__decision        room;
    const kt__decision *d = elements && tests ? kt__resolve_in_body(call, &room) : NULL;
    if (!d || kt__one_device((kt_tensor *[]){elements, tests}, 2))
        return kt_error_status();
    const bool assumed = kt__arg_bool(call, 2) && (double)tests->numel >= 10.0 * pow((double)elements->numel, 0.145);
    elements = dense(elements, (kt_dtype)d->common, (kt_reason)d->why_result);
    tests = kt__converted_inside(tests, (kt_dtype)d->common, (kt_reason)d->why_result);
    if (!elements || !tests)
        return kt_error_status();
    kt_tensor *is = assumed && elements->numel ? has_equal_behind(elements, tests) : among(elements, tests);
    return kt__end(call, is && kt__arg_bool(call, 3) ? kt_logical_not(is) : is);
}

kt_status kt__body_isin(kt_call *call)
{
    KT_SCOPE;
    return isin(call, call->arg[0].t, call->arg[1].t);
}

kt_status kt__body_isin_element(kt_call *call)
{
    KT_SCOPE;
    return isin(call, number_on(call->arg[1].t, call->arg[0].s), call->arg[1].t);
}

kt_status kt__body_isin_number(kt_call *call)
{
    KT_SCOPE;
    return isin(call, call->arg[0].t, number_on(call->arg[0].t, call->arg[1].s));
}
