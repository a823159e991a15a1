/* parts.h - what the files of this backend offer to each other and to the vtable (plugin.c). */
#ifndef KARAT_CUDA_PARTS_H
#define KARAT_CUDA_PARTS_H

#include "args.h"
#include "driver.h"

/* ---- memory.c: the device's memory ---- */
kt_status memory_alloc(kt_backend *self, int index, kt_handle stream, size_t bytes, void **data, size_t *granted);
void      memory_free(kt_backend *self, int index, void *data, size_t granted);
void      memory_used_on(int index, void *data, kt_handle stream);
extern const kt_memory_calls memory_calls;

/* Memory that is allocated while a stream captures belongs to the capture's graph. */
typedef struct graph_memory graph_memory;
graph_memory *memory_of_capture(int index, unsigned long long capture); /* NULL and an error: no memory */
void          memory_capture_ends(graph_memory *m);                     /* no more is allocated of it */
void          memory_of_graph_drop(graph_memory *m, const kt_handle *replayed_on, int n);

/* ---- pinned.c: pinned host memory ---- */
kt_status pinned_alloc(kt_backend *self, size_t bytes, void **data, size_t *granted);
void      pinned_free(kt_backend *self, void *data, size_t granted);
bool      pinned_used_on(int index, void *data, kt_handle stream); /* false: it is not pinned memory */

/* ---- stream.c ---- */
extern const kt_stream_calls stream_calls;
/* 0: the stream does not capture; else the number of the capture. */
unsigned long long capture_of(kt_handle stream);

/* ---- capture.c ---- */
extern const kt_capture_calls capture_calls;
bool captures_run(void); /* does any stream capture? Asked before a stream is */
/* Where the graph that the stream's work is captured into finds a replay's seed and offset. NULL: the stream does not capture. */
kt_status capture_replay_place(int index, kt_handle stream, const uint64_t **place);

/* ---- copy.c ---- */
kt_status copy_bytes(kt_backend *self, const kt_transfer *copy);

/* ---- fault.c: errors that kernels found ---- */
kt_status fault_take(int index); /* KT_OK, or the error of an earlier launch, once */
kt_status fault_expect(const kt_plan *plan, fault_place *place); /* for a launch that may fail: where to report */

/* ---- small.c: launches of at most SMALL_BLOCKS blocks of ARG_THREADS, not while the stream captures ---- */
enum { SMALL_BLOCKS = 64 };
kt_status launch_small(const void *kernel, unsigned blocks, void **args, int index, kt_handle stream);

/* ---- random.c: draws ---- */
void      random_open(void);
bool      random_is(kt_kernel_id kernel);
bool      random_has(kt_kernel_id kernel, kt_compute compute);
uint64_t  random_draws(kt_backend *self, const kt_plan *plan);
kt_status random_launch(const kt_plan *plan);

/* ---- launch.c ---- */
kt_status launch_kernel(const void *kernel, uint64_t blocks, void *args, const kt_plan *plan); /* blocks of ARG_THREADS */
kt_status launch_open(void); /* looks the kernels up by name */
kt_status launch_plan(kt_backend *self, const kt_plan *plan);
bool      launch_has(kt_backend *self, kt_kernel_id kernel, kt_compute compute);

#endif
