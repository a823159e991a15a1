/* index.h - ids of the kernels of index.def, and what their param[3] says. */
#ifndef KT_TABLES_KERNELS_INDEX_H
#define KT_TABLES_KERNELS_INDEX_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(index),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/index.def"
#undef KERNEL
};

/* How an index that is out of range is told: param[3] of the kernels that look at indices. */
enum kt__index_says {
    KT_INDEX_SAYS_DIM,                /* an IndexError that names index, dimension and size */
    KT_INDEX_SAYS_DIM_RUNTIME,        /* the same as a RuntimeError */
    KT_INDEX_SAYS_COPY,               /* the first, of index_copy_() */
    KT_INDEX_SAYS_SELF,               /* "index out of range in self" */
    KT_INDEX_SAYS_DATA,               /* "INDICES element is out of DATA bounds" */
    KT_INDEX_SAYS_ELEMENTS            /* against the number of elements of the whole */
};

#endif
