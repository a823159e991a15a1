/* rows.c - tables/ops.def as C data, and the questions that tools and bindings ask about a row. */
#include "op/row.h"

#include <string.h>

#include "op/kernels.h"

enum { FORMS__ = 1, FORMS_W = 2, FORMS_I = 3, FORMS_O = 5, FORMS_IO = 7 };
enum {
    ACCEPTS_BIFC = 15,
    ACCEPTS_BIF = 7,
    ACCEPTS_BI = 3,
    ACCEPTS_I = 2,
    ACCEPTS_IF = 6,
    ACCEPTS_IFC = 14,
    ACCEPTS_F = 4,
    ACCEPTS_FC = 12
};

/* A row whose `how` is a body names it after itself. */
#define BODY_ELEMENTWISE(name)
#define BODY_REDUCE(name)
#define BODY_SCAN(name)
#define BODY_MATMUL(name)
#define BODY_COPY(name)
#define BODY_VIEW(name) kt_status kt__body_##name(kt_call *call);
#define BODY_MAKE(name) BODY_VIEW(name)
#define BODY_BODY(name) BODY_VIEW(name)
#define BODY_LIST(name) BODY_VIEW(name)
#define OP(name, schema, forms, how, ...) BODY_##how(name)
#include "tables/ops.def"

#define POINTER_ELEMENTWISE(name) NULL
#define POINTER_REDUCE(name)      NULL
#define POINTER_SCAN(name)        NULL
#define POINTER_MATMUL(name)      NULL
#define POINTER_COPY(name)        NULL
#define POINTER_VIEW(name)        kt__body_##name
#define POINTER_MAKE(name)        kt__body_##name
#define POINTER_BODY(name)        kt__body_##name
#define POINTER_LIST(name)        kt__body_##name

enum { A = SAVES_A, B = SAVES_B, C = SAVES_C, Y = SAVES_Y, Z = SAVES_Z, X = SAVES_X, L = SAVES_L, R = SAVES_R,
       G = SAVES_G, N = SAVES_N, T = SAVES_T, D = SAVES_D, O = SAVES_O, E = SAVES_E, _ = 0 };

const kt_row kt__rows[KT_NUM_OPS] = {
#define OP(row, text, form, way, dtypes, kern, accept, lacks, cpu, cuda, save, back, line)                              \
    {.name = #row, .schema = text, .doc = line, .missing = lacks, .node = back, .body = POINTER_##way(row),            \
     .node_bytes = sizeof(back),                                                                                       \
     .id = KT_OP_##row, .kernel = KT_K_##kern, .forms = FORMS_##form, .how = HOW_##way, .rule = RULE_##dtypes,         \
     .accepts = ACCEPTS_##accept, .autocast = {AUTOCAST_##cpu, AUTOCAST_##cuda}, .saves = save},
#include "tables/ops.def"
};

kt__operand_map kt__operands_of[KT_NUM_OPS];
kt__fold_args   kt__fold_args_of[KT_NUM_OPS];
kt__input_map   kt__inputs_of[KT_NUM_OPS];

kt__argument_bits kt__arguments_of[KT_NUM_OPS];

static kt__argument_bits argument_bits(const kt_row *row)
{
    kt__argument_bits bits = {0, 0};
    for (int i = 0; i < kt__n_args(row); i++) {
        const kt_arg_spec *spec = kt__arg_spec(row, i);
        const bool         any = spec->kind == KT_ARG_INT || spec->kind == KT_ARG_BOOL || spec->kind == KT_ARG_FLOAT;
        bits.required |= (uint16_t)((!spec->has_default && !spec->optional) << i);
        bits.checked |= (uint16_t)(!any << i);
    }
    return bits;
}

static void map_inputs(const kt_row *row, kt__input_map *map)
{
    for (int i = 0; i < kt__n_args(row); i++) {
        uint8_t kind = kt__arg_spec(row, i)->kind;
        map->pointed |= kind == KT_ARG_INTS || kind == KT_ARG_STRING || kind == KT_ARG_TENSORS;
        if (kind != KT_ARG_TENSOR && kind != KT_ARG_TENSOR_OR_SCALAR && kind != KT_ARG_TENSORS)
            continue;
        map->lists |= (uint16_t)((kind == KT_ARG_TENSORS) << map->n);
        map->at[map->n++] = (uint8_t)i;
    }
}

static int8_t argument_named(const kt_row *row, const char *name)
{
    for (int i = 0; i < kt__n_args(row); i++)
        if (strcmp(kt__arg_spec(row, i)->name, name) == 0)
            return (int8_t)i;
    return -1;
}

static kt__fold_args fold_args(const kt_row *row)
{
    int8_t p = argument_named(row, "p");
    return (kt__fold_args){.dim = argument_named(row, "dim"),
                           .keepdim = argument_named(row, "keepdim"),
                           .dtype = argument_named(row, "dtype"),
                           .unbiased = argument_named(row, "unbiased"),
                           .correction = argument_named(row, "correction"),
                           .k = argument_named(row, "k"),
                           .descending = argument_named(row, "descending"),
                           .order = p >= 0 ? p : argument_named(row, "ord")};
}

/* Rows whose kernel needs more than their two tensors: one swaps them, one gives it numbers of its own. */
const char *kt__schema_said(const kt_row *row)
{
    const size_t length = strlen(row->name);
    const bool   part = row->schema[0] == '_' && length > 3 && strcmp(row->name + length - 3, "_of") == 0;
    return row->schema + (strncmp(row->schema, "nn_", 3) == 0 ? 3 : part);
}

static bool is_refined(int id) { return id == KT_OP_rsub || id == KT_OP_log_sigmoid_backward; }

void kt__rows_init(void)
{
    for (int id = 0; id < KT_NUM_OPS; id++) {
        kt__fold_args_of[id] = fold_args(&kt__rows[id]);
        kt__operand_map *map = &kt__operands_of[id];
        map_inputs(&kt__rows[id], &kt__inputs_of[id]);
        kt__arguments_of[id] = argument_bits(&kt__rows[id]);
        for (int i = 0; i < kt__n_args(&kt__rows[id]); i++) {
            uint8_t kind = kt__arg_spec(&kt__rows[id], i)->kind;
            if ((kind == KT_ARG_TENSOR || kind == KT_ARG_TENSOR_OR_SCALAR) && map->n < 4)
                map->at[map->n++] = (uint8_t)i;
        }
        map->bare = map->n == kt__n_args(&kt__rows[id]);
        map->pair = map->n == 2 && kt__rows[id].how == HOW_ELEMENTWISE && !is_refined(id);
    }
}

const kt_row *kt_row_at(int index) { return index >= 0 && index < KT_NUM_OPS ? &kt__rows[index] : NULL; }

const kt_row *kt_row_find(const char *name)
{
    for (int id = 0; name && id < KT_NUM_OPS; id++)
        if (strcmp(kt__rows[id].name, name) == 0)
            return &kt__rows[id];
    return NULL;
}

const char *kt_row_name(const kt_row *row) { return row ? row->name : ""; }
const char *kt_row_schema(const kt_row *row) { return row ? row->schema : ""; }
const char *kt_row_doc(const kt_row *row) { return row ? row->doc : ""; }

int         kt_row_n_args(const kt_row *row) { return row ? kt__n_args(row) : 0; }
bool        kt_row_has_form(const kt_row *row, kt_form form) { return row && (unsigned)form <= KT_OUT && row->forms >> form & 1; }
bool        kt_row_is_view(const kt_row *row) { return row && row->how == HOW_VIEW; }

int         kt_row_n_results(const kt_row *row) { return row ? kt__n_results(row) : 0; }

const char *kt_row_result_name(const kt_row *row, int index)
{
    const char *name = row && index >= 0 && index < KT_MAX_RESULTS ? kt__result_names[row->id][index] : NULL;
    return name ? name : "";
}

const kt_arg_spec *kt_row_arg(const kt_row *row, int index)
{
    return row && index >= 0 && index < kt__n_args(row) ? kt__arg_spec(row, index) : NULL;
}
