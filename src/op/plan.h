/* plan.h - the resolver's answer as the other layers see it: the plan of plugin/backend.h.
 * This is the one header of src/op that backends and observers may include besides observe.h. */
#ifndef KT_OP_PLAN_H
#define KT_OP_PLAN_H

#include <karat/plugin/backend.h>

#endif
