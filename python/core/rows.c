/* rows.c - the rows that the binding itself calls (x.T, x.data, equal ...), found by name once, when the module starts.
 *
 * In: the list in binding.h. Out: kp_rows. Independent of: what a row does. */
#include "core/binding.h"

kp_row_set kp_rows;

int kp_rows_start(void)
{
#define X(name)                             \
    if (!(kp_rows.name = kp_row(#name)))    \
        return -1;
    KP_ROWS(X)
#undef X
    return 0;
}
