/* kernels.c - the kernels of appended rows (plugin/operator.h): which one a call runs, and what it may see.
 *
 * In: a call of an appended row. Out: what its kernel gave. At the edge of a kernel stand the checks: the row's dtype rule
 * converts operands, what the kernel takes is compared with dtypes, layout and device of the tensors, and results are compared
 * with the schema and the rule. A refusal is explained like every other. Independent of: who made the kernel. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "call/append.h"
#include "call/autocast.h"
#include "call/wrap.h"

/* ---- the list of a row ---- */

static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER; /* of all lists: it is held for a few loads */

static void unref(kt__kernel *k)
{
    if (!k || atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (k->release)
        k->release(k->context);
    free(k);
}

static bool is_for(const kt__kernel *k, const char *device, bool above)
{
    return k->above == above && strcmp(k->device, device ? device : "") == 0;
}

static kt__kernel *find(const kt_row *row, const char *device, bool above) /* owned */
{
    pthread_mutex_lock(&changing);
    kt__kernel *k = row->appended->kernels->first;
    while (k && !is_for(k, device, above))
        k = k->next;
    if (k)
        atomic_fetch_add_explicit(&k->refs, 1, memory_order_relaxed);
    pthread_mutex_unlock(&changing);
    return k;
}

/* Puts `k` in place of what is there for its device; NULL: takes that out. What is left over is returned, owned: what was there,
 * or `k`, if the row has been withdrawn. */
static kt__kernel *exchange(const kt_row *row, const char *device, bool above, kt__kernel *k)
{
    pthread_mutex_lock(&changing);
    kt__kernel **at = &row->appended->kernels->first;
    while (*at && !is_for(*at, device, above))
        at = &(*at)->next;
    kt__kernel *old = *at;
    if (k && kt_row_is_withdrawn(row)) {
        old = k;
    } else if (k) {
        k->next = old ? old->next : NULL;
        *at = k;
    } else if (old) {
        *at = old->next;
    }
    pthread_mutex_unlock(&changing);
    return old;
}

void kt__kernels_clear(const kt_row *row)
{
    pthread_mutex_lock(&changing);
    kt__kernel *k = row->appended->kernels->first;
    row->appended->kernels->first = NULL;
    pthread_mutex_unlock(&changing);
    while (k) {
        kt__kernel *next = k->next;
        unref(k);
        k = next;
    }
}

/* ---- adding ---- */

static const char *skip_blanks(const char *s) { return s + strspn(s, " "); }

static kt_status no_such_word(const kt_row *row, const char *word, size_t n, const char *what)
{
    return kt_fail(KT_ERR_VALUE, "a kernel of %s takes '%.*s': that is no %s", row->name, (int)(n < 64 ? n : 64), word, what);
}

/* One word of a clause: `contiguous`, or a dtype. */
static kt_status read_word(const kt_row *row, const char *word, size_t n, kt__taken *taken)
{
    char name[32];
    if (n == strlen("contiguous") && strncmp(word, "contiguous", n) == 0) {
        taken->contiguous = true;
        return KT_OK;
    }
    if (n >= sizeof name)
        return no_such_word(row, word, n, "dtype");
    memcpy(name, word, n);
    name[n] = 0;
    const kt_dtype d = kt_dtype_find(name);
    if (d == KT_NONE)
        return no_such_word(row, word, n, "dtype");
    taken->dtypes |= 1u << d;
    return KT_OK;
}

static bool is_tensor_kind(int kind)
{
    return kind == KT_ARG_TENSOR || kind == KT_ARG_TENSOR_OR_SCALAR || kind == KT_ARG_TENSORS;
}

/* "self: float32 contiguous; index: int64" */
static kt_status read_takes(const kt_row *row, const char *s, kt__taken *taken)
{
    while (*(s = skip_blanks(s))) {
        const size_t n = strcspn(s, " :;");
        const char  *name = s;
        kt__taken    one = {.read = true};
        bool         found = false;
        s = skip_blanks(s + n);
        if (*s != ':')
            return no_such_word(row, name, n, "argument and a colon");
        for (s = skip_blanks(s + 1); *s && *s != ';'; s = skip_blanks(s)) {
            const size_t length = strcspn(s, " ;");
            if (read_word(row, s, length, &one))
                return kt_error_status();
            s += length;
        }
        s += *s == ';';
        for (int i = 0; i < kt__n_args(row); i++) {
            const kt_arg_spec *spec = kt__arg_spec(row, i);
            const bool         named = strlen(spec->name) == n && strncmp(spec->name, name, n) == 0;
            if (is_tensor_kind(spec->kind) && (named || (n == 1 && *name == '*'))) {
                taken[i] = one;
                found = true;
            }
        }
        if (!found)
            return no_such_word(row, name, n, "tensor of its schema");
    }
    return KT_OK;
}

static kt_status fail_withdrawn(const kt_row *row) { return kt_fail(KT_ERR_VALUE, "operator %s was withdrawn", row->name); }

static kt_status check_kernel(const kt_row *row, const kt_kernel *kernel)
{
    if (!row->appended)
        return kt_fail(KT_ERR_VALUE, "%s was not appended: it takes no kernels of others", row->name);
    if (kt_row_is_withdrawn(row))
        return fail_withdrawn(row);
    if (!kernel->run)
        return kt_fail(KT_ERR_VALUE, "a kernel of %s has no function", row->name);
    if (kernel->device && (!*kernel->device || strlen(kernel->device) >= sizeof((kt__kernel *)0)->device))
        return kt_fail(KT_ERR_VALUE, "a kernel of %s: '%.80s' is no device", row->name, kernel->device);
    if (kernel->above && (kernel->device || kernel->takes))
        return kt_fail(KT_ERR_VALUE, "a kernel of %s that is above the others is for all devices, and takes anything", row->name);
    if (kernel->above && !row->appended->composite)
        return kt_fail(KT_ERR_VALUE, "operator %s is recorded: a kernel above the others is of a composite", row->name);
    return KT_OK;
}

kt_status kt_row_kernel(const kt_row *row, const kt_kernel *kernel)
{
    kt_kernel own;
    if (!row || !kernel)
        return kt_fail(KT_ERR_TYPE, "kt_row_kernel: NULL");
    kernel = kt__options(kernel, &own, sizeof own);
    if (!kernel || check_kernel(row, kernel))
        return kt_error_status();
    kt__kernel *k = calloc(1, sizeof *k);
    if (!k)
        return kt__fail_memory(sizeof *k);
    *k = (kt__kernel){.run = kernel->run, .context = kernel->context, .above = kernel->above, .program = kernel->program,
                      .checks = kernel->takes != NULL};
    atomic_init(&k->refs, 1);
    if (kernel->takes && read_takes(row, kernel->takes, k->taken)) {
        free(k);
        return kt_error_status();
    }
    k->release = kernel->release;
    if (kernel->device)
        memcpy(k->device, kernel->device, strlen(kernel->device) + 1);
    kt__kernel *left = exchange(row, kernel->device, kernel->above, k);
    if (left == k) {
        free(k);
        return fail_withdrawn(row);
    }
    unref(left);
    return KT_OK;
}

kt_status kt_row_remove_kernel(const kt_row *row, const char *device, bool above)
{
    if (!row || !row->appended)
        return kt_fail(KT_ERR_VALUE, "%s was not appended: it has no kernels of others", row ? row->name : "NULL");
    unref(exchange(row, device, above, NULL));
    return KT_OK;
}

bool kt_row_has_kernel(const kt_row *row, const char *device, bool above)
{
    kt__kernel *k = row && row->appended ? find(row, device, above) : NULL;
    unref(k);
    return k != NULL;
}

kt_mode_guard kt_below_open(void)
{
    kt_mode_guard g = {kt__mode()};
    kt__mode_word |= KT_M_BELOW;
    return g;
}

bool kt_is_below(void) { return kt__mode() & KT_M_BELOW; }

/* ---- choosing ---- */

/* The device decides: that of the first tensor that is not on the CPU, else of the first; of a call without tensors its argument
 * of that type. A call that is only tried has tensors without memory: the mode says which device they stand for. "": none. */
static const char *device_of(const kt_call *call)
{
    const kt__input_map *map = &call->row->inputs;
    const kt_tensor     *home = NULL;
    const int            stands_for = kt__trying ? (int)((kt__mode() & KT_M_DRY_RUN_DEVICE) >> 24) : 0;
    for (int i = 0; i < map->n; i++) {
        const int at = map->at[i];
        if (!kt__given(call, at) || call->scalars >> at & 1)
            continue;
        const bool              list = map->lists >> i & 1;
        kt_tensor *const *const t = list ? call->arg[at].ts.t : &call->arg[at].t;
        for (int64_t k = 0; k < (list ? call->arg[at].ts.n : 1); k++)
            if (t[k] && (!home || (home->backend == KT_CPU && t[k]->backend != KT_CPU)))
                home = t[k];
    }
    if (home)
        return kt_device_name((kt_device){stands_for && home->backend == KT_META ? (uint8_t)stands_for : home->backend, 0});
    for (int i = 0; i < kt__n_args(call->row); i++)
        if (kt__arg_spec(call->row, i)->kind == KT_ARG_DEVICE && kt__given(call, i))
            return kt_device_name(call->arg[i].device);
    return "";
}

/* The name of a device in PyTorch's messages: "CPU", "Meta". */
static void add_backend(kt__str *s, const char *device)
{
    const bool whole = strcmp(device, "cpu") == 0 || strcmp(device, "cuda") == 0;
    for (const char *c = device; *c; c++)
        kt__str_addf(s, "%c", (whole || c == device) && *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
}

static void list_kernels(const kt_row *row, kt__str *s)
{
    const char *between = "";
    pthread_mutex_lock(&changing);
    for (const kt__kernel *k = row->appended->kernels->first; k; k = k->next) {
        if (k->above)
            continue;
        kt__str_add(s, between);
        add_backend(s, *k->device ? k->device : "any");
        between = ", ";
    }
    pthread_mutex_unlock(&changing);
}

static KT__COLD kt_status fail_without_kernel(const kt_row *row, const char *device)
{
    char    backend[32], there[512];
    kt__str b = kt__str_in(backend, sizeof backend), t = kt__str_in(there, sizeof there);
    if (kt_row_is_withdrawn(row))
        return kt_fail(KT_ERR_RUNTIME, "operator %s does not exist: it was withdrawn", row->name);
    list_kernels(row, &t);
    if (!*device)
        return kt_fail(KT_ERR_NOT_IMPLEMENTED,
                       "There were no tensor arguments to this function (e.g., you passed an empty list of Tensors), but no "
                       "fallback function is registered for schema %s.  This usually means that this function requires a "
                       "non-empty list of Tensors, or that you (the operator writer) forgot to register a fallback function.  "
                       "Available functions are [%s].",
                       row->name, there);
    if (strcmp(device, "meta") == 0)
        return kt_fail(KT_ERR_NOT_IMPLEMENTED,
                       "%s: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel "
                       "registered. You may have run into this message while using an operator with PT2 compilation APIs "
                       "(torch.compile/torch.export); in order to use this operator with those APIs you'll need to add a fake "
                       "impl. Please see the following for next steps:  "
                       "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html",
                       row->name);
    add_backend(&b, device);
    return kt_fail(KT_ERR_NOT_IMPLEMENTED,
                   "Could not run '%s' with arguments from the '%s' backend. This could be because the operator doesn't exist "
                   "for this backend, or was omitted during the selective/custom build process (if using custom build). If you "
                   "are a Facebook employee using PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible "
                   "resolutions. '%s' is only available for these backends: [%s].",
                   row->name, backend, row->name, there);
}

static kt__kernel *choose(const kt_call *call) /* owned; NULL after an error */
{
    const char *device = device_of(call);
    kt__kernel *k = *device ? find(call->row, device, false) : NULL;
    k = k ? k : find(call->row, NULL, false);
    if (!k)
        fail_without_kernel(call->row, device);
    return k;
}

/* ---- what goes in ---- */

typedef struct edge { /* one call at the edge of its kernel */
    kt_call            *call;
    const kt__kernel   *kernel;
    const kt__gathered *g; /* NULL: the row has no rule */
    const kt__decision *d;
} edge;

static kt_status check_devices(const kt__gathered *g)
{
    for (int i = 0; i < g->n; i++)
        if (g->t[i] && (g->t[i]->backend != g->first->backend || g->t[i]->index != g->first->index))
            return kt__refuse_devices(g->first, g->t[i]);
    return KT_OK;
}

/* The dtype in which the kernel would see argument `at`: the decision's, or the tensor's own. */
static kt_dtype seen_as(const edge *e, int at, const kt_tensor *t)
{
    for (int i = 0; e->g && i < e->g->n; i++)
        if (e->g->t[i] == t && kt__operand_argument(e->call, i) == at)
            return (kt_dtype)e->d->as[i];
    return (kt_dtype)t->dtype;
}

static KT__COLD kt_status refuse_dtype(const edge *e, int at, kt_dtype got)
{
    char     wanted[256];
    kt__str  s = kt__str_in(wanted, sizeof wanted);
    uint32_t left = e->kernel->taken[at].dtypes;
    for (const char *between = ""; left; left &= left - 1, between = left & (left - 1) ? ", " : " or ") {
        kt__str_add(&s, between);
        kt__str_add(&s, kt_dtype_torch_name((kt_dtype)__builtin_ctz(left)));
    }
    return kt__fail_dtype(e->call, KT_ERR_RUNTIME, "%s: expected scalar type %s but found %s for argument '%s'",
                          e->call->row->name, wanted, kt_dtype_torch_name(got), kt__arg_spec(e->call->row, at)->name);
}

static KT__COLD kt_status refuse_layout(const edge *e, int at, const kt_tensor *t)
{
    char        strides[256];
    kt__str     s = kt__str_in(strides, sizeof strides);
    const char *name = kt__arg_spec(e->call->row, at)->name;
    for (int i = 0; i < t->ndim; i++)
        kt__str_addf(&s, "%s%lld", i ? ", " : "", (long long)t->strides[i]);
    return kt_fail(KT_ERR_RUNTIME, "%s: its kernel reads argument '%s' as contiguous memory, but its strides are (%s): make it "
                                   "contiguous first",
                   e->call->row->name, name, strides);
}

static kt_status check_tensor(const edge *e, int at, const kt_tensor *t)
{
    const kt__taken *taken = &e->kernel->taken[at];
    const char      *device = kt_device_name((kt_device){t->backend, 0});
    if (*e->kernel->device && !kt__trying && strcmp(device, e->kernel->device) != 0)
        return kt_fail(KT_ERR_RUNTIME, "%s: its kernel for %s cannot read argument '%s', which is on %s: all tensors that it "
                                       "reads must be on its device",
                       e->call->row->name, e->kernel->device, kt__arg_spec(e->call->row, at)->name, device);
    const kt_dtype dtype = seen_as(e, at, t);
    if (taken->dtypes && !(taken->dtypes >> dtype & 1))
        return refuse_dtype(e, at, dtype);
    const bool copied = dtype != (kt_dtype)t->dtype; /* a conversion is dense where its source is */
    return taken->contiguous && !kt__trying && !(copied && t->flags & KT_T_CONTIGUOUS) && !kt__is_contiguous(t)
               ? refuse_layout(e, at, t)
               : KT_OK;
}

static kt_status check_taken(const edge *e)
{
    const kt_call *call = e->call;
    for (int i = 0; i < kt__n_args(call->row); i++) {
        if (!e->kernel->taken[i].read || !kt__given(call, i) || call->scalars >> i & 1)
            continue;
        const bool              list = kt__arg_spec(call->row, i)->kind == KT_ARG_TENSORS;
        kt_tensor *const *const t = list ? call->arg[i].ts.t : &call->arg[i].t;
        for (int64_t k = 0; k < (list ? call->arg[i].ts.n : 1); k++)
            if (t[k] && check_tensor(e, i, t[k]))
                return kt_error_status();
    }
    return KT_OK;
}

/* ---- the run ---- */

/* The operands of `seen` as the decision has them; what was made for it is in `made`. */
static kt_status convert_operands(const edge *e, kt_call *seen, kt_tensor **made)
{
    for (int i = 0; e->g && i < e->g->n; i++) {
        if (!e->g->t[i] || e->g->dtype[i] == e->d->as[i])
            continue;
        const int at = kt__operand_argument(seen, i);
        if (kt__convert_inside(e->g->t[i], (kt_dtype)e->d->as[i], (kt_reason)e->d->why[i], &made[at]))
            return kt_error_status();
        seen->arg[at].t = made[at];
    }
    return KT_OK;
}

/* A kernel that reads memory knows nothing of the lazy bits. */
static kt_status resolve_bits(const edge *e, kt_call *seen, kt_tensor **made)
{
    for (int i = 0; e->kernel->checks && i < kt__n_args(seen->row); i++) {
        const kt_arg_spec *spec = kt__arg_spec(seen->row, i);
        if (!e->kernel->taken[i].read || spec->kind == KT_ARG_TENSORS || !kt__given(seen, i) || seen->scalars >> i & 1)
            continue;
        for (int bit = 0; bit < 2; bit++) {
            kt_tensor *resolved = NULL;
            if (!(seen->arg[i].t->flags & (bit ? KT_T_NEG : KT_T_CONJ)))
                continue;
            if (spec->written)
                return kt_fail(KT_ERR_RUNTIME, "%s: its kernel writes to argument '%s', which is a view with a lazy %s bit",
                               seen->row->name, spec->name, bit ? "negative" : "conjugate");
            if (kt__call1(bit ? KT_OP_resolve_neg : KT_OP_resolve_conj, seen->arg[i].t, &resolved))
                return kt_error_status();
            kt__unref(made[i]);
            seen->arg[i].t = made[i] = resolved;
        }
    }
    return KT_OK;
}

static kt_status check_plain(const kt_row *row, int i, const kt_tensor *t)
{
    const int kind = row->appended->result_kind[i];
    if (kind == KT_ARG_STRING)
        return t->dtype == KT_U8 && t->ndim == 1 && t->backend == KT_CPU && kt_is_contiguous(t)
                   ? KT_OK
                   : kt_fail(KT_ERR_RUNTIME, "%s: its result %d is a string: its bytes in a contiguous uint8 tensor of one dim "
                                             "on the CPU",
                             row->name, i);
    const kt_dtype d = (kt_dtype)t->dtype;
    const bool     fits = kind == KT_ARG_INT     ? d == KT_I64
                          : kind == KT_ARG_FLOAT ? d == KT_F64
                          : kind == KT_ARG_BOOL  ? d == KT_BOOL
                                                 : d == KT_I64 || d == KT_F64 || d == KT_BOOL;
    if (kind == KT_ARG_TENSOR || (fits && t->ndim == 0 && t->backend == KT_CPU))
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME, "%s: its result %d is a number: a 0-dim tensor on the CPU, of int64, float64 or bool as the "
                                   "schema says",
                   row->name, i);
}

static kt_status check_results(const edge *e, const kt_call *seen)
{
    const kt_row *row = e->call->row;
    if (row->way->lists) {
        for (int64_t i = 0; i < seen->n_list; i++)
            if (!seen->list[i])
                return kt_fail(KT_ERR_RUNTIME, "%s: its kernel gave no element %lld of its list", row->name, (long long)i);
        return KT_OK;
    }
    for (int i = 0; i < kt__n_results(row); i++) {
        if (!seen->out[i] && row->appended->optional >> i & 1)
            continue;
        if (!seen->out[i])
            return kt_fail(KT_ERR_RUNTIME, "%s: its kernel gave no result %d", row->name, i);
        if (check_plain(row, i, seen->out[i]))
            return kt_error_status();
    }
    if (e->d && kt__n_results(row) && seen->out[0] && seen->out[0]->dtype != e->d->result)
        return kt_fail(KT_ERR_RUNTIME, "%s: its kernel gave %s where its dtype rule says %s", row->name,
                       kt_dtype_name((kt_dtype)seen->out[0]->dtype), kt_dtype_name((kt_dtype)e->d->result));
    return KT_OK;
}

static void drop_results(kt_call *seen)
{
    kt_call_free_list(seen);
    for (int i = 0; i < kt__n_results(seen->row); i++)
        kt__unref(seen->out[i]);
}

/* The user's program, which a kernel may be, names its own calls in errors; plans name the operator that was called. */
static kt_status call_kernel(const kt__kernel *k, kt_call *seen)
{
    const kt_call *frame = kt__frame;
    const kt_row  *node = kt__named.node;
    if (k->program) {
        kt__frame = NULL;
        kt__named.node = NULL;
    }
    const kt_status status = k->run(seen, k->context);
    kt__frame = frame;
    kt__named.node = node;
    if (status && !kt__failed())
        kt_fail(status, "%s failed", seen->row->name);
    return kt__failed() ? kt_error_status() : KT_OK;
}

static kt_status run_kernel(const edge *e, kt_call *seen)
{
    memset(seen->out, 0, sizeof seen->out);
    seen->list = NULL;
    seen->n_list = 0;
    if (call_kernel(e->kernel, seen) || check_results(e, seen)) {
        drop_results(seen);
        return kt_error_status();
    }
    memcpy(e->call->out, seen->out, sizeof seen->out);
    e->call->list = seen->list;
    e->call->n_list = seen->n_list;
    return KT_OK;
}

/* ---- what is written to ---- */

/* Goes over the tensors that the call writes to, of which `versions` has room for the first few: notes their versions before the
 * kernel runs; afterwards the call is one write, however often the kernel wrote. */
static void count_writes(const kt_call *call, uint32_t *versions, bool afterwards)
{
    for (int i = 0, n = 0; i < kt__n_args(call->row); i++) {
        const kt_arg_spec *spec = kt__arg_spec(call->row, i);
        if (!spec->written || !kt__given(call, i) || call->scalars >> i & 1)
            continue;
        const bool              list = spec->kind == KT_ARG_TENSORS;
        kt_tensor *const *const t = list ? call->arg[i].ts.t : &call->arg[i].t;
        for (int64_t k = 0; k < (list ? call->arg[i].ts.n : 1); k++, n++) {
            if (!t[k] || !t[k]->version)
                continue;
            if (n < KT_MAX_ARGS && !afterwards)
                versions[n] = kt__version(t[k]);
            else if (n < KT_MAX_ARGS)
                atomic_store_explicit(t[k]->version, versions[n], memory_order_relaxed);
            if (afterwards)
                kt__wrote(t[k]);
        }
    }
}

static kt_status run_converted(const edge *e)
{
    kt_call    seen = *e->call;
    kt_tensor *made[KT_MAX_ARGS] = {NULL};
    uint32_t   versions[KT_MAX_ARGS] = {0};
    KT_SCOPE; /* of the kernel's typed calls */
    count_writes(e->call, versions, false);
    kt_status status = convert_operands(e, &seen, made);
    if (!status)
        status = resolve_bits(e, &seen, made);
    if (!status)
        status = run_kernel(e, &seen);
    if (!status)
        count_writes(e->call, versions, true);
    for (int i = 0; i < KT_MAX_ARGS; i++)
        kt__unref(made[i]);
    return status;
}

/* A call that is only tried, to see whether other dtypes would do, has tensors without memory: no kernel sees them. */
static kt_status try_call(const edge *e)
{
    kt_call         *call = e->call;
    const kt_tensor *first = kt__first_tensor(call);
    if (!first || (!e->d && !e->kernel->checks) || call->row->way->lists || !kt__n_results(call->row))
        return kt_fail(KT_ERR_RUNTIME, "%s cannot be tried", call->row->name);
    call->out[0] = kt__tensor_new(e->d ? (kt_dtype)e->d->result : (kt_dtype)first->dtype, kt__device(first), kt__sizes(first));
    for (int i = 1; i < kt__n_results(call->row); i++)
        call->out[i] = call->out[0] ? kt__ref(call->out[0]) : NULL;
    return call->out[0] ? KT_OK : kt_error_status();
}

static void trace(const edge *e)
{
#ifndef KT_NO_LINEAGE
    kt_tensor *out = e->call->out[0];
    if (!e->d || !out || kt_is_shared(out) || !e->g->first)
        return; /* an operand itself, or made of numbers alone */
    out->lineage = e->d->origin != 0xff ? e->g->t[e->d->origin]->lineage : kt__result_lineage(e->call, e->d, e->g->first);
#else
    (void)e;
#endif
}

static kt_status run_chosen(edge *e)
{
    if (e->kernel->checks && check_taken(e))
        return kt_error_status();
    if (kt__trying)
        return try_call(e);
    const kt_status status = run_converted(e);
    if (!status)
        trace(e);
    return status;
}

static kt__kernel *above(const kt_call *call) /* owned; NULL: none, or this is below it */
{
    const bool below = kt__mode() & KT_M_BELOW || kt__born_flags || kt__trying;
    return !below && call->row->appended->composite ? find(call->row, NULL, true) : NULL;
}

kt_status kt__run_appended(kt_call *call)
{
    kt__gathered g;
    kt__decision own;
    edge         e = {.call = call};
    kt__kernel  *k = above(call);
    if (!k && call->row->rule != RULE_NONE) {
        kt__gather(call, &g);
        if (check_devices(&g))
            return kt_error_status();
        const kt__decision *d = kt__resolve(call, &g, kt__mode(), &own);
        if (!d)
            return kt_error_status();
        own = *d; /* the kernel's calls decide too, in the same cache */
        e.g = &g;
        e.d = &own;
    }
    e.kernel = k ? k : (k = choose(call));
    const kt_status status = k ? (k->above ? run_converted(&e) : run_chosen(&e)) : kt_error_status();
    unref(k);
    return status;
}

kt_status kt__kernel_of_body(kt_call *call, void *unused)
{
    (void)unused;
    return call->row->appended->body(call);
}

kt_status kt_call_make_list(kt_call *call, int64_t n)
{
    if (!call || n < 0 || n > INT32_MAX)
        return kt_fail(KT_ERR_VALUE, "room for a list of %lld tensors", (long long)n);
    kt_call_free_list(call);
    if (n == 0)
        return KT_OK;
    call->list = kt__system_get((size_t)n * sizeof *call->list);
    if (!call->list)
        return kt__fail_memory((size_t)n * sizeof *call->list);
    memset(call->list, 0, (size_t)n * sizeof *call->list);
    call->n_list = n;
    return KT_OK;
}
