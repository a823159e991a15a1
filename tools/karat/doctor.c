/* doctor.c - `karat doctor`: what was found and chosen on this machine, and the environment variables that change it. */
#include <karat/karat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "karat.h"

/* Each CUDA device, and what the backend works with. */
static void tell_devices(void)
{
    static const char kind[] = "cuda";
    const int         count = kt_device_count(kind);
    if (kt_failed()) {
        printf("%-12s%s\n", kind, kt_error());
        kt_clear();
        return;
    }
    for (int i = 0; i < count; i++) {
        char                 name[64];
        kt_device_properties p = {.size = sizeof p};
        snprintf(name, sizeof name, "%s:%d", kind, i);
        const kt_device d = kt_device_find(name);
        if (kt_device_ask(d, &p)) {
            printf("%-12s%s\n", name, kt_error());
            kt_clear();
            continue;
        }
        printf("%-12s%s, %s, %.1f GiB, %d multiprocessors\n", name, p.name, p.architecture, (double)p.memory / 0x1p30,
               p.multiprocessors);
        char *text = kt_device_about(d);
        for (char *line = strtok(text, "\n"); line && i == 0; line = strtok(NULL, "\n"))
            printf("%-12s%s\n", "", line);
        kt_free_string(text);
    }
    const bool has_plugin = kt_device_name((kt_device){KT_CUDA, 0})[0] != '?';
    if (count == 0 && has_plugin)
        printf("%-12snone: the plugin libkarat_%s.so is there, but it finds no driver, or no device\n", kind, kind);
    else if (count == 0)
        printf("%-12snone: no plugin libkarat_%s.so beside the library or in KARAT_BACKEND_PATH\n", kind, kind);
}

int karat_doctor(int n, char **words)
{
    if (n == 1 && (!strcmp(words[0], "-h") || !strcmp(words[0], "--help"))) {
        puts("usage: karat doctor\nwhat this build found and chose on this machine, and the variables that change it");
        return 0;
    }
    if (n > 0) {
        fputs("karat doctor takes no arguments\n", stderr);
        return 2;
    }
    printf("karat       %s\n", kt_version());
    printf("kernels     %s\n", kt_cpu_isa());
    printf("products    own");
    const char *library;
    for (int i = 0; (library = kt_cpu_matmul(i))[0]; i++)
        printf(", %s", library);
    printf(" (float32: %s)\n", kt_get_float32_matmul_precision());
    printf("threads     %d\n", kt_get_num_threads());
    printf("policy      %s\n", kt_policy_name(kt_get_policy()));
    printf("default     %s\n", kt_dtype_name(kt_get_default_dtype()));
    printf("dtypes      %d\n", KT_NUM_DTYPES - 1);
    printf("devices    ");
    for (int kind = KT_CPU; kt_device_name((kt_device){kind, 0})[0] != '?'; kind++)
        printf(" %s", kt_device_name((kt_device){kind, 0}));
    putchar('\n');
    tell_devices();
    const kt_variable *v;
    for (int i = 0; (v = kt_variable_at(i)); i++) {
        const char *value = getenv(v->name);
        printf("%-19s %-12s %s (%s)\n", v->name, value ? value : "(not set)", v->meaning, v->values);
    }
    return kt_report(stderr);
}
