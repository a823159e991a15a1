/* binding.h - what the files of the extension share: the Tensor object, argument conversion, calling the engine.
 *
 * In: Python objects. Out: kt_call and kt_scalar values, Python objects. The extension uses Karat's public and plugin
 * headers, never the engine's internals. Names are kp_...; every function that can fail returns NULL or -1 with a Python
 * exception set, unless it says otherwise. All run with the GIL held. */
#ifndef KP_BINDING_H
#define KP_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <karat/karat.h>
#include <karat/plugin/call.h>

#define KP_LIKELY(x)   __builtin_expect(!!(x), 1)
#define KP_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define KP_FUNCTION(f) ((PyCFunction)(void (*)(void))(f)) /* for METH_FASTCALL and others with another signature */

/* ---- the Tensor object (tensor.c, life.c) ---- */
typedef struct kp_tensor {
    PyObject_HEAD
    kt_tensor *t;    /* whose wrapper slot points back here; one reference, unless t owns the object */
    PyObject  *dict; /* the user's attributes; NULL until the first: the GC does not track the object before */
    PyObject  *weak;
} kp_tensor;
extern const char   *kp_package; /* its name in what Python shows: torch under `karat run` */
extern PyTypeObject *kp_tensor_type;

PyObject *kp_wrap(kt_tensor *t);    /* steals the reference, on failure too; NULL gives NULL */
PyObject *kp_wrap_borrowed(kt_tensor *t);
PyObject *kp_wrap_as(kt_tensor *t, PyTypeObject *type); /* as kp_wrap, an object of a subclass; t has none yet */
PyObject *kp_get_dict(PyObject *self, void *unused);
PyObject *kp_swap(PyObject *one, PyObject *other);      /* each object gets the other's tensor, class and attributes */
PyObject *kp_use_count(PyObject *self, PyObject *unused);
PyObject *kp_fix_weakref(PyObject *self, PyObject *unused);
PyObject *kp_new_shell(void);       /* a Tensor without a tensor, from the free list: what an empty binding costs */

static inline bool kp_is_tensor(PyObject *o) /* built-in types are not heap types: a float is rejected at once */
{
    return KP_LIKELY(Py_IS_TYPE(o, kp_tensor_type)) ||
           (PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE) && PyType_IsSubtype(Py_TYPE(o), kp_tensor_type));
}

void      kp_life_start(void);
void      kp_life_of_subclass(PyTypeObject *type);
void      kp_own(kp_tensor *self); /* it owns its tensor from now on, if the tensor owned it; the caller has a reference */
void      kp_tensor_dealloc(PyObject *o);
int       kp_tensor_traverse(PyObject *o, visitproc visit, void *arg);
int       kp_tensor_clear(PyObject *o);
int       kp_tensor_setattr(PyObject *o, PyObject *name, PyObject *value);

/* Borrowed. Weak references, and the collector's lists, lead to objects that are owned by their tensor. */
static inline kt_tensor *kp_tensor_of(PyObject *o)
{
    kp_tensor *self = (kp_tensor *)o;
    if (KP_UNLIKELY(self->weak || self->dict))
        kp_own(self);
    return self->t;
}

/* ---- __torch_function__ (override.c) ---- */
enum { KP_NOT_ASKED, KP_ANSWERED, KP_DECLINED };
extern __thread int kp_override_off;
extern int kp_modes_open; /* function modes that are entered, on all threads */

static inline bool kp_may_override(PyObject *o) /* plain tensors and built-in types do not, unless a function mode is entered */
{
    return KP_UNLIKELY(kp_modes_open) || (!Py_IS_TYPE(o, kp_tensor_type) && PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE));
}
bool kp_overrides(PyObject *o); /* has its class a __torch_function__ that is asked? */
bool kp_any_may_override(PyObject *const *argv, Py_ssize_t n); /* elements of lists and tuples too */
/* One of the three; answered: *answer is the result, or NULL with an exception; declined: NotImplemented. */
int  kp_override(PyObject *function, PyObject *const *argv, Py_ssize_t n, PyObject *keywords, PyObject **answer);
int  kp_override_call(const char *name, bool method, PyObject *function, PyObject *const *argv, Py_ssize_t n,
                      PyObject *keywords, PyObject **answer); /* 0: no override; all declining is an exception */
int  kp_override_operator(const char *name, PyObject *a, PyObject *b, PyObject **answer); /* 0: no override; b may be NULL */
int  kp_override_setattr(PyObject *self, PyObject *name, PyObject *value); /* 1 answered, 0 not asked, -1 an exception */
void kp_override_slots(PyType_Slot *slots, int n); /* override_slots.c: makes indexing, len, bool, ... ask for overrides first */
int  kp_override_start(PyObject *module);
PyObject *kp_torch_function(PyObject *cls, PyObject *args, PyObject *keywords);
PyObject *kp_init_subclass(PyObject *cls, PyObject *args, PyObject *keywords);
PyObject *kp_as_subclass(PyObject *self, PyObject *cls);
PyObject *kp_make_subclass(PyObject *unused, PyObject *args, PyObject *keywords);

/* ---- functions of functions (batch.c) ---- */
bool kp_in_transform(void); /* does the program run inside a transform of karat.func, on this thread? */

/* ---- errors (error.c) ---- */
int       kp_error_start(PyObject *module); /* module's classes of errors */
/* Raises: `op` refuses t's dtype and would accept `wanted` (kt_refuse_dtype). Returns NULL. */
PyObject *kp_refuse_dtype(kt_status status, const kt_tensor *t, const char *op, kt_dtype wanted, const char *text);
/* Remembers a module that is called, while a profile wants to know of modules (profiler.c). */
extern PyTypeObject kp_profile_type;
int       kp_note_module(PyObject *module);

PyObject *kp_raise(void); /* raises the engine's pending error and clears it; returns NULL */
kt_status kp_fail_with_exception(void); /* the pending Python exception becomes the engine's error */
struct kp_row_facts;
/* Sets the attribute `karat` of the pending exception of a call of `op`, unless it is set; `form` names the arguments,
 * NULL: an index. Returns NULL. */
PyObject *kp_tell(const char *op, const struct kp_row_facts *form, PyObject *const *argv, Py_ssize_t n);
PyObject *kp_mistake_object(void); /* the pending error as data: a new dict (karat.Mistake) */

/* ---- entering the engine (site.c holds the state) ---- */
/* Sites are available only during a call made here. state: 0 outside; 1 the frame may be read; 2 it was read before the
 * GIL was released. */
typedef struct kp_entry {
    const kt_call *call; /* that runs; NULL: something else, which may use any tensor */
    uintptr_t      code;
    int32_t        offset;
    uint8_t        state;
    bool           large; /* kernels of the call may run without the GIL */
} kp_entry;
extern __thread kp_entry kp_here;
int  kp_site_start(PyObject *module);           /* registers the source of sites */
int  kp_site_set_package(PyObject *folder);     /* files of this folder are not the user's */
void kp_site_capture(kp_entry *entry);          /* reads the frame now */
PyObject *kp_site_columns(PyObject *code, Py_ssize_t offset); /* where an instruction stands in its file; None: unknown */
PyObject *kp_site_place(int *line);             /* file and line of the user's current call; None: unknown */
extern const char kp_site_variant[];            /* how frames are read: which variant was compiled */

static inline kp_entry kp_enter(void)
{
    const kp_entry before = kp_here;
    kp_here.call = NULL;
    kp_here.state = 1;
    return before;
}
static inline void kp_leave(kp_entry before) { kp_here = before; }

/* From here on releasing the GIL pays. */
enum { KP_LARGE_NUMEL = 100 * 1000, KP_LARGE_PRODUCT = 100 * 1000 * 1000 };
int       kp_run_start(void);                   /* registers the GIL as the lock to release around long kernels */
kt_status kp_run_large(kt_call *call);          /* the caller keeps the arguments alive */

/* A flight is a call that has released the GIL, or a large one: it uses its arguments' memory and sizes while other threads
 * run. Code that may change those of a tensor (a call: of its targets) first waits until no flight of another thread uses it;
 * code that uses a tensor waits until no flight may change it. -1: interrupted. */
typedef struct kp_flight kp_flight;
extern kp_flight *kp_flights; /* NULL: none */
int  kp_wait_for(const kt_tensor *t); /* before its memory or sizes are changed */
int  kp_wait_for_others(const kt_call *call);
void kp_wait_for_changes(void); /* until no flight may change any tensor; not interrupted */

/* For what uses tensors and is not a call. */
static inline kp_entry kp_enter_any(void)
{
    if (KP_UNLIKELY(kp_flights != NULL))
        kp_wait_for_changes();
    return kp_enter();
}

/* ---- the engine's warnings (warn.c) ---- */
extern int kp_warnings_waiting; /* number of undelivered warnings; atomic */
kt_status  kp_say_warnings(kt_call *call, kt_status status); /* after a call (or NULL); a status: a warning was raised as an
                                                              * exception, and the call's results were dropped */
int        kp_warn_start(void);
int        kp_warn_once(bool *said, const char *text); /* once a process, unless set_warn_always; -1: it was raised */

static inline kt_status kp_after(kt_call *call, kt_status status)
{
    return KP_LIKELY(!__atomic_load_n(&kp_warnings_waiting, __ATOMIC_RELAXED)) ? status : kp_say_warnings(call, status);
}

/* Elements to the host: what is strided or lazy is copied, and the copy has the user's line. */
static inline kt_scalar kp_item(const kt_tensor *t)
{
    const kp_entry  before = kp_enter_any();
    const kt_scalar s = kt_item_scalar(t);
    kp_leave(before);
    return kp_after(NULL, s.kind ? KT_OK : kt_error_status()) ? (kt_scalar){0} : s;
}
static inline kt_status kp_read(const kt_tensor *t, void *elements, size_t bytes)
{
    const kp_entry  before = kp_enter_any();
    const kt_status status = kt_read(t, elements, bytes);
    kp_leave(before);
    return kp_after(NULL, status);
}

static inline kt_status kp_run(kt_call *call, bool large)
{
    if (KP_UNLIKELY(kp_flights != NULL) && kp_wait_for_others(call))
        return kp_fail_with_exception();
    if (KP_UNLIKELY(large))
        return kp_after(call, kp_run_large(call));
    const kt_call *outer = kp_here.call;
    const uint8_t  before = kp_here.state;
    kp_here.call = call;
    kp_here.state = 1;
    kt_status status = kt_call_run(call);
    kp_here.call = outer;
    kp_here.state = before;
    return kp_after(call, status);
}

static inline bool kp_is_large(const kt_tensor *a, const kt_tensor *b)
{
    int64_t n = kt_numel(a), m = b ? kt_numel(b) : 1;
    return n > KP_LARGE_NUMEL || m > KP_LARGE_NUMEL || (n > 1000 && m > KP_LARGE_PRODUCT / n);
}

PyObject *kp_call_results(kt_call *call, PyTypeObject *type); /* after a successful run: one object, or a tuple of
                                                                  that type (NULL: a plain one) */

/* ---- several results (results.c) ---- */
PyTypeObject *kp_result_type(const kt_row *row, kt_form form); /* borrowed: a named tuple; NULL and no exception: no names */
int           kp_results_start(PyObject *module);

/* ---- numbers (scalar.c) ---- */
int       kp_to_scalar(PyObject *o, kt_scalar *s); /* 1: done; 0: not a number, no exception; -1: too big */
int       kp_to_operand(PyObject *o, kt_scalar *s); /* the same, by the rules of arithmetic operands */
PyObject *kp_from_scalar(kt_scalar s);

/* ---- texts (text.c) ---- */
/* UTF-8 for the engine, whose strings end at NUL: an embedded NUL becomes U+FFFD, so that the text is refused rather than
 * truncated. *kept owns the bytes; the caller releases it. */
const char *kp_text(PyObject *text, PyObject **kept);

/* ---- dtypes, devices, sizes, memory formats ---- */
extern PyTypeObject kp_dtype_type, kp_device_type, kp_size_type, kp_format_type, kp_layout_type;
PyObject *kp_home_of(PyObject *constant, void *unused); /* __module__ of dtypes and memory formats */
PyObject *kp_dtype_object(kt_dtype d);          /* new reference to the one object of d; None for KT_NONE */
int       kp_to_dtype(PyObject *o, kt_dtype *d);   /* 1, or 0: not a dtype */
PyObject *kp_device_object(kt_device d);
PyObject *kp_device_object_of(kt_device d);        /* the same; index -1: none */
bool      kp_is_absent_device(PyObject *o); /* does it name one that PyTorch knows and that is not here? No exception */
int       kp_to_device(PyObject *o, kt_device *d); /* 1; 0: neither device nor string; -1: no such device */
int       kp_to_cpu(PyObject *o);                  /* the same; anything but the CPU is refused, as by legacy constructors */
void      kp_refuse_kind(kt_device expected, kt_device passed); /* by a legacy constructor */
int       kp_to_format(PyObject *o, int32_t *f);
PyObject *kp_format_object(int32_t f);
PyObject *kp_size_object(kt_shape shape);
PyObject *kp_layout_object(void);                  /* torch.strided */
int       kp_to_layout(PyObject *o);               /* 1: strided; 0: no layout; -1 and an exception: another layout */
int       kp_formats_start(PyObject *module);

/* ---- streams, events, graphs (python/device) ---- */
extern PyTypeObject kp_stream_type, kp_event_type, kp_graph_type;
kt_device kp_accelerator(void);                    /* kind -1 and an exception: there is none */
int       kp_device_or_accelerator(PyObject *o, const char *function, kt_device *d); /* o may be NULL or None; 0 or -1 */
PyObject *kp_stream_object(PyTypeObject *type, kt_stream s);
int       kp_to_stream(PyObject *o, kt_stream *s); /* 1, or 0: not a stream */
bool      kp_stream_is_known(kt_stream s);         /* is it one that Python made, or current? */
PyObject *kp_event_new(kt_device d);
int       kp_event_record(PyObject *event, kt_stream s, const char *function);
int       kp_event_gate(PyObject *event, kt_stream s, const char *function); /* later work of the stream waits for it */

kt_tensor *kp_pinned(kt_tensor *t, kt_device d);   /* owned, for that device (KT_DEVICE_DEFAULT: the accelerator) */
kt_tensor *kp_pin_made(kt_tensor *t);              /* steals the reference: pin_memory=True of a factory function */
PyObject  *kp_pin_memory(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords);
PyObject  *kp_is_pinned(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords);
PyObject  *kp_record_stream(PyObject *self, PyObject *stream);

/* ---- generators (generator.c) ---- */
extern PyTypeObject kp_generator_type;
extern PyMethodDef  kp_random_functions[];
int kp_to_generator(PyObject *o, kt_generator **g); /* 1, or 0: not a generator */
int kp_generator_start(PyObject *module);

/* ---- arguments (bind.c) and the functions made of rows (function.c) ---- */
enum { KP_NOWHERE = 255, KP_FIRST_TARGET = 240, KP_UNSHOWN = 2, KP_MOST_PARAMETERS = KT_MAX_ARGS };

/* Why arguments do not fit a form; worded as PyTorch does when raised. It owns its objects: reading arguments may run
 * Python code that releases them. */
typedef struct kp_mistake {
    enum {
        KP_FITS, KP_TOO_MANY, KP_MISSING, KP_UNKNOWN, KP_TWICE, KP_WRONG_TYPE, KP_WRONG_ELEMENT, KP_TOO_LARGE, KP_NO_NAME,
        KP_HAS_DIMS, KP_NO_INDEX
    } what;
    int         arg;         /* index in the form */
    Py_ssize_t  position;    /* of a positional argument, from 1; 0: it came by keyword */
    PyObject   *got;         /* owned: the object's type, or the keyword's name */
    Py_ssize_t  element;     /* of a sequence; -1: not in one; -2: not in one, and any number would do */
    PyObject   *value;       /* owned: the object; of KP_NO_NAME the name */
    bool        unasked;     /* the reason is not needed: other forms are tried first */
    int         n_missing;
} kp_mistake;

typedef struct kp_args {
    kt_call    call;
    uint64_t   work;      /* elements of all tensor arguments: decides whether to release the GIL */
    int        n_held, n_owned;
    PyObject  *held[KP_MOST_PARAMETERS];  /* objects that the call borrows from, one per parameter: tuples, texts, tensors made
                                           * from numbers */
    void      *owned[KP_MOST_PARAMETERS]; /* memory of long lists */
    int        pool_used;
    int64_t    pool[64];           /* memory of short ones */
    bool       method;             /* the first argument is a method's self, which positions in messages do not count */
    PyObject  *into;               /* borrowed: out= of a row without an out= form; NULL: none */
    uint32_t   numbers;            /* bit i: a number was given for the row's tensor argument i */
    bool       pins;               /* pin_memory=True */
    kp_mistake late;               /* deferred: raised if its form is chosen */
} kp_args;

/* Kinds of arguments of the binding, beside kt_arg_kind. */
enum {
    KP_ARG_OBJECT = 64, /* any object, borrowed, at value.t */
    KP_ARG_OUT,         /* out=: a Tensor */
    KP_ARG_OUTS,        /* out=: a tuple of as many as the row has results */
    KP_ARG_LAYOUT,      /* strided: checked and ignored; others are refused */
    KP_ARG_LIKE,        /* a tensor for its dtype and device */
    KP_ARG_NAME,        /* a dim name: no tensor has named dims, so it is never found */
    KP_ARG_NAMES,
    KP_ARG_NO_NAME,     /* the same, where PyTorch does not look the name up */
    KP_ARG_ENDS,        /* two floats: for the row's argument and the next one */
    KP_ARG_CPU,         /* a device that must be the CPU (legacy constructors) */
    KP_ARG_TRUTH,       /* any object, by its truth value: a flag that PyTorch reads in Python */
    KP_ARG_WORD         /* a str; any other object is passed as its str(), which the row refuses */
};
typedef struct kp_span { /* part of a text */
    const char *text;
    int         n;
} kp_span;

typedef struct kp_row_facts { /* one form (overload) of a function: its parameters, and the row that serves it */
    const kt_row      *row;      /* NULL: none does */
    const kt_arg_spec *spec;     /* n_args of them; keyword_only may be KP_UNSHOWN: not shown in messages */
    PyObject *const   *name;     /* interned Python names */
    const uint8_t     *at;       /* index of the row's argument for each; KP_NOWHERE: checked and ignored; from KP_FIRST_TARGET
                                  * on: a target of the row's out= form */
    uint32_t           known;    /* bit i: parameter i has a NumPy synonym */
    const kp_span     *defaults; /* as written in the table; NULL: those of the specs */
    int                n_args, n_positional;
    int                device_at;  /* the row's argument that is a device; -1: none */
    int                pin_at;     /* the parameter pin_memory; -1: none */
    uint32_t           zeros;      /* bit i: this form lacks the row's argument i, which is then the number 0 */
    bool               spread;     /* the list of integers may be given as several integers */
    bool               deprecated; /* accepted with a warning, not listed in messages */
    bool               python;     /* a Python function in PyTorch: wrong argument counts are worded as by Python */
    PyTypeObject      *results, *results_out; /* named tuple types of several results, without and with out=; NULL: none. Owned by
                                               * the module */
} kp_row_facts;

/* The signature of a function that is not a row, for kp_parse. */
typedef struct kp_signature {
    const char  *name;
    kt_arg_spec  spec[8]; /* terminated by one without a name */
    kp_row_facts facts;   /* filled at the first use */
    PyObject    *names[8];
} kp_signature;

/* 1: bound, run it and kp_args_free; 0: does not fit (see mistake), nothing to free; -1: exception, nothing to free. */
int         kp_bind(kp_args *a, const char *name, const kp_row_facts *facts, kt_form form, bool method,
                    PyObject *const *argv, Py_ssize_t n, PyObject *keywords, kp_mistake *mistake);
/* The last step of it, where another binder took the arguments: numbers that stand for tensors, arguments that a form lacks. */
int         kp_complete(kp_args *a, const char *name, const kp_row_facts *form, PyObject *const *argv, Py_ssize_t n);
void        kp_args_free(kp_args *a);
void        kp_mistake_free(kp_mistake *m);
int         kp_take(kp_args *a, const kp_row_facts *form, int i, PyObject *o, kp_mistake *m); /* take.c: 1, 0 or -1 */
int         kp_take_ints(kp_args *a, PyObject *const *items, Py_ssize_t n, kt_shape *shape, kp_mistake *m);
bool        kp_is_index(PyObject *o); /* can it be an element of a list of integers? */
int         kp_parse(kp_args *a, kp_signature *s, bool method, PyObject *const *argv, Py_ssize_t n,
                     PyObject *keywords); /* 0: then kp_args_free; -1: exception, nothing to free */
int         kp_parse_any(kp_args *a, kp_signature *overloads, int n_overloads, PyObject *const *argv, Py_ssize_t n,
                         PyObject *keywords); /* the overload that fits (8 at most), or -1 */
int         kp_parse_method(kp_args *a, kp_signature *overloads, int n_overloads, PyObject *self, PyObject *const *argv,
                            Py_ssize_t n, PyObject *keywords); /* the same, where the first parameter is a method's self */
/* tp_new's arguments in vectorcall's form: the keyword names, and all values in *all, which the caller frees (PyMem_Free). */
PyObject   *kp_flattened(PyObject *args, PyObject *keywords, PyObject ***all);
int         kp_parse_new(kp_args *a, kp_signature *s, PyObject *args, PyObject *keywords); /* of values alone: as kp_parse */
PyObject   *kp_number_as_tensor(kt_scalar number, const kt_tensor *beside); /* number.c; beside may be NULL */

/* ---- the forms of a name (forms.c) ---- */
/* All n forms of the Python name `name` (without "_") that these rows serve, in one allocation (PyMem_Free). `otherwise`:
 * the name to look up when this one has no forms of its own. */
kp_row_facts *kp_forms_of(const char *name, const char *otherwise, const kt_row *const *rows, int n_rows, kt_form form,
                          bool method, int *n);

struct schema_text;
/* The form of one schema, with the row of these that serves it; `row` is NULL: none does. One allocation (PyMem_Free). `numbers`:
 * numbers may stand for its tensors. */
kp_row_facts *kp_form_of_schema(const struct schema_text *t, const kt_row *const *rows, int n_rows, bool numbers);
/* The rows behind a name of PyTorch's operators ("add_", "linalg_det", "gelu"), and their form; their number, 0: none. */
int kp_rows_named(const char *name, const kt_row *const **rows, kt_form *form);

/* ---- texts (mistake.c) ---- */
void        kp_raise_mistakes(const char *name, const kp_row_facts *forms, int n_forms, bool method,
                              PyObject *const *argv, Py_ssize_t n, PyObject *keywords); /* none of the forms fits */
void        kp_raise_as_python(const char *name, const kp_row_facts *form, bool method, Py_ssize_t n,
                               PyObject *keywords); /* as_python.c: raises only where the count is wrong */
PyObject   *kp_signature_text(const kp_row_facts *form, bool method); /* "(Tensor input, *, Number alpha = 1)" */
int         kp_warn_deprecated(const char *name, const kp_row_facts *forms, int n_forms, int which, bool method);
const char *kp_arg_name(const kt_arg_spec *spec, bool method);
bool        kp_has_synonym(PyObject *name); /* NumPy's name for an argument of this name */
void        kp_raise_no_name(const char *function, int kind, PyObject *name, PyObject *tensor);
void        kp_raise_mistake(const char *name, const kp_row_facts *form, bool method, Py_ssize_t n_given,
                             const kp_mistake *m);

extern PyTypeObject kp_function_type, kp_method_type, kp_operator_type;
int kp_functions_start(PyObject *module); /* module.functions, and the methods of Tensor */

/* ---- parts of the Tensor type, one file each ---- */
extern const PyType_Slot kp_number_slots[], kp_index_slots[]; /* number.c, index.c; ended by 0 */
extern PyGetSetDef       kp_tensor_getset[];                  /* attributes.c */
extern PyMethodDef       kp_tensor_methods[];                 /* methods.c */
extern PyTypeObject      kp_node_type, kp_handle_type, kp_empty_type; /* node.c, hook.c, ceiling.c */
extern PyTypeObject      kp_context_type, kp_saved_type, kp_form_type; /* custom.c, kept.c */
int kp_tensor_start(PyObject *module);
PyObject *kp_plain_repr(PyObject *self, PyObject *unused); /* as a plain tensor, whatever its class */
int kp_numbers_start(void);
int kp_only_element(PyObject *tensor, kt_scalar *s); /* 0; -1: not exactly one element, or not readable */
int kp_warn_of_lost_grad(const kt_tensor *t); /* once a process: a number carries no gradient; -1: the warning is an error */
int kp_index_start(void);
int kp_methods_start(void);

PyObject *kp_get_grad(PyObject *self, void *unused);
int       kp_set_grad(PyObject *self, PyObject *value, void *unused);
PyObject *kp_get_grad_dtype(PyObject *self, void *unused);
int       kp_set_grad_dtype(PyObject *self, PyObject *value, void *unused);
PyObject *kp_get_requires_grad(PyObject *self, void *unused);
int       kp_set_requires_grad(PyObject *self, PyObject *value, void *unused);
PyObject *kp_get_is_leaf(PyObject *self, void *unused);
PyObject *kp_get_grad_fn(PyObject *self, void *unused);
PyObject *kp_backward(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *kp_requires_grad_(PyObject *self, PyObject *args, PyObject *keywords);

PyObject *kp_register_hook(PyObject *self, PyObject *function);
PyObject *kp_register_hook_after(PyObject *self, PyObject *function);
int       kp_hooks_traverse(kt_tensor *t, visitproc visit, void *arg);
PyObject *kp_retain_grad(PyObject *self, PyObject *unused);
PyObject *kp_get_retains_grad(PyObject *self, void *unused);
/* Of a node, hook.c; node NULL: a handle whose hook kp_handle_put registers later. */
PyObject *kp_node_register(kt_node *node, PyObject *function, bool before);
int       kp_handle_put(PyObject *handle, kt_node *node, PyObject *function, bool before);
int       kp_node_hooks_traverse(const kt_node *node, visitproc visit, void *arg);
void      kp_release_object(void *object);        /* a reference of the engine's to a Python object */
PyObject *kp_next_functions(const kt_node *node); /* node.c */
PyObject *kp_node_object(kt_node *node);          /* steals the reference */
int       kp_node_of(PyObject *o, kt_node **node); /* borrowed; 0: no node's object; -1: its node is freed, an exception */
PyObject *kp_input_metadata(const kt_node *node); /* kept.c: the forms of its results */
PyObject *kp_raw_saved(kt_node *node, int64_t place);
PyObject *kp_kept(kt_node *node, PyObject *name); /* _saved_self and so on; NULL without an exception: none */
int       kp_kept_names(const kt_node *node, PyObject *list);
kt_status kp_pack_place(kt_node *node, int64_t place, PyObject *pack, PyObject *unpack); /* saved.c */

/* task.c: a run of backward, from begin to end; `end` calls what it was given to call, if all went well. */
typedef struct kp_task {
    struct kp_task *outer;
    PyObject       *callbacks; /* a list; NULL: there are none */
    long            number;
    int64_t         n_hooks;   /* of saved tensors, when it began */
    bool            keeps_graph;
} kp_task;
void kp_task_begin(kp_task *task, bool keeps_graph);
int  kp_task_end(kp_task *task, bool done); /* 0, or -1 and an exception */
/* custom.c: how many gradients its hooks see, and which result of the node each is; of another node n and NULL */
Py_ssize_t kp_context_outputs(const kt_node *node, const int32_t **result_of, int64_t n);
kt_node   *kp_context_node(PyObject *context);    /* borrowed; NULL: it is freed, or not made yet */
PyObject *kp_context_of(kt_node *node);           /* custom.c: the ctx of a torch.autograd.Function; NULL: another node */
int       kp_context_traverse(const kt_tensor *t, visitproc visit, void *arg);
int       kp_want_grad(kt_tensor *t); /* requires_grad=True of a factory function; -1: the dtype cannot have a gradient */
int       kp_want_grad_of(kt_tensor *t, const char *class); /* the same of a tensor that becomes an object of the class */

/* ---- modules (python/module) ---- */
/* [(phase, op, from, to, why, file or None, line, count, bytes)] (engine/autocast.c) */
struct kt_conversions;
PyObject *kp_conversions_list(const struct kt_conversions *c);
extern PyTypeObject kp_seen_type; /* what a region of autocast did (engine/autocast.c) */
extern PyTypeObject kp_module_type; /* the base of torch.nn.Module */
extern PyMethodDef  kp_module_functions[];
int kp_module_start(PyObject *module);

/* ---- tensors from Python data (data.c, make.c) ---- */
kt_tensor *kp_from_data(PyObject *data, kt_dtype dtype, const char *maker); /* owned */
/* owned: Tensor(2); t.new([1]), which is like t */
kt_tensor *kp_legacy(kt_dtype dtype, const kt_tensor *like, PyObject *args, PyObject *keywords);
PyObject  *kp_new(PyObject *self, PyObject *args, PyObject *keywords);      /* Tensor.new */
PyObject  *kp_new_tensor(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords);

/* ---- two tensors to one bool (compare.c) ---- */
PyObject *kp_equal(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords);
PyObject *kp_all_close(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords);

/* ---- NumPy, without its C API (numpy.c) ---- */
extern PyTypeObject kp_lender_type;
bool       kp_is_array(PyObject *o);         /* an ndarray */
bool       kp_is_numpy_number(PyObject *o);
int        kp_numpy_dtype(PyObject *o, kt_dtype *d);     /* of an array or a number; -1: no such dtype here */
int        kp_numpy_number(PyObject *o, kt_scalar *s);   /* 1 done, 0 not convertible to a Python number, -1 exception */
bool kp_is_numpy_bool(PyObject *o);
kt_tensor *kp_from_array(PyObject *array, const char *maker, bool warn); /* owned, on the array's memory */
kt_tensor *kp_from_number(PyObject *number, const char *maker);          /* owned, of a NumPy number */
PyObject  *kp_numpy(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords);
PyObject  *kp_array(PyObject *self, PyObject *args, PyObject *keywords);
PyObject  *kp_array_wrap(PyObject *self, PyObject *const *argv, Py_ssize_t n);

PyObject *kp_dlpack(PyObject *self, PyObject *args, PyObject *keywords); /* dlpack.c */
PyObject *kp_dlpack_device(PyObject *self, PyObject *unused);
PyObject *kp_from_dlpack(PyObject *lender); /* a Tensor on the memory of a capsule, or of an object with __dlpack__ */

/* ---- memory of CUDA devices by __cuda_array_interface__ (cuda_array.c) ---- */
PyObject  *kp_cuda_array_interface(PyObject *self, void *unused);
kt_tensor *kp_from_cuda_array(PyObject *lender); /* owned, on the lender's memory */

/* ---- foreign memory (buffer.c) ---- */
PyObject *kp_from_buffer(PyObject *object, kt_dtype dtype, Py_ssize_t count, Py_ssize_t offset, const char *maker);
PyObject *kp_wrap_memory(void *memory, kt_dtype dtype, kt_shape shape, kt_shape strides, const char *maker,
                         void (*release)(void *), void *owner); /* the owner is released on failure too */

/* ---- a call's arguments as Python's (kernel.c); `whole`: defaults too ---- */
PyObject *kp_positional(const kt_call *call, bool whole);
PyObject *kp_by_name(const kt_call *call, bool whole);

/* ---- functions of the module ---- */
extern PyMethodDef kp_override_functions[], kp_make_functions[], kp_buffer_functions[], kp_grad_functions[],
    kp_lineage_functions[], kp_dlpack_functions[], kp_print_functions[], kp_compare_functions[], kp_warn_functions[],
    kp_mode_functions[], kp_dtype_functions[], kp_device_functions[], kp_ceiling_functions[],
    kp_autocast_functions[], kp_stream_functions[], kp_facts_functions[], kp_graph_functions[],
    kp_custom_functions[], kp_saved_functions[], kp_task_functions[], kp_node_functions[], kp_operator_functions[],
    kp_kernel_functions[],
    kp_shown_functions[], kp_forward_functions[], kp_batch_functions[], kp_optim_functions[], kp_profiler_functions[],
    kp_flops_functions[], kp_probes_functions[];

/* ---- the rows that the binding itself calls (rows.c) ---- */
#define KP_ROWS(X)                                                                                                      \
    X(alias) X(clone) X(conj) X(detach) X(empty_like) X(imag) X(isclose) X(logical_not) X(ne) X(permute) X(real)       \
    X(resolve_conj) X(resolve_neg) X(sum) X(to) X(transpose) X(zeros_like)
typedef struct kp_row_set {
#define X(name) const kt_row *name;
    KP_ROWS(X)
#undef X
} kp_row_set;
extern kp_row_set kp_rows;
int kp_rows_start(void);

kt_tensor    *kp_run_row(const kt_row *row, kt_tensor *t); /* a row of one tensor; owned; NULL and an exception */
const kt_row *kp_row(const char *name); /* NULL and a SystemError: no such row */

#endif
