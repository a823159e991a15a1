/* families.h - how a kernel's id is made: its family (families.def) and its place in the family's table. A new row moves ids of
 * its own family alone, and what is compiled for another family does not change. */
#ifndef KT_TABLES_KERNELS_FAMILIES_H
#define KT_TABLES_KERNELS_FAMILIES_H

enum kt__family {
    KT_FAMILY_none, /* so that no kernel has id 0 */
#define ELEMENTWISE(name) KT_FAMILY_##name,
#define FAMILY(name) KT_FAMILY_##name,
#include "tables/kernels/families.def"
    KT_NUM_FAMILIES,
    KT_FAMILY_elementwise_end = KT_FAMILY_copy
};

enum { KT__FAMILY_BITS = 6, KT__FAMILY_ROWS = 1 << KT__FAMILY_BITS };

#define KT__FAMILY_BEGIN(name) KT_FAMILY_BEGIN_##name = (KT_FAMILY_##name << KT__FAMILY_BITS) - 1 /* then its rows */
#define KT__FAMILY_OF(kernel)  ((kernel) >> KT__FAMILY_BITS)
#define KT__PLACE_OF(kernel)   ((kernel) & (KT__FAMILY_ROWS - 1))

enum {
    KT_K_none,
    KT_K_elementwise_end = KT_FAMILY_elementwise_end << KT__FAMILY_BITS,
    KT_K_end = KT_NUM_FAMILIES << KT__FAMILY_BITS /* every id lies below */
};

#endif
