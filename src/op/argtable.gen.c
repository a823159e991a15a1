/* argtable.gen.c - the arguments of every operator, packed. Written by tools/gen_ops.c from src/tables/ops.def: do
 * not edit. Bindings read it, so nothing is parsed at start. */
#include "op/row.h"

const kt_arg_spec kt__arg_table[] = {
    /* add */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* sub */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* rsub */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* mul */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* div */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"rounding_mode", KT_ARG_STRING, 1, 1, 1, 0, 0, 0, {0}},
    /* true_divide */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* floor_divide */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* remainder */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* fmod */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* pow */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"exponent", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* pow_base */
    {"self", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"exponent", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* float_power */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"exponent", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* ldexp */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* atan2 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* copysign */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* hypot */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* logaddexp */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* logaddexp2 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* nextafter */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* xlogy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* heaviside */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"values", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* gcd */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* lcm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* maximum */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* minimum */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* fmax */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* fmin */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* eq */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* ne */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* lt */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* le */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* gt */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* ge */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* isclose */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"rtol", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 1e-05}},
    {"atol", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 1e-08}},
    {"equal_nan", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* clamp */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"min", KT_ARG_TENSOR_OR_SCALAR, 1, 1, 0, 0, 0, 0, {0}},
    {"max", KT_ARG_TENSOR_OR_SCALAR, 1, 1, 0, 0, 0, 0, {0}},
    /* clamp_min */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"min", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* clamp_max */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"max", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* logical_and */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* logical_or */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* logical_xor */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* logical_not */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* bitwise_and */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* bitwise_or */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* bitwise_xor */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* bitwise_not */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* bitwise_left_shift */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* bitwise_right_shift */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* abs */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* isnan */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* isinf */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* isfinite */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* isposinf */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* isneginf */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* signbit */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* sign */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* sgn */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* neg */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* positive */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* square */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* ceil */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* floor */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* trunc */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* round */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"decimals", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = 0}},
    /* frac */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* relu */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* reciprocal */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* sqrt */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* rsqrt */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* exp */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* exp2 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* expm1 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* log */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* log2 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* log10 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* log1p */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* sin */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* cos */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* tan */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* asin */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* acos */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* atan */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* sinh */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* cosh */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* tanh */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* asinh */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* acosh */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* atanh */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* sigmoid */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* sinc */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* erf */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* erfc */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* erfinv */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* digamma */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* lgamma */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* i0 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* special_i1 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* polygamma */
    {"n", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* polygamma_of */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"n", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 1}},
    /* frexp */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* frexp_mantissa */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* frexp_exponent */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* logit */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"eps", KT_ARG_FLOAT, 1, 1, 0, 0, 0, 0, {0}},
    /* deg2rad */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* rad2deg */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* angle */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* nan_to_num */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"nan", KT_ARG_FLOAT, 1, 1, 0, 0, 0, 0, {0}},
    {"posinf", KT_ARG_FLOAT, 1, 1, 0, 0, 0, 0, {0}},
    {"neginf", KT_ARG_FLOAT, 1, 1, 0, 0, 0, 0, {0}},
    /* conj_physical */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* conj_physical_of */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* complex */
    {"real", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"imag", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* polar */
    {"abs", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"angle", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* where */
    {"condition", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* lerp */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"end", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* addcmul */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"tensor1", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"tensor2", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"value", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* addcdiv */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"tensor1", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"tensor2", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"value", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* isreal */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* gelu */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"approximate", KT_ARG_STRING, 0, 1, 1, 0, 0, 0, {.str = "none"}},
    /* silu */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* mish */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* elu */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"scale", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"input_scale", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* celu */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.re = 1.0}, 0, KT_SCALAR_FLOAT, 0}}},
    /* selu */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* leaky_relu */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"negative_slope", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.re = 0.01}, 0, KT_SCALAR_FLOAT, 0}}},
    /* hardtanh */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"min_val", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.i = -1}, 0, KT_SCALAR_INT, 0}}},
    {"max_val", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* relu6 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* hardsigmoid */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* hardswish */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* hardshrink */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"lambd", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.re = 0.5}, 0, KT_SCALAR_FLOAT, 0}}},
    /* softshrink */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"lambd", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.re = 0.5}, 0, KT_SCALAR_FLOAT, 0}}},
    /* softplus */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"beta", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"threshold", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.i = 20}, 0, KT_SCALAR_INT, 0}}},
    /* log_sigmoid */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* softsign */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* tanhshrink */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* threshold */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"threshold", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"value", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* prelu */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* prelu_kernel */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* glu */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -1}},
    /* glu_halves */
    {"first", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"second", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* gelu_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"approximate", KT_ARG_STRING, 0, 1, 1, 0, 0, 0, {.str = "none"}},
    /* silu_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* elu_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self_or_result", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"alpha", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"scale", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"input_scale", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"is_result", KT_ARG_BOOL, 0, 0, 0, 0, 0, 0, {0}},
    /* leaky_relu_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"negative_slope", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"self_is_result", KT_ARG_BOOL, 0, 0, 0, 0, 0, 0, {0}},
    /* threshold_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"threshold", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* hardtanh_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"min_val", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"max_val", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* hardsigmoid_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* hardswish_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* hardshrink_backward */
    {"grad_out", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"lambd", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* softshrink_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"lambd", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* softplus_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"beta", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"threshold", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* log_sigmoid_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* prelu_kernel_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* glu_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* sum */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* sum_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 0, 0, 0, 0, 1, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* nansum */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 1, 0, 0, 0, 1, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* prod */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* prod_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* mean */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* mean_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 0, 0, 0, 0, 1, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* nanmean */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 1, 0, 0, 0, 1, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* logsumexp */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 0, 0, 0, 0, 0, 1, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* count_nonzero */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    /* count_nonzero_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* var */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"unbiased", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    /* var_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 0, 0, 0, 0, 1, {0}},
    {"unbiased", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* var_correction */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 1, 0, 0, 0, 1, {0}},
    {"correction", KT_ARG_SCALAR, 1, 1, 1, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* std */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"unbiased", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    /* std_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 0, 0, 0, 0, 1, {0}},
    {"unbiased", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* std_correction */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 1, 0, 0, 0, 1, {0}},
    {"correction", KT_ARG_SCALAR, 1, 1, 1, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* var_mean */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"unbiased", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    /* var_mean_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 0, 0, 0, 0, 1, {0}},
    {"unbiased", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* var_mean_correction */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 1, 0, 0, 0, 1, {0}},
    {"correction", KT_ARG_SCALAR, 1, 1, 1, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* std_mean */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"unbiased", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    /* std_mean_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 0, 0, 0, 0, 1, {0}},
    {"unbiased", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* std_mean_correction */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 1, 0, 0, 0, 1, {0}},
    {"correction", KT_ARG_SCALAR, 1, 1, 1, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* max */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* max_other */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* max_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* min */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* min_other */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* min_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* amax */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 0, 1, 0, 0, 0, 1, {.ints = {0, NULL}}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* amin */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 0, 1, 0, 0, 0, 1, {.ints = {0, NULL}}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* aminmax */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 1, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* argmax */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* argmin */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* any */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* any_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* any_dims */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 1, 0, 0, 0, 1, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* all */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* all_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* all_dims */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 1, 0, 0, 0, 1, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* linalg_vector_norm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"ord", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.i = 2}, 0, KT_SCALAR_INT, 0}}},
    {"dim", KT_ARG_INTS, 1, 1, 0, 0, 0, 1, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* norm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_SCALAR, 1, 1, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 1, 0, 0, 0, 1, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* norm_str */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_STRING, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 1, 0, 0, 0, 1, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* linalg_matrix_norm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"ord", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 0, 1, 0, 0, 0, 0, {.ints = {2, (const int64_t[]){-2, -1}}}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* linalg_matrix_norm_str */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"ord", KT_ARG_STRING, 0, 1, 0, 0, 0, 0, {.str = "fro"}},
    {"dim", KT_ARG_INTS, 0, 1, 0, 0, 0, 0, {.ints = {2, (const int64_t[]){-2, -1}}}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* linalg_norm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"ord", KT_ARG_SCALAR, 1, 1, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 1, 0, 0, 0, 1, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* linalg_norm_str */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"ord", KT_ARG_STRING, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 1, 1, 0, 0, 0, 1, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* frobenius_norm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 0, 0, 0, 0, 0, 1, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* dist */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.i = 2}, 0, KT_SCALAR_INT, 0}}},
    /* trace */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* cov */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"correction", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = 1}},
    {"fweights", KT_ARG_TENSOR, 1, 1, 1, 0, 0, 0, {0}},
    {"aweights", KT_ARG_TENSOR, 1, 1, 1, 0, 0, 0, {0}},
    /* corrcoef */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* cumsum */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* cumprod */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* logcumsumexp */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* cummax */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* cummin */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* diff */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"n", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 1}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -1}},
    {"prepend", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    {"append", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    /* trapezoid_x */
    {"y", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"x", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = -1}},
    /* trapezoid_dx */
    {"y", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dx", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"dim", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = -1}},
    /* trapz_dx */
    {"y", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dx", KT_ARG_FLOAT, 0, 1, 1, 0, 0, 0, {.f = 1}},
    {"dim", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = -1}},
    /* trapz_x */
    {"y", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"x", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = -1}},
    /* cumulative_trapezoid_x */
    {"y", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"x", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = -1}},
    /* cumulative_trapezoid_dx */
    {"y", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dx", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"dim", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = -1}},
    /* vander */
    {"x", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"N", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    {"increasing", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* linalg_vander */
    {"x", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"N", KT_ARG_INT, 1, 1, 1, 0, 0, 1, {0}},
    /* sort_stable */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"stable", KT_ARG_BOOL, 0, 0, 1, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = -1}},
    {"descending", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* sort */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -1}},
    {"descending", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* argsort_stable */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"stable", KT_ARG_BOOL, 0, 0, 1, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = -1}},
    {"descending", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* argsort */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -1}},
    {"descending", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* msort */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* topk */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"k", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -1}},
    {"largest", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    {"sorted", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    /* kthvalue */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"k", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -1}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* median */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* median_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* nanmedian */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* nanmedian_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* mode */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -1}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* unique */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"sorted", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    {"return_inverse", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"return_counts", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* unique_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"sorted", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    {"return_inverse", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"return_counts", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* unique_consecutive */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"return_inverse", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"return_counts", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    /* isin */
    {"elements", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"test_elements", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"assume_unique", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"invert", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* isin_element */
    {"element", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"test_elements", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"assume_unique", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"invert", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* isin_number */
    {"elements", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"test_element", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"assume_unique", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"invert", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* searchsorted */
    {"sorted_sequence", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"out_int32", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"right", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"side", KT_ARG_STRING, 1, 1, 1, 0, 0, 0, {0}},
    {"sorter", KT_ARG_TENSOR, 1, 1, 1, 0, 0, 0, {0}},
    /* searchsorted_number */
    {"sorted_sequence", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"out_int32", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"right", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"side", KT_ARG_STRING, 1, 1, 1, 0, 0, 0, {0}},
    {"sorter", KT_ARG_TENSOR, 1, 1, 1, 0, 0, 0, {0}},
    /* bucketize */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"boundaries", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"out_int32", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"right", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* bucketize_number */
    {"self", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"boundaries", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"out_int32", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"right", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* bincount */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weights", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    {"minlength", KT_ARG_INT, 0, 1, 0, 0, 0, 1, {.i = 0}},
    /* histc */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"bins", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 100}},
    {"min", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.i = 0}, 0, KT_SCALAR_INT, 0}}},
    {"max", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.i = 0}, 0, KT_SCALAR_INT, 0}}},
    /* histogram_edges */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"bins", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 1, 1, 1, 0, 0, 0, {0}},
    {"density", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* histogram */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"bins", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 100}},
    {"low", KT_ARG_FLOAT, 1, 1, 1, 0, 0, 0, {0}},
    {"high", KT_ARG_FLOAT, 1, 1, 1, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 1, 1, 1, 0, 0, 0, {0}},
    {"density", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* quantile */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"q", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"interpolation", KT_ARG_STRING, 0, 1, 1, 0, 0, 0, {.str = "linear"}},
    /* quantile_number */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"q", KT_ARG_FLOAT, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"interpolation", KT_ARG_STRING, 0, 1, 1, 0, 0, 0, {.str = "linear"}},
    /* nanquantile */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"q", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"interpolation", KT_ARG_STRING, 0, 1, 1, 0, 0, 0, {.str = "linear"}},
    /* nanquantile_number */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"q", KT_ARG_FLOAT, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"interpolation", KT_ARG_STRING, 0, 1, 1, 0, 0, 0, {.str = "linear"}},
    /* matmul */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* matmul_batched */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* mm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"mat2", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* bmm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"mat2", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* mv */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"vec", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* dot */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"tensor", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* vdot */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* addmm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"mat1", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"mat2", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"beta", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* addmv */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"mat", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"vec", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"beta", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* baddbmm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"batch1", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"batch2", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"beta", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* addbmm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"batch1", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"batch2", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"beta", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* addr */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"vec1", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"vec2", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"beta", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* linear */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"bias", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    /* bilinear */
    {"input1", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"input2", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"bias", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    /* outer */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"vec2", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* ger */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"vec2", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* inner */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* tensordot */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dims_self", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"dims_other", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* kron */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* einsum */
    {"equation", KT_ARG_STRING, 0, 0, 0, 0, 0, 0, {0}},
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    /* linalg_multi_dot */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    /* chain_matmul */
    {"matrices", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    /* linalg_vecdot */
    {"x", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"y", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = -1}},
    /* linalg_matrix_power */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"n", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* matrix_power */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"n", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* linalg_cross */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = -1}},
    /* cross */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    /* block_diag */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    /* cartesian_prod */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    /* cdist */
    {"x1", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"x2", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 2}},
    {"compute_mode", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    /* renorm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"maxnorm", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* to */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 0, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"copy", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    {"casting", KT_ARG_STRING, 0, 1, 1, 0, 0, 0, {.str = "unsafe"}},
    {"rounding", KT_ARG_STRING, 0, 1, 1, 0, 0, 0, {.str = "torch"}},
    /* to_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 0, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    {"casting", KT_ARG_STRING, 0, 1, 1, 0, 0, 0, {.str = "unsafe"}},
    {"rounding", KT_ARG_STRING, 0, 1, 1, 0, 0, 0, {.str = "torch"}},
    /* clone */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    /* contiguous */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    /* copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"src", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* fill */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"value", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* zero */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* resolve_conj */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* resolve_neg */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* empty */
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    /* zeros */
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* ones */
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* full */
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"fill_value", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* eye */
    {"n", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"m", KT_ARG_INT, 1, 1, 0, 0, 0, 1, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* arange */
    {"start", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"end", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"step", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* range */
    {"start", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"end", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"step", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* linspace */
    {"start", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"end", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"steps", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* logspace */
    {"start", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"end", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"steps", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"base", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 10.0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* scalar_tensor */
    {"s", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* empty_like */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    /* zeros_like */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    /* ones_like */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    /* full_like */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"fill_value", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    /* new_empty */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* new_zeros */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* new_ones */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* new_full */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"fill_value", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* select */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    /* slice */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"start", KT_ARG_INT, 1, 1, 0, 0, 0, 1, {0}},
    {"end", KT_ARG_INT, 1, 1, 0, 0, 0, 1, {0}},
    {"step", KT_ARG_INT, 0, 1, 0, 0, 0, 1, {.i = 1}},
    /* narrow */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"start", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"length", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    /* narrow_tensor */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"start", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"length", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* transpose */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim0", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"dim1", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* t */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* permute */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dims", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* expand */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"implicit", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* expand_as */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* view */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* reshape_alias */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"stride", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* unsafe_view */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* view_dtype */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 0, 0, 0, 0, 0, 0, {0}},
    /* reshape */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"shape", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* flatten */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"start_dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"end_dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -1}},
    /* squeeze */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* squeeze_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 0, 0, 0, 0, 0, 1, {0}},
    /* unsafe_squeeze */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* unsqueeze */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* unfold */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dimension", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"step", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* diagonal */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"offset", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"dim1", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"dim2", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 1}},
    /* as_strided */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"stride", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"storage_offset", KT_ARG_INT, 1, 1, 0, 0, 0, 1, {0}},
    /* real */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* imag */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* view_as_real */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* view_as_complex */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* conj */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* conj_lazy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* neg_view */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* detach */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* alias */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* movedim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"source", KT_ARG_INTS, 0, 0, 0, 0, 0, 1, {0}},
    {"destination", KT_ARG_INTS, 0, 0, 0, 0, 0, 1, {0}},
    /* moveaxis */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"source", KT_ARG_INTS, 0, 0, 0, 0, 0, 1, {0}},
    {"destination", KT_ARG_INTS, 0, 0, 0, 0, 0, 1, {0}},
    /* swapaxes */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"axis0", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"axis1", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* swapdims */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim0", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"dim1", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* unflatten */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"sizes", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* ravel */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* view_as */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* reshape_as */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* broadcast_to */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* atleast_1d */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* atleast_2d */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* atleast_3d */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* adjoint */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* linalg_diagonal */
    {"A", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"offset", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = 0}},
    {"dim1", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = -2}},
    {"dim2", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = -1}},
    /* sum_to_size */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* resize_ */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    /* resize_as_ */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"the_template", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    /* split */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"split_size", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* split_sizes */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"split_sizes", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* chunk */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"chunks", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* unbind */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* broadcast_tensors */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    /* cat */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* concat */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* concatenate */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* stack */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* hstack */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    /* vstack */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    /* row_stack */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    /* dstack */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    /* column_stack */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    /* foreach_mul */
    {"self", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    {"scalar", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* split_with_sizes */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"split_sizes", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* unsafe_split */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"split_size", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* unsafe_split_with_sizes */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"split_sizes", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* unsafe_chunk */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"chunks", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* tensor_split */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"sections", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* tensor_split_indices */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"indices", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* tensor_split_tensor */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"tensor_indices_or_sections", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* hsplit */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"sections", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* hsplit_indices */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"indices", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* vsplit */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"sections", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* vsplit_indices */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"indices", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* dsplit */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"sections", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* dsplit_indices */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"indices", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* meshgrid */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    {"indexing", KT_ARG_STRING, 1, 1, 1, 0, 0, 0, {0}},
    /* atleast_1d_list */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    /* atleast_2d_list */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    /* atleast_3d_list */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 0, 0, {0}},
    /* unbind_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* split_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"split_size", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* split_with_sizes_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"split_sizes", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* flip */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dims", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* fliplr */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* flipud */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* roll */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"shifts", KT_ARG_INTS, 0, 0, 0, 0, 0, 1, {0}},
    {"dims", KT_ARG_INTS, 0, 1, 0, 0, 0, 1, {.ints = {0, NULL}}},
    /* rot90 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"k", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 1}},
    {"dims", KT_ARG_INTS, 0, 1, 0, 0, 0, 0, {.ints = {2, (const int64_t[]){0, 1}}}},
    /* repeat */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"repeats", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* tile */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dims", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* repeat_interleave */
    {"repeats", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"output_size", KT_ARG_INT, 1, 1, 1, 0, 0, 1, {0}},
    /* repeat_interleave_tensor */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"repeats", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    {"output_size", KT_ARG_INT, 1, 1, 1, 0, 0, 1, {0}},
    /* repeat_interleave_int */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"repeats", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    {"output_size", KT_ARG_INT, 1, 1, 1, 0, 0, 1, {0}},
    /* interleave */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"repeats", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"output_size", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* tril */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"diagonal", KT_ARG_INT, 0, 1, 0, 0, 0, 1, {.i = 0}},
    /* triu */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"diagonal", KT_ARG_INT, 0, 1, 0, 0, 0, 1, {.i = 0}},
    /* tril_indices */
    {"row", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"col", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"offset", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    /* triu_indices */
    {"row", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"col", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"offset", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    /* diag */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"diagonal", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* diag_embed */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"offset", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"dim1", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -2}},
    {"dim2", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -1}},
    /* diagflat */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"offset", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* constant_pad_nd */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"pad", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"value", KT_ARG_SCALAR, 0, 1, 0, 0, 0, 0, {.s = {{.i = 0}, 0, KT_SCALAR_INT, 0}}},
    /* nn_pad */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"pad", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"mode", KT_ARG_STRING, 0, 1, 0, 0, 0, 0, {.str = "constant"}},
    {"value", KT_ARG_FLOAT, 1, 1, 0, 0, 0, 0, {0}},
    /* alias_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* as_strided_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"stride", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"storage_offset", KT_ARG_INT, 1, 1, 0, 0, 0, 1, {0}},
    /* detach_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* diagonal_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"offset", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"dim1", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"dim2", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 1}},
    /* expand_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"implicit", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* permute_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dims", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* select_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    /* slice_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"start", KT_ARG_INT, 1, 1, 0, 0, 0, 1, {0}},
    {"end", KT_ARG_INT, 1, 1, 0, 0, 0, 1, {0}},
    {"step", KT_ARG_INT, 0, 1, 0, 0, 0, 1, {.i = 1}},
    /* squeeze_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* squeeze_dim_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 0, 0, 0, 0, 0, 1, {0}},
    /* t_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* transpose_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim0", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"dim1", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* unfold_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dimension", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"step", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* unsqueeze_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    /* view_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* view_dtype_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 0, 0, 0, 0, 0, 0, {0}},
    /* view_as_real_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* view_as_complex_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* narrow_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"start", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"length", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    /* select_scatter */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"src", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    /* slice_scatter */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"src", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"start", KT_ARG_INT, 1, 1, 0, 0, 0, 1, {0}},
    {"end", KT_ARG_INT, 1, 1, 0, 0, 0, 1, {0}},
    {"step", KT_ARG_INT, 0, 1, 0, 0, 0, 1, {.i = 1}},
    /* diagonal_scatter */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"src", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"offset", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"dim1", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"dim2", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 1}},
    /* as_strided_scatter */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"src", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"stride", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"storage_offset", KT_ARG_INT, 1, 1, 0, 0, 0, 1, {0}},
    /* combinations */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"r", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 2}},
    {"with_replacement", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* rand */
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* rand_like */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    /* randn */
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* randn_like */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    /* randint */
    {"high", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* randint_low */
    {"low", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"high", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* randint_like */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"high", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    /* randint_like_low */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"low", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"high", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, 0, 0, {0}},
    /* randperm */
    {"n", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* normal_tensor_float */
    {"mean", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"std", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 1.0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* normal_float_tensor */
    {"mean", KT_ARG_FLOAT, 0, 0, 0, 0, 0, 0, {0}},
    {"std", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* normal_tensor_tensor */
    {"mean", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"std", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* normal_float_float */
    {"mean", KT_ARG_FLOAT, 0, 0, 0, 0, 0, 0, {0}},
    {"std", KT_ARG_FLOAT, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, 0, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* normal */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"mean", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 0.0}},
    {"std", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 1.0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* uniform */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"from", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 0.0}},
    {"to", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 1.0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* random */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* random_to */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"to", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* random_from */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"from", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"to", KT_ARG_INT, 1, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* exponential */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"lambd", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 1.0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* cauchy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"median", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 0.0}},
    {"sigma", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 1.0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* log_normal */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"mean", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 1.0}},
    {"std", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 2.0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* geometric */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* bernoulli */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* bernoulli_p */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* bernoulli_tensor */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* bernoulli_float */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 0.5}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* poisson */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 0, 0, 0, 0, {0}},
    /* multinomial */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"num_samples", KT_ARG_INT, 0, 0, 0, 0, 0, 1, {0}},
    {"replacement", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, 0, 0, {0}},
    /* dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 0, 0, 0, 0, 0, {0}},
    {"train", KT_ARG_BOOL, 0, 0, 0, 0, 0, 0, {0}},
    /* feature_dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 0, 0, 0, 0, 0, {0}},
    {"train", KT_ARG_BOOL, 0, 0, 0, 0, 0, 0, {0}},
    /* alpha_dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 0, 0, 0, 0, 0, {0}},
    {"train", KT_ARG_BOOL, 0, 0, 0, 0, 0, 0, {0}},
    /* feature_alpha_dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 0, 0, 0, 0, 0, {0}},
    {"train", KT_ARG_BOOL, 0, 0, 0, 0, 0, 0, {0}},
    /* native_dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 0, 0, 0, 0, 0, {0}},
    {"train", KT_ARG_BOOL, 1, 0, 0, 0, 0, 0, {0}},
    /* nn_dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 0.5}},
    {"training", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    {"inplace", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* nn_dropout1d */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 0.5}},
    {"training", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    {"inplace", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* nn_dropout2d */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 0.5}},
    {"training", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    {"inplace", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* nn_dropout3d */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 0.5}},
    {"training", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = true}},
    {"inplace", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* nn_alpha_dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 0.5}},
    {"training", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"inplace", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* nn_feature_alpha_dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 0.5}},
    {"training", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"inplace", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* index */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"indices", KT_ARG_TENSORS, 0, 0, 0, 0, 1, 0, {0}},
    /* index_put */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"indices", KT_ARG_TENSORS, 0, 0, 0, 0, 1, 0, {0}},
    {"values", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"accumulate", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* take */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* put */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"source", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"accumulate", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* gather */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"sparse_grad", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* scatter */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"src", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* scatter_value */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"value", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* scatter_combine */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"src", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"reduce", KT_ARG_STRING, 0, 0, 1, 0, 0, 0, {0}},
    /* scatter_value_combine */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"value", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    {"reduce", KT_ARG_STRING, 0, 0, 1, 0, 0, 0, {0}},
    /* scatter_add */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"src", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* index_select */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* index_add */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"source", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* index_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"source", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* index_fill_tensor */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"value", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* index_fill */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"value", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* scatter_reduce */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"src", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"reduce", KT_ARG_STRING, 0, 0, 0, 0, 0, 0, {0}},
    {"include_self", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = true}},
    /* index_reduce */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"source", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"reduce", KT_ARG_STRING, 0, 0, 0, 0, 0, 0, {0}},
    {"include_self", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = true}},
    /* take_along_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"indices", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    /* unravel_index */
    {"indices", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"shape", KT_ARG_INTS, 0, 0, 0, 0, 0, 0, {0}},
    /* masked_fill_tensor */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"mask", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"value", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* masked_fill */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"mask", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"value", KT_ARG_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* masked_select */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"mask", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* masked_scatter */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"mask", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"source", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* nonzero */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* argwhere */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* nonzero_numpy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* where_self */
    {"condition", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    /* nonzero_static */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INT, 0, 0, 1, 0, 0, 1, {0}},
    {"fill_value", KT_ARG_INT, 0, 1, 1, 0, 0, 0, {.i = -1}},
    /* embedding */
    {"weight", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"indices", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"padding_idx", KT_ARG_INT, 0, 1, 0, 0, 0, 1, {.i = -1}},
    {"scale_grad_by_freq", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"sparse", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* nn_embedding */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"padding_idx", KT_ARG_INT, 1, 1, 0, 0, 0, 1, {0}},
    {"max_norm", KT_ARG_FLOAT, 1, 1, 0, 0, 0, 0, {0}},
    {"norm_type", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 2.0}},
    {"scale_grad_by_freq", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    {"sparse", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
    /* nn_one_hot */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"num_classes", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -1}},
    /* softmax */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 0, 0, 0, 0, {0}},
    /* log_softmax */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 0, 0, 0, 0, {0}},
    /* softmax_along */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"half_to_float", KT_ARG_BOOL, 0, 0, 0, 0, 0, 0, {0}},
    /* log_softmax_along */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"half_to_float", KT_ARG_BOOL, 0, 0, 0, 0, 0, 0, {0}},
    /* softmax_backward_data */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"input_dtype", KT_ARG_DTYPE, 0, 0, 0, 0, 0, 0, {0}},
    /* log_softmax_backward_data */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"input_dtype", KT_ARG_DTYPE, 0, 0, 0, 0, 0, 0, {0}},
    /* special_softmax */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 0, 0, 0, 0, {0}},
    /* special_log_softmax */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, 0, 0, {0}},
    /* nn_softmax */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    {"_stacklevel", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 3}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 0, 0, 0, 0, {0}},
    /* nn_log_softmax */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    {"_stacklevel", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 3}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 0, 0, 0, 0, {0}},
    /* nn_softmin */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, 0, 0, {0}},
    {"_stacklevel", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 3}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 0, 0, 0, 0, {0}},
    /* mse_loss */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 1}},
    /* smooth_l1_loss */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 1}},
    {"beta", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 1.0}},
    /* huber_loss */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 1}},
    {"delta", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 1.0}},
    /* mse_loss_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* smooth_l1_loss_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"beta", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 1.0}},
    /* huber_loss_backward */
    {"grad_output", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"delta", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 1.0}},
    /* nn_mse_loss */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size_average", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"reduce", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_STRING, 0, 1, 0, 0, 0, 0, {.str = "mean"}},
    {"weight", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    /* nn_l1_loss */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size_average", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"reduce", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_STRING, 0, 1, 0, 0, 0, 0, {.str = "mean"}},
    {"weight", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    /* nn_smooth_l1_loss */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size_average", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"reduce", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_STRING, 0, 1, 0, 0, 0, 0, {.str = "mean"}},
    {"beta", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 1.0}},
    /* nn_huber_loss */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_STRING, 0, 1, 0, 0, 0, 0, {.str = "mean"}},
    {"delta", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 1.0}},
    {"weight", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    /* nll_loss */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 1}},
    {"ignore_index", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -100}},
    /* nll_loss2d */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 1}},
    {"ignore_index", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -100}},
    /* nn_nll_loss */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    {"size_average", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"ignore_index", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -100}},
    {"reduce", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_STRING, 0, 1, 0, 0, 0, 0, {.str = "mean"}},
    /* nn_cross_entropy */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    {"size_average", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"ignore_index", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = -100}},
    {"reduce", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_STRING, 0, 1, 0, 0, 0, 0, {.str = "mean"}},
    {"label_smoothing", KT_ARG_FLOAT, 0, 1, 0, 0, 0, 0, {.f = 0.0}},
    /* div_by_number */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* mul_by_number */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, 0, 0, {0}},
    /* binary_cross_entropy */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 1}},
    /* bce_logits */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, 1, 0, {0}},
    {"reduction", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* binary_cross_entropy_with_logits */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    {"pos_weight", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    /* kl_div */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_INT, 0, 1, 0, 0, 0, 0, {.i = 0}},
    {"log_target", KT_ARG_BOOL, 0, 1, 1, 0, 0, 0, {.b = false}},
    /* nn_binary_cross_entropy */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    {"size_average", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"reduce", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_STRING, 0, 1, 0, 0, 0, 0, {.str = "mean"}},
    /* nn_binary_cross_entropy_with_logits */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    {"size_average", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"reduce", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_STRING, 0, 1, 0, 0, 0, 0, {.str = "mean"}},
    {"pos_weight", KT_ARG_TENSOR, 1, 1, 0, 0, 0, 0, {0}},
    /* nn_kl_div */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"target", KT_ARG_TENSOR, 0, 0, 0, 0, 0, 0, {0}},
    {"size_average", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"reduce", KT_ARG_BOOL, 1, 1, 0, 0, 0, 0, {0}},
    {"reduction", KT_ARG_STRING, 0, 1, 0, 0, 0, 0, {.str = "mean"}},
    {"log_target", KT_ARG_BOOL, 0, 1, 0, 0, 0, 0, {.b = false}},
};

const uint16_t kt__arg_first[] = {
    0, 3, 6, 9, 11, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34,
    36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64, 66,
    68, 70, 75, 78, 80, 82, 84, 86, 88, 89, 91, 93, 95, 96, 98, 100,
    101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 117,
    118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133,
    134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149,
    150, 152, 154, 155, 156, 157, 159, 160, 161, 162, 166, 167, 168, 170, 172, 175,
    178, 182, 186, 187, 189, 190, 191, 195, 197, 198, 200, 203, 204, 205, 206, 208,
    210, 213, 214, 215, 216, 219, 221, 223, 225, 227, 230, 232, 238, 242, 245, 249,
    251, 253, 256, 259, 263, 265, 268, 271, 273, 277, 281, 283, 287, 289, 293, 297,
    300, 302, 304, 306, 310, 314, 316, 320, 324, 326, 330, 334, 336, 340, 344, 345,
    347, 350, 351, 353, 356, 359, 362, 365, 368, 371, 372, 375, 378, 379, 382, 385,
    390, 395, 400, 405, 410, 415, 420, 423, 426, 427, 431, 432, 435, 438, 440, 442,
    444, 449, 452, 455, 458, 461, 464, 467, 470, 472, 476, 479, 483, 486, 487, 492,
    496, 497, 500, 501, 504, 507, 511, 516, 520, 524, 528, 532, 538, 544, 548, 552,
    555, 559, 563, 569, 574, 579, 584, 589, 591, 593, 595, 597, 599, 601, 603, 608,
    613, 618, 623, 628, 631, 635, 637, 639, 641, 645, 647, 649, 650, 651, 654, 656,
    658, 661, 664, 665, 666, 670, 674, 681, 687, 689, 691, 693, 695, 696, 697, 698,
    703, 707, 711, 716, 721, 727, 733, 739, 746, 750, 755, 760, 765, 771, 776, 781,
    786, 792, 795, 800, 804, 808, 811, 812, 814, 817, 819, 821, 824, 826, 828, 830,
    833, 834, 836, 838, 840, 844, 848, 852, 853, 854, 855, 856, 857, 858, 859, 860,
    861, 864, 867, 870, 873, 876, 877, 879, 881, 883, 884, 885, 886, 887, 891, 893,
    896, 899, 902, 905, 908, 910, 911, 913, 915, 917, 919, 920, 921, 922, 923, 924,
    926, 929, 932, 935, 938, 941, 944, 947, 949, 951, 953, 955, 957, 959, 961, 962,
    963, 964, 966, 969, 972, 974, 975, 976, 979, 982, 984, 986, 988, 992, 996, 1000,
    1002, 1004, 1009, 1014, 1016, 1020, 1022, 1025, 1029, 1030, 1034, 1035, 1039, 1042, 1044, 1047,
    1052, 1053, 1055, 1056, 1059, 1063, 1065, 1067, 1069, 1070, 1071, 1075, 1079, 1085, 1090, 1095,
    1098, 1103, 1109, 1114, 1120, 1126, 1133, 1140, 1148, 1153, 1156, 1159, 1162, 1169, 1173, 1177,
    1179, 1182, 1186, 1189, 1193, 1197, 1200, 1202, 1205, 1208, 1211, 1213, 1217, 1220, 1223, 1226,
    1229, 1232, 1236, 1240, 1244, 1248, 1252, 1256, 1258, 1262, 1264, 1268, 1272, 1276, 1280, 1285,
    1290, 1294, 1297, 1302, 1306, 1310, 1314, 1320, 1326, 1329, 1331, 1334, 1337, 1339, 1342, 1343,
    1344, 1345, 1346, 1349, 1354, 1361, 1363, 1366, 1369, 1372, 1375, 1379, 1383, 1386, 1389, 1393,
    1397, 1401, 1404, 1408, 1412, 1416, 1421, 1426, 1432, 1438, 1444, 1449, 1454, 1459, 1466, 1474,
    1476, 1478, 1482, 1484, 1489, 1493, 1499, 1506, 1512,
};

/* The names of several results; those of the other rows have one, without a name. */
const char *const kt__result_names[KT_NUM_OPS][KT_MAX_RESULTS] = {
    [KT_OP_frexp] = {"mantissa", "exponent"},
    [KT_OP_prelu_kernel_backward] = {"input", "weight"},
    [KT_OP_var_mean] = {"result_var", "result_mean"},
    [KT_OP_var_mean_dim] = {"result_var", "result_mean"},
    [KT_OP_var_mean_correction] = {"result_var", "result_mean"},
    [KT_OP_std_mean] = {"result_std", "result_mean"},
    [KT_OP_std_mean_dim] = {"result_std", "result_mean"},
    [KT_OP_std_mean_correction] = {"result_std", "result_mean"},
    [KT_OP_max_dim] = {"values", "indices"},
    [KT_OP_min_dim] = {"values", "indices"},
    [KT_OP_aminmax] = {"min", "max"},
    [KT_OP_cummax] = {"values", "indices"},
    [KT_OP_cummin] = {"values", "indices"},
    [KT_OP_sort_stable] = {"values", "indices"},
    [KT_OP_sort] = {"values", "indices"},
    [KT_OP_topk] = {"values", "indices"},
    [KT_OP_kthvalue] = {"values", "indices"},
    [KT_OP_median_dim] = {"values", "indices"},
    [KT_OP_nanmedian_dim] = {"values", "indices"},
    [KT_OP_mode] = {"values", "indices"},
    [KT_OP_unique] = {"result", "result_inverse", "result_counts"},
    [KT_OP_unique_dim] = {"result", "result_inverse", "result_counts"},
    [KT_OP_unique_consecutive] = {"result", "result_inverse", "result_counts"},
    [KT_OP_histogram_edges] = {"hist", "bin_edges"},
    [KT_OP_histogram] = {"hist", "bin_edges"},
    [KT_OP_native_dropout] = {"result", "mask"},
};
