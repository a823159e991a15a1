/* walk.c - iterates over the rows of a plan, and chooses how its result is written. In: a plan, a size. Out: a call for
 * each row; prefetching or streaming stores. Independent of: dtypes, kernels. */
#include "cpu/kernels.h"

#include <unistd.h>

enum {
    OWN_CACHE = 1 << 20,   /* bytes that a core's own caches hold: no prefetch needed */
    LAST_CACHE = 32 << 20, /* if the system does not report it */
    /* aarch64's own prefetch keeps up, and lines that are written whole are not read first: to ask takes a quarter longer. */
#ifdef __aarch64__
    ASKS_FOR_LINES = 0,
#else
    ASKS_FOR_LINES = 1,
#endif
};

/* Half of the last-level cache, which other cores share. Queried once: it takes microseconds. */
static int64_t kept_by_last_cache(void)
{
    static int64_t known;
    int64_t        bytes = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (bytes == 0) {
#ifdef _SC_LEVEL3_CACHE_SIZE
        bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
        bytes = (bytes > 0 ? bytes : LAST_CACHE) / 2;
        __atomic_store_n(&known, bytes, __ATOMIC_RELAXED);
    }
    return bytes;
}

kt__writing kt__writing_by_bytes(int64_t written, int64_t touched)
{
    if (written < OWN_CACHE || !ASKS_FOR_LINES)
        return KT__WRITE_PLAIN;
    return touched <= kept_by_last_cache() ? KT__WRITE_FETCHED : KT__WRITE_PAST;
}

kt__writing kt__writing_of(const kt_plan *plan, ptrdiff_t step)
{
    const int64_t width = kt__dtype_rows[plan->arg[0].is].size;
    int64_t       touched = 0;
    if (step != width)
        return KT__WRITE_PLAIN;
    for (int i = 0; i < plan->n_out + plan->n_in; i++)
        touched += plan->arg[i].immediate ? 0 : plan->numel * kt__dtype_rows[plan->arg[i].is].size;
    return kt__writing_by_bytes(plan->numel * width, touched);
}

ptrdiff_t kt__fetched_of(const kt_plan *plan, int i, ptrdiff_t step, kt__writing writing)
{
    const ptrdiff_t width = kt__dtype_rows[plan->arg[i].is].size;
    return writing != KT__WRITE_PLAIN && step == width ? width : 0;
}

/* The last dim, or the longest if it is short: each row has a cost. */
static int pick_inner(const kt_plan *plan)
{
    int inner = plan->nd - 1;
    if (plan->size[inner] >= 16)
        return inner;
    for (int d = plan->nd - 2; d >= 0; d--)
        if (plan->size[d] > 2 * plan->size[inner])
            inner = d;
    return inner;
}

void kt__rows_of(kt__rows *rows, const kt_plan *plan)
{
    rows->plan = plan;
    rows->n_op = plan->n_out + plan->n_in;
    rows->inner = plan->nd == 0 ? -1 : pick_inner(plan);
    rows->length = plan->nd == 0 ? 1 : plan->size[rows->inner];
    for (int i = 0; i < rows->n_op; i++) {
        rows->step[i] = plan->nd == 0 || plan->arg[i].immediate ? 0 : plan->stride[i][rows->inner];
        rows->base[i] = plan->arg[i].immediate ? (char *)plan->imm[i].bytes : plan->arg[i].data;
    }
}

void kt__rows_in_order(kt__rows *rows, const kt_plan *plan)
{
    kt__rows_of(rows, plan);
    if (plan->nd == 0)
        return;
    rows->inner = plan->nd - 1;
    rows->length = plan->size[rows->inner];
    for (int i = 0; i < rows->n_op; i++)
        rows->step[i] = plan->arg[i].immediate ? 0 : plan->stride[i][rows->inner];
}

void kt__rows_walk(const kt__rows *rows, int64_t begin, int64_t end, kt__row_fn *fn, void *ctx)
{
    const kt_plan *plan = rows->plan;
    const int      inner = rows->inner;
    char          *at[KT_MAX_OPERANDS];
    int64_t        index[KT_MAX_DIMS];
    for (int i = 0; i < rows->n_op; i++)
        at[i] = rows->base[i];
    if (begin >= end)
        return;
    int64_t row = begin / rows->length, offset = begin % rows->length;
    for (int d = plan->nd - 1; d >= 0; d--) {
        if (d == inner)
            continue;
        index[d] = row % plan->size[d];
        row /= plan->size[d];
        for (int i = 0; i < rows->n_op && index[d] != 0; i++)
            at[i] += plan->arg[i].immediate ? 0 : index[d] * plan->stride[i][d];
    }
    for (;;) {
        char         *here[KT_MAX_OPERANDS];
        const int64_t left = rows->length - offset, n = left < end - begin ? left : end - begin;
        for (int i = 0; i < rows->n_op; i++)
            here[i] = at[i] + offset * rows->step[i];
        fn(ctx, here, n, begin);
        begin += n, offset = 0;
        if (begin >= end)
            return;
        for (int d = plan->nd - 1; d >= 0; d--) {
            if (d == inner)
                continue;
            const bool carry = ++index[d] == plan->size[d];
            for (int i = 0; i < rows->n_op; i++)
                at[i] += plan->arg[i].immediate ? 0
                         : carry                ? -(plan->size[d] - 1) * plan->stride[i][d]
                                                : plan->stride[i][d];
            if (!carry)
                break;
            index[d] = 0;
        }
    }
}
