/* env.c - the table of environment variables: what each may hold, and the reading of sizes.
 *
 * In: the process environment. Out: values by name; when the library is loaded, a warning for each value that its row
 * does not allow and for each KARAT_ name that has no row. Independent of: what a value is used for. */
#include "base/env.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/near.h"
#include "base/thread.h"

typedef enum kind { WORD, BYTES, COUNT, FOLDERS, ANY } kind;

static const struct {
    kt_variable is;
    kind        kind; /* WORD: one of the words of is.values */
} rows[] = {
    {{"KARAT_ALLOC", "system",
      "allocate from and release to the system every time: no caches, no free lists"}, WORD},
    {{"KARAT_BACKEND_PATH", "directories, separated by ':'", "folders searched for device plugins"}, FOLDERS},
    {{"KARAT_CACHE_LIMIT", "bytes, with k, m or g",
      "most bytes of large freed blocks cached for reuse (default: one eighth of the memory)"}, BYTES},
    {{"KARAT_CUDA_ATTENTION", "auto, own",
      "who calculates attention of 16 bits on a GPU: cuDNN where it can, or kernels of our own (default: auto)"}, WORD},
    {{"KARAT_CUDA_LIBS", "a directory", "folder searched first for CUDA's libraries (cuBLASLt)"}, FOLDERS},
    {{"KARAT_CUDA_TUNE", "0, 1",
      "whether ways of multiplying large matrices are timed on a GPU, each kind once (default: 1)"}, WORD},
    {{"KARAT_FALLBACK", "warn, quiet, error",
      "what happens when a device lacks a kernel and the CPU does the work (default: warn, once for each kernel)"}, WORD},
    {{"KARAT_ISA", "base, avx2, avx512, neon82", "the build of the CPU kernels to use instead of the best one"}, WORD},
    {{"KARAT_MATMUL", "auto, own, onednn, openblas",
      "the library for matrix products (auto: by dtype and size)"}, WORD},
    {{"KARAT_MEMORY_LIMIT", "bytes, with k, m or g",
      "most bytes the CPU allocator takes from the system (default: no limit)"}, BYTES},
    {{"KARAT_NUM_THREADS", "a number from 1 to 1024",
      "threads of the CPU kernels (default: OMP_NUM_THREADS, at most the available cores)"}, COUNT},
    {{"KARAT_POLICY", "strict, safe, torch, permissive", "which implicit conversions are accepted (default: torch)"}, WORD},
    {{"KARAT_PYTHON", "a command", "the interpreter that `karat run` starts (default: the one the package was built for)"}, ANY},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

const kt_variable *kt_variable_at(int index)
{
    return index >= 0 && index < ROWS ? &rows[index].is : NULL;
}

static int find(const char *name)
{
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].is.name, name) == 0)
            return i;
    }
    return -1;
}

/* Is the text one of "these, words"? */
static bool in_list(const char *text, const char *list)
{
    const size_t n = strlen(text);
    for (; *list; list += strcspn(list, ","), list += strspn(list, ", ")) {
        if (strcspn(list, ",") == n && memcmp(list, text, n) == 0)
            return true;
    }
    return false;
}

static bool is_count(const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    return digits && !text[digits] && strspn(text, "0") < digits && strtoul(text, NULL, 10) <= KT_MOST_THREADS;
}

static bool are_folders(const char *text)
{
    char path[PATH_MAX];
    for (; *text; text += strcspn(text, ":"), text += *text == ':') {
        const size_t n = strcspn(text, ":");
        struct stat  found;
        if (n >= sizeof path)
            return false;
        memcpy(path, text, n);
        path[n] = '\0';
        if (n && (stat(path, &found) || !S_ISDIR(found.st_mode)))
            return false;
    }
    return true;
}

static bool is_understood(int row, const char *value)
{
    uint64_t bytes;
    switch (rows[row].kind) {
    case WORD: return in_list(value, rows[row].is.values);
    case BYTES: return kt__env_parse_bytes(value, &bytes);
    case COUNT: return is_count(value);
    case FOLDERS: return are_folders(value);
    case ANY: break;
    }
    return true;
}

/* A missing folder is reported, and the others are still searched. */
static bool is_ignored(int row, const char *value)
{
    return !is_understood(row, value) && rows[row].kind != FOLDERS;
}

/* Variables of tests and benchmarks; KARAT_ROOT, which CMake's find_package reads; KARAT_CHECKED, the process that was
 * already warned (`karat run` becomes Python, which loads the library once more). */
static bool is_for_others(const char *name)
{
    return strncmp(name, "KARAT_TEST_", 11) == 0 || strncmp(name, "KARAT_BENCH_", 12) == 0 || strcmp(name, "KARAT_ROOT") == 0 ||
           strcmp(name, "KARAT_CHECKED") == 0;
}

static bool told_before(void)
{
    const char *process = getenv("KARAT_CHECKED");
    return process && strtol(process, NULL, 10) == (long)getpid();
}

/* The row with the nearest name, if at least about half of the letters after KARAT_ agree; else -1. Case-insensitive. */
static int nearest(const char *name)
{
    char upper[KT_NEAR_MOST];
    int  best = -1, n = 0;
    for (; name[n]; n++)
        upper[n] = (char)toupper((unsigned char)name[n]);
    upper[n] = '\0';
    for (int i = 0, least = 2 + (n - 6) / 2; i < ROWS; i++) {
        const int apart = kt__letters_apart(upper, rows[i].is.name);
        if (apart < least) {
            least = apart;
            best = i;
        }
    }
    return best;
}

static void check_name(const char *entry)
{
    const size_t n = strcspn(entry, "=");
    char         name[KT_NEAR_MOST];
    if (strncmp(entry, "KARAT_", 6) != 0 || n >= sizeof name)
        return;
    memcpy(name, entry, n);
    name[n] = '\0';
    if (find(name) < 0 && !is_for_others(name)) {
        const int nearby = nearest(name);
        fprintf(stderr, "karat: warning: unknown variable %s ignored; %s%s\n", name,
                nearby >= 0 ? "did you mean " : "`karat doctor` lists the known ones", nearby >= 0 ? rows[nearby].is.name : "");
    }
}

void kt__env_check(void)
{
    if (told_before())
        return;
    for (char **entry = environ; entry && *entry; entry++)
        check_name(*entry);
    for (int i = 0; i < ROWS; i++) {
        const char *value = getenv(rows[i].is.name);
        if (value && *value && !is_understood(i, value)) {
            fprintf(stderr, "karat: warning: %s=%s %s: expected %s\n", rows[i].is.name, value,
                    is_ignored(i, value) ? "is invalid and ignored" : "names folders that do not exist", rows[i].is.values);
        }
    }
}

const char *kt__env(const char *name)
{
    const int row = find(name);
    assert(row >= 0 && "a variable of Karat stands in the table of env.c");
    const char *value = row >= 0 ? getenv(name) : NULL;
    return value && *value && !is_ignored(row, value) ? value : NULL;
}

bool kt__env_parse_bytes(const char *text, uint64_t *bytes)
{
    uint64_t n = 0;
    if (*text < '0' || *text > '9')
        return false;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (__builtin_mul_overflow(n, 10u, &n) || __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n))
            return false;
    }
    int shift = 0;
    switch (*text) {
    case 'k': case 'K': shift = 10; text++; break;
    case 'm': case 'M': shift = 20; text++; break;
    case 'g': case 'G': shift = 30; text++; break;
    default: break;
    }
    if (*text != '\0' || n > UINT64_MAX >> shift)
        return false;
    *bytes = n << shift;
    return true;
}

bool kt__env_bytes(const char *name, uint64_t *bytes)
{
    const char *value = kt__env(name);
    return value && kt__env_parse_bytes(value, bytes);
}
