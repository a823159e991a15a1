/* pool.h - worker threads of our own, for builds without OpenMP.
 *
 * In: a function of (part, parts). Out: all parts done. Independent of: what the work is. */
#ifndef KT_BASE_POOL_H
#define KT_BASE_POOL_H

#include <stdbool.h>

/* Runs work(arg, 0 .. parts-1, parts), part 0 on the calling thread. False, and nothing ran, when the pool is busy with
 * another thread's job: the caller then does the work alone. With fewer workers than wanted, parts share a thread. */
bool kt__pool_run(int parts, void (*work)(void *arg, int part, int parts), void *arg);

#endif
