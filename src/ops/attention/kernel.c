/* kernel.c - the rows of the attention kernel. In: query, key, value of four dims, perhaps a mask. Out: the output and the
 * logarithms of its sums, or the gradients, by one plan. */
#include "call/move.h"
#include "ops/attention/attention.h"
#include "plan/draw.h"
#include "tables/kernels/attention.h"

enum { MOST = 11, DIMS = 4, BLOCK = 64, STATE = 625 }; /* operands of a plan; queries that share a state, its words */
enum { SEED = 4 };                                     /* words of seed and offset */

static int      compute_of(const kt_tensor *t) { return kt__dtype_rows[t->dtype].compute; }
static kt_dtype wide_of(const kt_tensor *t) { return compute_of(t) == KT_IN_F64 ? KT_F64 : KT_F32; }
static bool     is_lazy(const kt_tensor *t) { return t->flags & (KT_T_CONJ | KT_T_NEG); }

bool kt__is_attended_dtype(const kt_tensor *t)
{
    return t->dtype == KT_F32 || t->dtype == KT_F64 || t->dtype == KT_BF16 || t->dtype == KT_F16;
}

/* ---- what the kernel takes ---- */

/* A device without the kernel would bring all to the host. */
static bool has_kernel(const kt_tensor *t)
{
    const kt_backend *backend = kt__backend(t->backend);
    return !backend->kernels || backend->kernels[KT_K_attention] >> compute_of(t) & 1;
}

bool kt__attention_is_whole(const kt_tensor *query) { return kt__draws_itself(query, KT_K_attention_seed, KT_IN_I32); }

static bool on_one_device(const kt_tensor *a, const kt_tensor *b) { return a->backend == b->backend && a->index == b->index; }

static bool is_operand(const kt_tensor *t, const kt_tensor *query)
{
    return t->ndim == DIMS && t->dtype == query->dtype && !is_lazy(t) && on_one_device(t, query);
}

/* Of two dims or four, each of size 1 or that of the scores. */
static bool is_mask(const kt_tensor *mask, const kt_tensor *query, const kt_tensor *key)
{
    const int64_t scores[DIMS] = {query->sizes[0], query->sizes[1], query->sizes[2], key->sizes[2]};
    bool          fits = (mask->ndim == 2 || mask->ndim == DIMS) && on_one_device(mask, query) && !is_lazy(mask);
    for (int d = 0; d < mask->ndim && fits; d++)
        fits = mask->sizes[d] == 1 || mask->sizes[d] == scores[DIMS - mask->ndim + d];
    return fits && (mask->dtype == KT_BOOL || mask->dtype == KT_F32 || mask->dtype == query->dtype);
}

static bool fit(const kt_tensor *q, const kt_tensor *k, const kt_tensor *v, const kt_tensor *mask)
{
    return is_operand(q, q) && is_operand(k, q) && is_operand(v, q) && kt__is_attended_dtype(q) && q->sizes[2] && k->sizes[2] &&
           q->sizes[3] && v->sizes[3] && q->sizes[0] == k->sizes[0] && k->sizes[0] == v->sizes[0] && k->sizes[1] == v->sizes[1] &&
           (q->sizes[1] == k->sizes[1] || (k->sizes[1] && q->sizes[1] && q->sizes[1] % k->sizes[1] == 0)) &&
           k->sizes[2] == v->sizes[2] && q->sizes[3] == k->sizes[3] && (!mask || is_mask(mask, q, k));
}

static bool takes(const kt_tensor *q, const kt_tensor *k, const kt_tensor *v, const kt_tensor *mask)
{
    return fit(q, k, v, mask) && has_kernel(q);
}

bool kt__attention_fits(const kt__attended *a)
{
    return fit(a->query, a->key, a->value, a->mask) && (a->grouped || a->query->sizes[1] == a->key->sizes[1]);
}

bool kt__attention_takes(const kt__attended *a) { return kt__attention_fits(a) && has_kernel(a->query); }

static kt_status refuse(const char *op)
{
    return kt_fail(KT_ERR_RUNTIME, "%s takes query, key and value of [batch, head, length, dim] and one floating dtype that fit "
                   "together, and masks of their scores", op);
}

/* ---- dropout ---- */

static int64_t states_of(const kt_tensor *query)
{
    return query->sizes[0] * query->sizes[1] * ((query->sizes[2] + BLOCK - 1) / BLOCK);
}

static bool are_draws(const kt_tensor *draws, const kt_tensor *query)
{
    const bool states = draws->ndim == 2 && draws->sizes[0] == states_of(query) && draws->sizes[1] == STATE;
    const bool seed = draws->ndim == 1 && draws->sizes[0] == SEED && kt__attention_is_whole(query);
    return draws->dtype == KT_I32 && (states || seed) && kt__is_contiguous(draws) && on_one_device(draws, query);
}

static bool drops(const kt_value *draws, double p, const kt_tensor *query, kt_tensor **states)
{
    *states = draws->ts.n ? draws->ts.t[0] : NULL;
    return draws->ts.n <= 1 && (*states ? p > 0 && p < 1 && are_draws(*states, query) : p == 0);
}

kt_status kt__body_attention_draws(kt_call *call)
{
    KT_SCOPE;
    kt_tensor      *query = call->arg[0].t, *key = call->arg[1].t;
    kt__draw_source source;
    kt_plan         plan;
    if (query->ndim != DIMS || key->ndim != DIMS)
        return refuse("attention");
    const bool      whole = kt__attention_is_whole(query);
    const int       kernel = whole ? KT_K_attention_seed : KT_K_attention_draws;
    const kt_device at = whole ? kt__device(query) : (kt_device){KT_CPU, 0};
    const kt_shape  shape = whole ? KT_SHAPE(SEED) : KT_SHAPE(states_of(query), STATE);
    kt_tensor      *states = kt__scoped(kt__tensor_new(KT_I32, at, shape));
    if (!states || kt__draw_source_of(kt__row_called(call), states, kernel, KT_IN_I32, NULL, &source))
        return kt_error_status();
    states->lineage = KT__RECORD(KT_BORN, call->row->name, KT_NONE, KT_I32, 0);
    kt__plan_begin(&plan, kt__row_called(call), (kt_kernel_id)kernel, KT_IN_I32, 0, states);
    plan.numel = states->numel;
    plan.nd = 0;
    kt__set_operand(&plan, 0, states, KT_I32, KT_WHY_NONE);
    kt__plan_block(&plan, 0, 1, states);
    plan.param[plan.n_param++] = KT_INT(query->sizes[0] * query->sizes[1]);
    plan.param[plan.n_param++] = KT_INT(query->sizes[2]);
    plan.param[plan.n_param++] = KT_INT(key->sizes[2]);
    return kt__launch_draw(&plan, states, &source) ? kt_error_status() : kt__end(call, states);
}

kt_status kt__body_attention_kept(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *draws = call->arg[0].t, *query = call->arg[1].t, *key = call->arg[2].t;
    if (query->ndim != DIMS || key->ndim != DIMS || !are_draws(draws, query))
        return refuse("attention");
    const int64_t sizes[DIMS] = {query->sizes[0], query->sizes[1], query->sizes[2], key->sizes[2]};
    kt_tensor    *kept = kt__scoped(kt__tensor_new(KT_BOOL, kt__device(draws), (kt_shape){DIMS, sizes}));
    kt_plan       plan;
    if (!kept)
        return kt_error_status();
    kept->lineage = KT__RECORD(KT_BORN, call->row->name, KT_NONE, KT_BOOL, 0);
    kt__plan_begin(&plan, kt__row_called(call), KT_K_attention_kept, KT_IN_I32, 1, draws);
    plan.numel = kept->numel;
    plan.nd = 0;
    kt_tensor *const t[] = {kept, draws};
    for (int i = 0; i < 2; i++) {
        kt__set_operand(&plan, i, t[i], (kt_dtype)t[i]->dtype, KT_WHY_NONE);
        kt__plan_block(&plan, i, 2, t[i]);
    }
    plan.param[plan.n_param++] = KT_FLOAT(1 - call->arg[3].f);
    return plan.numel && kt__launch_long(&plan, kept) ? kt_error_status() : kt__end(call, kept);
}

/* ---- plans: each operand has its own dims ---- */

static kt_status launch(const kt_call *call, int kernel, kt_tensor *const *t, int n_out, int n, const kt_tensor *query,
                        bool causal, double scale, double dropout)
{
    kt_plan plan;
    kt__plan_begin(&plan, kt__row_called(call), kernel, compute_of(query), n - n_out, query);
    plan.n_out = (uint8_t)n_out;
    plan.numel = query->numel;
    plan.nd = 0;
    for (int i = 0; i < n; i++) {
        kt__set_operand(&plan, i, t[i], (kt_dtype)t[i]->dtype, KT_WHY_NONE);
        kt__plan_block(&plan, i, n, t[i]);
    }
    plan.param[plan.n_param++] = KT_INT(causal);
    plan.param[plan.n_param++] = KT_FLOAT(scale);
    if (dropout > 0)
        plan.param[plan.n_param++] = KT_FLOAT(1 - dropout);
    return plan.numel ? kt__launch_long(&plan, t[0]) : KT_OK;
}

/* A mask of two dims is that of all heads. */
static kt_tensor *with_heads(kt_tensor *mask)
{
    return mask->ndim == 2 ? kt_unsqueeze(kt_unsqueeze(mask, 0), 0) : mask;
}

static kt_tensor *known_as(kt_tensor *t, const kt_call *call, const kt_tensor *like)
{
    if (t)
        t->lineage = t->dtype == like->dtype ? like->lineage : KT__RECORD(KT_BORN, call->row->name, KT_NONE, t->dtype, 0);
    return kt__scoped(t);
}

/* As PyTorch lays out what flows back: on a device as the operand lies, else with the heads beside the columns: [batch, length,
 * head, dim] in memory. */
static kt_tensor *new_beside(const kt_call *call, kt_tensor *like)
{
    if (kt__attention_is_whole(like))
        return known_as(kt__empty_like(like, (kt_dtype)like->dtype, kt__device(like), KT_FORMAT_NONE), call, like);
    const int64_t *n = like->sizes, strides[DIMS] = {n[2] * n[1] * n[3], n[3], n[1] * n[3], 1};
    return known_as(kt__tensor_new_strided((kt_dtype)like->dtype, kt__device(like), kt__sizes(like), (kt_shape){DIMS, strides}),
                    call, like);
}

/* As the gradients of products lie: those of two matrices as the matrices do, others row-major, and those of keys whose
 * transpose is multiplied column-major. */
static kt_tensor *new_of_product(const kt_call *call, const kt_tensor *like, int64_t dims, bool turned)
{
    if (dims == 2)
        turned = like->strides[2] == 1 && like->strides[3] == like->sizes[2] && like->sizes[3] > 1;
    const int64_t *n = like->sizes, area = n[2] * n[3], strides[DIMS] = {n[1] * area, area, turned ? 1 : n[3], turned ? n[2] : 1};
    return known_as(kt__tensor_new_strided((kt_dtype)like->dtype, kt__device(like), kt__sizes(like), (kt_shape){DIMS, strides}),
                    call, like);
}

kt_status kt__body_attention(kt_call *call)
{
    enum { QUERY, KEY, VALUE, MASK, CAUSAL, SCALE, DRAWS, DROPOUT, PRODUCT_DIMS };
    KT_SCOPE;
    kt_tensor *query = call->arg[QUERY].t, *key = call->arg[KEY].t, *value = call->arg[VALUE].t;
    kt_tensor *mask = call->arg[MASK].ts.n ? call->arg[MASK].ts.t[0] : NULL;
    const double dropout = call->arg[DROPOUT].f;
    kt_tensor   *draws;
    if (call->arg[MASK].ts.n > 1 || !takes(query, key, value, mask) || !drops(&call->arg[DRAWS], dropout, query, &draws))
        return refuse("attention");
    const int64_t *n = query->sizes, sizes[DIMS] = {n[0], n[1], n[2], value->sizes[3]}, turned[3] = {n[1] * n[2], 1, n[1]};
    const kt_dtype dtype = (kt_dtype)query->dtype;
    kt_tensor     *out = !kt__arg(call, PRODUCT_DIMS)->i && kt__attention_is_dense(query, key, value)
                             ? kt__output_beside(&query, 1, dtype)
                             : kt__tensor_new(dtype, kt__device(query), (kt_shape){DIMS, sizes});
    kt_tensor     *lse = kt__attention_is_whole(query)
                             ? kt__tensor_new(wide_of(query), kt__device(query), (kt_shape){3, sizes})
                             : kt__tensor_new_strided(wide_of(query), kt__device(query), (kt_shape){3, sizes}, (kt_shape){3,
                                     turned});
    out = known_as(out, call, query), lse = known_as(lse, call, query);
    if (mask)
        mask = with_heads(mask);
    if (!out || !lse || kt_error_status())
        return kt_error_status();
    kt_tensor *t[MOST] = {out, lse, query, key, value};
    int        operands = 5;
    if (mask)
        t[operands++] = mask;
    if (draws)
        t[operands++] = draws;
    if (launch(call, KT_K_attention, t, 2, operands, query, kt__arg_bool(call, CAUSAL), kt__arg(call, SCALE)->f, dropout))
        return kt_error_status();
    return kt__end_several(call, (kt_tensor *[]){out, lse}, 2);
}

enum { GRAD, QUERY, KEY, VALUE, OUT, LSE };

/* Tensors that a gradient needs beside the mask and the draws. */
static bool fit_back(const kt_call *call, const kt_tensor *mask)
{
    const kt_tensor *grad = call->arg[GRAD].t, *query = call->arg[QUERY].t, *value = call->arg[VALUE].t;
    const kt_tensor *out = call->arg[OUT].t, *lse = call->arg[LSE].t;
    bool             fits = takes(query, call->arg[KEY].t, value, mask) && is_operand(grad, query) && is_operand(out, query) &&
                lse->ndim == 3 && lse->dtype == wide_of(query) && on_one_device(lse, query);
    for (int d = 0; d < DIMS && fits; d++) {
        const int64_t n = d < 3 ? query->sizes[d] : value->sizes[3];
        fits = grad->sizes[d] == n && out->sizes[d] == n && (d == 3 || lse->sizes[d] == n);
    }
    return fits;
}

static kt_status flow_back(kt_call *call, kt_tensor *mask, bool causal, double scale, kt_tensor *draws, double dropout,
                           int64_t product_dims)
{
    kt_tensor *grad = call->arg[GRAD].t, *query = call->arg[QUERY].t, *key = call->arg[KEY].t, *value = call->arg[VALUE].t;
    kt_tensor *out = call->arg[OUT].t, *lse = call->arg[LSE].t;
    if (!fit_back(call, mask))
        return refuse("the gradient of attention");
    const bool fused = product_dims == 0, ungrouped = query->sizes[1] == key->sizes[1];
    kt_tensor *made[3] = {fused ? new_beside(call, query) : new_of_product(call, query, product_dims, false),
                          fused ? new_beside(call, key) : new_of_product(call, key, product_dims, ungrouped),
                          fused ? new_beside(call, value) : new_of_product(call, value, product_dims, false)};
    if (mask)
        mask = with_heads(mask);
    if (kt_error_status())
        return kt_error_status();
    kt_tensor *t[MOST] = {made[0], made[1], made[2], grad, query, key, value, out, lse};
    int        n = 9;
    if (mask)
        t[n++] = mask;
    if (draws)
        t[n++] = draws;
    if (launch(call, KT_K_attention_backward, t, 3, n, query, causal, scale, dropout))
        return kt_error_status();
    return kt__end_several(call, made, 3);
}

kt_status kt__body_flash_attention_backward(kt_call *call)
{
    enum { DROPOUT = LSE + 1, CAUSAL, MASK, SCALE };
    KT_SCOPE;
    if (kt__arg(call, DROPOUT)->f != 0)
        return kt_fail(KT_ERR_RUNTIME, "scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0");
    if (call->arg[QUERY].t->ndim != DIMS)
        return refuse("the gradient of attention");
    return flow_back(call, kt__given(call, MASK) ? call->arg[MASK].t : NULL, kt__arg_bool(call, CAUSAL),
                     kt__scale_of(call, SCALE, call->arg[QUERY].t), NULL, 0, 0);
}

kt_status kt__body_attention_backward(kt_call *call)
{
    enum { MASK = LSE + 1, CAUSAL, SCALE, DRAWS, DROPOUT, PRODUCT_DIMS };
    KT_SCOPE;
    kt_tensor   *query = call->arg[QUERY].t, *draws;
    const double dropout = call->arg[DROPOUT].f;
    if (call->arg[MASK].ts.n > 1 || query->ndim != DIMS || !drops(&call->arg[DRAWS], dropout, query, &draws))
        return refuse("the gradient of attention");
    return flow_back(call, call->arg[MASK].ts.n ? call->arg[MASK].ts.t[0] : NULL, call->arg[CAUSAL].b, call->arg[SCALE].f, draws,
                     dropout, call->arg[PRODUCT_DIMS].i);
}

kt_status kt__body_attention_mask_backward(kt_call *call)
{
    enum { MASK = LSE + 1, CAUSAL, SCALE, DRAWS, DROPOUT };
    KT_SCOPE;
    kt_tensor   *query = call->arg[QUERY].t, *mask = call->arg[MASK].t, *draws;
    const double dropout = call->arg[DROPOUT].f;
    if (query->ndim != DIMS || mask->dtype == KT_BOOL || !fit_back(call, mask) ||
        !drops(&call->arg[DRAWS], dropout, query, &draws))
        return refuse("the gradient of a mask of attention");
    if (!query->numel)
        return kt__end(call, kt_zeros_like(mask));
    kt_tensor *made = known_as(kt__tensor_new((kt_dtype)mask->dtype, kt__device(mask), kt__sizes(mask)), call, mask);
    if (!made)
        return kt_error_status();
    kt_tensor *t[MOST] = {with_heads(made), call->arg[GRAD].t, query, call->arg[KEY].t, call->arg[VALUE].t, call->arg[OUT].t,
                          call->arg[LSE].t, with_heads(mask)};
    int        n = 8;
    if (draws)
        t[n++] = draws;
    if (kt__failed() ||
        launch(call, KT_K_attention_mask_backward, t, 1, n, query, call->arg[CAUSAL].b, call->arg[SCALE].f, dropout))
        return kt_error_status();
    return kt__end(call, made);
}
