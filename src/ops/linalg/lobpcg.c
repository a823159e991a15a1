/* lobpcg.c - a few eigenvalues of large symmetric matrices. In: calls of _lobpcg. Out: tensors made of other operators.
 *
 * A. Knyazev, Toward the optimal preconditioned eigensolver: locally optimal block preconditioned conjugate gradient method,
 * 2001; with orthogonal bases, so that directions which vanish do no harm: U. Hetmaniuk, R. Lehoucq, Basis selection in LOBPCG,
 * 2006. A step looks for the best vectors among the present ones, what is left to do (A x - B x e, preconditioned by iK), and the
 * directions of the last step. A vector is found when its residual is small beside the matrices. */
#include "ops/linalg/matrices.h"

#include <math.h>

typedef struct problem {
    kt_tensor *a, *b, *precondition; /* NULL: I */
    int64_t    k, n, steps;          /* vectors that are asked for, and worked on; steps at most, 0 or less: any number */
    double     tolerance, smallest;  /* of residuals; of shares of a basis that are no noise */
    bool       largest;
} problem;

typedef struct state {
    kt_tensor *x, *values, *directions; /* [m, n], [n], [m, up to n] or NULL */
} state;

static kt_tensor *times(kt_tensor *a, kt_tensor *x) { return a ? kt_matmul(a, x) : x; }
static kt_tensor *turned(kt_tensor *x) { return kt_transpose(x, -1, -2); }

/* A basis of the columns of u, orthonormal as B measures. What adds nothing is left out. */
static kt_tensor *basis(const problem *p, kt_tensor *u)
{
    for (int pass = 0; u && pass < 2; pass++) {
        kt_tensor *gram = kt_matmul(turned(u), times(p->b, u));
        kt_tensor *lengths = gram ? kt_diagonal(gram, .dim1 = -2, .dim2 = KT_SOME(-1)) : NULL;
        kt_tensor *scale = kt_masked_fill(kt_rsqrt(lengths), kt_le_s(lengths, KT_INT(0)), KT_INT(0));
        kt_tensor *scaled = kt_mul(kt_mul(gram, kt_unsqueeze(scale, -1)), kt_unsqueeze(scale, -2));
        if (!scaled)
            return NULL;
        const kt_linalg_eigh_results e = kt_linalg_eigh(scaled);
        kt_tensor *count = kt_sum(kt_gt_s(e.eigenvalues, KT_FLOAT(p->smallest)));
        if (!count)
            return NULL;
        const int64_t kept = (int64_t)kt_item(count), all = kt__columns_in(u);
        kt_tensor *values = kt_narrow(e.eigenvalues, -1, all - kept, kept),
                  *vectors = kt_narrow(e.eigenvectors, -1, all - kept, kept);
        u = kt_matmul(kt_mul(u, kt_unsqueeze(scale, -2)), kt_mul(vectors, kt_unsqueeze(kt_rsqrt(values), -2)));
    }
    return u;
}

/* The best n vectors in the span of s, whose first columns are the present ones: x, and the directions that led there. */
static bool choose(const problem *p, kt_tensor *s, int64_t present, state *found)
{
    const kt_linalg_eigh_results e = kt_linalg_eigh(kt_matmul(turned(s), times(p->a, s)));
    if (!e.eigenvectors)
        return false;
    const int64_t many = kt__columns_in(s), n = p->n < many ? p->n : many;
    kt_tensor    *values = kt_narrow(e.eigenvalues, -1, p->largest ? many - n : 0, n),
                 *shares = kt_narrow(e.eigenvectors, -1, p->largest ? many - n : 0, n);
    values = p->largest ? kt_flip(values, KT_SHAPE(-1)) : values;
    shares = p->largest ? kt_flip(shares, KT_SHAPE(-1)) : shares;
    found->values = values, found->x = kt_matmul(s, shares), found->directions = NULL;
    if (found->x && many > present)
        found->directions = kt_matmul(kt_narrow(s, -1, present, many - present), kt_narrow(shares, -2, present, many - present));
    return found->x && found->values;
}

static kt_tensor *norms(kt_tensor *t) { return kt_linalg_vector_norm(t, .dim = KT_SHAPE(-2)); }

/* Is it found? *left: what is left to do. */
static bool is_found(const problem *p, const state *s, double of_a, double of_b, kt_tensor **left)
{
    *left = kt_sub(times(p->a, s->x), kt_mul(times(p->b, s->x), kt_unsqueeze(s->values, -2)));
    if (!*left)
        return false;
    kt_tensor *weights = kt_add_s(kt_mul_s(kt_abs(s->values), KT_FLOAT(of_b)), KT_FLOAT(of_a));
    kt_tensor *small = kt_lt_s(kt_true_divide(norms(*left), kt_mul(norms(s->x), weights)), KT_FLOAT(p->tolerance));
    const int64_t n = kt__columns_in(s->x), k = p->k < n ? p->k : n;
    kt_tensor    *all = small ? kt_all(kt_narrow(small, -1, 0, k)) : NULL;
    return all && kt_item(all) != 0;
}

static double size_of(kt_tensor *a, kt_tensor *x)
{
    kt_tensor *ratio = kt_true_divide(kt_linalg_vector_norm(times(a, x)), kt_linalg_vector_norm(x));
    return ratio ? kt_item(ratio) : NAN;
}

/* Results of a step outlive its scope: in the memory of the last one's, where they fit. */
static kt_tensor *put(kt_tensor *last, kt_tensor *made)
{
    const bool fits = last && made && last->ndim == made->ndim && last->numel == made->numel &&
                      last->sizes[last->ndim - 1] == made->sizes[made->ndim - 1];
    return fits ? kt_copy_(last, made) : made ? kt_escape(made) : NULL;
}

/* One step: false at the end, or if it failed. */
static bool go_on(const problem *p, state *s, double of_a, double of_b)
{
    KT_SCOPE;
    kt_tensor *left;
    if (is_found(p, s, of_a, of_b, &left) || !left)
        return false;
    kt_tensor *next = times(p->precondition, left);
    next = s->directions && next ? kt_cat(((kt_tensor *[]){s->directions, next}), 2, .dim = -1) : next;
    for (int pass = 0; next && pass < 2; pass++) /* away from what is there */
        next = kt_sub(next, kt_matmul(s->x, kt_matmul(turned(s->x), times(p->b, next))));
    next = basis(p, next);
    if (!next || kt__columns_in(next) == 0)
        return false;
    state      found;
    kt_tensor *span = kt_cat(((kt_tensor *[]){s->x, next}), 2, .dim = -1);
    if (!span || !choose(p, span, kt__columns_in(s->x), &found))
        return false;
    s->x = put(s->x, found.x), s->values = put(s->values, found.values), s->directions = put(s->directions, found.directions);
    return s->x && s->values;
}

static bool solve(const problem *p, kt_tensor *x, state *s)
{
    const double of_a = size_of(p->a, x), of_b = p->b ? size_of(p->b, x) : 1;
    if (!(x = basis(p, x)) || !choose(p, x, kt__columns_in(x), s))
        return false;
    for (int64_t i = 0; p->steps <= 0 || i < p->steps; i++)
        if (!go_on(p, s, of_a, of_b))
            break;
    return !kt_failed();
}

enum { MATRIX, COUNT, OTHER, START, WIDTH, PRECONDITION, STEPS, TOLERANCE, LARGEST };

static kt_tensor *part_of(kt_tensor *t, int64_t i, int rank)
{
    if (!t || t->ndim == rank)
        return t;
    kt_tensor *flat = kt_flatten(t, .end_dim = KT_SOME(t->ndim - rank - 1));
    return flat ? kt_select(flat, 0, i) : NULL;
}

/* Each matrix of the batch, one after another. */
static kt_status solve_all(kt_call *call, problem p, kt_tensor *x, int64_t matrices)
{
    kt_tensor *a = p.a, *b = p.b, *precondition = p.precondition, *values = NULL, *vectors = NULL;
    for (int64_t i = 0; i < matrices; i++) {
        state found;
        p.a = part_of(a, i, 2), p.b = part_of(b, i, 2), p.precondition = part_of(precondition, i, 2);
        if (!p.a || (b && !p.b) || (precondition && !p.precondition) || !solve(&p, part_of(x, i, 2), &found))
            return kt_error_status();
        const int64_t k = p.k < found.values->numel ? p.k : found.values->numel;
        kt_tensor    *e = kt_unsqueeze(kt_narrow(found.values, -1, 0, k), 0), *v = kt_unsqueeze(kt_narrow(found.x, -1, 0, k), 0);
        values = values ? kt_cat(((kt_tensor *[]){values, e}), 2) : e;
        vectors = vectors ? kt_cat(((kt_tensor *[]){vectors, v}), 2) : v;
    }
    if (!values || !vectors)
        return kt_error_status();
    int64_t        sizes[KT_MAX_DIMS];
    const kt_shape batch = kt__batch_of(a);
    for (int d = 0; d < batch.n; d++)
        sizes[d] = batch.d[d];
    sizes[batch.n] = values->sizes[1];
    kt_tensor *e = kt_reshape(values, (kt_shape){batch.n + 1, sizes});
    sizes[batch.n] = vectors->sizes[1], sizes[batch.n + 1] = vectors->sizes[2];
    kt_tensor *made[] = {e, kt_reshape(vectors, (kt_shape){batch.n + 2, sizes})};
    return made[0] && made[1] ? kt__end_several(call, made, 2) : kt_error_status();
}

/* The last matrix of the batch, and no bytes. */
static kt_tensor *twin_of(kt_tensor *t, int64_t matrices)
{
    kt_tensor *like = t ? kt_empty_like(t, .device = {KT_META, 0}) : NULL;
    return like ? part_of(like, matrices - 1, 2) : NULL;
}

/* The products of one step without bytes: what does not fit is refused before any step, and on meta as elsewhere. */
static kt_status rehearse(const problem *p, kt_tensor *start, int64_t matrices)
{
    KT_SCOPE;
    problem    q = {.a = twin_of(p->a, matrices), .b = twin_of(p->b, matrices)};
    kt_tensor *x = start ? twin_of(start, matrices) : q.a ? kt_new_empty(q.a, KT_SHAPE(kt__rows_in(q.a), p->n)) : NULL;
    q.precondition = twin_of(p->precondition, matrices);
    if (kt_failed())
        return kt_error_status();
    kt_tensor *gram = kt_matmul(turned(x), times(q.b, x)), *seen = kt_matmul(turned(x), times(q.a, x));
    kt_tensor *next = kt_sub(x, times(q.precondition, x));
    kt_linalg_eigvalsh(gram);
    kt_linalg_eigvalsh(seen);
    kt_narrow(x, -1, 0, p->k);
    return kt_matmul(turned(x), times(q.b, next)) ? KT_OK : kt_error_status();
}

static kt_status check(const kt_tensor *a, const kt_tensor *x, int64_t n)
{
    if (a->ndim < 2)
        return kt_fail(KT_ERR_INDEX, "tuple index out of range");
    const int64_t m = kt__columns_in(a);
    if (kt__rows_in(a) != m)
        return kt_fail(KT_ERR_ASSERTION, "A must be square, got shape torch.Size(%s)", KT__SIZES_TEXT(a));
    if (m < 3 * n)
        return kt_fail(KT_ERR_VALUE,
                       "LPBPCG algorithm is not applicable when the number of A rows (=%lld) is smaller than 3 x the number of "
                       "requested eigenpairs (=%lld)", (long long)m, (long long)n);
    if (n < 1)
        return kt_fail(KT_ERR_RUNTIME, "lobpcg needs at least one vector, but got %lld", (long long)n);
    bool fits = !x || (x->ndim == a->ndim && kt__rows_in(x) == m && kt__columns_in(x) == n);
    for (int d = 0; fits && x && d < a->ndim - 2; d++)
        fits = x->sizes[d] == a->sizes[d];
    return fits ? KT_OK : kt_fail(KT_ERR_ASSERTION, "X shape mismatch: got torch.Size(%s), expected (%lld, %lld)",
                                  KT__SIZES_TEXT(x), (long long)m, (long long)n);
}

kt_status kt__body_lobpcg_of(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *a = call->arg[MATRIX].t, *x = kt__given(call, START) ? call->arg[START].t : NULL;
    const int64_t k = kt__arg_int(call, COUNT), width = x && x->ndim ? kt__columns_in(x) : k,
                  n = x || !kt__given(call, WIDTH) ? width : call->arg[WIDTH].i;
    const double  unit = a->dtype == KT_F32 ? 1.2e-7 : 2.23e-16;
    if (check(a, x, n))
        return kt_error_status();
    problem p = {.a = a, .b = kt__given(call, OTHER) ? call->arg[OTHER].t : NULL, .k = k < n ? k : n, .n = n,
                 .precondition = kt__given(call, PRECONDITION) ? call->arg[PRECONDITION].t : NULL,
                 .steps = kt__arg_int(call, STEPS), .largest = kt__arg_bool(call, LARGEST), .smallest = 100 * unit,
                 .tolerance = kt__given(call, TOLERANCE) ? call->arg[TOLERANCE].f : sqrt(unit)};
    const kt_shape batch = kt__batch_of(a);
    const kt_dtype dtype = (kt_dtype)a->dtype;
    int64_t        matrices = 1, sizes[KT_MAX_DIMS];
    for (int d = 0; d < batch.n; d++)
        matrices *= sizes[d] = batch.d[d];
    if (matrices && rehearse(&p, x, matrices))
        return kt_error_status();
    if (matrices == 0 || kt__backend(a->backend)->stores_nothing) {
        kt_tensor *made[] = {kt__new_vectors(a, dtype, batch, p.k), kt__new_matrices(a, dtype, batch, kt__rows_in(a), p.k)};
        return made[0] && made[1] ? kt__end_several(call, made, 2) : kt_error_status();
    }
    sizes[batch.n] = kt__rows_in(a), sizes[batch.n + 1] = n;
    const kt_shape whole = {batch.n + 2, sizes};
    x = x ? x : kt_randn(whole, .dtype = dtype, .device = kt__device(a));
    return x ? solve_all(call, p, x, matrices) : kt_error_status();
}
