/* convolution.c - plans of convolutions and of what flows back through them, by cuDNN (dnn.c). Operands that do not lie in memory
 * as the library reads them, or have another dtype, are copied; a bias is added by the row `add`, in a pass of its own.
 *
 * In: plans of the three convolution kernels. Out: launches, or KT_DECLINED for what the library has no way for. Independent of:
 * the library's interface. */
#include <string.h>

#include "parts.h"

enum { DIMS = 2 + CONV_SPACE, BIAS = 3 };
static kt_kernel_id add_kernel;

/* ---- where an operand is ---- */
typedef struct block {
    int64_t size[DIMS], stride[DIMS]; /* of so many dims as the library sees: a single dim in space becomes two */
    char   *data;
    void   *made; /* a copy, to be released */
    size_t  granted;
} block;

static block block_of(const kt_plan *plan, int at, int space)
{
    const int given = (int)plan->param[0].v.i, first = at * (2 + given), more = space - given;
    block     b = {.data = plan->arg[at].data};
    for (int d = 0; d < 2 + space; d++) {
        const int from = first + (d < 2 ? d : d - more);
        const bool absent = d >= 2 && d < 2 + more;
        b.size[d] = absent ? 1 : plan->size[from];
        b.stride[d] = absent ? 0 : plan->stride[at][from];
    }
    return b;
}

/* The dim at place i of those in memory, from the outermost in. */
static int dim_at(int i, int n, bool channels_last)
{
    return !channels_last || i == 0 ? i : i == n - 1 ? 1 : i + 1;
}

static bool is_dense(const block *b, int n, int width, bool channels_last)
{
    int64_t step = width;
    bool    dense = true;
    for (int i = n - 1; i >= 0; i--) {
        const int d = dim_at(i, n, channels_last);
        dense &= b->size[d] == 1 || b->stride[d] == step;
        step *= b->size[d];
    }
    return dense;
}

/* ---- copies ---- */

/* Dims are added from the outside in, and join where both sides let them. */
static void add_dim(kt_plan *copy, int64_t size, int64_t to, int64_t from)
{
    const int last = copy->nd - 1;
    copy->numel *= size;
    if (size == 1)
        return;
    if (last >= 0 && copy->stride[0][last] == size * to && copy->stride[1][last] == size * from) {
        copy->size[last] *= size, copy->stride[0][last] = to, copy->stride[1][last] = from;
        return;
    }
    copy->size[copy->nd] = size;
    copy->stride[0][copy->nd] = to;
    copy->stride[1][copy->nd++] = from;
}

/* Between an operand and its stand-in: a dense block of dtype `is`. */
static kt_status copy_block(const kt_plan *plan, int at, const block *b, int n, kt_dtype is, bool channels_last, bool back)
{
    const int     width = width_of((int)is), other = width_of(plan->arg[at].is);
    int64_t       step[DIMS], next = width;
    kt_plan       copy;
    memcpy(&copy, plan, offsetof(kt_plan, arg));
    copy.n_out = copy.n_in = 1, copy.n_param = 0, copy.rounding = 0, copy.nd = 0, copy.numel = 1;
    for (int i = n - 1; i >= 0; i--) {
        step[i] = next;
        next *= b->size[dim_at(i, n, channels_last)];
    }
    for (int i = 0; i < n; i++) {
        const int d = dim_at(i, n, channels_last);
        add_dim(&copy, b->size[d], back ? b->stride[d] : step[i], back ? step[i] : b->stride[d]);
    }
    const kt_operand made = {.data = b->made, .is = (uint8_t)is, .as = (uint8_t)is};
    copy.arg[back] = made;
    copy.arg[!back] = plan->arg[at];
    copy.arg[1].as = copy.arg[0].is;
    copy.arg[0].as = copy.arg[0].is;
    copy.contiguous = copy.nd == 1 && copy.stride[back][0] == width && copy.stride[!back][0] == other;
    return launch_copy(&copy);
}

/* In place where the library can read or write it there, else a copy, filled unless it is the output. */
static kt_status bring(const kt_plan *plan, int at, block *b, int n, kt_dtype dtype, bool channels_last)
{
    const kt_operand *x = &plan->arg[at];
    const int64_t     width = width_of((int)dtype);
    if (x->is == dtype && !x->bits && is_aligned(x->data, 16) && is_dense(b, n, (int)width, channels_last))
        return KT_OK;
    int64_t numel = 1;
    for (int d = 0; d < n; d++)
        numel *= b->size[d];
    const kt_status status =
        memory_alloc(NULL, plan->device_index, plan->stream, (size_t)(numel * width), &b->made, &b->granted);
    if (status)
        return status;
    b->data = b->made;
    return at < plan->n_out ? KT_OK : copy_block(plan, at, b, n, dtype, channels_last, false);
}

/* ---- the bias ---- */
static kt_status add_bias(const kt_plan *plan, const block *out, int n, kt_dtype dtype, bool channels_last)
{
    const int     width = width_of((int)dtype), first = BIAS * (2 + (int)plan->param[0].v.i);
    const int64_t by_channel = plan->stride[BIAS][first];
    int64_t       outer = out->size[0], space = 1;
    kt_plan       add;
    for (int d = 2; d < n; d++)
        space *= out->size[d];
    memcpy(&add, plan, offsetof(kt_plan, arg));
    add.kernel = add_kernel, add.n_in = 2, add.n_param = 0, add.contiguous = 0;
    add.arg[0] = add.arg[1] = (kt_operand){.data = out->data, .is = (uint8_t)dtype, .as = (uint8_t)dtype};
    add.arg[2] = plan->arg[BIAS];
    add.nd = channels_last ? 2 : 3;
    add.size[0] = channels_last ? outer * space : outer;
    add.size[1] = out->size[1];
    add.size[2] = space;
    int64_t step = width;
    for (int d = add.nd - 1; d >= 0; d--) {
        add.stride[0][d] = add.stride[1][d] = step;
        add.stride[2][d] = d == 1 ? by_channel : 0;
        step *= add.size[d];
    }
    return launch_plan(NULL, &add);
}

/* ---- a plan ---- */

/* The dtype of all inputs, if the library has it; KT_NONE: none. */
static kt_dtype dtype_for(const kt_plan *plan)
{
    const kt_dtype dtype = (kt_dtype)plan->arg[1].as;
    bool           good = dtype == KT_F32 || dtype == KT_F64 || dtype == KT_F16 || dtype == KT_BF16;
    for (int i = 1; i <= plan->n_in; i++)
        good &= plan->arg[i].as == dtype && !plan->arg[i].immediate;
    return good && plan->arg[0].as == plan->arg[0].is ? dtype : KT_NONE;
}

/* The library counts in int. */
static bool sizes_fit(const block *b, int n)
{
    int64_t numel = 1;
    for (int d = 0; d < n; d++) {
        if (b->size[d] < 1 || b->size[d] > INT32_MAX / numel)
            return false;
        numel *= b->size[d];
    }
    return true;
}

/* Every position of y has a window in x, and there is no other. */
static bool windows_fit(const conv *c)
{
    bool fit = true;
    for (int d = 0; d < c->space; d++) {
        const int64_t span = c->dilation[d] * (c->w[2 + d] - 1) + 1, whole = c->x[2 + d] + 2 * c->padding[d] - span;
        fit &= whole >= 0 && c->y[2 + d] == whole / c->stride[d] + 1 && c->padding[d] <= INT32_MAX &&
               c->dilation[d] <= INT32_MAX && c->stride[d] <= INT32_MAX;
    }
    return fit;
}

static void set_geometry(conv *c, const kt_plan *plan)
{
    const int given = (int)plan->param[0].v.i, more = c->space - given;
    for (int d = 0; d < c->space; d++) {
        const bool absent = d < more;
        c->stride[d] = absent ? 1 : plan->param[1 + d - more].v.i;
        c->padding[d] = absent ? 0 : plan->param[4 + d - more].v.i;
        c->dilation[d] = absent ? 1 : plan->param[7 + d - more].v.i;
    }
    c->groups = plan->param[10].v.i;
}

/* Channels last, if an image lies so, and not in the other order too. The library has no way for float64, and one for float32's
 * gradients that takes three times as long as copies and the other order. */
static bool wants_channels_last(const conv *c, const kt_plan *plan, const block *b, const int *images, int n)
{
    const bool slow = c->dtype == KT_F64 || (c->dtype == KT_F32 && c->what != CONV_FORWARD);
    for (int i = 0; i < 2 && !slow; i++) {
        const block *image = &b[images[i]];
        const int    width = width_of(plan->arg[images[i]].is);
        if (is_dense(image, n, width, true) && !is_dense(image, n, width, false))
            return true;
    }
    return false;
}

static kt_status launch_convolution(const kt_plan *plan, const void *what)
{
    /* where x, w and y are among the operands */
    static const int at[][3] = {[CONV_FORWARD] = {1, 2, 0}, [CONV_INPUT] = {0, 2, 1}, [CONV_WEIGHT] = {2, 0, 1}};
    conv             c = {.what = *(const conv_what *)what, .dtype = dtype_for(plan)};
    const int       *of = at[c.what], given = (int)plan->param[0].v.i, n = 2 + (given < 2 ? 2 : given);
    block            b[3];
    c.space = n - 2;
    c.tf32 = plan->tf32 && c.dtype == KT_F32;
    if (!c.dtype || given < 1 || given > CONV_SPACE)
        return KT_DECLINED;
    for (int i = 0; i < 3; i++) {
        b[i] = block_of(plan, i, c.space);
        if (!sizes_fit(&b[i], n))
            return KT_DECLINED;
    }
    memcpy(c.x, b[of[0]].size, sizeof c.x);
    memcpy(c.w, b[of[1]].size, sizeof c.w);
    memcpy(c.y, b[of[2]].size, sizeof c.y);
    set_geometry(&c, plan);
    if (!windows_fit(&c))
        return KT_DECLINED;
    c.channels_last = wants_channels_last(&c, plan, b, (const int[]){of[0], of[2]}, n);
    if (c.channels_last && !dnn_serves(&c, plan->device_index))
        c.channels_last = false;
    if (!dnn_serves(&c, plan->device_index))
        return KT_DECLINED;
    kt_status status = KT_OK;
    for (int i = 0; i < 3 && !status; i++)
        status = bring(plan, i, &b[i], n, c.dtype, c.channels_last);
    c.at_x = b[of[0]].data, c.at_w = b[of[1]].data, c.at_y = b[of[2]].data;
    if (!status)
        status = dnn_convolve(&c, plan);
    if (!status && plan->n_in == BIAS)
        status = add_bias(plan, &b[0], n, c.dtype, c.channels_last);
    if (!status && b[0].made)
        status = copy_block(plan, 0, &b[0], n, c.dtype, c.channels_last, true);
    for (int i = 0; i < 3; i++)
        if (b[i].made)
            memory_free(NULL, plan->device_index, b[i].made, b[i].granted);
    return status;
}

void convolution_open(void)
{
    static const conv_what forward = CONV_FORWARD, input = CONV_INPUT, weight = CONV_WEIGHT;
    const kt_compute       computes[] = {KT_IN_F32, KT_IN_F64};
    add_kernel = host->kernel("add");
    for (int i = 0; i < 2; i++) {
        launch_serve("convolution", computes[i], launch_convolution, &forward);
        launch_serve("convolution_input", computes[i], launch_convolution, &input);
        launch_serve("convolution_weight", computes[i], launch_convolution, &weight);
    }
}
