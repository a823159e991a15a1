/* attention.c - scaled_dot_product_attention and PyTorch's names of its two ways. In: calls of the rows of
 * tables/ops/attention.def. Out: the kernel's results where it can run, else products and a softmax, on the tape. */
#include <karat/attention.h>
#include <math.h>
#include <stdatomic.h>

#include "base/warn.h"
#include "call/move.h"
#include "call/refuse.h"
#include "ops/attention/attention.h"

enum { LEAST = 2, DIMS = 4 };

double kt__scale_of(const kt_call *call, int at, const kt_tensor *query)
{
    return kt__given(call, at) ? call->arg[at].f : 1 / sqrt((double)query->sizes[query->ndim - 1]);
}

void kt__attend(const kt__attended *a, kt_tensor **results)
{
    enum { QUERY, KEY, VALUE, MASK, CAUSAL, SCALE, DRAWS, DROPOUT, PRODUCT_DIMS };
    kt_call    c;
    kt_tensor *draws = a->dropout > 0 ? kt_attention_draws(a->query, a->key) : NULL;
    kt__open(&c, KT_OP_attention, KT_PLAIN);
    kt__put_tensor(&c, QUERY, a->query);
    kt__put_tensor(&c, KEY, a->key);
    kt__put_tensor(&c, VALUE, a->value);
    kt__put_tensors(&c, MASK, &a->mask, a->mask ? 1 : 0);
    kt__put(&c, CAUSAL, b, a->causal);
    kt__put(&c, SCALE, f, a->scale);
    kt__put_tensors(&c, DRAWS, &draws, draws ? 1 : 0);
    kt__put(&c, DROPOUT, f, a->dropout);
    kt__put(&c, PRODUCT_DIMS, i, a->product_dims);
    kt__close_several(&c, results, 2);
}

/* The result is no view, as that of the last product would not be. */
static void attend_folded(kt__folded *f, kt_tensor **results)
{
    f->four.product_dims = f->n;
    kt__attend(&f->four, results);
    if (results[0])
        results[0] = kt_unsafe_view(results[0], ((kt_shape){f->n, f->sizes}));
}

/* ---- made of products ---- */

static bool is_half(const kt_tensor *t) { return t->dtype == KT_F16 || t->dtype == KT_BF16; }

/* 0 where a query sees a key, else -inf. */
static kt_tensor *as_scores(kt_tensor *mask, kt_dtype dtype)
{
    kt_tensor *zeros = kt_zeros(kt__sizes(mask), .dtype = dtype, .device = kt_device_of(mask));
    return kt_masked_fill(zeros, kt_logical_not(mask), KT_FLOAT(-INFINITY));
}

/* Each head of key and value as often as the queries have it. */
static kt_tensor *repeated(kt_tensor *t, const kt_tensor *query)
{
    int64_t dim = -3;
    if (!t || kt__wrap_dim(&dim, t->ndim) || (dim = -3, kt__wrap_dim(&dim, query->ndim)))
        return NULL;
    const int64_t heads = query->sizes[query->ndim - 3], have = t->sizes[t->ndim - 3];
    if (heads != have && (have == 0 || heads % have)) {
        kt_fail(KT_ERR_RUNTIME, "Number of heads in key and value must divide the number of heads in ");
        return NULL;
    }
    return heads == have ? t : kt_repeat_interleave_int(t, heads / have, .dim = KT_SOME(-3));
}

void kt__attend_by_parts(const kt__attended *a, kt_tensor *dropout_mask, kt_tensor **results)
{
    const kt_dtype given = (kt_dtype)a->query->dtype, dtype = is_half(a->query) ? KT_F32 : given;
    const double   root = sqrt(fabs(a->scale));
    kt_tensor     *mask = a->mask;
    results[0] = results[1] = NULL;
    if (mask && a->causal) {
        kt_fail(KT_ERR_RUNTIME, "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
        return;
    }
    kt_tensor *query = a->query, *key = a->key, *value = a->value;
    if (dtype != given) {
        query = kt__converted_inside(query, dtype, KT_WHY_PROMOTION);
        key = kt__converted_inside(key, dtype, KT_WHY_PROMOTION);
        value = kt__converted_inside(value, dtype, KT_WHY_PROMOTION);
    }
    if (!query || !key || !value)
        return;
    if (mask && mask->dtype == KT_BOOL)
        mask = as_scores(mask, dtype);
    query = kt_mul_s(query, KT_FLOAT(a->scale < 0 ? -root : root)); /* integers become floats */
    if (a->causal && query) {
        const int64_t sizes[] = {query->sizes[query->ndim - 2], key->sizes[key->ndim - 2]};
        mask = as_scores(kt_tril(kt_ones(((kt_shape){2, sizes}), .dtype = KT_BOOL, .device = kt_device_of(query))),
                         (kt_dtype)query->dtype);
    }
    if (!query)
        return;
    if (a->grouped)
        key = repeated(key, query), value = repeated(value, query);
    kt_tensor *scores = kt_matmul(query, kt_mul_s(kt_transpose(key, -2, -1), KT_FLOAT(root)));
    if (mask)
        scores = kt_add_(scores, mask);
    kt_tensor *weights = kt_safe_softmax(scores, -1), *kept = weights;
    if (a->dropout > 0 && dropout_mask) {
        kt__warn("Dropout mask should only be used for testing purposes.");
        kept = kt_masked_fill(weights, kt_logical_not(dropout_mask), KT_FLOAT(0));
        value = kt_mul_s(value, KT_FLOAT(1 / (1 - a->dropout)));
    } else if (a->dropout > 0) {
        kept = weights = kt_dropout(weights, a->dropout, true);
    }
    results[0] = kt__converted_inside(kt_matmul(kept, value), given, KT_WHY_RESULT);
    results[1] = weights;
}

/* ---- the names ---- */

kt_status kt__body_attention_math(kt_call *call)
{
    enum { QUERY, KEY, VALUE, MASK, DROPOUT, CAUSAL, DROPOUT_MASK, SCALE, GROUPED };
    KT_SCOPE;
    kt_tensor   *query = call->arg[QUERY].t, *results[2];
    kt__attended a = {.query = query, .key = call->arg[KEY].t, .value = call->arg[VALUE].t, .dropout = kt__arg(call, DROPOUT)->f,
                      .mask = kt__given(call, MASK) ? call->arg[MASK].t : NULL, .causal = kt__arg_bool(call, CAUSAL),
                      .grouped = kt__arg_bool(call, GROUPED)};
    if (query->ndim < LEAST || a.key->ndim < LEAST || a.value->ndim < LEAST)
        return kt_fail(KT_ERR_INDEX, "Dimension out of range (expected to be in range of [-1, 0], but got -2)");
    a.scale = kt__scale_of(call, SCALE, query);
    kt__attend_by_parts(&a, kt__given(call, DROPOUT_MASK) ? call->arg[DROPOUT_MASK].t : NULL, results);
    return results[0] ? kt__end_several(call, results, 2) : kt_error_status();
}

kt_status kt__body_flash_attention(kt_call *call)
{
    enum { QUERY, KEY, VALUE, DROPOUT, CAUSAL, MASK, SCALE };
#define FLASH "scaled_dot_product_attention_flash_attention: "
    KT_SCOPE;
    kt_tensor   *query = call->arg[QUERY].t, *key = call->arg[KEY].t, *value = call->arg[VALUE].t, *results[2];
    kt_tensor   *mask = kt__given(call, MASK) ? call->arg[MASK].t : NULL;
    kt__attended a = {.query = query, .key = key, .value = value, .mask = mask, .causal = kt__arg_bool(call, CAUSAL),
                      .grouped = true};
    if (!kt__is_attended_dtype(query))
        return kt_fail(KT_ERR_RUNTIME, FLASH "Expected data type in FP32, FP64, BF16, FP16, but got %s instead.",
                       kt_dtype_torch_name((kt_dtype)query->dtype));
    if (query->ndim != DIMS || key->ndim != DIMS || value->ndim != DIMS)
        return kt_fail(KT_ERR_RUNTIME, FLASH "Accept only 4 dims inputs shape of {B, H, T, K}");
    if (kt__arg(call, DROPOUT)->f != 0)
        return kt_fail(KT_ERR_RUNTIME, FLASH "Currently do not support dropout > 0");
    if (query->sizes[3] != key->sizes[3] || query->sizes[3] != value->sizes[3])
        return kt_fail(KT_ERR_RUNTIME, FLASH "Q/K/V should have the same head size");
    if (mask && mask->dtype != query->dtype && mask->dtype != KT_F32)
        return kt_fail(KT_ERR_RUNTIME, FLASH "Attention mask is the same data type as query");
    if (mask && mask->ndim != 2 && mask->ndim != DIMS)
        return kt_fail(KT_ERR_RUNTIME, FLASH "Attention mask dim in {2, 4}");
#undef FLASH
    a.scale = kt__scale_of(call, SCALE, query);
    kt__attend(&a, results);
    return results[0] ? kt__end_several(call, (kt_tensor *[]){results[0], kt_detach(results[1])}, 2) : kt_error_status();
}

/* ---- the choice ---- */

static atomic_uint forbidden; /* bits of kt_attention_way */

void kt_allow_attention(kt_attention_way way, bool allowed)
{
    const unsigned bit = (unsigned)way < 32 ? 1u << way : 0;
    if (allowed)
        atomic_fetch_and(&forbidden, ~bit);
    else
        atomic_fetch_or(&forbidden, bit);
}

bool kt_attention_allowed(kt_attention_way way)
{
    return (unsigned)way < 32 && !(atomic_load(&forbidden) >> way & 1);
}

/* PyTorch has the kernel for it, and records one node. */
static bool is_pytorchs_kernels(const kt__attended *a)
{
    return a->dropout == 0 && kt__attention_fits(a) && kt__attention_is_dense(a->query, a->key, a->value) &&
           !(a->mask && a->mask->flags & KT_T_FOLLOWED);
}

/* Are a head's scores more than a tile? Below that the parts are faster, and hold little. */
static bool are_many(const kt__attended *a)
{
    enum { TILE = 64 * 64 };
    return a->query->sizes[a->query->ndim - 2] * a->key->sizes[a->key->ndim - 2] > TILE;
}

/* Our kernel runs wherever it can, so that no matrix of scores is held: it reads any strides, and values of another width. With
 * dropout it need not keep what was drawn; the numbers are those of dropout of the whole matrix. On the tape the formula has a
 * second derivative where PyTorch's has one, and a mask its gradient. A device that has not all of the kernels records what
 * PyTorch
 * records; for one that has, few scores are no reason to launch more. */
static bool serves(const kt_call *call, const kt__attended *a, kt__folded *f)
{
    const bool nothing = a->dropout == 0 && !kt__input_flags(call), whole = kt__attention_is_whole(a->query);
    return (nothing || whole || a->query->backend == KT_CPU) && a->dropout < 1 && !(a->mask && a->causal) &&
           (whole || are_many(a)) && kt__attention_folded(a, f) && kt__attention_takes(&f->four);
}

/* A device other than the CPU has PyTorch's three kernels, which are one of ours. */
static bool is_kernel_allowed(const kt_tensor *query)
{
    return kt_attention_allowed(KT_ATTENTION_FLASH) ||
           (query->backend != KT_CPU &&
                   (kt_attention_allowed(KT_ATTENTION_EFFICIENT) || kt_attention_allowed(KT_ATTENTION_CUDNN)));
}

static kt_status check_any_way(bool math, bool kernel, bool theirs)
{
    if (!math && !kernel)
        return kt_fail(KT_ERR_RUNTIME, "No viable backend for scaled_dot_product_attention was found. This is likely due to "
                       "turning off both the math kernel and the fused kernels.");
    return math || theirs ? KT_OK : kt_fail(KT_ERR_RUNTIME, "No available kernel.  Aborting execution.");
}

typedef enum { THEIRS, OURS, PARTS } way_of; /* PyTorch's kernel; ours, folded; products and a softmax */

static kt_status choose(const kt_call *call, const kt__attended *a, kt__folded *f, way_of *way)
{
    const bool math = kt_attention_allowed(KT_ATTENTION_MATH), kernel = is_kernel_allowed(a->query);
    const uint32_t flags = kt__input_flags(call) | kt__all_grad_flags(a->query) | kt__all_grad_flags(a->key) |
                           kt__all_grad_flags(a->value);
    const bool dual = kt__are_dual(flags); /* the kernels have no second derivative, and so no tangent */
    const bool theirs = kernel && !dual && is_pytorchs_kernels(a) && kt__attention_takes(a);
    if (check_any_way(math, kernel, theirs))
        return kt_error_status();
    *way = theirs ? THEIRS : kernel && !dual && serves(call, a, f) ? OURS : PARTS;
    return kt__failed() ? kt_error_status() : KT_OK;
}

static kt_status check_operands(const kt_call *call, const kt_tensor *q, const kt_tensor *k, const kt_tensor *v)
{
    char room[3][32];
    if (q->backend != k->backend || q->backend != v->backend)
        return kt_fail(KT_ERR_RUNTIME, "Expected query, key, and value to have the same device type, but got query.device: %s "
                       "key.device: %s and value.device: %s instead.", kt__device_text(q, room[0], sizeof room[0]),
                       kt__device_text(k, room[1], sizeof room[1]), kt__device_text(v, room[2], sizeof room[2]));
    if (q->ndim < LEAST || k->ndim < LEAST || v->ndim < LEAST)
        return kt_fail(KT_ERR_RUNTIME, "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: %d "
                       "key.dim: %d and value.dim: %d instead.", q->ndim, k->ndim, v->ndim);
    return kt__refuse(call, STAGE_AFTER);
}

/* Policy permissive brings operands to one dtype. */
static bool promote(kt__attended *a)
{
    kt_dtype common = kt_promote_types((kt_dtype)a->query->dtype, (kt_dtype)a->key->dtype);
    common = kt_promote_types(common, (kt_dtype)a->value->dtype);
    a->query = kt__converted(a->query, common, KT_WHY_PROMOTION);
    a->key = kt__converted(a->key, common, KT_WHY_PROMOTION);
    a->value = kt__converted(a->value, common, KT_WHY_PROMOTION);
    if (a->mask && a->query && a->mask->dtype != KT_BOOL && a->mask->dtype != KT_F32)
        a->mask = kt__converted(a->mask, common, KT_WHY_PROMOTION);
    return a->query && a->key && a->value;
}

static bool are_alike(const kt__attended *a)
{
    const kt_tensor *q = a->query, *k = a->key, *v = a->value;
    bool             alike = q->ndim == DIMS && k->ndim == DIMS && v->ndim == DIMS && k->sizes[1] == v->sizes[1];
    if (alike && a->grouped)
        alike = k->sizes[1] && q->sizes[1] % k->sizes[1] == 0;
    for (int i = 0; i < (a->grouped ? 1 : 2) && alike; i++)
        alike = q->sizes[i] == k->sizes[i] && q->sizes[i] == v->sizes[i];
    return alike;
}

/* A mask of less than two dims, and a probability that is no number or below 0, are refused by PyTorch's kernel alone, here on
 * every device: where it would not run, the mask is broadcast and nothing is dropped. */
static kt_status only_parts_take(kt__attended *a)
{
    const bool   few = a->mask && a->mask->ndim < LEAST, no_share = !(a->dropout >= 0);
    const bool   recorded = a->mask && a->mask->flags & KT_T_FOLLOWED;
    kt__attended plain = *a;
    plain.dropout = no_share ? 0 : a->dropout;
    plain.mask = NULL;
    /* a mask is looked at before it is known that the kernel takes the other sizes */
    const bool asked = !recorded && is_kernel_allowed(a->query), whole = asked && plain.dropout == 0 && are_alike(a);
    const bool theirs = asked && no_share && is_pytorchs_kernels(&plain);
    if (whole && few && a->mask->ndim)
        return kt_fail(KT_ERR_INDEX, "Dimension out of range (expected to be in range of [-1, 0], but got -2)");
    if (whole && few)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as -2 but tensor has no dimensions");
    if (theirs)
        return kt_fail(KT_ERR_RUNTIME, "scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0");
    a->dropout = plain.dropout;
    while (few && a->mask && a->mask->ndim < LEAST)
        a->mask = kt_unsqueeze(a->mask, 0);
    return kt__failed() ? kt_error_status() : KT_OK;
}

kt_status kt__body_scaled_dot_product_attention(kt_call *call)
{
    enum { QUERY, KEY, VALUE, MASK, DROPOUT, CAUSAL, SCALE, GROUPED };
    KT_SCOPE;
    way_of       way = PARTS;
    kt__folded   folded;
    kt_tensor   *results[2];
    kt__attended a = {.query = call->arg[QUERY].t, .key = call->arg[KEY].t, .value = call->arg[VALUE].t,
                          .mask = kt__given(call, MASK) ? call->arg[MASK].t : NULL, .dropout = kt__arg(call, DROPOUT)->f,
                          .causal = kt__arg_bool(call, CAUSAL), .grouped = kt__arg_bool(call, GROUPED)};
    if (check_operands(call, a.query, a.key, a.value) || !promote(&a))
        return kt_error_status();
    if (only_parts_take(&a))
        return kt_error_status();
    a.scale = kt__scale_of(call, SCALE, a.query);
    if (choose(call, &a, &folded, &way))
        return kt_error_status();
    if (way == THEIRS)
        kt__attend(&a, results);
    else if (way == OURS)
        attend_folded(&folded, results);
    else
        kt__attend_by_parts(&a, NULL, results);
    return results[0] ? kt__end(call, results[0]) : kt_error_status();
}

kt_status kt__body_fused_sdp_choice(kt_call *call)
{
    enum { QUERY, KEY, VALUE, MASK, DROPOUT, CAUSAL, SCALE, GROUPED };
    KT_SCOPE;
    const double dropout = kt__arg(call, DROPOUT)->f;
    kt__attended a = {.query = call->arg[QUERY].t, .key = call->arg[KEY].t, .value = call->arg[VALUE].t,
                      .mask = kt__given(call, MASK) ? call->arg[MASK].t : NULL, .dropout = dropout > 0 ? dropout : 0,
                      .causal = kt__arg_bool(call, CAUSAL), .grouped = kt__arg_bool(call, GROUPED)};
    const bool   math = kt_attention_allowed(KT_ATTENTION_MATH), kernel = is_kernel_allowed(a.query);
    if (only_parts_take(&a) || check_any_way(math, kernel, kernel && is_pytorchs_kernels(&a)))
        return kt_error_status();
    const kt_attention_way way = kernel && is_pytorchs_kernels(&a) ? KT_ATTENTION_FLASH : KT_ATTENTION_MATH;
    return kt__end(call, kt_full(KT_SCALAR, KT_INT(way), .dtype = KT_I64, .device = kt__device(a.query)));
}

kt_status kt__body_safe_softmax(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *self = call->arg[0].t;
    const int64_t dim = kt__arg_int(call, 1);
    kt_tensor    *made = kt__given(call, 2) ? kt_softmax(self, dim, .dtype = kt__arg_dtype(call, 2)) : kt_softmax(self, dim);
    if (!made)
        return kt_error_status();
    kt_tensor *seen = kt_any_dim(kt_ne_s(self, KT_FLOAT(-INFINITY)), dim, .keepdim = true);
    return kt__end(call, kt_where_s(seen, made, KT_INT(0)));
}
