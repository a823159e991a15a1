/* 21_training_a_small_gpt.c - a small GPT: embeddings, blocks of causal attention with layer norms, a head.
 *
 * The program of examples/python/12_training_a_small_gpt.py in C: the same parameters, the same losses. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include "lesson.h"

enum { STEPS = 50, BATCH = 16, LENGTH = 24, TOKENS = 12, WIDTH = 32, HEADS = 4, BLOCKS = 2 };

static kt_tensor *through(kt_module *m, const char *child, kt_tensor *x) { return kt_module_call(kt_module_child(m, child), x); }

static kt_tensor *block_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    kt_tensor *x = kt_add(in[0], through(m, "attention", through(m, "norm1", in[0])));
    return kt_add(x, through(m, "mlp", through(m, "norm2", x)));
}

static kt_module *make_block(void)
{
    static const kt_module_type type = {.size = sizeof type, .name = "Block", .forward = block_forward};
    kt_module                  *m = kt_module_make(&type);
    kt_module_add(m, "norm1", kt_make_layer_norm(WIDTH));
    kt_module_add(m, "attention", kt_make_attention(WIDTH, HEADS, true)); /* each place looks at itself and at those before it */
    kt_module_add(m, "norm2", kt_make_layer_norm(WIDTH));
    kt_module *up = kt_make_linear(WIDTH, 4 * WIDTH, true); /* a statement each: they draw random numbers */
    kt_module *down = kt_make_linear(4 * WIDTH, WIDTH, true);
    kt_module_add(m, "mlp", kt_make_sequential(up, kt_make_gelu(), down));
    return m;
}

static kt_tensor *gpt_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    kt_tensor *places = kt_arange(KT_INT(0), KT_INT(LENGTH));
    kt_tensor *x = kt_add(through(m, "token", in[0]), through(m, "position", places));
    return through(m, "head", through(m, "norm", through(m, "blocks", x)));
}

static kt_module *make_gpt(void)
{
    static const kt_module_type type = {.size = sizeof type, .name = "GPT", .forward = gpt_forward};
    kt_module                  *m = kt_module_make(&type), *blocks[BLOCKS];
    kt_module_add(m, "token", kt_make_embedding(TOKENS, WIDTH));
    kt_module_add(m, "position", kt_make_embedding(LENGTH, WIDTH));
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = make_block();
    kt_module_add(m, "blocks", kt_make_sequence(blocks, BLOCKS));
    kt_module_add(m, "norm", kt_make_layer_norm(WIDTH));
    kt_module_add(m, "head", kt_make_linear(WIDTH, TOKENS, false));
    return m;
}

/* Tokens that count up from a random one, by a step of their own: [n, LENGTH + 1]. The step must be read from the text. */
static kt_tensor *texts(int64_t n)
{
    KT_SCOPE;
    kt_tensor *first = kt_randint(TOKENS, KT_SHAPE(n, 1)), *count = kt_arange(KT_INT(0), KT_INT(LENGTH + 1));
    kt_tensor *text = kt_add(first, kt_mul(count, kt_randint_low(1, 4, KT_SHAPE(n, 1))));
    return kt_escape(kt_remainder_s(text, KT_INT(TOKENS)));
}

int main(void)
{
    KT_SCOPE;
    kt_manual_seed(12);
    kt_module    *model = make_gpt();
    kt_optimizer *optimizer = kt_optimizer_make(KT_ADAMW, .lr = KT_SOME(3e-3), .weight_decay = KT_SOME(0.1));
    kt_optimizer_add_module(optimizer, model);
    show_module(model);

    double losses[STEPS] = {0};
    for (int step = 0; step < STEPS && !kt_failed(); step++) {
        KT_SCOPE;
        kt_tensor *text = texts(BATCH);
        kt_optimizer_zero_grad(optimizer);
        kt_tensor *scores = kt_module_call(model, kt_narrow(text, 1, 0, LENGTH));
        kt_tensor *next = kt_flatten(kt_narrow(text, 1, 1, LENGTH));
        kt_tensor *loss = kt_nn_cross_entropy(kt_flatten(scores, .start_dim = 0, .end_dim = KT_SOME(1)), next);
        kt_backward(loss);
        kt_optimizer_step(optimizer);
        losses[step] = kt_item(loss);
        printf("step %2d  loss %.6f\n", step, losses[step]);
    }
    EXPECT(sum_of(losses + STEPS - 5, 5) < 0.3 * sum_of(losses, 5));
    kt_optimizer_drop(optimizer);
    kt_module_drop(model);
    return kt_report(stderr) || wrong;
}
