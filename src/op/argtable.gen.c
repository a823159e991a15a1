/* argtable.gen.c - the arguments of every operator, packed. Written by tools/gen_ops.c from src/tables/ops.def: do
 * not edit. Bindings read it, so nothing is parsed at start. */
#include "op/row.h"

const kt_arg_spec kt__arg_table[] = {
    /* add */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* sub */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* rsub */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* mul */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* div */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    {"rounding_mode", KT_ARG_STRING, 1, 1, 1, 0, {0}},
    /* true_divide */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* floor_divide */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* remainder */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* fmod */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* pow */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"exponent", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* pow_base */
    {"self", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    {"exponent", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* float_power */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"exponent", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* ldexp */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* atan2 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* copysign */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* hypot */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* logaddexp */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* logaddexp2 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* nextafter */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* xlogy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* heaviside */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"values", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* gcd */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* lcm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* maximum */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* minimum */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* fmax */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* fmin */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* eq */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* ne */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* lt */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* le */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* gt */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* ge */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* clamp */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"min", KT_ARG_TENSOR_OR_SCALAR, 1, 1, 0, 0, {0}},
    {"max", KT_ARG_TENSOR_OR_SCALAR, 1, 1, 0, 0, {0}},
    /* clamp_min */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"min", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* clamp_max */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"max", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* logical_and */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* logical_or */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* logical_xor */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* logical_not */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* bitwise_and */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* bitwise_or */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* bitwise_xor */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* bitwise_not */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* bitwise_left_shift */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* bitwise_right_shift */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* abs */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* isnan */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* isinf */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* isfinite */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* isposinf */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* isneginf */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* signbit */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* sign */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* sgn */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* neg */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* positive */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* square */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* ceil */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* floor */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* trunc */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* round */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"decimals", KT_ARG_INT, 0, 1, 1, 0, {.i = 0}},
    /* frac */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* relu */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* reciprocal */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* sqrt */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* rsqrt */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* exp */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* exp2 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* expm1 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* log */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* log2 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* log10 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* log1p */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* sin */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* cos */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* tan */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* asin */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* acos */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* atan */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* sinh */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* cosh */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* tanh */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* asinh */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* acosh */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* atanh */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* sigmoid */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* sinc */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* erf */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* erfc */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* erfinv */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* digamma */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* lgamma */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* i0 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* special_i1 */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* polygamma */
    {"n", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* polygamma_of */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"n", KT_ARG_INT, 0, 1, 0, 0, {.i = 1}},
    /* logit */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"eps", KT_ARG_FLOAT, 1, 1, 0, 0, {0}},
    /* deg2rad */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* rad2deg */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* angle */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* nan_to_num */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"nan", KT_ARG_FLOAT, 1, 1, 0, 0, {0}},
    {"posinf", KT_ARG_FLOAT, 1, 1, 0, 0, {0}},
    {"neginf", KT_ARG_FLOAT, 1, 1, 0, 0, {0}},
    /* conj_physical */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* where */
    {"condition", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"self", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* lerp */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"end", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* addcmul */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"tensor1", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"tensor2", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"value", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* addcdiv */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"tensor1", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"tensor2", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"value", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* sum */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    /* sum_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"keepdim", KT_ARG_BOOL, 0, 1, 0, 0, {.b = false}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    /* matmul */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* matmul_batched */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* mm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"mat2", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* bmm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"mat2", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* mv */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"vec", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* dot */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"tensor", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* vdot */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* addmm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"mat1", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"mat2", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"beta", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* addmv */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"mat", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"vec", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"beta", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* baddbmm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"batch1", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"batch2", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"beta", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* addbmm */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"batch1", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"batch2", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"beta", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* addr */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"vec1", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"vec2", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"beta", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"alpha", KT_ARG_SCALAR, 0, 1, 1, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    /* linear */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"bias", KT_ARG_TENSOR, 1, 1, 0, 0, {0}},
    /* bilinear */
    {"input1", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"input2", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"weight", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"bias", KT_ARG_TENSOR, 1, 1, 0, 0, {0}},
    /* outer */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"vec2", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* ger */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"vec2", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* inner */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* tensordot */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dims_self", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"dims_other", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    /* kron */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* einsum */
    {"equation", KT_ARG_STRING, 0, 0, 0, 0, {0}},
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, {0}},
    /* linalg_multi_dot */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, {0}},
    /* chain_matmul */
    {"matrices", KT_ARG_TENSORS, 0, 0, 0, 0, {0}},
    /* linalg_vecdot */
    {"x", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"y", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 1, 0, {.i = -1}},
    /* linalg_matrix_power */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"n", KT_ARG_INT, 0, 0, 0, 0, {0}},
    /* matrix_power */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"n", KT_ARG_INT, 0, 0, 0, 0, {0}},
    /* linalg_cross */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 1, 0, {.i = -1}},
    /* cross */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 1, 1, 0, 0, {0}},
    /* block_diag */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, {0}},
    /* cartesian_prod */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, {0}},
    /* to */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"copy", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, {0}},
    {"casting", KT_ARG_STRING, 0, 1, 1, 0, {.str = "unsafe"}},
    {"rounding", KT_ARG_STRING, 0, 1, 1, 0, {.str = "torch"}},
    /* to_copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 0, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, {0}},
    {"casting", KT_ARG_STRING, 0, 1, 1, 0, {.str = "unsafe"}},
    {"rounding", KT_ARG_STRING, 0, 1, 1, 0, {.str = "torch"}},
    /* clone */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, {0}},
    /* contiguous */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, {0}},
    /* copy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"src", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* fill */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"value", KT_ARG_TENSOR_OR_SCALAR, 0, 0, 0, 0, {0}},
    /* zero */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* resolve_conj */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* resolve_neg */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* empty */
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, {0}},
    /* zeros */
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* ones */
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* full */
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"fill_value", KT_ARG_SCALAR, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* eye */
    {"n", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"m", KT_ARG_INT, 1, 1, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* arange */
    {"start", KT_ARG_SCALAR, 0, 0, 0, 0, {0}},
    {"end", KT_ARG_SCALAR, 0, 0, 0, 0, {0}},
    {"step", KT_ARG_SCALAR, 0, 1, 0, 0, {.s = {{.i = 1}, 0, KT_SCALAR_INT, 0}}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* linspace */
    {"start", KT_ARG_SCALAR, 0, 0, 0, 0, {0}},
    {"end", KT_ARG_SCALAR, 0, 0, 0, 0, {0}},
    {"steps", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* logspace */
    {"start", KT_ARG_SCALAR, 0, 0, 0, 0, {0}},
    {"end", KT_ARG_SCALAR, 0, 0, 0, 0, {0}},
    {"steps", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"base", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 10.0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* scalar_tensor */
    {"s", KT_ARG_SCALAR, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* empty_like */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, {0}},
    /* zeros_like */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, {0}},
    /* ones_like */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, {0}},
    /* full_like */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"fill_value", KT_ARG_SCALAR, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, {0}},
    /* new_empty */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* new_zeros */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* new_ones */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* new_full */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"fill_value", KT_ARG_SCALAR, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* select */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"index", KT_ARG_INT, 0, 0, 0, 0, {0}},
    /* slice */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, {.i = 0}},
    {"start", KT_ARG_INT, 1, 1, 0, 0, {0}},
    {"end", KT_ARG_INT, 1, 1, 0, 0, {0}},
    {"step", KT_ARG_INT, 0, 1, 0, 0, {.i = 1}},
    /* narrow */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"start", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"length", KT_ARG_INT, 0, 0, 0, 0, {0}},
    /* transpose */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dim0", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"dim1", KT_ARG_INT, 0, 0, 0, 0, {0}},
    /* t */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* permute */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dims", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    /* expand */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"implicit", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* expand_as */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"other", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* view */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    /* view_dtype */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 0, 0, 0, 0, {0}},
    /* reshape */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"shape", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    /* flatten */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"start_dim", KT_ARG_INT, 0, 1, 0, 0, {.i = 0}},
    {"end_dim", KT_ARG_INT, 0, 1, 0, 0, {.i = -1}},
    /* squeeze */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* squeeze_dim */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    /* unsqueeze */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 0, 0, 0, {0}},
    /* unfold */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dimension", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"step", KT_ARG_INT, 0, 0, 0, 0, {0}},
    /* diagonal */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"offset", KT_ARG_INT, 0, 1, 0, 0, {.i = 0}},
    {"dim1", KT_ARG_INT, 0, 1, 0, 0, {.i = 0}},
    {"dim2", KT_ARG_INT, 0, 1, 0, 0, {.i = 1}},
    /* as_strided */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"stride", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"storage_offset", KT_ARG_INT, 1, 1, 0, 0, {0}},
    /* real */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* imag */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* view_as_real */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* view_as_complex */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* conj */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* conj_lazy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* neg_view */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* detach */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* alias */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    /* split */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"split_size", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, {.i = 0}},
    /* split_sizes */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"split_sizes", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, {.i = 0}},
    /* chunk */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"chunks", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, {.i = 0}},
    /* unbind */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, {.i = 0}},
    /* broadcast_tensors */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, {0}},
    /* cat */
    {"tensors", KT_ARG_TENSORS, 0, 0, 0, 0, {0}},
    {"dim", KT_ARG_INT, 0, 1, 0, 0, {.i = 0}},
    /* foreach_mul */
    {"self", KT_ARG_TENSORS, 0, 0, 0, 0, {0}},
    {"scalar", KT_ARG_SCALAR, 0, 0, 0, 0, {0}},
    /* rand */
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* rand_like */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, {0}},
    /* randn */
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* randn_like */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, {0}},
    /* randint */
    {"high", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* randint_low */
    {"low", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"high", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* randint_like */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"high", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, {0}},
    /* randint_like_low */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"low", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"high", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    {"memory_format", KT_ARG_FORMAT, 1, 1, 1, 0, {0}},
    /* randperm */
    {"n", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* normal_tensor_float */
    {"mean", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"std", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 1.0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* normal_float_tensor */
    {"mean", KT_ARG_FLOAT, 0, 0, 0, 0, {0}},
    {"std", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* normal_tensor_tensor */
    {"mean", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"std", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* normal_float_float */
    {"mean", KT_ARG_FLOAT, 0, 0, 0, 0, {0}},
    {"std", KT_ARG_FLOAT, 0, 0, 0, 0, {0}},
    {"size", KT_ARG_INTS, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    {"dtype", KT_ARG_DTYPE, 1, 1, 1, 0, {0}},
    {"device", KT_ARG_DEVICE, 1, 1, 1, 0, {0}},
    {"requires_grad", KT_ARG_BOOL, 0, 1, 1, 0, {.b = false}},
    /* normal */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"mean", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 0.0}},
    {"std", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 1.0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* uniform */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"from", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 0.0}},
    {"to", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 1.0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* random */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* random_to */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"to", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* random_from */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"from", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"to", KT_ARG_INT, 1, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* exponential */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"lambd", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 1.0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* cauchy */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"median", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 0.0}},
    {"sigma", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 1.0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* log_normal */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"mean", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 1.0}},
    {"std", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 2.0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* geometric */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* bernoulli */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* bernoulli_p */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* bernoulli_tensor */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* bernoulli_float */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 0.5}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* poisson */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 0, 0, {0}},
    /* multinomial */
    {"self", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"num_samples", KT_ARG_INT, 0, 0, 0, 0, {0}},
    {"replacement", KT_ARG_BOOL, 0, 1, 0, 0, {.b = false}},
    {"generator", KT_ARG_GENERATOR, 1, 1, 1, 0, {0}},
    /* dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 0, 0, 0, {0}},
    {"train", KT_ARG_BOOL, 0, 0, 0, 0, {0}},
    /* feature_dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 0, 0, 0, {0}},
    {"train", KT_ARG_BOOL, 0, 0, 0, 0, {0}},
    /* alpha_dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 0, 0, 0, {0}},
    {"train", KT_ARG_BOOL, 0, 0, 0, 0, {0}},
    /* feature_alpha_dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 0, 0, 0, {0}},
    {"train", KT_ARG_BOOL, 0, 0, 0, 0, {0}},
    /* native_dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 0, 0, 0, {0}},
    {"train", KT_ARG_BOOL, 1, 0, 0, 0, {0}},
    /* nn_dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 0.5}},
    {"training", KT_ARG_BOOL, 0, 1, 0, 0, {.b = true}},
    {"inplace", KT_ARG_BOOL, 0, 1, 0, 0, {.b = false}},
    /* nn_dropout1d */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 0.5}},
    {"training", KT_ARG_BOOL, 0, 1, 0, 0, {.b = true}},
    {"inplace", KT_ARG_BOOL, 0, 1, 0, 0, {.b = false}},
    /* nn_dropout2d */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 0.5}},
    {"training", KT_ARG_BOOL, 0, 1, 0, 0, {.b = true}},
    {"inplace", KT_ARG_BOOL, 0, 1, 0, 0, {.b = false}},
    /* nn_dropout3d */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 0.5}},
    {"training", KT_ARG_BOOL, 0, 1, 0, 0, {.b = true}},
    {"inplace", KT_ARG_BOOL, 0, 1, 0, 0, {.b = false}},
    /* nn_alpha_dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 0.5}},
    {"training", KT_ARG_BOOL, 0, 1, 0, 0, {.b = false}},
    {"inplace", KT_ARG_BOOL, 0, 1, 0, 0, {.b = false}},
    /* nn_feature_alpha_dropout */
    {"input", KT_ARG_TENSOR, 0, 0, 0, 0, {0}},
    {"p", KT_ARG_FLOAT, 0, 1, 0, 0, {.f = 0.5}},
    {"training", KT_ARG_BOOL, 0, 1, 0, 0, {.b = false}},
    {"inplace", KT_ARG_BOOL, 0, 1, 0, 0, {.b = false}},
};

const uint16_t kt__arg_first[] = {
    0, 3, 6, 9, 11, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34,
    36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64, 66,
    68, 70, 73, 75, 77, 79, 81, 83, 84, 86, 88, 90, 91, 93, 95, 96,
    97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 112, 113,
    114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129,
    130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145,
    147, 149, 151, 152, 153, 154, 158, 159, 162, 165, 169, 173, 175, 179, 181, 183,
    185, 187, 189, 191, 193, 198, 203, 208, 213, 218, 221, 225, 227, 229, 231, 235,
    237, 239, 240, 241, 244, 246, 248, 251, 254, 255, 256, 263, 269, 271, 273, 275,
    277, 278, 279, 280, 285, 289, 293, 298, 303, 309, 315, 322, 326, 331, 336, 341,
    347, 352, 357, 362, 368, 371, 376, 380, 383, 384, 386, 389, 391, 393, 395, 397,
    400, 401, 403, 405, 409, 413, 417, 418, 419, 420, 421, 422, 423, 424, 425, 426,
    429, 432, 435, 437, 438, 440, 442, 447, 453, 458, 464, 470, 477, 484, 492, 497,
    500, 503, 506, 513, 517, 521, 523, 526, 530, 533, 537, 541, 544, 546, 549, 552,
    555, 557, 561, 564, 567, 570, 573, 576, 580, 584, 588, 592, 596, 600,
};

/* The names of several results; those of the other rows have one, without a name. */
const char *const kt__result_names[KT_NUM_OPS][KT_MAX_RESULTS] = {
    [KT_OP_native_dropout] = {"result", "mask"},
};
