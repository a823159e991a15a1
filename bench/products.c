/* products.c - how near matrix products come to the libraries below them. In: nothing. Out: one line a figure: Karat's
 * GFLOP/s beside those of oneDNN or OpenBLAS called directly in the same run, in turns, and the ratio; then small products,
 * batches and vectors. A library that is not there has no column. */
#define _GNU_SOURCE 1
#include <karat/karat.h>

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- oneDNN of API 2, called directly: a primitive with all the threads it likes ---- */
typedef void *handle;
typedef struct exec_arg { int arg; handle memory; } exec_arg;

typedef struct direct {
    int (*execute)(handle primitive, handle stream, int n, const exec_arg *args);
    handle   primitive, stream;
    exec_arg args[3];
} direct;

static bool prepare_onednn(direct *d, kt_dtype dtype, int64_t n, void *a, void *b, void *c)
{
    static void *library;
    int (*engine_create)(handle *, int, size_t), (*stream_create)(handle *, handle, unsigned);
    int (*describe)(void *, int, const int64_t *, int, const int64_t *), (*matmul)(void *, void *, void *, void *, void *);
    int (*desc_create)(handle *, void *, handle, handle, handle), (*primitive_create)(handle *, handle);
    int (*memory_create)(handle *, void *, handle, void *);
    if (!library)
        library = dlopen("libdnnl.so.2", RTLD_NOW);
    if (!library)
        return false;
    *(void **)&engine_create = dlsym(library, "dnnl_engine_create");
    *(void **)&stream_create = dlsym(library, "dnnl_stream_create");
    *(void **)&describe = dlsym(library, "dnnl_memory_desc_init_by_strides");
    *(void **)&matmul = dlsym(library, "dnnl_matmul_desc_init");
    *(void **)&desc_create = dlsym(library, "dnnl_primitive_desc_create");
    *(void **)&primitive_create = dlsym(library, "dnnl_primitive_create");
    *(void **)&memory_create = dlsym(library, "dnnl_memory_create");
    *(void **)&d->execute = dlsym(library, "dnnl_primitive_execute");
    static char   memory[4096] __attribute__((aligned(16))), op[16384] __attribute__((aligned(16)));
    const int64_t size[2] = {n, n}, stride[2] = {n, 1};
    handle        engine = NULL, desc = NULL;
    void *const   data[3] = {a, b, c};
    const int     names[3] = {1, 33, 17};
    if (!engine_create || !describe || engine_create(&engine, 1, 0) || stream_create(&d->stream, engine, 1) ||
        describe(memory, 2, size, dtype == KT_BF16 ? 2 : 3, stride) || matmul(op, memory, memory, NULL, memory) ||
        desc_create(&desc, op, NULL, engine, NULL) || primitive_create(&d->primitive, desc))
        return false;
    for (int i = 0; i < 3; i++) {
        d->args[i].arg = names[i];
        if (memory_create(&d->args[i].memory, memory, engine, data[i]))
            return false;
    }
    return true;
}

/* ---- OpenBLAS, called directly with all threads; a second copy of it, since Karat holds its own to one ---- */
typedef void gemm_fn(const char *, const char *, const int *, const int *, const int *, const void *, const void *,
                     const int *, const void *, const int *, const void *, void *, const int *, size_t, size_t);

static gemm_fn *openblas(void)
{
    static void *library;
    gemm_fn     *gemm = NULL;
    if (!library) {
        setenv("OPENBLAS_CORETYPE", "SapphireRapids", 0);
        library = dlmopen(LM_ID_NEWLM, "libopenblas.so.0", RTLD_NOW);
    }
    if (library)
        *(void **)&gemm = dlsym(library, "dgemm_");
    return gemm;
}

static double direct_seconds(const direct *d, gemm_fn *gemm, kt_tensor *const *t, int64_t n)
{
    const double one = 1, zero = 0, start = now();
    const int    size = (int)n;
    if (gemm)
        gemm("N", "N", &size, &size, &size, &one, kt_data(t[0]), &size, kt_data(t[1]), &size, &zero, kt_data(t[2]), &size,
             1, 1);
    else
        d->execute(d->primitive, d->stream, 3, d->args);
    return now() - start;
}

static void square(kt_dtype dtype, int64_t n)
{
    KT_SCOPE;
    kt_tensor *t[3];
    for (int i = 0; i < 3; i++)
        t[i] = kt_full(KT_SHAPE(n, n), KT_INT(1), .dtype = dtype);
    if (kt_failed())
        return;
    direct     d;
    gemm_fn   *gemm = dtype == KT_F64 ? openblas() : NULL;
    const bool there = gemm || (dtype != KT_F64 && prepare_onednn(&d, dtype, n, kt_data(t[0]), kt_data(t[1]), kt_data(t[2])));
    double     ours = INFINITY, theirs = INFINITY;
    const int  rounds = n > 1024 ? 12 : n > 256 ? 40 : 400;
    for (int r = 0; r < rounds; r++) {
        const double start = now();
        kt_mm_out(t[2], t[0], t[1]);
        ours = fmin(ours, now() - start);
        if (there)
            theirs = fmin(theirs, direct_seconds(&d, gemm, t, n));
    }
    const double flops = 2e-9 * (double)n * (double)n * (double)n;
    printf("matmul %-10s %5lld  %8.1f GFLOP/s", kt_dtype_name(dtype), (long long)n, flops / ours);
    if (there)
        printf("   %s directly %8.1f   ratio %5.2f", gemm ? "OpenBLAS" : "oneDNN", flops / theirs, theirs / ours);
    printf("\n");
}

static void timed(const char *name, kt_dtype dtype, kt_shape a, kt_shape b, double bytes)
{
    KT_SCOPE;
    const kt_tensor *x = kt_full(a, KT_INT(1), .dtype = dtype), *y = kt_full(b, KT_INT(1), .dtype = dtype);
    double           best = INFINITY;
    for (int r = 0; r < 200 && !kt_failed(); r++) {
        enum { TIMES = 10 };
        const double start = now();
        for (int i = 0; i < TIMES; i++) {
            KT_SCOPE;
            kt_matmul(x, y);
        }
        best = fmin(best, (now() - start) / TIMES);
    }
    printf("%-30s %-10s %10.0f ns", name, kt_dtype_name(dtype), best * 1e9);
    if (bytes > 0)
        printf("   %6.2f GB/s", bytes / best * 1e-9);
    printf("\n");
}

int main(void)
{
    static const kt_dtype types[] = {KT_F32, KT_BF16, KT_F64};
    printf("%d threads", kt_get_num_threads());
    const char *library;
    for (int i = 0; (library = kt_cpu_matmul(i))[0]; i++)
        printf(", %s", library);
    printf("\n");
    for (int t = 0; t < 3; t++)
        for (int64_t n = 256; n <= 2048; n *= n == 256 ? 4 : 2)
            square(types[t], n);
    timed("8 x 8", KT_F32, KT_SHAPE(8, 8), KT_SHAPE(8, 8), 0);
    timed("8 x 8", KT_BF16, KT_SHAPE(8, 8), KT_SHAPE(8, 8), 0);
    timed("32 x 32", KT_F32, KT_SHAPE(32, 32), KT_SHAPE(32, 32), 0);
    timed("64 of 32 x 32", KT_F32, KT_SHAPE(64, 32, 32), KT_SHAPE(64, 32, 32), 0);
    timed("2048 x 2048 by vector", KT_F32, KT_SHAPE(2048, 2048), KT_SHAPE(2048), 2048.0 * 2048 * 4);
    timed("vector by 2048 x 2048", KT_F32, KT_SHAPE(2048), KT_SHAPE(2048, 2048), 2048.0 * 2048 * 4);
    timed("2048 x 2048 by vector", KT_BF16, KT_SHAPE(2048, 2048), KT_SHAPE(2048), 2048.0 * 2048 * 2);
    timed("dot of 2^20", KT_F32, KT_SHAPE(1 << 20), KT_SHAPE(1 << 20), 8.0 * (1 << 20));
    return kt_report(stderr);
}
