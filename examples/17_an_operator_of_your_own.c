/* 17_an_operator_of_your_own.c - an operator with a schema, a kernel that reads plain memory, a derivative and a fake.
 *
 * It becomes a row of the operator table: the policy, the tape, lineage and errors treat it as they treat kt_add. The kernel
 * reads float32 in row-major order and nothing else, and says so. A float16 tensor does not reach it: the error tells where the
 * float16 came from, and how to mend it. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>
#include <karat/plugin/operator.h>

#include <math.h>
#include <string.h>

#include "lesson.h"

/* ---- x * sigmoid(by * x), forward ---- */

static kt_status swish_cpu(kt_call *call, void *context)
{
    (void)context;
    kt_tensor   *x = call->arg[0].t, *y = kt_empty_like(x);
    const float *from = kt_data(x), by = (float)kt_call_arg(call, 1)->f;
    float       *to = kt_data(y);
    for (int64_t i = 0; to && i < kt_numel(x); i++)
        to[i] = from[i] / (1 + expf(-by * from[i]));
    call->out[0] = kt_keep(y); /* the scope owns what typed calls return; a result is the caller's */
    return KT_OK;
}

/* What a call gives without values: for tensors on the meta device. */
static kt_status swish_fake(kt_call *call, void *context)
{
    (void)context;
    call->out[0] = kt_keep(kt_empty_like(call->arg[0].t));
    return KT_OK;
}

/* ---- and back: made of operators, so that there is a second derivative ---- */

static kt_status swish_saves(kt_node *node, const kt_call *call) { return kt_node_save(node, 0, call->arg[0].t); }

static kt_status swish_back(const kt_back *back)
{
    const kt_scalar by = KT_FLOAT(kt_node_arg(back->node, 1)->f);
    kt_tensor      *x = NULL;
    if (kt_node_saved(back->node, 0, &x))
        return kt_error_status();
    kt_tensor *s = kt_sigmoid(kt_mul_s(x, by)); /* slope: s + by x s (1 - s) */
    kt_tensor *slope = kt_add(s, kt_mul(kt_mul_s(kt_mul(x, s), by), kt_rsub_s(s, KT_INT(1))));
    back->d[0] = kt_keep(kt_mul(back->grads[0], slope));
    kt_drop(x);
    return kt_failed() ? kt_error_status() : KT_OK;
}

static const kt_node_type swish_node = {.abi = KT_NODE_ABI, .size = sizeof swish_node, .name = "SwishBackward",
                                        .run = swish_back};

/* ---- the operator ---- */

static const kt_row *swish_row(void)
{
    kt_operator   op = {.size = sizeof op, .name = "lesson::swish", .schema = "swish(Tensor x, float by=1.0) -> Tensor",
                        .dtypes = "SAME", .doc = "x * sigmoid(by * x)", .node = &swish_node, .setup = swish_saves, .n_saved = 1};
    kt_kernel     cpu = {.size = sizeof cpu, .device = "cpu", .takes = "x: float32 contiguous", .run = swish_cpu};
    kt_kernel     fake = {.size = sizeof fake, .device = "meta", .run = swish_fake};
    const kt_row *row = NULL;
    if (kt_row_append(&op, &row) || kt_row_kernel(row, &cpu) || kt_row_kernel(row, &fake))
        return NULL;
    return row;
}

static kt_tensor *swish(const kt_row *row, kt_tensor *x, double by)
{
    kt_call call;
    kt_call_begin(&call, row, KT_PLAIN);
    call.arg[0].t = x;
    call.arg[1].f = by;
    call.given = 3; /* bits: both arguments */
    if (kt_call_run(&call))
        return NULL;
    kt_tensor *y = kt_alias(call.out[0]); /* the scope's */
    kt_drop(call.out[0]);
    return y;
}

int main(void)
{
    KT_SCOPE;
    const kt_row *row = swish_row();
    EXPECT(row && kt_row_find("lesson::swish") == row);

    kt_tensor *x = kt_linspace(KT_FLOAT(-2), KT_FLOAT(2), 5, .requires_grad = true), *y = swish(row, x, 1);
    show("swish", y);
    kt_backward(kt_sum(y));
    show("its slope", kt_grad(x));
    EXPECT(fabs(kt_item(kt_select(kt_grad(x), 0, 2)) - 0.5) < 1e-6);

    /* A dry run needs no kernel and no memory. */
    kt_tensor *meta = swish(row, kt_empty(KT_SHAPE(1000, 1000), .device = {KT_META, 0}), 1);
    EXPECT(meta && kt_numel(meta) == 1000 * 1000);

    /* float16 would be read as garbage: it is refused at the edge, with its history and a fix. */
    kt_tensor *half = kt_to(kt_ones(KT_SHAPE(3)), .dtype = KT_F16);
    EXPECT(!swish(row, half, 1));
    printf("%s\n\n", kt_error());
    EXPECT(strncmp(kt_error(), "lesson::swish: expected scalar type Float but found Half for argument 'x'", 73) == 0);
    kt_clear();

    /* So are strides that the kernel does not follow. */
    EXPECT(!swish(row, kt_t(kt_ones(KT_SHAPE(2, 3))), 1));
    printf("%s\n", kt_error());
    kt_clear();
    EXPECT(swish(row, kt_contiguous(kt_t(kt_ones(KT_SHAPE(2, 3)))), 1));
    return wrong || kt_failed();
}
