/* call.c - the call of a module: hooks before, forward, hooks after, with what backward.c puts around it; an operator's error
 * names the layer.
 *
 * In: a module and its inputs. Out: its result. Independent of: what a layer computes, how trees are kept.
 *
 * The calls that run on a thread are a chain of frames on the stack. The innermost call that fails names itself: the path is
 * what leads from each module of the chain to the next, looked for only then. */
#include "base/str.h"
#include "nn/module.h"

#include <karat/autocast.h>
#include <stdlib.h>
#include <string.h>

typedef struct frame {
    const kt_module    *module;
    const struct frame *outer;
} frame;

static _Thread_local const frame *innermost;
static _Thread_local bool         named; /* has the pending error named its layer? */

/* Appends the path from `from` to `to` to the text; false: it is not below. */
static bool add_path(kt__str *s, const kt_module *from, const kt_module *to)
{
    for (int64_t i = 0; i < from->n; i++) {
        const kt__entry *e = &from->entry[i];
        const size_t     before = s->length;
        if (!e->child)
            continue;
        kt__str_addf(s, "%s%s", s->length ? "." : "", e->name);
        if (e->child == to || add_path(s, e->child, to))
            return true;
        s->length = before;
        s->text[before] = 0;
    }
    return false;
}

static void add_chain(kt__str *s, const frame *f)
{
    if (!f->outer)
        return;
    add_chain(s, f->outer);
    if (f->outer->module != f->module && !add_path(s, f->outer->module, f->module)) {
        s->length = 0; /* it is called from there, and not part of it: the path begins here */
        s->text[0] = 0;
    }
}

static void name_layer(void)
{
    char    path[KT__PATH_ROOM], about[256] = "";
    kt__str s = kt__str_in(path, sizeof path);
    add_chain(&s, innermost);
    const kt_module *m = innermost->module;
    if (m->type->describe)
        m->type->describe(m, about, sizeof about);
    if (*path)
        kt_fail_more("\n  in \"%s\", %s(%s)", path, m->type->name, about);
    else
        kt_fail_more("\n  in %s", m->type->name);
    named = true;
}

static kt_collecting enter(kt_module *m, int phase)
{
    return kt_collect(KT_COLLECT_MODULE, (kt_collecting){&m->conversions, phase});
}

static kt_tensor *run(kt_module *m, kt_tensor *const *in, int n)
{
    kt_tensor *input[KT_MODULE_INPUTS] = {NULL};
    memcpy(input, in, (size_t)n * sizeof *in);
    for (int64_t i = 0; i < m->n_hooks; i++)
        if (m->hook[i].before && n) {
            kt_tensor *changed = m->hook[i].before(m, input[0], m->hook[i].context);
            if (kt_failed())
                return NULL;
            input[0] = changed ? changed : input[0];
        }
    kt__watch *watch = NULL;
    if (kt__watch_inputs(m, input, n, &watch))
        return NULL;
    enter(m, KT_PHASE_FORWARD);
    kt_tensor *result = m->type->forward(m, input, n);
    enter(m, KT_PHASE_AFTER);
    for (int64_t i = 0; i < m->n_hooks && result; i++)
        if (m->hook[i].after) {
            kt_tensor *changed = m->hook[i].after(m, n ? input[0] : NULL, result, m->hook[i].context);
            result = kt_failed() ? NULL : changed ? changed : result;
        }
    return kt__watch_output(watch, result);
}

kt_tensor *kt_module_call_all(kt_module *m, kt_tensor *const *in, int n_in)
{
    if (kt_failed())
        return NULL;
    if (!m || n_in < 0 || n_in > KT_MODULE_INPUTS || (n_in && !in)) {
        kt_fail(m ? KT_ERR_VALUE : KT_ERR_TYPE, m ? "a module takes 0 to %d inputs, not %d" : "expected a module, got NULL",
                KT_MODULE_INPUTS, n_in);
        return NULL;
    }
    for (int i = 0; i < n_in; i++)
        if (!in[i]) {
            kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
            return NULL;
        }
    const frame here = {m, innermost};
    named = here.outer ? named : false;
    innermost = &here;
    const kt_collecting collecting = enter(m, KT_PHASE_BEFORE);
    kt_mode_guard       before;
    const bool          changes = m->pinned_to && kt_autocast_is_on();
    if (changes)
        before = kt_autocast_lower_to(m->pinned_to);
    kt_tensor *result = run(m, in, n_in);
    if (changes)
        kt_mode_close(&before);
    kt_collect(KT_COLLECT_MODULE, collecting);
    if (!result && kt_failed() && !named)
        name_layer();
    innermost = here.outer;
    return result;
}

const kt_conversions *kt_module_conversions(const kt_module *m) { return m ? m->conversions : NULL; }

kt_tensor *kt_module_call(kt_module *m, kt_tensor *x)
{
    return kt_module_call_all(m, &x, 1);
}

kt_status kt__add_hook(kt_module *m, kt__module_hook new)
{
    if (!m || !(new.before || new.after || new.before_backward || new.after_backward))
        return kt_fail(KT_ERR_TYPE, m ? "expected a function, got NULL" : "expected a module, got NULL");
    if (m->n_hooks == m->hook_room) {
        const int64_t    room = m->hook_room ? 2 * m->hook_room : 2;
        kt__module_hook *more = realloc(m->hook, (size_t)room * sizeof *more);
        if (!more)
            return kt_fail(KT_ERR_MEMORY, "no memory for a hook");
        m->hook = more;
        m->hook_room = room;
    }
    m->hook[m->n_hooks++] = new;
    return KT_OK;
}

static bool is_removed(const kt__module_hook *h)
{
    return !(h->before || h->after || h->before_backward || h->after_backward);
}

/* A removed hook keeps its place until all behind it are removed: a hook that runs may remove itself. */
int64_t kt_module_remove_hooks(kt_module *m, const void *context)
{
    int64_t removed = 0;
    if (!m) {
        kt_fail(KT_ERR_TYPE, "expected a module, got NULL");
        return -1;
    }
    for (int64_t i = 0; i < m->n_hooks; i++)
        if (m->hook[i].context == context && !is_removed(&m->hook[i])) {
            m->hook[i] = (kt__module_hook){0};
            removed++;
        }
    while (m->n_hooks && is_removed(&m->hook[m->n_hooks - 1]))
        m->n_hooks--;
    return removed;
}

kt_status kt_module_before(kt_module *m, kt_before_call *hook, void *context)
{
    return kt__add_hook(m, (kt__module_hook){.before = hook, .context = context});
}

kt_status kt_module_after(kt_module *m, kt_after_call *hook, void *context)
{
    return kt__add_hook(m, (kt__module_hook){.after = hook, .context = context});
}
