/* resample.cuh - images resized, and sampled at the places of a grid, in one compute type. A template: the includer includes
 * dev/values.cuh and defines T, FN and MATH, RESIZE_NAME and GRID_NAME, the tables.
 *
 * In: resize_args, grid_args. Out: images, or what flows back. The elements that a result reads along a dim and their weights are
 * listed first, by math/taps.inc.c, the CPU's own text; sums have the CPU's order. What flows back is a sum too, of the results
 * that may read an element; but where a grid names the places, sums are atomic. Independent of: plans. */
#include "args.h"
#include "dev/image.cuh"
#include "math/fma.h"
#include "tables/kernels/resample.h"

#include "math/taps.inc.c"

#include "math/grid.inc.c"

/* ---- lists, of all three dims at once ---- */
static __global__ void __launch_bounds__(ARG_THREADS) make_taps(ARGUMENTS(resize_args) g)
{
    const int64_t i = (int64_t)blockIdx.x * ARG_THREADS + threadIdx.x;
    for (int d = 0; d < POOL_SPACE; d++) {
        if (i >= g.along[d].to)
            continue;
        int64_t      *at = g.at[d] + i * g.most[d];
        T            *weight = (T *)g.weight[d] + i * g.most[d];
        const int64_t n = FN(taps_at)(&g.along[d], FN(apart)(&g.along[d]), i, at, weight);
        for (int64_t k = n; k < g.most[d]; k++) { /* the rest counts nothing */
            at[k] = n ? at[n - 1] : 0;
            weight[k] = 0;
        }
    }
}

static __device__ __forceinline__ const int64_t *list_at(const resize_args &g, int d, int32_t i)
{
    return g.at[d] + i * (int64_t)g.most[d];
}
static __device__ __forceinline__ const T *weights_at(const resize_args &g, int d, int32_t i)
{
    return (const T *)g.weight[d] + i * (int64_t)g.most[d];
}

/* What result i reads of element x along dim d. */
static __device__ __forceinline__ T share_of(const resize_args &g, int d, int32_t i, int64_t x)
{
    const int64_t *at = list_at(g, d, i);
    const T       *weight = weights_at(g, d, i);
    T              sum = 0;
    for (uint32_t k = 0; k < g.most[d]; k++)
        sum += at[k] == x ? weight[k] : 0;
    return sum;
}

/* Lists rise from result to result. */
static __global__ void __launch_bounds__(ARG_THREADS) make_ranges(ARGUMENTS(resize_args) g)
{
    const int64_t x = (int64_t)blockIdx.x * ARG_THREADS + threadIdx.x;
    for (int d = 0; d < POOL_SPACE; d++) {
        if (x >= g.along[d].from)
            continue;
        const uint32_t most = g.most[d];
        int64_t        low = 0, high = g.along[d].to;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (g.at[d][middle * most + most - 1] < x)
                low = middle + 1;
            else
                high = middle;
        }
        g.range[d][2 * x] = (int32_t)low;
        high = g.along[d].to;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (g.at[d][middle * most] <= x)
                low = middle + 1;
            else
                high = middle;
        }
        g.range[d][2 * x + 1] = (int32_t)low;
        const int32_t first = g.range[d][2 * x];
        for (int32_t k = 0; k < RESIZE_SHARES && first + k < (int32_t)low; k++)
            ((T *)g.share[d])[x * RESIZE_SHARES + k] = share_of(g, d, first + k, x);
    }
}


/* ---- forward ---- */

/* What the rows of a result have in one column, two rows at a time. */
static __device__ __forceinline__ T column_sum(const resize_args &g, const spot &s, int64_t column)
{
    const int64_t *deep = list_at(g, DEPTH, s.at[DEPTH]), *high = list_at(g, HEIGHT, s.at[HEIGHT]);
    const T       *by_deep = weights_at(g, DEPTH, s.at[DEPTH]), *by_high = weights_at(g, HEIGHT, s.at[HEIGHT]);
    T              sum = 0;
    bool           begun = false;
    for (uint32_t e = 0; e < g.most[DEPTH]; e++)
        for (uint32_t k = 0; k < g.most[HEIGHT]; k += 2, begun = true) {
            const char *from = g.in.at + s.batch * g.in.by_batch + s.channel * g.in.by_channel + deep[e] * g.in.step[DEPTH] +
                               column * g.in.step[WIDTH];
            T           part = by_deep[e] * by_high[k] * values<T>::load(from + high[k] * g.in.step[HEIGHT], g.in.is);
            if (k + 1 < g.most[HEIGHT])
                part += by_deep[e] * by_high[k + 1] * values<T>::load(from + high[k + 1] * g.in.step[HEIGHT], g.in.is);
            sum = begun ? sum + part : part;
        }
    return sum;
}

static __global__ void __launch_bounds__(ARG_THREADS) resize(ARGUMENTS(resize_args) g)
{
    spot s;
    if (!spot_of(g.n, g.by_channels, g.channels_inner, g.by_size, s))
        return;
    const int64_t *at = list_at(g, WIDTH, s.at[WIDTH]);
    const T       *weight = weights_at(g, WIDTH, s.at[WIDTH]);
    const uint32_t most = g.most[WIDTH], together = g.channels_inner ? 2 : 1;
    T              sum = weight[0] * column_sum(g, s, at[0]);
    if (most > 1)
        sum += weight[1] * column_sum(g, s, at[1]);
    for (uint32_t k = 2; k < most; k += together) {
        T part = weight[k] * column_sum(g, s, at[k]);
        if (together == 2 && k + 1 < most)
            part += weight[k + 1] * column_sum(g, s, at[k + 1]);
        sum += part;
    }
    values<T>::store(place_in(g.out, s), g.out.is, sum);
}

/* Of two rows and two columns of one plane, in PER channels: all that is read is on its way at once. */
template <int PER> static __global__ void __launch_bounds__(ARG_THREADS) resize_square(ARGUMENTS(resize_args) g)
{
    spot s;
    if (!spot_of(g.n, g.by_channels, g.channels_inner, g.by_size, s))
        return;
    const int64_t *high = list_at(g, HEIGHT, s.at[HEIGHT]), *wide = list_at(g, WIDTH, s.at[WIDTH]);
    const T       *by_high = weights_at(g, HEIGHT, s.at[HEIGHT]), *by_wide = weights_at(g, WIDTH, s.at[WIDTH]);
    const T        deep = *weights_at(g, DEPTH, s.at[DEPTH]), upper = deep * by_high[0], lower = deep * by_high[1];
    const char    *top = place_in(g.in, s, (int32_t)*list_at(g, DEPTH, s.at[DEPTH]), (int32_t)high[0], (int32_t)wide[0]);
    const int64_t  right = (wide[1] - wide[0]) * g.in.step[WIDTH], down = (high[1] - high[0]) * g.in.step[HEIGHT];
    const int64_t  away = g.channel_step * g.in.by_channel, out_away = g.channel_step * g.out.by_channel;
    char          *to = place_in(g.out, s);
    T              x[PER][2][2];
    with_loads<T>(g.in.is, [&](auto load) {
#pragma unroll
        for (int c = 0; c < PER; c++) {
            const char *from = top + c * away;
            x[c][0][0] = load(from), x[c][0][1] = load(from + right);
            x[c][1][0] = load(from + down), x[c][1][1] = load(from + down + right);
        }
    });
#pragma unroll
    for (int c = 0; c < PER; c++) {
        T sum = by_wide[0] * (upper * x[c][0][0] + lower * x[c][1][0]);
        sum += by_wide[1] * (upper * x[c][0][1] + lower * x[c][1][1]);
        values<T>::store(to + c * out_away, g.out.is, sum);
    }
}

static __global__ void __launch_bounds__(ARG_THREADS) move_nearest(ARGUMENTS(resize_args) g)
{
    spot s;
    if (!spot_of(g.n, g.by_channels, g.channels_inner, g.by_size, s))
        return;
    const char *from = place_in(g.in, s, (int32_t)*list_at(g, DEPTH, s.at[DEPTH]), (int32_t)*list_at(g, HEIGHT, s.at[HEIGHT]),
                                (int32_t)*list_at(g, WIDTH, s.at[WIDTH]));
    char       *to = place_in(g.out, s);
    switch (g.width) {
    case 1:  *(uint8_t *)to = *(const uint8_t *)from; break;
    case 2:  *(uint16_t *)to = *(const uint16_t *)from; break;
    case 4:  *(uint32_t *)to = *(const uint32_t *)from; break;
    default: *(uint64_t *)to = *(const uint64_t *)from; break;
    }
}

/* ---- back: the image is `out` ---- */

/* The sum of an element that many results read. */
static __device__ T sum_of_many(const resize_args &g, const spot &s, const int32_t *const (&by)[POOL_SPACE])
{
    T sum = 0;
    for (int32_t d = by[DEPTH][0]; d < by[DEPTH][1]; d++) {
        const T deep = share_of(g, DEPTH, d, s.at[DEPTH]);
        for (int32_t h = by[HEIGHT][0]; h < by[HEIGHT][1]; h++) {
            const T high = deep * share_of(g, HEIGHT, h, s.at[HEIGHT]);
            for (int32_t w = by[WIDTH][0]; w < by[WIDTH][1]; w++)
                sum += high * share_of(g, WIDTH, w, s.at[WIDTH]) * values<T>::load(place_in(g.in, s, d, h, w), g.in.is);
        }
    }
    return sum;
}

/* The same of at most RESIZE_SHARES results along height and width, in PER channels: their shares are listed, those of a row stay
 * in registers. */
template <int PER>
static __device__ __forceinline__ void sum_of_few(T (&sum)[PER], const resize_args &g, const spot &s,
                                                  const int32_t *const (&by)[POOL_SPACE])
{
    enum { AHEAD = 4 };
    const T      *high_shares = (const T *)g.share[HEIGHT] + s.at[HEIGHT] * (int64_t)RESIZE_SHARES;
    const T      *wide_shares = (const T *)g.share[WIDTH] + s.at[WIDTH] * (int64_t)RESIZE_SHARES;
    const int32_t top = by[HEIGHT][0], rows = by[HEIGHT][1] - top, left = by[WIDTH][0], columns = by[WIDTH][1] - left;
    const int64_t away = g.channel_step * g.in.by_channel;
    T             wide[RESIZE_SHARES];
#pragma unroll
    for (int k = 0; k < RESIZE_SHARES; k++)
        wide[k] = k < columns ? wide_shares[k] : (T)0;
    with_loads<T>(g.in.is, [&](auto load) {
        for (int32_t d = by[DEPTH][0]; d < by[DEPTH][1]; d++) {
            const T     deep = share_of(g, DEPTH, d, s.at[DEPTH]);
            const char *row = place_in(g.in, s, d, top, left);
            for (int32_t h = 0; h < rows; h++, row += g.in.step[HEIGHT]) {
                const T     high = deep * high_shares[h];
                const char *from = row;
#pragma unroll
                for (int w = 0; w < RESIZE_SHARES; w += AHEAD) {
                    T x[AHEAD][PER];
                    if (w >= columns)
                        break;
#pragma unroll
                    for (int k = 0; k < AHEAD; k++, from += g.in.step[WIDTH])
#pragma unroll
                        for (int c = 0; c < PER; c++)
                            x[k][c] = w + k < columns ? load(from + c * away) : (T)0;
#pragma unroll
                    for (int k = 0; k < AHEAD; k++)
#pragma unroll
                        for (int c = 0; c < PER; c++)
                            if (w + k < columns)
                                sum[c] += high * wide[w + k] * x[k][c];
                }
            }
        }
    });
}

template <int PER> static __global__ void __launch_bounds__(ARG_THREADS) resize_back(ARGUMENTS(resize_args) g)
{
    spot s;
    if (!spot_of(g.n, g.by_channels, g.channels_inner, g.by_size, s))
        return;
    const int32_t *by[POOL_SPACE];
    bool           few = true;
    T              sum[PER] = {0};
    for (int d = 0; d < POOL_SPACE; d++) {
        by[d] = g.range[d] + 2 * s.at[d];
        few &= d == DEPTH || by[d][1] - by[d][0] <= RESIZE_SHARES;
    }
    if (few)
        sum_of_few(sum, g, s, by);
#pragma unroll
    for (int c = 0; c < PER; c++, s.channel += g.channel_step)
        values<T>::store(place_in(g.out, s), g.out.is, few ? sum[c] : sum_of_many(g, s, by));
}

/* ---- the places of a grid ---- */
enum { TAPS = 4 };
struct tap_list { /* of one dim: elements, or -1, their weights, and the slopes of those by the coordinate */
    int32_t at[TAPS];
    T       weight[TAPS], slope[TAPS];
};

static __device__ __forceinline__ int32_t element_at(T place, T size)
{
    return place >= 0 && place < size ? (int32_t)place : -1;
}

/* A grid of a narrower dtype than T: places and cubic weights are rounded to it step by step, as in cpu/isa/grid.inc.c. */
static __device__ __forceinline__ bool is_narrow(const grid_args &g) { return g.grid.is != values<T>::self; }
static __device__ __forceinline__ T fitted(T x, const grid_args &g)
{
    switch (g.grid.is) {
    case KT_F16:  return (T)dtype<KT_F16>::get(dtype<KT_F16>::put(x));
    case KT_BF16: return (T)dtype<KT_BF16>::get(dtype<KT_BF16>::put(x));
    case KT_F32:  return (T)(float)x;
    default:      return x;
    }
}

static __device__ __forceinline__ T place_at(T x, T half, T shift, const grid_args &g)
{
    if (is_narrow(g)) {
        x = fitted(fitted(x + 1, g) * half, g);
        return shift == 0 ? x : fitted(x - shift, g);
    }
    return g.dims == 2 ? FN(fma)(x + 1, half, -shift) : (x + 1) * half - shift;
}

static __device__ __forceinline__ T reflected_at(T x, T size, T *slope, const grid_args &g)
{
    if (!is_narrow(g))
        return FN(reflected)(x, size, g.align, slope);
    const T low = g.align ? (T)0 : (T)-0.5, span = fitted(g.align ? size - 1 : size, g);
    x = fitted(FN(reflected)(fitted(x - low, g), span + 1, true, slope), g);
    return fitted(x + low, g);
}

/* By Horner's scheme. */
static __device__ __forceinline__ T cubic_steps(T x, T a, T b, T c, T d, const grid_args &g)
{
    T w = fitted(fitted(a * x, g) + b, g);
    w = fitted(w * x, g);
    w = c == 0 ? w : fitted(w + c, g);
    return fitted(fitted(w * x, g) + d, g);
}

static __device__ void taps_of(tap_list &t, const grid_args &g, int d, T x)
{
    const T size = (T)g.image.size[d], last = size - 1, exact = g.align ? last / 2 : size / 2;
    const T half = is_narrow(g) ? fitted(exact, g) : exact;
    T       slope = half;
    x = place_at(x, half, g.align ? (T)0 : (T)0.5, g);
    if (g.mode != KT__GRID_CUBIC && g.padding != KT__GRID_ZEROS) {
        if (g.padding == KT__GRID_REFLECTION)
            x = reflected_at(x, size, &slope, g);
        x = FN(clipped)(x, last, &slope);
    }
    if (g.dims == 3 && g.padding == KT__GRID_ZEROS)
        x = FN(seen)(x, size);
    if (g.mode == KT__GRID_NEAREST) {
        t.at[0] = element_at(MATH(rint)(x), size);
        t.weight[0] = 1;
        t.slope[0] = 0;
        return;
    }
    const T first = MATH(floor)(x), part = x - first;
    if (g.mode == KT__GRID_LINEAR) {
        t.at[0] = element_at(first, size), t.at[1] = element_at(first + 1, size);
        t.weight[0] = 1 - part, t.weight[1] = part;
        t.slope[0] = -slope, t.slope[1] = slope;
        return;
    }
    t.weight[0] = FN(cubic_far)(part + 1), t.weight[1] = FN(cubic_near)(part);
    t.weight[2] = FN(cubic_near)(1 - part), t.weight[3] = FN(cubic_far)(2 - part);
    t.slope[0] = slope * FN(cubic_far_slope)(part + 1), t.slope[1] = slope * FN(cubic_near_slope)(part);
    t.slope[2] = -slope * FN(cubic_near_slope)(1 - part), t.slope[3] = -slope * FN(cubic_far_slope)(2 - part);
    for (int right = 0; is_narrow(g) && right < 2; right++) {
        const T away = fitted(right ? 1 - part : part, g);
        t.weight[1 + right] = cubic_steps(away, (T)1.25, (T)-2.25, 0, 1, g);
        t.weight[3 * right] = cubic_steps(fitted(away + 1, g), (T)-0.75, (T)3.75, -6, 3, g);
    }
    for (int k = 0; k < TAPS; k++) {
        T unused = 0, place = first + (T)(k - 1);
        if (g.padding != KT__GRID_ZEROS) {
            place = g.padding == KT__GRID_REFLECTION ? reflected_at(place, size, &unused, g) : place;
            place = FN(clipped)(place, last, &unused);
        }
        t.at[k] = element_at(place, size);
    }
}

struct grid_spot {
    spot     s; /* of the sample; channel: the first of the thread's */
    uint32_t end;
    int      taps, deep;
    tap_list dim[POOL_SPACE];
};

/* A position of the grid, and a chunk of channels. */
static __device__ bool grid_place(const grid_args &g, grid_spot &p)
{
    if (!spot_of(g.n, g.by_channels, false, g.by_size, p.s))
        return false;
    const int32_t chunk = p.s.channel;
    p.s.channel = 0;
    p.taps = g.mode == KT__GRID_NEAREST ? 1 : g.mode == KT__GRID_LINEAR ? 2 : TAPS;
    p.deep = g.dims == 3 ? p.taps : 1;
    p.dim[DEPTH].at[0] = 0, p.dim[DEPTH].weight[0] = 1, p.dim[DEPTH].slope[0] = 0;
    for (int d = POOL_SPACE - (int)g.dims; d < POOL_SPACE; d++)
        taps_of(p.dim[d], g, d, values<T>::load(place_in(g.grid, p.s) + (WIDTH - d) * g.grid.by_channel, g.grid.is));
    p.s.channel = chunk * (int32_t)g.chunk;
    p.end = (uint32_t)p.s.channel + g.chunk < g.channels ? (uint32_t)p.s.channel + g.chunk : g.channels;
    return true;
}

static __device__ __forceinline__ T element_of(const grid_args &g, const spot &s, int32_t d, int32_t h, int32_t w)
{
    return (d | h | w) < 0 ? 0 : values<T>::load(place_in(g.image, s, d, h, w), g.image.is);
}

/* Along the line (a, b) of taps, by weights or slopes. */
static __device__ __forceinline__ T line_sum(const grid_args &g, const grid_spot &p, const spot &s, int a, int b, const T *weight)
{
    T sum = weight[0] * element_of(g, s, p.dim[DEPTH].at[a], p.dim[HEIGHT].at[b], p.dim[WIDTH].at[0]);
    for (int k = 1; k < p.taps; k++)
        sum += weight[k] * element_of(g, s, p.dim[DEPTH].at[a], p.dim[HEIGHT].at[b], p.dim[WIDTH].at[k]);
    return sum;
}

static __global__ void __launch_bounds__(ARG_THREADS) sample(ARGUMENTS(grid_args) g)
{
    grid_spot p;
    if (!grid_place(g, p))
        return;
    for (spot s = p.s; (uint32_t)s.channel < p.end; s.channel++) {
        T    sum = 0;
        bool begun = false;
        for (int a = 0; a < p.deep; a++)
            for (int b = 0; b < p.taps; b++, begun = true) {
                const T line = line_sum(g, p, s, a, b, p.dim[WIDTH].weight);
                const T part = p.taps == 1 ? line : p.dim[DEPTH].weight[a] * p.dim[HEIGHT].weight[b] * line;
                sum = begun ? sum + part : part;
            }
        values<T>::store(place_in(g.samples, s), g.samples.is, sum);
    }
}

/* to_image is of the compute type and zero. */
static __global__ void __launch_bounds__(ARG_THREADS) sample_to_image(ARGUMENTS(grid_args) g)
{
    grid_spot p;
    if (!grid_place(g, p))
        return;
    for (spot s = p.s; (uint32_t)s.channel < p.end; s.channel++) {
        const T flow = values<T>::load(place_in(g.samples, s), g.samples.is);
        for (int a = 0; a < p.deep; a++)
            for (int b = 0; b < p.taps; b++)
                for (int k = 0; k < p.taps; k++) {
                    const int32_t d = p.dim[DEPTH].at[a], h = p.dim[HEIGHT].at[b], w = p.dim[WIDTH].at[k];
                    if ((d | h | w) >= 0)
                        atomicAdd((T *)place_in(g.to_image, s, d, h, w),
                                  flow * (p.dim[DEPTH].weight[a] * p.dim[HEIGHT].weight[b]) * p.dim[WIDTH].weight[k]);
                }
    }
}

/* chunk: all channels. */
static __global__ void __launch_bounds__(ARG_THREADS) sample_to_grid(ARGUMENTS(grid_args) g)
{
    grid_spot p;
    if (!grid_place(g, p))
        return;
    T sums[POOL_SPACE] = {0, 0, 0}; /* by coordinate: width, height, depth */
    for (spot s = p.s; (uint32_t)s.channel < p.end && p.taps > 1; s.channel++) {
        const T flow = values<T>::load(place_in(g.samples, s), g.samples.is);
        for (int a = 0; a < p.deep; a++)
            for (int b = 0; b < p.taps; b++) {
                const T line = line_sum(g, p, s, a, b, p.dim[WIDTH].weight), sloped = line_sum(g, p, s, a, b, p.dim[WIDTH].slope);
                sums[0] += flow * (p.dim[DEPTH].weight[a] * p.dim[HEIGHT].weight[b] * sloped);
                sums[1] += flow * (p.dim[DEPTH].weight[a] * p.dim[HEIGHT].slope[b] * line);
                sums[2] += flow * (p.dim[DEPTH].slope[a] * p.dim[HEIGHT].weight[b] * line);
            }
    }
    p.s.channel = 0;
    for (uint32_t d = 0; d < g.dims; d++)
        values<T>::store(place_in(g.to_grid, p.s) + d * g.to_grid.by_channel, g.to_grid.is, sums[d]);
}

/* Every element of to_image, to zero, or from another image: `image`. */
static __global__ void __launch_bounds__(ARG_THREADS) clear_image(ARGUMENTS(grid_args) g)
{
    spot s;
    if (spot_of(g.n, g.by_channels, false, g.by_size, s))
        values<T>::store(place_in(g.to_image, s), g.to_image.is, 0);
}
static __global__ void __launch_bounds__(ARG_THREADS) convert_image(ARGUMENTS(grid_args) g)
{
    spot s;
    if (spot_of(g.n, g.by_channels, false, g.by_size, s))
        values<T>::store(place_in(g.to_image, s), g.to_image.is, values<T>::load(place_in(g.image, s), g.image.is));
}

const resize_table RESIZE_NAME = {(const void *)make_taps,
                                  (const void *)make_ranges,
                                  (const void *)resize,
                                  (const void *)move_nearest,
                                  {(const void *)resize_square<1>, (const void *)resize_square<RESIZE_CHANNELS>},
                                  {(const void *)resize_back<1>, (const void *)resize_back<RESIZE_CHANNELS>},
                                  values<T>::reads,
                                  values<T>::writes};
const grid_table   GRID_NAME = {(const void *)sample,      (const void *)sample_to_image, (const void *)sample_to_grid,
                                (const void *)clear_image, (const void *)convert_image,   values<T>::reads, values<T>::writes};
