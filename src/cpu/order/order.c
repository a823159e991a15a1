/* order.c - sort, the first of it, k-th values, medians and modes along lines.
 *
 * In: plans of the kernels sort and top (last dim) and of those by rank (the dims in which the outputs have stride 0). Out:
 * elements, byte for byte, and their places. An element becomes an unsigned key of the same order: NaN above everything,
 * the two zeros equal. So one radix sort serves every dtype; it is stable and takes one pass per byte. Short lines, for which
 * that is long, are merged. Independent of: tensors, operators. */
#include "cpu/order/order.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/kernels.h"
#include "math/core.h"
#include "tables/kernels/order.h"

enum { FEW = 48, DIGITS = 256, VALUES = 0, INDICES = 1 };

typedef struct entry {
    uint64_t key;
    int64_t  at;
} entry;

typedef struct job {
    const kt_plan *plan;
    int            in;            /* operand that is read */
    uint64_t       along, outside; /* bit d: dim d belongs to a line, or is one that lines are in */
    int            put;           /* the dim along which the outputs of a line lie */
    int64_t        first;         /* how many of a sorted line are put */
    int64_t        length, lines; /* elements of a line, and how many lines */
    int64_t        room;          /* entries of a line, while it is sorted */
    int            width;         /* bytes of an element */
    int            digits;        /* bytes of a key */
    bool           reversed;      /* the largest first */
    size_t         bytes;         /* of scratch for one line */
    _Atomic bool   no_memory;
} job;

static bool is_sort(const kt_plan *plan) { return plan->kernel == KT_K_sort || plan->kernel == KT_K_top; }

/* ---- keys ---- */

uint64_t kt__order_key(const char *x, kt_dtype dtype) { return kt__order_key_of(x, dtype); }

KT_ALWAYS void key_each(entry *e, const char *raw, int64_t n, int width, kt_dtype dtype, uint64_t flip)
{
    for (int64_t i = 0; i < n; i++)
        e[i] = (entry){kt__order_key_of(raw + i * width, dtype) ^ flip, i};
}

static uint64_t highest_key(int digits) { return digits == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * digits) - 1; }

static int digits_of(kt_dtype dtype)
{
    const int width = kt__dtype_rows[dtype].size;
    return width == 1 && kt__dtype_rows[dtype].category == KT_CAT_FLOAT ? 4 : width;
}

bool kt__order_nan(kt_dtype dtype, uint64_t *key)
{
    *key = highest_key(digits_of(dtype));
    return kt__dtype_rows[dtype].category == KT_CAT_FLOAT;
}

/* ---- order ---- */

static void insert_sorted(entry *e, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const entry moved = e[i];
        int64_t     to = i;
        for (; to > 0 && e[to - 1].key > moved.key; to--)
            e[to] = e[to - 1];
        e[to] = moved;
    }
}

/* Least significant digit first (D. E. Knuth, The Art of Computer Programming 3, section 5.2.5); a digit that all elements share
 * is only counted. Returns where the result is. */
static entry *sort_by_digits(entry *from, entry *to, int64_t n, int digits)
{
    for (int d = 0; d < digits; d++) {
        int64_t count[DIGITS] = {0}, start = 0;
        for (int64_t i = 0; i < n; i++)
            count[from[i].key >> 8 * d & 255]++;
        if (count[from[0].key >> 8 * d & 255] == n)
            continue;
        for (int i = 0; i < DIGITS; i++) {
            const int64_t here = count[i];
            count[i] = start;
            start += here;
        }
        for (int64_t i = 0; i < n; i++)
            to[count[from[i].key >> 8 * d & 255]++] = from[i];
        entry *swapped = from;
        from = to, to = swapped;
    }
    return from;
}

/* ---- short lines of keys of at most 32 bits ----
 * A key above its place is one number, no two are equal, and any order is stable. No branch depends on a number. */
enum { RUN = 8, PLACE = 16 };

/* Each of a few to its place, which the others tell. */
static void rank_few(uint64_t *to, const uint64_t *from, int n)
{
    for (int i = 0; i < n; i++) {
        const uint64_t one = from[i];
        int            rank = 0;
        for (int j = 0; j < n; j++)
            rank += from[j] < one;
        to[rank] = one;
    }
}

/* Two sorted runs of n, one behind the other, from both ends at once: neither end can reach beyond a run, so that nothing is
 * asked but the numbers. */
static void merge_runs(uint64_t *to, const uint64_t *a, int64_t n)
{
    const uint64_t *b = a + n, *a_last = b - 1, *b_last = b + n - 1;
    uint64_t       *last = to + 2 * n - 1;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t low_a = *a, low_b = *b, high_a = *a_last, high_b = *b_last;
        const int64_t  from_b = low_b < low_a, from_a = high_b < high_a;
        *to++ = low_b < low_a ? low_b : low_a;
        *last-- = high_b < high_a ? high_a : high_b;
        b += from_b, a += 1 - from_b;
        a_last -= from_a, b_last -= 1 - from_a;
    }
}

/* Runs of at most RUN elements, and how often they double until one holds n. */
static int64_t run_of(int64_t n, int *doublings)
{
    *doublings = 0;
    while (n > (int64_t)RUN << *doublings)
        ++*doublings;
    return (n + ((int64_t)1 << *doublings) - 1) >> *doublings;
}

/* Both have room for all runs; what is added to the last stands last. Returns where the result is. */
static uint64_t *sort_by_merging(uint64_t *from, uint64_t *to, int64_t n)
{
    int           doublings;
    const int64_t run = run_of(n, &doublings), all = run << doublings;
    for (int64_t i = n; i < all; i++)
        from[i] = UINT64_MAX - (uint64_t)(all - i); /* above all others, and no two are equal */
    for (int64_t i = 0; i < all; i += run)
        rank_few(to + i, from + i, (int)run);
    for (int64_t sorted = run; sorted < all; sorted *= 2) {
        uint64_t *swapped = from;
        from = to, to = swapped;
        for (int64_t i = 0; i < all; i += 2 * sorted)
            merge_runs(to + i, from + i, sorted);
    }
    return to;
}

/* The fewer digits, the fewer passes of the other sort. */
static bool is_merged(int64_t n, int digits) { return n <= (digits > 4 ? 0 : digits > 2 ? 128 : digits > 1 ? 32 : 16); }

/* Entries that the sort of n needs room for. */
static int64_t room_for(int64_t n, int digits)
{
    int           doublings;
    const int64_t run = run_of(n, &doublings);
    return is_merged(n, digits) ? run << doublings : n;
}

/* `room` has an entry, and so two numbers, for each of `all`. */
static entry *merged(entry *e, entry *room, int64_t n, int64_t all)
{
    uint64_t *numbers = (uint64_t *)room;
    for (int64_t i = 0; i < n; i++)
        numbers[i] = e[i].key << PLACE | (uint64_t)i;
    numbers = sort_by_merging(numbers, numbers + all, n);
    for (int64_t i = 0; i < n; i++)
        e[i] = (entry){numbers[i] >> PLACE, (int64_t)(numbers[i] & ((1u << PLACE) - 1))};
    return e;
}

static entry *sorted(entry *e, entry *room, int64_t n, int digits)
{
    if (is_merged(n, digits))
        return merged(e, room, n, room_for(n, digits));
    if (n > FEW)
        return sort_by_digits(e, room, n, digits);
    insert_sorted(e, n);
    return e;
}

/* ---- ranks, in a sorted line ---- */

static const entry *first_of_its_kind(const entry *e, int64_t rank)
{
    while (rank > 0 && e[rank - 1].key == e[rank].key)
        rank--;
    return &e[rank];
}

static const entry *median_of(const job *j, const entry *e, int64_t n, bool skip_nans)
{
    const kt_operand *in = &j->plan->arg[j->in];
    const uint64_t    nan = highest_key(j->digits);
    int64_t           numbers = n;
    if (kt__dtype_rows[in->is].category == KT_CAT_FLOAT)
        while (numbers > 0 && e[numbers - 1].key == nan)
            numbers--;
    if (numbers < n && (!skip_nans || numbers == 0))
        return &e[numbers];
    return first_of_its_kind(e, (numbers - 1) / 2);
}

/* NaN equals no element, not even another NaN. Of equally frequent elements the smallest; NaN only if the line begins
 * with one. */
static const entry *most_frequent(const job *j, const entry *e, int64_t n)
{
    uint64_t   nan;
    const bool has_nan = kt__order_nan((kt_dtype)j->plan->arg[j->in].is, &nan) && e[n - 1].key == nan;
    int64_t    best = 0, longest = 0;
    for (int64_t i = 0, begin = 0; i < n; i++) {
        if (e[i].key != e[begin].key || (has_nan && e[i].key == nan))
            begin = i;
        if (i - begin + 1 > longest)
            longest = i - begin + 1, best = i;
    }
    const entry *first_nan = has_nan && longest == 1 ? first_of_its_kind(e, n - 1) : NULL;
    return first_nan && first_nan->at == 0 ? first_nan : &e[best];
}

static const entry *ranked(const job *j, const entry *e)
{
    const int64_t n = j->length;
    switch (j->plan->kernel) {
    case KT_K_kthvalue:       return first_of_its_kind(e, j->plan->param[0].v.i - 1);
    case KT_K_median:
    case KT_K_median_with_index:    return median_of(j, e, n, false);
    case KT_K_nanmedian:
    case KT_K_nanmedian_with_index: return median_of(j, e, n, true);
    default:                  return most_frequent(j, e, n);
    }
}

/* ---- lines ---- */

/* The offset of a line in operand i, or of an element in a line: row-major over the dims outside or inside of lines. */
static ptrdiff_t offset(const job *j, int operand, int64_t index, bool inside)
{
    ptrdiff_t at = 0;
    for (int d = j->plan->nd - 1; d >= 0; d--)
        if ((inside ? j->along : j->outside) >> d & 1) {
            at += index % j->plan->size[d] * j->plan->stride[operand][d];
            index /= j->plan->size[d];
        }
    return at;
}

static void gather(const job *j, const char *from, char *raw)
{
    const kt_plan *plan = j->plan;
    const int      last = plan->nd - 1;
    const bool     one_dim = last >= 0 && j->along == UINT64_C(1) << last; /* no dim: one element */
    const bool     dense = one_dim && plan->stride[j->in][last] == j->width;
    if (dense)
        memcpy(raw, from, (size_t)(j->length * j->width));
    for (int64_t i = 0; i < j->length && !dense; i++)
        memcpy(raw + i * j->width, from + (one_dim ? i * plan->stride[j->in][last] : offset(j, j->in, i, true)),
               (size_t)j->width);
    if (plan->arg[j->in].bits & KT_BIT_NEG) {
        const kt_dtype dtype = (kt_dtype)plan->arg[j->in].is;
        double         x;
        for (int64_t i = 0; i < j->length; i++) {
            kt__convert(&x, KT_F64, 8, raw + i * j->width, dtype, 0, 1);
            x = -x;
            kt__convert(raw + i * j->width, dtype, 0, &x, KT_F64, 8, 1);
        }
    }
}

/* A policy may permit targets of other dtypes than the operand's and int64. */
KT_ALWAYS void put(const job *j, const entry *e, const char *raw, char *value, char *index)
{
    const kt_dtype from = (kt_dtype)j->plan->arg[j->in].is, to = (kt_dtype)j->plan->arg[VALUES].is;
    if (to == from)
        memcpy(value, raw + e->at * j->width, (size_t)j->width);
    else
        kt__convert(value, to, 0, raw + e->at * j->width, from, 0, 1);
    if (index && j->plan->arg[INDICES].is == KT_I64)
        memcpy(index, &e->at, sizeof e->at);
    else if (index)
        kt__convert(index, (kt_dtype)j->plan->arg[INDICES].is, 0, &e->at, KT_I64, 0, 1);
}

static void put_sorted(const job *j, const entry *e, const char *raw, char *values, char *indices)
{
    const ptrdiff_t step = j->plan->stride[VALUES][j->put], index_step = j->plan->stride[INDICES][j->put];
    const kt_operand *to = j->plan->arg;
    const bool        usual = j->width == 4 && to[VALUES].is == to[j->in].is && to[INDICES].is == KT_I64;
    for (int64_t i = 0; i < j->first && usual; i++) {
        memcpy(values + i * step, raw + e[i].at * 4, 4);
        memcpy(indices + i * index_step, &e[i].at, sizeof e[i].at);
    }
    for (int64_t i = 0; i < j->first && !usual; i++)
        put(j, &e[i], raw, values + i * step, indices + i * index_step);
}

static void part(void *ctx, int64_t begin, int64_t end)
{
    job           *j = ctx;
    const kt_plan *plan = j->plan;
    entry         *e = kt__system_get(j->bytes);
    if (!e) {
        atomic_store(&j->no_memory, true);
        return;
    }
    entry         *room = e + j->room;
    char          *raw = (char *)(room + j->room);
    const uint64_t flip = j->reversed ? highest_key(j->digits) : 0;
    for (int64_t line = begin; line < end; line++) {
        gather(j, plan->arg[j->in].data + offset(j, j->in, line, false), raw);
        key_each(e, raw, j->length, j->width, (kt_dtype)plan->arg[j->in].is, flip);
        const entry *order = sorted(e, room, j->length, j->digits);
        char        *values = plan->arg[VALUES].data + offset(j, VALUES, line, false);
        char        *indices = j->in > 1 ? plan->arg[INDICES].data + offset(j, INDICES, line, false) : NULL;
        if (is_sort(plan)) {
            put_sorted(j, order, raw, values, indices);
            continue;
        }
        put(j, ranked(j, order), raw, values, indices);
    }
    kt__system_put(e, j->bytes);
}

/* A dim of which the output has one element only belongs to the line. */
static void find_lines(job *j)
{
    const kt_plan *plan = j->plan;
    for (int d = 0; d < plan->nd; d++)
        if (is_sort(plan) ? d == plan->nd - 1 : plan->stride[VALUES][d] == 0)
            j->along |= UINT64_C(1) << d;
        else
            j->outside |= UINT64_C(1) << d;
    j->put = plan->nd - 1;
    if (plan->kernel == KT_K_top)
        j->outside &= ~(UINT64_C(1) << --j->put);
    j->length = 1;
    for (int d = 0; d < plan->nd; d++)
        j->length *= j->along >> d & 1 ? plan->size[d] : 1;
    j->lines = plan->numel / j->length;
    j->first = plan->kernel == KT_K_top ? plan->size[j->put] : j->length;
}

kt_status kt__cpu_order(const kt_plan *plan)
{
    job j = {.plan = plan, .in = plan->n_out};
    const kt_dtype dtype = (kt_dtype)plan->arg[j.in].is;
    find_lines(&j);
    j.width = kt__dtype_rows[dtype].size;
    j.digits = digits_of(dtype);
    j.reversed = is_sort(plan) && plan->param[0].v.i;
    j.room = room_for(j.length, j.digits);
    j.bytes = (size_t)j.room * 2 * sizeof(entry) + (size_t)j.length * (size_t)j.width;
    if (plan->numel <= KT__GRAIN)
        part(&j, 0, j.lines);
    else
        kt__parallel(j.lines, 1 + KT__GRAIN / j.length, part, &j);
    return j.no_memory ? kt__fail_memory(j.bytes) : KT_OK;
}
