/* local.c - runs the exit hooks of a thread through one pthread key.
 *
 * In: hooks, in their owners' storage. Out: each is run once when its thread ends. Independent of: what a hook frees. */
#include "base/local.h"

#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t  key;
static bool           have_key;

static KT__HOT_LOCAL kt__exit_hook *hooks;
static KT__HOT_LOCAL bool           armed;

static void run_hooks(void *unused)
{
    (void)unused;
    while (hooks) {
        kt__exit_hook *hook = hooks;
        hooks = hook->next;
        hook->run(hook);
    }
    armed = false;
}

static void make_key(void)
{
    have_key = pthread_key_create(&key, run_hooks) == 0;
}

/* The library may be closed while threads are running: they must not call into it any more. */
__attribute__((destructor)) static void drop_key(void)
{
    if (have_key)
        pthread_key_delete(key);
}

bool kt__on_thread_exit(kt__exit_hook *hook, void (*run)(kt__exit_hook *hook))
{
    if (!armed) {
        pthread_once(&once, make_key);
        if (!have_key || pthread_setspecific(key, &key) != 0)
            return false;
        armed = true;
    }
    hook->run = run;
    hook->next = hooks;
    hooks = hook;
    return true;
}
