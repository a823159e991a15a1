/* plan_text.h - a plan as one line of text: "to_copy, cpu: float32 <- float64 as float32 (explicit), truth.c:41".
 *
 * In: a plan as a watcher gets it. Out: operator, device, outputs, inputs with what they are seen as and why, line. */
#ifndef KT_TEST_PLAN_TEXT_H
#define KT_TEST_PLAN_TEXT_H

#include <karat/plugin/call.h>
#include <karat/plugin/site.h>
#include <stdio.h>
#include <string.h>

static inline size_t plan_operand_text(const kt_operand *o, char *room, size_t size)
{
    const int n = o->is == o->as ? snprintf(room, size, " %s", kt_dtype_name((kt_dtype)o->is))
                                 : snprintf(room, size, " %s as %s (%s)", kt_dtype_name((kt_dtype)o->is),
                                            kt_dtype_name((kt_dtype)o->as), kt_reason_name((kt_reason)o->why));
    return (size_t)n < size ? (size_t)n : size - 1;
}

static inline void plan_text(const kt_plan *plan, char *room, size_t size)
{
    int         line = 0;
    const char *file = kt_site_file(plan->site, &line), *slash = strrchr(file, '/');
    size_t      at = (size_t)snprintf(room, size, "%s, %s:", plan->row ? kt_row_name(plan->row) : "no row",
                                      kt_device_name((kt_device){plan->device_kind, plan->device_index}));
    for (int i = 0; i < plan->n_out + plan->n_in; i++) {
        if (i == plan->n_out)
            at += (size_t)snprintf(room + at, size - at, " <-");
        at += plan_operand_text(&plan->arg[i], room + at, size - at);
    }
    snprintf(room + at, size - at, ", %s:%d", slash ? slash + 1 : file, line);
}

#endif
