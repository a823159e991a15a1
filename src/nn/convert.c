/* convert.c - dtypes and devices of a module's tensors, and loading their values.
 *
 * In: a module, a dtype or device, a state. Out: the same tensors with other data. Independent of: layers, calls.
 *
 * A parameter stays the same tensor (kt_set_data): optimizers and views of the program keep theirs. */
#include "base/str.h"
#include "nn/module.h"

#include <karat/grad.h>
#include <karat/lineage.h>
#include <karat/mode.h>
#include <karat/ops.h>
#include <karat/plugin/call.h>
#include <string.h>

typedef struct target {
    kt_dtype    dtype; /* KT_NONE: it stays */
    kt_device   device;
    bool        moves;
    const char *who;
} target;

/* Owned by the scope; the tensor itself where nothing changes. */
static kt_tensor *converted(kt_tensor *t, const kt__place *place, const target *to)
{
    kt_tensor *new = t;
    if (to->moves)
        new = kt_to(t, .device = to->device);
    const bool pinned = place->pinned || kt_has_pinned_dtype(place->tensor);
    const bool casts = to->dtype && !pinned && kt_dtype_category(kt_dtype_of(t)) & (KT_CAT_FLOAT | KT_CAT_COMPLEX);
    if (new && casts && kt_dtype_of(t) != to->dtype) {
        char    text[KT__PATH_ROOM + 64];
        kt__str s = kt__str_in(text, sizeof text);
        kt__str_addf(&s, "%s of %s", to->who, place->path);
        new = kt_to(new, .dtype = to->dtype);
        kt_lineage_say(new, text);
    }
    return new;
}

static kt_status convert_place(const kt__place *place, void *context)
{
    KT_SCOPE;
    KT_NO_GRAD;
    kt_tensor *t = place->tensor, *grad = kt_grad(t);
    kt_tensor *new = converted(t, place, context), *new_grad = grad ? converted(grad, place, context) : NULL;
    if (!new || (grad && !new_grad))
        return kt_error_status();
    if (new != t && kt_set_data(t, new))
        return kt_error_status();
    return grad && new_grad != grad ? kt_set_grad(t, new_grad) : KT_OK;
}

kt_status kt_module_to_dtype(kt_module *m, kt_dtype dtype)
{
    if (!(kt_dtype_category(dtype) & (KT_CAT_FLOAT | KT_CAT_COMPLEX)))
        return kt_fail(KT_ERR_TYPE, "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=%s",
                       kt_dtype_name(dtype));
    target to = {.dtype = dtype, .who = "kt_module_to_dtype"};
    return kt__module_places(m, KT_PARAMETERS | KT_BUFFERS | KT_NOT_SAVED, convert_place, &to);
}

kt_status kt_module_to_device(kt_module *m, kt_device device)
{
    target to = {.device = device, .moves = true, .who = "kt_module_to_device"};
    return kt__module_places(m, KT_PARAMETERS | KT_BUFFERS | KT_NOT_SAVED, convert_place, &to);
}

/* ---- loading ---- */

enum { WORDS_ROOM = 1600 };

typedef struct loading {
    const kt_named *state;
    int64_t         n, n_used;
    char            missing[WORDS_ROOM], sizes[WORDS_ROOM];
    kt__str         missing_words, size_words;
} loading;

static const kt_named *find(const loading *l, const char *path)
{
    for (int64_t i = 0; i < l->n; i++)
        if (l->state[i].path && !strcmp(l->state[i].path, path))
            return &l->state[i];
    return NULL;
}

static bool same_sizes(kt_shape a, kt_shape b)
{
    return a.n == b.n && !memcmp(a.d, b.d, (size_t)a.n * sizeof *a.d);
}

static kt_status check_place(const kt__place *place, void *context)
{
    loading        *l = context;
    const kt_named *given = find(l, place->path);
    if (!given) {
        kt__str_addf(&l->missing_words, "%s\"%s\"", l->missing_words.length ? ", " : "", place->path);
        return KT_OK;
    }
    l->n_used++;
    if (!given->tensor)
        return kt_fail(KT_ERR_TYPE, "the tensor of \"%s\" is NULL", place->path);
    const kt_shape mine = kt_sizes(place->tensor), its = kt_sizes(given->tensor);
    if (!same_sizes(mine, its)) {
        kt__str_addf(&l->size_words, "\n\tsize mismatch for %s: copying a param with shape torch.Size(", place->path);
        kt__str_dims(&l->size_words, its.d, (int)its.n);
        kt__str_add(&l->size_words, ") from checkpoint, the shape in current model is torch.Size(");
        kt__str_dims(&l->size_words, mine.d, (int)mine.n);
        kt__str_add(&l->size_words, ").");
    }
    return KT_OK;
}

static kt_status load_place(const kt__place *place, void *context)
{
    const kt_named *given = find(context, place->path);
    KT_SCOPE;
    KT_NO_GRAD;
    return given ? kt_copy_why(place->tensor, given->tensor, KT_WHY_LOADING) : KT_OK;
}

static bool is_known(const kt_module *m, const char *path)
{
    return path && kt_module_tensor(m, path);
}

kt_status kt_module_load(kt_module *m, const kt_named *state, int64_t n, bool strict)
{
    if (kt_failed())
        return kt_error_status();
    if (n < 0 || n > KT__MOST_ENTRIES || (n && !state))
        return kt_fail(KT_ERR_VALUE, "a state has a pointer and a number of entries");
    loading l = {.state = state, .n = n};
    l.missing_words = kt__str_in(l.missing, sizeof l.missing);
    l.size_words = kt__str_in(l.sizes, sizeof l.sizes);
    if (kt__module_places(m, KT_PARAMETERS | KT_BUFFERS, check_place, &l))
        return kt_error_status();
    char    unknown[WORDS_ROOM];
    kt__str u = kt__str_in(unknown, sizeof unknown);
    for (int64_t i = 0; i < n; i++)
        if (!is_known(m, state[i].path))
            kt__str_addf(&u, "%s\"%s\"", u.length ? ", " : "", state[i].path ? state[i].path : "");
    const bool lacks = strict && *l.missing, has_more = strict && *unknown;
    if (lacks || has_more || *l.sizes)
        return kt_fail(KT_ERR_RUNTIME, "Error(s) in loading state_dict for %s:%s%s%s%s%s%s%s", kt_module_name(m),
                       lacks ? "\n\tMissing key(s) in state_dict: " : "", lacks ? l.missing : "", lacks ? ". " : "",
                       has_more ? "\n\tUnexpected key(s) in state_dict: " : "", has_more ? unknown : "",
                       has_more ? ". " : "", l.sizes);
    return kt__module_places(m, KT_PARAMETERS | KT_BUFFERS, load_place, &l);
}
