/* mirror.h - what the files of the mirror share. One lock guards all of it. */
#ifndef MIRROR_H
#define MIRROR_H

#include <karat/plugin/backend.h>
#include <pthread.h>

enum { DEVICES = 2, MOST_USERS = 8, HEADER = 64 };

#define OFFSET ((uintptr_t)1 << 48) /* beyond what x86-64 and aarch64 give to programs */

static inline void *here(const void *there) { return there ? (void *)((uintptr_t)there - OFFSET) : NULL; } /* the true address */
static inline void *there(const void *here) { return here ? (void *)((uintptr_t)here + OFFSET) : NULL; }

typedef struct stream stream;
typedef struct graph  graph;

/* Memory of a device, or pinned memory of the host. Its address stands HEADER bytes before what is handed out. */
typedef struct block {
    char         *memory; /* true address, as the CPU's backend gave it */
    size_t        granted;
    int           index; /* KT_HOST: pinned */
    stream       *owner; /* NULL: pinned */
    int           n_users;
    stream       *user[MOST_USERS];
    int           holds; /* releases that are still queued */
    graph        *of;    /* of the capture that allocated it */
    bool          freed; /* but kept, because its graph lives */
    struct block *next;  /* of the same graph */
} block;

typedef struct event {
    int     refs; /* the user, and queued work */
    int64_t recorded, passed; /* how often */
    double  time; /* in milliseconds, when it was passed */
    graph  *of;   /* recorded in this capture */
} event;

typedef enum work_kind { WORK_RUN, WORK_COPY, WORK_RELEASE, WORK_RECORD, WORK_GATE } work_kind;

/* One piece of work, with room behind it for a packed plan or the bytes of a copy. */
typedef struct work {
    struct work *next;
    work_kind    kind;
    size_t       room;
    char        *to; /* true addresses from here on */
    const char  *from; /* NULL: the bytes stand behind */
    size_t       bytes;
    block       *memory; /* of WORK_RELEASE */
    event       *mark;   /* of WORK_RECORD and WORK_GATE */
    int64_t      turn;   /* which recording of it */
} work;

struct stream {
    stream *next; /* all streams, for good: a dropped one is used again */
    int     index;
    bool    dropped, running, in_hand;
    work   *first, **last;
    int     queued;
    graph  *capturing;
};

struct graph {
    work  *first, **last;
    block *memory;
    stream *replayed_on[MOST_USERS];
    int     n_replayed_on;
};

extern const kt_host  *host;
extern pthread_mutex_t lock;

/* ---- queue.c: everything here with the lock held ---- */
stream   *stream_of(int index, kt_handle handle);
work     *new_work(work_kind kind, size_t room); /* NULL: no memory */
void      enqueue(stream *s, work *w);           /* or records it, if the stream captures */
void      enqueue_now(stream *s, work *w);       /* even if it captures */
void      drain(stream *s);                      /* everything queued there so far is done */
void      drain_device(int index);
kt_status wait_for_stream(int index, kt_handle handle); /* called without the lock; an error if it captures */
kt_status late_error(int index);                 /* of earlier work, once; called without the lock */
void      leave_capture(graph *g);               /* all streams that take part */
extern const kt_stream_calls stream_calls;
kt_status run_plan(const void *packed); /* plugin.c */

/* ---- memory.c ---- */
void release_one_hold(block *b); /* the last one frees it; with the lock held */
void use_block(block *b, stream *s);
kt_status mirror_alloc(kt_backend *self, int index, kt_handle stream, size_t bytes, void **data, size_t *granted);
void      mirror_free(kt_backend *self, int index, void *data, size_t granted);
void      mirror_used_on(kt_backend *self, int index, void *data, kt_handle stream);
kt_status mirror_host_alloc(kt_backend *self, size_t bytes, void **data, size_t *granted);
void      mirror_host_free(kt_backend *self, void *data, size_t granted);
extern const kt_memory_calls memory_calls;

/* ---- capture.c ---- */
extern const kt_capture_calls capture_calls;
void record_work(graph *g, work *w);
void drop_block_of_graph(block *b);

/* ---- philox.c: generators of its own ---- */
enum { THREADS = 2048 };      /* of a multiprocessor */
int64_t   multiprocessors(void);
void      find_random_kernels(void);
bool      is_random(kt_kernel_id kernel);
bool      draws_kernel(kt_kernel_id kernel, kt_compute compute);
bool      draws_plan(const kt_plan *plan);
uint64_t  mirror_draws(kt_backend *self, const kt_plan *plan);
kt_status draw_plan(const kt_plan *plan); /* true addresses */

#endif
