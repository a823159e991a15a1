/* device.h - what the engine keeps for each device: current streams, memory in use, waits.
 *
 * In: backends of the registry. Out: streams for plans, memory for storages, permission to wait. Independent of: plans,
 * operators, which device it is. */
#ifndef KT_TENSOR_DEVICE_H
#define KT_TENSOR_DEVICE_H

#include <karat/device.h>

#include "tensor/tensor.h"

/* ---- current streams (current.c) ----
 * Streams of devices that are not on their default one. A set never changes and equal sets are one object; NULL: all are on the
 * default. */
typedef struct kt__streams kt__streams;
extern KT__HOT_LOCAL kt__streams *kt__streams_now; /* this thread's; owned */
extern KT__HIDDEN _Atomic bool    kt__streams_ever; /* a thread has left the default streams */
/* May sets differ at all? Else there is nothing to do for them. */
static inline bool kt__streams_differ(void)
{
    return KT__UNLIKELY(atomic_load_explicit(&kt__streams_ever, memory_order_relaxed));
}
kt__streams *kt__streams_ref(kt__streams *s);
void         kt__streams_unref(kt__streams *s);
kt_handle    kt__stream_in(const kt__streams *s, int kind, int index);
/* Later work on the streams of the one set waits for the work so far on those of the other. */
kt_status    kt__streams_after(const kt__streams *later, const kt__streams *earlier);
void         kt__used_on_streams(const kt_tensor *t, const kt__streams *s); /* its memory is; see kt_used_on */

kt_handle kt__stream_now(int kind, int index); /* the stream that this thread's work for a device goes to */
kt_status kt__stream_set_now(kt_device d, kt_handle handle);
/* A stream lives as long as its owner or a set needs it. */
kt_status kt__stream_made(kt_stream s);
void      kt__stream_disowned(kt_stream s);
/* Around a fork: nobody else changes the streams. */
void      kt__streams_hold(void);
void      kt__streams_release(void);

/* ---- forks (forked.c) ---- */
extern KT__HIDDEN bool kt__devices_lost;                   /* this is a child, and the parent used devices: no backend is asked */
void      kt__device_used(void);
KT__COLD kt_status kt__fail_lost(const kt_backend *b);

/* ---- who holds the memory of devices (plan/holders.c) ---- */
enum { KT__HELD_LEAST = 1 << 20 }; /* bytes of a block that is worth its line */
typedef struct kt__holder_hooks {
    void (*took)(kt_device d, const void *data, size_t bytes);
    void (*gave)(kt_device d, const void *data);
    void (*explain)(kt_device d); /* adds to the pending error which lines hold the most */
} kt__holder_hooks;
extern KT__HIDDEN const kt__holder_hooks *kt__holders; /* set at start (karat.c) */
extern KT__HIDDEN const kt__holder_hooks  kt__held_by_line;

kt_status kt__device_alloc(kt_device d, size_t bytes, void **data, size_t *granted);
void      kt__device_free(kt_device d, void *data, size_t granted);

/* Around what makes the host wait for a device: counted, refused in a capture, and the binding's lock is released meanwhile.
 * `what` names the operation. */
typedef struct kt__waiting { void *released; } kt__waiting;
kt_status kt__wait_begin(int kind, const char *what, bool asked, kt__waiting *w); /* asked: the user said so */
void      kt__wait_end(kt__waiting *w);

bool kt__device_has_worked(kt_device d); /* it has had memory of tensors */

/* Does a capture record this thread's work for devices of this kind? */
bool kt__captures(int kind);
/* While it does: n draws that are recorded. Their offset counts from the capture's begin; a replay gives their seed. Only the
 * default generator of the device that captures may draw. */
kt_status kt__capture_draws(const kt_generator *g, uint64_t n, uint64_t *offset);

extern KT__HIDDEN _Atomic uint64_t kt__n_fallbacks;

/* The tensor's memory is pinned host memory: the kind of the backend that made it, else 0. */
static inline int kt__pinned_by(const kt_tensor *t) { return t->storage->pinned_by; }
kt_tensor *kt__tensor_pinned(kt_dtype dtype, kt_shape shape, int kind); /* owned, uninitialised, on the CPU */

/* For the registry: makes what a backend's devices need. */
kt_status kt__devices_begin(int kind, int count, bool draws);

#endif
