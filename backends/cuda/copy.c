/* copy.c - bytes between the host and devices, and between devices.
 *
 * A small read, a loss or an index, is written by a kernel into pinned memory that the host looks at: little more than half the
 * time of a copy and a wait. Memory that is not pinned goes through the runtime's staging, which has read it when the call
 * returns. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

/* ---- small reads ---- */
typedef struct reader {
    struct reader *next;
    read_slot     *slot;
    uint64_t       turn;
} reader;

static reader         *readers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static kt_status new_reader(reader **made)
{
    void   *slot = NULL;
    reader *r = calloc(1, sizeof *r);
    if (!r)
        return host->fail(KT_ERR_MEMORY, "no memory for a small read");
    const kt_status status =
        check(cudaHostAlloc(&slot, sizeof *r->slot, cudaHostAllocPortable | cudaHostAllocMapped), "memory is pinned");
    if (status) {
        free(r);
        return status;
    }
    r->slot = slot;
    r->slot->turn = 0;
    *made = r;
    return KT_OK;
}

static kt_status get_reader(reader **got)
{
    pthread_mutex_lock(&lock);
    *got = readers;
    if (*got)
        readers = (*got)->next;
    pthread_mutex_unlock(&lock);
    return *got ? KT_OK : new_reader(got);
}

static void put_reader(reader *r)
{
    pthread_mutex_lock(&lock);
    r->next = readers;
    readers = r;
    pthread_mutex_unlock(&lock);
}

static bool is_written(const reader *r) { return __atomic_load_n(&r->slot->turn, __ATOMIC_ACQUIRE) == r->turn; }

/* The stream is asked now and then whether it has failed, or is done and nothing was written. */
static kt_status look_at(const reader *r, cudaStream_t stream)
{
    enum { LOOKS = 1 << 12 };
    for (uint64_t looks = 1; !is_written(r); looks++) {
        if (looks % LOOKS)
            continue;
        const cudaError_t error = cudaStreamQuery(stream);
        if (error == cudaErrorNotReady)
            cudaGetLastError();
        else if (error != cudaSuccess)
            return failed(error, "a value is read");
        else if (!is_written(r))
            return host->fail(KT_ERR_RUNTIME, "CUDA error: a stream has done all its work, but a value was not read");
    }
    return KT_OK;
}

static kt_status read_small(const kt_transfer *copy)
{
    reader *r = NULL;
    if (get_reader(&r))
        return KT_ERR_RUNTIME;
    read_args args = {.from = copy->from, .bytes = (uint32_t)copy->bytes, .slot = r->slot, .turn = ++r->turn};
    void     *list[] = {&args};
    kt_status status = launch_small(read_kernel, 1, list, copy->from_index, copy->stream);
    if (!status)
        status = look_at(r, stream_at(copy->stream));
    if (!status)
        memcpy(copy->to, r->slot->bytes, copy->bytes);
    put_reader(r);
    return status;
}

/* ---- all others ---- */
static kt_status queue_copy(const kt_transfer *copy)
{
    const cudaStream_t stream = stream_at(copy->stream);
    cudaError_t        error;
    if (copy->to_index == KT_HOST)
        error = cudaMemcpyAsync(copy->to, copy->from, copy->bytes, cudaMemcpyDeviceToHost, stream);
    else if (copy->from_index == KT_HOST)
        error = cudaMemcpyAsync(copy->to, copy->from, copy->bytes, cudaMemcpyHostToDevice, stream);
    else if (copy->to_index == copy->from_index)
        error = cudaMemcpyAsync(copy->to, copy->from, copy->bytes, cudaMemcpyDeviceToDevice, stream);
    else
        error = cudaMemcpyPeerAsync(copy->to, copy->to_index, copy->from, copy->from_index, copy->bytes, stream);
    return check(error, "bytes are copied");
}

kt_status copy_bytes(kt_backend *self, const kt_transfer *copy)
{
    (void)self;
    const bool to_host = copy->to_index == KT_HOST, from_host = copy->from_index == KT_HOST;
    const int  index = from_host ? copy->to_index : copy->from_index;
    kt_status  status = fault_take(index);
    if (!status)
        status = use_device(index);
    if (status)
        return status;
    if (from_host && !copy->pinned && captures_run() && capture_of(copy->stream))
        return host->fail(KT_ERR_RUNTIME, "a copy from host memory that is not pinned cannot be captured");
    if (to_host && copy->wait && copy->bytes <= READ_BYTES) {
        status = read_small(copy);
        return status ? status : fault_take(index);
    }
    status = queue_copy(copy);
    if (status || !copy->wait)
        return status;
    status = check(cudaStreamSynchronize(stream_at(copy->stream)), "the host waits for a copy");
    return status ? status : fault_take(index);
}
