/* batch.c - see batch.h. */
#include "plan/batch.h"

#include <stddef.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "plan/fallback.h"
#include "tables/kernels/families.h"
#include "tensor/device.h"
#include "tensor/work.h"

enum {
    GRAIN = 32768,      /* elements that are worth a second thread */
    LARGE = 4 * GRAIN,  /* a plan of so many is split by its own kernel */
    FIRST_ITEMS = 32,
    MOST_EXPECTED = 1024, /* plans that memory is asked for at once */
    SPANS = 10          /* operands of a plan that may change places with others: five arrays of a step and its numbers */
};

/* What an operand may reach. Empty: low == high. */
typedef struct span {
    const char *low, *high;
    int64_t     plan;
} span;

struct kt__batched {
    kt_tensor *on;
    size_t     at;    /* in `packed` */
    int64_t    numel;
    int64_t    begin; /* elements of the plans before it that go together */
    int        n_out, n_in;
    span       span[SPANS]; /* of the outputs, then of the inputs */
};

/* ---- adding ---- */

static void *grown(void *old, size_t used, size_t *bytes, size_t wanted)
{
    const size_t least = *bytes ? 2 * *bytes : FIRST_ITEMS * sizeof(struct kt__batched), size = wanted > least ? wanted : least;
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

static void note_spans(struct kt__batched *item, const kt_plan *plan, int64_t number, const char *shared)
{
    item->n_out = plan->n_out;
    item->n_in = plan->n_in;
    for (int k = 0; k < plan->n_out + plan->n_in && k < SPANS; k++) {
        const char *data = plan->arg[k].immediate ? NULL : plan->arg[k].data;
        int64_t     low, high;
        item->span[k] = (span){NULL, NULL, number};
        if (!data || data == shared)
            continue;
        kt__plan_span(plan, k, &low, &high);
        item->span[k].low = data + low;
        item->span[k].high = data + high;
    }
}

kt_status kt__batch_add(kt__batch *b, const kt_plan *plan, kt_tensor *on)
{
    const size_t bytes = kt_plan_bytes(plan);
    const int64_t left = b->expected - b->n, most = MOST_EXPECTED;
    if (KT__UNLIKELY(plan->kernel == KT_K_none))
        return kt__fail_example();
    const size_t  more = left <= 1 ? 1 : (size_t)(left < most ? left : most); /* those to come are like this one */
    if (b->n == b->room) {
        size_t have = (size_t)b->room * sizeof *b->item;
        void  *made = grown(b->item, have, &have, ((size_t)b->n + more) * sizeof *b->item);
        if (!made)
            return kt_error_status();
        b->item = made;
        b->room = (int64_t)(have / sizeof *b->item);
    }
    if (b->used + bytes > b->bytes) {
        void *made = grown(b->packed, b->used, &b->bytes, b->used + more * bytes);
        if (!made)
            return kt_error_status();
        b->packed = made;
    }
    kt_plan_pack(b->packed + b->used, plan);
    struct kt__batched *item = &b->item[b->n];
    item->on = on;
    item->at = b->used;
    item->numel = plan->numel;
    note_spans(item, plan, b->n++, b->shared);
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

static bool rises(const span *s, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (s[i].low < s[i - 1].low)
            return false;
    return true;
}

/* By address. Tensors of a list often lie in its order: runs that rise are found and merged, two by two. `room` is as large. */
static span *sorted(span *s, span *room, int64_t n)
{
    for (int64_t runs = rises(s, n) ? 1 : 2; runs > 1;) {
        runs = 0;
        for (int64_t a = 0, b, c; a < n; a = c, runs++) {
            for (b = a + 1; b < n && s[b].low >= s[b - 1].low; b++) {
            }
            for (c = b < n ? b + 1 : n; c < n && s[c].low >= s[c - 1].low; c++) {
            }
            for (int64_t to = a, i = a, j = b; to < c; to++)
                room[to] = j == c || (i < b && s[i].low <= s[j].low) ? s[i++] : s[j++];
        }
        span *other = s;
        s = room, room = other;
    }
    return s;
}

/* Sorted spans that plans write: is there a place that two of them do? */
static bool meet(const span *s, int64_t n)
{
    int64_t last = 0; /* the one that reaches farthest */
    for (int64_t i = 1; i < n; i++) {
        if (s[i].low < s[last].high && s[i].plan != s[last].plan)
            return true;
        last = s[i].high > s[last].high ? i : last;
    }
    return false;
}

/* Does another plan write what is read there? Those written are sorted and apart, but for those of one plan. */
static bool is_written(const span *s, int64_t n, span read)
{
    int64_t low = 0, high = n;
    while (low < high) { /* the first that begins behind it */
        const int64_t middle = low + (high - low) / 2;
        if (s[middle].low < read.high)
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 0 && s[low - 1].plan == read.plan)
        low--;
    return low > 0 && s[low - 1].high > read.low;
}

/* Do the two plans before it read the same there? Then no plan writes it: each of them was found to be apart from all others. */
static bool is_read_again(const struct kt__batched *item, int64_t i, int k)
{
    bool again = i > 1;
    for (int back = 1; back <= 2 && again; back++) {
        const struct kt__batched *before = item - back;
        again = before->n_out == item->n_out && before->n_in == item->n_in && before->span[k].low == item->span[k].low &&
                before->span[k].high == item->span[k].high;
    }
    return again;
}

/* Without memory to find out, they may not. */
static bool apart(const kt__batch *b)
{
    int64_t outputs = 0, most = 0, n = 0;
    bool    apart = true;
    for (int64_t i = 0; i < b->n; i++) {
        const struct kt__batched *item = &b->item[i];
        apart = apart && item->n_out + item->n_in <= SPANS;
        outputs += item->n_out;
        most = item->n_out > most ? item->n_out : most;
    }
    const size_t bytes = (size_t)(outputs + 1) * 2 * sizeof(span);
    span        *made = apart ? kt__system_get(bytes) : NULL, *s = made;
    apart = made != NULL;
    for (int k = 0; apart && k < most; k++) /* operand by operand: each of them is a list */
        for (int64_t i = 0; i < b->n; i++) {
            const struct kt__batched *item = &b->item[i];
            if (k < item->n_out && item->span[k].high > item->span[k].low)
                s[n++] = item->span[k];
        }
    if (apart) {
        s = sorted(made, made + outputs + 1, n);
        apart = !meet(s, n);
    }
    for (int64_t i = 0; apart && i < b->n; i++) {
        const struct kt__batched *item = &b->item[i];
        for (int k = item->n_out; apart && k < item->n_out + item->n_in; k++) {
            const bool own = item->n_out && item->span[k].low == item->span[0].low && item->span[k].high == item->span[0].high;
            apart = own || item->span[k].high == item->span[k].low || is_read_again(item, i, k) ||
                    !is_written(s, n, item->span[k]);
        }
    }
    kt__system_put(made, bytes);
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

/* ---- several plans in one launch, by a device ---- */

/* The device that all are for, if it takes lists and nobody wants to see plans one by one. */
static kt_backend *lister(const kt__batch *b)
{
    const kt_tensor *first = b->item[0].on;
    kt_backend      *backend = kt__backend(first->backend);
    if (!backend->run_list || kt__is_watching() || kt__devices_lost)
        return NULL;
    for (int64_t i = 0; i < b->n; i++) {
        const kt_tensor *on = b->item[i].on;
        if (on->backend != first->backend || on->index != first->index || on->flags & (KT_T_CONJ | KT_T_NEG))
            return NULL;
    }
    return apart(b) ? backend : NULL;
}

/* The fields that devices read are those of the call: one line, one stream. */
static void place_all(kt__batch *b)
{
    kt_plan placed;
    kt__plan_place(&placed, b->item[0].on, b->item[0].on);
    for (int64_t i = 0; i < b->n; i++) {
        kt_plan *head = (kt_plan *)(void *)(b->packed + b->item[i].at); /* so far it stands as a plan does */
        head->site = placed.site;
        head->stream = placed.stream;
        head->device_kind = placed.device_kind;
        head->from_kind = placed.from_kind;
        head->from_index = placed.from_index;
        head->generator = NULL;
    }
}

static kt_status run_listed(kt__batch *b, kt_backend *backend)
{
    kt_status status = KT_OK;
    place_all(b);
    for (int64_t i = 0, taken = 0; i < b->n && !status; i += taken) {
        taken = 0;
        status = backend->run_list(backend, b->packed + b->item[i].at, b->n - i, &taken);
        if (!status && taken == 0) {
            status = launch(b, i);
            taken = 1;
        }
    }
    return status;
}

kt_status kt__batch_run(kt__batch *b)
{
    const int64_t numel = b->n > 1 ? shared_numel(b) : 0;
    kt_backend   *device = b->n > 1 && !numel ? lister(b) : NULL;
    kt_status     status = KT_OK;
    if (numel)
        status = run_shared(b, numel);
    else if (device)
        status = run_listed(b, device);
    else
        for (int64_t i = 0; i < b->n && !status; i++)
            status = launch(b, i);
    b->n = 0;
    b->used = 0;
    return status;
}
