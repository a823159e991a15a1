/* pieces.h - functions of float32 whose range is cut into at most 32 pieces, each with a polynomial of its own: tanh, atan, tan,
 * sigmoid, silu, gelu.
 *
 * A table is columns of 32 numbers: a vector of 32 floats is looked up in one instruction of AVX-512. Those of eight columns are
 * written a piece a row; table.h lays them out as a build wants them. A function comes in three parts: x_piece_f32 says which
 * piece an operand is in, x_by_piece_f32 calculates with the columns' numbers for it, x_beyond_f32 tells by its sign bit that an
 * operand is in none. cpu/isa/loops.inc.c runs the parts on vectors; x_near_f32 is the same, bit for bit, on one number.
 * tools/pieces.py made the tables and says what their columns are.
 * In and out: float; bounds.def says how exact. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F32_PIECES_H
#define KT_MATH_F32_PIECES_H

#include "math/f32/trigonometric.h"
#include "math/table.h"

/* c1 + c2 d + ..., the columns from the third on; in pairs, whose chain of operations is shorter */
KT_ALWAYS float rest_5_f32(float d, const float *c)
{
    const float d2 = d * d;
    return fma_f32(d2, fma_f32(d2, c[6], fma_f32(d, c[5], c[4])), fma_f32(d, c[3], c[2]));
}
KT_ALWAYS float rest_6_f32(float d, const float *c) { return fma_f32(d, rest_5_f32(d, c + 1), c[2]); }

/* Pieces of equal parts of an octave have the order of their bits, without the low ones; below the number `first` there is one
 * more, in which an odd function is a + a q(a). */
KT_ALWAYS int32_t octave_piece_f32(float x, float first, int low)
{
    const uint32_t before = (bits_f32(first) >> low) - 1;
    return (int32_t)(greater_u32(bits_f32(x) >> low, before) - before);
}
KT_ALWAYS float odd_by_piece_f32(float a, float x, float first, const float *c)
{
    const float d = x - c[0], top = pick_f32(mask_f32(x < first), x, c[1]);
    return signed_f32(fma_f32(d, rest_6_f32(d, c), top), a);
}

#define TANH_PIECES_F32(ROW)                                                              \
    ROW(0x0.0p+0f, 0x0.0p+0f, 0x1.b62f1ap-40f, -0x1.ecfd58p-30f,                          \
        -0x1.55553ep-2f, -0x1.7fd3d2p-16f, 0x1.1283a0p-3f, -0x1.4a1904p-7f)               \
    ROW(0x1.2139b0p-4f, 0x1.20bee0p-4f, 0x1.fd74a4p-1f, -0x1.1f4f8ap-4f,                  \
        -0x1.4e92dap-2f, 0x1.7c39aep-5f, 0x1.059fb2p-3f, -0x1.a913e4p-6f)                 \
    ROW(0x1.5f48bep-4f, 0x1.5e6ce8p-4f, 0x1.fc40a4p-1f, -0x1.5bdc4cp-4f,                  \
        -0x1.4b6516p-2f, 0x1.cab8ccp-5f, 0x1.0049a2p-3f, -0x1.007a8ep-5f)                 \
    ROW(0x1.a1298ap-4f, 0x1.9fb9d2p-4f, 0x1.fab9c8p-1f, -0x1.9b717ep-4f,                  \
        -0x1.476092p-2f, 0x1.0e0e9ep-4f, 0x1.f3292ep-4f, -0x1.2afef4p-5f)                 \
    ROW(0x1.e0a54ep-4f, 0x1.de73a0p-4f, 0x1.f90398p-1f, -0x1.d7ec68p-4f,                  \
        -0x1.42e50ep-2f, 0x1.342d2ep-4f, 0x1.e44ad8p-4f, -0x1.53370ap-5f)                 \
    ROW(0x1.1f6138p-3f, 0x1.1d8220p-3f, 0x1.f60ca8p-1f, -0x1.17f5a4p-3f,                  \
        -0x1.3b2f6ep-2f, 0x1.6a65c8p-4f, 0x1.caeb82p-4f, -0x1.8af8b6p-5f)                 \
    ROW(0x1.6068acp-3f, 0x1.5cf8aap-3f, 0x1.f12258p-1f, -0x1.52d6cap-3f,                  \
        -0x1.2e8de8p-2f, 0x1.b01beap-4f, 0x1.a21b1ep-4f, -0x1.cc4a42p-5f)                 \
    ROW(0x1.a01e88p-3f, 0x1.9a7c6ap-3f, 0x1.eb6e6ap-1f, -0x1.89fed6p-3f,                  \
        -0x1.2022d8p-2f, 0x1.edabcep-4f, 0x1.748f68p-4f, -0x1.00aafcp-4f)                 \
    ROW(0x1.dfb56ap-3f, 0x1.d71fbap-3f, 0x1.e4e7d2p-1f, -0x1.be314ep-3f,                  \
        -0x1.0ff2f6p-2f, 0x1.11d988p-3f, 0x1.42c870p-4f, -0x1.14ad40p-4f)                 \
    ROW(0x1.1ff1bep-2f, 0x1.18966ap-2f, 0x1.d98ed4p-1f, -0x1.03853ap-2f,                  \
        -0x1.e93000p-3f, 0x1.330e76p-3f, 0x1.e3fdacp-5f, -0x1.25ece2p-4f)                 \
    ROW(0x1.5f19b8p-2f, 0x1.51f5a2p-2f, 0x1.c83aecp-1f, -0x1.2d25a8p-2f,                  \
        -0x1.9986ccp-3f, 0x1.4fec98p-3f, 0x1.08db9ep-5f, -0x1.261c80p-4f)                 \
    ROW(0x1.a13c20p-2f, 0x1.8b94f4p-2f, 0x1.b39760p-1f, -0x1.508c02p-2f,                  \
        -0x1.40c3eap-3f, 0x1.5c47a2p-3f, 0x1.64d760p-8f, -0x1.0f1a3ep-4f)                 \
    ROW(0x1.e124c4p-2f, 0x1.c09b1cp-2f, 0x1.9dbc18p-1f, -0x1.6a81ecp-2f,                  \
        -0x1.d40becp-4f, 0x1.583216p-3f, -0x1.1f6b48p-6f, -0x1.cd92eep-5f)                \
    ROW(0x1.20ea10p-1f, 0x1.05b580p-1f, 0x1.7a3a34p-1f, -0x1.82a980p-2f,                  \
        -0x1.b4132ep-5f, 0x1.398086p-3f, -0x1.67add8p-5f, -0x1.30cc94p-5f)                \
    ROW(0x1.609868p-1f, 0x1.31ba02p-1f, 0x1.4971a0p-1f, -0x1.896fbep-2f,                  \
        0x1.e99b7ap-7f, 0x1.e80a4ep-4f, -0x1.f93daep-5f, -0x1.7b15e4p-7f)                 \
    ROW(0x1.a0989cp-1f, 0x1.57dcd6p-1f, 0x1.190f3ep-1f, -0x1.7985e0p-2f,                  \
        0x1.08b1f4p-4f, 0x1.459840p-4f, -0x1.008c50p-4f, 0x1.dbf772p-8f)                  \
    ROW(0x1.dfa016p-1f, 0x1.77abf8p-1f, 0x1.d8b6bcp-2f, -0x1.5ad89cp-2f,                  \
        0x1.83af90p-4f, 0x1.64018cp-5f, -0x1.b353e0p-5f, 0x1.163e96p-6f)                  \
    ROW(0x1.214510p+0f, 0x1.9f3c20p-1f, 0x1.5e7c02p-2f, -0x1.1c3eacp-2f,                  \
        0x1.c6c912p-4f, 0x1.450b1cp-9f, -0x1.01df06p-5f, 0x1.2edad6p-6f)                  \
    ROW(0x1.5f9b1cp+0f, 0x1.c24b00p-1f, 0x1.cfe87cp-3f, -0x1.97ff4ap-3f,                  \
        0x1.98614ep-4f, -0x1.5ca244p-6f, -0x1.3a77c8p-7f, 0x1.67a436p-7f)                 \
    ROW(0x1.a0e668p+0f, 0x1.da0900p-1f, 0x1.247558p-3f, -0x1.0ec5c6p-3f,                  \
        0x1.326b3ap-4f, -0x1.9cbe4ap-6f, 0x1.8756cep-10f, 0x1.0cb336p-8f)                 \
    ROW(0x1.df7a4ep+0f, 0x1.e86090p-1f, 0x1.713edap-4f, -0x1.60358cp-4f,                  \
        0x1.a9c15ep-5f, -0x1.569b3ap-6f, 0x1.2d50ecp-8f, 0x1.5390f8p-11f)                 \
    ROW(0x1.1f997cp+1f, 0x1.f4adf6p-1f, 0x1.664006p-5f, -0x1.5e5440p-5f,                  \
        0x1.be563ep-6f, -0x1.95d4bep-7f, 0x1.05a02ep-8f, -0x1.7ad1d0p-11f)                \
    ROW(0x1.611b38p+1f, 0x1.fbe740p-1f, 0x1.05237ap-6f, -0x1.030c98p-6f,                  \
        0x1.53da5ap-7f, -0x1.48dc4cp-8f, 0x1.ee2006p-10f, -0x1.1d78f8p-11f)               \
    ROW(0x1.9f5b20p+1f, 0x1.fe7280p-1f, 0x1.8ce5b4p-8f, -0x1.8bb18ap-8f,                  \
        0x1.062f82p-8f, -0x1.0303d0p-9f, 0x1.974d92p-11f, -0x1.fe8532p-13f)               \
    ROW(0x1.e002cep+1f, 0x1.ff6f1ep-1f, 0x1.219b02p-9f, -0x1.21490ep-9f,                  \
        0x1.80d884p-10f, -0x1.7f2650p-11f, 0x1.326156p-12f, -0x1.904610p-14f)             \
    ROW(0x1.207474p+2f, 0x1.ffe01cp-1f, 0x1.fe30eep-12f, -0x1.fe1160p-12f,                \
        0x1.53a5cap-12f, -0x1.534b34p-13f, 0x1.18d5bcp-14f, -0x1.7616c6p-16f)             \
    ROW(0x1.5fda2ep+2f, 0x1.fffb9ap-1f, 0x1.197f3cp-14f, -0x1.197c52p-14f,                \
        0x1.7708b6p-15f, -0x1.77298ap-16f, 0x1.36f6d0p-17f, -0x1.991f08p-19f)             \
    ROW(0x1.a13914p+2f, 0x1.ffff6ep-1f, 0x1.240056p-17f, -0x1.2400fcp-17f,                \
        0x1.851016p-18f, -0x1.84beaep-19f, 0x1.42ae88p-20f, -0x1.b8b56cp-22f)             \
    ROW(0x1.e0d5c0p+2f, 0x1.ffffecp-1f, 0x1.4000a0p-20f, -0x1.40012ep-20f,                \
        0x1.aa5fd6p-21f, -0x1.aa3094p-22f, 0x1.61b576p-23f, -0x1.de080ap-25f)             \
    ROW(0x1.1541e2p+3f, 0x1.fffffep-1f, 0x1.fffc84p-24f, -0x1.ff4730p-24f,                \
        0x1.5648a8p-24f, -0x1.609e74p-25f, 0x1.13a93cp-26f, -0x1.c84bd4p-29f)
EIGHT_COLUMNS_F32(tanh_pieces_f32, TANH_PIECES_F32)

/* From 9.02 on nothing of 1 is missing. */
KT_ALWAYS float    tanh_most_f32(float a)   { return abs_at_most_f32(a, 0x411c0000u); }
KT_ALWAYS uint32_t tanh_beyond_f32(float a) { return beyond_f32(a, 0x7f800001u); }
KT_ALWAYS int32_t  tanh_piece_f32(float a)  { return octave_piece_f32(tanh_most_f32(a), 0x1p-4f, 21); }
KT_ALWAYS float    tanh_by_piece_f32(float a, const float *c) { return odd_by_piece_f32(a, tanh_most_f32(a), 0x1p-4f, c); }
NEAR_BY_EIGHT_F32(tanh)

#define ATAN_PIECES_F32(ROW)                                                              \
    ROW(0x0.0p+0f, 0x0.0p+0f, 0x1.1113f0p-32f, -0x1.335f96p-23f,                          \
        -0x1.5551d2p-2f, -0x1.e1fd6ap-12f, 0x1.a842bap-3f, -0x1.a80f32p-5f)               \
    ROW(0x1.1fd604p-3f, 0x1.1df684p-3f, 0x1.f6151ap-1f, -0x1.14cb08p-3f,                  \
        -0x1.2ece46p-2f, 0x1.04ea88p-3f, 0x1.2abc7ep-3f, -0x1.de6876p-4f)                 \
    ROW(0x1.603c64p-3f, 0x1.5cd2bap-3f, 0x1.f14a34p-1f, -0x1.4c4962p-3f,                  \
        -0x1.1cff06p-2f, 0x1.3031d6p-3f, 0x1.f5a89cp-4f, -0x1.0aaa52p-3f)                 \
    ROW(0x1.a0109ep-3f, 0x1.9a7a84p-3f, 0x1.ebb4bcp-1f, -0x1.7fbc56p-3f,                  \
        -0x1.08e60cp-2f, 0x1.534fb4p-3f, 0x1.8eaecep-4f, -0x1.19fab4p-3f)                 \
    ROW(0x1.e04520p-3f, 0x1.d7bee4p-3f, 0x1.e54fa2p-1f, -0x1.af814ep-3f,                  \
        -0x1.e57682p-3f, 0x1.6e5f00p-3f, 0x1.239834p-4f, -0x1.1d7680p-3f)                 \
    ROW(0x1.1fd44ap-2f, 0x1.1896d8p-2f, 0x1.da8290p-1f, -0x1.ee7146p-3f,                  \
        -0x1.9e9dbcp-3f, 0x1.872192p-3f, 0x1.0e9096p-5f, -0x1.0eade6p-3f)                 \
    ROW(0x1.60d218p-2f, 0x1.53c6b2p-2f, 0x1.c9aaecp-1f, -0x1.19e9a4p-2f,                  \
        -0x1.39eeb8p-3f, 0x1.8d0752p-3f, -0x1.b14b58p-7f, -0x1.be42c2p-4f)                \
    ROW(0x1.9f4d36p-2f, 0x1.8a8b54p-2f, 0x1.b7ade0p-1f, -0x1.324382p-2f,                  \
        -0x1.b5fac0p-4f, 0x1.796860p-3f, -0x1.850086p-5f, -0x1.3dad30p-4f)                \
    ROW(0x1.dfbf10p-2f, 0x1.c0a60ep-2f, 0x1.a3d89cp-1f, -0x1.429742p-2f,                  \
        -0x1.011b0ep-4f, 0x1.529bdap-3f, -0x1.2159dcp-4f, -0x1.70b99ap-5f)                \
    ROW(0x1.1f60eap-1f, 0x1.05df00p-1f, 0x1.855752p-1f, -0x1.4c5b6ap-2f,                  \
        -0x1.07915ap-7f, 0x1.074750p-3f, -0x1.57617ap-4f, -0x1.52bbf0p-8f)                \
    ROW(0x1.60087ep-1f, 0x1.3464c6p-1f, 0x1.5ba66ap-1f, -0x1.449b78p-2f,                  \
        0x1.65863cp-5f, 0x1.3ba27ep-4f, -0x1.342d2cp-4f, 0x1.8252cep-6f)                  \
    ROW(0x1.9f2dd4p-1f, 0x1.5cd9e6p-1f, 0x1.34e398p-1f, -0x1.2e399cp-2f,                  \
        0x1.239b44p-4f, 0x1.2d5b42p-5f, -0x1.bf0f4cp-5f, 0x1.e51d58p-6f)                  \
    ROW(0x1.e12804p-1f, 0x1.823a6ap-1f, 0x1.0fe2aep-1f, -0x1.0f5c8cp-2f,                  \
        0x1.513a42p-4f, 0x1.1e1f9ep-7f, -0x1.106796p-5f, 0x1.936ffcp-6f)                  \
    ROW(0x1.20e120p+0f, 0x1.b0fb58p-1f, 0x1.c26ef6p-2f, -0x1.bf2a42p-3f,                  \
        0x1.47b7d4p-4f, -0x1.7a86a8p-7f, -0x1.8d219cp-7f, 0x1.b98164p-7f)                 \
    ROW(0x1.603d68p+0f, 0x1.e2784cp-1f, 0x1.61eedcp-2f, -0x1.50a4dap-3f,                  \
        0x1.07d300p-4f, -0x1.1f62e4p-6f, -0x1.72b510p-14f, 0x1.0d441ep-8f)                \
    ROW(0x1.a066bep+0f, 0x1.0502a6p+0f, 0x1.18e08ap-2f, -0x1.f54318p-4f,                  \
        0x1.86ee9ep-5f, -0x1.f0895ep-7f, 0x1.813fb0p-9f, 0x1.36ef1cp-11f)                 \
    ROW(0x1.e0be64p+0f, 0x1.14dbfap+0f, 0x1.c471a6p-3f, -0x1.776862p-4f,                  \
        0x1.1a0bcep-5f, -0x1.7254c4p-7f, 0x1.8079a4p-9f, -0x1.77f114p-12f)                \
    ROW(0x1.1fcaf2p+1f, 0x1.26fd72p+0f, 0x1.523884p-3f, -0x1.f657d6p-5f,                  \
        0x1.5c73dep-6f, -0x1.bc7a4cp-8f, 0x1.f91f82p-10f, -0x1.cdac60p-12f)               \
    ROW(0x1.609798p+1f, 0x1.38fa02p+0f, 0x1.dcf24cp-4f, -0x1.31f716p-5f,                  \
        0x1.774f64p-7f, -0x1.b544fcp-9f, 0x1.e09186p-11f, -0x1.e3bf62p-13f)               \
    ROW(0x1.a07ac0p+1f, 0x1.45ca7ep+0f, 0x1.6180f8p-4f, -0x1.8d1308p-6f,                  \
        0x1.aff7fep-8f, -0x1.c5a7aap-10f, 0x1.cbbe08p-12f, -0x1.bad10ep-14f)              \
    ROW(0x1.e0c80ap+1f, 0x1.4f8364p+0f, 0x1.0f1bdep-4f, -0x1.0d9a70p-6f,                  \
        0x1.05c524p-8f, -0x1.ef6c6ep-11f, 0x1.c9a986p-13f, -0x1.9a3ce0p-15f)              \
    ROW(0x1.1f1094p+2f, 0x1.59f7d0p+0f, 0x1.83e71cp-5f, -0x1.498baep-7f,                  \
        0x1.135080p-9f, -0x1.c41b32p-12f, 0x1.71527cp-14f, -0x1.1e54bap-16f)              \
    ROW(0x1.60058cp+2f, 0x1.64158ap+0f, 0x1.061cdep-5f, -0x1.710894p-8f,                  \
        0x1.00ea38p-10f, -0x1.61a7d2p-13f, 0x1.e612fcp-16f, -0x1.465d24p-18f)             \
    ROW(0x1.a11f2ep+2f, 0x1.6b262cp+0f, 0x1.78d530p-6f, -0x1.c3e886p-9f,                  \
        0x1.0cd700p-11f, -0x1.3d464ap-14f, 0x1.7649b8p-17f, -0x1.b8e0f4p-20f)             \
    ROW(0x1.e123a6p+2f, 0x1.704524p+0f, 0x1.1cda70p-6f, -0x1.29da9cp-9f,                  \
        0x1.359baep-12f, -0x1.3fe116p-15f, 0x1.4a7ab2p-18f, -0x1.55cc40p-21f)             \
    ROW(0x1.20c872p+3f, 0x1.75df2ep+0f, 0x1.8d78d6p-7f, -0x1.5c13a2p-10f,                 \
        0x1.2f8c6ap-13f, -0x1.079746p-16f, 0x1.d00c9ep-20f, -0x1.95ee8ep-23f)             \
    ROW(0x1.5fb49ap+3f, 0x1.7ae546p+0f, 0x1.0d0958p-7f, -0x1.84701ap-11f,                 \
        0x1.17a1b2p-14f, -0x1.918458p-18f, 0x1.22e2b0p-21f, -0x1.9d3beep-25f)             \
    ROW(0x1.a0f3b6p+3f, 0x1.7e83d4p+0f, 0x1.7fc1fep-8f, -0x1.d47ac0p-12f,                 \
        0x1.1d62c0p-15f, -0x1.5afdecp-19f, 0x1.a8bffap-23f, -0x1.04b6b2p-26f)             \
    ROW(0x1.df874ep+3f, 0x1.8110d2p+0f, 0x1.228cdep-8f, -0x1.34d980p-12f,                 \
        0x1.47cf88p-16f, -0x1.5b6dfap-20f, 0x1.720f04p-24f, -0x1.84bdd4p-28f)
EIGHT_COLUMNS_F32(atan_pieces_f32, ATAN_PIECES_F32)

KT_ALWAYS uint32_t atan_beyond_f32(float a) { return beyond_f32(a, 0x41800000u); } /* 16 */
KT_ALWAYS int32_t  atan_piece_f32(float a)  { return octave_piece_f32(fabsf(a), 0x1p-3f, 21); }
KT_ALWAYS float    atan_by_piece_f32(float a, const float *c) { return odd_by_piece_f32(a, fabsf(a), 0x1p-3f, c); }
NEAR_BY_EIGHT_F32(atan)

/* ---- tan of the arc c + d - less, where c is a multiple of a step, which is so short that d is exact; in odd quadrants of a
 * right angle plus it: (sin c + cos c tan d) / (cos c - sin c tan d), both as pairs. The error of tan d is 2^-32. ---- */
static KT_TABLE const float tan_pieces_f32[2][PIECES_F32] = {
    {-0x0.0p+0f, 0x1.b73d14p-4f, 0x1.b4a61cp-3f, 0x1.4456dep-2f, 0x1.aa9f9ep-2f, 0x1.05f7b0p-1f,
     0x1.33a9aap-1f, 0x1.5dd000p-1f, 0x1.4e5876p-1f, 0x1.7607cep-1f, 0x1.99567cp-1f, 0x1.b7e818p-1f,
     0x1.d17fd6p-1f, 0x1.e5acccp-1f, 0x1.f4423cp-1f, 0x1.fd2580p-1f, 0x1.000000p+0f, 0x1.fd2580p-1f,
     0x1.f4423cp-1f, 0x1.e5acccp-1f, 0x1.d17fd6p-1f, 0x1.b7e818p-1f, 0x1.99567cp-1f, 0x1.7607cep-1f,
     -0x1.83ded8p-1f, -0x1.5dd000p-1f, -0x1.33a9aap-1f, -0x1.05f7b0p-1f, -0x1.aa9f9ep-2f, -0x1.4456dep-2f,
     -0x1.b4a61cp-3f, -0x1.b73d14p-4f},
    {0x1.000000p+0f, 0x1.fd2580p-1f, 0x1.f4423cp-1f, 0x1.e5acccp-1f, 0x1.d17fd6p-1f, 0x1.b7e818p-1f,
     0x1.99567cp-1f, 0x1.7607cep-1f, 0x1.83ded8p-1f, 0x1.5dd000p-1f, 0x1.33a9aap-1f, 0x1.05f7b0p-1f,
     0x1.aa9f9ep-2f, 0x1.4456dep-2f, 0x1.b4a61cp-3f, 0x1.b73d14p-4f, 0x0.0p+0f, -0x1.b73d14p-4f,
     -0x1.b4a61cp-3f, -0x1.4456dep-2f, -0x1.aa9f9ep-2f, -0x1.05f7b0p-1f, -0x1.33a9aap-1f, -0x1.5dd000p-1f,
     0x1.4e5876p-1f, 0x1.7607cep-1f, 0x1.99567cp-1f, 0x1.b7e818p-1f, 0x1.d17fd6p-1f, 0x1.e5acccp-1f,
     0x1.f4423cp-1f, 0x1.fd2580p-1f},
};

/* |hi| <= 0.8, so that these are at most 7 */
KT_ALWAYS float tan_steps_f32(float hi) { return fma_f32(hi, 512.0f / 55, 0x1.8p23f); }
KT_ALWAYS int32_t tan_piece_of_f32(arc_f32 arc) { return (int32_t)(bits_f32(tan_steps_f32(arc.hi)) + (arc.quadrant << 4)); }
KT_ALWAYS float tan_of_f32(arc_f32 arc, float sine, float cosine)
{
    const float d = fma_f32(tan_steps_f32(arc.hi) - 0x1.8p23f, -55.0f / 512, arc.hi), z = d * d;
    const float more = fma_f32(d * z, fma_f32(z, 0x1.11630cp-3f, 0x1.555552p-2f), -arc.less), t = d + more;
    const float over = fma_f32(cosine, t, sine), over_lo = fma_f32(cosine, more, fma_f32(cosine, d, sine - over));
    const float under = fma_f32(-sine, t, cosine), under_lo = fma_f32(-sine, more, fma_f32(-sine, d, cosine - under));
    const float inverse = 1 / under, q = over * inverse;
    return fma_f32(-(fma_f32(q, under, -over) + fma_f32(q, under_lo, -over_lo)), inverse, q);
}

KT_ALWAYS uint32_t tan_beyond_f32(float a) { return trig_beyond_f32(a); }
KT_ALWAYS int32_t  tan_piece_f32(float a)  { return tan_piece_of_f32(arc_near_f32(a)); }
KT_ALWAYS float    tan_by_piece_f32(float a, const float *c) { return tan_of_f32(arc_near_f32(a), c[0], c[1]); }
NEAR_BY_PIECE_F32(tan, 2)
KT_ALWAYS float    tan_f32(float a)
{
    const arc_f32 arc = arc_of_f32(a);
    const int32_t piece = tan_piece_of_f32(arc) & (PIECES_F32 - 1);
    const float   r = tan_of_f32(arc, tan_pieces_f32[0][piece], tan_pieces_f32[1][piece]);
    return pick_f32(mask_f32(fabsf(a) < INFINITY), r, NAN); /* the sign of a calculated NaN depends on the order of operands */
}

#define SIGMOID_PIECES_F32(ROW)                                                           \
    ROW(0x1.f9c01cp-3f, 0x1.c119bcp-2f, -0x1.f845d4p-3f, 0x1.ef99fcp-7f,                  \
        0x1.40f468p-6f, -0x1.42ef0cp-9f, -0x1.d9dedcp-10f, 0x1.61c260p-12f)               \
    ROW(0x1.83fe0ep-1f, 0x1.46c89ap-2f, -0x1.bcff72p-3f, 0x1.41f4e6p-5f,                  \
        0x1.6865dep-7f, -0x1.590394p-8f, -0x1.1c1368p-12f, 0x1.1af1f2p-11f)               \
    ROW(0x1.406870p+0f, 0x1.c78672p-3f, -0x1.62348cp-3f, 0x1.894664p-5f,                  \
        0x1.1d05e6p-10f, -0x1.19f69ep-8f, 0x1.bf0010p-11f, 0x1.893184p-13f)               \
    ROW(0x1.be1d66p+0f, 0x1.311b98p-3f, -0x1.03a740p-3f, 0x1.6c935ep-5f,                  \
        -0x1.4b605cp-8f, -0x1.fae448p-10f, 0x1.e2539ep-11f, -0x1.a9bbeap-14f)             \
    ROW(0x1.1ecf60p+1f, 0x1.89d92cp-4f, -0x1.63fa64p-4f, 0x1.1f8538p-5f,                  \
        -0x1.c64654p-8f, -0x1.074500p-13f, 0x1.0a9b48p-11f, -0x1.2f42ccp-13f)             \
    ROW(0x1.610c64p+1f, 0x1.e8743cp-5f, -0x1.cb5462p-5f, 0x1.948dcap-6f,                  \
        -0x1.966742p-8f, 0x1.60f7c8p-11f, 0x1.2e549ap-13f, -0x1.66c352p-14f)              \
    ROW(0x1.a0053ep+1f, 0x1.31bc1ap-5f, -0x1.26530cp-5f, 0x1.105af8p-6f,                  \
        -0x1.33d670p-8f, 0x1.9d27cap-11f, -0x1.712f1ap-16f, -0x1.0d5aa4p-15f)             \
    ROW(0x1.e09014p+1f, 0x1.76d8eep-6f, -0x1.6e4574p-6f, 0x1.5d82f4p-7f,                  \
        -0x1.a6db9cp-9f, 0x1.550152p-11f, -0x1.2e6424p-14f, -0x1.50ec62p-18f)             \
    ROW(0x1.0f9e42p+2f, 0x1.cf8e2cp-7f, -0x1.c8ff64p-7f, 0x1.bc1156p-8f,                  \
        -0x1.172be4p-9f, 0x1.ecff76p-12f, -0x1.266892p-14f, 0x1.263280p-18f)              \
    ROW(0x1.309862p+2f, 0x1.167cb6p-7f, -0x1.141ed0p-7f, 0x1.0f6d50p-8f,                  \
        -0x1.5d8beap-10f, 0x1.454ecap-12f, -0x1.bd3b0cp-15f, 0x1.90bcb6p-18f)             \
    ROW(0x1.50147ap+2f, 0x1.55ae5cp-8f, -0x1.53e652p-8f, 0x1.505b00p-9f,                  \
        -0x1.b7189cp-11f, 0x1.a48fd0p-13f, -0x1.33a222p-15f, 0x1.4e3382p-18f)             \
    ROW(0x1.7005aap+2f, 0x1.9fb4e4p-9f, -0x1.9e635ep-9f, 0x1.9bc276p-10f,                 \
        -0x1.0f0496p-11f, 0x1.081786p-13f, -0x1.913b06p-16f, 0x1.dcfd46p-19f)             \
    ROW(0x1.90980ep+2f, 0x1.f46ccep-10f, -0x1.f37840p-10f, 0x1.f19012p-11f,               \
        -0x1.492c2cp-12f, 0x1.441eb2p-14f, -0x1.f77262p-17f, 0x1.3c533ep-19f)             \
    ROW(0x1.af66aap+2f, 0x1.35759cp-10f, -0x1.351816p-10f, 0x1.345d44p-11f,               \
        -0x1.99357ep-13f, 0x1.955726p-15f, -0x1.3eb626p-17f, 0x1.954606p-20f)             \
    ROW(0x1.d01cc6p+2f, 0x1.736b56p-11f, -0x1.7327fap-11f, 0x1.72a15ap-12f,               \
        -0x1.ecc58ep-14f, 0x1.e9f946p-16f, -0x1.845262p-18f, 0x1.fa4702p-21f)             \
    ROW(0x1.efbbcap+2f, 0x1.c55ac2p-12f, -0x1.c52894p-12f, 0x1.c4c444p-13f,               \
        -0x1.2d5252p-14f, 0x1.2c47e6p-16f, -0x1.de216ep-19f, 0x1.3908bcp-21f)             \
    ROW(0x1.080e16p+3f, 0x1.116852p-12f, -0x1.115612p-12f, 0x1.113194p-13f,               \
        -0x1.6be09ap-15f, 0x1.6b1e06p-17f, -0x1.21e936p-19f, 0x1.7fa372p-22f)             \
    ROW(0x1.184308p+3f, 0x1.498ebep-13f, -0x1.49817cp-13f, 0x1.4966fap-14f,               \
        -0x1.b6ed00p-16f, 0x1.b65e38p-18f, -0x1.5e9488p-20f, 0x1.d4102ap-23f)             \
    ROW(0x1.27d52ep+3f, 0x1.9531ecp-14f, -0x1.9527e6p-14f, 0x1.9513dcp-15f,               \
        -0x1.0df258p-16f, 0x1.0dbda6p-18f, -0x1.afdce0p-21f, 0x1.1d9544p-23f)             \
    ROW(0x1.37ce50p+3f, 0x1.ebf510p-15f, -0x1.ebedaep-15f, 0x1.ebdee8p-16f,               \
        -0x1.47d608p-17f, 0x1.47afa8p-19f, -0x1.067a5ap-21f, 0x1.5b517ap-24f)             \
    ROW(0x1.483beep+3f, 0x1.266d90p-15f, -0x1.266aeap-15f, 0x1.2665a0p-16f,               \
        -0x1.887922p-18f, 0x1.885bbep-20f, -0x1.3a68a0p-22f, 0x1.a52378p-25f)             \
    ROW(0x1.57ed34p+3f, 0x1.689ceep-16f, -0x1.689af2p-16f, 0x1.6896fap-17f,               \
        -0x1.e0be66p-19f, 0x1.e0a9e6p-21f, -0x1.8140e4p-23f, 0x1.000340p-25f)             \
    ROW(0x1.67c0d0p+3f, 0x1.b7d384p-17f, -0x1.b7d20ap-17f, 0x1.b7cf16p-18f,               \
        -0x1.253098p-19f, 0x1.2529d8p-21f, -0x1.d5fdeep-24f, 0x1.36f7e4p-26f)             \
    ROW(0x1.7818e4p+3f, 0x1.07eaa8p-17f, -0x1.07ea20p-17f, 0x1.07e910p-18f,               \
        -0x1.5fde58p-20f, 0x1.5fd84ep-22f, -0x1.1a1202p-24f, 0x1.78c4eep-27f)             \
    ROW(0x1.8818eap+3f, 0x1.4025aap-18f, -0x1.402546p-18f, 0x1.40247ep-19f,               \
        -0x1.aad8f4p-21f, 0x1.aad454p-23f, -0x1.5633a6p-25f, 0x1.c922a2p-28f)             \
    ROW(0x1.9834c2p+3f, 0x1.830a84p-19f, -0x1.830a3ap-19f, 0x1.8309a8p-20f,               \
        -0x1.020582p-21f, 0x1.02034ep-23f, -0x1.9db96ep-26f, 0x1.152a6ap-28f)             \
    ROW(0x1.a819e6p+3f, 0x1.d70c08p-20f, -0x1.d70bd2p-20f, 0x1.d70b66p-21f,               \
        -0x1.3a06d2p-22f, 0x1.3a0558p-24f, -0x1.f78b56p-27f, 0x1.5066a8p-29f)             \
    ROW(0x1.b7bedep+3f, 0x1.20e5acp-20f, -0x1.20e598p-20f, 0x1.20e56ep-21f,               \
        -0x1.81313cp-23f, 0x1.8131e6p-25f, -0x1.34d3aap-27f, 0x1.98bdd0p-30f)             \
    ROW(0x1.c82c58p+3f, 0x1.59cc44p-21f, -0x1.59cc36p-21f, 0x1.59cc18p-22f,               \
        -0x1.cd0f84p-24f, 0x1.cd0deap-26f, -0x1.71aa40p-28f, 0x1.eee57ap-31f)             \
    ROW(0x1.d82cb2p+3f, 0x1.a374c8p-22f, -0x1.a374bep-22f, 0x1.a374a8p-23f,               \
        -0x1.17a2cep-24f, 0x1.17a1fap-26f, -0x1.c06926p-29f, 0x1.2c2c44p-31f)             \
    ROW(0x1.e7fd72p+3f, 0x1.ffc4fap-23f, -0x1.ffc4f2p-23f, 0x1.ffc4e2p-24f,               \
        -0x1.552d9cp-25f, 0x1.552d9cp-27f, -0x1.118d2cp-29f, 0x1.6c6e86p-32f)             \
    ROW(0x1.f83444p+3f, 0x1.345568p-23f, -0x1.345566p-23f, 0x1.345560p-24f,               \
        -0x1.9b1c2ap-26f, 0x1.9b1afap-28f, -0x1.499e72p-30f, 0x1.b9a898p-33f)
EIGHT_COLUMNS_F32(sigmoid_pieces_f32, SIGMOID_PIECES_F32)

/* Of -|a| */
KT_ALWAYS uint32_t sigmoid_beyond_f32(float a) { return beyond_f32(a, 0x41800000u); } /* 16 */
KT_ALWAYS int32_t  sigmoid_piece_f32(float a)  { return (int32_t)(fabsf(a) * 2.0f); }
KT_ALWAYS float    sigmoid_by_piece_f32(float a, const float *c)
{
    const float d = fabsf(a) - c[0], below = fma_f32(d, rest_6_f32(d, c), c[1]);
    return pick_f32(sign_mask_f32(a), below, 1 - below);
}
NEAR_BY_EIGHT_F32(sigmoid)

/* a sigmoid(a), the share with what its sums lost */
#define silu_pieces_f32 sigmoid_pieces_f32
KT_ALWAYS uint32_t silu_beyond_f32(float a) { return sigmoid_beyond_f32(a); }
KT_ALWAYS int32_t  silu_piece_f32(float a)  { return sigmoid_piece_f32(a); }
KT_ALWAYS float    silu_by_piece_f32(float a, const float *c)
{
    const uint32_t above = ~sign_mask_f32(a);
    const float    one = only_f32(above, 1), part = flipped_f32(above, c[1]), top = one + part, top_lost = part - (top - one);
    const float    size = fabsf(a) - c[0], d = flipped_f32(above, size), q = rest_6_f32(size, c), share = fma_f32(d, q, top);
    return fma_f32(a, share, a * (fma_f32(d, q, top - share) + top_lost));
}
NEAR_BY_EIGHT_F32(silu)

#define GELU_PIECES_F32(ROW)                                                              \
    ROW(0x1.463208p-4f, 0x1.df8046p-2f, -0x1.973938p-2f, 0x1.03713ap-6f,                  \
        0x1.0dc2aep-4f, -0x1.02e3b6p-8f, -0x1.414dd6p-7f, 0x1.528c52p-11f)                \
    ROW(0x1.df201ap-3f, 0x1.a14b02p-2f, -0x1.8d7d34p-2f, 0x1.73f78ep-5f,                  \
        0x1.f4fa72p-5f, -0x1.6d2e66p-7f, -0x1.1b35c4p-7f, 0x1.de127cp-10f)                \
    ROW(0x1.8e580ep-2f, 0x1.6500a0p-2f, -0x1.7abf5cp-2f, 0x1.26abe4p-4f,                  \
        0x1.ac93b0p-5f, -0x1.17cedap-6f, -0x1.aad764p-8f, 0x1.62448ap-9f)                 \
    ROW(0x1.166f2cp-1f, 0x1.2c5292p-2f, -0x1.605d32p-2f, 0x1.7f3e3ap-4f,                  \
        0x1.4ae040p-5f, -0x1.5976aep-6f, -0x1.ed464ap-9f, 0x1.9d485ap-9f)                 \
    ROW(0x1.6837c8p-1f, 0x1.ed4618p-3f, -0x1.3ef3cap-2f, 0x1.c0cc54p-4f,                  \
        0x1.ad8960p-6f, -0x1.76bfb8p-6f, -0x1.777c26p-11f, 0x1.9a67c4p-9f)                \
    ROW(0x1.b768fep-1f, 0x1.9025dap-3f, -0x1.1aaa10p-2f, 0x1.e52d8ep-4f,                  \
        0x1.8d2af4p-7f, -0x1.6e0f0cp-6f, 0x1.07ac7cp-9f, 0x1.5fdc92p-9f)                  \
    ROW(0x1.0440e4p+0f, 0x1.3cc2b8p-3f, -0x1.e752b4p-3f, 0x1.ef6b86p-4f,                  \
        -0x1.5c55e2p-10f, -0x1.44bf48p-6f, 0x1.14b542p-8f, 0x1.f9e646p-10f)               \
    ROW(0x1.2b4024p+0f, 0x1.f07c6ap-4f, -0x1.9c97c8p-3f, 0x1.e24ca6p-4f,                  \
        -0x1.932c14p-7f, -0x1.069edap-6f, 0x1.6e0c3ep-8f, 0x1.0ec576p-10f)                \
    ROW(0x1.53eea4p+0f, 0x1.794a9ap-4f, -0x1.525906p-3f, 0x1.c1474ap-4f,                  \
        -0x1.584edcp-6f, -0x1.7270f0p-7f, 0x1.92e30ap-8f, 0x1.303fbap-13f)                \
    ROW(0x1.7c2ff4p+0f, 0x1.19a1c2p-4f, -0x1.0f36e0p-3f, 0x1.92c842p-4f,                  \
        -0x1.b3f264p-6f, -0x1.aaa8cep-8f, 0x1.83f2b4p-8f, -0x1.379f76p-11f)               \
    ROW(0x1.a4ade4p+0f, 0x1.9aeec2p-5f, -0x1.a78a00p-4f, 0x1.5bff0cp-4f,                  \
        -0x1.e01d10p-6f, -0x1.16107cp-9f, 0x1.4d8e46p-8f, -0x1.21969ap-10f)               \
    ROW(0x1.ccbe74p+0f, 0x1.267b98p-5f, -0x1.4381dep-4f, 0x1.231f04p-4f,                  \
        -0x1.e2ef2ap-6f, 0x1.736844p-10f, 0x1.0044c4p-8f, -0x1.6423d8p-10f)               \
    ROW(0x1.f349a4p+0f, 0x1.a2e68ap-6f, -0x1.e7dfbap-5f, 0x1.dbc2b8p-5f,                  \
        -0x1.c7f908p-6f, 0x1.fde8e6p-9f, 0x1.5c5966p-9f, -0x1.69c4fep-10f)                \
    ROW(0x1.0e328ap+1f, 0x1.1ce9bap-6f, -0x1.60203cp-5f, 0x1.73a784p-5f,                  \
        -0x1.95a556p-6f, 0x1.68bf06p-8f, 0x1.6cd4dep-10f, -0x1.40e324p-10f)               \
    ROW(0x1.2253f2p+1f, 0x1.7e0a0ap-7f, -0x1.f31706p-6f, 0x1.1b01dep-5f,                  \
        -0x1.58c2bep-6f, 0x1.94a3dap-8f, 0x1.774c34p-12f, -0x1.f818f4p-11f)               \
    ROW(0x1.3617cap+1f, 0x1.f8f320p-8f, -0x1.5b7382p-6f, 0x1.a4de28p-6f,                  \
        -0x1.19f4dcp-6f, 0x1.927d62p-8f, -0x1.9ace9ap-12f, -0x1.5a8aeep-11f)              \
    ROW(0x1.49e3dap+1f, 0x1.465232p-8f, -0x1.d810f2p-7f, 0x1.3028f8p-6f,                  \
        -0x1.bbec60p-7f, 0x1.7147bep-8f, -0x1.c832a2p-11f, -0x1.89f078p-12f)              \
    ROW(0x1.5e074ap+1f, 0x1.9950ccp-9f, -0x1.36d564p-7f, 0x1.a90098p-7f,                  \
        -0x1.4f9914p-7f, 0x1.3d31fap-8f, -0x1.22c168p-10f, -0x1.250f88p-13f)              \
    ROW(0x1.72608ap+1f, 0x1.f33ccep-10f, -0x1.8d702cp-8f, 0x1.1f8100p-7f,                 \
        -0x1.e85e80p-8f, 0x1.0172ecp-8f, -0x1.2ea3f0p-10f, 0x1.03133ap-15f)               \
    ROW(0x1.85f12ap+1f, 0x1.2f8a26p-10f, -0x1.f8d42ap-9f, 0x1.807afcp-8f,                 \
        -0x1.5c5c64p-8f, 0x1.927786p-9f, -0x1.194090p-10f, 0x1.1c1a02p-13f)               \
    ROW(0x1.9a1baap+1f, 0x1.635406p-11f, -0x1.348a72p-9f, 0x1.ee4712p-9f,                 \
        -0x1.dc75c4p-9f, 0x1.2b42e8p-9f, -0x1.e110e2p-11f, 0x1.848b5ep-13f)               \
    ROW(0x1.adcec2p+1f, 0x1.9bcd30p-12f, -0x1.746ee6p-10f, 0x1.38a552p-9f,                \
        -0x1.3ee7cap-9f, 0x1.af34eep-10f, -0x1.83db5ap-11f, 0x1.97c7b6p-13f)              \
    ROW(0x1.c22e52p+1f, 0x1.c996a4p-13f, -0x1.aefca6p-11f, 0x1.7af30cp-10f,               \
        -0x1.98581cp-10f, 0x1.27e1d6p-10f, -0x1.25db62p-11f, 0x1.755e94p-13f)             \
    ROW(0x1.d5c502p+1f, 0x1.fc843ep-14f, -0x1.f157f0p-12f, 0x1.c8526ap-11f,               \
        -0x1.02665ap-10f, 0x1.8e1ef8p-11f, -0x1.adb186p-12f, 0x1.384778p-13f)             \
    ROW(0x1.ea6412p+1f, 0x1.0b738ap-14f, -0x1.0fcae6p-12f, 0x1.04524ep-11f,               \
        -0x1.35cbe0p-11f, 0x1.faaa7cp-12f, -0x1.2791bep-12f, 0x1.e653a6p-14f)             \
    ROW(0x1.fe28eap+1f, 0x1.1a4a30p-15f, -0x1.293e8ep-13f, 0x1.282d10p-12f,               \
        -0x1.70b60cp-12f, 0x1.3e05c2p-12f, -0x1.8ce4a2p-13f, 0x1.65fa4ep-14f)             \
    ROW(0x1.09248ap+2f, 0x1.1fbc88p-16f, -0x1.39c64ep-14f, 0x1.44fb10p-13f,               \
        -0x1.a6a246p-13f, 0x1.7f8fbep-13f, -0x1.fd9eeap-14f, 0x1.f4c400p-15f)             \
    ROW(0x1.12deaap+2f, 0x1.254c3cp-17f, -0x1.4a811ep-15f, 0x1.62ddaap-14f,               \
        -0x1.e07cc4p-14f, 0x1.c8c408p-14f, -0x1.40dcb0p-14f, 0x1.4f6be6p-15f)             \
    ROW(0x1.1d0a8ep+2f, 0x1.1b1e42p-18f, -0x1.49d354p-16f, 0x1.6f3ddep-15f,               \
        -0x1.02dba0p-14f, 0x1.019e9cp-14f, -0x1.7e2108p-15f, 0x1.ade1aap-16f)             \
    ROW(0x1.27178ap+2f, 0x1.0d2c68p-19f, -0x1.43be1ap-17f, 0x1.752dd4p-16f,               \
        -0x1.11492cp-15f, 0x1.1beabcp-15f, -0x1.bac326p-16f, 0x1.091d12p-16f)             \
    ROW(0x1.311ed6p+2f, 0x1.f4af30p-21f, -0x1.368b52p-18f, 0x1.722166p-17f,               \
        -0x1.1928b2p-16f, 0x1.304234p-16f, -0x1.f14a5cp-17f, 0x1.3b2a64p-17f)             \
    ROW(0x1.3afce6p+2f, 0x1.cca548p-22f, -0x1.264854p-19f, 0x1.6a176ep-18f,               \
        -0x1.1cc0c6p-17f, 0x1.4031b8p-17f, -0x1.11555cp-17f, 0x1.6a1be6p-18f)
EIGHT_COLUMNS_F32(gelu_pieces_f32, GELU_PIECES_F32)

/* a or 0, less |a| times the share of a normal distribution beyond |a| */
KT_ALWAYS uint32_t gelu_beyond_f32(float a) { return beyond_f32(a, 0x40a00000u); } /* 5 */
KT_ALWAYS int32_t  gelu_piece_f32(float a)  { return (int32_t)(fabsf(a) * 6.4f); }
KT_ALWAYS float    gelu_by_piece_f32(float a, const float *c)
{
    const float x = fabsf(a), d = x - c[0];
    return signed_f32(fma_f32(-x, fma_f32(d, rest_6_f32(d, c), c[1]), only_f32(~sign_mask_f32(a), a)), a);
}
NEAR_BY_EIGHT_F32(gelu)

#endif
