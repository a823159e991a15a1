/* dnn.c - convolutions by cuDNN, which is opened when the first is asked for. A kind of convolution (sizes, layout, dtype) is
 * described to the library once, as a graph of one operation; the plans of the ways that it proposes are kept, the quickest
 * first: those of large ones are timed when the first is launched, as products are (blas.c). Such a plan is chosen by sizes and
 * strides alone, and launched without a search: by the library's older interface a step of a ResNet took the host 7.3 ms, so 2.7.
 * Only ways that give the same bits at every run are taken, and float32 is rounded to TF32 where the plan permits that alone.
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
    X(cudnnCreate) X(cudnnGetVersion) X(cudnnSetStream) X(cudnnGetErrorString) X(cudnnBackendCreateDescriptor)                 \
    X(cudnnBackendDestroyDescriptor) X(cudnnBackendSetAttribute) X(cudnnBackendGetAttribute) X(cudnnBackendFinalize)           \
    X(cudnnBackendExecute)
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
enum { KINDS = 1024, NEAR = 8, MOST_WAYS = 20, QUICK_WAYS = 5, MOST_PROPOSED = 48, TIMED_RUNS = 3 };
static const size_t most_workspace = (size_t)1 << 30;
static const double worth_timing = 1e8; /* multiplications */

typedef struct kind_key { /* no padding: compared as bytes */
    int64_t index, what, dtype, space, channels_last, groups, tf32;
    int64_t x[2 + CONV_SPACE], w[2 + CONV_SPACE], y[2 + CONV_SPACE];
    int64_t stride[CONV_SPACE], padding[CONV_SPACE], dilation[CONV_SPACE];
} kind_key;

typedef cudnnBackendDescriptor_t part; /* of a graph, and what is made of it */
typedef struct way {
    part   engine, config, plan; /* engine: NULL, or that of a config made here */
    size_t workspace;
} way;

enum { X, W, Y, WINDOW, CONVOLUTION, GRAPH, PARTS };
typedef struct kind {
    kind_key key;
    bool     known; /* else the place is free */
    part     parts[PARTS];
    int      n; /* ways; the first is taken */
    way      ways[MOST_WAYS];
    bool     timed;
    uint64_t used; /* when last, counted */
} kind;

static kind kinds[KINDS];

static kind_key key_of(const conv *c, int index)
{
    kind_key k;
    memset(&k, 0, sizeof k);
    k.index = index, k.what = c->what, k.dtype = c->dtype, k.space = c->space, k.channels_last = c->channels_last;
    k.groups = c->groups, k.tf32 = c->tf32;
    memcpy(k.x, c->x, sizeof k.x);
    memcpy(k.w, c->w, sizeof k.w);
    memcpy(k.y, c->y, sizeof k.y);
    memcpy(k.stride, c->stride, sizeof k.stride);
    memcpy(k.padding, c->padding, sizeof k.padding);
    memcpy(k.dilation, c->dilation, sizeof k.dilation);
    return k;
}

static void drop(part p)
{
    if (p)
        dnn.cudnnBackendDestroyDescriptor(p);
}

static void drop_way(kind *k, int which)
{
    drop(k->ways[which].plan);
    drop(k->ways[which].config);
    drop(k->ways[which].engine);
    k->n--;
    memmove(&k->ways[which], &k->ways[which + 1], (size_t)(k->n - which) * sizeof *k->ways);
}

static void forget(kind *k)
{
    while (k->n)
        drop_way(k, k->n - 1);
    for (int i = PARTS - 1; i >= 0; i--)
        drop(k->parts[i]);
    memset(k, 0, sizeof *k);
}

/* ---- parts ---- */
static bool make(part *made, cudnnBackendDescriptorType_t type) { return is_good(dnn.cudnnBackendCreateDescriptor(type, made)); }
static bool set(part p, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t n, const void *values)
{
    return is_good(dnn.cudnnBackendSetAttribute(p, name, type, n, values));
}
static bool set_part(part p, cudnnBackendAttributeName_t name, part other)
{
    return set(p, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other);
}
static bool finish(part p) { return is_good(dnn.cudnnBackendFinalize(p)); }

static cudnnDataType_t type_of(kt_dtype dtype)
{
    return dtype == KT_F64    ? CUDNN_DATA_DOUBLE
           : dtype == KT_BF16 ? CUDNN_DATA_BFLOAT16
           : dtype == KT_F16  ? CUDNN_DATA_HALF
                              : CUDNN_DATA_FLOAT;
}

/* An image or the weight: dense, in the order of the images. */
static bool make_tensor(part *made, int id, const conv *c, const int64_t *sizes)
{
    const int             n = 2 + c->space;
    const int64_t         number = id, alignment = 16;
    const cudnnDataType_t type = type_of(c->dtype);
    int64_t               stride[2 + CONV_SPACE] = {0}, step = 1;
    if (c->channels_last)
        stride[1] = 1, step = sizes[1];
    for (int d = n - 1; d >= 0; d--) {
        if (d == 1 && c->channels_last)
            continue;
        stride[d] = step;
        step *= sizes[d];
    }
    return make(made, CUDNN_BACKEND_TENSOR_DESCRIPTOR) &&
           set(*made, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type) &&
           set(*made, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, n, sizes) &&
           set(*made, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, n, stride) &&
           set(*made, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &number) &&
           set(*made, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment) && finish(*made);
}

static bool make_window(part *made, const conv *c)
{
    const cudnnDataType_t        compute = c->dtype == KT_F64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    const int64_t                space = c->space;
    return make(made, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR) &&
           set(*made, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &compute) &&
           set(*made, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode) &&
           set(*made, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &space) &&
           set(*made, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, space, c->padding) &&
           set(*made, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, space, c->padding) &&
           set(*made, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, space, c->dilation) &&
           set(*made, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, space, c->stride) && finish(*made);
}

/* What the library calls the operation and its parts. */
typedef struct operation_names {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t  alpha, beta, window, x, w, y;
} operation_names;
static const operation_names operations[] = {
    [CONV_FORWARD] = {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y},
    [CONV_INPUT] = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY},
    [CONV_WEIGHT] = {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
                     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY},
};

static bool make_operation(kind *k, const conv *c)
{
    const operation_names *o = &operations[c->what];
    const float            one = 1, zero = 0;
    const double           one_wide = 1, zero_wide = 0;
    const bool             wide = c->dtype == KT_F64;
    const cudnnBackendAttributeType_t type = wide ? CUDNN_TYPE_DOUBLE : CUDNN_TYPE_FLOAT;
    part                  *p = k->parts, *made = &p[CONVOLUTION];
    return make(made, o->type) && set_part(*made, o->window, p[WINDOW]) && set_part(*made, o->x, p[X]) &&
           set_part(*made, o->w, p[W]) && set_part(*made, o->y, p[Y]) &&
           set(*made, o->alpha, type, 1, wide ? (const void *)&one_wide : &one) &&
           set(*made, o->beta, type, 1, wide ? (const void *)&zero_wide : &zero) && finish(*made);
}

static bool make_graph(kind *k, const conv *c, cudnnHandle_t h)
{
    part *p = k->parts;
    return make_tensor(&p[X], X, c, c->x) && make_tensor(&p[W], W, c, c->w) && make_tensor(&p[Y], Y, c, c->y) &&
           make_window(&p[WINDOW], c) && make_operation(k, c) && make(&p[GRAPH], CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) &&
           set_part(p[GRAPH], CUDNN_ATTR_OPERATIONGRAPH_OPS, p[CONVOLUTION]) &&
           set(p[GRAPH], CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &h) && finish(p[GRAPH]);
}

/* ---- ways ---- */
typedef struct way_notes {
    bool known, tensor_cores, narrows, varies, compiles; /* compiles: a kernel, when it is planned, which takes a second */
} way_notes;

static way_notes notes_of(part config)
{
    cudnnBackendNumericalNote_t of_numbers[CUDNN_NUMERICAL_NOTE_TYPE_COUNT + 16];
    cudnnBackendBehaviorNote_t  of_work[CUDNN_BEHAVIOR_NOTE_TYPE_COUNT + 16];
    enum { MOST_NUMBERS = sizeof of_numbers / sizeof *of_numbers, MOST_WORK = sizeof of_work / sizeof *of_work };
    way_notes notes = {false};
    int64_t   n = 0, m = 0, one = 0;
    part      engine = NULL;
    if (make(&engine, CUDNN_BACKEND_ENGINE_DESCRIPTOR) &&
        is_good(dnn.cudnnBackendGetAttribute(config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &one,
                                             &engine)))
        notes.known = is_good(dnn.cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                                           MOST_NUMBERS, &n, of_numbers)) &&
                      is_good(dnn.cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
                                                           MOST_WORK, &m, of_work));
    for (int64_t i = 0; i < n && i < MOST_NUMBERS; i++) {
        notes.tensor_cores |= of_numbers[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
        notes.narrows |= of_numbers[i] == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS ||
                         of_numbers[i] == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION;
        notes.varies |= of_numbers[i] == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC;
    }
    for (int64_t i = 0; i < m && i < MOST_WORK; i++)
        notes.compiles |= of_work[i] == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION;
    drop(engine);
    return notes;
}

static bool is_exact(const kind *k) { return k->key.dtype == KT_F32 && !k->key.tf32; }

static bool suits(const kind *k, const way_notes *notes)
{
    return notes->known && !notes->varies && !notes->narrows && !(is_exact(k) && notes->tensor_cores);
}

static bool make_plan(way *w, cudnnHandle_t h)
{
    int64_t bytes = 0, n = 0;
    if (!make(&w->plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) ||
        !set(w->plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &h) ||
        !set_part(w->plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, w->config) || !finish(w->plan) ||
        !is_good(dnn.cudnnBackendGetAttribute(w->plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &n,
                                              &bytes)))
        return false;
    w->workspace = (size_t)bytes;
    return w->workspace <= most_workspace;
}

/* Of the ways that the library proposes, in its order, those that suit, as many as are wanted. */
static void add_ways(kind *k, cudnnHandle_t h, cudnnBackendHeurMode_t mode, bool compiles, int wanted)
{
    part    heuristic = NULL, found[MOST_PROPOSED] = {NULL};
    int64_t n = 0;
    bool    good = make(&heuristic, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR) &&
                set_part(heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, k->parts[GRAPH]) &&
                set(heuristic, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode) && finish(heuristic);
    for (int i = 0; i < MOST_PROPOSED; i++)
        good = good && make(&found[i], CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    if (!good || !is_good(dnn.cudnnBackendGetAttribute(heuristic, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                                       MOST_PROPOSED, &n, found)))
        n = 0;
    for (int i = 0; i < n && i < MOST_PROPOSED && k->n < wanted; i++) {
        way             w = {.config = found[i]};
        const way_notes notes = notes_of(found[i]);
        if (!suits(k, &notes) || notes.compiles != compiles)
            continue;
        if (make_plan(&w, h)) {
            k->ways[k->n++] = w;
            found[i] = NULL;
        } else {
            drop(w.plan);
        }
    }
    for (int i = 0; i < MOST_PROPOSED; i++)
        drop(found[i]);
    drop(heuristic);
}

/* What the library proposes has tensor cores in mind: of float32 without TF32 the quick ways are not among it. So all its engines
 * are looked at. */
static void add_engines(kind *k, cudnnHandle_t h, int wanted)
{
    int64_t count = 0, n = 0;
    if (!is_good(dnn.cudnnBackendGetAttribute(k->parts[GRAPH], CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT, CUDNN_TYPE_INT64, 1,
                                              &n, &count)))
        count = 0;
    for (int64_t i = 0; i < count && k->n < wanted; i++) {
        way       w = {.engine = NULL};
        way_notes notes = {false};
        if (make(&w.engine, CUDNN_BACKEND_ENGINE_DESCRIPTOR) &&
            set_part(w.engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, k->parts[GRAPH]) &&
            set(w.engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &i) && finish(w.engine) &&
            make(&w.config, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR) && set_part(w.config, CUDNN_ATTR_ENGINECFG_ENGINE, w.engine) &&
            finish(w.config))
            notes = notes_of(w.config);
        if (suits(k, &notes) && !notes.compiles && make_plan(&w, h)) {
            k->ways[k->n++] = w;
        } else {
            drop(w.plan);
            drop(w.config);
            drop(w.engine);
        }
    }
}

static double products_of(const conv *c)
{
    double products = (double)c->w[1];
    for (int d = 0; d < 2 + c->space; d++)
        products *= (double)c->y[d] * (d < 2 ? 1.0 : (double)c->w[d]);
    return products;
}

static void find_ways(kind *k, const conv *c, cudnnHandle_t h)
{
    const bool timed = products_of(c) >= worth_timing;
    add_ways(k, h, CUDNN_HEUR_MODE_A, false, timed ? QUICK_WAYS : 1);
    if (timed && is_exact(k))
        add_engines(k, h, MOST_WAYS);
    if (!k->n)
        add_ways(k, h, CUDNN_HEUR_MODE_FALLBACK, false, 1);
    if (!k->n)
        add_ways(k, h, CUDNN_HEUR_MODE_A, true, 1);
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
        if (k->known && memcmp(&k->key, key, sizeof *key) == 0) {
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
    if (k->known)
        return k;
    k->key = key;
    k->known = true;
    if (make_graph(k, c, dnn.handle[index]))
        find_ways(k, c, dnn.handle[index]);
    return k;
}

/* By its first way. */
static cudnnStatus_t launch(const kind *k, const conv *c, cudnnHandle_t h, void *workspace)
{
    const int64_t ids[] = {X, W, Y};
    void *const   at[] = {c->at_x, c->at_w, c->at_y};
    part          pack = NULL;
    cudnnStatus_t status = dnn.cudnnBackendCreateDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &pack);
    if (is_good(status))
        status = dnn.cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 3, ids);
    if (is_good(status))
        status = dnn.cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 3, at);
    if (is_good(status))
        status = dnn.cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
    if (is_good(status))
        status = dnn.cudnnBackendFinalize(pack);
    if (is_good(status))
        status = dnn.cudnnBackendExecute(h, k->ways[0].plan, pack);
    drop(pack);
    return status;
}

static void put_first(kind *k, int which)
{
    const way first = k->ways[which];
    memmove(&k->ways[1], &k->ways[0], (size_t)which * sizeof *k->ways);
    k->ways[0] = first;
}

/* The library is told of a stream when it is another than before. */
static cudnnStatus_t use_stream(int index, kt_handle stream)
{
    static kt_handle told[MOST_DEVICES];
    static bool      any[MOST_DEVICES];
    if (any[index] && told[index] == stream)
        return CUDNN_STATUS_SUCCESS;
    const cudnnStatus_t status = dnn.cudnnSetStream(dnn.handle[index], stream_at(stream));
    any[index] = is_good(status);
    told[index] = stream;
    return status;
}

static kt_status run(kind *k, const conv *c, const kt_plan *plan, void *workspace)
{
    enum { CATEGORY = 1000, NOT_SUPPORTED = 3 }; /* of the library's statuses */
    const cudnnHandle_t h = dnn.handle[plan->device_index];
    cudnnStatus_t       status = use_stream(plan->device_index, plan->stream);
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
        if (k->ways[i].plan == best.plan)
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
    return !k->timed && k->n > 1 && products_of(c) >= worth_timing && !(asked && strcmp(asked, "0") == 0) &&
           !host->deterministic() && !(captures_run() && capture_of(plan->stream));
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
