/* norm_f32.c - the norms of compute type float32. */
#include "cpu/isa/types/f32.h"

#include "cpu/isa/tile.h"

#include "cpu/isa/norm.inc.c"
#include "cpu/isa/group_norm.inc.c"
#include "cpu/isa/distance.inc.c"

const kt__cpu_norms SHARED(norms) = {
    .rows = FN(norm_run),
    .groups = FN(group_norm_run),
    .distances = FN(distances_run),
};
