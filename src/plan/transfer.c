/* transfer.c - bytes between devices, as plans that watchers see and no kernel runs.
 *
 * In: two dense tensors of one dtype and size. Out: the bytes, there or on their way. Independent of: dtypes, what is copied for.
 *
 * The host waits when bytes come to it, unless they come to pinned memory and the caller said so. Bytes that leave it are read
 * before the copy returns, with the same exception. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/fills.h"
#include "plan/launch.h"
#include "tables/kernels/copy.h"
#include "tensor/device.h"

static kt_status copy_and_wait(kt_backend *backend, int kind, const kt_transfer *copy)
{
    kt__waiting w;
    if (kt__wait_begin(kind, "a copy to the host", false, &w))
        return kt_error_status();
    const kt_status status = backend->copy(backend, copy);
    kt__wait_end(&w);
    return status;
}

static void keep_until_read(const kt_tensor *pinned, kt_backend *backend, int index, kt_handle stream)
{
    if (backend->used_on)
        backend->used_on(backend, index, pinned->storage->data, stream);
}

static kt_status to_host(kt_tensor *to, const kt_tensor *from, size_t bytes, bool non_blocking)
{
    kt_backend   *backend = kt__backend(from->backend);
    const kt_transfer copy = {.to = to->data,
                          .from = from->data,
                          .bytes = bytes,
                          .to_index = KT_HOST,
                          .from_index = from->index,
                          .stream = kt__stream_now(from->backend, from->index),
                          .pinned = kt__pinned_by(to) == from->backend,
                          .wait = !(non_blocking && kt__pinned_by(to) == from->backend)};
    if (copy.wait)
        return copy_and_wait(backend, from->backend, &copy);
    keep_until_read(to, backend, from->index, copy.stream);
    return backend->copy(backend, &copy);
}

static kt_status from_host(kt_tensor *to, const kt_tensor *from, size_t bytes, bool non_blocking)
{
    kt_backend   *backend = kt__backend(to->backend);
    const kt_transfer copy = {.to = to->data,
                          .from = from->data,
                          .bytes = bytes,
                          .to_index = to->index,
                          .from_index = KT_HOST,
                          .stream = kt__stream_now(to->backend, to->index),
                          .pinned = non_blocking && kt__pinned_by(from) == to->backend};
    if (copy.pinned)
        keep_until_read(from, backend, to->index, copy.stream);
    return backend->copy(backend, &copy);
}

/* On the stream of `from`; the stream of `to` goes on when the bytes are there. */
static kt_status between_peers(kt_tensor *to, const kt_tensor *from, size_t bytes)
{
    kt_backend     *backend = kt__backend(to->backend);
    const kt_stream here = {kt__device(from), kt__stream_now(from->backend, from->index)};
    const kt_stream there = {kt__device(to), kt__stream_now(to->backend, to->index)};
    const kt_transfer   copy = {.to = to->data,
                            .from = from->data,
                            .bytes = bytes,
                            .to_index = to->index,
                            .from_index = from->index,
                            .stream = here.handle};
    if (!backend->streams)
        return backend->copy(backend, &copy);
    if (kt_stream_after(here, there) || backend->copy(backend, &copy))
        return kt_error_status();
    return kt_stream_after(there, here);
}

static kt_status through_the_host(kt_tensor *to, const kt_tensor *from, size_t bytes)
{
    kt_tensor *stage = kt__tensor_new((kt_dtype)from->dtype, (kt_device){KT_CPU, 0}, kt__sizes(from));
    kt_status  status = stage ? to_host(stage, from, bytes, false) : kt_error_status();
    if (!status)
        status = from_host(to, stage, bytes, false);
    kt__unref(stage);
    return status;
}

static kt_status move_bytes(kt_tensor *to, const kt_tensor *from, bool non_blocking)
{
    const size_t bytes = (size_t)from->numel * kt__itemsize(from);
    if (KT__UNLIKELY(kt__devices_lost))
        return kt__fail_lost(kt__backend(kt__backend(from->backend)->addressable ? to->backend : from->backend));
    kt__fill_settle(to->data);
    kt__fill_settle(from->data);
    if (kt__backend(from->backend)->addressable)
        return from_host(to, from, bytes, non_blocking);
    if (kt__backend(to->backend)->addressable)
        return to_host(to, from, bytes, non_blocking);
    return to->backend == from->backend ? between_peers(to, from, bytes) : through_the_host(to, from, bytes);
}

kt_status kt__transfer(const struct kt_row *row, kt_tensor *to, const kt_tensor *from, bool non_blocking)
{
    if (!from->numel)
        return KT_OK;
    if (KT__LIKELY(!kt__is_seen()))
        return move_bytes(to, from, non_blocking);
    kt_plan plan;
    kt__plan_begin(&plan, row, KT_K_copy, kt__dtype_rows[to->dtype].compute, 1, to);
    kt__set_operand(&plan, 0, to, (kt_dtype)to->dtype, KT_WHY_NONE);
    kt__set_operand(&plan, 1, from, (kt_dtype)from->dtype, KT_WHY_NONE);
    plan.generator = NULL;
    kt__plan_place(&plan, to, from);
    plan.numel = plan.size[0] = from->numel;
    plan.nd = plan.contiguous = 1;
    plan.stride[0][0] = plan.stride[1][0] = (int64_t)kt__itemsize(from);
    kt__tell_before(&plan);
    const kt_status status = move_bytes(to, from, non_blocking);
    kt__tell_after(&plan, status);
    return status;
}
