/* rows.c - what tools and bindings can ask about a row. The table's rows are in rows.gen.c, appended ones in append.c. */
#include "call/append.h"

#include <string.h>

const char *kt__schema_display_name(const kt_row *row)
{
    return row->target.reported_as ? row->target.reported_as : row->schema + (strncmp(row->schema, "nn_", 3) == 0 ? 3 : 0);
}

const kt_row *kt_row_at(int index)
{
    return index < 0 ? NULL : index < KT_NUM_OPS ? &kt__rows[index] : kt__appended_at(index - KT_NUM_OPS);
}

const kt_row *kt_row_find(const char *name)
{
    const kt_row *row = NULL;
    for (int id = 0; name && (row = kt_row_at(id)); id++)
        if (strcmp(row->name, name) == 0 && !kt_row_is_withdrawn(row))
            return row;
    return NULL;
}

const char *kt_row_name(const kt_row *row) { return row ? row->name : ""; }
const char *kt_row_schema(const kt_row *row) { return row ? row->schema : ""; }
const char *kt_row_doc(const kt_row *row) { return row ? row->doc : ""; }

int         kt_row_n_args(const kt_row *row) { return row ? kt__n_args(row) : 0; }
bool        kt_row_has_form(const kt_row *row, kt_form form) { return row && (unsigned)form <= KT_OUT && row->forms >> form & 1; }
bool        kt_row_is_view(const kt_row *row) { return row && row->way->views; }

int         kt_row_n_results(const kt_row *row) { return row ? kt__n_results(row) : 0; }

const char *kt_row_result_name(const kt_row *row, int index)
{
    const char *name = row && index >= 0 && index < KT_MAX_RESULTS ? row->results[index] : NULL;
    return name ? name : "";
}

int kt_row_result_kind(const kt_row *row, int index)
{
    if (!row || index < 0 || index >= kt__n_results(row))
        return -1;
    return row->appended ? row->appended->result_kind[index] : row->way->lists ? KT_ARG_TENSORS : KT_ARG_TENSOR;
}

bool kt_row_result_optional(const kt_row *row, int index)
{
    return row && row->appended && index >= 0 && index < row->n_results && row->appended->optional >> index & 1;
}

const kt_arg_spec *kt_row_arg(const kt_row *row, int index)
{
    return row && index >= 0 && index < kt__n_args(row) ? kt__arg_spec(row, index) : NULL;
}
