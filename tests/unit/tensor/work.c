/* work.c - a binding's lock is open while long kernels run, and only then; lent memory outlives what it was lent from. */
#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <karat/plugin/work.h>

#include "harness.h"

static int  opened, shut, waited;
static bool asleep; /* the lock stays shut */

static void *open_lock(kt_work why)
{
    CHECK(opened == shut);
    if (asleep)
        return NULL;
    opened++;
    waited += why != KT_WORK_KERNEL;
    return &opened;
}

static void shut_lock(void *what)
{
    CHECK(what == &opened);
    shut++;
}

static const kt_work_lock lock = {.abi = KT_WORK_ABI, .size = sizeof lock, .open = open_lock, .shut = shut_lock};
static const kt_work_lock another = {.abi = KT_WORK_ABI, .size = sizeof another, .open = open_lock, .shut = shut_lock};
static const kt_work_lock old = {.abi = KT_WORK_ABI + 1, .size = sizeof old};

static int openings(void)
{
    int n = opened;
    CHECK(opened == shut);
    opened = shut = 0;
    return n;
}

TEST(long_kernels_alone_open_it)
{
    KT_SCOPE;
    kt_tensor *large = kt_ones(KT_SHAPE(200000)), *small = kt_ones(KT_SHAPE(1000));
    openings();
    CHECK(kt_work_register(&lock) == KT_OK && kt_work_register(&lock) == KT_OK);
    kt_add(small, small);
    kt_matmul(kt_ones(KT_SHAPE(10, 10)), kt_ones(KT_SHAPE(10, 10)));
    kt_randn(KT_SHAPE(1000));
    CHECK(openings() == 0);
    kt_add(large, large);
    CHECK(openings() == 1);
    kt_sum(large);
    CHECK(openings() == 1);
    kt_randn(KT_SHAPE(200000));
    CHECK(openings() >= 1);
    kt_tensor *square = kt_ones(KT_SHAPE(150, 150)); /* few results, many products */
    openings();
    kt_matmul(square, square);
    CHECK(openings() == 1);
    asleep = true;
    CHECK(kt_add(large, large) != NULL && openings() == 0);
    asleep = false;
    CHECK(waited == 0);
}

TEST(one_lock_a_process)
{
    CHECK(kt_work_register(&lock) == KT_OK);
    CHECK(kt_work_register(&another) != KT_OK);
    kt_clear();
    CHECK(kt_work_register(&old) != KT_OK);
    kt_clear();
    CHECK(kt_work_register(NULL) != KT_OK);
    kt_clear();
}

TEST(lent_memory_is_kept)
{
    KT_SCOPE;
    kt_tensor *t = kt_full(KT_SHAPE(300), KT_FLOAT(2)), *lent = NULL;
    REQUIRE(kt_lend(t, false, &lent) == KT_OK);
    const float *memory = kt_data(lent);
    CHECK(kt_set_data(t, kt_zeros(KT_SHAPE(3))) == KT_OK && kt_numel(t) == 3);
    kt_full(KT_SHAPE(300), KT_FLOAT(7)); /* would be given the memory if it were free */
    CHECK(memory[0] == 2 && memory[299] == 2);
    kt_drop(lent);
    CHECK(kt_lend(NULL, false, &lent) != KT_OK);
    kt_clear();
}

TEST(memory_that_others_know_is_not_resized)
{
    KT_SCOPE;
    kt_tensor *t = kt_ones(KT_SHAPE(300)), *lent = NULL;
    REQUIRE(kt_lend(t, true, &lent) == KT_OK);
    kt_drop(lent);
    CHECK(kt_resize_(t, KT_SHAPE(100)) != NULL);
    CHECK(kt_resize_(t, KT_SHAPE(1000)) == NULL);
    CHECK(strncmp(kt_error(), "Trying to resize storage that is not resizable\n", 46) == 0);
    kt_clear();
    REQUIRE(kt_lend(kt_ones(KT_SHAPE(3)), false, &lent) == KT_OK);
    CHECK(kt_resize_(lent, KT_SHAPE(1000)) != NULL);
    kt_drop(lent);
}
