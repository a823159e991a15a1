/* autocast.c - the step of autocast in a call: classes on both columns, casts as nodes that are made once, what drops them, the
 * resolver's cache under it, and a dry run that stands for another device. Facts of PyTorch 2.11. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <pthread.h>
#include <string.h>

#include "call/autocast.h"
#include "support/by_name.h"

#define LIST(...) ((kt_tensor *[]){__VA_ARGS__})

static kt_tensor *matrix(kt_dtype dtype, bool leaf)
{
    return kt_full(KT_SHAPE(3, 3), KT_FLOAT(0.5), .dtype = dtype, .requires_grad = leaf);
}

/* What made input i of what made t, kept alive by t's graph. */
static const kt_node *input_of(const kt_tensor *t, int64_t i)
{
    kt_node *made = kt_grad_fn(t), *in = kt_node_input(made, i, NULL);
    kt_node_drop(made);
    kt_node_drop(in);
    return in;
}

#define IS_CAST(t, i) CHECK_STR(kt_node_name(input_of(t, i)), "ToCopyBackward0")

/* ---- casts are nodes, and of weights one ---- */

TEST(a_weight_is_cast_once)
{
    KT_SCOPE;
    kt_tensor *x = matrix(KT_F32, true), *w = matrix(KT_F32, true), *h = matrix(KT_BF16, true);
    kt_mode_guard on = kt_autocast_open(KT_CPU, KT_BF16);
    kt_tensor *a = kt_mm(x, w), *b = kt_mm(h, w);
    CHECK_EQ_INT(kt_dtype_of(a), KT_BF16);
    IS_CAST(a, 0);
    IS_CAST(a, 1);
    CHECK(input_of(a, 1) == input_of(b, 1));
    CHECK_STR(kt_node_name(input_of(b, 0)), "AccumulateGrad"); /* it is bfloat16 already */
    kt_tensor *v = kt_t(w);
    CHECK(input_of(kt_mm(h, v), 1) != input_of(kt_mm(h, v), 1)); /* a view is cast anew */
    {
        KT_AUTOCAST(KT_CPU, KT_F16); /* another dtype is another cast, which PyTorch mistakes for the first */
        kt_tensor *c = kt_mm(kt_to(h, .dtype = KT_F16), w);
        CHECK_EQ_INT(kt_dtype_of(c), KT_F16);
        CHECK(input_of(c, 1) != input_of(a, 1));
    }
    kt_tensor *d = kt_mm(h, w);
    CHECK(input_of(a, 1) == input_of(d, 1)); /* only the outermost scope clears */
    kt_autocast_close(&on);
    CHECK_EQ_INT(kt_dtype_of(kt_mm(x, w)), KT_F32);
    KT_AUTOCAST(KT_CPU, KT_BF16);
    CHECK(input_of(a, 1) != input_of(kt_mm(h, w), 1));
}

TEST(what_is_not_kept)
{
    KT_SCOPE;
    kt_tensor *w = matrix(KT_F32, true), *h = matrix(KT_BF16, false);
    KT_AUTOCAST(KT_CPU, KT_BF16);
    kt_set_autocast_cache_enabled(false);
    CHECK(input_of(kt_mm(h, w), 1) != input_of(kt_mm(h, w), 1));
    kt_set_autocast_cache_enabled(true);
    kt_tensor *a = kt_mm(h, w);
    CHECK(input_of(a, 1) == input_of(kt_mm(h, w), 1));
    kt_autocast_clear_cache();
    CHECK(input_of(a, 1) != input_of(kt_mm(h, w), 1));
    kt_tensor *result = kt_mul_s(w, KT_INT(2)); /* no leaf */
    CHECK(input_of(kt_mm(h, result), 1) != input_of(kt_mm(h, result), 1));
}

TEST(a_weight_that_changed_is_cast_anew)
{
    KT_SCOPE;
    kt_tensor *w = matrix(KT_F32, true), *one = kt_to(kt_eye(3), .dtype = KT_BF16), *data = NULL;
    KT_AUTOCAST(KT_CPU, KT_BF16);
    CHECK_NEAR(tensor_at(kt_mm(one, w), 0), 0.5, 0);
    {
        KT_NO_GRAD;
        kt_fill_s_(w, KT_FLOAT(2));
    }
    CHECK_NEAR(tensor_at(kt_mm(one, w), 0), 2, 0);
    for (int i = 3; i < 6; i++) { /* other memory, and the count of writes stays */
        CHECK_EQ_INT(kt_set_data(w, kt_full(KT_SHAPE(3, 3), KT_FLOAT(i))), KT_OK);
        CHECK_EQ_INT(kt_set_data(w, kt_full(KT_SHAPE(3, 3), KT_FLOAT(i + 1))), KT_OK);
        CHECK_NEAR(tensor_at(kt_mm(one, w), 0), i + 1, 0);
    }
    CHECK_EQ_INT(kt_get_data(w, &data), KT_OK);
    kt_drop(data);
}

TEST(gradients_flow_through_the_casts)
{
    KT_SCOPE;
    kt_tensor *x = matrix(KT_F32, false), *w = matrix(KT_F32, true), *h = matrix(KT_BF16, true);
    KT_AUTOCAST(KT_CPU, KT_BF16);
    for (int i = 1; i < 3; i++) { /* the kept cast is part of both graphs */
        CHECK_EQ_INT(kt_backward(kt_sum(kt_mm(x, w))), KT_OK);
        CHECK_EQ_INT(kt_dtype_of(kt_grad(w)), KT_F32);
        CHECK_NEAR(tensor_at(kt_grad(w), 0), 1.5 * i, 0);
    }
    {
        KT_NO_GRAD;
        kt_autocast_clear_cache();
        kt_mm(x, w); /* first cast where nothing is recorded */
    }
    CHECK(kt_requires_grad(kt_mm(x, w)));
    CHECK_EQ_INT(kt_backward(kt_mse_loss(h, matrix(KT_BF16, false))), KT_OK);
    CHECK_EQ_INT(kt_dtype_of(kt_grad(h)), KT_BF16);
    kt_set_inference(true);
    kt_tensor *fresh = matrix(KT_F32, false), *y = kt_mm(fresh, w);
    CHECK(kt_is_inference(y));
    kt_set_inference(false);
    CHECK(kt_requires_grad(kt_mm(x, w)));
}

/* ---- classes ---- */

TEST(classes_of_the_cpu)
{
    KT_SCOPE;
    kt_tensor *m = matrix(KT_F32, true), *h = matrix(KT_BF16, true), *w = matrix(KT_F64, true);
    kt_tensor *i = kt_arange(KT_INT(0), KT_INT(3));
    KT_AUTOCAST(KT_CPU, KT_NONE);
    CHECK_EQ_INT(kt_autocast_dtype(KT_CPU), KT_BF16);
    kt_tensor *y = kt_mse_loss(m, h);
    CHECK_EQ_INT(kt_dtype_of(y), KT_F32);
    CHECK_STR(kt_node_name(input_of(y, 0)), "AccumulateGrad");
    IS_CAST(y, 1);
    CHECK_EQ_INT(kt_dtype_of(kt_mse_loss(w, h)), KT_F64);
    CHECK_EQ_INT(kt_dtype_of(kt_prod(h)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_prod(h, .dtype = KT_F64)), KT_F64);
    CHECK_EQ_INT(kt_dtype_of(kt_exp(h)), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_add(h, m)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_nll_loss(kt_log_softmax(h, 1), i)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_prelu(h, kt_select(m, 0, 0))), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_mm(kt_to(m, .dtype = KT_E4M3FN), m)), KT_BF16);
    kt_tensor *joined = kt_cat(LIST(h, m), 2);
    CHECK_EQ_INT(kt_dtype_of(joined), KT_F32);
    IS_CAST(joined, 0);
    CHECK_STR(kt_node_name(input_of(joined, 1)), "AccumulateGrad");
    CHECK_EQ_INT(kt_dtype_of(kt_cat(LIST(h, h), 2)), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_cat(LIST(h, w), 2)), KT_F64);
    CHECK_EQ_INT(kt_dtype_of(kt_cat(LIST(m, kt_to(h, .dtype = KT_F16)), 2)), KT_F32);
    CHECK_FAILS(kt_cat(LIST(h, kt_to(h, .dtype = KT_F16)), 2), KT_ERR_RUNTIME,
                "Unexpected floating ScalarType in at::autocast::prioritize");
    CHECK_FAILS(kt_mm(m, w), KT_ERR_RUNTIME, "expected m1 and m2 to have the same dtype, but got: c10::BFloat16 != double");
    CHECK_FAILS(kt_tensordot(m, h, KT_SHAPE(1), KT_SHAPE(0)), KT_ERR_RUNTIME, "both inputs should have same dtype");
}

TEST(in_place_and_out_are_left_alone)
{
    KT_SCOPE;
    kt_tensor *m = matrix(KT_F32, false), *h = matrix(KT_BF16, false), *b = kt_ones(KT_SHAPE(2, 3, 3));
    KT_AUTOCAST(KT_CPU, KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_matmul_out(kt_empty(KT_SHAPE(3, 3)), m, m)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_matmul_out(kt_empty(KT_SHAPE(2, 3, 3)), b, b)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_matmul_out(kt_empty(KT_SHAPE(2, 3, 3)), b, m)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_linear_out(kt_empty(KT_SHAPE(3, 3)), m, m)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_addbmm_(kt_clone(m), b, b)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_cat_out(kt_empty(KT_SHAPE(6, 3), .dtype = KT_BF16), LIST(m, h), 2)), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_prod_dim_out(kt_empty(KT_SHAPE(3), .dtype = KT_BF16), h, 0)), KT_BF16);
    CHECK_FAILS(kt_mm_out(kt_empty(KT_SHAPE(3, 3), .dtype = KT_BF16), m, m), KT_ERR_RUNTIME,
                "Expected out tensor to have dtype float, but got c10::BFloat16 instead");
    CHECK_FAILS(kt_tensordot_out(kt_empty(KT_SHAPE(3, 3)), m, m, KT_SHAPE(1), KT_SHAPE(0)), KT_ERR_RUNTIME,
                "tensordot: Expected the output tensor to have dtype BFloat16, but got an output tensor with dtype Float");
}

/* The same calls in and out of a scope, often enough that all are decided from the cache. */
TEST(decisions_are_kept_apart)
{
    KT_SCOPE;
    kt_tensor *m = matrix(KT_F32, false), *h = matrix(KT_BF16, false);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ_INT(kt_dtype_of(kt_prod(h)), KT_BF16);
        CHECK_EQ_INT(kt_dtype_of(kt_mm(m, m)), KT_F32);
        KT_AUTOCAST(KT_CPU, i == 1 ? KT_F16 : KT_BF16);
        CHECK_EQ_INT(kt_dtype_of(kt_prod(h)), KT_F32);
        CHECK_EQ_INT(kt_dtype_of(kt_mm(m, m)), i == 1 ? KT_F16 : KT_BF16);
        CHECK_EQ_INT(kt_dtype_of(kt_add(h, h)), KT_BF16);
    }
}

TEST(policies)
{
    KT_SCOPE;
    kt_tensor *m = matrix(KT_F32, false), *h = matrix(KT_BF16, false);
    KT_AUTOCAST(KT_CPU, KT_BF16);
    KT_POLICY(KT_STRICT);
    kt_mm(m, m); /* float64 is what autocast leaves alone */
    CHECK(strstr(kt_error(), "fix: cast self to float64 and cast mat2 to float64") != NULL);
    CHECK_FAILS(kt_mm(m, m), KT_ERR_TYPE,
                "KT_POLICY(KT_STRICT) refuses to convert self from float32 to bfloat16 in mm (autocast)");
    CHECK_EQ_INT(kt_dtype_of(kt_mm(h, h)), KT_BF16);
    CHECK_FAILS(kt_prod(h), KT_ERR_TYPE,
                "KT_POLICY(KT_STRICT) refuses to convert self from bfloat16 to float32 in prod (autocast)");
    KT_POLICY(KT_SAFE);
    CHECK_FAILS(kt_mm(m, m), KT_ERR_TYPE,
                "KT_POLICY(KT_SAFE) refuses to convert self from float32 to bfloat16 in mm (autocast)");
    CHECK_EQ_INT(kt_dtype_of(kt_mse_loss(h, h)), KT_F32);
}

TEST(lineage_says_autocast)
{
    KT_SCOPE;
    kt_tensor *m = matrix(KT_F32, false), *h = matrix(KT_BF16, false);
    KT_AUTOCAST(KT_CPU, KT_BF16);
    char *product = kt_explain(kt_linear(m, m)), *fold = kt_explain(kt_prod(h));
    CHECK(strstr(product, "autocast to bfloat16, linear") != NULL);
    CHECK(strstr(fold, "autocast to float32, prod") != NULL);
    kt_free_string(product);
    kt_free_string(fold);
}

/* ---- devices ---- */

TEST(other_devices)
{
    KT_SCOPE;
    if (!CHECK_EQ_INT(kt_backend_load(KT_TEST_BUILD_DIR "/backends/mirror.so"), KT_OK))
        return;
    const kt_device mirror = kt_device_find("mirror:0");
    kt_tensor      *m = kt_ones(KT_SHAPE(3, 3), .device = mirror), *h = kt_to(m, .dtype = KT_F16), *v = kt_select(h, 0, 0);
    kt_tensor      *here = matrix(KT_F32, false);
    KT_AUTOCAST((kt_device_kind)mirror.kind, KT_NONE);
    CHECK_EQ_INT(kt_autocast_dtype((kt_device_kind)mirror.kind), KT_F16);
    CHECK(!kt_autocast_enabled(KT_CPU));
    for (int i = 0; i < 2; i++) { /* the second time from the cache */
        CHECK_EQ_INT(kt_dtype_of(kt_mm(m, m)), KT_F16);
        CHECK_EQ_INT(kt_dtype_of(kt_mm(here, here)), KT_F32);
        CHECK_EQ_INT(kt_dtype_of(kt_exp(h)), KT_F32);
        CHECK_EQ_INT(kt_dtype_of(kt_exp(kt_to(here, .dtype = KT_F16))), KT_F16);
        CHECK_EQ_INT(kt_dtype_of(kt_softmax(h, 0)), KT_F32);
        CHECK_EQ_INT(kt_dtype_of(kt_sum(h)), KT_F32);
        CHECK_EQ_INT(kt_dtype_of(kt_sum(h, .dtype = KT_F16)), KT_F16);
        CHECK_EQ_INT(kt_dtype_of(kt_atan2(h, m)), KT_F32);
        CHECK_EQ_INT(kt_dtype_of(kt_atan2(h, h)), KT_F16);
        CHECK_EQ_INT(kt_dtype_of(kt_mv(m, v)), KT_F16);
        CHECK_EQ_INT(kt_dtype_of(kt_dot(v, kt_select(m, 0, 0))), KT_F32);
        CHECK_EQ_INT(kt_dtype_of(kt_bilinear(h, m, kt_ones(KT_SHAPE(2, 3, 3), .device = mirror))), KT_F32);
    }
    CHECK_FAILS(kt_binary_cross_entropy(m, m), KT_ERR_RUNTIME,
                "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.");
    CHECK_FAILS(kt_atan2(kt_to(m, .dtype = KT_BF16), m), KT_ERR_RUNTIME, "Unexpected floating ScalarType");
}

/* The try of another call stands for the device of its tensors, whatever meta tensors stand for otherwise. */
TEST(dry_runs)
{
    KT_SCOPE;
    kt_tensor *m = kt_ones(KT_SHAPE(3, 3), .device = {KT_META, 0}), *h = kt_to(m, .dtype = KT_BF16);
    KT_AUTOCAST(KT_CPU, KT_BF16);
    kt_set_autocast_meta(KT_DEVICE_DEFAULT);
    CHECK_EQ_INT(kt_dtype_of(kt_mm(m, m)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_prod(h)), KT_BF16);
    const uint64_t mode = kt__mode();
    kt__mode_word = kt__dry_run_mode(mode, KT_CPU);
    CHECK_EQ_INT(kt_dtype_of(kt_mm(m, m)), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_prod(h)), KT_F32);
    kt__mode_word = mode;
    CHECK_EQ_INT(kt_dtype_of(kt_prod(h)), KT_BF16);
}

/* The try that finds a fix runs on the meta device, and must meet the autocast that the call meets. */
TEST(fixes_under_autocast)
{
    KT_SCOPE;
    kt_tensor *m = matrix(KT_F32, false), *w = matrix(KT_F64, false);
    KT_AUTOCAST(KT_CPU, KT_BF16);
    kt_mm(m, w);
    CHECK(kt_failed());
    CHECK(strstr(kt_error(), "c10::BFloat16 != double") != NULL);
    CHECK(strstr(kt_error(), "fix: ") != NULL);
    kt_clear();
    /* Nothing is cast in place, and of two mistakes PyTorch sees the dtypes first. */
    kt_tensor *i = kt_zeros(KT_SHAPE(3), .dtype = KT_I64), *h = kt_view_dtype(kt_clone(m), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_index_copy(m, 0, i, kt_narrow(h, 1, 0, 3))), KT_F32);
    CHECK_FAILS(kt_index_copy_(m, 0, i, kt_narrow(kt_view_dtype(m, KT_BF16), 1, 0, 3)), KT_ERR_RUNTIME,
                "index_copy_(): self and source expected to have the same dtype, but got (self) Float and (source) BFloat16");
}

/* ---- the state ---- */

static void *on_another_thread(void *seen)
{
    KT_SCOPE;
    kt_tensor *m = matrix(KT_F32, true), *y = kt_mm(m, m);
    *(bool *)seen = kt_autocast_enabled(KT_CPU) || kt_dtype_of(y) != KT_F32;
    kt_autocast_open(KT_CPU, KT_BF16); /* and left open: the thread's end drops what it kept */
    kt_mm(m, m);
    return NULL;
}

TEST(a_pinned_dtype_decides)
{
    KT_SCOPE;
    kt_tensor *pinned = matrix(KT_F32, true), *narrow = matrix(KT_BF16, false), *wide = matrix(KT_F32, false);
    kt_pin_dtype(pinned, true);
    KT_AUTOCAST(KT_CPU, KT_BF16);
    kt_tensor *product = kt_matmul(narrow, pinned);
    CHECK(kt_dtype_of(product) == KT_F32);
    CHECK(kt_dtype_of(kt_matmul(kt_t(pinned), wide)) == KT_F32 && kt_dtype_of(kt_matmul(wide, wide)) == KT_BF16);
    CHECK(!kt_backward(kt_sum(product)) && kt_dtype_of(kt_grad(pinned)) == KT_F32);
    kt_tensor *half = matrix(KT_F16, false);
    kt_pin_dtype(half, true);
    CHECK(kt_dtype_of(kt_matmul(half, wide)) == KT_F16);
    CHECK(kt_dtype_of(kt_cat(LIST(half, narrow), 2)) == KT_F16); /* of the widest class, which would refuse float16 here */
    CHECK(kt_dtype_of(kt_mse_loss(half, half)) == KT_F16 && kt_dtype_of(kt_mse_loss(narrow, narrow)) == KT_F32);
    CHECK(!kt_matmul(half, pinned) && strstr(kt_error(), "same dtype")); /* two pins that differ: neither gives way */
    kt_clear();
    kt_pin_dtype(half, false);
    CHECK(kt_dtype_of(kt_matmul(half, wide)) == KT_BF16);
}

TEST(a_pinned_dtype_stays)
{
    KT_SCOPE;
    kt_tensor *t = matrix(KT_F32, false);
    kt_pin_dtype(t, true);
    CHECK(kt_has_pinned_dtype(t) && kt_has_pinned_dtype(kt_t(t)) && !kt_has_pinned_dtype(kt_clone(t)));
    CHECK(!kt_has_pinned_dtype(kt_view_dtype(t, KT_I32)));
    CHECK(kt_set_data(t, matrix(KT_F16, false)) == KT_ERR_RUNTIME && kt_dtype_of(t) == KT_F32);
    CHECK_STR(kt_error(), "the dtype of this tensor is pinned to float32 (pin_dtype): data of float16 cannot take its place");
    kt_clear();
    CHECK(kt_set_data(t, kt_ones(KT_SHAPE(2))) == KT_OK && kt_has_pinned_dtype(t));
    CHECK(!kt_has_pinned_dtype(NULL));
}

TEST(autocast_lowers_to_what_a_module_says)
{
    KT_SCOPE;
    kt_tensor *narrow = matrix(KT_BF16, false);
    kt_mode_guard off = kt_autocast_lower_to(KT_F64);
    CHECK(!kt_autocast_is_on() && kt_dtype_of(kt_matmul(narrow, narrow)) == KT_BF16);
    kt_mode_close(&off);
    KT_AUTOCAST(KT_CPU, KT_BF16);
    const kt_dtype wide[] = {KT_F32, KT_F64};
    for (int i = 0; i < 2; i++) {
        kt_mode_guard on = kt_autocast_lower_to(wide[i]);
        CHECK(kt_autocast_is_on() && kt_dtype_of(kt_matmul(narrow, narrow)) == wide[i]);
        CHECK(kt_dtype_of(kt_cat(LIST(narrow, matrix(KT_F16, false)), 2)) == wide[i]);
        kt_mode_close(&on);
    }
    CHECK(kt_dtype_of(kt_matmul(narrow, narrow)) == KT_BF16);
    kt_mode_guard bad = kt_autocast_lower_to((kt_dtype)77);
    CHECK(kt_failed() && kt_autocast_dtype(KT_CPU) == KT_BF16);
    kt_clear();
    kt_mode_close(&bad);
}

TEST(on_all_kinds_of_devices)
{
    KT_SCOPE;
    {
        KT_AUTOCAST(KT_F16);
        CHECK(kt_autocast_enabled(KT_CPU) && kt_autocast_dtype(KT_CPU) == KT_F16);
        CHECK(kt_dtype_of(kt_matmul(matrix(KT_F32, false), matrix(KT_F32, false))) == KT_F16);
    }
    CHECK(!kt_autocast_enabled(KT_CPU));
    kt_mode_guard bad = kt_autocast_open_everywhere((kt_dtype)77);
    CHECK(kt_failed() && !kt_autocast_enabled(KT_CPU));
    kt_clear();
    kt_autocast_close(&bad);
}

TEST(threads_have_their_own)
{
    bool      seen = true;
    pthread_t t;
    KT_AUTOCAST(KT_CPU, KT_BF16);
    if (CHECK_EQ_INT(pthread_create(&t, NULL, on_another_thread, &seen), 0))
        pthread_join(t, NULL);
    CHECK(!seen);
}

TEST(setters)
{
    CHECK(!kt_autocast_enabled(KT_CPU));
    CHECK_EQ_INT(kt_set_autocast_enabled(KT_CPU, true), KT_OK);
    CHECK(kt_autocast_enabled(KT_CPU));
    CHECK_EQ_INT(kt_set_autocast_dtype(KT_CPU, KT_F16), KT_OK);
    CHECK_EQ_INT(kt_autocast_dtype(KT_CPU), KT_F16);
    CHECK_EQ_INT(kt_set_autocast_enabled(KT_CPU, false), KT_OK);
    CHECK_EQ_INT(kt_autocast_dtype(KT_CPU), KT_F16); /* it is remembered */
    CHECK_EQ_INT(kt_set_autocast_dtype(KT_CPU, KT_BF16), KT_OK);
    CHECK_FAILS(kt_set_autocast_enabled(KT_META, true), KT_ERR_RUNTIME, "unknown device type for autocast");
    CHECK_FAILS(kt_set_autocast_enabled((kt_device_kind)99, true), KT_ERR_RUNTIME, "unknown device type for autocast");
    CHECK_FAILS(kt_set_autocast_dtype(KT_CPU, (kt_dtype)99), KT_ERR_TYPE, "there is no dtype 99");
    CHECK_EQ_INT(kt_autocast_enter(), 1);
    CHECK_EQ_INT(kt_autocast_enter(), 2);
    CHECK_EQ_INT(kt_autocast_leave(), 1);
    CHECK_EQ_INT(kt_autocast_leave(), 0);
    CHECK_EQ_INT(kt_autocast_leave(), 0);
    kt_mode_guard g = kt_autocast_open((kt_device_kind)99, KT_BF16); /* refused, and closed like any */
    CHECK(kt_failed());
    kt_clear();
    CHECK(!kt_autocast_enabled(KT_CPU));
    kt_autocast_close(&g);
    kt_autocast_close(NULL);
}

/* ---- meta ---- */

static kt_dtype product_on_meta(void)
{
    KT_SCOPE;
    kt_tensor *m = kt_full(KT_SHAPE(3, 3), KT_FLOAT(1), .dtype = KT_F32, .device = {KT_META, 0});
    return kt_dtype_of(kt_mm(m, m));
}

static kt_dtype exp_on_meta(void)
{
    KT_SCOPE;
    return kt_dtype_of(kt_exp(kt_full(KT_SHAPE(3), KT_FLOAT(1), .dtype = KT_F16, .device = {KT_META, 0})));
}

TEST(meta_tensors_stand_for_the_kind_that_was_asked_for)
{
    CHECK_EQ_INT(kt_autocast_meta(), KT_DEVICE_DEFAULT);
    CHECK_EQ_INT(product_on_meta(), KT_F32);
    {
        KT_AUTOCAST(KT_CPU, KT_BF16);
        CHECK_EQ_INT(kt_autocast_meta(), KT_CPU);
        CHECK_EQ_INT(product_on_meta(), KT_BF16);
        CHECK_EQ_INT(exp_on_meta(), KT_F16);
        {
            KT_AUTOCAST(KT_CUDA, KT_NONE); /* which need not be here */
            CHECK_EQ_INT(kt_autocast_meta(), KT_CUDA);
            CHECK_EQ_INT(product_on_meta(), KT_F16);
            CHECK_EQ_INT(exp_on_meta(), KT_F32);
            CHECK_EQ_INT(kt_set_autocast_meta(KT_DEVICE_DEFAULT), KT_OK);
            CHECK_EQ_INT(product_on_meta(), KT_F32);
        }
        CHECK_EQ_INT(product_on_meta(), KT_BF16);
        kt_mode_guard pinned = kt_autocast_lower_to(KT_F64); /* as inside a module that is pinned */
        CHECK_EQ_INT(product_on_meta(), KT_F64);
        kt_mode_close(&pinned);
        CHECK_EQ_INT(kt_set_autocast_enabled(KT_CPU, false), KT_OK);
        CHECK_EQ_INT(product_on_meta(), KT_F32);
    }
    CHECK_EQ_INT(product_on_meta(), KT_F32);
    {
        KT_AUTOCAST(KT_F16);
        CHECK_EQ_INT(product_on_meta(), KT_F16);
    }
    CHECK_FAILS(kt_set_autocast_meta(KT_META), KT_ERR_RUNTIME, "unknown device type for autocast");
    CHECK_FAILS(kt_set_autocast_meta((kt_device_kind)99), KT_ERR_RUNTIME, "unknown device type for autocast");
}
