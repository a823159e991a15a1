/* row.h - one operator in the engine: the row of tables/ops.def as a struct. */
#ifndef KT_CALL_ROW_H
#define KT_CALL_ROW_H

#include <karat/plugin/call.h>
#include <karat/plugin/node.h>

#include "base/local.h"

enum kt__op {
#define OP(name, ...) KT_OP_##name,
#include "tables/ops.def"
    KT_NUM_OPS
};

struct kt__gathered;
struct kt__decision;
/* How an operator runs (tables/ways.def). Each way's file defines its struct; rows point to it. */
typedef struct kt__way {
    kt_status (*run)(kt_call *call);
    /* What the kernel would see of the operands, without running it; NULL: each as it is. */
    const struct kt__decision *(*decide)(const kt_call *call, struct kt__gathered *g, struct kt__decision *room);
    bool broadcasts; /* broadcasts its operands; the kernel may write element i over element i of an operand */
    bool composes;   /* made of other operators; differentiated through them unless the row names a node */
    bool lists;      /* returns a list of tensors */
    bool makes;      /* has no tensor argument */
    bool views;      /* shares memory with its first argument */
    bool fuses;      /* its kernels convert their inputs: the resolver applies autocast */
    bool straight;   /* runs at most one kernel: opens no frame */
} kt__way;
#define WAY(NAME, name, body) extern const kt__way kt__way_##name;
#include "tables/ways.def"

typedef enum kt__rule {
#define RULE(name, gives) RULE_##name,
#include "tables/rules.def"
} kt__rule;

/* Of rule NONE: why nothing is decided before the body (tables/ops.def). */
typedef enum kt__undecided {
    UNDECIDED_no,
    UNDECIDED_parts, UNDECIDED_list, UNDECIDED_argument, UNDECIDED_target /* ORDER UNDECIDED */
} kt__undecided;

typedef enum kt__autocast { /* as kt_autocast_class. ORDER AUTOCAST */
    AUTOCAST__,        /* operands unchanged; operators in a body have their own classes */
    AUTOCAST_LOWER,    /* to autocast's low-precision dtype */
    AUTOCAST_FP32,     /* to float32 */
    AUTOCAST_WIDEST,   /* to the widest dtype among them */
    AUTOCAST_SET_DTYPE, /* dtype=float32, unless it is given */
    AUTOCAST_KEEP,     /* operands unchanged, also in the body's operators */
    AUTOCAST_UNSAFE    /* refused */
} kt__autocast;

/* What backward needs (tables/ops.def), besides results. ORDER SAVES. */
enum kt__saves { SAVES_A = 1, SAVES_B = 2, SAVES_C = 4, SAVES_X = 8, SAVES_L = 16, SAVES_R = 32, SAVES_G = 64, SAVES_N = 128,
                 SAVES_T = 256, SAVES_D = 512, SAVES_O = 1024, SAVES_E = 2048,
                 SAVES_READ = 4096 /* X of an elementwise row: a formula that runs for all inputs reads all saved tensors */,
                 SAVES_F = 8192, SAVES_P = 16384, SAVES_S = 32768 };
/* Places of saved tensors in a node: operands A, B, C, the results, then the tensors of the row's lists. */
enum { SAVED_Y = 3, SAVED_LISTED = SAVED_Y + KT_MAX_RESULTS };

/* What a row may write into: the words after its forms; tables/ops.def explains them. */
typedef struct kt__target_rule {
    uint8_t     dtype, memory, grad;
    uint8_t     idempotent; /* bits of kt_category */
    int8_t      read_first; /* an argument, counted from 1; 0: none */
    bool        at_mask, silent_resize, dtype_before_dims, checked_in_body, keeps_shape, warns_count;
    const char *reported_as; /* the operator that messages name instead of this one; NULL: this one */
} kt__target_rule;
enum kt__target_dtype { TARGET_CAST, TARGET_EXACT, TARGET_SAME };
enum kt__target_memory {
    TARGET_ANY,
    TARGET_NOT_PARTIAL,
    TARGET_FIRST_NOT_PARTIAL,
    TARGET_FIRST_ONLY,
    TARGET_NOT_FIRST,
    TARGET_DISJOINT
};
enum kt__target_grad { TARGET_REFUSED, TARGET_RECORDED, TARGET_OPAQUE };

enum { KT_MOST_GATHERED = 10 }; /* operands of one call; tools/gen_rows.c enforces it */

/* The arguments that are operands of the kernel, in order. */
typedef struct kt__operand_map {
    uint8_t  n, at[KT_MAX_ARGS];
    uint32_t numbers; /* bit i: argument i is a number that a rule names as operand (kt__resolve_in_body) */
    bool     pair; /* called with two tensors only, the row's own kernel takes them in order */
    bool    bare; /* all arguments are operands */
} kt__operand_map;

/* The arguments that are tensors or lists of tensors, in order: the tape's inputs. */
typedef struct kt__input_map {
    uint8_t  n, at[KT_MAX_ARGS];
    uint32_t lists;   /* bit i: at[i] is a list */
    bool     pointed; /* an argument points to the caller's memory: ints, a string, a list */
    bool     special; /* has lists or its own node type: recorded on the general path */
} kt__input_map;

/* Positions of a reduction's usual arguments, found by name; -1: it does not have it. */
typedef struct kt__fold_args {
    int8_t dim, keepdim, dtype, unbiased, correction, order, k, descending;
} kt__fold_args;

/* A kernel parameter: an argument, or a constant. */
typedef struct kt__param {
    int8_t  at; /* the argument; -1: the constant `value` */
    uint8_t as, fit;
    double  value;
} kt__param;
enum kt__param_as { PARAM_AS_DOUBLE, PARAM_AS_ROUNDED, PARAM_AS_ROUNDED_INT };    /* tools/gen_rows.c explains them */
enum kt__param_fit { PARAM_FIT_ANY, PARAM_FIT_COMPUTE, PARAM_FIT_DTYPE };
/* Memory layout of a new result of an elementwise row. PyTorch takes the operands' layout; for the rows with another value
 * it does something else, visible in dims of one element or none. */
enum kt__lies {
    LIES_AS_OPERANDS,
    LIES_AS_PRODUCT,      /* one operand; PyTorch computes it as a product with a number */
    LIES_NUMBERS_APART,   /* a number as last operand is not broadcast: PyTorch has another kernel for it */
    LIES_AS_COMPARED,     /* floats: PyTorch compares abs(self) with a number; other dtypes: as self */
    LIES_DENSE,           /* row-major */
    LIES_DENSE_OF_NUMBER, /* row-major if the first operand is a number */
    LIES_AS_SECOND,       /* as self, the second operand; the first is a gradient */
    LIES_AS_SELF          /* as self, also the strides of dims of one element */
};
typedef struct kt__product      kt__product;      /* product.c */
typedef struct kt__refusal_line kt__refusal_line; /* call/refuse.h */

/* A row's columns, and what follows from its schema. tools/gen_rows.c writes rows.gen.c. Members that every call reads come
 * first, in whole cache lines. */
struct kt_row {
    _Alignas(64) const kt__way *way;
    kt_status (*body)(kt_call *call);  /* if the way has one */
    kt_status (*refine)(const kt_call *call, struct kt__gathered *g); /* applies the row's own arguments; NULL: none */
    void (*grad)(const kt_back *back); /* its derivative (grad/formula.h); NULL: none */
    const kt_arg_spec *args;
    uint16_t        id;     /* enum kt__op */
    uint16_t        kernel; /* its id (tables/kernels) */
    uint16_t        saves;
    uint8_t         saves_results; /* bit i: result i */
    uint8_t         n_saved;       /* places of saved tensors, without those of lists */
    uint32_t        required, checked; /* bit i: argument i has no default; its kind has invalid values (NULL) */
    uint8_t         forms;             /* bits: 1 << kt_form */
    uint8_t         rule;
    bool            resolved_by_body; /* the body resolves after its shape checks (`after`) */
    uint8_t         accepts;     /* bits: kt_category */
    uint8_t         autocast[2]; /* CPU, CUDA */
    uint8_t         n_args, n_results;
    uint8_t         exact;   /* if this operand is a number or 0-dim, it is not rounded to float16 or bfloat16; 0xff: none */
    bool            swapped; /* the kernel takes operands 0 and 1 in the other order */
    uint8_t         lies;    /* kt__lies */
    kt__operand_map operands;
    kt__input_map   inputs;
    const char     *missing; /* PyTorch's kernel name in "not implemented for" */
    const char     *node;    /* name of the backward node; NULL: not differentiable. A second name may follow the NUL: for a
                              * number in a tensor's place, or for the in-place form (SAVES_R, or one operand) */
    const struct kt__appended *appended; /* rows appended at run time (call/append.h); else NULL */
    uint8_t         node_bytes; /* size of `node`, both names */
    uint8_t         undecided;  /* kt__undecided */
    bool            internal;   /* users do not call it (schema_is_internal) */
    uint8_t         n_params, n_refusals;
    uint8_t         stages; /* bits of kt__stage: the stages that have refusals */
    const kt__param *params;          /* n_params of them, for kt__args_listed */
    const kt__product *product;       /* MATMUL rows: which product */
    const kt__refusal_line *refusals; /* n_refusals of them */
    kt__fold_args   fold;
    kt__target_rule target;
    const char     *name, *schema, *section, *doc;
    const char     *results[KT_MAX_RESULTS]; /* names, if there are several */
};

extern KT__HIDDEN const kt_row kt__rows[KT_NUM_OPS]; /* the table's rows by id; kt_row_at also knows appended ones */
/* The operator's name in PyTorch's messages; the text may go on (schema_name_length). */
const char *kt__schema_display_name(const kt_row *row);

kt_status kt__args_listed(const kt_call *call, struct kt__gathered *g); /* args.c: pushes the row's params */

static inline int kt__n_results(const kt_row *row) { return row->n_results; }
static inline int kt__n_args(const kt_row *row) { return row->n_args; }
static inline const kt_arg_spec *kt__arg_spec(const kt_row *row, int i) { return &row->args[i]; }

#endif
