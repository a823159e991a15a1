/* args.h - what a launch hands to a kernel, and the kernels that there are: read by the C compiler and by nvcc.
 *
 * A plan never goes to the device; launch.c makes one of these blocks of it. Independent of: plans, streams, memory. */
#ifndef KARAT_CUDA_ARGS_H
#define KARAT_CUDA_ARGS_H

#include <karat/dtype.h>
#include <karat/plugin/fault.h>

enum {
    ARG_OPERANDS = 4, /* the output, then up to three inputs */
    ARG_DIMS = 8,     /* a plan of more is launched piece by piece */
    ARG_PARAMS = 4,   /* p0 to p3 of the tables */
    ARG_THREADS = 256,
    ROW_ELEMENTS = 8, /* of a thread of an elementwise kernel, if all operands are dense; else a vector: */
    ROW_VECTOR = 4,
    CAST_STEPS = 2,   /* vectors of a thread of a cast */
    READ_BYTES = 64   /* a read of so many bytes or fewer goes through a slot that the host looks at */
};

/* Where a launch that can fail tells what it found. Each has a number, and by it a place: the first of its threads that fails
 * claims it in the device's memory, since atomic operations do not reach the host's on every machine, and writes there. */
enum { FAULT_PLACES = 4096 };
typedef struct fault_record {
    uint64_t launch;
    kt_fault fault;
} fault_record;
typedef struct fault_board {
    volatile uint64_t latest; /* the number of a launch that failed; the host takes it away */
    fault_record      at[FAULT_PLACES];
} fault_board;
typedef struct fault_place {
    uint64_t     launch;  /* its number, from 1 */
    uint64_t    *claimed; /* by launch, in the device's memory */
    fault_board *board;   /* in the host's */
} fault_place;

typedef struct operand_arg {
    char   *data;  /* NULL: the value stands in `value` */
    uint8_t is;    /* kt_dtype */
    uint8_t width; /* bytes of an element */
    uint8_t same;  /* one value for all elements */
    uint8_t whole; /* dense, in the innermost dim, and aligned for vectors */
    uint8_t bits;  /* KT_BIT_*, of casts alone */
    uint8_t unused[3];
    unsigned char value[16];
} operand_arg;

/* A launch over n elements, each operand dense or of one value. */
typedef struct launch_args {
    uint64_t     n;
    operand_arg  at[ARG_OPERANDS];
    uint64_t     param[ARG_PARAMS]; /* bits of the compute type */
    fault_place  fault;
} launch_args;

/* A launch over n vectors of any layout. */
typedef struct strided_args {
    launch_args flat;
    uint32_t    nd;
    uint32_t    vector;         /* 1 or ROW_VECTOR elements, along the innermost dim */
    int64_t     step[ARG_OPERANDS]; /* within a vector, in bytes */
    uint32_t    size[ARG_DIMS]; /* inner to outer; the innermost in vectors */
    int64_t     stride[ARG_OPERANDS][ARG_DIMS];
} strided_args;

typedef struct fill_args {
    unsigned char pattern[16]; /* aligned, since it stands first */
    char         *to;
    uint64_t      bytes;
} fill_args;

/* The last parameter of checks: the faults of the inputs, whether there is an exempt value, how many inputs. */
#define CHECK_SAYS(first, second, exempts, inputs)                                                                         \
    ((uint64_t)(first) | (uint64_t)(second) << 16 | (uint64_t)(exempts) << 32 | (uint64_t)(inputs) << 40)
#define CHECK_FAULT(says, input) ((int32_t)((says) >> 16 * (input)&0xffff))
#define CHECK_EXEMPTS(says)      ((says) >> 32 & 1)
#define CHECK_INPUTS(says)       ((int)((says) >> 40))

/* A draw: `threads` threads, four numbers a step. In a graph seed and offset are those of the replay. */
enum { DRAW_THREADS = ARG_THREADS, DRAWS = 4 }; /* 256 is PyTorch's too, or the numbers would differ */
typedef struct draw_args {
    char           *to;
    uint64_t        n, threads;
    uint64_t        seed, offset;
    const uint64_t *replay; /* {seed, offset} to be added to; NULL: not in a graph */
    double          param[2];
    int64_t         least;
    uint64_t        many;
} draw_args;

/* The host looks at `turn` until it is the one that it waits for. */
typedef struct read_slot {
    unsigned char     bytes[READ_BYTES];
    volatile uint64_t turn;
} read_slot;
typedef struct read_args {
    const char *from;
    uint32_t    bytes;
    read_slot  *slot;
    uint64_t    turn;
} read_args;

/* A row of tables/kernels in one compute type: a kernel for dense operands, one for any layout. */
typedef struct row_kernels {
    const char *name;
    const void *flat, *strided; /* NULL: not in this compute type */
    uint8_t     inputs;
    uint8_t     divides; /* finds KT_FAULT_DIVISION */
} row_kernels;
typedef struct row_table {
    const row_kernels *row;    /* to a name that is NULL */
    kt_dtype           self;   /* the dtype whose values are those of the compute type */
    int                vector; /* elements that its kernels for dense operands load at once */
    uint32_t           reads, writes; /* bits of the dtypes that the kernels know */
} row_table;

#ifdef __cplusplus
extern "C" {
#endif
extern const row_table   rows_f32, rows_i32, rows_i64;
extern const void *const cast_kernels[][KT_NUM_DTYPES]; /* [from][to]: dense */
extern const void *const cast_any_kernels[];            /* [from]: any layout, any target */
extern const void *const fill_kernel, *const read_kernel;
extern const void *const uniform_kernel, *const bernoulli_kernel, *const random_int_kernel;
/* Inputs alone. param: low, high, exempt, as double or int64; then CHECK_*. */
extern const void *const check_float_kernel, *const check_int_kernel;
#ifdef __cplusplus
}
#endif

#endif
