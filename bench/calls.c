/* calls.c - what one small call costs from C: its whole way through table, resolver, plan, kernel, tape and scope.
 * Out: "name value unit" lines, each the best of many repeats in processor time, beside the part of it that nobody can avoid:
 * a scope opened and closed, and an empty result made and dropped. The figures are taken by turns over some seconds, so that a
 * disturbance meets all and decides none. Targets stand behind the figures. */
#include <karat/karat.h>
#include <stdio.h>
#include <time.h>

enum { REPEATS = 151 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static kt_tensor *a, *b, *leaf, *vector;

static void scope_alone(void) { KT_SCOPE; }
static void empty_result(void)
{
    KT_SCOPE;
    kt_empty(KT_SHAPE(1));
}
static void add_one(void)
{
    KT_SCOPE;
    kt_add(a, b);
}
static void add_mixed(void)
{
    KT_SCOPE;
    kt_add(a, vector);
}
static void add_number(void)
{
    KT_SCOPE;
    kt_add_s(a, KT_FLOAT(2.0));
}
static void add_in_place(void)
{
    KT_SCOPE;
    kt_add_(a, b);
}
static void add_recorded(void)
{
    KT_SCOPE;
    kt_add(leaf, b);
}
static void select_one(void)
{
    KT_SCOPE;
    kt_select(vector, 0, 0);
}
static void cast_one(void)
{
    KT_SCOPE;
    kt_to(a, .dtype = KT_BF16);
}
static void chain(void)
{
    KT_SCOPE;
    kt_tensor *x = leaf;
    for (int i = 0; i < 20; i++)
        x = kt_mul(x, b);
    kt_backward(x);
    kt_set_grad(leaf, NULL);
}

typedef struct figure {
    const char *name;
    void (*call)(void);
    int         calls;
    const char *target;
    double      best;
} figure;

static double time_of(const figure *f)
{
    const double start = now();
    for (int i = 0; i < f->calls; i++)
        f->call();
    return (now() - start) / f->calls;
}

int main(void)
{
    KT_SCOPE;
    a = kt_ones(KT_SHAPE(1));
    b = kt_full(KT_SHAPE(1), KT_FLOAT(1.0));
    leaf = kt_ones(KT_SHAPE(1), .requires_grad = true);
    vector = kt_ones(KT_SHAPE(1), .dtype = KT_BF16);
    figure figures[] = {
        {"a scope opened and closed", scope_alone, 10000, "", 1e9},
        {"an empty tensor made and dropped", empty_result, 10000, "", 1e9},
        {"add, one element, with its scope", add_one, 10000, "target 60", 1e9},
        {"add, float32 + bfloat16", add_mixed, 10000, "", 1e9},
        {"add, with a number", add_number, 10000, "", 1e9},
        {"add, in place", add_in_place, 10000, "", 1e9},
        {"add, recorded by the tape", add_recorded, 10000, "", 1e9},
        {"select", select_one, 10000, "", 1e9},
        {"cast float32 to bfloat16", cast_one, 10000, "", 1e9},
        {"20 multiplications, forward and backward", chain, 500, "target 4000", 1e9},
    };
    const int n = sizeof figures / sizeof *figures;
    for (int r = 0; r < REPEATS; r++)
        for (int i = 0; i < n; i++) {
            const double t = time_of(&figures[i]);
            figures[i].best = t < figures[i].best ? t : figures[i].best;
        }
    for (int i = 0; i < n; i++)
        printf("%-44s %9.1f ns   %s\n", figures[i].name, figures[i].best * 1e9, figures[i].target);
    return kt_report(stderr);
}
