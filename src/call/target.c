/* target.c - see target.h. In: a call, its targets, what the result will be. Out: targets of the right sizes, or a refusal with
 * every target as it was. Who makes the result is decided elsewhere. */
#include "call/target.h"

#include <string.h>

#include "call/move.h"
#include "call/policy.h"
#include "call/refuse.h"
#include "tables/schema.h"

/* ---- memory ---- */

bool kt__has_sizes(const kt_tensor *t, kt_shape shape)
{
    bool same = t->ndim == shape.n;
    for (int64_t i = 0; i < shape.n && same; i++)
        same = t->sizes[i] == shape.d[i];
    return same;
}

/* The memory that out would occupy with these sizes, as PyTorch resizes its storage. false: too large. */
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
        return KT_OVERLAP_PARTIAL; /* an operand would be resized */
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
    return kt_fail(KT_ERR_RUNTIME, "output with shape %s doesn't match the broadcast shape %s",
                   KT__SIZES_TEXT(out), KT__SHAPE_TEXT(shape));
}

/* Idempotent operators: an expanded tensor may be written in place. */
static bool is_idempotent(const kt_call *call, const kt__gathered *g)
{
    return kt_dtype_category((kt_dtype)g->dtype[0]) & call->row->target.idempotent;
}

static bool is_operand(const kt_call *call, const kt__gathered *g, const kt_tensor *out)
{
    bool itself = call->form == KT_INPLACE;
    for (int i = 0; i < g->n; i++)
        itself |= g->t[i] == out;
    return itself;
}

KT__HOT static kt_status check_overlap(const kt_call *call, const kt__gathered *g, const kt_tensor *out)
{
    if (kt__overlaps_itself(out) && !(is_operand(call, g, out) && is_idempotent(call, g)))
        return fail_repeated();
    for (int i = 0; i < g->n; i++)
        if (g->t[i] && g->t[i] != out && kt__overlap_of(out, g->t[i]) == KT_OVERLAP_PARTIAL)
            return kt__fail_shared();
    return KT_OK;
}

/* PyTorch's order: memory overlap, then sizes. */
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

/* One target by the row's column. In place the result is always cast. */
static kt_status check_dtype(const kt_call *call, const kt_tensor *out, kt_dtype result)
{
    const int rule = call->form == KT_OUT ? call->row->target.dtype : TARGET_CAST;
    if (out->dtype == result || (rule == TARGET_CAST && kt_can_cast(result, (kt_dtype)out->dtype)))
        return KT_OK;
    switch (rule) {
    case TARGET_EXACT:
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "Expected out tensor to have dtype %s, but got %s instead",
                              kt_dtype_c_name(result), kt_dtype_c_name(out->dtype));
    case TARGET_SAME:
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "Found dtype %s but expected %s", kt_dtype_torch_name(out->dtype),
                              kt_dtype_torch_name(result));
    default:
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "result type %s can't be cast to the desired output type %s",
                              kt_dtype_torch_name(result), kt_dtype_torch_name(out->dtype));
    }
}

kt_status kt__check_out(const kt_call *call, kt_dtype result, kt_dtype second)
{
    if (KT__LIKELY(call->form == KT_PLAIN) || kt__policy(kt__mode()) == KT_PERMISSIVE)
        return KT_OK;
    if (call->row->stages >> STAGE_OUT & 1 && kt__refuse_target(call, result, second))
        return kt_error_status();
    if (call->form == KT_INPLACE)
        return check_dtype(call, call->arg[0].t, result);
    const int two = second && kt__n_results(call->row) > 1; /* kt__check_target asks about others, whose dtype may be a third */
    for (int i = 0; i <= two; i++)
        if (check_dtype(call, call->out[i], i ? second : result))
            return kt_error_status();
    return KT_OK;
}

/* ---- one target ---- */

static bool elsewhere(const kt_tensor *a, const kt_tensor *b)
{
    return a->backend != b->backend || a->index != b->index;
}

/* In place, dense operands of one size: there is nothing to refuse unless one shares the target's storage. */
static inline bool is_plain_write(const kt_call *call, const kt__gathered *g, const kt__decision *d, const kt_tensor *out)
{
    bool plain = call->form == KT_INPLACE && g->simple && g->first == out && out->dtype == d->result &&
                 call->row->way->broadcasts && kt__n_results(call->row) == 1;
    for (int i = 0; i < g->n && plain; i++)
        plain = !g->t[i] || g->t[i] == out || g->t[i]->storage != out->storage;
    return plain;
}

KT__HOT kt_status kt__check_target(const kt_call *call, const kt__gathered *g, const kt__decision *d, int at, kt_shape shape)
{
    const kt_tensor *out = call->form == KT_INPLACE ? call->arg[0].t : call->out[at];
    const kt_dtype   result = (kt_dtype)(at ? d->second : d->result);
    if (KT__LIKELY(is_plain_write(call, g, d, out)))
        return KT_OK;
    const bool fits = kt__has_sizes(out, shape), elementwise = call->row->way->broadcasts;
    if (g->first && elsewhere(out, g->first))
        return kt__refuse_devices(g->first, out);
    if (elementwise && check_overlap(call, g, out))
        return kt_error_status();
    if (elementwise && !fits && is_operand(call, g, out))
        return fail_shape(out, shape);
    if (at == 0 && (out->dtype != result || kt__n_results(call->row) > 1) && kt__check_out(call, result, (kt_dtype)d->second))
        return kt_error_status(); /* of both targets at once */
    if (at > 1 && kt__policy(kt__mode()) != KT_PERMISSIVE && check_dtype(call, out, result))
        return kt_error_status();
    if (out->dtype != result && kt__allow_result(call, result, out))
        return kt_error_status();
    if (!elementwise && fits && kt__overlaps_itself(out))
        return fail_repeated();
    for (int i = 0; i < g->n && !fits; i++) /* resizing may make it overlap an operand */
        if (g->t[i] && kt__overlap_once(out, shape, g->t[i]) != KT_OVERLAP_NONE)
            return kt__fail_shared();
    return KT_OK;
}

kt_status kt__check_parts(const kt_call *call, kt_dtype result, kt_shape shape, kt_tensor *const *t, int64_t n)
{
    const kt__gathered at = {.n = 0, .first = n ? t[0] : NULL};
    const kt__decision d = {.result = (uint8_t)result};
    for (int64_t i = 0; i < n; i++)
        if (kt__overlap_once(call->out[0], shape, t[i]) != KT_OVERLAP_NONE)
            return kt__fail_shared();
    return kt__check_target(call, &at, &d, 0, shape);
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
    for (int i = 0; i < n && !status; i++) { /* the result may be a view of a target */
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

static void warn_of_count(const kt_tensor *out, const kt_tensor *made)
{
    kt__warn("The number of elements in the out tensor of shape %s is %lld which does not match the computed number of elements "
             "%lld. Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape "
             "(%lld,).",
             KT__SIZES_TEXT(out), (long long)out->numel, (long long)made->numel, (long long)made->numel);
}

kt_status kt_store(const kt_row *row, kt_tensor *out, kt_tensor *made)
{
    if (!row || !out || !made)
        return kt_fail(KT_ERR_TYPE, "expected a row and two tensors, got NULL");
    const kt_call written = {.row = row, .form = KT_OUT, .out = {out}};
    kt_tensor    *shaped = NULL;
    const bool    maker = row->inputs.n == 0, fits = kt__has_sizes(out, kt__sizes(made));
    if (kt__check_out(&written, (kt_dtype)made->dtype, KT_NONE))
        return kt_error_status();
    if (row->target.keeps_shape && out->numel == made->numel) { /* whatever its shape is */
        if (kt__call_ints(KT_OP_view, made, kt__sizes(out), &shaped))
            return kt_error_status();
    } else if (!fits && maker) { /* factory functions resize without a warning, except one */
        if (row->target.warns_count && out->numel)
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

/* ---- outputs ---- */

/* Two targets of one call must not overlap. */
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
    kt_status status = KT_OK;
    for (int i = 0; i < n && call->form == KT_OUT; i++)
        if (kt__check_target(call, g, d, i, shape))
            return kt_error_status();
    if (call->form == KT_OUT && n > 1 && check_one_another(call, shape, n))
        return kt_error_status();
    for (int i = 0; i < n && !status; i++) {
        if (call->form == KT_OUT) {
            status = kt__bind_target(call->out[i], shape, strides);
            out[i] = status ? NULL : kt__ref(call->out[i]);
        } else {
            out[i] = kt__tensor_new((kt_dtype)(i ? d->second : d->result), kt__device(g->first), shape);
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

/* A mask is read element by element like an operand; an index is not. */
static bool is_refused(uint8_t memory, const kt_tensor *t, bool first, bool listed, kt__overlap over)
{
    if (memory == TARGET_ANY || (memory == TARGET_FIRST_NOT_PARTIAL && !first))
        return false;
    const bool mask = listed && t->dtype == KT_BOOL;
    const bool may_be_target = mask || memory == TARGET_NOT_PARTIAL ||
                               (memory == TARGET_NOT_FIRST ? !first : first && memory != TARGET_DISJOINT);
    return over == KT_OVERLAP_PARTIAL || (over == KT_OVERLAP_FULL && !may_be_target);
}

static kt__sharing sharing_with(const kt_call *call, const kt_shape *shape, const kt_tensor *t, bool first, bool listed)
{
    const uint8_t memory = call->row->target.memory;
    const bool    out = call->form == KT_OUT;
    kt__sharing   sharing = SHARING_NONE;
    for (int k = 0; k < (out ? kt__n_results(call->row) : 1); k++) {
        const kt_tensor *target = out ? call->out[k] : call->arg[0].t;
        if (target->storage != t->storage)
            continue;
        const kt__overlap over = shape ? kt__overlap_once(target, *shape, t) : kt__overlap_of(target, t);
        if (is_refused(memory, t, first, listed, over) || (listed && over == KT_OVERLAP_SOME))
            return SHARING_REFUSED;
        if (over == KT_OVERLAP_SOME && (!out || memory == TARGET_NOT_PARTIAL))
            sharing = SHARING_COPIED;
    }
    return sharing;
}

/* Is there one mask, and nothing else, in the row's list of indices? */
static bool is_one_mask(const kt_call *call)
{
    const kt__input_map *map = &call->row->inputs;
    const kt_tensor     *mask = NULL;
    int                  n = 0;
    for (int i = 0; i < map->n; i++)
        for (int64_t k = 0; map->lists >> i & 1 && k < call->arg[map->at[i]].ts.n; k++)
            if (call->arg[map->at[i]].ts.t[k]) {
                mask = call->arg[map->at[i]].ts.t[k];
                n++;
            }
    return n == 1 && mask->dtype == KT_BOOL;
}

/* The value of a fill is read before anything is written, so it may overlap the target. PyTorch treats one value written at
 * one mask as a fill too. */
static bool is_read_first(const kt_call *call, int at)
{
    const kt_tensor *value = call->arg[at].t;
    if (at != call->row->target.read_first - 1)
        return false;
    return !call->row->target.at_mask ||
           (value->numel == 1 && call->form == KT_INPLACE && value->dtype == call->arg[0].t->dtype && is_one_mask(call));
}

kt__sharing kt__sharing_of(const kt_call *call, const kt_shape *shape)
{
    const kt__input_map *map = &call->row->inputs;
    kt__sharing          most = SHARING_NONE;
    for (int i = 0; i < map->n && call->row->target.memory != TARGET_ANY; i++) {
        const int  at = map->at[i];
        const bool listed = map->lists >> i & 1;
        if (!kt__given(call, at) || call->scalars >> at & 1 || (call->form == KT_INPLACE && i == 0) ||
            (i > 0 && !listed && is_read_first(call, at)))
            continue;
        kt_tensor *const *t = listed ? call->arg[at].ts.t : &call->arg[at].t;
        for (int64_t k = 0; k < (listed ? call->arg[at].ts.n : 1); k++) {
            const kt__sharing one = t[k] ? sharing_with(call, shape, t[k], i == 0, listed) : SHARING_NONE;
            most = one > most ? one : most;
        }
    }
    return most;
}

kt_status kt__check_sharing(const kt_call *call, const kt_shape *shape)
{
    return call->form != KT_PLAIN && kt__sharing_of(call, shape) == SHARING_REFUSED ? kt__fail_shared() : KT_OK;
}

kt_status kt__check_memory(const kt_call *call, const kt_shape *shape)
{
    if (call->form == KT_PLAIN)
        return KT_OK;
    const kt_tensor *target = call->form == KT_OUT ? call->out[0] : call->arg[0].t;
    if ((!shape || kt__has_sizes(target, *shape)) && kt__overlaps_itself(target))
        return fail_repeated();
    return kt__check_sharing(call, shape);
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
    const kt__outer      outer = kt__frame_open(call);
    for (int i = 0; i < map->n && !status; i++) {
        kt_tensor *t = operand_at(call, i);
        if (!t || !is_shared(call, t))
            continue;
        status = kt__call_clone(t, KT_PRESERVE_FORMAT, &copy[i]);
        c.arg[map->at[i]].t = copy[i];
    }
    kt__frame = outer.frame ? outer.frame : &c; /* the copies are the user's operands: a policy judges them */
    status = status ? status : kt_call_run(&c);
    for (int i = 0; i < kt__n_results(call->row) && !status; i++)
        call->out[i] = c.out[i];
    call->n_out = status ? 0 : c.n_out;
    for (int i = 0; i < map->n; i++)
        kt__unref(copy[i]);
    kt__frame_close(outer);
    return status;
}

/* ---- gradients ---- */

kt_status kt__refuse_forward_out(const kt_call *call)
{
    const char *name = kt__schema_display_name(call->row);
    return kt_fail(KT_ERR_NOT_IMPLEMENTED,
                   "Trying to use forward AD with %.*s_out that does not support it because it is an out= function",
                   schema_name_length(name), name);
}

kt_status kt__refuse_recording(const kt_call *call)
{
    const char *name = kt__schema_display_name(call->row);
    return kt_fail(KT_ERR_RUNTIME,
                   "%s%.*s(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
                   "requires grad.",
                   call->row->target.grad == TARGET_OPAQUE ? "aten::" : "", schema_name_length(name), name);
}
