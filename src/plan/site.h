/* site.h - the line of the user's program that runs now, as a small number. Lineage fills in how it is read; without it there is
 * none. Asked for where a dtype is born or changes, a node is made, a tensor of the tape is written in place, and of a plan where
 * somebody watches or its device works late: reading a binding's line costs more than a small operator can spare. */
#ifndef KT_PLAN_SITE_H
#define KT_PLAN_SITE_H

#include <stdint.h>

#include "base/local.h"

extern uint32_t (*kt__site_read)(void); /* interned id; 0: unknown */

/* The thread's C site as an id, from when it was first asked for until it changes; 0: ask. Every node of the tape keeps one, and
 * a call through the hook is dear beside the rest of a small node. */
extern KT__HOT_LOCAL uint32_t kt__site_known;

#ifdef KT_NO_LINEAGE
#define KT__SITE() 0u
#else
#define KT__SITE() (kt__site_known ? kt__site_known : kt__site_read ? kt__site_read() : 0u)
#endif

#endif
