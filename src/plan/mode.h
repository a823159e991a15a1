/* mode.h - the thread's mode word: one load says which observers run and which rules hold. What does not fit in bits is
 * interned when it is set, and the word holds its id; so a scope saves and restores all modes by one word, and the key of the
 * resolver's cache takes what a decision reads of them as it stands here. */
#ifndef KT_PLAN_MODE_H
#define KT_PLAN_MODE_H

#include <karat/autocast.h>
#include <karat/mode.h>

#include "base/local.h"
#include "tensor/tensor.h"

enum kt__mode_bit {
    KT_M_POLICY = 3, /* kt_policy */
    KT_M_GRAD = 1 << 2,
    KT_M_INFERENCE = 1 << 3,
    KT_M_AUTOCAST = 1 << 4,      /* on for some device type; the state says for which */
    KT_M_UNCACHED = 1 << 5,      /* autocast keeps no casts */
    KT_M_BESIDE_CPU = 1 << 6,    /* of one call under autocast: its device is not the CPU. Never in the thread's word */
    KT_M_READY = 1 << 7,         /* the thread has taken the process default */
    KT_M_STATE = 0xffff << 8,    /* id of the autocast state; 0: nowhere on */
    KT_M_STANDS_FOR = 0xf << 24, /* a kt_device_kind: calls are decided as if their tensors lay there; 0: where they lie */
    KT_M_DECIDES = KT_M_POLICY | KT_M_BESIDE_CPU | KT_M_STATE /* what the resolver reads: below bit 24, and not bit 7 */
};

typedef struct kt__autocast_state {
    uint16_t on;                     /* bit k: for tensors of device kind k */
    uint8_t  dtype[KT_MAX_BACKENDS]; /* what it lowers to there; KT_NONE: the kind's default */
} kt__autocast_state;
enum { KT__MOST_STATES = 1024 };
extern kt__autocast_state kt__autocast_states[KT__MOST_STATES]; /* append-only; an id is given out after its state is there */

extern KT__HOT_LOCAL uint64_t kt__mode_word;
uint64_t                      kt__mode_start(void); /* a thread's first look: from the process default */
void                          kt__modes_init(void); /* reads KARAT_POLICY */
kt_dtype                      kt__lower_dtype(uint64_t mode, int kind); /* what autocast lowers to on a device of that kind */

static inline uint64_t kt__mode(void)
{
    uint64_t m = kt__mode_word;
    return KT__LIKELY(m & KT_M_READY) ? m : kt__mode_start();
}
static inline kt_policy kt__policy(uint64_t mode) { return (kt_policy)(mode & KT_M_POLICY); }

static inline uint64_t kt__without_autocast(uint64_t mode) { return mode & ~(uint64_t)(KT_M_AUTOCAST | KT_M_STATE); }

/* A dry run of calls on a device of that kind, wherever its tensors lie. */
static inline uint64_t kt__standing_for(uint64_t mode, int kind)
{
    return mode & KT_M_STANDS_FOR ? mode : mode | (uint64_t)kind << 24;
}

/* The device kind whose autocast holds for `t`. 0: none, as for meta tensors in PyTorch. */
static inline int kt__autocast_kind(uint64_t mode, const kt_tensor *t)
{
    const int stands_for = (int)((mode & KT_M_STANDS_FOR) >> 24);
    return stands_for ? stands_for : !t || t->backend == KT_META ? 0 : t->backend;
}

/* The mode of one call whose first tensor is `t`: without autocast where that is not on for its device. */
static inline uint64_t kt__mode_of_call(uint64_t mode, const kt_tensor *t)
{
    const int kind = kt__autocast_kind(mode, t);
    if (!(kt__autocast_states[(mode & KT_M_STATE) >> 8].on >> kind & 1))
        return kt__without_autocast(mode);
    return kind == KT_CPU ? mode : mode | KT_M_BESIDE_CPU;
}

#endif
