/* explain.c - tests of explanations, word for word: what a dtype error says below its first line, and kt_explain. */
#include "harness.h"
#include "lineage/intern.h"
#include "lineage/lineage.h"
#include "plan/observe.h"
#include "tensor/tensor.h"

#include <karat/lineage.h>
#include <karat/mode.h>
#include <karat/plugin/site.h>

/* A binding whose code is the file's name and whose offset is the line. */
static const char *now_file;
static int         now_line;

static bool now(uintptr_t *code, int32_t *offset)
{
    *code = (uintptr_t)now_file;
    *offset = now_line;
    return now_file != NULL;
}

static bool locate(uintptr_t code, int32_t offset, char *file, size_t room, int *line)
{
    snprintf(file, room, "/srv/app/%s", (const char *)code);
    *line = offset;
    return true;
}

static const kt_site_source source = {.abi = KT_SITE_ABI, .size = sizeof source, .now = now, .locate = locate};

static void stand(const char *file, int line)
{
    if (file)
        CHECK_EQ_INT(kt_site_register(&source), KT_OK);
    now_file = file;
    now_line = line;
}

static uint32_t record(kt_reason why, const char *op, kt_dtype from, kt_dtype to, uint32_t parent, const char *file,
                       int line)
{
    stand(file, line);
    const uint32_t id = kt__lineage_record(why, op, from, to, parent);
    stand(NULL, 0);
    return id;
}

/* A float32 made float16, made float32, ... */
static uint32_t back_and_forth(uint32_t id, int times)
{
    for (int i = 0; i < times; i++) {
        id = i % 2 == 0 ? kt__lineage_record(KT_WHY_EXPLICIT, "half", KT_F32, KT_F16, id)
                        : kt__lineage_record(KT_WHY_EXPLICIT, "float", KT_F16, KT_F32, id);
    }
    return id;
}

/* Only what an explanation reads: dtype, sizes, lineage. */
static kt_tensor *fake(kt_tensor *t, kt_dtype dtype, kt_shape shape, uint32_t lineage)
{
    memset(t, 0, sizeof *t);
    t->dtype = (uint8_t)dtype;
    t->ndim = (uint8_t)shape.n;
    t->sizes = t->dims;
    t->strides = t->dims + KT_INLINE_DIMS;
    for (int64_t i = 0; i < shape.n; i++)
        t->dims[i] = shape.d[i];
    t->lineage = lineage;
    return t;
}

static const char *explained(kt__mistake *m, const char *first_line)
{
    m->about_dtypes = true;
    snprintf(m->op, sizeof m->op, "%s", m->row ? kt_row_name(m->row) : "call");
    kt_fail(KT_ERR_RUNTIME, "%s", first_line);
    kt__lineage_explain(m);
    return kt_error();
}

static void propose(kt__mistake *m, kt_fix_kind kind, uint16_t operands, kt_dtype dtype, bool loses)
{
    m->fix[m->n_fixes++] = (kt__fix){.kind = (uint8_t)kind,
                                     .operands = operands,
                                     .dtype = (uint8_t)dtype,
                                     .policy = KT_PERMISSIVE,
                                     .loses = loses};
}

TEST(c_program_without_sites)
{
    kt_tensor   a, b;
    kt__mistake m = {.row = kt_row_find("matmul"),
                     .n = 2,
                     .operand = {{"input", fake(&a, KT_F32, KT_SHAPE(2, 3), 0), KT_F32, 0},
                                 {"other", fake(&b, KT_F64, KT_SHAPE(3), kt__lineage_record(KT_BORN, "kt_from", KT_NONE,
                                                                                        KT_F64, 0)), KT_F64, 0}}};
    propose(&m, KT_FIX_CAST, 1, KT_F64, false);
    propose(&m, KT_FIX_CAST, 2, KT_F32, true);
    propose(&m, KT_FIX_POLICY, 0, KT_NONE, false);
    CHECK_STR(explained(&m, "expected m1 and m2 to have the same dtype, but got: float != double"),
              "expected m1 and m2 to have the same dtype, but got: float != double\n"
              "  matmul(input: float32[2, 3], other: float64[3])\n"
              "    input  float32   of unknown origin\n"
              "    other  float64   born as float64, kt_from\n"
              "  fix: cast input to float64, or cast other to float32 (can lose values), or run under "
              "KT_POLICY(KT_PERMISSIVE)");
    kt_clear();
}

TEST(c_program_with_sites)
{
    static const kt_site birth = {"app/data.c", 12}, call = {"app/main.c", 41};
    kt_tensor            a, b;
    kt_site_set(&birth);
    const uint32_t from = kt__lineage_record(KT_BORN, "kt_from", KT_NONE, KT_F64, 0);
    kt_site_set(&call);
    kt__mistake m = {.row = kt_row_find("add"),
                     .n = 3,
                     .operand = {{"input", fake(&a, KT_F64, KT_SHAPE(2, 3), from), KT_F64, 0},
                                 {"other", fake(&b, KT_I32, KT_SCALAR, 0), KT_I32, 0},
                                 {"alpha", NULL, KT_NONE, 0}}};
    propose(&m, KT_FIX_CAST, 2, KT_F64, false);
    propose(&m, KT_FIX_CAST, 3, KT_I32, true);
    propose(&m, KT_FIX_POLICY, 0, KT_NONE, false);
    CHECK_STR(explained(&m, "result type Double can't be cast to the desired output type Int"),
              "result type Double can't be cast to the desired output type Int\n"
              "  add(input: float64[2, 3], other: int32[], alpha: number)          main.c:41\n"
              "    input  float64   born as float64, kt_from                       data.c:12\n"
              "    other  int32     of unknown origin\n"
              "  fix: cast other to float64 at main.c:41, or cast input to int32 and cast other to int32 "
              "(can lose values), or run under KT_POLICY(KT_PERMISSIVE)");
    CHECK_STR(m.file, "app/main.c");
    CHECK_EQ_INT(m.line, 41);
    CHECK_STR(m.fix[1].words, "cast input to int32 and cast other to int32");
    kt_clear();
    kt_site_set(NULL);
}

TEST(the_design_s_example)
{
    kt_tensor a, b;
    uint32_t  input = record(KT_BORN, "numpy.load", KT_NONE, KT_F64, 0, "data.py", 12);
    input = record(KT_WHY_EXPLICIT, ".float()", KT_F64, KT_F32, input, "data.py", 15);
    uint32_t other = record(KT_BORN, "nn.Linear weight \"head\"", KT_NONE, KT_F32, 0, "model.py", 22);
    other = record(KT_WHY_EXPLICIT, "Module.half()", KT_F32, KT_F16, other, "train.py", 30);
    kt__mistake m = {.row = kt_row_find("matmul"),
                     .n = 2,
                     .operand = {{"input", fake(&a, KT_F32, KT_SHAPE(64, 784), input), KT_F32, 0},
                                 {"other", fake(&b, KT_F16, KT_SHAPE(784, 10), other), KT_F16, 0}}};
    stand("train.py", 41);
    propose(&m, KT_FIX_CAST, 2, KT_F32, false);
    propose(&m, KT_FIX_CAST, 1, KT_F16, true);
    propose(&m, KT_FIX_POLICY, 0, KT_NONE, false);
    CHECK_STR(explained(&m, "expected m1 and m2 to have the same dtype, but got: float != c10::Half"),
              "expected m1 and m2 to have the same dtype, but got: float != c10::Half\n"
              "  matmul(input: float32[64, 784], other: float16[784, 10])          train.py:41\n"
              "    input  float32   born as float64, numpy.load                    data.py:12\n"
              "                     cast to float32, .float()                      data.py:15\n"
              "    other  float16   born as float32, nn.Linear weight \"head\"       model.py:22\n"
              "                     cast to float16, Module.half()                 train.py:30\n"
              "  fix: keep \"head\" in float32 (train.py:30), or input.half() at train.py:41 (can lose values), "
              "or run under karat.policy(\"permissive\")");
    kt_clear();
    m.n_fixes = 0;
    propose(&m, KT_FIX_OUT_OF_PLACE, 0, KT_NONE, false);
    propose(&m, KT_FIX_MAKE, 2, KT_F64, false);
    propose(&m, KT_FIX_DTYPE, 0, KT_F64, true);
    snprintf(m.op, sizeof m.op, "add_");
    kt_fail(KT_ERR_RUNTIME, "x");
    kt__lineage_explain(&m);
    CHECK(strstr(kt_error(), "train.py:30\n  fix: add instead of add_ at train.py:41, or make other as float64 (model.py:22), "
                             "or dtype=karat.float64 (can lose values)") != NULL);
    kt_clear();
    stand(NULL, 0);
}

TEST(an_error_about_something_else_shows_the_call_alone)
{
    kt_tensor   a, b;
    kt__mistake m = {.row = kt_row_find("add"),
                     .n = 2,
                     .operand = {{.name = "self", .tensor = fake(&a, KT_F32, KT_SHAPE(3), 0), .dtype = KT_F32},
                                 {.name = "tensors", .tensor = fake(&b, KT_F32, KT_SHAPE(4), 0), .dtype = KT_F32, .element = 2}}};
    snprintf(m.op, sizeof m.op, "add");
    kt_fail(KT_ERR_RUNTIME, "sizes");
    kt__lineage_explain(&m);
    CHECK_STR(kt_error(), "sizes\n  add(self: float32[3], tensors[1]: float32[4])");
    kt_clear();
}

TEST(one_dtype_has_no_fix)
{
    kt_tensor   a, b;
    kt__mistake m = {.row = NULL,
                     .n = 2,
                     .operand = {{"self", fake(&a, KT_BOOL, KT_SHAPE(0), 0), KT_BOOL, 0},
                                 {"source", fake(&b, KT_BOOL, KT_SHAPE(1), 0), KT_BOOL, 0}}};
    CHECK_STR(explained(&m, "no"), "no\n"
                                   "  call(self: bool[0], source: bool[1])\n"
                                   "    self    bool   of unknown origin\n"
                                   "    source  bool   of unknown origin");
    kt_clear();
}

TEST(casts_in_a_binding_are_its_methods)
{
    kt_tensor   a, b;
    kt__mistake m = {.row = kt_row_find("add"),
                     .n = 2,
                     .operand = {{"input", fake(&a, KT_C64, KT_SHAPE(1), 0), KT_C64, 0},
                                 {"other", fake(&b, KT_U16, KT_SHAPE(1), 0), KT_U16, 0}}};
    stand("a.py", 1);
    propose(&m, KT_FIX_CAST, 2, KT_E5M2, true);
    propose(&m, KT_FIX_CAST, 1, KT_F32, true);
    CHECK(strstr(explained(&m, "no"), "\n  fix: other.to(karat.float8_e5m2) at a.py:1 (can lose values), or input.real "
                                      "(can lose values)") != NULL);
    stand(NULL, 0);
    kt_clear();
}

TEST(nothing_pending_nothing_said)
{
    kt__mistake m = {.row = NULL, .n = 0};
    kt__lineage_explain(&m);
    CHECK(!kt_failed());
    CHECK_STR(kt_error(), "");
}

TEST(a_long_chain_is_shortened_in_an_error)
{
    kt_tensor a, b;
    uint32_t  id = back_and_forth(kt__lineage_record(KT_BORN, "zeros", KT_NONE, KT_F32, 0), 200);
    kt__mistake m = {.row = kt_row_find("add"),
                     .n = 2,
                     .operand = {{"input", fake(&a, KT_F32, KT_SHAPE(1), id), KT_F32, 0},
                                 {"other", fake(&b, KT_F32, KT_SHAPE(1), id), KT_F32, 0}}};
    propose(&m, KT_FIX_DTYPE, 0, KT_F64, false);
    const char *text = explained(&m, "x");
    int         lines = 0;
    for (const char *p = text; (p = strchr(p, '\n')) != NULL; p++)
        lines++;
    CHECK_EQ_INT(lines, 1 + 12 + 12 + 1);
    CHECK(strstr(text, "\n                     ... 190 conversions ...\n") != NULL);
    CHECK(strstr(text, "\n  fix: dtype=karat.float64") != NULL);
    kt_clear();
}

/* Ten operands with long names and chains: cut, but the first line and the fix are there. */
TEST(a_crowd_is_cut_and_the_fix_survives)
{
    static kt_tensor t[KT__NOTED];
    char             names[KT__NOTED][101];
    uint32_t         id = record(KT_BORN, "a source with a rather long name", KT_NONE, KT_F32, 0, "a.py", 1);
    stand("a.py", 2);
    id = back_and_forth(id, 20);
    kt__mistake m = {.row = kt_row_find("add"), .n = KT__NOTED};
    propose(&m, KT_FIX_DTYPE, 0, KT_F64, false);
    for (int i = 0; i < KT__NOTED; i++) {
        memset(names[i], 'a' + i, 100);
        names[i][100] = '\0';
        m.operand[i] = (kt__operand_note){names[i], fake(&t[i], KT_F32, KT_SHAPE(1, 2, 3, 4, 5), id), KT_F32, 0};
    }
    const char *text = explained(&m, "the first line");
    CHECK_EQ_INT(strncmp(text, "the first line\n  add(aaaa", 25), 0);
    CHECK(strlen(text) < 4095);
    CHECK_STR(strrchr(text, '\n'), "\n  fix: dtype=karat.float64 at a.py:2");
    kt_clear();
    stand(NULL, 0);
}

TEST(every_reason_has_its_words)
{
    static const char *const want[KT_NUM_REASONS] = {
        [KT_WHY_NONE] = "became float32, op",
        [KT_WHY_EXPLICIT] = "cast to float32, op",
        [KT_WHY_PROMOTION] = "promoted to float32, op",
        [KT_WHY_SCALAR] = "promoted to float32 by a number, op",
        [KT_WHY_AUTOCAST] = "autocast to float32, op",
        [KT_WHY_RESULT] = "stored as float32, op",
        [KT_WHY_ASSIGN] = "assigned as float32, op",
        [KT_WHY_INDEX] = "widened to float32 as an index, op",
        [KT_WHY_GRADIENT] = "cast to float32 as a gradient, op",
        [KT_WHY_LOADING] = "cast to float32 on loading, op",
        [KT_WHY_OPTIMIZER] = "cast to float32 by the optimizer, op",
        [KT_WHY_INTEROP] = "cast to float32 on the way in or out, op",
        [KT_WHY_POLICY] = "cast to float32 by the policy, op",
        [KT_BORN] = "born as float32, op",
        [KT_BORN_LOADED] = "loaded as float32, op",
        [KT_BORN_INTEROP] = "taken over as float32, op",
    };
    for (int why = 0; why < KT_NUM_REASONS; why++) {
        kt_tensor t;
        char      text[128];
        snprintf(text, sizeof text, "float32[]\n  %s", want[why]);
        fake(&t, KT_F32, KT_SCALAR, kt__lineage_record((kt_reason)why, "op", KT_NONE, KT_F32, 0));
        char *got = kt_explain(&t);
        CHECK_STR(got, text);
        kt_free_string(got);
    }
}

TEST(explain_a_tensor)
{
    kt_tensor t;
    uint32_t  id = record(KT_BORN_LOADED, "safetensors", KT_NONE, KT_BF16, 0, "load.py", 3);
    id = record(KT_WHY_PROMOTION, "add", KT_BF16, KT_F32, id, "deep/model.py", 108);
    id = kt__lineage_record(KT_WHY_RESULT, NULL, KT_F32, KT_F64, id);
    char *text = kt_explain(fake(&t, KT_F64, KT_SHAPE(2, 3), id));
    CHECK_STR(text, "float64[2, 3]\n"
                    "  loaded as bfloat16, safetensors  load.py:3\n"
                    "  promoted to float32, add         model.py:108\n"
                    "  stored as float64");
    kt_free_string(text);
    text = kt_explain(fake(&t, KT_I64, KT_SCALAR, 0));
    CHECK_STR(text, "int64[]\n  of unknown origin");
    kt_free_string(text);
    text = kt_explain(fake(&t, KT_F16, KT_SCALAR, kt__lineage_record(KT_WHY_EXPLICIT, "half", KT_F32, KT_F16, 0)));
    CHECK_STR(text, "float16[]\n  float32 of unknown origin\n  cast to float16, half");
    kt_free_string(text);
    id = kt__lineage_record(KT_BORN, "ones", KT_NONE, KT_F32, 0);
    text = kt_explain(fake(&t, KT_BOOL, KT_SCALAR, kt__lineage_record(KT_WHY_PROMOTION, "lt", KT_F32, KT_BOOL, id)));
    CHECK_STR(text, "bool[]\n  born as float32, ones\n  became bool, lt");
    kt_free_string(text);
    text = kt_explain(fake(&t, KT_F16, KT_SCALAR, KT__UNTRACKED));
    CHECK_STR(text, "float16[]\n  not tracked: no room for more records");
    kt_free_string(text);
    CHECK_FAILS(kt_explain(NULL), KT_ERR_VALUE, "kt_explain: the tensor is NULL");
    kt_fail(KT_ERR_RUNTIME, "an earlier failure"); /* puts(kt_explain(kt_add(a, b))) after a failure */
    text = kt_explain(NULL);
    CHECK_STR(text, "(no text: see kt_error())");
    kt_free_string(text);
    CHECK_FAILS(0, KT_ERR_RUNTIME, "an earlier failure");
}

TEST(a_cast_for_another_tensor_shows_both_histories)
{
    kt_tensor t, parameter;
    uint32_t  of_parameter = record(KT_BORN, "rand", KT_NONE, KT_F32, 0, "model.py", 2);
    of_parameter = record(KT_WHY_EXPLICIT, "half", KT_F32, KT_F16, of_parameter, "train.py", 30);
    uint32_t id = record(KT_BORN_LOADED, "load", KT_NONE, KT_F64, 0, "train.py", 40);
    id = record(KT_WHY_LOADING, NULL, KT_F64, KT_F16, id, "train.py", 41);
    fake(&t, KT_F16, KT_SHAPE(2), id);
    fake(&parameter, KT_F16, KT_SHAPE(2), of_parameter);
    kt_lineage_like(&t, &parameter, "resume of exp_avg");
    CHECK(t.lineage != id);
    char *text = kt_explain(&t);
    CHECK(strstr(text, "loaded as float64, load") && strstr(text, "cast to float16 on loading, resume of exp_avg"));
    CHECK(strstr(text, "\n    as its parameter: born as float32, rand"));
    CHECK(strstr(text, "\n                      cast to float16, "));
    kt_free_string(text);
    kt_lineage_record r = {.size = sizeof r};
    CHECK(kt_lineage_read(t.lineage, &r) && r.like == of_parameter && r.from == KT_F64 && r.why == KT_WHY_LOADING);
    const uint32_t again = t.lineage;
    t.lineage = id;
    kt_lineage_like(&t, &parameter, "resume of exp_avg");
    CHECK_EQ_INT(t.lineage, again); /* interned: a loop adds nothing */
    kt_lineage_like(NULL, &parameter, "x");
    kt_lineage_like(&t, NULL, "x");
    CHECK_EQ_INT(t.lineage, again);
}

TEST(explain_a_folded_chain_whole)
{
    kt_tensor t;
    uint32_t  id = back_and_forth(kt__lineage_record(KT_BORN, "zeros", KT_NONE, KT_F32, 0), 64);
    char *text = kt_explain(fake(&t, KT_F32, KT_SHAPE(1), id));
    int   lines = 0;
    for (const char *p = text; (p = strchr(p, '\n')) != NULL; p++)
        lines++;
    CHECK_EQ_INT(lines, 49);
    CHECK(strstr(text, "\n  ... 17 conversions ...\n") != NULL);
    kt_free_string(text);
}
