/* thread.c - how many threads there are, and the splitting of a range over them.
 *
 * In: a range and a function over parts of it. Out: each index visited once. Independent of: what the work is.
 *
 * OpenMP in the normal build, since that is the pool oneDNN uses; our own pool (pool.c) without it, as for the thread
 * sanitizer, which cannot see into OpenMP's. After a fork the child stays single-threaded: the workers do not exist
 * there, and OpenMP does not know. */
#define _GNU_SOURCE 1 /* sched_getaffinity */
#include "base/thread.h"

#include "base/env.h"
#include "base/error.h"
#include "base/local.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(_OPENMP) && !defined(KT_NO_OPENMP)
#define WITH_OPENMP 1
#include <omp.h>
#else
#define WITH_OPENMP 0
#include "base/pool.h"
#endif

static pthread_once_t     once = PTHREAD_ONCE_INIT;
static int                threads; /* atomic */
static bool               forked;  /* set in a child, which then has one thread */
static KT__HOT_LOCAL bool inside;
#if WITH_OPENMP
static KT__HOT_LOCAL bool deaf; /* a worker to which no signal goes */
#endif

static int positive(const char *text)
{
    const long n = text ? strtol(text, NULL, 10) : 0; /* "4,2" is OpenMP's list for nested regions: the first counts */
    return n < 1 ? 0 : n > KT_MOST_THREADS ? KT_MOST_THREADS : (int)n;
}

static int cores(void)
{
    cpu_set_t set;
    const int mine = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    const int all = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return mine > 0 ? mine : all > 0 ? all : 1;
}

static void in_child(void)
{
    forked = true;
    inside = false;
    __atomic_store_n(&threads, 1, __ATOMIC_RELAXED);
}

static void start(void)
{
    int n = positive(kt__env("KARAT_NUM_THREADS"));
    if (!n) {
        const int asked = positive(getenv("OMP_NUM_THREADS")), most = cores();
        n = asked && asked < most ? asked : most;
    }
    __atomic_store_n(&threads, n < KT_MOST_THREADS ? n : KT_MOST_THREADS, __ATOMIC_RELAXED);
    pthread_atfork(NULL, NULL, in_child);
}

/* Runs at load, before there are threads, so that a fork cannot interrupt initialization. */
__attribute__((constructor)) static void ready(void)
{
    pthread_once(&once, start);
}

int kt_get_num_threads(void)
{
    ready();
    return __atomic_load_n(&threads, __ATOMIC_RELAXED);
}

kt_status kt_set_num_threads(int n)
{
    if (n < 1)
        return kt_fail(KT_ERR_RUNTIME, "set_num_threads expects a positive integer");
    ready();
    if (!forked)
        __atomic_store_n(&threads, n < KT_MOST_THREADS ? n : KT_MOST_THREADS, __ATOMIC_RELAXED);
    return KT_OK;
}

int kt__hold_openmp(int n)
{
#if WITH_OPENMP
    const int was = omp_get_max_threads();
    if (n > 0 && n != was)
        omp_set_num_threads(n);
    return was;
#else
    (void)n;
    return 0;
#endif
}

static void hold_here(sigset_t *were)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t         others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_BLOCK, &others, were);
}

void kt__hold_signals(int n, sigset_t *were)
{
    hold_here(were);
#if WITH_OPENMP
    if (n <= 1 || omp_in_parallel())
        return;
#pragma omp parallel num_threads(n)
    if (omp_get_thread_num() != 0 && !deaf) { /* for good: signals go to the program's threads */
        hold_here(NULL);
        deaf = true;
    }
#else
    (void)n;
#endif
}

void kt__let_signals(const sigset_t *were) { pthread_sigmask(SIG_SETMASK, were, NULL); }

bool kt__in_parallel(void)
{
    return inside;
}

typedef struct job {
    kt__range_fn *fn;
    void         *ctx;
    int64_t       n;
} job;

/* The part-th of `parts` pieces that differ by at most one. */
static void run_part(void *arg, int part, int parts)
{
    const job    *j = arg;
    const int64_t size = j->n / parts, left = j->n % parts;
    const int64_t begin = size * part + (part < left ? part : left);
    inside = true;
    j->fn(j->ctx, begin, begin + size + (part < left));
    inside = false;
}

void kt__parallel(int64_t n, int64_t grain, kt__range_fn *fn, void *ctx)
{
    if (n <= 0)
        return;
    if (n <= grain || inside) {
        fn(ctx, 0, n);
        return;
    }
    int64_t parts = grain > 1 ? n / grain + (n % grain != 0) : n;
    if (parts > kt_get_num_threads())
        parts = kt_get_num_threads();
    if (parts <= 1) {
        fn(ctx, 0, n);
        return;
    }
    job j = {fn, ctx, n};
#if WITH_OPENMP
    if (omp_in_parallel()) {
        fn(ctx, 0, n);
        return;
    }
#pragma omp parallel num_threads((int)parts)
    run_part(&j, omp_get_thread_num(), omp_get_num_threads());
#else
    if (!kt__pool_run((int)parts, run_part, &j))
        fn(ctx, 0, n);
#endif
}
