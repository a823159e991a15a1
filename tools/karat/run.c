/* run.c - karat run: passes its arguments to Python, where the package karat serves torch; and karat pip-shim, which runs a
 * script of the package by the interpreter of the environment it is about.
 *
 * The interpreter: --python=PATH, KARAT_PYTHON, else the one that the extension was built for. The package: beside this
 * command, in a build (build/bin, build/python) or in the package itself (karat/_bin, karat/_start), where Python is started
 * with the package's _start folder in PYTHONPATH; else wherever the interpreter finds it: `python3 -m karat run ...`.
 * Returns only where nothing could be run. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "karat.h"

/* The package's _start folder beside this command; false: none. */
static int find_start(char *folder, size_t room)
{
    static const char *const places[] = {"python/karat/_start", "_start"}; /* of a build, of the package */
    char                     self[PATH_MAX], file[PATH_MAX + 32];
    ssize_t                  n = readlink("/proc/self/exe", self, sizeof self - 1);
    for (int up = 0; n > 0 && up < 2; up++) { /* build/bin/karat -> build */
        self[n] = '\0';
        char *slash = strrchr(self, '/');
        n = slash ? slash - self : 0;
    }
    for (size_t i = 0; n > 0 && i < sizeof places / sizeof *places; i++) {
        if ((size_t)snprintf(folder, room, "%.*s/%s", (int)n, self, places[i]) >= room)
            return 0;
        snprintf(file, sizeof file, "%s/sitecustomize.py", folder);
        if (access(file, R_OK) == 0)
            return 1;
    }
    return 0;
}

static int put_first_on_path(const char *folder)
{
    const char *path = getenv("PYTHONPATH");
    size_t      room = strlen(folder) + (path ? strlen(path) : 0) + 2;
    char       *all = malloc(room);
    if (!all)
        return -1;
    snprintf(all, room, "%s%s%s", folder, path && *path ? ":" : "", path ? path : "");
    int status = setenv("PYTHONPATH", all, 1);
    free(all);
    return status;
}

static int usage(FILE *to)
{
    fputs("usage: karat run [--python=PATH] script.py [arguments]\n"
          "       karat run [--python=PATH] -m module [arguments]\n"
          "       karat run [--python=PATH] -c code [arguments]\n"
          "       karat run [--python=PATH] - [arguments]           reads the script from standard input\n"
          "Python's options go before them.\n",
          to);
    return to == stderr ? 2 : 0;
}

/* The interpreter; --python= is taken off the words. */
static const char *take_python(int *n, char ***words)
{
    static const char option[] = "--python=";
    const char       *chosen = getenv("KARAT_PYTHON");
    if (*n > 0 && strncmp((*words)[0], option, sizeof option - 1) == 0) {
        --*n;
        return *(*words)++ + sizeof option - 1;
    }
    return chosen && *chosen ? chosen : KARAT_PYTHON_EXECUTABLE;
}

int karat_pip_shim(int n, char **words)
{
    static char safe_path[] = "-P"; /* the script's folder has modules of the package, some under names of Python's own */
    char        folder[PATH_MAX], script[PATH_MAX + 32];
    const char *python = take_python(&n, &words);
    char      **argv = malloc(((size_t)n + 4) * sizeof *argv);
    if (!argv || !find_start(folder, sizeof folder)) {
        fputs(argv ? "karat pip-shim: the package is not beside this command: python3 -m karat pip-shim\n"
                   : "karat pip-shim: out of memory\n", stderr);
        free(argv);
        return 1;
    }
    snprintf(script, sizeof script, "%s/../_pip_shim.py", folder);
    argv[0] = (char *)(size_t)python;
    argv[1] = safe_path;
    argv[2] = script;
    memcpy(argv + 3, words, (size_t)n * sizeof *argv);
    argv[n + 3] = NULL;
    execvp(python, argv);
    fprintf(stderr, "karat pip-shim: cannot start %s: %s\n", python, strerror(errno));
    free(argv);
    return 127;
}

int karat_run(int n, char **words)
{
    static char module_flag[] = "-m", package[] = "karat", run[] = "run";
    char        folder[PATH_MAX];
    const char *python = take_python(&n, &words);
    if (n == 0)
        return usage(stderr);
    if (!strcmp(words[0], "-h") || !strcmp(words[0], "--help"))
        return usage(stdout);
    char    **argv = malloc(((size_t)n + 5) * sizeof *argv);
    const int built = find_start(folder, sizeof folder);
    int       at = 0;
    if (!argv || (built && put_first_on_path(folder))) {
        fputs("karat run: out of memory\n", stderr);
        free(argv);
        return 1;
    }
    argv[at++] = (char *)(size_t)python;
    if (!built) {
        argv[at++] = module_flag;
        argv[at++] = package;
        argv[at++] = run;
    }
    for (int i = 0; i < n; i++)
        argv[at++] = words[i];
    argv[at] = NULL;
    snprintf(folder, sizeof folder, "%ld", (long)getpid());
    setenv("KARAT_CHECKED", folder, 1); /* warnings were given; if setenv fails they are given twice */
    execvp(python, argv);
    fprintf(stderr, "karat run: cannot start %s: %s (set KARAT_PYTHON to use another)\n", python, strerror(errno));
    free(argv);
    return 127;
}
