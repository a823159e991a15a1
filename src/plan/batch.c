/* batch.c - see batch.h. */
#include "plan/batch.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "plan/fallback.h"
#include "tensor/work.h"

enum {
    GRAIN = 32768,      /* elements that are worth a second thread */
    LARGE = 4 * GRAIN,  /* a plan of so many is split by its own kernel */
    FIRST_ITEMS = 32
};

struct kt__batched {
    kt_tensor *on;
    size_t     at;    /* in `packed` */
    int64_t    numel;
    int64_t    begin; /* elements of the plans before it that go together */
};

/* ---- adding ---- */

static void *grown(void *old, size_t used, size_t *bytes, size_t wanted)
{
    size_t size = *bytes ? *bytes : FIRST_ITEMS * sizeof(struct kt__batched);
    while (size < wanted)
        size *= 2;
    void *made = kt__system_get(size);
    if (!made) {
        kt__fail_memory(size);
        return NULL;
    }
    if (used)
        memcpy(made, old, used);
    kt__system_put(old, *bytes);
    *bytes = size;
    return made;
}

kt_status kt__batch_add(kt__batch *b, const kt_plan *plan, kt_tensor *on)
{
    const size_t bytes = kt_plan_bytes(plan);
    if (b->n == b->room) {
        size_t have = (size_t)b->room * sizeof *b->item;
        void  *made = grown(b->item, have, &have, (size_t)(b->n + 1) * sizeof *b->item);
        if (!made)
            return kt_error_status();
        b->item = made;
        b->room = (int64_t)(have / sizeof *b->item);
    }
    if (b->used + bytes > b->bytes) {
        void *made = grown(b->packed, b->used, &b->bytes, b->used + bytes);
        if (!made)
            return kt_error_status();
        b->packed = made;
    }
    kt_plan_pack(b->packed + b->used, plan);
    b->item[b->n++] = (struct kt__batched){.on = on, .at = b->used, .numel = plan->numel};
    b->used += bytes;
    return KT_OK;
}

void kt__batch_free(kt__batch *b)
{
    kt__system_put(b->item, (size_t)b->room * sizeof *b->item);
    kt__system_put(b->packed, b->bytes);
    *b = (kt__batch){.n = 0};
}

/* ---- may plans change places? ---- */

typedef struct span {
    const char *low, *high;
    int64_t     plan;
    bool        written;
} span;

static int by_address(const void *a, const void *b)
{
    const char *x = ((const span *)a)->low, *y = ((const span *)b)->low;
    return (x > y) - (x < y);
}

/* Sorted spans: does one plan write what another reads or writes? Of what was read so far the end counts, and whose it was; what
 * several plans read is nobody's. */
static bool meets(const span *s, int64_t n)
{
    enum { NOBODY = -1 };
    const char *written = NULL, *read = NULL;
    int64_t     writer = NOBODY, reader = NOBODY;
    for (int64_t i = 0; i < n; i++) {
        const bool in_written = s[i].low < written, in_read = s[i].low < read;
        if ((in_written && s[i].plan != writer) || (in_read && s[i].written && s[i].plan != reader))
            return true;
        if (s[i].written) {
            writer = s[i].plan;
            written = !in_written || s[i].high > written ? s[i].high : written;
        } else {
            reader = !in_read || s[i].plan == reader ? s[i].plan : NOBODY;
            read = !in_read || s[i].high > read ? s[i].high : read;
        }
    }
    return false;
}

/* Without memory to find out, they may not. */
static bool apart(const kt__batch *b)
{
    const size_t bytes = (size_t)b->n * KT_MAX_OPERANDS * sizeof(span);
    span        *s = kt__system_get(bytes);
    int64_t      n = 0;
    kt_plan      plan;
    for (int64_t i = 0; s && i < b->n; i++) {
        kt_plan_unpack(&plan, b->packed + b->item[i].at);
        for (int k = 0; k < plan.n_out + plan.n_in; k++) {
            int64_t low, high;
            if (plan.arg[k].immediate)
                continue;
            kt__plan_span(&plan, k, &low, &high);
            if (high > low)
                s[n++] = (span){plan.arg[k].data + low, plan.arg[k].data + high, i, k < plan.n_out};
        }
    }
    if (s)
        qsort(s, (size_t)n, sizeof *s, by_address);
    const bool apart = s && !meets(s, n);
    kt__system_put(s, bytes);
    return apart;
}

/* ---- running ---- */

static kt_status launch(const kt__batch *b, int64_t i)
{
    kt_plan plan;
    kt_plan_unpack(&plan, b->packed + b->item[i].at);
    return kt__launch(&plan, b->item[i].on);
}

typedef struct sharing {
    const kt__batch *batch;
    kt_backend      *cpu;
    _Atomic int64_t  failed; /* the first plan that did; batch->n: none */
} sharing;

/* Plans that begin in [begin, end). A worker has no error to give: the caller's thread meets it again. */
static void run_share(void *ctx, int64_t begin, int64_t end)
{
    sharing         *s = ctx;
    const kt__batch *b = s->batch;
    int64_t          low = 0, high = b->n;
    kt_plan          plan;
    while (low < high) { /* the first plan that begins at or after `begin` */
        const int64_t middle = low + (high - low) / 2;
        if (b->item[middle].begin < begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (int64_t i = low; i < b->n && b->item[i].begin < end; i++) {
        if (b->item[i].numel == 0 || b->item[i].numel >= LARGE)
            continue;
        kt_plan_unpack(&plan, b->packed + b->item[i].at);
        if (!s->cpu->run(s->cpu, &plan))
            continue;
        kt_clear();
        int64_t first = atomic_load_explicit(&s->failed, memory_order_relaxed);
        while (i < first && !atomic_compare_exchange_weak(&s->failed, &first, i)) {
        }
    }
}

/* A kernel that fails has written nothing. */
static kt_status run_shared(kt__batch *b, int64_t numel)
{
    sharing   s = {.batch = b, .cpu = kt__backend(KT_CPU), .failed = b->n};
    void     *released = numel > KT__LONG_NUMEL ? kt__open_lock(KT_WORK_KERNEL) : NULL;
    kt__parallel(numel, GRAIN, run_share, &s);
    kt__shut_lock(released);
    kt_status status = s.failed < b->n ? launch(b, s.failed) : KT_OK;
    for (int64_t i = 0; i < b->n && !status; i++)
        if (b->item[i].numel >= LARGE)
            status = launch(b, i);
    return status;
}

/* Elements of the plans that threads share out; 0: plans run one after the other. */
static int64_t shared_numel(kt__batch *b)
{
    int64_t numel = 0, few = 0;
    if (kt__is_watching() || kt_get_num_threads() < 2)
        return 0;
    for (int64_t i = 0; i < b->n; i++) {
        const kt_tensor *on = b->item[i].on;
        if (on->backend != KT_CPU || on->flags & (KT_T_CONJ | KT_T_NEG))
            return 0;
        b->item[i].begin = numel;
        numel += b->item[i].numel < LARGE ? b->item[i].numel : 0;
        few += b->item[i].numel < LARGE;
    }
    return few > 1 && numel > GRAIN && apart(b) ? numel : 0;
}

kt_status kt__batch_run(kt__batch *b)
{
    const int64_t numel = b->n > 1 ? shared_numel(b) : 0;
    kt_status     status = KT_OK;
    if (numel)
        status = run_shared(b, numel);
    else
        for (int64_t i = 0; i < b->n && !status; i++)
            status = launch(b, i);
    b->n = 0;
    b->used = 0;
    return status;
}
