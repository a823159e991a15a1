/* scope.c - scopes drop what they own, in order, once, however the block is left. Items are plain numbers here. */
#include "harness.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/scope.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST = 64 };

static _Thread_local intptr_t dropped[MOST];
static _Thread_local int      drops;
static _Thread_local void   (*during_drop)(intptr_t id);

static void drop(kt_tensor *t)
{
    const intptr_t id = (intptr_t)t;
    dropped[drops++ % MOST] = id;
    if (during_drop)
        during_drop(id);
}

static kt_tensor *item(intptr_t id)
{
    return (kt_tensor *)id;
}

static void begin(void)
{
    kt__scope_set_drop(drop);
    drops = 0;
    during_drop = NULL;
}

#define CHECK_DROPS(...)                                                        \
    do {                                                                        \
        const intptr_t want[] = {__VA_ARGS__};                                  \
        if (CHECK_EQ_INT(drops, (int)(sizeof want / sizeof want[0])))           \
            CHECK_MEM(dropped, want, sizeof want);                              \
        drops = 0;                                                              \
    } while (0)

TEST(no_scope_is_an_error_that_says_what_to_do)
{
    begin();
    CHECK_FAILS(kt__scope_add(item(1)), KT_ERR_RUNTIME, "no scope is open: ");
    kt__scope_add(item(1));
    CHECK(strstr(kt_error(), "KT_SCOPE") != NULL);
    kt_clear();
    {
        KT_SCOPE;
        CHECK_EQ_INT(kt__scope_add(item(2)), KT_OK);
    }
    CHECK_DROPS(2);
    CHECK_FAILS(kt__scope_add(item(1)), KT_ERR_RUNTIME, "no scope is open: ");
    CHECK_EQ_INT(drops, 0); /* a refused item is still the caller's */
}

TEST(the_block_drops_last_come_first)
{
    begin();
    {
        KT_SCOPE;
        kt__scope_add(item(1));
        {
            KT_SCOPE;
            kt__scope_add(item(2));
            kt__scope_add(item(3));
        }
        CHECK_DROPS(3, 2);
        kt__scope_add(item(4));
        {
            KT_SCOPE; /* an empty one */
        }
        CHECK_EQ_INT(drops, 0);
    }
    CHECK_DROPS(4, 1);
}

static int leave_early(int how)
{
    KT_SCOPE;
    kt__scope_add(item(10));
    for (int i = 0; i < 3; i++) {
        KT_SCOPE;
        kt__scope_add(item(20 + i));
        if (how == 0)
            return i;
        if (how == 1)
            break;
        if (how == 2)
            continue;
        kt__scope_add(item(30 + i));
    }
    return 7;
}

TEST(return_break_and_continue_close)
{
    begin();
    CHECK_EQ_INT(leave_early(0), 0);
    CHECK_DROPS(20, 10);
    CHECK_EQ_INT(leave_early(1), 7);
    CHECK_DROPS(20, 10);
    CHECK_EQ_INT(leave_early(2), 7);
    CHECK_DROPS(20, 21, 22, 10);
    CHECK_EQ_INT(leave_early(3), 7);
    CHECK_DROPS(30, 20, 31, 21, 32, 22, 10);
}

static kt_tensor *middle(int depth)
{
    KT_SCOPE;
    kt__scope_add(item(100 + depth));
    kt_tensor *result = depth ? middle(depth - 1) : item(5);
    if (!depth)
        kt__scope_add(result);
    kt__scope_add(item(200 + depth));
    return kt_escape(result);
}

TEST(escape_chains_carry_a_result_out)
{
    begin();
    {
        KT_SCOPE;
        kt__scope_add(item(1));
        CHECK(middle(2) == item(5));
        CHECK_DROPS(200, 100, 201, 101, 202, 102);
        kt__scope_add(item(2));
    }
    CHECK_DROPS(2, 5, 1);
}

TEST(several_escape_in_turn)
{
    begin();
    {
        KT_SCOPE;
        {
            KT_SCOPE;
            for (intptr_t i = 1; i <= 4; i++)
                kt__scope_add(item(i));
            CHECK(kt_escape(item(3)) == item(3));
            CHECK(kt_escape(item(1)) == item(1));
        }
        CHECK_EQ_INT(drops, 2);
        CHECK((dropped[0] == 2 && dropped[1] == 4) || (dropped[0] == 4 && dropped[1] == 2));
        drops = 0;
    }
    CHECK_DROPS(1, 3);
}

TEST(escape_refuses_what_it_cannot_do)
{
    begin();
    CHECK(kt_escape(NULL) == NULL && !kt_failed());
    CHECK_FAILS(CHECK(kt_escape(item(1)) == NULL), KT_ERR_RUNTIME, "kt_escape: no scope is open");
    {
        KT_SCOPE;
        kt__scope_add(item(1));
        CHECK_FAILS(kt_escape(item(1)), KT_ERR_RUNTIME, "kt_escape: no scope encloses");
        {
            KT_SCOPE;
            kt__scope_add(item(2));
            CHECK_FAILS(kt_escape(item(1)), KT_ERR_RUNTIME, "kt_escape: the tensor does not belong");
            CHECK(kt_escape(item(2)) == item(2));
            CHECK_FAILS(kt_escape(item(2)), KT_ERR_RUNTIME, "kt_escape: the tensor does not belong");
        }
        CHECK_EQ_INT(drops, 0);
    }
    CHECK_DROPS(2, 1);
}

TEST(a_pending_error_does_not_stop_releasing)
{
    begin();
    {
        KT_SCOPE;
        {
            KT_SCOPE;
            kt__scope_add(item(1));
            kt__scope_add(item(2));
            kt_fail(KT_ERR_VALUE, "meanwhile");
            CHECK(kt_escape(item(2)) == item(2));
        }
        CHECK_DROPS(1);
    }
    CHECK_DROPS(2);
    CHECK_STR(kt_error(), "meanwhile");
    kt_clear();
}

TEST(guards_closed_out_of_order)
{
    begin();
    kt_guard a = kt_scope_open();
    kt__scope_add(item(1));
    kt_guard b = kt_scope_open();
    kt__scope_add(item(2));
    kt_guard c = kt_scope_open(), again = b;
    kt__scope_add(item(3));
    kt_scope_close(&b); /* closes c too */
    CHECK_DROPS(3, 2);
    kt_scope_close(&c);
    kt_scope_close(&again);
    kt_scope_close(&b);
    CHECK_EQ_INT(drops, 0);
    kt_guard d = kt_scope_open(); /* takes the place of b, but is not b */
    kt__scope_add(item(4));
    kt_scope_close(&b);
    CHECK_EQ_INT(drops, 0);
    kt_scope_close(&a);
    CHECK_DROPS(4, 1);
    kt_scope_close(&d);
    kt_guard none = {0};
    kt_scope_close(&none);
    CHECK_EQ_INT(drops, 0);
}

static kt_guard to_close;

static void reenter(intptr_t id)
{
    if (id == 1) { /* a hook that works with tensors of its own */
        KT_SCOPE;
        kt__scope_add(item(50));
        kt__scope_add(item(51));
    } else if (id == 2) { /* one that gives to the scope being closed */
        kt__scope_add(item(60));
    } else if (id == 3) { /* one that closes it */
        kt_scope_close(&to_close);
    } else if (id == 4) { /* one that goes so deep that the arrays move */
        kt_guard guards[200];
        for (int i = 0; i < 200; i++) {
            guards[i] = kt_scope_open();
            for (int j = 0; j < 40; j++)
                kt__scope_add(item(70));
        }
        kt_scope_close(&guards[0]);
    }
}

TEST(a_drop_may_use_scopes)
{
    begin();
    during_drop = reenter;
    {
        KT_SCOPE;
        kt__scope_add(item(9));
        kt__scope_add(item(1));
        kt__scope_add(item(2));
    }
    CHECK_DROPS(2, 60, 1, 51, 50, 9);
    kt_guard outer = kt_scope_open();
    kt__scope_add(item(8));
    to_close = kt_scope_open();
    kt__scope_add(item(9));
    kt__scope_add(item(3));
    kt_guard same = to_close;
    kt_scope_close(&same);
    CHECK_DROPS(3, 9);
    kt_scope_close(&outer);
    CHECK_DROPS(8);
}

static void *moving(void *unused)
{
    begin();
    during_drop = reenter;
    {
        KT_SCOPE;
        kt__scope_add(item(9));
        {
            KT_SCOPE;
            kt__scope_add(item(8));
            kt__scope_add(item(4));
        }
        CHECK_EQ_INT(drops, 200 * 40 + 2);
        CHECK_EQ_INT(dropped[(drops - 1) % MOST], 8);
    }
    CHECK_EQ_INT(drops, 200 * 40 + 3);
    CHECK_EQ_INT(dropped[(drops - 1) % MOST], 9);
    return unused;
}

TEST(arrays_may_move_during_a_drop) /* on a thread of its own: arrays that have grown stay large */
{
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, moving, NULL) == 0);
    pthread_join(thread, NULL);
}

TEST(many_scopes_and_many_items)
{
    enum { DEPTH = 1000, EACH = 50 };
    begin();
    kt_guard guards[DEPTH];
    for (int i = 0; i < DEPTH; i++) {
        guards[i] = kt_scope_open();
        for (int j = 0; j < EACH; j++)
            kt__scope_add(item(1 + i * EACH + j));
    }
    for (int i = DEPTH - 1; i >= 0; i--) {
        kt_scope_close(&guards[i]);
        if (!CHECK_EQ_INT(dropped[(drops - 1) % MOST], 1 + i * EACH))
            break;
    }
    CHECK_EQ_INT(drops, DEPTH * EACH);
}

static void *without_memory(void *unused)
{
    int owned;
    begin();
    kt_memory_fail_after(0);
    kt_guard guard = kt_scope_open();
    CHECK_FAILS((void)0, KT_ERR_MEMORY, "no memory to open a scope");
    kt_scope_close(&guard);
    {
        KT_SCOPE;
        kt_memory_fail_after(0);
        CHECK_FAILS(kt__scope_add(item(1)), KT_ERR_MEMORY, "no memory for a scope of 1 tensors");
        CHECK_EQ_INT(kt__scope_add(item(2)), KT_OK);
        int held = 1;
        while (kt__scopes.next != kt__scopes.end) {
            kt__scope_add(item(3));
            held++;
        }
        kt_memory_fail_after(0);
        CHECK_FAILS(kt__scope_add(item(4)), KT_ERR_MEMORY, "no memory for a scope of");
        CHECK_EQ_INT(kt__scope_add(item(5)), KT_OK);
        CHECK_EQ_INT(drops, 0);
        owned = held + 1;
    }
    CHECK_EQ_INT(drops, owned);
    return unused;
}

TEST(lack_of_memory_is_an_error)
{
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, without_memory, NULL) == 0);
    pthread_join(thread, NULL);
    kt_memory_fail_after(-1);
}

static int drops_at_exit;

static void count_at_exit(kt_tensor *t)
{
    (void)t;
    drops_at_exit++;
}

static void *leave_open(void *guard_of_main)
{
    kt_guard guard = *(kt_guard *)guard_of_main;
    kt_scope_open();
    kt__scope_add(item(1));
    kt_scope_open();
    kt__scope_add(item(2));
    kt_scope_close(&guard); /* another thread's: nothing here has its token */
    return NULL;
}

TEST(the_end_of_a_thread_closes_its_scopes)
{
    begin();
    kt__scope_set_drop(count_at_exit);
    drops_at_exit = 0;
    KT_SCOPE;
    kt_guard  guard = kt_scope_open();
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, leave_open, &guard) == 0);
    pthread_join(thread, NULL);
    CHECK_EQ_INT(drops_at_exit, 2);
    kt_scope_close(&guard);
}
