/* onednn.c - the one file that knows oneDNN, of API 2 and 3: products of float32 and bfloat16.
 *
 * In: dense matrices. Out: their product, on as many threads as it is told. Nothing is linked and no header is needed: the
 * library is opened at first use; what is used of its documented C interface is declared here. Independent of: plans.
 *
 * float32 goes through dnnl_sgemm, which takes every argument at the call. bfloat16 and batches need primitives, which cost
 * up to a millisecond to make: each thread keeps the last few, found without a lock. */
#include "cpu/gemm/products.h"

#include "base/alloc.h"
#include "base/cpu.h"
#include "base/local.h"
#include "base/thread.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- what is used of oneDNN's interface; a handle is a pointer, a status is 0 on success ---- */
typedef void   *handle;
typedef int64_t dim;
typedef struct exec_arg { int arg; handle memory; } exec_arg;
typedef struct version { int major, minor, patch; const char *hash; unsigned cpu_runtime, gpu_runtime; } version;

enum { ENGINE_CPU = 1, STREAM_IN_ORDER = 1, TYPE_BF16 = 2, TYPE_F32 = 3, ARG_SRC = 1, ARG_DST = 17, ARG_WEIGHTS = 33 };
enum { RUNTIME_SEQUENTIAL = 1, RUNTIME_OPENMP = 2 };

static struct {
    int (*sgemm)(char ta, char tb, dim m, dim n, dim k, float alpha, const float *a, dim lda, const float *b, dim ldb,
                 float beta, float *c, dim ldc);
    int (*engine_create)(handle *engine, int kind, size_t index);
    int (*stream_create)(handle *stream, handle engine, unsigned flags);
    int (*stream_wait)(handle stream);
    int (*stream_destroy)(handle stream);
    int (*memory_create)(handle *memory, const void *desc, handle engine, void *data);
    int (*memory_set_data_handle)(handle memory, void *data);
    int (*memory_destroy)(handle memory);
    int (*primitive_create)(handle *primitive, handle desc);
    int (*primitive_execute)(handle primitive, handle stream, int n, const exec_arg *args);
    int (*primitive_destroy)(handle primitive);
    int (*primitive_desc_destroy)(handle desc);
    int (*primitive_attr_create)(handle *attr);
    int (*primitive_attr_destroy)(handle attr);
    int (*primitive_attr_set_post_ops)(handle attr, handle ops);
    int (*post_ops_create)(handle *ops);
    int (*post_ops_destroy)(handle ops);
    const version *(*version)(void);
    /* API 2: descriptions are structs, filled in place */
    int (*memory_desc_init_by_strides)(void *desc, int n, const dim *sizes, int type, const dim *strides);
    int (*matmul_desc_init)(void *op, const void *a, const void *b, const void *bias, const void *c);
    int (*primitive_desc_create)(handle *desc, const void *op, handle attr, handle engine, handle hint);
    int (*append_sum_2)(handle ops, float scale);
    /* API 3: they are handles */
    int (*memory_desc_create_with_strides)(handle *desc, int n, const dim *sizes, int type, const dim *strides);
    int (*memory_desc_destroy)(handle desc);
    int (*matmul_primitive_desc_create)(handle *desc, handle engine, handle a, handle b, handle bias, handle c,
                                        handle attr);
    int (*append_sum_3)(handle ops, float scale, int32_t zero_point, int type);
} dnnl;

enum { API_2 = 1, API_3 = 2 };

static const struct {
    void       *to;
    const char *symbol;
    int         api; /* needed by; 0: by both */
} symbols[] = {
    {&dnnl.sgemm, "dnnl_sgemm", 0},
    {&dnnl.engine_create, "dnnl_engine_create", 0},
    {&dnnl.stream_create, "dnnl_stream_create", 0},
    {&dnnl.stream_wait, "dnnl_stream_wait", 0},
    {&dnnl.stream_destroy, "dnnl_stream_destroy", 0},
    {&dnnl.memory_create, "dnnl_memory_create", 0},
    {&dnnl.memory_set_data_handle, "dnnl_memory_set_data_handle", 0},
    {&dnnl.memory_destroy, "dnnl_memory_destroy", 0},
    {&dnnl.primitive_create, "dnnl_primitive_create", 0},
    {&dnnl.primitive_execute, "dnnl_primitive_execute", 0},
    {&dnnl.primitive_destroy, "dnnl_primitive_destroy", 0},
    {&dnnl.primitive_desc_destroy, "dnnl_primitive_desc_destroy", 0},
    {&dnnl.primitive_attr_create, "dnnl_primitive_attr_create", 0},
    {&dnnl.primitive_attr_destroy, "dnnl_primitive_attr_destroy", 0},
    {&dnnl.primitive_attr_set_post_ops, "dnnl_primitive_attr_set_post_ops", 0},
    {&dnnl.post_ops_create, "dnnl_post_ops_create", 0},
    {&dnnl.post_ops_destroy, "dnnl_post_ops_destroy", 0},
    {&dnnl.version, "dnnl_version", 0},
    {&dnnl.memory_desc_init_by_strides, "dnnl_memory_desc_init_by_strides", API_2},
    {&dnnl.matmul_desc_init, "dnnl_matmul_desc_init", API_2},
    {&dnnl.primitive_desc_create, "dnnl_primitive_desc_create", API_2},
    {&dnnl.append_sum_2, "dnnl_post_ops_append_sum", API_2},
    {&dnnl.memory_desc_create_with_strides, "dnnl_memory_desc_create_with_strides", API_3},
    {&dnnl.memory_desc_destroy, "dnnl_memory_desc_destroy", API_3},
    {&dnnl.matmul_primitive_desc_create, "dnnl_matmul_primitive_desc_create", API_3},
    {&dnnl.append_sum_3, "dnnl_post_ops_append_sum", API_3},
};

/* ---- opening it ---- */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool           ready;
static int            api;
static handle         engine;
static char           name[64];

static bool find_symbols(void *library)
{
    const version *(*version_of)(void);
    *(void **)&version_of = dlsym(library, "dnnl_version");
    if (version_of == NULL)
        return false;
    const version *v = version_of();
    api = v->major == 2 ? API_2 : v->major == 3 ? API_3 : 0;
    if (api == 0 || (v->cpu_runtime != RUNTIME_OPENMP && v->cpu_runtime != RUNTIME_SEQUENTIAL))
        return false; /* built for another threading runtime, which we cannot control */
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        if (symbols[i].api != 0 && symbols[i].api != api)
            continue;
        void *found = dlsym(library, symbols[i].symbol);
        if (found == NULL)
            return false;
        memcpy(symbols[i].to, &found, sizeof found);
    }
    snprintf(name, sizeof name, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
    return true;
}

static void open_once(void)
{
    static const char *const files[] = {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so", "libmkldnn.so.2"};
    for (size_t i = 0; i < sizeof files / sizeof *files && !ready; i++) {
        void *library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL)
            continue;
        ready = find_symbols(library) && dnnl.engine_create(&engine, ENGINE_CPU, 0) == 0;
        if (!ready)
            dlclose(library);
    }
}

/* bfloat16 only if the processor has instructions for it: the library's reference code is slow. */
bool kt__onednn_serves(kt_dtype dtype)
{
    pthread_once(&once, open_once);
    return ready && (dtype == KT_F32 || (dtype == KT_BF16 && (kt__cpu_bits() & (KT__CPU_AVX512_BF16 | KT__CPU_AMX_BF16))));
}

const char *kt__onednn_name(void)
{
    pthread_once(&once, open_once);
    return ready ? name : NULL;
}

/* ---- primitives, and each thread's last few ---- */
typedef struct key { /* no gaps: compared as bytes */
    int64_t batch, m, n, k, lda, ldb, ldc, a_batch, b_batch, c_batch;
    int32_t ta, tb, from, to;
    float   beta;
    int32_t threads; /* number of threads a primitive is made for */
} key;

typedef struct entry {
    key      of;
    uint64_t used; /* 0: empty */
    handle   primitive, a, b, c;
} entry;

enum { KEPT = 32 };

typedef struct keep {
    kt__exit_hook at_exit;
    handle        stream;
    uint64_t      clock;
    entry         entries[KEPT];
} keep;

static KT__HOT_LOCAL keep *mine;

static void forget(entry *e)
{
    if (e->primitive != NULL)
        dnnl.primitive_destroy(e->primitive);
    if (e->a != NULL)
        dnnl.memory_destroy(e->a);
    if (e->b != NULL)
        dnnl.memory_destroy(e->b);
    if (e->c != NULL)
        dnnl.memory_destroy(e->c);
    memset(e, 0, sizeof *e);
}

static void forget_all(kt__exit_hook *hook)
{
    keep *k = (keep *)(void *)hook;
    for (int i = 0; i < KEPT; i++)
        forget(&k->entries[i]);
    if (k->stream != NULL)
        dnnl.stream_destroy(k->stream);
    kt__system_put(k, sizeof *k);
    mine = NULL;
}

static keep *start_keep(void)
{
    keep *k = kt__system_get(sizeof *k);
    if (k == NULL)
        return NULL;
    memset(k, 0, sizeof *k);
    if (dnnl.stream_create(&k->stream, engine, STREAM_IN_ORDER) != 0 || !kt__on_thread_exit(&k->at_exit, forget_all)) {
        if (k->stream != NULL)
            dnnl.stream_destroy(k->stream);
        kt__system_put(k, sizeof *k);
        return NULL;
    }
    return mine = k;
}

static handle sum_attribute(float beta)
{
    handle attr = NULL, ops = NULL;
    if (dnnl.post_ops_create(&ops) != 0)
        return NULL;
    const int status = api == API_2 ? dnnl.append_sum_2(ops, beta) : dnnl.append_sum_3(ops, beta, 0, 0);
    if (status == 0 && dnnl.primitive_attr_create(&attr) == 0 && dnnl.primitive_attr_set_post_ops(attr, ops) != 0) {
        dnnl.primitive_attr_destroy(attr);
        attr = NULL;
    }
    dnnl.post_ops_destroy(ops);
    return attr;
}

typedef struct matrix { /* a batch of them */
    dim size[3], stride[3];
    int type;
} matrix;

static matrix matrix_of(int64_t batch, int64_t by_batch, int64_t rows, int64_t columns, int64_t ld, bool turned, int dtype)
{
    const bool one = batch == 1 || by_batch == 0; /* a batch of one is repeated */
    return (matrix){{one ? 1 : batch, rows, columns},
                    {one ? rows * columns : by_batch, turned ? 1 : ld, turned ? ld : 1},
                    dtype == KT_BF16 ? TYPE_BF16 : TYPE_F32};
}

/* API 2: room for its structs (696 bytes a memory, four of them and little more an operation), which grew with the years. */
static bool make_2(entry *e, const matrix *a, const matrix *b, const matrix *c, handle attr)
{
    char   da[2048] __attribute__((aligned(16))), db[2048] __attribute__((aligned(16))),
        dc[2048] __attribute__((aligned(16))), op[8192] __attribute__((aligned(16)));
    handle desc = NULL;
    bool   ok = dnnl.memory_desc_init_by_strides(da, 3, a->size, a->type, a->stride) == 0 &&
              dnnl.memory_desc_init_by_strides(db, 3, b->size, b->type, b->stride) == 0 &&
              dnnl.memory_desc_init_by_strides(dc, 3, c->size, c->type, c->stride) == 0 &&
              dnnl.matmul_desc_init(op, da, db, NULL, dc) == 0 &&
              dnnl.primitive_desc_create(&desc, op, attr, engine, NULL) == 0;
    ok = ok && dnnl.primitive_create(&e->primitive, desc) == 0 && dnnl.memory_create(&e->a, da, engine, NULL) == 0 &&
         dnnl.memory_create(&e->b, db, engine, NULL) == 0 && dnnl.memory_create(&e->c, dc, engine, NULL) == 0;
    if (desc != NULL)
        dnnl.primitive_desc_destroy(desc);
    return ok;
}

static bool make_3(entry *e, const matrix *a, const matrix *b, const matrix *c, handle attr)
{
    handle da = NULL, db = NULL, dc = NULL, desc = NULL;
    bool   ok = dnnl.memory_desc_create_with_strides(&da, 3, a->size, a->type, a->stride) == 0 &&
              dnnl.memory_desc_create_with_strides(&db, 3, b->size, b->type, b->stride) == 0 &&
              dnnl.memory_desc_create_with_strides(&dc, 3, c->size, c->type, c->stride) == 0 &&
              dnnl.matmul_primitive_desc_create(&desc, engine, da, db, NULL, dc, attr) == 0;
    ok = ok && dnnl.primitive_create(&e->primitive, desc) == 0 && dnnl.memory_create(&e->a, da, engine, NULL) == 0 &&
         dnnl.memory_create(&e->b, db, engine, NULL) == 0 && dnnl.memory_create(&e->c, dc, engine, NULL) == 0;
    if (desc != NULL)
        dnnl.primitive_desc_destroy(desc);
    const handle made[] = {da, db, dc};
    for (int i = 0; i < 3; i++)
        if (made[i] != NULL)
            dnnl.memory_desc_destroy(made[i]);
    return ok;
}

static bool make(entry *e, const key *of)
{
    const matrix a = matrix_of(of->batch, of->a_batch, of->m, of->k, of->lda, of->ta, of->from),
                 b = matrix_of(of->batch, of->b_batch, of->k, of->n, of->ldb, of->tb, of->from),
                 c = matrix_of(of->batch, of->c_batch, of->m, of->n, of->ldc, false, of->to);
    const handle attr = of->beta != 0 ? sum_attribute(of->beta) : NULL;
    const bool   ok = (of->beta == 0 || attr != NULL) &&
                    (api == API_2 ? make_2(e, &a, &b, &c, attr) : make_3(e, &a, &b, &c, attr));
    if (attr != NULL)
        dnnl.primitive_attr_destroy(attr);
    if (!ok)
        forget(e);
    return ok;
}

static entry *find(keep *k, const key *of)
{
    entry *oldest = &k->entries[0];
    for (int i = 0; i < KEPT; i++) {
        entry *e = &k->entries[i];
        if (e->used != 0 && memcmp(&e->of, of, sizeof *of) == 0) {
            e->used = ++k->clock;
            return e;
        }
        if (e->used < oldest->used)
            oldest = e;
    }
    forget(oldest);
    if (!make(oldest, of))
        return NULL;
    oldest->of = *of;
    oldest->used = ++k->clock;
    return oldest;
}

/* ---- products ---- */
static bool by_primitive(const kt__gemm *g)
{
    keep *k = mine != NULL ? mine : start_keep();
    if (k == NULL || g->alpha != 1)
        return false;
    key of;
    memset(&of, 0, sizeof of);
    of.batch = g->batch, of.a_batch = g->a_batch, of.b_batch = g->b_batch, of.c_batch = g->c_batch;
    of.m = g->m, of.n = g->n, of.k = g->k, of.lda = g->lda, of.ldb = g->ldb, of.ldc = g->ldc;
    of.ta = g->ta, of.tb = g->tb, of.from = (int32_t)g->dtype, of.to = (int32_t)g->to;
    of.beta = (float)__real__ g->beta, of.threads = g->threads;
    const entry *e = find(k, &of);
    if (e == NULL || dnnl.memory_set_data_handle(e->a, (void *)(uintptr_t)g->a) != 0 ||
        dnnl.memory_set_data_handle(e->b, (void *)(uintptr_t)g->b) != 0 ||
        dnnl.memory_set_data_handle(e->c, g->c) != 0)
        return false;
    const exec_arg args[] = {{ARG_SRC, e->a}, {ARG_WEIGHTS, e->b}, {ARG_DST, e->c}};
    return dnnl.primitive_execute(e->primitive, k->stream, 3, args) == 0 && dnnl.stream_wait(k->stream) == 0;
}

static bool by_sgemm(const kt__gemm *g)
{
    const float *a = (const float *)(const void *)g->a, *b = (const float *)(const void *)g->b;
    float       *c = (float *)(void *)g->c;
    for (int64_t u = 0; u < g->batch; u++)
        if (dnnl.sgemm(g->ta ? 'T' : 'N', g->tb ? 'T' : 'N', g->m, g->n, g->k, (float)__real__ g->alpha,
                       a + u * g->a_batch, g->lda, b + u * g->b_batch, g->ldb, (float)__real__ g->beta,
                       c + u * g->c_batch, g->ldc) != 0)
            return false;
    return true;
}

/* Its kernels of float32 for AVX-512 let the stack pointer point at a block of malloc's: the frame of a signal would be written
 * over what lies before the block. So signals wait. */
bool kt__onednn_gemm(const kt__gemm *g)
{
    if (!kt__onednn_serves(g->dtype))
        return false;
    sigset_t  signals;
    const int was = kt__hold_openmp(g->threads);
    kt__hold_signals(g->threads, &signals);
    const bool plain = g->alpha == 1 && g->beta == 0;
    const bool ok = g->dtype == KT_F32 && (g->batch == 1 || !plain) ? by_sgemm(g) : by_primitive(g);
    kt__let_signals(&signals);
    kt__hold_openmp(was);
    return ok;
}
