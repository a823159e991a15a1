/* karat.c - the one place that knows every layer by name: it wires them together when the library is loaded. */
#include "base/env.h"
#include "base/scope.h"
#include "batch/batch.h"
#include "call/row.h"
#include "cpu/backend.h"
#include "grad/grad.h"
#include "lineage/lineage.h"
#include "plan/meta.h"
#include "plan/mode.h"
#include "tensor/device.h"
#include "tensor/tensor.h"

__attribute__((constructor)) static void wire(void)
{
    kt__env_check();
    kt__scope_set_drop(kt_drop);
    kt__holders = &kt__held_by_line;
    kt_backend_register(kt__cpu_backend());
    kt_backend_register(kt__meta_backend());
    kt__modes_init();
    kt__lineage_init();
    kt__grad_init();
    kt__batch_init();
}
