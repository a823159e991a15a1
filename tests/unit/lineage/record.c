/* record.c - tests of lineage records: interning, the cap, folding, lack of memory, reading them back. */
#include "harness.h"
#include "lineage/intern.h"
#include "lineage/lineage.h"

#include <karat/lineage.h>

static uint32_t born(const char *op, kt_dtype as)
{
    return kt__lineage_record(KT_BORN, op, KT_NONE, as, 0);
}

static uint32_t cast(uint32_t parent, const char *op, kt_dtype from, kt_dtype to)
{
    return kt__lineage_record(KT_WHY_EXPLICIT, op, from, to, parent);
}

static kt_lineage_record read(uint32_t id)
{
    kt_lineage_record r = {.size = sizeof r};
    CHECK(kt_lineage_read(id, &r));
    return r;
}

TEST(same_record_same_id)
{
    const uint32_t a = born("zeros", KT_F32), b = cast(a, "to", KT_F32, KT_F16);
    CHECK(a != 0 && b != 0 && a != b);
    CHECK_EQ_INT(born("zeros", KT_F32), a);
    CHECK_EQ_INT(cast(a, "to", KT_F32, KT_F16), b);
    const uint32_t count = kt__lineage_count();
    for (int step = 0; step < 1000; step++)
        CHECK_EQ_INT(cast(born("zeros", KT_F32), "to", KT_F32, KT_F16), b);
    CHECK_EQ_INT(kt__lineage_count(), count);
}

TEST(every_field_tells_records_apart)
{
    static const kt_site line = {"apart.c", 1};
    const uint32_t       a = born("zeros", KT_F32), b = born("ones", KT_F32);
    uint32_t             ids[7] = {a, b, cast(a, "to", KT_F32, KT_F16), cast(b, "to", KT_F32, KT_F16),
                                   kt__lineage_record(KT_WHY_PROMOTION, "to", KT_F32, KT_F16, a),
                                   kt__lineage_record(KT_WHY_EXPLICIT, "to", KT_F64, KT_F16, a)};
    kt_site_set(&line);
    ids[6] = cast(a, "to", KT_F32, KT_F16);
    kt_site_set(NULL);
    for (int i = 0; i < 7; i++) {
        for (int j = 0; j < i; j++)
            CHECK_MSG(ids[i] != ids[j], "records %d and %d share id %u", i, j, ids[i]);
    }
}

TEST(operators_are_compared_by_content)
{
    static const char one[] = "an_operator", two[] = "an_operator";
    CHECK((const void *)one != (const void *)two);
    CHECK_EQ_INT(born(one, KT_I64), born(two, KT_I64));
    CHECK(kt__intern_text(one) == kt__intern_text(two));
    CHECK(born(NULL, KT_I64) != born("", KT_I64));
}

TEST(a_record_reads_back)
{
    static const kt_site line = {"some/where/train.c", 41};
    const uint32_t       a = born("kt_from", KT_F64);
    kt_site_set(&line);
    const uint32_t b = kt__lineage_record(KT_WHY_PROMOTION, "add", KT_F64, KT_C128, a);
    kt_site_set(NULL);
    const kt_lineage_record r = read(b);
    CHECK_EQ_INT(r.why, KT_WHY_PROMOTION);
    CHECK_STR(r.op, "add");
    CHECK_EQ_INT(r.from, KT_F64);
    CHECK_EQ_INT(r.to, KT_C128);
    CHECK_STR(r.file, "some/where/train.c");
    CHECK_EQ_INT(r.line, 41);
    CHECK_EQ_INT(r.parent, a);
    const kt_lineage_record birth = read(a);
    CHECK(birth.file == NULL);
    CHECK_EQ_INT(birth.parent, 0);
    kt_lineage_record none = {.size = sizeof none};
    CHECK(!kt_lineage_read(0, &none));
    CHECK(!kt_lineage_read(kt__lineage_count() + 1, &none));
    CHECK(!kt_lineage_read(UINT32_MAX - 1, &none));
}

TEST(an_older_caller_gets_its_own_size)
{
    kt_lineage_record r = {.size = offsetof(kt_lineage_record, to), .to = KT_BOOL};
    CHECK(kt_lineage_read(cast(born("ones", KT_F32), "half", KT_F32, KT_F16), &r));
    CHECK_EQ_INT(r.from, KT_F32);
    CHECK_EQ_INT(r.to, KT_BOOL);
}

TEST(an_invalid_parent_is_none)
{
    CHECK_EQ_INT(read(cast(UINT32_MAX - 7, "lost", KT_F32, KT_F16)).parent, 0);
}

TEST(many_records_keep_their_ids)
{
    enum { MANY = 20000 };
    static uint32_t ids[MANY];
    uint32_t        before = kt__lineage_count();
    for (int i = 0; i < MANY; i++) {
        char op[32];
        snprintf(op, sizeof op, "many%d", i);
        ids[i] = born(kt__intern_text(op), KT_F32);
    }
    CHECK_EQ_INT(kt__lineage_count() - before, MANY);
    for (int i = 0; i < MANY; i++) {
        char op[32];
        snprintf(op, sizeof op, "many%d", i);
        if (!CHECK_EQ_INT(born(kt__intern_text(op), KT_F32), ids[i]) || !CHECK_STR(read(ids[i]).op, op))
            return;
    }
    CHECK_EQ_INT(kt__lineage_count() - before, MANY);
}

TEST(past_the_cap_records_share_one_id)
{
    const uint32_t known = born("before the cap", KT_F32);
    const uint32_t cap = kt__lineage_set_cap(kt__lineage_count());
    const uint32_t a = born("past the cap", KT_F32), b = cast(known, "past the cap", KT_F32, KT_F16);
    CHECK_EQ_INT(a, KT__UNTRACKED);
    CHECK_EQ_INT(b, KT__UNTRACKED);
    CHECK_EQ_INT(born("before the cap", KT_F32), known);
    const kt_lineage_record r = read(a);
    CHECK_EQ_INT(r.to, KT_NONE);
    CHECK_EQ_INT(strncmp(r.op, "not tracked", 11), 0);
    CHECK_EQ_INT(r.parent, 0);
    kt__lineage_set_cap(cap);
    const uint32_t after = cast(a, "to", KT_F32, KT_F16);
    CHECK(after != KT__UNTRACKED);
    CHECK_EQ_INT(read(after).parent, KT__UNTRACKED);
    CHECK(born("past the cap", KT_F32) != KT__UNTRACKED);
    CHECK(!kt_failed());
}

static int length(uint32_t id)
{
    int n = 0;
    for (kt_lineage_record r = {.size = sizeof r}; kt_lineage_read(id, &r); id = r.parent)
        n++;
    return n;
}

/* Conversions 1 to n of one value, each by an operator of its own name. */
static uint32_t converted(int n)
{
    uint32_t id = born("deep", KT_F32);
    for (int i = 1; i <= n; i++) {
        char op[32];
        snprintf(op, sizeof op, "step%d", i);
        id = cast(id, kt__intern_text(op), i % 2 ? KT_F32 : KT_F16, i % 2 ? KT_F16 : KT_F32);
    }
    return id;
}

TEST(a_deep_chain_folds_its_middle)
{
    CHECK_EQ_INT(length(converted(63)), 64);
    CHECK_EQ_INT(length(converted(64)), 49);
    for (int n = 64; n < 400; n += 7) {
        uint32_t id = converted(n);
        int      at = n, folds = 0, stood_for = 0;
        for (kt_lineage_record r = {.size = sizeof r}; kt_lineage_read(id, &r); id = r.parent) {
            const kt__record *inside = kt__record_at(id);
            if (inside->folded) {
                folds++;
                stood_for = (int)inside->folded;
                char text[64] = "... more than 256 conversions ...";
                if (stood_for <= 256)
                    snprintf(text, sizeof text, "... %d conversions ...", stood_for);
                CHECK_STR(r.op, text);
                CHECK(r.from != KT_NONE && r.to != KT_NONE);
                at = 31; /* the birth and 31 conversions stay */
                continue;
            }
            char op[32];
            snprintf(op, sizeof op, "step%d", at--);
            if (!CHECK_STR(r.op, r.parent ? op : "deep"))
                return;
        }
        CHECK_EQ_INT(folds, 1);
        CHECK_EQ_INT(at, -1);
        if (stood_for <= 256)
            CHECK_EQ_INT(length(converted(n)) - 1 + stood_for, n + 1);
    }
}

TEST(a_loop_of_casts_comes_to_rest)
{
    uint32_t id = born("loop", KT_F32), count = 0;
    for (int i = 0; i < 200000; i++) {
        id = cast(cast(id, "half", KT_F32, KT_F16), "float", KT_F16, KT_F32);
        if (i == 1000)
            count = kt__lineage_count();
    }
    CHECK_EQ_INT(kt__lineage_count(), count);
    CHECK(length(id) <= KT__LINEAGE_DEPTH);
}

TEST(a_fold_at_the_cap_is_untracked)
{
    const uint32_t deep = converted(63);
    const uint32_t cap = kt__lineage_set_cap(kt__lineage_count());
    CHECK_EQ_INT(cast(deep, "a new step", KT_F32, KT_F16), KT__UNTRACKED);
    kt__lineage_set_cap(cap);
    CHECK_EQ_INT(length(cast(deep, "a new step", KT_F32, KT_F16)), 49);
}

/* Each allocation in turn is refused: the call still gives an id, no error, and the next try succeeds. */
TEST(no_memory_means_untracked)
{
    static char ops[4000][16];
    int         refused = 0;
    for (int n = 0; n < 4000; n++) {
        char *op = ops[n]; /* not interned: its text needs memory too */
        snprintf(op, sizeof ops[n], "hungry%d", n);
        kt_memory_fail_after(n % 3);
        const uint32_t id = born(op, KT_F32);
        kt_memory_fail_after(-1);
        CHECK(!kt_failed());
        refused += id == KT__UNTRACKED;
        if (!CHECK(id != 0) || !CHECK(id == KT__UNTRACKED || strcmp(read(id).op, op) == 0))
            return;
        if (!CHECK(born(op, KT_F32) != KT__UNTRACKED))
            return;
    }
    CHECK(refused > 1000);
}

TEST(reasons_have_names)
{
    CHECK_STR(kt_reason_name(KT_WHY_PROMOTION), "promotion");
    CHECK_STR(kt_reason_name(KT_WHY_RESULT), "result");
    CHECK_STR(kt_reason_name(KT_BORN_LOADED), "loaded");
    CHECK_STR(kt_reason_name((kt_reason)99), "unknown");
    for (int why = 0; why < KT_NUM_REASONS; why++)
        CHECK(kt_reason_name((kt_reason)why) != NULL);
}
