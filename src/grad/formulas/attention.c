/* attention.c - the derivatives of attention. */
#include <math.h>

#include "ops/attention/attention.h"

#include "grad/formula.h"

/* attention(query, key, value, attn_mask, is_causal, scale, draws, dropout_p, product_dims) */
enum { MASK = 3, CAUSAL, SCALE, DRAWS, DROPOUT, PRODUCT_DIMS };

static kt_tensor *mask_of(const kt_back *c) { return arg(c, MASK)->ts.n ? L(0) : NULL; }
static kt_tensor *draws_of(const kt_back *c) { return L(arg(c, MASK)->ts.n); }

/* Each head of the keys as often as the queries have it; and the sum over those. */
static kt_tensor *repeated(kt_tensor *t, int64_t times)
{
    return times == 1 ? t : kt_repeat_interleave_int(t, times, .dim = KT_SOME(1));
}
static kt_tensor *gathered(kt_tensor *t, int64_t times)
{
    return times == 1 ? t : kt_sum_dim(kt_unflatten(t, 1, KT_SHAPE(-1, times)), KT_SHAPE(2));
}

/* Where the gradient is to have one: PyTorch's attention is made of operators then, and so is its gradient here. */
static void by_parts(const kt_back *c)
{
    const double p = arg(c, DROPOUT)->f;
    kt_tensor   *q = A, *k = B, *v = C, *mask = mask_of(c), *kept = p > 0 ? kt_attention_kept(draws_of(c), q, k, p) : NULL;
    if (!q || !k || !v || kt__failed())
        return;
    const int64_t   times = q->sizes[1] / k->sizes[1];
    const kt_dtype  given_as = (kt_dtype)q->dtype, wide = given_as == KT_F64 ? KT_F64 : KT_F32;
    const kt_scalar scale = KT_FLOAT(arg(c, SCALE)->f), share = KT_FLOAT(1 / (1 - p));
    kt_tensor      *g = kt__converted_inside(G, wide, KT_WHY_GRADIENT), *y = kt__converted_inside(q, wide, KT_WHY_GRADIENT);
    kt_tensor      *x = repeated(kt__converted_inside(k, wide, KT_WHY_GRADIENT), times);
    kt_tensor      *z = repeated(kt__converted_inside(v, wide, KT_WHY_GRADIENT), times);
    kt_tensor      *scores = kt_mul_s(kt_matmul(y, kt_transpose(x, -2, -1)), scale);
    if (arg(c, CAUSAL)->b && scores) {
        kt_tensor *all = kt_ones(KT_SHAPE(q->sizes[2], k->sizes[2]), .dtype = KT_BOOL, .device = kt_device_of(q));
        scores = kt_masked_fill(scores, kt_logical_not(kt_tril(all)), KT_FLOAT(-INFINITY));
    }
    if (mask)
        scores = mask->dtype != KT_BOOL ? kt_add(scores, mask)
                                        : kt_masked_fill(scores, kt_logical_not(mask), KT_FLOAT(-INFINITY));
    kt_tensor *weights = kt_safe_softmax(scores, -1), *slope = kt_matmul(g, kt_transpose(z, -2, -1)), *used = weights;
    if (kept) {
        kt_tensor *factor = kt_mul_s(kt__converted_inside(kept, wide, KT_WHY_GRADIENT), share);
        slope = kt_mul(slope, factor), used = kt_mul(weights, factor);
    }
    kt_tensor *of_scores = kt_softmax_backward_data(slope, weights, -1, wide), *back = kt_mul_s(of_scores, scale);
    if (mask && need(c, MASK))
        c->d[MASK] = of_scores;
    dA = kt_matmul(back, x);
    dB = gathered(kt_transpose(kt_matmul(kt_transpose(y, -2, -1), back), -2, -1), times);
    dC = gathered(kt_matmul(kt_transpose(used, -2, -1), g), times);
}

/* The tiles of scores are computed again, and what was dropped is drawn again. */
GRAD(attention)
{
    if (!G)
        return;
    const double p = arg(c, DROPOUT)->f, scale = arg(c, SCALE)->f;
    kt_tensor   *mask = mask_of(c);
    const int64_t product_dims = arg(c, PRODUCT_DIMS)->i;
    if (product_dims && goes_on(c)) {
        by_parts(c);
    } else if (product_dims) {
        kt_tensor *draws = p > 0 ? draws_of(c) : NULL;
        if (mask && need(c, MASK))
            c->d[MASK] = kt_attention_mask_backward(G, A, B, C, Y, Z, mask, arg(c, CAUSAL)->b, scale, &draws, draws ? 1 : 0, p);
        const kt_attention_backward_results d =
            kt_attention_backward(G, A, B, C, Y, Z, &mask, mask ? 1 : 0, arg(c, CAUSAL)->b, scale, &draws, draws ? 1 : 0, p,
                                  product_dims);
        dA = d.grad_query;
        dB = d.grad_key;
        dC = d.grad_value;
    } else {
        const kt_flash_attention_backward_results d = kt_flash_attention_backward(
            G, A, B, C, Y, Z, 0, arg(c, CAUSAL)->b, .attn_mask = mask, .scale = KT_SOME(scale));
        dA = d.grad_query;
        dB = d.grad_key;
        dC = d.grad_value;
    }
}

/* The slope of a row of zeros is zero. */
GRAD(safe_softmax) { dA = kt_softmax_backward_data(G, Y, arg(c, 1)->i, in_dtype(c, 0, G)); }
