/* exponential.c - exponentials of square matrices, by scaling and squaring with a Pade approximant. In: calls of matrix_exp.
 * Out: new tensors. It knows no kernel: products and solve do the work.
 *
 * N. J. Higham, The scaling and squaring method for the matrix exponential revisited, SIAM J. Matrix Anal. Appl. 26 (2005): up
 * to a norm of `reach` the approximant of that degree has no error beyond rounding. Each matrix of a batch is halved as often
 * as its norm asks for, and its exponential squared as often. */
#include <math.h>

#include "ops/linalg/matrices.h"

/* ---- the approximant: p(A) / p(-A), p of odd degree ---- */
typedef struct approximant {
    double        reach;
    int           degree;
    const double *p;
} approximant;

static const double of_degree_7[] = {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1};
static const double of_degree_13[] = {64764752532480000,
                                      32382376266240000,
                                      7771770303897600,
                                      1187353796428800,
                                      129060195264000,
                                      10559470521600,
                                      670442572800,
                                      33522128640,
                                      1323241920,
                                      40840800,
                                      960960,
                                      16380,
                                      182,
                                      1};

static approximant for_dtype(kt_dtype d)
{
    return d == KT_F32 || d == KT_C64 ? (approximant){3.925724783138660, 7, of_degree_7}
                                      : (approximant){5.371920351148152, 13, of_degree_13};
}

static kt_tensor *weighed(kt_tensor *sum, kt_tensor *t, double by)
{
    return sum ? kt_add(sum, t, .alpha = KT_FLOAT(by)) : kt_mul_s(t, KT_FLOAT(by));
}

/* c[from] + c[from + 2] A^2 + ..., with the powers up to A^6 that are there; what is beyond them is A^6 times a sum of them. c[0]
 * is 1, so that the exponential of zeros is the identity itself. */
static kt_tensor *every_second(const approximant *f, int from, kt_tensor *const *power)
{
    kt_tensor *sum = NULL, *high = NULL;
    for (int i = 0; i < 4 && from + 2 * i <= f->degree; i++)
        sum = weighed(sum, power[i], f->p[from + 2 * i] / f->p[0]);
    for (int i = 4; from + 2 * i <= f->degree; i++)
        high = weighed(high, power[i - 3], f->p[from + 2 * i] / f->p[0]);
    return high ? kt_add(sum, kt_matmul(power[3], high)) : sum;
}

static kt_tensor *exponential_of_small(kt_tensor *a)
{
    const approximant f = for_dtype((kt_dtype)a->dtype);
    kt_tensor        *one = kt_eye(kt__rows_in(a), .dtype = (kt_dtype)a->dtype, .device = kt__device(a));
    kt_tensor        *square = kt_matmul(a, a), *fourth = kt_matmul(square, square);
    kt_tensor        *power[] = {kt_expand_as(one, a), square, fourth, kt_matmul(fourth, square)};
    kt_tensor        *odd = kt_matmul(a, every_second(&f, 1, power)), *even = every_second(&f, 0, power);
    return kt_linalg_solve_ex(kt_sub(even, odd), kt_add(even, odd)).result;
}

/* ---- how often each matrix is halved ---- */

/* For each matrix, and the largest; a matrix that is not finite is not halved. */
static kt_tensor *halvings_of(kt_tensor *a, int *most)
{
    kt_tensor *norm = kt_linalg_matrix_norm(a, KT_INT(1));
    kt_tensor *times = kt_ceil(kt_log2(kt_div_s(norm, KT_FLOAT(for_dtype((kt_dtype)a->dtype).reach))));
    times =
        kt_clamp_min_s(kt_nan_to_num(times, .nan = KT_SOME(0), .posinf = KT_SOME(0), .neginf = KT_SOME(0)), KT_INT(0));
    kt_tensor *largest = kt_amax(times);
    if (!largest)
        return NULL;
    *most = (int)kt_item(largest);
    return kt__failed() ? NULL : times;
}

static kt_tensor *each(kt_tensor *t) { return kt_unsqueeze(kt_unsqueeze(t, -1), -1); }

static kt_tensor *exponential(kt_tensor *a)
{
    int        most = 0;
    kt_tensor *times = a->backend == KT_META ? NULL : halvings_of(a, &most);
    if (kt__failed())
        return NULL;
    if (most == 0)
        return exponential_of_small(a);
    kt_tensor *result = exponential_of_small(kt_mul(a, each(kt_exp2(kt_neg(times)))));
    for (int i = 0; i < most && result; i++) {
        kt_tensor *squared = kt_matmul(result, result);
        result = a->ndim == 2 ? squared : kt_where(each(kt_gt_s(times, KT_INT(i))), squared, result);
    }
    return result;
}

kt_status kt__body_linalg_matrix_exp(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *a = call->arg[0].t;
    kt__decision room;
    if (kt__check_square(a, "linalg.matrix_exp") || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    const kt_dtype dtype = (kt_dtype)a->dtype;
    if (a->numel == 0)
        return kt__end(call, kt_clone(a, .memory_format = KT_CONTIGUOUS_FORMAT));
    if (kt__rows_in(a) == 1)
        return kt__end(call, kt_contiguous(kt_exp(a)));
    const bool half = dtype != KT_F32 && dtype != KT_F64 && dtype != KT_C64 && dtype != KT_C128;
    kt_tensor *result = exponential(half ? kt__converted_inside(a, KT_F32, KT_WHY_PROMOTION) : a);
    return kt__end(call, kt_contiguous(kt__converted_inside(result, dtype, KT_WHY_RESULT)));
}

kt_status kt__body_matrix_exp(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, kt_linalg_matrix_exp(call->arg[0].t));
}
