/* nodes.c - nodes seen from C: their hooks, a binding's data, what they keep, runs of one node, edges, anomalies, grad_dtype. */
#include "harness.h"
#include <math.h>

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <karat/plugin/node.h>

#include "support/by_name.h"
#include "support/memory.h"

static kt_tensor *leaf(double value)
{
    kt_tensor *t = tensor_filled(KT_F64, KT_SHAPE(3), value);
    kt_set_requires_grad(t, true);
    return t;
}

/* ---- hooks ---- */

typedef struct note {
    double    factor;   /* of the gradient that it replaces; 0: it replaces none */
    kt_dtype  dtype;    /* not KT_NONE: it gives this one */
    kt_status fails;
    int       runs, released;
    double    last;
    int64_t   n_inputs, n_results;
} note;

static kt_status scale(kt_node_grads *grads, void *context)
{
    note             *n = context;
    kt_tensor *const *for_them = grads->inputs ? grads->inputs : grads->results;
    n->runs++;
    n->n_inputs = grads->n_inputs;
    n->n_results = grads->n_results;
    n->last = for_them[0] ? tensor_at(for_them[0], 0) : NAN;
    if (n->fails)
        return n->fails;
    if (n->factor == 0 && n->dtype == KT_NONE)
        return KT_OK;
    grads->replaces = true;
    for (int64_t i = 0; i < (grads->inputs ? grads->n_inputs : grads->n_results); i++)
        grads->instead[i] = !for_them[i]      ? NULL
                            : n->dtype ? kt_keep(kt_to(for_them[i], .dtype = n->dtype))
                                       : kt_keep(kt_mul_s(for_them[i], KT_FLOAT(n->factor)));
    return KT_OK;
}

static void count_release(void *context) { ((note *)context)->released++; }

TEST(hooks_before_and_after_a_node)
{
    note           before = {.factor = 10}, after = {.factor = 3};
    const uint64_t bytes = live_bytes();
    {
        KT_SCOPE;
        kt_tensor *x = leaf(2), *y = kt_mul(x, x);
        kt_node   *node = kt_grad_fn(y);
        kt_hook   *first = kt_node_hook_add_before(node, "first", scale, &before, count_release);
        kt_hook   *second = kt_node_hook_add(node, "second", scale, &after, count_release);
        CHECK_EQ_INT(kt_backward(kt_sum(y), .retain_graph = true), KT_OK);
        CHECK_NEAR(before.last, 1, 0);
        CHECK_NEAR(after.last, 20, 0);
        CHECK(before.n_inputs == 0 && before.n_results == 1 && after.n_inputs == 2 && after.n_results == 1);
        CHECK_NEAR(tensor_at(kt_grad(x), 1), 2 * 20 * 3, 0);
        kt_hook_remove(first);
        CHECK_EQ_INT(before.released, 1);
        kt_hook_drop(second); /* the hook stays */
        kt_set_grad(x, NULL);
        CHECK_EQ_INT(kt_backward(kt_sum(y)), KT_OK);
        CHECK_NEAR(tensor_at(kt_grad(x), 1), 4 * 3, 0);
        CHECK(before.runs == 1 && after.runs == 2 && !after.released);
        kt_node_drop(node);
    }
    CHECK_EQ_INT(after.released, 1);
    CHECK_EQ_INT(live_bytes(), bytes);
}

TEST(hooks_that_fail_or_give_what_does_not_fit)
{
    KT_SCOPE;
    kt_tensor *x = leaf(2), *y = kt_mul(x, x);
    kt_node   *node = kt_grad_fn(y);
    note       fails = {.fails = KT_ERR_VALUE}, changes = {.dtype = KT_F32};
    kt_hook   *hook = kt_node_hook_add(node, "failing", scale, &fails, NULL);
    CHECK_FAILS(kt_backward(kt_sum(y), .retain_graph = true), KT_ERR_VALUE, "the hook 'failing' failed");
    kt_hook_remove(hook);
    hook = kt_node_hook_add_before(node, "changing", scale, &changes, NULL);
    CHECK_FAILS(kt_backward(kt_sum(y), .retain_graph = true), KT_ERR_RUNTIME,
                "hook 'changing' has changed the type of value (was torch.DoubleTensor got torch.FloatTensor)");
    kt_hook_remove(hook);
    CHECK_EQ_INT(kt_backward(kt_sum(y)), KT_OK);
    CHECK_FAILS(kt_node_hook_add(NULL, "", scale, NULL, NULL) ? KT_OK : kt_error_status(), KT_ERR_TYPE, "expected a node");
    CHECK_FAILS(kt_node_hook_add(node, "", NULL, NULL, NULL) ? KT_OK : kt_error_status(), KT_ERR_TYPE, "expected a hook");
    kt_node_drop(node);
}

TEST(data_of_a_node)
{
    note one = {0}, two = {0};
    {
        KT_SCOPE;
        kt_tensor *y = kt_mul(leaf(2), leaf(3));
        kt_node   *node = kt_grad_fn(y);
        CHECK(kt_node_data(node) == NULL && kt_node_data(NULL) == NULL);
        CHECK_EQ_INT(kt_node_set_data(node, &one, count_release), KT_OK);
        CHECK(kt_node_data(node) == &one);
        CHECK_EQ_INT(kt_node_set_data(node, &two, count_release), KT_OK);
        CHECK(kt_node_data(node) == &two && one.released == 1 && two.released == 0);
        kt_node_drop(node);
        CHECK(two.released == 0);
        CHECK_FAILS(kt_node_set_data(NULL, &two, NULL), KT_ERR_TYPE, "expected a node");
    }
    CHECK_EQ_INT(two.released, 1);
}

/* ---- facts ---- */

static bool kept_named(const kt_node *node, const char *name, kt_kept *kept)
{
    for (int64_t i = 0; kt_node_kept(node, i, kept); i++)
        if (strcmp(kept->name, name) == 0)
            return true;
    return false;
}

TEST(what_a_node_keeps_under_pytorchs_names)
{
    KT_SCOPE;
    kt_tensor *x = leaf(2), *product = kt_mul(x, leaf(3)), *t = NULL;
    kt_tensor *power = kt_pow_s(x, KT_INT(3)), *sum = kt_sum_dim(product, KT_SHAPE(0), .keepdim = true);
    kt_node   *of_product = kt_grad_fn(product), *of_power = kt_grad_fn(power), *of_sum = kt_grad_fn(sum);
    kt_kept    kept;
    CHECK(kept_named(of_product, "self", &kept) && kept.place == 0 && kept.n == -1);
    CHECK_EQ_INT(kt_node_saved(of_product, kept.place, &t), KT_OK);
    CHECK(t == x);
    kt_drop(t);
    CHECK(kept_named(of_power, "exponent", &kept) && kept.place < 0 && kept.kind == KT_ARG_SCALAR && kept.value->s.v.i == 3);
    CHECK(kept_named(of_sum, "dim", &kept) && kept.value->ints.n == 1 && kept.value->ints.d[0] == 0);
    CHECK(kept_named(of_sum, "keepdim", &kept) && kept.value->b);
    CHECK(kept_named(of_sum, "self_sym_sizes", &kept) && kept.kind == KT_ARG_INTS && kept.value->ints.n == 1);
    CHECK_EQ_INT(kept.value->ints.d[0], kt_size(product, 0));
    CHECK(!kept_named(of_sum, "self", &kept) && !kept_named(NULL, "self", &kept) && !kt_node_kept(of_sum, -1, &kept));
    CHECK_FAILS(kt_node_saved(of_product, 99, &t), KT_ERR_INDEX, "MulBackward0 keeps 0 tensors: there is no place 99");
    kt_node_drop(of_product);
    kt_node_drop(of_power);
    kt_node_drop(of_sum);
}

TEST(a_run_of_one_node)
{
    KT_SCOPE;
    kt_tensor *x = leaf(2), *y = kt_mul(x, x), *one = tensor_filled(KT_F64, KT_SHAPE(3), 1), *d[2] = {NULL, NULL};
    kt_node   *node = kt_grad_fn(y);
    CHECK_EQ_INT(kt_node_run(node, &one, 1, d, 2), KT_OK);
    CHECK_NEAR(tensor_at(d[0], 2), 2, 0);
    CHECK(kt_requires_grad(d[0]) && kt_grad(x) == NULL);
    kt_drop(d[0]);
    kt_drop(d[1]);
    kt_tensor *none = NULL;
    CHECK_EQ_INT(kt_node_run(node, &none, 1, d, 2), KT_OK);
    CHECK(!d[0] && !d[1]);
    CHECK_FAILS(kt_node_run(node, &one, 2, d, 2), KT_ERR_TYPE, "MulBackward0 takes 1 gradients and gives 2, not 2 and 2");
    CHECK_FAILS(kt_node_run(node, &one, 1, d, 1), KT_ERR_TYPE, "MulBackward0 takes 1 gradients and gives 2, not 1 and 1");
    CHECK_EQ_INT(kt_backward(kt_sum(y)), KT_OK);
    CHECK_FAILS(kt_node_run(node, &one, 1, d, 2), KT_ERR_RUNTIME, "Trying to backward through the graph a second time");
    kt_node_drop(node);
}

TEST(a_tensor_that_stands_for_a_result)
{
    const uint64_t bytes = live_bytes();
    {
        KT_SCOPE;
        kt_tensor *x = leaf(2), *seed = tensor_filled(KT_F64, KT_SHAPE(3), 1);
        kt_tensor *stands = NULL, *found = NULL, *leafs = NULL, *none = NULL;
        int64_t    result = -1;
        kt_node   *node = kt_gradient_node(kt_exp(x), &result), *of_leaf = kt_gradient_node(x, NULL);
        kt_dtype   dtype;
        kt_device  device;
        kt_shape   sizes;
        CHECK(result == 0 && kt_gradient_node(seed, &result) == NULL && kt_gradient_node(NULL, NULL) == NULL);
        CHECK(kt_node_result(node, 0, &dtype, &device, &sizes) && dtype == KT_F64 && sizes.n == 1 && sizes.d[0] == 3);
        CHECK(!kt_node_result(node, 1, &dtype, &device, &sizes) && !kt_node_result(NULL, 0, &dtype, &device, &sizes));
        CHECK_EQ_INT(kt_node_tensor(node, 0, &stands), KT_OK);
        CHECK_EQ_INT(kt_gradients(&stands, &seed, 1, &x, 1, NULL, &found), KT_OK);
        CHECK_NEAR(tensor_at(found, 0), exp(2), 1e-12);
        CHECK_EQ_INT(kt_node_tensor(of_leaf, 0, &leafs), KT_OK);
        CHECK(leafs == x && kt_node_sequence(of_leaf) == UINT64_MAX && kt_node_sequence(node) < UINT64_MAX);
        CHECK_FAILS(kt_node_tensor(node, 7, &none), KT_ERR_INDEX, "ExpBackward0: the form of result 7 is not known");
        kt_drop(found);
        kt_drop(stands);
        kt_drop(leafs);
        kt_node_drop(kt_node_keep(node));
        kt_node_drop(node);
        kt_node_drop(of_leaf);
    }
    CHECK_EQ_INT(live_bytes(), bytes);
}

/* ---- the run of backward ---- */

typedef struct asked {
    const kt_node *one, *other;
    uint64_t       id;
    bool           first, second;
} asked;

static kt_status ask(kt_tensor *grad, void *context, kt_tensor **instead)
{
    asked *a = context;
    (void)grad, (void)instead;
    a->id = kt_backward_id();
    a->first = kt_backward_runs(a->one);
    a->second = kt_backward_runs(a->other);
    return KT_OK;
}

TEST(a_hook_can_ask_what_runs)
{
    KT_SCOPE;
    kt_tensor *x = leaf(2), *y = leaf(3), *a = kt_exp(x), *b = kt_exp(y), *total = kt_sum(kt_mul(a, kt_exp(a))), *found = NULL;
    asked      facts = {.one = kt_node_of(a), .other = kt_node_of(b)};
    kt_hook   *hook = kt_hook_add(a, "ask", ask, &facts, NULL);
    CHECK(kt_backward_id() == 0 && !kt_backward_runs(facts.one));
    CHECK_EQ_INT(kt_backward(total, .retain_graph = true), KT_OK);
    const uint64_t id = facts.id;
    CHECK(id != 0 && facts.first && !facts.second);
    CHECK_EQ_INT(kt_gradients(&total, NULL, 1, &a, 1, NULL, &found), KT_OK);
    CHECK(facts.id != id && facts.first && !facts.second && kt_backward_id() == 0);
    kt_drop(found);
    kt_hook_drop(hook);
}

/* ---- anomalies ---- */

static char said[3][512];
static int  n_said;

static void note_warning(const char *text)
{
    if (n_said < 3)
        snprintf(said[n_said++], sizeof *said, "%s", text);
}

TEST(anomalies_are_named)
{
    KT_SCOPE;
    kt_tensor *x = leaf(0), *g = NULL;
    kt_on_warning(note_warning);
    CHECK(!kt_anomaly() && kt_anomaly_checks_nan());
    kt_set_anomaly(true, true);
    CHECK(kt_anomaly() && kt_anomaly_checks_nan());
    CHECK_FAILS(kt_backward(kt_sum(kt_mul_s(kt_sqrt(x), KT_INT(0)))), KT_ERR_RUNTIME,
                "Function 'SqrtBackward0' returned nan values in its 0th output.");
    CHECK_EQ_INT(n_said, 1);
    CHECK(strncmp(said[0], "Error detected in SqrtBackward0.", 32) == 0);
    kt_set_anomaly(true, false);
    CHECK_EQ_INT(kt_backward(kt_sum(kt_mul_s(kt_sqrt(x), KT_INT(0)))), KT_OK);
    kt_set_anomaly(true, true);
    n_said = 0;
    const kt_gradients_opts twice = {.size = sizeof twice, .create_graph = true};
    kt_tensor              *power = kt_sum(kt_pow_s(x, KT_FLOAT(1.5)));
    CHECK_EQ_INT(kt_gradients(&power, NULL, 1, &x, 1, &twice, &g), KT_OK);
    CHECK_FAILS(kt_backward(kt_sum(kt_mul_s(g, KT_INT(0)))), KT_ERR_RUNTIME, "Function 'PowBackward0' returned nan values");
    CHECK_EQ_INT(n_said, 2);
    CHECK(strncmp(said[1], "\n\nPrevious calculation was induced by PowBackward0.", 51) == 0);
    kt_drop(g);
    kt_set_anomaly(false, true);
    kt_on_warning(NULL);
}

/* ---- writes to what is saved ---- */

TEST(what_is_saved_may_be_written_to)
{
    const uint64_t bytes = live_bytes();
    {
        KT_SCOPE;
        kt_tensor *x = leaf(2), *a = kt_mul_s(x, KT_INT(1)), *y = NULL;
        CHECK_EQ_INT(kt_mutation_begin(), KT_OK);
        CHECK_FAILS(kt_mutation_begin(), KT_ERR_RUNTIME, "allow_mutation_on_saved_tensors contexts cannot be nested");
        y = kt_sum(kt_mul(a, a));
        kt_mul_s_(a, KT_INT(5));
        CHECK_EQ_INT(kt_backward(y), KT_OK);
        CHECK_NEAR(tensor_at(kt_grad(x), 0), 4, 0);
        y = kt_sum(kt_mul(a, a));
        CHECK_EQ_INT(kt_mutation_clear(), KT_OK);
        CHECK_FAILS(kt_backward(y), KT_ERR_ASSERTION, "Trying to backward outside of the 'allow_mutation_on_");
        kt_mutation_end();
        kt_mutation_end();
        CHECK_EQ_INT(kt_mutation_clear(), KT_OK);
    }
    CHECK_EQ_INT(live_bytes(), bytes);
}

/* ---- the dtype of a leaf's gradient ---- */

TEST(a_leafs_gradient_has_the_dtype_that_was_asked_for)
{
    KT_SCOPE;
    kt_tensor *x = leaf(2);
    CHECK_EQ_INT(kt_grad_dtype(x), KT_F64);
    CHECK_EQ_INT(kt_set_grad_dtype(x, KT_F32), KT_OK);
    CHECK_EQ_INT(kt_backward(kt_sum(kt_mul(x, x))), KT_OK);
    CHECK(kt_grad_dtype(x) == KT_F32 && kt_dtype_of(kt_grad(x)) == KT_F32);
    CHECK_FAILS(kt_set_grad_dtype(x, KT_F16), KT_ERR_RUNTIME, "Cannot set grad_dtype to 'Half' because there is already a");
    CHECK_FAILS(kt_set_grad_dtype(x, (kt_dtype)99), KT_ERR_TYPE, "there is no dtype 99");
    CHECK_FAILS(kt_set_grad_dtype(kt_exp(x), KT_F32), KT_ERR_RUNTIME, "grad_dtype can only be set on leaf tensors.");
    CHECK_EQ_INT(kt_set_grad_dtype(x, KT_NONE), KT_OK);
    CHECK_EQ_INT(kt_grad_dtype(x), KT_NONE);
    CHECK_FAILS((kt_grad_dtype(kt_exp(x)), kt_error_status()), KT_ERR_RUNTIME, "grad_dtype can only be accessed on leaf");
}

/* Without memory at any place: an error, and nothing is lost. */
TEST(hooks_and_anomalies_without_memory)
{
    KT_SCOPE;
    kt_tensor *x = leaf(0.5);
    kt_set_anomaly(true, true);
    const uint64_t bytes = live_bytes();
    bool           done = false;
    for (int64_t n = 0; n < 400 && !done; n++) {
        note after = {.factor = 2};
        {
            KT_SCOPE;
            kt_memory_fail_after(n);
            kt_tensor *y = kt_mul(x, x), *total = kt_sum(y), *g = NULL, *stands = NULL;
            kt_node   *node = kt_grad_fn(y);
            kt_hook   *hook = kt_node_hook_add(node, "hook", scale, &after, count_release);
            const kt_gradients_opts twice = {.size = sizeof twice, .create_graph = true};
            if (!kt_failed() && !kt_node_tensor(node, 0, &stands) && !kt_node_set_data(node, &after, NULL))
                kt_gradients(&total, NULL, 1, &x, 1, &twice, &g);
            kt_memory_fail_after(-1);
            done = !kt_failed();
            if (!done)
                CHECK_EQ_INT(kt_error_status(), KT_ERR_MEMORY);
            kt_clear();
            kt_drop(g);
            kt_drop(stands);
            kt_hook_drop(hook);
            kt_node_drop(node);
        }
        CHECK_EQ_INT(live_bytes(), bytes);
    }
    CHECK(done);
    kt_set_anomaly(false, true);
}
