/* thread.c - kt__parallel visits each index once, alone or nested, from several threads, and in a fork's child. */
#include "harness.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 10007 };

typedef struct visit {
    unsigned char seen[N];
    int           parts;
} visit;

static void mark(void *ctx, int64_t begin, int64_t end)
{
    visit *v = ctx;
    for (int64_t i = begin; i < end; i++) {
        v->seen[i]++; /* parts never share an index: plain writes, which the thread sanitizer checks */
    }
    __atomic_fetch_add(&v->parts, 1, __ATOMIC_RELAXED);
}

static bool each_once(const visit *v, int64_t n)
{
    for (int64_t i = 0; i < N; i++) {
        if (v->seen[i] != (i < n))
            return false;
    }
    return true;
}

TEST(each_index_once)
{
    const int     before = kt_get_num_threads();
    const int64_t sizes[] = {0, 1, 2, 3, 63, 64, 65, 1000, N}, grains[] = {0, 1, 7, 64, 5000, 1 << 20};
    CHECK(before >= 1);
    for (int threads = 1; threads <= 5; threads++) {
        CHECK_EQ_INT(kt_set_num_threads(threads), KT_OK);
        CHECK_EQ_INT(kt_get_num_threads(), threads);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            for (size_t g = 0; g < sizeof grains / sizeof grains[0]; g++) {
                visit v = {.parts = 0};
                kt__parallel(sizes[s], grains[g], mark, &v);
                CHECK(each_once(&v, sizes[s]));
                CHECK(v.parts <= threads);
                if (sizes[s] <= grains[g] || threads == 1) {
                    CHECK_EQ_INT(v.parts, sizes[s] > 0);
                } else if (grains[g] > 0) {
                    CHECK(v.parts <= (sizes[s] + grains[g] - 1) / grains[g]);
                }
            }
        }
    }
    kt_set_num_threads(before);
}

TEST(work_really_is_split)
{
    const int before = kt_get_num_threads();
    visit     v = {.parts = 0};
    kt_set_num_threads(3);
    kt__parallel(N, 1, mark, &v);
    CHECK_EQ_INT(v.parts, 3);
    CHECK(each_once(&v, N));
    kt_set_num_threads(before);
}

TEST(a_number_of_threads_is_positive)
{
    const int before = kt_get_num_threads();
    CHECK_FAILS(kt_set_num_threads(0), KT_ERR_RUNTIME, "set_num_threads expects a positive integer");
    CHECK_FAILS(kt_set_num_threads(-3), KT_ERR_RUNTIME, "set_num_threads expects a positive integer");
    CHECK_EQ_INT(kt_get_num_threads(), before);
    CHECK_EQ_INT(kt_set_num_threads(1 << 30), KT_OK);
    CHECK(kt_get_num_threads() <= 1024);
    kt_set_num_threads(before);
}

typedef struct outer {
    visit rows[4];
    int   nested_in_parallel;
} outer;

static void nest(void *ctx, int64_t begin, int64_t end)
{
    outer *o = ctx;
    for (int64_t i = begin; i < end; i++) {
        kt__parallel(N, 1, mark, &o->rows[i]);
        __atomic_fetch_add(&o->nested_in_parallel, kt__in_parallel(), __ATOMIC_RELAXED);
    }
}

TEST(nested_regions_are_serial)
{
    const int before = kt_get_num_threads();
    outer    *o = calloc(1, sizeof *o);
    REQUIRE(o != NULL);
    kt_set_num_threads(4);
    kt__parallel(4, 1, nest, o);
    for (int i = 0; i < 4; i++) {
        CHECK(each_once(&o->rows[i], N));
        CHECK_EQ_INT(o->rows[i].parts, 1);
    }
    CHECK_EQ_INT(o->nested_in_parallel, 4);
    CHECK(!kt__in_parallel());
    kt_set_num_threads(before);
    free(o);
}

typedef struct around {
    pthread_t caller;
    int       pending;
} around;

static void look_around(void *ctx, int64_t begin, int64_t end)
{
    around *a = ctx;
    if (end > begin && !pthread_equal(pthread_self(), a->caller))
        __atomic_fetch_add(&a->pending, kt_failed(), __ATOMIC_RELAXED);
}

TEST(workers_inherit_no_error)
{
    const int before = kt_get_num_threads();
    around    a = {pthread_self(), 0};
    kt_set_num_threads(3);
    kt_fail(KT_ERR_VALUE, "mine alone");
    for (int i = 0; i < 20; i++)
        kt__parallel(3, 1, look_around, &a);
    CHECK_EQ_INT(a.pending, 0);
    kt_clear();
    kt_set_num_threads(before);
}

static void *caller(void *unused)
{
    for (int i = 0; i < 50; i++) {
        visit v = {.parts = 0};
        kt__parallel(N, 100, mark, &v);
        CHECK(each_once(&v, N));
    }
    return unused;
}

TEST(several_threads_may_call)
{
    const int before = kt_get_num_threads();
    pthread_t threads[3];
    kt_set_num_threads(2);
    for (int i = 0; i < 3; i++)
        REQUIRE(pthread_create(&threads[i], NULL, caller, NULL) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    kt_set_num_threads(before);
}

static int in_child(void)
{
    static visit v;
    size_t       granted;
    memset(&v, 0, sizeof v);
    if (kt_get_num_threads() != 1 || kt_set_num_threads(4) != KT_OK || kt_get_num_threads() != 1)
        return 1;
    kt__parallel(N, 1, mark, &v);
    if (v.parts != 1 || !each_once(&v, N))
        return 2;
    char *p = kt__block_get(1 << 20, &granted), *q = kt__pool_get(200);
    if (!p || !q)
        return 3;
    memset(p, 1, granted);
    memset(q, 1, 200);
    kt__block_put(p, granted);
    kt__pool_put(q, 200);
    kt_memory_trim();
    return kt_fail(KT_ERR_VALUE, "tell") == KT_ERR_VALUE && kt_set_num_threads(1) == KT_OK ? 0 : 4;
}

static void *churn(void *stop)
{
#ifdef KT_ASAN
    (void)stop; /* AddressSanitizer's own allocator cannot be forked while another thread is in it */
#else
    while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED)) { /* keeps the allocator's lock busy while we fork */
        size_t granted;
        void  *p = kt__block_get(100000, &granted);
        kt__block_put(p, granted);
    }
#endif
    return NULL;
}

TEST(a_forks_child_works_alone)
{
    const int before = kt_get_num_threads();
    bool      stop = false;
    pthread_t thread;
    visit     v = {.parts = 0};
    kt_set_num_threads(3);
    kt__parallel(N, 1, mark, &v); /* the workers exist now */
    REQUIRE(pthread_create(&thread, NULL, churn, &stop) == 0);
    for (int i = 0; i < 20; i++) {
        const pid_t pid = fork();
        if (pid == 0) {
            alarm(30); /* a child that hangs is a failure */
            _exit(in_child());
        }
        int status = -1;
        CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
        CHECK_EQ_INT(status, 0);
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    memset(&v, 0, sizeof v);
    kt__parallel(N, 1, mark, &v); /* the parent goes on as before */
    CHECK_EQ_INT(v.parts, 3);
    kt_set_num_threads(before);
}
