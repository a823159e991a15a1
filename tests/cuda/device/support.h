/* support.h - what the tests of the CUDA backend share: the device, or a reason to skip. */
#ifndef KT_TEST_CUDA_H
#define KT_TEST_CUDA_H

#include "harness.h"

#include <karat/device.h>
#include <karat/karat.h>
#include <karat/plugin/backend.h>
#include <stdlib.h>

#include "support/nans.h"

static kt_device here; /* the first GPU */

/* False: it could not be loaded. TEST_CUDA_PLUGIN names another: that of tests/cuda/on_cpu, which needs no GPU. */
static inline bool load_cuda(void)
{
    static bool loaded;
    const char *other = getenv("TEST_CUDA_PLUGIN");
    if (!loaded)
        loaded = CHECK_EQ_INT(kt_backend_load(other ? other : KT_CUDA_PLUGIN), KT_OK);
    return loaded;
}

/* False: there is no GPU, and the test is skipped. */
static inline bool device(void)
{
    if (!load_cuda() || kt_device_count("cuda") == 0) {
        test_skip("no CUDA device");
        return false;
    }
    here = kt_device_find("cuda:0");
    return CHECK_EQ_INT(here.kind, KT_CUDA);
}

/* n elements of random bits: every NaN, infinity and subnormal among them. */
static inline kt_tensor *random_bits(kt_dtype dtype, int64_t n)
{
    const size_t bytes = (size_t)n * kt_dtype_size(dtype);
    uint64_t    *words = malloc(bytes + 8), state = test_random();
    for (size_t i = 0; words && i < bytes / 8 + 1; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        words[i] = state ^ state >> 29;
        if (dtype == KT_BOOL)
            words[i] &= UINT64_C(0x0101010101010101);
    }
    kt_tensor *t = words ? kt_from(words, KT_SHAPE(n), dtype) : NULL;
    free(words);
    return t;
}

/* How many elements differ; the first of them in *at. With nans_alike any NaN equals any other. */
static inline int64_t differences(const kt_tensor *a, const kt_tensor *b, bool nans_alike, int64_t *at)
{
    const size_t  size = kt_dtype_size(kt_dtype_of(a));
    const int64_t n = kt_numel(a);
    char         *x = malloc((size_t)n * size + 1), *y = malloc((size_t)n * size + 1);
    int64_t       found = 0;
    if (!x || !y || kt_read(a, x, (size_t)n * size) || kt_read(b, y, (size_t)n * size))
        found = -1;
    if (nans_alike && found == 0) {
        make_nans_alike(x, kt_dtype_of(a), n);
        make_nans_alike(y, kt_dtype_of(a), n);
    }
    for (int64_t i = n - 1; i >= 0 && found >= 0; i--)
        if (memcmp(x + (size_t)i * size, y + (size_t)i * size, size) != 0) {
            found++;
            *at = i;
        }
    free(x);
    free(y);
    return found;
}

#endif
