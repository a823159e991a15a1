/* init.c - installs the lineage layer in the engine: the hooks of plan/observe.h.
 *
 * In: the call of the library's constructor. Out: filled hooks. Independent of: how records, sites and text are made. */
#include "lineage/intern.h"
#include "lineage/lineage.h"
#include "plan/observe.h"

void kt__lineage_init(void)
{
    kt__intern_init();
#ifndef KT_NO_LINEAGE
    kt__lineage.record = kt__lineage_record;
    kt__lineage.gradient = kt__lineage_gradient;
    kt__lineage.like = kt__lineage_like;
    kt__lineage.keep_text = kt__intern_text;
    kt__lineage.stack = kt__site_stack;
    kt__site_read = kt__site_now;
#endif
    kt__lineage.site_text = kt__site_text;
    kt__lineage.explain = kt__lineage_explain;
    kt__lineage.in_binding = kt__in_binding;
}
