/* kernels.h - what one build of the CPU kernels (one instruction set) offers, and the walk over a plan's rows.
 *
 * In: plans. Out: tables of functions, one per compute type, compiled once per instruction set from src/cpu/isa.
 * Independent of: tensors, operators, which build is in use. */
#ifndef KT_CPU_KERNELS_H
#define KT_CPU_KERNELS_H

#include <karat/plugin/backend.h>

#include "cpu/loops.h"
#include "dtype/convert.h"
#include "dtype/dtype.h"

enum {
    KT__GRAIN = 32768 /* elements below which a second thread costs more than it brings */
};

/* A plan of our own begins with zeros up to its operands; the rest, which is large, is written as far as it is used. */
static inline void kt__plan_clear(kt_plan *plan)
{
    memset(plan, 0, offsetof(kt_plan, param));
}

/* ---- a plan as rows: every dim but one is walked, that one is the row ---- */
typedef struct kt__rows {
    const kt_plan *plan;
    int            n_op;                  /* operands to carry along: outputs first */
    int            inner;                 /* the dim that makes a row */
    int64_t        length;                /* its size */
    int64_t        step[KT_MAX_OPERANDS]; /* its strides, in bytes */
    char          *base[KT_MAX_OPERANDS]; /* first elements; immediates point into the plan */
} kt__rows;

typedef void kt__row_fn(void *ctx, char *const *at, int64_t n,
                        int64_t index); /* index: of the first element, in row order */

void kt__rows_of(kt__rows *rows, const kt_plan *plan);
void kt__rows_in_order(kt__rows *rows, const kt_plan *plan); /* the last dim is the row: elements come in row-major order */
/* Elements [begin, end) in row order: whole rows, and the ends of the first and the last. */
void kt__rows_walk(const kt__rows *rows, int64_t begin, int64_t end, kt__row_fn *fn, void *ctx);

/* ---- how a plan's result is written, rows of which lie at `step`: write.h has the means ---- */
typedef enum kt__writing { KT__WRITE_PLAIN, KT__WRITE_FETCHED, KT__WRITE_PAST } kt__writing;
kt__writing kt__writing_by_bytes(int64_t written, int64_t touched);
kt__writing kt__writing_of(const kt_plan *plan, ptrdiff_t step);
/* Bytes of an element of operand i, whose rows lie at `step`, if it is to be fetched ahead of its tile; else 0. */
ptrdiff_t kt__fetched_of(const kt_plan *plan, int i, ptrdiff_t step, kt__writing writing);

/* ---- the plan's scalars, and powers, for ranges ---- */
kt__f64  kt__scalar_f64(const kt_scalar *s);
kt__c128 kt__scalar_c128(const kt_scalar *s);
kt__f64  kt__power_f64(kt__f64 base, kt__f64 exponent);
kt__c128 kt__power_c128(kt__c128 base, kt__c128 exponent);

/* ---- the kernels of one compute type ---- */
typedef struct kt__cpu_type {
    kt_status (*elementwise)(const kt_plan *plan);
    bool      (*has)(kt_kernel_id kernel);          /* of the elementwise tables */
    kt__loop_fn *(*loop)(kt_kernel_id kernel);      /* of those that it has */
    bool      (*takes_halves)(const kt_plan *plan); /* elementwise over 16-bit floats, without tiles */
    kt_status (*cast)(const kt_plan *plan);         /* copy whose source is calculated with in this type */
    kt_status (*range)(const kt_plan *plan);        /* arange, linspace, logspace */
    kt_status (*matmul)(const kt_plan *plan);
    void      (*finish_product)(const kt_plan *plan, void *sums); /* dense, made elsewhere; they are spoilt */
} kt__cpu_type;

/* ---- its reductions, and softmax ---- */
typedef struct kt__cpu_reductions {
    kt_status (*reduce)(const kt_plan *plan);
    bool      (*reduces)(kt_kernel_id kernel);      /* is there such a reduction? */
    kt_status (*softmax)(const kt_plan *plan);      /* and what flows back; NULL: floats alone have it */
} kt__cpu_reductions;

/* ---- its norms ---- */
typedef struct kt__cpu_norms {
    kt_status (*rows)(const kt_plan *plan);   /* layer_norm, rms_norm, and back */
    kt_status (*groups)(const kt_plan *plan); /* group_norm and those named so */
    kt_status (*distances)(const kt_plan *plan);
} kt__cpu_norms;

/* ---- kernels that move bytes and ask no type ---- */
typedef struct kt__cpu_bytes {
    kt_status (*copy)(const kt_plan *plan); /* same dtype, no bits */
    kt_status (*fill)(const kt_plan *plan); /* param[0] everywhere */
    kt_status (*eye)(const kt_plan *plan);
    kt_status (*band)(const kt_plan *plan); /* matrices between two diagonals */
} kt__cpu_bytes;

/* ---- what random kernels do with a row of draws ---- */
enum { KT__DRAW_TILE = 512 }; /* elements drawn at a time: a multiple of 16, since normals are made by sixteens */
typedef struct kt__cpu_draws {
    void (*uniform)(float *to, const uint32_t *raw, int n, uint32_t mask, float range, float from);
    void (*normal)(float *tile, int n, float mean, float std); /* n uniforms in, n normals out; n a multiple of 16 */
} kt__cpu_draws;

/* ---- the first of n numbers that is out of bounds; n: none ---- */
typedef struct kt__bounds {
    double  low, high, exempt; /* both ends belong to it; what equals `exempt` passes too, if it exempts anything */
    int64_t low_int, high_int, exempt_int;
    bool    exempts;
} kt__bounds;
typedef struct kt__cpu_bounds {
    int64_t (*f32)(const float *x, int64_t n, const kt__bounds *b);
    int64_t (*f64)(const double *x, int64_t n, const kt__bounds *b);
    int64_t (*i64)(const int64_t *x, int64_t n, const kt__bounds *b);
} kt__cpu_bounds;

/* ---- convolutions in float32 (window/direct.h): sums [rows, columns] += over k: weights [k, rows] times image[at[k]...] ---- */
typedef struct kt__stretch { /* sums of positions that lie side by side in the result */
    int64_t from, length, to;
} kt__stretch;

typedef struct kt__cpu_direct {
    int rows, columns;
    void (*tile)(float *sums, const float *weights, const float *image, const int64_t *at, int64_t k); /* NULL: there is none */
    /* of row r and position s.from + j, and bias[r * by_bias] if there is one, to out[r * by_row + s.to + j] */
    void (*write_rows)(const float *sums, const kt__stretch *s, int n, const float *bias, int64_t by_bias, int64_t rows,
                       float *out, int64_t by_row);
} kt__cpu_direct;

/* ---- those whose groups have one channel, where channels lie side by side (window/beside.c): n of them at a time ---- */
typedef struct kt__cpu_beside { /* make NULL: there is none */
    /* out[c] = bias[c], or 0, and the sum over t of weights[t][c] * seen[t][c] */
    void (*make)(float *out, const float *bias, const float *const *weights, const float *const *seen, int64_t taps, int64_t n);
    /* sums[t][c] += back[c] * seen[t][c] */
    void (*add)(float *const *sums, const float *back, const float *const *seen, int64_t taps, int64_t n);
} kt__cpu_beside;

/* ---- the same in bfloat16 (window/direct_bf16.h) ---- */
struct kt__cpu_direct_bf16;

/* ---- matrix products by packed panels (gemm/panels.h) ---- */
typedef void kt__pack_fn(void *panel, const void *matrix, int64_t by_row, int64_t by_k, int64_t rows, int64_t k);

typedef enum kt__pack_from { KT__PACK_SAME, KT__PACK_F16, KT__PACK_BF16, KT__PACK_FROM } kt__pack_from; /* dtype of the matrix */

typedef struct kt__cpu_panel { /* of one dtype; tiles NULL: there are none */
    int rows, columns;         /* of a tile: sides of the panels of a and b */
    int unit;                  /* k is padded to multiples of this */
    /* `rows` of k elements, at most the side, become a panel; one of the distances is 1; NULL: not from that dtype */
    kt__pack_fn *pack_a[KT__PACK_FROM], *pack_b[KT__PACK_FROM];
    /* c [count * rows, columns] = or += a b' of `count` panels of a, by_panel bytes apart, and one of b; k > 0. Meanwhile it asks
     * for `bytes` at `soon`, which are read next: memory that is there, since the processor looks long for other. */
    void (*tiles)(float *c, int64_t ldc, const void *a, int64_t by_panel, int64_t count, const void *b, int64_t k, bool adds,
                  const char *soon, int64_t bytes);
} kt__cpu_panel;

typedef struct kt__cpu_panels {
    kt__cpu_panel f32, bf16;
    /* c = alpha sums + beta c, of n float32s, or (narrow) bfloat16s; beta = 0: c is not read */
    void (*finish)(void *c, const float *sums, int64_t n, float alpha, float beta, bool narrow);
} kt__cpu_panels;

/* ---- pooling (window/pool.h) ---- */
struct kt__pool;
typedef void kt__pool_fn(struct kt__pool *p);

/* ---- steps of optimizers, in float32 and in float64 ---- */
typedef struct kt__cpu_steps {
    kt_status (*step)(const kt_plan *plan);
    kt_status (*unscale)(const kt_plan *plan);
    kt_status (*chain)(const kt_plan *plan, const kt__cpu_type *type);
} kt__cpu_steps;

/* ---- recurrent layers: floats alone have them ---- */
typedef struct kt__cpu_recurrences {
    kt_status (*run)(const kt_plan *plan);
} kt__cpu_recurrences;

/* ---- images resized, and sampled at places (resample/resample.h): floats alone have them ---- */
struct kt__resizing;
typedef struct kt__cpu_resamplers {
    kt_status (*resize)(const struct kt__resizing *r);
    kt_status (*sample)(const kt_plan *plan);
    kt_status (*sample_back)(const kt_plan *plan);
} kt__cpu_resamplers;

/* ---- Fourier transforms (fourier/fourier.h): floats alone have them ---- */
struct kt__cpu_fourier;

typedef struct kt__cpu_build {
    const char          *name;
    const kt__cpu_type  *type[KT_NUM_COMPUTE];
    const kt__cpu_reductions *reductions[KT_NUM_COMPUTE];
    const kt__cpu_bytes *bytes;
    const kt__cpu_draws *draws;
    const kt__cpu_bounds *bounds;
    kt__pool_fn *pools[KT_NUM_COMPUTE]; /* NULL: this type has none */
    const kt__cpu_direct *direct, *direct_row; /* direct_row: tiles of one row */
    const kt__cpu_beside *beside;
    const kt__cpu_panels *panels;
    const kt__cpu_norms *norms[2]; /* KT_IN_F32, KT_IN_F64 */
    const kt__cpu_steps  *steps[2]; /* of float32, of float64 */
    const kt__cpu_recurrences *recurrences[KT_NUM_COMPUTE];
    const kt__cpu_resamplers *resamplers[KT_NUM_COMPUTE];
    const struct kt__cpu_direct_bf16 *direct_bf16;
    const struct kt__cpu_fourier *fourier[2]; /* KT_IN_F32, KT_IN_F64 */
} kt__cpu_build;

#define KT__CPU_SYMBOL_(what, isa) kt__cpu_##what##_##isa
#define KT__CPU_SYMBOL(what, isa)  KT__CPU_SYMBOL_(what, isa)
#define KT__CPU_PART_(what, id, isa) kt__cpu_##what##_##id##_##isa
#define KT__CPU_PART(what, id, isa)  KT__CPU_PART_(what, id, isa)

extern const kt__cpu_build kt__cpu_builds[]; /* slowest first */
extern const int           kt__cpu_num_builds;

kt_status kt__cpu_run_with(const kt__cpu_build *build, const kt_plan *plan);

#endif
