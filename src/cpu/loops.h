/* loops.h - the loops of the elementwise kernels as the stamped objects offer them: a table for each family and compute type, by
 * place in the family (tables/kernels). In: dense elements of one compute type. Independent of: dtypes, plans, strides. */
#ifndef KT_CPU_LOOPS_H
#define KT_CPU_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#include "tables/kernels/families.h"

enum { KT__LOOP_PARAMS = 4 }; /* p0 to p3 of the tables */

/* n elements each; the output may be one of the inputs. */
typedef void kt__loop_fn(void *z, const void *a, const void *b, const void *c, ptrdiff_t n, const void *params);

/* Inputs that are 16-bit floats; of two inputs, one may be a number instead. */
enum { KT__HALF_GROUP = 32 };
typedef struct kt__halves {
    const uint16_t *at[3];     /* NULL: the number */
    float           number;
} kt__halves;
typedef void kt__half_fn(uint16_t *z, const kt__halves *in, ptrdiff_t n, const void *params); /* n: whole groups */

typedef struct kt__loops {
    uint64_t     divides;               /* bit i: row i must not meet a zero divisor (integers) */
    uint64_t     longs;                 /* bit i: row i takes so long that a second thread pays for fewer elements */
    kt__loop_fn *loop[KT__FAMILY_ROWS]; /* NULL: not in this type */
    kt__half_fn *halves[2][KT__FAMILY_ROWS]; /* of dense bfloat16s and float16s, calculated with in float32; NULL: none */
} kt__loops;

#define KT__LOOPS__(family, id, isa) kt__loops_##family##_##id##_##isa
#define KT__LOOPS_(family, id, isa)  KT__LOOPS__(family, id, isa)
#define KT__LOOPS(family, id)        KT__LOOPS_(family, id, KT_ISA)

#endif
