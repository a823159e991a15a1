/* run.c - karat run: hands its words to the Python package, `python3 -m karat run ...`.
 *
 * The interpreter: KARAT_PYTHON, else the one that the extension was built for. The package: beside this command in a build
 * (build/bin, build/python), else wherever the interpreter finds it. Returns only where nothing could be run. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "karat.h"

/* The folder of packages of the build tree that this command is part of; false: it is part of none. */
static int find_package(char *folder, size_t room)
{
    char    self[PATH_MAX], init[PATH_MAX + 32];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    for (int up = 0; n > 0 && up < 2; up++) { /* build/bin/karat -> build */
        self[n] = '\0';
        char *slash = strrchr(self, '/');
        n = slash ? slash - self : 0;
    }
    if (n <= 0 || (size_t)snprintf(folder, room, "%.*s/python", (int)n, self) >= room)
        return 0;
    snprintf(init, sizeof init, "%s/karat/__init__.py", folder);
    return access(init, R_OK) == 0;
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

int karat_run(int n, char **words)
{
    char        folder[PATH_MAX];
    const char *chosen = getenv("KARAT_PYTHON"), *python = chosen && *chosen ? chosen : KARAT_PYTHON_EXECUTABLE;
    char      **argv = malloc(((size_t)n + 5) * sizeof *argv);
    if (!argv || (find_package(folder, sizeof folder) && put_first_on_path(folder))) {
        fputs("karat run: out of memory\n", stderr);
        free(argv);
        return 1;
    }
    static char module_flag[] = "-m", package[] = "karat", run[] = "run";
    argv[0] = (char *)(size_t)python;
    argv[1] = module_flag;
    argv[2] = package;
    argv[3] = run;
    for (int i = 0; i < n; i++)
        argv[4 + i] = words[i];
    argv[4 + n] = NULL;
    execvp(python, argv);
    fprintf(stderr, "karat run: cannot start %s: %s (KARAT_PYTHON names another)\n", python, strerror(errno));
    free(argv);
    return 127;
}
