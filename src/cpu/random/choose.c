/* choose.c - kernels that choose among elements: random permutations, and draws from given weights.
 *
 * In: a plan with a generator. Out: a permutation of 0..n-1 (a dense row of any dtype); or the chosen categories, int64,
 * of weights in dims [rows, categories, samples]. Weights are checked before anything is drawn. Independent of: tensors,
 * operators. */
#include "cpu/random/random.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "dtype/fault.h"
#include "dtype/value.h"

/* ---- permutations: R. Durstenfeld, Algorithm 235, Communications of the ACM 7 (1964), after Fisher and Yates ---- */

static void shuffle(kt_generator *g, int64_t *at, int64_t n)
{
    const bool wide = n >= UINT32_MAX / 20;
    for (int64_t i = 0; i < n; i++)
        at[i] = i;
    for (int64_t i = 0; i < n - 1; i++) {
        const uint64_t x = wide ? kt__rng_u64(g) : kt__rng_u32(g);
        const int64_t  j = i + (int64_t)(x % (uint64_t)(n - i)), taken = at[j];
        at[j] = at[i];
        at[i] = taken;
    }
}

kt_status kt__cpu_randperm(const kt_plan *plan)
{
    const int64_t n = plan->numel;
    if (plan->arg[0].is == KT_I64) {
        shuffle(plan->generator, (int64_t *)(void *)plan->arg[0].data, n);
        return KT_OK;
    }
    size_t       granted;
    const size_t bytes = (size_t)n * sizeof(int64_t);
    int64_t     *at = kt__block_get(bytes, &granted);
    if (!at)
        return kt__fail_memory(bytes);
    shuffle(plan->generator, at, n);
    kt__convert(plan->arg[0].data, (kt_dtype)plan->arg[0].is, (ptrdiff_t)kt_dtype_size((kt_dtype)plan->arg[0].is), at,
                KT_I64, sizeof *at, n);
    kt__block_put(at, granted);
    return KT_OK;
}

/* ---- weights ---- */

typedef struct choosing {
    const kt_plan *plan;
    kt_dtype       dtype; /* of the weights */
    int64_t        rows, categories, samples;
    double        *weight; /* of one row */
    double        *drawn;  /* without replacement: of every row */
    int64_t       *order;
} choosing;

/* x rounded to the weights' dtype. */
static double fit(const choosing *c, double x)
{
    unsigned char bits[8];
    float         single = (float)x;
    if (c->dtype == KT_F64 || c->dtype == KT_F32)
        return c->dtype == KT_F64 ? x : (double)single;
    kt__convert(bits, c->dtype, 8, &single, KT_F32, 4, 1);
    kt__convert(&single, KT_F32, 4, bits, c->dtype, 8, 1);
    return single;
}

static void load_row(const choosing *c, int64_t row)
{
    const kt_plan *p = c->plan;
    kt__convert(c->weight, KT_F64, sizeof(double), p->arg[1].data + row * p->stride[1][0], c->dtype, p->stride[1][1],
                c->categories);
}

static void put(const choosing *c, int64_t row, int64_t sample, int64_t category)
{
    const kt_plan *p = c->plan;
    *(int64_t *)(void *)(p->arg[0].data + row * p->stride[0][0] + sample * p->stride[0][2]) = category;
}

/* With replacement: cumulative weights in their dtype (at least float32), searched by bisection. */
static kt_status sum_up(const choosing *c)
{
    const bool single = c->dtype != KT_F64;
    double     sum = 0;
    for (int64_t i = 0; i < c->categories; i++) {
        const double w = c->weight[i];
        if (!(w >= 0))
            return kt__fail_fault(&(kt_fault){.kind = KT_FAULT_WEIGHT_NEGATIVE});
        if (!isfinite(w))
            return kt__fail_fault(&(kt_fault){.kind = KT_FAULT_WEIGHT_INFINITE});
        sum = single ? (double)(float)(sum + w) : sum + w;
        c->weight[i] = sum;
    }
    if (!(sum > 0))
        return kt__fail_fault(&(kt_fault){.kind = KT_FAULT_WEIGHT_SUM});
    for (int64_t i = 0; i < c->categories; i++)
        c->weight[i] = single ? (double)((float)c->weight[i] / (float)sum) : c->weight[i] / sum;
    c->weight[c->categories - 1] = 1;
    return KT_OK;
}

static int64_t find(const choosing *c, double u)
{
    int64_t left = 0, right = c->categories;
    while (left < right) {
        const int64_t middle = left + (right - left) / 2;
        if (c->weight[middle] < u)
            left = middle + 1;
        else
            right = middle;
    }
    return left;
}

static kt_status choose_replacing(const choosing *c)
{
    for (int64_t row = 0; row < c->rows; row++) { /* invalid rows are reported before the first draw */
        load_row(c, row);
        if (sum_up(c))
            return kt_error_status();
    }
    for (int64_t row = 0; row < c->rows; row++) {
        load_row(c, row);
        sum_up(c);
        for (int64_t k = 0; k < c->samples; k++)
            put(c, row, k, find(c, kt__rng_uniform(c->plan->generator)));
    }
    return KT_OK;
}

/* Without replacement: weights divided by exponential samples; the largest quotients win (P. S. Efraimidis and P. G. Spirakis,
 * Weighted random sampling with a reservoir, Information Processing Letters 97, 2006). */
static kt_status check_rows(const choosing *c)
{
    bool empty = false; /* reported after weights that are none, of any row */
    for (int64_t row = 0; row < c->rows; row++) {
        double sum = 0;
        load_row(c, row);
        for (int64_t i = 0; i < c->categories; i++) {
            if (!(c->weight[i] >= 0 && c->weight[i] < INFINITY))
                return kt__fail_fault(&(kt_fault){.kind = KT_FAULT_WEIGHT});
            sum += c->weight[i];
        }
        empty |= sum == 0;
    }
    return empty ? kt__fail_fault(&(kt_fault){.kind = KT_FAULT_WEIGHT_SUM}) : KT_OK;
}

/* In the order in which the weights lie in memory; rows that share theirs lie behind each other. */
static void draw_exponentials(const choosing *c)
{
    const int64_t row = c->plan->stride[1][0], column = c->plan->stride[1][1];
    const bool    by_columns = row && row < column && c->rows > 1;
    const int64_t outer = by_columns ? c->categories : c->rows, inner = by_columns ? c->rows : c->categories;
    for (int64_t i = 0; i < outer; i++)
        for (int64_t j = 0; j < inner; j++)
            c->drawn[by_columns ? j * c->categories + i : i * c->categories + j] =
                fit(c, -log1p(-kt__rng_uniform(c->plan->generator)));
}

static int by_weight(const void *a, const void *b, void *weights)
{
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    const double *w = weights;
    return w[i] != w[j] ? (w[i] < w[j] ? 1 : -1) : i < j ? -1 : i > j;
}

/* The first of them in order, the rest in any: each goes before those that are not larger. */
static void order_few(const choosing *c)
{
    for (int64_t k = 0; k < c->samples; k++) {
        int64_t first = k;
        for (int64_t i = k + 1; i < c->categories; i++)
            first = by_weight(&c->order[i], &c->order[first], c->weight) < 0 ? i : first;
        const int64_t chosen = c->order[first];
        c->order[first] = c->order[k];
        c->order[k] = chosen;
    }
}

static kt_status choose_distinct(const choosing *c)
{
    enum { FEW = 4 };
    if (check_rows(c))
        return kt_error_status();
    draw_exponentials(c);
    for (int64_t row = 0; row < c->rows; row++) {
        load_row(c, row);
        int64_t best = 0;
        for (int64_t i = 0; i < c->categories; i++) {
            c->weight[i] = fit(c, c->weight[i] / c->drawn[row * c->categories + i]);
            c->order[i] = i;
            best = c->weight[i] > c->weight[best] ? i : best;
        }
        if (c->samples == 1) {
            put(c, row, 0, best);
            continue;
        }
        if (c->samples <= FEW)
            order_few(c);
        else
            qsort_r(c->order, (size_t)c->categories, sizeof *c->order, by_weight, c->weight);
        for (int64_t k = 0; k < c->samples; k++)
            put(c, row, k, c->order[k]);
    }
    return KT_OK;
}

kt_status kt__cpu_multinomial(const kt_plan *plan)
{
    choosing   c = {.plan = plan, .dtype = (kt_dtype)plan->arg[1].is};
    const bool distinct = !plan->param[0].v.i;
    c.rows = plan->size[0];
    c.categories = plan->size[1];
    c.samples = plan->size[2];
    size_t       granted;
    const size_t words = (size_t)c.categories * (distinct ? 2 + (size_t)c.rows : 1), bytes = words * sizeof(double);
    c.weight = kt__block_get(bytes, &granted);
    if (!c.weight)
        return kt__fail_memory(bytes);
    c.order = (int64_t *)(void *)(c.weight + c.categories);
    c.drawn = c.weight + 2 * c.categories;
    const kt_status status = distinct ? choose_distinct(&c) : choose_replacing(&c);
    kt__block_put(c.weight, granted);
    return status;
}
