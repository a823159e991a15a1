/* openblas.c - the one file that opens OpenBLAS: products of float32, float64, complex64 and complex128. LAPACK, which is in the
 * same library, is found through kt__openblas_symbol (cpu/linalg/lapack.c).
 *
 * In: dense matrices. Out: their product, on the calling thread alone. Nothing is linked: the library is opened at first
 * use and asked for BLAS's Fortran symbols. Independent of: plans, threads.
 *
 * An OpenBLAS older than the processor takes its slowest kernels, so it is told the core type through its variable, unless
 * the user has set that; and it is told to start no threads. Both variables are put back once it is open. */
#include "cpu/gemm/products.h"

#include "base/cpu.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ?gemm of BLAS: all by address; the lengths of the two characters follow, as Fortran compilers pass them. */
typedef void gemm_fn(const char *ta, const char *tb, const int *m, const int *n, const int *k, const void *alpha,
                     const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c,
                     const int *ldc, size_t ta_length, size_t tb_length);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static gemm_fn       *gemm_f32, *gemm_f64, *gemm_c64, *gemm_c128;
static void          *opened; /* NULL: it is not there, or cannot be used */
static char           name[96];

static const char *core_type(void)
{
#if defined(__x86_64__)
    const uint32_t bits = kt__cpu_bits();
    if (bits & KT__CPU_AMX_BF16)
        return "SapphireRapids";
    if (bits & KT__CPU_AVX512)
        return "SkylakeX";
    __builtin_cpu_init();
    if (bits & KT__CPU_AVX2)
        return __builtin_cpu_is("amd") ? "Zen" : "Haswell";
#endif
    return NULL;
}

/* A temporary environment variable. */
typedef struct variable {
    const char *name;
    char       *was; /* a copy; NULL: it was not set */
    bool        set;
} variable;

static void lend(variable *v, const char *value, bool over)
{
    const char *now = getenv(v->name);
    if (value == NULL || (now != NULL && !over))
        return;
    v->was = now != NULL ? strdup(now) : NULL;
    v->set = (now == NULL || v->was != NULL) && setenv(v->name, value, 1) == 0;
}

static void put_back(variable *v)
{
    if (v->set && v->was != NULL)
        setenv(v->name, v->was, 1);
    else if (v->set)
        unsetenv(v->name);
    free(v->was);
}

static void *open_library(void)
{
    static const char *const files[] = {"libopenblas.so.0", "libopenblas.so", "libopenblaso.so.0", "libopenblasp.so.0"};
    variable core = {"OPENBLAS_CORETYPE", NULL, false}, threads = {"OPENBLAS_NUM_THREADS", NULL, false};
    void    *library = NULL;
    lend(&core, core_type(), false);
    lend(&threads, "1", true);
    for (size_t i = 0; i < sizeof files / sizeof *files && library == NULL; i++)
        library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    put_back(&threads);
    put_back(&core);
    return library;
}

static void *symbol(void *library, const char *of)
{
    return dlsym(library, of);
}

static void open_once(void)
{
    void *library = open_library();
    if (library == NULL)
        return;
    void (*set_num_threads)(int);
    char *(*config)(void), *(*core)(void);
    *(void **)&set_num_threads = symbol(library, "openblas_set_num_threads");
    *(void **)&config = symbol(library, "openblas_get_config");
    *(void **)&core = symbol(library, "openblas_get_corename");
    if (set_num_threads == NULL || config == NULL) /* not OpenBLAS: its threads cannot be controlled */
        return;
    if (strstr(config(), "USE64BITINT") != NULL)
        return; /* built with 64-bit integers */
    set_num_threads(1);
    opened = library;
    *(void **)&gemm_f32 = symbol(library, "sgemm_");
    *(void **)&gemm_f64 = symbol(library, "dgemm_");
    *(void **)&gemm_c64 = symbol(library, "cgemm_");
    *(void **)&gemm_c128 = symbol(library, "zgemm_");
    char version[32] = "";
    sscanf(config(), "OpenBLAS %31s", version);
    snprintf(name, sizeof name, "OpenBLAS %s (%s)", version, core != NULL ? core() : "core type unknown");
}

static gemm_fn *gemm_of(kt_dtype dtype)
{
    pthread_once(&once, open_once);
    switch (dtype) {
    case KT_F32:  return gemm_f32;
    case KT_F64:  return gemm_f64;
    case KT_C64:  return gemm_c64;
    case KT_C128: return gemm_c128;
    default:      return NULL;
    }
}

bool kt__openblas_serves(kt_dtype dtype)
{
    return gemm_of(dtype) != NULL;
}

void *kt__openblas_symbol(const char *of)
{
    pthread_once(&once, open_once);
    return opened != NULL ? symbol(opened, of) : NULL;
}

const char *kt__openblas_name(void)
{
    pthread_once(&once, open_once);
    return name[0] != '\0' ? name : NULL;
}

/* BLAS is column-major; a row-major matrix is its transpose there: c' = b' a'. */
bool kt__openblas_gemm(const kt__gemm *g)
{
    gemm_fn *const gemm = gemm_of(g->dtype);
    if (gemm == NULL || g->batch != 1 || g->to != g->dtype)
        return false;
    const int64_t most = INT_MAX;
    if (g->m > most || g->n > most || g->k > most || g->lda > most || g->ldb > most || g->ldc > most)
        return false;
    union { float f[2]; double d[2]; } alpha, beta;
    if (g->dtype == KT_F32 || g->dtype == KT_C64) {
        alpha.f[0] = (float)__real__ g->alpha, alpha.f[1] = (float)__imag__ g->alpha;
        beta.f[0] = (float)__real__ g->beta, beta.f[1] = (float)__imag__ g->beta;
    } else {
        alpha.d[0] = __real__ g->alpha, alpha.d[1] = __imag__ g->alpha;
        beta.d[0] = __real__ g->beta, beta.d[1] = __imag__ g->beta;
    }
    const int  m = (int)g->m, n = (int)g->n, k = (int)g->k, lda = (int)g->lda, ldb = (int)g->ldb, ldc = (int)g->ldc;
    const char ta = g->conj_a ? 'C' : g->ta ? 'T' : 'N', tb = g->conj_b ? 'C' : g->tb ? 'T' : 'N';
    gemm(&tb, &ta, &n, &m, &k, &alpha, g->b, &ldb, g->a, &lda, &beta, g->c, &ldc, 1, 1);
    return true;
}
