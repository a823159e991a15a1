/* fault.h - what a kernel finds wrong in the values that it reads. A fault is numbers only, so that a device can write it to
 * memory from a kernel; the engine makes the error from it (kt_late_error.fault), with the text that the CPU has.
 *
 * Which fields a kind uses stands beside it; backend.h says under "faults" how each kernel fills them in. */
#ifndef KARAT_PLUGIN_FAULT_H
#define KARAT_PLUGIN_FAULT_H

#include <karat/base.h>

KT_BEGIN

/* Append only: plugins have the numbers compiled in. */
typedef enum kt_fault_kind {
    KT_FAULT_NONE,
    /* indices: value, size, dim as named */
    KT_FAULT_INDEX,          /* index `value` against dimension `dim` of `size` elements: an IndexError */
    KT_FAULT_INDEX_RUNTIME,  /* the same as a RuntimeError */
    KT_FAULT_INDEX_COPY,     /* the first, of index_copy_() */
    KT_FAULT_INDEX_SELF,     /* of embedding and some others: the text has no numbers */
    KT_FAULT_INDEX_DATA,     /* value, size */
    KT_FAULT_INDEX_ELEMENTS, /* value, size: the number of elements of the whole */
    /* ranges */
    KT_FAULT_TARGET,         /* value: a class of nll_loss */
    KT_FAULT_BCE_INPUT,
    KT_FAULT_BCE_TARGET,
    KT_FAULT_QUANTILE,
    KT_FAULT_SORTER,         /* of searchsorted */
    KT_FAULT_CLASS_NEGATIVE, /* of one_hot */
    KT_FAULT_CLASS_LARGE,
    KT_FAULT_COV_FWEIGHTS,
    KT_FAULT_COV_AWEIGHTS,
    KT_FAULT_COV_SUM,
    KT_FAULT_DEVIATION,      /* std of normal */
    KT_FAULT_OVERFLOW,       /* dim: the kt_dtype that cannot hold the value */
    /* found while computing */
    KT_FAULT_DIVISION,       /* an integer by zero */
    KT_FAULT_BERNOULLI,
    KT_FAULT_POISSON,
    KT_FAULT_WEIGHT_NEGATIVE, /* of multinomial with replacement */
    KT_FAULT_WEIGHT_INFINITE,
    KT_FAULT_WEIGHT,          /* of multinomial without: one text for both */
    KT_FAULT_WEIGHT_SUM,
    KT_FAULT_TARGET_RANGE,    /* a class of multi_margin_loss */
    KT_FAULT_LABEL,           /* of multilabel_margin_loss */
    KT_FAULT_VARIANCE,        /* of gaussian_nll_loss */
    KT_FAULT_BAG_INDEX,       /* value, size: of embedding_bag */
    KT_FAULT_UNPOOL,          /* value; dim: how many dims in space; size: theirs, KT_FAULT_SIZE_BITS each, the last one lowest */
    KT_NUM_FAULTS
} kt_fault_kind;

enum { KT_FAULT_SIZE_BITS = 21 };

typedef struct kt_fault {
    int32_t kind;  /* kt_fault_kind */
    int32_t dim;
    int64_t value; /* the integer that was found */
    int64_t size;  /* the integers below it were expected */
} kt_fault;

KT_END
#endif
