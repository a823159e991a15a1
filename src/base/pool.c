/* pool.c - a plain pool of threads: workers take the parts of one job at a time.
 *
 * In: a function of (part, parts). Out: all parts done. Independent of: what the work is.
 *
 * Correct and simple rather than fast: it serves builds without OpenMP, the thread sanitizer's among them. Workers are
 * created when first needed and sleep between jobs for the life of the process; after a fork the child starts with none. */
#include "base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

enum { MOST_WORKERS = 63 };

static pthread_mutex_t owner = PTHREAD_MUTEX_INITIALIZER; /* held by the thread whose job it is */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  /* for everything below */
static pthread_cond_t  wake = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static int             workers;
static void (*job_work)(void *arg, int part, int parts);
static void *job_arg;
static int   job_parts, next_part, parts_left;

static void in_child(void)
{
    pthread_mutex_init(&owner, NULL);
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&wake, NULL);
    pthread_cond_init(&done, NULL);
    workers = 0;
    job_work = NULL;
    next_part = job_parts = parts_left = 0;
}

static void hold(void)
{
    pthread_mutex_lock(&lock);
}

static void let_go(void)
{
    pthread_mutex_unlock(&lock);
}

/* Takes parts until none is left; `lock` is held on entry and on return. */
static void take_parts(void)
{
    while (next_part < job_parts) {
        const int part = next_part++, parts = job_parts;
        void (*work)(void *, int, int) = job_work;
        void *arg = job_arg;
        pthread_mutex_unlock(&lock);
        work(arg, part, parts);
        pthread_mutex_lock(&lock);
        if (--parts_left == 0)
            pthread_cond_signal(&done);
    }
}

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        take_parts();
        pthread_cond_wait(&wake, &lock);
    }
    return unused;
}

static void add_workers(int wanted)
{
    static bool at_fork;
    if (!at_fork)
        at_fork = pthread_atfork(hold, let_go, in_child) == 0;
    sigset_t all, old;
    sigfillset(&all); /* signals go to the program's threads */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (workers < wanted && workers < MOST_WORKERS) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker, NULL) != 0) {
            break; /* fewer workers take more parts each */
        }
        pthread_detach(thread);
        workers++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

bool kt__pool_run(int parts, void (*work)(void *arg, int part, int parts), void *arg)
{
    if (pthread_mutex_trylock(&owner) != 0)
        return false;
    pthread_mutex_lock(&lock);
    add_workers(parts - 1);
    job_work = work;
    job_arg = arg;
    job_parts = parts_left = parts;
    next_part = 0;
    pthread_cond_broadcast(&wake);
    take_parts();
    while (parts_left > 0)
        pthread_cond_wait(&done, &lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&owner);
    return true;
}
