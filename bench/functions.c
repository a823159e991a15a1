/* functions.c - how near the functions of src/math come to the memory's speed. In: a part of a name, if not all are wanted.
 * Out: a line for each function and dtype: for three sizes, on one thread and on two, the time of a call and its ratio to a
 * copy of as many bytes. Everything through the public face, into results that exist already. */
#include "figure.h"

#include <string.h>

#define UNARY(name)  static void run_##name(const work *w) { kt_##name##_out(w->to, w->a); }
#define BINARY(name) static void run_##name(const work *w) { kt_##name##_out(w->to, w->a, w->b); }
UNARY(exp)
UNARY(exp2)
UNARY(expm1)
UNARY(log)
UNARY(log2)
UNARY(log10)
UNARY(log1p)
UNARY(sin)
UNARY(cos)
UNARY(tan)
UNARY(asin)
UNARY(acos)
UNARY(atan)
UNARY(sinh)
UNARY(cosh)
UNARY(tanh)
UNARY(asinh)
UNARY(acosh)
UNARY(atanh)
UNARY(sigmoid)
UNARY(log_sigmoid)
UNARY(erf)
UNARY(erfc)
UNARY(gelu)
UNARY(silu)
UNARY(mish)
UNARY(softplus)
BINARY(logaddexp)
BINARY(logaddexp2)
BINARY(pow)
BINARY(add)
static void run_gelu_tanh(const work *w) { kt_gelu_out(w->to, w->a, .approximate = "tanh"); }

typedef struct function {
    const char *name;
    void      (*run)(const work *w);
    int         operands;
    double      from, to; /* its arguments: where it has to work, not where it is constant */
} function;

static const function functions[] = {
#define OF(operands, name, from, to) {#name, run_##name, operands, from, to},
    OF(1, exp, -10, 10)      OF(1, exp2, -10, 10)       OF(1, expm1, -10, 10)     OF(1, log, 0.01, 100)  OF(1, log2, 0.01, 100)
    OF(1, log10, 0.01, 100)  OF(1, log1p, -0.9, 10)     OF(1, sin, -10, 10)       OF(1, cos, -10, 10)    OF(1, tan, -10, 10)
    OF(1, asin, -1, 1)       OF(1, acos, -1, 1)         OF(1, atan, -10, 10)      OF(1, sinh, -10, 10)   OF(1, cosh, -10, 10)
    OF(1, tanh, -5, 5)       OF(1, asinh, -10, 10)      OF(1, acosh, 1, 10)       OF(1, atanh, -1, 1)    OF(1, sigmoid, -10, 10)
    OF(1, log_sigmoid, -10, 10) OF(1, erf, -3, 3)       OF(1, erfc, -3, 3)        OF(1, gelu, -5, 5)     OF(1, gelu_tanh, -5, 5)
    OF(1, silu, -10, 10)     OF(1, mish, -10, 10)       OF(1, softplus, -10, 10)  OF(2, logaddexp, -10, 10)
    OF(2, logaddexp2, -10, 10) OF(2, pow, 0.1, 5)       OF(2, add, -1, 1) /* no function: the conversions alone */
#undef OF
};

static kt_tensor *drawn(int64_t n, kt_dtype dtype, const function *f)
{
    kt_tensor *x = kt_empty(KT_SHAPE(n), .dtype = dtype);
    return kt_uniform_(x, .from = f->from, .to = KT_SOME(f->to));
}

/* The best time of a call out of rounds of many: of the work and of the copy in turns, so that a disturbance meets both. */
static void cell(const function *f, kt_dtype dtype, int64_t n)
{
    KT_SCOPE;
    const int64_t half = n * (f->operands + 1) * (int64_t)kt_dtype_size(dtype) / 2;
    const work    w = {f->run, kt_empty(KT_SHAPE(n), .dtype = dtype), drawn(n, dtype, f), drawn(n, dtype, f)};
    const work    copying = {run_copy, kt_empty(KT_SHAPE(half), .dtype = KT_U8), numbers(KT_SHAPE(half), KT_U8), NULL};
    const work   *turns[2] = {&w, &copying};
    double        best[2] = {INFINITY, INFINITY};
    const int     times = n < 1 << 20 ? 16 : 1;
    const double  start = now();
    for (int r = 0; r < 3 || now() - start < 0.04; r++)
        for (int i = 0; i < 2; i++) {
            const double begin = now();
            for (int k = 0; k < times; k++)
                turns[i]->run(turns[i]);
            best[i] = fmin(best[i], (now() - begin) / times);
        }
    printf(" %10.1f %4.2f", best[0] * 1e6, best[1] / best[0]);
}

int main(int argc, char **argv)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_BF16, KT_F16, KT_F64};
    static const int64_t  lengths[] = {128 * 256, 2048 * 1024, 4 << 20};
    const char           *wanted = argc > 1 ? argv[1] : "";
    printf("instruction set %s; microseconds of a call, and its speed as a part of a copy's\n", kt_cpu_isa());
    printf("%-21s %-31s %-31s %s\n%-21s", "", "128 x 256", "2048 x 1024", "4M elements", "");
    for (int i = 0; i < 3; i++)
        printf(" %-15s %-15s", "1 thread", "2 threads");
    printf("\n");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (int d = 0; d < 4 && strstr(functions[i].name, wanted) != NULL; d++) {
            printf("%-11s %-9s", functions[i].name, kt_dtype_name(dtypes[d]));
            for (int k = 0; k < 6; k++) {
                kt_set_num_threads(1 + k % 2);
                cell(&functions[i], dtypes[d], lengths[k / 2]);
                fflush(stdout);
            }
            printf("\n");
        }
    return kt_report(stderr);
}
