/* work.h - how a binding releases its lock (Python's GIL) while a device works or a thread waits. Versioned separately
 * from the stable headers.
 *
 * Only a backend works without the lock, on the memory that its plan names; tensors are read and changed with the lock held.
 * While the lock is open for KT_WORK_KERNEL or KT_WORK_DEVICE, the binding must prevent other threads from replacing the memory
 * or sizes of what the call uses. */
#ifndef KARAT_PLUGIN_WORK_H
#define KARAT_PLUGIN_WORK_H

#include <karat/base.h>

KT_BEGIN

typedef enum kt_work {
    KT_WORK_KERNEL, /* a long kernel (20 us or more) runs */
    KT_WORK_DEVICE, /* the host waits for a device that works for this call */
    KT_WORK_OTHERS  /* the host waits for a device or a thread, which may need the lock; no tensor of this thread is in use */
} kt_work;

typedef struct kt_work_lock {
    uint32_t abi, size;
    void  *(*open)(kt_work why);  /* called before; NULL: the lock is kept */
    void   (*shut)(void *opened); /* called afterwards with the result of `open` */
} kt_work_lock;

enum { KT_WORK_ABI = 2 };
KT_API kt_status kt_work_register(const kt_work_lock *lock); /* one per process */

KT_END
#endif
