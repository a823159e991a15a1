/* args.h - what a launch hands to a kernel, and the kernels that there are: read by the C compiler and by nvcc.
 *
 * A plan never goes to the device; launch.c makes one of these blocks of it. Independent of: plans, streams, memory. */
#ifndef KARAT_CUDA_ARGS_H
#define KARAT_CUDA_ARGS_H

#include <karat/dtype.h>
#include <karat/plugin/fault.h>

#include "math/taps.h"

/* What a kernel gets: its launch's arguments, in constant memory. tests/cuda/on_cpu runs kernels as functions. */
#ifndef ARGUMENTS
#define ARGUMENTS(type) const __grid_constant__ type
#endif

enum {
    ARG_OPERANDS = 4, /* the output, then up to three inputs */
    ARG_DIMS = 8,     /* a plan of more is launched piece by piece */
    ARG_PARAMS = 4,   /* p0 to p3 of the tables */
    ARG_WORDS = 6,    /* of them */
    ARG_THREADS = 256,
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
    uint64_t     param[ARG_WORDS]; /* bits of the compute type; of complex128 the first three, each of two words */
    fault_place  fault;
} launch_args;

/* Several launches of one row in one: each over n elements of its own, all operands of one dtype each, dense or of one value. */
enum { LIST_MOST = 192 };
enum list_operand { LIST_DENSE, LIST_VALUE, LIST_AT }; /* an address; one value; the address of one */
typedef struct list_args {
    uint32_t count;
    uint8_t  is[ARG_OPERANDS], width[ARG_OPERANDS], kind[ARG_OPERANDS];
    uint64_t param[ARG_PARAMS]; /* the first is each launch's own */
    uint32_t first_block[LIST_MOST];
    uint64_t n[LIST_MOST], own_param[LIST_MOST];
    uint64_t at[LIST_MOST][ARG_OPERANDS]; /* as `kind` says */
} list_args;
typedef struct list_kernel {
    const char *name;
    const void *kernel; /* NULL: not for lists */
    uint8_t     inputs, table; /* as row_kernels has them */
} list_kernel;
typedef struct list_table {
    const list_kernel *row; /* to a name that is NULL */
    kt_dtype           self;
    int                vector, elements;
    uint32_t           reads, writes;
} list_table;

/* A launch over n vectors of any layout. */
typedef struct strided_args {
    launch_args flat;
    uint32_t    nd;
    uint32_t    vector;         /* 1 or several elements, along the innermost dim */
    int64_t     step[ARG_OPERANDS]; /* within a vector, in bytes */
    uint32_t    size[ARG_DIMS]; /* inner to outer; the innermost in vectors */
    int64_t     stride[ARG_OPERANDS][ARG_DIMS];
} strided_args;

/* Elements of 16 bits, each by its entry in a table of all: a result, or what another operand is multiplied by. Dense. */
enum { ENTRIES = 1 << 16, LOOKUP_VECTOR = 8, LOOKUP_STEPS = 2 };
typedef struct lookup_args {
    char       *to;
    const char *from, *times;
    const void *table; /* results of the elements' dtype, or factors in float32 */
    uint64_t    n;
} lookup_args;
enum table_kind { NO_TABLE, RESULTS, FACTORS }; /* of a row */

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

/* A copy between two dense dims, a in the source and b in the target, counted in vectors of 16 bytes. */
typedef struct cross_args {
    char       *to;
    const char *from;
    uint32_t    a, b;
    int64_t     step[2]; /* of the target along a, of the source along b: bytes from one element to the next */
    uint32_t    nd;      /* other dims */
    uint32_t    size[ARG_DIMS];
    int64_t     stride[2][ARG_DIMS];
} cross_args;

typedef struct range_args {
    char    *to;
    uint8_t  is;
    uint64_t n;
    int64_t  step; /* in bytes */
    double   first, second; /* start and step of arange, both ends of linspace */
    int64_t  first_int, second_int;
} range_args;

/* A product: the result, both factors, the addend; dims of the batch inner to outer. */
typedef struct product_args {
    char    *at[4];
    uint8_t  is[4], scaled, added;
    uint32_t m, n, k, nd;
    uint32_t size[ARG_DIMS];
    int64_t  stride[4][ARG_DIMS], row[4], column[4];
    uint64_t factor[2][2]; /* of the product and of the addend, bits of the compute type; if scaled */
} product_args;

/* ---- along lines. at, stride, step: the outputs, then the input; size: of the lines, inner to outer ---- */
enum { SCAN_KINDS = 5, SORT_CHUNK = 1024 };
typedef struct scan_args {
    char    *at[3];
    uint8_t  is, out_is[2], width[3], vectors; /* vectors: bit k: operand k lies dense and aligned along its lines */
    uint64_t length, part;   /* of a line, and of its parts */
    uint32_t lines, parts;
    char    *states;         /* [line][part], if there are parts */
    uint32_t nd, size[ARG_DIMS];
    int64_t  stride[3][ARG_DIMS], step[3];
} scan_args;
typedef struct scan_way { /* [0]: a block has a part; [1]: a thread */
    const void *fold[2], *scan[2]; /* NULL: there is none */
    uint32_t    state, each; /* bytes of a state; elements that a thread of a block has at once */
} scan_way;
typedef enum rank_kind { RANK_GIVEN, RANK_MEDIAN, RANK_NANMEDIAN, RANK_MODE } rank_kind;
typedef struct sort_args {
    char     *at[3]; /* values, indices (NULL: not wanted), the input */
    uint8_t   is, width, rank; /* rank: a rank_kind */
    uint32_t  lines, length, run, nd, size[ARG_DIMS];
    int64_t   stride[3][ARG_DIMS], step[3]; /* step: from one element of a line to the next */
    uint32_t  along_nd, along_size[ARG_DIMS]; /* the dims of a line in the input, if it has several */
    int64_t   along_stride[ARG_DIMS];
    uint32_t  given; /* the rank that is asked for, from 0 */
    uint64_t *longest; /* of each line: the length of its longest run and where that begins, from the end */
    uint64_t  mask; /* the bits of a key that are the element's; above them, in a sort by digits, stands its line */
    uint64_t  flip; /* of the keys: the largest first */
    uint8_t   narrow, bits; /* keys are of 32 bits, not of 64; bits of the mask */
    uint32_t  first; /* how many of each line are written */
    void     *keys[2]; /* [line][place], from and to which runs are merged */
    uint32_t *from[2];
} sort_args;

/* The first elements of each line in order, without the others' order. */
enum { TOP_MOST = SORT_CHUNK, TOP_DIGITS = 256 };

typedef struct search_args {
    char       *to;
    const char *values, *lines, *order; /* order: NULL, or int64 */
    uint64_t    n, line;   /* values; of one line */
    int64_t     length;    /* boundaries of a line */
    int64_t     lines_by, order_by; /* bytes from a line to the next; 0: there is one */
    uint8_t     is, width, narrow, past, nan_is_last; /* narrow: the result is int32 */
} search_args;

/* ---- indexing. param: the bound of indices, bytes from one to the next, then INDEX_* ---- */
#define INDEX_SAYS(fault, dim, wraps) ((uint64_t)(uint16_t)(fault) | (uint64_t)(uint16_t)(dim) << 16 | (uint64_t)(wraps) << 32)
#define INDEX_FAULT(says) ((int32_t)((says)&0xffff))
#define INDEX_DIM(says)   ((int32_t)(int16_t)((says) >> 16 & 0xffff))
#define INDEX_WRAPS(says) ((says) >> 32 & 1)
/* Dtypes that are combined where several meet at one place. */
#define COMBINED(X) X(BOOL) X(U8) X(I8) X(I16) X(I32) X(I64) X(U16) X(U32) X(U64) X(F16) X(BF16) X(F32) X(F64)
enum { MASK_EACH = 16 }; /* elements of a thread */
typedef struct nonzero_args {
    const char *mask; /* dense */
    char       *to;
    uint32_t   *counts; /* by block */
    uint64_t    n, block; /* elements, those of a block */
    uint64_t    most;     /* places that there is room for */
    uint8_t     aligned;  /* so is the mask, to MASK_EACH elements */
    int64_t     step; /* bytes from a coordinate to the next */
    uint32_t    nd;
    uint64_t    size[64];
} nonzero_args;

/* One number added at the places that n indices name, few places: a block counts. */
enum { TALLY_PLACES = 4096 };
typedef struct tally_args {
    strided_args of;
    uint64_t     n, block; /* block: indices of one */
    int64_t      step;     /* bytes from an index to the next */
} tally_args;

/* Elements that meet at one place, one after the other. The outer dims are those that decide where an element goes; `to` has the
 * places of their elements, sorted, and `which` their numbers. The inner dims are the same for each. */
typedef struct ordered_args {
    const int64_t *to, *which;
    const char    *from;
    uint64_t       n, inner; /* elements of the outer dims, and of the inner ones */
    uint32_t       nd, inner_nd;
    uint32_t       size[ARG_DIMS], inner_size[ARG_DIMS]; /* inner to outer */
    int64_t        stride[1][ARG_DIMS], inner_stride[2][ARG_DIMS]; /* of `from`; of what is written, and of `from` */
    uint8_t        is;
} ordered_args;
#define NOWHERE INT64_MAX /* the place of an element whose index is out of range */

/* A draw: `threads` threads, four numbers a step. In a graph seed and offset are those of the replay. */
enum { DRAW_THREADS = ARG_THREADS, DRAWS = 4 }; /* 256 is PyTorch's too, or the numbers would differ */
typedef struct draw_args {
    char           *to;
    uint8_t         is, width;
    uint64_t        n, threads;
    uint64_t        seed, offset;
    const uint64_t *replay; /* {seed, offset} to be added to; NULL: not in a graph */
    double          param[2];
    int64_t         least;
    uint64_t        many; /* 0: all that the draw can be */
} draw_args;
/* A draw and a product in one. */
typedef struct drop_args {
    char           *to, *mask;
    const char     *from;
    uint64_t        n, threads;
    uint64_t        seed, offset;
    const uint64_t *replay;
    double          keep, scale;
} drop_args;
typedef struct drop_kernels {
    kt_dtype    dtype;
    const void *vectors, *any; /* vectors: of 16 bytes; the numbers depend on it */
} drop_kernels;
typedef struct draw_kernels {
    const char *name;
    uint8_t     wide;   /* of random_int: draws of 64 bits */
    uint8_t     per;    /* values of a step */
    uint32_t    dtypes; /* bits: of the output */
    const void *kernel;
} draw_kernels;

/* A draw by a probability for each element. */
typedef struct each_args {
    char           *to;
    const char     *from;
    int64_t         step; /* of the probabilities, in bytes */
    uint8_t         is, width, from_is;
    uint64_t        n;
    uint64_t        seed, offset;
    const uint64_t *replay;
    fault_place     fault;
} each_args;
enum { EACH_DRAWS = 12, POISSON_DRAWS = 20 }; /* by so much the offset moves: PyTorch's */
typedef struct each_kernels {
    uint32_t    dtypes; /* bits: of the output */
    const void *kernel;
} each_kernels;
/* Categories by weight: [rows, samples] of [rows, categories]. */
typedef struct choose_args {
    int64_t        *to;
    const char     *weights;
    int64_t         row_apart, apart; /* of the weights, in bytes */
    uint8_t         is;
    uint64_t        rows, categories, samples, threads;
    uint64_t        seed, offset;
    const uint64_t *replay;
    void           *room;  /* [rows, categories]: quotients of the weights' compute type, or sums in double */
    const int64_t  *order; /* of the quotients */
    fault_place     fault;
} choose_args;
typedef struct choose_kernels {
    const void *weigh, *sum_up;
} choose_kernels;
enum { CHOOSE_ACROSS = 128 }; /* PyTorch's */

/* ---- reductions ---- */
typedef struct fold_about {
    double count; /* values of a result */
    double param; /* p of a norm, correction of a variance */
} fold_about;

/* Each result is cut into parts, at each of which `lanes` threads work: 1, 32 or ARG_THREADS. */
typedef struct reduce_args {
    const char *in;
    char       *out[2];
    char       *states;  /* of parts, if there is more than one */
    fold_about  about;
    uint64_t    results, gone; /* values of a result */
    uint64_t    parts, part;   /* how many, and values of one */
    uint64_t    result_apart, part_apart; /* of the states: how far those of two results or parts lie apart */
    uint32_t    lanes;
    uint8_t     is, width, vectors; /* of the input; vectors: they lie dense and aligned in the innermost dim that goes */
    uint8_t     n_out, out_is[2];
    uint32_t    kept_nd, gone_nd;
    uint32_t    kept_size[ARG_DIMS], gone_size[ARG_DIMS]; /* inner to outer */
    int64_t     kept_stride[3][ARG_DIMS];                 /* of the outputs, then the input */
    int64_t     gone_stride[ARG_DIMS];
} reduce_args;

typedef struct reduce_kernels {
    const char *name;
    const void *fold, *columns, *join; /* columns: of results and elements side by side; NULL: there is none */
    uint32_t    state; /* bytes */
} reduce_kernels;
enum { NORM_0, NORM_1, NORM_2, NORM_LARGEST, NORM_SMALLEST, NORMS };
typedef struct reduce_table {
    const reduce_kernels *row;  /* to a name that is NULL */
    const reduce_kernels *norm; /* those of the orders that need no powers; NULL: integers have none */
    kt_dtype              self;
    int                   vector;
    uint32_t              reads, writes; /* bits of dtypes */
} reduce_table;

/* ---- softmax and its kin, along lines ---- */
typedef struct soft_args {
    char    *at[3]; /* the output, then the inputs */
    uint64_t lines;
    uint32_t length, lanes;
    uint8_t  is[3], width[3], vectors; /* vectors: all lines are dense and aligned */
    uint32_t nd;
    uint32_t size[ARG_DIMS]; /* of the lines, inner to outer */
    int64_t  stride[3][ARG_DIMS], step[3];
} soft_args;
enum { SOFT_VECTOR = 8, SOFT_KEPT = 4 }; /* elements of a vector, vectors that a thread keeps in registers */
typedef struct soft_kept_kernel {
    kt_dtype    dtype; /* of all operands; KT_NONE: any, the last of a list */
    const void *kernel;
} soft_kept_kernel;
typedef struct soft_kernels {
    const char             *name;
    const soft_kept_kernel *kept; /* dense lines of at most lanes * SOFT_VECTOR * SOFT_KEPT elements */
    const void             *any;
} soft_kernels;
/* Cross entropy of the lines of at[1]: what each line has one of stands dense, in the order of lines. */
typedef struct entropy_args {
    soft_args      soft; /* at[0]: the gradient of the logits, if they flow back */
    const int64_t *classes;
    char          *taken; /* the results, or the gradients of them, of the dtype that the logits are seen in */
    char          *top, *total; /* of the compute type */
} entropy_args;
typedef struct entropy_kernels {
    kt_dtype    dtype, as; /* of the logits, and what they are seen as */
    const void *forward, *back;
} entropy_kernels;
typedef struct soft_table {
    const soft_kernels    *row;     /* to a name that is NULL */
    const entropy_kernels *entropy; /* to KT_NONE */
    kt_dtype            self;
    uint32_t            reads, writes;
} soft_table;

/* ---- sums of columns, dense ---- */
enum { COLUMNS_VECTOR = 8, COLUMNS_BLOCKS = 3 }; /* columns of a lane; blocks of a multiprocessor, at least */
typedef struct columns_args {
    const char *in;
    char       *out;
    double     *states; /* [parts, columns] */
    uint64_t    rows, part; /* part: rows of one */
    int64_t     apart, out_apart; /* bytes from a row to the next, from a result to the next */
    uint32_t    columns, groups, parts; /* groups: of as many columns as a warp has */
    uint32_t    out_is;
    double      divisor;
} columns_args;
typedef struct columns_kernel {
    kt_dtype    dtype; /* KT_NONE: the end of the table */
    const void *sum;
} columns_kernel;

/* ---- norms of the tensors of a list ---- */
enum { NORMS_VECTOR = 4 };
enum norms_kind { NORMS_1, NORMS_2, NORMS_LARGEST, NORMS_KINDS };
typedef struct norms_args {
    uint32_t    count, chunk, blocks; /* chunk: elements of a block */
    uint8_t     out_is, unused[3];
    char       *states; /* by block */
    uint32_t    first_block[LIST_MOST];
    uint64_t    n[LIST_MOST];
    const char *in[LIST_MOST];
    char       *out[LIST_MOST];
} norms_args;
typedef struct norms_kernels {
    const void *fold[3]; /* of float32, bfloat16, float16 */
    const void *end;
    uint32_t    state; /* bytes */
} norms_kernels;

/* ---- copies of the tensors of a list ---- */
enum { COPIES_CHUNK = 1 << 14 }; /* bytes of a block */
typedef struct copies_args {
    uint32_t    count, unused;
    uint32_t    first_block[LIST_MOST];
    uint64_t    bytes[LIST_MOST];
    const char *from[LIST_MOST];
    char       *to[LIST_MOST];
} copies_args;

/* ---- norms of rows, dense ---- */
enum { NORM_LANE = 32, NORM_WHOLE = 4, NORM_BACK_VECTOR = 4, NORM_BACK_MOST = 4, NORM_TOTAL_ROWS = 16 };
enum { NORM_BACK_ROWS = 4, NORM_BACK_SHORT = 4, NORM_BACK_WARPS = 6 }; /* rows of a block side by side, and the
                                           vectors of a thread then; of a lane of a warp that has a row */
typedef struct norm_args {
    char    *y; /* the result, or what flows back to x; NULL: nothing does */
    char    *mean, *rstd; /* NULL: there is none */
    const char *x, *grad, *weight, *bias;
    char    *to[2]; /* what flows back to weight and bias */
    char    *partial; /* [blocks, 2, length] of the compute type; NULL: not wanted */
    uint64_t rows, block_rows;
    uint32_t length, lanes, blocks;
    uint8_t  is, width, weight_is, bias_is, mean_is, rstd_is, mean_width, rstd_width, to_is[2], centred, log_lanes;
    uint8_t  grad_is, grad_width;
    double   eps, share; /* share: 1 / length */
} norm_args;
typedef struct norm_kernels {
    kt_dtype    dtype; /* of x and y */
    const void *kept;    /* rows of at most NORM_LANE elements a lane */
    const void *whole[2][NORM_WHOLE]; /* [by a block][i]: of NORM_LANE * (i + 1) / NORM_WHOLE a lane, with weight and bias */
} norm_kernels;
typedef struct norm_back_kernels {
    kt_dtype    dtype, grad; /* of x and y; of what flows in */
    const void *beside[NORM_BACK_SHORT]; /* [i]: up to i + 1 vectors of each of a row's ARG_THREADS / NORM_BACK_ROWS threads */
    const void *kept; /* up to NORM_BACK_MOST vectors of each of a block's threads */
    const void *warps[NORM_BACK_WARPS]; /* [i]: i + 1 vectors of each lane of a warp; NULL: there is none */
} norm_back_kernels;
typedef struct norm_table {
    const norm_kernels      *of;   /* to KT_NONE */
    const norm_back_kernels *back; /* to KT_NONE */
    kt_dtype            self;
    const void         *any, *back_any, *total;
} norm_table;

/* ---- norms of groups of planes: over [outer, groups, planes, elements of a plane] ---- */
enum { PLANE_OUTER, PLANE_GROUP, PLANE_PLANE, PLANE_ELEMENT, PLANE_DIMS };
enum { PLANE_VECTOR = 4, PLANE_ABREAST = 32, PLANE_AHEAD = 4 }; /* abreast: groups that lie side by side, of a block; ahead:
                                                                  vectors that a thread has at once */
typedef struct plane_operand {
    char   *at; /* NULL: absent */
    int64_t stride[PLANE_DIMS]; /* in bytes */
    int32_t is, width;
} plane_operand;
typedef struct plane_args {
    uint64_t      size[PLANE_DIMS];
    uint64_t      count;       /* elements of a group */
    uint64_t      groups;      /* all of them */
    uint32_t      parts, part; /* of a group, each by a block: how many, elements or planes of one */
    uint32_t      lanes;       /* threads at a plane's sums or a group's parts: 32 or a block's; at a unit of elements: 1 or 32 */
    uint32_t      units;       /* of a plane: PLANE_AHEAD vectors of each lane */
    uint8_t       given, unused[7]; /* the statistics are constants */
    double        eps;
    plane_operand x, y, grad, weight, bias, mean, rstd, variance, to_weight, to_bias;
    plane_operand use_mean, use_rstd; /* the statistics that elements are normalised by */
    double       *sums;        /* forward [groups, parts, 3]: count, average, squares; back [groups, planes or parts, 2] */
    char         *numbers;     /* [groups, 2] of the compute type: average and deviation, or what flows back to a group */
} plane_args;
typedef struct plane_ways {
    const void *moments, *apply, *sums, *flow;
} plane_ways;
typedef struct plane_kernels {
    kt_dtype   dtype;  /* of x, y and the gradient; KT_NONE: any */
    int        vector; /* elements at a time */
    plane_ways by, abreast;
} plane_kernels;
typedef struct plane_table {
    const plane_kernels *of; /* the last serves everything */
    const void   *join, *join_back, *join_abreast_back, *total;
    kt_dtype      self;
    uint32_t      reads, writes;
} plane_table;

/* ---- pooling: images [batch, channels, three dims in space], absent dims first, of size 1 ---- */
enum { POOL_SPACE = 3, POOL_SMALL = 3, POOL_LAP = 2, POOL_RUN = 4 };
typedef struct divider { /* of numbers below 2^31, by a product: quotient_of */
    uint32_t by, factor, shift;
} divider;
typedef struct pool_image {
    char    *at; /* NULL: absent */
    int64_t  by_batch, by_channel, step[POOL_SPACE]; /* in bytes */
    uint32_t size[POOL_SPACE];
    int32_t  is;
} pool_image;
typedef struct pool_args {
    pool_image  whole, few, index, samples; /* the image; the numbers of windows; where each largest one stands; as drawn */
    uint32_t    batch, channels;
    int32_t     kernel[POOL_SPACE], stride[POOL_SPACE], padding[POOL_SPACE], dilation[POOL_SPACE];
    uint8_t     adaptive, with_padding, channels_inner;
    uint8_t     whole_width, few_width; /* bytes of an element */
    uint8_t     small;   /* windows are of one plane and see at most POOL_SMALL elements each way */
    uint8_t     laps;    /* at most POOL_LAP windows each way, of one plane, see an element */
    uint32_t    dims;    /* that the image has */
    int64_t     divisor; /* of averages; 0: what a window sees */
    uint64_t    volume;  /* positions of the image */
    uint64_t    n;       /* elements: one a thread */
    divider     by_size[POOL_SPACE], by_channels, by_stride[POOL_SPACE]; /* by_size: of the image that a thread has one of */
    divider     by_whole[2]; /* the image's height and width */
    fault_place fault;
} pool_args;
typedef struct pool_table {
    const void *largest, *average, *fraction; /* NULL: there is none */
    const void *clear, *put_back;
    uint32_t    reads, writes;
} pool_table;
typedef struct pool_back_table {
    const void *largest, *strays, *average;
    const void *largest_run[2], *average_run[2]; /* POOL_RUN elements a thread: of a row, channels of a position */
} pool_back_table;

/* ---- resampling: images as those of pooling ---- */
enum { RESIZE_SHARES = 8, RESIZE_CHANNELS = 4 };
typedef struct resize_args {
    pool_image out, in;
    uint32_t   batch, channels;
    uint8_t    channels_inner, width, unused[6]; /* width: of an element that is moved */
    kt__along  along[POOL_SPACE];
    uint32_t   most[POOL_SPACE];   /* elements that a result reads along a dim, at most */
    int64_t   *at[POOL_SPACE];     /* [result][most] */
    char      *weight[POOL_SPACE]; /* the same of the compute type */
    int32_t   *range[POOL_SPACE];  /* [element][2]: the first result that may read it, and the one behind the last */
    char      *share[POOL_SPACE];  /* [element][RESIZE_SHARES]: what the first of those results read of it, of the compute type */
    uint64_t   n;                  /* threads: elements of the result, or of its first channels */
    int64_t    channel_step;       /* from a channel of a thread to its next */
    divider    by_size[POOL_SPACE], by_channels;
} resize_args;
typedef struct resize_table {
    const void *taps, *ranges, *sum, *move;
    const void *square[2], *back[2]; /* one channel a thread, RESIZE_CHANNELS; square: of two rows and two columns */
    uint32_t    reads, writes;
} resize_table;
typedef struct grid_args {
    pool_image image, samples, to_image;
    pool_image grid, to_grid; /* by_channel: from a coordinate to the next */
    uint32_t   batch, channels, dims, chunk, chunks; /* chunk: channels of a thread */
    uint8_t    mode, padding, align, unused;
    uint64_t   n;
    divider    by_size[POOL_SPACE], by_channels; /* of places and chunks, or of the image */
} grid_args;
typedef struct grid_table {
    const void *sample, *to_image, *to_grid, *clear, *convert;
    uint32_t    reads, writes;
} grid_table;

/* ---- steps of optimizers, of a list of parameters ---- */
enum { STEP_ARRAYS = 5, STEP_PARAMS = 4, STEP_MOST = 160, STEP_VECTOR = 4 };
enum step_kind { STEP_ADAM, STEP_AMSGRAD, STEP_SGD, STEP_BUFFERED, STEP_ADAGRAD, STEP_UNSCALE, STEP_KINDS };
typedef struct step_number {
    const char *at; /* NULL: `value` */
    double      value;
    int64_t     is;
} step_number;
typedef struct step_common { /* of all parameters of a list */
    uint8_t     is[STEP_ARRAYS], width[STEP_ARRAYS];
    uint8_t     step_is; /* KT_NONE: the numbers of steps stand in `own` */
    uint8_t     unused;
    uint32_t    flags;   /* KT__STEP_* */
    step_number rate, scale, found; /* of unscale: rate is the factor */
    double      param[STEP_PARAMS]; /* in the order of the plan's */
} step_common;
typedef struct step_list {
    step_common common;
    uint32_t    count, chunk; /* chunk: elements of a block */
    uint32_t    nd, size[ARG_DIMS]; /* of a single parameter that is not dense, inner to outer */
    int64_t     stride[STEP_ARRAYS][ARG_DIMS];
    uint32_t    first_block[STEP_MOST];
    uint64_t    n[STEP_MOST];
    uint64_t    own[STEP_MOST]; /* the steps that were made: an address or a double; of unscale: where to tell of an infinity */
} step_list;
typedef struct step_args { /* a kernel of fewer arrays has the beginning of it: a launch takes longer the more it hands over */
    step_list list;
    char     *at[STEP_ARRAYS][STEP_MOST];
} step_args;
typedef struct step_table {
    const void *dense[STEP_KINDS], *own[STEP_KINDS], *any[STEP_KINDS]; /* own: dense, of the compute type's dtype */
    uint32_t    reads, writes;
} step_table;
typedef struct scale_args {
    float      *scale;
    int32_t    *steps;
    step_number found;
    double      growth, backoff;
    int64_t     interval;
} scale_args;

/* ---- chains of elementwise rows over the arrays of a parameter, of a list of parameters (tables/kernels/chain.def) ---- */
enum { CHAIN_ARRAYS = 6, CHAIN_LINKS = 16, CHAIN_MOST = 160, CHAIN_BYTES = 16 }; /* bytes: of the compute type, of a thread */
typedef struct chain_link {
    uint8_t kind, to, in[3];        /* registers, as the plan has them */
    uint8_t inputs, numbers, first; /* how many it reads; its parameters, from number `first` on */
    uint8_t rounds;                 /* numbers are rounded to the arrays' dtype */
} chain_link;
typedef struct chain_common { /* of all parameters of a list */
    uint64_t   number[CHAIN_LINKS]; /* bits of the compute type */
    chain_link link[CHAIN_LINKS];
    uint32_t   links;
    uint8_t    arrays, writes, unused[2]; /* writes: bits of arrays */
} chain_common;
typedef struct chain_args {
    chain_common common;
    uint32_t     count, chunk; /* chunk: elements of a block */
    uint32_t     nd, size[ARG_DIMS]; /* of a single parameter that is not dense, inner to outer */
    int64_t      stride[CHAIN_ARRAYS][ARG_DIMS];
    uint32_t     first_block[CHAIN_MOST];
    uint64_t     n[CHAIN_MOST];
    char        *at[CHAIN_MOST][CHAIN_ARRAYS];
} chain_args;
typedef struct chain_kernels {
    kt_dtype    dtype; /* of all arrays */
    const void *dense, *any;
} chain_kernels;

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

/* A row of tables/kernels in one compute type: kernels for dense operands, one for any layout. */
typedef struct row_kernels {
    const char *name;
    const void *own, *flat, *strided; /* own: dense operands of the compute type's own dtype. NULL: not in this compute type */
    uint8_t     inputs;
    uint8_t     divides; /* finds KT_FAULT_DIVISION */
    uint8_t     table;   /* of narrow elements, a table_kind: the row has so many instructions that memory waits for them */
} row_kernels;
typedef struct row_table {
    const row_kernels *row;    /* to a name that is NULL */
    kt_dtype           self;   /* the dtype whose values are those of the compute type */
    int                vector, elements; /* of kernels for dense operands: what a thread loads at once, and has in all */
    int                strided; /* what a thread of a kernel for any layout loads at once, if it can */
    uint32_t           reads, writes; /* bits of the dtypes that the kernels know */
} row_table;

#ifdef __cplusplus
extern "C" {
#endif
extern const row_table   rows_f32, rows_f64, rows_i32, rows_i64, rows_c64, rows_c128;
extern const list_table  lists_f32;
extern const reduce_table reduce_f32, reduce_f64, reduce_i32, reduce_i64, reduce_c64, reduce_c128;
extern const columns_kernel columns_table[]; /* to KT_NONE */
extern const void *const    join_columns_kernel;
extern const norms_kernels  norms_table[];
extern const void *const    copies_kernel;
extern const soft_table   soft_f32, soft_f64;
extern const norm_table   norm_f32, norm_f64;
extern const step_table   steps_f32, steps_f64;
extern const chain_kernels chains_f32[], chains_f64[]; /* to KT_NONE */
extern const plane_table  planes_f32, planes_f64;
extern const pool_table   pool_tables[]; /* by compute type, up to int64 */
extern const pool_back_table pool_back_tables[];
extern const resize_table resize_f32, resize_f64;
extern const grid_table   grid_f32, grid_f64;
extern const void *const  search_kernel;
extern const void *const  update_scale_kernel;
extern const void *const cast_kernels[][KT_NUM_DTYPES]; /* [from][to]: dense */
extern const void *const cast_any_kernels[];            /* [from]: any layout, any target */
extern const void *const move_any_kernels[]; /* by the logarithm of the width: elements that are moved, any layout */
extern const void *const fill_kernel, *const read_kernel;
extern const void *const lookup_kernel, *const factors_kernels[2]; /* factors: of bfloat16, of float16 */
extern const each_kernels   each_table[];   /* to 0 */
extern const choose_kernels choose_table[2]; /* float32, float64 */
extern const void *const    poisson_kernels[2]; /* the same; NULL: there is none */
extern const void *const    pick_kernel, *const take_first_kernel, *const draw_wide_kernel;
extern const draw_kernels draw_table[]; /* to a name that is NULL */
extern const drop_kernels drop_table[]; /* to KT_NONE */
extern const void *const take_kernels[], *const put_kernels[], *const masked_kernels[]; /* by the logarithm of the width */
extern const void *const combine_kernels[]; /* add, multiply, amax, amin */
extern const void *const ordered_kernels[], *const put_last_kernels[], *const targets_kernel; /* add, multiply; by width */
extern const void *const offsets_kernel, *const count_true_kernel, *const write_true_kernel, *const tally_kernel;
extern const void *const cross_kernels[]; /* by the logarithm of the width; NULL: there is none */
extern const void *const arange_kernels[], *const linspace_kernels[]; /* by compute type, up to int64 */
extern const uint32_t    range_dtypes[];
extern const void *const band_kernels[], *const eye_kernels[]; /* by the logarithm of the width */
extern const void *const product_kernels[]; /* by compute type; NULL: there is none */
extern const uint32_t    product_reads[], product_writes[];
/* By compute type; cumsum, cumprod, cummax, cummin, logcumsumexp. NULL: there is none. */
extern const scan_way scan_kernels[][SCAN_KINDS];
extern const uint32_t    scan_reads[], scan_writes[];
extern const void *const sort_chunks_kernel, *const merge_runs_kernel, *const put_sorted_kernel;
extern const void *const make_keys_kernel, *const put_top_kernel;
extern const void *const longest_runs_kernel, *const put_ranked_kernel;
/* Inputs alone. param: low, high, exempt, as double or int64; then CHECK_*. */
extern const void *const check_float_kernel, *const check_int_kernel;
#ifdef __cplusplus
}
#endif

#endif
