/* ran.h - who computed a kernel beside our own code: a library that a backend has called. For profiles; a kernel that leaves it
 * as it is was computed by our own. */
#ifndef KT_BASE_RAN_H
#define KT_BASE_RAN_H

#include "base/local.h"

extern KT__HOT_LOCAL const char *kt__ran_with; /* "oneDNN", "OpenBLAS"; of this thread */

#endif
