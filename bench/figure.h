/* figure.h - one line of a benchmark: bytes moved per second by some work, beside a plain threaded copy of as many bytes taken in
 * the same breath, and the ratio. */
#ifndef KT_BENCH_FIGURE_H
#define KT_BENCH_FIGURE_H

#include <karat/karat.h>

#include <math.h>
#include <time.h>

enum { ROUNDS = 81 };
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

static void run_copy(const work *w) { kt_copy_(w->to, w->a); }

static double seconds_of(const work *w)
{
    const double start = now();
    w->run(w);
    return now() - start;
}

/* Best times of the work, of the copy and, if given, of `other`: taken in turns, so that a disturbance meets all. */
static void figure_beside(const char *name, const work *w, double bytes, const work *other, double other_bytes)
{
    KT_SCOPE;
    const int64_t half = (int64_t)(bytes / 2);
    kt_tensor    *to = kt_empty(KT_SHAPE(half), .dtype = KT_U8), *from = numbers(KT_SHAPE(half), KT_U8);
    const work    copying = {run_copy, to, from, NULL};
    double        best = INFINITY, copy = INFINITY, beside = INFINITY;
    for (int r = 0; r < ROUNDS; r++) {
        best = fmin(best, seconds_of(w));
        copy = fmin(copy, seconds_of(&copying));
        if (other)
            beside = fmin(beside, seconds_of(other));
    }
    printf("%-32s %7.2f GB/s   copy of the same bytes %7.2f GB/s   ratio %5.2f", name, bytes / best * 1e-9, bytes / copy * 1e-9,
           copy / best);
    if (other)
        printf("   of float32 + float32 %5.2f", bytes / best / (other_bytes / beside));
    printf("\n");
}

static inline void figure(const char *name, const work *w, double bytes) { figure_beside(name, w, bytes, NULL, 0); }

#endif
