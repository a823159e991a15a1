/* draws.c - a device with generators of its own: its numbers, how its offset moves, which generators a call accepts, what the CPU
 * draws for it, captures. The mirror has them if MIRROR_DRAWS is set when it is opened. The numbers are those that PyTorch
 * 2.11 printed on a GPU of 132 multiprocessors for seed 42. */
#include "harness.h"

#include <dlfcn.h>
#include <karat/device.h>
#include <karat/karat.h>
#include <karat/plugin/backend.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"

#ifndef KT_MIRROR_PLUGIN
#define KT_MIRROR_PLUGIN KT_TEST_BUILD_DIR "/backends/mirror.so"
#endif

enum { H200 = 132, EARLY_SEED = 77 };

static kt_device mirror;
static void    (*set_multiprocessors)(int);

static bool load(void)
{
    if (mirror.kind == 0) {
        kt_manual_seed(EARLY_SEED); /* before anybody has asked for the device */
        setenv("MIRROR_DRAWS", "1", 1);
        if (!CHECK_EQ_INT(kt_backend_load(KT_MIRROR_PLUGIN), KT_OK))
            return false;
        mirror = kt_device_find("mirror:1");
        CHECK_EQ_U64(kt_generator_initial_seed(kt_default_generator_of(mirror)), EARLY_SEED);
        void *plugin = dlopen(KT_MIRROR_PLUGIN, RTLD_NOW | RTLD_NOLOAD);
        *(void **)&set_multiprocessors = plugin ? dlsym(plugin, "mirror_multiprocessors") : NULL;
    }
    return CHECK(mirror.kind > KT_META) && CHECK(set_multiprocessors != NULL);
}

static kt_generator *own(void) { return kt_default_generator_of(mirror); }

static void read_floats(kt_tensor *t, float *to, size_t n) { CHECK_EQ_INT(kt_read(t, to, n * sizeof *to), KT_OK); }

static float float_at(kt_tensor *t, int64_t i) { return (float)kt_item(kt_select(t, 0, i)); }

/* ---- PyTorch's numbers ---- */
static const float rand8[16] = {0x1.39d5e0p-1f, 0x1.499bb4p-7f, 0x1.97f9c2p-2f, 0x1.4a34d6p-5f, 0x1.4008c8p-3f, 0x1.ee0d6cp-2f,
                                0x1.78f568p-1f, 0x1.9fb9bcp-2f, /* and the next call */ 0x1.f9b642p-1f, 0x1.07fc8ap-3f,
                                0x1.1fcc1ep-1f, 0x1.0b51bep-1f, 0x1.7d2c2cp-1f, 0x1.30e258p-1f, 0x1.edee12p-1f, 0x1.cbbbd2p-1f};

TEST(uniform_numbers_are_those_of_pytorch_on_a_gpu)
{
    if (!load())
        return;
    KT_SCOPE;
    float back[8];
    kt_manual_seed(42);
    for (int i = 0; i < 2; i++) {
        read_floats(kt_rand(KT_SHAPE(8), .device = mirror), back, 8);
        CHECK_MEM(back, rand8 + 8 * i, sizeof back);
        CHECK_EQ_U64(kt_generator_offset(own()), 4 * (i + 1));
    }
    kt_manual_seed(42);
    read_floats(kt_uniform_(kt_empty(KT_SHAPE(8), .device = mirror), .from = -2, .to = KT_SOME(3)), back, 8);
    CHECK_MEM(back, ((float[]){0x1.1096b0p+0f, -0x1.f31feap+0f, -0x1.03e6c0p-7f, -0x1.cc67bep+0f, -0x1.37fa84p+0f, 0x1.a6431cp-2f,
                               0x1.ae6584p+0f, 0x1.ea0ac0p-6f}), sizeof back);
    kt_manual_seed(42); /* the order is the memory's */
    kt_tensor *t = kt_empty(KT_SHAPE(2, 4), .device = mirror);
    kt_uniform_(kt_transpose(t, 0, 1));
    read_floats(t, back, 8);
    CHECK_MEM(back, rand8, sizeof back);
}

TEST(the_grid_follows_from_the_multiprocessors)
{
    static const struct {
        int64_t  n, at[3];
        float    value[3];
        uint64_t offset;
    } cases[] = {
        {1025, {512, 717, 1024}, {0x1.681c4ap-2f, 0x1.87fa0cp-1f, 0x1.62e3dep-1f}, 4},
        {270337, {135168, 189235, 270336}, {0x1.7fc8a6p-1f, 0x1.3c4f0ap-1f, 0x1.dfd524p-2f}, 4},
        {1000003, {500001, 700002, 1000002}, {0x1.28d2f8p-2f, 0x1.07e548p-1f, 0x1.2bb246p-2f}, 4},
        {1081345, {540672, 756941, 1081344}, {0x1.2bf50ap-4f, 0x1.3f76e0p-1f, 0x1.f9b642p-1f}, 8},
        {3000001, {1500000, 2100000, 3000000}, {0x1.419ad4p-2f, 0x1.c55276p-1f, 0x1.fe6daep-1f}, 12},
    };
    if (!load())
        return;
    set_multiprocessors(H200);
    kt_device_properties facts = {.size = sizeof facts};
    CHECK_EQ_INT(kt_device_ask(mirror, &facts), KT_OK);
    CHECK_EQ_INT(facts.multiprocessors, H200);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        KT_SCOPE;
        kt_manual_seed(42);
        kt_tensor *t = kt_rand(KT_SHAPE(cases[i].n), .device = mirror);
        CHECK_EQ_U64(kt_generator_offset(own()), cases[i].offset);
        CHECK_NEAR(float_at(t, 0), rand8[0], 0);
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(float_at(t, cases[i].at[j]), cases[i].value[j], 0);
    }
    KT_SCOPE; /* one multiprocessor has 2048 threads: element 2048 is thread 0's second draw, 8192 its second step */
    set_multiprocessors(1);
    kt_manual_seed(42);
    kt_tensor *t = kt_rand(KT_SHAPE(8193), .device = mirror);
    CHECK_EQ_U64(kt_generator_offset(own()), 8);
    CHECK_NEAR(float_at(t, 8192), rand8[8], 0);
    CHECK_NEAR(float_at(t, 2048), 0x1.dfd524p-2f, 0); /* 270336 of 132 multiprocessors */
}

TEST(integers_and_coins_are_those_of_pytorch_on_a_gpu)
{
    static const int64_t ints[12] = {643, 409, 798, 250, 593, 47, 142, 276, 908, 721, 57, 257}, few[4] = {6, 4, 1, 1};
    static const float   coins[40] = {0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1,
                                      1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0};
    int64_t back[12];
    float   thrown[40];
    if (!load())
        return;
    KT_SCOPE;
    kt_manual_seed(42);
    CHECK_EQ_INT(kt_read(kt_randint(1000, KT_SHAPE(12), .device = mirror), back, sizeof back), KT_OK);
    CHECK_MEM(back, ints, sizeof back);
    kt_manual_seed(42);
    CHECK_EQ_INT(kt_read(kt_randint_low(-5, 7, KT_SHAPE(4), .device = mirror), back, sizeof few), KT_OK);
    CHECK_MEM(back, few, sizeof few);
    kt_manual_seed(42);
    read_floats(kt_bernoulli_float_(kt_empty(KT_SHAPE(40), .device = mirror), .p = KT_SOME(0.3)), thrown, 40);
    CHECK_MEM(thrown, coins, sizeof coins);
    CHECK_EQ_U64(kt_generator_offset(own()), 4);
}

TEST(dropout_is_that_of_pytorch_on_a_gpu)
{
    static const int zeros[] = {7, 14, 17, 23, 24, 26, 27, 29, 34, 38, 39};
    float            y[40], slope[40];
    int              n = 0;
    if (!load())
        return;
    KT_SCOPE;
    set_multiprocessors(132);
    kt_manual_seed(42);
    kt_tensor *x = kt_ones(KT_SHAPE(40), .device = mirror, .requires_grad = true);
    kt_tensor *dropped = kt_dropout(x, 0.3, true);
    CHECK_EQ_U64(kt_generator_offset(own()), 4);
    CHECK_STR(kt_grad_fn_name(dropped), "NativeDropoutBackward0");
    read_floats(kt_detach(dropped), y, 40);
    for (int i = 0; i < 40; i++) {
        const bool gone = n < (int)(sizeof zeros / sizeof *zeros) && zeros[n] == i;
        n += gone;
        CHECK_NEAR(y[i], gone ? 0 : (float)(1 / 0.7), 0);
    }
    CHECK_EQ_INT(kt_backward(kt_sum(dropped)), KT_OK);
    read_floats(kt_grad(x), slope, 40);
    CHECK_MEM(slope, y, sizeof y);
    set_multiprocessors(1); /* of 2048 threads: element 8192 is the first of thread 0's second step */
    kt_manual_seed(42);
    kt_tensor *drawn = kt_rand(KT_SHAPE(8193), .device = mirror);
    kt_manual_seed(42);
    kt_tensor *kept = kt_ne_s(kt_dropout(kt_ones(KT_SHAPE(8196), .device = mirror), 0.5, true), KT_INT(0));
    CHECK_EQ_INT((int)float_at(kept, 8192), float_at(drawn, 8192) < 0.5f);
    /* without vectors the order is that of bernoulli */
    kt_manual_seed(42);
    drawn = kt_rand(KT_SHAPE(8193), .device = mirror);
    kt_manual_seed(42);
    kept = kt_ne_s(kt_dropout(kt_ones(KT_SHAPE(8193), .device = mirror), 0.5, true), KT_INT(0));
    CHECK(kt_item(kt_sum(kt_ne(kept, kt_lt_s(drawn, KT_FLOAT(0.5))))) == 0);
}

/* ---- who draws ---- */
static void cpu_state(unsigned char *state) { kt_generator_get_state(NULL, state); }

TEST(a_draw_neither_waits_nor_touches_the_generator_of_the_cpu)
{
    unsigned char before[KT_GENERATOR_STATE], after[KT_GENERATOR_STATE];
    if (!load())
        return;
    KT_SCOPE;
    kt_manual_seed(5);
    cpu_state(before);
    const uint64_t waits = kt_host_waits(), falls = kt_fallbacks();
    kt_tensor     *x = kt_rand(KT_SHAPE(100), .device = mirror);
    CHECK(kt_dropout(x, 0.5, true) && kt_rand_like(x) && kt_randint(9, KT_SHAPE(3), .device = mirror));
    CHECK_EQ_U64(kt_generator_offset(own()), 4 * 4);
    CHECK_EQ_U64(kt_fallbacks(), falls);
    CHECK(kt_normal_(kt_empty_like(x)) && kt_randperm(9, .device = mirror) && kt_exponential_(x) &&
          kt_randn(KT_SHAPE(3), .device = mirror)); /* kernels that it lacks: no wait either */
    CHECK_EQ_U64(kt_fallbacks(), falls + 4);
    CHECK_EQ_U64(kt_host_waits(), waits);
    CHECK_EQ_U64(kt_generator_offset(own()), 8 * 4);
    cpu_state(after);
    CHECK_MEM(after, before, sizeof after);
    CHECK(kt_rand(KT_SHAPE(0), .device = mirror) != NULL); /* of nothing: no draw */
    CHECK_EQ_U64(kt_generator_offset(own()), 8 * 4);
    kt_rand(KT_SHAPE(3));
    cpu_state(after);
    CHECK(memcmp(after, before, sizeof after) != 0);
    CHECK_EQ_U64(kt_generator_offset(own()), 8 * 4);
}

/* A kernel that the device lacks (normal) or declines (a strided uniform) is drawn by the CPU, from {seed, offset} alone. */
static kt_tensor *draw_normals(kt_generator *g) { return kt_randn(KT_SHAPE(40), .device = mirror, .generator = g); }
static kt_tensor *draw_strided(kt_generator *g)
{
    return kt_uniform_(kt_slice(kt_empty(KT_SHAPE(80), .device = mirror), .step = KT_SOME(2)), .generator = g);
}
static kt_tensor *draw_weighted(kt_generator *g)
{
    return kt_bernoulli(kt_full(KT_SHAPE(40), KT_FLOAT(0.5), .device = mirror), .generator = g);
}

TEST(what_the_cpu_draws_for_a_device_follows_from_its_generator)
{
    static kt_tensor *(*const draws[])(kt_generator *) = {draw_normals, draw_strided, draw_weighted};
    if (!load())
        return;
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
        KT_SCOPE;
        float         first[40], second[40], again[40];
        kt_generator *g = NULL;
        REQUIRE(kt_generator_new_on(mirror, &g) == KT_OK);
        kt_generator_manual_seed(g, 9);
        read_floats(draws[i](g), first, 40);
        CHECK_EQ_U64(kt_generator_offset(g), 4);
        read_floats(draws[i](g), second, 40);
        CHECK(memcmp(first, second, sizeof first) != 0);
        kt_manual_seed(1234); /* not of this generator */
        CHECK_EQ_INT(kt_generator_set_offset(g, 4), KT_OK);
        read_floats(draws[i](g), again, 40);
        CHECK_MEM(again, second, sizeof again);
        kt_generator_drop(g);
    }
    KT_SCOPE;
    kt_manual_seed(3);
    kt_tensor *t = kt_randn(KT_SHAPE(100000), .device = mirror);
    CHECK_NEAR(kt_item(kt_mean(t)), 0, 0.02);
    CHECK_NEAR(kt_item(kt_std(t)), 1, 0.02);
}

/* ---- generators ---- */
TEST(a_generator_must_be_of_the_device)
{
    if (!load())
        return;
    KT_SCOPE;
    kt_generator *cpu = kt_generator_new(), *g = NULL, *other = NULL;
    REQUIRE(cpu && kt_generator_new_on(mirror, &g) == KT_OK && kt_generator_new_on(kt_device_find("mirror:0"), &other) == KT_OK);
    CHECK_EQ_INT(kt_generator_device(g).kind, mirror.kind);
    CHECK_EQ_INT(kt_generator_device(g).index, 1);
    CHECK_EQ_INT(kt_generator_device(cpu).kind, KT_CPU);
    static const char on_mirror[] = "Expected a 'mirror' device type for generator but found 'cpu'",
                      on_cpu[] = "Expected a 'cpu' device type for generator but found 'mirror'";
    kt_tensor *weights = kt_ones(KT_SHAPE(3), .device = mirror);
    CHECK_FAILS(kt_rand(KT_SHAPE(2), .device = mirror, .generator = cpu), KT_ERR_RUNTIME, on_mirror);
    CHECK_FAILS(kt_randn(KT_SHAPE(2), .device = mirror, .generator = cpu), KT_ERR_RUNTIME, on_mirror);
    CHECK_FAILS(kt_randperm(3, .device = mirror, .generator = cpu), KT_ERR_RUNTIME, on_mirror);
    CHECK_FAILS(kt_multinomial(weights, 2, .generator = cpu), KT_ERR_RUNTIME, on_mirror);
    CHECK_FAILS(kt_bernoulli(weights, .generator = cpu), KT_ERR_RUNTIME, on_mirror);
    CHECK_FAILS(kt_rand(KT_SHAPE(2), .generator = g), KT_ERR_RUNTIME, on_cpu);
    CHECK_FAILS(kt_randperm(3, .generator = g), KT_ERR_RUNTIME, on_cpu);
    CHECK_FAILS(kt_multinomial(kt_ones(KT_SHAPE(3)), 2, .generator = g), KT_ERR_RUNTIME, on_cpu);
    /* of nothing, and on the meta device, nobody asks */
    CHECK(kt_rand(KT_SHAPE(0), .generator = g) && kt_rand(KT_SHAPE(0), .device = mirror, .generator = cpu));
    CHECK(kt_rand(KT_SHAPE(2), .device = kt_device_find("meta"), .generator = g) != NULL);
    /* the index does not matter: {seed, offset} travel in the plan */
    float a[8], b[8];
    read_floats(kt_rand(KT_SHAPE(8), .device = mirror, .generator = g), a, 8);
    read_floats(kt_rand(KT_SHAPE(8), .device = mirror, .generator = other), b, 8);
    CHECK_MEM(a, b, sizeof a);
    CHECK_FAILS(kt_generator_new_on((kt_device){mirror.kind, 2}, &(kt_generator *){NULL}), KT_ERR_RUNTIME,
                "there is no such device");
    kt_generator_drop(cpu);
    kt_generator_drop(g);
    kt_generator_drop(other);
}

TEST(states_have_sixteen_bytes)
{
    if (!load())
        return;
    KT_SCOPE;
    unsigned char state[KT_GENERATOR_STATE];
    float         a[8], b[8];
    kt_generator *g = NULL;
    REQUIRE(kt_generator_new_on(mirror, &g) == KT_OK);
    CHECK_EQ_U64(kt_generator_initial_seed(g), 67280421310721);
    CHECK_EQ_U64(kt_generator_state_bytes(g), 16);
    kt_generator_manual_seed(g, 0x0102030405060708);
    CHECK_EQ_INT(kt_generator_set_offset(g, 0x104), KT_OK);
    memset(state, 0xee, sizeof state);
    kt_generator_get_state(g, state);
    CHECK_MEM(state, "\x08\x07\x06\x05\x04\x03\x02\x01\x04\x01\0\0\0\0\0\0\xee", 17);
    read_floats(kt_rand(KT_SHAPE(8), .device = mirror, .generator = g), a, 8);
    CHECK_EQ_INT(kt_generator_set_state(g, state, 16), KT_OK);
    read_floats(kt_rand(KT_SHAPE(8), .device = mirror, .generator = g), b, 8);
    CHECK_MEM(a, b, sizeof a);
    CHECK_EQ_U64(kt_generator_offset(g), 0x108);
    CHECK_EQ_INT(kt_generator_set_state(g, state, 8), KT_OK); /* the seed alone */
    CHECK_EQ_U64(kt_generator_offset(g), 0);
    CHECK_EQ_U64(kt_generator_initial_seed(g), 0x0102030405060708);
    CHECK_FAILS(kt_generator_set_state(g, state, 5), KT_ERR_RUNTIME, "RNG state is wrong size");
    CHECK_FAILS(kt_generator_set_offset(g, 3), KT_ERR_RUNTIME, "offset must be a multiple of 4");
    state[8] = 3;
    CHECK_FAILS(kt_generator_set_state(g, state, 16), KT_ERR_RUNTIME, "offset must be a multiple of 4");
    CHECK_FAILS(kt_generator_set_offset(NULL, 4), KT_ERR_RUNTIME, "CPU Generator does not use offset");
    kt_generator_seed(g);
    CHECK_EQ_U64(kt_generator_offset(g), 0);
    kt_generator_drop(g);
}

TEST(default_generators_last_and_are_seeded_together)
{
    if (!load())
        return;
    KT_SCOPE;
    kt_generator *first = kt_default_generator_of(kt_device_find("mirror:0"));
    CHECK(first != own() && own() == kt_default_generator_of(mirror));
    for (int i = 0; i < 3; i++) /* a borrowed one, dropped by mistake */
        kt_generator_drop(own());
    kt_generator_keep(own());
    kt_generator_manual_seed(own(), 5); /* alone */
    CHECK(kt_initial_seed() != 5 && kt_generator_initial_seed(first) != 5);
    kt_rand(KT_SHAPE(3), .device = mirror);
    kt_manual_seed(6);
    CHECK_EQ_U64(kt_generator_initial_seed(own()), 6);
    CHECK_EQ_U64(kt_generator_initial_seed(first), 6);
    CHECK_EQ_U64(kt_generator_offset(own()), 0);
    const uint64_t seed = kt_seed();
    CHECK_EQ_U64(kt_generator_initial_seed(own()), seed);
    CHECK_EQ_U64(kt_initial_seed(), seed);
    CHECK(kt_default_generator_of((kt_device){KT_CPU, 0}) == kt_default_generator());
}

/* ---- threads and processes ---- */
enum { DRAWERS = 4, EACH = 50 };

static void *draw_often(void *to)
{
    float *at = to;
    for (int i = 0; i < EACH; i++) {
        KT_SCOPE;
        kt_read(kt_rand(KT_SHAPE(1), .device = mirror), at + i, sizeof *at);
    }
    return kt_failed() ? to : NULL;
}

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

TEST(threads_share_a_generator)
{
    static float drawn[DRAWERS * EACH], alone[DRAWERS * EACH];
    pthread_t    thread[DRAWERS];
    if (!load())
        return;
    kt_manual_seed(8);
    for (int i = 0; i < DRAWERS; i++)
        REQUIRE(pthread_create(&thread[i], NULL, draw_often, drawn + i * EACH) == 0);
    for (int i = 0; i < DRAWERS; i++) {
        void *failed = NULL;
        pthread_join(thread[i], &failed);
        CHECK(failed == NULL);
    }
    CHECK_EQ_U64(kt_generator_offset(own()), 4 * DRAWERS * EACH);
    kt_manual_seed(8);
    for (int i = 0; i < DRAWERS; i++)
        draw_often(alone + i * EACH);
    qsort(drawn, DRAWERS * EACH, sizeof *drawn, by_value);
    qsort(alone, DRAWERS * EACH, sizeof *alone, by_value);
    CHECK_MEM(drawn, alone, sizeof drawn); /* the same numbers, each drawn once */
}

static _Atomic bool forked;

static void *take_without_end(void *unused)
{
    uint64_t seed, offset;
    (void)unused;
    while (!atomic_load(&forked))
        kt__rng_take(own(), 4, &seed, &offset);
    return NULL;
}

TEST(a_forked_child_finds_the_generators_unlocked)
{
    pthread_t thread;
    if (!load())
        return;
    atomic_store(&forked, false);
    REQUIRE(pthread_create(&thread, NULL, take_without_end, NULL) == 0);
    for (int i = 0; i < 50; i++) {
        int         status = 0;
        const pid_t child = fork();
        if (child == 0) {
            alarm(10);
            kt_manual_seed(1);
            _exit(kt_generator_offset(own()) == 0 ? 0 : 1);
        }
        waitpid(child, &status, 0);
        if (!CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0))
            break;
    }
    atomic_store(&forked, true);
    pthread_join(thread, NULL);
}

/* ---- captures ---- */
static kt_stream new_stream(void)
{
    kt_stream s = {mirror, 0};
    CHECK_EQ_INT(kt_stream_new(mirror, 0, &s), KT_OK);
    return s;
}

TEST(each_replay_draws_anew)
{
    if (!load())
        return;
    KT_SCOPE;
    const kt_stream s = new_stream();
    kt_graph       *graph = NULL;
    float           back[8];
    kt_manual_seed(42);
    kt_tensor *a = kt_empty(KT_SHAPE(8), .device = mirror), *b = kt_empty(KT_SHAPE(8), .device = mirror);
    CHECK_EQ_INT(kt_device_sync(mirror), KT_OK);
    CHECK_EQ_INT(kt_capture_begin(s), KT_OK);
    kt_uniform_(a);
    kt_uniform_(b);
    kt_tensor *dropped = kt_dropout(b, 0.5, true);
    CHECK_EQ_INT(kt_capture_end(&graph), KT_OK);
    REQUIRE(graph != NULL);
    CHECK_EQ_U64(kt_generator_offset(own()), 0); /* nothing has been drawn */
    read_floats(kt_rand(KT_SHAPE(8), .device = mirror), back, 8);
    CHECK_MEM(back, rand8, sizeof back);
    for (int i = 0; i < 2; i++) { /* of three draws each, after one */
        float want[8], other[8];
        CHECK_EQ_INT(kt_graph_replay(graph, s), KT_OK);
        CHECK_EQ_INT(kt_stream_sync(s), KT_OK);
        const uint64_t offset = kt_generator_offset(own());
        CHECK_EQ_U64(offset, 4 + 12 * (i + 1));
        kt_generator_set_offset(own(), offset - 12);
        for (int j = 0; j < 2; j++) {
            read_floats(j ? b : a, back, 8);
            read_floats(kt_rand(KT_SHAPE(8), .device = mirror), want, 8);
            CHECK_MEM(back, want, sizeof back);
        }
        read_floats(dropped, other, 8);
        for (int j = 0; j < 8; j++)
            CHECK(other[j] == 0 || other[j] == 2 * back[j]);
        kt_generator_set_offset(own(), offset);
    }
    kt_manual_seed(43); /* a replay takes the seed of its time */
    CHECK_EQ_INT(kt_graph_replay(graph, s), KT_OK);
    CHECK_EQ_INT(kt_stream_sync(s), KT_OK);
    read_floats(a, back, 8);
    CHECK(memcmp(back, rand8, sizeof back) != 0);
    kt_graph_drop(graph);
    kt_stream_drop(s);
}

TEST(only_the_device_itself_draws_in_a_capture)
{
    if (!load())
        return;
    KT_SCOPE;
    const kt_stream s = new_stream();
    kt_graph       *graph = NULL;
    kt_generator   *g = NULL;
    kt_tensor      *t = kt_empty(KT_SHAPE(8), .device = mirror), *strided = kt_slice(t, .step = KT_SOME(2));
    kt_tensor      *peer = kt_empty(KT_SHAPE(8), .device = kt_device_find("mirror:0"));
    REQUIRE(kt_generator_new_on(mirror, &g) == KT_OK);
    CHECK_EQ_INT(kt_device_sync(mirror), KT_OK);
    const uint64_t offset = kt_generator_offset(own());
    CHECK_EQ_INT(kt_capture_begin(s), KT_OK);
    CHECK_FAILS(kt_normal_(t), KT_ERR_RUNTIME, "normal cannot be captured: device 'mirror' has no kernel 'normal' for it");
    CHECK_FAILS(kt_uniform_(strided), KT_ERR_RUNTIME, "uniform cannot be captured: device 'mirror' has no kernel 'uniform'");
    CHECK_FAILS(kt_uniform_(t, .generator = g), KT_ERR_RUNTIME, "only the default generator of the device that captures");
    CHECK_FAILS(kt_uniform_(peer), KT_ERR_RUNTIME, "only the default generator of the device that captures");
    CHECK(kt_rand(KT_SHAPE(3)) != NULL); /* the CPU's own tensors are no part of it */
    CHECK_EQ_INT(kt_capture_end(&graph), KT_OK);
    CHECK_EQ_U64(kt_generator_offset(g), 0);
    CHECK_EQ_U64(kt_generator_offset(own()), offset);
    kt_graph_drop(graph);
    kt_generator_drop(g);
    kt_stream_drop(s);
}
