/* aten.h - PyTorch's operators (tables/aten.def), found by name: vmap's errors and profiles name calls as PyTorch does.
 *
 * In: rows, names. Out: names, lines of the table. Independent of: tensors. */
#ifndef KT_PLAN_ATEN_H
#define KT_PLAN_ATEN_H

#include <karat/plugin/call.h>
#include <stddef.h>

typedef struct kt__aten {
    const char *schema; /* "add.Tensor(Tensor self, ...) -> Tensor" */
    const char *out;    /* the overload that its function calls for out=; NULL: none, or a line of its own */
} kt__aten;

/* The row's name there: the beginning of what is returned, up to "." or "(". */
const char *kt__aten_name(const kt_row *row);
/* The same where tables/inner.def gives it; NULL: its schema does. */
const char *kt__aten_given_name(const kt_row *row);
/* The first overload of the name that is `n` long, or the next after `last`; NULL: there is none. An operator that is there in
 * place alone ("add_") is an overload of its name without "_". */
const kt__aten *kt__aten_next(const char *name, size_t n, const kt__aten *last);

#endif
