/* rng.c - the generator: mt19937's published numbers, draws of two widths, states, sharing among threads, fork. */
#include "harness.h"

#include <karat/karat.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"

TEST(published_numbers)
{
    kt_generator *g = kt_generator_new();
    REQUIRE(g);
    CHECK_EQ_U64(kt_generator_initial_seed(g), 67280421310721);
    kt_generator_manual_seed(g, 5489);
    CHECK_EQ_U64(kt__rng_u32(g), 3499211612u);
    for (int i = 1; i < 9999; i++)
        kt__rng_u32(g);
    CHECK_EQ_U64(kt__rng_u32(g), 4123659995u); /* the 10,000th: the C++ standard's check of mt19937 */
    kt_generator_drop(g);
}

TEST(every_way_of_drawing_is_one_stream)
{
    kt_generator *g = kt_generator_new(), *h = kt_generator_new();
    uint32_t      some[1500];
    REQUIRE(g && h);
    kt_generator_manual_seed(g, 3);
    kt_generator_manual_seed(h, 3);
    for (int n = 1; n < 1500; n += 211) {
        kt__rng_fill(g, some, n);
        for (int i = 0; i < n; i++)
            if (!CHECK_EQ_U64(some[i], kt__rng_u32(h)))
                return;
    }
    const uint64_t high = kt__rng_u32(g), low = kt__rng_u32(g);
    CHECK_EQ_U64(kt__rng_u64(h), high << 32 | low);
    kt_generator_drop(g);
    kt_generator_drop(h);
}

static void check_same_future(kt_generator *a, kt_generator *b)
{
    CHECK_NEAR(kt__rng_normal(a), kt__rng_normal(b), 0);
    CHECK_NEAR(kt__rng_normal(a), kt__rng_normal(b), 0);
    for (int i = 0; i < 2000; i++)
        if (!CHECK_EQ_U64(kt__rng_u32(a), kt__rng_u32(b)))
            return;
}

TEST(a_state_goes_on_where_it_was_taken)
{
    static const int drawn[] = {0, 1, 623, 624, 625, 1000};
    unsigned char    state[KT_GENERATOR_STATE], again[KT_GENERATOR_STATE];
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        for (int normal = 0; normal < 2; normal++) {
            kt_generator *g = kt_generator_new(), *h = kt_generator_new();
            REQUIRE(g && h);
            kt_generator_manual_seed(g, 11 + (uint64_t)i);
            for (int k = 0; k < drawn[i]; k++)
                kt__rng_u32(g);
            if (normal)
                kt__rng_normal(g); /* its twin waits */
            kt_generator_get_state(g, state);
            CHECK_EQ_INT(kt_generator_set_state(h, state, sizeof state), KT_OK);
            kt_generator_get_state(h, again);
            CHECK_MEM(again, state, sizeof state);
            CHECK_EQ_U64(kt_generator_initial_seed(h), 11 + i);
            check_same_future(g, h);
            kt_generator_drop(g);
            kt_generator_drop(h);
        }
}

TEST(the_layout_of_a_state)
{
    unsigned char state[KT_GENERATOR_STATE];
    uint64_t      seed, next, word;
    int32_t       left;
    kt_generator *g = kt_generator_new();
    REQUIRE(g);
    kt_generator_manual_seed(g, 5);
    for (int drawn = 0; drawn <= 3; drawn += 3) {
        for (int i = 0; i < drawn; i++)
            kt__rng_u32(g);
        kt_generator_get_state(g, state);
        memcpy(&seed, state, 8), memcpy(&left, state + 8, 4), memcpy(&next, state + 16, 8), memcpy(&word, state + 24, 8);
        CHECK_EQ_U64(seed, 5);
        CHECK_EQ_INT(left, drawn ? 622 : 1); /* as PyTorch 2.11 gives them */
        CHECK_EQ_U64(next, drawn);
        CHECK_EQ_U64(word, drawn ? 4081643083u : 5);
    }
    kt_generator_drop(g);
}

TEST(wrong_states_are_refused)
{
    unsigned char state[KT_GENERATOR_STATE];
    kt_generator *g = kt_generator_new();
    REQUIRE(g);
    kt_generator_get_state(g, state);
    CHECK_FAILS(kt_generator_set_state(g, state, 100), KT_ERR_RUNTIME,
                "Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 100");
    memset(state, 0, sizeof state);
    CHECK_FAILS(kt_generator_set_state(g, state, sizeof state), KT_ERR_RUNTIME, "Invalid mt19937 state");
    kt_generator_get_state(g, state);
    state[17] = 0xff; /* next, past the block */
    CHECK_FAILS(kt_generator_set_state(g, state, sizeof state), KT_ERR_RUNTIME, "Invalid mt19937 state");
    kt_generator_drop(g);
    kt_generator_drop(NULL);
    kt_generator_drop(kt_default_generator());
}

TEST(seeding_from_the_system)
{
    const uint64_t a = kt_seed(), b = kt_seed();
    CHECK(a != b);
    CHECK_EQ_U64(kt_initial_seed(), b);
    kt_manual_seed(3);
    CHECK_EQ_U64(kt_initial_seed(), 3);
}

/* ---- threads ---- */
enum { EACH = 4000, BLOCK = 10 };

static void *draw_blocks(void *to)
{
    uint32_t *at = to;
    for (int i = 0; i < EACH; i += BLOCK) {
        kt__rng_lock(kt_default_generator());
        kt__rng_fill(kt_default_generator(), at + i, BLOCK);
        kt__rng_unlock(kt_default_generator());
    }
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

TEST(two_threads_share_one_stream)
{
    static uint32_t drawn[2 * EACH], want[2 * EACH];
    pthread_t       other;
    kt_manual_seed(77);
    REQUIRE(pthread_create(&other, NULL, draw_blocks, drawn) == 0);
    draw_blocks(drawn + EACH);
    pthread_join(other, NULL);
    kt_manual_seed(77);
    kt__rng_fill(kt_default_generator(), want, 2 * EACH);
    qsort(drawn, 2 * EACH, sizeof *drawn, by_value);
    qsort(want, 2 * EACH, sizeof *want, by_value);
    CHECK_MEM(drawn, want, sizeof want); /* each number once, whoever drew it */
}

static void *draw_forever(void *stop)
{
    while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) {
        kt__rng_lock(kt_default_generator());
        kt__rng_u32(kt_default_generator());
        kt__rng_unlock(kt_default_generator());
    }
    return NULL;
}

TEST(a_child_may_draw_whoever_held_the_lock)
{
    int       stop = 0;
    pthread_t other;
    REQUIRE(pthread_create(&other, NULL, draw_forever, &stop) == 0);
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(5);
            kt_manual_seed(1);
            _exit(kt_initial_seed() == 1 ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(other, NULL);
}
