/* strides.c - the arithmetic of sizes and strides against a model that walks every element. */
#include "harness.h"

#include <karat/karat.h>
#include <stdlib.h>

#include "tensor/tensor.h"

#define S KT_SHAPE

/* ---- the model: every index of a geometry, in row-major order, as an offset ---- */
enum { MOST = 4096 };

static int offsets(kt_shape shape, const int64_t *strides, int64_t *out)
{
    int64_t index[KT_MAX_DIMS] = {0};
    int     n = 0;
    for (int64_t i = 0; i < shape.n; i++)
        if (shape.d[i] == 0)
            return 0;
    for (;;) {
        int64_t at = 0;
        for (int64_t i = 0; i < shape.n; i++)
            at += index[i] * strides[i];
        out[n++] = at;
        int64_t d = shape.n - 1;
        while (d >= 0 && ++index[d] == shape.d[d])
            index[d--] = 0;
        if (d < 0)
            return n;
    }
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool reaches_each_once(const int64_t *sorted, int n)
{
    for (int i = 1; i < n; i++)
        if (sorted[i] == sorted[i - 1])
            return false;
    return true;
}

/* A random geometry of small sizes. */
static int random_geometry(int64_t *sizes, int64_t *strides)
{
    const int rank = (int)test_below(5);
    for (int i = 0; i < rank; i++) {
        sizes[i] = (int64_t)test_below(8) == 0 ? 0 : 1 + (int64_t)test_below(4);
        strides[i] = (int64_t)test_below(13);
    }
    if (test_below(2)) { /* half of them dense in some order, perhaps with a gap */
        int64_t step = 1;
        bool    used[8] = {false};
        for (int k = 0; k < rank; k++) {
            int d = (int)test_below((uint64_t)rank);
            while (used[d])
                d = (d + 1) % rank;
            used[d] = true;
            strides[d] = step;
            step *= sizes[d] > 1 ? sizes[d] : 1;
            step += test_below(6) == 0;
        }
    }
    return rank;
}

TEST(random_geometries)
{
    static int64_t a[MOST], b[MOST];
    int            dense = 0, viewable = 0;
    for (int round = 0; round < (test_all() ? 400000 : 20000); round++) {
        int64_t        sizes[8], strides[8], out[8];
        const int      rank = random_geometry(sizes, strides);
        const kt_shape shape = {rank, sizes}, steps = {rank, strides};
        const int      n = offsets(shape, strides, a);
        bool           row_major = true, same = true;
        for (int i = 0; i < n; i++)
            row_major &= a[i] == i;
        CHECK_EQ_INT(kt__is_row_major(shape, steps), row_major);
        memcpy(b, a, (size_t)n * sizeof *b);
        qsort(b, (size_t)n, sizeof *b, by_value);
        const bool once = reaches_each_once(b, n), packed = n == 0 || (once && b[n - 1] == n - 1);
        CHECK_EQ_INT(kt__is_dense(shape, steps), packed);
        dense += packed;

        kt__preserved_strides(shape, steps, out); /* dense, and in the order of the original */
        offsets(shape, out, b);
        for (int i = 1; i < n && packed; i++)
            same &= a[i] == b[i];
        CHECK_MSG(same, "a dense layout is kept");
        qsort(b, (size_t)n, sizeof *b, by_value);
        CHECK_MSG(n == 0 || (reaches_each_once(b, n) && b[n - 1] == n - 1), "what is preserved is dense");

        kt_tensor t = {.ndim = (uint8_t)rank,
                       .numel = n,
                       .sizes = sizes,
                       .strides = strides,
                       .flags = row_major ? KT_T_CONTIGUOUS : 0};
        if (!once)
            CHECK_MSG(kt__overlaps_itself(&t), "two indices reach one element");
        else if (packed)
            CHECK_MSG(!kt__overlaps_itself(&t), "dense, yet said to overlap");

        int64_t to[8];
        int     new_rank = 0, left = n; /* a random shape of the same count */
        while (left > 1 && new_rank < 6) {
            int factor = 1 + (int)test_below((uint64_t)left);
            while (left % factor)
                factor--;
            to[new_rank++] = factor;
            left /= factor;
        }
        if (new_rank == 6)
            to[5] *= left;
        if (n > 0) {
            const bool can = kt__view_strides(shape, steps, (kt_shape){new_rank, to}, out);
            if (can) {
                CHECK_EQ_INT(offsets((kt_shape){new_rank, to}, out, b), n);
                CHECK_MSG(memcmp(a, b, (size_t)n * sizeof *a) == 0, "a view shows the same elements in the same order");
            }
            CHECK_MSG(can || !row_major, "a dense tensor has every view");
            viewable += can;
        }
    }
    CHECK(dense > 1000 && viewable > 1000);
}

TEST(counting)
{
    int64_t n = -1;
    CHECK_EQ_INT(kt__count(KT_SCALAR, &n), KT_OK);
    CHECK_EQ_INT(n, 1);
    CHECK_EQ_INT(kt__count(S(2, 3, 4), &n), KT_OK);
    CHECK_EQ_INT(n, 24);
    CHECK_EQ_INT(kt__count(S(0, INT64_MAX, INT64_MAX), &n), KT_OK);
    CHECK_EQ_INT(n, 0);
    CHECK_FAILS(kt__count(S(INT64_MAX, 2), &n), KT_ERR_RUNTIME,
                "Storage size calculation overflowed with sizes=[9223372036854775807, 2]");
    CHECK_FAILS(kt__count(S(3, -1), &n), KT_ERR_RUNTIME, "Trying to create tensor with negative dimension -1: [3, -1]");
}

TEST(dense_and_format_strides)
{
    int64_t out[5];
    kt__dense_strides(S(2, 3, 4), out);
    CHECK(out[0] == 12 && out[1] == 4 && out[2] == 1);
    kt__dense_strides(S(2, 0, 4), out); /* a dim of none counts as one */
    CHECK(out[0] == 4 && out[1] == 4 && out[2] == 1);
    CHECK(kt__format_strides(S(2, 3, 4, 5), KT_CHANNELS_LAST, out));
    CHECK(out[0] == 60 && out[1] == 1 && out[2] == 15 && out[3] == 3);
    CHECK(kt__format_strides(S(2, 3, 4, 5, 6), KT_CHANNELS_LAST_3D, out));
    CHECK(out[0] == 360 && out[1] == 1 && out[2] == 90 && out[3] == 18 && out[4] == 3);
    CHECK(!kt__format_strides(S(2, 3, 4), KT_CHANNELS_LAST, out));
    CHECK(!kt__format_strides(S(2, 3, 4, 5), KT_CHANNELS_LAST_3D, out));
    CHECK(kt__format_strides(S(2, 3), KT_CONTIGUOUS_FORMAT, out) && out[0] == 3 && out[1] == 1);
}

TEST(a_broadcast_layout_is_packed_by_its_other_strides)
{
    int64_t out[3];
    kt__preserved_strides(S(3, 4), S(1, 0), out);
    CHECK(out[0] == 4 && out[1] == 1);
    kt__preserved_strides(S(4, 3), S(0, 1), out);
    CHECK(out[0] == 3 && out[1] == 1);
    kt__preserved_strides(S(2, 3), S(1, 10), out); /* a gap */
    CHECK(out[0] == 1 && out[1] == 2);
}

TEST(overlap_of_two)
{
    KT_SCOPE;
    kt_tensor *a = kt_zeros(S(4, 4)), *other = kt_zeros(S(4, 4));
    CHECK_EQ_INT(kt__overlap_of(a, a), KT_OVERLAP_FULL);
    CHECK_EQ_INT(kt__overlap_of(a, kt_alias(a)), KT_OVERLAP_FULL);
    CHECK_EQ_INT(kt__overlap_of(a, other), KT_OVERLAP_NONE);
    CHECK_EQ_INT(kt__overlap_of(kt_select(a, 0, 0), kt_select(a, 0, 1)), KT_OVERLAP_NONE);
    CHECK_EQ_INT(kt__overlap_of(a, kt_t(a)), KT_OVERLAP_PARTIAL);
    CHECK_EQ_INT(kt__overlap_of(a, kt_select(a, 0, 1)), KT_OVERLAP_PARTIAL);
    CHECK_EQ_INT(kt__overlap_of(kt_select(a, 1, 0), kt_select(a, 1, 1)), KT_OVERLAP_NONE);
    CHECK_EQ_INT(kt__overlap_of(kt_narrow(a, 0, 0, 0), a), KT_OVERLAP_NONE);
    CHECK_EQ_INT(kt__overlap_of(a, kt_view_dtype(a, KT_I32)), KT_OVERLAP_FULL);
    CHECK_EQ_INT(kt__overlap_of(a, kt_view_dtype(a, KT_I16)), KT_OVERLAP_PARTIAL);
}

TEST(texts_of_shapes)
{
    char text[16];
    kt__shape_text(text, sizeof text, S(2, 3));
    CHECK_STR(text, "[2, 3]");
    kt__shape_text(text, sizeof text, KT_SCALAR);
    CHECK_STR(text, "[]");
    kt__shape_text(text, sizeof text, S(1000000, 2000000, 3000000)); /* cut, never past the end */
    CHECK_EQ_INT(strlen(text), 15);
}
