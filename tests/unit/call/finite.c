/* finite.c - the search for the first operator or node whose result is not finite though its inputs are. */
#define KT_SITES
#include "harness.h"

#include <karat/karat.h>
#include <math.h>
#include <string.h>

static kt_not_finite found(void)
{
    kt_not_finite f = {.size = sizeof f};
    CHECK(kt_first_not_finite(&f));
    return f;
}

static bool found_none(void) { return !kt_first_not_finite(&(kt_not_finite){.size = sizeof(kt_not_finite)}); }

TEST(the_first_call_is_named)
{
    KT_SCOPE;
    kt_tensor *x = kt_full(KT_SHAPE(3), KT_FLOAT(100.0));
    kt_exp(x);
    kt_search_not_finite(true);
    kt_sqrt(x);
    CHECK(found_none());
    kt_tensor *y = kt_exp(x); const int line = __LINE__;
    kt_log(kt_neg(x)); /* a NaN, later */
    const kt_not_finite f = found();
    CHECK_STR(f.op, "exp");
    CHECK(f.line == line && strstr(f.file, "finite.c") && !f.backward && !f.nan);
    kt_search_not_finite(true);
    kt_mul(y, y); /* not its doing */
    CHECK(found_none());
    const float some[] = {-INFINITY, 1000.0f, 1.0f};
    kt_exp(kt_from(some, KT_SHAPE(3), KT_F32)); /* of the second element it is */
    CHECK_STR(found().op, "exp");
    kt_search_not_finite(true);
    kt_mul_(kt_full(KT_SHAPE(2), KT_FLOAT(1e30)), kt_full(KT_SHAPE(2), KT_FLOAT(1e30)));
    CHECK_STR(found().op, "mul");
    kt_search_not_finite(true);
    kt_div(kt_zeros(KT_SHAPE(1)), kt_zeros(KT_SHAPE(1)));
    CHECK(found().nan);
    kt_search_not_finite(false);
    CHECK(!kt_failed());
}

TEST(what_is_meant_is_not_named)
{
    KT_SCOPE;
    kt_search_not_finite(true);
    kt_tensor *x = kt_zeros(KT_SHAPE(2, 3)), *mask = kt_ones(KT_SHAPE(2, 3), .dtype = KT_BOOL);
    kt_masked_fill(x, mask, KT_FLOAT(-INFINITY));
    kt_full(KT_SHAPE(2), KT_FLOAT(INFINITY));
    kt_softmax(x, 1);
    kt_tensor *masked = kt_masked_fill(x, mask, KT_FLOAT(-INFINITY));
    kt_neg(masked);
    kt_add(masked, x);
    kt_ones(KT_SHAPE(2), .dtype = KT_I64);
    CHECK(found_none());
    kt_search_not_finite(false);
    kt_exp(kt_full(KT_SHAPE(1), KT_FLOAT(1000.0)));
    CHECK(found_none());
}

TEST(a_node_of_backward_is_named_with_its_forward_line)
{
    KT_SCOPE;
    kt_tensor *x = kt_zeros(KT_SHAPE(2), .requires_grad = true);
    kt_search_not_finite(true);
    kt_tensor *y = kt_sqrt(x); const int line = __LINE__;
    kt_backward(kt_sum(y));
    const kt_not_finite f = found();
    CHECK_STR(f.op, "SqrtBackward0");
    CHECK(f.backward && f.line == line && !f.nan);
    kt_search_not_finite(false);
    CHECK(!kt_first_not_finite(NULL));
}
