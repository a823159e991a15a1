/* plans.h - plans built by hand, for the tests of the CPU backend. In: buffers, dtypes, sizes, strides. Out: a
 * kt_plan, and elements read and written one by one through the scalar functions of karat/dtype.h. Independent of:
 * tensors. */
#ifndef KARAT_TESTS_CPU_PLANS_H
#define KARAT_TESTS_CPU_PLANS_H

#include "cpu/backend.h"
#include "cpu/kernels.h"
#include "tables/kernels/all.h"
#include "base/cpu.h"
#include "harness.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static const kt_dtype every_dtype[] = {KT_BOOL, KT_U8,   KT_I8,     KT_I16,  KT_I32,      KT_I64,      KT_U16,
                                       KT_U32,  KT_U64,  KT_F16,    KT_BF16, KT_F32,      KT_F64,      KT_C32,
                                       KT_C64,  KT_C128, KT_E4M3FN, KT_E5M2, KT_E4M3FNUZ, KT_E5M2FNUZ, KT_E8M0FNU};
enum { NUM_DTYPES = sizeof every_dtype / sizeof *every_dtype };

static inline size_t     size_of_dtype(kt_dtype d) { return kt__dtype_rows[d].size; }
static inline kt_compute compute_of(kt_dtype d) { return (kt_compute)kt__dtype_rows[d].compute; }
static inline bool       is_float(kt_dtype d) { return kt_dtype_category(d) == KT_CAT_FLOAT; }
static inline bool       is_complex(kt_dtype d) { return kt_dtype_category(d) == KT_CAT_COMPLEX; }

static inline int  num_builds(void) { return kt__cpu_num_builds; }
static inline bool can_run(int build) { return kt__cpu_has(kt__cpu_builds[build].name); }

/* A plan over one dense dim of n elements; operand 0 is the output. */
static inline void plan_dense(kt_plan *p, int kernel, kt_compute compute, int n_in, void *const *data,
                              const kt_dtype *dtype, int64_t n)
{
    memset(p, 0, sizeof *p);
    p->kernel = (kt_kernel_id)kernel;
    p->compute = (uint8_t)compute;
    p->n_out = 1, p->n_in = (uint8_t)n_in;
    p->nd = 1, p->numel = n, p->size[0] = n, p->contiguous = 1;
    for (int i = 0; i <= n_in; i++) {
        p->arg[i].data = data[i];
        p->arg[i].is = p->arg[i].as = (uint8_t)dtype[i];
        p->stride[i][0] = (int64_t)size_of_dtype(dtype[i]);
    }
}

static inline void plan_param(kt_plan *p, kt_scalar value) { p->param[p->n_param++] = value; }

/* Lays the plan out over these sizes: dense outer to inner, in elements times `spread` for operand i. */
static inline void plan_shape(kt_plan *p, int nd, const int64_t *size)
{
    p->nd = (uint8_t)nd, p->numel = 1, p->contiguous = nd == 0;
    for (int d = 0; d < nd; d++)
        p->size[d] = size[d], p->numel *= size[d];
    for (int i = 0; i < p->n_out + p->n_in; i++) {
        int64_t step = (int64_t)size_of_dtype((kt_dtype)p->arg[i].is);
        for (int d = nd - 1; d >= 0; d--)
            p->stride[i][d] = step, step *= size[d];
    }
}

static inline kt_status run_plan(const kt_plan *p)
{
    kt_backend *cpu = kt__cpu_backend();
    return cpu->run(cpu, p);
}

static inline double complex pair(double re, double im)
{
    return __builtin_complex(re, im);
}

/* The bytes of one element as numbers. */
static inline double get_real(const void *base, int64_t offset, kt_dtype d)
{
    const kt_scalar s = kt_scalar_load((const char *)base + offset, d);
    return kt__scalar_f64(&s);
}

static inline double complex get_complex(const void *base, int64_t offset, kt_dtype d)
{
    const kt_scalar s = kt_scalar_load((const char *)base + offset, d);
    return kt__scalar_c128(&s);
}

/* Random elements: small numbers of both signs, whole ones often, so that sums and products stay exact now and then. */
static inline void fill_random(void *base, kt_dtype d, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const double x = (double)((int64_t)test_below(4001) - 2000) / (test_below(3) ? 64.0 : 1000.0);
        const double y = (double)((int64_t)test_below(2001) - 1000) / 128.0;
        kt_scalar    s = KT_COMPLEX(x, y);
        if (!is_float(d) && !is_complex(d))
            s = KT_INT((int64_t)test_below(201) - (kt_dtype_is_signed(d) ? 100 : 0));
        else if (!is_complex(d))
            s = KT_FLOAT(x);
        kt_scalar_store((char *)base + i * (int64_t)size_of_dtype(d), d, s);
    }
}

#endif
