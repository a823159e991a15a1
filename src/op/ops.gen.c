/* ops.gen.c - the typed wrappers of ops.h. Written by tools/gen_ops.c from src/tables/ops.def: do not edit.
 * Each fills in a call and hands it to the one door; scopes and the pending-error rule live here alone. */
#include "op/wrap.h"

kt_tensor *kt_add_kw(const kt_tensor *self, const kt_tensor *other, const kt_add_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_add, KT_PLAIN);
    kt_add_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->alpha.kind)
        kt__put(&c, 2, s, opts->alpha);
    return kt__close(&c);
}

kt_tensor *kt_add__kw(kt_tensor *self, const kt_tensor *other, const kt_add_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_add, KT_INPLACE);
    kt_add_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->alpha.kind)
        kt__put(&c, 2, s, opts->alpha);
    return kt__close_inplace(&c);
}

kt_tensor *kt_add_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *other, const kt_add_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_add, KT_OUT);
    kt_add_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->alpha.kind)
        kt__put(&c, 2, s, opts->alpha);
    return kt__close_out(&c, out);
}

kt_tensor *kt_add_s_kw(const kt_tensor *self, kt_scalar other, const kt_add_s_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_add, KT_PLAIN);
    kt_add_s_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    if (opts && opts->alpha.kind)
        kt__put(&c, 2, s, opts->alpha);
    return kt__close(&c);
}

kt_tensor *kt_add_s__kw(kt_tensor *self, kt_scalar other, const kt_add_s_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_add, KT_INPLACE);
    kt_add_s_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    if (opts && opts->alpha.kind)
        kt__put(&c, 2, s, opts->alpha);
    return kt__close_inplace(&c);
}

kt_tensor *kt_add_s_out_kw(kt_tensor *out, const kt_tensor *self, kt_scalar other, const kt_add_s_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_add, KT_OUT);
    kt_add_s_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    if (opts && opts->alpha.kind)
        kt__put(&c, 2, s, opts->alpha);
    return kt__close_out(&c, out);
}

kt_tensor *kt_sub_kw(const kt_tensor *self, const kt_tensor *other, const kt_sub_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_sub, KT_PLAIN);
    kt_sub_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->alpha.kind)
        kt__put(&c, 2, s, opts->alpha);
    return kt__close(&c);
}

kt_tensor *kt_sub__kw(kt_tensor *self, const kt_tensor *other, const kt_sub_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_sub, KT_INPLACE);
    kt_sub_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->alpha.kind)
        kt__put(&c, 2, s, opts->alpha);
    return kt__close_inplace(&c);
}

kt_tensor *kt_sub_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *other, const kt_sub_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_sub, KT_OUT);
    kt_sub_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->alpha.kind)
        kt__put(&c, 2, s, opts->alpha);
    return kt__close_out(&c, out);
}

kt_tensor *kt_sub_s_kw(const kt_tensor *self, kt_scalar other, const kt_sub_s_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_sub, KT_PLAIN);
    kt_sub_s_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    if (opts && opts->alpha.kind)
        kt__put(&c, 2, s, opts->alpha);
    return kt__close(&c);
}

kt_tensor *kt_sub_s__kw(kt_tensor *self, kt_scalar other, const kt_sub_s_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_sub, KT_INPLACE);
    kt_sub_s_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    if (opts && opts->alpha.kind)
        kt__put(&c, 2, s, opts->alpha);
    return kt__close_inplace(&c);
}

kt_tensor *kt_sub_s_out_kw(kt_tensor *out, const kt_tensor *self, kt_scalar other, const kt_sub_s_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_sub, KT_OUT);
    kt_sub_s_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    if (opts && opts->alpha.kind)
        kt__put(&c, 2, s, opts->alpha);
    return kt__close_out(&c, out);
}

kt_tensor *kt_rsub_kw(const kt_tensor *self, const kt_tensor *other, const kt_rsub_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_rsub, KT_PLAIN);
    kt_rsub_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->alpha.kind)
        kt__put(&c, 2, s, opts->alpha);
    return kt__close(&c);
}

kt_tensor *kt_rsub_s_kw(const kt_tensor *self, kt_scalar other, const kt_rsub_s_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_rsub, KT_PLAIN);
    kt_rsub_s_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    if (opts && opts->alpha.kind)
        kt__put(&c, 2, s, opts->alpha);
    return kt__close(&c);
}

kt_tensor *kt_mul(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_mul, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_mul_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_mul, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_mul_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_mul, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_mul_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_mul, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_mul_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_mul, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_mul_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_mul, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_div_kw(const kt_tensor *self, const kt_tensor *other, const kt_div_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_div, KT_PLAIN);
    kt_div_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->rounding_mode)
        kt__put(&c, 2, str, opts->rounding_mode);
    return kt__close(&c);
}

kt_tensor *kt_div__kw(kt_tensor *self, const kt_tensor *other, const kt_div_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_div, KT_INPLACE);
    kt_div_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->rounding_mode)
        kt__put(&c, 2, str, opts->rounding_mode);
    return kt__close_inplace(&c);
}

kt_tensor *kt_div_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *other, const kt_div_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_div, KT_OUT);
    kt_div_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->rounding_mode)
        kt__put(&c, 2, str, opts->rounding_mode);
    return kt__close_out(&c, out);
}

kt_tensor *kt_div_s_kw(const kt_tensor *self, kt_scalar other, const kt_div_s_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_div, KT_PLAIN);
    kt_div_s_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    if (opts && opts->rounding_mode)
        kt__put(&c, 2, str, opts->rounding_mode);
    return kt__close(&c);
}

kt_tensor *kt_div_s__kw(kt_tensor *self, kt_scalar other, const kt_div_s_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_div, KT_INPLACE);
    kt_div_s_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    if (opts && opts->rounding_mode)
        kt__put(&c, 2, str, opts->rounding_mode);
    return kt__close_inplace(&c);
}

kt_tensor *kt_div_s_out_kw(kt_tensor *out, const kt_tensor *self, kt_scalar other, const kt_div_s_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_div, KT_OUT);
    kt_div_s_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    if (opts && opts->rounding_mode)
        kt__put(&c, 2, str, opts->rounding_mode);
    return kt__close_out(&c, out);
}

kt_tensor *kt_true_divide(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_true_divide, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_true_divide_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_true_divide, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_true_divide_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_true_divide, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_true_divide_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_true_divide, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_true_divide_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_true_divide, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_true_divide_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_true_divide, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_floor_divide(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_floor_divide, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_floor_divide_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_floor_divide, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_floor_divide_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_floor_divide, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_floor_divide_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_floor_divide, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_floor_divide_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_floor_divide, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_floor_divide_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_floor_divide, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_remainder(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_remainder, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_remainder_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_remainder, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_remainder_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_remainder, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_remainder_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_remainder, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_remainder_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_remainder, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_remainder_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_remainder, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_fmod(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_fmod, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_fmod_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_fmod, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_fmod_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_fmod, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_fmod_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_fmod, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_fmod_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_fmod, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_fmod_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_fmod, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_pow(const kt_tensor *self, const kt_tensor *exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_pow, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, exponent);
    return kt__close(&c);
}

kt_tensor *kt_pow_(kt_tensor *self, const kt_tensor *exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_pow, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, exponent);
    return kt__close_inplace(&c);
}

kt_tensor *kt_pow_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_pow, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, exponent);
    return kt__close_out(&c, out);
}

kt_tensor *kt_pow_s(const kt_tensor *self, kt_scalar exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_pow, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, exponent);
    return kt__close(&c);
}

kt_tensor *kt_pow_s_(kt_tensor *self, kt_scalar exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_pow, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, exponent);
    return kt__close_inplace(&c);
}

kt_tensor *kt_pow_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_pow, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, exponent);
    return kt__close_out(&c, out);
}

kt_tensor *kt_pow_base(const kt_tensor *self, const kt_tensor *exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_pow_base, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, exponent);
    return kt__close(&c);
}

kt_tensor *kt_pow_base_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_pow_base, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, exponent);
    return kt__close_out(&c, out);
}

kt_tensor *kt_pow_base_s(kt_scalar self, const kt_tensor *exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_pow_base, KT_PLAIN);
    kt__put_either(&c, 0, self);
    kt__put_tensor(&c, 1, exponent);
    return kt__close(&c);
}

kt_tensor *kt_pow_base_s_out(kt_tensor *out, kt_scalar self, const kt_tensor *exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_pow_base, KT_OUT);
    kt__put_either(&c, 0, self);
    kt__put_tensor(&c, 1, exponent);
    return kt__close_out(&c, out);
}

kt_tensor *kt_float_power(const kt_tensor *self, const kt_tensor *exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_float_power, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, exponent);
    return kt__close(&c);
}

kt_tensor *kt_float_power_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_float_power, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, exponent);
    return kt__close_out(&c, out);
}

kt_tensor *kt_float_power_s(const kt_tensor *self, kt_scalar exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_float_power, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, exponent);
    return kt__close(&c);
}

kt_tensor *kt_float_power_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_float_power, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, exponent);
    return kt__close_out(&c, out);
}

kt_tensor *kt_ldexp(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_ldexp, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_ldexp_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_ldexp, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_atan2(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_atan2, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_atan2_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_atan2, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_atan2_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_atan2, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_copysign(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_copysign, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_copysign_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_copysign, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_copysign_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_copysign, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_copysign_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_copysign, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_copysign_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_copysign, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_copysign_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_copysign, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_hypot(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_hypot, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_hypot_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_hypot, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_hypot_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_hypot, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_logaddexp(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logaddexp, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_logaddexp_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logaddexp, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_logaddexp_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logaddexp, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_logaddexp2(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logaddexp2, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_logaddexp2_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logaddexp2, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_logaddexp2_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logaddexp2, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_nextafter(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_nextafter, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_nextafter_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_nextafter, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_nextafter_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_nextafter, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_xlogy(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_xlogy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_xlogy_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_xlogy, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_xlogy_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_xlogy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_xlogy_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_xlogy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_xlogy_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_xlogy, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_xlogy_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_xlogy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_heaviside(const kt_tensor *self, const kt_tensor *values)
{
    kt_call c;
    kt__open(&c, KT_OP_heaviside, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, values);
    return kt__close(&c);
}

kt_tensor *kt_heaviside_(kt_tensor *self, const kt_tensor *values)
{
    kt_call c;
    kt__open(&c, KT_OP_heaviside, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, values);
    return kt__close_inplace(&c);
}

kt_tensor *kt_heaviside_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *values)
{
    kt_call c;
    kt__open(&c, KT_OP_heaviside, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, values);
    return kt__close_out(&c, out);
}

kt_tensor *kt_gcd(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_gcd, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_gcd_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_gcd, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_gcd_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_gcd, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_lcm(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_lcm, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_lcm_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_lcm, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_lcm_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_lcm, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_maximum(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_maximum, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_maximum_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_maximum, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_maximum_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_maximum, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_minimum(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_minimum, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_minimum_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_minimum, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_minimum_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_minimum, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_fmax(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_fmax, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_fmax_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_fmax, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_fmax_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_fmax, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_fmin(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_fmin, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_fmin_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_fmin, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_fmin_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_fmin, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_eq(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_eq, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_eq_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_eq, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_eq_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_eq, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_eq_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_eq, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_eq_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_eq, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_eq_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_eq, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_ne(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_ne, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_ne_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_ne, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_ne_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_ne, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_ne_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_ne, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_ne_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_ne, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_ne_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_ne, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_lt(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_lt, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_lt_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_lt, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_lt_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_lt, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_lt_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_lt, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_lt_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_lt, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_lt_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_lt, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_le(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_le, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_le_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_le, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_le_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_le, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_le_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_le, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_le_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_le, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_le_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_le, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_gt(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_gt, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_gt_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_gt, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_gt_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_gt, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_gt_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_gt, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_gt_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_gt, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_gt_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_gt, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_ge(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_ge, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_ge_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_ge, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_ge_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_ge, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_ge_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_ge, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_ge_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_ge, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_ge_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_ge, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_isclose_kw(const kt_tensor *self, const kt_tensor *other, const kt_isclose_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_isclose, KT_PLAIN);
    kt_isclose_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->rtol.some)
        kt__put(&c, 2, f, opts->rtol.v);
    if (opts && opts->atol.some)
        kt__put(&c, 3, f, opts->atol.v);
    if (opts && opts->equal_nan)
        kt__put(&c, 4, b, opts->equal_nan);
    return kt__close(&c);
}

kt_tensor *kt_clamp_kw(const kt_tensor *self, const kt_clamp_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp, KT_PLAIN);
    kt_clamp_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->min)
        kt__put_tensor(&c, 1, opts->min);
    if (opts && opts->max)
        kt__put_tensor(&c, 2, opts->max);
    return kt__close(&c);
}

kt_tensor *kt_clamp__kw(kt_tensor *self, const kt_clamp_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp, KT_INPLACE);
    kt_clamp_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->min)
        kt__put_tensor(&c, 1, opts->min);
    if (opts && opts->max)
        kt__put_tensor(&c, 2, opts->max);
    return kt__close_inplace(&c);
}

kt_tensor *kt_clamp_out_kw(kt_tensor *out, const kt_tensor *self, const kt_clamp_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp, KT_OUT);
    kt_clamp_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->min)
        kt__put_tensor(&c, 1, opts->min);
    if (opts && opts->max)
        kt__put_tensor(&c, 2, opts->max);
    return kt__close_out(&c, out);
}

kt_tensor *kt_clamp_s_kw(const kt_tensor *self, const kt_clamp_s_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp, KT_PLAIN);
    kt_clamp_s_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->min.kind)
        kt__put_either(&c, 1, opts->min);
    if (opts && opts->max.kind)
        kt__put_either(&c, 2, opts->max);
    return kt__close(&c);
}

kt_tensor *kt_clamp_s__kw(kt_tensor *self, const kt_clamp_s_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp, KT_INPLACE);
    kt_clamp_s_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->min.kind)
        kt__put_either(&c, 1, opts->min);
    if (opts && opts->max.kind)
        kt__put_either(&c, 2, opts->max);
    return kt__close_inplace(&c);
}

kt_tensor *kt_clamp_s_out_kw(kt_tensor *out, const kt_tensor *self, const kt_clamp_s_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp, KT_OUT);
    kt_clamp_s_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->min.kind)
        kt__put_either(&c, 1, opts->min);
    if (opts && opts->max.kind)
        kt__put_either(&c, 2, opts->max);
    return kt__close_out(&c, out);
}

kt_tensor *kt_clamp_min(const kt_tensor *self, const kt_tensor *min)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp_min, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, min);
    return kt__close(&c);
}

kt_tensor *kt_clamp_min_(kt_tensor *self, const kt_tensor *min)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp_min, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, min);
    return kt__close_inplace(&c);
}

kt_tensor *kt_clamp_min_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *min)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp_min, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, min);
    return kt__close_out(&c, out);
}

kt_tensor *kt_clamp_min_s(const kt_tensor *self, kt_scalar min)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp_min, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, min);
    return kt__close(&c);
}

kt_tensor *kt_clamp_min_s_(kt_tensor *self, kt_scalar min)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp_min, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, min);
    return kt__close_inplace(&c);
}

kt_tensor *kt_clamp_min_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar min)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp_min, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, min);
    return kt__close_out(&c, out);
}

kt_tensor *kt_clamp_max(const kt_tensor *self, const kt_tensor *max)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp_max, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, max);
    return kt__close(&c);
}

kt_tensor *kt_clamp_max_(kt_tensor *self, const kt_tensor *max)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp_max, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, max);
    return kt__close_inplace(&c);
}

kt_tensor *kt_clamp_max_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *max)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp_max, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, max);
    return kt__close_out(&c, out);
}

kt_tensor *kt_clamp_max_s(const kt_tensor *self, kt_scalar max)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp_max, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, max);
    return kt__close(&c);
}

kt_tensor *kt_clamp_max_s_(kt_tensor *self, kt_scalar max)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp_max, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, max);
    return kt__close_inplace(&c);
}

kt_tensor *kt_clamp_max_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar max)
{
    kt_call c;
    kt__open(&c, KT_OP_clamp_max, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, max);
    return kt__close_out(&c, out);
}

kt_tensor *kt_logical_and(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logical_and, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_logical_and_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logical_and, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_logical_and_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logical_and, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_logical_or(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logical_or, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_logical_or_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logical_or, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_logical_or_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logical_or, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_logical_xor(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logical_xor, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_logical_xor_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logical_xor, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_logical_xor_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_logical_xor, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_logical_not(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_logical_not, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_logical_not_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_logical_not, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_logical_not_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_logical_not, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bitwise_and(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_and, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_bitwise_and_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_and, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_bitwise_and_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_and, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bitwise_and_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_and, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_bitwise_and_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_and, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_bitwise_and_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_and, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bitwise_or(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_or, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_bitwise_or_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_or, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_bitwise_or_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_or, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bitwise_or_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_or, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_bitwise_or_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_or, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_bitwise_or_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_or, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bitwise_xor(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_xor, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_bitwise_xor_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_xor, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_bitwise_xor_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_xor, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bitwise_xor_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_xor, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_bitwise_xor_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_xor, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_bitwise_xor_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_xor, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bitwise_not(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_not, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_bitwise_not_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_not, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_bitwise_not_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_not, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bitwise_left_shift(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_left_shift, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_bitwise_left_shift_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_left_shift, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_bitwise_left_shift_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_left_shift, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bitwise_left_shift_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_left_shift, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_bitwise_left_shift_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_left_shift, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_bitwise_left_shift_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_left_shift, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bitwise_right_shift(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_right_shift, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_bitwise_right_shift_(kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_right_shift, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_bitwise_right_shift_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_right_shift, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bitwise_right_shift_s(const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_right_shift, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_bitwise_right_shift_s_(kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_right_shift, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_inplace(&c);
}

kt_tensor *kt_bitwise_right_shift_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_bitwise_right_shift, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_abs(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_abs, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_abs_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_abs, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_abs_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_abs, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_isnan(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_isnan, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_isinf(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_isinf, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_isfinite(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_isfinite, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_isposinf(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_isposinf, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_isposinf_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_isposinf, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_isneginf(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_isneginf, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_isneginf_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_isneginf, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_signbit(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_signbit, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_signbit_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_signbit, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_sign(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sign, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_sign_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sign, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_sign_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sign, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_sgn(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sgn, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_sgn_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sgn, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_sgn_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sgn, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_neg(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_neg, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_neg_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_neg, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_neg_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_neg, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_positive(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_positive, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_square(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_square, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_square_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_square, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_square_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_square, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_ceil(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_ceil, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_ceil_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_ceil, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_ceil_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_ceil, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_floor(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_floor, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_floor_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_floor, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_floor_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_floor, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_trunc(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_trunc, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_trunc_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_trunc, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_trunc_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_trunc, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_round_kw(const kt_tensor *self, const kt_round_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_round, KT_PLAIN);
    kt_round_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->decimals)
        kt__put(&c, 1, i, opts->decimals);
    return kt__close(&c);
}

kt_tensor *kt_round__kw(kt_tensor *self, const kt_round_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_round, KT_INPLACE);
    kt_round_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->decimals)
        kt__put(&c, 1, i, opts->decimals);
    return kt__close_inplace(&c);
}

kt_tensor *kt_round_out_kw(kt_tensor *out, const kt_tensor *self, const kt_round_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_round, KT_OUT);
    kt_round_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->decimals)
        kt__put(&c, 1, i, opts->decimals);
    return kt__close_out(&c, out);
}

kt_tensor *kt_frac(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_frac, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_frac_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_frac, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_frac_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_frac, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_relu(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_relu, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_relu_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_relu, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_relu_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_relu, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_reciprocal(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_reciprocal, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_reciprocal_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_reciprocal, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_reciprocal_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_reciprocal, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_sqrt(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sqrt, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_sqrt_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sqrt, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_sqrt_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sqrt, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_rsqrt(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_rsqrt, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_rsqrt_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_rsqrt, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_rsqrt_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_rsqrt, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_exp(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_exp, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_exp_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_exp, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_exp_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_exp, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_exp2(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_exp2, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_exp2_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_exp2, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_exp2_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_exp2, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_expm1(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_expm1, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_expm1_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_expm1, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_expm1_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_expm1, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_log(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_log_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_log_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_log2(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log2, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_log2_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log2, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_log2_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log2, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_log10(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log10, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_log10_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log10, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_log10_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log10, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_log1p(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log1p, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_log1p_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log1p, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_log1p_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log1p, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_sin(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sin, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_sin_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sin, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_sin_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sin, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_cos(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_cos, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_cos_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_cos, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_cos_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_cos, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_tan(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_tan, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_tan_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_tan, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_tan_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_tan, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_asin(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_asin, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_asin_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_asin, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_asin_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_asin, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_acos(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_acos, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_acos_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_acos, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_acos_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_acos, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_atan(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_atan, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_atan_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_atan, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_atan_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_atan, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_sinh(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sinh, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_sinh_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sinh, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_sinh_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sinh, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_cosh(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_cosh, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_cosh_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_cosh, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_cosh_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_cosh, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_tanh(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_tanh, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_tanh_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_tanh, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_tanh_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_tanh, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_asinh(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_asinh, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_asinh_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_asinh, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_asinh_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_asinh, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_acosh(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_acosh, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_acosh_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_acosh, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_acosh_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_acosh, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_atanh(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_atanh, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_atanh_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_atanh, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_atanh_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_atanh, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_sigmoid(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sigmoid, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_sigmoid_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sigmoid, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_sigmoid_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sigmoid, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_sinc(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sinc, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_sinc_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sinc, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_sinc_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_sinc, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_erf(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_erf, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_erf_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_erf, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_erf_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_erf, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_erfc(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_erfc, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_erfc_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_erfc, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_erfc_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_erfc, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_erfinv(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_erfinv, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_erfinv_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_erfinv, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_erfinv_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_erfinv, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_digamma(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_digamma, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_digamma_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_digamma, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_digamma_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_digamma, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_lgamma(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_lgamma, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_lgamma_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_lgamma, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_lgamma_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_lgamma, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_i0(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_i0, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_i0_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_i0, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_i0_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_i0, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_special_i1(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_special_i1, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_special_i1_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_special_i1, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_polygamma(int64_t n, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_polygamma, KT_PLAIN);
    kt__put(&c, 0, i, n);
    kt__put_tensor(&c, 1, self);
    return kt__close(&c);
}

kt_tensor *kt_polygamma_out(kt_tensor *out, int64_t n, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_polygamma, KT_OUT);
    kt__put(&c, 0, i, n);
    kt__put_tensor(&c, 1, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_polygamma_of_kw(const kt_tensor *self, const kt_polygamma_of_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_polygamma_of, KT_PLAIN);
    kt_polygamma_of_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->n.some)
        kt__put(&c, 1, i, opts->n.v);
    return kt__close(&c);
}

kt_tensor *kt_polygamma_of_out_kw(kt_tensor *out, const kt_tensor *self, const kt_polygamma_of_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_polygamma_of, KT_OUT);
    kt_polygamma_of_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->n.some)
        kt__put(&c, 1, i, opts->n.v);
    return kt__close_out(&c, out);
}

kt_frexp_results kt_frexp(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_frexp, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_frexp_results){r[0], r[1]};
}

kt_frexp_results kt_frexp_out(kt_tensor *mantissa, kt_tensor *exponent, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_frexp, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt_tensor *r[2] = {mantissa, exponent};
    kt__close_several(&c, r, 2);
    return (kt_frexp_results){r[0], r[1]};
}

kt_tensor *kt_frexp_mantissa(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_frexp_mantissa, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_frexp_exponent(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_frexp_exponent, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_logit_kw(const kt_tensor *self, const kt_logit_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_logit, KT_PLAIN);
    kt_logit_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->eps.some)
        kt__put(&c, 1, f, opts->eps.v);
    return kt__close(&c);
}

kt_tensor *kt_logit__kw(kt_tensor *self, const kt_logit_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_logit, KT_INPLACE);
    kt_logit_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->eps.some)
        kt__put(&c, 1, f, opts->eps.v);
    return kt__close_inplace(&c);
}

kt_tensor *kt_logit_out_kw(kt_tensor *out, const kt_tensor *self, const kt_logit_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_logit, KT_OUT);
    kt_logit_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->eps.some)
        kt__put(&c, 1, f, opts->eps.v);
    return kt__close_out(&c, out);
}

kt_tensor *kt_deg2rad(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_deg2rad, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_deg2rad_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_deg2rad, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_deg2rad_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_deg2rad, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_rad2deg(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_rad2deg, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_rad2deg_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_rad2deg, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_rad2deg_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_rad2deg, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_angle(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_angle, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_angle_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_angle, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_nan_to_num_kw(const kt_tensor *self, const kt_nan_to_num_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nan_to_num, KT_PLAIN);
    kt_nan_to_num_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->nan.some)
        kt__put(&c, 1, f, opts->nan.v);
    if (opts && opts->posinf.some)
        kt__put(&c, 2, f, opts->posinf.v);
    if (opts && opts->neginf.some)
        kt__put(&c, 3, f, opts->neginf.v);
    return kt__close(&c);
}

kt_tensor *kt_nan_to_num__kw(kt_tensor *self, const kt_nan_to_num_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nan_to_num, KT_INPLACE);
    kt_nan_to_num_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->nan.some)
        kt__put(&c, 1, f, opts->nan.v);
    if (opts && opts->posinf.some)
        kt__put(&c, 2, f, opts->posinf.v);
    if (opts && opts->neginf.some)
        kt__put(&c, 3, f, opts->neginf.v);
    return kt__close_inplace(&c);
}

kt_tensor *kt_nan_to_num_out_kw(kt_tensor *out, const kt_tensor *self, const kt_nan_to_num_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nan_to_num, KT_OUT);
    kt_nan_to_num_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->nan.some)
        kt__put(&c, 1, f, opts->nan.v);
    if (opts && opts->posinf.some)
        kt__put(&c, 2, f, opts->posinf.v);
    if (opts && opts->neginf.some)
        kt__put(&c, 3, f, opts->neginf.v);
    return kt__close_out(&c, out);
}

kt_tensor *kt_conj_physical(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_conj_physical, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_conj_physical_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_conj_physical, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_conj_physical_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_conj_physical, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_conj_physical_of(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_conj_physical_of, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_conj_physical_of_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_conj_physical_of, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_conj_physical_of_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_conj_physical_of, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_complex(const kt_tensor *real, const kt_tensor *imag)
{
    kt_call c;
    kt__open(&c, KT_OP_complex, KT_PLAIN);
    kt__put_tensor(&c, 0, real);
    kt__put_tensor(&c, 1, imag);
    return kt__close(&c);
}

kt_tensor *kt_complex_out(kt_tensor *out, const kt_tensor *real, const kt_tensor *imag)
{
    kt_call c;
    kt__open(&c, KT_OP_complex, KT_OUT);
    kt__put_tensor(&c, 0, real);
    kt__put_tensor(&c, 1, imag);
    return kt__close_out(&c, out);
}

kt_tensor *kt_polar(const kt_tensor *abs, const kt_tensor *angle)
{
    kt_call c;
    kt__open(&c, KT_OP_polar, KT_PLAIN);
    kt__put_tensor(&c, 0, abs);
    kt__put_tensor(&c, 1, angle);
    return kt__close(&c);
}

kt_tensor *kt_polar_out(kt_tensor *out, const kt_tensor *abs, const kt_tensor *angle)
{
    kt_call c;
    kt__open(&c, KT_OP_polar, KT_OUT);
    kt__put_tensor(&c, 0, abs);
    kt__put_tensor(&c, 1, angle);
    return kt__close_out(&c, out);
}

kt_tensor *kt_where(const kt_tensor *condition, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_where, KT_PLAIN);
    kt__put_tensor(&c, 0, condition);
    kt__put_tensor(&c, 1, self);
    kt__put_tensor(&c, 2, other);
    return kt__close(&c);
}

kt_tensor *kt_where_out(kt_tensor *out, const kt_tensor *condition, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_where, KT_OUT);
    kt__put_tensor(&c, 0, condition);
    kt__put_tensor(&c, 1, self);
    kt__put_tensor(&c, 2, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_where_s(const kt_tensor *condition, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_where, KT_PLAIN);
    kt__put_tensor(&c, 0, condition);
    kt__put_tensor(&c, 1, self);
    kt__put_either(&c, 2, other);
    return kt__close(&c);
}

kt_tensor *kt_where_s_out(kt_tensor *out, const kt_tensor *condition, const kt_tensor *self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_where, KT_OUT);
    kt__put_tensor(&c, 0, condition);
    kt__put_tensor(&c, 1, self);
    kt__put_either(&c, 2, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_where_ss(const kt_tensor *condition, kt_scalar self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_where, KT_PLAIN);
    kt__put_tensor(&c, 0, condition);
    kt__put_either(&c, 1, self);
    kt__put_either(&c, 2, other);
    return kt__close(&c);
}

kt_tensor *kt_where_ss_out(kt_tensor *out, const kt_tensor *condition, kt_scalar self, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_where, KT_OUT);
    kt__put_tensor(&c, 0, condition);
    kt__put_either(&c, 1, self);
    kt__put_either(&c, 2, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_lerp(const kt_tensor *self, const kt_tensor *end, const kt_tensor *weight)
{
    kt_call c;
    kt__open(&c, KT_OP_lerp, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, end);
    kt__put_tensor(&c, 2, weight);
    return kt__close(&c);
}

kt_tensor *kt_lerp_(kt_tensor *self, const kt_tensor *end, const kt_tensor *weight)
{
    kt_call c;
    kt__open(&c, KT_OP_lerp, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, end);
    kt__put_tensor(&c, 2, weight);
    return kt__close_inplace(&c);
}

kt_tensor *kt_lerp_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *end, const kt_tensor *weight)
{
    kt_call c;
    kt__open(&c, KT_OP_lerp, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, end);
    kt__put_tensor(&c, 2, weight);
    return kt__close_out(&c, out);
}

kt_tensor *kt_lerp_s(const kt_tensor *self, const kt_tensor *end, kt_scalar weight)
{
    kt_call c;
    kt__open(&c, KT_OP_lerp, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, end);
    kt__put_either(&c, 2, weight);
    return kt__close(&c);
}

kt_tensor *kt_lerp_s_(kt_tensor *self, const kt_tensor *end, kt_scalar weight)
{
    kt_call c;
    kt__open(&c, KT_OP_lerp, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, end);
    kt__put_either(&c, 2, weight);
    return kt__close_inplace(&c);
}

kt_tensor *kt_lerp_s_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *end, kt_scalar weight)
{
    kt_call c;
    kt__open(&c, KT_OP_lerp, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, end);
    kt__put_either(&c, 2, weight);
    return kt__close_out(&c, out);
}

kt_tensor *kt_addcmul_kw(const kt_tensor *self, const kt_tensor *tensor1, const kt_tensor *tensor2, const kt_addcmul_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addcmul, KT_PLAIN);
    kt_addcmul_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, tensor1);
    kt__put_tensor(&c, 2, tensor2);
    if (opts && opts->value.kind)
        kt__put(&c, 3, s, opts->value);
    return kt__close(&c);
}

kt_tensor *kt_addcmul__kw(kt_tensor *self, const kt_tensor *tensor1, const kt_tensor *tensor2, const kt_addcmul_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addcmul, KT_INPLACE);
    kt_addcmul_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, tensor1);
    kt__put_tensor(&c, 2, tensor2);
    if (opts && opts->value.kind)
        kt__put(&c, 3, s, opts->value);
    return kt__close_inplace(&c);
}

kt_tensor *kt_addcmul_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *tensor1, const kt_tensor *tensor2, const kt_addcmul_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addcmul, KT_OUT);
    kt_addcmul_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, tensor1);
    kt__put_tensor(&c, 2, tensor2);
    if (opts && opts->value.kind)
        kt__put(&c, 3, s, opts->value);
    return kt__close_out(&c, out);
}

kt_tensor *kt_addcdiv_kw(const kt_tensor *self, const kt_tensor *tensor1, const kt_tensor *tensor2, const kt_addcdiv_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addcdiv, KT_PLAIN);
    kt_addcdiv_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, tensor1);
    kt__put_tensor(&c, 2, tensor2);
    if (opts && opts->value.kind)
        kt__put(&c, 3, s, opts->value);
    return kt__close(&c);
}

kt_tensor *kt_addcdiv__kw(kt_tensor *self, const kt_tensor *tensor1, const kt_tensor *tensor2, const kt_addcdiv_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addcdiv, KT_INPLACE);
    kt_addcdiv_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, tensor1);
    kt__put_tensor(&c, 2, tensor2);
    if (opts && opts->value.kind)
        kt__put(&c, 3, s, opts->value);
    return kt__close_inplace(&c);
}

kt_tensor *kt_addcdiv_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *tensor1, const kt_tensor *tensor2, const kt_addcdiv_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addcdiv, KT_OUT);
    kt_addcdiv_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, tensor1);
    kt__put_tensor(&c, 2, tensor2);
    if (opts && opts->value.kind)
        kt__put(&c, 3, s, opts->value);
    return kt__close_out(&c, out);
}

kt_tensor *kt_isreal(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_isreal, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_gelu_kw(const kt_tensor *self, const kt_gelu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_gelu, KT_PLAIN);
    kt_gelu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->approximate)
        kt__put(&c, 1, str, opts->approximate);
    return kt__close(&c);
}

kt_tensor *kt_gelu_out_kw(kt_tensor *out, const kt_tensor *self, const kt_gelu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_gelu, KT_OUT);
    kt_gelu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->approximate)
        kt__put(&c, 1, str, opts->approximate);
    return kt__close_out(&c, out);
}

kt_tensor *kt_silu(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_silu, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_silu_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_silu, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_silu_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_silu, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_mish(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_mish, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_mish_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_mish, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_mish_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_mish, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_elu_kw(const kt_tensor *self, const kt_elu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_elu, KT_PLAIN);
    kt_elu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->alpha.kind)
        kt__put(&c, 1, s, opts->alpha);
    if (opts && opts->scale.kind)
        kt__put(&c, 2, s, opts->scale);
    if (opts && opts->input_scale.kind)
        kt__put(&c, 3, s, opts->input_scale);
    return kt__close(&c);
}

kt_tensor *kt_elu__kw(kt_tensor *self, const kt_elu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_elu, KT_INPLACE);
    kt_elu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->alpha.kind)
        kt__put(&c, 1, s, opts->alpha);
    if (opts && opts->scale.kind)
        kt__put(&c, 2, s, opts->scale);
    if (opts && opts->input_scale.kind)
        kt__put(&c, 3, s, opts->input_scale);
    return kt__close_inplace(&c);
}

kt_tensor *kt_elu_out_kw(kt_tensor *out, const kt_tensor *self, const kt_elu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_elu, KT_OUT);
    kt_elu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->alpha.kind)
        kt__put(&c, 1, s, opts->alpha);
    if (opts && opts->scale.kind)
        kt__put(&c, 2, s, opts->scale);
    if (opts && opts->input_scale.kind)
        kt__put(&c, 3, s, opts->input_scale);
    return kt__close_out(&c, out);
}

kt_tensor *kt_celu_kw(const kt_tensor *input, const kt_celu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_celu, KT_PLAIN);
    kt_celu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    if (opts && opts->alpha.kind)
        kt__put(&c, 1, s, opts->alpha);
    return kt__close(&c);
}

kt_tensor *kt_celu__kw(kt_tensor *input, const kt_celu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_celu, KT_INPLACE);
    kt_celu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    if (opts && opts->alpha.kind)
        kt__put(&c, 1, s, opts->alpha);
    return kt__close_inplace(&c);
}

kt_tensor *kt_selu(const kt_tensor *input)
{
    kt_call c;
    kt__open(&c, KT_OP_selu, KT_PLAIN);
    kt__put_tensor(&c, 0, input);
    return kt__close(&c);
}

kt_tensor *kt_selu_(kt_tensor *input)
{
    kt_call c;
    kt__open(&c, KT_OP_selu, KT_INPLACE);
    kt__put_tensor(&c, 0, input);
    return kt__close_inplace(&c);
}

kt_tensor *kt_leaky_relu_kw(const kt_tensor *self, const kt_leaky_relu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_leaky_relu, KT_PLAIN);
    kt_leaky_relu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->negative_slope.kind)
        kt__put(&c, 1, s, opts->negative_slope);
    return kt__close(&c);
}

kt_tensor *kt_leaky_relu__kw(kt_tensor *self, const kt_leaky_relu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_leaky_relu, KT_INPLACE);
    kt_leaky_relu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->negative_slope.kind)
        kt__put(&c, 1, s, opts->negative_slope);
    return kt__close_inplace(&c);
}

kt_tensor *kt_leaky_relu_out_kw(kt_tensor *out, const kt_tensor *self, const kt_leaky_relu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_leaky_relu, KT_OUT);
    kt_leaky_relu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->negative_slope.kind)
        kt__put(&c, 1, s, opts->negative_slope);
    return kt__close_out(&c, out);
}

kt_tensor *kt_hardtanh_kw(const kt_tensor *self, const kt_hardtanh_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_hardtanh, KT_PLAIN);
    kt_hardtanh_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->min_val.kind)
        kt__put(&c, 1, s, opts->min_val);
    if (opts && opts->max_val.kind)
        kt__put(&c, 2, s, opts->max_val);
    return kt__close(&c);
}

kt_tensor *kt_hardtanh__kw(kt_tensor *self, const kt_hardtanh_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_hardtanh, KT_INPLACE);
    kt_hardtanh_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->min_val.kind)
        kt__put(&c, 1, s, opts->min_val);
    if (opts && opts->max_val.kind)
        kt__put(&c, 2, s, opts->max_val);
    return kt__close_inplace(&c);
}

kt_tensor *kt_hardtanh_out_kw(kt_tensor *out, const kt_tensor *self, const kt_hardtanh_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_hardtanh, KT_OUT);
    kt_hardtanh_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->min_val.kind)
        kt__put(&c, 1, s, opts->min_val);
    if (opts && opts->max_val.kind)
        kt__put(&c, 2, s, opts->max_val);
    return kt__close_out(&c, out);
}

kt_tensor *kt_relu6(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_relu6, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_relu6_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_relu6, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_hardsigmoid(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_hardsigmoid, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_hardsigmoid_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_hardsigmoid, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_hardsigmoid_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_hardsigmoid, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_hardswish(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_hardswish, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_hardswish_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_hardswish, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_hardswish_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_hardswish, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_hardshrink_kw(const kt_tensor *self, const kt_hardshrink_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_hardshrink, KT_PLAIN);
    kt_hardshrink_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->lambd.kind)
        kt__put(&c, 1, s, opts->lambd);
    return kt__close(&c);
}

kt_tensor *kt_hardshrink_out_kw(kt_tensor *out, const kt_tensor *self, const kt_hardshrink_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_hardshrink, KT_OUT);
    kt_hardshrink_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->lambd.kind)
        kt__put(&c, 1, s, opts->lambd);
    return kt__close_out(&c, out);
}

kt_tensor *kt_softshrink_kw(const kt_tensor *self, const kt_softshrink_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_softshrink, KT_PLAIN);
    kt_softshrink_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->lambd.kind)
        kt__put(&c, 1, s, opts->lambd);
    return kt__close(&c);
}

kt_tensor *kt_softshrink_out_kw(kt_tensor *out, const kt_tensor *self, const kt_softshrink_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_softshrink, KT_OUT);
    kt_softshrink_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->lambd.kind)
        kt__put(&c, 1, s, opts->lambd);
    return kt__close_out(&c, out);
}

kt_tensor *kt_softplus_kw(const kt_tensor *self, const kt_softplus_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_softplus, KT_PLAIN);
    kt_softplus_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->beta.kind)
        kt__put(&c, 1, s, opts->beta);
    if (opts && opts->threshold.kind)
        kt__put(&c, 2, s, opts->threshold);
    return kt__close(&c);
}

kt_tensor *kt_softplus_out_kw(kt_tensor *out, const kt_tensor *self, const kt_softplus_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_softplus, KT_OUT);
    kt_softplus_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->beta.kind)
        kt__put(&c, 1, s, opts->beta);
    if (opts && opts->threshold.kind)
        kt__put(&c, 2, s, opts->threshold);
    return kt__close_out(&c, out);
}

kt_tensor *kt_log_sigmoid(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log_sigmoid, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_log_sigmoid_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log_sigmoid, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_softsign(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_softsign, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_tanhshrink(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_tanhshrink, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_threshold(const kt_tensor *input, kt_scalar threshold, kt_scalar value)
{
    kt_call c;
    kt__open(&c, KT_OP_threshold, KT_PLAIN);
    kt__put_tensor(&c, 0, input);
    kt__put(&c, 1, s, threshold);
    kt__put(&c, 2, s, value);
    return kt__close(&c);
}

kt_tensor *kt_threshold_(kt_tensor *input, kt_scalar threshold, kt_scalar value)
{
    kt_call c;
    kt__open(&c, KT_OP_threshold, KT_INPLACE);
    kt__put_tensor(&c, 0, input);
    kt__put(&c, 1, s, threshold);
    kt__put(&c, 2, s, value);
    return kt__close_inplace(&c);
}

kt_tensor *kt_threshold_out(kt_tensor *out, const kt_tensor *input, kt_scalar threshold, kt_scalar value)
{
    kt_call c;
    kt__open(&c, KT_OP_threshold, KT_OUT);
    kt__put_tensor(&c, 0, input);
    kt__put(&c, 1, s, threshold);
    kt__put(&c, 2, s, value);
    return kt__close_out(&c, out);
}

kt_tensor *kt_prelu(const kt_tensor *self, const kt_tensor *weight)
{
    kt_call c;
    kt__open(&c, KT_OP_prelu, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, weight);
    return kt__close(&c);
}

kt_tensor *kt_prelu_kernel(const kt_tensor *self, const kt_tensor *weight)
{
    kt_call c;
    kt__open(&c, KT_OP_prelu_kernel, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, weight);
    return kt__close(&c);
}

kt_tensor *kt_glu_kw(const kt_tensor *self, const kt_glu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_glu, KT_PLAIN);
    kt_glu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    return kt__close(&c);
}

kt_tensor *kt_glu_out_kw(kt_tensor *out, const kt_tensor *self, const kt_glu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_glu, KT_OUT);
    kt_glu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    return kt__close_out(&c, out);
}

kt_tensor *kt_glu_halves(const kt_tensor *first, const kt_tensor *second)
{
    kt_call c;
    kt__open(&c, KT_OP_glu_halves, KT_PLAIN);
    kt__put_tensor(&c, 0, first);
    kt__put_tensor(&c, 1, second);
    return kt__close(&c);
}

kt_tensor *kt_gelu_backward_kw(const kt_tensor *grad_output, const kt_tensor *self, const kt_gelu_backward_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_gelu_backward, KT_PLAIN);
    kt_gelu_backward_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, self);
    if (opts && opts->approximate)
        kt__put(&c, 2, str, opts->approximate);
    return kt__close(&c);
}

kt_tensor *kt_silu_backward(const kt_tensor *grad_output, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_silu_backward, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, self);
    return kt__close(&c);
}

kt_tensor *kt_elu_backward(const kt_tensor *grad_output, const kt_tensor *self_or_result, kt_scalar alpha, kt_scalar scale, kt_scalar input_scale, bool is_result)
{
    kt_call c;
    kt__open(&c, KT_OP_elu_backward, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, self_or_result);
    kt__put(&c, 2, s, alpha);
    kt__put(&c, 3, s, scale);
    kt__put(&c, 4, s, input_scale);
    kt__put(&c, 5, b, is_result);
    return kt__close(&c);
}

kt_tensor *kt_leaky_relu_backward(const kt_tensor *grad_output, const kt_tensor *self, kt_scalar negative_slope, bool self_is_result)
{
    kt_call c;
    kt__open(&c, KT_OP_leaky_relu_backward, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, self);
    kt__put(&c, 2, s, negative_slope);
    kt__put(&c, 3, b, self_is_result);
    return kt__close(&c);
}

kt_tensor *kt_threshold_backward(const kt_tensor *grad_output, const kt_tensor *self, kt_scalar threshold)
{
    kt_call c;
    kt__open(&c, KT_OP_threshold_backward, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, self);
    kt__put(&c, 2, s, threshold);
    return kt__close(&c);
}

kt_tensor *kt_hardtanh_backward(const kt_tensor *grad_output, const kt_tensor *self, kt_scalar min_val, kt_scalar max_val)
{
    kt_call c;
    kt__open(&c, KT_OP_hardtanh_backward, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, self);
    kt__put(&c, 2, s, min_val);
    kt__put(&c, 3, s, max_val);
    return kt__close(&c);
}

kt_tensor *kt_hardsigmoid_backward(const kt_tensor *grad_output, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_hardsigmoid_backward, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, self);
    return kt__close(&c);
}

kt_tensor *kt_hardswish_backward(const kt_tensor *grad_output, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_hardswish_backward, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, self);
    return kt__close(&c);
}

kt_tensor *kt_hardshrink_backward(const kt_tensor *grad_out, const kt_tensor *self, kt_scalar lambd)
{
    kt_call c;
    kt__open(&c, KT_OP_hardshrink_backward, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_out);
    kt__put_tensor(&c, 1, self);
    kt__put(&c, 2, s, lambd);
    return kt__close(&c);
}

kt_tensor *kt_softshrink_backward(const kt_tensor *grad_output, const kt_tensor *self, kt_scalar lambd)
{
    kt_call c;
    kt__open(&c, KT_OP_softshrink_backward, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, self);
    kt__put(&c, 2, s, lambd);
    return kt__close(&c);
}

kt_tensor *kt_softplus_backward(const kt_tensor *grad_output, const kt_tensor *self, kt_scalar beta, kt_scalar threshold)
{
    kt_call c;
    kt__open(&c, KT_OP_softplus_backward, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, self);
    kt__put(&c, 2, s, beta);
    kt__put(&c, 3, s, threshold);
    return kt__close(&c);
}

kt_tensor *kt_log_sigmoid_backward(const kt_tensor *grad_output, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_log_sigmoid_backward, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, self);
    return kt__close(&c);
}

kt_prelu_kernel_backward_results kt_prelu_kernel_backward(const kt_tensor *grad_output, const kt_tensor *self, const kt_tensor *weight)
{
    kt_call c;
    kt__open(&c, KT_OP_prelu_kernel_backward, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, self);
    kt__put_tensor(&c, 2, weight);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_prelu_kernel_backward_results){r[0], r[1]};
}

kt_tensor *kt_glu_backward(const kt_tensor *grad_output, const kt_tensor *self, int64_t dim)
{
    kt_call c;
    kt__open(&c, KT_OP_glu_backward, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, self);
    kt__put(&c, 2, i, dim);
    return kt__close(&c);
}

kt_tensor *kt_sum_kw(const kt_tensor *self, const kt_sum_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_sum, KT_PLAIN);
    kt_sum_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dtype)
        kt__put(&c, 1, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_sum_dim_kw(const kt_tensor *self, kt_shape dim, const kt_sum_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_sum_dim, KT_PLAIN);
    kt_sum_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_sum_dim_out_kw(kt_tensor *out, const kt_tensor *self, kt_shape dim, const kt_sum_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_sum_dim, KT_OUT);
    kt_sum_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_nansum_kw(const kt_tensor *self, const kt_nansum_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nansum, KT_PLAIN);
    kt_nansum_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_nansum_out_kw(kt_tensor *out, const kt_tensor *self, const kt_nansum_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nansum, KT_OUT);
    kt_nansum_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_prod_kw(const kt_tensor *self, const kt_prod_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_prod, KT_PLAIN);
    kt_prod_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dtype)
        kt__put(&c, 1, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_prod_dim_kw(const kt_tensor *self, int64_t dim, const kt_prod_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_prod_dim, KT_PLAIN);
    kt_prod_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_prod_dim_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_prod_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_prod_dim, KT_OUT);
    kt_prod_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_mean_kw(const kt_tensor *self, const kt_mean_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_mean, KT_PLAIN);
    kt_mean_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dtype)
        kt__put(&c, 1, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_mean_out_kw(kt_tensor *out, const kt_tensor *self, const kt_mean_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_mean, KT_OUT);
    kt_mean_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dtype)
        kt__put(&c, 1, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_mean_dim_kw(const kt_tensor *self, kt_shape dim, const kt_mean_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_mean_dim, KT_PLAIN);
    kt_mean_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_mean_dim_out_kw(kt_tensor *out, const kt_tensor *self, kt_shape dim, const kt_mean_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_mean_dim, KT_OUT);
    kt_mean_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_nanmean_kw(const kt_tensor *self, const kt_nanmean_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nanmean, KT_PLAIN);
    kt_nanmean_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_nanmean_out_kw(kt_tensor *out, const kt_tensor *self, const kt_nanmean_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nanmean, KT_OUT);
    kt_nanmean_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_logsumexp_kw(const kt_tensor *self, kt_shape dim, const kt_logsumexp_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_logsumexp, KT_PLAIN);
    kt_logsumexp_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close(&c);
}

kt_tensor *kt_logsumexp_out_kw(kt_tensor *out, const kt_tensor *self, kt_shape dim, const kt_logsumexp_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_logsumexp, KT_OUT);
    kt_logsumexp_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_count_nonzero_kw(const kt_tensor *self, const kt_count_nonzero_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_count_nonzero, KT_PLAIN);
    kt_count_nonzero_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    return kt__close(&c);
}

kt_tensor *kt_count_nonzero_dim(const kt_tensor *self, kt_shape dim)
{
    kt_call c;
    kt__open(&c, KT_OP_count_nonzero_dim, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    return kt__close(&c);
}

kt_tensor *kt_var_kw(const kt_tensor *self, const kt_var_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_var, KT_PLAIN);
    kt_var_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->unbiased.some)
        kt__put(&c, 1, b, opts->unbiased.v);
    return kt__close(&c);
}

kt_tensor *kt_var_dim_kw(const kt_tensor *self, kt_shape dim, const kt_var_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_var_dim, KT_PLAIN);
    kt_var_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    if (opts && opts->unbiased.some)
        kt__put(&c, 2, b, opts->unbiased.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    return kt__close(&c);
}

kt_tensor *kt_var_dim_out_kw(kt_tensor *out, const kt_tensor *self, kt_shape dim, const kt_var_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_var_dim, KT_OUT);
    kt_var_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    if (opts && opts->unbiased.some)
        kt__put(&c, 2, b, opts->unbiased.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_var_correction_kw(const kt_tensor *self, const kt_var_correction_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_var_correction, KT_PLAIN);
    kt_var_correction_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->correction.kind)
        kt__put(&c, 2, s, opts->correction);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    return kt__close(&c);
}

kt_tensor *kt_var_correction_out_kw(kt_tensor *out, const kt_tensor *self, const kt_var_correction_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_var_correction, KT_OUT);
    kt_var_correction_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->correction.kind)
        kt__put(&c, 2, s, opts->correction);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_std_kw(const kt_tensor *self, const kt_std_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_std, KT_PLAIN);
    kt_std_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->unbiased.some)
        kt__put(&c, 1, b, opts->unbiased.v);
    return kt__close(&c);
}

kt_tensor *kt_std_dim_kw(const kt_tensor *self, kt_shape dim, const kt_std_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_std_dim, KT_PLAIN);
    kt_std_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    if (opts && opts->unbiased.some)
        kt__put(&c, 2, b, opts->unbiased.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    return kt__close(&c);
}

kt_tensor *kt_std_dim_out_kw(kt_tensor *out, const kt_tensor *self, kt_shape dim, const kt_std_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_std_dim, KT_OUT);
    kt_std_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    if (opts && opts->unbiased.some)
        kt__put(&c, 2, b, opts->unbiased.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_std_correction_kw(const kt_tensor *self, const kt_std_correction_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_std_correction, KT_PLAIN);
    kt_std_correction_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->correction.kind)
        kt__put(&c, 2, s, opts->correction);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    return kt__close(&c);
}

kt_tensor *kt_std_correction_out_kw(kt_tensor *out, const kt_tensor *self, const kt_std_correction_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_std_correction, KT_OUT);
    kt_std_correction_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->correction.kind)
        kt__put(&c, 2, s, opts->correction);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    return kt__close_out(&c, out);
}

kt_var_mean_results kt_var_mean_kw(const kt_tensor *self, const kt_var_mean_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_var_mean, KT_PLAIN);
    kt_var_mean_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->unbiased.some)
        kt__put(&c, 1, b, opts->unbiased.v);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_var_mean_results){r[0], r[1]};
}

kt_var_mean_dim_results kt_var_mean_dim_kw(const kt_tensor *self, kt_shape dim, const kt_var_mean_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_var_mean_dim, KT_PLAIN);
    kt_var_mean_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    if (opts && opts->unbiased.some)
        kt__put(&c, 2, b, opts->unbiased.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_var_mean_dim_results){r[0], r[1]};
}

kt_var_mean_correction_results kt_var_mean_correction_kw(const kt_tensor *self, const kt_var_mean_correction_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_var_mean_correction, KT_PLAIN);
    kt_var_mean_correction_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->correction.kind)
        kt__put(&c, 2, s, opts->correction);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_var_mean_correction_results){r[0], r[1]};
}

kt_std_mean_results kt_std_mean_kw(const kt_tensor *self, const kt_std_mean_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_std_mean, KT_PLAIN);
    kt_std_mean_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->unbiased.some)
        kt__put(&c, 1, b, opts->unbiased.v);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_std_mean_results){r[0], r[1]};
}

kt_std_mean_dim_results kt_std_mean_dim_kw(const kt_tensor *self, kt_shape dim, const kt_std_mean_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_std_mean_dim, KT_PLAIN);
    kt_std_mean_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    if (opts && opts->unbiased.some)
        kt__put(&c, 2, b, opts->unbiased.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_std_mean_dim_results){r[0], r[1]};
}

kt_std_mean_correction_results kt_std_mean_correction_kw(const kt_tensor *self, const kt_std_mean_correction_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_std_mean_correction, KT_PLAIN);
    kt_std_mean_correction_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->correction.kind)
        kt__put(&c, 2, s, opts->correction);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_std_mean_correction_results){r[0], r[1]};
}

kt_tensor *kt_max(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_max, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_max_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_max, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_max_other(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_max_other, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_max_other_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_max_other, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_max_dim_results kt_max_dim_kw(const kt_tensor *self, int64_t dim, const kt_max_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_max_dim, KT_PLAIN);
    kt_max_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_max_dim_results){r[0], r[1]};
}

kt_max_dim_results kt_max_dim_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t dim, const kt_max_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_max_dim, KT_OUT);
    kt_max_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    kt_tensor *r[2] = {values, indices};
    kt__close_several(&c, r, 2);
    return (kt_max_dim_results){r[0], r[1]};
}

kt_tensor *kt_min(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_min, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_min_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_min, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_min_other(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_min_other, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_min_other_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_min_other, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_min_dim_results kt_min_dim_kw(const kt_tensor *self, int64_t dim, const kt_min_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_min_dim, KT_PLAIN);
    kt_min_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_min_dim_results){r[0], r[1]};
}

kt_min_dim_results kt_min_dim_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t dim, const kt_min_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_min_dim, KT_OUT);
    kt_min_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    kt_tensor *r[2] = {values, indices};
    kt__close_several(&c, r, 2);
    return (kt_min_dim_results){r[0], r[1]};
}

kt_tensor *kt_amax_kw(const kt_tensor *self, const kt_amax_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_amax, KT_PLAIN);
    kt_amax_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close(&c);
}

kt_tensor *kt_amax_out_kw(kt_tensor *out, const kt_tensor *self, const kt_amax_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_amax, KT_OUT);
    kt_amax_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_amin_kw(const kt_tensor *self, const kt_amin_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_amin, KT_PLAIN);
    kt_amin_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close(&c);
}

kt_tensor *kt_amin_out_kw(kt_tensor *out, const kt_tensor *self, const kt_amin_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_amin, KT_OUT);
    kt_amin_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close_out(&c, out);
}

kt_aminmax_results kt_aminmax_kw(const kt_tensor *self, const kt_aminmax_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_aminmax, KT_PLAIN);
    kt_aminmax_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_aminmax_results){r[0], r[1]};
}

kt_aminmax_results kt_aminmax_out_kw(kt_tensor *min, kt_tensor *max, const kt_tensor *self, const kt_aminmax_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_aminmax, KT_OUT);
    kt_aminmax_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    kt_tensor *r[2] = {min, max};
    kt__close_several(&c, r, 2);
    return (kt_aminmax_results){r[0], r[1]};
}

kt_tensor *kt_argmax_kw(const kt_tensor *self, const kt_argmax_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_argmax, KT_PLAIN);
    kt_argmax_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close(&c);
}

kt_tensor *kt_argmax_out_kw(kt_tensor *out, const kt_tensor *self, const kt_argmax_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_argmax, KT_OUT);
    kt_argmax_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_argmin_kw(const kt_tensor *self, const kt_argmin_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_argmin, KT_PLAIN);
    kt_argmin_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close(&c);
}

kt_tensor *kt_argmin_out_kw(kt_tensor *out, const kt_tensor *self, const kt_argmin_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_argmin, KT_OUT);
    kt_argmin_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_any(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_any, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_any_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_any, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_any_dim_kw(const kt_tensor *self, int64_t dim, const kt_any_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_any_dim, KT_PLAIN);
    kt_any_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close(&c);
}

kt_tensor *kt_any_dim_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_any_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_any_dim, KT_OUT);
    kt_any_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_any_dims_kw(const kt_tensor *self, const kt_any_dims_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_any_dims, KT_PLAIN);
    kt_any_dims_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close(&c);
}

kt_tensor *kt_any_dims_out_kw(kt_tensor *out, const kt_tensor *self, const kt_any_dims_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_any_dims, KT_OUT);
    kt_any_dims_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_all(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_all, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_all_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_all, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_all_dim_kw(const kt_tensor *self, int64_t dim, const kt_all_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_all_dim, KT_PLAIN);
    kt_all_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close(&c);
}

kt_tensor *kt_all_dim_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_all_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_all_dim, KT_OUT);
    kt_all_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_all_dims_kw(const kt_tensor *self, const kt_all_dims_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_all_dims, KT_PLAIN);
    kt_all_dims_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close(&c);
}

kt_tensor *kt_all_dims_out_kw(kt_tensor *out, const kt_tensor *self, const kt_all_dims_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_all_dims, KT_OUT);
    kt_all_dims_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.d)
        kt__put(&c, 1, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_linalg_vector_norm_kw(const kt_tensor *self, const kt_linalg_vector_norm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_vector_norm, KT_PLAIN);
    kt_linalg_vector_norm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->ord.kind)
        kt__put(&c, 1, s, opts->ord);
    if (opts && opts->dim.d)
        kt__put(&c, 2, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_linalg_vector_norm_out_kw(kt_tensor *out, const kt_tensor *self, const kt_linalg_vector_norm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_vector_norm, KT_OUT);
    kt_linalg_vector_norm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->ord.kind)
        kt__put(&c, 1, s, opts->ord);
    if (opts && opts->dim.d)
        kt__put(&c, 2, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_norm_kw(const kt_tensor *self, const kt_norm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_norm, KT_PLAIN);
    kt_norm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->p.kind)
        kt__put(&c, 1, s, opts->p);
    if (opts && opts->dim.d)
        kt__put(&c, 2, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_norm_out_kw(kt_tensor *out, const kt_tensor *self, const kt_norm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_norm, KT_OUT);
    kt_norm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->p.kind)
        kt__put(&c, 1, s, opts->p);
    if (opts && opts->dim.d)
        kt__put(&c, 2, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_norm_str_kw(const kt_tensor *self, const char *p, const kt_norm_str_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_norm_str, KT_PLAIN);
    kt_norm_str_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, str, p);
    if (opts && opts->dim.d)
        kt__put(&c, 2, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_norm_str_out_kw(kt_tensor *out, const kt_tensor *self, const char *p, const kt_norm_str_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_norm_str, KT_OUT);
    kt_norm_str_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, str, p);
    if (opts && opts->dim.d)
        kt__put(&c, 2, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_linalg_matrix_norm_kw(const kt_tensor *self, kt_scalar ord, const kt_linalg_matrix_norm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_matrix_norm, KT_PLAIN);
    kt_linalg_matrix_norm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, s, ord);
    if (opts && opts->dim.d)
        kt__put(&c, 2, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_linalg_matrix_norm_out_kw(kt_tensor *out, const kt_tensor *self, kt_scalar ord, const kt_linalg_matrix_norm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_matrix_norm, KT_OUT);
    kt_linalg_matrix_norm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, s, ord);
    if (opts && opts->dim.d)
        kt__put(&c, 2, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_linalg_matrix_norm_str_kw(const kt_tensor *self, const kt_linalg_matrix_norm_str_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_matrix_norm_str, KT_PLAIN);
    kt_linalg_matrix_norm_str_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->ord)
        kt__put(&c, 1, str, opts->ord);
    if (opts && opts->dim.d)
        kt__put(&c, 2, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_linalg_matrix_norm_str_out_kw(kt_tensor *out, const kt_tensor *self, const kt_linalg_matrix_norm_str_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_matrix_norm_str, KT_OUT);
    kt_linalg_matrix_norm_str_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->ord)
        kt__put(&c, 1, str, opts->ord);
    if (opts && opts->dim.d)
        kt__put(&c, 2, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_linalg_norm_kw(const kt_tensor *self, const kt_linalg_norm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_norm, KT_PLAIN);
    kt_linalg_norm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->ord.kind)
        kt__put(&c, 1, s, opts->ord);
    if (opts && opts->dim.d)
        kt__put(&c, 2, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_linalg_norm_out_kw(kt_tensor *out, const kt_tensor *self, const kt_linalg_norm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_norm, KT_OUT);
    kt_linalg_norm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->ord.kind)
        kt__put(&c, 1, s, opts->ord);
    if (opts && opts->dim.d)
        kt__put(&c, 2, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_linalg_norm_str_kw(const kt_tensor *self, const char *ord, const kt_linalg_norm_str_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_norm_str, KT_PLAIN);
    kt_linalg_norm_str_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, str, ord);
    if (opts && opts->dim.d)
        kt__put(&c, 2, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_linalg_norm_str_out_kw(kt_tensor *out, const kt_tensor *self, const char *ord, const kt_linalg_norm_str_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_norm_str, KT_OUT);
    kt_linalg_norm_str_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, str, ord);
    if (opts && opts->dim.d)
        kt__put(&c, 2, ints, opts->dim);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_frobenius_norm_kw(const kt_tensor *self, kt_shape dim, const kt_frobenius_norm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_frobenius_norm, KT_PLAIN);
    kt_frobenius_norm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    return kt__close(&c);
}

kt_tensor *kt_dist_kw(const kt_tensor *self, const kt_tensor *other, const kt_dist_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_dist, KT_PLAIN);
    kt_dist_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->p.kind)
        kt__put(&c, 2, s, opts->p);
    return kt__close(&c);
}

kt_tensor *kt_trace(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_trace, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_cov_kw(const kt_tensor *self, const kt_cov_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cov, KT_PLAIN);
    kt_cov_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->correction.some)
        kt__put(&c, 1, i, opts->correction.v);
    if (opts && opts->fweights)
        kt__put_tensor(&c, 2, opts->fweights);
    if (opts && opts->aweights)
        kt__put_tensor(&c, 3, opts->aweights);
    return kt__close(&c);
}

kt_tensor *kt_corrcoef(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_corrcoef, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_cumsum_kw(const kt_tensor *self, int64_t dim, const kt_cumsum_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cumsum, KT_PLAIN);
    kt_cumsum_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_cumsum__kw(kt_tensor *self, int64_t dim, const kt_cumsum_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cumsum, KT_INPLACE);
    kt_cumsum_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    return kt__close_inplace(&c);
}

kt_tensor *kt_cumsum_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_cumsum_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cumsum, KT_OUT);
    kt_cumsum_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_cumprod_kw(const kt_tensor *self, int64_t dim, const kt_cumprod_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cumprod, KT_PLAIN);
    kt_cumprod_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_cumprod__kw(kt_tensor *self, int64_t dim, const kt_cumprod_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cumprod, KT_INPLACE);
    kt_cumprod_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    return kt__close_inplace(&c);
}

kt_tensor *kt_cumprod_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_cumprod_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cumprod, KT_OUT);
    kt_cumprod_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_logcumsumexp(const kt_tensor *self, int64_t dim)
{
    kt_call c;
    kt__open(&c, KT_OP_logcumsumexp, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    return kt__close(&c);
}

kt_tensor *kt_logcumsumexp_out(kt_tensor *out, const kt_tensor *self, int64_t dim)
{
    kt_call c;
    kt__open(&c, KT_OP_logcumsumexp, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    return kt__close_out(&c, out);
}

kt_cummax_results kt_cummax(const kt_tensor *self, int64_t dim)
{
    kt_call c;
    kt__open(&c, KT_OP_cummax, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_cummax_results){r[0], r[1]};
}

kt_cummax_results kt_cummax_out(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t dim)
{
    kt_call c;
    kt__open(&c, KT_OP_cummax, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt_tensor *r[2] = {values, indices};
    kt__close_several(&c, r, 2);
    return (kt_cummax_results){r[0], r[1]};
}

kt_cummin_results kt_cummin(const kt_tensor *self, int64_t dim)
{
    kt_call c;
    kt__open(&c, KT_OP_cummin, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_cummin_results){r[0], r[1]};
}

kt_cummin_results kt_cummin_out(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t dim)
{
    kt_call c;
    kt__open(&c, KT_OP_cummin, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt_tensor *r[2] = {values, indices};
    kt__close_several(&c, r, 2);
    return (kt_cummin_results){r[0], r[1]};
}

kt_tensor *kt_diff_kw(const kt_tensor *self, const kt_diff_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_diff, KT_PLAIN);
    kt_diff_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->n.some)
        kt__put(&c, 1, i, opts->n.v);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->prepend)
        kt__put_tensor(&c, 3, opts->prepend);
    if (opts && opts->append)
        kt__put_tensor(&c, 4, opts->append);
    return kt__close(&c);
}

kt_tensor *kt_diff_out_kw(kt_tensor *out, const kt_tensor *self, const kt_diff_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_diff, KT_OUT);
    kt_diff_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->n.some)
        kt__put(&c, 1, i, opts->n.v);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->prepend)
        kt__put_tensor(&c, 3, opts->prepend);
    if (opts && opts->append)
        kt__put_tensor(&c, 4, opts->append);
    return kt__close_out(&c, out);
}

kt_tensor *kt_trapezoid_x_kw(const kt_tensor *y, const kt_tensor *x, const kt_trapezoid_x_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_trapezoid_x, KT_PLAIN);
    kt_trapezoid_x_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, y);
    kt__put_tensor(&c, 1, x);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    return kt__close(&c);
}

kt_tensor *kt_trapezoid_dx_kw(const kt_tensor *y, const kt_trapezoid_dx_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_trapezoid_dx, KT_PLAIN);
    kt_trapezoid_dx_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, y);
    if (opts && opts->dx.kind)
        kt__put(&c, 1, s, opts->dx);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    return kt__close(&c);
}

kt_tensor *kt_trapz_dx_kw(const kt_tensor *y, const kt_trapz_dx_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_trapz_dx, KT_PLAIN);
    kt_trapz_dx_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, y);
    if (opts && opts->dx.some)
        kt__put(&c, 1, f, opts->dx.v);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    return kt__close(&c);
}

kt_tensor *kt_trapz_x_kw(const kt_tensor *y, const kt_tensor *x, const kt_trapz_x_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_trapz_x, KT_PLAIN);
    kt_trapz_x_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, y);
    kt__put_tensor(&c, 1, x);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    return kt__close(&c);
}

kt_tensor *kt_cumulative_trapezoid_x_kw(const kt_tensor *y, const kt_tensor *x, const kt_cumulative_trapezoid_x_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cumulative_trapezoid_x, KT_PLAIN);
    kt_cumulative_trapezoid_x_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, y);
    kt__put_tensor(&c, 1, x);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    return kt__close(&c);
}

kt_tensor *kt_cumulative_trapezoid_dx_kw(const kt_tensor *y, const kt_cumulative_trapezoid_dx_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cumulative_trapezoid_dx, KT_PLAIN);
    kt_cumulative_trapezoid_dx_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, y);
    if (opts && opts->dx.kind)
        kt__put(&c, 1, s, opts->dx);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    return kt__close(&c);
}

kt_tensor *kt_vander_kw(const kt_tensor *x, const kt_vander_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_vander, KT_PLAIN);
    kt_vander_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, x);
    if (opts && opts->N.some)
        kt__put(&c, 1, i, opts->N.v);
    if (opts && opts->increasing)
        kt__put(&c, 2, b, opts->increasing);
    return kt__close(&c);
}

kt_tensor *kt_linalg_vander_kw(const kt_tensor *x, const kt_linalg_vander_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_vander, KT_PLAIN);
    kt_linalg_vander_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, x);
    if (opts && opts->N.some)
        kt__put(&c, 1, i, opts->N.v);
    return kt__close(&c);
}

kt_sort_stable_results kt_sort_stable_kw(const kt_tensor *self, bool stable, const kt_sort_stable_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_sort_stable, KT_PLAIN);
    kt_sort_stable_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, b, stable);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->descending)
        kt__put(&c, 3, b, opts->descending);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_sort_stable_results){r[0], r[1]};
}

kt_sort_stable_results kt_sort_stable_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, bool stable, const kt_sort_stable_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_sort_stable, KT_OUT);
    kt_sort_stable_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, b, stable);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->descending)
        kt__put(&c, 3, b, opts->descending);
    kt_tensor *r[2] = {values, indices};
    kt__close_several(&c, r, 2);
    return (kt_sort_stable_results){r[0], r[1]};
}

kt_sort_results kt_sort_kw(const kt_tensor *self, const kt_sort_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_sort, KT_PLAIN);
    kt_sort_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    if (opts && opts->descending)
        kt__put(&c, 2, b, opts->descending);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_sort_results){r[0], r[1]};
}

kt_sort_results kt_sort_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, const kt_sort_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_sort, KT_OUT);
    kt_sort_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    if (opts && opts->descending)
        kt__put(&c, 2, b, opts->descending);
    kt_tensor *r[2] = {values, indices};
    kt__close_several(&c, r, 2);
    return (kt_sort_results){r[0], r[1]};
}

kt_tensor *kt_argsort_stable_kw(const kt_tensor *self, bool stable, const kt_argsort_stable_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_argsort_stable, KT_PLAIN);
    kt_argsort_stable_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, b, stable);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->descending)
        kt__put(&c, 3, b, opts->descending);
    return kt__close(&c);
}

kt_tensor *kt_argsort_stable_out_kw(kt_tensor *out, const kt_tensor *self, bool stable, const kt_argsort_stable_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_argsort_stable, KT_OUT);
    kt_argsort_stable_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, b, stable);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->descending)
        kt__put(&c, 3, b, opts->descending);
    return kt__close_out(&c, out);
}

kt_tensor *kt_argsort_kw(const kt_tensor *self, const kt_argsort_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_argsort, KT_PLAIN);
    kt_argsort_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    if (opts && opts->descending)
        kt__put(&c, 2, b, opts->descending);
    return kt__close(&c);
}

kt_tensor *kt_msort(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_msort, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_msort_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_msort, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_topk_results kt_topk_kw(const kt_tensor *self, int64_t k, const kt_topk_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_topk, KT_PLAIN);
    kt_topk_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, k);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->largest.some)
        kt__put(&c, 3, b, opts->largest.v);
    if (opts && opts->sorted.some)
        kt__put(&c, 4, b, opts->sorted.v);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_topk_results){r[0], r[1]};
}

kt_topk_results kt_topk_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t k, const kt_topk_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_topk, KT_OUT);
    kt_topk_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, k);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->largest.some)
        kt__put(&c, 3, b, opts->largest.v);
    if (opts && opts->sorted.some)
        kt__put(&c, 4, b, opts->sorted.v);
    kt_tensor *r[2] = {values, indices};
    kt__close_several(&c, r, 2);
    return (kt_topk_results){r[0], r[1]};
}

kt_kthvalue_results kt_kthvalue_kw(const kt_tensor *self, int64_t k, const kt_kthvalue_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_kthvalue, KT_PLAIN);
    kt_kthvalue_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, k);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_kthvalue_results){r[0], r[1]};
}

kt_kthvalue_results kt_kthvalue_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t k, const kt_kthvalue_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_kthvalue, KT_OUT);
    kt_kthvalue_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, k);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    kt_tensor *r[2] = {values, indices};
    kt__close_several(&c, r, 2);
    return (kt_kthvalue_results){r[0], r[1]};
}

kt_tensor *kt_median(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_median, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_median_dim_results kt_median_dim_kw(const kt_tensor *self, int64_t dim, const kt_median_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_median_dim, KT_PLAIN);
    kt_median_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_median_dim_results){r[0], r[1]};
}

kt_median_dim_results kt_median_dim_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t dim, const kt_median_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_median_dim, KT_OUT);
    kt_median_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    kt_tensor *r[2] = {values, indices};
    kt__close_several(&c, r, 2);
    return (kt_median_dim_results){r[0], r[1]};
}

kt_tensor *kt_nanmedian(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_nanmedian, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_nanmedian_dim_results kt_nanmedian_dim_kw(const kt_tensor *self, int64_t dim, const kt_nanmedian_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nanmedian_dim, KT_PLAIN);
    kt_nanmedian_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_nanmedian_dim_results){r[0], r[1]};
}

kt_nanmedian_dim_results kt_nanmedian_dim_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t dim, const kt_nanmedian_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nanmedian_dim, KT_OUT);
    kt_nanmedian_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    kt_tensor *r[2] = {values, indices};
    kt__close_several(&c, r, 2);
    return (kt_nanmedian_dim_results){r[0], r[1]};
}

kt_mode_results kt_mode_kw(const kt_tensor *self, const kt_mode_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_mode, KT_PLAIN);
    kt_mode_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_mode_results){r[0], r[1]};
}

kt_mode_results kt_mode_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, const kt_mode_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_mode, KT_OUT);
    kt_mode_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 2, b, opts->keepdim);
    kt_tensor *r[2] = {values, indices};
    kt__close_several(&c, r, 2);
    return (kt_mode_results){r[0], r[1]};
}

kt_unique_results kt_unique_kw(const kt_tensor *self, const kt_unique_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_unique, KT_PLAIN);
    kt_unique_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->sorted.some)
        kt__put(&c, 1, b, opts->sorted.v);
    if (opts && opts->return_inverse)
        kt__put(&c, 2, b, opts->return_inverse);
    if (opts && opts->return_counts)
        kt__put(&c, 3, b, opts->return_counts);
    kt_tensor *r[3] = {NULL, NULL, NULL};
    kt__close_several(&c, r, 3);
    return (kt_unique_results){r[0], r[1], r[2]};
}

kt_unique_dim_results kt_unique_dim_kw(const kt_tensor *self, int64_t dim, const kt_unique_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_unique_dim, KT_PLAIN);
    kt_unique_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->sorted.some)
        kt__put(&c, 2, b, opts->sorted.v);
    if (opts && opts->return_inverse)
        kt__put(&c, 3, b, opts->return_inverse);
    if (opts && opts->return_counts)
        kt__put(&c, 4, b, opts->return_counts);
    kt_tensor *r[3] = {NULL, NULL, NULL};
    kt__close_several(&c, r, 3);
    return (kt_unique_dim_results){r[0], r[1], r[2]};
}

kt_unique_consecutive_results kt_unique_consecutive_kw(const kt_tensor *self, const kt_unique_consecutive_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_unique_consecutive, KT_PLAIN);
    kt_unique_consecutive_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->return_inverse)
        kt__put(&c, 1, b, opts->return_inverse);
    if (opts && opts->return_counts)
        kt__put(&c, 2, b, opts->return_counts);
    if (opts && opts->dim.some)
        kt__put(&c, 3, i, opts->dim.v);
    kt_tensor *r[3] = {NULL, NULL, NULL};
    kt__close_several(&c, r, 3);
    return (kt_unique_consecutive_results){r[0], r[1], r[2]};
}

kt_tensor *kt_isin_kw(const kt_tensor *elements, const kt_tensor *test_elements, const kt_isin_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_isin, KT_PLAIN);
    kt_isin_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, elements);
    kt__put_tensor(&c, 1, test_elements);
    if (opts && opts->assume_unique)
        kt__put(&c, 2, b, opts->assume_unique);
    if (opts && opts->invert)
        kt__put(&c, 3, b, opts->invert);
    return kt__close(&c);
}

kt_tensor *kt_isin_out_kw(kt_tensor *out, const kt_tensor *elements, const kt_tensor *test_elements, const kt_isin_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_isin, KT_OUT);
    kt_isin_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, elements);
    kt__put_tensor(&c, 1, test_elements);
    if (opts && opts->assume_unique)
        kt__put(&c, 2, b, opts->assume_unique);
    if (opts && opts->invert)
        kt__put(&c, 3, b, opts->invert);
    return kt__close_out(&c, out);
}

kt_tensor *kt_isin_element_kw(kt_scalar element, const kt_tensor *test_elements, const kt_isin_element_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_isin_element, KT_PLAIN);
    kt_isin_element_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, s, element);
    kt__put_tensor(&c, 1, test_elements);
    if (opts && opts->assume_unique)
        kt__put(&c, 2, b, opts->assume_unique);
    if (opts && opts->invert)
        kt__put(&c, 3, b, opts->invert);
    return kt__close(&c);
}

kt_tensor *kt_isin_element_out_kw(kt_tensor *out, kt_scalar element, const kt_tensor *test_elements, const kt_isin_element_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_isin_element, KT_OUT);
    kt_isin_element_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, s, element);
    kt__put_tensor(&c, 1, test_elements);
    if (opts && opts->assume_unique)
        kt__put(&c, 2, b, opts->assume_unique);
    if (opts && opts->invert)
        kt__put(&c, 3, b, opts->invert);
    return kt__close_out(&c, out);
}

kt_tensor *kt_isin_number_kw(const kt_tensor *elements, kt_scalar test_element, const kt_isin_number_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_isin_number, KT_PLAIN);
    kt_isin_number_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, elements);
    kt__put(&c, 1, s, test_element);
    if (opts && opts->assume_unique)
        kt__put(&c, 2, b, opts->assume_unique);
    if (opts && opts->invert)
        kt__put(&c, 3, b, opts->invert);
    return kt__close(&c);
}

kt_tensor *kt_isin_number_out_kw(kt_tensor *out, const kt_tensor *elements, kt_scalar test_element, const kt_isin_number_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_isin_number, KT_OUT);
    kt_isin_number_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, elements);
    kt__put(&c, 1, s, test_element);
    if (opts && opts->assume_unique)
        kt__put(&c, 2, b, opts->assume_unique);
    if (opts && opts->invert)
        kt__put(&c, 3, b, opts->invert);
    return kt__close_out(&c, out);
}

kt_tensor *kt_searchsorted_kw(const kt_tensor *sorted_sequence, const kt_tensor *self, const kt_searchsorted_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_searchsorted, KT_PLAIN);
    kt_searchsorted_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, sorted_sequence);
    kt__put_tensor(&c, 1, self);
    if (opts && opts->out_int32)
        kt__put(&c, 2, b, opts->out_int32);
    if (opts && opts->right)
        kt__put(&c, 3, b, opts->right);
    if (opts && opts->side)
        kt__put(&c, 4, str, opts->side);
    if (opts && opts->sorter)
        kt__put_tensor(&c, 5, opts->sorter);
    return kt__close(&c);
}

kt_tensor *kt_searchsorted_out_kw(kt_tensor *out, const kt_tensor *sorted_sequence, const kt_tensor *self, const kt_searchsorted_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_searchsorted, KT_OUT);
    kt_searchsorted_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, sorted_sequence);
    kt__put_tensor(&c, 1, self);
    if (opts && opts->out_int32)
        kt__put(&c, 2, b, opts->out_int32);
    if (opts && opts->right)
        kt__put(&c, 3, b, opts->right);
    if (opts && opts->side)
        kt__put(&c, 4, str, opts->side);
    if (opts && opts->sorter)
        kt__put_tensor(&c, 5, opts->sorter);
    return kt__close_out(&c, out);
}

kt_tensor *kt_searchsorted_number_kw(const kt_tensor *sorted_sequence, kt_scalar self, const kt_searchsorted_number_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_searchsorted_number, KT_PLAIN);
    kt_searchsorted_number_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, sorted_sequence);
    kt__put(&c, 1, s, self);
    if (opts && opts->out_int32)
        kt__put(&c, 2, b, opts->out_int32);
    if (opts && opts->right)
        kt__put(&c, 3, b, opts->right);
    if (opts && opts->side)
        kt__put(&c, 4, str, opts->side);
    if (opts && opts->sorter)
        kt__put_tensor(&c, 5, opts->sorter);
    return kt__close(&c);
}

kt_tensor *kt_searchsorted_number_out_kw(kt_tensor *out, const kt_tensor *sorted_sequence, kt_scalar self, const kt_searchsorted_number_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_searchsorted_number, KT_OUT);
    kt_searchsorted_number_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, sorted_sequence);
    kt__put(&c, 1, s, self);
    if (opts && opts->out_int32)
        kt__put(&c, 2, b, opts->out_int32);
    if (opts && opts->right)
        kt__put(&c, 3, b, opts->right);
    if (opts && opts->side)
        kt__put(&c, 4, str, opts->side);
    if (opts && opts->sorter)
        kt__put_tensor(&c, 5, opts->sorter);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bucketize_kw(const kt_tensor *self, const kt_tensor *boundaries, const kt_bucketize_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_bucketize, KT_PLAIN);
    kt_bucketize_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, boundaries);
    if (opts && opts->out_int32)
        kt__put(&c, 2, b, opts->out_int32);
    if (opts && opts->right)
        kt__put(&c, 3, b, opts->right);
    return kt__close(&c);
}

kt_tensor *kt_bucketize_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *boundaries, const kt_bucketize_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_bucketize, KT_OUT);
    kt_bucketize_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, boundaries);
    if (opts && opts->out_int32)
        kt__put(&c, 2, b, opts->out_int32);
    if (opts && opts->right)
        kt__put(&c, 3, b, opts->right);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bucketize_number_kw(kt_scalar self, const kt_tensor *boundaries, const kt_bucketize_number_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_bucketize_number, KT_PLAIN);
    kt_bucketize_number_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, s, self);
    kt__put_tensor(&c, 1, boundaries);
    if (opts && opts->out_int32)
        kt__put(&c, 2, b, opts->out_int32);
    if (opts && opts->right)
        kt__put(&c, 3, b, opts->right);
    return kt__close(&c);
}

kt_tensor *kt_bincount_kw(const kt_tensor *self, const kt_bincount_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_bincount, KT_PLAIN);
    kt_bincount_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->weights)
        kt__put_tensor(&c, 1, opts->weights);
    if (opts && opts->minlength)
        kt__put(&c, 2, i, opts->minlength);
    return kt__close(&c);
}

kt_tensor *kt_histc_kw(const kt_tensor *self, const kt_histc_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_histc, KT_PLAIN);
    kt_histc_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->bins.some)
        kt__put(&c, 1, i, opts->bins.v);
    if (opts && opts->min.kind)
        kt__put(&c, 2, s, opts->min);
    if (opts && opts->max.kind)
        kt__put(&c, 3, s, opts->max);
    return kt__close(&c);
}

kt_tensor *kt_histc_out_kw(kt_tensor *out, const kt_tensor *self, const kt_histc_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_histc, KT_OUT);
    kt_histc_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->bins.some)
        kt__put(&c, 1, i, opts->bins.v);
    if (opts && opts->min.kind)
        kt__put(&c, 2, s, opts->min);
    if (opts && opts->max.kind)
        kt__put(&c, 3, s, opts->max);
    return kt__close_out(&c, out);
}

kt_histogram_edges_results kt_histogram_edges_kw(const kt_tensor *self, const kt_tensor *bins, const kt_histogram_edges_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_histogram_edges, KT_PLAIN);
    kt_histogram_edges_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, bins);
    if (opts && opts->weight)
        kt__put_tensor(&c, 2, opts->weight);
    if (opts && opts->density)
        kt__put(&c, 3, b, opts->density);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_histogram_edges_results){r[0], r[1]};
}

kt_histogram_edges_results kt_histogram_edges_out_kw(kt_tensor *hist, kt_tensor *bin_edges, const kt_tensor *self, const kt_tensor *bins, const kt_histogram_edges_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_histogram_edges, KT_OUT);
    kt_histogram_edges_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, bins);
    if (opts && opts->weight)
        kt__put_tensor(&c, 2, opts->weight);
    if (opts && opts->density)
        kt__put(&c, 3, b, opts->density);
    kt_tensor *r[2] = {hist, bin_edges};
    kt__close_several(&c, r, 2);
    return (kt_histogram_edges_results){r[0], r[1]};
}

kt_histogram_results kt_histogram_kw(const kt_tensor *self, const kt_histogram_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_histogram, KT_PLAIN);
    kt_histogram_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->bins.some)
        kt__put(&c, 1, i, opts->bins.v);
    if (opts && opts->low.some)
        kt__put(&c, 2, f, opts->low.v);
    if (opts && opts->high.some)
        kt__put(&c, 3, f, opts->high.v);
    if (opts && opts->weight)
        kt__put_tensor(&c, 4, opts->weight);
    if (opts && opts->density)
        kt__put(&c, 5, b, opts->density);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_histogram_results){r[0], r[1]};
}

kt_histogram_results kt_histogram_out_kw(kt_tensor *hist, kt_tensor *bin_edges, const kt_tensor *self, const kt_histogram_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_histogram, KT_OUT);
    kt_histogram_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->bins.some)
        kt__put(&c, 1, i, opts->bins.v);
    if (opts && opts->low.some)
        kt__put(&c, 2, f, opts->low.v);
    if (opts && opts->high.some)
        kt__put(&c, 3, f, opts->high.v);
    if (opts && opts->weight)
        kt__put_tensor(&c, 4, opts->weight);
    if (opts && opts->density)
        kt__put(&c, 5, b, opts->density);
    kt_tensor *r[2] = {hist, bin_edges};
    kt__close_several(&c, r, 2);
    return (kt_histogram_results){r[0], r[1]};
}

kt_tensor *kt_quantile_kw(const kt_tensor *self, const kt_tensor *q, const kt_quantile_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_quantile, KT_PLAIN);
    kt_quantile_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, q);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->interpolation)
        kt__put(&c, 4, str, opts->interpolation);
    return kt__close(&c);
}

kt_tensor *kt_quantile_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *q, const kt_quantile_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_quantile, KT_OUT);
    kt_quantile_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, q);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->interpolation)
        kt__put(&c, 4, str, opts->interpolation);
    return kt__close_out(&c, out);
}

kt_tensor *kt_quantile_number_kw(const kt_tensor *self, double q, const kt_quantile_number_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_quantile_number, KT_PLAIN);
    kt_quantile_number_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, f, q);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->interpolation)
        kt__put(&c, 4, str, opts->interpolation);
    return kt__close(&c);
}

kt_tensor *kt_quantile_number_out_kw(kt_tensor *out, const kt_tensor *self, double q, const kt_quantile_number_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_quantile_number, KT_OUT);
    kt_quantile_number_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, f, q);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->interpolation)
        kt__put(&c, 4, str, opts->interpolation);
    return kt__close_out(&c, out);
}

kt_tensor *kt_nanquantile_kw(const kt_tensor *self, const kt_tensor *q, const kt_nanquantile_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nanquantile, KT_PLAIN);
    kt_nanquantile_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, q);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->interpolation)
        kt__put(&c, 4, str, opts->interpolation);
    return kt__close(&c);
}

kt_tensor *kt_nanquantile_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *q, const kt_nanquantile_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nanquantile, KT_OUT);
    kt_nanquantile_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, q);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->interpolation)
        kt__put(&c, 4, str, opts->interpolation);
    return kt__close_out(&c, out);
}

kt_tensor *kt_nanquantile_number_kw(const kt_tensor *self, double q, const kt_nanquantile_number_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nanquantile_number, KT_PLAIN);
    kt_nanquantile_number_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, f, q);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->interpolation)
        kt__put(&c, 4, str, opts->interpolation);
    return kt__close(&c);
}

kt_tensor *kt_nanquantile_number_out_kw(kt_tensor *out, const kt_tensor *self, double q, const kt_nanquantile_number_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nanquantile_number, KT_OUT);
    kt_nanquantile_number_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, f, q);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->keepdim)
        kt__put(&c, 3, b, opts->keepdim);
    if (opts && opts->interpolation)
        kt__put(&c, 4, str, opts->interpolation);
    return kt__close_out(&c, out);
}

kt_tensor *kt_matmul(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_matmul, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_matmul_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_matmul, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_matmul_batched(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_matmul_batched, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_mm(const kt_tensor *self, const kt_tensor *mat2)
{
    kt_call c;
    kt__open(&c, KT_OP_mm, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mat2);
    return kt__close(&c);
}

kt_tensor *kt_mm_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *mat2)
{
    kt_call c;
    kt__open(&c, KT_OP_mm, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mat2);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bmm(const kt_tensor *self, const kt_tensor *mat2)
{
    kt_call c;
    kt__open(&c, KT_OP_bmm, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mat2);
    return kt__close(&c);
}

kt_tensor *kt_bmm_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *mat2)
{
    kt_call c;
    kt__open(&c, KT_OP_bmm, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mat2);
    return kt__close_out(&c, out);
}

kt_tensor *kt_mv(const kt_tensor *self, const kt_tensor *vec)
{
    kt_call c;
    kt__open(&c, KT_OP_mv, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, vec);
    return kt__close(&c);
}

kt_tensor *kt_mv_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *vec)
{
    kt_call c;
    kt__open(&c, KT_OP_mv, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, vec);
    return kt__close_out(&c, out);
}

kt_tensor *kt_dot(const kt_tensor *self, const kt_tensor *tensor)
{
    kt_call c;
    kt__open(&c, KT_OP_dot, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, tensor);
    return kt__close(&c);
}

kt_tensor *kt_dot_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *tensor)
{
    kt_call c;
    kt__open(&c, KT_OP_dot, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, tensor);
    return kt__close_out(&c, out);
}

kt_tensor *kt_vdot(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_vdot, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_vdot_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_vdot, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_addmm_kw(const kt_tensor *self, const kt_tensor *mat1, const kt_tensor *mat2, const kt_addmm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addmm, KT_PLAIN);
    kt_addmm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mat1);
    kt__put_tensor(&c, 2, mat2);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close(&c);
}

kt_tensor *kt_addmm__kw(kt_tensor *self, const kt_tensor *mat1, const kt_tensor *mat2, const kt_addmm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addmm, KT_INPLACE);
    kt_addmm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mat1);
    kt__put_tensor(&c, 2, mat2);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close_inplace(&c);
}

kt_tensor *kt_addmm_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *mat1, const kt_tensor *mat2, const kt_addmm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addmm, KT_OUT);
    kt_addmm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mat1);
    kt__put_tensor(&c, 2, mat2);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close_out(&c, out);
}

kt_tensor *kt_addmv_kw(const kt_tensor *self, const kt_tensor *mat, const kt_tensor *vec, const kt_addmv_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addmv, KT_PLAIN);
    kt_addmv_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mat);
    kt__put_tensor(&c, 2, vec);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close(&c);
}

kt_tensor *kt_addmv__kw(kt_tensor *self, const kt_tensor *mat, const kt_tensor *vec, const kt_addmv_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addmv, KT_INPLACE);
    kt_addmv_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mat);
    kt__put_tensor(&c, 2, vec);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close_inplace(&c);
}

kt_tensor *kt_addmv_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *mat, const kt_tensor *vec, const kt_addmv_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addmv, KT_OUT);
    kt_addmv_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mat);
    kt__put_tensor(&c, 2, vec);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close_out(&c, out);
}

kt_tensor *kt_baddbmm_kw(const kt_tensor *self, const kt_tensor *batch1, const kt_tensor *batch2, const kt_baddbmm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_baddbmm, KT_PLAIN);
    kt_baddbmm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, batch1);
    kt__put_tensor(&c, 2, batch2);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close(&c);
}

kt_tensor *kt_baddbmm__kw(kt_tensor *self, const kt_tensor *batch1, const kt_tensor *batch2, const kt_baddbmm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_baddbmm, KT_INPLACE);
    kt_baddbmm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, batch1);
    kt__put_tensor(&c, 2, batch2);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close_inplace(&c);
}

kt_tensor *kt_baddbmm_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *batch1, const kt_tensor *batch2, const kt_baddbmm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_baddbmm, KT_OUT);
    kt_baddbmm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, batch1);
    kt__put_tensor(&c, 2, batch2);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close_out(&c, out);
}

kt_tensor *kt_addbmm_kw(const kt_tensor *self, const kt_tensor *batch1, const kt_tensor *batch2, const kt_addbmm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addbmm, KT_PLAIN);
    kt_addbmm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, batch1);
    kt__put_tensor(&c, 2, batch2);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close(&c);
}

kt_tensor *kt_addbmm__kw(kt_tensor *self, const kt_tensor *batch1, const kt_tensor *batch2, const kt_addbmm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addbmm, KT_INPLACE);
    kt_addbmm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, batch1);
    kt__put_tensor(&c, 2, batch2);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close_inplace(&c);
}

kt_tensor *kt_addbmm_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *batch1, const kt_tensor *batch2, const kt_addbmm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addbmm, KT_OUT);
    kt_addbmm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, batch1);
    kt__put_tensor(&c, 2, batch2);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close_out(&c, out);
}

kt_tensor *kt_addr_kw(const kt_tensor *self, const kt_tensor *vec1, const kt_tensor *vec2, const kt_addr_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addr, KT_PLAIN);
    kt_addr_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, vec1);
    kt__put_tensor(&c, 2, vec2);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close(&c);
}

kt_tensor *kt_addr__kw(kt_tensor *self, const kt_tensor *vec1, const kt_tensor *vec2, const kt_addr_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addr, KT_INPLACE);
    kt_addr_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, vec1);
    kt__put_tensor(&c, 2, vec2);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close_inplace(&c);
}

kt_tensor *kt_addr_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *vec1, const kt_tensor *vec2, const kt_addr_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_addr, KT_OUT);
    kt_addr_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, vec1);
    kt__put_tensor(&c, 2, vec2);
    if (opts && opts->beta.kind)
        kt__put(&c, 3, s, opts->beta);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close_out(&c, out);
}

kt_tensor *kt_linear_kw(const kt_tensor *input, const kt_tensor *weight, const kt_linear_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linear, KT_PLAIN);
    kt_linear_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, weight);
    if (opts && opts->bias)
        kt__put_tensor(&c, 2, opts->bias);
    return kt__close(&c);
}

kt_tensor *kt_linear_out_kw(kt_tensor *out, const kt_tensor *input, const kt_tensor *weight, const kt_linear_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linear, KT_OUT);
    kt_linear_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, weight);
    if (opts && opts->bias)
        kt__put_tensor(&c, 2, opts->bias);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bilinear_kw(const kt_tensor *input1, const kt_tensor *input2, const kt_tensor *weight, const kt_bilinear_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_bilinear, KT_PLAIN);
    kt_bilinear_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input1);
    kt__put_tensor(&c, 1, input2);
    kt__put_tensor(&c, 2, weight);
    if (opts && opts->bias)
        kt__put_tensor(&c, 3, opts->bias);
    return kt__close(&c);
}

kt_tensor *kt_outer(const kt_tensor *self, const kt_tensor *vec2)
{
    kt_call c;
    kt__open(&c, KT_OP_outer, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, vec2);
    return kt__close(&c);
}

kt_tensor *kt_outer_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *vec2)
{
    kt_call c;
    kt__open(&c, KT_OP_outer, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, vec2);
    return kt__close_out(&c, out);
}

kt_tensor *kt_ger(const kt_tensor *self, const kt_tensor *vec2)
{
    kt_call c;
    kt__open(&c, KT_OP_ger, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, vec2);
    return kt__close(&c);
}

kt_tensor *kt_ger_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *vec2)
{
    kt_call c;
    kt__open(&c, KT_OP_ger, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, vec2);
    return kt__close_out(&c, out);
}

kt_tensor *kt_inner(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_inner, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_inner_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_inner, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_tensordot(const kt_tensor *self, const kt_tensor *other, kt_shape dims_self, kt_shape dims_other)
{
    kt_call c;
    kt__open(&c, KT_OP_tensordot, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    kt__put(&c, 2, ints, dims_self);
    kt__put(&c, 3, ints, dims_other);
    return kt__close(&c);
}

kt_tensor *kt_tensordot_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other, kt_shape dims_self, kt_shape dims_other)
{
    kt_call c;
    kt__open(&c, KT_OP_tensordot, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    kt__put(&c, 2, ints, dims_self);
    kt__put(&c, 3, ints, dims_other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_kron(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_kron, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_kron_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_kron, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close_out(&c, out);
}

kt_tensor *kt_einsum(const char *equation, kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_einsum, KT_PLAIN);
    kt__put(&c, 0, str, equation);
    kt__put_tensors(&c, 1, tensors, n_tensors);
    return kt__close(&c);
}

kt_tensor *kt_linalg_multi_dot(kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_multi_dot, KT_PLAIN);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close(&c);
}

kt_tensor *kt_linalg_multi_dot_out(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_multi_dot, KT_OUT);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close_out(&c, out);
}

kt_tensor *kt_chain_matmul(kt_tensor *const *matrices, int64_t n_matrices)
{
    kt_call c;
    kt__open(&c, KT_OP_chain_matmul, KT_PLAIN);
    kt__put_tensors(&c, 0, matrices, n_matrices);
    return kt__close(&c);
}

kt_tensor *kt_chain_matmul_out(kt_tensor *out, kt_tensor *const *matrices, int64_t n_matrices)
{
    kt_call c;
    kt__open(&c, KT_OP_chain_matmul, KT_OUT);
    kt__put_tensors(&c, 0, matrices, n_matrices);
    return kt__close_out(&c, out);
}

kt_tensor *kt_linalg_vecdot_kw(const kt_tensor *x, const kt_tensor *y, const kt_linalg_vecdot_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_vecdot, KT_PLAIN);
    kt_linalg_vecdot_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, x);
    kt__put_tensor(&c, 1, y);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    return kt__close(&c);
}

kt_tensor *kt_linalg_vecdot_out_kw(kt_tensor *out, const kt_tensor *x, const kt_tensor *y, const kt_linalg_vecdot_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_vecdot, KT_OUT);
    kt_linalg_vecdot_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, x);
    kt__put_tensor(&c, 1, y);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    return kt__close_out(&c, out);
}

kt_tensor *kt_linalg_matrix_power(const kt_tensor *self, int64_t n)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_matrix_power, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, n);
    return kt__close(&c);
}

kt_tensor *kt_linalg_matrix_power_out(kt_tensor *out, const kt_tensor *self, int64_t n)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_matrix_power, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, n);
    return kt__close_out(&c, out);
}

kt_tensor *kt_matrix_power(const kt_tensor *self, int64_t n)
{
    kt_call c;
    kt__open(&c, KT_OP_matrix_power, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, n);
    return kt__close(&c);
}

kt_tensor *kt_matrix_power_out(kt_tensor *out, const kt_tensor *self, int64_t n)
{
    kt_call c;
    kt__open(&c, KT_OP_matrix_power, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, n);
    return kt__close_out(&c, out);
}

kt_tensor *kt_linalg_cross_kw(const kt_tensor *self, const kt_tensor *other, const kt_linalg_cross_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_cross, KT_PLAIN);
    kt_linalg_cross_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    return kt__close(&c);
}

kt_tensor *kt_linalg_cross_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *other, const kt_linalg_cross_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_cross, KT_OUT);
    kt_linalg_cross_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    return kt__close_out(&c, out);
}

kt_tensor *kt_cross_kw(const kt_tensor *self, const kt_tensor *other, const kt_cross_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cross, KT_PLAIN);
    kt_cross_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    return kt__close(&c);
}

kt_tensor *kt_cross_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *other, const kt_cross_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cross, KT_OUT);
    kt_cross_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    return kt__close_out(&c, out);
}

kt_tensor *kt_block_diag(kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_block_diag, KT_PLAIN);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close(&c);
}

kt_tensor *kt_cartesian_prod(kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_cartesian_prod, KT_PLAIN);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close(&c);
}

kt_tensor *kt_cdist_kw(const kt_tensor *x1, const kt_tensor *x2, const kt_cdist_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cdist, KT_PLAIN);
    kt_cdist_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, x1);
    kt__put_tensor(&c, 1, x2);
    if (opts && opts->p.some)
        kt__put(&c, 2, f, opts->p.v);
    if (opts && opts->compute_mode.some)
        kt__put(&c, 3, i, opts->compute_mode.v);
    return kt__close(&c);
}

kt_tensor *kt_renorm(const kt_tensor *self, kt_scalar p, int64_t dim, kt_scalar maxnorm)
{
    kt_call c;
    kt__open(&c, KT_OP_renorm, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, s, p);
    kt__put(&c, 2, i, dim);
    kt__put(&c, 3, s, maxnorm);
    return kt__close(&c);
}

kt_tensor *kt_renorm_(kt_tensor *self, kt_scalar p, int64_t dim, kt_scalar maxnorm)
{
    kt_call c;
    kt__open(&c, KT_OP_renorm, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, s, p);
    kt__put(&c, 2, i, dim);
    kt__put(&c, 3, s, maxnorm);
    return kt__close_inplace(&c);
}

kt_tensor *kt_renorm_out(kt_tensor *out, const kt_tensor *self, kt_scalar p, int64_t dim, kt_scalar maxnorm)
{
    kt_call c;
    kt__open(&c, KT_OP_renorm, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, s, p);
    kt__put(&c, 2, i, dim);
    kt__put(&c, 3, s, maxnorm);
    return kt__close_out(&c, out);
}

kt_tensor *kt_to_kw(const kt_tensor *self, const kt_to_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_to, KT_PLAIN);
    kt_to_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dtype)
        kt__put(&c, 1, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 2, device, opts->device);
    if (opts && opts->copy)
        kt__put(&c, 3, b, opts->copy);
    if (opts && opts->memory_format)
        kt__put(&c, 4, format, opts->memory_format);
    if (opts && opts->casting)
        kt__put(&c, 5, str, opts->casting);
    if (opts && opts->rounding)
        kt__put(&c, 6, str, opts->rounding);
    return kt__close(&c);
}

kt_tensor *kt_to_copy_kw(const kt_tensor *self, const kt_to_copy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_to_copy, KT_PLAIN);
    kt_to_copy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dtype)
        kt__put(&c, 1, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 2, device, opts->device);
    if (opts && opts->memory_format)
        kt__put(&c, 3, format, opts->memory_format);
    if (opts && opts->casting)
        kt__put(&c, 4, str, opts->casting);
    if (opts && opts->rounding)
        kt__put(&c, 5, str, opts->rounding);
    return kt__close(&c);
}

kt_tensor *kt_clone_kw(const kt_tensor *self, const kt_clone_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_clone, KT_PLAIN);
    kt_clone_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->memory_format)
        kt__put(&c, 1, format, opts->memory_format);
    return kt__close(&c);
}

kt_tensor *kt_contiguous_kw(const kt_tensor *self, const kt_contiguous_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_contiguous, KT_PLAIN);
    kt_contiguous_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->memory_format)
        kt__put(&c, 1, format, opts->memory_format);
    return kt__close(&c);
}

kt_tensor *kt_copy(const kt_tensor *self, const kt_tensor *src)
{
    kt_call c;
    kt__open(&c, KT_OP_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, src);
    return kt__close(&c);
}

kt_tensor *kt_copy_(kt_tensor *self, const kt_tensor *src)
{
    kt_call c;
    kt__open(&c, KT_OP_copy, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, src);
    return kt__close_inplace(&c);
}

kt_tensor *kt_fill(const kt_tensor *self, const kt_tensor *value)
{
    kt_call c;
    kt__open(&c, KT_OP_fill, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, value);
    return kt__close(&c);
}

kt_tensor *kt_fill_(kt_tensor *self, const kt_tensor *value)
{
    kt_call c;
    kt__open(&c, KT_OP_fill, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, value);
    return kt__close_inplace(&c);
}

kt_tensor *kt_fill_s(const kt_tensor *self, kt_scalar value)
{
    kt_call c;
    kt__open(&c, KT_OP_fill, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, value);
    return kt__close(&c);
}

kt_tensor *kt_fill_s_(kt_tensor *self, kt_scalar value)
{
    kt_call c;
    kt__open(&c, KT_OP_fill, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_either(&c, 1, value);
    return kt__close_inplace(&c);
}

kt_tensor *kt_zero(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_zero, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_zero_(kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_zero, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    return kt__close_inplace(&c);
}

kt_tensor *kt_resolve_conj(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_resolve_conj, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_resolve_neg(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_resolve_neg, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_empty_kw(kt_shape size, const kt_empty_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_empty, KT_PLAIN);
    kt_empty_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, ints, size);
    if (opts && opts->dtype)
        kt__put(&c, 1, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 2, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 3, b, opts->requires_grad);
    if (opts && opts->memory_format)
        kt__put(&c, 4, format, opts->memory_format);
    return kt__close(&c);
}

kt_tensor *kt_zeros_kw(kt_shape size, const kt_zeros_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_zeros, KT_PLAIN);
    kt_zeros_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, ints, size);
    if (opts && opts->dtype)
        kt__put(&c, 1, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 2, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 3, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_ones_kw(kt_shape size, const kt_ones_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_ones, KT_PLAIN);
    kt_ones_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, ints, size);
    if (opts && opts->dtype)
        kt__put(&c, 1, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 2, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 3, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_full_kw(kt_shape size, kt_scalar fill_value, const kt_full_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_full, KT_PLAIN);
    kt_full_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, ints, size);
    kt__put(&c, 1, s, fill_value);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 3, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 4, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_eye_kw(int64_t n, const kt_eye_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_eye, KT_PLAIN);
    kt_eye_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, i, n);
    if (opts && opts->m.some)
        kt__put(&c, 1, i, opts->m.v);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 3, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 4, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_arange_kw(kt_scalar start, kt_scalar end, const kt_arange_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_arange, KT_PLAIN);
    kt_arange_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, s, start);
    kt__put(&c, 1, s, end);
    if (opts && opts->step.kind)
        kt__put(&c, 2, s, opts->step);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 4, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 5, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_range_kw(kt_scalar start, kt_scalar end, const kt_range_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_range, KT_PLAIN);
    kt_range_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, s, start);
    kt__put(&c, 1, s, end);
    if (opts && opts->step.kind)
        kt__put(&c, 2, s, opts->step);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 4, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 5, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_linspace_kw(kt_scalar start, kt_scalar end, int64_t steps, const kt_linspace_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linspace, KT_PLAIN);
    kt_linspace_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, s, start);
    kt__put(&c, 1, s, end);
    kt__put(&c, 2, i, steps);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 4, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 5, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_logspace_kw(kt_scalar start, kt_scalar end, int64_t steps, const kt_logspace_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_logspace, KT_PLAIN);
    kt_logspace_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, s, start);
    kt__put(&c, 1, s, end);
    kt__put(&c, 2, i, steps);
    if (opts && opts->base.some)
        kt__put(&c, 3, f, opts->base.v);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 5, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 6, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_scalar_tensor_kw(kt_scalar s, const kt_scalar_tensor_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_scalar_tensor, KT_PLAIN);
    kt_scalar_tensor_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, s, s);
    if (opts && opts->dtype)
        kt__put(&c, 1, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 2, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 3, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_empty_like_kw(const kt_tensor *self, const kt_empty_like_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_empty_like, KT_PLAIN);
    kt_empty_like_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dtype)
        kt__put(&c, 1, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 2, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 3, b, opts->requires_grad);
    if (opts && opts->memory_format)
        kt__put(&c, 4, format, opts->memory_format);
    return kt__close(&c);
}

kt_tensor *kt_zeros_like_kw(const kt_tensor *self, const kt_zeros_like_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_zeros_like, KT_PLAIN);
    kt_zeros_like_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dtype)
        kt__put(&c, 1, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 2, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 3, b, opts->requires_grad);
    if (opts && opts->memory_format)
        kt__put(&c, 4, format, opts->memory_format);
    return kt__close(&c);
}

kt_tensor *kt_ones_like_kw(const kt_tensor *self, const kt_ones_like_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_ones_like, KT_PLAIN);
    kt_ones_like_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dtype)
        kt__put(&c, 1, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 2, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 3, b, opts->requires_grad);
    if (opts && opts->memory_format)
        kt__put(&c, 4, format, opts->memory_format);
    return kt__close(&c);
}

kt_tensor *kt_full_like_kw(const kt_tensor *self, kt_scalar fill_value, const kt_full_like_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_full_like, KT_PLAIN);
    kt_full_like_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, s, fill_value);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 3, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 4, b, opts->requires_grad);
    if (opts && opts->memory_format)
        kt__put(&c, 5, format, opts->memory_format);
    return kt__close(&c);
}

kt_tensor *kt_new_empty_kw(const kt_tensor *self, kt_shape size, const kt_new_empty_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_new_empty, KT_PLAIN);
    kt_new_empty_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 3, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 4, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_new_zeros_kw(const kt_tensor *self, kt_shape size, const kt_new_zeros_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_new_zeros, KT_PLAIN);
    kt_new_zeros_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 3, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 4, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_new_ones_kw(const kt_tensor *self, kt_shape size, const kt_new_ones_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_new_ones, KT_PLAIN);
    kt_new_ones_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 3, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 4, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_new_full_kw(const kt_tensor *self, kt_shape size, kt_scalar fill_value, const kt_new_full_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_new_full, KT_PLAIN);
    kt_new_full_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    kt__put(&c, 2, s, fill_value);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 4, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 5, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_select(const kt_tensor *self, int64_t dim, int64_t index)
{
    kt_call c;
    kt__open(&c, KT_OP_select, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put(&c, 2, i, index);
    return kt__close(&c);
}

kt_tensor *kt_slice_kw(const kt_tensor *self, const kt_slice_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_slice, KT_PLAIN);
    kt_slice_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim)
        kt__put(&c, 1, i, opts->dim);
    if (opts && opts->start.some)
        kt__put(&c, 2, i, opts->start.v);
    if (opts && opts->end.some)
        kt__put(&c, 3, i, opts->end.v);
    if (opts && opts->step.some)
        kt__put(&c, 4, i, opts->step.v);
    return kt__close(&c);
}

kt_tensor *kt_narrow(const kt_tensor *self, int64_t dim, int64_t start, int64_t length)
{
    kt_call c;
    kt__open(&c, KT_OP_narrow, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put(&c, 2, i, start);
    kt__put(&c, 3, i, length);
    return kt__close(&c);
}

kt_tensor *kt_narrow_tensor(const kt_tensor *self, int64_t dim, const kt_tensor *start, int64_t length)
{
    kt_call c;
    kt__open(&c, KT_OP_narrow_tensor, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, start);
    kt__put(&c, 3, i, length);
    return kt__close(&c);
}

kt_tensor *kt_transpose(const kt_tensor *self, int64_t dim0, int64_t dim1)
{
    kt_call c;
    kt__open(&c, KT_OP_transpose, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim0);
    kt__put(&c, 2, i, dim1);
    return kt__close(&c);
}

kt_tensor *kt_t(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_t, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_permute(const kt_tensor *self, kt_shape dims)
{
    kt_call c;
    kt__open(&c, KT_OP_permute, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dims);
    return kt__close(&c);
}

kt_tensor *kt_expand_kw(const kt_tensor *self, kt_shape size, const kt_expand_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_expand, KT_PLAIN);
    kt_expand_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    if (opts && opts->implicit)
        kt__put(&c, 2, b, opts->implicit);
    return kt__close(&c);
}

kt_tensor *kt_expand_as(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_expand_as, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_view(const kt_tensor *self, kt_shape size)
{
    kt_call c;
    kt__open(&c, KT_OP_view, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    return kt__close(&c);
}

kt_tensor *kt_reshape_alias(const kt_tensor *self, kt_shape size, kt_shape stride)
{
    kt_call c;
    kt__open(&c, KT_OP_reshape_alias, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    kt__put(&c, 2, ints, stride);
    return kt__close(&c);
}

kt_tensor *kt_unsafe_view(const kt_tensor *self, kt_shape size)
{
    kt_call c;
    kt__open(&c, KT_OP_unsafe_view, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    return kt__close(&c);
}

kt_tensor *kt_view_dtype(const kt_tensor *self, kt_dtype dtype)
{
    kt_call c;
    kt__open(&c, KT_OP_view_dtype, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, dtype, dtype);
    return kt__close(&c);
}

kt_tensor *kt_reshape(const kt_tensor *self, kt_shape shape)
{
    kt_call c;
    kt__open(&c, KT_OP_reshape, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, shape);
    return kt__close(&c);
}

kt_tensor *kt_flatten_kw(const kt_tensor *self, const kt_flatten_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_flatten, KT_PLAIN);
    kt_flatten_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->start_dim)
        kt__put(&c, 1, i, opts->start_dim);
    if (opts && opts->end_dim.some)
        kt__put(&c, 2, i, opts->end_dim.v);
    return kt__close(&c);
}

kt_tensor *kt_squeeze(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_squeeze, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_squeeze_dim(const kt_tensor *self, kt_shape dim)
{
    kt_call c;
    kt__open(&c, KT_OP_squeeze_dim, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    return kt__close(&c);
}

kt_tensor *kt_unsafe_squeeze(const kt_tensor *self, int64_t dim)
{
    kt_call c;
    kt__open(&c, KT_OP_unsafe_squeeze, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    return kt__close(&c);
}

kt_tensor *kt_unsqueeze(const kt_tensor *self, int64_t dim)
{
    kt_call c;
    kt__open(&c, KT_OP_unsqueeze, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    return kt__close(&c);
}

kt_tensor *kt_unfold(const kt_tensor *self, int64_t dimension, int64_t size, int64_t step)
{
    kt_call c;
    kt__open(&c, KT_OP_unfold, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dimension);
    kt__put(&c, 2, i, size);
    kt__put(&c, 3, i, step);
    return kt__close(&c);
}

kt_tensor *kt_diagonal_kw(const kt_tensor *self, const kt_diagonal_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_diagonal, KT_PLAIN);
    kt_diagonal_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->offset)
        kt__put(&c, 1, i, opts->offset);
    if (opts && opts->dim1)
        kt__put(&c, 2, i, opts->dim1);
    if (opts && opts->dim2.some)
        kt__put(&c, 3, i, opts->dim2.v);
    return kt__close(&c);
}

kt_tensor *kt_as_strided_kw(const kt_tensor *self, kt_shape size, kt_shape stride, const kt_as_strided_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_as_strided, KT_PLAIN);
    kt_as_strided_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    kt__put(&c, 2, ints, stride);
    if (opts && opts->storage_offset.some)
        kt__put(&c, 3, i, opts->storage_offset.v);
    return kt__close(&c);
}

kt_tensor *kt_real(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_real, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_imag(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_imag, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_view_as_real(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_view_as_real, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_view_as_complex(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_view_as_complex, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_conj(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_conj, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_conj_lazy(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_conj_lazy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_neg_view(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_neg_view, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_detach(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_detach, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_alias(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_alias, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_movedim(const kt_tensor *self, kt_shape source, kt_shape destination)
{
    kt_call c;
    kt__open(&c, KT_OP_movedim, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, source);
    kt__put(&c, 2, ints, destination);
    return kt__close(&c);
}

kt_tensor *kt_moveaxis(const kt_tensor *self, kt_shape source, kt_shape destination)
{
    kt_call c;
    kt__open(&c, KT_OP_moveaxis, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, source);
    kt__put(&c, 2, ints, destination);
    return kt__close(&c);
}

kt_tensor *kt_swapaxes(const kt_tensor *self, int64_t axis0, int64_t axis1)
{
    kt_call c;
    kt__open(&c, KT_OP_swapaxes, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, axis0);
    kt__put(&c, 2, i, axis1);
    return kt__close(&c);
}

kt_tensor *kt_swapdims(const kt_tensor *self, int64_t dim0, int64_t dim1)
{
    kt_call c;
    kt__open(&c, KT_OP_swapdims, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim0);
    kt__put(&c, 2, i, dim1);
    return kt__close(&c);
}

kt_tensor *kt_unflatten(const kt_tensor *self, int64_t dim, kt_shape sizes)
{
    kt_call c;
    kt__open(&c, KT_OP_unflatten, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put(&c, 2, ints, sizes);
    return kt__close(&c);
}

kt_tensor *kt_ravel(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_ravel, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_view_as(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_view_as, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_reshape_as(const kt_tensor *self, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_reshape_as, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_broadcast_to(const kt_tensor *self, kt_shape size)
{
    kt_call c;
    kt__open(&c, KT_OP_broadcast_to, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    return kt__close(&c);
}

kt_tensor *kt_atleast_1d(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_atleast_1d, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_atleast_2d(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_atleast_2d, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_atleast_3d(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_atleast_3d, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_adjoint(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_adjoint, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_linalg_diagonal_kw(const kt_tensor *A, const kt_linalg_diagonal_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_linalg_diagonal, KT_PLAIN);
    kt_linalg_diagonal_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, A);
    if (opts && opts->offset)
        kt__put(&c, 1, i, opts->offset);
    if (opts && opts->dim1.some)
        kt__put(&c, 2, i, opts->dim1.v);
    if (opts && opts->dim2.some)
        kt__put(&c, 3, i, opts->dim2.v);
    return kt__close(&c);
}

kt_tensor *kt_sum_to_size(const kt_tensor *self, kt_shape size)
{
    kt_call c;
    kt__open(&c, KT_OP_sum_to_size, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    return kt__close(&c);
}

kt_tensor *kt_resize__kw(const kt_tensor *self, kt_shape size, const kt_resize__opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_resize_, KT_PLAIN);
    kt_resize__opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    if (opts && opts->memory_format)
        kt__put(&c, 2, format, opts->memory_format);
    return kt__close(&c);
}

kt_tensor *kt_resize_as__kw(const kt_tensor *self, const kt_tensor *the_template, const kt_resize_as__opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_resize_as_, KT_PLAIN);
    kt_resize_as__opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, the_template);
    if (opts && opts->memory_format)
        kt__put(&c, 2, format, opts->memory_format);
    return kt__close(&c);
}

int64_t kt_split_kw(const kt_tensor *self, int64_t split_size, kt_tensor **results, int64_t room, const kt_split_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_split, KT_PLAIN);
    kt_split_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, split_size);
    if (opts && opts->dim)
        kt__put(&c, 2, i, opts->dim);
    return kt__close_list(&c, results, room);
}

int64_t kt_split_sizes_kw(const kt_tensor *self, kt_shape split_sizes, kt_tensor **results, int64_t room, const kt_split_sizes_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_split_sizes, KT_PLAIN);
    kt_split_sizes_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, split_sizes);
    if (opts && opts->dim)
        kt__put(&c, 2, i, opts->dim);
    return kt__close_list(&c, results, room);
}

int64_t kt_chunk_kw(const kt_tensor *self, int64_t chunks, kt_tensor **results, int64_t room, const kt_chunk_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_chunk, KT_PLAIN);
    kt_chunk_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, chunks);
    if (opts && opts->dim)
        kt__put(&c, 2, i, opts->dim);
    return kt__close_list(&c, results, room);
}

int64_t kt_unbind_kw(const kt_tensor *self, kt_tensor **results, int64_t room, const kt_unbind_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_unbind, KT_PLAIN);
    kt_unbind_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim)
        kt__put(&c, 1, i, opts->dim);
    return kt__close_list(&c, results, room);
}

int64_t kt_broadcast_tensors(kt_tensor *const *tensors, int64_t n_tensors, kt_tensor **results, int64_t room)
{
    kt_call c;
    kt__open(&c, KT_OP_broadcast_tensors, KT_PLAIN);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close_list(&c, results, room);
}

kt_tensor *kt_cat_kw(kt_tensor *const *tensors, int64_t n_tensors, const kt_cat_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cat, KT_PLAIN);
    kt_cat_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    if (opts && opts->dim)
        kt__put(&c, 1, i, opts->dim);
    return kt__close(&c);
}

kt_tensor *kt_cat_out_kw(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors, const kt_cat_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cat, KT_OUT);
    kt_cat_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    if (opts && opts->dim)
        kt__put(&c, 1, i, opts->dim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_concat_kw(kt_tensor *const *tensors, int64_t n_tensors, const kt_concat_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_concat, KT_PLAIN);
    kt_concat_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    if (opts && opts->dim)
        kt__put(&c, 1, i, opts->dim);
    return kt__close(&c);
}

kt_tensor *kt_concat_out_kw(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors, const kt_concat_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_concat, KT_OUT);
    kt_concat_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    if (opts && opts->dim)
        kt__put(&c, 1, i, opts->dim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_concatenate_kw(kt_tensor *const *tensors, int64_t n_tensors, const kt_concatenate_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_concatenate, KT_PLAIN);
    kt_concatenate_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    if (opts && opts->dim)
        kt__put(&c, 1, i, opts->dim);
    return kt__close(&c);
}

kt_tensor *kt_concatenate_out_kw(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors, const kt_concatenate_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_concatenate, KT_OUT);
    kt_concatenate_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    if (opts && opts->dim)
        kt__put(&c, 1, i, opts->dim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_stack_kw(kt_tensor *const *tensors, int64_t n_tensors, const kt_stack_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_stack, KT_PLAIN);
    kt_stack_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    if (opts && opts->dim)
        kt__put(&c, 1, i, opts->dim);
    return kt__close(&c);
}

kt_tensor *kt_stack_out_kw(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors, const kt_stack_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_stack, KT_OUT);
    kt_stack_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    if (opts && opts->dim)
        kt__put(&c, 1, i, opts->dim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_hstack(kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_hstack, KT_PLAIN);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close(&c);
}

kt_tensor *kt_hstack_out(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_hstack, KT_OUT);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close_out(&c, out);
}

kt_tensor *kt_vstack(kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_vstack, KT_PLAIN);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close(&c);
}

kt_tensor *kt_vstack_out(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_vstack, KT_OUT);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close_out(&c, out);
}

kt_tensor *kt_row_stack(kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_row_stack, KT_PLAIN);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close(&c);
}

kt_tensor *kt_row_stack_out(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_row_stack, KT_OUT);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close_out(&c, out);
}

kt_tensor *kt_dstack(kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_dstack, KT_PLAIN);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close(&c);
}

kt_tensor *kt_dstack_out(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_dstack, KT_OUT);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close_out(&c, out);
}

kt_tensor *kt_column_stack(kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_column_stack, KT_PLAIN);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close(&c);
}

kt_tensor *kt_column_stack_out(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors)
{
    kt_call c;
    kt__open(&c, KT_OP_column_stack, KT_OUT);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close_out(&c, out);
}

int64_t kt_foreach_mul(kt_tensor *const *self, int64_t n_self, kt_scalar scalar, kt_tensor **results, int64_t room)
{
    kt_call c;
    kt__open(&c, KT_OP_foreach_mul, KT_PLAIN);
    kt__put_tensors(&c, 0, self, n_self);
    kt__put(&c, 1, s, scalar);
    return kt__close_list(&c, results, room);
}

kt_status kt_foreach_mul_(kt_tensor *const *self, int64_t n_self, kt_scalar scalar)
{
    kt_call c;
    kt__open(&c, KT_OP_foreach_mul, KT_INPLACE);
    kt__put_tensors(&c, 0, self, n_self);
    kt__put(&c, 1, s, scalar);
    return kt__close_written(&c);
}

int64_t kt_split_with_sizes_kw(const kt_tensor *self, kt_shape split_sizes, kt_tensor **results, int64_t room, const kt_split_with_sizes_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_split_with_sizes, KT_PLAIN);
    kt_split_with_sizes_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, split_sizes);
    if (opts && opts->dim)
        kt__put(&c, 2, i, opts->dim);
    return kt__close_list(&c, results, room);
}

int64_t kt_unsafe_split_kw(const kt_tensor *self, int64_t split_size, kt_tensor **results, int64_t room, const kt_unsafe_split_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_unsafe_split, KT_PLAIN);
    kt_unsafe_split_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, split_size);
    if (opts && opts->dim)
        kt__put(&c, 2, i, opts->dim);
    return kt__close_list(&c, results, room);
}

int64_t kt_unsafe_split_with_sizes_kw(const kt_tensor *self, kt_shape split_sizes, kt_tensor **results, int64_t room, const kt_unsafe_split_with_sizes_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_unsafe_split_with_sizes, KT_PLAIN);
    kt_unsafe_split_with_sizes_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, split_sizes);
    if (opts && opts->dim)
        kt__put(&c, 2, i, opts->dim);
    return kt__close_list(&c, results, room);
}

int64_t kt_unsafe_chunk_kw(const kt_tensor *self, int64_t chunks, kt_tensor **results, int64_t room, const kt_unsafe_chunk_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_unsafe_chunk, KT_PLAIN);
    kt_unsafe_chunk_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, chunks);
    if (opts && opts->dim)
        kt__put(&c, 2, i, opts->dim);
    return kt__close_list(&c, results, room);
}

int64_t kt_tensor_split_kw(const kt_tensor *self, int64_t sections, kt_tensor **results, int64_t room, const kt_tensor_split_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_tensor_split, KT_PLAIN);
    kt_tensor_split_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, sections);
    if (opts && opts->dim)
        kt__put(&c, 2, i, opts->dim);
    return kt__close_list(&c, results, room);
}

int64_t kt_tensor_split_indices_kw(const kt_tensor *self, kt_shape indices, kt_tensor **results, int64_t room, const kt_tensor_split_indices_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_tensor_split_indices, KT_PLAIN);
    kt_tensor_split_indices_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, indices);
    if (opts && opts->dim)
        kt__put(&c, 2, i, opts->dim);
    return kt__close_list(&c, results, room);
}

int64_t kt_tensor_split_tensor_kw(const kt_tensor *self, const kt_tensor *tensor_indices_or_sections, kt_tensor **results, int64_t room, const kt_tensor_split_tensor_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_tensor_split_tensor, KT_PLAIN);
    kt_tensor_split_tensor_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, tensor_indices_or_sections);
    if (opts && opts->dim)
        kt__put(&c, 2, i, opts->dim);
    return kt__close_list(&c, results, room);
}

int64_t kt_hsplit(const kt_tensor *self, int64_t sections, kt_tensor **results, int64_t room)
{
    kt_call c;
    kt__open(&c, KT_OP_hsplit, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, sections);
    return kt__close_list(&c, results, room);
}

int64_t kt_hsplit_indices(const kt_tensor *self, kt_shape indices, kt_tensor **results, int64_t room)
{
    kt_call c;
    kt__open(&c, KT_OP_hsplit_indices, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, indices);
    return kt__close_list(&c, results, room);
}

int64_t kt_vsplit(const kt_tensor *self, int64_t sections, kt_tensor **results, int64_t room)
{
    kt_call c;
    kt__open(&c, KT_OP_vsplit, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, sections);
    return kt__close_list(&c, results, room);
}

int64_t kt_vsplit_indices(const kt_tensor *self, kt_shape indices, kt_tensor **results, int64_t room)
{
    kt_call c;
    kt__open(&c, KT_OP_vsplit_indices, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, indices);
    return kt__close_list(&c, results, room);
}

int64_t kt_dsplit(const kt_tensor *self, int64_t sections, kt_tensor **results, int64_t room)
{
    kt_call c;
    kt__open(&c, KT_OP_dsplit, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, sections);
    return kt__close_list(&c, results, room);
}

int64_t kt_dsplit_indices(const kt_tensor *self, kt_shape indices, kt_tensor **results, int64_t room)
{
    kt_call c;
    kt__open(&c, KT_OP_dsplit_indices, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, indices);
    return kt__close_list(&c, results, room);
}

int64_t kt_meshgrid_kw(kt_tensor *const *tensors, int64_t n_tensors, kt_tensor **results, int64_t room, const kt_meshgrid_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_meshgrid, KT_PLAIN);
    kt_meshgrid_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    if (opts && opts->indexing)
        kt__put(&c, 1, str, opts->indexing);
    return kt__close_list(&c, results, room);
}

int64_t kt_atleast_1d_list(kt_tensor *const *tensors, int64_t n_tensors, kt_tensor **results, int64_t room)
{
    kt_call c;
    kt__open(&c, KT_OP_atleast_1d_list, KT_PLAIN);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close_list(&c, results, room);
}

int64_t kt_atleast_2d_list(kt_tensor *const *tensors, int64_t n_tensors, kt_tensor **results, int64_t room)
{
    kt_call c;
    kt__open(&c, KT_OP_atleast_2d_list, KT_PLAIN);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close_list(&c, results, room);
}

int64_t kt_atleast_3d_list(kt_tensor *const *tensors, int64_t n_tensors, kt_tensor **results, int64_t room)
{
    kt_call c;
    kt__open(&c, KT_OP_atleast_3d_list, KT_PLAIN);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    return kt__close_list(&c, results, room);
}

int64_t kt_unbind_copy_kw(const kt_tensor *self, kt_tensor **results, int64_t room, const kt_unbind_copy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_unbind_copy, KT_PLAIN);
    kt_unbind_copy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim)
        kt__put(&c, 1, i, opts->dim);
    return kt__close_list(&c, results, room);
}

int64_t kt_split_copy_kw(const kt_tensor *self, int64_t split_size, kt_tensor **results, int64_t room, const kt_split_copy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_split_copy, KT_PLAIN);
    kt_split_copy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, split_size);
    if (opts && opts->dim)
        kt__put(&c, 2, i, opts->dim);
    return kt__close_list(&c, results, room);
}

int64_t kt_split_with_sizes_copy_kw(const kt_tensor *self, kt_shape split_sizes, kt_tensor **results, int64_t room, const kt_split_with_sizes_copy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_split_with_sizes_copy, KT_PLAIN);
    kt_split_with_sizes_copy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, split_sizes);
    if (opts && opts->dim)
        kt__put(&c, 2, i, opts->dim);
    return kt__close_list(&c, results, room);
}

kt_tensor *kt_flip(const kt_tensor *self, kt_shape dims)
{
    kt_call c;
    kt__open(&c, KT_OP_flip, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dims);
    return kt__close(&c);
}

kt_tensor *kt_fliplr(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_fliplr, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_flipud(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_flipud, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_roll_kw(const kt_tensor *self, kt_shape shifts, const kt_roll_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_roll, KT_PLAIN);
    kt_roll_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, shifts);
    if (opts && opts->dims.d)
        kt__put(&c, 2, ints, opts->dims);
    return kt__close(&c);
}

kt_tensor *kt_rot90_kw(const kt_tensor *self, const kt_rot90_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_rot90, KT_PLAIN);
    kt_rot90_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->k.some)
        kt__put(&c, 1, i, opts->k.v);
    if (opts && opts->dims.d)
        kt__put(&c, 2, ints, opts->dims);
    return kt__close(&c);
}

kt_tensor *kt_repeat(const kt_tensor *self, kt_shape repeats)
{
    kt_call c;
    kt__open(&c, KT_OP_repeat, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, repeats);
    return kt__close(&c);
}

kt_tensor *kt_tile(const kt_tensor *self, kt_shape dims)
{
    kt_call c;
    kt__open(&c, KT_OP_tile, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dims);
    return kt__close(&c);
}

kt_tensor *kt_repeat_interleave_kw(const kt_tensor *repeats, const kt_repeat_interleave_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_repeat_interleave, KT_PLAIN);
    kt_repeat_interleave_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, repeats);
    if (opts && opts->output_size.some)
        kt__put(&c, 1, i, opts->output_size.v);
    return kt__close(&c);
}

kt_tensor *kt_repeat_interleave_tensor_kw(const kt_tensor *self, const kt_tensor *repeats, const kt_repeat_interleave_tensor_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_repeat_interleave_tensor, KT_PLAIN);
    kt_repeat_interleave_tensor_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, repeats);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->output_size.some)
        kt__put(&c, 3, i, opts->output_size.v);
    return kt__close(&c);
}

kt_tensor *kt_repeat_interleave_int_kw(const kt_tensor *self, int64_t repeats, const kt_repeat_interleave_int_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_repeat_interleave_int, KT_PLAIN);
    kt_repeat_interleave_int_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, repeats);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    if (opts && opts->output_size.some)
        kt__put(&c, 3, i, opts->output_size.v);
    return kt__close(&c);
}

kt_tensor *kt_interleave(const kt_tensor *self, const kt_tensor *repeats, int64_t dim, int64_t output_size)
{
    kt_call c;
    kt__open(&c, KT_OP_interleave, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, repeats);
    kt__put(&c, 2, i, dim);
    kt__put(&c, 3, i, output_size);
    return kt__close(&c);
}

kt_tensor *kt_tril_kw(const kt_tensor *self, const kt_tril_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_tril, KT_PLAIN);
    kt_tril_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->diagonal)
        kt__put(&c, 1, i, opts->diagonal);
    return kt__close(&c);
}

kt_tensor *kt_tril__kw(kt_tensor *self, const kt_tril_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_tril, KT_INPLACE);
    kt_tril_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->diagonal)
        kt__put(&c, 1, i, opts->diagonal);
    return kt__close_inplace(&c);
}

kt_tensor *kt_tril_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tril_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_tril, KT_OUT);
    kt_tril_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->diagonal)
        kt__put(&c, 1, i, opts->diagonal);
    return kt__close_out(&c, out);
}

kt_tensor *kt_triu_kw(const kt_tensor *self, const kt_triu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_triu, KT_PLAIN);
    kt_triu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->diagonal)
        kt__put(&c, 1, i, opts->diagonal);
    return kt__close(&c);
}

kt_tensor *kt_triu__kw(kt_tensor *self, const kt_triu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_triu, KT_INPLACE);
    kt_triu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->diagonal)
        kt__put(&c, 1, i, opts->diagonal);
    return kt__close_inplace(&c);
}

kt_tensor *kt_triu_out_kw(kt_tensor *out, const kt_tensor *self, const kt_triu_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_triu, KT_OUT);
    kt_triu_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->diagonal)
        kt__put(&c, 1, i, opts->diagonal);
    return kt__close_out(&c, out);
}

kt_tensor *kt_tril_indices_kw(int64_t row, int64_t col, const kt_tril_indices_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_tril_indices, KT_PLAIN);
    kt_tril_indices_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, i, row);
    kt__put(&c, 1, i, col);
    if (opts && opts->offset)
        kt__put(&c, 2, i, opts->offset);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 4, device, opts->device);
    return kt__close(&c);
}

kt_tensor *kt_triu_indices_kw(int64_t row, int64_t col, const kt_triu_indices_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_triu_indices, KT_PLAIN);
    kt_triu_indices_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, i, row);
    kt__put(&c, 1, i, col);
    if (opts && opts->offset)
        kt__put(&c, 2, i, opts->offset);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 4, device, opts->device);
    return kt__close(&c);
}

kt_tensor *kt_diag_kw(const kt_tensor *self, const kt_diag_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_diag, KT_PLAIN);
    kt_diag_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->diagonal)
        kt__put(&c, 1, i, opts->diagonal);
    return kt__close(&c);
}

kt_tensor *kt_diag_out_kw(kt_tensor *out, const kt_tensor *self, const kt_diag_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_diag, KT_OUT);
    kt_diag_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->diagonal)
        kt__put(&c, 1, i, opts->diagonal);
    return kt__close_out(&c, out);
}

kt_tensor *kt_diag_embed_kw(const kt_tensor *self, const kt_diag_embed_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_diag_embed, KT_PLAIN);
    kt_diag_embed_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->offset)
        kt__put(&c, 1, i, opts->offset);
    if (opts && opts->dim1.some)
        kt__put(&c, 2, i, opts->dim1.v);
    if (opts && opts->dim2.some)
        kt__put(&c, 3, i, opts->dim2.v);
    return kt__close(&c);
}

kt_tensor *kt_diagflat_kw(const kt_tensor *self, const kt_diagflat_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_diagflat, KT_PLAIN);
    kt_diagflat_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->offset)
        kt__put(&c, 1, i, opts->offset);
    return kt__close(&c);
}

kt_tensor *kt_constant_pad_nd_kw(const kt_tensor *self, kt_shape pad, const kt_constant_pad_nd_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_constant_pad_nd, KT_PLAIN);
    kt_constant_pad_nd_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, pad);
    if (opts && opts->value.kind)
        kt__put(&c, 2, s, opts->value);
    return kt__close(&c);
}

kt_tensor *kt_nn_pad_kw(const kt_tensor *input, kt_shape pad, const kt_nn_pad_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_pad, KT_PLAIN);
    kt_nn_pad_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put(&c, 1, ints, pad);
    if (opts && opts->mode)
        kt__put(&c, 2, str, opts->mode);
    if (opts && opts->value.some)
        kt__put(&c, 3, f, opts->value.v);
    return kt__close(&c);
}

kt_tensor *kt_alias_copy(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_alias_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_alias_copy_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_alias_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_as_strided_copy_kw(const kt_tensor *self, kt_shape size, kt_shape stride, const kt_as_strided_copy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_as_strided_copy, KT_PLAIN);
    kt_as_strided_copy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    kt__put(&c, 2, ints, stride);
    if (opts && opts->storage_offset.some)
        kt__put(&c, 3, i, opts->storage_offset.v);
    return kt__close(&c);
}

kt_tensor *kt_as_strided_copy_out_kw(kt_tensor *out, const kt_tensor *self, kt_shape size, kt_shape stride, const kt_as_strided_copy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_as_strided_copy, KT_OUT);
    kt_as_strided_copy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    kt__put(&c, 2, ints, stride);
    if (opts && opts->storage_offset.some)
        kt__put(&c, 3, i, opts->storage_offset.v);
    return kt__close_out(&c, out);
}

kt_tensor *kt_detach_copy(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_detach_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_detach_copy_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_detach_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_diagonal_copy_kw(const kt_tensor *self, const kt_diagonal_copy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_diagonal_copy, KT_PLAIN);
    kt_diagonal_copy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->offset)
        kt__put(&c, 1, i, opts->offset);
    if (opts && opts->dim1)
        kt__put(&c, 2, i, opts->dim1);
    if (opts && opts->dim2.some)
        kt__put(&c, 3, i, opts->dim2.v);
    return kt__close(&c);
}

kt_tensor *kt_diagonal_copy_out_kw(kt_tensor *out, const kt_tensor *self, const kt_diagonal_copy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_diagonal_copy, KT_OUT);
    kt_diagonal_copy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->offset)
        kt__put(&c, 1, i, opts->offset);
    if (opts && opts->dim1)
        kt__put(&c, 2, i, opts->dim1);
    if (opts && opts->dim2.some)
        kt__put(&c, 3, i, opts->dim2.v);
    return kt__close_out(&c, out);
}

kt_tensor *kt_expand_copy_kw(const kt_tensor *self, kt_shape size, const kt_expand_copy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_expand_copy, KT_PLAIN);
    kt_expand_copy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    if (opts && opts->implicit)
        kt__put(&c, 2, b, opts->implicit);
    return kt__close(&c);
}

kt_tensor *kt_expand_copy_out_kw(kt_tensor *out, const kt_tensor *self, kt_shape size, const kt_expand_copy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_expand_copy, KT_OUT);
    kt_expand_copy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    if (opts && opts->implicit)
        kt__put(&c, 2, b, opts->implicit);
    return kt__close_out(&c, out);
}

kt_tensor *kt_permute_copy(const kt_tensor *self, kt_shape dims)
{
    kt_call c;
    kt__open(&c, KT_OP_permute_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dims);
    return kt__close(&c);
}

kt_tensor *kt_permute_copy_out(kt_tensor *out, const kt_tensor *self, kt_shape dims)
{
    kt_call c;
    kt__open(&c, KT_OP_permute_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dims);
    return kt__close_out(&c, out);
}

kt_tensor *kt_select_copy(const kt_tensor *self, int64_t dim, int64_t index)
{
    kt_call c;
    kt__open(&c, KT_OP_select_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put(&c, 2, i, index);
    return kt__close(&c);
}

kt_tensor *kt_select_copy_out(kt_tensor *out, const kt_tensor *self, int64_t dim, int64_t index)
{
    kt_call c;
    kt__open(&c, KT_OP_select_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put(&c, 2, i, index);
    return kt__close_out(&c, out);
}

kt_tensor *kt_slice_copy_kw(const kt_tensor *self, const kt_slice_copy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_slice_copy, KT_PLAIN);
    kt_slice_copy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim)
        kt__put(&c, 1, i, opts->dim);
    if (opts && opts->start.some)
        kt__put(&c, 2, i, opts->start.v);
    if (opts && opts->end.some)
        kt__put(&c, 3, i, opts->end.v);
    if (opts && opts->step.some)
        kt__put(&c, 4, i, opts->step.v);
    return kt__close(&c);
}

kt_tensor *kt_slice_copy_out_kw(kt_tensor *out, const kt_tensor *self, const kt_slice_copy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_slice_copy, KT_OUT);
    kt_slice_copy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->dim)
        kt__put(&c, 1, i, opts->dim);
    if (opts && opts->start.some)
        kt__put(&c, 2, i, opts->start.v);
    if (opts && opts->end.some)
        kt__put(&c, 3, i, opts->end.v);
    if (opts && opts->step.some)
        kt__put(&c, 4, i, opts->step.v);
    return kt__close_out(&c, out);
}

kt_tensor *kt_squeeze_copy(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_squeeze_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_squeeze_copy_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_squeeze_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_squeeze_dim_copy(const kt_tensor *self, kt_shape dim)
{
    kt_call c;
    kt__open(&c, KT_OP_squeeze_dim_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    return kt__close(&c);
}

kt_tensor *kt_squeeze_dim_copy_out(kt_tensor *out, const kt_tensor *self, kt_shape dim)
{
    kt_call c;
    kt__open(&c, KT_OP_squeeze_dim_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, dim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_t_copy(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_t_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_t_copy_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_t_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_transpose_copy(const kt_tensor *self, int64_t dim0, int64_t dim1)
{
    kt_call c;
    kt__open(&c, KT_OP_transpose_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim0);
    kt__put(&c, 2, i, dim1);
    return kt__close(&c);
}

kt_tensor *kt_transpose_copy_out(kt_tensor *out, const kt_tensor *self, int64_t dim0, int64_t dim1)
{
    kt_call c;
    kt__open(&c, KT_OP_transpose_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim0);
    kt__put(&c, 2, i, dim1);
    return kt__close_out(&c, out);
}

kt_tensor *kt_unfold_copy(const kt_tensor *self, int64_t dimension, int64_t size, int64_t step)
{
    kt_call c;
    kt__open(&c, KT_OP_unfold_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dimension);
    kt__put(&c, 2, i, size);
    kt__put(&c, 3, i, step);
    return kt__close(&c);
}

kt_tensor *kt_unfold_copy_out(kt_tensor *out, const kt_tensor *self, int64_t dimension, int64_t size, int64_t step)
{
    kt_call c;
    kt__open(&c, KT_OP_unfold_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dimension);
    kt__put(&c, 2, i, size);
    kt__put(&c, 3, i, step);
    return kt__close_out(&c, out);
}

kt_tensor *kt_unsqueeze_copy(const kt_tensor *self, int64_t dim)
{
    kt_call c;
    kt__open(&c, KT_OP_unsqueeze_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    return kt__close(&c);
}

kt_tensor *kt_unsqueeze_copy_out(kt_tensor *out, const kt_tensor *self, int64_t dim)
{
    kt_call c;
    kt__open(&c, KT_OP_unsqueeze_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    return kt__close_out(&c, out);
}

kt_tensor *kt_view_copy(const kt_tensor *self, kt_shape size)
{
    kt_call c;
    kt__open(&c, KT_OP_view_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    return kt__close(&c);
}

kt_tensor *kt_view_copy_out(kt_tensor *out, const kt_tensor *self, kt_shape size)
{
    kt_call c;
    kt__open(&c, KT_OP_view_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, ints, size);
    return kt__close_out(&c, out);
}

kt_tensor *kt_view_dtype_copy(const kt_tensor *self, kt_dtype dtype)
{
    kt_call c;
    kt__open(&c, KT_OP_view_dtype_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, dtype, dtype);
    return kt__close(&c);
}

kt_tensor *kt_view_dtype_copy_out(kt_tensor *out, const kt_tensor *self, kt_dtype dtype)
{
    kt_call c;
    kt__open(&c, KT_OP_view_dtype_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, dtype, dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_view_as_real_copy(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_view_as_real_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_view_as_real_copy_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_view_as_real_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_view_as_complex_copy(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_view_as_complex_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_view_as_complex_copy_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_view_as_complex_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_narrow_copy(const kt_tensor *self, int64_t dim, int64_t start, int64_t length)
{
    kt_call c;
    kt__open(&c, KT_OP_narrow_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put(&c, 2, i, start);
    kt__put(&c, 3, i, length);
    return kt__close(&c);
}

kt_tensor *kt_narrow_copy_out(kt_tensor *out, const kt_tensor *self, int64_t dim, int64_t start, int64_t length)
{
    kt_call c;
    kt__open(&c, KT_OP_narrow_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put(&c, 2, i, start);
    kt__put(&c, 3, i, length);
    return kt__close_out(&c, out);
}

kt_tensor *kt_select_scatter(const kt_tensor *self, const kt_tensor *src, int64_t dim, int64_t index)
{
    kt_call c;
    kt__open(&c, KT_OP_select_scatter, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, src);
    kt__put(&c, 2, i, dim);
    kt__put(&c, 3, i, index);
    return kt__close(&c);
}

kt_tensor *kt_slice_scatter_kw(const kt_tensor *self, const kt_tensor *src, const kt_slice_scatter_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_slice_scatter, KT_PLAIN);
    kt_slice_scatter_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, src);
    if (opts && opts->dim)
        kt__put(&c, 2, i, opts->dim);
    if (opts && opts->start.some)
        kt__put(&c, 3, i, opts->start.v);
    if (opts && opts->end.some)
        kt__put(&c, 4, i, opts->end.v);
    if (opts && opts->step.some)
        kt__put(&c, 5, i, opts->step.v);
    return kt__close(&c);
}

kt_tensor *kt_slice_scatter_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *src, const kt_slice_scatter_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_slice_scatter, KT_OUT);
    kt_slice_scatter_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, src);
    if (opts && opts->dim)
        kt__put(&c, 2, i, opts->dim);
    if (opts && opts->start.some)
        kt__put(&c, 3, i, opts->start.v);
    if (opts && opts->end.some)
        kt__put(&c, 4, i, opts->end.v);
    if (opts && opts->step.some)
        kt__put(&c, 5, i, opts->step.v);
    return kt__close_out(&c, out);
}

kt_tensor *kt_diagonal_scatter_kw(const kt_tensor *self, const kt_tensor *src, const kt_diagonal_scatter_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_diagonal_scatter, KT_PLAIN);
    kt_diagonal_scatter_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, src);
    if (opts && opts->offset)
        kt__put(&c, 2, i, opts->offset);
    if (opts && opts->dim1)
        kt__put(&c, 3, i, opts->dim1);
    if (opts && opts->dim2.some)
        kt__put(&c, 4, i, opts->dim2.v);
    return kt__close(&c);
}

kt_tensor *kt_as_strided_scatter_kw(const kt_tensor *self, const kt_tensor *src, kt_shape size, kt_shape stride, const kt_as_strided_scatter_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_as_strided_scatter, KT_PLAIN);
    kt_as_strided_scatter_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, src);
    kt__put(&c, 2, ints, size);
    kt__put(&c, 3, ints, stride);
    if (opts && opts->storage_offset.some)
        kt__put(&c, 4, i, opts->storage_offset.v);
    return kt__close(&c);
}

kt_tensor *kt_combinations_kw(const kt_tensor *self, const kt_combinations_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_combinations, KT_PLAIN);
    kt_combinations_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->r.some)
        kt__put(&c, 1, i, opts->r.v);
    if (opts && opts->with_replacement)
        kt__put(&c, 2, b, opts->with_replacement);
    return kt__close(&c);
}

kt_tensor *kt_rand_kw(kt_shape size, const kt_rand_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_rand, KT_PLAIN);
    kt_rand_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, ints, size);
    if (opts && opts->generator)
        kt__put(&c, 1, generator, opts->generator);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 3, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 4, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_rand_like_kw(const kt_tensor *self, const kt_rand_like_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_rand_like, KT_PLAIN);
    kt_rand_like_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->generator)
        kt__put(&c, 1, generator, opts->generator);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 3, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 4, b, opts->requires_grad);
    if (opts && opts->memory_format)
        kt__put(&c, 5, format, opts->memory_format);
    return kt__close(&c);
}

kt_tensor *kt_randn_kw(kt_shape size, const kt_randn_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_randn, KT_PLAIN);
    kt_randn_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, ints, size);
    if (opts && opts->generator)
        kt__put(&c, 1, generator, opts->generator);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 3, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 4, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_randn_like_kw(const kt_tensor *self, const kt_randn_like_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_randn_like, KT_PLAIN);
    kt_randn_like_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->generator)
        kt__put(&c, 1, generator, opts->generator);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 3, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 4, b, opts->requires_grad);
    if (opts && opts->memory_format)
        kt__put(&c, 5, format, opts->memory_format);
    return kt__close(&c);
}

kt_tensor *kt_randint_kw(int64_t high, kt_shape size, const kt_randint_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_randint, KT_PLAIN);
    kt_randint_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, i, high);
    kt__put(&c, 1, ints, size);
    if (opts && opts->generator)
        kt__put(&c, 2, generator, opts->generator);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 4, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 5, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_randint_low_kw(int64_t low, int64_t high, kt_shape size, const kt_randint_low_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_randint_low, KT_PLAIN);
    kt_randint_low_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, i, low);
    kt__put(&c, 1, i, high);
    kt__put(&c, 2, ints, size);
    if (opts && opts->generator)
        kt__put(&c, 3, generator, opts->generator);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 5, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 6, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_randint_like_kw(const kt_tensor *self, int64_t high, const kt_randint_like_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_randint_like, KT_PLAIN);
    kt_randint_like_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, high);
    if (opts && opts->generator)
        kt__put(&c, 2, generator, opts->generator);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 4, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 5, b, opts->requires_grad);
    if (opts && opts->memory_format)
        kt__put(&c, 6, format, opts->memory_format);
    return kt__close(&c);
}

kt_tensor *kt_randint_like_low_kw(const kt_tensor *self, int64_t low, int64_t high, const kt_randint_like_low_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_randint_like_low, KT_PLAIN);
    kt_randint_like_low_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, low);
    kt__put(&c, 2, i, high);
    if (opts && opts->generator)
        kt__put(&c, 3, generator, opts->generator);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 5, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 6, b, opts->requires_grad);
    if (opts && opts->memory_format)
        kt__put(&c, 7, format, opts->memory_format);
    return kt__close(&c);
}

kt_tensor *kt_randperm_kw(int64_t n, const kt_randperm_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_randperm, KT_PLAIN);
    kt_randperm_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, i, n);
    if (opts && opts->generator)
        kt__put(&c, 1, generator, opts->generator);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 3, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 4, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_normal_tensor_float_kw(const kt_tensor *mean, const kt_normal_tensor_float_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_normal_tensor_float, KT_PLAIN);
    kt_normal_tensor_float_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, mean);
    if (opts && opts->std.some)
        kt__put(&c, 1, f, opts->std.v);
    if (opts && opts->generator)
        kt__put(&c, 2, generator, opts->generator);
    return kt__close(&c);
}

kt_tensor *kt_normal_tensor_float_out_kw(kt_tensor *out, const kt_tensor *mean, const kt_normal_tensor_float_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_normal_tensor_float, KT_OUT);
    kt_normal_tensor_float_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, mean);
    if (opts && opts->std.some)
        kt__put(&c, 1, f, opts->std.v);
    if (opts && opts->generator)
        kt__put(&c, 2, generator, opts->generator);
    return kt__close_out(&c, out);
}

kt_tensor *kt_normal_float_tensor_kw(double mean, const kt_tensor *std, const kt_normal_float_tensor_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_normal_float_tensor, KT_PLAIN);
    kt_normal_float_tensor_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, f, mean);
    kt__put_tensor(&c, 1, std);
    if (opts && opts->generator)
        kt__put(&c, 2, generator, opts->generator);
    return kt__close(&c);
}

kt_tensor *kt_normal_float_tensor_out_kw(kt_tensor *out, double mean, const kt_tensor *std, const kt_normal_float_tensor_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_normal_float_tensor, KT_OUT);
    kt_normal_float_tensor_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, f, mean);
    kt__put_tensor(&c, 1, std);
    if (opts && opts->generator)
        kt__put(&c, 2, generator, opts->generator);
    return kt__close_out(&c, out);
}

kt_tensor *kt_normal_tensor_tensor_kw(const kt_tensor *mean, const kt_tensor *std, const kt_normal_tensor_tensor_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_normal_tensor_tensor, KT_PLAIN);
    kt_normal_tensor_tensor_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, mean);
    kt__put_tensor(&c, 1, std);
    if (opts && opts->generator)
        kt__put(&c, 2, generator, opts->generator);
    return kt__close(&c);
}

kt_tensor *kt_normal_tensor_tensor_out_kw(kt_tensor *out, const kt_tensor *mean, const kt_tensor *std, const kt_normal_tensor_tensor_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_normal_tensor_tensor, KT_OUT);
    kt_normal_tensor_tensor_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, mean);
    kt__put_tensor(&c, 1, std);
    if (opts && opts->generator)
        kt__put(&c, 2, generator, opts->generator);
    return kt__close_out(&c, out);
}

kt_tensor *kt_normal_float_float_kw(double mean, double std, kt_shape size, const kt_normal_float_float_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_normal_float_float, KT_PLAIN);
    kt_normal_float_float_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put(&c, 0, f, mean);
    kt__put(&c, 1, f, std);
    kt__put(&c, 2, ints, size);
    if (opts && opts->generator)
        kt__put(&c, 3, generator, opts->generator);
    if (opts && opts->dtype)
        kt__put(&c, 4, dtype, opts->dtype);
    if (opts && opts->device.kind)
        kt__put(&c, 5, device, opts->device);
    if (opts && opts->requires_grad)
        kt__put(&c, 6, b, opts->requires_grad);
    return kt__close(&c);
}

kt_tensor *kt_normal__kw(kt_tensor *self, const kt_normal_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_normal, KT_INPLACE);
    kt_normal_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->mean)
        kt__put(&c, 1, f, opts->mean);
    if (opts && opts->std.some)
        kt__put(&c, 2, f, opts->std.v);
    if (opts && opts->generator)
        kt__put(&c, 3, generator, opts->generator);
    return kt__close_inplace(&c);
}

kt_tensor *kt_uniform__kw(kt_tensor *self, const kt_uniform_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_uniform, KT_INPLACE);
    kt_uniform_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->from)
        kt__put(&c, 1, f, opts->from);
    if (opts && opts->to.some)
        kt__put(&c, 2, f, opts->to.v);
    if (opts && opts->generator)
        kt__put(&c, 3, generator, opts->generator);
    return kt__close_inplace(&c);
}

kt_tensor *kt_random__kw(kt_tensor *self, const kt_random_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_random, KT_INPLACE);
    kt_random_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->generator)
        kt__put(&c, 1, generator, opts->generator);
    return kt__close_inplace(&c);
}

kt_tensor *kt_random_to__kw(kt_tensor *self, int64_t to, const kt_random_to_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_random_to, KT_INPLACE);
    kt_random_to_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, to);
    if (opts && opts->generator)
        kt__put(&c, 2, generator, opts->generator);
    return kt__close_inplace(&c);
}

kt_tensor *kt_random_from__kw(kt_tensor *self, int64_t from, int64_t to, const kt_random_from_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_random_from, KT_INPLACE);
    kt_random_from_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, from);
    kt__put(&c, 2, i, to);
    if (opts && opts->generator)
        kt__put(&c, 3, generator, opts->generator);
    return kt__close_inplace(&c);
}

kt_tensor *kt_exponential__kw(kt_tensor *self, const kt_exponential_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_exponential, KT_INPLACE);
    kt_exponential_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->lambd.some)
        kt__put(&c, 1, f, opts->lambd.v);
    if (opts && opts->generator)
        kt__put(&c, 2, generator, opts->generator);
    return kt__close_inplace(&c);
}

kt_tensor *kt_cauchy__kw(kt_tensor *self, const kt_cauchy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_cauchy, KT_INPLACE);
    kt_cauchy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->median)
        kt__put(&c, 1, f, opts->median);
    if (opts && opts->sigma.some)
        kt__put(&c, 2, f, opts->sigma.v);
    if (opts && opts->generator)
        kt__put(&c, 3, generator, opts->generator);
    return kt__close_inplace(&c);
}

kt_tensor *kt_log_normal__kw(kt_tensor *self, const kt_log_normal_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_log_normal, KT_INPLACE);
    kt_log_normal_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->mean.some)
        kt__put(&c, 1, f, opts->mean.v);
    if (opts && opts->std.some)
        kt__put(&c, 2, f, opts->std.v);
    if (opts && opts->generator)
        kt__put(&c, 3, generator, opts->generator);
    return kt__close_inplace(&c);
}

kt_tensor *kt_geometric__kw(kt_tensor *self, double p, const kt_geometric_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_geometric, KT_INPLACE);
    kt_geometric_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, f, p);
    if (opts && opts->generator)
        kt__put(&c, 2, generator, opts->generator);
    return kt__close_inplace(&c);
}

kt_tensor *kt_bernoulli_kw(const kt_tensor *self, const kt_bernoulli_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_bernoulli, KT_PLAIN);
    kt_bernoulli_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->generator)
        kt__put(&c, 1, generator, opts->generator);
    return kt__close(&c);
}

kt_tensor *kt_bernoulli_out_kw(kt_tensor *out, const kt_tensor *self, const kt_bernoulli_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_bernoulli, KT_OUT);
    kt_bernoulli_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->generator)
        kt__put(&c, 1, generator, opts->generator);
    return kt__close_out(&c, out);
}

kt_tensor *kt_bernoulli_p_kw(const kt_tensor *self, double p, const kt_bernoulli_p_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_bernoulli_p, KT_PLAIN);
    kt_bernoulli_p_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, f, p);
    if (opts && opts->generator)
        kt__put(&c, 2, generator, opts->generator);
    return kt__close(&c);
}

kt_tensor *kt_bernoulli_tensor__kw(kt_tensor *self, const kt_tensor *p, const kt_bernoulli_tensor_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_bernoulli_tensor, KT_INPLACE);
    kt_bernoulli_tensor_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, p);
    if (opts && opts->generator)
        kt__put(&c, 2, generator, opts->generator);
    return kt__close_inplace(&c);
}

kt_tensor *kt_bernoulli_float__kw(kt_tensor *self, const kt_bernoulli_float_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_bernoulli_float, KT_INPLACE);
    kt_bernoulli_float_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->p.some)
        kt__put(&c, 1, f, opts->p.v);
    if (opts && opts->generator)
        kt__put(&c, 2, generator, opts->generator);
    return kt__close_inplace(&c);
}

kt_tensor *kt_poisson_kw(const kt_tensor *self, const kt_poisson_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_poisson, KT_PLAIN);
    kt_poisson_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->generator)
        kt__put(&c, 1, generator, opts->generator);
    return kt__close(&c);
}

kt_tensor *kt_multinomial_kw(const kt_tensor *self, int64_t num_samples, const kt_multinomial_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_multinomial, KT_PLAIN);
    kt_multinomial_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, num_samples);
    if (opts && opts->replacement)
        kt__put(&c, 2, b, opts->replacement);
    if (opts && opts->generator)
        kt__put(&c, 3, generator, opts->generator);
    return kt__close(&c);
}

kt_tensor *kt_multinomial_out_kw(kt_tensor *out, const kt_tensor *self, int64_t num_samples, const kt_multinomial_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_multinomial, KT_OUT);
    kt_multinomial_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, num_samples);
    if (opts && opts->replacement)
        kt__put(&c, 2, b, opts->replacement);
    if (opts && opts->generator)
        kt__put(&c, 3, generator, opts->generator);
    return kt__close_out(&c, out);
}

kt_tensor *kt_dropout(const kt_tensor *input, double p, bool train)
{
    kt_call c;
    kt__open(&c, KT_OP_dropout, KT_PLAIN);
    kt__put_tensor(&c, 0, input);
    kt__put(&c, 1, f, p);
    kt__put(&c, 2, b, train);
    return kt__close(&c);
}

kt_tensor *kt_dropout_(kt_tensor *input, double p, bool train)
{
    kt_call c;
    kt__open(&c, KT_OP_dropout, KT_INPLACE);
    kt__put_tensor(&c, 0, input);
    kt__put(&c, 1, f, p);
    kt__put(&c, 2, b, train);
    return kt__close_inplace(&c);
}

kt_tensor *kt_feature_dropout(const kt_tensor *input, double p, bool train)
{
    kt_call c;
    kt__open(&c, KT_OP_feature_dropout, KT_PLAIN);
    kt__put_tensor(&c, 0, input);
    kt__put(&c, 1, f, p);
    kt__put(&c, 2, b, train);
    return kt__close(&c);
}

kt_tensor *kt_feature_dropout_(kt_tensor *input, double p, bool train)
{
    kt_call c;
    kt__open(&c, KT_OP_feature_dropout, KT_INPLACE);
    kt__put_tensor(&c, 0, input);
    kt__put(&c, 1, f, p);
    kt__put(&c, 2, b, train);
    return kt__close_inplace(&c);
}

kt_tensor *kt_alpha_dropout(const kt_tensor *input, double p, bool train)
{
    kt_call c;
    kt__open(&c, KT_OP_alpha_dropout, KT_PLAIN);
    kt__put_tensor(&c, 0, input);
    kt__put(&c, 1, f, p);
    kt__put(&c, 2, b, train);
    return kt__close(&c);
}

kt_tensor *kt_alpha_dropout_(kt_tensor *input, double p, bool train)
{
    kt_call c;
    kt__open(&c, KT_OP_alpha_dropout, KT_INPLACE);
    kt__put_tensor(&c, 0, input);
    kt__put(&c, 1, f, p);
    kt__put(&c, 2, b, train);
    return kt__close_inplace(&c);
}

kt_tensor *kt_feature_alpha_dropout(const kt_tensor *input, double p, bool train)
{
    kt_call c;
    kt__open(&c, KT_OP_feature_alpha_dropout, KT_PLAIN);
    kt__put_tensor(&c, 0, input);
    kt__put(&c, 1, f, p);
    kt__put(&c, 2, b, train);
    return kt__close(&c);
}

kt_tensor *kt_feature_alpha_dropout_(kt_tensor *input, double p, bool train)
{
    kt_call c;
    kt__open(&c, KT_OP_feature_alpha_dropout, KT_INPLACE);
    kt__put_tensor(&c, 0, input);
    kt__put(&c, 1, f, p);
    kt__put(&c, 2, b, train);
    return kt__close_inplace(&c);
}

kt_native_dropout_results kt_native_dropout(const kt_tensor *input, double p, bool train)
{
    kt_call c;
    kt__open(&c, KT_OP_native_dropout, KT_PLAIN);
    kt__put_tensor(&c, 0, input);
    kt__put(&c, 1, f, p);
    kt__put(&c, 2, b, train);
    kt_tensor *r[2] = {NULL, NULL};
    kt__close_several(&c, r, 2);
    return (kt_native_dropout_results){r[0], r[1]};
}

kt_tensor *kt_nn_dropout_kw(const kt_tensor *input, const kt_nn_dropout_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_dropout, KT_PLAIN);
    kt_nn_dropout_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    if (opts && opts->p.some)
        kt__put(&c, 1, f, opts->p.v);
    if (opts && opts->training.some)
        kt__put(&c, 2, b, opts->training.v);
    if (opts && opts->inplace)
        kt__put(&c, 3, b, opts->inplace);
    return kt__close(&c);
}

kt_tensor *kt_nn_dropout1d_kw(const kt_tensor *input, const kt_nn_dropout1d_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_dropout1d, KT_PLAIN);
    kt_nn_dropout1d_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    if (opts && opts->p.some)
        kt__put(&c, 1, f, opts->p.v);
    if (opts && opts->training.some)
        kt__put(&c, 2, b, opts->training.v);
    if (opts && opts->inplace)
        kt__put(&c, 3, b, opts->inplace);
    return kt__close(&c);
}

kt_tensor *kt_nn_dropout2d_kw(const kt_tensor *input, const kt_nn_dropout2d_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_dropout2d, KT_PLAIN);
    kt_nn_dropout2d_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    if (opts && opts->p.some)
        kt__put(&c, 1, f, opts->p.v);
    if (opts && opts->training.some)
        kt__put(&c, 2, b, opts->training.v);
    if (opts && opts->inplace)
        kt__put(&c, 3, b, opts->inplace);
    return kt__close(&c);
}

kt_tensor *kt_nn_dropout3d_kw(const kt_tensor *input, const kt_nn_dropout3d_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_dropout3d, KT_PLAIN);
    kt_nn_dropout3d_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    if (opts && opts->p.some)
        kt__put(&c, 1, f, opts->p.v);
    if (opts && opts->training.some)
        kt__put(&c, 2, b, opts->training.v);
    if (opts && opts->inplace)
        kt__put(&c, 3, b, opts->inplace);
    return kt__close(&c);
}

kt_tensor *kt_nn_alpha_dropout_kw(const kt_tensor *input, const kt_nn_alpha_dropout_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_alpha_dropout, KT_PLAIN);
    kt_nn_alpha_dropout_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    if (opts && opts->p.some)
        kt__put(&c, 1, f, opts->p.v);
    if (opts && opts->training)
        kt__put(&c, 2, b, opts->training);
    if (opts && opts->inplace)
        kt__put(&c, 3, b, opts->inplace);
    return kt__close(&c);
}

kt_tensor *kt_nn_feature_alpha_dropout_kw(const kt_tensor *input, const kt_nn_feature_alpha_dropout_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_feature_alpha_dropout, KT_PLAIN);
    kt_nn_feature_alpha_dropout_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    if (opts && opts->p.some)
        kt__put(&c, 1, f, opts->p.v);
    if (opts && opts->training)
        kt__put(&c, 2, b, opts->training);
    if (opts && opts->inplace)
        kt__put(&c, 3, b, opts->inplace);
    return kt__close(&c);
}

kt_tensor *kt_index(const kt_tensor *self, kt_tensor *const *indices, int64_t n_indices)
{
    kt_call c;
    kt__open(&c, KT_OP_index, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensors(&c, 1, indices, n_indices);
    return kt__close(&c);
}

kt_tensor *kt_index_put_kw(const kt_tensor *self, kt_tensor *const *indices, int64_t n_indices, const kt_tensor *values, const kt_index_put_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_index_put, KT_PLAIN);
    kt_index_put_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensors(&c, 1, indices, n_indices);
    kt__put_tensor(&c, 2, values);
    if (opts && opts->accumulate)
        kt__put(&c, 3, b, opts->accumulate);
    return kt__close(&c);
}

kt_tensor *kt_index_put__kw(kt_tensor *self, kt_tensor *const *indices, int64_t n_indices, const kt_tensor *values, const kt_index_put_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_index_put, KT_INPLACE);
    kt_index_put_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensors(&c, 1, indices, n_indices);
    kt__put_tensor(&c, 2, values);
    if (opts && opts->accumulate)
        kt__put(&c, 3, b, opts->accumulate);
    return kt__close_inplace(&c);
}

kt_tensor *kt_take(const kt_tensor *self, const kt_tensor *index)
{
    kt_call c;
    kt__open(&c, KT_OP_take, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, index);
    return kt__close(&c);
}

kt_tensor *kt_take_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *index)
{
    kt_call c;
    kt__open(&c, KT_OP_take, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, index);
    return kt__close_out(&c, out);
}

kt_tensor *kt_put_kw(const kt_tensor *self, const kt_tensor *index, const kt_tensor *source, const kt_put_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_put, KT_PLAIN);
    kt_put_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, index);
    kt__put_tensor(&c, 2, source);
    if (opts && opts->accumulate)
        kt__put(&c, 3, b, opts->accumulate);
    return kt__close(&c);
}

kt_tensor *kt_put__kw(kt_tensor *self, const kt_tensor *index, const kt_tensor *source, const kt_put_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_put, KT_INPLACE);
    kt_put_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, index);
    kt__put_tensor(&c, 2, source);
    if (opts && opts->accumulate)
        kt__put(&c, 3, b, opts->accumulate);
    return kt__close_inplace(&c);
}

kt_tensor *kt_gather_kw(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_gather_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_gather, KT_PLAIN);
    kt_gather_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    if (opts && opts->sparse_grad)
        kt__put(&c, 3, b, opts->sparse_grad);
    return kt__close(&c);
}

kt_tensor *kt_gather_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_gather_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_gather, KT_OUT);
    kt_gather_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    if (opts && opts->sparse_grad)
        kt__put(&c, 3, b, opts->sparse_grad);
    return kt__close_out(&c, out);
}

kt_tensor *kt_scatter(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, src);
    return kt__close(&c);
}

kt_tensor *kt_scatter_(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, src);
    return kt__close_inplace(&c);
}

kt_tensor *kt_scatter_out(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, src);
    return kt__close_out(&c, out);
}

kt_tensor *kt_scatter_value(const kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_value, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put(&c, 3, s, value);
    return kt__close(&c);
}

kt_tensor *kt_scatter_value_(kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_value, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put(&c, 3, s, value);
    return kt__close_inplace(&c);
}

kt_tensor *kt_scatter_value_out(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_value, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put(&c, 3, s, value);
    return kt__close_out(&c, out);
}

kt_tensor *kt_scatter_combine(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src, const char *reduce)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_combine, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, src);
    kt__put(&c, 4, str, reduce);
    return kt__close(&c);
}

kt_tensor *kt_scatter_combine_(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src, const char *reduce)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_combine, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, src);
    kt__put(&c, 4, str, reduce);
    return kt__close_inplace(&c);
}

kt_tensor *kt_scatter_combine_out(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src, const char *reduce)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_combine, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, src);
    kt__put(&c, 4, str, reduce);
    return kt__close_out(&c, out);
}

kt_tensor *kt_scatter_value_combine(const kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value, const char *reduce)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_value_combine, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put(&c, 3, s, value);
    kt__put(&c, 4, str, reduce);
    return kt__close(&c);
}

kt_tensor *kt_scatter_value_combine_(kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value, const char *reduce)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_value_combine, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put(&c, 3, s, value);
    kt__put(&c, 4, str, reduce);
    return kt__close_inplace(&c);
}

kt_tensor *kt_scatter_value_combine_out(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value, const char *reduce)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_value_combine, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put(&c, 3, s, value);
    kt__put(&c, 4, str, reduce);
    return kt__close_out(&c, out);
}

kt_tensor *kt_scatter_add(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_add, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, src);
    return kt__close(&c);
}

kt_tensor *kt_scatter_add_(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_add, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, src);
    return kt__close_inplace(&c);
}

kt_tensor *kt_scatter_add_out(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_add, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, src);
    return kt__close_out(&c, out);
}

kt_tensor *kt_index_select(const kt_tensor *self, int64_t dim, const kt_tensor *index)
{
    kt_call c;
    kt__open(&c, KT_OP_index_select, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    return kt__close(&c);
}

kt_tensor *kt_index_select_out(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index)
{
    kt_call c;
    kt__open(&c, KT_OP_index_select, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    return kt__close_out(&c, out);
}

kt_tensor *kt_index_add_kw(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source, const kt_index_add_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_index_add, KT_PLAIN);
    kt_index_add_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, source);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close(&c);
}

kt_tensor *kt_index_add__kw(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source, const kt_index_add_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_index_add, KT_INPLACE);
    kt_index_add_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, source);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close_inplace(&c);
}

kt_tensor *kt_index_add_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source, const kt_index_add_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_index_add, KT_OUT);
    kt_index_add_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, source);
    if (opts && opts->alpha.kind)
        kt__put(&c, 4, s, opts->alpha);
    return kt__close_out(&c, out);
}

kt_tensor *kt_index_copy(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source)
{
    kt_call c;
    kt__open(&c, KT_OP_index_copy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, source);
    return kt__close(&c);
}

kt_tensor *kt_index_copy_(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source)
{
    kt_call c;
    kt__open(&c, KT_OP_index_copy, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, source);
    return kt__close_inplace(&c);
}

kt_tensor *kt_index_copy_out(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source)
{
    kt_call c;
    kt__open(&c, KT_OP_index_copy, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, source);
    return kt__close_out(&c, out);
}

kt_tensor *kt_index_fill_tensor(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *value)
{
    kt_call c;
    kt__open(&c, KT_OP_index_fill_tensor, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, value);
    return kt__close(&c);
}

kt_tensor *kt_index_fill_tensor_(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *value)
{
    kt_call c;
    kt__open(&c, KT_OP_index_fill_tensor, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, value);
    return kt__close_inplace(&c);
}

kt_tensor *kt_index_fill(const kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value)
{
    kt_call c;
    kt__open(&c, KT_OP_index_fill, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put(&c, 3, s, value);
    return kt__close(&c);
}

kt_tensor *kt_index_fill_(kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value)
{
    kt_call c;
    kt__open(&c, KT_OP_index_fill, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put(&c, 3, s, value);
    return kt__close_inplace(&c);
}

kt_tensor *kt_scatter_reduce_kw(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src, const char *reduce, const kt_scatter_reduce_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_reduce, KT_PLAIN);
    kt_scatter_reduce_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, src);
    kt__put(&c, 4, str, reduce);
    if (opts && opts->include_self.some)
        kt__put(&c, 5, b, opts->include_self.v);
    return kt__close(&c);
}

kt_tensor *kt_scatter_reduce__kw(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src, const char *reduce, const kt_scatter_reduce_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_reduce, KT_INPLACE);
    kt_scatter_reduce_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, src);
    kt__put(&c, 4, str, reduce);
    if (opts && opts->include_self.some)
        kt__put(&c, 5, b, opts->include_self.v);
    return kt__close_inplace(&c);
}

kt_tensor *kt_scatter_reduce_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src, const char *reduce, const kt_scatter_reduce_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_scatter_reduce, KT_OUT);
    kt_scatter_reduce_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, src);
    kt__put(&c, 4, str, reduce);
    if (opts && opts->include_self.some)
        kt__put(&c, 5, b, opts->include_self.v);
    return kt__close_out(&c, out);
}

kt_tensor *kt_index_reduce_kw(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source, const char *reduce, const kt_index_reduce_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_index_reduce, KT_PLAIN);
    kt_index_reduce_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, source);
    kt__put(&c, 4, str, reduce);
    if (opts && opts->include_self.some)
        kt__put(&c, 5, b, opts->include_self.v);
    return kt__close(&c);
}

kt_tensor *kt_index_reduce__kw(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source, const char *reduce, const kt_index_reduce_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_index_reduce, KT_INPLACE);
    kt_index_reduce_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, source);
    kt__put(&c, 4, str, reduce);
    if (opts && opts->include_self.some)
        kt__put(&c, 5, b, opts->include_self.v);
    return kt__close_inplace(&c);
}

kt_tensor *kt_index_reduce_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source, const char *reduce, const kt_index_reduce_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_index_reduce, KT_OUT);
    kt_index_reduce_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put_tensor(&c, 2, index);
    kt__put_tensor(&c, 3, source);
    kt__put(&c, 4, str, reduce);
    if (opts && opts->include_self.some)
        kt__put(&c, 5, b, opts->include_self.v);
    return kt__close_out(&c, out);
}

kt_tensor *kt_take_along_dim_kw(const kt_tensor *self, const kt_tensor *indices, const kt_take_along_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_take_along_dim, KT_PLAIN);
    kt_take_along_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, indices);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    return kt__close(&c);
}

kt_tensor *kt_take_along_dim_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *indices, const kt_take_along_dim_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_take_along_dim, KT_OUT);
    kt_take_along_dim_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, indices);
    if (opts && opts->dim.some)
        kt__put(&c, 2, i, opts->dim.v);
    return kt__close_out(&c, out);
}

int64_t kt_unravel_index(const kt_tensor *indices, kt_shape shape, kt_tensor **results, int64_t room)
{
    kt_call c;
    kt__open(&c, KT_OP_unravel_index, KT_PLAIN);
    kt__put_tensor(&c, 0, indices);
    kt__put(&c, 1, ints, shape);
    return kt__close_list(&c, results, room);
}

kt_tensor *kt_masked_fill_tensor(const kt_tensor *self, const kt_tensor *mask, const kt_tensor *value)
{
    kt_call c;
    kt__open(&c, KT_OP_masked_fill_tensor, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mask);
    kt__put_tensor(&c, 2, value);
    return kt__close(&c);
}

kt_tensor *kt_masked_fill_tensor_(kt_tensor *self, const kt_tensor *mask, const kt_tensor *value)
{
    kt_call c;
    kt__open(&c, KT_OP_masked_fill_tensor, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mask);
    kt__put_tensor(&c, 2, value);
    return kt__close_inplace(&c);
}

kt_tensor *kt_masked_fill(const kt_tensor *self, const kt_tensor *mask, kt_scalar value)
{
    kt_call c;
    kt__open(&c, KT_OP_masked_fill, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mask);
    kt__put(&c, 2, s, value);
    return kt__close(&c);
}

kt_tensor *kt_masked_fill_(kt_tensor *self, const kt_tensor *mask, kt_scalar value)
{
    kt_call c;
    kt__open(&c, KT_OP_masked_fill, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mask);
    kt__put(&c, 2, s, value);
    return kt__close_inplace(&c);
}

kt_tensor *kt_masked_select(const kt_tensor *self, const kt_tensor *mask)
{
    kt_call c;
    kt__open(&c, KT_OP_masked_select, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mask);
    return kt__close(&c);
}

kt_tensor *kt_masked_select_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *mask)
{
    kt_call c;
    kt__open(&c, KT_OP_masked_select, KT_OUT);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mask);
    return kt__close_out(&c, out);
}

kt_tensor *kt_masked_scatter(const kt_tensor *self, const kt_tensor *mask, const kt_tensor *source)
{
    kt_call c;
    kt__open(&c, KT_OP_masked_scatter, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mask);
    kt__put_tensor(&c, 2, source);
    return kt__close(&c);
}

kt_tensor *kt_masked_scatter_(kt_tensor *self, const kt_tensor *mask, const kt_tensor *source)
{
    kt_call c;
    kt__open(&c, KT_OP_masked_scatter, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, mask);
    kt__put_tensor(&c, 2, source);
    return kt__close_inplace(&c);
}

kt_tensor *kt_nonzero(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_nonzero, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

kt_tensor *kt_nonzero_out(kt_tensor *out, const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_nonzero, KT_OUT);
    kt__put_tensor(&c, 0, self);
    return kt__close_out(&c, out);
}

kt_tensor *kt_argwhere(const kt_tensor *self)
{
    kt_call c;
    kt__open(&c, KT_OP_argwhere, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close(&c);
}

int64_t kt_nonzero_numpy(const kt_tensor *self, kt_tensor **results, int64_t room)
{
    kt_call c;
    kt__open(&c, KT_OP_nonzero_numpy, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__close_list(&c, results, room);
}

int64_t kt_where_self(const kt_tensor *condition, kt_tensor **results, int64_t room)
{
    kt_call c;
    kt__open(&c, KT_OP_where_self, KT_PLAIN);
    kt__put_tensor(&c, 0, condition);
    return kt__close_list(&c, results, room);
}

kt_tensor *kt_nonzero_static_kw(const kt_tensor *self, int64_t size, const kt_nonzero_static_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nonzero_static, KT_PLAIN);
    kt_nonzero_static_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, size);
    if (opts && opts->fill_value.some)
        kt__put(&c, 2, i, opts->fill_value.v);
    return kt__close(&c);
}

kt_tensor *kt_nonzero_static_out_kw(kt_tensor *out, const kt_tensor *self, int64_t size, const kt_nonzero_static_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nonzero_static, KT_OUT);
    kt_nonzero_static_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, size);
    if (opts && opts->fill_value.some)
        kt__put(&c, 2, i, opts->fill_value.v);
    return kt__close_out(&c, out);
}

kt_tensor *kt_embedding_kw(const kt_tensor *weight, const kt_tensor *indices, const kt_embedding_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_embedding, KT_PLAIN);
    kt_embedding_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, weight);
    kt__put_tensor(&c, 1, indices);
    if (opts && opts->padding_idx.some)
        kt__put(&c, 2, i, opts->padding_idx.v);
    if (opts && opts->scale_grad_by_freq)
        kt__put(&c, 3, b, opts->scale_grad_by_freq);
    if (opts && opts->sparse)
        kt__put(&c, 4, b, opts->sparse);
    return kt__close(&c);
}

kt_tensor *kt_nn_embedding_kw(const kt_tensor *input, const kt_tensor *weight, const kt_nn_embedding_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_embedding, KT_PLAIN);
    kt_nn_embedding_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, weight);
    if (opts && opts->padding_idx.some)
        kt__put(&c, 2, i, opts->padding_idx.v);
    if (opts && opts->max_norm.some)
        kt__put(&c, 3, f, opts->max_norm.v);
    if (opts && opts->norm_type.some)
        kt__put(&c, 4, f, opts->norm_type.v);
    if (opts && opts->scale_grad_by_freq)
        kt__put(&c, 5, b, opts->scale_grad_by_freq);
    if (opts && opts->sparse)
        kt__put(&c, 6, b, opts->sparse);
    return kt__close(&c);
}

kt_tensor *kt_nn_one_hot_kw(const kt_tensor *self, const kt_nn_one_hot_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_one_hot, KT_PLAIN);
    kt_nn_one_hot_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    if (opts && opts->num_classes.some)
        kt__put(&c, 1, i, opts->num_classes.v);
    return kt__close(&c);
}

kt_tensor *kt_softmax_kw(const kt_tensor *self, int64_t dim, const kt_softmax_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_softmax, KT_PLAIN);
    kt_softmax_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_softmax_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_softmax_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_softmax, KT_OUT);
    kt_softmax_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_log_softmax_kw(const kt_tensor *self, int64_t dim, const kt_log_softmax_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_log_softmax, KT_PLAIN);
    kt_log_softmax_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_log_softmax_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_log_softmax_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_log_softmax, KT_OUT);
    kt_log_softmax_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    return kt__close_out(&c, out);
}

kt_tensor *kt_softmax_along(const kt_tensor *self, int64_t dim, bool half_to_float)
{
    kt_call c;
    kt__open(&c, KT_OP_softmax_along, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put(&c, 2, b, half_to_float);
    return kt__close(&c);
}

kt_tensor *kt_log_softmax_along(const kt_tensor *self, int64_t dim, bool half_to_float)
{
    kt_call c;
    kt__open(&c, KT_OP_log_softmax_along, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    kt__put(&c, 2, b, half_to_float);
    return kt__close(&c);
}

kt_tensor *kt_softmax_backward_data(const kt_tensor *grad_output, const kt_tensor *output, int64_t dim, kt_dtype input_dtype)
{
    kt_call c;
    kt__open(&c, KT_OP_softmax_backward_data, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, output);
    kt__put(&c, 2, i, dim);
    kt__put(&c, 3, dtype, input_dtype);
    return kt__close(&c);
}

kt_tensor *kt_log_softmax_backward_data(const kt_tensor *grad_output, const kt_tensor *output, int64_t dim, kt_dtype input_dtype)
{
    kt_call c;
    kt__open(&c, KT_OP_log_softmax_backward_data, KT_PLAIN);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, output);
    kt__put(&c, 2, i, dim);
    kt__put(&c, 3, dtype, input_dtype);
    return kt__close(&c);
}

kt_tensor *kt_special_softmax_kw(const kt_tensor *self, int64_t dim, const kt_special_softmax_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_special_softmax, KT_PLAIN);
    kt_special_softmax_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_special_log_softmax_kw(const kt_tensor *self, int64_t dim, const kt_special_log_softmax_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_special_log_softmax, KT_PLAIN);
    kt_special_log_softmax_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, i, dim);
    if (opts && opts->dtype)
        kt__put(&c, 2, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_nn_softmax_kw(const kt_tensor *input, const kt_nn_softmax_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_softmax, KT_PLAIN);
    kt_nn_softmax_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    if (opts && opts->_stacklevel.some)
        kt__put(&c, 2, i, opts->_stacklevel.v);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_nn_log_softmax_kw(const kt_tensor *input, const kt_nn_log_softmax_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_log_softmax, KT_PLAIN);
    kt_nn_log_softmax_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    if (opts && opts->_stacklevel.some)
        kt__put(&c, 2, i, opts->_stacklevel.v);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_nn_softmin_kw(const kt_tensor *input, const kt_nn_softmin_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_softmin, KT_PLAIN);
    kt_nn_softmin_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    if (opts && opts->dim.some)
        kt__put(&c, 1, i, opts->dim.v);
    if (opts && opts->_stacklevel.some)
        kt__put(&c, 2, i, opts->_stacklevel.v);
    if (opts && opts->dtype)
        kt__put(&c, 3, dtype, opts->dtype);
    return kt__close(&c);
}

kt_tensor *kt_mse_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_mse_loss_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_mse_loss, KT_PLAIN);
    kt_mse_loss_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->reduction.some)
        kt__put(&c, 2, i, opts->reduction.v);
    return kt__close(&c);
}

kt_tensor *kt_smooth_l1_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_smooth_l1_loss_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_smooth_l1_loss, KT_PLAIN);
    kt_smooth_l1_loss_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->reduction.some)
        kt__put(&c, 2, i, opts->reduction.v);
    if (opts && opts->beta.some)
        kt__put(&c, 3, f, opts->beta.v);
    return kt__close(&c);
}

kt_tensor *kt_huber_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_huber_loss_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_huber_loss, KT_PLAIN);
    kt_huber_loss_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->reduction.some)
        kt__put(&c, 2, i, opts->reduction.v);
    if (opts && opts->delta.some)
        kt__put(&c, 3, f, opts->delta.v);
    return kt__close(&c);
}

kt_tensor *kt_mse_loss_backward_kw(const kt_tensor *grad_output, const kt_tensor *input, const kt_tensor *target, const kt_mse_loss_backward_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_mse_loss_backward, KT_PLAIN);
    kt_mse_loss_backward_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, input);
    kt__put_tensor(&c, 2, target);
    if (opts && opts->reduction)
        kt__put(&c, 3, i, opts->reduction);
    return kt__close(&c);
}

kt_tensor *kt_smooth_l1_loss_backward_kw(const kt_tensor *grad_output, const kt_tensor *input, const kt_tensor *target, const kt_smooth_l1_loss_backward_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_smooth_l1_loss_backward, KT_PLAIN);
    kt_smooth_l1_loss_backward_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, input);
    kt__put_tensor(&c, 2, target);
    if (opts && opts->reduction)
        kt__put(&c, 3, i, opts->reduction);
    if (opts && opts->beta.some)
        kt__put(&c, 4, f, opts->beta.v);
    return kt__close(&c);
}

kt_tensor *kt_huber_loss_backward_kw(const kt_tensor *grad_output, const kt_tensor *input, const kt_tensor *target, const kt_huber_loss_backward_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_huber_loss_backward, KT_PLAIN);
    kt_huber_loss_backward_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, grad_output);
    kt__put_tensor(&c, 1, input);
    kt__put_tensor(&c, 2, target);
    if (opts && opts->reduction)
        kt__put(&c, 3, i, opts->reduction);
    if (opts && opts->delta.some)
        kt__put(&c, 4, f, opts->delta.v);
    return kt__close(&c);
}

kt_tensor *kt_nn_mse_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_mse_loss_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_mse_loss, KT_PLAIN);
    kt_nn_mse_loss_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->size_average.some)
        kt__put(&c, 2, b, opts->size_average.v);
    if (opts && opts->reduce.some)
        kt__put(&c, 3, b, opts->reduce.v);
    if (opts && opts->reduction)
        kt__put(&c, 4, str, opts->reduction);
    if (opts && opts->weight)
        kt__put_tensor(&c, 5, opts->weight);
    return kt__close(&c);
}

kt_tensor *kt_nn_l1_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_l1_loss_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_l1_loss, KT_PLAIN);
    kt_nn_l1_loss_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->size_average.some)
        kt__put(&c, 2, b, opts->size_average.v);
    if (opts && opts->reduce.some)
        kt__put(&c, 3, b, opts->reduce.v);
    if (opts && opts->reduction)
        kt__put(&c, 4, str, opts->reduction);
    if (opts && opts->weight)
        kt__put_tensor(&c, 5, opts->weight);
    return kt__close(&c);
}

kt_tensor *kt_nn_smooth_l1_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_smooth_l1_loss_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_smooth_l1_loss, KT_PLAIN);
    kt_nn_smooth_l1_loss_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->size_average.some)
        kt__put(&c, 2, b, opts->size_average.v);
    if (opts && opts->reduce.some)
        kt__put(&c, 3, b, opts->reduce.v);
    if (opts && opts->reduction)
        kt__put(&c, 4, str, opts->reduction);
    if (opts && opts->beta.some)
        kt__put(&c, 5, f, opts->beta.v);
    return kt__close(&c);
}

kt_tensor *kt_nn_huber_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_huber_loss_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_huber_loss, KT_PLAIN);
    kt_nn_huber_loss_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->reduction)
        kt__put(&c, 2, str, opts->reduction);
    if (opts && opts->delta.some)
        kt__put(&c, 3, f, opts->delta.v);
    if (opts && opts->weight)
        kt__put_tensor(&c, 4, opts->weight);
    return kt__close(&c);
}

kt_tensor *kt_nll_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_nll_loss_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nll_loss, KT_PLAIN);
    kt_nll_loss_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->weight)
        kt__put_tensor(&c, 2, opts->weight);
    if (opts && opts->reduction.some)
        kt__put(&c, 3, i, opts->reduction.v);
    if (opts && opts->ignore_index.some)
        kt__put(&c, 4, i, opts->ignore_index.v);
    return kt__close(&c);
}

kt_tensor *kt_nll_loss2d_kw(const kt_tensor *input, const kt_tensor *target, const kt_nll_loss2d_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nll_loss2d, KT_PLAIN);
    kt_nll_loss2d_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->weight)
        kt__put_tensor(&c, 2, opts->weight);
    if (opts && opts->reduction.some)
        kt__put(&c, 3, i, opts->reduction.v);
    if (opts && opts->ignore_index.some)
        kt__put(&c, 4, i, opts->ignore_index.v);
    return kt__close(&c);
}

kt_tensor *kt_nn_nll_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_nll_loss_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_nll_loss, KT_PLAIN);
    kt_nn_nll_loss_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->weight)
        kt__put_tensor(&c, 2, opts->weight);
    if (opts && opts->size_average.some)
        kt__put(&c, 3, b, opts->size_average.v);
    if (opts && opts->ignore_index.some)
        kt__put(&c, 4, i, opts->ignore_index.v);
    if (opts && opts->reduce.some)
        kt__put(&c, 5, b, opts->reduce.v);
    if (opts && opts->reduction)
        kt__put(&c, 6, str, opts->reduction);
    return kt__close(&c);
}

kt_tensor *kt_nn_cross_entropy_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_cross_entropy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_cross_entropy, KT_PLAIN);
    kt_nn_cross_entropy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->weight)
        kt__put_tensor(&c, 2, opts->weight);
    if (opts && opts->size_average.some)
        kt__put(&c, 3, b, opts->size_average.v);
    if (opts && opts->ignore_index.some)
        kt__put(&c, 4, i, opts->ignore_index.v);
    if (opts && opts->reduce.some)
        kt__put(&c, 5, b, opts->reduce.v);
    if (opts && opts->reduction)
        kt__put(&c, 6, str, opts->reduction);
    if (opts && opts->label_smoothing)
        kt__put(&c, 7, f, opts->label_smoothing);
    return kt__close(&c);
}

kt_tensor *kt_div_by_number(const kt_tensor *input, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_div_by_number, KT_PLAIN);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_div_by_number_s(const kt_tensor *input, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_div_by_number, KT_PLAIN);
    kt__put_tensor(&c, 0, input);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_mul_by_number(const kt_tensor *input, const kt_tensor *other)
{
    kt_call c;
    kt__open(&c, KT_OP_mul_by_number, KT_PLAIN);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_mul_by_number_s(const kt_tensor *input, kt_scalar other)
{
    kt_call c;
    kt__open(&c, KT_OP_mul_by_number, KT_PLAIN);
    kt__put_tensor(&c, 0, input);
    kt__put_either(&c, 1, other);
    return kt__close(&c);
}

kt_tensor *kt_binary_cross_entropy_kw(const kt_tensor *input, const kt_tensor *target, const kt_binary_cross_entropy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_binary_cross_entropy, KT_PLAIN);
    kt_binary_cross_entropy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->weight)
        kt__put_tensor(&c, 2, opts->weight);
    if (opts && opts->reduction.some)
        kt__put(&c, 3, i, opts->reduction.v);
    return kt__close(&c);
}

kt_tensor *kt_bce_logits_kw(kt_tensor *const *tensors, int64_t n_tensors, const kt_bce_logits_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_bce_logits, KT_PLAIN);
    kt_bce_logits_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensors(&c, 0, tensors, n_tensors);
    if (opts && opts->reduction)
        kt__put(&c, 1, i, opts->reduction);
    return kt__close(&c);
}

kt_tensor *kt_binary_cross_entropy_with_logits_kw(const kt_tensor *input, const kt_tensor *target, const kt_binary_cross_entropy_with_logits_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_binary_cross_entropy_with_logits, KT_PLAIN);
    kt_binary_cross_entropy_with_logits_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->weight)
        kt__put_tensor(&c, 2, opts->weight);
    if (opts && opts->pos_weight)
        kt__put_tensor(&c, 3, opts->pos_weight);
    if (opts && opts->reduction)
        kt__put(&c, 4, i, opts->reduction);
    return kt__close(&c);
}

kt_tensor *kt_kl_div_kw(const kt_tensor *input, const kt_tensor *target, const kt_kl_div_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_kl_div, KT_PLAIN);
    kt_kl_div_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->reduction)
        kt__put(&c, 2, i, opts->reduction);
    if (opts && opts->log_target)
        kt__put(&c, 3, b, opts->log_target);
    return kt__close(&c);
}

kt_tensor *kt_nn_binary_cross_entropy_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_binary_cross_entropy_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_binary_cross_entropy, KT_PLAIN);
    kt_nn_binary_cross_entropy_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->weight)
        kt__put_tensor(&c, 2, opts->weight);
    if (opts && opts->size_average.some)
        kt__put(&c, 3, b, opts->size_average.v);
    if (opts && opts->reduce.some)
        kt__put(&c, 4, b, opts->reduce.v);
    if (opts && opts->reduction)
        kt__put(&c, 5, str, opts->reduction);
    return kt__close(&c);
}

kt_tensor *kt_nn_binary_cross_entropy_with_logits_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_binary_cross_entropy_with_logits_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_binary_cross_entropy_with_logits, KT_PLAIN);
    kt_nn_binary_cross_entropy_with_logits_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->weight)
        kt__put_tensor(&c, 2, opts->weight);
    if (opts && opts->size_average.some)
        kt__put(&c, 3, b, opts->size_average.v);
    if (opts && opts->reduce.some)
        kt__put(&c, 4, b, opts->reduce.v);
    if (opts && opts->reduction)
        kt__put(&c, 5, str, opts->reduction);
    if (opts && opts->pos_weight)
        kt__put_tensor(&c, 6, opts->pos_weight);
    return kt__close(&c);
}

kt_tensor *kt_nn_kl_div_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_kl_div_opts *opts)
{
    kt_call c;
    kt__open(&c, KT_OP_nn_kl_div, KT_PLAIN);
    kt_nn_kl_div_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt__put_tensor(&c, 0, input);
    kt__put_tensor(&c, 1, target);
    if (opts && opts->size_average.some)
        kt__put(&c, 2, b, opts->size_average.v);
    if (opts && opts->reduce.some)
        kt__put(&c, 3, b, opts->reduce.v);
    if (opts && opts->reduction)
        kt__put(&c, 4, str, opts->reduction);
    if (opts && opts->log_target)
        kt__put(&c, 5, b, opts->log_target);
    return kt__close(&c);
}
