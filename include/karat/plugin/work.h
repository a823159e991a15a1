/* work.h - how a binding releases its lock (Python's GIL) while a device works or a thread waits. Versioned separately
 * from the stable headers.
 *
 * Only a backend's kernel runs without the lock, on the memory that its plan names; tensors are read and changed with the
 * lock held. The binding must prevent other threads from replacing the memory or sizes of an argument during a call. */
#ifndef KARAT_PLUGIN_WORK_H
#define KARAT_PLUGIN_WORK_H

#include <karat/base.h>

KT_BEGIN

typedef struct kt_work_lock {
    uint32_t abi, size;
    /* Called before a long kernel (20 us or more) or, if `waits`, before waiting for another thread that may need the
     * lock. NULL: the lock is kept. */
    void  *(*open)(bool waits);
    void   (*shut)(void *opened); /* called afterwards with the result of `open` */
} kt_work_lock;

enum { KT_WORK_ABI = 1 };
KT_API kt_status kt_work_register(const kt_work_lock *lock); /* one per process */

KT_END
#endif
