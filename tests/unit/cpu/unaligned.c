/* unaligned.c - memory wrapped at any byte: every family of kernels gives what it gives with aligned memory, results land in the
 * memory of the caller, and what lies around it is left alone. The loads and stores are looked at by `make asan`. */
#include "harness.h"

#include <karat/karat.h>
#include <string.h>

enum { N = 24, ROOM = N * 16 + 16 };

typedef struct placed {
    char       room[ROOM] __attribute__((aligned(16)));
    kt_tensor *t;
} placed;

static kt_tensor *numbers(kt_dtype dtype)
{
    return kt_reshape(kt_to(kt_arange(KT_INT(0), KT_INT(N)), .dtype = dtype), KT_SHAPE(4, 6));
}

static void place(placed *p, kt_dtype dtype, int offset)
{
    memset(p->room, 0x5a, sizeof p->room);
    p->t = kt_wrap(p->room + offset, KT_SHAPE(4, 6), dtype, NULL, NULL);
    kt_copy_(p->t, numbers(dtype));
}

static bool same(const kt_tensor *a, const kt_tensor *b)
{
    return kt_item(kt_all(kt_eq(a, b))) == 1;
}

static bool around_is_whole(const placed *p, int offset)
{
    const int end = offset + N * (int)kt_dtype_size(kt_dtype_of(p->t));
    for (int i = 0; i < ROOM; i++)
        if ((i < offset || i >= end) && p->room[i] != 0x5a)
            return false;
    return true;
}

static void check_all(kt_dtype dtype, int offset)
{
    KT_SCOPE;
    placed     p;
    kt_tensor *plain = numbers(dtype), *index = kt_from((int64_t[]){2, 0}, KT_SHAPE(2), KT_I64);
    place(&p, dtype, offset);
    CHECK(same(kt_add(p.t, p.t), kt_add(plain, plain)));
    CHECK(same(kt_sum(p.t), kt_sum(plain)));
    CHECK(same(kt_cumsum(kt_t(p.t), 1), kt_cumsum(kt_t(plain), 1)));
    CHECK(same(kt_matmul(p.t, kt_t(p.t)), kt_matmul(plain, kt_t(plain))));
    CHECK(same(kt_index_select(p.t, 0, index), kt_index_select(plain, 0, index)));
    kt_mul_(kt_t(p.t), kt_t(p.t));
    kt_mul_(plain, plain);
    kt_triu_(p.t);
    kt_triu_(plain);
    kt_fill_s_(kt_select(p.t, 1, 2), KT_INT(3));
    kt_fill_s_(kt_select(plain, 1, 2), KT_INT(3));
    kt_add_out(p.t, kt_t(kt_t(p.t)), plain);
    kt_add_(plain, plain);
    CHECK(same(p.t, plain) && !kt_failed());
    CHECK(around_is_whole(&p, offset));
}

TEST(families)
{
    static const kt_dtype dtypes[] = {KT_U8, KT_I16, KT_BF16, KT_F32, KT_I64, KT_F64, KT_C64, KT_C128};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        for (int offset = 0; offset < 16; offset += offset < 4 ? 1 : 3)
            check_all(dtypes[i], offset);
}
