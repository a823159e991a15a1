/* range.c - plans whose values follow from their index: arange, linspace, eye; and band, which keeps what lies between two
 * diagonals. */
#include <string.h>

#include "parts.h"

static kt_status launch_range(const kt_plan *plan, const void *what)
{
    const void *const *kernels = what;
    const kt_operand  *to = &plan->arg[0];
    range_args         g = {.to = to->data, .is = to->is, .n = (uint64_t)plan->numel, .step = plan->nd ? plan->stride[0][0] : 0};
    const bool         spaced = kernels == linspace_kernels;
    if (plan->nd > 1 || plan->compute > KT_IN_I64 || !(range_dtypes[plan->compute] >> to->is & 1) || to->as != to->is)
        return KT_DECLINED;
    for (int i = 0; i < 2; i++)
        if (plan->param[i].kind == KT_SCALAR_COMPLEX || plan->param[i].is_unsigned)
            return KT_DECLINED;
    const bool floats = plan->param[0].kind == KT_SCALAR_FLOAT || plan->param[1].kind == KT_SCALAR_FLOAT;
    if (floats && !spaced && plan->compute >= KT_IN_I32)
        return KT_DECLINED;
    g.first = number_of(&plan->param[0]);
    g.second = number_of(&plan->param[1]);
    g.first_int = plan->param[0].v.i;
    g.second_int = plan->param[1].v.i;
    return launch_kernel(kernels[plan->compute], blocks_of(g.n, ARG_THREADS), &g, plan);
}

/* ---- matrices: param 0 and 1 are diagonals ---- */

/* A row is not cut, and pieces have all dims of a matrix. */
static bool is_countable(const kt_plan *plan)
{
    return plan->nd >= 2 && plan->nd <= ARG_DIMS && plan->size[plan->nd - 1] <= MOST_OF_PIECE;
}

static uint64_t diagonal_after(uint64_t diagonal, int64_t rows)
{
    const int64_t d = (int64_t)diagonal;
    return (uint64_t)(d > INT64_MAX - rows ? INT64_MAX : d + rows);
}

/* From element i of dim `first` on: rows further down have their diagonals further to the right. */
static strided_args matrices_after(const strided_args *g, const kt_plan *plan, int n_operands, int first, int64_t i)
{
    strided_args part = *g;
    for (int k = 0; k < n_operands; k++)
        if (part.flat.at[k].data)
            part.flat.at[k].data += i * plan->stride[k][first];
    for (int k = 0; k < 2 && first == plan->nd - 2; k++)
        part.flat.param[k] = diagonal_after(g->flat.param[k], i);
    return part;
}

/* What has more elements than a piece is cut here, by matrices or rows, as a kernel knows no row but its piece's. */
static kt_status launch_matrices(const void *kernel, strided_args *g, const kt_plan *plan, int n_operands, int first)
{
    const bool    rows = first == plan->nd - 2;
    const int64_t size = plan->size[first];
    int64_t       inner = 1;
    kt_status     status = KT_OK;
    for (int d = first + 1; d < plan->nd; d++)
        inner = inner > MOST_OF_PIECE ? inner : inner * plan->size[d];
    if (inner == 0 || size <= MOST_OF_PIECE / inner)
        return launch_pieces(kernel, g, plan, n_operands, first);
    kt_plan few = *plan;
    for (int64_t i = 0; i < size && !status; i += few.size[first]) {
        strided_args part = matrices_after(g, plan, n_operands, first, i);
        const int64_t most = rows ? MOST_OF_PIECE / inner : 1;
        few.size[first] = size - i < most ? size - i : most;
        status = rows ? launch_pieces(kernel, &part, &few, n_operands, first)
                      : launch_matrices(kernel, &part, plan, n_operands, first + 1);
    }
    return status;
}

static kt_status launch_band(const kt_plan *plan, const void *what)
{
    (void)what;
    strided_args g = {.vector = 1};
    const int    width = width_of(plan->arg[0].is);
    if (!is_countable(plan) || plan->arg[0].is != plan->arg[1].is)
        return KT_DECLINED;
    for (int i = 0; i < 2; i++)
        set_operand(&g.flat.at[i], plan, i, width, 1);
    g.flat.param[0] = (uint64_t)plan->param[0].v.i;
    g.flat.param[1] = (uint64_t)plan->param[1].v.i;
    return launch_matrices(band_kernels[log_of_width(width)], &g, plan, 2, 0);
}

static kt_status launch_eye(const kt_plan *plan, const void *what)
{
    (void)what;
    strided_args g = {.vector = 1};
    const int    width = width_of(plan->arg[0].is);
    if (!is_countable(plan) || make_element(plan, KT_INT(1), g.flat.at[1].value))
        return host->error()[0] ? KT_ERR_RUNTIME : KT_DECLINED;
    set_operand(&g.flat.at[0], plan, 0, width, 1);
    return launch_matrices(eye_kernels[log_of_width(width)], &g, plan, 1, 0);
}

void range_open(void)
{
    launch_serve_all("arange", launch_range, arange_kernels);
    launch_serve_all("linspace", launch_range, linspace_kernels);
    launch_serve_all("band", launch_band, NULL);
    launch_serve_all("eye", launch_eye, NULL);
}
