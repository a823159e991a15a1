/* nothing.c - counts below zero and NULL where a list, a name or a scope is asked for: refused, or nothing to do. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <string.h>

static kt_tensor *cat(kt_tensor *const *t, int64_t n) { return kt_cat(t, n); }
static kt_tensor *concat(kt_tensor *const *t, int64_t n) { return kt_concat(t, n); }
static kt_tensor *concatenate(kt_tensor *const *t, int64_t n) { return kt_concatenate(t, n); }
static kt_tensor *stack(kt_tensor *const *t, int64_t n) { return kt_stack(t, n); }
static kt_tensor *einsum(kt_tensor *const *t, int64_t n) { return kt_einsum("i->i", t, n); }

TEST(counts_below_zero)
{
    KT_SCOPE;
    kt_tensor *t[1] = {kt_ones(KT_SHAPE(2))};
    kt_tensor *(*const joins[])(kt_tensor *const *, int64_t) = {
        cat, concat, concatenate, stack, einsum, kt_block_diag, kt_cartesian_prod, kt_hstack, kt_vstack, kt_row_stack, kt_dstack,
        kt_column_stack, kt_chain_matmul};
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++)
        for (int64_t n = -1; n > INT64_MIN / 4; n *= 4) {
            CHECK(!joins[i](t, n) && kt_failed());
            kt_clear();
        }
}

TEST(names_and_scopes_that_are_not_there)
{
    CHECK(kt_row_find(NULL) == NULL && !kt_failed());
    CHECK_EQ_INT(kt_device_find(NULL).kind, -1);
    kt_clear();
    kt_scope_close(NULL);
    CHECK(!kt_failed());
}

TEST(a_buffer_that_is_not_there)
{
    KT_SCOPE;
    kt_tensor *t = kt_ones(KT_SHAPE(2, 3)), *turned = kt_t(t);
    CHECK(kt_read(t, NULL, 24) == KT_ERR_VALUE);
    kt_clear();
    CHECK(kt_read(turned, NULL, 24) == KT_ERR_VALUE);
    kt_clear();
    CHECK(kt_read(kt_ones(KT_SHAPE(0)), NULL, 0) == KT_OK);
}

TEST(a_policy_that_is_not_there)
{
    static const int none[] = {-1, 4, 55, 77, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        kt_set_policy((kt_policy)none[i]);
        CHECK(kt_error_status() == KT_ERR_VALUE);
        kt_clear();
        CHECK_EQ_INT(kt_get_policy(), KT_TORCH);
        {
            KT_POLICY((kt_policy)none[i]);
            CHECK(kt_failed());
            CHECK_EQ_INT(kt_get_policy(), KT_TORCH);
            kt_clear();
        }
    }
}

static kt_status fails_without_a_word(kt_tensor *grad, void *context, kt_tensor **instead)
{
    (void)grad;
    (void)context;
    (void)instead;
    return KT_ERR_VALUE;
}

TEST(a_hook_that_fails_without_a_word)
{
    KT_SCOPE;
    kt_tensor *w = kt_ones(KT_SHAPE(2), .requires_grad = true), *made = kt_mul(w, w);
    kt_hook_drop(kt_hook_add(made, "silent", fails_without_a_word, NULL, NULL));
    CHECK(kt_backward(kt_sum(made)) == KT_ERR_VALUE);
    CHECK(kt_failed() && strstr(kt_error(), "silent"));
    kt_clear();
    kt_tensor *leaf = kt_ones(KT_SHAPE(2), .requires_grad = true);
    kt_hook_drop(kt_hook_add_after(leaf, "after", fails_without_a_word, NULL, NULL));
    CHECK(kt_backward(kt_sum(leaf)) == KT_ERR_VALUE);
    CHECK(kt_failed() && strstr(kt_error(), "after"));
    kt_clear();
}
