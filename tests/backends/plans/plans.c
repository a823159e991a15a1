/* plans.c - a test plugin that writes down every plan: one line each (support/plan_text.h), for tests in Python, through ctypes.
 * In: plans, as a watcher of karat/plugin/watch.h gets them. Out: text. It is no backend: it has no kt_plugin_open. */
#include <karat/plugin/watch.h>

#include <pthread.h>
#include <stdlib.h>

#include "support/plan_text.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char           *text;
static size_t          used, room;

static void before(const kt_plan *plan, void *context)
{
    char line[512];
    (void)context;
    plan_text(plan, line, sizeof line);
    const size_t n = strlen(line);
    pthread_mutex_lock(&lock);
    if (used + n + 2 > room) {
        char *more = realloc(text, 2 * room + n + 2);
        if (more) {
            text = more;
            room = 2 * room + n + 2;
        }
    }
    if (used + n + 2 <= room) {
        memcpy(text + used, line, n);
        used += n;
        text[used++] = '\n';
        text[used] = '\0';
    }
    pthread_mutex_unlock(&lock);
}

static const kt_watcher watcher = {.abi = KT_WATCH_ABI, .size = sizeof watcher, .before = before};

KT_API int         plans_begin(void); /* 0: the plans of all calls from now on are written down */
KT_API const char *plans_end(void);   /* what was; good until plans_begin is called again */

int plans_begin(void)
{
    used = 0;
    if (text)
        text[0] = '\0';
    return kt_watch(&watcher);
}

const char *plans_end(void)
{
    kt_unwatch(&watcher);
    return text ? text : "";
}
