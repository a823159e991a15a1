/* append.c - operators of others (plugin/operator.h): rows appended while the program runs are called, checked, explained,
 * recorded and differentiated as those of the table. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/operator.h>
#include <pthread.h>
#include <stdlib.h>

#include "support/by_name.h"

/* ---- scale: a body in C on plain memory, float32 and float64 alone, with a derivative ---- */

static kt_status scale(kt_call *call)
{
    kt_tensor   *x = kt_contiguous(call->arg[0].t), *y = kt_empty_like(x);
    const double by = kt_call_arg(call, 1)->f;
    for (int64_t i = 0; i < kt_numel(x); i++)
        if (kt_dtype_of(x) == KT_F32)
            ((float *)kt_data(y))[i] = (float)by * ((const float *)kt_data(x))[i];
        else
            ((double *)kt_data(y))[i] = by * ((const double *)kt_data(x))[i];
    call->out[0] = kt_keep(y);
    return KT_OK;
}

static kt_status scale_back(const kt_back *b)
{
    b->d[0] = kt_keep(kt_mul_s(b->grads[0], KT_FLOAT(kt_node_arg(b->node, 1)->f)));
    return KT_OK;
}
static const kt_node_type scale_node = {.abi = KT_NODE_ABI, .size = sizeof scale_node, .name = "ScaleBackward",
                                        .run = scale_back};

static const kt_row *scale_row(void)
{
    static const kt_row *row;
    kt_operator          op = {.size = sizeof op, .name = "mylib::scale", .schema = "scale(Tensor self, float by=2.0) -> Tensor",
                               .dtypes = "SAME", .accepts = "F", .doc = "self * by", .body = scale, .node = &scale_node};
    if (!row)
        CHECK_EQ_INT(kt_row_append(&op, &row), KT_OK);
    return row;
}

static kt_tensor *run(const kt_row *row, kt_tensor *a, kt_tensor *b)
{
    kt_call call;
    kt_call_begin(&call, row, KT_PLAIN);
    call.arg[0].t = a;
    call.arg[1].t = b;
    call.given = b ? 3 : 1;
    if (kt_call_run(&call))
        return NULL;
    kt_tensor *kept = kt_view_as(call.out[0], call.out[0]); /* the scope's */
    kt_drop(call.out[0]);
    return kept;
}

TEST(a_row_is_found_and_described)
{
    const kt_row *row = scale_row();
    REQUIRE(row != NULL);
    CHECK(kt_row_find("mylib::scale") == row);
    int n = 0;
    while (kt_row_at(n))
        n++;
    CHECK(kt_row_at(n - 1) == row);
    CHECK_STR(kt_row_schema(row), "scale(Tensor self, float by=2.0) -> Tensor");
    CHECK_STR(kt_row_doc(row), "self * by");
    CHECK_STR(kt_row_derivative(row), "ScaleBackward");
    CHECK_STR(kt_row_dtype_rule(row), "the dtype of the first operand");
    CHECK_EQ_INT(kt_row_takes(row), KT_CAT_FLOAT);
    CHECK_EQ_INT(kt_row_n_args(row), 2);
    CHECK_STR(kt_row_arg(row, 1)->name, "by");
    CHECK_NEAR(kt_row_arg(row, 1)->value.f, 2, 0);
    CHECK(kt_row_has_form(row, KT_PLAIN) && !kt_row_has_form(row, KT_OUT) && !kt_row_is_internal(row));
}

TEST(it_is_called_and_checked_at_the_edge)
{
    KT_SCOPE;
    const kt_row *row = scale_row();
    kt_tensor    *x = tensor_filled(KT_F32, KT_SHAPE(2, 3), 1.5), *y = run(row, x, NULL);
    CHECK_NEAR(tensor_at(y, 5), 3, 0);
    CHECK(kt_dtype_of(y) == KT_F32);
    CHECK_FAILS(run(row, kt_ones(KT_SHAPE(2), .dtype = KT_I32), NULL), KT_ERR_NOT_IMPLEMENTED,
                "\"mylib::scale\" not implemented for 'Int'");
    kt_call call;
    kt_call_begin(&call, row, KT_PLAIN);
    CHECK_FAILS(kt_call_run(&call), KT_ERR_TYPE, "mylib::scale() missing 1 required positional arguments: \"self\"");
    kt_call_begin(&call, row, KT_INPLACE);
    call.arg[0].t = x;
    call.given = 1;
    CHECK_FAILS(kt_call_run(&call), KT_ERR_TYPE, "mylib::scale has no in-place form");
}

TEST(a_refusal_is_explained)
{
    KT_SCOPE;
    run(scale_row(), kt_ones(KT_SHAPE(2), .dtype = KT_I32), NULL);
    CHECK(kt_failed());
    CHECK_MSG(strstr(kt_error(), "self") != NULL, "%s", kt_error());
    kt_mistake m = {.size = sizeof m};
    CHECK(kt_error_mistake(&m));
    CHECK(m.n_fixes > 0);
    kt_clear();
}

TEST(it_is_recorded)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3), .dtype = KT_F64, .requires_grad = true), *y = run(scale_row(), kt_mul(x, x), NULL);
    CHECK_EQ_INT(kt_backward(kt_sum(y)), KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 4, 0);
    kt_mode_guard off = kt_no_grad_open();
    CHECK(!kt_requires_grad(run(scale_row(), x, NULL)));
    kt_mode_close(&off);
}

/* ---- a rule that converts, with what is saved ---- */

static kt_dtype met[2];

static kt_status product(kt_call *call)
{
    met[0] = kt_dtype_of(call->arg[0].t);
    met[1] = kt_dtype_of(call->arg[1].t);
    CHECK(!kt_grad_enabled());
    call->out[0] = kt_keep(kt_mul(call->arg[0].t, call->arg[1].t));
    return KT_OK;
}

static kt_status product_setup(kt_node *node, const kt_call *call)
{
    return kt_node_save(node, 0, call->arg[0].t) || kt_node_save(node, 1, call->arg[1].t) ? kt_error_status() : KT_OK;
}

static kt_status product_back(const kt_back *b)
{
    kt_tensor *x = NULL, *y = NULL;
    if (!kt_node_saved(b->node, 0, &x) && !kt_node_saved(b->node, 1, &y)) {
        b->d[0] = b->needs[0] ? kt_keep(kt_mul(b->grads[0], y)) : NULL;
        b->d[1] = b->needs[1] ? kt_keep(kt_mul(b->grads[0], x)) : NULL;
    }
    kt_drop(x);
    kt_drop(y);
    return kt_failed() ? kt_error_status() : KT_OK;
}
static const kt_node_type product_node = {.abi = KT_NODE_ABI, .size = sizeof product_node, .name = "ProductBackward",
                                          .run = product_back};

static const kt_row *product_row(void)
{
    static const kt_row *row;
    kt_operator          op = {.size = sizeof op, .name = "mylib::product", .schema = "product(Tensor a, Tensor b) -> Tensor",
                               .dtypes = "PROMOTE", .body = product, .node = &product_node, .setup = product_setup, .n_saved = 2};
    if (!row)
        CHECK_EQ_INT(kt_row_append(&op, &row), KT_OK);
    return row;
}

TEST(operands_are_converted_as_the_rule_says)
{
    KT_SCOPE;
    kt_tensor *a = tensor_filled(KT_F32, KT_SHAPE(3), 2), *b = tensor_filled(KT_BF16, KT_SHAPE(3), 3);
    kt_set_requires_grad(a, true);
    kt_set_requires_grad(b, true);
    kt_tensor *y = run(product_row(), a, b);
    CHECK(met[0] == KT_F32 && met[1] == KT_F32 && kt_dtype_of(y) == KT_F32);
    CHECK_EQ_INT(kt_backward(kt_sum(y)), KT_OK);
    CHECK(kt_dtype_of(kt_grad(b)) == KT_BF16);
    CHECK_NEAR(tensor_at(kt_grad(a), 0), 3, 0);
    CHECK_NEAR(tensor_at(kt_grad(b), 0), 2, 0);
    kt_mode_guard strict = kt_policy_open(KT_STRICT);
    CHECK_FAILS(run(product_row(), a, b), KT_ERR_TYPE,
                "KT_POLICY(KT_STRICT) refuses to convert b from bfloat16 to float32 in mylib::product (promotion)");
    kt_mode_close(&strict);
    b = kt_mul_s(b, KT_INT(1));
    y = run(product_row(), a, b);
    kt_add_s_(b, KT_INT(1));
    CHECK_FAILS(kt_backward(kt_sum(y)), KT_ERR_RUNTIME, "one of the variables needed for gradient computation has been modified");
}

/* ---- bodies that fail, or that do not keep their word ---- */

static int which;

static kt_status faulty(kt_call *call)
{
    switch (which) {
    case 0: return KT_ERR_VALUE;
    case 1: return kt_fail(KT_ERR_INDEX, "mine");
    case 2: return KT_OK;
    case 3: call->out[0] = kt_keep(kt_ones(KT_SHAPE(1), .dtype = KT_F64)); return KT_OK;
    default: call->out[0] = kt_keep(kt_clone(call->arg[0].t)); return KT_OK;
    }
}

TEST(a_body_that_fails)
{
    KT_SCOPE;
    const kt_row *row = NULL;
    kt_operator   op = {.size = sizeof op, .name = "mylib::faulty", .schema = "faulty(Tensor self) -> Tensor", .dtypes = "SAME",
                        .body = faulty};
    REQUIRE(kt_row_append(&op, &row) == KT_OK);
    kt_tensor *x = kt_ones(KT_SHAPE(2));
    which = 0;
    CHECK_FAILS(run(row, x, NULL), KT_ERR_VALUE, "mylib::faulty failed");
    which = 1;
    CHECK_FAILS(run(row, x, NULL), KT_ERR_INDEX, "mine");
    which = 2;
    CHECK_FAILS(run(row, x, NULL), KT_ERR_RUNTIME, "mylib::faulty: its kernel gave no result 0");
    which = 3;
    CHECK_FAILS(run(row, x, NULL), KT_ERR_RUNTIME, "mylib::faulty: its kernel gave float64 where its dtype rule says float32");
    which = 4; /* no derivative */
    kt_set_requires_grad(x, true);
    kt_tensor *y = run(row, x, NULL);
    CHECK_FAILS(kt_backward(kt_sum(y)), KT_ERR_RUNTIME, "derivative for mylib::faulty is not implemented");
}

/* ---- made of operators, lists and defaults of every kind ---- */

static kt_status total(kt_call *call)
{
    kt_tensor *sum = kt_zeros(KT_SCALAR);
    for (int64_t i = 0; i < call->arg[0].ts.n; i++)
        sum = kt_add(sum, kt_sum(call->arg[0].ts.t[i]));
    const kt_shape add = kt_call_arg(call, 2)->ints;
    CHECK_EQ_INT(add.n, 2);
    CHECK_STR(kt_call_arg(call, 4)->str, "a, b");
    CHECK(kt_call_arg(call, 3)->b);
    CHECK(kt_call_arg(call, 5)->s.kind == KT_SCALAR_FLOAT);
    CHECK(!kt_call_arg(call, 8) && !kt_call_arg(call, -1));
    call->out[0] = kt_keep(kt_mul_s(sum, KT_INT(kt_call_arg(call, 1)->i)));
    call->out[1] = kt_keep(kt_add_s(sum, KT_INT(add.d[0] + add.d[1])));
    return KT_OK;
}

TEST(a_composite_of_a_list)
{
    KT_SCOPE;
    const kt_row *row = NULL;
    kt_operator   op = {.size = sizeof op, .name = "mylib::total", .body = total, .composite = true,
                        .schema = "total(Tensor[] tensors, str[] add=[4, -5]) -> (Tensor product, Tensor sum)"};
    CHECK_FAILS(kt_row_append(&op, &row), KT_ERR_VALUE, "operator mylib::total: there is no type str[]");
    op.schema = "total.list(Tensor[] tensors, int times=-3, int[] add=[4, -5], *, bool flag=True, str text='a, b', "
                "Scalar half=0.5, Scalar? none=None, int[1] dim=1) -> (Tensor product, Tensor sum)";
    REQUIRE(kt_row_append(&op, &row) == KT_OK);
    CHECK_STR(kt_row_result_name(row, 1), "sum");
    CHECK_EQ_INT(kt_row_arg(row, 7)->value.ints.d[0], 1);
    kt_tensor *x = kt_ones(KT_SHAPE(2), .requires_grad = true), *list[2] = {x, kt_mul_s(x, KT_INT(2))};
    kt_call    call;
    kt_call_begin(&call, row, KT_PLAIN);
    call.arg[0].ts.t = list;
    call.arg[0].ts.n = 2;
    call.given = 1;
    REQUIRE(kt_call_run(&call) == KT_OK);
    CHECK_EQ_INT(call.n_out, 2);
    CHECK_NEAR(tensor_at(call.out[0], 0), -18, 0);
    CHECK_NEAR(tensor_at(call.out[1], 0), 5, 0);
    CHECK_EQ_INT(kt_backward(call.out[0]), KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(x), 0), -9, 0);
    kt_drop(call.out[0]);
    kt_drop(call.out[1]);
}

TEST(what_cannot_be_appended)
{
    static const struct {
        const char *name, *schema, *dtypes, *accepts, *text;
    } bad[] = {
        {NULL, "f(Tensor x) -> Tensor", NULL, NULL, "an operator needs a name and a schema"},
        {"a b", "f(Tensor x) -> Tensor", NULL, NULL, "'a b' is no name of an operator"},
        {"mylib::", "f(Tensor x) -> Tensor", NULL, NULL, "'mylib::' is no name of an operator"},
        {"add", "add(Tensor x) -> Tensor", NULL, NULL, "operator add: there is one of that name"},
        {"n::f", "f(Tensor x -> Tensor", NULL, NULL, "operator n::f: expected a comma at '-> Tensor' in its schema"},
        {"n::f", "f(Tensor) -> Tensor", NULL, NULL, "operator n::f: expected a type and a name at 'Tensor) -> Tensor'"},
        {"n::f", "f(Tensor x)", NULL, NULL, "operator n::f: expected -> at ''"},
        {"n::f", "f(Tensor x) -> str", NULL, NULL, "operator n::f: its schema gives a list, a number, a string or nothing"},
        {"n::f", "f(Tensor x) -> Device", NULL, NULL, "operator n::f: expected Tensor, Tensor[] or (Tensor name, ...) at "
                                                      "'Device'"},
        {"n::f", "f(Tensor x) -> Tensor?", NULL, NULL, "operator n::f: its schema gives a list, a number, a string or nothing, "
                                                       "or may give nothing"},
        {"n::f", "f(Tensor x) -> (Tensor, Tensor[])", NULL, NULL, "operator n::f: a result is no Tensor at 'Tensor[])'"},
        {"n::f", "f(Tensor x) -> int", NULL, NULL, "operator n::f: its schema gives a list, a number, a string or nothing"},
        {"n::f", "f(Tensor x) -> Tensor[]", NULL, NULL, "operator n::f: its schema gives a list, a number, a string or nothing"},
        {"n::f", "f(Tensor x) -> ()", NULL, NULL, "operator n::f: its schema gives a list, a number, a string or nothing"},
        {"n::f", "f(Tensor x, Tensor x) -> Tensor", NULL, NULL, "operator n::f: two arguments have one name"},
        {"n::f", "f(Matrix x) -> Tensor", NULL, NULL, "operator n::f: there is no type Matrix"},
        {"n::f", "f(Tensor x, int n=1.5) -> Tensor", NULL, NULL, "operator n::f: 1.5 is no default of the argument n"},
        {"n::f", "f(Tensor x, int n=None) -> Tensor", NULL, NULL, "operator n::f: None is no default of the argument n"},
        {"n::f", "f(Tensor x, int[] n=[1, x]) -> Tensor", NULL, NULL, "operator n::f: [1, x] is no default of the argument n"},
        {"n::f", "f(Tensor x, int[] n=[1) -> Tensor", NULL, NULL, "operator n::f: a default is not closed"},
        {"n::f", "f(Tensor x) -> Tensor", "WHATEVER", NULL, "operator n::f: there is no dtype rule WHATEVER"},
        {"n::f", "f(Tensor x) -> Tensor", "SAME", "Q", "operator n::f: it accepts letters of BIFC, not 'Q'"},
        {"n::f", "f(int x) -> Tensor", "SAME", "F", "operator n::f: a dtype rule is about 1 to 10 tensors"},
    };
    const kt_row *row = NULL;
    int           before = 0, after = 0;
    while (kt_row_at(before))
        before++;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kt_operator op = {.size = sizeof op, .name = bad[i].name, .schema = bad[i].schema, .dtypes = bad[i].dtypes,
                          .accepts = bad[i].accepts, .body = faulty};
        CHECK_FAILS(kt_row_append(&op, &row), KT_ERR_VALUE, bad[i].text);
        CHECK(!row);
    }
    kt_operator op = {.size = sizeof op, .name = "n::f", .schema = "f(Tensor(a!) x) -> Tensor", .body = faulty,
                      .node = &scale_node};
    CHECK_FAILS(kt_row_append(&op, &row), KT_ERR_VALUE,
                "operator n::f: it writes to an argument: a derivative is of an operator");
    op.schema = "f(Tensor x) -> Tensor";
    op.node = NULL;
    op.n_saved = 1;
    CHECK_FAILS(kt_row_append(&op, &row), KT_ERR_VALUE, "operator n::f: what it saves is for its node");
    op.node = &scale_node;
    op.composite = true;
    CHECK_FAILS(kt_row_append(&op, &row), KT_ERR_VALUE, "operator n::f: a composite has the derivatives of what it is made of");
    while (kt_row_at(after))
        after++;
    CHECK_EQ_INT(after, before);
}

/* ---- threads append while others call ---- */

enum { THREADS = 4, EACH = 40 };

static void *append_and_call(void *number)
{
    KT_SCOPE;
    for (int i = 0; i < EACH; i++) {
        char          name[32];
        const kt_row *row = NULL;
        snprintf(name, sizeof name, "many::f%d_%d", (int)(intptr_t)number, i);
        kt_operator op = {.size = sizeof op, .name = name, .schema = "f(Tensor self, float by=2.0) -> Tensor", .dtypes = "SAME",
                          .body = scale, .node = &scale_node};
        if (kt_row_append(&op, &row) || kt_row_find(name) != row)
            return NULL;
        kt_tensor *y = run(row, kt_ones(KT_SHAPE(2)), NULL);
        if (!y || tensor_at(y, 1) != 2)
            return NULL;
    }
    return number;
}

TEST(threads_append_while_others_call)
{
    pthread_t thread[THREADS];
    int       n = 0, now = 0;
    while (kt_row_at(n))
        n++;
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&thread[i], NULL, append_and_call, (void *)(intptr_t)(i + 1)) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        pthread_join(thread[i], &result);
        CHECK(result == (void *)(intptr_t)(i + 1));
    }
    while (kt_row_at(now))
        now++;
    CHECK_EQ_INT(now, n + THREADS * EACH);
}
