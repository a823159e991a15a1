/* attention.c - the derivatives of attention against central differences in float64, of both ways: the kernel, which has first
 * ones, and products with a softmax, which have second ones too; the names that PyTorch gives their nodes. */
#include "harness.h"

#include <karat/karat.h>
#include <string.h>

#include "support/by_name.h"
#include "support/differences.h"

F(plain, kt_scaled_dot_product_attention(x[0], x[1], x[2]))
F(causal, kt_scaled_dot_product_attention(x[0], x[1], x[2], .is_causal = true, .scale = KT_SOME(0.7)))
F(grouped, kt_scaled_dot_product_attention(x[0], x[1], x[2], .enable_gqa = true))
F(masked, kt_scaled_dot_product_attention(x[0], x[1], x[1], .attn_mask = x[2]))

static const problem problems[] = {
    {"attention", plain, 3, {KT_SHAPE(1, 2, 3, 4), KT_SHAPE(1, 2, 5, 4), KT_SHAPE(1, 2, 5, 4)}, -1, 1},
    {"causal", causal, 3, {KT_SHAPE(1, 1, 4, 2), KT_SHAPE(1, 1, 3, 2), KT_SHAPE(1, 1, 3, 2)}, -1, 1},
    {"grouped", grouped, 3, {KT_SHAPE(1, 4, 2, 3), KT_SHAPE(1, 2, 3, 3), KT_SHAPE(1, 2, 3, 3)}, -1, 1},
    {"of three dims", plain, 3, {KT_SHAPE(2, 3, 2), KT_SHAPE(2, 4, 2), KT_SHAPE(2, 4, 3)}, -1, 1},
    {"causal, of two dims", causal, 3, {KT_SHAPE(3, 2), KT_SHAPE(3, 2), KT_SHAPE(3, 2)}, -1, 1},
    {"a mask's gradient", masked, 3, {KT_SHAPE(1, 1, 2, 2), KT_SHAPE(1, 1, 3, 2), KT_SHAPE(2, 3)}, -1, 1},
};
enum { N = sizeof problems / sizeof *problems };

TEST(first_derivatives)
{
    for (int i = 0; i < N; i++)
        check(&problems[i]);
}

TEST(nodes_are_named_as_in_pytorch)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(1, 2, 4, 4), .requires_grad = true), *mask = kt_ones(KT_SHAPE(4, 4), .requires_grad = true);
    CHECK_STR(kt_grad_fn_name(kt_scaled_dot_product_attention(x, x, x)), "ScaledDotProductFlashAttentionForCpuBackward0");
    CHECK_STR(kt_grad_fn_name(kt_scaled_dot_product_attention(x, x, x, .attn_mask = mask)), "UnsafeViewBackward0");
    CHECK_STR(kt_grad_fn_name(kt_safe_softmax(x, -1)), "SafeSoftmaxBackward0");
}
