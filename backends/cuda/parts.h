/* parts.h - what the files of this backend offer to each other and to the vtable (plugin.c). */
#ifndef KARAT_CUDA_PARTS_H
#define KARAT_CUDA_PARTS_H

#include "args.h"
#include "driver.h"

/* ---- memory.c: the device's memory ---- */
kt_status memory_alloc(kt_backend *self, int index, kt_handle stream, size_t bytes, void **data, size_t *granted);
void      memory_free(kt_backend *self, int index, void *data, size_t granted);
void      memory_used_on(int index, void *data, kt_handle stream);
extern const kt_memory_calls memory_calls;

/* Memory that is allocated while a stream captures belongs to the capture's graph. */
typedef struct graph_memory graph_memory;
graph_memory *memory_of_capture(int index, unsigned long long capture); /* NULL and an error: no memory */
void          memory_capture_ends(graph_memory *m);                     /* no more is allocated of it */
void          memory_of_graph_drop(graph_memory *m, const kt_handle *replayed_on, int n);

/* ---- pinned.c: pinned host memory ---- */
kt_status pinned_alloc(kt_backend *self, size_t bytes, void **data, size_t *granted);
void      pinned_free(kt_backend *self, void *data, size_t granted);
bool      pinned_used_on(int index, void *data, kt_handle stream); /* false: it is not pinned memory */

/* ---- stream.c ---- */
extern const kt_stream_calls stream_calls;
/* 0: the stream does not capture; else the number of the capture. */
unsigned long long capture_of(kt_handle stream);

/* ---- capture.c ---- */
extern const kt_capture_calls capture_calls;
bool captures_run(void); /* does any stream capture? Asked before a stream is */
/* Where the graph that the stream's work is captured into finds a replay's seed and offset. NULL: the stream does not capture. */
kt_status capture_replay_place(int index, kt_handle stream, const uint64_t **place);

/* ---- copy.c ---- */
kt_status copy_bytes(kt_backend *self, const kt_transfer *copy);

/* ---- fault.c: errors that kernels found ---- */
kt_status fault_take(int index); /* KT_OK, or the error of an earlier launch, once */
kt_status fault_expect(const kt_plan *plan, fault_place *place); /* for a launch that may fail: where to report */

/* ---- small.c: launches of at most BRIEF_BLOCKS blocks of ARG_THREADS, not while the stream captures. Of SMALL_BLOCKS or fewer
 * the host's time always counts. There may be more blocks than were asked for, up to the next of a few sizes ---- */
enum { SMALL_BLOCKS = 64, BRIEF_BLOCKS = 1024 };
kt_status launch_small(const void *kernel, unsigned blocks, void **args, int index, kt_handle stream);

/* ---- wide.c: launches of any number of blocks, at least one. early: as launch_early ---- */
kt_status launch_wide(const void *kernel, uint64_t blocks, void *args, int index, kt_handle stream, bool early);

/* ---- launch.c: a plan becomes a launch; copies, fills, elementwise rows ---- */
typedef kt_status launch_fn(const kt_plan *plan, const void *what); /* KT_DECLINED: before anything was launched */
kt_status launch_open(void); /* looks the kernels up by name */
void      launch_serve(const char *name, kt_compute compute, launch_fn *launch, const void *what); /* while it is opened */
void      launch_serve_all(const char *name, launch_fn *launch, const void *what);                 /* in every compute type */
bool      launch_has(kt_backend *self, kt_kernel_id kernel, kt_compute compute);
kt_status launch_plan(kt_backend *self, const kt_plan *plan);
kt_status launch_copy(const kt_plan *plan);
kt_status launch_kernel(const void *kernel, uint64_t blocks, void *args, const kt_plan *plan); /* blocks of ARG_THREADS */
/* The same of a kernel that begins with after_earlier (dev/early.cuh): its blocks stand ready when the kernel before it ends.
 * brief: it takes the device no longer than the host, whose time counts then. */
kt_status launch_early(const void *kernel, uint64_t blocks, void *args, const kt_plan *plan, bool brief);
/* Launches pieces of at most ARG_DIMS dims and MOST_OF_PIECE elements, which kernels count in 32 bits: dims before `first` are
 * not gone through. Tests build it smaller, so that small tensors are cut too. */
#ifndef MOST_OF_PIECE
#define MOST_OF_PIECE ((int64_t)1 << 31)
#endif
kt_status launch_pieces(const void *kernel, strided_args *g, const kt_plan *plan, int n_operands, int first);
/* The largest piece, up to 16 bytes, of which the innermost dims of operands 0 and 1 and all steps are made; else `width`. */
int       piece_of(const kt_plan *plan, int width);
void      in_pieces(kt_plan *wide, const kt_plan *plan, int width, int piece); /* the plan with such elements */
void      set_operand(operand_arg *x, const kt_plan *plan, int at, int width, int vector); /* vector: elements loaded at once */
bool      set_params(launch_args *g, const kt_plan *plan); /* false: kinds of numbers that kernels do not know */
int       width_of(int dtype);
kt_status make_element(const kt_plan *plan, kt_scalar value, unsigned char *element); /* of its output's dtype: by the CPU */

static inline uint64_t blocks_of(uint64_t n, uint64_t of_a_block) { return (n + of_a_block - 1) / of_a_block; }

static inline bool is_aligned(const void *data, int64_t bytes)
{
    return (uintptr_t)data % (uintptr_t)(bytes < 16 ? bytes : 16) == 0;
}

/* Tables of kernels by width have 1, 2, 4, 8 and 16 bytes. */
static inline int log_of_width(int width) { return width == 1 ? 0 : width == 2 ? 1 : width == 4 ? 2 : width == 8 ? 3 : 4; }

static inline double number_of(const kt_scalar *s) { return s->kind == KT_SCALAR_FLOAT ? s->v.re : (double)s->v.i; }

/* ---- list.c: several plans in one launch ---- */
kt_status list_open(void);
kt_status launch_list(kt_backend *self, const void *plans, int64_t n, int64_t *taken);

/* How plans of one kind, of a list, become one launch. */
typedef struct gatherer {
    int64_t   most; /* plans of a launch */
    bool      (*serves)(const kt_plan *head);
    bool      (*add_like)(void *list, const kt_plan *head, const kt_plan *before); /* one that differs from the one before in
                                                  addresses and size alone; both are packed. false: it is to be read whole */
    bool      (*add)(void *list, const kt_plan *plan); /* false: it does not go with the others */
    kt_status (*launch)(void *list, const kt_plan *plan);
} gatherer;
/* taken: how many; 0, if one by one is better */
kt_status gather(const gatherer *how, void *list, const void *plans, int64_t n, int64_t *taken);
/* Blocks of `chunk` elements, a multiple of `once`, for arrays of n elements each; the first of each array. Chunks are large
 * where there are blocks enough: the numbers of a step are calculated once a block. */
uint64_t cut_list(const uint64_t *n, uint32_t count, uint32_t once, uint32_t *chunk, uint32_t *first_block);
uint32_t set_dims(const kt_plan *plan, int arrays, uint32_t *size, int64_t (*stride)[ARG_DIMS]); /* how many; inner to outer */

/* ---- step.c: plans of steps, several in one launch ---- */
bool      is_step(const kt_plan *plan);
kt_status launch_steps(const void *plans, int64_t n, int64_t *taken);

/* ---- chain.c: plans of chains of elementwise rows, several in one launch ---- */
bool      is_chain(const kt_plan *plan);
kt_status launch_chains(const void *plans, int64_t n, int64_t *taken);

/* ---- many.c: plans of norms and copies, several together ---- */
void      many_open(void);
bool      is_many_norms(const kt_plan *head);
bool      is_many_copies(const kt_plan *head);
kt_status launch_many_norms(const void *plans, int64_t n, int64_t *taken);
kt_status launch_many_copies(const void *plans, int64_t n, int64_t *taken);

/* ---- lookup.c: rows of operands of 16 bits, by a table ---- */
enum { LOOKUP_LEAST = 1 << 20 }; /* elements for which there is one */
kt_status launch_lookup(const row_kernels *row, const launch_args *g, const kt_plan *plan); /* KT_DECLINED: calculate them */

/* ---- convert.c: operands of other dtypes than a kernel knows ---- */
typedef struct known_dtypes {
    uint32_t reads, writes; /* bits */
    kt_dtype self;          /* the dtype whose values are those of the compute type */
} known_dtypes;
extern kt_kernel_id copy_kernel;
bool      operands_known(const kt_plan *plan, const known_dtypes *k); /* each is converted once, if at all, and has no bits */
kt_status launch_converted(const kt_plan *plan, const known_dtypes *k, launch_fn *launch, const void *what);

/* ---- families of kernels, each with the plans that it serves ---- */
void reduce_open(void);  /* reduce.c: reductions, softmax */
void index_open(void);   /* index.c */
void product_open(void); /* product.c: matrix products */
void lines_open(void);   /* lines.c: scans, sorts */
typedef struct lines_to_sort { /* dense, fewer than 2^31 elements in all */
    char    *values, *places, *from; /* places: int64 */
    uint8_t  is;
    bool     largest_first;
    uint32_t lines, length;
} lines_to_sort;
kt_status sort_lines(const lines_to_sort *l, const kt_plan *plan); /* plan: whose device and stream */
void range_open(void);   /* range.c: ranges, bands */
void random_open(void);  /* random.c: draws */
void convolution_open(void); /* convolution.c */
void norm_open(void);    /* norm.c: norms of rows */
void step_open(void);    /* step.c: steps of optimizers */
void chain_open(void);   /* chain.c: chains of elementwise rows */
void planes_open(void);  /* planes.c: norms of groups of planes */
void pool_open(void);    /* pool.c: pooling */
bool read_image(const kt_plan *plan, int at, pool_image *x, int64_t *batch, int64_t *channels); /* false: not for kernels */
divider divider_of(uint32_t by); /* of numbers below 2^31 */
void    dividers_of(divider *by, const pool_image *x); /* by the sizes of an image */
void resample_open(void); /* resample.c */
void ctc_open(void);      /* ctc.c */
void attention_open(void); /* attention.c */
bool attention_draws(const kt_plan *plan, uint64_t *by); /* as choose_draws */
uint64_t random_draws(kt_backend *self, const kt_plan *plan);
uint64_t random_threads(int index, uint64_t n); /* that draw n numbers */
void     choose_open(void); /* choose.c: draws that look at tensors, permutations */
bool     choose_draws(const kt_plan *plan, uint64_t *by); /* by how much such a plan moves the offset; false: it is none */

/* ---- blas.c: cuBLASLt, if it is there. Matrices are column-major, sizes and distances in elements ---- */
typedef struct gemm_matrix {
    const char *data;
    int64_t     turned, ld, batch; /* turned: it is transposed first; batch: from one matrix to the next */
} gemm_matrix;
typedef struct gemm {
    gemm_matrix a, b, c, d; /* d = alpha * a b + beta * c [+ bias along a column] */
    int64_t     m, n, k, batches;
    kt_dtype    dtype, to; /* of a and b; of c, d and bias */
    bool        tf32; /* float32 may be rounded to it */
    double      alpha, alpha_im, beta, beta_im; /* im: of complex numbers */
    const char *bias; /* NULL: none */
    int64_t     then; /* what is made of each result: KT__THEN_... */
} gemm;
void      blas_about(int index, char *text, size_t room); /* for people: its version and file, or that it is not there */
kt_status blas_gemm(const gemm *g, const kt_plan *plan); /* KT_DECLINED: the library is not there, or has no way */

/* ---- graphs.c: attention by cuDNN, if it and the library beside ours are there. KT_DECLINED: our kernels are to do it ---- */
struct attend_args;
void      graphs_about(char *text, size_t room);
kt_status graphs_attend(const struct attend_args *g, const kt_plan *plan, bool back);

/* ---- dnn.c: cuDNN, if it is there. Sizes are [batch or channels of the result, channels of a group, space], dense ---- */
typedef enum conv_what { CONV_FORWARD, CONV_INPUT, CONV_WEIGHT } conv_what; /* which of x, w and y is made of the others */
enum { CONV_SPACE = 3 };
typedef struct conv {
    conv_what   what;
    kt_dtype    dtype;         /* of all three */
    int         space;         /* 2 or 3 dims */
    bool        channels_last; /* so lie all three in memory */
    bool        tf32;          /* float32 may be rounded to it */
    int64_t     x[2 + CONV_SPACE], w[2 + CONV_SPACE], y[2 + CONV_SPACE];
    int64_t     stride[CONV_SPACE], padding[CONV_SPACE], dilation[CONV_SPACE], groups;
    char       *at_x, *at_w, *at_y;
} conv;
void      dnn_about(int index, char *text, size_t room);
bool      dnn_serves(const conv *c, int index); /* the library is there and has a way; addresses are not looked at */
kt_status dnn_convolve(const conv *c, const kt_plan *plan); /* KT_DECLINED: it has none */

#endif
