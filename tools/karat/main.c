/* main.c - the command `karat`: runs the subcommand that its first argument names. It uses the public headers only. */
#include <karat/karat.h>
#include <stdio.h>
#include <string.h>

#include "karat.h"

static int usage(FILE *to)
{
    fputs("karat "
          "- a tensor engine in which a dtype is never lost\n\n"
          "usage:\n"
          "  karat demo              a short tour: mixed dtypes, a refused mix explained, the four policies\n"
          "  karat doctor            what this build found and chose on this machine\n"
          "  karat ops [NAME ...]    every operator, one line each, or the named ones in full (--json, --internal, --markdown)\n"
          "  karat pip-shim install  pip of an environment takes Karat for torch, and fetches no PyTorch (remove, status)\n"
          "  karat run SCRIPT ...    a Python script (or -m MODULE, -c CODE) with `import torch` served by Karat\n"
          "  karat version\n",
          to);
    return to == stderr ? 2 : 0;
}

int main(int n, char **words)
{
    static const struct {
        const char *name;
        int (*run)(int n, char **words);
    } parts[] = {{"demo", karat_demo}, {"doctor", karat_doctor}, {"ops", karat_ops}, {"pip-shim", karat_pip_shim},
                 {"run", karat_run}};
    if (n < 2)
        return usage(stderr);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(words[1], parts[i].name) == 0)
            return parts[i].run(n - 2, words + 2);
    if (strcmp(words[1], "version") == 0 || strcmp(words[1], "--version") == 0) {
        printf("karat %s\n", kt_version());
        return 0;
    }
    if (strcmp(words[1], "help") == 0 || strcmp(words[1], "--help") == 0)
        return usage(stdout);
    fprintf(stderr, "karat: unknown command '%s'\n\n", words[1]);
    return usage(stderr);
}
