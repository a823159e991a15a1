/* brief.h - exp, exp2, tanh, sigmoid, silu and gelu of operands that are bfloat16s, for results that are rounded to bfloat16.
 *
 * There are so few operands that all can be tried: a form is exact enough if every result, rounded, is that of the function of
 * float32 (tests/unit/math/brief.c). That takes polynomials of second and third degree. Results are rounded half up, which
 * is fewer operations than to even: where one of float32 lies in the middle, the form's is beside it.
 *
 * Of each function name_most_bf16 is the upper half of the greatest |a| that it takes, name_least_bf16 that of the least but 0.
 * name_piece_bf16, of which the lowest bits count, and name_by_piece_bf16 are as in pieces.h; tools/pieces.py made the tables.
 * In and out: float. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_BRIEF_H
#define KT_MATH_F32_BRIEF_H

#include "math/f32/exponential.h"
#include "math/table.h"

KT_ALWAYS float   powers_2_bf16(float d, const float *c) { return fma_f32(d, fma_f32(d, c[2], c[1]), c[0]); }
KT_ALWAYS float   powers_3_bf16(float d, const float *c) { return fma_f32(d, powers_2_bf16(d, c + 1), c[0]); }
KT_ALWAYS int32_t nearest_bf16(float a, float scale)     { return (int32_t)bits_f32(fma_f32(a, scale, ROUND_F32(0))); }

static KT_TABLE const float exp_pieces_bf16[1][PIECES_F32] = {
    {0x1.000000p+0f, 0x1.fd9b0ep-1f, 0x1.fb5586p-1f, 0x1.f9301ep-1f, 0x1.f72b84p-1f, 0x1.f54874p-1f,
     0x1.f387a6p-1f, 0x1.f1e9e0p-1f, 0x1.f06fe0p-1f, 0x1.ef1a74p-1f, 0x1.edea64p-1f, 0x1.ece086p-1f,
     0x1.ebfdaep-1f, 0x1.eb42b6p-1f, 0x1.eab07ep-1f, 0x1.ea47ecp-1f, 0x1.ea09e6p-1f, 0x1.e9f75ep-1f,
     0x1.ea1148p-1f, 0x1.ea589ap-1f, 0x1.eace54p-1f, 0x1.eb737cp-1f, 0x1.ec4918p-1f, 0x1.ed503cp-1f,
     0x1.ee89fap-1f, 0x1.eff770p-1f, 0x1.f199bep-1f, 0x1.f3720ep-1f, 0x1.f5818ep-1f, 0x1.f7c974p-1f,
     0x1.fa4afap-1f, 0x1.fd0766p-1f},
};

/* 2^(k/32) (1 + r ln 2 / 32 + ...), where k + r = scale a and |r| <= 1/2: k stands in the low bits of the place, and a shift
 * brings it to the exponent. */
KT_ALWAYS float exp_place_bf16(float a, float scale) { return fma_f32(a, scale, ROUND_F32(0)); }
KT_ALWAYS float power_bf16(float a, float scale, const float *c)
{
    const float t = exp_place_bf16(a, scale), r = fma_f32(a, scale, ROUND_F32(0) - t);
    const float s = of_bits_f32((bits_f32(t) << 18) + bits_f32(c[0]));
    return fma_f32(s, r * fma_f32(r, 0x1.ecdbep-13f, 0x1.62e422p-6f), s);
}

#define EXP_SCALE_BF16 0x1.715476p5f /* 32 / ln 2 */
enum { exp_most_bf16 = 0x42ae, exp_least_bf16 = 0 };
KT_ALWAYS int32_t exp_piece_bf16(float a)                    { return (int32_t)bits_f32(exp_place_bf16(a, EXP_SCALE_BF16)); }
KT_ALWAYS float   exp_by_piece_bf16(float a, const float *c) { return power_bf16(a, EXP_SCALE_BF16, c); }

#define exp2_pieces_bf16 exp_pieces_bf16
enum { exp2_most_bf16 = 0x42fc, exp2_least_bf16 = 0 };
KT_ALWAYS int32_t exp2_piece_bf16(float a)                    { return (int32_t)bits_f32(exp_place_bf16(a, 32)); }
KT_ALWAYS float   exp2_by_piece_bf16(float a, const float *c) { return power_bf16(a, 32, c); }

static KT_TABLE const float tanh_pieces_bf16[3][PIECES_F32] = {
    {0x0.0p+0f, 0x1.4c1ba4p-12f, -0x1.846b76p-9f, -0x1.8d65acp-8f, -0x1.9712f8p-6f, -0x1.aedf14p-5f,
     0x1.e891e4p-7f, 0x1.1fd2e0p-4f, 0x1.1c5e98p-3f, 0x1.12df0ep-6f, 0x1.e79ea0p-6f, 0x1.3c5d16p-5f,
     -0x1.571f54p-1f, 0x1.c87e9cp-4f, -0x1.316db6p-2f, -0x1.b6db9cp-7f, 0x1.982aaap-1f, 0x1.988000p-1f,
     0x1.adc000p-1f, 0x1.09fde0p+1f, -0x1.176e00p+2f, -0x1.385200p+2f, -0x1.5fd200p+2f, 0x1.43d802p+3f,
     0x1.fc0000p-1f, 0x1.fc0000p-1f, 0x1.fe0000p-1f, 0x1.fe0000p-1f, 0x1.fe0000p-1f, 0x1.fe0000p-1f,
     0x1.243472p+4f, 0x1.004000p+0f},
    {0x1.000000p+0f, 0x1.ffa54cp-1f, 0x1.0ad2c6p+0f, 0x1.123f6cp+0f, 0x1.2a89d2p+0f, 0x1.42a96ep+0f,
     0x1.0cc7bap+0f, 0x1.dc44a4p-1f, 0x1.9f8462p-1f, 0x1.12b52cp+0f, 0x1.092492p+0f, 0x1.02e8bap+0f,
     0x1.0343eap+1f, 0x1.c1a10cp-1f, 0x1.5f3cf4p+0f, 0x1.faebb0p-1f, 0x1.555556p-4f, 0x1.555556p-4f,
     0x1.000000p-4f, -0x1.166668p+0f, 0x1.280000p+2f, 0x1.360000p+2f, 0x1.460000p+2f, -0x1.beaaacp+2f,
     0x1.0d2492p-39f, 0x1.481556p-38f, -0x1.41c000p-36f, -0x1.90b6dcp-39f, 0x1.f8caaap-37f, -0x1.5df556p-37f,
     -0x1.43b426p+3f, 0x0.0p+0f},
    {0x1.96007cp-7f, -0x1.f7327ap-5f, -0x1.a0444cp-3f, -0x1.101f2ep-2f, -0x1.8a3396p-2f, -0x1.da0a30p-2f,
     -0x1.3058c4p-2f, -0x1.e1709ap-3f, -0x1.81ee7ap-3f, -0x1.501502p-2f, -0x1.381382p-2f, -0x1.29e412p-2f,
     -0x1.4e5e0ap-1f, -0x1.dca01ep-3f, -0x1.861862p-2f, -0x1.041042p-2f, -0x1.0c7af2p-33f, -0x1.f90a8ep-33f,
     -0x1.4632aep-33f, 0x1.111112p-2f, -0x1.000000p+0f, -0x1.000000p+0f, -0x1.000000p+0f, 0x1.555556p+0f,
     -0x1.888566p-42f, -0x1.cb150cp-41f, 0x1.b18f36p-39f, 0x1.039e3ep-41f, -0x1.3b2c48p-39f, 0x1.a68a58p-40f,
     0x1.7b425ep+0f, 0x0.0p+0f},
};

/* From 3.5 on it is rounded to 1. */
enum { tanh_most_bf16 = 0x7f80, tanh_least_bf16 = 0 };
KT_ALWAYS float   tanh_size_bf16(float a)  { return abs_at_most_f32(a, 0x40600000u); }
KT_ALWAYS int32_t tanh_piece_bf16(float a) { return nearest_bf16(tanh_size_bf16(a), 8.75f); }
KT_ALWAYS float   tanh_by_piece_bf16(float a, const float *c) { return signed_f32(powers_2_bf16(tanh_size_bf16(a), c), a); }

static KT_TABLE const float sigmoid_pieces_bf16[4][PIECES_F32] = {
    {0x1.000000p-1f, 0x1.ffd54cp-2f, 0x1.043c14p-1f, 0x1.0acb16p-1f, 0x1.48b1eap-1f, 0x1.655d64p-1f,
     0x1.149c48p-1f, 0x1.0f8afap-1f, 0x1.83310ap-2f, 0x1.997c38p-4f, 0x1.659160p-1f, 0x1.557bacp-3f,
     0x1.114b62p-2f, 0x1.50d040p-2f, 0x1.1f0dcap-5f, -0x1.2eb58ap-5f, 0x1.1fc906p-5f, -0x1.d2dcc0p-7f,
     0x1.7aa264p-8f, 0x1.0a951ep-5f, 0x1.6df280p-9f, 0x1.f62010p-8f, 0x1.01a04cp-8f, 0x1.28924ep-11f,
     0x1.1054c0p-10f, 0x1.1100f6p-8f, 0x1.aff57ep-10f, -0x1.12827cp-9f, 0x1.cc9be8p-14f, 0x1.c9170ap-11f,
     0x1.554cd6p-15f, 0x1.a94598p-16f},
    {-0x1.fd72d6p-3f, -0x1.fd594ap-3f, -0x1.1e95f8p-2f, -0x1.3e8402p-2f, -0x1.f47724p-2f, -0x1.107d0ep-1f,
     -0x1.5f729ap-2f, -0x1.513cdcp-2f, -0x1.99691cp-3f, -0x1.9e4fdcp-7f, -0x1.8a4ff8p-2f, -0x1.1e4adep-4f,
     -0x1.e95212p-4f, -0x1.26a770p-3f, -0x1.36b52ep-7f, 0x1.299306p-6f, -0x1.653c24p-7f, 0x1.ad39a8p-8f,
     -0x1.0d927ap-10f, -0x1.3dd222p-7f, -0x1.080000p-11f, -0x1.063692p-9f, -0x1.f1c3c0p-11f, -0x1.15c28ep-14f,
     -0x1.af61ecp-13f, -0x1.fb0c8cp-11f, -0x1.787302p-12f, 0x1.f499b4p-12f, -0x1.07b50ap-16f, -0x1.700f38p-13f,
     -0x1.54a690p-18f, -0x1.9ac6ecp-19f},
    {-0x1.512c64p-6f, -0x1.590a16p-9f, 0x1.3a4930p-5f, 0x1.00c2dep-4f, 0x1.31929ep-3f, 0x1.3d92a0p-3f,
     0x1.45fe72p-4f, 0x1.2d8adep-4f, 0x1.2de6c6p-5f, -0x1.5147dep-8f, 0x1.284252p-4f, 0x1.485178p-7f,
     0x1.2a18e0p-6f, 0x1.5c182ap-6f, 0x1.897a64p-11f, -0x1.6ae258p-9f, 0x1.29ef6cp-10f, -0x1.e0ac38p-11f,
     0x1.142850p-15f, 0x1.fccccep-11f, 0x1.800000p-16f, 0x1.70f702p-13f, 0x1.435b18p-14f, -0x1.ad0898p-23f,
     0x1.bd9d14p-17f, 0x1.3b1a1ep-14f, 0x1.b77d1cp-16f, -0x1.2f0c30p-15f, 0x1.560206p-21f, 0x1.8c3fc6p-17f,
     0x1.5550f0p-23f, 0x1.8e38b2p-24f},
    {0x1.6b3180p-4f, 0x1.6212e2p-6f, 0x1.1b64bep-9f, -0x1.fc131ap-9f, -0x1.23148ap-6f, -0x1.116fd8p-6f,
     -0x1.b39c1ep-8f, -0x1.7e6f82p-8f, -0x1.33840ep-9f, 0x1.9efc6cp-11f, -0x1.2d3a66p-8f, -0x1.004c16p-11f,
     -0x1.ebdad4p-11f, -0x1.14b48ap-10f, -0x1.bb2c72p-17f, 0x1.1b7154p-13f, -0x1.4ce19ap-15f, 0x1.55c164p-15f,
     0x1.580560p-20f, -0x1.111112p-15f, -0x0.0p+0f, -0x1.5d50e8p-18f, -0x1.1a456cp-19f, 0x1.483df0p-23f,
     -0x1.28353cp-22f, -0x1.05ebccp-19f, -0x1.5771d8p-21f, 0x1.e79e7ap-21f, -0x1.59617ap-28f, -0x1.1d11d2p-22f,
     0x1.41cb88p-59f, 0x1.92923ap-62f},
};

/* The table is of -|a|. */
enum { sigmoid_most_bf16 = 0x417b, sigmoid_least_bf16 = 0 };
KT_ALWAYS int32_t sigmoid_piece_bf16(float a) { return nearest_bf16(fabsf(a), 2); }
KT_ALWAYS float   sigmoid_by_piece_bf16(float a, const float *c)
{
    const float s = powers_3_bf16(fabsf(a), c);
    return (int32_t)bits_f32(a) < 0 ? s : 1 - s;
}

/* silu and gelu are the greater of a and 0, less |a| times a share, which is in the table: relu of a zero is itself, of numbers
 * below it -0. Half of a number below 2^-125 may lie in the middle: those are left out. */
KT_ALWAYS float relu_bf16(float a) { return of_bits_f32(lesser_u32(bits_f32(a), 0x80000000u)); }

static KT_TABLE const float silu_pieces_bf16[4][PIECES_F32] = {
    {-0x0.0p+0f, 0x1.253162p-11f, 0x1.6ff618p-7f, 0x1.3f19eep-5f, -0x1.344e50p-3f, -0x1.d0c402p-4f,
     -0x1.085f34p+0f, -0x1.4d5370p-1f, 0x1.66fd5cp-2f, -0x1.405706p-2f, -0x1.e3363ep+0f, -0x1.b8d204p-3f,
     0x1.9f57f2p+0f, 0x1.043e0cp+0f, 0x1.c76ca2p-2f, -0x1.e848bcp-2f, 0x1.717330p-4f, -0x1.22b1e8p-1f,
     0x1.685d88p-3f, 0x1.3fdbbep-3f, -0x1.ce52c8p-3f, -0x1.ceb41cp-4f, -0x1.bc81b8p-4f, -0x1.318c54p-3f,
     -0x1.b27eccp-7f, 0x1.bfd58cp-7f, -0x1.2af7c8p-6f, 0x1.c733c4p-8f, -0x1.6c03f4p-7f, -0x1.1dba46p-7f,
     -0x1.040a86p-8f, -0x1.9395dap-7f},
    {-0x1.000166p-1f, -0x1.02ec64p-1f, -0x1.17f86cp-1f, -0x1.332346p-1f, -0x1.11178ap-2f, -0x1.355ae6p-2f,
     0x1.663e28p-1f, 0x1.121018p-2f, -0x1.0defc6p-1f, 0x1.e146aep-6f, 0x1.0c066cp+0f, 0x1.992c40p-6f,
     -0x1.d9fdb0p-1f, -0x1.16db9cp-1f, -0x1.ef495ep-3f, 0x1.64033ep-3f, -0x1.c15fdap-5f, 0x1.93c678p-3f,
     -0x1.1f99e8p-4f, -0x1.d78feap-5f, 0x1.11ff16p-4f, 0x1.fed950p-6f, 0x1.de6926p-6f, 0x1.4511e0p-5f,
     0x1.57285cp-9f, -0x1.082f3ep-8f, 0x1.0a2100p-8f, -0x1.e51d7ap-10f, 0x1.31ad36p-9f, 0x1.d51a08p-10f,
     0x1.903562p-11f, 0x1.41b0aap-9f},
    {0x1.00763cp-2f, 0x1.15aed2p-2f, 0x1.4d2bbcp-2f, 0x1.6c5fb4p-2f, 0x1.3fbd4ap-3f, 0x1.51e606p-3f,
     -0x1.97dba4p-3f, -0x1.3df026p-5f, 0x1.5f8898p-3f, 0x1.2078b4p-6f, -0x1.9d7e00p-3f, 0x1.b6f866p-8f,
     0x1.5d24bep-3f, 0x1.7fa39cp-4f, 0x1.4ec68ap-5f, -0x1.6296e4p-6f, 0x1.2aba32p-7f, -0x1.7a627ap-6f,
     0x1.25b6dcp-7f, 0x1.c13fb0p-8f, -0x1.b50750p-8f, -0x1.7c4772p-9f, -0x1.5a3caap-9f, -0x1.cf63f6p-9f,
     -0x1.5cdab0p-13f, 0x1.8e79e8p-12f, -0x1.3e8000p-12f, 0x1.4cfe72p-13f, -0x1.586188p-13f, -0x1.023b88p-13f,
     -0x1.9d26dep-15f, -0x1.56aaaap-13f},
    {-0x1.a9842cp-8f, -0x1.178966p-5f, -0x1.e0e54ep-5f, -0x1.02eb86p-4f, -0x1.6eb404p-6f, -0x1.7136bcp-6f,
     0x1.622622p-6f, 0x1.0a869ep-9f, -0x1.0f6084p-6f, -0x1.442280p-9f, 0x1.b4eee2p-7f, -0x1.cf6866p-11f,
     -0x1.50cddep-7f, -0x1.587856p-8f, -0x1.22bcd6p-9f, 0x1.e01e02p-11f, -0x1.e67ca8p-12f, 0x1.dd14fep-11f,
     -0x1.861862p-12f, -0x1.17ba12p-12f, 0x1.d41d42p-13f, 0x1.7d05f4p-14f, 0x1.507af2p-14f, 0x1.ba1ba2p-14f,
     0x1.bc4fd6p-19f, -0x1.861862p-17f, 0x1.000000p-17f, -0x1.29e412p-18f, 0x1.041042p-18f, 0x1.7d05f4p-19f,
     0x1.1def06p-20f, 0x1.e79e7ap-19f},
};

enum { silu_most_bf16 = 0x416f, silu_least_bf16 = 0x100 };
KT_ALWAYS int32_t silu_piece_bf16(float a)                    { return nearest_bf16(fabsf(a), 2.1f); }
KT_ALWAYS float   silu_by_piece_bf16(float a, const float *c) { return relu_bf16(a) + powers_3_bf16(fabsf(a), c); }

static KT_TABLE const float gelu_pieces_bf16[3][PIECES_F32] = {
    {-0x0.0p+0f, -0x1.2f110ep-14f, -0x1.8a9332p-10f, -0x1.4f474ep-7f, -0x1.06a328p-5f, -0x1.8da33ap-5f,
     -0x1.9d238ap-4f, -0x1.1d9b8ep-3f, -0x1.273c3cp-2f, -0x1.d054aep-3f, -0x1.7202d2p-2f, -0x1.9bfe98p-2f,
     -0x1.0f500ap-2f, -0x1.86a7a2p-2f, -0x1.da4708p-2f, -0x1.f16550p-3f, -0x1.307888p-2f, -0x1.f1218cp-3f,
     -0x1.af4968p-3f, -0x1.51a000p-3f, -0x1.00e57ep-3f, -0x1.62c000p-4f, -0x1.0095c6p-4f, -0x1.4de4f6p-5f,
     -0x1.c6c874p-6f, -0x1.2416dcp-6f, -0x1.4432aap-7f, -0x1.b44930p-8f, -0x1.ea53dap-9f, -0x1.ee6826p-10f,
     -0x1.fd00e4p-11f, -0x1.19ec40p-11f},
    {-0x1.000000p-1f, -0x1.fe6d48p-2f, -0x1.f22478p-2f, -0x1.c5971ep-2f, -0x1.796b2ep-2f, -0x1.4abcfep-2f,
     -0x1.981b28p-3f, -0x1.ee1ee2p-4f, 0x1.000000p-3f, 0x1.391b92p-5f, 0x1.be9696p-3f, 0x1.133242p-2f,
     0x1.0499f0p-3f, 0x1.02b52cp-2f, 0x1.4f33eep-2f, 0x1.1eb9a8p-3f, 0x1.821892p-3f, 0x1.3011b8p-3f,
     0x1.0211ccp-3f, 0x1.8638e4p-4f, 0x1.1f3334p-4f, 0x1.7c0000p-5f, 0x1.0a5076p-5f, 0x1.4d6d3ap-6f,
     0x1.b82504p-7f, 0x1.11700cp-7f, 0x1.23a38ep-8f, 0x1.7eb8e4p-9f, 0x1.a046a0p-10f, 0x1.94aaaap-11f,
     0x1.9340c0p-12f, 0x1.b2f000p-13f},
    {0x1.9863e8p-2f, 0x1.8f9e68p-2f, 0x1.756cacp-2f, 0x1.3d39d8p-2f, 0x1.f84ca6p-3f, 0x1.b7d6c4p-3f,
     0x1.21b9d4p-3f, 0x1.a01a02p-4f, 0x1.da077ep-43f, 0x1.f81f82p-6f, -0x1.e1e1e2p-6f, -0x1.7161e8p-5f,
     -0x1.1d8f56p-7f, -0x1.5a95aap-5f, -0x1.e6e10ep-5f, -0x1.410c20p-6f, -0x1.f0b9f0p-6f, -0x1.78720ep-6f,
     -0x1.383324p-6f, -0x1.c71c72p-7f, -0x1.43a274p-7f, -0x1.99999ap-8f, -0x1.15f160p-8f, -0x1.4e81b4p-9f,
     -0x1.abb1dep-10f, -0x1.00dca8p-10f, -0x1.071c72p-11f, -0x1.5097b4p-12f, -0x1.6234f8p-13f, -0x1.4bda12p-14f,
     -0x1.4000a2p-15f, -0x1.500000p-16f},
};

enum { gelu_most_bf16 = 0x40a1, gelu_least_bf16 = 0x100 };
KT_ALWAYS int32_t gelu_piece_bf16(float a)                    { return nearest_bf16(fabsf(a), 6.25f); }
KT_ALWAYS float   gelu_by_piece_bf16(float a, const float *c) { return relu_bf16(a) + powers_2_bf16(fabsf(a), c); }

#endif
