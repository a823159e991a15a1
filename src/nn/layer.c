/* layer.c - see layer.h. */
#include "nn/layer.h"

#include <math.h>

kt_module *kt__complete(kt_module *m)
{
    if (!kt_failed())
        return m;
    kt_module_drop(m);
    return NULL;
}

bool kt__are_positive(const char *layer, int64_t a, int64_t b)
{
    if (!kt_failed() && (a < 1 || b < 1))
        kt_fail(KT_ERR_VALUE, "%s: sizes must be positive", layer);
    return !kt_failed();
}

void kt__add_uniform(kt_module *m, const char *name, kt_shape shape, double bound)
{
    KT_SCOPE;
    KT_NO_GRAD;
    kt_tensor *t = kt_empty(shape);
    kt_uniform_(t, .from = -bound, .to = KT_SOME(bound));
    kt_module_add_parameter(m, name, t);
}

/* Both are uniform within 1 / sqrt(fan_in). */
void kt__add_affine(kt_module *m, kt_shape weight, int64_t fan_in, bool bias)
{
    const double spread = sqrt(2.0 / (1 + 5)) / sqrt((double)fan_in); /* Kaiming's, of a leaky relu with slope sqrt(5) */
    kt__add_uniform(m, "weight", weight, sqrt(3.0) * spread);
    if (bias)
        kt__add_uniform(m, "bias", KT_SHAPE(weight.d[0]), 1 / sqrt((double)fan_in));
}

void kt__add_constant(kt_module *m, const char *name, int64_t n, double value, bool parameter)
{
    KT_SCOPE;
    kt_tensor *t = kt_full(KT_SHAPE(n), KT_FLOAT(value));
    if (parameter)
        kt_module_add_parameter(m, name, t);
    else
        kt_module_add_buffer(m, name, t, true);
}
