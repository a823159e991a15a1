/* tree.c - modules as trees: made, joined, walked, freed.
 *
 * In: names, tensors, modules. Out: records and walks over them. Independent of: calls, dtypes, what a layer computes. */
#include "nn/module.h"

#include <karat/grad.h>
#include <stdlib.h>
#include <string.h>

/* ---- one module ---- */

static bool no_module(const kt_module *m)
{
    if (!m)
        kt_fail(KT_ERR_TYPE, "expected a module, got NULL");
    return !m;
}

kt_module *kt_module_make(const kt_module_type *type)
{
    if (kt_failed())
        return NULL;
    if (!type || !type->name || !type->forward) {
        kt_fail(KT_ERR_VALUE, "a module's type needs a name and a function forward");
        return NULL;
    }
    kt_module *m = calloc(1, sizeof *m + type->own_bytes);
    if (!m) {
        kt_fail(KT_ERR_MEMORY, "no memory for a module");
        return NULL;
    }
    m->type = type;
    m->refs = 1;
    m->training = true;
    return m;
}

kt_module *kt_module_keep(kt_module *m)
{
    if (m)
        m->refs++;
    return m;
}

void kt_module_drop(kt_module *m)
{
    if (!m || --m->refs)
        return;
    if (m->type->forget)
        m->type->forget(m);
    for (int64_t i = 0; i < m->n; i++) {
        kt_drop(m->entry[i].tensor);
        kt_module_drop(m->entry[i].child);
        free(m->entry[i].name);
    }
    free(m->entry);
    free(m->hook);
    kt_conversions_free(m->conversions);
    free(m);
}

void       *kt_module_own(const kt_module *m) { return m ? (void *)(uintptr_t)m->own : NULL; }
const char *kt_module_name(const kt_module *m) { return m ? m->type->name : ""; }

/* ---- entries ---- */

static kt__entry *find(const kt_module *m, const char *name, size_t length)
{
    for (int64_t i = 0; m && i < m->n; i++)
        if (strlen(m->entry[i].name) == length && !memcmp(m->entry[i].name, name, length))
            return &m->entry[i];
    return NULL;
}

static kt_status check_name(const kt_module *m, const char *name, const char *what)
{
    if (!name)
        return kt_fail(KT_ERR_TYPE, "%s name should be a string. Got NULL", what);
    if (strchr(name, '.'))
        return kt_fail(KT_ERR_VALUE, "%s name can't contain \".\", got: %s", what, name);
    if (!*name)
        return kt_fail(KT_ERR_VALUE, "%s name can't be empty string \"\"", what);
    if (find(m, name, strlen(name)))
        return kt_fail(KT_ERR_VALUE, "attribute '%s' already exists", name);
    return KT_OK;
}

static kt_status add(kt_module *m, kt__entry new)
{
    if (m->n == m->room) {
        const int64_t room = m->room ? 2 * m->room : 4;
        kt__entry    *more = realloc(m->entry, (size_t)room * sizeof *more);
        if (!more)
            return kt_fail(KT_ERR_MEMORY, "no memory for a module");
        m->entry = more;
        m->room = room;
    }
    const size_t bytes = strlen(new.name) + 1;
    char        *name = malloc(bytes);
    if (!name)
        return kt_fail(KT_ERR_MEMORY, "no memory for a module");
    memcpy(name, new.name, bytes);
    new.name = name;
    m->entry[m->n++] = new;
    return KT_OK;
}

static kt_status add_tensor(kt_module *m, const char *name, kt_tensor *t, kt__entry_kind kind, bool saved)
{
    if (kt_failed() || no_module(m))
        return kt_error_status();
    if (check_name(m, name, kind == KT__PARAMETER ? "parameter" : "buffer"))
        return kt_error_status();
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (kind == KT__PARAMETER && kt_dtype_category(kt_dtype_of(t)) & (KT_CAT_FLOAT | KT_CAT_COMPLEX) &&
        kt_set_requires_grad(t, true))
        return kt_error_status();
    if (add(m, (kt__entry){.name = (char *)(uintptr_t)name, .kind = kind, .saved = saved, .tensor = t}))
        return kt_error_status();
    kt_keep(t);
    return KT_OK;
}

kt_status kt_module_add_parameter(kt_module *m, const char *name, kt_tensor *t)
{
    return add_tensor(m, name, t, KT__PARAMETER, true);
}

kt_status kt_module_add_buffer(kt_module *m, const char *name, kt_tensor *t, bool persistent)
{
    return add_tensor(m, name, t, KT__BUFFER, persistent);
}

/* Is `m` the module or below it? A tree has no cycles. */
static bool reaches(const kt_module *from, const kt_module *m)
{
    bool found = from == m;
    for (int64_t i = 0; i < from->n && !found; i++)
        found = from->entry[i].child && reaches(from->entry[i].child, m);
    return found;
}

kt_status kt_module_add(kt_module *m, const char *name, kt_module *child)
{
    kt_status status = kt_failed() ? kt_error_status() : no_module(m) || no_module(child) ? KT_ERR_TYPE : KT_OK;
    if (!status)
        status = check_name(m, name, "module");
    if (!status && reaches(child, m))
        status = kt_fail(KT_ERR_VALUE, "a module cannot be a child of itself: %s", name);
    if (!status)
        status = add(m, (kt__entry){.name = (char *)(uintptr_t)name, .kind = KT__CHILD, .child = child});
    if (status)
        kt_module_drop(child);
    return status;
}

/* The entry with that path. */
static const kt__entry *look_up(const kt_module *m, const char *path)
{
    const kt__entry *e = NULL;
    while (m && path) {
        const char *dot = strchr(path, '.');
        e = find(m, path, dot ? (size_t)(dot - path) : strlen(path));
        m = e ? e->child : NULL;
        path = dot ? dot + 1 : NULL;
    }
    return path ? NULL : e;
}

kt_tensor *kt_module_tensor(const kt_module *m, const char *path)
{
    const kt__entry *e = look_up(m, path);
    return e ? e->tensor : NULL;
}

kt_module *kt_module_child(const kt_module *m, const char *path)
{
    const kt__entry *e = look_up(m, path);
    return e ? e->child : NULL;
}

int64_t kt_module_n_children(const kt_module *m)
{
    int64_t n = 0;
    for (int64_t i = 0; m && i < m->n; i++)
        n += m->entry[i].kind == KT__CHILD;
    return n;
}

/* ---- walks ---- */

typedef struct walk {
    unsigned           which;
    kt__place_visit   *visit;
    void              *context;
    const kt_tensor  **seen;
    int64_t            n, room;
    char               path[KT__PATH_ROOM];
} walk;

static bool is_wanted(const kt__entry *e, unsigned which)
{
    if (e->kind == KT__PARAMETER)
        return which & KT_PARAMETERS;
    return e->kind == KT__BUFFER && which & KT_BUFFERS && (e->saved || which & KT_NOT_SAVED);
}

static kt_status note(walk *w, const kt_tensor *t, bool *known)
{
    for (int64_t i = 0; i < w->n; i++)
        if (w->seen[i] == t) {
            *known = true;
            return KT_OK;
        }
    *known = false;
    if (w->n == w->room) {
        const int64_t     room = w->room ? 2 * w->room : 64;
        const kt_tensor **more = realloc(w->seen, (size_t)room * sizeof *more);
        if (!more)
            return kt_fail(KT_ERR_MEMORY, "no memory for a walk over a module");
        w->seen = more;
        w->room = room;
    }
    w->seen[w->n++] = t;
    return KT_OK;
}

/* Tensors come before children, as in PyTorch. */
static kt_status walk_below(walk *w, const kt_module *m, size_t length, bool pinned)
{
    kt_status status = KT_OK;
    pinned |= m->pinned;
    for (int pass = 0; pass < 2 && !status; pass++)
        for (int64_t i = 0; i < m->n && !status; i++) {
            const kt__entry *e = &m->entry[i];
            const size_t     bytes = strlen(e->name);
            if ((e->kind == KT__CHILD) != pass || (!pass && !is_wanted(e, w->which)))
                continue;
            if (length + bytes + 2 > sizeof w->path)
                return kt_fail(KT_ERR_VALUE, "the path of a part of a module has more than %d bytes", KT__PATH_ROOM - 1);
            memcpy(w->path + length, e->name, bytes + 1);
            if (e->kind == KT__CHILD) {
                memcpy(w->path + length + bytes, ".", 2);
                status = walk_below(w, e->child, length + bytes + 1, pinned);
                continue;
            }
            bool known = false;
            status = note(w, e->tensor, &known);
            if (!status && !known)
                status = w->visit(&(kt__place){w->path, e->tensor, pinned}, w->context);
        }
    return status;
}

kt_status kt__module_places(const kt_module *m, unsigned which, kt__place_visit *visit, void *context)
{
    if (no_module(m))
        return kt_error_status();
    walk            w = {.which = which, .visit = visit, .context = context};
    const kt_status status = walk_below(&w, m, 0, false);
    free(w.seen);
    return status;
}

typedef struct plain_visit {
    kt_module_visit *visit;
    void            *context;
} plain_visit;

static kt_status pass_on(const kt__place *place, void *context)
{
    const plain_visit *p = context;
    return p->visit(place->path, place->tensor, p->context);
}

kt_status kt_module_each(const kt_module *m, unsigned which, kt_module_visit *visit, void *context)
{
    if (!visit)
        return kt_fail(KT_ERR_TYPE, "expected a function, got NULL");
    return kt__module_places(m, which, pass_on, &(plain_visit){visit, context});
}

typedef struct listing {
    kt_tensor **out;
    int64_t     n, room;
} listing;

static kt_status list_one(const kt__place *place, void *context)
{
    listing *l = context;
    if (l->out && l->n < l->room)
        l->out[l->n] = place->tensor;
    l->n++;
    return KT_OK;
}

int64_t kt_module_parameters(const kt_module *m, kt_tensor **out, int64_t room)
{
    listing l = {out, 0, room};
    return kt__module_places(m, KT_PARAMETERS, list_one, &l) ? 0 : l.n;
}

/* ---- modes ---- */

void kt_module_train(kt_module *m, bool training)
{
    if (!m)
        return;
    m->training = training;
    for (int64_t i = 0; i < m->n; i++)
        kt_module_train(m->entry[i].child, training);
}

bool kt_module_is_training(const kt_module *m) { return m && m->training; }

typedef struct pinning {
    bool     pinned, differ;
    kt_dtype dtype; /* of the floats so far */
} pinning;

static kt_status pin_place(const kt__place *place, void *context)
{
    pinning       *p = context;
    const kt_dtype dtype = kt_dtype_of(place->tensor);
    kt_pin_dtype(place->tensor, p->pinned);
    if (kt_dtype_category(dtype) & KT_CAT_FLOAT) {
        p->differ |= p->dtype && p->dtype != dtype;
        p->dtype = dtype;
    }
    return KT_OK;
}

void kt_module_pin_dtype(kt_module *m, bool pinned)
{
    pinning p = {.pinned = pinned};
    if (!m)
        return;
    kt__module_places(m, KT_PARAMETERS | KT_BUFFERS | KT_NOT_SAVED, pin_place, &p);
    m->pinned = pinned;
    m->pinned_to = pinned && !p.differ ? p.dtype : KT_NONE;
}

static kt_status forget_gradient(const kt__place *place, void *unused)
{
    (void)unused;
    kt_set_grad(place->tensor, NULL);
    return KT_OK;
}

void kt_module_zero_grad(kt_module *m)
{
    if (m)
        kt__module_places(m, KT_PARAMETERS, forget_gradient, NULL);
}
