/* dropout.c - the kernel that draws a mask and multiplies by it, in one pass.
 *
 * In: a plan with a generator whose three operands are dense and lie alike. Out: the result and the mask, drawn in the order of
 * memory, as bernoulli draws. Single-threaded: the order of draws is part of the result. */
#include "base/error.h"
#include "cpu/random/random.h"
#include "dtype/value.h"

/* The mask of n elements as factors: 0 or `scale`. */
static void draw_factors(kt_generator *g, double keep, double scale, uint8_t *mask, double *factor, int n)
{
    for (int i = 0; i < n; i++) {
        mask[i] = kt__rng_uniform(g) < keep;
        factor[i] = mask[i] ? scale : 0;
    }
}

static void multiply_f32(float *x, const double *factor, int n)
{
    for (int i = 0; i < n; i++)
        x[i] *= (float)factor[i];
}

static void multiply_f64(double *x, const double *factor, int n)
{
    for (int i = 0; i < n; i++)
        x[i] *= factor[i];
}

kt_status kt__cpu_dropout(const kt_plan *plan)
{
    const kt_dtype   dtype = (kt_dtype)plan->arg[0].is, wide = dtype == KT_F64 ? KT_F64 : KT_F32;
    const ptrdiff_t  size = (ptrdiff_t)kt_dtype_size(dtype), wide_size = (ptrdiff_t)kt_dtype_size(wide);
    const double     keep = kt__scalar_f64(&plan->param[0]), scale = kt__scalar_f64(&plan->param[1]);
    double           x[KT__DRAW_TILE], factor[KT__DRAW_TILE]; /* x: room for either type */
    if (plan->nd > 1)
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "dropout of a tensor with gaps");
    for (int64_t done = 0; done < plan->numel; done += KT__DRAW_TILE) {
        const int n = plan->numel - done < KT__DRAW_TILE ? (int)(plan->numel - done) : KT__DRAW_TILE;
        draw_factors(plan->generator, keep, scale, (uint8_t *)plan->arg[1].data + done, factor, n);
        kt__convert(x, wide, wide_size, plan->arg[2].data + done * size, dtype, size, n);
        if (wide == KT_F64)
            multiply_f64(x, factor, n);
        else
            multiply_f32((float *)x, factor, n);
        kt__convert(plan->arg[0].data + done * size, dtype, size, x, wide, wide_size, n);
    }
    return KT_OK;
}
