/* ctc.cu - connectionist temporal classification (CTC): how likely targets are, and what flows back.
 *
 * In: ctc_args. Out: losses and the logarithms of all beginnings; or the gradient. A block has a sample, its threads the places
 * of the target with blanks between; one step of time is one pass over the places. Sums are in the CPU's order.
 *
 * A. Graves, S. Fernandez, F. Gomez and J. Schmidhuber, Connectionist Temporal Classification, ICML 2006, whose forward and
 * backward variables these are. */
#include <math.h>

#include "ctc.h"

/* ---- a target as a line of places ---- */
struct ctc_line {
    int64_t        n, steps;
    const int64_t *labels;
};

static __device__ __forceinline__ ctc_line line_of(const ctc_args &g, int64_t sample)
{
    return {2 * g.lengths[g.batch + sample] + 1, g.lengths[sample], g.targets + g.lengths[2 * g.batch + sample]};
}

/* -1: it is no class, and never seen. */
static __device__ __forceinline__ int64_t label_at(const ctc_args &g, const ctc_line &l, int64_t place)
{
    const int64_t label = place % 2 ? l.labels[place / 2] : g.blank;
    return label < 0 || label >= g.classes ? -1 : label;
}

/* Whether a place may follow the one before its blank. */
static __device__ __forceinline__ bool skips(const ctc_args &g, const ctc_line &l, int64_t place)
{
    return place % 2 && place > 1 && label_at(g, l, place) != label_at(g, l, place - 2);
}

template <class T> static __device__ __forceinline__ T minus_infinity() { return -(T)INFINITY; }

template <class T> static __device__ __forceinline__ T log_prob(const T *row, int64_t label)
{
    return label < 0 ? minus_infinity<T>() : row[label];
}

/* log(e^a + e^b + e^c) */
template <class T> static __device__ __forceinline__ T log_sum(T a, T b, T c)
{
    T most = b > a || b != b ? b : a;
    most = c > most || c != c ? c : most;
    most = most == minus_infinity<T>() ? 0 : most;
    return log(exp(a - most) + exp(b - most) + exp(c - most)) + most;
}

/* ---- forward ---- */
template <class T> static __global__ void __launch_bounds__(ARG_THREADS) ctc_forward(ARGUMENTS(ctc_args) g)
{
    const int64_t  sample = blockIdx.x;
    if (sample >= g.batch)
        return;
    const ctc_line l = line_of(g, sample);
    T             *alpha = (T *)g.alpha + sample * g.steps * g.places;
    const T        none = minus_infinity<T>();
    for (int64_t t = 0; t < g.steps; t++) {
        const T *row = (const T *)g.log_probs + (t * g.batch + sample) * g.classes, *was = alpha + (t - 1) * g.places;
        for (int64_t s = threadIdx.x; s < g.places; s += ARG_THREADS) {
            T now = none;
            if (t < l.steps && s < l.n && (t || s < 2))
                now = (t ? log_sum(was[s], s > 0 ? was[s - 1] : none, skips(g, l, s) ? was[s - 2] : none) : (T)0) +
                      log_prob(row, label_at(g, l, s));
            alpha[t * g.places + s] = now;
        }
        __syncthreads();
    }
    if (threadIdx.x)
        return;
    T loss = l.n == 1 ? -(T)0 : -none;
    if (l.steps) {
        const T *end = alpha + (l.steps - 1) * g.places + l.n - 1;
        loss = -(l.n > 1 ? log_sum(end[0], end[-1], none) : end[0]);
    }
    ((T *)g.loss)[sample] = loss;
}

/* ---- back: endings as beginnings, the other way round; their product is how likely a place is at a time ---- */

/* Places of one label, in their order: one thread takes their shares from the gradient. */
static __device__ void chain_places(const ctc_args &g, const ctc_line &l, int32_t *first, int32_t *next)
{
    for (int64_t s = threadIdx.x; s < l.n; s += ARG_THREADS) {
        const int64_t label = label_at(g, l, s);
        int64_t       before = s - 1, after = s + 1;
        while (before >= 0 && label_at(g, l, before) != label)
            before--;
        while (after < l.n && label_at(g, l, after) != label)
            after++;
        first[s] = before < 0 && label >= 0;
        next[s] = after < l.n ? (int32_t)after : -1;
    }
}

template <class T> static __global__ void __launch_bounds__(ARG_THREADS) ctc_back(ARGUMENTS(ctc_args) g)
{
    const int64_t sample = blockIdx.x;
    if (sample >= g.batch)
        return;
    const ctc_line l = line_of(g, sample);
    const T        none = minus_infinity<T>(), loss = ((const T *)g.loss)[sample], from = ((const T *)g.from)[sample];
    const int64_t  steps = g.forgives && loss == -none ? 0 : l.steps;
    T             *room = (T *)g.room + sample * 3 * g.places, *share = room + 2 * g.places;
    int32_t       *first = g.chain + sample * 2 * g.places, *next = first + g.places;
    chain_places(g, l, first, next);
    __syncthreads();
    for (int64_t t = g.steps - 1; t >= 0; t--) {
        const T *row = (const T *)g.log_probs + (t * g.batch + sample) * g.classes;
        const T *alpha = (const T *)g.alpha + (sample * g.steps + t) * g.places, *was = room + (t % 2 ? 0 : g.places);
        T       *to = (T *)g.grad + (t * g.batch + sample) * g.classes, *now = room + (t % 2 ? g.places : 0);
        for (int64_t c = threadIdx.x; c < g.classes; c += ARG_THREADS) /* what is infinite has no slope */
            to[c] = t < steps ? exp(row[c]) + (row[c] - row[c]) + (loss - loss) : (T)0;
        if (t >= steps)
            continue;
        for (int64_t s = threadIdx.x; s < l.n; s += ARG_THREADS) {
            const T log_p = log_prob(row, label_at(g, l, s));
            T       beta = s >= l.n - 2 ? log_p : none;
            if (t < steps - 1)
                beta = log_sum(was[s], s + 1 < l.n ? was[s + 1] : none, s + 2 < l.n && skips(g, l, s + 2) ? was[s + 2] : none) +
                       log_p;
            now[s] = beta;
            share[s] = exp(alpha[s] + beta - log_p + loss);
        }
        __syncthreads();
        for (int64_t s = threadIdx.x; s < l.n; s += ARG_THREADS)
            for (int64_t k = s; first[s] && k >= 0; k = next[k])
                to[label_at(g, l, s)] -= share[k];
        __syncthreads();
        for (int64_t c = threadIdx.x; c < g.classes; c += ARG_THREADS)
            to[c] *= from;
        __syncthreads();
    }
}

const ctc_kernels ctc_tables[2] = {{(const void *)ctc_forward<float>, (const void *)ctc_back<float>, KT_F32},
                                   {(const void *)ctc_forward<double>, (const void *)ctc_back<double>, KT_F64}};
