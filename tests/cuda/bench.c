/* bench.c - timings of the CUDA backend; beside_torch.py prints the same lines for PyTorch. Not a test: it checks nothing. */
#include <karat/device.h>
#include <karat/karat.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static kt_device here;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The least of several times, in seconds, of `times` calls and one wait for them. */
#define TIMED(times, call)                                                                                                \
    ({                                                                                                                    \
        double least_ = 1e9;                                                                                              \
        for (int turn_ = 0; turn_ < 6; turn_++) {                                                                         \
            kt_device_sync(here);                                                                                         \
            const double begin_ = now();                                                                                  \
            for (int i_ = 0; i_ < (times); i_++) {                                                                        \
                KT_SCOPE;                                                                                                 \
                call;                                                                                                     \
            }                                                                                                             \
            kt_device_sync(here);                                                                                         \
            const double took_ = (now() - begin_) / (times);                                                              \
            least_ = took_ < least_ ? took_ : least_;                                                                     \
        }                                                                                                                 \
        least_;                                                                                                           \
    })

static void small(void)
{
    KT_SCOPE;
    kt_tensor *a = kt_ones(KT_SHAPE(1), .device = here), *b = kt_ones(KT_SHAPE(1000), .device = here);
    printf("karat  add of one element, end to end       %8.2f us\n", 1e6 * TIMED(20000, kt_add(a, a)));
    printf("karat  in place                             %8.2f us\n", 1e6 * TIMED(20000, kt_add_(b, b)));
    printf("karat  item()                               %8.2f us\n", 1e6 * TIMED(5000, kt_item(a)));
    printf("karat  empty + free of 4 KB                 %8.3f us\n",
           1e6 * TIMED(100000, kt_empty(KT_SHAPE(1000), .device = here)));
}

static void large(void)
{
    KT_SCOPE;
    const int64_t n = 64 << 20;
    kt_tensor *x = kt_full(KT_SHAPE(n), KT_FLOAT(1.5), .device = here), *x2 = kt_add(x, x);
    kt_tensor *y = kt_to(x, .dtype = KT_BF16), *y2 = kt_add(y, y), *h = kt_to(x, .dtype = KT_F16), *i = kt_to(x, .dtype = KT_I64);
    const double e = (double)n * 1e-12;
#define LINE(what, bytes, call) printf("karat  64M %-32s %8.2f TB/s\n", what, (bytes) * e / TIMED(20, call))
    LINE("float32 -> bfloat16", 6, kt_to(x, .dtype = KT_BF16));
    LINE("bfloat16 -> float32", 6, kt_to(y, .dtype = KT_F32));
    LINE("float32 -> float16", 6, kt_to(x, .dtype = KT_F16));
    LINE("float16 -> float32", 6, kt_to(h, .dtype = KT_F32));
    LINE("int64 -> float32", 12, kt_to(i, .dtype = KT_F32));
    LINE("float32 -> float8_e4m3fn", 5, kt_to(x, .dtype = KT_E4M3FN));
    LINE("float32 + float32", 12, kt_add(x, x2));
    LINE("bfloat16 + bfloat16", 6, kt_add(y, y2));
    LINE("float32 + bfloat16", 10, kt_add(x, y));
    LINE("float32 > bfloat16", 7, kt_gt(x, y));
    LINE("exp float32", 8, kt_exp(x));
    LINE("gelu bfloat16", 4, kt_gelu(y));
    LINE("fill float32", 4, kt_fill_s_(x, KT_FLOAT(1.5)));
    kt_tensor *m = kt_reshape(x, KT_SHAPE(8192, 8192));
    LINE("copy transposed float32", 8, kt_clone(kt_transpose(m, 0, 1), .memory_format = KT_CONTIGUOUS_FORMAT));
    LINE("float32 [8k,8k] + [8k]", 8, kt_add(m, kt_narrow(x, 0, 0, 8192)));
}

static void copies(void)
{
    KT_SCOPE;
    const int64_t n = 64 << 20;
    kt_tensor *x = kt_ones(KT_SHAPE(n)), *y = kt_to(x, .device = here), *pinned = NULL;
    if (kt_pin(x, here, &pinned))
        return;
    const double gb = (double)n * 4e-9;
    printf("karat  256 MiB to the device, pageable       %8.1f GB/s\n", gb / TIMED(5, kt_to(x, .device = here)));
    printf("karat  256 MiB to the device, pinned         %8.1f GB/s\n", gb / TIMED(5, kt_to(pinned, .device = here)));
    const kt_device cpu = {KT_CPU, 0};
    printf("karat  256 MiB to the host, pageable         %8.1f GB/s\n", gb / TIMED(5, kt_to(y, .device = cpu)));
    kt_drop(pinned);
}

/* What tests/cuda/beside_torch.py does with PyTorch, step by step. */
static void memory(void)
{
    static const int64_t bytes[] = {1,       512,      513,      1 << 20,   (1 << 20) + 1, 5 << 20,
                                    9 << 20, 10 << 20, 11 << 20, 100 << 20, 1000,          3 << 20};
    enum { STEPS = sizeof bytes / sizeof *bytes };
    kt_tensor       *t[STEPS];
    kt_device_memory m = {.size = sizeof m};
    kt_device_memory_empty(here);
    printf("karat  memory:");
    for (int i = 0; i < STEPS; i++) {
        KT_SCOPE;
        t[i] = kt_keep(kt_empty(KT_SHAPE(bytes[i]), .dtype = KT_U8, .device = here));
        kt_device_memory_ask(here, &m);
        printf(" %zu/%zu", m.allocated >> 9, m.reserved >> 20);
    }
    for (int i = 0; i < STEPS; i += 2) {
        kt_drop(t[i]);
        kt_device_memory_ask(here, &m);
        printf(" %zu/%zu", m.allocated >> 9, m.reserved >> 20);
    }
    for (int i = 0; i < STEPS; i += 2) {
        KT_SCOPE;
        t[i] = kt_keep(kt_empty(KT_SHAPE(bytes[STEPS - 1 - i]), .dtype = KT_U8, .device = here));
        kt_device_memory_ask(here, &m);
        printf(" %zu/%zu", m.allocated >> 9, m.reserved >> 20);
    }
    for (int i = 0; i < STEPS; i++)
        kt_drop(t[i]);
    kt_device_memory_empty(here);
    kt_device_memory_ask(here, &m);
    printf(" %zu/%zu\n", m.allocated >> 9, m.reserved >> 20);
}

int main(void)
{
    here = kt_device_find("cuda");
    if (here.kind < 0) {
        kt_report(stderr);
        return 1;
    }
    memory();
    small();
    large();
    copies();
    printf("karat  fall-backs: %llu\n", (unsigned long long)kt_fallbacks());
    if (kt_failed())
        kt_report(stderr);
    return kt_failed();
}
