/* sweep.h - where the calls that gen_sweep.c wrote take their arguments from, and where their results go.
 *
 * Each argument has a slot. One slot at a time is aimed at: its maker gives the hostile value at hand, all others a usable one,
 * of the profile at hand (dtypes and sizes that suit some operators and not others). An option not aimed at is not given. */
#ifndef KARAT_TESTS_SWEEP_H
#define KARAT_TESTS_SWEEP_H

#include <karat/karat.h>
#include <karat/plugin/backend.h>
#include <karat/plugin/call.h>
#include <karat/plugin/node.h>
#include <karat/plugin/operator.h>
#include <karat/plugin/site.h>
#include <karat/plugin/storage.h>
#include <karat/plugin/watch.h>
#include <karat/plugin/work.h>
#include <stdio.h>

typedef struct sweep_function {
    const char *name;
    void      (*call)(void);
    int         slots;
} sweep_function;

extern const sweep_function sweep_functions[];
extern const int            sweep_n_functions;

bool sweep_aimed(int slot);
#define AIMED(slot) sweep_aimed(slot)

kt_tensor        *sweep_tensor(int slot, const char *name);
kt_tensor *const *sweep_tensors(int slot);
int64_t           sweep_count(int slot, int64_t good);
int64_t           sweep_integer(int slot, int64_t good);
int64_t           sweep_steps(int slot);
int               sweep_small(int slot);
bool              sweep_truth(int slot, const char *name);
double            sweep_real(int slot);
kt_scalar         sweep_number(int slot);
const kt_scalar  *sweep_numbers(int slot);
kt_shape          sweep_shape(int slot);
kt_dtype          sweep_dtype(int slot);
kt_device         sweep_device(int slot);
size_t            sweep_bytes(int slot);
const char       *sweep_words(int slot, const char *name);
const void       *sweep_options(int slot, void *options);
void             *sweep_sized(int slot, size_t size); /* a struct that says its size first */
kt_call          *sweep_call(int slot);
const kt_value   *sweep_values(int slot);
kt_hook          *sweep_hook(int slot);
kt_optimizer     *sweep_optimizer(int slot);
kt_scaler        *sweep_scaler(int slot);
kt_node          *sweep_node(int slot);
kt_node         **sweep_nodes(void);
const kt_node_type *sweep_node_type(int slot);
const kt_operator *sweep_operator(int slot);
const kt_kernel  *sweep_kernel(int slot);
const kt_row     *sweep_row(int slot);
const kt_module_type *sweep_module_type(int slot);
kt_module        *sweep_module(int slot, const char *name);
kt_module *const *sweep_modules(int slot);
const kt_named   *sweep_named(int slot);
kt_conversions   *sweep_conversions(int slot);
kt_profile       *sweep_profile(int slot);
kt_autocast_counts *sweep_counts(int slot);
kt_status         sweep_module_visit(const char *path, kt_tensor *t, void *context);
kt_tensor        *sweep_before_call(kt_module *m, kt_tensor *x, void *context);
kt_status         sweep_after_backward(kt_module *m, kt_tensor **grads, int n, kt_tensor *grad, void *context);
kt_status         sweep_evaluate(void *context, double *loss);
kt_tensor        *sweep_after_call(kt_module *m, kt_tensor *x, kt_tensor *result, void *context);
char             *sweep_text(int slot);
void             *sweep_memory(void);
void             *sweep_zeroed(void);
kt_guard         *sweep_guard(void);
kt_mode_guard    *sweep_mode_guard(void);
kt_tensor       **sweep_room(void);
kt_event        **sweep_events(void);
kt_generator    **sweep_generators(void);
FILE             *sweep_stream(void);
void              sweep_warning(const char *text);
void              sweep_release(void *owner);
bool              sweep_wrapper_left(kt_tensor *t);
kt_status         sweep_hook_call(kt_tensor *grad, void *context, kt_tensor **instead);
kt_status         sweep_node_hook_call(kt_node_grads *grads, void *context);
kt_status         sweep_call_watcher(kt_call *call, kt_call_moment moment, bool *given, void *context);
int               sweep_hook_visit(void (*release)(void *), void *context, void *with);
void              sweep_before(void);

#define TENSOR(slot, name)      sweep_tensor(slot, name)
#define TENSORS(slot, name)     sweep_tensors(slot)
#define COUNT(slot, name)       sweep_count(slot, 2)
#define ROOM(slot, name)        sweep_count(slot, 64)
#define RESULTS(slot, name)     (sweep_aimed(slot) ? NULL : sweep_room())
#define RESULT(slot, name)      (sweep_aimed(slot) ? NULL : sweep_room())
#define NUMBER(slot, name)      sweep_number(slot)
#define NUMBERS(slot, name)     sweep_numbers(slot)
#define SHAPE(slot, name)       sweep_shape(slot)
#define INTEGER(slot, name)     sweep_integer(slot, 1)
#define STEPS(slot, name)       ((kt_opt_int){true, sweep_steps(slot)})
#define OPT_INT(slot, name)     ((kt_opt_int){true, sweep_integer(slot, 1)})
#define OPT_REAL(slot, name)    ((kt_opt_real){true, sweep_real(slot)})
#define OPT_BOOL(slot, name)    ((kt_opt_bool){true, sweep_small(slot) & 1})
#define REAL(slot, name)        sweep_real(slot)
#define TRUTH(slot, name)       sweep_truth(slot, name)
#define DTYPE(slot, name)       sweep_dtype(slot)
#define DEVICE(slot, name)      sweep_device(slot)
#define SMALL(slot, name)       sweep_small(slot)
#define BYTES(slot, name)       sweep_bytes(slot)
#define WORDS(slot, name)       sweep_words(slot, name)
#define MADE_TEXT(slot, name)   sweep_text(slot)
#define STREAM(slot, name)      (sweep_aimed(slot) ? NULL : sweep_stream())
#define MEMORY(slot, name)      (sweep_aimed(slot) ? NULL : sweep_memory())
#define GENERATOR(slot, name)   (sweep_aimed(slot) ? NULL : kt_default_generator())
#define GUARD(slot, name)       (sweep_aimed(slot) ? NULL : sweep_guard())
#define MODE_GUARD(slot, name)  (sweep_aimed(slot) ? NULL : sweep_mode_guard())
#define ERROR_STATE(slot, name) (sweep_aimed(slot) ? NULL : kt_error_push())
#define SIZED(type, slot, name) sweep_sized(slot, sizeof(type))
#define QUEUE(slot, name)       ((kt_stream){sweep_device(slot), 0})
#define EVENT(slot, name)       ((kt_event *)NULL) /* events of the CPU do nothing: tests/unit/tensor/device.c has the mirror's */
#define EVENTS(slot, name)      (sweep_aimed(slot) ? NULL : sweep_events())
#define NO_GRAPH(slot, name)    ((kt_graph *)NULL) /* the CPU captures nothing */
#define GENERATORS(slot, name)  (sweep_aimed(slot) ? NULL : sweep_generators())
#define HOOK(slot, name)        sweep_hook(slot)
#define OPTIMIZER(slot, name)   sweep_optimizer(slot)
#define SCALER(slot, name)      sweep_scaler(slot)
#define NODE(slot, name)        sweep_node(slot)
#define NODES(slot, name)       (sweep_aimed(slot) ? NULL : sweep_nodes())
#define NODE_TYPE(slot, name)   sweep_node_type(slot)
#define OPERATOR(slot, name)    sweep_operator(slot)
#define KERNEL(slot, name)      sweep_kernel(slot)
#define ROW(slot, name)         sweep_row(slot)
#define MODULE_TYPE(slot, name) sweep_module_type(slot)
#define MODULE(slot, name)      sweep_module(slot, name)
#define GIVEN_MODULE(slot, name) kt_module_keep(sweep_module(slot, name))
#define MODULES(slot, name)     sweep_modules(slot)
#define NAMED(slot, name)       sweep_named(slot)
#define CONVERSIONS(slot, name) sweep_conversions(slot)
#define PROFILE(slot, name)     sweep_profile(slot)
#define WRITTEN_FILE(slot, name) (sweep_aimed(slot) ? NULL : "/dev/null")
#define COUNTS(slot, name)      sweep_counts(slot)
#define COLLECTING(slot, name)  ((kt_collecting){NULL, sweep_small(slot)})
#define MODULE_VISIT(slot, name) (sweep_aimed(slot) ? NULL : sweep_module_visit)
#define BEFORE_FN(slot, name)   (sweep_aimed(slot) ? NULL : sweep_before_call)
#define AFTER_FN(slot, name)    (sweep_aimed(slot) ? NULL : sweep_after_call)
#define EVALUATE_FN(slot, name) (sweep_aimed(slot) ? NULL : sweep_evaluate)
#define BEFORE_BACKWARD_FN(slot, name) (sweep_aimed(slot) ? NULL : sweep_before_call)
#define AFTER_BACKWARD_FN(slot, name) (sweep_aimed(slot) ? NULL : sweep_after_backward)
#define CALL(slot, name)        sweep_call(slot)
#define VALUES(slot, name)      sweep_values(slot)
#define ZEROED(slot, name)      (sweep_aimed(slot) ? NULL : sweep_zeroed())
#define SITE(slot, name)        (sweep_aimed(slot) ? NULL : sweep_zeroed())
#define WARNING_FN(slot, name)  (sweep_aimed(slot) ? NULL : sweep_warning)
#define HOOK_FN(slot, name)     (sweep_aimed(slot) ? NULL : sweep_hook_call)
#define NODE_HOOK_FN(slot, name) (sweep_aimed(slot) ? NULL : sweep_node_hook_call)
#define HOOK_VISIT(slot, name)  (sweep_aimed(slot) ? NULL : sweep_hook_visit)
#define CALL_WATCHER(slot, name) (sweep_aimed(slot) ? NULL : sweep_call_watcher)
#define WRAPPER_LEFT(slot, name) (sweep_aimed(slot) ? NULL : sweep_wrapper_left)
#define RELEASE_FN(slot, name)  (sweep_aimed(slot) ? NULL : sweep_release)
#define OPTIONS(slot, options)  sweep_options(slot, options)
#define BEFORE                  sweep_before()

/* Results: what is owned is given back; text is never NULL; while an error is pending nothing is made. */
void sweep_got_tensor(const char *name, kt_tensor *t);
void sweep_got_module(const char *name, kt_module *m);
void sweep_got_status(const char *name, kt_status status);
void sweep_got_text(const char *name, const char *text);
void sweep_got_count(const char *name, int64_t n);
void sweep_got_several(const char *name, kt_tensor *const *t, size_t n);

#define GIVEN_void(name, value)             (value)
#define GIVEN_bool(name, value)             ((void)(value))
#define GIVEN_unsigned(name, value)         ((void)(value))
#define GIVEN_int(name, value)              ((void)(value))
#define GIVEN_double(name, value)           ((void)(value))
#define GIVEN_size_t(name, value)           ((void)(value))
#define GIVEN_uint32_t(name, value)         ((void)(value))
#define GIVEN_uint64_t(name, value)         ((void)(value))
#define GIVEN_voidP(name, value)            ((void)(value))
#define GIVEN_voidPP(name, value)           ((void)(value))
#define GIVEN_kt_category(name, value)      ((void)(value))
#define GIVEN_kt_device(name, value)        ((void)(value))
#define GIVEN_kt_device_kind(name, value)   ((void)(value))
#define GIVEN_kt_dtype(name, value)         ((void)(value))
#define GIVEN_kt_kernel_id(name, value)     ((void)(value))
#define GIVEN_kt_wait_mode(name, value)     ((void)(value))
#define GIVEN_kt_policy(name, value)        ((void)(value))
#define GIVEN_kt_randomness(name, value)    ((void)(value))
#define GIVEN_kt_attention_way(name, value) ((void)(value))
#define GIVEN_kt_determinism(name, value)   ((void)(value))
#define GIVEN_kt_scalar(name, value)        ((void)(value))
#define GIVEN_kt_autocast_class(name, value) ((void)(value))
#define GIVEN_kt_autocast_countsPP(name, value) ((void)kt_autocast_count(value))
#define GIVEN_kt_collecting(name, value)    ((void)(value))
#define GIVEN_constkt_conversionsP(name, value) ((void)(value))
#define GIVEN_kt_shape(name, value)         ((void)(value))
#define GIVEN_constkt_arg_specP(name, value) ((void)(value))
#define GIVEN_constkt_rowP(name, value)     ((void)(value))
#define GIVEN_constkt_node_typeP(name, value) ((void)(value))
#define GIVEN_constkt_valueP(name, value)   ((void)(value))
#define GIVEN_constkt_variableP(name, value) ((void)(value))
#define GIVEN_int64_t(name, value)          sweep_got_count(#name, value)
#define GIVEN_kt_status(name, value)        sweep_got_status(#name, value)
#define GIVEN_kt_tensorP(name, value)       sweep_got_tensor(#name, value)
#define GIVEN_constcharP(name, value)       sweep_got_text(#name, value)
#define GIVEN_kt_error_stateP(name, value)  kt_error_pop(value)
#define GIVEN_kt_nodeP(name, value)         kt_node_drop(value)
#define GIVEN_constkt_nodeP(name, value)    ((void)(value))
#define GIVEN_constvoidP(name, value)       ((void)(value))
#define GIVEN_kt_moduleP(name, value)       sweep_got_module(#name, value)
#define GIVEN_kt_hookP(name, value)         kt_hook_remove(value)
#define GIVEN_kt_profileP(name, value)      kt_profile_free(value)
#define GIVEN_uintptr_t(name, value)        ((void)(value))
#define GIVEN_kt_optimizerP(name, value)    kt_optimizer_drop(value)
#define GIVEN_kt_scalerP(name, value)       kt_scaler_drop(value)
#define GIVEN_kt_generatorP(name, value)    kt_generator_drop(value)
#define GIVEN_kt_guard(name, value)         do { kt_guard got = value; kt_scope_close(&got); } while (0)
#define GIVEN_kt_mode_guard(name, value)    do { kt_mode_guard got = value; kt_mode_close(&got); } while (0)
#define GIVEN_charP(name, value)            do { char *got = value; sweep_got_text(#name, got); kt_free_string(got); } while (0)
#define GIVEN_several(name, value)                                                                                     \
    do {                                                                                                               \
        __auto_type got = value;                                                                                       \
        sweep_got_several(#name, (kt_tensor *const *)&got, sizeof got / sizeof(kt_tensor *));                          \
    } while (0)

#endif
