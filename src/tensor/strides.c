/* strides.c - arithmetic on sizes and strides: density, formats, overlap, and whether a reshape needs a copy.
 * Pure functions over integers; no tensor is made here. */
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "tensor/tensor.h"

kt_status kt__count(kt_shape shape, int64_t *numel)
{
    int64_t n = 1;
    bool    empty = false;
    if (shape.n < 0 || (shape.n && !shape.d))
        return kt_fail(KT_ERR_VALUE, "a shape of %lld dims without sizes", (long long)shape.n);
    for (int64_t i = 0; i < shape.n; i++) {
        if (shape.d[i] < 0) {
            char text[256];
            kt__shape_text(text, sizeof text, shape);
            return kt_fail(KT_ERR_RUNTIME, "Trying to create tensor with negative dimension %lld: %s",
                           (long long)shape.d[i], text);
        }
        empty |= shape.d[i] == 0;
    }
    for (int64_t i = 0; i < shape.n && !empty; i++)
        if (__builtin_mul_overflow(n, shape.d[i], &n)) {
            char text[256];
            kt__shape_text(text, sizeof text, shape);
            return kt_fail(KT_ERR_RUNTIME, "Storage size calculation overflowed with sizes=%s", text);
        }
    *numel = empty ? 0 : n;
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

bool kt__is_row_major(kt_shape shape, kt_shape strides)
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

bool kt__is_dense(kt_shape shape, kt_shape strides)
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

/* A dense layout is kept as it is; any other is packed in the order of its strides, as PyTorch's preserve_format does. */
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
                continue; /* a broadcast dim is ambiguous: it stays where it is */
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

bool kt__overlaps_itself(const kt_tensor *t)
{
    if (t->numel <= 1 || kt__is_contiguous(t))
        return false;
    for (int i = 0; i < t->ndim; i++)
        if (t->sizes[i] > 1 && t->strides[i] == 0)
            return true;
    uint8_t order[KT_MAX_DIMS];
    int64_t reach = 0; /* the farthest element that the smaller strides can get to */
    for (int i = 0, n = sorted_dims(kt__sizes(t), kt__strides(t), order); i < n; i++) {
        if (t->strides[order[i]] <= reach)
            return true;
        reach += (t->sizes[order[i]] - 1) * t->strides[order[i]];
    }
    return false;
}

kt__overlap kt__overlap_of(const kt_tensor *a, const kt_tensor *b)
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
    /* Interleaved columns of one matrix share a span but no element: telling that apart is cheap only when both are dense. */
    bool dense = kt__is_dense(kt__sizes(a), kt__strides(a)) && kt__is_dense(kt__sizes(b), kt__strides(b));
    return dense ? KT_OVERLAP_PARTIAL : KT_OVERLAP_NONE;
}

/* The strides under which the same elements, in the same order, have the sizes `to`; false where only a copy can do it.
 * Works on runs of dims that are contiguous among themselves: each run of the old shape must split evenly into new dims. */
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

void kt__shape_text(char *buffer, size_t size, kt_shape shape)
{
    size_t at = (size_t)snprintf(buffer, size, "[");
    for (int64_t i = 0; i < shape.n && at < size; i++)
        at += (size_t)snprintf(buffer + at, size - at, i ? ", %lld" : "%lld", (long long)shape.d[i]);
    if (at < size)
        snprintf(buffer + at, size - at, "]");
}
