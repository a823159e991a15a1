/* facts.c - the operator layer against the recorded behaviour of PyTorch, cell by cell.
 *
 * In: tests/conformance/dtype_facts.json.gz. A cell that records a dtype must give it; one that records a refusal by a
 * rule must be refused with the same class and the same first line. Free are the cells where PyTorch merely lacks a
 * kernel, and left to the binding's tests those about Python's argument types. Counts per part are printed. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <stdlib.h>

#include "call/call.h"
#include "support/by_name.h"
#include "support/json.h"

static const json *facts;

static bool load(void)
{
    if (!facts)
        facts = json_conformance("dtype_facts");
    return CHECK(facts != NULL);
}

/* ---- one part of the facts ---- */
typedef struct part {
    const char *name;
    int         same, wrong, free, binder, absent;
} part;

static void done(const part *p)
{
    printf("  %-14s %5d cells as recorded, %d wrong; left out: %d free, %d of the binder, %d without a row\n", p->name,
           p->same, p->wrong, p->free, p->binder, p->absent);
    CHECK_EQ_INT(p->wrong, 0);
    CHECK(p->same > 0);
}

static const char *refusal(const json *want) { return json_text(json_get(want, "error")); }

static bool is_free(const char *text)
{
    static const char *const marks[] = {"not implemented for",       "not yet implemented",    "could not create",
                                        "INTERNAL ASSERT",           "unsupported ScalarType", "Unsupported dtype",
                                        "Unknown Complex ScalarType"};
    if (strncmp(text, "NotImplementedError", 19) == 0)
        return true;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strstr(text, marks[i]))
            return true;
    return false;
}

/* Is the cell one to run? Counts it where it is not. */
static bool wanted(part *p, const json *want)
{
    const char *text = want->kind == JSON_OBJECT ? refusal(want) : "";
    if (strstr(text, "must be Tensor, not")) {
        p->binder++;
        return false;
    }
    if (is_free(text)) {
        p->free++;
        return false;
    }
    return true;
}

/* `got` is KT_NONE with an error pending, which is cleared. */
static void cell(part *p, const char *op, const char *a, const char *b, const json *want, kt_dtype got)
{
    char answer[2200];
    if (got == KT_NONE)
        snprintf(answer, sizeof answer, "%s: %s", error_class(kt_error_status()), error_line());
    else
        snprintf(answer, sizeof answer, "%s", kt_dtype_name(got));
    kt_clear();
    const char *expected = want->kind == JSON_OBJECT ? refusal(want) : json_text(want);
    if (strcmp(answer, expected) == 0) {
        p->same++;
        return;
    }
    p->wrong++;
    printf("  WRONG %s %s/%s/%s: %s, expected %s\n", p->name, op, a, b, answer, expected);
}

static kt_dtype dtype_or_none(const kt_tensor *t) { return t && !kt_failed() ? kt_dtype_of(t) : KT_NONE; }

static kt_tensor *vector(const char *dtype) { return tensor_filled(kt_dtype_find(dtype), KT_SHAPE(2), 1); }
static kt_tensor *matrix(const char *dtype) { return tensor_filled(kt_dtype_find(dtype), KT_SHAPE(2, 2), 1); }

static kt_scalar number(const char *name)
{
    return strcmp(name, "pybool") == 0    ? KT_FLAG(true)
           : strcmp(name, "pyint") == 0   ? KT_INT(1)
           : strcmp(name, "pyfloat") == 0 ? KT_FLOAT(1.0)
                                          : KT_COMPLEX(0.0, 1.0);
}

/* ---- result_type: "int8[n],float32[0]" ---- */
static void put_operand(kt__gathered *g, const char *text, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    char *bracket = strchr(name, '[');
    g->rank[g->n] = bracket ? (bracket[1] == 'n' ? RANK_DIM : RANK_ZERO) : RANK_NUMBER;
    if (bracket)
        *bracket = 0;
    const kt_scalar s = number(name);
    g->dtype[g->n] = (uint8_t)(bracket                     ? kt_dtype_find(name)
                               : s.kind == KT_SCALAR_BOOL  ? KT_BOOL
                               : s.kind == KT_SCALAR_INT   ? KT_I64
                               : s.kind == KT_SCALAR_FLOAT ? KT_F32
                                                           : KT_C64);
    g->n++;
}

TEST(result_type)
{
    REQUIRE(load());
    part p = {.name = "result_type"};
    for (const json *c = json_get(facts, "result_type")->first; c; c = c->next) {
        if (!wanted(&p, c))
            continue;
        kt__gathered g = {0};
        const char  *comma = strchr(c->key, ',');
        kt_status    status = KT_OK;
        put_operand(&g, c->key, (size_t)(comma - c->key));
        put_operand(&g, comma + 1, strlen(comma + 1));
        cell(&p, "result_type", c->key, "", c, kt__common_dtype(&g, 0, kt__mode(), &status));
    }
    done(&p);
}

/* ---- operators on vectors ---- */
TEST(unary)
{
    REQUIRE(load());
    part p = {.name = "unary"};
    for (const json *op = json_get(facts, "unary")->first; op; op = op->next)
        for (const json *c = op->first; c; c = c->next) {
            KT_SCOPE;
            if (!wanted(&p, c))
                continue;
            if (!kt_row_find(op->key))
                p.absent++;
            else
                cell(&p, op->key, c->key, "", c, dtype_or_none(by_name(op->key, KT_PLAIN, NULL, "t", vector(c->key))));
        }
    done(&p);
}

TEST(binary)
{
    REQUIRE(load());
    part p = {.name = "binary"};
    for (const json *op = json_get(facts, "binary")->first; op; op = op->next)
        for (const json *a = op->first; a; a = a->next)
            for (const json *c = a->first; c; c = c->next) {
                KT_SCOPE;
                if (!wanted(&p, c))
                    continue;
                kt_tensor *got = by_name(op->key, KT_PLAIN, NULL, "tt", vector(a->key), vector(c->key));
                cell(&p, op->key, a->key, c->key, c, dtype_or_none(got));
            }
    CHECK_EQ_INT(p.absent, 0);
    done(&p);
}

TEST(binary_scalar)
{
    REQUIRE(load());
    part p = {.name = "binary_scalar"};
    for (const json *op = json_get(facts, "binary_scalar")->first; op; op = op->next)
        for (const json *a = op->first; a; a = a->next)
            for (const json *c = a->first; c; c = c->next) {
                KT_SCOPE;
                if (!wanted(&p, c))
                    continue;
                kt_tensor *got = by_name(op->key, KT_PLAIN, NULL, "ts", vector(a->key), number(c->key));
                cell(&p, op->key, a->key, c->key, c, dtype_or_none(got));
            }
    done(&p);
}

static kt_tensor *on_meta(kt_tensor *t) { return kt_to(t, .device = kt_device_find("meta")); }

/* NULL and no error: no row serves this operator yet. The name is PyTorch's, `t` of any device. */
static kt_tensor *reduction(const char *op, kt_tensor *t)
{
    static const char *const plain[] = {"all",           "amax",    "amin", "any",  "argmax", "argmin", "max",
                                        "count_nonzero", "mean",    "min",  "norm", "nansum", "prod",   "std",
                                        "sum",           "var"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(op, plain[i]) == 0)
            return by_name(op, KT_PLAIN, NULL, "t", t);
    if (strcmp(op, "nonzero") == 0)
        return kt_device_of(t).kind == KT_META ? NULL : by_name(op, KT_PLAIN, NULL, "t", t); /* a size by values */
    if (strcmp(op, "dot") == 0)
        return by_name(op, KT_PLAIN, NULL, "tt", t, t);
    if (strcmp(op, "logsumexp") == 0)
        return by_name(op, KT_PLAIN, NULL, "tv", t, KT_SHAPE(0));
    if (strcmp(op, "vector_norm") == 0)
        return by_name("linalg_vector_norm", KT_PLAIN, NULL, "t", t);
    return NULL;
}

TEST(reductions)
{
    REQUIRE(load());
    part        p = {.name = "reductions"};
    int         operators = 0;
    const json *all = json_get(facts, "reductions");
    for (const json *op = all->first; op; op = op->next) {
        const int before = p.same;
        for (const json *c = op->first; c; c = c->next)
            for (int meta = 0; meta <= 1; meta++) {
                KT_SCOPE;
                kt_tensor *got = reduction(op->key, meta ? on_meta(vector(c->key)) : vector(c->key));
                if (!got && !kt_failed())
                    p.absent++;
                else if (wanted(&p, c))
                    cell(&p, op->key, c->key, meta ? "meta" : "", c, dtype_or_none(got));
                kt_clear();
            }
        operators += p.same > before;
    }
    CHECK_EQ_INT(operators, 20);
    done(&p);
}

/* The text belongs to Python's requires_grad_(); whether a dtype can require grad belongs to the engine. */
TEST(who_can_require_grad)
{
    REQUIRE(load());
    int cells = 0;
    for (const json *c = json_get(json_get(facts, "reductions"), "requires_grad")->first; c; c = c->next, cells++) {
        KT_SCOPE;
        const bool refused = c->kind == JSON_OBJECT;
        CHECK_MSG(kt_set_requires_grad(vector(c->key), true) == (refused ? KT_ERR_RUNTIME : KT_OK), "%s", c->key);
        kt_clear();
    }
    CHECK(cells > 10);
}

/* ---- two matrices ---- */
static kt_tensor *first_row(const char *dtype) { return kt_select(matrix(dtype), 0, 0); }
static kt_tensor *batch(const char *dtype) { return kt_unsqueeze(matrix(dtype), 0); }

static kt_tensor *half_mask(void) { return kt_from((bool[]){true, false, false, true}, KT_SHAPE(2, 2), KT_BOOL); }

/* NULL and no error: no row serves this operator yet. */
static kt_tensor *two(const char *op, const char *a, const char *b)
{
    static const char *const plain[] = {"mm", "matmul"}, *const in_place[] = {"add_", "mul_", "div_",
                                                                              "sub_", "pow_", "copy_"};
    const kt_dtype db = kt_dtype_find(b);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(op, plain[i]) == 0)
            return by_name(op, KT_PLAIN, NULL, "tt", matrix(a), matrix(b));
    for (size_t i = 0; i < sizeof in_place / sizeof *in_place; i++)
        if (strcmp(op, in_place[i]) == 0) {
            char name[16];
            snprintf(name, sizeof name, "%.*s", (int)strlen(op) - 1, op);
            return by_name(name, KT_INPLACE, NULL, "tt", matrix(a), matrix(b));
        }
    if (strcmp(op, "bmm") == 0)
        return by_name(op, KT_PLAIN, NULL, "tt", batch(a), batch(b));
    if (strcmp(op, "mv") == 0)
        return by_name(op, KT_PLAIN, NULL, "tt", matrix(a), first_row(b));
    if (strcmp(op, "linear") == 0)
        return by_name(op, KT_PLAIN, NULL, "tt", matrix(a), matrix(b));
    if (strcmp(op, "linear_bias") == 0)
        return by_name("linear", KT_PLAIN, NULL, "ttt", matrix(a), matrix(a), first_row(b));
    if (strcmp(op, "addmm") == 0)
        return by_name(op, KT_PLAIN, NULL, "ttt", matrix(a), matrix(b), matrix(b));
    if (strcmp(op, "baddbmm") == 0)
        return by_name(op, KT_PLAIN, NULL, "ttt", batch(a), batch(b), batch(b));
    if (strcmp(op, "einsum") == 0)
        return by_name(op, KT_PLAIN, NULL, "zl", "ij,jk->ik", (kt_tensor *[]){matrix(a), matrix(b)}, (int64_t)2);
    if (strcmp(op, "outer") == 0)
        return by_name(op, KT_PLAIN, NULL, "tt", first_row(a), first_row(b));
    if (strcmp(op, "dot") == 0)
        return by_name(op, KT_PLAIN, NULL, "tt", first_row(a), first_row(b));
    if (strcmp(op, "cat") == 0 || strcmp(op, "stack") == 0)
        return by_name(op, KT_PLAIN, NULL, "l", (kt_tensor *[]){matrix(a), matrix(b)}, (int64_t)2);
    if (strcmp(op, "where") == 0)
        return by_name(op, KT_PLAIN, NULL, "ttt", half_mask(), matrix(a), matrix(b));
    if (strcmp(op, "lerp") == 0)
        return by_name(op, KT_PLAIN, NULL, "tts", matrix(a), matrix(b), KT_FLOAT(0.5));
    if (strcmp(op, "addcmul") == 0 || strcmp(op, "addcdiv") == 0)
        return by_name(op, KT_PLAIN, NULL, "ttt", matrix(a), matrix(b), matrix(b));
    if (strcmp(op, "clamp_t") == 0)
        return by_name("clamp", KT_PLAIN, NULL, "tt", matrix(a), matrix(b));
    if (strcmp(op, "to") == 0)
        return by_name(op, KT_PLAIN, NULL, "td", matrix(a), (int)db);
    if (strcmp(op, "view_dtype") == 0)
        return by_name(op, KT_PLAIN, NULL, "td", matrix(a), (int)db);
    if (strcmp(op, "sum_dtype") == 0 || strcmp(op, "mean_dtype") == 0)
        return by_name(op[0] == 's' ? "sum" : "mean", KT_PLAIN, NULL, "td", matrix(a), (int)db);
    if (strcmp(op, "dist") == 0)
        return by_name(op, KT_PLAIN, NULL, "tt", matrix(a), matrix(b));
    if (strcmp(op, "gather") == 0)
        return by_name(op, KT_PLAIN, NULL, "tit", matrix(a), (int64_t)0, kt_to(kt_zeros(KT_SHAPE(2, 2)), .dtype = db));
    if (strcmp(op, "scatter") == 0)
        return by_name(op, KT_PLAIN, NULL, "titt", matrix(a), (int64_t)0, kt_zeros(KT_SHAPE(2, 2), .dtype = KT_I64), matrix(b));
    if (strcmp(op, "index") == 0)
        return by_name(op, KT_PLAIN, NULL, "tl", matrix(a), (kt_tensor *[]){first_row(b)}, (int64_t)1);
    if (strcmp(op, "index_put") == 0)
        return by_name(op, KT_PLAIN, NULL, "tlt", matrix(a), (kt_tensor *[]){kt_zeros(KT_SHAPE(1), .dtype = KT_I64)}, (int64_t)1,
                       first_row(b));
    if (strcmp(op, "index_select") == 0)
        return by_name(op, KT_PLAIN, NULL, "tit", matrix(a), (int64_t)0, first_row(b));
    if (strcmp(op, "index_add") == 0)
        return by_name(op, KT_PLAIN, NULL, "titt", matrix(a), (int64_t)0, kt_arange(KT_INT(0), KT_INT(2)), matrix(b));
    if (strcmp(op, "masked_fill") == 0)
        return by_name(op, KT_PLAIN, NULL, "tts", matrix(a), matrix(b), KT_FLOAT(1.5));
    if (strcmp(op, "add_out") == 0 || strcmp(op, "eq_out") == 0)
        return by_name(op[0] == 'a' ? "add" : "eq", KT_OUT, matrix(b), "tt", matrix(a), matrix(a));
    return NULL;
}

TEST(pairs)
{
    REQUIRE(load());
    part p = {.name = "two"};
    int  operators = 0;
    for (const json *op = json_get(facts, "two")->first; op; op = op->next) {
        const int before = p.same;
        for (const json *a = op->first; a; a = a->next)
            for (const json *c = a->first; c; c = c->next) {
                KT_SCOPE;
                kt_tensor *got = two(op->key, a->key, c->key);
                if (!got && !kt_failed())
                    p.absent++;
                else if (wanted(&p, c))
                    cell(&p, op->key, a->key, c->key, c, dtype_or_none(got));
                kt_clear();
            }
        operators += p.same > before;
    }
    CHECK(operators >= 35);
    done(&p);
}

/* ---- creation ---- */
static kt_tensor *create(const char *what)
{
    if (strcmp(what, "arange_int") == 0)
        return kt_arange(KT_INT(0), KT_INT(3));
    if (strcmp(what, "arange_float") == 0)
        return kt_arange(KT_INT(0), KT_FLOAT(3));
    if (strcmp(what, "linspace") == 0)
        return kt_linspace(KT_INT(0), KT_INT(1), 3);
    if (strcmp(what, "logspace") == 0)
        return kt_logspace(KT_INT(0), KT_INT(1), 3);
    if (strcmp(what, "full_int") == 0)
        return kt_full(KT_SHAPE(2), KT_INT(1));
    if (strcmp(what, "full_float") == 0)
        return kt_full(KT_SHAPE(2), KT_FLOAT(1));
    if (strcmp(what, "full_bool") == 0)
        return kt_full(KT_SHAPE(2), KT_FLAG(true));
    if (strcmp(what, "zeros") == 0)
        return kt_zeros(KT_SHAPE(2));
    if (strcmp(what, "eye") == 0)
        return kt_eye(2);
    if (strcmp(what, "int_requires_grad") == 0)
        return kt_zeros(KT_SHAPE(2), .dtype = KT_I64, .requires_grad = true);
    return NULL;
}

TEST(creation)
{
    REQUIRE(load());
    part p = {.name = "creation"};
    for (const json *c = json_get(facts, "creation")->first; c; c = c->next) {
        KT_SCOPE;
        kt_tensor *got = create(c->key);
        if (!got && !kt_failed())
            p.absent++;
        else if (wanted(&p, c))
            cell(&p, "creation", c->key, "", c, dtype_or_none(got));
    }
    CHECK_EQ_INT(p.same, 10);
    done(&p);
}
