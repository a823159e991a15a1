/* refused_old.c - a plugin that must be refused: it says nothing of its layout, as those before interface 3 did not. */
#include <karat/plugin/backend.h>

#include <stdlib.h>

KT_API kt_backend *kt_plugin_open(const kt_host *host);

kt_backend *kt_plugin_open(const kt_host *host)
{
    (void)host;
    abort();
}
