/* product.c - rules of matrix products: vectors become matrices, and matmul takes the examples among its leading dims. */
#include "batch/batch.h"

/* One operand of `rank` dims, and with its examples if it has some: a vector as a row or a column, then as many leading dims
 * as the other has. */
static kt_tensor *operand(const kt__lift *l, kt_tensor *t, bool column, int rank)
{
    const bool has = kt__at_level(t, l->level);
    kt_tensor *value = has ? kt__lifted(l, t, -1) : t;
    if (t->ndim == 1)
        value = kt_unsqueeze(value, column ? -1 : -2);
    for (int i = t->ndim == 1 ? 2 : t->ndim; has && i < rank; i++)
        value = kt_unsqueeze(value, 1);
    return value;
}

static int as_matrix(const kt_tensor *t) { return t->ndim == 1 ? 2 : t->ndim; }

/* Of the examples, where at least one operand has them: as matmul of one example. */
static kt_tensor *product_of(const kt__lift *l, kt_tensor *a, kt_tensor *b)
{
    const bool left = kt__at_level(a, l->level), right = kt__at_level(b, l->level);
    if (a->ndim <= 2 && b->ndim == 1 && left && !right)
        return kt_matmul(kt__lifted(l, a, -1), b);
    if (a->ndim <= 2 && b->ndim == 1 && right && !left)
        return kt_matmul(kt__lifted(l, b, -1), a->ndim == 1 ? a : kt_t(a));
    if (a->ndim == 1 && b->ndim == 1)
        return kt_sum_dim(kt_mul(kt__lifted(l, a, -1), kt__lifted(l, b, -1)), KT_SHAPE(-1), .dtype = (kt_dtype)a->dtype);
    const int  rank = as_matrix(a) > as_matrix(b) ? as_matrix(a) : as_matrix(b);
    kt_tensor *y = kt_matmul(operand(l, a, false, rank), operand(l, b, true, rank));
    if (b->ndim == 1)
        y = kt_squeeze_dim(y, KT_SHAPE(-1));
    return a->ndim == 1 ? kt_squeeze_dim(y, KT_SHAPE(b->ndim == 1 ? -1 : -2)) : y;
}

static kt_status give(kt__lift *l, kt_tensor *t)
{
    l->inner.out[0] = t ? kt__ref(t) : NULL;
    l->inner.n_out = 1;
    return t ? KT_OK : kt_error_status();
}

/* The row's own refusals, of dims and dtypes, are those of one example: it is asked on the meta device. */
static kt_status check_example(const kt_call *call)
{
    kt_call look = *call;
    look.form = KT_PLAIN;
    for (int i = 0; i < call->row->inputs.n; i++) {
        const int  at = call->row->inputs.at[i];
        kt_tensor *t = call->arg[at].t, *meta = kt__tensor_new((kt_dtype)t->dtype, (kt_device){KT_META, 0}, kt__sizes(t));
        if (!meta || kt__scope_add(meta))
            return kt_error_status();
        look.arg[at].t = meta;
    }
    if (kt_call_run(&look))
        return kt_error_status();
    kt__unref(look.out[0]);
    return KT_OK;
}

static bool fits(const kt_tensor *a, const kt_tensor *b)
{
    const int64_t inner = b->ndim == 1 ? b->sizes[0] : b->ndim ? b->sizes[b->ndim - 2] : -1;
    return a->ndim && b->ndim && a->sizes[a->ndim - 1] == inner && a->dtype == b->dtype;
}

/* The ranks that the row has by itself: matmul would take others. */
static bool is_usual(const kt_call *call, const kt_tensor *a, const kt_tensor *b)
{
    const kt__batch_line line = kt__batch_line_of(call->row);
    return !line.rank[0] ||
           (a->ndim == line.rank[0] && b->ndim == line.rank[1] && (a->ndim < 3 || a->sizes[0] == b->sizes[0]));
}

static kt_status check_product(const kt_call *call)
{
    const kt_tensor *a = call->arg[0].t, *b = call->arg[1].t;
    return fits(a, b) && is_usual(call, a, b) ? KT_OK : check_example(call);
}

kt_status kt__batch_product(kt__lift *l)
{
    return check_product(l->call) ? kt_error_status() : give(l, product_of(l, l->call->arg[0].t, l->call->arg[1].t));
}

kt_status kt__batch_conjugate_product(kt__lift *l)
{
    kt_tensor *a = l->call->arg[0].t, *b = l->call->arg[1].t;
    if (check_product(l->call))
        return kt_error_status();
    if (kt__dtype_rows[a->dtype].category != KT_CAT_COMPLEX)
        return give(l, product_of(l, a, b));
    kt_tensor *value = kt__lifted(l, a, -1);
    if (!kt__at_level(b, l->level))
        return give(l, kt_matmul(kt_conj(value), b));
    return give(l, kt_sum_dim(kt_mul(kt_conj(value), kt__lifted(l, b, -1)), KT_SHAPE(-1)));
}

static bool is_one(kt_scalar s)
{
    return s.kind == KT_SCALAR_FLOAT ? s.v.re == 1 : s.kind != KT_SCALAR_COMPLEX && s.v.i == 1;
}

/* A float beside integers: the row's kernel says what becomes of it. */
static bool fits_dtype(kt_scalar s, const kt_tensor *t)
{
    return s.kind != KT_SCALAR_FLOAT || kt__dtype_rows[t->dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX);
}

static bool is_zero(kt_scalar s)
{
    return s.kind == KT_SCALAR_FLOAT ? s.v.re == 0 : s.kind != KT_SCALAR_COMPLEX && s.v.i == 0;
}

kt_status kt__batch_added_product(kt__lift *l)
{
    const kt_call  *call = l->call;
    kt_tensor      *c = call->arg[0].t, *a = call->arg[1].t, *b = call->arg[2].t, *y;
    const kt_scalar beta = kt__arg_scalar(call, 3), alpha = kt__arg_scalar(call, 4);
    if ((!fits(a, b) || !is_usual(call, a, b) || c->dtype != a->dtype) && check_example(call))
        return kt_error_status();
    if (!fits_dtype(alpha, a) || !fits_dtype(beta, a))
        return kt__batch_loop(l);
    const int rank = a->ndim == b->ndim ? a->ndim : 1;
    if (kt__at_level(a, l->level) || kt__at_level(b, l->level))
        y = product_of(l, a, b);
    else
        y = kt_matmul(a, b);
    if (!is_one(alpha))
        y = kt_mul_s(y, alpha);
    if (!is_zero(beta)) {
        kt_tensor *addend = kt__lifted(l, c, rank);
        y = kt_add(y, is_one(beta) ? addend : kt_mul_s(addend, beta));
    } else if (!kt__at_level(a, l->level) && !kt__at_level(b, l->level)) {
        int64_t sizes[KT_MAX_DIMS + 1] = {l->size};
        for (int i = 0; y && i < y->ndim; i++)
            sizes[i + 1] = y->sizes[i];
        y = y ? kt_expand(y, ((kt_shape){y->ndim + 1, sizes})) : NULL;
    }
    if (call->form == KT_PLAIN || !y)
        return give(l, y);
    kt_copy_(kt__lifted(l, c, -1), y);
    return kt__failed() ? kt_error_status() : KT_OK;
}
