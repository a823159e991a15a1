/* attention.c - reads plans of the family attention. In: a plan. Out: the call of its kernel in the compute type.
 * Independent of: how tiles are computed. */
#include "cpu/attention/attention.h"

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/error.h"
#include "tables/kernels/attention.h"

#include <string.h>

#define X(isa) \
    extern const kt__cpu_attends kt__cpu_attention_f32_##isa, kt__cpu_attention_f64_##isa, kt__cpu_attention_bf16_##isa;
KT_ISA_LIST
#undef X

enum { IN_F32, IN_F64, BY_TILES };

static const kt__cpu_attends *const by_build[][3] = { /* in the order of kt__cpu_builds */
#define X(isa) {&kt__cpu_attention_f32_##isa, &kt__cpu_attention_f64_##isa, &kt__cpu_attention_bf16_##isa},
    KT_ISA_LIST
#undef X
};

/* States and bits have no compute type of their own: their plans say int32. */
bool kt__cpu_has_attention(kt_kernel_id kernel, kt_compute compute)
{
    const bool floats = kernel != KT_K_attention_draws && kernel != KT_K_attention_kept;
    if (kernel == KT_K_attention_seed)
        return false;
    return floats ? compute == KT_IN_F32 || compute == KT_IN_F64 : compute == KT_IN_I32;
}

/* Operand `at`, whose block of dims begins at *first. Sizes of 1 are repeated. */
static kt__matrices matrices_of(const kt_plan *plan, int at, int dims, int *first)
{
    kt__matrices m = {.x = plan->arg[at]};
    for (int d = 0; d < dims; d++)
        m.step[d] = plan->size[*first + d] == 1 ? 0 : plan->stride[at][*first + d];
    *first += dims;
    return m;
}

/* Bits become bools, a block of queries at a time. */
static kt_status write_kept(const kt_plan *plan)
{
    const int64_t  heads = plan->size[0] * plan->size[1], queries = plan->size[2], keys = plan->size[3];
    const uint32_t *state = (const uint32_t *)(const void *)plan->arg[1].data;
    size_t         granted = 0;
    uint64_t      *kept = kt__block_get(sizeof *kept * (size_t)keys, &granted);
    char          *to = plan->arg[0].data;
    if (!kept)
        return kt__fail_memory(sizeof *kept * (size_t)keys);
    for (int64_t head = 0; head < heads; head++)
        for (int64_t done = 0; done < queries; done += KT__ATTENTION_QUERIES, state += KT__ATTENTION_STATE) {
            const int64_t rows = queries - done < KT__ATTENTION_QUERIES ? queries - done : KT__ATTENTION_QUERIES;
            kt__attention_kept(state, kt__scalar_f64(&plan->param[0]), rows, keys, kept);
            for (int64_t i = 0; i < rows; i++)
                for (int64_t j = 0; j < keys; j++)
                    *to++ = (char)(kept[j] >> i & 1);
        }
    kt__block_put(kept, granted);
    return KT_OK;
}

static bool is_bf16(const kt__matrices *m) { return m->x.is == KT_BF16 && m->x.as == KT_BF16 && m->x.bits == 0; }

/* Of float32 logarithms. */
static bool has_rough_rows(const kt__attention *a)
{
    for (int64_t row = 0; row < a->batch * a->heads * a->queries; row++) {
        float lse;
        memcpy(&lse, kt__row_at(&a->lse, row / a->queries / a->heads, row / a->queries % a->heads, row % a->queries), sizeof lse);
        if (kt__attention_is_rough(lse, false))
            return true;
    }
    return false;
}

/* Operands are of the query's dtype. The processor's tiles read the logarithms as they are. */
static const kt__cpu_attends *kernels_of(const kt__cpu_build *build, const kt_plan *plan, const kt__attention *a, bool back)
{
    const kt__cpu_attends *const *mine = by_build[build - kt__cpu_builds];
    const kt__cpu_attends        *tiles = mine[BY_TILES];
    if (tiles->forward && kt__cpu_bits() & tiles->needs && is_bf16(&a->query) && !(back && has_rough_rows(a)))
        return tiles;
    return mine[plan->compute == KT_IN_F64 ? IN_F64 : IN_F32];
}

/* ---- numbers that are not finite under a causal mask ---- */

static bool is_finite(const char *at, kt_dtype dtype)
{
    uint16_t half;
    float    single;
    double   twice;
    switch (dtype) {
    case KT_F64: return memcpy(&twice, at, sizeof twice), __builtin_isfinite(twice);
    case KT_F32: return memcpy(&single, at, sizeof single), __builtin_isfinite(single);
    case KT_BF16: return memcpy(&half, at, sizeof half), (half & 0x7f80) != 0x7f80;
    case KT_F16: return memcpy(&half, at, sizeof half), (half & 0x7c00) != 0x7c00;
    default: return true;
    }
}

/* Rows [begin, end) of all heads. */
static bool are_finite(const kt__attention *a, const kt__matrices *m, int64_t heads, int64_t begin, int64_t end, int64_t columns)
{
    bool finite = true;
    for (int64_t i = 0; i < a->batch * heads && finite; i++)
        for (int64_t row = begin; row < end; row++) {
            const char *at = kt__row_at(m, i / heads, i % heads, row);
            for (int64_t j = 0; j < columns; j++)
                finite &= is_finite(at + j * m->step[3], (kt_dtype)m->x.is);
        }
    return finite;
}

/* A weight of 0 times a number that is not finite is NaN, also where the weight is 0 because the mask hides the key. PyTorch
 * multiplies blocks of so many queries with all keys that the last of them sees. */
enum { PYTORCH_BLOCK = 512 };

/* Such numbers show in the results of the query that sees most keys, and of the key that all queries see; keys that no query sees
 * are looked at themselves, as far as the last block reaches. */
static bool is_spoilt(const kt__attention *a, bool back)
{
    const int64_t heads = a->heads / a->group, last = a->queries - 1, reach = (last / PYTORCH_BLOCK + 1) * PYTORCH_BLOCK;
    const int64_t end = reach < a->keys ? reach : a->keys;
    if (a->queries == 0 || a->keys == 0)
        return false;
    const bool unseen = are_finite(a, &a->value, heads, a->queries, end, a->width) &&
                        (!back || are_finite(a, &a->key, heads, a->queries, end, a->depth));
    const bool seen = !back ? are_finite(a, &a->out, a->heads, last, last + 1, a->width)
                            : are_finite(a, &a->grad_query, a->heads, last, last + 1, a->depth) &&
                                  are_finite(a, &a->grad_key, heads, 0, 1, a->depth) &&
                                  are_finite(a, &a->grad_value, heads, 0, 1, a->width);
    return !unseen || !seen;
}

/* What the mask hides is left out, and multiplied if that matters. */
static kt_status attend(kt__attention *a, kt_status (*kernel)(const kt__attention *), bool back)
{
    const kt_status status = kernel(a);
    if (status || !a->causal || !is_spoilt(a, back))
        return status;
    a->together = PYTORCH_BLOCK;
    return kernel(a);
}

/* arg: outputs, then inputs, each with a block of four dims, lse of three, states of two; param: causal, scale, and, if there are
 * states, the share that is kept. */
kt_status kt__cpu_attention(const kt__cpu_build *build, const kt_plan *plan)
{
    const bool    of_mask = plan->kernel == KT_K_attention_mask_backward, drops = plan->n_param > 2;
    const bool    back = plan->kernel == KT_K_attention_backward || of_mask;
    kt__attention a = {.causal = plan->param[0].v.i != 0, .together = 1, .scale = kt__scalar_f64(&plan->param[1])};
    int           at = 0, first = 0;
    if (plan->kernel == KT_K_attention_draws)
        return kt__cpu_attention_draws(plan);
    if (plan->kernel == KT_K_attention_kept)
        return write_kept(plan);
    if (!kt__cpu_has_attention(plan->kernel, (kt_compute)plan->compute))
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "the CPU has no attention for this dtype");
    if (of_mask) {
        a.grad_mask = matrices_of(plan, at++, 4, &first);
        a.grad = matrices_of(plan, at++, 4, &first);
    } else if (back) {
        a.grad_query = matrices_of(plan, at++, 4, &first);
        a.grad_key = matrices_of(plan, at++, 4, &first);
        a.grad_value = matrices_of(plan, at++, 4, &first);
        a.grad = matrices_of(plan, at++, 4, &first);
    } else {
        a.out = matrices_of(plan, at++, 4, &first);
        a.lse = matrices_of(plan, at++, 3, &first);
    }
    const int64_t *query = plan->size + first, *key = query + 4, *value = key + 4;
    a.query = matrices_of(plan, at++, 4, &first);
    a.key = matrices_of(plan, at++, 4, &first);
    a.value = matrices_of(plan, at++, 4, &first);
    if (back) {
        a.out = matrices_of(plan, at++, 4, &first);
        a.lse = matrices_of(plan, at++, 3, &first);
    }
    if (at + drops < plan->n_out + plan->n_in)
        a.mask = matrices_of(plan, at++, 4, &first);
    if (drops) {
        a.draws = (const uint32_t *)(const void *)plan->arg[at].data;
        a.keep = kt__scalar_f64(&plan->param[2]);
    }
    a.batch = query[0], a.heads = query[1], a.group = query[1] / key[1];
    a.queries = query[2], a.keys = key[2], a.depth = query[3], a.width = value[3];
    if (of_mask)
        return by_build[build - kt__cpu_builds][plan->compute == KT_IN_F64 ? IN_F64 : IN_F32]->mask_backward(&a);
    const kt__cpu_attends *kernels = kernels_of(build, plan, &a, back);
    return attend(&a, back ? kernels->backward : kernels->forward, back);
}
