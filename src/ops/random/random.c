/* random.c - random sampling into tensors: the plans of draws, and the rows that fill a tensor.
 *
 * In: calls with a generator. Out: their target, drawn by its device or by the CPU (plan/draw.h); the meta device draws nothing.
 * Parameters and dtypes are refused in PyTorch's words. Independent of: kernels beyond their names. */
#include "ops/random/random.h"

#include <math.h>

#include "base/warn.h"
#include "call/end.h"
#include "call/made.h"
#include "call/move.h"
#include "call/refuse.h"
#include "call/target.h"
#include "call/wrap.h"

kt_generator *kt__arg_generator(const kt_call *call, int at)
{
    return kt__given(call, at) ? call->arg[at].generator : NULL;
}

/* ---- drawing ---- */

static kt_status check_memory(const kt_tensor *to) { return kt__check_written(to, NULL, 0); }

void kt__draw_dims(kt_plan *plan, int at, const kt_tensor *t)
{
    for (int d = 0; d < t->ndim; d++) {
        plan->size[d] = t->sizes[d];
        plan->stride[at][d] = t->strides[d] * (int64_t)kt__itemsize(t);
    }
}

static bool is_lazy(const kt_tensor *t) { return t->flags & (KT_T_CONJ | KT_T_NEG); }

/* The tensor itself if kernels of the device can read it plainly, else a copy there. */
static kt_status readable_on(kt_device device, kt_tensor *t, kt_tensor **readable)
{
    if (t->backend == device.kind && t->index == device.index && !is_lazy(t)) {
        *readable = kt__ref(t);
        return KT_OK;
    }
    *readable = kt__empty_like(t, (kt_dtype)t->dtype, device, KT_FORMAT_NONE);
    return *readable ? kt__copy_into(*readable, t, KT_WHY_NONE, KT_ROUND_TORCH) : kt_error_status();
}

kt_status kt__drawing_begin(kt__drawing *d, kt_tensor *to, kt_tensor *in, const kt_row *row, int kernel, int compute,
                            kt_generator *given)
{
    *d = (kt__drawing){.to = to};
    if (kt__draw_source_of(row, to, kernel, compute, given, &d->source))
        return kt_error_status();
    const bool      there = d->source.on_device || to->backend == KT_CPU;
    const kt_device device = there ? kt__device(to) : (kt_device){KT_CPU, 0};
    d->out = there ? kt__ref(to) : kt__empty_like(to, (kt_dtype)to->dtype, device, KT_FORMAT_NONE);
    if (d->out && (!in || !readable_on(device, in, &d->in)))
        return KT_OK;
    return kt__drawing_end(d, kt_error_status());
}

kt_status kt__drawing_end(kt__drawing *d, kt_status status)
{
    if (!status && d->out != d->to)
        status = kt__copy_into(d->to, d->out, KT_WHY_NONE, KT_ROUND_TORCH);
    kt__unref(d->out);
    kt__unref(d->in);
    kt__unref(d->other);
    return status;
}

static kt_status run_draw(const kt__drawing *d, const kt__draw *draw, const kt_row *row)
{
    kt_plan    plan;
    kt_tensor *to = d->out;
    kt__plan_begin(&plan, row, draw->kernel, kt__dtype_rows[to->dtype].compute, (d->in != NULL) + (d->other != NULL), to);
    plan.n_param = (uint8_t)draw->n_param;
    for (int i = 0; i < draw->n_param; i++)
        plan.param[i] = draw->param[i];
    plan.numel = to->numel;
    plan.nd = to->ndim;
    kt__set_operand(&plan, 0, to, (kt_dtype)to->dtype, KT_WHY_NONE);
    kt__draw_dims(&plan, 0, to);
    if (d->in) {
        kt__set_operand(&plan, 1, d->in, (kt_dtype)d->in->dtype, KT_WHY_NONE);
        kt__draw_dims(&plan, 1, d->in);
    }
    if (d->other) {
        kt__set_operand(&plan, 2, d->other, (kt_dtype)d->other->dtype, KT_WHY_NONE);
        kt__draw_dims(&plan, 2, d->other);
    }
    kt__collapse(&plan, true);
    return kt__launch_draw(&plan, to, &d->source);
}

kt_status kt__draw_into(kt_tensor *to, const kt__draw *draw)
{
    kt__drawing   d;
    const kt_row *row = kt__row_served(KT_OP_normal);
    if (check_memory(to))
        return kt_error_status();
    if (kt__backend(to->backend)->stores_nothing || !to->numel)
        return KT_OK;
    if (kt__drawing_begin(&d, to, draw->each, row, draw->kernel, kt__dtype_rows[to->dtype].compute, draw->generator))
        return kt_error_status();
    if (draw->other && readable_on(kt__device(d.out), draw->other, &d.other))
        return kt__drawing_end(&d, kt_error_status());
    return kt__drawing_end(&d, run_draw(&d, draw, row));
}

/* ---- distributions, their parameters looked at ---- */

/* PyTorch looks at dtypes when it has looked at the parameters of a distribution; at memory before or after it. */
static kt_status check_dtypes(const kt_call *call)
{
    kt__decision room;
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    return !call->row->resolved_by_body || kt__resolve_in_body(call, &room) ? KT_OK : kt_error_status();
}

static unsigned category(const kt_tensor *t) { return kt__dtype_rows[t->dtype].category; }

/* The parts of complex numbers, as a view; another owner of t itself where it is real. */
static kt_status real_parts(kt_tensor *t, kt_tensor **parts)
{
    if (category(t) != KT_CAT_COMPLEX) {
        *parts = kt__ref(t);
        return KT_OK;
    }
    KT_NO_GRAD;
    return kt__call1(KT_OP_view_as_real, t, parts);
}

static bool in_range(double x, kt_dtype dtype)
{
    kt_finfo info;
    return !kt_dtype_finfo(dtype, &info) && x >= info.min && x <= info.max;
}

static kt_status check_uniform(double from, double until, kt_dtype dtype)
{
    const char *type = kt_dtype_c_name(dtype);
    if (!in_range(from, dtype) || !in_range(until, dtype))
        return kt_fail(KT_ERR_RUNTIME, "%s is out of bounds for %s", in_range(from, dtype) ? "to" : "from", type);
    if (!(from <= until))
        return kt_fail(KT_ERR_RUNTIME, "uniform_ expects to return a [from, to) range, but found from=%g > to=%g", from,
                       until);
    if (!in_range(until - from, dtype))
        return kt_fail(KT_ERR_RUNTIME,
                       "uniform_ expects to-from <= std::numeric_limits<%s>::max(), but found to=%g and from=%g which "
                       "result in to-from to exceed the limit",
                       kt_dtype_torch_name(dtype), until, from);
    return KT_OK;
}

kt_status kt__draw_uniform_into(const kt_call *call, kt_tensor *to, double from, double until, kt_generator *g)
{
    kt_tensor *parts = NULL;
    if (check_dtypes(call) || real_parts(to, &parts))
        return kt_error_status();
    kt__draw  draw = {g, KT_K_uniform, 2, {KT_FLOAT(from), KT_FLOAT(until)}, NULL, NULL};
    kt_status status = check_uniform(from, until, (kt_dtype)parts->dtype);
    if (!status)
        status = kt__draw_into(parts, &draw);
    kt__unref(parts);
    return status;
}

enum { BY_SIXTEENS = 16 }; /* a dense tensor of so many elements is drawn in blocks, which gives other numbers */

kt_status kt__draw_normal_into(const kt_call *call, kt_tensor *to, double mean, double std, kt_generator *g)
{
    kt_tensor *parts = NULL;
    const bool complex = category(to) == KT_CAT_COMPLEX;
    if (!(std >= 0))
        return kt_fail(KT_ERR_RUNTIME, "normal expects std >= 0.0, but found std %g", std);
    if (!to->numel)
        return KT_OK; /* of nothing, here and below, no kernel is missing */
    if (check_dtypes(call) || real_parts(to, &parts))
        return kt_error_status();
    if (complex)
        std /= sqrt(2); /* the parts share the variance */
    bool      blocks = parts->numel >= BY_SIXTEENS && kt__is_contiguous(parts);
    kt__draw  draw = {g, KT_K_normal, 3, {KT_FLOAT(mean), KT_FLOAT(std), KT_INT(blocks)}, NULL, NULL};
    kt_status status = kt__draw_into(parts, &draw);
    kt__unref(parts);
    return status;
}

kt_status kt__draw_bernoulli_into(const kt_call *call, kt_tensor *to, double p, kt_generator *g)
{
    kt__draw draw = {g, KT_K_bernoulli, 1, {KT_FLOAT(p)}, NULL, NULL};
    if (!(p >= 0 && p <= 1))
        return kt_fail(KT_ERR_RUNTIME, "bernoulli_ expects p to be in [0, 1], but got p=%g", p);
    if (!to->numel)
        return KT_OK;
    return check_memory(to) || check_dtypes(call) ? kt_error_status() : kt__draw_into(to, &draw);
}

/* ---- integers ---- */

static int digits_of(const kt_tensor *t) { return kt__dtype_rows[t->dtype].mantissa + 1; }

/* Integers from [least, least + count); count 0: 2^64. */
static kt_status draw_ints(kt_tensor *to, int64_t least, uint64_t count, bool wide, kt_generator *g)
{
    kt__draw draw = {g, KT_K_random_int, 3, {KT_INT(least), KT_INT((int64_t)count), KT_INT(wide)}, NULL, NULL};
    return kt__draw_into(to, &draw);
}

static const uint64_t WIDE_FROM = 1u << 28; /* so many numbers and more are drawn from 64 bits */

static bool holds(kt_dtype dtype, int64_t x)
{
    int64_t  min;
    uint64_t max;
    if (!kt__int_range(dtype, &min, &max))
        return in_range((double)x, dtype);
    return x >= min && (x < 0 || (uint64_t)x <= max);
}

/* A float cannot represent every integer beyond 2^digits. */
static void warn_of_steps(const kt_tensor *to, const char *end, int64_t x)
{
    const int digits = digits_of(to);
    if (x < -((int64_t)1 << digits) || x > (int64_t)1 << digits)
        kt__warn("%s is out of bounds [-(2^%d), 2^%d]. Due to precision limitations %s can support discrete uniform distribution "
                 "only within this range. This warning will become an error in version 1.7 release, please fix the code in "
                 "advance",
                 end, digits, digits, kt_dtype_c_name((kt_dtype)to->dtype));
}

static kt_status check_ints(const kt_call *call, const kt_tensor *to, int64_t from, int64_t last)
{
    const kt_dtype dtype = (kt_dtype)to->dtype;
    if (check_dtypes(call))
        return kt_error_status();
    if (!holds(dtype, from))
        return kt_fail(KT_ERR_RUNTIME, "from is out of bounds for %s", kt_dtype_c_name(dtype));
    if (!holds(dtype, last))
        return kt_fail(KT_ERR_RUNTIME, "to - 1 is out of bounds for %s", kt_dtype_c_name(dtype));
    if (category(to) == KT_CAT_FLOAT) {
        warn_of_steps(to, "from", from);
        if (last != from)
            warn_of_steps(to, "to - 1", last);
    }
    return KT_OK;
}

/* The largest representable integer below x. */
static int64_t before(int64_t x, int digits)
{
    const uint64_t size = x > 0 ? (uint64_t)x - 1 : -(uint64_t)x;
    const int      power = size ? 63 - __builtin_clzll(size) : 0;
    return x - (power < digits ? 1 : (int64_t)1 << (power + 1 - digits));
}

/* x as the dtype rounds it; past the last int64, the least: there is no end to move then. */
static int64_t as_stored(const kt_tensor *t, int64_t x)
{
    unsigned char bits[16] __attribute__((aligned(16)));
    kt_scalar     back;
    kt_scalar_store(bits, (kt_dtype)t->dtype, KT_INT(x));
    back = kt_scalar_load(bits, (kt_dtype)t->dtype);
    return back.v.re >= 0x1p63 || back.v.re <= -0x1p63 ? INT64_MIN : (int64_t)back.v.re;
}

/* Above 2^digits floats are sparse: an end that would round outwards becomes the next one inside. */
static void round_inward(const kt_tensor *to, int64_t *from, int64_t *until)
{
    if (category(to) != KT_CAT_FLOAT)
        return;
    const int64_t low = as_stored(to, *from + 1), high = as_stored(to, *until - 1);
    if (low < *from)
        *from = -before(-low, digits_of(to));
    if (high >= *until)
        *until = before(high, digits_of(to));
}

kt_status kt__draw_ints_into(const kt_call *call, kt_tensor *to, int64_t from, int64_t until, kt_generator *g)
{
    if (from >= until)
        return kt_fail(KT_ERR_RUNTIME, "random_ expects 'from' to be less than 'to', but got from=%lld >= to=%lld",
                       (long long)from, (long long)until);
    if (check_ints(call, to, from, until - 1))
        return kt_error_status();
    round_inward(to, &from, &until);
    if (from >= until)
        return kt_fail(KT_ERR_RUNTIME,
                       "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
                       "from=%lld >= to=%lld",
                       (long long)from, (long long)until);
    const uint64_t count = (uint64_t)until - (uint64_t)from;
    return draw_ints(to, from, count, count >= WIDE_FROM, g);
}

/* The last integer of a dtype that has all those below. */
static int64_t last_int(const kt_tensor *t)
{
    int64_t  min;
    uint64_t max;
    if (kt__int_range((kt_dtype)t->dtype, &min, &max))
        return max > INT64_MAX ? INT64_MAX : (int64_t)max;
    return (int64_t)1 << digits_of(t);
}

static kt_status draw_ints_from(const kt_call *call, kt_tensor *to, int64_t from, kt_generator *g)
{
    const int64_t last = last_int(to);
    int64_t       until = INT64_MAX;
    if (from == INT64_MIN) {
        if (to->dtype != KT_I64 && to->dtype != KT_F64 && to->dtype != KT_F32 && to->dtype != KT_BF16)
            return kt__fail_dtype(call, KT_ERR_RUNTIME,
                                  "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16");
        return draw_ints(to, 0, 0, true, g);
    }
    if (check_ints(call, to, from, from))
        return kt_error_status();
    round_inward(to, &from, &until);
    if (from > last)
        return kt_fail(KT_ERR_RUNTIME,
                       "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, "
                       "but got from=%lld > to_inc=%lld",
                       (long long)from, (long long)last);
    const uint64_t count = (uint64_t)last - (uint64_t)from + 1;
    return draw_ints(to, from, count, count >= WIDE_FROM, g);
}

static kt_status draw_any_int(const kt_call *call, kt_tensor *to, kt_generator *g)
{
    if (!to->numel)
        return KT_OK;
    if (check_dtypes(call))
        return kt_error_status();
    const bool wide = to->dtype == KT_I64 || to->dtype == KT_F64 || to->dtype == KT_U64;
    return draw_ints(to, 0, to->dtype == KT_U64 ? 0 : (uint64_t)last_int(to) + 1, wide, g);
}

/* ---- the rows that write over self ---- */

static kt_status expanded(kt_tensor *t, const kt_tensor *like, kt_tensor **out)
{
    KT_NO_GRAD;
    kt_call c;
    kt__open(&c, KT_OP_expand, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put(&c, 1, ints, kt__sizes(like));
    if (kt_call_run(&c))
        return kt_error_status();
    *out = c.out[0];
    return KT_OK;
}

static kt_status bernoulli_each(const kt_call *call, kt_tensor *to, kt_tensor *p, kt_generator *g)
{
    kt__draw     draw = {.generator = g, .kernel = KT_K_bernoulli_tensor};
    kt__decision room;
    if (!to->numel)
        return KT_OK;
    if (to->backend != KT_META && p->backend != KT_META && kt__one_device((kt_tensor *[]){to, p}, 2))
        return kt_error_status();
    if (check_memory(to) || (call->row->resolved_by_body && !kt__resolve_in_body(call, &room)) || expanded(p, to, &draw.each))
        return kt_error_status();
    kt_status status = kt__refuse(call, STAGE_AFTER);
    if (!status)
        status = kt__draw_into(to, &draw);
    kt__unref(draw.each);
    return status;
}

typedef kt_status writer(kt_call *call, kt_tensor *self);

/* An in-place row: its history ends here, and its gradient is zero. */
static kt_status write_over(kt_call *call, writer *write)
{
    kt_tensor *self = call->arg[0].t;
    if (write(call, self))
        return kt_error_status();
    kt__wrote(self);
    return kt__end_itself(call, kt__ref(self), KT_OK);
}

static kt_status write_uniform(kt_call *call, kt_tensor *self)
{
    return kt__draw_uniform_into(call, self, kt__arg(call, 1)->f, kt__arg(call, 2)->f, kt__arg_generator(call, 3));
}

static kt_status write_normal(kt_call *call, kt_tensor *self)
{
    return kt__draw_normal_into(call, self, kt__arg(call, 1)->f, kt__arg(call, 2)->f, kt__arg_generator(call, 3));
}

static kt_status write_random(kt_call *call, kt_tensor *self)
{
    return check_memory(self) ? kt_error_status() : draw_any_int(call, self, kt__arg_generator(call, 1));
}

static kt_status write_random_to(kt_call *call, kt_tensor *self)
{
    return check_memory(self) ? kt_error_status()
                              : kt__draw_ints_into(call, self, 0, call->arg[1].i, kt__arg_generator(call, 2));
}

static kt_status write_random_from(kt_call *call, kt_tensor *self)
{
    kt_generator *g = kt__arg_generator(call, 3);
    if (check_memory(self))
        return kt_error_status();
    return kt__given(call, 2) ? kt__draw_ints_into(call, self, call->arg[1].i, call->arg[2].i, g)
                              : draw_ints_from(call, self, call->arg[1].i, g);
}

static kt_status write_bernoulli(kt_call *call, kt_tensor *self)
{
    return kt__draw_bernoulli_into(call, self, kt__arg(call, 1)->f, kt__arg_generator(call, 2));
}

static kt_status write_bernoulli_each(kt_call *call, kt_tensor *self)
{
    return bernoulli_each(call, self, call->arg[1].t, kt__arg_generator(call, 2));
}

/* Two parameters at 1 and 2, the generator behind them. */
static kt_status write_by(kt_call *call, kt_tensor *self, int n_param)
{
    if (!self->numel)
        return KT_OK;
    if (check_memory(self) || check_dtypes(call))
        return kt_error_status();
    kt__draw draw = {.generator = kt__arg_generator(call, 1 + n_param), .kernel = call->row->kernel, .n_param = n_param};
    for (int i = 0; i < n_param; i++)
        draw.param[i] = KT_FLOAT(kt__arg(call, 1 + i)->f);
    return kt__draw_into(self, &draw);
}

static kt_status write_exponential(kt_call *call, kt_tensor *self)
{
    const double rate = kt__arg(call, 1)->f;
    if (!(rate > 0))
        return kt_fail(KT_ERR_RUNTIME, "exponential_ expects lambda > 0.0, but found lambda=%g", rate);
    return write_by(call, self, 1);
}

static kt_status write_cauchy(kt_call *call, kt_tensor *self)
{
    const double sigma = kt__arg(call, 2)->f;
    if (!(sigma > 0))
        return kt_fail(KT_ERR_RUNTIME, "cauchy_ expects sigma > 0.0, but found sigma=%g", sigma);
    if (check_dtypes(call))
        return kt_error_status();
    return write_by(call, self, 2);
}

static kt_status write_log_normal(kt_call *call, kt_tensor *self)
{
    const double std = kt__arg(call, 2)->f;
    if (!(std > 0))
        return kt_fail(KT_ERR_RUNTIME, "log_normal_ expects std > 0.0, but found std=%g", std);
    return write_by(call, self, 2);
}

static kt_status write_geometric(kt_call *call, kt_tensor *self)
{
    const double p = kt__arg(call, 1)->f;
    if (!(p > 0 && p < 1))
        return kt_fail(KT_ERR_RUNTIME, "geometric_ expects p to be in (0, 1), but got p=%g", p);
    return write_by(call, self, 1);
}

kt_status kt__body_uniform(kt_call *call) { return write_over(call, write_uniform); }
kt_status kt__body_normal(kt_call *call) { return write_over(call, write_normal); }
kt_status kt__body_random(kt_call *call) { return write_over(call, write_random); }
kt_status kt__body_random_to(kt_call *call) { return write_over(call, write_random_to); }
kt_status kt__body_random_from(kt_call *call) { return write_over(call, write_random_from); }
kt_status kt__body_exponential(kt_call *call) { return write_over(call, write_exponential); }
kt_status kt__body_cauchy(kt_call *call) { return write_over(call, write_cauchy); }
kt_status kt__body_log_normal(kt_call *call) { return write_over(call, write_log_normal); }
kt_status kt__body_geometric(kt_call *call) { return write_over(call, write_geometric); }
kt_status kt__body_bernoulli_float(kt_call *call) { return write_over(call, write_bernoulli); }
kt_status kt__body_bernoulli_tensor(kt_call *call) { return write_over(call, write_bernoulli_each); }

/* ---- the rows that make a tensor of self's size ---- */

static kt_status make_over(kt_call *call, writer *write)
{
    kt_tensor *self = call->arg[0].t;
    kt_tensor *target = call->form == KT_OUT ? call->out[0] : NULL;
    kt_tensor *out = kt__tensor_new((kt_dtype)(target ? target : self)->dtype, kt__device(self), kt__sizes(self));
    kt_status  status = out ? write(call, out) : kt_error_status();
    return kt__end_made(call, out, self, status);
}

static kt_status each_by_self(kt_call *call, kt_tensor *out)
{
    if (call->form == KT_OUT && kt__has_sizes(call->out[0], kt__sizes(out)) && check_memory(call->out[0]))
        return kt_error_status();
    if (out->numel && kt__refuse(call, STAGE_AFTER)) /* what is written comes before the probabilities */
        return kt_error_status();
    return bernoulli_each(call, out, call->arg[0].t, kt__arg_generator(call, 1));
}

static kt_status poisson_by_self(kt_call *call, kt_tensor *out)
{
    kt__draw draw = {.generator = kt__arg_generator(call, 1), .kernel = KT_K_poisson, .each = call->arg[0].t};
    return kt__draw_into(out, &draw);
}

static kt_status gamma_by_self(kt_call *call, kt_tensor *out)
{
    kt__draw draw = {.generator = kt__arg_generator(call, 1), .kernel = KT_K_standard_gamma, .each = call->arg[0].t};
    return kt__draw_into(out, &draw);
}

/* Gamma samples over their sum, in float64 whatever the dtype: the digits of small shares are part of the result. A share is
 * neither 0 nor 1, whose densities may be infinite: the smallest normal number and the largest below 1 stand for them. */
static kt_status share_out(kt_call *call, kt_tensor *out)
{
    kt_finfo   is = {.smallest_normal = 0};
    kt_tensor *self = call->arg[0].t;
    kt_dtype_finfo((kt_dtype)out->dtype, &is);
    KT_SCOPE;
    kt__draw   draw = {.generator = kt__arg_generator(call, 1), .kernel = KT_K_standard_gamma};
    kt_tensor *drawn = kt_empty_like(self, .dtype = KT_F64);
    draw.each = kt__converted_inside(self, KT_F64, KT_WHY_PROMOTION);
    if (!drawn || !draw.each || kt__draw_into(drawn, &draw))
        return kt_error_status();
    kt_tensor *shares = kt_true_divide(drawn, kt_sum_dim(drawn, KT_SHAPE(-1), .keepdim = true));
    shares = kt_clamp_max_s(kt_clamp_min_s(shares, KT_FLOAT(is.smallest_normal)), KT_FLOAT(1 - is.eps / 2));
    return shares ? kt__copy_into(out, shares, KT_WHY_RESULT, KT_ROUND_TORCH) : kt_error_status();
}

kt_status kt__body_binomial(kt_call *call)
{
    kt_tensor *both[2], *pair[] = {call->arg[0].t, call->arg[1].t};
    KT_SCOPE;
    if (kt__one_device(pair, 2) || kt_broadcast_tensors(pair, 2, both, 2) < 0)
        return kt_error_status();
    kt__draw   draw = {kt__arg_generator(call, 2), KT_K_binomial, .each = both[0], .other = both[1]};
    kt_tensor *out = kt__tensor_new((kt_dtype)both[0]->dtype, kt__device(both[0]), kt__sizes(both[0]));
    return kt__end_made(call, out, NULL, out ? kt__draw_into(out, &draw) : kt_error_status());
}

kt_status kt__body_standard_gamma(kt_call *call) { return make_over(call, gamma_by_self); }
kt_status kt__body_sample_dirichlet(kt_call *call) { return make_over(call, share_out); }
kt_status kt__body_bernoulli(kt_call *call) { return make_over(call, each_by_self); }
kt_status kt__body_bernoulli_p(kt_call *call) { return make_over(call, write_bernoulli); }
kt_status kt__body_poisson(kt_call *call) { return make_over(call, poisson_by_self); }
