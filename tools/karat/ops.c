/* ops.c - `karat ops`: the operator table, read through the public functions. */
#include <karat/plugin/call.h>
#include <stdio.h>

#include "karat.h"

static void one(const kt_row *row)
{
    printf("%s\n  %s\n  forms:", kt_row_schema(row), kt_row_doc(row));
    printf(" kt_%s", kt_row_name(row));
    if (kt_row_has_form(row, KT_INPLACE))
        printf(", kt_%s_ (in place)", kt_row_name(row));
    if (kt_row_has_form(row, KT_OUT))
        printf(", kt_%s_out", kt_row_name(row));
    if (*kt_row_dtype_rule(row))
        printf("\n  result dtype: %s", kt_row_dtype_rule(row));
    printf("%s\n", kt_row_is_view(row) ? "\n  a view: shares storage with its input" : "");
}

int karat_ops(int n, char **words)
{
    if (n > 0) {
        const kt_row *row = kt_row_find(words[0]);
        if (!row) {
            fprintf(stderr, "karat ops: there is no operator '%s'\n", words[0]);
            return 1;
        }
        one(row);
        return 0;
    }
    int count = 0;
    for (const kt_row *row; (row = kt_row_at(count)); count++)
        printf("%-20s %s\n", kt_row_name(row), kt_row_doc(row));
    printf("%d operators\n", count);
    return 0;
}
