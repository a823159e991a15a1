/* ctc.c - connectionist temporal classification (CTC). In: calls of its rows. Out: PyTorch's checks, one plan for the losses of
 * all samples and one for their gradient (tables/kernels/recurrent.h), and reductions made of other operators.
 *
 * A. Graves, S. Fernandez, F. Gomez and J. Schmidhuber, Connectionist Temporal Classification, ICML 2006. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "ops/recurrent/recurrent.h"

enum { LOG_PROBS, TARGETS, INPUT_LENGTHS, TARGET_LENGTHS, BLANK };

typedef struct samples {
    int64_t    steps, batch, classes, longest; /* longest: of the targets */
    kt_shape   inputs, lengths;
    kt_tensor *log_probs, *targets; /* dense; targets: int64 */
    int64_t    blank;
    bool       forgives;
} samples;

/* ---- checks, in PyTorch's order ---- */

#define WHILE_CHECKING "(while checking arguments for ctc_loss_allocate_outputs)"

static kt_status check_dims(const kt_call *call, const kt_tensor *log_probs, const kt_tensor *targets)
{
    if (log_probs->numel == 0)
        return kt_fail(KT_ERR_RUNTIME, "log_probs tensor must not be empty");
    if (targets->dtype != KT_I64 && targets->dtype != KT_I32)
        return kt__fail_dtype(call, KT_ERR_RUNTIME,
                              "Expected tensor for argument #2 'targets' to have scalar type Int; but got %s%s%s instead "
                              WHILE_CHECKING,
                              targets->dtype == KT_BOOL ? "CPU" : "torch.", kt_dtype_torch_name((kt_dtype)targets->dtype),
                              targets->dtype == KT_BOOL ? "Type" : "Tensor");
    if (log_probs->ndim != 3)
        return kt_fail(KT_ERR_RUNTIME, "Expected 3-dimensional tensor, but got %d-dimensional tensor for argument #1 'log_probs' "
                       WHILE_CHECKING, log_probs->ndim);
    if (targets->ndim < 1 || targets->ndim > 2)
        return kt_fail(KT_ERR_RUNTIME, "Expected 1 to 2 dimensions, but got %d-dimensional tensor for argument #2 'targets' "
                       WHILE_CHECKING, targets->ndim);
    return KT_OK;
}

static kt_status check_at_least_0(kt_shape lengths, const char *name)
{
    for (int64_t i = 0; i < lengths.n; i++)
        if (lengths.d[i] < 0)
            return kt_fail(KT_ERR_RUNTIME, "Expected %s to have value at least 0, but got value %lld " WHILE_CHECKING, name,
                           (long long)lengths.d[i]);
    return KT_OK;
}

static kt_status check_sizes(samples *s, const kt_tensor *targets)
{
    int64_t all = 0;
    if (s->blank < 0 || s->blank >= s->classes)
        return kt_fail(KT_ERR_RUNTIME, "blank must be in label range");
    if (s->inputs.n != s->batch)
        return kt_fail(KT_ERR_RUNTIME, "input_lengths must be of size batch_size");
    if (s->lengths.n != s->batch)
        return kt_fail(KT_ERR_RUNTIME, "target_lengths must be of size batch_size");
    if (check_at_least_0(s->lengths, "target_lengths"))
        return kt_error_status();
    for (int64_t i = 0; i < s->batch; i++) {
        all += s->lengths.d[i];
        s->longest = s->lengths.d[i] > s->longest ? s->lengths.d[i] : s->longest;
    }
    const int64_t rows = targets->ndim == 1 ? all : s->batch;
    if (targets->sizes[0] != rows)
        return kt_fail(KT_ERR_RUNTIME, "Expected tensor to have size %lld at dimension 0, but got size %lld for argument #2 "
                       "'targets' " WHILE_CHECKING, (long long)rows, (long long)targets->sizes[0]);
    if (targets->ndim == 2 && targets->sizes[1] < s->longest)
        return kt_fail(KT_ERR_RUNTIME, "Expected tensor to have size at least %lld at dimension 1, but got size %lld for "
                       "argument #2 'targets' " WHILE_CHECKING, (long long)s->longest, (long long)targets->sizes[1]);
    for (int64_t i = 0; i < s->batch; i++)
        if (s->inputs.d[i] > s->steps)
            return kt_fail(KT_ERR_RUNTIME, "Expected input_lengths to have value at most %lld, but got value %lld "
                           WHILE_CHECKING, (long long)s->steps, (long long)s->inputs.d[i]);
    return check_at_least_0(s->inputs, "input_lengths");
}

static kt_status check_dtype(const kt_call *call, const kt_tensor *t, const char *kernel)
{
    return t->dtype == KT_F32 || t->dtype == KT_F64
               ? KT_OK
               : kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", kernel,
                                kt_dtype_torch_name((kt_dtype)t->dtype));
}

static kt_status read_samples(const kt_call *call, samples *s, kt_tensor *log_probs, kt_tensor *targets)
{
    if (check_dims(call, log_probs, targets))
        return kt_error_status();
    s->steps = log_probs->sizes[0], s->batch = log_probs->sizes[1], s->classes = log_probs->sizes[2];
    if (check_sizes(s, targets) || kt__one_device((kt_tensor *[]){log_probs, targets}, 2))
        return kt_error_status();
    s->log_probs = kt_contiguous(log_probs);
    s->targets = kt_contiguous(kt__converted_inside(targets, KT_I64, KT_WHY_INDEX));
    return s->log_probs && s->targets ? KT_OK : kt_error_status();
}

/* ---- plans ---- */

/* int64 [3, batch]: steps, labels, where the labels begin. */
static kt_tensor *lengths_of(const samples *s)
{
    const bool   apart = s->targets->ndim == 2;
    const size_t bytes = 3 * (size_t)s->batch * sizeof(int64_t);
    size_t       granted;
    int64_t     *room = kt__block_get(bytes, &granted), at = 0;
    if (!room) {
        kt__fail_memory(bytes);
        return NULL;
    }
    for (int64_t i = 0; i < s->batch; i++) {
        room[i] = s->inputs.d[i], room[s->batch + i] = s->lengths.d[i], room[2 * s->batch + i] = at;
        at += apart ? s->targets->sizes[1] : s->lengths.d[i];
    }
    kt_tensor *t = kt__scoped(kt__tensor_new(KT_I64, kt__device(s->log_probs), KT_SHAPE(3, s->batch)));
    if (t && kt__fill_from(t, room))
        t = NULL;
    kt__block_put(room, granted);
    return t;
}

enum { MOST = 8 };

static kt_status launch(const kt_call *call, int kernel, const samples *s, kt_tensor *const *t, int n_out, int n)
{
    kt_plan plan;
    kt__plan_begin(&plan, kt__row_called(call), kernel, kt__dtype_rows[s->log_probs->dtype].compute, n - n_out, t[0]);
    plan.n_out = (uint8_t)n_out;
    plan.numel = s->log_probs->numel;
    plan.nd = 0;
    for (int i = 0; i < n; i++) {
        kt__set_operand(&plan, i, t[i], (kt_dtype)t[i]->dtype, KT_WHY_NONE);
        kt__plan_block(&plan, i, n, t[i]);
    }
    const int64_t param[KT__CTC_PARAMS] = {
        [KT__CTC_STEPS] = s->steps,      [KT__CTC_BATCH] = s->batch,               [KT__CTC_CLASSES] = s->classes,
        [KT__CTC_BLANK] = s->blank,      [KT__CTC_PLACES] = 2 * s->longest + 1, [KT__CTC_FORGIVES] = s->forgives};
    for (int i = 0; i < KT__CTC_PARAMS; i++)
        plan.param[plan.n_param++] = KT_INT(param[i]);
    return kt__launch_long(&plan, t[0]);
}

static kt_tensor *new_like(const kt_tensor *like, kt_shape sizes)
{
    kt_tensor *t = kt__scoped(kt__tensor_new((kt_dtype)like->dtype, kt__device(like), sizes));
    if (t)
        t->lineage = like->lineage;
    return t;
}

kt_status kt__body_ctc_loss_of(kt_call *call)
{
    KT_SCOPE;
    kt__decision room;
    kt_tensor   *log_probs = call->arg[LOG_PROBS].t;
    samples      s = {.inputs = kt__arg_ints(call, INPUT_LENGTHS), .lengths = kt__arg_ints(call, TARGET_LENGTHS),
                      .blank = kt__arg_int(call, BLANK)};
    if (check_dtype(call, log_probs, "ctc_loss_cpu") || read_samples(call, &s, log_probs, call->arg[TARGETS].t) ||
        !kt__resolve_in_body(call, &room))
        return kt_error_status();
    kt_tensor *loss = new_like(log_probs, KT_SHAPE(s.batch)), *lengths = lengths_of(&s);
    kt_tensor *alpha = new_like(log_probs, KT_SHAPE(s.batch, s.steps, 2 * s.longest + 1));
    if (!loss || !alpha || !lengths ||
        launch(call, KT_K_ctc_loss, &s, (kt_tensor *[]){loss, alpha, s.log_probs, s.targets, lengths}, 2, 5))
        return kt_error_status();
    return kt__end_several(call, (kt_tensor *[]){loss, alpha}, 2);
}

enum { B_GRAD, B_LOG_PROBS, B_TARGETS, B_INPUTS, B_LENGTHS, B_LOSS, B_ALPHA, B_BLANK, B_FORGIVES };

kt_status kt__body_ctc_loss_backward(kt_call *call)
{
    KT_SCOPE;
    kt__decision room;
    kt_tensor   *log_probs = call->arg[B_LOG_PROBS].t, *loss = call->arg[B_LOSS].t, *alpha = call->arg[B_ALPHA].t;
    kt_tensor   *grad = call->arg[B_GRAD].t;
    samples      s = {.inputs = kt__arg_ints(call, B_INPUTS), .lengths = kt__arg_ints(call, B_LENGTHS),
                      .blank = kt__arg_int(call, B_BLANK), .forgives = kt__arg_bool(call, B_FORGIVES)};
    if (check_dtype(call, log_probs, "ctc_loss_backward_cpu") || read_samples(call, &s, log_probs, call->arg[B_TARGETS].t) ||
        !kt__resolve_in_body(call, &room))
        return kt_error_status();
    if (grad->numel != s.batch || loss->numel != s.batch || alpha->numel != s.batch * s.steps * (2 * s.longest + 1) ||
        grad->dtype != log_probs->dtype || loss->dtype != log_probs->dtype || alpha->dtype != log_probs->dtype)
        return kt_fail(KT_ERR_RUNTIME, "_ctc_loss_backward takes what _ctc_loss gave, and a gradient for each sample");
    kt_tensor *out = new_like(log_probs, kt__sizes(log_probs)), *lengths = lengths_of(&s);
    loss = kt_contiguous(loss), alpha = kt_contiguous(alpha), grad = kt_contiguous(grad);
    if (!out || !lengths || !loss || !alpha || !grad ||
        launch(call, KT_K_ctc_loss_backward, &s, (kt_tensor *[]){out, s.log_probs, s.targets, lengths, loss, alpha, grad}, 1, 7))
        return kt_error_status();
    return kt__end(call, out);
}

/* ---- lengths in tensors ---- */

typedef struct given_lengths {
    int64_t   *inputs, *targets;
    kt_tensor *from[2];
} given_lengths;

static kt_status read_lengths(const kt_call *call, given_lengths *l)
{
    static const char *const names[] = {"input_lengths", "target_lengths"};
    int64_t                **to[] = {&l->inputs, &l->targets};
    memset(l, 0, sizeof *l);
    for (int i = 0; i < 2; i++)
        if (kt__dtype_rows[call->arg[INPUT_LENGTHS + i].t->dtype].category != KT_CAT_INT)
            return kt__fail_dtype(call, KT_ERR_RUNTIME, "%s must be integral", names[i]);
    for (int i = 0; i < 2; i++) {
        l->from[i] = kt__converted_inside(call->arg[INPUT_LENGTHS + i].t, KT_I64, KT_WHY_INDEX);
        if (!l->from[i] || !(*to[i] = kt__read_ints(l->from[i])))
            return kt_error_status();
    }
    return KT_OK;
}

static void free_lengths(given_lengths *l)
{
    if (l->inputs)
        kt__free_ints(l->inputs, l->from[0]);
    if (l->targets)
        kt__free_ints(l->targets, l->from[1]);
}

kt_status kt__body_ctc_loss_of_tensor(kt_call *call)
{
    KT_SCOPE;
    given_lengths          l;
    kt_ctc_loss_of_results r = {0};
    if (!read_lengths(call, &l))
        r = kt_ctc_loss_of(call->arg[LOG_PROBS].t, call->arg[TARGETS].t, ((kt_shape){l.from[0]->numel, l.inputs}),
                           ((kt_shape){l.from[1]->numel, l.targets}), .blank = kt__arg_int(call, BLANK),
                           .zero_infinity = kt__arg_bool(call, BLANK + 1));
    free_lengths(&l);
    return r.log_alpha ? kt__end_several(call, (kt_tensor *[]){r.neg_log_likelihood, r.log_alpha}, 2) : kt_error_status();
}

/* ---- reduced ---- */

enum { NONE, MEAN, SUM };

static kt_tensor *mean_over(kt_tensor *loss, kt_shape lengths)
{
    kt_tensor *t = loss ? kt__scoped(kt__tensor_new(KT_I64, kt__device(loss), KT_SHAPE(lengths.n))) : NULL;
    if (!t || kt__fill_from(t, lengths.d))
        return NULL;
    kt_tensor *least = kt_clamp_min_s(t, KT_INT(1));
    return kt_mean(kt_true_divide(loss, kt__converted_inside(least, (kt_dtype)loss->dtype, KT_WHY_PROMOTION)));
}

static kt_tensor *reduced(const kt_call *call, kt_shape inputs, kt_shape lengths, int64_t reduction)
{
    kt_tensor *log_probs = call->arg[LOG_PROBS].t, *targets = call->arg[TARGETS].t;
    const bool single = log_probs->ndim != 3, forgives = kt__arg_bool(call, BLANK + 2);
    if (targets->dtype != KT_I32)
        targets = kt__converted_inside(targets, KT_I64, KT_WHY_INDEX);
    if (single)
        log_probs = kt_unsqueeze(log_probs, 1);
    const int64_t blank = kt__arg_int(call, BLANK);
    kt_tensor    *loss = kt_ctc_loss_of(log_probs, targets, inputs, lengths, .blank = blank, .zero_infinity = forgives)
                          .neg_log_likelihood;
    if (loss && forgives)
        loss = kt_where_s(kt_ne_s(loss, KT_FLOAT(INFINITY)), loss, KT_INT(0));
    if (reduction == MEAN)
        return mean_over(loss, lengths);
    if (reduction == SUM)
        return kt_sum(loss);
    return single ? kt_squeeze_dim(loss, KT_SHAPE(0)) : loss;
}

static kt_status end_reduced(kt_call *call, int64_t reduction)
{
    KT_SCOPE;
    return kt__end(call, reduced(call, kt__arg_ints(call, INPUT_LENGTHS), kt__arg_ints(call, TARGET_LENGTHS), reduction));
}

static kt_status end_reduced_tensor(kt_call *call, int64_t reduction)
{
    KT_SCOPE;
    given_lengths l;
    kt_tensor *loss = NULL;
    if (!read_lengths(call, &l))
        loss = reduced(call, (kt_shape){l.from[0]->numel, l.inputs}, (kt_shape){l.from[1]->numel, l.targets}, reduction);
    free_lengths(&l);
    return kt__end(call, loss);
}

static kt_status reduction_named(const kt_call *call, int64_t *reduction)
{
    static const char *const words[] = {[NONE] = "none", [MEAN] = "mean", [SUM] = "sum"};
    const char              *word = kt__arg(call, BLANK + 1)->str;
    for (*reduction = NONE; *reduction <= SUM; ++*reduction)
        if (strcmp(word, words[*reduction]) == 0)
            return KT_OK;
    return kt_fail(KT_ERR_VALUE, "%s is not a valid value for reduction", word);
}

kt_status kt__body_ctc_loss(kt_call *call) { return end_reduced(call, kt__arg_int(call, BLANK + 1)); }
kt_status kt__body_ctc_loss_tensor(kt_call *call) { return end_reduced_tensor(call, kt__arg_int(call, BLANK + 1)); }

kt_status kt__body_nn_ctc_loss(kt_call *call)
{
    int64_t reduction;
    return reduction_named(call, &reduction) ? kt_error_status() : end_reduced(call, reduction);
}

kt_status kt__body_nn_ctc_loss_tensor(kt_call *call)
{
    int64_t reduction;
    return reduction_named(call, &reduction) ? kt_error_status() : end_reduced_tensor(call, reduction);
}
