/* pool.c - see pool.h. Reads the plan, and chooses the loops. */
#include "cpu/window/pool.h"

#include "base/alloc.h"
#include "base/error.h"
#include "cpu/window/window.h"
#include "dtype/fault.h"
#include "tables/kernels/window.h"

enum { COLUMNS = 1024, RESULTS = 256, /* of a block, where the window is not wider */ KEPT = 1 << 14 /* windows */ };

static bool pools(kt_kernel_id kernel) { return kernel >= KT_K_max_pool && kernel <= KT_K_fractional_max_pool; }

bool kt__cpu_pools(kt_kernel_id kernel, kt_compute compute)
{
    return !pools(kernel) || compute == KT_IN_F32 || compute == KT_IN_F64 || compute == KT_IN_I32 || compute == KT_IN_I64;
}

static void read_geometry(kt__pool *p, const kt_plan *plan)
{
    const int absent = KT__SPACE_DIMS - kt__space_of(plan);
    for (int d = 0; d < KT__SPACE_DIMS; d++) {
        const int at = d - absent;
        p->kernel[d] = at < 0 ? 1 : plan->param[1 + at].v.i;
        p->stride[d] = at < 0 ? 1 : plan->param[4 + at].v.i;
        p->padding[d] = at < 0 ? 0 : plan->param[7 + at].v.i;
        p->dilation[d] = at < 0 ? 1 : plan->param[10 + at].v.i;
    }
    p->adaptive = p->kernel[KT__SPACE_DIMS - 1] == 0;
    p->with_padding = plan->param[13].v.i;
    p->divisor = plan->param[14].v.i;
}

/* How many results of a line go together. */
static void cut_lines(kt__pool *p)
{
    const int     last = KT__SPACE_DIMS - 1;
    const int64_t few = p->few.size[last] ? p->few.size[last] : 1, size = p->whole.size[last];
    const int64_t one = p->adaptive ? size / few + 2 : p->dilation[last] * (p->kernel[last] - 1) + 1;
    const int64_t move = p->adaptive ? size / few + 1 : p->stride[last];
    const int64_t room = one < COLUMNS ? (COLUMNS - one) / move + 1 : 1;
    p->block = room < RESULTS ? room : RESULTS;
    p->block = p->block < few ? p->block : few;
    p->span = (p->block - 1) * move + one;
}

static kt__pool pool_of(const kt_plan *plan)
{
    const int  kernel = plan->kernel;
    const bool back = kernel == KT_K_max_pool_backward || kernel == KT_K_avg_pool_backward || kernel == KT_K_max_unpool;
    const bool largest = kernel != KT_K_avg_pool && kernel != KT_K_avg_pool_backward;
    kt__pool   p = {.back = back, .largest = largest, .sets = kernel == KT_K_max_unpool};
    p.whole = kt__image_of(plan, back ? 0 : plan->n_out);
    p.few = kt__image_of(plan, back ? 1 : 0);
    if (largest && (back || plan->n_out == 2))
        p.index = kt__image_of(plan, back ? 2 : 1);
    if (kernel == KT_K_fractional_max_pool)
        p.samples = kt__image_of(plan, 3);
    read_geometry(&p, plan);
    p.volume = kt__volume(p.whole.size);
    p.channels_inner = kt__channels_last(&p.whole) && !p.samples.x.data;
    cut_lines(&p);
    return p;
}

/* Positions are counted in integers as wide as the compute type. */
static kt_compute compute_of(const kt_plan *plan, const kt__pool *p)
{
    const bool wide = p->volume >= INT32_MAX;
    return !wide ? (kt_compute)plan->compute : plan->compute == KT_IN_F32 ? KT_IN_F64 : KT_IN_I64;
}

/* The last in row-major order. */
static int64_t last_beyond(const kt__pool *p)
{
    const kt__image *x = &p->index;
    const int64_t    each = kt__volume(x->size), height = x->size[1], width = x->size[2];
    for (int64_t i = x->batch * x->channels * each - 1; i >= 0; i--) {
        const char *at = x->x.data + i / each / x->channels * x->by_batch + i / each % x->channels * x->by_channel +
                         i % each / width / height * x->step[0] + i % each / width % height * x->step[1] + i % width * x->step[2];
        const int64_t index = *(const int64_t *)(const void *)at;
        if ((index < 0 || index >= p->volume) && !kt__pool_begins_beyond(p, index))
            return index;
    }
    return -1;
}

static kt_status fail_beyond(const kt__pool *p, int dims)
{
    const int64_t *size = p->whole.size, index = last_beyond(p);
    if (!p->sets)
        return kt__fail_fault(&(kt_fault){.kind = KT_FAULT_INDEX_ELEMENTS, .value = index, .size = p->volume});
    if (dims == 3)
        return kt_fail(KT_ERR_RUNTIME, "Found an invalid max index: %lld (output volumes are of size %lldx%lldx%lld)",
                       (long long)index, (long long)size[0], (long long)size[1], (long long)size[2]);
    return kt_fail(KT_ERR_RUNTIME, "Found an invalid max index: %lld (output volumes are of size %lldx%lld)", (long long)index,
                   (long long)size[1], (long long)size[2]);
}

/* Windows are computed once: every line sees them again. */
static kt_status keep_windows(kt__pool *p, void **made, size_t *granted)
{
    const int64_t *few = p->few.size, total = few[0] + few[1] + few[2];
    const size_t   bytes = (size_t)total * sizeof(kt__window) + (size_t)few[2] * sizeof(int64_t);
    if (total > KEPT || (p->largest && p->back))
        return KT_OK;
    kt__window *see = *made = kt__block_get(bytes, granted);
    if (!see)
        return kt__fail_memory(bytes);
    int64_t *until = (int64_t *)(void *)(see + total);
    for (int64_t i = few[2] - 1; i >= 0; i--) /* before the windows are there */
        until[i] = i + 1 < few[2] && kt__pool_until(p, i, i + 2) == i + 2 ? until[i + 1] : i + 1;
    for (int d = 0; d < KT__SPACE_DIMS; see += few[d], d++)
        for (int64_t i = 0; i < few[d]; i++)
            see[i] = kt__pool_make_window(p, d, i);
    see -= total;
    for (int d = 0; d < KT__SPACE_DIMS; see += few[d], d++)
        p->see[d] = see;
    p->until = until;
    return KT_OK;
}

kt_status kt__cpu_pool(const kt__cpu_build *build, const kt_plan *plan)
{
    kt__pool         p = pool_of(plan);
    const kt_compute compute = compute_of(plan, &p);
    void            *made = NULL;
    size_t           granted = 0;
    if (keep_windows(&p, &made, &granted))
        return kt_error_status();
    build->pools[compute](&p);
    kt__block_put(made, granted);
    if (p.failed)
        return kt__fail_memory((size_t)p.span);
    return p.beyond ? fail_beyond(&p, kt__space_of(plan)) : KT_OK;
}
