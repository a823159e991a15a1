/* mode.h - the thread's mode word: one load gives policy, grad mode and autocast. A state that does not fit in bits is
 * interned when it is set, and the word holds its id. So a scope saves and restores all modes with one word, and the key of
 * the resolver's cache contains the bits that a decision depends on. */
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
    KT_M_AUTOCAST = 1 << 4,      /* on for at least one kind of device; the state says which */
    KT_M_NO_CAST_CACHE = 1 << 5, /* autocast's casts are not cached */
    KT_M_NOT_CPU = 1 << 6,       /* set per call under autocast, never in the thread's word: its device is not the CPU */
    KT_M_READY = 1 << 7,         /* the thread's word has been set from the process default */
    KT_M_STATE = 0xffff << 8,    /* id of the autocast state; 0: off everywhere */
    KT_M_DRY_RUN_DEVICE = 0xf << 24, /* dry run: the kt_device_kind that calls are decided for; 0: that of their tensors */
    KT_M_LEVELS = 1 << 28,       /* a batch is open on this thread (src/batch) */
    KT_M_SEARCH = 1 << 29,       /* calls look for the first value that is not finite (call/finite.c) */
    KT_M_BELOW = 1 << 30, /* kernels of appended rows that are above the others are skipped (plugin/operator.h) */
    KT_M_DECIDES = KT_M_POLICY | KT_M_NOT_CPU | KT_M_STATE /* what the resolver reads; below bit 24, without 2 to 5 and 7 */
};

/* Forward mode: of the tangents' levels those below a ceiling are seen. The word holds how far below KT__LEVELS it is. */
enum { KT__LEVELS = 64 };
#define KT_M_CEILING    (0x7full << 32)
#define KT_M_NO_FORWARD (1ull << 39) /* no level is seen */
#define KT_M_SHOWN      (1ull << 40) /* calls are shown to a watcher (call/shown.c) */

typedef struct kt__autocast_state {
    uint16_t on;                     /* bit k: on for device kind k; meta's: where `meta` is not 0 */
    uint16_t classes;                /* an id of the thread's own classes of operators (kt__autocast_classes); 0: the table's */
    uint16_t meta;                   /* the kind that meta tensors stand for; 0: they are left alone */
    uint8_t  dtype[KT_MAX_BACKENDS]; /* the low-precision dtype of that kind; KT_NONE: the default */
} kt__autocast_state; /* compared byte by byte: it has no padding */
enum { KT__MOST_STATES = 1024 };
/* Append-only; a state is written before its id is returned. */
extern KT__HIDDEN kt__autocast_state kt__autocast_states[KT__MOST_STATES];

/* By row, two classes each: on the CPU, and elsewhere. Append-only, as the states are. */
extern KT__HIDDEN const uint8_t *kt__autocast_classes[KT__MOST_STATES];
kt_status kt__use_autocast_classes(uint8_t *classes); /* taken over, also when it fails */

extern KT__HOT_LOCAL uint64_t kt__mode_word;
uint64_t                      kt__mode_start(void); /* a thread's first call: sets the word from the process default */
void                          kt__modes_init(void); /* reads KARAT_POLICY */
/* autocast's low-precision dtype on that kind of device */
kt_dtype                      kt__lower_dtype(uint64_t mode, int kind);

static inline uint64_t kt__mode(void)
{
    uint64_t m = kt__mode_word;
    return KT__LIKELY(m & KT_M_READY) ? m : kt__mode_start();
}
static inline kt_policy kt__policy(uint64_t mode) { return (kt_policy)(mode & KT_M_POLICY); }

/* Levels of tangents below this take part in calls; 0: none do. */
static inline int kt__ceiling(uint64_t mode)
{
    return mode & KT_M_NO_FORWARD ? 0 : KT__LEVELS - (int)((mode & KT_M_CEILING) >> 32);
}
static inline uint64_t kt__under_ceiling(uint64_t mode, int ceiling)
{
    return (mode & ~KT_M_CEILING) | (uint64_t)(KT__LEVELS - ceiling) << 32;
}

static inline uint64_t kt__without_autocast(uint64_t mode) { return mode & ~(uint64_t)(KT_M_AUTOCAST | KT_M_STATE); }

/* The mode for a dry run on that kind of device, whatever the device of the tensors. */
static inline uint64_t kt__dry_run_mode(uint64_t mode, int kind)
{
    return mode & KT_M_DRY_RUN_DEVICE ? mode : mode | (uint64_t)kind << 24;
}

/* The device kind whose autocast applies to `t`; 0: none. */
static inline int kt__autocast_kind(uint64_t mode, const kt_tensor *t)
{
    const int dry_run = (int)((mode & KT_M_DRY_RUN_DEVICE) >> 24);
    const int backend = dry_run ? dry_run : t ? t->backend : 0;
    return backend == KT_META ? kt__autocast_states[(mode & KT_M_STATE) >> 8].meta : backend;
}

/* The mode of a call whose first tensor is `t`: without autocast unless it is on for the tensor's device. */
static inline uint64_t kt__mode_of_call(uint64_t mode, const kt_tensor *t)
{
    const int  kind = kt__autocast_kind(mode, t);
    const bool meta = t && t->backend == KT_META && !(mode & KT_M_DRY_RUN_DEVICE);
    if (!(kt__autocast_states[(mode & KT_M_STATE) >> 8].on >> (meta ? KT_META : kind) & 1))
        return kt__without_autocast(mode);
    return kind == KT_CPU ? mode : mode | KT_M_NOT_CPU;
}

#endif
