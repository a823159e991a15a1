/* attention.h - attention on the CPU: softmax(scale * query key^T + mask) value, and what flows back.
 *
 * In: plans of the family attention. Out: their results. A plan is read here, into `kt__attention`; the tiles are computed in
 * src/cpu/isa (attention.inc.c, attention_back.inc.c, attention_mask.inc.c), once per compute type and instruction set, and of
 * bfloat16s, where the processor has tiles of its own, in attention_bf16.inc.c and attention_bf16_back.inc.c.
 * Independent of: tensors, operators. */
#ifndef KT_CPU_ATTENTION_ATTENTION_H
#define KT_CPU_ATTENTION_ATTENTION_H

#include "cpu/kernels.h"

enum { KT__ATTENTION_QUERIES = 64, KT__ATTENTION_STATE = 625 }; /* queries of a block; words of a generator's state */

/* An operand as matrices [batch, head, row, column]; steps in bytes, 0 where it is broadcast. */
typedef struct kt__matrices {
    kt_operand x; /* no data: there is no such operand */
    int64_t    step[4];
} kt__matrices;

static inline char *kt__row_at(const kt__matrices *m, int64_t batch, int64_t head, int64_t row)
{
    return m->x.data + batch * m->step[0] + head * m->step[1] + row * m->step[2];
}

typedef struct kt__attention {
    kt__matrices out, lse; /* lse: [batch, head, row], the logarithm of a row's sum of exponentials; 0 if all is masked */
    kt__matrices query, key, value, mask;
    kt__matrices grad, grad_query, grad_key, grad_value, grad_mask; /* of the way back */
    int64_t      batch, heads, group; /* of the queries; `group` of them share a head of the keys and values */
    int64_t      queries, keys, depth, width; /* columns of query and key; of value and out */
    double       scale;
    bool         causal; /* query i sees the keys 0 to i */
    int64_t      together; /* causal: so many queries are multiplied with the keys that the last of them sees; 1: as tiles go */
    const uint32_t *draws; /* of dropout: [batch, head, blocks of queries] states; NULL without it */
    double          keep;  /* the share of the probabilities that is kept */
} kt__attention;

/* Of some queries that end before `query`: where the keys end that they are multiplied with. */
static inline int64_t kt__keys_until(const kt__attention *a, int64_t query)
{
    if (!a->causal)
        return a->keys;
    const int64_t end = (query + a->together - 1) / a->together * a->together;
    return end < a->keys ? end : a->keys;
}

/* The kernels of a compute type, or of bfloat16s, of one instruction set; NULL: there is none. */
typedef struct kt__cpu_attends {
    uint32_t needs; /* of the processor (base/cpu.h) */
    kt_status (*forward)(const kt__attention *a);
    kt_status (*backward)(const kt__attention *a);
    kt_status (*mask_backward)(const kt__attention *a); /* of compute types alone */
} kt__cpu_attends;

/* Is the logarithm of a row's sum so large that few digits of the sum are left in it? So it is where a mask of large finite
 * numbers hides a whole row. What flows back finds the row's largest score and its sum again. */
static inline bool kt__attention_is_rough(double lse, bool in_f64)
{
    const double size = __builtin_fabs(lse);
    return size > (in_f64 ? 0x1p39 : 0x1p10) && size < __builtin_inf();
}

kt_status kt__cpu_attention(const kt__cpu_build *build, const kt_plan *plan);
bool      kt__cpu_has_attention(kt_kernel_id kernel, kt_compute compute);
kt_status kt__cpu_attention_draws(const kt_plan *plan);
/* Of a block of `rows` queries: bit i of kept[j] says that query i keeps key j. */
void      kt__attention_kept(const uint32_t *state, double keep, int64_t rows, int64_t keys, uint64_t *kept);

#endif
