/* conversions.c - what a thread's calls convert: the counts, reasons and lines of kt_collect. */
#define KT_SITES
#include "harness.h"

#include <karat/karat.h>
#include <pthread.h>
#include <string.h>

static kt_conversion at(const kt_conversions *c, int64_t i)
{
    kt_conversion one = {.size = sizeof one};
    CHECK(kt_conversions_read(c, i, &one));
    return one;
}

static int64_t n_of(const kt_conversions *c)
{
    kt_conversion one = {.size = sizeof one};
    int64_t       n = 0;
    while (kt_conversions_read(c, n, &one))
        n++;
    return n;
}

TEST(conversions_are_counted_by_line)
{
    KT_SCOPE;
    kt_conversions *seen = NULL;
    kt_tensor      *half = kt_ones(KT_SHAPE(4), .dtype = KT_F16), *wide = kt_ones(KT_SHAPE(4)), *column = kt_ones(KT_SHAPE(4, 1));
    kt_mul(half, wide); /* nobody wants to know */
    const kt_collecting before = kt_collect(KT_COLLECT_REGION, (kt_collecting){&seen, 1});
    kt_mul(wide, wide);
    CHECK(!before.into && !seen); /* no conversion, no table */
    for (int i = 0; i < 3; i++)
        kt_mul(half, wide);
    kt_collect(KT_COLLECT_REGION, (kt_collecting){&seen, 2});
    kt_add(half, column);
    kt_to(wide, .dtype = KT_F64);
    kt_collect(KT_COLLECT_REGION, before);
    kt_mul(half, wide);
    CHECK(n_of(seen) == 3);
    const kt_conversion mul = at(seen, 0), add = at(seen, 1), to = at(seen, 2);
    CHECK_STR(mul.op, "mul");
    CHECK(mul.from == KT_F16 && mul.to == KT_F32 && mul.why == KT_WHY_PROMOTION && mul.phase == 1);
    CHECK(mul.count == 3 && mul.bytes == 24 && strstr(mul.file, "conversions.c") && mul.line > 0);
    CHECK(add.phase == 2 && add.count == 1 && add.bytes == 8 && add.line == mul.line + 2);
    CHECK(to.why == KT_WHY_EXPLICIT && to.from == KT_F32 && to.to == KT_F64 && to.bytes == 16);
    kt_conversions_free(seen);
}

TEST(trial_calls_and_nothing_are_not_counted)
{
    KT_SCOPE;
    kt_conversions     *seen = NULL;
    const kt_collecting before = kt_collect(KT_COLLECT_REGION, (kt_collecting){&seen, 0});
    CHECK(!kt_matmul(kt_ones(KT_SHAPE(2, 2)), kt_ones(KT_SHAPE(2, 2), .dtype = KT_F64))); /* its fixes are tried */
    kt_clear();
    kt_mul(kt_ones(KT_SHAPE(0)), kt_ones(KT_SHAPE(0), .dtype = KT_F16));
    kt_collect(KT_COLLECT_REGION, before);
    CHECK(!seen && !kt_conversions_read(seen, 0, &(kt_conversion){.size = sizeof(kt_conversion)}));
    kt_conversions_free(NULL);
}

static void *convert_often(void *into)
{
    KT_SCOPE;
    kt_collect(KT_COLLECT_REGION, (kt_collecting){into, 0});
    kt_tensor *half = kt_ones(KT_SHAPE(2), .dtype = KT_F16), *wide = kt_ones(KT_SHAPE(2));
    for (int i = 0; i < 500; i++)
        kt_mul(half, wide);
    kt_collect(KT_COLLECT_REGION, (kt_collecting){NULL, 0});
    return NULL;
}

TEST(threads_share_a_table)
{
    kt_conversions *seen = NULL;
    pthread_t       thread[2];
    for (int i = 0; i < 2; i++)
        CHECK(!pthread_create(&thread[i], NULL, convert_often, &seen));
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    CHECK(n_of(seen) == 1 && at(seen, 0).count == 1000);
    kt_conversions_free(seen);
}
