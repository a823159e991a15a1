/* norm.h - helpers of the bodies of this folder: the operands of a norm as one plan.
 *
 * In: tensors, of which any may be absent. Out: a plan of the family norm, run. */
#ifndef KT_OPS_NORM_NORM_H
#define KT_OPS_NORM_NORM_H

#include "call/made.h"
#include "call/move.h"
#include "call/policy.h"
#include "call/refuse.h"
#include "tables/kernels/norm.h"

enum { KT__NORM_OPERANDS = 10 };

/* The operands of a kernel in the order of tables/kernels/norm.def, outputs first; NULL: absent. Strides are in elements. */
typedef struct kt__norm_operands {
    int        n, n_out; /* places, absent ones included */
    bool       constant; /* param[2]: the statistics are no functions of the input */
    kt_tensor *t[KT__NORM_OPERANDS];
    kt_dtype   as[KT__NORM_OPERANDS]; /* what the kernel sees it as; KT_NONE: as it is */
    int64_t    stride[KT__NORM_OPERANDS][4];
} kt__norm_operands;

void kt__norm_add(kt__norm_operands *o, kt_tensor *t, int64_t s0, int64_t s1, int64_t s2, int64_t s3);
/* Runs the kernel over `dims` sizes; param[0] is eps, param[1] says which places are there, param[2]
 * whether the statistics are constants. */
kt_status kt__norm_run(const kt_call *call, int kernel, const kt__norm_operands *o, const int64_t *sizes, int dims, double eps);

/* A new row-major tensor, owned by the scope. */
kt_tensor *kt__norm_new(const kt_call *call, const kt_tensor *beside, kt_dtype dtype, kt_shape sizes);
/* May a parameter or a running statistic of that dtype stand beside the input? float32 beside a narrower float is read as it is:
 * then the input is seen as float32; else the other as the input's dtype. NULL may. */
kt_status kt__norm_judge(const kt_call *call, const kt_tensor *input, const char *name, const kt_tensor *t);
/* The error for one that may not. */
KT__COLD kt_status kt__norm_fail_found(const kt_call *call, const kt_tensor *input, const kt_tensor *t);
/* Row-major: itself, where there is nothing to copy. */
static inline kt_tensor *kt__norm_dense(kt_tensor *t) { return kt__is_contiguous(t) ? t : kt_contiguous(t); }
/* *t, judged, as a dense tensor; of a dtype that the kernel does not take beside the input's (policy permissive) converted. NULL
 * stays. */
bool kt__norm_parameter(const kt_call *call, const char *name, kt_tensor **t, const kt_tensor *input);
static inline kt_tensor *kt__norm_given(const kt_call *call, int at) { return kt__given(call, at) ? call->arg[at].t : NULL; }
static inline kt_dtype kt__wide_dtype(kt_dtype d) { return d == KT_F64 ? KT_F64 : KT_F32; }

/* The rows that flow back, called; `of` is what they gave, empty tensors where the mask has 0. Owned by the scope. */
bool kt__layer_norm_back(int op, kt_tensor *grad, kt_tensor *input, kt_tensor *weight, kt_tensor *const *statistics, int n,
                         kt_shape normalized, kt_shape mask, kt_tensor **of);

#endif
