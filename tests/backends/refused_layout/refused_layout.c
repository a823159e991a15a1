/* refused_layout.c - a plugin that must be refused: its plan has another size. None of its code may run. */
#include <karat/plugin/backend.h>

#include <stdlib.h>

KT_API extern const kt_layout kt_plugin_layout;
KT_API kt_backend            *kt_plugin_open(const kt_host *host);

const kt_layout kt_plugin_layout = {KT_BACKEND_ABI, sizeof(kt_host), sizeof(kt_backend), sizeof(kt_plan) - 8, sizeof(kt_operand),
                                    sizeof(kt_transfer), sizeof(kt_late_error)};

kt_backend *kt_plugin_open(const kt_host *host)
{
    (void)host;
    abort();
}
