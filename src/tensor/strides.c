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
        step *= shape.d[order[i]] > 1 ? shape.d[order[i]] : 1;
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

/* A dense layout is kept; any other is packed in the order of its strides, as PyTorch's preserve_format does. */
void kt__preserved_strides(kt_shape shape, kt_shape strides, int64_t *out)
{
    if (kt__is_dense(shape, strides)) {
        memcpy(out, strides.d, (size_t)shape.n * sizeof(int64_t));
        return;
    }
    uint8_t perm[KT_MAX_DIMS];
    int     n = (int)shape.n;
    for (int i = 0; i < n; i++)
        perm[i] = (uint8_t)(n - 1 - i);
    for (int i = 1; i < n; i++)
        for (int later = i, earlier = i - 1; earlier >= 0; earlier--) {
            int64_t s0 = strides.d[perm[earlier]], s1 = strides.d[perm[later]];
            if (s0 == 0 || s1 == 0)
                continue; /* a broadcast dim (stride 0) has no order: it keeps its position */
            if (s0 < s1 || (s0 == s1 && shape.d[perm[earlier]] <= shape.d[perm[later]]))
                break;
            uint8_t swap = perm[earlier];
            perm[earlier] = perm[later];
            perm[later] = swap;
            later = earlier;
        }
    int64_t step = 1;
    for (int i = 0; i < n; i++) {
        out[perm[i]] = step;
        step *= shape.d[perm[i]] > 1 ? shape.d[perm[i]] : 1;
    }
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

/* The strides of a view with sizes `to` and the same elements in the same order; false where a copy is needed. Works on
 * runs of dims that are contiguous among themselves: each run of the old shape must split evenly into new dims. */
bool kt__view_strides(kt_shape from, kt_shape strides, kt_shape to, int64_t *out)
{
    int64_t numel = 1;
    for (int64_t i = 0; i < from.n; i++)
        numel *= from.d[i];
    if (numel == 0) {
        if (from.n == to.n && (from.n == 0 || memcmp(from.d, to.d, (size_t)from.n * sizeof(int64_t)) == 0))
            memcpy(out, strides.d, (size_t)from.n * sizeof(int64_t));
        else
            kt__dense_strides(to, out);
        return true;
    }
    int64_t next = to.n - 1, run = 1, step = from.n ? strides.d[from.n - 1] : 1;
    for (int64_t i = from.n - 1; i >= 0; i--) {
        run *= from.d[i];
        bool ends = i == 0 || (from.d[i - 1] != 1 && strides.d[i - 1] != run * step);
        if (!ends)
            continue;
        int64_t filled = 1;
        while (next >= 0 && (filled < run || to.d[next] == 1)) {
            out[next] = filled * step;
            filled *= to.d[next--];
        }
        if (filled != run)
            return false;
        if (i > 0) {
            step = strides.d[i - 1];
            run = 1;
        }
    }
    while (next >= 0) {
        if (to.d[next] != 1)
            return false;
        out[next--] = 1;
    }
    return true;
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
