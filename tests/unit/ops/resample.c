/* resample.c - images resized and sampled, against sums written out here: each resized dim is a matrix of weights, made of the
 * definition of its filter, and what flows back is its transpose; each place of a grid is read by itself. Every dtype and layout;
 * refusals in PyTorch's words. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/by_name.h"

enum { SPACE = 3, SIDE = 12, MOST = 8192 };
typedef enum filter { NEAREST, EXACT, LINEAR, CUBIC } filter;

static int64_t below(int64_t n) { return rand() % n; }

/* ---- weights ---- */

static double cubic(double x, double a)
{
    x = fabs(x);
    if (x < 1)
        return (a + 2) * x * x * x - (a + 3) * x * x + 1;
    return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}

static int64_t clamped(int64_t at, int64_t n) { return at < 0 ? 0 : at < n ? at : n - 1; }

/* Result i of m reads element k of n with weight[i][k]. */
static void weigh(double weight[SIDE][SIDE], int64_t n, int64_t m, filter f, bool align, bool wide)
{
    const double apart = align ? (m > 1 ? (double)(n - 1) / (double)(m - 1) : 0) : (double)n / (double)m;
    memset(weight, 0, sizeof(double) * SIDE * SIDE);
    for (int64_t i = 0; i < m; i++) {
        const double centre = apart * ((double)i + 0.5), source = align ? apart * (double)i : centre - 0.5;
        if (f <= EXACT)
            weight[i][clamped((int64_t)floor(f == EXACT ? centre : apart * (double)i), n)] = 1;
        else if (wide) {
            const double scale = apart > 1 ? apart : 1;
            double       sum = 0;
            for (int64_t k = 0; k < n; k++) {
                const double x = ((double)k + 0.5 - centre) / scale;
                weight[i][k] = f == CUBIC ? cubic(x, -0.5) : fabs(x) < 1 ? 1 - fabs(x) : 0;
                sum += weight[i][k];
            }
            for (int64_t k = 0; k < n; k++)
                weight[i][k] /= sum;
        } else {
            const double  at = f == LINEAR && source < 0 ? 0 : source;
            const int64_t first = (int64_t)floor(at);
            for (int64_t k = first - 1; k <= first + 2; k++)
                weight[i][clamped(k, n)] += f == CUBIC                      ? cubic(at - (double)k, -0.75)
                                            : fabs(at - (double)k) < 1 ? 1 - fabs(at - (double)k)
                                                                            : 0;
        }
    }
}

typedef struct geometry {
    int64_t planes, from[SPACE], to[SPACE];
    double  weight[SPACE][SIDE][SIDE];
} geometry;

static void sum_all(const geometry *g, double *x, double *y, bool back)
{
    for (int64_t p = 0; p < g->planes; p++)
        for (int64_t o = 0; o < g->to[0] * g->to[1] * g->to[2]; o++)
            for (int64_t k = 0; k < g->from[0] * g->from[1] * g->from[2]; k++) {
                const int64_t o2 = o % g->to[2], o1 = o / g->to[2] % g->to[1], o0 = o / g->to[2] / g->to[1];
                const int64_t k2 = k % g->from[2], k1 = k / g->from[2] % g->from[1], k0 = k / g->from[2] / g->from[1];
                const double  w = g->weight[0][o0][k0] * g->weight[1][o1][k1] * g->weight[2][o2][k2];
                double *in = &x[p * g->from[0] * g->from[1] * g->from[2] + k], *out = &y[p * g->to[0] * g->to[1] * g->to[2] + o];
                if (back)
                    *in += w * *out;
                else
                    *out += w * *in;
            }
}

/* ---- tensors ---- */

static kt_tensor *numbers(kt_shape sizes, kt_dtype dtype)
{
    const bool bytes = dtype == KT_U8; /* after each dim cubic sums of these are bytes, too */
    return kt_to(bytes ? kt_randint_low(64, 192, sizes) : kt_randint_low(-4, 5, sizes), .dtype = dtype);
}

static void read_all(const kt_tensor *t, double *into)
{
    KT_SCOPE;
    kt_tensor *wide = kt_contiguous(kt_to(t, .dtype = KT_F64));
    CHECK(kt_numel(wide) <= MOST && kt_read(wide, into, sizeof(double) * (size_t)kt_numel(wide)) == KT_OK);
}

static void compare(const char *what, kt_tensor *got, const double *want, double slack)
{
    static double is[MOST];
    if (!CHECK_MSG(got && !kt_failed(), "%s: %s", what, kt_error())) {
        kt_clear();
        return;
    }
    read_all(got, is);
    const bool bytes = kt_dtype_of(got) == KT_U8;
    for (int64_t i = 0; i < kt_numel(got); i++)
        if (!CHECK_MSG(fabs(is[i] - want[i]) <= slack * (bytes ? 1 : 1 + fabs(want[i])), "%s of %s: element %d is %g, not %g",
                       what, kt_dtype_name(kt_dtype_of(got)), (int)i, is[i], want[i]))
            return;
}

/* Dense, with the channels inner, or every second element of something larger. */
static kt_tensor *laid_out(kt_tensor *t, int way)
{
    const int dims = kt_ndim(t) - 2;
    if (way == 1 && dims > 1)
        return kt_contiguous(t, .memory_format = dims == 2 ? KT_CHANNELS_LAST : KT_CHANNELS_LAST_3D);
    return way == 2 ? kt_select(kt_stack(((kt_tensor *[]){t, t}), 2, .dim = -1), -1, 1) : t;
}

static double slack_of(kt_dtype d)
{
    return d == KT_U8 ? 1.6 : d == KT_BF16 ? 8e-3 : d == KT_F16 ? 1e-3 : d == KT_F32 ? 1e-5 : 1e-12;
}

/* ---- resizing ---- */

#define FORWARD(name)  (back ? name##_backward(t, to, from) : name(t, to))
#define ALIGNED(name)  (back ? name##_backward(t, to, from, align) : name(t, to, align))

static kt_tensor *resized(kt_tensor *t, int dims, filter f, bool align, bool wide, kt_shape to, kt_shape from, bool back)
{
    switch (f) {
    case NEAREST:
        return dims == 1   ? FORWARD(kt_upsample_nearest1d)
               : dims == 2 ? FORWARD(kt_upsample_nearest2d)
                           : FORWARD(kt_upsample_nearest3d);
    case EXACT:
        return dims == 1   ? FORWARD(kt_upsample_nearest_exact1d)
               : dims == 2 ? FORWARD(kt_upsample_nearest_exact2d)
                           : FORWARD(kt_upsample_nearest_exact3d);
    case LINEAR:
        if (wide)
            return ALIGNED(kt_upsample_bilinear2d_aa);
        return dims == 1   ? ALIGNED(kt_upsample_linear1d)
               : dims == 2 ? ALIGNED(kt_upsample_bilinear2d)
                           : ALIGNED(kt_upsample_trilinear3d);
    default: return wide ? ALIGNED(kt_upsample_bicubic2d_aa) : ALIGNED(kt_upsample_bicubic2d);
    }
}

static void try_resizing(kt_dtype dtype, int way)
{
    static double x[MOST], y[MOST], gx[MOST], gy[MOST];
    KT_SCOPE;
    static const int64_t even[] = {1, 2, 4, 8}; /* positions between two elements are exact in every type */
    const filter  f = (filter)below(4);
    const bool    narrow = dtype == KT_BF16 || dtype == KT_F16, bytes = dtype == KT_U8;
    const bool    align = f >= LINEAR && below(2), wide = f >= LINEAR && !narrow && !align && below(2);
    const int     dims = f == CUBIC || wide || (bytes && f == LINEAR) ? 2 : 1 + (int)below(3);
    int64_t       from[5] = {1 + below(2), 1 + below(5)}, to[5] = {from[0], from[1]};
    geometry      g = {.planes = from[0] * from[1]};
    for (int d = 0; d < SPACE; d++) {
        const bool in = d >= SPACE - dims;
        g.from[d] = in ? 1 + below(dims == 3 ? 4 : SIDE) : 1;
        g.to[d] = in ? (f <= EXACT ? even[below(dims == 3 ? 3 : 4)] : 1 + below(dims == 3 ? 5 : SIDE)) : 1;
        weigh(g.weight[d], g.from[d], g.to[d], f, align, wide);
        if (in) {
            from[2 + d - SPACE + dims] = g.from[d];
            to[2 + d - SPACE + dims] = g.to[d];
        }
    }
    const kt_shape outer = {2 + dims, from}, inner = {2 + dims, to}, space = {dims, to + 2};
    kt_tensor     *tx = laid_out(numbers(outer, dtype), way);
    read_all(tx, x);
    memset(y, 0, sizeof y);
    sum_all(&g, x, y, false);
    kt_tensor *ty = resized(tx, dims, f, align, wide, space, outer, false);
    compare("resized", ty, y, f <= EXACT ? 0 : slack_of(dtype));
    if (bytes)
        return;
    kt_tensor *tg = laid_out(numbers(inner, dtype), way);
    read_all(tg, gy);
    memset(gx, 0, sizeof gx);
    sum_all(&g, gx, gy, true);
    compare("what flows back", resized(tg, dims, f, align, wide, space, outer, true), gx, slack_of(dtype) * 8);
}

TEST(resizing_is_the_sum_of_its_weights)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_F64, KT_BF16, KT_F16, KT_U8};
    srand(3);
    kt_manual_seed(3);
    for (int i = 0; i < 300; i++)
        try_resizing(dtypes[i % 5], i / 5 % 3);
}

TEST(scales_take_the_place_of_the_sizes)
{
    KT_SCOPE;
    kt_tensor *x = tensor_of(KT_F64, KT_SHAPE(1, 1, 4), (double[]){0, 10, 20, 30});
    kt_tensor *y = kt_upsample_linear1d(x, KT_SHAPE(5), false, .scales = KT_SOME(1.25 * 0.8));
    for (int i = 0; i < 5; i++) /* elements are 1 apart, whatever 4 / 5 says */
        CHECK(tensor_at(y, i) == (i < 4 ? 10 * i : 30));
    y = kt_upsample_nearest1d(x, KT_SHAPE(5), .scales = KT_SOME(0.5));
    for (int i = 0; i < 5; i++)
        CHECK(tensor_at(y, i) == (i < 2 ? 20 * i : 30));
}

/* ---- grids ---- */

static double back_inside(double x, int64_t n, int padding, bool align)
{
    if (padding == 2) {
        const double low = align ? 0 : -0.5, span = align ? (double)(n - 1) : (double)n;
        double       at = span > 0 ? fmod(fabs(x - low), 2 * span) : 0;
        x = (at > span ? 2 * span - at : at) + (span > 0 ? low : 0);
    }
    return padding == 0 ? x : x < 0 ? 0 : x > (double)(n - 1) ? (double)(n - 1) : x;
}

/* x in a narrow float, to which places and weights are rounded at each step; other dtypes are left as they are. */
static double rounded(double x, kt_dtype d)
{
    const int bits = d == KT_BF16 ? 8 : 11, least = d == KT_BF16 ? -125 : -13;
    int       e = 0;
    if (d != KT_BF16 && d != KT_F16)
        return x;
    frexp(x, &e);
    e = e < least ? least : e;
    return ldexp(rint(ldexp(x, bits - e)), e - bits);
}

/* The weight of the k-th of four elements, the second of which lies `part` before the place. */
static double cubic_at(double part, int k, kt_dtype d)
{
    static const double near[] = {1.25, -2.25, 0, 1}, far[] = {-0.75, 3.75, -6, 3};
    const bool          outer = k == 0 || k == 3;
    const double        inner = k < 2 ? part : rounded(1 - part, d), away = outer ? rounded(inner + 1, d) : inner;
    double              sum = 0;
    for (int i = 0; i < 4; i++)
        sum = rounded(rounded(sum * away, d) + (outer ? far : near)[i], d);
    return sum;
}

/* The sum over the elements of a plane that the place p (x first) reads. */
static double read_place(kt_dtype dtype, const double *plane, const int64_t *size, const double *p, int dims, int mode,
                         int padding, bool align)
{
    double at[SPACE], sum = 0;
    for (int d = 0; d < dims; d++) {
        const int64_t n = size[dims - 1 - d];
        const double  half = rounded((double)(align ? n - 1 : n) / 2, dtype);
        at[d] = rounded(rounded(rounded(p[d] + 1, dtype) * half, dtype) - (align ? 0 : 0.5), dtype);
        at[d] = mode == 2 ? at[d] : back_inside(at[d], n, padding, align);
    }
    const int taps = mode == 2 ? 4 : 2;
    for (int t = 0; t < (dims == 3 ? taps * taps * taps : taps * taps); t++) {
        int64_t place = 0;
        double  weight = 1;
        for (int d = dims - 1, rest = t; d >= 0; d--, rest /= taps) {
            const int64_t n = size[dims - 1 - d];
            const double  first = floor(at[d]), one = first + rest % taps - (mode == 2 ? 1 : 0), away = fabs(at[d] - one);
            const double  k = mode == 2 ? back_inside(one, n, padding, align) : one;
            weight *= mode == 2   ? cubic_at(rounded(at[d] - first, dtype), rest % taps, dtype)
                      : mode == 1 ? one == rint(at[d])
                      : away < 1  ? 1 - away
                                  : 0;
            if (k < 0 || k > (double)(n - 1))
                weight = 0;
            place = place * n + clamped((int64_t)k, n);
        }
        sum += weight == 0 ? 0 : weight * plane[place];
    }
    return sum;
}

static void try_grid(kt_dtype dtype, int way)
{
    static double x[MOST], p[MOST], y[MOST];
    KT_SCOPE;
    const int     mode = (int)below(3), dims = mode == 2 ? 2 : 2 + (int)below(2), padding = (int)below(3);
    const bool    align = below(2);
    const int64_t batch = 1 + below(2), channels = 1 + below(4);
    int64_t       from[5] = {batch, channels}, grid[5] = {batch}, places = 1, volume = 1;
    for (int d = 0; d < dims; d++) {
        from[2 + d] = 1 + below(6);
        grid[1 + d] = 1 + below(6);
        places *= grid[1 + d];
        volume *= from[2 + d];
    }
    grid[1 + dims] = dims;
    kt_tensor *tx = laid_out(numbers((kt_shape){2 + dims, from}, dtype), way);
    const kt_shape of_grid = {2 + dims, grid};
    kt_tensor     *drawn = kt_mul_s(kt_sub_s(kt_rand(of_grid), KT_FLOAT(0.5)), KT_INT(3));
    kt_tensor *tp = laid_out(kt_to(drawn, .dtype = dtype), way == 2 ? 2 : 0);
    read_all(tx, x);
    read_all(tp, p);
    for (int64_t i = 0; i < batch * channels * places; i++)
        y[i] = read_place(dtype, x + i / places * volume, from + 2, p + (i / places / channels * places + i % places) * dims,
                          dims, mode, padding, align);
    compare("samples", kt_grid_sampler(tx, tp, mode, padding, align), y, dtype == KT_F32 ? 1e-4 : slack_of(dtype) * 2);
}

TEST(samples_are_read_place_by_place)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_F64, KT_BF16, KT_F16};
    srand(4);
    kt_manual_seed(4);
    for (int i = 0; i < 240; i++)
        try_grid(dtypes[i % 4], i / 4 % 3);
}

TEST(places_that_are_no_numbers)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(1, 1, 2, 3));
    for (int mode = 0; mode < 3; mode++)
        for (int padding = 0; padding < 3; padding++) {
            const double odd[] = {NAN, 0, INFINITY, 0, 0, -INFINITY, 1e30, -1e30};
            kt_tensor   *y = kt_grid_sampler(x, tensor_of(KT_F32, KT_SHAPE(1, 1, 4, 2), odd), mode, padding, false);
            CHECK_MSG(y && kt_numel(y) == 4, "%s", kt_error());
        }
}

TEST(an_affine_grid_is_the_map_of_its_places)
{
    KT_SCOPE;
    const double theta[] = {1, 2, 3, 4, 5, 6};
    for (int align = 0; align < 2; align++) {
        kt_tensor *g = kt_affine_grid_generator(tensor_of(KT_F64, KT_SHAPE(1, 2, 3), theta), KT_SHAPE(1, 1, 2, 4), align);
        for (int h = 0; h < 2; h++)
            for (int w = 0; w < 4; w++) {
                const double y = align ? h * 2 - 1 : h - 0.5, x = align ? w * 2.0 / 3 - 1 : (w * 2 + 1) / 4.0 - 1;
                for (int k = 0; k < 2; k++)
                    CHECK(fabs(tensor_at(g, (h * 4 + w) * 2 + k) - (theta[k * 3] * x + theta[k * 3 + 1] * y + theta[k * 3 + 2])) <
                          1e-12);
            }
    }
}

/* ---- refusals ---- */

#define REFUSED(expression, text)                                                           \
    do {                                                                                    \
        CHECK((expression) == NULL);                                                        \
        CHECK_MSG(strstr(kt_error(), text) != NULL, "\"%s\" is not in \"%s\"", text, kt_error()); \
        kt_clear();                                                                         \
    } while (0)

TEST(bad_sizes_are_refused_in_pytorchs_words)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(1, 2, 4, 4)), *grid = kt_ones(KT_SHAPE(1, 3, 3, 2));
    REFUSED(kt_upsample_nearest2d(x, KT_SHAPE(3)), "It is expected output_size equals to 2, but got size 1");
    REFUSED(kt_upsample_nearest1d(x, KT_SHAPE(3)), "It is expected input_size equals to 3, but got size 4");
    REFUSED(kt_upsample_bilinear2d(x, KT_SHAPE(0, 2), false),
            "Input and output sizes should be greater than 0, but got input (H: 4, W: 4) output (H: 0, W: 2)");
    REFUSED(kt_upsample_bicubic2d(kt_ones(KT_SHAPE(1, 0, 2, 2)), KT_SHAPE(2, 2), false), "Non-empty 4D data tensor expected");
    REFUSED(kt_upsample_bilinear2d_backward(x, KT_SHAPE(5, 5), KT_SHAPE(1, 2, 3, 3), false),
            "Expected grad_output to have the same shape as output; output.size(2) = 5 but got grad_output.size(2) = 4");
    REFUSED(kt_grid_sampler(x, kt_ones(KT_SHAPE(2, 3, 3, 2)), 0, 0, false),
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes [1, 2, 4, 4] and grid "
            "with sizes [2, 3, 3, 2]");
    REFUSED(kt_grid_sampler(x, kt_ones(KT_SHAPE(1, 3, 3, 3)), 0, 0, false),
            "grid_sampler(): expected grid to have size 2 in last dimension, but got grid with sizes [1, 3, 3, 3]");
    REFUSED(kt_grid_sampler(kt_ones(KT_SHAPE(1, 2, 0, 4)), grid, 0, 0, false), "non-empty spatial dimensions");
    REFUSED(kt_grid_sampler(kt_ones(KT_SHAPE(1, 2, 2, 2, 2)), kt_ones(KT_SHAPE(1, 1, 1, 1, 3)), 2, 0, false),
            "grid_sampler(): bicubic interpolation only supports 4D input");
    REFUSED(kt_affine_grid_generator(kt_ones(KT_SHAPE(1, 2, 3)), KT_SHAPE(1, 2, 3), false),
            "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.");
}

TEST(dtypes_are_refused_in_pytorchs_words)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(1, 2, 4, 4)), *grid = kt_ones(KT_SHAPE(1, 3, 3, 2)), *whole = kt_to(x, .dtype = KT_I64);
    REFUSED(kt_upsample_bicubic2d(whole, KT_SHAPE(2, 2), false), "\"compute_indices_weights_cubic\" not implemented for 'Long'");
    REFUSED(kt_upsample_bilinear2d_aa(kt_to(x, .dtype = KT_BF16), KT_SHAPE(2, 2), false),
            "\"compute_index_ranges_weights\" not implemented for 'BFloat16'");
    REFUSED(kt_grid_sampler(whole, kt_to(grid, .dtype = KT_I64), 0, 0, false),
            "\"grid_sampler_2d_cpu_kernel_impl\" not implemented for 'Long'");
    REFUSED(kt_grid_sampler(x, kt_to(grid, .dtype = KT_F64), 0, 0, false), "expected scalar type Float but found Double");
    REFUSED(kt_affine_grid_generator(kt_ones(KT_SHAPE(1, 2, 3), .dtype = KT_BF16), KT_SHAPE(1, 1, 1, 2), false),
            "\"tensor_cpu\" not implemented for 'BFloat16'");
}
