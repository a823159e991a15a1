/* kernels.c - how near the CPU kernels come to the memory's speed. In: nothing. Out: one line a figure: bytes moved per
 * second, beside a plain threaded copy of as many bytes taken in the same breath, and the ratio; then small and large
 * calls in time and GFLOP/s. Everything through the public face, into results that exist already. */
#include "figure.h"

static void run_add(const work *w) { kt_add_out(w->to, w->a, w->b); }
static void run_exp(const work *w) { kt_exp_out(w->to, w->a); }
static void run_sum(const work *w)
{
    KT_SCOPE;
    kt_sum(w->a);
}

static void run_sum_last(const work *w)
{
    KT_SCOPE;
    kt_sum_dim(w->a, KT_SHAPE(-1));
}
static void run_sum_first(const work *w)
{
    KT_SCOPE;
    kt_sum_dim(w->a, KT_SHAPE(0));
}

static work addition(kt_dtype a, kt_dtype b, kt_dtype to)
{
    return (work){run_add, kt_empty(KT_SHAPE(count), .dtype = to), numbers(KT_SHAPE(count), a), numbers(KT_SHAPE(count), b)};
}

static double bytes_added(kt_dtype a, kt_dtype b, kt_dtype to)
{
    return (double)count * (double)(kt_dtype_size(a) + kt_dtype_size(b) + kt_dtype_size(to));
}

static void add(kt_dtype a, kt_dtype b, kt_dtype to)
{
    KT_SCOPE;
    char       name[64];
    const work w = addition(a, b, to), plain = addition(KT_F32, KT_F32, KT_F32);
    snprintf(name, sizeof name, "add %s + %s", kt_dtype_name(a), kt_dtype_name(b));
    figure_beside(name, &w, bytes_added(a, b, to), &plain, bytes_added(KT_F32, KT_F32, KT_F32));
}

static void cast(kt_dtype from, kt_dtype to)
{
    KT_SCOPE;
    char       name[64];
    const work w = {run_copy, kt_empty(KT_SHAPE(count), .dtype = to), numbers(KT_SHAPE(count), from), NULL};
    snprintf(name, sizeof name, "cast %s to %s", kt_dtype_name(from), kt_dtype_name(to));
    figure(name, &w, (double)count * (double)(kt_dtype_size(from) + kt_dtype_size(to)));
}

static void layouts_and_sums(void)
{
    KT_SCOPE;
    kt_tensor *square = numbers(KT_SHAPE(2048, 2048), KT_F32), *to = kt_empty(KT_SHAPE(2048, 2048), .dtype = KT_F32);
    const work turned = {run_copy, to, kt_transpose(square, 0, 1), NULL}, sum = {run_sum, NULL, square, NULL},
               exps = {run_exp, to, square, NULL};
    figure("copy of a 2048 x 2048 transpose", &turned, (double)count * 8);
    const work last = {run_sum_last, NULL, square, NULL}, first = {run_sum_first, NULL, square, NULL},
               narrow = {run_sum, NULL, numbers(KT_SHAPE(count), KT_BF16), NULL};
    figure("sum float32", &sum, (double)count * 4);
    figure("sum float32 over the last dim", &last, (double)count * 4);
    figure("sum float32 over the first dim", &first, (double)count * 4);
    figure("sum bfloat16", &narrow, (double)count * 2);
    figure("exp float32", &exps, (double)count * 8);
}

/* ---- time of one call ---- */
static void small_calls(void)
{
    static const int64_t lengths[] = {1, 8, 1000};
    for (int i = 0; i < 3; i++) {
        KT_SCOPE;
        const work w = {run_add, numbers(KT_SHAPE(lengths[i]), KT_F32), numbers(KT_SHAPE(lengths[i]), KT_F32),
                        numbers(KT_SHAPE(lengths[i]), KT_F32)};
        double     best = INFINITY;
        for (int r = 0; r < ROUNDS; r++) {
            const double start = now();
            for (int k = 0; k < 20000; k++)
                w.run(&w);
            best = fmin(best, (now() - start) / 20000);
        }
        printf("add_out of %-21lld %7.1f ns\n", (long long)lengths[i], best * 1e9);
    }
}

static void products(kt_dtype dtype)
{
    static const int64_t sides[] = {8, 64, 512};
    for (int i = 0; i < 3; i++) {
        KT_SCOPE;
        const int64_t n = sides[i];
        kt_tensor    *a = numbers(KT_SHAPE(n, n), dtype), *b = numbers(KT_SHAPE(n, n), dtype);
        const int     times = n < 100 ? 2000 : 1;
        double        best = INFINITY;
        for (int r = 0; r < ROUNDS; r++) {
            KT_SCOPE;
            const double start = now();
            for (int k = 0; k < times; k++) {
                KT_SCOPE;
                kt_matmul(a, b);
            }
            best = fmin(best, (now() - start) / times);
        }
        printf("matmul %s %-17lld %10.0f ns  %7.2f GFLOP/s\n", kt_dtype_name(dtype), (long long)n, best * 1e9,
               2e-9 * (double)(n * n * n) / best);
    }
}

int main(void)
{
    printf("instruction set %s, %d threads, %lld elements, best of %d\n", kt_cpu_isa(), kt_get_num_threads(),
           (long long)count, ROUNDS);
    add(KT_F32, KT_F32, KT_F32);
    add(KT_F32, KT_BF16, KT_F32);
    add(KT_I64, KT_F32, KT_F32);
    add(KT_F32, KT_F16, KT_F32);
    add(KT_BF16, KT_BF16, KT_BF16);
    static const kt_dtype pairs[][2] = {{KT_F32, KT_BF16}, {KT_BF16, KT_F32}, {KT_F32, KT_F16},
                                        {KT_F16, KT_F32},  {KT_F32, KT_I64},  {KT_I64, KT_F32}};
    for (int i = 0; i < 6; i++)
        cast(pairs[i][0], pairs[i][1]);
    layouts_and_sums();
    small_calls();
    products(KT_F32);
    products(KT_F64);
    products(KT_BF16);
    return kt_report(stderr);
}
