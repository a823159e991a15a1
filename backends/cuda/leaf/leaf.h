/* leaf.h - what libkarat_cudnn.so offers to libkarat_cuda.so: attention as cuDNN's graphs, which its C++ frontend alone makes.
 * Plain C; no exception leaves it. */
#ifndef KARAT_CUDNN_LEAF_H
#define KARAT_CUDNN_LEAF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LEAF_VERSION = 1, LEAF_DIMS = 4 };

/* Operands by place. Sizes are [batch, head, row, column], strides are counted in elements; no data: there is no such operand. */
enum leaf_place {
    LEAF_QUERY,
    LEAF_KEY,
    LEAF_VALUE,
    LEAF_OUT,
    LEAF_SUMS, /* float32, logarithms of sums */
    LEAF_GRAD, /* back alone, as what follows */
    LEAF_TO_QUERY,
    LEAF_TO_KEY,
    LEAF_TO_VALUE,
    LEAF_PLACES
};
typedef struct leaf_tensor {
    void   *data;
    int64_t size[LEAF_DIMS], stride[LEAF_DIMS];
} leaf_tensor;

typedef struct leaf_attention {
    leaf_tensor at[LEAF_PLACES];
    int         device;
    bool        back, bf16, causal, same_bits; /* bf16: else float16; same_bits: at every run */
    double      scale;
} leaf_attention;

typedef enum leaf_status { LEAF_DONE, LEAF_DECLINED, LEAF_FAILED } leaf_status;

typedef struct leaf_calls {
    int version; /* LEAF_VERSION */
    /* Once, with the libraries that it is to call: cuDNN, the runtime. */
    void (*open)(void *cudnn, void *runtime);
    /* The bytes of its workspace. A kind of call is described to the library once; that takes a second. The device is current. */
    leaf_status (*prepare)(const leaf_attention *a, size_t *workspace, char *text, size_t room);
    leaf_status (*run)(const leaf_attention *a, void *stream, void *workspace, char *text, size_t room);
} leaf_calls;

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
extern const leaf_calls karat_cudnn_leaf;

#ifdef __cplusplus
}
#endif
#endif
