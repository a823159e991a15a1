/* forward.c - forward mode through the public headers: levels, dual tensors, the four ways of a tangent, writes in place, views,
 * levels inside levels, nodes of one's own. */
#include "harness.h"
#include <math.h>

#include <karat/karat.h>
#include <karat/plugin/node.h>

#include "support/by_name.h"
#include "support/memory.h"

static kt_tensor *row(double a, double b, double c)
{
    return tensor_of(KT_F64, KT_SHAPE(3), (double[]){a, b, c});
}

static kt_tensor *tangent(kt_tensor *t, int64_t level)
{
    kt_tensor *primal = NULL, *of = NULL;
    CHECK_EQ_INT(kt_unpack_dual(t, level, &primal, &of), KT_OK);
    return of;
}

static void check_row(const kt_tensor *t, double a, double b, double c)
{
    const double want[] = {a, b, c};
    if (!CHECK(t != NULL))
        return;
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(tensor_at(t, i), want[i], 1e-12);
}

TEST(a_tangent_goes_along)
{
    KT_SCOPE;
    const int64_t level = kt_dual_level_enter();
    kt_tensor    *x = row(1, 2, 3), *t = row(1, -1, 2), *d = kt_make_dual(x, t, level);
    check_row(tangent(kt_mul_s(d, KT_FLOAT(3)), level), 3, -3, 6);            /* a product */
    check_row(tangent(kt_mul(d, d), level), 2, -4, 12);                       /* with both factors */
    check_row(tangent(kt_add(d, x), level), 1, -1, 2);                        /* linear, and one has none */
    check_row(tangent(kt_flip(d, KT_SHAPE(0)), level), 2, -1, 1);             /* linear */
    check_row(tangent(kt_log(d), level), 1, -0.5, 2.0 / 3);                   /* elementwise */
    check_row(tangent(kt_cumprod(d, 0), level), 1, 1, 7);                     /* any other: 1, ab, abc */
    CHECK(tangent(kt_gt_s(d, KT_INT(1)), level) == NULL);
    CHECK(tangent(kt_detach(d), level) == NULL);
    CHECK(tangent(x, level) == NULL);
    CHECK(tangent(d, level) == t);
    CHECK_EQ_INT(kt_dual_level_exit(level), KT_OK);
}

TEST(writes_in_place_reach_views)
{
    KT_SCOPE;
    const int64_t level = kt_dual_level_enter();
    kt_tensor    *d = kt_make_dual(row(1, 2, 3), row(1, -1, 2), level);
    kt_tensor    *whole = tensor_filled(KT_F64, KT_SHAPE(2, 3), 1), *part = kt_select(whole, 0, 1);
    kt_tensor    *flat = kt_view(whole, KT_SHAPE(6));
    kt_mul_(part, d);
    check_row(tangent(part, level), 1, -1, 2);
    CHECK_NEAR(tensor_at(tangent(whole, level), 4), -1, 0);
    CHECK_NEAR(tensor_at(tangent(flat, level), 5), 2, 0);
    kt_mul_s_(flat, KT_FLOAT(2));
    check_row(tangent(part, level), 2, -2, 4);
    kt_exp_(part);
    check_row(tangent(part, level), 2 * exp(2), -2 * exp(4), 4 * exp(6));
    kt_zero_(whole);
    check_row(tangent(part, level), 0, 0, 0);
    CHECK_EQ_INT(kt_dual_level_exit(level), KT_OK);
}

TEST(what_was_unpacked_has_no_tangent)
{
    KT_SCOPE;
    const int64_t level = kt_dual_level_enter();
    kt_tensor    *y = kt_mul_s(kt_make_dual(row(1, 2, 3), row(1, -1, 2), level), KT_INT(2)), *primal, *of;
    CHECK_EQ_INT(kt_unpack_dual(y, level, &primal, &of), KT_OK);
    CHECK(tangent(primal, level) == NULL);
    CHECK(tangent(kt_select(primal, 0, 1), level) == NULL); /* though the memory is that of y, which has one */
    CHECK(tangent(kt_exp(primal), level) == NULL);
    CHECK(tangent(kt_select(y, 0, 1), level) != NULL);
    CHECK_EQ_INT(kt_dual_level_exit(level), KT_OK);
}

/* d/ds d/dt (x + s + t)^3 at 0 is 6 x; neither level is mistaken for the other */
TEST(levels_nest)
{
    KT_SCOPE;
    const int64_t outer = kt_dual_level_enter();
    kt_tensor    *x = kt_make_dual(row(1, 2, 3), row(1, 1, 1), outer);
    const int64_t inner = kt_dual_level_enter();
    kt_tensor    *d = kt_make_dual(x, row(1, 1, 1), inner), *cube = kt_mul(d, kt_mul(d, d)), *slope = tangent(cube, inner);
    check_row(slope, 3, 12, 27);
    check_row(tangent(slope, outer), 6, 12, 18);
    check_row(tangent(cube, outer), 3, 12, 27);
    CHECK(tangent(x, inner) == NULL);
    kt_exp_(d);
    check_row(tangent(tangent(d, inner), outer), exp(1), exp(2), exp(3));
    CHECK_FAILS(kt_dual_level_exit(outer), KT_ERR_RUNTIME, "Trying to exit a forward AD level that was not the last one");
    CHECK_EQ_INT(kt_dual_level_exit(inner), KT_OK);
    check_row(tangent(cube, outer), 3, 12, 27);
    CHECK_EQ_INT(kt_dual_level_exit(outer), KT_OK);
}

/* The Hessian of sum(exp(x) x) times v, in both orders of the two modes. */
TEST(modes_compose)
{
    KT_SCOPE;
    const int64_t level = kt_dual_level_enter();
    kt_tensor    *x = row(0, 1, 2), *v = row(1, 2, -1), *g = NULL;
    kt_set_requires_grad(x, true);
    kt_tensor *y = kt_sum(kt_mul(kt_exp(kt_make_dual(x, v, level)), x)); /* one factor moves, the other is a constant */
    kt_tensor *slope = tangent(y, level);
    CHECK_EQ_INT(kt_gradients(&slope, NULL, 1, &x, 1, NULL, &g), KT_OK);
    check_row(g, 1, 4 * exp(1), -3 * exp(2));
    kt_drop(g);
    kt_tensor *d = kt_make_dual(kt_detach(x), v, level);
    kt_set_requires_grad(d, true);
    y = kt_sum(kt_mul(kt_exp(d), d));
    CHECK_EQ_INT(kt_gradients(&y, NULL, 1, &d, 1, NULL, &g), KT_OK);
    check_row(tangent(g, level), 2, 6 * exp(1), -4 * exp(2));
    kt_drop(g);
    CHECK_EQ_INT(kt_dual_level_exit(level), KT_OK);
}

TEST(modes_of_the_thread)
{
    KT_SCOPE;
    const int64_t level = kt_dual_level_enter();
    kt_tensor    *d = kt_make_dual(row(1, 2, 3), row(1, -1, 2), level);
    CHECK(kt_forward_enabled());
    kt_set_forward_enabled(false);
    kt_tensor *off = kt_exp(d);
    CHECK(!kt_forward_enabled() && tangent(d, level) == NULL);
    kt_set_forward_enabled(true);
    CHECK(tangent(off, level) == NULL && tangent(d, level) != NULL);
    {
        KT_NO_GRAD;
        CHECK(tangent(kt_exp(d), level) != NULL);
    }
    kt_set_inference(true);
    kt_tensor *inferred = kt_exp(d);
    kt_set_inference(false);
    CHECK(tangent(inferred, level) == NULL);
    CHECK_EQ_INT(kt_dual_level_exit(level), KT_OK);
    CHECK(kt_dual_levels(d) == 0);
}

TEST(refusals)
{
    KT_SCOPE;
    kt_tensor *x = row(1, 2, 3), *t = row(1, 1, 1), *primal, *of;
    CHECK_FAILS(kt_make_dual(x, t, 0), KT_ERR_RUNTIME, "Invalid level given to _make_dual");
    CHECK_FAILS(kt_dual_level_exit(0), KT_ERR_RUNTIME, "Trying to exit a forward AD level");
    const int64_t level = kt_dual_level_enter();
    CHECK_FAILS(kt_make_dual(NULL, t, level), KT_ERR_TYPE, "expected a tensor, got NULL");
    CHECK_FAILS(kt_make_dual(x, tensor_filled(KT_F64, KT_SHAPE(2), 1), level), KT_ERR_RUNTIME,
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
                "supported. Tensor is of size [3] while the given forward gradient is of size [2].");
    CHECK_FAILS(kt_make_dual(tensor_filled(KT_I64, KT_SHAPE(3), 1), t, level), KT_ERR_VALUE,
                "Expected primal to be floating point or complex, but got: torch.int64");
    kt_tensor *d = kt_make_dual(x, t, level);
    CHECK_FAILS(kt_make_dual(d, t, level), KT_ERR_RUNTIME, "Making a dual Tensor based on a Tensor that already has a forward");
    CHECK_FAILS(kt_make_dual(t, d, level), KT_ERR_RUNTIME, "Setting a forward grad that itself has a forward gradient");
    CHECK_FAILS(kt_unpack_dual(d, level, NULL, &of), KT_ERR_TYPE, "kt_unpack_dual: a pointer");
    CHECK_FAILS(kt_unpack_dual(d, 9, &primal, &of), KT_ERR_RUNTIME, "Invalid level given to _fw_primal");
    CHECK_FAILS(by_name("add", KT_OUT, row(0, 0, 0), "tt", d, x), KT_ERR_NOT_IMPLEMENTED,
                "Trying to use forward AD with add_out that does not support it because it is an out= function");
    CHECK_FAILS(by_name("floor_divide", KT_PLAIN, NULL, "tt", d, x), KT_ERR_NOT_IMPLEMENTED,
                "Trying to use forward AD with aten::floor_divide that does not support it.");
    CHECK_EQ_INT(kt_dual_level_exit(level), KT_OK);
}

/* ---- a node of one's own: x^2, whose tangent is set by hand ---- */

static kt_tensor *square(kt_tensor *x)
{
    kt_mode_guard below = kt_below_level_open(0);
    kt_tensor    *y = kt_mul(x, x);
    kt_mode_close(&below);
    for (uint64_t left = kt_dual_levels(x); left; left &= left - 1) {
        const int64_t level = __builtin_ctzll(left);
        kt_tensor    *t = NULL;
        if (kt_tangent_of(x, level, &t))
            return NULL;
        below = kt_below_level_open(level);
        kt_status status = kt_tangent_set(y, kt_mul_s(kt_mul(x, t), KT_INT(2)), level, false);
        kt_mode_close(&below);
        kt_drop(t);
        if (status)
            return NULL;
    }
    return y;
}

TEST(tangents_by_hand)
{
    KT_SCOPE;
    const int64_t outer = kt_dual_level_enter();
    kt_tensor    *x = kt_make_dual(row(1, 2, 3), row(1, 1, 1), outer);
    const int64_t inner = kt_dual_level_enter();
    kt_tensor    *y = square(kt_make_dual(x, row(1, 2, 3), inner));
    check_row(tangent(y, outer), 2, 4, 6);
    check_row(tangent(y, inner), 2, 8, 18);
    check_row(tangent(tangent(y, inner), outer), 2, 4, 6);
    CHECK_FAILS(kt_tangent_set(y, row(0, 0, 0), 7, false), KT_ERR_RUNTIME, "Invalid level given to kt_tangent_set");
    CHECK_FAILS(kt_tangent_of(y, inner, NULL), KT_ERR_TYPE, "kt_tangent_of: the pointer");
    CHECK_EQ_INT(kt_dual_level_exit(inner), KT_OK);
    CHECK_EQ_INT(kt_dual_level_exit(outer), KT_OK);
}

/* ---- memory ---- */

TEST(a_levels_end_frees_its_tangents)
{
    const uint64_t before = live_bytes();
    {
        KT_SCOPE;
        kt_tensor    *kept = NULL;
        const int64_t level = kt_dual_level_enter();
        {
            KT_SCOPE;
            kt_tensor *x = tensor_filled(KT_F64, KT_SHAPE(1000), 1), *d = kt_make_dual(x, kt_neg(x), level);
            kept = kt_keep(kt_exp(d));
            kt_cumprod(d, 0);
        }
        const uint64_t with = live_bytes();
        CHECK_EQ_INT(kt_dual_level_exit(level), KT_OK);
        CHECK(live_bytes() + 8000 <= with); /* kept's own is gone, kept is not */
        kt_drop(kept);
    }
    CHECK_EQ_INT(live_bytes(), before);
}

TEST(without_memory_a_call_fails_and_leaves_nothing)
{
    int64_t after = 0;
    for (bool failed = true; failed; after++) {
        const uint64_t before = live_bytes();
        KT_SCOPE;
        {
            KT_SCOPE;
            const int64_t level = kt_dual_level_enter();
            kt_tensor    *x = tensor_filled(KT_F64, KT_SHAPE(1000), 1), *d = kt_make_dual(x, kt_neg(x), level);
            kt_memory_fail_after(after);
            kt_cumprod(kt_mul(kt_exp(d), d), 0);
            kt_memory_fail_after(-1);
            failed = kt_failed();
            kt_clear();
            CHECK_EQ_INT(kt_dual_level_exit(level), KT_OK);
        }
        CHECK_EQ_INT(live_bytes(), before);
    }
    CHECK(after > 10);
}
