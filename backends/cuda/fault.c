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
    uint64_t     launches;
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

/* The launch whose fault is on the board, and what it found. Its row is NULL if so many launches have followed that it is not
 * remembered. */
static expected take(struct device_faults *f, kt_fault *fault)
{
    const uint64_t     launch = f->board->latest, place = launch % FAULT_PLACES;
    const expected     none = {.launch = launch};
    const expected     e = f->at[place].launch == launch ? f->at[place] : none;
    const fault_record r = f->board->at[place];
    *fault = r.fault;
    f->board->latest = 0;
    if (e.captured)
        cudaMemsetAsync(&f->claimed[place], 0, sizeof *f->claimed, 0);
    return r.launch == launch ? e : (expected){0};
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
    if (!e.launch) /* another thread was told */
        return KT_OK;
    return host->fail_late(&(kt_late_error){.fault = &fault, .row = e.row, .site = e.site});
}
