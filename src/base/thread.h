/* thread.h - one way to split work over threads.
 *
 * In: a range and a function over parts of it. Out: each index visited once, by the time the call returns. Independent
 * of: what the work is.
 *
 * The function runs on the calling thread and on workers, which do not share its error, scopes or modes: it must not
 * fail, open scopes or create tensors. */
#ifndef KT_BASE_THREAD_H
#define KT_BASE_THREAD_H

#include <karat/base.h>

#include <signal.h>

enum { KT_MOST_THREADS = 1024 };

typedef void kt__range_fn(void *ctx, int64_t begin, int64_t end);

/* Serial when n <= grain, with one thread, and inside another parallel region. No part is shorter than about `grain`. */
void kt__parallel(int64_t n, int64_t grain, kt__range_fn *fn, void *ctx);

/* How many threads a foreign library may start through OpenMP on this thread; returns what it was. Without OpenMP: 0, and
 * nothing is changed. */
int kt__hold_openmp(int n);

/* For code that runs without a stack, where a signal's handler would write over memory: signals wait until kt__let_signals, on
 * this thread and on the others of the `threads` that the code may use through OpenMP. Those that a thread's own mistake raises
 * (SIGSEGV) do not wait. */
void kt__hold_signals(int threads, sigset_t *were);
void kt__let_signals(const sigset_t *were);

bool kt__in_parallel(void); /* is this a part of a kt__parallel? */

#endif
