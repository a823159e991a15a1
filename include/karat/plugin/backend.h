/* backend.h - the interface of a device, and the plan that it runs. Versioned apart from the stable headers: a plugin is
 * refused unless it was built with the same KT_BACKEND_ABI and the same sizes of the structs below (kt_layout).
 *
 * A plan is a plain struct. Devices run it; lineage, audit, profiler and policy read it. It holds no tensor, so a backend
 * may copy it and run it later: the storages it points into are freed through the same backend, in order. */
#ifndef KARAT_PLUGIN_BACKEND_H
#define KARAT_PLUGIN_BACKEND_H

#include <karat/device.h>
#include <karat/dtype.h>
#include <karat/plugin/fault.h>
#include <karat/random.h>
#include <stddef.h>
#include <string.h>

KT_BEGIN

enum {
    KT_BACKEND_ABI  = 9,
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

typedef uint64_t kt_handle; /* a backend's own name of a stream or event; stream 0: the device's default stream */

#define KT_DECLINED ((kt_status)1) /* of kt_backend.run; not an error */

enum { KT_BIT_CONJ = 1, KT_BIT_NEG = 2 }; /* lazy conjugation and negation of an input: applied when it is loaded */

typedef struct kt_operand {
    char    *data; /* address of the first element, in the backend's own memory; NULL for an immediate.
                      On the CPU the address may be unaligned: foreign memory (NumPy, DLPack) may begin anywhere */
    uint8_t  is;   /* kt_dtype of the bytes in memory */
    uint8_t  as;   /* kt_dtype that the operator sees (inputs) or has computed, before the store converts it (outputs) */
    uint8_t  why;  /* kt_reason of the conversion, if is != as */
    uint8_t  bits; /* KT_BIT_* */
    uint8_t  immediate; /* the value is plan->imm[this operand], in dtype `is`, and every stride is 0: a number (is == as), or a
                           0-dim CPU tensor, which is converted like an element in memory, lazy bits included */
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
    uint8_t      tf32;         /* products and convolutions of a device but the CPU: float32 may be rounded to TF32 before it is
                                  multiplied; the same of complex64's parts. Set when the plan is launched */
    int64_t      numel;        /* product of the sizes */
    uint64_t     seed;         /* stochastic rounding; random kernels of a device with generators of its own */
    uint64_t     offset;       /* of such a random kernel alone: where its draws begin (kt_backend.draws). In a capture they are
                                  counted from the capture's begin, and a replay adds where it begins */
    kt_handle    stream;       /* set unless the device is the CPU or meta */
    /* Set only if there are watchers or the device is `late`. */
    uint32_t     site;         /* the line that made the call (plugin/site.h); 0: unknown */
    uint8_t      device_kind;  /* kt_device: where it runs */
    uint8_t      from_kind, from_index; /* where its inputs are; differs in a transfer, which watchers see but `run` does not */
    kt_generator *generator;   /* random kernels that the CPU runs, else NULL: locked while the kernel runs, valid for this run */
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
 *                A third param (n_param is 3): each result becomes 1 relu, 2 gelu, 3 gelu by tanh of itself.
 *  band          dims are [batch..., rows, columns], never collapsed; the input may be the output
 *  indexing      arg: out, from, index (int32 or int64), over the same dims. take: out = from[index]; put, add, multiply, amax,
 *                amin: into out[index], where [index] adds index * param[1] bytes to the address; duplicates are written in
 *                row order, by a device in any order. param[0]: upper bound of the indices; param[2]: twice the dim that errors
 *                name, plus 1 if negative indices count from the end; param[3]: kt_fault_kind; param[4]: bytes from the address
 *                of what is indexed to the end of its memory. An index out of range is a fault {param[3], dim, index,
 *                param[0]}. The CPU then writes nothing; a device that checks while it writes leaves that element as it is
 *                (offsets: adds nothing, so that no address outside the tensor results).
 *                offsets: arg out (int64), index: out += index * param[1]. masked put: arg out, from, mask (bool).
 *                nonzero: arg out, mask, which is dense and row-major over the plan's dims (never collapsed); coordinate d of
 *                the k-th nonzero element goes to out + d * param[0] bytes + k * 8; there are param[1] of them
 *  search        dims are [lines, n]; arg: out (int32 or int64), values, boundaries, all dense; boundaries has param[0] elements
 *                per line (stride 0: one line for all). out: the index of the first boundary that is >= the value, or, with
 *                param[1], > the value. A NaN compares false, or, with param[2], as larger than everything. A fourth operand,
 *                int64: the order (sorter) of the boundaries.
 *  sort rows     dims are [rows, columns], dense; out: int64, the permutation that sorts the rows. Stable.
 *  checks        no output (n_out is 0); arg: one or two real inputs over the same dims. Nothing is written: the kernel
 *                succeeds or reports a fault. check_range: param[0] <= element <= param[1], or the element is param[4] (if
 *                n_param is 5); a NaN fails. The fault: {param[2] of the first input, param[3] of the second; the element, if it
 *                is an integer; size: param[1] + 1}. The CPU reports the first element in row-major order, of two at one place
 *                the first input's; a device may report any. check_fits: the dtype param[0] holds every element (kt_scalar_fits,
 *                and no finite number beyond a narrow float's largest); the fault is KT_FAULT_OVERFLOW of that dtype
 *  windows       operands have different sizes: size[] holds the dims of operand 0, then those of operand 1, and so on; an
 *                operand has strides in its own block of dims only. An image is [batch, channel, dims in space], a weight
 *                [channels of the result, channels of a group, dims in space], a bias [channels]. param[0]: the number of
 *                dims in space; then, three of each, their stride, padding and dilation; param[10]: groups. Position p of
 *                the result reads the elements p * stride - padding + k * dilation, k < size of the weight; beyond the image
 *                stand zeros. Pooling: param[0]: the number of dims in space; then, three of each, kernel, stride, padding and
 *                dilation; a kernel of 0: window i of n sees the elements [floor(i * size / n), ceil((i + 1) * size / n)).
 *                param[13]: an average counts the padding; param[14]: it divides by this one, if that is not 0. Of equal numbers
 *                the first is the largest; a NaN beats every number, the last beats all. Index -1: a window that saw nothing
 *  resampling    operands have different sizes, as those of windows. resample: out, in: images. param[0]: the number of dims in
 *                space; param[1]: the filter, nearest, nearest exact, linear or cubic; param[2]: bits of
 *                tables/kernels/resample.h; then, of each dim in space, what its size was multiplied by, or 0: its sizes say it.
 *                grid_sample: out: image; in: image, grid [batch, dims in space, coordinates], the coordinate of the last dim
 *                first, -1 and 1 at the ends of the image. param[0]: the number of dims in space; param[1]: bilinear, nearest,
 *                bicubic; param[2]: what stands beyond the image, zeros, the border, or its reflection; param[3]: the ends are
 *                centres of elements, not their outer borders. What flows back: out: to the image, to the grid (bits of param[4]
 *                say which there are); in: what flowed back, image, grid
 *  fourier       dims are [lines..., n out, n in]; an operand has stride 0 in the other's length. arg: out, in, complex both, or
 *                one of them real. param[0]: points n of the transform; param[1]: what results are multiplied by; param[2]: 1:
 *                the inverse. Complex to complex: n out = n in = n. Real to complex: n in = n, and n out = n, or n / 2 + 1, the
 *                first half. Complex to real, always the inverse: n in = n / 2 + 1, n out = n; of the first number, and of an
 *                even n the last, the imaginary part does not count. The input may be the output where lengths are equal
 *  steps         the steps of optimizers. Outputs are read and written; arrays over the same dims come first: parameter, states,
 *                gradient, which is an output if it is unscaled. Then, with stride 0, of which the first element is read: how
 *                many steps were made (not sgd), the learning rate, what the gradient is divided by, and whether an infinity was
 *                found: with 1 nothing is written. param[0]: bits of tables/kernels/optimizer.h, which say what there is;
 *                param[1]: the learning rate, if it is no operand; adam: beta1, beta2, weight_decay, eps; sgd: weight_decay,
 *                momentum, dampening; adagrad: lr_decay, weight_decay, eps. Numbers that follow from these are calculated in
 *                float64. unscale: gradient, and a float32 of stride 0 that becomes 1 if an element was not finite; in: the
 *                factor. update_scale: one element each, a float32 scale, an int32 count; in: was an infinity found?
 *                param: growth, backoff, interval. chain: elementwise kernels one after the other on every element; arrays over
 *                the same dims, of one dtype, outputs read and written. param[i].v.i: link i, 0 ends them; param[i].im: number
 *                i (tables/kernels/optimizer.h). After each link its result is rounded to the arrays' dtype
 *  ranges        arange, linspace, logspace: nd = 1; eye: nd = 2; never collapsed: the value follows from the index */

/* Faults: what a kernel finds wrong in values (fault.h). Index kernels and checks are told by a parameter which it is. Others
 * choose: integer division and remainder KT_FAULT_DIVISION; bernoulli_tensor, poisson and multinomial those named after them. A
 * device records {kind, dim, value, size} with row and site of the plan, and hands them over by kt_host.fail_late. */

/* The sizes of this header's structs: checked before any code of a plugin runs. */
typedef struct kt_layout {
    uint32_t abi;                          /* KT_BACKEND_ABI */
    uint32_t host, backend, plan, operand, transfer, late_error; /* sizes, in bytes */
} kt_layout;
#define KT_LAYOUT                                                                                                               \
    {KT_BACKEND_ABI, sizeof(kt_host), sizeof(kt_backend), sizeof(kt_plan), sizeof(kt_operand), sizeof(kt_transfer),            \
     sizeof(kt_late_error)}

/* Bytes from one place to another, at least one of them on the backend that is asked. */
enum { KT_HOST = -1 }; /* an index: host memory */
typedef struct kt_transfer {
    void       *to;
    const void *from;
    size_t      bytes;
    int         to_index, from_index; /* a device of this backend, or KT_HOST */
    kt_handle   stream; /* of the device that is not the host; between two devices: of `from_index` */
    uint8_t     pinned; /* the host's side is memory of host_alloc */
    uint8_t     wait;   /* return when the bytes have arrived. Else host memory that is not pinned must have been read when
                           `copy` returns, and pinned memory is read or written in the order of the stream */
} kt_transfer;

typedef struct kt_backend kt_backend;

/* Streams and events of a device. A stream is a queue: work of one stream runs in order, of two in any order but for events.
 * Each function that makes the host wait is called with the binding's lock released. */
typedef struct kt_stream_calls {
    kt_status (*make)(kt_backend *self, int index, int priority, kt_handle *made);
    void      (*drop)(kt_backend *self, int index, kt_handle stream); /* its work is done nevertheless */
    kt_status (*idle)(kt_backend *self, int index, kt_handle stream, bool *idle); /* is all its work done? */
    kt_status (*wait)(kt_backend *self, int index, kt_handle stream); /* the host waits for all its work */
    kt_status (*event_make)(kt_backend *self, int index, bool timed, kt_handle *made);
    void      (*event_drop)(kt_backend *self, int index, kt_handle event);
    kt_status (*event_record)(kt_backend *self, int index, kt_handle event, kt_handle stream); /* again: replaces the first */
    kt_status (*event_done)(kt_backend *self, int index, kt_handle event, bool *done); /* never recorded: done */
    kt_status (*event_wait)(kt_backend *self, int index, kt_handle event); /* the host waits */
    kt_status (*event_gate)(kt_backend *self, int index, kt_handle event, kt_handle stream); /* later work of the stream waits;
                                                                   index: the stream's device, which may not be the event's */
    kt_status (*event_elapsed)(kt_backend *self, int index, kt_handle from, kt_handle to, double *milliseconds);
} kt_stream_calls;

/* Work recorded once and run again. Between begin and end the stream's work is recorded, not done; so is the work of streams
 * that wait for an event of it. Memory that was allocated meanwhile lives until the graph is dropped. */
typedef struct kt_capture_calls {
    kt_status (*begin)(kt_backend *self, int index, kt_handle stream);
    kt_status (*end)(kt_backend *self, int index, kt_handle stream, kt_handle *graph); /* *graph 0: the capture has failed */
    kt_status (*replay)(kt_backend *self, int index, kt_handle graph, kt_handle stream, uint64_t seed, uint64_t offset);
    void      (*drop)(kt_backend *self, int index, kt_handle graph);
} kt_capture_calls;

/* What only the backend knows of a device's memory. The engine itself counts what tensors use. */
typedef struct kt_backend_memory {
    size_t free, total;             /* of the device */
    size_t reserved, reserved_peak; /* taken from the device, in use or kept for later */
} kt_backend_memory;
typedef struct kt_memory_calls {
    kt_status (*ask)(kt_backend *self, int index, kt_backend_memory *out);
    kt_status (*empty)(kt_backend *self, int index);               /* gives back what is kept for later; may wait */
    kt_status (*limit)(kt_backend *self, int index, size_t bytes); /* `alloc` fails beyond; SIZE_MAX: no limit */
    kt_status (*reset_peaks)(kt_backend *self, int index);
    /* May be NULL: its memory has no pools. */
    kt_status (*pools)(kt_backend *self, int index, kt_memory_pools *out); /* but for its first two fields */
    void      (*reset_totals)(kt_backend *self, int index);
} kt_memory_calls;

struct kt_backend {
    kt_layout   layout; /* KT_LAYOUT */
    const char *name;   /* "cpu", "meta", "cuda" */
    int         (*count)(kt_backend *self);                                        /* number of devices */
    /* The memory belongs to the stream: it is for work of that stream, and of others that have been ordered after it. */
    kt_status   (*alloc)(kt_backend *self, int index, kt_handle stream, size_t bytes, void **data, size_t *granted);
    /* Frees it after the work that was launched so far on its stream and on those that `used_on` named. */
    void        (*free)(kt_backend *self, int index, void *data, size_t granted);
    /* Launches a plan on plan->stream, or does it at once, unless `late`. KT_DECLINED: this plan must run on the CPU. */
    kt_status   (*run)(kt_backend *self, const kt_plan *plan);
    kt_status   (*copy)(kt_backend *self, const kt_transfer *copy);
    kt_status   (*sync)(kt_backend *self, int index); /* the host waits for all streams of the device */
    bool        (*has)(kt_backend *self, kt_kernel_id kernel, kt_compute compute); /* asked once, when it is registered */
    uint8_t     addressable;    /* the host can read the memory directly (only the CPU) */
    uint8_t     stores_nothing; /* meta: no bytes at all */
    uint8_t     late;           /* `run` may return before the work is done; plans then contain their site. If work has failed,
                                   the next call of run, copy, sync or a wait hands that back by kt_host.fail_late and takes
                                   no new work; the device stays usable. Of several the first is enough: the others may
                                   follow from it */
    uint8_t     dlpack;         /* the device type in DLPack (2: CUDA, 12: other); 0: not exchanged */
    /* What follows may be NULL: the device lacks it. */
    void        (*used_on)(kt_backend *self, int index, void *data, kt_handle stream); /* also for memory of host_alloc */
    kt_status   (*host_alloc)(kt_backend *self, size_t bytes, void **data, size_t *granted); /* pinned host memory */
    void        (*host_free)(kt_backend *self, void *data, size_t granted); /* after the work of streams that `used_on` named */
    /* The device draws by itself from {seed, offset} (Philox): by how much does this plan move the offset? A multiple of 4. NULL:
     * random kernels run on the CPU and their results are copied. */
    uint64_t    (*draws)(kt_backend *self, const kt_plan *plan);
    kt_status   (*facts)(kt_backend *self, int index, kt_device_properties *out); /* all but `size`, which were 0 */
    /* What it works with, for people: a line for each library, its version and file. It may open them. */
    void        (*about)(kt_backend *self, int index, char *text, size_t room);
    /* Launches the first plans of a list together, as many as it wants to: *taken of them, 0: none, so that the first is to be
     * run by itself. The n plans stand packed, one behind the other; all are of one device and stream, none has lazy bits in its
     * output, and none writes what another reads or writes. After an error none of them need have run. */
    kt_status   (*run_list)(kt_backend *self, const void *plans, int64_t n, int64_t *taken);
    /* As `run`, of a fill of all of a new block of `alloc` whose address nobody knows: it may be done when the bytes are asked
     * for. NULL: `run` does it. */
    kt_status   (*fill_new)(kt_backend *self, const kt_plan *plan);
    const kt_stream_calls  *streams;
    const kt_capture_calls *captures;
    const kt_memory_calls  *memory;
    /* Filled in when it is registered. */
    const uint8_t *kernels; /* by kernel: bits of kt_compute that `has` confirmed; NULL for the CPU and meta, which have all */
};

/* Work that failed after its launch: a fault, from which the engine makes status and text, or these two themselves. */
typedef struct kt_late_error {
    const kt_fault      *fault; /* NULL: code and text say it */
    kt_status            code;
    const char          *text;
    const struct kt_row *row;  /* of the plan; NULL: not of a plan */
    uint32_t             site; /* of the plan */
    int32_t              device_code; /* what the device's runtime calls it: kt_error_device_code. 0: not its error */
} kt_late_error;

/* What a plugin may call. */
typedef struct kt_host {
    kt_status    (*fail)(kt_status code, const char *format, ...);
    kt_status    (*fail_late)(const kt_late_error *error); /* its text, then "launched at train.py:41" */
    const char  *(*error)(void);  /* the text of this thread's pending error */
    void         (*clear)(void);  /* and forgets it */
    kt_kernel_id (*kernel)(const char *name); /* 0: unknown; a plugin that asks for it while it is opened is refused */
    const char  *(*kernel_name)(kt_kernel_id kernel); /* "?": unknown */
    kt_kernel_id kernels;                     /* all ids are smaller: the length of a table indexed by id */
    kt_backend  *cpu;                         /* to run what the device cannot */
    bool         (*deterministic)(void);      /* the user wants the same bits at every run, whatever that costs */
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
    char       *to = what == KT_PACK_IN ? packed + at : (char *)part;
    const char *from = what == KT_PACK_IN ? (const char *)part : packed + at;
    if (what == KT_PACK_COUNT)
        return at + bytes;
    for (size_t i = 0; i < bytes; i += 8) { /* one memcpy of whole words becomes an instruction that takes long to begin */
        uint64_t word;
        memcpy(&word, from + i, 8);
        __asm__("" : "+r"(word));
        memcpy(to + i, &word, 8);
    }
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
