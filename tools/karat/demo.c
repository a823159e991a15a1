/* demo.c - `karat demo`: what Karat does, on one screen. Every line is computed when it is printed. */
#define KT_SITES
#include <karat/karat.h>
#include <stdio.h>
#include <string.h>

#include "karat.h"

static void show(const char *what, const kt_tensor *t)
{
    char *text = kt_to_string(t);
    printf("  %-28s %s\n", what, text ? text : "?");
    kt_free_string(text);
}

static void refused(const char *what)
{
    printf("  %s\n", what);
    char text[4096];
    snprintf(text, sizeof text, "%s", kt_error());
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        printf("    | %s\n", line);
    kt_clear();
}

static void mixed_dtypes(void)
{
    KT_SCOPE;
    puts("\nMixed dtypes: PyTorch's rules, one pass over memory whatever the dtypes");
    kt_tensor *half = kt_full(KT_SHAPE(3), KT_FLOAT(1.5), .dtype = KT_F16);
    kt_tensor *brain = kt_full(KT_SHAPE(3), KT_FLOAT(0.1), .dtype = KT_BF16);
    kt_tensor *count = kt_arange(KT_INT(0), KT_INT(3));
    show("float16 + bfloat16", kt_add(half, brain));
    show("int64 * bfloat16", kt_mul(count, brain));
    show("int64 / 2", kt_true_divide_s(count, KT_INT(2)));
    show("float8_e4m3fn of 0.3", kt_full(KT_SHAPE(1), KT_FLOAT(0.3), .dtype = KT_E4M3FN));
    puts("  where the first one's dtype came from:");
    char *why = kt_explain(kt_add(half, brain));
    for (char *line = why ? strtok(why, "\n") : NULL; line; line = strtok(NULL, "\n"))
        printf("    | %s\n", line);
    kt_free_string(why);
}

static void a_refused_mix(void)
{
    KT_SCOPE;
    puts("\nA refused mix: the first line is PyTorch's, word for word; the rest says where each dtype came from");
    kt_tensor *images = kt_to(kt_ones(KT_SHAPE(64, 784), .dtype = KT_F64), .dtype = KT_F32);
    kt_tensor *weight = kt_to(kt_ones(KT_SHAPE(784, 10)), .dtype = KT_F16);
    kt_matmul(images, weight);
    refused("matmul(images, weight)");
}

static void the_four_policies(void)
{
    KT_SCOPE;
    puts("\nThe four policies: what one accepts, the next accepts too, with the same result");
    kt_tensor *wide = kt_full(KT_SHAPE(2), KT_FLOAT(0.1), .dtype = KT_F64), *narrow = kt_ones(KT_SHAPE(2));
    kt_tensor *small = kt_ones(KT_SHAPE(2), .dtype = KT_U16), *number = kt_ones(KT_SHAPE(2), .dtype = KT_I32);
    printf("  %-12s %-24s %-24s %-24s\n", "", "float32 + float64", "float32 += float64", "uint16 + int32");
    for (int p = KT_STRICT; p <= KT_PERMISSIVE; p++) {
        KT_POLICY((kt_policy)p);
        const char *word[3];
        for (int i = 0; i < 3; i++) {
            kt_tensor *t = i == 0 ? kt_add(narrow, wide) : i == 1 ? kt_add_(narrow, wide) : kt_add(small, number);
            word[i] = t ? kt_dtype_name(kt_dtype_of(t)) : "refused";
            kt_clear();
        }
        printf("  %-12s %-24s %-24s %-24s\n", kt_policy_name((kt_policy)p), word[0], word[1], word[2]);
    }
    {
        KT_POLICY(KT_SAFE);
        kt_add_(narrow, wide);
        refused("under policy 'safe', float32 += float64 is refused, and says why:");
    }
}

static void gradients(void)
{
    KT_SCOPE;
    puts("\nGradients arrive in the dtype of the tensor they belong to");
    kt_tensor *weight = kt_full(KT_SHAPE(2, 2), KT_FLOAT(0.5), .dtype = KT_BF16, .requires_grad = true);
    kt_tensor *input = kt_ones(KT_SHAPE(2, 2));
    kt_backward(kt_sum(kt_exp(kt_mul(weight, input))));
    show("weight is bfloat16, input float32; weight.grad", kt_grad(weight));
}

int karat_demo(int n, char **words)
{
    if (n == 1 && (!strcmp(words[0], "-h") || !strcmp(words[0], "--help"))) {
        puts("usage: karat demo\na short tour: mixed dtypes, a refused mix explained, the four policies, gradients");
        return 0;
    }
    if (n > 0) {
        fputs("karat demo takes no arguments\n", stderr);
        return 2;
    }
    printf("Karat %s on %s kernels, %d threads\n", kt_version(), kt_cpu_isa(), kt_get_num_threads());
    mixed_dtypes();
    a_refused_mix();
    the_four_policies();
    gradients();
    return kt_report(stderr);
}
