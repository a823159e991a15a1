/* huge.c - tensors of more than 2^31 elements: sum, place of the greatest, copy, addition. KARAT_TEST_ALL=1 runs it where
 * there is memory for it. */
#include "plans.h"

#include <karat/karat.h>

static const int64_t count = (INT64_C(1) << 31) + 8;

/* In GiB, what the system says it could give. */
static double memory_left(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    char  line[128];
    long  kib = 0;
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (sscanf(line, "MemAvailable: %ld", &kib) == 1)
            break;
    if (f != NULL)
        fclose(f);
    return (double)kib / (1 << 20);
}

static bool runs_here(void)
{
    if (!test_all())
        test_skip("KARAT_TEST_ALL=1 runs it");
    else if (memory_left() < 6)
        test_skip("it takes 4 GiB, and less than 6 are left");
    else
        return true;
    return false;
}

TEST(sum_copy_add)
{
    if (!runs_here())
        return;
    KT_SCOPE;
    kt_tensor *ones = kt_full(KT_SHAPE(count), KT_INT(1), .dtype = KT_I8);
    kt_tensor *copy = kt_empty(KT_SHAPE(count), .dtype = KT_I8);
    REQUIRE(ones != NULL && copy != NULL);
    CHECK_EQ_INT(kt_item(kt_sum(ones)), count);
    kt_copy_(copy, ones);
    kt_add_(copy, ones);
    CHECK_EQ_INT(kt_item(kt_sum(copy)), 2 * count);
    CHECK_EQ_INT(kt_item(kt_select(copy, 0, count - 1)), 2);
}

TEST(place_of_the_greatest)
{
    if (!runs_here())
        return;
    int8_t *x = calloc((size_t)count, 1);
    int64_t at = 0;
    kt_plan p;
    REQUIRE(x != NULL);
    plan_dense(&p, KT_K_argmax, KT_IN_I32, 1, (void *[]){&at, x}, (kt_dtype[]){KT_I64, KT_I8}, count);
    p.stride[0][0] = 0, p.contiguous = 0;
    x[count - 3] = x[count - 2] = 1;
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK_EQ_INT(at, count - 3);
    free(x);
}
