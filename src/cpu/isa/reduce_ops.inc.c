/* reduce_ops.inc.c - the reductions of one compute type, as a table. A template: T the compute type, A the wider type
 * that accumulates.
 *
 * An operation keeps up to FIELDS numbers per result, field k of result j at f[k * stride + j]. `take` computes them from
 * a piece of the input, `join` combines those of two pieces, and `end` computes the results (one per field, from field
 * 0). Operations are made of the folds below; each reads the piece once, in L1. A new reduction is a line of the table
 * and, if no fold fits, one more inclusion of reduce_fold.inc.c.
 * Independent of: layouts, threads, dtypes. */
#include "base/alloc.h"
#include "base/error.h"
#include "tables/kernels/reduce.h"

enum {
    LANES = 16,         /* independent accumulators of one row */
    BAND = 16,          /* rows that are folded at once where results lie side by side */
    COLUMNS = TILE / 2, /* results that lie side by side: a band of them stays in L1 */
    FIELDS = 3
};

/* A part of the input: n values in a row that become one result, or rows of n values that become n results. */
typedef struct FN(piece) {
    const T *x[BAND];
    int      rows;  /* 0: one dense row, one result */
    int      n;
    int64_t  first; /* index of the first value (of the first row) among the values of a result */
    double   power; /* of a norm */
} FN(piece);

typedef __typeof__(__real__(A)0) FN(measure); /* what counts, squares and magnitudes are: A where that is real */
#define PART FN(measure)
#define IS_NAN(v) ((v) != (v))
#define NAN_OR(v, other) ({ const __typeof__(v) o_ = (other); IS_NAN(v) ? (v) : o_; }) /* so it is vectorised */

KT_ALWAYS int FN(results)(const FN(piece) *p)       { return p->rows == 0 ? 1 : p->n; }
KT_ALWAYS int FN(values_each)(const FN(piece) *p)   { return p->rows == 0 ? p->n : p->rows; }

/* ---- scalars of the folds ---- */
#if KT_IS_COMPLEX
#define COUNT PART
KT_ALWAYS PART FN(is_number)(T x) { return !IS_NAN(__real__ x) && !IS_NAN(__imag__ x); }
KT_ALWAYS T    FN(number_or)(T x, T other) { return FN(is_number)(x) != 0 ? x : other; }
KT_ALWAYS PART FN(magnitude)(A x) { return __builtin_hypot(__real__ x, __imag__ x); }
KT_ALWAYS PART FN(squared)(A x)   { return __real__ x * __real__ x + __imag__ x * __imag__ x; }

/* As of hypot: a number with an infinite part is infinitely large, whatever the other part is. */
KT_ALWAYS PART FN(squared_size)(A x)
{
    return __builtin_isinf(__real__ x) || __builtin_isinf(__imag__ x) ? (PART)INFINITY : FN(squared)(x);
}

/* The difference is written as math/complex.inc.c does, for its reason: no fused operation on any instruction set. */
KT_ALWAYS A FN(times)(A a, A b)
{
    const double x = __real__ a, y = __imag__ a, u = __real__ b, v = __imag__ b;
    const double minus = core_double(core_bits(y * v) ^ UINT64_C(1) << 63);
    return __builtin_complex(x * u + minus, x * v + y * u);
}
#else
#define COUNT T
#define LOWEST  PICK(-INFINITY, (T)-1 < (T)1 ? (T)(UINT64_C(1) << (8 * sizeof(T) - 1)) : 0, 0)
#define HIGHEST PICK(INFINITY, (T)-1 < (T)1 ? (T)((UINT64_C(1) << (8 * sizeof(T) - 1)) - 1) : (T)-1, 0)
KT_ALWAYS A FN(times)(A a, A b)   { return a * b; }
#if !KT_IS_INTEGER
KT_ALWAYS T    FN(is_number)(T x) { return IS_NAN(x) ? 0 : 1; }
KT_ALWAYS T    FN(number_or)(T x, T other) { return IS_NAN(x) ? other : x; }
KT_ALWAYS PART FN(magnitude)(A x) { return __builtin_fabs(x); }
KT_ALWAYS PART FN(squared)(A x)   { return x * x; }
#endif
#endif

/* ---- the folds ---- */
#define FOLD  sum
#define MAP   (A)x
#define JOIN  a + b
#define ZERO  0
#define LANE  A
#define WIDE  A
#define SHIFT(c, j) 0
#define HOT   1
#include "cpu/isa/reduce_fold.inc.c"

#define FOLD  prod
#define MAP   (A)x
#define JOIN  FN(times)(a, b)
#define ZERO  1
#define LANE  A
#define WIDE  A
#define SHIFT(c, j) 0
#define HOT   0
#include "cpu/isa/reduce_fold.inc.c"

#define FOLD  nonzero /* how many; a tile's count fits any T */
#define MAP   (COUNT)(x != 0)
#define JOIN  a + b
#define ZERO  0
#define LANE  COUNT
#define WIDE  PART
#define SHIFT(c, j) 0
#define HOT   !KT_IS_COMPLEX
#include "cpu/isa/reduce_fold.inc.c"

#if !KT_IS_COMPLEX
#define FOLD  max
#define MAP   x
#define JOIN  NAN_OR(b, b > a ? b : a) /* a NaN wins, the first one of several */
#define ZERO  LOWEST
#define LANE  T
#define WIDE  A
#define SHIFT(c, j) 0
#define HOT   1
#include "cpu/isa/reduce_fold.inc.c"

#define FOLD  min
#define MAP   x
#define JOIN  NAN_OR(b, b < a ? b : a)
#define ZERO  HIGHEST
#define LANE  T
#define WIDE  A
#define SHIFT(c, j) 0
#define HOT   1
#include "cpu/isa/reduce_fold.inc.c"
#endif

#if !KT_IS_INTEGER
#define FOLD  nansum
#define MAP   (A)FN(number_or)(x, 0)
#define JOIN  a + b
#define ZERO  0
#define LANE  A
#define WIDE  A
#define SHIFT(c, j) 0
#define HOT   0
#include "cpu/isa/reduce_fold.inc.c"

#define FOLD  numbers /* how many are not NaN */
#define MAP   (COUNT)FN(is_number)(x)
#define JOIN  a + b
#define ZERO  0
#define LANE  COUNT
#define WIDE  PART
#define SHIFT(c, j) 0
#define HOT   0
#include "cpu/isa/reduce_fold.inc.c"

#define FOLD  distances /* from c */
#define MAP   (A)x - c
#define JOIN  a + b
#define ZERO  0
#define LANE  A
#define WIDE  A
#define SHIFT(c, j) (c)[j]
#define HOT   !KT_IS_COMPLEX
#include "cpu/isa/reduce_fold.inc.c"

#define FOLD  squares /* of the distances from c */
#define MAP   FN(squared)((A)x - c)
#define JOIN  a + b
#define ZERO  0
#define LANE  PART
#define WIDE  PART
#define SHIFT(c, j) (c)[j]
#define HOT   !KT_IS_COMPLEX
#include "cpu/isa/reduce_fold.inc.c"

#if KT_IS_COMPLEX
#define FOLD  squared_sizes
#define MAP   FN(squared_size)((A)x)
#define JOIN  a + b
#define ZERO  0
#define LANE  PART
#define WIDE  PART
#define SHIFT(c, j) 0
#define HOT   0
#include "cpu/isa/reduce_fold.inc.c"
#endif

#define FOLD  magnitudes
#define MAP   FN(magnitude)((A)x)
#define JOIN  a + b
#define ZERO  0
#define LANE  PART
#define WIDE  PART
#define SHIFT(c, j) 0
#define HOT   0
#include "cpu/isa/reduce_fold.inc.c"

#define FOLD  largest
#define MAP   FN(magnitude)((A)x)
#define JOIN  NAN_OR(b, b > a ? b : a)
#define ZERO  0
#define LANE  PART
#define WIDE  PART
#define SHIFT(c, j) 0
#define HOT   0
#include "cpu/isa/reduce_fold.inc.c"

#define FOLD  smallest
#define MAP   FN(magnitude)((A)x)
#define JOIN  NAN_OR(b, b < a ? b : a)
#define ZERO  INFINITY
#define LANE  PART
#define WIDE  PART
#define SHIFT(c, j) 0
#define HOT   0
#include "cpu/isa/reduce_fold.inc.c"

#define FOLD  powers
#define MAP   kt__power_f64(FN(magnitude)((A)x), p->power)
#define JOIN  a + b
#define ZERO  0
#define LANE  PART
#define WIDE  PART
#define SHIFT(c, j) 0
#define HOT   0
#include "cpu/isa/reduce_fold.inc.c"

#if !KT_IS_COMPLEX
#define FOLD  exps
#define MAP   FN(exp)(x - (T)c)
#define JOIN  a + b
#define ZERO  0
#define LANE  T
#define WIDE  A
#define SHIFT(c, j) (c)[j]
#define HOT   1
#include "cpu/isa/reduce_fold.inc.c"
#endif
#endif

/* ---- an operation ---- */
typedef struct FN(reduced) { /* what the ends ask about the reduction */
    double count;            /* values of a result */
    double param;            /* p of a norm, correction of a variance */
} FN(reduced);

typedef struct FN(op) {
    void   (*take)(const FN(piece) *p, A *f, int stride);
    void   (*join)(A *f, const A *later, int stride, int n);
    void   (*end)(const FN(reduced) *r, A *f, int stride, int n); /* NULL: field 0 is the result */
    A       zero[FIELDS]; /* the numbers of no value */
    uint8_t fields;       /* those in use between pieces */
    uint8_t whole;        /* bit k: result k is an integer of 64 bits, not a T */
    bool    keeps;        /* take adds to what the fields hold already, zero at first */
    bool    stops;        /* nothing can change the result once field 0 is not 0 */
} FN(op);

/* ---- one field, one fold ---- */
static void FN(take_sum)(const FN(piece) *p, A *f, int stride)        { (void)stride, FN(fold_sum)(p, f, NULL); }
static void FN(take_prod)(const FN(piece) *p, A *f, int stride)       { (void)stride, FN(fold_prod)(p, f, NULL); }
static void FN(take_nonzero)(const FN(piece) *p, A *f, int stride)    { (void)stride, FN(fold_nonzero)(p, f, NULL); }
static void FN(join_sum)(A *f, const A *later, int stride, int n)     { (void)stride, FN(merge_sum)(f, later, n); }
static void FN(join_prod)(A *f, const A *later, int stride, int n)    { (void)stride, FN(merge_prod)(f, later, n); }

/* any, all: field 0 counts the values that decide */
static void FN(take_any)(const FN(piece) *p, A *f, int stride)
{
    A *count = f + 2 * stride;
    FN(fold_nonzero)(p, count, NULL);
    FN(merge_sum)(f, count, FN(results)(p));
}

static void FN(take_all)(const FN(piece) *p, A *f, int stride)
{
    A *count = f + 2 * stride;
    FN(fold_nonzero)(p, count, NULL);
    for (int j = 0; j < FN(results)(p); j++)
        f[j] += (A)FN(values_each)(p) - count[j];
}

static void FN(end_any)(const FN(reduced) *r, A *f, int stride, int n)
{
    (void)r, (void)stride;
    for (int j = 0; j < n; j++)
        f[j] = f[j] != 0;
}

static void FN(end_all)(const FN(reduced) *r, A *f, int stride, int n)
{
    (void)r, (void)stride;
    for (int j = 0; j < n; j++)
        f[j] = f[j] == 0;
}

/* ---- order: nothing of it for complex numbers ---- */
#if !KT_IS_COMPLEX
static void FN(take_max)(const FN(piece) *p, A *f, int stride)        { (void)stride, FN(fold_max)(p, f, NULL); }
static void FN(take_min)(const FN(piece) *p, A *f, int stride)        { (void)stride, FN(fold_min)(p, f, NULL); }
static void FN(join_max)(A *f, const A *later, int stride, int n)     { (void)stride, FN(merge_max)(f, later, n); }
static void FN(join_min)(A *f, const A *later, int stride, int n)     { (void)stride, FN(merge_min)(f, later, n); }

static void FN(take_aminmax)(const FN(piece) *p, A *f, int stride)
{
    FN(fold_min)(p, f, NULL);
    FN(fold_max)(p, f + stride, NULL);
}

static void FN(join_aminmax)(A *f, const A *later, int stride, int n)
{
    FN(merge_min)(f, later, n);
    FN(merge_max)(f + stride, later + stride, n);
}

/* Field 0 the value, field 1 its index; no tensor has the 2^53 values that a double could not count. Before any value
 * the index is 0: right for the first block, should nothing beat the zero, and of no matter for the others. */
KT_ALWAYS bool FN(beats)(A new, A old, bool least)
{
    return !IS_NAN(old) && ((least ? new < old : new > old) || IS_NAN(new));
}

/* The first of n values that is `value`, or the first NaN if that is one. */
__attribute__((noinline)) static int FN(find)(const T *x, int n, T value)
{
    int i = 0;
    for (; i + 64 <= n; i += 64) {
        const T *some = x + i;
        int      hits = 0;
        for (int k = 0; k < 64; k++) {
            const int same = some[k] == value ? 1 : 0;
            hits += IS_NAN(some[k]) ? 1 : same;
        }
        if (hits != 0)
            break;
    }
    while (i < n - 1 && x[i] != value && !IS_NAN(x[i]))
        i++;
    return i;
}

/* One more row: selects alone, so that it is vectorised. */
KT_ALWAYS void FN(arg_row)(A *best, A *at, const T *x, A index, int n, bool least)
{
    KT_EACH
    for (int j = 0; j < n; j++) {
        const A new = (A)x[j], old = best[j], was = at[j];
        const A value = (least ? new < old : new > old) ? new : old;
        const A place = (least ? new < old : new > old) ? index : was;
        const A place_of_nan = IS_NAN(old) ? was : index;
        best[j] = IS_NAN(new) ? new : value;
        at[j] = IS_NAN(new) ? place_of_nan : place;
    }
}

/* A dense piece is folded, which is fast, and searched only where it beats all before. */
KT_ALWAYS void FN(take_arg)(const FN(piece) *p, A *f, int stride, bool least)
{
    A best;
    for (int r = 0; r < p->rows; r++)
        FN(arg_row)(f, f + stride, p->x[r], (A)(p->first + r), p->n, least);
    if (p->rows != 0)
        return;
    if (least)
        FN(fold_min)(p, &best, NULL);
    else
        FN(fold_max)(p, &best, NULL);
    if (FN(beats)(best, f[0], least))
        f[0] = best, f[stride] = (A)(p->first + FN(find)(p->x[0], p->n, (T)best));
}

KT_ALWAYS void FN(join_arg)(A *f, const A *later, int stride, int n, bool least)
{
    for (int j = 0; j < n; j++)
        if (FN(beats)(later[j], f[j], least))
            f[j] = later[j], f[stride + j] = later[stride + j];
}

static void FN(take_argmax)(const FN(piece) *p, A *f, int stride)     { FN(take_arg)(p, f, stride, false); }
static void FN(take_argmin)(const FN(piece) *p, A *f, int stride)     { FN(take_arg)(p, f, stride, true); }
static void FN(join_argmax)(A *f, const A *later, int stride, int n)  { FN(join_arg)(f, later, stride, n, false); }
static void FN(join_argmin)(A *f, const A *later, int stride, int n)  { FN(join_arg)(f, later, stride, n, true); }

static void FN(end_arg)(const FN(reduced) *r, A *f, int stride, int n)
{
    (void)r;
    memcpy(f, f + stride, (size_t)n * sizeof *f);
}
#endif

/* ---- averages, norms ---- */
#if !KT_IS_INTEGER
static void FN(end_mean)(const FN(reduced) *r, A *f, int stride, int n)
{
    (void)stride;
    for (int j = 0; j < n; j++)
        f[j] /= r->count;
}

static void FN(take_nansum)(const FN(piece) *p, A *f, int stride)     { (void)stride, FN(fold_nansum)(p, f, NULL); }

static void FN(take_nanmean)(const FN(piece) *p, A *f, int stride)
{
    FN(fold_nansum)(p, f, NULL);
    FN(fold_numbers)(p, f + stride, NULL);
}

static void FN(join_nanmean)(A *f, const A *later, int stride, int n)
{
    FN(merge_sum)(f, later, n);
    FN(merge_sum)(f + stride, later + stride, n);
}

static void FN(end_nanmean)(const FN(reduced) *r, A *f, int stride, int n)
{
    (void)r;
    for (int j = 0; j < n; j++)
        f[j] /= (PART)f[stride + j];
}

static void FN(take_norm1)(const FN(piece) *p, A *f, int stride)      { (void)stride, FN(fold_magnitudes)(p, f, NULL); }
static void FN(take_largest)(const FN(piece) *p, A *f, int stride)    { (void)stride, FN(fold_largest)(p, f, NULL); }
static void FN(take_smallest)(const FN(piece) *p, A *f, int stride)   { (void)stride, FN(fold_smallest)(p, f, NULL); }
static void FN(take_powers)(const FN(piece) *p, A *f, int stride)     { (void)stride, FN(fold_powers)(p, f, NULL); }
static void FN(join_largest)(A *f, const A *later, int stride, int n) { (void)stride, FN(merge_largest)(f, later, n); }
static void FN(join_smallest)(A *f, const A *later, int stride, int n)
{
    (void)stride, FN(merge_smallest)(f, later, n);
}

static void FN(take_norm2)(const FN(piece) *p, A *f, int stride)
{
#if KT_IS_COMPLEX
    (void)stride, FN(fold_squared_sizes)(p, f, NULL);
#else
    A *origin = f + stride;
    for (int j = 0; j < FN(results)(p); j++)
        origin[j] = 0;
    FN(fold_squares)(p, f, origin);
#endif
}

static void FN(end_norm2)(const FN(reduced) *r, A *f, int stride, int n)
{
    (void)r, (void)stride;
    for (int j = 0; j < n; j++)
        f[j] = __builtin_sqrt((PART)f[j]);
}

static void FN(end_powers)(const FN(reduced) *r, A *f, int stride, int n)
{
    (void)stride;
    for (int j = 0; j < n; j++)
        f[j] = kt__power_f64((PART)f[j], 1 / r->param);
}

/* ---- variance: mean, sum of squared distances from it, count; two passes over a piece in L1, pieces joined by their
 * means (T. F. Chan, G. H. Golub and R. J. LeVeque, Algorithms for computing the sample variance, The American Statistician 37,
 * 1983). A is exact for sums of narrower numbers; of its own they begin at the first value, so that
 * equal values have no spread ---- */
static void FN(take_var)(const FN(piece) *p, A *f, int stride)
{
    const double count = FN(values_each)(p);
    const int    n = FN(results)(p);
    A           *origin = f + 2 * stride;
    for (int j = 0; j < n; j++) {
        const A first = (A)p->x[0][j];
        origin[j] = sizeof(T) < sizeof(A) || first - first != 0 ? 0 : first;
    }
    if (sizeof(T) < sizeof(A))
        FN(fold_sum)(p, f, NULL);
    else
        FN(fold_distances)(p, f, origin);
    for (int j = 0; j < n; j++)
        f[j] = origin[j] + f[j] / count, origin[j] = count;
    FN(fold_squares)(p, f + stride, f);
}

static void FN(join_var)(A *f, const A *later, int stride, int n)
{
    KT_EACH
    for (int j = 0; j < n; j++) {
        const PART one = (PART)f[2 * stride + j], two = (PART)later[2 * stride + j], share = two / (one + two);
        const A    apart = later[j] - f[j];
        f[j] += apart * share;
        f[stride + j] += later[stride + j] + FN(squared)(apart) * (one * share);
        f[2 * stride + j] = one + two;
    }
}

KT_ALWAYS void FN(spread)(const FN(reduced) *r, A *f, int stride, int n, bool root)
{
    const double freedom = r->count > r->param ? r->count - r->param : 0;
    for (int j = 0; j < n; j++) {
        const A    mean = r->count == 0 ? (A)NAN : f[j];
        const PART var = (PART)f[stride + j] / freedom;
        f[j] = root ? __builtin_sqrt(var) : var;
        f[stride + j] = mean;
    }
}

static void FN(end_var)(const FN(reduced) *r, A *f, int stride, int n) { FN(spread)(r, f, stride, n, false); }
static void FN(end_std)(const FN(reduced) *r, A *f, int stride, int n) { FN(spread)(r, f, stride, n, true); }
#endif

/* ---- log(sum(exp)): the greatest value, and the sum of the powers of e relative to it ---- */
#if !KT_IS_INTEGER && !KT_IS_COMPLEX
KT_ALWAYS A FN(origin_of)(A greatest) { return greatest - greatest == 0 ? greatest : 0; } /* infinities and NaN: none */

static void FN(take_logsumexp)(const FN(piece) *p, A *f, int stride)
{
    A *origin = f + 2 * stride;
    FN(fold_max)(p, f, NULL);
    for (int j = 0; j < FN(results)(p); j++)
        origin[j] = FN(origin_of)(f[j]);
    FN(fold_exps)(p, f + stride, origin);
}

static void FN(join_logsumexp)(A *f, const A *later, int stride, int n)
{
    for (int j = 0; j < n; j++) {
        const A one = FN(origin_of)(f[j]), two = FN(origin_of)(later[j]), s1 = f[stride + j], s2 = later[stride + j];
        FN(merge_max)(f + j, later + j, 1);
        const A all = FN(origin_of)(f[j]);
        f[stride + j] = (s1 == 0 ? 0 : s1 * exp(one - all)) + (s2 == 0 ? 0 : s2 * exp(two - all));
    }
}

static void FN(end_logsumexp)(const FN(reduced) *r, A *f, int stride, int n)
{
    (void)r;
    for (int j = 0; j < n; j++)
        f[j] = FN(origin_of)(f[j]) + log(f[stride + j]);
}
#endif

/* ---- the table ---- */
#define OP(name, takes, joins, count, ends, ...) \
    [KT__PLACE_OF(KT_K_##name)] = {.take = FN(takes), .join = FN(joins), .fields = count, .end = ends, __VA_ARGS__},
static const FN(op) FN(ops)[] = {
    /* kernel         take            join         fields  end */
    OP(sum,           take_sum,       join_sum,       1, NULL)
    OP(prod,          take_prod,      join_prod,      1, NULL, .zero = {1})
    OP(any,           take_any,       join_sum,       1, FN(end_any), .keeps = true, .stops = true)
    OP(all,           take_all,       join_sum,       1, FN(end_all), .keeps = true, .stops = true)
    OP(count_nonzero, take_nonzero,   join_sum,       1, NULL, .whole = 1)
#if !KT_IS_COMPLEX
    OP(amax,          take_max,       join_max,       1, NULL, .zero = {LOWEST})
    OP(amin,          take_min,       join_min,       1, NULL, .zero = {HIGHEST})
    OP(aminmax,       take_aminmax,   join_aminmax,   2, NULL, .zero = {HIGHEST, LOWEST})
    OP(argmax,        take_argmax,    join_argmax,    2, FN(end_arg), .zero = {LOWEST}, .whole = 1, .keeps = true)
    OP(argmin,        take_argmin,    join_argmin,    2, FN(end_arg), .zero = {HIGHEST}, .whole = 1, .keeps = true)
    OP(max_with_index,      take_argmax,    join_argmax,    2, NULL, .zero = {LOWEST}, .whole = 2, .keeps = true)
    OP(min_with_index,      take_argmin,    join_argmin,    2, NULL, .zero = {HIGHEST}, .whole = 2, .keeps = true)
#endif
#if !KT_IS_INTEGER
    OP(nansum,        take_nansum,    join_sum,       1, NULL)
    OP(mean,          take_sum,       join_sum,       1, FN(end_mean))
    OP(nanmean,       take_nanmean,   join_nanmean,   2, FN(end_nanmean))
    OP(norm,          take_powers,    join_sum,       1, FN(end_powers))
    OP(var,           take_var,       join_var,       3, FN(end_var))
    OP(std,           take_var,       join_var,       3, FN(end_std))
#endif
#if !KT_IS_INTEGER && !KT_IS_COMPLEX
    OP(logsumexp,     take_logsumexp, join_logsumexp, 2, FN(end_logsumexp), .zero = {-INFINITY})
#endif
};
#undef OP

#if !KT_IS_INTEGER
static const FN(op) FN(norm0)   = {.take = FN(take_nonzero), .join = FN(join_sum), .fields = 1};
static const FN(op) FN(norm1)   = {.take = FN(take_norm1), .join = FN(join_sum), .fields = 1};
static const FN(op) FN(norm2)   = {.take = FN(take_norm2), .join = FN(join_sum), .fields = 1, .end = FN(end_norm2)};
static const FN(op) FN(highest) = {.take = FN(take_largest), .join = FN(join_largest), .fields = 1};
static const FN(op) FN(lowest)  = {
    .take = FN(take_smallest), .join = FN(join_smallest), .fields = 1, .zero = {INFINITY}};

static const FN(op) *FN(norm_of)(double p)
{
    return p == 0           ? &FN(norm0)
           : p == 1         ? &FN(norm1)
           : p == 2         ? &FN(norm2)
           : p == INFINITY  ? &FN(highest)
           : p == -INFINITY ? &FN(lowest)
                            : &FN(ops)[KT__PLACE_OF(KT_K_norm)];
}
#endif

static bool FN(reduces)(kt_kernel_id kernel)
{
    const unsigned place = KT__PLACE_OF(kernel);
    return KT__FAMILY_OF(kernel) == KT_FAMILY_reduce && place < sizeof FN(ops) / sizeof *FN(ops) && FN(ops)[place].take != NULL;
}
