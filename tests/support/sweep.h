/* sweep.h - lets the allocations of a small program fail, one at a time.
 *
 * A step is run undisturbed, then with its first, second, ... allocation failing until it succeeds again. Each time: an
 * error, which is the lack of memory unless the step is about another error; nothing leaked; no crash; and the step works
 * as before afterwards. With KARAT_ALLOC=system, so that no warm cache hides a request. */
#ifndef KT_TEST_SWEEP_H
#define KT_TEST_SWEEP_H

#include <karat/karat.h>
#include <stdlib.h>

#include "harness.h"

__attribute__((constructor(101))) static void turn_caches_off(void) { setenv("KARAT_ALLOC", "system", 1); }

typedef void step(void);

static uint64_t live_blocks(uint64_t *bytes)
{
    kt_memory_stats s = {.size = sizeof s};
    kt_memory_read(&s);
    *bytes = s.live_bytes;
    return s.live_blocks;
}

static void run_in_scope(step *run)
{
    KT_SCOPE;
    run();
}

static int sweeps, failures_made;

static void sweep(const char *name, step *run, bool may_be_refused)
{
    enum { MOST = 4000 };
    uint64_t bytes, blocks, bytes_now;
    int64_t  n = 0;
    for (int i = 0; i < 2; i++) { /* what is interned once for all is interned here */
        run_in_scope(run);
        kt_clear();
    }
    run_in_scope(run);
    const kt_status usual = kt_error_status();
    CHECK_MSG(usual == KT_OK || may_be_refused, "%s: %s", name, kt_error());
    kt_clear();
    blocks = live_blocks(&bytes);
    for (; n < MOST; n++) {
        kt_memory_fail_after(n);
        run_in_scope(run);
        kt_memory_fail_after(-1);
        const kt_status status = kt_error_status();
        const bool      past = status == usual && usual == KT_OK;
        CHECK_MSG(past || status == KT_ERR_MEMORY || (usual && status == usual), "%s, allocation %d: status %d: %s",
                  name, (int)n, (int)status, kt_error());
        kt_clear();
        const uint64_t blocks_now = live_blocks(&bytes_now);
        if (!CHECK_MSG(blocks_now == blocks && bytes_now == bytes,
                       "%s, allocation %d: %lld blocks and %lld bytes leaked", name, (int)n,
                       (long long)(blocks_now - blocks), (long long)(bytes_now - bytes))) {
            blocks = blocks_now;
            bytes = bytes_now;
        }
        if (past)
            break;
        if (usual && n > 60) /* a step that ends in an error cannot show that it has passed the last allocation */
            break;
    }
    CHECK_MSG(n < MOST, "%s never succeeds", name);
    run_in_scope(run);
    CHECK_MSG(kt_error_status() == usual, "%s: other than before: %s", name, kt_error());
    kt_clear();
    sweeps++;
    failures_made += (int)n;
}

/* ---- what steps are made of ---- */
static inline kt_tensor *big(void) { return kt_arange(KT_INT(0), KT_INT(60), .dtype = KT_F32); }
static inline kt_tensor *matrix(void) { return kt_reshape(big(), KT_SHAPE(6, 10)); }
static inline kt_tensor *leaf(void)
{
    kt_tensor *t = kt_full(KT_SHAPE(5, 5), KT_FLOAT(0.5));
    if (t)
        kt_set_requires_grad(t, true);
    return t;
}
static inline kt_tensor *deep(void) { return kt_reshape(big(), KT_SHAPE(1, 2, 1, 3, 1, 2, 5)); }

static inline void backward_of(kt_tensor *y)
{
    if (y)
        kt_backward(kt_sum(y));
}

#define STEP(name) static void name(void)

#define SWEEP(name)                                                                                                    \
    TEST(name) { sweep(#name, name, strstr(#name, "refused") != NULL); }

#endif
