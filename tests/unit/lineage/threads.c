/* threads.c - many threads intern the same records and sites at once; a process forks while they do. */
#include "harness.h"
#include "lineage/intern.h"
#include "lineage/lineage.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 6, KEYS = 3000, ROUNDS = 3 };

static const kt_site *lines;         /* one a key */
static const char    *names[KEYS];
static uint32_t       seen[THREADS][KEYS];
static bool           go;

static uint32_t record_of(int key)
{
    kt_site_set(&lines[key % 700]);
    const uint32_t a = kt__lineage_record(KT_BORN, names[key], KT_NONE, KT_F32, 0);
    return kt__lineage_record(KT_WHY_EXPLICIT, "to", KT_F32, KT_F16, a);
}

static void *work(void *arg)
{
    uint32_t *mine = arg;
    while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) {
    }
    const int start = (int)((mine - &seen[0][0]) / KEYS) * 37;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < KEYS; i++) {
            const int      key = (i + start) % KEYS;
            const uint32_t id = record_of(key);
            if (round > 0 && id != mine[key]) {
                mine[key] = 0;
            } else {
                mine[key] = id;
            }
            kt_lineage_record r = {.size = sizeof r};
            if (!kt_lineage_read(id, &r) || !kt_lineage_read(r.parent, &r) || strcmp(r.op, names[key]) != 0)
                mine[key] = 0;
        }
    }
    return NULL;
}

static void prepare(const char *prefix)
{
    static kt_site made[700];
    for (int i = 0; i < 700; i++)
        made[i] = (kt_site){"threads.c", i + 1};
    lines = made;
    for (int i = 0; i < KEYS; i++) {
        char op[48];
        snprintf(op, sizeof op, "%s%d", prefix, i);
        names[i] = kt__intern_text(op);
    }
}

TEST(threads_agree_on_ids)
{
    prepare("hammer");
    const uint32_t before = kt__lineage_count();
    pthread_t      threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, work, seen[i]) == 0);
    __atomic_store_n(&go, true, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int key = 0; key < KEYS; key++) {
        for (int i = 0; i < THREADS; i++) {
            if (!CHECK(seen[i][key] != 0) || !CHECK_EQ_INT(seen[i][key], seen[0][key]))
                return;
        }
    }
    CHECK_EQ_INT(kt__lineage_count() - before, 2 * KEYS);
}

#ifndef KT_TSAN
static bool stop;

static void *churn(void *arg)
{
    char op[48];
    for (int i = 0; !__atomic_load_n(&stop, __ATOMIC_ACQUIRE) && i < 200000; i++) {
        snprintf(op, sizeof op, "churn%p %d", arg, i);
        const char *name = kt__intern_text(op);
        if (name)
            kt__lineage_record(KT_BORN, name, KT_NONE, KT_F32, 0);
    }
    return NULL;
}
#endif

/* The child must find the lock open, whatever the other threads were doing. */
TEST(fork_while_threads_intern)
{
#ifdef KT_TSAN
    test_skip("the thread sanitizer does not follow a fork of many threads");
#else
    pthread_t threads[2];
    int       marks[2];
    for (int i = 0; i < 2; i++)
        REQUIRE(pthread_create(&threads[i], NULL, churn, &marks[i]) == 0);
    for (int i = 0; i < 20; i++) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            const char    *name = kt__intern_text("born in a child");
            const uint32_t id = name ? kt__lineage_record(KT_BORN, name, KT_NONE, KT_F32, 0) : 0;
            _exit(id != 0 && id != KT__UNTRACKED ? 0 : 1);
        }
        int status = -1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "child %d ended with %#x", i, (unsigned)status);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
#endif
}

static void *one_record(void *arg)
{
    *(uint32_t *)arg = record_of(0);
    return NULL;
}

TEST(a_thread_gives_its_cache_back)
{
    prepare("brief");
    uint32_t first = 0;
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        uint32_t  id = 0;
        REQUIRE(pthread_create(&thread, NULL, one_record, &id) == 0);
        pthread_join(thread, NULL);
        first = first ? first : id;
        CHECK_EQ_INT(id, first);
    }
}
