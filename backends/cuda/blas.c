/* blas.c - matrix products by cuBLASLt, which is opened when the first is asked for. A kind of product (sizes, layouts, dtypes)
 * is described to the library once; its descriptors and a way of multiplying are kept: the first that the library proposes, or,
 * of a product that takes long enough, the quickest of several, which are timed when it is first asked for.
 *
 * In: a product of column-major matrices. Out: a launch on the plan's stream. Independent of: plans' operands, who asks. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "tables/kernels/product.h"

#if __has_include(<cublasLt.h>) && !defined(KT_ON_CPU)
#include <cublasLt.h>

/* ---- the library ---- */
#define CALLS(X)                                                                                                               \
    X(cublasLtCreate) X(cublasLtGetVersion) X(cublasLtMatmul) X(cublasLtMatmulAlgoGetHeuristic) X(cublasLtMatmulDescCreate)    \
    X(cublasLtMatmulDescDestroy) X(cublasLtMatmulDescSetAttribute) X(cublasLtMatrixLayoutCreate)                               \
    X(cublasLtMatrixLayoutDestroy) X(cublasLtMatrixLayoutSetAttribute) X(cublasLtMatmulPreferenceCreate)                       \
    X(cublasLtMatmulPreferenceDestroy) X(cublasLtMatmulPreferenceSetAttribute)
static struct {
#define CALL(name) __typeof__(name) *name;
    CALLS(CALL)
#undef CALL
    bool             here;
    cublasLtHandle_t handle[MOST_DEVICES];
} lt;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void open_library(void)
{
    static const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12", NULL};
    void *const              library = library_open(names);
    lt.here = library != NULL;
#define CALL(name) lt.here = lt.here && (lt.name = (__typeof__(name) *)dlsym(library, #name)) != NULL;
    CALLS(CALL)
#undef CALL
}

static bool is_open(int index)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    if (lt.here && !lt.handle[index] && lt.cublasLtCreate(&lt.handle[index]) != CUBLAS_STATUS_SUCCESS)
        lt.handle[index] = NULL;
    return lt.here && lt.handle[index];
}

void blas_about(int index, char *text, size_t room)
{
    pthread_mutex_lock(&lock);
    const bool here = is_open(index);
    pthread_mutex_unlock(&lock);
    library_about("cuBLASLt", here ? lt.cublasLtGetVersion() : 0, here ? (void *)(uintptr_t)lt.cublasLtCreate : NULL, text, room);
}

/* ---- kinds of products ---- */
enum { KINDS = 1024, NEAR = 8, WORKSPACE = 32 << 20 };
enum { MOST_WAYS = 8, TIMED_RUNS = 3 };
static const double worth_timing = 1e9; /* operations of a product whose ways are timed */

typedef struct kind_key { /* no padding: compared as bytes */
    int64_t index, m, n, k, batches, dtype, to, tf32, biased, then, added, turned_a, turned_b, aligned;
    int64_t ld[4], batch[4];
} kind_key;

typedef struct kind {
    kind_key                    key;
    cublasLtMatmulDesc_t        product; /* NULL: the place is free */
    cublasLtMatrixLayout_t      a, b, c, d;
    cublasLtMatmulAlgo_t        way;
    bool                        has_way, timed;
    uint64_t                    used; /* when: the one that was not for longest makes room */
} kind;

static kind kinds[KINDS];

static cudaDataType_t type_of(kt_dtype dtype)
{
    if (dtype == KT_C64 || dtype == KT_C128)
        return dtype == KT_C64 ? CUDA_C_32F : CUDA_C_64F;
    if (dtype == KT_E4M3FN)
        return CUDA_R_8F_E4M3;
    return dtype == KT_F64 ? CUDA_R_64F : dtype == KT_BF16 ? CUDA_R_16BF : dtype == KT_F16 ? CUDA_R_16F : CUDA_R_32F;
}

/* The largest power of two up to 16 that all addresses are multiples of. */
static int64_t alignment_of(const gemm *g)
{
    const uintptr_t all = (uintptr_t)g->a.data | (uintptr_t)g->b.data | (uintptr_t)g->c.data | (uintptr_t)g->d.data;
    int64_t         bytes = 16;
    while (all & (uintptr_t)(bytes - 1))
        bytes /= 2;
    return bytes;
}

static kind_key key_of(const gemm *g, int index)
{
    kind_key k;
    memset(&k, 0, sizeof k);
    k.index = index, k.m = g->m, k.n = g->n, k.k = g->k, k.batches = g->batches, k.dtype = g->dtype, k.to = g->to;
    k.tf32 = g->tf32, k.biased = g->bias != NULL, k.then = g->then;
    k.added = g->beta != 0 || g->beta_im != 0, k.turned_a = g->a.turned, k.turned_b = g->b.turned;
    k.aligned = alignment_of(g);
    const gemm_matrix *const matrix[4] = {&g->a, &g->b, &g->c, &g->d};
    for (int i = 0; i < 4; i++) {
        k.ld[i] = matrix[i]->ld;
        k.batch[i] = matrix[i]->batch;
    }
    return k;
}

static bool good(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS; }

static void forget(kind *k)
{
    cublasLtMatrixLayout_t *const layouts[4] = {&k->a, &k->b, &k->c, &k->d};
    for (int i = 0; i < 4; i++)
        if (*layouts[i])
            lt.cublasLtMatrixLayoutDestroy(*layouts[i]);
    if (k->product)
        lt.cublasLtMatmulDescDestroy(k->product);
    memset(k, 0, sizeof *k);
}

static bool make_layout(cublasLtMatrixLayout_t *made, kt_dtype dtype, int64_t rows, int64_t columns, const kind_key *key, int at)
{
    const int32_t batches = (int32_t)key->batches;
    return good(lt.cublasLtMatrixLayoutCreate(made, type_of(dtype), (uint64_t)rows, (uint64_t)columns, key->ld[at])) &&
           good(lt.cublasLtMatrixLayoutSetAttribute(*made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batches, sizeof batches)) &&
           good(lt.cublasLtMatrixLayoutSetAttribute(*made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &key->batch[at],
                                                    sizeof key->batch[at]));
}

static bool is_wide(kt_dtype dtype) { return dtype == KT_F64 || dtype == KT_C128; }

static cublasLtEpilogue_t epilogue_of(const gemm *g)
{
    if (g->then == KT__THEN_RELU)
        return g->bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    if (g->then == KT__THEN_GELU_TANH)
        return g->bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    return g->bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

static bool make_product(kind *k, const gemm *g)
{
    const bool                wide = is_wide(g->dtype), is_complex = g->dtype == KT_C64 || g->dtype == KT_C128;
    const cublasOperation_t   ta = g->a.turned ? CUBLAS_OP_T : CUBLAS_OP_N, tb = g->b.turned ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasLtEpilogue_t  epilogue = epilogue_of(g);
    const cublasComputeType_t compute = wide      ? CUBLAS_COMPUTE_64F
                                        : g->tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                  : CUBLAS_COMPUTE_32F;
    return good(lt.cublasLtMatmulDescCreate(&k->product, compute,
                                            type_of(is_complex ? g->dtype : wide ? KT_F64 : KT_F32))) &&
           good(lt.cublasLtMatmulDescSetAttribute(k->product, CUBLASLT_MATMUL_DESC_TRANSA, &ta, sizeof ta)) &&
           good(lt.cublasLtMatmulDescSetAttribute(k->product, CUBLASLT_MATMUL_DESC_TRANSB, &tb, sizeof tb)) &&
           good(lt.cublasLtMatmulDescSetAttribute(k->product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue)) &&
           (!g->bias || good(lt.cublasLtMatmulDescSetAttribute(k->product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &g->bias,
                                                               sizeof g->bias)));
}

/* What the library proposes, the best first; 0: it has no way. */
static int find_ways(const kind *k, int index, int most, cublasLtMatmulHeuristicResult_t *found)
{
    cublasLtMatmulPreference_t asks = NULL;
    const size_t               workspace = WORKSPACE;
    const uint32_t             aligned = (uint32_t)k->key.aligned;
    int                        n = 0;
    bool                       done = good(lt.cublasLtMatmulPreferenceCreate(&asks)) &&
                good(lt.cublasLtMatmulPreferenceSetAttribute(asks, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                                             sizeof workspace));
    for (int i = 0; i < 4 && done; i++)
        done = good(lt.cublasLtMatmulPreferenceSetAttribute(
            asks, (cublasLtMatmulPreferenceAttributes_t)(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES + i), &aligned,
            sizeof aligned));
    done = done && good(lt.cublasLtMatmulAlgoGetHeuristic(lt.handle[index], k->product, k->a, k->b, k->c, k->d, asks, most,
                                                          found, &n));
    if (asks)
        lt.cublasLtMatmulPreferenceDestroy(asks);
    return done && n > 0 && good(found[0].state) ? n : 0;
}

/* Of the places near its own that of the kind, a free one, or the one that was not used for longest, whose kind is forgotten. */
static kind *place_of(const kind_key *key)
{
    static uint64_t now;
    uint64_t        hash = 0;
    for (size_t i = 0; i < sizeof *key / sizeof(int64_t); i++)
        hash = (hash ^ (uint64_t)((const int64_t *)key)[i]) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 29;
    kind *oldest = NULL;
    for (int i = 0; i < NEAR; i++) {
        kind *k = &kinds[(hash + (uint64_t)i) % KINDS];
        if (k->product && memcmp(&k->key, key, sizeof *key) == 0) {
            k->used = ++now;
            return k;
        }
        oldest = !oldest || k->used < oldest->used ? k : oldest;
    }
    forget(oldest);
    oldest->used = ++now;
    return oldest;
}

/* A kind that the library has no way for is remembered too. */
static kind *kind_of(const gemm *g, int index)
{
    cublasLtMatmulHeuristicResult_t found;
    const kind_key                  key = key_of(g, index);
    kind                           *k = place_of(&key);
    if (k->product)
        return k;
    k->key = key;
    const int64_t a_rows = g->a.turned ? g->k : g->m, b_rows = g->b.turned ? g->n : g->k;
    const bool    made = make_product(k, g) && make_layout(&k->a, g->dtype, a_rows, g->m + g->k - a_rows, &key, 0) &&
                      make_layout(&k->b, g->dtype, b_rows, g->k + g->n - b_rows, &key, 1) &&
                      make_layout(&k->c, g->to, g->m, g->n, &key, 2) && make_layout(&k->d, g->to, g->m, g->n, &key, 3);
    k->has_way = made && find_ways(k, index, 1, &found) > 0;
    if (k->has_way)
        k->way = found.algo;
    return k;
}

static kt_status launch(kind *k, const gemm *g, const kt_plan *plan, void *workspace)
{
    const double alpha[2] = {g->alpha, g->alpha_im}, beta[2] = {g->beta, g->beta_im};
    const float  narrow_alpha[2] = {(float)alpha[0], (float)alpha[1]}, narrow_beta[2] = {(float)beta[0], (float)beta[1]};
    const bool   wide = is_wide(g->dtype);
    const void  *alphas = wide ? (const void *)alpha : narrow_alpha, *betas = wide ? (const void *)beta : narrow_beta;
    if (g->bias &&
        !good(lt.cublasLtMatmulDescSetAttribute(k->product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &g->bias, sizeof g->bias)))
        return KT_DECLINED;
    const cublasStatus_t status =
        lt.cublasLtMatmul(lt.handle[plan->device_index], k->product, alphas, g->a.data, k->a, g->b.data, k->b, betas, g->c.data,
                          k->c, (void *)(uintptr_t)g->d.data, k->d, &k->way, workspace, WORKSPACE, stream_at(plan->stream));
    return good(status) ? KT_OK : host->fail(KT_ERR_RUNTIME, "cuBLASLt could not launch a product (status %d)", (int)status);
}

/* ---- the quickest way ---- */
static double run_seconds(kind *k, const gemm *g, const kt_plan *plan, void *workspace, cudaEvent_t *at) /* < 0: it cannot be */
{
    float             ms = -1;
    const cudaStream_t stream = stream_at(plan->stream);
    if (launch(k, g, plan, workspace) || cudaEventRecord(at[0], stream) != cudaSuccess) /* the first one is not timed */
        return -1;
    for (int i = 0; i < TIMED_RUNS; i++)
        if (launch(k, g, plan, workspace))
            return -1;
    const bool done = cudaEventRecord(at[1], stream) == cudaSuccess && cudaEventSynchronize(at[1]) == cudaSuccess &&
                      cudaEventElapsedTime(&ms, at[0], at[1]) == cudaSuccess;
    return done ? (double)ms : -1;
}

/* Into memory of its own, since the result may be an addend. Whatever fails, the first way stays. */
static void choose_way(kind *k, const gemm *g, const kt_plan *plan, void *workspace)
{
    cublasLtMatmulHeuristicResult_t found[MOST_WAYS];
    const int     n = find_ways(k, plan->device_index, MOST_WAYS, found);
    const int64_t elements = (g->batches - 1) * (g->d.batch > 0 ? g->d.batch : 0) + (g->n - 1) * g->d.ld + g->m;
    const size_t  bytes = (size_t)elements * (size_t)width_of((int)g->to);
    cudaEvent_t   at[2] = {NULL, NULL};
    void         *room = NULL;
    size_t        granted = 0;
    double        least = -1;
    gemm          trial = *g;
    if (n > 1 && !memory_alloc(NULL, plan->device_index, plan->stream, bytes, &room, &granted) &&
        cudaEventCreate(&at[0]) == cudaSuccess && cudaEventCreate(&at[1]) == cudaSuccess) {
        cublasLtMatmulAlgo_t best = k->way;
        trial.d.data = room;
        trial.c.data = trial.c.data == g->d.data ? room : trial.c.data;
        for (int i = 0; i < n; i++) {
            k->way = found[i].algo;
            const double took = good(found[i].state) ? run_seconds(k, &trial, plan, workspace, at) : -1;
            if (took >= 0 && (least < 0 || took < least)) {
                least = took;
                best = found[i].algo;
            }
        }
        k->way = best;
    }
    for (int i = 0; i < 2; i++)
        if (at[i])
            cudaEventDestroy(at[i]);
    if (room)
        memory_free(NULL, plan->device_index, room, granted);
    cudaGetLastError();
    host->clear();
}

/* Once for each kind, so that its results have the same bits from the first to the last. */
static bool is_to_be_timed(const kind *k, const gemm *g, const kt_plan *plan)
{
    const char *asked = getenv("KARAT_CUDA_TUNE");
    return !k->timed && 2.0 * (double)g->m * (double)g->n * (double)g->k * (double)g->batches >= worth_timing &&
           !(asked && strcmp(asked, "0") == 0) && !host->deterministic() && !(captures_run() && capture_of(plan->stream));
}

kt_status blas_gemm(const gemm *g, const kt_plan *plan)
{
    void     *workspace = NULL;
    size_t    granted = 0;
    kt_status status = KT_DECLINED;
    pthread_mutex_lock(&lock);
    kind *k = is_open(plan->device_index) ? kind_of(g, plan->device_index) : NULL;
    if (k && k->has_way) {
        status = memory_alloc(NULL, plan->device_index, plan->stream, WORKSPACE, &workspace, &granted);
        if (!status && is_to_be_timed(k, g, plan))
            choose_way(k, g, plan, workspace);
        k->timed = true;
        if (!status)
            status = launch(k, g, plan, workspace);
    }
    pthread_mutex_unlock(&lock);
    if (workspace)
        memory_free(NULL, plan->device_index, workspace, granted);
    return status;
}

#else /* built without its header */
void blas_about(int index, char *text, size_t room)
{
    (void)index;
    library_about("cuBLASLt", 0, NULL, text, room);
}

kt_status blas_gemm(const gemm *g, const kt_plan *plan)
{
    (void)g, (void)plan;
    return KT_DECLINED;
}
#endif
