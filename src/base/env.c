/* env.c - the table of environment variables, and the reading of sizes.
 *
 * In: the process environment. Out: values by name. Must not know: what a value is used for. */
#include "base/env.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const kt_variable rows[] = {
    {"KARAT_ALLOC", "system", "every allocation goes to the system and every release gives back: no caches, no free lists"},
    {"KARAT_BACKEND_PATH", "directories, separated by ':'", "where device plugins are looked for"},
    {"KARAT_CACHE_LIMIT", "bytes, with k, m or g", "most bytes of large freed blocks kept for reuse (one eighth of the memory)"},
    {"KARAT_ISA", "base, avx2, avx512, neon82", "the build of the CPU kernels to use instead of the best one"},
    {"KARAT_MATMUL", "auto, own, onednn, openblas", "who makes matrix products: by dtype and size, or one of these alone (auto)"},
    {"KARAT_MEMORY_LIMIT", "bytes, with k, m or g", "most bytes the CPU allocator takes from the system (no limit)"},
    {"KARAT_NUM_THREADS", "a number from 1", "threads of the CPU kernels (OMP_NUM_THREADS, at most the cores at hand)"},
    {"KARAT_POLICY", "strict, safe, torch, permissive", "which implicit conversions are accepted at start (torch)"},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

const kt_variable *kt_variable_at(int index)
{
    return index >= 0 && index < ROWS ? &rows[index] : NULL;
}

static bool in_table(const char *name)
{
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

const char *kt__env(const char *name)
{
    assert(in_table(name) && "a variable of Karat stands in the table of env.c");
    if (!in_table(name)) {
        return NULL;
    }
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

bool kt__env_parse_bytes(const char *text, uint64_t *bytes)
{
    uint64_t n = 0;
    if (*text < '0' || *text > '9') {
        return false;
    }
    for (; *text >= '0' && *text <= '9'; text++) {
        if (__builtin_mul_overflow(n, 10u, &n) || __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n)) {
            return false;
        }
    }
    int shift = 0;
    switch (*text) {
    case 'k': case 'K': shift = 10; text++; break;
    case 'm': case 'M': shift = 20; text++; break;
    case 'g': case 'G': shift = 30; text++; break;
    default: break;
    }
    if (*text != '\0' || n > UINT64_MAX >> shift) {
        return false;
    }
    *bytes = n << shift;
    return true;
}

bool kt__env_bytes(const char *name, uint64_t *bytes)
{
    const char *value = kt__env(name);
    return value && kt__env_parse_bytes(value, bytes);
}
