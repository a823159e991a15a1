/* backend.h - the interface of a device, and the plan that it runs. Versioned apart from the stable headers: a plugin is
 * refused unless it was built with the same KT_BACKEND_ABI and the same sizes of the structs below (kt_layout).
 *
 * A plan is a plain struct. Devices run it; lineage, audit, profiler and policy read it. It holds no tensor, so a backend
 * may copy it and run it later: the storages it points into are freed through the same backend, in order. */
#ifndef KARAT_PLUGIN_BACKEND_H
#define KARAT_PLUGIN_BACKEND_H

#include <karat/dtype.h>
#include <karat/random.h>
#include <stddef.h>
#include <string.h>

KT_BEGIN

enum {
    KT_BACKEND_ABI  = 3,
    KT_MAX_DIMS     = 64,
    KT_MAX_OPERANDS = 12, /* outputs and inputs of one kernel call */
    KT_MAX_PARAMS   = 16  /* scalars of one kernel call: alpha, value, min, max, ... */
};

/* A kernel of the tables in src/tables/kernels. The number is valid for one process only, since the tables grow. A plugin
 * compiles in no numbers; it looks kernels up by name when it is opened (kt_host). The meaning of a name never changes: a
 * kernel whose meaning changes gets a new name. */
typedef uint16_t kt_kernel_id;

/* Compute types: the type in which an elementwise expression is evaluated. ORDER COMPUTE. */
typedef enum kt_compute {
    KT_IN_F32,
    KT_IN_F64,
    KT_IN_I32,
    KT_IN_I64,
    KT_IN_U64,
    KT_IN_C64,
    KT_IN_C128,
    KT_NUM_COMPUTE
} kt_compute;

enum { KT_BIT_CONJ = 1, KT_BIT_NEG = 2 }; /* lazy conjugation and negation of an input: applied when it is loaded */

typedef struct kt_operand {
    char    *data; /* address of the first element, in the backend's own memory; NULL for an immediate.
                      On the CPU the address may be unaligned: foreign memory (NumPy, DLPack) may begin anywhere */
    uint8_t  is;   /* kt_dtype of the bytes in memory */
    uint8_t  as;   /* kt_dtype that the operator sees (inputs) or has computed, before the store converts it (outputs) */
    uint8_t  why;  /* kt_reason of the conversion, if is != as */
    uint8_t  bits; /* KT_BIT_* */
    uint8_t  immediate; /* the value is plan->imm[this operand], already in dtype `as` (is == as, every stride 0) */
    uint8_t  unused[3];
} kt_operand;

typedef struct kt_plan {
    const struct kt_row *row;  /* the operator that the user called (the outermost one), never NULL; in backward the one whose
                                  node runs, whatever its formula calls. A leaf's accumulator belongs to no operator: its
                                  plans name what they do (copy, add) */
    kt_kernel_id kernel;
    uint8_t      compute;      /* kt_compute */
    uint8_t      n_out, n_in;  /* operands: outputs first, then inputs */
    uint8_t      n_param;
    uint8_t      nd;           /* dims after collapsing, outer to inner; 0 means one element */
    uint8_t      device_index;
    uint8_t      contiguous;   /* nd <= 1 and every operand dense or of stride 0 */
    uint8_t      rounding;     /* kt_rounding, for copies */
    uint8_t      origin;       /* input whose dtype decided the result's (lineage); 0xff: none */
    int64_t      numel;        /* product of the sizes */
    uint64_t     seed;         /* stochastic rounding */
    /* Set only if there are watchers or the device is `late`. */
    uint32_t     site;         /* the line that made the call (plugin/site.h); 0: unknown */
    uint8_t      device_kind;  /* kt_device: where it runs */
    uint8_t      from_kind, from_index; /* where its inputs are; differs in a transfer, which watchers see but `run` does not */
    kt_generator *generator;   /* random kernels only, else NULL: locked while the kernel runs, valid for this run */
    kt_operand   arg[KT_MAX_OPERANDS];
    kt_scalar    param[KT_MAX_PARAMS];
    union { unsigned char bytes[16]; double align[2]; } imm[KT_MAX_OPERANDS];
    int64_t      size[KT_MAX_DIMS];                      /* valid for [0, nd) */
    int64_t      stride[KT_MAX_OPERANDS][KT_MAX_DIMS];   /* in bytes; valid for [0, nd) */
} kt_plan;

/* Shapes of plans by family:
 *  elementwise   every operand over the same dims; a broadcast input has stride 0
 *  copy          out = in; the input's `as` is the dtype of out, so that the cast happens on load
 *  reductions    every output has stride 0 in the reduced dims; arg: one or two outputs, then the input. An index counts
 *                row-major over the reduced dims in the plan's order; of equal values the first wins, and a NaN beats every
 *                number. compute is the type of the input's `as`. Outputs: indices and counts are int64, any and all are bool
 *                or uint8, norm, var and std of complex numbers are real. param: p of a norm, correction of var and std.
 *                Over no elements: sums, counts, norms and any give 0, prod and all give 1, averages, var and std give NaN;
 *                minimum and maximum are never run on no elements.
 *  scans         arg: one or two outputs, then the input, over the same dims; each output element is computed from the input
 *                elements up to it in the last dim, which is never collapsed. Sums, products and logarithms accumulate in
 *                float64, int64 (which wraps) or complex128 and are rounded when stored. A second output is the int64 index of
 *                the value in the last dim: of equal values the last wins, and a NaN beats every number. The input may be the
 *                output. sort: along the last dim, moves bytes; param[0] = 1: descending. NaN sorts as the largest.
 *  matmul        dims are [batch..., m, n, k]; stride 0 where an operand lacks the dim; the last three are never collapsed.
 *                out[m, n] = beta * c[m, n] + alpha * sum over k of a[m, k] * b[k, n], each product and sum in the compute
 *                type, the result rounded once. arg: out, a, b and, if n_in is 3, c, which may be out itself, element for
 *                element. param: alpha, beta (n_param is 2), or none: both are 1. beta = 0: c is not read, so that its NaNs do
 *                not spread; alpha = 0: a and b are not read. numel counts the results: with k = 0 every sum is empty.
 *  band          dims are [batch..., rows, columns], never collapsed; the input may be the output
 *  indexing      arg: out, from, index (int32 or int64), over the same dims. take: out = from[index]; put, add, multiply, amax,
 *                amin: into out[index], where [index] adds index * param[1] bytes to the address; duplicates are written in
 *                row order. param[0]: upper bound of the indices; param[2]: twice the dim that errors name, plus 1 if negative
 *                indices count from the end; param[3]: kt__index_says. An index out of range is an error, and nothing is
 *                written then.
 *                offsets: arg out (int64), index: out += index * param[1]. masked put: arg out, from, mask (bool).
 *                nonzero: arg out, mask, which is dense and row-major over the plan's dims (never collapsed); coordinate d of
 *                the k-th nonzero element goes to out + d * param[0] bytes + k * 8
 *  search        dims are [lines, n]; arg: out (int32 or int64), values, boundaries, all dense; boundaries has param[0] elements
 *                per line (stride 0: one line for all). out: the index of the first boundary that is >= the value, or, with
 *                param[1], > the value. A NaN compares false, or, with param[2], as larger than everything. A fourth operand,
 *                int64: the order (sorter) of the boundaries.
 *  sort rows     dims are [rows, columns], dense; out: int64, the permutation that sorts the rows. Stable.
 *  ranges        arange, linspace, logspace: nd = 1; eye: nd = 2; never collapsed: the value follows from the index */

/* The sizes of this header's structs: checked before any code of a plugin runs. */
typedef struct kt_layout {
    uint32_t abi;                          /* KT_BACKEND_ABI */
    uint32_t host, backend, plan, operand; /* sizes, in bytes */
} kt_layout;
#define KT_LAYOUT {KT_BACKEND_ABI, sizeof(kt_host), sizeof(kt_backend), sizeof(kt_plan), sizeof(kt_operand)}

typedef struct kt_backend kt_backend;
struct kt_backend {
    kt_layout   layout; /* KT_LAYOUT */
    const char *name;   /* "cpu", "meta", "cuda" */
    int         (*count)(kt_backend *self);                                        /* number of devices */
    kt_status   (*alloc)(kt_backend *self, int index, size_t bytes, void **data, size_t *granted);
    void        (*free)(kt_backend *self, int index, void *data, size_t granted);
    /* returns when the work is done, unless `late` */
    kt_status   (*run)(kt_backend *self, const kt_plan *plan);
    kt_status   (*copy_in)(kt_backend *self, int index, void *to, const void *from_host, size_t bytes);
    kt_status   (*copy_out)(kt_backend *self, int index, void *to_host, const void *from, size_t bytes); /* waits */
    kt_status   (*sync)(kt_backend *self, int index);
    bool        (*has)(kt_backend *self, kt_kernel_id kernel, kt_compute compute); /* does it have the kernel? */
    uint8_t     addressable; /* the host can read the memory directly (only the CPU) */
    uint8_t     stores_nothing; /* meta: no bytes at all */
    uint8_t     late;           /* `run` may return before the work is done; plans then contain their site */
};

/* What a plugin may call. */
typedef struct kt_host {
    kt_status    (*fail)(kt_status code, const char *format, ...);
    kt_kernel_id (*kernel)(const char *name); /* 0: unknown; a plugin that asks for it while it is opened is refused */
    const char  *(*kernel_name)(kt_kernel_id kernel); /* "?": unknown */
    kt_kernel_id kernels;                     /* all ids are smaller: the length of a table indexed by id */
    kt_backend  *cpu;                         /* to run what the device cannot */
} kt_host;

/* A plugin is one definition: KT_PLUGIN(host) { look the ids up with host->kernel; return &my_backend; }. It returns NULL after
 * host->fail if there is no backend. */
#define KT_PLUGIN(host)                                                                                                \
    KT_BEGIN                                                                                                           \
    KT_API extern const kt_layout kt_plugin_layout;                                                                    \
    KT_API kt_backend            *kt_plugin_open(const kt_host *host);                                                 \
    KT_END                                                                                                             \
    const kt_layout kt_plugin_layout = KT_LAYOUT;                                                                      \
    kt_backend     *kt_plugin_open(const kt_host *host)

/* ---- packed plans ----
 * A plan has room for the largest call, 7 KiB; most calls use 200 bytes of it. A late backend keeps only those. */
typedef enum kt_packing { KT_PACK_COUNT, KT_PACK_IN, KT_PACK_OUT } kt_packing;

static inline size_t kt_plan_part(void *part, size_t bytes, char *packed, size_t at, kt_packing what)
{
    if (what == KT_PACK_IN)
        memcpy(packed + at, part, bytes);
    else if (what == KT_PACK_OUT)
        memcpy(part, packed + at, bytes);
    return at + bytes;
}

/* The parts in use, one after the other; the first contains the lengths of the others. */
static inline size_t kt_plan_parts(kt_plan *plan, char *packed, kt_packing what)
{
    size_t       at = kt_plan_part(plan, offsetof(kt_plan, arg), packed, 0, what);
    const size_t n = (size_t)(plan->n_out + plan->n_in), row = plan->nd * sizeof plan->size[0];
    at = kt_plan_part(plan->arg, n * sizeof plan->arg[0], packed, at, what);
    at = kt_plan_part(plan->param, plan->n_param * sizeof plan->param[0], packed, at, what);
    at = kt_plan_part(plan->imm, n * sizeof plan->imm[0], packed, at, what);
    at = kt_plan_part(plan->size, row, packed, at, what);
    for (size_t i = 0; i < n; i++)
        at = kt_plan_part(plan->stride[i], row, packed, at, what);
    return at;
}

static inline size_t kt_plan_bytes(const kt_plan *plan) /* size of the packed plan */
{
    return kt_plan_parts((kt_plan *)(uintptr_t)plan, NULL, KT_PACK_COUNT);
}

static inline void kt_plan_pack(void *packed, const kt_plan *plan)
{
    kt_plan_parts((kt_plan *)(uintptr_t)plan, (char *)packed, KT_PACK_IN);
}

static inline void kt_plan_unpack(kt_plan *plan, const void *packed)
{
    kt_plan_parts(plan, (char *)(uintptr_t)packed, KT_PACK_OUT);
}

/* ---- the registries ---- */
KT_API kt_kernel_id kt_kernel_find(const char *name);       /* 0: no such kernel */
KT_API const char  *kt_kernel_name(kt_kernel_id kernel);    /* "?": no such kernel */
KT_API kt_status kt_backend_register(kt_backend *backend);  /* append-only */
KT_API kt_status kt_backend_load(const char *path);         /* dlopen a plugin and register what it offers */

KT_END
#endif
