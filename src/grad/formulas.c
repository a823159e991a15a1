/* formulas.c - the derivative of every operator that has one, put together from the tables of the formulas_*.c files. */
#include "grad/grad.h"

kt__formula *kt__formulas[KT_NUM_OPS];

extern const kt__formula_row kt__formulas_elementwise[], kt__formulas_reduce[], kt__formulas_product[], kt__formulas_view[],
    kt__formulas_random[], kt__formulas_join[], kt__formulas_index[], kt__formulas_scan[],
    kt__formulas_loss[], kt__formulas_activation[];

void kt__formulas_init(void)
{
    static const kt__formula_row *const tables[] = {kt__formulas_elementwise, kt__formulas_reduce, kt__formulas_product,
                                                    kt__formulas_view,       kt__formulas_random, kt__formulas_join,
                                                    kt__formulas_index,     kt__formulas_scan,
                                                    kt__formulas_loss,       kt__formulas_activation};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const kt__formula_row *row = tables[i]; row->formula; row++)
            kt__formulas[row->op] = row->formula;
}
