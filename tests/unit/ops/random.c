/* random.c - operators that draw: PyTorch 2.11's numbers for a seed (a few, recorded from it), the same numbers on every
 * device, layout and build, the distributions by their moments, the refusals, gradients. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "cpu/kernels.h"
#include "tables/kernels/all.h"

static void check_values(kt_tensor *t, const double *want, int n, int line)
{
    double got[64];
    test_check(t && kt_numel(t) == n && n <= 64, __FILE__, line, "%s", kt_error());
    if (!t || kt_numel(t) != n || kt_read(kt_to(t, .dtype = KT_F64), got, (size_t)n * sizeof *got))
        return;
    for (int i = 0; i < n; i++)
        test_check(got[i] == want[i], __FILE__, line, "element %d is %a, not %a", i, got[i], want[i]);
}

/* The stream of `seed` gives exactly these. */
#define GIVES(seed, call, ...)                                                                                    \
    do {                                                                                                          \
        KT_SCOPE;                                                                                                 \
        const double want_[] = {__VA_ARGS__};                                                                     \
        kt_manual_seed(seed);                                                                                     \
        check_values(call, want_, sizeof want_ / sizeof *want_, __LINE__);                                        \
    } while (0)

TEST(uniform_numbers_of_pytorch)
{
    GIVES(0, kt_rand(KT_SHAPE(4)), 0x1.fc2abp-2, 0x1.89545ep-1, 0x1.6a675p-4, 0x1.0e66p-3);
    GIVES(42, kt_rand(KT_SHAPE(4)), 0x1.c3b8ccp-1, 0x1.d47b66p-1, 0x1.880d7p-2, 0x1.eb2a1cp-1);
    GIVES(0, kt_rand(KT_SHAPE(3), .dtype = KT_F64), 0x1.f0aac97c4aa2fp-1, 0x1.6a675d821cccp-1, 0x1.d6687b744a5f6p-2);
    GIVES(42, kt_rand(KT_SHAPE(4), .dtype = KT_F16), 0x1.198p-1, 0x1.6ccp-1, 0x1.aep-2, 0x1.438p-1);
    GIVES(42, kt_rand(KT_SHAPE(4), .dtype = KT_BF16), 0x1.98p-2, 0x1.66p-1, 0x1.7p-2, 0x1.cp-5);
    GIVES(42, kt_uniform_(kt_empty(KT_SHAPE(3)), .from = -2, .to = KT_SOME(5)), 0x1.0b41b2p+2, 0x1.19ebfap+2,
          0x1.5c2f08p-1);
}

TEST(normal_numbers_of_pytorch)
{
    GIVES(42, kt_randn(KT_SHAPE(4)), 0x1.58c55cp-2, 0x1.07cd3ap-3, 0x1.e02dcep-3, 0x1.d7b8d8p-3);
    GIVES(42, kt_randn(KT_SHAPE(20)), 0x1.ed4a52p+0, 0x1.7cbea6p+0, 0x1.cd2acep-1, -0x1.0d81b6p+1, -0x1.8429c4p-1,
          0x1.140cap+0, 0x1.9a0288p-1, 0x1.ae3d26p+0, 0x1.6c668ap-2, -0x1.5f8d0cp-1, -0x1.f93268p-2, 0x1.ee9126p-3,
          -0x1.da5ddap-3, 0x1.5618p-5, -0x1.019cf4p-2, 0x1.b83f6p-1, -0x1.3d2904p-2, -0x1.953522p-2, 0x1.9b5878p-1,
          -0x1.3e41cp-1);
    GIVES(42, kt_narrow(kt_randn(KT_SHAPE(17), .dtype = KT_F64), 0, 0, 3), 0x1.32bee22ccb503p-2, 0x1.812ba60e823bdp+0,
          0x1.4586fc50325b4p+0);
    GIVES(42, kt_narrow(kt_randn(KT_SHAPE(16), .dtype = KT_F16), 0, 0, 3), 0x1.8c4p-2, 0x1.788p+0, 0x1.2ccp-3);
    GIVES(42, kt_log_normal_(kt_empty(KT_SHAPE(3))), 0x1.55214cp+2, 0x1.c22e42p+1, 0x1.160d4ap+2);
}

TEST(integers_of_pytorch)
{
    GIVES(42, kt_randint_low(0, 100, KT_SHAPE(8)), 42, 67, 76, 14, 26, 35, 20, 24);
    GIVES(42, kt_randint_low(-(1LL << 40), 1LL << 40, KT_SHAPE(3)), -658003837517.0, 395924837646.0, -640896347065.0);
    GIVES(42, kt_random_(kt_empty(KT_SHAPE(4), .dtype = KT_I32)), 1608637542, 1273642419, 1935803228, 787846414);
    GIVES(42, kt_randperm(10), 2, 6, 1, 8, 4, 5, 0, 9, 3, 7);
    GIVES(42, kt_randperm(10, .dtype = KT_F16), 2, 6, 1, 8, 4, 5, 0, 9, 3, 7);
}

TEST(choices_of_pytorch)
{
    KT_SCOPE;
    kt_tensor *weights = kt_from((float[]){.1f, .2f, .3f, .4f}, KT_SHAPE(4), KT_F32);
    GIVES(42, kt_bernoulli(kt_full(KT_SHAPE(12), KT_FLOAT(.4))), 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0);
    GIVES(42, kt_bernoulli_float_(kt_empty(KT_SHAPE(12)), .p = KT_SOME(.4)), 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1);
    GIVES(42, kt_multinomial(weights, 6, .replacement = true), 0, 0, 1, 0, 2, 2);
    GIVES(42, kt_multinomial(weights, 4), 3, 1, 2, 0);
    GIVES(42, kt_dropout(kt_ones(KT_SHAPE(8)), .5, true), 2, 2, 2, 2, 0, 2, 0, 0);
    GIVES(42, kt_exponential_(kt_empty(KT_SHAPE(3)), .lambd = KT_SOME(2)), 0x1.ead0ccp-6, 0x1.0a2468p-5, 0x1.0e2a62p-4);
    GIVES(42, kt_poisson(kt_from((float[]){.5f, 3, 20, 100}, KT_SHAPE(4), KT_F32)), 0, 1, 28, 87);
    GIVES(42, kt_binomial(kt_from((float[]){5, 9, 100, 1000}, KT_SHAPE(4), KT_F32),
                          kt_from((float[]){.9f, .3f, .3f, .6f}, KT_SHAPE(4), KT_F32)), 5, 1, 20, 601);
    GIVES(42, kt_standard_gamma(kt_from((float[]){.4f, 1, 2.5f, 30}, KT_SHAPE(4), KT_F32)), 0x1.68549ap+0, 0x1.aedf96p-1,
          0x1.7dfe58p-3, 0x1.faf1b2p+4);
    GIVES(42, kt_sample_dirichlet(kt_from((float[]){.4f, 1, 2.5f}, KT_SHAPE(3), KT_F32)), 0x1.27e296p-1, 0x1.61cfb6p-2,
          0x1.39ac74p-4);
    GIVES(42, kt_geometric_(kt_empty(KT_SHAPE(6)), .3), 8, 8, 6, 9, 2, 3);
    GIVES(42, kt_cauchy_(kt_empty(KT_SHAPE(3))), -0x1.5a6632p+2, -0x1.3f98ccp+2, -0x1.38f1a4p+1);
}

/* ---- one stream, whatever the layout, the device, the build ---- */

TEST(strided_targets_are_filled_as_they_lie)
{
    KT_SCOPE;
    kt_tensor *base = kt_empty(KT_SHAPE(6, 5)), *want;
    kt_manual_seed(4);
    want = kt_rand(KT_SHAPE(6, 5));
    kt_manual_seed(4);
    kt_uniform_(kt_t(base)); /* memory order, not the transpose's */
    CHECK(kt_item(kt_sum(kt_ne(base, want))) == 0);
    kt_manual_seed(4);
    kt_tensor *apart = kt_slice(kt_zeros(KT_SHAPE(6, 10)), .dim = 1, .step = KT_SOME(2));
    kt_uniform_(apart);
    CHECK(kt_item(kt_sum(kt_ne(apart, want))) == 0);
}

TEST(other_devices_have_the_same_numbers)
{
    if (!CHECK_EQ_INT(kt_backend_load(KT_TEST_BUILD_DIR "/backends/mirror.so"), KT_OK)) {
        kt_clear();
        return;
    }
    KT_SCOPE;
    kt_device  there = kt_device_find("mirror:1"), meta = {KT_META, 0}, cpu = {KT_CPU, 0};
    kt_tensor *p = kt_rand(KT_SHAPE(4, 8));
    for (int i = 0; i < 9; i++) {
        kt_tensor *t[2];
        for (int k = 0; k < 2; k++) {
            const kt_device d = k ? there : cpu;
            kt_tensor      *q = k ? kt_to(p, .device = there) : p;
            kt_manual_seed(9);
            t[k] = i == 0   ? kt_rand(KT_SHAPE(40), .device = d)
                   : i == 1 ? kt_randn(KT_SHAPE(40), .device = d)
                   : i == 2 ? kt_randperm(40, .device = d)
                   : i == 3 ? kt_randint(7, KT_SHAPE(40), .device = d)
                   : i == 4 ? kt_bernoulli(kt_t(q))
                   : i == 5 ? kt_multinomial(q, 3)
                   : i == 6 ? kt_normal_tensor_tensor(q, q)
                   : i == 7 ? kt_normal_(kt_slice(kt_zeros(KT_SHAPE(80), .device = d), .step = KT_SOME(2)))
                            : kt_dropout(q, .5, true);
        }
        REQUIRE(t[0] && t[1]);
        CHECK_EQ_INT(kt_device_of(t[1]).kind, there.kind);
        CHECK_MSG(kt_item(kt_sum(kt_ne(kt_to(t[1], .device = cpu), t[0]))) == 0, "program %d", i);
    }
    unsigned char before[KT_GENERATOR_STATE], after[KT_GENERATOR_STATE];
    kt_generator_get_state(kt_default_generator(), before);
    kt_tensor *nothing = kt_randn(KT_SHAPE(3, 4), .device = meta);
    kt_multinomial(kt_t(nothing), 2);
    kt_generator_get_state(kt_default_generator(), after);
    CHECK_MEM(after, before, sizeof before); /* the meta device draws nothing */
    CHECK_EQ_INT(kt_size(nothing, 1), 4);
}

TEST(every_build_makes_the_same_normals)
{
    float want[KT__DRAW_TILE], got[KT__DRAW_TILE];
    for (int b = 0; b < kt__cpu_num_builds; b++) {
        if (!kt__cpu_has(kt__cpu_builds[b].name))
            continue;
        uint32_t raw[KT__DRAW_TILE];
        for (int i = 0; i < KT__DRAW_TILE; i++)
            raw[i] = (uint32_t)i * 2654435761u;
        kt__cpu_builds[b].draws->uniform(got, raw, KT__DRAW_TILE, 0xffffff, 1, 0);
        kt__cpu_builds[b].draws->normal(got, KT__DRAW_TILE, 0.3f, 1.7f);
        if (b == 0)
            memcpy(want, got, sizeof want);
        CHECK_MSG(memcmp(got, want, sizeof want) == 0, "%s", kt__cpu_builds[b].name);
    }
}

/* ---- moments ---- */

static void check_moments(kt_tensor *t, double mean, double variance, int line)
{
    KT_SCOPE;
    kt_tensor   *x = kt_to(t, .dtype = KT_F64);
    const double n = (double)kt_numel(t), m = kt_item(kt_sum(x)) / n;
    kt_tensor   *off = kt_sub_s(x, KT_FLOAT(m));
    const double v = kt_item(kt_sum(kt_mul(off, off))) / n;
    test_check(fabs(m - mean) < 6 * sqrt(variance / n), __FILE__, line, "mean %g, not %g", m, mean);
    test_check(fabs(v - variance) < 0.1 * variance, __FILE__, line, "variance %g, not %g", v, variance);
}

TEST(distributions_have_their_moments)
{
    KT_SCOPE;
    const kt_shape n = KT_SHAPE(40000);
    kt_manual_seed(20);
    for (int i = 0; i < 5; i++) {
        static const kt_dtype dtypes[] = {KT_F32, KT_F64, KT_F16, KT_BF16, KT_E5M2};
        check_moments(kt_rand(n, .dtype = dtypes[i]), dtypes[i] == KT_BF16 ? 0.498 : dtypes[i] == KT_E5M2 ? 0.5 : 0.5,
                      1 / 12.0, __LINE__);
        check_moments(kt_randn(n, .dtype = dtypes[i]), 0, 1, __LINE__);
        kt_tensor *t = kt_empty(n, .dtype = dtypes[i]);
        check_moments(kt_exponential_(t), 1, 1, __LINE__);
        check_moments(kt_bernoulli_float_(t, .p = KT_SOME(.25)), .25, .1875, __LINE__);
    }
    check_moments(kt_randint(10, n), 4.5, 8.25, __LINE__);
    check_moments(kt_geometric_(kt_empty(n, .dtype = KT_I64), .25), 4, 12, __LINE__);
    check_moments(kt_poisson(kt_full(n, KT_FLOAT(3))), 3, 3, __LINE__);
    check_moments(kt_poisson(kt_full(n, KT_FLOAT(50))), 50, 50, __LINE__);
    check_moments(kt_log_normal_(kt_empty(n), .mean = KT_SOME(0), .std = KT_SOME(.5)), exp(.125),
                  (exp(.25) - 1) * exp(.25), __LINE__);
    check_moments(kt_dropout(kt_ones(n), .75, true), 1, 3, __LINE__);
    check_moments(kt_multinomial(kt_from((double[]){1, 0, 3}, KT_SHAPE(3), KT_F64), 40000, .replacement = true), 1.5, .75,
                  __LINE__);
}

/* ---- refusals, in PyTorch's words ---- */

TEST(refusals)
{
    KT_SCOPE;
    kt_tensor *x = kt_empty(KT_SHAPE(3)), *i = kt_empty(KT_SHAPE(3), .dtype = KT_I64);
    kt_tensor *b = kt_empty(KT_SHAPE(3), .dtype = KT_U8), *h = kt_empty(KT_SHAPE(3), .dtype = KT_F16);
    CHECK_FAILS(kt_rand(KT_SHAPE(3), .dtype = KT_I64),
                KT_ERR_NOT_IMPLEMENTED, "\"check_uniform_bounds\" not implemented for 'Long'");
    CHECK_FAILS(kt_randn(KT_SHAPE(3), .dtype = KT_I64),
                KT_ERR_NOT_IMPLEMENTED, "\"normal_kernel_cpu\" not implemented for 'Long'");
    CHECK_FAILS(kt_normal_(x, .std = KT_SOME(-1)), KT_ERR_RUNTIME, "normal expects std >= 0.0, but found std -1");
    CHECK_FAILS(kt_uniform_(x, .from = 2),
                KT_ERR_RUNTIME, "uniform_ expects to return a [from, to) range, but found from=2 > to=1");
    CHECK_FAILS(kt_uniform_(h, .to = KT_SOME(1e5)), KT_ERR_RUNTIME, "to is out of bounds for c10::Half");
    CHECK_FAILS(kt_uniform_(x, .from = -3e38, .to = KT_SOME(3e38)), KT_ERR_RUNTIME,
                "uniform_ expects to-from <= std::numeric_limits<Float>::max(), but found to=3e+38 and from=-3e+38 which "
                "result in to-from to exceed the limit");
    CHECK_FAILS(kt_random_to_(i, 0),
                KT_ERR_RUNTIME, "random_ expects 'from' to be less than 'to', but got from=0 >= to=0");
    CHECK_FAILS(kt_random_to_(b, 257), KT_ERR_RUNTIME, "to - 1 is out of bounds for unsigned char");
    CHECK_FAILS(kt_random_from_(b, -1, 5), KT_ERR_RUNTIME, "from is out of bounds for unsigned char");
    CHECK_FAILS(kt_random_to_(h, 70000), KT_ERR_RUNTIME, "to - 1 is out of bounds for c10::Half");
    CHECK_FAILS(kt_randint(300, KT_SHAPE(3), .dtype = KT_U8),
                KT_ERR_RUNTIME, "to - 1 is out of bounds for unsigned char");
    CHECK_FAILS(kt_randperm(300, .dtype = KT_U8),
                KT_ERR_RUNTIME, "value cannot be converted to type uint8_t without overflow");
    CHECK_FAILS(kt_randperm(2050, .dtype = KT_F16), KT_ERR_RUNTIME, "n cannot be greater than 2049 for Half type.");
    CHECK_FAILS(kt_randperm(-1), KT_ERR_RUNTIME, "Trying to create tensor with negative dimension -1: [-1]");
    CHECK_FAILS(kt_bernoulli_float_(x, .p = KT_SOME(1.5)),
                KT_ERR_RUNTIME, "bernoulli_ expects p to be in [0, 1], but got p=1.5");
    CHECK_FAILS(kt_bernoulli(kt_full(KT_SHAPE(2), KT_FLOAT(1.5))),
                KT_ERR_RUNTIME, "Expected p_in >= 0 && p_in <= 1 to be true");
    CHECK_FAILS(kt_bernoulli(i), KT_ERR_NOT_IMPLEMENTED, "\"bernoulli_tensor_cpu_p_\" not implemented for 'Long'");
    CHECK_FAILS(kt_exponential_(x, .lambd = KT_SOME(0)),
                KT_ERR_RUNTIME, "exponential_ expects lambda > 0.0, but found lambda=0");
    CHECK_FAILS(kt_exponential_(i),
                KT_ERR_RUNTIME, "Exponential distribution is a continuous probability distribution. dtype must "
                                                    "be a floating point but you specified Long");
    CHECK_FAILS(kt_cauchy_(x, .sigma = KT_SOME(0)), KT_ERR_RUNTIME, "cauchy_ expects sigma > 0.0, but found sigma=0");
    CHECK_FAILS(kt_geometric_(x, 1), KT_ERR_RUNTIME, "geometric_ expects p to be in (0, 1), but got p=1");
    CHECK_FAILS(kt_poisson(kt_full(KT_SHAPE(2), KT_FLOAT(-1))),
                KT_ERR_RUNTIME, "invalid Poisson rate, expected rate to be non-negative");
    CHECK_FAILS(kt_dropout(x, 1.5, true), KT_ERR_RUNTIME, "dropout probability has to be between 0 and 1, but got 1.5");
    CHECK_FAILS(kt_nn_dropout(x, .p = KT_FLOAT(-1)),
                KT_ERR_VALUE, "dropout probability has to be between 0 and 1, but got -1.0");
    CHECK_FAILS(kt_normal_tensor_tensor(x, kt_full(KT_SHAPE(3), KT_INT(-1))),
                KT_ERR_RUNTIME, "normal expects all elements of std >= 0.0");
    CHECK_FAILS(kt_uniform_(kt_expand(kt_empty(KT_SHAPE(1)), KT_SHAPE(3))), KT_ERR_RUNTIME,
                "unsupported operation: more than one element of the written-to tensor refers to a single memory location.");
}

TEST(refused_weights)
{
    KT_SCOPE;
    kt_tensor *two = kt_ones(KT_SHAPE(2));
#define W(a, b) kt_from((float[]){a, b}, KT_SHAPE(2), KT_F32)
    CHECK_FAILS(kt_multinomial(W(-1, 2), 1),
                KT_ERR_RUNTIME, "probability tensor contains either `inf`, `nan` or element < 0");
    CHECK_FAILS(kt_multinomial(W(1, INFINITY), 1),
                KT_ERR_RUNTIME, "probability tensor contains either `inf`, `nan` or element < 0");
    CHECK_FAILS(kt_multinomial(W(0, 0), 1),
                KT_ERR_RUNTIME, "invalid multinomial distribution (sum of probabilities <= 0)");
    CHECK_FAILS(kt_multinomial(W(NAN, 1), 2, .replacement = true), KT_ERR_RUNTIME,
                "invalid multinomial distribution (encountering probability entry < 0)");
    CHECK_FAILS(kt_multinomial(W(INFINITY, 1), 2, .replacement = true), KT_ERR_RUNTIME,
                "invalid multinomial distribution (encountering probability entry = infinity or NaN)");
    CHECK_FAILS(kt_multinomial(two, 3),
                KT_ERR_RUNTIME, "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    CHECK_FAILS(kt_multinomial(two, 0), KT_ERR_RUNTIME, "cannot sample n_sample <= 0 samples");
    CHECK_FAILS(kt_multinomial(kt_ones(KT_SHAPE(2, 2, 2)), 1), KT_ERR_RUNTIME, "prob_dist must be 1 or 2 dim");
    CHECK_FAILS(kt_multinomial(kt_ones(KT_SHAPE(2), .dtype = KT_I64), 1), KT_ERR_RUNTIME,
                "multinomial only supports floating-point dtypes for input, got: Long");
}

TEST(a_refused_call_leaves_the_generator_alone)
{
    KT_SCOPE;
    unsigned char before[KT_GENERATOR_STATE], after[KT_GENERATOR_STATE];
    kt_manual_seed(3);
    kt_generator_get_state(kt_default_generator(), before);
    CHECK_FAILS(kt_bernoulli(kt_full(KT_SHAPE(2000), KT_FLOAT(2))), KT_ERR_RUNTIME, "Expected p_in");
    CHECK_FAILS(kt_multinomial(kt_zeros(KT_SHAPE(4)), 2), KT_ERR_RUNTIME, "invalid multinomial");
    kt_generator_get_state(kt_default_generator(), after);
    CHECK_MEM(after, before, sizeof before);
}

/* ---- gradients ---- */

TEST(gradients)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(50), .requires_grad = true);
    kt_manual_seed(6);
    kt_tensor *y = kt_dropout(x, .5, true);
    CHECK_EQ_INT(kt_backward(kt_sum(y)), KT_OK);
    CHECK(kt_item(kt_sum(kt_ne(kt_grad(x), y))) == 0); /* of ones, the result is the factor */
    kt_tensor *z = kt_mul_s(x, KT_INT(3));
    kt_uniform_(z);
    CHECK_STR(kt_grad_fn_name(z), "UniformBackward0");
    kt_tensor *w = kt_ones(KT_SHAPE(50), .requires_grad = true), *drawn = kt_normal_tensor_tensor(w, w);
    CHECK_STR(kt_grad_fn_name(drawn), "NormalBackward3");
    CHECK_EQ_INT(kt_backward(kt_sum(drawn)), KT_OK);
    CHECK(kt_item(kt_sum(kt_ne(kt_grad(w), kt_zeros_like(w)))) == 0);
    CHECK_FAILS(kt_normal_(w),
                KT_ERR_RUNTIME, "a leaf Variable that requires grad is being used in an in-place operation.");
    CHECK(kt_dropout(x, .5, false) == x || kt_shares_storage(kt_dropout(x, .5, false), x));
}

/* ---- threads: operators on one generator ---- */

static void *draw_some(void *sum)
{
    for (int i = 0; i < 50; i++) {
        KT_SCOPE;
        *(double *)sum += kt_item(kt_sum(kt_randint(1000, KT_SHAPE(100))));
    }
    return NULL;
}

TEST(two_threads_draw_from_one_generator)
{
    double    a = 0, b = 0, want = 0;
    pthread_t other;
    kt_manual_seed(8);
    REQUIRE(pthread_create(&other, NULL, draw_some, &a) == 0);
    draw_some(&b);
    pthread_join(other, NULL);
    kt_manual_seed(8);
    draw_some(&want);
    draw_some(&want);
    CHECK_NEAR(a + b, want, 0);
}
