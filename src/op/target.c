/* target.c - see target.h. In: a call, its targets, what the result will be. Out: targets of the right sizes, or a refusal with
 * every target as it was. It decides nothing about who makes the result. */
#include "op/target.h"

#include <string.h>

#include "op/move.h"

/* ---- memory ---- */

bool kt__has_sizes(const kt_tensor *t, kt_shape shape)
{
    bool same = t->ndim == shape.n;
    for (int64_t i = 0; i < shape.n && same; i++)
        same = t->sizes[i] == shape.d[i];
    return same;
}

/* The memory that out would have with these sizes if its storage were long enough: PyTorch makes it so. false: too long. */
static bool lay_out(kt__part *part, const kt_tensor *out, kt_shape shape)
{
    int64_t numel = 1;
    bool    fits = shape.n <= KT_MAX_DIMS;
    kt__part_of(part, out);
    if (kt__has_sizes(out, shape))
        return true;
    for (int64_t i = 0; i < shape.n && fits; i++)
        fits = !__builtin_mul_overflow(numel, shape.d[i], &numel);
    if (!fits)
        return false;
    part->t.ndim = (uint8_t)shape.n;
    part->t.numel = numel;
    for (int64_t i = 0; i < shape.n; i++)
        part->sizes[i] = shape.d[i];
    kt__dense_strides(shape, part->strides);
    return true;
}

kt__overlap kt__overlap_once(const kt_tensor *out, kt_shape shape, const kt_tensor *t)
{
    kt__part part;
    if (out->storage != t->storage)
        return KT_OVERLAP_NONE;
    if (kt__has_sizes(out, shape))
        return kt__overlap_of(out, t);
    if (out == t)
        return KT_OVERLAP_PARTIAL; /* what is read would be resized */
    return lay_out(&part, out, shape) ? kt__overlap_of(&part.t, t) : KT_OVERLAP_NONE;
}

KT__COLD kt_status kt__fail_shared(void)
{
    return kt_fail(KT_ERR_RUNTIME,
                   "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                   "single memory location. Please clone() the tensor before performing the operation.");
}

static KT__COLD kt_status fail_repeated(void)
{
    return kt_fail(KT_ERR_RUNTIME,
                   "unsupported operation: more than one element of the written-to tensor refers to a single memory "
                   "location. Please clone() the tensor before performing the operation.");
}

kt_status kt__check_written(const kt_tensor *out, kt_tensor *const *inputs, int n)
{
    if (kt__overlaps_itself(out))
        return fail_repeated();
    for (int i = 0; i < n; i++)
        if (inputs[i] && kt__overlap_of(out, inputs[i]) == KT_OVERLAP_PARTIAL)
            return kt__fail_shared();
    return KT_OK;
}

kt_status kt__check_apart(const kt_tensor *out, const kt_tensor *from)
{
    if (kt__overlaps_itself(out))
        return fail_repeated();
    return from && kt__overlap_of(out, from) != KT_OVERLAP_NONE ? kt__fail_shared() : KT_OK;
}

/* ---- sizes and dtypes ---- */

static KT__COLD kt_status fail_shape(const kt_tensor *out, kt_shape shape)
{
    char has[256], wants[256];
    kt__shape_text(has, sizeof has, kt__sizes(out));
    kt__shape_text(wants, sizeof wants, shape);
    return kt_fail(KT_ERR_RUNTIME, "output with shape %s doesn't match the broadcast shape %s", has, wants);
}

static KT__COLD kt_status fail_cast(const kt_call *call, kt_dtype result, const kt_tensor *out)
{
    return kt__fail_dtype(call, KT_ERR_RUNTIME, "result type %s can't be cast to the desired output type %s",
                          kt_dtype_torch_name(result), kt_dtype_torch_name(out->dtype));
}

kt_status kt__same_dtype(const kt_call *call, kt_dtype wants, const kt_tensor *out)
{
    return out->dtype == wants ? KT_OK
                               : kt__fail_dtype(call, KT_ERR_RUNTIME, "Expected out tensor to have dtype %s, but got %s instead",
                                                kt_dtype_c_name(wants), kt_dtype_c_name(out->dtype));
}

/* Done twice to one element, these change it as done once: an expanded tensor may be their own target. */
static bool is_idempotent(const kt_call *call, const kt__gathered *g)
{
    const kt_category of = kt_dtype_category((kt_dtype)g->dtype[0]);
    switch (call->row->id) {
    case KT_OP_threshold: return true;
    case KT_OP_nan_to_num: return of == KT_CAT_INT || of == KT_CAT_BOOL;
    case KT_OP_conj_physical_of: return of != KT_CAT_COMPLEX;
    default: return false;
    }
}

static bool is_operand(const kt_call *call, const kt__gathered *g, const kt_tensor *out)
{
    bool itself = call->form == KT_INPLACE;
    for (int i = 0; i < g->n; i++)
        itself |= g->t[i] == out;
    return itself;
}

static kt_status check_overlap(const kt_call *call, const kt__gathered *g, const kt_tensor *out)
{
    if (kt__overlaps_itself(out) && !(is_operand(call, g, out) && is_idempotent(call, g)))
        return fail_repeated();
    for (int i = 0; i < g->n; i++)
        if (g->t[i] && kt__overlap_of(out, g->t[i]) == KT_OVERLAP_PARTIAL)
            return kt__fail_shared();
    return KT_OK;
}

/* PyTorch's order: memory as it is, then sizes. */
kt_status kt__check_shapes(const kt_call *call, const kt__gathered *g)
{
    int64_t          sizes[KT_MAX_DIMS];
    int              rank = 0;
    const kt_tensor *self = call->arg[0].t;
    if (call->form != KT_PLAIN && check_overlap(call, g, call->form == KT_OUT ? call->out[0] : self))
        return kt_error_status();
    if (kt__broadcast(g->t, g->n, sizes, &rank))
        return kt_error_status();
    if (call->form == KT_INPLACE && !kt__has_sizes(self, (kt_shape){rank, sizes}))
        return fail_shape(self, (kt_shape){rank, sizes});
    return KT_OK;
}

kt_status kt__check_cast(const kt_call *call, kt_dtype result)
{
    const kt_tensor *out = call->form == KT_INPLACE ? call->arg[0].t : call->form == KT_OUT ? call->out[0] : NULL;
    if (out && !kt_can_cast(result, (kt_dtype)out->dtype) && kt__policy(kt__mode()) != KT_PERMISSIVE)
        return fail_cast(call, result, out);
    return KT_OK;
}

/* Elementwise rows whose out= must have the dtype of the result: those that promote nothing, and where. */
kt_status kt__check_exact(const kt_call *call, const kt__gathered *g, kt_dtype result)
{
    const kt_tensor *out = call->out[0];
    bool one = g->n == 1 || !(g->t[1] || (g->n > 2 && g->t[2])); /* beside the first there are only numbers */
    bool exact = call->row->rule == RULE_SAME || call->row->rule == RULE_WHERE;
    switch (call->row->id) {
    case KT_OP_clamp:
    case KT_OP_clamp_min:
    case KT_OP_clamp_max: exact = one; break;
    case KT_OP_threshold: exact = false; break;
    case KT_OP_lerp: exact = g->n > 2 && g->t[2] && g->t[2]->ndim; break; /* a 0-dim weight is a number, which promotes */
    case KT_OP_softshrink: exact = kt__dtype_rows[g->dtype[0]].category == KT_CAT_FLOAT; break; /* it looks at lambd first */
    case KT_OP_abs: exact = kt__dtype_rows[g->dtype[0]].category != KT_CAT_COMPLEX; break;
    default: break;
    }
    if (!exact || out->dtype == result)
        return KT_OK;
    const char *has = kt_dtype_torch_name(out->dtype), *wants = kt_dtype_torch_name(result);
    if (call->row->rule == RULE_WHERE)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "Expected out type to be %s but got %s", wants, has);
    if (call->row->id == KT_OP_nan_to_num)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "nan_to_num: dtype of out: %s should be same as input: %s", has, wants);
    if (call->row->id == KT_OP_log_sigmoid)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "expected scalar type %s but found %s", wants, has);
    return kt__fail_dtype(call, KT_ERR_RUNTIME, "Found dtype %s but expected %s", has, wants);
}

static kt_status check_dtype(const kt_call *call, const kt__gathered *g, const kt__decision *d, const kt_tensor *out)
{
    uint64_t mode = kt__mode();
    if (KT__LIKELY(out->dtype == d->result))
        return KT_OK;
    if (kt__policy(mode) != KT_PERMISSIVE) {
        if (call->form == KT_OUT && call->row->way->broadcasts && kt__check_exact(call, g, (kt_dtype)d->result))
            return kt_error_status();
        if (!kt_can_cast((kt_dtype)d->result, (kt_dtype)out->dtype))
            return fail_cast(call, (kt_dtype)d->result, out);
    }
    return kt__allow(mode, call, "the result", (kt_dtype)d->result, (kt_dtype)out->dtype,
                     KT_WHY_RESULT);
}

/* ---- one target ---- */

static bool elsewhere(const kt_tensor *a, const kt_tensor *b)
{
    return a->backend != b->backend || a->index != b->index;
}

kt_status kt__check_target(const kt_call *call, const kt__gathered *g, const kt__decision *d, const kt_tensor *out,
                           kt_shape shape)
{
    const bool fits = kt__has_sizes(out, shape), elementwise = call->row->way->broadcasts;
    if (g->first && elsewhere(out, g->first))
        return kt__refuse_devices(g->first, out);
    if (elementwise && check_overlap(call, g, out))
        return kt_error_status();
    if (elementwise && !fits && is_operand(call, g, out))
        return fail_shape(out, shape);
    if (check_dtype(call, g, d, out))
        return kt_error_status();
    if (!elementwise && fits && kt__overlaps_itself(out))
        return fail_repeated();
    for (int i = 0; i < g->n && !fits; i++) /* resized, it may grow over what it did not meet before */
        if (g->t[i] && kt__overlap_once(out, shape, g->t[i]) != KT_OVERLAP_NONE)
            return kt__fail_shared();
    return KT_OK;
}

kt_status kt__bind_target(kt_tensor *out, kt_shape shape, const int64_t *strides)
{
    if (kt__has_sizes(out, shape))
        return KT_OK;
    char has[256], wants[256];
    kt__shape_text(has, sizeof has, kt__sizes(out));
    kt__shape_text(wants, sizeof wants, shape);
    const bool loses = out->numel != 0;
    if (kt__tensor_resize(out, shape, strides))
        return kt_error_status();
    if (loses)
        kt__warn("An output with one or more elements was resized since it had shape %s, which does not match the required "
                 "output shape %s. This behavior is deprecated, and in a future PyTorch release outputs will not be resized "
                 "unless they have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero "
                 "elements with t.resize_(0).",
                 has, wants);
    return KT_OK;
}

/* ---- results made apart ---- */

kt_status kt__store_several(kt_tensor *const *out, kt_tensor *const *made, int n)
{
    kt_tensor *from[KT_MAX_RESULTS] = {NULL};
    kt_status  status = KT_OK;
    for (int i = 0; i < n && !status; i++) {
        if (kt__has_sizes(out[i], kt__sizes(made[i])) && kt__overlaps_itself(out[i]))
            status = fail_repeated();
        for (int k = 0; k < i && !status; k++) {
            kt__part first, other;
            if (out[k]->storage == out[i]->storage &&
                (out[i] == out[k] ||
                 (lay_out(&first, out[k], kt__sizes(made[k])) && lay_out(&other, out[i], kt__sizes(made[i])) &&
                  kt__overlap_of(&first.t, &other.t) != KT_OVERLAP_NONE)))
                status = kt__fail_shared();
        }
    }
    for (int i = 0; i < n && !status; i++) { /* what was made may be a view of a target */
        bool shared = false;
        for (int k = 0; k < n; k++)
            shared |= made[i]->storage == out[k]->storage;
        if (shared)
            status = kt__call_clone(made[i], KT_PRESERVE_FORMAT, &from[i]);
        else
            from[i] = kt__ref(made[i]);
    }
    for (int i = 0; i < n && !status; i++)
        status = kt__bind_target(out[i], kt__sizes(from[i]),
                                 kt__is_dense(kt__sizes(from[i]), kt__strides(from[i])) ? from[i]->strides : NULL);
    for (int i = 0; i < n && !status; i++)
        status = kt__copy_into(out[i], from[i], KT_WHY_RESULT, KT_ROUND_TORCH);
    for (int i = 0; i < n; i++)
        kt__unref(from[i]);
    return status;
}

kt_status kt__store(kt_tensor *out, kt_tensor *made) { return kt__store_several(&out, &made, 1); }

/* A range fills what is there, whatever its shape; only another number of elements makes it one-dimensional. */
static bool is_range(const kt_row *row)
{
    return row->id == KT_OP_arange || row->id == KT_OP_range || row->id == KT_OP_linspace || row->id == KT_OP_logspace;
}

static void warn_of_count(const kt_tensor *out, const kt_tensor *made)
{
    char has[256];
    kt__shape_text(has, sizeof has, kt__sizes(out));
    kt__warn("The number of elements in the out tensor of shape %s is %lld which does not match the computed number of elements "
             "%lld. Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape "
             "(%lld,).",
             has, (long long)out->numel, (long long)made->numel, (long long)made->numel);
}

kt_status kt_store(const kt_row *row, kt_tensor *out, kt_tensor *made)
{
    if (!row || !out || !made)
        return kt_fail(KT_ERR_TYPE, "expected a row and two tensors, got NULL");
    const kt_call written = {.row = row, .form = KT_OUT, .out = {out}};
    kt_tensor    *shaped = NULL;
    const bool    maker = row->inputs.n == 0, fits = kt__has_sizes(out, kt__sizes(made));
    if (kt__check_cast(&written, (kt_dtype)made->dtype))
        return kt_error_status();
    if (is_range(row) && out->numel == made->numel) {
        if (kt__call_ints(KT_OP_view, made, kt__sizes(out), &shaped))
            return kt_error_status();
    } else if (!fits && maker) { /* makers resize without a word, all but one */
        if (row->id == KT_OP_arange && out->numel)
            warn_of_count(out, made);
        if (kt__tensor_resize(out, kt__sizes(made), NULL))
            return kt_error_status();
    }
    kt_status status = kt__store(out, shaped ? shaped : made);
    kt__unref(shaped);
    if (!status)
        kt__wrote(out);
    return status;
}

/* ---- rows whose body only makes its result ---- */

bool kt__is_copied(const kt_row *row)
{
    switch (row->id) {
    case KT_OP_float_power:
    case KT_OP_frexp:
    case KT_OP_ldexp:
    case KT_OP_multinomial:
    case KT_OP_narrow_copy:
    case KT_OP_nonzero:
    case KT_OP_nonzero_static:
    case KT_OP_polygamma: return true;
    default: return row->way->composes && row->rule == RULE_SAME && (row->node || kt__view_behind(row->id) >= 0);
    }
}

static kt_status check_frexp(const kt_call *call, int at, const kt_tensor *out)
{
    const kt_dtype wants = at ? KT_I32 : (kt_dtype)call->arg[0].t->dtype;
    if (out->dtype == wants)
        return KT_OK;
    return at ? kt__fail_dtype(call, KT_ERR_RUNTIME, "torch.frexp() expects exponent to have int dtype but got %s",
                               kt_dtype_c_name(out->dtype))
              : kt__fail_dtype(call, KT_ERR_RUNTIME, "torch.frexp() expects mantissa to have dtype %s but got %s",
                               kt_dtype_c_name(wants), kt_dtype_c_name(out->dtype));
}

/* Weights that multinomial draws from; of others its body speaks first. */
static bool are_weights(const kt_tensor *t)
{
    return (t->ndim == 1 || t->ndim == 2) && kt__dtype_rows[t->dtype].category == KT_CAT_FLOAT;
}

/* Each in PyTorch's own words. */
kt_status kt__check_made(const kt_call *call, int at, const kt_tensor *made)
{
    const kt_tensor *out = call->out[at];
    const char      *is = kt_dtype_torch_name(out->dtype);
    if (kt__policy(kt__mode()) == KT_PERMISSIVE)
        return KT_OK;
    switch (call->row->id) {
    case KT_OP_frexp: return check_frexp(call, at, out);
    case KT_OP_float_power:
        return out->dtype == kt__widest_of(call)
                   ? KT_OK
                   : kt__fail_dtype(call, KT_ERR_RUNTIME,
                                    "the output given to float_power has dtype %s but the operation's result requires dtype %s",
                                    is, kt_dtype_torch_name(kt__widest_of(call)));
    case KT_OP_multinomial:
        return out->dtype == KT_I64 || !are_weights(call->arg[0].t)
                   ? KT_OK
                   : kt__fail_dtype(call, KT_ERR_RUNTIME, "multinomial expects Long tensor out, got: %s", is);
    case KT_OP_narrow_copy:
        return out->dtype == call->arg[0].t->dtype
                   ? KT_OK
                   : kt__fail_dtype(call, KT_ERR_RUNTIME,
                                    "Expected self.dtype() == output.dtype() to be true, but got false.  (Could this error "
                                    "message be improved?  If so, please report an enhancement request to PyTorch.)");
    case KT_OP_nonzero:
    case KT_OP_nonzero_static:
        return out->dtype == KT_I64 || (call->row->id == KT_OP_nonzero_static && call->arg[1].i < 0) /* it looks at size= first */
                   ? KT_OK
                   : kt__fail_dtype(call, KT_ERR_RUNTIME,
                                    "%s: Expected out tensor to have scalar type Long but got scalar type%s", call->row->name,
                                    is);
    default: break;
    }
    if (!made || out->dtype == made->dtype)
        return KT_OK;
    switch (call->row->id) {
    case KT_OP_ldexp:
        return kt_can_cast((kt_dtype)made->dtype, (kt_dtype)out->dtype)
                   ? KT_OK
                   : kt__fail_dtype(call, KT_ERR_RUNTIME, "ldexp can't be cast to the desired output type %s", is);
    case KT_OP_take:
        return kt__fail_dtype(call, KT_ERR_RUNTIME,
                              "take(): self and out expected to have the same dtype, but got self.dtype = %s and out.dtype = %s",
                              kt_dtype_torch_name(made->dtype), is);
    case KT_OP_index_select:
    case KT_OP_masked_select:
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "%s(): self and result must have the same scalar type", call->row->name);
    case KT_OP_polygamma: return kt__check_cast(call, (kt_dtype)made->dtype);
    default: return kt__same_dtype(call, (kt_dtype)made->dtype, out);
    }
}

/* ---- outputs ---- */

/* Two targets of one call must not meet: each would hold some of the other's values. */
static kt_status check_one_another(const kt_call *call, kt_shape shape, int n)
{
    kt__part first, other;
    for (int i = 1; i < n; i++)
        for (int k = 0; k < i; k++)
            if (call->out[i]->storage == call->out[k]->storage &&
                (call->out[i] == call->out[k] || (lay_out(&first, call->out[k], shape) && lay_out(&other, call->out[i], shape) &&
                                                  kt__overlap_of(&first.t, &other.t) != KT_OVERLAP_NONE)))
                return kt__fail_shared();
    return KT_OK;
}

kt_status kt__outputs_of(kt_call *call, const kt__gathered *g, const kt__decision *d, kt_shape shape, const int64_t *strides,
                         kt_tensor **out, int n)
{
    kt__decision one = *d;
    kt_status    status = KT_OK;
    for (int i = 0; i < n && call->form == KT_OUT; i++, one.result = d->second)
        if (kt__check_target(call, g, &one, call->out[i], shape))
            return kt_error_status();
    if (call->form == KT_OUT && n > 1 && check_one_another(call, shape, n))
        return kt_error_status();
    one.result = d->result;
    for (int i = 0; i < n && !status; i++, one.result = d->second) {
        if (call->form == KT_OUT) {
            status = kt__bind_target(call->out[i], shape, strides);
            out[i] = status ? NULL : kt__ref(call->out[i]);
        } else {
            out[i] = kt__tensor_new((kt_dtype)one.result, kt__device(g->first), shape);
            status = out[i] ? KT_OK : kt_error_status();
        }
    }
    for (int i = 0; i < n && status; i++) {
        kt__unref(out[i]);
        out[i] = NULL;
    }
    return status;
}

/* ---- calls that would read what they have written ---- */

static kt_tensor *operand_at(const kt_call *call, int i)
{
    const kt__input_map *map = &call->row->inputs;
    const int            at = map->at[i];
    const bool           tensor = !(map->lists >> i & 1) && kt__given(call, at) && !(call->scalars >> at & 1);
    return tensor ? call->arg[at].t : NULL;
}

bool kt__reads_target(const kt_call *call, kt_shape shape, bool in_place)
{
    const int n = call->row->inputs.n, targets = call->form == KT_OUT ? kt__n_results(call->row) : 0;
    for (int i = 0; i < n; i++) {
        const kt_tensor *t = operand_at(call, i);
        for (int k = 0; t && k < targets; k++) {
            const kt__overlap over = kt__overlap_once(call->out[k], shape, t);
            if (over != KT_OVERLAP_NONE && !(in_place && k == 0 && over == KT_OVERLAP_FULL))
                return true;
        }
    }
    return false;
}

bool kt__reads_strided(const kt_call *call, const kt__gathered *g)
{
    const kt_tensor *out = call->form == KT_OUT ? call->out[0] : call->arg[0].t;
    bool             any = false;
    for (int i = 0; i < g->n; i++)
        any |= g->t[i] && g->t[i]->storage == out->storage && kt__overlap_of(out, g->t[i]) == KT_OVERLAP_SOME;
    return any;
}

/* Whom may the target be, of a row that is not elementwise? PyTorch refuses the others. */
typedef enum tolerance {
    ANY_OPERAND,   /* the row reads everything before it writes, or on copies */
    WHOLE_OPERAND, /* an operand may be the target, but not meet it otherwise */
    WHOLE_FIRST,   /* the first may be; the others any */
    FIRST_ALONE,   /* the first may be; the others must be apart */
    NOT_FIRST,     /* another may be; the first must be apart */
    NO_OPERAND
} tolerance;

static tolerance tolerance_of(int op)
{
    switch (op) {
    case KT_OP_addr:
    case KT_OP_bernoulli:
    case KT_OP_cumprod:
    case KT_OP_cumsum:
    case KT_OP_float_power:
    case KT_OP_kron:
    case KT_OP_ldexp:
    case KT_OP_logcumsumexp:
    case KT_OP_masked_fill:
    case KT_OP_masked_fill_tensor:
    case KT_OP_msort:
    case KT_OP_polygamma:
    case KT_OP_renorm:
    case KT_OP_sort:
    case KT_OP_sort_stable:
    case KT_OP_tril:
    case KT_OP_triu: return WHOLE_OPERAND;
    case KT_OP_addbmm:
    case KT_OP_addmm:
    case KT_OP_addmv:
    case KT_OP_baddbmm: return WHOLE_FIRST;
    case KT_OP_index_add:
    case KT_OP_index_copy:
    case KT_OP_index_fill:
    case KT_OP_index_fill_tensor:
    case KT_OP_index_put:
    case KT_OP_index_reduce:
    case KT_OP_scatter:
    case KT_OP_scatter_add:
    case KT_OP_scatter_combine:
    case KT_OP_scatter_reduce:
    case KT_OP_scatter_value:
    case KT_OP_scatter_value_combine: return FIRST_ALONE;
    case KT_OP_gather: return NOT_FIRST;
    case KT_OP_index_select:
    case KT_OP_kthvalue:
    case KT_OP_linalg_cross:
    case KT_OP_masked_select:
    case KT_OP_max_dim:
    case KT_OP_median_dim:
    case KT_OP_min_dim:
    case KT_OP_mode:
    case KT_OP_nanmedian_dim:
    case KT_OP_nonzero:
    case KT_OP_nonzero_static:
    case KT_OP_take:
    case KT_OP_topk: return NO_OPERAND;
    default: return ANY_OPERAND;
    }
}

/* A mask is read where it stands, as an operand of an elementwise row; an index is not. */
static bool is_refused(tolerance allowed, const kt_tensor *t, bool first, bool listed, kt__overlap over)
{
    const bool may_be = allowed == WHOLE_OPERAND || (allowed == NOT_FIRST ? !first : first && allowed != NO_OPERAND) ||
                        (listed && t->dtype == KT_BOOL);
    if (allowed == ANY_OPERAND || (allowed == WHOLE_FIRST && !first))
        return false;
    return over == KT_OVERLAP_PARTIAL || (over == KT_OVERLAP_FULL && !may_be);
}

/* Rows of which PyTorch looks at the target when it has its sizes; of the others as it comes. */
static kt__overlap overlap_in(const kt_call *call, const kt_tensor *target, const kt_tensor *t)
{
    switch (call->row->id) {
    case KT_OP_gather: return kt__overlap_once(target, kt__sizes(call->arg[2].t), t);
    case KT_OP_nonzero_static: {
        const int64_t size = call->arg[1].i;
        return size < 0 ? KT_OVERLAP_NONE : kt__overlap_once(target, KT_SHAPE(size, t->ndim), t);
    }
    default: return kt__overlap_of(target, t);
    }
}

static kt_status check_operand(const kt_call *call, const kt_tensor *t, bool first, bool listed, bool *copy)
{
    const tolerance allowed = tolerance_of(call->row->id);
    const bool      out = call->form == KT_OUT;
    for (int k = 0; k < (out ? kt__n_results(call->row) : 1); k++) {
        const kt_tensor *target = out ? call->out[k] : call->arg[0].t;
        if (target->storage != t->storage)
            continue;
        const kt__overlap over = overlap_in(call, target, t);
        if (is_refused(allowed, t, first, listed, over) || (listed && over == KT_OVERLAP_SOME))
            return kt__fail_shared();
        *copy |= over == KT_OVERLAP_SOME && (!out || allowed == WHOLE_OPERAND);
    }
    return KT_OK;
}

/* One value at the places of one mask is a number to PyTorch, wherever it lies; written over itself it stays what it is. So is
 * the value of a fill, which is read before anything is written. */
static bool is_number(const kt_call *call, int at)
{
    const kt_tensor *mask = NULL, *value = call->arg[at].t;
    int              n = 0;
    if (call->row->id == KT_OP_index_fill_tensor || call->row->id == KT_OP_masked_fill_tensor)
        return at == kt__n_args(call->row) - 1;
    if (call->row->id != KT_OP_index_put || value->numel != 1 || call->form != KT_INPLACE)
        return false;
    for (int64_t k = 0; k < call->arg[1].ts.n; k++)
        if (call->arg[1].ts.t[k]) {
            mask = call->arg[1].ts.t[k];
            n++;
        }
    return n == 1 && mask->dtype == KT_BOOL && value->dtype == call->arg[0].t->dtype;
}

kt_status kt__check_memory(const kt_call *call, bool *copy)
{
    const kt__input_map *map = &call->row->inputs;
    if (tolerance_of(call->row->id) == ANY_OPERAND)
        return KT_OK;
    for (int i = 0; i < map->n; i++) {
        const int at = map->at[i];
        if (!kt__given(call, at) || call->scalars >> at & 1 || (call->form == KT_INPLACE && i == 0))
            continue;
        if (!(map->lists >> i & 1)) {
            if (i > 0 && is_number(call, at))
                continue;
            if (check_operand(call, call->arg[at].t, i == 0, false, copy))
                return kt_error_status();
            continue;
        }
        for (int64_t k = 0; k < call->arg[at].ts.n; k++)
            if (call->arg[at].ts.t[k] && check_operand(call, call->arg[at].ts.t[k], false, true, copy))
                return kt_error_status();
    }
    return KT_OK;
}

/* Is it to be copied? Of an elementwise row only what PyTorch does not see: the rest is refused or does no harm. */
static bool is_shared(const kt_call *call, const kt_tensor *t)
{
    const kt_tensor *self = call->arg[0].t;
    bool             shared = call->form == KT_INPLACE && kt__overlap_of(self, t) == KT_OVERLAP_SOME;
    for (int k = 0; call->form == KT_OUT && k < kt__n_results(call->row); k++)
        shared |= call->row->way->broadcasts ? kt__overlap_of(call->out[k], t) == KT_OVERLAP_SOME
                                                    : call->out[k]->storage == t->storage;
    return shared;
}

kt_status kt__run_apart(kt_call *call)
{
    const kt__input_map *map = &call->row->inputs;
    kt_tensor           *copy[KT_MAX_ARGS] = {NULL};
    kt_call              c = *call;
    kt_status            status = KT_OK;
    for (int i = 0; i < map->n && !status; i++) {
        kt_tensor *t = operand_at(call, i);
        if (!t || !is_shared(call, t))
            continue;
        status = kt__call_clone(t, KT_PRESERVE_FORMAT, &copy[i]);
        c.arg[map->at[i]].t = copy[i];
    }
    status = status ? status : kt_call_run(&c);
    for (int i = 0; i < kt__n_results(call->row) && !status; i++)
        call->out[i] = c.out[i];
    call->n_out = status ? 0 : c.n_out;
    for (int i = 0; i < map->n; i++)
        kt__unref(copy[i]);
    return status;
}
