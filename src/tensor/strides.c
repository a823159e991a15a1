/* strides.c - arithmetic on sizes and strides: density, memory formats, overlap, and whether a reshape needs a copy. Pure
 * functions over integers; no tensor is made here. */
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "tensor/tensor.h"

/* The error for a shape whose element count is invalid. */
static KT__COLD kt_status fail_count(kt_shape shape, const char *overflow)
{
    char text[256];
    if (shape.n < 0 || (shape.n && !shape.d))
        return kt_fail(KT_ERR_VALUE, "a shape of %lld dims without sizes", (long long)shape.n);
    if (kt__check_rank(shape))
        return kt_error_status();
    kt__shape_text(text, sizeof text, shape);
    for (int64_t i = 0; i < shape.n; i++)
        if (shape.d[i] < 0)
            return kt_fail(KT_ERR_RUNTIME, "Trying to create tensor with negative dimension %lld: %s", (long long)shape.d[i],
                           text);
    return overflow ? kt_fail(KT_ERR_RUNTIME, "%s", overflow)
                    : kt_fail(KT_ERR_RUNTIME, "Storage size calculation overflowed with sizes=%s", text);
}

/* Multiplied from the left, as in PyTorch: a 0 after an overflow does not undo it. */
static inline kt_status count(kt_shape shape, const char *overflow, int64_t *numel)
{
    uint64_t n = 1;
    bool     wrong = false;
    if (KT__UNLIKELY((uint64_t)shape.n > KT_MAX_DIMS || (shape.n && !shape.d)))
        return fail_count(shape, overflow);
    for (int64_t i = 0; i < shape.n; i++)
        wrong |= shape.d[i] < 0 || __builtin_mul_overflow(n, (uint64_t)shape.d[i], &n);
    *numel = (int64_t)n;
    return KT__UNLIKELY(wrong || n > INT64_MAX) ? fail_count(shape, overflow) : KT_OK;
}

KT__HOT kt_status kt__count(kt_shape shape, int64_t *numel) { return count(shape, NULL, numel); }
KT__HOT kt_status kt__count_view(kt_shape shape, int64_t *numel)
{
    return count(shape, "numel: integer multiplication overflow", numel);
}

/* In a non-empty tensor the element count bounds every stride. */
kt_status kt__check_strides(kt_shape shape)
{
    int64_t step = 1;
    for (int64_t i = shape.n - 1; i > 0; i--)
        if (__builtin_mul_overflow(step, shape.d[i] > 1 ? shape.d[i] : 1, &step))
            return kt_fail(KT_ERR_RUNTIME, "Stride calculation overflowed");
    return KT_OK;
}

void kt__dense_strides(kt_shape shape, int64_t *strides)
{
    int64_t step = 1;
    for (int64_t i = shape.n - 1; i >= 0; i--) {
        strides[i] = step;
        step *= shape.d[i] > 1 ? shape.d[i] : 1;
    }
}

bool kt__format_strides(kt_shape shape, kt_memory_format format, int64_t *strides)
{
    static const int8_t last_2d[] = {1, 3, 2, 0}, last_3d[] = {1, 4, 3, 2, 0};
    if (format != KT_CHANNELS_LAST && format != KT_CHANNELS_LAST_3D) {
        kt__dense_strides(shape, strides);
        return true;
    }
    int64_t       rank = format == KT_CHANNELS_LAST ? 4 : 5;
    const int8_t *order = format == KT_CHANNELS_LAST ? last_2d : last_3d;
    if (shape.n != rank)
        return false;
    int64_t step = 1;
    for (int64_t i = 0; i < rank; i++) {
        strides[order[i]] = step;
        step *= shape.d[order[i]]; /* 0 behind a dim of no element, which the row-major format counts as 1 */
    }
    return true;
}

KT__HOT bool kt__is_row_major(kt_shape shape, kt_shape strides)
{
    int64_t step = 1;
    for (int64_t i = 0; i < shape.n; i++)
        if (shape.d[i] == 0)
            return true;
    for (int64_t i = shape.n - 1; i >= 0; i--) {
        if (shape.d[i] != 1 && strides.d[i] != step)
            return false;
        step *= shape.d[i];
    }
    return true;
}

/* Dims of more than one element, sorted by stride, small to large (insertion sort: ranks are small). */
static int sorted_dims(kt_shape shape, kt_shape strides, uint8_t *order)
{
    int n = 0;
    for (int64_t i = shape.n - 1; i >= 0; i--) {
        if (shape.d[i] == 1)
            continue;
        int at = n++;
        for (; at > 0 && strides.d[order[at - 1]] > strides.d[i]; at--)
            order[at] = order[at - 1];
        order[at] = (uint8_t)i;
    }
    return n;
}

KT__HOT bool kt__is_dense(kt_shape shape, kt_shape strides)
{
    uint8_t order[KT_MAX_DIMS];
    int64_t step = 1;
    for (int64_t i = 0; i < shape.n; i++)
        if (shape.d[i] == 0)
            return true;
    for (int i = 0, n = sorted_dims(shape, strides, order); i < n; i++) {
        if (strides.d[order[i]] != step)
            return false;
        step *= shape.d[order[i]];
    }
    return true;
}

/* ---- the order of dims ---- */

typedef enum standing { STANDS, UNKNOWN, TURNED } standing;

/* Does a dim that stands before another lie outside it, in larger steps? The first tensor with a stride in both says so: a dim of
 * stride 0 is repeated and lies nowhere. Of equal strides the one with fewer elements lies inside. */
static standing compare_dims(const int64_t *sizes, const int64_t *strides, int n, int before, int behind)
{
    for (int i = 0; i < n; i++) {
        const int64_t x = strides[i * KT_MAX_DIMS + before], y = strides[i * KT_MAX_DIMS + behind];
        if (x && y && (x != y || sizes[before] < sizes[behind]))
            return x > y ? STANDS : TURNED;
    }
    return UNKNOWN;
}

/* What no tensor decides, the dims' places do: M. Wiebe, NEP 10, Optimizing iterator/ufunc performance (2010), on axes whose
 * comparison is ambiguous. Dims come from the last to the first. One that stands wrongly before another changes places with it,
 * and goes on from there; those between, which cannot be compared with it, keep theirs. */
bool kt__order_dims(const int64_t *sizes, const int64_t *strides, int n, int rank, uint8_t *order)
{
    bool in_place = true;
    for (int first = rank - 1; first >= 0; first--) {
        int at = first;
        order[at] = (uint8_t)first;
        for (int next = at + 1; next < rank; next++) {
            const standing s = compare_dims(sizes, strides, n, first, order[next]);
            if (s == STANDS)
                break;
            if (s == TURNED) {
                order[at] = order[next];
                order[next] = (uint8_t)first;
                at = next;
                in_place = false;
            }
        }
    }
    return in_place;
}

void kt__strides_in_order(const int64_t *sizes, const uint8_t *order, int rank, int64_t *strides)
{
    int64_t step = 1;
    for (int i = rank - 1; i >= 0; i--) {
        strides[order[i]] = step;
        step *= sizes[order[i]];
    }
}

/* A dense layout is kept; any other is packed in the order of its strides, as PyTorch's preserve_format does. */
void kt__preserved_strides(kt_shape shape, kt_shape strides, int64_t *out)
{
    uint8_t order[KT_MAX_DIMS];
    if (kt__is_dense(shape, strides)) {
        memcpy(out, strides.d, (size_t)shape.n * sizeof(int64_t));
        return;
    }
    kt__order_dims(shape.d, strides.d, 1, (int)shape.n, order);
    kt__strides_in_order(shape.d, order, (int)shape.n, out);
}

KT__HOT bool kt__overlaps_itself(const kt_tensor *t)
{
    if (t->numel <= 1 || kt__is_contiguous(t))
        return false;
    for (int i = 0; i < t->ndim; i++)
        if (t->sizes[i] > 1 && t->strides[i] == 0)
            return true;
    uint8_t order[KT_MAX_DIMS];
    int64_t reach = 0; /* the farthest element reachable by the smaller strides */
    for (int i = 0, n = sorted_dims(kt__sizes(t), kt__strides(t), order); i < n; i++) {
        if (t->strides[order[i]] <= reach)
            return true;
        reach += (t->sizes[order[i]] - 1) * t->strides[order[i]];
    }
    return false;
}

/* ---- do two tensors share an element? ---- */

/* Two elements overlap if a sum of steps, each step[k] taken 0 to most[k] times, equals the distance between the tensors.
 * Steps are the strides of one tensor, those of the other in reverse, and single bytes within the two elements. The
 * search takes the largest step first: for views of one tensor, few counts of a step leave a rest that the smaller ones
 * can reach. */
typedef struct steps {
    int64_t step[2 * KT_MAX_DIMS + 1], most[2 * KT_MAX_DIMS + 1], reach[2 * KT_MAX_DIMS + 2]; /* reach[k]: of steps k and on */
    int     n, tries;
} steps;

static void add_step(steps *s, int64_t step, int64_t most)
{
    int at = s->n;
    if (step == 0 || most == 0)
        return;
    while (at > 0 && s->step[at - 1] < step)
        at--;
    if (at > 0 && s->step[at - 1] == step) {
        s->most[at - 1] += most;
        return;
    }
    for (int i = s->n++; i > at; i--) {
        s->step[i] = s->step[i - 1];
        s->most[i] = s->most[i - 1];
    }
    s->step[at] = step;
    s->most[at] = most;
}

static bool reaches(steps *s, int at, int64_t distance)
{
    if (distance < 0 || distance > s->reach[at])
        return false;
    if (at == s->n || s->tries-- <= 0) /* search limit reached: report a possible overlap */
        return true;
    int64_t least = distance - s->reach[at + 1], last = distance / s->step[at];
    least = least <= 0 ? 0 : (least + s->step[at] - 1) / s->step[at];
    last = last < s->most[at] ? last : s->most[at];
    for (int64_t k = last; k >= least; k--)
        if (reaches(s, at + 1, distance - k * s->step[at]))
            return true;
    return false;
}

/* Both tensors share a storage and are not empty. Strides are not negative. */
static bool share_elements(const kt_tensor *a, const kt_tensor *b)
{
    steps         s = {.n = 0, .tries = 4096};
    const int64_t item[2] = {(int64_t)kt__itemsize(a), (int64_t)kt__itemsize(b)};
    int64_t       distance = b->data - a->data + item[1] - 1; /* to b's last byte, from which its strides lead back */
    for (int i = 0; i < a->ndim; i++)
        add_step(&s, a->strides[i] * item[0], a->sizes[i] - 1);
    for (int i = 0; i < b->ndim; i++) {
        add_step(&s, b->strides[i] * item[1], b->sizes[i] - 1);
        distance += (b->sizes[i] - 1) * b->strides[i] * item[1];
    }
    add_step(&s, 1, item[0] + item[1] - 2);
    s.reach[s.n] = 0;
    for (int i = s.n - 1; i >= 0; i--)
        s.reach[i] = s.reach[i + 1] + s.most[i] * s.step[i];
    return reaches(&s, 0, distance);
}

KT__HOT kt__overlap kt__overlap_of(const kt_tensor *a, const kt_tensor *b)
{
    if (a == b)
        return KT_OVERLAP_FULL;
    if (a->storage != b->storage || a->numel == 0 || b->numel == 0)
        return KT_OVERLAP_NONE;
    if (a->data == b->data && kt__same_sizes(a, b) && kt__itemsize(a) == kt__itemsize(b)) {
        bool same = true;
        for (int i = 0; i < a->ndim; i++)
            same &= a->sizes[i] == 1 || a->strides[i] == b->strides[i];
        if (same)
            return KT_OVERLAP_FULL;
    }
    uintptr_t        begin[2], end[2];
    const kt_tensor *both[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        int64_t last = 0;
        for (int i = 0; i < both[k]->ndim; i++)
            last += (both[k]->sizes[i] - 1) * both[k]->strides[i];
        begin[k] = (uintptr_t)both[k]->data;
        end[k] = begin[k] + (uintptr_t)(last + 1) * kt__itemsize(both[k]);
    }
    if (end[0] <= begin[1] || end[1] <= begin[0])
        return KT_OVERLAP_NONE;
    /* PyTorch checks dense tensors only: Karat refuses where PyTorch does, and searches for an overlap elsewhere. */
    if (kt__is_dense(kt__sizes(a), kt__strides(a)) && kt__is_dense(kt__sizes(b), kt__strides(b)))
        return KT_OVERLAP_PARTIAL;
    return share_elements(a, b) ? KT_OVERLAP_SOME : KT_OVERLAP_NONE;
}

/* ---- the strides of a view ---- */

/* Dims that are contiguous among themselves, taken as one: its elements, and the step from one to the next. */
typedef struct run {
    int64_t size, step;
} run;

/* The last run first. A dim of one element has no step: it ends no run, and makes none. */
static int runs_of(kt_shape shape, kt_shape strides, run *runs)
{
    int n = 0;
    for (int64_t i = shape.n - 1; i >= 0; i--) {
        if (shape.d[i] == 1)
            continue;
        if (n && strides.d[i] == runs[n - 1].size * runs[n - 1].step)
            runs[n - 1].size *= shape.d[i];
        else
            runs[n++] = (run){shape.d[i], strides.d[i]};
    }
    return n;
}

static bool has_no_element(kt_shape shape)
{
    bool none = false;
    for (int64_t i = 0; i < shape.n; i++)
        none |= shape.d[i] == 0;
    return none;
}

/* An index counts elements with the sizes as its digits: both shapes number a run alike if new dims fill it without a rest. A dim
 * of one element has the step that a larger one would have there. */
bool kt__view_strides(kt_shape from, kt_shape strides, kt_shape to, int64_t *out)
{
    run     runs[KT_MAX_DIMS];
    int64_t step = from.n ? strides.d[from.n - 1] : 1, size = 1, filled = 1; /* of the run that is filled */
    if (has_no_element(from)) {
        if (from.n == to.n && (from.n == 0 || memcmp(from.d, to.d, (size_t)from.n * sizeof(int64_t)) == 0))
            memcpy(out, strides.d, (size_t)from.n * sizeof(int64_t));
        else
            kt__dense_strides(to, out);
        return true;
    }
    const int n = runs_of(from, strides, runs);
    int       next = 0;
    for (int64_t i = to.n - 1; i >= 0; i--) {
        if (filled == size && to.d[i] != 1) {
            if (next == n)
                return false;
            size = runs[next].size;
            step = runs[next++].step;
            filled = 1;
        }
        out[i] = step;
        step *= to.d[i];
        filled *= to.d[i];
        if (filled > size)
            return false;
    }
    return filled == size && next == n;
}

const char *kt__shape_text(char *buffer, size_t size, kt_shape shape)
{
    size_t at = (size_t)snprintf(buffer, size, "[");
    for (int64_t i = 0; i < shape.n && at < size; i++)
        at += (size_t)snprintf(buffer + at, size - at, i ? ", %lld" : "%lld", (long long)shape.d[i]);
    if (at < size)
        snprintf(buffer + at, size - at, "]");
    return buffer;
}
