/* refused_kernel.c - a plugin that must be refused: it asks for kernels that are not there, and offers a backend all the same. */
#include <karat/plugin/backend.h>

static int count(kt_backend *self)
{
    (void)self;
    return 1;
}

static kt_backend backend = {.layout = KT_LAYOUT, .name = "refused", .count = count};

KT_PLUGIN(host)
{
    host->kernel("add");
    host->kernel("no_such_kernel");
    host->kernel("nor_this_one");
    return &backend;
}
