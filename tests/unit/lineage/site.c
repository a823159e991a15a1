/* site.c - tests of sites: C's file and line, a binding's code and offset, holding, text, the thread's cache. */
#include "harness.h"
#include "lineage/lineage.h"

#include <karat/lineage.h>
#include <karat/plugin/site.h>

enum { CODES = 64 };
static char      code_object[CODES];   /* addresses that stand for a binding's code objects */
static int       held[CODES];
static uintptr_t now_code;
static int32_t   now_offset;
static bool      in_binding;

static bool now(uintptr_t *code, int32_t *offset)
{
    *code = now_code;
    *offset = now_offset;
    return in_binding;
}

static void hold(uintptr_t code)
{
    held[code - (uintptr_t)code_object]++;
}

static bool locate(uintptr_t code, int32_t offset, char *file, size_t room, int *line)
{
    const int i = (int)(code - (uintptr_t)code_object);
    if (i == CODES - 1) {
        return false; /* this one cannot be found */
    }
    snprintf(file, room, "/srv/app/module%d.py", i);
    *line = 100 + offset / 2;
    return true;
}

static const kt_site_source source = {.abi = KT_SITE_ABI, .size = sizeof source, .now = now, .hold = hold, .locate = locate};

static uint32_t at(int code, int32_t offset)
{
    now_code = (uintptr_t)&code_object[code];
    now_offset = offset;
    in_binding = true;
    const uint32_t id = kt__site_now();
    in_binding = false;
    return id;
}

static const char *text(uint32_t site)
{
    static char buffer[128];
    return kt__site_text(site, buffer, sizeof buffer) ? buffer : "(none)";
}

TEST(a_source_must_fit)
{
    kt_site_source wrong = source;
    wrong.abi = KT_SITE_ABI + 1;
    CHECK_FAILS(kt_site_register(&wrong), KT_ERR_VALUE, "kt_site_register");
    wrong = source;
    wrong.now = NULL;
    CHECK_FAILS(kt_site_register(&wrong), KT_ERR_VALUE, "kt_site_register");
    CHECK_FAILS(kt_site_register(NULL), KT_ERR_VALUE, "kt_site_register");
    CHECK_EQ_INT(kt__site_now(), 0);
    CHECK(!kt__site_in_binding(0));
    CHECK_EQ_INT(kt_site_register(&source), KT_OK);
    CHECK_EQ_INT(kt_site_register(&source), KT_OK);
    static kt_site_source second;
    second = source;
    CHECK_FAILS(kt_site_register(&second), KT_ERR_RUNTIME, "kt_site_register: a source of sites is already registered");
    CHECK(kt__site_in_binding(0));
}

TEST(c_sites)
{
    static const kt_site here = {"src/deep/train.c", 41}, there = {"train.c", 42};
    static const char    copy[] = "train.c";
    const kt_site        same_there = {copy, 42};
    kt_site_set(&here);
    const uint32_t a = kt__site_now();
    kt_site_set(&there);
    const uint32_t b = kt__site_now();
    kt_site_set(&same_there);
    CHECK_EQ_INT(kt__site_now(), b);
    CHECK(a != 0 && b != 0 && a != b);
    CHECK_STR(text(a), "train.c:41");
    CHECK_STR(text(b), "train.c:42");
    CHECK(!kt__site_in_binding(a));
    const char *file = NULL;
    int         line = 0;
    CHECK(kt__site_place(a, &file, &line));
    CHECK_STR(file, "src/deep/train.c");
    CHECK_EQ_INT(line, 41);
    static const kt_site nameless = {NULL, 3};
    kt_site_set(&nameless);
    CHECK_EQ_INT(kt__site_now(), 0);
    kt_site_set(NULL);
    CHECK_EQ_INT(kt__site_now(), 0);
}

TEST(the_site_of_a_thread_is_not_the_struct_but_what_it_says)
{
    static kt_site moving = {"moving.c", 1};
    kt_site_set(&moving);
    const uint32_t a = kt__site_now();
    moving.line = 2;
    const uint32_t b = kt__site_now();
    kt_site_set(NULL);
    CHECK(a != b);
    CHECK_STR(text(b), "moving.c:2");
}

TEST(sites_of_a_binding)
{
    const uint32_t a = at(0, 10), b = at(0, 12), c = at(1, 10);
    CHECK(a != 0 && a != b && b != c && a != c);
    CHECK_EQ_INT(at(0, 10), a);
    CHECK_EQ_INT(at(1, 10), c);
    CHECK_STR(text(a), "module0.py:105");
    CHECK_STR(text(c), "module1.py:105");
    CHECK(kt__site_in_binding(a));
    const char *file;
    int         line;
    CHECK(kt__site_place(b, &file, &line));
    CHECK_STR(file, "/srv/app/module0.py");
    CHECK_EQ_INT(line, 106);
}

TEST(a_c_site_goes_before_the_binding)
{
    static const kt_site c = {"first.c", 7};
    kt_site_set(&c);
    CHECK_STR(text(at(0, 10)), "first.c:7");
    kt_site_set(NULL);
    CHECK_STR(text(at(0, 10)), "module0.py:105");
}

TEST(a_code_is_held_once)
{
    for (int round = 0; round < 3; round++) {
        for (int32_t offset = 0; offset < 5000; offset += 2) { /* far more than the cache holds */
            at(5, offset);
        }
    }
    CHECK_EQ_INT(held[5], 1);
    CHECK_EQ_INT(held[6], 0);
}

TEST(many_sites_keep_their_ids)
{
    static uint32_t ids[40][300];
    for (int i = 0; i < 40; i++) {
        for (int j = 0; j < 300; j++)
            ids[i][j] = at(i, j);
    }
    const uint32_t count = kt__site_count();
    for (int round = 0; round < 20000; round++) {
        const int i = (int)test_below(40), j = (int)test_below(300);
        if (!CHECK_EQ_INT(at(i, j), ids[i][j]))
            return;
    }
    CHECK_EQ_INT(kt__site_count(), count);
    CHECK_EQ_INT(held[39], 1);
}

TEST(what_cannot_be_found_has_no_text)
{
    const uint32_t lost = at(CODES - 1, 4);
    CHECK(lost != 0);
    CHECK_STR(text(lost), "(none)");
    CHECK_STR(text(0), "(none)");
    CHECK_STR(text(UINT32_MAX), "(none)");
    const uint32_t          id = (now_code = (uintptr_t)&code_object[CODES - 1], in_binding = true,
                         kt__lineage_record(KT_BORN, "lost", KT_NONE, KT_F32, 0));
    kt_lineage_record r = {.size = sizeof r};
    in_binding = false;
    CHECK(kt_lineage_read(id, &r));
    CHECK(r.file == NULL && r.line == 0);
    char small[8];
    CHECK(kt__site_text(at(0, 10), small, sizeof small));
    CHECK_STR(small, "module0");
}

TEST(no_memory_means_no_site)
{
    int unknown = 0;
    for (int32_t offset = 100000; offset < 104000; offset++) {
        kt_memory_fail_after(0);
        const uint32_t id = at(2, offset);
        kt_memory_fail_after(-1);
        CHECK(!kt_failed());
        unknown += id == 0;
        if (!CHECK(at(2, offset) != 0))
            return;
    }
    CHECK(unknown > 0);
    CHECK_EQ_INT(held[2], 1);
}
