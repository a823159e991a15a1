/* module.h - modules: layers and models, as trees of named parameters, buffers and children.
 *
 * Ownership: a module is yours when you made it, until you add it to another one, which then owns it. A module keeps its
 * tensors; the tensors that functions here return are borrowed from it. A tree is used by one thread at a time.
 *
 *     kt_module *net = kt_make_sequential(kt_make_linear(784, 64), kt_make_relu(), kt_make_linear(64, 10));
 *     kt_tensor *scores = kt_module_call(net, images);
 *     kt_module_drop(net);
 *
 * Initial parameters are PyTorch's for the same seed. An operator's error in a call names the layer by its path. */
#ifndef KARAT_MODULE_H
#define KARAT_MODULE_H

#include <karat/conversions.h>
#include <karat/ops.h>

KT_BEGIN

typedef struct kt_module kt_module;

/* What a kind of layer is. */
typedef struct kt_module_type {
    size_t      size;                                                     /* of this struct */
    const char *name;                                                     /* "Linear" */
    kt_tensor *(*forward)(kt_module *m, kt_tensor *const *in, int n);     /* owned by the scope; NULL: an error is pending */
    void      (*describe)(const kt_module *m, char *text, size_t room);   /* may be NULL: what stands between its parentheses */
    size_t      own_bytes;                                                /* of the layer's own data, zero at first */
    void      (*forget)(kt_module *m);                                    /* may be NULL: before the module is freed */
} kt_module_type;

KT_API kt_module  *kt_module_make(const kt_module_type *type); /* the type must live on */
KT_API kt_module  *kt_module_keep(kt_module *m);               /* one more owner */
KT_API void        kt_module_drop(kt_module *m);
KT_API void       *kt_module_own(const kt_module *m);          /* the layer's own data */
KT_API const char *kt_module_name(const kt_module *m);         /* of its type */

/* ---- the tree ---- */
/* A name is not empty, has no dot and is used once in a module. The module keeps the tensor; parameters of floats require
 * grad. kt_module_add takes the child over, also when it fails. */
KT_API kt_status  kt_module_add_parameter(kt_module *m, const char *name, kt_tensor *t);
KT_API kt_status  kt_module_add_buffer(kt_module *m, const char *name, kt_tensor *t, bool persistent);
KT_API kt_status  kt_module_add(kt_module *m, const char *name, kt_module *child);
KT_API kt_tensor *kt_module_tensor(const kt_module *m, const char *path);  /* "head.weight"; NULL, no error: none */
KT_API kt_module *kt_module_child(const kt_module *m, const char *path);   /* "body.0"; NULL, no error: none */
KT_API int64_t    kt_module_n_children(const kt_module *m);

enum { KT_PARAMETERS = 1, KT_BUFFERS = 2, KT_NOT_SAVED = 4 }; /* which tensors a walk visits; NOT_SAVED: other buffers too */
typedef kt_status kt_module_visit(const char *path, kt_tensor *t, void *context); /* another status than KT_OK ends the walk */
KT_API kt_status  kt_module_each(const kt_module *m, unsigned which, kt_module_visit *visit, void *context); /* each once */
KT_API int64_t    kt_module_parameters(const kt_module *m, kt_tensor **out, int64_t room); /* how many there are */

/* ---- what is done to all ---- */
KT_API kt_status  kt_module_to_dtype(kt_module *m, kt_dtype dtype);    /* of floats; pinned ones stay */
KT_API kt_status  kt_module_to_device(kt_module *m, kt_device device);
/* kt_pin_dtype of all its tensors; under autocast its calls run in that dtype. */
KT_API void       kt_module_pin_dtype(kt_module *m, bool pinned);
KT_API void       kt_module_train(kt_module *m, bool training);        /* true at first */
KT_API bool       kt_module_is_training(const kt_module *m);
KT_API void       kt_module_zero_grad(kt_module *m);                   /* forgets the gradients */

/* ---- state: tensors by path ---- */
typedef struct kt_named {
    const char *path;
    kt_tensor  *tensor;
} kt_named;
/* Copies values; a conversion's reason is `loading`. What is missing, not known or of another size is named all at once, and
 * nothing is changed. strict false: what is missing or not known is passed over. */
KT_API kt_status kt_module_load(kt_module *m, const kt_named *state, int64_t n, bool strict);

/* ---- the call ---- */
enum { KT_MODULE_INPUTS = 8 }; /* at most */
KT_API kt_tensor *kt_module_call(kt_module *m, kt_tensor *x);
KT_API kt_tensor *kt_module_call_all(kt_module *m, kt_tensor *const *in, int n_in);

/* Hooks run in the order in which they were set. A result other than NULL replaces the input, or the output. */
typedef kt_tensor *kt_before_call(kt_module *m, kt_tensor *x, void *context);
typedef kt_tensor *kt_after_call(kt_module *m, kt_tensor *x, kt_tensor *result, void *context);
KT_API kt_status kt_module_before(kt_module *m, kt_before_call *hook, void *context); /* the first input */
KT_API kt_status kt_module_after(kt_module *m, kt_after_call *hook, void *context);
/* Hooks in backward, of the calls after they were set. The first is shown the gradient of the output, before the module's
 * gradients are computed; a result other than NULL replaces it. The other is shown the gradients of the inputs (zeros
 * where an input wants none), which it may replace in the array, and that of the output. Where no input wants a gradient, it
 * runs when the output's is there, with NULLs, and a warning says so. Tensors that a hook gives belong to its scope. */
typedef kt_tensor *kt_before_backward(kt_module *m, kt_tensor *grad_output, void *context);
typedef kt_status kt_after_backward(kt_module *m, kt_tensor **grad_inputs, int n, kt_tensor *grad_output, void *context);
KT_API kt_status kt_module_before_backward(kt_module *m, kt_before_backward *hook, void *context);
KT_API kt_status kt_module_after_backward(kt_module *m, kt_after_backward *hook, void *context);
/* Takes back the hooks that were set with this context; a call that runs goes on without them, backward of earlier calls has
 * them. Returns how many there were, or -1 and an error. */
KT_API int64_t kt_module_remove_hooks(kt_module *m, const void *context);

/* The conversions of its calls so far, those of its children apart; NULL: there were none. The phase of a conversion: */
enum { KT_PHASE_BEFORE, KT_PHASE_FORWARD, KT_PHASE_AFTER }; /* in a hook before the call, in forward, in a hook after it */
KT_API const kt_conversions *kt_module_conversions(const kt_module *m);

KT_API char *kt_module_to_string(const kt_module *m); /* the tree; kt_free_string it */

/* ---- layers ---- */
typedef struct kt_conv_options {
    size_t size;
    KT_BY_NAME
    int64_t stride, padding, dilation, groups; /* 0: the default, 1 (padding 0) */
    bool    no_bias;
} KT_OPTIONS kt_conv_options;

typedef struct kt_recurrent_options {
    size_t size;
    KT_BY_NAME
    int64_t layers; /* 0: one */
    double  dropout;
    bool    no_bias, batch_first, bidirectional;
} KT_OPTIONS kt_recurrent_options;

typedef struct kt_attention_options {
    size_t size;
    KT_BY_NAME
    double dropout;
    bool   no_bias, batch_first;
    bool   causal; /* a place sees itself and what is before it */
} KT_OPTIONS kt_attention_options;

typedef struct kt_transformer_options {
    size_t size;
    KT_BY_NAME
    int64_t     feedforward; /* 0: 2048 */
    kt_opt_real dropout;     /* 0.1 */
    bool        batch_first, norm_first, gelu, causal;
} KT_OPTIONS kt_transformer_options;

KT_API kt_module *kt_make_linear(int64_t in, int64_t out, bool bias);
KT_API kt_module *kt_make_conv2d(int64_t in, int64_t out, int64_t kernel, const kt_conv_options *options); /* NULL: defaults */
KT_API kt_module *kt_make_embedding(int64_t rows, int64_t width);
KT_API kt_module *kt_make_layer_norm(int64_t width);
KT_API kt_module *kt_make_batch_norm2d(int64_t channels);
KT_API kt_module *kt_make_dropout(double p);
KT_API kt_module *kt_make_max_pool2d(int64_t kernel);
KT_API kt_module *kt_make_flatten(void);
KT_API kt_module *kt_make_relu(void);
KT_API kt_module *kt_make_gelu(void);
KT_API kt_module *kt_make_tanh(void);
KT_API kt_module *kt_make_attention(int64_t width, int64_t heads, bool causal); /* of a sequence to itself: [N, T, width] */
/* Of a sequence, or a sequence and the first states (h, of an LSTM h and c); the result is what every step gave. */
KT_API kt_module *kt_make_lstm(int64_t in, int64_t hidden, const kt_recurrent_options *options);
KT_API kt_module *kt_make_gru(int64_t in, int64_t hidden, const kt_recurrent_options *options);
/* PyTorch's MultiheadAttention without the weights: of (query, key, value), of (query, memory), or of one input to itself. */
KT_API kt_module *kt_make_multihead_attention(int64_t width, int64_t heads, const kt_attention_options *options);
KT_API kt_module *kt_make_transformer_encoder_layer(int64_t width, int64_t heads, const kt_transformer_options *options);
KT_API kt_module *kt_make_sequence(kt_module *const *modules, int64_t n);       /* Sequential; takes the modules over */
#ifndef __cplusplus
#define kt_make_sequential(...)                                                                 \
    kt_make_sequence((kt_module *const[]){__VA_ARGS__},                                         \
                     (int64_t)(sizeof(kt_module *const[]){__VA_ARGS__} / sizeof(kt_module *)))
#endif

KT_END
#endif
