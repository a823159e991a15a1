/* matrix.c - steps of optimizers that look at a matrix as a whole: Adafactor and Muon.
 *
 * In: calls of the rows _step_adafactor and _step_muon. Out: parameters and states, written in place, operator by operator in the
 * order of PyTorch's default steps. Independent of: dtypes, which each operator decides.
 *
 * N. Shazeer and M. Stern, Adafactor (2018); K. Jordan et al., Muon (2024), whose iteration is that of A. Bjoerck and C. Bowie,
 * SIAM Journal on Numerical Analysis 8 (1971), with other coefficients. */
#include <math.h>

#include "base/alloc.h"
#include "call/made.h"
#include "call/move.h"

static double number(const kt_call *call, int arg) { return kt__arg(call, arg)->f; }

static kt_status check_lengths(const kt_call *call, int lists)
{
    for (int i = 1; i < lists; i++)
        if (call->arg[i].ts.n != call->arg[0].ts.n)
            return kt_fail(KT_ERR_RUNTIME, "Expected %s.size() == n_tensors to be true, but got false.",
                           kt__arg_spec(call->row, i)->name);
    return KT_OK;
}

static double norm_of(kt_tensor *t) { return kt_item(kt_linalg_vector_norm(t)); }
static double root_of_size(const kt_tensor *t) { return pow((double)kt_numel(t), 0.5); }

/* ---- Adafactor ---- */

enum { ROWS = 2, COLUMNS, VARIANCES, STEPS, RATE, BETA2_DECAY, EPS1, EPS2, D, DECAY, MAXIMIZE };

static kt_tensor *mean_of_squares(kt_tensor *g, int64_t dim)
{
    kt_tensor *norms = kt_linalg_vector_norm(g, .dim = KT_SHAPE(dim), .keepdim = true);
    return kt_div_s_(kt_square_(norms), KT_INT(kt_size(g, dim)));
}

/* The variance of a matrix from those of its rows and columns. */
static kt_tensor *variance_of(kt_tensor *g, kt_tensor *rows, kt_tensor *columns, double weight, double eps)
{
    if (!kt_lerp_s_(rows, mean_of_squares(g, -1), KT_FLOAT(weight)) ||
        !kt_lerp_s_(columns, mean_of_squares(g, -2), KT_FLOAT(weight)))
        return NULL;
    kt_tensor *mean = kt_clamp_min_s_(kt_mean_dim(rows, KT_SHAPE(-2), .keepdim = true), KT_FLOAT(eps));
    return kt_div_(kt_matmul(rows, columns), mean);
}

static kt_status adafactor(kt_call *call, int64_t i)
{
    KT_SCOPE;
    kt_tensor   *p = call->arg[0].ts.t[i], *g = call->arg[1].ts.t[i], *step = call->arg[STEPS].ts.t[i];
    kt_tensor   *rows = call->arg[ROWS].ts.t[i], *columns = call->arg[COLUMNS].ts.t[i], *variance = call->arg[VARIANCES].ts.t[i];
    const double rate = number(call, RATE), decay = number(call, DECAY);
    if (kt_ndim(g) > 1 ? !rows || !columns : !variance)
        return kt_fail(KT_ERR_RUNTIME, "row_var and col_var should be defined when grad is multidimensional, else variance");
    const double eps = kt__given(call, EPS1) ? kt__arg(call, EPS1)->f : ldexp(1, -kt__dtype_rows[p->dtype].eps);
    const double t = kt_item(kt_add_s_(step, KT_INT(1))), weight = pow(t, number(call, BETA2_DECAY));
    const double rho = fmin(rate, 1 / pow(t, 0.5)), alpha = fmax(number(call, EPS2), norm_of(p) / root_of_size(p)) * rho;
    g = kt__arg_bool(call, MAXIMIZE) ? kt_neg(g) : g;
    if (decay != 0)
        kt_mul_s_(p, KT_FLOAT(1 - rate * decay));
    kt_tensor *update = kt_ndim(g) > 1 ? variance_of(g, rows, columns, weight, eps)
                                       : kt_clone(kt_lerp_s_(variance, kt_mul(g, g), KT_FLOAT(weight)));
    update = kt_mul_(kt_rsqrt_(kt_clamp_min_s_(update, KT_FLOAT(eps * eps))), g);
    if (!update)
        return kt_error_status();
    const double clipped = fmax(1, norm_of(update) / (root_of_size(update) * number(call, D)));
    kt_add_(p, update, .alpha = KT_FLOAT(-alpha / clipped));
    return kt__failed() ? kt_error_status() : KT_OK;
}

kt_status kt__body_step_adafactor(kt_call *call)
{
    kt_status status = check_lengths(call, STEPS + 1);
    for (int64_t i = 0; i < call->arg[0].ts.n && !status; i++)
        status = adafactor(call, i);
    return kt__list_done(call, status);
}

/* ---- Muon ---- */

enum { BUFFERS = 2, MUON_RATE, MUON_DECAY, MOMENTUM, NESTEROV, A, B, C, EPS, NS_STEPS, ADJUST };

/* The orthogonal matrix nearest to x, about: each pass of Newton and Schulz brings the singular values nearer to 1. */
static kt_tensor *orthogonal(const kt_call *call, kt_tensor *update)
{
    const bool tall = kt_size(update, 0) > kt_size(update, 1);
    kt_tensor *x = kt__converted_inside(update, KT_BF16, KT_WHY_OPTIMIZER);
    x = tall ? kt_t(x) : x;
    /* In place, as in PyTorch: without nesterov a buffer that is bfloat16 changes too. */
    x = kt_div_(x, kt_clamp_min_s(kt_linalg_vector_norm(x), KT_FLOAT(number(call, EPS))));
    for (int64_t i = 0; i < kt__arg_int(call, NS_STEPS) && x; i++) {
        kt_tensor *gram = kt_matmul(x, kt_t(x));
        kt_tensor *mixed = kt_addmm(gram, gram, gram, .beta = KT_FLOAT(number(call, B)), .alpha = KT_FLOAT(number(call, C)));
        x = kt_addmm(x, mixed, x, .beta = KT_FLOAT(number(call, A)));
    }
    return tall ? kt_t(x) : x;
}

static kt_status muon(kt_call *call, int64_t i)
{
    KT_SCOPE;
    kt_tensor   *p = call->arg[0].ts.t[i], *g = call->arg[1].ts.t[i], *buffer = call->arg[BUFFERS].ts.t[i];
    const double rate = number(call, MUON_RATE), momentum = number(call, MOMENTUM);
    if (kt__dtype_rows[p->dtype].category == KT_CAT_COMPLEX)
        return kt_fail(KT_ERR_RUNTIME, "Muon does not support complex parameters");
    if (kt_ndim(p) != 2 || kt_ndim(g) != 2)
        return kt_fail(KT_ERR_RUNTIME, "Param group must be a 2D matrix");
    const double rows = (double)kt_size(p, 0), columns = (double)kt_size(p, 1);
    const double factor = kt__arg_bool(call, ADJUST) ? 0.2 * sqrt(fmax(rows, columns)) : sqrt(fmax(1, rows / columns));
    if (!kt_lerp_s_(buffer, g, KT_FLOAT(1 - momentum)))
        return kt_error_status();
    kt_tensor *update = orthogonal(call, kt__arg_bool(call, NESTEROV) ? kt_lerp_s(g, buffer, KT_FLOAT(momentum)) : buffer);
    if (!update || !kt_mul_s_(p, KT_FLOAT(1 - rate * number(call, MUON_DECAY))))
        return kt_error_status();
    return kt_add_(p, update, .alpha = KT_FLOAT(-rate * factor)) ? KT_OK : kt_error_status();
}

kt_status kt__body_step_muon(kt_call *call)
{
    kt_status status = check_lengths(call, BUFFERS + 1);
    if (!status && kt__arg_int(call, NS_STEPS) >= 100)
        status = kt_fail(KT_ERR_VALUE, "Number of steps must be less than 100 for computational efficiency");
    for (int64_t i = 0; i < call->arg[0].ts.n && !status; i++)
        status = muon(call, i);
    return kt__list_done(call, status);
}
