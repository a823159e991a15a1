/* work.h - releases a binding's lock (the GIL) around long kernels and waits (karat/plugin/work.h). Independent of: whose lock it
 * is, plans, operators. */
#ifndef KT_TENSOR_WORK_H
#define KT_TENSOR_WORK_H

#include <karat/plugin/work.h>

enum { KT__LONG_NUMEL = 100 * 1000, KT__LONG_PRODUCTS = 1000 * 1000 }; /* from here on releasing the lock pays */

void *kt__open_lock(kt_work why); /* NULL: it stays shut, or there is none */
void  kt__shut_lock(void *opened);

/* For loops that wait for another thread which may run the binding's code. */
void kt__wait_turn(void);

#endif
