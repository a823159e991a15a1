/* shown.c - watchers of calls: what they see, and results that they give in place of running an operator. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <string.h>

typedef struct seen {
    const char *gives; /* the row that is not run */
    kt_tensor  *kept;  /* what it gives then */
    int         begun, ended;
    char        last[32];
    bool        fails;
} seen;

static kt_status see(kt_call *call, kt_call_moment moment, bool *given, void *context)
{
    seen *s = context;
    if (s->fails)
        return kt_fail(KT_ERR_VALUE, "the watcher's own");
    *(moment == KT_CALL_BEGINS ? &s->begun : &s->ended) += 1;
    strncpy(s->last, kt_row_name(call->row), sizeof s->last - 1);
    if (moment == KT_CALL_BEGINS && s->gives && strcmp(s->gives, s->last) == 0) {
        call->out[0] = kt_keep(s->kept);
        *given = true;
    }
    return KT_OK;
}

static kt_tensor *leaf(double value)
{
    kt_tensor *x = kt_full(KT_SHAPE(3), KT_FLOAT(value));
    kt_set_requires_grad(x, true);
    return x;
}

TEST(operators_are_seen_before_and_after)
{
    KT_SCOPE;
    seen       s = {0};
    kt_tensor *x = leaf(2.0);
    CHECK(kt_call_watch_push(see, &s) == KT_OK);
    kt_mul(kt_sin(x), x);
    CHECK_EQ_INT(s.begun, 2);
    CHECK_EQ_INT(s.ended, 2);
    CHECK_STR(s.last, "mul");
    kt_set_grad_enabled(false);
    kt_sin(x); /* below the tape nothing is shown */
    CHECK_EQ_INT(s.begun, 2);
    kt_set_grad_enabled(true);
    CHECK(kt_call_watch_pop() == &s);
    kt_sin(x);
    CHECK_EQ_INT(s.begun, 2);
    CHECK(kt_call_watch_pop() == NULL);
}

TEST(what_is_given_has_the_history_of_the_call)
{
    KT_SCOPE;
    kt_tensor *x = leaf(0.0);
    seen       s = {.gives = "sin", .kept = kt_full(KT_SHAPE(3), KT_FLOAT(7.0))};
    CHECK(kt_call_watch_push(see, &s) == KT_OK);
    kt_tensor *y = kt_sin(x);
    kt_call_watch_pop();
    CHECK_EQ_INT(kt_item(kt_select(y, 0, 0)), 7);
    CHECK(kt_backward(kt_sum(y)) == KT_OK);
    CHECK_EQ_INT(kt_item(kt_select(kt_grad(x), 0, 0)), 1); /* cos(0) */
}

TEST(the_last_watcher_comes_first_and_errors_end_the_call)
{
    KT_SCOPE;
    kt_tensor *x = leaf(0.0);
    seen       outer = {0}, inner = {.gives = "sin", .kept = kt_full(KT_SHAPE(3), KT_FLOAT(7.0))};
    CHECK(kt_call_watch_push(see, &outer) == KT_OK);
    CHECK(kt_call_watch_push(see, &inner) == KT_OK);
    kt_sin(x);
    CHECK(outer.begun == 0 && inner.begun == 1 && inner.ended == 1);
    kt_cos(x);
    CHECK(outer.begun == 1 && outer.ended == 1 && inner.begun == 2);
    inner.fails = true;
    CHECK_FAILS(kt_cos(x), KT_ERR_VALUE, "the watcher's own");
    kt_call_watch_pop();
    kt_call_watch_pop();
    CHECK(kt_cos(x) != NULL);
    CHECK(kt_call_watch_push(NULL, NULL) != KT_OK);
    kt_clear();
}
