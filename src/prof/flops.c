/* flops.c - the floating-point operations of a call, as PyTorch's flop counter counts them: matrix products, convolutions and
 * attention, two for each multiplication and addition.
 *
 * In: a call that has its results. Out: a number, and PyTorch's name of the operator that it counts. Independent of: who watches.
 * A call that is counted is counted as a whole: what it calls is not counted again. */
#include <karat/plugin/watch.h>
#include <string.h>

#include "base/local.h"

typedef struct counted {
    const char *row, *name; /* name NULL: `count` says it */
    int64_t   (*count)(const kt_call *call, const char **name);
} counted;

static kt_shape sizes(const kt_call *call, int i) { return kt_sizes(call->arg[i].t); }

static int64_t product(kt_shape s, int64_t from)
{
    int64_t n = 1;
    for (int64_t i = from; i < s.n; i++)
        n *= s.d[i];
    return n;
}

static int64_t last(kt_shape s) { return s.n ? s.d[s.n - 1] : 0; }

/* ---- products: each element of the result is a sum over the last dim of the first matrix ---- */
static int64_t of_matrices(const kt_call *call, int first)
{
    return 2 * product(kt_sizes(call->out[0]), 0) * last(sizes(call, first));
}

static int64_t of_mm(const kt_call *call, const char **name)
{
    (void)name;
    return of_matrices(call, 0);
}

static int64_t of_addmm(const kt_call *call, const char **name)
{
    (void)name;
    return of_matrices(call, 1);
}

/* PyTorch multiplies many matrices by one as one matrix; vectors it does not count. */
static int64_t of_matmul(const kt_call *call, const char **name)
{
    const int64_t a = sizes(call, 0).n, b = sizes(call, 1).n;
    *name = a > 2 && b > 2 ? "bmm" : "mm";
    return a < 2 || b < 2 ? 0 : of_matrices(call, 0);
}

static int64_t of_linear(const kt_call *call, const char **name)
{
    *name = call->given >> 2 & 1 && call->arg[2].t ? "addmm" : "mm";
    return sizes(call, 0).n < 2 || sizes(call, 1).n < 2 ? 0 : of_matrices(call, 0);
}

static int64_t of_none(const kt_call *call, const char **name)
{
    (void)call, (void)name;
    return 0;
}

/* ---- convolutions ---- */
static bool has_space(kt_shape image, kt_shape weight) { return weight.n > 2 && image.n >= weight.n - 1; }

static int64_t of_window(kt_shape where, int64_t batch, kt_shape weight)
{
    return !has_space(where, weight) ? 0 : 2 * batch * product(where, where.n - (weight.n - 2)) * product(weight, 0);
}

static int64_t examples(kt_shape image, kt_shape weight) { return image.n && image.n == weight.n ? image.d[0] : 1; }

static int64_t of_convolution(const kt_call *call, const char **name)
{
    (void)name;
    return of_window(kt_sizes(call->out[0]), examples(sizes(call, 0), sizes(call, 1)), sizes(call, 1));
}

static int64_t of_transposed(const kt_call *call, const char **name)
{
    (void)name;
    return of_window(sizes(call, 0), examples(sizes(call, 0), sizes(call, 1)), sizes(call, 1));
}

enum { TRANSPOSED = 6 }; /* the argument of the rows below */

static int64_t of_any_convolution(const kt_call *call, const char **name)
{
    return call->arg[TRANSPOSED].b ? of_transposed(call, name) : of_convolution(call, name);
}

static int64_t of_input_gradient(const kt_call *call, const char **name) /* grad_output, weight */
{
    (void)name;
    const kt_shape where = call->arg[TRANSPOSED].b ? kt_sizes(call->out[0]) : sizes(call, 0);
    return of_window(where, examples(sizes(call, 0), sizes(call, 1)), sizes(call, 1));
}

/* PyTorch counts all channels for each other, in whatever groups. */
static int64_t of_weight_gradient(const kt_call *call, const char **name) /* grad_output, input */
{
    (void)name;
    const kt_shape weight = kt_sizes(call->out[0]), grad = sizes(call, 0), input = sizes(call, 1);
    const int64_t  space = weight.n - 2;
    const kt_shape where = call->arg[TRANSPOSED].b ? input : grad;
    if (!has_space(grad, weight) || !has_space(input, weight))
        return 0;
    return 2 * examples(input, weight) * product(weight, 2) * product(where, where.n - space) * input.d[input.n - space - 1] *
           grad.d[grad.n - space - 1];
}

/* ---- recurrent layers: what the state gives to the gates; what the input gives is a product of its own ---- */
static int64_t of_recurrence(const kt_call *call, const char **name)
{
    (void)name;
    return 2 * product(sizes(call, 0), 0) * last(kt_sizes(call->out[0]));
}

static int64_t of_recurrence_gradient(const kt_call *call, const char **name)
{
    (void)name;
    return 2 * product(kt_sizes(call->out[0]), 0) * last(sizes(call, 2));
}

/* ---- attention: scores, then their sums of the values; backward makes the scores again ---- */
static int64_t of_scores(const kt_call *call, int query, int64_t by_query, int64_t by_value)
{
    const kt_shape q = sizes(call, query), k = sizes(call, query + 1), v = sizes(call, query + 2);
    if (q.n < 2 || k.n < 2 || !last(q))
        return 0;
    return 2 * product(q, 0) / last(q) * k.d[k.n - 2] * (by_query * last(q) + by_value * last(v));
}

/* Of other sizes PyTorch makes it of products. */
static int64_t of_attention(const kt_call *call, const char **name)
{
    if (sizes(call, 0).n != 4 || last(sizes(call, 0)) != last(sizes(call, 2)))
        *name = "bmm";
    return of_scores(call, 0, 1, 1);
}

static int64_t of_attention_gradient(const kt_call *call, const char **name)
{
    (void)name;
    return of_scores(call, 1, 3, 2);
}

#define FLASH "_scaled_dot_product_flash_attention_for_cpu"
static const counted rows[] = {
    {"mm", "mm", of_mm},
    {"bmm", "bmm", of_mm},
    {"addmm", "addmm", of_addmm},
    {"baddbmm", "baddbmm", of_addmm},
    {"matmul", NULL, of_matmul},
    {"matmul_batched", NULL, of_matmul},
    {"linear", NULL, of_linear},
    {"conv1d", "convolution", of_convolution},
    {"conv2d", "convolution", of_convolution},
    {"conv3d", "convolution", of_convolution},
    {"conv_transpose1d", "convolution", of_transposed},
    {"conv_transpose2d", "convolution", of_transposed},
    {"conv_transpose3d", "convolution", of_transposed},
    {"convolution", "convolution", of_any_convolution},
    {"convolution_of", "convolution", of_any_convolution},
    {"convolution_input", "convolution_backward", of_input_gradient},
    {"convolution_weight", "convolution_backward", of_weight_gradient},
    {"conv1d_padding", "convolution", of_convolution},
    {"conv2d_padding", "convolution", of_convolution},
    {"conv3d_padding", "convolution", of_convolution},
    {"recurrence", "addmm", of_recurrence},
    {"recurrence_backward", "mm", of_recurrence_gradient},
    {"scaled_dot_product_attention", FLASH, of_attention},
    {"flash_attention", FLASH, of_attention},
    {"attention", FLASH, of_attention},
    {"attention_backward", FLASH "_backward", of_attention_gradient},
    {"flash_attention_backward", FLASH "_backward", of_attention_gradient},
    /* PyTorch has kernels of its own for these, which it does not count */
    {"addbmm", NULL, of_none},
    {"bilinear", NULL, of_none},
    {"cdist", NULL, of_none},
};
#undef FLASH

bool kt_call_counts_flops(const kt_call *call)
{
    for (size_t i = 0; call && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].row, kt_row_name(call->row)) == 0)
            return true;
    return false;
}

int64_t kt_call_flops(const kt_call *call, const char **name)
{
    const char *called = "";
    int64_t     flops = 0;
    for (size_t i = 0; call && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].row, kt_row_name(call->row)) == 0 && (call->out[0] || rows[i].count == of_none)) {
            called = rows[i].name ? rows[i].name : "";
            flops = rows[i].count(call, &called);
            break;
        }
    if (name)
        *name = called;
    return flops;
}
