/* dnn.c - convolutions by cuDNN, which is opened when the first is asked for. A kind of convolution (sizes, layout, dtype) is
 * described to the library once; its descriptors and the quickest of the ways that the library proposes are kept: those of large
 * ones are timed when the first is launched, as products are (blas.c). Only ways that give the same bits at every run are taken,
 * and float32 is never rounded to TF32.
 *
 * In: dense operands of one layout. Out: a launch on the plan's stream. Independent of: plans' operands, who asks. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

#if __has_include(<cudnn.h>) && !defined(KT_ON_CPU)
#include <cudnn.h>

/* ---- the library ---- */
#define CALLS(X)                                                                                                               \
    X(cudnnCreate) X(cudnnGetVersion) X(cudnnSetStream) X(cudnnGetErrorString) X(cudnnCreateTensorDescriptor)                  \
    X(cudnnDestroyTensorDescriptor)                                                                                            \
    X(cudnnSetTensorNdDescriptor) X(cudnnCreateFilterDescriptor) X(cudnnDestroyFilterDescriptor) X(cudnnSetFilterNdDescriptor) \
    X(cudnnCreateConvolutionDescriptor) X(cudnnDestroyConvolutionDescriptor) X(cudnnSetConvolutionNdDescriptor)                \
    X(cudnnSetConvolutionGroupCount) X(cudnnSetConvolutionMathType) X(cudnnGetConvolutionForwardAlgorithm_v7)                  \
    X(cudnnGetConvolutionBackwardDataAlgorithm_v7) X(cudnnGetConvolutionBackwardFilterAlgorithm_v7)                            \
    X(cudnnGetConvolutionForwardWorkspaceSize) X(cudnnGetConvolutionBackwardDataWorkspaceSize)                                 \
    X(cudnnGetConvolutionBackwardFilterWorkspaceSize) X(cudnnConvolutionForward) X(cudnnConvolutionBackwardData)               \
    X(cudnnConvolutionBackwardFilter)
static struct {
#define CALL(name) __typeof__(name) *name;
    CALLS(CALL)
#undef CALL
    bool          here;
    cudnnHandle_t handle[MOST_DEVICES];
} dnn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void open_library(void)
{
    static const char *const names[] = {"libcudnn.so.9", NULL};
    void *const              library = library_open(names);
    dnn.here = library != NULL;
#define CALL(name) dnn.here = dnn.here && (dnn.name = (__typeof__(name) *)dlsym(library, #name)) != NULL;
    CALLS(CALL)
#undef CALL
}

static bool is_good(cudnnStatus_t status) { return status == CUDNN_STATUS_SUCCESS; }

static bool is_open(int index)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    if (dnn.here && !dnn.handle[index] && !is_good(dnn.cudnnCreate(&dnn.handle[index])))
        dnn.handle[index] = NULL;
    return dnn.here && dnn.handle[index];
}

void dnn_about(int index, char *text, size_t room)
{
    pthread_mutex_lock(&lock);
    const bool here = is_open(index);
    pthread_mutex_unlock(&lock);
    library_about("cuDNN", here ? dnn.cudnnGetVersion() : 0, here ? (void *)(uintptr_t)dnn.cudnnCreate : NULL, text, room);
}

/* ---- kinds of convolutions ---- */
enum { KINDS = 1024, NEAR = 8, MOST_WAYS = 16, TIMED_RUNS = 3 };
static const size_t most_workspace = (size_t)1 << 30;
static const double worth_timing = 1e8; /* multiplications */

typedef struct kind_key { /* no padding: compared as bytes */
    int64_t index, what, dtype, space, channels_last, groups;
    int64_t x[2 + CONV_SPACE], w[2 + CONV_SPACE], y[2 + CONV_SPACE];
    int64_t stride[CONV_SPACE], padding[CONV_SPACE], dilation[CONV_SPACE];
} kind_key;

typedef struct way {
    int             algorithm;
    cudnnMathType_t math;
    size_t          workspace;
} way;

typedef struct kind {
    kind_key                     key;
    cudnnConvolutionDescriptor_t window; /* NULL: the place is free */
    cudnnTensorDescriptor_t      x, y;
    cudnnFilterDescriptor_t      w;
    int                          n; /* ways; the first is taken */
    way                          ways[MOST_WAYS];
    bool                         timed;
    uint64_t                     used; /* when last, counted */
} kind;

static kind kinds[KINDS];

static kind_key key_of(const conv *c, int index)
{
    kind_key k;
    memset(&k, 0, sizeof k);
    k.index = index, k.what = c->what, k.dtype = c->dtype, k.space = c->space, k.channels_last = c->channels_last;
    k.groups = c->groups;
    memcpy(k.x, c->x, sizeof k.x);
    memcpy(k.w, c->w, sizeof k.w);
    memcpy(k.y, c->y, sizeof k.y);
    memcpy(k.stride, c->stride, sizeof k.stride);
    memcpy(k.padding, c->padding, sizeof k.padding);
    memcpy(k.dilation, c->dilation, sizeof k.dilation);
    return k;
}

static void forget(kind *k)
{
    if (k->window)
        dnn.cudnnDestroyConvolutionDescriptor(k->window);
    if (k->x)
        dnn.cudnnDestroyTensorDescriptor(k->x);
    if (k->y)
        dnn.cudnnDestroyTensorDescriptor(k->y);
    if (k->w)
        dnn.cudnnDestroyFilterDescriptor(k->w);
    memset(k, 0, sizeof *k);
}

static cudnnDataType_t type_of(kt_dtype dtype)
{
    return dtype == KT_F64    ? CUDNN_DATA_DOUBLE
           : dtype == KT_BF16 ? CUDNN_DATA_BFLOAT16
           : dtype == KT_F16  ? CUDNN_DATA_HALF
                              : CUDNN_DATA_FLOAT;
}

static cudnnMathType_t math_of(kt_dtype dtype)
{
    return dtype == KT_F64 ? CUDNN_DEFAULT_MATH : dtype == KT_F32 ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH;
}

static void to_ints(int *to, const int64_t *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = (int)from[i];
}

static bool make_image(cudnnTensorDescriptor_t *made, const conv *c, const int64_t *sizes)
{
    const int n = 2 + c->space;
    int       size[2 + CONV_SPACE] = {0}, stride[2 + CONV_SPACE] = {0}, step = 1;
    to_ints(size, sizes, n);
    if (c->channels_last)
        stride[1] = 1, step = size[1];
    for (int d = n - 1; d >= 0; d--) {
        if (d == 1 && c->channels_last)
            continue;
        stride[d] = step;
        step *= size[d];
    }
    return is_good(dnn.cudnnCreateTensorDescriptor(made)) &&
           is_good(dnn.cudnnSetTensorNdDescriptor(*made, type_of(c->dtype), n, size, stride));
}

static bool make_weight(cudnnFilterDescriptor_t *made, const conv *c)
{
    const cudnnTensorFormat_t format = c->channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    int                       size[2 + CONV_SPACE] = {0};
    to_ints(size, c->w, 2 + c->space);
    return is_good(dnn.cudnnCreateFilterDescriptor(made)) &&
           is_good(dnn.cudnnSetFilterNdDescriptor(*made, type_of(c->dtype), format, 2 + c->space, size));
}

static bool make_window(cudnnConvolutionDescriptor_t *made, const conv *c)
{
    const cudnnDataType_t compute = c->dtype == KT_F64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    int                   stride[CONV_SPACE] = {0}, padding[CONV_SPACE] = {0}, dilation[CONV_SPACE] = {0};
    to_ints(stride, c->stride, c->space);
    to_ints(padding, c->padding, c->space);
    to_ints(dilation, c->dilation, c->space);
    return is_good(dnn.cudnnCreateConvolutionDescriptor(made)) &&
           is_good(dnn.cudnnSetConvolutionNdDescriptor(*made, c->space, padding, stride, dilation, CUDNN_CROSS_CORRELATION,
                                                       compute)) &&
           is_good(dnn.cudnnSetConvolutionGroupCount(*made, (int)c->groups)) &&
           is_good(dnn.cudnnSetConvolutionMathType(*made, math_of(c->dtype)));
}

/* Of the ways in the order in which the library would take them, those that suit. */
#define CHOOSE(k, found, n_found)                                                                                              \
    for (int i = 0; i < (n_found); i++)                                                                                        \
        if (is_good((found)[i].status) && (found)[i].determinism == CUDNN_DETERMINISTIC)                                       \
            add_way(k, (int)(found)[i].algo, (found)[i].mathType);

static bool ask_workspace(const kind *k, way *w)
{
    const cudnnHandle_t h = dnn.handle[k->key.index];
    switch ((conv_what)k->key.what) {
    case CONV_FORWARD:
        return is_good(dnn.cudnnGetConvolutionForwardWorkspaceSize(h, k->x, k->w, k->window, k->y,
                                                                   (cudnnConvolutionFwdAlgo_t)w->algorithm, &w->workspace));
    case CONV_INPUT:
        return is_good(dnn.cudnnGetConvolutionBackwardDataWorkspaceSize(
            h, k->w, k->y, k->window, k->x, (cudnnConvolutionBwdDataAlgo_t)w->algorithm, &w->workspace));
    case CONV_WEIGHT: break;
    }
    return is_good(dnn.cudnnGetConvolutionBackwardFilterWorkspaceSize(
        h, k->x, k->y, k->window, k->w, (cudnnConvolutionBwdFilterAlgo_t)w->algorithm, &w->workspace));
}

/* The descriptor is told which arithmetic a way has. */
static bool set_way(const kind *k, const way *w)
{
    const bool narrow = k->key.dtype == KT_F16 || k->key.dtype == KT_BF16;
    return !narrow || is_good(dnn.cudnnSetConvolutionMathType(k->window, w->math));
}

static void add_way(kind *k, int algorithm, cudnnMathType_t math)
{
    const bool tensor_cores = math == CUDNN_TENSOR_OP_MATH || math == CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION;
    way        w = {algorithm, math, 0};
    if ((k->key.dtype == KT_F32 && tensor_cores) || k->n == MOST_WAYS)
        return;
    if (set_way(k, &w) && ask_workspace(k, &w) && w.workspace <= most_workspace)
        k->ways[k->n++] = w;
}

static void find_ways(kind *k)
{
    const cudnnHandle_t h = dnn.handle[k->key.index];
    int                 n = 0;
    if (k->key.what == CONV_FORWARD) {
        cudnnConvolutionFwdAlgoPerf_t found[MOST_WAYS];
        if (is_good(dnn.cudnnGetConvolutionForwardAlgorithm_v7(h, k->x, k->w, k->window, k->y, MOST_WAYS, &n, found)))
            CHOOSE(k, found, n)
    } else if (k->key.what == CONV_INPUT) {
        cudnnConvolutionBwdDataAlgoPerf_t found[MOST_WAYS];
        if (is_good(dnn.cudnnGetConvolutionBackwardDataAlgorithm_v7(h, k->w, k->y, k->window, k->x, MOST_WAYS, &n, found)))
            CHOOSE(k, found, n)
    } else {
        cudnnConvolutionBwdFilterAlgoPerf_t found[MOST_WAYS];
        if (is_good(dnn.cudnnGetConvolutionBackwardFilterAlgorithm_v7(h, k->x, k->y, k->window, k->w, MOST_WAYS, &n, found)))
            CHOOSE(k, found, n)
    }
    if (k->n)
        set_way(k, &k->ways[0]); /* the descriptor was told of each */
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
        if (k->window && memcmp(&k->key, key, sizeof *key) == 0) {
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
static kind *kind_of(const conv *c, int index)
{
    const kind_key key = key_of(c, index);
    kind          *k = place_of(&key);
    if (k->window)
        return k;
    k->key = key;
    if (make_window(&k->window, c) && make_image(&k->x, c, c->x) && make_image(&k->y, c, c->y) && make_weight(&k->w, c))
        find_ways(k);
    return k;
}

/* By its first way. */
static cudnnStatus_t launch(const kind *k, const conv *c, cudnnHandle_t h, void *workspace)
{
    const way   *w = &k->ways[0];
    const float  one = 1, zero = 0;
    const double one_wide = 1, zero_wide = 0;
    const bool   wide = c->dtype == KT_F64;
    const void  *alpha = wide ? (const void *)&one_wide : &one, *beta = wide ? (const void *)&zero_wide : &zero;
    switch (c->what) {
    case CONV_FORWARD:
        return dnn.cudnnConvolutionForward(h, alpha, k->x, c->at_x, k->w, c->at_w, k->window,
                                           (cudnnConvolutionFwdAlgo_t)w->algorithm, workspace, w->workspace, beta, k->y, c->at_y);
    case CONV_INPUT:
        return dnn.cudnnConvolutionBackwardData(h, alpha, k->w, c->at_w, k->y, c->at_y, k->window,
                                                (cudnnConvolutionBwdDataAlgo_t)w->algorithm, workspace, w->workspace, beta, k->x,
                                                c->at_x);
    case CONV_WEIGHT: break;
    }
    return dnn.cudnnConvolutionBackwardFilter(h, alpha, k->x, c->at_x, k->y, c->at_y, k->window,
                                              (cudnnConvolutionBwdFilterAlgo_t)w->algorithm, workspace, w->workspace, beta, k->w,
                                              c->at_w);
}

static void drop_way(kind *k, int which)
{
    k->n--;
    memmove(&k->ways[which], &k->ways[which + 1], (size_t)(k->n - which) * sizeof *k->ways);
    if (k->n)
        set_way(k, &k->ways[0]);
}

static void put_first(kind *k, int which)
{
    const way first = k->ways[which];
    memmove(&k->ways[1], &k->ways[0], (size_t)which * sizeof *k->ways);
    k->ways[0] = first;
    set_way(k, &first);
}

static kt_status run(kind *k, const conv *c, const kt_plan *plan, void *workspace)
{
    enum { CATEGORY = 1000, NOT_SUPPORTED = 3 }; /* of the library's statuses */
    const cudnnHandle_t h = dnn.handle[plan->device_index];
    cudnnStatus_t       status = dnn.cudnnSetStream(h, stream_at(plan->stream));
    if (is_good(status))
        status = launch(k, c, h, workspace);
    if (is_good(status))
        return KT_OK;
    if ((int)status / CATEGORY == NOT_SUPPORTED)
        return KT_DECLINED;
    return host->fail(KT_ERR_RUNTIME, "cuDNN error: %s", dnn.cudnnGetErrorString(status));
}

/* ---- the quickest way ---- */
static double run_ms(kind *k, const conv *c, const kt_plan *plan, void *workspace, cudaEvent_t *at) /* < 0: it cannot be */
{
    float              ms = -1;
    const cudaStream_t stream = stream_at(plan->stream);
    if (run(k, c, plan, workspace) || cudaEventRecord(at[0], stream) != cudaSuccess) /* the first one is not timed */
        return -1;
    for (int i = 0; i < TIMED_RUNS; i++)
        if (run(k, c, plan, workspace))
            return -1;
    const bool done = cudaEventRecord(at[1], stream) == cudaSuccess && cudaEventSynchronize(at[1]) == cudaSuccess &&
                      cudaEventElapsedTime(&ms, at[0], at[1]) == cudaSuccess;
    return done ? (double)ms : -1;
}

/* Into the result itself, which is written again afterwards. Whatever fails, the order of the ways stays. */
static void choose_way(kind *k, const conv *c, const kt_plan *plan)
{
    cudaEvent_t at[2] = {NULL, NULL};
    double      least = -1;
    way         best = k->ways[0];
    if (cudaEventCreate(&at[0]) == cudaSuccess && cudaEventCreate(&at[1]) == cudaSuccess)
        for (int i = 0; i < k->n; i++) {
            void  *workspace = NULL;
            size_t granted = 0, bytes = k->ways[i].workspace;
            put_first(k, i);
            const bool   room = !bytes || !memory_alloc(NULL, plan->device_index, plan->stream, bytes, &workspace, &granted);
            const double took = room ? run_ms(k, c, plan, workspace, at) : -1;
            if (workspace)
                memory_free(NULL, plan->device_index, workspace, granted);
            if (took >= 0 && (least < 0 || took < least)) {
                least = took;
                best = k->ways[0];
            }
        }
    for (int i = 0; i < k->n; i++)
        if (k->ways[i].algorithm == best.algorithm && k->ways[i].math == best.math)
            put_first(k, i);
    for (int i = 0; i < 2; i++)
        if (at[i])
            cudaEventDestroy(at[i]);
    cudaGetLastError();
    host->clear();
}

/* Once for each kind, so that its results have the same bits from the first to the last. */
static bool is_to_be_timed(const kind *k, const conv *c, const kt_plan *plan)
{
    const char *asked = getenv("KARAT_CUDA_TUNE");
    double      products = (double)c->w[1];
    for (int d = 0; d < 2 + c->space; d++)
        products *= (double)c->y[d] * (d < 2 ? 1.0 : (double)c->w[d]);
    return !k->timed && k->n > 1 && products >= worth_timing && !(asked && strcmp(asked, "0") == 0) && !host->deterministic() &&
           !(captures_run() && capture_of(plan->stream));
}

bool dnn_serves(const conv *c, int index)
{
    pthread_mutex_lock(&lock);
    const bool serves = is_open(index) && kind_of(c, index)->n > 0;
    pthread_mutex_unlock(&lock);
    return serves;
}

/* Ways that turn out not to serve are forgotten, until one does. */
static kt_status convolve(kind *k, const conv *c, const kt_plan *plan)
{
    kt_status status = KT_DECLINED;
    if (is_to_be_timed(k, c, plan))
        choose_way(k, c, plan);
    k->timed = true;
    while (status == KT_DECLINED && k->n > 0) {
        void        *workspace = NULL;
        size_t       granted = 0;
        const size_t bytes = k->ways[0].workspace;
        status = bytes ? memory_alloc(NULL, plan->device_index, plan->stream, bytes, &workspace, &granted) : KT_OK;
        if (!status)
            status = run(k, c, plan, workspace);
        if (workspace)
            memory_free(NULL, plan->device_index, workspace, granted);
        if (status == KT_DECLINED)
            drop_way(k, 0);
    }
    return status;
}

kt_status dnn_convolve(const conv *c, const kt_plan *plan)
{
    pthread_mutex_lock(&lock);
    const kt_status status = is_open(plan->device_index) ? convolve(kind_of(c, plan->device_index), c, plan) : KT_DECLINED;
    pthread_mutex_unlock(&lock);
    return status;
}

#else /* built without its header */
void dnn_about(int index, char *text, size_t room)
{
    (void)index;
    library_about("cuDNN", 0, NULL, text, room);
}

bool dnn_serves(const conv *c, int index)
{
    (void)c, (void)index;
    return false;
}

kt_status dnn_convolve(const conv *c, const kt_plan *plan)
{
    (void)c, (void)plan;
    return KT_DECLINED;
}
#endif
