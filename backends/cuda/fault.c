/* fault.c - errors that kernels find after their launch. Each device has a board in host memory where its kernels write what they
 * found. The host looks at it when it launches, copies or waits; the launches that can fail are remembered by their numbers, so
 * that it knows whose call it was. */
#include <pthread.h>
#include <string.h>

#include "parts.h"

typedef struct expected {
    uint64_t             launch;
    const struct kt_row *row;
    uint32_t             site;
    bool                 captured; /* it may fail again, at every replay */
} expected;

static struct device_faults {
    fault_board *board; /* NULL until a launch may fail */
    uint64_t    *claimed;
    uint64_t     launches, told; /* told: the latest when an error was told. Those before it may follow from it */
    expected     at[FAULT_PLACES];
} faults[MOST_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static kt_status make_board(struct device_faults *f)
{
    const size_t bytes = FAULT_PLACES * sizeof *f->claimed;
    void        *board = NULL, *claimed = NULL;
    kt_status    status = check(cudaHostAlloc(&board, sizeof *f->board, cudaHostAllocMapped), "memory is pinned");
    if (!status)
        status = check(cudaMalloc(&claimed, bytes), "memory for faults is allocated");
    if (!status)
        status = check(cudaMemset(claimed, 0, bytes), "memory for faults is cleared");
    if (status) {
        cudaFree(claimed);
        cudaFreeHost(board);
        return status;
    }
    memset(board, 0, sizeof *f->board);
    f->claimed = claimed;
    __atomic_store_n(&f->board, board, __ATOMIC_RELEASE);
    return KT_OK;
}

kt_status fault_expect(const kt_plan *plan, fault_place *place)
{
    struct device_faults *f = &faults[plan->device_index];
    pthread_mutex_lock(&lock);
    const kt_status status = f->board ? KT_OK : make_board(f);
    if (!status) {
        const uint64_t launch = ++f->launches;
        const bool     captured = captures_run() && capture_of(plan->stream);
        f->at[launch % FAULT_PLACES] = (expected){launch, plan->row, plan->site, captured};
        *place = (fault_place){launch, f->claimed, f->board};
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* Of launches since an error was told, the first that failed; else the latest, which is a replayed one. */
static uint64_t first_failed(const struct device_faults *f)
{
    uint64_t first = f->board->latest;
    for (int i = 0; i < FAULT_PLACES; i++) {
        const uint64_t launch = f->board->at[i].launch;
        first = launch > f->told && launch < first ? launch : first;
    }
    return first;
}

static bool may_fail_again(const struct device_faults *f, uint64_t place)
{
    return use_device((int)(f - faults)) == KT_OK &&
           cudaMemsetAsync(&f->claimed[place], 0, sizeof *f->claimed, 0) == cudaSuccess;
}

static void forget_error(void)
{
    host->clear();
    cudaGetLastError();
}

/* The launch whose fault is on the board, and what it found; none if it may follow from one that was told. Its row is NULL if so
 * many launches have followed that it is not remembered. */
static expected take(struct device_faults *f, kt_fault *fault)
{
    if (!f->board->latest) /* another thread has taken it */
        return (expected){0};
    const uint64_t     launch = first_failed(f), place = launch % FAULT_PLACES;
    const expected     none = {.launch = launch};
    const expected     e = f->at[place].launch == launch ? f->at[place] : none;
    const fault_record r = f->board->at[place];
    const bool         follows = launch <= f->told && !e.captured;
    *fault = r.fault;
    f->board->latest = 0;
    if (e.captured && !may_fail_again(f, place))
        forget_error();
    if (r.launch != launch || follows)
        return (expected){0};
    f->told = f->launches;
    return e;
}

kt_status fault_take(int index)
{
    struct device_faults *f = &faults[index];
    const fault_board    *board = __atomic_load_n(&f->board, __ATOMIC_ACQUIRE);
    kt_fault              fault;
    if (!board || !board->latest)
        return KT_OK;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    pthread_mutex_lock(&lock);
    const expected e = take(f, &fault);
    pthread_mutex_unlock(&lock);
    if (!e.launch)
        return KT_OK;
    return host->fail_late(&(kt_late_error){.fault = &fault, .row = e.row, .site = e.site, .device_code = cudaErrorAssert});
}
