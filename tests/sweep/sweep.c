/* sweep.c - every function that the public headers declare, called with NULL for each pointer, negative and enormous counts, the
 * least and largest integers, numbers of no kind, unknown dtypes and devices, and with an error pending: an error or a defined
 * nothing, never a crash, a hang, a leak or undefined behaviour (make asan). The calls are written by gen_sweep.c. */
#include "sweep/sweep.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"

enum { VALUES_OF_A_SLOT = 8, PROFILES = 7, SECONDS_OF_A_CALL = 20 };

static int  aimed = -1, value, profile; /* the slot, which of its hostile values, and the profile of the others */
static bool pending, quiet;             /* an error is pending during the call */
static long calls;

static const sweep_function *now;

bool sweep_aimed(int slot) { return slot == aimed; }

/* ---- tensors ---- */

static kt_tensor *usable(const char *name)
{
    const bool index = strncmp(name, "ind", 3) == 0 || strcmp(name, "target") == 0 || strcmp(name, "mask") == 0;
    switch (profile) {
    case 0: return kt_ones(KT_SHAPE(2, 3));
    case 1: return kt_ones(KT_SHAPE(2, 2), .dtype = index ? KT_I64 : KT_F64, .requires_grad = !index);
    case 2: return kt_ones(KT_SHAPE(2), .dtype = KT_I64);
    case 3: return kt_ones(KT_SHAPE(2, 2), .dtype = KT_BOOL);
    case 4: return kt_ones(KT_SHAPE(3), .dtype = KT_C64);
    case 5: return kt_ones(KT_SHAPE(2, 2, 2), .dtype = index ? KT_I64 : KT_F16);
    default:
        return index ? kt_zeros(KT_SHAPE(2), .dtype = KT_I64)
                     : kt_mul_s(kt_ones(KT_SHAPE(2, 2), .requires_grad = true), KT_INT(2));
    }
}

/* Does the call take over a reference to its tensor? */
static bool drops(void) { return strcmp(now->name, "kt_drop") == 0 || strcmp(now->name, "kt_wrapper_drop") == 0; }

kt_tensor *sweep_tensor(int slot, const char *name)
{
    if (!sweep_aimed(slot))
        return drops() ? kt_keep(usable(name)) : usable(name);
    switch (drops() ? 0 : value) {
    case 0: return NULL;
    case 1: return kt_ones(KT_SCALAR);
    case 2: return kt_ones(KT_SHAPE(0, 2));
    case 3: return kt_ones(KT_SHAPE(1, 1, 1, 1, 1, 1, 1), .dtype = KT_I64);
    case 4: return kt_full(KT_SHAPE(2), KT_INT(INT64_MIN), .dtype = KT_I64);
    case 5: return kt_ones(KT_SHAPE(2, 2), .device = (kt_device){KT_META, 0});
    case 6: return kt_expand(kt_full(KT_SCALAR, KT_FLOAT(NAN)), KT_SHAPE(2, 2));
    default: return kt_ones(KT_SHAPE(2, 2), .dtype = KT_E8M0FNU);
    }
}

kt_tensor *const *sweep_tensors(int slot)
{
    static kt_tensor *list[2];
    list[0] = usable("");
    list[1] = usable("");
    if (sweep_aimed(slot) && value < 4)
        list[value & 1] = value < 2 ? NULL : kt_ones(KT_SCALAR);
    return sweep_aimed(slot) && value >= 4 ? NULL : list;
}

/* ---- numbers ---- */

int64_t sweep_integer(int slot, int64_t good)
{
    static const int64_t hostile[VALUES_OF_A_SLOT] = {INT64_MIN, INT64_MAX, -1, 0, INT32_MAX, INT32_MIN, INT64_MAX / 4 + 2, 7};
    return sweep_aimed(slot) ? hostile[value] : profile & 1 ? 0 : good;
}

int64_t sweep_count(int slot, int64_t good)
{
    static const int64_t hostile[VALUES_OF_A_SLOT] = {INT64_MIN, INT64_MAX, -1, 0, INT64_MAX / 8 + 1,
                                                      INT32_MIN, INT64_MIN + 1, -2};
    return sweep_aimed(slot) ? hostile[value] : good;
}

/* Of an iteration: each step is done, so an enormous number of them takes as long as it says. */
int64_t sweep_steps(int slot)
{
    const int64_t n = sweep_integer(slot, 1);
    return n < 7 ? n : 7;
}

int sweep_small(int slot)
{
    static const int hostile[VALUES_OF_A_SLOT] = {INT32_MIN, INT32_MAX, -1, 0, 99, 255, 2, 3};
    return sweep_aimed(slot) ? hostile[value] : 1;
}

/* A gradient with a history holds its tensor, which holds the gradient: no leak of the call's. */
bool sweep_truth(int slot, const char *name) { return sweep_small(slot) & 1 && strcmp(name, "create_graph") != 0; }

double sweep_real(int slot)
{
    static const double hostile[VALUES_OF_A_SLOT] = {NAN, INFINITY, -INFINITY, -1, 0, 1e308, -1e-320, 2};
    return sweep_aimed(slot) ? hostile[value] : 0.5;
}

kt_scalar sweep_number(int slot)
{
    const kt_scalar hostile[VALUES_OF_A_SLOT] = {
        {{0}, 0, 0, 0}, {{1}, 0, 99, 0}, KT_INT(INT64_MIN), KT_INT(INT64_MAX), KT_FLOAT(NAN), KT_FLOAT(-INFINITY),
        KT_COMPLEX(INFINITY, NAN), {{-1}, 0, KT_SCALAR_INT, 1}};
    return sweep_aimed(slot) ? hostile[value] : KT_INT(1);
}

const kt_scalar *sweep_numbers(int slot)
{
    static kt_scalar list[2];
    list[0] = KT_INT(1);
    list[1] = sweep_number(slot);
    return sweep_aimed(slot) && value == 0 ? NULL : list;
}

kt_shape sweep_shape(int slot)
{
    static const int64_t usable_ones[3][2] = {{2, 3}, {0, 1}, {1, 1}}, low[2] = {INT64_MIN, 1}, high[2] = {INT64_MAX, INT64_MAX};
    const kt_shape       hostile[VALUES_OF_A_SLOT] = {{-1, low}, {2, NULL}, {INT64_MIN, low}, {INT64_MAX, high},
                                                {0, NULL}, {2, low}, {2, high}, {INT64_MAX, NULL}};
    return sweep_aimed(slot) ? hostile[value] : (kt_shape){profile % 3 == 1 ? 1 : 2, usable_ones[profile % 3]};
}

kt_dtype sweep_dtype(int slot)
{
    static const int hostile[VALUES_OF_A_SLOT] = {0, -1, 99, INT32_MAX, INT32_MIN, KT_NUM_DTYPES, KT_C32, KT_E8M0FNU};
    return (kt_dtype)(sweep_aimed(slot) ? hostile[value] : (int)KT_F32);
}

kt_device sweep_device(int slot)
{
    static const kt_device hostile[VALUES_OF_A_SLOT] = {{0, 0}, {-1, 0}, {99, 0}, {KT_CPU, -5}, {KT_CPU, INT32_MAX},
                                                        {INT32_MIN, INT32_MIN}, {INT32_MAX, 0}, {KT_META, 300}};
    return sweep_aimed(slot) ? hostile[value] : (kt_device){KT_CPU, 0};
}

size_t sweep_bytes(int slot)
{
    static const size_t hostile[VALUES_OF_A_SLOT] = {0, SIZE_MAX, 1, SIZE_MAX / 2 + 1, 23, SIZE_MAX - 7, 2, 3};
    return sweep_aimed(slot) ? hostile[value] : strstr(now->name, "set_state") ? (size_t)KT_GENERATOR_STATE : 4096;
}

/* ---- texts ---- */

const char *sweep_words(int slot, const char *name)
{
    static const char *const usable_ones[][2] = {{"reduction", "mean"}, {"rounding_mode", "floor"}, {"equation", "ij,ij->ij"},
                                                 {"mode", "constant"}, {"ord", "fro"}, {"p", "fro"}, {"reduce", "sum"},
                                                 {"casting", "unsafe"}, {"rounding", "torch"}, {"indexing", "ij"}};
    static char              lengthy[6000];
    memset(lengthy, 'x', sizeof lengthy - 1);
    const char *const hostile[VALUES_OF_A_SLOT] = {NULL, "", "nonsense", lengthy, "\xff\xfe",
                                                   "cpu:99999999999999999999", "->", "ii"};
    if (sweep_aimed(slot))
        return hostile[value];
    for (size_t i = 0; i < sizeof usable_ones / sizeof *usable_ones; i++)
        if (strcmp(usable_ones[i][0], name) == 0)
            return usable_ones[i][1];
    return "none";
}

char *sweep_text(int slot) { return sweep_aimed(slot) ? (value ? kt_explain(NULL) : NULL) : kt_to_string(kt_ones(KT_SCALAR)); }

/* ---- other pointers ---- */

void *sweep_memory(void)
{
    static _Alignas(64) unsigned char bytes[8192];
    return bytes;
}

kt_event **sweep_events(void)
{
    static kt_event *made;
    kt_event_drop(made);
    made = NULL;
    return &made;
}

kt_generator **sweep_generators(void)
{
    static kt_generator *made;
    kt_generator_drop(made);
    made = NULL;
    return &made;
}

void *sweep_zeroed(void)
{
    static _Alignas(64) unsigned char bytes[512];
    return bytes;
}

enum { MOST_SIZED = 4 };           /* of one call */
static void *sized[MOST_SIZED]; /* each exactly as large as it says it is, so that a byte too many is seen */
static int   n_sized;

void *sweep_sized(int slot, size_t size)
{
    static const size_t hostile[VALUES_OF_A_SLOT] = {0, 0, 1, 8, 12, 16, 20, 0};
    if (sweep_aimed(slot) && value == 0)
        return NULL;
    size_t *made = n_sized < MOST_SIZED ? calloc(1, size) : NULL;
    if (made) {
        sized[n_sized++] = made;
        *made = sweep_aimed(slot) ? hostile[value] : size;
    }
    return made;
}

const void *sweep_options(int slot, void *options)
{
    static const size_t hostile[VALUES_OF_A_SLOT] = {0, 0, 1, 7, 8, 9, SIZE_MAX, 5000};
    if (!sweep_aimed(slot))
        return options;
    *(size_t *)options = hostile[value];
    return value ? options : NULL;
}

static kt_tensor *room[64];

kt_tensor **sweep_room(void)
{
    memset(room, 0, sizeof room);
    return room;
}

FILE *sweep_stream(void)
{
    static FILE *nowhere;
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    return nowhere;
}

kt_guard *sweep_guard(void)
{
    static kt_guard guard;
    guard = kt_scope_open();
    return &guard;
}

kt_mode_guard *sweep_mode_guard(void)
{
    static kt_mode_guard guard;
    guard = kt_no_grad_open();
    return &guard;
}

static kt_call call; /* what it still holds after the run is given back in `settle` */
static bool    call_used;

kt_call *sweep_call(int slot)
{
    call_used = !sweep_aimed(slot) || value > 1;
    if (sweep_aimed(slot) && value == 0)
        return NULL;
    memset(&call, 0, sizeof call);
    if (sweep_aimed(slot) && value == 1)
        return &call; /* no row */
    kt_call_begin(&call, kt_row_find("add"), KT_PLAIN);
    call.arg[0].t = call.arg[1].t = usable("");
    call.given = 3;
    if (sweep_aimed(slot) && value == 2)
        call.form = 99;
    if (sweep_aimed(slot) && value == 3)
        call.given = 0;
    return &call;
}

const kt_value *sweep_values(int slot)
{
    static kt_value four[4]; /* as many as may be asked about */
    for (int i = 0; i < 4; i++)
        four[i].t = usable("");
    return sweep_aimed(slot) ? NULL : four;
}

kt_hook *sweep_hook(int slot)
{
    kt_tensor *leaf = kt_ones(KT_SHAPE(2), .requires_grad = true);
    return sweep_aimed(slot) ? NULL : kt_hook_add(leaf, "hook", sweep_hook_call, NULL, NULL);
}

static kt_module *module; /* owned here; kt_module_drop, and what takes a module over, is given one of its own */

static kt_tensor *same_tensor(kt_module *m, kt_tensor *const *in, int n) { return m && n ? in[0] : NULL; }

const kt_module_type *sweep_module_type(int slot)
{
    static const kt_module_type good = {.size = sizeof good, .name = "Sweep", .forward = same_tensor};
    static kt_module_type       bad;
    bad = good;
    bad.name = value == 1 ? NULL : bad.name;
    bad.forward = value == 2 ? NULL : bad.forward;
    return !sweep_aimed(slot) ? &good : value ? &bad : NULL;
}

kt_module *sweep_module(int slot, const char *name)
{
    (void)name;
    if (sweep_aimed(slot))
        return NULL;
    if (!module)
        module = kt_make_linear(2, 2, true);
    return strcmp(now->name, "kt_module_drop") == 0 ? kt_module_keep(module) : module;
}

static kt_module *modules[2]; /* the call takes them over, unless their count is the hostile value */

kt_module *const *sweep_modules(int slot)
{
    if (sweep_aimed(slot))
        return NULL;
    for (int i = 0; i < 2; i++)
        modules[i] = kt_make_relu();
    return modules;
}

const kt_named *sweep_named(int slot)
{
    static kt_named two[2];
    two[0] = (kt_named){"weight", usable("")};
    two[1] = (kt_named){NULL, NULL};
    return sweep_aimed(slot) ? NULL : two;
}

static kt_conversions *conversions; /* owned here; kt_conversions_free is given some of its own */

static kt_conversions *some_conversions(void)
{
    kt_conversions     *made = NULL;
    const kt_collecting before = kt_collect(KT_COLLECT_REGION, (kt_collecting){&made, 0});
    kt_mul(kt_ones(KT_SHAPE(2), .dtype = KT_F16), kt_ones(KT_SHAPE(2)));
    kt_collect(KT_COLLECT_REGION, before);
    return made;
}

static kt_profile *a_profile; /* owned here; kt_profile_free is given some of its own */

static kt_profile *some_profile(void)
{
    if (kt_profiler_start(.memory = true))
        return NULL;
    kt_mul(kt_ones(KT_SHAPE(2), .dtype = KT_F16), kt_ones(KT_SHAPE(2)));
    return kt_profiler_stop();
}

kt_profile *sweep_profile(int slot)
{
    if (sweep_aimed(slot))
        return NULL;
    if (strcmp(now->name, "kt_profile_free") == 0)
        return some_profile();
    if (!a_profile)
        a_profile = some_profile();
    return a_profile;
}

kt_conversions *sweep_conversions(int slot)
{
    if (sweep_aimed(slot))
        return NULL;
    if (strcmp(now->name, "kt_conversions_free") == 0)
        return some_conversions();
    if (!conversions)
        conversions = some_conversions();
    return conversions;
}

static kt_autocast_counts *counts; /* owned here; kt_autocast_counts_free is given some of its own */

static kt_autocast_counts *some_counts(void)
{
    kt_autocast_counts  *made = NULL;
    kt_autocast_counts **before = kt_autocast_count(&made);
    KT_AUTOCAST(KT_CPU, KT_BF16);
    kt_matmul(kt_ones(KT_SHAPE(2, 2)), kt_ones(KT_SHAPE(2, 2)));
    kt_autocast_count(before);
    return made;
}

kt_autocast_counts *sweep_counts(int slot)
{
    if (sweep_aimed(slot))
        return NULL;
    if (strcmp(now->name, "kt_autocast_counts_free") == 0)
        return some_counts();
    if (!counts)
        counts = some_counts();
    return counts;
}

kt_status sweep_module_visit(const char *path, kt_tensor *t, void *context)
{
    (void)path, (void)t, (void)context;
    return KT_OK;
}

kt_tensor *sweep_before_call(kt_module *m, kt_tensor *x, void *context) { return (void)m, (void)x, (void)context, NULL; }

kt_status sweep_after_backward(kt_module *m, kt_tensor **grads, int n, kt_tensor *grad, void *context)
{
    return (void)m, (void)grads, (void)n, (void)grad, (void)context, KT_OK;
}

kt_status sweep_evaluate(void *context, double *loss)
{
    (void)context;
    *loss = 1;
    return KT_OK;
}

kt_tensor *sweep_after_call(kt_module *m, kt_tensor *x, kt_tensor *result, void *context)
{
    return (void)m, (void)x, (void)result, (void)context, NULL;
}

static kt_optimizer *optimizer; /* owned here; kt_optimizer_drop is given one of its own */

kt_optimizer *sweep_optimizer(int slot)
{
    if (sweep_aimed(slot))
        return NULL;
    kt_optimizer *made = kt_optimizer_make(KT_ADAM);
    if (strcmp(now->name, "kt_optimizer_drop") == 0)
        return made;
    kt_tensor *leaf = kt_ones(KT_SHAPE(2), .requires_grad = true);
    kt_set_grad(leaf, kt_ones(KT_SHAPE(2)));
    kt_optimizer_drop(optimizer);
    optimizer = made;
    kt_optimizer_add(optimizer, &leaf, 1);
    return optimizer;
}

static kt_scaler *scaler; /* owned here; kt_scaler_drop is given one of its own */

kt_scaler *sweep_scaler(int slot)
{
    if (sweep_aimed(slot))
        return NULL;
    kt_scaler *made = kt_scaler_make();
    if (strcmp(now->name, "kt_scaler_drop") == 0)
        return made;
    kt_scaler_drop(scaler);
    scaler = made;
    kt_scaler_scale(scaler, kt_ones(KT_SCALAR));
    return scaler;
}

static kt_node *node; /* owned here; kt_node_drop is given one of its own */

static kt_status run_nothing(const kt_back *back) { return back->node ? KT_OK : KT_ERR_RUNTIME; }

const kt_node_type *sweep_node_type(int slot)
{
    static const kt_node_type good = {.abi = KT_NODE_ABI, .size = sizeof good, .context = 24, .name = "SweepBackward",
                                      .run = run_nothing, .flags = KT_NODE_ZEROS};
    static kt_node_type       bad;
    bad = good;
    bad.abi += value == 1;
    bad.size -= value == 2;
    bad.flags = value == 3 ? 4 : value == 4 ? UINT32_MAX : 0;
    bad.context = value == 5 ? UINT32_MAX : 0;
    bad.name = value == 6 ? NULL : bad.name;
    bad.run = value == 7 ? NULL : bad.run;
    return slot < 0 || !sweep_aimed(slot) ? &good : value ? &bad : NULL;
}

static kt_status run_no_body(kt_call *of) { return of ? KT_ERR_RUNTIME : KT_OK; }

const kt_operator *sweep_operator(int slot)
{
    static const char *const hostile[] = {"", "f", "f(", "f(Tensor", "f(Tensor x", "f(Tensor x) ->", "f(Tensor x=[)"};
    static kt_operator       op;
    op = (kt_operator){.size = sizeof op, .name = "sweep::nothing", .schema = "nothing(Tensor x) -> Tensor", .body = run_no_body,
                       .dtypes = "SAME"};
    if (sweep_aimed(slot) && value == 0)
        return NULL;
    if (sweep_aimed(slot))
        op.schema = hostile[value - 1];
    return &op;
}

static kt_status run_no_kernel(kt_call *of, void *context) { return of && !context ? KT_ERR_RUNTIME : KT_OK; }

const kt_kernel *sweep_kernel(int slot)
{
    static const char *const hostile[] = {"x", "x: ", "y: float32", "x: nothing", ":", "x: float32; ; *", "x:contiguous;x"};
    static kt_kernel         kernel;
    kernel = (kt_kernel){.size = sizeof kernel, .device = "cpu", .takes = "*: float32", .run = run_no_kernel};
    if (sweep_aimed(slot) && value == 0)
        return NULL;
    if (sweep_aimed(slot))
        kernel.takes = hostile[value - 1];
    return &kernel;
}

/* One of the table; of functions about kernels, one that was appended. */
const kt_row *sweep_row(int slot)
{
    if (sweep_aimed(slot))
        return value ? kt_row_at(value) : NULL;
    if (!strstr(now->name, "kernel") && !strstr(now->name, "withdraw"))
        return kt_row_at(0);
    kt_operator   op = {.size = sizeof op, .name = "sweep::kernels", .schema = "kernels(Tensor x) -> Tensor", .composite = true};
    const kt_row *row = kt_row_find(op.name);
    if (!row)
        kt_row_append(&op, &row);
    return row;
}

kt_node **sweep_nodes(void)
{
    kt_node_drop(node);
    node = NULL;
    return &node;
}

kt_node *sweep_node(int slot)
{
    if (sweep_aimed(slot))
        return NULL;
    kt_node_drop(node);
    node = NULL;
    kt_tensor *leaf = kt_ones(KT_SHAPE(2), .requires_grad = true), *made = kt_mul_s(leaf, KT_INT(2));
    if (strcmp(now->name, "kt_node_attach") == 0 || strncmp(now->name, "kt_node_save", 12) == 0) {
        kt_node_make(sweep_node_type(-1), &made, 1, 2, &node);
        return node;
    }
    node = kt_grad_fn(made);
    return strcmp(now->name, "kt_node_drop") == 0 ? kt_grad_fn(made) : node;
}

void      sweep_warning(const char *text) { (void)text; }
void      sweep_release(void *owner) { (void)owner; }
bool      sweep_wrapper_left(kt_tensor *t) { return !t; }
kt_status sweep_call_watcher(kt_call *shown, kt_call_moment moment, bool *given, void *context)
{
    (void)shown, (void)moment, (void)given, (void)context;
    return KT_OK;
}

int sweep_hook_visit(void (*release)(void *), void *context, void *with)
{
    (void)release, (void)context, (void)with;
    return 0;
}

kt_status sweep_node_hook_call(kt_node_grads *grads, void *context)
{
    (void)grads, (void)context;
    return KT_OK;
}

kt_status sweep_hook_call(kt_tensor *grad, void *context, kt_tensor **instead)
{
    (void)grad, (void)context, (void)instead;
    return KT_OK;
}

/* ---- before and after ---- */

static char before_text[4096]; /* of the error that is pending during a call */

void sweep_before(void)
{
    if (kt_failed() && !quiet) {
        fprintf(stderr, "sweep: the arguments of %s: %s\n", now->name, kt_error());
        quiet = true;
    }
    kt_clear();
    if (pending && profile & 1)
        kt_matmul(kt_ones(KT_SHAPE(2, 2)), kt_ones(KT_SHAPE(2, 2), .dtype = KT_F16)); /* with operands and lineage */
    else if (pending)
        kt_fail(KT_ERR_RUNTIME, "an error from before");
    snprintf(before_text, sizeof before_text, "%s", kt_error());
    calls++;
    alarm(SECONDS_OF_A_CALL);
}

/* These give what is there already. */
static const char *const releasing[] = {"kt_keep", "kt_base", "kt_node_leaf", "kt_grad", "kt_escape", "kt_batch_value",
                                        "kt_module_tensor", "kt_optimizer_state"};

void sweep_got_tensor(const char *name, kt_tensor *t)
{
    for (size_t i = 0; i < sizeof releasing / sizeof *releasing; i++)
        if (strcmp(name, releasing[i]) == 0) {
            if (i == 0)
                kt_drop(t);
            return;
        }
    for (int64_t i = 0; t && i < kt_sizes(t).n; i++)
        CHECK_MSG(kt_sizes(t).d[i] >= 0, "%s made a tensor of negative size (slot %d, value %d)", name, aimed, value);
    if (pending)
        CHECK_MSG(t == NULL, "%s made something while an error was pending", name);
    else if (!t)
        CHECK_MSG(kt_failed(), "%s gave NULL and no error (slot %d, value %d, profile %d)", name, aimed, value, profile);
}

void sweep_got_several(const char *name, kt_tensor *const *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        CHECK_MSG((t[i] == NULL) == kt_failed(), "%s: result %zu and the error disagree", name, i);
}

void sweep_got_module(const char *name, kt_module *m)
{
    if (strcmp(name, "kt_module_child") != 0) /* which gives what is there already */
        kt_module_drop(m);
}

/* A function that returns a status gives references of one's own. */
void sweep_got_status(const char *name, kt_status status)
{
    static const char *const givers[] = {"kt_make", "kt_make_over", "kt_make_over_on", "kt_lend", "kt_convert",
                                         "kt_gradients", "kt_get_data", "kt_number_beside", "kt_node_run", "kt_node_tensor",
                                         "kt_tangent_of", "kt_node_identity"};
    CHECK_MSG(pending || (status != KT_OK) == kt_failed(), "%s: the status and the error disagree", name);
    for (size_t i = 0; i < sizeof givers / sizeof *givers; i++)
        for (size_t k = 0; strcmp(name, givers[i]) == 0 && k < sizeof room / sizeof *room; k++)
            kt_drop(room[k]);
}

void sweep_got_text(const char *name, const char *text)
{
    static const char *const refusing[] = {"kt_get_fp32_precision", "kt_get_float32_matmul_precision"};
    for (size_t i = 0; i < sizeof refusing / sizeof *refusing; i++)
        if (!text && strcmp(name, refusing[i]) == 0) {
            CHECK_MSG(kt_failed(), "%s gave NULL and no error", name);
            return;
        }
    if (CHECK_MSG(text != NULL, "%s gave NULL where text is promised", name))
        fputs(text, sweep_stream());
}

void sweep_got_count(const char *name, int64_t n) { (void)name, (void)n; }

/* ---- the sweep ---- */

/* What a call may have changed for the thread or the process is put back. */
static void settle(void)
{
    alarm(0);
    kt_memory_fail_after(-1);
    if (pending)
        CHECK_MSG(strcmp(kt_error(), before_text) == 0 || strncmp(now->name, "kt_fail", 7) == 0 ||
                      strcmp(now->name, "kt_clear") == 0 || strcmp(now->name, "kt_error_pop") == 0,
                  "%s replaced the pending error by \"%.80s\"", now->name, kt_error());
    kt_clear();
    if (call_used && strcmp(now->name, "kt_call_run") == 0)
        kt_drop(call.out[0]);
    kt_call_free_list(&call);
    call_used = false;
    for (int i = 0; i < 2; i++) {
        if (aimed >= 0)
            kt_module_drop(modules[i]);
        modules[i] = NULL;
    }
    kt_scaler_drop(scaler);
    scaler = NULL;
    kt_optimizer_drop(optimizer);
    optimizer = NULL;
    kt_node_drop(node);
    node = NULL;
    kt_module_drop(module);
    module = NULL;
    kt_conversions_free(conversions);
    conversions = NULL;
    kt_profile_free(a_profile);
    a_profile = NULL;
    if (kt_profiler_is_on())
        kt_profile_free(kt_profiler_stop());
    kt_autocast_counts_free(counts);
    counts = NULL;
    while (n_sized)
        free(sized[--n_sized]);
    kt_memory_limit(256u << 20);
    kt_set_policy(KT_TORCH);
    kt_set_autocast_enabled(KT_CPU, false);
    kt_set_autocast_cache_enabled(true);
    while (kt_autocast_leave() > 0)
        continue;
    while (kt_batch_depth() > 0)
        kt_batch_end();
    while (kt_transform_end() == KT_OK)
        continue;
    kt_clear();
    kt_set_grad_enabled(true);
    kt_set_anomaly(false, true);
    kt_mutation_end();
    kt_set_inference(false);
    kt_set_forward_enabled(true);
    for (int64_t level = 63; level >= 0; level--) /* those that are not the last one are refused */
        if (kt_dual_level_exit(level))
            kt_clear();
    kt_set_default_dtype(KT_F32);
    kt_set_default_device((kt_device){KT_DEVICE_DEFAULT, 0});
    kt_set_num_threads(1);
    kt_set_print_options(NULL);
    kt_set_warn_always(false);
    kt_on_warning(NULL);
    kt_on_wrapper_left(NULL);
    kt_site_set(NULL);
    kt_set_float32_matmul_precision("highest");
    kt_clear();
}

static void call_once(const sweep_function *f, int slot, int v, int p, bool failed)
{
    aimed = -1;
    now = f;
    profile = p;
    value = v;
    pending = false;
    sweep_room();
    kt_guard outer = kt_scope_open(), inner = kt_scope_open();
    kt_dual_level_enter(); /* level 0 is there */
    aimed = slot;
    pending = failed;
    f->call();
    settle();
    kt_scope_close(&inner);
    kt_scope_close(&outer);
}

static struct sigaction usual[NSIG];

static void say_where(int signal_number)
{
    char text[256];
    int  n = snprintf(text, sizeof text, "\nsweep: signal %d in %s: slot %d, value %d, profile %d%s\n", signal_number,
                      now ? now->name : "?", aimed, value, profile, pending ? ", an error pending" : "");
    if (write(STDERR_FILENO, text, (size_t)n) < 0 || signal_number == SIGALRM)
        _exit(1);
    sigaction(signal_number, &usual[signal_number], NULL); /* the call is made again, for the debugger or the sanitizer */
}

static void listen(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGALRM};
    struct sigaction mine = {.sa_handler = say_where};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &mine, &usual[signals[i]]);
}

static uint64_t live(void)
{
    kt_memory_stats s = {.size = sizeof s};
    kt_memory_read(&s);
    return s.live_blocks;
}

static void sweep(const sweep_function *f, int p)
{
    call_once(f, -1, 0, p, false);
    call_once(f, -1, 0, p, true);
    const uint64_t before = live();
    for (int slot = 0; slot < f->slots; slot++)
        for (int v = 0; v < VALUES_OF_A_SLOT; v++)
            call_once(f, slot, v, p, false);
    for (int slot = 0; slot < f->slots; slot++)
        call_once(f, slot, 0, p, true);
    CHECK_MSG(live() <= before + 2, "%s leaves %lld blocks behind (profile %d)", f->name, (long long)(live() - before), p);
}

TEST(every_function_with_hostile_arguments)
{
    listen();
    const char *only = getenv("KARAT_TEST_ONLY");
    for (int i = 0; i < sweep_n_functions; i++)
        for (int p = 0; p < PROFILES; p++)
            if (only ? strcmp(only, sweep_functions[i].name) == 0 : test_all() || p < 2 || test_below(PROFILES - 2) == 0)
                sweep(&sweep_functions[i], p);
    printf("%ld calls of %d functions\n", calls, sweep_n_functions);
}

/* The headers say what there is: a function that the library exports and no header declares would not be swept. */
TEST(every_exported_function_is_swept)
{
    FILE *symbols = popen("nm -D --defined-only " KT_TEST_BUILD_DIR "/lib/libkarat.so 2> /dev/null", "r");
    REQUIRE(symbols != NULL);
    char line[512], name[256];
    int  n = 0;
    while (fgets(line, sizeof line, symbols)) {
        if (sscanf(line, "%*s T %255s", name) != 1)
            continue;
        bool swept = false;
        for (int i = 0; i < sweep_n_functions && !swept; i++)
            swept = strcmp(sweep_functions[i].name, name) == 0;
        CHECK_MSG(swept, "%s is exported and in no header", name);
        n++;
    }
    pclose(symbols);
    CHECK_EQ_INT(n, sweep_n_functions);
}
