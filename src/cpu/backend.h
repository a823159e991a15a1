/* backend.h - the CPU backend. In: nothing. Out: the vtable of karat/plugin/backend.h. */
#ifndef KT_CPU_BACKEND_H
#define KT_CPU_BACKEND_H

#include <karat/plugin/backend.h>

kt_backend *kt__cpu_backend(void);

#endif
