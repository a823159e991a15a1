/* device.h - devices other than the CPU: streams, events, memory, captures, facts.
 *
 * A device works on streams, which are queues; each thread has a current stream for each device, and its calls are queued
 * there. The host waits where a value is needed: kt_read, kt_item, printing, a count that shapes a result. An error of queued
 * work is reported by the next call that queues or waits. On the CPU there is one stream, always idle. */
#ifndef KARAT_DEVICE_H
#define KARAT_DEVICE_H

#include <karat/random.h>
#include <karat/tensor.h>

KT_BEGIN

KT_API int       kt_device_count(const char *name);         /* of that name, its plugin loaded if need be; 0: none, no error */
KT_API kt_device kt_device_accelerator(void);               /* the first device that is not the CPU or meta; kind -1: none */
/* The number of its type in DLPack; 0: it is not exchanged. And back: kind -1, no error: there is no such device. */
KT_API int       kt_device_dlpack(kt_device d);
KT_API kt_device kt_device_from_dlpack(int type, int index);
/* The index that a name without one means, "cuda" for "cuda:1": this thread's. */
KT_API kt_status kt_device_set_index(kt_device d);
KT_API int       kt_device_index(int kind);

typedef struct kt_device_properties {
    size_t size; /* set it to sizeof(kt_device_properties) */
    char   name[128], architecture[32]; /* "NVIDIA H200", "sm_90" */
    int    major, minor;                /* compute capability */
    size_t memory;                      /* bytes in all */
    int    multiprocessors, warp, threads; /* threads, registers, shared: the most of one multiprocessor */
    int    threads_of_block, registers;
    size_t shared, shared_of_block, shared_of_block_at_will; /* bytes; at_will: if a kernel asks for more than it has unasked */
    size_t cache;                       /* bytes of the second level */
    int    bus_width;                   /* bits */
    int    pci_bus, pci_device, pci_domain;
    bool   integrated, shares_board;    /* in the CPU's memory; with other devices */
    uint8_t uuid[16];
} kt_device_properties;
KT_API kt_status kt_device_ask(kt_device d, kt_device_properties *out);
/* What its backend works with, for people: a line for each library, which it may open. kt_free_string it; "": it says nothing. */
KT_API char     *kt_device_about(kt_device d);

/* ---- streams ---- */
typedef struct kt_stream {
    kt_device device;
    uint64_t  handle; /* 0: the device's default stream */
} kt_stream;
KT_API kt_status kt_stream_new(kt_device d, int priority, kt_stream *made);
KT_API void      kt_stream_drop(kt_stream s);
KT_API kt_status kt_stream_current(kt_device d, kt_stream *now); /* this thread's */
KT_API kt_status kt_stream_set(kt_stream s);
KT_API kt_status kt_stream_idle(kt_stream s, bool *idle);
KT_API kt_status kt_stream_sync(kt_stream s);                    /* the host waits */
KT_API kt_status kt_stream_after(kt_stream s, kt_stream other);  /* later work of s waits for the work of `other` so far */
/* t's memory, which another stream's work allocated, is used by work of s: it is not reused before that is done. */
KT_API kt_status kt_used_on(kt_tensor *t, kt_stream s);

/* ---- events ---- */
typedef struct kt_event kt_event;
KT_API kt_status kt_event_new(kt_device d, bool timed, kt_event **made);
KT_API void      kt_event_drop(kt_event *e);
KT_API kt_status kt_event_record(kt_event *e, kt_stream s);      /* marks the work of s so far */
KT_API kt_status kt_event_done(kt_event *e, bool *done);         /* never recorded: done */
KT_API kt_status kt_event_sync(kt_event *e);                     /* the host waits */
KT_API kt_status kt_event_elapsed(kt_event *from, kt_event *to, double *milliseconds);
KT_API kt_status kt_stream_after_event(kt_stream s, kt_event *e);

/* For the end of a program: waits for all devices that it has used, so that no error of queued work is lost. A device that
 * captures is not waited for. */
KT_API kt_status kt_devices_finish(void);

/* ---- pinned host memory: copies to and from it need not wait ---- */
KT_API kt_status kt_pin(kt_tensor *t, kt_device d, kt_tensor **pinned); /* owned: t itself if it is pinned */
KT_API bool      kt_is_pinned(const kt_tensor *t);

/* ---- memory ---- */
typedef struct kt_device_memory {
    size_t   size; /* set it to sizeof(kt_device_memory) */
    size_t   allocated, allocated_peak;     /* bytes of live tensors */
    uint64_t allocated_total, freed_total;  /* bytes since the start, or since the totals were reset */
    uint64_t count, count_peak, count_total; /* the same in allocations */
    size_t   reserved, reserved_peak;       /* taken from the device, in use or kept for later */
    size_t   free, total;                   /* of the device */
    uint64_t out_of_memory;                 /* allocations that failed */
    uint64_t count_freed;                   /* as freed_total */
} kt_device_memory;
KT_API kt_status kt_device_memory_ask(kt_device d, kt_device_memory *out);

/* What a caching allocator counts, over all blocks and of its two pools. */
typedef enum kt_memory_pool { KT_MEMORY_ALL, KT_MEMORY_LARGE, KT_MEMORY_SMALL, KT_MEMORY_POOLS } kt_memory_pool;
typedef enum kt_memory_kind { /* ORDER MEMORY_KIND */
    KT_MEMORY_ALLOCATIONS, KT_MEMORY_SEGMENTS, KT_MEMORY_ACTIVE, KT_MEMORY_SPLITS, /* active: in use, or freed and waited for */
    KT_MEMORY_ALLOCATED, KT_MEMORY_RESERVED, KT_MEMORY_ACTIVE_BYTES, KT_MEMORY_SPLIT_BYTES, /* split: a free part of a segment */
    KT_MEMORY_REQUESTED, /* as allocated, before sizes were rounded up */
    KT_MEMORY_KINDS
} kt_memory_kind;
typedef struct kt_memory_count {
    int64_t now, most;   /* most: since the start, or since the peaks were reset */
    int64_t came, went;  /* since the start, or since the totals were reset */
} kt_memory_count;
typedef struct kt_memory_pools {
    size_t          size;  /* set it to sizeof(kt_memory_pools) */
    bool            known; /* false: the device's allocator has no such pools, and the rest is 0 */
    kt_memory_count of[KT_MEMORY_POOLS][KT_MEMORY_KINDS];
    int64_t         retries;      /* allocations that had to give back free segments first */
    int64_t         taken, given; /* calls by which segments came from the device, and went back */
    int64_t         waits;        /* for the whole device, to give memory back */
} kt_memory_pools;
KT_API kt_status kt_device_memory_pools(kt_device d, kt_memory_pools *out);
KT_API kt_status kt_device_memory_reset_peaks(kt_device d);
KT_API kt_status kt_device_memory_reset_totals(kt_device d);
KT_API kt_status kt_device_memory_empty(kt_device d);               /* gives back what is kept for later */
KT_API kt_status kt_device_memory_limit(kt_device d, size_t bytes); /* SIZE_MAX: no limit */

/* ---- captures: a region recorded once and run again on the same memory ---- */
typedef struct kt_graph kt_graph;
KT_API kt_status kt_capture_begin(kt_stream s);               /* which becomes the thread's current one */
KT_API kt_status kt_capture_end(kt_graph **graph);            /* owned */
KT_API bool      kt_is_capturing(void);                       /* does this thread record? */
KT_API kt_status kt_graph_replay(kt_graph *graph, kt_stream s);
KT_API void      kt_graph_drop(kt_graph *graph);

/* ---- generators: a device that draws by itself has its own, {seed, offset} ---- */
KT_API kt_generator *kt_default_generator_of(kt_device d);                     /* borrowed; the CPU's where it has none */
KT_API kt_status     kt_generator_new_on(kt_device d, kt_generator **made);    /* owned; the CPU's where it has none */
KT_API kt_device     kt_generator_device(kt_generator *g);                     /* that it draws for */

/* ---- what costs time without being asked for ---- */
typedef enum kt_wait_mode { KT_WAIT_SILENT, KT_WAIT_WARNS, KT_WAIT_FAILS } kt_wait_mode;
KT_API uint64_t     kt_host_waits(void);       /* how often a call made the host wait, this process; syncs are not counted */
KT_API uint64_t     kt_fallbacks(void);        /* how many plans ran on the CPU because their device could not */
KT_API void         kt_set_wait_mode(kt_wait_mode mode);
KT_API kt_wait_mode kt_get_wait_mode(void);

KT_END
#endif
