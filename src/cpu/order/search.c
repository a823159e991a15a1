/* search.c - binary search of values in sorted lines.
 *
 * In: plans of the kernel search. Out: for each value how many boundaries of its line come before it. Unsorted lines and
 * NaNs give what bisection gives: the middle is always begin + (end - begin) / 2. Independent of: tensors, operators. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/kernels.h"
#include "cpu/order/order.h"

typedef struct job {
    const kt_plan *plan;
    kt_dtype       dtype;
    ptrdiff_t      width;
    int64_t        length; /* boundaries of a line */
    bool           past;   /* side="right": equal boundaries come before the value */
    bool           has_nan, narrow;
    uint64_t       nan;
    uint64_t      *key; /* keys of the boundaries if all values share one line; NULL: computed on demand */
} job;

/* The sorter was checked before, but another thread may have written to it since: it is clamped to the line. */
static const char *boundary(const job *j, const char *line, const char *order, int64_t at)
{
    int64_t i = at;
    if (order)
        memcpy(&i, order + at * (int64_t)sizeof i, sizeof i);
    return line + (i < 0 || i >= j->length ? 0 : i) * j->width;
}

static uint64_t key_at(const job *j, const char *line, const char *order, int64_t at)
{
    return j->key ? j->key[at] : kt__order_key(boundary(j, line, order, at), j->dtype);
}

static int64_t place(const job *j, const char *value, const char *line, const char *order)
{
    const uint64_t key = kt__order_key(value, j->dtype);
    const bool     nowhere = j->has_nan && key == j->nan;
    int64_t        begin = 0, end = j->length;
    while (begin < end) {
        const int64_t  middle = begin + (end - begin) / 2;
        const uint64_t there = key_at(j, line, order, middle);
        const bool     known = !nowhere && !(j->has_nan && there == j->nan);
        if (known && (j->past ? there > key : there >= key))
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

static void part(void *ctx, int64_t begin, int64_t end)
{
    const job     *j = ctx;
    const kt_plan *plan = j->plan;
    for (int64_t i = begin; i < end; i++) {
        const int64_t line = i / plan->size[1], at = i % plan->size[1];
        const char   *order = plan->n_in == 3 ? plan->arg[3].data + line * plan->stride[3][0] : NULL;
        const int64_t found = place(j, plan->arg[1].data + line * plan->stride[1][0] + at * plan->stride[1][1],
                                    plan->arg[2].data + line * plan->stride[2][0], order);
        const int32_t narrow = (int32_t)found;
        char         *out = plan->arg[0].data + line * plan->stride[0][0] + at * plan->stride[0][1];
        memcpy(out, j->narrow ? (const void *)&narrow : (const void *)&found, j->narrow ? sizeof narrow : sizeof found);
    }
}

kt_status kt__cpu_search(const kt_plan *plan)
{
    job j = {.plan = plan, .dtype = (kt_dtype)plan->arg[1].is, .length = plan->param[0].v.i, .past = plan->param[1].v.i != 0,
             .narrow = plan->arg[0].is == KT_I32};
    j.width = (ptrdiff_t)kt_dtype_size(j.dtype);
    j.has_nan = kt__order_nan(j.dtype, &j.nan) && !plan->param[2].v.i;
    const bool one_line = plan->stride[2][0] == 0 || plan->size[0] == 1;
    size_t     granted = 0, bytes = (size_t)j.length * sizeof *j.key;
    if (one_line && j.length && j.length < plan->numel) {
        uint64_t *key = kt__block_get(bytes, &granted);
        if (!key)
            return kt__fail_memory(bytes);
        for (int64_t i = 0; i < j.length; i++)
            key[i] = key_at(&j, plan->arg[2].data, plan->n_in == 3 ? plan->arg[3].data : NULL, i);
        j.key = key;
    }
    kt__parallel(plan->numel, KT__GRAIN / 16, part, &j);
    if (j.key)
        kt__block_put(j.key, granted);
    return KT_OK;
}
