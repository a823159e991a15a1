/* optimizer.c - steps of optimizers: all tensors of a list are updated, by the same bits on any number of threads; a refused step
 * changes nothing. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>

enum { MOST = 30 };

static kt_tensor *numbers(int64_t n, kt_dtype dtype, double from)
{
    return kt_to(kt_sin(kt_add_s(kt_arange(KT_INT(0), KT_INT(n), .dtype = KT_F64), KT_FLOAT(from))), .dtype = dtype);
}

static int64_t size_of(int i) { return i == 3 ? 0 : i == 7 ? 200000 : i % 5 == 0 ? 5000 + i : 17 * i + 1; }

typedef struct lists {
    kt_tensor *p[MOST], *g[MOST], *m[MOST], *v[MOST], *steps[MOST];
} lists;

static void fill(lists *l, int n)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_F64, KT_BF16, KT_F16, KT_F32};
    for (int i = 0; i < n; i++) {
        const kt_dtype d = dtypes[i % 5];
        l->p[i] = numbers(size_of(i), d, i);
        l->g[i] = numbers(size_of(i), d, i + 1);
        l->m[i] = numbers(size_of(i), d, i + 2);
        l->v[i] = kt_abs(numbers(size_of(i), d, i + 3));
        l->steps[i] = kt_full(KT_SCALAR, KT_FLOAT(1.0 + i));
    }
}

static kt_status adamw(lists *l, int from, int n)
{
    return kt_fused_adamw_(l->p + from, n, l->g + from, n, l->m + from, n, l->v + from, n, NULL, 0, l->steps + from, n, 0.01, 0.9,
                           0.999, 0.02, 1e-8, false, false);
}

TEST(all_are_as_each_alone)
{
    KT_SCOPE;
    lists together, alone;
    fill(&together, MOST);
    fill(&alone, MOST);
    CHECK_EQ_INT(adamw(&together, 0, MOST), KT_OK);
    const int threads = kt_get_num_threads();
    kt_set_num_threads(1);
    for (int i = 0; i < MOST; i++)
        CHECK_EQ_INT(adamw(&alone, i, 1), KT_OK);
    kt_set_num_threads(threads);
    for (int i = 0; i < MOST; i++) {
        KT_SCOPE;
        CHECK(kt_item(kt_all(kt_eq(together.p[i], alone.p[i]))) == 1);
        CHECK(kt_item(kt_all(kt_eq(together.m[i], alone.m[i]))) == 1);
        CHECK(kt_item(kt_all(kt_eq(together.v[i], alone.v[i]))) == 1);
    }
}

/* One step from nothing: the averages cancel their corrections. */
TEST(the_first_step_is_the_learning_rate)
{
    KT_SCOPE;
    kt_tensor *p = kt_ones(KT_SHAPE(40), .dtype = KT_F64), *g = kt_full(KT_SHAPE(40), KT_FLOAT(-0.3), .dtype = KT_F64);
    kt_tensor *m = kt_zeros_like(p), *v = kt_zeros_like(p), *step = kt_ones(KT_SCALAR);
    CHECK_EQ_INT(kt_fused_adam_(&p, 1, &g, 1, &m, 1, &v, 1, NULL, 0, &step, 1, 0.01, 0.9, 0.999, 0, 0, false, false), KT_OK);
    CHECK(fabs(kt_item(kt_max(p)) - 1.01) < 1e-12 && fabs(kt_item(kt_min(p)) - 1.01) < 1e-12);
}

TEST(a_refused_step_changes_nothing)
{
    KT_SCOPE;
    lists l;
    fill(&l, 3);
    kt_tensor *kept = kt_clone(l.p[0]);
    l.g[2] = kt_ones(KT_SHAPE(1));
    CHECK_EQ_INT(adamw(&l, 0, 3), KT_ERR_RUNTIME);
    CHECK(strstr(kt_error(), "expected scalar type BFloat16 but found Float") != NULL);
    kt_clear();
    l.g[2] = kt_ones(KT_SHAPE(5), .dtype = KT_BF16);
    CHECK_EQ_INT(adamw(&l, 0, 3), KT_ERR_RUNTIME);
    CHECK(strstr(kt_error(), "grads must have the sizes of their parameters") != NULL);
    kt_clear();
    CHECK(kt_item(kt_all(kt_eq(kept, l.p[0]))) == 1);
}

TEST(gradients_lose_their_scale_together)
{
    KT_SCOPE;
    lists l, kept;
    fill(&l, MOST);
    fill(&kept, MOST);
    kt_tensor *found = kt_zeros(KT_SCALAR), *factor = kt_full(KT_SCALAR, KT_FLOAT(0.25));
    CHECK_EQ_INT(kt_amp_foreach_non_finite_check_and_unscale_(l.g, MOST, found, factor), KT_OK);
    CHECK(kt_item(found) == 0);
    for (int i = 0; i < MOST; i++) {
        KT_SCOPE;
        CHECK(kt_item(kt_all(kt_eq(l.g[i], kt_mul_s(kept.g[i], KT_FLOAT(0.25))))) == 1);
    }
    CHECK(kt_fill_s_(kt_narrow(l.g[7], 0, 150000, 1), KT_FLOAT(INFINITY)) != NULL);
    CHECK_EQ_INT(kt_amp_foreach_non_finite_check_and_unscale_(l.g, MOST, found, factor), KT_OK);
    CHECK(kt_item(found) == 1);
}
