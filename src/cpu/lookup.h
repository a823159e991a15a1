/* lookup.h - elementwise rows over 16-bit floats, looked up in a table of what the row makes of each of 65,536 operands.
 *
 * In: plans. Out: their results, with the bits of the computed loops. Independent of: what a row calculates, which build runs. */
#ifndef KT_CPU_LOOKUP_H
#define KT_CPU_LOOKUP_H

#include "cpu/kernels.h"

enum {
    KT__LOOKUP_INPUTS = 1 << 16,
    KT__LOOKUP_LEAST = 256,                 /* elements of a call: of fewer, each might wait for a line of the table */
    KT__LOOKUP_PAYS = 2 * KT__LOOKUP_INPUTS /* elements of a row, in all calls so far, with which its table is made */
};

/* Runs the plan by table. False: there is none for it, or not yet: the computed loop has to run it. `build` fills a new table. */
bool kt__lookup(const kt__cpu_build *build, const kt_plan *plan);

/* For tests: the entries that such a plan reads, by the bits of the operand; NULL: they are not made. */
uint32_t *kt__lookup_entries(const kt_plan *plan);
bool      kt__lookup_serves(kt_kernel_id kernel); /* is it one of the rows that have tables? */

#endif
