/* named.c - a test device that has a few kernels of its own, known to it by their names alone: no kernel's number is compiled
 * into it. It runs them on dense float32 and declines the rest, which the CPU then runs. Its memory is the CPU's.
 *
 * In: plans. Out: their results, at once. Independent of: all of Karat but plugin/backend.h. */
#include <karat/plugin/backend.h>

#include <stdlib.h>

typedef void kernel_fn(float *z, const float *a, const float *b, int64_t n);

static void add(float *z, const float *a, const float *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        z[i] = a[i] + b[i];
}

static void sub(float *z, const float *a, const float *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        z[i] = a[i] - b[i];
}

static void mul(float *z, const float *a, const float *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        z[i] = a[i] * b[i];
}

static void maximum(float *z, const float *a, const float *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        z[i] = a[i] != a[i] || a[i] > b[i] ? a[i] : b[i];
}

/* In no order of Karat's. */
static const struct {
    const char *name;
    kernel_fn  *run;
} kernels[] = {{"sub", sub}, {"maximum", maximum}, {"mul", mul}, {"add", add}};

static const kt_host *host;
static kernel_fn    **by_id; /* host->kernels of them; NULL: it has none */

static bool is_plain(const kt_plan *plan)
{
    bool plain = plan->contiguous && plan->n_out == 1 && plan->n_in == 2;
    for (int i = 0; i < 3 && plain; i++) {
        const kt_operand *x = &plan->arg[i];
        plain = x->is == KT_F32 && x->as == KT_F32 && !x->bits && !x->immediate && (plan->nd == 0 || plan->stride[i][0] == 4);
    }
    return plain;
}

static kt_status run(kt_backend *self, const kt_plan *plan)
{
    (void)self;
    kernel_fn *kernel = plan->kernel < host->kernels ? by_id[plan->kernel] : NULL;
    if (!kernel || !is_plain(plan))
        return KT_DECLINED;
    kernel((float *)(void *)plan->arg[0].data, (const float *)(void *)plan->arg[1].data,
           (const float *)(void *)plan->arg[2].data, plan->numel);
    return KT_OK;
}

static bool has(kt_backend *self, kt_kernel_id kernel, kt_compute compute)
{
    (void)self;
    return kernel < host->kernels && compute == KT_IN_F32 && by_id[kernel];
}

static int count(kt_backend *self)
{
    (void)self;
    return 1;
}

static kt_status allocate(kt_backend *self, int index, kt_handle stream, size_t bytes, void **data, size_t *granted)
{
    (void)self, (void)index, (void)stream;
    return host->cpu->alloc(host->cpu, 0, 0, bytes, data, granted);
}

static void release(kt_backend *self, int index, void *data, size_t granted)
{
    (void)self, (void)index;
    host->cpu->free(host->cpu, 0, data, granted);
}

static kt_status copy(kt_backend *self, const kt_transfer *c)
{
    (void)self;
    memcpy(c->to, c->from, c->bytes);
    return KT_OK;
}

static kt_status sync(kt_backend *self, int index)
{
    (void)self, (void)index;
    return KT_OK;
}

static kt_backend named = {
    .layout = KT_LAYOUT,
    .name = "named",
    .count = count,
    .alloc = allocate,
    .free = release,
    .run = run,
    .copy = copy,
    .sync = sync,
    .has = has,
};

__attribute__((destructor)) static void unload(void) { free(by_id); }

KT_PLUGIN(from)
{
    free(by_id);
    by_id = calloc(from->kernels, sizeof(kernel_fn *));
    if (!by_id) {
        from->fail(KT_ERR_MEMORY, "named: no memory for a table of kernels");
        return NULL;
    }
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const kt_kernel_id id = from->kernel(kernels[i].name);
        if (id)
            by_id[id] = kernels[i].run;
    }
    host = from;
    return &named;
}
