/* interleave.c - repeat_interleave: each element of a dim repeated. In: one count for all, or a tensor of counts, which
 * is read on the host since the result's size depends on it. */
#include "base/alloc.h"
#include "call/end.h"
#include "call/move.h"
#include "call/refuse.h"

/* ---- one count ---- */

/* Expands a new dim next to it, copies, and merges the two. */
static kt_status spread(kt_tensor *t, int64_t dim, int64_t times, kt_tensor **result)
{
    int64_t    sizes[KT_MAX_DIMS];
    kt_tensor *x = NULL, *next = NULL;
    kt_status  status = kt__call_int(KT_OP_unsqueeze, t, dim + 1, &x);
    for (int i = 0; i < t->ndim + 1 && !status; i++)
        sizes[i] = i == dim + 1 ? times : t->sizes[i - (i > dim)];
    if (!status) {
        status = kt__call_ints(KT_OP_expand, x, (kt_shape){t->ndim + 1, sizes}, &next);
        kt__take(&x, next);
    }
    if (!status) {
        status = kt__call_clone(x, KT_CONTIGUOUS_FORMAT, &next);
        kt__take(&x, next);
    }
    if (!status)
        status = kt__call_int2(KT_OP_flatten, x, dim, dim + 1, result);
    kt__unref(x);
    return status;
}

/* *t: flattened where no dim is given (owned); *dim: the dim to work on. */
static kt_status aim(const kt_call *call, int64_t *dim, kt_tensor **t)
{
    kt_tensor *self = call->arg[0].t;
    if (kt__given(call, 2)) {
        *dim = call->arg[2].i;
        *t = kt__ref(self);
        return kt__wrap_dim(dim, self->ndim);
    }
    *dim = 0;
    return kt__call_ints(KT_OP_reshape, self, KT_SHAPE(-1), t);
}

kt_status kt__body_repeat_interleave_int(kt_call *call)
{
    int64_t    dim = 0, times = call->arg[1].i;
    kt_tensor *t = NULL, *out = NULL;
    kt_status  status = aim(call, &dim, &t);
    if (!status && times < 0)
        status = kt_fail(KT_ERR_RUNTIME, "Repeats must be non-negative");
    int64_t total = status ? 0 : (t->ndim ? t->sizes[dim] : 1) * times;
    if (!status && kt__given(call, 3) && call->arg[3].i != total)
        status = kt_fail(KT_ERR_RUNTIME, "repeat_interleave: Invalid output_size, expected %lld but got %lld",
                         (long long)total, (long long)call->arg[3].i);
    if (!status)
        status = spread(t, dim, times, &out);
    kt__unref(t);
    return kt__end_itself(call, out, status);
}

/* ---- a tensor of counts ---- */

enum { UNTOLD = -1 }; /* no output_size= */

/* The sum is compared with output_size= before the counts are checked, as in PyTorch. */
static kt_status check_counts(const kt_tensor *repeats, const int64_t *count, int64_t *total)
{
    const int64_t told = *total;
    bool          negative = false, fits = true;
    *total = 0;
    for (int64_t i = 0; i < repeats->numel; i++) {
        negative |= count[i] < 0;
        fits &= !__builtin_add_overflow(*total, count[i], total);
    }
    if (told != UNTOLD && (!fits || told != *total))
        return kt_fail(KT_ERR_RUNTIME, "allocated size does not match required size");
    if (negative)
        return kt_fail(KT_ERR_RUNTIME, "repeats can not be negative");
    return fits ? KT_OK : kt_fail(KT_ERR_RUNTIME, "Storage size calculation overflowed");
}

/* output_size=, argument `at`: of no counts the result is empty, whatever it says. */
static kt_status told_size(const kt_call *call, int at, const kt_tensor *repeats, int64_t *total)
{
    const bool given = kt__given(call, at);
    *total = !given ? UNTOLD : repeats->numel ? call->arg[at].i : 0;
    return !given || *total >= 0 ? KT_OK
                                 : kt_fail(KT_ERR_RUNTIME, "Trying to create tensor with negative dimension %lld: [%lld]",
                                           (long long)*total, (long long)*total);
}

static kt_status counts_of(kt_tensor *repeats, int64_t *total, int64_t **count)
{
    *count = kt__read_ints(repeats);
    if (!*count)
        return kt_error_status();
    if (check_counts(repeats, *count, total)) {
        kt__free_ints(*count, repeats);
        *count = NULL;
        return kt_error_status();
    }
    return KT_OK;
}

kt_status kt__body_repeat_interleave(kt_call *call)
{
    kt_tensor *repeats = call->arg[0].t;
    int64_t    total, *count = NULL;
    if (repeats->ndim != 1)
        return kt_fail(KT_ERR_RUNTIME, "repeat_interleave only accept 1D vector as repeat");
    if (told_size(call, 1, repeats, &total) || counts_of(repeats, &total, &count))
        return kt_error_status();
    size_t   bytes = (size_t)(total + 1) * sizeof(int64_t);
    int64_t *index = total < INT64_MAX / 16 ? kt__system_get(bytes) : NULL;
    for (int64_t i = 0, at = 0; index && i < repeats->numel; i++)
        for (int64_t k = 0; k < count[i]; k++)
            index[at++] = i;
    kt_tensor *out = index ? kt__tensor_new((kt_dtype)repeats->dtype, kt__device(repeats), KT_SHAPE(total)) : NULL;
    kt_status  status = !index ? kt__fail_memory(bytes) : out ? kt__fill_from(out, index) : kt_error_status();
    if (index)
        kt__system_put(index, bytes);
    kt__free_ints(count, repeats);
    return kt__end_made(call, out, repeats, status);
}

static kt_status copy_counted(kt_tensor *out, kt_tensor *self, int dim, const int64_t *count)
{
    int64_t   start = 0;
    kt_status status = KT_OK;
    for (int64_t i = 0; i < self->sizes[dim] && !status; start += count[i++]) {
        kt__part to, from;
        if (count[i] == 0)
            continue;
        kt__part_of(&to, out);
        kt__part_of(&from, self);
        kt__part_narrow(&to, dim, start, count[i]);
        kt__part_narrow(&from, dim, i, 1);
        status = kt__part_copy(&to, &from);
    }
    return status;
}

/* The row that the tape sees: repeats has one count for each index of the dim. */
kt_status kt__body_interleave(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *repeats = call->arg[1].t;
    int64_t    dim = call->arg[2].i, total = call->arg[3].i, *count = NULL, sizes[KT_MAX_DIMS];
    bool       told = total >= 0 && kt__backend(repeats->backend)->stores_nothing; /* on meta the size must be told */
    if (kt__wrap_dim(&dim, self->ndim))
        return kt_error_status();
    if (self->ndim == 0 || repeats->ndim != 1 || repeats->sizes[0] != self->sizes[dim])
        return kt_fail(KT_ERR_RUNTIME, "%s needs a count for each index", call->row->name);
    if (!told && counts_of(repeats, &total, &count))
        return kt_error_status();
    for (int i = 0; i < self->ndim; i++)
        sizes[i] = i == dim ? total : self->sizes[i];
    kt_tensor *out = kt__tensor_new((kt_dtype)self->dtype, kt__device(self), (kt_shape){self->ndim, sizes});
    kt_status  status = !out ? kt_error_status() : count ? copy_counted(out, self, (int)dim, count) : KT_OK;
    kt__free_ints(count, repeats);
    return kt__end_made(call, out, self, status);
}

static kt_status run_interleave(const kt_call *call, kt_tensor *t, kt_tensor *repeats, int64_t dim, kt_tensor **out)
{
    kt_call c;
    int64_t total;
    if (kt__refuse(call, STAGE_AFTER) || told_size(call, 3, repeats, &total))
        return kt_error_status();
    kt__open(&c, KT_OP_interleave, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put_tensor(&c, 1, repeats);
    kt__put(&c, 2, i, dim);
    kt__put(&c, 3, i, total);
    kt_status status = kt_call_run(&c);
    *out = status ? NULL : c.out[0];
    return status;
}

/* *t as its conjugate, its negative or both. */
static kt_status turn(kt_tensor **t, uint32_t bits)
{
    static const struct { uint32_t bit; int op; } by[] = {{KT_T_CONJ, KT_OP_conj_lazy}, {KT_T_NEG, KT_OP_neg_view}};
    for (int i = 0; i < 2; i++) {
        kt_tensor *next = NULL;
        if (!(bits & by[i].bit))
            continue;
        if (kt__call1(by[i].op, *t, &next))
            return kt_error_status();
        kt__unref(*t);
        *t = next;
    }
    return KT_OK;
}

/* Lazy bits are kept in the result. */
kt_status kt__body_repeat_interleave_tensor(kt_call *call)
{
    kt_tensor *repeats = call->arg[1].t, *t = NULL, *each = NULL, *out = NULL;
    int64_t    dim = 0;
    if (kt__given(call, 2) && call->arg[0].t->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)call->arg[2].i);
    kt_status status = aim(call, &dim, &t);
    if (!status && repeats->ndim > 1)
        status = kt_fail(KT_ERR_RUNTIME, "repeats must be 0-dim or 1-dim tensor");
    else if (!status && repeats->numel == 1)
        status = kt__call_ints(KT_OP_expand, repeats, KT_SHAPE(t->sizes[dim]), &each);
    else if (!status && repeats->sizes[0] != t->sizes[dim])
        status = kt_fail(KT_ERR_RUNTIME,
                         "repeats must have the same size as input along dim, but got repeats.size(0) = %lld and "
                         "input.size(%lld) = %lld",
                         (long long)repeats->sizes[0], (long long)(kt__given(call, 2) ? call->arg[2].i : dim),
                         (long long)t->sizes[dim]);
    const uint32_t bits = status ? 0 : t->flags & (KT_T_CONJ | KT_T_NEG);
    if (!status)
        status = turn(&t, bits);
    if (!status)
        status = run_interleave(call, t, each ? each : repeats, dim, &out);
    if (!status)
        status = turn(&out, bits);
    kt__unref(each);
    kt__unref(t);
    return kt__end_itself(call, out, status);
}
