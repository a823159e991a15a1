/* rows.c - the order of a matrix's rows, compared column by column.
 *
 * In: plans of the kernel sort rows. Out: the order of the rows. Runs are sorted by insertion and merged: a stable sort.
 * A NaN in a column compares as equal, as in PyTorch. Independent of: tensors, operators. */
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/kernels.h"
#include "cpu/order/order.h"

enum { RUN = 16 };

typedef struct job {
    const kt_plan *plan;
    uint64_t      *key; /* of every element, row by row */
    int64_t        rows, columns;
    bool           has_nan;
    uint64_t       nan;
} job;

static bool before(const job *j, int64_t a, int64_t b)
{
    const uint64_t *x = j->key + a * j->columns, *y = j->key + b * j->columns;
    for (int64_t i = 0; i < j->columns; i++)
        if (x[i] != y[i] && !(j->has_nan && (x[i] == j->nan || y[i] == j->nan)))
            return x[i] < y[i];
    return false;
}

/* A row smaller than the first moves there at once: NaNs in between would stop the insertion. */
static void insert_run(const job *j, int64_t *row, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const int64_t moved = row[i];
        const bool    first = before(j, moved, row[0]);
        int64_t       to = i;
        for (; to > 0 && (first || before(j, moved, row[to - 1])); to--)
            row[to] = row[to - 1];
        row[to] = moved;
    }
}

static void merge(const job *j, const int64_t *from, int64_t *to, int64_t begin, int64_t middle, int64_t end)
{
    int64_t a = begin, b = middle;
    for (int64_t i = begin; i < end; i++)
        to[i] = b == end || (a < middle && !before(j, from[b], from[a])) ? from[a++] : from[b++];
}

/* Returns where the result is. */
static int64_t *sorted(const job *j, int64_t *row, int64_t *room)
{
    const int64_t n = j->rows;
    for (int64_t i = 0; i < n; i++)
        row[i] = i;
    for (int64_t i = 0; i < n; i += RUN)
        insert_run(j, row + i, n - i < RUN ? n - i : RUN);
    for (int64_t length = RUN; length < n; length *= 2) {
        for (int64_t i = 0; i < n; i += 2 * length) {
            const int64_t middle = n - i < length ? n : i + length, end = n - middle < length ? n : middle + length;
            merge(j, row, room, i, middle, end);
        }
        int64_t *swapped = row;
        row = room, room = swapped;
    }
    return row;
}

static void key_part(void *ctx, int64_t begin, int64_t end)
{
    const job      *j = ctx;
    const kt_dtype  dtype = (kt_dtype)j->plan->arg[1].is;
    const ptrdiff_t width = (ptrdiff_t)kt_dtype_size(dtype);
    for (int64_t i = begin; i < end; i++)
        j->key[i] = kt__order_key(j->plan->arg[1].data + i * width, dtype);
}

kt_status kt__cpu_sort_rows(const kt_plan *plan)
{
    job          j = {.plan = plan, .rows = plan->size[0], .columns = plan->size[1]};
    size_t       granted;
    const size_t bytes = ((size_t)plan->numel + 2 * (size_t)j.rows) * sizeof(uint64_t);
    j.key = kt__block_get(bytes, &granted);
    if (!j.key)
        return kt__fail_memory(bytes);
    int64_t *row = (int64_t *)(void *)(j.key + plan->numel);
    j.has_nan = kt__order_nan((kt_dtype)plan->arg[1].is, &j.nan);
    kt__parallel(plan->numel, KT__GRAIN, key_part, &j);
    memcpy(plan->arg[0].data, sorted(&j, row, row + j.rows), (size_t)j.rows * sizeof *row);
    kt__block_put(j.key, granted);
    return KT_OK;
}
