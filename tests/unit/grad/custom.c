/* custom.c - nodes made through plugin/node.h, as a binding makes them: forward here, backward in a callback. */
#include "harness.h"
#include <math.h>

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <karat/plugin/node.h>

#include "support/by_name.h"
#include "support/memory.h"

static int released, forgotten;

static const kt_gradients_opts twice = {.size = sizeof twice, .create_graph = true};

static kt_tensor *leaf(double value)
{
    kt_tensor *t = tensor_filled(KT_F64, KT_SHAPE(3), value);
    kt_set_requires_grad(t, true);
    return t;
}

static void count_release(kt_node *node)
{
    released++;
    CHECK(kt_node_context(node) != NULL);
}

static void count_forget(kt_node *node) { forgotten += node != NULL; }

#define TYPE(...) {.abi = KT_NODE_ABI, .size = sizeof(kt_node_type), __VA_ARGS__}

/* ---- x^3, with x saved ---- */

static kt_status cube_back(const kt_back *b)
{
    kt_tensor *x = NULL;
    const double *factor = kt_node_context(b->node);
    if (kt_node_saved(b->node, 0, &x))
        return kt_error_status();
    b->d[0] = kt_keep(kt_mul(b->grads[0], kt_mul_s(kt_mul(x, x), KT_FLOAT(*factor))));
    kt_drop(x);
    return KT_OK;
}
static const kt_node_type cube_type = TYPE(.name = "CubeBackward", .context = sizeof(double), .run = cube_back,
                                           .forget = count_forget, .release = count_release);

static kt_tensor *cube(kt_tensor *x)
{
    kt_node      *node = NULL;
    kt_mode_guard off = kt_no_grad_open();
    kt_tensor    *y = kt_mul(x, kt_mul(x, x));
    kt_mode_close(&off);
    if (kt_node_make(&cube_type, &x, 1, 1, &node) || kt_node_save(node, 0, x) || kt_node_attach(node, &y, NULL, 1))
        y = NULL;
    *(double *)kt_node_context(node) = 3;
    kt_node_drop(node);
    return y;
}

TEST(a_first_and_a_second_derivative)
{
    released = forgotten = 0;
    const uint64_t before = live_bytes();
    {
        KT_SCOPE;
        kt_tensor *x = leaf(2), *y = cube(kt_mul_s(x, KT_INT(1))), *total = kt_sum(y), *first = NULL, *second = NULL;
        CHECK_STR(kt_grad_fn_name(y), "CubeBackward");
        CHECK_EQ_INT(kt_gradients(&total, NULL, 1, &x, 1, &twice, &first), KT_OK);
        CHECK_NEAR(tensor_at(first, 1), 12, 0);
        CHECK(kt_requires_grad(first));
        kt_tensor *again = kt_sum(first);
        CHECK_EQ_INT(kt_gradients(&again, NULL, 1, &x, 1, NULL, &second), KT_OK);
        CHECK_NEAR(tensor_at(second, 2), 12, 0);
        CHECK_EQ_INT(released, 0);
        kt_drop(first);
        kt_drop(second);
    }
    CHECK_EQ_INT(released, 1);
    CHECK_EQ_INT(live_bytes(), before);
}

TEST(what_it_saved_is_freed_and_checked)
{
    KT_SCOPE;
    released = forgotten = 0;
    kt_tensor *x = leaf(2), *a = kt_mul_s(x, KT_INT(1)), *y = kt_sum(cube(a));
    CHECK_EQ_INT(kt_backward(y), KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 12, 0);
    CHECK_EQ_INT(forgotten, 1);
    CHECK_FAILS(kt_backward(y), KT_ERR_RUNTIME, "Trying to backward through the graph a second time");
    y = kt_sum(cube(a));
    kt_add_s_(a, KT_INT(1));
    CHECK_FAILS(kt_backward(y), KT_ERR_RUNTIME,
                "one of the variables needed for gradient computation has been modified by an inplace operation: "
                "[torch.DoubleTensor [3]], which is output 0 of AddBackward0, is at version 1; expected version 0 instead.");
}

TEST(what_made_a_tensor_and_writes_by_other_means)
{
    KT_SCOPE;
    kt_tensor *x = leaf(2), *a = kt_mul_s(x, KT_INT(1)), *y = cube(a);
    CHECK(kt_node_of(x) == NULL && kt_node_of(NULL) == NULL);
    CHECK_EQ_INT(kt_node_type_of(kt_node_of(y)) == &cube_type, true);
    CHECK(!kt_node_is_shared(kt_node_of(y)));
    kt_increment_version(NULL);
    kt_increment_version(a);
    CHECK_FAILS(kt_backward(kt_sum(y)), KT_ERR_RUNTIME,
                "one of the variables needed for gradient computation has been modified by an inplace operation");
    CHECK_FAILS(kt_fail_freed(), KT_ERR_RUNTIME, "Trying to backward through the graph a second time");
}

/* ---- hooks of saved tensors: they keep a copy ---- */

static int packs, unpacks, released_copies;

static kt_status pack_copy(kt_tensor *t, void *context, void **kept)
{
    packs += *(int *)context;
    *kept = kt_keep(kt_clone(t));
    return kt_error_status();
}

static kt_status unpack_copy(void *kept, kt_tensor **t)
{
    unpacks++;
    *t = kt_keep(kept);
    return KT_OK;
}

static void release_copy(void *kept)
{
    released_copies++;
    kt_drop(kept);
}

static kt_status fail_to_pack(kt_tensor *t, void *context, void **kept)
{
    (void)t, (void)context, (void)kept;
    return KT_ERR_VALUE;
}

TEST(hooks_keep_what_is_saved)
{
    static const kt_saved_hooks copies = {pack_copy, unpack_copy, release_copy}, failing = {fail_to_pack, unpack_copy, NULL};
    int                         one = 1;
    const uint64_t              before = live_bytes();
    packs = unpacks = released_copies = 0;
    {
        KT_SCOPE;
        kt_tensor *x = leaf(2);
        CHECK(!kt_has_saved_hooks() && kt_saved_hooks_pop() == NULL);
        CHECK_EQ_INT(kt_saved_hooks_push(&copies, &one), KT_OK);
        kt_tensor *y = kt_sum(kt_mul(kt_exp(x), cube(x))), *unused = kt_exp(x);
        CHECK(kt_has_saved_hooks());
        CHECK(kt_saved_hooks_pop() == &one && !kt_has_saved_hooks());
        CHECK_EQ_INT(packs, 5); /* two results of exp, two factors, what cube saves */
        CHECK_EQ_INT(kt_backward(y, .retain_graph = true), KT_OK);
        CHECK_EQ_INT(unpacks, 4);
        CHECK_NEAR(tensor_at(kt_grad(x), 0), exp(2.0) * (8 + 12), 1e-12);
        CHECK_EQ_INT(kt_backward(y), KT_OK);
        CHECK_EQ_INT(unpacks, 8);
        CHECK_EQ_INT(released_copies, 4);
        CHECK(kt_requires_grad(unused));
        CHECK_EQ_INT(kt_saved_hooks_push(&failing, NULL), KT_OK);
        CHECK_FAILS(kt_exp(x), KT_ERR_VALUE, "the hook that packs a saved tensor failed");
        kt_saved_hooks_pop();
        CHECK_FAILS(kt_saved_hooks_push(NULL, NULL), KT_ERR_TYPE, "hooks of saved tensors need a function that packs");
    }
    CHECK_EQ_INT(released_copies, 5);
    CHECK_EQ_INT(live_bytes(), before);
}

TEST(no_gradient_is_wanted)
{
    KT_SCOPE;
    kt_tensor *x = tensor_filled(KT_F64, KT_SHAPE(3), 2), *y = cube(x);
    CHECK(!kt_requires_grad(y));
    kt_set_requires_grad(x, true);
    kt_mode_guard off = kt_no_grad_open();
    CHECK(!kt_requires_grad(cube(x)));
    kt_mode_close(&off);
}

/* ---- exp, with its own result saved: before it is attached, and after ---- */

static kt_status exp_back(const kt_back *b)
{
    kt_tensor *y = NULL;
    if (kt_node_saved(b->node, 0, &y))
        return kt_error_status();
    CHECK(kt_requires_grad(y));
    CHECK_STR(kt_grad_fn_name(y), "ExpOfMineBackward");
    b->d[0] = kt_keep(kt_mul(b->grads[0], y));
    kt_drop(y);
    return KT_OK;
}
static const kt_node_type exp_type = TYPE(.name = "ExpOfMineBackward", .context = 1, .run = exp_back, .release = count_release);

static kt_tensor *own_exp(kt_tensor *x, bool early)
{
    kt_node      *node = NULL;
    kt_mode_guard off = kt_no_grad_open();
    kt_tensor    *y = kt_exp(x);
    kt_mode_close(&off);
    CHECK_EQ_INT(kt_node_make(&exp_type, &x, 1, 1, &node), KT_OK);
    if (early)
        CHECK_EQ_INT(kt_node_save(node, 0, y), KT_OK);
    CHECK_EQ_INT(kt_node_attach(node, &y, NULL, 1), KT_OK);
    if (!early)
        CHECK_EQ_INT(kt_node_save(node, 0, y), KT_OK);
    kt_node_drop(node);
    return y;
}

TEST(a_saved_result_does_not_hold_itself)
{
    for (int early = 0; early < 2; early++) {
        const uint64_t before = live_bytes();
        released = 0;
        {
            KT_SCOPE;
            kt_tensor *x = leaf(1), *y = own_exp(x, early), *g = NULL, *total = kt_sum(y);
            CHECK_EQ_INT(kt_gradients(&total, NULL, 1, &x, 1, &twice, &g), KT_OK);
            kt_tensor *gg = NULL, *again = kt_sum(g);
            CHECK_EQ_INT(kt_gradients(&again, NULL, 1, &x, 1, NULL, &gg), KT_OK);
            CHECK_NEAR(tensor_at(gg, 0), 2.718281828459045, 1e-12);
            kt_drop(g);
            kt_drop(gg);
            own_exp(x, early); /* never run */
            y = own_exp(x, early);
            kt_add_s_(y, KT_INT(1));
            CHECK_FAILS(kt_backward(kt_sum(y)), KT_ERR_RUNTIME,
                        "one of the variables needed for gradient computation has been modified by an inplace operation: "
                        "[torch.DoubleTensor [3]], which is output 0 of ExpOfMineBackward, is at version 1; expected");
        }
        CHECK_EQ_INT(released, 3);
        CHECK_EQ_INT(live_bytes(), before);
    }
}

/* ---- a node made before a computation that writes to its input ---- */

static kt_status triple_back(const kt_back *b)
{
    b->d[0] = kt_keep(kt_mul_s(b->grads[0], KT_INT(3)));
    return KT_OK;
}
static const kt_node_type triple_type = TYPE(.name = "TripleBackward", .context = 1, .run = triple_back,
                                             .release = count_release);
static const kt_node_type wide_type = TYPE(.name = "TripleBackward", .context = 8, .run = triple_back);

/* t times 3, in place; `looks`: somebody asks for the view's history between the write and the end. */
static void own_triple_(kt_tensor *t, int64_t n_saved, bool looks)
{
    const int64_t from = 0;
    kt_node      *node = NULL;
    CHECK_EQ_INT(kt_node_make(&exp_type, &t, 1, 0, &node), KT_OK);
    kt_mode_guard off = kt_no_grad_open();
    kt_mul_s_(t, KT_INT(3));
    kt_mode_close(&off);
    if (looks)
        kt_node_drop(kt_grad_fn(t));
    CHECK_EQ_INT(kt_node_settle(&node, &triple_type, n_saved), KT_OK);
    CHECK_EQ_INT(kt_node_n_saved(node), n_saved);
    CHECK_EQ_INT(kt_node_attach(node, &t, &from, 1), KT_OK);
    for (int64_t i = 0; i < n_saved; i++)
        CHECK_EQ_INT(kt_node_save(node, i, t), KT_OK);
    kt_node_drop(node);
}

TEST(a_written_view_has_the_history_of_its_base)
{
    for (int looks = 0; looks < 2; looks++)
        for (int64_t n_saved = 0; n_saved < 3; n_saved += 2) {
            const uint64_t before = live_bytes();
            released = 0;
            {
                KT_SCOPE;
                kt_tensor *x = leaf(1), *y = kt_mul_s(x, KT_INT(1)), *view = kt_narrow(y, 0, 0, 2);
                own_triple_(view, n_saved, looks);
                CHECK_EQ_INT(kt_backward(kt_sum(view)), KT_OK);
                CHECK_NEAR(tensor_at(kt_grad(x), 0), 3, 0);
                CHECK_NEAR(tensor_at(kt_grad(x), 2), 0, 0);
            }
            CHECK_EQ_INT(released, 1);
            CHECK_EQ_INT(live_bytes(), before);
        }
}

TEST(what_cannot_be_settled)
{
    KT_SCOPE;
    kt_tensor *x = leaf(1), *y = kt_exp(x);
    kt_node   *node = NULL;
    CHECK_FAILS(kt_node_settle(&node, &triple_type, 1), KT_ERR_TYPE, "expected a node, got NULL");
    CHECK_EQ_INT(kt_node_make(&triple_type, &x, 1, 1, &node), KT_OK);
    CHECK_FAILS(kt_node_settle(&node, &triple_type, 1), KT_ERR_RUNTIME, "TripleBackward has its places already");
    CHECK_FAILS(kt_node_settle(&node, &wide_type, 1), KT_ERR_VALUE,
                "TripleBackward cannot become TripleBackward: its context has another size");
    CHECK_FAILS(kt_node_settle(&node, &triple_type, -1), KT_ERR_VALUE, "TripleBackward: -1 places for tensors");
    kt_node_drop(node);
    node = kt_grad_fn(y);
    kt_node *of_row = node;
    CHECK(kt_node_settle(&node, &triple_type, 0) != KT_OK && node == of_row);
    kt_clear();
    kt_node_drop(node);
}

/* ---- several results ---- */

static int arrived;

static kt_status pair_back(const kt_back *b)
{
    arrived = (b->grads[0] != NULL) | (b->grads[1] != NULL) << 1;
    if (b->needs[0])
        b->d[0] = b->grads[0] ? kt_keep(kt_mul_s(b->grads[0], KT_INT(2))) : NULL;
    if (b->needs[1])
        b->d[1] = b->grads[1] ? kt_keep(kt_mul_s(b->grads[1], KT_INT(3))) : NULL;
    return KT_OK;
}
static const kt_node_type pair_type = TYPE(.name = "PairBackward", .run = pair_back);
static const kt_node_type zeros_type = TYPE(.name = "PairBackward", .run = pair_back, .flags = KT_NODE_ZEROS);

static void pair(const kt_node_type *type, kt_tensor *a, kt_tensor *b, kt_tensor **results)
{
    kt_node      *node = NULL;
    kt_tensor    *in[3] = {a, b, NULL};
    const int64_t from[] = {KT_RESULT_MADE, KT_RESULT_MADE, KT_RESULT_CONSTANT};
    kt_mode_guard off = kt_no_grad_open();
    results[0] = kt_mul_s(a, KT_INT(2));
    results[1] = kt_mul_s(b, KT_INT(3));
    results[2] = kt_clone(a);
    kt_mode_close(&off);
    CHECK_EQ_INT(kt_node_make(type, in, 3, 0, &node), KT_OK);
    CHECK_EQ_INT(kt_node_needs(node, 0), kt_requires_grad(a));
    CHECK_EQ_INT(kt_node_needs(node, 1), kt_requires_grad(b));
    CHECK(!kt_node_needs(node, 2) && !kt_node_needs(node, 3) && !kt_node_needs(node, -1));
    CHECK_EQ_INT(kt_node_attach(node, results, from, 3), KT_OK);
    CHECK_FAILS(kt_node_attach(node, results, from, 3), KT_ERR_RUNTIME, "PairBackward has its results already");
    CHECK(kt_node_is_shared(node) && kt_node_type_of(node) == type && !kt_node_context(node));
    kt_node_drop(node);
}

TEST(several_results_and_gradients_that_do_not_arrive)
{
    KT_SCOPE;
    kt_tensor *a = leaf(1), *b = leaf(1), *r[3];
    pair(&pair_type, a, b, r);
    CHECK(!kt_requires_grad(r[2]));
    CHECK_EQ_INT(kt_output_nr(r[1]), 1);
    CHECK_EQ_INT(kt_backward(kt_sum(r[1])), KT_OK);
    CHECK_EQ_INT(arrived, 2);
    CHECK(!kt_grad(a));
    CHECK_NEAR(tensor_at(kt_grad(b), 0), 3, 0);
    CHECK_EQ_INT(kt_backward(kt_sum(r[0])), KT_OK); /* it saved nothing, and may run again */
    pair(&zeros_type, a, b, r);
    CHECK_EQ_INT(kt_backward(kt_sum(r[1])), KT_OK);
    CHECK_EQ_INT(arrived, 3);
    CHECK_NEAR(tensor_at(kt_grad(a), 0), 2, 0);
    kt_tensor *plain = tensor_filled(KT_F64, KT_SHAPE(3), 1);
    pair(&pair_type, plain, b, r);
    CHECK_EQ_INT(kt_backward(kt_sum(kt_add(r[0], r[1]))), KT_OK);
    CHECK(!kt_grad(plain));
}

/* ---- in place, also through a view ---- */

static kt_status double_back(const kt_back *b)
{
    b->d[1] = kt_keep(kt_mul_s(b->grads[0], KT_INT(2)));
    return KT_OK;
}
static const kt_node_type double_type = TYPE(.name = "DoubleBackward", .run = double_back);

static kt_status double_in_place(kt_tensor *x)
{
    kt_node      *node = NULL;
    kt_tensor    *in[2] = {NULL, x};
    const int64_t from = 1;
    kt_mode_guard off = kt_no_grad_open();
    kt_mul_s_(x, KT_INT(2));
    kt_mode_close(&off);
    kt_status status = kt_node_make(&double_type, in, 2, 0, &node);
    if (!status)
        status = kt_node_attach(node, &x, &from, 1);
    kt_node_drop(node);
    return status;
}

TEST(an_input_written_in_place)
{
    const uint64_t before = live_bytes();
    {
        KT_SCOPE;
        kt_tensor *x = leaf(1), *a = kt_mul_s(x, KT_INT(5)), *view = kt_narrow(a, 0, 0, 2);
        CHECK_EQ_INT(double_in_place(a), KT_OK);
        CHECK_EQ_INT(double_in_place(view), KT_OK);
        CHECK_STR(kt_grad_fn_name(a), "CopySlices");
        CHECK_EQ_INT(kt_backward(kt_sum(a)), KT_OK);
        CHECK_NEAR(tensor_at(kt_grad(x), 0), 20, 0);
        CHECK_NEAR(tensor_at(kt_grad(x), 2), 10, 0);
        CHECK_FAILS(kt_backward(kt_sum(view)), KT_ERR_RUNTIME, "Trying to backward through the graph a second time");
        CHECK_FAILS(double_in_place(x), KT_ERR_RUNTIME,
                    "a leaf Variable that requires grad has been used in an in-place operation.");
        CHECK_FAILS(double_in_place(kt_narrow(x, 0, 0, 2)), KT_ERR_RUNTIME,
                    "a view of a leaf Variable that requires grad is being used in an in-place operation.");
    }
    CHECK_EQ_INT(live_bytes(), before);
}

/* ---- errors ---- */

static int mistake;

static kt_status mistaken_back(const kt_back *b)
{
    kt_tensor *t = NULL;
    b->d[0] = kt_keep(mistake == 3 ? kt_ones(KT_SHAPE(2), .dtype = KT_F64) : kt_clone(b->grads[0]));
    switch (mistake) {
    case 0: return KT_ERR_VALUE;
    case 1: return kt_fail(KT_ERR_INDEX, "mine");
    case 2: kt_add(b->grads[0], kt_ones(KT_SHAPE(7))); return KT_OK;
    case 4: return kt_node_saved(b->node, 1, &t);
    default: return KT_OK;
    }
}
static const kt_node_type mistaken_type = TYPE(.name = "MistakenBackward", .run = mistaken_back);

static kt_status run_mistaken(int which)
{
    KT_SCOPE;
    kt_node   *node = NULL;
    kt_tensor *x = leaf(1), *y = kt_clone(kt_detach(x));
    mistake = which;
    kt_node_make(&mistaken_type, &x, 1, 1, &node);
    kt_node_attach(node, &y, NULL, 1);
    kt_node_drop(node);
    return kt_backward(kt_sum(y));
}

TEST(an_error_in_the_callback_ends_backward)
{
    const uint64_t before = live_bytes();
    CHECK_FAILS(run_mistaken(0), KT_ERR_VALUE, "the backward of MistakenBackward failed");
    CHECK_FAILS(run_mistaken(1), KT_ERR_INDEX, "mine");
    CHECK_FAILS(run_mistaken(2), KT_ERR_RUNTIME, "The size of tensor a (3) must match the size of tensor b (7)");
    CHECK_FAILS(run_mistaken(3), KT_ERR_RUNTIME,
                "Function MistakenBackward returned an invalid gradient at index 0 - got [2] but expected shape compatible "
                "with [3]");
    CHECK_FAILS(run_mistaken(4), KT_ERR_INDEX, "MistakenBackward keeps 1 tensors: there is no place 1");
    CHECK_EQ_INT(live_bytes(), before);
}

TEST(what_cannot_be_made)
{
    KT_SCOPE;
    kt_node     *node = NULL;
    kt_node_type type = pair_type;
    kt_tensor   *x = leaf(1), *y = kt_mul(x, x), *t = NULL;
    const int64_t far = 7;
    type.abi++;
    CHECK_FAILS(kt_node_make(&type, &x, 1, 0, &node), KT_ERR_VALUE, "a node's type of ABI 2");
    type = pair_type;
    type.run = NULL;
    CHECK_FAILS(kt_node_make(&type, &x, 1, 0, &node), KT_ERR_VALUE, "a node's type needs a name and `run`");
    type = pair_type;
    type.flags = 4;
    CHECK_FAILS(kt_node_make(&type, &x, 1, 0, &node), KT_ERR_VALUE, "a node's type with the flags 0x4");
    CHECK_FAILS(kt_node_make(&pair_type, NULL, 1, 0, &node), KT_ERR_VALUE, "a node of 1 inputs at NULL");
    CHECK(!node);
    CHECK_EQ_INT(kt_node_make(&pair_type, &x, 1, 1, &node), KT_OK);
    CHECK_FAILS(kt_node_save(node, 1, x), KT_ERR_INDEX, "PairBackward keeps 1 tensors");
    CHECK_FAILS(kt_node_attach(node, &x, NULL, 1), KT_ERR_RUNTIME, "a leaf that requires grad cannot be a result");
    CHECK_FAILS(kt_node_attach(node, &y, &far, 1), KT_ERR_INDEX, "PairBackward has 1 inputs: number 7");
    CHECK_EQ_INT(kt_node_saved(node, 0, &t), KT_OK);
    CHECK(!t);
    kt_set_inference(true);
    kt_tensor *inferred = kt_ones(KT_SHAPE(1));
    kt_set_inference(false);
    CHECK_FAILS(kt_node_save(node, 0, inferred), KT_ERR_RUNTIME, "Inference tensors cannot be saved for backward.");
    kt_node_drop(node);
    node = kt_grad_fn(y); /* an operator's node is its own */
    CHECK_FAILS(kt_node_attach(node, &y, NULL, 1), KT_ERR_RUNTIME, "MulBackward0 has its results already");
    CHECK_FAILS(kt_node_save(node, 0, y), KT_ERR_INDEX, "MulBackward0 keeps 0 tensors");
    kt_node_drop(node);
}

/* ---- long chains die and run without nested calls ---- */

TEST(a_chain_of_a_hundred_thousand)
{
    const uint64_t before = live_bytes();
    {
        KT_SCOPE;
        kt_tensor *x = leaf(1), *y = kt_keep(x);
        for (int i = 0; i < 100000; i++) {
            KT_SCOPE;
            kt_tensor *r[3];
            kt_node   *node = NULL;
            r[0] = kt_clone(kt_detach(y));
            if (kt_node_make(&cube_type, &y, 1, 1, &node) || kt_node_save(node, 0, y) || kt_node_attach(node, r, NULL, 1))
                break;
            *(double *)kt_node_context(node) = 1;
            kt_node_drop(node);
            kt_drop(y);
            y = kt_keep(r[0]);
        }
        CHECK_EQ_INT(kt_backward(kt_sum(y), .retain_graph = true), KT_OK);
        CHECK_NEAR(tensor_at(kt_grad(x), 0), 1, 0);
        kt_drop(y);
    }
    CHECK_EQ_INT(live_bytes(), before);
}
