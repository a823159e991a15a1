/* planes.cuh - norms of groups of planes (batch, group and instance norms), and what flows back, in one compute type. A template:
 * the includer defines COMPUTE, PLANES_NAME, the table, and OF_DTYPES, those for which the kernels of vectors are compiled.
 *
 * In: plane_args. Out: the results and statistics, or gradients. A group is cut into parts by its size alone; each part's moments
 * are doubles, counted from its first element, and joined in the parts' order. A group that is one part is normalised by the
 * same block. Abreast: planes of one element, groups side by side, as of channels last: a thread has one or a vector of them.
 * Independent of: plans, which norm it is. */
#include "args.h"
#include "dev/group.cuh"
#include "dev/values.cuh"

typedef COMPUTE T;
enum { OUTER = PLANE_OUTER, GROUP = PLANE_GROUP, PLANE = PLANE_PLANE, ELEMENT = PLANE_ELEMENT };
enum { ROWS = ARG_THREADS / PLANE_ABREAST };

/* ---- places ---- */

struct plane_place {
    uint64_t outer, group, plane;
};

static __device__ __forceinline__ uint64_t quotient(uint64_t a, uint64_t b)
{
    return (a | b) >> 32 ? a / b : (uint32_t)a / (uint32_t)b;
}

static __device__ __forceinline__ plane_place place_of_row(const plane_args &g, uint64_t row)
{
    const uint64_t group = quotient(row, g.size[PLANE]), outer = quotient(group, g.size[GROUP]);
    return {outer, group - outer * g.size[GROUP], row - group * g.size[PLANE]};
}

static __device__ __forceinline__ char *at_plane(const plane_operand &x, const plane_place &p)
{
    return x.at + p.outer * x.stride[OUTER] + p.group * x.stride[GROUP] + p.plane * x.stride[PLANE];
}

static __device__ __forceinline__ T number_at(const plane_operand &x, const plane_place &p, T absent)
{
    return x.at ? values<T>::load(at_plane(x, p), x.is) : absent;
}

static __device__ __forceinline__ void put_number(const plane_operand &x, const plane_place &p, T value)
{
    if (x.at)
        values<T>::store(at_plane(x, p), x.is, value);
}

/* V elements that lie side by side: as they stand in memory, so that several loads are on their way, then as values. D: their
 * dtype, or KT_NONE where it is known at run time alone. */
template <int D, int V> static __device__ __forceinline__ void load_raw(raw<V> &r, const char *from, const plane_operand &x)
{
    if constexpr (V == 1)
        raw_spread(r, load_one(from, x.width), x.width);
    else if constexpr (D != KT_NONE)
        raw_load(r, from, (int)sizeof(typename dtype<D>::S));
    else
        raw_load(r, from, x.width);
}
template <int D, int V> static __device__ __forceinline__ void decode_raw(T (&v)[V], const raw<V> &r, const plane_operand &x)
{
    if constexpr (D != KT_NONE)
        decode_as<D>(v, r);
    else
        values<T>::decode(v, r, x.is);
}
template <int D, int V> static __device__ __forceinline__ void store_vector(const T (&v)[V], char *to, const plane_operand &x)
{
    raw<V> r;
    if constexpr (V == 1) {
        values<T>::encode(r, v, x.is);
        raw_scatter(r, to, x.width, 0, 1);
    } else if constexpr (D != KT_NONE) {
        encode_as<D>(r, v, D);
        raw_store(r, to, (int)sizeof(typename dtype<D>::S));
    } else {
        values<T>::encode(r, v, x.is);
        raw_store(r, to, x.width);
    }
}

/* ---- vectors that a thread has at once: all are on their way before the first is looked at ---- */
enum { AHEAD = PLANE_AHEAD };

/* Those n of AHEAD vectors from `at` on that there are, `apart` bytes from each other. */
template <int D, int V>
static __device__ __forceinline__ void load_ahead(raw<V> (&r)[AHEAD], const char *at, int64_t apart, int n,
                                                  const plane_operand &x)
{
#pragma unroll
    for (int a = 0; a < AHEAD; a++)
        if (a < n)
            load_raw<D>(r[a], at + a * apart, x);
}

/* use(a, v) for each of them. */
template <int D, int V, class F>
static __device__ __forceinline__ void decode_ahead(const raw<V> (&r)[AHEAD], int n, const plane_operand &x, F use)
{
#pragma unroll
    for (int a = 0; a < AHEAD; a++)
        if (a < n) {
            T v[V];
            decode_raw<D>(v, r[a], x);
            use(a, v);
        }
}

/* use(a, v, back), of the input and of what flows back to it. */
template <int D, int V, class F>
static __device__ __forceinline__ void decode_both_ahead(const raw<V> (&rx)[AHEAD], const raw<V> (&rg)[AHEAD], int n,
                                                         const plane_args &g, F use)
{
    decode_ahead<D>(rx, n, g.x, [&](int a, T(&v)[V]) {
        T back[V];
        decode_raw<D>(back, rg[a], g.grad);
        use(a, v, back);
    });
}

/* How many of them are left, `apart` from each other. */
static __device__ __forceinline__ int left_of(uint64_t begin, uint64_t end, uint64_t apart)
{
    const uint64_t left = (end - begin + apart - 1) / apart;
    return left < AHEAD ? (int)left : (int)AHEAD;
}

/* ---- moments ---- */

/* Counted from `origin`, so that nothing is lost where the average is large. */
struct shifted_sums {
    double s = 0, q = 0;
    __device__ void join(const shifted_sums &other) { s += other.s, q += other.q; }
    __device__ __forceinline__ void add(double x)
    {
        s += x;
        q += x * x;
    }
};

struct moments {
    double n, mean, squares;
};

static __device__ __forceinline__ moments moments_of(const shifted_sums &sums, double n, double origin)
{
    moments m;
    m.n = n;
    m.mean = origin + sums.s / n;
    m.squares = sums.q - sums.s * (sums.s / n);
    m.squares = m.squares < 0 ? 0 : m.squares; /* a NaN stays */
    return m;
}

static __device__ __forceinline__ double origin_of(T x) { return isfinite((double)x) ? (double)x : 0; }

/* Writes a group's statistics; *mean and *rstd are what its elements are normalised by. */
static __device__ void put_statistics(const plane_args &g, uint64_t group, const moments &m, T *mean, T *rstd)
{
    const uint64_t    outer = quotient(group, g.size[GROUP]);
    const plane_place p = {outer, group - outer * g.size[GROUP], 0};
    const double      variance = m.squares / (double)g.count;
    *mean = (T)m.mean;
    *rstd = (T)(1 / sqrt(variance + g.eps));
    put_number(g.mean, p, *mean);
    put_number(g.rstd, p, *rstd);
    put_number(g.variance, p, (T)variance);
}

template <int V>
static __device__ __forceinline__ void normalise(T (&v)[V], T mean, T scale, T shift)
{
#pragma unroll
    for (int i = 0; i < V; i++)
        v[i] = (v[i] - mean) * scale + shift;
}

/* One part of a group by a block. */
template <int V, int D> static __global__ void __launch_bounds__(ARG_THREADS) plane_moments(ARGUMENTS(plane_args) g)
{
    const uint64_t group = blockIdx.x / g.parts, part = blockIdx.x % g.parts;
    if (group >= g.groups)
        return;
    const uint64_t each = g.size[ELEMENT] / V, begin = part * g.part, all = g.count / V;
    const uint64_t end = begin + g.part < all ? begin + g.part : all;
    plane_place    p = place_of_row(g, group * g.size[PLANE]);
    shifted_sums   sums;
    p.plane = quotient(begin, each);
    const double origin =
        origin_of(values<T>::load(at_plane(g.x, p) + (begin - p.plane * each) * V * g.x.stride[ELEMENT], g.x.is));
    for (uint64_t i = begin + threadIdx.x; i < end; i += ARG_THREADS * AHEAD) {
        const int n = left_of(i, end, ARG_THREADS);
        raw<V>    r[AHEAD];
#pragma unroll
        for (int a = 0; a < AHEAD; a++)
            if (a < n) {
                p.plane = quotient(i + a * ARG_THREADS, each);
                load_raw<D>(r[a], at_plane(g.x, p) + (i + a * ARG_THREADS - p.plane * each) * V * g.x.stride[ELEMENT], g.x);
            }
        decode_ahead<D>(r, n, g.x, [&](int, const T(&v)[V]) {
#pragma unroll
            for (int k = 0; k < V; k++)
                sums.add((double)v[k] - origin);
        });
    }
    join_lanes(sums, ARG_THREADS);
    struct pair {
        T mean, rstd;
    } use = {0, 0};
    if (threadIdx.x == 0) {
        const moments m = moments_of(sums, (double)((end - begin) * V), origin);
        if (g.parts == 1) {
            put_statistics(g, group, m, &use.mean, &use.rstd);
        } else {
            double *to = g.sums + 3 * (group * g.parts + part);
            to[0] = m.n, to[1] = m.mean, to[2] = m.squares;
        }
    }
    if (g.parts > 1)
        return;
    use = to_all_lanes(use, ARG_THREADS);
    for (uint64_t i = threadIdx.x; i < all; i += ARG_THREADS) {
        T v[V];
        p.plane = quotient(i, each);
        const uint64_t at = (i - p.plane * each) * V;
        raw<V>         r;
        load_raw<D>(r, at_plane(g.x, p) + at * g.x.stride[ELEMENT], g.x);
        decode_raw<D>(v, r, g.x);
        normalise(v, use.mean, number_at(g.weight, p, 1) * use.rstd, number_at(g.bias, p, 0));
        store_vector<D>(v, at_plane(g.y, p) + at * g.y.stride[ELEMENT], g.y);
    }
}

/* What the rows of a block have of the lanes' groups, joined: put(k, sums) in the first row. */
template <class S, int V, class F> static __device__ __forceinline__ void join_rows(S (&sums)[V], bool mine, F put)
{
    __shared__ S   room[ROWS][PLANE_ABREAST];
    const uint32_t lane = threadIdx.x % PLANE_ABREAST, row = threadIdx.x / PLANE_ABREAST;
#pragma unroll
    for (int k = 0; k < V; k++) {
        __syncthreads();
        room[row][lane] = sums[k];
        __syncthreads();
        if (row || !mine)
            continue;
        for (int i = 1; i < ROWS; i++)
            sums[k].join(room[i][lane]);
        put(k, sums[k]);
    }
}

/* A part of the planes of PLANE_ABREAST vectors of groups, one a lane; AHEAD rows are on their way at once. */
template <int V, int D> static __global__ void __launch_bounds__(ARG_THREADS) abreast_moments(ARGUMENTS(plane_args) g)
{
    const uint32_t          lane = threadIdx.x % PLANE_ABREAST, row = threadIdx.x / PLANE_ABREAST;
    const uint64_t          group = ((uint64_t)(blockIdx.x / g.parts) * PLANE_ABREAST + lane) * V, part = blockIdx.x % g.parts;
    const uint64_t          begin = part * g.part, end = begin + g.part < g.count ? begin + g.part : g.count;
    const bool              mine = group < g.groups;
    const plane_place       first = {0, mine ? group : 0, begin};
    const char             *from = at_plane(g.x, first);
    raw<V>                  r[AHEAD];
    T                       v[V];
    double                  origin[V];
    shifted_sums            sums[V];
    load_raw<D>(r[0], from, g.x);
    decode_raw<D>(v, r[0], g.x);
#pragma unroll
    for (int k = 0; k < V; k++)
        origin[k] = origin_of(v[k]);
    for (uint64_t i = row; mine && i < end - begin; i += ROWS * AHEAD) {
        const int n = left_of(i, end - begin, ROWS);
        load_ahead<D>(r, from + i * g.x.stride[PLANE], ROWS * g.x.stride[PLANE], n, g.x);
        decode_ahead<D>(r, n, g.x, [&](int, const T(&x)[V]) {
#pragma unroll
            for (int k = 0; k < V; k++)
                sums[k].add((double)x[k] - origin[k]);
        });
    }
    join_rows(sums, mine, [&](int k, const shifted_sums &all) {
        const moments m = moments_of(all, (double)(end - begin), origin[k]);
        double       *to = g.sums + 3 * ((group + k) * g.parts + part);
        to[0] = m.n, to[1] = m.mean, to[2] = m.squares;
    });
}

/* The parts of a group, by `lanes` threads: their average first, then how far they lie from it. */
static __global__ void __launch_bounds__(ARG_THREADS) plane_join(ARGUMENTS(plane_args) g)
{
    const uint64_t thread = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, group = thread / g.lanes;
    const bool     mine = group < g.groups;
    const double  *from = g.sums + 3 * group * g.parts;
    plain_sum      sum, squares;
#pragma unroll 4
    for (uint64_t i = thread % g.lanes; mine && i < g.parts; i += g.lanes)
        sum.s += from[3 * i] * from[3 * i + 1];
    join_lanes(sum, g.lanes);
    moments all;
    all.n = (double)g.count;
    all.mean = to_all_lanes(sum, g.lanes).s / all.n;
#pragma unroll 4
    for (uint64_t i = thread % g.lanes; mine && i < g.parts; i += g.lanes) {
        const double apart = from[3 * i + 1] - all.mean;
        squares.s += from[3 * i + 2] + from[3 * i] * (apart * apart);
    }
    join_lanes(squares, g.lanes);
    all.squares = squares.s;
    if (!mine || thread % g.lanes)
        return;
    T *to = (T *)g.numbers + 2 * group;
    put_statistics(g, group, all, &to[0], &to[1]);
}

/* ---- every element: forward ---- */

/* `lanes` threads have a unit of a plane: AHEAD vectors each, as far apart as there are lanes. */
struct unit_place {
    plane_place p;
    uint64_t    first, vectors; /* the thread's first vector; all of a plane */
};
template <int V> static __device__ __forceinline__ bool place_unit(const plane_args &g, unit_place &u)
{
    const uint64_t thread = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, unit = quotient(thread, g.lanes);
    const uint64_t row = quotient(unit, g.units);
    u.vectors = g.size[ELEMENT] / V;
    u.first = (unit - row * g.units) * g.lanes * AHEAD + (thread - unit * g.lanes);
    if (row >= g.groups * g.size[PLANE])
        return false;
    u.p = place_of_row(g, row);
    return true;
}

template <int V, int D> static __global__ void __launch_bounds__(ARG_THREADS) plane_apply(ARGUMENTS(plane_args) g)
{
    unit_place u;
    raw<V>     r[AHEAD];
    if (!place_unit<V>(g, u) || u.first >= u.vectors)
        return;
    const int     n = (int)quotient(u.vectors - u.first + g.lanes - 1, g.lanes);
    const int64_t at = (int64_t)(u.first * V), apart = (int64_t)g.lanes * V;
    char         *to = at_plane(g.y, u.p) + at * g.y.stride[ELEMENT];
    load_ahead<D>(r, at_plane(g.x, u.p) + at * g.x.stride[ELEMENT], apart * g.x.stride[ELEMENT], n, g.x);
    const T mean = number_at(g.use_mean, u.p, 0), shift = number_at(g.bias, u.p, 0);
    const T scale = number_at(g.weight, u.p, 1) * number_at(g.use_rstd, u.p, 1);
    decode_ahead<D>(r, n, g.x, [&](int a, T(&v)[V]) {
        normalise(v, mean, scale, shift);
        store_vector<D>(v, to + a * apart * g.y.stride[ELEMENT], g.y);
    });
}

/* V groups side by side, of `rows` planes from p.plane on. */
static __device__ __forceinline__ bool place_abreast(const plane_args &g, int v, plane_place &p, int &rows)
{
    const uint64_t i = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, across = g.size[GROUP] / v, row = quotient(i, across);
    p.outer = 0;
    p.plane = row * AHEAD;
    p.group = (i - row * across) * v;
    if (p.plane >= g.size[PLANE])
        return false;
    rows = g.size[PLANE] - p.plane < AHEAD ? (int)(g.size[PLANE] - p.plane) : (int)AHEAD;
    return true;
}

/* Of V groups side by side: averages, and by how much their elements are multiplied. */
template <int V>
static __device__ __forceinline__ void numbers_abreast(T (&mean)[V], T (&scale)[V], const plane_args &g, const plane_operand &of,
                                                       const plane_operand &rstd, plane_place p)
{
#pragma unroll
    for (int k = 0; k < V; k++, p.group++) {
        mean[k] = number_at(of, p, 0);
        scale[k] = number_at(g.weight, p, 1) * number_at(rstd, p, 1);
    }
}

template <int V, int D> static __global__ void __launch_bounds__(ARG_THREADS) abreast_apply(ARGUMENTS(plane_args) g)
{
    plane_place p;
    raw<V>      r[AHEAD];
    T           mean[V], scale[V], shift[V];
    int         rows;
    if (!place_abreast(g, V, p, rows))
        return;
    char *to = at_plane(g.y, p);
    load_ahead<D>(r, at_plane(g.x, p), g.x.stride[PLANE], rows, g.x);
    numbers_abreast(mean, scale, g, g.use_mean, g.use_rstd, p);
#pragma unroll
    for (int k = 0; k < V; k++, p.group++)
        shift[k] = number_at(g.bias, p, 0);
    decode_ahead<D>(r, rows, g.x, [&](int a, T(&v)[V]) {
#pragma unroll
        for (int k = 0; k < V; k++)
            v[k] = (v[k] - mean[k]) * scale[k] + shift[k];
        store_vector<D>(v, to + a * g.y.stride[PLANE], g.y);
    });
}

/* ---- back: sums of a plane, or of a part of a group ---- */

struct tie_sums {
    double product = 0, sum = 0; /* of the gradient with the normalised input; of the gradient */
    __device__ void join(const tie_sums &other) { product += other.product, sum += other.sum; }
    __device__ __forceinline__ void add(T grad, T x, T mean, T rstd)
    {
        sum += (double)grad;
        product += (double)grad * (double)((x - mean) * rstd);
    }
};

template <int V, int D> static __global__ void __launch_bounds__(ARG_THREADS) plane_sums(ARGUMENTS(plane_args) g)
{
    const uint64_t    thread = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, row = thread / g.lanes;
    const bool        mine = row < g.groups * g.size[PLANE];
    const plane_place p = place_of_row(g, mine ? row : 0);
    const char       *x = at_plane(g.x, p), *grad = at_plane(g.grad, p);
    const T           mean = number_at(g.mean, p, 0), rstd = number_at(g.rstd, p, 1);
    tie_sums          sums;
    const uint64_t    apart = (uint64_t)g.lanes * V;
    for (uint64_t i = (thread % g.lanes) * V; mine && i < g.size[ELEMENT]; i += apart * AHEAD) {
        const int n = (int)quotient(g.size[ELEMENT] - i + apart - 1, apart);
        raw<V>    rx[AHEAD], rg[AHEAD];
        load_ahead<D>(rx, x + i * g.x.stride[ELEMENT], (int64_t)apart * g.x.stride[ELEMENT], n, g.x);
        load_ahead<D>(rg, grad + i * g.grad.stride[ELEMENT], (int64_t)apart * g.grad.stride[ELEMENT], n, g.grad);
        decode_both_ahead<D>(rx, rg, n, g, [&](int, const T(&v)[V], const T(&back)[V]) {
#pragma unroll
            for (int k = 0; k < V; k++)
                sums.add(back[k], v[k], mean, rstd);
        });
    }
    join_lanes(sums, g.lanes);
    if (mine && thread % g.lanes == 0) {
        g.sums[2 * row] = sums.product;
        g.sums[2 * row + 1] = sums.sum;
    }
}

template <int V, int D> static __global__ void __launch_bounds__(ARG_THREADS) abreast_sums(ARGUMENTS(plane_args) g)
{
    const uint32_t      lane = threadIdx.x % PLANE_ABREAST, row = threadIdx.x / PLANE_ABREAST;
    const uint64_t      group = ((uint64_t)(blockIdx.x / g.parts) * PLANE_ABREAST + lane) * V, part = blockIdx.x % g.parts;
    const uint64_t      begin = part * g.part, end = begin + g.part < g.count ? begin + g.part : g.count;
    const bool          mine = group < g.groups;
    plane_place         first = {0, mine ? group : 0, begin};
    const char         *x = at_plane(g.x, first), *grad = at_plane(g.grad, first);
    T                   mean[V], rstd[V];
    tie_sums            sums[V];
#pragma unroll
    for (int k = 0; k < V; k++, first.group++) {
        mean[k] = number_at(g.mean, first, 0);
        rstd[k] = number_at(g.rstd, first, 1);
    }
    for (uint64_t i = row; mine && i < end - begin; i += ROWS * AHEAD) {
        const int n = left_of(i, end - begin, ROWS);
        raw<V>    rx[AHEAD], rg[AHEAD];
        load_ahead<D>(rx, x + i * g.x.stride[PLANE], ROWS * g.x.stride[PLANE], n, g.x);
        load_ahead<D>(rg, grad + i * g.grad.stride[PLANE], ROWS * g.grad.stride[PLANE], n, g.grad);
        decode_both_ahead<D>(rx, rg, n, g, [&](int, const T(&v)[V], const T(&back)[V]) {
#pragma unroll
            for (int k = 0; k < V; k++)
                sums[k].add(back[k], v[k], mean[k], rstd[k]);
        });
    }
    join_rows(sums, mine, [&](int k, const tie_sums &all) {
        double *to = g.sums + 2 * ((group + k) * g.parts + part);
        to[0] = all.product, to[1] = all.sum;
    });
}

/* What a group's elements get: numbers = (turn, lift). */
static __device__ void put_numbers(const plane_args &g, uint64_t group, const tie_sums &all, T rstd)
{
    const double each = g.given ? 0 : 1 / (double)g.count;
    T           *to = (T *)g.numbers + 2 * group;
    to[0] = (T)(all.product * each * rstd * rstd);
    to[1] = (T)(all.sum * each * rstd);
}

/* The planes of a group, by a warp. */
static __global__ void __launch_bounds__(ARG_THREADS) plane_join_back(ARGUMENTS(plane_args) g)
{
    const uint64_t thread = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, group = thread / WARP;
    const bool     mine = group < g.groups;
    plane_place    p = place_of_row(g, mine ? group * g.size[PLANE] : 0);
    tie_sums       all;
    const T        rstd = number_at(g.rstd, p, 1);
    for (uint64_t k = thread % WARP; mine && k < g.size[PLANE]; k += WARP) {
        const double *from = g.sums + 2 * (group * g.size[PLANE] + k);
        p.plane = k;
        const double w = (double)number_at(g.weight, p, 1);
        all.product += from[0] * w;
        all.sum += from[1] * w;
    }
    join_lanes(all, WARP);
    if (mine && thread % WARP == 0)
        put_numbers(g, group, all, rstd);
}

/* The parts of groups abreast, by `lanes` threads each. */
static __global__ void __launch_bounds__(ARG_THREADS) abreast_join_back(ARGUMENTS(plane_args) g)
{
    const uint64_t    thread = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, group = thread / g.lanes;
    const bool        mine = group < g.groups;
    const plane_place p = {0, group, 0};
    tie_sums          all;
    for (uint64_t i = thread % g.lanes; mine && i < g.parts; i += g.lanes) {
        const double *from = g.sums + 2 * (group * g.parts + i);
        all.product += from[0];
        all.sum += from[1];
    }
    join_lanes(all, g.lanes);
    if (!mine || thread % g.lanes)
        return;
    put_number(g.to_weight, p, (T)all.product);
    put_number(g.to_bias, p, (T)all.sum);
    const double w = (double)number_at(g.weight, p, 1);
    all.product *= w;
    all.sum *= w;
    put_numbers(g, group, all, number_at(g.rstd, p, 1));
}

/* The planes that share a weight, by a warp: in all outer dims, or all planes of a group, or both. */
static __global__ void __launch_bounds__(ARG_THREADS) plane_total(ARGUMENTS(plane_args) g)
{
    const plane_operand &like = g.to_weight.at ? g.to_weight : g.to_bias;
    const uint64_t       thread = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, which = thread / WARP;
    const uint64_t       outers = like.stride[OUTER] ? g.size[OUTER] : 1, planes = like.stride[PLANE] ? g.size[PLANE] : 1;
    const uint64_t       over_outer = g.size[OUTER] / outers, over_plane = g.size[PLANE] / planes;
    const bool           mine = which < outers * g.size[GROUP] * planes;
    const uint64_t       before = which / planes;
    const plane_place    p = {before / g.size[GROUP], before % g.size[GROUP], which % planes};
    tie_sums             all;
    for (uint64_t i = thread % WARP; mine && i < over_outer * over_plane; i += WARP) {
        const uint64_t o = p.outer + quotient(i, over_plane), k = p.plane + i % over_plane;
        const double  *from = g.sums + 2 * ((o * g.size[GROUP] + p.group) * g.size[PLANE] + k);
        all.product += from[0];
        all.sum += from[1];
    }
    join_lanes(all, WARP);
    if (mine && thread % WARP == 0) {
        put_number(g.to_weight, p, (T)all.product);
        put_number(g.to_bias, p, (T)all.sum);
    }
}

/* ---- back: every element ---- */

template <int V, int D> static __global__ void __launch_bounds__(ARG_THREADS) plane_flow(ARGUMENTS(plane_args) g)
{
    unit_place u;
    raw<V>     rx[AHEAD], rg[AHEAD];
    if (!place_unit<V>(g, u) || u.first >= u.vectors)
        return;
    const int     n = (int)quotient(u.vectors - u.first + g.lanes - 1, g.lanes);
    const int64_t at = (int64_t)(u.first * V), apart = (int64_t)g.lanes * V;
    char         *to = at_plane(g.y, u.p) + at * g.y.stride[ELEMENT];
    load_ahead<D>(rx, at_plane(g.x, u.p) + at * g.x.stride[ELEMENT], apart * g.x.stride[ELEMENT], n, g.x);
    load_ahead<D>(rg, at_plane(g.grad, u.p) + at * g.grad.stride[ELEMENT], apart * g.grad.stride[ELEMENT], n, g.grad);
    const T *numbers = (const T *)g.numbers + 2 * (u.p.outer * g.size[GROUP] + u.p.group);
    const T  turn = numbers[0], lift = numbers[1];
    const T  mean = number_at(g.mean, u.p, 0), scale = number_at(g.weight, u.p, 1) * number_at(g.rstd, u.p, 1);
    decode_both_ahead<D>(rx, rg, n, g, [&](int a, T(&v)[V], const T(&back)[V]) {
#pragma unroll
        for (int k = 0; k < V; k++)
            v[k] = g.given ? back[k] * scale : back[k] * scale - (v[k] - mean) * turn - lift; /* given: v may be infinite */
        store_vector<D>(v, to + a * apart * g.y.stride[ELEMENT], g.y);
    });
}

template <int V, int D> static __global__ void __launch_bounds__(ARG_THREADS) abreast_flow(ARGUMENTS(plane_args) g)
{
    plane_place p;
    raw<V>      rx[AHEAD], rg[AHEAD];
    T           mean[V], scale[V], turn[V], lift[V];
    int         rows;
    if (!place_abreast(g, V, p, rows))
        return;
    char *to = at_plane(g.y, p);
    load_ahead<D>(rx, at_plane(g.x, p), g.x.stride[PLANE], rows, g.x);
    load_ahead<D>(rg, at_plane(g.grad, p), g.grad.stride[PLANE], rows, g.grad);
    numbers_abreast(mean, scale, g, g.mean, g.rstd, p);
#pragma unroll
    for (int k = 0; k < V; k++) {
        const T *numbers = (const T *)g.numbers + 2 * (p.group + k);
        turn[k] = numbers[0], lift[k] = numbers[1];
    }
    decode_both_ahead<D>(rx, rg, rows, g, [&](int a, T(&v)[V], const T(&back)[V]) {
#pragma unroll
        for (int k = 0; k < V; k++)
            v[k] = g.given ? back[k] * scale[k] : back[k] * scale[k] - (v[k] - mean[k]) * turn[k] - lift[k];
        store_vector<D>(v, to + a * g.y.stride[PLANE], g.y);
    });
}

/* ---- the table ---- */
#define KERNELS(V, D)                                                                                                     \
    {D, V,                                                                                                                \
     {(const void *)plane_moments<V, D>, (const void *)plane_apply<V, D>, (const void *)plane_sums<V, D>,                  \
      (const void *)plane_flow<V, D>},                                                                                     \
     {(const void *)abreast_moments<V, D>, (const void *)abreast_apply<V, D>, (const void *)abreast_sums<V, D>,            \
      (const void *)abreast_flow<V, D>}},
#define VECTORS(D) KERNELS(PLANE_VECTOR, KT_##D)
static const plane_kernels kernels[] = {OF_DTYPES(VECTORS) KERNELS(PLANE_VECTOR, KT_NONE) KERNELS(1, KT_NONE)};
const plane_table PLANES_NAME = {kernels,
                                 (const void *)plane_join,
                                 (const void *)plane_join_back,
                                 (const void *)abreast_join_back,
                                 (const void *)plane_total,
                                 (kt_dtype)values<T>::self,
                                 values<T>::reads,
                                 values<T>::writes};
