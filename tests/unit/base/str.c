/* str.c - the string builder, the environment table, the version, the processor's names. */
#include "harness.h"

#include "base/cpu.h"
#include "base/env.h"
#include "base/str.h"

#include <karat/base.h>

#include <stdlib.h>
#include <unistd.h>

TEST(pieces_are_joined)
{
    char    buf[64];
    kt__str s = kt__str_in(buf, sizeof buf);
    CHECK_STR(buf, "");
    kt__str_add(&s, "size ");
    kt__str_dims(&s, (const int64_t[]){2, -3, INT64_MAX}, 3);
    kt__str_addn(&s, " of many", 3);
    kt__str_addf(&s, " %s%d", "x", 5);
    CHECK_STR(buf, "size [2, -3, 9223372036854775807] of x5");
    CHECK_EQ_INT(s.length, strlen(buf));
    CHECK(!s.cut);
    kt__str e = kt__str_in(buf, sizeof buf);
    kt__str_dims(&e, NULL, 0);
    CHECK_STR(buf, "[]");
}

TEST(every_capacity_and_length_stays_inside)
{
    char buf[40];
    for (size_t capacity = 4; capacity < 32; capacity++) {
        for (int length = 0; length < 36; length++) {
            memset(buf, 7, sizeof buf);
            kt__str s = kt__str_in(buf, capacity);
            kt__str_addf(&s, "%.*s", length / 2, "0123456789abcdefghijklmnopqrstuvwxyz");
            kt__str_addn(&s, "0123456789abcdefghijklmnopqrstuvwxyz", (size_t)(length - length / 2));
            CHECK_EQ_INT(s.length, strlen(buf));
            CHECK_EQ_INT(s.cut, (size_t)length >= capacity);
            CHECK_EQ_INT(s.length, (size_t)length < capacity ? (size_t)length : capacity - 1);
            CHECK_EQ_INT(buf[capacity], 7);
        }
    }
}

TEST(whole_characters)
{
    const char *text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"; /* 1, 2, 3, 4 and 1 bytes */
    const int   want[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
    for (int n = 0; n <= 11; n++)
        CHECK_EQ_INT(kt__str_whole(text, (size_t)n), want[n]);
    CHECK_EQ_INT(kt__str_whole("\x80\x80\x80\x80\x80", 5), 5); /* no text at all: left as it is */
}

TEST(sizes_with_suffixes)
{
    const struct { const char *text; uint64_t want; bool good; } cases[] = {
        {"0", 0, true}, {"17", 17, true}, {"4k", 4096, true}, {"3M", 3u << 20, true}, {"2g", (uint64_t)2 << 30, true},
        {"18446744073709551615", UINT64_MAX, true}, {"18446744073709551616", 0, false}, {"17179869184g", 0, false},
        {"", 0, false}, {"k", 0, false}, {"-1", 0, false}, {"1kb", 0, false}, {" 1", 0, false}, {"1.5g", 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t got = 42;
        CHECK_MSG(kt__env_parse_bytes(cases[i].text, &got) == cases[i].good, "\"%s\"", cases[i].text);
        CHECK_MSG(got == (cases[i].good ? cases[i].want : 42), "\"%s\" gives %llu", cases[i].text, (unsigned long long)got);
    }
}

TEST(the_environment_table)
{
    CHECK(kt_variable_at(6) != NULL && kt_variable_at(-1) == NULL && kt_variable_at(1000) == NULL);
    for (int i = 0; kt_variable_at(i); i++) {
        const kt_variable *row = kt_variable_at(i);
        CHECK(strncmp(row->name, "KARAT_", 6) == 0 && *row->values && *row->meaning);
        CHECK(i == 0 || strcmp(kt_variable_at(i - 1)->name, row->name) < 0);
    }
    setenv("KARAT_POLICY", "", 1);
    CHECK(kt__env("KARAT_POLICY") == NULL);
    setenv("KARAT_POLICY", "strict", 1);
    CHECK_STR(kt__env("KARAT_POLICY"), "strict");
    unsetenv("KARAT_POLICY");
    CHECK(kt__env("KARAT_POLICY") == NULL);
}

TEST(the_version_is_that_of_the_header)
{
    char want[32];
    snprintf(want, sizeof want, "%d.%d.%d", KT_VERSION_MAJOR, KT_VERSION_MINOR, KT_VERSION_PATCH);
    CHECK_STR(kt_version(), want);
}

TEST(builds_this_processor_runs)
{
    CHECK(kt__cpu_has("base"));
    CHECK(!kt__cpu_has("") && !kt__cpu_has("avx") && !kt__cpu_has("AVX2"));
    CHECK(!kt__cpu_has("avx512") || kt__cpu_has("avx2"));
    CHECK(!(kt__cpu_has("avx2") && kt__cpu_has("neon82")));
#if defined(__x86_64__)
    CHECK_EQ_INT(kt__cpu_has("avx2"), __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                                          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("bmi"));
    CHECK(!kt__cpu_has("avx512") || __builtin_cpu_supports("avx512f"));
#endif
}

TEST(a_wanted_build)
{
    const char *refused = "x";
    setenv("KARAT_ISA", "base", 1);
    CHECK_STR(kt__cpu_wanted(&refused), "base");
    CHECK(refused == NULL);
    const char *elsewhere = kt__cpu_has("neon82") ? "avx2" : "neon82";
    setenv("KARAT_ISA", elsewhere, 1);
    CHECK(kt__cpu_wanted(&refused) == NULL);
    CHECK_STR(refused, elsewhere);
    setenv("KARAT_ISA", "z80", 1); /* not in the table: said when the library is loaded */
    CHECK(kt__cpu_wanted(&refused) == NULL && refused == NULL);
    unsetenv("KARAT_ISA");
    CHECK(kt__cpu_wanted(&refused) == NULL && refused == NULL);
    CHECK(kt__cpu_wanted(NULL) == NULL);
}

/* What kt__env_check says on stderr. */
static const char *said(char *text, size_t room)
{
    fflush(stderr);
    const int usual = dup(STDERR_FILENO);
    FILE     *file = tmpfile();
    dup2(fileno(file), STDERR_FILENO);
    kt__env_check();
    fflush(stderr);
    dup2(usual, STDERR_FILENO);
    close(usual);
    rewind(file);
    text[fread(text, 1, room - 1, file)] = '\0';
    fclose(file);
    return text;
}

TEST(a_value_that_is_not_allowed_is_said)
{
    char               text[1024];
    const kt_variable *row;
    for (int i = 0; (row = kt_variable_at(i)); i++) {
        const bool anything = strcmp(row->name, "KARAT_PYTHON") == 0; /* it is tried when it is run */
        const bool folders = strstr(row->values, "director") != NULL; /* those that exist are searched */
        const char *was = getenv(row->name), *kept = was ? strdup(was) : NULL;
        setenv(row->name, "no such value", 1);
        said(text, sizeof text);
        CHECK(anything || (strstr(text, row->name) && strstr(text, "=no such value ") && strstr(text, row->values)));
        CHECK_EQ_INT(kt__env(row->name) == NULL, !anything && !folders);
        setenv(row->name, "", 1);
        CHECK_STR(said(text, sizeof text), "");
        unsetenv(row->name);
        CHECK_STR(said(text, sizeof text), "");
        if (kept)
            setenv(row->name, kept, 1);
        free((void *)(size_t)kept);
    }
    static const char *const good[][2] = {{"KARAT_NUM_THREADS", "3"}, {"KARAT_MEMORY_LIMIT", "2g"}, {"KARAT_POLICY", "strict"},
                                          {"KARAT_BACKEND_PATH", "/tmp:/"}, {"KARAT_MATMUL", "own"}};
    static const char *const bad[][2] = {{"KARAT_NUM_THREADS", "0"}, {"KARAT_NUM_THREADS", "4x"}, {"KARAT_MEMORY_LIMIT", "2t"},
                                         {"KARAT_POLICY", "Strict"}, {"KARAT_BACKEND_PATH", "/tmp:/no/such"},
                                         {"KARAT_MATMUL", "own,"}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        setenv(good[i][0], good[i][1], 1);
        CHECK_STR(said(text, sizeof text), "");
        unsetenv(good[i][0]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        setenv(bad[i][0], bad[i][1], 1);
        CHECK(strstr(said(text, sizeof text), bad[i][0]));
        unsetenv(bad[i][0]);
    }
}

TEST(a_name_that_is_not_known_is_said)
{
    static const char *const cases[][2] = {
        {"KARAT_POLCY", "did you mean KARAT_POLICY\n"}, {"KARAT_NUMTHREADS", "did you mean KARAT_NUM_THREADS\n"},
        {"KARAT_ISAS", "did you mean KARAT_ISA\n"}, {"KARAT_policy", "did you mean KARAT_POLICY\n"},
        {"KARAT_MEMLIMIT", "did you mean KARAT_MEMORY_LIMIT\n"},
        {"KARAT_THREADS", "did you mean KARAT_NUM_THREADS\n"},
        {"KARAT_", "`karat doctor` lists"}, {"KARAT_HOME", "`karat doctor` lists"},
        {"KARAT_SOMETHING_ELSE", "`karat doctor` lists"}, {"KARAT_TEST_ONLY", NULL}, {"KARAT_BENCH_X", NULL},
        {"KARAT_ROOT", NULL}, {"KARATS", NULL}, {"karat_policy", NULL}, {"X_KARAT_POLCY", NULL},
    };
    char text[1024], want[128];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *was = getenv(cases[i][0]), *kept = was ? strdup(was) : NULL;
        setenv(cases[i][0], "strict", 1);
        snprintf(want, sizeof want, "karat: warning: unknown variable %s ignored; %s", cases[i][0],
                 cases[i][1] ? cases[i][1] : "");
        said(text, sizeof text);
        CHECK_MSG(cases[i][1] ? strncmp(text, want, strlen(want)) == 0 : !*text, "%s: %s", cases[i][0], text);
        unsetenv(cases[i][0]);
        if (kept)
            setenv(cases[i][0], kept, 1);
        free((void *)(size_t)kept);
    }
    char name[4096] = "KARAT_"; /* no room to compare: nothing is said, nothing is overrun */
    memset(name + 6, 'A', sizeof name - 7);
    setenv(name, "1", 1);
    CHECK_STR(said(text, sizeof text), "");
    unsetenv(name);
}
