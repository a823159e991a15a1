/* row.h - one operator as the engine sees it: the row of tables/ops.def with its tokens turned into values. */
#ifndef KT_CALL_ROW_H
#define KT_CALL_ROW_H

#include <karat/plugin/call.h>
#include <karat/plugin/node.h>

enum kt__op {
#define OP(name, ...) KT_OP_##name,
#include "tables/ops.def"
    KT_NUM_OPS
};

/* How an operator runs (tables/ways.def). The file of a way defines it; a row points at it. */
typedef struct kt__way {
    kt_status (*run)(kt_call *call);
    bool broadcasts; /* operands to one shape, and the kernel's elements may be written over them one by one */
    bool composes;   /* the row is made of other operators, whose derivatives it has unless it names a node */
    bool lists;      /* gives a list of tensors */
    bool makes;      /* no tensor goes in */
    bool views;      /* shares memory with its first argument */
    bool fuses;      /* its kernels convert what they read: autocast is one of the resolver's reasons there */
    bool straight;   /* one kernel or none is all that runs: no frame is opened */
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

typedef enum kt__autocast {
    AUTOCAST__,        /* operands as they are; of a body the parts have classes of their own */
    AUTOCAST_LOWER,    /* to the narrow float that autocast was asked for */
    AUTOCAST_FP32,     /* to float32 */
    AUTOCAST_WIDEST,   /* to the widest among them */
    AUTOCAST_SET_DTYPE, /* dtype=float32, unless it is given */
    AUTOCAST_KEEP,     /* operands as they are, and so the parts of the body */
    AUTOCAST_UNSAFE    /* refused */
} kt__autocast;

/* What backward needs (tables/ops.def), besides results. ORDER SAVES. */
enum kt__saves { SAVES_A = 1, SAVES_B = 2, SAVES_C = 4, SAVES_X = 8, SAVES_L = 16, SAVES_R = 32, SAVES_G = 64, SAVES_N = 128,
                 SAVES_T = 256, SAVES_D = 512, SAVES_O = 1024, SAVES_E = 2048,
                 SAVES_READ = 4096 /* X of elements: a formula that runs for all inputs reads all that was saved */ };
/* Places of what a node saved: operands A, B, C, the results, then the tensors of the row's lists. */
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

enum { KT_MOST_GATHERED = 10 }; /* operands of one call that the resolver decides on; tools/gen_rows.c holds rows to it */

/* Which arguments of a row are operands of its kernel, in order. */
typedef struct kt__operand_map {
    uint8_t  n, at[KT_MAX_ARGS];
    uint16_t numbers; /* bit i: argument i is a number that a rule names as operand (kt__resolve_in_body) */
    bool     pair; /* two tensors alone mean the row's own kernel, in order */
    bool    bare; /* it takes nothing but operands */
} kt__operand_map;

/* Which arguments of a row are tensors or lists of them, in order: the inputs that the tape sees. */
typedef struct kt__input_map {
    uint8_t  n, at[KT_MAX_ARGS];
    uint16_t lists;   /* bit i: at[i] is a list */
    bool     pointed; /* an argument points at what is the caller's: ints, a string, a list */
    bool     special; /* lists, or a node of the row's own type: recorded off the short way */
} kt__input_map;

/* Where a reduction takes what all of them may take, by the names of its arguments; -1: it has none such. */
typedef struct kt__fold_args {
    int8_t dim, keepdim, dtype, unbiased, correction, order, k, descending;
} kt__fold_args;

/* A number that the kernel is given: an argument, or one that never changes. */
typedef struct kt__param {
    int8_t  at; /* the argument; -1: none, `value` it is */
    uint8_t as, fit;
    double  value;
} kt__param;
enum kt__param_as { PARAM_AS_DOUBLE, PARAM_AS_ROUNDED, PARAM_AS_ROUNDED_INT };    /* tools/gen_rows.c says what they mean */
enum kt__param_fit { PARAM_FIT_ANY, PARAM_FIT_COMPUTE, PARAM_FIT_DTYPE };
/* How a fresh result of an elementwise row lies in memory. PyTorch makes one as its operands lie; of these rows it goes another
 * way, which shows where dims have one element or none. */
enum kt__lies {
    LIES_AS_OPERANDS,
    LIES_AS_PRODUCT,      /* of one operand, and in PyTorch a product of it with a number */
    LIES_NUMBERS_APART,   /* a number that stands last is not broadcast: PyTorch has another kernel for it */
    LIES_AS_COMPARED,     /* of what can be infinite the size is compared with a number; of the rest as self */
    LIES_DENSE,           /* row-major, whatever the operands are */
    LIES_DENSE_OF_NUMBER, /* the same where the first operand is a number */
    LIES_AS_SECOND,       /* as self, before the gradient that stands first */
    LIES_AS_SELF          /* down to the strides of dims of one element */
};
struct kt__gathered;
typedef struct kt__product      kt__product;      /* product.c */
typedef struct kt__refusal_line kt__refusal_line; /* call/refuse.h */

/* Written by tools/gen_rows.c into rows.gen.c: the columns of a row, and what follows from its schema. What every call reads
 * stands first, in whole cache lines. */
struct kt_row {
    _Alignas(64) const kt__way *way;
    kt_status (*body)(kt_call *call);  /* of ways that have one */
    kt_status (*refine)(const kt_call *call, struct kt__gathered *g); /* what its own arguments change; NULL: nothing */
    void (*grad)(const kt_back *back); /* its derivative (grad/formula.h); NULL: none */
    const kt_arg_spec *args;
    uint16_t        id;     /* enum kt__op */
    uint16_t        kernel; /* its id (tables/kernels) */
    uint16_t        saves;
    uint8_t         saves_results; /* bit i: result i */
    uint8_t         n_saved;       /* places of what it saves, those of lists not counted */
    uint16_t        required, checked; /* bit i: argument i has no default; its kind has values that are none (a NULL) */
    uint8_t         forms;             /* bits: 1 << kt_form */
    uint8_t         rule;
    bool            resolved_by_body; /* of a body: it asks for the decision itself, when it has looked at the shapes */
    uint8_t         accepts;     /* bits: kt_category */
    uint8_t         autocast[2]; /* CPU, CUDA */
    uint8_t         n_args, n_results;
    uint8_t         exact;   /* operand that meets reduced floats unrounded where it is a number or 0-dim; 0xff: none */
    bool            swapped; /* operands 0 and 1 change places for the kernel */
    uint8_t         lies;    /* kt__lies */
    kt__operand_map operands;
    kt__input_map   inputs;
    const char     *missing; /* PyTorch's name of the kernel that refuses a dtype */
    const char     *node;    /* name of the backward node; NULL: not differentiable. A second one may follow its end: the
                              * name where a number stands in a tensor's place, or in place, under SAVES_R or of one operand */
    const struct kt__appended *appended; /* of a row that was appended while the program runs (call/append.h); else NULL */
    uint8_t         node_bytes; /* of node's text, all of it */
    uint8_t         undecided;  /* kt__undecided */
    bool            internal;   /* users do not call it: PyTorch's own name of it begins with an underscore */
    uint8_t         n_params, n_refusals;
    uint8_t         stages; /* bits of kt__stage: at which there are refusals */
    const kt__param *params;          /* of kt__args_listed, n_params of them */
    const kt__product *product;       /* of MATMUL: which one */
    const kt__refusal_line *refusals; /* n_refusals of them */
    kt__fold_args   fold;
    kt__target_rule target;
    const char     *name, *schema, *section, *doc;
    const char     *results[KT_MAX_RESULTS]; /* the names of several */
};

extern const kt_row kt__rows[KT_NUM_OPS]; /* those of the table, by id; kt_row_at has the appended ones too */
/* The operator's name in PyTorch's messages; the text may go on (schema_name_length). */
const char *kt__schema_display_name(const kt_row *row);

kt_status kt__args_listed(const kt_call *call, struct kt__gathered *g); /* args.c: the row's params */

static inline int kt__n_results(const kt_row *row) { return row->n_results; }
static inline int kt__n_args(const kt_row *row) { return row->n_args; }
static inline const kt_arg_spec *kt__arg_spec(const kt_row *row, int i) { return &row->args[i]; }

#endif
