/* meta.c - the meta device: dtypes, shapes, strides and errors of every call, and no bytes. The dry run runs here. */
#include "plan/meta.h"

#include "base/error.h"

static int count(kt_backend *self)
{
    (void)self;
    return 1;
}

static kt_status no_memory(kt_backend *self, int index, kt_handle stream, size_t bytes, void **data, size_t *granted)
{
    (void)self, (void)index, (void)stream, (void)bytes;
    *data = NULL;
    *granted = 0;
    return KT_OK;
}

static void no_free(kt_backend *self, int index, void *data, size_t granted)
{
    (void)self, (void)index, (void)data, (void)granted;
}

static kt_status no_work(kt_backend *self, const kt_plan *plan)
{
    (void)self, (void)plan;
    return KT_OK;
}

static kt_status no_copy(kt_backend *self, const kt_transfer *copy)
{
    (void)self;
    return copy->to_index == KT_HOST ? kt_fail(KT_ERR_NOT_IMPLEMENTED, "Cannot copy out of meta tensor; no data!") : KT_OK;
}

static kt_status no_wait(kt_backend *self, int index)
{
    (void)self, (void)index;
    return KT_OK;
}

static bool every(kt_backend *self, kt_kernel_id kernel, kt_compute compute)
{
    (void)self, (void)kernel, (void)compute;
    return true;
}

kt_status kt__fail_on_meta(const char *op)
{
    return kt_fail(KT_ERR_NOT_IMPLEMENTED,
                   "aten::%s: attempted to run this operator with Meta tensors, but there was no fake impl or "
                   "Meta kernel registered. You may have run into this message while using an operator with PT2 "
                   "compilation APIs (torch.compile/torch.export); in order to use this operator with those APIs you'll "
                   "need to add a fake impl. Please see the following for next steps:  "
                   "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html",
                   op);
}

kt_backend *kt__meta_backend(void)
{
    static kt_backend meta = {.layout = KT_LAYOUT,
                              .name = "meta",
                              .count = count,
                              .alloc = no_memory,
                              .free = no_free,
                              .run = no_work,
                              .copy = no_copy,
                              .sync = no_wait,
                              .has = every,
                              .addressable = 0,
                              .stores_nothing = 1};
    return &meta;
}
