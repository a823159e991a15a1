/* seen.h - what a watcher was told: every plan since watch(), for a test to look at.
 *
 * In: plans of every thread. Out: `all`, each with its text. What holds of every plan is checked by check_plan. */
#ifndef KT_TEST_SEEN_H
#define KT_TEST_SEEN_H

#include "harness.h"

#include <karat/plugin/call.h>
#include <karat/plugin/watch.h>

#include "support/plan_text.h"
#include "tables/kernels/all.h"

enum { MOST = 4096 };

typedef struct seen {
    const kt_row *row;
    uint32_t      site;
    uint16_t      kernel;
    uint8_t       n_out, n_in, device, from;
    bool          drawn;
    kt_operand    arg[KT_MAX_OPERANDS];
    char          text[256];
} seen;

static seen all[MOST];
static int  n_seen, n_after;

static void before(const kt_plan *plan, void *context)
{
    (void)context;
    if (n_seen == MOST)
        return;
    seen *s = &all[n_seen++];
    *s = (seen){plan->row, plan->site, plan->kernel, plan->n_out, plan->n_in, plan->device_kind, plan->from_kind,
                plan->generator != NULL, {{0}}, ""};
    memcpy(s->arg, plan->arg, (size_t)(plan->n_out + plan->n_in) * sizeof *s->arg);
    plan_text(plan, s->text, sizeof s->text);
}

static void after(const kt_plan *plan, kt_status status, void *context)
{
    (void)plan, (void)status, (void)context;
    n_after++;
}

static const kt_watcher watcher = {.abi = KT_WATCH_ABI, .size = sizeof watcher, .before = before, .after = after};

static inline void watch(void)
{
    n_seen = n_after = 0;
    CHECK_EQ_INT(kt_watch(&watcher), KT_OK);
}

static inline void unwatch(void)
{
    CHECK_EQ_INT(kt_unwatch(&watcher), KT_OK);
    CHECK_EQ_INT(n_after, n_seen);
}

static inline const char *name_of(const seen *s) { return s->row ? kt_row_name(s->row) : "no row"; }

/* What holds of every plan. */
static inline bool check_plan(const seen *s)
{
    bool good = CHECK_MSG(s->row != NULL, "no row: %s", s->text);
    for (int i = 0; i < s->n_out + s->n_in; i++) {
        const kt_operand *o = &s->arg[i];
        const bool        says = o->why != KT_WHY_NONE && o->why < KT_BORN;
        good &= CHECK_MSG((o->is != o->as) == says, "operand %d: %s (%s)", i, s->text, kt_reason_name((kt_reason)o->why));
        if (i < s->n_out)
            good &= CHECK_MSG(o->is == o->as || o->why == KT_WHY_RESULT, "output %d: %s", i, s->text);
    }
    if (s->kernel == KT_K_copy)
        good &= CHECK_MSG(s->arg[1].as == s->arg[0].is, "a copy: %s", s->text);
    const bool draws = KT__FAMILY_OF(s->kernel) == KT_FAMILY_random || s->kernel == KT_K_attention_draws;
    good &= CHECK_MSG(s->drawn == draws, "a draw: %s", s->text);
    return good;
}

#endif
