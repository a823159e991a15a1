/* backend.c - the CPU backend: the vtable of karat/plugin/backend.h over the builds of src/cpu/isa.
 *
 * In: plans. Out: their results, by the time `run` returns. Chooses one build at start: the last that the processor can
 * run, or the one that KARAT_ISA names. Independent of: tensors, operators, what a kernel calculates. */
#include "cpu/backend.h"

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/attention/attention.h"
#include "cpu/check.h"
#include "cpu/fills.h"
#include "cpu/index/index.h"
#include "cpu/kernels.h"
#include "cpu/linalg/linalg.h"
#include "cpu/lookup.h"
#include "cpu/order/order.h"
#include "cpu/gemm/products.h"
#include "cpu/random/random.h"
#include "cpu/fourier/fourier.h"
#include "cpu/resample/resample.h"
#include "cpu/scan.h"
#include "cpu/step.h"
#include "cpu/unaligned.h"
#include "cpu/window/pool.h"
#include "cpu/window/window.h"
#include "tables/kernels/copy.h"
#include "tables/kernels/index.h"
#include "tables/kernels/norm.h"
#include "tables/kernels/product.h"
#include "tables/kernels/search.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the builds ---- */
#define X(isa)                                                                                                                \
    extern const kt__cpu_type kt__cpu_f32_##isa, kt__cpu_f64_##isa, kt__cpu_i32_##isa, kt__cpu_i64_##isa, kt__cpu_u64_##isa, \
        kt__cpu_c64_##isa, kt__cpu_c128_##isa;                                                                               \
    extern const kt__cpu_reductions kt__cpu_reductions_f32_##isa, kt__cpu_reductions_f64_##isa, kt__cpu_reductions_i32_##isa, \
        kt__cpu_reductions_i64_##isa, kt__cpu_reductions_u64_##isa, kt__cpu_reductions_c64_##isa,                            \
        kt__cpu_reductions_c128_##isa;                                                                                       \
    extern const kt__cpu_bytes kt__cpu_bytes_##isa;                                                                          \
    extern const kt__cpu_draws kt__cpu_draws_##isa;                                                                          \
    extern const kt__cpu_bounds kt__cpu_bounds_##isa;                                                                        \
    extern const kt__cpu_direct kt__cpu_direct_##isa, kt__cpu_direct_row_##isa;                                              \
    extern const kt__cpu_beside kt__cpu_beside_##isa;                                                                        \
    extern const struct kt__cpu_direct_bf16 kt__cpu_direct_bf16_##isa;                                                       \
    extern const kt__cpu_panels kt__cpu_panels_##isa;                                                                        \
    extern kt__pool_fn kt__cpu_pool_f32_##isa, kt__cpu_pool_f64_##isa, kt__cpu_pool_i32_##isa, kt__cpu_pool_i64_##isa;       \
    extern const kt__cpu_norms kt__cpu_norms_f32_##isa, kt__cpu_norms_f64_##isa;                                             \
    extern const kt__cpu_steps kt__cpu_steps_f32_##isa, kt__cpu_steps_f64_##isa;                                             \
    extern const kt__cpu_recurrences kt__cpu_recurrences_f32_##isa, kt__cpu_recurrences_f64_##isa;                          \
    extern const kt__cpu_resamplers kt__cpu_resamplers_f32_##isa, kt__cpu_resamplers_f64_##isa;                             \
    extern const struct kt__cpu_fourier kt__cpu_fourier_f32_##isa, kt__cpu_fourier_f64_##isa;
KT_ISA_LIST
#undef X

const kt__cpu_build kt__cpu_builds[] = {
#define X(isa)                                                                                                                \
    {#isa,                                                                                                                   \
     {&kt__cpu_f32_##isa, &kt__cpu_f64_##isa, &kt__cpu_i32_##isa, &kt__cpu_i64_##isa, &kt__cpu_u64_##isa,                    \
      &kt__cpu_c64_##isa, &kt__cpu_c128_##isa},                                                                              \
     {&kt__cpu_reductions_f32_##isa, &kt__cpu_reductions_f64_##isa, &kt__cpu_reductions_i32_##isa,                           \
      &kt__cpu_reductions_i64_##isa, &kt__cpu_reductions_u64_##isa, &kt__cpu_reductions_c64_##isa,                           \
      &kt__cpu_reductions_c128_##isa},                                                                                       \
     &kt__cpu_bytes_##isa,                                                                                                   \
     &kt__cpu_draws_##isa,                                                                                                   \
     &kt__cpu_bounds_##isa,                                                                                                  \
     {kt__cpu_pool_f32_##isa, kt__cpu_pool_f64_##isa, kt__cpu_pool_i32_##isa, kt__cpu_pool_i64_##isa},                         \
     &kt__cpu_direct_##isa,                                                                                                  \
     &kt__cpu_direct_row_##isa,                                                                                              \
     &kt__cpu_beside_##isa,                                                                                                  \
     &kt__cpu_panels_##isa,                                                                                                  \
     {&kt__cpu_norms_f32_##isa, &kt__cpu_norms_f64_##isa},                                                                   \
     {&kt__cpu_steps_f32_##isa, &kt__cpu_steps_f64_##isa},                                                                   \
     {[KT_IN_F32] = &kt__cpu_recurrences_f32_##isa, [KT_IN_F64] = &kt__cpu_recurrences_f64_##isa},                  \
     {[KT_IN_F32] = &kt__cpu_resamplers_f32_##isa, [KT_IN_F64] = &kt__cpu_resamplers_f64_##isa},                             \
     &kt__cpu_direct_bf16_##isa,                                                                                             \
     {&kt__cpu_fourier_f32_##isa, &kt__cpu_fourier_f64_##isa}},
    KT_ISA_LIST
#undef X
};
const int kt__cpu_num_builds = sizeof kt__cpu_builds / sizeof *kt__cpu_builds;

static const kt__cpu_build *chosen;

static const kt__cpu_build *choose(void)
{
    const char          *refused = NULL, *wanted = kt__cpu_wanted(&refused);
    const kt__cpu_build *best = &kt__cpu_builds[0];
    for (int i = 0; i < kt__cpu_num_builds; i++) {
        const kt__cpu_build *b = &kt__cpu_builds[i];
        if (wanted != NULL ? strcmp(wanted, b->name) == 0 : kt__cpu_has(b->name))
            best = b;
    }
    if (refused != NULL)
        fprintf(stderr, "karat: KARAT_ISA=%s is not a build that this processor can run; using %s\n", refused,
                best->name);
    return best;
}

static const kt__cpu_build *build_in_use(void)
{
    const kt__cpu_build *b = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
    if (b == NULL) {
        const kt__cpu_build *mine = choose();
        if (__atomic_compare_exchange_n(&chosen, &b, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            b = mine;
    }
    return b;
}

const char *kt_cpu_isa(void)
{
    return build_in_use()->name;
}

/* ---- the plan's scalars, for ranges ---- */
kt__f64 kt__scalar_f64(const kt_scalar *s)
{
    if (s->kind == KT_SCALAR_FLOAT || s->kind == KT_SCALAR_COMPLEX)
        return s->v.re;
    return s->is_unsigned ? (double)(uint64_t)s->v.i : (double)s->v.i;
}

kt__c128 kt__scalar_c128(const kt_scalar *s)
{
    return __builtin_complex(kt__scalar_f64(s), s->kind == KT_SCALAR_COMPLEX ? s->im : 0.0);
}

kt__f64 kt__power_f64(kt__f64 base, kt__f64 exponent)
{
    return pow(base, exponent);
}

kt__c128 kt__power_c128(kt__c128 base, kt__c128 exponent)
{
    return cpow(base, exponent);
}

/* ---- running a plan ---- */
static kt_status run_copy(const kt__cpu_build *build, const kt_plan *plan)
{
    const kt_operand *to = &plan->arg[0], *from = &plan->arg[1];
    const bool        same = to->is == from->is && to->as == to->is && from->as == from->is;
    if (same && from->bits == 0 && !from->immediate)
        return build->bytes->copy(plan);
    int compute = kt__dtype_rows[from->is].compute;
    /* int64 is converted to float32 and narrower floats through float32, whose loops are vectorized. */
    if (from->is == KT_I64 && (from->as == KT_I64 || from->as == to->is) && kt__dtype_rows[to->is].compute == KT_IN_F32 &&
        kt__dtype_rows[to->as].compute == KT_IN_F32 && plan->rounding == KT_ROUND_TORCH)
        compute = KT_IN_F32;
    return build->type[compute]->cast(plan);
}

static kt_status __attribute__((noinline)) no_kernel(const kt_plan *plan)
{
    return kt_fail(KT_ERR_NOT_IMPLEMENTED, "the CPU has no kernel '%s' (%d) for this dtype", kt_kernel_name(plan->kernel),
                   (int)plan->kernel);
}

static kt_status run_copies(const kt__cpu_build *build, const kt_plan *plan)
{
    switch (plan->kernel) {
    case KT_K_copy: return run_copy(build, plan);
    case KT_K_fill: return build->bytes->fill(plan);
    case KT_K_eye:  return build->bytes->eye(plan);
    case KT_K_band: return build->bytes->band(plan);
    case KT_K_arange:
    case KT_K_linspace:
    case KT_K_logspace: return build->type[plan->compute]->range(plan);
    default:            return no_kernel(plan);
    }
}

static kt_status run_softmax(const kt__cpu_build *build, const kt_plan *plan)
{
    const kt__cpu_reductions *r = build->reductions[plan->compute];
    return r->softmax ? r->softmax(plan) : no_kernel(plan);
}

static kt_status run_norm(const kt__cpu_build *build, const kt_plan *plan)
{
    if (plan->compute > KT_IN_F64)
        return no_kernel(plan);
    const kt__cpu_norms *norms = build->norms[plan->compute];
    if (plan->kernel == KT_K_distances)
        return norms->distances(plan);
    return plan->kernel >= KT_K_group_norm ? norms->groups(plan) : norms->rows(plan);
}

KT__HOT kt_status kt__cpu_run_with(const kt__cpu_build *build, const kt_plan *plan)
{
    const kt__cpu_type *type = build->type[plan->compute];
    const int           family = KT__FAMILY_OF(plan->kernel);
    if (KT__LIKELY(family < KT_FAMILY_elementwise_end))
        return type->elementwise(plan);
    if (family == KT_FAMILY_reduce)
        return build->reductions[plan->compute]->reduce(plan); /* an empty sum is zero: these and products look at sizes */
    if (family == KT_FAMILY_product)
        return plan->kernel == KT_K_matmul ? kt__product_run(build, plan) : kt__cpu_linalg(plan);
    if (plan->numel == 0 && family < KT_NUM_FAMILIES)
        return KT_OK;
    switch (family) {
    case KT_FAMILY_copy:    return run_copies(build, plan);
    case KT_FAMILY_random:  return kt__cpu_random(build, plan);
    case KT_FAMILY_order:   return kt__cpu_order(plan);
    case KT_FAMILY_scan:    return kt__cpu_scan(plan);
    case KT_FAMILY_softmax: return run_softmax(build, plan);
    case KT_FAMILY_index:
        return plan->kernel == KT_K_masked_put ? kt__cpu_masked(plan)
               : plan->kernel == KT_K_nonzero  ? kt__cpu_nonzero(plan)
                                               : kt__cpu_index(plan);
    case KT_FAMILY_search: return plan->kernel == KT_K_search ? kt__cpu_search(plan) : kt__cpu_sort_rows(plan);
    case KT_FAMILY_check:  return kt__cpu_check(build, plan);
    case KT_FAMILY_window: return kt__cpu_window(build, plan);
    case KT_FAMILY_attention: return kt__cpu_attention(build, plan);
    case KT_FAMILY_norm:   return run_norm(build, plan);
    case KT_FAMILY_optimizer: return kt__cpu_step(build, plan);
    case KT_FAMILY_recurrent:
        return build->recurrences[plan->compute] ? build->recurrences[plan->compute]->run(plan) : no_kernel(plan);
    case KT_FAMILY_resample: return kt__cpu_resample(build, plan);
    case KT_FAMILY_fourier: return plan->compute <= KT_IN_F64 ? build->fourier[plan->compute]->run(plan) : no_kernel(plan);
    default: return no_kernel(plan);
    }
}

/* Apart, so that the short path needs no frame. */
static kt_status __attribute__((noinline)) run_or_look_up(const kt_plan *plan)
{
    return kt__lookup(chosen, plan) ? KT_OK : kt__cpu_run_with(chosen, plan);
}

static inline kt_status run_here(const kt_plan *plan)
{
    if (KT__UNLIKELY(__atomic_load_n(&kt__odd_memory, __ATOMIC_RELAXED)) && kt__is_unaligned(plan))
        return kt__run_aligned(chosen, plan);
    if (KT__UNLIKELY(plan->numel >= KT__LOOKUP_LEAST))
        return run_or_look_up(plan);
    return kt__cpu_run_with(chosen, plan);
}

static kt_status __attribute__((noinline)) run_beside_fills(const kt_plan *plan)
{
    kt_plan mine;
    return run_here(kt__beside_fills(plan, &mine));
}

static kt_status cpu_run(kt_backend *self, const kt_plan *plan)
{
    (void)self;
    return kt__fills_wait() && kt__meets_fills(plan) ? run_beside_fills(plan) : run_here(plan);
}

static kt_status cpu_fill_new(kt_backend *self, const kt_plan *plan)
{
    (void)self;
    return kt__fill_late(chosen, plan);
}

static bool cpu_has(kt_backend *self, kt_kernel_id kernel, kt_compute compute)
{
    (void)self;
    if ((unsigned)compute >= KT_NUM_COMPUTE)
        return false;
    const int family = KT__FAMILY_OF(kernel);
    if (family < KT_FAMILY_elementwise_end)
        return chosen->type[compute]->has(kernel);
    if (family == KT_FAMILY_reduce)
        return chosen->reductions[compute]->reduces(kernel);
    if (family == KT_FAMILY_check)
        return kt__cpu_checks(kernel, compute);
    if ((family == KT_FAMILY_product && !kt__cpu_has_linalg(kernel, compute)) ||
        (family == KT_FAMILY_window && !kt__cpu_pools(kernel, compute)))
        return false;
    if (family == KT_FAMILY_attention)
        return kt__cpu_has_attention(kernel, compute);
    if ((family == KT_FAMILY_norm || family == KT_FAMILY_fourier) && compute > KT_IN_F64)
        return false;
    if (family == KT_FAMILY_optimizer)
        return compute == KT_IN_F32 || compute == KT_IN_F64;
    if (family == KT_FAMILY_resample && !kt__cpu_resamples(kernel, compute))
        return false;
    if (family == KT_FAMILY_recurrent && !chosen->recurrences[compute])
        return false;
    return kt_kernel_name(kernel)[0] != '?' && (family != KT_FAMILY_softmax || chosen->reductions[compute]->softmax);
}

/* ---- memory ---- */
static int cpu_count(kt_backend *self)
{
    (void)self;
    return 1;
}

static kt_status cpu_alloc(kt_backend *self, int index, kt_handle stream, size_t bytes, void **data, size_t *granted)
{
    (void)self, (void)index, (void)stream;
    *data = kt__block_get(bytes, granted);
    return *data != NULL ? KT_OK : kt__fail_memory(bytes);
}

static void cpu_free(kt_backend *self, int index, void *data, size_t granted)
{
    (void)self, (void)index;
    if (granted >= KT__FILL_LEAST && kt__fill_may_have(data))
        kt__fill_forget(data);
    kt__block_put(data, granted);
}

static kt_status cpu_copy(kt_backend *self, const kt_transfer *copy)
{
    (void)self;
    kt__fill_settle(copy->to);
    kt__fill_settle(copy->from);
    memcpy(copy->to, copy->from, copy->bytes);
    return KT_OK;
}

static kt_status cpu_sync(kt_backend *self, int index)
{
    (void)self, (void)index;
    return KT_OK;
}

kt_backend *kt__cpu_backend(void)
{
    static kt_backend cpu = {
        .layout = KT_LAYOUT,
        .name = "cpu",
        .count = cpu_count,
        .alloc = cpu_alloc,
        .free = cpu_free,
        .run = cpu_run,
        .fill_new = cpu_fill_new,
        .copy = cpu_copy,
        .sync = cpu_sync,
        .has = cpu_has,
        .addressable = 1,
    };
    build_in_use();
    return &cpu;
}
