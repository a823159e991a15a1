/* halves.inc.c - loops over dense 16-bit floats, which are calculated with in float32 as they are read, by groups (half_group.h):
 * rows of loop HALVES and, of bfloat16, rows of loop BRIEF (brief.inc.c). A template of loops.inc.c, for wide vectors. The other
 * way, through tiles of float32, takes two to three times as long for rows as short as these. */
#include "cpu/isa/half_group.h"

KT_ALWAYS void FN(operand_of_half_group)(float *x, const uint16_t *from, int dtype)
{
    __builtin_prefetch((const char *)((uintptr_t)from + READ_AHEAD), 0, 3);
    load_half_group(x, from, dtype);
}

/* number: which operand is one, or -1 */
KT_ALWAYS void FN(half_groups)(uint16_t *z, const kt__halves *in, ptrdiff_t n, const T *p, int row, int n_in, int number,
                               int dtype)
{
    const T         p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3], one = in->number;
    const uint16_t *at[3] = {in->at[0], in->at[1], in->at[2]};
    for (ptrdiff_t done = 0; done < n; done += KT__HALF_GROUP) {
        float a[KT__HALF_GROUP], b[KT__HALF_GROUP], c[KT__HALF_GROUP], to[KT__HALF_GROUP];
        __builtin_prefetch((const char *)((uintptr_t)(z + done) + WRITE_AHEAD), 1, 3);
        if (number != 0)
            FN(operand_of_half_group)(a, at[0] + done, dtype);
        if (number != 1 && n_in > 1)
            FN(operand_of_half_group)(b, at[1] + done, dtype);
        if (n_in > 2)
            FN(operand_of_half_group)(c, at[2] + done, dtype);
        KT_EACH_LANE
        for (int i = 0; i < KT__HALF_GROUP; i++) {
            const T x = number == 0 ? one : a[i], y = number == 1 ? one : n_in > 1 ? b[i] : 0;
            to[i] = FN(apply)(row, x, y, n_in > 2 ? c[i] : 0, p0, p1, p2, p3);
        }
        store_half_group(z + done, to, dtype);
    }
}

KT_ALWAYS void FN(by_halves)(uint16_t *z, const kt__halves *in, ptrdiff_t n, const T *p, int row, int n_in, int dtype)
{
    if (n_in == 2 && in->at[0] == NULL)
        FN(half_groups)(z, in, n, p, row, n_in, 0, dtype);
    else if (n_in == 2 && in->at[1] == NULL)
        FN(half_groups)(z, in, n, p, row, n_in, 1, dtype);
    else
        FN(half_groups)(z, in, n, p, row, n_in, -1, dtype);
}

#define STAMP_HALVES_OF(name, n_in, suffix, dtype)                                                                     \
    static void FN(suffix##_##name)(uint16_t *z, const kt__halves *in, ptrdiff_t n, const void *p)                     \
    {                                                                                                                  \
        FN(by_halves)(z, in, n, p, ROW_##name, n_in, dtype);                                                           \
    }
#define HALVES_OF(name, n_in) STAMP_HALVES_OF(name, n_in, bf16, KT_BF16) STAMP_HALVES_OF(name, n_in, f16, KT_F16)
#define NO_BF16(name)         enum { FN(bf16_##name) = 0 }; /* a null pointer in the table */
#define NO_F16(name)          enum { FN(f16_##name) = 0 };
