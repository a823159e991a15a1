/* rng.c - mt19937 by blocks of 624, generators as objects, the default ones, their state as bytes.
 *
 * In: seeds, states. Out: draws. Independent of: tensors, operators. The state's layout is PyTorch's (measured):
 *     0 seed u64 | 8 left i32 | 12 seeded i32 | 16 next u64 | 24 words as u64[624] | 5016 0.0 | 5024 the second normal
 *     5032 0.0 | 5040 has a second normal i32 | 5044 0 | 5048 the same as float | 5052 has one u8 | 0 0 0
 *
 * M. Matsumoto and T. Nishimura, Mersenne Twister, ACM Transactions on Modeling and Computer Simulation 8 (1998), seeded as by
 * its authors in 2002; normals: G. E. P. Box and M. E. Muller, Annals of Mathematical Statistics 29 (1958); splitmix64: G. L.
 * Steele, D. Lea and C. H. Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014; the multiplier of offsets: G. L.
 * Steele and S. Vigna, Software: Practice and Experience 52 (2022). */
#include "base/rng.h"

#include <math.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/alloc.h"
#include "base/error.h"

enum { MIDDLE = 397, SPLIT = KT__MT_WORDS - MIDDLE };
#define DEFAULT_SEED 67280421310721u

/* ---- the stream ---- */

static inline uint32_t twisted(uint32_t high, uint32_t low, uint32_t far)
{
    const uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
    return far ^ y >> 1 ^ (0x9908b0dfu & -(y & 1));
}

/* Loops of constant length: compilers vectorize them at every optimization level. */
static void twist(uint32_t *restrict w)
{
    enum { EVEN = SPLIT / 4 * 4 };
    for (int i = 0; i < EVEN; i++)
        w[i] = twisted(w[i], w[i + 1], w[i + MIDDLE]);
    for (int i = EVEN; i < SPLIT; i++)
        w[i] = twisted(w[i], w[i + 1], w[i + MIDDLE]);
    for (int i = SPLIT; i < KT__MT_WORDS - 1; i++)
        w[i] = twisted(w[i], w[i + 1], w[i - SPLIT]);
    w[KT__MT_WORDS - 1] = twisted(w[KT__MT_WORDS - 1], w[0], w[MIDDLE - 1]);
}

static void temper(uint32_t *restrict to, const uint32_t *restrict from)
{
    for (int i = 0; i < KT__MT_WORDS; i++) {
        uint32_t y = from[i];
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c5680u;
        y ^= y << 15 & 0xefc60000u;
        to[i] = y ^ y >> 18;
    }
}

void kt__rng_refill(kt_generator *g)
{
    twist(g->word);
    temper(g->ready, g->word);
    g->next = 0;
    g->fresh = false;
}

void kt__rng_resume(kt_generator *stream, const uint32_t *words, uint32_t next)
{
    memcpy(stream->word, words, sizeof stream->word);
    temper(stream->ready, stream->word);
    stream->next = next;
    stream->fresh = false;
}

void kt__rng_fill(kt_generator *g, uint32_t *to, int64_t n)
{
    while (n > 0) {
        if (g->next == KT__MT_WORDS)
            kt__rng_refill(g);
        const int64_t left = KT__MT_WORDS - g->next, take = n < left ? n : left;
        memcpy(to, g->ready + g->next, (size_t)take * sizeof *to);
        g->next += (uint32_t)take;
        to += take;
        n -= take;
    }
}

/* Box-Muller gives a pair; the second one is kept for the next call. */
double kt__rng_normal(kt_generator *g)
{
    if (g->has_normal) {
        g->has_normal = false;
        return g->normal;
    }
    const double angle = 2 * M_PI * kt__rng_uniform(g);
    const double radius = sqrt(-2 * log1p(-kt__rng_uniform(g)));
    g->normal = radius * sin(angle);
    g->has_normal = true;
    return radius * cos(angle);
}

static void seed_with(kt_generator *g, uint64_t seed)
{
    g->seed = seed;
    g->word[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < KT__MT_WORDS; i++)
        g->word[i] = 1812433253u * (g->word[i - 1] ^ g->word[i - 1] >> 30) + i;
    g->next = KT__MT_WORDS;
    g->fresh = true;
    g->has_normal = g->has_normal_f32 = false;
    g->normal = 0;
    g->normal_f32 = 0;
    g->offset = 0;
}

/* All words of the state are drawn, since seeds of mt19937 have 32 bits and would soon repeat. The mixer is splitmix64's. */
void kt__rng_derive(kt_generator *stream, uint64_t seed, uint64_t offset)
{
    memset(stream, 0, sizeof *stream);
    pthread_mutex_init(&stream->lock, NULL);
    seed_with(stream, seed);
    uint64_t state = seed ^ (offset + 1) * 0xd1342543de82ef95u;
    for (int i = 0; i < KT__MT_WORDS; i++) {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        stream->word[i] = (uint32_t)(z >> 32);
    }
}

/* ---- default generators: the CPU's, and one of each device that draws by itself. A forked child finds them unlocked ---- */

static kt_generator   default_generator = {.lasts = true, .lock = PTHREAD_MUTEX_INITIALIZER};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static pthread_mutex_t lasting_lock = PTHREAD_MUTEX_INITIALIZER; /* taken before a generator's */
static kt_generator   *lasting = &default_generator;
static uint64_t        seed_of_all = DEFAULT_SEED; /* for devices that are found later */

static void before_fork(void)
{
    pthread_mutex_lock(&lasting_lock);
    for (kt_generator *g = lasting; g; g = g->after)
        kt__rng_lock(g);
}

static void after_fork(void)
{
    for (kt_generator *g = lasting; g; g = g->after)
        kt__rng_unlock(g);
    pthread_mutex_unlock(&lasting_lock);
}

static void start(void)
{
    seed_with(&default_generator, DEFAULT_SEED);
    pthread_atfork(before_fork, after_fork, after_fork);
}

kt_generator *kt_default_generator(void)
{
    pthread_once(&once, start);
    return &default_generator;
}

/* ---- generators as objects ---- */

kt_generator *kt_generator_new(void)
{
    kt_generator *g = kt__pool_get(sizeof *g);
    if (!g) {
        kt__fail_memory(sizeof *g);
        return NULL;
    }
    memset(g, 0, sizeof *g);
    atomic_init(&g->refs, 1);
    pthread_mutex_init(&g->lock, NULL);
    seed_with(g, DEFAULT_SEED);
    return g;
}

kt_generator *kt__rng_new_on(int kind, int index)
{
    kt_generator *g = kt_generator_new();
    if (g) {
        g->kind = (uint8_t)kind;
        g->index = (uint8_t)index;
    }
    return g;
}

void kt__rng_make_default(kt_generator *g)
{
    kt_default_generator(); /* which sees to forks */
    pthread_mutex_lock(&lasting_lock);
    seed_with(g, seed_of_all);
    g->lasts = true;
    g->after = lasting;
    lasting = g;
    pthread_mutex_unlock(&lasting_lock);
}

kt_generator *kt_generator_keep(kt_generator *g)
{
    if (g && !g->lasts)
        kt__count_up(&g->refs);
    return g;
}

void kt_generator_drop(kt_generator *g)
{
    if (!g || g->lasts || !kt__count_down(&g->refs))
        return;
    pthread_mutex_destroy(&g->lock);
    kt__pool_put(g, sizeof *g);
}

/* NULL is the default generator, as it is for operators. */
static kt_generator *the(kt_generator *g) { return g ? g : kt_default_generator(); }

void kt_generator_manual_seed(kt_generator *g, uint64_t seed)
{
    g = the(g);
    kt__rng_lock(g);
    seed_with(g, seed);
    kt__rng_unlock(g);
}

static uint64_t seed_of_system(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        seed = (uint64_t)now.tv_sec * 1000000007u ^ (uint64_t)now.tv_nsec << 20;
    }
    return seed;
}

uint64_t kt_generator_seed(kt_generator *g)
{
    const uint64_t seed = seed_of_system();
    kt_generator_manual_seed(g, seed);
    return seed;
}

void kt_manual_seed(uint64_t seed)
{
    kt_default_generator();
    pthread_mutex_lock(&lasting_lock);
    seed_of_all = seed;
    for (kt_generator *g = lasting; g; g = g->after)
        kt_generator_manual_seed(g, seed);
    pthread_mutex_unlock(&lasting_lock);
}

uint64_t kt_seed(void)
{
    const uint64_t seed = seed_of_system();
    kt_manual_seed(seed);
    return seed;
}

uint64_t kt_generator_initial_seed(kt_generator *g)
{
    g = the(g);
    kt__rng_lock(g);
    const uint64_t seed = g->seed;
    kt__rng_unlock(g);
    return seed;
}

uint64_t kt_generator_offset(kt_generator *g)
{
    g = the(g);
    kt__rng_lock(g);
    const uint64_t offset = g->offset;
    kt__rng_unlock(g);
    return offset;
}

static kt_status check_offset(uint64_t offset)
{
    return offset % 4 ? kt_fail(KT_ERR_RUNTIME, "offset must be a multiple of 4") : KT_OK;
}

kt_status kt_generator_set_offset(kt_generator *g, uint64_t offset)
{
    g = the(g);
    if (!g->kind)
        return kt_fail(KT_ERR_RUNTIME, "CPU Generator does not use offset");
    if (check_offset(offset))
        return kt_error_status();
    kt__rng_lock(g);
    g->offset = offset;
    kt__rng_unlock(g);
    return KT_OK;
}

void kt__rng_take(kt_generator *g, uint64_t n, uint64_t *seed, uint64_t *offset)
{
    kt__rng_lock(g);
    *seed = g->seed;
    *offset = g->offset;
    g->offset += n;
    kt__rng_unlock(g);
}

uint64_t kt_initial_seed(void) { return kt_generator_initial_seed(kt_default_generator()); }

/* ---- the state as bytes ---- */

enum { AT_OFFSET = 8, DEVICE_STATE = 16 }; /* of a device's generator: seed u64 | offset u64, or the seed alone */
enum { AT_LEFT = 8, AT_SEEDED = 12, AT_NEXT = 16, AT_WORDS = 24, AT_NORMAL = 5024, AT_HAS = 5040, AT_F32 = 5048,
       AT_HAS_F32 = 5052 };

static void put32(unsigned char *at, uint32_t x) { memcpy(at, &x, sizeof x); }
static void put64(unsigned char *at, uint64_t x) { memcpy(at, &x, sizeof x); }

static uint32_t get32(const unsigned char *at)
{
    uint32_t x;
    memcpy(&x, at, sizeof x);
    return x;
}

static uint64_t get64(const unsigned char *at)
{
    uint64_t x;
    memcpy(&x, at, sizeof x);
    return x;
}

size_t kt_generator_state_bytes(kt_generator *g) { return the(g)->kind ? DEVICE_STATE : KT_GENERATOR_STATE; }

void kt_generator_get_state(kt_generator *g, unsigned char state[KT_GENERATOR_STATE])
{
    if (!state)
        return;
    g = the(g);
    memset(state, 0, kt_generator_state_bytes(g));
    kt__rng_lock(g);
    if (g->kind) {
        put64(state, g->seed);
        put64(state + AT_OFFSET, g->offset);
        kt__rng_unlock(g);
        return;
    }
    const uint32_t next = g->fresh ? 0 : g->next;
    put64(state, g->seed);
    put32(state + AT_LEFT, g->fresh ? 1 : KT__MT_WORDS + 1 - next);
    put32(state + AT_SEEDED, 1);
    put64(state + AT_NEXT, next);
    for (int i = 0; i < KT__MT_WORDS; i++)
        put64(state + AT_WORDS + 8 * i, g->word[i]);
    if (g->has_normal)
        memcpy(state + AT_NORMAL, &g->normal, sizeof g->normal);
    put32(state + AT_HAS, g->has_normal);
    if (g->has_normal_f32)
        memcpy(state + AT_F32, &g->normal_f32, sizeof g->normal_f32);
    state[AT_HAS_F32] = g->has_normal_f32;
    kt__rng_unlock(g);
}

static kt_status set_device_state(kt_generator *g, const unsigned char *state, size_t bytes)
{
    if (bytes != DEVICE_STATE && bytes != AT_OFFSET)
        return kt_fail(KT_ERR_RUNTIME, "RNG state is wrong size");
    const uint64_t offset = bytes == DEVICE_STATE ? get64(state + AT_OFFSET) : 0;
    if (check_offset(offset))
        return kt_error_status();
    kt__rng_lock(g);
    g->seed = get64(state);
    g->offset = offset;
    kt__rng_unlock(g);
    return KT_OK;
}

kt_status kt_generator_set_state(kt_generator *g, const unsigned char *state, size_t bytes)
{
    if (!state)
        return kt_fail(KT_ERR_TYPE, "expected an RNG state, got NULL");
    g = the(g);
    if (g->kind)
        return set_device_state(g, state, bytes);
    if (bytes != KT_GENERATOR_STATE)
        return kt_fail(KT_ERR_RUNTIME,
                       "Expected a CPUGeneratorImplState of size %d but found the input RNG state size to be %zu",
                       KT_GENERATOR_STATE,
                       bytes);
    const uint32_t left = get32(state + AT_LEFT);
    const uint64_t next = get64(state + AT_NEXT);
    if (get32(state + AT_SEEDED) != 1 || left < 1 || left > KT__MT_WORDS || next > KT__MT_WORDS)
        return kt_fail(KT_ERR_RUNTIME, "Invalid mt19937 state");
    kt__rng_lock(g);
    g->seed = get64(state);
    for (int i = 0; i < KT__MT_WORDS; i++)
        g->word[i] = (uint32_t)get64(state + AT_WORDS + 8 * i);
    temper(g->ready, g->word);
    g->fresh = left == 1 && next == 0;
    g->next = left == 1 ? KT__MT_WORDS : (uint32_t)next;
    memcpy(&g->normal, state + AT_NORMAL, sizeof g->normal);
    g->has_normal = get32(state + AT_HAS) != 0;
    memcpy(&g->normal_f32, state + AT_F32, sizeof g->normal_f32);
    g->has_normal_f32 = state[AT_HAS_F32] != 0;
    kt__rng_unlock(g);
    return KT_OK;
}
