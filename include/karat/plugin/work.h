/* work.h - how a binding whose callers hold a lock (Python's) lets go of it while a device works or a thread waits. Versioned
 * apart from the stable headers.
 *
 * Without the lock runs nothing but a backend's kernel, on the memory that its plan names: tensors are read and changed under it
 * alone. That no other thread gives an argument of a call under way other memory or sizes is the binding's to see to. */
#ifndef KARAT_PLUGIN_WORK_H
#define KARAT_PLUGIN_WORK_H

#include <karat/base.h>

KT_BEGIN

typedef struct kt_work_lock {
    uint32_t abi, size;
    /* On the calling thread: before a kernel that takes long (some 20 us), or, where `waits`, before waiting for another thread,
     * which may need the lock. NULL: it stays shut. */
    void  *(*open)(bool waits);
    void   (*shut)(void *opened); /* afterwards, with what `open` gave */
} kt_work_lock;

enum { KT_WORK_ABI = 1 };
KT_API kt_status kt_work_register(const kt_work_lock *lock); /* one a process */

KT_END
#endif
