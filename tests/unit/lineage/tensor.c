/* tensor.c - lineage of real tensors: who is born, who inherits, what an operator's refusal says. */
#define KT_SITES
#include "harness.h"
#include "lineage/lineage.h"

#include <karat/karat.h>

#ifdef KT_NO_LINEAGE
TEST(nothing_is_recorded)
{
    KT_SCOPE;
    CHECK_EQ_INT(kt_lineage_of(kt_ones(KT_SHAPE(2))), 0);
    CHECK_EQ_INT(kt__lineage_count(), 0);
}
#else
static const double eight[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static kt_lineage_record last_of(const kt_tensor *t)
{
    kt_lineage_record r = {.size = sizeof r};
    CHECK(kt_lineage_read(kt_lineage_of(t), &r));
    return r;
}

TEST(births_and_changes)
{
    KT_SCOPE;
    kt_tensor *a = kt_from(eight, KT_SHAPE(2, 4), KT_F64);
    CHECK_EQ_INT(last_of(a).why, KT_BORN);
    CHECK_EQ_INT(last_of(a).to, KT_F64);
    kt_tensor              *b = kt_to(a, .dtype = KT_F32);
    const int               line = __LINE__ - 1;
    const kt_lineage_record cast = last_of(b);
    CHECK_EQ_INT(cast.why, KT_WHY_EXPLICIT);
    CHECK_EQ_INT(cast.from, KT_F64);
    CHECK_EQ_INT(cast.to, KT_F32);
    CHECK_EQ_INT(cast.parent, kt_lineage_of(a));
    CHECK_EQ_INT(cast.line, line);
    CHECK(cast.file != NULL && strstr(cast.file, "tensor.c") != NULL);
    kt_tensor *i = kt_ones(KT_SHAPE(4), .dtype = KT_I32);
    kt_tensor *root = kt_sqrt(i);
    CHECK_EQ_INT(last_of(root).why, KT_WHY_PROMOTION);
    CHECK_STR(last_of(root).op, "sqrt");
    CHECK_EQ_INT(last_of(root).parent, kt_lineage_of(i));
}

/* The cached decision keeps the record that it made last: it may not outlive the operand or line that it was made for. */
TEST(one_decision_records_each_line_and_operand)
{
    KT_SCOPE;
    kt_tensor *a = kt_ones(KT_SHAPE(4), .dtype = KT_I32), *b = kt_zeros(KT_SHAPE(4), .dtype = KT_I32);
    for (int round = 0; round < 2; round++) {
        kt_tensor *of_a = kt_mul_s(a, KT_FLOAT(2.5));
        const int  line = __LINE__ - 1;
        kt_tensor *of_b = kt_mul_s(b, KT_FLOAT(2.5)), *again = kt_mul_s(b, KT_FLOAT(2.5));
        CHECK_EQ_INT(last_of(of_a).parent, kt_lineage_of(a));
        CHECK_EQ_INT(last_of(of_a).line, line);
        CHECK_EQ_INT(last_of(of_b).parent, kt_lineage_of(b));
        CHECK_EQ_INT(last_of(of_b).line, line + 2);
        CHECK_EQ_INT(kt_lineage_of(again), kt_lineage_of(of_b));
        kt_tensor *same_of_b = kt_mul_s(b, KT_FLOAT(2.5));
        CHECK_EQ_INT(last_of(same_of_b).line, line + 8);
    }
    const uint32_t cap = kt__lineage_set_cap(kt__lineage_count());
    for (int round = 0; round < 2; round++) {
        kt_tensor *out = kt_mul_s(a, KT_FLOAT(2.5)); /* the second time there is room */
        CHECK_EQ_INT(kt_lineage_of(out) == KT__UNTRACKED, round == 0);
        kt__lineage_set_cap(cap);
    }
}

TEST(other_results_inherit)
{
    KT_SCOPE;
    kt_tensor *a = kt_to(kt_from(eight, KT_SHAPE(2, 4), KT_F64), .dtype = KT_F32);
    kt_tensor *i = kt_ones(KT_SHAPE(4), .dtype = KT_I32);
    CHECK_EQ_INT(kt_lineage_of(kt_add(a, a)), kt_lineage_of(a));
    CHECK_EQ_INT(kt_lineage_of(kt_add(i, a)), kt_lineage_of(a));
    CHECK_EQ_INT(kt_lineage_of(kt_transpose(a, 0, 1)), kt_lineage_of(a));
    CHECK_EQ_INT(kt_lineage_of(kt_select(a, 0, 0)), kt_lineage_of(a));
    CHECK_EQ_INT(kt_lineage_of(kt_mul_s(a, KT_FLOAT(2))), kt_lineage_of(a));
    CHECK_EQ_INT(kt_lineage_of(NULL), 0);
}

TEST(a_refusal_is_there_as_data_too)
{
    KT_SCOPE;
    kt_tensor *a = kt_from(eight, KT_SHAPE(2, 4), KT_F64), *b = kt_ones(KT_SHAPE(4, 2), .dtype = KT_F16);
    kt_mistake m = {.size = sizeof m};
    CHECK(!kt_error_mistake(&m));
    CHECK(kt_matmul(a, b) == NULL);
    CHECK(kt_error_mistake(&m));
    CHECK_STR(m.op, "matmul");
    CHECK_EQ_INT(m.n, 2);
    CHECK_STR(m.operand[1].name, "other");
    CHECK_EQ_INT(m.operand[0].dtype, KT_F64);
    CHECK_EQ_INT(m.operand[1].dtype, KT_F16);
    CHECK_EQ_INT(m.operand[1].lineage, kt_lineage_of(b));
    REQUIRE(m.operand[0].shape.n == 2);
    CHECK_EQ_INT(m.operand[0].shape.d[1], 4);
    REQUIRE(m.n_fixes == 3); /* what keeps every value, what may not, a policy */
    CHECK(m.fix[0].kind == KT_FIX_CAST && m.fix[0].operands == 2 && m.fix[0].dtype == KT_F64 && !m.fix[0].loses);
    CHECK(m.fix[1].kind == KT_FIX_CAST && m.fix[1].operands == 1 && m.fix[1].dtype == KT_F16 && m.fix[1].loses);
    CHECK(m.fix[2].kind == KT_FIX_POLICY && m.fix[2].policy == KT_PERMISSIVE);
    CHECK_STR(m.fix[0].text, "cast other to float64");
    CHECK_STR(kt_fix_kind_name(m.fix[2].kind), "policy");
    kt_clear();
    CHECK(!kt_error_mistake(&m));
    CHECK(kt_add(a, kt_ones(KT_SHAPE(5))) == NULL); /* sizes: the call, and nothing to convert */
    CHECK(kt_error_mistake(&m));
    CHECK_STR(m.op, "add");
    CHECK_EQ_INT(m.n_fixes, 0);
    CHECK(strstr(kt_error(), "\n  add(self: float64[2, 4], other: float32[5])") != NULL);
    kt_clear();
    kt_tensor *whole = kt_zeros(KT_SHAPE(2), .dtype = KT_I32);
    CHECK(kt_div_(whole, kt_ones(KT_SHAPE(2))) == NULL); /* never a cast of what is written */
    CHECK(kt_error_mistake(&m));
    CHECK_STR(m.op, "div_");
    CHECK(m.n_fixes > 0 && m.fix[0].kind == KT_FIX_OUT_OF_PLACE);
    CHECK_STR(m.fix[0].text, "div instead of div_");
    kt_clear();
}

TEST(a_training_loop_adds_nothing)
{
    uint32_t records = 0, sites = 0;
    for (int step = 0; step < 50; step++) {
        KT_SCOPE;
        kt_tensor *x = kt_from(eight, KT_SHAPE(2, 4), KT_F64);
        kt_tensor *h = kt_mul(kt_to(x, .dtype = KT_BF16), kt_ones(KT_SHAPE(4), .dtype = KT_F32));
        CHECK(kt_sum(kt_exp(h)) != NULL);
        if (step == 1) {
            records = kt__lineage_count();
            sites = kt__site_count();
        }
    }
    CHECK_EQ_INT(kt__lineage_count(), records);
    CHECK_EQ_INT(kt__site_count(), sites);
}

/* The lines below the first are ours; the operands' names and the row's are the table's. */
TEST(a_refused_mix_is_explained)
{
    KT_SCOPE;
    kt_tensor *a = kt_to(kt_from(eight, KT_SHAPE(2, 4), KT_F64), .dtype = KT_F32);
    const int  made = __LINE__ - 1;
    kt_tensor *b = kt_to(kt_reshape(a, KT_SHAPE(4, 2)), .dtype = KT_F16);
    const int  halved = __LINE__ - 1;
    CHECK(kt_matmul(a, b) == NULL);
    const int called = __LINE__ - 1;
    char      want[160];
    const char first[] = "expected m1 and m2 to have the same dtype, but got: float != c10::Half\n  matmul(";
    CHECK_EQ_INT(strncmp(kt_error(), first, sizeof first - 1), 0);
    CHECK(strstr(kt_error(), ": float32[2, 4], ") != NULL && strstr(kt_error(), ": float16[4, 2])") != NULL);
    snprintf(want, sizeof want, "tensor.c:%d\n", called);
    CHECK(strstr(kt_error(), want) != NULL);
    const char *cast = strstr(kt_error(), "cast to float32, to ");
    REQUIRE(cast != NULL);
    snprintf(want, sizeof want, "tensor.c:%d\n", made);
    CHECK_MSG(strncmp(strchr(cast, '.') - 6, want, strlen(want)) == 0, "no [%s] in:\n%s", want, kt_error());
    snprintf(want, sizeof want,
             "fix: keep other in float32 (tensor.c:%d), or cast self to float16 at tensor.c:%d (can lose values), or run under "
             "KT_POLICY(KT_PERMISSIVE)",
             halved, called);
    CHECK_MSG(strstr(kt_error(), want) != NULL, "no [%s] in:\n%s", want, kt_error());
    kt_clear();
}
#endif
