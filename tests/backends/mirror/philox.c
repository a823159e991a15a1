/* philox.c - numbers of the mirror's own generators: Philox4x32-10 (Salmon et al. 2011), counted as PyTorch 2.11 was seen to do
 * on a GPU.
 *
 * In: a plan of `uniform`, `bernoulli`, `random_int` or `dropout` with seed and offset. Out: PyTorch's numbers for a GPU of so
 * many multiprocessors. Other random kernels are lacking, other layouts and dtypes are declined, so that tests see both.
 *
 * A grid of threads goes over the elements. Thread t is subsequence t of the seed; in each step it draws four numbers, for
 * the elements t, t + threads, t + 2 * threads and t + 3 * threads of that step, and the offset moves by four. In dropout a
 * thread has the elements of 16 bytes at a time, where they divide into such, and draws for each; the offset moves the same. */
#include "mirror.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, DRAWS = 4 };

typedef enum drawn { NOT_DRAWN, UNIFORM, BERNOULLI, RANDOM_INT, DROPOUT, LACKING } drawn;

/* Random kernels; what it lacks stands last. */
static const char *const names[] = {"uniform",          "bernoulli",   "random_int", "dropout",    "normal",
                                    "bernoulli_tensor", "exponential", "cauchy",     "log_normal", "geometric",
                                    "poisson",          "randperm",    "multinomial", "binomial",  "standard_gamma"};
enum { NAMES = sizeof names / sizeof *names };
static kt_kernel_id ids[NAMES];

void find_random_kernels(void)
{
    for (int i = 0; i < NAMES; i++)
        ids[i] = host->kernel(names[i]);
}

static drawn drawn_as(kt_kernel_id kernel)
{
    for (int i = 0; i < NAMES; i++)
        if (ids[i] == kernel)
            return i < LACKING - UNIFORM ? (drawn)(UNIFORM + i) : LACKING;
    return NOT_DRAWN;
}

bool is_random(kt_kernel_id kernel) { return drawn_as(kernel) != NOT_DRAWN; }

bool draws_kernel(kt_kernel_id kernel, kt_compute compute)
{
    const drawn as = drawn_as(kernel);
    return as == RANDOM_INT ? compute == KT_IN_I64 : as >= UNIFORM && as <= DROPOUT && compute == KT_IN_F32;
}

bool draws_plan(const kt_plan *plan)
{
    const bool narrow = drawn_as(plan->kernel) != RANDOM_INT || !plan->param[2].v.i;
    return plan->contiguous && narrow && (plan->arg[0].is == KT_F32 || plan->arg[0].is == KT_I64);
}

/* ---- the grid ---- */
static int64_t threads_of(int64_t n)
{
    const int64_t most = multiprocessors() * (int64_t)(THREADS / BLOCK), blocks = (n + BLOCK - 1) / BLOCK;
    return (blocks < most ? blocks : most) * BLOCK;
}

static int64_t steps_of(int64_t n)
{
    const int64_t a_step = threads_of(n) * DRAWS;
    return (n + a_step - 1) / a_step;
}

uint64_t mirror_draws(kt_backend *self, const kt_plan *plan)
{
    (void)self;
    return (uint64_t)steps_of(plan->numel) * DRAWS;
}

/* ---- the numbers ---- */
static void philox(uint64_t seed, uint64_t subsequence, uint64_t step, uint32_t out[DRAWS])
{
    uint32_t c[4] = {(uint32_t)step, (uint32_t)(step >> 32), (uint32_t)subsequence, (uint32_t)(subsequence >> 32)};
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xd2511f53u * c[0], b = (uint64_t)0xcd9e8d57u * c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k1, (uint32_t)a};
        memcpy(c, next, sizeof c);
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    memcpy(out, c, sizeof c);
}

static float unit(uint32_t draw) { return (float)draw * 0x1p-32f + 0x1p-33f; } /* in (0, 1] */

/* In [from, to): the upper end becomes the lower one. A GPU multiplies and adds in one rounding. */
static float between(uint32_t draw, float from, float to)
{
    const float x = fmaf(unit(draw), to - from, from);
    return x == to ? from : x;
}

static double number(const kt_scalar *s) { return s->kind == KT_SCALAR_FLOAT ? s->v.re : (double)s->v.i; }

static void put(const kt_plan *plan, drawn as, int64_t at, uint32_t draw)
{
    const kt_scalar *p = plan->param;
    if (as == RANDOM_INT) {
        const int64_t value = (int64_t)((uint64_t)p[0].v.i + draw % (uint64_t)p[1].v.i);
        memcpy(plan->arg[0].data + at * (int64_t)sizeof value, &value, sizeof value);
        return;
    }
    const float value = as == UNIFORM ? between(draw, (float)number(&p[0]), (float)number(&p[1]))
                                      : (float)(unit(draw) <= (float)number(&p[0]));
    memcpy(plan->arg[0].data + at * (int64_t)sizeof value, &value, sizeof value);
}

/* Of float32: four elements of a thread, one draw each; else as the others. */
static kt_status drop(const kt_plan *plan)
{
    const int64_t n = plan->numel, threads = threads_of(n);
    const float   keep = (float)number(&plan->param[0]), scale = (float)number(&plan->param[1]);
    const bool    vectors = n % DRAWS == 0 && (uintptr_t)plan->arg[2].data % 16 == 0;
    const float  *x = (const float *)(const void *)plan->arg[2].data;
    float        *y = (float *)(void *)plan->arg[0].data;
    for (int64_t i = 0; i < n; i++) {
        const int64_t place = vectors ? i / DRAWS : i, t = place % threads, turn = place / threads;
        uint32_t      draw[DRAWS];
        philox(plan->seed, (uint64_t)t, plan->offset / DRAWS + (uint64_t)(vectors ? turn : turn / DRAWS), draw);
        const bool kept = unit(draw[vectors ? i % DRAWS : turn % DRAWS]) < keep;
        plan->arg[1].data[i] = kept;
        y[i] = x[i] * (kept ? scale : 0);
    }
    return KT_OK;
}

kt_status draw_plan(const kt_plan *plan)
{
    const drawn   as = drawn_as(plan->kernel);
    if (as == DROPOUT)
        return drop(plan);
    const int64_t threads = threads_of(plan->numel), steps = steps_of(plan->numel);
    for (int64_t step = 0; step < steps; step++)
        for (int64_t t = 0; t < threads; t++) {
            uint32_t draw[DRAWS];
            philox(plan->seed, (uint64_t)t, plan->offset / DRAWS + (uint64_t)step, draw);
            for (int64_t k = 0; k < DRAWS; k++) {
                const int64_t at = t + (step * DRAWS + k) * threads;
                if (at < plan->numel)
                    put(plan, as, at, draw[k]);
            }
        }
    return KT_OK;
}
