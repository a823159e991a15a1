/* driver.h - the CUDA runtime as the files of this backend use it: errors as text, the current device, how many there are. */
#ifndef KARAT_CUDA_DRIVER_H
#define KARAT_CUDA_DRIVER_H

#include <cuda_runtime_api.h>
#include <karat/plugin/backend.h>

enum { MOST_DEVICES = 64 };

extern const kt_host *host; /* set when the plugin is opened */

int       device_count(void); /* 0 without a driver or a device */
kt_status use_device(int index); /* makes it the thread's current one */
kt_status failed(cudaError_t error, const char *what); /* the error as ours; `what` was being done */

/* A library of NVIDIA's by the first of its names (to NULL) that is found: the process's own first (PyTorch's, say), then that in
 * the folder that the user names (KARAT_CUDA_LIBS), in NVIDIA's packages beside ours, the system's, the toolkit's. NULL: none. */
void *library_open(const char *const *names);
void *library_beside(const char *name); /* of ours, in the folder of this one; NULL: it is not there */
/* A line about a library that one of its functions is of; NULL: it was not found. */
void  library_about(const char *name, size_t version, void *function, char *text, size_t room);
void *driver_function(const char *name, unsigned since); /* of the driver, as it is since that version; NULL: there is none */

/* KT_OK or the error as ours. */
static inline kt_status check(cudaError_t error, const char *what) { return error == cudaSuccess ? KT_OK : failed(error, what); }

static inline cudaStream_t stream_at(kt_handle handle) { return (cudaStream_t)(uintptr_t)handle; }
static inline cudaEvent_t  event_at(kt_handle handle) { return (cudaEvent_t)(uintptr_t)handle; }

#endif
