/* product_model.h - sums of products taken index by index, for the tests of products.
 *
 * The model is one loop over all values of all subscripts, in complex double; inputs are small whole numbers, so that results
 * are exact in every dtype. */
#ifndef KARAT_TESTS_PRODUCT_MODEL_H
#define KARAT_TESTS_PRODUCT_MODEL_H

#include "harness.h"

#include <complex.h>
#include <karat/karat.h>

#include "support/by_name.h"

enum { MOST = 4096 };

/* ---- making and reading ---- */

__attribute__((unused)) static kt_tensor *whole_numbers(kt_dtype dtype, kt_shape shape)
{
    double  values[MOST] = {0};
    int64_t n = 1;
    for (int64_t i = 0; i < shape.n; i++)
        n *= shape.d[i];
    for (int64_t i = 0; i < n; i++)
        values[i] = (double)test_below(7) - 3;
    kt_tensor *t = tensor_of(dtype, shape, values);
    if (kt_dtype_category(dtype) != KT_CAT_COMPLEX)
        return t;
    for (int64_t i = 0; i < n; i++)
        values[i] = (double)test_below(5) - 2;
    return kt_add(t, kt_mul_s(tensor_of(dtype, shape, values), KT_COMPLEX(0, 1)));
}

static void read(const kt_tensor *t, double complex *into)
{
    kt_read(kt_to(t, .dtype = KT_C128), into, (size_t)kt_numel(t) * sizeof *into);
}

/* ---- the model: "ij,jk->ik", letters alone; a size of 1 is repeated ---- */

typedef struct model {
    int64_t        size[128];
    const char    *labels[4];
    kt_shape       shape[4];
    double complex value[4][MOST];
    int            n;
} model;

static double complex term(const model *m, const int64_t *index)
{
    double complex product = 1;
    for (int i = 0; i < m->n; i++) {
        int64_t at = 0;
        for (int64_t d = 0; d < m->shape[i].n; d++)
            at = at * m->shape[i].d[d] + (m->shape[i].d[d] == 1 ? 0 : index[(int)m->labels[i][d]]);
        product *= m->value[i][at];
    }
    return product;
}

/* Every value of every letter once; the result is laid out by `output`. */
static int64_t sum_products(model *m, const char *output, double complex *result)
{
    char    letters[64] = "";
    int64_t index[128] = {0}, total = 1, count = 1;
    for (int i = 0; i < m->n; i++)
        for (int64_t d = 0; d < m->shape[i].n; d++) {
            char letter = m->labels[i][d];
            if (!strchr(letters, letter)) {
                size_t end = strlen(letters);
                letters[end] = letter, letters[end + 1] = 0;
                m->size[(int)letter] = 1;
            }
            if (m->shape[i].d[d] != 1)
                m->size[(int)letter] = m->shape[i].d[d];
        }
    for (const char *c = letters; *c; c++)
        total *= m->size[(int)*c];
    for (const char *c = output; *c; c++)
        count *= m->size[(int)*c];
    for (int64_t i = 0; i < count; i++)
        result[i] = 0;
    for (int64_t step = 0; step < total; step++) {
        int64_t rest = step, at = 0;
        for (const char *c = letters; *c; c++) {
            index[(int)*c] = rest % m->size[(int)*c];
            rest /= m->size[(int)*c];
        }
        for (const char *c = output; *c; c++)
            at = at * m->size[(int)*c] + index[(int)*c];
        result[at] += term(m, index);
    }
    return count;
}

/* Is `got` what the equation says of the operands? Scaled: alpha * that + beta * added (broadcast from the right). */
__attribute__((unused)) static bool agrees(const char *equation, kt_tensor *const *t, int n, const kt_tensor *got)
{
    static model          m;
    static double complex want[MOST], have[MOST];
    char                  text[64];
    if (!CHECK_MSG(got != NULL && !kt_failed(), "%s: %s", equation, kt_error())) {
        kt_clear();
        return false;
    }
    snprintf(text, sizeof text, "%s", equation);
    char *output = strstr(text, "->");
    *output = 0, output += 2;
    m.n = n;
    char *at = text;
    for (int i = 0; i < n; i++) {
        m.labels[i] = at;
        at += strcspn(at, ",");
        if (*at)
            *at++ = 0;
        m.shape[i] = kt_sizes(t[i]);
        read(t[i], m.value[i]);
    }
    const int64_t count = sum_products(&m, output, want);
    bool          same = CHECK_EQ_INT(kt_numel(got), count) && CHECK_EQ_INT(kt_ndim(got), (int64_t)strlen(output));
    for (size_t d = 0; same && d < strlen(output); d++)
        same = CHECK_EQ_INT(kt_size(got, (int64_t)d), m.size[(int)output[d]]);
    if (!same)
        return false;
    read(got, have);
    for (int64_t i = 0; i < count && same; i++)
        same = CHECK_MSG(have[i] == want[i], "%s, %s, element %d: %g%+gi, the model says %g%+gi", equation,
                         kt_dtype_name(kt_dtype_of(got)), (int)i, creal(have[i]), cimag(have[i]), creal(want[i]),
                         cimag(want[i]));
    return same;
}

#define LIST(...) ((kt_tensor *[]){__VA_ARGS__})

__attribute__((unused)) static void same(const char *what, const kt_tensor *got, const kt_tensor *want)
{
    static double complex a[MOST], b[MOST];
    if (!CHECK_MSG(got && want && !kt_failed(), "%s: %s", what, kt_error())) {
        kt_clear();
        return;
    }
    if (!CHECK_MSG(kt_ndim(got) == kt_ndim(want) && kt_numel(got) == kt_numel(want) &&
                       kt_dtype_of(got) == kt_dtype_of(want),
                   "%s: rank, size or dtype differs", what))
        return;
    read(got, a), read(want, b);
    for (int64_t i = 0; i < kt_numel(got); i++)
        if (!CHECK_MSG(a[i] == b[i], "%s, element %d: %g%+gi, not %g%+gi", what, (int)i, creal(a[i]), cimag(a[i]),
                       creal(b[i]), cimag(b[i])))
            return;
}

#endif
