/* dtype.h - the dtype table as C data, and what the engine asks about a dtype on its hot path.
 *
 * In: tables/dtypes.def. Out: rows indexed by kt_dtype, compute types, the promotion tables' readers.
 * Independent of: tensors, operators, kernels. */
#ifndef KT_DTYPE_DTYPE_H
#define KT_DTYPE_DTYPE_H

#include <karat/dtype.h>
#include <stdatomic.h>

#include "base/local.h"
#include "dtype/types.h"

/* The type that kernels compute in. Names as in the table's column C. ORDER COMPUTE. */
typedef enum kt__compute {
    KT__COMPUTE_f32,
    KT__COMPUTE_f64,
    KT__COMPUTE_i32,
    KT__COMPUTE_i64,
    KT__COMPUTE_u64,
    KT__COMPUTE_c64,
    KT__COMPUTE_c128,
    KT__NUM_COMPUTES
} kt__compute;

typedef enum kt__kind { KT__KIND_BOOL, KT__KIND_INT, KT__KIND_MINI, KT__KIND_REAL, KT__KIND_CPLX } kt__kind;

typedef struct kt__dtype_row {
    const char *name, *torch_name, *c_name, *numpy, *safetensors, *aliases;
    uint8_t     size;               /* bytes of one element */
    uint8_t     compute, kind;      /* kt__compute, kt__kind */
    uint8_t     exponent, mantissa; /* bits */
    uint8_t     specials;           /* kt__specials */
    uint8_t     eps;                /* -log2 of finfo's eps */
    uint8_t     category;           /* kt_category */
    uint8_t     dlpack_code, dlpack_bits;
    bool        is_signed;
    uint32_t    parents;            /* bit d set: kt_dtype d is directly above in the promotion lattice */
} kt__dtype_row;

extern KT__HIDDEN const kt__dtype_row kt__dtype_rows[KT_NUM_DTYPES]; /* row 0 is KT_NONE's: no name, size 0 */

extern KT__HIDDEN _Atomic int kt__default_dtype_word; /* written only by kt_set_default_dtype */
static inline kt_dtype kt__default_dtype(void)
{
    return (kt_dtype)atomic_load_explicit(&kt__default_dtype_word, memory_order_relaxed);
}

/* scalar.c: numbers beside dtypes */
kt_dtype kt__dtype_of_number(kt_scalar s);    /* that of its kind: bool, int64, the default dtype or its complex type */
double   kt__as_double(kt_scalar s);          /* the real part */
bool     kt__holds(kt_scalar s, kt_dtype d);  /* kt_scalar_fits, and narrow floats hold no finite number beyond theirs */
kt_dtype kt__arithmetic_of(kt_dtype d);       /* the dtype that PyTorch computes with: narrow floats in float32 */

static inline bool kt__dtype_valid(kt_dtype d)
{
    return (unsigned)d - 1u < KT_NUM_DTYPES - 1u;
}

/* The row of a dtype; an invalid value gives that of KT_NONE. */
static inline const kt__dtype_row *kt__dtype_row_of(kt_dtype d)
{
    return &kt__dtype_rows[kt__dtype_valid(d) ? d : KT_NONE];
}

/* A tensor's type as some PyTorch errors print it: "torch.FloatTensor", "CPUBFloat16Type". Returns `room`. */
const char *kt__type_text(kt_dtype d, char *room, size_t size);

/* The range of an integer dtype, bool included; false for other dtypes. */
bool kt__int_range(kt_dtype d, int64_t *min, uint64_t *max);

/* ---- promotion ---- */

typedef enum kt__refusal {
    KT__PROMOTES,
    KT__REFUSED_UINT,   /* uint16, uint32, uint64 with anything but themselves and real floats */
    KT__REFUSED_FLOAT8, /* a float8 with anything but itself */
    KT__REFUSED_NONE    /* an operand is no dtype */
} kt__refusal;

/* PyTorch's promotion, without setting an error: KT_NONE and *refusal (may be NULL) where PyTorch refuses. Table lookup. */
kt_dtype kt__promote_quiet(kt_dtype a, kt_dtype b, int *refusal);
/* Promotion under the permissive policy: also where PyTorch refuses. KT_NONE only when an operand is. */
kt_dtype kt__promote_permissive(kt_dtype a, kt_dtype b);
/* Fails with PyTorch's text for a refusal; returns the status. */
kt_status kt__promote_fail(kt_dtype a, kt_dtype b, int refusal);

#endif
