/* row_facts.c - what tools and documents say of an operator: under which heading it stands, which dtypes it takes and gives,
 * whether a gradient flows. In: tables/ops.def. Out: text. Nothing computes with it. */
#include "call/row.h"

#include <string.h>

enum { TAKES_B = 1, TAKES_I = 2, TAKES_F = 4, TAKES_C = 8 };
enum {
    TAKES_BIFC = 15, TAKES_BIF = 7, TAKES_BI = 3, TAKES_IF = 6, TAKES_IFC = 14, TAKES_FC = 12
};
enum { GRAD__ = 0, GRAD_NO = 1 };

typedef struct statement {
    uint8_t     takes, grad;
    const char *gives; /* NULL: the rule says it */
} statement;

static const statement *stated_of(const kt_row *row)
{
    static const statement stated[KT_NUM_OPS] = {
#define RESULT(name, takes, grad, gives) [KT_OP_##name] = {TAKES_##takes, GRAD_##grad, gives},
#include "tables/ops.def"
    }, nothing;
    return row->id < KT_NUM_OPS ? &stated[row->id] : &nothing;
}

/* What follows from the reason why the resolver decides nothing. Of one made of others it does not: its RESULT line says it. */
static const char *undecided(const kt_row *row)
{
    switch ((kt__undecided)row->undecided) {
    case UNDECIDED_list: return "the common dtype of the tensors";
    case UNDECIDED_argument: return row->inputs.n ? "dtype=, or that of self" : "dtype=, or the default dtype";
    case UNDECIDED_target: return "the dtype of self";
    default: return "";
    }
}

const char *kt_row_section(const kt_row *row) { return row ? row->section : ""; }

bool        kt_row_is_internal(const kt_row *row) { return row && row->internal; }

const char *kt_row_dtype_rule(const kt_row *row)
{
    static const char *const text[] = {
#define RULE(name, gives) gives,
#include "tables/rules.def"
    };
    if (!row)
        return "";
    return stated_of(row)->gives ? stated_of(row)->gives : row->rule == RULE_NONE ? undecided(row) : text[row->rule];
}

unsigned kt_row_takes(const kt_row *row)
{
    if (!row)
        return 0;
    if (stated_of(row)->gives)
        return stated_of(row)->takes;
    if (row->rule == RULE_NONE)
        return TAKES_BIFC;
    const bool converts = row->rule == RULE_FLOAT || row->rule == RULE_FLOAT_TO_REAL; /* integers and bools become floats */
    return row->accepts | (converts ? TAKES_B | TAKES_I : 0u);
}

static bool is_gradless(const kt_row *row)
{
    return stated_of(row)->grad == GRAD_NO || row->undecided == UNDECIDED_target || row->rule == RULE_COMPARE ||
           row->rule == RULE_TO_BOOL || row->rule == RULE_TRUTH || row->rule == RULE_INDEX || row->rule == RULE_SEARCH;
}

const char *kt_row_derivative(const kt_row *row)
{
    if (!row)
        return "";
    if (row->node)
        return strcmp(row->node, "NotImplemented") == 0 ? "none: PyTorch has none either" : row->node;
    if (is_gradless(row) || (!row->way->composes && !row->way->lists))
        return "none: no gradient flows";
    return "that of the operators it is made of";
}
