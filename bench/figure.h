/* figure.h - one line of a benchmark: bytes moved per second by some work, beside a plain threaded copy of as many bytes taken in
 * the same breath, and the ratio. */
#ifndef KT_BENCH_FIGURE_H
#define KT_BENCH_FIGURE_H

#include <karat/karat.h>

#include <math.h>
#include <time.h>

enum { ROUNDS = 15 };
static const int64_t count = 4 << 20;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static kt_tensor *numbers(kt_shape shape, kt_dtype dtype) { return kt_full(shape, KT_INT(3), .dtype = dtype); }

/* ---- one figure: work against a copy of `bytes` bytes in all, half of them read ---- */
typedef struct work {
    void (*run)(const struct work *w);
    kt_tensor       *to;
    const kt_tensor *a, *b;
} work;

static double seconds_of(const work *w)
{
    const double start = now();
    w->run(w);
    return now() - start;
}

static double figure(const char *name, const work *w, double bytes, double baseline)
{
    KT_SCOPE;
    const int64_t half = (int64_t)(bytes / 2);
    kt_tensor    *to = kt_empty(KT_SHAPE(half), .dtype = KT_U8), *from = numbers(KT_SHAPE(half), KT_U8);
    double        best = INFINITY, copy = INFINITY;
    for (int r = 0; r < ROUNDS; r++) { /* in turns, so that a disturbance meets both */
        best = fmin(best, seconds_of(w));
        const double start = now();
        kt_copy_(to, from);
        copy = fmin(copy, now() - start);
    }
    const double speed = bytes / best * 1e-9;
    printf("%-32s %7.2f GB/s   copy of the same bytes %7.2f GB/s   ratio %5.2f", name, speed, bytes / copy * 1e-9,
           copy / best);
    if (baseline > 0)
        printf("   of float32 + float32 %5.2f", speed / baseline);
    printf("\n");
    return speed;
}

#endif
