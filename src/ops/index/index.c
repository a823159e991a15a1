/* index.c - indexing by tensors, one a dim (index, index_put), and of a tensor seen as one row (take, put).
 *
 * In: a list with holes. Masks become the indices where they are true, and index tensors are broadcast together. Their
 * dims replace the indexed dims: in place if these are adjacent, else in front. Several index tensors are summed into one
 * of byte offsets. */
#include "ways/index.h"

#include <stdio.h>

#include "call/deterministic.h"
#include "call/end.h"
#include "call/refuse.h"

typedef struct pointed {
    kt_tensor *self;                /* without lazy bits; owned */
    kt_tensor *index[KT_MAX_DIMS];  /* of each dim of self; NULL: it stays as it is; owned */
    int        n_index, first;      /* how many there are, the first dim that has one */
    bool       neighbours;
    int64_t    spread[KT_MAX_DIMS]; /* the sizes that the index tensors have together */
    int        n_spread, front;     /* and the dim of the result that they begin at */
    kt_tensor *places;              /* byte offsets of several; owned */
    kt__along  a;                   /* over the dims of the result */
} pointed;

static void pointed_done(pointed *p)
{
    for (int d = 0; d < KT_MAX_DIMS; d++)
        kt__unref(p->index[d]);
    kt__unref(p->places);
    kt__unref(p->self);
}

/* ---- index tensors ---- */

static bool is_mask(const kt_tensor *t) { return t->dtype == KT_BOOL || t->dtype == KT_U8; }

static kt_status check_mask(const kt_tensor *self, const kt_tensor *mask, int at)
{
    for (int d = 0; d < mask->ndim; d++) {
        int64_t beyond = at + d;
        if (beyond >= self->ndim)
            return kt__wrap_dim(&beyond, self->ndim);
        if (mask->sizes[d] != self->sizes[at + d]) {
            return kt_fail(KT_ERR_INDEX,
                           "The shape of the mask %s at index %d does not match the shape of the indexed tensor %s at index %d",
                           KT__SIZES_TEXT(mask), d, KT__SIZES_TEXT(self), at + d);
        }
    }
    return KT_OK;
}

static kt_status check_list(const kt_call *call, const kt_tensor *self, int64_t n)
{
    if (n == 0 && call->row->id != KT_OP_index_put) /* index_put checks its values first */
        return kt_fail(KT_ERR_INDEX, "at least one index must be provided");
    if (n > self->ndim)
        return kt_fail(KT_ERR_INDEX, "too many indices for tensor of dimension %d (got %lld)", self->ndim, (long long)n);
    return kt__refuse_case(call, 1);
}

/* Moves a CPU index to the device of self. */
static kt_status on_device_of(kt_tensor *t, const kt_tensor *self, kt_tensor **result)
{
    if (t->backend == self->backend && t->index == self->index) {
        *result = kt__ref(t);
        return KT_OK;
    }
    if (t->backend != KT_CPU && !kt__backend(t->backend)->stores_nothing) {
        char room[64];
        return kt_fail(KT_ERR_RUNTIME, "indices should be either on cpu or on the same device as the indexed tensor (%s)",
                       kt__device_text(self, room, sizeof room));
    }
    *result = kt__tensor_new((kt_dtype)t->dtype, kt__device(self), kt__sizes(t));
    return *result ? kt__copy_into(*result, t, KT_WHY_NONE, KT_ROUND_TORCH) : kt_error_status();
}

/* Where the mask holds is found where it lies: for one of the CPU nobody waits for the device of self. */
static kt_status places_of_mask(pointed *p, kt_tensor *mask, int at)
{
    kt_tensor *here = NULL, *all = NULL;
    if (mask->ndim == 0) /* a 0-dim mask indexes no dim */
        return kt_fail(KT_ERR_INDEX, "a mask of no dims cannot index: give it and the tensor a dim of one element first");
    kt_status status = check_mask(p->self, mask, at);
    status = status ? status : kt__nonzero(mask, &here);
    status = status ? status : on_device_of(here, p->self, &all);
    for (int d = 0; d < mask->ndim && !status; d++)
        status = kt__call_int2(KT_OP_select, all, 1, d, &p->index[at + d]);
    kt__unref(here);
    kt__unref(all);
    return status;
}

static kt_status gather_indices(const kt_call *call, pointed *p)
{
    kt_tensor *const *t = call->arg[1].ts.t;
    const int64_t     n = call->arg[1].ts.n;
    int               at = 0;
    if (check_list(call, p->self, n))
        return kt_error_status();
    for (int64_t i = 0; i < n; i++) {
        kt_tensor *one = NULL;
        if (!t[i]) {
            at++;
            continue;
        }
        if (t[i]->dtype == KT_U8)
            kt__warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.");
        if (at >= p->self->ndim)
            return kt_fail(KT_ERR_INDEX, "too many indices for tensor of dimension %d (got %d)", p->self->ndim, at + 1);
        const bool stays = is_mask(t[i]) && t[i]->backend == KT_CPU && !kt__backend(p->self->backend)->stores_nothing;
        kt_status  status = on_device_of(t[i], stays ? t[i] : p->self, &one);
        if (!status && is_mask(one))
            status = places_of_mask(p, one, at);
        else if (!status)
            p->index[at] = kt__ref(one);
        at += is_mask(t[i]) ? t[i]->ndim : 1;
        kt__unref(one);
        if (status)
            return status;
    }
    return KT_OK;
}

static kt_status fail_spread(const pointed *p)
{
    char   text[512] = "";
    size_t at = 0;
    for (int d = 0; d < p->self->ndim && at < sizeof text; d++) {
        char one[128];
        if (!p->index[d])
            continue;
        kt__shape_text(one, sizeof one, kt__sizes(p->index[d]));
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? ", " : "", one);
    }
    return kt_fail(KT_ERR_INDEX, "shape mismatch: indexing tensors could not be broadcast together with shapes %s", text);
}

static kt_status spread_indices(pointed *p)
{
    int last = -1;
    p->first = -1;
    p->neighbours = true;
    for (int d = 0; d < p->self->ndim; d++) {
        const kt_tensor *t = p->index[d];
        if (!t)
            continue;
        p->first = p->first < 0 ? d : p->first;
        p->neighbours &= last < 0 || last + 1 == d;
        p->n_spread = t->ndim > p->n_spread ? t->ndim : p->n_spread;
        p->n_index++;
        last = d;
    }
    for (int i = 0; i < p->n_spread; i++)
        p->spread[i] = 1;
    for (int d = 0; d < p->self->ndim; d++)
        for (int i = 0; p->index[d] && i < p->index[d]->ndim; i++) {
            int64_t size = p->index[d]->sizes[i], *size_of_all = &p->spread[p->n_spread - p->index[d]->ndim + i];
            if (size != 1 && *size_of_all != 1 && size != *size_of_all)
                return fail_spread(p);
            *size_of_all = size == 1 ? *size_of_all : size;
        }
    return KT_OK;
}

static int64_t spread_numel(const pointed *p)
{
    int64_t n = 1;
    for (int i = 0; i < p->n_spread; i++)
        n *= p->spread[i];
    return n;
}

/* ---- the walk ---- */

static void spread_strides(const pointed *p, const kt_tensor *t, int64_t *strides)
{
    int lead = p->n_spread - t->ndim;
    for (int i = 0; i < p->n_spread; i++)
        strides[i] = i < lead || t->sizes[i - lead] != p->spread[i] ? 0 : t->strides[i - lead];
}

/* Dims of the result, and the strides of self along them, at operand `at`. */
static kt_status lay_out(pointed *p, int at)
{
    kt__along *a = &p->a;
    p->front = p->neighbours && p->first > 0 ? p->first : 0;
    if (p->self->ndim - p->n_index + p->n_spread > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    for (int d = 0; d < p->self->ndim; d++) {
        for (int i = 0; d == (p->neighbours ? p->first : 0) && i < p->n_spread; i++) {
            a->size[a->nd] = p->spread[i];
            a->stride[at][a->nd++] = 0;
        }
        if (p->index[d])
            continue;
        a->size[a->nd] = p->self->sizes[d];
        a->stride[at][a->nd++] = p->self->strides[d];
    }
    return KT_OK;
}

static kt_status check_empty(const pointed *p)
{
    for (int d = 0; d < p->self->ndim && spread_numel(p); d++)
        if (p->index[d] && p->self->sizes[d] == 0)
            return kt_fail(KT_ERR_INDEX, "index is out of bounds for dimension with size 0");
    return KT_OK;
}

/* Several index tensors, as one of offsets in bytes. */
static kt_status sum_places(pointed *p)
{
    int64_t k = 0;
    p->places = kt__tensor_new(KT_I64, kt__device(p->self), (kt_shape){p->n_spread, p->spread});
    kt_status status = p->places ? kt__fill_with(p->places, KT_INT(0)) : kt_error_status();
    for (int d = 0; d < p->self->ndim && !status; d++) {
        if (!p->index[d])
            continue;
        kt__along a = {.nd = p->n_spread, .t = {p->places, NULL, p->index[d]}, .limit = p->self->sizes[d],
                       .step = p->self->strides[d] * (int64_t)kt__itemsize(p->self), .dim = k++, .wraps = true,
                       .says = KT_FAULT_INDEX};
        for (int i = 0; i < a.nd; i++) {
            a.size[i] = p->spread[i];
            a.stride[ALONG_OUT][i] = p->places->strides[i];
        }
        spread_strides(p, p->index[d], a.stride[ALONG_INDEX]);
        status = kt__run_along(KT_K_index_offsets, &a);
    }
    return status;
}

static kt_status point(pointed *p)
{
    int64_t numel = 1;
    for (int d = 0; d < p->a.nd; d++)
        numel *= p->a.size[d];
    if (numel == 0) /* nothing is read: any index is valid */
        return KT_OK;
    if (p->n_index > 1 && sum_places(p))
        return kt_error_status();
    kt_tensor *index = p->places ? p->places : p->index[p->first];
    p->a.t[ALONG_INDEX] = index;
    p->a.limit = p->places ? INT64_MAX : p->self->sizes[p->first];
    p->a.step = p->places ? 1 : p->self->strides[p->first];
    p->a.wraps = true;
    p->a.says = KT_FAULT_INDEX;
    spread_strides(p, index, p->a.stride[ALONG_INDEX] + p->front);
    return KT_OK;
}

static kt_status pointed_by(const kt_call *call, kt_tensor *self, int at, pointed *p)
{
    p->self = self;
    if (gather_indices(call, p) || spread_indices(p) || check_empty(p) || lay_out(p, at))
        return kt_error_status();
    return KT_OK;
}

/* ---- reading ---- */

/* Strides of an index tensor along the dims of the result, ones around its own: those count where the result's are ones. */
static void strides_among(const pointed *p, const kt_tensor *index, int64_t *strides)
{
    int64_t own[KT_MAX_DIMS], wide[KT_MAX_DIMS];
    spread_strides(p, index, own);
    for (int i = 0; i < p->a.nd; i++)
        wide[i] = i < p->front || i >= p->front + p->n_spread ? 1 : p->a.size[i];
    if (!kt__view_strides((kt_shape){p->n_spread, p->spread}, (kt_shape){p->n_spread, own}, (kt_shape){p->a.nd, wide}, strides))
        kt__dense_strides((kt_shape){p->a.nd, wide}, strides);
    for (int i = 0; i < p->a.nd; i++)
        strides[i] = wide[i] == p->a.size[i] ? strides[i] * (int64_t)kt__itemsize(index) : 0;
}

/* A result lies in memory as self and the index tensors do. */
static kt_tensor *fresh_result(const pointed *p)
{
    kt_plan plan;
    bool    alone = spread_numel(p) == 0; /* dims of nothing among ones lie in their order */
    for (int i = 0; i < p->a.nd && alone; i++)
        alone = (i >= p->front && i < p->front + p->n_spread) || p->a.size[i] == 1;
    if (alone)
        return kt__tensor_new((kt_dtype)p->self->dtype, kt__device(p->self), (kt_shape){p->a.nd, p->a.size});
    plan.n_out = 1;
    plan.n_in = 1;
    plan.nd = (uint8_t)p->a.nd;
    for (int d = 0; d < p->a.nd; d++) {
        plan.size[d] = p->a.size[d];
        plan.stride[1][d] = p->a.stride[ALONG_FROM][d] * (int64_t)kt__itemsize(p->self);
    }
    for (int d = 0; d < p->self->ndim && plan.n_in + 1 < KT_MAX_OPERANDS; d++)
        if (p->index[d])
            strides_among(p, p->index[d], plan.stride[1 + plan.n_in++]);
    return kt__output_in_order(&plan, (kt_dtype)p->self->dtype, p->self);
}

kt_status kt__body_index(kt_call *call)
{
    pointed    p = {0};
    kt_tensor *self = NULL, *out = NULL;
    kt_status  status = kt__plain_of(call->arg[0].t, &self);
    status = status ? status : pointed_by(call, self, ALONG_FROM, &p);
    if (!status && p.n_index == 0)
        status = kt__call_clone(self, KT_FORMAT_NONE, &out);
    else if (!status)
        status = (out = fresh_result(&p)) ? point(&p) : kt_error_status();
    if (!status && p.n_index && out->numel) {
        p.a.t[ALONG_OUT] = out;
        p.a.t[ALONG_FROM] = self;
        for (int d = 0; d < p.a.nd; d++)
            p.a.stride[ALONG_OUT][d] = out->strides[d];
        status = kt__run_along(KT_K_index_take, &p.a);
    }
    p.self = self;
    pointed_done(&p);
    return kt__end_made(call, out, call->arg[0].t, status);
}

/* ---- writing ---- */

static kt_status spread_values(pointed *p, const kt_tensor *values)
{
    kt__along *a = &p->a;
    int        lead = a->nd - values->ndim;
    bool       fits = lead >= 0;
    for (int d = 0; d < values->ndim && fits; d++)
        fits = values->sizes[d] == 1 || values->sizes[d] == a->size[lead + d];
    if (!fits) {
        return kt_fail(KT_ERR_RUNTIME,
                       "shape mismatch: value tensor of shape %s cannot be broadcast to indexing result of shape %s",
                       KT__SIZES_TEXT(values), KT__SHAPE_TEXT((kt_shape){a->nd, a->size}));
    }
    for (int d = 0; d < a->nd; d++)
        a->stride[ALONG_FROM][d] = d < lead || values->sizes[d - lead] == 1 ? 0 : values->strides[d - lead];
    return KT_OK;
}

/* One value at one mask is masked_fill, with its rules. */
static kt_tensor *lone_mask(const kt_call *call, int *at)
{
    kt_tensor *mask = NULL;
    if (call->arg[2].t->numel != 1 || kt__arg_bool(call, 3))
        return NULL;
    for (int64_t i = 0; i < call->arg[1].ts.n; i++) {
        kt_tensor *t = call->arg[1].ts.t[i];
        if (!t)
            continue;
        if (mask || !is_mask(t) || t->ndim == 0)
            return NULL;
        mask = t;
        *at = (int)i;
    }
    return mask;
}

/* Ones behind the mask for the dims after its own. */
static kt_status widened(kt_tensor *mask, int rank, kt_tensor **result)
{
    int64_t sizes[KT_MAX_DIMS];
    for (int d = 0; d < rank; d++)
        sizes[d] = d < mask->ndim ? mask->sizes[d] : 1;
    return kt__call_ints(KT_OP_reshape, mask, (kt_shape){rank, sizes}, result);
}

static kt_status put_by_mask(kt_call *call, kt_tensor *mask, int at)
{
    kt_tensor *self = call->arg[0].t, *there = NULL, *wide = NULL, *value = NULL;
    kt_call    c;
    if (check_list(call, self, call->arg[1].ts.n) || check_mask(self, mask, at))
        return kt_error_status();
    kt_status status = on_device_of(mask, self, &there);
    status = status ? status : widened(there, self->ndim - at, &wide);
    status = status ? status : kt__call_ints(KT_OP_reshape, call->arg[2].t, (kt_shape){0, NULL}, &value);
    if (!status) {
        kt__open(&c, KT_OP_masked_fill_tensor, call->form);
        kt__put_tensor(&c, 0, self);
        kt__put_tensor(&c, 1, wide);
        kt__put_tensor(&c, 2, value);
        status = kt__body_masked_fill_tensor(&c); /* what is written is counted once, by this call */
        kt__end_itself(call, status ? NULL : c.out[0], status);
    }
    kt__unref(there);
    kt__unref(wide);
    kt__unref(value);
    return status;
}

static kt_status put_pointed(const kt_call *call, kt_tensor *work, kt_tensor *values)
{
    pointed   p = {0};
    kt_status status = pointed_by(call, kt__ref(work), ALONG_OUT, &p);
    status = status ? status : spread_values(&p, values);
    status = status ? status : kt__refuse(call, STAGE_AFTER);
    if (!status && p.n_index == 0 && work->numel && (call->arg[1].ts.n == 0 || kt__arg_bool(call, 3)))
        status = kt_fail(call->arg[1].ts.n ? KT_ERR_INDEX : KT_ERR_RUNTIME, "at least one index must be provided");
    else if (!status && p.n_index == 0)
        status = kt__copy_into(work, values, KT_WHY_NONE, KT_ROUND_TORCH);
    else if (!status)
        status = point(&p);
    if (!status && p.a.t[ALONG_INDEX]) {
        p.a.t[ALONG_OUT] = work;
        p.a.t[ALONG_FROM] = values;
        status = kt__run_along(kt__arg_bool(call, 3) ? KT_K_index_add : KT_K_index_put, &p.a);
    }
    pointed_done(&p);
    return status;
}

kt_status kt__body_index_put(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *values = NULL, *close = NULL, *work = NULL, *mask;
    int        at = 0;
    if (call->form == KT_INPLACE)
        kt__warn_if_expanded(self, "index_put_", "tensor[indices] = tensor");
    if ((mask = lone_mask(call, &at)))
        return put_by_mask(call, mask, at);
    if (call->form == KT_INPLACE && kt__overlap_of(self, call->arg[2].t) != KT_OVERLAP_NONE)
        return kt__fail_shared();
    kt_status status = kt__plain_of(call->arg[2].t, &values);
    if (!status && values->ndim) /* one value may come from the CPU */
        status = kt__one_device((kt_tensor *[]){self, values}, 2);
    status = status ? status : on_device_of(values, self, &close);
    status = status ? status : kt__begin_write(call, true, &work);
    status = status ? status : put_pointed(call, work, close);
    kt__unref(close);
    kt__unref(values);
    return kt__end_write(call, work, status);
}

/* ---- one row ---- */

/* `row` is dense; `other` has the shape of the index, or as many elements in a dense row-major tensor. */
static kt_status along_row(int kernel, kt_tensor *row, kt_tensor *other, kt_tensor *index)
{
    const bool takes = kernel == KT_K_index_take;
    kt__along  a = {.nd = kt__rank_of(index), .limit = row->numel, .step = 1, .wraps = true, .says = KT_FAULT_INDEX_ELEMENTS};
    int64_t    step = 1;
    a.t[ALONG_OUT] = takes ? other : row;
    a.t[ALONG_FROM] = takes ? row : other;
    a.t[ALONG_INDEX] = index;
    for (int d = a.nd - 1; d >= 0; d--) {
        a.size[d] = kt__size_at(index, d);
        a.stride[ALONG_INDEX][d] = kt__stride_at(index, d);
        a.stride[takes ? ALONG_OUT : ALONG_FROM][d] = step;
        step *= a.size[d];
    }
    return kt__run_along(kernel, &a);
}

kt_status kt__body_take(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *index = call->arg[1].t, *plain = NULL, *row = NULL;
    if (kt__check_out(call, (kt_dtype)self->dtype, KT_NONE) || kt__check_memory(call, NULL))
        return kt_error_status();
    if (self->numel == 0 && index->numel)
        return kt_fail(KT_ERR_INDEX, "take(): tried to take from an empty tensor");
    if (kt__one_device((kt_tensor *[]){self, index}, 2) || kt__plain_of(self, &plain))
        return kt_error_status();
    kt_tensor *out = kt__tensor_new((kt_dtype)self->dtype, kt__device(self), kt__sizes(index));
    kt_status  status = out ? kt__call1(KT_OP_contiguous, plain, &row) : kt_error_status();
    status = status ? status : along_row(KT_K_index_take, row, out, index);
    kt__unref(row);
    kt__unref(plain);
    return kt__end_made(call, out, self, status);
}

/* Elements of `from`, in order, at the places of `index` in self seen as one row; self may have any strides. */
static kt_status put_in_row(kt_call *call, kt_tensor *from, kt_tensor *index, int kernel)
{
    kt_tensor *work = NULL, *row = NULL;
    kt_status  status = kt__begin_write(call, true, &work);
    status = status ? status : kt__call1(KT_OP_contiguous, work, &row);
    status = status ? status : along_row(kernel, row, from, index);
    if (!status && row != work)
        status = kt__copy_into(work, row, KT_WHY_NONE, KT_ROUND_TORCH);
    kt__unref(row);
    return kt__end_write(call, work, status);
}

kt_status kt__body_put(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *index = call->arg[1].t, *source = call->arg[2].t, *plain = NULL, *from = NULL;
    if (source->numel != index->numel)
        return kt_fail(KT_ERR_INDEX,
                       "put_(): Expected source and index to have the same number of elements, but got source.numel() = %lld, "
                       "index.numel() = %lld",
                       (long long)source->numel, (long long)index->numel);
    if (kt__one_device((kt_tensor *[]){self, index, source}, 3) ||
        (call->form == KT_INPLACE && (kt__check_apart(self, source) || kt__check_apart(self, index))))
        return kt_error_status();
    if (self->numel == 0 && index->numel)
        return kt_fail(KT_ERR_INDEX, "put_(): Tried to put elements into an empty tensor");
    if (kt__plain_of(source, &plain))
        return kt_error_status();
    const bool asks = !kt__arg_bool(call, 3) && kt__row_called(call) == call->row; /* operators made of this one do not */
    kt_status  status = asks ? kt__alert_nondeterministic("put_") : KT_OK;
    status = status ? status : kt__call1(KT_OP_contiguous, plain, &from);
    if (!status)
        status = put_in_row(call, from, index, kt__arg_bool(call, 3) ? KT_K_index_add : KT_K_index_put);
    kt__unref(from);
    kt__unref(plain);
    return status;
}

/* The diagonal is a view of self, so that the write is recorded, counted and refused as any other. */
kt_status kt__body_fill_diagonal_(kt_call *call)
{
    kt_tensor *self = call->arg[0].t;
    if (self->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "dimensions must larger than 1");
    int64_t size = self->sizes[0], stride = 0;
    for (int i = 0; i < self->ndim; i++) {
        if (self->ndim > 2 && self->sizes[i] != self->sizes[0])
            return kt_fail(KT_ERR_RUNTIME, "all dimensions of input must be of equal length");
        size = self->sizes[i] < size ? self->sizes[i] : size;
        stride += self->strides[i];
    }
    const int64_t rows = self->sizes[0], columns = self->sizes[1];
    KT_SCOPE;
    bool done = kt_fill_s_(kt_as_strided(self, KT_SHAPE(size), KT_SHAPE(stride)), call->arg[1].s) != NULL;
    for (int64_t row = columns + 1; done && self->ndim == 2 && kt__arg_bool(call, 2) && row < rows; row += columns + 1) {
        const int64_t left = rows - row < columns ? rows - row : columns; /* a row is left out between two diagonals */
        const int64_t at = kt_storage_offset(self) + row * self->strides[0];
        done = kt_fill_s_(kt_as_strided(self, KT_SHAPE(left), KT_SHAPE(stride), .storage_offset = KT_SOME(at)), call->arg[1].s);
    }
    if (!done)
        return kt_error_status();
    call->out[0] = kt__ref(self);
    return KT_OK;
}
