/* doctor.c - `karat doctor`: what was found and chosen here, and every environment variable that changes it. */
#include <karat/karat.h>
#include <stdio.h>
#include <stdlib.h>

#include "karat.h"

int karat_doctor(int n, char **words)
{
    (void)words;
    if (n > 0) {
        fputs("karat doctor takes no words\n", stderr);
        return 2;
    }
    static const struct {
        const char *name, *meaning;
    } variables[] = {
        {"KARAT_ISA", "CPU kernels to use: base, avx2, avx512, neon82"},
        {"KARAT_POLICY", "cast policy to start with: strict, safe, torch, permissive"},
        {"KARAT_NUM_THREADS", "threads of one operator"},
        {"KARAT_MEMORY_LIMIT", "most bytes to hold, with k, m or g"},
        {"KARAT_CACHE_LIMIT", "most bytes to keep for reuse"},
        {"KARAT_ALLOC", "system: no caches"},
        {"KARAT_BACKEND_PATH", "where to look for device plugins"},
    };
    printf("karat       %s\n", kt_version());
    printf("kernels     %s\n", kt_cpu_isa());
    printf("threads     %d\n", kt_get_num_threads());
    printf("policy      %s\n", kt_policy_name(kt_get_policy()));
    printf("default     %s\n", kt_dtype_name(kt_get_default_dtype()));
    printf("dtypes      %d\n", KT_NUM_DTYPES - 1);
    printf("devices    ");
    for (int kind = KT_CPU; kt_device_name((kt_device){kind, 0})[0] != '?'; kind++)
        printf(" %s", kt_device_name((kt_device){kind, 0}));
    putchar('\n');
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i].name);
        printf("%-19s %-12s %s\n", variables[i].name, value ? value : "(not set)", variables[i].meaning);
    }
    return kt_report(stderr);
}
