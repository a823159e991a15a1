/* by_value.c - a 0-dim CPU tensor beside tensors of another device: its value is part of the plan, converted as the resolver
 * says; the result is on the other device, the gradient comes back. Any other mix is refused. */
#include <karat/grad.h>
#include <karat/karat.h>

#include "harness.h"
#include "support/seen.h"

static kt_device cpu = {KT_CPU, 0}, mirror;

static bool load(void)
{
    if (mirror.kind == 0) {
        CHECK_EQ_INT(kt_backend_load(KT_TEST_BUILD_DIR "/backends/mirror.so"), KT_OK);
        mirror = kt_device_find("mirror:1");
    }
    return CHECK(mirror.kind > KT_META);
}

static bool is_on(const kt_tensor *t, kt_device d)
{
    return t && kt_device_of(t).kind == d.kind && kt_device_of(t).index == d.index;
}

static kt_tensor *value(double v, kt_dtype dtype) { return kt_full(KT_SCALAR, KT_FLOAT(v), .dtype = dtype); }

/* The last plan's input number `at`. */
static const kt_operand *operand(int at) { return &all[n_seen - 1].arg[all[n_seen - 1].n_out + at]; }

TEST(the_plan_says_what_became_of_it)
{
    if (!load())
        return;
    KT_SCOPE;
    kt_tensor *t = kt_ones(KT_SHAPE(3), .dtype = KT_BF16, .device = mirror), *v = value(0.1, KT_F64), *sum;
    watch();
    sum = kt_add(t, v);
    unwatch();
    CHECK(is_on(sum, mirror) && kt_dtype_of(sum) == KT_BF16);
    REQUIRE(n_seen == 1);
    CHECK_EQ_INT(all[0].device, mirror.kind);
    const kt_operand *o = operand(1);
    CHECK(o->immediate && !o->data);
    CHECK_EQ_INT(o->is, KT_F64);
    CHECK(o->as != KT_F64 && o->why == KT_WHY_PROMOTION);
    CHECK(!operand(0)->immediate);
    CHECK_NEAR(kt_item(kt_sum(kt_sub(sum, kt_add(t, kt_to(v, .device = mirror))))), 0, 0);
}

/* No detour through a double: all 64 bits count, and a lazy bit too. */
TEST(its_value_arrives_unchanged)
{
    if (!load())
        return;
    KT_SCOPE;
    const uint64_t most = UINT64_MAX;
    uint64_t       back = 0;
    float          parts[2] = {3, 4}, turned[2] = {0};
    kt_tensor     *v = kt_from(&most, KT_SCALAR, KT_U64);
    CHECK_EQ_INT(kt_read(kt_bitwise_and(kt_to(v, .device = mirror), v), &back, sizeof back), KT_OK);
    CHECK_EQ_U64(back, most);
    kt_tensor *c = kt_conj(kt_from(parts, KT_SCALAR, KT_C64));
    kt_tensor *sum = kt_add(kt_zeros(KT_SCALAR, .dtype = KT_C64, .device = mirror), c);
    CHECK_EQ_INT(kt_read(sum, turned, sizeof turned), KT_OK);
    CHECK_NEAR(turned[0], 3, 0);
    CHECK_NEAR(turned[1], -4, 0);
}

/* The value is that of the call: what happens to the tensor later does not matter. */
TEST(its_value_is_read_at_once)
{
    if (!load())
        return;
    KT_SCOPE;
    kt_tensor *v = value(2, KT_F32), *t = kt_mul(kt_ones(KT_SHAPE(4), .device = mirror), v);
    const uint64_t waits = kt_host_waits();
    kt_fill_s_(v, KT_INT(100));
    kt_mul_(t, value(3, KT_F32));
    CHECK_EQ_U64(kt_host_waits(), waits);
    CHECK_NEAR(kt_item(kt_sum(t)), 24, 0);
}

TEST(who_decides_where_it_runs)
{
    if (!load())
        return;
    KT_SCOPE;
    kt_tensor *v = value(2, KT_F32), *there = kt_full(KT_SCALAR, KT_INT(3), .dtype = KT_F32, .device = mirror);
    kt_tensor *row = kt_ones(KT_SHAPE(3), .device = mirror), *here = kt_ones(KT_SHAPE(3));
    CHECK(is_on(kt_add(v, there), mirror));
    CHECK(is_on(kt_add(there, v), mirror));
    CHECK(is_on(kt_add(v, v), cpu));
    CHECK(is_on(kt_where(kt_gt_s(v, KT_INT(1)), row, v), mirror));
    CHECK(is_on(kt_addcmul(v, v, row), mirror));
    CHECK(is_on(kt_lerp(row, row, v), mirror));
    CHECK(is_on(kt_add(value(1, KT_F32), kt_empty(KT_SHAPE(2), .device = (kt_device){KT_META, 0})), (kt_device){KT_META, 0}));
    static const char both[] = "Expected all tensors to be on the same device, but found at least two devices, mirror:1 and cpu!";
    CHECK_FAILS(kt_add(here, there), KT_ERR_RUNTIME, both);
    CHECK_FAILS(kt_add(there, here), KT_ERR_RUNTIME, both);
    CHECK_FAILS(kt_add_(here, there), KT_ERR_RUNTIME, both);
    CHECK_FAILS(kt_add_(v, there), KT_ERR_RUNTIME, both);
    CHECK_NEAR(kt_item(v), 2, 0);
    CHECK_FAILS(kt_add_out(kt_empty(KT_SCALAR, .device = mirror), v, v), KT_ERR_RUNTIME, both);
    CHECK_FAILS(kt_matmul(kt_ones(KT_SHAPE(2, 2), .device = mirror), kt_ones(KT_SHAPE(2, 2))), KT_ERR_RUNTIME,
                "Expected all tensors to be on the same device");
    CHECK_FAILS(kt_add(row, kt_ones(KT_SCALAR, .device = kt_device_find("mirror:0"))), KT_ERR_RUNTIME,
                "Expected all tensors to be on the same device, but found at least two devices, mirror:1 and mirror:0!");
    kt_tensor *written = kt_add_(row, v);
    CHECK(written == row && is_on(row, mirror));
    CHECK_NEAR(kt_item(kt_sum(row)), 9, 0);
    kt_tensor *out = kt_empty(KT_SHAPE(3), .device = mirror);
    CHECK(kt_mul_out(out, v, row) == out);
    CHECK_NEAR(kt_item(kt_sum(out)), 18, 0);
}

/* A policy judges its dtype, as it judges any tensor's. */
TEST(policies_judge_its_dtype)
{
    if (!load())
        return;
    KT_SCOPE;
    kt_tensor    *row = kt_ones(KT_SHAPE(3), .dtype = KT_F32, .device = mirror), *v = value(2, KT_F64);
    kt_mode_guard strict = kt_policy_open(KT_STRICT);
    kt_add(kt_ones(KT_SHAPE(3), .dtype = KT_F32), v);
    const kt_status here = kt_error_status();
    kt_clear();
    kt_add(row, v);
    CHECK_EQ_INT(kt_error_status(), here);
    kt_clear();
    CHECK(kt_add(row, value(2, KT_F32)) != NULL);
    kt_mode_close(&strict);
}

/* ---- gradients ---- */
TEST(the_gradient_comes_back)
{
    if (!load())
        return;
    KT_SCOPE;
    kt_tensor *v = value(2, KT_F64), *x = kt_full(KT_SHAPE(4), KT_INT(3), .dtype = KT_F32, .device = mirror);
    REQUIRE(!kt_set_requires_grad(v, true) && !kt_set_requires_grad(x, true));
    kt_tensor *y = kt_sum(kt_mul(kt_mul(x, v), v));
    CHECK_EQ_INT(kt_backward(y), KT_OK);
    REQUIRE(kt_grad(v) && kt_grad(x));
    CHECK(is_on(kt_grad(v), cpu) && kt_dtype_of(kt_grad(v)) == KT_F64 && kt_sizes(kt_grad(v)).n == 0);
    CHECK(is_on(kt_grad(x), mirror));
    CHECK_NEAR(kt_item(kt_grad(v)), 48, 0); /* 2 v sum(x) */
    CHECK_NEAR(kt_item(kt_sum(kt_grad(x))), 16, 0);
}

TEST(a_second_derivative_of_it)
{
    if (!load())
        return;
    KT_SCOPE;
    kt_tensor *v = value(2, KT_F32), *x = kt_full(KT_SHAPE(4), KT_INT(3), .dtype = KT_F32, .device = mirror), *g, *gg;
    REQUIRE(!kt_set_requires_grad(v, true));
    kt_tensor *y = kt_sum(kt_mul(kt_mul(kt_mul(x, v), v), v));
    REQUIRE(!kt_gradients(&y, NULL, 1, &v, 1, &(kt_gradients_opts){.size = sizeof(kt_gradients_opts), .create_graph = true}, &g));
    CHECK(is_on(g, cpu));
    CHECK_NEAR(kt_item(g), 144, 0); /* 3 v v sum(x) */
    REQUIRE(!kt_gradients(&g, NULL, 1, &v, 1, NULL, &gg));
    CHECK(is_on(gg, cpu));
    CHECK_NEAR(kt_item(gg), 144, 0); /* 6 v sum(x) */
    kt_drop(g);
    kt_drop(gg);
}

/* Tensors that the user moved: so is their gradient. */
TEST(a_move_is_moved_back)
{
    if (!load())
        return;
    KT_SCOPE;
    kt_tensor *x = kt_full(KT_SHAPE(2, 3), KT_INT(3), .dtype = KT_F32);
    REQUIRE(!kt_set_requires_grad(x, true));
    kt_tensor *y = kt_to(x, .device = mirror, .dtype = KT_F64);
    CHECK_EQ_INT(kt_backward(kt_sum(kt_mul(y, y))), KT_OK);
    REQUIRE(kt_grad(x) != NULL);
    CHECK(is_on(kt_grad(x), cpu) && kt_dtype_of(kt_grad(x)) == KT_F32);
    CHECK_NEAR(kt_item(kt_sum(kt_grad(x))), 36, 0);
    kt_tensor *into = kt_zeros(KT_SHAPE(2, 3), .device = mirror);
    kt_copy_(into, x);
    CHECK_EQ_INT(kt_backward(kt_sum(into)), KT_OK);
    CHECK(is_on(kt_grad(x), cpu));
    CHECK_NEAR(kt_item(kt_sum(kt_grad(x))), 42, 0);
}

TEST(gradients_that_the_caller_gives)
{
    if (!load())
        return;
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3), .device = mirror);
    REQUIRE(!kt_set_requires_grad(x, true));
    CHECK_EQ_INT(kt_backward(kt_sum(x), .gradient = value(5, KT_F32)), KT_OK);
    CHECK_NEAR(kt_item(kt_sum(kt_grad(x))), 15, 0);
    CHECK_FAILS(kt_backward(kt_mul(x, x), .gradient = kt_ones(KT_SHAPE(3))), KT_ERR_RUNTIME,
                "invalid gradient at index 0 - expected device mirror:1 but got cpu");
    CHECK_NEAR(kt_item(kt_sum(kt_grad(x))), 15, 0);
}
