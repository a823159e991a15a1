/* random_make.c - new tensors of random numbers: rand, randn, randint, randperm and kin, normal of tensors, multinomial.
 *
 * In: sizes or tensors, parameters, a generator. Out: a new tensor. The drawing itself is random.c's. */
#include "call/check.h"
#include "call/end.h"
#include "call/move.h"
#include "call/refuse.h"
#include "call/target.h"
#include "call/wrap.h"
#include "ops/make/make.h"
#include "ops/random/random.h"

/* ---- of a size, or like another ---- */

typedef kt_status filler(kt_call *call, kt_tensor *t, kt_generator *g);

static kt_status sized(kt_call *call, int size_at, kt_dtype fallback, filler *fill)
{
    kt__make_options o;
    if (kt__read_options(call, size_at + 2, fallback, NULL, &o))
        return kt_error_status();
    kt_tensor *t = kt__tensor_new(o.dtype, o.device, call->arg[size_at].ints);
    return kt__born(call, t, &o, t ? fill(call, t, kt__arg_generator(call, size_at + 1)) : KT_OK);
}

static kt_status like(kt_call *call, int generator_at, filler *fill)
{
    kt__make_options o;
    kt_tensor       *self = call->arg[0].t;
    const int        format_at = generator_at + 4;
    if (kt__read_options(call, generator_at + 1, (kt_dtype)self->dtype, self, &o))
        return kt_error_status();
    kt_tensor *t = kt__empty_like(self, o.dtype, o.device,
                                  (kt_memory_format)(kt__given(call, format_at) ? call->arg[format_at].format : 0));
    return kt__born(call, t, &o, t ? fill(call, t, kt__arg_generator(call, generator_at)) : KT_OK);
}

static kt_status fill_uniform(kt_call *call, kt_tensor *t, kt_generator *g)
{
    return kt__draw_uniform_into(call, t, 0, 1, g);
}
static kt_status fill_normal(kt_call *call, kt_tensor *t, kt_generator *g)
{
    return kt__draw_normal_into(call, t, 0, 1, g);
}
static kt_status fill_normal_of(kt_call *call, kt_tensor *t, kt_generator *g)
{
    return kt__draw_normal_into(call, t, call->arg[0].f, call->arg[1].f, g);
}
static kt_status fill_below(kt_call *call, kt_tensor *t, kt_generator *g)
{
    return kt__draw_ints_into(call, t, 0, call->arg[0].i, g);
}
static kt_status fill_between(kt_call *call, kt_tensor *t, kt_generator *g)
{
    return kt__draw_ints_into(call, t, call->arg[0].i, call->arg[1].i, g);
}
static kt_status fill_like_below(kt_call *call, kt_tensor *t, kt_generator *g)
{
    return kt__draw_ints_into(call, t, 0, call->arg[1].i, g);
}
static kt_status fill_like_between(kt_call *call, kt_tensor *t, kt_generator *g)
{
    return kt__draw_ints_into(call, t, call->arg[1].i, call->arg[2].i, g);
}

kt_status kt__body_rand(kt_call *call) { return sized(call, 0, kt_get_default_dtype(), fill_uniform); }
kt_status kt__body_randn(kt_call *call) { return sized(call, 0, kt_get_default_dtype(), fill_normal); }
kt_status kt__body_randint(kt_call *call) { return sized(call, 1, KT_I64, fill_below); }
kt_status kt__body_randint_low(kt_call *call) { return sized(call, 2, KT_I64, fill_between); }
kt_status kt__body_normal_float_float(kt_call *call) { return sized(call, 2, kt_get_default_dtype(), fill_normal_of); }
kt_status kt__body_rand_like(kt_call *call) { return like(call, 1, fill_uniform); }
kt_status kt__body_randn_like(kt_call *call) { return like(call, 1, fill_normal); }
kt_status kt__body_randint_like(kt_call *call) { return like(call, 2, fill_like_below); }
kt_status kt__body_randint_like_low(kt_call *call) { return like(call, 3, fill_like_between); }

/* ---- permutations ---- */

/* Does the dtype count as far as n? */
static kt_status check_count(const kt_call *call, kt_dtype dtype, int64_t n)
{
    const kt__dtype_row *row = &kt__dtype_rows[dtype];
    kt__decision         room;
    if (n < 0)
        return KT_OK; /* no such tensor is made, of whatever dtype */
    if (!kt__resolve_in_body(call, &room))
        return kt_error_status();
    if (row->category == KT_CAT_INT && n > 0 && !kt_scalar_fits(KT_INT(n - 1), dtype))
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "value cannot be converted to type %s_t without overflow",
                              kt_dtype_name(dtype));
    if (row->category == KT_CAT_FLOAT && dtype != KT_BF16 && n > ((int64_t)1 << (row->mantissa + 1)) + 1) {
        if (dtype == KT_F16)
            return kt__fail_dtype(call, KT_ERR_RUNTIME, "n cannot be greater than 2049 for Half type.");
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "n cannot be greater than 2^%d+1 for %s type.", row->mantissa + 1,
                              kt_dtype_torch_name(dtype));
    }
    return KT_OK;
}

static kt_status permute(kt_tensor *to, kt_generator *g)
{
    kt_plan       plan;
    kt__drawing   d;
    const kt_row *row = kt__row_served(KT_OP_randperm);
    const int     compute = kt__dtype_rows[to->dtype].compute;
    if (kt__drawing_begin(&d, to, NULL, row, KT_K_randperm, compute, g))
        return kt_error_status();
    kt__plan_begin(&plan, row, KT_K_randperm, compute, 0, d.out);
    plan.numel = plan.size[0] = to->numel;
    plan.nd = 1;
    plan.contiguous = 1;
    kt__set_operand(&plan, 0, d.out, (kt_dtype)to->dtype, KT_WHY_NONE);
    plan.stride[0][0] = (int64_t)kt__itemsize(to);
    return kt__drawing_end(&d, kt__launch_draw(&plan, d.out, &d.source));
}

kt_status kt__body_randperm(kt_call *call)
{
    kt__make_options o;
    const int64_t    n = call->arg[0].i;
    if (kt__read_options(call, 2, KT_I64, NULL, &o) || check_count(call, o.dtype, n))
        return kt_error_status();
    kt_tensor *t = kt__tensor_new(o.dtype, o.device, KT_SHAPE(n));
    kt_status  status = t ? KT_OK : kt_error_status();
    if (t && t->numel && !kt__backend(t->backend)->stores_nothing)
        status = permute(t, kt__arg_generator(call, 1));
    return kt__born(call, t, &o, status);
}

/* ---- normals, each element of its own mean or deviation ---- */

static kt_status change(int op, kt_tensor *to, kt_tensor *by, double number)
{
    kt_call c;
    kt__open(&c, op, KT_INPLACE);
    kt__put_tensor(&c, 0, to);
    if (by)
        kt__put_tensor(&c, 1, by);
    else
        kt__put_either(&c, 1, KT_FLOAT(number));
    if (kt_call_run(&c))
        return kt_error_status();
    kt__unref(c.out[0]);
    return KT_OK;
}

/* Memory of its own in which a tensor lies as another does, which may leave gaps. */
static kt_tensor *lying_as(const kt_tensor *t)
{
    int64_t reach = t->numel > 0;
    for (int i = 0; i < t->ndim && reach; i++)
        reach += (t->sizes[i] - 1) * t->strides[i];
    kt_tensor *made = kt__tensor_new((kt_dtype)t->dtype, kt__device(t), KT_SHAPE(reach));
    if (made && kt__tensor_set_geometry(made, kt__sizes(t), kt__strides(t), 0)) {
        kt__unref(made);
        return NULL;
    }
    return made;
}

/* What is drawn into: of the first one's dtype, or for out= as that is and lies, since both say which numbers are drawn. */
static kt_tensor *blank(const kt_call *call, const kt_tensor *like, const kt_tensor *target, kt_shape sizes)
{
    kt__decision        room;
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d)
        return NULL;
    if (!target || !kt__has_sizes(target, sizes))
        return kt__tensor_new((kt_dtype)(target ? target->dtype : d->result), kt__device(like), sizes);
    return kt__check_written(target, NULL, 0) ? NULL : lying_as(target);
}

/* Standard normals, scaled and moved: mean and std are tensors, or numbers where NULL. A mean alone is broadcast with out=. */
static kt_status scaled(kt_call *call, kt_tensor *mean, double m, kt_tensor *std, double s, kt_generator *g,
                        kt_tensor **out)
{
    KT_NO_GRAD;
    int64_t    sizes[KT_MAX_DIMS];
    int        rank = 0;
    kt_tensor *target = call->form == KT_OUT ? call->out[0] : NULL;
    kt_tensor *both[2] = {mean ? mean : std, std ? std : target ? target : mean};
    if (kt__refuse(call, STAGE_BEFORE) || (std && kt__check_not_negative(std, KT_FAULT_DEVIATION)))
        return kt_error_status();
    if (!std && !(s >= 0))
        return kt_fail(KT_ERR_RUNTIME, "normal expects std >= 0.0, but found std %g", s);
    if (kt__broadcast(both, 2, sizes, &rank) || kt__one_device((kt_tensor *[]){both[0], both[1], target ? target : both[0]}, 3))
        return kt_error_status();
    *out = blank(call, both[0], target, (kt_shape){rank, sizes});
    if (!*out || kt__draw_normal_into(call, *out, 0, std ? 1 : s, g) || (std && change(KT_OP_mul, *out, std, 0)) ||
        change(KT_OP_add, *out, mean, m))
        return kt_error_status();
    (*out)->lineage = both[0]->lineage;
    atomic_store_explicit((*out)->version, 0, memory_order_relaxed); /* made in one go, as the caller sees it */
    return KT_OK;
}

static kt_status normal_of(kt_call *call, kt_tensor *mean, double m, kt_tensor *std, double s)
{
    kt_tensor *out = NULL;
    kt_status  status = scaled(call, mean, m, std, s, kt__arg_generator(call, 2), &out);
    return kt__end_made(call, out, NULL, status);
}

kt_status kt__body_normal_tensor_float(kt_call *call)
{
    return normal_of(call, call->arg[0].t, 0, NULL, kt__arg(call, 1)->f);
}
kt_status kt__body_normal_float_tensor(kt_call *call) { return normal_of(call, NULL, call->arg[0].f, call->arg[1].t, 0); }
kt_status kt__body_normal_tensor_tensor(kt_call *call) { return normal_of(call, call->arg[0].t, 0, call->arg[1].t, 0); }

/* ---- categories by weight ---- */

static kt_status check_weights(const kt_call *call, const kt_tensor *self, int64_t n, bool replace)
{
    kt__decision room;
    if (self->ndim != 1 && self->ndim != 2)
        return kt_fail(KT_ERR_RUNTIME, "prob_dist must be 1 or 2 dim");
    if (kt__refuse(call, STAGE_AFTER) || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    if (n <= 0)
        return kt_fail(KT_ERR_RUNTIME, "cannot sample n_sample <= 0 samples");
    if (!replace && n > self->sizes[self->ndim - 1])
        return kt_fail(KT_ERR_RUNTIME, "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    if (self->numel == 0 && (self->ndim == 1 || self->sizes[0]))
        return kt_fail(KT_ERR_RUNTIME, "cannot sample from no categories");
    return KT_OK;
}

static kt_status choose(kt_tensor *to, kt_tensor *self, bool replace, kt_generator *g)
{
    kt_plan       plan;
    kt__drawing   d;
    const int     last = self->ndim - 1;
    const kt_row *row = kt__row_served(KT_OP_multinomial);
    if (kt__drawing_begin(&d, to, self, row, KT_K_multinomial, KT_IN_I64, g))
        return kt_error_status();
    const kt_tensor *out = d.out, *weights = d.in;
    kt__plan_begin(&plan, row, KT_K_multinomial, KT_IN_I64, 1, out);
    plan.n_param = 1;
    plan.param[0] = KT_INT(replace);
    plan.nd = 3;
    plan.size[0] = last ? weights->sizes[0] : 1;
    plan.size[1] = weights->sizes[last];
    plan.size[2] = out->sizes[out->ndim - 1];
    plan.numel = out->numel;
    kt__set_operand(&plan, 0, out, KT_I64, KT_WHY_NONE);
    kt__set_operand(&plan, 1, weights, (kt_dtype)weights->dtype, KT_WHY_NONE);
    plan.stride[0][0] = plan.size[2] * (int64_t)kt__itemsize(out);
    plan.stride[0][1] = plan.stride[1][2] = 0;
    plan.stride[0][2] = (int64_t)kt__itemsize(out);
    plan.stride[1][0] = last ? weights->strides[0] * (int64_t)kt__itemsize(weights) : 0;
    plan.stride[1][1] = weights->strides[last] * (int64_t)kt__itemsize(weights);
    return kt__drawing_end(&d, kt__launch_draw(&plan, d.out, &d.source));
}

/* Without replacement a single choice is the same as with, and PyTorch draws it the first way. */
kt_status kt__body_multinomial(kt_call *call)
{
    kt_tensor    *self = call->arg[0].t;
    const int64_t n = call->arg[1].i;
    const bool    replace = kt__arg_bool(call, 2);
    if (check_weights(call, self, n, replace))
        return kt_error_status();
    kt_shape   shape = self->ndim == 1 ? KT_SHAPE(n) : KT_SHAPE(self->sizes[0], n);
    kt_tensor *out = kt__tensor_new(KT_I64, kt__device(self), shape);
    kt_status  status = out ? KT_OK : kt_error_status();
    if (out && out->numel && !kt__backend(self->backend)->stores_nothing)
        status = choose(out, self, replace && n > 1, kt__arg_generator(call, 3));
    if (!status)
        out->lineage = KT__RECORD(KT_BORN, call->row->name, KT_NONE, KT_I64, 0);
    return kt__end_made(call, out, NULL, status);
}
