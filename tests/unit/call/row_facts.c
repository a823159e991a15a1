/* row_facts.c - what `karat ops` says of a row is said of every row, and is so where it can be tried: rows with a RESULT line are
 * called with random arguments, each dtype in turn, and what they took and gave is held against it. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>

#include "call/row.h"
#include "support/any_row.h"

TEST(every_row_says_what_it_takes_and_gives)
{
    for (int i = 0; i < KT_NUM_OPS; i++) {
        const kt_row *row = kt_row_at(i);
        CHECK_MSG(*kt_row_dtype_rule(row), "%s does not say what it gives", row->name);
        CHECK_MSG(kt_row_takes(row) != 0, "%s does not say what it takes", row->name);
        CHECK_MSG(*kt_row_derivative(row) && *kt_row_section(row) && *kt_row_doc(row), "%s lacks a fact", row->name);
    }
    CHECK(kt_row_is_internal(kt_row_find("gelu_backward")) && kt_row_is_internal(kt_row_find("prelu_kernel")));
    CHECK(!kt_row_is_internal(kt_row_find("add")) && !kt_row_is_internal(kt_row_find("unique")));
    CHECK_STR(kt_row_derivative(kt_row_find("add")), "AddBackward0");
    CHECK_STR(kt_row_derivative(kt_row_find("matmul")), "that of the operators it is made of");
    CHECK_STR(kt_row_derivative(kt_row_find("argmax")), "none: no gradient flows");
    CHECK_EQ_INT(kt_row_takes(kt_row_find("exp")), KT_CAT_BOOL | KT_CAT_INT | KT_CAT_FLOAT | KT_CAT_COMPLEX);
}

/* ---- trying ---- */

static const struct {
    int         id;
    const char *takes, *gives;
} stated[] = {
#define RESULT(name, takes, grad, gives) {KT_OP_##name, #takes, gives},
#include "tables/ops.def"
};

static int roll(int n) { return (int)test_below((uint64_t)n); }

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* Tensors that name places or counts, whatever the dtype of the others. */
static bool is_index(const char *name)
{
    static const char *const names[] = {"index", "indices", "target", "sorter", "repeats", "tensor_indices_or_sections",
                                        "start", NULL};
    return is_one_of(name, names);
}

static kt_tensor *ones(kt_dtype dtype, int shape)
{
    static const int64_t sizes[][3] = {{2, 2}, {2}, {4}, {2, 2, 2}, {0}, {3, 3}, {1}, {3}, {1, 1}};
    static const int     rank[] = {2, 1, 1, 3, 0, 2, 1, 1, 2};
    const kt_shape       wanted = {rank[shape], sizes[shape]};
    return kt_ones(wanted, .dtype = dtype);
}

static kt_value random_value(const kt_arg_spec *a, bool first, kt_dtype dtype, kt_dtype others, int shape, kt_tensor **list)
{
    static const char *const words[] = {"mean", "none", "sum", "fro", "ij,jk->ik", "ij", "unsafe", "torch", "constant",
                                        "amax", "prod"};
    static const char *const masks[] = {"condition", "mask", NULL};
    static const kt_scalar   two[] = {{{1}, 0, KT_SCALAR_INT, 0}, {{2}, 0, KT_SCALAR_INT, 0}};
    static const int64_t     ints[][2] = {{0, 1}, {2, 2}, {1, 1}, {-2, -1}};
    kt_value                 v = {0};
    switch (a->kind) {
    case KT_ARG_TENSOR:
    case KT_ARG_TENSOR_OR_SCALAR: {
        const bool values = strcmp(a->name, "target") == 0 && roll(2); /* of a loss between two of a kind */
        const bool index = is_index(a->name) && !first && !values, mask = is_one_of(a->name, masks);
        v.t = ones(index ? KT_I64 : mask ? KT_BOOL : first ? dtype : others, roll(3) ? shape : roll(9));
        if (index && roll(2))
            v.t = kt_zeros_like(v.t);
        break;
    }
    case KT_ARG_TENSORS:
        for (int i = 0; i < 2; i++)
            list[i] = ones(first ? dtype : others, shape);
        v.ts.t = list;
        v.ts.n = 1 + roll(2);
        break;
    case KT_ARG_SCALARS: v.ss.s = two, v.ss.n = 2; break;
    case KT_ARG_SCALAR: v.s = roll(2) ? KT_INT(1) : KT_FLOAT(0.5); break;
    case KT_ARG_INT: v.i = roll(5) - 1; break;
    case KT_ARG_INTS: v.ints = (kt_shape){roll(3), ints[roll(4)]}; break;
    case KT_ARG_FLOAT: v.f = roll(2) ? 0.5 : 1; break;
    case KT_ARG_BOOL: v.b = true; break;
    case KT_ARG_DTYPE: v.dtype = dtype; break;
    case KT_ARG_STRING: v.str = words[roll(11)]; break;
    default: break;
    }
    return v;
}

/* Optional arguments; a norm that is not in training needs its statistics. */
static bool skipped_of_fitted(const kt_row *row, const kt_arg_spec *a)
{
    return (a->has_default || a->optional) && !(any_norm(row) && strncmp(a->name, "running_", 8) == 0);
}

/* The dtype of the first result, or of what was written in place, of one call with random arguments; KT_NONE where it was
 * refused. `dtype`: of the first tensor; `others`: of those beside it. */
static kt_dtype try_once(const kt_row *row, kt_dtype dtype, kt_dtype others)
{
    KT_SCOPE;
    kt_call    c;
    kt_tensor *lists[KT_MAX_ARGS][2];
    kt_dtype   got = KT_NONE;
    const int  shape = roll(9);
    const bool fitted = any_is_fitted(row);
    bool       first = true;
    const bool makes = kt_row_arg(row, 0)->kind != KT_ARG_TENSOR && kt_row_arg(row, 0)->kind != KT_ARG_TENSORS;
    kt_call_begin(&c, row, kt_row_has_form(row, KT_PLAIN) ? KT_PLAIN : KT_INPLACE);
    for (int i = 0; i < kt_row_n_args(row); i++) {
        const kt_arg_spec *a = kt_row_arg(row, i);
        const bool         plain = a->kind == KT_ARG_DEVICE || a->kind == KT_ARG_FORMAT || a->kind == KT_ARG_GENERATOR;
        const bool         own = a->kind == KT_ARG_DTYPE && a->has_default && !makes; /* dtype= is a cast before it */
        const bool         asked = a->kind == KT_ARG_DTYPE && makes;
        if (plain || own || (!asked && a->has_default && roll(3)) || (fitted && skipped_of_fitted(row, a)))
            continue;
        if (fitted) {
            any_argument(&c, i, first ? dtype : others, 2);
            first = false;
            continue;
        }
        c.arg[i] = random_value(a, first, dtype, others, shape, lists[i]);
        first &= a->kind != KT_ARG_TENSOR && a->kind != KT_ARG_TENSOR_OR_SCALAR && a->kind != KT_ARG_TENSORS;
        c.given |= 1u << i;
    }
    kt_clear();
    if (kt_call_run(&c) == KT_OK) {
        const bool list = kt_row_arg(row, 0)->kind == KT_ARG_TENSORS;
        got = c.n_list > 0              ? kt_dtype_of(c.list[0])
              : c.out[0]                ? kt_dtype_of(c.out[0])
              : c.form != KT_INPLACE    ? KT_NONE
              : list && c.arg[0].ts.n   ? kt_dtype_of(c.arg[0].ts.t[0])
              : list                    ? KT_NONE
                                        : kt_dtype_of(c.arg[0].t);
        for (int i = 0; i < c.n_out; i++)
            kt_drop(c.out[i]);
        kt_call_free_list(&c);
    }
    kt_clear();
    return got;
}

static bool says(const char *gives, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(gives, word, n) == 0 && (gives[n] == '\0' || gives[n] == ';');
}

/* A drop in evaluation is no operation: it takes whatever it is given. Kernels of backward are not asked by dtype.
 * inner with a 0-dim operand is a product of elements, a chain of one matrix that matrix. */
static bool takes_more(const char *name)
{
    return strstr(name, "dropout") || strstr(name, "_backward") ||
           strcmp(name, "inner") == 0 || strcmp(name, "chain_matmul") == 0;
}

TEST(what_is_said_of_dtypes_is_so)
{
    static const kt_dtype dtypes[] = {KT_BOOL, KT_I64, KT_F32, KT_F64, KT_C64};
    static const char     kinds[] = "BIFFC";
    int                   ran = 0, rows = 0;
    for (size_t r = 0; r < sizeof stated / sizeof *stated; r++) {
        const kt_row *row = kt_row_at(stated[r].id);
        bool          any = false;
        for (int k = 0; k < 5; k++)
            for (int tries = 0; tries < (test_all() ? 400 : 100); tries++) {
                const kt_dtype got = try_once(row, dtypes[k], dtypes[k]);
                if (got == KT_NONE)
                    continue;
                any = true;
                ran++;
                CHECK_MSG(strchr(stated[r].takes, kinds[k]) || takes_more(row->name), "%s takes %s, which is not said", row->name,
                          kt_dtype_name(dtypes[k]));
                if (says(stated[r].gives, "the dtype of self") || says(stated[r].gives, "the dtype of the first operand")) {
                    const bool stays = strcmp(stated[r].gives, "the dtype of self") == 0 || kinds[k] == 'F';
                    CHECK_MSG(got == dtypes[k] || !stays, "%s of %s gives %s", row->name, kt_dtype_name(dtypes[k]),
                              kt_dtype_name(got));
                }
                if (says(stated[r].gives, "bool") || says(stated[r].gives, "int64"))
                    CHECK_MSG(got == (stated[r].gives[0] == 'b' ? KT_BOOL : KT_I64) || stated[r].gives[5] == ';',
                              "%s gives %s", row->name, kt_dtype_name(got));
                break;
            }
        rows += any;
        if (!any)
            printf("no call found of %s\n", row->name);
    }
    printf("%d calls of %d rows that say more than their rule\n", ran, rows);
    CHECK(rows > (int)(sizeof stated / sizeof *stated) * 9 / 10);
}

/* The other way: a kind of dtype that a row is said to take is taken, with some arguments, by each row that takes anything. */
TEST(what_a_row_is_said_to_take_it_takes)
{
    static const kt_dtype dtypes[] = {KT_BOOL, KT_I64, KT_F32, KT_C64}; /* the kinds, and what stands beside the first */
    int                   rows = 0, silent = 0;
    for (int r = 0; r < KT_NUM_OPS; r++) {
        const kt_row *row = kt_row_at(r);
        unsigned      took = 0;
        for (int k = 0; k < 4; k++)
            for (int tries = 0; tries < 12000 && !(took >> k & 1) && kt_row_takes(row) >> k & 1; tries++)
                took |= (try_once(row, k == 1 && tries % 16 == 15 ? KT_U8 : dtypes[k], /* of integers some take uint8 alone */
                                  tries % 2 ? dtypes[k] : dtypes[tries / 2 % 3]) != KT_NONE) << k;
        rows += took != 0;
        silent += took == 0;
        for (int k = 0; k < 4 && took; k++)
            CHECK_MSG(took >> k & 1 || !(kt_row_takes(row) >> k & 1), "%s is said to take %s and refuses it", row->name,
                      kt_dtype_name(dtypes[k]));
    }
    printf("%d rows took what they are said to; of %d no call was found\n", rows, silent);
    CHECK(rows > KT_NUM_OPS * 9 / 10);
}
