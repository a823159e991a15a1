/* index.h - kernels that move elements to and from places that other tensors name. */
#ifndef KT_CPU_INDEX_INDEX_H
#define KT_CPU_INDEX_INDEX_H

#include <karat/plugin/backend.h>

kt_status kt__cpu_index(const kt_plan *plan);   /* take, put, offsets: see the family "indexing" of plugin/backend.h */
kt_status kt__cpu_nonzero(const kt_plan *plan);
kt_status kt__cpu_masked(const kt_plan *plan);

/* index/combine.c: n elements of `from` combined with those of `to`, in a dtype's own arithmetic, as a kernel says. Element i
 * goes to + i * to_step, or, where `place` is given, to + place[i] bytes. */
typedef struct kt__combined {
    char            *to;
    ptrdiff_t        to_step;
    const ptrdiff_t *place;
    const char      *from;
    ptrdiff_t        from_step;
    int64_t          n;
    kt_dtype         dtype;
} kt__combined;
typedef void kt__combine_fn(const kt__combined *c);
kt__combine_fn *kt__cpu_combine(kt_dtype dtype, kt_kernel_id kernel);

#endif
