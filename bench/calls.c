/* calls.c - what one small call costs from C: its whole way through table, resolver, plan, kernel, tape and scope.
 * Out: "name value unit" lines, each the best of many repeats in processor time, beside the part of it that nobody can avoid:
 * a scope opened and closed, and an empty result made and dropped. Targets stand behind the figures. */
#include <karat/karat.h>
#include <stdio.h>
#include <time.h>

enum { REPEATS = 31 };

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

static void measure(const char *name, void (*call)(void), int calls, const char *target)
{
    double best = 1e9;
    for (int r = 0; r < REPEATS; r++) {
        double t = now();
        for (int i = 0; i < calls; i++)
            call();
        t = (now() - t) / calls;
        best = t < best ? t : best;
    }
    printf("%-44s %9.1f ns   %s\n", name, best * 1e9, target);
}

int main(void)
{
    KT_SCOPE;
    a = kt_ones(KT_SHAPE(1));
    b = kt_full(KT_SHAPE(1), KT_FLOAT(1.0));
    leaf = kt_ones(KT_SHAPE(1), .requires_grad = true);
    vector = kt_ones(KT_SHAPE(1), .dtype = KT_BF16);
    measure("a scope opened and closed", scope_alone, 20000, "");
    measure("an empty tensor made and dropped", empty_result, 20000, "");
    measure("add, one element, with its scope", add_one, 20000, "target 60");
    measure("add, float32 + bfloat16", add_mixed, 20000, "");
    measure("add, with a number", add_number, 20000, "");
    measure("add, in place", add_in_place, 20000, "");
    measure("add, recorded by the tape", add_recorded, 20000, "");
    measure("select", select_one, 20000, "");
    measure("cast float32 to bfloat16", cast_one, 20000, "");
    measure("20 multiplications, forward and backward", chain, 1000, "target 4000");
    return kt_report(stderr);
}
