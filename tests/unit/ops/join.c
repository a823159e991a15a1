/* join.c - joining and rearranging against models that go element by element with indices of their own.
 *
 * In: tensors of 0, 1, 2, ... seen through many layouts. Every result is read back and compared with what an index
 * function says; refusals are compared word for word. */
#include "harness.h"

#include <karat/karat.h>

#include "support/by_name.h"

enum { MOST = 4096 };

/* ---- reading ---- */
static kt_tensor *counting(kt_shape shape, kt_dtype dtype)
{
    int64_t n = 1;
    for (int64_t i = 0; i < shape.n; i++)
        n *= shape.d[i];
    return kt_reshape(kt_arange(KT_INT(0), KT_INT(n), .dtype = dtype), shape);
}

static int64_t values_of(const kt_tensor *t, double *values)
{
    if (!CHECK_MSG(t != NULL, "%s", kt_error())) {
        kt_clear();
        return 0;
    }
    const int64_t n = kt_numel(t);
    if (!CHECK(n <= MOST))
        return 0;
    CHECK_EQ_INT(kt_read(kt_to(t, .dtype = KT_F64), values, sizeof(double) * (size_t)n), KT_OK);
    return n;
}

/* The value that a result must have at an index. */
typedef double model(const int64_t *at, const void *about);

static void check(const char *what, const kt_tensor *t, kt_shape shape, model *want, const void *about)
{
    static double values[MOST];
    const int64_t n = values_of(t, values);
    int64_t       at[KT_MAX_DIMS] = {0};
    if (!t || !CHECK_EQ_INT(kt_ndim(t), shape.n))
        return;
    for (int64_t i = 0; i < shape.n; i++)
        CHECK_MSG(kt_size(t, i) == shape.d[i], "%s: size %d is %d", what, (int)i, (int)kt_size(t, i));
    for (int64_t k = 0; k < n; k++) {
        const double expected = want(at, about);
        if (!CHECK_MSG(values[k] == expected, "%s: element %d is %g, not %g", what, (int)k, values[k], expected))
            return;
        for (int64_t d = shape.n - 1; d >= 0 && ++at[d] == shape.d[d]; d--)
            at[d] = 0;
    }
}

/* ---- cat and stack ---- */
static double two_halves(const int64_t *at, const void *about) /* [3, 4] and [3, 2] side by side */
{
    (void)about;
    return at[1] < 4 ? (double)(at[0] * 4 + at[1]) : (double)(at[0] * 2 + at[1] - 4);
}
static double stacked_last(const int64_t *at, const void *about) /* counting [3, 4] twice, along a new last dim */
{
    (void)about;
    return (double)(at[0] * 4 + at[1]) + 0.5 * (double)at[2];
}

TEST(cat_puts_parts_side_by_side)
{
    KT_SCOPE;
    static const kt_dtype dtypes[] = {KT_U8, KT_I16, KT_F32, KT_F64, KT_BF16, KT_C64, KT_C128};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
            kt_tensor *a = counting(KT_SHAPE(3, 4), dtypes[i]), *b = counting(KT_SHAPE(3, 2), dtypes[k]);
            kt_tensor *turned = kt_t(kt_contiguous(kt_t(b))), *both[] = {a, b}, *other[] = {a, turned};
            kt_tensor *y = kt_cat(both, 2, .dim = 1);
            CHECK_EQ_INT(kt_dtype_of(y), kt_promote_types(dtypes[i], dtypes[k]));
            check("cat", kt_real(y), KT_SHAPE(3, 6), two_halves, NULL);
            check("cat of a transpose", kt_real(kt_cat(other, 2, .dim = -1)), KT_SHAPE(3, 6), two_halves, NULL);
            kt_tensor *into = kt_empty(KT_SHAPE(1), .dtype = KT_C128);
            check("cat into", kt_real(kt_cat_out(into, both, 2, .dim = 1)), KT_SHAPE(3, 6), two_halves, NULL);
        }
}

TEST(stack_makes_a_dim)
{
    KT_SCOPE;
    kt_tensor *a = counting(KT_SHAPE(3, 4), KT_F32), *b = kt_add_s(a, KT_FLOAT(0.5)), *both[] = {a, b};
    check("stack", kt_stack(both, 2, .dim = 2), KT_SHAPE(3, 4, 2), stacked_last, NULL);
    check("stack, moved", kt_movedim(kt_stack(both, 2), KT_SHAPE(0), KT_SHAPE(2)), KT_SHAPE(3, 4, 2), stacked_last, NULL);
    kt_tensor *zero[] = {kt_scalar_tensor(KT_INT(1)), kt_scalar_tensor(KT_INT(2))};
    CHECK_EQ_INT(kt_ndim(kt_stack(zero, 2)), 1);
    CHECK_NEAR(tensor_at(kt_stack(zero, 2), 1), 2.0, 0.0);
}

TEST(a_cat_of_channels_last_is_channels_last)
{
    KT_SCOPE;
    kt_tensor *plain = kt_ones(KT_SHAPE(2, 3, 4, 5)), *a = kt_to(plain, .memory_format = KT_CHANNELS_LAST);
    kt_tensor *same[] = {a, a}, *mixed[] = {a, plain};
    CHECK(kt_is_contiguous_as(kt_cat(same, 2, .dim = 1), KT_CHANNELS_LAST));
    CHECK(kt_is_contiguous(kt_cat(mixed, 2, .dim = 1)));
}

TEST(empty_ones_may_stand_anywhere)
{
    KT_SCOPE;
    kt_tensor *none = kt_empty(KT_SHAPE(0)), *m = counting(KT_SHAPE(2, 3), KT_F32), *list[] = {none, m, none};
    CHECK_EQ_INT(kt_size(kt_cat(list, 3, .dim = 1), 1), 3);
    CHECK_EQ_INT(kt_numel(kt_cat(&none, 1)), 0);
}

TEST(what_cat_refuses)
{
    KT_SCOPE;
    kt_tensor *a = kt_ones(KT_SHAPE(2, 3)), *b = kt_ones(KT_SHAPE(3, 2)), *row = kt_ones(KT_SHAPE(3));
    kt_tensor *one = kt_scalar_tensor(KT_INT(1));
    kt_tensor *sizes[] = {a, b}, *ranks[] = {a, row}, *zero[] = {a, one}, *same[] = {a, a};
    CHECK_FAILS(kt_cat(same, 0), KT_ERR_VALUE, "torch.cat(): expected a non-empty list of Tensors");
    CHECK_FAILS(kt_cat(sizes, 2), KT_ERR_RUNTIME,
                "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 2 for tensor number 1 in "
                "the list.");
    CHECK_FAILS(kt_cat(ranks, 2), KT_ERR_RUNTIME, "Tensors must have same number of dimensions: got 2 and 1");
    CHECK_FAILS(kt_cat(zero, 2), KT_ERR_RUNTIME, "zero-dimensional tensor (at position 1) cannot be concatenated");
    CHECK_FAILS(kt_cat(same, 2, .dim = 2), KT_ERR_INDEX,
                "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    CHECK_FAILS(kt_cat_out(kt_empty(KT_SHAPE(0), .dtype = KT_I64), same, 2), KT_ERR_TYPE,
                "torch.cat(): input types can't be cast to the desired output type Long");
    CHECK_FAILS(kt_cat_out(a, same, 1), KT_ERR_RUNTIME, "unsupported operation: some elements of the input tensor");
    CHECK_FAILS(kt_stack(sizes, 2), KT_ERR_RUNTIME,
                "stack expects each tensor to be equal size, but got [2, 3] at entry 0 and [3, 2] at entry 1");
    CHECK_FAILS(kt_stack(same, 0), KT_ERR_RUNTIME, "stack expects a non-empty TensorList");
    CHECK_FAILS(kt_hstack(same, 0), KT_ERR_RUNTIME, "hstack expects a non-empty TensorList");
    KT_POLICY(KT_STRICT);
    kt_tensor *mix[] = {a, kt_ones(KT_SHAPE(2, 3), .dtype = KT_F64)};
    CHECK_FAILS(kt_cat(mix, 2), KT_ERR_TYPE, "KT_POLICY(KT_STRICT) refuses to convert tensors from float32 to float64 in cat");
}

/* ---- flips, rolls, rotations, repeats: what stands at an index of [4, 5, 6] ---- */
enum { P = 4, Q = 5, R = 6 };
static double place(int64_t i, int64_t j, int64_t k) { return (double)((i * Q + j) * R + k); }
typedef struct turn { int64_t flip, roll[3]; } turn;

static double flipped(const int64_t *at, const void *about)
{
    const turn *t = about;
    return place(t->flip & 1 ? P - 1 - at[0] : at[0], t->flip & 2 ? Q - 1 - at[1] : at[1], t->flip & 4 ? R - 1 - at[2] : at[2]);
}
static double rolled(const int64_t *at, const void *about)
{
    const turn *t = about;
    return place((at[0] - t->roll[0] + 100 * P) % P, (at[1] - t->roll[1] + 100 * Q) % Q, (at[2] - t->roll[2] + 100 * R) % R);
}
static double rolled_flat(const int64_t *at, const void *about)
{
    return (double)(((int64_t)place(at[0], at[1], at[2]) - *(const int64_t *)about + 100 * P * Q * R) % (P * Q * R));
}
static double repeated(const int64_t *at, const void *about)
{
    (void)about;
    return place(at[1] % P, at[2] % Q, at[3] % R);
}

/* The same values in other layouts. */
static kt_tensor *laid_out(int how, kt_dtype dtype)
{
    kt_tensor *t = counting(KT_SHAPE(P, Q, R), dtype);
    if (how == 1)
        return kt_transpose(kt_contiguous(kt_transpose(t, 0, 2)), 0, 2);
    if (how == 2) { /* every other element of a larger one */
        kt_tensor *wide = kt_zeros(KT_SHAPE(P, Q, 2 * R), .dtype = dtype), *view = kt_slice(wide, .dim = 2, .step = KT_SOME(2));
        kt_copy_(view, t);
        return view;
    }
    return t;
}

TEST(flips_rolls_and_repeats)
{
    static const kt_dtype dtypes[] = {KT_U8, KT_BF16, KT_F32, KT_F64, KT_C128};
    for (size_t d = 0; d < 5; d++)
        for (int how = 0; how < 3; how++) {
            KT_SCOPE;
            kt_tensor *t = laid_out(how, dtypes[d]);
            for (int mask = 0; mask < 8; mask++) {
                int64_t dims[3], n = 0;
                for (int i = 0; i < 3; i++)
                    if (mask >> i & 1)
                        dims[n++] = i;
                check("flip", kt_real(kt_flip(t, ((kt_shape){n, dims}))), KT_SHAPE(P, Q, R), flipped, &(turn){mask, {0}});
                const turn by = {0, {mask & 1 ? 3 : 0, mask & 2 ? -8 : 0, mask & 4 ? 7 : 0}};
                check("roll", kt_real(kt_roll(t, ((kt_shape){3, by.roll}), .dims = KT_SHAPE(0, 1, -1))), KT_SHAPE(P, Q, R),
                      rolled, &by);
            }
            const int64_t by = -17;
            check("roll flat", kt_real(kt_roll(t, KT_SHAPE(by))), KT_SHAPE(P, Q, R), rolled_flat, &by);
            check("repeat", kt_real(kt_repeat(t, KT_SHAPE(2, 1, 3, 2))), KT_SHAPE(2, P, 3 * Q, 2 * R), repeated, NULL);
            kt_tensor *turned = kt_rot90(kt_rot90(t, .k = KT_SOME(1)), .k = KT_SOME(-2));
            check("rot90 thrice", kt_real(kt_rot90(turned, .k = KT_SOME(5))), KT_SHAPE(P, Q, R), flipped, &(turn){0, {0}});
        }
}

static double quarter(const int64_t *at, const void *about) /* turned from dim 0 towards dim 1 */
{
    (void)about;
    return place(at[1], Q - 1 - at[0], at[2]);
}

TEST(a_quarter_turn)
{
    KT_SCOPE;
    check("rot90", kt_rot90(laid_out(0, KT_F32)), KT_SHAPE(Q, P, R), quarter, NULL);
}

static double backwards(const int64_t *at, const void *about) { return *(const double *)about + 2.0 * (double)(2 - at[0]); }

TEST(conjugates_are_flipped_as_they_read)
{
    KT_SCOPE;
    kt_tensor *z = kt_from((double[]){1, -2, 3, -4, 5, -6}, KT_SHAPE(3), KT_C128), *y = kt_flip(kt_conj(z), KT_SHAPE(0));
    check("real parts", kt_real(y), KT_SHAPE(3), backwards, &(double){1});
    check("imaginary parts", kt_imag(y), KT_SHAPE(3), backwards, &(double){2});
}

/* ---- triangles ---- */
typedef struct band { int64_t diagonal; bool lower; } band;
static double inside(const int64_t *at, const void *about)
{
    const band *b = about;
    const bool  kept = b->lower ? at[2] - at[1] <= b->diagonal : at[2] - at[1] >= b->diagonal;
    return kept ? place(at[0], at[1], at[2]) : 0.0;
}

TEST(triangles)
{
    static const kt_dtype dtypes[] = {KT_U8, KT_F16, KT_F32, KT_I64, KT_C128};
    for (size_t d = 0; d < 5; d++)
        for (int how = 0; how < 3; how++)
            for (int64_t k = -8; k <= 8; k++) {
                KT_SCOPE;
                kt_tensor *t = laid_out(how, dtypes[d]);
                check("tril", kt_real(kt_tril(t, .diagonal = k)), KT_SHAPE(P, Q, R), inside, &(band){k, true});
                check("triu", kt_real(kt_triu(t, .diagonal = k)), KT_SHAPE(P, Q, R), inside, &(band){k, false});
                kt_tensor *into = kt_empty(KT_SHAPE(0), .dtype = dtypes[d]);
                check("tril into", kt_real(kt_tril_out(into, t, .diagonal = k)), KT_SHAPE(P, Q, R), inside, &(band){k, true});
                check("triu_", kt_real(kt_triu_(t, .diagonal = k)), KT_SHAPE(P, Q, R), inside, &(band){k, false});
            }
}

TEST(indices_of_triangles)
{
    for (int64_t rows = 0; rows < 5; rows++)
        for (int64_t columns = 0; columns < 5; columns++)
            for (int64_t k = -6; k <= 6; k++) {
                KT_SCOPE;
                int64_t    n = 0, got[2][64];
                kt_tensor *low = kt_tril_indices(rows, columns, .offset = k), *high = kt_triu_indices(rows, columns, .offset = k);
                for (int upper = 0; upper < 2; upper++) {
                    kt_tensor    *t = upper ? high : low;
                    const int64_t count = kt_size(t, 1);
                    int64_t       flat[128];
                    CHECK_EQ_INT(kt_read(t, flat, sizeof(int64_t) * 2 * (size_t)count), KT_OK);
                    n = 0;
                    for (int64_t i = 0; i < rows; i++)
                        for (int64_t j = 0; j < columns; j++)
                            if (upper ? j - i >= k : j - i <= k) {
                                got[0][n] = i;
                                got[1][n++] = j;
                            }
                    if (!CHECK_EQ_INT(count, n))
                        return;
                    for (int64_t i = 0; i < n; i++)
                        CHECK(flat[i] == got[0][i] && flat[n + i] == got[1][i]);
                }
            }
    CHECK_FAILS(kt_tril_indices(-1, 2), KT_ERR_RUNTIME, "row must be non-negative, got-1");
    CHECK_FAILS(kt_tril_indices(INT64_MAX, INT64_MAX), KT_ERR_RUNTIME, "Storage size calculation overflowed");
}

/* ---- padding ---- */
static double padded(const int64_t *at, const void *about)
{
    const int64_t *low = about; /* of the three dims */
    const int64_t  i = at[0] - low[0], j = at[1] - low[1], k = at[2] - low[2];
    return i < 0 || i >= P || j < 0 || j >= Q || k < 0 || k >= R ? 7.0 : place(i, j, k);
}

TEST(padding_with_a_value)
{
    for (int how = 0; how < 3; how++)
        for (int64_t a = -2; a <= 2; a++)
            for (int64_t b = -2; b <= 2; b++) {
                KT_SCOPE;
                const int64_t low[3] = {b, 0, a};
                check("pad", kt_constant_pad_nd(laid_out(how, KT_F32), KT_SHAPE(a, b, 0, 0, b, 1), .value = KT_INT(7)),
                      KT_SHAPE(P + b + 1, Q, R + a + b), padded, low);
            }
    KT_SCOPE;
    kt_tensor *row = kt_ones(KT_SHAPE(3), .dtype = KT_U8);
    CHECK_FAILS(kt_constant_pad_nd(row, KT_SHAPE(1)), KT_ERR_RUNTIME, "Length of pad must be even but instead it equals 1");
    CHECK_FAILS(kt_constant_pad_nd(row, KT_SHAPE(-2, -2)), KT_ERR_RUNTIME, "narrow(): length must be non-negative.");
    CHECK_FAILS(kt_constant_pad_nd(row, KT_SHAPE(1, 1), .value = KT_INT(300)), KT_ERR_RUNTIME,
                "value cannot be converted to type uint8_t without overflow");
    CHECK_FAILS(kt_constant_pad_nd(row, KT_SHAPE(INT64_MAX, INT64_MAX)), KT_ERR_RUNTIME, "The input size 3, plus negative");
    CHECK_FAILS(kt_nn_pad(row, KT_SHAPE(1, 1), .mode = "mirror"), KT_ERR_NOT_IMPLEMENTED, "Unrecognised padding mode mirror");
    CHECK_FAILS(kt_nn_pad(row, KT_SHAPE(1), .mode = "mirror"), KT_ERR_NOT_IMPLEMENTED, "Unrecognised padding mode mirror");
}

static double around(const int64_t *at, const void *about)
{
    const char    mode = *(const char *)about;
    const int64_t k = at[2] - 2; /* two before, three after, along the last dim */
    const int64_t from = k >= 0 && k < R ? k : mode == 'c' ? (k + R) % R : mode == 'e' ? (k < 0 ? 0 : R - 1)
                         : k < 0                          ? -k
                                                          : 2 * (R - 1) - k;
    return place(at[0], at[1], from);
}

TEST(padding_with_its_own)
{
    KT_SCOPE;
    kt_tensor *t = laid_out(1, KT_F32);
    check("reflect", kt_nn_pad(t, KT_SHAPE(2, 3), .mode = "reflect"), KT_SHAPE(P, Q, R + 5), around, "r");
    check("replicate", kt_nn_pad(t, KT_SHAPE(2, 3), .mode = "replicate"), KT_SHAPE(P, Q, R + 5), around, "e");
    check("circular", kt_nn_pad(t, KT_SHAPE(2, 3), .mode = "circular"), KT_SHAPE(P, Q, R + 5), around, "c");
}

/* ---- diagonals ---- */
static double on_diagonal(const int64_t *at, const void *about)
{
    return at[2] - at[1] == *(const int64_t *)about ? (double)(at[0] * 3 + (at[2] < at[1] ? at[2] : at[1])) : 0.0;
}

TEST(diagonals_made)
{
    for (int64_t k = -2; k <= 2; k++) {
        KT_SCOPE;
        const int64_t side = 3 + (k < 0 ? -k : k);
        kt_tensor    *rows = counting(KT_SHAPE(2, 3), KT_F32);
        check("diag_embed", kt_diag_embed(rows, .offset = k), KT_SHAPE(2, side, side), on_diagonal, &k);
    }
    KT_SCOPE;
    CHECK_FAILS(kt_diag(kt_ones(KT_SHAPE(1, 1, 1))), KT_ERR_RUNTIME, "diag(): Supports 1D or 2D tensors. Got 3D");
    CHECK_NEAR(tensor_at(kt_diag(counting(KT_SHAPE(3, 3), KT_F32), .diagonal = 1), 1), 5.0, 0.0);
}

/* ---- counts ---- */
static double counted(const int64_t *at, const void *about)
{
    (void)about;
    static const int64_t from[] = {0, 2, 2, 2, 3};
    return place(from[at[0]], at[1], at[2]);
}
static double each_twice(const int64_t *at, const void *about)
{
    (void)about;
    return place(at[0], at[1] / 2, at[2]);
}

TEST(interleaved)
{
    KT_SCOPE;
    kt_tensor *t = laid_out(1, KT_F32), *counts = kt_from((int64_t[]){1, 0, 3, 1}, KT_SHAPE(4), KT_I64);
    check("counts", kt_repeat_interleave_tensor(t, counts, .dim = KT_SOME(0)), KT_SHAPE(5, Q, R), counted, NULL);
    check("one count", kt_repeat_interleave_int(t, 2, .dim = KT_SOME(1)), KT_SHAPE(P, 2 * Q, R), each_twice, NULL);
    CHECK_FAILS(kt_repeat_interleave_tensor(t, kt_neg(counts), .dim = KT_SOME(0)), KT_ERR_RUNTIME, "repeats can not be negative");
    CHECK_FAILS(kt_repeat_interleave_int(t, -1), KT_ERR_RUNTIME, "Repeats must be non-negative");
    CHECK_FAILS(kt_repeat_interleave_tensor(t, counts, .dim = KT_SOME(0), .output_size = KT_SOME(6)), KT_ERR_RUNTIME,
                "allocated size does not match required size");
}

/* ---- copies and scatters ---- */
static double one_row_zero(const int64_t *at, const void *about)
{
    (void)about;
    return at[1] == 2 ? 0.0 : place(at[0], at[1], at[2]);
}

TEST(scattered)
{
    for (int how = 0; how < 3; how++) {
        KT_SCOPE;
        kt_tensor *t = laid_out(how, KT_F32), *zeros = kt_zeros(KT_SHAPE(P, R), .dtype = KT_I32);
        check("select_scatter", kt_select_scatter(t, zeros, 1, -3), KT_SHAPE(P, Q, R), one_row_zero, NULL);
        check("slice_scatter", kt_slice_scatter(t, kt_unsqueeze(zeros, 1), .dim = 1, .start = KT_SOME(2), .end = KT_SOME(3)),
              KT_SHAPE(P, Q, R), one_row_zero, NULL);
        check("the source", t, KT_SHAPE(P, Q, R), flipped, &(turn){0, {0}});
        check("alias_copy", kt_alias_copy(t), KT_SHAPE(P, Q, R), flipped, &(turn){0, {0}});
        CHECK(kt_is_contiguous(kt_transpose_copy(t, 0, 2)));
        CHECK_FAILS(kt_select_scatter(t, zeros, 0, 0), KT_ERR_RUNTIME,
                    "expected src to have a size equal to the slice of self. src size = [4, 6], slice size = [5, 6]");
    }
}

TEST(a_resized_tensor_keeps_what_it_held)
{
    KT_SCOPE;
    kt_tensor *t = counting(KT_SHAPE(4), KT_F32);
    CHECK(kt_resize_(t, KT_SHAPE(10, 10)) == t);
    CHECK_EQ_INT(kt_numel(t), 100);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(tensor_at(t, i), i, 0.0);
    kt_set_requires_grad(t, true);
    CHECK_FAILS(kt_resize_(t, KT_SHAPE(2)), KT_ERR_RUNTIME, "cannot resize variables that require grad");
}

/* ---- PyTorch's ways at the edges ---- */

TEST(a_circular_pad_wraps_what_a_cut_leaves)
{
    KT_SCOPE;
    static const int64_t pads[][2] = {{-1, 2}, {2, -1}, {1, -3}, {-2, 3}};
    static const double  want[][6] = {{1, 2, 3, 4, 1, 2}, {2, 3, 0, 1, 2, 3}, {1, 0, 1}, {2, 3, 4, 2, 3, 4}};
    kt_tensor           *x = kt_reshape(kt_arange(KT_INT(0), KT_INT(5), .dtype = KT_F32), KT_SHAPE(1, 1, 5));
    for (int k = 0; k < 4; k++) {
        kt_tensor *y = kt_nn_pad(x, ((kt_shape){2, pads[k]}), .mode = "circular");
        CHECK_EQ_INT(kt_numel(y), 5 + pads[k][0] + pads[k][1]);
        for (int64_t i = 0; i < kt_numel(y); i++)
            CHECK(tensor_at(y, i) == want[k][i]);
    }
    CHECK_FAILS(kt_nn_pad(x, KT_SHAPE(-2, 4), .mode = "circular"), KT_ERR_RUNTIME,
                "Padding value causes wrapping around more than once.");
}

TEST(a_pad_may_leave_nothing_of_one_dim)
{
    KT_SCOPE;
    kt_tensor *x = kt_zeros(KT_SHAPE(2, 4, 1, 3));
    CHECK_EQ_INT(kt_size(kt_nn_pad(x, KT_SHAPE(-1, -2, 1, 3), .mode = "replicate"), 3), 0);
    CHECK_EQ_INT(kt_size(kt_nn_pad(x, KT_SHAPE(-3, 0, 0, 0), .mode = "reflect"), 3), 0);
    kt_tensor *row = kt_reshape(kt_arange(KT_INT(0), KT_INT(3), .dtype = KT_F32), KT_SHAPE(1, 1, 3));
    kt_tensor *edge = kt_nn_pad(row, KT_SHAPE(-4, 2), .mode = "replicate"); /* a cut into the border of the other side */
    CHECK(kt_numel(edge) == 1 && tensor_at(edge, 0) == 2);
    CHECK_FAILS(kt_nn_pad(x, KT_SHAPE(-3, 0, -1, 0), .mode = "replicate"), KT_ERR_RUNTIME,
                "input (H: 1, W: 3 ) is too small. Calculated output H: 0 W: 0");
    CHECK_FAILS(kt_nn_pad(x, KT_SHAPE(-3, 0, -1, 0), .mode = "reflect"), KT_ERR_RUNTIME,
                "input (H: 1, W: 3) is too small. Calculated output H: 0 W: 0");
    CHECK_FAILS(kt_nn_pad(x, KT_SHAPE(-4, 0, 0, 0), .mode = "replicate"), KT_ERR_RUNTIME,
                "Trying to create tensor with negative dimension -1: [2, 4, 1, -1]");
    CHECK_FAILS(kt_nn_pad(x, KT_SHAPE(-3, 0, -1, 0, -4, 0), .mode = "replicate"), KT_ERR_RUNTIME,
                "input (D: 4 H: 1, W: 3) is too small. Calculated output D: 0 H: 0 W: 0");
}

TEST(numbers_have_no_dims_to_split_or_unflatten)
{
    KT_SCOPE;
    kt_tensor *one = kt_scalar_tensor(KT_FLOAT(1)), *part[2], *row = kt_zeros(KT_SHAPE(1, 2));
    CHECK_FAILS(kt_unflatten(one, 0, KT_SHAPE(1)), KT_ERR_RUNTIME,
                "unflatten got an unexpected error:\nDimension specified as 0 but tensor has no dimensions");
    CHECK_FAILS(kt_unflatten(row, 1, KT_SHAPE(0, -1)), KT_ERR_RUNTIME,
                "unflatten: Provided sizes [0, -1] don't multiply up to the size of dim 1 (2) in the input tensor");
    CHECK_FAILS(kt_chunk(one, -2, part, 2), KT_ERR_RUNTIME, "chunk expects at least a 1-dimensional tensor");
    CHECK_FAILS(kt_repeat_interleave_tensor(one, kt_full(KT_SHAPE(1), KT_INT(2)), .dim = KT_SOME(0)), KT_ERR_INDEX,
                "Dimension specified as 0 but tensor has no dimensions");
    CHECK_FAILS(kt_split_sizes(row, KT_SHAPE(1, 5), part, 2, .dim = -1), KT_ERR_RUNTIME,
                "split_with_sizes expects split_sizes to sum exactly to 2 (input tensor's size at dimension -1), but got "
                "split_sizes=[1, 5]");
}
