/* site.h - the line of the user's program that runs now, as an interned id. Lineage sets the function that reads it. It is
 * read only where it is needed, because reading a Python line costs more than a small operator: when a dtype is created or
 * changes, when a node is made, when a tensor of the tape is written in place, and for plans with watchers or on a late
 * device. */
#ifndef KT_PLAN_SITE_H
#define KT_PLAN_SITE_H

#include <stdint.h>

#include "base/local.h"

extern KT__HIDDEN uint32_t (*kt__site_read)(void); /* interned id; 0: unknown */

/* The id of the thread's current C site; 0: not known yet, call kt__site_read. Every node of the tape keeps a site, and a
 * call through the hook would be a large part of the cost of a small node. */
extern KT__HOT_LOCAL uint32_t kt__site_known;

#ifdef KT_NO_LINEAGE
#define KT__SITE() 0u
#else
#define KT__SITE() (kt__site_known ? kt__site_known : kt__site_read ? kt__site_read() : 0u)
#endif

#endif
