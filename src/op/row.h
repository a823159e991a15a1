/* row.h - one operator as the engine sees it: the row of tables/ops.def with its tokens turned into values. */
#ifndef KT_OP_ROW_H
#define KT_OP_ROW_H

#include <karat/plugin/call.h>

enum kt__op {
#define OP(name, ...) KT_OP_##name,
#include "tables/ops.def"
    KT_NUM_OPS
};

typedef enum kt__how {
    HOW_ELEMENTWISE,
    HOW_REDUCE,
    HOW_SCAN,
    HOW_MATMUL,
    HOW_COPY,
    HOW_VIEW,
    HOW_MAKE,
    HOW_BODY,
    HOW_LIST
} kt__how;

typedef enum kt__rule {
    RULE_NONE,
    RULE_SAME,          /* operands as they are, result like the first */
    RULE_PROMOTE,       /* the common dtype in and out */
    RULE_FLOAT,         /* the common dtype; ints and bool go to the default float */
    RULE_COMPARE,       /* the common dtype in, bool out */
    RULE_TO_BOOL,       /* as it is in, bool out */
    RULE_TO_REAL,       /* as it is in; complex gives its real dtype */
    RULE_FLOAT_TO_REAL, /* FLOAT in; complex gives its real dtype */
    RULE_WHERE,         /* the first operand is a condition, the others promote */
    RULE_SUM,           /* ints and bool add up in int64; dtype= wins */
    RULE_MATCH,         /* operands must have one dtype already */
    RULE_MATCH_REST,    /* all but the first must; the first is converted to it */
    RULE_MEAN,          /* as it is, or dtype= */
    RULE_NORM,          /* MEAN in; complex gives its real dtype */
    RULE_TRUTH,         /* as it is in, bool out; uint8 gives uint8 */
    RULE_INDEX,         /* as it is in, int64 out */
    RULE_WITH_INDEX     /* as it is in and out; a second result is int64 */
} kt__rule;

typedef enum kt__autocast { AUTOCAST__, AUTOCAST_LOWER, AUTOCAST_FP32, AUTOCAST_WIDEST, AUTOCAST_SET_DTYPE } kt__autocast;

enum kt__saves { SAVES_A = 1, SAVES_B = 2, SAVES_C = 4, SAVES_Y = 8, SAVES_X = 16, SAVES_Z = 32, SAVES_L = 64, SAVES_R = 128,
                 SAVES_G = 256, SAVES_N = 512, SAVES_T = 1024, SAVES_D = 2048, SAVES_O = 4096, SAVES_E = 8192 };

struct kt_row {
    const char *name, *schema, *doc;
    const char *missing;     /* PyTorch's name of the kernel that refuses a dtype */
    const char *node;        /* name of the backward node; NULL: not differentiable. A second one may follow its end: the
                              * name where a number stands in a tensor's place, or in place, under SAVES_R or of one operand */
    kt_status (*body)(kt_call *call); /* VIEW, MAKE, BODY, LIST */
    uint16_t    id;          /* enum kt__op */
    uint16_t    kernel;      /* enum kt__kernel */
    uint8_t     forms;       /* bits: 1 << kt_form */
    uint8_t     how, rule;
    uint8_t     accepts;     /* bits: kt_category */
    uint8_t     autocast[2]; /* CPU, CUDA */
    uint8_t     node_bytes;  /* of node's text, all of it */
    uint16_t    saves;
};

extern const kt_row      kt__rows[KT_NUM_OPS];
extern const kt_arg_spec kt__arg_table[];
extern const uint16_t    kt__arg_first[];

extern const char *const kt__result_names[KT_NUM_OPS][KT_MAX_RESULTS]; /* NULL: one result, or a list */

const char *kt__schema_said(const kt_row *row); /* as PyTorch says it: of a part, whose name ends in _of, without its mark */

static inline int kt__n_results(const kt_row *row)
{
    int n = 0;
    while (n < KT_MAX_RESULTS && kt__result_names[row->id][n])
        n++;
    return n ? n : 1;
}
static inline int kt__n_args(const kt_row *row) { return kt__arg_first[row->id + 1] - kt__arg_first[row->id]; }
static inline const kt_arg_spec *kt__arg_spec(const kt_row *row, int i) { return &kt__arg_table[kt__arg_first[row->id] + i]; }

/* Which arguments of a row are operands of its kernel, in order: found once at start. */
typedef struct kt__operand_map {
    uint8_t n, at[4];
    bool    pair;    /* two tensors alone mean the row's own kernel, in order */
    bool    bare;    /* it takes nothing but operands */
} kt__operand_map;
extern kt__operand_map kt__operands_of[KT_NUM_OPS];

/* Which arguments of a row are tensors or lists of them, in order: the inputs that the tape sees. */
typedef struct kt__input_map {
    uint8_t  n, at[KT_MAX_ARGS];
    uint16_t lists;   /* bit i: at[i] is a list */
    bool     pointed; /* an argument points at what is the caller's: ints, a string, a list */
} kt__input_map;
extern kt__input_map kt__inputs_of[KT_NUM_OPS];

/* What every call must bring, and what of it is looked at before the body relies on it: bit i is argument i. */
typedef struct kt__argument_bits {
    uint16_t required; /* it has no default */
    uint16_t checked;  /* its kind has values that are none: a NULL, a list without memory */
} kt__argument_bits;
extern kt__argument_bits kt__arguments_of[KT_NUM_OPS];

/* Where a reduction takes what all of them may take, by the names of its arguments; -1: it has none such. */
typedef struct kt__fold_args {
    int8_t dim, keepdim, dtype, unbiased, correction, order, k, descending;
} kt__fold_args;
extern kt__fold_args kt__fold_args_of[KT_NUM_OPS];
void kt__rows_init(void);

#endif
