/* backend.h - what a device must offer, and the plan it is handed. Versioned apart from the stable headers: a plugin is
 * refused unless it was built with the same KT_BACKEND_ABI and the same sizes of the structs below (kt_layout).
 *
 * A plan is a plain struct. It is what runs, and what lineage, audit, profiler and policy read. It holds no tensor: a
 * backend may copy it and run it later; the storages that it points into are freed through the same backend, in order. */
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

/* One kernel of the tables in src/tables/kernels. The number holds for one process: tables grow, and rows move. A plugin has no
 * number compiled into it; it asks for each by the kernel's name when it is opened (kt_host). What a name means does not change:
 * a kernel that comes to mean something else gets another name. */
typedef uint16_t kt_kernel_id;

/* Compute types: what an elementwise expression is evaluated in. ORDER COMPUTE. */
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

enum { KT_BIT_CONJ = 1, KT_BIT_NEG = 2 }; /* lazy conjugation and negation of an input, honoured in load */

typedef struct kt_operand {
    char    *data; /* address of the first element, in the backend's own memory; NULL for an immediate.
                      On the CPU, which takes memory of others, not always a multiple of the element's size */
    uint8_t  is;   /* kt_dtype: what the bytes are */
    uint8_t  as;   /* kt_dtype: what the operator must see (inputs), what it computed before the store (outputs) */
    uint8_t  why;  /* kt_reason: the true one, wherever is != as */
    uint8_t  bits; /* KT_BIT_* */
    uint8_t  immediate; /* the value is plan->imm[this operand], already in dtype `as` (is == as, every stride 0) */
    uint8_t  unused[3];
} kt_operand;

typedef struct kt_plan {
    const struct kt_row *row;  /* the operator that was called, never NULL: the outermost one, where it is made of others; in
                                  backward the one whose node runs, whatever its formula calls. A leaf's accumulator is no
                                  operator's and names what it does (copy, add) */
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
    /* Set for watchers and for devices that work late, and for no other. */
    uint32_t     site;         /* the line that made the call (plugin/site.h); 0: unknown */
    uint8_t      device_kind;  /* kt_device: where it runs, and where its operands are */
    uint8_t      from_kind, from_index; /* where its inputs are: on another device in a transfer, which is not handed to `run` */
    kt_generator *generator;   /* of random kernels, or NULL: locked while they run, valid during this run only */
    kt_operand   arg[KT_MAX_OPERANDS];
    kt_scalar    param[KT_MAX_PARAMS];
    union { unsigned char bytes[16]; double align[2]; } imm[KT_MAX_OPERANDS];
    int64_t      size[KT_MAX_DIMS];                      /* valid for [0, nd) */
    int64_t      stride[KT_MAX_OPERANDS][KT_MAX_DIMS];   /* in bytes; valid for [0, nd) */
} kt_plan;

/* Shapes of plans by family:
 *  elementwise   every operand over the same dims; a broadcast input has stride 0
 *  copy          out = in; a cast is in's `as`, the dtype of out: there is nothing between the two
 *  reductions    every output has stride 0 in the reduced dims, all in the same; arg: one or two outputs, then the input. An
 *                index counts row-major over the reduced dims in the plan's order; equal values give the first, and a NaN
 *                beats every number. compute is the type of the input's `as`. Outputs: indices and counts are int64, any
 *                and all bool or uint8, norm, var and std of complex numbers real. param: p of a norm, correction of var
 *                and std. Without any value sums, counts, norms and any give 0, prod and all 1, averages, var and std
 *                NaN; least and greatest are not asked for.
 *  scans         arg: one or two outputs, then the input, over the same dims; each element of the last dim, which is never
 *                collapsed, is made of those up to it. Sums, products and logarithms are carried in float64, int64 (which
 *                wraps) or complex128 and rounded as they are stored. A second output takes the index, int64, of the value
 *                in the last dim: of equal ones the later, and a NaN beats every number. The input may be the output.
 *                sort: the last dim in order, the values' own bytes; param[0]: 1 for the largest first. NaNs are the largest.
 *  matmul        dims are [batch..., m, n, k]; stride 0 where an operand lacks the dim; the last three are never collapsed.
 *                out[m, n] = beta * c[m, n] + alpha * sum over k of a[m, k] * b[k, n], each product and sum in the compute
 *                type, the result rounded once. arg: out, a, b and, where n_in is 3, c, which may be out itself, element
 *                for element. param: alpha, beta (n_param is 2), or none: both are 1. beta = 0: c is not read, so that
 *                its NaNs vanish; alpha = 0: a and b are not. numel counts the results: an empty k is an empty sum.
 *  band          dims are [batch..., rows, columns], never collapsed; the input may be the output
 *  indexing      arg: out, from, index (int32 or int64), over the same dims. take: out = from[index]; put, add, multiply,
 *                amax, amin: into out[index], where [index] means index times param[1] bytes further on; places of one index are
 *                met in row order. param[0]: indices lie below it; param[2]: twice the dimension's name, odd where
 *                negative ones count from the end; param[3]: kt__index_says. An index out of range is an error, and nothing
 *                is put then.
 *                offsets: arg out (int64), index: out += index * param[1]. masked put: arg out, from, mask (bool).
 *                nonzero: arg out, mask, a dense row-major one of the plan's dims (never collapsed); dim d of the k-th place
 *                goes to out + d * param[0] bytes + k * 8
 *  search        dims are [lines, n]; arg: out (int32 or int64), values, boundaries, all dense, the latter of param[0] elements
 *                a line (stride 0: one line for all). out: the first place whose boundary is not below the value, or with
 *                param[1] above it. A NaN is neither, or with param[2] above everything. A fourth operand, int64, names
 *                the boundaries in order.
 *  sort rows     dims are [rows, columns], dense; out: int64, which row comes where. Equals keep their order.
 *  ranges        arange, linspace, logspace: nd = 1; eye: nd = 2; never collapsed, the index is the dim's own */

/* How the structs of this header lie: what a plugin is asked before any of its code runs. */
typedef struct kt_layout {
    uint32_t abi;                          /* KT_BACKEND_ABI */
    uint32_t host, backend, plan, operand; /* sizes, in bytes */
} kt_layout;
#define KT_LAYOUT {KT_BACKEND_ABI, sizeof(kt_host), sizeof(kt_backend), sizeof(kt_plan), sizeof(kt_operand)}

typedef struct kt_backend kt_backend;
struct kt_backend {
    kt_layout   layout; /* KT_LAYOUT */
    const char *name;   /* "cpu", "meta", "cuda" */
    int         (*count)(kt_backend *self);                                        /* how many devices */
    kt_status   (*alloc)(kt_backend *self, int index, size_t bytes, void **data, size_t *granted);
    void        (*free)(kt_backend *self, int index, void *data, size_t granted);
    kt_status   (*run)(kt_backend *self, const kt_plan *plan);                     /* waits, unless `late` */
    kt_status   (*copy_in)(kt_backend *self, int index, void *to, const void *from_host, size_t bytes);
    kt_status   (*copy_out)(kt_backend *self, int index, void *to_host, const void *from, size_t bytes); /* waits */
    kt_status   (*sync)(kt_backend *self, int index);
    bool        (*has)(kt_backend *self, kt_kernel_id kernel, kt_compute compute); /* is there a kernel? */
    uint8_t     addressable; /* the host may read the memory directly (the CPU alone) */
    uint8_t     stores_nothing; /* meta: no bytes at all */
    uint8_t     late;           /* `run` may return before the work is done: plans then bear their site */
};

/* What a plugin may call. */
typedef struct kt_host {
    kt_status    (*fail)(kt_status code, const char *format, ...);
    kt_kernel_id (*kernel)(const char *name); /* 0: there is none, and the plugin that asks while it is opened is refused */
    const char  *(*kernel_name)(kt_kernel_id kernel); /* "?": there is none */
    kt_kernel_id kernels;                     /* every id lies below: the length of a table by id */
    kt_backend  *cpu;                         /* may run what the device cannot */
} kt_host;

/* A plugin is one definition: KT_PLUGIN(host) { ask host->kernel for the ids; return &my_backend; }. NULL: no backend, with the
 * reason told by host->fail. */
#define KT_PLUGIN(host)                                                                                                \
    KT_BEGIN                                                                                                           \
    KT_API extern const kt_layout kt_plugin_layout;                                                                    \
    KT_API kt_backend            *kt_plugin_open(const kt_host *host);                                                 \
    KT_END                                                                                                             \
    const kt_layout kt_plugin_layout = KT_LAYOUT;                                                                      \
    kt_backend     *kt_plugin_open(const kt_host *host)

/* ---- a plan that is kept ----
 * A plan has room for the largest call, 7 KiB, of which most calls use 200 bytes. A backend that runs late keeps those. */
typedef enum kt_packing { KT_PACK_COUNT, KT_PACK_IN, KT_PACK_OUT } kt_packing;

static inline size_t kt_plan_part(void *part, size_t bytes, char *packed, size_t at, kt_packing what)
{
    if (what == KT_PACK_IN)
        memcpy(packed + at, part, bytes);
    else if (what == KT_PACK_OUT)
        memcpy(part, packed + at, bytes);
    return at + bytes;
}

/* The parts in use, one after the other; the first says how many the others are. */
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

static inline size_t kt_plan_bytes(const kt_plan *plan) /* that kt_plan_pack fills */
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
KT_API kt_kernel_id kt_kernel_find(const char *name);       /* 0: there is no kernel of that name */
KT_API const char  *kt_kernel_name(kt_kernel_id kernel);    /* "?": there is no kernel of that id */
KT_API kt_status kt_backend_register(kt_backend *backend);  /* append-only */
KT_API kt_status kt_backend_load(const char *path);         /* dlopen a plugin and register what it offers */

KT_END
#endif
