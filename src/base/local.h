/* local.h - thread-local state that is read on every call, and what to run when a thread ends.
 *
 * In: nothing. Out: the attribute of hot thread-local variables, exit hooks. Independent of: what the state is for.
 *
 * A hot variable uses the initial-exec model: one load, no call. The price: the whole thread-local segment of the
 * library then lives in the static area, of which a library opened at run time gets only some hundred bytes. So keep
 * thread-local variables to a pointer or a few words, allocate what is large, and free it in an exit hook. */
#ifndef KT_BASE_LOCAL_H
#define KT_BASE_LOCAL_H

#include <stdbool.h>

#define KT__LIKELY(x)   __builtin_expect(!!(x), 1)
#define KT__UNLIKELY(x) __builtin_expect(!!(x), 0)
#define KT__COLD        __attribute__((noinline, cold))
#define KT__HOT         __attribute__((hot))
#define KT__HOT_LOCAL   _Thread_local __attribute__((tls_model("initial-exec")))
#define KT__HIDDEN      __attribute__((visibility("hidden"))) /* of data: its address is known, no load from the GOT */

/* Words that one thread writes and others may read for statistics: plain loads and stores, never torn. */
#define KT__PEEK(x)     __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define KT__POKE(x, v)  __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)

/* Lives in the caller's storage until it has run; hooks run last in, first out. A hook may register another one. */
typedef struct kt__exit_hook {
    void (*run)(struct kt__exit_hook *hook);
    struct kt__exit_hook *next;
} kt__exit_hook;

/* False when the system is out of keys: nothing was registered. The main thread's hooks run only if that thread ends
 * before the process does. */
bool kt__on_thread_exit(kt__exit_hook *hook, void (*run)(kt__exit_hook *hook));

#endif
