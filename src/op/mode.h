/* mode.h - the thread's mode word: one load says which observers run and which rules hold. */
#ifndef KT_OP_MODE_H
#define KT_OP_MODE_H

#include <karat/mode.h>

#include "base/local.h"

enum kt__mode_bit {
    KT_M_POLICY = 3, /* kt_policy */
    KT_M_GRAD = 1 << 2,
    KT_M_INFERENCE = 1 << 3,
    KT_M_AUTOCAST_CPU = 1 << 4,
    KT_M_AUTOCAST_CUDA = 1 << 5,
    KT_M_DECIDED = 1 << 6,  /* inside a composite: autocast was decided on its row */
    KT_M_READY = 1 << 7,    /* the thread has taken the process default */
    KT_M_AUTOCAST_SHIFT = 8 /* five bits each: the dtype that autocast lowers to, CPU then CUDA */
};

extern KT__HOT_LOCAL uint64_t kt__mode_word;
uint64_t                      kt__mode_start(void); /* a thread's first look: from the process default */
void                          kt__modes_init(void); /* reads KARAT_POLICY */

static inline uint64_t kt__mode(void)
{
    uint64_t m = kt__mode_word;
    return KT__LIKELY(m & KT_M_READY) ? m : kt__mode_start();
}
static inline kt_policy kt__policy(uint64_t mode) { return (kt_policy)(mode & KT_M_POLICY); }

#endif
