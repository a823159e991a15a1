/* anomaly.c - looking for what fails in backward: warnings that name the forward call of a node, checks for NaN, and, of a node
 * that was made in backward, the node that made it. Independent of: the order of backward. */
#include <karat/plugin/site.h>

#include "base/warn.h"
#include "call/wrap.h"
#include "grad/hooks.h"

enum { ON = 1, CHECKS_NAN = 2 };
static _Atomic uint8_t bits = CHECKS_NAN;

void kt_set_anomaly(bool on, bool check_nan)
{
    atomic_store_explicit(&bits, (uint8_t)((on ? ON : 0) | (check_nan ? CHECKS_NAN : 0)), memory_order_relaxed);
}

bool kt_anomaly(void) { return kt__anomaly_now().on; }
bool kt_anomaly_checks_nan(void) { return kt__anomaly_now().check_nan; }

kt__anomaly kt__anomaly_now(void)
{
    const uint8_t now = atomic_load_explicit(&bits, memory_order_relaxed);
    return (kt__anomaly){now & ON, now & CHECKS_NAN};
}

/* ---- who made whom ---- */

KT__HOT_LOCAL kt_node *kt__inducer;
KT__HOT_LOCAL bool     kt__records_more;

void kt__induce(kt_node *node)
{
    kt__inducer = node;
    kt__records_more = node || kt__packs;
}

static void drop_parent(void *node) { kt__node_unref(node); }

kt_status kt__note_inducer(kt_node *made)
{
    kt_hook *h = kt__hook_new(HOOK_PARENT, "");
    if (!h)
        return kt_error_status();
    h->context = kt__node_ref(kt__inducer);
    h->release = drop_parent;
    kt__hook_append(&made->hooks, h);
    return KT_OK;
}

/* ---- warnings ---- */

static void warn_of(const kt_node *node, const char *opening, const char *led_to)
{
    int         line = 0;
    const char *file = kt_site_file(node->site, &line);
    if (line)
        kt__warn("%s%s. Traceback of forward call that %s:\n  File \"%s\", line %d\n", opening, kt__node_name(node), led_to, file,
                 line);
    else
        kt__warn("%s%s. No forward pass information available.", opening, kt__node_name(node));
}

void kt__warn_of_anomaly(const kt_node *node)
{
    kt_error_state *failure = kt_error_push();
    warn_of(node, "Error detected in ", "caused the error");
    for (const kt_hook *h = kt__hook_find(node, HOOK_PARENT); h; h = kt__hook_find(h->context, HOOK_PARENT))
        warn_of(h->context, "\n\nPrevious calculation was induced by ", "induced the previous calculation");
    if (failure)
        kt_error_pop(failure);
}

/* ---- NaN ---- */

static kt_status has_nan(kt_tensor *t, bool *found)
{
    kt_tensor *nan = NULL, *any = NULL;
    while (t->flags & KT_T_BATCHED) /* any example */
        t = kt__example_of(t)->value;
    kt_status  status = kt__call1(KT_OP_isnan, t, &nan);
    if (!status)
        status = kt__call1(KT_OP_any, nan, &any);
    if (!status) {
        *found = kt_item(any) != 0;
        status = kt_error_status();
    }
    kt__unref(nan);
    kt__unref(any);
    return status;
}

kt_status kt__check_nan(const kt_node *node, kt_tensor *const *d)
{
    kt_mode_guard off = kt_no_grad_open();
    kt_status     status = KT_OK;
    for (uint32_t i = 0; i < node->n_edges && !status; i++) {
        bool found = false;
        if (!d[i] || d[i]->backend == KT_META || !(kt__dtype_rows[d[i]->dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX)))
            continue;
        status = has_nan(d[i], &found);
        if (!status && found)
            status = kt_fail(KT_ERR_RUNTIME, "Function '%s' returned nan values in its %uth output.", kt__node_name(node), i);
    }
    kt_mode_close(&off);
    return status;
}
