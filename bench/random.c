/* random.c - time of a million random numbers. In: nothing. Out: one line a distribution and dtype: nanoseconds for each
 * number, through the public face, the best of many rounds. */
#include <karat/karat.h>

#include <math.h>
#include <time.h>

enum { ROUNDS = 15 };
static const int64_t count = 1000000;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void uniform(kt_tensor *t) { kt_uniform_(t); }
static void normal(kt_tensor *t) { kt_normal_(t); }
static void integers(kt_tensor *t) { kt_random_to_(t, 100); }
static void coins(kt_tensor *t) { kt_bernoulli_float_(t); }

static void figure(const char *name, void (*draw)(kt_tensor *), kt_dtype dtype)
{
    KT_SCOPE;
    kt_tensor *t = kt_zeros(KT_SHAPE(count), .dtype = dtype);
    double     best = INFINITY;
    for (int r = 0; r < ROUNDS; r++) {
        const double start = now();
        draw(t);
        best = fmin(best, now() - start);
    }
    printf("%-10s %-9s %7.2f ns\n", name, kt_dtype_name(dtype), best / (double)count * 1e9);
}

int main(void)
{
    static const kt_dtype floats[] = {KT_F32, KT_F64, KT_F16, KT_BF16};
    for (int i = 0; i < 4; i++) {
        figure("uniform", uniform, floats[i]);
        figure("normal", normal, floats[i]);
    }
    figure("integers", integers, KT_I64);
    figure("coins", coins, KT_F32);
    return kt_report(stderr);
}
