/* nothing.c - counts below zero and NULL where a list, a name or a scope is asked for: refused, or nothing to do. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>

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
