/* Warnings: the handler hears each, those said once only once, nobody where there is none; cut texts stay terminated. */
#include "harness.h"

#include "base/warn.h"

#include <karat/karat.h>

#include <stdio.h>
#include <string.h>

static int  heard;
static char last[4096];

static void listen(const char *text)
{
    heard++;
    snprintf(last, sizeof last, "%s", text);
}

static void say_once(int n) { KT__WARN_ONCE("once %d", n); }

TEST(nobody_hears_before_there_is_a_handler)
{
    kt__warn("%s", "into the void");
    CHECK(heard == 0);
}

TEST(a_handler_hears_texts_in_order)
{
    kt_on_warning(listen);
    kt__warn("shape %s of %d", "[2, 3]", 7);
    CHECK(heard == 1 && strcmp(last, "shape [2, 3] of 7") == 0);
    say_once(1);
    say_once(2);
    CHECK(heard == 2 && strcmp(last, "once 1") == 0);
    kt_set_warn_always(true);
    CHECK(kt_warn_always());
    say_once(3);
    CHECK(heard == 3 && strcmp(last, "once 3") == 0);
    kt_set_warn_always(false);
}

TEST(long_texts_are_cut)
{
    char text[8000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    kt__warn("%s", text);
    CHECK(strlen(last) < 2048 && strcmp(last + strlen(last) - 3, "...") == 0);
}

TEST(operators_warn_through_it)
{
    KT_SCOPE;
    heard = 0;
    kt_tensor *out = kt_zeros(KT_SHAPE(3));
    kt_add_out(out, kt_zeros(KT_SHAPE(2)), kt_ones(KT_SHAPE(2)));
    CHECK(heard == 1 && strncmp(last, "An output with one or more elements was resized since it had shape [3]", 70) == 0);
    kt_on_warning(NULL);
    kt_add_out(out, kt_zeros(KT_SHAPE(4)), kt_ones(KT_SHAPE(4)));
    CHECK(heard == 1 && !kt_failed());
}

TEST(there_are_three_determinisms)
{
    kt_set_deterministic(KT_DETERMINISTIC_WARN);
    for (int i = -1; i <= 3; i += 4) {
        kt_set_deterministic((kt_determinism)i);
        CHECK(kt_failed() && strstr(kt_error(), "there is no determinism") != NULL);
        kt_clear();
        CHECK(kt_deterministic() == KT_DETERMINISTIC_WARN);
    }
    kt_set_deterministic(KT_NOT_ASKED);
    CHECK(!kt_failed() && kt_deterministic() == KT_NOT_ASKED);
}
