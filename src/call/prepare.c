/* prepare.c - from dtypes to a plan that a backend can run: broadcast sizes, outputs with PyTorch's layout, strides in bytes,
 * dims collapsed. In: gathered operands and the resolver's decision. It decides nothing about dtypes. */
#include <string.h>

#include "base/fills.h"
#include "call/target.h"
#include "tables/kernels/copy.h"

/* ---- broadcasting ---- */

kt_status kt__broadcast(kt_tensor *const *t, int n, int64_t *sizes, int *ndim)
{
    int rank = 0;
    for (int i = 0; i < n; i++)
        if (t[i] && t[i]->ndim > rank)
            rank = t[i]->ndim;
    for (int d = 0; d < rank; d++)
        sizes[d] = 1;
    for (int i = 0; i < n; i++)
        for (int d = t[i] ? t[i]->ndim - 1 : -1; d >= 0; d--) { /* a refusal names the last dim that differs */
            int     at = rank - t[i]->ndim + d;
            int64_t size = t[i]->sizes[d];
            if (size == sizes[at] || size == 1)
                continue;
            if (sizes[at] != 1)
                return kt_fail(
                    KT_ERR_RUNTIME,
                    "The size of tensor a (%lld) must match the size of tensor b (%lld) at non-singleton dimension %d",
                    (long long)sizes[at], (long long)size, at);
            sizes[at] = size;
        }
    *ndim = rank;
    return KT_OK;
}

/* ---- operands ---- */

static void set_immediate(kt_plan *plan, int at, kt_scalar value, kt_dtype as)
{
    kt_operand *o = &plan->arg[at];
    o->data = NULL;
    o->is = o->as = (uint8_t)as;
    o->why = KT_WHY_NONE;
    o->bits = 0;
    o->immediate = 1;
    kt_scalar_store(plan->imm[at].bytes, as, value);
}

/* Strides of t over the plan's sizes, in bytes; 0 where it is broadcast. */
KT__HOT static void set_strides(kt_plan *plan, int at, const kt_tensor *t, int rank)
{
    int64_t item = (int64_t)kt__itemsize(t);
    int     lead = rank - t->ndim;
    for (int d = 0; d < lead; d++)
        plan->stride[at][d] = 0;
    for (int d = 0; d < t->ndim; d++)
        plan->stride[at][lead + d] = t->sizes[d] == 1 && plan->size[lead + d] != 1 ? 0 : t->strides[d] * item;
}

void kt__plan_block(kt_plan *plan, int at, int n, const kt_tensor *t)
{
    const int64_t item = (int64_t)kt__itemsize(t);
    for (int d = 0; d < t->ndim; d++) {
        const int to = plan->nd++;
        plan->size[to] = t->sizes[d];
        for (int i = 0; i < n; i++)
            plan->stride[i][to] = i == at ? t->strides[d] * item : 0;
    }
}

/* ---- dims that are walked as one ---- */

static void merge_dims(kt_plan *plan, bool reorder)
{
    int     count = plan->n_out + plan->n_in, rank = plan->nd, nd = 0;
    uint8_t order[KT_MAX_DIMS];
    int64_t size[KT_MAX_DIMS], stride[KT_MAX_OPERANDS][KT_MAX_DIMS];
    if (reorder)
        kt__order_dims(plan->size, plan->stride[0], count, rank, order);
    else
        for (int d = 0; d < rank; d++)
            order[d] = (uint8_t)d;
    for (int d = 0; d < rank; d++) {
        int from = order[d];
        if (plan->size[from] == 1)
            continue;
        bool merges = nd > 0;
        for (int i = 0; i < count && merges; i++)
            merges = stride[i][nd - 1] == plan->stride[i][from] * plan->size[from];
        if (!merges) {
            size[nd] = 1;
            nd++;
        }
        size[nd - 1] *= plan->size[from];
        for (int i = 0; i < count; i++)
            stride[i][nd - 1] = plan->stride[i][from];
    }
    memcpy(plan->size, size, (size_t)nd * sizeof(int64_t));
    for (int i = 0; i < count; i++)
        memcpy(plan->stride[i], stride[i], (size_t)nd * sizeof(int64_t));
    plan->nd = (uint8_t)nd;
}

KT__HOT void kt__collapse(kt_plan *plan, bool reorder)
{
    if (plan->nd > 1 || (plan->nd == 1 && plan->size[0] == 1))
        merge_dims(plan, reorder);
    bool dense = plan->nd <= 1;
    for (int i = 0; i < plan->n_out + plan->n_in && dense && plan->nd; i++) {
        int64_t s = plan->stride[i][0];
        dense = s == 0 ? i >= plan->n_out : s == (int64_t)kt__dtype_rows[plan->arg[i].is].size;
    }
    plan->contiguous = dense;
}

/* ---- outputs ---- */

static bool elsewhere(const kt_tensor *a, const kt_tensor *b)
{
    return a->backend != b->backend || a->index != b->index;
}

const char *kt__device_text(const kt_tensor *t, char *room, size_t size)
{
    snprintf(room, size, t->backend == KT_CPU || t->backend == KT_META ? "%s" : "%s:%d", kt_device_name(kt__device(t)),
             t->index);
    return room;
}

/* PyTorch names the device that is not the CPU first. */
kt_status kt__refuse_devices(const kt_tensor *a, const kt_tensor *b)
{
    char       first[64], second[64];
    const bool turned = a->backend == KT_CPU;
    return kt_fail(KT_ERR_RUNTIME, "Expected all tensors to be on the same device, but found at least two devices, %s and %s!",
                   kt__device_text(turned ? b : a, first, sizeof first), kt__device_text(turned ? a : b, second, sizeof second));
}

/* ---- operands of the CPU beside those of a device ---- */

static bool is_value(const kt_tensor *t) { return t->backend == KT_CPU && t->ndim == 0; }

const kt_tensor *kt__home_of(const kt__gathered *g, bool inplace)
{
    const kt_tensor *home = inplace ? g->t[0] : g->first; /* what is written stays where it is */
    for (int i = 0; i < g->n && !inplace; i++)
        if (g->t[i] && is_value(home))
            home = g->t[i];
    return home;
}

/* A 0-dim CPU tensor may be combined with tensors of any device: the plan contains its value. Any other mix is refused.
 * by_value: bits of such operands. */
static KT__COLD kt_status meet(const kt_call *call, const kt__gathered *g, kt__gathered *together, uint32_t *by_value)
{
    const kt_tensor *home = kt__home_of(g, call->form == KT_INPLACE);
    *together = *g;
    together->first = (kt_tensor *)(uintptr_t)home;
    for (int i = 0; i < g->n; i++) {
        const kt_tensor *t = g->t[i];
        if (!t || !elsewhere(t, home))
            continue;
        if (!is_value(t))
            return kt__refuse_devices(home, t);
        *by_value |= 1u << i;
    }
    return KT_OK;
}

/* The device converts the value as it would convert an element in memory. */
static KT__COLD void make_immediate(kt_plan *plan, int at, const kt_tensor *t)
{
    kt_operand *o = &plan->arg[at];
    kt__fill_settle(t->data);
    memcpy(plan->imm[at].bytes, t->data, kt__itemsize(t));
    o->data = NULL;
    o->immediate = 1;
}

/* The strides of a new or resized result, in the order of the inputs' strides; NULL: row-major. */
static const int64_t *output_strides(const kt_plan *plan, int rank, int64_t *strides)
{
    uint8_t order[KT_MAX_DIMS];
    if (kt__order_dims(plan->size, plan->stride[plan->n_out], plan->n_in, rank, order))
        return NULL;
    kt__strides_in_order(plan->size, order, rank, strides);
    return strides;
}

static kt_tensor *fresh_output(const kt_plan *plan, kt_dtype dtype, const kt_tensor *like, int rank, bool row_major)
{
    int64_t        room[KT_MAX_DIMS];
    kt_shape       shape = {rank, plan->size};
    const int64_t *strides = row_major ? NULL : output_strides(plan, rank, room);
    return strides ? kt__tensor_new_strided(dtype, kt__device(like), shape, (kt_shape){rank, strides})
                   : kt__tensor_new(dtype, kt__device(like), shape);
}

kt_tensor *kt__output_in_order(const kt_plan *plan, kt_dtype dtype, const kt_tensor *on)
{
    return fresh_output(plan, dtype, on, plan->nd, false);
}

/* Dense operands with equal strides: the result takes them, including those of dims of size 1. */
static bool lie_alike(kt_tensor *const *t, int n, const kt_tensor *first)
{
    const size_t bytes = first->ndim * sizeof(int64_t);
    bool         alike = kt__is_dense(kt__sizes(first), kt__strides(first));
    for (int i = 0; i < n && alike; i++)
        alike = !t[i] || memcmp(t[i]->strides, first->strides, bytes) == 0;
    return alike;
}

kt_tensor *kt__output_beside(kt_tensor *const *t, int n, kt_dtype dtype)
{
    kt_plan plan;
    plan.n_out = 0;
    plan.n_in = (uint8_t)n;
    plan.nd = t[0]->ndim;
    memcpy(plan.size, t[0]->sizes, t[0]->ndim * sizeof *plan.size);
    bool row_major = true;
    for (int i = 0; i < n; i++) {
        set_strides(&plan, i, t[i], t[i]->ndim);
        row_major &= kt__is_contiguous(t[i]);
    }
    return !row_major && lie_alike(t, n, t[0])
               ? kt__tensor_new_strided(dtype, kt__device(t[0]), kt__sizes(t[0]), kt__strides(t[0]))
               : fresh_output(&plan, dtype, t[0], plan.nd, row_major);
}

static kt_status fail_number(const kt_call *call, kt_dtype as)
{
    char room[64], op[64];
    return kt__fail_dtype(call, KT_ERR_TYPE, "%s refuses the number in %s: %s cannot hold it",
                          kt__policy_text(kt_get_policy(), room, sizeof room), kt__op_text(call, op, sizeof op),
                          kt_dtype_name(as));
}

static kt_status check_numbers(const kt_call *call, const kt__gathered *g, const kt__decision *d)
{
    for (int i = 0; i < g->n; i++)
        if (!g->t[i] && !kt__holds(g->s[i], (kt_dtype)d->as[i]))
            return fail_number(call, (kt_dtype)d->as[i]);
    return KT_OK;
}

/* ---- how a result lies (row.h, kt__lies) ---- */

/* A number is broadcast too, unless the operator has a separate kernel for numbers. */
static bool is_broadcast(const kt_call *call, const kt__gathered *g)
{
    bool differs = false;
    for (int i = 0; i < g->n; i++)
        differs |= g->t[i] ? !kt__same_sizes(g->t[i], g->first) : !g->alone;
    const bool number = g->alone || !g->t[g->n - 1]; /* stands last */
    return differs && !(number && call->row->lies == LIES_NUMBERS_APART);
}

/* Dims of one element, and all dims where there is none, may have any stride in a dense tensor. PyTorch looks at them where it
 * broadcasts. */
static bool has_odd_dims(const kt_call *call, const kt__gathered *g)
{
    bool odd = false;
    for (int i = 0; i < g->n; i++) {
        const kt_tensor *t = g->t[i];
        int64_t          step = 1;
        for (int d = t ? t->ndim - 1 : -1; d >= 0; d--) {
            odd |= t->strides[d] != step || !t->sizes[d]; /* a dim of no element lies inside one of a single element */
            step *= t->sizes[d] > 1 ? t->sizes[d] : 1;
        }
    }
    return odd && (call->row->lies == LIES_AS_PRODUCT || is_broadcast(call, g));
}

static bool may_be_infinite(const kt__gathered *g)
{
    return kt__dtype_rows[g->dtype[0]].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX);
}

static bool is_row_major(const kt_call *call, const kt__gathered *g)
{
    return call->row->lies == LIES_DENSE || (call->row->lies == LIES_DENSE_OF_NUMBER && !g->t[0]);
}

static void exchange_strides(kt_plan *plan, int rank)
{
    for (int d = 0; d < rank; d++) {
        const int64_t first = plan->stride[1][d];
        plan->stride[1][d] = plan->stride[2][d];
        plan->stride[2][d] = first;
    }
}

static bool lies_as_self(const kt_call *call, const kt__gathered *g)
{
    return call->row->lies == LIES_AS_SELF || (call->row->lies == LIES_AS_COMPARED && !may_be_infinite(g));
}

/* Where operand i stands for the kernel. */
static int place_of(const kt__gathered *g, int i) { return 1 + (g->swap && i < 2 ? 1 - i : i); }

/* PyTorch converts operands before it reads their strides: a non-dense one then has the strides of its copy. */
static bool lies_otherwise_converted(const kt__gathered *g, const kt__decision *d, int i)
{
    return g->t[i] && g->dtype[i] != d->as[i] && !kt__is_dense(kt__sizes(g->t[i]), kt__strides(g->t[i]));
}

/* Operands as they lie once converted: sizes and strides, no elements. */
typedef struct lying {
    kt__gathered g;
    kt_tensor    copy[sizeof((kt__gathered *)0)->t / sizeof(kt_tensor *)];
    int64_t      strides[sizeof((kt__gathered *)0)->t / sizeof(kt_tensor *)][KT_MAX_DIMS];
} lying;

static const kt__gathered *as_converted(const kt__gathered *g, const kt__decision *d, lying *room)
{
    const kt__gathered *lies = g;
    for (int i = 0; i < g->n; i++)
        if (KT__UNLIKELY(lies_otherwise_converted(g, d, i))) {
            kt_tensor *t = g->t[i], *copy = &room->copy[i];
            if (lies == g)
                room->g = *g;
            lies = &room->g;
            *copy = *t;
            kt__preserved_strides(kt__sizes(t), kt__strides(t), room->strides[i]);
            copy->strides = room->strides[i];
            copy->flags &= ~(uint32_t)KT_T_CONTIGUOUS;
            copy->flags |= kt__is_row_major(kt__sizes(copy), kt__strides(copy)) ? KT_T_CONTIGUOUS : 0;
            room->g.t[i] = copy;
            room->g.first = g->first == t ? copy : room->g.first;
        }
    return lies;
}

static kt_status prepare_strided(kt_call *call, const kt__gathered *g, const kt__decision *d, kt_plan *plan,
                                 kt_tensor **target)
{
    lying               room;
    const kt__gathered *lies = as_converted(g, d, &room);
    kt_tensor          *out = *target;
    int                 rank = 0;
    if (kt__broadcast(g->t, g->n, plan->size, &rank))
        return kt_error_status();
    if (out && kt__check_target(call, g, d, 0, (kt_shape){rank, plan->size}))
        return kt_error_status();
    bool row_major = true;
    for (int i = 0; i < g->n; i++) {
        int at = place_of(g, i);
        if (g->t[i]) {
            set_strides(plan, at, lies->t[i], rank);
            row_major &= kt__is_contiguous(lies->t[i]);
        } else {
            memset(plan->stride[at], 0, (size_t)rank * sizeof(int64_t));
        }
    }
    row_major = is_row_major(call, g) || (row_major && !has_odd_dims(call, lies));
    if (!out) {
        const kt_tensor *first = lies->first;
        const bool       turned = !row_major && call->row->lies == LIES_AS_SECOND;
        if (turned)
            exchange_strides(plan, rank);
        const bool       compared = call->row->lies == LIES_AS_COMPARED && may_be_infinite(g);
        const bool       alike = !row_major && !compared && !is_broadcast(call, lies) && lie_alike(lies->t, g->n, first);
        out = alike ? kt__tensor_new_strided((kt_dtype)d->result, kt__device(first), kt__sizes(first), kt__strides(first))
                    : fresh_output(plan, (kt_dtype)d->result, first, rank, row_major);
        if (turned)
            exchange_strides(plan, rank);
        if (!out)
            return kt_error_status();
    } else {
        int64_t strides[KT_MAX_DIMS];
        if (kt__bind_target(out, (kt_shape){rank, plan->size}, row_major ? NULL : output_strides(plan, rank, strides)))
            return kt_error_status();
        kt__ref(out);
    }
    for (int i = 0; i < g->n && lies != g; i++)
        if (g->t[i])
            set_strides(plan, place_of(g, i), g->t[i], rank);
    kt__set_operand(plan, 0, out, (kt_dtype)d->result, d->result == out->dtype ? KT_WHY_NONE : KT_WHY_RESULT);
    plan->numel = out->numel;
    set_strides(plan, 0, out, rank);
    plan->nd = (uint8_t)rank;
    kt__collapse(plan, true);
    *target = out;
    return KT_OK;
}

/* Of a 0-dim tensor that meets reduced floats in float32, which it may be itself. */
static kt_reason why_exact(const kt_tensor *t, uint8_t why)
{
    return t->dtype == KT_F32 ? KT_WHY_NONE : why ? (kt_reason)why : KT_WHY_SCALAR;
}

KT__HOT kt_status kt__prepare_elementwise(kt_call *call, const kt__gathered *g, const kt__decision *d, uint64_t mode,
                                  kt_plan *plan, kt_tensor **result)
{
    kt__gathered together;
    uint32_t     by_value = 0;
    if (KT__UNLIKELY(!g->first))
        return kt_fail(KT_ERR_TYPE, "%s needs at least one tensor", call->row->name);
    if (KT__UNLIKELY(!g->simple)) {
        bool mixed = false;
        for (int i = 0; i < g->n; i++)
            mixed |= g->t[i] && elsewhere(g->t[i], g->first);
        if (mixed && meet(call, g, &together, &by_value))
            return kt_error_status();
        g = mixed ? &together : g;
    }
    kt_tensor *first = g->first, *out = NULL;
    bool       simple = g->simple;
    if (KT__UNLIKELY((mode & KT_M_POLICY) <= KT_SAFE) && check_numbers(call, g, d))
        return kt_error_status();
    kt__plan_begin(plan, kt__row_called(call), g->kernel, d->compute, g->n, first);
    plan->origin = d->origin;
    plan->n_param = g->n_param;
    for (int i = 0; i < g->n_param; i++)
        plan->param[i] = g->param[i];
    for (int i = 0; i < g->n; i++) {
        int at = 1 + (g->swap && i < 2 ? 1 - i : i);
        /* PyTorch lets a number, and a 0-dim tensor, meet reduced floats in the compute type for some operators. */
        bool     exact = i == g->exact && d->compute == KT_IN_F32 && (!g->t[i] || g->t[i]->ndim == 0);
        kt_dtype as = exact ? KT_F32 : (kt_dtype)d->as[i];
        if (KT__LIKELY(g->t[i] != NULL)) {
            kt__set_operand(plan, at, g->t[i], as, exact ? why_exact(g->t[i], d->why[i]) : (kt_reason)d->why[i]);
            plan->stride[at][0] = (int64_t)kt__itemsize(g->t[i]);
            if (KT__UNLIKELY(by_value >> i & 1))
                make_immediate(plan, at, g->t[i]);
        } else {
            set_immediate(plan, at, g->s[i], as);
            plan->stride[at][0] = 0;
        }
    }
    if (call->form != KT_PLAIN) {
        out = call->form == KT_INPLACE ? g->t[0] : call->out[0];
        simple &= call->form == KT_INPLACE && kt__is_contiguous(out);
    } else if (simple && (g->n > 1 || call->row->lies == LIES_AS_PRODUCT)) {
        simple = !has_odd_dims(call, g);
    }
    if (KT__UNLIKELY(!simple)) {
        *result = out;
        return prepare_strided(call, g, d, plan, result);
    }
    if (KT__LIKELY(!out)) {
        out = kt__tensor_like(first, (kt_dtype)d->result);
        if (KT__UNLIKELY(!out))
            return kt_error_status();
        if (g->n == 1 && lies_as_self(call, g))
            memcpy(out->strides, first->strides, first->ndim * sizeof *out->strides);
    } else {
        if (kt__check_target(call, g, d, 0, kt__sizes(first)))
            return kt_error_status();
        kt__ref(out);
    }
    kt__set_operand(plan, 0, out, (kt_dtype)d->result, d->result == out->dtype ? KT_WHY_NONE : KT_WHY_RESULT);
    plan->numel = out->numel;
    plan->nd = out->numel != 1;
    plan->size[0] = out->numel;
    plan->stride[0][0] = (int64_t)kt__itemsize(out);
    plan->contiguous = 1;
    *result = out;
    return KT_OK;
}

KT__HOT kt_status kt__prepare_copy(kt_tensor *to, kt_tensor *from, kt_reason why, kt_plan *plan)
{
    kt__plan_begin(plan, kt__row_served(KT_OP_copy), KT_K_copy, kt__dtype_rows[to->dtype].compute, 1, to);
    plan->origin = 0;
    plan->numel = to->numel;
    if (from->ndim > to->ndim)
        goto no_fit;
    for (int d = 0; d < to->ndim; d++) {
        int at = d - (to->ndim - from->ndim);
        if (at >= 0 && from->sizes[at] != to->sizes[d] && from->sizes[at] != 1)
            goto no_fit;
        plan->size[d] = to->sizes[d];
    }
    kt__set_operand(plan, 0, to, (kt_dtype)to->dtype, KT_WHY_NONE);
    kt__set_operand(plan, 1, from, (kt_dtype)to->dtype, to->dtype == from->dtype ? KT_WHY_NONE : why);
    set_strides(plan, 0, to, to->ndim);
    set_strides(plan, 1, from, to->ndim);
    plan->nd = to->ndim;
    kt__collapse(plan, true);
    return KT_OK;
no_fit:; /* broadcasting's message, for any dim */
    int64_t    sizes[KT_MAX_DIMS];
    int        rank = 0;
    kt_tensor *both[2] = {to, from};
    if (kt__broadcast(both, 2, sizes, &rank))
        return kt_error_status();
    return kt_fail(KT_ERR_RUNTIME, "output with shape %s doesn't match the broadcast shape %s",
                   KT__SIZES_TEXT(to), KT__SHAPE_TEXT((kt_shape){rank, sizes}));
}
