/* prof.h - the profiler's parts: what is recorded while the program runs (record.c), what is made of it (profile.c, inner.c). */
#ifndef KT_PROF_PROF_H
#define KT_PROF_PROF_H

#include <karat/plugin/watch.h>
#include <karat/profiler.h>

/* ---- memory that grows, and is freed as a whole ---- */
typedef struct kt__arena {
    struct kt__arena_part *last;
    size_t                 used;
} kt__arena;
void *kt__arena_get(kt__arena *a, size_t bytes); /* aligned to 8; NULL: no memory */
void  kt__arena_free(kt__arena *a);
void *kt__zeroed(size_t bytes);                               /* NULL: no memory; kt__system_put gives it back */
bool  kt__grow(void **list, size_t *bytes, size_t first);     /* to twice its bytes, from none to `first` */

/* ---- what is recorded ---- */
typedef struct kt__conversion_seen {
    uint8_t        from, to, why;
    uint8_t        ndim;
    int64_t        bytes;
    const int64_t *sizes;
} kt__conversion_seen;

typedef struct kt__recorded_event {
    uint8_t  kind; /* kt_profile_kind: never INNER nor CONVERSION, which profile.c makes of calls and plans */
    uint8_t  form; /* of a call: kt_form */
    uint8_t  dtype;
    bool     failed;
    uint8_t  n_inputs, n_conversions, n_stack;
    uint8_t  n_numbers;          /* of a plan: inputs that are numbers */
    bool     tf32;               /* of a plan: float32 may be rounded to it */
    kt_kernel_id kernel;         /* of a plan */
    uint32_t parent;             /* its place in the thread's list, counted from 1; 0: none */
    uint32_t site;
    uint64_t begin, end;         /* end 0: it has not ended */
    uint64_t id;                 /* of the span */
    int64_t  sequence;
    const kt_row *row;           /* of a call, and of a plan */
    const char   *name;          /* of others; of a plan: who computed it beside our own kernels, or NULL */
    const void   *object;        /* of a module; of memory: its address */
    int64_t       bytes;
    kt_device     device, from; /* of a plan: where it runs, where its inputs are */
    const kt_profile_input    *inputs;
    const kt_profile_input    *result;      /* of a call: the first; NULL: none */
    const kt__conversion_seen *conversions; /* of a plan */
    const uint32_t            *stack;
} kt__recorded_event;

enum { KT__EVENTS_A_PART = 512 };
typedef struct kt__thread_events {
    struct kt__thread_events *next;
    uint64_t                  thread;
    kt__arena                 arena;
    kt__recorded_event      **part; /* arrays of KT__EVENTS_A_PART */
    size_t                    part_bytes;
    uint32_t                  n;      /* events */
    uint32_t                  open;   /* the innermost that has not ended, counted from 1; 0: none */
    int64_t                   lost;
} kt__thread_events;

static inline kt__recorded_event *kt__recorded_at(const kt__thread_events *t, uint32_t i)
{
    return &t->part[i / KT__EVENTS_A_PART][i % KT__EVENTS_A_PART];
}
void kt__thread_events_free(kt__thread_events *t);

/* profile.c: takes the lists over. NULL: no memory */
kt_profile *kt__profile_make(kt__thread_events *threads, uint64_t begin, uint64_t end);

/* ---- names (inner.c) ---- */
/* PyTorch's name of the operator: "aten::add_"; "karat::name" where it has none. Made in the arena; NULL: no memory. */
const char *kt__row_trace_name(kt__arena *arena, const kt_row *row, int form);

/* What PyTorch shows inside a call of the row, as tables/inner.def says it; NULL: there is no line for such a call. */
const char *kt__inner_of(const kt__recorded_event *call, int plans);
bool        kt__is_hidden(const kt__recorded_event *call, int plans); /* only what is inside is shown */
int         kt__arguments_shown(const kt__recorded_event *call);
int64_t     kt__flops_of(const char *name, const kt_profile_input *inputs, int64_t n, const kt_profile_input *result);

#endif
