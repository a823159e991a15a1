/* scaler.c - see karat/scaler.h.
 *
 * In: losses, optimizers. Out: scaled losses, unscaled gradients, steps or none, the next scale. The scale lies beside the first
 * loss; a step reads whether a gradient was not finite, which waits for the device, as PyTorch's does.
 * Independent of: what a step calculates. */
#include <karat/scaler.h>

#include <math.h>
#include <string.h>

#include <karat/mode.h>

#include "base/alloc.h"

enum { MOST_CHANGES = 1000 };

typedef enum stage { READY, UNSCALED, STEPPED } stage;

typedef struct seen { /* an optimizer since the last update */
    const kt_optimizer *o;
    stage               stage;
    bool                looked, found; /* at a gradient; it was not finite */
} seen;

struct kt_scaler {
    double          init_scale, growth_factor, backoff_factor;
    int64_t         growth_interval;
    kt_tensor      *scale, *tracker; /* kept; NULL before the first loss */
    seen           *seen;
    int64_t         n_seen, seen_room;
    bool            stepped, searching;
    int64_t         updates, n_changes;
    kt_scale_change change[MOST_CHANGES];
    kt_tensor     **not_finite; /* kept */
    int64_t         n_not_finite, not_finite_room;
    kt_not_finite   first;
};

/* ---- making ---- */

static double real(kt_opt_real given, double otherwise) { return given.some ? given.v : otherwise; }

kt_scaler *kt_scaler_make_kw(const kt_scaler_opts *opts)
{
    kt_scaler_opts o = {.size = sizeof o};
    if (kt_failed())
        return NULL;
    if (opts && opts->size != sizeof o) {
        kt_fail(KT_ERR_VALUE, "options: size is %zu: set it to the sizeof of the struct", opts->size);
        return NULL;
    }
    if (opts)
        o = *opts;
    const double growth = real(o.growth_factor, 2), backoff = real(o.backoff_factor, 0.5);
    if (!(growth > 1) || !(backoff < 1)) {
        kt_fail(KT_ERR_ASSERTION, growth > 1 ? "The backoff factor must be < 1.0." : "The growth factor must be > 1.0.");
        return NULL;
    }
    kt_scaler *s = kt__system_get(sizeof *s);
    if (!s) {
        kt_fail(KT_ERR_MEMORY, "a scaler needs %zu bytes", sizeof *s);
        return NULL;
    }
    memset(s, 0, sizeof *s);
    s->init_scale = real(o.init_scale, 65536);
    s->growth_factor = growth;
    s->backoff_factor = backoff;
    s->growth_interval = o.growth_interval.some ? o.growth_interval.v : 2000;
    return s;
}

static void forget_not_finite(kt_scaler *s)
{
    for (int64_t i = 0; i < s->n_not_finite; i++)
        kt_drop(s->not_finite[i]);
    s->n_not_finite = 0;
}

void kt_scaler_drop(kt_scaler *s)
{
    if (!s)
        return;
    if (s->searching)
        kt_search_not_finite(false);
    forget_not_finite(s);
    kt_drop(s->scale);
    kt_drop(s->tracker);
    kt__system_put(s->not_finite, (size_t)s->not_finite_room * sizeof *s->not_finite);
    kt__system_put(s->seen, (size_t)s->seen_room * sizeof *s->seen);
    kt__system_put(s, sizeof *s);
}

/* ---- checks ---- */

static kt_status check(const kt_scaler *s, const char *what)
{
    if (kt_failed())
        return kt_error_status();
    if (!s)
        return kt_fail(KT_ERR_TYPE, "expected a scaler, got NULL");
    return s->scale ? KT_OK
                    : kt_fail(KT_ERR_ASSERTION,
                              "Attempted %s but _scale is None.  This may indicate your script did not use "
                              "scaler.scale(loss or outputs) earlier in the iteration.",
                              what);
}

/* NULL: out of memory. */
static seen *seen_of(kt_scaler *s, const kt_optimizer *o)
{
    for (int64_t i = 0; i < s->n_seen; i++)
        if (s->seen[i].o == o)
            return &s->seen[i];
    if (s->n_seen == s->seen_room) {
        const int64_t room = s->seen_room ? 2 * s->seen_room : 4;
        seen         *more = kt__system_get((size_t)room * sizeof *more);
        if (!more) {
            kt_fail(KT_ERR_MEMORY, "a scaler needs %zu bytes", (size_t)room * sizeof *more);
            return NULL;
        }
        if (s->n_seen)
            memcpy(more, s->seen, (size_t)s->n_seen * sizeof *more);
        kt__system_put(s->seen, (size_t)s->seen_room * sizeof *s->seen);
        s->seen = more;
        s->seen_room = room;
    }
    s->seen[s->n_seen] = (seen){.o = o};
    return &s->seen[s->n_seen++];
}

/* NULL and an error: something is missing. */
static seen *seen_in(kt_scaler *s, const kt_optimizer *o, const char *what)
{
    if (check(s, what))
        return NULL;
    if (!o)
        kt_fail(KT_ERR_TYPE, "expected an optimizer, got NULL");
    return o ? seen_of(s, o) : NULL;
}

/* ---- the loss ---- */

kt_tensor *kt_scaler_scale(kt_scaler *s, kt_tensor *loss)
{
    if (kt_failed() || !s || !loss) {
        if (!kt_failed())
            kt_fail(KT_ERR_TYPE, s ? "outputs must be a Tensor or an iterable of Tensors" : "expected a scaler, got NULL");
        return NULL;
    }
    const kt_device device = kt_device_of(loss);
    if (!s->scale) {
        KT_SCOPE;
        kt_tensor *scale = kt_full(KT_SCALAR, KT_FLOAT(s->init_scale), .dtype = KT_F32, .device = device);
        kt_tensor *tracker = kt_zeros(KT_SCALAR, .dtype = KT_I32, .device = device);
        if (!scale || !tracker)
            return NULL;
        s->scale = kt_keep(scale);
        s->tracker = kt_keep(tracker);
    }
    return kt_mul(loss, kt_to(s->scale, .device = device));
}

/* ---- gradients ---- */

static bool same_device(const kt_tensor *a, const kt_tensor *b)
{
    const kt_device x = kt_device_of(a), y = kt_device_of(b);
    return x.kind == y.kind && x.index == y.index;
}

/* The first gradients of `grad` that lie on one device come first; how many. */
static int64_t gather_device(kt_tensor **grad, int64_t n)
{
    int64_t same = 1;
    for (int64_t i = 1; i < n; i++)
        if (same_device(grad[i], grad[0])) {
            kt_tensor *t = grad[i];
            grad[i] = grad[same];
            grad[same++] = t;
        }
    return same;
}

static kt_status unscale_all(kt_scaler *s, seen *of, kt_tensor **grad, int64_t n)
{
    kt_tensor *inverse = kt_to(kt_reciprocal(kt_to(s->scale, .dtype = KT_F64)), .dtype = KT_F32);
    for (int64_t done = 0, same; done < n; done += same) { /* device by device, each in one pass */
        same = gather_device(grad + done, n - done);
        const kt_device device = kt_device_of(grad[done]);
        kt_tensor      *found = kt_zeros(KT_SCALAR, .dtype = KT_F32, .device = device);
        if (!inverse || !found || kt_amp_foreach_non_finite_check_and_unscale_(grad + done, same, found,
                                                                               kt_to(inverse, .device = device)))
            return kt_error_status();
        of->looked = true;
        of->found |= kt_item(found) != 0;
    }
    return kt_failed() ? kt_error_status() : KT_OK;
}

kt_status kt_scaler_unscale(kt_scaler *s, kt_optimizer *o)
{
    seen *of = seen_in(s, o, "unscale_");
    if (!of)
        return kt_error_status();
    if (of->stage == UNSCALED)
        return kt_fail(KT_ERR_RUNTIME, "unscale_() has already been called on this optimizer since the last update().");
    if (of->stage == STEPPED)
        return kt_fail(KT_ERR_RUNTIME, "unscale_() is being called after step().");
    KT_SCOPE;
    KT_NO_GRAD;
    const int64_t n = kt_optimizer_parameters(o, NULL, 0);
    const size_t  bytes = (size_t)(n ? n : 1) * sizeof(kt_tensor *);
    kt_tensor   **grad = kt__system_get(bytes);
    int64_t       n_grads = 0;
    kt_status     status = KT_OK;
    if (!grad)
        return kt_fail(KT_ERR_MEMORY, "a scaler needs %zu bytes", bytes);
    kt_optimizer_parameters(o, grad, n);
    for (int64_t i = 0; i < n && !status; i++) {
        kt_tensor *g = kt_grad(grad[i]);
        if (g && kt_dtype_of(g) == KT_F16)
            status = kt_fail(KT_ERR_VALUE, "Attempting to unscale FP16 gradients.");
        else if (g)
            grad[n_grads++] = g;
    }
    if (!status)
        status = unscale_all(s, of, grad, n_grads);
    kt__system_put(grad, bytes);
    if (!status)
        of->stage = UNSCALED;
    return status;
}

/* ---- steps ---- */

static kt_status note_skip(kt_scaler *s, kt_optimizer *o)
{
    KT_SCOPE;
    KT_NO_GRAD;
    const int64_t n = kt_optimizer_parameters(o, NULL, 0), room = s->n_not_finite + n;
    if (room > s->not_finite_room) {
        kt_tensor **more = kt__system_get((size_t)room * sizeof(kt_tensor *));
        if (!more)
            return kt_fail(KT_ERR_MEMORY, "a scaler needs %zu bytes", (size_t)room * sizeof(kt_tensor *));
        if (s->n_not_finite)
            memcpy(more, s->not_finite, (size_t)s->n_not_finite * sizeof *more);
        kt__system_put(s->not_finite, (size_t)s->not_finite_room * sizeof *s->not_finite);
        s->not_finite = more;
        s->not_finite_room = room;
    }
    kt_tensor **next = s->not_finite + s->n_not_finite;
    kt_optimizer_parameters(o, next, n);
    for (int64_t i = 0; i < n; i++) {
        kt_tensor *p = next[i], *g = kt_grad(p);
        if (g && kt_item(kt_all(kt_isfinite(g))) == 0)
            s->not_finite[s->n_not_finite++] = kt_keep(p);
    }
    return kt_failed() ? kt_error_status() : KT_OK;
}

kt_status kt_scaler_step(kt_scaler *s, kt_optimizer *o)
{
    seen *of = seen_in(s, o, "step");
    if (!of)
        return kt_error_status();
    if (of->stage == STEPPED)
        return kt_fail(KT_ERR_RUNTIME, "step() has already been called since the last update().");
    if (of->stage == READY && kt_scaler_unscale(s, o))
        return kt_error_status();
    if (!of->looked)
        return kt_fail(KT_ERR_ASSERTION, "No inf checks were recorded for this optimizer.");
    const kt_status status = of->found ? note_skip(s, o) : kt_optimizer_step(o);
    s->stepped = !of->found && !status;
    if (!status)
        of->stage = STEPPED;
    return status;
}

bool kt_scaler_stepped(const kt_scaler *s) { return s && s->stepped; }

/* ---- the next scale ---- */

static void note_change(kt_scaler *s, double from, double to, bool skipped)
{
    if (s->n_changes == MOST_CHANGES)
        memmove(s->change, s->change + 1, (size_t)--s->n_changes * sizeof *s->change);
    s->change[s->n_changes++] = (kt_scale_change){sizeof *s->change, s->updates, from, to, skipped};
}

/* The search ends with the step that it looked at, and begins after one that was skipped. It is a bit of the mode, so no guard
 * may be open. */
static void search(kt_scaler *s, bool skipped)
{
    if (s->searching) {
        s->first = (kt_not_finite){.size = sizeof s->first};
        kt_first_not_finite(&s->first);
        kt_search_not_finite(false);
    }
    s->searching = skipped;
    if (skipped)
        kt_search_not_finite(true);
}

static kt_status next_scale(kt_scaler *s, bool found)
{
    KT_SCOPE;
    KT_NO_GRAD;
    kt_tensor *any = kt_full(KT_SCALAR, KT_FLOAT(found), .dtype = KT_F32, .device = kt_device_of(s->scale));
    return any && kt_amp_update_scale_(s->scale, s->tracker, any, s->growth_factor, s->backoff_factor, s->growth_interval)
               ? KT_OK
               : kt_error_status();
}

kt_status kt_scaler_update(kt_scaler *s)
{
    if (check(s, "update"))
        return kt_error_status();
    bool looked = false, found = false;
    for (int64_t i = 0; i < s->n_seen; i++) {
        looked |= s->seen[i].looked;
        found |= s->seen[i].found;
    }
    if (!looked)
        return kt_fail(KT_ERR_ASSERTION, "No inf checks were recorded prior to update.");
    const double before = kt_item(s->scale);
    if (next_scale(s, found))
        return kt_error_status();
    const double after = kt_item(s->scale);
    s->updates++;
    s->n_seen = 0;
    if (found || after != before)
        note_change(s, before, after, found);
    if (!found)
        forget_not_finite(s);
    search(s, found);
    return KT_OK;
}

double kt_scaler_get_scale(const kt_scaler *s) { return !s ? NAN : s->scale ? kt_item(s->scale) : s->init_scale; }

kt_status kt_scaler_set_scale(kt_scaler *s, double scale)
{
    if (!s)
        return kt_fail(KT_ERR_TYPE, "expected a scaler, got NULL");
    const double before = kt_scaler_get_scale(s);
    if (s->scale && !kt_fill_s_(s->scale, KT_FLOAT(scale)))
        return kt_error_status();
    s->init_scale = scale;
    note_change(s, before, kt_scaler_get_scale(s), false);
    return KT_OK;
}

int64_t kt_scaler_growth_tracker(const kt_scaler *s) { return s && s->tracker ? (int64_t)kt_item(s->tracker) : 0; }

/* ---- what happened ---- */

bool kt_scaler_log(const kt_scaler *s, int64_t i, kt_scale_change *out)
{
    if (!s || !out || i < 0 || i >= s->n_changes)
        return false;
    const size_t size = out->size;
    memcpy(out, &s->change[i], size < sizeof *out ? size : sizeof *out);
    out->size = size;
    return true;
}

int64_t kt_scaler_not_finite(const kt_scaler *s, kt_tensor **out, int64_t room)
{
    for (int64_t i = 0; s && out && i < s->n_not_finite && i < room; i++)
        out[i] = s->not_finite[i];
    return s ? s->n_not_finite : 0;
}

bool kt_scaler_first_not_finite(const kt_scaler *s, kt_not_finite *out)
{
    if (!s || !out || !s->first.op)
        return false;
    const size_t size = out->size;
    memcpy(out, &s->first, size < sizeof *out ? size : sizeof *out);
    out->size = size;
    return true;
}
