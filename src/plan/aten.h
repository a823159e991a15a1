/* aten.h - PyTorch's operators (tables/aten.def), found by name: vmap's errors and profiles name calls as PyTorch does.
 *
 * In: a name. Out: lines of the table. Independent of: rows, tensors. */
#ifndef KT_PLAN_ATEN_H
#define KT_PLAN_ATEN_H

#include <stddef.h>

typedef struct kt__aten {
    const char *schema; /* "add.Tensor(Tensor self, ...) -> Tensor" */
    const char *out;    /* the overload that is the same with out=; NULL: none, or a line of its own */
} kt__aten;

/* The first overload of the name that is `n` long, or the next after `last`; NULL: there is none. An operator that is there in
 * place alone ("add_") is an overload of its name without "_". */
const kt__aten *kt__aten_next(const char *name, size_t n, const kt__aten *last);

#endif
