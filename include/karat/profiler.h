/* profiler.h - what a program's calls did, and when: operators, their kernels and conversions, nodes of backward, memory.
 *
 *     kt_profiler_start(.memory = true);
 *     uint64_t step = kt_range_begin("step");
 *     kt_backward(kt_sum(kt_mul(x, x)));
 *     kt_range_end(step);
 *     kt_profile *profile = kt_profiler_stop();
 *     kt_profile_print(profile, stdout);
 *     kt_profile_write_trace(profile, "trace.json", NULL);
 *     kt_profile_free(profile);
 *
 * A profile is of the calls that the thread makes which starts it; with all_threads, of every thread's. It watches plans
 * (plugin/watch.h): without one, calls pay nothing. */
#ifndef KARAT_PROFILER_H
#define KARAT_PROFILER_H

#include <karat/dtype.h>
#include <karat/lineage.h>
#include <karat/tensor.h>
#include <stdio.h>

KT_BEGIN

typedef struct kt_profile kt_profile;

typedef struct kt_profiler_options {
    size_t size;        /* of this struct */
    bool   memory;      /* also what tensors allocate and free */
    bool   stacks;      /* also the lines that led to each call, where a binding knows them */
    bool   all_threads; /* also the calls of other threads */
    bool   modules;     /* also the calls of modules */
} kt_profiler_options;

/* Of this thread: an earlier one that it has not stopped is dropped. */
KT_API kt_status   kt_profiler_start_kw(const kt_profiler_options *opts); /* NULL: the defaults */
#define kt_profiler_start(...) kt_profiler_start_kw(&(kt_profiler_options){.size = sizeof(kt_profiler_options), __VA_ARGS__})
KT_API bool        kt_profiler_is_on(void); /* on this thread */
KT_API kt_profile *kt_profiler_stop(void);  /* owned by the caller; NULL and an error: none runs on this thread, or no memory */
KT_API void        kt_profile_free(kt_profile *profile);

/* A part of the program with a name. Every range that was begun is to be ended, by what kt_range_begin gave. */
KT_API uint64_t kt_range_begin(const char *name); /* 0: nobody watches */
KT_API void     kt_range_end(uint64_t range);     /* also ends what was begun inside; 0: nothing */

/* ---- events ---- */
typedef enum kt_profile_kind {
    KT_PROFILE_CALL,       /* of an operator: "aten::add" */
    KT_PROFILE_INNER,      /* what PyTorch shows inside such a call ("aten::addmm" in "aten::linear"): a name for a part of it */
    KT_PROFILE_CONVERSION, /* a conversion that a kernel made as it read an operand */
    KT_PROFILE_PLAN,       /* a kernel */
    KT_PROFILE_NODE,       /* backward has come to a node */
    KT_PROFILE_FORMULA,    /* and computes its gradients */
    KT_PROFILE_RANGE,
    KT_PROFILE_MODULE,
    KT_PROFILE_MEMORY,     /* a tensor got memory or gave it back */
    KT_PROFILE_READ        /* the host has waited for an element: "aten::item" */
} kt_profile_kind; /* ORDER PROFILE_KIND */

typedef struct kt_profile_input {
    kt_dtype dtype;   /* KT_NONE: no tensor; a number has the dtype that its kind stands for */
    bool     tensor;
    kt_shape shape;
} kt_profile_input;

typedef struct kt_profile_event {
    size_t                  size;   /* of this struct, set by the caller */
    kt_profile_kind         kind;
    const char             *name;
    int64_t                 parent; /* the event that it is inside of, which comes before it; -1: none */
    uint64_t                begin, end; /* ns of the system's monotonic clock */
    uint64_t                thread; /* as the system numbers it */
    bool                    failed;
    const char             *file;   /* of the call that the user wrote; NULL: not known */
    int                     line;
    int64_t                 n_stack; /* with `stacks`: ids of the lines, innermost first (kt_site_file) */
    const uint32_t         *stack;
    int64_t                 n_inputs; /* by the schema's arguments; of a formula: what arrived; of a conversion: what it reads */
    const kt_profile_input *inputs;
    kt_dtype                dtype;  /* of the first result; of a kernel: what it computes for; of a conversion: what it makes */
    int64_t                 sequence; /* of a node and of calls that were recorded: its number on the tape; -1: none */
    const void             *object; /* of a module: what the binding calls it by */
    const char             *where;  /* of a kernel: "cpu neon", "cpu OpenBLAS", "cuda:0", "cuda:0 tf32" (it may be); else NULL */
    int64_t                 bytes;  /* of a kernel: read and written; of a conversion: converted; of memory: got or freed */
    kt_reason               why;    /* of a conversion */
    int64_t                 flops;  /* of products, convolutions, additions, multiplications, as PyTorch counts them */
    const void             *address; /* of memory */
    kt_device               device; /* of memory, and of a kernel */
} kt_profile_event;

/* In the order in which they began, thread by thread. */
KT_API int64_t     kt_profile_count(const kt_profile *profile);
KT_API bool        kt_profile_read(const kt_profile *profile, int64_t i, kt_profile_event *out); /* false past the end */
KT_API const char *kt_profile_kind_name(kt_profile_kind kind);
KT_API int64_t     kt_profile_lost(const kt_profile *profile);         /* events that there was no memory for */
KT_API void        kt_profile_span(const kt_profile *profile, uint64_t *begin, uint64_t *end); /* from start to stop, in ns */

/* Chrome's trace format, which Perfetto and chrome://tracing show. `more`: further members of the JSON object, or NULL. */
KT_API kt_status kt_profile_write_trace(const kt_profile *profile, const char *file, const char *more);
/* One line for each name: count, time in all, time without what is inside, conversions. */
KT_API kt_status kt_profile_print(const kt_profile *profile, FILE *to);

KT_END
#endif
