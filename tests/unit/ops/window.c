/* window.c - convolutions against sums written out here: 1 to 3 dims, groups, dilation, strides, padding, channels last, every
 * kind of dtype; transposed ones and both gradients, which are the same sum read the other way; refusals in PyTorch's words. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/by_name.h"

enum { MOST = 4096, SPACE = 3 };

typedef struct geometry {
    int64_t batch, groups, depth, rows; /* depth, rows: channels of a group, of the image and of the result */
    int64_t size[SPACE], kernel[SPACE], stride[SPACE], padding[SPACE], dilation[SPACE];
    int     dims;
} geometry;

static int64_t below(int64_t n) { return rand() % n; }

static geometry some_geometry(void)
{
    geometry g = {.batch = 1 + below(2), .groups = 1 + below(3), .depth = 1 + below(3), .rows = 1 + below(3),
                  .dims = 1 + (int)below(3)};
    for (int d = 0; d < SPACE; d++) {
        const bool    in = d >= SPACE - g.dims;
        const int64_t kernel = in ? 1 + below(3) : 1, dilation = in ? 1 + below(2) : 1, padding = in ? below(3) : 0;
        const int64_t least = dilation * (kernel - 1) + 1 - 2 * padding;
        g.kernel[d] = kernel, g.dilation[d] = dilation, g.padding[d] = padding, g.stride[d] = in ? 1 + below(3) : 1;
        g.size[d] = in ? (least > 1 ? least : 1) + below(4) : 1;
    }
    return g;
}

static int64_t made(const geometry *g, int d)
{
    return (g->size[d] + 2 * g->padding[d] - g->dilation[d] * (g->kernel[d] - 1) - 1) / g->stride[d] + 1;
}

static kt_tensor *numbers(kt_shape sizes, kt_dtype dtype)
{
    return kt_to(kt_randint_low(-3, 4, sizes), .dtype = dtype);
}

static void read_all(const kt_tensor *t, double *into)
{
    KT_SCOPE;
    kt_tensor *wide = kt_contiguous(kt_to(kt_dtype_category(kt_dtype_of(t)) == KT_CAT_COMPLEX ? kt_real(t) : t, .dtype = KT_F64));
    CHECK(kt_numel(wide) <= MOST && kt_read(wide, into, sizeof(double) * (size_t)kt_numel(wide)) == KT_OK);
}

/* y += x * w over every element that meets, where two of the three are given and the third is `into`. */
typedef enum third { RESULT, IMAGE, WEIGHT } third;

static void sum_all(const geometry *g, double *x, double *w, double *y, third into)
{
    const int64_t c_in = g->groups * g->depth, c_out = g->groups * g->rows, m0 = made(g, 0), m1 = made(g, 1), m2 = made(g, 2);
    for (int64_t at = 0; at < g->batch * c_out * m0 * m1 * m2; at++)
        for (int64_t k = 0; k < g->depth * g->kernel[0] * g->kernel[1] * g->kernel[2]; k++) {
            const int64_t p[SPACE] = {at / m2 / m1 % m0, at / m2 % m1, at % m2}, o = at / m2 / m1 / m0 % c_out;
            const int64_t t[SPACE] = {k / g->kernel[2] / g->kernel[1] % g->kernel[0], k / g->kernel[2] % g->kernel[1],
                                      k % g->kernel[2]};
            const int64_t c = o / g->rows * g->depth + k / g->kernel[2] / g->kernel[1] / g->kernel[0];
            int64_t       from = (at / m2 / m1 / m0 / c_out) * c_in + c;
            bool          inside = true;
            for (int d = 0; d < SPACE; d++) {
                const int64_t i = p[d] * g->stride[d] - g->padding[d] + t[d] * g->dilation[d];
                inside = inside && i >= 0 && i < g->size[d];
                from = from * g->size[d] + i;
            }
            const int64_t by = o * g->depth * g->kernel[0] * g->kernel[1] * g->kernel[2] + k;
            if (inside && into == RESULT)
                y[at] += x[from] * w[by];
            else if (inside && into == IMAGE)
                x[from] += y[at] * w[by];
            else if (inside)
                w[by] += y[at] * x[from];
        }
}

static void compare(const char *what, kt_tensor *got, const double *want, int64_t n, double slack)
{
    static double is[MOST];
    if (!CHECK_MSG(got && !kt_failed(), "%s: %s", what, kt_error())) {
        kt_clear();
        return;
    }
    if (!CHECK_EQ_INT(kt_numel(got), n))
        return;
    read_all(got, is);
    for (int64_t i = 0; i < n; i++)
        if (!CHECK_MSG(fabs(is[i] - want[i]) <= slack * (1 + fabs(want[i])), "%s of %s: element %d is %g, not %g", what,
                       kt_dtype_name(kt_dtype_of(got)), (int)i, is[i], want[i]))
            return;
}

/* The last `dims` of three, after two others. */
static kt_shape sized(int64_t *room, int64_t a, int64_t b, const int64_t *space, int dims)
{
    room[0] = a, room[1] = b;
    memcpy(room + 2, space + SPACE - dims, sizeof *room * (size_t)dims);
    return (kt_shape){2 + dims, room};
}
static kt_shape last(const int64_t *all, int dims) { return (kt_shape){dims, all + SPACE - dims}; }

static kt_tensor *laid_out(kt_tensor *t, bool inner)
{
    const int dims = kt_ndim(t) - 2;
    return inner && dims > 1 ? kt_contiguous(t, .memory_format = dims == 2 ? KT_CHANNELS_LAST : KT_CHANNELS_LAST_3D) : t;
}

static kt_tensor *turned(kt_tensor *x, kt_tensor *w, kt_shape stride, kt_shape padding, kt_shape more, int64_t groups,
                         kt_shape dilation)
{
#define TURNED(name) \
    name(x, w, .stride = stride, .padding = padding, .output_padding = more, .groups = KT_SOME(groups), \
         .dilation = dilation)
    return stride.n == 1   ? TURNED(kt_conv_transpose1d)
           : stride.n == 2 ? TURNED(kt_conv_transpose2d)
                           : TURNED(kt_conv_transpose3d);
#undef TURNED
}

static void try_geometry(const geometry *g, kt_dtype dtype, bool inner)
{
    static double x[MOST], w[MOST], y[MOST], b[MOST], gx[MOST], gw[MOST];
    KT_SCOPE;
    int64_t        room[4][8], m[SPACE] = {made(g, 0), made(g, 1), made(g, 2)};
    const int      n = g->dims;
    const kt_shape xs = sized(room[0], g->batch, g->groups * g->depth, g->size, n),
                   ws = sized(room[1], g->groups * g->rows, g->depth, g->kernel, n),
    ys = sized(room[2], g->batch, g->groups * g->rows, m, n),
                   stride = last(g->stride, n), padding = last(g->padding, n), dilation = last(g->dilation, n);
    kt_tensor *tx = laid_out(numbers(xs, dtype), inner), *tw = laid_out(numbers(ws, dtype), inner && below(2)),
              *ty = laid_out(numbers(ys, dtype), inner), *tb = numbers(KT_SHAPE(g->groups * g->rows), dtype);
    const double slack = dtype == KT_BF16 ? 8e-3 : dtype == KT_F16 ? 1e-3 : 1e-6;
    read_all(tx, x), read_all(tw, w), read_all(tb, b);
    const int64_t each = m[0] * m[1] * m[2], count = g->batch * g->groups * g->rows * each;
    for (int64_t i = 0; i < count; i++)
        y[i] = b[i / each % (g->groups * g->rows)];
    sum_all(g, x, w, y, RESULT);
    kt_tensor *got = kt_convolution(tx, tw, tb, stride, padding, dilation, false, KT_SHAPE(0), g->groups);
    compare("convolution", got, y, count, slack);
    read_all(ty, y);
    memset(gx, 0, sizeof gx), memset(gw, 0, sizeof gw);
    sum_all(g, gx, w, y, IMAGE);
    sum_all(g, x, gw, y, WEIGHT);
    compare("its input's gradient", kt_convolution_input(ty, tw, xs, stride, padding, dilation, false, g->groups), gx,
            kt_numel(tx), slack);
    compare("its weight's gradient", kt_convolution_weight(ty, tx, ws, stride, padding, dilation, false, g->groups), gw,
            kt_numel(tw), slack);
    /* transposed: from what flowed back to an image of the first size */
    int64_t more[SPACE];
    bool    fits = true;
    for (int d = 0; d < SPACE; d++) {
        more[d] = g->size[d] - ((m[d] - 1) * g->stride[d] - 2 * g->padding[d] + g->dilation[d] * (g->kernel[d] - 1) + 1);
        fits = fits && more[d] >= 0 && (more[d] < g->stride[d] || more[d] < g->dilation[d]);
    }
    if (fits)
        compare("transposed", turned(ty, tw, stride, padding, last(more, n), g->groups, dilation), gx, kt_numel(tx), slack);
    compare("the transposed one's weight", kt_convolution_weight(tx, ty, ws, stride, padding, dilation, true, g->groups), gw,
            kt_numel(tw),
            slack);
}

TEST(values_are_those_of_the_sum_written_out)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_F64, KT_BF16, KT_F16, KT_I64, KT_C64, KT_C128};
    srand(5);
    kt_manual_seed(5);
    for (int i = 0; i < 140; i++) {
        const geometry g = some_geometry();
        try_geometry(&g, dtypes[i % 7], i / 7 % 2);
    }
}

static bool close_to(kt_tensor *a, kt_tensor *b)
{
    kt_tensor *all = kt_all(kt_isclose(a, b, .rtol = KT_SOME(1e-5), .atol = KT_SOME(1e-4)));
    return all && tensor_at(all, 0) == 1;
}

TEST(many_positions_are_cut_into_tiles)
{
    KT_SCOPE;
    kt_tensor *x = kt_randn(KT_SHAPE(3, 40, 37, 41)), *w = kt_randn(KT_SHAPE(24, 20, 3, 3));
    kt_tensor *y = kt_conv2d(x, w, .padding = KT_SHAPE(1), .groups = KT_SOME(2));
    kt_tensor *wide = kt_conv2d(kt_to(x, .dtype = KT_F64), kt_to(w, .dtype = KT_F64), .padding = KT_SHAPE(1),
                                .groups = KT_SOME(2));
    kt_tensor *last_in = kt_conv2d(kt_contiguous(x, .memory_format = KT_CHANNELS_LAST), w, .padding = KT_SHAPE(1),
                                   .groups = KT_SOME(2));
    CHECK(close_to(kt_to(y, .dtype = KT_F64), wide));
    CHECK(close_to(y, last_in));
    CHECK(kt_is_contiguous_as(last_in, KT_CHANNELS_LAST));
    CHECK(!kt_failed());
}

/* float32 needs no columns where float64 does: the same numbers, whatever the geometry. */
static void try_without_columns(kt_shape xs, kt_shape ws, kt_shape stride, kt_shape padding, kt_shape dilation, int64_t groups)
{
    KT_SCOPE;
    kt_tensor *x = numbers(xs, KT_F32), *w = numbers(ws, KT_F32), *b = numbers(KT_SHAPE(ws.d[0]), KT_F32);
#define WIDE(t) kt_to(t, .dtype = KT_F64)
#define CONVOLVED(x, w, b) kt_convolution(x, w, b, stride, padding, dilation, false, KT_SHAPE(0), groups)
    kt_tensor *want = CONVOLVED(WIDE(x), WIDE(w), WIDE(b)), *y = CONVOLVED(x, w, b);
    CHECK(close_to(WIDE(y), want));
    kt_tensor *turned = kt_transpose(kt_contiguous(kt_transpose(x, -1, -2)), -1, -2);
    CHECK(close_to(CONVOLVED(turned, w, b), y));
    CHECK(close_to(WIDE(CONVOLVED(laid_out(x, true), w, b)), want));
    kt_tensor *half = kt_to(x, .dtype = KT_BF16), *small = kt_to(w, .dtype = KT_BF16), *few = kt_to(b, .dtype = KT_BF16);
    kt_tensor *rounded = kt_to(CONVOLVED(WIDE(half), WIDE(small), WIDE(few)), .dtype = KT_BF16);
    CHECK(tensor_at(kt_all(kt_isclose(kt_to(CONVOLVED(half, small, few), .dtype = KT_F32), kt_to(rounded, .dtype = KT_F32),
                                      .rtol = KT_SOME(8e-3), .atol = KT_SOME(1e-2))), 0) == 1);
    kt_tensor *g = numbers(kt_sizes(y), KT_F32);
    CHECK(close_to(WIDE(kt_convolution_input(g, w, xs, stride, padding, dilation, false, groups)),
                   kt_convolution_input(WIDE(g), WIDE(w), xs, stride, padding, dilation, false, groups)));
    CHECK(close_to(WIDE(kt_convolution_input(laid_out(g, true), w, xs, stride, padding, dilation, false, groups)),
                   kt_convolution_input(WIDE(g), WIDE(w), xs, stride, padding, dilation, false, groups)));
    kt_tensor *many = kt_cat(((kt_tensor *[]){x, turned, x, x}), 4), *flowed = kt_cat(((kt_tensor *[]){g, g, g, g}), 4);
    kt_tensor *to_weight = kt_convolution_weight(WIDE(flowed), WIDE(many), ws, stride, padding, dilation, false, groups);
    CHECK(close_to(WIDE(kt_convolution_weight(flowed, many, ws, stride, padding, dilation, false, groups)), to_weight));
    CHECK(close_to(WIDE(kt_convolution_weight(flowed, laid_out(many, true), ws, stride, padding, dilation, false, groups)),
                   to_weight));
    CHECK_MSG(!kt_failed(), "%s", kt_error());
}

TEST(convolutions_without_columns)
{
    kt_manual_seed(8);
    try_without_columns(KT_SHAPE(2, 5, 12, 19), KT_SHAPE(13, 5, 3, 3), KT_SHAPE(1), KT_SHAPE(1), KT_SHAPE(1), 1);
    try_without_columns(KT_SHAPE(1, 6, 17, 40), KT_SHAPE(8, 3, 3, 2), KT_SHAPE(2, 1), KT_SHAPE(0, 1), KT_SHAPE(1), 2);
    try_without_columns(KT_SHAPE(1, 4, 21, 33), KT_SHAPE(9, 4, 3, 5), KT_SHAPE(2), KT_SHAPE(2), KT_SHAPE(1), 1);
    try_without_columns(KT_SHAPE(1, 3, 20, 30), KT_SHAPE(16, 3, 3, 3), KT_SHAPE(1, 2), KT_SHAPE(3, 2), KT_SHAPE(3, 2), 1);
    try_without_columns(KT_SHAPE(2, 7, 50), KT_SHAPE(8, 7, 5), KT_SHAPE(3), KT_SHAPE(2), KT_SHAPE(1), 1);
    try_without_columns(KT_SHAPE(1, 8, 6, 7, 18), KT_SHAPE(8, 8, 3, 2, 3), KT_SHAPE(1), KT_SHAPE(1), KT_SHAPE(1), 1);
    try_without_columns(KT_SHAPE(1, 4, 5, 9, 22), KT_SHAPE(10, 4, 3, 3, 3), KT_SHAPE(2), KT_SHAPE(1, 0, 1), KT_SHAPE(1), 1);
    try_without_columns(KT_SHAPE(2, 6, 20, 41), KT_SHAPE(6, 1, 3, 3), KT_SHAPE(1), KT_SHAPE(1), KT_SHAPE(1), 6);
    try_without_columns(KT_SHAPE(2, 6, 20, 59), KT_SHAPE(12, 1, 3, 5), KT_SHAPE(2), KT_SHAPE(1), KT_SHAPE(1), 6);
    try_without_columns(KT_SHAPE(2, 37, 11, 15), KT_SHAPE(37, 1, 3, 5), KT_SHAPE(2, 1), KT_SHAPE(1, 3), KT_SHAPE(2, 1), 37);
    try_without_columns(KT_SHAPE(2, 24, 4, 5, 9), KT_SHAPE(24, 1, 3, 2, 3), KT_SHAPE(1, 2, 1), KT_SHAPE(1), KT_SHAPE(1), 24);
    try_without_columns(KT_SHAPE(2, 9, 20, 30), KT_SHAPE(1, 9, 3, 3), KT_SHAPE(1), KT_SHAPE(0), KT_SHAPE(1), 1);
    try_without_columns(KT_SHAPE(1, 64, 40, 600), KT_SHAPE(8, 64, 3, 3), KT_SHAPE(1), KT_SHAPE(1), KT_SHAPE(1), 1);
}

/* ---- bfloat16: summed in float32 and rounded once, where the processor has tiles and where it has none ---- */

static bool rounded_once(kt_tensor *got, kt_tensor *want)
{
    const double scale = tensor_at(kt_amax(kt_abs(want)), 0);
    kt_tensor   *wide = kt_to(got, .dtype = KT_F64);
    kt_tensor   *all = kt_all(kt_isclose(wide, want, .rtol = KT_SOME(4.1e-3), .atol = KT_SOME(2e-4 * scale)));
    return got && kt_dtype_of(got) == KT_BF16 && all && tensor_at(all, 0) == 1;
}

static bool same(kt_tensor *a, kt_tensor *b)
{
    kt_tensor *all = kt_all(kt_eq(a, b));
    return all && tensor_at(all, 0) == 1;
}

static void try_bf16(kt_shape xs, kt_shape ws, kt_shape stride, kt_shape padding, kt_shape dilation, int64_t groups)
{
    for (int inner = 0; inner < 2; inner++) {
        KT_SCOPE;
        kt_tensor *x = laid_out(numbers(xs, KT_BF16), inner), *w = laid_out(numbers(ws, KT_BF16), inner),
                  *b = numbers(KT_SHAPE(ws.d[0]), KT_BF16);
        kt_tensor *y = CONVOLVED(x, w, b), *want = CONVOLVED(WIDE(x), WIDE(w), WIDE(b));
        CHECK(rounded_once(y, want));
        CHECK(rounded_once(CONVOLVED(x, w, NULL), CONVOLVED(WIDE(x), WIDE(w), NULL)));
        kt_tensor *g = laid_out(numbers(kt_sizes(y), KT_BF16), inner);
#define TO_IMAGE(g, w) kt_convolution_input(g, w, xs, stride, padding, dilation, false, groups)
#define TO_WEIGHT(g, x) kt_convolution_weight(g, x, ws, stride, padding, dilation, false, groups)
        kt_tensor *to_image = TO_IMAGE(g, w), *to_weight = TO_WEIGHT(g, x);
        CHECK(rounded_once(to_image, TO_IMAGE(WIDE(g), WIDE(w))));
        CHECK(rounded_once(to_weight, TO_WEIGHT(WIDE(g), WIDE(x))));
        const int threads = kt_get_num_threads();
        for (int n = 1; n < 4; n++) {
            kt_set_num_threads(n);
            CHECK(same(CONVOLVED(x, w, b), y) && same(TO_IMAGE(g, w), to_image) && same(TO_WEIGHT(g, x), to_weight));
        }
        kt_set_num_threads(threads);
        CHECK_MSG(!kt_failed(), "%s", kt_error());
    }
}

TEST(bfloat16_is_rounded_once)
{
    kt_manual_seed(9);
    try_bf16(KT_SHAPE(5, 64, 21, 19), KT_SHAPE(64, 64, 3, 3), KT_SHAPE(1), KT_SHAPE(1), KT_SHAPE(1), 1);
    try_bf16(KT_SHAPE(3, 33, 9, 11), KT_SHAPE(17, 33, 3, 3), KT_SHAPE(1), KT_SHAPE(1), KT_SHAPE(1), 1);
    try_bf16(KT_SHAPE(2, 3, 40, 37), KT_SHAPE(24, 3, 7, 7), KT_SHAPE(2), KT_SHAPE(3), KT_SHAPE(1), 1);
    try_bf16(KT_SHAPE(2, 64, 15, 15), KT_SHAPE(70, 64, 1, 1), KT_SHAPE(2), KT_SHAPE(0), KT_SHAPE(1), 1);
    try_bf16(KT_SHAPE(3, 48, 14, 17), KT_SHAPE(50, 48, 3, 5), KT_SHAPE(2, 3), KT_SHAPE(1, 2), KT_SHAPE(2, 1), 1);
    try_bf16(KT_SHAPE(2, 48, 14, 17), KT_SHAPE(50, 24, 3, 5), KT_SHAPE(3, 1), KT_SHAPE(4, 5), KT_SHAPE(1, 3), 2);
    try_bf16(KT_SHAPE(2, 20, 5000), KT_SHAPE(30, 20, 9), KT_SHAPE(1), KT_SHAPE(4), KT_SHAPE(1), 1);
    try_bf16(KT_SHAPE(2, 20, 6, 7, 8), KT_SHAPE(30, 20, 3, 2, 3), KT_SHAPE(2, 1, 2), KT_SHAPE(1, 0, 1), KT_SHAPE(1, 2, 1), 1);
    try_bf16(KT_SHAPE(2, 6, 6, 7, 8), KT_SHAPE(30, 6, 3, 2, 3), KT_SHAPE(1), KT_SHAPE(1), KT_SHAPE(1), 1);
    try_bf16(KT_SHAPE(9, 96, 7, 7), KT_SHAPE(130, 96, 3, 3), KT_SHAPE(1), KT_SHAPE(1), KT_SHAPE(1), 1);
    try_bf16(KT_SHAPE(1, 40, 90, 130), KT_SHAPE(3, 40, 3, 3), KT_SHAPE(1), KT_SHAPE(1), KT_SHAPE(1), 1);
    try_bf16(KT_SHAPE(3, 32, 5, 3), KT_SHAPE(40, 32, 3, 3), KT_SHAPE(3), KT_SHAPE(4), KT_SHAPE(1), 1);
    try_bf16(KT_SHAPE(3, 32, 15, 13), KT_SHAPE(40, 32, 3, 3), KT_SHAPE(5), KT_SHAPE(0), KT_SHAPE(1), 1);
    try_bf16(KT_SHAPE(2, 32, 1, 1), KT_SHAPE(40, 32, 1, 1), KT_SHAPE(1), KT_SHAPE(0), KT_SHAPE(1), 1);
    try_bf16(KT_SHAPE(2, 32, 17, 1), KT_SHAPE(40, 32, 3, 1), KT_SHAPE(1), KT_SHAPE(1, 0), KT_SHAPE(1), 1);
    try_bf16(KT_SHAPE(4, 32, 8, 8), KT_SHAPE(32, 1, 3, 3), KT_SHAPE(1), KT_SHAPE(1), KT_SHAPE(1), 32);
    try_bf16(KT_SHAPE(3, 21, 9, 14), KT_SHAPE(21, 1, 9, 8), KT_SHAPE(2, 1), KT_SHAPE(4), KT_SHAPE(1), 21);
    try_bf16(KT_SHAPE(2, 70, 9, 14), KT_SHAPE(70, 1, 3, 5), KT_SHAPE(2), KT_SHAPE(3), KT_SHAPE(1, 2), 70);
}

/* What is not a number stays where a window sees it, and in its own channel. */
TEST(bfloat16_that_is_no_number)
{
    KT_SCOPE;
    kt_manual_seed(10);
    kt_tensor *x = numbers(KT_SHAPE(1, 40, 20, 20), KT_BF16), *w = numbers(KT_SHAPE(32, 40, 3, 3), KT_BF16);
    kt_fill_(kt_narrow(kt_narrow(kt_narrow(x, 1, 7, 1), 2, 19, 1), 3, 19, 1), kt_full(KT_SCALAR, KT_FLOAT(NAN)));
    kt_tensor *y = kt_conv2d(x, w, .padding = KT_SHAPE(1)), *none = kt_isnan(y);
    CHECK(tensor_at(kt_sum(none), 0) == 32 * 4);
    CHECK(tensor_at(kt_sum(kt_narrow(kt_narrow(none, 2, 18, 2), 3, 18, 2)), 0) == 32 * 4);
    kt_tensor *to_weight = kt_convolution_weight(kt_ones_like(y), x, KT_SHAPE(32, 40, 3, 3), KT_SHAPE(1), KT_SHAPE(1),
                                                 KT_SHAPE(1), false, 1);
    CHECK(tensor_at(kt_sum(kt_isnan(kt_narrow(to_weight, 1, 0, 7))), 0) == 0);
    CHECK(tensor_at(kt_sum(kt_isnan(kt_narrow(to_weight, 1, 8, 32))), 0) == 0);
    CHECK(tensor_at(kt_sum(kt_isnan(to_weight)), 0) > 0);
    CHECK_MSG(!kt_failed(), "%s", kt_error());
}

/* An infinity at the image's edge is seen by four taps: the others have numbers. */
TEST(bfloat16_infinity_at_an_edge)
{
    for (int inner = 0; inner < 2; inner++) {
        KT_SCOPE;
        kt_manual_seed(11);
        kt_tensor *x = laid_out(numbers(KT_SHAPE(3, 40, 20, 20), KT_BF16), inner);
        kt_tensor *g = kt_ones(KT_SHAPE(3, 32, 20, 20), .dtype = KT_BF16);
        kt_tensor *pixel = kt_narrow(kt_narrow(kt_narrow(kt_narrow(x, 0, 1, 1), 1, 7, 1), 2, 19, 1), 3, 0, 1);
        kt_fill_(pixel, kt_full(KT_SCALAR, KT_FLOAT(INFINITY)));
        kt_tensor *to_weight = kt_convolution_weight(g, x, KT_SHAPE(32, 40, 3, 3), KT_SHAPE(1), KT_SHAPE(1), KT_SHAPE(1),
                                                     false, 1);
        CHECK(tensor_at(kt_sum(kt_isnan(to_weight)), 0) == 0);
        CHECK(tensor_at(kt_sum(kt_isinf(to_weight)), 0) == 32 * 4);
        kt_tensor *of_channel = kt_narrow(to_weight, 1, 7, 1), *seen = kt_narrow(kt_narrow(of_channel, 2, 1, 2), 3, 0, 2);
        CHECK(tensor_at(kt_sum(kt_isinf(seen)), 0) == 32 * 4);
        CHECK_MSG(!kt_failed(), "%s", kt_error());
    }
}

#define REFUSED(expression, text)                                                           \
    do {                                                                                    \
        CHECK((expression) == NULL);                                                        \
        CHECK_MSG(strstr(kt_error(), text) != NULL, "\"%s\" is not in \"%s\"", text, kt_error()); \
        kt_clear();                                                                         \
    } while (0)

TEST(bad_geometry_is_refused_in_pytorchs_words)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(1, 4, 4, 4)), *w = kt_ones(KT_SHAPE(3, 2, 3, 3)), *fit = kt_ones(KT_SHAPE(3, 4, 3, 3));
    REFUSED(kt_conv2d(x, w), "Given groups=1, weight of size [3, 2, 3, 3], expected input[1, 4, 4, 4] to have 2 channels, but "
            "got 4 channels "
                             "instead");
    REFUSED(kt_conv2d(x, w, .groups = KT_SOME(2)), "Given groups=2, expected weight to be divisible by 2 at dimension 0");
    REFUSED(kt_conv2d(x, w, .groups = KT_SOME(0)), "non-positive groups is not supported");
    REFUSED(kt_conv2d(x, fit, .stride = KT_SHAPE(0)), "non-positive stride is not supported");
    REFUSED(kt_conv2d(x, fit, .padding = KT_SHAPE(-1)), "negative padding is not supported");
    REFUSED(kt_conv2d(x, fit, .dilation = KT_SHAPE(0)), "dilation should be greater than zero, but got [0, 0]");
    REFUSED(kt_conv2d(x, kt_ones(KT_SHAPE(3, 4, 5, 5))), "Calculated padded input size per channel: (4 x 4). Kernel size: (5 x "
            "5). Kernel size "
                                                         "can't be greater than actual input size");
    REFUSED(kt_conv2d(x, fit, .bias = kt_ones(KT_SHAPE(4))), "expected bias to be 1-dimensional with 3 elements, but got bias "
            "of size [4] instead");
    REFUSED(kt_conv2d(kt_ones(KT_SHAPE(4, 4)), fit), "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input "
            "of size: [4, 4]");
    REFUSED(kt_conv2d(x, fit, .stride = KT_SHAPE(1, 1, 1)), "expected stride to be a single integer value or a list of 2 "
            "values to match the "
                                                            "convolution dimensions, but got stride=[1, 1, 1]");
    REFUSED(kt_conv2d_padding(x, fit, .padding = "same", .stride = KT_SHAPE(2)),
            "padding='same' is not supported for strided convolutions");
    REFUSED(kt_conv_transpose2d(kt_ones(KT_SHAPE(1, 3, 4, 4)), w, .output_padding = KT_SHAPE(1)),
            "output padding must be smaller than either stride or dilation, but got output_padding_height: 1 "
"output_padding_width: 1 "
            "stride_height: 1 stride_width: 1 dilation_height: 1 dilation_width: 1");
    REFUSED(kt_conv_transpose2d(kt_ones(KT_SHAPE(1, 3, 1, 1)), w, .padding = KT_SHAPE(3)),
            "Given input size per channel: (1 x 1). Calculated output size per channel: (-3 x -3). Output size is too small");
    REFUSED(kt_convolution_input(x, fit, KT_SHAPE(1, 4, 9, 9), KT_SHAPE(1), KT_SHAPE(0), KT_SHAPE(1), false, 1),
            "does not give grad_output");
}

TEST(dtypes_that_differ_are_refused_in_pytorchs_words)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(1, 2, 4, 4)), *w = kt_ones(KT_SHAPE(3, 2, 3, 3)), *wide = kt_to(w, .dtype = KT_F64);
    REFUSED(kt_conv2d(x, wide), "expected scalar type Float but found Double");
    REFUSED(kt_conv2d(kt_to(x, .dtype = KT_C64), w), "Input type (CPUComplexFloatType) and weight type (torch.FloatTensor) "
            "should be the same");
    REFUSED(kt_conv2d(kt_to(x, .dtype = KT_BF16), w), "should be the same or input should be a MKLDNN tensor and weight is a "
            "dense tensor");
    REFUSED(kt_conv2d(x, w, .bias = kt_ones(KT_SHAPE(3), .dtype = KT_F64)),
            "Input type (float) and bias type (double) should be the same");
    REFUSED(kt_conv2d(kt_to(x, .dtype = KT_BOOL), kt_to(w, .dtype = KT_BOOL)), "\"slow_conv2d_cpu\" not implemented for 'Bool'");
}
