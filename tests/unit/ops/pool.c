/* pool.c - pooling against loops written out here: 1 to 3 dims, kernels, strides, padding, dilation, ceil_mode, what averages
 * count, adaptive sizes, channels last and transposed images, every dtype that is taken; NaNs, ties and windows of -inf; what
 * flows back; refusals in PyTorch's words. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/by_name.h"

enum { MOST = 1 << 13, SPACE = 3 };

typedef struct geometry {
    int64_t lead, size[SPACE], made[SPACE], kernel[SPACE], stride[SPACE], padding[SPACE], dilation[SPACE], divisor;
    bool    ceil, adaptive, with_padding;
    int     dims;
} geometry;

static int64_t below(int64_t n) { return rand() % n; }

static int64_t count(const geometry *g, int d)
{
    const int64_t span = g->dilation[d] * (g->kernel[d] - 1) + 1, rest = g->size[d] + 2 * g->padding[d] - span;
    int64_t       n = rest < 0 ? 0 : rest / g->stride[d] + 1;
    if (g->ceil && rest >= 0 && rest % g->stride[d] && n * g->stride[d] < g->size[d] + g->padding[d])
        n++;
    return n;
}

static geometry some_geometry(bool dilated)
{
    geometry g = {.lead = 6, .dims = 2 + (int)below(2), .ceil = below(2), .adaptive = below(3) == 0, .with_padding = below(2),
                  .divisor = below(3) ? 0 : 1 + below(5)};
    for (int d = 0; d < SPACE; d++) {
        const bool in = d >= SPACE - g.dims;
        g.kernel[d] = in ? 1 + below(3) : 1, g.stride[d] = in ? 1 + below(3) : 1, g.dilation[d] = in && dilated
            ? 1 + below(2) : 1;
        g.padding[d] = in ? below(g.kernel[d] / 2 + 1) : 0;
        g.size[d] = in ? g.dilation[d] * (g.kernel[d] - 1) + 1 + below(5) : 1;
        g.made[d] = !in ? 1 : g.adaptive ? 1 + below(6) : count(&g, d);
    }
    return g;
}

/* The taps of window i in dim d: element e(t) for t in [0, taps); *with: how many an average counts that counts padding. */
static int64_t taps(const geometry *g, int d, int64_t i, int64_t *elements, int64_t *with)
{
    int64_t n = 0;
    if (g->adaptive) {
        for (int64_t e = i * g->size[d] / g->made[d]; e * g->made[d] < (i + 1) * g->size[d]; e++)
            elements[n++] = e;
        *with = n;
        return n;
    }
    *with = 0;
    for (int64_t k = 0; k < g->kernel[d]; k++) {
        const int64_t e = i * g->stride[d] - g->padding[d] + k * g->dilation[d];
        if (e >= 0 && e < g->size[d])
            elements[n++] = e;
        *with += e < g->size[d] + g->padding[d];
    }
    return n;
}

typedef struct results {
    double  top[MOST], mean[MOST], to_top[MOST], to_mean[MOST];
    int64_t index[MOST], n;
} results;

/* g: what flows back to each result. */
static void pool(const geometry *g, const double *x, const double *back, results *r)
{
    const int64_t plane = g->size[0] * g->size[1] * g->size[2], each = g->made[0] * g->made[1] * g->made[2];
    memset(r, 0, sizeof *r);
    r->n = g->lead * each;
    for (int64_t at = 0; at < r->n; at++) {
        int64_t see[SPACE][64], n[SPACE], with[SPACE], rest = at % each, best = -1;
        double  sum = 0, top = -INFINITY;
        for (int d = SPACE - 1; d >= 0; d--, rest /= g->made[d + 1])
            n[d] = taps(g, d, rest % g->made[d], see[d], &with[d]);
        for (int pass = 0; pass < 2; pass++) {
            const double among = g->adaptive      ? n[0] * n[1] * n[2]
                                 : g->divisor      ? g->divisor
                                 : g->with_padding ? with[0] * with[1] * with[2]
                                                   : n[0] * n[1] * n[2];
            for (int64_t k = 0; k < n[0] * n[1] * n[2]; k++) {
                const int64_t row = see[0][k / n[2] / n[1]] * g->size[1] + see[1][k / n[2] % n[1]];
                const int64_t e = row * g->size[2] + see[2][k % n[2]];
                const double  v = x[at / each * plane + e];
                if (pass)
                    r->to_mean[at / each * plane + e] += back[at] / among;
                else if (best < 0 || v > top || isnan(v))
                    top = v, best = e;
                sum += pass ? 0 : v;
            }
            r->mean[at] = sum / among;
        }
        r->top[at] = top, r->index[at] = best;
        r->to_top[at / each * plane + best] += back[at];
    }
}

static void read_all(const kt_tensor *t, double *into)
{
    KT_SCOPE;
    kt_tensor *wide = kt_contiguous(kt_to(t, .dtype = KT_F64));
    CHECK(kt_numel(wide) <= MOST && kt_read(wide, into, sizeof(double) * (size_t)kt_numel(wide)) == KT_OK);
}

static void compare(const char *what, const kt_tensor *got, const double *want, int64_t n, double slack)
{
    static double is[MOST];
    if (!CHECK_MSG(got && !kt_failed(), "%s: %s", what, kt_error())) {
        kt_clear();
        return;
    }
    if (!CHECK_EQ_INT(kt_numel(got), n))
        return;
    read_all(got, is);
    for (int64_t i = 0; i < n; i++) {
        const bool same = isnan(want[i]) ? isnan(is[i]) : is[i] == want[i] || fabs(is[i] - want[i]) <=
            slack * (1 + fabs(want[i]));
        if (!CHECK_MSG(same, "%s of %s: element %d is %g, not %g", what, kt_dtype_name(kt_dtype_of(got)), (int)i, is[i], want[i]))
            return;
    }
}

/* 0: row-major, 1: channels last, 2: the last two dims change places in memory. */
static kt_tensor *laid_out(kt_tensor *t, int how)
{
    if (how == 1)
        return kt_contiguous(t, .memory_format = kt_ndim(t) == 4 ? KT_CHANNELS_LAST : KT_CHANNELS_LAST_3D);
    return how == 2 ? kt_transpose(kt_contiguous(kt_transpose(t, -1, -2)), -1, -2) : t;
}

static kt_shape last(const int64_t *all, int dims) { return (kt_shape){dims, all + SPACE - dims}; }

static kt_tensor *images(const geometry *g, const int64_t *space, kt_dtype dtype, bool specials, int how)
{
    int64_t sizes[2 + SPACE] = {2, g->lead / 2};
    memcpy(sizes + 2, space + SPACE - g->dims, sizeof *sizes * (size_t)g->dims);
    kt_tensor *t = kt_randint_low(-4, 5, ((kt_shape){2 + g->dims, sizes}));
    t = kt_to(t, .dtype = dtype);
    if (specials && below(2))
        t = kt_masked_fill(t, kt_eq_s(t, KT_INT(3)), KT_FLOAT(NAN));
    if (specials && below(2))
        t = kt_masked_fill(t, kt_lt_s(t, KT_INT(1)), KT_FLOAT(-INFINITY));
    return laid_out(t, how);
}

static void try_geometry(const geometry *g, kt_dtype dtype, int how, int how_back)
{
    static double  x[MOST], back[MOST], index[MOST];
    static results r;
    KT_SCOPE;
    const bool   floats = kt_dtype_category(dtype) == KT_CAT_FLOAT;
    const double slack = dtype == KT_BF16 ? 8e-3 : dtype == KT_F16 ? 1e-3 : 1e-6;
    const int    n = g->dims;
    kt_tensor   *tx = images(g, g->size, dtype, floats && below(3) == 0, how), *tb = images(g, g->made, dtype, false, how_back);
    read_all(tx, x), read_all(tb, back);
    pool(g, x, back, &r);
    const kt_shape k = last(g->kernel, n), s = last(g->stride, n), p = last(g->padding, n), d = last(g->dilation, n), o =
        last(g->made, n);
    kt_tensor     *top = NULL, *where = NULL;
    if (g->adaptive && floats) {
        top = n == 2 ? kt_adaptive_max_pool2d(tx, o).result0 : kt_adaptive_max_pool3d(tx, o).result0;
        where = n == 2 ? kt_adaptive_max_pool2d(tx, o).result1 : kt_adaptive_max_pool3d(tx, o).result1;
    } else if (!g->adaptive) {
        top = n == 2 ? kt_max_pool2d(tx, k, .stride = s, .padding = p, .dilation = d, .ceil_mode = g->ceil)
                     : kt_max_pool3d(tx, k, .stride = s, .padding = p, .dilation = d, .ceil_mode = g->ceil);
        where = n == 2 ? kt_max_pool2d_with_indices(tx, k, .stride = s, .padding = p, .dilation = d, .ceil_mode = g->ceil).result1
                       : kt_max_pool3d_with_indices(tx, k, .stride = s, .padding = p, .dilation = d, .ceil_mode =
                           g->ceil).result1;
    }
    if (top) {
        compare("the largest", top, r.top, r.n, 0);
        for (int64_t i = 0; i < r.n; i++)
            index[i] = (double)r.index[i];
        compare("its index", where, index, r.n, 0);
    }
    if (!floats)
        return;
    if (g->adaptive)
        compare("its gradient", n == 2 ? kt_adaptive_max_pool2d_backward(tb, tx, where) : kt_adaptive_max_pool3d_backward(tb,
                                                                                          tx, where),
                r.to_top, kt_numel(tx), slack);
    else
        compare("its gradient",
                n == 2 ? kt_max_pool2d_with_indices_backward(tb, tx, k, s, p, d, g->ceil, where)
                       : kt_max_pool3d_with_indices_backward(tb, tx, k, s, p, d, g->ceil, where),
                r.to_top, kt_numel(tx), slack);
}

static void try_average(const geometry *g, kt_dtype dtype, int how, int how_back)
{
    static double  x[MOST], back[MOST];
    static results r;
    KT_SCOPE;
    const double slack = dtype == KT_BF16 ? 8e-3 : dtype == KT_F16 ? 1e-3 : 1e-6;
    const int    n = g->dims;
    kt_tensor   *tx = images(g, g->size, dtype, below(5) == 0 && dtype != KT_I64, how), *tb = images(g, g->made, dtype, false,
                                                                                          how_back);
    read_all(tx, x), read_all(tb, back);
    pool(g, x, back, &r);
    const kt_shape   k = last(g->kernel, n), s = last(g->stride, n), p = last(g->padding, n), o = last(g->made, n);
    const kt_opt_int divisor = g->divisor ? (kt_opt_int)KT_SOME(g->divisor) : (kt_opt_int){0};
#define AVERAGE(name) \
    name(tx, k, .stride = s, .padding = p, .ceil_mode = g->ceil, .count_include_pad = KT_SOME(g->with_padding), \
         .divisor_override = divisor)
#define BACK(name) name(tb, tx, k, s, p, g->ceil, g->with_padding, .divisor_override = divisor)
    for (int64_t i = 0; dtype == KT_I64 && i < r.n; i++)
        r.mean[i] = trunc(r.mean[i] + (r.mean[i] < 0 ? -1e-9 : 1e-9));
    kt_tensor *got = g->adaptive ? (n == 2 ? kt_adaptive_avg_pool2d_kernel(tx, o) : kt_adaptive_avg_pool3d_kernel(tx, o))
                     : n == 2    ? AVERAGE(kt_avg_pool2d)
                                 : AVERAGE(kt_avg_pool3d);
    compare("the average", got, r.mean, r.n, slack);
    if (dtype == KT_I64)
        return;
    got = g->adaptive ? (n == 2 ? kt_adaptive_avg_pool2d_backward(tb, tx) : kt_adaptive_avg_pool3d_backward(tb, tx))
          : n == 2    ? BACK(kt_avg_pool2d_backward)
                      : BACK(kt_avg_pool3d_backward);
    compare("the average's gradient", got, r.to_mean, kt_numel(tx), slack);
}

TEST(the_largest_is_that_of_the_loop_written_out)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_F64, KT_BF16, KT_F16, KT_I64, KT_I32, KT_I16, KT_I8};
    srand(6);
    kt_manual_seed(6);
    for (int i = 0; i < 240; i++) {
        const geometry g = some_geometry(true);
        try_geometry(&g, dtypes[i % 8], i / 8 % 3, (int)below(3));
    }
}

TEST(averages_are_those_of_the_loop_written_out)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_F64, KT_BF16, KT_F16, KT_I64};
    srand(7);
    kt_manual_seed(7);
    for (int i = 0; i < 200; i++) {
        geometry     g = some_geometry(false);
        const kt_dtype dtype = dtypes[i % 5];
        if ((dtype == KT_I64 && g.adaptive) || (g.dims == 3 && !g.adaptive && (dtype == KT_BF16 || dtype == KT_F16)))
            continue;
        for (int d = 0; d < SPACE && g.dims == 3 && !g.adaptive; d++) /* PyTorch wants the window inside, without padding */
            g.size[d] = g.size[d] < g.kernel[d] ? g.kernel[d] : g.size[d];
        try_average(&g, dtype, i / 5 % 3, (int)below(3));
    }
}

static bool alike(kt_tensor *a, kt_tensor *b)
{
    kt_tensor *all = kt_all(kt_isclose(a, b, .rtol = KT_SOME(1e-5), .atol = KT_SOME(1e-6)));
    return all && tensor_at(all, 0) == 1;
}

/* Longer than a block: lines are cut, and windows are wider than a block has columns. */
TEST(long_lines_are_cut)
{
    KT_SCOPE;
    kt_tensor *x = kt_randn(KT_SHAPE(2, 3, 2, 5003)), *wide = kt_to(x, .dtype = KT_F64), *half = kt_to(x, .dtype = KT_BF16);
    for (int64_t k = 1; k < 3000; k = 3 * k + 1) {
        kt_tensor *windows = kt_unfold(x, 3, k, 2);
        kt_tensor *of_two = kt_unfold(windows, 2, 2, 1);
        CHECK(alike(kt_max_pool2d(x, KT_SHAPE(1, k), .stride = KT_SHAPE(1, 2)), kt_amax(windows, .dim = KT_SHAPE(-1))));
        CHECK(alike(kt_max_pool2d(x, KT_SHAPE(2, k), .stride = KT_SHAPE(1, 2)), kt_amax(of_two, .dim = KT_SHAPE(-1, -2))));
        CHECK(alike(kt_max_pool2d(half, KT_SHAPE(1, k), .stride = KT_SHAPE(1, 2)),
                    kt_amax(kt_unfold(half, 3, k, 2), .dim = KT_SHAPE(-1))));
        CHECK(alike(kt_avg_pool2d(wide, KT_SHAPE(1, k), .stride = KT_SHAPE(1, 2)),
                    kt_mean_dim(kt_unfold(wide, 3, k, 2), KT_SHAPE(-1))));
    }
    CHECK(alike(kt_adaptive_avg_pool2d(wide, KT_SHAPE(1, 1)), kt_mean_dim(wide, KT_SHAPE(-1, -2), .keepdim = true)));
    CHECK(alike(kt_adaptive_avg_pool2d(wide, KT_SHAPE(2, 1)), kt_mean_dim(wide, KT_SHAPE(-1), .keepdim = true)));
    CHECK(alike(kt_adaptive_max_pool2d(x, KT_SHAPE(2, 1)).result0, kt_amax(x, .dim = KT_SHAPE(-1), .keepdim = true)));
    CHECK(!kt_failed());
}

/* The windows that a sample of 0 gives begin at i * rest / (n - 1), rounded down; the last ends with the image. */
TEST(drawn_windows_and_numbers_at_their_places)
{
    KT_SCOPE;
    kt_tensor *x = kt_randn(KT_SHAPE(2, 3, 9, 11)), *zero = kt_zeros(KT_SHAPE(2, 3, 2));
    const kt_fractional_max_pool2d_results r = kt_fractional_max_pool2d(x, KT_SHAPE(2, 2), KT_SHAPE(4, 5), zero);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t k = 0; k < 5; k++) {
            kt_tensor *seen = kt_narrow(kt_narrow(x, 2, i * 7 / 3, 2), 3, k * 9 / 4, 2);
            CHECK(alike(kt_select(kt_select(r.result0, 3, k), 2, i), kt_amax(seen, .dim = KT_SHAPE(-1, -2))));
        }
    kt_tensor *back = kt_max_unpool2d(r.result0, r.result1, KT_SHAPE(9, 11));
    CHECK(alike(kt_gather(kt_flatten(back, .start_dim = 2), 2, kt_flatten(r.result1, .start_dim = 2)),
                kt_flatten(r.result0, .start_dim = 2)));
    kt_tensor *half = kt_to(x, .dtype = KT_BF16), *last = kt_contiguous(half, .memory_format = KT_CHANNELS_LAST);
    const kt_max_pool2d_with_indices_results p = kt_max_pool2d_with_indices(last, KT_SHAPE(3));
    kt_tensor *put = kt_max_unpool2d(p.result0, p.result1, KT_SHAPE(9, 11));
    CHECK(kt_is_contiguous_as(put, KT_CHANNELS_LAST));
    CHECK(alike(put, kt_max_unpool2d(kt_contiguous(p.result0), kt_contiguous(p.result1), KT_SHAPE(9, 11))));
    CHECK(!kt_failed());
}

TEST(columns_are_the_windows_and_add_up_to_how_often_each_is_seen)
{
    KT_SCOPE;
    kt_tensor *x = kt_randn(KT_SHAPE(2, 3, 7, 6)), *windows = kt_unfold(kt_unfold(x, 2, 3, 2), 3, 2, 1);
    kt_tensor *want = kt_reshape(kt_permute(windows, KT_SHAPE(0, 1, 4, 5, 2, 3)), KT_SHAPE(2, 18, 15));
    kt_tensor *got = kt_im2col(x, KT_SHAPE(3, 2), KT_SHAPE(1, 1), KT_SHAPE(0, 0), KT_SHAPE(2, 1));
    CHECK(alike(got, want));
    kt_tensor *padded = kt_constant_pad_nd(x, KT_SHAPE(2, 2, 1, 1));
    CHECK(alike(kt_im2col(x, KT_SHAPE(2, 3), KT_SHAPE(2, 1), KT_SHAPE(1, 2), KT_SHAPE(1, 2)),
                kt_im2col(padded, KT_SHAPE(2, 3), KT_SHAPE(2, 1), KT_SHAPE(0, 0), KT_SHAPE(1, 2))));
    kt_tensor *ones = kt_im2col(kt_ones(KT_SHAPE(1, 1, 7, 6)), KT_SHAPE(3, 2), KT_SHAPE(1, 1), KT_SHAPE(0, 0), KT_SHAPE(2, 1));
    kt_tensor *times = kt_col2im(ones, KT_SHAPE(7, 6), KT_SHAPE(3, 2), KT_SHAPE(1, 1), KT_SHAPE(0, 0), KT_SHAPE(2, 1));
    CHECK(alike(kt_col2im(got, KT_SHAPE(7, 6), KT_SHAPE(3, 2), KT_SHAPE(1, 1), KT_SHAPE(0, 0), KT_SHAPE(2, 1)), kt_mul(x,
                                                                                          times)));
    CHECK(!kt_failed());
}

#define REFUSED(expression, text)                                                                 \
    do {                                                                                          \
        CHECK((expression) == NULL);                                                              \
        CHECK_MSG(strstr(kt_error(), text) != NULL, "\"%s\" is not in \"%s\"", text, kt_error()); \
        kt_clear();                                                                               \
    } while (0)

TEST(bad_geometry_is_refused_in_pytorchs_words)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(1, 2, 6, 6)), *line = kt_ones(KT_SHAPE(1, 2, 6)), *solid = kt_ones(KT_SHAPE(1, 2, 6, 6, 6));
    REFUSED(kt_max_pool2d(x, KT_SHAPE(2), .stride = KT_SHAPE(0)), "stride should not be zero");
    REFUSED(kt_max_pool2d(x, KT_SHAPE(2), .padding = KT_SHAPE(-1)), "pad must be non-negative, but got pad: -1");
    REFUSED(kt_max_pool2d(x, KT_SHAPE(2), .padding = KT_SHAPE(2)),
            "pad should be at most half of effective kernel size, but got pad=2, kernel_size=2 and dilation=1");
    REFUSED(kt_max_pool2d(x, KT_SHAPE(2), .stride = KT_SHAPE(2), .padding = KT_SHAPE(2), .dilation = KT_SHAPE(3)),
            "pad should be smaller than or equal to half of kernel size, but got padW = 2, padH = 2, kW = 2, kH = 2");
    REFUSED(kt_max_pool2d(x, KT_SHAPE(2), .dilation = KT_SHAPE(0)), "dilation should be greater than zero, but got "
            "dilationH: 0 dilationW: 0");
    REFUSED(kt_max_pool2d(x, KT_SHAPE(7)), "Given input size: (2x6x6). Calculated output size: (2x0x0). Output size is too "
            "small");
    REFUSED(kt_max_pool2d(x, KT_SHAPE(2, 2, 2)), "max_pool2d: kernel_size must either be a single int, or a tuple of two ints");
    REFUSED(kt_max_pool2d(kt_ones(KT_SHAPE(2)), KT_SHAPE(2)), "non-empty 3D or 4D (batch mode) tensor expected for input");
    REFUSED(kt_max_pool2d(kt_ones(KT_SHAPE(2, 0, 6, 6)), KT_SHAPE(2)),
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:[2, 0, 6, 6]");
    REFUSED(kt_max_pool3d(solid, KT_SHAPE(2), .stride = KT_SHAPE(-1)), "stride should be greater than zero, but got dT: -1 "
            "dH: -1 dW: -1");
    REFUSED(kt_max_pool2d(kt_to(x, .dtype = KT_BOOL), KT_SHAPE(2)), "\"max_pool2d\" not implemented for 'Bool'");
    REFUSED(kt_max_pool1d(line, KT_SHAPE(0)), "max_pool1d() kernel_size must be greater than zero, but got 0");
    REFUSED(kt_max_pool1d(line, KT_SHAPE(9)), "max_pool1d() Invalid computed output size: 0");
    REFUSED(kt_max_pool1d(kt_to(line, .dtype = KT_I64), KT_SHAPE(2)), "\"max_pool1d_impl\" not implemented for 'Long'");
    REFUSED(kt_avg_pool1d(line, KT_SHAPE(2, 2)), "avg_pool1d() argument 'kernel_size' should contain one int (got 2)");
    REFUSED(kt_avg_pool2d(x, KT_SHAPE(0)), "integer out of range");
    REFUSED(kt_avg_pool2d(x, KT_SHAPE(2), .divisor_override = KT_SOME(0)), "divisor must be not zero");
    REFUSED(kt_avg_pool2d(kt_to(x, .dtype = KT_I32), KT_SHAPE(2)), "\"avg_pool2d\" not implemented for 'Int'");
    REFUSED(kt_avg_pool3d(solid, KT_SHAPE(7), .ceil_mode = true),
            "input image (T: 6 H: 6 W: 6) smaller than kernel size (kT: 7 kH: 7 kW: 7)");
    REFUSED(kt_adaptive_avg_pool2d(x, KT_SHAPE(-1, 2)),
            "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but received {-1, 2}");
    REFUSED(kt_adaptive_avg_pool2d(x, KT_SHAPE(2)), "adaptive_avg_pool2d: output_size must be 2");
    REFUSED(kt_adaptive_max_pool2d(kt_ones(KT_SHAPE(2, 2, 0, 3)), KT_SHAPE(2, 2)).result0,
            "adaptive_max_pool2d(): Expected input to have non-zero size for non-batch dimensions, but input has sizes [2, "
                "2, 0, 3] "
            "with dimension 2 being empty");
    REFUSED(kt_adaptive_avg_pool1d(kt_ones(KT_SHAPE(2)), KT_SHAPE(2)),
            "Expected 2 to 3 dimensions, but got 1-dimensional tensor for argument #1 'self' (while checking arguments for "
            "adaptive_avg_pool1d)");
}

TEST(places_and_columns_that_do_not_fit_are_refused)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(1, 2, 6, 6)), *v = kt_ones(KT_SHAPE(1, 2, 3, 3)), *at = kt_full_like(v, KT_INT(40),
                                                                                          .dtype = KT_I64);
    REFUSED(kt_max_unpool2d(v, at, KT_SHAPE(6, 6)), "Found an invalid max index: 40 (output volumes are of size 6x6)");
    REFUSED(kt_max_unpool2d(v, kt_sub_s(at, KT_INT(41)), KT_SHAPE(6, 6)), "Found an invalid max index: -1 (output volumes");
    REFUSED(kt_max_unpool2d(v, at, KT_SHAPE(6)), "There should be exactly two elements (height, width) in output_size, but "
            "got 1 elements.");
    REFUSED(kt_max_unpool2d(v, kt_narrow(at, 3, 0, 2), KT_SHAPE(6, 6)),
            "Expected shape of indices to be same as that of the input tensor ([1, 2, 3, 3]) but got indices tensor with "
                "shape: [1, 2, 3, 2]");
    REFUSED(kt_fractional_max_pool2d(x, KT_SHAPE(4, 4), KT_SHAPE(5, 5), kt_ones(KT_SHAPE(1, 2, 2))).result0,
            "fractional_max_pool2d(): pool height 4 too large relative to input height 6");
    REFUSED(kt_fractional_max_pool2d(x, KT_SHAPE(2, 2), KT_SHAPE(3, 3), kt_ones(KT_SHAPE(1, 1, 2))).result0,
            "Expect _random_samples.size(1) equals to input channel size.");
    REFUSED(kt_im2col(x, KT_SHAPE(9, 9), KT_SHAPE(1, 1), KT_SHAPE(0, 0), KT_SHAPE(1, 1)),
            "Given input with spatial size (6, 6), kernel_size=(9, 9), dilation=(1, 1), padding=(0, 0), calculated shape of "
                "the array "
            "of sliding blocks as (-2, -2), but its components must be at least one.");
    REFUSED(kt_im2col(x, KT_SHAPE(2), KT_SHAPE(1, 1), KT_SHAPE(0, 0), KT_SHAPE(1, 1)), "It is expected kernel_size equals to "
            "2, but got size 1");
    REFUSED(kt_im2col(kt_to(x, .dtype = KT_I64), KT_SHAPE(2, 2), KT_SHAPE(1, 1), KT_SHAPE(0, 0), KT_SHAPE(1, 1)),
            "\"im2col_out_cpu\" not implemented for 'Long'");
    REFUSED(kt_col2im(kt_ones(KT_SHAPE(1, 7, 25)), KT_SHAPE(6, 6), KT_SHAPE(2, 2), KT_SHAPE(1, 1), KT_SHAPE(0, 0), KT_SHAPE(1,
                                                                                          1)),
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)=7");
}

TEST(gradients_that_do_not_belong_are_refused)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(1, 2, 6, 6)), *g = kt_ones(KT_SHAPE(1, 2, 3, 3)), *at = kt_zeros(KT_SHAPE(1, 2, 3, 3),
                                                                                          .dtype = KT_I64);
#define BACK_TO(grad, indices) \
    kt_max_pool2d_with_indices_backward(grad, x, KT_SHAPE(2), KT_SHAPE(2), KT_SHAPE(0), KT_SHAPE(1), false, indices)
    REFUSED(BACK_TO(kt_to(g, .dtype = KT_F64), at), "expected dtype float for `gradOutput` but got dtype double");
    REFUSED(BACK_TO(kt_ones(KT_SHAPE(1, 2, 3, 2)), at),
            "Expected a tensor of dimension 4 and tensor.size[3] == 3 but got: dimension 4 and tensor.size[3] = 2");
    REFUSED(BACK_TO(g, kt_to(at, .dtype = KT_I32)), "expected scalar type Long but found Int");
    REFUSED(BACK_TO(g, kt_add_s(at, KT_INT(36))), "out of range: tried to access index 36 on a tensor of 36 elements.");
    REFUSED(BACK_TO(g, kt_sub_s(at, KT_INT(2))), "out of range: tried to access index -2");
    REFUSED(kt_adaptive_avg_pool2d_backward(kt_ones(KT_SHAPE(1, 3, 2, 2)), x), "is not what an image of sizes [1, 2, 6, 6] "
            "was pooled to");
    REFUSED(kt_adaptive_max_pool2d_backward(g, x, kt_narrow(at, 3, 0, 2)), "expected sizes [1, 2, 3, 2] for `grad_output` "
            "but got sizes [1, 2, 3, 3]");
}
