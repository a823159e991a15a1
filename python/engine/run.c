/* run.c - calls whose kernels run without the GIL, and results as Python objects.
 *
 * In: a kt_call whose arguments the caller keeps alive. Out: a status, or the results. Independent of: which row it
 * is. */
#include "core/binding.h"

#include <karat/plugin/work.h>
#include <pthread.h>
#include <time.h>

/* ---- calls under way ---- */

struct kp_flight {
    kp_flight     *next;
    const kt_call *call; /* NULL: not a call (backward, item); it may use any tensor and gives none other memory */
    PyThreadState *thread;
};
kp_flight *kp_flights;

static void in_child(void) { kp_flights = NULL; } /* other threads do not exist in the child */

static void depart(kp_flight *f, const kt_call *call)
{
    *f = (kp_flight){kp_flights, call, PyThreadState_Get()};
    kp_flights = f;
}

static void arrive(const kp_flight *f)
{
    kp_flight **at = &kp_flights;
    while (*at && *at != f) /* not there: in a child */
        at = &(*at)->next;
    if (*at)
        *at = f->next;
}

/* The tensors whose memory or sizes the call may change: out= targets, self of rows such as resize_. Returns the count. */
static int targets_of(const kt_call *call, const kt_tensor *t[KT_MAX_RESULTS])
{
    int n = 0;
    if (!call)
        return 0;
    const char *name = kt_row_name(call->row);
    for (; call->form == KT_OUT && n < kt_row_n_results(call->row); n++)
        t[n] = call->out[n];
    if (n == 0 && name[strlen(name) - 1] == '_')
        t[n++] = call->arg[0].t;
    return n;
}

static bool relies_on(const kt_call *call, const kt_tensor *t)
{
    if (!call)
        return true;
    for (int i = 0; i < kt_row_n_args(call->row); i++) {
        const uint8_t kind = kt_row_arg(call->row, i)->kind;
        if (!(call->given >> i & 1) || call->scalars >> i & 1)
            continue;
        if ((kind == KT_ARG_TENSOR || kind == KT_ARG_TENSOR_OR_SCALAR) && call->arg[i].t == t)
            return true;
        for (int64_t k = 0; kind == KT_ARG_TENSORS && k < call->arg[i].ts.n; k++)
            if (call->arg[i].ts.t[k] == t)
                return true;
    }
    for (int i = 0; call->form == KT_OUT && i < kt_row_n_results(call->row); i++)
        if (call->out[i] == t)
            return true;
    return false;
}

static bool disturbs(const kt_call *one, const kt_call *other)
{
    const kt_tensor *t[KT_MAX_RESULTS];
    for (int i = 0, n = targets_of(one, t); i < n; i++)
        if (relies_on(other, t[i]))
            return true;
    return false;
}

/* The first flight from `f` on that belongs to another thread; this thread's own calls enclose the current one. */
static const kp_flight *others(const kp_flight *f)
{
    const PyThreadState *own = PyThreadState_Get();
    while (f && f->thread == own)
        f = f->next;
    return f;
}

static bool in_use(const kt_tensor *t)
{
    for (const kp_flight *f = others(kp_flights); f; f = others(f->next))
        if (relies_on(f->call, t))
            return true;
    return false;
}

static bool clashes(const kt_call *call)
{
    for (const kp_flight *f = others(kp_flights); f; f = others(f->next))
        if (disturbs(call, f->call) || disturbs(f->call, call))
            return true;
    return false;
}

static void sleep_a_moment(void)
{
    const struct timespec moment = {0, 50 * 1000};
    Py_BEGIN_ALLOW_THREADS
    nanosleep(&moment, NULL);
    Py_END_ALLOW_THREADS
}

static int wait_a_moment(void)
{
    sleep_a_moment();
    return PyErr_CheckSignals();
}

int kp_wait_for(const kt_tensor *t)
{
    while (in_use(t))
        if (wait_a_moment())
            return -1;
    return 0;
}

int kp_wait_for_others(const kt_call *call)
{
    while (clashes(call))
        if (wait_a_moment())
            return -1;
    return 0;
}

void kp_wait_for_changes(void)
{
    const kt_tensor *t[KT_MAX_RESULTS];
    const kp_flight *f = others(kp_flights);
    while (f)
        if (targets_of(f->call, t)) {
            sleep_a_moment();
            f = others(kp_flights);
        } else {
            f = others(f->next);
        }
}

kt_status kp_run_large(kt_call *call)
{
    const kp_entry before = kp_enter();
    kp_flight      flight;
    depart(&flight, call);
    kp_here.call = call;
    kp_here.large = true;
    kt_status status = kt_call_run(call);
    kp_leave(before);
    arrive(&flight);
    return status;
}

kt_tensor *kp_run_row(const kt_row *row, kt_tensor *t)
{
    kt_call call;
    kt_call_begin(&call, row, KT_PLAIN);
    call.arg[0].t = t;
    call.given = 1;
    if (kp_run(&call, kp_is_large(t, NULL))) {
        kp_raise();
        return NULL;
    }
    return call.out[0];
}

/* ---- the GIL ---- */

static __thread kp_flight open_flight; /* of this thread, while its GIL is released for a call */

/* Backward does not release the GIL for its kernels: it holds its own locks around them, and a waiting thread may hold the
 * GIL. */
static void *open_gil(kt_work why)
{
    if (kp_here.state == 0 || (why == KT_WORK_KERNEL && !kp_here.large)) /* 0: a C thread, which does not hold the GIL */
        return NULL;
    kp_site_capture(&kp_here);
    if (why != KT_WORK_OTHERS)
        depart(&open_flight, kp_here.call);
    return PyEval_SaveThread();
}

static void shut_gil(void *opened)
{
    PyEval_RestoreThread(opened);
    arrive(&open_flight);
    kp_here.state = 1;
}

static const kt_work_lock gil = {.abi = KT_WORK_ABI, .size = sizeof gil, .open = open_gil, .shut = shut_gil};

int kp_run_start(void)
{
    if (kt_work_register(&gil)) {
        kp_raise();
        return -1;
    }
    return pthread_atfork(NULL, NULL, in_child);
}

/* ---- results ---- */

static PyObject *list_results(kt_call *call)
{
    PyObject *all = PyTuple_New(call->n_list);
    for (int64_t i = 0; all && i < call->n_list; i++) {
        PyObject *one = kp_wrap_borrowed(call->list[i]);
        if (one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    kt_call_free_list(call);
    return all;
}

PyObject *kp_call_results(kt_call *call, PyTypeObject *type)
{
    if (KP_LIKELY(call->out[0] && call->n_out <= 1))
        return kp_wrap(call->out[0]);
    if (!call->out[0] && call->form == KT_INPLACE) { /* a list was written to */
        kt_call_free_list(call);
        Py_RETURN_NONE;
    }
    if (!call->out[0])
        return list_results(call);
    PyObject *all = type ? PyStructSequence_New(type) : PyTuple_New(call->n_out);
    for (int i = 0; i < call->n_out; i++) {
        PyObject *one = kp_wrap(call->out[i]); /* stolen, even after an exception */
        if (all && one) {
            PyTuple_SET_ITEM(all, i, one); /* a named tuple is a tuple */
        } else {
            Py_XDECREF(one);
            Py_CLEAR(all);
        }
    }
    return all;
}
