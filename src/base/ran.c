/* ran.c - see ran.h. */
#include "base/ran.h"

KT__HOT_LOCAL const char *kt__ran_with;
