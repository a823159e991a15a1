/* kernels.c - the names of the kernels, by which plugins ask for them. In: the tables. Out: ids and names. */
#include <karat/plugin/backend.h>

#include "tables/kernels/all.h"

static const char *const names[KT_NUM_FAMILIES][KT__FAMILY_ROWS] = {
#define UN(name, ...)     #name,
#define BIN(name, ...)    #name,
#define TER(name, ...)    #name,
#define KERNEL(name, ...) #name,
    [KT_FAMILY_arithmetic] = {
#include "tables/kernels/arithmetic.def"
    },
    [KT_FAMILY_compare] = {
#include "tables/kernels/compare.def"
    },
    [KT_FAMILY_exponential] = {
#include "tables/kernels/exponential.def"
    },
    [KT_FAMILY_trigonometric] = {
#include "tables/kernels/trigonometric.def"
    },
    [KT_FAMILY_special] = {
#include "tables/kernels/special.def"
    },
    [KT_FAMILY_rounding] = {
#include "tables/kernels/rounding.def"
    },
    [KT_FAMILY_bitwise] = {
#include "tables/kernels/bitwise.def"
    },
    [KT_FAMILY_activation] = {
#include "tables/kernels/activation.def"
    },
    [KT_FAMILY_loss] = {
#include "tables/kernels/loss.def"
    },
    [KT_FAMILY_copy] = {
#include "tables/kernels/copy.def"
    },
    [KT_FAMILY_reduce] = {
#include "tables/kernels/reduce.def"
    },
    [KT_FAMILY_order] = {
#include "tables/kernels/order.def"
    },
    [KT_FAMILY_scan] = {
#include "tables/kernels/scan.def"
    },
    [KT_FAMILY_softmax] = {
#include "tables/kernels/softmax.def"
    },
    [KT_FAMILY_product] = {
#include "tables/kernels/product.def"
    },
    [KT_FAMILY_random] = {
#include "tables/kernels/random.def"
    },
    [KT_FAMILY_index] = {
#include "tables/kernels/index.def"
    },
    [KT_FAMILY_search] = {
#include "tables/kernels/search.def"
    },
    [KT_FAMILY_check] = {
#include "tables/kernels/check.def"
    },
    [KT_FAMILY_window] = {
#include "tables/kernels/window.def"
    },
    [KT_FAMILY_norm] = {
#include "tables/kernels/norm.def"
    },
    [KT_FAMILY_attention] = {
#include "tables/kernels/attention.def"
    },
    [KT_FAMILY_recurrent] = {
#include "tables/kernels/recurrent.def"
    },
    [KT_FAMILY_resample] = {
#include "tables/kernels/resample.def"
    },
    [KT_FAMILY_optimizer] = {
#include "tables/kernels/optimizer.def"
    },
    [KT_FAMILY_fourier] = {
#include "tables/kernels/fourier.def"
    },
};

/* Asked a few hundred times, when a plugin is loaded. */
kt_kernel_id kt_kernel_find(const char *name)
{
    for (int kernel = 1; name && kernel < KT_K_end; kernel++) {
        const char *here = names[KT__FAMILY_OF(kernel)][KT__PLACE_OF(kernel)];
        if (here && strcmp(here, name) == 0)
            return (kt_kernel_id)kernel;
    }
    return KT_K_none;
}

const char *kt_kernel_name(kt_kernel_id kernel)
{
    const char *name = kernel < KT_K_end ? names[KT__FAMILY_OF(kernel)][KT__PLACE_OF(kernel)] : NULL;
    return name ? name : "?";
}
