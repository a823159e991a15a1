/* attention.c - attention against sums written out here: tiles and their edges, masks of every kind, causal, grouped heads,
 * strides, dtypes, forward and back; the same bits on any number of threads; refusals in PyTorch's words. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/by_name.h"

enum { MOST = 1 << 17 };

typedef struct problem {
    int64_t  batch, heads, group, queries, keys, depth, width; /* heads: of the keys */
    kt_dtype dtype;
    bool     causal, turned; /* turned: [batch, length, head, dim] in memory */
    int      mask;           /* 0: none; bool of two dims, numbers of four, bool of keys alone */
} problem;

static kt_tensor *operand(const problem *p, int64_t heads, int64_t length, int64_t dim)
{
    kt_tensor *t = p->turned ? kt_transpose(kt_randn(KT_SHAPE(p->batch, length, heads, dim)), 1, 2)
                             : kt_randn(KT_SHAPE(p->batch, heads, length, dim));
    return kt_to(t, .dtype = p->dtype);
}

static kt_tensor *mask_of(const problem *p)
{
    kt_tensor *first = kt_eq_s(kt_arange(KT_INT(0), KT_INT(p->keys)), KT_INT(0)); /* each query sees one key */
    switch (p->mask) {
    case 1:  return kt_logical_or(kt_gt_s(kt_rand(KT_SHAPE(p->queries, p->keys)), KT_FLOAT(0.4)), first);
    case 2:  return kt_to(kt_randn(KT_SHAPE(p->batch, 1, p->queries, p->keys)), .dtype = p->dtype);
    case 3:  return kt_logical_or(kt_gt_s(kt_rand(KT_SHAPE(p->batch, 1, 1, p->keys)), KT_FLOAT(0.4)), first);
    default: return NULL;
    }
}

static double *read_all(const kt_tensor *t)
{
    KT_SCOPE;
    kt_tensor *wide = kt_contiguous(kt_to(t, .dtype = KT_F64));
    double    *to = calloc((size_t)kt_numel(wide) + 1, sizeof *to);
    CHECK(to && kt_read(wide, to, sizeof *to * (size_t)kt_numel(wide)) == KT_OK);
    return to;
}

typedef struct numbers { /* of all operands and results, row-major */
    double *q, *k, *v, *mask, *g, *out, *dq, *dk, *dv;
} numbers;

/* One query's probabilities, from its scores. */
static void probabilities(const problem *p, const numbers *n, int64_t b, int64_t h, int64_t i, double scale, double *prob)
{
    const double *q = n->q + ((b * p->heads * p->group + h) * p->queries + i) * p->depth;
    double        most = -INFINITY, sum = 0;
    for (int64_t j = 0; j < p->keys; j++) {
        const double *k = n->k + ((b * p->heads + h / p->group) * p->keys + j) * p->depth;
        double        s = 0;
        for (int64_t d = 0; d < p->depth; d++)
            s += q[d] * k[d];
        s *= scale;
        if (p->mask == 2)
            s += n->mask[(b * p->queries + i) * p->keys + j];
        else if (p->mask && !n->mask[(p->mask == 1 ? i : b) * p->keys + j])
            s = -INFINITY;
        prob[j] = p->causal && j > i ? -INFINITY : s;
        most = prob[j] > most ? prob[j] : most;
    }
    for (int64_t j = 0; j < p->keys; j++)
        sum += prob[j] = exp(prob[j] - most);
    for (int64_t j = 0; j < p->keys; j++)
        prob[j] /= sum;
}

static void work_out(const problem *p, numbers *n, double scale)
{
    double *prob = calloc((size_t)p->keys, sizeof *prob), *back = calloc((size_t)p->keys, sizeof *back);
    for (int64_t at = 0; at < p->batch * p->heads * p->group * p->queries; at++) {
        const int64_t all = p->heads * p->group, i = at % p->queries, h = at / p->queries % all, b = at / p->queries / all;
        const int64_t shared = (b * p->heads + h / p->group) * p->keys;
        double        inner = 0;
        probabilities(p, n, b, h, i, scale, prob);
        for (int64_t j = 0; j < p->keys; j++) {
            back[j] = 0;
            for (int64_t d = 0; d < p->width; d++) {
                n->out[at * p->width + d] += prob[j] * n->v[(shared + j) * p->width + d];
                n->dv[(shared + j) * p->width + d] += prob[j] * n->g[at * p->width + d];
                back[j] += n->g[at * p->width + d] * n->v[(shared + j) * p->width + d];
            }
            inner += prob[j] * back[j];
        }
        for (int64_t j = 0; j < p->keys; j++)
            for (int64_t d = 0; d < p->depth; d++) {
                const double slope = prob[j] * (back[j] - inner) * scale;
                n->dq[at * p->depth + d] += slope * n->k[(shared + j) * p->depth + d];
                n->dk[(shared + j) * p->depth + d] += slope * n->q[at * p->depth + d];
            }
    }
    free(prob), free(back);
}

static void compare(const char *what, const problem *p, const kt_tensor *got, double *want, double slack)
{
    if (!CHECK_MSG(got && !kt_failed(), "%s: %s", what, kt_error()))
        return;
    double       *is = read_all(got), most = 1e-3;
    const int64_t n = kt_numel(got);
    for (int64_t i = 0; i < n; i++)
        most = fabs(want[i]) > most ? fabs(want[i]) : most;
    for (int64_t i = 0; i < n; i++)
        if (!CHECK_MSG(fabs(is[i] - want[i]) <= slack * most, "%s of %s, %d queries, %d keys: element %d is %g, not %g", what,
                       kt_dtype_name(p->dtype), (int)p->queries, (int)p->keys, (int)i, is[i], want[i]))
            break;
    free(is);
}

static void try_problem(const problem *p)
{
    KT_SCOPE;
    const double slack = p->dtype == KT_BF16 ? 3e-2 : p->dtype == KT_F16 ? 4e-3 : p->dtype == KT_F32 ? 2e-5 : 1e-12;
    kt_tensor   *q = operand(p, p->heads * p->group, p->queries, p->depth), *k = operand(p, p->heads, p->keys, p->depth);
    kt_tensor   *v = operand(p, p->heads, p->keys, p->width), *g = operand(p, p->heads * p->group, p->queries, p->width);
    kt_tensor   *mask = mask_of(p);
    const double scale = 0.3;
    const kt_attention_results made = kt_attention(q, k, v, &mask, mask ? 1 : 0, p->causal, scale, NULL, 0, 0, 0);
    if (!CHECK_MSG(made.output && !kt_failed(), "%s", kt_error())) {
        kt_clear();
        return;
    }
    const kt_flash_attention_backward_results back = kt_flash_attention_backward(
        g, q, k, v, made.output, made.logsumexp, 0, p->causal, .attn_mask = mask, .scale = KT_SOME(scale));
    numbers n = {.q = read_all(q), .k = read_all(k), .v = read_all(v), .g = read_all(g), .mask = mask ? read_all(mask) : NULL};
    n.out = calloc(MOST, sizeof(double)), n.dq = calloc(MOST, sizeof(double)), n.dk = calloc(MOST, sizeof(double));
    n.dv = calloc(MOST, sizeof(double));
    work_out(p, &n, scale);
    compare("the output", p, made.output, n.out, slack);
    compare("the gradient of query", p, back.grad_query, n.dq, slack * 2);
    compare("the gradient of key", p, back.grad_key, n.dk, slack * 2);
    compare("the gradient of value", p, back.grad_value, n.dv, slack * 2);
    double *all[] = {n.q, n.k, n.v, n.g, n.mask, n.out, n.dq, n.dk, n.dv};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

#define SIZES(...) {__VA_ARGS__, KT_F32, false, false, 0}

TEST(values_are_those_of_the_sums_written_out)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_F64, KT_BF16, KT_F16};
    static const problem  sizes[] = {SIZES(1, 1, 1, 1, 1, 1, 1), SIZES(2, 3, 1, 5, 7, 8, 8), SIZES(1, 2, 2, 70, 130, 33, 20),
                                     SIZES(1, 1, 3, 65, 64, 64, 64),
                                     SIZES(2, 2, 1, 9, 200, 16, 40), SIZES(1, 1, 1, 130, 70, 32, 32)};
    kt_manual_seed(3);
    for (int i = 0; i < 6 * 4 * 4 * 2; i++) {
        problem p = sizes[i % 6];
        p.dtype = dtypes[i / 6 % 4], p.mask = i / 24 % 4, p.causal = i / 96, p.turned = i % 5 == 1;
        try_problem(&p);
    }
}

/* A row that sees nothing is zero, and nothing flows back through it. */
TEST(queries_that_see_nothing)
{
    KT_SCOPE;
    kt_tensor *x = kt_randn(KT_SHAPE(1, 1, 3, 4), .requires_grad = true), *row = kt_arange(KT_INT(0), KT_INT(3));
    kt_tensor *mask = kt_unsqueeze(kt_ne_s(row, KT_INT(1)), 1);
    kt_tensor *y = kt_scaled_dot_product_attention(x, x, x, .attn_mask = kt_expand(mask, KT_SHAPE(3, 3)));
    CHECK(y && tensor_at(kt_abs(kt_sum(kt_select(y, 2, 1))), 0) == 0);
    CHECK(!kt_backward(kt_sum(y)) && !kt_failed());
    CHECK(tensor_at(kt_all(kt_isfinite(kt_grad(x))), 0) == 1);
}

static void try_threads(kt_dtype dtype)
{
    KT_SCOPE;
    const int  was = kt_get_num_threads();
    kt_tensor *q = kt_randn(KT_SHAPE(1, 3, 300, 24), .dtype = dtype), *k = kt_randn(KT_SHAPE(1, 3, 300, 24), .dtype = dtype);
    kt_tensor *first[5], *again[5];
    for (int turn = 0; turn < 2; turn++) {
        kt_tensor **to = turn ? again : first;
        kt_set_num_threads(turn ? 3 : 1);
        const kt_attention_results made = kt_attention(q, k, k, NULL, 0, true, 0.2, NULL, 0, 0, 0);
        const kt_flash_attention_backward_results back =
            kt_flash_attention_backward(q, q, k, k, made.output, made.logsumexp, 0, true, .scale = KT_SOME(0.2));
        to[0] = made.output, to[1] = made.logsumexp, to[2] = back.grad_query, to[3] = back.grad_key, to[4] = back.grad_value;
    }
    kt_set_num_threads(was);
    for (int i = 0; i < 5; i++)
        CHECK(first[i] && again[i] && tensor_at(kt_all(kt_eq(first[i], again[i])), 0) == 1);
}

TEST(the_number_of_threads_changes_no_bit)
{
    try_threads(KT_F32);
    try_threads(KT_BF16);
}

#define REFUSED(expression, text)                                                                 \
    do {                                                                                          \
        CHECK((expression) == NULL);                                                              \
        CHECK_MSG(strstr(kt_error(), text) != NULL, "\"%s\" is not in \"%s\"", text, kt_error()); \
        kt_clear();                                                                               \
    } while (0)

TEST(refusals_are_pytorchs)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(2, 4, 5, 8)), *few = kt_ones(KT_SHAPE(2, 3, 5, 8)), *flat = kt_ones(KT_SHAPE(8));
    REFUSED(kt_scaled_dot_product_attention(x, kt_to(x, .dtype = KT_F16), x),
            "Expected query, key, and value to have the same dtype, but got query.dtype: float key.dtype: c10::Half and "
            "value.dtype: float instead.");
    REFUSED(kt_scaled_dot_product_attention(flat, flat, flat),
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: 1 "
            "key.dim: 1 and value.dim: 1 instead.");
    REFUSED(kt_scaled_dot_product_attention(x, x, x, .attn_mask = kt_ones(KT_SHAPE(5, 5), .dtype = KT_F64)),
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: double and  "
            "query.dtype: float instead.");
    REFUSED(kt_scaled_dot_product_attention(x, few, few, .enable_gqa = true),
            "Number of heads in key and value must divide the number of heads in ");
    REFUSED(kt_scaled_dot_product_attention(x, few, few),
            "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 1");
    REFUSED(kt_scaled_dot_product_attention(kt_squeeze_dim(x, KT_SHAPE(0)), x, x, .dropout_p = 1.5),
            "dropout probability has to be between 0 and 1, but got 1.5");
    REFUSED(kt_attention(x, few, few, NULL, 0, false, 1, NULL, 0, 0, 0).output,
            "attention takes query, key and value of [batch, head, length, dim]");
    REFUSED(kt_flash_attention(flat, flat, flat).output, "Accept only 4 dims inputs shape of {B, H, T, K}");
}
