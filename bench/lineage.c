/* lineage.c - what lineage costs: the same small calls in this library and in one with lineage compiled out.
 *
 * In: KARAT_BENCH_NOLINEAGE, the folder of the second build (`make bench` sets it); without it there is one column.
 * Out: "name value unit" lines. The two are timed by turns, so that a change of the machine's pace meets both. The hits
 * themselves (a record, a site) are printed by tests/unit/lineage/speed.c, which can see them. */
#include <dlfcn.h>
#include <karat/karat.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 41, CALLS = 10000 };

/* The functions of one of the two libraries. */
typedef struct engine {
    kt_guard (*scope_open)(void);
    void (*scope_close)(kt_guard *guard);
    kt_tensor *(*from)(const void *elements, kt_shape shape, kt_dtype dtype);
    kt_tensor *(*add)(const kt_tensor *a, const kt_tensor *b, const kt_add_opts *opts);
    kt_tensor *(*mul)(const kt_tensor *a, const kt_tensor *b);
    kt_tensor *(*mul_s)(const kt_tensor *a, kt_scalar b);
    kt_tensor *(*to)(const kt_tensor *t, const kt_to_opts *opts);
    kt_tensor *(*sum)(const kt_tensor *t, const kt_sum_opts *opts);
    kt_status (*set_requires_grad)(kt_tensor *t, bool on);
    kt_status (*set_grad)(kt_tensor *t, kt_tensor *grad);
    kt_status (*backward)(kt_tensor *t, const kt_backward_opts *opts);
    void (*site_set)(const kt_site *site);
    kt_tensor *f32, *other_f32, *i32, *leaf;
    kt_guard   scope;
} engine;

static bool find(void *library, const char *name, void *function, size_t bytes)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, bytes);
    if (!symbol)
        fprintf(stderr, "lineage: the library has no %s\n", name);
    return symbol != NULL;
}

static bool open_engine(engine *e, void *library)
{
#define FIND(field, name) find(library, name, &e->field, sizeof e->field)
    if (!library || !FIND(scope_open, "kt_scope_open") || !FIND(scope_close, "kt_scope_close") ||
        !FIND(from, "kt_from") || !FIND(add, "kt_add_kw") || !FIND(mul, "kt_mul") ||
        !FIND(mul_s, "kt_mul_s") || !FIND(to, "kt_to_kw") || !FIND(sum, "kt_sum_kw") ||
        !FIND(set_requires_grad, "kt_set_requires_grad") || !FIND(set_grad, "kt_set_grad") ||
        !FIND(backward, "kt_backward_kw") || !FIND(site_set, "kt_site_set")) {
        return false;
    }
#undef FIND
    const float   x = 1.5f, y = 1.0f;
    const int32_t n = 2;
    e->scope = e->scope_open();
    e->f32 = e->from(&x, KT_SHAPE(1), KT_F32);
    e->other_f32 = e->from(&y, KT_SHAPE(1), KT_F32);
    e->i32 = e->from(&n, KT_SHAPE(1), KT_I32);
    e->leaf = e->from(&y, KT_SHAPE(1), KT_F32);
    return e->f32 && e->other_f32 && e->i32 && e->leaf && e->set_requires_grad(e->leaf, true) == KT_OK;
}

/* ---- what is timed ---- */
static void inherits(engine *e)
{
    kt_guard g = e->scope_open();
    e->add(e->f32, e->other_f32, NULL);
    e->scope_close(&g);
}

static void promotes(engine *e)
{
    kt_guard g = e->scope_open();
    e->mul_s(e->i32, KT_FLOAT(2.5));
    e->scope_close(&g);
}

static void casts(engine *e)
{
    kt_guard g = e->scope_open();
    e->to(e->f32, &(kt_to_opts){.size = sizeof(kt_to_opts), .dtype = KT_F64});
    e->scope_close(&g);
}

static void casts_at_a_site(engine *e)
{
    static const kt_site here = {__FILE__, __LINE__};
    e->site_set(&here);
    casts(e);
    e->site_set(NULL);
}

static void trains(engine *e)
{
    static const kt_site here = {__FILE__, __LINE__};
    kt_guard             g = e->scope_open();
    e->site_set(&here);
    kt_tensor *y = e->leaf;
    for (int i = 0; i < 20; i++)
        y = e->mul(y, e->other_f32);
    e->backward(e->sum(y, NULL), NULL);
    e->set_grad(e->leaf, NULL);
    e->site_set(NULL);
    e->scope_close(&g);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_once(engine *e, void (*work)(engine *e), int calls)
{
    const double start = now_ns();
    for (int i = 0; i < calls; i++)
        work(e);
    return (now_ns() - start) / calls;
}

/* Where the stack happens to lie against the tensors is worth some per cent of so small a call: each repeat stands elsewhere on
 * it, over a whole page, so that both libraries meet every place. */
static double time_at(int place, engine *e, void (*work)(engine *e), int calls)
{
    volatile char room[4096 / REPEATS];
    room[0] = 0;
    const double ns = place ? time_at(place - 1, e, work, calls) : time_once(e, work, calls);
    return ns + room[0];
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Best times, and the median of what each round's two times were to each other: they stand side by side, and each comes first
 * in every other round. */
static void print_both(const char *name, engine *with, engine *without, void (*work)(engine *e), int calls)
{
    double on = 1e300, off = 1e300, ratio[REPEATS];
    for (int r = 0; r < REPEATS; r++) {
        double a = 0, b = 0;
        for (int turn = 0; turn < 2; turn++)
            if ((turn ^ r) & 1)
                b = without ? time_at(r, without, work, calls) : 1.0;
            else
                a = time_at(r, with, work, calls);
        on = a < on ? a : on;
        off = b < off ? b : off;
        ratio[r] = a / b;
    }
    qsort(ratio, REPEATS, sizeof *ratio, by_size);
    printf("%-40s %9.1f ns", name, on);
    if (without)
        printf("   compiled out %9.1f ns   %+5.1f %%", off, (ratio[REPEATS / 2] - 1.0) * 100.0);
    printf("\n");
}

int main(void)
{
    static engine with, without;
    const char   *folder = getenv("KARAT_BENCH_NOLINEAGE");
    engine       *second = NULL;
    if (!open_engine(&with, dlopen(NULL, RTLD_NOW)))
        return 1;
    if (folder) {
        char path[4096];
        snprintf(path, sizeof path, "%s/lib/libkarat.so", folder);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            fprintf(stderr, "lineage: %s\n", dlerror());
        } else if (open_engine(&without, library)) {
            second = &without;
        }
    }
    print_both("add of one element: inherits", &with, second, inherits, CALLS);
    print_both("int32 times 2.5: one record", &with, second, promotes, CALLS);
    print_both("to float64: one record", &with, second, casts, CALLS);
    print_both("to float64: one record with its site", &with, second, casts_at_a_site, CALLS);
    print_both("20 mul forward and backward, with sites", &with, second, trains, CALLS / 20);
    if (second)
        second->scope_close(&second->scope);
    with.scope_close(&with.scope);
    return kt_report(stderr);
}
