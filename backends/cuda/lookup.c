/* lookup.c - long rows over bfloat16 or float16: of a large tensor the results are looked up, or, where a row is an operand times
 * a function of another, the factors. A function takes 20 to 100 instructions an element, more than memory waits for. The row's
 * own kernel makes the table, so that the bits are the same.
 *
 * A table belongs to a row, its parameters, a dtype and a device; it is made when it is wanted the second time, and stays: a
 * graph may hold its address. Independent of: what a row calculates. */
#include <pthread.h>
#include <string.h>

#include "parts.h"

enum { MOST_TABLES = 64, SIGHTS = 2 };

typedef struct result_table {
    const row_kernels *row; /* NULL: nobody's */
    int                index;
    uint8_t            is;
    uint64_t           param[ARG_PARAMS];
    unsigned           sights;
    char              *at; /* NULL: not made */
    cudaEvent_t        made;
    bool               is_made; /* no stream has to wait for it any more */
} result_table;

static result_table    tables[MOST_TABLES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static result_table *find(const row_kernels *row, const launch_args *g, int index)
{
    const result_table wanted = {.row = row, .index = index, .is = g->at[0].is};
    for (result_table *t = tables; t < tables + MOST_TABLES; t++) {
        if (!t->row) {
            *t = wanted;
            memcpy(t->param, g->param, sizeof t->param);
        }
        if (t->row == row && t->index == index && t->is == wanted.is &&
            memcmp(t->param, g->param, sizeof t->param) == 0)
            return t;
    }
    return NULL;
}

static bool holds_factors(const row_kernels *row) { return row->table == FACTORS; }

/* Of results; of factors, and all numbers of 16 bits behind them. */
static size_t bytes_of(const row_kernels *row)
{
    return ENTRIES * (holds_factors(row) ? sizeof(float) + sizeof(uint16_t) : sizeof(uint16_t));
}

/* All numbers of 16 bits, then the row over them: results in place, factors as what it makes of 1. */
static kt_status fill(const result_table *t, const launch_args *g, const kt_plan *plan)
{
    const bool  factors = holds_factors(t->row);
    const float one = 1;
    char       *numbers = t->at + (factors ? ENTRIES * sizeof(float) : 0);
    range_args  all = {.to = numbers, .is = KT_I16, .n = ENTRIES, .step = sizeof(uint16_t), .second_int = 1};
    launch_args row = *g;
    row.n = ENTRIES;
    row.at[0].data = t->at;
    row.at[1].data = numbers;
    if (factors) {
        row.at[2] = row.at[1];
        row.at[1] = (operand_arg){.is = KT_F32, .width = sizeof one, .same = 1};
        memcpy(row.at[1].value, &one, sizeof one);
        row.at[0].is = KT_F32, row.at[0].width = sizeof one;
    }
    const kt_status status = launch_kernel(arange_kernels[KT_IN_I32], blocks_of(ENTRIES, ARG_THREADS), &all, plan);
    return status ? status
                  : launch_kernel(t->row->flat, blocks_of(ENTRIES, (uint64_t)(ARG_THREADS * rows_f32.elements)), &row, plan);
}

/* KT_DECLINED: there is no room for it. */
static kt_status make(result_table *t, const launch_args *g, const kt_plan *plan)
{
    void       *at = NULL;
    cudaError_t error = cudaMalloc(&at, bytes_of(t->row));
    if (error == cudaSuccess && !t->made)
        error = cudaEventCreateWithFlags(&t->made, cudaEventDisableTiming);
    if (error != cudaSuccess) {
        cudaGetLastError();
        cudaFree(at);
        t->sights = 0;
        return KT_DECLINED;
    }
    t->at = at;
    kt_status status = fill(t, g, plan);
    if (!status)
        status = check(cudaEventRecord(t->made, stream_at(plan->stream)), "an event is recorded");
    if (status) {
        cudaFree(at);
        t->at = NULL;
    }
    return status;
}

/* The table, which the plan's stream waits for. KT_DECLINED: not now. While a stream captures, none is made or asked about. */
static kt_status table_of(const row_kernels *row, const launch_args *g, const kt_plan *plan, const void **table)
{
    result_table *t = find(row, g, plan->device_index);
    if (!t || (!t->is_made && captures_run()) || (!t->at && ++t->sights < SIGHTS))
        return KT_DECLINED;
    const kt_status status = t->at ? KT_OK : make(t, g, plan);
    if (status)
        return status;
    *table = t->at;
    if (!t->is_made && !(t->is_made = cudaEventQuery(t->made) == cudaSuccess))
        cudaGetLastError(); /* that it is not ready is kept as an error */
    return t->is_made ? KT_OK : check(cudaStreamWaitEvent(stream_at(plan->stream), t->made, 0), "a stream waits");
}

/* Dense, of one dtype of 16 bits. */
static bool serves(const row_kernels *row, const launch_args *g)
{
    bool good = g->n >= LOOKUP_LEAST && (g->at[0].is == KT_BF16 || g->at[0].is == KT_F16);
    for (int i = 0; i <= row->inputs && good; i++)
        good = g->at[i].is == g->at[0].is && g->at[i].whole;
    return good;
}

kt_status launch_lookup(const row_kernels *row, const launch_args *g, const kt_plan *plan)
{
    lookup_args l = {.to = g->at[0].data, .from = g->at[row->inputs].data, .times = g->at[1].data, .n = g->n};
    if (!serves(row, g))
        return KT_DECLINED;
    pthread_mutex_lock(&lock);
    const kt_status status = table_of(row, g, plan, &l.table);
    pthread_mutex_unlock(&lock);
    if (status)
        return status;
    const void *kernel = holds_factors(row) ? factors_kernels[g->at[0].is == KT_F16] : lookup_kernel;
    return launch_kernel(kernel, blocks_of(g->n, ARG_THREADS * LOOKUP_VECTOR * LOOKUP_STEPS), &l, plan);
}
